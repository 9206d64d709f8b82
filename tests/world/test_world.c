// Promises of tarn.h: arguments, threads, checkpoints, memory, frames.
#include "counting_allocator.h"
#include "wave_world.h"

#include "base/hash.h"
#include "world/world.h"

#include <stdio.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

// A pond with everything in it, large enough that its rows are shared out.
static tarn_world *busy_pond(const tarn_host *host)
{
    tarn_world_def def = tarn_world_def_default("wave");
    tarn_world *w = NULL;
    tarn_error err = {0};
    if (host) def.host = *host;
    CHECK_OK(tarn_spec_set(&def.fluid, "size", tarn_pair(8, 8), &err));
    CHECK_OK(tarn_spec_set(&def.fluid, "cells", tarn_pair(272, 272), &err));
    CHECK_OK(tarn_spec_set(&def.fluid, "sides.east", tarn_word("open"), &err));
    CHECK_OK(tarn_world_create(&def, &w, &err));
    add_hump(w, -1, 0.5, 0.4, 0.2);
    static const char *const kinds[] = {"rain", "drops", "wavemaker"};
    for (int k = 0; k < 3; ++k) {
        tarn_spec spec;
        CHECK_OK(tarn_spec_init(&spec, "emitter", kinds[k], &err));
        CHECK_OK(tarn_emitter_create(w, &spec, &err));
    }
    add_sphere(w, 0.3, 300, (tarn_vec3){0.5, 1.6, 0.2});
    add_box(w, (tarn_vec3){0.6, 0.4, 0.5}, 600, (tarn_vec3){-0.7, 1.4, -0.4});
    add_sphere(w, 0.2, 2000, (tarn_vec3){0.5, 2.2, 0.3});
    return w;
}

static uint64_t hash_after(const tarn_host *host, int steps)
{
    tarn_world *w = busy_pond(host);
    for (int n = 0; n < steps; ++n) CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
    const uint64_t hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    return hash;
}

// ---- same bits ------------------------------------------------------------------------------------

static void backwards(void *ctx, tarn_task task, void *arg, int count)
{
    (void)ctx;
    for (int i = count - 1; i >= 0; --i) task(arg, i);
}

// Promise in types.h: results do not depend on who runs what. 1,000 steps are in the matrix of builds.
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

// A host that flushes denormals or rounds otherwise gets the same bits, and its modes back.
static void host_modes_do_not_change_results(void **state)
{
    (void)state;
#ifdef __SSE2__
    const uint64_t one = hash_after(NULL, 30);
    const unsigned before = _mm_getcsr(), odd = before | 0x8040u | 0x6000u; // flush to zero, round to zero
    tarn_world *w = busy_pond(NULL);
    _mm_setcsr(odd);
    for (int n = 0; n < 30; ++n)
        if (tarn_world_step(w, 1.0 / 60.0) != TARN_OK) break;
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    assert_true((after & 0xffc0u) == (odd & 0xffc0u));
    assert_true(tarn_world_hash(w) == one);
    tarn_world_destroy(w);
#endif
}

// The hash sees a single bit.
static void hash_sees_everything(void **state)
{
    (void)state;
    tarn_world *w = busy_pond(NULL);
    CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
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

// Save at step k, load, go on: the same bits as without stopping, the frame of the moment included.
static void restart_is_exact(void **state)
{
    (void)state;
    static const int stops[] = {0, 1, 7, 40, 61};
    const uint64_t straight = hash_after(NULL, 80);
    for (int k = 0; k < COUNT(stops); ++k) {
        struct file f = {0};
        tarn_error err = {0};
        tarn_world *w = busy_pond(NULL), *again = NULL;
        for (int n = 0; n < stops[k]; ++n) CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
        CHECK_OK(tarn_world_save(w, write_file, &f));
        const tarn_result r = tarn_world_load(read_file, &f, NULL, &again, &err);
        if (r != TARN_OK) print_message("%s\n", err.text);
        CHECK_OK(r);
        assert_true(f.at == f.size);
        assert_true(tarn_world_hash(again) == tarn_world_hash(w));

        tarn_frame a = {0}, b = {0};
        CHECK_OK(tarn_world_frame(w, 1, &a));
        CHECK_OK(tarn_world_frame(again, 1, &b));
        assert_memory_equal(a.height, b.height, (size_t)(a.nx * a.nz) * sizeof(float));
        assert_memory_equal(&a.bodies[0].load, &b.bodies[0].load, sizeof a.bodies[0].load);
        const tarn_ledger la = tarn_world_ledger(w), lb = tarn_world_ledger(again);
        assert_memory_equal(&la, &lb, sizeof la);

        for (int n = stops[k]; n < 80; ++n) CHECK_OK(tarn_world_step(again, 1.0 / 60.0));
        assert_true(tarn_world_hash(again) == straight);
        tarn_frame_free(&a), tarn_frame_free(&b);
        tarn_world_destroy(w), tarn_world_destroy(again);
        free(f.data);
    }
}

static tarn_world *small_pond(const tarn_host *host)
{
    tarn_world_def def = tarn_world_def_default("wave");
    tarn_world *w = NULL;
    if (host) def.host = *host;
    tarn_spec_set(&def.fluid, "cells", tarn_pair(16, 16), NULL);
    if (tarn_world_create(&def, &w, NULL) != TARN_OK) return NULL;
    tarn_body_def ball = tarn_body_def_default("box");
    tarn_body id;
    tarn_spec hump;
    ball.position = (tarn_vec3){0, 1, 0};
    if (tarn_body_create(w, &ball, &id, NULL) == TARN_OK &&
        tarn_spec_init(&hump, "emitter", "hump", NULL) == TARN_OK &&
        tarn_emitter_create(w, &hump, NULL) == TARN_OK)
        return w;
    tarn_world_destroy(w);
    return NULL;
}

// A checkpoint is untrusted: cut anywhere or with any byte changed it is refused, and nothing leaks.
static void damaged_checkpoints_are_refused(void **state)
{
    (void)state;
    struct file f = {0};
    tarn_world *w = small_pond(NULL), *again = NULL;
    assert_non_null(w);
    CHECK_OK(tarn_world_step(w, 0.1));
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

// A checkpoint of an older version, as sound as any, is refused, and both versions are named.
// (docs/checkpoints.md: after 16 bytes a section has its name in 16, its version in 4, its length at 24 and
// its checksum at 32.)
static void older_checkpoints_are_refused(void **state)
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
    snprintf(words, sizeof words, "this checkpoint has version %u, and only %u can be read", version - 1,
             version);
    assert_string_equal(err.text, words);
    tarn_world_destroy(w);
    free(f.data);
}

// ---- memory ---------------------------------------------------------------------------------------

// Every allocation fails once, then for good: an error and no leak, and what was made before can be
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
            for (int k = 0; k < 3 && r == TARN_OK; ++k) r = tarn_world_step(w, 1.0 / 60.0);
            if (r == TARN_OK) r = tarn_world_frame(w, 1, &frame);
            tarn_frame_free(&frame);
            tarn_world_destroy(w);
            assert_int_equal(ledger.blocks, 0);
            worked = r == TARN_OK;
            assert_true(worked == (ledger.refused == 0));
        }
        assert_true(worked);
    }
}

// Steps allocate nothing.
static void steps_do_not_allocate(void **state)
{
    (void)state;
    struct counting_allocator ledger = {.left = -1};
    const tarn_host host = {.allocator = counting_hook(&ledger)};
    tarn_world *w = small_pond(&host);
    assert_non_null(w);
    const long calls = ledger.calls;
    for (int k = 0; k < 60; ++k) CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
    assert_int_equal(ledger.calls, calls);
    tarn_world_destroy(w);
}

// ---- arguments ------------------------------------------------------------------------------------

static void null_pointers_and_stale_ids_are_refused(void **state)
{
    (void)state;
    tarn_world *w = small_pond(NULL);
    tarn_motion m;
    tarn_load l;
    tarn_value v;
    tarn_body_facts facts;
    const tarn_body id = tarn_body_at(w, 0), none = {0};
    assert_int_equal(tarn_world_create(NULL, &w, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_step(NULL, 0.1), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_step(w, 0.0), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_step(w, NAN), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_step(w, 11.0), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_motion(w, none, &m), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_load(w, none, &l), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_push(w, id, (tarn_vec3){NAN, 0, 0}, (tarn_vec3){0, 0, 0}), TARN_BAD_ARGUMENT);
    m = (tarn_motion){{NAN, 0, 0}, {1, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    assert_int_equal(tarn_body_move(w, id, &m), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_get(w, "fluid.nothing", &v), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_get(w, "nothing", &v), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_find(w, "nobody").generation, 0);
    assert_int_equal(tarn_body_facts_of(w, (tarn_body){99, 1}, &facts), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_frame(w, 2.0, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_save(w, NULL, NULL), TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_body_remove(w, id));
    assert_int_equal(tarn_body_remove(w, id), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_at(w, 0).generation, 0);
    tarn_world_destroy(w);
    tarn_world_destroy(NULL);
}

// What cannot be is refused with the parameter's name.
static void impossible_worlds_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *word, *key;
        double x, y;
    } cases[] = {
        {"cells", NULL, "cells", 64, 65},
        {"sides.west", "periodic", "sides.west", 0, 0},
    };
    tarn_world *w = NULL;
    tarn_error err = {0};
    for (int k = 0; k < COUNT(cases); ++k) {
        tarn_world_def def = tarn_world_def_default("wave");
        const tarn_value v = cases[k].word ? tarn_word(cases[k].word) : tarn_pair(cases[k].x, cases[k].y);
        CHECK_OK(tarn_spec_set(&def.fluid, cases[k].name, v, NULL));
        assert_int_equal(tarn_world_create(&def, &w, &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, cases[k].key);
        assert_null(w);
    }
    tarn_world_def def = tarn_world_def_default("wave");
    assert_int_equal(tarn_spec_set(&def.fluid, "depth", tarn_number(-1), &err), TARN_BAD_INPUT);
    assert_string_equal(err.text, "-1 m is outside 0.001 .. 10000");
    assert_int_equal(tarn_spec_set(&def.fluid, "depth", tarn_word("deep"), &err), TARN_BAD_INPUT);
    assert_int_equal(tarn_spec_set(&def.fluid, "sides.west", tarn_word("wal"), &err), TARN_BAD_INPUT);
    def.dt = 0.0; // a forgotten default
    assert_int_equal(tarn_world_create(&def, &w, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "run.dt");
    def = tarn_world_def_default("nothing");
    assert_int_equal(tarn_world_create(&def, &w, &err), TARN_BAD_INPUT);

    w = small_pond(NULL);
    tarn_body_def ball = tarn_body_def_default("sphere");
    tarn_body id;
    ball.position = (tarn_vec3){50, 1, 0};
    assert_int_equal(tarn_body_create(w, &ball, &id, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "position");
    tarn_world_destroy(w);
}

// Live parameters change a running world; the others say that they cannot.
static void live_parameters_change(void **state)
{
    (void)state;
    tarn_world *w = small_pond(NULL);
    tarn_error err = {0};
    tarn_value v;
    CHECK_OK(tarn_world_set(w, "fluid.damping", tarn_number(2), &err));
    CHECK_OK(tarn_world_get(w, "fluid.damping", &v));
    CHECK_NEAR(v.number[0], 2, 0);
    assert_int_equal(tarn_world_set(w, "fluid.depth", tarn_number(2), &err), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_set(w, "fluid.damping", tarn_number(-2), &err), TARN_BAD_INPUT);
    CHECK_OK(tarn_world_get(w, "fluid.gravity", &v));
    CHECK_NEAR(v.number[0], 9.81, 0);
    CHECK_OK(tarn_world_get(w, "emitters[0].height", &v));
    assert_int_equal(tarn_world_get(w, "emitters[7].height", &v), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

// A world that breaks says who broke it, stays readable and takes no further step.
static void broken_worlds_stop(void **state)
{
    (void)state;
    tarn_world *w = small_pond(NULL);
    const tarn_body id = tarn_body_at(w, 0);
    assert_int_equal(tarn_body_push(w, id, (tarn_vec3){1e300, 0, 0}, (tarn_vec3){0, 0, 0}),
                     TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_body_push(w, id, (tarn_vec3){1e14, 1e14, 0}, (tarn_vec3){0, 0, 0}));
    tarn_result r = TARN_OK;
    for (int k = 0; k < 20 && r == TARN_OK; ++k) r = tarn_world_step(w, 1.0 / 60.0);
    assert_int_equal(r, TARN_DIVERGED);
    assert_non_null(strstr(tarn_world_trouble(w), "body 0"));
    const uint64_t steps = tarn_world_status(w).steps;
    assert_int_equal(tarn_world_step(w, 1.0), TARN_DIVERGED);
    assert_int_equal(tarn_world_status(w).steps, steps);
    tarn_world_destroy(w);
}

static void hear(void *ctx, tarn_log_level level, const char *text)
{
    assert_int_equal(level, TARN_LOG_INFO);
    snprintf(ctx, 256, "%s", text);
}

// The library never prints; it tells the host's log.
static void messages_go_to_the_log(void **state)
{
    (void)state;
    char heard[256] = "";
    tarn_world *w = small_pond(&(tarn_host){.log = {hear, heard}});
    assert_non_null(strstr(heard, "wave model: 16 x 16 columns of 0.25 m"));
    tarn_world_destroy(w);
}

// ---- frames and queries ---------------------------------------------------------------------------

// A blended frame lies between the last two states.
static void frames_blend(void **state)
{
    (void)state;
    tarn_world *w = small_pond(NULL);
    tarn_frame old = {0}, mid = {0}, now = {0};
    CHECK_OK(tarn_world_keep(w, 1));
    for (int k = 0; k < 10; ++k) CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
    CHECK_OK(tarn_world_frame(w, 1, &old));
    CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
    CHECK_OK(tarn_world_frame(w, 0.25, &mid));
    CHECK_OK(tarn_world_frame(w, 1, &now));
    CHECK_NEAR(mid.time, old.time + 0.25 / 60.0, 1e-12);
    for (int c = 0; c < 256; ++c)
        CHECK_NEAR((double)mid.height[c], 0.75 * (double)old.height[c] + 0.25 * (double)now.height[c], 2e-7);
    CHECK_NEAR(mid.bodies[0].motion.position.y,
               0.75 * old.bodies[0].motion.position.y + 0.25 * now.bodies[0].motion.position.y, 1e-12);
    tarn_frame back = {0};
    CHECK_OK(tarn_world_frame(w, 0, &back));
    assert_memory_equal(back.height, old.height, 256 * sizeof(float));
    tarn_frame_free(&old), tarn_frame_free(&mid), tarn_frame_free(&now), tarn_frame_free(&back);
    tarn_world_destroy(w);
}
// What leaves at a periodic side comes in across from it; no picture shows it on the way through the middle.
static void frames_do_not_fly_across(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(&(struct wave_world){
        .wide = 4, .deep = 4, .nx = 16, .nz = 16, .depth = 1, .side = {"periodic", "periodic", NULL, NULL}});
    tarn_body_def def = tarn_body_def_default("sphere");
    tarn_frame f = {0};
    tarn_body id;
    CHECK_OK(tarn_spec_set(&def.shape, "radius", tarn_number(0.1), NULL));
    def.position = (tarn_vec3){1.98, 5, 0}, def.velocity = (tarn_vec3){3, 0, 0};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    CHECK_OK(tarn_world_keep(w, 1));
    // in the air: 5 cm a step
    static const double want[] = {-2.0 + 0.03, -2.0 + 0.03 + 0.025, -2.0 + 0.08 + 0.025};
    for (int k = 0; k < COUNT(want); ++k) {
        CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
        CHECK_OK(tarn_world_frame(w, 0.5, &f));
        CHECK_NEAR(f.bodies[0].motion.position.x, want[k], 1e-12);
    }
    tarn_frame_free(&f);
    tarn_world_destroy(w);
}

// The surface at a point is that of the cells around it; outside there is no water.
static void water_is_found_where_it_is(void **state)
{
    (void)state;
    tarn_world *w = wave_world_create(
        &(struct wave_world){.wide = 4, .deep = 4, .nx = 64, .nz = 64, .depth = 1, .diffusion = -1});
    add_hump(w, 0.5, -0.3, 0.6, 0.1);
    const tarn_surface s = tarn_water_at(w, 0.5, -0.3), side = tarn_water_at(w, 0.9, -0.3);
    CHECK_NEAR(s.height, 1.1, 1e-3);
    CHECK_NEAR(s.normal.y, 1.0, 1e-3);
    assert_true(side.normal.x > 0.05); // the slope falls to the east, so its normal leans there
    CHECK_NEAR(v3_length(side.normal), 1.0, 1e-12);
    assert_int_equal(tarn_water_at(w, 2.5, 0).wet, 0);
    const double x[2] = {0.5, 9}, z[2] = {-0.3, 0};
    tarn_surface many[2];
    CHECK_OK(tarn_water_at_n(w, 2, x, z, many));
    CHECK_NEAR(many[0].height, s.height, 0);
    assert_int_equal(many[1].wet, 0);
    tarn_world_destroy(w);
}

// The lists of kinds name all there is, and every default lies in its own range.
static void kinds_are_listed(void **state)
{
    (void)state;
    int kinds = 0;
    for (int r = 0; tarn_category_at(r); ++r)
        for (int k = 0; tarn_kind_at(tarn_category_at(r), k); ++k, ++kinds) {
            const tarn_kind *kind = tarn_kind_at(tarn_category_at(r), k);
            assert_string_equal(kind->room, tarn_category_at(r));
            assert_true(tarn_kind_find(kind->room, kind->name) == kind);
            for (int p = 0; p < kind->param_count; ++p) {
                const tarn_param *param = &kind->params[p];
                assert_true(param->help && param->help[0] && param->unit);
                if (param->type == TARN_TABLE) // it must fit into a spec
                    assert_true(param->columns > 0 && param->rows > 0 &&
                                param->offset + 8 * (1 + (size_t)param->columns * (size_t)param->rows) <=
                                    TARN_SPEC_BYTES);
                if (param->type != TARN_CHOICE && param->type != TARN_TEXT && param->type != TARN_TABLE)
                    assert_true((param->flags & TARN_OPTIONAL) ||
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
        cmocka_unit_test(hash_sees_everything),
        cmocka_unit_test(restart_is_exact),
        cmocka_unit_test(damaged_checkpoints_are_refused),
        cmocka_unit_test(older_checkpoints_are_refused),
        cmocka_unit_test(running_out_of_memory_is_an_error),
        cmocka_unit_test(steps_do_not_allocate),
        cmocka_unit_test(null_pointers_and_stale_ids_are_refused),
        cmocka_unit_test(impossible_worlds_are_refused),
        cmocka_unit_test(frames_do_not_fly_across),
        cmocka_unit_test(live_parameters_change),
        cmocka_unit_test(broken_worlds_stop),
        cmocka_unit_test(messages_go_to_the_log),
        cmocka_unit_test(frames_blend),
        cmocka_unit_test(water_is_found_where_it_is),
        cmocka_unit_test(kinds_are_listed),
    };
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
