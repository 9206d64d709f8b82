// Volume integrals of a closed triangle mesh [mirtich1996] and principal axes of inertia (Jacobi eigenvalue
// method). The integrals are sums over signed tetrahedra between each triangle and a vertex o of the mesh;
// coordinates relative to o avoid cancellation for a mesh far from the origin. With d = a.(b x c):
//
//     V = sum d/6,   int x_i = sum d/24 (a+b+c)_i,
//     int x_i x_j = sum d/120 [(a+b+c)_i (a+b+c)_j + a_i a_j + b_i b_j + c_i c_j]
#include "body/mesh/trimesh.h"

#include <string.h>

static void to_array(vec3 v, double *x) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

struct volume_moments trimesh_moments(const struct trimesh *mesh)
{
    double volume = 0.0, first[3] = {0}, second[3][3] = {{0}};
    const vec3 origin = mesh->vertices[0];
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const vec3 a = v3_sub(mesh->vertices[mesh->triangles[t][0]], origin);
        const vec3 b = v3_sub(mesh->vertices[mesh->triangles[t][1]], origin);
        const vec3 c = v3_sub(mesh->vertices[mesh->triangles[t][2]], origin);
        const double d = v3_dot(a, v3_cross(b, c));
        double vertex[3][3], sum[3];
        to_array(a, vertex[0]), to_array(b, vertex[1]), to_array(c, vertex[2]);
        to_array(v3_add(a, v3_add(b, c)), sum);
        volume += d / 6.0;
        for (int i = 0; i < 3; ++i) {
            first[i] += d / 24.0 * sum[i];
            for (int j = 0; j < 3; ++j)
                second[i][j] += d / 120.0 *
                                (sum[i] * sum[j] + vertex[0][i] * vertex[0][j] + vertex[1][i] * vertex[1][j] +
                                 vertex[2][i] * vertex[2][j]);
        }
    }
    struct volume_moments m = {.volume = volume};
    double centroid[3];
    for (int i = 0; i < 3; ++i) centroid[i] = first[i] / volume;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m.second[i][j] = second[i][j] - volume * centroid[i] * centroid[j];
    m.centroid = v3_add(origin, v3(centroid[0], centroid[1], centroid[2]));
    return m;
}

// One Jacobi rotation in the plane (p, q): a becomes R^T a R with a[p][q] = 0, and v becomes v R. t =
// tan(angle) is the smaller root of t^2 + 2 theta t - 1 = 0, so that the angle is at most 45 degrees.
static void jacobi_rotate(double a[3][3], mat3 *v, int p, int q)
{
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;

    for (int k = 0; k < 3; ++k) {
        const double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq, a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; ++k) {
        const double pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk, a[q][k] = s * pk + c * qk;
    }
    a[p][q] = a[q][p] = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double kp = v->m[k][p], kq = v->m[k][q];
        v->m[k][p] = c * kp - s * kq, v->m[k][q] = s * kp + c * kq;
    }
}

vec3 diagonalize_inertia(const mat3 *inertia, mat3 *axes)
{
    double a[3][3];
    memcpy(a, inertia->m, sizeof a);
    const double trace = a[0][0] + a[1][1] + a[2][2];
    *axes = (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    // Cyclic sweeps converge quadratically. Off-diagonal elements of rounding size do not rotate the axes any
    // more.
    for (int sweep = 0; sweep < 16; ++sweep)
        for (int k = 0; k < 3; ++k) {
            const int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2;
            if (fabs(a[p][q]) > 0.5e-13 * trace) jacobi_rotate(a, axes, p, q);
        }
    return v3(a[0][0], a[1][1], a[2][2]);
}

mat3 inertia_of_moments(const struct volume_moments *moments)
{
    const double trace = moments->second[0][0] + moments->second[1][1] + moments->second[2][2];
    mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out.m[i][j] = (i == j ? trace : 0.0) - moments->second[i][j];
    return out;
}

vec3 principal_of_moments(const struct volume_moments *moments, mat3 *axes)
{
    const mat3 inertia = inertia_of_moments(moments);
    return diagonalize_inertia(&inertia, axes);
}
