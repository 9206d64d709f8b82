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
#include "fluid/bed.h"

#include <string.h>

static const char *const boundary_names[] = {"wall", "open", "periodic", "level", "flow", "wavemaker", NULL};
static const char *const advection_names[] = {"conservative", "maccormack", "semi-lagrangian", NULL};

#define BOUNDARY_PARAMS(i, name_)                                                                           \
    PARAM_CHOICE(struct shallow_def, boundary[i].kind, "sides." name_, BOUNDARY_WALL, boundary_names,       \
                 "what the water meets there"),                                                             \
        PARAM_OPTIONAL_LIVE(                                                                                \
            struct shallow_def, boundary[i].level, "sides." name_ ".level", -1e5, 1e5, "m",                 \
            "level: y of the surface; flow: the same, for water that comes in faster than waves"),          \
        PARAM_OPTIONAL_LIVE(struct shallow_def, boundary[i].discharge, "sides." name_ ".discharge", -1e4,   \
                            1e4, "m^2/s", "flow: what comes in per metre of side; below 0: goes out"),      \
        PARAM_OPTIONAL_LIVE(struct shallow_def, boundary[i].amplitude, "sides." name_ ".amplitude", 0, 1e3, \
                            "m", "wavemaker, level: half the height of waves or tide"),                     \
        PARAM_OPTIONAL_LIVE(struct shallow_def, boundary[i].period, "sides." name_ ".period", 1e-3, 1e6,    \
                            "s", "of those"),                                                               \
        PARAM_OPTIONAL_LIVE(struct shallow_def, boundary[i].ramp, "sides." name_ ".ramp", 0, 1e6, "s",      \
                            "time in which the side comes up to what it is told")

static const tarn_param params[] = {
    PARAM_VEC2(struct shallow_def, size, "size", 4, 4, 0.01, 1e6, "m", "length along x and z"),
    PARAM_INT2(struct shallow_def, cells, "cells", 128, 128, 4, 32768,
               "columns along x and z; they must be square"),
    PARAM_OPTIONAL(struct shallow_def, depth, "depth", 0, 1e4, "m",
                   "of the water at rest over the lowest point of the bed; neither this nor level: 1"),
    PARAM_OPTIONAL(struct shallow_def, level, "level", -1e5, 1e5, "m",
                   "y of the surface at rest, instead of depth"),
    PARAM_CHOICE(struct shallow_def, advection, "advection", SHALLOW_CONSERVATIVE, advection_names,
                 "of the water's speed"),
    PARAM_LIVE(struct shallow_def, manning, "friction", 0, 0, 1, "s/m^(1/3)",
               "Manning's n of the bed: concrete 0.012, sand 0.025, weeds 0.05"),
    PARAM_NUMBER(struct shallow_def, courant, "courant", 0.45, 0.05, 0.65, "",
                 "cells that the fastest signal may pass in an inner step"),
    PARAM_INTEGER(struct shallow_def, substeps, "steps", 0, 0, 100000,
                  "inner steps in a world step; 0: as many as `courant` asks for"),
    PARAM_LIVE(struct shallow_def, acceleration[0], "acceleration.x", 0, -1e3, 1e3, "m/s^2",
               "that the water feels besides gravity"),
    PARAM_LIVE(struct shallow_def, acceleration[1], "acceleration.z", 0, -1e3, 1e3, "m/s^2", "likewise"),
    PARAM_LIVE(struct shallow_def, shake_amplitude[0], "shake.x", 0, -1e3, 1e3, "m/s^2",
               "a sine in time added to acceleration.x"),
    PARAM_LIVE(struct shallow_def, shake_amplitude[1], "shake.z", 0, -1e3, 1e3, "m/s^2", "likewise"),
    PARAM_NUMBER(struct shallow_def, shake_period, "shake.period", 1, 1e-3, 1e6, "s", "of that sine"),
    PARAM_LIVE(struct shallow_def, limit_speed, "stabilise.speed", 0, 0, 1, "",
               "most cells that water moves in an inner step (usual: 0.5); 0: off"),
    PARAM_LIVE(struct shallow_def, limit_depth, "stabilise.depth", 0, 0, 100, "",
               "most depth that counts in a flux, in dx^2/(g dt^2) (usual: 2); 0: off"),
    PARAM_LIVE(struct shallow_def, limit_overshoot, "stabilise.overshoot", 0, 0, 1, "",
               "part of an overshoot at the edge of a wave that is moved ahead (usual: 0.5); 0: off"),
    BOUNDARY_PARAMS(0, "west"),
    BOUNDARY_PARAMS(1, "east"),
    BOUNDARY_PARAMS(2, "south"),
    BOUNDARY_PARAMS(3, "north"),
};

#define DRY_QUANTA 8.0 // water that is no deeper is rounding more than water

// ---- create ---------------------------------------------------------------------------------------

static const char *const boundary_keys[] = {"sides.west", "sides.east", "sides.south", "sides.north"};

static tarn_result check_boundary(const struct shallow_def *d, int i, tarn_error *err)
{
    const struct shallow_boundary *s = &d->boundary[i];
    const bool waves = s->kind == BOUNDARY_WAVEMAKER, swings = waves || s->kind == BOUNDARY_LEVEL;
    if (s->kind == BOUNDARY_DISCHARGE && isnan(s->discharge))
        return fail(err, TARN_BAD_INPUT, boundary_keys[i], "a side that is a flow needs a discharge");
    if (waves && (isnan(s->amplitude) || isnan(s->period)))
        return fail(err, TARN_BAD_INPUT, boundary_keys[i], "a wavemaker needs an amplitude and a period");
    if (swings && !isnan(s->amplitude) && isnan(s->period))
        return fail(err, TARN_BAD_INPUT, boundary_keys[i], "an amplitude needs a period");
    if (!swings && (!isnan(s->amplitude) || !isnan(s->period)))
        return fail(err, TARN_BAD_INPUT, boundary_keys[i],
                    "only wavemaker and level have an amplitude and a period");
    if (s->kind != BOUNDARY_DISCHARGE && !isnan(s->discharge))
        return fail(err, TARN_BAD_INPUT, boundary_keys[i], "only a flow has a discharge");
    if (s->kind != BOUNDARY_DISCHARGE && s->kind != BOUNDARY_LEVEL && !isnan(s->level))
        return fail(err, TARN_BAD_INPUT, boundary_keys[i], "only level and flow have a level");
    if (!swings && s->kind != BOUNDARY_DISCHARGE && !isnan(s->ramp))
        return fail(err, TARN_BAD_INPUT, boundary_keys[i], "only level, flow and wavemaker have a ramp");
    return TARN_OK;
}

tarn_result depth_check(const struct fluid *f, tarn_error *err)
{
    const struct shallow_def *d = shallow_def_of(f);
    tarn_result r = fluid_check_square_cells(d->size, d->cells, err);
    if (r == TARN_OK && !isnan(d->depth) && !isnan(d->level))
        return fail(err, TARN_BAD_INPUT, "level", "depth and level both say where the surface is; give one");
    for (int i = 0; i < 4 && r == TARN_OK; ++i)
        if (d->boundary[i].kind == BOUNDARY_PERIODIC && d->boundary[i ^ 1].kind != BOUNDARY_PERIODIC)
            return fail(err, TARN_BAD_INPUT, boundary_keys[i],
                        "a side is periodic only together with the one across");
    return r;
}

static tarn_result shallow_check_params(const struct fluid *f, tarn_error *err)
{
    tarn_result r = depth_check(f, err);
    for (int i = 0; i < 4 && r == TARN_OK; ++i) r = check_boundary(shallow_def_of(f), i, err);
    return r;
}

static bool alloc_fields(struct fluid *f, struct shallow *self)
{
    const size_t nx = (size_t)f->grid.nx, nz = (size_t)f->grid.nz;
    bool all = true;
    for (int i = 0; i < SHALLOW_BUFFERS; ++i)
        all = (self->buffers[i] = grid_alloc_field(&f->grid, f->memory, i + 6)) && all;
    self->unit_row = memory_alloc(f->memory, nx + 2, sizeof(float));
    self->row_max_signal = memory_alloc(f->memory, nz + 1, sizeof(float));
    self->row_overdrawn = memory_alloc(f->memory, nz + 2, 1);
    self->row_loaded = memory_alloc(f->memory, nz + 1, 1);
    if (!all || !self->unit_row || !self->row_max_signal || !self->row_overdrawn || !self->row_loaded)
        return false;
    float **const names[] = {&self->h,      &self->u,      &self->v,      &self->h_next,
                             &self->u_next, &self->v_next, &self->h_half, &self->u_half,
                             &self->v_half, &self->flux_x, &self->flux_z, &f->bed};
    for (int i = 0; i < SHALLOW_BUFFERS; ++i) *names[i] = self->buffers[i];
    for (size_t i = 0; i < nx + 2; ++i) self->unit_row[i] = 1.0f;
    return true;
}

// Lowest and highest ground, and how far the water may come from level: what the quantum must hold.
struct bed_range {
    double lowest, highest;
};

static double bed_at(const struct fluid *f, const tarn_world_def *def, int i, int j)
{
    const struct shallow_def *d = shallow_def_of(f);
    const struct bed_point at = {grid_cell_x(&f->grid, i), grid_cell_z(&f->grid, j), d->size[0], d->size[1],
                                 &def->map};
    return bed_height(def, &at);
}

static struct bed_range find_bed_range(const struct fluid *f, const tarn_world_def *def)
{
    struct bed_range r = {INFINITY, -INFINITY};
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const double y = bed_at(f, def, i, j);
            r.lowest = fmin(r.lowest, y), r.highest = fmax(r.highest, y);
        }
    return r;
}

// Depths are counted in quanta of 2^-23 of a scale: a power of two at least twice the depth of the water at rest and
// of what sides bring, so that there is room for waves. Twice the scale is the deepest water that is exact.
static float choose_quantum(const struct fluid *f, const struct bed_range *r)
{
    const struct shallow_def *d = shallow_def_of(f);
    double depth = f->rest_level - r->lowest, scale = 1.0 / 1024.0;
    for (int i = 0; i < 4; ++i) {
        if (d->boundary[i].kind <= BOUNDARY_PERIODIC) continue; // brings none
        const double swing = isnan(d->boundary[i].amplitude) ? 0.0 : d->boundary[i].amplitude;
        depth = fmax(depth, (isnan(d->boundary[i].level) ? f->rest_level : d->boundary[i].level) + swing -
                                r->lowest);
        if (!isnan(d->boundary[i].discharge)) // the critical depth, doubled
            depth = fmax(depth, 2.0 * m_pow(d->boundary[i].discharge * d->boundary[i].discharge / f->gravity,
                                            1.0 / 3.0));
    }
    depth = fmax(depth, 0.25 * (r->highest - r->lowest)); // land that is dry at first may be flooded
    while (scale < 2.0 * depth) scale *= 2.0;
    return (float)(scale / DEPTH_QUANTA);
}

static tarn_result init_bed_and_depth(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    const struct shallow_def *d = shallow_def_of(f);
    struct shallow *self = f->impl;
    const struct bed_range r = find_bed_range(f, def);
    f->bed_min = r.lowest;
    f->rest_level = !isnan(d->level) ? d->level : r.lowest + (isnan(d->depth) ? 1.0 : d->depth);
    if (!(fabs(r.lowest) < 1e6 && fabs(r.highest) < 1e6))
        return fail(err, TARN_BAD_INPUT, "bed", "heights from %.3g to %.3g m are impossible", r.lowest,
                    r.highest);
    self->quantum = choose_quantum(f, &r);
    f->dry_depth = DRY_QUANTA * (double)self->quantum;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const size_t c = grid_at(&f->grid, i, j);
            f->bed[c] = depth_quantise(self, bed_at(f, def, i, j) - f->rest_level);
            self->h[c] = f->bed[c] < 0.0f ? -f->bed[c] : 0.0f;
        }
    return TARN_OK;
}

tarn_result depth_create(struct fluid *f, const tarn_world_def *def, size_t size, tarn_error *err)
{
    const struct shallow_def *d = shallow_def_of(f);
    if (!grid_init(&f->grid, d->cells[0], d->cells[1], d->size[0] / d->cells[0]))
        return fail(err, TARN_BAD_INPUT, "cells", "%d x %d columns are too many", d->cells[0], d->cells[1]);
    f->periodic_x = d->boundary[0].kind == BOUNDARY_PERIODIC;
    f->periodic_z = d->boundary[2].kind == BOUNDARY_PERIODIC;
    for (int i = 0; i < 4; ++i) f->is_wall[i] = d->boundary[i].kind == BOUNDARY_WALL;
    struct shallow *self = f->impl = memory_alloc(f->memory, 1, size);
    if (!self) return fail(err, TARN_NO_MEMORY, "", "no memory for the water");
    self->struct_size = size;
    self->kernels = KERNELS_SELECT(shallow_kernels);
    if (!alloc_fields(f, self))
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d columns", d->cells[0], d->cells[1]);
    const tarn_result r = init_bed_and_depth(f, def, err);
    if (r != TARN_OK) return r;
    f->rest_wave_speed = sqrt(f->gravity * fmax(0.0, f->rest_level - f->bed_min));
    depth_fill_ghosts(f, f->bed, CELL_CENTRE);
    f->derived_stale = true;
    return TARN_OK;
}

static tarn_result shallow_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    const tarn_result r = shallow_check_params(f, err);
    return r == TARN_OK ? depth_create(f, def, sizeof(struct shallow), err) : r;
}

void depth_destroy(struct fluid *f)
{
    struct shallow *self = f->impl;
    if (!self) return;
    for (int i = 0; i < SHALLOW_BUFFERS; ++i) grid_free_field(&f->grid, f->memory, self->buffers[i], i + 6);
    memory_free(f->memory, self->unit_row, (size_t)f->grid.nx + 2, sizeof(float));
    memory_free(f->memory, self->row_max_signal, (size_t)f->grid.nz + 1, sizeof(float));
    memory_free(f->memory, self->row_overdrawn, (size_t)f->grid.nz + 2, 1);
    memory_free(f->memory, self->row_loaded, (size_t)f->grid.nz + 1, 1);
    memory_free(f->memory, self, 1, self->struct_size);
    f->impl = NULL;
    f->bed = NULL;
}

// ---- what others ask for --------------------------------------------------------------------------

void depth_read_surface(const struct fluid *f, int j, int i0, int i1, float *out)
{
    const struct shallow *self = f->impl;
    const size_t c = grid_at(&f->grid, i0, j);
    for (int i = 0; i < i1 - i0; ++i) out[i] = f->bed[c + (size_t)i] + self->h[c + (size_t)i];
    if (!f->load_head) return;
    for (int i = 0; i < i1 - i0; ++i) out[i] += f->load_head[c + (size_t)i];
}

void depth_read_velocity(const struct fluid *f, int j, int i0, int i1, float *u, float *v)
{
    const struct shallow *self = f->impl;
    const size_t n = f->grid.stride, c0 = grid_at(&f->grid, i0, j);
    for (int i = 0; i < i1 - i0; ++i) {
        const size_t c = c0 + (size_t)i;
        const float wet = self->h[c] > (float)f->dry_depth ? 0.5f : 0.0f;
        u[i] = wet * (self->u[c] + self->u[c + 1]);
        v[i] = wet * (self->v[c] + self->v[c + n]);
    }
}

bool depth_is_wet(const struct fluid *f, int i, int j)
{
    return ((const struct shallow *)f->impl)->h[grid_at(&f->grid, i, j)] > (float)f->dry_depth;
}

float depth_round(const struct fluid *f, double depth) { return depth_quantise(f->impl, depth); }

// The state before the last step is where the next one will be written.
float shallow_read_depth(const struct fluid *f, int i, int j, float *mean)
{
    const struct shallow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j);
    *mean = 0.5f * (s->h[c] + s->h_next[c]);
    return s->h[c];
}

float depth_add_face_velocity(struct fluid *f, int i, int j, int axis, float speed, float most)
{
    struct shallow *s = f->impl;
    float *u = axis ? s->v : s->u, *face = &u[grid_at(&f->grid, i, j)];
    const float before = *face, after = before + speed;
    // What is faster already may only become slower.
    *face = speed > 0.0f ? fminf(after, fmaxf(most, before)) : fmaxf(after, fminf(-most, before));
    // Periodic sides: the first face and the last are one.
    if (axis == 0 && i == 0) u[grid_at(&f->grid, f->grid.nx, j)] = *face;
    if (axis == 1 && j == 0) u[grid_at(&f->grid, i, f->grid.nz)] = *face;
    f->derived_stale = true;
    return *face - before;
}

void depth_read_surface_rate(const struct fluid *f, int j, int i0, int i1, double *out)
{
    const struct shallow *s = f->impl;
    ASSERT(!f->derived_stale);
    const size_t n = f->grid.stride, first = grid_at(&f->grid, i0, j), end = first + (size_t)(i1 - i0);
#define UPWIND_FLUX(u, a, b) ((double)u * (double)(u > 0.0f ? s->h[a] : s->h[b]))
    for (size_t c = first; c < end; ++c)
        out[c - first] = ((UPWIND_FLUX(s->u[c], c - 1, c) - UPWIND_FLUX(s->u[c + 1], c, c + 1)) +
                          (UPWIND_FLUX(s->v[c], c - n, c) - UPWIND_FLUX(s->v[c + n], c, c + n))) /
                         f->grid.dx;
#undef UPWIND_FLUX
}

// Make the quantum fit for water of this depth. What is there is rounded anew, surfaces first, so that level water stays
// level; gives back what that adds to it.
static double coarsen_quantum(struct fluid *f, double depth)
{
    struct shallow *self = f->impl;
    const float old = self->quantum;
    double sum = 0.0;
    while (2.0 * depth > DEPTH_QUANTA * (double)self->quantum) self->quantum *= 2.0f;
    if (self->quantum == old) return 0.0;
    f->dry_depth = DRY_QUANTA * (double)self->quantum;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const size_t c = grid_at(&f->grid, i, j);
            const double before = self->h[c], surface = (double)f->bed[c] + before;
            f->bed[c] = depth_quantise(self, f->bed[c]);
            const double after = (double)depth_quantise(self, surface) - (double)f->bed[c];
            self->h[c] = before > 0.0 && after > 0.0 ? (float)after : 0.0f;
            sum += (double)self->h[c] - before;
        }
    depth_fill_ghosts(f, f->bed, CELL_CENTRE);
    f->derived_stale = true;
    return sum;
}

void depth_coarsen_quantum(struct fluid *f)
{
    const struct shallow *self = f->impl;
    float deepest = 0.0f;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) deepest = fmaxf(deepest, self->h[grid_at(&f->grid, i, j)]);
    if ((double)deepest > DEPTH_QUANTA * (double)self->quantum)
        f->emitted_depth += coarsen_quantum(f, deepest);
}

// A head P for a moment: v -= g grad(P), if there is water. Side faces are left to what the sides say.
static void apply_head_impulse(struct fluid *f, int i, int j, float head)
{
    struct shallow *s = f->impl;
    const float kick = (float)(f->gravity / f->grid.dx) * head;
    const int nx = f->grid.nx, nz = f->grid.nz;
    const size_t c = grid_at(&f->grid, i, j), n = f->grid.stride;
    if (s->h[c] <= (float)f->dry_depth) return;
    if (i > 0) s->u[c] -= kick;
    if (i + 1 < nx) s->u[c + 1] += kick;
    if (j > 0) s->v[c] -= kick;
    if (j + 1 < nz) s->v[c + n] += kick;
    // Periodic sides: the first face and the last are one.
    const float x = (i == 0 ? -kick : 0.0f) + (i + 1 == nx ? kick : 0.0f);
    const float z = (j == 0 ? -kick : 0.0f) + (j + 1 == nz ? kick : 0.0f);
    if (f->periodic_x && x != 0.0f) s->u[grid_at(&f->grid, 0, j)] += x, s->u[grid_at(&f->grid, nx, j)] += x;
    if (f->periodic_z && z != 0.0f) s->v[grid_at(&f->grid, i, 0)] += z, s->v[grid_at(&f->grid, i, nz)] += z;
}

double depth_add_water(struct fluid *f, int j, int i0, int i1, const float *depth, const float *push)
{
    struct shallow *self = f->impl;
    const size_t c0 = grid_at(&f->grid, i0, j);
    double sum = 0.0;
    for (int i = 0; i < i1 - i0; ++i) {
        const size_t c = c0 + (size_t)i;
        if (depth) {
            sum += coarsen_quantum(f, (double)self->h[c] + (double)depth[i]);
            const float before = self->h[c], more = depth_quantise(self, depth[i]);
            self->h[c] = before + more > 0.0f ? before + more : 0.0f; // no more can be taken than there is
            sum += (double)self->h[c] - (double)before;
        }
        if (push && push[i] != 0.0f) apply_head_impulse(f, i0 + i, j, push[i]);
    }
    f->derived_stale = true;
    return sum;
}

// Depths stay, so volume is what it was, to the last bit. The ground stays within what the quantum of these depths can
// count: no deeper than water up to the level may be, no higher than twice that.
bool depth_raise_bed(struct fluid *f, int j, int i0, int i1, const float *height)
{
    struct shallow *self = f->impl;
    const double deepest = -DEPTH_QUANTA * (double)self->quantum, highest = -2.0 * deepest;
    bool any = false;
    for (int i = i0; i < i1; ++i) {
        float *bed = &f->bed[grid_at(&f->grid, i, j)];
        const double wish = clamp((double)*bed + (double)height[i - i0], fmin(deepest, (double)*bed),
                                  fmax(highest, (double)*bed));
        const float now = depth_quantise(self, wish);
        any = any || now != *bed;
        *bed = now;
        f->bed_min = fmin(f->bed_min, f->rest_level + (double)now);
    }
    if (!any) return false;
    f->rest_wave_speed = sqrt(f->gravity * fmax(0.0, f->rest_level - f->bed_min));
    const int rim = GRID_GHOSTS; // ghosts follow from cells that are no farther in
    if (j < rim || j >= f->grid.nz - rim || i0 < rim || i1 > f->grid.nx - rim)
        depth_fill_ghosts(f, f->bed, CELL_CENTRE);
    f->derived_stale = true;
    return true;
}

void depth_set_columns(struct fluid *f, const tarn_column *columns)
{
    struct shallow *self = f->impl;
    const struct grid *g = &f->grid;
    const size_t n = g->stride;
    double deepest = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const double height = columns[(size_t)j * (size_t)g->nx + (size_t)i].height;
            deepest = fmax(deepest, height - f->rest_level - (double)f->bed[grid_at(g, i, j)]);
        }
    coarsen_quantum(f, deepest);
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const tarn_column *column = &columns[(size_t)j * (size_t)g->nx + (size_t)i];
            const size_t c = grid_at(g, i, j);
            const double depth = column->height - f->rest_level - (double)f->bed[c];
            self->h[c] = depth > 0.0 ? depth_quantise(self, depth) : 0.0f;
            self->u_next[c] = (float)column->u, self->v_next[c] = (float)column->w; // middles for now
        }
    depth_fill_ghosts(f, self->u_next, CELL_CENTRE);
    depth_fill_ghosts(f, self->v_next, CELL_CENTRE);
    for (int j = 0; j <= g->nz; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            self->u[c] = 0.5f * (self->u_next[c - 1] + self->u_next[c]);
            self->v[c] = 0.5f * (self->v_next[c - n] + self->v_next[c]);
        }
    depth_update_derived(f); // walls stop what runs into them
}

// Potential energy above still water at rest level, which reaches down to the bed or is not there at all.
void depth_compute_totals(const struct fluid *f, struct fluid_totals *out)
{
    const struct shallow *self = f->impl;
    const struct grid *g = &f->grid;
    const size_t n = g->stride;
    const float lip = (float)g->dx;
    ASSERT(!f->derived_stale);
    double potential = 0.0, kinetic = 0.0, px = 0.0, pz = 0.0;
    for (int j = 0; j <= g->nz; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const double bed = f->bed[c], eta = bed + (double)self->h[c], below = fmin(bed, 0.0);
            const double u = self->u[c], v = self->v[c];
            // A face at a side has half a cell's water of its own; a periodic one is counted once.
            const double x = j == g->nz             ? 0.0
                             : i == 0 || i == g->nx ? (f->periodic_x ? i == 0 : 0.5)
                                                    : 1.0,
                         z = i == g->nx             ? 0.0
                             : j == 0 || j == g->nz ? (f->periodic_z ? j == 0 : 0.5)
                                                    : 1.0;
            if (i < g->nx && j < g->nz) potential += eta * eta - bed * bed + below * below;
            kinetic += x * (double)face_flow_depth(f->bed, self->h, c - 1, c, lip) * u * u +
                       z * (double)face_flow_depth(f->bed, self->h, c - n, c, lip) * v * v;
            px += x * 0.5 * ((double)self->h[c - 1] + (double)self->h[c]) * u;
            pz += z * 0.5 * ((double)self->h[c - n] + (double)self->h[c]) * v;
        }
    const double mass = f->density * g->dx * g->dx;
    out->depth_sum = sum_field(f->parallel, g, self->h);
    out->energy = 0.5 * mass * (f->gravity * potential + kinetic);
    out->momentum = v3(mass * px, 0.0, mass * pz);
}

// ---- saving ---------------------------------------------------------------------------------------

void depth_save(struct saver *s, const struct fluid *f)
{
    const struct shallow *self = f->impl;
    const size_t nx = (size_t)f->grid.nx;
    const double facts[] = {f->rest_level, f->bed_min, self->quantum};
    save_f64s(s, facts, 3);
    for (int j = 0; j < f->grid.nz; ++j) save_f32s(s, f->bed + grid_at(&f->grid, 0, j), nx);
    for (int j = 0; j < f->grid.nz; ++j) save_f32s(s, self->h + grid_at(&f->grid, 0, j), nx);
    for (int j = 0; j < f->grid.nz; ++j) save_f32s(s, self->u + grid_at(&f->grid, 0, j), nx + 1);
    for (int j = 0; j <= f->grid.nz; ++j) save_f32s(s, self->v + grid_at(&f->grid, 0, j), nx);
}

bool depth_load_rows(struct loader *l, const struct grid *g, float *q, int nx, int nz)
{
    bool good = true;
    for (int j = 0; j < nz; ++j) {
        float *row = q + grid_at(g, 0, j);
        load_f32s(l, row, (size_t)nx);
        for (int i = 0; i < nx; ++i) good = good && fabsf(row[i]) < 1e7f;
    }
    return good;
}

bool depth_load(struct loader *l, struct fluid *f)
{
    struct shallow *self = f->impl;
    const int nx = f->grid.nx, nz = f->grid.nz;
    double facts[3];
    load_f64s(l, facts, 3);
    if (!(fabs(facts[0]) < 1e7 && fabs(facts[1]) < 1e7 && facts[2] > 1e-12 && facts[2] < 1.0)) return false;
    f->rest_level = facts[0], f->bed_min = facts[1], self->quantum = (float)facts[2];
    f->dry_depth = DRY_QUANTA * (double)self->quantum;
    f->rest_wave_speed = sqrt(f->gravity * fmax(0.0, f->rest_level - f->bed_min));
    bool good = depth_load_rows(l, &f->grid, f->bed, nx, nz) &&
                depth_load_rows(l, &f->grid, self->h, nx, nz) &&
                depth_load_rows(l, &f->grid, self->u, nx + 1, nz) &&
                depth_load_rows(l, &f->grid, self->v, nx, nz + 1);
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i) good = good && self->h[grid_at(&f->grid, i, j)] >= 0.0f;
    depth_fill_ghosts(f, f->bed, CELL_CENTRE);
    f->derived_stale = true;
    return good;
}

// What is traced back does not know where it goes to.
static bool advects_depth(const struct fluid *f)
{
    return shallow_def_of(f)->advection == SHALLOW_CONSERVATIVE;
}

static const struct height_field_momentum shallow_momentum = {
    .read_depth = shallow_read_depth,
    .add_face_velocity = depth_add_face_velocity,
};

static const struct height_field_edit shallow_edit = {
    .raise_bed = depth_raise_bed,
    .set_columns = depth_set_columns,
};

static const struct height_field_model shallow_height_field = {
    .supports_bed = true,
    .can_fall_dry = true,
    .can_advect_depth = true,
    .advects_depth = advects_depth,
    .is_wet = depth_is_wet,
    .round_depth = depth_round,
    .read_surface = depth_read_surface,
    .read_velocity = depth_read_velocity,
    .read_surface_rate = depth_read_surface_rate,
    .add_water = depth_add_water,
    .momentum = &shallow_momentum,
    .edit = &shallow_edit,
};

const struct fluid_model fluid_shallow = {
    .kind = {.room = "fluid",
             .name = "shallow",
             .help = "shallow water over any ground, wet and dry",
             PARAMS(params)},
    .height_field = &shallow_height_field,
    .adaptive_substep = true,
    .check = shallow_check_params,
    .create = shallow_create,
    .destroy = depth_destroy,
    .substep_dt = shallow_substep_dt,
    .advance = shallow_advance,
    .update_derived = depth_update_derived,
    .is_valid = depth_is_valid,
    .compute_totals = depth_compute_totals,
    .save = depth_save,
    .load = depth_load,
};
