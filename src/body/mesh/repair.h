// Any heap of triangles -> a closed solid.
//
//   weld.c    corners at the same place become one       edges.c  who is whose neighbour, holes
//   parts.c   consistent and outward faces, cavities     solid.c  the order of it all, mass
#ifndef BODY_SOLID_H
#define BODY_SOLID_H

#include "body/shape/shape.h"

#include <tarn/tarn.h>

#define MAX_MESH_COORDINATE 1e9       // [m] farthest coordinate
#define WELD_TOLERANCE      1e-6      // of the longest side of the box: what is closer is one point
#define MAX_HOLE_EDGES      64        // longest loop of open edges that is capped
#define MAX_MESH_ELEMENTS   100000000 // triangles or vertices: three times as many are still an int

// Triangles as given, lent.
struct triangle_soup {
    int vertex_count, triangle_count;
    const double *vertices; // [m] x y z each
    const int *triangles;
};

struct solid_mesh {
    struct trimesh mesh;    // about the centre of mass, its axes as given
    double volume;          // [m^3]
    vec3 centroid;          // [m] as given
    vec3 principal_inertia; // [m^5] principal, for a density of 1
    mat3 principal_axes;    // its columns are the principal axes
};

// TARN_OK; TARN_BAD_INPUT: the numbers are impossible or, with facts->trouble, they make no solid; TARN_NO_MEMORY.
// The facts are filled in as far as they are known. On failure there is nothing to free.
tarn_result mesh_repair(const struct triangle_soup *in, const struct memory *m, struct solid_mesh *out,
                        tarn_mesh_facts *facts, tarn_error *err);
void solid_mesh_free(struct solid_mesh *s, const struct memory *m);

// ---- inside -----------------------------------------------------------------------------------------

#define ARENA_BLOCKS 24

// The surface while it is worked on.
struct repair_mesh {
    const struct memory *memory;
    struct {
        void *p;
        size_t count, size;
    } blocks[ARENA_BLOCKS]; // all that was taken and not released
    int block_count;

    vec3 origin;   // [m] middle of the box: the vertices are relative to it
    double extent; // [m] longest side of the box
    int vertex_count, triangle_count;
    vec3 *vertices;
    int (*triangles)[3];
    int *twin; // of each edge 3t + k, from corner k to the next: the same edge of the neighbour, or below
    int *component;   // of each triangle
    char *is_flipped; // of each triangle that is no cap
    int component_count;
    int input_triangle_count; // triangles that are no caps
    tarn_mesh_facts *report;
};
enum { EDGE_BOUNDARY = -1, EDGE_NONMANIFOLD = -2 };

// Zeroed memory until shell_release(s, mark) with a mark from before. NULL without memory.
void *arena_alloc(struct repair_mesh *s, size_t count, size_t size);
static inline int arena_mark(const struct repair_mesh *s) { return s->block_count; }
void arena_release(struct repair_mesh *s, int mark);

// order[0 .. n): stable sort by keys[order[i]], each 0 .. range-1. `count` has range + 1 places, `spare` n.
void counting_sort(const int *keys, int n, int range, int *order, int *spare, int *count);

// Each false without memory.
bool mesh_weld(struct repair_mesh *s, const struct triangle_soup *in); // vertices, triangles; box and facts
bool mesh_pair_edges(struct repair_mesh *s); // drops what has no area, fills in mate
bool mesh_orient_consistently(struct repair_mesh *s,
                              int *twisted); // part, and faces that agree with their neighbours
bool mesh_fill_holes(struct repair_mesh *s); // closes small holes
bool mesh_orient_outward(struct repair_mesh *s,
                         bool *lost); // lost: too many parts to tell which is inside which

#endif
