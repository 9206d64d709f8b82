// Rain: drops at uniformly distributed random positions; the rate determines their number.
#include "base/math/math.h"
#include "base/math/random.h"
#include "emitter.h"

static const tarn_param params[] = {
    PARAM_LIVE(tarn_rain, rate, "rate", 2e-5, 0, 1e-2, "m/s", "rainfall rate: depth of water per second"),
    PARAM_LIVE(tarn_rain, radius, "radius", 0.005, 5e-4, 1, "m", "radius of a drop"),
    PARAM_LIVE(tarn_rain, speed, "speed", 8, 0, 100, "m/s", "speed of impact of a drop"),
    PARAM_NUMBER(tarn_rain, start, "start", 0, 0, 1e9, "s", "start time"),
    PARAM_NUMBER(tarn_rain, end, "end", 1e9, 0, 1e9, "s", "end time"),
};

static void emit_rain(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const tarn_rain *d = &e->def.rain;
    const struct grid *g = &f->grid;
    if (now->time + now->dt <= d->start || now->time >= d->end) return;
    const double length_x = g->nx * g->dx, length_z = g->nz * g->dx;
    const double volume = 4.0 / 3.0 * PI * d->radius * d->radius * d->radius;
    e->pending_drops =
        fmin(e->pending_drops + d->rate * length_x * length_z * now->dt / volume, EMITTER_MAX_PENDING);
    for (; e->pending_drops >= 1.0; e->pending_drops -= 1.0, ++e->events) {
        const double x = g->x0 + length_x * random_unit(now->seed, e->random_stream, 2 * e->events);
        const double z = g->z0 + length_z * random_unit(now->seed, e->random_stream, 2 * e->events + 1);
        emitter_add_drop(f, x, z, d->radius, d->speed);
    }
}

const struct emitter_kind emitter_rain = {
    .kind = {.category = "emitter", .name = "rain", .help = "drops at random positions", PARAMS(params)},
    .emit = emit_rain,
};
