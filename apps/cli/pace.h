// When a run looks at its world.
//
// Sample k shows time k * every, up to the end of the run. It is taken after step ceil(k every / dt), blended
// from the states before and after that step unless it falls on its end.
#ifndef CLI_PACE_H
#define CLI_PACE_H

struct pace {
    double dt, every;        // [s] of a step, between samples
    long long samples, next; // how many, and the first that is not yet taken
};

// Samples from 0 to `time` [s]. -1: more than can be numbered.
int pace_begin(struct pace *pace, double dt, double every, double time);

// One sample only, at `time`.
void pace_once(struct pace *pace, double dt, double time);

// 1 if samples fall inside steps: they need tarn_world_keep().
int pace_blends(const struct pace *pace);

// 1 if the next sample is taken after this step (0 is the start), or was to be taken before; `blend` is how far
// into the step it lies. The caller counts `next` up.
int pace_due(const struct pace *pace, long long step, double *blend);

double pace_time(const struct pace *pace); // [s] of the next sample

#endif
