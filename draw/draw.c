// The renderer: which passes make up which view, in which order, and the framebuffers they draw to.
// draw_frame() is the path from a frame to an image: upload_frame, draw_prepasses, draw_passes, resolve.
#define _POSIX_C_SOURCE 199309L // clock_gettime
#include "frame_textures.h"
#include "gl_context.h"
#include "mesh_cache.h"
#include "plot/field_list.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The table of passes, and the views as lists of passes. The image is copied for refraction before
// PASS_WATER.
enum {
    PASS_SKY,
    PASS_POOL,
    PASS_BODIES,
    PASS_GLASS_SUBMERGED,
    PASS_WATER,
    PASS_GLASS_DRY,
    PASS_TOP_VIEW,
    PASS_FIELD_PLOT,
    PASS_COUNT,
    PASS_END = -1,
    MAX_VIEW_PASSES = 7
};
static const struct pass *const passes[PASS_COUNT] = {
    [PASS_SKY] = &pass_sky,           [PASS_POOL] = &pass_pool,
    [PASS_BODIES] = &pass_bodies,     [PASS_GLASS_SUBMERGED] = &pass_glass_submerged,
    [PASS_WATER] = &pass_water,       [PASS_GLASS_DRY] = &pass_glass_dry,
    [PASS_TOP_VIEW] = &pass_top_view, [PASS_FIELD_PLOT] = &pass_field_plot,
};

// These run before every image except a field plot, in this order.
enum { PREPASS_COUNT = 3 };
static const struct prepass *const prepasses[PREPASS_COUNT] = {&prepass_shadows, &prepass_caustics,
                                                               &prepass_foam};

struct view {
    const char *name;
    int pool_passes[MAX_VIEW_PASSES], terrain_passes[MAX_VIEW_PASSES]; // up to PASS_END
    bool top_down;
};
enum { VIEW_COUNT = 2 };
static const struct view views[VIEW_COUNT] = {
    {"perspective",
     {PASS_POOL, PASS_BODIES, PASS_SKY, PASS_GLASS_SUBMERGED, PASS_WATER, PASS_GLASS_DRY, PASS_END},
     {PASS_POOL, PASS_BODIES, PASS_SKY, PASS_GLASS_SUBMERGED, PASS_WATER, PASS_GLASS_DRY, PASS_END},
     false},
    {"top",
     {PASS_TOP_VIEW, PASS_BODIES, PASS_GLASS_SUBMERGED, PASS_END},
     {PASS_TOP_VIEW, PASS_POOL, PASS_BODIES, PASS_GLASS_SUBMERGED, PASS_WATER, PASS_GLASS_DRY, PASS_END},
     true},
};
// All other views are field plots; plot/field_list.c has their names.
static const struct view field_view = {
    "field", {PASS_FIELD_PLOT, PASS_END}, {PASS_FIELD_PLOT, PASS_END}, true};

// A framebuffer with colour and depth as (multisampled) renderbuffers or as textures.
struct target {
    GLuint framebuffer, colour, depth;
    bool textures;
};

// Position and scale of a field plot, for draw_project() and draw_unproject().
struct plot_projection {
    int origin[2], size[2];             // [pixels]
    double left, bottom, width, height; // [m] of the frame
    double above;                       // [m] a height or distance above everything
    bool planar;
};

struct draw {
    struct draw_setup setup;
    const struct gl_context_kind *context_kind;
    void *context;
    void *pass_data[PASS_COUNT], *prepass_data[PREPASS_COUNT];
    GLuint empty_array;       // core GL draws nothing without a vertex array
    struct target main;       // the passes draw here
    struct target refraction; // a copy of main for the water; not at low quality
    struct target resolved;   // main with one sample per pixel, to be read; not at low quality
    struct terrain terrain;
    struct frame_textures textures;
    struct mesh_cache mesh_cache;
    // the last image
    bool has_image, is_plot;
    struct camera camera;
    double lowest_bed; // [m] where heights begin
    struct plot_projection plot;
    // times of the passes
    bool timed;
    int time_count;
    const char *time_names[MAX_VIEW_PASSES + PREPASS_COUNT + 2];
    double times[MAX_VIEW_PASSES + PREPASS_COUNT + 2]; // [ms]
};

const char *draw_view_name(int index)
{
    if (index < 0) return NULL;
    if (index < VIEW_COUNT) return views[index].name;
    const struct field *field = field_at(index - VIEW_COUNT);
    return field ? field->name : NULL;
}

static const struct view *find_view(const char *name)
{
    const size_t capacity = sizeof((struct draw_view *)0)->name;
    const char *known;
    for (int k = 0; memchr(name, 0, capacity) && (known = draw_view_name(k)) != NULL; ++k)
        if (strcmp(known, name) == 0) return k < VIEW_COUNT ? &views[k] : &field_view;
    return NULL;
}

bool draw_view_is_available(const char *name, const tarn_frame *frame)
{
    for (int k = 0; k < VIEW_COUNT; ++k)
        if (strcmp(views[k].name, name) == 0) return !frame->planar;
    const struct field *field = field_find(name);
    return field && field->available(frame);
}

// ---- framebuffers ---------------------------------------------------------------------------------------

static GLuint create_renderbuffer(GLenum format, int width, int height, int samples)
{
    GLuint id;
    glGenRenderbuffers(1, &id);
    glBindRenderbuffer(GL_RENDERBUFFER, id);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    return id;
}

static GLuint create_texture(bool depth, int width, int height)
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

// Create colour and, if asked for, depth.
static bool target_create(struct target *t, int width, int height, int samples, bool textures, bool depth)
{
    glGenFramebuffers(1, &t->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
    t->textures = textures;
    if (textures) {
        t->colour = create_texture(false, width, height);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->colour, 0);
        if (depth) {
            t->depth = create_texture(true, width, height);
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t->depth, 0);
        }
    } else {
        t->colour = create_renderbuffer(GL_RGBA8, width, height, samples);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, t->colour);
        if (depth) {
            t->depth = create_renderbuffer(GL_DEPTH_COMPONENT24, width, height, samples);
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, t->depth);
        }
    }
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void target_free(struct target *t)
{
    glDeleteFramebuffers(1, &t->framebuffer);
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
    GLint max_samples = 0, largest = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &max_samples);
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    const int samples = d->setup.low_quality || max_samples < 2 ? 0 : (max_samples < 4 ? max_samples : 4);
    if (w <= largest && h <= largest && target_create(&d->main, w, h, samples, false, true) &&
        (d->setup.low_quality || (target_create(&d->refraction, w, h, 0, true, true) &&
                                  target_create(&d->resolved, w, h, 0, false, false))) &&
        glGetError() == GL_NO_ERROR)
        return true;
    snprintf(why, 256, "the driver cannot allocate an image of %d x %d pixels (its limit is %d)", w, h,
             (int)largest);
    return false;
}

// Copy (and resolve) the main target.
static void blit(const struct draw *d, const struct target *to, GLbitfield buffers)
{
    const int w = d->setup.width, h = d->setup.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, d->main.framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to->framebuffer);
    glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, buffers, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, d->main.framebuffer);
}

// ---- create, destroy -------------------------------------------------------------------------------

struct draw *draw_create(const struct draw_setup *setup, char *why)
{
    char unused[256];
    if (!why) why = unused;
    snprintf(why, 256, "out of memory");
    if (!setup || setup->width < 16 || setup->width > 8192 || setup->height < 16 || setup->height > 8192 ||
        (setup->api != DRAW_GL && setup->api != DRAW_GLES) || !gl_context_kind_of(setup->context)) {
        snprintf(why, 256, "an image is 16 .. 8192 pixels wide and high");
        return NULL;
    }
    struct draw *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->setup = *setup;
    d->context_kind = gl_context_kind_of(setup->context);
    d->context = d->context_kind->create(setup->api, why);
    if (!d->context) goto fail;
    while (glGetError() != GL_NO_ERROR) continue;
    glGenVertexArrays(1, &d->empty_array);
    if (!targets_create(d, why)) goto fail;
    for (int k = 0; k < PREPASS_COUNT; ++k) {
        d->prepass_data[k] = prepasses[k]->create(setup, why);
        if (!d->prepass_data[k]) goto fail;
    }
    for (int k = 0; k < PASS_COUNT; ++k) {
        d->pass_data[k] = passes[k]->create(setup, why);
        if (!d->pass_data[k]) goto fail;
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
    if (d->context && d->context_kind->make_current(d->context)) {
        for (int k = 0; k < PASS_COUNT; ++k)
            if (d->pass_data[k]) passes[k]->destroy(d->pass_data[k]);
        for (int k = 0; k < PREPASS_COUNT; ++k)
            if (d->prepass_data[k]) prepasses[k]->destroy(d->prepass_data[k]);
        mesh_cache_free(&d->mesh_cache);
        frame_textures_free(&d->textures);
        terrain_free(&d->terrain);
        target_free(&d->main);
        target_free(&d->refraction);
        target_free(&d->resolved);
        glDeleteVertexArrays(1, &d->empty_array);
    }
    if (d->context) d->context_kind->destroy(d->context);
    free(d);
}

tarn_result draw_resize(struct draw *d, int width, int height)
{
    char why[256];
    if (!d || width < 16 || width > 8192 || height < 16 || height > 8192) return TARN_BAD_ARGUMENT;
    if (!d->context_kind->make_current(d->context)) return TARN_FAILED;
    if (width == d->setup.width && height == d->setup.height) return TARN_OK;
    target_free(&d->main);
    target_free(&d->refraction);
    target_free(&d->resolved);
    d->setup.width = width, d->setup.height = height, d->has_image = false;
    return targets_create(d, why) ? TARN_OK : TARN_FAILED;
}

// ---- one image -------------------------------------------------------------------------------------

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// Wait for the driver and record the time since `start` as that of one pass.
static void record_time(struct draw *d, const char *name, double *start)
{
    if (!d->timed) return;
    glFinish();
    const double end = now();
    d->time_names[d->time_count] = name;
    d->times[d->time_count++] = end - *start;
    *start = end;
}

// The pool with its rim, or the terrain, and the space up to the highest solid.
static struct bounds visible_bounds(const struct draw_frame_state *s)
{
    const double t = s->wall_thickness;
    return (struct bounds){{s->pool[0] - 2 * t, s->ground, s->pool[1] - 2 * t},
                           {s->pool[2] + 2 * t, s->max_height, s->pool[3] + 2 * t}};
}

static void place_camera(struct draw_frame_state *s)
{
    const struct bounds box = visible_bounds(s);
    const double aspect = (double)s->width / s->height, down = s->terrain ? s->terrain->lowest_bed : 0.0;
    tarn_vec3 position = s->view->camera, target = s->view->target;
    position.y -= down, target.y -= down;
    if (s->top_down)
        camera_top(&s->camera, &box, aspect);
    else
        camera_perspective(&s->camera, &box, position, target, aspect);
}

static bool frame_is_drawable(const tarn_frame *f)
{
    return f && f->nx > 0 && f->nz > 0 && f->height && f->cell_size > 0.0 && isfinite(f->cell_size) &&
           isfinite(f->x0) && isfinite(f->z0) && isfinite(f->level) && f->nx <= INT_MAX / f->nz &&
           f->body_count >= 0 && (f->bodies || !f->body_count);
}

// The caller of a shared context may have left any state.
static void reset_gl_state(void)
{
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

// Bound samplers override the parameters of textures that the caller binds later.
static void unbind_samplers(const struct draw_frame_state *s)
{
    for (GLuint k = 0; k < 2 && s->shadow_map; ++k) glBindSampler(7 + k, 0);
}

static void clear_main_target(const struct draw *d)
{
    glBindFramebuffer(GL_FRAMEBUFFER, d->main.framebuffer);
    glViewport(0, 0, d->setup.width, d->setup.height);
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

// Terrain, light, camera and textures of the frame.
static tarn_result upload_frame(struct draw *d, struct draw_frame_state *s)
{
    const tarn_frame *frame = s->frame;
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (frame->nx > largest || frame->nz > largest) return TARN_FAILED;
    if (frame->bed && !terrain_build(&d->terrain, frame, s->low_quality)) return TARN_NO_MEMORY;
    s->terrain = frame->bed ? &d->terrain : NULL, s->height_frame = frame->bed ? &d->terrain.refined : frame;
    lighting_setup(s);
    place_camera(s);
    if (!frame_textures_upload(&d->textures, s)) return TARN_NO_MEMORY;
    s->mesh_cache = &d->mesh_cache;
    mesh_cache_begin_frame(s->mesh_cache);
    reset_gl_state();
    return TARN_OK;
}

static void draw_prepasses(struct draw *d, struct draw_frame_state *s, double *start)
{
    for (int k = 0; k < PREPASS_COUNT; ++k) {
        glBindVertexArray(d->empty_array);
        prepasses[k]->draw(d->prepass_data[k], s);
        record_time(d, prepasses[k]->name, start);
    }
}

static void draw_passes(struct draw *d, const struct view *v, const struct draw_frame_state *s, double *start)
{
    clear_main_target(d);
    for (const int *k = s->terrain ? v->terrain_passes : v->pool_passes; *k != PASS_END; ++k) {
        if (*k == PASS_WATER && !s->low_quality)
            blit(d, &d->refraction, GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        glBindVertexArray(d->empty_array);
        passes[*k]->draw(d->pass_data[*k], s);
        record_time(d, passes[*k]->name, start);
    }
    unbind_samplers(s);
}

static void store_plot_projection(struct draw *d, const tarn_frame *f)
{
    struct plot_projection *p = &d->plot;
    field_plot_rect(d->pass_data[PASS_FIELD_PLOT], p->origin, p->size);
    p->left = f->x0 - 0.5 * f->cell_size, p->bottom = f->z0 - 0.5 * f->cell_size;
    p->width = f->nx * f->cell_size, p->height = f->nz * f->cell_size;
    p->above = f->level + p->width + p->height;
    p->planar = f->planar;
}

// Keep what draw_project() and draw_unproject() need.
static void store_projection(struct draw *d, const struct draw_frame_state *s, bool is_plot)
{
    d->camera = s->camera, d->lowest_bed = s->terrain ? s->terrain->lowest_bed : 0.0, d->is_plot = is_plot;
    if (is_plot) store_plot_projection(d, s->frame);
}

static void resolve(struct draw *d, double *start)
{
    if (!d->setup.low_quality) blit(d, &d->resolved, GL_COLOR_BUFFER_BIT);
    record_time(d, "resolve", start);
}

tarn_result draw_frame(struct draw *d, const tarn_frame *frame, const struct draw_view *view)
{
    if (!d || !view || !frame_is_drawable(frame)) return TARN_BAD_ARGUMENT;
    const struct view *v = find_view(view->name);
    if (!v) return TARN_BAD_ARGUMENT;
    struct draw_view dye_view = *view;
    if (frame->planar && v != &field_view) { // a planar frame has no perspective view: its dye is shown
        snprintf(dye_view.name, sizeof dye_view.name, "dye");
        view = &dye_view, v = &field_view;
    }
    if (!d->context_kind->make_current(d->context)) return TARN_FAILED;

    struct draw_frame_state s = {.frame = frame,
                                 .view = view,
                                 .width = d->setup.width,
                                 .height = d->setup.height,
                                 .low_quality = d->setup.low_quality,
                                 .gles = d->setup.api == DRAW_GLES,
                                 .top_down = v->top_down,
                                 .refraction_colour = d->refraction.colour,
                                 .refraction_depth = d->refraction.depth};
    double start = now();
    d->time_count = 0;
    const tarn_result uploaded = upload_frame(d, &s);
    if (uploaded != TARN_OK) return uploaded;
    record_time(d, "upload", &start);
    if (v != &field_view) draw_prepasses(d, &s, &start);
    draw_passes(d, v, &s, &start);
    store_projection(d, &s, v == &field_view);
    resolve(d, &start);
    d->has_image = glGetError() == GL_NO_ERROR;
    return d->has_image ? TARN_OK : TARN_FAILED;
}

static GLuint result_framebuffer(const struct draw *d)
{
    return d->setup.low_quality ? d->main.framebuffer : d->resolved.framebuffer;
}

tarn_result draw_present(struct draw *d, int width, int height)
{
    if (!d || !d->has_image || d->setup.context != DRAW_CURRENT_CONTEXT || width < 1 || height < 1)
        return TARN_BAD_ARGUMENT;
    const int w = d->setup.width, h = d->setup.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, result_framebuffer(d));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, w, h, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                      w == width && h == height ? GL_NEAREST : GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return glGetError() == GL_NO_ERROR ? TARN_OK : TARN_FAILED;
}

// Multiply (x, y, z, 1) by a matrix and divide by w; false if w is not positive.
static bool transform_point(const struct mat4 *m, double x, double y, double z, double out[3])
{
    double r[4];
    for (int k = 0; k < 4; ++k)
        r[k] = (double)m->m[k] * x + (double)m->m[4 + k] * y + (double)m->m[8 + k] * z + (double)m->m[12 + k];
    for (int k = 0; k < 3; ++k) out[k] = r[k] / r[3];
    return r[3] > 0.0;
}

bool draw_project(const struct draw *d, tarn_vec3 p, double *x, double *y)
{
    double ndc[3]; // normalised device coordinates
    if (d && d->has_image && d->is_plot && d->plot.size[0] > 0) {
        const struct plot_projection *plot = &d->plot;
        const double up = plot->planar ? p.y : p.z;
        *x = plot->origin[0] + (p.x - plot->left) / plot->width * plot->size[0];
        *y = plot->origin[1] + (1.0 - (up - plot->bottom) / plot->height) * plot->size[1];
        return true;
    }
    if (!d || !d->has_image || d->is_plot ||
        !transform_point(&d->camera.view_projection, p.x, p.y - d->lowest_bed, p.z, ndc))
        return false;
    *x = 0.5 * (ndc[0] + 1.0) * d->setup.width;
    *y = 0.5 * (1.0 - ndc[1]) * d->setup.height;
    return true;
}

// Rays of a plot are perpendicular to it.
static bool unproject_plot(const struct plot_projection *plot, double x, double y, tarn_vec3 *from,
                           tarn_vec3 *direction)
{
    const double u = (x - plot->origin[0]) / plot->size[0], v = 1.0 - (y - plot->origin[1]) / plot->size[1];
    if (!(u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0)) return false;
    const double across = plot->left + u * plot->width, up = plot->bottom + v * plot->height;
    *from = plot->planar ? (tarn_vec3){across, up, plot->above} : (tarn_vec3){across, plot->above, up};
    *direction = plot->planar ? (tarn_vec3){0.0, 0.0, -1.0} : (tarn_vec3){0.0, -1.0, 0.0};
    return true;
}

bool draw_unproject(const struct draw *d, double x, double y, tarn_vec3 *from, tarn_vec3 *direction)
{
    double near[3], far[3];
    if (!d || !d->has_image) return false;
    if (d->is_plot) return unproject_plot(&d->plot, x, y, from, direction);
    const double u = 2.0 * x / d->setup.width - 1.0, v = 1.0 - 2.0 * y / d->setup.height;
    const struct mat4 *inverse = &d->camera.inverse_view_projection;
    if (!transform_point(inverse, u, v, -1.0, near) || !transform_point(inverse, u, v, 1.0, far))
        return false;
    const double dx = far[0] - near[0], dy = far[1] - near[1], dz = far[2] - near[2];
    const double length = sqrt(dx * dx + dy * dy + dz * dz);
    if (!(length > 0.0)) return false;
    *from = (tarn_vec3){near[0], near[1] + d->lowest_bed, near[2]};
    *direction = (tarn_vec3){dx / length, dy / length, dz / length};
    return true;
}

// GLES guarantees only GL_RGBA for reading. The first row of OpenGL is the lowest.
tarn_result draw_read_pixels(struct draw *d, unsigned char *rgb)
{
    if (!d || !rgb || !d->has_image) return TARN_BAD_ARGUMENT;
    if (!d->context_kind->make_current(d->context)) return TARN_FAILED;
    const size_t w = (size_t)d->setup.width, h = (size_t)d->setup.height;
    unsigned char *all = malloc(w * h * 4);
    if (!all) return TARN_NO_MEMORY;
    glBindFramebuffer(GL_FRAMEBUFFER, result_framebuffer(d));
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, d->setup.width, d->setup.height, GL_RGBA, GL_UNSIGNED_BYTE, all);
    for (size_t y = 0; y < h; ++y)
        for (size_t x = 0; x < w; ++x)
            for (size_t k = 0; k < 3; ++k) rgb[(y * w + x) * 3 + k] = all[((h - 1 - y) * w + x) * 4 + k];
    free(all);
    return glGetError() == GL_NO_ERROR ? TARN_OK : TARN_FAILED;
}

int draw_pass_times(struct draw *d, const char **names, double *ms, int capacity)
{
    if (!d) return 0;
    d->timed = true;
    const int count = d->time_count < capacity ? d->time_count : capacity;
    for (int k = 0; k < count; ++k) {
        if (names) names[k] = d->time_names[k];
        if (ms) ms[k] = d->times[k];
    }
    return count < 0 ? 0 : count;
}
