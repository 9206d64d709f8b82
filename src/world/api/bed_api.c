// Public functions for the ground at run time: heights at points, and changes of a rectangle of cells.
#include "base/error.h"
#include "base/math/math.h"
#include "base/parallel/fpmode.h"
#include "world/api/field_rect.h"

tarn_result tarn_bed_get_heights(const tarn_world *w, int count, const double *x, const double *z,
                                 double *out)
{
    if (!w || !w->fluid.model->height_field || count < 0 || (count > 0 && (!x || !z || !out)))
        return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    for (int i = 0; i < count; ++i) {
        double slope[2];
        out[i] = fluid_contains(&w->fluid, x[i], z[i])
                     ? w->fluid.rest_level + fluid_bed_at(&w->fluid, x[i], z[i], slope)
                     : NAN;
    }
    fpmode_leave(host);
    return TARN_OK;
}

struct bed_change {
    struct fluid *f;
    struct field_rect in;
    uint32_t mode;
    const void *heights;
};

// [m above rest_level] New height of the bed of cell (i, j) of the rectangle.
static double new_height(const struct bed_change *e, int i, int j)
{
    const double height = field_rect_get(&e->in, e->heights, i, j);
    if (!(e->mode & TARN_BED_ADD)) return height - e->f->rest_level;
    return height + (double)e->f->bed[grid_at(&e->f->grid, e->in.cells.i0 + i, e->in.cells.j0 + j)];
}

// [m] Depth of the cell with the bed at `height`, if the surface stays; 0 if the depth does.
static double new_depth(const struct bed_change *e, int i, int j, double height)
{
    const int column = e->in.cells.i0 + i, row = e->in.cells.j0 + j;
    if (!(e->mode & TARN_BED_KEEP_SURFACE)) return 0.0;
    const double depth = fluid_depth(e->f, column, row);
    return depth + (double)e->f->bed[grid_at(&e->f->grid, column, row)] - height;
}

struct bed_limits {
    double lowest, highest, deepest; // [m]
};

static tarn_result check_heights(const struct bed_change *e, struct bed_limits *limits, tarn_error *err)
{
    *limits = (struct bed_limits){0};
    for (int j = 0; j < e->in.cells.nj; ++j)
        for (int i = 0; i < e->in.cells.ni; ++i) {
            const double height = new_height(e, i, j);
            if (!(fabs(height) < 1e6 && fabs(height + e->f->rest_level) < 1e6))
                return fail(err, TARN_BAD_INPUT, "heights",
                            "value (%d, %d) of the rectangle: ground at %.6g m is out of range", i, j,
                            height + e->f->rest_level);
            limits->lowest = fmin(limits->lowest, height), limits->highest = fmax(limits->highest, height);
            limits->deepest = fmax(limits->deepest, new_depth(e, i, j, height));
        }
    return TARN_OK;
}

static void change_cell(const struct bed_change *e, int i, int j)
{
    struct fluid *f = e->f;
    const int column = e->in.cells.i0 + i, row = e->in.cells.j0 + j;
    const double height = new_height(e, i, j);
    const double before = f->bed[grid_at(&f->grid, column, row)];
    const bool fills = (e->mode & TARN_BED_KEEP_SURFACE) && f->model->height_field->is_wet(f, column, row);
    f->model->height_field->edit->set_bed(f, column, row, height);
    const float depth = (float)(before - (double)f->bed[grid_at(&f->grid, column, row)]);
    if (fills)
        f->emitted_depth += f->model->height_field->add_water(f, row, column, column + 1, &depth, NULL);
}

static void change_bed(const struct bed_change *e, const struct bed_limits *limits)
{
    const struct height_field_edit *edit = e->f->model->height_field->edit;
    e->f->emitted_depth += edit->begin_bed(e->f, limits->lowest, limits->highest, limits->deepest);
    for (int j = 0; j < e->in.cells.nj; ++j)
        for (int i = 0; i < e->in.cells.ni; ++i) change_cell(e, i, j);
    edit->end_bed(e->f);
}

tarn_result tarn_bed_edit(tarn_world *w, const tarn_cell_rect *rect, uint32_t mode,
                          const tarn_array_layout *layout, const void *heights, tarn_error *err)
{
    if (!w || !heights) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    struct bed_change e = {.f = &w->fluid, .mode = mode, .heights = heights};
    if (!fluid_has_editable_columns(e.f))
        return fail(err, TARN_BAD_ARGUMENT, "", "the bed of the model '%s' cannot be changed",
                    e.f->model->kind.name);
    if (mode & ~(uint32_t)(TARN_BED_ADD | TARN_BED_KEEP_SURFACE))
        return fail(err, TARN_BAD_ARGUMENT, "mode", "%u has an unknown bit", (unsigned)mode);
    const tarn_cell_rect all = {.ni = e.f->grid.nx, .nj = e.f->grid.nz};
    tarn_result r = field_rect_check(&e.in, &all, rect, layout, err);
    if (r != TARN_OK) return r;
    const struct fpmode host = fpmode_enter();
    struct bed_limits limits;
    r = check_heights(&e, &limits, err);
    if (r == TARN_OK) {
        change_bed(&e, &limits);
        world_refresh_after_bed_change(w);
        world_end_edit(w);
    }
    fpmode_leave(host);
    return r;
}
