// Coordinates of the shadow map. A sun ray is identified by the point where it crosses the rest level. In
// these coordinates rays are vertical, the shadow map is aligned with the pool, and its depth is height.
// Below the rest level of a pool, rays are refracted as by still water.
uniform vec3 sun_direction;     // towards the sun, unit
uniform vec2 refraction;      // horizontal distance of refracted sunlight per metre of descent, along x and z
uniform float rest_level;     // [m] height of the still surface
uniform float rim_height;     // [m] top of the walls
uniform float wall_thickness; // [m]
uniform float pool_length;    // [m] the longer side
uniform vec4 sun_map_rect;   // [m, 1/m] corner and 1 / size of the map
uniform vec2 sun_map_depth;  // factor and offset from height [m] to depth in the map

// Each component is in 0 .. 1 inside the map.
vec3 sun_map_position(vec3 p)
{
    float down = rest_level - p.y;
#if TERRAIN
    vec2 aside = sun_direction.xz / sun_direction.y; // no refraction: with terrain the water has no common level
#else
    vec2 aside = down > 0.0 ? refraction : sun_direction.xz / sun_direction.y;
#endif
    return vec3((p.xz + aside * down - sun_map_rect.xy) * sun_map_rect.zw, p.y * sun_map_depth.x + sun_map_depth.y);
}
