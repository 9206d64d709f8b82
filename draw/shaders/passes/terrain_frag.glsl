// The terrain block: the bed, wet in and near the water, and the cut sides.
#include "../common/_light.glsl"
#include "../common/_terrain.glsl"
in vec3 position;
in float below_top;
flat in vec3 side;
out vec4 colour;

void main()
{
    float rise = fwidth(position.y); // before any branch
    if (dot(side, side) > 0.5) {
        colour = vec4(encode(cut_side_colour(position, side, below_top) * (0.40 + 0.95 * max(dot(side, sun_direction), 0.0))), 1.0);
        return;
    }
    vec4 m = terrain_at(position.xz);
    vec3 n = normalize(vec3(-m.y, 1.0, -m.z));
    vec3 c = ground_colour(position, n);
    float water = m.x / mean_depth, texel = max(fwidth(water), 1e-4), deep = smoothstep(-0.02, 0.12, water);
    c = mix(c, vec3(0.62, 0.55, 0.38) * (0.55 + 0.45 * n.y), 0.8 * deep); // pale under water, to show depth
    // Wet ground beside and in shallow water is dark and reflects the sky. Bands narrower than a pixel fade
    // out.
    float damp = smoothstep(-0.12 - texel, 0.01, water) * (1.0 - smoothstep(0.02, 0.30 + texel, water));
    damp *= min(0.12 / texel, 1.0);
    c *= 1.0 - damp * vec3(0.38, 0.42, 0.47);
    float line = contour_coverage(position.y, rise);
    c = mix(c, m.x > 0.0 ? vec3(0.95, 0.97, 0.90) : vec3(0.10, 0.07, 0.04), line * (m.x > 0.0 ? 0.6 : 0.8));
    // Concave ground receives less light from the sky.
    float open = clamp(1.0 - 0.012 * m.w * pool_length, 0.7, 1.15);
    c = shade_diffuse(c, position, n, open);
    vec3 ray = normalize(position - camera_position);
    float grazing = 1.0 + dot(ray, n);
    if (m.x <= 0.0) c += damp * 0.5 * grazing * grazing * grazing * sky(reflect(ray, n));
    colour = vec4(encode(tint_by_depth(c, position, m.x)), 1.0);
}
