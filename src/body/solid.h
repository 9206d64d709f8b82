// Any heap of triangles -> a closed solid.
//
//   weld.c    corners at the same place become one       edges.c  who is whose neighbour, holes
//   parts.c   consistent and outward faces, cavities     solid.c  the order of it all, mass
#ifndef BODY_SOLID_H
#define BODY_SOLID_H

#include "shape.h"

#include <tarn/tarn.h>

#define SOLID_REACH 1e9       // [m] farthest coordinate
#define WELD_PART   1e-6      // of the longest side of the box: what is closer is one point
#define HOLE_EDGES  64        // longest loop of open edges that is capped
#define SOLID_MOST  100000000 // triangles or vertices: three times as many are still an int

// Triangles as given, lent.
struct soup {
    int vertex_count, triangle_count;
    const double *vertices; // [m] x y z each
    const int *triangles;
};

struct solid {
    struct hull hull; // about the centre of mass, its axes as given
    double volume;    // [m^3]
    vec3 centre;      // [m] as given
    vec3 inertia;     // [m^5] principal, for a density of 1
    mat3 axes;        // its columns are the principal axes
};

// TARN_OK; TARN_BAD_INPUT: the numbers are impossible or, with facts->trouble, they make no solid; TARN_NO_MEMORY.
// The facts are filled in as far as they are known. On failure there is nothing to free.
tarn_result solid_make(const struct soup *in, const struct memory *m, struct solid *out,
                       tarn_mesh_facts *facts, tarn_error *err);
void solid_free(struct solid *s, const struct memory *m);

// ---- inside -----------------------------------------------------------------------------------------

#define SHELL_BLOCKS 24

// The surface while it is worked on.
struct shell {
    const struct memory *memory;
    struct {
        void *p;
        size_t count, size;
    } blocks[SHELL_BLOCKS]; // all that was taken and not released
    int block_count;

    vec3 origin;   // [m] middle of the box: the vertices are relative to it
    double extent; // [m] longest side of the box
    int vertex_count, triangle_count;
    vec3 *vertices;
    int (*triangles)[3];
    int *mate;    // of each edge 3t + k, from corner k to the next: the same edge of the neighbour, or below
    int *part;    // of each triangle
    char *turned; // of each triangle that is no cap
    int part_count;
    int own_count; // triangles that are no caps
    tarn_mesh_facts *facts;
};
enum { EDGE_OPEN = -1, EDGE_CROWDED = -2 };

// Zeroed memory until shell_release(s, mark) with a mark from before. NULL without memory.
void *shell_take(struct shell *s, size_t count, size_t size);
static inline int shell_mark(const struct shell *s) { return s->block_count; }
void shell_release(struct shell *s, int mark);

// order[0 .. n): stable sort by keys[order[i]], each 0 .. range-1. `count` has range + 1 places, `spare` n.
void sort_by(const int *keys, int n, int range, int *order, int *spare, int *count);

// Each false without memory.
bool shell_weld(struct shell *s, const struct soup *in); // vertices, triangles; box and facts
bool shell_edges(struct shell *s);                       // drops what has no area, fills in mate
bool shell_agree(struct shell *s, int *twisted);         // part, and faces that agree with their neighbours
bool shell_cap(struct shell *s);                         // closes small holes
bool shell_outward(struct shell *s, bool *lost);         // lost: too many parts to tell which is inside which

#endif
