// Two-way coupling of bodies and the planar model, whose projection solves for the velocities of the bodies.
//
// Contacts and joints then change these velocities, with the added mass of the fluid. The changes are applied
// to body and fluid together as impulses in a second projection, so that fluid next to a body that a wall
// stops is stopped as well; otherwise a light body at a wall would continue to accelerate the fluid.
#ifndef COUPLE_PLANAR_COUPLING_H
#define COUPLE_PLANAR_COUPLING_H

#include "couple/coupling.h"

// By body slot.
struct planar_body {
    double velocity[3];        // [m/s], [m/s], [rad/s] that the fluid uses: state
    double velocity_before[3]; // scratch: the same at the start of the substep
    bool is_in_cut_cells;      // false: inserted since the cut cells were built
};

struct planar_coupling {
    struct memory *memory;
    struct planar_body *per_body;
    int body_capacity;
    bool poses_are_stale;       // bodies were inserted or moved since the cut cells were built: state
    struct collider *colliders; // the obstacles of the fluid, for the contact solver
    int collider_count, collider_capacity;
};

void planar_free(struct planar_coupling *s);

// A body is inserted or removed. Dye and heat at its place are moved aside.
tarn_result planar_insert_body(struct planar_coupling *s, struct coupling *c, struct fluid *f,
                               const struct bodies *b, int i, tarn_error *err);
void planar_remove_body(struct planar_coupling *s, struct coupling *c, struct fluid *f,
                        const struct bodies *b, int i);

// The mass of a body has changed.
void planar_update_mass(struct planar_coupling *s, struct fluid *f, const struct bodies *b, int i);

// Rebuild the cut cells for bodies that were inserted or moved since the last call: one rebuild for all of
// them, at the start of the next step or of an edit of the fluid. Until then the fluid keeps the cut cells of
// the old poses.
void planar_refresh(struct planar_coupling *s, struct fluid *f, const struct bodies *b);

// ---- planar_colliders.c ----

// Start of a world step: make colliders of new obstacles and place all at their poses. False without memory.
bool planar_update_colliders(struct planar_coupling *s, const struct fluid *f);
// Place the colliders where their obstacles were `ago` seconds before.
void planar_place_colliders(struct planar_coupling *s, const struct fluid *f, double ago);
void planar_free_colliders(struct planar_coupling *s);

// ---- planar_coupling.c ----

// The calls of a substep, in order. Apply the differences between the velocities of bodies and those that the
// fluid uses as impulses on body and fluid together: for all bodies, or for those that are not kinematic.
// Returns the sum of the impulses [kg m/s].
vec3 planar_exchange_impulses(struct planar_coupling *s, struct fluid *f, const struct bodies *b, double dt,
                              bool all);
// Gravity and user forces.
void planar_set_forces(struct planar_coupling *s, struct fluid *f, const struct bodies *b);
// Read the velocities that the projection has solved for, and the loads that follow from them.
void planar_read_velocities(struct planar_coupling *s, struct coupling *c, const struct fluid *f,
                            const struct bodies *b, double dt);
// Solver steps: contacts, joints and positions.
void planar_move_bodies(struct planar_coupling *s, const struct fluid *f, struct bodies *b,
                        const struct body_domain *domain, double dt);
// Bodies take the velocities of planar_exchange_impulses(); the cut cells are rebuilt for the new poses.
void planar_update_cut_cells(struct planar_coupling *s, struct fluid *f, struct bodies *b);

// [J] Potential energy of the displaced fluid, negative.
double planar_energy(const struct fluid *f, const struct bodies *b);

void planar_save(struct saver *s, const struct planar_coupling *planar, const struct fluid *f,
                 const struct bodies *b);
tarn_result planar_load(struct loader *l, struct planar_coupling *s, struct fluid *f, const struct bodies *b,
                        tarn_error *err);

#endif
