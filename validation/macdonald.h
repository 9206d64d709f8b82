// Steady flow with friction in a channel of 1,000 m, whose bed follows from a given depth (MacDonald 1997).
#ifndef VALIDATION_MACDONALD_H
#define VALIDATION_MACDONALD_H

#include "case_api.h"

struct macdonald {
    double discharge, manning; // [m^2/s], [s/m^(1/3)]
    double (*depth)(double x); // [m] x from the inflow
    bool supercritical_inflow, subcritical_outflow;
};

static const double MACDONALD_LENGTH = 1000.0; // [m]

void run_macdonald(struct case_run *run, const struct macdonald *channel);

#endif
