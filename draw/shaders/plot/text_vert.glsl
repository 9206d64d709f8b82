// Text: from pixels, counted from the upper left corner, to clip space.
layout(location = 0) in vec4 vertex; // position in the image [pixels], in the font texture [0 .. 1]
uniform vec2 image_size;                  // [pixels]
out vec2 texel;

void main()
{
    texel = vertex.zw;
    gl_Position = vec4(vertex.xy / image_size * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
