// A height field as a block: its surface and its sides down to a bottom, for the water and the terrain.
// Vertices are computed from gl_VertexID, without a vertex buffer. They lie at cell centres; the outermost
// ring is moved to the walls.
uniform mat4 view_projection;
uniform highp sampler2D height_texture;    // [m] nearest
#if TERRAIN
uniform highp sampler2D bottom_texture; // [m]
uniform int has_bottom_texture;             // 0: the bottom is level at bottom_height
#endif
uniform float bottom_height;          // [m]
uniform ivec4 grid;                 // nx nz, vertices along x and z
uniform int stride;                 // columns per vertex
uniform vec4 grid_origin;                 // [m] x0 z0 of cell (0, 0); z: cell size
uniform vec4 walls;                 // [m] x0 z0 x1 z1
out vec3 position;
out float depth;     // [m] from top to bottom
out float below_top;     // [m] depth below the top
flat out vec3 side;  // normal of a side; zero on the surface

ivec2 cell(ivec2 v) { return clamp((v - 1) * stride, ivec2(0), grid.xy - 1); }
float top(ivec2 v) { return texelFetch(height_texture, cell(v), 0).x; }
#if TERRAIN
float bottom(ivec2 v) { return has_bottom_texture != 0 ? texelFetch(bottom_texture, cell(v), 0).x : bottom_height; }
// Water and bed use the same diagonals, so that they intersect in one line per triangle.
float fold(ivec2 v) { return has_bottom_texture != 0 ? bottom(v) : top(v); }
#else
float bottom(ivec2 v) { return bottom_height; }
float fold(ivec2 v) { return top(v); }
#endif

vec2 plane(ivec2 v)
{
    vec2 p = grid_origin.xy + vec2(cell(v)) * grid_origin.z;
    if (v.x == 0) p.x = walls.x;
    if (v.y == 0) p.y = walls.y;
    if (v.x == grid.z - 1) p.x = walls.z;
    if (v.y == grid.w - 1) p.y = walls.w;
    return p;
}

void main()
{
    ivec2 quads = grid.zw - 1;
    int surface = 6 * quads.x * quads.y;
    ivec2 v;
    bool low = false;
    side = vec3(0.0);
    if (gl_VertexID < surface) {
        int q = gl_VertexID / 6, c = gl_VertexID % 6;
        v = ivec2(q % quads.x, q / quads.x);
        // The diagonal connects the higher pair of corners, so that crests are not jagged.
        bool main_up = fold(v) + fold(v + 1) > fold(v + ivec2(1, 0)) + fold(v + ivec2(0, 1));
        // Triangles a b c and c b d; b-c is the diagonal.
        int k = c < 3 ? c : (c == 3 ? 2 : (c == 4 ? 1 : 3));
        ivec2 o = ivec2(k & 1, k >> 1);
        if (main_up) o.x = 1 - o.x;
        v += o;
    } else {
        int n = gl_VertexID - surface;
        int q = n / 6, c = n % 6;
        int k = c < 3 ? c : (c == 3 ? 2 : (c == 4 ? 1 : 3));
        int along = k & 1;
        low = k >= 2;
        if (q < 2 * quads.x) {
            bool far = q >= quads.x;
            v = ivec2((far ? q - quads.x : q) + along, far ? grid.w - 1 : 0);
            side = vec3(0.0, 0.0, far ? 1.0 : -1.0);
        } else {
            q -= 2 * quads.x;
            bool far = q >= quads.y;
            v = ivec2(far ? grid.z - 1 : 0, (far ? q - quads.y : q) + along);
            side = vec3(far ? 1.0 : -1.0, 0.0, 0.0);
        }
    }
    vec2 p = plane(v);
    float t = top(v), b = bottom(v);
    depth = t - b;
#if TERRAIN
    position = vec3(p.x, low ? b : t, p.y); // a side without water is inverted, and discarded for its negative depth
#else
    position = vec3(p.x, low ? min(t, b) : t, p.y);
#endif
    below_top = t - position.y;
    gl_Position = view_projection * vec4(position, 1.0);
}
