// Thumbnails for the gallery page. A thread creates and simulates one world after the other; the window's
// thread, which owns the GL context, draws them. Called by gallery_page.c.
#include "thumbnails.h"

#include "../viewer.h"
#include "apps/common/scene_camera.h"

#include <epoxy/gl.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 180 };

struct thumbnails {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool started, quit;
    const struct scene_card *cards;
    int count;
    // the world that is ready to be drawn; NULL: the thread works on the next one
    tarn_world *world;
    tarn_scene *scene;
    int index;                             // of its card
    unsigned char rgb[WIDTH * HEIGHT * 3]; // pixels of the last thumbnail
};

// Simulate up to 2 s or 30 % of the run, whichever is less, but at most 1 s of real time.
static void simulate(struct thumbnails *t, const tarn_scene *scene, tarn_world *world)
{
    const double max_time = 2.0, max_clock = 1.0; // [s] simulated, real
    tarn_scene_info info = {0};
    tarn_scene_get_info(scene, &info);
    const double end = info.duration > 0.0 ? fmin(max_time, 0.3 * info.duration) : max_time,
                 start = monotonic_seconds();
    bool quit = false;
    while (!quit && tarn_world_get_status(world).time < end && monotonic_seconds() - start < max_clock &&
           tarn_world_advance(world, info.dt) == TARN_OK) {
        pthread_mutex_lock(&t->lock);
        quit = t->quit;
        pthread_mutex_unlock(&t->lock);
    }
}

static void *run_thread(void *arg)
{
    struct thumbnails *t = arg;
    const tarn_host host = {.workers = 1};
    for (int n = 0; n < 2 * t->count; ++n) { // first all scenes at their start, then all after some time
        const int k = n % t->count;
        tarn_scene *scene = NULL;
        tarn_world *world = NULL;
        if (tarn_scene_read(t->cards[k].path, &scene, NULL) == TARN_OK)
            tarn_scene_create_world(scene, &host, &world, NULL);
        if (n >= t->count && world) simulate(t, scene, world);
        pthread_mutex_lock(&t->lock);
        while (t->world && !t->quit) pthread_cond_wait(&t->wake, &t->lock);
        const bool quit = t->quit;
        if (!quit && world) t->world = world, t->scene = scene, t->index = k, world = NULL, scene = NULL;
        pthread_mutex_unlock(&t->lock);
        tarn_world_destroy(world);
        tarn_scene_destroy(scene);
        if (quit) break;
    }
    return NULL;
}

struct thumbnails *thumbnails_create(const struct scene_card *cards, int count)
{
    struct thumbnails *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->cards = cards, t->count = count;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    t->started = pthread_create(&t->thread, NULL, run_thread, t) == 0;
    return t;
}

void thumbnails_destroy(struct thumbnails *t)
{
    if (!t) return;
    pthread_mutex_lock(&t->lock);
    t->quit = true;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->lock);
    if (t->started) pthread_join(t->thread, NULL);
    tarn_world_destroy(t->world);
    tarn_scene_destroy(t->scene);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static unsigned upload(const unsigned char *rgb)
{
    GLuint id;
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D, id);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, WIDTH, HEIGHT, 0, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    return id;
}

// Draw the world with the view of its scene. @return a texture; 0: it cannot be drawn
static unsigned draw_world(struct thumbnails *t, struct draw *draw, const tarn_world *world)
{
    tarn_scene_info info = {0};
    struct draw_view view;
    tarn_frame frame = {0};
    tarn_scene_get_info(t->scene, &info);
    scene_default_view(&info, NULL, &view);
    const bool ok = tarn_world_get_frame(world, 1.0, &frame) == TARN_OK &&
                    draw_resize(draw, WIDTH, HEIGHT) == TARN_OK &&
                    draw_frame(draw, &frame, &view) == TARN_OK && draw_read_pixels(draw, t->rgb) == TARN_OK;
    tarn_frame_free(&frame);
    return ok ? upload(t->rgb) : 0;
}

void thumbnails_free_texture(unsigned texture)
{
    if (texture) glDeleteTextures(1, &(GLuint){texture});
}

bool thumbnails_next(struct thumbnails *t, struct draw *draw, int *index, unsigned *texture)
{
    if (!t) return false;
    pthread_mutex_lock(&t->lock);
    tarn_world *world = t->world; // the thread does not access it until it is NULL again
    pthread_mutex_unlock(&t->lock);
    if (!world) return false;
    *index = t->index;
    *texture = draw_world(t, draw, world);
    tarn_world_destroy(world);
    tarn_scene_destroy(t->scene);
    pthread_mutex_lock(&t->lock);
    t->world = NULL, t->scene = NULL;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->lock);
    return *texture != 0;
}
