// The loops of the shallow-water model. See shallow.c for the equations and the order.
//
//              v[c+n]
//           +----------+          h, bed   middle of the cell
//     u[c]  |  h[c]    | u[c+1]   u, tx    west face
//           +----------+          v, tz    south face
//              v[c]               n        one row up
//
// Loops run over columns 0 .. nx and rows j0 .. j1-1, so that the faces of the last column come out as well; what
// is computed beyond the sides is overwritten by whoever knows the sides. They read two ghosts on every side.
#ifndef FLUID_SHALLOW_ROWS_H
#define FLUID_SHALLOW_ROWS_H

#include "base/grid.h"
#include "base/kernels.h"

struct shallow_fields {
    const float *bed, *lift;         // [m] lift NULL: nothing presses
    const unsigned char *pressed;    // row: something presses within two rows from here
    const float *next;               // [m] lift after the step
    const float *pass[2];            // [m] lift at the faces, mean over the step
    const float *h, *u, *v;          // [m], [m/s] before the step
    float *h1, *u1, *v1;             // after it
    float *half_h, *half_u, *half_v; // half-way; half_h later: part of what a cell gives that it has
    float *tx, *tz;                  // [m] that passes a face in the step: its flux dt/dx
};

struct shallow_factors {
    float k;      // [s/m] dt/dx
    float gk;     // [m/s per m] g dt/dx
    float ax, az; // [m/s] external acceleration times dt
    float dry;    // [m] no deeper: dry
    float lip;    // [m] drop of the ground over one cell beyond which it pulls no harder: dx
    float magic;  // [m] x + magic - magic is x in whole quanta
    float most;   // [m] that may pass a face at once; for more the rounding would be finer than a quantum
    float spare;  // [m] what is not given away when a cell would give more than it has: for roundings
    float hush;   // [s/m^2] 1/hush is the momentum passed from cell to cell beyond which a murmur is a wave
    float cap;    // [m/s] largest speed
    float deep;   // [m] largest depth that counts in a flux
    float drag;   // [m^(1/3)] g n^2 dt, Manning's friction
};

// [m] What cell c gives to its neighbours.
static inline float shallow_given(const float *tx, const float *tz, size_t c, size_t n)
{
    return (larger(tx[c + 1], 0.0f) - smaller(tx[c], 0.0f)) +
           (larger(tz[c + n], 0.0f) - smaller(tz[c], 0.0f));
}

// [m] Height of the wall that water has to climb from one cell to the next: ground that rises by more than a lip.
static inline float shallow_wall(const float *bed, size_t from, size_t to, float lip)
{
    return larger(0.0f, bed[to] - bed[from] - lip);
}
// [m] Depth of what moves with the speed at a face: the mean of two cells, without what stands behind a wall.
static inline float shallow_moving(const float *bed, const float *h, size_t west, size_t here, float lip)
{
    return 0.5f * (larger(0.0f, h[west] - shallow_wall(bed, west, here, lip)) +
                   larger(0.0f, h[here] - shallow_wall(bed, here, west, lip)));
}

struct shallow_kernels {
    // conservative
    void (*predict)(const struct grid *g, const struct shallow_factors *k, const struct shallow_fields *f,
                    int j0, int j1);
    void (*transfer)(const struct grid *g, const struct shallow_factors *k, const struct shallow_fields *f,
                     int j0, int j1);
    void (*momentum)(const struct grid *g, const struct shallow_factors *k, const struct shallow_fields *f,
                     int j0, int j1);
    // semi-lagrangian and maccormack
    void (*carry)(const struct grid *g, const struct shallow_factors *k, const struct shallow_fields *f,
                  int j0, int j1);
    void (*carry_back)(const struct grid *g, const struct shallow_factors *k, const struct shallow_fields *f,
                       int j0, int j1);
    void (*fall)(const struct grid *g, const struct shallow_factors *k, const struct shallow_fields *f,
                 int j0, int j1);
    void (*upwind)(const struct grid *g, const struct shallow_factors *k, const struct shallow_fields *f,
                   int j0, int j1);
    // all
    // h1 from the transfers of row j. True if a cell gives more than it has.
    bool (*depth)(const struct grid *g, const struct shallow_fields *f, int j);
    // What part of its outflow each cell of row j can give, to half_h.
    void (*ration)(const struct grid *g, const struct shallow_factors *k, const struct shallow_fields *f,
                   int j);
    // Transfers of row j cut to that; `part` and `south` are the rations of rows j and j-1 or rows of ones.
    void (*cut)(const struct grid *g, const struct shallow_factors *k, const struct shallow_fields *f, int j,
                const float *part, const float *south);
    // Fastest signal |v| + sqrt(g h) of rows j0 .. j1-1; infinite or NaN if a value is.
    float (*fastest)(const struct grid *g, float gravity, const float *h, const float *u, const float *v,
                     int j0, int j1);
};
KERNELS_DECLARE(struct shallow_kernels, shallow_kernels);

#endif
