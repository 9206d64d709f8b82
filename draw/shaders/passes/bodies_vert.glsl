// Body meshes, for the passes of opaque bodies and of glass.
#include "../common/_sun.glsl"
uniform mat4 view_projection;
uniform mat4 body_matrix;
layout(location = 0) in vec3 vertex;
layout(location = 1) in vec3 vertex_normal;
out vec3 position;
out vec3 normal;
out vec3 body_position; // [m] in body coordinates
out vec3 sun_position; // position in the shadow map; interpolated over triangles like the map itself

void main()
{
    vec4 p = body_matrix * vec4(vertex, 1.0);
    position = p.xyz;
    body_position = vertex;
    normal = mat3(body_matrix) * vertex_normal;
    sun_position = sun_map_position(position + (0.004 * pool_length) * normal);
    gl_Position = view_projection * p;
}
