// The id of the only obstacle of a world.
#ifndef TESTS_FIRST_OBSTACLE_H
#define TESTS_FIRST_OBSTACLE_H

#include <tarn/tarn.h>

static inline tarn_obstacle_id first_obstacle(const tarn_world *w)
{
    tarn_obstacle_id id = {0};
    tarn_world_get_obstacles(w, &id, 1);
    return id;
}

#endif
