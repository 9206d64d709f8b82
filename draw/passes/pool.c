// Draws the basin: the floor and the walls that do not hide the water from the camera. With terrain, it draws
// the bed as a block with cut sides.
#include "draw/gl.h"

#include <math.h>
#include <stdlib.h>

extern const char shader_pool_vert[], shader_pool_frag[], shader_grid_vert[], shader_terrain_frag[];

struct pool {
    GLuint basin, terrain;
};

static void pool_destroy(void *self)
{
    struct pool *pool = self;
    if (!pool) return;
    glDeleteProgram(pool->basin);
    glDeleteProgram(pool->terrain);
    free(pool);
}

static void *pool_create(const struct draw_setup *setup, char *why)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->basin = gl_program(setup, TERRAIN_OFF, shader_pool_vert, shader_pool_frag, why);
    if (pool->basin)
        pool->terrain = gl_program(setup, TERRAIN_ON, shader_grid_vert, shader_terrain_frag, why);
    if (pool->terrain) return pool;
    pool_destroy(pool);
    return NULL;
}

static void draw_box(GLuint p, float x0, float y0, float z0, float x1, float y1, float z1)
{
    gl_set3f(p, "low", x0, y0, z0);
    gl_set3f(p, "high", x1, y1, z1);
    glDrawArrays(GL_TRIANGLES, 0, 36);
}

static void draw_basin(GLuint p, const struct draw_frame_state *s)
{
    const float *a = s->pool, *camera = s->camera.position, t = s->wall_thickness, top = s->rim;
    // A wall is drawn if the camera is clearly on its inner side; otherwise it would hide the water.
    const float margin = 0.12f * s->pool_length;
    const bool west = camera[0] > a[0] + margin, north = camera[2] > a[1] + margin;
    const bool east = camera[0] < a[2] - margin, south = camera[2] < a[3] - margin;
    const float x0 = a[0] - (west ? t : 0), x1 = a[2] + (east ? t : 0);
    const float z0 = a[1] - (north ? t : 0), z1 = a[3] + (south ? t : 0);
    lighting_bind(p, s);
    gl_set_mat4(p, "view_projection", &s->camera.view_projection);
    draw_box(p, x0, -t, z0, x1, 0.0f, z1);
    if (west) draw_box(p, a[0] - t, 0.0f, z0, a[0], top, z1);
    if (east) draw_box(p, a[2], 0.0f, z0, a[2] + t, top, z1);
    if (north) draw_box(p, a[0], 0.0f, a[1] - t, a[2], top, a[1]);
    if (south) draw_box(p, a[0], 0.0f, a[3], a[2], top, a[3] + t);
}

static void draw_terrain(GLuint p, const struct draw_frame_state *s)
{
    lighting_bind(p, s);
    gl_set_texture(p, "height_texture", 1, s->bed_texture);
    gl_set1i(p, "has_bottom_texture", 0);
    gl_set1f(p, "bottom_height", s->ground);
    gl_draw_grid(p, s, grid_stride(s));
}

static void pool_draw(void *self, const struct draw_frame_state *s)
{
    const struct pool *pool = self;
    glEnable(GL_DEPTH_TEST);
    if (s->terrain) {
        draw_terrain(pool->terrain, s);
    } else {
        glEnable(GL_CULL_FACE);
        draw_basin(pool->basin, s);
        glDisable(GL_CULL_FACE);
    }
    glDisable(GL_DEPTH_TEST);
}

const struct pass pass_pool = {"pool", pool_create, pool_destroy, pool_draw};
