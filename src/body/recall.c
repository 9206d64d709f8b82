// What the solver begins with: the impulses of the last short step, where they are of use.
//
// They leave bodies slower than they would be without, mostly. But where things are wedged, large ones hold each other, and
// when the things have turned a little they throw them, faster than the passes can take back. Along the impulses the energy
// of a body is a parabola, E(t) = E(0) + t slope + t^2/2 curve: one that they would throw takes the part
// t = -slope/curve of them, where it has least, or nothing. (Whole islands would not do: a heap sinks together while one
// thing in it is wedged.)
#include "contact.h"

#include <string.h>

#define STILL 0.1 // [m/s] that is no throw

static const struct contact_kernels *kernels(void) { return KERNELS_PICK(contact_kernels); }

static vec3 first3(const float *v) { return v3(v[0], v[1], v[2]); }

// Of the impulses that brought mover k from led[] to v[]: the part that it takes. 1 unless they more than double its energy.
static float part_of(const struct bodies *b, int k)
{
    const struct solver *s = &b->engine->solver;
    const int i = s->slot_of[k];
    const struct mover *now = &s->v[k], *was = &s->led[k];
    if (!body_movable(b, i) || memcmp(now, was, 6 * sizeof(float)) == 0) return 1.0f;
    const vec3 v = first3(was->v), w = first3(was->v + 3);
    const vec3 dv = v3_sub(first3(now->v), v), dw = v3_sub(first3(now->v + 3), w);
    const double m = b->slots[i].cold->def.mass + b->kicks[i].along, turning = 1.0 + b->kicks[i].turning;
    const vec3 dl = v3_scale(mat3_mul(&s->inertia[k], dw), turning);
    const vec3 l = v3_scale(mat3_mul(&s->inertia[k], w), turning);
    const double there = 0.5 * (m * (v3_dot(v, v) + STILL * STILL) + v3_dot(w, l));
    const double slope = m * v3_dot(v, dv) + v3_dot(w, dl), curve = m * v3_dot(dv, dv) + v3_dot(dw, dl);
    return slope + 0.5 * curve > there ? (float)fmax(0.0, -slope / curve) : 1.0f;
}

// False: all take all of it.
static bool doubt(const struct bodies *b)
{
    const struct solver *s = &b->engine->solver;
    bool any = false;
    for (int k = 0; k < s->count; ++k) any |= (s->part[k] = part_of(b, k)) < 1.0f;
    for (int k = s->count; k < s->count + 1 + b->engine->fixture_count; ++k) s->part[k] = 1.0f;
    return any;
}

static void shrink(struct bodies *b)
{
    const struct solver *s = &b->engine->solver;
    for (int g = 0; g < s->octet_count; ++g) {
        struct octet *o = &s->octets[g];
        wide part;
        for (int lane = 0; lane < WIDE; ++lane) part[lane] = fminf(s->part[o->a[lane]], s->part[o->b[lane]]);
        for (int k = 0; k < o->count; ++k) o->held[k].push *= part;
        o->rubbed.slid_1 *= part, o->rubbed.slid_2 *= part, o->rubbed.twisted *= part;
    }
    for (int n = 0; n < b->engine->joints.count; ++n) {
        struct joint *j = b->engine->joints.slots[n].joint;
        if (!j) continue;
        const float part = fminf(s->part[mover_of(s, j->a)], s->part[mover_of(s, j->b)]);
        for (int i = 0; i < j->count; ++i) j->impulse[i] *= (double)part;
    }
}

void bodies_recall(struct bodies *b, const struct contact_pace *pace, double dt, double again)
{
    struct solver *s = &b->engine->solver;
    const size_t bytes = (size_t)(s->count + 1 + b->engine->fixture_count) * sizeof *s->v;
    memcpy(s->led, s->v, bytes);
    joints_begin(b, dt, again);
    kernels()->warm(s->octets, s->octet_count, pace, s->mass, s->moved, s->v);
    if (!doubt(b)) return;
    struct contact_pace as_is = *pace;
    as_is.again = as_is.rub_again = 1.0f;
    shrink(b);
    memcpy(s->v, s->led, bytes);
    joints_begin(b, dt, 1.0);
    kernels()->warm(s->octets, s->octet_count, &as_is, s->mass, s->moved, s->v);
}
