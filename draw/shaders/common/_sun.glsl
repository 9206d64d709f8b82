// The sun's rays, and where a point is among them. All rays are told by where they cross the level of the water: seen
// so, they stand upright, the map of what they meet lies along the pool, and its depth is height. Below the level of
// a pool rays are bent as still water bends them.
uniform vec3 light;     // towards the sun, unit
uniform vec2 bent;      // how far sunlight goes aside in the water per metre down, against x and z
uniform vec4 level;     // [m] surface at rest, rim, thickness of the walls, size of the pool
uniform vec4 sun_box;   // [m, 1/m] corner and size of the map
uniform vec2 sun_tall;  // depth in the map from height [m]: factor, offset

// 0 .. 1 each within the map
vec3 in_sun(vec3 p)
{
    float down = level.x - p.y;
#if LAND
    vec2 aside = light.xz / light.y; // its water has no one level
#else
    vec2 aside = down > 0.0 ? bent : light.xz / light.y;
#endif
    return vec3((p.xz + aside * down - sun_box.xy) * sun_box.zw, p.y * sun_tall.x + sun_tall.y);
}
