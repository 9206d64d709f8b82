// The renderer: which passes make which view, in which order, and the buffers they draw to.
#define _POSIX_C_SOURCE 199309L // clock_gettime
#include "draw/plot/field_list.h"
#include "frame_textures.h"
#include "gl_context.h"
#include "mesh_cache.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Every pass once, and the views that are made of them. Before the water comes, the picture so far is copied
// for it.
enum { SKY, POOL, BODIES, GLASS, WATER, OVER, TOP, FIELD, PASSES, END = -1, MOST = 7 };
static const struct pass *const passes[PASSES] = {&pass_sky,         &pass_pool,  &pass_bodies,
                                                  &pass_glass_under, &pass_water, &pass_glass_above,
                                                  &pass_top,         &pass_field};

// Before every picture that is no field, in this order.
enum { EARLIES = 3 };
static const struct early *const earlies[EARLIES] = {&early_shadows, &early_caustics, &early_foam};

struct view {
    const char *name;
    int order[MOST], land[MOST]; // over a flat floor; over land
    bool from_above;
};
enum { VIEWS = 2 };
static const struct view views[VIEWS] = {
    {"perspective",
     {POOL, BODIES, SKY, GLASS, WATER, OVER, END},
     {POOL, BODIES, SKY, GLASS, WATER, OVER, END},
     false},
    {"top", {TOP, BODIES, GLASS, END}, {TOP, POOL, BODIES, GLASS, WATER, OVER, END}, true},
};
// Every other view is a field, named in fields.c.
static const struct view field_view = {"field", {FIELD, END}, {FIELD, END}, true};

// A frame buffer: colour and depth as renderbuffers (of many samples) or as textures.
struct target {
    GLuint frame, colour, depth;
    bool textures;
};

struct draw {
    struct draw_setup setup;
    const struct surface_kind *kind;
    void *surface;
    void *selves[PASSES], *early[EARLIES];
    GLuint empty_array;  // core GL draws nothing without a vertex array
    struct target work;  // where passes draw
    struct target below; // its copy for the water; not if fast
    struct target done;  // one sample a pixel, to be read; not if fast
    struct land land;
    struct maps maps;
    struct models models;
    struct camera camera; // of the last picture
    double datum;         // [m] where its heights begin
    bool timed, drawn, sheet;
    struct {                                 // the field of the last picture
        int at[2], size[2];                  // [pixels]
        double left, low, wide, tall, above; // [m] of the frame; above: higher than anything
        bool flat;
    } field;
    int time_count;
    const char *time_names[MOST + EARLIES + 2];
    double times[MOST + EARLIES + 2]; // [ms]
};

const char *draw_view_name(int index)
{
    if (index < 0) return NULL;
    return index < VIEWS ? views[index].name : field_at(index - VIEWS) ? field_at(index - VIEWS)->name : NULL;
}

static const struct view *find_view(const char *name)
{
    const size_t room = sizeof((struct draw_view *)0)->name;
    const char *known;
    for (int k = 0; memchr(name, 0, room) && (known = draw_view_name(k)) != NULL; ++k)
        if (strcmp(known, name) == 0) return k < VIEWS ? &views[k] : &field_view;
    return NULL;
}

// ---- buffers ---------------------------------------------------------------------------------------

static GLuint buffer_create(GLenum format, int width, int height, int samples)
{
    GLuint id;
    glGenRenderbuffers(1, &id);
    glBindRenderbuffer(GL_RENDERBUFFER, id);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    return id;
}

static GLuint texture_create(bool depth, int width, int height)
{
    GLuint id;
    const GLint filter = depth ? GL_NEAREST : GL_LINEAR;
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D, id);
    if (depth)
        glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, width, height, 0, GL_DEPTH_COMPONENT,
                     GL_UNSIGNED_INT, NULL);
    else
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return id;
}

// Colour always, depth if asked for.
static bool target_create(struct target *t, int width, int height, int samples, bool textures, bool depth)
{
    glGenFramebuffers(1, &t->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, t->frame);
    t->textures = textures;
    if (textures) {
        t->colour = texture_create(false, width, height);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->colour, 0);
        if (depth) {
            t->depth = texture_create(true, width, height);
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t->depth, 0);
        }
    } else {
        t->colour = buffer_create(GL_RGBA8, width, height, samples);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, t->colour);
        if (depth) {
            t->depth = buffer_create(GL_DEPTH_COMPONENT24, width, height, samples);
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, t->depth);
        }
    }
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void target_free(struct target *t)
{
    glDeleteFramebuffers(1, &t->frame);
    if (t->textures) {
        glDeleteTextures(1, &t->colour);
        glDeleteTextures(1, &t->depth);
    } else {
        glDeleteRenderbuffers(1, &t->colour);
        glDeleteRenderbuffers(1, &t->depth);
    }
    *t = (struct target){0};
}

static bool targets_create(struct draw *d, char *why)
{
    const int w = d->setup.width, h = d->setup.height;
    GLint most = 0, largest = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    const int samples = d->setup.fast || most < 2 ? 0 : (most < 4 ? most : 4);
    if (w <= largest && h <= largest && target_create(&d->work, w, h, samples, false, true) &&
        (d->setup.fast ||
         (target_create(&d->below, w, h, 0, true, true) && target_create(&d->done, w, h, 0, false, false))) &&
        glGetError() == GL_NO_ERROR)
        return true;
    snprintf(why, 256, "the driver has no room for a picture of %d x %d pixels (its limit is %d)", w, h,
             (int)largest);
    return false;
}

static void copy(const struct draw *d, const struct target *to, GLbitfield what)
{
    const int w = d->setup.width, h = d->setup.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, d->work.frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->frame);
    glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, what, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, d->work.frame);
}

// ---- create, destroy -------------------------------------------------------------------------------

struct draw *draw_create(const struct draw_setup *setup, char *why)
{
    char nowhere[256];
    if (!why) why = nowhere;
    snprintf(why, 256, "out of memory");
    if (!setup || setup->width < 16 || setup->width > 8192 || setup->height < 16 || setup->height > 8192 ||
        (setup->api != DRAW_GL && setup->api != DRAW_GLES) || !surface_kind_of(setup->place)) {
        snprintf(why, 256, "a picture is 16 .. 8192 pixels wide and high");
        return NULL;
    }
    struct draw *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->setup = *setup;
    d->kind = surface_kind_of(setup->place);
    d->surface = d->kind->create(setup->api, why);
    if (!d->surface) goto fail;
    while (glGetError() != GL_NO_ERROR) continue;
    glGenVertexArrays(1, &d->empty_array);
    if (!targets_create(d, why)) goto fail;
    for (int k = 0; k < EARLIES; ++k) {
        d->early[k] = earlies[k]->create(setup, why);
        if (!d->early[k]) goto fail;
    }
    for (int k = 0; k < PASSES; ++k) {
        d->selves[k] = passes[k]->create(setup, why);
        if (!d->selves[k]) goto fail;
    }
    why[0] = '\0';
    return d;
fail:
    draw_destroy(d);
    return NULL;
}

void draw_destroy(struct draw *d)
{
    if (!d) return;
    if (d->surface && d->kind->use(d->surface)) {
        for (int k = 0; k < PASSES; ++k)
            if (d->selves[k]) passes[k]->destroy(d->selves[k]);
        for (int k = 0; k < EARLIES; ++k)
            if (d->early[k]) earlies[k]->destroy(d->early[k]);
        models_free(&d->models);
        maps_free(&d->maps);
        land_free(&d->land);
        target_free(&d->work);
        target_free(&d->below);
        target_free(&d->done);
        glDeleteVertexArrays(1, &d->empty_array);
    }
    if (d->surface) d->kind->destroy(d->surface);
    free(d);
}

tarn_result draw_resize(struct draw *d, int width, int height)
{
    char why[256];
    if (!d || width < 16 || width > 8192 || height < 16 || height > 8192) return TARN_BAD_ARGUMENT;
    if (!d->kind->use(d->surface)) return TARN_FAILED;
    if (width == d->setup.width && height == d->setup.height) return TARN_OK;
    target_free(&d->work);
    target_free(&d->below);
    target_free(&d->done);
    d->setup.width = width, d->setup.height = height, d->drawn = false;
    return targets_create(d, why) ? TARN_OK : TARN_FAILED;
}

// ---- a picture -------------------------------------------------------------------------------------

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// Close the account of one pass: wait for the driver, note the time since `start`.
static void note_time(struct draw *d, const char *name, double *start)
{
    if (!d->timed) return;
    glFinish();
    const double end = now();
    d->time_names[d->time_count] = name;
    d->times[d->time_count++] = end - *start;
    *start = end;
}

// What must be in the picture: the basin and a little air, or the pool and its rim.
static struct extent extent_of(const struct scene_gl *s)
{
    const double t = s->thickness;
    return (struct extent){{s->pool[0] - 2 * t, s->ground, s->pool[1] - 2 * t},
                           {s->pool[2] + 2 * t, s->peak, s->pool[3] + 2 * t}};
}

static void place_camera(struct scene_gl *s)
{
    const struct extent box = extent_of(s);
    const double aspect = (double)s->width / s->height, down = s->land ? s->land->datum : 0.0;
    tarn_vec3 from = s->view->from, to = s->view->to;
    from.y -= down, to.y -= down;
    if (s->from_above)
        camera_top(&s->camera, &box, aspect);
    else
        camera_perspective(&s->camera, &box, from, to, aspect);
}

static bool frame_good(const tarn_frame *f)
{
    return f && f->nx > 0 && f->nz > 0 && f->height && f->dx > 0.0 && isfinite(f->dx) && isfinite(f->x0) &&
           isfinite(f->z0) && isfinite(f->level) && f->nx <= INT_MAX / f->nz && f->body_count >= 0 &&
           (f->bodies || !f->body_count);
}

// A caller's window leaves things as it likes.
static void begin(void)
{
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

static void begin_picture(const struct draw *d)
{
    glBindFramebuffer(GL_FRAMEBUFFER, d->work.frame);
    glViewport(0, 0, d->setup.width, d->setup.height);
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

// Samplers would go on to rule the units that they are bound to.
static void end(const struct scene_gl *s)
{
    for (GLuint k = 0; k < 2 && s->shadow_map; ++k) glBindSampler(7 + k, 0);
}

static void note_field(struct draw *d, const tarn_frame *f)
{
    field_where(d->selves[FIELD], d->field.at, d->field.size);
    d->field.left = f->x0 - 0.5 * f->dx, d->field.low = f->z0 - 0.5 * f->dx;
    d->field.wide = f->nx * f->dx, d->field.tall = f->nz * f->dx;
    d->field.above = f->level + d->field.wide + d->field.tall;
    d->field.flat = f->flat;
}

tarn_result draw_frame(struct draw *d, const tarn_frame *frame, const struct draw_view *view)
{
    if (!d || !view || !frame_good(frame)) return TARN_BAD_ARGUMENT;
    const struct view *v = find_view(view->name);
    if (!v) return TARN_BAD_ARGUMENT;
    struct draw_view front = *view;
    if (frame->flat && v != &field_view) { // there is nothing to stand on: what is seen of it is its dye
        snprintf(front.name, sizeof front.name, "dye");
        view = &front, v = &field_view;
    }
    if (!d->kind->use(d->surface)) return TARN_FAILED;
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (frame->nx > largest || frame->nz > largest) return TARN_FAILED;

    struct scene_gl s = {.frame = frame, .view = view, .width = d->setup.width, .height = d->setup.height};
    s.fast = d->setup.fast, s.gles = d->setup.api == DRAW_GLES, s.from_above = v->from_above;
    s.below_colour = d->below.colour, s.below_depth = d->below.depth;

    double start = now();
    d->time_count = 0;
    if (frame->bed && !land_fill(&d->land, frame, s.fast)) return TARN_NO_MEMORY;
    s.land = frame->bed ? &d->land : NULL, s.shown = frame->bed ? &d->land.shown : frame;
    light_place(&s);
    place_camera(&s);
    if (!maps_fill(&d->maps, &s)) return TARN_NO_MEMORY;
    s.models = &d->models;
    models_begin(s.models);
    begin();
    note_time(d, "upload", &start);
    for (int k = 0; k < EARLIES && v != &field_view; ++k) {
        glBindVertexArray(d->empty_array);
        earlies[k]->draw(d->early[k], &s);
        note_time(d, earlies[k]->name, &start);
    }
    begin_picture(d);
    for (const int *k = s.land ? v->land : v->order; *k != END; ++k) {
        if (*k == WATER && !s.fast) copy(d, &d->below, GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glBindVertexArray(d->empty_array);
        passes[*k]->draw(d->selves[*k], &s);
        note_time(d, passes[*k]->name, &start);
    }
    end(&s);
    d->camera = s.camera, d->datum = s.land ? s.land->datum : 0.0, d->sheet = v == &field_view;
    if (d->sheet) note_field(d, frame);
    if (!s.fast) copy(d, &d->done, GL_COLOR_BUFFER_BIT);
    note_time(d, "resolve", &start);
    d->drawn = glGetError() == GL_NO_ERROR;
    return d->drawn ? TARN_OK : TARN_FAILED;
}

static GLuint finished(const struct draw *d) { return d->setup.fast ? d->work.frame : d->done.frame; }

tarn_result draw_show(struct draw *d, int width, int height)
{
    if (!d || !d->drawn || d->setup.place != DRAW_HERE || width < 1 || height < 1) return TARN_BAD_ARGUMENT;
    const int w = d->setup.width, h = d->setup.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, finished(d));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, w, h, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                      w == width && h == height ? GL_NEAREST : GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return glGetError() == GL_NO_ERROR ? TARN_OK : TARN_FAILED;
}

// m times (x, y, z, 1), divided by its last; false where that is not above 0.
static bool through(const struct mat4 *m, double x, double y, double z, double out[3])
{
    double r[4];
    for (int k = 0; k < 4; ++k)
        r[k] = (double)m->m[k] * x + (double)m->m[4 + k] * y + (double)m->m[8 + k] * z + (double)m->m[12 + k];
    for (int k = 0; k < 3; ++k) out[k] = r[k] / r[3];
    return r[3] > 0.0;
}

bool draw_point(const struct draw *d, tarn_vec3 p, double *x, double *y)
{
    double at[3];
    if (d && d->drawn && d->sheet && d->field.size[0] > 0) {
        const double up = d->field.flat ? p.y : p.z;
        *x = d->field.at[0] + (p.x - d->field.left) / d->field.wide * d->field.size[0];
        *y = d->field.at[1] + (1.0 - (up - d->field.low) / d->field.tall) * d->field.size[1];
        return true;
    }
    if (!d || !d->drawn || d->sheet || !through(&d->camera.both, p.x, p.y - d->datum, p.z, at)) return false;
    *x = 0.5 * (at[0] + 1.0) * d->setup.width;
    *y = 0.5 * (1.0 - at[1]) * d->setup.height;
    return true;
}

// Straight into the plane, or down on the water.
static bool sheet_ray(const struct draw *d, double x, double y, tarn_vec3 *from, tarn_vec3 *way)
{
    const double u = (x - d->field.at[0]) / d->field.size[0],
                 v = 1.0 - (y - d->field.at[1]) / d->field.size[1];
    if (!(u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0)) return false;
    const double across = d->field.left + u * d->field.wide, up = d->field.low + v * d->field.tall;
    *from = d->field.flat ? (tarn_vec3){across, up, d->field.above} : (tarn_vec3){across, d->field.above, up};
    *way = d->field.flat ? (tarn_vec3){0.0, 0.0, -1.0} : (tarn_vec3){0.0, -1.0, 0.0};
    return true;
}

bool draw_ray(const struct draw *d, double x, double y, tarn_vec3 *from, tarn_vec3 *way)
{
    double near[3], far[3];
    if (d && d->drawn && d->sheet) return sheet_ray(d, x, y, from, way);
    if (!d || !d->drawn) return false;
    const double u = 2.0 * x / d->setup.width - 1.0, v = 1.0 - 2.0 * y / d->setup.height;
    if (!through(&d->camera.back, u, v, -1.0, near) || !through(&d->camera.back, u, v, 1.0, far))
        return false;
    const double dx = far[0] - near[0], dy = far[1] - near[1], dz = far[2] - near[2];
    const double length = sqrt(dx * dx + dy * dy + dz * dz);
    if (!(length > 0.0)) return false;
    *from = (tarn_vec3){near[0], near[1] + d->datum, near[2]};
    *way = (tarn_vec3){dx / length, dy / length, dz / length};
    return true;
}

// GLES reads four bytes a pixel at all times, GL likes it as well; GL's first row is the lowest.
tarn_result draw_read(struct draw *d, unsigned char *rgb)
{
    if (!d || !rgb || !d->drawn) return TARN_BAD_ARGUMENT;
    if (!d->kind->use(d->surface)) return TARN_FAILED;
    const size_t w = (size_t)d->setup.width, h = (size_t)d->setup.height;
    unsigned char *all = malloc(w * h * 4);
    if (!all) return TARN_NO_MEMORY;
    glBindFramebuffer(GL_FRAMEBUFFER, finished(d));
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, d->setup.width, d->setup.height, GL_RGBA, GL_UNSIGNED_BYTE, all);
    for (size_t y = 0; y < h; ++y)
        for (size_t x = 0; x < w; ++x)
            for (size_t k = 0; k < 3; ++k) rgb[(y * w + x) * 3 + k] = all[((h - 1 - y) * w + x) * 4 + k];
    free(all);
    return glGetError() == GL_NO_ERROR ? TARN_OK : TARN_FAILED;
}

int draw_times(struct draw *d, const char **names, double *ms, int most)
{
    if (!d) return 0;
    d->timed = true;
    const int count = d->time_count < most ? d->time_count : most;
    for (int k = 0; k < count; ++k) {
        if (names) names[k] = d->time_names[k];
        if (ms) ms[k] = d->times[k];
    }
    return count < 0 ? 0 : count;
}
