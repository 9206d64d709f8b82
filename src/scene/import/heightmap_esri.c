// Reads an ESRI ASCII grid as height map:
//
//   ncols 4
//   nrows 6
//   xllcorner 0.0          or xllcenter; the georeference is not used
//   yllcorner 0.0          or yllcenter
//   cellsize 50.0
//   NODATA_value -9999     optional
//   -9999 -9999 5 2        northernmost row first; line breaks are not significant
#include "heightmap.h"
#include "scene/json/string_buffer.h"
#include "tokenizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- header -----------------------------------------------------------------------------------------

enum { NCOLS, NROWS, XCORNER, XCENTER, YCORNER, YCENTER, CELLSIZE, NODATA, KEY_COUNT };
static const char *const keys[KEY_COUNT] = {"ncols",     "nrows",     "xllcorner", "xllcenter",
                                            "yllcorner", "yllcenter", "cellsize",  "nodata_value"};

struct header {
    double value[KEY_COUNT];
    int given[KEY_COUNT];
};

static int find_key(const struct tokenizer *tokens)
{
    for (int k = 0; k < KEY_COUNT; ++k) {
        size_t i = 0;
        while (i < tokens->length && keys[k][i] &&
               (tokens->token[i] | (is_letter(tokens->token[i]) ? 32 : 0)) == keys[k][i])
            i++;
        if (i == tokens->length && !keys[k][i]) return k;
    }
    return -1;
}

static tarn_result fail_missing_key(const char *key, struct load_error *error)
{
    return load_fail(error, TARN_BAD_INPUT, "not an ESRI ASCII grid: '%s' is missing in the header", key);
}

static tarn_result fail_bad_value(const struct header *header, int key, const char *reason,
                                  struct load_error *error)
{
    char number[32];

    format_number(header->value[key], number);
    return load_fail(error, TARN_BAD_INPUT, "%s is %s, %s", keys[key], number, reason);
}

static tarn_result check_header(const struct header *header, const struct tokenizer *tokens,
                                struct load_error *error)
{
    const double columns = header->value[NCOLS], rows = header->value[NROWS];

    for (int k = NCOLS; k <= NROWS; ++k) {
        const double n = header->value[k];
        if (!header->given[k]) return fail_missing_key(keys[k], error);
        if (!(1.0 <= n && n <= HEIGHTMAP_MAX_SIDE && n == floor(n)))
            return fail_bad_value(header, k, "not a whole number in 1 .. 16384", error);
    }
    if (!header->given[XCORNER] && !header->given[XCENTER]) return fail_missing_key(keys[XCORNER], error);
    if (!header->given[YCORNER] && !header->given[YCENTER]) return fail_missing_key(keys[YCORNER], error);
    if (!header->given[CELLSIZE]) return fail_missing_key(keys[CELLSIZE], error);
    if (!(header->value[CELLSIZE] > 0.0)) return fail_bad_value(header, CELLSIZE, "not above 0", error);
    if (columns * rows > HEIGHTMAP_MAX_VALUES)
        return load_fail(error, TARN_BAD_INPUT, "%.0f x %.0f values are more than %u", columns, rows,
                         HEIGHTMAP_MAX_VALUES);
    // Each value takes at least a digit and a space; the last one needs no space.
    if (2.0 * columns * rows > (double)(tokens->end - tokens->token) + 1.0)
        return load_fail(error, TARN_BAD_INPUT, "the file is too short for %.0f x %.0f values", columns,
                         rows);
    return TARN_OK;
}

// Read the header up to the first token that is no key, which is the first height.
static tarn_result read_header(struct tokenizer *tokens, struct header *header, struct load_error *error)
{
    while (next_token(tokens) && is_letter(*tokens->token)) {
        const int k = find_key(tokens);
        if (k < 0)
            return load_fail(error, TARN_BAD_INPUT, "line %d: unknown key '%.*s' of an ESRI ASCII grid",
                             tokens->line, token_shown_length(tokens), tokens->token);
        if (header->given[k]++)
            return load_fail(error, TARN_BAD_INPUT, "line %d: '%s' is given twice", tokens->line, keys[k]);
        if (!next_token(tokens) || !parse_number(tokens->token, tokens->length, &header->value[k]))
            return fail_not_a_number(tokens, error);
    }
    return check_header(header, tokens, error);
}

// ---- values -----------------------------------------------------------------------------------------

static tarn_result read_values(struct tokenizer *tokens, const struct header *header, struct heightmap *out,
                               struct load_error *error)
{
    const size_t nx = (size_t)out->nx, count = nx * (size_t)out->nz;

    for (size_t i = 0; i < count; ++i, next_token(tokens)) {
        double *value =
            // the file starts with the northernmost row
            &out->values[((size_t)out->nz - 1 - i / nx) * nx + i % nx];
        if (tokens->length == 0)
            return load_fail(error, TARN_BAD_INPUT, "line %d: the file ends after %zu of %zu values",
                             tokens->line, i, count);
        if (!parse_number(tokens->token, tokens->length, value)) return fail_not_a_number(tokens, error);
        if (header->given[NODATA] && *value == header->value[NODATA]) {
            *value = NAN;
            out->missing_count++;
        }
    }
    if (tokens->length > 0)
        return load_fail(error, TARN_BAD_INPUT, "line %d: more values than %d x %d", tokens->line, out->nx,
                         out->nz);
    return TARN_OK;
}

tarn_result heightmap_read_esri(const char *data, size_t size, struct heightmap *out,
                                struct load_error *error)
{
    struct tokenizer tokens = {.cursor = data, .end = data + size, .cursor_line = 1};
    struct header header = {0};

    *out = (struct heightmap){0};
    *error = (struct load_error){0};
    if (read_header(&tokens, &header, error) != TARN_OK) return error->result;
    out->nx = (int)header.value[NCOLS];
    out->nz = (int)header.value[NROWS];
    out->extent_x = out->nx * header.value[CELLSIZE];
    out->extent_z = out->nz * header.value[CELLSIZE];
    out->values = malloc((size_t)out->nx * (size_t)out->nz * sizeof(double));
    if (!out->values)
        load_fail(error, TARN_NO_MEMORY, "no memory for the grid");
    else
        read_values(&tokens, &header, out, error);
    if (error->result != TARN_OK) {
        free(out->values);
        *out = (struct heightmap){0};
    }
    return error->result;
}

tarn_result heightmap_fill_missing(struct heightmap *map, const char *method, struct load_error *error)
{
    const size_t nx = (size_t)map->nx, count = nx * (size_t)map->nz;
    const int use_lowest = strcmp(method, "lowest") == 0;
    double fill_value = NAN;

    if (map->missing_count == 0) return TARN_OK;
    if (map->missing_count == count) return load_fail(error, TARN_BAD_INPUT, "every value is missing");
    if (strcmp(method, "error") == 0) {
        size_t i = 0; // counted as in the file, from the northernmost row
        while (!isnan(map->values[((size_t)map->nz - 1 - i / nx) * nx + i % nx])) ++i;
        return load_fail(error, TARN_BAD_INPUT, "%zu values are missing, the first in row %zu, column %zu",
                         map->missing_count, i / nx + 1, i % nx + 1);
    }
    for (size_t i = 0; i < count; ++i)
        fill_value = use_lowest ? fmin(fill_value, map->values[i]) : fmax(fill_value, map->values[i]);
    for (size_t i = 0; i < count; ++i)
        if (isnan(map->values[i])) map->values[i] = fill_value;
    map->missing_count = 0;
    return TARN_OK;
}
