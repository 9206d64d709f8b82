// Water and bodies: the only room that knows both.
//
// Body to water: every hull is cut into the columns it stands over; what it fills there lifts the surface.
// Water to body: the hull is cut at the surface; the pressure on the wet part is integrated exactly.
// Both share the inner step, so that bodies much lighter than water stay calm.
#ifndef COUPLE_COUPLE_H
#define COUPLE_COUPLE_H

#include "body/body.h"
#include "columns_rows.h"
#include "fluid/fluid.h"
#include "pieces_rows.h"

#define CARRIED \
    1e-4 // [columns] that bodies go sideways, or less: nothing to tell a water that carries its depth along
#define ADDED_SIDE 0.5 // added mass of a body in the water it displaces
#define ADDED_TURN 0.1 // added inertia, times (rho V/m) I

// [kg] Water that moves along with so much of a body. A mesh that crosses itself may have less than nothing under water.
static inline double added_by(const struct fluid *f, double volume)
{
    return volume > 0.0 ? ADDED_SIDE * f->density * volume : 0.0;
}

// The pieces of a hull column by column, for a model that solves for what presses on it.
struct shadows {
    int *first; // the first piece of every column
    int *cell;  // columns of the patch
    size_t *at; // and of the grid
    double *numbers;
    float *area, *height;
    float *low, *hold; // penalty: height to which each column is drawn, and how hard
    int column_room, piece_room;
};

// What a body gets in the present inner step, before the water's upward pressure is known.
struct due {
    double free[6];     // [m/s], [rad/s] that all else gives it
    double back[3][6];  // and what an impulse up, about x and about z adds
    vec3 force, torque; // [N], [N m] of all of it
    vec3 given;         // ... of which this is not the water's doing
    vec3 entry;         // [N] for what comes into the hold
    double cargo;       // [kg] in it
    double along;       // [kg] that contacts and joints meet as well, and likewise of its inertia
    double turning;
    bool dry;
};

// [kg] Water that moves along with a body sideways, and upwards and when it turns.
struct added {
    double side, up;
};

// What one body does to the columns under it. Cells of the patch are numbered row by row; its outermost
// ring holds no piece, only what spreading brings there.
struct press {
    // state
    struct plane surface; // [m] above level, the water's surface at the body as if it were flat
    struct added added;   // of the last inner step
    double inside;        // [m] water in the hold of an open hull, as the depth of one column
    tarn_load load;       // of the last inner step
    bool expects;         // pressure: there was an inner step
    double expected
        [3];        // pressure: speed up and spins about x and z that water and weight led to in the last one
    double held[3]; // pressure: what of those others are expected to give in the next [m/s], [rad/s]
    // of the present inner step
    vec3 drift; // [m/s] velocity of the water
    vec3 owed;  // [kg m/s] that the water is to get back
    // made anew at the end of every world step, and as soon as the body has gone a little sideways
    bool wet;                // something is under the surface
    bool stranded;           // there is no water under it or beside
    int i0, j0, ni, nj;      // the patch, in columns and rows that may reach beyond the grid; ni 0: none yet
    double x, y, z;          // [m] body's centre when the pieces were made
    double aside_x, aside_z; // [m] how far the centre has gone since
    struct plane moved;      // [m] how far each point has risen since, about (x, z)
    double normal[3][3];     // of the fit: sum cover (1, x, z)(1, x, z)^T, ridge included
    // The pieces, for a surface near a plane
    const struct hull *hull;
    quat rotation;          // of the body when the pieces were made
    struct plane split;     // what is far below counts as wet, far above as dry
    double band;            // [m] how far the surface may go from there
    int reach;              // [columns] of the hull, at most
    int skip_i, skip_j;     // columns and rows that corners begin before the patch
    struct corner *corners; // every vertex
    struct scrap *pieces;
    struct shadow *shadows; // of every column
    struct columns columns;
    float *numbers; // that they are made of
    int *stale;     // scratch, columns whose wet pieces are to be found
    int piece_room, shadow_room, number_room, stale_room, corner_room;
    struct press
        *ahead; // where the body is expected at the end of the inner step; NULL: nobody wants to know
    // pressure
    bool deep; // all pieces are kept
    struct presser presser;
    struct shadows shadow;
    struct due due; // of the present inner step
};

struct couple;

// How bodies move the water.
struct couple_kind {
    bool lifts;  // what they fill lifts the surface
    bool solved; // the water finds how much, and how the bodies give way
    bool drawn;  // the water finds how it is drawn to their undersides
    // A body moved for dt and owes the water an impulse [kg m/s]. Gives back what of it the water took.
    vec3 (*answer)(const struct couple *c, struct fluid *f, const struct bodies *b, int i, vec3 owed,
                   double dt);
};
extern const struct couple_kind couple_columns, couple_triangles, couple_pressure, couple_penalty;
extern const char *const couple_names[]; // of the table, NULL at its end
const struct couple_kind *couple_kind_at(int index);

struct couple {
    struct memory *memory;
    const struct couple_kind *kind;
    struct press *presses; // by body slot
    int room;
    double strength;   // alpha: part of the filled height that lifts the surface
    double weight;     // penalty: how hard the surface is drawn to a body's underside
    double splash;     // part of a body's speed at which it throws water up around itself
    float *felt;       // [m] cell, the lift that the water's speeds have felt last; NULL until there is one
    size_t felt_count; // numbers in it
    struct rect *left; // scratch, where there was a lift
    int left_room;
    struct presser **pressers; // scratch, of the present inner step
    int presser_room;
    bool changed; // bodies were put in or taken out, or water was poured, since the last step
    vec3 late;    // [kg m/s] that the water has felt late and no body has answered for; zero between steps
    // state
    double submerged;       // [m^3] of all bodies
    double submerged_start; // [m^3] of what was put into the water, not dropped
    vec3 sink;              // [kg m/s] given to the water that cannot carry it
    double step;            // [s] the last inner step
};

void couple_free(struct couple *c);

// A new body takes the place of water, a removed one gives it back: no wave either way.
tarn_result couple_place(struct couple *c, struct fluid *f, const struct bodies *b, int i, tarn_error *err);
void couple_take(struct couple *c, struct fluid *f, const struct bodies *b, int i);

// Find the columns under body i, or under every body (i < 0), from where they are now.
void couple_rebuild(struct couple *c, struct fluid *f, const struct bodies *b, int i);

// Before anything else in a step: where bodies or the water were changed since the last one, find all columns anew.
void couple_settle(struct couple *c, struct fluid *f, const struct bodies *b);

// The water pushes the bodies for dt, gravity included, and they press on it.
void couple_push(struct couple *c, struct fluid *f, struct bodies *b, double dt);

// The water has moved by dt and found what it gave the bodies: they get it. Nothing for kinds that know before.
void couple_yield(struct couple *c, struct fluid *f, struct bodies *b, double dt);

// The water has moved by dt and gets back what it gave the bodies: with them it keeps its momentum.
void couple_answer(struct couple *c, struct fluid *f, const struct bodies *b, double dt);

// After the bodies have moved by dt.
void couple_follow(struct couple *c, struct fluid *f, const struct bodies *b, double dt);

// [m] of water in open hulls, as the depth of one column.
double couple_inside(const struct couple *c, const struct bodies *b);

// [J] that bodies in the water add to what both have on their own.
double couple_energy(const struct couple *c, const struct fluid *f, const struct bodies *b);
// ... of which this belongs to body i; the rest is what their lifts take from each other.
double press_energy(const struct press *p, const struct fluid *f, const struct bodies *b, int i);

void couple_save(struct saver *s, const struct couple *c, const struct bodies *b);
tarn_result couple_load(struct loader *l, struct couple *c, struct fluid *f, const struct bodies *b,
                        tarn_error *err);

// pieces.c
// Room for every pose of a hull, so that steps never allocate. False without memory.
bool press_reserve(struct press *p, const struct memory *m, const struct fluid *f, const struct hull *h,
                   double radius);
void press_free(struct press *p, const struct memory *m);
// Cut the hull, as it was when it was built, about a plane (above level, from the body's centre of then).
void press_split(struct press *p, const struct fluid *f, struct plane eta);

// lift.c
bool lift_reserve(struct couple *c, struct fluid *f, int bodies);
// What all wet bodies fill, onto the water. `late`: half of the inner step that felt the lift before [s]; 0 where the
// lift is another because bodies or water were put there.
void lift_write(struct couple *c, struct fluid *f, const struct bodies *b, double late);
// What all of them will fill, to f->next.
void lift_write_next(struct couple *c, struct fluid *f, const struct bodies *b);

// sweep.c
// Tell a water that carries its depth along how the bodies will move in the next dt.
void sweep(struct couple *c, struct fluid *f, const struct bodies *b, double dt);

// columns.c
// Find the columns under a body where it is now, its surface taken from the last fit.
void press_build(struct press *p, const struct fluid *f, const struct hull *h, const struct body_hot *at);
int press_column(const struct fluid *f, int i); // grid column of a patch column; -1: none
int press_row(const struct fluid *f, int j);
// Whether there is water under it or beside it.
void press_look(struct press *p, const struct fluid *f);
// Read the surface without this body, whose share of it is strength * filled.
void press_read(struct press *p, const struct fluid *f, double strength);
// What the body fills below its present plane.
void press_fill(struct press *p, const struct fluid *f);
// What it would fill some way aside, below the same plane of the tank: to p->ahead.
void press_look_ahead(const struct press *p, const struct fluid *f, double x, double z);
// Go on from there if a body is there and has hardly turned. False: it is elsewhere.
bool press_arrive(struct press *p, const struct fluid *f, const struct body_hot *at);
// Find the plane of the surface as it stands.
void press_level(struct press *p, const struct fluid *f);
// Find the plane of the surface at the body, and what it fills.
void press_fit(struct press *p, const struct fluid *f, double strength);
// Stiffness of heave, roll and pitch: rho g s^2 sum b'/(1 - alpha b') a a^T, a = (1, -z, x).
void press_stiffness(const struct press *p, const struct fluid *f, double strength, double out[3][3]);
// Sideways force and yaw torque: -rho g s^2 sum b grad(h).
void press_sideways(const struct press *p, const struct fluid *f, double strength, double volume, vec3 *force,
                    double *yaw);
// Velocity of the water: sideways the mean under the body, upwards the mean of the open surface within two
// radii (under a body the height is pressure, not motion).
vec3 press_current(const struct press *p, const struct fluid *f, double radius);

// below.c
// The part of a closed hull below a plane.
struct below {
    double volume; // [m^3]
    vec3 moment;   // [m^4] integral of x and z about the body's centre; y means nothing
    double depth;  // [m^4] integral of the depth below the plane
};
struct below hull_below(const struct hull *h, const struct body_hot *at, const struct plane *surface,
                        double level);

// hold.c
// The water in the hold of an open hull.
struct cargo {
    double level;       // [m] of its surface above that of the tank at rest; -infinity: there is none
    double mass;        // [kg]
    double growth;      // [kg/s] that comes in
    vec3 force, torque; // [N], [N m] of its weight on the hull
    double energy;      // [J] potential, above the tank's level
};
struct cargo hold_cargo(const struct press *p, const struct fluid *f, const struct form *form,
                        const struct body_hot *at);
// Let water in and out over the rim for dt.
struct cargo hold_fill(struct press *p, struct fluid *f, const struct form *form, const struct body_hot *at,
                       double dt);

// drive.c
// What a propeller and a rudder give a body [N], [N m].
struct drive {
    vec3 force, torque;
};
struct drive drive_of(const struct press *p, const struct fluid *f, const struct bodies *b, int i, double dt);

// push.c
// Cut the hull of body i at its plane, the water having the velocity `drift`.
struct wetted;
void press_cut(const struct press *p, const struct fluid *f, const struct bodies *b, int i, vec3 drift,
               struct wetted *out);
void press_report(struct press *p, const struct fluid *f, const struct bodies *b, int i,
                  const struct wetted *w);
// All that acts on body i for dt, as a kick. Gives back how much of it is under water [m^3].
double press_push(struct press *p, struct fluid *f, struct bodies *b, int i, double strength, double dt);
// The same where the water's upward pressure comes after it has moved: first all else, then all.
double press_push_first(struct press *p, struct fluid *f, struct bodies *b, int i, double dt);
void press_push_last(struct press *p, const struct fluid *f, struct bodies *b, int i, double dt);

// pressure.c
bool pressure_reserve(struct press *p, const struct memory *m);
void pressure_free(struct press *p, const struct memory *m);
void pressure_list(struct press *p, const struct fluid *f);
void pressure_fill(struct press *p, const struct fluid *f);
void pressure_place(struct press *p, struct fluid *f);
struct columns_say {
    double push[3]; // [N], [N m] up, about x, about z
    double sunk;    // 0 .. 1: under water altogether
};
// Part of its cover that the surface does not cut: only there has it an added mass upwards.
double pressure_sunk(const struct press *p);
struct columns_say pressure_at_plane(struct press *p, const struct fluid *f);
void pressure_tell(struct press *p, const struct fluid *f, const struct bodies *b, int i, double dt);
void pressure_take(struct press *p, const struct fluid *f);

// penalty.c
// The level of the water around a body.
void penalty_level(struct press *p, const struct fluid *f);
// Tell the water to which height its columns are drawn, and how hard.
void penalty_tell(struct press *p, const struct fluid *f, double weight);
// Take the water away that this has cost, and book it.
void penalty_take(struct press *p, struct fluid *f);

// splash.c
// A ring of water thrown up around body i, which moves through the surface for dt.
void splash(const struct press *p, struct fluid *f, const struct bodies *b, int i, double strength,
            double dt);

// answer.c
// The water that a body takes along, each way along x and z.
struct ballast {
    double mass[2];   // [kg] of it
    double pushed[2]; // [kg m/s] that the lifted columns gave it in the last inner step, per second
};
struct ballast press_ballast(const struct press *p, const struct fluid *f, double strength);

// wetted.c
struct wetted {
    vec3 pressure, pressure_torque; // [N], [N m]
    vec3 drag, drag_torque;
    vec3 lift, lift_torque;
    double damping[6][6]; // -d(drag)/d(v, w)
    double volume;        // [m^3] below the surface
};
// Cut a hull at a plane (above level, about the body's centre) and sum over the wet part. `drift` is the
// water's velocity.
void wetted_cut(const struct hull *h, const struct body_hot *at, const tarn_body_def *def, vec3 velocity,
                vec3 spin, const struct plane *surface, vec3 drift, const struct fluid *f,
                struct wetted *out);

#endif
