// Parses JSON values by parameter type: numbers, arrays, tables, strings, choices, file names.
#include "parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int numbers; // 0: not an array of numbers
    const char *description;
} expected_types[] = {
    [TARN_PARAM_NUMBER] = {0, "a number"},
    [TARN_PARAM_INTEGER] = {0, "a whole number"},
    [TARN_PARAM_FLAG] = {0, "true or false"},
    [TARN_PARAM_VEC2] = {2, "an array of 2 numbers"},
    [TARN_PARAM_VEC3] = {3, "an array of 3 numbers"},
    [TARN_PARAM_QUAT] = {4, "an array of 4 numbers (w, x, y, z) or an object (axis, degrees)"},
    [TARN_PARAM_INT2] = {2, "an array of 2 whole numbers"},
    [TARN_PARAM_CHOICE] = {0, "a string"},
    [TARN_PARAM_TEXT] = {0, "a string"},
    [TARN_PARAM_FILE] = {0, "a string"},
    [TARN_PARAM_TABLE] = {0, "an array of rows"},
    [TARN_PARAM_INT3] = {3, "an array of 3 whole numbers"},
    [TARN_PARAM_BITS] = {0, "a string"},
};

const char *json_type_name(const json_t *json)
{
    static const char *const expected[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return expected[json_typeof(json)];
}

void diag_wrong_type(struct parser *p, const char *expected, const json_t *json)
{
    const char *text = json_is_string(json) ? json_string_value(json) : "";
    const int is_quoted_number =
        *text && text[strspn(text, "0123456789.+-eE")] == '\0' && strstr(expected, "number");

    diag_at_path(p, DIAG_VALUE, "expected %s, found %s%s", expected, json_type_name(json),
                 is_quoted_number ? "; remove the quotes" : "");
}

static int is_integer_type(tarn_param_type type)
{
    return type == TARN_PARAM_INTEGER || type == TARN_PARAM_INT2 || type == TARN_PARAM_INT3;
}

// Parse one number and check its range. @return 0 with a diagnostic
static int parse_number_value(struct parser *p, const tarn_param *param, const json_t *json, double *out)
{
    const char *expected = is_integer_type(param->type) ? "a whole number" : "a number";
    char text[32], low[32], high[32];

    if (!json_is_number(json)) {
        diag_wrong_type(p, expected, json);
        return 0;
    }
    *out = json_number_value(json);
    format_number(*out, text);
    if (!(param->min <= *out && *out <= param->max)) {
        format_number(param->min, low);
        format_number(param->max, high);
        diag_at_path(p, DIAG_VALUE, "%s%s%s is outside %s .. %s", text, param->unit[0] ? " " : "",
                     param->unit, low, high);
        return 0;
    }
    if (is_integer_type(param->type) && strpbrk(text, ".e")) {
        diag_at_path(p, DIAG_VALUE, "expected %s, found %s", expected, text);
        return 0;
    }
    return 1;
}

// Parse an array of exactly `count` numbers. @return 0 with a diagnostic
static int parse_number_array(struct parser *p, const tarn_param *param, const json_t *json, size_t count,
                              double *out)
{
    char expected[80];
    int ok = 1;

    snprintf(expected, sizeof expected, "%s", expected_types[param->type].description);
    if (param->type == TARN_PARAM_TABLE) snprintf(expected, sizeof expected, "a row of %zu numbers", count);
    if (!json_is_array(json)) {
        diag_wrong_type(p, expected, json);
        return 0;
    }
    if (p->planar && param->type == TARN_PARAM_VEC3 && json_array_size(json) == 2) {
        out[2] = param->flags & TARN_PARAM_NAN ? 0.0 : param->initial[2];
        count = 2;
    }
    if (json_array_size(json) != count) {
        diag_at_path(p, DIAG_VALUE, "expected %s, found %zu", expected, json_array_size(json));
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!parser_push(p, NULL, i)) return 0;
        ok &= parse_number_value(p, param, json_array_get(json, i), &out[i]);
        parser_pop(p);
    }
    return ok;
}

#define DEGREE (3.14159265358979323846 / 180.0) // [rad]

// Parse a table into `rows`, which has space for the maximum number of rows. @return 0 with a diagnostic
static int parse_table(struct parser *p, const tarn_param *param, const json_t *json, double *rows,
                       tarn_value *out)
{
    const size_t columns = (size_t)param->columns;
    int ok = 1;

    if (!json_is_array(json)) {
        diag_wrong_type(p, expected_types[param->type].description, json);
        return 0;
    }
    if (json_array_size(json) > (size_t)param->rows) {
        diag_at_path(p, DIAG_VALUE, "too many rows: %zu, limit %d", json_array_size(json), param->rows);
        return 0;
    }
    for (size_t i = 0; i < json_array_size(json); ++i) {
        if (!parser_push(p, NULL, i)) return 0;
        ok &= parse_number_array(p, param, json_array_get(json, i), columns, rows + i * columns);
        if (param->flags & TARN_PARAM_DEGREES) rows[(i + 1) * columns - 1] *= DEGREE;
        parser_pop(p);
    }
    *out = tarn_value_table(rows, (int)json_array_size(json));
    return ok;
}

int parse_string(struct parser *p, const json_t *json, char *out, size_t size)
{
    if (!json_is_string(json)) {
        diag_wrong_type(p, "a string", json);
        return 0;
    }
    const char *text = json_string_value(json);
    const size_t length = json_string_length(json);
    for (size_t i = 0; i < length; ++i)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
            diag_at_path(p, DIAG_VALUE, "control characters are not allowed here");
            return 0;
        }
    if (length >= size) {
        diag_at_path(p, DIAG_VALUE, "string too long: %zu bytes, limit %zu", length, size - 1);
        return 0;
    }
    memcpy(out, text, length + 1);
    return 1;
}

static int parse_choice(struct parser *p, const tarn_param *param, const json_t *json, tarn_value *out)
{
    struct suggestion suggestion = {0};
    char known[120] = "";

    if (!json_is_string(json)) {
        diag_wrong_type(p, "a string", json);
        return 0;
    }
    suggestion.input = json_string_value(json);
    for (int i = 0; param->choices[i]; ++i) {
        if (strcmp(suggestion.input, param->choices[i]) == 0)
            return parse_string(p, json, out->text, sizeof out->text);
        suggest_try(&suggestion, param->choices[i], param->choices[i]);
        list_append(known, sizeof known, param->choices[i]);
    }
    if (suggestion.cost)
        diag_at_path(p, DIAG_VALUE, "unknown value '%.60s'; did you mean '%s'?", suggestion.input,
                     suggestion.best);
    else
        diag_at_path(p, DIAG_VALUE, "unknown value '%.60s'; expected one of: %s", suggestion.input, known);
    return 0;
}

// Parse a file name. This checks that the name is allowed, not that the file exists.
static int parse_file_name(struct parser *p, const json_t *json, tarn_value *out)
{
    if (!parse_string(p, json, out->text, TARN_FILE_BYTES)) return 0;
    const char *name_error = asset_name_error(out->text);
    if (name_error) diag_at_path(p, DIAG_VALUE, "%s", name_error);
    return !name_error;
}

// Parse bits: "0x" and 1 to 16 hexadecimal digits.
static int parse_bits(struct parser *p, const json_t *json, tarn_value *out)
{
    if (!parse_string(p, json, out->text, TARN_NAME_BYTES)) return 0;
    const char *digits = strncmp(out->text, "0x", 2) == 0 ? out->text + 2 : "";
    const size_t count = strspn(digits, "0123456789abcdefABCDEF");
    const int good = 1 <= count && count <= 16 && digits[count] == '\0';
    if (!good) diag_at_path(p, DIAG_VALUE, "bits are expected, such as \"0x1f\": 1 to 16 hexadecimal digits");
    return good;
}

int parse_param_value(struct parser *p, const tarn_param *param, const json_t *json, double *rows,
                      tarn_value *out)
{
    const int numbers = expected_types[param->type].numbers;

    if (numbers) return parse_number_array(p, param, json, (size_t)numbers, out->number);
    if (param->type == TARN_PARAM_TABLE) return parse_table(p, param, json, rows, out);
    if (param->type == TARN_PARAM_CHOICE) return parse_choice(p, param, json, out);
    if (param->type == TARN_PARAM_TEXT) return parse_string(p, json, out->text, TARN_NAME_BYTES);
    if (param->type == TARN_PARAM_FILE) return parse_file_name(p, json, out);
    if (param->type == TARN_PARAM_BITS) return parse_bits(p, json, out);
    if (param->type != TARN_PARAM_FLAG) return parse_number_value(p, param, json, &out->number[0]);
    if (!json_is_boolean(json)) {
        diag_wrong_type(p, expected_types[param->type].description, json);
        return 0;
    }
    out->number[0] = json_is_true(json);
    return 1;
}

// Check rows of text of equal length, at most `max_side` rows and characters. @return 0 with a diagnostic
static int check_text_rows(struct parser *p, const json_t *json, size_t max_side)
{
    const json_t *row;
    size_t i;

    if (!json_is_array(json)) {
        diag_wrong_type(p, "an array of strings", json);
        return 0;
    }
    const size_t width = json_string_length(json_array_get(json, 0)), count = json_array_size(json);
    if (count == 0 || count > max_side || width == 0 || width > max_side) {
        diag_at_path(p, DIAG_VALUE, "bitmap of %zu rows of %zu characters; expected 1 to %zu of each", count,
                     width, max_side);
        return 0;
    }
    json_array_foreach(json, i, row)
    {
        if (json_string_length(row) == width) continue;
        if (!parser_push(p, NULL, i)) return 0;
        if (json_is_string(row))
            diag_at_path(p, DIAG_VALUE, "row has %zu characters, the first row %zu", json_string_length(row),
                         width);
        else
            diag_wrong_type(p, "a string", row);
        parser_pop(p);
        return 0;
    }
    return 1;
}

void parse_text_rows(struct parser *p, const json_t *json, struct row_bitmap *out)
{
    if (!check_text_rows(p, json, TARN_MAX_BITMAP_SIDE)) return;
    const size_t ny = json_array_size(json), nx = json_string_length(json_array_get(json, 0));
    *out = (struct row_bitmap){(int)nx, (int)ny, calloc(nx, ny)};
    if (!out->cells) {
        parser_set_result(p, TARN_NO_MEMORY);
        return;
    }
    for (size_t j = 0; j < ny; ++j) {
        const char *row = json_string_value(json_array_get(json, ny - 1 - j));
        for (size_t i = 0; i < nx; ++i) out->cells[j * nx + i] = row[i] != ' ' && row[i] != '.';
    }
}
