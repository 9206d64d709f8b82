// Determines which keys are valid in a JSON object. All keys come from parameter lists, so a new fluid
// model, shape or emitter is accepted without a change here.
#include "key_set.h"

#include <stdio.h>
#include <string.h>

// Fill in `entry` with the component of a parameter's name that is a key of this object. @return 0 if the
// parameter belongs to another object
static int match_param(const struct key_set *keys, const struct param_binding *binding,
                       const tarn_param *param, struct key_entry *entry)
{
    const size_t prefix_length = strlen(binding->name_prefix), group_length = strlen(keys->prefix);

    if (strncmp(param->name, binding->name_prefix, prefix_length) != 0) return 0;
    if (strncmp(param->name + prefix_length, keys->prefix, group_length) != 0) return 0;
    const char *rest = param->name + prefix_length + group_length;
    const size_t length = strcspn(rest, ".");
    if (length == 0 || length >= sizeof entry->name) return 0;
    memcpy(entry->name, rest, length);
    entry->name[length] = '\0';
    entry->binding = binding;
    entry->param = rest[length] ? NULL : param;
    entry->has_children = rest[length] != '\0';
    return 1;
}

static int param_count(const struct param_binding *binding)
{
    return binding->kind ? binding->kind->param_count : 0;
}

static int total_param_count(const struct key_set *keys)
{
    int count = 0;
    for (int s = 0; s < MAX_BINDINGS; ++s) count += param_count(&keys->bindings[s]);
    return count;
}

// The parameter with this index, counted through all bindings.
static int entry_at(const struct key_set *keys, int index, struct key_entry *entry)
{
    const struct param_binding *binding = keys->bindings;
    while (index >= param_count(binding)) index -= param_count(binding++);
    return match_param(keys, binding, &binding->kind->params[index], entry);
}

int key_set_find(const struct key_set *keys, const char *key, struct key_entry *entry)
{
    const int count = total_param_count(keys);
    int found = 0;

    for (int index = 0; index < count; ++index) {
        struct key_entry candidate;
        if (!entry_at(keys, index, &candidate) || strcmp(candidate.name, key) != 0) continue;
        if (!found) {
            *entry = candidate;
            entry->index = index;
            found = 1;
        } else if (!entry->param && candidate.param) {
            entry->param = candidate.param;
            entry->binding = candidate.binding;
        }
        entry->has_children |= candidate.has_children;
    }
    return found;
}

int key_set_next(const struct key_set *keys, struct key_entry *entry)
{
    const int count = total_param_count(keys);

    for (int index = entry->name[0] ? entry->index + 1 : 0; index < count; ++index) {
        struct key_entry first;
        if (!entry_at(keys, index, entry)) continue;
        entry->index = index;
        // return a group only once
        if (!key_set_find(keys, entry->name, &first) || first.index != index) continue;
        *entry = first;
        return 1;
    }
    return 0;
}

struct key_set key_set_group(const struct key_set *keys, const struct key_entry *group)
{
    struct key_set group_keys = *keys;
    group_keys.nested = NULL;
    group_keys.kind_key = group->param ? KIND_KEY : NULL;
    // Parameter names are much shorter than the buffer.
    snprintf(group_keys.prefix, sizeof group_keys.prefix, "%.30s%.30s.", keys->prefix, group->name);
    return group_keys;
}

int key_set_at_path(const json_t *root, const struct json_path *path, int count, struct key_entry *entry)
{
    const struct section *section = count > 0 ? section_find(path->steps[0].key) : NULL, *candidate = section;
    const json_t *object = root;
    int depth = 0;

    if (!section) return 0;
    for (; candidate && depth < count && path->steps[depth].key &&
           strcmp(path->steps[depth].key, candidate->key) == 0;
         candidate = section->nested) {
        section = candidate;
        object = json_object_get(object, path->steps[depth++].key);
        if (depth < count && !path->steps[depth].key)
            object = json_array_get(object, path->steps[depth++].index);
    }
    struct key_set keys = section_keys(section, section_kind(section, object));
    *entry = (struct key_entry){0};
    for (; depth < count; ++depth) {
        const char *key = path->steps[depth].key;
        if (!key || !key_set_find(&keys, key, entry)) return 0;
        if (depth < count - 1) keys = key_set_group(&keys, entry);
    }
    entry->binding = NULL; // it points into a key set that goes out of scope
    return entry->name[0] != '\0';
}

static const char *const leading_keys[] = {"$schema", "version", "name", "description"};
#define LEADING_KEY_COUNT ((int)(sizeof leading_keys / sizeof leading_keys[0]))

// The next root parameter that is a group, or that is none. @return NULL past the last
static const char *next_root_param(struct root_keys *order, int is_group)
{
    const struct key_set keys = scene_root_keys(NULL, NULL);

    while (key_set_next(&keys, &order->entry)) {
        int listed = section_find(order->entry.name) != NULL;
        for (int i = 0; i < LEADING_KEY_COUNT; ++i) listed |= strcmp(order->entry.name, leading_keys[i]) == 0;
        if (!listed && (order->entry.param == NULL) == is_group) return order->entry.name;
    }
    return NULL;
}

const char *root_keys_next(struct root_keys *order)
{
    for (; order->group < 4; *order = (struct root_keys){.group = order->group + 1}) {
        const char *key = NULL;
        if (order->group == 0 && order->index < LEADING_KEY_COUNT) key = leading_keys[order->index++];
        if (order->group == 1) key = next_root_param(order, 0);
        if (order->group == 2 && section_at(order->index)) key = section_at(order->index++)->key;
        if (order->group == 3) key = next_root_param(order, 1);
        if (key) return key;
    }
    return NULL;
}
