// Triangle meshes: closed surfaces with facets, clusters of triangles and volume integrals.
//
//   trimesh.c          allocation, facets
//   clusters.c         Morton order, clusters with surface integrals
//   mass_properties.c  volume integrals, principal axes of inertia
//   triangulate.c      triangulation of planar polygons
#ifndef BODY_MESH_TRIMESH_H
#define BODY_MESH_TRIMESH_H

#include "base/math/math.h"
#include "base/memory.h"

// A closed triangle mesh relative to the centre of mass, in the body's axes. Triangles are counter-clockwise
// seen from outside.
struct trimesh {
    int vertex_count, triangle_count;
    vec3 *vertices;
    int (*triangles)[3];
    struct facet *facets;              // by trimesh_compute_facets()
    struct triangle_cluster *clusters; // by trimesh_build_clusters(); NULL before
    int cluster_count;
};

// Normal, centroid and area of a triangle.
struct facet {
    vec3 normal; // unit, outwards; zero if the area is zero
    vec3 centroid;
    double area; // [m^2]
};

void trimesh_compute_facets(struct trimesh *mesh);

// A cluster of neighbouring triangles with its surface integrals; n is the unit normal and r the position. An
// integrand that is linear in r is integrated over the whole cluster at once.
struct triangle_cluster {
    int first, count;           // range of triangles
    vec3 box_centre, box_half;  // [m] bounding box
    vec3 cone_axis;             // unit: area-weighted mean normal (axis of the normal cone)
    double cone_sine;           // sine of the cone's half angle; 2: the angle is pi/2 or more
    double area;                // [m^2] int dA
    vec3 centroid;              // [m] int r dA / int dA
    vec3 area_vector;           // [m^2] int n dA
    double normal_moment[3][3]; // [m^3] int n_i r_j dA
    vec3 torque_vector;         // [m^3] int r x n dA
    double torque_moment[3][3]; // [m^4] int (r x n)_i r_j dA
};
#define CLUSTER_SIZE 16 // largest number of triangles

// Sorts the triangles in Morton order and builds the clusters. A mesh of at most CLUSTER_SIZE triangles keeps
// its order. False without memory.
bool trimesh_build_clusters(struct trimesh *mesh, const struct memory *m);

// Allocates the arrays of a mesh; the caller fills vertices and triangles. False without memory: then call
// trimesh_free().
bool trimesh_alloc(struct trimesh *mesh, const struct memory *m, int vertices, int triangles);
void trimesh_free(struct trimesh *mesh, const struct memory *m);

// Copies triangles and the vertices that they use; facets are not computed. False without memory: then call
// trimesh_free().
bool trimesh_compact(struct trimesh *out, const struct memory *m, const vec3 *vertices, int vertex_count,
                     const int (*triangles)[3], int triangle_count);

// Volume integrals of a closed mesh.
struct volume_moments {
    double volume;       // [m^3]
    vec3 centroid;       // [m]
    double second[3][3]; // [m^5] int x_i x_j dV about the centroid
};
struct volume_moments trimesh_moments(const struct trimesh *mesh);

// Principal moments of inertia for density 1, and a rotation whose columns are the principal axes. The axes
// are those closest to the axes of the mesh: for a solid aligned with the coordinate axes the rotation is the
// identity.
vec3 principal_of_moments(const struct volume_moments *moments, mat3 *axes); // [m^5]
mat3 inertia_of_moments(const struct volume_moments *moments);               // [m^5] for density 1
vec3 diagonalize_inertia(const mat3 *inertia, mat3 *axes);

// Triangulates a polygon in a horizontal plane into count - 2 triangles. loop[]: its vertices,
// counter-clockwise seen from above; `work`: scratch of 3 count elements. False: the polygon intersects
// itself, or the work limit was reached.
bool triangulate_polygon(const vec3 *vertices, const int *loop, int count, int *work, int (*out)[3]);

#endif
