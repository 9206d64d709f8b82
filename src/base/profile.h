// Profile of a step: wall-clock seconds per phase and numbers of iterations. It is no part of the state.
#ifndef BASE_PROFILE_H
#define BASE_PROFILE_H

#include <stdbool.h>

enum profile_phase {
    PHASE_STEP,
    PHASE_EMITTERS,
    PHASE_BROAD_PHASE,
    PHASE_NARROW_PHASE,
    PHASE_CONTACT_SOLVER,
    PHASE_FLUID,
    PHASE_LINEAR_SOLVER,
    PHASE_COUPLING,
    PHASE_COUNT
};

struct profile {
    bool enabled;                // seconds are measured
    double seconds[PHASE_COUNT]; // of the last call of tarn_world_advance()
    int steps;                   // of this call
    // Of the last step, also while the profile is not enabled:
    int linear_solves, linear_iterations;
    double linear_residual; // largest relative residual
    int contact_iterations; // largest number of velocity iterations in a solver step
    int detections;         // of contacts
};

// The time in seconds from an arbitrary origin; 0 without a profile or if it is not enabled.
double profile_start(const struct profile *p);

// Adds the time since profile_start() to a phase.
void profile_stop(struct profile *p, enum profile_phase phase, double start);

// Makes a call and adds its time to a phase.
#define MEASURE(profile, phase, call)                        \
    do {                                                     \
        const double measure_start = profile_start(profile); \
        call;                                                \
        profile_stop(profile, phase, measure_start);         \
    } while (0)

// The start of a call that takes steps, and of a world step.
void profile_begin_call(struct profile *p);
void profile_begin_step(struct profile *p);

#endif
