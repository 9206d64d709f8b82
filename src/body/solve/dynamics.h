// Dynamics of bodies with contacts and joints: all arrays of detection and solver, islands, sleeping.
//
//   dynamics.c       allocation, removal of bodies        dynamics_save.c  checkpoint
//   solver_step.c    one solver step                      contact_rows.c   kernels of the contact solver
//   contact_batch.c  contacts in batches of eight         joint_solver.c   velocities and positions of joints
//   warm_start.c     energy-limited warm start            islands.c        islands and sleeping
#ifndef BODY_SOLVE_DYNAMICS_H
#define BODY_SOLVE_DYNAMICS_H

#include "body/collide/broad_phase.h"
#include "body/collide/contact.h"
#include "body/joint/joint.h"
#include "body/solve/contact_rows.h"

#define MAX_CORRECTION_SPEED 2.0 // [m/s], [rad/s] limit of the position correction of contacts and joints

// Change of kinetic energy by the warm start, per island (index: its root slot); see warm_start.c.
struct warm_start_energy {
    double slope, curvature; // [J] E(t) = E(0) + t slope + t^2/2 curvature
    double initial;          // [J] kinetic energy before the warm start
    bool has_gaining_body;   // a body of the island would more than double its energy
    float fraction;          // of the previous impulses that the body of this slot takes
};

struct solver {
    // Per solver body: awake bodies, then one entry for the static domain, then one per collider.
    struct solver_motion *velocity;                   // [m/s], [rad/s]
    struct solver_motion *displacement;               // [m], [rad] since contacts were detected
    struct solver_motion *acceleration;               // [m/s^2], [rad/s^2] by the applied impulses
    struct solver_motion *stored_velocity;            // [m/s], [rad/s] as last written to the momenta
    union {                                           // one array with two uses in a solver step
        struct solver_motion *velocity_unwarmed;      // [m/s], [rad/s] before warm starting
        struct solver_motion *displacement_predicted; // [m], [rad] before position correction
    };
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
    union {
        int *batch_lane;    // contact -> batch * BATCH_LANES + lane; -1: not solved
        int *contact_group; // the same array while batches are built: colour and work class; -1: not solved
    };
    int batch_lane_capacity;
    uint64_t *colours; // bit mask of the colours of each solver body's contacts
    int colour_capacity;
    struct warm_start_energy *warm_start; // per slot
    int warm_start_capacity;
};

// Index of the solver body of a slot; slot < 0: the static domain.
static inline int solver_body(const struct solver *s, int slot)
{
    return slot < 0 ? s->body_count : s->body_of_slot[slot];
}

// True if solver body k has contacts in batches: each of them has a colour.
static inline bool solver_body_has_contacts(const struct solver *s, int k) { return s->colours[k] != 0; }

struct dynamics {
    struct contacts contacts;
    struct broad_phase broad_phase;
    struct solver solver;
    struct joints joints;
    double period[2];                 // [m] of the domain along x and z; 0: not periodic
    const struct collider *colliders; // of the domain, borrowed while bodies advance
    int collider_count;
    double last_dt;              // [s] solver step that the stored impulses belong to
    vec3 environment_impulse;    // [kg m/s] by domain, colliders and kinematic bodies, not yet returned
    bool out_of_memory;          // a detection failed
    unsigned char *island_flags; // per slot
    int island_flag_capacity;
    // At the last detection, per slot:
    struct aabb *aabb; // enlarged by the margin
    double *margin;    // [m] expected motion until the next detection
    mat3 *rotation;    // body axes to world axes
    int rotation_capacity;
    vec3 *detection_position;              // [m] centre of mass
    int *island_parent;                    // union-find forest
    int island_count;                      // trees of dynamic bodies
    int *island_size, *island_awake_count; // per island, by its root slot
    int island_size_capacity, island_awake_capacity;
    bool *is_asleep; // per slot
    int aabb_capacity, margin_capacity, detection_position_capacity, island_parent_capacity,
        is_asleep_capacity;
    struct body_pair *touching_before; // pairs that touched when the world step began, sorted
    int touching_before_count, touching_before_capacity;
    struct event_lists events;
    bool *was_asleep; // per slot, when the step call began
    int was_asleep_capacity;
    struct body_pair *overlaps; // sensor and visitor, sorted: state; behind them those of the present step
    int overlap_count, overlap_capacity;
    double detection_interval, detection_time_left; // [s] between two detections, and until the next
};

bool dynamics_create(struct bodies *b, int count); // with capacity for `count` slots; false: out of memory
void dynamics_free(struct bodies *b);
void dynamics_reset(struct bodies *b); // as in a world without bodies; memory and joint records are kept
void dynamics_remove_body(struct bodies *b, int i);
void dynamics_wake_neighbours(struct bodies *b, int i); // wakes body i and those that it touches
void dynamics_save(struct saver *s, const struct bodies *b);
tarn_result dynamics_load(struct loader *l, struct bodies *b, tarn_error *err);

// The collider of a contact; NULL: none.
static inline const struct collider *contact_collider(const struct bodies *b, const struct contact *c)
{
    const bool any = c->b < 0 && 0 <= c->collider && c->collider < b->dynamics->collider_count;
    return any ? &b->dynamics->colliders[c->collider] : NULL;
}

#define MAX_COLOURS 64
bool batches_reserve(struct bodies *b, int slots, int contacts, int batches); // false: out of memory
bool batches_build(struct bodies *b);                                         // false: out of memory
void batches_store_impulses(struct bodies *b); // copies impulses and impacts back to the contacts

// Warm start: applies the impulses of the last solver step, scaled by `factor` = dt / last_dt.
void bodies_warm_start(struct bodies *b, const struct contact_step *step, double dt, double factor);

// Builds the islands, decides which bodies sleep and zeroes their momenta.
void update_islands_and_sleep(struct bodies *b, double interval);
int island_root(const int *parent, int i);
void island_union(int *parent, int x, int y);
bool body_is_moving(const struct bodies *b, int i);
bool body_is_slow(const struct bodies *b, int i);

#endif
