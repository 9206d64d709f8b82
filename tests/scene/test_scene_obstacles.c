// Obstacles of a scene file: maps from rows of text and from images, paths, and errors with their
// places.
#define _XOPEN_SOURCE 700
#include "check.h"
#include "first_obstacle.h"
#include "scene_text.h"

#include <png.h>

#define FLOW                                                                               \
    "{\"version\": 2, \"fluid\": {\"model\": \"flow\", \"size\": [5, 3], \"cells\": [20, " \
    "12]},\n\"obstacles\": [\n"
#define MAP FLOW "{\"kind\": \"bitmap\", \"size\": [5, 3],\n"

static char folder[] = "/tmp/tarn_obstacles_XXXXXX";

static void path_of(char path[128], const char *name) { snprintf(path, 128, "%s/%s", folder, name); }

// Grey pixels, the first row on top.
static int write_png(const char *name, int wide, int high, const unsigned char *pixels)
{
    char path[128];
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)wide,
                       .height = (png_uint_32)high,
                       .format = PNG_FORMAT_GRAY};
    path_of(path, name);
    return png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
}

static const char *const files[] = {"map.png", "wide.png", "high.png", "bad.png", "a.json", ""};

static int make_folder(void **state)
{
    // 127 is darker than half of 255, 128 is not.
    static const unsigned char pixels[15] = {0,   255, 255,    127, 128, /**/ 128, 128, 0,
                                             255, 127, /**/ 0, 200, 200, 200,      100};
    static unsigned char many[TARN_MAX_BITMAP_SIDE + 1];
    char path[128];
    (void)state;
    if (!mkdtemp(folder) || !write_png("map.png", 5, 3, pixels) ||
        !write_png("wide.png", TARN_MAX_BITMAP_SIDE + 1, 1, many) ||
        !write_png("high.png", 1, TARN_MAX_BITMAP_SIDE + 1, many))
        return -1;
    path_of(path, "bad.png");
    FILE *f = fopen(path, "w");
    return f && fputs("no picture", f) >= 0 && fclose(f) == 0 ? 0 : -1;
}

static int drop_folder(void **state)
{
    char path[128];
    (void)state;
    for (int i = 0; i < COUNT(files); ++i) {
        path_of(path, files[i]);
        remove(path);
    }
    return 0;
}

// A scene from memory with the folder of the test.
static tarn_result build(const char *text, tarn_world **world, tarn_diagnostics *diagnostics)
{
    char name[128];
    tarn_scene *scene;
    *world = NULL;
    path_of(name, "a.json");
    tarn_result r = tarn_scene_parse(name, text, strlen(text), &scene, diagnostics);
    if (r == TARN_OK) r = tarn_scene_create_world(scene, NULL, world, diagnostics);
    tarn_scene_destroy(scene);
    return r;
}

// ---- bitmaps --------------------------------------------------------------------------------------------

// Lines and pixels stand from top to bottom, the fluid from bottom to top. A dot or a blank is fluid, any
// other sign is solid.
static void bitmaps_are_solid_where_they_are_dark(void **state)
{
    static const char *const texts[] = {MAP "\"bitmap\": [\"#. x.\",\n\"..#.#\",\n\"0   Q\"]}]}",
                                        MAP "\"file\": \"map.png\"}]}"};
    static const char *const want[3] = {"#...#", "..#.#", "#..#."}; // from below
    (void)state;
    for (int k = 0; k < COUNT(texts); ++k) {
        tarn_world *w;
        tarn_diagnostics diagnostics = {0};
        tarn_frame f = {0};
        CHECK_OK(build(texts[k], &w, &diagnostics));
        assert_int_equal(diagnostics.count, 0);
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        CHECK_OK(tarn_world_get_frame(w, 1.0, &f));
        for (int j = 0; j < 12; ++j)
            for (int i = 0; i < 20;
                 ++i) { // each sign is 4 x 4 cells; Simpson's rule takes 1/12 for a solid side
                const float open = f.open[20 * j + i];
                assert_true(want[j / 4][i / 4] == '#' ? open == 0.0f : open > 0.66f);
            }
        tarn_frame_free(&f);
        tarn_world_destroy(w);
        tarn_diagnostics_free(&diagnostics);
    }
}

// A scene that is named without a folder finds its files beside it, where the program was started.
static void files_lie_beside_the_scene(void **state)
{
    static const char text[] = MAP "\"file\": \"map.png\"}]}";
    char here[4096];
    tarn_scene *scene = NULL;
    tarn_world *w = NULL;
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    FILE *f = fopen("a.json", "w");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
    const tarn_result r = tarn_scene_read("a.json", &scene, NULL);
    const tarn_result made = r == TARN_OK ? tarn_scene_create_world(scene, NULL, &w, NULL) : r;
    assert_int_equal(chdir(here), 0);
    CHECK_OK(made);
    tarn_scene_destroy(scene);
    tarn_world_destroy(w);
}

// A path is a table: it is where the rows say, and a repeated one comes back.
static void obstacle_paths_are_tables(void **state)
{
    tarn_world *w;
    tarn_diagnostics diagnostics = {0};
    tarn_obstacle_load l;
    (void)state;
    CHECK_OK(build(FLOW "{\"kind\": \"circle\", \"radius\": 0.5, \"repeat\": true,\n"
                        "\"path\": [[0, 2, 1, 0], [0.5, 3, 1.5, 90], [1, 2, 1, 0]]}],\n"
                        "\"run\": {\"dt\": 0.0625}}",
                   &w, &diagnostics));
    for (int n = 1; n <= 40; ++n) {
        CHECK_OK(tarn_world_advance(w, 0.0625));
        CHECK_OK(tarn_obstacle_get_load(w, first_obstacle(w), &l));
        const double t = fmod(n / 16.0, 1.0), way = 2.0 * fmin(t, 1.0 - t); // 0 .. 1 and back each second
        CHECK_NEAR(l.x, 2.0 + way, 1e-14);
        CHECK_NEAR(l.y, 1.0 + 0.5 * way, 1e-14);
        CHECK_NEAR(l.angle, way * acos(0.0), 1e-14);
    }
    tarn_world_destroy(w);
    tarn_diagnostics_free(&diagnostics);
}

// ---- errors ---------------------------------------------------------------------------------------------

static void check_refusal(const char *text, tarn_result result, const char *path, const char *words)
{
    tarn_world *w;
    tarn_diagnostics diagnostics = {0};
    assert_int_equal(build(text, &w, &diagnostics), result);
    assert_null(w);
    assert_int_equal(diagnostics.count, 1);
    if (strcmp(diagnostics.list[0].path, path) != 0 || !strstr(diagnostics.list[0].message, words))
        fail_msg("expected %s: %s\n     but got %s: %s", path, words, diagnostics.list[0].path,
                 diagnostics.list[0].message);
    tarn_diagnostics_free(&diagnostics);
}

static void bad_bitmap_rows_are_reported(void **state)
{
    static const struct {
        const char *rows, *path, *words;
    } cases[] = {
        {"\"##\"", "obstacles[0].bitmap", "expected an array of strings"},
        {"[]", "obstacles[0].bitmap", "bitmap of 0 rows of 0 characters; expected 1 to 4096 of each"},
        {"[\"\"]", "obstacles[0].bitmap", "bitmap of 1 rows of 0 characters"},
        {"[7]", "obstacles[0].bitmap", "bitmap of 1 rows of 0 characters"},
        {"[\"#.\", \"#\"]", "obstacles[0].bitmap[1]", "row has 1 characters, the first row 2"},
        {"[\"#.\", \"##\", \"...\"]", "obstacles[0].bitmap[2]", "row has 3 characters, the first row 2"},
        {"[\"#.\", 2]", "obstacles[0].bitmap[1]", "expected a string"},
    };
    char text[512];
    (void)state;
    for (int k = 0; k < COUNT(cases); ++k) {
        snprintf(text, sizeof text, MAP "\"bitmap\": %s}]}", cases[k].rows);
        check_refusal(text, TARN_BAD_INPUT, cases[k].path, cases[k].words);
    }
    // No more lines than there may be, and none that is longer.
    char *large = malloc(8 * TARN_MAX_BITMAP_SIDE + sizeof text);
    assert_non_null(large);
    char *end = large + sprintf(large, MAP "\"bitmap\": [\"#\"");
    for (int n = 0; n < TARN_MAX_BITMAP_SIDE; ++n) end += sprintf(end, ",\"#\"");
    strcpy(end, "]}]}");
    check_refusal(large, TARN_BAD_INPUT, "obstacles[0].bitmap", "bitmap of 4097 rows of 1 characters");
    end = large + sprintf(large, MAP "\"bitmap\": [\"");
    memset(end, '#', TARN_MAX_BITMAP_SIDE + 1);
    strcpy(end + TARN_MAX_BITMAP_SIDE + 1, "\"]}]}");
    check_refusal(large, TARN_BAD_INPUT, "obstacles[0].bitmap", "bitmap of 1 rows of 4097 characters");
    free(large);
}

static void bad_images_are_reported(void **state)
{
    (void)state;
    check_refusal(MAP "\"file\": \"none.png\"}]}", TARN_IO, "obstacles[0].file", "no file 'none.png'");
    check_refusal(MAP "\"file\": \"bad.png\"}]}", TARN_BAD_INPUT, "obstacles[0].file", "not a PNG");
    check_refusal(MAP "\"file\": \"wide.png\"}]}", TARN_BAD_INPUT, "obstacles[0].file",
                  "too many pixels: 4097 x 1, limit 4096 in each direction");
    check_refusal(MAP "\"file\": \"high.png\"}]}", TARN_BAD_INPUT, "obstacles[0].file",
                  "too many pixels: 1 x 4097");
    check_refusal(MAP "\"file\": \"map.png\", \"bitmap\": [\"#\"]}]}", TARN_BAD_INPUT, "obstacles[0]",
                  "\"file\" and \"bitmap\" both give the solid cells; remove one");
    check_refusal(FLOW "{\"kind\": \"bitmap\"}]}", TARN_BAD_INPUT, "obstacles[0].bitmap",
                  "expected 1 to 4096 cells");
    check_refusal(FLOW "{\"kind\": \"box\", \"bitmap\": [\"#\"]}]}", TARN_BAD_INPUT, "obstacles[0].bitmap",
                  "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bitmaps_are_solid_where_they_are_dark),
        cmocka_unit_test(files_lie_beside_the_scene),
        cmocka_unit_test(obstacle_paths_are_tables),
        cmocka_unit_test(bad_bitmap_rows_are_reported),
        cmocka_unit_test(bad_images_are_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
