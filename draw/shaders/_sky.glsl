// Sky, and the plain ground that the pool stands on, at a place of the screen (-1 .. 1).
uniform mat4 unproject; // screen to world
uniform float ground_at; // [m]

float to_pool(vec2 p, float grow)
{
    vec2 middle = 0.5 * (pool.xy + pool.zw), reach = 0.5 * (pool.zw - pool.xy) + grow;
    vec2 d = abs(p - middle) - reach;
    return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0);
}

vec3 background(vec2 place)
{
    vec4 far = unproject * vec4(place, 1.0, 1.0);
    vec3 d = normalize(far.xyz / far.w - eye);
    vec3 c = d.y < -1e-4 ? haze : sky(d);
    if (d.y < -1e-4) {
        float t = (eye.y - ground_at) / -d.y;
        vec3 p = eye + t * d;
        float size = level.w, near = to_pool(p.xz, level.z);
        // The basin hides sky from the ground beside it and throws a shadow away from the sun.
        float open = 1.0 - 0.45 * exp(-max(near, 0.0) / (0.05 * size));
        vec2 away = -light.xz / light.y * 0.5 * level.y;
        float dark = 1.0 - smoothstep(-0.03 * size, 0.03 * size, to_pool(p.xz - away, level.z));
        vec3 ground = vec3(0.60, 0.585, 0.56);
        float sunny = 1.0 - 0.75 * dark; // shadows of bodies fall inside the basin
        vec3 stone = ground * (vec3(0.40, 0.46, 0.54) * open + 0.62 * sun * sunny);
        c = mix(haze, stone, exp(-t / (9.0 * size)));
    }
    return c;
}
