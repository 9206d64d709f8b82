// Kernels of the shallow-water model. See shallow.c for the equations and shallow_step.c for their order;
// depth_rows.h shows where values lie in a cell.
//
// Loops run over columns 0 .. nx and rows j0 .. j1-1, so that they include the faces of the last column. The
// boundary conditions overwrite the values beyond the boundary. Kernels read two ghost cells on every side.
#ifndef FLUID_SHALLOW_ROWS_H
#define FLUID_SHALLOW_ROWS_H

#include "fluid/depth/depth_rows.h"

struct shallow_fields {
    const float *bed, *load_head;    // [m] load_head NULL: no surface load
    const unsigned char *row_loaded; // per row: a load within two rows
    unsigned char *row_has_wall;     // per row: the bed has a wall; written by the predictor
    const float *load_head_next;     // [m] load head after the substep
    const float *load_head_face[2];  // [m] load head at faces, mean over the substep
    const float *h, *u, *v;          // [m], [m/s] before the substep
    float *h_next, *u_next, *v_next; // after the substep
    float *h_half, *u_half, *v_half; // predictor; velocity after advection
    // [m] Manning's drag from the predictor, in the buffers of u_next and v_next until the corrector writes
    // them.
    float *manning_drag_u, *manning_drag_v;
    float *outflow_limiter; // cell: admissible fraction of the outflow; the buffer of h_half
    float *flux_x, *flux_z; // [m] flux through a face in the substep
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
    // Admissible fraction of the outflow of each cell of row j.
    void (*outflow_limiter)(const struct grid *g, const struct shallow_coefs *coefs,
                            const struct shallow_fields *fields, int j);
    // Fluxes of row j times the limiter; `limiter` and `limiter_south` belong to rows j and j - 1.
    void (*limit_flux)(const struct grid *g, const struct shallow_coefs *coefs,
                       const struct shallow_fields *fields, int j, const float *limiter,
                       const float *limiter_south);
};
KERNELS_DECLARE(struct shallow_kernels, shallow_kernels);

#endif
