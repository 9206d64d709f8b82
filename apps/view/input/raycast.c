// Ray intersection tests for mouse input: triangles of bodies by the test of Moeller and Trumbore, the water
// surface by ray marching with bisection. Called by mouse.c and overlay.c.
#include "raycast.h"

#include <math.h>

static tarn_vec3 sub(tarn_vec3 a, tarn_vec3 b) { return (tarn_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double dot(tarn_vec3 a, tarn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static tarn_vec3 cross(tarn_vec3 a, tarn_vec3 b)
{
    return (tarn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// From world axes to body axes: v + 2 u x (u x v + w v) with u minus the vector part of q.
static tarn_vec3 rotate_inverse(tarn_quat q, tarn_vec3 v)
{
    const tarn_vec3 u = {-q.x, -q.y, -q.z}, t = cross(u, v);
    const tarn_vec3 s = cross(u, (tarn_vec3){t.x + q.w * v.x, t.y + q.w * v.y, t.z + q.w * v.z});
    return (tarn_vec3){v.x + 2.0 * s.x, v.y + 2.0 * s.y, v.z + 2.0 * s.z};
}

static tarn_vec3 vertex(const tarn_render_mesh *m, int triangle, int corner)
{
    const float *p = m->vertices + 3 * m->triangles[3 * triangle + corner];
    return (tarn_vec3){(double)p[0], (double)p[1], (double)p[2]};
}

// Moeller & Trumbore. Both sides of a triangle count, because open hulls are seen from inside.
static double raycast_triangle(const tarn_render_mesh *m, int triangle, tarn_vec3 origin, tarn_vec3 direction)
{
    const tarn_vec3 a = vertex(m, triangle, 0), e1 = sub(vertex(m, triangle, 1), a),
                    e2 = sub(vertex(m, triangle, 2), a);
    const tarn_vec3 p = cross(direction, e2), s = sub(origin, a), q = cross(s, e1);
    const double det = dot(e1, p);
    if (fabs(det) < 1e-300) return INFINITY;
    const double u = dot(s, p) / det, v = dot(direction, q) / det, distance = dot(e2, q) / det;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0 ? distance : INFINITY;
}

static double raycast_body(const tarn_frame_body *body, tarn_vec3 origin, tarn_vec3 direction)
{
    const tarn_render_mesh *m = body->mesh;
    const tarn_vec3 local_origin = rotate_inverse(body->state.rotation, sub(origin, body->state.position));
    const tarn_vec3 local_direction = rotate_inverse(body->state.rotation, direction);
    double nearest = INFINITY;
    for (int t = 0; m && t < m->triangle_count; ++t)
        nearest = fmin(nearest, raycast_triangle(m, t, local_origin, local_direction));
    return nearest;
}

int raycast_bodies(const tarn_frame *f, tarn_vec3 origin, tarn_vec3 direction, double *distance)
{
    int nearest = -1;
    *distance = INFINITY;
    for (int k = 0; k < f->body_count; ++k) {
        const double d = raycast_body(&f->bodies[k], origin, direction);
        if (d < *distance) *distance = d, nearest = k;
    }
    return nearest;
}

double surface_height_at(const tarn_frame *f, double x, double z)
{
    const double u = (x - f->x0) / f->cell_size, v = (z - f->z0) / f->cell_size;
    if (!(u >= -0.5 && v >= -0.5 && u <= f->nx - 0.5 && v <= f->nz - 0.5)) return NAN;
    const double a = fmin(fmax(u, 0.0), f->nx - 1.0), b = fmin(fmax(v, 0.0), f->nz - 1.0);
    const int i = a < f->nx - 1 ? (int)a : f->nx - 1, j = b < f->nz - 1 ? (int)b : f->nz - 1;
    const int i1 = i + (i < f->nx - 1), j1 = j + (j < f->nz - 1);
    const double s = a - i, t = b - j;
    const float *h = f->height;
    return (1 - t) * ((1 - s) * (double)h[j * f->nx + i] + s * (double)h[j * f->nx + i1]) +
           t * ((1 - s) * (double)h[j1 * f->nx + i] + s * (double)h[j1 * f->nx + i1]);
}

// Bisect between a distance above the surface and one below it.
static double refine_hit(const tarn_frame *f, tarn_vec3 origin, tarn_vec3 direction, double above,
                         double below)
{
    for (int k = 0; k < 20; ++k) {
        const double m = 0.5 * (above + below);
        const double height = surface_height_at(f, origin.x + m * direction.x, origin.z + m * direction.z);
        if (origin.y + m * direction.y <= height)
            below = m;
        else
            above = m;
    }
    return below;
}

static bool is_wet_at(const tarn_frame *f, double x, double z)
{
    const int i = (int)fmin(fmax((x - f->x0) / f->cell_size + 0.5, 0.0), f->nx - 1.0);
    const int j = (int)fmin(fmax((z - f->z0) / f->cell_size + 0.5, 0.0), f->nz - 1.0);
    return !f->bed || f->height[j * f->nx + i] > f->bed[j * f->nx + i];
}

bool raycast_surface(const tarn_frame *f, tarn_vec3 origin, tarn_vec3 direction, double *distance, bool *wet)
{
    const double step = 0.5 * f->cell_size, size = (f->nx + f->nz) * f->cell_size;
    double above = 0.0;
    if (f->planar) return false;
    // The range crosses the domain from any useful camera position.
    const double max_distance = 8.0 * size + fabs(origin.y - f->level) * 4.0;
    for (double d = 0.0; d < max_distance; d += step) {
        const double x = origin.x + d * direction.x, z = origin.z + d * direction.z,
                     y = origin.y + d * direction.y;
        if (!(y <= surface_height_at(f, x, z))) { // above, or outside the domain (NAN)
            above = d;
            continue;
        }
        if (d == 0.0) return false; // the camera is under water
        const double hit = refine_hit(f, origin, direction, above, d);
        *distance = hit;
        *wet = is_wet_at(f, origin.x + hit * direction.x, origin.z + hit * direction.z);
        return true;
    }
    return false;
}
