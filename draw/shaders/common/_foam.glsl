// Foam on the water surface, from the texture that foam.c fills.
uniform sampler2D foam_texture; // foam cover of a cell, 0 .. 1

const vec3 foam_white = vec3(0.86, 0.90, 0.91);

// Distance to the nearest of random points, one per unit square [worley1996]
float bubble_distance(vec2 p)
{
    vec2 i = floor(p), f = p - i;
    float nearest = 2.0;
    for (int k = 0; k < 9; ++k) {
        vec2 o = vec2(k % 3 - 1, k / 3 - 1), cell = i + o;
        vec2 d = o + 0.1 + 0.8 * vec2(hash21(cell), hash21(cell.yx + 17.3)) - f;
        nearest = min(nearest, dot(d, d));
    }
    return sqrt(nearest);
}

// Opacity of the foam: separate bubbles at a low cover, closed at a high one.
float foam_cover(vec2 p)
{
    float cover = texture(foam_texture, (p - pool.xy) / (pool.zw - pool.xy)).x;
#if LOW_QUALITY
    return 0.8 * smoothstep(0.1, 0.8, cover);
#else
    if (cover < 0.02) return 0.0;
    vec2 q = p / pool_length * 70.0;
    float lace = smoothstep(0.2, 0.8, bubble_distance(q)) * 0.6 + smoothstep(0.2, 0.8, bubble_distance(q * 2.7 + 5.0)) * 0.4;
    float white = 1.15 * cover + 0.8 * lace - 0.75 + 0.3 * noise(q * 0.3);
    return 0.86 * smoothstep(0.0, 0.8, white) * smoothstep(0.02, 0.25, cover);
#endif
}
