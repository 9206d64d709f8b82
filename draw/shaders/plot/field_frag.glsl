// A field in colours, with terrain in grey. Values are 32-bit floats, which GLES 3.0 cannot filter.
#if TERRAIN
#include "../common/_light.glsl"
#include "../common/_terrain.glsl"
uniform highp sampler2D bed_texture; // [m]
#endif
uniform highp sampler2D values;  // one texel per cell with two values, rows from the south
uniform sampler2D colormap;       // 256 colours
uniform vec4 area;               // [pixels] lower left corner and size
uniform vec2 cells;
uniform vec2 range;              // minimum, 1 / (maximum - minimum)
uniform int samples;             // per pixel and direction
uniform int element;                // 0 the field, 1 the colour bar, 2 the legend of directions
uniform int colouring;               // enum field_colouring
uniform bool has_solids;              // whether open_texture is set
uniform highp sampler2D open_texture; // open fraction of each cell, 0 .. 1
uniform float line_width;              // [pixels] of the outline of solids
out vec4 fragment;

vec2 sample_bilinear(highp sampler2D map, vec2 texel)
{
    vec2 low = floor(texel - 0.5), rest = texel - 0.5 - low;
    ivec2 last = textureSize(map, 0) - 1, a = clamp(ivec2(low), ivec2(0), last);
    ivec2 b = clamp(ivec2(low) + 1, ivec2(0), last);
    vec2 south = mix(texelFetch(map, a, 0).rg, texelFetch(map, ivec2(b.x, a.y), 0).rg, rest.x);
    vec2 north = mix(texelFetch(map, ivec2(a.x, b.y), 0).rg, texelFetch(map, b, 0).rg, rest.x);
    return mix(south, north, rest.y);
}

#if TERRAIN
// Hill shading with the light from the upper left; z points up. Slopes are exaggerated in flat terrain.
vec3 blend_terrain(vec2 uv, vec3 c)
{
    vec4 m = texture(terrain_texture, uv);
    float y = sample_bilinear(bed_texture, uv * vec2(textureSize(bed_texture, 0))).r, rise = fwidth(y);
    vec3 n = normalize(vec3(-m.yz * clamp(0.1 * pool_length / terrain_relief, 1.0, 10.0), 1.0));
    float grey = 0.60 + 0.25 * clamp((y - shore_height) / terrain_relief, 0.0, 1.0);
    grey *= 0.45 + 0.85 * dot(n, vec3(-0.46, 0.46, 0.76));
    float wet = clamp(m.x / max(fwidth(m.x), 1e-6) + 0.5, 0.0, 1.0), line = contour_coverage(y, rise);
    vec3 ground = mix(vec3(grey), vec3(0.12), 0.7 * line);
    return mix(ground, mix(c, vec3(1.0), 0.5 * line), wet);
}
#endif

vec3 colormap_colour(float t) { return texture(colormap, vec2((clamp(t, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb; }

// N red, E yellow, S green, W blue, interpolated between.
vec3 direction_colour(vec2 v)
{
    const vec3 east = vec3(1.0, 0.9, 0.1), north = vec3(0.95, 0.15, 0.12), west = vec3(0.15, 0.35, 1.0),
               south = vec3(0.1, 0.8, 0.25);
    vec2 a = abs(v) / max(abs(v.x) + abs(v.y), 1e-30);
    return a.x * (v.x > 0.0 ? east : west) + a.y * (v.y > 0.0 ? north : south);
}

// The square root keeps slow flow visible.
float brightness(float t) { return sqrt(clamp(t, 0.0, 1.0)); }

vec3 field_colour(vec2 value)
{
    if (colouring == 1) return direction_colour(value) * brightness((length(value) - range.x) * range.y);
    vec3 colour = colormap_colour((value.x - range.x) * range.y);
    return colouring == 2 ? colour * clamp(value.y, 0.0, 1.0) : colour;
}

// Draw solids in grey with a dark outline.
vec3 blend_solids(vec2 uv, vec3 c)
{
    float open = sample_bilinear(open_texture, uv).r, slope = max(length(vec2(dFdx(open), dFdy(open))), 1e-6);
    float distance_px = (open - 0.5) / slope; // [pixels]
    c = mix(vec3(0.62, 0.63, 0.65), c, clamp(distance_px + 0.5, 0.0, 1.0));
    return mix(vec3(0.15, 0.16, 0.18), c, clamp(abs(distance_px) - 0.5 * line_width + 0.5, 0.0, 1.0));
}

void main()
{
    vec2 corner = gl_FragCoord.xy - 0.5 - area.xy, uv = (corner + 0.5) / area.zw;
    if (element == 1) {
        fragment = vec4(colormap_colour(colouring == 1 ? brightness(uv.y) : uv.y), 1.0);
        return;
    }
    if (element == 2) {
        float radius = length(2.0 * uv - 1.0), edge = 2.0 * line_width / area.z;
        fragment = vec4(mix(direction_colour(2.0 * uv - 1.0), vec3(0.976, 0.978, 0.980), smoothstep(1.0 - edge, 1.0, radius)), 1.0);
        return;
    }
    vec2 sum = vec2(0.0);
    for (int j = 0; j < samples; ++j)
        for (int i = 0; i < samples; ++i)
            sum += sample_bilinear(values, (corner + (vec2(i, j) + 0.5) / float(samples)) / area.zw * cells);
    sum /= float(samples * samples);
    fragment = vec4(abs(sum.x) > 1e30 ? vec3(0.75) : field_colour(sum), 1.0);
    if (has_solids) fragment.rgb = blend_solids(uv * cells, fragment.rgb);
#if TERRAIN
    fragment.rgb = blend_terrain(uv, fragment.rgb);
#endif
}
