// The sun's rays, and where a point is among them. All rays are told by where they cross the level of the water: seen
// so, they stand upright, the map of what they meet lies along the pool, and its depth is height. Below the level of
// a pool rays are bent as still water bends them.
uniform vec3 sun_direction;     // towards the sun, unit
uniform vec2 refraction;      // how far sunlight goes aside in the water per metre down, against x and z
uniform float rest_level;     // [m] height of the still surface
uniform float rim_height;     // [m] top of the walls
uniform float wall_thickness; // [m]
uniform float pool_length;    // [m] the longer side
uniform vec4 sun_map_rect;   // [m, 1/m] corner and size of the map
uniform vec2 sun_map_depth;  // depth in the map from height [m]: factor, offset

// 0 .. 1 each within the map
vec3 sun_map_position(vec3 p)
{
    float down = rest_level - p.y;
#if TERRAIN
    vec2 aside = sun_direction.xz / sun_direction.y; // its water has no one level
#else
    vec2 aside = down > 0.0 ? refraction : sun_direction.xz / sun_direction.y;
#endif
    return vec3((p.xz + aside * down - sun_map_rect.xy) * sun_map_rect.zw, p.y * sun_map_depth.x + sun_map_depth.y);
}
