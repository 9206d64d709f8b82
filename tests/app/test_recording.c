#define _POSIX_C_SOURCE 200809L // mkstemp
// Recordings: what is read is what was done, and nothing else is taken for it.
#include "check.h"

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

static const char scene[] = "{\n  \"version\": 1\n}";

// Every kind of command with numbers that need all their digits, names with spaces, tables and meshes.
static void commands_come_back_whole(void **state)
{
    (void)state;
    static const double corners[12] = {0, 0, 0, 1.0 / 3.0, 0, 0, 0, 1e-300, 0, 0, 0, 3};
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const double profile[3][2] = {{0.1, 0}, {0.1 / 3.0, 0.5}, {0.05, 0.7}};
    tarn_command all[12] = {
        {.kind = TARN_GRAB, .step = 1, .body = {3, 5}, .at = {0.1, -2.0 / 3.0, 1e17}},
        {.kind = TARN_PULL, .step = 2, .at = {-0.0, 1e-17, 3}},
        {.kind = TARN_RELEASE, .step = 2},
        {.kind = TARN_POKE, .step = 3, .at = {1, 2, 3}, .radius = 0.1, .strength = 0.7},
        {.kind = TARN_STIR, .step = 4, .way = {0.1, 0.2, 0.3}, .radius = 1e-3},
        {.kind = TARN_SPAWN,
         .step = 5,
         .spin = {0, 1, 0},
         .colour = {1, 0.5, 0},
         .density = 333.3,
         .path = "a b%=c"},
        {.kind = TARN_SPAWN, .step = 6, .density = 1, .mesh = {4, 4, corners, faces}},
        {.kind = TARN_SET, .step = 7, .path = "fluid.damping", .value = tarn_number(0.1)},
        {.kind = TARN_EMIT, .step = 1ull << 40},
        {.kind = TARN_DYE, .at = {0.1, 0.2, 0}, .radius = 0.1 / 3.0, .strength = 1e-9},
        {.kind = TARN_WARM, .at = {0.1, 0.2, 0}, .radius = 0.3, .strength = -300},
        {.kind = TARN_RAISE, .at = {0.1, 0.2, 0.3}, .radius = 0.3, .strength = -1.0 / 30.0},
    };
    tarn_command c;
    struct journal j;
    enum journal_line kind;
    uint64_t hash;
    tarn_spec_init(&all[5].spec, "shape", "lathe", NULL);
    CHECK_OK(tarn_spec_set(&all[5].spec, "profile", tarn_table(profile[0], 3), NULL));
    tarn_spec_init(&all[6].spec, "shape", "mesh", NULL);
    tarn_spec_init(&all[8].spec, "emitter", "wavemaker", NULL);
    CHECK_OK(tarn_spec_set(&all[8].spec, "side", tarn_word("north"), NULL));

    FILE *file = begin();
    journal_begin(file, "/some where/x.json", scene);
    for (int k = 0; k < 12; ++k) journal_command(file, &all[k]);
    journal_hash(file, 60, 0x0123456789abcdefu);
    journal_end(file, 61);
    fclose(file);

    assert_int_equal(journal_open(&j, path), 0);
    assert_string_equal(j.path, "/some where/x.json");
    assert_int_equal(j.scene_size, strlen(scene));
    assert_memory_equal(j.scene, scene, strlen(scene));
    for (int k = 0; k < 12; ++k) {
        assert_int_equal(journal_next(&j, &kind, &c, &hash), 0);
        assert_int_equal(kind, JOURNAL_COMMAND);
        assert_int_equal(c.kind, all[k].kind);
        assert_true(c.step == all[k].step);
        assert_memory_equal(&c.body, &all[k].body, sizeof c.body);
        assert_memory_equal(&c.way, &all[k].way, sizeof c.way);
        assert_true(c.at.x == all[k].at.x && c.at.y == all[k].at.y && c.at.z == all[k].at.z);
        assert_true(c.radius == all[k].radius && c.strength == all[k].strength &&
                    c.density == all[k].density);
        assert_string_equal(c.path, all[k].path);
        assert_true(c.value.type == all[k].value.type && c.value.number[0] == all[k].value.number[0]);
        assert_ptr_equal(c.spec.kind, all[k].spec.kind);
        assert_memory_equal(c.spec.data, all[k].spec.data, sizeof c.spec.data);
        assert_int_equal(c.mesh.vertex_count, all[k].mesh.vertex_count);
        if (!c.mesh.vertices) continue;
        assert_memory_equal(c.mesh.vertices, corners, sizeof corners);
        assert_memory_equal(c.mesh.triangles, faces, sizeof faces);
    }
    assert_int_equal(journal_next(&j, &kind, &c, &hash), 0);
    assert_true(kind == JOURNAL_HASH && c.step == 60 && hash == 0x0123456789abcdefu);
    assert_int_equal(journal_next(&j, &kind, &c, &hash), 0);
    assert_true(kind == JOURNAL_END && c.step == 61);
    journal_close(&j);
    unlink(path);
}

// Whatever stands in a file, it is refused, not believed.
static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const heads[] = {"",
                                        "tarn recording 2\n",
                                        "tarn recording 1\n",
                                        "tarn recording 1\nscene\n",
                                        "tarn recording 1\nscene 99 x\n{}\n",
                                        "tarn recording 1\nscene 1 x\n{}\n"};
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
    struct journal j;
    enum journal_line kind;
    tarn_command c;
    uint64_t hash;
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; ++k) {
        FILE *file = begin();
        fputs(heads[k], file);
        fclose(file);
        assert_int_equal(journal_open(&j, path), TARN_BAD_INPUT);
        journal_close(&j);
        unlink(path);
    }
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; ++k) {
        FILE *file = begin();
        journal_begin(file, "x", scene);
        fputs(lines[k], file);
        fclose(file);
        assert_int_equal(journal_open(&j, path), 0);
        if (journal_next(&j, &kind, &c, &hash) != TARN_BAD_INPUT) fail_msg("taken: %s", lines[k]);
        journal_close(&j);
        unlink(path);
    }
    assert_int_equal(journal_open(&j, "/nonexistent/x"), TARN_IO);
    journal_close(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_come_back_whole),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
