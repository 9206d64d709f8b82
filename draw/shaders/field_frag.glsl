// A field in colours, on land between grey hills. Values are 32-bit floats; GLES 3.0 does not filter them.
#if LAND
#include "_light.glsl"
#include "_land.glsl"
uniform highp sampler2D bed_map; // [m]
#endif
uniform sampler2D values;        // one texel a cell, row by row from the south
uniform sampler2D colours;       // 256 of them
uniform vec4 area;               // [pixels] lower left corner and size
uniform vec2 cells;
uniform vec2 range;              // low end, 1 / (high - low)
uniform int samples;             // per pixel and side
uniform bool bar;                // the colours alone, low to high from the bottom
out vec4 fragment;

float between(sampler2D map, vec2 at)
{
    vec2 low = floor(at - 0.5), part = at - 0.5 - low;
    ivec2 most = textureSize(map, 0) - 1, a = clamp(ivec2(low), ivec2(0), most);
    ivec2 b = clamp(ivec2(low) + 1, ivec2(0), most);
    float south = mix(texelFetch(map, a, 0).r, texelFetch(map, ivec2(b.x, a.y), 0).r, part.x);
    float north = mix(texelFetch(map, ivec2(a.x, b.y), 0).r, texelFetch(map, b, 0).r, part.x);
    return mix(south, north, part.y);
}

#if LAND
// The sun stands in the upper left: here z points up. Slopes are made steeper, to be seen in any relief.
vec3 with_land(vec2 at, vec3 c)
{
    vec4 m = texture(land_map, at);
    float y = between(bed_map, at * vec2(textureSize(bed_map, 0))), rise = fwidth(y);
    vec3 n = normalize(vec3(-m.yz * clamp(0.1 * level.w / land.z, 1.0, 10.0), 1.0));
    float grey = 0.60 + 0.25 * clamp((y - land.y) / land.z, 0.0, 1.0);
    grey *= 0.45 + 0.85 * dot(n, vec3(-0.46, 0.46, 0.76));
    float wet = clamp(m.x / max(fwidth(m.x), 1e-6) + 0.5, 0.0, 1.0), line = contour(y, rise);
    vec3 hills = mix(vec3(grey), vec3(0.12), 0.7 * line);
    return mix(hills, mix(c, vec3(1.0), 0.5 * line), wet);
}
#endif

void main()
{
    vec2 corner = gl_FragCoord.xy - 0.5 - area.xy;
    float t = (corner.y + 0.5) / area.w, sum = 0.0;
    if (!bar) {
        for (int j = 0; j < samples; ++j)
            for (int i = 0; i < samples; ++i)
                sum += between(values, (corner + (vec2(i, j) + 0.5) / float(samples)) / area.zw * cells);
        sum /= float(samples * samples);
        t = (sum - range.x) * range.y;
    }
    vec3 colour = texture(colours, vec2((clamp(t, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
    fragment = vec4(abs(sum) > 1e30 ? vec3(0.75) : colour, 1.0);
#if LAND
    fragment.rgb = with_land((corner + 0.5) / area.zw, fragment.rgb);
#endif
}
