// No water: a dry tank with a level floor at y = 0, or a floor without end.
//
// There is no state. The grid is the coarsest one of square columns over the floor, for those who ask for a grid.
#include "base/error.h"
#include "base/math.h"
#include "fluid.h"

#include <string.h>

enum { MOST_CELLS = 1000 }; // along a side

struct none_def {
    double size[2];
    int walls;
};

static const tarn_param params[] = {
    PARAM_VEC2(struct none_def, size, "size", 4, 4, 0.01, 1e6, "m", "length along x and z"),
    PARAM_FLAG(struct none_def, walls, "walls", 1, "around the floor; without them it has no end"),
};

// How many square columns the sides divide into, at least 2 x 2. False: the sides have no common measure.
static bool divide(const double size[2], int cells[2])
{
    const double longer = fmax(size[0], size[1]), shorter = fmin(size[0], size[1]);
    const int along_x = size[0] >= size[1];
    for (int n = 2; n <= MOST_CELLS; ++n) {
        const double many = floor(longer * n / shorter + 0.5), s = shorter / n;
        if (many > MOST_CELLS) return false;
        if (fabs(many * s - longer) > 1e-6 * s) continue;
        cells[0] = along_x ? (int)many : n;
        cells[1] = along_x ? n : (int)many;
        return true;
    }
    return false;
}

static tarn_result check(const struct fluid *f, tarn_error *err)
{
    const struct none_def *d = (const struct none_def *)f->spec.data;
    int cells[2];
    if (divide(d->size, cells)) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "size",
                "%.6g x %.6g m have no common measure of a thousandth of the longer side or more; round them",
                d->size[0], d->size[1]);
}

static tarn_result create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    (void)def; // its floor is flat
    const struct none_def *d = (const struct none_def *)f->spec.data;
    int cells[2];
    const tarn_result r = check(f, err);
    if (r != TARN_OK || !divide(d->size, cells)) return r;
    grid_init(&f->g, cells[0], cells[1], d->size[0] / cells[0]);
    f->endless = !d->walls;
    for (int i = 0; i < 4; ++i) f->wall[i] = d->walls;
    return TARN_OK;
}

static void destroy(struct fluid *f) { (void)f; }

static double inner(const struct fluid *f, double left)
{
    (void)f;
    return left;
}

static void step(struct fluid *f, double dt, int count) { (void)f, (void)dt, (void)count; }

static bool sound(const struct fluid *f)
{
    (void)f;
    return true;
}

static void surface(const struct fluid *f, int j, int i0, int i1, float *out)
{
    (void)f, (void)j;
    memset(out, 0, (size_t)(i1 - i0) * sizeof *out);
}

static void speed(const struct fluid *f, int j, int i0, int i1, float *u, float *v)
{
    surface(f, j, i0, i1, u);
    surface(f, j, i0, i1, v);
}

static void rising(const struct fluid *f, int j, int i0, int i1, double *out)
{
    (void)f, (void)j;
    for (int i = i0; i < i1; ++i) out[i - i0] = 0.0;
}

// Nothing stays.
static double add(struct fluid *f, int j, int i0, int i1, const float *depth, const float *push)
{
    (void)f, (void)j, (void)i0, (void)i1, (void)depth, (void)push;
    return 0.0;
}

static void totals(const struct fluid *f, struct fluid_totals *out)
{
    (void)f;
    *out = (struct fluid_totals){0};
}

static void save(struct saver *s, const struct fluid *f) { (void)s, (void)f; }

static bool load(struct loader *l, struct fluid *f)
{
    (void)l, (void)f;
    return true;
}

const struct fluid_kind fluid_none = {
    .kind = {.room = "fluid", .name = "none", .help = "no water: a dry tank", PARAMS(params)},
    .empty = true,
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
