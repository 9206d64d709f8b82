// Kernels of the wave model. See wave.c for the equations; wave_step.c calls the kernels over blocks of rows.
#ifndef FLUID_WAVE_ROWS_H
#define FLUID_WAVE_ROWS_H

#include "base/grid.h"
#include "base/parallel/kernels.h"

// Coefficients of one substep.
struct wave_coefs {
    float damping_factor; // 1/(1 + dt damping), the factor of phi in one substep
    float dt;             // [s]
    float mean_height;    // [m] mean of the heights, subtracted so that phi stays bounded
    float psi_weight;     // [s] dt + D/c^2, the weight of w in psi
    float laplace_coef;   // [1/s] dt c^2/dx^2
    float load_weight; // [s] psi_weight/damping_factor, the weight of the load head in phi before the substep
    float diffusion_time; // [s] D/c^2, the part of it that is subtracted after the substep
    float cover_damping;  // factor of the Laplacian of phi that is added under bodies in one substep
};

enum { WAVE_MAX_FUSED = 4 }; // substeps that `step_fused` takes at once, at most

// Axes with periodic boundaries; the boundaries of the other axes are walls.
struct wave_periodicity {
    bool periodic_x, periodic_z;
};

// State before and after a kernel: phi [m s], w [m], cell centres.
struct wave_state {
    const float *phi, *w;
    float *phi_next, *w_next;
};

// Fields of the load kernel: load head [m], covered fraction 0 .. 1.
struct wave_load {
    const float *load_head, *covered_fraction;
    int i0, i1; // columns
};

struct wave_kernels {
    // One substep of rows j0 .. j1-1.
    void (*step)(const struct grid *g, const struct wave_coefs *coefs, const struct wave_state *state, int j0,
                 int j1);
    // `count` substeps at once (1 .. WAVE_MAX_FUSED), for walls and periodic boundaries and without loads.
    // The bits are those of as many single substeps with ghost cells, but ghost cells are neither read nor
    // written. The kernel uses 33 KiB of stack. A block repeats the work on up to 3 rows of each neighbouring
    // block, so blocks should have 64 rows or more.
    void (*step_fused)(const struct grid *g, const struct wave_coefs *coefs,
                       const struct wave_periodicity *periodicity, int count, const struct wave_state *state,
                       int j0, int j1);
    // phi_next = phi + load_weight load_head + cover_damping covered_fraction lap(phi)
    void (*add_load)(const struct grid *g, const struct wave_coefs *coefs, const struct wave_state *state,
                     const struct wave_load *load, int j0, int j1);
    // True if a value of rows j0 .. j1-1 is not finite.
    bool (*has_nonfinite)(const struct grid *g, const float *x, int j0, int j1);
};
KERNELS_DECLARE(struct wave_kernels, wave_kernels);

#endif
