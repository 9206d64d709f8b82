// Baselines of `tarn bench`: straightforward loops for waves, shallow water and triangle meshes. All are
// compiled for the baseline CPU and for AVX2 and selected at run time, like the kernels of the library.
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include <stddef.h>

// ---- wave equation in two passes, over velocities and over heights ----

struct two_pass_wave {
    int n;         // columns along each side
    size_t stride; // n and a ghost cell on both sides
    float k, dt;   // [1/s] dt c^2/s^2, [s]
    float *h, *v;  // [m], [m/s]; stride * stride
};
int two_pass_init(struct two_pass_wave *p, int n, float k, float dt); // -1 without memory
void two_pass_free(struct two_pass_wave *p);
void two_pass_update_velocity(const struct two_pass_wave *p, int j0, int j1); // v += k lap(h)
void two_pass_update_height(const struct two_pass_wave *p, int j0,
                            int j1); // h += dt v, and the ghost cells of these rows

// ---- wave equation as in demos for teaching: a branch per neighbour, balls column by column ----

struct per_column_ball {
    float x, y, z, vertical_velocity, radius, mass; // [m], [m/s], [m], [kg]
};

struct per_column_wave {
    int n;
    float s, dt;               // [m] width of a column, [s]
    float c, gravity;          // [m/s] of waves, [m/s^2]
    float *height;             // [m] from the ground
    float *velocity;           // [m/s]
    float *displaced;          // [m] height of a column that bodies fill
    float *displaced_previous; // [m] the same one step before
    int balls;
    struct per_column_ball ball[3];
};
int per_column_init(struct per_column_wave *l, int n, float s, float dt); // -1 without memory
void per_column_free(struct per_column_wave *l);
void per_column_step(struct per_column_wave *l);

// ---- shallow water around an island: upwind, forward-backward in time, on a staggered grid ----

struct upwind_shallow {
    int n;                     // columns along each side
    size_t stride;             // n and a ghost cell on both sides
    float k, gk;               // [s/m] dt/s, [m/s per m] g dt/s
    float *bed, *depth, *next; // [m]; stride * stride; `next` becomes `depth` after a step
    float *east, *north;       // [m/s] on the west and south faces of a column; walls: 0
};
int upwind_init(struct upwind_shallow *t, int n, float s, float dt); // -1 without memory
void upwind_free(struct upwind_shallow *t);
void upwind_step(struct upwind_shallow *t);

// ---- transform a mesh, and compute area, normal and centroid of every triangle ----

struct triangle_loop {
    int vertex_count, triangle_count;
    double *vertices, *rotated;         // x y z each
    int *triangles;                     // three vertex numbers each
    double *facets;                     // area, normal, centroid: 7 each
    double rotation[9], translation[3]; // rotation matrix, row by row; [m]
};
int triangle_loop_init(struct triangle_loop *b, int vertex_count,
                       int triangle_count); // -1 without memory; the caller fills vertices and triangles
void triangle_loop_free(struct triangle_loop *b);
void triangle_loop_step(struct triangle_loop *b);

#endif
