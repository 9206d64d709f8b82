// A field in colours. Values are 32-bit floats, which GLES 3.0 does not filter: done here.
uniform sampler2D values;        // one texel a cell, row by row from the south
uniform sampler2D colours;       // 256 of them
uniform vec4 area;               // [pixels] lower left corner and size
uniform vec2 cells;
uniform vec2 range;              // low end, 1 / (high - low)
uniform int samples;             // per pixel and side
uniform bool bar;                // the colours alone, low to high from the bottom
out vec4 fragment;

float value(ivec2 at) { return texelFetch(values, clamp(at, ivec2(0), ivec2(cells) - 1), 0).r; }

float between(vec2 at)
{
    vec2 low = floor(at - 0.5), part = at - 0.5 - low;
    ivec2 c = ivec2(low);
    float south = mix(value(c), value(c + ivec2(1, 0)), part.x);
    float north = mix(value(c + ivec2(0, 1)), value(c + ivec2(1, 1)), part.x);
    return mix(south, north, part.y);
}

void main()
{
    vec2 corner = gl_FragCoord.xy - 0.5 - area.xy;
    float t = (corner.y + 0.5) / area.w, sum = 0.0;
    if (!bar) {
        for (int j = 0; j < samples; ++j)
            for (int i = 0; i < samples; ++i)
                sum += between((corner + (vec2(i, j) + 0.5) / float(samples)) / area.zw * cells);
        sum /= float(samples * samples);
        t = (sum - range.x) * range.y;
    }
    vec3 colour = texture(colours, vec2((clamp(t, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
    fragment = vec4(abs(sum) > 1e30 ? vec3(0.75) : colour, 1.0);
}
