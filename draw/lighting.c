// The lighting of a frame: sun, pool walls, and the bodies as spheres for reflections and ambient occlusion.
// Sets the uniforms of _light.glsl, and of the terrain, for every pass.
#include "gl.h"

#include <math.h>
#include <string.h>

// Six times the volume of a closed mesh: the sum of the triple products of its triangles' vertices.
static double volume_times_six(const tarn_render_mesh *mesh)
{
    double six = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const float *a = mesh->vertices + 3 * mesh->triangles[3 * t],
                    *b = mesh->vertices + 3 * mesh->triangles[3 * t + 1],
                    *c = mesh->vertices + 3 * mesh->triangles[3 * t + 2];
        six += (double)a[0] * ((double)b[1] * c[2] - (double)b[2] * c[1]) +
               (double)a[1] * ((double)b[2] * c[0] - (double)b[0] * c[2]) +
               (double)a[2] * ((double)b[0] * c[1] - (double)b[1] * c[0]);
    }
    return fabs(six);
}

// The radius of a sphere of the same volume. An open hull counts with its compartment.
static double sphere_radius(const tarn_frame_body *body)
{
    const double six =
        volume_times_six(body->mesh) + (mesh_is_drawable(body->hold) ? volume_times_six(body->hold) : 0.0);
    return cbrt(six / 6.0 / 4.1887902047863905); // 4/3 pi
}

// Keep the largest bodies, sorted by radius.
static void setup_spheres(struct draw_frame_state *s)
{
    s->sphere_count = 0;
    memset(s->spheres, 0, sizeof s->spheres); // radius 0: no sphere
    for (int i = 0; i < s->frame->body_count; ++i) {
        const tarn_frame_body *body = &s->frame->bodies[i];
        if (!mesh_is_drawable(body->mesh)) continue;
        const float r = (float)sphere_radius(body);
        int place = s->sphere_count;
        while (place > 0 && s->spheres[place - 1][3] < r) --place;
        if (place == MAX_REFLECTED_SPHERES) continue;
        if (s->sphere_count < MAX_REFLECTED_SPHERES) ++s->sphere_count;
        for (int k = s->sphere_count - 1; k > place; --k)
            for (int x = 0; x < 4; ++x)
                s->spheres[k][x] = s->spheres[k - 1][x],
                s->sphere_colours[k][x] = s->sphere_colours[k - 1][x];
        const tarn_vec3 p = body->state.position, c = body->colour;
        const float sphere[4] = {(float)p.x, (float)(p.y - (s->terrain ? s->terrain->lowest_bed : 0.0)),
                                 (float)p.z, r};
        const float colour[4] = {powf((float)c.x, 2.2f), powf((float)c.y, 2.2f), powf((float)c.z, 2.2f),
                                 1.0f};
        for (int x = 0; x < 4; ++x) s->spheres[place][x] = sphere[x], s->sphere_colours[place][x] = colour[x];
    }
}

// Horizontal distance of sunlight per metre of descent, divided by |sun_direction.xz|, in water or in air. In
// water by Snell's law at a level surface with n = 4/3: sin t = 0.75 |sun_direction.xz|, cos t = sqrt(1 -
// sin^2 t).
static float descent_slope(const float sun_direction[3], bool in_water)
{
    return in_water ? 0.75f / sqrtf(1.0f - 0.5625f * (1.0f - sun_direction[1] * sun_direction[1]))
                    : 1.0f / sun_direction[1];
}

// The shadow map covers all rays that meet something between the ground and the highest solid, with a margin.
static void setup_shadow_map(struct draw_frame_state *s)
{
    const float a = descent_slope(s->sun_direction, !s->terrain), up = s->max_height - s->rest_level,
                down = s->rest_level - s->ground;
    const float by[2] = {s->sun_direction[0] / s->sun_direction[1],
                         s->sun_direction[2] / s->sun_direction[1]},
                margin = 0.02f * s->pool_length;
    for (int k = 0; k < 2; ++k) {
        const float high = -by[k] * up, deep = a * s->sun_direction[2 * k] * down;
        const float low = s->pool[k] + fminf(fminf(high, deep), 0.0f) - margin;
        const float far = s->pool[k + 2] + fmaxf(fmaxf(high, deep), 0.0f) + margin;
        s->sun_map_rect[k] = low, s->sun_map_rect[k + 2] = 1.0f / (far - low);
    }
    // Depth 0 is above everything, also above bodies in the air.
    const float top = s->max_height + 4.0f * s->pool_length, tall = top - s->ground + s->pool_length;
    s->sun_map_depth[0] = -1.0f / tall, s->sun_map_depth[1] = top / tall;
}

void lighting_setup(struct draw_frame_state *s)
{
    const tarn_frame *f = s->frame;
    const double wide = f->nx * f->cell_size, deep = f->nz * f->cell_size, x0 = f->x0 - 0.5 * f->cell_size,
                 z0 = f->z0 - 0.5 * f->cell_size;
    s->pool_length = (float)fmax(wide, deep);
    s->pool[0] = (float)x0, s->pool[1] = (float)z0;
    s->pool[2] = (float)(x0 + wide), s->pool[3] = (float)(z0 + deep);
    s->rest_level = (float)f->level;
    s->rim =
        s->rest_level + fminf(fmaxf(0.3f * s->rest_level, 0.025f * s->pool_length), 0.05f * s->pool_length);
    s->wall_thickness = 0.014f * s->pool_length;
    s->max_height = s->rim;
    s->ground = -s->wall_thickness;
    if (s->terrain) {
        s->rest_level = (float)s->height_frame->level;
        s->max_height = fmaxf(s->terrain->highest_bed, s->terrain->rest_level);
        s->rim =
            fmaxf(0.5f * s->max_height, s->terrain->rest_level); // the height that shades the ground around
        s->ground = -0.05f * s->pool_length; // the thickness of the block below the lowest bed
    }
    // From the upper left of both views, slightly behind the pool, so that waves glitter towards the camera.
    const float direction[3] = {-0.62f, 0.72f, -0.31f};
    for (int k = 0; k < 3; ++k) s->sun_direction[k] = direction[k];
    setup_spheres(s);
    setup_shadow_map(s);
}

// Contour lines lie at multiples of their step above y = 0 and every fifth is stronger, so the phase of the
// lowest bed is taken modulo five steps.
static void terrain_bind(GLuint p, const struct draw_frame_state *s)
{
    const struct terrain *t = s->terrain;
    const double step = s->view->contours > 1e-6 * s->pool_length ? s->view->contours : 0.0;
    const double phase = step > 0.0 ? fmod(t->lowest_bed, 5.0 * step) / step : 0.0;
    // The path of a vertical ray through the water is shorter than that of a slanting one.
    const float deep = (s->top_down ? 0.65f : 1.0f) * t->mean_depth;
    gl_set1f(p, "mean_depth", deep);
    gl_set1f(p, "shore_height", t->rest_level);
    gl_set1f(p, "terrain_relief", fmaxf(t->highest_bed - t->rest_level, 0.02f * s->pool_length));
    gl_set1f(p, "contour_frequency", step > 0.0 ? (float)(1.0 / step) : 0.0f);
    gl_set1f(p, "contour_phase", (float)phase);
    gl_set_texture(p, "terrain_texture", 5, s->terrain_texture);
}

void lighting_bind(GLuint p, const struct draw_frame_state *s)
{
    glUseProgram(p);
    gl_set3f(p, "camera_position", s->camera.position[0], s->camera.position[1], s->camera.position[2]);
    gl_set3f(p, "sun_direction", s->sun_direction[0], s->sun_direction[1], s->sun_direction[2]);
    const float refraction = descent_slope(s->sun_direction, true);
    gl_set2f(p, "refraction", refraction * s->sun_direction[0], refraction * s->sun_direction[2]);
    gl_set4f(p, "sun_map_rect", s->sun_map_rect);
    gl_set2f(p, "sun_map_depth", s->sun_map_depth[0], s->sun_map_depth[1]);
    gl_set4f(p, "pool", s->pool);
    gl_set1f(p, "rest_level", s->rest_level);
    gl_set1f(p, "rim_height", s->rim);
    gl_set1f(p, "wall_thickness", s->wall_thickness);
    gl_set1f(p, "pool_length", s->pool_length);
    gl_set1i(p, "sphere_count", s->sphere_count);
    glUniform4fv(glGetUniformLocation(p, "spheres"), MAX_REFLECTED_SPHERES, s->spheres[0]);
    glUniform4fv(glGetUniformLocation(p, "sphere_colours"), MAX_REFLECTED_SPHERES, s->sphere_colours[0]);
    gl_set_texture(p, "surface_texture", 0, s->surface_texture);
    if (s->terrain) terrain_bind(p, s);
    gl_set_texture(p, "caustic_texture", 6, s->caustic_texture);
    gl_set_texture(p, "foam_texture", 9, s->foam_texture);
    gl_set_texture(p, "shadow_map", 7, s->shadow_map);
    gl_set_texture(p, "blocker_map", 8, s->shadow_map);
    for (GLuint k = 0; k < 2; ++k) glBindSampler(7 + k, s->shadow_samplers[k]);
}
