// Pictures and videos of what is seen, without the panels.
#define _POSIX_C_SOURCE 200809L
#include "viewer.h"

#include <stdlib.h>
#include <unistd.h>

enum { FPS = 30, MOST_REPEATS = 15 };

// The first free name: pool-001.png.
bool capture_free_path(const struct viewer *v, const char *end, char *path, size_t size)
{
    for (int k = 1; k < 10000; ++k) {
        const int n = snprintf(path, size, "%s/%s-%03d.%s", v->output_dir, v->name, k, end);
        if (n < 0 || (size_t)n >= size) return false;
        if (access(path, F_OK) != 0) return true;
    }
    return false;
}

static bool read_picture(struct viewer *v)
{
    const size_t need = (size_t)v->width * (size_t)v->height * 3;
    if (need > v->pixels_size) {
        free(v->pixels);
        v->pixels = malloc(need);
        v->pixels_size = v->pixels ? need : 0;
    }
    return v->pixels && draw_read(v->draw, v->pixels) == TARN_OK;
}

void capture_screenshot(struct viewer *v)
{
    struct film film;
    if (!v->status.has_world || !capture_free_path(v, "png", v->screenshot_path, sizeof v->screenshot_path))
        return;
    int code = film_plan(&film, v->screenshot_path);
    film.width = v->width, film.height = v->height, film.fps = FPS;
    if (code == 0) code = film_open(&film, 1);
    if (code == 0 && read_picture(v)) code = film_add(&film, v->pixels);
    if (code == 0) code = film_finish(&film);
    film_close(&film);
    if (code == 0)
        viewer_message(v, "saved %s", v->screenshot_path);
    else
        viewer_message(v, "the picture could not be saved; the terminal says why");
}

void capture_end_video(struct viewer *v)
{
    if (!v->recording_video) return;
    v->recording_video = false;
    const bool any = v->video.frames > 0;
    const int code = film_finish(&v->video);
    film_close(&v->video);
    if (code == 0 && any)
        viewer_message(v, "saved %s", v->video_path);
    else
        viewer_message(v, "the video could not be saved; the terminal says why");
}

void capture_toggle_video(struct viewer *v)
{
    if (v->recording_video) {
        capture_end_video(v);
        return;
    }
    if (!v->status.has_world || !capture_free_path(v, "mp4", v->video_path, sizeof v->video_path)) return;
    int code = film_plan(&v->video, v->video_path);
    v->video.width = v->width, v->video.height = v->height, v->video.fps = FPS;
    if (code == 0) code = film_check(&v->video);
    if (code == 0) code = film_open(&v->video, 1);
    v->recording_video = code == 0;
    v->video_start = v->clock;
    if (code == 0)
        viewer_message(v, "recording; R ends it");
    else
        film_close(&v->video), viewer_message(v, "no video: is ffmpeg installed? the terminal says why");
}

// As many pictures as are due: one that is drawn late is shown longer.
void capture_video_frame(struct viewer *v)
{
    if (!v->recording_video) return;
    if (v->video.width != v->width || v->video.height != v->height) {
        capture_end_video(v);
        return;
    }
    const long long due = (long long)((v->clock - v->video_start) * FPS) + 1;
    if (v->video.frames >= due || !read_picture(v)) return;
    for (int k = 0; v->video.frames < due && k < MOST_REPEATS; ++k)
        if (film_add(&v->video, v->pixels) != 0) {
            v->recording_video = false;
            film_close(&v->video);
            viewer_message(v, "the video broke off; the terminal says why");
            return;
        }
}
