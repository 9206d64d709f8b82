// Two-way coupling of bodies and height fields.
//
// Body to water: the hull is clipped against the grid columns; the displaced depth of every column acts on
// the water as a load head. Water to body: pressure, drag and lift are integrated over the wetted surface of
// the hull. Both happen in every substep; damping, stiffness and added mass are implicit, so that light
// bodies are stable. The planar model has a coupling of its own, planar/planar_coupling.h.
#ifndef COUPLE_COUPLING_H
#define COUPLE_COUPLING_H

#include "couple/body_coupling.h"
#include "couple/columns/column_patch.h"
#include "couple/loads.h"
#include "couple/methods/methods.h"

struct coupling;

// Clipped hulls in a snapshot.
struct stored_clips {
    const unsigned char *data;
    int count;
};

// A coupling method.
struct coupling_kind {
    bool displaces;   // the displaced depth acts on the water
    bool is_implicit; // the model solves for it together with the motion of the bodies
    bool is_penalty;  // the model draws its surface to the undersides of bodies
    // Body i has moved for dt, and the water has yet to receive an impulse [kg m/s]. Returns the part that it
    // received.
    vec3 (*return_momentum)(const struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                            vec3 owed, double dt);
};
extern const struct coupling_kind coupling_columns, coupling_triangles, coupling_pressure, coupling_penalty;
extern const char *const coupling_method_names[]; // in the order of tarn_coupling_method
// @return NULL: the model does not have this method
const struct coupling_kind *coupling_kind_for(tarn_coupling_method method, const struct fluid_model *model);
tarn_result coupling_check(const tarn_world_def *def, const struct fluid_model *model, tarn_error *err);
// struct coupling.strength for a `coupling.strength` that may be NaN.
double coupling_strength(const struct coupling_kind *kind, double strength);

struct coupling {
    struct memory *memory;
    const struct coupling_kind *kind;
    struct body_coupling *per_body; // by body slot
    int body_capacity;
    double strength;        // alpha: fraction of the displaced depth that acts as load head
    double penalty_weight;  // penalty: weight of the underside of a body against the surface
    double splash_strength; // height rate of the splash ring over the speed of the body
    float *applied_head;    // [m] cell, load head already applied to the velocities; NULL until there is one
    size_t applied_head_count;        // elements of it
    struct cell_rect *previous_rects; // scratch: rectangles with a load in the substep before
    int previous_rect_capacity;
    struct surface_load **surface_loads; // scratch of the present substep
    int surface_load_capacity;
    vec3 deferred_impulse; // [kg m/s] of the water by deferred changes of the load head; zero between steps
    // state
    double submerged_volume;         // [m^3] of all bodies
    double initial_submerged_volume; // [m^3] the part that was inserted in the water, not dropped into it
    vec3 momentum_sink;              // [kg m/s] for the water that no face could take
    double last_dt;                  // [s] length of the last substep
};

void couple_free(struct coupling *c);

// As in a world without bodies: the water has no loads. Memory is kept, for another state.
void couple_reset(struct coupling *c, struct fluid *f);

// An inserted body replaces water, a removed one returns it: neither makes a wave.
tarn_result couple_insert_body(struct coupling *c, struct fluid *f, const struct bodies *b, int i,
                               tarn_error *err);
void couple_remove_body(struct coupling *c, struct fluid *f, const struct bodies *b, int i);

// Build the columns of body i, or of every body (i < 0), for the present poses.
void couple_build_columns(struct coupling *c, struct fluid *f, const struct bodies *b, int i);

// The water was changed by something other than a body: rebuild the columns of all bodies.
void couple_refresh(struct coupling *c, struct fluid *f, const struct bodies *b);

// ---- the calls of a substep, in order ----

// Loads of the water on the bodies for dt, gravity included, and of the bodies on the water.
void couple_apply_loads(struct coupling *c, struct fluid *f, struct bodies *b, double dt);

// The water has moved by dt. Methods whose model solves for the pressure apply it to the bodies now.
void couple_apply_solved_pressure(struct coupling *c, struct fluid *f, struct bodies *b, double dt);

// The water has moved by dt. It receives the opposite of the horizontal impulses that it gave the bodies.
void couple_return_momentum(struct coupling *c, struct fluid *f, const struct bodies *b, double dt);

// The bodies have moved by dt.
void couple_update_columns(struct coupling *c, struct fluid *f, const struct bodies *b, double dt);

// ---- totals and checkpoints ----

// [m] Volume of the floodwater of all hulls over the area of one column.
double couple_floodwater(const struct coupling *c, const struct bodies *b);

// [J] Energy of bodies and water that neither has on its own.
double couple_energy(const struct coupling *c, const struct fluid *f, const struct bodies *b);

void couple_save(struct saver *s, const struct coupling *c, const struct bodies *b);
// `clips`: of couple_save_clips(), so that hulls need not be clipped again; `clip_count` 0: none
tarn_result couple_load(struct loader *l, struct coupling *c, struct fluid *f, const struct bodies *b,
                        const struct stored_clips *clips, tarn_error *err);
// Write the clipped hulls of all bodies as they are in memory. @return their number
int couple_save_clips(const struct coupling *c, const struct bodies *b, tarn_write_fn write, void *context);

// ---- columns/surface_load.c ----

bool surface_load_reserve(struct coupling *c, struct fluid *f, int bodies);
void surface_load_clear(struct coupling *c, struct fluid *f); // of all bodies, as if there had never been any
// Write the load heads of all wet bodies. `deferred_time` [s]: time for which a change of the load head
// still has to act on the velocities, half of the last substep; 0 where bodies or water were inserted.
void surface_load_write(struct coupling *c, struct fluid *f, const struct bodies *b, double deferred_time);
// The same after one body was inserted in the last slot: only its own displaced depth is added.
void surface_load_add(struct coupling *c, struct fluid *f, int i);
// Write the load heads that are expected at the end of the substep to f->load_head_next.
void surface_load_write_next(struct coupling *c, struct fluid *f, const struct bodies *b);

// ---- columns/face_heads.c ----

// Write the load heads of cell faces that bodies sweep over in the next dt, for models that advect the depth.
void couple_write_face_heads(struct coupling *c, struct fluid *f, const struct bodies *b, double dt);

#endif
