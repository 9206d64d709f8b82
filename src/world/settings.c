// Public functions for what may change between steps: settings, user data and threads of a world.
#include "base/error.h"
#include "base/parallel/fpmode.h"
#include "world.h"

tarn_world_settings tarn_world_get_settings(const tarn_world *w)
{
    if (!w) return (tarn_world_settings){0};
    return (tarn_world_settings){.gravity = w->def.gravity,
                                 .splash = w->def.splash,
                                 .hit_speed = w->def.hit_speed,
                                 .enable_sleep = w->def.enable_sleep,
                                 .enable_contacts = w->def.enable_contacts,
                                 .retries = w->def.host.retries};
}

void world_settings_changed(tarn_world *w)
{
    const struct bodies *b = &w->bodies;
    const double gravity = w->fluid.gravity;
    const bool never_sleep = b->never_sleep, ignore_body_pairs = b->ignore_body_pairs;
    world_apply_definition(w);
    if (gravity == w->fluid.gravity && never_sleep == b->never_sleep &&
        ignore_body_pairs == b->ignore_body_pairs)
        return;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i)) body_wake(&w->bodies, i);
}

tarn_result tarn_world_set_settings(tarn_world *w, const tarn_world_settings *settings, tarn_error *err)
{
    if (!w || !settings) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    tarn_world_def def = w->def;
    def.gravity = settings->gravity, def.splash = settings->splash, def.hit_speed = settings->hit_speed;
    def.enable_sleep = settings->enable_sleep, def.enable_contacts = settings->enable_contacts;
    def.host.retries = settings->retries;
    tarn_result r = world_check_definition(&def, err);
    if (r == TARN_OK && def.gravity != w->def.gravity && !w->fluid.model->no_fluid)
        r = fail(err, TARN_BAD_INPUT, "fluid.gravity", "gravity is fixed in a world with fluid");
    if (r != TARN_OK) return r;
    const struct fpmode host = fpmode_enter();
    w->def = def;
    world_settings_changed(w);
    fpmode_leave(host);
    return TARN_OK;
}

uint64_t tarn_world_get_user_data(const tarn_world *w) { return w ? w->user_data : 0; }

void tarn_world_set_user_data(tarn_world *w, uint64_t user_data)
{
    if (w) w->user_data = user_data;
}

tarn_result tarn_world_set_tasks(tarn_world *w, const tarn_task_system *tasks)
{
    const tarn_task_system none = {0};
    if (!w) return TARN_BAD_ARGUMENT;
    w->def.host.tasks = tasks ? *tasks : none;
    w->def.host.workers = 0;
    parallel_set_tasks(w->services.parallel, &w->def.host.tasks);
    return TARN_OK;
}
