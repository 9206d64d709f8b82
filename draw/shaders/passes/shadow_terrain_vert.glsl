// Terrain in the shadow map: a coarse grid computed from gl_VertexID.
#include "../common/_sun.glsl"
uniform highp sampler2D height_texture; // [m] nearest
uniform ivec4 grid;              // nx nz, vertices along x and z
uniform int stride;              // columns per vertex
uniform vec4 grid_origin;              // [m] x0 z0 of cell (0, 0); z: cell size

void main()
{
    int q = gl_VertexID / 6, c = gl_VertexID % 6, k = c < 3 ? c : (c == 3 ? 2 : (c == 4 ? 1 : 3));
    ivec2 v = ivec2(q % (grid.z - 1), q / (grid.z - 1)) + ivec2(k & 1, k >> 1);
    ivec2 cell = min(v * stride, grid.xy - 1);
    vec2 p = grid_origin.xy + vec2(cell) * grid_origin.z;
    gl_Position = vec4(2.0 * sun_map_position(vec3(p.x, texelFetch(height_texture, cell, 0).x, p.y)) - 1.0, 1.0);
}
