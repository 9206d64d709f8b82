// Text: pixels from the upper left corner to clip space.
layout(location = 0) in vec4 place; // in the picture [pixels], in the font [0 .. 1]
uniform vec2 size;                  // of the picture [pixels]
out vec2 texel;

void main()
{
    texel = place.zw;
    gl_Position = vec4(place.xy / size * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
