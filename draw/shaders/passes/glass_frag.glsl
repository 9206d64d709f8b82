// Glass: one sees through it, the less the more it is looked at from the side; it mirrors sky and sun. Colours come
// multiplied by how much they hide.
#include "../common/_light.glsl"
#include "../common/_material.glsl"
uniform int from_above;
uniform int part; // 0 all of it, 1 what is under water, 2 what is above
in vec3 at;
in vec3 normal;
in vec3 sun_at;
out vec4 colour;

void main()
{
    float under = in_pool(at.xz) ? level.x + surface_at(at.xz).x - at.y : -1.0;
#if LAND
    if (under > 0.0 && land_at(at.xz).x <= 0.0) under = -1.0;
#endif
    if ((part == 1 && under <= 0.0) || (part == 2 && under > 0.0)) discard;
    vec3 ray = from_above != 0 ? vec3(0.0, -1.0, 0.0) : normalize(at - eye), n = normalize(normal);
    if (dot(n, ray) > 0.0) n = -n;
    float facing = -dot(n, ray), m = 1.0 - facing, fresnel = 0.04 + 0.90 * m * m * m * m * m;
    float shine = pow(max(dot(n, normalize(light - ray)), 0.0), 120.0) * shadow_at(sun_at);
    float wall = mix(0.30, 0.82, smoothstep(0.15, 0.95, m)); // thicker towards the edge
    // Light that came through the other side glows in the colour of the glass.
    vec3 glow = paint * (0.50 + 0.55 * sun * shadow_at(sun_at) * (0.55 + 0.45 * abs(dot(n, light))));
    if (under > 0.0) fresnel *= 0.1, shine *= 0.1;
    float hides = wall + (1.0 - wall) * fresnel;
    vec3 c = mix(glow, around(reflect(ray, n)), fresnel / hides);
    if (part == 1) c = wet(c, at);
    if (part == 0 && under > 0.0) c = through_water(c, under * 1.3);
    float spark = min(1.4 * shine, 1.0);
    colour = vec4(encode(c) * hides * (1.0 - spark) + encode(sun) * spark, mix(hides, 1.0, spark));
}
