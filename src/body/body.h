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
    vec3 felt;     // [N] force of the last step: a sleeper wakes when it changes
    double still;  // [s] for how long it has hardly moved
    vec3 stood;    // [m] from here
    quat stood_turn;
};

// A shape as bodies share it.
struct figure {
    int users;
    struct form form;
    double radius;  // [m] about the centre of mass
    tarn_mesh mesh; // the skin or the hull as floats, for frames
    tarn_mesh hold; // likewise; no triangles: not open
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

// What others give a body until it is moved next, and what has to move along with it: contacts and joints meet the
// mass of both.
struct kick {
    vec3 momentum, angular; // [kg m/s], [kg m^2/s] of the body's own
    bool steady;            // it does not depend on where the body is
    double along;           // [kg]
    double turning;         // likewise, of the body's own inertia
};

struct bodies {
    struct memory *memory;
    int count; // slots in use or free
    int alive_count;
    struct body_slot *slots;
    struct body_hot *hot;
    struct kick *kicks;
    vec3 *passed; // [kg m/s] that contacts and joints gave to what moves along, when the body was moved last
    int slot_room, hot_room, kick_room, passed_room;
    bool never_sleep;
    bool apart;            // they do not touch each other, only ground and walls
    bool flat;             // of a plane: they move along x and y and turn about z
    struct engine *engine; // contacts
};

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
void triangles_free(tarn_triangles *t, const struct memory *m); // owned ones
bool bodies_room(struct bodies *b, int count);                  // false without memory

vec3 body_velocity(const struct bodies *b, int i);
vec3 body_spin(const struct bodies *b, int i);                                // [rad/s] world
vec3 body_angular(const struct bodies *b, int i, vec3 spin);                  // I w
mat3 body_inertia(const struct bodies *b, int i);                             // world axes
void body_inertias(const struct bodies *b, int i, mat3 *inertia, mat3 *back); // and its inverse
// False for a body that flew apart: faster than 1e6 m/s or rad/s, 1e7 m away, or not a number.
bool body_sound(const struct bodies *b, int i);
#define PUSH_MOST 1e15 // [N], [N m] that a caller may ask for
double body_energy(const struct bodies *b, int i, double gravity);

// Turn by dt with an angular momentum.
void body_turn(struct bodies *b, int i, vec3 angular, double dt);

// What stands in the way, or moves as it is told, whatever touches it.
struct fixture {
    struct form form; // pieces alone, about its origin
    double radius;    // [m] about the origin that holds them all
    vec3 position;    // [m] of the origin
    quat rotation;
    vec3 velocity, spin; // [m/s], [rad/s]
};

// The walls of the tank and its ground; no ceiling. Infinite where there is none.
struct walls {
    double x0, x1, z0, z1;
    double floor;   // [m] of level ground
    double roof;    // [m] above it; 0 or less: none
    double wrap[2]; // [m] lengths of periodic sides along x and z, 0: not periodic
    // Height and normal of ground that is not level; NULL: it is.
    double (*ground)(const void *place, double x, double z, vec3 *normal);
    const void *place;
    const struct fixture *fixtures; // lent during each call
    int fixture_count;
};

// A world step begins: look for everything that may touch within a time [s]. False without memory.
bool bodies_begin_step(struct bodies *b, const struct walls *w, double within);

// Let a short time pass, SHORT_STEP at most: kicks, contacts, motion. Gives back the momentum that walls, floor and bodies of the
// caller's gave. Looks for contacts again when the time is over or something got farther than expected.
#define SHORT_STEP (1.0 / 240.0) // [s]
vec3 bodies_advance(struct bodies *b, const struct walls *w, double dt);

// A world step of dt is over: impulses into the contacts, who has been still. False if there was no memory in it.
bool bodies_end_step(struct bodies *b, double dt);

void bodies_forget_events(struct bodies *b);
int bodies_events(const struct bodies *b, const tarn_event **out);

void body_wake(struct bodies *b, int i);
static inline bool body_movable(const struct bodies *b, int i) { return !b->slots[i].cold->def.external; }

// Of a plane: take away what rounding gave them of the other motions.
void bodies_flatten(struct bodies *b);

// No centre leaves the tank, however fast: what would is put back to the wall and turned round. Gives back the
// impulse that the walls gave.
vec3 bodies_keep_in(struct bodies *b, const struct walls *w);

void bodies_save(struct saver *s, const void *bodies);
tarn_result bodies_load(struct loader *l, struct bodies *b, tarn_error *err);

#endif
