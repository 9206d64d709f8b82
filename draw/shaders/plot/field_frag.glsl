// A field in colours, on land between grey hills. Values are 32-bit floats; GLES 3.0 does not filter them.
#if LAND
#include "../common/_light.glsl"
#include "../common/_terrain.glsl"
uniform highp sampler2D bed_map; // [m]
#endif
uniform highp sampler2D values;  // one texel a cell, two numbers each, row by row from the south
uniform sampler2D colours;       // 256 of them
uniform vec4 area;               // [pixels] lower left corner and size
uniform vec2 cells;
uniform vec2 range;              // low end, 1 / (high - low)
uniform int samples;             // per pixel and side
uniform int part;                // 0 the field, 1 its colours alone, low to high from the bottom, 2 the directions
uniform int shade;               // 0 the first number on the colours, 1 direction and length, 2 as bright as the second
uniform bool walls;              // there are some
uniform highp sampler2D open_map; // 0 .. 1 of each cell that is open
uniform float line;              // [pixels] around walls
out vec4 fragment;

vec2 between(highp sampler2D map, vec2 at)
{
    vec2 low = floor(at - 0.5), rest = at - 0.5 - low;
    ivec2 most = textureSize(map, 0) - 1, a = clamp(ivec2(low), ivec2(0), most);
    ivec2 b = clamp(ivec2(low) + 1, ivec2(0), most);
    vec2 south = mix(texelFetch(map, a, 0).rg, texelFetch(map, ivec2(b.x, a.y), 0).rg, rest.x);
    vec2 north = mix(texelFetch(map, ivec2(a.x, b.y), 0).rg, texelFetch(map, b, 0).rg, rest.x);
    return mix(south, north, rest.y);
}

#if LAND
// The sun stands in the upper left: here z points up. Slopes are made steeper, to be seen in any relief.
vec3 with_land(vec2 at, vec3 c)
{
    vec4 m = texture(land_map, at);
    float y = between(bed_map, at * vec2(textureSize(bed_map, 0))).r, rise = fwidth(y);
    vec3 n = normalize(vec3(-m.yz * clamp(0.1 * level.w / land.z, 1.0, 10.0), 1.0));
    float grey = 0.60 + 0.25 * clamp((y - land.y) / land.z, 0.0, 1.0);
    grey *= 0.45 + 0.85 * dot(n, vec3(-0.46, 0.46, 0.76));
    float wet = clamp(m.x / max(fwidth(m.x), 1e-6) + 0.5, 0.0, 1.0), line = contour(y, rise);
    vec3 hills = mix(vec3(grey), vec3(0.12), 0.7 * line);
    return mix(hills, mix(c, vec3(1.0), 0.5 * line), wet);
}
#endif

vec3 mapped(float t) { return texture(colours, vec2((clamp(t, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb; }

// N red, E yellow, S green, W blue, and what lies between them.
vec3 direction(vec2 v)
{
    const vec3 east = vec3(1.0, 0.9, 0.1), north = vec3(0.95, 0.15, 0.12), west = vec3(0.15, 0.35, 1.0),
               south = vec3(0.1, 0.8, 0.25);
    vec2 a = abs(v) / max(abs(v.x) + abs(v.y), 1e-30);
    return a.x * (v.x > 0.0 ? east : west) + a.y * (v.y > 0.0 ? north : south);
}

// Slow parts are to be seen beside fast ones.
float brightness(float t) { return sqrt(clamp(t, 0.0, 1.0)); }

vec3 shaded(vec2 value)
{
    if (shade == 1) return direction(value) * brightness((length(value) - range.x) * range.y);
    vec3 colour = mapped((value.x - range.x) * range.y);
    return shade == 2 ? colour * clamp(value.y, 0.0, 1.0) : colour;
}

// Solids in grey, with a dark line around them.
vec3 with_walls(vec2 at, vec3 c)
{
    float open = between(open_map, at).r, slope = max(length(vec2(dFdx(open), dFdy(open))), 1e-6);
    float away = (open - 0.5) / slope; // [pixels]
    c = mix(vec3(0.62, 0.63, 0.65), c, clamp(away + 0.5, 0.0, 1.0));
    return mix(vec3(0.15, 0.16, 0.18), c, clamp(abs(away) - 0.5 * line + 0.5, 0.0, 1.0));
}

void main()
{
    vec2 corner = gl_FragCoord.xy - 0.5 - area.xy, at = (corner + 0.5) / area.zw;
    if (part == 1) {
        fragment = vec4(mapped(shade == 1 ? brightness(at.y) : at.y), 1.0);
        return;
    }
    if (part == 2) {
        float out_of = length(2.0 * at - 1.0), edge = 2.0 * line / area.z;
        fragment = vec4(mix(direction(2.0 * at - 1.0), vec3(0.976, 0.978, 0.980), smoothstep(1.0 - edge, 1.0, out_of)), 1.0);
        return;
    }
    vec2 sum = vec2(0.0);
    for (int j = 0; j < samples; ++j)
        for (int i = 0; i < samples; ++i)
            sum += between(values, (corner + (vec2(i, j) + 0.5) / float(samples)) / area.zw * cells);
    sum /= float(samples * samples);
    fragment = vec4(abs(sum.x) > 1e30 ? vec3(0.75) : shaded(sum), 1.0);
    if (walls) fragment.rgb = with_walls(at * cells, fragment.rgb);
#if LAND
    fragment.rgb = with_land(at, fragment.rgb);
#endif
}
