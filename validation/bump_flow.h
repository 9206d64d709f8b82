// Steady flow over a parabolic bump in a channel of 25 m.
#ifndef VALIDATION_BUMP_FLOW_H
#define VALIDATION_BUMP_FLOW_H

#include "case_api.h"

struct bump {
    double discharge;         // [m^2/s] inflow
    double outflow;           // [m] depth at the end
    double jump;              // [m] position of the jump; NONE: subcritical everywhere; INFINITY: no jump
    bool open_end;            // `open` with water as deep as `outflow` outside; otherwise `level`
    const double (*table)[3]; // x, z, h of the source; NULL: none
    int rows;
};

void run_bump_flow(struct case_run *run, const struct bump *bump);

#endif
