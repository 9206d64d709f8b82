// Casts of shapes: the first contact of a shape that is translated with bodies, walls and ground.
// Against ground, each cell of the lattice of cell centres under the path is two prisms, whose tops are the
// triangles between the heights at cell centres.
#include "query.h"

#include "base/parallel/fpmode.h"

// ---- walls and level ground ---------------------------------------------------------------------------

// The supporting point of a shape in a direction.
static vec3 support_of_shape(const struct query_parts *p, vec3 direction)
{
    vec3 best = p->position;
    double max_dot = -INFINITY;
    for (int i = 0; i < p->count; ++i) {
        const struct convex_instance part = convex_place(&p->parts[i], p->position, &p->axes);
        const vec3 point = v3_madd(convex_support(&part, direction), part.part->rounding, direction);
        if (v3_dot(point, direction) > max_dot) max_dot = v3_dot(point, direction), best = point;
    }
    return best;
}

// A half-space normal . x <= offset that is solid.
static void cast_at_half_space(struct hit_list *list, const struct query_parts *moving, vec3 translation,
                               tarn_hit_kind kind, vec3 normal, double offset)
{
    const vec3 lowest = support_of_shape(moving, v3_scale(normal, -1.0));
    const double height = v3_dot(normal, lowest) - offset, rate = v3_dot(normal, translation);
    tarn_hit hit = {.kind = kind, .point = lowest};
    if (height > 0.0) {
        if (!(rate < 0.0) || height > -rate) return;
        hit.fraction = height / -rate;
        hit.point = v3_madd(lowest, hit.fraction, translation), hit.normal = normal;
    }
    hit_list_add(list, &hit);
}

static void cast_at_walls(struct hit_list *list, const struct query_parts *moving, vec3 translation,
                          const struct body_domain *d)
{
    const bool planar = d->ceiling > 0.0;
    const double low[3] = {d->x_min, planar ? d->floor : -INFINITY, planar ? -INFINITY : d->z_min},
                 high[3] = {d->x_max, planar ? d->ceiling : INFINITY, planar ? INFINITY : d->z_max};
    tarn_hit first;
    struct hit_list walls = {.world = list->world, .hits = &first, .capacity = 1, .nearest_only = true};
    for (int axis = 0; axis < 3; ++axis) {
        const vec3 unit = v3(axis == 0, axis == 1, axis == 2);
        if (isfinite(low[axis]))
            cast_at_half_space(&walls, moving, translation, TARN_HIT_WALL, unit, low[axis]);
        if (isfinite(high[axis]))
            cast_at_half_space(&walls, moving, translation, TARN_HIT_WALL, v3_scale(unit, -1.0), -high[axis]);
    }
    if (walls.count > 0) hit_list_add(list, &first);
}

// ---- ground -------------------------------------------------------------------------------------------

#define PRISM_VERTICES 6

struct ground_cast {
    const struct fluid *fluid;
    const struct convex_instance *moving;
    vec3 translation;
    struct convex_hit first;
    bool any;
    double limit; // fraction beyond which contacts do not count
};

// A triangle of the ground and what is below it.
static void cast_at_prism(struct ground_cast *c, const vec3 top[3], double bottom)
{
    vec3 vertices[PRISM_VERTICES];
    const vec3 centre = v3(top[0].x, 0.5 * (top[0].y + bottom), top[0].z);
    double radius = 0.0;
    for (int k = 0; k < 3; ++k) {
        vertices[k] = v3_sub(top[k], centre);
        vertices[k + 3] = v3_sub(v3(top[k].x, bottom, top[k].z), centre);
        radius = fmax(radius, fmax(v3_length(vertices[k]), v3_length(vertices[k + 3])));
    }
    const struct convex_part part = {.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                     .vertex_count = PRISM_VERTICES,
                                     .vertices = vertices,
                                     .bounding_radius = radius,
                                     .has_body_pose = true};
    const struct convex_instance prism = {&part, centre, part.axes};
    struct convex_hit hit;
    if (!convex_balls_meet(c->moving, c->translation, &prism, c->limit) ||
        !convex_cast(c->moving, c->translation, &prism, c->limit, &hit) ||
        (c->any && hit.fraction >= c->limit))
        return;
    c->first = hit, c->any = true, c->limit = hit.fraction;
}

static vec3 lattice_point(const struct fluid *f, int i, int j)
{
    const struct grid *g = &f->grid;
    const double width = g->nx * g->dx, length = g->nz * g->dx;
    const double x = g->x0 + (i + 0.5) * g->dx, z = g->z0 + (j + 0.5) * g->dx;
    return v3(f->periodic_x ? x : clamp(x, g->x0, g->x0 + width),
              f->rest_level + fluid_height_at_centre(f, false, i, j),
              f->periodic_z ? z : clamp(z, g->z0, g->z0 + length));
}

// `low` [m]: no point of the part is lower while it is over the cell.
static void cast_at_cell(struct ground_cast *c, int i, int j, double low)
{
    vec3 p[4];
    for (int k = 0; k < 4; ++k) p[k] = lattice_point(c->fluid, i + k % 2, j + k / 2);
    if (fmax(fmax(p[0].y, p[1].y), fmax(p[2].y, p[3].y)) < low) return;
    const double bottom = fmin(fmin(p[0].y, p[1].y), fmin(p[2].y, p[3].y)) - c->fluid->grid.dx;
    cast_at_prism(c, (vec3[3]){p[0], p[1], p[3]}, bottom);
    cast_at_prism(c, (vec3[3]){p[0], p[3], p[2]}, bottom);
}

struct interval {
    double lo, hi;
};

// The fractions within `within` at which [at + t d - radius, at + t d + radius] meets [lo, hi]; empty: lo >
// hi.
static struct interval meeting_fractions(double at, double d, double radius, double lo, double hi,
                                         struct interval within)
{
    if (d == 0.0) return at + radius >= lo && at - radius <= hi ? within : (struct interval){1.0, 0.0};
    const double a = (lo - radius - at) / d, b = (hi + radius - at) / d;
    return (struct interval){fmax(within.lo, fmin(a, b)), fmin(within.hi, fmax(a, b))};
}

// The range of lattice cells, at least one, that [at + t d - radius, at + t d + radius] touches for t in
// `during`.
struct cells {
    int first, last;
};
static struct cells cells_touched(double at, double d, double radius, struct interval during, double x0,
                                  double dx, int n, bool periodic)
{
    const double begin = at + during.lo * d, end = at + during.hi * d;
    const double lo = (fmin(begin, end) - radius - x0) / dx - 0.5,
                 hi = (fmax(begin, end) + radius - x0) / dx - 0.5;
    const double min = periodic ? -1.0 - n : -1.0, max = periodic ? 2.0 * n : n - 1.0;
    return (struct cells){(int)floor(clamp(lo, min, max)), (int)floor(clamp(hi, min, max))};
}

static void cast_at_row(struct ground_cast *c, int j)
{
    const struct grid *g = &c->fluid->grid;
    const vec3 at = c->moving->position, d = c->translation;
    const double radius = c->moving->part->bounding_radius, z = g->z0 + (j + 0.5) * g->dx;
    const struct interval row =
        meeting_fractions(at.z, d.z, radius, z, z + g->dx, (struct interval){0.0, c->limit});
    if (row.lo > row.hi) return;
    const struct cells x = cells_touched(at.x, d.x, radius, row, g->x0, g->dx, g->nx, c->fluid->periodic_x);
    for (int i = x.first; i <= x.last; ++i) {
        const double left = g->x0 + (i + 0.5) * g->dx;
        const struct interval t = meeting_fractions(at.x, d.x, radius, left, left + g->dx, row);
        if (t.lo <= t.hi) cast_at_cell(c, i, j, at.y - radius + fmin(t.lo * d.y, t.hi * d.y));
    }
}

static void cast_part_at_ground(struct ground_cast *c)
{
    const struct grid *g = &c->fluid->grid;
    const struct cells z =
        cells_touched(c->moving->position.z, c->translation.z, c->moving->part->bounding_radius,
                      (struct interval){0.0, c->limit}, g->z0, g->dx, g->nz, c->fluid->periodic_z);
    for (int j = z.first; j <= z.last; ++j) cast_at_row(c, j);
}

static void cast_at_ground(struct hit_list *list, const struct query_parts *moving, vec3 translation)
{
    const struct fluid *f = &list->world->fluid;
    const vec3 centre = moving->position;
    double slope[2];
    if (!f->bed) {
        cast_at_half_space(list, moving, translation, TARN_HIT_BED, v3(0, 1, 0), f->bed_min);
        return;
    }
    struct ground_cast c = {.fluid = f, .translation = translation, .limit = 1.0};
    if (list->nearest_only && list->count > 0) c.limit = list->hits[0].fraction;
    if (centre.y <= f->rest_level + fluid_bed_at(f, centre.x, centre.z, slope))
        c.first = (struct convex_hit){.point = centre}, c.any = true;
    for (int k = 0; k < moving->count && !(c.any && c.limit == 0.0); ++k) {
        const struct convex_instance part = convex_place(&moving->parts[k], moving->position, &moving->axes);
        c.moving = &part;
        if (!c.any || c.first.fraction > 0.0) cast_part_at_ground(&c);
    }
    if (!c.any) return;
    const struct height_hit hit = {c.first.fraction, c.first.point, c.first.normal};
    hit_list_add_height(list, TARN_HIT_BED, &hit);
}

// ---- shapes -------------------------------------------------------------------------------------------

static bool is_cast(const tarn_shape_cast *cast)
{
    return cast->shape && is_query_pose(&cast->pose) && is_query_vector(cast->translation);
}

static void cast_shape(const tarn_world *w, const tarn_shape_cast *cast, struct hit_list *list)
{
    const uint32_t kinds = query_kinds(&cast->filter);
    const struct body_domain domain = world_body_domain(w);
    const struct query_parts moving = query_parts_of(cast->shape, &cast->pose);
    if (kinds & TARN_HIT_BODY) {
        const struct body_query query = world_body_query(w, &domain, &cast->filter);
        bodies_cast(&query, &moving, cast->translation, hit_list_add_body, list);
    }
    if (kinds & TARN_HIT_WALL) cast_at_walls(list, &moving, cast->translation, &domain);
    if (kinds & TARN_HIT_BED && w->fluid.model->height_field)
        cast_at_ground(list, &moving, cast->translation);
}

static void cast_nearest(const tarn_world *w, const tarn_shape_cast *cast, tarn_hit *out)
{
    struct hit_list list = {.world = w, .hits = out, .capacity = 1, .nearest_only = true};
    *out = (tarn_hit){0};
    cast_shape(w, cast, &list);
}

tarn_result tarn_world_cast_shape(const tarn_world *w, const tarn_shape_cast *cast, tarn_hit *out)
{
    if (out) *out = (tarn_hit){0};
    if (!w || !cast || !out || !is_cast(cast)) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    cast_nearest(w, cast, out);
    fpmode_leave(host);
    return TARN_OK;
}

int tarn_world_cast_shape_all(const tarn_world *w, const tarn_shape_cast *cast, tarn_hit *out, int capacity)
{
    if (!w || !cast || capacity < 0 || (capacity > 0 && !out) || !is_cast(cast)) return 0;
    const struct fpmode host = fpmode_enter();
    struct hit_list list = {.world = w, .hits = out, .capacity = capacity};
    cast_shape(w, cast, &list);
    fpmode_leave(host);
    return list.count;
}

struct cast_batch {
    const tarn_world *world;
    const tarn_shape_cast *casts;
    tarn_hit *hits;
};

static void cast_block(void *context, int first, int end)
{
    const struct cast_batch *batch = context;
    for (int i = first; i < end; ++i) {
        batch->hits[i] = (tarn_hit){0};
        if (is_cast(&batch->casts[i])) cast_nearest(batch->world, &batch->casts[i], &batch->hits[i]);
    }
}

tarn_result tarn_world_cast_shapes(const tarn_world *w, int count, const tarn_shape_cast *casts,
                                   tarn_hit *out)
{
    if (!w || count < 0 || (count > 0 && (!casts || !out))) return TARN_BAD_ARGUMENT;
    struct cast_batch batch = {w, casts, out};
    query_in_blocks(w, count, cast_block, &batch);
    for (int i = 0; i < count; ++i)
        if (!is_cast(&casts[i])) return TARN_BAD_ARGUMENT;
    return TARN_OK;
}
