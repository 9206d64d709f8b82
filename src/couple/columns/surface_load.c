// The load of all bodies on the water: the displaced depths of their columns summed into the load head, and
// the correction of its time lag in models whose velocities and heights belong to the same time.
#include "couple/coupling.h"

#include <string.h>

// The grid intervals of a range of patch columns: one, or two across a periodic boundary.
static int periodic_intervals(int start, int count, int n, bool wrap, int out[2][2])
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

static bool rects_overlap(const struct cell_rect *a, const struct cell_rect *b)
{
    return a->i0 < b->i1 && b->i0 < a->i1 && a->j0 < b->j1 && b->j0 < a->j1;
}

// Add a rectangle to the list, merged with all that overlap it, so that the list stays disjoint.
static void add_rect(struct fluid *f, struct cell_rect r)
{
    for (int k = 0; k < f->loaded_count;) {
        const struct cell_rect o = f->loaded_rects[k];
        if (!rects_overlap(&o, &r)) {
            ++k;
            continue;
        }
        r = (struct cell_rect){imin(r.i0, o.i0), imax(r.i1, o.i1), imin(r.j0, o.j0), imax(r.j1, o.j1)};
        f->loaded_rects[k] = f->loaded_rects[--f->loaded_count];
        k = 0; // it has grown and may overlap an earlier one
    }
    f->loaded_rects[f->loaded_count++] = r;
}

static void clear_load(struct fluid *f)
{
    for (int k = 0; k < f->loaded_count; ++k) {
        const struct cell_rect *r = &f->loaded_rects[k];
        for (int j = r->j0; j < r->j1; ++j) {
            const size_t c = grid_at(&f->grid, r->i0, j), bytes = (size_t)(r->i1 - r->i0) * sizeof(float);
            memset(f->load_head + c, 0, bytes);
            memset(f->covered_fraction + c, 0, bytes);
            if (f->load_head_next) memset(f->load_head_next + c, 0, bytes);
            for (int axis = 0; axis < 2 && f->load_head_next; ++axis)
                memset(f->load_head_face[axis] + c, 0, bytes);
        }
    }
    f->loaded_count = 0;
    f->load_head_sum = 0.0;
}

// Add strength * displaced depth of `count` columns. Returns the sum of the heads [m].
static double add_head_row(const struct fluid *f, const float *displaced, double strength, float *head,
                           int count)
{
    const float fraction = (float)strength;
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        if (displaced[i] == 0.0f) continue;
        float depth = fraction * displaced[i];
        depth = f->model->height_field->round_depth(f, depth); // a level surface stays level to the last bit
        head[i] += depth;
        sum += depth;
    }
    return sum;
}

static void add_cover_row(const float *displaced, const float *cover, float *out, int count)
{
    for (int i = 0; i < count; ++i) {
        if (displaced[i] == 0.0f) continue;
        const float total = out[i] + cover[i];
        out[i] = total < 1.0f ? total : 1.0f;
    }
}

static void write_load_row(const struct body_coupling *p, struct fluid *f, double strength, bool next, int k,
                           size_t at, int count)
{
    const struct columns *c = &p->columns;
    if (next) {
        add_head_row(f, c->displaced_next + k, strength, f->load_head_next + at, count);
        return;
    }
    f->load_head_sum += add_head_row(f, c->displaced_smooth + k, strength, f->load_head + at, count);
    add_cover_row(c->displaced_smooth + k, c->cover + k, f->covered_fraction + at, count);
}

static void add_body_load(const struct body_coupling *p, struct fluid *f, double strength, bool next)
{
    const bool inside = p->i0 >= 0 && p->i0 + p->ni <= f->grid.nx; // no column is folded or wrapped
    for (int j = 0, k = 0; j < p->nj; ++j, k += p->ni) {
        const int row = patch_grid_row(f, p->j0 + j);
        if (row < 0) continue;
        if (inside) {
            write_load_row(p, f, strength, next, k, grid_at(&f->grid, p->i0, row), p->ni);
            continue;
        }
        for (int i = 0; i < p->ni; ++i) {
            const int column = patch_grid_column(f, p->i0 + i);
            if (column >= 0) write_load_row(p, f, strength, next, k + i, grid_at(&f->grid, column, row), 1);
        }
    }
}

// [m] Rise of the surface of the water across a cell, along x and z. The horizontal force of a load head on
// the water is proportional to it: see methods/method_columns.c.
static vec3 surface_rise(const struct fluid *f, int i, int j)
{
    double top[4];
    for (int k = 0; k < 4; ++k) {
        const int x = fluid_wrap_column(f, i + (k == 1) - (k == 0)),
                  z = fluid_wrap_row(f, j + (k == 3) - (k == 2));
        const int at_x = x < 0 ? i : x, at_z = z < 0 ? j : z; // a wall
        top[k] = (double)fluid_depth(f, at_x, at_z) +
                 (f->bed ? (double)f->bed[grid_at(&f->grid, at_x, at_z)] : 0.0);
    }
    return v3(0.5 * (top[1] - top[0]), 0.0, 0.5 * (top[3] - top[2]));
}

// Whether velocities and heights belong to the same instant, so that half of a change of the load head is
// applied one substep later.
static bool uses_applied_head(const struct coupling *c, const struct fluid *f)
{
    return !(f->model->height_field->potential_lag > 0.0) && !c->kind->is_implicit;
}

static void copy_applied_head(struct coupling *c, const struct grid *g, const struct cell_rect *r,
                              const float *head)
{
    for (int j = r->j0; j < r->j1; ++j) {
        const size_t at = grid_at(g, r->i0, j);
        memcpy(c->applied_head + at, head + at, (size_t)(r->i1 - r->i0) * sizeof *c->applied_head);
    }
}

// Accelerate the water of a rectangle for a time by the change of the load head since applied_head was
// stored.
static void apply_head_change(struct coupling *c, struct fluid *f, const struct cell_rect *r, double time)
{
    vec3 sum = {0, 0, 0};
    enum { CHUNK = 64 };
    float head_impulse[CHUNK];
    for (int j = r->j0; j < r->j1; ++j)
        for (int i0 = r->i0; i0 < r->i1; i0 += CHUNK) {
            const int i1 = imin(i0 + CHUNK, r->i1);
            const size_t at = grid_at(&f->grid, i0, j);
            bool any = false;
            for (int i = 0; i < i1 - i0; ++i) {
                const float change = f->load_head[at + (size_t)i] - c->applied_head[at + (size_t)i];
                head_impulse[i] = (float)time * change;
                any = any || head_impulse[i] != 0.0f;
                if (head_impulse[i] != 0.0f)
                    sum = v3_madd(sum, (double)head_impulse[i], surface_rise(f, i0 + i, j));
                c->applied_head[at + (size_t)i] = f->load_head[at + (size_t)i];
            }
            if (any) f->model->height_field->add_water(f, j, i0, i1, NULL, head_impulse);
        }
    c->deferred_impulse = v3_madd(c->deferred_impulse, f->density * f->gravity * f->grid.dx, sum);
}

// If velocities and heights belong to the same time (`shallow`), half of the pressure of a substep acts at
// its start and half at its end. The load head is known only at the start; the half of its change at the end
// is applied in the next substep. Without this correction the load head would lag by half a substep and
// oscillations of bodies would grow, those of a torus at rest like exp(0.7 t).
static void apply_deferred_head(struct coupling *c, struct fluid *f, int previous_count, double time)
{
    if (!uses_applied_head(c, f)) return;
    for (int k = 0; k < f->loaded_count; ++k) apply_head_change(c, f, &f->loaded_rects[k], time);
    for (int k = 0; k < previous_count; ++k)
        apply_head_change(c, f, &c->previous_rects[k], time); // where the load head is zero again
}

// The cells that a patch covers: one rectangle, or up to four across periodic boundaries.
static int patch_rects(const struct body_coupling *p, const struct fluid *f, struct cell_rect out[4])
{
    int x[2][2], z[2][2], count = 0;
    const int nx = periodic_intervals(p->i0, p->ni, f->grid.nx, f->periodic_x, x);
    const int nz = periodic_intervals(p->j0, p->nj, f->grid.nz, f->periodic_z, z);
    for (int m = 0; m < nx; ++m)
        for (int n = 0; n < nz; ++n) out[count++] = (struct cell_rect){x[m][0], x[m][1], z[n][0], z[n][1]};
    return count;
}

void surface_load_add(struct coupling *c, struct fluid *f, int i)
{
    const struct body_coupling *p = &c->per_body[i];
    struct cell_rect rects[4];
    const int count = p->is_wet ? patch_rects(p, f, rects) : 0;
    if (count == 0) return;
    for (int k = 0; k < count; ++k) add_rect(f, rects[k]);
    add_body_load(p, f, c->strength, false);
    for (int k = 0; k < count && uses_applied_head(c, f); ++k)
        copy_applied_head(c, &f->grid, &rects[k], f->load_head);
}

void surface_load_write(struct coupling *c, struct fluid *f, const struct bodies *b, double deferred_time)
{
    const int previous_count = f->loaded_count;
    if (previous_count)
        memcpy(c->previous_rects, f->loaded_rects, (size_t)previous_count * sizeof *c->previous_rects);
    clear_load(f);
    for (int k = 0; k < b->slot_count; ++k) {
        const struct body_coupling *p = &c->per_body[k];
        if (!body_exists(b, k) || !p->is_wet) continue;
        struct cell_rect rects[4];
        const int count = patch_rects(p, f, rects);
        for (int n = 0; n < count; ++n) add_rect(f, rects[n]);
        add_body_load(p, f, c->strength, false);
    }
    apply_deferred_head(c, f, previous_count, deferred_time);
}

void surface_load_clear(struct coupling *c, struct fluid *f)
{
    clear_load(f);
    if (c->applied_head) memset(c->applied_head, 0, c->applied_head_count * sizeof *c->applied_head);
}

static void set_applied_head(struct coupling *c, const struct fluid *f)
{
    for (int k = 0; k < f->loaded_count; ++k)
        copy_applied_head(c, &f->grid, &f->loaded_rects[k], f->load_head_next);
}

void surface_load_write_next(struct coupling *c, struct fluid *f, const struct bodies *b)
{
    for (int k = 0; k < b->slot_count; ++k)
        if (body_exists(b, k) && c->per_body[k].is_wet) add_body_load(&c->per_body[k], f, c->strength, true);
    set_applied_head(c, f); // the velocities use this head already
}

// Memory for the loads of all bodies. False without memory.
bool surface_load_reserve(struct coupling *c, struct fluid *f, int bodies)
{
    if (!memory_grow(f->memory, (void **)&f->loaded_rects, &f->loaded_capacity, 4 * bodies,
                     sizeof *f->loaded_rects) ||
        !memory_grow(c->memory, (void **)&c->previous_rects, &c->previous_rect_capacity, 4 * bodies,
                     sizeof *c->previous_rects) ||
        !memory_grow(c->memory, (void **)&c->surface_loads, &c->surface_load_capacity, bodies,
                     sizeof *c->surface_loads) ||
        !fluid_reserve_loads(f, bodies))
        return false;
    if (c->applied_head || f->model->height_field->potential_lag > 0.0 || c->kind->is_implicit) return true;
    c->applied_head = memory_alloc(c->memory, f->grid.size, sizeof *c->applied_head);
    c->applied_head_count = c->applied_head ? f->grid.size : 0;
    return c->applied_head != NULL;
}
