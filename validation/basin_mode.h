// Frequencies of the standing waves of a rectangular basin.
#ifndef VALIDATION_BASIN_MODE_H
#define VALIDATION_BASIN_MODE_H

#include "case_api.h"

// A mode of a basin of a x b metres: cos(m pi x/a) cos(n pi z/b), x and z from the corner.
struct mode {
    int m, n;
};
double mode_shape(const struct mode *mode, const tarn_frame *frame, size_t cell);

// Take `count` steps of dt and record the amplitude of the mode: `time` [s] and `amplitude` [m] have `count`
// elements. Returns its frequency [rad/s], NAN after a failure; `guess` must be within a third of it.
double fit_mode_frequency(struct case_run *run, tarn_world *world, const struct mode *mode, double dt,
                          int count, double guess, double *time, double *amplitude);

#endif
