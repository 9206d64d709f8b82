// Promises of checkpoints: a world continues with the same bits from any step, and damage is always found.
#include "body_def.h"
#include "check.h"
#include "counting_allocator.h"
#include "memory_stream.h"
#include "world_setup.h"

#include <stdbool.h>
#include <stdio.h>
#include <tarn/command.h>
#include <tarn/scene.h>

static bool long_mode(void) { return getenv("TARN_LONG") != NULL; }

// ---- restarts ---------------------------------------------------------------------------------------

// Scenes of every model on fewer cells: rain, boundaries of every kind, joints, open hulls, bodies without
// water, heat.
static const struct {
    const char *name, *cells;
} scenes[] = {
    {"rain", "fluid.cells=[50,40]"},
    {"river", "fluid.cells=[60,25]"},
    {"beach", "fluid.cells=[64,32]"},
    {"raft", "fluid.cells=[56,28]"},
    {"cradle", NULL},
    {"capsize", "fluid.cells=[48,32]"},
    {"densities", "fluid.cells=[64,16]"},
    {"eight", "fluid.cells=[40,40]"},
    {"lift", "fluid.cells=[32,48]"},
    {"convection", "fluid.cells=[40,20]"},
};

static tarn_world *scene_world(int k)
{
    char path[512];
    tarn_scene *scene = NULL;
    tarn_world *w = NULL;
    tarn_diagnostics diagnostics = {0};
    snprintf(path, sizeof path, TARN_SOURCE_DIR "/scenes/%s.json", scenes[k].name);
    if (tarn_scene_read_with_overrides(path, &scenes[k].cells, scenes[k].cells ? 1 : 0, &scene,
                                       &diagnostics) != TARN_OK ||
        tarn_scene_create_world(scene, NULL, &w, &diagnostics) != TARN_OK)
        fail_msg("%s: %s", path, diagnostics.count ? diagnostics.list[0].message : "");
    tarn_diagnostics_free(&diagnostics);
    tarn_scene_destroy(scene);
    return w;
}

static tarn_world *copy_of(const tarn_world *w, struct memory_stream *file)
{
    tarn_world *again = NULL;
    tarn_error err = {0};
    file->size = file->at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, file));
    if (tarn_world_load(stream_read, file, NULL, &again, &err) != TARN_OK) fail_msg("%s", err.message);
    assert_int_equal(file->at, file->size);
    assert_true(tarn_world_hash(again) == tarn_world_hash(w));
    return again;
}

static void one_step(tarn_world *w)
{
    const uint64_t before = tarn_world_get_status(w).steps;
    tarn_value dt;
    CHECK_OK(tarn_world_get_param(w, "run.dt", &dt));
    CHECK_OK(tarn_world_advance(w, dt.number[0]));
    assert_int_equal(tarn_world_get_status(w).steps, before + 1);
}

// Save after k steps, load and continue: the hash after 200 steps is that of a run without interruption.
static void restarts_are_exact(void **state)
{
    enum { STEPS = 200 };
    static struct memory_stream file;
    (void)state;
    for (int s = 0; s < COUNT(scenes); ++s) {
        tarn_world *copies[STEPS] = {0}, *w = scene_world(s);
        int count = 0;
        for (int k = 0; k < STEPS; ++k) {
            if (long_mode() || k % 49 == s) copies[count++] = copy_of(w, &file);
            one_step(w);
        }
        const uint64_t straight = tarn_world_hash(w);
        tarn_world_destroy(w);
        for (int c = 0; c < count; ++c) {
            while (tarn_world_get_status(copies[c]).steps < STEPS) one_step(copies[c]);
            if (tarn_world_hash(copies[c]) != straight)
                fail_msg("%s: another hash after copy %d of %d", scenes[s].name, c, count);
            tarn_world_destroy(copies[c]);
        }
    }
}

// Edits of a world between two steps: a body is inserted, water is added, a command is applied, a
// parameter is set.
static void meddle(tarn_world *w, int how)
{
    tarn_body_def ball = body_def("sphere");
    tarn_body_id id;
    tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    ball.position = (tarn_vec3){0.1, 0.9, 0.2};
    CHECK_OK(tarn_body_create(w, &ball, &id, NULL));
    for (int n = 0; n < how % 2; ++n) one_step(w);
    if (how / 2 == 0) {
        CHECK_OK(tarn_emitter_create(w, &hump, NULL, NULL));
    } else if (how / 2 == 1) {
        const tarn_command poke = {
            .kind = TARN_COMMAND_POKE, .position = {0.2, 0, 0.1}, .radius = 0.5, .amount = 0.3};
        CHECK_OK(tarn_world_apply_command(w, &poke, NULL));
    } else {
        static tarn_column columns[16 * 16];
        for (int k = 0; k < 16 * 16; ++k) columns[k] = (tarn_column){1.0 + 0.01 * (k % 16), 0.1, 0.0};
        tarn_water_set_fields(w, columns, NULL); // refused by the model without terrain
    }
}

// Columns under bodies are rebuilt for the present water when a world is saved: it must then be in the
// same state as the loaded world, which has no other.
static void changes_between_steps_are_saved(void **state)
{
    static const char *const models[] = {"wave", "shallow", "implicit"};
    static struct memory_stream file;
    (void)state;
    for (int m = 0; m < COUNT(models); ++m)
        for (int how = 0; how < 6; ++how) {
            struct world_setup def = world_setup_of(models[m]);
            tarn_world *w = NULL;
            set_cells(&def.fluid, 16, 16);
            CHECK_OK(setup_create(&def, &w, NULL));
            meddle(w, how);
            tarn_world *again = copy_of(w, &file);
            for (int n = 0; n < 10; ++n) {
                one_step(w), one_step(again);
                if (tarn_world_hash(w) != tarn_world_hash(again))
                    fail_msg("%s: another hash %d steps after change %d", models[m], n + 1, how);
            }
            tarn_world_destroy(w);
            tarn_world_destroy(again);
        }
}

// ---- damage -----------------------------------------------------------------------------------------

// Water on land, bodies in contact, floodwater, a joint, rain: about 64 KiB.
static void make_file(struct memory_stream *file)
{
    struct world_setup def = world_setup(TARN_FLUID_SHALLOW);
    tarn_world *w = NULL;
    tarn_emitter_def rain = tarn_default_emitter_def(TARN_EMITTER_RAIN);
    static const char *const shapes[] = {"box", "capsule", "wigley", "sphere"};
    tarn_body_id id = {0};
    def.fluid.shallow.cells[0] = 60, def.fluid.shallow.cells[1] = 60;
    def.beds[0] = tarn_default_bed_def(TARN_BED_ISLAND);
    def.world.bed_count = 1;
    CHECK_OK(setup_create(&def, &w, NULL));
    for (int k = 0; k < 4; ++k) {
        tarn_body_def body = body_def(shapes[k]);
        body.position = (tarn_vec3){0.4 * k - 0.6, 2.5, 0.1};
        if (k == 2) CHECK_OK(set_shape(&body, "wall_thickness", tarn_value_number(0.02), NULL));
        CHECK_OK(tarn_body_create(w, &body, &id, NULL));
    }
    tarn_joint_def line = tarn_default_joint_def(TARN_JOINT_ROPE);
    tarn_joint_id joint;
    line.body_a = id, line.anchor_a = line.anchor_b = (tarn_vec3){0.6, 2.6, 0.1};
    CHECK_OK(tarn_joint_create(w, &line, &joint, NULL));
    CHECK_OK(tarn_emitter_create(w, &rain, NULL, NULL));
    for (int n = 0; n < 20; ++n) one_step(w);
    file->size = file->at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, file));
    tarn_world_destroy(w);
}

// Loading must fail with a message and without a leak.
static void expect_refusal(struct memory_stream *file, size_t place)
{
    struct counting_allocator books = {.left = -1};
    const tarn_host host = {.allocator = counting_hook(&books)};
    tarn_error err = {0};
    tarn_world *w = NULL;
    file->at = 0;
    const tarn_result r = tarn_world_load(stream_read, file, &host, &w, &err);
    if (r == TARN_OK || w || !err.message[0] || books.blocks != 0)
        fail_msg("at %zu: result %d, '%s', %ld blocks left", place, (int)r, err.message, books.blocks);
}

static void every_flipped_bit_is_found(void **state)
{
    static struct memory_stream file;
    (void)state;
    make_file(&file);
    print_message("%zu bytes\n", file.size);
    assert_true(file.size > 60000 && file.size < 80000);
    // The quick run takes the first bytes and then a few of every section: the step is prime, so it
    // reaches every bit of a byte.
    for (size_t bit = 0; bit < 8 * file.size; bit += long_mode() || bit < 8 * 60 ? 1 : 1009) {
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        expect_refusal(&file, bit);
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

static void every_truncation_is_found(void **state)
{
    static struct memory_stream file;
    (void)state;
    make_file(&file);
    const size_t whole = file.size;
    for (size_t size = 0; size < whole; size += long_mode() || size < 60 ? 1 : 211) {
        file.size = size;
        expect_refusal(&file, size);
    }
}

// An off-centre load would turn a very small dynamic body faster than a body may rotate; for a kinematic
// one the predicted rate is large: a checkpoint keeps it and is not rejected for it.
static void predicted_spin_may_be_large(void **state)
{
    static struct memory_stream file;
    (void)state;
    struct world_setup def = world_setup(TARN_FLUID_IMPLICIT);
    tarn_body_def bead = body_def("sphere");
    tarn_world *w = NULL;
    tarn_body_id id;
    def.fluid.implicit.cells[0] = 16, def.fluid.implicit.cells[1] = 16;
    CHECK_OK(setup_create(&def, &w, NULL));
    CHECK_OK(set_shape(&bead, "radius", tarn_value_number(0.002), NULL));
    bead.type = TARN_BODY_KINEMATIC;
    CHECK_OK(tarn_body_create(w, &bead, &id, NULL));
    CHECK_OK(tarn_body_apply_force(w, id, (tarn_vec3){0.0, 10.0, 0.0}, (tarn_vec3){0.0, 0.0, 10.0}));
    one_step(w);
    tarn_world *again = copy_of(w, &file);
    one_step(w), one_step(again);
    assert_true(tarn_world_hash(w) == tarn_world_hash(again));
    tarn_world_destroy(w);
    tarn_world_destroy(again);
}

// The appearance of a body does not influence the simulation and is not part of the hash, but a checkpoint
// has it.
static void appearance_does_not_change_state(void **state)
{
    static struct memory_stream file;
    (void)state;
    uint64_t first = 0;
    for (int material = TARN_APPEARANCE_PAINT; material <= TARN_APPEARANCE_RUBBER; ++material) {
        struct world_setup def = world_setup(TARN_FLUID_DRY);
        tarn_body_def ball = body_def("sphere");
        tarn_world *w = NULL;
        tarn_body_id id, gone;
        tarn_body_info info;
        tarn_frame frame = {0};
        CHECK_OK(setup_create(&def, &w, NULL));
        assert_int_equal(ball.appearance, TARN_APPEARANCE_PAINT);
        CHECK_OK(tarn_body_create(w, &ball, &gone, NULL));
        ball.appearance = material, ball.position.x = 1.2;
        CHECK_OK(tarn_body_create(w, &ball, &id, NULL));
        CHECK_OK(tarn_body_destroy(w, gone)); // an empty slot before it
        for (int k = 0; k < 20; ++k) one_step(w);
        if (material == TARN_APPEARANCE_PAINT) first = tarn_world_hash(w);
        assert_true(tarn_world_hash(w) == first);
        tarn_world *again = copy_of(w, &file);
        CHECK_OK(tarn_body_get_info(again, tarn_body_at(again, 0), &info));
        CHECK_OK(tarn_world_get_frame(again, 1.0, &frame));
        assert_int_equal(info.appearance, material);
        assert_int_equal(frame.bodies[0].appearance, material);
        tarn_frame_free(&frame);
        tarn_world_destroy(again);
        tarn_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restarts_are_exact),          cmocka_unit_test(changes_between_steps_are_saved),
        cmocka_unit_test(predicted_spin_may_be_large), cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(every_truncation_is_found),   cmocka_unit_test(appearance_does_not_change_state),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
