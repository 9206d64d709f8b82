// The classic scheme for smoke in real time: everything in the middle of cells, semi-Lagrangian advection,
// and twenty Gauss-Seidel sweeps for every system, whether that is enough or not.
#ifndef BENCH_CLASSIC_H
#define BENCH_CLASSIC_H

#include <stddef.h>

struct smoke_baseline {
    int n;                                          // cells along each side
    size_t stride;                                  // n and one more on both sides
    float dt, h;                                    // [s], [m]
    float nu, diffusivity, buoyancy;                // [m^2/s] of speeds, of dye and heat; [m/s^2 per K]
    float *u, *v, *dye, *heat, *p, *div, *previous; // stride * stride
    unsigned char *solid;
};
int smoke_init(struct smoke_baseline *c, int n, float h,
               float dt); // -1 without memory; a disc stands in the middle
void smoke_free(struct smoke_baseline *c);
void smoke_add_source(struct smoke_baseline *c); // what one step adds
void smoke_step(struct smoke_baseline *c);
double smoke_max_divergence(const struct smoke_baseline *c); // largest |div u| dx over the fastest speed

#endif
