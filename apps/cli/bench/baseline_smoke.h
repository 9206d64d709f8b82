// Baseline for smoke in real time, stable fluids [stam1999]: all values at cell centres, semi-Lagrangian
// advection, and twenty Gauss-Seidel sweeps for every linear system, whatever residual they leave.
#ifndef BENCH_BASELINE_SMOKE_H
#define BENCH_BASELINE_SMOKE_H

#include <stddef.h>

struct smoke_baseline {
    int n;                                          // cells along each side
    size_t stride;                                  // n and a ghost cell on both sides
    float dt, h;                                    // [s], [m]
    float nu, diffusivity, buoyancy;                // [m^2/s] of velocity, of dye and heat; [m/s^2 per K]
    float *u, *v, *dye, *heat, *p, *div, *previous; // stride * stride
    unsigned char *solid;
};
int smoke_init(struct smoke_baseline *c, int n, float h,
               float dt); // -1 without memory; there is a solid disc in the middle
void smoke_free(struct smoke_baseline *c);
void smoke_add_source(struct smoke_baseline *c); // dye and heat of one step
void smoke_step(struct smoke_baseline *c);
double smoke_max_divergence(const struct smoke_baseline *c); // largest |div u| dx over the largest speed

#endif
