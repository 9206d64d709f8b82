// Worlds of all models for calls of public functions, and one call with its checks.
#ifndef TESTS_CALL_FIXTURE_H
#define TESTS_CALL_FIXTURE_H

#include "api_calls.h"

enum { MODELS = 6, FUNCTIONS = (int)(sizeof api_calls / sizeof api_calls[0]) };

#define BODIES                                                                                               \
    "\"bodies\": [ { \"name\": \"crate\", \"shape\": \"box\", \"size\": [0.4, 0.4, 0.4], \"position\": [0, " \
    "1.2, 0] },"                                                                                             \
    " { \"name\": \"hand\", \"type\": \"kinematic\", \"shape\": \"sphere\", \"radius\": 0.2, \"position\": " \
    "[1, 2, 0] } ],"                                                                                         \
    "\"joints\": [ { \"kind\": \"spring\", \"body_a\": \"crate\", \"body_b\": \"hand\", \"anchor_a\": [0, "  \
    "1.2, 0],"                                                                                               \
    "   \"anchor_b\": [1, 2, 0] },"                                                                          \
    " { \"name\": \"hook\", \"kind\": \"hinge\", \"body_a\": \"crate\", \"anchor_a\": [0, 1.2, 0] } ]"
#define WATER(model)                                                         \
    "{ \"version\": 2, \"name\": \"pond\", \"fluid\": { \"model\": \"" model \
    "\", \"size\": [4, 4], \"cells\": [8, 8],"                               \
    " \"depth\": 1 }, " BODIES ", \"emitters\": [ { \"kind\": \"drops\" }, { \"kind\": \"rain\" } ] }"

static const char *const scene_texts[MODELS] = {
    WATER("wave"),
    WATER("shallow"),
    WATER("implicit"),
    "{ \"version\": 2, \"name\": \"smoke\", \"fluid\": { \"model\": \"flow\", \"size\": [2, 2], \"cells\": "
    "[8, 8] },"
    " \"bodies\": [ { \"name\": \"crate\", \"shape\": \"box\", \"size\": [0.3, 0.3, 1], \"position\": [0.5, "
    "0.5, 0] },"
    " { \"name\": \"hand\", \"type\": \"kinematic\", \"shape\": \"circle\", \"radius\": 0.2, \"position\": "
    "[1.5, 0.5, 0] } ],"
    " \"obstacles\": [ { \"kind\": \"circle\", \"radius\": 0.1, \"position\": [1, 1.5] },"
    " { \"kind\": \"box\", \"size\": [0.2, 0.1], \"position\": [1.6, 1.5] } ],"
    " \"emitters\": [ { \"kind\": \"source\", \"position\": [0.5, 1.5] }, { \"kind\": \"source\", "
    "\"position\": [1, 1] } ] }",
    "{ \"version\": 2, \"name\": \"floor\", \"fluid\": { \"model\": \"none\", \"size\": [4, 4] }, " BODIES
    " }",
    "{ \"version\": 2, \"name\": \"sea\", \"fluid\": { \"model\": \"ocean\", \"size\": [4, 4], \"cells\": "
    "[8, 8], \"waves\": [ [0.05, 3, 0.2, 30] ] }, " BODIES " }",
};

static inline void fill_ids(struct caller *c)
{
    tarn_joint_id joints[MOST_IDS];
    tarn_emitter_id emitters[MOST_IDS];
    tarn_obstacle_id obstacles[MOST_IDS];
    int n = tarn_world_get_joints(c->world, joints, MOST_IDS);
    for (int i = 0; i < n && i < MOST_IDS; ++i) c->ids[ID_joint][i] = joints[i].value;
    c->id_count[ID_joint] = n < MOST_IDS ? n : MOST_IDS;
    n = tarn_world_get_emitters(c->world, emitters, MOST_IDS);
    for (int i = 0; i < n && i < MOST_IDS; ++i) c->ids[ID_emitter][i] = emitters[i].value;
    c->id_count[ID_emitter] = n < MOST_IDS ? n : MOST_IDS;
    n = tarn_world_get_obstacles(c->world, obstacles, MOST_IDS);
    for (int i = 0; i < n && i < MOST_IDS; ++i) c->ids[ID_obstacle][i] = obstacles[i].value;
    c->id_count[ID_obstacle] = n < MOST_IDS ? n : MOST_IDS;
    for (n = 0; n < MOST_IDS && tarn_body_at(c->world, n).value; ++n)
        c->ids[ID_body][n] = tarn_body_at(c->world, n).value;
    c->id_count[ID_body] = n;
}

static inline tarn_result append_file(void *ctx, const void *data, size_t size)
{
    struct call_file *f = ctx;
    if (size > sizeof f->data - f->size) abort();
    memcpy(f->data + f->size, data, size);
    f->size += size;
    return TARN_OK;
}

// A world of a model after a step, and what calls need besides it.
static inline void begin_calls(struct caller *c, int model)
{
    const tarn_shape_def box = {.type = TARN_SHAPE_BOX, .box = {.size = {0.3, 0.3, 0.3}}};
    const tarn_shape_def bowl = {.type = TARN_SHAPE_BOX,
                                 .box = {.size = {0.3, 0.3, 0.3}, .wall_thickness = 0.02}};
    tarn_diagnostics notes = {0};
    tarn_scene *scene = NULL;
    c->scene_text = scene_texts[model];
    tarn_result r = tarn_scene_parse("pond", c->scene_text, strlen(c->scene_text), &scene, &notes);
    if (r == TARN_OK) r = tarn_scene_create_world(scene, NULL, &c->original, &notes);
    for (int i = 0; i < notes.count; ++i)
        fprintf(stderr, "%s: %s\n", notes.list[i].path, notes.list[i].message);
    if (r != TARN_OK || tarn_world_step(c->original) != TARN_OK) abort();
    if (tarn_world_clone(c->original, NULL, &c->world, NULL) != TARN_OK) abort();
    if (tarn_world_clone(c->original, NULL, &c->second, NULL) != TARN_OK) abort();
    if (tarn_shape_create(&box, NULL, (tarn_shape **)(uintptr_t)&c->shape, NULL) != TARN_OK ||
        tarn_shape_create(&bowl, NULL, (tarn_shape **)(uintptr_t)&c->open_shape, NULL) != TARN_OK)
        abort();
    tarn_scene_destroy(scene);
    tarn_diagnostics_free(&notes);
    tarn_frame frame = {0};
    if (tarn_world_get_frame(c->world, 0, &frame) != TARN_OK) abort();
    c->planar = frame.planar;
    tarn_frame_free(&frame);
    c->file = calloc(1, sizeof *c->file);
    if (!c->file || tarn_world_save(c->world, append_file, c->file) != TARN_OK) abort();
    c->snapshot_bytes = tarn_world_snapshot(c->world, NULL, 0);
    c->snapshot = malloc(c->snapshot_bytes);
    if (tarn_world_snapshot(c->world, c->snapshot, c->snapshot_bytes) != c->snapshot_bytes) abort();
    fill_ids(c);
}

static inline void end_calls(struct caller *c)
{
    tarn_world_destroy(c->original);
    tarn_world_destroy(c->world);
    tarn_world_destroy(c->second);
    tarn_shape_release(c->shape);
    tarn_shape_release(c->open_shape);
    free(c->file);
    free(c->snapshot);
}

// Call a function of the list. What is wrong with its result is then in c->problem.
static inline void make_call(struct caller *c, int function)
{
    const uint64_t before = tarn_world_hash(c->world);
    c->function = api_calls[function].name;
    c->argument = c->member = "";
    c->problem[0] = c->place[0] = 0;
    c->site = 0, c->wrong = 0, c->error = NULL, c->file->at = 0;
    api_calls[function].call(c);
    const bool changed = c->world && tarn_world_hash(c->world) != before;
    if (changed && c->reads_only) PROBLEM(c, "changes a world that it takes as const");
    if (changed &&
        (c->result == TARN_BAD_ARGUMENT || c->result == TARN_BAD_INPUT || c->result == TARN_NO_MEMORY))
        PROBLEM(c, "returns %d and changes the world", (int)c->result);
    free_call(c);
}

#endif
