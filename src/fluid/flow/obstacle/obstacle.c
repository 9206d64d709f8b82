// Lists of the solids of the planar model: creation and motion of obstacles. The world adds obstacles;
// planar_coupling.c sets bodies.
#include "obstacle.h"

#include "base/error.h"

#include <string.h>

static tarn_result check_obstacle(const tarn_obstacle_def *def, const struct obstacle_kind *kind,
                                  tarn_error *err)
{
    tarn_result r = tarn_kind_check(&placement_kind, def, err);
    if (r == TARN_OK) r = tarn_kind_check(&kind->kind, def, err);
    if (r == TARN_OK && kind->check) r = kind->check(def, err);
    const tarn_path *path = &def->motion.path;
    for (int i = 1; r == TARN_OK && i < path->point_count; ++i)
        if (!(path->points[i - 1].time < path->points[i].time))
            r = fail(err, TARN_BAD_INPUT, "path", "times must increase: %.6g s is followed by %.6g s",
                     path->points[i - 1].time, path->points[i].time);
    return r;
}

static void free_waypoints(const struct fluid *f, tarn_waypoint *waypoints, int count)
{
    if (waypoints) memory_free(f->memory, waypoints, (size_t)count, sizeof *waypoints);
}

static void free_obstacle(struct fluid *f, struct obstacle *o)
{
    if (o->points) memory_free(f->memory, o->points, (size_t)o->point_count, sizeof *o->points);
    if (o->map) memory_free(f->memory, o->map, bitmap_cells(&o->def), 1);
    free_waypoints(f, o->waypoints, o->def.motion.path.point_count);
    *o = (struct obstacle){0};
}

// Copies a path, whose points the motion borrows then. False without memory.
static bool copy_waypoints(const struct fluid *f, tarn_path *path, tarn_waypoint **out)
{
    const size_t count = (size_t)path->point_count;
    *out = count ? memory_alloc(f->memory, count, sizeof **out) : NULL;
    if (count && !*out) return false;
    if (count) memcpy(*out, path->points, count * sizeof **out);
    path->points = *out;
    return true;
}

// Copies the arrays of a definition. False without memory; free_obstacle() frees what there is.
static bool copy_arrays(const struct fluid *f, struct obstacle *o)
{
    tarn_obstacle_def *def = &o->def;
    if (!copy_waypoints(f, &def->motion.path, &o->waypoints)) return false;
    o->point_count = o->kind->outline(def, NULL);
    if (o->point_count > 0 &&
        !(o->points = memory_alloc(f->memory, (size_t)o->point_count, sizeof *o->points)))
        return false;
    o->kind->outline(def, o->points);
    if (def->type == TARN_OBSTACLE_POLYGON) def->polygon.points = (const tarn_vec2 *)(const void *)o->points;
    if (!o->kind->is_bitmap) return true;
    if (!(o->map = memory_alloc(f->memory, bitmap_cells(def), 1))) return false;
    memcpy(o->map, def->bitmap.cells, bitmap_cells(def));
    def->bitmap.cells = o->map;
    return true;
}

tarn_result obstacle_add(struct fluid *f, const tarn_obstacle_def *def, tarn_error *err)
{
    const struct obstacle_kind *kind = obstacle_kind_at((int)def->type);
    if (!kind) return fail(err, TARN_BAD_ARGUMENT, "type", "%d is no type of an obstacle", (int)def->type);
    const tarn_result r = check_obstacle(def, kind, err);
    if (r != TARN_OK) return r;
    if (f->obstacle_count == MAX_SOLIDS)
        return fail(err, TARN_BAD_INPUT, "", "too many obstacles (limit %d)", MAX_SOLIDS);
    struct obstacle o = {.kind = kind, .def = *def};
    o.def.name[TARN_NAME_BYTES - 1] = 0;
    if (!copy_arrays(f, &o) || !memory_grow(f->memory, (void **)&f->obstacles, &f->obstacle_capacity,
                                            f->obstacle_count + 1, sizeof o)) {
        free_obstacle(f, &o);
        return fail(err, TARN_NO_MEMORY, "", "no memory for another obstacle");
    }
    o.motion = obstacle_motion_at(&o, f->time, 0.0);
    f->obstacles[f->obstacle_count++] = o;
    return TARN_OK;
}

void obstacle_remove_last(struct fluid *f) { free_obstacle(f, &f->obstacles[--f->obstacle_count]); }

tarn_result obstacle_set_motion(struct fluid *f, struct obstacle *o, const tarn_obstacle_motion *motion,
                                tarn_error *err)
{
    struct obstacle changed = *o;
    changed.def.motion = *motion;
    const tarn_result r = check_obstacle(&changed.def, o->kind, err);
    if (r != TARN_OK) return r;
    changed.def.motion.start = f->time;
    const struct obstacle before = *o;
    const int count = changed.def.motion.path.point_count;
    bool ok = copy_waypoints(f, &changed.def.motion.path, &changed.waypoints);
    if (ok) {
        changed.motion = obstacle_motion_at(&changed, f->time, 0.0);
        *o = changed;
        f->model->planar->update_cut_cells(f);
        ok = !f->out_of_memory;
    }
    if (ok) {
        free_waypoints(f, before.waypoints, before.def.motion.path.point_count);
        return TARN_OK;
    }
    *o = before;
    free_waypoints(f, changed.waypoints, count);
    f->model->planar->update_cut_cells(f); // cannot fail: it was built before
    return fail(err, TARN_NO_MEMORY, "", "no memory for the motion of an obstacle");
}

// ---- bodies -----------------------------------------------------------------------------------------------

bool flow_body_set(struct fluid *f, int slot, double radius, const double (*points)[2], int count)
{
    if (!memory_grow(f->memory, (void **)&f->bodies, &f->body_capacity, slot + 1, sizeof *f->bodies))
        return false;
    struct obstacle o = {.point_count = count, .radius = radius, .area = PI * radius * radius};
    if (count > 0 && !(o.points = memory_alloc(f->memory, (size_t)count, sizeof *o.points))) return false;
    if (count > 0) memcpy(o.points, points, (size_t)count * sizeof *o.points);
    for (int i = 0; i < count; ++i) {
        const double *a = points[i], *b = points[(i + 1) % count];
        o.area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    for (; f->body_count <= slot; ++f->body_count) f->bodies[f->body_count] = (struct obstacle){0};
    free_obstacle(f, &f->bodies[slot]);
    f->bodies[slot] = o;
    return true;
}

// The list ends with a slot in use, as after a load: models test body_count for the presence of bodies.
void flow_body_remove(struct fluid *f, int slot)
{
    free_obstacle(f, &f->bodies[slot]);
    while (f->body_count > 0 && !(f->bodies[f->body_count - 1].area > 0.0)) --f->body_count;
}

void obstacles_free(struct fluid *f)
{
    for (int n = 1; n <= solid_count(f); ++n) free_obstacle(f, solid_at(f, n));
    memory_free(f->memory, f->obstacles, (size_t)f->obstacle_capacity, sizeof *f->obstacles);
    memory_free(f->memory, f->bodies, (size_t)f->body_capacity, sizeof *f->bodies);
    f->obstacles = f->bodies = NULL;
    f->obstacle_count = f->obstacle_capacity = f->body_count = f->body_capacity = 0;
}
