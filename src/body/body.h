// Rigid bodies: a pool of slots with generations; what moves apart from what does not.
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "base/save.h"
#include "body/shape/shape.h"

#include <tarn/tarn.h>

// What moves: all a restart needs.
struct body_state {
    vec3 position; // [m] centre of mass
    quat rotation;
    vec3 momentum;            // [kg m/s]
    vec3 angular_momentum;    // [kg m^2/s] about the centre of mass, world axes
    vec3 last_force;          // [N] force of the last step: a sleeper wakes when it changes
    double sleep_timer;       // [s] for how long it has hardly moved
    vec3 sleep_test_position; // [m] from here
    quat sleep_test_rotation;
};

// A shape as bodies share it.
struct geometry {
    int ref_count;
    struct shape_data shape;
    double bounding_radius;     // [m] about the centre of mass
    tarn_mesh render_mesh;      // the skin or the hull as floats, for frames
    tarn_mesh compartment_mesh; // likewise; no triangles: not open
};

struct body {
    tarn_body_def def; // as given, mass filled in; what was lent is owned
    struct geometry *geometry;
    vec3 principal_inertia;       // [kg m^2] principal
    quat principal_axes;          // turns the body's axes into the principal ones
    vec3 user_force, user_torque; // [N], [N m] asked for by the caller until the end of the next world step
};

// A slot lives on when its body is gone; the generation tells old ids from new ones.
struct body_slot {
    uint32_t generation; // odd: alive
    struct body *body;   // NULL: free. Its address stays, so that frames may point into it
};

// What others give a body until it is moved next, and what has to move along with it: contacts and joints meet the
// mass of both.
struct applied_impulse {
    vec3 linear, angular; // [kg m/s], [kg m^2/s] of the body's own
    bool is_uniform;      // it does not depend on where the body is
    double added_mass;    // [kg]
    double added_inertia; // likewise, of the body's own inertia
};

struct bodies {
    struct memory *memory;
    int slot_count; // slots in use or free
    int body_count;
    struct body_slot *slots;
    struct body_state *state;
    struct applied_impulse *applied;
    vec3 *
        added_mass_impulse; // [kg m/s] that contacts and joints gave to what moves along, when the body was moved last
    int slot_capacity, state_capacity, applied_capacity, added_mass_impulse_capacity;
    bool never_sleep;
    bool ignore_body_pairs;    // they do not touch each other, only ground and walls
    bool planar;               // of a plane: they move along x and y and turn about z
    struct dynamics *dynamics; // contacts
};

void bodies_free(struct bodies *b);
static inline bool body_exists(const struct bodies *b, int i) { return b->slots[i].body != NULL; }

tarn_result bodies_add(struct bodies *b, const tarn_body_def *def, tarn_body *out, tarn_error *err);
void bodies_remove(struct bodies *b, int slot);
int body_index(const struct bodies *b, tarn_body id); // -1: none or stale
tarn_body body_id(const struct bodies *b, int slot);

#define MAX_BODIES 100000

extern const tarn_kind body_kind; // parameters of every body
extern const tarn_kind part_kind; // of every part of one

tarn_result body_create(const struct bodies *b, const tarn_body_def *def, struct body **out, tarn_error *err);
void body_free(struct body *c, const struct memory *m);
void owned_triangles_free(tarn_triangles *t, const struct memory *m); // owned ones
bool bodies_reserve(struct bodies *b, int count);                     // false without memory

vec3 body_velocity(const struct bodies *b, int i);
vec3 body_angular_velocity(const struct bodies *b, int i);                               // [rad/s] world
vec3 body_angular_momentum(const struct bodies *b, int i, vec3 spin);                    // I w
mat3 body_inertia(const struct bodies *b, int i);                                        // world axes
void body_inertia_and_inverse(const struct bodies *b, int i, mat3 *inertia, mat3 *back); // and its inverse
// False for a body that flew apart: faster than 1e6 m/s or rad/s, 1e7 m away, or not a number.
bool body_is_valid(const struct bodies *b, int i);
#define MAX_USER_FORCE 1e15 // [N], [N m] that a caller may ask for
double body_energy(const struct bodies *b, int i, double gravity);

// Turn by dt with an angular momentum.
void body_rotate(struct bodies *b, int i, vec3 angular, double dt);

// What stands in the way, or moves as it is told, whatever touches it.
struct collider {
    struct shape_data shape; // pieces alone, about its origin
    double bounding_radius;  // [m] about the origin that holds them all
    vec3 position;           // [m] of the origin
    quat rotation;
    vec3 velocity, angular_velocity; // [m/s], [rad/s]
};

// The walls of the tank and its ground; no ceiling. Infinite where there is none.
struct body_domain {
    double x_min, x_max, z_min, z_max;
    double floor;     // [m] of level ground
    double ceiling;   // [m] above it; 0 or less: none
    double period[2]; // [m] lengths of periodic sides along x and z, 0: not periodic
    // Height and normal of ground that is not level; NULL: it is.
    double (*ground_height)(const void *ground_context, double x, double z, vec3 *normal);
    const void *ground_context;
    const struct collider *colliders; // lent during each call
    int collider_count;
};

// A world step begins: look for everything that may touch within a time [s]. False without memory.
bool bodies_begin_step(struct bodies *b, const struct body_domain *w, double within);

// Let a short time pass, SHORT_STEP at most: kicks, contacts, motion. Gives back the momentum that walls, floor and bodies of the
// caller's gave. Looks for contacts again when the time is over or something got farther than expected.
#define MAX_SOLVER_DT (1.0 / 240.0) // [s]
vec3 bodies_advance(struct bodies *b, const struct body_domain *w, double dt);

// A world step of dt is over: impulses into the contacts, who has been still. False if there was no memory in it.
bool bodies_end_step(struct bodies *b, double dt);

void bodies_clear_events(struct bodies *b);
int bodies_events(const struct bodies *b, const tarn_event **out);

void body_wake(struct bodies *b, int i);
static inline bool body_is_dynamic(const struct bodies *b, int i) { return !b->slots[i].body->def.external; }

// Of a plane: take away what rounding gave them of the other motions.
void bodies_project_to_plane(struct bodies *b);

// No centre leaves the tank, however fast: what would is put back to the wall and turned round. Gives back the
// impulse that the walls gave.
vec3 bodies_confine(struct bodies *b, const struct body_domain *w);

void bodies_save(struct saver *s, const void *bodies);
tarn_result bodies_load(struct loader *l, struct bodies *b, tarn_error *err);

#endif
