// The water surface: reflected sky and refracted scene weighted by Fresnel's equations (Schlick), and sun
// glitter.
#include "../common/_light.glsl"
#include "../common/_foam.glsl"
#if TERRAIN
#include "../common/_terrain.glsl"
#endif
uniform highp sampler2D refraction_depth;
uniform sampler2D refraction_colour;
uniform mat4 inverse_view_projection;
uniform mat4 view_projection;
uniform vec2 image_size;      // [pixels]
in vec3 position;
in float depth;
in float below_top;
flat in vec3 side;
out vec4 colour;

vec3 scene_position(vec2 uv)
{
    vec4 p = inverse_view_projection * vec4(2.0 * vec3(uv, texture(refraction_depth, uv).x) - 1.0, 1.0);
    return p.xyz / p.w;
}

// The colour that a reflected ray meets: bodies as spheres, otherwise the sky.
vec3 reflected_colour(vec3 p, vec3 d)
{
    vec3 c = sky(d);
    float nearest = 1e9;
    for (int k = 0; k < sphere_count; ++k) {
        vec3 to = p - spheres[k].xyz;
        float b = dot(to, d), r = spheres[k].w, h = b * b - dot(to, to) + r * r;
        if (h < 0.0 || dot(to, to) < r * r) continue;
        float t = -b - sqrt(h);
        if (t < 0.0 || t > nearest) continue;
        nearest = t;
        vec3 n = (to + t * d) / r;
        vec3 sphere_colour = sphere_colours[k].rgb * (0.45 + 0.1 * n.y + 0.9 * sun * max(dot(n, sun_direction), 0.0));
        c = mix(c, sphere_colour, smoothstep(0.0, 0.3 * r * r, h));
    }
    return c;
}

#if TERRAIN
// Fraction of light absorbed on the path to a far side, if the ray leaves the water without meeting the bed.
float side_absorption(vec3 ray)
{
    float path = exit_distance(position, ray);
    vec3 p = position + path * ray;
    float over = terrain_at(p.xz).x - water_above(p); // [m] p above the ground
    return (1.0 - exp(-0.8 * path / WATER_DEPTH)) * step(0.0, over);
}
#endif

void main()
{
    bool cut = dot(side, side) > 0.5;
#if TERRAIN
    float water_depth = cut ? depth : terrain_at(position.xz).x;
    // Opacity of the water: films fade out, which also smooths the shoreline.
    float visibility = smoothstep(0.0, 1.0, water_depth / max(0.02 * WATER_DEPTH, fwidth(water_depth)));
    // The edges of the block of water are highlighted like those of glass.
    vec2 inward = min(position.xz - pool.xy, pool.zw - position.xz);
    float edge = min(inward.x, inward.y), border = 1.0 - smoothstep(0.5, 2.0, edge / max(fwidth(edge), 1e-6));
    if (water_depth <= 0.0) discard;
#else
    if (depth <= 2e-4 * pool_length) discard; // rounding errors at a dry shore
#endif
    vec3 ray = normalize(position - camera_position);
    if (cut && dot(side, ray) > 0.0) discard; // far side: the wall is visible there
    vec4 s = surface_at(position.xz);
    vec3 n = cut ? side : normalize(vec3(-s.y, 1.0, -s.z));
    if (dot(n, ray) > -0.02) n = normalize(n - ray * (dot(n, ray) + 0.02));
    float cos_view = clamp(-dot(n, ray), 0.0, 1.0);
    float m = 1.0 - cos_view, fresnel = 0.02 + 0.98 * m * m * m * m * m; // [schlick1994]
    vec3 mirrored = reflect(ray, n);
    mirrored.y = abs(mirrored.y);
    vec3 reflected = reflected_colour(position, normalize(mirrored));
    float sunlit = shadow(position);
    float shine = pow(max(dot(n, normalize(sun_direction - ray)), 0.0), 150.0), s3 = shine * shine * shine;
    float glitter = cut ? 0.0 : (1.8 * s3 * s3 * shine + 0.05 * shine) * sunlit;
    if (cut) fresnel = 0.04;
    vec3 refracted = refract(ray, n, 0.75);
    if (LOW_QUALITY != 0) {
        // The scene below is already tinted. Without refraction, shading makes slopes visible.
        float shade = cut ? 0.0 : clamp(1.2 * dot(n.xz, normalize(sun_direction.xz)), -0.3, 0.3);
        float part = cut ? 0.1 : fresnel + abs(shade);
        vec3 c = mix(shade > 0.0 ? haze : vec3(0.0, 0.06, 0.12), reflected, fresnel / part);
        if (cut) c = vec3(0.02, 0.22, 0.30);
        if (cut) c += 4.0 * (1.0 - smoothstep(0.5, 2.0, below_top / max(fwidth(below_top), 1e-6)));
        colour = vec4(encode(c) * part + encode(sun * glitter), part);
#if TERRAIN
        float lost = (1.0 - colour.a) * side_absorption(ray);
        colour += vec4(encode(water_colour) * lost, lost);
#endif
        if (!cut) colour = mix(colour, vec4(encode(foam_white * (0.45 + 0.55 * sunlit)), 1.0), foam_cover(position.xz));
#if TERRAIN
        colour *= visibility;
#endif
        return;
    }
    vec2 uv = gl_FragCoord.xy / image_size;
    vec3 behind = scene_position(uv);
    if (!cut) {
        // Project the end of the refracted ray; `reach` limits the offset for distant points.
        float reach = min(exit_distance(position, refracted), 1.5 * distance(behind, position));
#if TERRAIN
        reach = min(reach, 2.0 * water_depth); // longer offsets would tear the image in shallow water
#endif
        vec3 flat_refracted = refract(ray, vec3(0.0, 1.0, 0.0), 0.75);
        vec3 aim = position + reach * (refracted - flat_refracted) + (behind - position);
        vec4 q = view_projection * vec4(aim, 1.0);
        vec2 refracted_uv = q.xy / q.w * 0.5 + 0.5;
        vec3 seen = scene_position(clamp(refracted_uv, vec2(0.002), vec2(0.998)));
        // Reject points in front of the water and outside the pool.
#if TERRAIN
        bool under_water = terrain_at(seen.xz).x > 0.0 && water_above(seen) > -0.02 * WATER_DEPTH;
#else
        bool under_water = seen.y < position.y + 0.02 * rest_level;
#endif
        bool is_below_water = under_water && distance(camera_position, seen) > distance(camera_position, position)
                    && in_pool(mix(seen.xz, 0.5 * (pool.xy + pool.zw), 0.01));
        if (is_below_water) {
            uv = clamp(refracted_uv, vec2(0.002), vec2(0.998));
            behind = seen;
        }
    }
    float path = min(distance(behind, position), exit_distance(position, ray));
    vec3 below = decode(texture(refraction_colour, uv).rgb);
#if TERRAIN
    // A pixel of something in front of the water: use the colour of sand instead.
    if (distance(camera_position, behind) < 0.998 * distance(camera_position, position)) {
        below = vec3(0.55, 0.52, 0.42);
        path = min(water_depth / max(-ray.y, 0.05), exit_distance(position, ray));
    }
#endif
#if TERRAIN
    if (!cut) path = max(path, 0.35 * water_depth); // a minimum path, so that water is visible at a far side too
#endif
    // In shadow the water scatters less light; the scene below has its own shadows.
    vec3 transmitted = absorb_in_water(below, path) - 0.55 * (1.0 - sunlit) * absorb_in_water(vec3(0.0), path);
    vec3 c = mix(transmitted, reflected, fresnel) + sun * glitter;
    // Light scattered inside crests makes the relief visible from every side.
#if TERRAIN
    if (!cut) c *= clamp(1.0 + 0.9 * dot(n.xz, normalize(sun_direction.xz)), 0.7, 1.4);
#else
    if (!cut) c += vec3(0.0, 0.045, 0.05) * clamp(s.x / rest_level * 4.0, -0.6, 1.5) * sunlit;
#endif
    // Foam is diffuse.
    if (!cut) c = mix(c, foam_white * (0.48 + 0.60 * sunlit * (0.5 + 0.5 * dot(n, sun_direction))), foam_cover(position.xz));
    if (cut) {
        // The cut side is tinted blue, with a bright line at the surface.
        c = mix(c, vec3(0.02, 0.22, 0.30), 0.22);
        c += vec3(0.30, 0.36, 0.38) * (1.0 - smoothstep(0.5, 2.0, below_top / max(fwidth(below_top), 1e-6)));
    }
#if TERRAIN
    if (!cut) c += vec3(0.22, 0.27, 0.29) * border;
    c = mix(decode(texture(refraction_colour, gl_FragCoord.xy / image_size).rgb), c, visibility);
#endif
    colour = vec4(encode(c), 1.0);
}
