// Defines the sections of a scene and the parameter lists that only scenes have.
#include "scene_internal.h"

#include <math.h>
#include <string.h>

static const tarn_param settings_params[] = {
    {.name = "name",
     .type = TARN_TEXT,
     .unit = "",
     .help = "a title",
     .offset = offsetof(struct scene_settings, name)},
    {.name = "run.time",
     .type = TARN_NUMBER,
     .unit = "s",
     .initial = {10.0},
     .min = 0.0,
     .max = 1e6,
     .help = "how long to run",
     .offset = offsetof(struct scene_settings, time)},
    {.name = "view.name",
     .type = TARN_TEXT,
     .unit = "",
     .help = "what pictures show, a name that `tarn render --help` lists; empty: perspective",
     .offset = offsetof(struct scene_settings, view)},
    {.name = "view.from",
     .type = TARN_VEC3,
     .unit = "m",
     .min = -1e6,
     .max = 1e6,
     .help = "where the eye is; the same as view.to: chosen",
     .offset = offsetof(struct scene_settings, view_from)},
    {.name = "view.to",
     .type = TARN_VEC3,
     .unit = "m",
     .min = -1e6,
     .max = 1e6,
     .help = "what it looks at",
     .offset = offsetof(struct scene_settings, view_to)},
    {.name = "view.map",
     .type = TARN_TEXT,
     .unit = "",
     .help = "colour map of a field, a name that `tarn render --help` lists; empty: the field's own",
     .offset = offsetof(struct scene_settings, view_map)},
    {.name = "view.range",
     .type = TARN_VEC2,
     .unit = "",
     .min = -1e30,
     .max = 1e30,
     .help = "low and high end of a field's colours; the same: each picture's own",
     .offset = offsetof(struct scene_settings, view_range)},
    {.name = "view.arrows",
     .type = TARN_FLAG,
     .unit = "",
     .max = 1,
     .help = "arrows of the velocity over a field",
     .offset = offsetof(struct scene_settings, view_arrows)},
    {.name = "view.streamlines",
     .type = TARN_FLAG,
     .unit = "",
     .max = 1,
     .help = "streamlines over a field",
     .offset = offsetof(struct scene_settings, view_streamlines)},
    {.name = "view.moment",
     .type = TARN_NUMBER,
     .unit = "s",
     .min = 0.0,
     .max = 1e6,
     .help = "when a single picture shows it; 0: at the end",
     .offset = offsetof(struct scene_settings, view_moment)},
    {.name = "view.keys",
     .type = TARN_TABLE,
     .unit = "",
     .min = -1e6,
     .max = 1e6,
     .help =
         "time [s], x, y, z of the eye and of what it looks at [m]: a camera that moves, smoothly in between",
     .offset = offsetof(struct scene_settings, view_keys),
     .columns = 7,
     .rows = TARN_VIEW_KEYS},
};
const tarn_kind scene_settings_kind = {
    .room = "scene",
    .name = "scene",
    .help = "what a scene keeps for itself",
    .params = settings_params,
    .param_count = sizeof settings_params / sizeof settings_params[0],
};

static const tarn_param gauge_params[] = {
    {.name = "name",
     .type = TARN_TEXT,
     .unit = "",
     .help = "heads its column",
     .offset = offsetof(tarn_gauge, name)},
    {.name = "position",
     .type = TARN_VEC2,
     .unit = "m",
     .min = -1e6,
     .max = 1e6,
     .help = "x and z",
     .offset = offsetof(tarn_gauge, position)},
};
const tarn_kind gauge_kind = {
    .room = "gauge",
    .name = "gauge",
    .help = "a point where the water is measured",
    .params = gauge_params,
    .param_count = sizeof gauge_params / sizeof gauge_params[0],
};

static const tarn_param body_array_params[] = {
    {.name = "copies",
     .type = TARN_INT3,
     .unit = "",
     .initial = {1, 1, 1},
     .min = 1,
     .max = SCENE_MAX_BODIES,
     .help = "how many of it along x, y and z",
     .offset = offsetof(struct body_array, count)},
    {.name = "spacing",
     .type = TARN_VEC3,
     .unit = "m",
     .initial = {1, 1, 1},
     .min = -1e6,
     .max = 1e6,
     .help = "from one copy to the next",
     .offset = offsetof(struct body_array, spacing)},
    {.name = "jitter",
     .type = TARN_NUMBER,
     .unit = "",
     .min = 0,
     .max = 1,
     .help = "moves copies at random by up to this part of half the spacing, and turns them",
     .offset = offsetof(struct body_array, jitter)},
};
const tarn_kind body_array_kind = {
    .room = "copies",
    .name = "copies",
    .help = "many bodies from one entry",
    .params = body_array_params,
    .param_count = sizeof body_array_params / sizeof body_array_params[0],
};

static const tarn_param joint_ends_params[] = {
    {.name = "name",
     .type = TARN_TEXT,
     .unit = "",
     .help = "what to call it",
     .offset = offsetof(struct joint_ends, name)},
    {.name = "a",
     .type = TARN_TEXT,
     .unit = "",
     .help = "the name of a body",
     .offset = offsetof(struct joint_ends, a)},
    {.name = "b",
     .type = TARN_TEXT,
     .unit = "",
     .help = "the name of another; without it a is fastened to the world",
     .offset = offsetof(struct joint_ends, b)},
    {.name = "at",
     .type = TARN_VEC3,
     .unit = "m",
     .initial = {NAN, NAN, NAN},
     .min = -1e6,
     .max = 1e6,
     .help = "where it is fastened to a, as the bodies are at the start",
     .flags = TARN_OPTIONAL,
     .offset = offsetof(struct joint_ends, anchor_a)},
    {.name = "to",
     .type = TARN_VEC3,
     .unit = "m",
     .initial = {NAN, NAN, NAN},
     .min = -1e6,
     .max = 1e6,
     .help = "where it is fastened to b or the world; without it, there too",
     .flags = TARN_OPTIONAL,
     .offset = offsetof(struct joint_ends, anchor_b)},
};
const tarn_kind joint_ends_kind = {
    .room = "fastening",
    .name = "fastening",
    .help = "what every joint has",
    .params = joint_ends_params,
    .param_count = sizeof joint_ends_params / sizeof joint_ends_params[0],
};

static const tarn_param axis_angle_params[] = {
    {.name = "axis",
     .type = TARN_VEC3,
     .unit = "",
     .initial = {0.0, 1.0, 0.0},
     .min = -1e6,
     .max = 1e6,
     .help = "of any length",
     .offset = offsetof(struct axis_angle, axis)},
    {.name = "degrees",
     .type = TARN_NUMBER,
     .unit = "degrees",
     .min = -36000.0,
     .max = 36000.0,
     .help = "counter-clockwise seen from the axis's tip",
     .offset = offsetof(struct axis_angle, degrees)},
};
static const tarn_kind axis_angle_kind = {
    .room = "turn",
    .name = "turn",
    .help = "a rotation about an axis",
    .params = axis_angle_params,
    .param_count = sizeof axis_angle_params / sizeof axis_angle_params[0],
};

struct key_set axis_angle_keys(struct axis_angle *value)
{
    if (value) tarn_kind_defaults(&axis_angle_kind, value);
    return (struct key_set){.bindings = {{&axis_angle_kind, value, ""}}};
}

// ---- sections ---------------------------------------------------------------------------------------

static const struct section parts_section = {.key = "parts",
                                             .layout = SECTION_ARRAY,
                                             .max_items = TARN_PARTS,
                                             .category = "shape",
                                             .kind_key = "shape",
                                             .noun = "shape",
                                             .common_kind = "part",
                                             .common_prefix = "",
                                             .help = "what a compound body is made of",
                                             .nested_kind = "compound"};

static const struct section sections[] = {
    {.key = "fluid",
     .layout = SECTION_OBJECT,
     .category = "fluid",
     .kind_key = "model",
     .noun = "fluid model",
     .common_kind = "world",
     .common_prefix = "fluid.",
     .help = "the water"},
    {.key = "bed",
     .layout = SECTION_OBJECT_OR_ARRAY,
     .max_items = TARN_BEDS,
     .category = "bed",
     .kind_key = "kind",
     .noun = "bed",
     .help = "the ground; the heights of parts add up"},
    {.key = "bodies",
     .layout = SECTION_ARRAY,
     .category = "shape",
     .kind_key = "shape",
     .noun = "shape",
     .common_kind = "body",
     .common_prefix = "",
     .help = "rigid bodies",
     .scene_kind = &body_array_kind,
     .nested = &parts_section,
     .nested_kind = "compound"},
    {.key = "joints",
     .layout = SECTION_ARRAY,
     .category = "joint",
     .kind_key = "kind",
     .noun = "joint",
     .scene_kind = &joint_ends_kind,
     .help = "what holds bodies together"},
    {.key = "emitters",
     .layout = SECTION_ARRAY,
     .category = "emitter",
     .kind_key = "kind",
     .noun = "emitter",
     .help = "where water appears or is stirred"},
    {.key = "obstacles",
     .layout = SECTION_ARRAY,
     .category = "obstacle",
     .kind_key = "kind",
     .noun = "obstacle",
     .common_kind = "placement",
     .common_prefix = "",
     .help = "what stands or moves in the model flow",
     .text_rows_key = "rows",
     .text_rows_kind = "bitmap"},
    {.key = "gauges",
     .layout = SECTION_ARRAY,
     .noun = "gauge",
     .scene_kind = &gauge_kind,
     .help = "points where the water is measured"},
};

const struct section *section_at(int index)
{
    return index >= 0 && index < (int)(sizeof sections / sizeof sections[0]) ? &sections[index] : NULL;
}

const struct section *section_find(const char *key)
{
    for (int i = 0; section_at(i); ++i)
        if (strcmp(section_at(i)->key, key) == 0) return section_at(i);
    return NULL;
}

const tarn_kind *section_common_kind(const struct section *section)
{
    return section->common_kind ? tarn_kind_find(section->common_kind, section->common_kind) : NULL;
}

struct key_set section_keys(const struct section *section, const tarn_kind *kind)
{
    return (struct key_set){.kind_key = section->kind_key,
                            .bindings = {{kind, NULL, ""},
                                         {section_common_kind(section), NULL, section->common_prefix},
                                         {section->scene_kind, NULL, ""}},
                            .nested = section->nested,
                            .text_rows_key = kind && section->text_rows_key &&
                                                     strcmp(kind->name, section->text_rows_kind) == 0
                                                 ? section->text_rows_key
                                                 : NULL};
}

const tarn_kind *section_kind_at(const struct section *section, int index)
{
    const tarn_kind *kind;

    for (int i = 0; (kind = tarn_kind_at(section->category, i)); ++i) {
        const int excluded =
            !section->nested && section->nested_kind && strcmp(kind->name, section->nested_kind) == 0;
        if (!excluded && index-- == 0) return kind;
    }
    return NULL;
}

const tarn_kind *section_kind(const struct section *section, const json_t *object)
{
    const json_t *kind_json = section->category ? json_object_get(object, section->kind_key) : NULL;
    const char *name = json_string_value(kind_json);
    const tarn_kind *kind = NULL;

    if (!kind_json && section->nested && json_object_get(object, section->nested->key))
        name = section->nested_kind;
    for (int i = 0; name && (kind = section_kind_at(section, i)) && strcmp(kind->name, name) != 0;) ++i;
    return kind;
}

struct key_set scene_root_keys(void *world_def, void *settings)
{
    return (struct key_set){.bindings = {{&scene_settings_kind, settings, ""},
                                         {tarn_kind_find("world", "world"), world_def, ""}}};
}
