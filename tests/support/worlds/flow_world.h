// Worlds of the model `flow` and their contents.
#ifndef TESTS_FLOW_WORLD_H
#define TESTS_FLOW_WORLD_H

#include "check.h"
#include "world_setup.h"

#include <tarn/tarn.h>

static inline tarn_world *make(const struct world_setup *def)
{
    tarn_world *w = NULL;
    tarn_error err = {0};
    if (setup_create(def, &w, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return w;
}

static inline void put(tarn_world *w, const tarn_obstacle_def *def)
{
    tarn_error err = {0};
    if (tarn_obstacle_create(w, def, NULL, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
}

#endif
