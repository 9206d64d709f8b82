// Bodies that one cannot look through; from straight above, what is below_surface water is tinted here.
#include "../common/_light.glsl"
#include "../common/_material.glsl"
uniform int top_down;
uniform int is_interior;     // 1: the floodwater_level of an open hull, its faces turned round
uniform float floodwater_level; // [m] surface of the water in it
in vec3 position;
in vec3 normal;
in vec3 sun_position;
out vec4 colour;

// Water in a is_interior is seen by what it does to the walls below_surface it: every look at them goes through its surface. It is
// little, and must be seen at the size of a boat: it dims like four times as much.
vec3 tint_floodwater(vec3 c, vec3 ray)
{
    float below_surface = floodwater_level - position.y, cos_view = clamp(-ray.y, 0.05, 1.0), m = 1.0 - cos_view;
    if (below_surface <= 0.0) return c;
    c = absorb_in_water(c, 4.0 * below_surface / cos_view);
    return mix(c, sky(reflect(ray, vec3(0.0, 1.0, 0.0))), 0.02 + 0.98 * m * m * m * m * m); // [schlick1994]
}

void main()
{
    vec3 n = normalize(is_interior != 0 ? -normal : normal);
    vec3 ray = top_down != 0 ? vec3(0.0, -1.0, 0.0) : normalize(position - camera_position);
    float sunny = max(dot(n, sun_direction), 0.0) * shadow_at(sun_position) * (is_interior != 0 ? 1.0 : caustic(position));
    // A is_interior sees its own walls rather than the sky.
    float dry = is_interior != 0 ? 0.2 : !in_pool(position.xz) ? 1.0 : 1.0 - 0.8 * smoothstep(-0.002, 0.004, water_above(position) / pool_length);
    vec3 c = shade_material(n, ray, sunny, dry);
    if (is_interior != 0) {
        c = tint_floodwater(c, ray);
    } else if (top_down == 0) {
        c = tint_by_water(c, position);
    } else if (in_pool(position.xz)) {
        float below_surface = rest_level + surface_at(position.xz).x - position.y;
        if (below_surface > 0.0) c = absorb_in_water(c, below_surface * 1.3);
    }
    colour = vec4(encode(c), 1.0);
}
