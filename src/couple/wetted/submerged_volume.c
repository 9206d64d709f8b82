// Volume, moment and depth integral of the part of a closed mesh below a plane, by surface integrals over
// triangles.
//
// With the depth d = eta - y below the plane, d(d)/dy = -1, the divergence theorem gives for any f(x, z)
//     int f dV = - int f d n_y dA,      int d dV = -1/2 int d^2 n_y dA
// over the surface below the plane; the section itself adds nothing, since d = 0 there.
#include "couple/coupling.h"

// Integrals of max(d, 0) (1, r, d) over a triangle of unit area with these values at the corners.
struct wet_integrals {
    double depth;
    vec3 moment;
    double depth_square;
};

static struct wet_integrals full_triangle(const vec3 r[3], const double d[3])
{
    const double sum = d[0] + d[1] + d[2];
    vec3 moment = v3_scale(v3_add(r[0], v3_add(r[1], r[2])), sum / 12.0);
    for (int k = 0; k < 3; ++k) moment = v3_madd(moment, d[k] / 12.0, r[k]);
    return (struct wet_integrals){
        sum / 3.0, moment,
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[0] * d[1] + d[1] * d[2] + d[2] * d[0]) / 6.0};
}

// The corner of a triangle at the vertex k that is alone on its side of the plane: d falls to 0 along both
// edges.
static struct wet_integrals lone_vertex(const vec3 r[3], const double d[3], int k)
{
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    const double s = d[k] / (d[k] - d[l]), t = d[k] / (d[k] - d[m]), fraction = s * t;
    const vec3 p = v3_madd(r[k], s, v3_sub(r[l], r[k])), q = v3_madd(r[k], t, v3_sub(r[m], r[k]));
    const vec3 sum = v3_add(v3_scale(r[k], 2.0), v3_add(p, q));
    return (struct wet_integrals){fraction * d[k] / 3.0, v3_scale(sum, fraction * d[k] / 12.0),
                                  fraction * d[k] * d[k] / 6.0};
}

static struct wet_integrals wet_triangle(const vec3 r[3], const double d[3])
{
    int wet = 0, odd = 0;
    for (int k = 0; k < 3; ++k) wet += d[k] > 0.0;
    if (wet == 0) return (struct wet_integrals){0};
    if (wet == 3) return full_triangle(r, d);
    while ((d[odd] > 0.0) != (wet == 1)) ++odd;
    struct wet_integrals one = lone_vertex(r, d, odd);
    if (wet == 1) return one;
    const struct wet_integrals all = full_triangle(r, d); // without its dry corner
    return (struct wet_integrals){all.depth - one.depth, v3_sub(all.moment, one.moment),
                                  all.depth_square - one.depth_square};
}

struct submerged_part submerged_below(const struct trimesh *h, const struct body_state *state,
                                      const struct plane *surface, double level)
{
    const mat3 rotation = quat_to_matrix(state->rotation);
    const double offset = surface->a - (state->position.y - level);
    struct submerged_part out = {0};
    for (int t = 0; t < h->triangle_count; ++t) {
        vec3 r[3];
        double d[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = mat3_mul(&rotation, h->vertices[h->triangles[t][k]]);
            d[k] = offset + surface->b * r[k].x + surface->c * r[k].z - r[k].y;
        }
        const double area = -h->facets[t].area * mat3_mul(&rotation, h->facets[t].normal).y;
        const struct wet_integrals part = wet_triangle(r, d);
        out.volume += area * part.depth;
        out.moment = v3_madd(out.moment, area, part.moment);
        out.depth_integral += 0.5 * area * part.depth_square;
    }
    return out;
}
