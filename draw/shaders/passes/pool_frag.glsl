// Tiles inside the basin, plain stone on its rim and outside.
#include "../common/_light.glsl"
#include "../common/_tiles.glsl"
in vec3 at;
flat in vec3 normal;
out vec4 colour;

void main()
{
    vec3 n = normal;
    float edge = 0.002 * level.w;
    bool inside = all(greaterThan(at.xz, pool.xy - edge)) && all(lessThan(at.xz, pool.zw + edge));
    bool inner = inside && at.y > -edge && at.y < level.y - edge;
    vec2 flat_at = abs(n.y) > 0.5 ? at.xz : (abs(n.x) > 0.5 ? at.zy : at.xy);
    vec3 tile = tiles(flat_at - (abs(n.y) > 0.5 ? pool.xy : vec2(abs(n.x) > 0.5 ? pool.y : pool.x, 0.0)),
                      fwidth(flat_at), tile_size(level.w));
    vec3 stone = vec3(0.74, 0.72, 0.68);
    vec2 inward = min(at.xz - pool.xy, pool.zw - at.xz);
    float corner = inner ? min(min(max(inward.x, 0.0), max(inward.y, 0.0)) + (n.y > 0.5 ? 0.0 : 1e3),
                               n.y > 0.5 ? 1e3 : at.y) : 1e3;
    float open = fast != 0 ? 1.0 : 1.0 - 0.3 * exp(-corner / (0.03 * level.w));
    vec3 c = lit(inner ? tile : stone, at, n, open * hidden(at, n));
    colour = vec4(encode(inner ? wet(c, at) : c), 1.0);
}
