// The loops of the implicit height field. See implicit.c for the equations and the order.
//
//              v[c+n]
//           +----------+          h, bed, eta   middle of the cell
//     u[c]  |  h[c]    | u[c+1]   u, tx         west face
//           +----------+          v, tz         south face
//              v[c]               n             one row up
//
// Loops over faces run over columns 0 .. nx and rows j0 .. j1-1 up to nz, so that the faces of the last column and row
// come out as well; what is computed beyond the sides is overwritten by whoever knows the sides.
#ifndef FLUID_IMPLICIT_ROWS_H
#define FLUID_IMPLICIT_ROWS_H

#include "base/grid.h"
#include "base/kernels.h"

#include <stdbool.h>

struct implicit_fields {
    const float *bed, *h, *u, *v;    // [m], [m/s] before the step
    float *h_next, *u_next, *v_next; // after it
    float *explicit_flux_x,
        *explicit_flux_z;   // [m] that would pass a face without a slope; later [m/s] speeds that leave it
    float *beta_x, *beta_z; // ... and less by this much for a rise of 1 across it
    float *tension_x, *tension_z; // [cells^2] surface tension at a face; NULL: there is none
    float *alpha;                 // cell: dV/d eta
    float *flux_x, *flux_z;       // [m] that passes a face in the step
    const float *load_head;       // [m] what was filled of a column at the start; NULL: nothing
    double *eta;                  // [m] surface
    double *head;                 // [m] what drives the water: eta, and less where it is curved
    const double *displaced,
        *displaced_slope;   // [m] of a column by what presses on it, and how that grows with eta
    double *residual;       // [m] what is missing in the balance of a cell
    float *outflow_limiter; // cell: of what it would give, what it can
};

struct implicit_coefs {
    float dt_dx;                  // [s/m] dt/dx
    float g_dt_dx;                // [m/s per m] g dt/dx
    float gravity;                // [m/s^2]
    float accel_dt_x, accel_dt_z; // [m/s] external acceleration times dt
    float damping_factor;         // part of the speed that is not damped
    float drag_depth;             // [m] d0 dt: friction takes rough/(h + rough) of the speed
    float dry_depth;              // [m] no deeper: dry
    float min_film;               // [m] that is left between what presses and the ground
    float rounding_bias;          // [m] x + magic - magic is x in whole quanta
    float max_flux;               // [m] that may pass a face at once
    float reserve_depth;          // [m] what is not given away when a cell would give more than it has
    float tension_coef;           // [cells^2] gamma/(rho g dx^2)
};

struct implicit_kernels {
    // free_x .. beta_z from the state.
    void (*assemble_faces)(const struct grid *g, const struct implicit_coefs *k,
                           const struct implicit_fields *f, int j0, int j1);
    // The surface at the start, from depth and lift.
    void (*start_surface)(const struct grid *g, const struct implicit_fields *f, int j);
    // skin_x, skin_z: the faces at which surface tension pulls.
    void (*tension_faces)(const struct grid *g, const struct implicit_coefs *k,
                          const struct implicit_fields *f, int j0, int j1);
    // head = eta - div(skin grad(eta)).
    void (*apply_tension)(const struct grid *g, const struct implicit_fields *f, int j);
    // The largest beta of row j.
    float (*max_beta)(const struct grid *g, const struct implicit_fields *f, int j);
    // What the balance V(eta) = h - div(t) lacks in row j; the sum of its squares.
    double (*compute_residual)(const struct grid *g, const struct implicit_fields *f, int j);
    // alpha of row j, times a number.
    void (*assemble_diagonal)(const struct grid *g, const struct implicit_fields *f, double scale, int j);
    // eta += part step.
    void (*update_surface)(const struct grid *g, const struct implicit_fields *f, double part,
                           const double *step, int j);
    // The sum of step times lack.
    double (*dot_step_residual)(const struct grid *g, const struct implicit_fields *f, const double *step,
                                int j);
    // What passes the faces, in whole quanta.
    void (*compute_flux)(const struct grid *g, const struct implicit_coefs *k,
                         const struct implicit_fields *f, int j0, int j1);
    // h1 from the transfers of row j. True if a cell gives more than it gets and has.
    bool (*update_depth)(const struct grid *g, const struct implicit_fields *f, int j);
    // What part of its outflow each such cell of row j can give (`all`: each that gives more than it has).
    void (*outflow_limiter)(const struct grid *g, const struct implicit_coefs *k,
                            const struct implicit_fields *f, bool all, int j);
    void (*limit_flux)(const struct grid *g, const struct implicit_coefs *k, const struct implicit_fields *f,
                       int j);
    // Speeds with which water leaves the faces, to free_x and free_z.
    void (*outgoing_velocity)(const struct grid *g, const struct implicit_fields *f, int j0, int j1);
    // u1, v1: speeds carried along with the water that passes.
    void (*advect_momentum)(const struct grid *g, const struct implicit_coefs *k,
                            const struct implicit_fields *f, int j0, int j1);
    // u1, v1: friction, external acceleration and the slope of the head.
    void (*apply_slope)(const struct grid *g, const struct implicit_coefs *k, const struct implicit_fields *f,
                        int j0, int j1);
};
KERNELS_DECLARE(struct implicit_kernels, implicit_kernels);

#endif
