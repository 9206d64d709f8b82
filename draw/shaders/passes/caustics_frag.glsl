// Intensity of a triangle of rays: the ratio of its areas before and after refraction, over 4 to fit the
// texture. Overlapping triangles add up. A texel is 1 / area of the texture.
in vec2 entered;
uniform float area; // texels of the texture
out vec4 colour;

void main()
{
    vec2 a = dFdx(entered), b = dFdy(entered);
    colour = vec4(vec3(0.25 * area * abs(a.x * b.y - a.y * b.x)), 1.0);
}
