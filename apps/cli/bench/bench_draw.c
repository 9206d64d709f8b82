// tarn bench draw: the time of an image, pass by pass.
//
// Times are given as multiples of the water pass at low quality, because ratios are comparable between
// machines.
#include "bench.h"
#include "draw/draw.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 360, CELLS = 128, PASSES = 32 };

static const double MAX_LOW_RATIO = 1.5, MAX_FULL_RATIO = 6.0; // time of an image over that of the water pass

static const char pond[] =
    "{ \"version\": 2,"
    "  \"fluid\": { \"model\": \"wave\", \"size\": [4, 4], \"cells\": [128, 128], \"depth\": 1 },"
    "  \"bodies\": [ { \"shape\": \"sphere\", \"radius\": 0.3, \"density\": 300, \"position\": [-0.8, 1.4, "
    "0] },"
    "    { \"shape\": \"box\", \"size\": [0.6, 0.3, 0.4], \"density\": 500, \"position\": [0.7, 1.4, 0.5] },"
    "    { \"shape\": \"sphere\", \"radius\": 0.2, \"density\": 700, \"position\": [0.3, 1.5, -0.9] } ],"
    "  \"emitters\": [ { \"kind\": \"hump\", \"position\": [1, 1], \"radius\": 0.4, \"height\": 0.15 } ] }";

// Measurement of low or full quality.
struct quality {
    const char *name;
    struct draw *draw;
    const char *passes[PASSES];
    double ms[PASSES]; // shortest time of each pass
    int count;
    double total; // [ms] sum of all passes
};

// The frame one second after the start: waves, and the bodies in the water.
static int make_frame(tarn_frame *frame, tarn_world **out)
{
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    const tarn_host host = {.workers = 1};

    int code = (int)tarn_scene_parse("bench draw", pond, sizeof pond - 1, &scene, NULL);
    if (code == 0) code = create_world(scene, &host, &world);
    for (int i = 0; i < 60 && code == 0; ++i) code = (int)tarn_world_advance(world, 1.0 / 60.0);
    if (code == 0) code = (int)tarn_world_get_frame(world, 1.0, frame);
    *out = world; // it owns the meshes of the frame
    tarn_scene_destroy(scene);
    return code == 0 ? 0 : print_error(code, "bench draw: %s", result_message((tarn_result)code));
}

static int quality_create(struct quality *m, const char *name, bool low)
{
    char why[256] = "";
    const struct draw_setup setup = {.api = DRAW_GL, .width = WIDTH, .height = HEIGHT, .low_quality = low};

    *m = (struct quality){.name = name};
    m->draw = draw_create(&setup, why);
    if (!m->draw) return print_error(TARN_FAILED, "bench draw: %s", why);
    draw_pass_times(m->draw, m->passes, m->ms, PASSES); // the renderer measures times from now on
    for (int i = 0; i < PASSES; ++i) m->ms[i] = HUGE_VAL;
    return 0;
}

static int draw_image(struct quality *m, const tarn_frame *frame)
{
    static const struct draw_view view = {.name = "perspective"};
    double ms[PASSES] = {0};

    const tarn_result r = draw_frame(m->draw, frame, &view);
    if (r != TARN_OK) return print_error((int)r, "bench draw: %s", result_message(r));
    m->count = draw_pass_times(m->draw, m->passes, ms, PASSES);
    m->total = 0.0;
    for (int i = 0; i < m->count; ++i) {
        m->ms[i] = fmin(m->ms[i], ms[i]);
        m->total += m->ms[i];
    }
    return 0;
}

static double pass_time(const struct quality *m, const char *name)
{
    for (int i = 0; i < m->count; ++i)
        if (strcmp(m->passes[i], name) == 0) return m->ms[i];
    return NAN;
}

static void report_quality(struct json_writer *json, const struct quality *m, double water)
{
    if (!json) {
        for (int i = 0; i < m->count; ++i)
            printf("%-6s %-12s %9.2f %8.2f\n", i ? "" : m->name, m->passes[i], m->ms[i], m->ms[i] / water);
        printf("%-6s %-12s %9.2f %8.2f\n", "", "total", m->total, m->total / water);
        return;
    }
    json_open(json, NULL, '{');
    json_text(json, "name", m->name);
    json_open(json, "passes", '{');
    for (int i = 0; i < m->count; ++i) json_number(json, m->passes[i], m->ms[i]);
    json_close(json);
    json_number(json, "total_ms", m->total);
    json_number(json, "total_per_water", m->total / water);
    json_close(json);
}

static int measure(struct bench_run *run, struct quality *low, struct quality *full, const tarn_frame *frame)
{
    int code = 0;

    for (int i = 0; i < run->repeats + 1 && code == 0; ++i) { // alternately; the first images are a warm-up
        code = draw_image(low, frame);
        if (code == 0) code = draw_image(full, frame);
    }
    const double water = pass_time(low, "water");
    if (code != 0) return code;
    if (run->json)
        json_open(run->json, "qualities", '[');
    else
        printf(
            "Images of %d x %d, %d^2 columns: ms, best of %d, and relative to the water pass at low quality\n"
            "       pass                ms  / water\n",
            WIDTH, HEIGHT, CELLS, run->repeats + 1);
    report_quality(run->json, low, water);
    report_quality(run->json, full, water);
    if (run->json) json_close(run->json);
    bench_add_check(run, low->total <= MAX_LOW_RATIO * water, low->total / water, MAX_LOW_RATIO,
                    "an image of low quality takes %.2f times the water pass (at most %.1f)",
                    low->total / water, MAX_LOW_RATIO);
    bench_add_check(run, full->total <= MAX_FULL_RATIO * water, full->total / water, MAX_FULL_RATIO,
                    "an image of full quality takes %.2f times the water pass (at most %.1f)",
                    full->total / water, MAX_FULL_RATIO);
    return 0;
}

static int run_draw(struct bench_run *run)
{
    tarn_frame frame = {0};
    tarn_world *world = NULL;
    struct quality low = {0}, full = {0};

    int code = quality_create(&low, "low", true);
    if (code == 0) code = quality_create(&full, "full", false);
    if (code == 0) code = make_frame(&frame, &world);
    if (code == 0) code = measure(run, &low, &full, &frame);
    draw_destroy(full.draw);
    draw_destroy(low.draw);
    tarn_frame_free(&frame);
    tarn_world_destroy(world);
    return code;
}

const struct bench bench_draw = {"draw", "one image, pass by pass, relative to the water pass", run_draw};
