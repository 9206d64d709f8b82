// The basin: a slab, and the walls that do not hide the water from the eye. With land, a block of earth.
#include "draw/gl.h"

#include <math.h>
#include <stdlib.h>

extern const char shader_pool_vert[], shader_pool_frag[], shader_grid_vert[], shader_terrain_frag[];

struct pool {
    GLuint tiles, bed;
};

static void pool_destroy(void *self)
{
    struct pool *pool = self;
    if (!pool) return;
    glDeleteProgram(pool->tiles);
    glDeleteProgram(pool->bed);
    free(pool);
}

static void *pool_create(const struct draw_setup *setup, char *why)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->tiles = gl_program(setup, GROUND_POOL, shader_pool_vert, shader_pool_frag, why);
    if (pool->tiles) pool->bed = gl_program(setup, GROUND_LAND, shader_grid_vert, shader_terrain_frag, why);
    if (pool->bed) return pool;
    pool_destroy(pool);
    return NULL;
}

static void box(GLuint p, float x0, float y0, float z0, float x1, float y1, float z1)
{
    gl_set3f(p, "low", x0, y0, z0);
    gl_set3f(p, "high", x1, y1, z1);
    glDrawArrays(GL_TRIANGLES, 0, 36);
}

static void draw_basin(GLuint p, const struct scene_gl *s)
{
    const float *a = s->pool, *eye = s->camera.eye, t = s->thickness, top = s->rim;
    // A wall stays if the eye is on its inner side; otherwise one looks through it, into the water.
    // Seen nearly edge-on it would only be in the way.
    const float by = 0.12f * s->size;
    const bool west = eye[0] > a[0] + by, north = eye[2] > a[1] + by;
    const bool east = eye[0] < a[2] - by, south = eye[2] < a[3] - by;
    const float x0 = a[0] - (west ? t : 0), x1 = a[2] + (east ? t : 0);
    const float z0 = a[1] - (north ? t : 0), z1 = a[3] + (south ? t : 0);
    light_use(p, s);
    gl_set_mat4(p, "camera", &s->camera.both);
    box(p, x0, -t, z0, x1, 0.0f, z1);
    if (west) box(p, a[0] - t, 0.0f, z0, a[0], top, z1);
    if (east) box(p, a[2], 0.0f, z0, a[2] + t, top, z1);
    if (north) box(p, a[0], 0.0f, a[1] - t, a[2], top, a[1]);
    if (south) box(p, a[0], 0.0f, a[3], a[2], top, a[3] + t);
}

static void draw_bed(GLuint p, const struct scene_gl *s)
{
    light_use(p, s);
    gl_set_texture(p, "top_map", 1, s->bed_map);
    gl_set1i(p, "has_bottom", 0);
    gl_set1f(p, "bottom_flat", s->ground);
    gl_draw_grid(p, s, gl_stride(s));
}

static void pool_draw(void *self, const struct scene_gl *s)
{
    const struct pool *pool = self;
    glEnable(GL_DEPTH_TEST);
    if (s->land) {
        draw_bed(pool->bed, s);
    } else {
        glEnable(GL_CULL_FACE);
        draw_basin(pool->tiles, s);
        glDisable(GL_CULL_FACE);
    }
    glDisable(GL_DEPTH_TEST);
}

const struct pass pass_pool = {"pool", pool_create, pool_destroy, pool_draw};
