// Which names may stand where. Everything here comes from parameter lists: a new fluid, shape or emitter
// is known at once.
#include "scene.h"

#include <stdio.h>
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

static const struct section sections[] = {
    {"fluid", SECTION_ONE, 0, "fluid", "model", "fluid model", "world", "fluid.", "the water"},
    {"bed", SECTION_EITHER, TARN_BEDS, "bed", "kind", "bed", NULL, "",
     "the ground; the heights of parts add up"},
    {"bodies", SECTION_LIST, 0, "shape", "shape", "shape", "body", "", "rigid bodies"},
    {"emitters", SECTION_LIST, 0, "emitter", "kind", "emitter", NULL, "",
     "where water appears or is stirred"},
    {"gauges", SECTION_LIST, 0, NULL, NULL, "gauge", "gauge", "", "points where the water is measured"},
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
    if (!section->common) return NULL;
    if (strcmp(section->common, scene_gauge_kind.room) == 0) return &scene_gauge_kind;
    return tarn_kind_find(section->common, section->common);
}

struct level section_level(const struct section *section, const tarn_kind *kind)
{
    return (struct level){.kind_key = section->kind_key,
                          .slots = {{kind, NULL, ""}, {section_common(section), NULL, section->root}}};
}

const tarn_kind *section_kind(const struct section *section, const json_t *thing)
{
    const char *name = section->room ? json_string_value(json_object_get(thing, section->kind_key)) : NULL;
    return name ? tarn_kind_find(section->room, name) : NULL;
}

struct level scene_root_level(void *world_def, void *own)
{
    return (struct level){
        .slots = {{&scene_kind, own, ""}, {tarn_kind_find("world", "world"), world_def, ""}}};
}

// The part of a parameter's name that stands at this level. @return 0 if the parameter lives elsewhere
static int name_here(const struct level *level, const struct slot *slot, const tarn_param *param,
                     struct entry *entry)
{
    const size_t root = strlen(slot->root), prefix = strlen(level->prefix);

    if (strncmp(param->name, slot->root, root) != 0) return 0;
    if (strncmp(param->name + root, level->prefix, prefix) != 0) return 0;
    const char *rest = param->name + root + prefix;
    const size_t length = strcspn(rest, ".");
    if (length == 0 || length >= sizeof entry->name) return 0;
    memcpy(entry->name, rest, length);
    entry->name[length] = '\0';
    entry->slot = slot;
    entry->param = rest[length] ? NULL : param;
    entry->group = rest[length] != '\0';
    return 1;
}

static int count_of(const struct slot *slot) { return slot->kind ? slot->kind->param_count : 0; }

// The parameter number `at`, counted through both slots.
static int entry_at(const struct level *level, int at, struct entry *entry)
{
    const int first = count_of(&level->slots[0]);
    const struct slot *slot = &level->slots[at >= first];
    return name_here(level, slot, &slot->kind->params[at >= first ? at - first : at], entry);
}

int level_find(const struct level *level, const char *key, struct entry *entry)
{
    const int count = count_of(&level->slots[0]) + count_of(&level->slots[1]);
    int found = 0;

    for (int at = 0; at < count; ++at) {
        struct entry one;
        if (!entry_at(level, at, &one) || strcmp(one.name, key) != 0) continue;
        if (!found) {
            *entry = one;
            entry->at = at;
            found = 1;
        } else if (!entry->param && one.param) {
            entry->param = one.param;
            entry->slot = one.slot;
        }
        entry->group |= one.group;
    }
    return found;
}

int level_next(const struct level *level, struct entry *entry)
{
    const int count = count_of(&level->slots[0]) + count_of(&level->slots[1]);

    for (int at = entry->name[0] ? entry->at + 1 : 0; at < count; ++at) {
        struct entry first;
        if (!entry_at(level, at, entry)) continue;
        entry->at = at;
        if (!level_find(level, entry->name, &first) || first.at != at) continue; // groups come once
        *entry = first;
        return 1;
    }
    return 0;
}

struct level level_inside(const struct level *level, const struct entry *group)
{
    struct level inside = *level;
    inside.kind_key = group->param ? HEAD_KEY : NULL;
    // Names of parameters are far shorter than this.
    snprintf(inside.prefix, sizeof inside.prefix, "%.30s%.30s.", level->prefix, group->name);
    return inside;
}

int level_heads(const json_t *root, const struct path *path, int count)
{
    const struct section *section = count > 0 ? section_find(path->steps[0].key) : NULL;
    if (!section) return 0;
    const json_t *thing = json_object_get(root, section->key);
    int at = 1;
    if (at < count && !path->steps[at].key) thing = json_array_get(thing, path->steps[at++].index);

    struct level level = section_level(section, section_kind(section, thing));
    struct entry entry = {0};
    for (; at < count; ++at) {
        const char *key = path->steps[at].key;
        if (!key || !level_find(&level, key, &entry)) return 0;
        if (at < count - 1) level = level_inside(&level, &entry);
    }
    return entry.param && entry.group;
}

static const char *const first_keys[] = {"$schema", "version", "name", "about"};
#define FIRST_KEYS ((int)(sizeof first_keys / sizeof first_keys[0]))

// The next parameter at the top of a scene that is, or is not, a group.
static const char *next_at_top(struct keys *keys, int group)
{
    const struct level level = scene_root_level(NULL, NULL);

    while (level_next(&level, &keys->entry)) {
        int said = section_find(keys->entry.name) != NULL;
        for (int i = 0; i < FIRST_KEYS; ++i) said |= strcmp(keys->entry.name, first_keys[i]) == 0;
        if (!said && (keys->entry.param == NULL) == group) return keys->entry.name;
    }
    return NULL;
}

const char *keys_next(struct keys *keys)
{
    for (; keys->stage < 4; *keys = (struct keys){.stage = keys->stage + 1}) {
        const char *key = NULL;
        if (keys->stage == 0 && keys->at < FIRST_KEYS) key = first_keys[keys->at++];
        if (keys->stage == 1) key = next_at_top(keys, 0);
        if (keys->stage == 2 && section_at(keys->at)) key = section_at(keys->at++)->key;
        if (keys->stage == 3) key = next_at_top(keys, 1);
        if (key) return key;
    }
    return NULL;
}
