// Water and bodies: the only room that knows both.
//
// Body to water: every hull is cut into the columns it stands over; what it fills there lifts the surface.
// Water to body: the hull is cut at the surface; the pressure on the wet part is integrated exactly.
// Both share the inner step, so that bodies much lighter than water stay calm.
#ifndef COUPLE_COUPLE_H
#define COUPLE_COUPLE_H

#include "body/body.h"
#include "fluid/fluid.h"

// A plane a + b x + c z with x, z measured from a body's centre.
struct plane {
    double a, b, c;
};

// One column of a patch.
struct column {
    float sum_area, sum_height; // over wet pieces: b(eta) = sum_area eta - sum_height
    float lo, hi;               // while lo < eta <= hi the same pieces are wet
    float cover;                // 0 .. 1, spread
    float weight[3];            // cover (1, x, z), spread once more: what the fit needs of every b
    float raw;                  // [m] b, filled below the surface, before spreading
    float filled;               // [m] b after spreading
    float base;                 // [m] surface above level without what this body lifts
};

// A point of the hull over the patch.
struct corner {
    double x, z, y; // x, z in cells of the patch, y above level [m]
};

// A part of the hull over one column.
struct scrap {
    int cell;     // of the patch
    float area;   // -(upward area)/s^2: undersides count positive
    float height; // [m] mean, above level
};

// What one body does to the columns under it. Cells of the patch are numbered row by row; its outermost
// ring holds no piece, only what spreading brings there.
struct press {
    // state
    struct plane surface; // [m] above level, the water's surface at the body as if it were flat
    double added;         // [kg] added mass of the last inner step
    tarn_load load;       // of the last inner step
    // made anew at the end of every world step, and after a quarter of a cell of sideways motion
    bool wet;                // something is under the surface
    bool stranded;           // there is no water under it or beside
    int i0, j0, ni, nj;      // the patch, in columns and rows that may reach beyond the grid; ni 0: none yet
    double x, y, z;          // [m] body's centre when the pieces were made
    double aside_x, aside_z; // [m] how far the centre has gone since
    struct plane moved;      // [m] how far each point has risen since, about (x, z)
    double normal[3][3];     // of the fit: sum cover (1, x, z)(1, x, z)^T, ridge included
    int piece_count;
    struct scrap *pieces; // sorted by cell
    struct scrap *given;  // as they come from the hull
    int *first;           // ni*nj + 1: where a cell's pieces begin
    struct column *columns;
    float *row;             // scratch, as many as columns
    double *depth;          // scratch, of every vertex
    struct corner *corners; // scratch, of every vertex
    int piece_room, given_room, first_room, column_room, row_room, depth_room, corner_room;
};

struct couple {
    struct memory *memory;
    struct press *presses; // by body slot
    int room;
    double strength;   // alpha: part of the filled height that lifts the surface
    float *felt;       // [m] cell, the lift that the water's speeds have felt last; NULL until there is one
    size_t felt_count; // numbers in it
    struct rect *left; // scratch, where there was a lift
    int left_room;
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

// The water pushes the bodies for dt, gravity included, and they press on it.
void couple_push(struct couple *c, struct fluid *f, struct bodies *b, double dt);

// After the bodies have moved by dt.
void couple_follow(struct couple *c, struct fluid *f, const struct bodies *b, double dt);

void couple_save(struct saver *s, const struct couple *c, const struct bodies *b);
tarn_result couple_load(struct loader *l, struct couple *c, struct fluid *f, const struct bodies *b,
                        tarn_error *err);

// columns.c
// Room for every pose of a hull, so that steps never allocate. False without memory.
bool press_reserve(struct press *p, const struct memory *m, const struct fluid *f, const struct hull *h,
                   double radius);
void press_build(struct press *p, const struct fluid *f, const struct hull *h, const struct body_hot *at);
void press_free(struct press *p, const struct memory *m);
int press_column(const struct fluid *f, int i); // grid column of a patch column; -1: none
int press_row(const struct fluid *f, int j);
// Whether there is water under it or beside it.
void press_look(struct press *p, const struct fluid *f);
// Read the surface without this body, whose share of it is strength * filled.
void press_read(struct press *p, const struct fluid *f, double strength);
// What the body fills below its present plane.
void press_fill(struct press *p, const struct fluid *f);
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

// wetted.c
struct wetted {
    vec3 pressure, pressure_torque; // [N], [N m]
    vec3 drag, drag_torque;
    vec3 lift, lift_torque;
    double damping[6][6]; // -d(drag)/d(v, w)
    double volume;        // [m^3] below the surface
};
// Cut a hull at a plane (above level, about the body's centre) and sum over the wet part. `drift` is the
// water's velocity, `depth` scratch for every vertex.
void wetted_cut(const struct hull *h, const struct body_hot *at, const tarn_body_def *def, vec3 velocity,
                vec3 spin, const struct plane *surface, vec3 drift, const struct fluid *f, double *depth,
                struct wetted *out);

#endif
