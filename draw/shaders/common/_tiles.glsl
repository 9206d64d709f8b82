// Tiles with grout on a wall or the floor, antialiased at any distance.

// `pixel` [m]: distance of neighbouring pixels
vec3 tile_colour(vec2 p, vec2 pixel, float size)
{
    vec2 q = p / size, w = max(pixel / size, vec2(1e-4));
    vec2 edge = abs(fract(q - 0.5) - 0.5);
    vec2 line = 1.0 - smoothstep(vec2(0.025) - 0.5 * w, vec2(0.025) + w, edge);
    float far = clamp(max(w.x, w.y) * 2.0 - 0.3, 0.0, 1.0);
    float grout = mix(max(line.x, line.y), 0.1, far);
    float shade = LOW_QUALITY != 0 ? 0.5 : mix(hash21(floor(q)), 0.5, far);
    vec3 tile = mix(vec3(0.26, 0.47, 0.56), vec3(0.36, 0.57, 0.64), shade);
    return mix(tile, vec3(0.72, 0.78, 0.78), grout * 0.85);
}

// 24 tiles along the longer side of the pool.
float tile_size(float pool_size) { return pool_size / 24.0; }
