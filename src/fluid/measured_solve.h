// Linear solves of a fluid model that are counted and timed in the world's profile.
#ifndef FLUID_MEASURED_SOLVE_H
#define FLUID_MEASURED_SOLVE_H

#include "fluid/fluid.h"
#include "solver/linear.h"

// linear_setup() and linear_solve().
tarn_result measured_setup(struct fluid *f, struct linear_solver *s, const struct linear_system *system);
void measured_solve(struct fluid *f, struct linear_solver *s, const double *b, double *x,
                    struct linear_tolerance tolerance, struct linear_report *report);

#endif
