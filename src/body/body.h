// Rigid bodies: a slot map with generations, the moving state of each body, its record (definition with
// shared shape, inertia), the domain that bodies collide with, and the calls of a time step.
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "base/id.h"
#include "base/profile.h"
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

// What does not move: the record of a body.
struct body {
    tarn_body_def def;            // as given, mass and defaults filled in; its shape is retained
    vec3 principal_inertia;       // [kg m^2] principal moments
    quat principal_axes;          // rotates the body's axes onto the principal axes
    vec3 user_force, user_torque; // [N], [N m] applied until the end of the next world step
    int lock_code;                // of def.locks: bits 1, 2, 4 translation along x, y, z; 8, 16, 32 rotation
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
    struct profile *profile; // may be NULL
    int slot_count;          // slots in use or free
    int body_count;
    struct body_slot *slots;
    struct body_state *state;
    struct applied_impulse *applied;
    vec3 *added_mass_impulse; // [kg m/s] of contacts and joints on the added mass in the last solver step
    int slot_capacity, state_capacity, applied_capacity, added_mass_impulse_capacity;
    bool never_sleep;
    double hit_speed;          // [m/s] approach speed above which a contact is a hit event
    bool ignore_body_pairs;    // bodies collide with the domain only
    bool planar;               // motion in x and y, rotation about z
    bool any_locks;            // a body has or had locked axes
    struct dynamics *dynamics; // contacts, islands, solver, joints
    struct body_tree *tree;    // for queries; NULL without bodies
};

void bodies_free(struct bodies *b);
static inline bool body_exists(const struct bodies *b, int i) { return b->slots[i].body != NULL; }

tarn_result bodies_add(struct bodies *b, const tarn_body_def *def, tarn_body_id *out, tarn_error *err);
void bodies_remove(struct bodies *b, int slot);
int body_index(const struct bodies *b, tarn_body_id id); // -1: no such body, or a stale id
tarn_body_id body_id(const struct bodies *b, int slot);

#define MAX_BODIES 100000
#define MIN_MASS   1e-9 // [kg]
#define MAX_MASS   1e12 // [kg]

#define MAX_BODY_COORDINATE 1e6                 // [m] of positions that a definition or the application gives
#define MAX_BODY_SPEED      1e4                 // [m/s], [rad/s] of each component
bool motion_is_valid(const tarn_body_state *m); // within these limits, and a rotation

extern const tarn_kind body_kind; // parameters of all bodies

// Makes a body record from a def. On failure *out is NULL.
tarn_result body_create(struct bodies *b, const tarn_body_def *def, struct body **out, tarn_error *err);
void body_free(struct body *body, const struct memory *m);
// Mass, inertia and principal axes from the definition; def.mass is filled in.
tarn_result body_set_mass_properties(struct body *body, bool planar, tarn_error *err);
const tarn_shape *bodies_find_shape(const struct bodies *b, uint64_t content); // NULL: no body has it
bool bodies_reserve(struct bodies *b, int count);                              // false without memory
// Everything but records and poses becomes as in a world without bodies. Memory is kept, for another state.
void bodies_reset(struct bodies *b);

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
// Kinematic bodies: rotation for dt with constant angular velocity.
void body_rotate_steadily(struct bodies *b, int i, double dt);

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

// Events of the caller's last step call, in lists by kind. The world adds those that concern the water.
enum event_kind {
    EVENT_CONTACT_BEGUN,
    EVENT_CONTACT_ENDED,
    EVENT_HIT,
    EVENT_SENSOR_ENTERED,
    EVENT_SENSOR_LEFT,
    EVENT_WATER_ENTERED,
    EVENT_WATER_LEFT,
    EVENT_MOVED,
    EVENT_JOINT_BROKEN,
    EVENT_KINDS
};
struct event_list {
    void *items; // structs of event.h
    int count, capacity;
};
struct event_lists {
    struct event_list of[EVENT_KINDS];
};
void events_begin(struct bodies *b); // empties the lists and stores which bodies are asleep
bool events_add(struct bodies *b, enum event_kind kind, const void *event); // false without memory
bool events_add_moves(struct bodies *b); // at the end of a step call; false without memory
void events_free(struct event_lists *events, const struct memory *m);
// For steps that are repeated: the numbers of events; and the lists of another state of the same bodies, cut
// to these numbers.
void bodies_count_events(const struct bodies *b, int counts[EVENT_KINDS]);
void bodies_take_events(struct bodies *b, struct bodies *from, const int counts[EVENT_KINDS]);

void body_wake(struct bodies *b, int i);
bool body_is_asleep(const struct bodies *b, int i); // at the end of the last step, and not woken since
static inline bool body_is_dynamic(const struct bodies *b, int i)
{
    return b->slots[i].body->def.type == TARN_BODY_DYNAMIC;
}
static inline bool body_is_enabled(const struct bodies *b, int i) { return b->slots[i].body->def.enabled; }
// True for a body that others collide with and that displaces water.
static inline bool body_is_solid(const struct bodies *b, int i)
{
    return body_is_enabled(b, i) && !b->slots[i].body->def.sensor;
}
static inline bool body_exists_solid(const struct bodies *b, int i)
{
    return body_exists(b, i) && body_is_solid(b, i);
}
// [m] Smallest box along the world's axes around the convex parts of a body.
void body_bounds(const struct bodies *b, int i, vec3 *lo, vec3 *hi);
// True if two bodies are to be tested for contact or overlap.
bool bodies_may_meet(const struct bodies *b, int i, int k);
// Live parameters of a body have changed: it wakes, locked momenta become 0, pairs are found again.
void body_settings_changed(struct bodies *b, int i);

// ---- locks.c: axes along and about which a body does not move ----

static inline bool body_has_locks(const struct bodies *b, int i) { return b->slots[i].body->lock_code != 0; }
// Removes the locked part of an impulse and an angular impulse. The rest of the latter changes the angular
// velocity about free axes only.
void body_restrict_impulse(const struct bodies *b, int i, vec3 *impulse, vec3 *angular_impulse);
// [1/(kg m^2)] Angular velocity by a unit angular impulse, zero for locked axes.
mat3 body_restricted_inverse_inertia(const struct bodies *b, int i);
void body_restrict_momenta(struct bodies *b, int i);
void body_remove_locked(const struct bodies *b, int i, vec3 *velocity, vec3 *angular_velocity); // components
// Rotation for dt with the present angular velocity; the angular momentum about free axes is conserved.
void body_rotate_restricted(struct bodies *b, int i, double dt);

// Planar worlds: removes motion out of the plane, which rounding causes.
void body_project_to_plane(struct bodies *b, int i);
void bodies_project_to_plane(struct bodies *b);

// Clamps the centre of each body to the domain and reflects the velocity of one that was outside. Returns the
// impulse of the walls.
vec3 bodies_confine(struct bodies *b, const struct body_domain *domain);

// Bodies name their shapes by content; the shapes are saved on their own.
void bodies_save(struct saver *s, const void *bodies);
tarn_result bodies_load(struct loader *l, struct bodies *b, const struct shape_set *shapes, tarn_error *err);
// Adds the shapes of all bodies; the list of the set is in memory of `m`. False without memory.
bool bodies_collect_shapes(const struct bodies *b, struct shape_set *out, const struct memory *m);

#endif
