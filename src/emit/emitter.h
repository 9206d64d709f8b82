// Emitters: sources of water, momentum, dye and heat that a scene adds over time, and the table of their
// kinds.
#ifndef EMIT_EMITTER_H
#define EMIT_EMITTER_H

#include "fluid/fluid.h"

// A place in the list of emitters; it is used again after its emitter was destroyed.
struct emitter {
    const struct emitter_kind *kind; // NULL: the place is free
    uint32_t generation;             // of the place; odd: in use
    // State, saved in checkpoints.
    tarn_emitter_def def;
    uint64_t random_stream; // stream number of its random numbers
    union {
        double pending_drops; // `rain`, `drops`: volume accumulated for the next drops, in drops
        double walk_angle;    // `source`: angle of the random walk [degrees]
    };
    union {
        uint64_t events;      // drops released; `fill`, `hump`: 1 once added
        uint64_t walk_frames; // `source`: frames of the random walk
    };
};

// Upper limit of drops in one step. It bounds the time of a step; a higher rate only raises the water level.
#define EMITTER_MAX_PENDING 100000.0

// The interval of a step, from `time` to time + dt [s]; dt is 0 in the call before the first step.
struct time_interval {
    double time, dt;
    uint64_t seed;
};

struct emitter_kind {
    tarn_kind kind;        // its struct is def.space, or the member of that union with its name
    bool planar;           // for the planar model; the others are for height fields
    bool carries_rounding; // pending_drops may be negative
    tarn_result (*check)(const void *def, const struct fluid *f, tarn_error *err); // may be NULL
    void (*emit)(struct emitter *e, const struct time_interval *now, struct fluid *f);
};

const struct emitter_kind *emitter_kind_at(int index);
const struct emitter_kind *emitter_kind_of(const tarn_kind *kind);

// Adds a drop of radius `radius` [m] that hits the surface at `speed` [m/s]: its volume V, and its momentum
// rho V v as a pressure impulse, over an area that the grid resolves.
void emitter_add_drop(struct fluid *f, double x, double z, double radius, double speed);

// source.c: velocity [m/s] of a source at now->time. The random walk needs calls in the order of time.
void source_velocity(struct emitter *e, const struct time_interval *now, double v[2]);

void emitter_save(struct saver *s, const struct emitter *e);
tarn_result emitter_load(struct loader *l, struct emitter *e, const struct fluid *f, tarn_error *err);

#endif
