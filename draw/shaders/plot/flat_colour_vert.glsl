// A mesh projected to the plane. Eight instances shifted by `offset` make its outline.
layout(location = 0) in vec3 vertex;
uniform vec4 clip_x, clip_y; // rows of the matrix from body coordinates to clip space
uniform vec2 offset;

void main()
{
    float angle = 0.785398 * float(gl_InstanceID);
    vec4 v = vec4(vertex, 1.0);
    gl_Position = vec4(vec2(dot(clip_x, v), dot(clip_y, v)) + offset * vec2(cos(angle), sin(angle)), 0.0, 1.0);
}
