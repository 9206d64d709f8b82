// Sky and ground, worked out for every pixel.
#include "../common/_light.glsl"
#include "../common/_sky.glsl"
in vec2 place;
out vec4 colour;

void main() { colour = vec4(encode(background(place)), 1.0); }
