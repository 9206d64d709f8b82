// Promises of tarn.h: arguments, threads, checkpoints, memory, frames.
#include "body_def.h"
#include "counting_allocator.h"
#include "wave_world.h"

#include "base/hash.h"
#include "world/world.h"

#include <stdio.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

// A pond with all features, large enough that its rows are divided into blocks.
static tarn_world *busy_pond(const tarn_host *host)
{
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    tarn_world *w = NULL;
    tarn_error err = {0};
    if (host) def.world.host = *host;
    def.fluid.wave.size = (tarn_vec2){8, 8};
    def.fluid.wave.cells[0] = 272, def.fluid.wave.cells[1] = 272;
    def.fluid.wave.boundary[TARN_EAST] = TARN_WAVE_OPEN;
    CHECK_OK(setup_create(&def, &w, &err));
    add_hump(w, -1, 0.5, 0.4, 0.2);
    static const tarn_emitter_type types[] = {TARN_EMITTER_RAIN, TARN_EMITTER_DROPS, TARN_EMITTER_WAVEMAKER};
    for (int k = 0; k < 3; ++k) {
        const tarn_emitter_def emitter = tarn_default_emitter_def(types[k]);
        CHECK_OK(tarn_emitter_create(w, &emitter, NULL, &err));
    }
    add_sphere(w, 0.3, 300, (tarn_vec3){0.5, 1.6, 0.2});
    add_box(w, (tarn_vec3){0.6, 0.4, 0.5}, 600, (tarn_vec3){-0.7, 1.4, -0.4});
    add_sphere(w, 0.2, 2000, (tarn_vec3){0.5, 2.2, 0.3});
    return w;
}

static uint64_t hash_after(const tarn_host *host, int steps)
{
    tarn_world *w = busy_pond(host);
    for (int n = 0; n < steps; ++n) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
    const uint64_t hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    return hash;
}

// ---- same bits ------------------------------------------------------------------------------------

static void backwards(void *ctx, tarn_task_fn task, void *arg, int count)
{
    (void)ctx;
    for (int i = count - 1; i >= 0; --i) task(arg, i);
}

// Promise in types.h: results do not depend on who executes the blocks. The test determinism runs 1,000
// steps.
static void workers_do_not_change_results(void **state)
{
    (void)state;
    const int steps = long_mode() ? 1000 : 120;
    const uint64_t one = hash_after(NULL, steps);
    static const int counts[] = {2, 3, 8};
    for (int k = 0; k < COUNT(counts); ++k)
        assert_true(hash_after(&(tarn_host){.workers = counts[k]}, steps) == one);
    assert_true(hash_after(&(tarn_host){.tasks = {backwards, NULL}}, steps) == one);
}

// An application that flushes denormals or rounds differently gets the same bits, and its modes are
// restored.
static void host_modes_do_not_change_results(void **state)
{
    (void)state;
#ifdef __SSE2__
    const uint64_t one = hash_after(NULL, 30);
    const unsigned before = _mm_getcsr(), odd = before | 0x8040u | 0x6000u; // flush to zero, round to zero
    tarn_world *w = busy_pond(NULL);
    _mm_setcsr(odd);
    for (int n = 0; n < 30; ++n)
        if (tarn_world_advance(w, 1.0 / 60.0) != TARN_OK) break;
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    assert_true((after & 0xffc0u) == (odd & 0xffc0u));
    assert_true(tarn_world_hash(w) == one);
    tarn_world_destroy(w);
#endif
}

// The hash changes with a single bit.
static void hash_sees_a_single_bit(void **state)
{
    (void)state;
    tarn_world *w = busy_pond(NULL);
    CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
    const uint64_t before = tarn_world_hash(w);
    assert_true(tarn_world_hash(w) == before);
    w->bodies.state[1].angular_momentum.z += 1e-12;
    assert_true(tarn_world_hash(w) != before);
    tarn_world_destroy(w);
}

// ---- checkpoints ----------------------------------------------------------------------------------

struct file {
    unsigned char *data;
    size_t size, capacity, at;
};

static tarn_result write_file(void *ctx, const void *data, size_t size)
{
    struct file *f = ctx;
    if (f->size + size > f->capacity) {
        f->capacity = 2 * (f->size + size);
        f->data = realloc(f->data, f->capacity);
    }
    memcpy(f->data + f->size, data, size);
    f->size += size;
    return TARN_OK;
}

static tarn_result read_file(void *ctx, void *data, size_t size)
{
    struct file *f = ctx;
    if (f->size - f->at < size) return TARN_IO;
    memcpy(data, f->data + f->at, size);
    f->at += size;
    return TARN_OK;
}

// Save at step k, load and continue: the same bits as without interruption, the frame included.
static void restart_is_exact(void **state)
{
    (void)state;
    static const int stops[] = {0, 1, 7, 40, 61};
    const uint64_t straight = hash_after(NULL, 80);
    for (int k = 0; k < COUNT(stops); ++k) {
        struct file f = {0};
        tarn_error err = {0};
        tarn_world *w = busy_pond(NULL), *again = NULL;
        for (int n = 0; n < stops[k]; ++n) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        CHECK_OK(tarn_world_save(w, write_file, &f));
        const tarn_result r = tarn_world_load(read_file, &f, NULL, &again, &err);
        if (r != TARN_OK) print_message("%s\n", err.message);
        CHECK_OK(r);
        assert_true(f.at == f.size);
        assert_true(tarn_world_hash(again) == tarn_world_hash(w));

        tarn_frame a = {0}, b = {0};
        CHECK_OK(tarn_world_get_frame(w, 1, &a));
        CHECK_OK(tarn_world_get_frame(again, 1, &b));
        assert_memory_equal(a.height, b.height, (size_t)(a.nx * a.nz) * sizeof(float));
        assert_memory_equal(&a.bodies[0].load, &b.bodies[0].load, sizeof a.bodies[0].load);
        const tarn_ledger la = tarn_world_get_ledger(w), lb = tarn_world_get_ledger(again);
        assert_memory_equal(&la, &lb, sizeof la);

        for (int n = stops[k]; n < 80; ++n) CHECK_OK(tarn_world_advance(again, 1.0 / 60.0));
        assert_true(tarn_world_hash(again) == straight);
        tarn_frame_free(&a), tarn_frame_free(&b);
        tarn_world_destroy(w), tarn_world_destroy(again);
        free(f.data);
    }
}

static tarn_world *small_pond(const tarn_host *host)
{
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    tarn_world *w = NULL;
    if (host) def.world.host = *host;
    def.fluid.wave.cells[0] = 16, def.fluid.wave.cells[1] = 16;
    if (setup_create(&def, &w, NULL) != TARN_OK) return NULL;
    tarn_body_def ball = body_def("box");
    tarn_body_id id;
    const tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    ball.position = (tarn_vec3){0, 1, 0};
    if (tarn_body_create(w, &ball, &id, NULL) == TARN_OK &&
        tarn_emitter_create(w, &hump, NULL, NULL) == TARN_OK)
        return w;
    tarn_world_destroy(w);
    return NULL;
}

// A checkpoint is untrusted: truncated anywhere or with any byte changed it is rejected, and nothing
// leaks.
static void damaged_checkpoints_are_rejected(void **state)
{
    (void)state;
    struct file f = {0};
    tarn_world *w = small_pond(NULL), *again = NULL;
    assert_non_null(w);
    CHECK_OK(tarn_world_advance(w, 0.1));
    CHECK_OK(tarn_world_save(w, write_file, &f));
    const size_t size = f.size;
    for (size_t cut = 0; cut < size; cut += cut < 600 ? 1 : 37) {
        f.size = cut, f.at = 0;
        assert_true(tarn_world_load(read_file, &f, NULL, &again, NULL) != TARN_OK);
        assert_null(again);
    }
    f.size = size;
    for (size_t at = 0; at < size; at += at < 600 ? 1 : 23) {
        f.data[at] ^= 0x20, f.at = 0;
        assert_true(tarn_world_load(read_file, &f, NULL, &again, NULL) != TARN_OK);
        assert_null(again);
        f.data[at] ^= 0x20;
    }
    f.at = 0;
    CHECK_OK(tarn_world_load(read_file, &f, NULL, &again, NULL));
    tarn_world_destroy(again);
    tarn_world_destroy(w);
    free(f.data);
}

// A valid checkpoint of an older version is rejected, and the message names both versions.
// (docs/checkpoints.md: after 16 bytes a section has its name in 16, its version in 4, its length at 24
// and its checksum at 32.)
static void older_checkpoints_are_rejected(void **state)
{
    (void)state;
    struct file f = {0};
    tarn_world *w = small_pond(NULL), *again = NULL;
    tarn_error err = {0};
    char words[96];
    CHECK_OK(tarn_world_save(w, write_file, &f));
    unsigned char *section = (unsigned char *)f.data + 16;
    size_t length = 0;
    for (int k = 7; k >= 0; --k) length = 256 * length + section[24 + k];
    const unsigned version = section[16];
    assert_true(version > 1);
    section[16] = (unsigned char)(version - 1);
    struct hash hash;
    hash_init(&hash);
    hash_bytes(&hash, section + 40, length);
    hash_bytes(&hash, section, 32);
    for (int k = 0; k < 8; ++k) section[32 + k] = (unsigned char)(hash_result(&hash) >> 8 * k);
    assert_int_equal(tarn_world_load(read_file, &f, NULL, &again, &err), TARN_BAD_INPUT);
    assert_null(again);
    snprintf(words, sizeof words, "checkpoint has version %u, expected %u", version - 1, version);
    assert_string_equal(err.message, words);
    tarn_world_destroy(w);
    free(f.data);
}

// ---- memory ---------------------------------------------------------------------------------------

// Every allocation fails once, then permanently: an error and no leak, and existing objects can be
// destroyed.
static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    for (int once = 0; once < 2; ++once) {
        bool worked = false;
        for (int n = 0; n < 400 && !worked; ++n) {
            struct counting_allocator ledger = {.left = n, .once = once};
            const tarn_host host = {.allocator = counting_hook(&ledger)};
            tarn_world *w = small_pond(&host);
            tarn_frame frame = {0};
            tarn_result r = w ? TARN_OK : TARN_NO_MEMORY;
            for (int k = 0; k < 3 && r == TARN_OK; ++k) r = tarn_world_advance(w, 1.0 / 60.0);
            if (r == TARN_OK) r = tarn_world_get_frame(w, 1, &frame);
            tarn_frame_free(&frame);
            tarn_world_destroy(w);
            assert_int_equal(ledger.blocks, 0);
            worked = r == TARN_OK;
            assert_true(worked == (ledger.refused == 0));
        }
        assert_true(worked);
    }
}

// The first step allocates its diagnostics of the bodies; later steps allocate nothing.
static void later_steps_do_not_allocate(void **state)
{
    (void)state;
    struct counting_allocator ledger = {.left = -1};
    const tarn_host host = {.allocator = counting_hook(&ledger)};
    tarn_world *w = small_pond(&host);
    assert_non_null(w);
    CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
    const long calls = ledger.calls;
    for (int k = 0; k < 60; ++k) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
    assert_int_equal(ledger.calls, calls);
    tarn_world_destroy(w);
}

// ---- arguments ------------------------------------------------------------------------------------

static void null_pointers_and_stale_ids_are_rejected(void **state)
{
    (void)state;
    tarn_world *w = small_pond(NULL);
    tarn_body_state m;
    tarn_load l;
    tarn_value v;
    tarn_body_info info;
    const tarn_body_id id = tarn_body_at(w, 0), none = {0};
    assert_int_equal(tarn_world_create(NULL, &w, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_advance(NULL, 0.1), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_advance(w, 0.0), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_advance(w, NAN), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_advance(w, 11.0), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_get_state(w, none, &m), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_get_load(w, none, &l), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_apply_force(w, id, (tarn_vec3){NAN, 0, 0}, (tarn_vec3){0, 0, 0}),
                     TARN_BAD_ARGUMENT);
    m = (tarn_body_state){{NAN, 0, 0}, {1, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    assert_int_equal(tarn_body_set_state(w, id, &m), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_get_param(w, "fluid.nothing", &v), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_get_param(w, "nothing", &v), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_find(w, "nobody").value, 0);
    assert_int_equal(tarn_body_get_info(w, (tarn_body_id){1ull << 32 | 99}, &info), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_get_frame(w, 2.0, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_save(w, NULL, NULL), TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_body_destroy(w, id));
    assert_int_equal(tarn_body_destroy(w, id), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_at(w, 0).value, 0);
    tarn_world_destroy(w);
    tarn_world_destroy(NULL);
}

// Invalid parameters are rejected with their name.
static void invalid_worlds_are_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *name, *word, *key;
        double x, y;
    } cases[] = {
        {"cells", NULL, "cells", 64, 65},
        {"boundary.west", "periodic", "boundary.west", 0, 0},
    };
    tarn_world *w = NULL;
    tarn_error err = {0};
    for (int k = 0; k < COUNT(cases); ++k) {
        struct world_setup def = world_setup(TARN_FLUID_WAVE);
        const tarn_value v =
            cases[k].word ? tarn_value_text(cases[k].word) : tarn_value_vec2(cases[k].x, cases[k].y);
        CHECK_OK(set_fluid_param(&def.fluid, cases[k].name, v, NULL));
        assert_int_equal(setup_create(&def, &w, &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, cases[k].key);
        assert_null(w);
    }
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    assert_int_equal(set_fluid_param(&def.fluid, "depth", tarn_value_number(-1), &err), TARN_BAD_INPUT);
    assert_string_equal(err.message, "-1 m is outside 0.001 .. 10000");
    assert_int_equal(set_fluid_param(&def.fluid, "depth", tarn_value_text("deep"), &err), TARN_BAD_INPUT);
    assert_int_equal(set_fluid_param(&def.fluid, "boundary.west", tarn_value_text("wal"), &err),
                     TARN_BAD_INPUT);
    def.world.dt = 0.0; // a forgotten default
    assert_int_equal(setup_create(&def, &w, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "run.dt");
    def = world_setup_of("nothing");
    assert_int_equal(setup_create(&def, &w, &err), TARN_BAD_INPUT);

    w = small_pond(NULL);
    tarn_body_def ball = body_def("sphere");
    tarn_body_id id;
    ball.position = (tarn_vec3){50, 1, 0};
    assert_int_equal(tarn_body_create(w, &ball, &id, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "position");
    tarn_world_destroy(w);
}

// Live parameters change a running world; others are rejected.
static void live_parameters_change(void **state)
{
    (void)state;
    tarn_world *w = small_pond(NULL);
    tarn_error err = {0};
    tarn_value v;
    CHECK_OK(tarn_world_set_param(w, "fluid.damping", tarn_value_number(2), &err));
    CHECK_OK(tarn_world_get_param(w, "fluid.damping", &v));
    CHECK_NEAR(v.number[0], 2, 0);
    assert_int_equal(tarn_world_set_param(w, "fluid.depth", tarn_value_number(2), &err), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_set_param(w, "fluid.damping", tarn_value_number(-2), &err), TARN_BAD_INPUT);
    CHECK_OK(tarn_world_get_param(w, "fluid.gravity", &v));
    CHECK_NEAR(v.number[0], 9.81, 0);
    CHECK_OK(tarn_world_get_param(w, "emitters[0].height", &v));
    assert_int_equal(tarn_world_get_param(w, "emitters[7].height", &v), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

// A world that diverged names the cause, stays readable and takes no further step.
static void diverged_worlds_stop(void **state)
{
    (void)state;
    tarn_world *w = small_pond(NULL);
    const tarn_body_id id = tarn_body_at(w, 0);
    assert_int_equal(tarn_body_apply_force(w, id, (tarn_vec3){1e300, 0, 0}, (tarn_vec3){0, 0, 0}),
                     TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_body_apply_force(w, id, (tarn_vec3){1e14, 1e14, 0}, (tarn_vec3){0, 0, 0}));
    tarn_result r = TARN_OK;
    for (int k = 0; k < 20 && r == TARN_OK; ++k) r = tarn_world_advance(w, 1.0 / 60.0);
    assert_int_equal(r, TARN_DIVERGED);
    assert_non_null(strstr(tarn_world_get_failure(w), "body 0"));
    const uint64_t steps = tarn_world_get_status(w).steps;
    assert_int_equal(tarn_world_advance(w, 1.0), TARN_DIVERGED);
    assert_int_equal(tarn_world_get_status(w).steps, steps);
    tarn_world_destroy(w);
}

static void hear(void *ctx, tarn_log_level level, const char *text)
{
    assert_int_equal(level, TARN_LOG_INFO);
    snprintf(ctx, 256, "%s", text);
}

// The library never prints; messages go to the log of the host.
static void messages_go_to_the_log(void **state)
{
    (void)state;
    char heard[256] = "";
    tarn_world *w = small_pond(&(tarn_host){.log = {hear, heard}});
    assert_non_null(strstr(heard, "wave model: 16 x 16 columns of 0.25 m"));
    tarn_world_destroy(w);
}

// ---- frames and queries ---------------------------------------------------------------------------

// An interpolated frame lies between the last two states.
static void frames_interpolate(void **state)
{
    (void)state;
    tarn_world *w = small_pond(NULL);
    tarn_frame old = {0}, mid = {0}, now = {0};
    CHECK_OK(tarn_world_keep_previous(w, 1));
    for (int k = 0; k < 10; ++k) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
    CHECK_OK(tarn_world_get_frame(w, 1, &old));
    CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
    CHECK_OK(tarn_world_get_frame(w, 0.25, &mid));
    CHECK_OK(tarn_world_get_frame(w, 1, &now));
    CHECK_NEAR(mid.time, old.time + 0.25 / 60.0, 1e-12);
    for (int c = 0; c < 256; ++c)
        CHECK_NEAR((double)mid.height[c], 0.75 * (double)old.height[c] + 0.25 * (double)now.height[c], 2e-7);
    CHECK_NEAR(mid.bodies[0].state.position.y,
               0.75 * old.bodies[0].state.position.y + 0.25 * now.bodies[0].state.position.y, 1e-12);
    tarn_frame back = {0};
    CHECK_OK(tarn_world_get_frame(w, 0, &back));
    assert_memory_equal(back.height, old.height, 256 * sizeof(float));
    tarn_frame_free(&old), tarn_frame_free(&mid), tarn_frame_free(&now), tarn_frame_free(&back);
    tarn_world_destroy(w);
}
// A body that leaves at a periodic boundary re-enters at the opposite one; no interpolated frame shows it
// in between.
static void interpolated_bodies_do_not_cross_the_domain(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(&(struct wave_world){
        .wide = 4, .deep = 4, .nx = 16, .nz = 16, .depth = 1, .side = {"periodic", "periodic", NULL, NULL}});
    tarn_body_def def = body_def("sphere");
    tarn_frame f = {0};
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(0.1), NULL));
    def.position = (tarn_vec3){1.98, 5, 0}, def.velocity = (tarn_vec3){3, 0, 0};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    CHECK_OK(tarn_world_keep_previous(w, 1));
    // in the air: 5 cm a step
    static const double want[] = {-2.0 + 0.03, -2.0 + 0.03 + 0.025, -2.0 + 0.08 + 0.025};
    for (int k = 0; k < COUNT(want); ++k) {
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        CHECK_OK(tarn_world_get_frame(w, 0.5, &f));
        CHECK_NEAR(f.bodies[0].state.position.x, want[k], 1e-12);
    }
    tarn_frame_free(&f);
    tarn_world_destroy(w);
}

// The surface at a point is interpolated from the cells around it; outside there is no water.
static void raycasts_find_the_water_surface(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = -1});
    add_hump(w, 0.5, -0.3, 0.6, 0.1);
    const tarn_surface s = tarn_world_get_surface(w, 0.5, -0.3), side = tarn_world_get_surface(w, 0.9, -0.3);
    CHECK_NEAR(s.height, 1.1, 1e-3);
    CHECK_NEAR(s.normal.y, 1.0, 1e-3);
    assert_true(side.normal.x > 0.05); // the slope falls to the east, so its normal leans there
    CHECK_NEAR(v3_length(side.normal), 1.0, 1e-12);
    assert_int_equal(tarn_world_get_surface(w, 2.5, 0).wet, 0);
    tarn_world_destroy(w);
}

// The tables list all kinds, and every default lies in its range.
static void kinds_are_listed(void **state)
{
    (void)state;
    int kinds = 0;
    for (int r = 0; tarn_category_at(r); ++r)
        for (int k = 0; tarn_kind_at(tarn_category_at(r), k); ++k, ++kinds) {
            const tarn_kind *kind = tarn_kind_at(tarn_category_at(r), k);
            assert_string_equal(kind->category, tarn_category_at(r));
            assert_true(tarn_kind_find(kind->category, kind->name) == kind);
            for (int p = 0; p < kind->param_count; ++p) {
                const tarn_param *param = &kind->params[p];
                assert_true(param->help && param->help[0] && param->unit);
                if (param->type == TARN_PARAM_TABLE) // it must fit into a spec, unless it is borrowed
                    assert_true(param->columns > 0 && param->rows > 0 &&
                                (param->count_offset ||
                                 param->offset + 8 * (1 + (size_t)param->columns * (size_t)param->rows) <=
                                     TARN_SPEC_BYTES));
                if (param->type != TARN_PARAM_CHOICE && param->type != TARN_PARAM_TEXT &&
                    param->type != TARN_PARAM_TABLE && param->type != TARN_PARAM_BITS)
                    assert_true((param->flags & TARN_PARAM_NAN) ||
                                (param->min <= param->initial[0] && param->initial[0] <= param->max));
            }
        }
    assert_true(kinds >= 9);
    assert_null(tarn_kind_find("fluid", "lava"));
    assert_null(tarn_kind_at("attic", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_do_not_change_results),
        cmocka_unit_test(host_modes_do_not_change_results),
        cmocka_unit_test(hash_sees_a_single_bit),
        cmocka_unit_test(restart_is_exact),
        cmocka_unit_test(damaged_checkpoints_are_rejected),
        cmocka_unit_test(older_checkpoints_are_rejected),
        cmocka_unit_test(running_out_of_memory_is_an_error),
        cmocka_unit_test(later_steps_do_not_allocate),
        cmocka_unit_test(null_pointers_and_stale_ids_are_rejected),
        cmocka_unit_test(invalid_worlds_are_rejected),
        cmocka_unit_test(interpolated_bodies_do_not_cross_the_domain),
        cmocka_unit_test(live_parameters_change),
        cmocka_unit_test(diverged_worlds_stop),
        cmocka_unit_test(messages_go_to_the_log),
        cmocka_unit_test(frames_interpolate),
        cmocka_unit_test(raycasts_find_the_water_surface),
        cmocka_unit_test(kinds_are_listed),
    };
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
