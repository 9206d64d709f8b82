// Defines the sections of a scene: their kinds, keys and limits.
#include "scene_params.h"

#include <string.h>

static const struct section parts_section = {.key = "parts",
                                             .layout = SECTION_ARRAY,
                                             .max_items = TARN_MAX_COMPOUND_CHILDREN,
                                             .category = "shape",
                                             .kind_key = "shape",
                                             .noun = "shape",
                                             .common_kind = "part",
                                             .common_prefix = "",
                                             .help = "parts of a compound body",
                                             .nested_kind = "compound"};

static const struct section sections[] = {
    {.key = "fluid",
     .layout = SECTION_OBJECT,
     .category = "fluid",
     .kind_key = "model",
     .noun = "fluid model",
     .common_kind = "world",
     .common_prefix = "fluid.",
     .help = "fluid model and its parameters"},
    {.key = "bed",
     .layout = SECTION_OBJECT_OR_ARRAY,
     .max_items = TARN_MAX_BEDS,
     .category = "bed",
     .kind_key = "kind",
     .noun = "bed",
     .help = "bed: the heights of its terms are added"},
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
     .help = "joints between bodies, or of a body with the world"},
    {.key = "emitters",
     .layout = SECTION_ARRAY,
     .category = "emitter",
     .kind_key = "kind",
     .noun = "emitter",
     .help = "sources of water, waves, dye and heat"},
    {.key = "obstacles",
     .layout = SECTION_ARRAY,
     .category = "obstacle",
     .kind_key = "kind",
     .noun = "obstacle",
     .common_kind = "placement",
     .common_prefix = "",
     .help = "solids with prescribed motion in the model flow",
     .text_rows_key = "bitmap",
     .text_rows_kind = "bitmap"},
    {.key = "gauges",
     .layout = SECTION_ARRAY,
     .noun = "gauge",
     .scene_kind = &gauge_kind,
     .help = "points at which the fluid is measured"},
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
