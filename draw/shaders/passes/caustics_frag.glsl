// How much a triangle of rays has shrunk on its way: as much brighter it is. Four times is the most that fits, and one
// pixel of the map is 1 / area of it; folds of the net add up.
in vec2 entered;
uniform float area; // pixels of the map
out vec4 colour;

void main()
{
    vec2 a = dFdx(entered), b = dFdy(entered);
    colour = vec4(vec3(0.25 * area * abs(a.x * b.y - a.y * b.x)), 1.0);
}
