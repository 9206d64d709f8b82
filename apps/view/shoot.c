// Pictures and videos of what is seen, without the panels.
#define _POSIX_C_SOURCE 200809L
#include "view.h"

#include <stdlib.h>
#include <unistd.h>

enum { FPS = 30, MOST_REPEATS = 15 };

// The first free name: pool-001.png.
bool shoot_name(const struct view *v, const char *end, char *path, size_t size)
{
    for (int k = 1; k < 10000; ++k) {
        const int n = snprintf(path, size, "%s/%s-%03d.%s", v->folder, v->name, k, end);
        if (n < 0 || (size_t)n >= size) return false;
        if (access(path, F_OK) != 0) return true;
    }
    return false;
}

static bool read_picture(struct view *v)
{
    const size_t need = (size_t)v->width * (size_t)v->height * 3;
    if (need > v->pixels_size) {
        free(v->pixels);
        v->pixels = malloc(need);
        v->pixels_size = v->pixels ? need : 0;
    }
    return v->pixels && draw_read_pixels(v->draw, v->pixels) == TARN_OK;
}

void shoot_picture(struct view *v)
{
    struct film film;
    if (!v->news.there || !shoot_name(v, "png", v->shot_path, sizeof v->shot_path)) return;
    int code = film_plan(&film, v->shot_path);
    film.width = v->width, film.height = v->height, film.fps = FPS;
    if (code == 0) code = film_open(&film, 1);
    if (code == 0 && read_picture(v)) code = film_add(&film, v->pixels);
    if (code == 0) code = film_finish(&film);
    film_close(&film);
    if (code == 0)
        view_say(v, "saved %s", v->shot_path);
    else
        view_say(v, "the picture could not be saved; the terminal says why");
}

void shoot_end(struct view *v)
{
    if (!v->recording) return;
    v->recording = false;
    const bool any = v->film.frames > 0;
    const int code = film_finish(&v->film);
    film_close(&v->film);
    if (code == 0 && any)
        view_say(v, "saved %s", v->film_path);
    else
        view_say(v, "the video could not be saved; the terminal says why");
}

void shoot_toggle(struct view *v)
{
    if (v->recording) {
        shoot_end(v);
        return;
    }
    if (!v->news.there || !shoot_name(v, "mp4", v->film_path, sizeof v->film_path)) return;
    int code = film_plan(&v->film, v->film_path);
    v->film.width = v->width, v->film.height = v->height, v->film.fps = FPS;
    if (code == 0) code = film_check(&v->film);
    if (code == 0) code = film_open(&v->film, 1);
    v->recording = code == 0;
    v->film_start = v->clock;
    if (code == 0)
        view_say(v, "recording; R ends it");
    else
        film_close(&v->film), view_say(v, "no video: is ffmpeg installed? the terminal says why");
}

// As many pictures as are due: one that is drawn late is shown longer.
void shoot_frame(struct view *v)
{
    if (!v->recording) return;
    if (v->film.width != v->width || v->film.height != v->height) {
        shoot_end(v);
        return;
    }
    const long long due = (long long)((v->clock - v->film_start) * FPS) + 1;
    if (v->film.frames >= due || !read_picture(v)) return;
    for (int k = 0; v->film.frames < due && k < MOST_REPEATS; ++k)
        if (film_add(&v->film, v->pixels) != 0) {
            v->recording = false;
            film_close(&v->film);
            view_say(v, "the video broke off; the terminal says why");
            return;
        }
}
