#define _POSIX_C_SOURCE 200809L // strnlen
#include "param.h"

#include "error.h"
#include "math.h"

#include <stdio.h>
#include <string.h>

// How many numbers a value of each type has, and what to call it in a message.
static const struct {
    int numbers;
    const char *words;
} types[] = {
    [TARN_NUMBER] = {1, "a number"},
    [TARN_INTEGER] = {1, "a whole number"},
    [TARN_FLAG] = {1, "true or false"},
    [TARN_VEC2] = {2, "two numbers"},
    [TARN_VEC3] = {3, "three numbers"},
    [TARN_QUAT] = {4, "four numbers (w, x, y, z)"},
    [TARN_INT2] = {2, "two whole numbers"},
    [TARN_CHOICE] = {0, "a word"},
    [TARN_TEXT] = {0, "a text"},
    [TARN_FILE] = {0, "the name of a file"},
};

// Bytes of a text in its struct, 0 for what is no text.
static size_t text_bytes(tarn_type t)
{
    return t == TARN_TEXT ? TARN_NAME_BYTES : t == TARN_FILE ? TARN_FILE_BYTES : 0;
}

static bool is_whole(tarn_type t)
{
    return t == TARN_INTEGER || t == TARN_FLAG || t == TARN_INT2 || t == TARN_CHOICE;
}

const tarn_param *tarn_param_find(const tarn_kind *kind, const char *name)
{
    for (int i = 0; kind && name && i < kind->param_count; ++i)
        if (strcmp(kind->params[i].name, name) == 0) return &kind->params[i];
    return NULL;
}

static void store(const tarn_param *p, void *data, const double *x)
{
    char *at = (char *)data + p->offset;
    if (text_bytes(p->type)) return;
    const int n = p->type == TARN_CHOICE ? 1 : types[p->type].numbers;
    for (int i = 0; i < n; ++i) {
        if (is_whole(p->type)) {
            const int whole = (int)x[i];
            memcpy(at + (size_t)i * sizeof(int), &whole, sizeof(int));
        } else {
            memcpy(at + (size_t)i * sizeof(double), &x[i], sizeof(double));
        }
    }
}

static void fetch(const tarn_param *p, const void *data, double *x)
{
    const char *at = (const char *)data + p->offset;
    const int n = p->type == TARN_CHOICE ? 1 : types[p->type].numbers;
    for (int i = 0; i < n; ++i) {
        if (is_whole(p->type)) {
            int whole;
            memcpy(&whole, at + (size_t)i * sizeof(int), sizeof(int));
            x[i] = whole;
        } else {
            memcpy(&x[i], at + (size_t)i * sizeof(double), sizeof(double));
        }
    }
}

void tarn_kind_defaults(const tarn_kind *kind, void *data)
{
    for (int i = 0; kind && data && i < kind->param_count; ++i) {
        const tarn_param *p = &kind->params[i];
        if (text_bytes(p->type))
            memset((char *)data + p->offset, 0, text_bytes(p->type));
        else
            store(p, data, p->initial);
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
    return fail(err, TARN_BAD_INPUT, p->name, "'%s' is none of: %s", word, names);
}

// Numbers within the range, whole where they must be.
static tarn_result check_numbers(const tarn_param *p, const double *x, tarn_error *err)
{
    const char *space = p->unit[0] ? " " : "";
    double square = 0.0;
    for (int i = 0; i < types[p->type].numbers; ++i) {
        if ((p->flags & TARN_OPTIONAL) && isnan(x[i])) continue; // not given
        if (is_whole(p->type) && x[i] != floor(x[i]))
            return fail(err, TARN_BAD_INPUT, p->name, "%.9g is not a whole number", x[i]);
        if (!(p->min <= x[i] && x[i] <= p->max))
            return fail(err, TARN_BAD_INPUT, p->name, "%.9g%s%s is outside %.9g .. %.9g", x[i], space,
                        p->unit, p->min, p->max);
        square += x[i] * x[i];
    }
    if (p->type == TARN_QUAT && !(square > 1e-12))
        return fail(err, TARN_BAD_INPUT, p->name, "a rotation must not be all zero; no turn is [1, 0, 0, 0]");
    return TARN_OK;
}

static bool fits(tarn_type want, tarn_type given)
{
    if (want == given) return true;
    if (want == TARN_NUMBER) return given == TARN_INTEGER;
    if (want == TARN_INTEGER) return given == TARN_NUMBER;
    if (want == TARN_INT2) return given == TARN_VEC2;
    return (want == TARN_CHOICE || text_bytes(want)) && (given == TARN_CHOICE || text_bytes(given));
}

tarn_result tarn_kind_set(const tarn_kind *kind, void *data, const char *name, const tarn_value *value,
                          tarn_error *err)
{
    if (!kind || !data || !name || !value) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    const tarn_param *p = tarn_param_find(kind, name);
    if (!p) return fail(err, TARN_BAD_INPUT, name, "%s has no such parameter", kind->name);
    if (!fits(p->type, value->type))
        return fail(err, TARN_BAD_INPUT, name, "%s is expected", types[p->type].words);
    const size_t bytes = text_bytes(p->type);
    if (bytes) {
        memset((char *)data + p->offset, 0, bytes);
        memcpy((char *)data + p->offset, value->text, strnlen(value->text, bytes - 1));
        return TARN_OK;
    }
    if (p->type == TARN_CHOICE) {
        const int index = choice_index(p, value->text);
        if (index < 0) return bad_choice(p, value->text, err);
        store(p, data, &(double){index});
        return TARN_OK;
    }
    const tarn_result r = check_numbers(p, value->number, err);
    if (r != TARN_OK) return r;
    if (p->type == TARN_QUAT) {
        const quat q =
            quat_unit((quat){value->number[0], value->number[1], value->number[2], value->number[3]});
        store(p, data, (const double[4]){q.w, q.x, q.y, q.z});
    } else {
        store(p, data, value->number);
    }
    return TARN_OK;
}

tarn_result tarn_kind_get(const tarn_kind *kind, const void *data, const char *name, tarn_value *value)
{
    const tarn_param *p = tarn_param_find(kind, name);
    if (!p || !data || !value) return TARN_BAD_ARGUMENT;
    memset(value, 0, sizeof *value);
    value->type = p->type;
    if (text_bytes(p->type)) {
        memcpy(value->text, (const char *)data + p->offset, text_bytes(p->type) - 1);
        return TARN_OK;
    }
    fetch(p, data, value->number);
    if (p->type == TARN_CHOICE) {
        snprintf(value->text, sizeof value->text, "%s", p->choices[(int)value->number[0]]);
        value->number[0] = 0.0;
    }
    return TARN_OK;
}

tarn_result tarn_kind_check(const tarn_kind *kind, const void *data, tarn_error *err)
{
    if (!kind || !data) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    for (int i = 0; i < kind->param_count; ++i) {
        const tarn_param *p = &kind->params[i];
        double x[4] = {0};
        if (text_bytes(p->type)) continue;
        fetch(p, data, x);
        if (p->type == TARN_CHOICE) {
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
    if (!spec) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    return tarn_kind_set(spec->kind, spec->data, name, &value, err);
}

tarn_result tarn_spec_get(const tarn_spec *spec, const char *name, tarn_value *value)
{
    return spec ? tarn_kind_get(spec->kind, spec->data, name, value) : TARN_BAD_ARGUMENT;
}

tarn_value tarn_number(double x) { return (tarn_value){.type = TARN_NUMBER, .number = {x}}; }
tarn_value tarn_integer(int n) { return (tarn_value){.type = TARN_INTEGER, .number = {n}}; }
tarn_value tarn_flag(int on) { return (tarn_value){.type = TARN_FLAG, .number = {on != 0}}; }
tarn_value tarn_pair(double x, double y) { return (tarn_value){.type = TARN_VEC2, .number = {x, y}}; }

tarn_value tarn_triple(double x, double y, double z)
{
    return (tarn_value){.type = TARN_VEC3, .number = {x, y, z}};
}

tarn_value tarn_rotation(double w, double x, double y, double z)
{
    return (tarn_value){.type = TARN_QUAT, .number = {w, x, y, z}};
}

tarn_value tarn_word(const char *text)
{
    tarn_value v = {.type = TARN_TEXT};
    if (text) memcpy(v.text, text, strnlen(text, sizeof v.text - 1));
    return v;
}

void param_save(struct saver *s, const tarn_kind *kind, const void *data)
{
    save_u32(s, (uint32_t)kind->param_count);
    for (int i = 0; i < kind->param_count; ++i) {
        tarn_value v;
        tarn_kind_get(kind, data, kind->params[i].name, &v);
        save_text(s, kind->params[i].name);
        save_u32(s, (uint32_t)v.type);
        save_f64s(s, v.number, 4);
        save_text(s, v.text);
    }
}

tarn_result param_load(struct loader *l, const tarn_kind *kind, void *data, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    for (uint32_t i = 0; i < count && !l->bad; ++i) {
        char name[TARN_NAME_BYTES];
        tarn_value v = {0};
        load_text(l, name, sizeof name);
        v.type = (tarn_type)load_u32(l);
        load_f64s(l, v.number, 4);
        load_text(l, v.text, sizeof v.text);
        if (l->bad) break;
        const tarn_param *p = tarn_param_find(kind, name);
        // A rotation must come back to the bit, so it is not made unit length a second time.
        if (p && p->type == TARN_QUAT && v.type == TARN_QUAT && check_numbers(p, v.number, err) == TARN_OK) {
            store(p, data, v.number);
            continue;
        }
        const tarn_result r = tarn_kind_set(kind, data, name, &v, err);
        if (r != TARN_OK) return r;
    }
    return l->bad ? fail(err, TARN_BAD_INPUT, "", "the parameters of %s are cut short", kind->name) : TARN_OK;
}
