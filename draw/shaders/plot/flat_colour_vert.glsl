// A mesh pressed flat from above. Eight copies moved by `offset` make its dark edge.
layout(location = 0) in vec3 vertex;
uniform vec4 clip_x, clip_y; // a body's own coordinates to clip space
uniform vec2 offset;

void main()
{
    float angle = 0.785398 * float(gl_InstanceID);
    vec4 v = vec4(vertex, 1.0);
    gl_Position = vec4(vec2(dot(clip_x, v), dot(clip_y, v)) + offset * vec2(cos(angle), sin(angle)), 0.0, 1.0);
}
