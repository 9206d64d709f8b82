// Shapes: geometry with a closed hull of triangles, and the table of kinds.
#ifndef BODY_SHAPE_H
#define BODY_SHAPE_H

#include "base/math.h"
#include "base/memory.h"
#include "base/param.h"

// A closed triangle mesh about the centre of mass, in principal axes; seen from outside the corners of a
// triangle run counter-clockwise.
struct hull {
    int vertex_count, triangle_count;
    vec3 *vertices;
    int (*triangles)[3];
    struct facet *facets; // what follows from them, by hull_finish
};

// A triangle as a whole.
struct facet {
    vec3 normal; // unit, outwards; zero for a triangle without area
    vec3 centre;
    double area; // [m^2]
};

void hull_finish(struct hull *h);

bool hull_alloc(struct hull *h, const struct memory *m, int vertices, int triangles);
void hull_free(struct hull *h, const struct memory *m);

// Volume, centre and second moments of a closed mesh, by surface integrals.
struct moments {
    double volume;       // [m^3]
    vec3 centre;         // [m]
    double second[3][3]; // [m^5] integral of x_i x_j about the centre
};
struct moments hull_moments(const struct hull *h);

// Principal moments of inertia for a density of 1, and a rotation whose columns are their axes, as near to the
// axes of the mesh as they come: of a solid that lies along them it is the identity.
vec3 moments_principal(const struct moments *m, mat3 *axes); // [m^5]

// An edge of the shape that may touch others; a point has both ends the same.
struct probe {
    vec3 a, b;
};
#define MAX_PROBES 12

// A flat side: points p with normal . p = offset lie on it, the shape is below.
struct face {
    vec3 normal;
    double offset;
};
#define MAX_FACES 6

struct shape_kind {
    tarn_kind kind;
    // The hull, with exactly the volume of the shape. False without memory.
    bool (*build)(const void *def, const struct memory *m, struct hull *out);
    double (*volume)(const void *def);             // [m^3]
    vec3 (*inertia)(const void *def, double mass); // [kg m^2] principal
    // What can touch: edges, rounded by `round`, and the signed distance of a point from the whole shape
    // with the normal that leads out.
    int (*probes)(const void *def, struct probe *out, double *round);
    double (*distance)(const void *def, vec3 p, vec3 *normal);
    int (*faces)(const void *def, struct face *out); // NULL for round shapes
};

const struct shape_kind *shape_kind_at(int index);
const struct shape_kind *shape_kind_of(const tarn_kind *kind);

#endif
