// Baselines: what a competent programmer writes first for waves and for shallow water, and the loops of the
// well-known teaching demo. All are compiled for AVX2 too and chosen at run time, as tarn's own loops are.
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include <stddef.h>

// ---- the plain loop: two passes over heights and velocities ----

struct two_pass_wave {
    int n;         // columns along each side
    size_t stride; // n and a ghost on both sides
    float k, dt;   // [1/s] dt c^2/s^2, [s]
    float *h, *v;  // [m], [m/s]; stride * stride
};
int two_pass_init(struct two_pass_wave *p, int n, float k, float dt); // -1 without memory
void two_pass_free(struct two_pass_wave *p);
void two_pass_update_velocity(const struct two_pass_wave *p, int j0, int j1); // v += k lap(h)
void two_pass_update_height(const struct two_pass_wave *p, int j0,
                            int j1); // h += dt v, and the ghosts of these rows

// ---- the literal loop: columns with a branch per neighbour, balls felt column by column ----

struct per_column_ball {
    float x, y, z, rise, radius, mass; // [m], [m/s] upwards, [kg]
};

struct per_column_wave {
    int n;
    float s, dt;      // [m], [s]
    float c, gravity; // [m/s] of waves, [m/s^2]
    float *height;    // [m] from the ground
    float *velocity;  // [m/s]
    float *body;      // [m] of a column that bodies fill
    float *before;    // ... one step ago
    int balls;
    struct per_column_ball ball[3];
};
int per_column_init(struct per_column_wave *l, int n, float s, float dt); // -1 without memory
void per_column_free(struct per_column_wave *l);
void per_column_step(struct per_column_wave *l);

// ---- the textbook's loop: shallow water around an island, forward-backward on a staggered grid ----

struct upwind_shallow {
    int n;                     // columns along each side
    size_t stride;             // n and one more on both sides
    float k, gk;               // [s/m] dt/s, [m/s per m] g dt/s
    float *bed, *depth, *next; // [m]; stride * stride; `next` becomes `depth` after a step
    float *east, *north;       // [m/s] on the west and south faces of a column; walls: 0
};
int upwind_init(struct upwind_shallow *t, int n, float s, float dt); // -1 without memory
void upwind_free(struct upwind_shallow *t);
void upwind_step(struct upwind_shallow *t);

// ---- the bare loop: turn a mesh, and find area, normal and centre of every triangle ----

struct triangle_loop {
    int vertex_count, triangle_count;
    double *vertices, *turned; // x y z each
    int *triangles;            // three vertex numbers each
    double *facets;            // area, normal, centre: 7 each
    double turn[9], shift[3];  // a rotation, row by row, and where it goes
};
int triangle_loop_init(struct triangle_loop *b, int vertex_count,
                       int triangle_count); // -1 without memory; vertices and triangles: the caller
void triangle_loop_free(struct triangle_loop *b);
void triangle_loop_step(struct triangle_loop *b);

#endif
