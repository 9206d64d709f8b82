// The parts of a scene, and the parameters that the scene has for itself.
#include "scene_internal.h"

#include <math.h>
#include <string.h>

static const tarn_param own_params[] = {
    {.name = "name",
     .type = TARN_TEXT,
     .unit = "",
     .help = "a title",
     .offset = offsetof(struct scene_own, name)},
    {.name = "run.time",
     .type = TARN_NUMBER,
     .unit = "s",
     .initial = {10.0},
     .min = 0.0,
     .max = 1e6,
     .help = "how long to run",
     .offset = offsetof(struct scene_own, time)},
    {.name = "view.name",
     .type = TARN_TEXT,
     .unit = "",
     .help = "what pictures show, a name that `tarn render --help` lists; empty: perspective",
     .offset = offsetof(struct scene_own, view)},
    {.name = "view.from",
     .type = TARN_VEC3,
     .unit = "m",
     .min = -1e6,
     .max = 1e6,
     .help = "where the eye is; the same as view.to: chosen",
     .offset = offsetof(struct scene_own, view_from)},
    {.name = "view.to",
     .type = TARN_VEC3,
     .unit = "m",
     .min = -1e6,
     .max = 1e6,
     .help = "what it looks at",
     .offset = offsetof(struct scene_own, view_to)},
    {.name = "view.map",
     .type = TARN_TEXT,
     .unit = "",
     .help = "colour map of a field, a name that `tarn render --help` lists; empty: the field's own",
     .offset = offsetof(struct scene_own, view_map)},
    {.name = "view.range",
     .type = TARN_VEC2,
     .unit = "",
     .min = -1e30,
     .max = 1e30,
     .help = "low and high end of a field's colours; the same: each picture's own",
     .offset = offsetof(struct scene_own, view_range)},
    {.name = "view.arrows",
     .type = TARN_FLAG,
     .unit = "",
     .max = 1,
     .help = "arrows of the velocity over a field",
     .offset = offsetof(struct scene_own, view_arrows)},
    {.name = "view.streamlines",
     .type = TARN_FLAG,
     .unit = "",
     .max = 1,
     .help = "streamlines over a field",
     .offset = offsetof(struct scene_own, view_streamlines)},
    {.name = "view.moment",
     .type = TARN_NUMBER,
     .unit = "s",
     .min = 0.0,
     .max = 1e6,
     .help = "when a single picture shows it; 0: at the end",
     .offset = offsetof(struct scene_own, view_moment)},
    {.name = "view.keys",
     .type = TARN_TABLE,
     .unit = "",
     .min = -1e6,
     .max = 1e6,
     .help =
         "time [s], x, y, z of the eye and of what it looks at [m]: a camera that moves, smoothly in between",
     .offset = offsetof(struct scene_own, view_keys),
     .columns = 7,
     .rows = TARN_VIEW_KEYS},
};
const tarn_kind scene_kind = {
    .room = "scene",
    .name = "scene",
    .help = "what a scene keeps for itself",
    .params = own_params,
    .param_count = sizeof own_params / sizeof own_params[0],
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
const tarn_kind scene_gauge_kind = {
    .room = "gauge",
    .name = "gauge",
    .help = "a point where the water is measured",
    .params = gauge_params,
    .param_count = sizeof gauge_params / sizeof gauge_params[0],
};

static const tarn_param copies_params[] = {
    {.name = "copies",
     .type = TARN_INT3,
     .unit = "",
     .initial = {1, 1, 1},
     .min = 1,
     .max = SCENE_BODIES,
     .help = "how many of it along x, y and z",
     .offset = offsetof(struct copies, count)},
    {.name = "spacing",
     .type = TARN_VEC3,
     .unit = "m",
     .initial = {1, 1, 1},
     .min = -1e6,
     .max = 1e6,
     .help = "from one copy to the next",
     .offset = offsetof(struct copies, spacing)},
    {.name = "jitter",
     .type = TARN_NUMBER,
     .unit = "",
     .min = 0,
     .max = 1,
     .help = "moves copies at random by up to this part of half the spacing, and turns them",
     .offset = offsetof(struct copies, jitter)},
};
const tarn_kind scene_copies_kind = {
    .room = "copies",
    .name = "copies",
    .help = "many bodies from one entry",
    .params = copies_params,
    .param_count = sizeof copies_params / sizeof copies_params[0],
};

static const tarn_param fastening_params[] = {
    {.name = "name",
     .type = TARN_TEXT,
     .unit = "",
     .help = "what to call it",
     .offset = offsetof(struct fastening, name)},
    {.name = "a",
     .type = TARN_TEXT,
     .unit = "",
     .help = "the name of a body",
     .offset = offsetof(struct fastening, a)},
    {.name = "b",
     .type = TARN_TEXT,
     .unit = "",
     .help = "the name of another; without it a is fastened to the world",
     .offset = offsetof(struct fastening, b)},
    {.name = "at",
     .type = TARN_VEC3,
     .unit = "m",
     .initial = {NAN, NAN, NAN},
     .min = -1e6,
     .max = 1e6,
     .help = "where it is fastened to a, as the bodies are at the start",
     .flags = TARN_OPTIONAL,
     .offset = offsetof(struct fastening, at)},
    {.name = "to",
     .type = TARN_VEC3,
     .unit = "m",
     .initial = {NAN, NAN, NAN},
     .min = -1e6,
     .max = 1e6,
     .help = "where it is fastened to b or the world; without it, there too",
     .flags = TARN_OPTIONAL,
     .offset = offsetof(struct fastening, to)},
};
const tarn_kind scene_fastening_kind = {
    .room = "fastening",
    .name = "fastening",
    .help = "what every joint has",
    .params = fastening_params,
    .param_count = sizeof fastening_params / sizeof fastening_params[0],
};

static const tarn_param turn_params[] = {
    {.name = "axis",
     .type = TARN_VEC3,
     .unit = "",
     .initial = {0.0, 1.0, 0.0},
     .min = -1e6,
     .max = 1e6,
     .help = "of any length",
     .offset = offsetof(struct turn, axis)},
    {.name = "degrees",
     .type = TARN_NUMBER,
     .unit = "degrees",
     .min = -36000.0,
     .max = 36000.0,
     .help = "counter-clockwise seen from the axis's tip",
     .offset = offsetof(struct turn, degrees)},
};
static const tarn_kind turn_kind = {
    .room = "turn",
    .name = "turn",
    .help = "a rotation about an axis",
    .params = turn_params,
    .param_count = sizeof turn_params / sizeof turn_params[0],
};

struct level turn_level(struct turn *turn)
{
    if (turn) tarn_kind_defaults(&turn_kind, turn);
    return (struct level){.slots = {{&turn_kind, turn, ""}}};
}

// ---- sections ---------------------------------------------------------------------------------------

static const struct section parts = {.key = "parts",
                                     .form = SECTION_LIST,
                                     .most = TARN_PARTS,
                                     .room = "shape",
                                     .kind_key = "shape",
                                     .noun = "shape",
                                     .common = "part",
                                     .root = "",
                                     .help = "what a compound body is made of",
                                     .inner_kind = "compound"};

static const struct section sections[] = {
    {.key = "fluid",
     .form = SECTION_ONE,
     .room = "fluid",
     .kind_key = "model",
     .noun = "fluid model",
     .common = "world",
     .root = "fluid.",
     .help = "the water"},
    {.key = "bed",
     .form = SECTION_EITHER,
     .most = TARN_BEDS,
     .room = "bed",
     .kind_key = "kind",
     .noun = "bed",
     .help = "the ground; the heights of parts add up"},
    {.key = "bodies",
     .form = SECTION_LIST,
     .room = "shape",
     .kind_key = "shape",
     .noun = "shape",
     .common = "body",
     .root = "",
     .help = "rigid bodies",
     .own = &scene_copies_kind,
     .inner = &parts,
     .inner_kind = "compound"},
    {.key = "joints",
     .form = SECTION_LIST,
     .room = "joint",
     .kind_key = "kind",
     .noun = "joint",
     .own = &scene_fastening_kind,
     .help = "what holds bodies together"},
    {.key = "emitters",
     .form = SECTION_LIST,
     .room = "emitter",
     .kind_key = "kind",
     .noun = "emitter",
     .help = "where water appears or is stirred"},
    {.key = "obstacles",
     .form = SECTION_LIST,
     .room = "obstacle",
     .kind_key = "kind",
     .noun = "obstacle",
     .common = "placement",
     .root = "",
     .help = "what stands or moves in the model flow",
     .lines = "rows",
     .lines_kind = "bitmap"},
    {.key = "gauges",
     .form = SECTION_LIST,
     .noun = "gauge",
     .own = &scene_gauge_kind,
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

const tarn_kind *section_common(const struct section *section)
{
    return section->common ? tarn_kind_find(section->common, section->common) : NULL;
}

struct level section_level(const struct section *section, const tarn_kind *kind)
{
    return (struct level){
        .kind_key = section->kind_key,
        .slots = {{kind, NULL, ""}, {section_common(section), NULL, section->root}, {section->own, NULL, ""}},
        .inner = section->inner,
        .lines =
            kind && section->lines && strcmp(kind->name, section->lines_kind) == 0 ? section->lines : NULL};
}

const tarn_kind *section_kind_at(const struct section *section, int index)
{
    const tarn_kind *kind;

    for (int i = 0; (kind = tarn_kind_at(section->room, i)); ++i) {
        const int barred =
            !section->inner && section->inner_kind && strcmp(kind->name, section->inner_kind) == 0;
        if (!barred && index-- == 0) return kind;
    }
    return NULL;
}

const tarn_kind *section_kind(const struct section *section, const json_t *thing)
{
    const json_t *named = section->room ? json_object_get(thing, section->kind_key) : NULL;
    const char *name = json_string_value(named);
    const tarn_kind *kind = NULL;

    if (!named && section->inner && json_object_get(thing, section->inner->key)) name = section->inner_kind;
    for (int i = 0; name && (kind = section_kind_at(section, i)) && strcmp(kind->name, name) != 0;) ++i;
    return kind;
}

struct level scene_root_level(void *world_def, void *own)
{
    return (struct level){
        .slots = {{&scene_kind, own, ""}, {tarn_kind_find("world", "world"), world_def, ""}}};
}
