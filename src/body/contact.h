// Contacts of all bodies: finding, keeping, solving, falling asleep.
//
//   broad.c    whose boxes overlap                    ground.c  walls, floor, terrain; fixture.c  what is in the way
//   contact.c  who touches whom, and since when       octets.c  contacts -> groups of eight for the solver
//   solve.c    the short steps                        sleep.c   who may rest
//   recall.c   with which impulses they begin
//   events.c   what began, ended and hit               engine_save.c  into a checkpoint and back
#ifndef BODY_CONTACT_H
#define BODY_CONTACT_H

#include "body.h"
#include "contact_rows.h"
#include "joint.h"

#define PUSH_OUT 2.0 // [m/s], [rad/s] at which overlaps open and joints close, at most

// ---- contacts ---------------------------------------------------------------------------------------

// A point that holds, and what it gave in the last short step: state, because the solver begins with it.
struct hold {
    vec3 on_a,
        on_b;     // [m] in the bodies' own axes, from their centres of mass; on_b of the world: where it is
    float push;   // [kg m/s]
    float rub[3]; // [kg m/s] across, world axes
};

struct contact {
    int a, b; // slots; b < 0: the world
    int piece_a,
        piece_b; // with which they touch, the first of them; of the world: 0, or 1 + number of a fixture
    int shift;   // b is seen across periodic sides: 3 (dx + 1) + dz + 1, 4: it is not
    int count;
    bool touching; // pushed when it was last solved
    vec3 normal;   // in a's axes, from a to b
    struct hold holds[SPOTS];
    vec3
        lay_at; // how b lay to a when the points were chosen: in a's axes; a fixture's origin, as it is seen: where it is
    quat lay_turn;
    float strike, speed; // [kg m/s], [m/s] of the hardest impact in this world step
};

struct contacts {
    struct contact *now, *old; // sorted by a, b and shift
    int count, old_count, room, old_room;
    int at; // in old, while looking
};

// ---- broad phase ------------------------------------------------------------------------------------

struct bounds {
    vec3 lo, hi;
};
struct pair {
    int a, b, shift; // a < b, or the same seen across a side
};
// A body, or its image across periodic sides.
struct proxy {
    int slot, dx, dz;
    struct bounds box;
};
struct broad {
    struct bounds *fat; // of each slot when pairs were last looked for
    int fat_room;
    bool stale;         // look again whatever moved
    struct pair *pairs; // sorted
    int pair_count, pair_room;
    // scratch
    struct proxy *proxies;
    int proxy_room;
    unsigned *keys;
    int *order, *spare;
    int key_room, order_room, spare_room;
    float *edges; // lowest and highest of each proxy, axis by axis
    int edge_room;
};

// All pairs of bodies whose bounds overlap. `wrap`: lengths of periodic sides, 0: none. False without memory.
bool broad_pairs(struct bodies *b, const struct bounds *bounds, const double wrap[2]);
bool broad_room(struct bodies *b, int slots, int pairs);
vec3 shift_of(int shift, const double wrap[2]); // [m] to add to b

// ---- solver -----------------------------------------------------------------------------------------

// How much the impulses of the last short step are worth to an island, by its first slot; see recall.c.
struct guess {
    double slope, curve; // [J]
    double there;        // [J] before
    bool thrown;         // one of its bodies is
    float part;          // that the body of this slot takes
};

struct solver {
    // Of each mover; then one that stands for what does not move, and one for each fixture
    struct mover *v, *moved, *pull, *start, *led;
    struct mover_mass *mass;
    int *mover_of; // slot -> mover
    int *slot_of;  // mover -> slot
    mat3 *inertia; // [kg m^2] of each mover, world axes
    int count;     // movers, externals included, without the last
    int mover_room, slot_room, v_room, moved_room, pull_room, start_room, led_room, mass_room, inertia_room;
    struct octet *octets;
    int octet_count, octet_room;
    bool fresh; // the octets have not been weighed yet
    int *place; // contact -> octet * WIDE + lane, or -1
    int place_room;
    uint64_t *used; // colours of each mover
    int used_room;
    struct guess *guesses; // of each slot
    int guess_room;
};
static inline int mover_of(const struct solver *s, int slot)
{
    return slot < 0 ? s->count : s->mover_of[slot];
}

// ---- all of it --------------------------------------------------------------------------------------

struct engine {
    struct contacts contacts;
    struct broad broad;
    struct solver solver;
    struct joints joints;
    double wrap[2];                 // [m] of the walls
    const struct fixture *fixtures; // of the walls, lent while bodies advance
    int fixture_count;
    double pace;         // [s] short step that the impulses belong to
    vec3 given;          // [kg m/s] by walls and the like since it was last asked
    bool no_memory;      // a look failed
    unsigned char *mark; // of each slot
    int mark_room;
    struct bounds *bounds; // of each slot: as far as it may get until contacts are looked for again
    double *reach;         // [m] of each slot that it may move until then
    mat3 *axes;            // of each slot then, world axes
    int axes_room;
    vec3 *from;              // [m] where each slot was then
    int *island;             // of each slot
    int *members, *restless; // of each island
    int members_room, restless_room;
    bool *asleep; // of each slot
    int bounds_room, reach_room, from_room, island_room, asleep_room;
    struct pair *before; // that touched when the step began
    int before_count, before_room;
    tarn_event *events; // since the caller last asked for a step
    int event_count, event_room;
    double within, left; // [s] between two looks, and to the next
};

// Look for everything that may touch within a time [s]. False without memory.
bool bodies_look(struct bodies *b, const struct walls *w, double within);

// Contacts with the walls and the ground of body i, added to `now`. False without memory.
bool ground_contacts(struct bodies *b, const struct walls *w, int i);
// Contacts with fixtures likewise. The fixture of a contact, or NULL.
bool fixture_contacts(struct bodies *b, const struct walls *w, int i);
static inline const struct fixture *fixture_of(const struct bodies *b, const struct contact *c)
{
    const bool any = c->b < 0 && 0 < c->piece_b && c->piece_b <= b->engine->fixture_count;
    return any ? &b->engine->fixtures[c->piece_b - 1] : NULL;
}
// A place for a contact at the end of `now`. NULL without memory.
struct contact *contact_add(struct bodies *b, const struct contact *like);

// Begin a short step with the impulses of the last one.
void bodies_recall(struct bodies *b, const struct contact_pace *pace, double dt, double again);

// Who is an island, and who rests: fills in `island` and `asleep`, and stills what fell asleep.
void sleep_sort(struct bodies *b, double within);
int island_of(const int *parent, int i);
void island_join(int *parent, int x, int y);
bool body_moving(const struct bodies *b, int i);
bool body_slow(const struct bodies *b, int i);
double hold_gap(const struct bodies *b, const struct contact *c, int k); // [m] as things are now
bool engine_create(struct bodies *b, int count); // with room for so many slots; false without memory
void engine_save(struct saver *s, const struct bodies *b);
tarn_result engine_load(struct loader *l, struct bodies *b, tarn_error *err);
void engine_free(struct bodies *b);
void engine_forget(struct bodies *b, int i); // a body that goes

bool events_begin(struct bodies *b); // of a world step; false without memory
bool events_end(struct bodies *b);

#define COLOURS 64
bool octets_room(struct bodies *b, int slots, int contacts, int octets); // false without memory
bool octets_make(struct bodies *b);                                      // false without memory
void octets_keep(struct bodies *b);                                      // impulses back into the contacts

#endif
