// Creates the joints of a scene. Bodies are found by name, so all of them must exist in the world already.
#include "scene_internal.h"

#include <math.h>
#include <string.h>

#define MAX_NAMES_COMPARED 1000 // limit of the comparisons for one suggestion

// ---- body names -------------------------------------------------------------------------------------

// `names` is a JSON object used as a hash table: name -> body id, or null if several bodies share the name.
int body_names_add(json_t *names, const char *name, tarn_body id)
{
    const json_int_t packed = (json_int_t)((uint64_t)id.generation << 32 | id.index);

    if (!names || !name[0]) return 1;
    return json_object_set_new(names, name,
                               json_object_get(names, name) ? json_null() : json_integer(packed)) == 0;
}

static void diag_unknown_body(struct parser *p, json_t *names, const char *name)
{
    struct suggestion suggestion = {.input = name};
    char names_text[120] = "";
    const char *key;
    json_t *value;
    int compared = 0;

    json_object_foreach(names, key, value)
    {
        if (++compared > MAX_NAMES_COMPARED) break;
        suggest_try(&suggestion, key, key);
        list_append(names_text, sizeof names_text, key);
    }
    if (suggestion.cost)
        diag_at_path(p, DIAG_VALUE, "there is no body '%s'; did you mean '%s'?", name, suggestion.best);
    else
        diag_at_path(p, DIAG_VALUE, "there is no body '%s'; known: %s", name,
                     names_text[0] ? names_text : "none has a name");
}

// Look up the body that `key` of the joint names. @return 0 with a diagnostic
static int find_body(struct parser *p, json_t *names, const char *key, const char *name, tarn_body *out)
{
    const json_t *entry = json_object_get(names, name);

    if (json_is_integer(entry)) {
        const uint64_t packed = (uint64_t)json_integer_value(entry);
        *out = (tarn_body){.index = (uint32_t)packed, .generation = (uint32_t)(packed >> 32)};
        return 1;
    }
    if (!parser_push(p, key, 0)) return 0;
    if (entry)
        diag_at_path(p, DIAG_VALUE, "several bodies are called '%s'", name);
    else
        diag_unknown_body(p, names, name);
    parser_pop(p);
    return 0;
}

// ---- joints -----------------------------------------------------------------------------------------

static void build_joint(struct parser *p, const struct joint_entry *entry, tarn_world *world, json_t *names)
{
    const struct joint_ends *ends = &entry->ends;
    tarn_joint_def def = tarn_joint_def_default(entry->kind.kind->name);
    tarn_joint id;
    tarn_error err = {0};

    spec_unpack(&entry->kind, &def.kind);
    memcpy(def.name, ends->name, sizeof def.name);
    def.at = ends->anchor_a;
    def.to = isnan(ends->anchor_b.x) ? ends->anchor_a : ends->anchor_b;
    if (!ends->a[0]) diag_at_path(p, DIAG_VALUE, "\"a\" is missing, the name of a body");
    if (isnan(ends->anchor_a.x))
        diag_at_path(p, DIAG_VALUE, "\"at\" is missing, the point where it is fastened");
    int ok = ends->a[0] && !isnan(ends->anchor_a.x);
    if (ends->a[0]) ok &= find_body(p, names, "a", ends->a, &def.a);
    if (ends->b[0]) ok &= find_body(p, names, "b", ends->b, &def.b);
    if (!ok) return;
    const tarn_result r = tarn_joint_create(world, &def, &id, &err);
    if (r != TARN_OK) diag_from_error(p, r, &err);
}

void build_joints(struct parser *p, const tarn_scene *scene, tarn_world *world, json_t *names)
{
    const struct scene_entries *entries = &scene->entries;

    for (int i = 0; i < entries->joint_count && parser_push_entry(p, "joints", i); ++i) {
        build_joint(p, &entries->joints[i], world, names);
        parser_pop_entry(p);
    }
}
