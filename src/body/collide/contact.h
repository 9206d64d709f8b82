// Contacts of all bodies: detection, persistence, solution, sleeping.
//
//   collide/broad_phase.c        pairs of overlapping AABBs
//   collide/contacts.c           narrow phase of pairs, persistence
//   collide/domain_contacts.c    walls, floor, terrain
//   collide/collider_contacts.c  obstacles of prescribed motion
//   collide/contact_events.c     begin, end and hit events
//   solve/contact_batch.c        contacts in batches of eight
//   solve/warm_start.c           energy-limited warm start
//   solve/solver_step.c          one solver step
//   solve/islands.c              islands and sleeping
//   solve/dynamics_save.c        checkpoint
#ifndef BODY_CONTACT_H
#define BODY_CONTACT_H

#include "body/body.h"
#include "body/joint/joint.h"
#include "body/solve/contact_rows.h"

#define MAX_CORRECTION_SPEED 2.0 // [m/s], [rad/s] limit of the position correction of contacts and joints

// ---- contacts --------------------------------------------------------------------------------------

// A persistent contact point. The accumulated impulses of the last solver step are state: the next step
// starts from them.
struct contact_point {
    vec3 local_a;         // [m] in a's axes from its centre of mass
    vec3 local_b;         // [m] in b's axes likewise; b is the domain or a collider: position in the world
    float normal_impulse; // [kg m/s]
    float friction_impulse[3]; // [kg m/s] world axes
};

struct contact {
    int a, b;   // slots; b < 0: the domain or a collider
    int part_a; // convex part of a, the first one of several
    int part_b; // convex part of b likewise; b < 0: 0 for the domain, or 1 + index of a collider
    int image;  // periodic image of b: 3 (dx + 1) + dz + 1; 4: b itself
    int point_count;
    bool is_touching; // had a positive impulse when it was last solved
    vec3 normal;      // unit, from a to b, in a's axes
    struct contact_point points[MANIFOLD_POINTS];
    vec3
        // [m] of b in a's axes when the manifold was built; collider: position of its image
        relative_position;
    quat relative_rotation;             // of b against a when the manifold was built
    float impact_impulse, impact_speed; // [kg m/s], [m/s] of the hardest impact in this world step
};

struct contacts {
    struct contact *current, *previous; // sorted by a, b and image
    int count, previous_count, capacity, previous_capacity;
    int previous_cursor; // position in `previous` during detection
};

// ---- broad phase -----------------------------------------------------------------------------------

struct aabb {
    vec3 lo, hi;
};
struct body_pair {
    int a, b, image; // slots, a < b; periodic image of b as in struct contact
};
// The fat AABB of a body or of one of its periodic images.
struct proxy {
    int slot, dx, dz;
    struct aabb box;
};
struct broad_phase {
    struct aabb *fat_aabb; // per slot, of the last sweep
    int fat_aabb_capacity;
    bool is_stale;           // the pairs must be found again, whatever moved
    struct body_pair *pairs; // sorted by a, b and image
    int pair_count, pair_capacity;
    // scratch of a sweep
    struct proxy *proxies;
    int proxy_capacity;
    unsigned *keys;
    int *order, *sort_scratch;
    int key_capacity, order_capacity, sort_scratch_capacity;
    float *endpoints; // lower and upper end of each proxy along the sweep axis and the two others
    int endpoint_capacity;
};

// Finds all pairs of bodies whose AABBs overlap. period: [m] along x and z, 0: not periodic. False: out of
// memory.
bool broad_phase_update(struct bodies *b, const struct aabb *aabb, const double period[2]);
bool broad_phase_reserve(struct bodies *b, int slots, int pairs);
vec3 image_offset(int image, const double period[2]); // [m] from b to its periodic image

// ---- solver ----------------------------------------------------------------------------------------

// Change of kinetic energy by the warm start, per island (index: its root slot); see warm_start.c.
struct warm_start_energy {
    double slope, curvature; // [J] E(t) = E(0) + t slope + t^2/2 curvature
    double initial;          // [J] kinetic energy before the warm start
    bool has_gaining_body;   // a body of the island would more than double its energy
    float fraction;          // of the previous impulses that the body of this slot takes
};

struct solver {
    // Per solver body: awake bodies, then one entry for the static domain, then one per collider.
    struct solver_motion *velocity;          // [m/s], [rad/s]
    struct solver_motion *displacement;      // [m], [rad] since contacts were detected
    struct solver_motion *acceleration;      // [m/s^2], [rad/s^2] by the applied impulses
    struct solver_motion *stored_velocity;   // [m/s], [rad/s] as last written to the momenta
    struct solver_motion *velocity_unwarmed; // [m/s], [rad/s] before warm starting
    struct solver_inverse_mass *inverse_mass;
    int *body_of_slot; // slot -> solver body; body_count if asleep or free
    int *slot_of_body; // solver body -> slot
    mat3 *inertia;     // [kg m^2] world axes
    int body_count;    // awake bodies, kinematic ones included
    int body_capacity, slot_capacity, velocity_capacity, displacement_capacity, acceleration_capacity,
        stored_velocity_capacity, velocity_unwarmed_capacity, inverse_mass_capacity, inertia_capacity;
    struct contact_batch *batches;
    int batch_count, batch_capacity;
    bool batches_are_new; // their effective masses have not been computed yet
    int *batch_lane;      // contact -> batch * BATCH_LANES + lane; -1: not solved
    int batch_lane_capacity;
    uint64_t *colours; // bit mask of the colours of each solver body's contacts
    int colour_capacity;
    struct warm_start_energy *warm_start; // per slot
    int warm_start_capacity;
};
static inline int solver_body(const struct solver *s, int slot)
{
    return slot < 0 ? s->body_count : s->body_of_slot[slot];
}

// ---- dynamics --------------------------------------------------------------------------------------

struct dynamics {
    struct contacts contacts;
    struct broad_phase broad_phase;
    struct solver solver;
    struct joints joints;
    double period[2];                 // [m] of the domain along x and z; 0: not periodic
    const struct collider *colliders; // of the domain, borrowed while bodies advance
    int collider_count;
    double last_dt; // [s] solver step that the stored impulses belong to
    vec3
        // [kg m/s] on the bodies by domain, colliders and kinematic bodies, not yet returned
        environment_impulse;
    bool out_of_memory;          // a detection failed
    unsigned char *island_flags; // per slot
    int island_flag_capacity;
    // At the last detection, per slot:
    struct aabb *aabb; // enlarged by the margin
    double *margin;    // [m] motion until the next detection, at most
    mat3 *rotation;    // body axes to world axes
    int rotation_capacity;
    vec3 *detection_position;              // [m] centre of mass
    int *island_parent;                    // per slot: union-find forest
    int *island_size, *island_awake_count; // per island, by its root slot
    int island_size_capacity, island_awake_capacity;
    bool *is_asleep; // per slot
    int aabb_capacity, margin_capacity, detection_position_capacity, island_parent_capacity,
        is_asleep_capacity;
    struct body_pair *touching_before; // pairs that touched when the world step began, sorted
    int touching_before_count, touching_before_capacity;
    tarn_event *events; // since the caller's last step call
    int event_count, event_capacity;
    double detection_interval, detection_time_left; // [s] between two detections, and until the next
};

// Detects all contacts that may close within an interval [s]. False: out of memory.
bool bodies_detect_contacts(struct bodies *b, const struct body_domain *domain, double interval);

// Add the contacts of body i with walls, floor and terrain, or with colliders, to `current`. False: out of
// memory.
bool add_domain_contacts(struct bodies *b, const struct body_domain *domain, int i);
bool add_collider_contacts(struct bodies *b, const struct body_domain *domain, int i);
// The collider of a contact; NULL: none.
static inline const struct collider *contact_collider(const struct bodies *b, const struct contact *c)
{
    const bool any = c->b < 0 && 0 < c->part_b && c->part_b <= b->dynamics->collider_count;
    return any ? &b->dynamics->colliders[c->part_b - 1] : NULL;
}
// Appends a contact to `current`; its points take over impulses of matching previous points. NULL: out of
// memory.
struct contact *contacts_add(struct bodies *b, const struct contact *contact);

// Warm start: applies the impulses of the last solver step, scaled by `factor` = dt / last_dt.
void bodies_warm_start(struct bodies *b, const struct contact_step *step, double dt, double factor);

// Builds the islands, decides which bodies sleep and zeroes their momenta.
void update_islands_and_sleep(struct bodies *b, double interval);
int island_root(const int *parent, int i);
void island_union(int *parent, int x, int y);
bool body_is_moving(const struct bodies *b, int i);
bool body_is_slow(const struct bodies *b, int i);
double contact_point_gap(const struct bodies *b, const struct contact *c, int k); // [m] in the present pose
bool dynamics_create(struct bodies *b, int count); // with capacity for `count` slots; false: out of memory
void dynamics_save(struct saver *s, const struct bodies *b);
tarn_result dynamics_load(struct loader *l, struct bodies *b, tarn_error *err);
void dynamics_free(struct bodies *b);
void dynamics_remove_body(struct bodies *b, int i);

// First and last call of a world step: touching pairs before, events after. False: out of memory.
bool events_begin_step(struct bodies *b);
bool events_end_step(struct bodies *b);

#define MAX_COLOURS 64
bool batches_reserve(struct bodies *b, int slots, int contacts, int batches); // false: out of memory
bool batches_build(struct bodies *b);                                         // false: out of memory
void batches_store_impulses(struct bodies *b); // copies impulses and impacts back to the contacts

#endif
