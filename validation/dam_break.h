// A dam that breaks at t = 0: what the wet and the dry case share.
#ifndef VALIDATION_DAM_H
#define VALIDATION_DAM_H

#include "case_api.h"

struct dam {
    double left, right;         // [m] depths
    double time;                // [s] when it is looked at
    double (*depth)(double xi); // [m] exact, at x/t [m/s]
    const char *front;          // name of the front, where the depth is
    double front_depth;         // [m]
    double front_speed;         // [m/s]
    double front_limit;         // [cells]
};

// Runs the dam along x and z, on three grids and with the other advections, and reports. `p` is the line
// along x on the finest grid. False after trouble.
bool run_dam_break(struct case_run *run, const struct dam *dam, struct profile *p);

#endif
