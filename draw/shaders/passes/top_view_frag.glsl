// The pool from straight above: floor through the water, light from the upper left, foam on sharp crests.
#include "../common/_light.glsl"
#include "../common/_tiles.glsl"
#include "../common/_foam.glsl"
uniform mat4 unproject;
in vec2 place;
out vec4 colour;

void main()
{
    vec4 w = unproject * vec4(place, 0.0, 1.0);
    vec2 p = w.xz / w.w;
    vec2 pixel = fwidth(p); // before any branch
    vec2 out_by = max(max(pool.xy - p, p - pool.zw), 0.0);
    float outside = max(out_by.x, out_by.y);
    if (outside > 0.0 || LAND != 0) { // land covers what is inside
        vec3 stone = vec3(0.74, 0.72, 0.68);
        float away = max(outside - 1.6 * level.z, 0.0);
        vec3 ground = vec3(0.42, 0.44, 0.46) * (1.0 - 0.45 * exp(-away / (0.03 * level.w)));
        float open = shadow(vec3(p.x, level.y, p.y));
        colour = vec4(encode(away > 0.0 ? ground : stone * (0.92 + 0.08 * open)), 1.0);
        return;
    }
#if !LAND
    vec4 s = surface_at(p);
    vec3 n = normalize(vec3(-s.y, 1.0, -s.z));
    vec3 bent = refract(vec3(0.0, -1.0, 0.0), n, 0.75);
    float depth = level.x + s.x;
    vec2 floor_at = p - bent.xz / bent.y * max(depth, 0.0);
    vec3 tile = tiles(floor_at - pool.xy, pixel, tile_size(level.w));
    vec3 bottom = vec3(floor_at.x, 0.0, floor_at.y);
    vec3 c = tile * (vec3(0.40, 0.46, 0.52) + 0.62 * sun * mix(1.0, caustic(bottom), 0.7) * shadow(bottom));
    if (depth > 2e-3 * level.w) { // more than the rounding of half floats
        c = through_water(c, depth * 1.5);
        vec3 back = reflect(vec3(0.0, -1.0, 0.0), n);
        c = mix(c, sky(back), 0.02 + 0.98 * pow(1.0 - n.y, 5.0));
        // The relief: slopes towards the light are brighter.
        float slope = dot(vec2(-s.y, -s.z), normalize(light.xz));
        c *= clamp(1.0 + 1.5 * slope / (1.0 + 2.0 * abs(slope)), 0.6, 1.6);
        float open = shadow(vec3(p.x, level.x, p.y));
        c += sun * 0.5 * pow(max(dot(n, normalize(light + vec3(0.0, 1.0, 0.0))), 0.0), 90.0) * open;
        c = mix(c, foam_white, foam_at(p));
        c *= mix(0.72, 1.0, open);
    }
    colour = vec4(encode(c), 1.0);
#endif
}
