// World to frame: plain arrays for drawing and files.
#include "base/error.h"
#include "fluid/obstacle.h"
#include "world.h"

#include <string.h>

bool world_keep_state(tarn_world *w)
{
    const struct grid *g = &w->fluid.g;
    if (w->fluid.kind->flat) return true; // a picture of it shows now
    if (!w->kept_surface)
        w->kept_surface = memory_alloc(&w->memory, (size_t)g->nx * (size_t)g->nz, sizeof(float));
    if (!w->kept_surface || !memory_grow(&w->memory, (void **)&w->kept_bodies, &w->kept_body_room,
                                         w->bodies.count, sizeof *w->kept_bodies))
        return false;
    for (int j = 0; j < g->nz; ++j)
        w->fluid.kind->surface(&w->fluid, j, 0, g->nx, w->kept_surface + (size_t)j * (size_t)g->nx);
    for (int i = 0; i < w->bodies.count; ++i)
        w->kept_bodies[i] = (struct kept_body){w->bodies.slots[i].generation, w->bodies.hot[i].position,
                                               w->bodies.hot[i].rotation};
    w->kept_count = w->bodies.count;
    w->kept = true;
    return true;
}

tarn_result tarn_world_keep(tarn_world *w, int on)
{
    if (!w) return TARN_BAD_ARGUMENT;
    w->keep = on != 0;
    w->kept = w->kept && w->keep;
    return TARN_OK;
}

enum { FLAT_FIELDS = 5 };
static void list_flat(tarn_frame *frame, float **list[FLAT_FIELDS])
{
    float **const all[FLAT_FIELDS] = {&frame->dye, &frame->heat, &frame->pressure, &frame->vorticity,
                                      &frame->open};
    memcpy(list, all, sizeof all);
}

void tarn_frame_free(tarn_frame *frame)
{
    if (!frame) return;
    const struct memory m = {frame->allocator};
    float *fields[3] = {frame->height, frame->speed_x, frame->speed_z};
    for (int k = 0; k < 3; ++k) memory_free(&m, fields[k], (size_t)frame->capacity[0], sizeof(float));
    memory_free(&m, frame->bodies, (size_t)frame->capacity[1], sizeof *frame->bodies);
    memory_free(&m, frame->bed, (size_t)frame->capacity[2], sizeof(float));
    float **flat[FLAT_FIELDS];
    list_flat(frame, flat);
    for (int k = 0; k < FLAT_FIELDS; ++k)
        memory_free(&m, *flat[k], (size_t)frame->capacity[3], sizeof(float));
    memory_free(&m, frame->obstacles, (size_t)frame->capacity[4], sizeof *frame->obstacles);
    memory_free(&m, frame->outlines, (size_t)frame->capacity[5], 2 * sizeof(float));
    *frame = (tarn_frame){0};
}

// A frame may outlive its world, so it remembers where its memory came from.
static bool make_room(tarn_frame *frame, const struct memory *m, int cells, int bodies, int ground, int flat)
{
    if (frame->capacity[0] >= cells && frame->capacity[1] >= bodies && frame->capacity[2] == ground &&
        frame->capacity[3] == flat)
        return true;
    tarn_frame_free(frame);
    frame->allocator = m->hook;
    frame->capacity[0] = cells, frame->capacity[1] = bodies, frame->capacity[2] = ground;
    frame->bed = ground ? memory_alloc(m, (size_t)ground, sizeof(float)) : NULL;
    frame->height = memory_alloc(m, (size_t)cells, sizeof(float));
    frame->speed_x = memory_alloc(m, (size_t)cells, sizeof(float));
    frame->speed_z = memory_alloc(m, (size_t)cells, sizeof(float));
    frame->bodies = memory_alloc(m, (size_t)bodies, sizeof *frame->bodies);
    frame->capacity[3] = flat;
    float **fields[FLAT_FIELDS];
    bool all = true;
    list_flat(frame, fields);
    for (int k = 0; k < FLAT_FIELDS && flat; ++k)
        all = (*fields[k] = memory_alloc(m, (size_t)flat, sizeof(float))) && all;
    if (all && frame->height && frame->speed_x && frame->speed_z && frame->bodies && (frame->bed || !ground))
        return true;
    tarn_frame_free(frame);
    return false;
}

static void fill_bodies(const tarn_world *w, double blend, tarn_frame *frame)
{
    frame->body_count = 0;
    for (int i = 0; i < w->bodies.count; ++i) {
        if (!bodies_alive(&w->bodies, i)) continue;
        tarn_frame_body *out = &frame->bodies[frame->body_count++];
        const struct figure *figure = w->bodies.slots[i].cold->figure;
        *out = (tarn_frame_body){.id = bodies_id(&w->bodies, i),
                                 .load = w->couple.presses[i].load,
                                 .colour = w->bodies.slots[i].cold->def.colour,
                                 .material = w->bodies.slots[i].cold->def.material,
                                 .mesh = &figure->mesh};
        if (form_is_open(&figure->form)) {
            out->hold = &figure->hold;
            out->inside =
                w->fluid.level +
                hold_cargo(&w->couple.presses[i], &w->fluid, &figure->form, &w->bodies.hot[i]).level;
        }
        tarn_body_motion(w, out->id, &out->motion);
        if (!w->kept || blend >= 1.0 || i >= w->kept_count) continue;
        const struct kept_body *old = &w->kept_bodies[i];
        if (old->generation != out->id.generation) continue; // born since
        const struct grid *g = &w->fluid.g;
        const vec3 step = v3_sub(out->motion.position, old->position);
        const bool across = fabs(step.x) > 0.5 * g->nx * g->s || fabs(step.z) > 0.5 * g->nz * g->s;
        if (across) continue; // came back on the other side
        out->motion.position = v3_madd(old->position, blend, step);
        out->motion.rotation = quat_blend(old->rotation, out->motion.rotation, blend);
    }
}

static bool fill_obstacles(const struct fluid *f, const struct memory *m, tarn_frame *frame)
{
    int corners = 0;
    for (int i = 0; i < f->obstacle_count; ++i) corners += f->obstacles[i].point_count;
    frame->obstacle_count = 0;
    if (!memory_grow(m, (void **)&frame->obstacles, &frame->capacity[4], f->obstacle_count,
                     sizeof *frame->obstacles) ||
        !memory_grow(m, (void **)&frame->outlines, &frame->capacity[5], corners, 2 * sizeof(float)))
        return false;
    corners = 0;
    for (int i = 0; i < f->obstacle_count; ++i) {
        const struct obstacle *o = &f->obstacles[i];
        tarn_frame_obstacle *out = &frame->obstacles[i];
        *out = (tarn_frame_obstacle){.first = corners, .count = o->point_count};
        memcpy(out->name, o->def.name, sizeof out->name);
        f->kind->load_of(f, i, &out->load);
        if (o->point_count > 0) obstacle_corners(o, frame->outlines + 2 * corners); // maps have none
        corners += o->point_count;
    }
    frame->obstacle_count = f->obstacle_count;
    return true;
}

static void fill_flat(const struct fluid *f, tarn_frame *frame)
{
    size_t at = 0;
    for (int j = 0; j < f->g.nz; ++j)
        for (int i = 0; i < f->g.nx; ++i, ++at) {
            const struct fluid_cell c = f->kind->cell(f, i, j);
            frame->speed_x[at] = c.u, frame->speed_z[at] = c.v;
            frame->dye[at] = c.dye, frame->heat[at] = c.heat;
            frame->pressure[at] = c.pressure, frame->vorticity[at] = c.vorticity, frame->open[at] = c.open;
        }
}

tarn_result tarn_world_frame(const tarn_world *w, double blend, tarn_frame *frame)
{
    if (!w || !frame || !(0.0 <= blend && blend <= 1.0)) return TARN_BAD_ARGUMENT;
    world_settle(w);
    const struct fluid *f = &w->fluid;
    const struct grid *g = &f->g;
    const int cells = g->nx * g->nz;
    if (!make_room(frame, &w->memory, cells, w->bodies.alive_count, f->bed || f->kind->empty ? cells : 0,
                   f->kind->flat ? cells : 0))
        return TARN_NO_MEMORY;
    if (!w->kept) blend = 1.0;
    frame->time = world_time(w) - (1.0 - blend) * w->def.dt;
    frame->nx = g->nx, frame->nz = g->nz;
    frame->level = f->level;
    frame->obstacle_count = 0;
    frame->dx = g->s, frame->x0 = grid_x(g, 0), frame->z0 = grid_z(g, 0);
    frame->flat = f->kind->flat;
    if (f->kind->flat) {
        fill_flat(f, frame);
        fill_bodies(w, blend, frame);
        return fill_obstacles(f, &(struct memory){frame->allocator}, frame) ? TARN_OK : TARN_NO_MEMORY;
    }
    const float new = (float)blend, level = (float)f->level;
    for (int j = 0; j < g->nz; ++j) {
        const size_t row = (size_t)j * (size_t)g->nx;
        float *h = frame->height + row;
        f->kind->surface(f, j, 0, g->nx, h);
        f->kind->speed(f, j, 0, g->nx, frame->speed_x + row, frame->speed_z + row);
        for (int i = 0; blend < 1.0 && i < g->nx; ++i) {
            const float old = w->kept_surface[row + (size_t)i];
            h[i] = old + new *(h[i] - old); // what does not change stays as it is
        }
        for (int i = 0; i < g->nx; ++i) h[i] += level;
    }
    for (int j = 0; frame->bed && j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i)
            frame->bed[(size_t)j * (size_t)g->nx + (size_t)i] =
                (f->bed ? f->bed[grid_at(g, i, j)] : 0.0f) + level;
    fill_bodies(w, blend, frame);
    return TARN_OK;
}
