// Sunlight focused by waves on points under water, from the texture that caustics.c draws.
uniform sampler2D caustic_texture; // a quarter of the intensity, at the point where a ray through still water enters

float caustic(vec3 p)
{
    float d = water_above(p);
    if (d <= 0.0 || !in_pool(p.xz)) return 1.0;
    vec2 uv = (p.xz + refraction * d - pool.xy) / (pool.zw - pool.xy);
    float gathered = 4.0 * textureLod(caustic_texture, uv, float(1 - LOW_QUALITY)).x;
    // Fade in below the surface, and out where the light would have come through a wall.
    vec2 inside = min(uv, 1.0 - uv) / 0.04;
    float part = smoothstep(0.0, 0.6, d / WATER_DEPTH) * smoothstep(0.0, 1.0, min(inside.x, inside.y));
    return mix(1.0, gathered, part);
}
