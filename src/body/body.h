// Rigid bodies: a pool of slots with generations; what moves apart from what does not.
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "base/save.h"
#include "shape.h"

#include <tarn/tarn.h>

// What moves: all a restart needs.
struct body_hot {
    vec3 position; // [m] centre of mass
    quat rotation;
    vec3 momentum; // [kg m/s]
    vec3 angular;  // [kg m^2/s] about the centre of mass, world axes
};

// A shape as bodies share it.
struct figure {
    int users;
    struct form form;
    double radius;  // [m] about the centre of mass
    tarn_mesh mesh; // the hull as floats, for frames
};

struct body_cold {
    tarn_body_def def; // as given, mass filled in; what was lent is owned
    struct figure *figure;
    vec3 inertia;       // [kg m^2] principal
    quat axes;          // turns the body's axes into the principal ones
    vec3 force, torque; // [N], [N m] asked for by the caller until the end of the next world step
};

// A slot lives on when its body is gone; the generation tells old ids from new ones.
struct body_slot {
    uint32_t generation;    // odd: alive
    struct body_cold *cold; // NULL: free. Its address stays, so that frames may point into it
};

struct bodies {
    struct memory *memory;
    int count; // slots in use or free
    int alive_count;
    struct body_slot *slots;
    struct body_hot *hot;
    int slot_room, hot_room;
    struct contact *contacts; // scratch of one step
    int contact_room;
};

// Where two bodies touch, or a body and a wall.
struct contact {
    int a, b;           // b < 0: a wall
    vec3 point, normal; // the normal leads from b to a
    double depth;       // [m] of the overlap
    double push;        // [kg m/s] given along the normal, never negative
    vec3 rub;           // [kg m/s] given across it, at most friction * push
    bool fast;          // hit, not laid down: it bounces
    double allowed;     // [m/s] of approach: what closes the gap in one step
};
#define CONTACTS_PER_BODY 64 // room for; what is beyond is left out

void bodies_free(struct bodies *b);
static inline bool bodies_alive(const struct bodies *b, int i) { return b->slots[i].cold != NULL; }

tarn_result bodies_add(struct bodies *b, const tarn_body_def *def, tarn_body *out, tarn_error *err);
void bodies_remove(struct bodies *b, int slot);
int bodies_slot(const struct bodies *b, tarn_body id); // -1: none or stale
tarn_body bodies_id(const struct bodies *b, int slot);

#define MAX_BODIES 100000

extern const tarn_kind body_kind; // parameters of every body
extern const tarn_kind part_kind; // of every part of one

tarn_result cold_create(const struct bodies *b, const tarn_body_def *def, struct body_cold **out,
                        tarn_error *err);
void cold_free(struct body_cold *c, const struct memory *m);
bool bodies_room(struct bodies *b, int count); // false without memory

vec3 body_velocity(const struct bodies *b, int i);
vec3 body_spin(const struct bodies *b, int i);               // [rad/s] world
vec3 body_angular(const struct bodies *b, int i, vec3 spin); // I w
mat3 body_inertia(const struct bodies *b, int i);            // world axes
mat3 body_inertia_back(const struct bodies *b, int i);       // its inverse
void body_impulse(struct bodies *b, int i, vec3 impulse, vec3 arm);
// False for a body that flew apart: faster than 1e6 m/s or rad/s, 1e7 m away, or not a number.
bool body_sound(const struct bodies *b, int i);
#define PUSH_MOST 1e15 // [N], [N m] that a caller may ask for
double body_energy(const struct bodies *b, int i, double gravity);

// Turn by dt with an angular momentum.
void body_turn(struct bodies *b, int i, vec3 angular, double dt);

// Move by dt with the momenta they have.
void bodies_drift(struct bodies *b, double dt);

// The walls of the tank and its ground; no ceiling. Infinite where there is none.
struct walls {
    double x0, x1, z0, z1;
    double floor; // [m] of level ground
    // Height and normal of ground that is not level; NULL: it is.
    double (*ground)(const void *place, double x, double z, vec3 *normal);
    const void *place;
};

// Stop bodies that move into each other or the walls, and push apart what overlaps already. Gives back the
// impulse that the walls gave.
vec3 bodies_collide(struct bodies *b, const struct walls *w, double gravity, double dt);

// No centre leaves the tank, however fast: what would is put back to the wall and turned round. Gives back the
// impulse that the walls gave.
vec3 bodies_keep_in(struct bodies *b, const struct walls *w);

void bodies_save(struct saver *s, const void *bodies);
tarn_result bodies_load(struct loader *l, struct bodies *b, tarn_error *err);

#endif
