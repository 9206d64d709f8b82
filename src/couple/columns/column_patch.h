// Functions on the column patch of a body: clipping of the hull, displaced depth, plane fit and the forces
// that follow from the columns.
#ifndef COUPLE_COLUMNS_COLUMN_PATCH_H
#define COUPLE_COLUMNS_COLUMN_PATCH_H

#include "couple/body_coupling.h"

// [columns] Smaller horizontal displacements in a substep are treated as none by models that advect the
// depth.
#define MIN_ADVECTED_OFFSET 1e-4

// ---- hull_clip.c ----

// Memory for every pose of a hull, so that steps do not allocate. False without memory.
bool patch_reserve(struct body_coupling *p, const struct memory *m, const struct fluid *f,
                   const struct trimesh *h, double radius);
void body_coupling_free(struct body_coupling *p, const struct memory *m);
void body_coupling_reset(struct body_coupling *p); // as of a body without a patch; memory is kept
// Clip the hull in its pose of patch_build() against the columns, for surfaces near the plane `eta` ((x, z)
// from the centre of that pose).
void patch_clip_hull(struct body_coupling *p, const struct fluid *f, struct plane eta);

// Write what patch_clip_hull() has found for body i. @return of the other function: where the next one is
void patch_save_clip(const struct body_coupling *p, int body, tarn_write_fn write, void *context);
const unsigned char *patch_next_clip(const unsigned char *stored, int *body);

// ---- column_patch.c ----

// Build the patch for the present pose of a body. The surface is that of the last fit.
void patch_build(struct body_coupling *p, const struct fluid *f, const struct trimesh *h,
                 const struct body_state *state);
int patch_grid_column(const struct fluid *f, int i); // grid column of a patch column; -1: none
int patch_grid_row(const struct fluid *f, int j);
// Set has_no_water.
void patch_check_water(struct body_coupling *p, const struct fluid *f);
// Read the surface of the water without the load of this body, strength * displaced depth.
void patch_read_surface(struct body_coupling *p, const struct fluid *f, double strength);
// Compute the displaced depth below the present plane.
void patch_compute_displaced(struct body_coupling *p, const struct fluid *f);
// Compute the displaced depth after a displacement by (x, z), below the same plane in space: to p->predicted.
void patch_predict(const struct body_coupling *p, const struct fluid *f, double x, double z);
// Continue with the predicted patch if the body is there and has hardly rotated. False: it is not.
bool patch_adopt_prediction(struct body_coupling *p, const struct fluid *f, const struct body_state *state);
// Fit the plane to the surface, without displacement.
void fit_plane_to_surface(struct body_coupling *p, const struct fluid *f);
// Fit the plane to the surface raised by strength * displaced depth, and compute the displaced depth.
void fit_loaded_plane(struct body_coupling *p, const struct fluid *f, double strength);
// Stiffness of heave, roll and pitch: rho g s^2 sum b'/(1 - alpha b') a a^T, a = (1, -z, x).
void hydrostatic_stiffness(const struct body_coupling *p, const struct fluid *f, double strength,
                           double out[3][3]);
// Horizontal pressure force and yaw torque: -rho g s^2 sum b grad(h).
void horizontal_pressure_force(const struct body_coupling *p, const struct fluid *f, double strength,
                               double volume, vec3 *force, double *yaw);
// Vertical force on the displaced water by the acceleration of prescribed waves, rho s^2 sum b dw/dt, and its
// torques about x and z.
void vertical_inertia_force(const struct body_coupling *p, const struct fluid *f, double volume,
                            double *force, double torque[2]);
// Velocity of the water at a body: horizontally the mean under it, vertically the mean of the open surface
// within two radii (under a body the rate of the height is pressure, not motion).
vec3 sample_water_velocity(const struct body_coupling *p, const struct fluid *f, double radius);

#endif
