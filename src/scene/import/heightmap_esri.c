// ESRI ASCII grid -> heights:
//
//   ncols 4
//   nrows 6
//   xllcorner 0.0          or xllcenter; where the grid lies on the earth is not used
//   yllcorner 0.0          or yllcenter
//   cellsize 50.0
//   NODATA_value -9999     may be absent
//   -9999 -9999 5 2        the northernmost row first; lines may be broken anywhere
#include "tokenizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the head ---------------------------------------------------------------------------------------

enum { NCOLS, NROWS, XCORNER, XCENTER, YCORNER, YCENTER, CELLSIZE, NODATA, KEYS };
static const char *const keys[KEYS] = {"ncols",     "nrows",     "xllcorner", "xllcenter",
                                       "yllcorner", "yllcenter", "cellsize",  "nodata_value"};

struct head {
    double value[KEYS];
    int given[KEYS];
};

static int key_of(const struct words *w)
{
    for (int k = 0; k < KEYS; ++k) {
        size_t i = 0;
        while (i < w->length && keys[k][i] && (w->word[i] | (is_letter(w->word[i]) ? 32 : 0)) == keys[k][i])
            i++;
        if (i == w->length && !keys[k][i]) return k;
    }
    return -1;
}

static tarn_result missing_key(const char *key, struct fault *fault)
{
    return fault_say(fault, TARN_BAD_INPUT, "this is no ESRI ASCII grid: '%s' is missing in its head", key);
}

static tarn_result bad_value(const struct head *h, int key, const char *words, struct fault *fault)
{
    char number[32];

    number_text(h->value[key], number);
    return fault_say(fault, TARN_BAD_INPUT, "%s is %s, %s", keys[key], number, words);
}

static tarn_result check_head(const struct head *h, const struct words *w, struct fault *fault)
{
    const double columns = h->value[NCOLS], rows = h->value[NROWS];

    for (int k = NCOLS; k <= NROWS; ++k) {
        const double n = h->value[k];
        if (!h->given[k]) return missing_key(keys[k], fault);
        if (!(1.0 <= n && n <= MAP_SIDE && n == floor(n)))
            return bad_value(h, k, "not a whole number in 1 .. 16384", fault);
    }
    if (!h->given[XCORNER] && !h->given[XCENTER]) return missing_key(keys[XCORNER], fault);
    if (!h->given[YCORNER] && !h->given[YCENTER]) return missing_key(keys[YCORNER], fault);
    if (!h->given[CELLSIZE]) return missing_key(keys[CELLSIZE], fault);
    if (!(h->value[CELLSIZE] > 0.0)) return bad_value(h, CELLSIZE, "not above 0", fault);
    if (columns * rows > MAP_VALUES)
        return fault_say(fault, TARN_BAD_INPUT, "%.0f x %.0f values are more than %u", columns, rows,
                         MAP_VALUES);
    // A value takes a digit and a space, the last one only the digit.
    if (2.0 * columns * rows > (double)(w->end - w->word) + 1.0)
        return fault_say(fault, TARN_BAD_INPUT, "the file is too short for %.0f x %.0f values", columns,
                         rows);
    return TARN_OK;
}

// Stops at the first word that is no key: the first height.
static tarn_result read_head(struct words *w, struct head *h, struct fault *fault)
{
    while (words_next(w) && is_letter(*w->word)) {
        const int k = key_of(w);
        if (k < 0)
            return fault_say(fault, TARN_BAD_INPUT, "line %d: '%.*s' is no key of an ESRI ASCII grid",
                             w->line, words_shown(w), w->word);
        if (h->given[k]++)
            return fault_say(fault, TARN_BAD_INPUT, "line %d: '%s' stands twice", w->line, keys[k]);
        if (!words_next(w) || !number_read(w->word, w->length, &h->value[k]))
            return words_no_number(w, fault);
    }
    return check_head(h, w, fault);
}

// ---- the heights ------------------------------------------------------------------------------------

static tarn_result read_values(struct words *w, const struct head *h, struct heights *out,
                               struct fault *fault)
{
    const size_t nx = (size_t)out->nx, count = nx * (size_t)out->nz;

    for (size_t i = 0; i < count; ++i, words_next(w)) {
        double *to = &out->values[((size_t)out->nz - 1 - i / nx) * nx + i % nx]; // the first row is the north
        if (w->length == 0)
            return fault_say(fault, TARN_BAD_INPUT, "line %d: the file ends after %zu of %zu values", w->line,
                             i, count);
        if (!number_read(w->word, w->length, to)) return words_no_number(w, fault);
        if (h->given[NODATA] && *to == h->value[NODATA]) {
            *to = NAN;
            out->missing++;
        }
    }
    if (w->length > 0)
        return fault_say(fault, TARN_BAD_INPUT, "line %d: there are more values than %d x %d", w->line,
                         out->nx, out->nz);
    return TARN_OK;
}

tarn_result bed_esri_read(const char *data, size_t size, struct heights *out, struct fault *fault)
{
    struct words w = {.at = data, .end = data + size, .next = 1};
    struct head h = {0};

    *out = (struct heights){0};
    *fault = (struct fault){0};
    if (read_head(&w, &h, fault) != TARN_OK) return fault->result;
    out->nx = (int)h.value[NCOLS];
    out->nz = (int)h.value[NROWS];
    out->width = out->nx * h.value[CELLSIZE];
    out->depth = out->nz * h.value[CELLSIZE];
    out->values = malloc((size_t)out->nx * (size_t)out->nz * sizeof(double));
    if (!out->values)
        fault_say(fault, TARN_NO_MEMORY, "there is no memory for the grid");
    else
        read_values(&w, &h, out, fault);
    if (fault->result != TARN_OK) {
        free(out->values);
        *out = (struct heights){0};
    }
    return fault->result;
}

tarn_result bed_fill_missing(struct heights *heights, const char *how, struct fault *fault)
{
    const size_t nx = (size_t)heights->nx, count = nx * (size_t)heights->nz;
    const int lowest = strcmp(how, "lowest") == 0;
    double stand_in = NAN;

    if (heights->missing == 0) return TARN_OK;
    if (heights->missing == count) return fault_say(fault, TARN_BAD_INPUT, "every value is missing");
    if (strcmp(how, "refuse") == 0) {
        size_t i = 0; // as the file counts: rows from the north
        while (!isnan(heights->values[((size_t)heights->nz - 1 - i / nx) * nx + i % nx])) ++i;
        return fault_say(fault, TARN_BAD_INPUT, "%zu values are missing, the first in row %zu, column %zu",
                         heights->missing, i / nx + 1, i % nx + 1);
    }
    for (size_t i = 0; i < count; ++i)
        stand_in = lowest ? fmin(stand_in, heights->values[i]) : fmax(stand_in, heights->values[i]);
    for (size_t i = 0; i < count; ++i)
        if (isnan(heights->values[i])) heights->values[i] = stand_in;
    heights->missing = 0;
    return TARN_OK;
}
