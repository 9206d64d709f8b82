// Value noise; drivers agree to within a few colour steps.

float hash21(vec2 p)
{
    return fract(fract(p.x * 0.61803) * fract(p.y * 0.75488 + 0.3 * p.x) * 91.7 + 0.37 * p.y);
}

// -0.5 .. 0.5
float noise(vec2 p)
{
    vec2 i = floor(p), f = p - i, w = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash21(i), hash21(i + vec2(1.0, 0.0)), w.x),
               mix(hash21(i + vec2(0.0, 1.0)), hash21(i + vec2(1.0, 1.0)), w.x), w.y) - 0.5;
}
