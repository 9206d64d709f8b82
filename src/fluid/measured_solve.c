// Counts and times the linear solves of the models implicit and flow.
#include "fluid/measured_solve.h"

#include "base/profile.h"

#include <math.h>

tarn_result measured_setup(struct fluid *f, struct linear_solver *s, const struct linear_system *system)
{
    const double start = profile_start(f->profile);
    const tarn_result r = linear_setup(s, system);
    profile_stop(f->profile, PHASE_LINEAR_SOLVER, start);
    return r;
}

void measured_solve(struct fluid *f, struct linear_solver *s, const double *b, double *x,
                    struct linear_tolerance tolerance, struct linear_report *report)
{
    const double start = profile_start(f->profile);
    linear_solve(s, b, x, tolerance, report);
    profile_stop(f->profile, PHASE_LINEAR_SOLVER, start);
    if (!f->profile) return;
    f->profile->linear_solves += 1;
    f->profile->linear_iterations += report->iterations;
    f->profile->linear_residual = fmax(f->profile->linear_residual, report->residual);
}
