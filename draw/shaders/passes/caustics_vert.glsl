// A grid of sun rays, refracted at the water surface and traced to the bed. Both ends of a ray are expressed
// by the point where a ray through still water would enter, so that the caustic texture is aligned with the
// surface and still water gives the identity.
#include "../common/_sun.glsl"
uniform vec4 pool;     // [m] x0 z0 x1 z1: the inner walls
uniform ivec2 cells;   // of the ray grid
uniform sampler2D surface_texture; // height above the rest level, slopes along x and z, Laplacian; not finer than the ray grid
uniform vec2 used_fraction;         // fraction of the texture that the pool fills
#if TERRAIN
uniform sampler2D terrain_texture; // depth (dry: below 0), slopes of the bed along x and z, Laplacian
#endif
out vec2 entered;      // 0 .. 1 inside the pool

// Cubic B-spline over 4 x 4 texels by four linear samples [sigg2005]; linear interpolation would show the
// cells.
vec4 smooth_surface(vec2 uv)
{
    vec2 size = vec2(textureSize(surface_texture, 0)), texel = uv * size - 0.5, i = floor(texel), t = texel - i, s = 1.0 - t;
    vec2 w0 = s * s * s / 6.0, w1 = 2.0 / 3.0 - 0.5 * t * t * (2.0 - t), w3 = t * t * t / 6.0;
    vec2 w2 = 1.0 - w0 - w1 - w3, low_weight = w0 + w1, high_weight = w2 + w3;
    vec2 a = (i - 0.5 + w1 / low_weight) / size, b = (i + 1.5 + w3 / high_weight) / size;
    return low_weight.y * (low_weight.x * textureLod(surface_texture, a, 0.0) + high_weight.x * textureLod(surface_texture, vec2(b.x, a.y), 0.0)) +
           high_weight.y * (low_weight.x * textureLod(surface_texture, vec2(a.x, b.y), 0.0) + high_weight.x * textureLod(surface_texture, b, 0.0));
}

void main()
{
    int columns = cells.x + 1;
    // The grid has a margin beyond the walls: rays that leave the pool are replaced by rays that enter it.
    entered = vec2(gl_VertexID % columns, gl_VertexID / columns) / vec2(cells) * 1.2 - 0.1;
    vec4 s = smooth_surface(entered * used_fraction);
#if TERRAIN
    float depth = max(textureLod(terrain_texture, entered, 0.0).x, 0.0);
#else
    float depth = max(rest_level + s.x, 0.0);
#endif
    vec3 ray = refract(-sun_direction, normalize(vec3(-s.y, 1.0, -s.z)), 0.75);
    vec2 arrived = entered + (refraction - ray.xz / ray.y) * depth / (pool.zw - pool.xy);
    gl_Position = vec4(2.0 * arrived - 1.0, 0.0, 1.0);
}
