/// @file param.h
/// Kinds and their parameters by name: what scene files, `--set`, panels and bindings use.
///
/// A kind (the fluid `wave`, the shape `sphere`, the emitter `rain`) is a name and a list of parameters.
/// Each parameter says where in a plain C struct its value lives, so the same list serves a C programmer
/// who fills in the struct and a reader that knows only words.
#ifndef TARN_PARAM_H
#define TARN_PARAM_H

#include "bed.h"
#include "emitter.h"
#include "fluid.h"
#include "joint.h"
#include "obstacle.h"
#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_FILE_BYTES 256  ///< size of the name of a file, the closing zero included
#define TARN_SPEC_BYTES 1024 ///< size of the largest struct of a kind

/// What a parameter is, and how its value is stored in a struct.
typedef enum tarn_param_type {
    TARN_PARAM_NUMBER = 1, ///< double
    TARN_PARAM_INTEGER,    ///< int
    TARN_PARAM_FLAG,       ///< bool
    TARN_PARAM_VEC2,       ///< double[2]
    TARN_PARAM_VEC3,       ///< double[3], or a tarn_vec3
    TARN_PARAM_QUAT,       ///< double[4] as w x y z, or a tarn_quat; made unit length when set
    TARN_PARAM_INT2,       ///< int[2]
    TARN_PARAM_CHOICE,     ///< int, an index into `choices`
    TARN_PARAM_TEXT,       ///< char[TARN_NAME_BYTES]
    TARN_PARAM_FILE,       ///< char[TARN_FILE_BYTES], the name of a file beside the scene
    /// struct { int count; double rows[MOST][COLUMNS]; }, the rows 8 bytes after the count; or, with a
    /// `count_offset`, a pointer to borrowed rows and an int
    TARN_PARAM_TABLE,
    TARN_PARAM_INT3, ///< int[3]
    TARN_PARAM_BITS  ///< uint64_t; as text in hexadecimal, "0x1f"
} tarn_param_type;

/// A value of any type. Numbers, integers and flags use number[0 ..]; choices, texts and files use text;
/// tables use rows. Rows are borrowed: those that tarn_kind_get() returns are valid until the struct is
/// changed or freed.
typedef struct tarn_value {
    tarn_param_type type;
    double number[4];
    char text[TARN_FILE_BYTES];
    const double *rows; ///< row after row, each with as many numbers as the parameter has columns
    int row_count;
} tarn_value;

enum {
    TARN_PARAM_LIVE = 1, ///< may change between steps, and is part of the world's state
    TARN_PARAM_NAN = 2,  ///< numbers may be NaN, which means that they are not given
    TARN_PARAM_LOOK = 4, ///< used for drawing only: no part of a world's state and of its hash
    TARN_PARAM_RARE = 8, ///< saved and hashed only where it differs from its default
    /// An angle, a TARN_PARAM_NUMBER: a tarn_value, `initial`, `min` and `max` are in degrees as in scene
    /// files, the member of the struct is in radians. Of a TARN_PARAM_TABLE: the last number of a row is an
    /// angle, in scene files in degrees, in the struct and in a tarn_value in radians.
    TARN_PARAM_DEGREES = 16
};

/// One parameter. A choice may be the head of a group: in JSON "boundary.west" is then a word, or an object
/// whose "kind" is that word and which contains "boundary.west.level" and other members.
typedef struct tarn_param {
    const char *name; ///< "radius"; a dot makes a group: "boundary.west"
    tarn_param_type type;
    const char *unit; ///< "m"; "" for a plain number
    double initial
        [4]; ///< default (of a choice: its index; of bits: -1 is all; of a text, file or table: always empty)
    double min, max;            ///< inclusive range of every component
    const char *help;           ///< one line
    const char *const *choices; ///< names of a choice, ending with NULL; otherwise NULL
    unsigned flags;             ///< TARN_PARAM_LIVE and the others
    size_t offset;              ///< place in the kind's struct
    int columns, rows;          ///< of a table: numbers in a row, most rows; otherwise 0
    size_t count_offset;        ///< of a table that is a pointer: place of the number of rows; otherwise 0
} tarn_param;

/// Properties of a fluid model, in tarn_kind.flags.
enum {
    TARN_MODEL_PLANAR = 1,   ///< a vertical plane; other models are height fields
    TARN_MODEL_NO_FLUID = 2, ///< a dry floor
    TARN_MODEL_TERRAIN = 4   ///< the bed can be raised and lowered while the simulation runs
};

/// A kind: one line in the table of its category ("fluid", "bed", "shape", "emitter", "body", "part",
/// "world").
typedef struct tarn_kind {
    const char *category;
    const char *name;
    const char *help; ///< one line
    const tarn_param *params;
    int param_count;
    unsigned flags; ///< of a fluid model: TARN_MODEL_PLANAR and so on
} tarn_kind;

/// A kind together with values for all of its parameters.
typedef struct tarn_spec {
    const tarn_kind *kind;
    double data[TARN_SPEC_BYTES / 8]; ///< the kind's struct
} tarn_spec;

/// The categories that have kinds, in a fixed order. @return NULL past the last
TARN_API const char *tarn_category_at(int index);

/// The kinds of a category, in the order of its table. @return NULL past the last, or for an unknown category
TARN_API const tarn_kind *tarn_kind_at(const char *category, int index);

/// Find a kind by its name. @return NULL if the category has no such kind
TARN_API const tarn_kind *tarn_kind_find(const char *category, const char *name);

/// Find a parameter by its name. @return NULL if the kind has no such parameter
TARN_API const tarn_param *tarn_param_find(const tarn_kind *kind, const char *name);

/// Fill a kind's struct with the defaults.
TARN_API void tarn_kind_init(const tarn_kind *kind, void *data);

/// Set one parameter of a kind's struct by name; type and range are checked.
/// @return TARN_OK, or TARN_BAD_INPUT with key and text in `err` (may be NULL); `data` is then unchanged
TARN_API tarn_result tarn_kind_set(const tarn_kind *kind, void *data, const char *name,
                                   const tarn_value *value, tarn_error *err);

/// Read one parameter of a kind's struct by name. @return TARN_OK or TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_kind_get(const tarn_kind *kind, const void *data, const char *name,
                                   tarn_value *value);

/// Check every parameter of a kind's struct against its range: what tarn_world_create() does first.
TARN_API tarn_result tarn_kind_check(const tarn_kind *kind, const void *data, tarn_error *err);

/// Begin a spec with the defaults of a kind. Specs are for scene files and tools; C programs use the typed
/// definitions. @return TARN_OK or TARN_BAD_INPUT (no such kind)
TARN_API tarn_result tarn_spec_init(tarn_spec *spec, const char *category, const char *kind, tarn_error *err);
TARN_API tarn_result tarn_spec_set(tarn_spec *spec, const char *name, tarn_value value, tarn_error *err);
TARN_API tarn_result tarn_spec_get(const tarn_spec *spec, const char *name, tarn_value *value);

/// The definition that a spec of its category describes, and back. Tables are borrowed; a mesh is not part of
/// a spec.
/// @return TARN_OK or TARN_BAD_ARGUMENT (a null pointer, another category, no such type)
TARN_API tarn_result tarn_shape_def_from_spec(const tarn_spec *spec, tarn_shape_def *out);
TARN_API tarn_result tarn_shape_def_to_spec(const tarn_shape_def *def, tarn_spec *out);

/// The same for emitters.
TARN_API tarn_result tarn_emitter_def_from_spec(const tarn_spec *spec, tarn_emitter_def *out);
TARN_API tarn_result tarn_emitter_def_to_spec(const tarn_emitter_def *def, tarn_spec *out);

/// The same for fluids.
TARN_API tarn_result tarn_fluid_def_from_spec(const tarn_spec *spec, tarn_fluid_def *out);
TARN_API tarn_result tarn_fluid_def_to_spec(const tarn_fluid_def *def, tarn_spec *out);

/// The same for terms of a bed. A height map is not part of a spec.
TARN_API tarn_result tarn_bed_def_from_spec(const tarn_spec *spec, tarn_bed_def *out);
TARN_API tarn_result tarn_bed_def_to_spec(const tarn_bed_def *def, tarn_spec *out);

/// The same for joints: type, break_force and the member of the type; name, bodies, anchors and user data are
/// zero, or lost.
TARN_API tarn_result tarn_joint_def_from_spec(const tarn_spec *spec, tarn_joint_def *out);
TARN_API tarn_result tarn_joint_def_to_spec(const tarn_joint_def *def, tarn_spec *out);

/// The same for obstacles. The data of a spec is a tarn_obstacle_def, so that the parameters of the category
/// "placement" apply to it too; the cells of a bitmap are no parameter.
TARN_API tarn_result tarn_obstacle_def_from_spec(const tarn_spec *spec, tarn_obstacle_def *out);
TARN_API tarn_result tarn_obstacle_def_to_spec(const tarn_obstacle_def *def, tarn_spec *out);

/// Values from C.
TARN_API tarn_value tarn_value_number(double x);
TARN_API tarn_value tarn_value_integer(int n);
TARN_API tarn_value tarn_value_flag(bool on);
TARN_API tarn_value tarn_value_vec2(double x, double y); ///< for TARN_PARAM_VEC2 and TARN_PARAM_INT2
TARN_API tarn_value tarn_value_vec3(double x, double y,
                                    double z); ///< for TARN_PARAM_VEC3 and TARN_PARAM_INT3
TARN_API tarn_value tarn_value_quat(double w, double x, double y, double z);
/// By so many degrees about an axis of any length, counter-clockwise seen from its tip. An axis without a
/// length is no rotation: setting it fails.
TARN_API tarn_value tarn_value_axis_angle(double x, double y, double z, double degrees);
TARN_API tarn_value
tarn_value_text(const char *text); ///< for TARN_PARAM_CHOICE, TARN_PARAM_TEXT and TARN_PARAM_FILE
/// For TARN_PARAM_TABLE. The caller owns the rows, which must live as long as the value and what it is
/// assigned to.
TARN_API tarn_value tarn_value_table(const double *rows, int count);

#ifdef __cplusplus
}
#endif
#endif
