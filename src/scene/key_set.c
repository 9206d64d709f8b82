// Which names may stand where. Everything here comes from parameter lists: a new fluid, shape or emitter
// is known at once.
#include "scene_internal.h"

#include <stdio.h>
#include <string.h>

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

static int count_all(const struct level *level)
{
    int count = 0;
    for (int s = 0; s < SLOTS; ++s) count += count_of(&level->slots[s]);
    return count;
}

// The parameter number `at`, counted through all slots.
static int entry_at(const struct level *level, int at, struct entry *entry)
{
    const struct slot *slot = level->slots;
    while (at >= count_of(slot)) at -= count_of(slot++);
    return name_here(level, slot, &slot->kind->params[at], entry);
}

int level_find(const struct level *level, const char *key, struct entry *entry)
{
    const int count = count_all(level);
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
    const int count = count_all(level);

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
    inside.inner = NULL;
    inside.kind_key = group->param ? HEAD_KEY : NULL;
    // Names of parameters are far shorter than this.
    snprintf(inside.prefix, sizeof inside.prefix, "%.30s%.30s.", level->prefix, group->name);
    return inside;
}

int level_at(const json_t *root, const struct path *path, int count, struct entry *entry)
{
    const struct section *section = count > 0 ? section_find(path->steps[0].key) : NULL, *next = section;
    const json_t *thing = root;
    int at = 0;

    if (!section) return 0;
    for (; next && at < count && path->steps[at].key && strcmp(path->steps[at].key, next->key) == 0;
         next = section->inner) {
        section = next;
        thing = json_object_get(thing, path->steps[at++].key);
        if (at < count && !path->steps[at].key) thing = json_array_get(thing, path->steps[at++].index);
    }
    struct level level = section_level(section, section_kind(section, thing));
    *entry = (struct entry){0};
    for (; at < count; ++at) {
        const char *key = path->steps[at].key;
        if (!key || !level_find(&level, key, entry)) return 0;
        if (at < count - 1) level = level_inside(&level, entry);
    }
    entry->slot = NULL; // the level is gone
    return entry->name[0] != '\0';
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
