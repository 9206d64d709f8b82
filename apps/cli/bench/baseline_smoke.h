// The classic scheme for smoke in real time: everything in the middle of cells, semi-Lagrangian advection, and twenty
// Gauss-Seidel sweeps for every system, whether that is enough or not.
#ifndef BENCH_CLASSIC_H
#define BENCH_CLASSIC_H

#include <stddef.h>

struct classic {
    int n;                                     // cells along each side
    size_t stride;                             // n and one more on both sides
    float dt, h;                               // [s], [m]
    float nu, spread, rise;                    // [m^2/s] of speeds, of dye and heat; [m/s^2 per K]
    float *u, *v, *dye, *heat, *p, *div, *was; // stride * stride
    unsigned char *solid;
};
int classic_init(struct classic *c, int n, float h,
                 float dt); // -1 without memory; a disc stands in the middle
void classic_free(struct classic *c);
void classic_source(struct classic *c); // what one step adds
void classic_step(struct classic *c);
double classic_divergence(const struct classic *c); // largest |div u| dx over the fastest speed

#endif
