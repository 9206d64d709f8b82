// Ground given as heights: sand, lit, with a hint of layers where it is cut.
#include "_light.glsl"
uniform highp sampler2D top_map;
in vec3 at;
in float depth;
flat in vec3 side;
out vec4 colour;

void main()
{
    vec3 n = normalize(cross(dFdy(at), dFdx(at)));
    if (n.y < 0.0) n = -n;
    if (dot(side, side) > 0.5) n = side;
    float damp = smoothstep(0.02, -0.02, (at.y - level.x) / level.w * 4.0);
    vec3 sand = mix(vec3(0.80, 0.68, 0.47), vec3(0.60, 0.50, 0.35), damp);
    if (dot(side, side) > 0.5) sand *= 0.8 + 0.06 * sin(at.y / level.w * 300.0);
    colour = vec4(encode(wet(lit(sand, at, n, hidden(at, n)), at)), 1.0);
}
