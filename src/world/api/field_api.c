// Public functions for fields: views of the arrays of the fluid, copies, and changes in a rectangle of cells.
#include "world/api/field_rect.h"

#include "base/error.h"
#include "base/parallel/fpmode.h"

#include <string.h>

// ---- fields of a model -----------------------------------------------------------------------------

static struct stored_field stored_field(const struct fluid *f, tarn_field field)
{
    if (field == TARN_FIELD_BED && f->bed)
        return (struct stored_field){f->bed + grid_at(&f->grid, 0, 0), 1.0, f->rest_level};
    return f->model->stored_field ? f->model->stored_field(f, field) : (struct stored_field){0};
}

static bool has_field(const struct fluid *f, tarn_field field)
{
    if (field == TARN_FIELD_FACE_VELOCITY_X || field == TARN_FIELD_FACE_VELOCITY_Z)
        return f->model->set_face_velocity != NULL;
    if (field == TARN_FIELD_VELOCITY_X || field == TARN_FIELD_VELOCITY_Z) return !f->model->no_fluid;
    if (field == TARN_FIELD_BED) return f->model->height_field != NULL;
    if ((int)field < TARN_FIELD_BED) return f->model->height_field && !f->model->no_fluid;
    return f->model->planar && (int)field <= TARN_FIELD_OPEN;
}

static tarn_cell_rect field_extent(const struct fluid *f, tarn_field field)
{
    return (tarn_cell_rect){.ni = f->grid.nx + (field == TARN_FIELD_FACE_VELOCITY_X),
                            .nj = f->grid.nz + (field == TARN_FIELD_FACE_VELOCITY_Z)};
}

tarn_result tarn_world_get_field(const tarn_world *w, tarn_field field, tarn_field_view *out)
{
    if (out) *out = (tarn_field_view){0};
    if (!w || !out || (int)field < 0 || !has_field(&w->fluid, field)) return TARN_BAD_ARGUMENT;
    const struct fluid *f = &w->fluid;
    const struct stored_field stored = stored_field(f, field);
    const tarn_cell_rect all = field_extent(f, field);
    if (!stored.values) return TARN_BAD_ARGUMENT;
    *out = (tarn_field_view){.values = stored.values,
                             .count_x = all.ni,
                             .count_z = all.nj,
                             .stride_x = sizeof(float),
                             .stride_z = (ptrdiff_t)(f->grid.stride * sizeof(float)),
                             .scale = stored.scale,
                             .offset = stored.offset};
    return TARN_OK;
}

// ---- reading ---------------------------------------------------------------------------------------

static double stored_value(const struct fluid *f, tarn_field field, int i, int j)
{
    const struct stored_field s = stored_field(f, field);
    return s.offset + s.scale * (double)s.values[grid_at(&f->grid, i, j) - f->grid.origin];
}

static double surface_at(const struct fluid *f, int i, int j)
{
    float eta;
    f->model->height_field->read_surface(f, j, i, i + 1, &eta);
    return f->rest_level + (double)eta;
}

static double bed_at(const struct fluid *f, int i, int j)
{
    return f->bed ? f->rest_level + (double)f->bed[grid_at(&f->grid, i, j)] : 0.0;
}

static double read_height_field(const struct fluid *f, tarn_field field, int i, int j)
{
    float u, v;
    switch (field) {
    case TARN_FIELD_HEIGHT: return surface_at(f, i, j);
    case TARN_FIELD_DEPTH:
        return stored_field(f, field).values ? stored_value(f, field, i, j)
                                             : fmax(surface_at(f, i, j) - bed_at(f, i, j), 0.0);
    case TARN_FIELD_BED: return bed_at(f, i, j);
    default: break;
    }
    f->model->height_field->read_velocity(f, j, i, i + 1, &u, &v);
    return (double)(field == TARN_FIELD_VELOCITY_X ? u : v);
}

static double read_planar(const struct fluid *f, tarn_field field, int i, int j)
{
    const struct fluid_cell c = f->model->planar->read_cell(f, i, j);
    const float values[] = {[TARN_FIELD_VELOCITY_X] = c.u,
                            [TARN_FIELD_VELOCITY_Z] = c.v,
                            [TARN_FIELD_DYE] = c.dye,
                            [TARN_FIELD_TEMPERATURE] = c.temperature,
                            [TARN_FIELD_PRESSURE] = c.pressure,
                            [TARN_FIELD_VORTICITY] = c.vorticity,
                            [TARN_FIELD_OPEN] = c.volume_fraction};
    return (double)values[field];
}

static double read_value(const struct fluid *f, tarn_field field, int i, int j)
{
    if (field == TARN_FIELD_FACE_VELOCITY_X || field == TARN_FIELD_FACE_VELOCITY_Z)
        return stored_value(f, field, i, j);
    return f->model->planar ? read_planar(f, field, i, j) : read_height_field(f, field, i, j);
}

tarn_result tarn_world_read_field(const tarn_world *w, tarn_field field, const tarn_cell_rect *rect,
                                  const tarn_array_layout *layout, void *out)
{
    if (!w || !out || (int)field < 0 || !has_field(&w->fluid, field)) return TARN_BAD_ARGUMENT;
    struct field_rect in;
    const tarn_cell_rect all = field_extent(&w->fluid, field);
    if (!field_rect_init(&in, &all, rect, layout)) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    for (int j = 0; j < in.cells.nj; ++j)
        for (int i = 0; i < in.cells.ni; ++i)
            field_rect_put(&in, out, i, j, read_value(&w->fluid, field, in.cells.i0 + i, in.cells.j0 + j));
    fpmode_leave(host);
    return TARN_OK;
}

// ---- writing ---------------------------------------------------------------------------------------

// A field that is written.
struct field_edit {
    struct fluid *f;
    tarn_field field;
    struct field_rect in;
    const void *values;
};

// Water is added or taken until the cell has what is wanted. The second pass removes the rounding error of
// the first, whose change may be much larger than the value.
static void write_water(const struct field_edit *e, int i, int j, double wanted)
{
    struct fluid *f = e->f;
    if (e->field == TARN_FIELD_HEIGHT) wanted = fmax(wanted, bed_at(f, i, j));
    for (int pass = 0; pass < 2; ++pass) {
        const float change = (float)(wanted - read_value(f, e->field, i, j));
        if (change != 0.0f)
            f->emitted_depth += f->model->height_field->add_water(f, j, i, i + 1, &change, NULL);
    }
}

static void write_scalar(const struct field_edit *e, int i, int j, double wanted)
{
    for (int pass = 0; pass < 2; ++pass) {
        const double change = wanted - stored_value(e->f, e->field, i, j);
        const struct fluid_source in = {.dye = e->field == TARN_FIELD_DYE ? change : 0.0,
                                        .temperature = e->field == TARN_FIELD_DYE ? 0.0 : change};
        e->f->model->planar->add_source(e->f, i, j, &in);
    }
}

static void write_face(const struct field_edit *e, int i, int j, double wanted)
{
    e->f->model->set_face_velocity(e->f, e->field == TARN_FIELD_FACE_VELOCITY_Z, i, j, (float)wanted);
}

static void write_cells(const struct field_edit *e,
                        void (*write)(const struct field_edit *e, int i, int j, double wanted))
{
    for (int j = 0; j < e->in.cells.nj; ++j)
        for (int i = 0; i < e->in.cells.ni; ++i)
            write(e, e->in.cells.i0 + i, e->in.cells.j0 + j, field_rect_get(&e->in, e->values, i, j));
}

// One line of cells along an axis whose velocities at the centres are written.
struct velocity_line {
    const struct field_edit *e;
    int axis, first, count, across; // cells first .. first + count - 1 of row or column `across`
    int length;                     // [cells] of the domain
    bool periodic;
    double before, after; // [m/s] velocities of the cells on both sides
};

static double face_mean(const struct velocity_line *line, int k)
{
    const tarn_field faces = line->axis ? TARN_FIELD_FACE_VELOCITY_Z : TARN_FIELD_FACE_VELOCITY_X;
    const struct fluid *f = line->e->f;
    return line->axis
               ? 0.5 * (stored_value(f, faces, line->across, k) + stored_value(f, faces, line->across, k + 1))
               : 0.5 *
                     (stored_value(f, faces, k, line->across) + stored_value(f, faces, k + 1, line->across));
}

static double new_velocity(const struct velocity_line *line, int k)
{
    const struct field_rect *in = &line->e->in;
    return line->axis ? field_rect_get(in, line->e->values, line->across - in->cells.i0, k - in->cells.j0)
                      : field_rect_get(in, line->e->values, k - in->cells.i0, line->across - in->cells.j0);
}

// The velocity of the cell beside the written ones: the present one, the written one across a periodic
// boundary, at another boundary that of the outermost cell.
static double velocity_beside(const struct velocity_line *line, int k)
{
    if (line->periodic) k = (k + line->length) % line->length;
    if (k < 0 || k >= line->length) return new_velocity(line, k < 0 ? 0 : line->length - 1);
    return line->first <= k && k < line->first + line->count ? new_velocity(line, k) : face_mean(line, k);
}

static void write_velocity_line(struct velocity_line *line)
{
    struct fluid *f = line->e->f;
    const int last = line->first + line->count - 1;
    line->before = velocity_beside(line, line->first - 1), line->after = velocity_beside(line, last + 1);
    for (int k = line->first; k <= last + 1; ++k) {
        const double below = k == line->first ? line->before : new_velocity(line, k - 1),
                     above = k > last ? line->after : new_velocity(line, k);
        f->model->set_face_velocity(f, line->axis, line->axis ? line->across : k,
                                    line->axis ? k : line->across, (float)(0.5 * (below + above)));
    }
}

static void write_velocities(const struct field_edit *e)
{
    const int axis = e->field == TARN_FIELD_VELOCITY_Z;
    const tarn_cell_rect *r = &e->in.cells;
    if (r->ni == 0 || r->nj == 0) return;
    struct velocity_line line = {.e = e,
                                 .axis = axis,
                                 .first = axis ? r->j0 : r->i0,
                                 .count = axis ? r->nj : r->ni,
                                 .length = axis ? e->f->grid.nz : e->f->grid.nx,
                                 .periodic = axis ? e->f->periodic_z : e->f->periodic_x};
    for (int k = 0; k < (axis ? r->ni : r->nj); ++k) {
        line.across = (axis ? r->i0 : r->j0) + k;
        write_velocity_line(&line);
    }
}

static void write_field(const struct field_edit *e)
{
    switch (e->field) {
    case TARN_FIELD_HEIGHT:
    case TARN_FIELD_DEPTH: write_cells(e, write_water); break;
    case TARN_FIELD_DYE:
    case TARN_FIELD_TEMPERATURE: write_cells(e, write_scalar); break;
    case TARN_FIELD_FACE_VELOCITY_X:
    case TARN_FIELD_FACE_VELOCITY_Z: write_cells(e, write_face); break;
    default: write_velocities(e); break;
    }
}

static bool can_write(const struct fluid *f, tarn_field field)
{
    if ((int)field < 0 || !has_field(f, field) || field == TARN_FIELD_BED) return false;
    if (f->model->height_field && f->model->height_field->is_prescribed) return false;
    if ((int)field >= TARN_FIELD_PRESSURE) return false;
    const bool is_velocity = field >= TARN_FIELD_VELOCITY_X && field <= TARN_FIELD_FACE_VELOCITY_Z;
    return !is_velocity || f->model->set_face_velocity;
}

static tarn_result check_values(const struct field_edit *e, tarn_error *err)
{
    const bool is_velocity = e->field >= TARN_FIELD_VELOCITY_X && e->field <= TARN_FIELD_FACE_VELOCITY_Z;
    const double most = is_velocity ? 1e4 : 1e6,
                 least = e->field == TARN_FIELD_DEPTH || e->field == TARN_FIELD_DYE ? 0.0 : -most;
    for (int j = 0; j < e->in.cells.nj; ++j)
        for (int i = 0; i < e->in.cells.ni; ++i) {
            const double value = field_rect_get(&e->in, e->values, i, j);
            if (!(least <= value && value <= most))
                return fail(err, TARN_BAD_INPUT, "values",
                            "value (%d, %d) of the rectangle: %.6g is outside %g .. %g", i, j, value, least,
                            most);
        }
    return TARN_OK;
}

tarn_result tarn_world_write_field(tarn_world *w, tarn_field field, const tarn_cell_rect *rect,
                                   const tarn_array_layout *layout, const void *values, tarn_error *err)
{
    if (!w || !values) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    struct field_edit e = {.f = &w->fluid, .field = field, .values = values};
    if (!can_write(e.f, field))
        return fail(err, TARN_BAD_ARGUMENT, "field", "the model '%s' cannot change the field %d",
                    e.f->model->kind.name, (int)field);
    const tarn_cell_rect all = field_extent(e.f, field);
    tarn_result r = field_rect_check(&e.in, &all, rect, layout, err);
    if (r != TARN_OK) return r;
    const struct fpmode host = fpmode_enter();
    r = check_values(&e, err);
    if (r == TARN_OK) {
        world_apply_body_edits(w);
        if (e.f->out_of_memory)
            r = fail(err, TARN_NO_MEMORY, "", "no memory for bodies");
        else
            write_field(&e);
        world_end_water_edit(w);
    }
    fpmode_leave(host);
    return r;
}
