// What the coupling methods of height fields offer to the rest of the module.
#ifndef COUPLE_METHODS_H
#define COUPLE_METHODS_H

#include "couple/body_coupling.h"

// ---- method_columns.c ----

// The water that moves with a body, for each of x and z.
struct entrained_water {
    double mass[2];       // [kg]
    double head_force[2]; // [N] of the load heads on it in the last substep
};
struct entrained_water entrained_water_of(const struct body_coupling *p, const struct fluid *f,
                                          double strength);

// ---- method_pressure.c ----

bool load_arrays_reserve(struct body_coupling *p, const struct memory *m);
void load_arrays_free(struct body_coupling *p, const struct memory *m);
void load_arrays_build(struct body_coupling *p, const struct fluid *f);
// Displaced depth of every column below the surface that was solved for last.
void pressure_evaluate_displaced(struct body_coupling *p, const struct fluid *f);
// A body was inserted: the solved surface under it starts from the present surface.
void pressure_init_surface(struct body_coupling *p, struct fluid *f);

struct column_estimate {
    double force[3];    // heave [N], roll and pitch [N m]
    double uncut_cover; // 0 .. 1, see uncut_cover_fraction()
};
// Fraction of the cover that the surface does not cut, because it is submerged. Only there a body has an
// added mass in heave: elsewhere the water that heave moves is part of the linear system.
double uncut_cover_fraction(const struct body_coupling *p);
struct column_estimate estimate_column_forces(struct body_coupling *p, const struct fluid *f);
// Fill in the unknowns of body i for the model.
void pressure_set_load(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                       double dt);
void pressure_read_solution(struct body_coupling *p, const struct fluid *f);

// ---- method_penalty.c ----

// Set the plane to the mean height of the open surface around a body.
void penalty_find_level(struct body_coupling *p, const struct fluid *f);
// Set height and weight of the penalty of every column.
void penalty_set_load(struct body_coupling *p, const struct fluid *f, double weight);
// Remove the water that the penalty has cost and book it in the ledger.
void penalty_remove_water(struct body_coupling *p, struct fluid *f);

#endif
