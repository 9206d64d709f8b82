/// @file shape.h
/// Shapes: geometry that any number of bodies in any number of worlds can share.
///
/// tarn_shape_create() repairs a mesh and builds the hull on which water pressure acts, the convex parts for
/// collision detection and the triangles for drawing. A shape never changes and has a reference count; any
/// thread may retain and release it. Lengths are in the axes of the shape, y up. The position of a body is
/// that of its centre of mass.
#ifndef TARN_SHAPE_H
#define TARN_SHAPE_H

#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Triangles that the caller passes to a call. The call keeps no pointer to them.
typedef struct tarn_mesh {
    int vertex_count, triangle_count;
    const double *vertices; ///< [m] x y z each
    const int *triangles;   ///< three vertex numbers each
} tarn_mesh;

/// A closed triangle mesh in a body's own frame (origin: centre of mass).
typedef struct tarn_render_mesh {
    int vertex_count, triangle_count;
    const float *vertices; ///< [m] x y z each
    const int *triangles;  ///< three vertex numbers each, counter-clockwise from outside
} tarn_render_mesh;

// ---- shapes ---------------------------------------------------------------------------------------

/// A shape with a reference count; see the beginning of this file.
typedef struct tarn_shape tarn_shape;

/// Types of shapes, in the order of tarn_kind_at("shape", ...).
typedef enum tarn_shape_type {
    TARN_SHAPE_SPHERE = 0,
    TARN_SHAPE_BOX = 1,
    TARN_SHAPE_CAPSULE = 2,
    TARN_SHAPE_CYLINDER = 3,
    TARN_SHAPE_CONE = 4,
    TARN_SHAPE_TORUS = 5,
    TARN_SHAPE_LATHE = 6,
    TARN_SHAPE_CONVEX_HULL = 7,
    TARN_SHAPE_WIGLEY = 8,
    TARN_SHAPE_MESH = 9,
    TARN_SHAPE_COMPOUND = 10,
    TARN_SHAPE_CIRCLE = 11, ///< planar: for worlds of the model `flow`, 1 m deep, which also have boxes
    TARN_SHAPE_POLYGON = 12 ///< planar
} tarn_shape_type;

/// A ball.
typedef struct tarn_sphere {
    double radius; ///< [m] 0.25, 0.001 .. 100
} tarn_sphere;

/// A box, solid or open at the top.
typedef struct tarn_box {
    tarn_vec3 size;        ///< [m] 0.5 0.5 0.5, 0.001 .. 100 each: edge lengths
    double wall_thickness; ///< [m] 0, 0 .. 100: of walls and floor, open at the top; 0: solid
} tarn_box;

/// A cylinder about y with hemispherical ends.
typedef struct tarn_capsule {
    double radius; ///< [m] 0.15, 0.001 .. 100
    double length; ///< [m] 0.5, 0.001 .. 100: of the cylindrical part, along y
} tarn_capsule;

/// A cylinder about y, solid or open at the top.
typedef struct tarn_cylinder {
    double radius;         ///< [m] 0.25, 0.001 .. 100
    double height;         ///< [m] 0.5, 0.001 .. 100: along y
    double wall_thickness; ///< [m] 0, 0 .. 100: of wall and floor, open at the top; 0: solid
} tarn_cylinder;

/// A cone about y, the apex up.
typedef struct tarn_cone {
    double radius; ///< [m] 0.25, 0.001 .. 100: of the base
    double height; ///< [m] 0.5, 0.001 .. 100: from base to apex
} tarn_cone;

/// A ring about y.
typedef struct tarn_torus {
    double radius;      ///< [m] 0.3, 0.001 .. 100: of the ring, to the centre of the tube
    double tube_radius; ///< [m] 0.1, 0.001 .. 100: of the tube, less than that of the ring
} tarn_torus;

/// A profile revolved about y, solid or open at the top.
typedef struct tarn_lathe {
    const tarn_vec2 *profile; ///< [m] 2 .. 48 points: radius, 0 .. 100, and height, -100 .. 100, ascending
    int profile_count;        ///< number of points
    double wall_thickness;    ///< [m] 0, 0 .. 100: of walls (horizontal) and floor, open at the top; 0: solid
} tarn_lathe;

/// The convex hull of points.
typedef struct tarn_convex_hull {
    const tarn_vec3 *points; ///< [m] 4 .. 32 points, -100 .. 100 each
    int point_count;
} tarn_convex_hull;

/// The Wigley hull form along x, solid or open at the top.
typedef struct tarn_wigley {
    double length;         ///< [m] 2.5, 0.001 .. 100: along x
    double breadth;        ///< [m] 0.25, 0.001 .. 100: amidships, along z
    double draft;          ///< [m] 0.15625, 0.001 .. 100: from the design waterline to the keel
    double freeboard;      ///< [m] 0.1, 0 .. 100: height of the vertical sides above the design waterline
    double wall_thickness; ///< [m] 0, 0 .. 100: at ends, amidships and keel, open at the top; 0: solid
} tarn_wigley;

/// A closed mesh of 1e-3 .. 1e3 m. Its convex hull, of at most 96 vertices, collides; the mesh itself
/// determines mass, inertia and forces of the water.
/// Begin with tarn_default_shape_def().
typedef struct tarn_mesh_shape {
    tarn_mesh mesh;    ///< copied; a scene names a file instead
    double scale;      ///< [-] 1, 1e-6 .. 1e6: metres per unit of the mesh
    double rim_height; ///< [m] NAN, -1e9 .. 1e9: y of the rim in the scaled mesh; NAN: a closed hull
} tarn_mesh_shape;

/// Limit of the children of a compound.
#define TARN_MAX_COMPOUND_CHILDREN 256

/// One of the shapes of a compound.
typedef struct tarn_compound_child {
    const tarn_shape *shape; ///< retained by the compound; not a compound itself
    tarn_pose pose; ///< of the child's centre of mass; only poses of children relative to each other matter
    double density; ///< [kg/m^3] 0, 0 .. 1e5: of all children or of none; 0: the density of the body
} tarn_compound_child;

/// A rigid union of shapes. Where children overlap, both contribute to mass and buoyancy. At most one child
/// is open.
typedef struct tarn_compound {
    const tarn_compound_child *children; ///< 1 .. 256
    int child_count;
} tarn_compound;

/// Planar: a disc.
typedef struct tarn_circle {
    double radius; ///< [m] 0.1, 0.0001 .. 100
} tarn_circle;

/// Planar: a convex polygon.
typedef struct tarn_polygon {
    const tarn_vec2 *points; ///< [m] 3 .. 32 corners in order around it, -100 .. 100 each
    int point_count;
} tarn_polygon;

/// Definition of a shape. `type` selects the member that is read:
///
///     tarn_shape_def def = {.type = TARN_SHAPE_SPHERE, .sphere = {.radius = 0.3}};
typedef struct tarn_shape_def {
    tarn_shape_type type;
    union {
        tarn_sphere sphere;
        tarn_box box;
        tarn_capsule capsule;
        tarn_cylinder cylinder;
        tarn_cone cone;
        tarn_torus torus;
        tarn_lathe lathe;
        tarn_convex_hull convex_hull;
        tarn_wigley wigley;
        tarn_mesh_shape mesh;
        tarn_compound compound;
        tarn_circle circle;
        tarn_polygon polygon;
        double space[12]; ///< reserves memory for later types
    };
} tarn_shape_def;

/// @return a definition with the defaults of scene files. Tables, meshes and compounds are empty
TARN_API tarn_shape_def tarn_default_shape_def(tarn_shape_type type);

/// Create a shape with one reference, which belongs to the caller. Arrays of the definition are copied.
/// @param allocator  NULL: the C library. The shape copies it and calls it from the thread of the last
/// release
/// @return TARN_OK; otherwise *out is NULL: TARN_BAD_ARGUMENT (a null pointer, an unknown type);
///         TARN_BAD_INPUT (a length out of range, a mesh that is not closed); TARN_NO_MEMORY
TARN_API tarn_result tarn_shape_create(const tarn_shape_def *def, const tarn_allocator *allocator,
                                       tarn_shape **out, tarn_error *err);

/// Compute the hash of a definition, which is the `content` of its shape, for programs that share equal
/// shapes.
/// @return the hash; 0 if a parameter is out of range or an array is missing
TARN_API uint64_t tarn_shape_def_hash(const tarn_shape_def *def);

/// Add or remove a reference; removing the last one frees the shape. From any thread. NULL is allowed.
TARN_API void tarn_shape_retain(const tarn_shape *shape);
TARN_API void tarn_shape_release(const tarn_shape *shape);

/// Get the definition of a shape. Its arrays are valid as long as the shape. @return TARN_OK or
/// TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_shape_get_def(const tarn_shape *shape, tarn_shape_def *out);

/// Properties of a shape.
typedef struct tarn_shape_info {
    tarn_shape_type type;
    int child_count;    ///< children of a compound; otherwise 0
    int convex_count;   ///< convex parts
    int triangle_count; ///< triangles of the hull on which water pressure acts
    double volume;      ///< [m^3] of the solid: of an open shape that of its walls
    double hold_volume; ///< [m^3] of the space inside an open shape, up to the rim; 0: closed
    double mass; ///< [kg] of a compound whose children have densities; 0: volume times the body's density
    tarn_vec3 inertia; ///< [m^5] principal moments for a density of 1 kg/m^3; [kg m^2] if `mass` is not 0
    tarn_quat axes;    ///< rotates the shape's axes into the principal ones
    tarn_aabb bounds;  ///< [m] about the centre of mass
    double radius;     ///< [m] of the bounding sphere about the centre of mass
    uint64_t content;  ///< hash of the definition: equal definitions have equal numbers on every machine
} tarn_shape_info;

/// Get the properties of a shape. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_shape_get_info(const tarn_shape *shape, tarn_shape_info *out);

/// Get the surface of the solid for drawing, relative to the centre of mass. It is valid as long as the
/// shape.
TARN_API tarn_result tarn_shape_get_mesh(const tarn_shape *shape, tarn_render_mesh *out);

/// Get the surface of the space inside an open shape, closed at the rim, relative to the centre of mass.
/// @return TARN_OK; TARN_BAD_ARGUMENT: the shape is closed, or a null pointer
TARN_API tarn_result tarn_shape_get_hold_mesh(const tarn_shape *shape, tarn_render_mesh *out);

/// Get the corners of a planar shape relative to its centre of mass, counter-clockwise. They are valid as
/// long as the shape. @return the number of corners; 0 for other shapes
TARN_API int tarn_shape_get_outline(const tarn_shape *shape, const tarn_vec2 **out);

// ---- meshes ---------------------------------------------------------------------------------------

/// Properties of a mesh as a solid, after its vertices were welded, its faces oriented outwards and small
/// holes capped.
typedef struct tarn_mesh_report {
    int triangles;       ///< of the input
    int vertices;        ///< of the input
    int welded_vertices; ///< vertices left after those within 1e-6 of the box are merged, unused ones removed
    int dropped_faces;   ///< removed faces: without area, or duplicates
    int flipped_faces;   ///< faces whose orientation was reversed
    int components;      ///< connected components of the surface
    int cavities;        ///< components inside another one, facing inwards; their volume is subtracted
    int holes;           ///< loops of 3 .. 64 open edges that were capped by a fan of faces
    int open_edges;      ///< edges with one face that are in no such loop
    int non_manifold_edges; ///< edges with more than two faces
    bool closed; ///< true: a solid; false: volume, centre and inertia are not valid, and `problem` says why
    char problem[96];  ///< "12 open edges"; empty if closed
    double volume;     ///< [m^3]
    tarn_vec3 centre;  ///< [m] centre of mass
    tarn_vec3 inertia; ///< [m^5] principal, about the centre, for a density of 1; the smallest first
    tarn_vec3 box_min; ///< [m] of all faces, closed or not
    tarn_vec3 box_max; ///< [m]
} tarn_mesh_report;

/// Inspect triangles as a solid.
/// @param vertices   x y z of each vertex [m]
/// @param triangles  three vertex numbers of each triangle
/// @param allocator  NULL: the C library
/// @return TARN_OK, also for open meshes; TARN_BAD_INPUT if a number is not finite, beyond 1e9 m or out of
///         range; TARN_BAD_ARGUMENT or TARN_NO_MEMORY
TARN_API tarn_result tarn_mesh_inspect(int vertex_count, const double *vertices, int triangle_count,
                                       const int *triangles, const tarn_allocator *allocator,
                                       tarn_mesh_report *out, tarn_error *err);

#ifdef __cplusplus
}
#endif
#endif
