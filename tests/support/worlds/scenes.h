// Small scenes from text, and checks of errors with their places.
#ifndef TESTS_SCENES_H
#define TESTS_SCENES_H

#include "check.h"

#include "scene/scene_internal.h"

#define TOP "{\"version\": 2, \"fluid\": {\"model\": \"wave\", \"size\": [40, 40], \"cells\": [16, 16]},\n"

static inline tarn_result parse(const char *text, tarn_scene **scene, tarn_diagnostics *diagnostics)
{
    return tarn_scene_parse("a.json", text, strlen(text), scene, diagnostics);
}

static inline void assert_diagnostic(const tarn_diagnostic *n, const char *where, const char *path,
                                     const char *words)
{
    if (strcmp(n->where, where) != 0 || strcmp(n->path, path) != 0 || !strstr(n->message, words))
        fail_msg("expected %s: %s: %s\n     but got %s: %s: %s", where, path, words, n->where, n->path,
                 n->message);
}

struct mistake {
    const char *text, *where, *path, *words;
};

// One mistake each, found when the scene is read.
static inline void expect_mistakes(const struct mistake *list, int count)
{
    for (int i = 0; i < count; ++i) {
        tarn_scene *scene = NULL;
        tarn_diagnostics diagnostics = {0};
        const tarn_result r = parse(list[i].text, &scene, &diagnostics);
        if (r != TARN_BAD_INPUT || scene || diagnostics.count != 1)
            fail_msg("%s: result %d, %d diagnostics, first: %s", list[i].text, (int)r, diagnostics.count,
                     diagnostics.count ? diagnostics.list[0].message : "");
        assert_diagnostic(&diagnostics.list[0], list[i].where, list[i].path, list[i].words);
        tarn_diagnostics_free(&diagnostics);
    }
}

// A scene that must be valid, and its world.
static inline tarn_world *world_of(const char *text, tarn_scene **out)
{
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    tarn_diagnostics diagnostics = {0};
    if (parse(text, &scene, &diagnostics) != TARN_OK ||
        tarn_scene_create_world(scene, NULL, &world, &diagnostics) != TARN_OK)
        fail_msg("%s\n%s: %s: %s", text, diagnostics.list[0].where, diagnostics.list[0].path,
                 diagnostics.list[0].message);
    if (out)
        *out = scene;
    else
        tarn_scene_destroy(scene);
    return world;
}

// A scene that is written and read again gives the same world, and written again the same text.
static inline void expect_round_trip(const char *text)
{
    tarn_scene *scene, *again;
    tarn_world *a = world_of(text, &scene);
    char *written = tarn_scene_write(scene);
    tarn_world *b = world_of(written, &again);
    char *twice = tarn_scene_write(again);
    assert_string_equal(written, twice);
    assert_true(tarn_world_hash(a) == tarn_world_hash(b));
    tarn_text_free(written);
    tarn_text_free(twice);
    tarn_world_destroy(a);
    tarn_world_destroy(b);
    tarn_scene_destroy(scene);
    tarn_scene_destroy(again);
}

static inline tarn_body_state motion_of(const tarn_world *world, const char *name)
{
    tarn_body_state m = {0};
    CHECK_OK(tarn_body_get_state(world, tarn_body_find(world, name), &m));
    return m;
}

static inline uint64_t hash_of(const char *text)
{
    tarn_world *w = world_of(text, NULL);
    const uint64_t hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    return hash;
}

#endif
