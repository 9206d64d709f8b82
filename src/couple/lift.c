// What bodies fill lifts the surface: their columns put together, and felt by the water at the right time.
#include "couple.h"

#include <string.h>

// The cells that a stretch of a patch covers on the grid: one interval, or two across a periodic side.
static int intervals(int start, int count, int n, bool wrap, int out[2][2])
{
    if (!wrap) {
        out[0][0] = imax(start, 0), out[0][1] = imin(start + count, n);
        return out[0][0] < out[0][1];
    }
    if (count >= n) return out[0][0] = 0, out[0][1] = n, 1;
    const int first = ((start % n) + n) % n;
    out[0][0] = first, out[0][1] = imin(first + count, n);
    out[1][0] = 0, out[1][1] = first + count - n;
    return out[1][1] > 0 ? 2 : 1;
}

static bool overlap(const struct rect *a, const struct rect *b)
{
    return a->i0 < b->i1 && b->i0 < a->i1 && a->j0 < b->j1 && b->j0 < a->j1;
}

// Add a rectangle, joined with all that it meets: the list stays disjoint.
static void add_rect(struct fluid *f, struct rect r)
{
    for (int k = 0; k < f->pressed_count;) {
        const struct rect o = f->pressed[k];
        if (!overlap(&o, &r)) {
            ++k;
            continue;
        }
        r = (struct rect){imin(r.i0, o.i0), imax(r.i1, o.i1), imin(r.j0, o.j0), imax(r.j1, o.j1)};
        f->pressed[k] = f->pressed[--f->pressed_count];
        k = 0; // grown: it may meet an earlier one now
    }
    f->pressed[f->pressed_count++] = r;
}

static void clear_lift(struct fluid *f)
{
    for (int k = 0; k < f->pressed_count; ++k) {
        const struct rect *r = &f->pressed[k];
        for (int j = r->j0; j < r->j1; ++j) {
            const size_t c = grid_at(&f->g, r->i0, j), bytes = (size_t)(r->i1 - r->i0) * sizeof(float);
            memset(f->lift + c, 0, bytes);
            memset(f->cover + c, 0, bytes);
            if (f->next) memset(f->next + c, 0, bytes);
            for (int axis = 0; axis < 2 && f->next; ++axis) memset(f->pass[axis] + c, 0, bytes);
        }
    }
    f->pressed_count = 0;
    f->lifted = 0.0;
}

// What columns from k on of a body lift, of `count` cells. Gives back the sum of the lifts [m].
static double add_row(const struct fluid *f, const float *filled, double strength, float *lift, int count)
{
    const float part = (float)strength;
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        if (filled[i] == 0.0f) continue;
        float more = part * filled[i];
        if (f->kind->whole) more = f->kind->whole(f, more); // level to the last bit
        lift[i] += more;
        sum += more;
    }
    return sum;
}

static void cover_row(const float *filled, const float *cover, float *out, int count)
{
    for (int i = 0; i < count; ++i) {
        if (filled[i] == 0.0f) continue;
        const float under = out[i] + cover[i];
        out[i] = under < 1.0f ? under : 1.0f;
    }
}

static void write_row(const struct press *p, struct fluid *f, double strength, bool next, int k, size_t at,
                      int count)
{
    const struct columns *c = &p->columns;
    if (next) {
        add_row(f, c->next + k, strength, f->next + at, count);
        return;
    }
    f->lifted += add_row(f, c->filled + k, strength, f->lift + at, count);
    cover_row(c->filled + k, c->cover + k, f->cover + at, count);
}

static void add_lift(const struct press *p, struct fluid *f, double strength, bool next)
{
    const bool inside = p->i0 >= 0 && p->i0 + p->ni <= f->g.nx; // no side to fold or wrap at
    for (int j = 0, k = 0; j < p->nj; ++j, k += p->ni) {
        const int row = press_row(f, p->j0 + j);
        if (row < 0) continue;
        if (inside) {
            write_row(p, f, strength, next, k, grid_at(&f->g, p->i0, row), p->ni);
            continue;
        }
        for (int i = 0; i < p->ni; ++i) {
            const int column = press_column(f, p->i0 + i);
            if (column >= 0) write_row(p, f, strength, next, k + i, grid_at(&f->g, column, row), 1);
        }
    }
}

// [m] By how much the top of the water rises across a cell, along x and z. A head on a cell gives the water its height
// times that: see answer.c.
static vec3 rise_across(const struct fluid *f, int i, int j)
{
    double top[4];
    for (int k = 0; k < 4; ++k) {
        const int x = fluid_column(f, i + (k == 1) - (k == 0)), z = fluid_row(f, j + (k == 3) - (k == 2));
        const int at_x = x < 0 ? i : x, at_z = z < 0 ? j : z; // a wall
        float mean;
        top[k] = (double)f->kind->depth(f, at_x, at_z, &mean) +
                 (f->bed ? (double)f->bed[grid_at(&f->g, at_x, at_z)] : 0.0);
    }
    return v3(0.5 * (top[1] - top[0]), 0.0, 0.5 * (top[3] - top[2]));
}

// Push the water of a rectangle by what the lift has changed since it was felt last, for a time.
static void push_change(struct couple *c, struct fluid *f, const struct rect *r, double time)
{
    vec3 given = {0, 0, 0};
    enum { STRETCH = 64 };
    float push[STRETCH];
    for (int j = r->j0; j < r->j1; ++j)
        for (int i0 = r->i0; i0 < r->i1; i0 += STRETCH) {
            const int i1 = imin(i0 + STRETCH, r->i1);
            const size_t at = grid_at(&f->g, i0, j);
            bool any = false;
            for (int i = 0; i < i1 - i0; ++i) {
                const float change = f->lift[at + (size_t)i] - c->felt[at + (size_t)i];
                push[i] = (float)time * change;
                any = any || push[i] != 0.0f;
                if (push[i] != 0.0f) given = v3_madd(given, (double)push[i], rise_across(f, i0 + i, j));
                c->felt[at + (size_t)i] = f->lift[at + (size_t)i];
            }
            if (any) f->kind->add(f, j, i0, i1, NULL, push);
        }
    c->late = v3_madd(c->late, f->density * f->gravity * f->g.s, given);
}

// Speeds that live at the same moment as the heights (`shallow`) take half of a step's pressure at its start and half at
// its end. A lift is known at the start alone: what it is at the end comes with the next one. Without this it would act
// half a step late, and water and body would swing ever higher: a ring at rest by exp(0.7 t).
static void push_late(struct couple *c, struct fluid *f, int left, double time)
{
    if (f->kind->late > 0.0 || c->kind->solved) return;
    for (int k = 0; k < f->pressed_count; ++k) push_change(c, f, &f->pressed[k], time);
    for (int k = 0; k < left; ++k) push_change(c, f, &c->left[k], time); // where the lift is gone
}

void lift_write(struct couple *c, struct fluid *f, const struct bodies *b, double late)
{
    const int left = f->pressed_count;
    if (left) memcpy(c->left, f->pressed, (size_t)left * sizeof *c->left);
    clear_lift(f);
    for (int k = 0; k < b->count; ++k) {
        const struct press *p = &c->presses[k];
        if (!bodies_alive(b, k) || !p->wet) continue;
        int x[2][2], z[2][2];
        const int nx = intervals(p->i0, p->ni, f->g.nx, f->wrap_x, x);
        const int nz = intervals(p->j0, p->nj, f->g.nz, f->wrap_z, z);
        for (int m = 0; m < nx; ++m)
            for (int n = 0; n < nz; ++n) add_rect(f, (struct rect){x[m][0], x[m][1], z[n][0], z[n][1]});
        add_lift(p, f, c->strength, false);
    }
    push_late(c, f, left, late);
}

static void feel_next(struct couple *c, const struct fluid *f)
{
    for (int k = 0; k < f->pressed_count; ++k) {
        const struct rect *r = &f->pressed[k];
        for (int j = r->j0; j < r->j1; ++j) {
            const size_t at = grid_at(&f->g, r->i0, j);
            memcpy(c->felt + at, f->next + at, (size_t)(r->i1 - r->i0) * sizeof *c->felt);
        }
    }
}

void lift_write_next(struct couple *c, struct fluid *f, const struct bodies *b)
{
    for (int k = 0; k < b->count; ++k)
        if (bodies_alive(b, k) && c->presses[k].wet) add_lift(&c->presses[k], f, c->strength, true);
    feel_next(c, f); // that is what its speeds take into account, and nothing of it comes late
}

// Room for the lifts of all bodies. False without memory.
bool lift_reserve(struct couple *c, struct fluid *f, int bodies)
{
    if (!memory_grow(f->memory, (void **)&f->pressed, &f->pressed_capacity, 4 * bodies, sizeof *f->pressed) ||
        !memory_grow(c->memory, (void **)&c->left, &c->left_room, 4 * bodies, sizeof *c->left) ||
        !memory_grow(c->memory, (void **)&c->pressers, &c->presser_room, bodies, sizeof *c->pressers) ||
        !fluid_allow_press(f, bodies))
        return false;
    if (c->felt || f->kind->late > 0.0 || c->kind->solved) return true;
    c->felt = memory_alloc(c->memory, f->g.count, sizeof *c->felt);
    c->felt_count = c->felt ? f->g.count : 0;
    return c->felt != NULL;
}
