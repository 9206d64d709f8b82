// Kernels of the shallow-water model. See shallow.c for the equations and shallow_step.c for their order.
//
//              v[c+n]
//           +----------+          h, bed       cell centre
//     u[c]  |  h[c]    | u[c+1]   u, flux_x    west face
//           +----------+          v, flux_z    south face
//              v[c]               n            index step to the next row
//
// Loops run over columns 0 .. nx and rows j0 .. j1-1, so that they include the faces of the last column. The
// boundary conditions overwrite the values beyond the boundary. Kernels read two ghost cells on every side.
#ifndef FLUID_SHALLOW_ROWS_H
#define FLUID_SHALLOW_ROWS_H

#include "base/grid.h"
#include "base/kernels.h"

struct shallow_fields {
    const float *bed, *load_head;    // [m] load_head NULL: no surface load
    const unsigned char *row_loaded; // per row: a load within two rows
    const float *load_head_next;     // [m] load head after the substep
    const float *load_head_face[2];  // [m] load head at faces, mean over the substep
    const float *h, *u, *v;          // [m], [m/s] before the substep
    float *h_next, *u_next, *v_next; // after the substep
    float *h_half, *u_half, *v_half; // predictor; h_half is also the output of outflow_limiter
    float *flux_x, *flux_z;          // [m] flux through a face in the substep
};

struct shallow_coefs {
    float dt_dx;                  // [s/m] dt/dx
    float g_dt_dx;                // [m/s per m] g dt/dx
    float accel_dt_x, accel_dt_z; // [m/s] external acceleration times dt
    float dry_depth;              // [m] no deeper: dry
    float max_bed_step;           // [m] bed step across a face beyond which the slope is limited: dx
    float rounding_bias;          // [m] x + bias - bias rounds x to whole quanta
    float max_flux;               // [m] limit of a flux, below which the rounding is exact
    float reserve_depth;          // [m] depth that the limiter keeps in a cell, for rounding
    float noise_damping;          // [s/m^2] damping acts on momentum exchanges below 1/noise_damping
    float max_speed;              // [m/s] limit of a velocity component
    float max_flux_depth;         // [m] limit of the depth in a flux
    float manning_coef;           // [m^(1/3)] g n^2 dt, Manning's friction
};

// [m] Sum of the outgoing fluxes of cell c.
static inline float cell_outflow(const float *flux_x, const float *flux_z, size_t c, size_t n)
{
    return (max_f(flux_x[c + 1], 0.0f) - min_f(flux_x[c], 0.0f)) +
           (max_f(flux_z[c + n], 0.0f) - min_f(flux_z[c], 0.0f));
}

// [m] Rise of the bed from one cell to the next beyond max_bed_step.
static inline float bed_step_height(const float *bed, size_t from, size_t to, float max_bed_step)
{
    return max_f(0.0f, bed[to] - bed[from] - max_bed_step);
}

// [m] Depth that moves with the velocity at a face: the mean of two cells without water behind a bed step.
static inline float face_flow_depth(const float *bed, const float *h, size_t west, size_t here,
                                    float max_bed_step)
{
    return 0.5f * (max_f(0.0f, h[west] - bed_step_height(bed, west, here, max_bed_step)) +
                   max_f(0.0f, h[here] - bed_step_height(bed, here, west, max_bed_step)));
}

struct shallow_kernels {
    // conservative
    void (*predict)(const struct grid *g, const struct shallow_coefs *coefs,
                    const struct shallow_fields *fields, int j0, int j1);
    void (*depth_flux)(const struct grid *g, const struct shallow_coefs *coefs,
                       const struct shallow_fields *fields, int j0, int j1);
    void (*update_momentum)(const struct grid *g, const struct shallow_coefs *coefs,
                            const struct shallow_fields *fields, int j0, int j1);
    // semi-lagrangian and maccormack
    void (*advect)(const struct grid *g, const struct shallow_coefs *coefs,
                   const struct shallow_fields *fields, int j0, int j1);
    void (*maccormack)(const struct grid *g, const struct shallow_coefs *coefs,
                       const struct shallow_fields *fields, int j0, int j1);
    void (*apply_slope)(const struct grid *g, const struct shallow_coefs *coefs,
                        const struct shallow_fields *fields, int j0, int j1);
    void (*upwind_flux)(const struct grid *g, const struct shallow_coefs *coefs,
                        const struct shallow_fields *fields, int j0, int j1);
    // all
    // h_next from the fluxes of row j. True if the outflow of a cell exceeds its depth.
    bool (*update_depth)(const struct grid *g, const struct shallow_fields *fields, int j);
    // Admissible fraction of the outflow of each cell of row j, to h_half.
    void (*outflow_limiter)(const struct grid *g, const struct shallow_coefs *coefs,
                            const struct shallow_fields *fields, int j);
    // Fluxes of row j times the limiter; `limiter` and `limiter_south` belong to rows j and j - 1.
    void (*limit_flux)(const struct grid *g, const struct shallow_coefs *coefs,
                       const struct shallow_fields *fields, int j, const float *limiter,
                       const float *limiter_south);
    // Largest signal speed |v| + sqrt(g h) of rows j0 .. j1-1; infinite or NaN if a value is.
    float (*max_signal)(const struct grid *g, float gravity, const float *h, const float *u, const float *v,
                        int j0, int j1);
};
KERNELS_DECLARE(struct shallow_kernels, shallow_kernels);

#endif
