// Meshes in their pose.
uniform mat4 camera;
uniform mat4 pose;
layout(location = 0) in vec3 vertex;
layout(location = 1) in vec3 vertex_normal;
out vec3 at;
out vec3 normal;

void main()
{
    vec4 p = pose * vec4(vertex, 1.0);
    at = p.xyz;
    normal = mat3(pose) * vertex_normal;
    gl_Position = camera * p;
}
