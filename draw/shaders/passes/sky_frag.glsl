// Sky and ground, computed per pixel.
#include "../common/_light.glsl"
#include "../common/_sky.glsl"
in vec2 ndc;
out vec4 colour;

void main() { colour = vec4(encode(background(ndc)), 1.0); }
