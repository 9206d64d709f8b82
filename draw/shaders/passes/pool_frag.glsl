// The basin: tiles inside, stone on the rim and outside.
#include "../common/_light.glsl"
#include "../common/_tiles.glsl"
in vec3 position;
flat in vec3 normal;
out vec4 colour;

void main()
{
    vec3 n = normal;
    float edge = 0.002 * pool_length;
    bool inside = all(greaterThan(position.xz, pool.xy - edge)) && all(lessThan(position.xz, pool.zw + edge));
    bool inner = inside && position.y > -edge && position.y < rim_height - edge;
    vec2 flat_at = abs(n.y) > 0.5 ? position.xz : (abs(n.x) > 0.5 ? position.zy : position.xy);
    vec3 tile = tile_colour(flat_at - (abs(n.y) > 0.5 ? pool.xy : vec2(abs(n.x) > 0.5 ? pool.y : pool.x, 0.0)),
                      fwidth(flat_at), tile_size(pool_length));
    vec3 stone = vec3(0.74, 0.72, 0.68);
    vec2 inward = min(position.xz - pool.xy, pool.zw - position.xz);
    float corner = inner ? min(min(max(inward.x, 0.0), max(inward.y, 0.0)) + (n.y > 0.5 ? 0.0 : 1e3),
                               n.y > 0.5 ? 1e3 : position.y) : 1e3;
    float open = LOW_QUALITY != 0 ? 1.0 : 1.0 - 0.3 * exp(-corner / (0.03 * pool_length));
    vec3 c = shade_diffuse(inner ? tile : stone, position, n, open * sky_visibility(position, n));
    colour = vec4(encode(inner ? tint_by_water(c, position) : c), 1.0);
}
