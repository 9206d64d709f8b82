// Painted bodies; from straight above, what is under water is tinted here.
#include "_light.glsl"
uniform vec3 paint;
uniform int from_above;
in vec3 at;
in vec3 normal;
out vec4 colour;

void main()
{
    vec3 n = normalize(normal);
    vec3 ray = from_above != 0 ? vec3(0.0, -1.0, 0.0) : normalize(at - eye);
    float sunny = max(dot(n, light), 0.0) * caustic(at);
    vec3 sky_light = mix(vec3(0.26, 0.27, 0.28), vec3(0.50, 0.57, 0.66), 0.5 + 0.5 * n.y);
    // The last term is light from where one looks: the sun stands behind the pool.
    vec3 c = paint * (sky_light + 0.95 * sun * sunny + 0.35 * max(-dot(n, ray), 0.0));
    float shine = pow(max(dot(n, normalize(light - ray)), 0.0), 60.0);
    c += 0.22 * sun * shine * step(1e-3, sunny) + 0.06 * sky(reflect(ray, n)) * pow(1.0 + dot(ray, n), 3.0);
    if (from_above == 0) {
        c = wet(c, at);
    } else if (in_pool(at.xz)) {
        float under = level.x + surface_at(at.xz).x - at.y;
        if (under > 0.0) c = through_water(c, under * 1.3);
    }
    colour = vec4(encode(c), 1.0);
}
