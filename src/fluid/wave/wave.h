// State and parameters of the wave model, shared by wave.c and wave_step.c.
#ifndef FLUID_WAVE_H
#define FLUID_WAVE_H

#include "fluid/fluid.h"
#include "wave_rows.h"

enum { WAVE_BUFFERS = 4 };

struct wave {
    const struct wave_kernels *kernels;
    float *buffers[WAVE_BUFFERS]; // allocations, by cache slot
    // state
    float *phi, *w; // [m s], [m] cell centre      wave_advance, wave_add_water
    // scratch of a substep
    float *phi_next, *w_next; // the other pair of buffers; swapped with the state after a substep
    double *row_outflow; // [m] per row, outflow through open west and east boundaries    fill_ghost_columns
    double *row_invalid; // per row, 1 if a value is not finite                           wave_is_valid
};

static inline const tarn_wave_def *wave_def_of(const struct fluid *f) { return &f->def.wave; }

// wave_step.c
double wave_max_stable_dt(const struct fluid *f); // [s]
double wave_substep_dt(const struct fluid *f, double time_left);
void wave_advance(struct fluid *f, double dt, int count);

#endif
