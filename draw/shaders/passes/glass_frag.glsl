// Glass: transparent, less so at grazing angles; it reflects sky and sun. Output colours are premultiplied by
// opacity.
#include "../common/_light.glsl"
#include "../common/_material.glsl"
uniform int top_down;
uniform int element; // 0 all, 1 the submerged part, 2 the dry part
in vec3 position;
in vec3 normal;
in vec3 sun_position;
out vec4 colour;

void main()
{
    float below_surface = in_pool(position.xz) ? rest_level + surface_at(position.xz).x - position.y : -1.0;
#if TERRAIN
    if (below_surface > 0.0 && terrain_at(position.xz).x <= 0.0) below_surface = -1.0;
#endif
    if ((element == 1 && below_surface <= 0.0) || (element == 2 && below_surface > 0.0)) discard;
    vec3 ray = top_down != 0 ? vec3(0.0, -1.0, 0.0) : normalize(position - camera_position), n = normalize(normal);
    if (dot(n, ray) > 0.0) n = -n;
    float cos_view = -dot(n, ray), m = 1.0 - cos_view, fresnel = 0.04 + 0.90 * m * m * m * m * m;
    float shine = pow(max(dot(n, normalize(sun_direction - ray)), 0.0), 120.0) * shadow_at(sun_position);
    float wall = mix(0.30, 0.82, smoothstep(0.15, 0.95, m)); // thicker towards the edge
    // Transmitted light has the colour of the glass.
    vec3 glow = base_colour * (0.50 + 0.55 * sun * shadow_at(sun_position) * (0.55 + 0.45 * abs(dot(n, sun_direction))));
    if (below_surface > 0.0) fresnel *= 0.1, shine *= 0.1;
    float opacity = wall + (1.0 - wall) * fresnel;
    vec3 c = mix(glow, environment(reflect(ray, n)), fresnel / opacity);
    if (element == 1) c = tint_by_water(c, position);
    if (element == 0 && below_surface > 0.0) c = absorb_in_water(c, below_surface * 1.3);
    float spark = min(1.4 * shine, 1.0);
    colour = vec4(encode(c) * opacity * (1.0 - spark) + encode(sun) * spark, mix(opacity, 1.0, spark));
}
