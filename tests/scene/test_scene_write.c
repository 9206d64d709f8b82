// Scene files: what is changed and written reads back and becomes a world.
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "scene_text.h"

// ---- changes ----------------------------------------------------------------------------------------

static tarn_result read_with(const char *const *sets, int count, tarn_scene **scene,
                             tarn_diagnostics *diagnostics)
{
    char path[64];
    temporary(path, GOOD);
    const tarn_result r = tarn_scene_read_with_overrides(path, sets, count, scene, diagnostics);
    unlink(path);
    return r;
}

static void set_changes_values_by_path(void **state)
{
    (void)state;
    const char *sets[] = {
        "run.duration=4.5", "bodies[0].density=300", "fluid.boundary.east=open",  "name=other",
        "gauges=[]",        "bodies[1].size[2]=0.1", "description=\"two words\"", "seed=8"};
    tarn_scene *scene;
    assert_int_equal(read_with(sets, 8, &scene, NULL), TARN_OK);
    tarn_scene_info info;
    CHECK_OK(tarn_scene_get_info(scene, &info));
    assert_true(info.duration == 4.5);
    assert_string_equal(info.name, "other");
    assert_string_equal(info.description, "two words");
    assert_int_equal(info.gauge_count, 0);
    char *text = tarn_scene_write(scene);
    assert_non_null(strstr(text, "\"boundary\": {\"west\": \"open\", \"east\": \"open\"}"));
    assert_non_null(strstr(text, "\"density\": 300"));
    assert_non_null(strstr(text, "[0.2, 0.2, 0.1]"));
    tarn_text_free(text);
    tarn_scene_destroy(scene);
}

static void set_errors_name_the_option(void **state)
{
    (void)state;
    const struct {
        const char *set, *where, *path, *words;
    } cases[] = {
        {"fluid.depth=-1", "--set fluid.depth", "", "-1 m is outside"},
        {"fluid.depth=deep", "--set fluid.depth", "", "expected a number, found a string"},
        {"fluid.dept=1", "--set fluid.dept", "", "did you mean 'depth'?"},
        {"fluid.boundry.west=wall", "--set fluid.boundry.west", "fluid.boundry", "did you mean 'boundary'?"},
        {"gauges=[{\"name\": 3}]", "--set gauges", "gauges[0].name", "expected a string"},
        {"bodies[2].mass=1", "--set bodies[2].mass", "", "no entry [2]; the array has 2"},
        {"bodies.mass=1", "--set bodies.mass", "", "'bodies' is not an object"},
        {"fluid[0]=1", "--set fluid[0]", "", "'fluid' is not an array"},
        {"fluid.depth", "--set fluid.depth", "", "expected PATH=VALUE"},
        {"fluid.depth=", "--set fluid.depth=", "", "expected PATH=VALUE"},
        {"=1", "--set =1", "", "expected PATH=VALUE"},
        {"fluid..depth=1", "--set fluid..depth", "", "expected a path such as"},
        {"bodies[x].mass=1", "--set bodies[x].mass", "", "expected a path such as"},
        {"bodies[0=1", "--set bodies[0", "", "expected a path such as"},
        {"[0]=1", "--set [0]", "", "expected a path such as"},
        {"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=1", "--set a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a", "",
         "expected a path such as"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tarn_scene *scene;
        tarn_diagnostics diagnostics = {0};
        assert_int_equal(read_with(&cases[i].set, 1, &scene, &diagnostics), TARN_BAD_INPUT);
        assert_null(scene);
        assert_int_equal(diagnostics.count, 1);
        assert_diagnostic(&diagnostics.list[0], cases[i].where, cases[i].path, cases[i].words);
        assert_int_equal(diagnostics.list[0].caret, -1);
        tarn_diagnostics_free(&diagnostics);
    }
}

static void scene_set_checks_and_keeps_on_failure(void **state)
{
    (void)state;
    tarn_scene *scene = good_scene();
    tarn_diagnostics diagnostics = {0};
    char *before = tarn_scene_write(scene);

    assert_int_equal(tarn_scene_set(scene, "fluid.depth", tarn_value_number(-1), &diagnostics),
                     TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[0], "a.json", "fluid.depth", "-1 m is outside");
    assert_int_equal(tarn_scene_set(scene, "fluid.depth", tarn_value_number(NAN), &diagnostics),
                     TARN_BAD_INPUT);
    assert_int_equal(tarn_scene_set(scene, "fluid.wdth", tarn_value_number(1), &diagnostics), TARN_BAD_INPUT);
    assert_int_equal(tarn_scene_set(scene, "bodies[5].mass", tarn_value_number(1), &diagnostics),
                     TARN_BAD_INPUT);
    char *after = tarn_scene_write(scene);
    assert_string_equal(before, after);
    tarn_text_free(before);
    tarn_text_free(after);

    for (int i = 0; i < 3; ++i)
        assert_int_equal(tarn_scene_set(scene, "run.duration", tarn_value_number(i), &diagnostics), TARN_OK);
    assert_int_equal(tarn_scene_set(scene, "fluid.cells", tarn_value_vec2(32, 32), &diagnostics), TARN_OK);
    assert_int_equal(tarn_scene_set(scene, "fluid.boundary.north", tarn_value_text("open"), &diagnostics),
                     TARN_OK);
    assert_int_equal(tarn_scene_set(scene, "bodies[0].type", tarn_value_text("kinematic"), &diagnostics),
                     TARN_OK);
    assert_int_equal(tarn_scene_set(scene, "bodies[0].rotation", tarn_value_quat(0, 1, 0, 0), &diagnostics),
                     TARN_OK);
    tarn_scene_info info;
    CHECK_OK(tarn_scene_get_info(scene, &info));
    assert_true(info.duration == 2.0);
    tarn_diagnostics_free(&diagnostics);
    tarn_scene_destroy(scene);
}

#define TANK                                                                                      \
    "{\"version\": 2, \"fluid\": {\"model\": \"shallow\", \"size\": [2, 2], \"cells\": [8, 8],\n" \
    "\"boundary\": {\"east\": {\"level\": 0.3, \"kind\": \"level\"}, \"west\": \"open\"}},\n"     \
    "\"bed\": {\"kind\": \"bump\", \"radius\": 0.5}}"

// The boundaries of TANK after `sets`, and whether a world can be created.
static void assert_sides(const char *const *sets, int count, const char *wanted, tarn_result result)
{
    char path[64];
    tarn_scene *scene;
    tarn_world *world;
    tarn_diagnostics diagnostics = {0};
    temporary(path, TANK);
    if (tarn_scene_read_with_overrides(path, sets, count, &scene, &diagnostics) != TARN_OK)
        fail_msg("%s", diagnostics.list[0].message);
    unlink(path);
    char *text = tarn_scene_write(scene);
    if (!strstr(text, wanted)) fail_msg("expected %s in:\n%s", wanted, text);
    tarn_text_free(text);
    assert_int_equal(tarn_scene_create_world(scene, NULL, &world, &diagnostics), result);
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
    tarn_diagnostics_free(&diagnostics);
}

// Boundaries with parameters: the writer keeps the form of the file, and both kind and parameters can be
// set, in any order.
static void choice_parameters_may_have_sub_parameters(void **state)
{
    (void)state;
    const char *level = "\"west\": {\"kind\": \"level\", \"level\": 0.4}";
    assert_sides(NULL, 0,
                 "\"boundary\": {\"west\": \"open\", \"east\": {\"kind\": \"level\", \"level\": 0.3}}",
                 TARN_OK);
    assert_sides((const char *[]){"fluid.boundary.west=level", "fluid.boundary.west.level=0.4"}, 2, level,
                 TARN_OK);
    assert_sides((const char *[]){"fluid.boundary.west.level=0.4", "fluid.boundary.west=level"}, 2, level,
                 TARN_OK);
    assert_sides((const char *[]){"fluid.boundary.east.level=0.4"}, 1, "\"level\": 0.4", TARN_OK);
    assert_sides((const char *[]){"fluid.boundary.east=wall"}, 1, "\"east\": \"wall\"", TARN_OK);
    assert_sides((const char *[]){"fluid.boundary.west={\"kind\": \"wall\"}"}, 1,
                 "\"west\": {\"kind\": \"wall\"}", TARN_OK);
    assert_sides((const char *[]){"fluid.boundary.west={\"kind\": \"level\", \"level\": 1}",
                                  "fluid.boundary.west=wall"},
                 2, "\"west\": \"wall\"", TARN_OK);
    assert_sides((const char *[]){"fluid.boundary.west.level=0.4"}, 1, "{\"kind\": \"open\", \"level\": 0.4}",
                 TARN_BAD_INPUT); // what is open has no level
    assert_sides((const char *[]){"bed.radius=0.25", "fluid.level=0.5"}, 2, "\"radius\": 0.25", TARN_OK);
    assert_sides((const char *[]){"bed=[{\"kind\": \"flat\"}, {\"radius\": 1, \"kind\": \"bowl\"}]"}, 1,
                 "[{\"kind\": \"flat\"}, {\"kind\": \"bowl\", \"radius\": 1}]", TARN_OK);

    tarn_scene *scene;
    tarn_diagnostics diagnostics = {0};
    assert_int_equal(parse(TANK, &scene, NULL), TARN_OK);
    assert_int_equal(tarn_scene_set(scene, "fluid.boundary.west.level", tarn_value_number(9e9), &diagnostics),
                     TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[0], "a.json", "fluid.boundary.west.level", "9000000000 m is outside");
    assert_int_equal(tarn_scene_set(scene, "fluid.boundary.west.level", tarn_value_number(1), &diagnostics),
                     TARN_OK);
    assert_int_equal(tarn_scene_set(scene, "fluid.boundary.west", tarn_value_text("wall"), &diagnostics),
                     TARN_OK);
    assert_int_equal(tarn_scene_set(scene, "bed", tarn_value_text("wall"), &diagnostics), TARN_BAD_INPUT);
    assert_int_equal(tarn_scene_set(scene, "bed.kind", tarn_value_text("heightmap"), &diagnostics),
                     TARN_BAD_INPUT); // no radius
    char *text = tarn_scene_write(scene);
    assert_non_null(strstr(text, "\"west\": \"wall\""));
    tarn_text_free(text);
    tarn_diagnostics_free(&diagnostics);
    tarn_scene_destroy(scene);
}

// ---- writing ----------------------------------------------------------------------------------------

static void written_scenes_read_back_unchanged(void **state)
{
    (void)state;
    tarn_scene *scene = good_scene(), *again;
    char *text = tarn_scene_write(scene);
    assert_int_equal(parse(text, &again, NULL), TARN_OK);
    char *same = tarn_scene_write(again);
    assert_string_equal(text, same);
    assert_ptr_equal(strstr(text, "{\n  \"version\": 2,\n  \"name\": \"two\",\n  \"seed\": 7,\n"), text);
    tarn_scene_info f;
    CHECK_OK(tarn_scene_get_info(again, &f));
    assert_string_equal(f.model, "wave");
    assert_int_equal(f.body_count, 2);
    assert_int_equal(f.gauge_count, 1);
    assert_string_equal(f.gauges[0].name, "g1");
    assert_true(f.gauges[0].position.y == 0.2 && f.dt == 0.01);
    tarn_text_free(text);
    tarn_text_free(same);
    tarn_scene_destroy(scene);
    tarn_scene_destroy(again);
}

// Every scene of the gallery is the same after it was written and read: the same text, the same world.
static void gallery_scenes_round_trip(void **state)
{
    (void)state;
    DIR *folder = opendir(TARN_SOURCE_DIR "/scenes");
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *file; (file = readdir(folder));) {
        char path[512];
        tarn_scene *scene, *again;
        tarn_world *a, *b;
        if (!strstr(file->d_name, ".json")) continue;
        if (strcmp(file->d_name, "bunny.json") == 0 &&
            access("/usr/share/glmark2/models/bunny.obj", R_OK) != 0)
            continue; // not installed
        snprintf(path, sizeof path, "%s/%.200s", TARN_SOURCE_DIR "/scenes", file->d_name);
        assert_int_equal(tarn_scene_read(path, &scene, NULL), TARN_OK);
        char *text = tarn_scene_write(scene);
        assert_int_equal(tarn_scene_parse(path, text, strlen(text), &again, NULL),
                         TARN_OK); // with its folder
        char *twice = tarn_scene_write(again);
        assert_string_equal(text, twice);
        tarn_text_free(twice);
        assert_int_equal(tarn_scene_create_world(scene, NULL, &a, NULL), TARN_OK);
        assert_int_equal(tarn_scene_create_world(again, NULL, &b, NULL), TARN_OK);
        assert_true(tarn_world_hash(a) == tarn_world_hash(b));
        tarn_world_destroy(a);
        tarn_world_destroy(b);
        tarn_text_free(text);
        tarn_scene_destroy(scene);
        tarn_scene_destroy(again);
        ++count;
    }
    closedir(folder);
    assert_true(count > 0);
}

// Every double reads back to the bit, in the shortest form.
static void numbers_round_trip(void **state)
{
    (void)state;
    char text[32];
    uint64_t seed = 1;
    for (int i = 0; i < 20000; ++i) {
        const uint64_t bits = splitmix64(&seed);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        format_number(x, text);
        json_t *json = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
        assert_non_null(json);
        const double back = json_number_value(json);
        assert_memory_equal(&back, &x, sizeof x);
        json_decref(json);
    }
    format_number(0.1, text);
    assert_string_equal(text, "0.1");
    format_number(-240.0, text);
    assert_string_equal(text, "-240");
    format_number(1.0 / 3.0, text);
    assert_string_equal(text, "0.3333333333333333");
}

static void locale_does_not_change_parsing(void **state)
{
    (void)state;
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",       "fr_FR.UTF-8",
                                        "es_ES.UTF-8", "it_IT.UTF-8", "pl_PL.UTF-8", "nl_NL.UTF-8"};
    const char *set = NULL;
    tarn_scene *scene = good_scene();
    char *plain = tarn_scene_write(scene);
    for (size_t i = 0; !set && i < sizeof comma / sizeof comma[0]; ++i) set = setlocale(LC_ALL, comma[i]);
    if (!set) {
        tarn_text_free(plain);
        tarn_scene_destroy(scene);
        skip();
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    char *other = tarn_scene_write(scene);
    tarn_scene *again;
    tarn_diagnostics diagnostics = {0};
    assert_string_equal(plain, other);
    assert_int_equal(parse(other, &again, &diagnostics), TARN_OK);
    tarn_scene_info info;
    CHECK_OK(tarn_scene_get_info(again, &info));
    assert_true(info.gauges[0].position.x == 0.1);
    tarn_text_free(other);
    tarn_scene_destroy(again);
    assert_int_equal(parse(BODY "\"radius\": -0.3}]}", &again, &diagnostics), TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[0], "a.json:3:11", "bodies[0].radius",
                      "-0.3 m is outside 0.001 .. 100");
    setlocale(LC_ALL, "C");
    tarn_diagnostics_free(&diagnostics);
    tarn_text_free(plain);
    tarn_scene_destroy(scene);
}

// The schema is JSON and contains every kind and parameter of the lists.
static void schema_contains_every_parameter(void **state)
{
    (void)state;
    char *text = tarn_scene_schema();
    assert_non_null(text);
    json_t *schema = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(schema);
    json_t *models =
        json_object_get(json_object_get(json_object_get(schema, "properties"), "fluid"), "oneOf");
    for (int k = 0; tarn_kind_at("fluid", k); ++k) {
        const tarn_kind *kind = tarn_kind_at("fluid", k);
        json_t *known = json_object_get(json_array_get(models, (size_t)k), "properties");
        for (int i = 0; i < kind->param_count; ++i) {
            char name[TARN_NAME_BYTES];
            snprintf(name, sizeof name, "%s", kind->params[i].name);
            name[strcspn(name, ".")] = '\0';
            assert_non_null(json_object_get(known, name));
        }
        assert_non_null(json_object_get(known, "gravity"));
    }
    json_t *bed = json_object_get(json_object_get(json_object_get(schema, "properties"), "bed"), "anyOf");
    json_t *beds = json_object_get(json_array_get(bed, 0), "oneOf");
    for (int k = 0; tarn_kind_at("bed", k); ++k)
        assert_non_null(json_object_get(json_array_get(beds, (size_t)k), "properties"));
    assert_true(json_number_value(json_object_get(json_array_get(bed, 1), "maxItems")) == TARN_MAX_BEDS);
    // A choice with parameters is a string or an object; optional values have no default.
    for (size_t k = 0; k < json_array_size(models); ++k) {
        json_t *known = json_object_get(json_array_get(models, k), "properties");
        json_t *west =
            json_object_get(json_object_get(json_object_get(known, "boundary"), "properties"), "west");
        json_t *ways = json_object_get(west, "anyOf");
        if (!ways) continue; // without parameters
        assert_non_null(json_object_get(json_array_get(ways, 0), "enum"));
        json_t *inside = json_object_get(json_array_get(ways, 1), "properties");
        assert_non_null(json_object_get(json_object_get(inside, "kind"), "enum"));
        const char *maybe = json_object_get(inside, "level") ? "level" : "wall_speed";
        assert_string_equal(json_string_value(json_object_get(json_object_get(inside, maybe), "type")),
                            "number");
        assert_null(json_object_get(json_object_get(inside, maybe), "default"));
    }
    json_decref(schema);
    tarn_text_free(text);
}

// The key of the schema for editors is accepted, has no effect, and is kept.
static void schema_key_is_accepted(void **state)
{
    tarn_scene *scene;
    (void)state;
    assert_int_equal(parse(TOP "\"$schema\": \"scene.schema.json\"}", &scene, NULL), TARN_OK);
    char *text = tarn_scene_write(scene);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"$schema\": \"scene.schema.json\""));
    tarn_text_free(text);
    tarn_scene_destroy(scene);
}

// ---- worlds -----------------------------------------------------------------------------------------

static void scenes_create_worlds(void **state)
{
    (void)state;
    tarn_scene *scene = good_scene();
    tarn_world *world = NULL;
    tarn_diagnostics diagnostics = {0};
    assert_int_equal(tarn_scene_create_world(scene, NULL, &world, &diagnostics), TARN_OK);
    const tarn_world_status s = tarn_world_get_status(world);
    assert_int_equal(s.body_count, 2);
    assert_int_equal(s.cells[0], 16);
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
}

// Errors that only the combination of entries shows are located too.
static void world_errors_name_their_key(void **state)
{
    (void)state;
    tarn_scene *scene;
    tarn_world *world;
    tarn_diagnostics diagnostics = {0};
    const char *text =
        "{\"version\": 2,\n \"fluid\": {\"model\": \"wave\", \"size\": [2, 2], \"cells\": [16, 32]}}";
    assert_int_equal(parse(text, &scene, &diagnostics), TARN_OK);
    assert_int_equal(tarn_scene_create_world(scene, NULL, &world, &diagnostics), TARN_BAD_INPUT);
    assert_null(world);
    assert_int_equal(diagnostics.count, 1);
    assert_diagnostic(&diagnostics.list[0], "a.json:2:54", "fluid.cells", "not square");
    tarn_diagnostics_free(&diagnostics);
    tarn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_changes_values_by_path),
        cmocka_unit_test(set_errors_name_the_option),
        cmocka_unit_test(scene_set_checks_and_keeps_on_failure),
        cmocka_unit_test(choice_parameters_may_have_sub_parameters),
        cmocka_unit_test(written_scenes_read_back_unchanged),
        cmocka_unit_test(gallery_scenes_round_trip),
        cmocka_unit_test(numbers_round_trip),
        cmocka_unit_test(locale_does_not_change_parsing),
        cmocka_unit_test(schema_contains_every_parameter),
        cmocka_unit_test(schema_key_is_accepted),
        cmocka_unit_test(scenes_create_worlds),
        cmocka_unit_test(world_errors_name_their_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
