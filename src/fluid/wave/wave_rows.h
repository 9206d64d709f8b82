// The loops of the wave model. See wave.c for the equations.
#ifndef FLUID_WAVE_ROWS_H
#define FLUID_WAVE_ROWS_H

#include "base/grid.h"
#include "base/kernels.h"

struct wave_coefs {
    float damping_factor; // what velocity damping leaves of phi in one step
    float dt;             // [s]
    float mean_height;    // [m] mean of the heights, taken off so that phi does not run away
    float psi_weight;     // [s] dt + D/c^2: weight of w in psi
    float laplace_coef;   // [1/s] dt c^2/s^2
    float load_weight;    // [s] blend/keep: weight of lift in phi before the step
    float diffusion_time; // [s] D/c^2: what of that is taken off after it
    float cover_damping;  // part of the Laplacian of phi added under cover in one step
};

enum { WAVE_MAX_FUSED = 4 }; // the most that `steps` takes at once

// Closed sides: periodic, or else walls.
struct wave_periodicity {
    bool periodic_x, periodic_z;
};

struct wave_kernels {
    // One step from (phi, w) to (phi1, w1).
    void (*step)(const struct grid *g, const struct wave_coefs *f, const float *phi, const float *w,
                 float *phi1, float *w1, int j0, int j1);
    // `count` steps at once (1 .. WAVE_STEPS), for closed sides and nothing pressing: the bits of as many
    // single ones with their ghosts filled, but ghosts are neither read nor written. Uses 33 KiB of stack.
    // Blocks do 3 rows of their neighbours' work again, so they should be 64 rows or more.
    void (*step_fused)(const struct grid *g, const struct wave_coefs *f, const struct wave_periodicity *sides,
                       int count, const float *phi, const float *w, float *phi1, float *w1, int j0, int j1);
    // phi1 = phi + press lift + calm cover lap(phi) for cells i0 .. i1-1.
    void (*add_load)(const struct grid *g, const struct wave_coefs *f, const float *phi, const float *lift,
                     const float *cover, float *phi1, int i0, int i1, int j0, int j1);
    // True if a value of rows j0 .. j1-1 is not finite.
    bool (*has_nonfinite)(const struct grid *g, const float *x, int j0, int j1);
};
KERNELS_DECLARE(struct wave_kernels, wave_kernels);

#endif
