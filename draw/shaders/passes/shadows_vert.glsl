// Bodies in the shadow map.
#include "../common/_sun.glsl"
uniform mat4 body_matrix;
layout(location = 0) in vec3 vertex;

void main() { gl_Position = vec4(2.0 * sun_map_position((body_matrix * vec4(vertex, 1.0)).xyz) - 1.0, 1.0); }
