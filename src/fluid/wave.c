// The wave model: linear waves on columns of water, one speed for all.
//
// State per column: water content w (deviation from level) and the potential phi of its motion,
//
//     phi_t = h - level - damping phi,   w_t = c^2 lap(phi) + D lap(w),   h = level + rise + w + lift
//
// advanced like a leapfrog: phi first, then w with the new phi. This is the textbook "acceleration from
// the neighbours' heights" written so that volume is kept by construction. The water moves with
// -(c^2/level) grad phi. The step is a fixed share of the world's step, so nothing depends on the frame rate.
#include "base/error.h"
#include "base/math.h"
#include "base/sum.h"
#include "fluid.h"
#include "wave_rows.h"

#include <string.h>

enum { WALL, OPEN, PERIODIC };
static const char *const side_names[] = {"wall", "open", "periodic", NULL};

struct wave_def {
    double size[2];
    int cells[2];
    double depth;
    double speed;
    double damping;
    double diffusion;
    int side[4]; // west, east, south, north
};

#define SIDE(index, name_) \
    PARAM_CHOICE(struct wave_def, side[index], "sides." name_, WALL, side_names, "what the water meets there")
static const tarn_param params[] = {
    PARAM_VEC2(struct wave_def, size, "size", 4, 4, 0.01, 1e6, "m", "length along x and z"),
    PARAM_INT2(struct wave_def, cells, "cells", 128, 128, 4, 32768,
               "columns along x and z; they must be square"),
    PARAM_NUMBER(struct wave_def, depth, "depth", 1, 1e-3, 1e4, "m", "of the water at rest"),
    PARAM_NUMBER(struct wave_def, speed, "speed", 0, 0, 1e4, "m/s", "of waves; 0: sqrt(gravity depth)"),
    PARAM_LIVE(struct wave_def, damping, "damping", 0, 0, 100, "1/s", "rate at which motion dies"),
    PARAM_LIVE(struct wave_def, diffusion, "diffusion", 1e-4, 0, 1, "m^2/s", "smoothing of the surface"),
    SIDE(0, "west"),
    SIDE(1, "east"),
    SIDE(2, "south"),
    SIDE(3, "north"),
};

struct wave {
    const struct wave_kernels *kernels;
    float *own[4];    // the buffers, by the slot they were made with
    float *phi, *w;   // state: [m s], [m]; cell
    float *phi1, *w1; // the other pair, written by the next step
    double *out;      // scratch, per row: flux through open west and east sides [m]
};

static const struct wave_def *def_of(const struct fluid *f) { return (const struct wave_def *)f->spec.data; }

// The largest Courant number c dt sqrt(2)/s of an inner step: what presses on the water needs this margin.
#define COURANT 0.7

// The leapfrog with diffusion is stable while 2 (c dt/s)^2 + 4 D dt/s^2 < 1; the Courant number leaves half of that.
static double limit(const struct fluid *f)
{
    const double s = f->g.s, waves = COURANT * s / (f->speed * sqrt(2.0)), diffusion = def_of(f)->diffusion;
    return diffusion > 0.0 ? fmin(waves, 0.1 * s * s / diffusion) : waves;
}

static tarn_result check(const struct fluid *f, tarn_error *err)
{
    const struct wave_def *d = def_of(f);
    const tarn_result r = fluid_check_grid(d->size, d->cells, err);
    if (r != TARN_OK) return r;
    for (int i = 0; i < 4; i += 2)
        if ((d->side[i] == PERIODIC) != (d->side[i + 1] == PERIODIC))
            return fail(err, TARN_BAD_INPUT, i ? "sides.south" : "sides.west",
                        "a side is periodic only together with the one across");
    return TARN_OK;
}

static tarn_result create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    (void)def; // its bed is flat
    const struct wave_def *d = def_of(f);
    const tarn_result r = check(f, err);
    if (r != TARN_OK) return r;
    if (!grid_init(&f->g, d->cells[0], d->cells[1], d->size[0] / d->cells[0]))
        return fail(err, TARN_BAD_INPUT, "cells", "%d x %d columns are too many", d->cells[0], d->cells[1]);
    f->level = d->depth;
    f->speed = d->speed > 0.0 ? d->speed : sqrt(f->gravity * d->depth);
    f->fastest = f->speed;
    if (f->speed < 1e-4) return fail(err, TARN_BAD_INPUT, "speed", "%.3g m/s is slower than 1e-4", f->speed);
    f->wrap_x = d->side[0] == PERIODIC;
    f->wrap_z = d->side[2] == PERIODIC;
    f->closed = true;
    for (int i = 0; i < 4; ++i) {
        f->wall[i] = d->side[i] == WALL;
        f->closed = f->closed && d->side[i] != OPEN;
    }
    // An inner step per world step is the least there is; a million is a mistake.
    if (f->dt / limit(f) > 1e6)
        return fail(err, TARN_BAD_INPUT, "speed",
                    "%.6g m/s needs more than a million inner steps of %.3g s a step", f->speed, limit(f));

    struct wave *self = f->self = memory_alloc(f->memory, 1, sizeof *self);
    if (!self) return fail(err, TARN_NO_MEMORY, "", "no memory for the water");
    self->kernels = KERNELS_PICK(wave_kernels);
    self->out = memory_alloc(f->memory, (size_t)f->g.nz, sizeof(double));
    bool all = self->out != NULL;
    for (int i = 0; i < 4; ++i) all = (self->own[i] = grid_field(&f->g, f->memory, i)) != NULL && all;
    if (!all)
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d columns", d->cells[0], d->cells[1]);
    self->phi = self->own[0], self->w = self->own[1];
    self->phi1 = self->own[2], self->w1 = self->own[3];
    return TARN_OK;
}

static void destroy(struct fluid *f)
{
    struct wave *self = f->self;
    if (!self) return;
    for (int i = 0; i < 4; ++i) grid_field_free(&f->g, f->memory, self->own[i], i);
    memory_free(f->memory, self->out, (size_t)f->g.nz, sizeof(double));
    memory_free(f->memory, self, 1, sizeof *self);
    f->self = NULL;
}

static double inner(const struct fluid *f, double left)
{
    const double steps = ceil(left / limit(f) - 1e-6);
    return steps > 1.0 ? left / steps : left;
}

static struct wave_factors factors(const struct fluid *f, double dt)
{
    const struct wave_def *d = def_of(f);
    const double s = f->g.s, c = f->speed;
    const double keep = 1.0 / (1.0 + dt * d->damping), relax = d->diffusion / (c * c);
    const double mean = (f->emitted - f->out - f->placed + f->lifted) / ((double)f->g.nx * f->g.nz);
    return (struct wave_factors){
        .keep = (float)keep,
        .dt = (float)dt,
        .mean = (float)mean,
        .blend = (float)(dt + relax),
        .k = (float)(dt * c * c / (s * s)),
        .press = (float)((dt + relax) / keep),
        .relax = (float)relax,
        .calm = (float)(0.075 * c * dt / s),
    };
}

// Work on rows of the grid, or of one pressed rectangle.
struct rows {
    struct fluid *f;
    const struct wave_factors *k;
    const struct rect *r;
    int count;    // steps at once
    float beyond; // (1 - Co)/2
    float per;    // [s] s/(c keep)
};

static struct rows rows_of(struct fluid *f, const struct wave_factors *k)
{
    const double co = f->speed * (double)k->dt / f->g.s;
    return (struct rows){.f = f,
                         .k = k,
                         .beyond = (float)(0.5 * (1.0 - co)),
                         .per = (float)(f->g.s / (f->speed * (double)k->keep))};
}

// The ghost beyond edge cell c, whose inner neighbour is c + in and which a periodic side takes from
// c + across. A wall's ghost is the cell itself. The ghost of an open side carries the flux c w of a wave
// that leaves: w on the face, half a cell out and half a step on, comes from inside along the
// characteristic, w_e + (1 - Co)/2 (w_e - w_in). Gives back that w, 0 for other sides.
static inline float fill_ghost(const struct rows *t, int side, size_t c, ptrdiff_t in, ptrdiff_t across)
{
    const struct wave *self = t->f->self;
    float *phi = self->phi, *w = self->w;
    const size_t ghost = (size_t)((ptrdiff_t)c - in);
    const size_t from = side == PERIODIC ? (size_t)((ptrdiff_t)c + across) : c;
    phi[ghost] = phi[from];
    w[ghost] = w[from];
    if (side != OPEN) return 0.0f;
    const float leaving = w[c] + t->beyond * (w[c] - w[(size_t)((ptrdiff_t)c + in)]);
    phi[ghost] = phi[c] - t->per * leaving;
    return (phi[c] - phi[ghost]) / t->per; // what will really leave, after rounding
}

// West and east ghosts of rows j0 .. j1-1.
static void fill_ends(const struct rows *t, int j0, int j1)
{
    const struct wave *self = t->f->self;
    const struct wave_def *d = def_of(t->f);
    const struct grid *g = &t->f->g;
    for (int j = j0; j < j1; ++j) {
        const double west = fill_ghost(t, d->side[0], grid_at(g, 0, j), 1, g->nx - 1);
        self->out[j] = west + fill_ghost(t, d->side[1], grid_at(g, g->nx - 1, j), -1, -(g->nx - 1));
    }
}

// South and north ghost rows. Gives back the sum of what leaves there [m].
static double fill_rows(const struct rows *t)
{
    const struct wave_def *d = def_of(t->f);
    const struct grid *g = &t->f->g;
    const ptrdiff_t n = (ptrdiff_t)g->stride, across = n * (g->nz - 1);
    double out = 0.0;
    for (int i = 0; i < g->nx; ++i) out += fill_ghost(t, d->side[2], grid_at(g, i, 0), n, across);
    for (int i = 0; i < g->nx; ++i) out += fill_ghost(t, d->side[3], grid_at(g, i, g->nz - 1), -n, -across);
    return out;
}

static void step_rows(void *ctx, int j0, int j1)
{
    const struct rows *t = ctx;
    const struct wave *self = t->f->self;
    fill_ends(t, j0, j1); // a row needs only its own ends, and has them in cache now
    self->kernels->step(&t->f->g, t->k, self->phi, self->w, self->phi1, self->w1, j0, j1);
}

static void press_rows(void *ctx, int j0, int j1)
{
    const struct rows *t = ctx;
    const struct wave *self = t->f->self;
    const struct rect *r = t->r;
    fill_ends(t, r->j0 + j0, r->j0 + j1);
    self->kernels->press(&t->f->g, t->k, self->phi, t->f->lift, t->f->cover, self->phi1, r->i0, r->i1,
                         r->j0 + j0, r->j0 + j1);
}

static void pressed_rows(void *ctx, int j0, int j1)
{
    const struct rows *t = ctx;
    const struct wave *self = t->f->self;
    for (int j = t->r->j0 + j0; j < t->r->j0 + j1; ++j) {
        const size_t c = grid_at(&t->f->g, t->r->i0, j);
        memcpy(self->phi + c, self->phi1 + c, (size_t)(t->r->i1 - t->r->i0) * sizeof(float));
    }
}

// The surface diffuses, the press does not: after the step its share of D/c^2 w is taken off again.
static void relax_rows(void *ctx, int j0, int j1)
{
    const struct rows *t = ctx;
    const struct wave *self = t->f->self;
    for (int j = t->r->j0 + j0; j < t->r->j0 + j1; ++j) {
        const size_t c = grid_at(&t->f->g, t->r->i0, j), end = c + (size_t)(t->r->i1 - t->r->i0);
        for (size_t k = c; k < end; ++k) self->phi1[k] -= t->k->relax * t->f->lift[k];
    }
}

// The rectangles are disjoint, so their rows are independent.
static void over_pressed(struct rows *t, rows_fn fn)
{
    for (int i = 0; i < t->f->pressed_count; ++i) {
        t->r = &t->f->pressed[i];
        parallel_rows(t->f->parallel, t->r->j1 - t->r->j0, grid_block_rows(&t->f->g), fn, t);
    }
}

static void swap(struct wave *self)
{
    float *phi = self->phi, *w = self->w;
    self->phi = self->phi1, self->w = self->w1;
    self->phi1 = phi, self->w1 = w;
}

static void single_step(struct fluid *f, double dt)
{
    struct wave *self = f->self;
    const struct wave_factors k = factors(f, dt);
    struct rows t = rows_of(f, &k);
    if (f->pressed_count) fill_rows(&t);
    over_pressed(&t, press_rows); // all read phi before any is written back
    over_pressed(&t, pressed_rows);
    double out = fill_rows(&t);
    parallel_rows(f->parallel, f->g.nz, grid_block_rows(&f->g), step_rows, &t);
    over_pressed(&t, relax_rows);
    for (int j = 0; j < f->g.nz; ++j) out += self->out[j];
    f->out += out * f->speed * dt / f->g.s;
    swap(self);
}

static void several_rows(void *ctx, int j0, int j1)
{
    const struct rows *t = ctx;
    const struct wave *self = t->f->self;
    const struct wave_sides sides = {t->f->wrap_x, t->f->wrap_z};
    self->kernels->steps(&t->f->g, t->k, &sides, t->count, self->phi, self->w, self->phi1, self->w1, j0, j1);
}

// With closed sides and nothing pressing, several steps go through the cache at once: the same bits, faster.
static void step(struct fluid *f, double dt, int count)
{
    const int block = imax(64, grid_block_rows(&f->g)); // blocks repeat some rows of their neighbours
    while (count > 0) {
        if (!f->closed || f->pressed_count) {
            single_step(f, dt);
            count -= 1;
            continue;
        }
        const struct wave_factors k = factors(f, dt);
        struct rows t = rows_of(f, &k);
        t.count = imin(count, WAVE_STEPS);
        parallel_rows(f->parallel, f->g.nz, block, several_rows, &t);
        swap(f->self);
        count -= t.count;
    }
}

static void sound_rows(void *ctx, int j0, int j1)
{
    const struct rows *t = ctx;
    const struct wave *self = t->f->self;
    for (int j = j0; j < j1; ++j) self->out[j] = self->kernels->broken(&t->f->g, self->w, j, j + 1);
}

// A broken phi breaks w in the same step, so w tells for both.
static bool sound(const struct fluid *f)
{
    const struct wave *self = f->self;
    double broken = 0.0;
    parallel_rows(f->parallel, f->g.nz, grid_block_rows(&f->g), sound_rows,
                  &(struct rows){.f = (struct fluid *)f});
    for (int j = 0; j < f->g.nz; ++j) broken += self->out[j];
    return broken == 0.0;
}

static void surface(const struct fluid *f, int j, int i0, int i1, float *out)
{
    const struct wave *self = f->self;
    const size_t c = grid_at(&f->g, i0, j);
    const float rise = (float)f->rise;
    for (int i = 0; i < i1 - i0; ++i) out[i] = rise + self->w[c + (size_t)i];
    if (!f->lift) return;
    for (int i = 0; i < i1 - i0; ++i) out[i] += f->lift[c + (size_t)i];
}

// phi of a neighbour; beyond a side that is not periodic, of the edge itself.
static double phi_at(const struct fluid *f, int i, int j)
{
    const struct wave *self = f->self;
    const int ci = f->wrap_x ? fluid_column(f, i) : imax(0, imin(f->g.nx - 1, i));
    const int cj = f->wrap_z ? fluid_row(f, j) : imax(0, imin(f->g.nz - 1, j));
    return self->phi[grid_at(&f->g, ci, cj)];
}

// phi of the neighbours of a cell.
struct around {
    double west, east, south, north;
};

static inline struct around look_around(const struct fluid *f, int i, int j, bool inside)
{
    if (inside) {
        const float *p = ((const struct wave *)f->self)->phi + grid_at(&f->g, i, j);
        return (struct around){p[-1], p[1], *(p - f->g.stride), p[f->g.stride]};
    }
    return (struct around){phi_at(f, i - 1, j), phi_at(f, i + 1, j), phi_at(f, i, j - 1),
                           phi_at(f, i, j + 1)};
}

// Whether cells i0 .. i1-1 of a row have neighbours all around.
static bool all_inside(const struct fluid *f, int j, int i0, int i1)
{
    return 0 < i0 && i1 < f->g.nx && 0 < j && j + 1 < f->g.nz;
}

static void speed(const struct fluid *f, int j, int i0, int i1, float *u, float *v)
{
    const double k = -f->speed * f->speed / (f->level * 2.0 * f->g.s);
    const bool inside = all_inside(f, j, i0, i1);
    for (int i = i0; i < i1; ++i) {
        const struct around p = look_around(f, i, j, inside);
        u[i - i0] = (float)(k * (p.east - p.west));
        v[i - i0] = (float)(k * (p.north - p.south));
    }
}

static void rising(const struct fluid *f, int j, int i0, int i1, double *out)
{
    const double k = f->speed * f->speed / (f->g.s * f->g.s);
    const float *phi = ((const struct wave *)f->self)->phi + grid_at(&f->g, i0, j);
    const bool inside = all_inside(f, j, i0, i1);
    for (int i = i0; i < i1; ++i) {
        const struct around p = look_around(f, i, j, inside);
        out[i - i0] = k * (p.east + p.west + p.north + p.south - 4.0 * (double)phi[i - i0]);
    }
}

static double add(struct fluid *f, int j, int i0, int i1, const float *depth, const float *push)
{
    struct wave *self = f->self;
    const size_t c = grid_at(&f->g, i0, j);
    double sum = 0.0;
    for (int i = 0; depth && i < i1 - i0; ++i) {
        const float before = self->w[c + (size_t)i];
        self->w[c + (size_t)i] = before + depth[i];
        sum += (double)self->w[c + (size_t)i] - (double)before;
    }
    for (int i = 0; push && i < i1 - i0; ++i) self->phi[c + (size_t)i] += push[i];
    return sum;
}

// Height above the flat surface; what presses on it included.
static double height_at(const struct fluid *f, size_t c)
{
    const struct wave *self = f->self;
    return (double)self->w[c] + (f->lift ? (double)f->lift[c] : 0.0);
}

// The potential half a step behind and half a step ahead of the heights.
struct pair {
    double behind, ahead;
};

static struct pair phi_pair(const struct fluid *f, int i, int j, double dt)
{
    const int ci = f->wrap_x ? fluid_column(f, i) : imin(f->g.nx - 1, i);
    const int cj = f->wrap_z ? fluid_row(f, j) : imin(f->g.nz - 1, j);
    const size_t c = grid_at(&f->g, ci, cj);
    const double behind = ((const struct wave *)f->self)->phi[c];
    return (struct pair){behind, behind + dt * height_at(f, c)};
}

// Energy of the linear waves, rho g/2 (w^2 + c^2 grad(phi behind) . grad(phi ahead)) per area: what the leapfrog keeps
// to rounding when nothing damps.
static void totals(const struct fluid *f, struct fluid_totals *out)
{
    const struct grid *g = &f->g;
    const double area = g->s * g->s, c2 = f->speed * f->speed / area, dt = inner(f, f->dt);
    double potential = 0.0, kinetic = 0.0, px = 0.0, pz = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const double w = ((const struct wave *)f->self)->w[grid_at(g, i, j)];
            const struct pair p = phi_pair(f, i, j, dt), e = phi_pair(f, i + 1, j, dt),
                              n = phi_pair(f, i, j + 1, dt);
            potential += w * w; // what presses on it is not the water's own
            kinetic += c2 * ((e.behind - p.behind) * (e.ahead - p.ahead) +
                             (n.behind - p.behind) * (n.ahead - p.ahead));
            px += e.behind - p.behind, pz += n.behind - p.behind;
        }
    const double mass =
        -f->density * f->speed * f->speed * g->s; // of a column, times the speed of unit slope
    out->depth = f->level * g->nx * g->nz + sum_field(f->parallel, g, ((struct wave *)f->self)->w);
    out->energy = 0.5 * f->density * f->gravity * area * (potential + kinetic);
    out->momentum = v3(mass * px, 0.0, mass * pz);
}

static void save(struct saver *s, const struct fluid *f)
{
    const struct wave *self = f->self;
    for (int j = 0; j < f->g.nz; ++j) save_f32s(s, self->phi + grid_at(&f->g, 0, j), (size_t)f->g.nx);
    for (int j = 0; j < f->g.nz; ++j) save_f32s(s, self->w + grid_at(&f->g, 0, j), (size_t)f->g.nx);
}

static bool load(struct loader *l, struct fluid *f)
{
    struct wave *self = f->self;
    for (int j = 0; j < f->g.nz; ++j) load_f32s(l, self->phi + grid_at(&f->g, 0, j), (size_t)f->g.nx);
    for (int j = 0; j < f->g.nz; ++j) load_f32s(l, self->w + grid_at(&f->g, 0, j), (size_t)f->g.nx);
    return !self->kernels->broken(&f->g, self->phi, 0, f->g.nz) &&
           !self->kernels->broken(&f->g, self->w, 0, f->g.nz);
}

const struct fluid_kind fluid_wave = {
    .linear = true,
    .late = 0.5,
    .kind = {.room = "fluid", .name = "wave", .help = "linear waves on columns of water", PARAMS(params)},
    .check = check,
    .create = create,
    .destroy = destroy,
    .inner = inner,
    .step = step,
    .sound = sound,
    .surface = surface,
    .speed = speed,
    .rising = rising,
    .add = add,
    .totals = totals,
    .save = save,
    .load = load,
};
