// Volume, centre and second moments of a closed mesh, exactly: signed tetrahedra between each triangle and
// one of the mesh's own vertices, so that a mesh far from the origin loses nothing. With d = a.(b x c):
//
//     V = sum d/6,   int x_i = sum d/24 (a+b+c)_i,
//     int x_i x_j = sum d/120 [(a+b+c)_i (a+b+c)_j + a_i a_j + b_i b_j + c_i c_j]
//
// the integrals of [mirtich1996].
#include "shape.h"

#include <string.h>

static void to_array(vec3 v, double *x) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

struct moments hull_moments(const struct hull *h)
{
    double volume = 0.0, first[3] = {0}, second[3][3] = {{0}};
    const vec3 o = h->vertices[0];
    for (int t = 0; t < h->triangle_count; ++t) {
        const vec3 a = v3_sub(h->vertices[h->triangles[t][0]], o);
        const vec3 b = v3_sub(h->vertices[h->triangles[t][1]], o);
        const vec3 c = v3_sub(h->vertices[h->triangles[t][2]], o);
        const double d = v3_dot(a, v3_cross(b, c));
        double p[3][3], s[3];
        to_array(a, p[0]), to_array(b, p[1]), to_array(c, p[2]);
        to_array(v3_add(a, v3_add(b, c)), s);
        volume += d / 6.0;
        for (int i = 0; i < 3; ++i) {
            first[i] += d / 24.0 * s[i];
            for (int j = 0; j < 3; ++j)
                second[i][j] +=
                    d / 120.0 * (s[i] * s[j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]);
        }
    }
    struct moments m = {.volume = volume};
    double centre[3];
    for (int i = 0; i < 3; ++i) centre[i] = first[i] / volume;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m.second[i][j] = second[i][j] - volume * centre[i] * centre[j];
    m.centre = v3_add(o, v3(centre[0], centre[1], centre[2]));
    return m;
}
