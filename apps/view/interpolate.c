// Interpolation of frames for the viewer: linear for cell arrays and positions, normalised linear for
// rotations. Called by sim_acquire_frame() for every displayed frame.
#include "interpolate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The cell arrays of a frame, and whether they change in time.
static const struct {
    size_t offset;
    bool varies;
} arrays[] = {
    {offsetof(tarn_frame, height), true},     {offsetof(tarn_frame, velocity_x), true},
    {offsetof(tarn_frame, velocity_z), true}, {offsetof(tarn_frame, bed), false},
    {offsetof(tarn_frame, dye), true},        {offsetof(tarn_frame, temperature), true},
    {offsetof(tarn_frame, pressure), true},   {offsetof(tarn_frame, vorticity), true},
    {offsetof(tarn_frame, open), false},
};
enum { ARRAYS = sizeof arrays / sizeof arrays[0] };

static float **array(const tarn_frame *f, int k) { return (float **)((char *)f + arrays[k].offset); }

void interpolate_free(tarn_frame *out)
{
    for (int k = 0; k < ARRAYS; ++k) free(*array(out, k));
    free(out->bodies);
    *out = (tarn_frame){0};
}

// Give `out` the arrays that `frame` has.
static bool reserve_arrays(tarn_frame *out, const tarn_frame *frame)
{
    const size_t cells = (size_t)frame->nx * (size_t)frame->nz;
    bool fits = out->nx == frame->nx && out->nz == frame->nz && out->capacity[1] >= frame->body_count;
    for (int k = 0; k < ARRAYS; ++k) fits = fits && !*array(out, k) == !*array(frame, k);
    if (fits) return true;
    interpolate_free(out);
    out->nx = frame->nx, out->nz = frame->nz, out->capacity[1] = 2 * frame->body_count + 8;
    out->bodies = calloc((size_t)out->capacity[1], sizeof *out->bodies);
    bool ok = out->bodies != NULL;
    for (int k = 0; k < ARRAYS && ok; ++k)
        if (*array(frame, k)) ok = (*array(out, k) = malloc(cells * sizeof(float))) != NULL;
    if (!ok) interpolate_free(out);
    return ok;
}

// q and -q are the same rotation: the sign with the shorter arc is used.
static void interpolate_rotation(const tarn_quat *a, const tarn_quat *b, double t, tarn_quat *out)
{
    const double sign = a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z < 0.0 ? -1.0 : 1.0, u = 1.0 - t;
    const tarn_quat q = {u * a->w + t * sign * b->w, u * a->x + t * sign * b->x, u * a->y + t * sign * b->y,
                         u * a->z + t * sign * b->z};
    const double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (n > 0.0) *out = (tarn_quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

// Interpolate bodies that both frames have. A body that moved by more than half the domain has crossed a
// periodic boundary and is not interpolated.
static void interpolate_bodies(const tarn_frame *a, double t, tarn_frame *out)
{
    const double half_x = 0.5 * out->nx * out->cell_size, half_z = 0.5 * out->nz * out->cell_size;
    for (int k = 0, i = 0; k < out->body_count; ++k) {
        tarn_frame_body *body = &out->bodies[k];
        while (i < a->body_count && (uint32_t)a->bodies[i].id.value < (uint32_t)body->id.value)
            ++i; // both are sorted by index
        if (i == a->body_count) return;
        const tarn_frame_body *old = &a->bodies[i];
        if (old->id.value != body->id.value) continue;
        tarn_vec3 *p = &body->state.position;
        const tarn_vec3 p0 = old->state.position;
        if (fabs(p->x - p0.x) > half_x || fabs(p->z - p0.z) > half_z) continue;
        *p = (tarn_vec3){p0.x + t * (p->x - p0.x), p0.y + t * (p->y - p0.y), p0.z + t * (p->z - p0.z)};
        interpolate_rotation(&old->state.rotation, &body->state.rotation, t, &body->state.rotation);
        body->hold_level = old->hold_level + t * (body->hold_level - old->hold_level);
    }
}

bool interpolate_frames(const tarn_frame *a, const tarn_frame *b, double t, tarn_frame *out)
{
    if (!reserve_arrays(out, b)) return false;
    const size_t cells = (size_t)b->nx * (size_t)b->nz;
    const bool match =
        a->height && a->nx == b->nx && a->nz == b->nz && a->cell_size == b->cell_size && t < 1.0;
    const float weight = (float)t;
    for (int k = 0; k < ARRAYS; ++k) {
        const float *x0 = *array(a, k), *x1 = *array(b, k);
        float *x = *array(out, k);
        if (!x1) continue;
        if (!match || !x0 || !arrays[k].varies)
            memcpy(x, x1, cells * sizeof *x);
        else
            for (size_t c = 0; c < cells; ++c) x[c] = x0[c] + weight * (x1[c] - x0[c]);
    }
    out->planar = b->planar, out->cell_size = b->cell_size, out->x0 = b->x0, out->z0 = b->z0,
    out->level = b->level;
    out->time = match ? a->time + t * (b->time - a->time) : b->time;
    out->body_count = b->body_count;
    memcpy(out->bodies, b->bodies, (size_t)b->body_count * sizeof *out->bodies);
    if (match) interpolate_bodies(a, t, out);
    return true;
}
