// Water and bodies: the only room that knows both.
//
// Body to water: every hull is cut into the columns it stands over; what it fills there lifts the surface.
// Water to body: the hull is cut at the surface; the pressure on the wet part is integrated exactly.
// Both share the inner step, so that bodies much lighter than water stay calm.
#ifndef COUPLE_COUPLE_H
#define COUPLE_COUPLE_H

#include "body/body.h"
#include "column_rows.h"
#include "fluid/fluid.h"
#include "hull_clip_rows.h"

#define MIN_ADVECTED_OFFSET \
    1e-4 // [columns] that bodies go sideways, or less: nothing to tell a water that carries its depth along
#define ADDED_MASS_COEFFICIENT    0.5 // added mass of a body in the water it displaces
#define ADDED_INERTIA_COEFFICIENT 0.1 // added inertia, times (rho V/m) I

// [kg] Water that moves along with so much of a body. A mesh that crosses itself may have less than nothing under water.
static inline double added_mass_of(const struct fluid *f, double volume)
{
    return volume > 0.0 ? ADDED_MASS_COEFFICIENT * f->density * volume : 0.0;
}

// The pieces of a hull column by column, for a model that solves for what presses on it.
struct load_arrays {
    int *first_piece;   // the first piece of every column
    int *cell;          // columns of the patch
    size_t *grid_index; // and of the grid
    double *column_values;
    float *area, *height;
    float *penalty_height, *penalty_weight; // penalty: height to which each column is drawn, and how hard
    int column_capacity, piece_capacity;
};

// What a body gets in the present inner step, before the water's upward pressure is known.
struct pending_load {
    double free_motion[6];  // [m/s], [rad/s] that all else gives it
    double mobility[3][6];  // and what an impulse up, about x and about z adds
    vec3 force, torque;     // [N], [N m] of all of it
    vec3 non_fluid_force;   // ... of which this is not the water's doing
    vec3 inflow_force;      // [N] for what comes into the hold
    double floodwater_mass; // [kg] in it
    double added_mass;      // [kg] that contacts and joints meet as well, and likewise of its inertia
    double added_inertia;
    bool is_dry;
};

// [kg] Water that moves along with a body sideways, and upwards and when it turns.
struct added_mass {
    double horizontal, vertical;
};

// What one body does to the columns under it. Cells of the patch are numbered row by row; its outermost
// ring holds no piece, only what spreading brings there.
struct body_coupling {
    // state
    struct plane surface_plane;   // [m] above level, the water's surface at the body as if it were flat
    struct added_mass added_mass; // of the last inner step
    double floodwater_depth;      // [m] water in the hold of an open hull, as the depth of one column
    tarn_load load;               // of the last inner step
    bool has_prediction;          // pressure: there was an inner step
    double predicted_rate
        [3]; // pressure: speed up and spins about x and z that water and weight led to in the last one
    double support_rate[3]; // pressure: what of those others are expected to give in the next [m/s], [rad/s]
    // of the present inner step
    vec3 water_velocity;     // [m/s] velocity of the water
    vec3 momentum_to_return; // [kg m/s] that the water is to get back
    // made anew at the end of every world step, and as soon as the body has gone a little sideways
    bool is_wet;        // something is under the surface
    bool has_no_water;  // there is no water under it or beside
    int i0, j0, ni, nj; // the patch, in columns and rows that may reach beyond the grid; ni 0: none yet
    double build_x, build_y, build_z; // [m] body's centre when the pieces were made
    double offset_x, offset_z;        // [m] how far the centre has gone since
    struct plane rise_plane;          // [m] how far each point has risen since, about (x, z)
    double fit_matrix[3][3];          // of the fit: sum cover (1, x, z)(1, x, z)^T, ridge included
    // The pieces, for a surface near a plane
    const struct trimesh *hull;
    quat build_rotation;            // of the body when the pieces were made
    struct plane band_plane;        // what is far below counts as wet, far above as dry
    double band_half_width;         // [m] how far the surface may go from there
    int radius_columns;             // [columns] of the hull, at most
    int origin_i, origin_j;         // columns and rows that corners begin before the patch
    struct column_vertex *vertices; // every vertex
    struct hull_piece *pieces;
    struct column_hull *column_hulls; // of every column
    struct columns columns;
    float *column_storage; // that they are made of
    int *stale_columns;    // scratch, columns whose wet pieces are to be found
    int piece_capacity, column_hull_capacity, column_storage_capacity, stale_capacity, vertex_capacity;
    struct body_coupling
        *predicted; // where the body is expected at the end of the inner step; NULL: nobody wants to know
    // pressure
    bool keeps_all_pieces; // all pieces are kept
    struct surface_load surface_load;
    struct load_arrays load_arrays;
    struct pending_load pending; // of the present inner step
};

struct coupling;

// How bodies move the water.
struct coupling_kind {
    bool displaces;   // what they fill lifts the surface
    bool is_implicit; // the water finds how much, and how the bodies give way
    bool is_penalty;  // the water finds how it is drawn to their undersides
    // A body moved for dt and owes the water an impulse [kg m/s]. Gives back what of it the water took.
    vec3 (*return_momentum)(const struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                            vec3 owed, double dt);
};
extern const struct coupling_kind coupling_columns, coupling_triangles, coupling_pressure, coupling_penalty;
extern const char *const coupling_names[]; // of the table, NULL at its end
const struct coupling_kind *coupling_kind_at(int index);

struct coupling {
    struct memory *memory;
    const struct coupling_kind *kind;
    struct body_coupling *per_body; // by body slot
    int body_capacity;
    double strength;        // alpha: part of the filled height that lifts the surface
    double penalty_weight;  // penalty: how hard the surface is drawn to a body's underside
    double splash_strength; // part of a body's speed at which it throws water up around itself
    float *applied_head; // [m] cell, the lift that the water's speeds have felt last; NULL until there is one
    size_t applied_head_count;        // numbers in it
    struct cell_rect *previous_rects; // scratch, where there was a lift
    int previous_rect_capacity;
    struct surface_load **surface_loads; // scratch, of the present inner step
    int surface_load_capacity;
    vec3
        late_impulse; // [kg m/s] that the water has felt late and no body has answered for; zero between steps
    // state
    double submerged_volume;         // [m^3] of all bodies
    double initial_submerged_volume; // [m^3] of what was put into the water, not dropped
    vec3 momentum_sink;              // [kg m/s] given to the water that cannot carry it
    double last_dt;                  // [s] the last inner step
};

void couple_free(struct coupling *c);

// A new body takes the place of water, a removed one gives it back: no wave either way.
tarn_result couple_insert_body(struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                               tarn_error *err);
void couple_remove_body(struct coupling *c, struct fluid *f, const struct bodies *b, int i);

// Find the columns under body i, or under every body (i < 0), from where they are now.
void couple_build_columns(struct coupling *c, struct fluid *f, const struct bodies *b, int i);

// The water was changed by something other than a body: rebuild the columns of all bodies.
void couple_refresh(struct coupling *c, struct fluid *f, const struct bodies *b);

// The water pushes the bodies for dt, gravity included, and they press on it.
void couple_apply_loads(struct coupling *c, struct fluid *f, struct bodies *b, double dt);

// The water has moved by dt and found what it gave the bodies: they get it. Nothing for kinds that know before.
void couple_apply_solved_pressure(struct coupling *c, struct fluid *f, struct bodies *b, double dt);

// The water has moved by dt and gets back what it gave the bodies: with them it keeps its momentum.
void couple_return_momentum(struct coupling *c, struct fluid *f, const struct bodies *b, double dt);

// After the bodies have moved by dt.
void couple_update_columns(struct coupling *c, struct fluid *f, const struct bodies *b, double dt);

// [m] of water in open hulls, as the depth of one column.
double couple_floodwater(const struct coupling *c, const struct bodies *b);

// [J] that bodies in the water add to what both have on their own.
double couple_energy(const struct coupling *c, const struct fluid *f, const struct bodies *b);
// ... of which this belongs to body i; the rest is what their lifts take from each other.
double body_coupling_energy(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                            int i);

void couple_save(struct saver *s, const struct coupling *c, const struct bodies *b);
tarn_result couple_load(struct loader *l, struct coupling *c, struct fluid *f, const struct bodies *b,
                        tarn_error *err);

// pieces.c
// Room for every pose of a hull, so that steps never allocate. False without memory.
bool patch_reserve(struct body_coupling *p, const struct memory *m, const struct fluid *f,
                   const struct trimesh *h, double radius);
void body_coupling_free(struct body_coupling *p, const struct memory *m);
// Cut the hull, as it was when it was built, about a plane (above level, from the body's centre of then).
void patch_clip_hull(struct body_coupling *p, const struct fluid *f, struct plane eta);

// lift.c
bool surface_load_reserve(struct coupling *c, struct fluid *f, int bodies);
// What all wet bodies fill, onto the water. `late`: half of the inner step that felt the lift before [s]; 0 where the
// lift is another because bodies or water were put there.
void surface_load_write(struct coupling *c, struct fluid *f, const struct bodies *b, double late);
// The same after one body was inserted in the last slot: only its own displaced depth is added.
void surface_load_add(struct coupling *c, struct fluid *f, int i);
// What all of them will fill, to f->next.
void surface_load_write_next(struct coupling *c, struct fluid *f, const struct bodies *b);

// sweep.c
// Tell a water that carries its depth along how the bodies will move in the next dt.
void couple_write_face_heads(struct coupling *c, struct fluid *f, const struct bodies *b, double dt);

// columns.c
// Find the columns under a body where it is now, its surface taken from the last fit.
void patch_build(struct body_coupling *p, const struct fluid *f, const struct trimesh *h,
                 const struct body_state *at);
int patch_grid_column(const struct fluid *f, int i); // grid column of a patch column; -1: none
int patch_grid_row(const struct fluid *f, int j);
// Whether there is water under it or beside it.
void patch_check_water(struct body_coupling *p, const struct fluid *f);
// Read the surface without this body, whose share of it is strength * filled.
void patch_read_surface(struct body_coupling *p, const struct fluid *f, double strength);
// What the body fills below its present plane.
void patch_compute_displaced(struct body_coupling *p, const struct fluid *f);
// What it would fill some way aside, below the same plane of the tank: to p->ahead.
void patch_predict(const struct body_coupling *p, const struct fluid *f, double x, double z);
// Go on from there if a body is there and has hardly turned. False: it is elsewhere.
bool patch_adopt_prediction(struct body_coupling *p, const struct fluid *f, const struct body_state *at);
// Find the plane of the surface as it stands.
void fit_plane_to_surface(struct body_coupling *p, const struct fluid *f);
// Find the plane of the surface at the body, and what it fills.
void fit_loaded_plane(struct body_coupling *p, const struct fluid *f, double strength);
// Stiffness of heave, roll and pitch: rho g s^2 sum b'/(1 - alpha b') a a^T, a = (1, -z, x).
void hydrostatic_stiffness(const struct body_coupling *p, const struct fluid *f, double strength,
                           double out[3][3]);
// Sideways force and yaw torque: -rho g s^2 sum b grad(h).
void horizontal_pressure_force(const struct body_coupling *p, const struct fluid *f, double strength,
                               double volume, vec3 *force, double *yaw);
// Velocity of the water: sideways the mean under the body, upwards the mean of the open surface within two
// radii (under a body the height is pressure, not motion).
vec3 sample_water_velocity(const struct body_coupling *p, const struct fluid *f, double radius);

// below.c
// The part of a closed hull below a plane.
struct submerged_part {
    double volume;         // [m^3]
    vec3 moment;           // [m^4] integral of x and z about the body's centre; y means nothing
    double depth_integral; // [m^4] integral of the depth below the plane
};
struct submerged_part submerged_below(const struct trimesh *h, const struct body_state *at,
                                      const struct plane *surface, double level);

// hold.c
// The water in the hold of an open hull.
struct floodwater {
    double level;       // [m] of its surface above that of the tank at rest; -infinity: there is none
    double mass;        // [kg]
    double inflow_rate; // [kg/s] that comes in
    vec3 force, torque; // [N], [N m] of its weight on the hull
    double energy;      // [J] potential, above the tank's level
};
struct floodwater floodwater_of(const struct body_coupling *p, const struct fluid *f,
                                const struct shape_data *form, const struct body_state *at);
// Let water in and out over the rim for dt.
struct floodwater floodwater_update(struct body_coupling *p, struct fluid *f, const struct shape_data *form,
                                    const struct body_state *at, double dt);

// drive.c
// What a propeller and a rudder give a body [N], [N m].
struct propulsion {
    vec3 force, torque;
};
struct propulsion propulsion_of(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                                int i, double dt);

// push.c
// Cut the hull of body i at its plane, the water having the velocity `drift`.
struct wetted_forces;
void body_wetted_forces(const struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                        vec3 drift, struct wetted_forces *out);
void report_hydrostatics(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                         const struct wetted_forces *w);
// All that acts on body i for dt, as a kick. Gives back how much of it is under water [m^3].
double apply_body_loads(struct body_coupling *p, struct fluid *f, struct bodies *b, int i, double strength,
                        double dt);
// The same where the water's upward pressure comes after it has moved: first all else, then all.
double predict_body_loads(struct body_coupling *p, struct fluid *f, struct bodies *b, int i, double dt);
void correct_body_loads(struct body_coupling *p, const struct fluid *f, struct bodies *b, int i, double dt);

// pressure.c
bool load_arrays_reserve(struct body_coupling *p, const struct memory *m);
void load_arrays_free(struct body_coupling *p, const struct memory *m);
void load_arrays_build(struct body_coupling *p, const struct fluid *f);
void pressure_evaluate_displaced(struct body_coupling *p, const struct fluid *f);
void pressure_init_surface(struct body_coupling *p, struct fluid *f);
struct column_estimate {
    double force[3];    // [N], [N m] up, about x, about z
    double uncut_cover; // 0 .. 1: under water altogether
};
// Part of its cover that the surface does not cut: only there has it an added mass upwards.
double uncut_cover_fraction(const struct body_coupling *p);
struct column_estimate estimate_column_forces(struct body_coupling *p, const struct fluid *f);
void pressure_set_load(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                       double dt);
void pressure_read_solution(struct body_coupling *p, const struct fluid *f);

// penalty.c
// The level of the water around a body.
void penalty_find_level(struct body_coupling *p, const struct fluid *f);
// Tell the water to which height its columns are drawn, and how hard.
void penalty_set_load(struct body_coupling *p, const struct fluid *f, double weight);
// Take the water away that this has cost, and book it.
void penalty_remove_water(struct body_coupling *p, struct fluid *f);

// splash.c
// A ring of water thrown up around body i, which moves through the surface for dt.
void add_splash(const struct body_coupling *p, struct fluid *f, const struct bodies *b, int i,
                double strength, double dt);

// answer.c
// The water that a body takes along, each way along x and z.
struct entrained_water {
    double mass[2];       // [kg] of it
    double head_force[2]; // [kg m/s] that the lifted columns gave it in the last inner step, per second
};
struct entrained_water entrained_water_of(const struct body_coupling *p, const struct fluid *f,
                                          double strength);

// wetted.c
struct wetted_forces {
    vec3 pressure, pressure_torque; // [N], [N m]
    vec3 drag, drag_torque;
    vec3 lift, lift_torque;
    double damping[6][6]; // -d(drag)/d(v, w)
    double volume;        // [m^3] below the surface
};
// Cut a hull at a plane (above level, about the body's centre) and sum over the wet part. `drift` is the
// water's velocity.
void integrate_wetted_surface(const struct trimesh *h, const struct body_state *at, const tarn_body_def *def,
                              vec3 velocity, vec3 spin, const struct plane *surface, vec3 drift,
                              const struct fluid *f, struct wetted_forces *out);

#endif
