// Text: the bitmap itself at scale 1. Larger, the filtered bitmap is cut: straight edges stay edge_width, steps of
// diagonals are rounded. Cut a little below one half, diagonals are as dark as upright strokes.
uniform sampler2D font;
uniform vec3 colour;
uniform float edge_width; // half a pixel of the picture [texels]
in vec2 texel;
out vec4 fragment;

void main()
{
    fragment = vec4(colour, smoothstep(0.42 - edge_width, 0.42 + edge_width, texture(font, texel).r));
}
