// "bodies[0].density=300" into the tree, before anything is checked.
#include "scene_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void change_free(struct change *change)
{
    free(change->text);
    free(change->shown);
    *change = (struct change){0};
}

// "[12]" at c becomes a step. @return what follows, NULL if it is no index
static char *cut_index(char *c, struct step *step)
{
    char *digit = c + 1;

    *step = (struct step){0};
    for (; *digit >= '0' && *digit <= '9' && digit - c < 9; ++digit)
        step->index = step->index * 10 + (size_t)(*digit - '0');
    if (digit == c + 1 || *digit != ']') return NULL;
    *c = '\0'; // ends the key before it
    return digit + 1;
}

// Cut the path's text into steps. @return 0 if it is no path
static int path_cut(char *text, struct path *path)
{
    char *c = text;

    path->count = 0;
    while (*c) {
        struct step step = {0};
        if (path->count == PATH_STEPS) return 0;
        if (*c == '[') {
            if (path->count == 0 || !(c = cut_index(c, &step))) return 0;
        } else {
            const int first = path->count == 0;
            if (!first && *c != '.') return 0;
            if (!first) *c++ = '\0';
            step.key = c;
            c += strcspn(c, ".[]");
            if (c == step.key || *c == ']') return 0;
        }
        path->steps[path->count++] = step;
    }
    return path->count > 0;
}

// JSON if it is JSON, otherwise a bare word.
static json_t *value_of(const char *text)
{
    char words[8];
    size_t at;

    if (syntax_check(text, strlen(text), &at, words, sizeof words)) {
        json_error_t error = {0};
        json_t *value =
            json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, &error);
        const enum json_error_code code = json_error_code(&error);
        if (value || (code != json_error_duplicate_key && code != json_error_numeric_overflow)) return value;
    }
    return json_string(text);
}

static int is_utf8(const char *s)
{
    size_t left = strlen(s);
    while (left > 0) {
        const int length = utf8_length(s, left);
        if (length == 0) return 0;
        s += length;
        left -= (size_t)length;
    }
    return 1;
}

// Does a choice that heads a group stand at the first `count` steps of a path?
static int heads(const json_t *root, const struct path *path, int count)
{
    struct entry entry;
    return level_at(root, path, count, &entry) && entry.param && entry.group;
}

const tarn_param *change_param(const json_t *root, const char *path)
{
    char *text = text_copy(path, strlen(path));
    struct path steps;
    struct entry entry;
    const int known = text && path_cut(text, &steps) && level_at(root, &steps, steps.count, &entry);

    free(text);
    return known ? entry.param : NULL;
}

// The word of a choice that heads a group becomes an object, which has room for the rest of the group.
// @return NULL without memory
static json_t *open_head(json_t *at, const char *key, json_t *word)
{
    json_t *object = json_object();

    if (json_object_set(object, HEAD_KEY, word) == 0 && json_object_set(at, key, object) == 0) {
        json_decref(object); // `at` holds it
        return object;
    }
    json_decref(object);
    return NULL;
}

// One step down; missing objects are made. @return NULL if there is no way
static json_t *descend(struct pass *p, json_t *root, json_t *at, const struct change *change, int i)
{
    const struct step *s = &change->path.steps[i];
    const char *shown = change->shown;

    if (s->key) {
        json_t *next = json_object_get(at, s->key);
        if (json_is_string(next) && heads(root, &change->path, i + 1))
            next = open_head(at, s->key, next);
        else if (!next && json_object_set_new(at, s->key, json_object()) == 0)
            next = json_object_get(at, s->key);
        if (!next) pass_fail(p, TARN_NO_MEMORY);
        return next;
    }
    json_t *next = json_array_get(at, s->index);
    if (!next) note_add_plain(p, shown, "there is no [%zu]; there are %zu", s->index, json_array_size(at));
    return next;
}

// Can step i be taken from here?
static int passable(struct pass *p, const json_t *at, const struct change *change, int i)
{
    struct path upto = change->path;
    char words[128];

    if (change->path.steps[i].key ? json_is_object(at) : json_is_array(at)) return 1;
    upto.count = i;
    path_text(&upto, words, sizeof words);
    note_add_plain(p, change->shown, "'%s' is not %s", i ? words : "the scene",
                   change->path.steps[i].key ? "an object" : "an array");
    return 0;
}

// The last step. A word for a choice that heads a group replaces the group: a wall has no level. Only if an
// earlier --set spoke of something in the group it stays, so that the order of options does not matter.
static tarn_result put_key(const struct pass *p, json_t *root, json_t *at, json_t *value,
                           const struct change *change)
{
    const char *key = change->path.steps[change->path.count - 1].key;
    json_t *old = json_object_get(at, key);
    int spoken = 0;

    for (int i = 0; change->option && i < p->change_count; ++i)
        spoken |=
            p->changes[i].path.count > change->path.count && path_begins(&p->changes[i].path, &change->path);
    if (spoken && json_is_object(old) && json_is_string(value) &&
        heads(root, &change->path, change->path.count))
        return json_object_set(old, HEAD_KEY, value) == 0 ? TARN_OK : TARN_NO_MEMORY;
    return json_object_set(at, key, value) == 0 ? TARN_OK : TARN_NO_MEMORY;
}

static tarn_result put(struct pass *p, json_t *root, json_t *value, struct change *change)
{
    const int last = change->path.count - 1;
    json_t *at = root;

    for (int i = 0; i <= last; ++i) {
        const struct step *s = &change->path.steps[i];
        if (!passable(p, at, change, i)) return TARN_BAD_INPUT;
        if (i < last && !(at = descend(p, root, at, change, i))) return p->result;
        if (i < last) continue;
        if (s->key) return put_key(p, root, at, value, change);
        if (!descend(p, root, at, change, i)) return p->result;
        return json_array_set(at, s->index, value) == 0 ? TARN_OK : TARN_NO_MEMORY;
    }
    return TARN_OK;
}

tarn_result change_put(struct pass *p, json_t *root, const char *path, json_t *value, struct change *out)
{
    tarn_result r = value ? TARN_OK : TARN_NO_MEMORY;
    const size_t length = strlen(path);
    const int option = out->option;

    *out = (struct change){.option = option, .text = text_copy(path, length), .shown = malloc(length + 7)};
    if (!out->text || !out->shown) r = TARN_NO_MEMORY;
    if (r == TARN_OK) {
        snprintf(out->shown, length + 7, "%s%s", option ? "--set " : "", path);
        if (!is_utf8(path) || !path_cut(out->text, &out->path)) {
            note_add_plain(p, out->shown, "a path like fluid.depth or bodies[0].density is expected");
            r = TARN_BAD_INPUT;
        }
    }
    if (r == TARN_OK) r = put(p, root, value, out);
    json_decref(value);
    if (r != TARN_OK) change_free(out);
    if (r != TARN_OK) pass_fail(p, r);
    return r;
}

tarn_result change_apply(struct pass *p, json_t *root, const char *set, struct change *out)
{
    const char *equals = strchr(set, '=');
    char words[128];

    out->option = 1;
    if (!equals || equals == set || !equals[1] || !is_utf8(equals + 1)) {
        snprintf(words, sizeof words, "--set %s", set);
        note_add_plain(p, words, "a path, '=' and a value are expected, as in fluid.depth=2");
        return TARN_BAD_INPUT;
    }
    char *path = text_copy(set, (size_t)(equals - set));
    if (!path) {
        pass_fail(p, TARN_NO_MEMORY);
        return TARN_NO_MEMORY;
    }
    const tarn_result r = change_put(p, root, path, value_of(equals + 1), out);
    free(path);
    return r;
}
