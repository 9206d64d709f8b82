// Creates the obstacles of a scene in its world. Bitmaps come from rows of text or from a PNG file.
#include "scene/import/heightmap.h"
#include "scene/scene_internal.h"

#include <stdlib.h>
#include <string.h>

// Make a bitmap from a PNG: pixels with a luminance below 0.5 are solid.
static void bitmap_from_png(struct parser *p, const tarn_scene *scene, const char *name,
                            tarn_obstacle_bitmap *bitmap, unsigned char **cells)
{
    struct heightmap image = {0};
    struct load_error error = {0};
    char *data = NULL;
    size_t size = 0;

    if (asset_read(&scene->source, name, HEIGHTMAP_MAX_BYTES, &data, &size, &error) == TARN_OK)
        heightmap_read_png(data, size, &image, &error);
    free(data);
    if (error.result == TARN_OK && (image.nx > TARN_MAX_BITMAP_SIDE || image.nz > TARN_MAX_BITMAP_SIDE))
        load_fail(&error, TARN_BAD_INPUT, "too many pixels: %d x %d, limit %d in each direction", image.nx,
                  image.nz, TARN_MAX_BITMAP_SIDE);
    const size_t count = error.result == TARN_OK ? (size_t)image.nx * (size_t)image.nz : 0;
    if (count && !(*cells = calloc(count, 1))) load_fail(&error, TARN_NO_MEMORY, "no memory for it");
    if (error.result != TARN_OK) {
        tarn_error err = {.key = "file"};
        memcpy(err.message, error.message, sizeof error.message);
        diag_from_error(p, error.result, &err);
    }
    for (size_t c = 0; *cells && c < count; ++c) (*cells)[c] = image.values[c] < 0.5;
    if (*cells) bitmap->cells = *cells, bitmap->nx = image.nx, bitmap->ny = image.nz;
    free(image.values);
}

static void build_obstacle(struct parser *p, const tarn_scene *scene, const struct obstacle_entry *entry,
                           tarn_world *world)
{
    const struct row_bitmap *rows = &entry->bitmap;
    unsigned char *pixels = NULL;
    tarn_obstacle_def def;
    tarn_spec spec;
    tarn_value file;
    tarn_error err = {0};

    spec_unpack(&entry->shape, &spec);
    params_unpack(&entry->common, spec.data);
    tarn_obstacle_def_from_spec(&spec, &def); // cannot fail: it is the spec of an obstacle
    const int has_file = tarn_spec_get(&spec, "file", &file) == TARN_OK && file.text[0];
    if (rows->cells && has_file) {
        diag_at_path(p, DIAG_VALUE, "\"file\" and \"%s\" both give the solid cells; remove one",
                     section_find("obstacles")->text_rows_key);
        return;
    }
    if (rows->cells) def.bitmap.cells = rows->cells, def.bitmap.nx = rows->nx, def.bitmap.ny = rows->ny;
    if (has_file) bitmap_from_png(p, scene, file.text, &def.bitmap, &pixels);
    if (!has_file || pixels) {
        const tarn_result r = tarn_obstacle_create(world, &def, NULL, &err);
        if (r != TARN_OK) diag_from_error(p, r, &err);
    }
    free(pixels);
}

void build_obstacles(struct parser *p, const tarn_scene *scene, tarn_world *world)
{
    const struct scene_entries *entries = &scene->entries;

    for (int i = 0; i < entries->obstacle_count && parser_push_entry(p, "obstacles", i); ++i) {
        build_obstacle(p, scene, &entries->obstacles[i], world);
        parser_pop_entry(p);
    }
}
