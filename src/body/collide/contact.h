// Contacts of all bodies: finding, keeping, solving, falling asleep.
//
//   broad.c    whose boxes overlap                    ground.c  walls, floor, terrain; fixture.c  what is in the way
//   contact.c  who touches whom, and since when       octets.c  contacts -> groups of eight for the solver
//   solve.c    the short steps                        sleep.c   who may rest
//   recall.c   with which impulses they begin
//   events.c   what began, ended and hit               engine_save.c  into a checkpoint and back
#ifndef BODY_CONTACT_H
#define BODY_CONTACT_H

#include "body/body.h"
#include "body/joint/joint.h"
#include "body/solve/contact_rows.h"

#define MAX_CORRECTION_SPEED 2.0 // [m/s], [rad/s] at which overlaps open and joints close, at most

// ---- contacts ---------------------------------------------------------------------------------------

// A point that holds, and what it gave in the last short step: state, because the solver begins with it.
struct contact_point {
    vec3 local_a,
        local_b; // [m] in the bodies' own axes, from their centres of mass; on_b of the world: where it is
    float normal_impulse;      // [kg m/s]
    float friction_impulse[3]; // [kg m/s] across, world axes
};

struct contact {
    int a, b; // slots; b < 0: the world
    int part_a,
        part_b; // with which they touch, the first of them; of the world: 0, or 1 + number of a fixture
    int image;  // b is seen across periodic sides: 3 (dx + 1) + dz + 1, 4: it is not
    int point_count;
    bool is_touching; // pushed when it was last solved
    vec3 normal;      // in a's axes, from a to b
    struct contact_point points[MANIFOLD_POINTS];
    vec3
        relative_position; // how b lay to a when the points were chosen: in a's axes; a fixture's origin, as it is seen: where it is
    quat relative_rotation;
    float impact_impulse, impact_speed; // [kg m/s], [m/s] of the hardest impact in this world step
};

struct contacts {
    struct contact *current, *previous; // sorted by a, b and shift
    int count, previous_count, capacity, previous_capacity;
    int previous_cursor; // in old, while looking
};

// ---- broad phase ------------------------------------------------------------------------------------

struct aabb {
    vec3 lo, hi;
};
struct body_pair {
    int a, b, image; // a < b, or the same seen across a side
};
// A body, or its image across periodic sides.
struct proxy {
    int slot, dx, dz;
    struct aabb box;
};
struct broad_phase {
    struct aabb *fat_aabb; // of each slot when pairs were last looked for
    int fat_aabb_capacity;
    bool is_stale;           // look again whatever moved
    struct body_pair *pairs; // sorted
    int pair_count, pair_capacity;
    // scratch
    struct proxy *proxies;
    int proxy_capacity;
    unsigned *keys;
    int *order, *sort_scratch;
    int key_capacity, order_capacity, sort_scratch_capacity;
    float *endpoints; // lowest and highest of each proxy, axis by axis
    int endpoint_capacity;
};

// All pairs of bodies whose bounds overlap. `wrap`: lengths of periodic sides, 0: none. False without memory.
bool broad_phase_update(struct bodies *b, const struct aabb *bounds, const double wrap[2]);
bool broad_phase_reserve(struct bodies *b, int slots, int pairs);
vec3 image_offset(int shift, const double wrap[2]); // [m] to add to b

// ---- solver -----------------------------------------------------------------------------------------

// How much the impulses of the last short step are worth to an island, by its first slot; see recall.c.
struct warm_start_energy {
    double slope, curvature; // [J]
    double initial;          // [J] before
    bool has_gaining_body;   // one of its bodies is
    float fraction;          // that the body of this slot takes
};

struct solver {
    // Of each mover; then one that stands for what does not move, and one for each fixture
    struct solver_motion *velocity, *displacement, *acceleration, *stored_velocity, *velocity_unwarmed;
    struct solver_inverse_mass *inverse_mass;
    int *body_of_slot; // slot -> mover
    int *slot_of_body; // mover -> slot
    mat3 *inertia;     // [kg m^2] of each mover, world axes
    int body_count;    // movers, externals included, without the last
    int body_capacity, slot_capacity, velocity_capacity, displacement_capacity, acceleration_capacity,
        stored_velocity_capacity, velocity_unwarmed_capacity, inverse_mass_capacity, inertia_capacity;
    struct contact_batch *batches;
    int batch_count, batch_capacity;
    bool batches_are_new; // the octets have not been weighed yet
    int *batch_lane;      // contact -> octet * WIDE + lane, or -1
    int batch_lane_capacity;
    uint64_t *colours; // colours of each mover
    int colour_capacity;
    struct warm_start_energy *warm_start; // of each slot
    int warm_start_capacity;
};
static inline int solver_body(const struct solver *s, int slot)
{
    return slot < 0 ? s->body_count : s->body_of_slot[slot];
}

// ---- all of it --------------------------------------------------------------------------------------

struct dynamics {
    struct contacts contacts;
    struct broad_phase broad_phase;
    struct solver solver;
    struct joints joints;
    double period[2];                 // [m] of the walls
    const struct collider *colliders; // of the walls, lent while bodies advance
    int collider_count;
    double last_dt;              // [s] short step that the impulses belong to
    vec3 environment_impulse;    // [kg m/s] by walls and the like since it was last asked
    bool out_of_memory;          // a look failed
    unsigned char *island_flags; // of each slot
    int island_flag_capacity;
    struct aabb *aabb; // of each slot: as far as it may get until contacts are looked for again
    double *margin;    // [m] of each slot that it may move until then
    mat3 *rotation;    // of each slot then, world axes
    int rotation_capacity;
    vec3 *detection_position;              // [m] where each slot was then
    int *island_parent;                    // of each slot
    int *island_size, *island_awake_count; // of each island
    int island_size_capacity, island_awake_capacity;
    bool *is_asleep; // of each slot
    int aabb_capacity, margin_capacity, detection_position_capacity, island_parent_capacity,
        is_asleep_capacity;
    struct body_pair *touching_before; // that touched when the step began
    int touching_before_count, touching_before_capacity;
    tarn_event *events; // since the caller last asked for a step
    int event_count, event_capacity;
    double detection_interval, detection_time_left; // [s] between two looks, and to the next
};

// Look for everything that may touch within a time [s]. False without memory.
bool bodies_detect_contacts(struct bodies *b, const struct body_domain *w, double within);

// Contacts with the walls and the ground of body i, added to `now`. False without memory.
bool add_domain_contacts(struct bodies *b, const struct body_domain *w, int i);
// Contacts with fixtures likewise. The fixture of a contact, or NULL.
bool add_collider_contacts(struct bodies *b, const struct body_domain *w, int i);
static inline const struct collider *contact_collider(const struct bodies *b, const struct contact *c)
{
    const bool any = c->b < 0 && 0 < c->part_b && c->part_b <= b->dynamics->collider_count;
    return any ? &b->dynamics->colliders[c->part_b - 1] : NULL;
}
// A place for a contact at the end of `now`. NULL without memory.
struct contact *contacts_add(struct bodies *b, const struct contact *like);

// Begin a short step with the impulses of the last one.
void bodies_warm_start(struct bodies *b, const struct contact_step *pace, double dt, double again);

// Who is an island, and who rests: fills in `island` and `asleep`, and stills what fell asleep.
void update_islands_and_sleep(struct bodies *b, double within);
int island_root(const int *parent, int i);
void island_union(int *parent, int x, int y);
bool body_is_moving(const struct bodies *b, int i);
bool body_is_slow(const struct bodies *b, int i);
double contact_point_gap(const struct bodies *b, const struct contact *c, int k); // [m] as things are now
bool dynamics_create(struct bodies *b, int count); // with room for so many slots; false without memory
void dynamics_save(struct saver *s, const struct bodies *b);
tarn_result dynamics_load(struct loader *l, struct bodies *b, tarn_error *err);
void dynamics_free(struct bodies *b);
void dynamics_remove_body(struct bodies *b, int i); // a body that goes

bool events_begin_step(struct bodies *b); // of a world step; false without memory
bool events_end_step(struct bodies *b);

#define MAX_COLOURS 64
bool batches_reserve(struct bodies *b, int slots, int contacts, int octets); // false without memory
bool batches_build(struct bodies *b);                                        // false without memory
void batches_store_impulses(struct bodies *b); // impulses back into the contacts

#endif
