// Bodies that one cannot look through; from straight above, what is under water is tinted here.
#include "../common/_light.glsl"
#include "../common/_material.glsl"
uniform int from_above;
uniform int hold;     // 1: the inside of an open hull, its faces turned round
uniform float inside; // [m] surface of the water in it
in vec3 at;
in vec3 normal;
in vec3 sun_at;
out vec4 colour;

// Water in a hold is seen by what it does to the walls under it: every look at them goes through its surface. It is
// little, and must be seen at the size of a boat: it dims like four times as much.
vec3 bilge(vec3 c, vec3 ray)
{
    float under = inside - at.y, facing = clamp(-ray.y, 0.05, 1.0), m = 1.0 - facing;
    if (under <= 0.0) return c;
    c = through_water(c, 4.0 * under / facing);
    return mix(c, sky(reflect(ray, vec3(0.0, 1.0, 0.0))), 0.02 + 0.98 * m * m * m * m * m); // [schlick1994]
}

void main()
{
    vec3 n = normalize(hold != 0 ? -normal : normal);
    vec3 ray = from_above != 0 ? vec3(0.0, -1.0, 0.0) : normalize(at - eye);
    float sunny = max(dot(n, light), 0.0) * shadow_at(sun_at) * (hold != 0 ? 1.0 : caustic(at));
    // A hold sees its own walls rather than the sky.
    float dry = hold != 0 ? 0.2 : !in_pool(at.xz) ? 1.0 : 1.0 - 0.8 * smoothstep(-0.002, 0.004, above(at) / level.w);
    vec3 c = surface_of(n, ray, sunny, dry);
    if (hold != 0) {
        c = bilge(c, ray);
    } else if (from_above == 0) {
        c = wet(c, at);
    } else if (in_pool(at.xz)) {
        float under = level.x + surface_at(at.xz).x - at.y;
        if (under > 0.0) c = through_water(c, under * 1.3);
    }
    colour = vec4(encode(c), 1.0);
}
