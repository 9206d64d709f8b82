// Sky and ground at low quality: computed at the corners of 32 x 18 quads and interpolated.
#include "../common/_light.glsl"
#include "../common/_sky.glsl"
out vec3 shade;

void main()
{
    int quad = gl_VertexID / 6, corner = gl_VertexID - 6 * quad;
    int right = corner == 1 || corner == 2 || corner == 4 ? 1 : 0, up = corner == 2 || corner > 3 ? 1 : 0;
    vec2 ndc = vec2(float(quad % 32 + right) / 32.0, float(quad / 32 + up) / 18.0) * 2.0 - 1.0;
    shade = encode(background(ndc));
    gl_Position = vec4(ndc, 1.0, 1.0);
}
