// Percentage-closer soft shadows: the fraction of sunlight that arrives. The penumbra grows with the
// blocker's distance.
uniform highp sampler2DShadow shadow_map; // with comparison and linear filtering
uniform highp sampler2D blocker_map;      // the same texture as plain depths

#if LOW_QUALITY
float shadow_in(vec3 q) { return texture(shadow_map, q); }
#else
// Vogel's sunflower pattern on a disc: radius sqrt((k + 0.5) / 12), angle k golden angles [vogel1979]
const vec2 disc[12] = vec2[12](vec2(0.204, 0.0), vec2(-0.261, 0.239), vec2(0.040, -0.455), vec2(0.329, 0.429),
                               vec2(-0.603, -0.107), vec2(0.571, -0.363), vec2(-0.191, 0.711), vec2(-0.362, -0.702),
                               vec2(0.788, 0.289), vec2(-0.823, 0.341), vec2(0.395, -0.848), vec2(0.288, 0.936));

float shadow_in(vec3 q)
{
    float max_width = 0.008 * pool_length, blockers = 0.0, sum = 0.0; // [m] max_width: of the penumbra
    vec2 texel = 1.0 / vec2(textureSize(blocker_map, 0)), search_radius = max_width * sun_map_rect.zw;
    for (int k = 0; k < 12; k += 2) {
        float d = textureLod(blocker_map, q.xy + disc[k] * search_radius * 1.3, 0.0).x;
        if (d < q.z) blockers += 1.0, sum += d;
    }
    if (blockers == 0.0) return 1.0;
    float blocker_height = (sum / blockers - q.z) / sun_map_depth.x; // [m]
    vec2 radius = clamp(0.03 * blocker_height, 0.0, max_width) * sun_map_rect.zw + 1.2 * texel;
    float lit_sum = 0.0;
    for (int k = 0; k < 12; ++k) lit_sum += texture(shadow_map, vec3(q.xy + disc[k] * radius, q.z));
    return lit_sum / 12.0;
}
#endif

// `q`: a point from sun_map_position()
float shadow_at(vec3 q)
{
    vec2 edge = min(q.xy, 1.0 - q.xy);
    return min(edge.x, edge.y) <= 0.0 ? 1.0 : shadow_in(q);
}

float shadow(vec3 p)
{
#if TERRAIN
    p.y += 0.006 * pool_length; // bias, so that the coarse terrain of the map does not shade the visible one
#endif
    return shadow_at(sun_map_position(p));
}
