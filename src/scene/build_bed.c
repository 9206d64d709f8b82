// The file of a bed -> heights, and what to say about them.
#include "scene_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct format {
    const char *kind;
    tarn_result (*read)(const char *data, size_t size, struct heights *out, struct fault *fault);
} formats[] = {
    {"heightmap", bed_png_read},
    {"esri", bed_esri_read},
};

static const struct format *format_of(const tarn_kind *kind)
{
    for (size_t i = 0; kind && i < sizeof formats / sizeof formats[0]; ++i)
        if (strcmp(formats[i].kind, kind->name) == 0) return &formats[i];
    return NULL;
}

// The part that is a height map, -1 if none is.
static int map_part(const tarn_world_def *def)
{
    for (int i = 0; i < def->bed_count; ++i)
        if (format_of(def->bed[i].kind)) return i;
    return -1;
}

void bed_push(struct pass *p, const tarn_scene *scene)
{
    const int part = map_part(&scene->def);

    if (!pass_push(p, "bed", 0)) return;
    if (part >= 0 && json_is_array(json_object_get(scene->root, "bed"))) pass_push(p, NULL, (size_t)part);
}

static void __attribute__((format(printf, 3, 4)))
remark(const tarn_log *log, tarn_log_level level, const char *format, ...)
{
    char words[256];
    va_list args;

    if (!log->write) return;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    log->write(log->ctx, level, words);
}

// A map is stretched over the domain; what that does to it is told.
static void tell(const tarn_world_def *def, const char *name, const struct heights *h)
{
    tarn_value cells, size;

    if (tarn_spec_get(&def->fluid, "cells", &cells) != TARN_OK ||
        tarn_spec_get(&def->fluid, "size", &size) != TARN_OK)
        return;
    if (h->nx != (int)cells.number[0] || h->nz != (int)cells.number[1])
        remark(&def->host.log, TARN_LOG_INFO, "%.100s: %d x %d heights resampled to %d x %d columns", name,
               h->nx, h->nz, (int)cells.number[0], (int)cells.number[1]);
    const double a = h->width * size.number[1], b = h->depth * size.number[0];
    if (h->width > 0.0 && fabs(a - b) > 0.01 * fmin(a, b)) {
        char n[4][32];
        const double lengths[] = {h->width, h->depth, size.number[0], size.number[1]};
        for (int i = 0; i < 4; ++i) number_text(lengths[i], n[i]);
        remark(&def->host.log, TARN_LOG_WARNING, "%.100s: %s x %s m are stretched to the shape of %s x %s m",
               name, n[0], n[1], n[2], n[3]);
    }
}

static tarn_result read_map(const tarn_scene *scene, const tarn_spec *spec, const char *name,
                            struct heights *out, struct fault *fault)
{
    tarn_value missing;
    char *data = NULL;
    size_t size = 0;

    if (resolve_read(&scene->source, name, MAP_BYTES, &data, &size, fault) != TARN_OK) return fault->result;
    format_of(spec->kind)->read(data, size, out, fault);
    free(data);
    if (fault->result == TARN_OK && tarn_spec_get(spec, "missing", &missing) == TARN_OK)
        bed_fill_missing(out, missing.text, fault);
    if (fault->result != TARN_OK) {
        char words[sizeof fault->words];
        memcpy(words, fault->words, sizeof words);
        fault_say(fault, fault->result, "%.60s: %.130s", name, words);
    }
    return fault->result;
}

int bed_read_map(struct pass *p, const tarn_scene *scene, tarn_world_def *def, double **owned)
{
    const int part = map_part(def), depth = p->path.count;
    struct heights heights = {0};
    struct fault fault = {0};
    tarn_value file;

    *owned = NULL;
    if (part < 0 || tarn_spec_get(&def->bed[part], "file", &file) != TARN_OK) return 1;
    bed_push(p, scene);
    if (!file.text[0]) {
        note_add(p, NOTE_VALUE, "\"file\" is missing");
    } else if (read_map(scene, &def->bed[part], file.text, &heights, &fault) != TARN_OK) {
        if (pass_push(p, "file", 0)) note_add(p, NOTE_VALUE, "%s", fault.words);
        if (fault.result != TARN_BAD_INPUT) p->result = fault.result;
        free(heights.values);
    } else {
        tell(def, file.text, &heights);
        def->map = (tarn_map){heights.nx, heights.nz, heights.values};
        *owned = heights.values;
    }
    p->path.count = depth;
    return *owned != NULL;
}
