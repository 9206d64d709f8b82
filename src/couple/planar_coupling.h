// Bodies in a flat fluid: to the fluid they are loose obstacles.
//
// The fluid finds their speeds together with its pressure; contacts and joints then change them as bodies that have some
// fluid to take along. What they gave is given to fluid and bodies once more as a blow, so that the fluid around a body
// that a wall holds is held with it: without that a light body would pump fluid for ever.
#ifndef COUPLE_SWIM_H
#define COUPLE_SWIM_H

#include "coupling.h"

// By body slot. State: the speeds that the fluid knows of [m/s], [m/s], [rad/s].
struct planar_body {
    double velocity[3];
    double velocity_before[3]; // scratch of a step: the same when it began
    bool is_in_cut_cells;      // false: inserted since the cut cells were built
};

struct planar_coupling {
    struct memory *memory;
    struct planar_body *per_body;
    int body_capacity;
    bool poses_are_stale;       // bodies were inserted or moved since the cut cells were built: state
    struct collider *colliders; // the fluid's obstacles, as bodies touch them
    int collider_count, collider_capacity;
};

void planar_free(struct planar_coupling *s);

// A body is put into the fluid or taken out. Where it is put, dye and heat go aside.
tarn_result planar_insert_body(struct planar_coupling *s, struct coupling *c, struct fluid *f,
                               const struct bodies *b, int i, tarn_error *err);
void planar_remove_body(struct planar_coupling *s, struct coupling *c, struct fluid *f,
                        const struct bodies *b, int i);

// Rebuild the cut cells for bodies that were inserted or moved since the last call: one rebuild for all of them, at
// the start of the next step or of an edit of the fluid. Until then the fluid keeps the cut cells of the old poses.
void planar_refresh(struct planar_coupling *s, struct fluid *f, const struct bodies *b);

// ---- fixtures.c ----

// A world step begins: all obstacles are fixtures, where they are. False without memory.
bool planar_update_colliders(struct planar_coupling *s, const struct fluid *f);
// They are where their obstacles were some time ago [s].
void planar_place_colliders(struct planar_coupling *s, const struct fluid *f, double ago);
void planar_free_colliders(struct planar_coupling *s);

// ---- swim.c ----

// The calls of a substep, in order.
// Velocities of bodies that differ from those that the fluid knows, as impulses on body and fluid together: of all
// bodies, or of those that are not kinematic. Returns the sum of the impulses [kg m/s].
vec3 planar_exchange_impulses(struct planar_coupling *s, struct fluid *f, const struct bodies *b, double dt,
                              bool all);
void planar_set_forces(struct planar_coupling *s, struct fluid *f,
                       const struct bodies *b); // gravity, user forces
// The velocities that the projection has found, and the loads that follow from them.
void planar_read_velocities(struct planar_coupling *s, struct coupling *c, const struct fluid *f,
                            const struct bodies *b, double dt);
// Solver steps: contacts, joints and positions.
void planar_move_bodies(struct planar_coupling *s, const struct fluid *f, struct bodies *b,
                        const struct body_domain *domain, double dt);
// Bodies take the velocities of planar_exchange_impulses(); cut cells follow the poses.
void planar_update_cut_cells(struct planar_coupling *s, struct fluid *f, struct bodies *b);

// [J] of the fluid that bodies keep from being where they are.
double planar_energy(const struct fluid *f, const struct bodies *b);

void planar_save(struct saver *s, const struct planar_coupling *swim, const struct fluid *f,
                 const struct bodies *b);
tarn_result planar_load(struct loader *l, struct planar_coupling *s, struct fluid *f, const struct bodies *b,
                        tarn_error *err);

#endif
