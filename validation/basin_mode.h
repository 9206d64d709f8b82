// Standing waves of a rectangular basin: how fast one swings.
#ifndef VALIDATION_MODE_H
#define VALIDATION_MODE_H

#include "case_api.h"

// One mode of a x b metres: cos(m pi x/a) cos(n pi z/b), x and z from the corner.
struct mode {
    int m, n;
};
double mode_shape(const struct mode *mode, const tarn_frame *frame, size_t cell);

// Take `count` steps of dt and follow the mode. `time` and `amplitude` (count each, [s] and [m]) are filled
// unless there is trouble. Returns its frequency [rad/s]; `guess` need only be within a third of it.
double fit_mode_frequency(struct case_run *run, tarn_world *world, const struct mode *mode, double dt,
                          int count, double guess, double *time, double *amplitude);

#endif
