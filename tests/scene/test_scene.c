// Scene files: every error is reported with its place, and nothing crashes.
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "scene_text.h"

// ---- one error each ---------------------------------------------------------------------------------

static const struct mistake {
    const char *text, *where, *path, *words;
} mistakes[] = {
    // a camera path with decreasing times
    {"{\"version\": 2, \"fluid\": {\"model\": \"wave\"}, \"view\": {\"camera_path\": [[0,1,1,1,0,0,0], "
     "[0,2,2,2,0,0,0]]}}",
     "a.json:1:86", "view.camera_path[1]", "0 s is not later than the row before"},
    // required keys
    {"{\"fluid\": {\"model\": \"wave\"}}", "a.json:1:1", "", "\"version\": 2 is missing"},
    {"{\"version\": 3, \"fluid\": {\"model\": \"wave\"}}", "a.json:1:13", "version",
     "version 3 is not known; this reads version 2"},
    // of another format, whose other keys are not read
    {"{ \"version\": 1, \"fluid\": {\"model\": \"wave\", \"sides\": {}}, \"about\": 3}", "a.json:1:3",
     "version", "this is scene format 1; run scripts/convert-scene a.json"},
    {"{\"version\": \"1\", \"fluid\": {\"model\": \"wave\"}}", "a.json:1:13", "version", "remove the quotes"},
    {"{\"version\": 2}", "a.json:1:1", "", "\"fluid\" is missing"},
    {"{\"version\": 2, \"fluid\": {}}", "a.json:1:25", "fluid",
     "\"model\" is missing; expected one of: wave"},
    {"{\"version\": 2, \"fluid\": 3}", "a.json:1:25", "fluid", "expected an object, found a number"},
    {"{\"version\": 2, \"fluid\": {\"model\": \"wvae\"}}", "a.json:1:35", "fluid.model",
     "unknown fluid model 'wvae'; did you mean 'wave'?"},
    {"{\"version\": 2, \"fluid\": {\"model\": true}}", "a.json:1:35", "fluid.model",
     "expected a string, found true"},
    {"[1]", "a.json:1:1", "", "expected an object, { ... }, found an array"},
    // names
    {TOP "\"boddies\": []}", "a.json:2:1", "boddies", "did you mean 'bodies'?"},
    {TOP "\"gravity\": 1}", "a.json:2:1", "gravity", "did you mean 'fluid.gravity'?"},
    {TOP "\"depth\": 1}", "a.json:2:1", "depth", "did you mean 'fluid.depth'?"},
    {TOP "\"duration\": 1}", "a.json:2:1", "duration", "did you mean 'run.duration'?"},
    {TOP "\"qqqq\": 1}", "a.json:2:1", "qqqq", "expected one of: $schema, version, name"},
    {"{\"version\": 2, \"fluid\": {\"model\": \"wave\",\n\"seed\": 1}}", "a.json:2:1", "fluid.seed",
     "did you mean 'seed' at the top level?"},
    {"{\"version\": 2, \"fluid\": {\"model\": \"wave\",\n\"west\": \"wall\"}}", "a.json:2:1", "fluid.west",
     "did you mean 'boundary.west'?"},
    {"{\"version\": 2, \"fluid\": {\"model\": \"wave\",\n\"boundary\": 3}}", "a.json:2:13", "fluid.boundary",
     "expected an object"},
    {"{\"version\": 2, \"fluid\": {\"model\": \"wave\",\n\"boundary\": {\"up\": 1}}}", "a.json:2:14",
     "fluid.boundary.up", "expected one of: west, east"},
    {"{\"version\": 2, \"fluid\": {\"model\": \"wave\",\n\"boundary\": {\"west\": \"opne\"}}}", "a.json:2:22",
     "fluid.boundary.west", "did you mean 'open'?"},
    {"{\"version\": 2, \"fluid\": {\"model\": \"wave\",\n\"boundary.west\": \"wall\"}}", "a.json:2:1",
     "fluid.boundary.west", "groups are nested objects: \"boundary\": {\"west\": ...}"},
    {BODY "\"radios\": 1}]}", "a.json:3:1", "bodies[0].radios", "did you mean 'radius'?"},
    {BODY "\"color\": 1}]}", "a.json:3:1", "bodies[0].color", "did you mean 'colour'?"},
    {BODY "\"\\u001b[31m\": 1}]}", "a.json:3:1", "bodies[0].?[31m", "unknown key"}, // safe on a terminal
    {TOP "\"bodies\": [{\"shape\": \"spher\"}]}", "a.json:2:22", "bodies[0].shape", "did you mean 'sphere'?"},
    {TOP "\"bodies\": [{\"name\": \"a\"}]}", "a.json:2:12", "bodies[0]",
     "\"shape\" is missing; expected one of: sphere"},
    {TOP "\"bodies\": {}}", "a.json:2:11", "bodies", "expected an array, found an object"},
    {TOP "\"bodies\": [3]}", "a.json:2:12", "bodies[0]", "expected an object, found a number"},
    {TOP "\"emitters\": [{\"kind\": \"zzz\"}]}", "a.json:2:23", "emitters[0].kind", "unknown emitter 'zzz'"},
    {TOP "\"gauges\": [{\"nam\": \"a\"}]}", "a.json:2:13", "gauges[0].nam", "did you mean 'name'?"},
    // values
    {BODY "\"radius\": -0.3}]}", "a.json:3:11", "bodies[0].radius", "-0.3 m is outside 0.001 .. 100"},
    {BODY "\"radius\": \"1\"}]}", "a.json:3:11", "bodies[0].radius",
     "expected a number, found a string; remove the quotes"},
    {BODY "\"radius\": null}]}", "a.json:3:11", "bodies[0].radius", "expected a number, found null"},
    {BODY "\"type\": 1}]}", "a.json:3:9", "bodies[0].type", "expected a string"},
    {BODY "\"position\": [1, 2]}]}", "a.json:3:13", "bodies[0].position", "expected an array of 3 numbers"},
    {BODY "\"position\": [1, \"x\", 2]}]}", "a.json:3:17", "bodies[0].position[1]", "expected a number"},
    {BODY "\"position\": [1, 2, -1e99]}]}", "a.json:3:20", "bodies[0].position[2]", "-1e+99 m is outside"},
    {BODY "\"rotation\": [0, 0, 0, 0]}]}", "a.json:3:13", "bodies[0].rotation", "rotation"},
    {BODY "\"name\": 3}]}", "a.json:3:9", "bodies[0].name", "expected a string, found a number"},
    {BODY "\"name\": \"a\\nb\"}]}", "a.json:3:9", "bodies[0].name", "control character"},
    {BODY "\"name\": \"0123456789012345678901234567890123456789012345678901234567890123\"}]}", "a.json:3:9",
     "bodies[0].name", "string too long: 64 bytes, limit 63"},
    {TOP "\"seed\": 1.5}", "a.json:2:9", "seed", "expected a whole number, found 1.5"},
    {TOP "\"seed\": 99999999999999999999}", "a.json:2:9", "seed", "1e+20 is outside"},
    {TOP "\"run\": {\"dt\": 0}}", "a.json:2:15", "run.dt", "0 s is outside"},
    {TOP "\"run\": {\"duration\": -1}}", "a.json:2:21", "run.duration", "-1 s is outside"},
    {TOP "\"description\": 3}", "a.json:2:16", "description", "expected a string"},
    {TOP "\"$schema\": 3}", "a.json:2:12", "$schema", "expected a string"},
    // choice parameters with and without sub-parameters
    {SIDE "3}}}", "a.json:2:22", "fluid.boundary.west", "expected a string or an object, found a number"},
    {SIDE "\"opne\"}}}", "a.json:2:22", "fluid.boundary.west", "did you mean 'open'?"},
    {SIDE "{\"level\": 1}}}}", "a.json:2:22", "fluid.boundary.west",
     "\"kind\" is missing; expected one of: wall, open"},
    {SIDE "{\"kind\": \"lvel\"}}}}", "a.json:2:31", "fluid.boundary.west.kind", "did you mean 'level'?"},
    {SIDE "{\"kind\": 3}}}}", "a.json:2:31", "fluid.boundary.west.kind", "expected a string"},
    {SIDE "{\"kind\": \"level\", \"level\": \"1\"}}}}", "a.json:2:49", "fluid.boundary.west.level",
     "expected a number, found a string"},
    {SIDE "{\"kind\": \"level\", \"levle\": 1}}}}", "a.json:2:40", "fluid.boundary.west.levle",
     "did you mean 'level'?"},
    {"{\"version\": 2, \"fluid\": {\"model\": \"wave\",\n\"boundary\": {\"west\": {\"kind\": \"wall\"}}}}",
     "a.json:2:22", "fluid.boundary.west", "expected a string, found an object"},
    // the bed
    {BED "3}", "a.json:3:1", "bed", "expected an object or an array, found a number"},
    {BED "{}}", "a.json:3:1", "bed", "\"kind\" is missing; expected one of: flat"},
    {BED "[{\"kind\": \"flat\"}, {\"kind\": \"bmup\"}]}", "a.json:3:29", "bed[1].kind",
     "did you mean 'bump'?"},
    {BED "{\"kind\": \"bump\", \"radius\": -1}}", "a.json:3:28", "bed.radius", "-1 m is outside"},
    {BED "[{\"kind\": \"bump\", \"radios\": 1}]}", "a.json:3:19", "bed[0].radios", "did you mean 'radius'?"},
    {BED "[0,0,0,0,0,0,0,0,0]}", "a.json:3:1", "bed", "too many entries: 9, limit 8"},
    {BED "{\"kind\": \"esri\", \"file\": \"/etc/a\"}}", "a.json:3:26", "bed.file", "remove the leading '/'"},
    {BED "{\"kind\": \"esri\", \"file\": 3}}", "a.json:3:26", "bed.file", "expected a string"},
    // syntax
    {"", "a.json:1:1", "", "the file is empty"},
    {" \n ", "a.json:1:1", "", "the file is empty"},
    {"{\n", "a.json:1:2", "", "the file ends early: the '{' of line 1 is not closed"},
    {"{\"a\" 1}", "a.json:1:6", "", "a ':' is missing after the key"},
    {"{\"a\": 1,\n}", "a.json:1:8", "", "extra comma before '}'"},
    {"[1, ]", "a.json:1:3", "", "extra comma before ']'"},
    {"{\"a\": 1\n\"b\": 2}", "a.json:2:1", "", "a comma is missing before this"},
    {"{'a': 1}", "a.json:1:2", "", "double quotes"},
    {"{a: 1}", "a.json:1:2", "", "a key in double quotes"},
    {"{\"a\": NaN}", "a.json:1:7", "", "NaN is not allowed as a number"},
    {"{\"a\": -Infinity}", "a.json:1:7", "", "-Infinity is not allowed as a number"},
    {"{\"a\": 1e400}", "a.json:1:7", "", "too large"},
    {"{\"a\": .5}", "a.json:1:7", "", "'.5' is not a number as JSON writes it"},
    {"{\"a\": 1,5}", "a.json:1:9", "", "decimal numbers have a point"},
    {"{\"a\": yes}", "a.json:1:7", "", "'yes' is not a value"},
    {"{\"a\": \"x\n\"}", "a.json:1:7", "", "string is not closed"},
    {"{\"a\": \"\t\"}", "a.json:1:8", "", "a tab inside a string"},
    {"{\"a\": \"\\q\"}", "a.json:1:8", "", "a backslash needs"},
    {"{\"a\": \"\\ud800\"}", "a.json:1:8", "", "half of a surrogate pair"},
    {"{\"\\u0000\": 1}", "a.json:1:3", "", "\\u0000"},
    {"{\"\xc3\xa4\": \"\xff\"}", "a.json:1:8", "", "0xff is not valid UTF-8"},
    {"\xff\xfe{", "a.json:1:1", "", "UTF-16"},
    {"{\"a\": 1]", "a.json:1:8", "", "']' does not close the '{' of line 1"},
    {"]", "a.json:1:1", "", "a value is missing"},
    {"// hello", "a.json:1:1", "", "comments are not part of JSON"},
    {"{} x", "a.json:1:4", "", "text after the end"},
    {"{\"a\": 1,\n \"a\": 2}", "a.json:2:2", "", "duplicate key"},
};

static void every_error_names_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        const struct mistake *m = &mistakes[i];
        tarn_scene *scene = NULL;
        tarn_diagnostics diagnostics = {0};
        const tarn_result r = parse(m->text, &scene, &diagnostics);
        if (r != TARN_BAD_INPUT || scene || diagnostics.count != 1)
            fail_msg("%s: result %d, %d diagnostics, first: %s", m->text, (int)r, diagnostics.count,
                     diagnostics.count ? diagnostics.list[0].message : "");
        assert_diagnostic(&diagnostics.list[0], m->where, m->path, m->words);
        assert_true(diagnostics.list[0].caret >= 0);
        tarn_diagnostics_free(&diagnostics);
    }
}

static void errors_come_in_file_order(void **state)
{
    (void)state;
    const char *text = "{\r\n  \"bodies\": [{\"shape\": \"box\", \"radius\": 1, \"density\": -1},\r\n"
                       "    {\"shape\": \"sphere\", \"mass\": -2}, {}],\r\n"
                       "  \"fluid\": {\"depth\": -3, \"model\": \"wave\", \"nonsense\": 1},\r\n"
                       "  \"name\": \"\xc3\xa4\xc3\xb6\", \"runn\": 1\r\n}";
    tarn_scene *scene;
    tarn_diagnostics diagnostics = {0};
    assert_int_equal(parse(text, &scene, &diagnostics), TARN_BAD_INPUT);
    assert_int_equal(diagnostics.count, 8);
    assert_diagnostic(&diagnostics.list[0], "a.json:1:1", "", "version");
    assert_diagnostic(&diagnostics.list[1], "a.json:2:31", "bodies[0].radius",
                      "expected one of: shape, size");
    assert_diagnostic(&diagnostics.list[2], "a.json:2:55", "bodies[0].density", "-1 kg/m^3 is outside");
    assert_diagnostic(&diagnostics.list[3], "a.json:3:33", "bodies[1].mass", "-2 kg is outside");
    assert_diagnostic(&diagnostics.list[4], "a.json:3:38", "bodies[2]", "\"shape\" is missing");
    assert_diagnostic(&diagnostics.list[5], "a.json:4:22", "fluid.depth", "-3 m is outside");
    assert_diagnostic(&diagnostics.list[6], "a.json:4:43", "fluid.nonsense", "unknown key");
    assert_diagnostic(&diagnostics.list[7], "a.json:5:17", "runn",
                      "did you mean 'run'?"); // columns are characters
    assert_string_equal(diagnostics.list[7].excerpt, "  \"name\": \"\xc3\xa4\xc3\xb6\", \"runn\": 1");
    assert_int_equal(diagnostics.list[7].caret, 16);
    tarn_diagnostics_free(&diagnostics);
}

// Too many errors end with a note that says so, after bounded work.
static void errors_are_limited_in_number(void **state)
{
    (void)state;
    struct string_buffer t = {0};
    buffer_append_string(&t, TOP "\"bodies\": [0");
    for (int i = 0; i < 20000; ++i) buffer_append_string(&t, ",0");
    buffer_append_string(&t, "]}");
    tarn_scene *scene;
    tarn_diagnostics diagnostics = {0};
    assert_int_equal(parse(t.data, &scene, &diagnostics), TARN_BAD_INPUT);
    assert_int_equal(diagnostics.count, SCENE_MAX_DIAGNOSTICS);
    assert_non_null(strstr(diagnostics.list[SCENE_MAX_DIAGNOSTICS - 1].message, "too many errors"));
    assert_int_equal(parse("{", &scene, &diagnostics),
                     TARN_BAD_INPUT); // diagnostics of several passes are appended
    assert_int_equal(diagnostics.count, SCENE_MAX_DIAGNOSTICS + 1);
    tarn_diagnostics_free(&diagnostics);
    free(t.data);
}

static void deep_nesting_large_files_and_zero_bytes_are_rejected(void **state)
{
    (void)state;
    char deep[SCENE_MAX_DEPTH + 2];
    tarn_scene *scene;
    tarn_diagnostics diagnostics = {0};

    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(parse(deep, &scene, &diagnostics), TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[0], "a.json:1:129", "", "nesting too deep (limit 128)");
    assert_int_equal(tarn_scene_parse("a.json", "{\"a\": \0}", 8, &scene, &diagnostics), TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[1], "a.json:1:7", "", "a zero byte");
    char *large = calloc(SCENE_MAX_BYTES + 1, 1);
    assert_non_null(large);
    assert_int_equal(tarn_scene_parse("a.json", large, SCENE_MAX_BYTES + 1, &scene, &diagnostics),
                     TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[2], "a.json", "", "limit 16777216");
    free(large);
    tarn_diagnostics_free(&diagnostics);

    // A byte order mark is ignored: columns do not count it.
    assert_int_equal(parse("\xef\xbb\xbf" GOOD, &scene, NULL), TARN_OK);
    tarn_scene_destroy(scene);
    assert_int_equal(parse("\xef\xbb\xbf{", &scene, &diagnostics), TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[0], "a.json:1:2", "", "ends early");
    tarn_diagnostics_free(&diagnostics);
}

// ---- files ------------------------------------------------------------------------------------------

static void only_regular_files_are_read(void **state)
{
    (void)state;
    char path[64];
    tarn_scene *scene;
    tarn_diagnostics diagnostics = {0};

    assert_int_equal(tarn_scene_read("/tmp", &scene, &diagnostics), TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[0], "/tmp", "", "this is a folder");
    assert_int_equal(tarn_scene_read("/dev/zero", &scene, &diagnostics), TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[1], "/dev/zero", "", "this is a device");
    assert_int_equal(tarn_scene_read("/tmp/no such scene", &scene, &diagnostics), TARN_IO);
    assert_diagnostic(&diagnostics.list[2], "/tmp/no such scene", "", "No such file");
    temporary(path, "");
    assert_int_equal(truncate(path, (off_t)SCENE_MAX_BYTES + 1), 0);
    assert_int_equal(tarn_scene_read(path, &scene, &diagnostics), TARN_BAD_INPUT);
    assert_diagnostic(&diagnostics.list[3], path, "", "file too large: 16777217 bytes");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(tarn_scene_read(path, &scene, &diagnostics), TARN_BAD_INPUT); // and does not wait
    assert_diagnostic(&diagnostics.list[4], path, "", "this is a pipe");
    unlink(path);
    tarn_diagnostics_free(&diagnostics);
    assert_int_equal(tarn_scene_read(NULL, &scene, NULL), TARN_BAD_ARGUMENT);
}

// ---- places -----------------------------------------------------------------------------------------

static void json_offsets_are_found_in_unusual_text(void **state)
{
    (void)state;
    const char *text =
        "\r\n { \"a}\" : [ \"]\\\"\", {\"\\u00e4\\ud83d\\ude00\\/\":\r\n\t-1e5} , [] ],\"b\":{ }\n}";
    const struct json_path deep = {{{"a}", 0}, {NULL, 1}, {"\xc3\xa4\xf0\x9f\x98\x80/", 0}}, 3};
    const struct json_path missing = {{{"a}", 0}, {NULL, 7}}, 2};
    const struct json_path empty = {{{"a}", 0}, {NULL, 2}, {NULL, 0}}, 3};
    const struct json_path b = {{{"b", 0}}, 1};
    size_t at;
    int line, column;

    assert_int_equal(json_find_offset(text, strlen(text), &deep, 0, &at), 3);
    assert_int_equal(text[at], '-');
    offset_to_line(text, strlen(text), at, &line, &column);
    assert_int_equal(line, 3);
    assert_int_equal(column, 2);
    assert_int_equal(json_find_offset(text, strlen(text), &deep, 1, &at), 3);
    assert_memory_equal(text + at, "\"\\u00e4", 7);
    assert_int_equal(json_find_offset(text, strlen(text), &missing, 0, &at), 1);
    assert_memory_equal(text + at, "[ \"]", 4);
    assert_int_equal(json_find_offset(text, strlen(text), &empty, 0, &at), 2);
    assert_int_equal(json_find_offset(text, strlen(text), &b, 0, &at), 1);
    assert_memory_equal(text + at, "{ }", 3);
    for (size_t size = 0; size < strlen(text); ++size) { // truncated anywhere: it stays inside
        json_find_offset(text, size, &deep, 0, &at);
        assert_true(at <= size);
    }
}

// ---- mutations --------------------------------------------------------------------------------------

// Bytes of a valid scene are changed, removed, duplicated: the result is a scene or a note, never both or
// neither.
static void mutations_never_crash(void **state)
{
    (void)state;
    const size_t size = strlen(GOOD);
    char *text = malloc(2 * size);
    uint64_t seed = 42;
    int fine = 0;
    for (int round = 0; round < 20000; ++round) {
        size_t n = size;
        memcpy(text, GOOD, n);
        for (uint64_t edits = 1 + splitmix64(&seed) % 4; edits > 0; --edits) {
            const size_t at = splitmix64(&seed) % n, length = splitmix64(&seed) % 8;
            const uint64_t what = splitmix64(&seed) % 4;
            if (what == 0) text[at] = (char)splitmix64(&seed);
            if (what == 1) text[at] = "{}[],:\"0-.e\\tn"[splitmix64(&seed) % 14];
            if (what == 2 && at + length < n) {
                memmove(text + at, text + at + length, n - at - length);
                n -= length;
            }
            if (what == 3 && n + length < 2 * size && at + length <= n) {
                memmove(text + at + length, text + at, n - at);
                n += length;
            }
        }
        tarn_scene *scene;
        tarn_diagnostics diagnostics = {0};
        const tarn_result r = tarn_scene_parse("m.json", text, n, &scene, &diagnostics);
        assert_true(r == TARN_OK ? scene && diagnostics.count == 0
                                 : r == TARN_BAD_INPUT && !scene && diagnostics.count > 0);
        fine += r == TARN_OK;
        tarn_scene_destroy(scene);
        tarn_diagnostics_free(&diagnostics);
    }
    assert_true(fine > 100); // otherwise the mutations would test the syntax only
    free(text);
}

static int allocations_left;

static void *scarce_malloc(size_t size) { return allocations_left-- > 0 ? malloc(size) : NULL; }

// Without memory the result is TARN_NO_MEMORY at any allocation; an existing scene stays valid.
static void missing_memory_is_reported(void **state)
{
    (void)state;
    tarn_result r = TARN_NO_MEMORY;
    tarn_diagnostics diagnostics = {0};
    tarn_scene *scene = NULL;
    char *text = NULL;
    int n;

    json_set_alloc_funcs(scarce_malloc, free);
    for (n = 0; !scene; ++n) {
        allocations_left = n;
        r = parse(GOOD, &scene, &diagnostics);
        assert_int_equal(r, scene ? TARN_OK : TARN_NO_MEMORY);
    }
    assert_true(n > 100); // it fails at many places
    for (n = 0, r = TARN_NO_MEMORY; r != TARN_OK; ++n) {
        allocations_left = n;
        r = tarn_scene_set(scene, "run.duration", tarn_value_number(1), &diagnostics);
        assert_true(r == TARN_OK || r == TARN_NO_MEMORY);
        tarn_scene_info info;
        CHECK_OK(tarn_scene_get_info(scene, &info));
        assert_true(info.duration == (r == TARN_OK ? 1.0 : 3.0));
    }
    for (n = 0; !text; ++n) {
        allocations_left = n;
        text = tarn_scene_write(scene);
    }
    tarn_text_free(text);
    for (n = 0, text = NULL; !text; n += 1 + n / 8) { // thousands of pieces: not every one is tried
        allocations_left = n;
        text = tarn_scene_schema();
    }
    tarn_text_free(text);
    json_set_alloc_funcs(malloc, free);
    tarn_scene_destroy(scene);
    assert_int_equal(diagnostics.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_names_its_place),
        cmocka_unit_test(errors_come_in_file_order),
        cmocka_unit_test(errors_are_limited_in_number),
        cmocka_unit_test(deep_nesting_large_files_and_zero_bytes_are_rejected),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(json_offsets_are_found_in_unusual_text),
        cmocka_unit_test(mutations_never_crash),
        cmocka_unit_test(missing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
