#define _POSIX_C_SOURCE 200809L // mkstemp
// Recordings: commands are read as they were written, and anything else is rejected.
#include "check.h"
#include "worlds/body_def.h"

#include "apps/common/recording.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static FILE *begin(void)
{
    snprintf(path, sizeof path, "/tmp/tarn-journal-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    return file;
}

static const char scene[] = "{\n  \"version\": 2\n}";

// Every kind of command with numbers that need all their digits, names with spaces, tables and meshes.
enum { COMMANDS = 12, LATHE_COMMAND = 5, MESH_COMMAND = 6, EMITTER_COMMAND = 8 };
static const tarn_command commands[COMMANDS] = {
    {.kind = TARN_COMMAND_GRAB, .step = 1, .body = {5ull << 32 | 3}, .position = {0.1, -2.0 / 3.0, 1e17}},
    {.kind = TARN_COMMAND_MOVE_GRAB, .step = 2, .position = {-0.0, 1e-17, 3}},
    {.kind = TARN_COMMAND_RELEASE, .step = 2},
    {.kind = TARN_COMMAND_POKE, .step = 3, .position = {1, 2, 3}, .radius = 0.1, .amount = 0.7},
    {.kind = TARN_COMMAND_STIR, .step = 4, .velocity = {0.1, 0.2, 0.3}, .radius = 1e-3},
    {.kind = TARN_COMMAND_SPAWN,
     .step = 5,
     .angular_velocity = {0, 1, 0},
     .colour = {1, 0.5, 0},
     .density = 333.3,
     .path = "a b%=c"},
    {.kind = TARN_COMMAND_SPAWN, .step = 6, .density = 1},
    {.kind = TARN_COMMAND_SET_PARAM,
     .step = 7,
     .path = "fluid.damping",
     .value = {.type = TARN_PARAM_NUMBER, .number = {0.1}}},
    {.kind = TARN_COMMAND_ADD_EMITTER, .step = 1ull << 40},
    {.kind = TARN_COMMAND_ADD_DYE, .position = {0.1, 0.2, 0}, .radius = 0.1 / 3.0, .amount = 1e-9},
    {.kind = TARN_COMMAND_ADD_HEAT, .position = {0.1, 0.2, 0}, .radius = 0.3, .amount = -300},
    {.kind = TARN_COMMAND_RAISE_BED, .position = {0.1, 0.2, 0.3}, .radius = 0.3, .amount = -1.0 / 30.0},
};

static void add_shapes(tarn_command all[COMMANDS])
{
    static const double corners[12] = {0, 0, 0, 1.0 / 3.0, 0, 0, 0, 1, 0, 0, 0, 3};
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const tarn_vec2 profile[3] = {{0.1, 0}, {0.1 / 3.0, 0.5}, {0.05, 0.7}};
    const tarn_shape_def lathe = {.type = TARN_SHAPE_LATHE, .lathe = {profile, 3, 0}};
    all[LATHE_COMMAND].shape = shape_of(lathe);
    all[MESH_COMMAND].shape = mesh_shape_of((tarn_mesh){4, 4, corners, faces});
    all[EMITTER_COMMAND].emitter = tarn_default_emitter_def(TARN_EMITTER_WAVEMAKER);
    all[EMITTER_COMMAND].emitter.wavemaker.side = TARN_NORTH;
}

static void check_equal(const tarn_command *got, const tarn_command *want)
{
    assert_int_equal(got->kind, want->kind);
    assert_true(got->step == want->step);
    assert_memory_equal(&got->body, &want->body, sizeof got->body);
    assert_memory_equal(&got->velocity, &want->velocity, sizeof got->velocity);
    assert_true(got->position.x == want->position.x && got->position.y == want->position.y &&
                got->position.z == want->position.z);
    assert_true(got->radius == want->radius && got->amount == want->amount && got->density == want->density);
    assert_string_equal(got->path, want->path);
    assert_true(got->value.type == want->value.type && got->value.number[0] == want->value.number[0]);
    assert_int_equal(got->emitter.type, want->emitter.type);
    assert_memory_equal(got->emitter.space, want->emitter.space, sizeof got->emitter.space);
    if (!want->shape) return;
    tarn_shape_info then, now;
    CHECK_OK(tarn_shape_get_info(want->shape, &then));
    CHECK_OK(tarn_shape_get_info(got->shape, &now));
    assert_true(now.content == then.content);
}

static void recorded_commands_read_back_unchanged(void **state)
{
    (void)state;
    tarn_command all[COMMANDS], c;
    struct recording j;
    enum recording_entry kind;
    uint64_t hash;
    memcpy(all, commands, sizeof all);
    add_shapes(all);

    FILE *file = begin();
    recording_write_header(file, "/some where/x.json", scene);
    for (int k = 0; k < COMMANDS; ++k) recording_write_command(file, &all[k]);
    recording_write_hash(file, 60, 0x0123456789abcdefu);
    recording_write_end(file, 61);
    fclose(file);

    assert_int_equal(recording_open(&j, path), 0);
    assert_string_equal(j.path, "/some where/x.json");
    assert_int_equal(j.scene_size, strlen(scene));
    assert_memory_equal(j.scene, scene, strlen(scene));
    for (int k = 0; k < COMMANDS; ++k) {
        assert_int_equal(recording_next(&j, &kind, &c, &hash), 0);
        assert_int_equal(kind, RECORDING_COMMAND);
        check_equal(&c, &all[k]);
    }
    assert_int_equal(recording_next(&j, &kind, &c, &hash), 0);
    assert_true(kind == RECORDING_HASH && c.step == 60 && hash == 0x0123456789abcdefu);
    assert_int_equal(recording_next(&j, &kind, &c, &hash), 0);
    assert_true(kind == RECORDING_END && c.step == 61);
    recording_close(&j);
    unlink(path);
}

// Invalid files are rejected with a message.
static void invalid_input_is_rejected(void **state)
{
    (void)state;
    static const char *const heads[] = {"",
                                        "tarn recording 2\n",
                                        "tarn recording 2\n",
                                        "tarn recording 2\nscene\n",
                                        "tarn recording 2\nscene 99 x\n{}\n",
                                        "tarn recording 2\nscene 1 x\n{}\n"};
    static const char *const lines[] = {
        "",
        "1",
        "x grab\n",
        "1 hug\n",
        "1 grab body\n",
        "1 grab at=1,2\n",
        "1 grab at=1,2,3,4\n",
        "1 grab at=1,b,3\n",
        "1 hash zz\n",
        "1 spawn kind=shape:cube\n",
        "1 spawn p.radius=1\n",
        "1 spawn kind=shape:sphere p.radius=-1\n",
        "1 spawn kind=shape:sphere p.nothing=1\n",
        "1 spawn mesh=1000000000:1\n",
        "1 spawn mesh=4:4 vertices=1,2\n",
        "1 spawn vertices=1,2,3\n",
        "1 spawn triangles=1,2,3\n",
        "1 spawn mesh=1:1 triangles=0,0\n",
        "1 set type=11 value=1\n",
        "1 set path=%zz\n",
    };
    struct recording j;
    enum recording_entry kind;
    tarn_command c;
    uint64_t hash;
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; ++k) {
        FILE *file = begin();
        fputs(heads[k], file);
        fclose(file);
        assert_int_equal(recording_open(&j, path), TARN_BAD_INPUT);
        recording_close(&j);
        unlink(path);
    }
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; ++k) {
        FILE *file = begin();
        recording_write_header(file, "x", scene);
        fputs(lines[k], file);
        fclose(file);
        assert_int_equal(recording_open(&j, path), 0);
        if (recording_next(&j, &kind, &c, &hash) != TARN_BAD_INPUT) fail_msg("taken: %s", lines[k]);
        recording_close(&j);
        unlink(path);
    }
    assert_int_equal(recording_open(&j, "/nonexistent/x"), TARN_IO);
    recording_close(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_commands_read_back_unchanged),
        cmocka_unit_test(invalid_input_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
