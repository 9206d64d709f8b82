// Creates the joints of a scene. Bodies are found by name, so all of them must exist in the world already.
#include "scene/scene_internal.h"

#include <math.h>
#include <string.h>

#define MAX_NAMES_COMPARED 1000 // limit of the comparisons for one suggestion

// ---- body names -------------------------------------------------------------------------------------

// `names` is a JSON object used as a hash table: name -> body id, or null if several bodies share the name.
int body_names_add(json_t *names, const char *name, tarn_body_id id)
{
    const json_int_t packed = (json_int_t)(id.value);

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
        diag_at_path(p, DIAG_VALUE, "unknown body '%s'; did you mean '%s'?", name, suggestion.best);
    else
        diag_at_path(p, DIAG_VALUE, "unknown body '%s'; expected one of: %s", name,
                     names_text[0] ? names_text : "none has a name");
}

// Look up the body that `key` of the joint names. @return 0 with a diagnostic
static int find_body(struct parser *p, json_t *names, const char *key, const char *name, tarn_body_id *out)
{
    const json_t *entry = json_object_get(names, name);

    if (json_is_integer(entry)) {
        const uint64_t packed = (uint64_t)json_integer_value(entry);
        *out = (tarn_body_id){(uint64_t)packed};
        return 1;
    }
    if (!parser_push(p, key, 0)) return 0;
    if (entry)
        diag_at_path(p, DIAG_VALUE, "several bodies have the name '%s'", name);
    else
        diag_unknown_body(p, names, name);
    parser_pop(p);
    return 0;
}

// ---- joints -----------------------------------------------------------------------------------------

static void build_joint(struct parser *p, const struct joint_entry *entry, tarn_world *world, json_t *names)
{
    const struct joint_ends *ends = &entry->ends;
    tarn_joint_def def;
    tarn_spec spec;
    tarn_error err = {0};

    spec_unpack(&entry->kind, &spec);
    tarn_joint_def_from_spec(&spec, &def); // cannot fail: it is the spec of a joint
    memcpy(def.name, ends->name, sizeof def.name);
    def.anchor_a = ends->anchor_a;
    def.anchor_b = isnan(ends->anchor_b.x) ? ends->anchor_a : ends->anchor_b;
    if (!ends->a[0]) diag_at_path(p, DIAG_VALUE, "\"body_a\" is missing, the name of the first body");
    if (isnan(ends->anchor_a.x)) diag_at_path(p, DIAG_VALUE, "\"anchor_a\" is missing, the anchor point");
    int ok = ends->a[0] && !isnan(ends->anchor_a.x);
    if (ends->a[0]) ok &= find_body(p, names, "body_a", ends->a, &def.body_a);
    if (ends->b[0]) ok &= find_body(p, names, "body_b", ends->b, &def.body_b);
    if (!ok) return;
    const tarn_result r = tarn_joint_create(world, &def, NULL, &err);
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
