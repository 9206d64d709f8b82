// Light, sky and water optics for all passes. Colours are linear; encode() converts them for the screen.
// LOW_QUALITY and TERRAIN (a bed of any height instead of a level floor) are compile-time constants, not
// uniforms, because SIMD drivers execute both sides of a branch.
#include "_sun.glsl"
#include "_noise.glsl"
uniform vec3 camera_position;         // [m]
uniform vec4 pool;        // [m] x0 z0 x1 z1: the inner walls
uniform int sphere_count;   // bodies as spheres, for ambient occlusion and reflections
uniform vec4 spheres[16];   // centre, radius
uniform vec4 sphere_colours[16];
uniform sampler2D surface_texture; // height above the rest level, slopes along x and z, Laplacian
#if TERRAIN
uniform float mean_depth;          // [m] of the water
uniform float shore_height;        // [m] height of the shore at rest
uniform float terrain_relief;      // [m] highest ground above the shore
uniform float contour_frequency;   // [1/m] contour lines per metre of height; 0: none
uniform float contour_phase;       // number of the contour line at y = 0
uniform sampler2D terrain_texture; // depth (dry: below 0), slopes of the bed along x and z, Laplacian
#define WATER_DEPTH mean_depth
const vec3 water_colour = vec3(0.006, 0.095, 0.150); // of deep water
#else
#define WATER_DEPTH rest_level
#endif

// Tone mapping and gamma in one function, x / (x + 0.155). It has no upper limit, needs no pow() and can be
// inverted, which the water needs to read the scene below it.
vec3 encode(vec3 c)
{
    c = max(c, 0.0) * 1.05;
    return min(1.019 * c / (c + 0.155), 1.0);
}
vec3 decode(vec3 c) { return 0.155 / 1.05 * c / (1.019 - c); }

const vec3 sun = vec3(1.0, 0.93, 0.82);
const vec3 haze = vec3(0.33, 0.54, 0.80);

vec3 sky(vec3 d)
{
    // Powers by multiplication, because pow() is slow in software rendering.
    float horizon = 1.0 - max(d.y, 0.0), facing_sun = max(dot(d, sun_direction), 0.0);
    float n4 = facing_sun * facing_sun * facing_sun * facing_sun, n12 = n4 * n4 * n4, n36 = n12 * n12 * n12;
    return mix(vec3(0.07, 0.22, 0.56), haze, horizon * horizon * horizon) + sun * (0.12 * n12 + 0.5 * n36 * n36 * n36 * n36);
}

// The water surface at a point of the plane; the texture has cell centres and covers the pool.
vec4 surface_at(vec2 p) { return texture(surface_texture, (p - pool.xy) / (pool.zw - pool.xy)); }

#if TERRAIN
vec4 terrain_at(vec2 p) { return texture(terrain_texture, (p - pool.xy) / (pool.zw - pool.xy)); }
#endif

bool in_pool(vec2 p) { return all(greaterThan(p, pool.xy)) && all(lessThan(p, pool.zw)); }

// [m] of water above a point. Waves are included only with terrain, where the water has no common level.
float water_above(vec3 p)
{
#if TERRAIN
    return rest_level + surface_at(p.xz).x - p.y;
#else
    return rest_level - p.y;
#endif
}

#include "_caustic.glsl"
#include "_shadow.glsl"

// Ambient occlusion: the approximate fraction of the sky that spheres leave visible. Not at low quality.
float sky_visibility(vec3 p, vec3 n)
{
    float visible = 1.0;
    int count = LOW_QUALITY != 0 ? 0 : sphere_count;
    for (int k = 0; k < count; ++k) {
        vec3 to = spheres[k].xyz - p;
        float d2 = max(dot(to, to), 1e-6), r2 = spheres[k].w * spheres[k].w;
        visible *= 1.0 - 0.7 * max(dot(n, to) * inversesqrt(d2), 0.0) * min(r2 / d2, 1.0);
    }
    return visible;
}

vec3 shade_diffuse(vec3 colour, vec3 p, vec3 n, float open)
{
    vec3 sky_light = mix(vec3(0.30, 0.29, 0.28), vec3(0.42, 0.50, 0.60), 0.5 + 0.5 * n.y) * open;
    return colour * (sky_light + 0.95 * sun * max(dot(n, sun_direction), 0.0) * shadow(p) * caustic(p));
}

// Distance along a ray to the wall or the floor.
float exit_distance(vec3 p, vec3 d)
{
    vec3 low = vec3(pool.x, 0.0, pool.y), high = vec3(pool.z, 1e6, pool.w);
    vec3 safe = mix(vec3(1e-5), d, greaterThan(abs(d), vec3(1e-5)));
    vec3 t = (mix(low, high, greaterThan(safe, vec3(0.0))) - p) / safe;
    return max(min(t.x, min(t.y, t.z)), 0.0);
}

// Absorption by the Beer-Lambert law. Lengths are measured in depths of the pool, so that tanks and lakes
// look alike.
vec3 absorb_in_water(vec3 behind, float path)
{
#if TERRAIN
    vec3 kept = exp(-path / WATER_DEPTH * vec3(1.30, 0.42, 0.32)); // stronger than in a pool, to show depth
    return behind * kept + water_colour * (1.0 - kept);
#else
    float t = path / max(rest_level, 1e-3);
    vec3 kept = exp(-t * vec3(0.70, 0.20, 0.13));
    return behind * kept + vec3(0.008, 0.13, 0.20) * (1.0 - kept);
#endif
}

// At low quality there is no copy of the scene for the water pass, so points under water are tinted here. `d`
// [m]: depth of the point.
vec3 tint_by_depth(vec3 c, vec3 p, float d)
{
    if (LOW_QUALITY == 0 || d <= 0.0 || !in_pool(mix(p.xz, 0.5 * (pool.xy + pool.zw), 1e-3))) return c;
    vec3 ray = normalize(camera_position - p);
    return absorb_in_water(c, min(exit_distance(p, ray), d / max(ray.y, 1e-3)));
}
vec3 tint_by_water(vec3 c, vec3 p) { return tint_by_depth(c, p, water_above(p)); }
