// Adds a Gaussian hump of water, once.
#include "emitter.h"

static const tarn_param params[] = {
    PARAM_VEC2(tarn_hump, position, "position", 0, 0, -1e6, 1e6, "m", "x and z of the centre"),
    PARAM_NUMBER(tarn_hump, radius, "radius", 0.5, 1e-3, 1e5, "m",
                 "distance from the centre at which the height is 1/e"),
    PARAM_NUMBER(tarn_hump, height, "height", 0.1, -1e3, 1e3, "m",
                 "height at the centre; negative: a hollow"),
    PARAM_NUMBER(tarn_hump, start, "start", 0, 0, 1e9, "s", "time at which the hump appears"),
};

static void emit_hump(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const tarn_hump *d = &e->def.hump;
    if (e->events || d->start > now->time) return;
    e->events = 1;
    fluid_add_gaussian(f, d->position.x, d->position.y, d->radius, d->height, 0.0);
}

const struct emitter_kind emitter_hump = {
    .kind = {.category = "emitter", .name = "hump", .help = "a Gaussian hump of water, once", PARAMS(params)},
    .emit = emit_hump,
};
