// tarn render: simulate a scene and draw it, without a window.
#define _POSIX_C_SOURCE 200809L
#include "apps/cli/commands.h"
#include "apps/cli/output/accumulate.h"
#include "apps/cli/output/progress.h"
#include "apps/cli/output/sampling.h"
#include "apps/cli/output/summary.h"
#include "apps/common/app.h"
#include "apps/common/scene_camera.h"
#include "apps/common/video.h"
#include "draw/draw.h"
#include "draw/plot/colormap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    LEAST_SIZE = 16,
    MOST_SIZE = 8192,
    MOST_FPS = 240,
    MOST_NAMES = 64,
    MOST_SAMPLES = 8,
    MOST_MOMENTS = 64
};

struct render {
    // asked for
    const char *output, *size, *view_name, *range, *map;
    int arrows, streamlines;
    double time; // [s], negative: the scene's
    int fps, fast, threads, quiet, force;
    int samples, moments; // along the side of a pixel; of a shutter
    double contours, low, high;
    struct option_list sets;
    // at work
    char path[OUTPUT_PATH], name[256];
    tarn_scene *scene;
    tarn_scene_facts facts;
    tarn_world *world;
    struct draw *draw;
    struct draw_view view;
    struct film film;
    struct pace pace;
    struct progress progress;
    tarn_frame frame;
    struct exposure exposure;
    int finished;                             // the film has its name
    long long total, done;                    // steps
    double start, stepping, drawing, writing; // [s] clock at the start; time spent
    tarn_ledger at_start;
};

// ---- what is wanted -------------------------------------------------------------------------------

// Views or colour maps, by name.
typedef const char *(*names_at)(int index);

static void list_names(names_at at, char *list, size_t size)
{
    size_t used = 0, line = 0;

    list[0] = '\0';
    for (int i = 0; at(i) && used < size; ++i) {
        const char *gap = !i ? "" : line > 80 ? ",\n  " : ", ";
        const size_t more = (size_t)snprintf(list + used, size - used, "%s%s", gap, at(i));
        line = gap[0] && gap[1] == '\n' ? more : line + more;
        used += more;
    }
}

static const char about_format[] =
    "Simulates a scene and draws it, without a window. SCENE is a file, or a name from `tarn scenes`.\n"
    "What is written follows from the name that -o gives:\n"
    "  pond.mp4, pond.webm, pond.gif   a video (needs the program ffmpeg)\n"
    "  frames/%%04d.png                 a picture every 1/FPS seconds, numbered from 0\n"
    "  pond.png                        one picture, at --time, or when the scene says (view.moment), or of "
    "its end\n"
    "Views: %s.\n"
    "Colour maps of fields, turned round with _r behind the name:\n  %s.\n"
    "A scene may choose its view, see docs/scene-format.md. A file gets its name when it is complete. "
    "Ctrl-C\n"
    "completes a video with the frames so far; a second Ctrl-C quits at once. Files that tarn made are\n"
    "replaced, others only with -f.\n";

static int read_options(struct render *r, int argc, char **argv)
{
    char views[512], maps[1024], about[4096];
    const struct usage usage = {"tarn render SCENE [options]", about,
                                "  tarn render pond -o pond.mp4\n"
                                "  tarn render pond -o pond.gif --size 480x270 --fast --fps 20 --time 6\n"
                                "  tarn render waves -o frames/%04d.png --view top\n"
                                "  tarn render tank -o tank.png --time 2.5 --set bodies[0].density=300\n",
                                1, 1};
    const struct option options[] = {
        {OPTION_TEXT, "output", 'o', "FILE", &r->output, 0, 0, "what to write (out/SCENE.mp4)"},
        {OPTION_TEXT, "size", 0, "WxH", &r->size, 0, 0, "pixels (1280x720; from above 960x960)"},
        {OPTION_INTEGER, "fps", 0, "N", &r->fps, 1, MOST_FPS, "pictures a second (30)"},
        {OPTION_TEXT, "view", 0, "NAME", &r->view_name, 0, 0, "what to show (the scene's view.name)"},
        {OPTION_TEXT, "range", 0, "LO:HI", &r->range, 0, 0, "colours of a field (each picture's own range)"},
        {OPTION_TEXT, "map", 0, "NAME", &r->map, 0, 0, "colour map of a field (each field's own)"},
        {OPTION_FLAG, "arrows", 0, NULL, &r->arrows, 0, 0, "arrows of the velocity over a field"},
        {OPTION_FLAG, "streamlines", 0, NULL, &r->streamlines, 0, 0, "streamlines over a field"},
        {OPTION_NUMBER, "contours", 0, "M", &r->contours, 0, 1e6,
         "contour lines of the ground, one every M metres of height (0: none)"},
        {OPTION_INTEGER, "supersample", 0, "N", &r->samples, 1, MOST_SAMPLES,
         "draw N times as wide and high, and shrink: smoother edges (1)"},
        {OPTION_INTEGER, "motion-blur", 0, "N", &r->moments, 1, MOST_MOMENTS,
         "each picture the mean of N moments of the half frame before it (1)"},
        {OPTION_FLAG, "fast", 0, NULL, &r->fast, 0, 0,
         "plainer and quicker, for machines without a graphics card"},
        {OPTION_NUMBER, "time", 0, "S", &r->time, 0, 1e9, "simulate S seconds (the scene's run.time)"},
        {OPTION_INTEGER, "threads", 0, "N", &r->threads, 1, MOST_THREADS,
         "as many threads (one per processor, at most 8); the same results"},
        {OPTION_LIST, "set", 0, "KEY=VALUE", &r->sets, 0, 0, "change a value of the scene; may be repeated"},
        {OPTION_FLAG, "quiet", 'q', NULL, &r->quiet, 0, 0, "no progress, no remarks"},
        {OPTION_FLAG, "force", 'f', NULL, &r->force, 0, 0, "replace files of others"},
        {OPTION_END, NULL, 0, NULL, NULL, 0, 0, NULL},
    };
    int words;

    list_names(draw_view_name, views, sizeof views);
    list_names(colormap_name, maps, sizeof maps);
    snprintf(about, sizeof about, about_format, views, maps);
    return options_read(&usage, options, argc, argv, &words);
}

// "640x360", nothing else.
static int read_size(const char *text, struct film *film)
{
    char *end = NULL;
    const long w = text[0] >= '1' && text[0] <= '9' ? strtol(text, &end, 10) : 0;
    const long h = end && *end == 'x' && end[1] >= '1' && end[1] <= '9' ? strtol(end + 1, &end, 10) : 0;

    if (h == 0 || *end)
        return complain(TARN_BAD_ARGUMENT, "--size %s: width and height are wanted, as in 640x360", text);
    if (w < LEAST_SIZE || h < LEAST_SIZE || w > MOST_SIZE || h > MOST_SIZE)
        return complain(TARN_BAD_ARGUMENT, "--size %s: outside %d .. %d pixels", text, LEAST_SIZE, MOST_SIZE);
    film->width = (int)w;
    film->height = (int)h;
    return 0;
}

// "0.9:1.1", nothing else.
static int read_range(struct render *r)
{
    const char *text = r->range;
    char *end = NULL;

    r->low = strtod(text, &end);
    if (end != text && *end == ':') {
        const char *second = end + 1;
        r->high = strtod(second, &end);
        if (end != second && !*end && r->low < r->high && fabs(r->low) < 1e30 && fabs(r->high) < 1e30)
            return 0;
    }
    return complain(TARN_BAD_ARGUMENT, "--range %s: two numbers are wanted, the smaller first, as in 0.9:1.1",
                    text);
}

// 0 if there is a view or colour map of this name, otherwise `code` after telling.
static int check_name(names_at at, const char *what, const char *name, int code, const char *who)
{
    const char *names[MOST_NAMES + 1] = {0};
    char list[1024];

    for (int i = 0; i < MOST_NAMES && at(i); ++i) {
        names[i] = at(i);
        if (strcmp(name, names[i]) == 0) return 0;
    }
    list_names(at, list, sizeof list);
    const char *meant = nearest_name(name, names);
    if (meant)
        return complain(code, "%s: unknown %s '%s'; did you mean %s? (%s)", who, what, name, meant, list);
    return complain(code, "%s: unknown %s '%s'; there are %s", who, what, name, list);
}

static int check_view(const char *name, int code, const char *who)
{
    return check_name(draw_view_name, "view", name, code, who);
}

static int check_map(const char *name, int code, const char *who)
{
    unsigned char rgb[256][3];
    return colormap_table(name, rgb) ? 0 : check_name(colormap_name, "colour map", name, code, who);
}

// The scene's view, or the one of an option; other options win over the scene, whose range and map are meant for its own.
static int choose_view(struct render *r)
{
    char who[320];
    const char *own = r->facts.view[0] ? r->facts.view : draw_view_name(0);
    struct draw_view *v = &r->view;

    snprintf(who, sizeof who, "%s: view.name", r->name);
    int code = check_view(own, TARN_BAD_INPUT, who);
    if (code != 0) return code;
    look_choose(&r->facts, r->view_name, v);
    snprintf(who, sizeof who, "%s: view.map", r->name);
    if (v->colormap[0] && !r->map) code = check_map(v->colormap, TARN_BAD_INPUT, who);
    if (r->map) snprintf(v->colormap, sizeof v->colormap, "%.*s", (int)sizeof v->colormap - 1, r->map);
    if (r->range) v->range_min = r->low, v->range_max = r->high;
    v->arrows = v->arrows || r->arrows;
    v->streamlines = v->streamlines || r->streamlines;
    v->contours = r->contours;
    return code;
}

static int plan_output(struct render *r)
{
    static char own[300]; // the film keeps the pointer

    if (!r->output) {
        snprintf(own, sizeof own, "out/%s.mp4", r->name);
        r->output = own;
    }
    int code = film_plan(&r->film, r->output);
    if (code != 0) return code;
    const bool wide = strcmp(r->view.name, draw_view_name(0)) == 0;
    r->film.width = wide ? 1280 : 960;
    r->film.height = wide ? 720 : 960;
    r->film.fps = r->fps;
    r->film.force = r->force;
    if (r->size) code = read_size(r->size, &r->film);
    const int longest = r->film.width > r->film.height ? r->film.width : r->film.height;
    if (code == 0 && longest * r->samples > MOST_SIZE)
        return complain(TARN_BAD_ARGUMENT, "--supersample %d: %d pixels would be drawn as %d; the most is %d",
                        r->samples, longest, longest * r->samples, MOST_SIZE);
    return code == 0 ? film_check(&r->film) : code;
}

// ---- set up ---------------------------------------------------------------------------------------

static int open_draw(struct render *r)
{
    char why[256] = "";
    const struct draw_setup setup = {.api = DRAW_GL,
                                     .width = r->film.width * r->samples,
                                     .height = r->film.height * r->samples,
                                     .low_quality = r->fast != 0};

    if (exposure_begin(&r->exposure, r->film.width, r->film.height, r->samples, r->moments) != 0)
        return complain(TARN_NO_MEMORY, "%s", result_text(TARN_NO_MEMORY));
    r->draw = draw_create(&setup, why);
    return r->draw ? 0 : complain(TARN_FAILED, "%s", *why ? why : "there is nothing to draw with");
}

static int open_scene(struct render *r, const char *word)
{
    int code = scene_open(word, &r->sets, &r->scene, r->path, sizeof r->path);
    if (code != 0) return code;
    scene_short_name(r->path, r->name, sizeof r->name);
    r->facts = tarn_scene_facts_of(r->scene);
    code = choose_view(r);
    if (code == 0) code = plan_output(r);
    const bool moment = r->film.kind == FILM_PICTURE && r->facts.view_moment > 0.0;
    if (r->time < 0.0) r->time = moment ? r->facts.view_moment : r->facts.time;
    r->total = (long long)ceil(r->time / r->facts.dt - 1e-6); // 10 s of 1/60 s are 600, not 601
    return code;
}

static int prepare(struct render *r, const char *word)
{
    int code = r->view_name ? check_view(r->view_name, TARN_BAD_ARGUMENT, "--view") : 0;
    if (code == 0 && r->map) code = check_map(r->map, TARN_BAD_ARGUMENT, "--map");
    if (code == 0 && r->range) code = read_range(r);
    if (code == 0) code = open_scene(r, word);
    if (code != 0) return code;
    if (r->film.kind == FILM_PICTURE)
        pace_once(&r->pace, r->facts.dt, r->time);
    else if (pace_begin(&r->pace, r->facts.dt, 1.0 / r->fps, r->time) != 0)
        return complain(TARN_BAD_ARGUMENT, "--fps %d makes too many pictures", r->fps);
    pace_open(&r->pace, r->moments, 0.5 / r->fps);
    const long long pictures = r->pace.samples - r->pace.next;
    if (!r->quiet)
        remark("%s: %g s, %lld %s of %d x %d, %s", r->name, r->time, pictures,
               pictures == 1 ? "picture" : "pictures", r->film.width, r->film.height, r->view.name);
    code = open_draw(r);
    if (code != 0) return code;

    const tarn_host host = program_host(r->threads, r->quiet);
    r->threads = host.workers;
    code = scene_build(r->scene, &host, &r->world);
    if (code != 0) return code;
    if (pace_blends(&r->pace) && tarn_world_keep(r->world, 1) != TARN_OK)
        return complain(TARN_NO_MEMORY, "%s", result_text(TARN_NO_MEMORY));
    return film_open(&r->film, r->pace.samples);
}

// ---- the work -------------------------------------------------------------------------------------

static int one_moment(struct render *r, double blend)
{
    const double begin = clock_seconds(), time = pace_time(&r->pace);

    if (look_moves(&r->facts, &r->view)) look_move(&r->facts, time, &r->view);
    tarn_result result = tarn_world_frame(r->world, blend, &r->frame);
    if (result == TARN_OK) result = draw_frame(r->draw, &r->frame, &r->view);
    if (result == TARN_OK) result = draw_read_pixels(r->draw, r->exposure.rgb);
    if (result == TARN_OK) exposure_add(&r->exposure);
    r->drawing += clock_seconds() - begin;
    if (result == TARN_OK) return 0;
    return complain((int)result, "%s: drawing at %g s: %s", r->name, time, result_text(result));
}

static int one_picture(struct render *r)
{
    const double begin = clock_seconds();
    const int code = film_add(&r->film, exposure_take(&r->exposure));
    r->writing += clock_seconds() - begin;
    return code;
}

// Pictures that are due after the latest step.
static int due_pictures(struct render *r)
{
    double blend;
    int code = 0;

    while (code == 0 && pace_due(&r->pace, r->done, &blend)) {
        code = one_moment(r, blend);
        if (pace_go_on(&r->pace) && code == 0) code = one_picture(r);
    }
    return code;
}

static int one_step(struct render *r)
{
    const double before = clock_seconds();
    const tarn_result result = tarn_world_step(r->world, r->facts.dt);
    r->stepping += clock_seconds() - before;
    if (result != TARN_OK) {
        const char *trouble = tarn_world_trouble(r->world);
        return complain((int)result, "%s: step %lld: %s", r->name, r->done + 1,
                        trouble && *trouble ? trouble : result_text(result));
    }
    ++r->done;
    return due_pictures(r);
}

static int all_steps(struct render *r)
{
    int code = due_pictures(r);

    while (r->done < r->total && code == 0 && !signal_caught()) {
        code = one_step(r);
        if (code == 0) progress_update(&r->progress, r->world, (double)r->done * r->facts.dt, r->done);
    }
    bar_wipe();
    if (code == 0 && r->done < r->total) {
        code = 128 + signal_caught();
        if (!r->quiet)
            remark("stopped by a signal after step %lld; %s", r->done,
                   r->film.frames ? "completing what there is" : "no picture was due yet");
    }
    return code;
}

static const char *size_text(const char *path, char *text, size_t size)
{
    struct stat info;

    text[0] = '\0';
    if (stat(path, &info) == 0) snprintf(text, size, ", %.3g MB", 1e-6 * (double)info.st_size);
    return text;
}

static void print_summary(struct render *r, int code)
{
    const struct film *film = &r->film;
    const struct summary summary = {
        .scene = r->name,
        .file = r->path,
        .result = code == 0               ? "ok"
                  : code == TARN_DIVERGED ? "diverged"
                  : code > 128            ? "interrupted"
                                          : "failed",
        .folder = r->finished ? film->path : NULL,
        .steps = r->done,
        .dt = r->facts.dt,
        .wall = clock_seconds() - r->start,
        .stepping = r->stepping,
        .threads = r->threads,
        .exit_code = code,
        .start = r->at_start,
    };
    char bytes[32] = "";

    summary_text(&summary, r->world);
    printf("pictures    %lld of %d x %d", film->frames, film->width, film->height);
    if (film->kind != FILM_PICTURE)
        printf(", %.4g s at %d a second", (double)film->frames / film->fps, film->fps);
    printf("%s\n",
           r->finished && film->kind != FILM_SERIES ? size_text(film->path, bytes, sizeof bytes) : "");
    printf("work        %.3g s simulating, %.3g s drawing, %.3g s writing\n", r->stepping, r->drawing,
           r->writing);
}

static int simulate(struct render *r)
{
    r->progress = progress_begin(r->name, r->time, r->quiet);
    r->start = clock_seconds();
    r->at_start = tarn_world_ledger(r->world);
    int code = all_steps(r);
    // Also after a divergence or Ctrl-C: the way there is worth keeping. Not after a failed write.
    const int keep = code == 0 || code == TARN_DIVERGED || code > 128;
    if (keep && r->film.frames > 0) {
        const double begin = clock_seconds();
        const int closing = film_finish(&r->film);
        r->writing += clock_seconds() - begin;
        r->finished = closing == 0;
        if (closing != 0) code = closing;
    }
    print_summary(r, code);
    return code;
}

int command_render(int argc, char **argv)
{
    struct render r = {.time = -1.0, .fps = 30, .samples = 1, .moments = 1};

    int code = read_options(&r, argc, argv);
    if (code >= 0) return code;
    r.film.lock = -1;
    signals_catch(r.quiet);
    code = prepare(&r, argv[1]);
    if (code == 0) code = simulate(&r);
    film_close(&r.film);
    tarn_frame_free(&r.frame);
    tarn_world_destroy(r.world);
    tarn_scene_destroy(r.scene);
    draw_destroy(r.draw);
    exposure_end(&r.exposure);
    return code;
}
