// Bodies in scene files: rotations, meshes, parts, arrays, tables.
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "scenes.h"

#include "base/param.h"
#include "scene/parse/parse.h"

#include <stdio.h>
#include <unistd.h>

// ---- rotations --------------------------------------------------------------------------------------

#define BOX TOP "\"bodies\": [{\"shape\": \"box\", \"name\": \"b\", \"rotation\":\n"

static void rotations_may_be_axis_and_degrees(void **state)
{
    static const struct mistake mistakes[] = {
        {BOX "{\"axs\": [0, 1, 0]}}]}", "a.json:3:2", "bodies[0].rotation.axs", "did you mean 'axis'?"},
        {BOX "{\"axis\": [0, 0, 0]}}]}", "a.json:3:10", "bodies[0].rotation.axis", "must not be zero"},
        {BOX "{\"axis\": [0, 1]}}]}", "a.json:3:10", "bodies[0].rotation.axis",
         "expected an array of 3 numbers"},
        {BOX "{\"degrees\": 1e9}}]}", "a.json:3:13", "bodies[0].rotation.degrees", "is outside"},
        {BOX "\"x\"}]}", "a.json:3:1", "bodies[0].rotation", "4 numbers (w, x, y, z) or an object"},
        {BOX "[1, 0]}]}", "a.json:3:1", "bodies[0].rotation", "(axis, degrees), found 2"},
    };
    (void)state;
    expect_mistakes(mistakes, COUNT(mistakes));
    tarn_world *w = world_of(BOX "{\"axis\": [0, 0, -2], \"degrees\": 60}}]}", NULL);
    const tarn_quat q = motion_of(w, "b").rotation;
    CHECK_NEAR(q.w, sqrt(0.75), 2e-16); // cos 30, and -sin 30
    CHECK_NEAR(q.z, -0.5, 2e-16);
    tarn_world_destroy(w);
    expect_round_trip(BOX "{\"axis\": [1, 2, 3.5], \"degrees\": 47.3}}]}"); // to the bit, as [w, x, y, z]
    expect_round_trip(BOX "{\"degrees\": 12}}]}");                          // about the vertical
}

// ---- meshes -----------------------------------------------------------------------------------------

static char folder[] = "/tmp/tarn_bodies_XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    write_file("tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write_file("bad.obj", "v 0 0 0\nf 1 2 3\n");
    return 0;
}

static int drop_folder(void **state)
{
    char path[128];
    static const char *const names[] = {"tetra.obj", "bad.obj", ""};
    (void)state;
    for (int i = 0; i < COUNT(names); ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    return 0;
}

// A scene from memory with the folder of the test.
static tarn_result build(const char *text, tarn_world **world, tarn_diagnostics *diagnostics)
{
    char name[64];
    tarn_scene *scene;
    *world = NULL;
    snprintf(name, sizeof name, "%s/a.json", folder);
    tarn_result r = tarn_scene_parse(name, text, strlen(text), &scene, diagnostics);
    if (r == TARN_OK) r = tarn_scene_create_world(scene, NULL, world, diagnostics);
    tarn_scene_destroy(scene);
    return r;
}

static void mesh_bodies_read_their_file(void **state)
{
    tarn_world *world;
    tarn_diagnostics diagnostics = {0};
    tarn_body_info info;

    (void)state;
    if (!tarn_kind_find("shape", "mesh")) skip();
    CHECK_OK(build(TOP "\"bodies\": [{\"shape\": \"mesh\", \"name\": \"t\", \"file\": \"tetra.obj\", "
                       "\"scale\": 3, \"position\": [0, 4, 0]},\n"
                       "{\"shape\": \"mesh\", \"file\": \"tetra.obj\", \"position\": [9, 4, 0]}]}",
                   &world, &diagnostics));
    CHECK_OK(tarn_body_get_info(world, tarn_body_find(world, "t"), &info));
    CHECK_NEAR(info.volume, 27.0 / 6.0, 1e-12);
    tarn_world_destroy(world);
}

// Every body reports what is wrong with its file.
static void mesh_file_errors_name_the_key(void **state)
{
    tarn_world *world;
    tarn_diagnostics diagnostics = {0};
    static const char *const words[][2] = {{"bodies[0].file", "bad.obj: line 2: no vertex"},
                                           {"bodies[1].file", "no file 'none.obj' in"},
                                           {"bodies[2]", "\"file\" is missing"},
                                           {"bodies[3].file", "bad.obj: line 2"}};

    (void)state;
    if (!tarn_kind_find("shape", "mesh")) skip();
    assert_int_equal(build(TOP "\"bodies\": [{\"shape\": \"mesh\", \"file\": \"bad.obj\"},\n"
                               "{\"shape\": \"mesh\", \"file\": \"none.obj\"}, {\"shape\": \"mesh\"},\n"
                               "{\"shape\": \"mesh\", \"file\": \"bad.obj\"}]}",
                           &world, &diagnostics),
                     TARN_IO);
    assert_null(world);
    assert_int_equal(diagnostics.count, COUNT(words));
    for (int i = 0; i < COUNT(words); ++i) {
        assert_string_equal(diagnostics.list[i].path, words[i][0]);
        assert_non_null(strstr(diagnostics.list[i].message, words[i][1]));
    }
    tarn_diagnostics_free(&diagnostics);
}

// ---- parts ------------------------------------------------------------------------------------------

#define PARTS TOP "\"bodies\": [{\"name\": \"raft\", \"position\": [0, 4, 0], \"parts\": [\n"
#define RAFT                                                                                               \
    PARTS "{\"density\": 700, \"size\": [4, 0.5, 2], \"shape\": \"box\"},\n"                               \
          "{\"shape\": \"sphere\", \"radius\": 0.5, \"position\": [0, 3, 0], \"rotation\": {\"degrees\": " \
          "20}}]}]}"

static int no_compounds(void) { return !tarn_kind_find("shape", "compound"); }

// Parts are recognised without a shape key, and errors in them have their places.
static void parts_make_a_compound(void **state)
{
    static const struct mistake mistakes[] = {
        {PARTS "{\"shape\": \"box\", \"densty\": 1}]}]}", "a.json:3:18", "bodies[0].parts[0].densty",
         "did you mean 'density'?"},
        {PARTS "{\"shape\": \"bxo\"}]}]}", "a.json:3:11", "bodies[0].parts[0].shape",
         "unknown shape 'bxo'; did you mean 'box'?"},
        {PARTS "{\"shape\": \"compound\"}]}]}", "a.json:3:11", "bodies[0].parts[0].shape", "unknown shape"},
        {PARTS "{\"shape\": \"box\"},\n{}]}]}", "a.json:4:1", "bodies[0].parts[1]", "\"shape\" is missing"},
        {PARTS "{\"shape\": \"box\", \"position\": [0, 0, 1e3]}]}]}", "a.json:3:37",
         "bodies[0].parts[0].position[2]", "1000 m is outside"},
        {TOP "\"bodies\": [{\"parts\": 3}]}", "a.json:2:22", "bodies[0].parts", "expected an array"},
        {TOP "\"bodies\": [{\"shape\": \"compound\"}]}", "a.json:2:12", "bodies[0]", "\"parts\" is missing"},
        {TOP "\"bodies\": [{\"shape\": \"compound\", \"part\": [], \"parts\": []}]}", "a.json:2:34",
         "bodies[0].part", "did you mean 'parts'?"},
        {TOP "\"bodies\": [{\"shape\": \"box\",\n\"parts\": []}]}", "a.json:3:1", "bodies[0].parts",
         "only a compound has parts"},
    };
    tarn_scene *scene;
    tarn_body_info info;

    (void)state;
    if (no_compounds()) skip();
    expect_mistakes(mistakes, COUNT(mistakes));
    tarn_world *w = world_of(RAFT, &scene);
    CHECK_OK(tarn_body_get_info(w, tarn_body_find(w, "raft"), &info));
    const double ball = acos(-1.0) / 6.0;
    CHECK_NEAR(info.mass, 4 * 700 + ball * 500, 0.01 * ball * 500); // a ball is a polyhedron with its volume
    char *text = tarn_scene_write(scene);
    assert_non_null(strstr(text, "{\"shape\": \"box\", \"size\": [4, 0.5, 2], \"density\": 700}"));
    tarn_text_free(text);
    tarn_scene_destroy(scene);
    tarn_world_destroy(w);
    expect_round_trip(RAFT);
}

// Parts are set by path like everything else.
static void parts_have_paths(void **state)
{
    tarn_scene *scene;
    tarn_diagnostics diagnostics = {0};

    (void)state;
    if (no_compounds()) skip();
    CHECK_OK(parse(RAFT, &scene, &diagnostics));
    CHECK_OK(tarn_scene_set(scene, "bodies[0].parts[1].density", tarn_value_number(3), &diagnostics));
    CHECK_OK(tarn_scene_set(scene, "bodies[0].parts[1].shape", tarn_value_text("sphere"), &diagnostics));
    assert_int_equal(tarn_scene_set(scene, "bodies[0].parts[2].density", tarn_value_number(3), &diagnostics),
                     TARN_BAD_INPUT);
    assert_non_null(strstr(diagnostics.list[0].message, "no entry [2]; the array has 2"));
    assert_int_equal(tarn_scene_set(scene, "bodies[0].parts[1].density", tarn_value_number(-3), &diagnostics),
                     TARN_BAD_INPUT);
    assert_string_equal(diagnostics.list[1].path, "bodies[0].parts[1].density");
    char *text = tarn_scene_write(scene);
    assert_non_null(strstr(text, "\"density\": 3,"));
    tarn_text_free(text);
    tarn_diagnostics_free(&diagnostics);
    tarn_scene_destroy(scene);
}

// ---- copies -----------------------------------------------------------------------------------------

#define BALL        "{\"shape\": \"sphere\", \"radius\": 0.1, \"position\": [-1, 3, -2], "
#define BALLS(more) TOP "\"bodies\": [\n" BALL more "}]}"

// Body arrays are numbered along x, then z, then y, and their names have numbers if there is more than
// one.
static void body_arrays_form_a_lattice(void **state)
{
    tarn_scene *scene;
    tarn_world *w = world_of(
        BALLS("\"name\": \"ball\", \"array\": {\"count\": [3, 2, 4], \"spacing\": [0.5, 1, 0.25]}"), &scene);

    (void)state;
    assert_int_equal(tarn_world_get_status(w).body_count, 24);
    tarn_scene_info info;
    CHECK_OK(tarn_scene_get_info(scene, &info));
    assert_int_equal(info.body_count, 24);
    for (int n = 0; n < 24; ++n) {
        char name[32];
        snprintf(name, sizeof name, "ball %d", n + 1);
        const tarn_body_state m = motion_of(w, name);
        CHECK_NEAR(m.position.x, -1 + 0.5 * (n % 3), 0.0);
        CHECK_NEAR(m.position.z, -2 + 0.25 * (n / 3 % 4), 0.0);
        CHECK_NEAR(m.position.y, 3 + 1.0 * (n / 12), 0.0);
        CHECK_NEAR(m.rotation.w, 1.0, 0.0);
    }
    tarn_world_destroy(w);
    tarn_scene_destroy(scene);
    w = world_of(BALLS("\"name\": \"ball\", \"array\": {\"count\": [1, 1, 1]}"), NULL);
    CHECK_NEAR(motion_of(w, "ball").position.y, 3.0, 0.0);
    tarn_world_destroy(w);
    // 63 bytes, the last character of two: a number does not fit, and no character is cut
    w = world_of(BALLS("\"array\": {\"count\": [2, 1, 1]}, \"name\": "
                       "\"0123456789012345678901234567890123456789012345678901234"
                       "\xc3\xa4xxxxx\""),
                 NULL);
    motion_of(w, "0123456789012345678901234567890123456789012345678901234 2");
    tarn_world_destroy(w);
}

#define SEEDED(seed, before, more)                                                               \
    "{\"version\": 2, \"seed\": " seed ", \"fluid\": {\"model\": \"wave\", \"size\": [40, 40], " \
    "\"cells\": [16, 16]}, \"bodies\": [" before BALL more "}]}"
#define MANY "\"array\": {\"count\": [10, 10, 10], \"jitter\": 0.6}, \"name\": \"b\""

// Jitter is uniform within its limits in every direction, and rotations are uniform: the mean of the matrix
// R is zero, that of the squares of its elements 1/3. All follows from seed, entry and number.
static void jitter_is_random_and_follows_the_seed(void **state)
{
    tarn_world *w = world_of(SEEDED("1", "", MANY), NULL);
    double mean[3] = {0}, square[3] = {0}, up = 0, up2 = 0;

    (void)state;
    for (int n = 0; n < 1000; ++n) {
        char name[32];
        snprintf(name, sizeof name, "b %d", n + 1);
        const tarn_body_state m = motion_of(w, name);
        const double off[3] = {m.position.x + 1 - n % 10, m.position.y - 3 - n / 100,
                               m.position.z + 2 - n / 10 % 10};
        for (int i = 0; i < 3; ++i) {
            assert_true(fabs(off[i]) <= 0.3 + 1e-14); // rounding of the position
            mean[i] += off[i] / 1000;
            square[i] += off[i] * off[i] / 1000;
        }
        const tarn_quat q = m.rotation;
        const double yy = 1 - 2 * (q.x * q.x + q.z * q.z); // of the body's own y, along the world's
        CHECK_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1.0, 1e-15);
        up += yy / 1000;
        up2 += yy * yy / 1000;
    }
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(mean[i], 0.0, 0.022);     // four standard deviations: 0.3 / sqrt(3 * 1000) each
        CHECK_NEAR(square[i], 0.03, 0.0034); // 0.3^2 / 3, four of 0.3^2 sqrt(4 / 45 / 1000)
    }
    CHECK_NEAR(up, 0.0, 4 / sqrt(3000.0)); // y of a random rotation is uniform in -1 .. 1
    CHECK_NEAR(up2, 1.0 / 3, 4 * sqrt(4.0 / 45 / 1000));

    const uint64_t hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    assert_true(hash_of(SEEDED("1", "", MANY)) == hash);
    assert_true(hash_of(SEEDED("2", "", MANY)) != hash);
    // another entry has other numbers; entries after it have no influence
    tarn_world *second =
        world_of(SEEDED("1", BALL MANY "}, ", "\"name\": \"c\", \"array\": {\"jitter\": 1}"), NULL);
    w = world_of(SEEDED("1", "", MANY), NULL);
    const tarn_body_state here = motion_of(w, "b 77"), there = motion_of(second, "b 77");
    assert_memory_equal(&here, &there, sizeof here);
    assert_true(motion_of(second, "c").rotation.w != motion_of(w, "b 1").rotation.w);
    tarn_world_destroy(w);
    tarn_world_destroy(second);
}

static void body_arrays_have_limits(void **state)
{
    static const struct mistake mistakes[] = {
        {BALLS("\n\"array\": {\"count\": [100, 100, 11]}"), "a.json:4:20", "bodies[0].array.count",
         "too many bodies in all: 110000, limit 100000"},
        {BALLS("\n\"array\": {\"count\": [100000, 100000, 100000]}"), "a.json:4:20", "bodies[0].array.count",
         "in all"},
        {BALLS("\n\"array\": {\"count\": [2, 0, 1]}"), "a.json:4:24", "bodies[0].array.count[1]",
         "0 is outside 1 .. 100000"},
        {BALLS("\n\"array\": {\"count\": [2, 1.5, 1]}"), "a.json:4:24", "bodies[0].array.count[1]",
         "expected a whole number"},
        {BALLS("\n\"array\": {\"count\": 2}"), "a.json:4:20", "bodies[0].array.count",
         "expected an array of 3 whole numbers"},
        {BALLS("\n\"array\": {\"jitter\": 1.5}"), "a.json:4:21", "bodies[0].array.jitter",
         "1.5 is outside 0 .. 1"},
        {BALLS("\"array\":\n{\"spaceing\": [1, 1, 1]}"), "a.json:4:2", "bodies[0].array.spaceing",
         "did you mean 'spacing'?"},
        {TOP "\"bodies\": [" BALL "\"array\": {\"count\": [60000, 1, 1]}},\n" BALL
             "\"array\": {\"count\": [50000, 1, 1]}}]}",
         "a.json:3:80", "bodies[1].array.count", "in all: 110000"},
    };
    tarn_scene *scene;
    tarn_world *world;
    tarn_diagnostics diagnostics = {0};

    (void)state;
    expect_mistakes(mistakes, COUNT(mistakes));
    // Errors that only the world finds are reported once an entry, with the number of the copy.
    CHECK_OK(
        parse(BALLS("\"array\": {\"count\": [3, 1, 1], \"spacing\": [1e6, 0, 0]}"), &scene, &diagnostics));
    assert_int_equal(tarn_scene_create_world(scene, NULL, &world, &diagnostics), TARN_BAD_INPUT);
    assert_int_equal(diagnostics.count, 1);
    assert_diagnostic(&diagnostics.list[0], "a.json:3:48", "bodies[0].position",
                      "copy 2: (999999, 3, -2) m is outside");
    tarn_diagnostics_free(&diagnostics);
    tarn_scene_destroy(scene);
}

// ---- tables -----------------------------------------------------------------------------------------

struct profile {
    struct {
        int count;
        double rows[4][2];
    } line;
};
static const tarn_param profile_params[] = {
    PARAM_TABLE(struct profile, line, "line", 2, 4, 0, 10, "m", "radius and height"),
};
static const tarn_kind profile_kind = {
    .category = "test", .name = "test", .help = "a test's own", PARAMS(profile_params)};
static const struct section profiles = {
    .key = "profiles", .layout = SECTION_ARRAY, .noun = "profile", .scene_kind = &profile_kind};

static void read_profile(const char *text, struct profile *out, tarn_diagnostics *diagnostics)
{
    struct source_text source = {.name = "a.json", .text = (char *)text, .size = strlen(text)};
    json_t *json = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    struct parser p;
    struct key_set keys;
    assert_non_null(json);
    parser_init(&p, &source, diagnostics);
    tarn_kind_init(&profile_kind, out);
    assert_true(object_keys(&p, &profiles, json, NULL, &keys));
    keys.bindings[2].data = out;
    parse_object(&p, &keys, json);
    json_decref(json);
}

// A table is read row by row, and an error is located at the number.
static void tables_are_read_row_by_row(void **state)
{
    static const struct mistake mistakes[] = {
        {"{\"line\": 3}", "a.json:1:10", "line", "expected an array of rows, found a number"},
        {"{\"line\": [1]}", "a.json:1:11", "line[0]", "expected a row of 2 numbers, found a"},
        {"{\"line\": [[1, 2],\n[1]]}", "a.json:2:1", "line[1]", "expected a row of 2 numbers, found 1"},
        {"{\"line\": [[1, 2],\n[1, -1]]}", "a.json:2:5", "line[1][1]", "-1 m is outside 0 .. 10"},
        {"{\"line\": [[1, 2],\n[null, 1]]}", "a.json:2:2", "line[1][0]", "expected a number"},
        {"{\"line\": [[], [], [], [], []]}", "a.json:1:10", "line", "too many rows: 5, limit 4"},
    };
    struct profile got;
    tarn_diagnostics diagnostics = {0};

    (void)state;
    read_profile("{\"line\": [[0.1, 0], [0.2, 0.5]]}", &got, &diagnostics);
    assert_int_equal(diagnostics.count, 0);
    assert_int_equal(got.line.count, 2);
    assert_true(got.line.rows[0][0] == 0.1 && got.line.rows[1][0] == 0.2 && got.line.rows[1][1] == 0.5);
    for (int i = 0; i < COUNT(mistakes); ++i) {
        read_profile(mistakes[i].text, &got, &diagnostics);
        if (diagnostics.count != i + 1)
            fail_msg("%s: %d diagnostics", mistakes[i].text, diagnostics.count - i);
        assert_diagnostic(&diagnostics.list[i], mistakes[i].where, mistakes[i].path, mistakes[i].words);
    }
    tarn_diagnostics_free(&diagnostics);
}

// Set a parameter to a value whose bytes are not zero, up to its end.
static void set_to_maximum(tarn_spec *spec, const tarn_param *param)
{
    static double rows[256];
    tarn_value value = {.type = param->type};
    const double number = isfinite(param->max) ? param->max : 1.0;

    for (int i = 0; i < 4; ++i) value.number[i] = number;
    for (int i = 0; i < COUNT(rows); ++i) rows[i] = number;
    if (param->type == TARN_PARAM_TABLE) value = tarn_value_table(rows, param->rows);
    if (param->type == TARN_PARAM_TEXT) memset(value.text, 'x', TARN_NAME_BYTES - 1);
    if (param->type == TARN_PARAM_FILE) memset(value.text, 'x', TARN_FILE_BYTES - 1);
    if (param->type == TARN_PARAM_CHOICE)
        for (int i = 0; param->choices[i]; ++i)
            snprintf(value.text, sizeof value.text, "%s", param->choices[i]);
    CHECK_OK(tarn_spec_set(spec, param->name, value, NULL));
}

// The tables that both borrow are equal, but not the same; then makes them the same.
static void check_borrowed_tables(const tarn_spec *spec, tarn_spec *unpacked)
{
    for (int i = 0; i < spec->kind->param_count; ++i) {
        const tarn_param *param = &spec->kind->params[i];
        tarn_value given, got;
        if (!param->count_offset) continue;
        CHECK_OK(tarn_spec_get(spec, param->name, &given));
        CHECK_OK(tarn_spec_get(unpacked, param->name, &got));
        assert_int_equal(got.row_count, given.row_count);
        assert_ptr_not_equal(got.rows, given.rows);
        assert_memory_equal(got.rows, given.rows,
                            sizeof(double) * (size_t)(given.row_count * param->columns));
        CHECK_OK(tarn_spec_set(unpacked, param->name, given, NULL));
    }
}

// The entries of a scene keep only the bytes of parameters; unpacked, every kind has all of its values.
static void packed_parameters_are_unpacked_exactly(void **state)
{
    static const char *const categories[] = {"shape", "joint", "emitter", "obstacle"};
    const tarn_kind *kind;

    (void)state;
    for (int c = 0; c < COUNT(categories); ++c) {
        for (int k = 0; (kind = tarn_kind_at(categories[c], k)); ++k) {
            tarn_spec spec = {0}, unpacked;
            struct packed_params packed;
            CHECK_OK(tarn_spec_init(&spec, categories[c], kind->name, NULL));
            for (int i = 0; i < kind->param_count; ++i) set_to_maximum(&spec, &kind->params[i]);
            assert_true(params_pack(&packed, kind, spec.data));
            spec_unpack(&packed, &unpacked);
            check_borrowed_tables(&spec, &unpacked);
            free(packed.bytes);
            if (memcmp(&spec, &unpacked, sizeof spec) != 0) fail_msg("%s %s", categories[c], kind->name);
        }
    }
}

// The same from C, for any shape that has one.
static void table_elements_are_set_by_path(void **state)
{
    const tarn_param *param = NULL;
    tarn_scene *scene;
    tarn_diagnostics diagnostics = {0};
    char text[256], path[64];
    double rows[16];
    int k = 0;

    (void)state;
    for (; tarn_kind_at("shape", k) && !param; ++k)
        for (int i = 0; i < tarn_kind_at("shape", k)->param_count; ++i)
            if (tarn_kind_at("shape", k)->params[i].type == TARN_PARAM_TABLE)
                param = &tarn_kind_at("shape", k)->params[i];
    if (!param) skip();
    for (int i = 0; i < COUNT(rows); ++i) rows[i] = fmax(param->min, fmin(param->max, 0.25 * i));
    snprintf(text, sizeof text, TOP "\"bodies\": [{\"shape\": \"%s\"}]}", tarn_kind_at("shape", k - 1)->name);
    snprintf(path, sizeof path, "bodies[0].%s", param->name);
    CHECK_OK(parse(text, &scene, &diagnostics));
    CHECK_OK(tarn_scene_set(scene, path, tarn_value_table(rows, 2), &diagnostics));
    json_t *body = json_array_get(json_object_get(scene->root, "bodies"), 0);
    json_t *row = json_array_get(json_object_get(body, param->name), 1);
    assert_int_equal(json_array_size(row), param->columns);
    assert_true(json_number_value(json_array_get(row, 0)) == rows[param->columns]);
    assert_int_equal(tarn_scene_set(scene, path, tarn_value_table(rows, param->rows + 1), &diagnostics),
                     TARN_BAD_INPUT);
    assert_int_equal(tarn_scene_set(scene, path, tarn_value_table(NULL, 1), &diagnostics), TARN_BAD_INPUT);
    assert_int_equal(tarn_scene_set(scene, "seed", tarn_value_table(rows, 1), &diagnostics), TARN_BAD_INPUT);
    tarn_diagnostics_free(&diagnostics);
    tarn_scene_destroy(scene);
}

// ---- schema -----------------------------------------------------------------------------------------

static json_t *inside(json_t *json, const char *a, const char *b)
{
    return json_object_get(json_object_get(json, a), b);
}

static void expect_table(json_t *json, const tarn_param *param)
{
    json_t *row = json_object_get(json, "items");
    assert_int_equal(json_integer_value(json_object_get(json, "maxItems")), param->rows);
    assert_int_equal(json_integer_value(json_object_get(row, "minItems")), param->columns);
    assert_int_equal(json_integer_value(json_object_get(row, "maxItems")), param->columns);
}

// The schema says of every shape what may stand in its entry: tables row by row, both forms of a rotation,
// copies; parts of a compound alone, and in them no compound.
static void schema_describes_bodies(void **state)
{
    char *text = tarn_scene_schema();
    json_t *schema = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *one;
    json_t *bodies = json_object_get(json_object_get(schema, "properties"), "bodies");
    json_t *shapes = inside(bodies, "items", "oneOf");
    size_t i;

    (void)state;
    assert_true(json_array_size(shapes) > 1);
    json_array_foreach(shapes, i, one)
    {
        json_t *known = json_object_get(one, "properties"), *parts = json_object_get(known, "parts");
        const tarn_kind *kind = tarn_kind_at("shape", (int)i);
        for (int k = 0; k < kind->param_count; ++k)
            if (kind->params[k].type == TARN_PARAM_TABLE)
                expect_table(json_object_get(known, kind->params[k].name), &kind->params[k]);
        assert_int_equal(json_array_size(inside(known, "rotation", "anyOf")), 2);
        assert_string_equal(json_string_value(json_object_get(
                                inside(inside(known, "array", "properties"), "count", "items"), "type")),
                            "integer");
        const int compound = strcmp(kind->name, "compound") == 0;
        assert_int_equal(parts != NULL, compound);
        if (compound)
            assert_int_equal(json_array_size(inside(parts, "items", "oneOf")), json_array_size(shapes) - 1);
    }
    json_decref(schema);
    tarn_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_may_be_axis_and_degrees),
        cmocka_unit_test(mesh_bodies_read_their_file),
        cmocka_unit_test(mesh_file_errors_name_the_key),
        cmocka_unit_test(parts_make_a_compound),
        cmocka_unit_test(parts_have_paths),
        cmocka_unit_test(body_arrays_form_a_lattice),
        cmocka_unit_test(jitter_is_random_and_follows_the_seed),
        cmocka_unit_test(body_arrays_have_limits),
        cmocka_unit_test(tables_are_read_row_by_row),
        cmocka_unit_test(packed_parameters_are_unpacked_exactly),
        cmocka_unit_test(table_elements_are_set_by_path),
        cmocka_unit_test(schema_describes_bodies),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
