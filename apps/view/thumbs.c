// Small pictures for the start page. Worlds are built in a thread of their own, one at a time; the window draws them.
#include "thumbs.h"

#include "../cli/look.h"
#include "view.h"

#include <epoxy/gl.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 180 };

struct thumbs {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool started, quit;
    const struct scene_card *cards;
    int count;
    // one that is ready to be drawn; NULL: the thread is at work
    tarn_world *world;
    tarn_scene *scene;
    int which;
};

// Until there is something to see, or it has taken long enough.
static void run_on(struct thumbs *t, const tarn_scene *scene, tarn_world *world)
{
    const double most = 2.0, long_enough = 1.0; // [s] of the scene and of the clock
    const tarn_scene_facts facts = tarn_scene_facts_of(scene);
    const double end = facts.time > 0.0 ? fmin(most, 0.3 * facts.time) : most, begin = clock_seconds();
    bool quit = false;
    while (!quit && tarn_world_status(world).time < end && clock_seconds() - begin < long_enough &&
           tarn_world_step(world, facts.dt) == TARN_OK) {
        pthread_mutex_lock(&t->lock);
        quit = t->quit;
        pthread_mutex_unlock(&t->lock);
    }
}

static void *run(void *arg)
{
    struct thumbs *t = arg;
    const tarn_host host = {.workers = 1};
    for (int n = 0; n < 2 * t->count; ++n) { // all as they begin, then as they go on
        const int k = n % t->count;
        tarn_scene *scene = NULL;
        tarn_world *world = NULL;
        if (tarn_scene_read(t->cards[k].path, &scene, NULL) == TARN_OK)
            tarn_scene_world(scene, &host, &world, NULL);
        if (n >= t->count && world) run_on(t, scene, world);
        pthread_mutex_lock(&t->lock);
        while (t->world && !t->quit) pthread_cond_wait(&t->wake, &t->lock);
        const bool quit = t->quit;
        if (!quit && world) t->world = world, t->scene = scene, t->which = k, world = NULL, scene = NULL;
        pthread_mutex_unlock(&t->lock);
        tarn_world_destroy(world);
        tarn_scene_destroy(scene);
        if (quit) break;
    }
    return NULL;
}

struct thumbs *thumbs_create(const struct scene_card *cards, int count)
{
    struct thumbs *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->cards = cards, t->count = count;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    t->started = pthread_create(&t->thread, NULL, run, t) == 0;
    return t;
}

void thumbs_destroy(struct thumbs *t)
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

// The beginning of a scene, as it wants to be seen. 0: it cannot be drawn.
static unsigned draw_world(struct draw *draw, const tarn_scene *scene, const tarn_world *world)
{
    static unsigned char rgb[WIDTH * HEIGHT * 3];
    const tarn_scene_facts facts = tarn_scene_facts_of(scene);
    struct draw_view look;
    tarn_frame frame = {0};
    look_choose(&facts, NULL, &look);
    const bool good = tarn_world_frame(world, 1.0, &frame) == TARN_OK &&
                      draw_resize(draw, WIDTH, HEIGHT) == TARN_OK &&
                      draw_frame(draw, &frame, &look) == TARN_OK && draw_read_pixels(draw, rgb) == TARN_OK;
    tarn_frame_free(&frame);
    return good ? upload(rgb) : 0;
}

void thumbs_forget(unsigned texture)
{
    if (texture) glDeleteTextures(1, &(GLuint){texture});
}

bool thumbs_next(struct thumbs *t, struct draw *draw, int *which, unsigned *texture)
{
    if (!t) return false;
    pthread_mutex_lock(&t->lock);
    tarn_world *world = t->world; // the thread leaves it alone
    pthread_mutex_unlock(&t->lock);
    if (!world) return false;
    *which = t->which;
    *texture = draw_world(draw, t->scene, world);
    tarn_world_destroy(world);
    tarn_scene_destroy(t->scene);
    pthread_mutex_lock(&t->lock);
    t->world = NULL, t->scene = NULL;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->lock);
    return *texture != 0;
}
