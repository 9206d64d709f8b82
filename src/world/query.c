// Queries of a world: rays, overlaps, nearest points. Of several hits at the same fraction the one of the
// lower kind, slot and part comes first, so that results do not depend on the order of the search.
#include "query.h"

#include "base/parallel/fpmode.h"

#include <string.h>

#define QUERIES_PER_BLOCK 64

bool is_query_pose(const tarn_pose *pose)
{
    const tarn_quat q = pose->rotation;
    return is_query_vector(pose->position) && fabs(q.w) <= 10.0 && fabs(q.x) <= 10.0 && fabs(q.y) <= 10.0 &&
           fabs(q.z) <= 10.0; // as PARAM_QUAT
}

struct query_parts query_parts_of(const tarn_shape *shape, const tarn_pose *pose)
{
    struct query_parts out = {shape->data.convex_parts, shape->data.convex_part_count, pose->position,
                              quat_to_matrix(quat_normalize(pose->rotation)), shape->bounding_radius};
    for (int k = 0; k < out.count; ++k) // planar parts are 1 m deep
        out.radius = fmax(out.radius, v3_length(out.parts[k].position) + out.parts[k].bounding_radius);
    return out;
}

struct body_query world_body_query(const tarn_world *w, const struct body_domain *domain,
                                   const tarn_query_filter *filter)
{
    const tarn_query_filter all = {0};
    if (!filter) filter = &all;
    return (struct body_query){.bodies = &w->bodies,
                               .period = {domain->period[0], domain->period[1]},
                               .ignored_slot = body_index(&w->bodies, filter->ignore),
                               .category = filter->category,
                               .mask = filter->mask,
                               .sensors = filter->sensors};
}

tarn_hit query_body_hit(const tarn_world *w, const struct body_hit *hit)
{
    return (tarn_hit){.kind = TARN_HIT_BODY,
                      .part = hit->part,
                      .body = body_id(&w->bodies, hit->slot),
                      .point = hit->contact.point,
                      .normal = hit->contact.normal,
                      .fraction = hit->contact.fraction,
                      .user_data = w->bodies.slots[hit->slot].body->def.user_data};
}

void query_in_blocks(const tarn_world *w, int count, void (*block)(void *context, int first, int end),
                     void *context)
{
    parallel_for_rows(w->services.parallel, count, QUERIES_PER_BLOCK, block, context);
}

// ---- hits of a ray ----------------------------------------------------------------------------------

static bool is_before(const tarn_hit *x, const tarn_hit *y)
{
    if (x->fraction != y->fraction) return x->fraction < y->fraction;
    if (x->kind != y->kind) return x->kind < y->kind;
    return id_slot(x->body.value) != id_slot(y->body.value) ? id_slot(x->body.value) < id_slot(y->body.value)
                                                            : x->part < y->part;
}

double hit_list_add(struct hit_list *list, const tarn_hit *hit)
{
    const int kept = imin(list->count, list->capacity);
    int at = kept;
    while (at > 0 && is_before(hit, &list->hits[at - 1])) --at;
    for (int i = imin(kept, list->capacity - 1); i > at; --i) list->hits[i] = list->hits[i - 1];
    if (at < list->capacity) list->hits[at] = *hit;
    list->count += 1;
    return list->nearest_only ? list->hits[0].fraction : 1.0;
}

double hit_list_add_body(void *list, const struct body_hit *hit)
{
    const tarn_hit as_public = query_body_hit(((struct hit_list *)list)->world, hit);
    return hit_list_add(list, &as_public);
}

void hit_list_add_height(struct hit_list *list, tarn_hit_kind kind, const struct height_hit *hit)
{
    const tarn_hit as_public = {
        .kind = kind, .point = hit->point, .normal = hit->normal, .fraction = hit->fraction};
    hit_list_add(list, &as_public);
}

// ---- walls ------------------------------------------------------------------------------------------

// The part of a ray between two walls; `axis` and `side` of the wall that it meets from inside.
struct wall_clip {
    double enter, leave;
    int axis, side; // axis -1: no wall
};

static void clip_between_walls(struct wall_clip *clip, const tarn_ray *ray, int axis, double lo, double hi)
{
    const double at = v3_get(ray->origin, axis), d = v3_get(ray->translation, axis);
    if (d == 0.0) {
        if (at < lo || at > hi) clip->leave = -INFINITY;
        return;
    }
    clip->enter = fmax(clip->enter, ((d > 0.0 ? lo : hi) - at) / d);
    const double leave = ((d > 0.0 ? hi : lo) - at) / d;
    if (leave < clip->leave) clip->leave = leave, clip->axis = axis, clip->side = d > 0.0 ? 1 : -1;
}

static void cast_at_walls(struct hit_list *list, const struct body_domain *domain, const tarn_ray *ray)
{
    struct wall_clip clip = {.leave = 1.0, .axis = -1};
    clip_between_walls(&clip, ray, 0, domain->x_min, domain->x_max);
    if (domain->ceiling > 0.0) clip_between_walls(&clip, ray, 1, domain->floor, domain->ceiling);
    clip_between_walls(&clip, ray, 2, domain->z_min, domain->z_max);
    if (clip.axis < 0 || clip.enter > clip.leave) return;
    const double n = -clip.side;
    const tarn_hit hit = {
        .kind = TARN_HIT_WALL,
        .point = v3_madd(ray->origin, clip.leave, ray->translation),
        .normal = v3(clip.axis == 0 ? n : 0.0, clip.axis == 1 ? n : 0.0, clip.axis == 2 ? n : 0.0),
        .fraction = clip.leave};
    hit_list_add(list, &hit);
}

// ---- rays -------------------------------------------------------------------------------------------

static bool is_ray(const tarn_ray *ray)
{
    return is_query_vector(ray->origin) && is_query_vector(ray->translation);
}

static void cast_ray(const tarn_world *w, const tarn_ray *ray, struct hit_list *list)
{
    const uint32_t kinds = query_kinds(&ray->filter);
    const struct body_domain domain = world_body_domain(w);
    const bool has_surface = w->fluid.model->height_field != NULL;
    struct height_hit hit;
    if (kinds & TARN_HIT_BODY) {
        const struct body_query query = world_body_query(w, &domain, &ray->filter);
        bodies_cast_point(&query, ray->origin, ray->translation, hit_list_add_body, list);
    }
    if (kinds & TARN_HIT_WALL) cast_at_walls(list, &domain, ray);
    if (kinds & TARN_HIT_BED && has_surface &&
        fluid_cast_at_bed(&w->fluid, ray->origin, ray->translation, &hit))
        hit_list_add_height(list, TARN_HIT_BED, &hit);
    if (kinds & TARN_HIT_WATER && has_surface &&
        fluid_cast_at_surface(&w->fluid, ray->origin, ray->translation, &hit))
        hit_list_add_height(list, TARN_HIT_WATER, &hit);
}

static void cast_nearest(const tarn_world *w, const tarn_ray *ray, tarn_hit *out)
{
    struct hit_list list = {.world = w, .hits = out, .capacity = 1, .nearest_only = true};
    *out = (tarn_hit){0};
    cast_ray(w, ray, &list);
}

tarn_result tarn_world_cast_ray(const tarn_world *w, const tarn_ray *ray, tarn_hit *out)
{
    if (out) *out = (tarn_hit){0};
    if (!w || !ray || !out || !is_ray(ray)) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    cast_nearest(w, ray, out);
    fpmode_leave(host);
    return TARN_OK;
}

int tarn_world_cast_ray_all(const tarn_world *w, const tarn_ray *ray, tarn_hit *out, int capacity)
{
    if (!w || !ray || capacity < 0 || (capacity > 0 && !out) || !is_ray(ray)) return 0;
    const struct fpmode host = fpmode_enter();
    struct hit_list list = {.world = w, .hits = out, .capacity = capacity};
    cast_ray(w, ray, &list);
    fpmode_leave(host);
    return list.count;
}

struct ray_batch {
    const tarn_world *world;
    const tarn_ray *rays;
    tarn_hit *hits;
};

static void cast_block(void *context, int first, int end)
{
    const struct ray_batch *batch = context;
    for (int i = first; i < end; ++i) {
        batch->hits[i] = (tarn_hit){0};
        if (is_ray(&batch->rays[i])) cast_nearest(batch->world, &batch->rays[i], &batch->hits[i]);
    }
}

tarn_result tarn_world_cast_rays(const tarn_world *w, int count, const tarn_ray *rays, tarn_hit *out)
{
    if (!w || count < 0 || (count > 0 && (!rays || !out))) return TARN_BAD_ARGUMENT;
    struct ray_batch batch = {w, rays, out};
    query_in_blocks(w, count, cast_block, &batch);
    for (int i = 0; i < count; ++i)
        if (!is_ray(&rays[i])) return TARN_BAD_ARGUMENT;
    return TARN_OK;
}

// ---- overlaps ---------------------------------------------------------------------------------------

// The bodies of the `capacity` lowest slots in ascending order, and how many there are.
struct body_list {
    const struct bodies *bodies;
    tarn_body_id *out;
    int capacity, count;
};

static void add_body(void *context, int slot)
{
    struct body_list *list = context;
    const int kept = imin(list->count, list->capacity);
    const uint32_t index = (uint32_t)slot;
    int at = kept;
    while (at > 0 && id_slot(list->out[at - 1].value) >= index) --at;
    for (int i = imin(kept, list->capacity - 1); i > at; --i) list->out[i] = list->out[i - 1];
    if (at < list->capacity) list->out[at] = body_id(list->bodies, slot);
    list->count += 1;
}

static int find_overlaps(const tarn_world *w, const struct query_parts *parts,
                         const tarn_query_filter *filter, tarn_body_id *out, int capacity)
{
    const struct body_domain domain = world_body_domain(w);
    const struct body_query query = world_body_query(w, &domain, filter);
    struct body_list list = {&w->bodies, out, capacity, 0};
    bodies_overlap(&query, parts, add_body, &list);
    return list.count;
}

static bool is_list(const tarn_body_id *out, int capacity) { return capacity == 0 || (capacity > 0 && out); }

int tarn_world_overlap_box(const tarn_world *w, const tarn_aabb *box, const tarn_query_filter *filter,
                           tarn_body_id *out, int capacity)
{
    if (!w || !box || !is_list(out, capacity) || !is_query_vector(box->min) || !is_query_vector(box->max) ||
        !(box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z))
        return 0;
    const struct fpmode host = fpmode_enter();
    const vec3 half = v3_scale(v3_sub(box->max, box->min), 0.5), centre = v3_add(box->min, half);
    const vec3 corners[8] = {{-half.x, -half.y, -half.z}, {half.x, -half.y, -half.z},
                             {-half.x, half.y, -half.z},  {half.x, half.y, -half.z},
                             {-half.x, -half.y, half.z},  {half.x, -half.y, half.z},
                             {-half.x, half.y, half.z},   {half.x, half.y, half.z}};
    vec3 vertices[8];
    memcpy(vertices, corners, sizeof vertices);
    const struct convex_part part = {.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                     .vertex_count = 8,
                                     .vertices = vertices,
                                     .bounding_radius = v3_length(half),
                                     .has_body_pose = true};
    const struct query_parts parts = {&part, 1, centre, part.axes, part.bounding_radius};
    const int count = find_overlaps(w, &parts, filter, out, capacity);
    fpmode_leave(host);
    return count;
}

int tarn_world_overlap_shape(const tarn_world *w, const tarn_shape *shape, const tarn_pose *pose,
                             const tarn_query_filter *filter, tarn_body_id *out, int capacity)
{
    if (!w || !shape || !pose || !is_list(out, capacity) || !is_query_pose(pose)) return 0;
    const struct fpmode host = fpmode_enter();
    const struct query_parts parts = query_parts_of(shape, pose);
    const int count = find_overlaps(w, &parts, filter, out, capacity);
    fpmode_leave(host);
    return count;
}

int tarn_world_overlap_point(const tarn_world *w, tarn_vec3 point, const tarn_query_filter *filter,
                             tarn_body_id *out, int capacity)
{
    if (!w || !is_list(out, capacity) || !is_query_vector(point)) return 0;
    const struct fpmode host = fpmode_enter();
    struct profile_point core;
    const struct convex_part part = convex_point(&core);
    const struct query_parts parts = {&part, 1, point, part.axes, 0.0};
    const int count = find_overlaps(w, &parts, filter, out, capacity);
    fpmode_leave(host);
    return count;
}

// ---- nearest points ---------------------------------------------------------------------------------

// Hits of several kinds; their fractions are parts of the same distance.
static void keep_nearer(tarn_hit *best, const tarn_hit *hit)
{
    if (best->kind == TARN_HIT_NONE || is_before(hit, best)) *best = *hit;
}

static void keep_nearer_height(tarn_hit *best, tarn_hit_kind kind, const struct height_hit *hit)
{
    const tarn_hit as_public = {
        .kind = kind, .point = hit->point, .normal = hit->normal, .fraction = hit->fraction};
    keep_nearer(best, &as_public);
}

// The walls from inside; a point beyond a wall has none near.
static void find_nearest_wall(const struct body_domain *domain, vec3 point, double distance, tarn_hit *best)
{
    const double low[3] = {domain->x_min, domain->ceiling > 0.0 ? domain->floor : -INFINITY, domain->z_min},
                 high[3] = {domain->x_max, domain->ceiling > 0.0 ? domain->ceiling : INFINITY, domain->z_max};
    for (int axis = 0; axis < 3; ++axis)
        if (!(low[axis] <= v3_get(point, axis) && v3_get(point, axis) <= high[axis])) return;
    for (int k = 0; k < 6; ++k) {
        const int axis = k / 2;
        const double wall = k % 2 ? high[axis] : low[axis], to = wall - v3_get(point, axis),
                     n = k % 2 ? -1.0 : 1.0;
        const vec3 unit = v3(axis == 0, axis == 1, axis == 2);
        if (!(fabs(to) <= distance)) continue;
        const tarn_hit hit = {.kind = TARN_HIT_WALL,
                              .point = v3_madd(point, to, unit),
                              .normal = v3_scale(unit, n),
                              .fraction = fabs(to) / distance};
        keep_nearer(best, &hit);
    }
}

tarn_result tarn_world_find_nearest(const tarn_world *w, tarn_vec3 point, double distance,
                                    const tarn_query_filter *filter, tarn_hit *out)
{
    if (out) *out = (tarn_hit){0};
    if (!w || !out || !is_query_vector(point) || !(0.0 < distance && distance <= MAX_QUERY_COORDINATE))
        return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    const struct body_domain domain = world_body_domain(w);
    const uint32_t kinds = filter && filter->kinds ? filter->kinds : TARN_HIT_BODY;
    const bool has_surface = w->fluid.model->height_field != NULL;
    const struct body_query query = world_body_query(w, &domain, filter);
    struct body_hit hit;
    struct height_hit height;
    if (kinds & TARN_HIT_BODY && bodies_find_nearest(&query, point, distance, &hit))
        *out = query_body_hit(w, &hit);
    if (kinds & TARN_HIT_WALL) find_nearest_wall(&domain, point, distance, out);
    if (kinds & TARN_HIT_BED && has_surface && fluid_nearest_bed(&w->fluid, point, distance, &height))
        keep_nearer_height(out, TARN_HIT_BED, &height);
    if (kinds & TARN_HIT_WATER && has_surface && fluid_nearest_surface(&w->fluid, point, distance, &height))
        keep_nearer_height(out, TARN_HIT_WATER, &height);
    fpmode_leave(host);
    return TARN_OK;
}
