// Loads the height map that a scene's bed names and reports how it is resampled to the grid.
#include "scene/import/heightmap.h"
#include "scene/scene_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct heightmap_format {
    const char *kind;
    tarn_result (*read)(const char *data, size_t size, struct heightmap *out, struct load_error *error);
} formats[] = {
    {"heightmap", heightmap_read_png},
    {"esri", heightmap_read_esri},
};

static const struct heightmap_format *find_format(const tarn_kind *kind)
{
    for (size_t i = 0; kind && i < sizeof formats / sizeof formats[0]; ++i)
        if (strcmp(formats[i].kind, kind->name) == 0) return &formats[i];
    return NULL;
}

// @return the index of the bed component that is a height map, -1 if there is none
static int heightmap_index(const tarn_scene *scene)
{
    for (int i = 0; i < scene->entries.bed_count; ++i)
        if (find_format(scene->entries.beds[i].kind)) return i;
    return -1;
}

void parser_push_bed(struct parser *p, const tarn_scene *scene)
{
    const int index = heightmap_index(scene);

    if (!parser_push(p, "bed", 0)) return;
    if (index >= 0 && json_is_array(json_object_get(scene->root, "bed"))) parser_push(p, NULL, (size_t)index);
}

static void __attribute__((format(printf, 3, 4)))
log_message(const tarn_log *log, tarn_log_level level, const char *format, ...)
{
    char message[256];
    va_list args;

    if (!log->write) return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    log->write(log->context, level, message);
}

// Log if the height map has another resolution or another aspect ratio than the domain it is stretched over.
static void log_resampling(const tarn_scene *scene, const tarn_log *log, const char *name,
                           const struct heightmap *map)
{
    tarn_spec fluid;
    tarn_value cells, size;

    spec_unpack(&scene->entries.fluid, &fluid);
    if (tarn_spec_get(&fluid, "cells", &cells) != TARN_OK || tarn_spec_get(&fluid, "size", &size) != TARN_OK)
        return;
    if (map->nx != (int)cells.number[0] || map->nz != (int)cells.number[1])
        log_message(log, TARN_LOG_INFO, "%.100s: %d x %d heights resampled to %d x %d columns", name, map->nx,
                    map->nz, (int)cells.number[0], (int)cells.number[1]);
    const double scaled_width = map->extent_x * size.number[1], scaled_depth = map->extent_z * size.number[0];
    if (map->extent_x > 0.0 && fabs(scaled_width - scaled_depth) > 0.01 * fmin(scaled_width, scaled_depth)) {
        char text[4][32];
        const double lengths[] = {map->extent_x, map->extent_z, size.number[0], size.number[1]};
        for (int i = 0; i < 4; ++i) format_number(lengths[i], text[i]);
        log_message(log, TARN_LOG_WARNING, "%.100s: %s x %s m are stretched to the shape of %s x %s m", name,
                    text[0], text[1], text[2], text[3]);
    }
}

static tarn_result read_heightmap(const tarn_scene *scene, const tarn_spec *spec, const char *name,
                                  struct heightmap *out, struct load_error *error)
{
    tarn_value missing;
    char *data = NULL;
    size_t size = 0;

    if (asset_read(&scene->source, name, HEIGHTMAP_MAX_BYTES, &data, &size, error) != TARN_OK)
        return error->result;
    find_format(spec->kind)->read(data, size, out, error);
    free(data);
    if (error->result == TARN_OK && tarn_spec_get(spec, "missing", &missing) == TARN_OK)
        heightmap_fill_missing(out, missing.text, error);
    if (error->result != TARN_OK) {
        char message[sizeof error->message];
        memcpy(message, error->message, sizeof message);
        load_fail(error, error->result, "%.60s: %.130s", name, message);
    }
    return error->result;
}

// Read the height map of a term. @return 0 with a diagnostic
static int load_heightmap(struct parser *p, const tarn_scene *scene, const tarn_log *log,
                          const tarn_spec *spec, struct heightmap *map)
{
    const int depth = p->path.count;
    struct load_error error = {0};
    tarn_value file;
    int ok = 0;

    if (tarn_spec_get(spec, "file", &file) != TARN_OK) return 1;
    parser_push_bed(p, scene);
    if (!file.text[0]) {
        diag_at_path(p, DIAG_VALUE, "\"file\" is missing");
    } else if (read_heightmap(scene, spec, file.text, map, &error) != TARN_OK) {
        if (parser_push(p, "file", 0)) diag_at_path(p, DIAG_VALUE, "%s", error.message);
        if (error.result != TARN_BAD_INPUT) p->result = error.result;
    } else {
        log_resampling(scene, log, file.text, map);
        ok = 1;
    }
    p->path.count = depth;
    return ok;
}

static void set_map(tarn_bed_def *bed, const struct heightmap *map)
{
    const tarn_bed_map view = {map->nx, map->nz, map->values};
    if (bed->type == TARN_BED_HEIGHTMAP)
        bed->heightmap.map = view;
    else
        bed->esri.map = view;
}

int read_beds(struct parser *p, const tarn_scene *scene, const tarn_log *log, tarn_bed_def *out,
              double **heights)
{
    const int with_map = heightmap_index(scene);
    struct heightmap map = {0};

    for (int i = 0; i < scene->entries.bed_count; ++i) {
        tarn_spec spec;
        spec_unpack(&scene->entries.beds[i], &spec);
        tarn_bed_def_from_spec(&spec, &out[i]); // cannot fail: it is the spec of a bed
        if (i != with_map) continue;
        if (!load_heightmap(p, scene, log, &spec, &map)) {
            free(map.values);
            return 0;
        }
        set_map(&out[i], &map);
    }
    *heights = map.values;
    return 1;
}
