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

enum { IMPLICIT_FIELDS = 3, IMPLICIT_VECTORS = 6 };

struct implicit {
    struct shallow base; // state and scratch; see shallow.h
    const struct implicit_kernels *kernels;
    struct linear_solver *solver;
    float *own[IMPLICIT_FIELDS];      // alpha, beta_x, beta_z
    double *vector[IMPLICIT_VECTORS]; // eta, head, filled, filling, lack, step
    double *row_sum;                  // scratch, per row
};

static inline const struct implicit_def *implicit_def_of(const struct fluid *f)
{
    return (const struct implicit_def *)(const void *)f->spec.data;
}

// implicit_step.c
double implicit_inner(const struct fluid *f, double left);
void implicit_step(struct fluid *f, double dt, int count);

#endif
