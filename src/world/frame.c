// Frames: plain arrays of the fluid and the bodies for drawing and files, interpolated between the last two
// states.
#include "base/error.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "world.h"

#include <string.h>

bool world_store_previous(tarn_world *w)
{
    const struct grid *g = &w->fluid.grid;
    if (w->fluid.model->planar) return true; // frames of the planar model are not interpolated
    if (!w->previous_surface)
        w->previous_surface = memory_alloc(&w->memory, (size_t)g->nx * (size_t)g->nz, sizeof(float));
    if (!w->previous_surface ||
        !memory_grow(&w->memory, (void **)&w->previous_poses, &w->previous_pose_capacity,
                     w->bodies.slot_count, sizeof *w->previous_poses))
        return false;
    for (int j = 0; j < g->nz; ++j)
        w->fluid.model->height_field->read_surface(&w->fluid, j, 0, g->nx,
                                                   w->previous_surface + (size_t)j * (size_t)g->nx);
    for (int i = 0; i < w->bodies.slot_count; ++i)
        w->previous_poses[i] = (struct previous_pose){
            w->bodies.slots[i].generation, w->bodies.state[i].position, w->bodies.state[i].rotation};
    w->previous_pose_count = w->bodies.slot_count;
    w->has_previous = true;
    return true;
}

tarn_result tarn_world_keep_previous(tarn_world *w, bool on)
{
    if (!w) return TARN_BAD_ARGUMENT;
    w->stores_previous = on;
    w->has_previous = w->has_previous && w->stores_previous;
    return TARN_OK;
}

enum { PLANAR_FIELDS = 5 };
static void list_planar_fields(tarn_frame *frame, float **list[PLANAR_FIELDS])
{
    float **const all[PLANAR_FIELDS] = {&frame->dye, &frame->temperature, &frame->pressure, &frame->vorticity,
                                        &frame->open};
    memcpy(list, all, sizeof all);
}

void tarn_frame_free(tarn_frame *frame)
{
    if (!frame) return;
    const struct memory m = {.allocator = frame->allocator};
    float *fields[3] = {frame->height, frame->velocity_x, frame->velocity_z};
    for (int k = 0; k < 3; ++k) memory_free(&m, fields[k], (size_t)frame->capacity[0], sizeof(float));
    memory_free(&m, frame->bodies, (size_t)frame->capacity[1], sizeof *frame->bodies);
    memory_free(&m, frame->bed, (size_t)frame->capacity[2], sizeof(float));
    float **flat[PLANAR_FIELDS];
    list_planar_fields(frame, flat);
    for (int k = 0; k < PLANAR_FIELDS; ++k)
        memory_free(&m, *flat[k], (size_t)frame->capacity[3], sizeof(float));
    memory_free(&m, frame->obstacles, (size_t)frame->capacity[4], sizeof *frame->obstacles);
    memory_free(&m, frame->outlines, (size_t)frame->capacity[5], 2 * sizeof(float));
    *frame = (tarn_frame){0};
}

// A frame may outlive its world, so it keeps the allocator.
static bool frame_reserve(tarn_frame *frame, const struct memory *m, int cells, int bodies, int ground,
                          int flat)
{
    if (frame->capacity[0] >= cells && frame->capacity[1] >= bodies && frame->capacity[2] == ground &&
        frame->capacity[3] == flat)
        return true;
    tarn_frame_free(frame);
    frame->allocator = m->allocator;
    frame->capacity[0] = cells, frame->capacity[1] = bodies, frame->capacity[2] = ground;
    frame->bed = ground ? memory_alloc(m, (size_t)ground, sizeof(float)) : NULL;
    frame->height = memory_alloc(m, (size_t)cells, sizeof(float));
    frame->velocity_x = memory_alloc(m, (size_t)cells, sizeof(float));
    frame->velocity_z = memory_alloc(m, (size_t)cells, sizeof(float));
    frame->bodies = memory_alloc(m, (size_t)bodies, sizeof *frame->bodies);
    frame->capacity[3] = flat;
    float **fields[PLANAR_FIELDS];
    bool all = true;
    list_planar_fields(frame, fields);
    for (int k = 0; k < PLANAR_FIELDS && flat; ++k)
        all = (*fields[k] = memory_alloc(m, (size_t)flat, sizeof(float))) && all;
    if (all && frame->height && frame->velocity_x && frame->velocity_z && frame->bodies &&
        (frame->bed || !ground))
        return true;
    tarn_frame_free(frame);
    return false;
}

static void fill_bodies(const tarn_world *w, double blend, tarn_frame *frame)
{
    frame->body_count = 0;
    for (int i = 0; i < w->bodies.slot_count; ++i) {
        if (!body_exists(&w->bodies, i)) continue;
        tarn_frame_body *out = &frame->bodies[frame->body_count++];
        const tarn_shape *shape = w->bodies.slots[i].body->def.shape;
        *out = (tarn_frame_body){.id = body_id(&w->bodies, i),
                                 .load = w->coupling.per_body[i].load,
                                 .colour = w->bodies.slots[i].body->def.colour,
                                 .appearance = w->bodies.slots[i].body->def.appearance,
                                 .mesh = &shape->mesh};
        if (shape_is_open(&shape->data)) {
            out->hold = &shape->compartment_mesh;
            const struct floodwater water =
                floodwater_of(&w->coupling.per_body[i], &w->fluid, &shape->data, &w->bodies.state[i]);
            out->hold_level = w->fluid.rest_level + water.level;
        }
        tarn_body_get_state(w, out->id, &out->state);
        if (!w->has_previous || blend >= 1.0 || i >= w->previous_pose_count) continue;
        const struct previous_pose *old = &w->previous_poses[i];
        if (old->generation != id_generation(out->id.value)) continue; // created since
        const struct grid *g = &w->fluid.grid;
        const vec3 step = v3_sub(out->state.position, old->position);
        const bool across = fabs(step.x) > 0.5 * g->nx * g->dx || fabs(step.z) > 0.5 * g->nz * g->dx;
        if (across) continue; // re-entered through a periodic boundary
        out->state.position = v3_madd(old->position, blend, step);
        out->state.rotation = quat_nlerp(old->rotation, out->state.rotation, blend);
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
        *out = (tarn_frame_obstacle){.id = obstacle_id(i), .first = corners, .count = o->point_count};
        memcpy(out->name, o->def.name, sizeof out->name);
        f->model->planar->obstacle_load(f, i, &out->load);
        if (o->point_count > 0) obstacle_world_corners(o, frame->outlines + 2 * corners); // bitmaps have none
        corners += o->point_count;
    }
    frame->obstacle_count = f->obstacle_count;
    return true;
}

static void fill_planar(const struct fluid *f, tarn_frame *frame)
{
    size_t at = 0;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i, ++at) {
            const struct fluid_cell c = f->model->planar->read_cell(f, i, j);
            frame->velocity_x[at] = c.u, frame->velocity_z[at] = c.v;
            frame->dye[at] = c.dye, frame->temperature[at] = c.temperature;
            frame->pressure[at] = c.pressure, frame->vorticity[at] = c.vorticity,
            frame->open[at] = c.volume_fraction;
        }
}

tarn_result tarn_world_get_frame(const tarn_world *w, double blend, tarn_frame *frame)
{
    if (!w || !frame || !(0.0 <= blend && blend <= 1.0)) return TARN_BAD_ARGUMENT;
    const struct fluid *f = &w->fluid;
    const struct grid *g = &f->grid;
    const int cells = g->nx * g->nz;
    if (!frame_reserve(frame, &w->memory, cells, w->bodies.body_count,
                       f->bed || f->model->no_fluid ? cells : 0, f->model->planar ? cells : 0))
        return TARN_NO_MEMORY;
    if (!w->has_previous) blend = 1.0;
    frame->time = world_time(w) - (1.0 - blend) * w->def.dt;
    frame->nx = g->nx, frame->nz = g->nz;
    frame->level = f->rest_level;
    frame->obstacle_count = 0;
    frame->cell_size = g->dx, frame->x0 = grid_cell_x(g, 0), frame->z0 = grid_cell_z(g, 0);
    frame->planar = f->model->planar != NULL;
    if (f->model->planar) {
        fill_planar(f, frame);
        fill_bodies(w, blend, frame);
        return fill_obstacles(f, &(struct memory){.allocator = frame->allocator}, frame) ? TARN_OK
                                                                                         : TARN_NO_MEMORY;
    }
    const float new = (float)blend, level = (float)f->rest_level;
    for (int j = 0; j < g->nz; ++j) {
        const size_t row = (size_t)j * (size_t)g->nx;
        float *h = frame->height + row;
        f->model->height_field->read_surface(f, j, 0, g->nx, h);
        f->model->height_field->read_velocity(f, j, 0, g->nx, frame->velocity_x + row,
                                              frame->velocity_z + row);
        for (int i = 0; blend < 1.0 && i < g->nx; ++i) {
            const float old = w->previous_surface[row + (size_t)i];
            h[i] = old + new *(h[i] - old); // exact where old and new are equal
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
