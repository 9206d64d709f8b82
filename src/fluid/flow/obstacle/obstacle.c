// Lists of the solids of the planar model: table of obstacle kinds, creation, and the checkpoint of
// obstacles. The world adds obstacles; planar_coupling.c sets bodies.
#include "obstacle.h"

#include "base/error.h"
#include "fluid/fluid.h"

#include <string.h>

extern const struct obstacle_kind obstacle_circle, obstacle_box, obstacle_polygon, obstacle_bitmap;

static const struct obstacle_kind *const kinds[] = {
    &obstacle_circle,
    &obstacle_box,
    &obstacle_polygon,
    &obstacle_bitmap,
};

const struct obstacle_kind *obstacle_kind_at(int index)
{
    return 0 <= index && index < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[index] : NULL;
}

static const char *const boundary_names[] = {"cut_cells", "staircase", NULL};

static const tarn_param params[] = {
    PARAM_TEXT(tarn_obstacle_def, name, "name", "name of the obstacle"),
    PARAM_VEC2(tarn_obstacle_def, position, "position", 0, 0, -1e6, 1e6, "m", "x and y of the origin"),
    PARAM_NUMBER(tarn_obstacle_def, angle, "angle", 0, -36000, 36000, "degrees",
                 "angle at time 0, counter-clockwise"),
    PARAM_VEC2(tarn_obstacle_def, velocity, "velocity", 0, 0, -1e4, 1e4, "m/s", "constant velocity"),
    PARAM_NUMBER(tarn_obstacle_def, angular_velocity, "angular_velocity", 0, -1e4, 1e4, "rad/s",
                 "constant angular velocity, counter-clockwise"),
    PARAM_TABLE(tarn_obstacle_def, path, "path", 4, TARN_MAX_PATH_POINTS, -1e6, 1e6, "",
                "positions at given times, instead of `position` and `velocity`: time [s], x, y [m], angle "
                "[degrees]; linear in between"),
    PARAM_CHOICE(tarn_obstacle_def, boundary, "boundary", 0, boundary_names,
                 "cut_cells: cut cells; staircase: whole cells with reflected velocities, for visual use"),
    PARAM_FLAG(tarn_obstacle_def, repeat, "repeat", 0, "repeat the path from its start"),
};

const tarn_kind placement_kind = {
    .category = "placement", .name = "placement", .help = "parameters of every obstacle", PARAMS(params)};

// ---- creation ----

static tarn_result check_obstacle(const tarn_obstacle_def *def, const struct obstacle_kind *kind,
                                  tarn_error *err)
{
    tarn_result r = tarn_kind_check(&placement_kind, def, err);
    if (r == TARN_OK) r = tarn_kind_check(&kind->kind, def->shape.data, err);
    if (r == TARN_OK && kind->check) r = kind->check(def, err);
    for (int i = 1; i < def->path.count && r == TARN_OK; ++i)
        if (!(def->path.rows[i - 1][0] < def->path.rows[i][0]))
            r = fail(err, TARN_BAD_INPUT, "path", "times must increase: %.6g s is followed by %.6g s",
                     def->path.rows[i - 1][0], def->path.rows[i][0]);
    return r;
}

static size_t map_size(const tarn_obstacle_def *def) { return (size_t)def->map.nx * (size_t)def->map.ny; }

static void free_obstacle(struct fluid *f, struct obstacle *o)
{
    if (o->points) memory_free(f->memory, o->points, (size_t)o->point_count, sizeof *o->points);
    if (o->map) memory_free(f->memory, o->map, map_size(&o->def), 1);
    *o = (struct obstacle){0};
}

tarn_result obstacle_add(struct fluid *f, const tarn_obstacle_def *def, tarn_error *err)
{
    const struct obstacle_kind *kind = NULL;
    for (int i = 0; obstacle_kind_at(i); ++i)
        if (&kinds[i]->kind == def->shape.kind) kind = kinds[i];
    if (!kind) return fail(err, TARN_BAD_INPUT, "kind", "unknown kind of obstacle");
    const tarn_result r = check_obstacle(def, kind, err);
    if (r != TARN_OK) return r;
    if (f->obstacle_count == MAX_SOLIDS)
        return fail(err, TARN_BAD_INPUT, "", "too many obstacles (limit %d)", MAX_SOLIDS);
    struct obstacle o = {.kind = kind, .def = *def, .point_count = kind->outline(def->shape.data, NULL)};
    o.points = memory_alloc(f->memory, (size_t)o.point_count, sizeof *o.points);
    if (kind->is_bitmap) o.map = memory_alloc(f->memory, map_size(def), 1);
    if (!o.points || (kind->is_bitmap && !o.map) ||
        !memory_grow(f->memory, (void **)&f->obstacles, &f->obstacle_capacity, f->obstacle_count + 1,
                     sizeof o)) {
        free_obstacle(f, &o);
        return fail(err, TARN_NO_MEMORY, "", "no memory for another obstacle");
    }
    kind->outline(def->shape.data, o.points);
    if (kind->is_bitmap) memcpy(o.map, def->map.cells, map_size(def));
    o.def.map.cells = o.map;
    o.motion = obstacle_motion_at(&o, f->time, 0.0);
    f->obstacles[f->obstacle_count++] = o;
    return TARN_OK;
}

void obstacle_remove_last(struct fluid *f) { free_obstacle(f, &f->obstacles[--f->obstacle_count]); }

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

// ---- checkpoint ----

void obstacles_save(struct saver *s, const struct fluid *f)
{
    save_u32(s, (uint32_t)f->obstacle_count);
    for (int i = 0; i < f->obstacle_count; ++i) {
        const struct obstacle *o = &f->obstacles[i];
        save_text(s, o->kind->kind.name);
        param_save(s, &placement_kind, &o->def);
        param_save(s, &o->kind->kind, o->def.shape.data);
        save_u32(s, o->map ? (uint32_t)o->def.map.nx : 0);
        save_u32(s, o->map ? (uint32_t)o->def.map.ny : 0);
        for (size_t k = 0; o->map && k < map_size(&o->def); k += 32) {
            uint32_t bits = 0;
            for (size_t b = 0; b < 32 && k + b < map_size(&o->def); ++b)
                bits |= (uint32_t)(o->map[k + b] != 0) << b;
            save_u32(s, bits);
        }
    }
}

static tarn_result load_map(struct loader *l, struct fluid *f, tarn_obstacle_def *def, unsigned char **owned,
                            tarn_error *err)
{
    const uint32_t nx = load_u32(l), ny = load_u32(l);
    *owned = NULL;
    if (l->failed || nx > TARN_MAX_BITMAP_SIDE || ny > TARN_MAX_BITMAP_SIDE || (size_t)nx * ny > 8 * l->size)
        return fail(err, TARN_BAD_INPUT, "map",
                    "the size of the bitmap of an obstacle in the checkpoint is not valid");
    def->map = (tarn_bitmap){(int)nx, (int)ny, NULL};
    if (nx == 0 || ny == 0) return TARN_OK;
    if (!(*owned = memory_alloc(f->memory, map_size(def), 1)))
        return fail(err, TARN_NO_MEMORY, "map", "no memory for the bitmap of an obstacle");
    for (size_t k = 0; k < map_size(def); k += 32) {
        const uint32_t bits = load_u32(l);
        for (size_t b = 0; b < 32 && k + b < map_size(def); ++b) (*owned)[k + b] = bits >> b & 1;
    }
    def->map.cells = *owned;
    return TARN_OK;
}

static tarn_obstacle_def default_definition(const char *name)
{
    tarn_obstacle_def def = {0};
    for (int i = 0; obstacle_kind_at(i); ++i)
        if (strcmp(kinds[i]->kind.name, name) == 0) def.shape.kind = &kinds[i]->kind;
    tarn_kind_init(&placement_kind, &def);
    if (def.shape.kind) tarn_kind_init(def.shape.kind, def.shape.data);
    return def;
}

tarn_result obstacles_load(struct loader *l, struct fluid *f, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    for (uint32_t i = 0; i < count && !l->failed; ++i) {
        char name[TARN_NAME_BYTES];
        unsigned char *map;
        load_text(l, name, sizeof name);
        tarn_obstacle_def def = default_definition(l->failed ? "" : name);
        if (!def.shape.kind) return fail(err, TARN_BAD_INPUT, "kind", "unknown kind of obstacle");
        tarn_result r = param_load(l, &placement_kind, &def, err);
        if (r == TARN_OK) r = param_load(l, def.shape.kind, def.shape.data, err);
        if (r != TARN_OK) return r;
        r = load_map(l, f, &def, &map, err);
        if (r == TARN_OK) r = obstacle_add(f, &def, err);
        if (map) memory_free(f->memory, map, map_size(&def), 1);
        if (r != TARN_OK) return r;
    }
    return load_is_complete(l) ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "section 'obstacles' is not valid");
}
