// The loops of the shallow-water model. See shallow.c for the equations and the order.
//
//              v[c+n]
//           +----------+          h, bed   middle of the cell
//     u[c]  |  h[c]    | u[c+1]   u, tx    west face
//           +----------+          v, tz    south face
//              v[c]               n        one row up
//
// Loops run over columns 0 .. nx and rows j0 .. j1-1, so that the faces of the last column come out as well; what
// is computed beyond the sides is overwritten by whoever knows the sides. They read two ghosts on every side.
#ifndef FLUID_SHALLOW_ROWS_H
#define FLUID_SHALLOW_ROWS_H

#include "base/grid.h"
#include "base/kernels.h"

struct shallow_fields {
    const float *bed, *load_head;    // [m] lift NULL: nothing presses
    const unsigned char *row_loaded; // row: something presses within two rows from here
    const float *load_head_next;     // [m] lift after the step
    const float *load_head_face[2];  // [m] lift at the faces, mean over the step
    const float *h, *u, *v;          // [m], [m/s] before the step
    float *h_next, *u_next, *v_next; // after it
    float *h_half, *u_half, *v_half; // half-way; half_h later: part of what a cell gives that it has
    float *flux_x, *flux_z;          // [m] that passes a face in the step: its flux dt/dx
};

struct shallow_coefs {
    float dt_dx;                  // [s/m] dt/dx
    float g_dt_dx;                // [m/s per m] g dt/dx
    float accel_dt_x, accel_dt_z; // [m/s] external acceleration times dt
    float dry_depth;              // [m] no deeper: dry
    float max_bed_step;           // [m] drop of the ground over one cell beyond which it pulls no harder: dx
    float rounding_bias;          // [m] x + magic - magic is x in whole quanta
    float max_flux; // [m] that may pass a face at once; for more the rounding would be finer than a quantum
    float reserve_depth; // [m] what is not given away when a cell would give more than it has: for roundings
    float
        noise_damping; // [s/m^2] 1/hush is the momentum passed from cell to cell beyond which a murmur is a wave
    float max_speed;      // [m/s] largest speed
    float max_flux_depth; // [m] largest depth that counts in a flux
    float manning_coef;   // [m^(1/3)] g n^2 dt, Manning's friction
};

// [m] What cell c gives to its neighbours.
static inline float cell_outflow(const float *tx, const float *tz, size_t c, size_t n)
{
    return (max_f(tx[c + 1], 0.0f) - min_f(tx[c], 0.0f)) + (max_f(tz[c + n], 0.0f) - min_f(tz[c], 0.0f));
}

// [m] Height of the wall that water has to climb from one cell to the next: ground that rises by more than a lip.
static inline float bed_step_height(const float *bed, size_t from, size_t to, float lip)
{
    return max_f(0.0f, bed[to] - bed[from] - lip);
}
// [m] Depth of what moves with the speed at a face: the mean of two cells, without what stands behind a wall.
static inline float face_flow_depth(const float *bed, const float *h, size_t west, size_t here, float lip)
{
    return 0.5f * (max_f(0.0f, h[west] - bed_step_height(bed, west, here, lip)) +
                   max_f(0.0f, h[here] - bed_step_height(bed, here, west, lip)));
}

struct shallow_kernels {
    // conservative
    void (*predict)(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                    int j0, int j1);
    void (*depth_flux)(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                       int j0, int j1);
    void (*update_momentum)(const struct grid *g, const struct shallow_coefs *k,
                            const struct shallow_fields *f, int j0, int j1);
    // semi-lagrangian and maccormack
    void (*advect)(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                   int j0, int j1);
    void (*maccormack)(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                       int j0, int j1);
    void (*apply_slope)(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                        int j0, int j1);
    void (*upwind_flux)(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                        int j0, int j1);
    // all
    // h1 from the transfers of row j. True if a cell gives more than it has.
    bool (*update_depth)(const struct grid *g, const struct shallow_fields *f, int j);
    // What part of its outflow each cell of row j can give, to half_h.
    void (*outflow_limiter)(const struct grid *g, const struct shallow_coefs *k,
                            const struct shallow_fields *f, int j);
    // Transfers of row j cut to that; `part` and `south` are the rations of rows j and j-1 or rows of ones.
    void (*limit_flux)(const struct grid *g, const struct shallow_coefs *k, const struct shallow_fields *f,
                       int j, const float *part, const float *south);
    // Fastest signal |v| + sqrt(g h) of rows j0 .. j1-1; infinite or NaN if a value is.
    float (*max_signal)(const struct grid *g, float gravity, const float *h, const float *u, const float *v,
                        int j0, int j1);
};
KERNELS_DECLARE(struct shallow_kernels, shallow_kernels);

#endif
