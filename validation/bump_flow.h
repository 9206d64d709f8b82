// Steady flow over a parabolic bump in a channel of 25 m.
#ifndef VALIDATION_BUMP_H
#define VALIDATION_BUMP_H

#include "case_api.h"

struct bump {
    double discharge;         // [m^2/s] that comes in
    double outflow;           // [m] depth at the end
    double jump;              // [m] place of the jump; NONE: the flow stays subcritical
    const double (*table)[3]; // x, z, h of the source
    int rows;
};

void run_bump_flow(struct case_run *run, const struct bump *bump);

#endif
