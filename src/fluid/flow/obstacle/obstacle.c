// Solids of the planar model: creation, prescribed motion along paths, intersections with lines, and the
// checkpoint of obstacles. The world adds obstacles, planar_coupling.c sets bodies, and cut_cells.c scans
// them.
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

static const char *const boundary_names[] = {"cut", "reflect", NULL};

static const tarn_param params[] = {
    PARAM_TEXT(tarn_obstacle_def, name, "name", "name of the obstacle"),
    PARAM_VEC2(tarn_obstacle_def, position, "position", 0, 0, -1e6, 1e6, "m", "x and y of the origin"),
    PARAM_NUMBER(tarn_obstacle_def, angle, "angle", 0, -36000, 36000, "degrees", "counter-clockwise"),
    PARAM_VEC2(tarn_obstacle_def, velocity, "velocity", 0, 0, -1e4, 1e4, "m/s", "constant velocity"),
    PARAM_NUMBER(tarn_obstacle_def, spin, "spin", 0, -1e6, 1e6, "degrees/s", "counter-clockwise"),
    PARAM_TABLE(tarn_obstacle_def, path, "path", 4, TARN_PATH_ROWS, -1e6, 1e6, "",
                "positions at given times, instead of `position` and `velocity`: time [s], x, y [m], angle "
                "[degrees]; linear in between"),
    PARAM_CHOICE(tarn_obstacle_def, boundary, "boundary", 0, boundary_names,
                 "cut: cut cells; reflect: whole cells with reflected velocities, for visual use"),
    PARAM_FLAG(tarn_obstacle_def, repeat, "repeat", 0, "repeat the path from its start"),
};

const tarn_kind placement_kind = {
    .room = "placement", .name = "placement", .help = "parameters of every obstacle", PARAMS(params)};

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
    if (!kind) return fail(err, TARN_BAD_INPUT, "kind", "this kind of obstacle does not exist");
    const tarn_result r = check_obstacle(def, kind, err);
    if (r != TARN_OK) return r;
    if (f->obstacle_count == MAX_SOLIDS)
        return fail(err, TARN_BAD_INPUT, "", "there can be at most %d obstacles", MAX_SOLIDS);
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

// ---- motion ----

// x, y [m] and angle [degrees] at a time.
static void path_position(const struct obstacle *o, double time, double out[3])
{
    const tarn_obstacle_def *d = &o->def;
    const int n = d->path.count;
    if (n == 0) {
        out[0] = d->position[0] + time * d->velocity[0];
        out[1] = d->position[1] + time * d->velocity[1];
        out[2] = d->angle + time * d->spin;
        return;
    }
    const double(*rows)[4] = d->path.rows, first = rows[0][0], length = rows[n - 1][0] - first;
    if (d->repeat && length > 0.0 && time > first)
        time = first + (time - first) - length * floor((time - first) / length);
    int i = 0;
    while (i < n - 2 && time > rows[i + 1][0]) ++i;
    const int j = imin(i + 1, n - 1);
    const double fraction = j > i ? clamp((time - rows[i][0]) / (rows[j][0] - rows[i][0]), 0.0, 1.0) : 0.0;
    for (int k = 0; k < 3; ++k) out[k] = rows[i][k + 1] + fraction * (rows[j][k + 1] - rows[i][k + 1]);
}

bool obstacle_is_moving(const struct obstacle *o)
{
    const tarn_obstacle_def *d = &o->def;
    return d->path.count > 1 || d->velocity[0] != 0.0 || d->velocity[1] != 0.0 || d->spin != 0.0;
}

struct planar_motion obstacle_motion_at(const struct obstacle *o, double time, double dt)
{
    const double degree = PI / 180.0, step = dt > 0.0 ? dt : 1e-3;
    double at[3], other[3];
    path_position(o, time, at);
    path_position(o, dt > 0.0 ? time - dt : time + step, other);
    const double inverse_step = dt > 0.0 ? 1.0 / step : -1.0 / step;
    struct planar_motion p = {.x = at[0], .y = at[1], .angle = degree * fmod(at[2], 360.0)};
    if (!obstacle_is_moving(o)) return p;
    p.u = inverse_step * (at[0] - other[0]), p.v = inverse_step * (at[1] - other[1]),
    p.spin = inverse_step * degree * (at[2] - other[2]);
    return p;
}

void obstacles_reset_motion(struct fluid *f)
{
    for (int i = 0; i < f->obstacle_count; ++i)
        f->obstacles[i].motion = obstacle_motion_at(&f->obstacles[i], f->time, 0.0);
}

void obstacle_world_corners(const struct obstacle *o, float *points)
{
    const double c = m_cos(o->motion.angle), s = m_sin(o->motion.angle);
    for (int i = 0; i < o->point_count; ++i) {
        const double *p = o->points[i];
        points[2 * i] = (float)(o->motion.x + c * p[0] - s * p[1]);
        points[2 * i + 1] = (float)(o->motion.y + s * p[0] + c * p[1]);
    }
}

// ---- intersections with lines ----

void spans_free(struct spans *s, const struct memory *m)
{
    memory_free(m, s->intervals, (size_t)s->capacity, sizeof *s->intervals);
    memory_free(m, s->crossings, (size_t)s->crossing_capacity, sizeof *s->crossings);
    *s = (struct spans){0};
}

// Intervals come in ascending order; touching ones are merged.
static bool append_interval(struct spans *s, const struct memory *m, double low, double high)
{
    if (s->count > 0 && low <= s->intervals[s->count - 1][1] + 1e-12) {
        s->intervals[s->count - 1][1] = high;
        return true;
    }
    if (!memory_grow(m, (void **)&s->intervals, &s->capacity, s->count + 1, sizeof *s->intervals))
        return false;
    s->intervals[s->count][0] = low, s->intervals[s->count][1] = high;
    ++s->count;
    return true;
}

bool spans_insert(struct spans *s, const struct memory *m, double low, double high)
{
    int n = 0;
    for (int i = 0; i < s->count; ++i) { // intervals that it touches are merged
        if (s->intervals[i][0] <= high && low <= s->intervals[i][1]) {
            low = fmin(low, s->intervals[i][0]), high = fmax(high, s->intervals[i][1]);
            continue;
        }
        s->intervals[n][0] = s->intervals[i][0], s->intervals[n][1] = s->intervals[i][1];
        ++n;
    }
    s->count = n;
    if (!memory_grow(m, (void **)&s->intervals, &s->capacity, n + 1, sizeof *s->intervals)) return false;
    s->intervals[n][0] = low, s->intervals[n][1] = high;
    ++s->count;
    return true;
}

static bool insert_crossing(struct spans *s, const struct memory *m, double at)
{
    if (!memory_grow(m, (void **)&s->crossings, &s->crossing_capacity, s->crossing_count + 1,
                     sizeof *s->crossings))
        return false;
    int i = s->crossing_count++;
    for (; i > 0 && s->crossings[i - 1] > at; --i) s->crossings[i] = s->crossings[i - 1];
    s->crossings[i] = at;
    return true;
}

// Crossings of the edges with the line, sorted; the line is inside between every second pair (even-odd rule).
static bool scan_outline(const struct obstacle *o, const struct memory *m, int axis, double at,
                         struct spans *out)
{
    const double c = m_cos(o->motion.angle), s = m_sin(o->motion.angle);
    bool ok = true;
    for (int i = 0; i < o->point_count && ok; ++i) {
        const double *a = o->points[i], *b = o->points[(i + 1) % o->point_count];
        const double ax = o->motion.x + c * a[0] - s * a[1], ay = o->motion.y + s * a[0] + c * a[1];
        const double bx = o->motion.x + c * b[0] - s * b[1], by = o->motion.y + s * b[0] + c * b[1];
        const double a0 = (axis ? ay : ax) - at, b0 = (axis ? by : bx) - at;
        const double a1 = axis ? ax : ay, b1 = axis ? bx : by;
        if ((a0 > 0.0) != (b0 > 0.0)) ok = insert_crossing(out, m, a1 + (b1 - a1) * (a0 / (a0 - b0)));
    }
    for (int i = 0; i + 1 < out->crossing_count && ok; i += 2)
        ok = append_interval(out, m, out->crossings[i], out->crossings[i + 1]);
    return ok;
}

// On a line between two rows of cells the cells of both count.
static bool scan_bitmap(const struct obstacle *o, const struct memory *m, int axis, double at,
                        struct spans *out)
{
    tarn_value size;
    tarn_spec_get(&o->def.shape, "size", &size);
    const int across = axis ? o->def.map.ny : o->def.map.nx, along = axis ? o->def.map.nx : o->def.map.ny;
    const double origin = axis ? o->motion.y : o->motion.x, start = axis ? o->motion.x : o->motion.y;
    const double step = size.number[1 - axis] / along;
    const double position = clamp((at - origin) * across / size.number[axis], -2.0, across + 2.0);
    const int first = (int)floor(position - 1e-6), last = (int)floor(position + 1e-6);
    bool ok = true;
    for (int k = 0; k < along && ok; ++k) {
        bool solid = false;
        for (int n = imax(first, 0); n <= imin(last, across - 1); ++n)
            solid = solid || o->map[axis ? n * along + k : k * across + n];
        if (solid) ok = append_interval(out, m, start + k * step, start + (k + 1) * step);
    }
    return ok;
}

static bool scan_circle(const struct obstacle *o, const struct memory *m, int axis, double at,
                        struct spans *out)
{
    const double distance = at - (axis ? o->motion.y : o->motion.x),
                 centre = axis ? o->motion.x : o->motion.y;
    const double half_squared = o->radius * o->radius - distance * distance,
                 half = half_squared > 0.0 ? sqrt(half_squared) : 0.0;
    return !(half > 0.0) || append_interval(out, m, centre - half, centre + half);
}

bool obstacle_scan_line(const struct obstacle *o, const struct memory *m, int axis, double at,
                        struct spans *out)
{
    out->count = out->crossing_count = 0;
    if (o->radius > 0.0) return scan_circle(o, m, axis, at, out);
    return o->map ? scan_bitmap(o, m, axis, at, out) : scan_outline(o, m, axis, at, out);
}

void obstacle_extent(const struct obstacle *o, int axis, double *low, double *high)
{
    const double c = m_cos(o->motion.angle), s = m_sin(o->motion.angle),
                 centre = axis ? o->motion.y : o->motion.x;
    *low = INFINITY, *high = -INFINITY;
    if (o->radius > 0.0) *low = centre - o->radius, *high = centre + o->radius;
    for (int i = 0; i < o->point_count; ++i) {
        const double *p = o->points[i];
        const double at = axis ? o->motion.y + s * p[0] + c * p[1] : o->motion.x + c * p[0] - s * p[1];
        *low = fmin(*low, at), *high = fmax(*high, at);
    }
    if (!o->map) return;
    tarn_value size;
    tarn_spec_get(&o->def.shape, "size", &size);
    *low = axis ? o->motion.y : o->motion.x;
    *high = *low + size.number[axis];
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
    if (l->failed || nx > TARN_MAP_SIDE || ny > TARN_MAP_SIDE || (size_t)nx * ny > 8 * l->size)
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
    tarn_kind_defaults(&placement_kind, &def);
    if (def.shape.kind) tarn_kind_defaults(def.shape.kind, def.shape.data);
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
        if (!def.shape.kind) return fail(err, TARN_BAD_INPUT, "kind", "this kind of obstacle does not exist");
        tarn_result r = param_load(l, &placement_kind, &def, err);
        if (r == TARN_OK) r = param_load(l, def.shape.kind, def.shape.data, err);
        if (r != TARN_OK) return r;
        r = load_map(l, f, &def, &map, err);
        if (r == TARN_OK) r = obstacle_add(f, &def, err);
        if (map) memory_free(f->memory, map, map_size(&def), 1);
        if (r != TARN_OK) return r;
    }
    return load_is_complete(l) ? TARN_OK
                               : fail(err, TARN_BAD_INPUT, "", "the section 'obstacles' is not valid");
}
