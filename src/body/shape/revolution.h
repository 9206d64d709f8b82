// Bodies turned about the y axis: what cylinder, cone, lathe, capsule and torus share.
#ifndef BODY_TURNED_H
#define BODY_TURNED_H

#include "shape.h"

#define REVOLUTION_SECTORS   32 // of a hull, all the way round
#define MAX_REVOLUTION_RINGS 96 // most rings of a hull

// Cosine of i/n of a turn, n a multiple of 4: exactly the same for all i that a mirror makes the same.
double symmetric_cos(int i, int n);
static inline double symmetric_sin(int i, int n) { return symmetric_cos(i - n / 4, n); }

// Rings of corners from the lowest to the highest, joined by belts of triangles; a ring of radius 0 is one corner.
// The first and the last are such, or `loop`: the last is joined to the first. The hull is then stretched across
// the axis until it holds `volume`: heights stay, and so does the height of the centre. False without memory:
// hull_free what there is.
bool revolution_mesh(struct trimesh *out, const struct memory *m, const struct profile_point *rings,
                     int count, int sectors, bool loop, double volume);

mat3 axisymmetric_inertia(double across, double along);

// A convex piece between circles, which are lowered by `centre`.
bool revolution_convex_part(struct convex_part *out, const struct memory *m,
                            const struct profile_point *circles, int count, double centre);

// The whole form below straight lines from point to point of a profile of growing heights; no two radii of 0
// follow each other. TARN_OK or TARN_NO_MEMORY.
#define MAX_PROFILE_POINTS 48
tarn_result revolution_shape(const struct profile_point *profile, int count, double density,
                             const struct memory *m, struct shape_data *out, tarn_error *err);

// The same with another such profile taken out: it is inside the first, and both end at the same height with a radius.
// No points: nothing is taken out.
tarn_result revolution_open_shape(const struct profile_point *profile, int count,
                                  const struct profile_point *inside, int inside_count, double density,
                                  const struct memory *m, struct shape_data *out, tarn_error *err);

#endif
