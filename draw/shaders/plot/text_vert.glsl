// Text: pixels from the upper left corner to clip space.
layout(location = 0) in vec4 vertex; // in the picture [pixels], in the font [0 .. 1]
uniform vec2 image_size;                  // of the picture [pixels]
out vec2 texel;

void main()
{
    texel = vertex.zw;
    gl_Position = vec4(vertex.xy / image_size * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
