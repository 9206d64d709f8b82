// Rigid bodies: a slot map with generations, the moving state of each body, its record (definition, shared
// geometry, inertia), the domain that bodies collide with, and the calls of a time step.
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "base/save.h"
#include "body/shape/shape.h"

#include <tarn/tarn.h>

// Moving state of a body; a checkpoint stores it as 24 doubles in this order.
struct body_state {
    vec3 position; // [m] centre of mass
    quat rotation;
    vec3 momentum;            // [kg m/s]
    vec3 angular_momentum;    // [kg m^2/s] about the centre of mass, world axes
    vec3 last_force;          // [N] applied force of the last solver step; a change wakes a sleeping body
    double sleep_timer;       // [s] since the pose last left the neighbourhood of the test pose
    vec3 sleep_test_position; // [m] test pose
    quat sleep_test_rotation;
};

// Memory behind the const arrays of a tarn_mesh.
struct render_arrays {
    float *vertices;
    int *triangles;
};

// Reference-counted geometry, shared by bodies of equal shape.
struct geometry {
    int ref_count; // bodies that use it
    struct shape_data shape;
    double bounding_radius;     // [m] about the centre of mass
    tarn_mesh render_mesh;      // solid surface as floats, for frames
    tarn_mesh compartment_mesh; // compartment as floats; no triangles: closed shape
    struct render_arrays render_arrays, compartment_arrays;
};

// Memory behind the const arrays of a tarn_triangles.
struct triangle_arrays {
    int vertex_count, triangle_count;
    double *vertices; // [m] x, y, z of each vertex
    int *triangles;
};
static inline tarn_triangles triangles_view(const struct triangle_arrays *t)
{
    return (tarn_triangles){t->vertex_count, t->triangle_count, t->vertices, t->triangles};
}

// What does not move: the record of a body.
struct body {
    tarn_body_def def; // as given, mass and defaults filled in; its pointers lead to the copies below
    struct triangle_arrays mesh;         // of def.mesh
    tarn_part *parts;                    // of def.parts
    struct triangle_arrays *part_meshes; // [part] of def.parts[].mesh
    struct geometry *geometry;
    vec3 principal_inertia;       // [kg m^2] principal moments
    quat principal_axes;          // rotates the body's axes onto the principal axes
    vec3 user_force, user_torque; // [N], [N m] applied until the end of the next world step
};

// A slot is reused after its body was removed; the generation distinguishes old ids from new ones.
struct body_slot {
    uint32_t generation; // odd: in use
    struct body *body;   // NULL: free slot. The address is stable: frames point into the record
};

// Impulse of gravity, fluid and user forces in the next solver step, and the added mass that the contact
// solver adds to the body's own mass and inertia.
struct applied_impulse {
    vec3 linear, angular; // [kg m/s], [kg m^2/s] on the body without its added mass
    bool is_uniform;      // independent of position: free flight is an exact parabola
    double added_mass;    // [kg]
    double added_inertia; // as a multiple of the body's own inertia
};

struct bodies {
    struct memory *memory;
    int slot_count; // slots in use or free
    int body_count;
    struct body_slot *slots;
    struct body_state *state;
    struct applied_impulse *applied;
    vec3 *added_mass_impulse; // [kg m/s] of contacts and joints on the added mass in the last solver step
    int slot_capacity, state_capacity, applied_capacity, added_mass_impulse_capacity;
    bool never_sleep;
    bool ignore_body_pairs;    // bodies collide with the domain only
    bool planar;               // motion in x and y, rotation about z
    struct dynamics *dynamics; // contacts, islands, solver, joints
};

void bodies_free(struct bodies *b);
static inline bool body_exists(const struct bodies *b, int i) { return b->slots[i].body != NULL; }

tarn_result bodies_add(struct bodies *b, const tarn_body_def *def, tarn_body *out, tarn_error *err);
void bodies_remove(struct bodies *b, int slot);
int body_index(const struct bodies *b, tarn_body id); // -1: no such body, or a stale id
tarn_body body_id(const struct bodies *b, int slot);

#define MAX_BODIES 100000
#define MIN_MASS   1e-9 // [kg]
#define MAX_MASS   1e12 // [kg]

extern const tarn_kind body_kind; // parameters of all bodies
extern const tarn_kind part_kind; // parameters of all parts of a compound

// Makes shape data, clusters and render meshes of a def, with ref_count 1. On failure *out is NULL.
tarn_result geometry_create(const tarn_body_def *def, const struct memory *m, struct geometry **out,
                            tarn_error *err);
void geometry_release(struct geometry *geometry, const struct memory *m); // frees it with its last user
// Returns the geometry of a body with the same shape and density, searching from the last slot; NULL: none.
struct geometry *find_equal_geometry(struct bodies *b, const tarn_body_def *def);

// Makes a body record from a def; it may share the geometry of another body of b. On failure *out is NULL.
tarn_result body_create(struct bodies *b, const tarn_body_def *def, struct body **out, tarn_error *err);
void body_free(struct body *body, const struct memory *m);
// False without memory: then call triangle_arrays_free().
bool triangle_arrays_alloc(struct triangle_arrays *t, int vertices, int triangles, const struct memory *m);
void triangle_arrays_free(struct triangle_arrays *t, const struct memory *m);
bool bodies_reserve(struct bodies *b, int count); // false without memory

vec3 body_velocity(const struct bodies *b, int i);
vec3 body_angular_velocity(const struct bodies *b, int i);                        // [rad/s] world axes
vec3 body_angular_momentum(const struct bodies *b, int i, vec3 angular_velocity); // [kg m^2/s] I w
mat3 body_inertia(const struct bodies *b, int i);                                 // [kg m^2] world axes
void body_inertia_and_inverse(const struct bodies *b, int i, mat3 *inertia, mat3 *inverse); // world axes
// False if the state diverged: speed above 1e6 m/s or rad/s, distance above 1e7 m, or not a number.
bool body_is_valid(const struct bodies *b, int i);
#define MAX_USER_FORCE 1e15 // [N], [N m] limit of user forces and torques
// [J] kinetic and potential energy, the latter relative to y = 0
double body_energy(const struct bodies *b, int i, double gravity);

// Free rotation for dt with this constant angular momentum (world axes).
void body_rotate(struct bodies *b, int i, vec3 angular_momentum, double dt);

// An obstacle of prescribed motion that bodies collide with; contacts do not change its motion.
struct collider {
    struct shape_data shape; // convex parts only, relative to its origin
    double bounding_radius;  // [m] about the origin
    vec3 position;           // [m] of the origin
    quat rotation;
    vec3 velocity, angular_velocity; // [m/s], [rad/s]
};

// Boundaries of the domain as bodies collide with them; infinite where there is no wall.
struct body_domain {
    double x_min, x_max, z_min, z_max;
    double floor;     // [m] height of level ground
    double ceiling;   // [m] above the floor; 0 or less: none
    double period[2]; // [m] period along x and z; 0: not periodic
    // Height [m] and unit normal of the terrain; NULL: level floor.
    double (*ground_height)(const void *ground_context, double x, double z, vec3 *normal);
    const void *ground_context;
    const struct collider *colliders; // borrowed during each call
    int collider_count;
};

// Begins a world step: finds all contacts that can occur within `horizon` [s]. False without memory.
bool bodies_begin_step(struct bodies *b, const struct body_domain *domain, double horizon);

// One solver step of dt <= MAX_SOLVER_DT: applied impulses, contacts, joints, motion. Returns the impulse of
// walls, floor, colliders and kinematic bodies [kg m/s]. Detects contacts again when the horizon is over or a
// body moved farther than its margin.
#define MAX_SOLVER_DT (1.0 / 240.0) // [s]
vec3 bodies_advance(struct bodies *b, const struct body_domain *domain, double dt);

// Ends a world step of dt: stores impulses in the contacts, updates events and sleep timers. False if memory
// ran out during the step.
bool bodies_end_step(struct bodies *b, double dt);

void bodies_clear_events(struct bodies *b);
int bodies_events(const struct bodies *b, const tarn_event **out);

void body_wake(struct bodies *b, int i);
static inline bool body_is_dynamic(const struct bodies *b, int i) { return !b->slots[i].body->def.external; }

// Planar worlds: removes motion out of the plane, which rounding causes.
void bodies_project_to_plane(struct bodies *b);

// Clamps the centre of each body to the domain and reflects the velocity of one that was outside. Returns the
// impulse of the walls.
vec3 bodies_confine(struct bodies *b, const struct body_domain *domain);

void bodies_save(struct saver *s, const void *bodies);
tarn_result bodies_load(struct loader *l, struct bodies *b, tarn_error *err);

#endif
