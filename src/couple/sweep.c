// What of a body passes the faces between columns while it moves sideways.
//
// Its way in an inner step is known but for what contacts will do, and so is what it fills at both ends. What passes a face
// on the way is about the mean of what is filled on both sides of it, times the way. The small rest, by which that differs
// from what is really filled at the end, is found by adding up along rows and then along columns: so all together is
// exact, whatever the shape.
#include "couple.h"

#include <string.h>

#define MOST 1.0 // [columns] of a way that a patch has room for

// Of one body, in columns of its patch. The outermost ring is empty before the way and after it.
struct way {
    double columns[2]; // along x and z
    double part[2];    // 0 .. 1: how much of the rest the water at the body goes along with
    const float *was, *is;
    float *rest;  // [m] scratch, what is left to be found along z
    float *share; // scratch, 0 .. 1, of what is left in a row
    int ni, nj;
};

// How far body i will go sideways in dt, if it touches nothing. What goes farther than a patch has room for, or next to
// nowhere, is as if it stood.
static void find_way(const struct fluid *f, const struct bodies *b, int i, double dt, double way[2])
{
    const struct body_cold *cold = b->slots[i].cold;
    const vec3 kick = cold->def.external ? v3(0, 0, 0) : b->kicks[i].momentum;
    const vec3 d = v3_scale(v3_add(b->hot[i].momentum, kick), dt / (cold->def.mass * f->g.s));
    const bool near = fmax(fabs(d.x), fabs(d.z)) <= MOST;
    way[0] = near && fabs(d.x) >= CARRIED ? d.x : 0.0;
    way[1] = near && fabs(d.z) >= CARRIED ? d.z : 0.0;
}

// For water that goes along with the body the rest has to be there. Where it is faster or goes another way it means little, and
// what a short way says of it is roundings of 1e-7 m divided by that.
static double part_of(double way, double drift) { return way * drift <= 0.0 ? 0.0 : fmin(1.0, way / drift); }

// [m] Mean over the way of what is filled in a column, twice that.
static double twice(const struct way *w, int c) { return (double)w->was[c] + (double)w->is[c]; }

// [m] What a column loses on the way, beyond what passes its faces by the means.
static double rest_of(const struct way *w, int c)
{
    const double x = w->columns[0] * (twice(w, c + 1) - twice(w, c - 1)),
                 z = w->columns[1] * (twice(w, c + w->ni) - twice(w, c - w->ni));
    return ((double)w->was[c] - (double)w->is[c]) - 0.25 * (x + z);
}

// The face before column c of the patch: the mean, and its part of the rest that passes there.
static void tell_face(const struct press *p, struct fluid *f, const struct way *w, int c, int axis,
                      double strength, double rest)
{
    const double mean = 0.25 * (twice(w, c) + twice(w, c - (axis ? w->ni : 1)));
    const double filled = rest == 0.0 ? mean : mean + w->part[axis] * rest / w->columns[axis];
    const int i = fluid_column(f, p->i0 + c % w->ni), j = fluid_row(f, p->j0 + c / w->ni);
    if (filled != 0.0 && i >= 0 && j >= 0) f->pass[axis][grid_at(&f->g, i, j)] += (float)(strength * filled);
}

// Columns (x) of the patch by how much is filled in them, all together 1.
static void find_shares(const struct way *w)
{
    double sum = 1e-30; // nothing is shared out if nothing is filled
    for (int i = 1; i + 1 < w->ni; ++i) {
        double filled = 0.0;
        for (int j = 1; j + 1 < w->nj; ++j) filled += fabs(twice(w, j * w->ni + i));
        w->share[i] = (float)filled;
        sum += filled;
    }
    for (int i = 1; i + 1 < w->ni; ++i) w->share[i] = (float)((double)w->share[i] / sum);
}

// A row closes in itself but for what goes along z. That is shared out alike in every row, so that columns close too.
static void sweep_row(const struct press *p, struct fluid *f, const struct way *w, int j, double strength)
{
    const int first = j * w->ni, last = w->ni - 1;
    const bool x = w->columns[0] != 0.0, both = x && w->columns[1] != 0.0;
    double left = 0.0, passed = 0.0;
    for (int i = 1; both && i < last; ++i) left += rest_of(w, first + i);
    for (int i = 1; i < last; ++i) {
        const double rest = rest_of(w, first + i), later = both ? left * (double)w->share[i] : x ? 0.0 : rest;
        tell_face(p, f, w, first + i, 0, strength, passed);
        w->rest[first + i] = (float)later;
        passed += rest - later;
    }
    tell_face(p, f, w, first + last, 0, strength, 0.0);
}

static void sweep_column(const struct press *p, struct fluid *f, const struct way *w, int i, double strength)
{
    double passed = 0.0;
    for (int j = 1; j < w->nj; ++j) {
        const int c = j * w->ni + i;
        tell_face(p, f, w, c, 1, strength, w->columns[1] != 0.0 ? passed : 0.0);
        if (j + 1 < w->nj) passed += (double)w->rest[c];
    }
}

// What the body fills at the end of its way.
static void find_next(const struct press *p, const struct fluid *f, const double way[2])
{
    const struct press *a = p->ahead;
    float *next = p->columns.next;
    p->ahead->ni = 0;
    if (way[0] == 0.0 && way[1] == 0.0) return; // as it is
    press_look_ahead(p, f, way[0] * f->g.s, way[1] * f->g.s);
    memset(next, 0, (size_t)(p->ni * p->nj) * sizeof *next);
    for (int j = imax(0, a->j0 - p->j0); j < imin(p->nj, a->j0 + a->nj - p->j0); ++j)
        for (int i = imax(0, a->i0 - p->i0); i < imin(p->ni, a->i0 + a->ni - p->i0); ++i)
            next[j * p->ni + i] = a->columns.filled[(j + p->j0 - a->j0) * a->ni + (i + p->i0 - a->i0)];
}

static void sweep_body(struct couple *c, struct fluid *f, const struct bodies *b, int k, double dt)
{
    const struct press *p = &c->presses[k];
    const double drift[2] = {dt * p->drift.x / f->g.s, dt * p->drift.z / f->g.s};
    struct way w = {.was = p->columns.filled, .is = p->columns.next, .ni = p->ni, .nj = p->nj};
    find_way(f, b, k, dt, w.columns);
    find_next(p, f, w.columns);
    for (int axis = 0; axis < 2; ++axis) w.part[axis] = part_of(w.columns[axis], drift[axis]);
    w.rest = p->columns.scratch, w.share = p->columns.level; // of no more use in this inner step
    find_shares(&w);
    for (int j = 1; j + 1 < p->nj; ++j) sweep_row(p, f, &w, j, c->strength);
    for (int i = 1; i + 1 < p->ni; ++i) sweep_column(p, f, &w, i, c->strength);
}

void sweep(struct couple *c, struct fluid *f, const struct bodies *b, double dt)
{
    if (!fluid_carries(f) || !c->kind->lifts) return;
    for (int i = 0; i < b->count; ++i) {
        const struct press *p = &c->presses[i];
        if (bodies_alive(b, i) && p->wet) sweep_body(c, f, b, i, dt);
    }
    lift_write_next(c, f, b);
}
