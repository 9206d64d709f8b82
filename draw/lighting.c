// What lights a scene: the sun, the walls that hold it together, and the bodies as spheres that it is mirrored by.
// Also what every pass knows of land.
#include "gl.h"

#include <math.h>
#include <string.h>

// Six times the volume of a closed mesh is the sum of its triangles' triple products with the origin.
static double six_volumes(const tarn_mesh *mesh)
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

// An open hull throws the shadow of a full one.
static double ball_radius(const tarn_frame_body *body)
{
    const double six = six_volumes(body->mesh) + (mesh_good(body->hold) ? six_volumes(body->hold) : 0.0);
    return cbrt(six / 6.0 / 4.1887902047863905); // 4/3 pi
}

// The largest bodies win the few places.
static void place_balls(struct scene_gl *s)
{
    s->ball_count = 0;
    memset(s->balls, 0, sizeof s->balls); // a radius of 0 is none
    for (int i = 0; i < s->frame->body_count; ++i) {
        const tarn_frame_body *body = &s->frame->bodies[i];
        if (!mesh_good(body->mesh)) continue;
        const float r = (float)ball_radius(body);
        int at = s->ball_count;
        while (at > 0 && s->balls[at - 1][3] < r) --at;
        if (at == DRAW_BALLS) continue;
        if (s->ball_count < DRAW_BALLS) ++s->ball_count;
        for (int k = s->ball_count - 1; k > at; --k)
            for (int x = 0; x < 4; ++x)
                s->balls[k][x] = s->balls[k - 1][x], s->tints[k][x] = s->tints[k - 1][x];
        const tarn_vec3 p = body->motion.position, c = body->colour;
        const float ball[4] = {(float)p.x, (float)(p.y - (s->land ? s->land->datum : 0.0)), (float)p.z, r};
        const float tint[4] = {powf((float)c.x, 2.2f), powf((float)c.y, 2.2f), powf((float)c.z, 2.2f), 1.0f};
        for (int x = 0; x < 4; ++x) s->balls[at][x] = ball[x], s->tints[at][x] = tint[x];
    }
}

// Snell's law on a level surface, 1/n = 0.75: sin = 0.75 |light.xz|, cos = sqrt(1 - sin^2). How far the light goes
// aside per metre down, in the water or in the air.
static float aside(const float light[3], bool wet)
{
    return wet ? 0.75f / sqrtf(1.0f - 0.5625f * (1.0f - light[1] * light[1])) : 1.0f / light[1];
}

// The map of the sun's rays holds everything from the ground to the highest solid thing, and a little around it.
static void place_sun(struct scene_gl *s)
{
    const float a = aside(s->light, !s->land), up = s->peak - s->level, down = s->level - s->ground;
    const float by[2] = {s->light[0] / s->light[1], s->light[2] / s->light[1]}, margin = 0.02f * s->size;
    for (int k = 0; k < 2; ++k) {
        const float high = -by[k] * up, deep = a * s->light[2 * k] * down;
        const float low = s->pool[k] + fminf(fminf(high, deep), 0.0f) - margin;
        const float far = s->pool[k + 2] + fmaxf(fmaxf(high, deep), 0.0f) + margin;
        s->sun_box[k] = low, s->sun_box[k + 2] = 1.0f / (far - low);
    }
    // Depth 0 is as high as anything is thrown.
    const float top = s->peak + 4.0f * s->size, tall = top - s->ground + s->size;
    s->sun_tall[0] = -1.0f / tall, s->sun_tall[1] = top / tall;
}

void light_place(struct scene_gl *s)
{
    const tarn_frame *f = s->frame;
    const double wide = f->nx * f->dx, deep = f->nz * f->dx, x0 = f->x0 - 0.5 * f->dx,
                 z0 = f->z0 - 0.5 * f->dx;
    s->size = (float)fmax(wide, deep);
    s->pool[0] = (float)x0, s->pool[1] = (float)z0;
    s->pool[2] = (float)(x0 + wide), s->pool[3] = (float)(z0 + deep);
    s->level = (float)f->level;
    s->rim = s->level + fminf(fmaxf(0.3f * s->level, 0.025f * s->size), 0.05f * s->size);
    s->thickness = 0.014f * s->size;
    s->peak = s->rim;
    s->ground = -s->thickness;
    if (s->land) {
        s->level = (float)s->shown->level;
        s->peak = fmaxf(s->land->peak, s->land->shore);
        s->rim = fmaxf(0.5f * s->peak, s->land->shore); // what throws a shadow on the table
        s->ground = -0.05f * s->size; // a block of earth, its thinnest part as thick as this
    }
    // From the upper left of both views; a little behind the pool, so that waves glitter towards the eye.
    const float toward[3] = {-0.62f, 0.72f, -0.31f};
    for (int k = 0; k < 3; ++k) s->light[k] = toward[k];
    place_balls(s);
    place_sun(s);
}

// Contours lie at multiples of their step above y = 0 and every fifth is stronger: of the datum counts what
// is left of whole fives.
static void land_use(GLuint p, const struct scene_gl *s)
{
    const struct land *l = s->land;
    const double step = s->view->contours > 1e-6 * s->size ? s->view->contours : 0.0;
    const double phase = step > 0.0 ? fmod(l->datum, 5.0 * step) / step : 0.0;
    // Straight down the way through the water is shorter than along a slanting look.
    const float deep = (s->from_above ? 0.65f : 1.0f) * l->deep;
    gl_set4f(p, "land", (const float[]){deep, l->shore, fmaxf(l->peak - l->shore, 0.02f * s->size), 0.0f});
    gl_set2f(p, "contours", step > 0.0 ? (float)(1.0 / step) : 0.0f, (float)phase);
    gl_set_texture(p, "land_map", 5, s->land_map);
}

void light_use(GLuint p, const struct scene_gl *s)
{
    const float level[4] = {s->level, s->rim, s->thickness, s->size};
    glUseProgram(p);
    gl_set3f(p, "eye", s->camera.eye[0], s->camera.eye[1], s->camera.eye[2]);
    gl_set3f(p, "light", s->light[0], s->light[1], s->light[2]);
    const float bent = aside(s->light, true);
    gl_set2f(p, "bent", bent * s->light[0], bent * s->light[2]);
    gl_set4f(p, "sun_box", s->sun_box);
    gl_set2f(p, "sun_tall", s->sun_tall[0], s->sun_tall[1]);
    gl_set4f(p, "pool", s->pool);
    gl_set4f(p, "level", level);
    gl_set1i(p, "ball_count", s->ball_count);
    glUniform4fv(glGetUniformLocation(p, "balls"), DRAW_BALLS, s->balls[0]);
    glUniform4fv(glGetUniformLocation(p, "tints"), DRAW_BALLS, s->tints[0]);
    gl_set_texture(p, "surface_map", 0, s->surface_map);
    if (s->land) land_use(p, s);
    gl_set_texture(p, "caustic_map", 6, s->caustic_map);
    gl_set_texture(p, "foam_map", 9, s->foam_map);
    gl_set_texture(p, "shadow_map", 7, s->shadow_map);
    gl_set_texture(p, "blocker_map", 8, s->shadow_map);
    for (GLuint k = 0; k < 2; ++k) glBindSampler(7 + k, s->shadow_samplers[k]);
}
