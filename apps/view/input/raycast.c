#include "raycast.h"

#include <math.h>

static tarn_vec3 sub(tarn_vec3 a, tarn_vec3 b) { return (tarn_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double dot(tarn_vec3 a, tarn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static tarn_vec3 cross(tarn_vec3 a, tarn_vec3 b)
{
    return (tarn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// World to body: v + 2 u x (u x v - w v) with u the vector part.
static tarn_vec3 turn_back(tarn_quat q, tarn_vec3 v)
{
    const tarn_vec3 u = {-q.x, -q.y, -q.z}, t = cross(u, v);
    const tarn_vec3 s = cross(u, (tarn_vec3){t.x + q.w * v.x, t.y + q.w * v.y, t.z + q.w * v.z});
    return (tarn_vec3){v.x + 2.0 * s.x, v.y + 2.0 * s.y, v.z + 2.0 * s.z};
}

static tarn_vec3 vertex(const tarn_mesh *m, int t, int k)
{
    const float *p = m->vertices + 3 * m->triangles[3 * t + k];
    return (tarn_vec3){(double)p[0], (double)p[1], (double)p[2]};
}

// Moeller & Trumbore: both sides count, for open hulls are seen from inside.
static double meet_triangle(const tarn_mesh *m, int t, tarn_vec3 from, tarn_vec3 way)
{
    const tarn_vec3 a = vertex(m, t, 0), e1 = sub(vertex(m, t, 1), a), e2 = sub(vertex(m, t, 2), a);
    const tarn_vec3 p = cross(way, e2), s = sub(from, a), q = cross(s, e1);
    const double det = dot(e1, p);
    if (fabs(det) < 1e-300) return INFINITY;
    const double u = dot(s, p) / det, v = dot(way, q) / det, far = dot(e2, q) / det;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && far > 0.0 ? far : INFINITY;
}

static double meet_body(const tarn_frame_body *body, tarn_vec3 from, tarn_vec3 way)
{
    const tarn_mesh *m = body->mesh;
    const tarn_vec3 f = turn_back(body->motion.rotation, sub(from, body->motion.position));
    const tarn_vec3 w = turn_back(body->motion.rotation, way);
    double best = INFINITY;
    for (int t = 0; m && t < m->triangle_count; ++t) best = fmin(best, meet_triangle(m, t, f, w));
    return best;
}

int raycast_bodies(const tarn_frame *f, tarn_vec3 from, tarn_vec3 way, double *far)
{
    int best = -1;
    *far = INFINITY;
    for (int k = 0; k < f->body_count; ++k) {
        const double d = meet_body(&f->bodies[k], from, way);
        if (d < *far) *far = d, best = k;
    }
    return best;
}

double surface_height_at(const tarn_frame *f, double x, double z)
{
    const double u = (x - f->x0) / f->dx, v = (z - f->z0) / f->dx;
    if (!(u >= -0.5 && v >= -0.5 && u <= f->nx - 0.5 && v <= f->nz - 0.5)) return NAN;
    const double a = fmin(fmax(u, 0.0), f->nx - 1.0), b = fmin(fmax(v, 0.0), f->nz - 1.0);
    const int i = a < f->nx - 1 ? (int)a : f->nx - 1, j = b < f->nz - 1 ? (int)b : f->nz - 1;
    const int i1 = i + (i < f->nx - 1), j1 = j + (j < f->nz - 1);
    const double s = a - i, t = b - j;
    const float *h = f->height;
    return (1 - t) * ((1 - s) * (double)h[j * f->nx + i] + s * (double)h[j * f->nx + i1]) +
           t * ((1 - s) * (double)h[j1 * f->nx + i] + s * (double)h[j1 * f->nx + i1]);
}

bool raycast_surface(const tarn_frame *f, tarn_vec3 from, tarn_vec3 way, double *far, bool *wet)
{
    const double step = 0.5 * f->dx, size = (f->nx + f->nz) * f->dx;
    double last = 0.0;
    if (f->flat) return false;
    // Steps of half a cell, far enough to cross the domain from any place that is worth standing on.
    const double most = 8.0 * size + fabs(from.y - f->level) * 4.0;
    for (double d = 0.0; d < most; d += step) {
        const double x = from.x + d * way.x, z = from.z + d * way.z, y = from.y + d * way.y;
        const double h = surface_height_at(f, x, z);
        if (!(y <= h)) {
            last = d;
            continue;
        }
        if (d == 0.0) return false; // the eye is under water
        double lo = last, hi = d;
        for (int k = 0; k < 20; ++k) {
            const double m = 0.5 * (lo + hi),
                         there = surface_height_at(f, from.x + m * way.x, from.z + m * way.z);
            if (from.y + m * way.y <= there)
                hi = m;
            else
                lo = m;
        }
        *far = hi;
        const int i = (int)fmin(fmax((from.x + hi * way.x - f->x0) / f->dx + 0.5, 0.0), f->nx - 1.0);
        const int j = (int)fmin(fmax((from.z + hi * way.z - f->z0) / f->dx + 0.5, 0.0), f->nz - 1.0);
        *wet = !f->bed || f->height[j * f->nx + i] > f->bed[j * f->nx + i];
        return true;
    }
    return false;
}
