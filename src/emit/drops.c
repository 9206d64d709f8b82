// Single drops that fall at regular intervals at one position, with an optional random offset.
#include "base/math.h"
#include "base/random.h"
#include "emitter.h"

struct drops_def {
    double position[2], scatter, radius, speed, interval, time;
};

static const tarn_param params[] = {
    PARAM_VEC2(struct drops_def, position, "position", 0, 0, -1e6, 1e6, "m",
               "x and z of the point of impact"),
    PARAM_LIVE(struct drops_def, scatter, "scatter", 0, 0, 1e6, "m",
               "largest random offset from `position`, along x and along z"),
    PARAM_LIVE(struct drops_def, radius, "radius", 0.03, 1e-4, 10, "m", "radius of a drop"),
    PARAM_LIVE(struct drops_def, speed, "speed", 5, 0, 100, "m/s", "speed of impact"),
    PARAM_LIVE(struct drops_def, interval, "interval", 1, 1e-3, 1e6, "s", "time between two drops"),
    PARAM_NUMBER(struct drops_def, time, "start", 0, 0, 1e9, "s", "time of the first drop"),
};

static void emit_drops(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const struct drops_def *d = (const struct drops_def *)e->spec.data;
    if (now->dt <= 0.0 || now->time + now->dt <= d->time) return;
    const bool first =
        e->events == 0 &&
        e->pending_drops == 0.0; // the first drop falls at d->time, without an interval before it
    e->pending_drops = first ? 1.0 : fmin(e->pending_drops + now->dt / d->interval, EMITTER_MAX_PENDING);
    for (; e->pending_drops >= 1.0; e->pending_drops -= 1.0, ++e->events) {
        const double x = 2.0 * random_unit(now->seed, e->random_stream, 2 * e->events) - 1.0;
        const double z = 2.0 * random_unit(now->seed, e->random_stream, 2 * e->events + 1) - 1.0;
        emitter_add_drop(f, d->position[0] + d->scatter * x, d->position[1] + d->scatter * z, d->radius,
                         d->speed);
    }
}

const struct emitter_kind emitter_drops = {
    .kind = {.category = "emitter",
             .name = "drops",
             .help = "drops that fall at regular intervals",
             PARAMS(params)},
    .emit = emit_drops,
};
