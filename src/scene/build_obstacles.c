// The obstacles of a scene, put into its world: maps come from lines of text or from a PNG.
#include "scene_internal.h"

#include <stdlib.h>
#include <string.h>

// A map from lines, the first one on top. @return 0 without memory
static int map_of_lines(const json_t *lines, tarn_bitmap *map, unsigned char **owned)
{
    const size_t ny = json_array_size(lines), nx = json_string_length(json_array_get(lines, 0));

    if (!(*owned = calloc(nx, ny))) return 0;
    for (size_t j = 0; j < ny; ++j) {
        const char *line = json_string_value(json_array_get(lines, ny - 1 - j));
        for (size_t i = 0; i < nx; ++i) (*owned)[j * nx + i] = line[i] != ' ' && line[i] != '.';
    }
    *map = (tarn_bitmap){(int)nx, (int)ny, *owned};
    return 1;
}

// A map from a picture: what is darker than half is solid.
static void map_of_file(struct pass *p, const tarn_scene *scene, const char *name, tarn_bitmap *map,
                        unsigned char **owned)
{
    struct heights h = {0};
    struct fault fault = {0};
    char *data = NULL;
    size_t size = 0;

    if (resolve_read(&scene->source, name, MAP_BYTES, &data, &size, &fault) == TARN_OK)
        bed_png_read(data, size, &h, &fault);
    free(data);
    if (fault.result == TARN_OK && (h.nx > TARN_MAP_SIDE || h.nz > TARN_MAP_SIDE))
        fault_say(&fault, TARN_BAD_INPUT, "%d x %d pixels are too many; there may be %d each way", h.nx, h.nz,
                  TARN_MAP_SIDE);
    const size_t count = fault.result == TARN_OK ? (size_t)h.nx * (size_t)h.nz : 0;
    if (count && !(*owned = calloc(count, 1))) fault_say(&fault, TARN_NO_MEMORY, "there is no memory for it");
    if (fault.result != TARN_OK) {
        tarn_error err = {.key = "file"};
        memcpy(err.text, fault.words, sizeof fault.words);
        note_error(p, fault.result, &err);
    }
    for (size_t c = 0; *owned && c < count; ++c) (*owned)[c] = h.values[c] < 0.5;
    if (*owned) *map = (tarn_bitmap){h.nx, h.nz, *owned};
    free(h.values);
}

struct making {
    const tarn_scene *scene;
    tarn_world *world;
};

static void make_obstacle(struct pass *p, json_t *json, size_t number, void *ctx)
{
    const struct making *making = ctx;
    const struct section *section = section_find("obstacles");
    const json_t *lines = json_object_get(json, section->lines);
    const int depth = p->path.count;
    unsigned char *owned = NULL;
    struct item item;
    tarn_value file;
    tarn_error err = {0};

    (void)number;
    item_read(p, section, json, &item);
    const int named = tarn_spec_get(&item.spec, "file", &file) == TARN_OK && file.text[0];
    if (lines && named) {
        note_add(p, NOTE_VALUE, "\"file\" and \"%s\" both say what is solid; give one", section->lines);
        return;
    }
    if (lines && !map_of_lines(lines, &item.obstacle.map, &owned)) pass_fail(p, TARN_NO_MEMORY);
    if (named) map_of_file(p, making->scene, file.text, &item.obstacle.map, &owned);
    const int hopeless = (lines || named) && !owned;
    if (!hopeless) {
        const tarn_result r = tarn_obstacle_create(making->world, &item.obstacle, &err);
        if (r != TARN_OK) note_error(p, r, &err);
    }
    free(owned);
    p->path.count = depth;
}

void scene_add_obstacles(struct pass *p, const tarn_scene *scene, tarn_world *world)
{
    struct making making = {scene, world};

    things_each(p, scene, "obstacles", make_obstacle, &making);
}
