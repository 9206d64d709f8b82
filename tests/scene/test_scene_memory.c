// Promise: once a shipped scene is under way, its steps allocate nothing, with the copies for retries and for
// blending that programs ask for; but where bodies meet, and where one drifts over the coarse grid of the
// solver of 'flow', contacts and patches may outgrow their capacity.
#define _POSIX_C_SOURCE 200809L // opendir
#include "check.h"
#include "counting_allocator.h"

#include <tarn/scene.h>

#include <dirent.h>
#include <stdio.h>

// The first steps allocate: copies, patches of the solver, contacts of bodies.
static int warm_up(void) { return getenv("TARN_LONG") ? 200 : 20; }
static int watched(void) { return getenv("TARN_LONG") ? 300 : 10; }

// Capacities grow by half or twofold, so a collapsing heap outgrows them a few times and then no more.
enum { MOST = 8 };

static tarn_world *scene_world(const char *name, const struct counting_allocator *books)
{
    char path[512];
    const tarn_host host = {.allocator = counting_hook((struct counting_allocator *)books), .retries = 3};
    tarn_scene *scene = NULL;
    tarn_world *w = NULL;
    tarn_diagnostics diagnostics = {0};
    snprintf(path, sizeof path, TARN_SOURCE_DIR "/scenes/%s", name);
    if (tarn_scene_read(path, &scene, &diagnostics) == TARN_OK)
        tarn_scene_create_world(scene, &host, &w, &diagnostics);
    if (!w && !strstr(diagnostics.count ? diagnostics.list[0].message : "",
                      "bunny")) // whose mesh may not be installed
        fail_msg("%s: %s", path, diagnostics.count ? diagnostics.list[0].message : "");
    tarn_diagnostics_free(&diagnostics);
    tarn_scene_destroy(scene);
    return w;
}

static int may_grow(const tarn_world *w)
{
    const int bodies = tarn_world_get_status(w).body_count;
    tarn_value of_flow;
    return bodies > 1 || (bodies > 0 && tarn_world_get_param(w, "fluid.viscosity", &of_flow) == TARN_OK);
}

static void step(tarn_world *w)
{
    tarn_value dt;
    CHECK_OK(tarn_world_get_param(w, "run.dt", &dt));
    CHECK_OK(tarn_world_advance(w, dt.number[0]));
}

static void shipped_scenes_allocate_nothing(void **state)
{
    DIR *folder = opendir(TARN_SOURCE_DIR "/scenes");
    int count = 0;
    (void)state;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".json")) continue;
        struct counting_allocator books = {.left = -1};
        tarn_world *w = scene_world(entry->d_name, &books);
        if (!w) continue;
        CHECK_OK(tarn_world_keep_previous(w, 1));
        for (int n = 0; n < warm_up(); ++n) step(w);
        const long before = books.calls, most = may_grow(w) ? MOST : 0;
        for (int n = 0; n < watched(); ++n) step(w);
        const long calls = books.calls - before;
        if (calls) print_message("%s: %ld allocations in %d steps\n", entry->d_name, calls, watched());
        if (calls > most) fail_msg("%s: %ld allocations", entry->d_name, calls);
        tarn_world_destroy(w);
        if (books.blocks) fail_msg("%s: %ld blocks were never freed", entry->d_name, books.blocks);
        ++count;
    }
    closedir(folder);
    print_message("%d scenes\n", count);
    assert_true(count > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_scenes_allocate_nothing),
    };
    return cmocka_run_group_tests_name("scene_memory", tests, NULL, NULL);
}
