// Meshes in their pose.
#include "../common/_sun.glsl"
uniform mat4 view_projection;
uniform mat4 body_matrix;
layout(location = 0) in vec3 vertex;
layout(location = 1) in vec3 vertex_normal;
out vec3 position;
out vec3 normal;
out vec3 body_position; // [m] in the body's axes
out vec3 sun_position; // told by corners, as the map of shadows is: it bends at the water alike

void main()
{
    vec4 p = body_matrix * vec4(vertex, 1.0);
    position = p.xyz;
    body_position = vertex;
    normal = mat3(body_matrix) * vertex_normal;
    sun_position = sun_map_position(position + (0.004 * pool_length) * normal);
    gl_Position = view_projection * p;
}
