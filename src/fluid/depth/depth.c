// State of the depth-averaged models (`shallow`, `implicit`): creation, queries, totals and checkpoint.
// depth_edit.c has the edits, depth_quantum.c the quantum of depth, depth_boundary.c the ghost cells.
#include "depth.h"

#include "base/error.h"
#include "base/parallel/sum.h"
#include "fluid/bed.h"

// ---- creation ----

const char *const depth_boundary_keys[4] = {"boundary.west", "boundary.east", "boundary.south",
                                            "boundary.north"};

tarn_result depth_check(const struct fluid *f, tarn_error *err)
{
    const tarn_shallow_def *d = shallow_def_of(f);
    tarn_result r = fluid_check_square_cells(d->size, d->cells, err);
    if (r == TARN_OK && !isnan(d->depth) && !isnan(d->level))
        return fail(err, TARN_BAD_INPUT, "level", "depth and level both give the rest level; remove one");
    for (int i = 0; i < 4 && r == TARN_OK; ++i)
        if (depth_boundary_type(f, i) == TARN_BOUNDARY_PERIODIC &&
            depth_boundary_type(f, i ^ 1) != TARN_BOUNDARY_PERIODIC)
            return fail(err, TARN_BAD_INPUT, depth_boundary_keys[i],
                        "a periodic side needs a periodic opposite side");
    return r;
}

static bool alloc_fields(struct fluid *f, struct depth_state *self)
{
    const size_t nz = (size_t)f->grid.nz;
    bool ok = true;
    for (int i = 0; i < DEPTH_BUFFERS; ++i)
        ok = (self->buffers[i] = grid_alloc_field(&f->grid, f->memory, i + 6)) && ok;
    self->row_max_signal = memory_alloc(f->memory, nz + 1, sizeof(float));
    self->row_overdrawn = memory_alloc(f->memory, nz + 2, 1);
    float **const fields[DEPTH_BUFFERS] = {
        &self->h,          &self->u,          &self->v,          &self->h_next, &self->u_next, &self->v_next,
        &self->scratch[0], &self->scratch[1], &self->scratch[2], &self->flux_x, &self->flux_z, &f->bed};
    for (int i = 0; i < DEPTH_BUFFERS; ++i) *fields[i] = self->buffers[i];
    return ok && self->row_max_signal && self->row_overdrawn;
}

static double bed_at(const struct fluid *f, const tarn_world_def *def, int i, int j)
{
    const tarn_shallow_def *d = shallow_def_of(f);
    const struct bed_point at = {grid_cell_x(&f->grid, i), grid_cell_z(&f->grid, j), d->size.x, d->size.y};
    return bed_height(def, &at);
}

struct bed_range {
    double lowest, highest; // [m]
};

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

static tarn_result init_bed_and_depth(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    const tarn_shallow_def *d = shallow_def_of(f);
    struct depth_state *self = f->impl;
    const struct bed_range r = find_bed_range(f, def);
    f->bed_min = r.lowest;
    f->rest_level = !isnan(d->level) ? d->level : r.lowest + (isnan(d->depth) ? 1.0 : d->depth);
    if (!(fabs(r.lowest) < 1e6 && fabs(r.highest) < 1e6))
        return fail(err, TARN_BAD_INPUT, "bed", "bed heights from %.3g to %.3g m are out of range", r.lowest,
                    r.highest);
    depth_set_quantum(f, depth_choose_quantum(f, r.highest));
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
    const tarn_shallow_def *d = shallow_def_of(f);
    if (!grid_init(&f->grid, d->cells[0], d->cells[1], d->size.x / d->cells[0]))
        return fail(err, TARN_BAD_INPUT, "cells", "too many columns: %d x %d", d->cells[0], d->cells[1]);
    f->periodic_x = depth_boundary_type(f, 0) == TARN_BOUNDARY_PERIODIC;
    f->periodic_z = depth_boundary_type(f, 2) == TARN_BOUNDARY_PERIODIC;
    for (int i = 0; i < 4; ++i) f->is_wall[i] = depth_boundary_type(f, i) == TARN_BOUNDARY_WALL;
    struct depth_state *self = f->impl = memory_alloc(f->memory, 1, size);
    if (!self) return fail(err, TARN_NO_MEMORY, "", "no memory for the water");
    self->struct_size = size;
    self->kernels = KERNELS_SELECT(depth_kernels);
    if (!alloc_fields(f, self))
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d columns", d->cells[0], d->cells[1]);
    const tarn_result r = init_bed_and_depth(f, def, err);
    if (r != TARN_OK) return r;
    f->rest_wave_speed = sqrt(f->gravity * fmax(0.0, f->rest_level - f->bed_min));
    depth_fill_ghosts(f, f->bed, CELL_CENTRE);
    f->derived_stale = true;
    return TARN_OK;
}

void depth_destroy(struct fluid *f)
{
    struct depth_state *self = f->impl;
    if (!self) return;
    for (int i = 0; i < DEPTH_BUFFERS; ++i) grid_free_field(&f->grid, f->memory, self->buffers[i], i + 6);
    memory_free(f->memory, self->row_max_signal, (size_t)f->grid.nz + 1, sizeof(float));
    memory_free(f->memory, self->row_overdrawn, (size_t)f->grid.nz + 2, 1);
    memory_free(f->memory, self, 1, self->struct_size);
    f->impl = NULL;
    f->bed = NULL;
}

// ---- queries ----

void depth_read_surface(const struct fluid *f, int j, int i0, int i1, float *out)
{
    const struct depth_state *self = f->impl;
    const size_t c = grid_at(&f->grid, i0, j);
    for (int i = 0; i < i1 - i0; ++i) out[i] = f->bed[c + (size_t)i] + self->h[c + (size_t)i];
    if (!f->load_head) return;
    for (int i = 0; i < i1 - i0; ++i) out[i] += f->load_head[c + (size_t)i];
}

void depth_read_velocity(const struct fluid *f, int j, int i0, int i1, float *u, float *v)
{
    const struct depth_state *self = f->impl;
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
    return ((const struct depth_state *)f->impl)->h[grid_at(&f->grid, i, j)] > (float)f->dry_depth;
}

void depth_read_surface_rate(const struct fluid *f, int j, int i0, int i1, double *out)
{
    const struct depth_state *s = f->impl;
    ASSERT(!f->derived_stale);
    const size_t n = f->grid.stride, first = grid_at(&f->grid, i0, j), end = first + (size_t)(i1 - i0);
#define UPWIND_FLUX(u, a, b) ((double)u * (double)(u > 0.0f ? s->h[a] : s->h[b]))
    for (size_t c = first; c < end; ++c)
        out[c - first] = ((UPWIND_FLUX(s->u[c], c - 1, c) - UPWIND_FLUX(s->u[c + 1], c, c + 1)) +
                          (UPWIND_FLUX(s->v[c], c - n, c) - UPWIND_FLUX(s->v[c + n], c, c + n))) /
                         f->grid.dx;
#undef UPWIND_FLUX
}

struct stored_field depth_stored_field(const struct fluid *f, tarn_field field)
{
    const struct depth_state *self = f->impl;
    const float *const values = field == TARN_FIELD_DEPTH             ? self->h
                                : field == TARN_FIELD_FACE_VELOCITY_X ? self->u
                                : field == TARN_FIELD_FACE_VELOCITY_Z ? self->v
                                                                      : NULL;
    return (struct stored_field){values ? values + grid_at(&f->grid, 0, 0) : NULL, 1.0, 0.0};
}

// The potential energy is that above still water at the rest level; where the bed is higher there is none.
void depth_compute_totals(const struct fluid *f, struct fluid_totals *out)
{
    const struct depth_state *self = f->impl;
    const struct grid *g = &f->grid;
    const size_t n = g->stride;
    const float max_bed_step = (float)g->dx;
    ASSERT(!f->derived_stale);
    double potential = 0.0, kinetic = 0.0, px = 0.0, pz = 0.0;
    for (int j = 0; j <= g->nz; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const double bed = f->bed[c], eta = bed + (double)self->h[c], below = fmin(bed, 0.0);
            const double u = self->u[c], v = self->v[c];
            // A face at a boundary has half a control volume; a periodic one counts once.
            const double x = j == g->nz             ? 0.0
                             : i == 0 || i == g->nx ? (f->periodic_x ? i == 0 : 0.5)
                                                    : 1.0,
                         z = i == g->nx             ? 0.0
                             : j == 0 || j == g->nz ? (f->periodic_z ? j == 0 : 0.5)
                                                    : 1.0;
            if (i < g->nx && j < g->nz) potential += eta * eta - bed * bed + below * below;
            kinetic += x * (double)face_flow_depth(f->bed, self->h, c - 1, c, max_bed_step) * u * u +
                       z * (double)face_flow_depth(f->bed, self->h, c - n, c, max_bed_step) * v * v;
            px += x * 0.5 * ((double)self->h[c - 1] + (double)self->h[c]) * u;
            pz += z * 0.5 * ((double)self->h[c - n] + (double)self->h[c]) * v;
        }
    const double mass = f->density * g->dx * g->dx;
    out->depth_sum = sum_field(f->parallel, g, self->h);
    out->energy = 0.5 * mass * (f->gravity * potential + kinetic);
    out->momentum = v3(mass * px, 0.0, mass * pz);
}

// ---- derived data ----

struct max_signal_job {
    const struct fluid *f;
    float *row;
};

static void max_signal_pass(void *ctx, int j0, int j1)
{
    const struct max_signal_job *job = ctx;
    const struct depth_state *self = job->f->impl;
    for (int j = j0; j < j1; ++j)
        job->row[j] = self->kernels->max_signal(&job->f->grid, (float)job->f->gravity, self->h, self->u,
                                                self->v, j, j + 1);
}

void depth_update_max_signal(struct fluid *f)
{
    struct depth_state *self = f->impl;
    struct max_signal_job job = {f, self->row_max_signal};
    float fastest = 0.0f;
    parallel_for_rows(f->parallel, f->grid.nz, grid_block_rows(&f->grid), max_signal_pass, &job);
    for (int j = 0; j < f->grid.nz; ++j)
        if (!(self->row_max_signal[j] <= fastest))
            fastest = self->row_max_signal[j] < INFINITY ? self->row_max_signal[j] : INFINITY;
    f->max_signal_speed = fastest;
}

void depth_update_derived(struct fluid *f)
{
    struct depth_state *self = f->impl;
    depth_fill_ghosts(f, self->h, CELL_CENTRE);
    depth_fill_ghosts(f, self->u, WEST_FACE);
    depth_fill_ghosts(f, self->v, SOUTH_FACE);
    depth_update_max_signal(f);
    f->derived_stale = false;
}

void depth_begin_substep(struct fluid *f, double dt)
{
    const tarn_shallow_def *d = shallow_def_of(f);
    const double shake = m_sin_turns((f->time + 0.5 * dt) / d->shake.period);
    f->external_acceleration[0] = d->acceleration.x + shake * d->shake.amplitude.x;
    f->external_acceleration[1] = d->acceleration.y + shake * d->shake.amplitude.y;
    fluid_update_derived(f);
    if (depth_is_valid(f) && f->max_signal_speed * f->max_signal_speed >
                                 f->gravity * DEPTH_QUANTA * (double)((struct depth_state *)f->impl)->quantum)
        depth_coarsen_quantum(f);
    fluid_update_derived(f);
}

void depth_for_face_rows(const struct fluid *f, row_range_fn fn, void *ctx)
{
    const int rows = f->grid.nz + 1, block = grid_block_rows(&f->grid);
    parallel_for_rows(f->parallel, rows, block < f->grid.nz ? block : rows, fn, ctx);
}

// A signal that crosses more than 1e5 cells in a world step means divergence.
bool depth_is_valid(const struct fluid *f)
{
    ASSERT(!f->derived_stale); // max_signal_speed
    return f->max_signal_speed * f->world_dt / f->grid.dx < 1e5;
}

// ---- checkpoint ----

void depth_save(struct saver *s, const struct fluid *f)
{
    const struct depth_state *self = f->impl;
    const size_t nx = (size_t)f->grid.nx;
    const double values[] = {f->rest_level, f->bed_min, self->quantum};
    save_f64s(s, values, 3);
    for (int j = 0; j < f->grid.nz; ++j) save_f32s(s, f->bed + grid_at(&f->grid, 0, j), nx);
    for (int j = 0; j < f->grid.nz; ++j) save_f32s(s, self->h + grid_at(&f->grid, 0, j), nx);
    for (int j = 0; j < f->grid.nz; ++j) save_f32s(s, self->u + grid_at(&f->grid, 0, j), nx + 1);
    for (int j = 0; j <= f->grid.nz; ++j) save_f32s(s, self->v + grid_at(&f->grid, 0, j), nx);
}

bool depth_load_rows(struct loader *l, const struct grid *g, float *q, int nx, int nz)
{
    int ok = 1; // without branches the loops over rows are vectorised
    for (int j = 0; j < nz; ++j) {
        float *row = q + grid_at(g, 0, j);
        load_f32s(l, row, (size_t)nx);
        for (int i = 0; i < nx; ++i) ok &= fabsf(row[i]) < 1e7f;
    }
    return ok != 0;
}

bool depth_load(struct loader *l, struct fluid *f)
{
    struct depth_state *self = f->impl;
    const int nx = f->grid.nx, nz = f->grid.nz;
    double values[3];
    load_f64s(l, values, 3);
    if (!(fabs(values[0]) < 1e7 && fabs(values[1]) < 1e7 && values[2] > 1e-12 && values[2] < 1.0))
        return false;
    f->rest_level = values[0], f->bed_min = values[1];
    depth_set_quantum(f, (float)values[2]);
    f->rest_wave_speed = sqrt(f->gravity * fmax(0.0, f->rest_level - f->bed_min));
    bool ok = depth_load_rows(l, &f->grid, f->bed, nx, nz) && depth_load_rows(l, &f->grid, self->h, nx, nz) &&
              depth_load_rows(l, &f->grid, self->u, nx + 1, nz) &&
              depth_load_rows(l, &f->grid, self->v, nx, nz + 1);
    int positive = 1;
    for (int j = 0; j < nz; ++j) {
        const float *row = self->h + grid_at(&f->grid, 0, j);
        for (int i = 0; i < nx; ++i) positive &= row[i] >= 0.0f;
    }
    ok = ok && positive;
    depth_fill_ghosts(f, f->bed, CELL_CENTRE);
    f->derived_stale = true;
    return ok;
}
