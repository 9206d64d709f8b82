// What the files of the implicit height field share. See implicit.c for the equations.
#ifndef FLUID_IMPLICIT_H
#define FLUID_IMPLICIT_H

#include "fluid/shallow/shallow.h"
#include "implicit_rows.h"
#include "solver/linear.h"

struct implicit_def {
    struct shallow_def depth;
    double drag_velocity, damping_fraction, tension, tolerance;
    int solver, max_iterations;
};

enum { IMPLICIT_FIELDS = 6, IMPLICIT_VECTORS = 7 };

struct implicit {
    struct shallow depth; // state and scratch; see shallow.h
    const struct implicit_kernels *kernels;
    const struct linear_kind *solver_kind;
    struct linear_solver *surface_solver;
    struct linear_solver *tension_solver; // for the skin; NULL: there is none
    float *own[IMPLICIT_FIELDS];          // alpha, beta_x, beta_z; with surface tension skin_x, skin_z, calm
    double *
        vector[IMPLICIT_VECTORS]; // eta, head, filled, filling, lack, step, and one more with surface tension
    double *row_reduction;        // scratch, per row
};

static inline const struct implicit_def *implicit_def_of(const struct fluid *f)
{
    return (const struct implicit_def *)(const void *)f->params.data;
}

// implicit_press.c
// What all that presses fills now, of columns whose surface is eta, into vectors 2 and 3; and none of it again.
void implicit_update_displaced(struct fluid *f, double dt);
void implicit_clear_displaced(struct fluid *f);
// Under those that keep the water still nothing passes without a slope, and the speed is that of what has passed.
void implicit_zero_stagnant_flux(struct fluid *f, const struct implicit_fields *q);
void implicit_set_stagnant_velocity(struct fluid *f, const struct implicit_fields *q, float k);
// The terms of the linear system into f->terms, times a number; gives back how many. A solver that does not know terms gets a larger
// diagonal instead.
int implicit_load_terms(struct fluid *f, double dt, double scale, bool known, float *alpha);

// implicit_step.c
double implicit_substep_dt(const struct fluid *f, double left);
void implicit_advance(struct fluid *f, double dt, int count);

#endif
