// A mesh pressed flat from above. Eight copies moved by `spread` make its dark edge.
layout(location = 0) in vec3 vertex;
uniform vec4 across, up; // a body's own coordinates to clip space
uniform vec2 spread;

void main()
{
    float turn = 0.785398 * float(gl_InstanceID);
    vec4 v = vec4(vertex, 1.0);
    gl_Position = vec4(vec2(dot(across, v), dot(up, v)) + spread * vec2(cos(turn), sin(turn)), 0.0, 1.0);
}
