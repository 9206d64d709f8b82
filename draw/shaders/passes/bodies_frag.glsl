// Opaque bodies. In a top view, parts under water are tinted here, because no water is drawn over them.
#include "../common/_light.glsl"
#include "../common/_material.glsl"
uniform int top_down;
uniform int is_interior;     // 1: the interior of an open hull, with reversed normals
uniform float floodwater_level; // [m] surface of the water in the hull
in vec3 position;
in vec3 normal;
in vec3 sun_position;
out vec4 colour;

// Floodwater is drawn by its absorption and reflection on the walls below it. It is shallow, so its
// absorption is multiplied by four to be visible.
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
    // In the interior, reflections show the walls rather than the sky, so the gloss is low.
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
