// tarn render: simulate a scene and draw it, without a window.
#define _POSIX_C_SOURCE 200809L
#include "apps/cli/commands.h"
#include "apps/cli/output/accumulate.h"
#include "apps/cli/output/sampling.h"
#include "apps/common/app.h"
#include "apps/common/images/video.h"
#include "apps/common/scene_camera.h"
#include "draw/draw.h"
#include "draw/plot/colormap.h"
#include "run_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MIN_SIZE = 16, MAX_SIZE = 8192, MAX_FPS = 240, MAX_NAMES = 64, MAX_SAMPLES = 8, MAX_SUBFRAMES = 64 };

struct render {
    // options
    const char *output, *view_name, *range, *colormap;
    int arrows, streamlines;
    int size[2];     // [pixels] 0: by the view
    double time, at; // [s] of a video, of a single image; negative: the scene's
    int fps, low_quality, threads, quiet, force;
    int samples, subframes; // per side of a pixel; instants averaged in an image
    double contours, range_min, range_max;
    struct option_list overrides;
    // state of the run
    char path[OUTPUT_PATH], name[256]; // of the scene
    tarn_scene *scene;
    tarn_scene_info info;
    tarn_world *world;
    struct run_loop loop;
    struct draw *draw;
    struct draw_view view;
    struct video video;
    struct sampler sampler;
    struct accumulator accumulator;
    tarn_frame frame;
    int committed;           // the output has its name
    double drawing, writing; // [s] time spent
    tarn_ledger start;
};

// ---- options --------------------------------------------------------------------------------------

// The name of a view or colour map; NULL past the last.
typedef const char *(*name_fn)(int index);

static void list_names(name_fn name_at, char *list, size_t size)
{
    size_t used = 0, line = 0;

    list[0] = '\0';
    for (int i = 0; name_at(i) && used < size; ++i) {
        const char *gap = !i ? "" : line > 80 ? ",\n  " : ", ";
        const size_t more = (size_t)snprintf(list + used, size - used, "%s%s", gap, name_at(i));
        line = gap[0] && gap[1] == '\n' ? more : line + more;
        used += more;
    }
}

static const char description_format[] =
    "Simulates a scene and draws it without a window. SCENE is a file, or a name from `tarn scenes`.\n"
    "The output file name determines what is written:\n"
    "  pond.mp4, pond.webm, pond.gif   a video (needs the program ffmpeg)\n"
    "  frames/%%04d.png                 images, one every 1/FPS seconds, numbered from 0\n"
    "  pond.png                        one image: at --at, else at the time given by the scene, else at\n"
    "                                  the end\n"
    "Views: %s.\n"
    "Colour maps of fields (NAME_r is reversed):\n  %s.\n"
    "A scene may choose its view, see docs/scene-format.md. A file gets its name when it is complete.\n"
    "Ctrl-C completes a video with the frames so far; a second Ctrl-C quits at once. Files that tarn\n"
    "created are replaced, others only with -f.\n";

static enum parse_result parse_render_options(struct render *r, int argc, char **argv, struct args *args)
{
    char views[512], maps[1024], description[4096];
    const struct option options[] = {
        {OPTION_TEXT, "output", 'o', "FILE", &r->output, 0, 0, "output file (out/SCENE.mp4)"},
        {OPTION_SIZE, "size", 0, "WxH", r->size, MIN_SIZE, MAX_SIZE,
         "image size in pixels (1280x720; other views than perspective 960x960)"},
        {OPTION_INTEGER, "fps", 0, "N", &r->fps, 1, MAX_FPS, "frames per second (30)"},
        {OPTION_TEXT, "view", 0, "NAME", &r->view_name, 0, 0, "view (the scene's)"},
        {OPTION_TEXT, "range", 0, "LO:HI", &r->range, 0, 0,
         "values at the ends of the colour map (the range of each image)"},
        {OPTION_TEXT, "colormap", 0, "NAME", &r->colormap, 0, 0, "colour map of a field (default: by field)"},
        {OPTION_FLAG, "arrows", 0, NULL, &r->arrows, 0, 0, "draw velocity arrows over a field"},
        {OPTION_FLAG, "streamlines", 0, NULL, &r->streamlines, 0, 0, "draw streamlines over a field"},
        {OPTION_NUMBER, "contours", 0, "M", &r->contours, 0, 1e6,
         "draw contour lines of the terrain every M metres of height (0: none)"},
        {OPTION_INTEGER, "supersample", 0, "N", &r->samples, 1, MAX_SAMPLES,
         "average N x N samples per pixel: smoother edges (1)"},
        {OPTION_INTEGER, "motion-blur", 0, "N", &r->subframes, 1, MAX_SUBFRAMES,
         "average N instants of the half frame before each image (1)"},
        {OPTION_FLAG, "low-quality", 0, NULL, &r->low_quality, 0, 0,
         "lower image quality, faster without a graphics card"},
        {OPTION_NUMBER, "duration", 0, "S", &r->time, 0, 1e9,
         "simulated time of a video in seconds (the scene's run.duration)"},
        {OPTION_NUMBER, "at", 0, "S", &r->at, 0, 1e9, "time of a single image in seconds"},
        THREADS_OPTION(&r->threads),
        SET_OPTION(&r->overrides),
        QUIET_OPTION(&r->quiet),
        FORCE_OPTION(&r->force, ""),
        OPTIONS_END,
    };
    const struct command_spec spec = {
        "tarn render SCENE [options]",
        description,
        "  tarn render pond -o pond.mp4\n"
        "  tarn render pond -o pond.gif --size 480x270 --low-quality --fps 20 --duration 6\n"
        "  tarn render waves -o frames/%04d.png --view top\n"
        "  tarn render tank -o tank.png --at 2.5 --set bodies[0].density=300\n",
        1,
        1,
        options,
    };

    list_names(draw_view_name, views, sizeof views);
    list_names(colormap_name, maps, sizeof maps);
    snprintf(description, sizeof description, description_format, views, maps);
    return parse_options(&spec, argc, argv, args);
}

// "0.9:1.1", nothing else.
static int parse_range(struct render *r)
{
    const char *text = r->range;
    char *end = NULL;

    r->range_min = strtod(text, &end);
    if (end != text && *end == ':') {
        const char *second = end + 1;
        r->range_max = strtod(second, &end);
        if (end != second && !*end && r->range_min < r->range_max && fabs(r->range_min) < 1e30 &&
            fabs(r->range_max) < 1e30)
            return 0;
    }
    return print_error(TARN_BAD_ARGUMENT,
                       "--range %s: expected two numbers, the smaller first, for example 0.9:1.1", text);
}

// 0 if there is a view or colour map of this name, otherwise `code` after an error message.
static int check_name(name_fn name_at, const char *what, const char *name, int code, const char *where)
{
    const char *names[MAX_NAMES + 1] = {0};
    char list[1024];

    for (int i = 0; i < MAX_NAMES && name_at(i); ++i) {
        names[i] = name_at(i);
        if (strcmp(name, names[i]) == 0) return 0;
    }
    list_names(name_at, list, sizeof list);
    const char *closest = closest_name(name, names);
    if (closest)
        return print_error(code, "%s: unknown %s '%s'; did you mean %s? (%s)", where, what, name, closest,
                           list);
    return print_error(code, "%s: unknown %s '%s'; expected one of: %s", where, what, name, list);
}

static int check_view(const char *name, int code, const char *where)
{
    return check_name(draw_view_name, "view", name, code, where);
}

static int check_colormap(const char *name, int code, const char *where)
{
    unsigned char rgb[256][3];
    return colormap_table(name, rgb) ? 0 : check_name(colormap_name, "colour map", name, code, where);
}

// The view of --view or of the scene. Options override the scene, whose range and colour map hold for its own
// view.
static int choose_view(struct render *r)
{
    char where[320];
    const char *own = r->info.view[0] ? r->info.view : draw_view_name(0);
    struct draw_view *v = &r->view;

    snprintf(where, sizeof where, "%s: view.mode", r->name);
    int code = check_view(own, TARN_BAD_INPUT, where);
    if (code != 0) return code;
    scene_default_view(&r->info, r->view_name, v);
    snprintf(where, sizeof where, "%s: view.colormap", r->name);
    if (v->colormap[0] && !r->colormap) code = check_colormap(v->colormap, TARN_BAD_INPUT, where);
    if (r->colormap)
        snprintf(v->colormap, sizeof v->colormap, "%.*s", (int)sizeof v->colormap - 1, r->colormap);
    if (r->range) v->range_min = r->range_min, v->range_max = r->range_max;
    v->arrows = v->arrows || r->arrows;
    v->streamlines = v->streamlines || r->streamlines;
    v->contours = r->contours;
    return code;
}

static int choose_output(struct render *r)
{
    static char path[300]; // the video keeps the pointer

    if (!r->output) {
        snprintf(path, sizeof path, "out/%s.mp4", r->name);
        r->output = path;
    }
    const int code = video_parse_path(&r->video, r->output);
    if (code != 0) return code;
    const bool perspective = strcmp(r->view.name, draw_view_name(0)) == 0;
    r->video.width = perspective ? 1280 : 960;
    r->video.height = perspective ? 720 : 960;
    r->video.fps = r->fps;
    r->video.force = r->force;
    if (r->size[0]) r->video.width = r->size[0], r->video.height = r->size[1];
    const int longer = r->video.width > r->video.height ? r->video.width : r->video.height;
    if (longer * r->samples > MAX_SIZE)
        return print_error(TARN_BAD_ARGUMENT, "--supersample %d: %d pixels are drawn as %d; the limit is %d",
                           r->samples, longer, longer * r->samples, MAX_SIZE);
    return video_check(&r->video);
}

// ---- set up ---------------------------------------------------------------------------------------

static int create_renderer(struct render *r)
{
    char error[256] = "";
    const struct draw_setup setup = {.api = DRAW_GL,
                                     .width = r->video.width * r->samples,
                                     .height = r->video.height * r->samples,
                                     .low_quality = r->low_quality != 0};

    if (accumulator_init(&r->accumulator, r->video.width, r->video.height, r->samples, r->subframes) != 0)
        return print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    r->draw = draw_create(&setup, error);
    return r->draw ? 0 : print_error(TARN_FAILED, "%s", *error ? error : "no OpenGL context");
}

// The end of the simulation: --at for a single image, --duration otherwise, else what the scene says.
static int choose_time(struct render *r)
{
    const bool single = r->video.kind == VIDEO_IMAGE;

    if (single && r->time >= 0.0)
        return print_error(TARN_BAD_ARGUMENT, "%s is a single image: use --at instead of --duration",
                           r->output);
    if (!single && r->at >= 0.0)
        return print_error(TARN_BAD_ARGUMENT, "%s is not a single image: use --duration instead of --at",
                           r->output);
    if (single) r->time = r->at;
    if (r->time < 0.0) r->time = single && r->info.view_moment > 0.0 ? r->info.view_moment : r->info.duration;
    return 0;
}

static int open_scene(struct render *r, const char *scene)
{
    int code = load_scene(scene, &r->overrides, &r->scene, r->path, sizeof r->path);
    if (code != 0) return code;
    scene_name_of(r->path, r->name, sizeof r->name);
    tarn_scene_get_info(r->scene, &r->info);
    code = choose_view(r);
    if (code == 0) code = choose_output(r);
    if (code == 0) code = choose_time(r);
    return code;
}

static int prepare(struct render *r, const char *scene)
{
    int code = r->view_name ? check_view(r->view_name, TARN_BAD_ARGUMENT, "--view") : 0;
    if (code == 0 && r->colormap) code = check_colormap(r->colormap, TARN_BAD_ARGUMENT, "--colormap");
    if (code == 0 && r->range) code = parse_range(r);
    if (code == 0) code = open_scene(r, scene);
    if (code != 0) return code;
    if (r->video.kind == VIDEO_IMAGE)
        sampler_init_single(&r->sampler, r->info.dt, r->time);
    else if (sampler_init(&r->sampler, r->info.dt, 1.0 / r->fps, r->time) != 0)
        return print_error(TARN_BAD_ARGUMENT, "--fps %d gives too many images", r->fps);
    sampler_set_shutter(&r->sampler, r->subframes, 0.5 / r->fps);
    const long long images = r->sampler.samples - r->sampler.next;
    if (!r->quiet)
        print_status("%s: %g s, %lld %s of %d x %d, %s", r->name, r->time, images,
                     images == 1 ? "image" : "images", r->video.width, r->video.height, r->view.name);
    code = create_renderer(r);
    if (code != 0) return code;

    const tarn_host host = app_host(r->threads, r->quiet);
    r->threads = host.workers;
    code = create_world(r->scene, &host, &r->world);
    if (code != 0) return code;
    if (sampler_needs_interpolation(&r->sampler) && tarn_world_keep_previous(r->world, 1) != TARN_OK)
        return print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    return video_open(&r->video, r->sampler.samples);
}

// ---- drawing --------------------------------------------------------------------------------------

// Draw the present state; `blend` says how far into the latest step.
static int draw_subframe(struct render *r, double blend)
{
    const double begin = monotonic_seconds(), time = sampler_time(&r->sampler);

    if (has_camera_path(&r->info, &r->view)) eval_camera_path(&r->info, time, &r->view);
    tarn_result result = tarn_world_get_frame(r->world, blend, &r->frame);
    if (result == TARN_OK) result = draw_frame(r->draw, &r->frame, &r->view);
    if (result == TARN_OK) result = draw_read_pixels(r->draw, r->accumulator.rgb);
    if (result == TARN_OK) accumulator_add(&r->accumulator);
    r->drawing += monotonic_seconds() - begin;
    if (result == TARN_OK) return 0;
    return print_error((int)result, "%s: drawing at %g s: %s", r->name, time, result_message(result));
}

static int write_image(struct render *r)
{
    const double begin = monotonic_seconds();
    const int code = video_write(&r->video, accumulator_resolve(&r->accumulator));
    r->writing += monotonic_seconds() - begin;
    return code;
}

// Draw and write the images that are due after the latest step.
static int write_due_images(void *self)
{
    struct render *r = self;
    double blend;
    int code = 0;

    while (code == 0 && sampler_is_due(&r->sampler, r->loop.done, &blend)) {
        code = draw_subframe(r, blend);
        if (sampler_advance(&r->sampler) && code == 0) code = write_image(r);
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
    const struct video *video = &r->video;
    struct summary summary = run_loop_summary(&r->loop, code);
    char bytes[32] = "";

    summary.file = r->path;
    summary.folder = r->committed ? video->path : NULL;
    summary.threads = r->threads;
    summary.start = r->start;
    summary_text(&summary, r->world);
    printf("images      %lld of %d x %d", video->frames, video->width, video->height);
    if (video->kind != VIDEO_IMAGE)
        printf(", %.4g s at %d per second", (double)video->frames / video->fps, video->fps);
    printf("%s\n", r->committed && video->kind != VIDEO_IMAGE_SEQUENCE
                       ? size_text(video->path, bytes, sizeof bytes)
                       : "");
    printf("work        simulation %.3g s, drawing %.3g s, writing %.3g s\n", r->loop.step_seconds,
           r->drawing, r->writing);
}

static int simulate(struct render *r)
{
    r->loop = (struct run_loop){
        .world = r->world,
        .name = r->name,
        .dt = r->info.dt,
        .duration = r->time,
        .quiet = r->quiet,
        .total = run_loop_count(r->time, r->info.dt),
        .after_step = write_due_images,
        .self = r,
    };
    run_loop_start(&r->loop);
    r->start = tarn_world_get_ledger(r->world);
    int code = write_due_images(r); // at the start
    if (code == 0) code = run_loop_steps(&r->loop);
    if (code > 128 && !r->quiet)
        print_status("stopped by a signal after step %lld; %s", r->loop.done,
                     r->video.frames ? "completing the output" : "no image was due yet");
    // After a divergence or Ctrl-C the images so far are kept, after a failed write they are not.
    const int keep = code == 0 || code == TARN_DIVERGED || code > 128;
    if (keep && r->video.frames > 0) {
        const double begin = monotonic_seconds();
        const int closing = video_commit(&r->video);
        r->writing += monotonic_seconds() - begin;
        r->committed = closing == 0;
        if (closing != 0) code = closing;
    }
    print_summary(r, code);
    return code;
}

static int render_main(int argc, char **argv)
{
    struct render r = {.time = -1.0, .at = -1.0, .fps = 30, .samples = 1, .subframes = 1, .video.lock = -1};
    struct args args;

    const enum parse_result parsed = parse_render_options(&r, argc, argv, &args);
    if (parsed != PARSED) return parse_exit_code(parsed);
    install_signal_handlers(r.quiet);
    int code = prepare(&r, args.positional[0]);
    if (code == 0) code = simulate(&r);
    video_close(&r.video);
    tarn_frame_free(&r.frame);
    tarn_world_destroy(r.world);
    tarn_scene_destroy(r.scene);
    draw_destroy(r.draw);
    accumulator_free(&r.accumulator);
    return code;
}

const struct command command_render = {"render", "simulate a scene; write an image, images or a video",
                                       render_main};
