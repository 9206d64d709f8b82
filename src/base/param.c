// Access to the members of a struct through its parameter list: defaults, checked writes, reads,
// checkpoints.
#define _POSIX_C_SOURCE 200809L // strnlen
#include "param.h"

#include "error.h"
#include "math/math.h"

#include <stdio.h>
#include <string.h>

// How many numbers a value of each type has, and how messages describe the type.
static const struct {
    int numbers;
    const char *description;
} types[] = {
    [TARN_PARAM_NUMBER] = {1, "a number"},
    [TARN_PARAM_INTEGER] = {1, "a whole number"},
    [TARN_PARAM_FLAG] = {1, "true or false"},
    [TARN_PARAM_VEC2] = {2, "two numbers"},
    [TARN_PARAM_VEC3] = {3, "three numbers"},
    [TARN_PARAM_QUAT] = {4, "four numbers (w, x, y, z)"},
    [TARN_PARAM_INT2] = {2, "two whole numbers"},
    [TARN_PARAM_CHOICE] = {0, "a word"},
    [TARN_PARAM_TEXT] = {0, "a text"},
    [TARN_PARAM_FILE] = {0, "the name of a file"},
    [TARN_PARAM_TABLE] = {0, "a table"},
    [TARN_PARAM_INT3] = {3, "three whole numbers"},
    [TARN_PARAM_BITS] = {0, "bits as a hexadecimal text, such as \"0x1f\""},
};

// Bytes of a string member, 0 for other types.
static size_t text_bytes(tarn_param_type t)
{
    return t == TARN_PARAM_TEXT ? TARN_NAME_BYTES : t == TARN_PARAM_FILE ? TARN_FILE_BYTES : 0;
}

// ---- tables: a count, then, at offset 8, the rows; or a borrowed pointer and a count -----------------

struct table_start {
    int count;
    double row;
};
_Static_assert(offsetof(struct table_start, row) == sizeof(double), "rows begin 8 bytes after the count");

static size_t table_numbers(const tarn_param *p, int rows) { return (size_t)rows * (size_t)p->columns; }

static int table_fetch(const tarn_param *p, const void *data, const double **rows)
{
    int count;
    if (p->count_offset) {
        memcpy(&count, (const char *)data + p->count_offset, sizeof count);
        memcpy(rows, (const char *)data + p->offset, sizeof *rows);
        return count;
    }
    memcpy(&count, (const char *)data + p->offset, sizeof count);
    *rows = (const double *)(const void *)((const char *)data + p->offset + sizeof(double));
    return count;
}

// Unused rows are set to zero, so that equal tables have equal bytes. `rows` may point into the struct
// itself.
static void table_store(const tarn_param *p, void *data, const double *rows, int count)
{
    if (p->count_offset) {
        memcpy((char *)data + p->count_offset, &count, sizeof count);
        memcpy((char *)data + p->offset, &rows, sizeof rows);
        return;
    }
    char *count_bytes = (char *)data + p->offset, *row_bytes = count_bytes + sizeof(double);
    const size_t used_bytes = table_numbers(p, count) * sizeof(double);
    if (used_bytes) memmove(row_bytes, rows, used_bytes);
    memset(row_bytes + used_bytes, 0, table_numbers(p, p->rows) * sizeof(double) - used_bytes);
    memset(count_bytes, 0, sizeof(double));
    memcpy(count_bytes, &count, sizeof count);
}

static tarn_result table_check(const tarn_param *p, const double *rows, int count, tarn_error *err)
{
    const char *space = p->unit[0] ? " " : "";
    if (count < 0 || count > p->rows || (count && !rows))
        return fail(err, TARN_BAD_INPUT, p->name, "%d rows are outside 0 .. %d", count, p->rows);
    for (size_t i = 0; i < table_numbers(p, count); ++i)
        if (!(p->min <= rows[i] && rows[i] <= p->max))
            return fail(err, TARN_BAD_INPUT, p->name, "row %d: %.9g%s%s is outside %.9g .. %.9g",
                        (int)i / p->columns + 1, rows[i], space, p->unit, p->min, p->max);
    return TARN_OK;
}

size_t param_table_numbers(const tarn_kind *kind, const void *data)
{
    const double *rows;
    size_t sum = 0;
    for (int i = 0; i < kind->param_count; ++i)
        if (kind->params[i].count_offset)
            sum += table_numbers(&kind->params[i], table_fetch(&kind->params[i], data, &rows));
    return sum;
}

void param_copy_tables(const tarn_kind *kind, void *data, double *rows)
{
    for (int i = 0; i < kind->param_count; ++i) {
        const tarn_param *p = &kind->params[i];
        const double *borrowed;
        if (!p->count_offset) continue;
        const int count = table_fetch(p, data, &borrowed);
        if (count) memcpy(rows, borrowed, table_numbers(p, count) * sizeof *rows);
        table_store(p, data, count ? rows : NULL, count);
        rows += table_numbers(p, count);
    }
}

// ---- values -------------------------------------------------------------------------------------------

static bool is_integer_type(tarn_param_type t)
{
    return t == TARN_PARAM_INTEGER || t == TARN_PARAM_FLAG || t == TARN_PARAM_INT2 || t == TARN_PARAM_INT3 ||
           t == TARN_PARAM_CHOICE;
}

const tarn_param *tarn_param_find(const tarn_kind *kind, const char *name)
{
    for (int i = 0; kind && name && i < kind->param_count; ++i)
        if (strcmp(kind->params[i].name, name) == 0) return &kind->params[i];
    return NULL;
}

static void store_numbers(const tarn_param *p, void *data, const double *x)
{
    char *member = (char *)data + p->offset;
    if (text_bytes(p->type)) return;
    const int count = p->type == TARN_PARAM_CHOICE ? 1 : types[p->type].numbers;
    for (int i = 0; i < count; ++i) {
        if (p->type == TARN_PARAM_FLAG) {
            const bool flag = x[i] != 0.0;
            memcpy(member, &flag, sizeof flag);
        } else if (is_integer_type(p->type)) {
            const int integer = (int)x[i];
            memcpy(member + (size_t)i * sizeof(int), &integer, sizeof(int));
        } else {
            const double number = p->flags & TARN_PARAM_DEGREES ? degrees_to_radians(x[i]) : x[i];
            memcpy(member + (size_t)i * sizeof(double), &number, sizeof(double));
        }
    }
}

static void fetch_numbers(const tarn_param *p, const void *data, double *x)
{
    const char *member = (const char *)data + p->offset;
    const int count = p->type == TARN_PARAM_CHOICE ? 1 : types[p->type].numbers;
    for (int i = 0; i < count; ++i) {
        if (p->type == TARN_PARAM_FLAG) {
            unsigned char byte; // which a caller's mistake may have set to something else than 0 or 1
            _Static_assert(sizeof byte == sizeof(bool), "a flag is one byte");
            memcpy(&byte, member, sizeof byte);
            x[i] = byte;
        } else if (is_integer_type(p->type)) {
            int integer;
            memcpy(&integer, member + (size_t)i * sizeof(int), sizeof(int));
            x[i] = integer;
        } else {
            memcpy(&x[i], member + (size_t)i * sizeof(double), sizeof(double));
            if (p->flags & TARN_PARAM_DEGREES) x[i] = radians_to_degrees(x[i]);
        }
    }
}

// ---- bits, as a hexadecimal text ---------------------------------------------------------------------

static bool parse_bits(const char *text, uint64_t *bits)
{
    int digits = 0;
    if (text[0] != '0' || text[1] != 'x') return false;
    *bits = 0;
    for (text += 2; *text; ++text, ++digits) {
        const int digit = '0' <= *text && *text <= '9'   ? *text - '0'
                          : 'a' <= *text && *text <= 'f' ? *text - 'a' + 10
                          : 'A' <= *text && *text <= 'F' ? *text - 'A' + 10
                                                         : -1;
        if (digit < 0 || digits == 16) return false;
        *bits = *bits << 4 | (uint64_t)digit;
    }
    return digits > 0;
}

static uint64_t fetch_bits(const tarn_param *p, const void *data)
{
    uint64_t bits;
    memcpy(&bits, (const char *)data + p->offset, sizeof bits);
    return bits;
}

static void store_bits(const tarn_param *p, void *data, uint64_t bits)
{
    memcpy((char *)data + p->offset, &bits, sizeof bits);
}

static uint64_t default_bits(const tarn_param *p) { return (uint64_t)(int64_t)p->initial[0]; }

void tarn_kind_init(const tarn_kind *kind, void *data)
{
    for (int i = 0; kind && data && i < kind->param_count; ++i) {
        const tarn_param *p = &kind->params[i];
        if (text_bytes(p->type))
            memset((char *)data + p->offset, 0, text_bytes(p->type));
        else if (p->type == TARN_PARAM_BITS)
            store_bits(p, data, default_bits(p));
        else if (p->type == TARN_PARAM_TABLE)
            table_store(p, data, NULL, 0);
        else
            store_numbers(p, data, p->initial);
    }
}

static int choice_index(const tarn_param *p, const char *word)
{
    for (int i = 0; p->choices[i]; ++i)
        if (strcmp(p->choices[i], word) == 0) return i;
    return -1;
}

static tarn_result bad_choice(const tarn_param *p, const char *word, tarn_error *err)
{
    char names[160] = "";
    for (int i = 0; p->choices[i]; ++i) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", p->choices[i]);
    }
    return fail(err, TARN_BAD_INPUT, p->name, "unknown value '%s'; expected one of: %s", word, names);
}

// All numbers must be in range, and integers where the type requires it.
static tarn_result check_numbers(const tarn_param *p, const double *x, tarn_error *err)
{
    const char *space = p->unit[0] ? " " : "";
    double norm2 = 0.0;
    for (int i = 0; i < types[p->type].numbers; ++i) {
        if ((p->flags & TARN_PARAM_NAN) && isnan(x[i])) continue; // absent
        if (is_integer_type(p->type) && x[i] != floor(x[i]))
            return fail(err, TARN_BAD_INPUT, p->name, "%.9g is not a whole number", x[i]);
        if (!(p->min <= x[i] && x[i] <= p->max))
            return fail(err, TARN_BAD_INPUT, p->name, "%.9g%s%s is outside %.9g .. %.9g", x[i], space,
                        p->unit, p->min, p->max);
        norm2 += x[i] * x[i];
    }
    if (p->type == TARN_PARAM_QUAT && !(norm2 > 1e-12))
        return fail(err, TARN_BAD_INPUT, p->name,
                    "a rotation must not be all zero; the identity is [1, 0, 0, 0]");
    return TARN_OK;
}

static bool is_assignable(tarn_param_type target, tarn_param_type source)
{
    if (target == source) return true;
    if (target == TARN_PARAM_NUMBER) return source == TARN_PARAM_INTEGER;
    if (target == TARN_PARAM_INTEGER) return source == TARN_PARAM_NUMBER;
    if (target == TARN_PARAM_INT2) return source == TARN_PARAM_VEC2;
    if (target == TARN_PARAM_INT3) return source == TARN_PARAM_VEC3;
    const bool takes_text = target == TARN_PARAM_CHOICE || target == TARN_PARAM_BITS || text_bytes(target);
    return takes_text && (source == TARN_PARAM_CHOICE || text_bytes(source));
}

static tarn_result set_value(const tarn_param *p, void *data, const tarn_value *value, tarn_error *err)
{
    if (!is_assignable(p->type, value->type))
        return fail(err, TARN_BAD_INPUT, p->name, "expected %s", types[p->type].description);
    const size_t capacity = text_bytes(p->type);
    if (capacity) {
        memset((char *)data + p->offset, 0, capacity);
        memcpy((char *)data + p->offset, value->text, strnlen(value->text, capacity - 1));
        return TARN_OK;
    }
    if (p->type == TARN_PARAM_BITS) {
        uint64_t bits;
        if (!parse_bits(value->text, &bits))
            return fail(err, TARN_BAD_INPUT, p->name, "'%s' is not %s", value->text,
                        types[p->type].description);
        store_bits(p, data, bits);
        return TARN_OK;
    }
    if (p->type == TARN_PARAM_TABLE) {
        const tarn_result r = table_check(p, value->rows, value->row_count, err);
        if (r == TARN_OK) table_store(p, data, value->rows, value->row_count);
        return r;
    }
    if (p->type == TARN_PARAM_CHOICE) {
        const int index = choice_index(p, value->text);
        if (index < 0) return bad_choice(p, value->text, err);
        store_numbers(p, data, &(double){index});
        return TARN_OK;
    }
    const tarn_result r = check_numbers(p, value->number, err);
    if (r != TARN_OK) return r;
    if (p->type == TARN_PARAM_QUAT) {
        const quat q =
            quat_normalize((quat){value->number[0], value->number[1], value->number[2], value->number[3]});
        store_numbers(p, data, (const double[4]){q.w, q.x, q.y, q.z});
    } else {
        store_numbers(p, data, value->number);
    }
    return TARN_OK;
}

tarn_result tarn_kind_set(const tarn_kind *kind, void *data, const char *name, const tarn_value *value,
                          tarn_error *err)
{
    if (!kind || !data || !name || !value) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    const tarn_param *p = tarn_param_find(kind, name);
    return p ? set_value(p, data, value, err)
             : fail(err, TARN_BAD_INPUT, name, "%s has no such parameter", kind->name);
}

static void get_value(const tarn_param *p, const void *data, tarn_value *value)
{
    memset(value, 0, sizeof *value);
    value->type = p->type;
    if (text_bytes(p->type)) {
        memcpy(value->text, (const char *)data + p->offset, text_bytes(p->type) - 1);
        return;
    }
    if (p->type == TARN_PARAM_BITS) {
        snprintf(value->text, sizeof value->text, "0x%llx", (unsigned long long)fetch_bits(p, data));
        return;
    }
    if (p->type == TARN_PARAM_TABLE) {
        value->row_count = table_fetch(p, data, &value->rows);
        return;
    }
    fetch_numbers(p, data, value->number);
    if (p->type == TARN_PARAM_CHOICE) {
        snprintf(value->text, sizeof value->text, "%s", p->choices[(int)value->number[0]]);
        value->number[0] = 0.0;
    }
}

tarn_result tarn_kind_get(const tarn_kind *kind, const void *data, const char *name, tarn_value *value)
{
    const tarn_param *p = tarn_param_find(kind, name);
    if (!p || !data || !value) return TARN_BAD_ARGUMENT;
    get_value(p, data, value);
    return TARN_OK;
}

tarn_result tarn_kind_check(const tarn_kind *kind, const void *data, tarn_error *err)
{
    if (!kind || !data) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    for (int i = 0; i < kind->param_count; ++i) {
        const tarn_param *p = &kind->params[i];
        double x[4] = {0};
        if (text_bytes(p->type) || p->type == TARN_PARAM_BITS) continue;
        if (p->type == TARN_PARAM_TABLE) {
            const double *rows;
            const int count = table_fetch(p, data, &rows);
            const tarn_result r = table_check(p, rows, count, err);
            if (r != TARN_OK) return r;
            continue;
        }
        fetch_numbers(p, data, x);
        if (p->type == TARN_PARAM_CHOICE) {
            int count = 0;
            while (p->choices[count]) ++count;
            if (!(0 <= x[0] && x[0] < count))
                return fail(err, TARN_BAD_INPUT, p->name, "%d is not one of %d choices", (int)x[0], count);
            continue;
        }
        const tarn_result r = check_numbers(p, x, err);
        if (r != TARN_OK) return r;
    }
    return TARN_OK;
}

tarn_result tarn_spec_set(tarn_spec *spec, const char *name, tarn_value value, tarn_error *err)
{
    if (!spec) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    return tarn_kind_set(spec->kind, spec->data, name, &value, err);
}

tarn_result tarn_spec_get(const tarn_spec *spec, const char *name, tarn_value *value)
{
    return spec ? tarn_kind_get(spec->kind, spec->data, name, value) : TARN_BAD_ARGUMENT;
}

tarn_value tarn_value_number(double x) { return (tarn_value){.type = TARN_PARAM_NUMBER, .number = {x}}; }
tarn_value tarn_value_integer(int n) { return (tarn_value){.type = TARN_PARAM_INTEGER, .number = {n}}; }
tarn_value tarn_value_flag(bool on) { return (tarn_value){.type = TARN_PARAM_FLAG, .number = {on}}; }
tarn_value tarn_value_vec2(double x, double y)
{
    return (tarn_value){.type = TARN_PARAM_VEC2, .number = {x, y}};
}

tarn_value tarn_value_vec3(double x, double y, double z)
{
    return (tarn_value){.type = TARN_PARAM_VEC3, .number = {x, y, z}};
}

tarn_value tarn_value_quat(double w, double x, double y, double z)
{
    return (tarn_value){.type = TARN_PARAM_QUAT, .number = {w, x, y, z}};
}

tarn_value tarn_value_axis_angle(double x, double y, double z, double degrees)
{
    // The axis is first scaled by its largest component, so that no square underflows or overflows.
    const double max_component = fmax(fabs(x), fmax(fabs(y), fabs(z)));
    const vec3 axis =
        max_component > 0.0 ? v3(x / max_component, y / max_component, z / max_component) : v3(0, 0, 0);
    const double half_angle = (PI / 360.0) * fmod(degrees, 720.0);
    const double k = max_component > 0.0 ? m_sin(half_angle) / v3_length(axis) : 0.0;
    return tarn_value_quat(max_component > 0.0 ? m_cos(half_angle) : 0.0, k * axis.x, k * axis.y, k * axis.z);
}

tarn_value tarn_value_text(const char *text)
{
    tarn_value v = {.type = TARN_PARAM_TEXT};
    if (text) memcpy(v.text, text, strnlen(text, sizeof v.text - 1));
    return v;
}

tarn_value tarn_value_table(const double *rows, int count)
{
    return (tarn_value){.type = TARN_PARAM_TABLE, .rows = rows, .row_count = count};
}

// ---- live parameters ----------------------------------------------------------------------------------

// Radians go through degrees and back with an error of a few ulp; here they are copied as they are.
static void copy_radians(const tarn_param *p, void *to, const void *from)
{
    memcpy((char *)to + p->offset, (const char *)from + p->offset, sizeof(double));
}

tarn_result param_copy_live(const tarn_kind *kind, void *to, const void *from, tarn_error *err)
{
    tarn_result r = TARN_OK;
    for (int i = 0; i < kind->param_count && r == TARN_OK; ++i) {
        tarn_value value;
        if (!(kind->params[i].flags & TARN_PARAM_LIVE)) continue;
        get_value(&kind->params[i], from, &value);
        r = tarn_kind_set(kind, to, kind->params[i].name, &value, err);
        if (r == TARN_OK && kind->params[i].flags & TARN_PARAM_DEGREES && value.type != TARN_PARAM_TABLE)
            copy_radians(&kind->params[i], to, from);
    }
    return r;
}

static bool is_same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool is_same_value(const tarn_param *p, const void *a, const void *b)
{
    tarn_value x, y;
    get_value(p, a, &x);
    get_value(p, b, &y);
    bool same = x.row_count == y.row_count && strcmp(x.text, y.text) == 0;
    for (int i = 0; i < 4; ++i) same &= is_same_number(x.number[i], y.number[i]);
    for (size_t i = 0; same && i < table_numbers(p, x.row_count); ++i)
        same &= is_same_number(x.rows[i], y.rows[i]);
    return same;
}

tarn_result param_check_fixed(const tarn_kind *kind, const void *data, const void *changed, tarn_error *err)
{
    for (int i = 0; i < kind->param_count; ++i)
        if (!(kind->params[i].flags & TARN_PARAM_LIVE) && !is_same_value(&kind->params[i], data, changed))
            return fail(err, TARN_BAD_INPUT, kind->params[i].name, "this parameter is fixed after creation");
    return TARN_OK;
}

// ---- checkpoints --------------------------------------------------------------------------------------

static bool has_default(const tarn_param *p, const void *data)
{
    double x[4] = {0};
    if (p->type == TARN_PARAM_BITS) return fetch_bits(p, data) == default_bits(p);
    if (types[p->type].numbers) fetch_numbers(p, data, x);
    for (int i = 0; i < types[p->type].numbers; ++i)
        if (x[i] != p->initial[i] && !(isnan(x[i]) && isnan(p->initial[i]))) return false;
    return true;
}

// Checkpoints do not contain what only pictures show, nor a rare parameter that has its default.
static bool is_saved(const tarn_param *p, const void *data)
{
    return !(p->flags & TARN_PARAM_LOOK) && !(p->flags & TARN_PARAM_RARE && has_default(p, data));
}

// An angle is saved in degrees and, because other angles than decimal numbers of degrees are not equal to any
// number of degrees, with the difference to it in radians, which is exact.
static double radians_beyond(double radians)
{
    return isnan(radians) ? 0.0 : radians - degrees_to_radians(radians_to_degrees(radians));
}

static double radians_of(const tarn_param *p, const void *data)
{
    double radians;
    memcpy(&radians, (const char *)data + p->offset, sizeof radians);
    return radians;
}

// The angle at the end of a row of a table.
static double row_angle(const tarn_param *p, const tarn_value *v, int row)
{
    return v->rows[table_numbers(p, row + 1) - 1];
}

static bool is_table_of_angles(const tarn_param *p)
{
    return p->type == TARN_PARAM_TABLE && p->flags & TARN_PARAM_DEGREES;
}

// What number[1] of an angle or a table of angles has in a checkpoint: the difference, or 1 if a column of
// differences follows the table.
static double difference_mark(const tarn_param *p, const void *data, const tarn_value *v)
{
    if (p->type != TARN_PARAM_TABLE) return radians_beyond(radians_of(p, data));
    for (int i = 0; i < v->row_count; ++i)
        if (radians_beyond(row_angle(p, v, i)) != 0.0) return 1.0;
    return 0.0;
}

static void save_rows(struct saver *s, const tarn_param *p, const tarn_value *v)
{
    if (!is_table_of_angles(p)) {
        save_f64s(s, v->rows, table_numbers(p, v->row_count));
        return;
    }
    for (int i = 0; i < v->row_count; ++i) {
        save_f64s(s, v->rows + table_numbers(p, i), (size_t)p->columns - 1);
        save_f64(s, radians_to_degrees(row_angle(p, v, i)));
    }
    for (int i = 0; v->number[1] != 0.0 && i < v->row_count; ++i)
        save_f64(s, radians_beyond(row_angle(p, v, i)));
}

static bool add_radians(const tarn_param *p, void *data, double more)
{
    double radians;
    memcpy(&radians, (const char *)data + p->offset, sizeof radians);
    radians += more;
    memcpy((char *)data + p->offset, &radians, sizeof radians);
    return fabs(more) < 1e-12 || isnan(radians);
}

static void save_param(struct saver *s, const tarn_param *p, const void *data)
{
    tarn_value v;
    get_value(p, data, &v);
    if (p->flags & TARN_PARAM_DEGREES) v.number[1] = difference_mark(p, data, &v);
    save_text(s, p->name);
    save_u32(s, (uint32_t)v.type);
    save_f64s(s, v.number, 4);
    save_text(s, v.text);
    if (v.type != TARN_PARAM_TABLE) return;
    save_u32(s, (uint32_t)v.row_count);
    save_rows(s, p, &v);
}

void param_save(struct saver *s, const tarn_kind *kind, const void *data)
{
    int count = 0;
    for (int i = 0; i < kind->param_count; ++i) count += is_saved(&kind->params[i], data);
    save_u32(s, (uint32_t)count);
    for (int i = 0; i < kind->param_count; ++i)
        if (is_saved(&kind->params[i], data)) save_param(s, &kind->params[i], data);
}

uint64_t param_hash_fixed(const tarn_kind *kind, const void *data)
{
    struct saver s = {.result = TARN_OK};
    hash_init(&s.hash);
    for (int i = 0; i < kind->param_count; ++i)
        if (!(kind->params[i].flags & TARN_PARAM_LIVE)) save_param(&s, &kind->params[i], data);
    return hash_result(&s.hash);
}

#define MAX_DIFFERENCE 1e-9 // [rad] the rounding of the largest angle that a parameter may have

// Angles of rows that were read, from degrees; false: an invalid difference.
static bool load_row_angles(struct loader *l, const tarn_param *p, const tarn_value *v, double *rows)
{
    bool ok = true;
    for (int i = 0; i < v->row_count; ++i) {
        double *angle = &rows[table_numbers(p, i + 1) - 1];
        *angle = degrees_to_radians(*angle);
    }
    for (int i = 0; v->number[1] != 0.0 && i < v->row_count; ++i) {
        const double difference = load_f64(l);
        rows[table_numbers(p, i + 1) - 1] += difference;
        ok = ok && fabs(difference) < MAX_DIFFERENCE;
    }
    return ok;
}

// Reads the rows of a table, which follow its value, into a buffer. Returns false if p is no table or has fewer
// rows, or the buffer is full.
static bool load_rows(struct loader *l, const tarn_param *p, tarn_value *v, struct table_rows_buffer *buffer)
{
    const uint32_t count = load_u32(l);
    if (!p || p->type != TARN_PARAM_TABLE || count > (uint32_t)p->rows || !buffer) return false;
    const size_t numbers = table_numbers(p, (int)count);
    if (numbers > MAX_TABLE_NUMBERS - buffer->used) return false;
    v->row_count = (int)count;
    double *rows = buffer->numbers + buffer->used;
    v->rows = rows;
    load_f64s(l, rows, numbers);
    buffer->used += numbers;
    return !is_table_of_angles(p) || load_row_angles(l, p, v, rows);
}

tarn_result param_load(struct loader *l, const tarn_kind *kind, void *data, tarn_error *err)
{
    return param_load_with_rows(l, kind, data, NULL, err);
}

tarn_result param_load_with_rows(struct loader *l, const tarn_kind *kind, void *data,
                                 struct table_rows_buffer *rows, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    for (uint32_t i = 0; i < count && !l->failed; ++i) {
        char name[TARN_NAME_BYTES];
        tarn_value v = {0};
        struct table_rows_buffer copied_rows;
        copied_rows.used = 0;
        load_text(l, name, sizeof name);
        v.type = (tarn_param_type)load_u32(l);
        load_f64s(l, v.number, 4);
        load_text(l, v.text, sizeof v.text);
        if (l->failed) break;
        // They were saved in the order of the list.
        const bool in_order = (int)i < kind->param_count && strcmp(kind->params[i].name, name) == 0;
        const tarn_param *p = in_order ? &kind->params[i] : tarn_param_find(kind, name);
        if (!p) return fail(err, TARN_BAD_INPUT, name, "%s has no such parameter", kind->name);
        if (v.type == TARN_PARAM_TABLE && !load_rows(l, p, &v, p->count_offset ? rows : &copied_rows))
            return fail(err, TARN_BAD_INPUT, name, "%s has no table of this name and size", kind->name);
        // A loaded rotation must have the saved bits, so it is not normalised again.
        if (p->type == TARN_PARAM_QUAT && v.type == TARN_PARAM_QUAT &&
            check_numbers(p, v.number, err) == TARN_OK) {
            store_numbers(p, data, v.number);
            continue;
        }
        const tarn_result r = set_value(p, data, &v, err);
        if (r != TARN_OK) return r;
        if (p->flags & TARN_PARAM_DEGREES && p->type != TARN_PARAM_TABLE && v.number[1] != 0.0 &&
            !add_radians(p, data, v.number[1]))
            return fail(err, TARN_BAD_INPUT, name, "the angle is not valid");
    }
    return l->failed ? fail(err, TARN_BAD_INPUT, "", "the parameters of %s are incomplete", kind->name)
                     : TARN_OK;
}
