// Contacts of bodies with each other, with the domain and with colliders: detection and persistence.
//
//   broad_phase.c        pairs of overlapping AABBs       contacts.c           pairs of bodies, persistence
//   domain_contacts.c    walls, floor, ceiling, terrain   collider_contacts.c  obstacles of prescribed motion
//   contact_events.c     begin, end and hit events        sensors.c            overlaps of sensors
#ifndef BODY_COLLIDE_CONTACT_H
#define BODY_COLLIDE_CONTACT_H

#include "body/body.h"
#include "body/collide/narrow_phase.h"

// A persistent contact point. The accumulated impulses of the last solver step are state: the next step
// starts from them.
struct contact_point {
    vec3 local_a;              // [m] in a's axes from its centre of mass
    vec3 local_b;              // [m] in b's axes; b < 0: position in the world
    float normal_impulse;      // [kg m/s]
    float friction_impulse[3]; // [kg m/s] world axes
    float step_impulse;        // [kg m/s] along the normal since the world step began; reported, no state
};

struct contact {
    int a, b;   // slots; b < 0: the domain or a collider
    int part_a; // convex part of a, the first one of several
    int part_b; // convex part of b; b < 0: 0
    int image;  // periodic image of b, see image_offset(); IMAGE_SELF: b itself
    int point_count;
    int collider;     // index of the collider if b < 0; -1: none
    bool is_touching; // had a positive impulse when it was last solved
    vec3 normal;      // unit, from a to b, in a's axes
    struct contact_point points[MANIFOLD_POINTS];
    union {
        vec3 relative_position; // [m] of b in a's axes when the manifold was built
        vec3 collider_position; // [m] of the periodic image of the collider, world axes
    };
    quat relative_rotation;             // of b against a when the manifold was built
    float impact_impulse, impact_speed; // [kg m/s], [m/s] of the hardest impact in this world step
};

// Manifolds of convex parts that share a normal are merged into one contact.
#define MAX_NORMALS 24 // distinct contact normals of a pair
struct normal_group {
    vec3 normal;
    double min_gap; // [m] smallest gap of its points
    int part_a, part_b;
    struct candidate_points candidates;
};

struct contacts {
    struct contact *current, *previous; // sorted by a, b and image
    int count, previous_count, capacity, previous_capacity;
    int previous_cursor; // position in `previous` during detection
    struct normal_group
        *groups; // MAX_NORMALS of the pair whose parts are tested: 75 kB, too much for a stack
    int group_capacity;
};

// Detects all contacts that may close within an interval [s]. False: out of memory.
bool bodies_detect_contacts(struct bodies *b, const struct body_domain *domain, double interval);

// Add the contacts of body i with walls, floor and terrain, or with colliders, to `current`. False: out of
// memory.
bool add_domain_contacts(struct bodies *b, const struct body_domain *domain, int i);
bool add_collider_contacts(struct bodies *b, const struct body_domain *domain, int i);

// Appends a contact to `current`; its points take over impulses of matching previous points. NULL: out of
// memory.
struct contact *contacts_add(struct bodies *b, const struct contact *contact);

double contact_point_gap(const struct bodies *b, const struct contact *c, int k); // [m] in the present pose

// First and last call of a world step: touching pairs before, events after. False: out of memory.
bool events_begin_step(struct bodies *b);
bool events_end_step(struct bodies *b);
bool events_reserve(struct bodies *b, int slots); // what most steps need

// sensors.c: overlaps of sensors with other bodies, found at the end of a world step
bool overlaps_update(struct bodies *b); // and their events; false: out of memory
void overlaps_remove_body(struct bodies *b, int i);
void overlaps_save(struct saver *s, const struct bodies *b); // nothing if there are none
tarn_result overlaps_load(struct loader *l, struct bodies *b, tarn_error *err);

#endif
