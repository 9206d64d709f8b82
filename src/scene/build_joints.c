// The joints of a scene: bodies found by their names, once all of them are in the world.
#include "scene_internal.h"

#include <math.h>
#include <string.h>

#define NAMES_TRIED 1000 // for "did you mean"

// ---- names ------------------------------------------------------------------------------------------

// A hash table of jansson's: name -> id, or null if several bodies have it.
int names_add(json_t *names, const char *name, tarn_body id)
{
    const json_int_t both = (json_int_t)((uint64_t)id.generation << 32 | id.index);

    if (!names || !name[0]) return 1;
    return json_object_set_new(names, name,
                               json_object_get(names, name) ? json_null() : json_integer(both)) == 0;
}

static void note_nobody(struct pass *p, json_t *names, const char *name)
{
    struct guess guess = {.word = name};
    char known[120] = "";
    const char *key;
    json_t *value;
    int tried = 0;

    json_object_foreach(names, key, value)
    {
        if (++tried > NAMES_TRIED) break;
        guess_offer(&guess, key, key);
        list_add(known, sizeof known, key);
    }
    if (guess.cost)
        note_add(p, NOTE_VALUE, "there is no body '%s'; did you mean '%s'?", name, guess.best);
    else
        note_add(p, NOTE_VALUE, "there is no body '%s'; known: %s", name,
                 known[0] ? known : "none has a name");
}

// The body that stands under a key of the joint. @return 0 with a note
static int find_body(struct pass *p, json_t *names, const char *key, const char *name, tarn_body *out)
{
    const json_t *known = json_object_get(names, name);

    if (json_is_integer(known)) {
        const uint64_t both = (uint64_t)json_integer_value(known);
        *out = (tarn_body){.index = (uint32_t)both, .generation = (uint32_t)(both >> 32)};
        return 1;
    }
    if (!pass_push(p, key, 0)) return 0;
    if (known)
        note_add(p, NOTE_VALUE, "several bodies are called '%s'", name);
    else
        note_nobody(p, names, name);
    pass_pop(p);
    return 0;
}

// ---- joints -----------------------------------------------------------------------------------------

struct fastening_on {
    tarn_world *world;
    json_t *names;
};

static void add_joint(struct pass *p, json_t *json, size_t number, void *ctx)
{
    const struct fastening_on *on = ctx;
    struct item item;
    tarn_joint id;
    tarn_error err = {0};

    (void)number;
    item_read(p, section_find("joints"), json, &item);
    const struct fastening *f = &item.own.fastening;
    tarn_joint_def def = tarn_joint_def_default(item.spec.kind->name);
    def.kind = item.spec;
    memcpy(def.name, f->name, sizeof def.name);
    def.at = f->at;
    def.to = isnan(f->to.x) ? f->at : f->to;
    if (!f->a[0]) note_add(p, NOTE_VALUE, "\"a\" is missing, the name of a body");
    if (isnan(f->at.x)) note_add(p, NOTE_VALUE, "\"at\" is missing, the point where it is fastened");
    int fine = f->a[0] && !isnan(f->at.x);
    if (f->a[0]) fine &= find_body(p, on->names, "a", f->a, &def.a);
    if (f->b[0]) fine &= find_body(p, on->names, "b", f->b, &def.b);
    if (!fine) return;
    const tarn_result r = tarn_joint_create(on->world, &def, &id, &err);
    if (r != TARN_OK) note_error(p, r, &err);
}

void scene_add_joints(struct pass *p, const tarn_scene *scene, tarn_world *world, json_t *names)
{
    struct fastening_on on = {world, names};
    things_each(p, scene, "joints", add_joint, &on);
}
