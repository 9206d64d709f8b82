// hash_scene WORKERS: a pond with a wave and bodies falling in, made through tarn.h alone; the hash of the
// world every 100 of 1,000 steps. Promise in tarn.h: these lines are the same for every compiler, every
// optimisation, with and without threads. tests/matrix.sh compares them.
#include <tarn/tarn.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// 81,920 columns: enough that the rows are shared out among threads, in blocks that do not come out even.
static tarn_result make_world(int workers, tarn_world **world, tarn_error *err)
{
    tarn_world_def def = tarn_world_def_default("wave");
    def.dt = 1.0 / 120.0;
    def.host.workers = workers;
    tarn_result r = tarn_spec_set(&def.fluid, "size", tarn_pair(20.0, 16.0), err);
    if (r == TARN_OK) r = tarn_spec_set(&def.fluid, "cells", tarn_pair(320, 256), err);
    if (r == TARN_OK) r = tarn_spec_set(&def.fluid, "sides.east", tarn_word("open"), err);
    if (r == TARN_OK) r = tarn_world_create(&def, world, err);
    return r;
}

static tarn_result add_hump(tarn_world *world, tarn_error *err)
{
    tarn_spec hump;
    const tarn_result r = tarn_spec_init(&hump, "emitter", "hump", err);
    return r == TARN_OK ? tarn_emitter_create(world, &hump, err) : r;
}

// Light and heavy ones in turn, from different heights, close enough to meet, all turning.
static tarn_result add_bodies(tarn_world *world, tarn_error *err)
{
    tarn_result r = TARN_OK;
    for (int i = 0; i < 8 && r == TARN_OK; ++i) {
        tarn_body_def def = tarn_body_def_default(i % 2 ? "box" : "sphere");
        tarn_body body;
        def.density = i % 3 == 2 ? 1500.0 : 200.0 + 90.0 * i;
        def.position = (tarn_vec3){-2.0 + 0.7 * i, 2.0 + 0.5 * (i % 4), 0.4 * (i % 3)};
        def.velocity = (tarn_vec3){0.5 - 0.1 * i, -1.0, 0.2};
        def.spin = (tarn_vec3){0.3 * i, 1.0, -0.5};
        r = tarn_body_create(world, &def, &body, err);
    }
    return r;
}

int main(int argc, char **argv)
{
    tarn_world *world = NULL;
    tarn_error err = {0};
    tarn_result r = make_world(argc > 1 ? atoi(argv[1]) : 1, &world, &err);
    if (r == TARN_OK) r = add_hump(world, &err);
    if (r == TARN_OK) r = add_bodies(world, &err);
    // The world's own dt may come out a hair longer than the caller's: hash by its count of steps.
    for (uint64_t next = 100; r == TARN_OK && next <= 1000;) {
        r = tarn_world_step(world, 1.0 / 120.0);
        if (r == TARN_OK && tarn_world_status(world).steps == next) {
            printf("%4d %016" PRIx64 "\n", (int)next, tarn_world_hash(world));
            next += 100;
        }
    }
    if (r != TARN_OK) fprintf(stderr, "%s %s%s\n", err.key, err.text, world ? tarn_world_trouble(world) : "");
    tarn_world_destroy(world);
    return r;
}
