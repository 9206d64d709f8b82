// Bodies of revolution about the y axis: mesh, mass properties and convex parts. Used by cylinder, cone,
// lathe, capsule and torus.
#ifndef BODY_SHAPE_REVOLUTION_H
#define BODY_SHAPE_REVOLUTION_H

#include "body/shape/shape.h"

#define REVOLUTION_SECTORS   32 // sectors of the full circle
#define MAX_REVOLUTION_RINGS 96 // largest number of rings of a mesh

// cos(2 pi i/n) for n a multiple of 4; values that are equal by symmetry are bit-identical.
double symmetric_cos(int i, int n);
static inline double symmetric_sin(int i, int n) { return symmetric_cos(i - n / 4, n); }

// Builds a mesh from rings of vertices, lowest first, connected by belts of triangles. A ring of radius 0 is
// a single vertex. Either the first and the last ring have radius 0, or `loop` connects the last ring to the
// first (torus). The mesh is then scaled across the axis so that it encloses `volume`; heights and the height
// of the centroid do not change. False without memory: then call trimesh_free().
bool revolution_mesh(struct trimesh *out, const struct memory *m, const struct profile_point *rings,
                     int count, int sectors, bool loop, double volume);

mat3 axisymmetric_inertia(double transverse, double axial);

// Convex part with this profile; the heights are lowered by `centre`.
bool revolution_convex_part(struct convex_part *out, const struct memory *m,
                            const struct profile_point *profile, int count, double centre);

// Shape data of the body of revolution of a polygonal profile with ascending heights, no two successive radii
// being 0. TARN_OK or TARN_NO_MEMORY.
#define MAX_PROFILE_POINTS 48
tarn_result revolution_shape(const struct profile_point *profile, int count, const struct memory *m,
                             struct shape_data *out, tarn_error *err);

// The same minus the body of an inner profile, which lies inside the first; both profiles end at the same
// height with a positive radius. inner_count 0: nothing is subtracted.
tarn_result revolution_open_shape(const struct profile_point *profile, int count,
                                  const struct profile_point *inner, int inner_count, const struct memory *m,
                                  struct shape_data *out, tarn_error *err);

#endif
