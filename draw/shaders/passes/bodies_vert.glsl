// Meshes in their pose.
#include "../common/_sun.glsl"
uniform mat4 camera;
uniform mat4 pose;
layout(location = 0) in vec3 vertex;
layout(location = 1) in vec3 vertex_normal;
out vec3 at;
out vec3 normal;
out vec3 own; // [m] in the body's axes
out vec3 sun_at; // told by corners, as the map of shadows is: it bends at the water alike

void main()
{
    vec4 p = pose * vec4(vertex, 1.0);
    at = p.xyz;
    own = vertex;
    normal = mat3(pose) * vertex_normal;
    sun_at = in_sun(at + (0.004 * level.w) * normal);
    gl_Position = camera * p;
}
