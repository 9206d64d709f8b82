// Parameter lists: one entry describes one member of a struct by name, type, unit, default, range and help
// text. Scene files, JSON schemas, panels of the viewer and language bindings are generated from these
// lists.
//
// LIVE parameters may change between steps; OPTIONAL ones may be absent, which is stored as NaN.
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include "save.h"

#include <tarn/param.h>

#include <math.h>
#include <stddef.h>

#define PARAM_NUMBER(type_, field, name_, def, lo, hi, unit_, help_)                                     \
    {                                                                                                    \
        .name = name_, .type = TARN_PARAM_NUMBER, .unit = unit_, .initial = {def}, .min = lo, .max = hi, \
        .help = help_, .offset = offsetof(type_, field)                                                  \
    }
#define PARAM_LIVE(type_, field, name_, def, lo, hi, unit_, help_)                                       \
    {                                                                                                    \
        .name = name_, .type = TARN_PARAM_NUMBER, .unit = unit_, .initial = {def}, .min = lo, .max = hi, \
        .help = help_, .flags = TARN_PARAM_LIVE, .offset = offsetof(type_, field)                        \
    }
#define PARAM_OPTIONAL(type_, field, name_, lo, hi, unit_, help_)                                        \
    {                                                                                                    \
        .name = name_, .type = TARN_PARAM_NUMBER, .unit = unit_, .initial = {NAN}, .min = lo, .max = hi, \
        .help = help_, .flags = TARN_PARAM_NAN, .offset = offsetof(type_, field)                         \
    }
#define PARAM_OPTIONAL_LIVE(type_, field, name_, lo, hi, unit_, help_)                                   \
    {                                                                                                    \
        .name = name_, .type = TARN_PARAM_NUMBER, .unit = unit_, .initial = {NAN}, .min = lo, .max = hi, \
        .help = help_, .flags = TARN_PARAM_LIVE | TARN_PARAM_NAN, .offset = offsetof(type_, field)       \
    }
// An angle: degrees in files, radians in the struct.
#define PARAM_ANGLE(type_, field, name_, def, lo, hi, help_)                                                 \
    {                                                                                                        \
        .name = name_, .type = TARN_PARAM_NUMBER, .unit = "degrees", .initial = {def}, .min = lo, .max = hi, \
        .help = help_, .flags = TARN_PARAM_DEGREES, .offset = offsetof(type_, field)                         \
    }
#define PARAM_LIVE_ANGLE(type_, field, name_, def, lo, hi, help_)                                            \
    {                                                                                                        \
        .name = name_, .type = TARN_PARAM_NUMBER, .unit = "degrees", .initial = {def}, .min = lo, .max = hi, \
        .help = help_, .flags = TARN_PARAM_LIVE | TARN_PARAM_DEGREES, .offset = offsetof(type_, field)       \
    }
#define PARAM_INTEGER(type_, field, name_, def, lo, hi, help_)                                         \
    {                                                                                                  \
        .name = name_, .type = TARN_PARAM_INTEGER, .unit = "", .initial = {def}, .min = lo, .max = hi, \
        .help = help_, .offset = offsetof(type_, field)                                                \
    }
#define PARAM_FLAG(type_, field, name_, def, help_)                                               \
    {                                                                                             \
        .name = name_, .type = TARN_PARAM_FLAG, .unit = "", .initial = {def}, .min = 0, .max = 1, \
        .help = help_, .offset = offsetof(type_, field)                                           \
    }
#define PARAM_LIVE_FLAG(type_, field, name_, def, help_)                                          \
    {                                                                                             \
        .name = name_, .type = TARN_PARAM_FLAG, .unit = "", .initial = {def}, .min = 0, .max = 1, \
        .help = help_, .flags = TARN_PARAM_LIVE, .offset = offsetof(type_, field)                 \
    }
#define PARAM_VEC2(type_, field, name_, dx, dy, lo, hi, unit_, help_)                                     \
    {                                                                                                     \
        .name = name_, .type = TARN_PARAM_VEC2, .unit = unit_, .initial = {dx, dy}, .min = lo, .max = hi, \
        .help = help_, .offset = offsetof(type_, field)                                                   \
    }
#define PARAM_LIVE_VEC2(type_, field, name_, dx, dy, lo, hi, unit_, help_)                                \
    {                                                                                                     \
        .name = name_, .type = TARN_PARAM_VEC2, .unit = unit_, .initial = {dx, dy}, .min = lo, .max = hi, \
        .help = help_, .flags = TARN_PARAM_LIVE, .offset = offsetof(type_, field)                         \
    }
#define PARAM_INT2(type_, field, name_, dx, dy, lo, hi, help_)                                         \
    {                                                                                                  \
        .name = name_, .type = TARN_PARAM_INT2, .unit = "", .initial = {dx, dy}, .min = lo, .max = hi, \
        .help = help_, .offset = offsetof(type_, field)                                                \
    }
#define PARAM_VEC3(type_, field, name_, dx, dy, dz, lo, hi, unit_, help_)                          \
    {                                                                                              \
        .name = name_, .type = TARN_PARAM_VEC3, .unit = unit_, .initial = {dx, dy, dz}, .min = lo, \
        .max = hi, .help = help_, .offset = offsetof(type_, field)                                 \
    }
#define PARAM_QUAT(type_, field, name_, help_)                                                              \
    {                                                                                                       \
        .name = name_, .type = TARN_PARAM_QUAT, .unit = "", .initial = {1, 0, 0, 0}, .min = -10, .max = 10, \
        .help = help_, .offset = offsetof(type_, field)                                                     \
    }
#define PARAM_CHOICE(type_, field, name_, def, names, help_)                                   \
    {                                                                                          \
        .name = name_, .type = TARN_PARAM_CHOICE, .unit = "", .initial = {def}, .help = help_, \
        .choices = names, .offset = offsetof(type_, field)                                     \
    }
#define PARAM_LIVE_CHOICE(type_, field, name_, def, names, help_)                              \
    {                                                                                          \
        .name = name_, .type = TARN_PARAM_CHOICE, .unit = "", .initial = {def}, .help = help_, \
        .choices = names, .flags = TARN_PARAM_LIVE, .offset = offsetof(type_, field)           \
    }
#define PARAM_TEXT(type_, field, name_, help_)                                                              \
    {                                                                                                       \
        .name = name_, .type = TARN_PARAM_TEXT, .unit = "", .help = help_, .offset = offsetof(type_, field) \
    }

#define PARAM_FILE(type_, field, name_, help_)                                                              \
    {                                                                                                       \
        .name = name_, .type = TARN_PARAM_FILE, .unit = "", .help = help_, .offset = offsetof(type_, field) \
    }

// The member is a struct { int count; double rows[rows_][columns_]; }.
#define PARAM_TABLE(type_, field, name_, columns_, rows_, lo, hi, unit_, help_)                      \
    {                                                                                                \
        .name = name_, .type = TARN_PARAM_TABLE, .unit = unit_, .min = lo, .max = hi, .help = help_, \
        .offset = offsetof(type_, field), .columns = columns_, .rows = rows_                         \
    }

// The members are a pointer to rows of doubles, such as tarn_vec3, which the struct borrows, and their
// number.
#define PARAM_POINTS(type_, field, count_, name_, columns_, rows_, lo, hi, unit_, help_)             \
    {                                                                                                \
        .name = name_, .type = TARN_PARAM_TABLE, .unit = unit_, .min = lo, .max = hi, .help = help_, \
        .offset = offsetof(type_, field), .columns = columns_, .rows = rows_,                        \
        .count_offset = offsetof(type_, count_)                                                      \
    }

#define PARAMS(list) .params = list, .param_count = (int)(sizeof(list) / sizeof((list)[0]))

// Gives `to` the live parameters of `from`, checked; `to` may be changed in part on failure.
tarn_result param_copy_live(const tarn_kind *kind, void *to, const void *from, tarn_error *err);
// TARN_BAD_INPUT with the key of the first parameter that is not live and differs.
tarn_result param_check_fixed(const tarn_kind *kind, const void *data, const void *changed, tarn_error *err);

// A hash of the parameters that are not live.
uint64_t param_hash_fixed(const tarn_kind *kind, const void *data);

// Writes all parameters of a kind's struct into a checkpoint, by name.
void param_save(struct saver *s, const tarn_kind *kind, const void *data);

// Reads them back. Unknown names and values out of range are TARN_BAD_INPUT. The tables that a struct borrows
// are read into `rows`; param_load() is for kinds without any.
#define MAX_TABLE_NUMBERS 256 // of all tables of a kind
struct table_rows_buffer {
    double numbers[MAX_TABLE_NUMBERS];
    size_t used;
};
tarn_result param_load(struct loader *l, const tarn_kind *kind, void *data, tarn_error *err);
tarn_result param_load_with_rows(struct loader *l, const tarn_kind *kind, void *data,
                                 struct table_rows_buffer *rows, tarn_error *err);

// The numbers in the tables that a struct borrows. param_copy_tables() copies them to `rows` and lets the struct
// point there.
size_t param_table_numbers(const tarn_kind *kind, const void *data);
void param_copy_tables(const tarn_kind *kind, void *data, double *rows);

#endif
