#include "interpolate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Every array of cells, and whether it moves.
static const struct {
    size_t offset;
    bool moves;
} arrays[] = {
    {offsetof(tarn_frame, height), true},   {offsetof(tarn_frame, speed_x), true},
    {offsetof(tarn_frame, speed_z), true},  {offsetof(tarn_frame, bed), false},
    {offsetof(tarn_frame, dye), true},      {offsetof(tarn_frame, heat), true},
    {offsetof(tarn_frame, pressure), true}, {offsetof(tarn_frame, vorticity), true},
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

// The same arrays as `like` has.
static bool make_room(tarn_frame *out, const tarn_frame *like)
{
    const size_t cells = (size_t)like->nx * (size_t)like->nz;
    bool fits = out->nx == like->nx && out->nz == like->nz && out->capacity[1] >= like->body_count;
    for (int k = 0; k < ARRAYS; ++k) fits = fits && !*array(out, k) == !*array(like, k);
    if (fits) return true;
    interpolate_free(out);
    out->nx = like->nx, out->nz = like->nz, out->capacity[1] = 2 * like->body_count + 8;
    out->bodies = calloc((size_t)out->capacity[1], sizeof *out->bodies);
    bool good = out->bodies != NULL;
    for (int k = 0; k < ARRAYS && good; ++k)
        if (*array(like, k)) good = (*array(out, k) = malloc(cells * sizeof(float))) != NULL;
    if (!good) interpolate_free(out);
    return good;
}

static void turn(const tarn_quat *a, const tarn_quat *b, double t, tarn_quat *out)
{
    const double side = a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z < 0.0 ? -1.0 : 1.0, u = 1.0 - t;
    const tarn_quat q = {u * a->w + t * side * b->w, u * a->x + t * side * b->x, u * a->y + t * side * b->y,
                         u * a->z + t * side * b->z};
    const double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (n > 0.0) *out = (tarn_quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

// Bodies that are in both; one that came back across a periodic side jumps.
static void move_bodies(const tarn_frame *a, double t, tarn_frame *out)
{
    const double wide = 0.5 * out->nx * out->dx, deep = 0.5 * out->nz * out->dx;
    for (int k = 0, i = 0; k < out->body_count; ++k) {
        tarn_frame_body *body = &out->bodies[k];
        while (i < a->body_count && a->bodies[i].id.index < body->id.index) ++i; // both in the order of slots
        if (i == a->body_count) return;
        const tarn_frame_body *old = &a->bodies[i];
        if (old->id.index != body->id.index || old->id.generation != body->id.generation) continue;
        tarn_vec3 *p = &body->motion.position;
        const tarn_vec3 from = old->motion.position;
        if (fabs(p->x - from.x) > wide || fabs(p->z - from.z) > deep) continue;
        *p = (tarn_vec3){from.x + t * (p->x - from.x), from.y + t * (p->y - from.y),
                         from.z + t * (p->z - from.z)};
        turn(&old->motion.rotation, &body->motion.rotation, t, &body->motion.rotation);
        body->inside = old->inside + t * (body->inside - old->inside);
    }
}

bool interpolate_frames(const tarn_frame *a, const tarn_frame *b, double t, tarn_frame *out)
{
    if (!make_room(out, b)) return false;
    const size_t cells = (size_t)b->nx * (size_t)b->nz;
    const bool pair = a->height && a->nx == b->nx && a->nz == b->nz && a->dx == b->dx && t < 1.0;
    const float part = (float)t;
    for (int k = 0; k < ARRAYS; ++k) {
        const float *from = *array(a, k), *to = *array(b, k);
        float *mix = *array(out, k);
        if (!to) continue;
        if (!pair || !from || !arrays[k].moves)
            memcpy(mix, to, cells * sizeof *mix);
        else
            for (size_t c = 0; c < cells; ++c) mix[c] = from[c] + part * (to[c] - from[c]);
    }
    out->flat = b->flat, out->dx = b->dx, out->x0 = b->x0, out->z0 = b->z0, out->level = b->level;
    out->time = pair ? a->time + t * (b->time - a->time) : b->time;
    out->body_count = b->body_count;
    memcpy(out->bodies, b->bodies, (size_t)b->body_count * sizeof *out->bodies);
    if (pair) move_bodies(a, t, out);
    return true;
}
