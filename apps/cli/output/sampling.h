// When a run looks at its world.
//
// Sample k shows time k * every, up to the end of the run. It is taken after step ceil(k every / dt), blended
// from the states before and after that step unless it falls on its end. A sample may have several parts: moments while a
// shutter is open, the last of them at k * every.
#ifndef CLI_PACE_H
#define CLI_PACE_H

struct pace {
    double dt, every;        // [s] of a step, between samples
    long long samples, next; // how many, and the first that is not yet taken
    int parts, part;         // of each sample; the first that is not yet taken. 0 parts are one
    double shutter;          // [s] how long it is open
};

// Samples from 0 to `time` [s]. -1: more than can be numbered.
int pace_begin(struct pace *pace, double dt, double every, double time);

// One sample only, at `time`.
void pace_once(struct pace *pace, double dt, double time);

// 1 if samples fall inside steps: they need tarn_world_keep().
int pace_blends(const struct pace *pace);

// 1 if the next sample is taken after this step (0 is the start), or was to be taken before; `blend` is how far
// into the step it lies. The caller goes on with pace_go_on(), which gives 1 at the end of a sample.
int pace_due(const struct pace *pace, long long step, double *blend);

int pace_go_on(struct pace *pace);

// Let samples be parts of a shutter's time. Before the run a shutter is closed: what is earlier than 0 is at 0.
void pace_open(struct pace *pace, int parts, double shutter);

double pace_time(const struct pace *pace); // [s] of the next sample, or the next part of one

#endif
