// Text: at scale 1 the bitmap itself; at larger scales the filtered bitmap with a threshold, which keeps
// straight edges sharp and rounds diagonals. A threshold of 0.42 makes diagonals as dark as vertical strokes.
uniform sampler2D font;
uniform vec3 colour;
uniform float edge_width; // [texels] half a pixel of the image
in vec2 texel;
out vec4 fragment;

void main()
{
    fragment = vec4(colour, smoothstep(0.42 - edge_width, 0.42 + edge_width, texture(font, texel).r));
}
