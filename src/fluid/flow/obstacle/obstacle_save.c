// The obstacles in a checkpoint. world/checkpoint.c calls it.
#include "base/error.h"
#include "obstacle.h"

#include <string.h>

void obstacles_save(struct saver *s, const struct fluid *f)
{
    save_u32(s, (uint32_t)f->obstacle_count);
    for (int i = 0; i < f->obstacle_count; ++i) {
        const struct obstacle *o = &f->obstacles[i];
        tarn_spec spec; // with space for parameters that only scene files have
        tarn_obstacle_def_to_spec(&o->def, &spec);
        save_text(s, o->kind->kind.name);
        param_save(s, &placement_kind, spec.data);
        param_save(s, &o->kind->kind, spec.data);
        save_u32(s, o->map ? (uint32_t)o->def.bitmap.nx : 0);
        save_u32(s, o->map ? (uint32_t)o->def.bitmap.ny : 0);
        for (size_t k = 0; o->map && k < bitmap_cells(&o->def); k += 32) {
            uint32_t bits = 0;
            for (size_t b = 0; b < 32 && k + b < bitmap_cells(&o->def); ++b)
                bits |= (uint32_t)(o->map[k + b] != 0) << b;
            save_u32(s, bits);
        }
    }
}

// The cells of a bitmap, which `def` borrows; the caller frees them.
static tarn_result load_cells(struct loader *l, const struct memory *m, tarn_obstacle_def *def,
                              unsigned char **owned, tarn_error *err)
{
    const uint32_t nx = load_u32(l), ny = load_u32(l);
    *owned = NULL;
    if (l->failed || nx > TARN_MAX_BITMAP_SIDE || ny > TARN_MAX_BITMAP_SIDE ||
        (size_t)nx * ny > 8 * l->size || (nx > 0 && def->type != TARN_OBSTACLE_BITMAP))
        return fail(err, TARN_BAD_INPUT, "map",
                    "the size of the bitmap of an obstacle in the checkpoint is not valid");
    if (nx == 0 || ny == 0) return TARN_OK;
    def->bitmap.nx = (int)nx, def->bitmap.ny = (int)ny;
    if (!(*owned = memory_alloc(m, bitmap_cells(def), 1)))
        return fail(err, TARN_NO_MEMORY, "map", "no memory for the bitmap of an obstacle");
    for (size_t k = 0; k < bitmap_cells(def); k += 32) {
        const uint32_t bits = load_u32(l);
        for (size_t b = 0; b < 32 && k + b < bitmap_cells(def); ++b) (*owned)[k + b] = bits >> b & 1;
    }
    def->bitmap.cells = *owned;
    return TARN_OK;
}

static tarn_result load_obstacle(struct loader *l, struct fluid *f, tarn_error *err)
{
    struct table_rows_buffer rows; // of path and polygon
    unsigned char *cells = NULL;
    tarn_obstacle_def def;
    tarn_spec spec;
    char name[TARN_NAME_BYTES];
    rows.used = 0;
    load_text(l, name, sizeof name);
    if (l->failed || tarn_spec_init(&spec, "obstacle", name, NULL) != TARN_OK)
        return fail(err, TARN_BAD_INPUT, "kind", "unknown kind of obstacle");
    tarn_kind_init(&placement_kind, spec.data);
    tarn_result r = param_load_with_rows(l, &placement_kind, spec.data, &rows, err);
    if (r == TARN_OK) r = param_load_with_rows(l, spec.kind, spec.data, &rows, err);
    if (r != TARN_OK) return r;
    tarn_obstacle_def_from_spec(&spec, &def); // cannot fail: it is the spec of an obstacle
    r = load_cells(l, f->memory, &def, &cells, err);
    if (r == TARN_OK) r = obstacle_add(f, &def, err);
    if (cells) memory_free(f->memory, cells, bitmap_cells(&def), 1);
    return r;
}

tarn_result obstacles_load(struct loader *l, struct fluid *f, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    for (uint32_t i = 0; i < count && !l->failed; ++i) {
        const tarn_result r = load_obstacle(l, f, err);
        if (r != TARN_OK) return r;
    }
    return load_is_complete(l) ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "section 'obstacles' is not valid");
}
