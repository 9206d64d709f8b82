// The model `none`: no fluid, a horizontal floor at y = 0 with walls or of unbounded extent.
//
// There is no state. The grid is the coarsest one of square cells that covers the floor; drawing and the
// queries by column use it.
#include "base/error.h"
#include "base/math/math.h"
#include "fluid.h"

#include <string.h>

enum { MAX_CELLS = 1000 }; // along one axis

static const tarn_param params[] = {
    PARAM_VEC2(tarn_dry_def, size, "size", 4, 4, 0.01, 1e6, "m", "length along x and z"),
    PARAM_FLAG(tarn_dry_def, walls, "walls", 1,
               "walls at the edges of the floor; without them it is unbounded"),
};

// The coarsest grid of at least 2 x 2 square cells that fits the domain. False: the lengths have no common
// divisor within MAX_CELLS cells.
static bool find_square_cells(tarn_vec2 size, int cells[2])
{
    const double longer = fmax(size.x, size.y), shorter = fmin(size.x, size.y);
    const int x_is_longer = size.x >= size.y;
    for (int n = 2; n <= MAX_CELLS; ++n) {
        const double longer_count = floor(longer * n / shorter + 0.5), dx = shorter / n;
        if (longer_count > MAX_CELLS) return false;
        if (fabs(longer_count * dx - longer) > 1e-6 * dx) continue;
        cells[0] = x_is_longer ? (int)longer_count : n;
        cells[1] = x_is_longer ? n : (int)longer_count;
        return true;
    }
    return false;
}

static tarn_result none_check(const struct fluid *f, tarn_error *err)
{
    const tarn_dry_def *d = &f->def.dry;
    int cells[2];
    if (find_square_cells(d->size, cells)) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "size",
                "%.6g x %.6g m cannot be divided into square cells, at most 1000 along the longer side; "
                "round the lengths",
                d->size.x, d->size.y);
}

static tarn_result none_create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    (void)def; // the floor has no bed
    const tarn_dry_def *d = &f->def.dry;
    int cells[2];
    const tarn_result r = none_check(f, err);
    if (r != TARN_OK || !find_square_cells(d->size, cells)) return r;
    grid_init(&f->grid, cells[0], cells[1], d->size.x / cells[0]);
    f->unbounded_floor = !d->walls;
    for (int i = 0; i < 4; ++i) f->is_wall[i] = d->walls;
    return TARN_OK;
}

static void none_destroy(struct fluid *f) { (void)f; }

static double none_substep_dt(const struct fluid *f, double time_left)
{
    (void)f;
    return time_left;
}

static void none_advance(struct fluid *f, double dt, int count) { (void)f, (void)dt, (void)count; }

static bool none_is_valid(const struct fluid *f)
{
    (void)f;
    return true;
}

static void none_read_surface(const struct fluid *f, int j, int i0, int i1, float *out)
{
    (void)f, (void)j;
    memset(out, 0, (size_t)(i1 - i0) * sizeof *out);
}

static void none_read_velocity(const struct fluid *f, int j, int i0, int i1, float *u, float *v)
{
    none_read_surface(f, j, i0, i1, u);
    none_read_surface(f, j, i0, i1, v);
}

static void none_read_surface_rate(const struct fluid *f, int j, int i0, int i1, double *out)
{
    (void)f, (void)j;
    for (int i = i0; i < i1; ++i) out[i - i0] = 0.0;
}

// Water added to a dry floor disappears: the depth added is 0.
static double none_add_water(struct fluid *f, int j, int i0, int i1, const float *depth,
                             const float *head_impulse)
{
    (void)f, (void)j, (void)i0, (void)i1, (void)depth, (void)head_impulse;
    return 0.0;
}

static void none_compute_totals(const struct fluid *f, struct fluid_totals *out)
{
    (void)f;
    *out = (struct fluid_totals){0};
}

static void none_save(struct saver *s, const struct fluid *f) { (void)s, (void)f; }

static bool none_load(struct loader *l, struct fluid *f)
{
    (void)l, (void)f;
    return true;
}

static const struct height_field_model none_height_field = {
    .advects_depth = height_field_never_advects,
    .is_wet = height_field_always_wet,
    .round_depth = height_field_exact_depth,
    .read_surface = none_read_surface,
    .read_velocity = none_read_velocity,
    .read_surface_rate = none_read_surface_rate,
    .add_water = none_add_water,
};

const struct fluid_model fluid_none = {
    .kind = {.category = "fluid",
             .name = "none",
             .help = "no fluid: a dry floor",
             .flags = TARN_MODEL_NO_FLUID,
             PARAMS(params)},
    .height_field = &none_height_field,
    .no_fluid = true,
    .check = none_check,
    .create = none_create,
    .destroy = none_destroy,
    .substep_dt = none_substep_dt,
    .advance = none_advance,
    .is_valid = none_is_valid,
    .compute_totals = none_compute_totals,
    .save = none_save,
    .load = none_load,
};
