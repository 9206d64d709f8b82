// The loops of the wave model. See wave.c for the equations.
#ifndef FLUID_WAVE_ROWS_H
#define FLUID_WAVE_ROWS_H

#include "base/grid.h"
#include "base/kernels.h"

struct wave_factors {
    float keep;  // what velocity damping leaves of phi in one step
    float dt;    // [s]
    float mean;  // [m] mean of the heights, taken off so that phi does not run away
    float blend; // [s] dt + D/c^2: weight of w in psi
    float k;     // [1/s] dt c^2/s^2
    float press; // [s] blend/keep: weight of lift in phi before the step
    float relax; // [s] D/c^2: what of that is taken off after it
    float calm;  // part of the Laplacian of phi added under cover in one step
};

enum { WAVE_STEPS = 4 }; // the most that `steps` takes at once

// Closed sides: periodic, or else walls.
struct wave_sides {
    bool wrap_x, wrap_z;
};

struct wave_kernels {
    // One step from (phi, w) to (phi1, w1).
    void (*step)(const struct grid *g, const struct wave_factors *f, const float *phi, const float *w,
                 float *phi1, float *w1, int j0, int j1);
    // `count` steps at once (1 .. WAVE_STEPS), for closed sides and nothing pressing: the bits of as many
    // single ones with their ghosts filled, but ghosts are neither read nor written. Uses 33 KiB of stack.
    // Blocks do 3 rows of their neighbours' work again, so they should be 64 rows or more.
    void (*steps)(const struct grid *g, const struct wave_factors *f, const struct wave_sides *sides,
                  int count, const float *phi, const float *w, float *phi1, float *w1, int j0, int j1);
    // phi1 = phi + press lift + calm cover lap(phi) for cells i0 .. i1-1.
    void (*press)(const struct grid *g, const struct wave_factors *f, const float *phi, const float *lift,
                  const float *cover, float *phi1, int i0, int i1, int j0, int j1);
    // True if a value of rows j0 .. j1-1 is not finite.
    bool (*broken)(const struct grid *g, const float *x, int j0, int j1);
};
KERNELS_DECLARE(struct wave_kernels, wave_kernels);

#endif
