// State and scratch of the implicit height-field model. See implicit.c for the equations.
#ifndef FLUID_IMPLICIT_H
#define FLUID_IMPLICIT_H

#include "fluid/depth/depth.h"
#include "implicit_rows.h"
#include "solver/linear.h"

struct implicit {
    struct depth_state depth; // the first member
    const struct implicit_kernels *kernels;
    const struct linear_kind *solver_kind;
    struct linear_solver *surface_solver;
    struct linear_solver *tension_solver; // NULL without surface tension

    // scratch of a substep; the names of a union are uses at different times: the flux at a level surface
    // [m], the velocity of the outflow [m/s]
    union {
        float *explicit_flux_x, *outgoing_u;
    };
    union {
        float *explicit_flux_z, *outgoing_v;
    };
    float *outflow_limiter;              // cell: admissible fraction of the outflow
    float *alpha, *beta_x, *beta_z;      // coefficients of surface_solver
    float *tension_x, *tension_z;        // [cells^2] NULL without surface tension, like the next
    float *tension_alpha;                // coefficient of tension_solver
    double *eta;                         // [m] surface
    double *head;                        // [m] eta and the pressure of surface tension; NULL without
    double *displaced, *displaced_slope; // [m] of a column by bodies; derivative by eta
    double *residual;                    // [m] of the continuity equation
    double *newton_step;                 // [m] change of eta
    double *first_factor;  // solution of the first factor of the Jacobian; NULL without surface tension
    double *row_reduction; // per row: a partial sum or maximum
};

static inline const tarn_implicit_def *implicit_def_of(const struct fluid *f) { return &f->def.implicit; }

// implicit_loads.c
// The displacement of all bodies below the surface eta, and its derivative; and zero again.
void implicit_update_displaced(struct fluid *f, double dt);
void implicit_clear_displaced(struct fluid *f);
// Bodies with stagnant_below: no explicit flux under them; the velocity is the flux divided by the depth.
void implicit_zero_stagnant_flux(struct fluid *f, const struct implicit_fields *fields);
void implicit_set_stagnant_velocity(struct fluid *f, const struct implicit_fields *fields, float dt_dx);
// Appends the low-rank terms of the linear system, times `scale`, to f->load_terms and returns their number.
// For a solver without low-rank terms alpha is increased instead.
int implicit_load_terms(struct fluid *f, double dt, double scale, bool supported, float *alpha);

// implicit_step.c
double implicit_substep_dt(const struct fluid *f, double time_left);
void implicit_advance(struct fluid *f, double dt, int count);

#endif
