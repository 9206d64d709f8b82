// Mesh repair: from a triangle soup to a closed, outward-oriented solid with mass properties.
//
//   weld.c       merges vertices within a tolerance
//   adjacency.c  twins, duplicate and degenerate triangles
//   fill_holes.c caps of small boundary loops
//   orient.c     connected components, consistent and outward winding, cavities
//   repair.c     order of the passes, report
#ifndef BODY_MESH_REPAIR_H
#define BODY_MESH_REPAIR_H

#include "base/arena.h"
#include "body/mesh/trimesh.h"

#include <tarn/tarn.h>

#define MAX_MESH_COORDINATE 1e9       // [m] largest absolute coordinate
#define WELD_TOLERANCE      1e-6      // of the longest side of the bounding box; closer vertices are merged
#define MAX_HOLE_EDGES      64        // longest boundary loop that is capped
#define MAX_MESH_ELEMENTS   100000000 // of triangles and of vertices; three times this number is still an int

// Triangles as the caller gives them, without any promise; arrays borrowed during a call.
struct triangle_soup {
    int vertex_count, triangle_count;
    const double *vertices; // [m] x, y, z of each vertex
    const int *triangles;
};

struct solid_mesh {
    struct trimesh mesh;    // relative to the centroid, axes as given
    double volume;          // [m^3]
    vec3 centroid;          // [m] in the given coordinates
    vec3 principal_inertia; // [m^5] principal moments for density 1
    mat3 principal_axes;    // columns: principal axes
};

// TARN_OK; TARN_BAD_INPUT: invalid numbers or, with report->problem, a mesh that is no solid; TARN_NO_MEMORY.
// The report is filled in as far as the repair came. On failure there is nothing to free.
tarn_result mesh_repair(const struct triangle_soup *in, const struct memory *m, struct solid_mesh *out,
                        tarn_mesh_report *report, tarn_error *err);
void solid_mesh_free(struct solid_mesh *solid, const struct memory *m);

// ---- internal ---------------------------------------------------------------------------------------

// Working mesh of the passes.
struct repair_mesh {
    struct arena arena; // allocator of the arrays below
    vec3 origin;        // [m] centre of the bounding box; vertices are relative to it
    double extent;      // [m] longest side of the bounding box
    int vertex_count, triangle_count;
    vec3 *vertices;
    int (*triangles)[3];
    int *twin;        // [3t + k] twin of the half-edge from vertex k of triangle t to the next; or EDGE_*
    int *component;   // [triangle] connected component
    char *is_flipped; // [input triangle]
    int component_count;
    int input_triangle_count; // triangles without the caps of holes
    tarn_mesh_report *report;
};
// Half-edges without a twin: the edge has one triangle; it has more than two.
enum { EDGE_BOUNDARY = -1, EDGE_NONMANIFOLD = -2 };

// The passes, in this order. Each returns false without memory.
bool mesh_weld(struct repair_mesh *mesh, const struct triangle_soup *in); // vertices, triangles, box
bool mesh_pair_edges(struct repair_mesh *mesh); // drops duplicate and degenerate triangles, fills twin
// Fills `component` and makes the winding consistent; counts components that are not orientable.
bool mesh_orient_consistently(struct repair_mesh *mesh, int *non_orientable_count);
bool mesh_fill_holes(struct repair_mesh *mesh); // caps loops of up to MAX_HOLE_EDGES boundary edges
// too_many: the nesting test of the components would take too long, and nothing was changed.
bool mesh_orient_outward(struct repair_mesh *mesh, bool *too_many);

#endif
