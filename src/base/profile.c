// Reads a monotonic clock for profiles.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "profile.h"

#include <string.h>

#ifdef _WIN32

#include <windows.h>

static double now(void)
{
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceFrequency(&per_second);
    QueryPerformanceCounter(&ticks);
    return (double)ticks.QuadPart / (double)per_second.QuadPart;
}

#else

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

double profile_start(const struct profile *p) { return p && p->enabled ? now() : 0.0; }

void profile_stop(struct profile *p, enum profile_phase phase, double start)
{
    if (p && p->enabled && start > 0.0) p->seconds[phase] += now() - start;
}

void profile_begin_call(struct profile *p)
{
    memset(p->seconds, 0, sizeof p->seconds);
    p->steps = 0;
}

void profile_begin_step(struct profile *p)
{
    p->steps += 1;
    p->linear_solves = p->linear_iterations = p->contact_iterations = p->detections = 0;
    p->linear_residual = 0.0;
}
