// Shapes of bodies: convex parts for collisions, shape data (volume, inertia, meshes, convex parts), the
// table of shape kinds, and the shared object that a tarn_shape is.
#ifndef BODY_SHAPE_SHAPE_H
#define BODY_SHAPE_SHAPE_H

#include "base/param.h"
#include "body/mesh/trimesh.h"

#include <tarn/tarn.h>

#include <stdatomic.h>

// ---- convex parts -----------------------------------------------------------------------------------
//
// Collision geometry is a set of convex parts. A convex part is a core, rounded by a Minkowski sum with a
// ball. A core is either a convex polyhedron (box, convex hull) or a body of revolution about its y axis with
// a convex profile (radius, height). Sphere: one profile point of radius 0; capsule: two of radius 0;
// cylinder: two of equal radius; cone: one of positive radius and one of radius 0.

// A planar face of a polyhedral core; vertices counter-clockwise seen from outside.
struct convex_face {
    vec3 normal;
    double offset;    // normal . p for its vertices
    int first, count; // range in face_vertices
};
#define MAX_FACE_VERTICES 32 // largest number of vertices of a face

struct profile_point {
    double radius, height; // about the y axis
};

struct convex_part {
    vec3 position;   // [m] centre in the body's axes; the members below are relative to it
    mat3 axes;       // columns: its own axes in the body's axes
    double rounding; // [m] radius of the Minkowski ball
    int vertex_count, face_count, face_vertex_count; // of a polyhedral core; 0: body of revolution
    vec3 *vertices;
    struct convex_face *faces;
    int *face_vertices; // vertex indices of all faces, one face after the other
    int profile_count;  // of a body of revolution, heights ascending; the profile is convex
    struct profile_point *profile;
    vec3 box_half;          // [m] half extents if the core is a box; otherwise zero
    double bounding_radius; // [m] about its centre, rounding included
    bool has_body_pose;     // centre and axes are those of the body; set by tarn_shape_create()
};

// Allocates the arrays of a core; the caller fills them. False without memory, with nothing to free.
bool convex_part_alloc_polyhedron(struct convex_part *p, const struct memory *m, int vertices, int faces,
                                  int face_vertices);
bool convex_part_alloc_profile(struct convex_part *p, const struct memory *m, int profile_points);
void convex_part_free(struct convex_part *p, const struct memory *m);
// Builds the convex hull of points as a convex part about the centre of their bounding box, by quickhull
// [barber1996]. With more than `max_vertices` hull vertices the result is slightly smaller than the true
// hull. TARN_BAD_INPUT if all points lie in one plane.
tarn_result convex_hull_build(struct convex_part *p, const struct memory *m, const vec3 *points, int count,
                              int max_vertices, tarn_error *err);

// ---- shape data -------------------------------------------------------------------------------------

// Volume, inertia and geometry of a shape, relative to its centre of mass, in the axes of its definition.
//
// An open shape (boat, bowl) consists of walls around a compartment. A flat cap closes the opening of the
// compartment:
//
//        ____cap____
//       |\         /|        hull: outer surface and cap, normals outwards
//       | \       / |        compartment: space below the cap; surface with cap, normals outwards
//       |  \_____/  |        solid_surface: surface of the walls
//       |___________|
//
// The hull encloses volume + compartment_volume. Volume, centre of mass and inertia are those of the walls.
struct shape_data {
    double volume; // [m^3]
    double mass;   // [kg] of a compound whose parts have densities; 0: volume times the density of the body
    mat3 inertia;  // [m^5] about the centre of mass for a density of 1 kg/m^3; [kg m^2] if mass is not 0
    struct trimesh hull;
    struct trimesh compartment;   // no triangles: closed shape
    struct trimesh solid_surface; // no triangles: equal to the hull
    double compartment_volume;    // [m^3]
    vec3 *opening;                // polygon of the opening's edge, counter-clockwise seen from above
    int opening_count;
    struct convex_part *convex_parts;
    int convex_part_count;
};
static inline bool shape_is_open(const struct shape_data *shape)
{
    return shape->compartment.triangle_count > 0;
}
// The surface of the solid, without cap.
static inline const struct trimesh *shape_solid_surface(const struct shape_data *shape)
{
    return shape->solid_surface.triangle_count > 0 ? &shape->solid_surface : &shape->hull;
}
// Allocates convex parts with the identity as axes. False without memory.
bool shape_alloc_parts(struct shape_data *shape, const struct memory *m, int count);
void shape_translate(struct shape_data *shape, vec3 offset); // recomputes the facets
void shape_data_free(struct shape_data *shape, const struct memory *m);

// Memory behind the const arrays of a tarn_render_mesh.
struct render_arrays {
    float *vertices;
    int *triangles;
};

// Memory behind the const arrays of a tarn_mesh.
struct triangle_arrays {
    int vertex_count, triangle_count;
    double *vertices; // [m] x, y, z of each vertex
    int *triangles;
};
static inline tarn_mesh triangles_view(const struct triangle_arrays *t)
{
    return (tarn_mesh){t->vertex_count, t->triangle_count, t->vertices, t->triangles};
}
// False without memory: then call triangle_arrays_free().
bool triangle_arrays_alloc(struct triangle_arrays *t, int vertices, int triangles, const struct memory *m);
void triangle_arrays_free(struct triangle_arrays *t, const struct memory *m);

// ---- open shapes ------------------------------------------------------------------------------------

// Checks that walls of this thickness leave space inside a shape of this width and height [m]. TARN_OK or
// TARN_BAD_INPUT.
tarn_result check_wall_thickness(double wall, double width, double height, tarn_error *err);

// Subtracts `inner` from a shape; the tops are aligned. Both are given about their own centres of mass, which
// lie on the y axis; both have flat tops whose edges have the same number of vertices. The hull of `inner`
// moves to `shape`. TARN_OK or TARN_NO_MEMORY; in either case the caller frees both shapes.
tarn_result shape_hollow(struct shape_data *shape, struct shape_data *inner, const struct memory *m,
                         tarn_error *err);

// Opens a shape whose hull is the closed surface of its walls. That surface becomes solid_surface; the space
// that the walls enclose below `height` (in the axes of the hull) becomes the compartment. Vertices within
// WELD_TOLERANCE of the height are moved to it. Volume and inertia are not changed; the facets are computed
// later, by shape_translate(). TARN_OK, TARN_NO_MEMORY or TARN_BAD_INPUT; the caller frees the shape in any
// case.
tarn_result shape_open_mesh(struct shape_data *shape, double height, const struct memory *m, tarn_error *err);

struct shape_kind {
    tarn_kind kind;  // its parameters, over the kind's struct: tarn_sphere and so on
    size_t def_size; // of that struct, as much of it as is in a tarn_shape_def
    bool planar;     // for planar worlds, see prism.h
    // Default drag: coefficient C_D per effective area sum A max(0, omega n.u/|u| + 1 - omega) and the
    // orientation weight omega; faces parallel to the flow keep 1 - omega (skin friction). C_D is chosen so
    // that the drag approximates measured values [hoerner1965].
    double drag_coefficient, drag_orientation;
    // Makes the shape data from the kind's struct, which is checked against its ranges. TARN_OK,
    // TARN_BAD_INPUT or TARN_NO_MEMORY; on failure there is nothing to free. The hull encloses exactly volume
    // + compartment_volume, and its facets are computed.
    tarn_result (*make)(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err);
};

const struct shape_kind *shape_kind_at(int index); // index: a tarn_shape_type; NULL if there is none
const struct shape_kind *shape_kind_of(const tarn_kind *kind);

// ---- shapes -----------------------------------------------------------------------------------------

// The object behind a tarn_shape. Nothing but the number of references changes after it was made.
struct tarn_shape {
    atomic_int ref_count;
    struct memory memory; // of all that it owns
    const struct shape_kind *kind;
    tarn_shape_def def; // its pointers lead to the copies below
    struct shape_data data;
    double bounding_radius;            // [m] about the centre of mass
    tarn_render_mesh mesh;             // solid surface as floats
    tarn_render_mesh compartment_mesh; // compartment as floats; no triangles: closed shape
    tarn_vec2 *outline;                // of a planar shape
    int outline_count;
    uint64_t content; // hash of kind, parameters, mesh and children
    // copies of what the definition borrows, and the arrays of the meshes
    double *rows;
    size_t row_numbers;
    tarn_compound_child *children;
    struct triangle_arrays source;
    struct render_arrays mesh_arrays, compartment_arrays;
};

extern const tarn_kind compound_child_kind; // parameters of the children of a compound

// Hash of what a definition says: equal for equal shapes. The definition is checked already.
uint64_t shape_content(const struct shape_kind *kind, const tarn_shape_def *def);

// Shapes of different content, found by their content. Start with zero; it holds a reference to each.
struct shape_set {
    const tarn_shape **list;
    int *buckets; // index in the list + 1, by content; 0: empty
    int count, list_capacity, bucket_count;
};
bool shape_set_add(struct shape_set *set, const tarn_shape *shape,
                   const struct memory *m);                                      // false: no memory
const tarn_shape *shape_set_find(const struct shape_set *set, uint64_t content); // NULL: none
void shape_set_free(struct shape_set *set, const struct memory *m);

// The part of a checkpoint that has the shapes: each once, children before their compounds.
bool shape_set_add_with_children(struct shape_set *set, const tarn_shape *shape, const struct memory *m);
void shape_set_save(struct saver *s, const struct shape_set *set);
tarn_result shape_set_load(struct loader *l, struct shape_set *set, const struct memory *m, tarn_error *err);

#endif
