// Public functions for the obstacles of the planar model: creation, ids, prescribed motion.
#include "base/error.h"
#include "base/parallel/fpmode.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "world/world.h"

#include <string.h>

// -1: no such obstacle.
static int find_obstacle(const tarn_world *w, tarn_obstacle_id id)
{
    const uint32_t slot = id_slot(id.value);
    if (!w || slot >= (uint32_t)w->fluid.obstacle_count || id.value != obstacle_id((int)slot).value)
        return -1;
    return (int)slot;
}

tarn_result tarn_obstacle_create(tarn_world *w, const tarn_obstacle_def *def, tarn_obstacle_id *out,
                                 tarn_error *err)
{
    if (out) *out = (tarn_obstacle_id){0};
    if (!w || !def) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    if (check_reserved(def->reserved, sizeof def->reserved, err) != TARN_OK) return TARN_BAD_INPUT;
    struct fluid *f = &w->fluid;
    if (!f->model->planar)
        return fail(err, TARN_BAD_INPUT, "kind",
                    "obstacles are not available in the model '%s'; use bodies of type static",
                    f->model->kind.name);
    const struct fpmode host = fpmode_enter();
    world_apply_body_edits(w);
    tarn_result r = obstacle_add(f, def, err);
    if (r == TARN_OK && !f->model->planar->rebuild_cut_cells(f)) {
        obstacle_remove_last(f);
        f->model->planar->rebuild_cut_cells(f); // cannot fail: it was built before
        r = fail(err, TARN_NO_MEMORY, "", "no memory for another obstacle");
    }
    world_end_edit(w);
    fpmode_leave(host);
    if (r == TARN_OK && out) *out = obstacle_id(f->obstacle_count - 1);
    return r;
}

tarn_result tarn_obstacle_set_motion(tarn_world *w, tarn_obstacle_id obstacle,
                                     const tarn_obstacle_motion *motion, tarn_error *err)
{
    const int i = find_obstacle(w, obstacle);
    if (i < 0 || !motion) return fail(err, TARN_BAD_ARGUMENT, "", "there is no such obstacle, or no motion");
    const struct fpmode host = fpmode_enter();
    world_apply_body_edits(w);
    const tarn_result r = obstacle_set_motion(&w->fluid, &w->fluid.obstacles[i], motion, err);
    world_end_edit(w);
    fpmode_leave(host);
    return r;
}

bool tarn_obstacle_is_valid(const tarn_world *w, tarn_obstacle_id obstacle)
{
    return find_obstacle(w, obstacle) >= 0;
}

int tarn_world_get_obstacles(const tarn_world *w, tarn_obstacle_id *out, int capacity)
{
    const int count = w ? w->fluid.obstacle_count : 0;
    for (int i = 0; out && i < count && i < capacity; ++i) out[i] = obstacle_id(i);
    return count;
}

tarn_obstacle_id tarn_obstacle_find(const tarn_world *w, const char *name)
{
    for (int i = 0; w && name && name[0] && i < w->fluid.obstacle_count; ++i)
        if (strcmp(w->fluid.obstacles[i].def.name, name) == 0) return obstacle_id(i);
    return (tarn_obstacle_id){0};
}

tarn_result tarn_obstacle_get_def(const tarn_world *w, tarn_obstacle_id obstacle, tarn_obstacle_def *out)
{
    const int i = find_obstacle(w, obstacle);
    if (i < 0 || !out) return TARN_BAD_ARGUMENT;
    *out = w->fluid.obstacles[i].def;
    return TARN_OK;
}

tarn_result tarn_obstacle_get_load(const tarn_world *w, tarn_obstacle_id obstacle, tarn_obstacle_load *out)
{
    const int i = find_obstacle(w, obstacle);
    if (i < 0 || !out) return TARN_BAD_ARGUMENT;
    w->fluid.model->planar->obstacle_load(&w->fluid, i, out);
    return TARN_OK;
}
