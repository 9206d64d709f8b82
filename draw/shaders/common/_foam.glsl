// Foam on the water, from the map that foam.c fills.
uniform sampler2D foam_map; // 0 .. 1 of a cell

const vec3 foam_white = vec3(0.86, 0.90, 0.91);

// Distance to the nearest of points strewn one to a square, in squares [worley1996]
float bubbles(vec2 p)
{
    vec2 i = floor(p), f = p - i;
    float nearest = 2.0;
    for (int k = 0; k < 9; ++k) {
        vec2 o = vec2(k % 3 - 1, k / 3 - 1), at = i + o;
        vec2 d = o + 0.1 + 0.8 * vec2(hash21(at), hash21(at.yx + 17.3)) - f;
        nearest = min(nearest, dot(d, d));
    }
    return sqrt(nearest);
}

// Part of a pixel that is white: a lace of bubbles where there is little, closed where there is much.
float foam_at(vec2 p)
{
    float much = texture(foam_map, (p - pool.xy) / (pool.zw - pool.xy)).x;
#if FAST
    return 0.8 * smoothstep(0.1, 0.8, much);
#else
    if (much < 0.02) return 0.0;
    vec2 q = p / level.w * 70.0;
    float lace = smoothstep(0.2, 0.8, bubbles(q)) * 0.6 + smoothstep(0.2, 0.8, bubbles(q * 2.7 + 5.0)) * 0.4;
    float cover = 1.15 * much + 0.8 * lace - 0.75 + 0.3 * noise(q * 0.3);
    return 0.86 * smoothstep(0.0, 0.8, cover) * smoothstep(0.02, 0.25, much);
#endif
}
