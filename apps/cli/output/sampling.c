// Output times of a run; see sampling.h.
#include "sampling.h"

#include <math.h>

// [steps] A sample this close to the end of a step is taken at the end: far above the rounding error of
// k every / dt in any run, far below what is visible in a plot.
static const double SNAP = 1e-6;

static const double MAX_SAMPLES = 999999999; // frames are numbered with nine digits at most

int sampler_init(struct sampler *p, double dt, double every, double time)
{
    const double samples = floor(time / every * (1.0 + 1e-12) + SNAP) + 1.0;

    if (samples > MAX_SAMPLES) return -1;
    *p = (struct sampler){.dt = dt, .every = every, .samples = (long long)samples};
    return 0;
}

void sampler_init_single(struct sampler *p, double dt, double time)
{
    *p = (struct sampler){.dt = dt, .every = time, .samples = 2, .next = 1};
}

void sampler_set_shutter(struct sampler *p, int parts, double shutter)
{
    p->parts = parts;
    p->shutter = shutter;
}

int sampler_advance(struct sampler *p)
{
    if (++p->part < p->parts) return 0;
    p->part = 0;
    ++p->next;
    return 1;
}

int sampler_needs_interpolation(const struct sampler *p)
{
    if (p->parts > 1) return 1;
    const double ratio = p->every / p->dt;
    return fabs(ratio - round(ratio)) * (double)p->samples > SNAP;
}

int sampler_is_due(const struct sampler *p, long long step, double *blend)
{
    if (p->next >= p->samples) return 0;
    const double at = sampler_time(p) / p->dt;
    const double due = ceil(at - SNAP);

    *blend = at - due + 1.0;
    if (*blend > 1.0 - SNAP || due <= 0.0) *blend = 1.0;
    return (double)step >= due;
}

double sampler_time(const struct sampler *p)
{
    const double end = (double)p->next * p->every;
    if (p->parts < 2) return end;
    return fmax(end - p->shutter * (p->parts - 1 - p->part) / p->parts, 0.0);
}
