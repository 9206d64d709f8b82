// Sample emitter: adds a Gaussian hump of water at regular intervals.
#include "emitter.h"

struct pulses_def {
    double position[2], radius, height, interval;
};

static const tarn_param params[] = {
    PARAM_VEC2(struct pulses_def, position, "position", 0, 0, -1e6, 1e6, "m", "x and z of the centre"),
    PARAM_NUMBER(struct pulses_def, radius, "radius", 0.5, 1e-3, 1e5, "m",
                 "distance from the centre at which the height is 1/e"),
    PARAM_LIVE(struct pulses_def, height, "height", 0.05, -1e3, 1e3, "m", "height at the centre"),
    PARAM_NUMBER(struct pulses_def, interval, "interval", 1, 1e-3, 1e9, "s", "time between two humps"),
};

// `events` counts the humps, so that a resumed run continues the series.
static void emit_pulses(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const struct pulses_def *d = (const void *)e->def.space;
    if ((double)e->events * d->interval > now->time) return;
    e->events++;
    fluid_add_gaussian(f, d->position[0], d->position[1], d->radius, d->height, 0.0);
}

const struct emitter_kind emitter_pulses = {
    .kind = {.category = "emitter", .name = "pulses", .help = "Gaussian humps at intervals", PARAMS(params)},
    .emit = emit_pulses,
};
