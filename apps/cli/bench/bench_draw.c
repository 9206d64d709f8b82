// tarn bench draw: what a picture costs, pass by pass.
//
// The unit is the water alone, drawn the plain way: one pass over the surface that no picture of water can do
// without. What a picture costs beyond that is given as a ratio, which is comparable between machines.
#include "bench.h"
#include "draw/draw.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 360, CELLS = 128, PASSES = 32 };

static const double MOST_FAST = 1.5, MOST_ALL = 6.0; // times the water alone

static const char pond[] =
    "{ \"version\": 2,"
    "  \"fluid\": { \"model\": \"wave\", \"size\": [4, 4], \"cells\": [128, 128], \"depth\": 1 },"
    "  \"bodies\": [ { \"shape\": \"sphere\", \"radius\": 0.3, \"density\": 300, \"position\": [-0.8, 1.4, "
    "0] },"
    "    { \"shape\": \"box\", \"size\": [0.6, 0.3, 0.4], \"density\": 500, \"position\": [0.7, 1.4, 0.5] },"
    "    { \"shape\": \"sphere\", \"radius\": 0.2, \"density\": 700, \"position\": [0.3, 1.5, -0.9] } ],"
    "  \"emitters\": [ { \"kind\": \"hump\", \"position\": [1, 1], \"radius\": 0.4, \"height\": 0.15 } ] }";

// One way of drawing, measured.
struct manner {
    const char *name;
    struct draw *draw;
    const char *passes[PASSES];
    double ms[PASSES]; // the best of each
    int count;
    double whole; // [ms] their sum
};

// A second after the start: rings on the water, the bodies in it.
static int make_frame(tarn_frame *frame, tarn_world **out)
{
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    const tarn_host host = {.workers = 1};

    int code = (int)tarn_scene_parse("bench draw", pond, sizeof pond - 1, &scene, NULL);
    if (code == 0) code = create_world(scene, &host, &world);
    for (int i = 0; i < 60 && code == 0; ++i) code = (int)tarn_world_advance(world, 1.0 / 60.0);
    if (code == 0) code = (int)tarn_world_get_frame(world, 1.0, frame);
    *out = world; // the frame's meshes live in it
    tarn_scene_destroy(scene);
    return code == 0 ? 0 : print_error(code, "bench draw: %s", result_message((tarn_result)code));
}

static int open_manner(struct manner *m, const char *name, bool fast)
{
    char why[256] = "";
    const struct draw_setup setup = {.api = DRAW_GL, .width = WIDTH, .height = HEIGHT, .low_quality = fast};

    *m = (struct manner){.name = name};
    m->draw = draw_create(&setup, why);
    if (!m->draw) return print_error(TARN_FAILED, "bench draw: %s", why);
    draw_pass_times(m->draw, m->passes, m->ms, PASSES); // from now on the renderer keeps the time
    for (int i = 0; i < PASSES; ++i) m->ms[i] = HUGE_VAL;
    return 0;
}

static int one_picture(struct manner *m, const tarn_frame *frame)
{
    static const struct draw_view view = {.name = "perspective"};
    double ms[PASSES] = {0};

    const tarn_result r = draw_frame(m->draw, frame, &view);
    if (r != TARN_OK) return print_error((int)r, "bench draw: %s", result_message(r));
    m->count = draw_pass_times(m->draw, m->passes, ms, PASSES);
    m->whole = 0.0;
    for (int i = 0; i < m->count; ++i) {
        m->ms[i] = fmin(m->ms[i], ms[i]);
        m->whole += m->ms[i];
    }
    return 0;
}

static double pass_time(const struct manner *m, const char *name)
{
    for (int i = 0; i < m->count; ++i)
        if (strcmp(m->passes[i], name) == 0) return m->ms[i];
    return NAN;
}

static void print_manner(struct json_writer *json, const struct manner *m, double water)
{
    if (!json) {
        for (int i = 0; i < m->count; ++i)
            printf("%-6s %-12s %9.2f %8.2f\n", i ? "" : m->name, m->passes[i], m->ms[i], m->ms[i] / water);
        printf("%-6s %-12s %9.2f %8.2f\n", "", "all", m->whole, m->whole / water);
        return;
    }
    json_open(json, NULL, '{');
    json_text(json, "name", m->name);
    json_open(json, "passes", '{');
    for (int i = 0; i < m->count; ++i) json_number(json, m->passes[i], m->ms[i]);
    json_close(json);
    json_number(json, "all_ms", m->whole);
    json_number(json, "all_per_water", m->whole / water);
    json_close(json);
}

static int measure(struct bench_run *run, struct manner *fast, struct manner *full, const tarn_frame *frame)
{
    int code = 0;

    for (int i = 0; i < run->repeats + 1 && code == 0; ++i) { // in turns; the first warms up
        code = one_picture(fast, frame);
        if (code == 0) code = one_picture(full, frame);
    }
    const double water = pass_time(fast, "water");
    if (code != 0) return code;
    if (run->json)
        json_open(run->json, "manners", '[');
    else
        printf("Pictures of %d x %d, %d^2 columns: ms, best of %d, and times the plain water pass\n"
               "       pass                ms  / water\n",
               WIDTH, HEIGHT, CELLS, run->repeats + 1);
    print_manner(run->json, fast, water);
    print_manner(run->json, full, water);
    if (run->json) json_close(run->json);
    bench_add_check(run, fast->whole <= MOST_FAST * water, fast->whole / water, MOST_FAST,
                    "a fast picture takes %.2f times the water alone (at most %.1f)", fast->whole / water,
                    MOST_FAST);
    bench_add_check(run, full->whole <= MOST_ALL * water, full->whole / water, MOST_ALL,
                    "a full picture takes %.2f times the water alone (at most %.1f)", full->whole / water,
                    MOST_ALL);
    return 0;
}

static int run_draw(struct bench_run *run)
{
    tarn_frame frame = {0};
    tarn_world *world = NULL;
    struct manner fast = {0}, full = {0};

    int code = open_manner(&fast, "fast", true);
    if (code == 0) code = open_manner(&full, "full", false);
    if (code == 0) code = make_frame(&frame, &world);
    if (code == 0) code = measure(run, &fast, &full, &frame);
    draw_destroy(full.draw);
    draw_destroy(fast.draw);
    tarn_frame_free(&frame);
    tarn_world_destroy(world);
    return code;
}

const struct bench bench_draw = {"draw", "one picture, pass by pass, against the water alone", run_draw};
