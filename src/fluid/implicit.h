// What the files of the implicit height field share. See implicit.c for the equations.
#ifndef FLUID_IMPLICIT_H
#define FLUID_IMPLICIT_H

#include "implicit_rows.h"
#include "linear.h"
#include "shallow.h"

struct implicit_def {
    struct shallow_def base;
    double friction, tau, tension, tolerance;
    int solver, iterations;
};

enum { IMPLICIT_FIELDS = 6, IMPLICIT_VECTORS = 7 };

struct implicit {
    struct shallow base; // state and scratch; see shallow.h
    const struct implicit_kernels *kernels;
    const struct linear_kind *kind;
    struct linear_solver *solver;
    struct linear_solver *tense; // for the skin; NULL: there is none
    float *own[IMPLICIT_FIELDS]; // alpha, beta_x, beta_z; with surface tension skin_x, skin_z, calm
    double *
        vector[IMPLICIT_VECTORS]; // eta, head, filled, filling, lack, step, and one more with surface tension
    double *row_sum;              // scratch, per row
};

static inline const struct implicit_def *implicit_def_of(const struct fluid *f)
{
    return (const struct implicit_def *)(const void *)f->spec.data;
}

// implicit_press.c
// What all that presses fills now, of columns whose surface is eta, into vectors 2 and 3; and none of it again.
void implicit_press_fill(struct fluid *f, double dt);
void implicit_press_clear(struct fluid *f);
// Under those that keep the water still nothing passes without a slope, and the speed is that of what has passed.
void implicit_press_still(struct fluid *f, const struct implicit_fields *q);
void implicit_press_slow(struct fluid *f, const struct implicit_fields *q, float k);
// The terms of the linear system into f->terms, times a number; gives back how many. A solver that does not know terms gets a larger
// diagonal instead.
int implicit_press_terms(struct fluid *f, double dt, double scale, bool known, float *alpha);

// implicit_step.c
double implicit_inner(const struct fluid *f, double left);
void implicit_step(struct fluid *f, double dt, int count);

#endif
