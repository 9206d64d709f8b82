// Creates the obstacles of a scene in its world. Bitmaps come from rows of text or from a PNG file.
#include "import/heightmap.h"
#include "scene_internal.h"

#include <stdlib.h>
#include <string.h>

// Make a bitmap from rows of text, top row first. @return 0 if memory is exhausted
static int bitmap_from_rows(const json_t *rows, tarn_bitmap *bitmap, unsigned char **cells)
{
    const size_t ny = json_array_size(rows), nx = json_string_length(json_array_get(rows, 0));

    if (!(*cells = calloc(nx, ny))) return 0;
    for (size_t j = 0; j < ny; ++j) {
        const char *row = json_string_value(json_array_get(rows, ny - 1 - j));
        for (size_t i = 0; i < nx; ++i) (*cells)[j * nx + i] = row[i] != ' ' && row[i] != '.';
    }
    *bitmap = (tarn_bitmap){(int)nx, (int)ny, *cells};
    return 1;
}

// Make a bitmap from a PNG: pixels with a luminance below 0.5 are solid.
static void bitmap_from_png(struct parser *p, const tarn_scene *scene, const char *name, tarn_bitmap *bitmap,
                            unsigned char **cells)
{
    struct heightmap image = {0};
    struct load_error error = {0};
    char *data = NULL;
    size_t size = 0;

    if (asset_read(&scene->source, name, HEIGHTMAP_MAX_BYTES, &data, &size, &error) == TARN_OK)
        heightmap_read_png(data, size, &image, &error);
    free(data);
    if (error.result == TARN_OK && (image.nx > TARN_MAP_SIDE || image.nz > TARN_MAP_SIDE))
        load_fail(&error, TARN_BAD_INPUT, "%d x %d pixels are too many; there may be %d each way", image.nx,
                  image.nz, TARN_MAP_SIDE);
    const size_t count = error.result == TARN_OK ? (size_t)image.nx * (size_t)image.nz : 0;
    if (count && !(*cells = calloc(count, 1))) load_fail(&error, TARN_NO_MEMORY, "there is no memory for it");
    if (error.result != TARN_OK) {
        tarn_error err = {.key = "file"};
        memcpy(err.text, error.message, sizeof error.message);
        diag_from_error(p, error.result, &err);
    }
    for (size_t c = 0; *cells && c < count; ++c) (*cells)[c] = image.values[c] < 0.5;
    if (*cells) *bitmap = (tarn_bitmap){image.nx, image.nz, *cells};
    free(image.values);
}

struct obstacle_builder {
    const tarn_scene *scene;
    tarn_world *world;
};

static void build_obstacle(struct parser *p, json_t *json, size_t number, void *ctx)
{
    const struct obstacle_builder *builder = ctx;
    const struct section *section = section_find("obstacles");
    const json_t *rows = json_object_get(json, section->text_rows_key);
    const int depth = p->path.count;
    unsigned char *cells = NULL;
    struct parsed_object item;
    tarn_value file;
    tarn_error err = {0};

    (void)number;
    parse_object(p, section, json, &item);
    const int has_file = tarn_spec_get(&item.spec, "file", &file) == TARN_OK && file.text[0];
    if (rows && has_file) {
        diag_at_path(p, DIAG_VALUE, "\"file\" and \"%s\" both say what is solid; give one",
                     section->text_rows_key);
        return;
    }
    if (rows && !bitmap_from_rows(rows, &item.obstacle.map, &cells)) parser_set_result(p, TARN_NO_MEMORY);
    if (has_file) bitmap_from_png(p, builder->scene, file.text, &item.obstacle.map, &cells);
    const int failed = (rows || has_file) && !cells;
    if (!failed) {
        const tarn_result r = tarn_obstacle_create(builder->world, &item.obstacle, &err);
        if (r != TARN_OK) diag_from_error(p, r, &err);
    }
    free(cells);
    p->path.count = depth;
}

void build_obstacles(struct parser *p, const tarn_scene *scene, tarn_world *world)
{
    struct obstacle_builder builder = {scene, world};

    for_each_object(p, scene, "obstacles", build_obstacle, &builder);
}
