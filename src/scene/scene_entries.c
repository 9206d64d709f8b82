// Stores the objects of a parsed scene in little memory.
#include "scene_entries.h"

#include <stdlib.h>
#include <string.h>

// ---- packed parameters ------------------------------------------------------------------------------

static size_t param_bytes(const tarn_param *param)
{
    static const size_t bytes[] = {
        [TARN_PARAM_NUMBER] = sizeof(double),   [TARN_PARAM_INTEGER] = sizeof(int),
        [TARN_PARAM_FLAG] = sizeof(bool),       [TARN_PARAM_VEC2] = 2 * sizeof(double),
        [TARN_PARAM_VEC3] = 3 * sizeof(double), [TARN_PARAM_QUAT] = 4 * sizeof(double),
        [TARN_PARAM_INT2] = 2 * sizeof(int),    [TARN_PARAM_INT3] = 3 * sizeof(int),
        [TARN_PARAM_CHOICE] = sizeof(int),      [TARN_PARAM_TEXT] = TARN_NAME_BYTES,
        [TARN_PARAM_FILE] = TARN_FILE_BYTES,    [TARN_PARAM_BITS] = sizeof(uint64_t),
    };
    if (param->count_offset) return sizeof(const double *);
    // The rows of a table follow its count, aligned to 8 bytes.
    if (param->type == TARN_PARAM_TABLE)
        return sizeof(double) * (1 + (size_t)param->rows * (size_t)param->columns);
    return bytes[param->type];
}

// The range of bytes of a kind's struct that holds its parameters. @return its length
static size_t params_range(const tarn_kind *kind, size_t *start)
{
    size_t end = 0;

    *start = 0;
    for (int i = 0; i < kind->param_count; ++i) {
        const tarn_param *param = &kind->params[i];
        if (i == 0 || param->offset < *start) *start = param->offset;
        if (param->offset + param_bytes(param) > end) end = param->offset + param_bytes(param);
        if (param->count_offset && param->count_offset + sizeof(int) > end)
            end = param->count_offset + sizeof(int);
    }
    return end - *start;
}

// The numbers of the tables that a struct borrows.
static size_t borrowed_numbers(const tarn_kind *kind, const void *data)
{
    size_t numbers = 0;
    tarn_value table;
    for (int i = 0; i < kind->param_count; ++i)
        if (kind->params[i].count_offset &&
            tarn_kind_get(kind, data, kind->params[i].name, &table) == TARN_OK)
            numbers += (size_t)table.row_count * (size_t)kind->params[i].columns;
    return numbers;
}

// Copies the tables that a struct borrows to `rows`; `bytes` is the copy of the struct from `start`.
static void pack_borrowed_tables(const tarn_kind *kind, const void *data, char *bytes, size_t start,
                                 double *rows)
{
    tarn_value table;
    for (int i = 0; i < kind->param_count; ++i) {
        const tarn_param *param = &kind->params[i];
        if (!param->count_offset || tarn_kind_get(kind, data, param->name, &table) != TARN_OK) continue;
        const size_t numbers = (size_t)table.row_count * (size_t)param->columns;
        if (numbers) memcpy(rows, table.rows, numbers * sizeof *rows);
        memcpy(bytes + param->offset - start, &rows, sizeof rows);
        rows += numbers;
    }
}

int params_pack(struct packed_params *out, const tarn_kind *kind, const void *data)
{
    size_t start;
    const size_t size = params_range(kind, &start),
                 rounded = (size + sizeof(double) - 1) & ~(sizeof(double) - 1);

    *out = (struct packed_params){.kind = kind};
    if (size == 0) return 1;
    char *bytes = malloc(rounded + borrowed_numbers(kind, data) * sizeof(double));
    if (!bytes) return 0;
    memcpy(bytes, (const char *)data + start, size);
    pack_borrowed_tables(kind, data, bytes, start, (double *)(void *)(bytes + rounded));
    out->bytes = bytes;
    return 1;
}

void params_unpack(const struct packed_params *packed, void *data)
{
    size_t start;
    const size_t size = params_range(packed->kind, &start);

    if (size) memcpy((char *)data + start, packed->bytes, size);
}

void spec_unpack(const struct packed_params *packed, tarn_spec *out)
{
    memset(out, 0, sizeof *out);
    out->kind = packed->kind;
    params_unpack(packed, out->data);
}

// ---- entries ----------------------------------------------------------------------------------------

void part_list_free(struct part_list *parts)
{
    for (int i = 0; i < parts->count; ++i) {
        free(parts->list[i].shape.bytes);
        free(parts->list[i].common.bytes);
    }
    free(parts->list);
    *parts = (struct part_list){0};
}

void scene_entries_free(struct scene_entries *entries)
{
    free(entries->fluid.bytes);
    for (int i = 0; i < entries->bed_count; ++i) free(entries->beds[i].bytes);
    for (int i = 0; i < entries->body_count; ++i) {
        free(entries->bodies[i].shape.bytes);
        free(entries->bodies[i].common.bytes);
        part_list_free(&entries->bodies[i].parts);
    }
    for (int i = 0; i < entries->joint_count; ++i) free(entries->joints[i].kind.bytes);
    for (int i = 0; i < entries->emitter_count; ++i) free(entries->emitters[i].bytes);
    for (int i = 0; i < entries->obstacle_count; ++i) {
        free(entries->obstacles[i].shape.bytes);
        free(entries->obstacles[i].common.bytes);
        free(entries->obstacles[i].bitmap.cells);
    }
    free(entries->bodies);
    free(entries->joints);
    free(entries->emitters);
    free(entries->obstacles);
    free(entries->gauges);
    *entries = (struct scene_entries){0};
}
