// Dam breaks onto shallow water and onto a dry bed: the parts that both cases share.
#ifndef VALIDATION_DAM_BREAK_H
#define VALIDATION_DAM_BREAK_H

#include "case_api.h"

struct dam {
    double left, right;         // [m] depths
    double time;                // [s] of the comparison
    double (*depth)(double xi); // [m] exact, at x/t [m/s]
    const char *front;          // name of the front
    double front_depth;         // [m] depth by which the front is found
    double front_speed;         // [m/s]
    double front_limit;         // [cells]
};

// Computes the dam break along x and z, on three grids and with the other advection schemes, and reports. `p`
// is the profile along x on the finest grid. False after a failure.
bool run_dam_break(struct case_run *run, const struct dam *dam, struct profile *p);

#endif
