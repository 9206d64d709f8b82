// Adds a Gaussian hump of water, once.
#include "emitter.h"

struct hump_def {
    double position[2], radius, height, time;
};

static const tarn_param params[] = {
    PARAM_VEC2(struct hump_def, position, "position", 0, 0, -1e6, 1e6, "m", "x and z of the centre"),
    PARAM_NUMBER(struct hump_def, radius, "radius", 0.5, 1e-3, 1e5, "m",
                 "distance from the centre at which the height is 1/e"),
    PARAM_NUMBER(struct hump_def, height, "height", 0.1, -1e3, 1e3, "m",
                 "height at the centre; negative: a hollow"),
    PARAM_NUMBER(struct hump_def, time, "start", 0, 0, 1e9, "s", "time at which the hump appears"),
};

static void emit_hump(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const struct hump_def *d = (const struct hump_def *)e->spec.data;
    if (e->events || d->time > now->time) return;
    e->events = 1;
    fluid_add_gaussian(f, d->position[0], d->position[1], d->radius, d->height, 0.0);
}

const struct emitter_kind emitter_hump = {
    .kind = {.category = "emitter", .name = "hump", .help = "a Gaussian hump of water, once", PARAMS(params)},
    .emit = emit_hump,
};
