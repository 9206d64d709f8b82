// The pool seen from above: floor through the water, reflections, relief shading and foam.
#include "../common/_light.glsl"
#include "../common/_tiles.glsl"
#include "../common/_foam.glsl"
uniform mat4 inverse_view_projection;
in vec2 ndc;
out vec4 colour;

void main()
{
    vec4 w = inverse_view_projection * vec4(ndc, 0.0, 1.0);
    vec2 p = w.xz / w.w;
    vec2 pixel = fwidth(p); // before any branch
    vec2 outside_xz = max(max(pool.xy - p, p - pool.zw), 0.0);
    float outside = max(outside_xz.x, outside_xz.y);
    if (outside > 0.0 || TERRAIN != 0) { // terrain covers the inside
        vec3 stone = vec3(0.74, 0.72, 0.68);
        float away = max(outside - 1.6 * wall_thickness, 0.0);
        vec3 ground = vec3(0.42, 0.44, 0.46) * (1.0 - 0.45 * exp(-away / (0.03 * pool_length)));
        float sunlit = shadow(vec3(p.x, rim_height, p.y));
        colour = vec4(encode(away > 0.0 ? ground : stone * (0.92 + 0.08 * sunlit)), 1.0);
        return;
    }
#if !TERRAIN
    vec4 s = surface_at(p);
    vec3 n = normalize(vec3(-s.y, 1.0, -s.z));
    vec3 refracted = refract(vec3(0.0, -1.0, 0.0), n, 0.75);
    float depth = rest_level + s.x;
    vec2 floor_at = p - refracted.xz / refracted.y * max(depth, 0.0);
    vec3 tile = tile_colour(floor_at - pool.xy, pixel, tile_size(pool_length));
    vec3 bottom = vec3(floor_at.x, 0.0, floor_at.y);
    vec3 c = tile * (vec3(0.40, 0.46, 0.52) + 0.62 * sun * mix(1.0, caustic(bottom), 0.7) * shadow(bottom));
    if (depth > 2e-3 * pool_length) { // more than the rounding of half floats
        c = absorb_in_water(c, depth * 1.5);
        vec3 mirrored = reflect(vec3(0.0, -1.0, 0.0), n);
        c = mix(c, sky(mirrored), 0.02 + 0.98 * pow(1.0 - n.y, 5.0));
        // Relief shading: slopes towards the sun are brighter.
        float slope = dot(vec2(-s.y, -s.z), normalize(sun_direction.xz));
        c *= clamp(1.0 + 1.5 * slope / (1.0 + 2.0 * abs(slope)), 0.6, 1.6);
        float sunlit = shadow(vec3(p.x, rest_level, p.y));
        c += sun * 0.5 * pow(max(dot(n, normalize(sun_direction + vec3(0.0, 1.0, 0.0))), 0.0), 90.0) * sunlit;
        c = mix(c, foam_white, foam_cover(p));
        c *= mix(0.72, 1.0, sunlit);
    }
    colour = vec4(encode(c), 1.0);
#endif
}
