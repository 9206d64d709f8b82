// What appears from nothing: water and pushes that the scene adds in time, and the table of kinds.
#ifndef EMIT_EMITTER_H
#define EMIT_EMITTER_H

#include "fluid/fluid.h"

struct emitter {
    const struct emitter_kind *kind;
    tarn_spec spec;
    uint64_t random_stream; // its own random numbers
    // state
    double pending_drops; // part of the next drop that has come together
    uint64_t events;      // drops, or whether it has happened
};

// Drops in one step; more would only be a slower way to raise the level.
#define EMITTER_MAX_PENDING 100000.0

// The time that passes: from `time` to time + dt, dt may be 0 at the start.
struct time_interval {
    double time, dt;
    uint64_t seed;
};

struct emitter_kind {
    tarn_kind kind;
    bool planar; // for a flat fluid; the others are for a surface
    tarn_result (*check)(const void *def, const struct fluid *f, tarn_error *err); // may be NULL
    void (*emit)(struct emitter *e, const struct time_interval *now, struct fluid *f);
};

const struct emitter_kind *emitter_kind_at(int index);
const struct emitter_kind *emitter_kind_of(const tarn_kind *kind);

// A drop of the given radius falls at the given speed: it brings its volume, and its momentum as a push,
// rho V v over the footprint, to an area that the grid can show.
void emitter_add_drop(struct fluid *f, double x, double z, double radius, double speed);

// source.c: [m/s] of a source at now->time; asked for in rising order.
void source_velocity(struct emitter *e, const struct time_interval *now, double v[2]);

void emitter_save(struct saver *s, const struct emitter *e);
tarn_result emitter_load(struct loader *l, struct emitter *e, const struct fluid *f, tarn_error *err);

#endif
