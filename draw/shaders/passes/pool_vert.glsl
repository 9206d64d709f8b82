// A box of the basin: 36 vertices computed from gl_VertexID.
uniform mat4 view_projection;
uniform vec3 low, high; // [m] corners of the box
out vec3 position;
flat out vec3 normal;

void main()
{
    int face = gl_VertexID / 6, corner = gl_VertexID % 6;
    int axis = face / 2;
    bool top = face % 2 == 1;
    // Corners 0 1 2 and 2 1 3 of the face, reversed on the low side to keep the winding counterclockwise.
    int k = corner < 3 ? corner : (corner == 3 ? 2 : (corner == 4 ? 1 : 3));
    bool first = (k & 1) != 0, second = (k & 2) != 0;
    if (!top) {
        bool swap = first;
        first = second;
        second = swap;
    }
    vec3 t = vec3(0.0);
    t[axis] = top ? 1.0 : 0.0;
    t[(axis + 1) % 3] = first ? 1.0 : 0.0;
    t[(axis + 2) % 3] = second ? 1.0 : 0.0;
    normal = vec3(0.0);
    normal[axis] = top ? 1.0 : -1.0;
    position = mix(low, high, t);
    gl_Position = view_projection * vec4(position, 1.0);
}
