// Kernels of the implicit height-field model. See implicit.c for the equations and implicit_step.c for their
// order; depth_rows.h shows where values lie in a cell.
//
// Loops over faces run over columns 0 .. nx and rows j0 .. j1-1 up to nz, so that they include the faces of
// the last column and row. The boundary conditions overwrite the values beyond the boundary.
#ifndef FLUID_IMPLICIT_ROWS_H
#define FLUID_IMPLICIT_ROWS_H

#include "fluid/depth/depth_rows.h"

#include <stdbool.h>

// The flux through a face in the substep is  explicit_flux - beta (head[east] - head[west]).
struct implicit_fields {
    const float *bed, *h, *u, *v;             // [m], [m/s] before the substep
    float *h_next, *u_next, *v_next;          // after the substep
    float *explicit_flux_x, *explicit_flux_z; // [m] until compute_flux
    float *outgoing_u, *outgoing_v;           // [m/s] velocity of the outflow, afterwards, in the same arrays
    float *beta_x, *beta_z;                   // [1]
    float *tension_x, *tension_z;             // [cells^2] surface tension at a face; NULL: none
    float *alpha;                             // cell: dV/d eta
    float *flux_x, *flux_z;                   // [m] flux through a face in the substep
    const float *load_head;                   // [m] at the start of the substep; NULL: no bodies
    double *eta;                              // [m] surface
    double *head;                             // [m] eta and the pressure of surface tension
    const double *displaced, *displaced_slope; // [m] of a column by bodies, and its derivative by eta
    double *residual;                          // [m] of the continuity equation
    float *outflow_limiter;                    // cell: admissible fraction of the outflow
};

struct implicit_coefs {
    float dt_dx;                  // [s/m] dt/dx
    float g_dt_dx;                // [m/s per m] g dt/dx
    float gravity;                // [m/s^2]
    float accel_dt_x, accel_dt_z; // [m/s] external acceleration times dt
    float damping_factor;         // fraction of the velocity that damping leaves in a substep
    float drag_depth;             // [m] d0 dt: friction takes drag_depth/(h + drag_depth) of the velocity
    float dry_depth;              // [m] cells that are not deeper are dry
    float min_film;               // [m] depth of the film under a body that stands on the bed
    float rounding_bias;          // [m] x + bias - bias rounds x to whole quanta
    float max_flux;               // [m] limit of a flux, below which the rounding is exact
    float reserve_depth;          // [m] depth that the limiter keeps in a cell, for rounding
    float tension_coef;           // [cells^2] gamma/(rho g dx^2)
};

struct implicit_kernels {
    // Explicit fluxes and beta.
    void (*assemble_faces)(const struct grid *g, const struct implicit_coefs *k,
                           const struct implicit_fields *f, int j0, int j1);
    // The surface at the start of the substep, from depth and load head.
    void (*start_surface)(const struct grid *g, const struct implicit_fields *f, int j);
    // tension_x, tension_z
    void (*set_tension)(const struct grid *g, const struct implicit_coefs *k, const struct implicit_fields *f,
                        int j0, int j1);
    // head = eta - div(tension grad(eta)); only with surface tension
    void (*compute_head)(const struct grid *g, const struct implicit_fields *f, int j);
    // Largest beta of row j.
    float (*max_beta)(const struct grid *g, const struct implicit_fields *f, int j);
    // Residual of V(eta) = h - div(flux) in row j; returns the sum of its squares.
    double (*compute_residual)(const struct grid *g, const struct implicit_fields *f, int j);
    // alpha of row j, times `scale`.
    void (*assemble_diagonal)(const struct grid *g, const struct implicit_fields *f, double scale, int j);
    // eta += length step
    void (*update_surface)(const struct grid *g, const struct implicit_fields *f, double length,
                           const double *step, int j);
    // Sum of step times residual over row j.
    double (*dot_step_residual)(const struct grid *g, const struct implicit_fields *f, const double *step,
                                int j);
    // Fluxes in whole quanta.
    void (*compute_flux)(const struct grid *g, const struct implicit_coefs *k,
                         const struct implicit_fields *f, int j0, int j1);
    // h_next from the fluxes of row j. True if a depth is negative.
    bool (*update_depth)(const struct grid *g, const struct implicit_fields *f, int j);
    // Limiter of cells whose next depth is negative; with limit_all of all whose outflow exceeds their depth.
    void (*outflow_limiter)(const struct grid *g, const struct implicit_coefs *k,
                            const struct implicit_fields *f, bool limit_all, int j);
    void (*limit_flux)(const struct grid *g, const struct implicit_coefs *k, const struct implicit_fields *f,
                       int j);
    // outgoing_u, outgoing_v from the velocity before the substep and the fluxes.
    void (*outgoing_velocity)(const struct grid *g, const struct implicit_coefs *k,
                              const struct implicit_fields *f, int j0, int j1);
    // u_next, v_next: velocity advected with the fluxes.
    void (*advect_momentum)(const struct grid *g, const struct implicit_coefs *k,
                            const struct implicit_fields *f, int j0, int j1);
    // u_next, v_next: friction, external acceleration and the gradient of the head.
    void (*apply_slope)(const struct grid *g, const struct implicit_coefs *k, const struct implicit_fields *f,
                        int j0, int j1);
};
KERNELS_DECLARE(struct implicit_kernels, implicit_kernels);

#endif
