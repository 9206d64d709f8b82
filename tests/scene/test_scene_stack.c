// Promise in tarn/base.h for both libraries: a stack of 64 kB is enough for reading, creating, writing, stepping and
// cloning every shipped scene, and for texts that are nested as deeply as the reader allows.
#define _GNU_SOURCE // opendir, pthread_attr_setstack
#include "painted_stack.h"

#include <dirent.h>
#include <stdio.h>
#include <tarn/scene.h>

struct job {
    char path[512];
    tarn_world *world;
    tarn_diagnostics notes;
    tarn_result result;
};

static void read_and_create(void *argument)
{
    struct job *job = argument;
    tarn_scene *scene = NULL;
    job->result = tarn_scene_read(job->path, &scene, &job->notes);
    if (job->result == TARN_OK)
        job->result = tarn_scene_create_world(scene, &(tarn_host){.retries = 1}, &job->world, &job->notes);
    if (job->result == TARN_OK) tarn_text_free(tarn_scene_write(scene));
    tarn_scene_destroy(scene);
}

static void take_steps(void *argument)
{
    struct job *job = argument;
    const int count = getenv("TARN_LONG") ? 300 : 10;
    for (int n = 0; n < count && job->result == TARN_OK; ++n) job->result = tarn_world_step(job->world);
}

static void clone_world(void *argument)
{
    struct job *job = argument;
    tarn_world *twin = NULL;
    tarn_frame frame = {0};
    if (job->result == TARN_OK) job->result = tarn_world_clone(job->world, NULL, &twin, NULL);
    if (job->result == TARN_OK) job->result = tarn_world_get_frame(twin, 1, &frame);
    tarn_frame_free(&frame);
    tarn_world_destroy(twin);
}

static void keep_largest(size_t *largest, char *name, const struct job *job, size_t depth)
{
    if (depth <= *largest) return;
    *largest = depth;
    snprintf(name, 64, "%.63s", strrchr(job->path, '/') + 1);
}

static void shipped_scenes_need_small_stacks(void **state)
{
    DIR *folder = opendir(TARN_SOURCE_DIR "/scenes");
    size_t reading = 0, stepping = 0, cloning = 0;
    char read_name[64] = "", step_name[64] = "", clone_name[64] = "";
    int count = 0;
    (void)state;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        struct job job = {0};
        if (!strstr(entry->d_name, ".json")) continue;
        snprintf(job.path, sizeof job.path, TARN_SOURCE_DIR "/scenes/%s", entry->d_name);
        keep_largest(&reading, read_name, &job, stack_depth_of(read_and_create, &job));
        if (!job.world && strstr(job.notes.count ? job.notes.list[0].message : "", "bunny"))
            job.result = TARN_OK; // its mesh may not be installed
        else if (job.world)
            ++count;
        if (job.world) keep_largest(&stepping, step_name, &job, stack_depth_of(take_steps, &job));
        if (job.world) keep_largest(&cloning, clone_name, &job, stack_depth_of(clone_world, &job));
        if (job.result != TARN_OK)
            fail_msg("%s: result %d %s", job.path, (int)job.result,
                     job.notes.count ? job.notes.list[0].message : "");
        tarn_diagnostics_free(&job.notes);
        tarn_world_destroy(job.world);
    }
    closedir(folder);
    print_message("%d scenes; reading %zu bytes (%s), steps %zu (%s), clones and frames %zu (%s)\n", count,
                  reading, read_name, stepping, step_name, cloning, clone_name);
    assert_true(count > 40);
    if (reading > SMALL_STACK || stepping > SMALL_STACK || cloning > SMALL_STACK) fail_msg("too much");
}

// Brackets that the parser of JSON descends into.
static void read_nested(void *argument)
{
    enum { NESTED = 127 };
    char text[64 + 2 * NESTED] = "{\"version\": 2, \"fluid\": {\"model\": \"none\"}, \"x\": ";
    struct job *job = argument;
    tarn_scene *scene = NULL;
    for (int n = 0; n < NESTED; ++n) strcat(text, "[");
    for (int n = 0; n < NESTED; ++n) strcat(text, "]");
    strcat(text, "}");
    job->result = tarn_scene_parse("nested", text, strlen(text), &scene, &job->notes);
    tarn_scene_destroy(scene);
}

static void nested_text_needs_a_small_stack(void **state)
{
    struct job job = {0};
    (void)state;
    const size_t depth = stack_depth_of(read_nested, &job);
    print_message("%zu bytes, %s\n", depth, job.notes.count ? job.notes.list[0].message : "no message");
    assert_int_equal(job.result, TARN_BAD_INPUT); // there is no key "x"
    tarn_diagnostics_free(&job.notes);
    if (depth > SMALL_STACK) fail_msg("%zu bytes of stack", depth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_scenes_need_small_stacks),
        cmocka_unit_test(nested_text_needs_a_small_stack),
    };
    return cmocka_run_group_tests_name("scene_stack", tests, NULL, NULL);
}
