// Shapes: geometry with a closed hull of triangles, and the table of kinds.
#ifndef BODY_SHAPE_H
#define BODY_SHAPE_H

#include "base/math.h"
#include "base/memory.h"
#include "base/param.h"

#include <tarn/tarn.h>

// A closed triangle mesh about the centre of mass, in principal axes; seen from outside the corners of a
// triangle run counter-clockwise.
struct trimesh {
    int vertex_count, triangle_count;
    vec3 *vertices;
    int (*triangles)[3];
    struct facet *facets;              // what follows from them, by hull_finish
    struct triangle_cluster *clusters; // by hull_tile; NULL before
    int cluster_count;
};

// A triangle as a whole.
struct facet {
    vec3 normal; // unit, outwards; zero for a triangle without area
    vec3 centroid;
    double area; // [m^2]
};

void trimesh_compute_facets(struct trimesh *h);

// Some triangles of a hull that are near each other, and integrals over them, with n the normal and r a point: what
// is linear in the place can be integrated over all of them at once.
struct triangle_cluster {
    int first, count;           // triangles
    vec3 box_centre, box_half;  // [m] the box that holds them
    vec3 cone_axis;             // unit: the mean normal
    double cone_sine;           // sine of the angle to it that no normal exceeds; 2: a right angle or more
    double area;                // [m^2] int dA
    vec3 centroid;              // [m] int r dA / int dA
    vec3 area_vector;           // [m^2] int n dA
    double normal_moment[3][3]; // [m^3] int n_i r_j dA
    vec3 torque_vector;         // [m^3] int r x n dA
    double torque_moment[3][3]; // [m^4] int (r x n)_i r_j dA
};
#define CLUSTER_SIZE 16 // triangles, at most

// Put near triangles next to each other, and make the tiles. A hull of few triangles keeps its order. False
// without memory.
bool trimesh_build_clusters(struct trimesh *h, const struct memory *m);

bool trimesh_alloc(struct trimesh *h, const struct memory *m, int vertices, int triangles);
void trimesh_free(struct trimesh *h, const struct memory *m);

// Volume, centre and second moments of a closed mesh, by surface integrals.
struct volume_moments {
    double volume;       // [m^3]
    vec3 centroid;       // [m]
    double second[3][3]; // [m^5] integral of x_i x_j about the centre
};
struct volume_moments trimesh_moments(const struct trimesh *h);

// Principal moments of inertia for a density of 1, and a rotation whose columns are their axes, as near to the
// axes of the mesh as they come: of a solid that lies along them it is the identity.
vec3 principal_of_moments(const struct volume_moments *m, mat3 *axes); // [m^5]
mat3 inertia_of_moments(const struct volume_moments *m);               // [m^5] for a density of 1
vec3 diagonalize_inertia(const mat3 *inertia, mat3 *axes);

// ---- convex pieces ----------------------------------------------------------------------------------
//
// What touches is convex: a core, rounded by a radius. There are two sorts of core, and every shape is made of
// them: points with flat sides between them (a box, a hull), and circles about an axis (a ball is one circle
// of radius 0, a capsule two of them, a cylinder two with radius, a cone one with and one without).

// A flat side of a core: its corners run counter-clockwise seen from outside.
struct convex_face {
    vec3 normal;
    double offset;    // normal . p of its corners
    int first, count; // in `corners`
};
#define MAX_FACE_VERTICES 32 // most corners of a side

struct profile_point {
    double radius, height; // about the y axis
};

struct convex_part {
    vec3 position;   // [m] its middle, in the axes of the body; what follows is about it
    mat3 axes;       // columns: its own axes in those of the body
    double rounding; // [m]
    int vertex_count, face_count, face_vertex_count; // of a core of points
    vec3 *vertices;
    struct convex_face *faces;
    int *face_vertices; // point numbers of all sides, one after the other
    int profile_count;  // of a core of circles, the lowest first; the profile is convex
    struct profile_point *profile;
    vec3 box_half;          // [m] of a box with all its points: half its edges; zero: no box
    double bounding_radius; // [m] of the ball about its middle that holds it, rounding included
    bool has_body_pose;     // its middle and axes are those of the body; filled in when the form is done
};

// Room for a core; the caller fills it in. False without memory, with nothing to free.
bool convex_part_alloc_polyhedron(struct convex_part *p, const struct memory *m, int points, int sides,
                                  int corners);
bool convex_part_alloc_profile(struct convex_part *p, const struct memory *m, int circles);
void convex_part_free(struct convex_part *p, const struct memory *m);
// The convex hull of points as a piece about their middle. At most `most` corners: then the hull is a little
// smaller than it could be. TARN_BAD_INPUT if they are all in one plane.
tarn_result convex_hull_build(struct convex_part *p, const struct memory *m, const vec3 *points, int count,
                              int most, tarn_error *err);

// ---- forms ------------------------------------------------------------------------------------------

// What a shape comes to, in the axes it was given in, about its centre of mass.
//
// An open form (a boat, a bowl) is a solid of walls around a hold. What is outside presses on its hull, which a flat
// lid closes where the hold is open:
//
//        ____lid____
//       |\         /|        hull: the outside and the lid, faces outwards
//       | \_hold__/ |        hold: the space below the lid, lid included, faces outwards as well
//       |___________|        skin: the walls alone
//
// so that the hull holds volume + held. Volume, mass, centre and inertia are those of the walls.
struct shape_data {
    double volume; // [m^3]
    double mass;   // [kg]
    mat3 inertia;  // [kg m^2] about the centre of mass
    struct trimesh hull;
    struct trimesh compartment;   // no triangles: not open
    struct trimesh solid_surface; // what pictures show when it is not the hull; no triangles: it is
    double compartment_volume;    // [m^3] volume of the hold
    vec3 *opening;                // the edge of the lid, counter-clockwise seen from outside
    int opening_count;
    struct convex_part *convex_parts;
    int convex_part_count;
};
static inline bool shape_is_open(const struct shape_data *f) { return f->compartment.triangle_count > 0; }
// The surface of the solid itself.
static inline const struct trimesh *shape_solid_surface(const struct shape_data *f)
{
    return f->solid_surface.triangle_count > 0 ? &f->solid_surface : &f->hull;
}
// Room for pieces. False without memory.
bool shape_alloc_parts(struct shape_data *f, const struct memory *m, int count);
void shape_translate(struct shape_data *f, vec3 by); // and hull_finish
// Mass and inertia of a form whose volume is known.
void shape_set_mass(struct shape_data *f, const struct volume_moments *w, double density);
void shape_data_free(struct shape_data *f, const struct memory *m);

// ---- open forms -------------------------------------------------------------------------------------

// Whether walls leave room inside a shape that is so wide and so high [m]. TARN_OK or TARN_BAD_INPUT.
tarn_result check_wall_thickness(double wall, double width, double height, tarn_error *err);

// Take `inner` out of a form. Both are symmetric about the y axis, about their own centres; their flat tops are at the
// same height and have edges of equally many corners. The hull of `inner` changes hands. TARN_OK or TARN_NO_MEMORY;
// the forms are the caller's to free, whatever comes.
tarn_result shape_hollow(struct shape_data *f, struct shape_data *inner, const struct memory *m,
                         tarn_error *err);

// Open a form whose hull is the closed surface of its walls: that becomes the skin, and the space below the height
// `rim`, in the axes of the hull, that the walls enclose becomes the hold. Corners within WELD_PART of that height are
// moved to it. Mass and inertia are left alone, and facets to form_move. TARN_OK, TARN_NO_MEMORY or TARN_BAD_INPUT,
// as above.
tarn_result shape_open_mesh(struct shape_data *f, double rim, const struct memory *m, tarn_error *err);

// Only those corners that the triangles use; without facets. False without memory: hull_free what there is.
bool trimesh_compact(struct trimesh *out, const struct memory *m, const vec3 *vertices, int vertex_count,
                     const int (*triangles)[3], int triangle_count);

// The triangles, count - 2 of them, of a polygon in a level plane: loop[] are its corners, counter-clockwise seen from
// above; `work` has room for three times as many. False: it crosses itself, or is too ragged.
bool triangulate_polygon(const vec3 *vertices, const int *loop, int count, int *work, int (*out)[3]);

// All that a shape is made from.
struct shape_input {
    const void *def; // the kind's struct, checked against its ranges
    double density;  // [kg/m^3]
    const tarn_triangles *mesh;
    const tarn_part *parts;
    int part_count;
};

struct shape_kind {
    tarn_kind kind;
    bool planar; // for bodies of a plane, see prism.h
    // Drag coefficient per effective area, sum of A max(0, facing n.u/|u| + 1 - facing), that gives about the measured drag
    // of such a body (Hoerner 1965), and that `facing`: what is left for faces along the flow is their friction.
    double drag_coefficient, drag_orientation;
    // TARN_OK, TARN_BAD_INPUT or TARN_NO_MEMORY; on failure there is nothing to free. The hull holds exactly the
    // volume of the shape, and that of its hold; hull_finish was called.
    tarn_result (*make)(const struct shape_input *in, const struct memory *m, struct shape_data *out,
                        tarn_error *err);
};

const struct shape_kind *shape_kind_at(int index);
const struct shape_kind *shape_kind_of(const tarn_kind *kind);

#endif
