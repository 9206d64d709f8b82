// The shallow-water model: depth and speed on a staggered grid, over any ground, wet and dry.
//
//     h_t + div(h v) = 0,     v_t + v . grad(v) = -g grad(eta) + a - friction,     eta = bed + h
//
// `conservative` is a predictor-corrector after Stelling & Duinmeijer (2003), of second order; the other two
// advections belong to the real-time literature: speeds are carried along, then fall with the surface, then the
// depth follows, first order in time. Depths are whole multiples of a quantum, a power of two, and so is everything
// that passes a face: sums are exact, and no water is lost or made. The bed is rounded to the same quantum, so that
// still water over any ground is level to the last bit.
#include "shallow.h"

#include "base/error.h"
#include "base/math.h"
#include "base/sum.h"
#include "bed.h"

#include <string.h>

static const char *const side_names[] = {"wall", "open", "periodic", "level", "flow", "wavemaker", NULL};
static const char *const advection_names[] = {"conservative", "maccormack", "semi-lagrangian", NULL};

#define SIDE(i, name_)                                                                                    \
    PARAM_CHOICE(struct shallow_def, side[i].kind, "sides." name_, SIDE_WALL, side_names,                 \
                 "what the water meets there"),                                                           \
        PARAM_MAYBE_LIVE(                                                                                 \
            struct shallow_def, side[i].level, "sides." name_ ".level", -1e5, 1e5, "m",                   \
            "level: y of the surface; flow: the same, for water that comes in faster than waves"),        \
        PARAM_MAYBE_LIVE(struct shallow_def, side[i].discharge, "sides." name_ ".discharge", -1e4, 1e4,   \
                         "m^2/s", "flow: what comes in per metre of side; below 0: goes out"),            \
        PARAM_MAYBE_LIVE(struct shallow_def, side[i].amplitude, "sides." name_ ".amplitude", 0, 1e3, "m", \
                         "wavemaker, level: half the height of waves or tide"),                           \
        PARAM_MAYBE_LIVE(struct shallow_def, side[i].period, "sides." name_ ".period", 1e-3, 1e6, "s",    \
                         "of those"),                                                                     \
        PARAM_MAYBE_LIVE(struct shallow_def, side[i].ramp, "sides." name_ ".ramp", 0, 1e6, "s",           \
                         "time in which the side comes up to what it is told")

static const tarn_param params[] = {
    PARAM_VEC2(struct shallow_def, size, "size", 4, 4, 0.01, 1e6, "m", "length along x and z"),
    PARAM_INT2(struct shallow_def, cells, "cells", 128, 128, 4, 32768,
               "columns along x and z; they must be square"),
    PARAM_MAYBE(struct shallow_def, depth, "depth", 0, 1e4, "m",
                "of the water at rest over the lowest point of the bed; neither this nor level: 1"),
    PARAM_MAYBE(struct shallow_def, level, "level", -1e5, 1e5, "m",
                "y of the surface at rest, instead of depth"),
    PARAM_CHOICE(struct shallow_def, advection, "advection", CONSERVATIVE, advection_names,
                 "of the water's speed"),
    PARAM_LIVE(struct shallow_def, friction, "friction", 0, 0, 1, "s/m^(1/3)",
               "Manning's n of the bed: concrete 0.012, sand 0.025, weeds 0.05"),
    PARAM_NUMBER(struct shallow_def, courant, "courant", 0.45, 0.05, 0.65, "",
                 "cells that the fastest signal may pass in an inner step"),
    PARAM_INTEGER(struct shallow_def, steps, "steps", 0, 0, 100000,
                  "inner steps in a world step; 0: as many as `courant` asks for"),
    PARAM_LIVE(struct shallow_def, acceleration[0], "acceleration.x", 0, -1e3, 1e3, "m/s^2",
               "that the water feels besides gravity"),
    PARAM_LIVE(struct shallow_def, acceleration[1], "acceleration.z", 0, -1e3, 1e3, "m/s^2", "likewise"),
    PARAM_LIVE(struct shallow_def, shake[0], "shake.x", 0, -1e3, 1e3, "m/s^2",
               "a sine in time added to acceleration.x"),
    PARAM_LIVE(struct shallow_def, shake[1], "shake.z", 0, -1e3, 1e3, "m/s^2", "likewise"),
    PARAM_NUMBER(struct shallow_def, shake_period, "shake.period", 1, 1e-3, 1e6, "s", "of that sine"),
    PARAM_LIVE(struct shallow_def, limit_speed, "stabilise.speed", 0, 0, 1, "",
               "most cells that water moves in an inner step (usual: 0.5); 0: off"),
    PARAM_LIVE(struct shallow_def, limit_depth, "stabilise.depth", 0, 0, 100, "",
               "most depth that counts in a flux, in dx^2/(g dt^2) (usual: 2); 0: off"),
    PARAM_LIVE(struct shallow_def, limit_overshoot, "stabilise.overshoot", 0, 0, 1, "",
               "part of an overshoot at the edge of a wave that is moved ahead (usual: 0.5); 0: off"),
    SIDE(0, "west"),
    SIDE(1, "east"),
    SIDE(2, "south"),
    SIDE(3, "north"),
};

#define DRY_QUANTA 8.0 // water that is no deeper is rounding more than water

// ---- create ---------------------------------------------------------------------------------------

static const char *const keys[] = {"sides.west", "sides.east", "sides.south", "sides.north"};

static tarn_result check_side(const struct shallow_def *d, int i, tarn_error *err)
{
    const struct shallow_side *s = &d->side[i];
    const bool waves = s->kind == SIDE_WAVEMAKER, swings = waves || s->kind == SIDE_LEVEL;
    if (s->kind == SIDE_FLOW && isnan(s->discharge))
        return fail(err, TARN_BAD_INPUT, keys[i], "a side that is a flow needs a discharge");
    if (waves && (isnan(s->amplitude) || isnan(s->period)))
        return fail(err, TARN_BAD_INPUT, keys[i], "a wavemaker needs an amplitude and a period");
    if (swings && !isnan(s->amplitude) && isnan(s->period))
        return fail(err, TARN_BAD_INPUT, keys[i], "an amplitude needs a period");
    if (!swings && (!isnan(s->amplitude) || !isnan(s->period)))
        return fail(err, TARN_BAD_INPUT, keys[i], "only wavemaker and level have an amplitude and a period");
    if (s->kind != SIDE_FLOW && !isnan(s->discharge))
        return fail(err, TARN_BAD_INPUT, keys[i], "only a flow has a discharge");
    if (s->kind != SIDE_FLOW && s->kind != SIDE_LEVEL && !isnan(s->level))
        return fail(err, TARN_BAD_INPUT, keys[i], "only level and flow have a level");
    if (!swings && s->kind != SIDE_FLOW && !isnan(s->ramp))
        return fail(err, TARN_BAD_INPUT, keys[i], "only level, flow and wavemaker have a ramp");
    return TARN_OK;
}

tarn_result shallow_check(const struct fluid *f, tarn_error *err)
{
    const struct shallow_def *d = shallow_def_of(f);
    tarn_result r = fluid_check_grid(d->size, d->cells, err);
    if (r == TARN_OK && !isnan(d->depth) && !isnan(d->level))
        return fail(err, TARN_BAD_INPUT, "level", "depth and level both say where the surface is; give one");
    for (int i = 0; i < 4 && r == TARN_OK; ++i)
        if (d->side[i].kind == SIDE_PERIODIC && d->side[i ^ 1].kind != SIDE_PERIODIC)
            return fail(err, TARN_BAD_INPUT, keys[i], "a side is periodic only together with the one across");
    return r;
}

static tarn_result check(const struct fluid *f, tarn_error *err)
{
    tarn_result r = shallow_check(f, err);
    for (int i = 0; i < 4 && r == TARN_OK; ++i) r = check_side(shallow_def_of(f), i, err);
    return r;
}

static bool make_fields(struct fluid *f, struct shallow *self)
{
    const size_t nx = (size_t)f->g.nx, nz = (size_t)f->g.nz;
    bool all = true;
    for (int i = 0; i < SHALLOW_FIELDS; ++i)
        all = (self->own[i] = grid_field(&f->g, f->memory, i + 6)) && all;
    self->ones = memory_alloc(f->memory, nx + 2, sizeof(float));
    self->row_speed = memory_alloc(f->memory, nz + 1, sizeof(float));
    self->row_poor = memory_alloc(f->memory, nz + 2, 1);
    self->row_pressed = memory_alloc(f->memory, nz + 1, 1);
    if (!all || !self->ones || !self->row_speed || !self->row_poor || !self->row_pressed) return false;
    float **const names[] = {&self->h,      &self->u,      &self->v,      &self->h1, &self->u1, &self->v1,
                             &self->half_h, &self->half_u, &self->half_v, &self->tx, &self->tz, &f->bed};
    for (int i = 0; i < SHALLOW_FIELDS; ++i) *names[i] = self->own[i];
    for (size_t i = 0; i < nx + 2; ++i) self->ones[i] = 1.0f;
    return true;
}

// Lowest and highest ground, and how far the water may come from level: what the quantum must hold.
struct relief {
    double lowest, highest;
};

static double ground_at(const struct fluid *f, const tarn_world_def *def, int i, int j)
{
    const struct shallow_def *d = shallow_def_of(f);
    const struct bed_place at = {grid_x(&f->g, i), grid_z(&f->g, j), d->size[0], d->size[1], &def->map};
    return bed_height(def, &at);
}

static struct relief survey(const struct fluid *f, const tarn_world_def *def)
{
    struct relief r = {INFINITY, -INFINITY};
    for (int j = 0; j < f->g.nz; ++j)
        for (int i = 0; i < f->g.nx; ++i) {
            const double y = ground_at(f, def, i, j);
            r.lowest = fmin(r.lowest, y), r.highest = fmax(r.highest, y);
        }
    return r;
}

// Depths are counted in quanta of 2^-23 of a scale: a power of two at least twice the depth of the water at rest and
// of what sides bring, so that there is room for waves. Twice the scale is the deepest water that is exact.
static float quantum_for(const struct fluid *f, const struct relief *r)
{
    const struct shallow_def *d = shallow_def_of(f);
    double depth = f->level - r->lowest, scale = 1.0 / 1024.0;
    for (int i = 0; i < 4; ++i) {
        if (d->side[i].kind <= SIDE_PERIODIC) continue; // brings none
        const double swing = isnan(d->side[i].amplitude) ? 0.0 : d->side[i].amplitude;
        depth = fmax(depth, (isnan(d->side[i].level) ? f->level : d->side[i].level) + swing - r->lowest);
        if (!isnan(d->side[i].discharge)) // the critical depth, doubled
            depth =
                fmax(depth, 2.0 * m_pow(d->side[i].discharge * d->side[i].discharge / f->gravity, 1.0 / 3.0));
    }
    depth = fmax(depth, 0.25 * (r->highest - r->lowest)); // land that is dry at first may be flooded
    while (scale < 2.0 * depth) scale *= 2.0;
    return (float)(scale / SHALLOW_SCALE);
}

static tarn_result lay_bed(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    const struct shallow_def *d = shallow_def_of(f);
    struct shallow *self = f->self;
    const struct relief r = survey(f, def);
    f->base = r.lowest;
    f->level = !isnan(d->level) ? d->level : r.lowest + (isnan(d->depth) ? 1.0 : d->depth);
    if (!(fabs(r.lowest) < 1e6 && fabs(r.highest) < 1e6))
        return fail(err, TARN_BAD_INPUT, "bed", "heights from %.3g to %.3g m are impossible", r.lowest,
                    r.highest);
    self->quantum = quantum_for(f, &r);
    f->dry = DRY_QUANTA * (double)self->quantum;
    for (int j = 0; j < f->g.nz; ++j)
        for (int i = 0; i < f->g.nx; ++i) {
            const size_t c = grid_at(&f->g, i, j);
            f->bed[c] = shallow_quanta(self, ground_at(f, def, i, j) - f->level);
            self->h[c] = f->bed[c] < 0.0f ? -f->bed[c] : 0.0f;
        }
    return TARN_OK;
}

tarn_result shallow_make(struct fluid *f, const tarn_world_def *def, size_t size, tarn_error *err)
{
    const struct shallow_def *d = shallow_def_of(f);
    if (!grid_init(&f->g, d->cells[0], d->cells[1], d->size[0] / d->cells[0]))
        return fail(err, TARN_BAD_INPUT, "cells", "%d x %d columns are too many", d->cells[0], d->cells[1]);
    f->wrap_x = d->side[0].kind == SIDE_PERIODIC;
    f->wrap_z = d->side[2].kind == SIDE_PERIODIC;
    for (int i = 0; i < 4; ++i) f->wall[i] = d->side[i].kind == SIDE_WALL;
    struct shallow *self = f->self = memory_alloc(f->memory, 1, size);
    if (!self) return fail(err, TARN_NO_MEMORY, "", "no memory for the water");
    self->size = size;
    self->kernels = KERNELS_PICK(shallow_kernels);
    if (!make_fields(f, self))
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d columns", d->cells[0], d->cells[1]);
    const tarn_result r = lay_bed(f, def, err);
    if (r != TARN_OK) return r;
    f->speed = sqrt(f->gravity * fmax(0.0, f->level - f->base));
    shallow_ghosts(f, f->bed, MIDDLE);
    self->stale = true;
    return TARN_OK;
}

static tarn_result create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    const tarn_result r = check(f, err);
    return r == TARN_OK ? shallow_make(f, def, sizeof(struct shallow), err) : r;
}

void shallow_destroy(struct fluid *f)
{
    struct shallow *self = f->self;
    if (!self) return;
    for (int i = 0; i < SHALLOW_FIELDS; ++i) grid_field_free(&f->g, f->memory, self->own[i], i + 6);
    memory_free(f->memory, self->ones, (size_t)f->g.nx + 2, sizeof(float));
    memory_free(f->memory, self->row_speed, (size_t)f->g.nz + 1, sizeof(float));
    memory_free(f->memory, self->row_poor, (size_t)f->g.nz + 2, 1);
    memory_free(f->memory, self->row_pressed, (size_t)f->g.nz + 1, 1);
    memory_free(f->memory, self, 1, self->size);
    f->self = NULL;
    f->bed = NULL;
}

// ---- what others ask for --------------------------------------------------------------------------

void shallow_surface(const struct fluid *f, int j, int i0, int i1, float *out)
{
    const struct shallow *self = f->self;
    const size_t c = grid_at(&f->g, i0, j);
    for (int i = 0; i < i1 - i0; ++i) out[i] = f->bed[c + (size_t)i] + self->h[c + (size_t)i];
    if (!f->lift) return;
    for (int i = 0; i < i1 - i0; ++i) out[i] += f->lift[c + (size_t)i];
}

void shallow_speed(const struct fluid *f, int j, int i0, int i1, float *u, float *v)
{
    const struct shallow *self = f->self;
    const size_t n = f->g.stride, c0 = grid_at(&f->g, i0, j);
    for (int i = 0; i < i1 - i0; ++i) {
        const size_t c = c0 + (size_t)i;
        const float wet = self->h[c] > (float)f->dry ? 0.5f : 0.0f;
        u[i] = wet * (self->u[c] + self->u[c + 1]);
        v[i] = wet * (self->v[c] + self->v[c + n]);
    }
}

bool shallow_wet(const struct fluid *f, int i, int j)
{
    return ((const struct shallow *)f->self)->h[grid_at(&f->g, i, j)] > (float)f->dry;
}

float shallow_whole(const struct fluid *f, double depth) { return shallow_quanta(f->self, depth); }

// The state before the last step is where the next one will be written.
float shallow_depth(const struct fluid *f, int i, int j, float *mean)
{
    const struct shallow *s = f->self;
    const size_t c = grid_at(&f->g, i, j);
    *mean = 0.5f * (s->h[c] + s->h1[c]);
    return s->h[c];
}

float shallow_shove(struct fluid *f, int i, int j, int axis, float speed, float most)
{
    struct shallow *s = f->self;
    float *u = axis ? s->v : s->u, *face = &u[grid_at(&f->g, i, j)];
    const float before = *face, after = before + speed;
    // What is faster already may only become slower.
    *face = speed > 0.0f ? fminf(after, fmaxf(most, before)) : fmaxf(after, fminf(-most, before));
    // Periodic sides: the first face and the last are one.
    if (axis == 0 && i == 0) u[grid_at(&f->g, f->g.nx, j)] = *face;
    if (axis == 1 && j == 0) u[grid_at(&f->g, i, f->g.nz)] = *face;
    s->stale = true;
    return *face - before;
}

void shallow_rising(const struct fluid *f, int j, int i0, int i1, double *out)
{
    const struct shallow *s = f->self;
    if (s->stale) shallow_refresh((struct fluid *)f);
    const size_t n = f->g.stride, first = grid_at(&f->g, i0, j), end = first + (size_t)(i1 - i0);
#define PASS(u, a, b) ((double)u * (double)(u > 0.0f ? s->h[a] : s->h[b]))
    for (size_t c = first; c < end; ++c)
        out[c - first] = ((PASS(s->u[c], c - 1, c) - PASS(s->u[c + 1], c, c + 1)) +
                          (PASS(s->v[c], c - n, c) - PASS(s->v[c + n], c, c + n))) /
                         f->g.s;
#undef PASS
}

// Make the quantum fit for water of this depth. What is there is rounded anew, surfaces first, so that level water stays
// level; gives back what that adds to it.
static double make_room(struct fluid *f, double depth)
{
    struct shallow *self = f->self;
    const float old = self->quantum;
    double sum = 0.0;
    while (2.0 * depth > SHALLOW_SCALE * (double)self->quantum) self->quantum *= 2.0f;
    if (self->quantum == old) return 0.0;
    f->dry = DRY_QUANTA * (double)self->quantum;
    for (int j = 0; j < f->g.nz; ++j)
        for (int i = 0; i < f->g.nx; ++i) {
            const size_t c = grid_at(&f->g, i, j);
            const double before = self->h[c], surface = (double)f->bed[c] + before;
            f->bed[c] = shallow_quanta(self, f->bed[c]);
            const double after = (double)shallow_quanta(self, surface) - (double)f->bed[c];
            self->h[c] = before > 0.0 && after > 0.0 ? (float)after : 0.0f;
            sum += (double)self->h[c] - before;
        }
    shallow_ghosts(f, f->bed, MIDDLE);
    self->stale = true;
    return sum;
}

void shallow_make_room(struct fluid *f)
{
    const struct shallow *self = f->self;
    float deepest = 0.0f;
    for (int j = 0; j < f->g.nz; ++j)
        for (int i = 0; i < f->g.nx; ++i) deepest = fmaxf(deepest, self->h[grid_at(&f->g, i, j)]);
    if ((double)deepest > SHALLOW_SCALE * (double)self->quantum) f->emitted += make_room(f, deepest);
}

// A head P for a moment: v -= g grad(P), if there is water. Side faces are left to what the sides say.
static void push_cell(struct fluid *f, int i, int j, float head)
{
    struct shallow *s = f->self;
    const float kick = (float)(f->gravity / f->g.s) * head;
    const int nx = f->g.nx, nz = f->g.nz;
    const size_t c = grid_at(&f->g, i, j), n = f->g.stride;
    if (s->h[c] <= (float)f->dry) return;
    if (i > 0) s->u[c] -= kick;
    if (i + 1 < nx) s->u[c + 1] += kick;
    if (j > 0) s->v[c] -= kick;
    if (j + 1 < nz) s->v[c + n] += kick;
    // Periodic sides: the first face and the last are one.
    const float x = (i == 0 ? -kick : 0.0f) + (i + 1 == nx ? kick : 0.0f);
    const float z = (j == 0 ? -kick : 0.0f) + (j + 1 == nz ? kick : 0.0f);
    if (f->wrap_x && x != 0.0f) s->u[grid_at(&f->g, 0, j)] += x, s->u[grid_at(&f->g, nx, j)] += x;
    if (f->wrap_z && z != 0.0f) s->v[grid_at(&f->g, i, 0)] += z, s->v[grid_at(&f->g, i, nz)] += z;
}

double shallow_add(struct fluid *f, int j, int i0, int i1, const float *depth, const float *push)
{
    struct shallow *self = f->self;
    const size_t c0 = grid_at(&f->g, i0, j);
    double sum = 0.0;
    for (int i = 0; i < i1 - i0; ++i) {
        const size_t c = c0 + (size_t)i;
        if (depth) {
            sum += make_room(f, (double)self->h[c] + (double)depth[i]);
            const float before = self->h[c], more = shallow_quanta(self, depth[i]);
            self->h[c] = before + more > 0.0f ? before + more : 0.0f; // no more can be taken than there is
            sum += (double)self->h[c] - (double)before;
        }
        if (push && push[i] != 0.0f) push_cell(f, i0 + i, j, push[i]);
    }
    self->stale = true;
    return sum;
}

// Depths stay, so volume is what it was, to the last bit. The ground stays within what the quantum of these depths can
// count: no deeper than water up to the level may be, no higher than twice that.
bool shallow_raise(struct fluid *f, int j, int i0, int i1, const float *height)
{
    struct shallow *self = f->self;
    const double deepest = -SHALLOW_SCALE * (double)self->quantum, highest = -2.0 * deepest;
    bool any = false;
    for (int i = i0; i < i1; ++i) {
        float *bed = &f->bed[grid_at(&f->g, i, j)];
        const double wish = clamp((double)*bed + (double)height[i - i0], fmin(deepest, (double)*bed),
                                  fmax(highest, (double)*bed));
        const float now = shallow_quanta(self, wish);
        any = any || now != *bed;
        *bed = now;
        f->base = fmin(f->base, f->level + (double)now);
    }
    if (!any) return false;
    f->speed = sqrt(f->gravity * fmax(0.0, f->level - f->base));
    const int rim = GRID_GHOSTS; // ghosts follow from cells that are no farther in
    if (j < rim || j >= f->g.nz - rim || i0 < rim || i1 > f->g.nx - rim) shallow_ghosts(f, f->bed, MIDDLE);
    self->stale = true;
    return true;
}

void shallow_set(struct fluid *f, const tarn_column *columns)
{
    struct shallow *self = f->self;
    const struct grid *g = &f->g;
    const size_t n = g->stride;
    double deepest = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const double height = columns[(size_t)j * (size_t)g->nx + (size_t)i].height;
            deepest = fmax(deepest, height - f->level - (double)f->bed[grid_at(g, i, j)]);
        }
    make_room(f, deepest);
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const tarn_column *column = &columns[(size_t)j * (size_t)g->nx + (size_t)i];
            const size_t c = grid_at(g, i, j);
            const double depth = column->height - f->level - (double)f->bed[c];
            self->h[c] = depth > 0.0 ? shallow_quanta(self, depth) : 0.0f;
            self->u1[c] = (float)column->u, self->v1[c] = (float)column->w; // middles for now
        }
    shallow_ghosts(f, self->u1, MIDDLE);
    shallow_ghosts(f, self->v1, MIDDLE);
    for (int j = 0; j <= g->nz; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            self->u[c] = 0.5f * (self->u1[c - 1] + self->u1[c]);
            self->v[c] = 0.5f * (self->v1[c - n] + self->v1[c]);
        }
    shallow_refresh(f); // walls stop what runs into them
}

// Potential energy above still water at rest level, which reaches down to the bed or is not there at all.
void shallow_totals(const struct fluid *f, struct fluid_totals *out)
{
    const struct shallow *self = f->self;
    const struct grid *g = &f->g;
    const size_t n = g->stride;
    const float lip = (float)g->s;
    if (self->stale) shallow_refresh((struct fluid *)f);
    double potential = 0.0, kinetic = 0.0, px = 0.0, pz = 0.0;
    for (int j = 0; j <= g->nz; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const double bed = f->bed[c], eta = bed + (double)self->h[c], below = fmin(bed, 0.0);
            const double u = self->u[c], v = self->v[c];
            // A face at a side has half a cell's water of its own; a periodic one is counted once.
            const double x = j == g->nz             ? 0.0
                             : i == 0 || i == g->nx ? (f->wrap_x ? i == 0 : 0.5)
                                                    : 1.0,
                         z = i == g->nx             ? 0.0
                             : j == 0 || j == g->nz ? (f->wrap_z ? j == 0 : 0.5)
                                                    : 1.0;
            if (i < g->nx && j < g->nz) potential += eta * eta - bed * bed + below * below;
            kinetic += x * (double)shallow_moving(f->bed, self->h, c - 1, c, lip) * u * u +
                       z * (double)shallow_moving(f->bed, self->h, c - n, c, lip) * v * v;
            px += x * 0.5 * ((double)self->h[c - 1] + (double)self->h[c]) * u;
            pz += z * 0.5 * ((double)self->h[c - n] + (double)self->h[c]) * v;
        }
    const double mass = f->density * g->s * g->s;
    out->depth = sum_field(f->parallel, g, self->h);
    out->energy = 0.5 * mass * (f->gravity * potential + kinetic);
    out->momentum = v3(mass * px, 0.0, mass * pz);
}

// ---- saving ---------------------------------------------------------------------------------------

void shallow_save(struct saver *s, const struct fluid *f)
{
    const struct shallow *self = f->self;
    const size_t nx = (size_t)f->g.nx;
    const double facts[] = {f->level, f->base, self->quantum};
    save_f64s(s, facts, 3);
    for (int j = 0; j < f->g.nz; ++j) save_f32s(s, f->bed + grid_at(&f->g, 0, j), nx);
    for (int j = 0; j < f->g.nz; ++j) save_f32s(s, self->h + grid_at(&f->g, 0, j), nx);
    for (int j = 0; j < f->g.nz; ++j) save_f32s(s, self->u + grid_at(&f->g, 0, j), nx + 1);
    for (int j = 0; j <= f->g.nz; ++j) save_f32s(s, self->v + grid_at(&f->g, 0, j), nx);
}

bool shallow_load_rows(struct loader *l, const struct grid *g, float *q, int nx, int nz)
{
    bool good = true;
    for (int j = 0; j < nz; ++j) {
        float *row = q + grid_at(g, 0, j);
        load_f32s(l, row, (size_t)nx);
        for (int i = 0; i < nx; ++i) good = good && fabsf(row[i]) < 1e7f;
    }
    return good;
}

bool shallow_load(struct loader *l, struct fluid *f)
{
    struct shallow *self = f->self;
    const int nx = f->g.nx, nz = f->g.nz;
    double facts[3];
    load_f64s(l, facts, 3);
    if (!(fabs(facts[0]) < 1e7 && fabs(facts[1]) < 1e7 && facts[2] > 1e-12 && facts[2] < 1.0)) return false;
    f->level = facts[0], f->base = facts[1], self->quantum = (float)facts[2];
    f->dry = DRY_QUANTA * (double)self->quantum;
    f->speed = sqrt(f->gravity * fmax(0.0, f->level - f->base));
    bool good = shallow_load_rows(l, &f->g, f->bed, nx, nz) && shallow_load_rows(l, &f->g, self->h, nx, nz) &&
                shallow_load_rows(l, &f->g, self->u, nx + 1, nz) &&
                shallow_load_rows(l, &f->g, self->v, nx, nz + 1);
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i) good = good && self->h[grid_at(&f->g, i, j)] >= 0.0f;
    shallow_ghosts(f, f->bed, MIDDLE);
    self->stale = true;
    return good;
}

// What is traced back does not know where it goes to.
static bool carries(const struct fluid *f) { return shallow_def_of(f)->advection == CONSERVATIVE; }

const struct fluid_kind fluid_shallow = {
    .kind = {.room = "fluid",
             .name = "shallow",
             .help = "shallow water over any ground, wet and dry",
             PARAMS(params)},
    .terrain = true,
    .varying = true,
    .check = check,
    .create = create,
    .destroy = shallow_destroy,
    .inner = shallow_inner,
    .step = shallow_step,
    .sound = shallow_sound,
    .surface = shallow_surface,
    .speed = shallow_speed,
    .rising = shallow_rising,
    .wet = shallow_wet,
    .carries = carries,
    .whole = shallow_whole,
    .depth = shallow_depth,
    .shove = shallow_shove,
    .add = shallow_add,
    .raise = shallow_raise,
    .set = shallow_set,
    .totals = shallow_totals,
    .save = shallow_save,
    .load = shallow_load,
};
