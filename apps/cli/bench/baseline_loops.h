// Baselines: what a competent programmer writes first for waves and for shallow water, and the loops of the
// well-known teaching demo. All are compiled for AVX2 too and chosen at run time, as tarn's own loops are.
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include <stddef.h>

// ---- the plain loop: two passes over heights and velocities ----

struct plain {
    int n;         // columns along each side
    size_t stride; // n and a ghost on both sides
    float k, dt;   // [1/s] dt c^2/s^2, [s]
    float *h, *v;  // [m], [m/s]; stride * stride
};
int plain_init(struct plain *p, int n, float k, float dt); // -1 without memory
void plain_free(struct plain *p);
void plain_speed(const struct plain *p, int j0, int j1);  // v += k lap(h)
void plain_height(const struct plain *p, int j0, int j1); // h += dt v, and the ghosts of these rows

// ---- the literal loop: columns with a branch per neighbour, balls felt column by column ----

struct literal_ball {
    float x, y, z, rise, radius, mass; // [m], [m/s] upwards, [kg]
};

struct literal {
    int n;
    float s, dt;      // [m], [s]
    float c, gravity; // [m/s] of waves, [m/s^2]
    float *height;    // [m] from the ground
    float *velocity;  // [m/s]
    float *body;      // [m] of a column that bodies fill
    float *before;    // ... one step ago
    int balls;
    struct literal_ball ball[3];
};
int literal_init(struct literal *l, int n, float s, float dt); // -1 without memory
void literal_free(struct literal *l);
void literal_step(struct literal *l);

// ---- the textbook's loop: shallow water around an island, forward-backward on a staggered grid ----

struct textbook {
    int n;                     // columns along each side
    size_t stride;             // n and one more on both sides
    float k, gk;               // [s/m] dt/s, [m/s per m] g dt/s
    float *bed, *depth, *next; // [m]; stride * stride; `next` becomes `depth` after a step
    float *east, *north;       // [m/s] on the west and south faces of a column; walls: 0
};
int textbook_init(struct textbook *t, int n, float s, float dt); // -1 without memory
void textbook_free(struct textbook *t);
void textbook_step(struct textbook *t);

// ---- the bare loop: turn a mesh, and find area, normal and centre of every triangle ----

struct bare {
    int vertex_count, triangle_count;
    double *vertices, *turned; // x y z each
    int *triangles;            // three vertex numbers each
    double *facets;            // area, normal, centre: 7 each
    double turn[9], shift[3];  // a rotation, row by row, and where it goes
};
int bare_init(struct bare *b, int vertex_count,
              int triangle_count); // -1 without memory; vertices and triangles: the caller
void bare_free(struct bare *b);
void bare_step(struct bare *b);

#endif
