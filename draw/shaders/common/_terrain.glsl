// Colours of terrain: sand at the shore, grass above it, rock where it is steep or high, contour lines.

// Noise in -0.5 .. 0.5 that breaks up the edges of colour zones.
float patch_noise(vec2 p)
{
    vec2 q = p / pool_length;
    return LOW_QUALITY != 0 ? 0.0 : 0.7 * noise(q * 24.0) + 0.3 * noise(q * 110.0);
}

// Fraction of a pixel that a contour line covers. `y` [m]: height; `pixel` [m]: its change between
// neighbouring pixels.
float contour_coverage(float y, float pixel)
{
    float line_number = y * contour_frequency + contour_phase, width = max(pixel * contour_frequency, 1e-6), nearest = round(line_number);
    float fifth = abs(nearest - 5.0 * round(nearest / 5.0)) < 0.5 ? 1.0 : 0.0;
    float line = 1.0 - smoothstep(0.3 + 0.4 * fifth, 1.1 + 0.5 * fifth, abs(line_number - nearest) / width);
    return contour_frequency > 0.0 ? line * (1.0 - smoothstep(0.25, 0.5, width)) * (0.65 + 0.25 * fifth) : 0.0;
}

// Dry ground at a point with normal n.
vec3 ground_colour(vec3 p, vec3 n)
{
    float rough = patch_noise(p.xz), relative_height = (p.y - shore_height) / terrain_relief + 0.10 * rough;
    vec3 sand = vec3(0.52, 0.42, 0.26) * (1.0 + 0.12 * rough);
    vec3 grass = mix(vec3(0.085, 0.145, 0.030), vec3(0.20, 0.22, 0.065), clamp(0.5 + 1.3 * rough, 0.0, 1.0));
    vec3 rock = mix(vec3(0.17, 0.155, 0.135), vec3(0.36, 0.345, 0.32), smoothstep(0.3, 1.0, relative_height));
    rock *= 1.0 + 0.3 * rough;
    vec3 c = mix(sand, grass, smoothstep(0.10, 0.24, relative_height));
    c = mix(c, rock, smoothstep(0.60, 0.85, relative_height));
    return mix(c, rock, smoothstep(0.15, 0.32, 1.0 - n.y + 0.05 * rough));
}

// The cut side of the terrain block, `under` [m] below its upper edge: layers of soil with stones.
vec3 cut_side_colour(vec3 p, vec3 side, float under)
{
    vec2 q = vec2(dot(p.xz, abs(side.zx)), p.y) / pool_length;
    float depth = under / pool_length;
    float layer = 60.0 * (q.y + 0.010 * noise(vec2(q.x * 6.0, 3.0)) + 0.003 * noise(vec2(q.x * 27.0, 7.0)));
    float k = floor(layer), blend = smoothstep(0.75, 1.0, layer - k);
    float shade = mix(hash21(vec2(k, 4.0)), hash21(vec2(k + 1.0, 4.0)), blend);
    float grain = LOW_QUALITY != 0 ? 0.0 : 0.35 * noise(q * 330.0) + 0.35 * noise(q * vec2(90.0, 140.0));
    float stone = LOW_QUALITY != 0 ? 0.0 : smoothstep(0.34, 0.40, noise(q * vec2(52.0, 80.0) + vec2(k * 3.7, 0.0)));
    vec3 c = mix(vec3(0.115, 0.075, 0.045), vec3(0.255, 0.185, 0.115), clamp(0.15 + 0.7 * shade + grain, 0.0, 1.0));
    c = mix(c, vec3(0.27, 0.25, 0.22) * (1.0 + grain), 0.8 * stone);
    return mix(vec3(0.06, 0.045, 0.026), c, smoothstep(0.003, 0.010, depth)); // humus on top
}
