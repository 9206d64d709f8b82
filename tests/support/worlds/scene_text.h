// Scenes from text and from files, and their errors.
#ifndef TESTS_SCENE_TEXT_H
#define TESTS_SCENE_TEXT_H

#include "rng.h"

#include "scene/scene_internal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOOD                                                                                         \
    "{\n"                                                                                            \
    "  \"version\": 2, \"name\": \"two\", \"seed\": 7,\n"                                            \
    "  \"fluid\": {\"model\": \"wave\", \"size\": [2, 2], \"cells\": [16, 16], \"depth\": 0.5,\n"    \
    "            \"boundary\": {\"west\": \"open\"}, \"gravity\": 9.5},\n"                           \
    "  \"bodies\": [\n"                                                                              \
    "    {\"name\": \"cork\", \"shape\": \"sphere\", \"radius\": 0.3, \"position\": [0, 0.6, 0]},\n" \
    "    {\"shape\": \"box\", \"size\": [0.2, 0.2, 0.2], \"rotation\": [1, 0, 0, 0], \"type\": "     \
    "\"kinematic\","                                                                                 \
    " \"position\": [0.6, 0.5, 0.6]}\n"                                                              \
    "  ],\n"                                                                                         \
    "  \"gauges\": [{\"name\": \"g1\", \"position\": [0.1, 0.2]}],\n"                                \
    "  \"run\": {\"duration\": 3, \"dt\": 0.01}\n"                                                   \
    "}\n"

// The first lines of scenes that have one error further down.
#define TOP  "{\"version\": 2, \"fluid\": {\"model\": \"wave\"},\n"
#define BODY TOP "\"bodies\": [{\"shape\": \"sphere\",\n"

#define SIDE "{\"version\": 2, \"fluid\": {\"model\": \"shallow\",\n\"boundary\": {\"west\": "
#define BED  TOP "\"bed\":\n"

static inline tarn_result parse(const char *text, tarn_scene **scene, tarn_diagnostics *diagnostics)
{
    return tarn_scene_parse("a.json", text, strlen(text), scene, diagnostics);
}

static inline tarn_scene *good_scene(void)
{
    tarn_scene *scene = NULL;
    assert_int_equal(parse(GOOD, &scene, NULL), TARN_OK);
    return scene;
}

static inline void assert_diagnostic(const tarn_diagnostic *n, const char *where, const char *path,
                                     const char *words)
{
    if (strcmp(n->where, where) != 0 || strcmp(n->path, path) != 0 || !strstr(n->message, words))
        fail_msg("expected %s: %s: %s\n     but got %s: %s: %s", where, path, words, n->where, n->path,
                 n->message);
}

static inline void temporary(char path[64], const char *text)
{
    strcpy(path, "/tmp/tarn_scene_XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

#endif
