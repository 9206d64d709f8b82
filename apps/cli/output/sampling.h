// Output times of a run.
//
// Sample k is at time k * every, up to the end of the run. It is taken after step ceil(k every / dt),
// interpolated between the states before and after that step unless it falls on its end. A sample may have
// several parts: instants while a shutter is open, the last of them at k * every.
#ifndef CLI_SAMPLING_H
#define CLI_SAMPLING_H

struct sampler {
    double dt, every;        // [s] of a step, between samples
    long long samples, next; // number of samples; the first that is not yet taken
    int parts, part;         // parts per sample (0: one); the first that is not yet taken
    double shutter;          // [s] exposure time
};

// Samples from 0 to `time` [s]. -1: too many.
int sampler_init(struct sampler *sampler, double dt, double every, double time);

// One sample only, at `time`.
void sampler_init_single(struct sampler *sampler, double dt, double time);

// 1 if samples fall inside steps: they need tarn_world_keep_previous().
int sampler_needs_interpolation(const struct sampler *sampler);

// 1 if the next sample is due after this step (0: the start); `blend` is its position within the step, 0 ..
// 1. The caller then calls sampler_advance(), which returns 1 after the last part of a sample.
int sampler_is_due(const struct sampler *sampler, long long step, double *blend);

int sampler_advance(struct sampler *sampler);

// Divide samples into `parts` over the exposure time `shutter` [s]. Times before 0 become 0.
void sampler_set_shutter(struct sampler *sampler, int parts, double shutter);

double sampler_time(const struct sampler *sampler); // [s] of the next sample, or the next part of one

#endif
