// Screenshots and videos of the viewport, without the panel. Called by viewport.c and keys.c.
#define _POSIX_C_SOURCE 200809L
#include "viewer.h"

#include <stdlib.h>
#include <unistd.h>

enum { FPS = 30, MAX_REPEATS = 15 };

bool capture_free_path(const struct viewer *v, const char *extension, char *path, size_t size)
{
    for (int k = 1; k < 10000; ++k) {
        const int n = snprintf(path, size, "%s/%s-%03d.%s", v->output_dir, v->name, k, extension);
        if (n < 0 || (size_t)n >= size) return false;
        if (access(path, F_OK) != 0) return true;
    }
    return false;
}

static bool read_pixels(struct viewer *v)
{
    const size_t size = (size_t)v->width * (size_t)v->height * 3;
    if (size > v->pixels_size) {
        free(v->pixels);
        v->pixels = malloc(size);
        v->pixels_size = v->pixels ? size : 0;
    }
    return v->pixels && draw_read_pixels(v->draw, v->pixels) == TARN_OK;
}

void capture_screenshot(struct viewer *v)
{
    struct video film;
    if (!v->status.has_world || !capture_free_path(v, "png", v->screenshot_path, sizeof v->screenshot_path))
        return;
    int code = video_parse_path(&film, v->screenshot_path);
    film.width = v->width, film.height = v->height, film.fps = FPS;
    if (code == 0) code = video_open(&film, 1);
    if (code == 0 && read_pixels(v)) code = video_write(&film, v->pixels);
    if (code == 0) code = video_commit(&film);
    video_close(&film);
    if (code == 0)
        viewer_message(v, "saved %s", v->screenshot_path);
    else
        viewer_message(v, "the screenshot could not be saved; the reason is in the terminal");
}

void capture_end_video(struct viewer *v)
{
    if (!v->recording_video) return;
    v->recording_video = false;
    const bool has_frames = v->video.frames > 0;
    const int code = video_commit(&v->video);
    video_close(&v->video);
    if (code == 0 && has_frames)
        viewer_message(v, "saved %s", v->video_path);
    else
        viewer_message(v, "the video could not be saved; the reason is in the terminal");
}

void capture_toggle_video(struct viewer *v)
{
    if (v->recording_video) {
        capture_end_video(v);
        return;
    }
    if (!v->status.has_world || !capture_free_path(v, "mp4", v->video_path, sizeof v->video_path)) return;
    int code = video_parse_path(&v->video, v->video_path);
    v->video.width = v->width, v->video.height = v->height, v->video.fps = FPS;
    if (code == 0) code = video_check(&v->video);
    if (code == 0) code = video_open(&v->video, 1);
    v->recording_video = code == 0;
    v->video_start = v->clock;
    if (code == 0)
        viewer_message(v, "recording a video; R stops it");
    else
        video_close(&v->video),
            viewer_message(v, "no video: is ffmpeg installed? The reason is in the terminal");
}

// Add frames until the video has reached the present time; a late image is repeated, at most 15 times.
void capture_video_frame(struct viewer *v)
{
    if (!v->recording_video) return;
    if (v->video.width != v->width || v->video.height != v->height) {
        capture_end_video(v);
        return;
    }
    const long long due = (long long)((v->clock - v->video_start) * FPS) + 1;
    if (v->video.frames >= due || !read_pixels(v)) return;
    for (int k = 0; v->video.frames < due && k < MAX_REPEATS; ++k)
        if (video_write(&v->video, v->pixels) != 0) {
            v->recording_video = false;
            video_close(&v->video);
            viewer_message(v, "recording the video failed; the reason is in the terminal");
            return;
        }
}
