// State of the ocean model, shared by ocean.c and ocean_waves.c.
#ifndef FLUID_OCEAN_H
#define FLUID_OCEAN_H

#include "fluid/fluid.h"

enum { OCEAN_FIELDS = 5, OCEAN_MAX_WAVES = 64 };

// One wave of the table. The phase in turns at (x, z, t) is turns_x x + turns_z z - frequency t + phase.
struct airy_wave {
    double amplitude;        // [m]
    double turns_x, turns_z; // [1/m] wavenumber over 2 pi
    double frequency;        // [1/s]
    double phase;            // [turns]
    double rate;             // [m/s] amplitude of the vertical velocity at the surface
    double u, v;             // [m/s] amplitude of the velocity along x and z at the surface
    double *cosine, *sine;   // of turns_x x of every column
};

struct ocean {
    // The water at f->time, at the centres of the cells; saved.       ocean_evaluate
    float *eta;          // [m] surface above y = 0
    float *u, *v;        // [m/s] velocity at the surface along x and z
    float *rate;         // [m/s] vertical velocity at the surface
    float *acceleration; // [m/s^2] change of `rate` in the last substep over its length
    // derived
    struct airy_wave waves[OCEAN_MAX_WAVES];
    int wave_count;
    double *tables;     // cosine and sine of all waves
    size_t table_count; // numbers in it
    double *row_depth;  // [m] sum of the depths of a row
    double depth_sum;   // [m] of all rows
};

static inline const tarn_ocean_def *ocean_def_of(const struct fluid *f) { return &f->def.ocean; }

// Angular frequency [rad/s] of a wave of wavenumber k [1/m]: omega^2 = g k tanh(k depth).
double ocean_frequency(double gravity, double depth, double k);

// Prepare the waves of the definition. False without memory.
bool ocean_init_waves(struct fluid *f);
// Evaluate the water at f->time, `elapsed` [s] after the last evaluation; 0: it is the first one.
void ocean_evaluate(struct fluid *f, double elapsed);
// Fill in the bed: level, or from tarn_host.ocean.
void ocean_evaluate_bed(struct fluid *f);

#endif
