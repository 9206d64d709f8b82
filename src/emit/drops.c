// Single drops that fall at regular intervals at one position, with an optional random offset.
#include "base/math/math.h"
#include "base/math/random.h"
#include "emitter.h"

static const tarn_param params[] = {
    PARAM_VEC2(tarn_drops, position, "position", 0, 0, -1e6, 1e6, "m", "x and z of the point of impact"),
    PARAM_LIVE(tarn_drops, scatter, "scatter", 0, 0, 1e6, "m",
               "largest random offset from `position`, along x and along z"),
    PARAM_LIVE(tarn_drops, radius, "radius", 0.03, 1e-4, 10, "m", "radius of a drop"),
    PARAM_LIVE(tarn_drops, speed, "speed", 5, 0, 100, "m/s", "speed of impact"),
    PARAM_LIVE(tarn_drops, interval, "interval", 1, 1e-3, 1e6, "s", "time between two drops"),
    PARAM_NUMBER(tarn_drops, start, "start", 0, 0, 1e9, "s", "time of the first drop"),
};

static void emit_drops(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const tarn_drops *d = &e->def.drops;
    if (now->dt <= 0.0 || now->time + now->dt <= d->start) return;
    const bool first =
        e->events == 0 &&
        e->pending_drops == 0.0; // the first drop falls at d->start, without an interval before it
    e->pending_drops = first ? 1.0 : fmin(e->pending_drops + now->dt / d->interval, EMITTER_MAX_PENDING);
    for (; e->pending_drops >= 1.0; e->pending_drops -= 1.0, ++e->events) {
        const double x = 2.0 * random_unit(now->seed, e->random_stream, 2 * e->events) - 1.0;
        const double z = 2.0 * random_unit(now->seed, e->random_stream, 2 * e->events + 1) - 1.0;
        emitter_add_drop(f, d->position.x + d->scatter * x, d->position.y + d->scatter * z, d->radius,
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
