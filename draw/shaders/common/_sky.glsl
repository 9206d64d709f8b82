// Sky and the ground around the pool, at a point in normalised device coordinates (-1 .. 1).
uniform mat4 inverse_view_projection;
uniform float ground_height; // [m]

float distance_to_pool(vec2 p, float margin)
{
    vec2 centre = 0.5 * (pool.xy + pool.zw), half_size = 0.5 * (pool.zw - pool.xy) + margin;
    vec2 d = abs(p - centre) - half_size;
    return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0);
}

// Stone slabs around a pool, every second row shifted by half a slab. `pixel` [m]: distance of neighbouring
// pixels.
vec3 paving_colour(vec2 p, float pixel)
{
    vec3 stone = vec3(0.35, 0.315, 0.265);
#if !LOW_QUALITY && !TERRAIN
    float slab = pool_length / 9.0, w = pixel / slab;
    vec2 q = (p - pool.xy + wall_thickness) / slab;
    q.x += 0.5 * mod(floor(q.y), 2.0);
    vec2 edge = abs(fract(q - 0.5) - 0.5);
    float joint = 1.0 - smoothstep(0.008, 0.016 + 1.5 * w, min(edge.x, edge.y));
    float near = clamp(1.3 - 4.0 * w, 0.0, 1.0), shade = hash21(floor(q)) - 0.5;
    stone *= 1.0 + near * (0.10 * shade + 0.05 * noise(q * 9.0) + 0.04 * noise(q * 37.0));
    stone *= 1.0 - 0.35 * near * joint * min(0.02 / max(w, 0.004), 1.0);
#endif
    return stone;
}

vec3 background(vec2 ndc)
{
    vec4 far = inverse_view_projection * vec4(ndc, 1.0, 1.0);
    vec3 d = normalize(far.xyz / far.w - camera_position);
    vec3 c = d.y < -1e-4 ? haze : sky(d);
    if (d.y < -1e-4) {
        float t = (camera_position.y - ground_height) / -d.y;
        vec3 p = camera_position + t * d;
        float size = pool_length, near = distance_to_pool(p.xz, wall_thickness);
        // The basin occludes the sky and casts a shadow on the ground beside it.
        float open = 1.0 - 0.45 * exp(-max(near, 0.0) / (0.05 * size));
        vec2 shadow_offset = -sun_direction.xz / sun_direction.y * 0.5 * rim_height;
        float dark = 1.0 - smoothstep(-0.03 * size, 0.03 * size, distance_to_pool(p.xz - shadow_offset, wall_thickness));
        vec3 ground = paving_colour(p.xz, 0.0015 * t / sqrt(-d.y + 0.01));
        float sunny = 1.0 - 0.75 * dark; // shadows of bodies stay inside the basin
        vec3 stone = ground * (vec3(0.36, 0.42, 0.52) * open + 0.72 * sun * sunny);
        c = mix(haze, stone, exp(-t / (8.0 * size)));
    }
    return c;
}
