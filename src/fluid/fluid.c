#include "fluid.h"

#include "base/error.h"
#include "base/math.h"
#include "linear.h"
#include "obstacle.h"

#include <string.h>

extern const struct fluid_kind fluid_wave, fluid_shallow, fluid_implicit, fluid_flow, fluid_none;

static const struct fluid_kind *const kinds[] = {
    &fluid_wave, &fluid_shallow, &fluid_implicit, &fluid_flow, &fluid_none,
};

const struct fluid_kind *fluid_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

tarn_result fluid_check_grid(const double size[2], const int cells[2], tarn_error *err)
{
    const double sx = size[0] / cells[0], sz = size[1] / cells[1];
    if (fabs(sx - sz) <= 1e-6 * sx) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "cells",
                "columns of %.6g x %.6g m are not square; %d x %.0f cells would be", sx, sz, cells[0],
                floor(size[1] / sx + 0.5));
}

tarn_result fluid_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    const tarn_result r = f->kind->create(f, def, err);
    if (r != TARN_OK) return r;
    struct fluid_totals t;
    f->kind->totals(f, &t);
    f->start = t.depth;
    return TARN_OK;
}

void fluid_free(struct fluid *f)
{
    grid_field_free(&f->g, f->memory, f->lift, 4);
    grid_field_free(&f->g, f->memory, f->next, 0);
    for (int axis = 0; axis < 2; ++axis) grid_field_free(&f->g, f->memory, f->pass[axis], 1 + axis);
    grid_field_free(&f->g, f->memory, f->cover, 5);
    memory_free(f->memory, f->pressed, (size_t)f->pressed_capacity, sizeof *f->pressed);
    obstacles_free(f);
    grid_field_free(&f->g, f->memory, f->head, 3);
    memory_free(f->memory, f->terms, (size_t)f->term_room, sizeof *f->terms);
    if (f->kind) f->kind->destroy(f);
}

static bool allow_passing(struct fluid *f)
{
    if (!f->next) f->next = grid_field(&f->g, f->memory, 0);
    for (int axis = 0; axis < 2; ++axis)
        if (!f->pass[axis]) f->pass[axis] = grid_field(&f->g, f->memory, 1 + axis);
    return f->next && f->pass[0] && f->pass[1];
}

bool fluid_allow_press(struct fluid *f, int pressers)
{
    if (f->kind->carries && !allow_passing(f)) return false;
    if (!f->lift) f->lift = grid_field(&f->g, f->memory, 4);
    if (!f->cover) f->cover = grid_field(&f->g, f->memory, 5);
    if (!f->lift || !f->cover || !f->kind->solves) return f->lift && f->cover;
    if (!memory_grow(f->memory, (void **)&f->terms, &f->term_room, 3 * pressers, sizeof *f->terms))
        return false;
    if (f->head) return true;
    f->head = grid_field(&f->g, f->memory, 3);
    for (int j = 0; f->head && j < f->g.nz; ++j)
        f->kind->surface(f, j, 0, f->g.nx, f->head + grid_at(&f->g, 0, j));
    return f->head != NULL;
}

static int wrapped(int i, int n, bool wrap)
{
    if (wrap) i = ((i % n) + n) % n;
    return 0 <= i && i < n ? i : -1;
}

int fluid_column(const struct fluid *f, int i) { return wrapped(i, f->g.nx, f->wrap_x); }
int fluid_row(const struct fluid *f, int j) { return wrapped(j, f->g.nz, f->wrap_z); }

// How far a hump reaches, in radii: exp(-16) = 1e-7 of its height.
#define REACH 4.0

// The cells of a row (or column) of n within reach of a place; on a periodic side up to once around.
static void within(double at, double reach, double start, double s, int n, bool wrap, int *first, int *last)
{
    const double room = wrap ? n : 0.0, lo = (at - reach - start) / s, hi = (at + reach - start) / s;
    *first = (int)floor(clamp(lo, -room, n));
    *last = (int)ceil(clamp(hi, -room, n + room));
}

void fluid_pour(struct fluid *f, double x, double z, double radius, double depth, double push)
{
    const struct grid *g = &f->g;
    const double late = f->kind->late > 0.0 ? f->kind->late * f->kind->inner(f, f->dt) : 0.0;
    int i0, i1, j0, j1;
    within(x, REACH * radius, g->x0, g->s, g->nx, f->wrap_x, &i0, &i1);
    within(z, REACH * radius, g->z0, g->s, g->nz, f->wrap_z, &j0, &j1);
    for (int j = j0; j < j1; ++j) {
        const int row = fluid_row(f, j);
        const double dz = grid_z(g, j) - z;
        for (int i = i0; row >= 0 && i < i1; ++i) {
            const int column = fluid_column(f, i);
            const double dx = grid_x(g, i) - x, r2 = (dx * dx + dz * dz) / (radius * radius);
            if (column < 0 || r2 > REACH * REACH) continue;
            const double shape = m_exp(-r2);
            const float d = (float)(depth * shape), p = (float)((push - late * depth) * shape);
            f->emitted += f->kind->add(f, row, column, column + 1, &d, &p);
        }
    }
}

bool fluid_inside(const struct fluid *f, double x, double z)
{
    const struct grid *g = &f->g;
    return g->x0 <= x && x <= g->x0 + g->nx * g->s && g->z0 <= z && z <= g->z0 + g->nz * g->s;
}

// The two cells around a coordinate and how far it is from the first to the second. Beyond the middle of the
// outermost cells: across a periodic side, or the outermost cell itself.
static double split(double at, double x0, double s, int n, bool wrap, int cell[2])
{
    double place = (at - x0) / s - 0.5;
    place = wrap ? place - n * floor(place / n) : clamp(place, 0.0, n - 1.0);
    const double below = floor(place);
    for (int k = 0; k < 2; ++k) cell[k] = wrap ? ((int)below + k + n) % n : imin((int)below + k, n - 1);
    return place - below;
}

double fluid_ground(const struct fluid *f, double x, double z, double slope[2])
{
    const struct grid *g = &f->g;
    int i[2], j[2];
    slope[0] = slope[1] = 0.0;
    if (!f->bed) return -f->level;
    const double a = split(x, g->x0, g->s, g->nx, f->wrap_x, i);
    const double b = split(z, g->z0, g->s, g->nz, f->wrap_z, j);
#define BED(k, m) ((double)f->bed[grid_at(g, i[m], j[k])])
    slope[0] = ((1.0 - b) * (BED(0, 1) - BED(0, 0)) + b * (BED(1, 1) - BED(1, 0))) / g->s;
    slope[1] = ((1.0 - a) * (BED(1, 0) - BED(0, 0)) + a * (BED(1, 1) - BED(0, 1))) / g->s;
    return (1.0 - b) * ((1.0 - a) * BED(0, 0) + a * BED(0, 1)) + b * ((1.0 - a) * BED(1, 0) + a * BED(1, 1));
#undef BED
}

struct fluid_point fluid_sample(const struct fluid *f, double x, double z)
{
    const struct grid *g = &f->g;
    int i[2], j[2];
    const double a = split(x, g->x0, g->s, g->nx, f->wrap_x, i);
    const double b = split(z, g->z0, g->s, g->nz, f->wrap_z, j);
    float h[2][2], u[2][2], v[2][2];
    double rate[2][2];
    for (int k = 0; k < 2; ++k)
        for (int m = 0; m < 2; ++m) {
            f->kind->surface(f, j[k], i[m], i[m] + 1, &h[k][m]);
            f->kind->speed(f, j[k], i[m], i[m] + 1, &u[k][m], &v[k][m]);
            f->kind->rising(f, j[k], i[m], i[m] + 1, &rate[k][m]);
        }
#define MIX(q) ((1.0 - b) * ((1.0 - a) * q[0][0] + a * q[0][1]) + b * ((1.0 - a) * q[1][0] + a * q[1][1]))
    double slope[2];
    return (struct fluid_point){
        .height = MIX(h),
        .ground = fluid_ground(f, x, z, slope),
        .slope_x = ((1.0 - b) * (h[0][1] - h[0][0]) + b * (h[1][1] - h[1][0])) / g->s,
        .slope_z = ((1.0 - a) * (h[1][0] - h[0][0]) + a * (h[1][1] - h[0][1])) / g->s,
        .u = MIX(u),
        .v = MIX(v),
        .rising = MIX(rate),
    };
#undef MIX
}

void fluid_save(struct saver *s, const void *what)
{
    const struct fluid *f = what;
    const double totals[] = {f->time,  f->rise,   f->emitted, f->out,    f->placed,
                             f->start, f->lifted, f->pull[0], f->pull[1]};
    save_f64s(s, totals, 9);
    f->kind->save(s, f);
}

tarn_result fluid_load(struct loader *l, struct fluid *f, tarn_error *err)
{
    double t[9];
    load_f64s(l, t, 9);
    f->time = t[0], f->rise = t[1], f->emitted = t[2], f->out = t[3], f->placed = t[4], f->start = t[5];
    f->lifted = t[6], f->pull[0] = t[7], f->pull[1] = t[8];
    bool good = f->kind->load(l, f) && load_done(l);
    if (l->starved) return fail(err, TARN_NO_MEMORY, "", "no memory for what presses on the water");
    for (int i = 0; i < 9; ++i) good = good && fabs(t[i]) < 1e15;
    good = good && fabs(f->rise) < 1e6;
    return good ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "the section 'fluid' does not fit its grid");
}
