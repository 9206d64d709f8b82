// Queries of all bodies by the bounding volume hierarchy, then of their convex parts.
#include "body/collide/body_query.h"

#include "body/body.h"
#include "body/collide/body_tree.h"

bool body_hit_is_before(const struct body_hit *hit, const struct body_hit *best)
{
    if (hit->contact.fraction != best->contact.fraction)
        return hit->contact.fraction < best->contact.fraction;
    return hit->slot != best->slot ? hit->slot < best->slot : hit->part < best->part;
}

// A query of one periodic image of all bodies. `parts` NULL: a point is cast from `origin`.
struct image_query {
    const struct body_query *query;
    vec3 offset; // [m] of the image
    const struct query_parts *parts;
    vec3 origin, translation;
    double limit; // fraction beyond which nothing counts
    body_hit_fn report;
    void (*report_overlap)(void *context, int slot);
    void *context;
};

// Calls visit() for all bodies and all their images that meet the swept box.
static void visit_images(struct image_query *q, const struct swept_box *sweep,
                         double (*visit)(void *image_query, int slot))
{
    const int images_x = q->query->period[0] > 0.0, images_z = q->query->period[1] > 0.0;
    for (int x = -images_x; x <= images_x; ++x)
        for (int z = -images_z; z <= images_z; ++z) {
            q->offset = v3(x * q->query->period[0], 0.0, z * q->query->period[1]);
            struct swept_box shifted = *sweep;
            shifted.centre = v3_sub(sweep->centre, q->offset);
            shifted.max_fraction = q->limit;
            body_tree_visit(q->query->bodies, &shifted, visit, q);
        }
}

static bool is_ignored(const struct image_query *q, int slot)
{
    const struct body_query *query = q->query;
    const tarn_body_def *def = &query->bodies->slots[slot].body->def;
    return slot == query->ignored_slot || !def->enabled || (def->sensor && !query->sensors) ||
           (query->mask && !(query->mask & def->filter.category)) ||
           (query->category && !(query->category & def->filter.mask));
}

static struct convex_instance query_part(const struct query_parts *p, int i)
{
    return convex_place(&p->parts[i], p->position, &p->axes);
}

// The convex parts of one body, one after the other.
struct placed_body {
    const struct shape_data *shape;
    vec3 position; // [m] of the image
    mat3 axes;
};

static struct placed_body place_body(const struct image_query *q, int slot)
{
    const struct bodies *b = q->query->bodies;
    return (struct placed_body){&b->slots[slot].body->def.shape->data,
                                v3_add(b->state[slot].position, q->offset),
                                quat_to_matrix(b->state[slot].rotation)};
}

// ---- casts ------------------------------------------------------------------------------------------

static bool cast_at_part(const struct image_query *q, const struct convex_instance *still, double limit,
                         struct convex_hit *out)
{
    if (!q->parts) return convex_cast_point(q->origin, q->translation, still, limit, out);
    bool any = false;
    for (int i = 0; i < q->parts->count; ++i) {
        const struct convex_instance moving = query_part(q->parts, i);
        struct convex_hit hit;
        if (!convex_balls_meet(&moving, q->translation, still, limit)) continue;
        if (!convex_cast(&moving, q->translation, still, limit, &hit)) continue;
        if (any && hit.fraction >= out->fraction) continue;
        *out = hit, any = true, limit = hit.fraction;
    }
    return any;
}

static double cast_at_body(void *image_query, int slot)
{
    struct image_query *q = image_query;
    if (is_ignored(q, slot)) return q->limit;
    const struct placed_body body = place_body(q, slot);
    struct body_hit best = {.slot = -1, .contact.fraction = q->limit};
    for (int k = 0; k < body.shape->convex_part_count; ++k) {
        const struct convex_instance still =
            convex_place(&body.shape->convex_parts[k], body.position, &body.axes);
        struct body_hit hit = {.slot = slot, .part = k};
        if (!cast_at_part(q, &still, best.contact.fraction, &hit.contact)) continue;
        if (best.slot < 0 || body_hit_is_before(&hit, &best)) best = hit;
    }
    if (best.slot >= 0) q->limit = fmin(q->limit, q->report(q->context, &best));
    return q->limit;
}

void bodies_cast(const struct body_query *query, const struct query_parts *moving, vec3 translation,
                 body_hit_fn report, void *context)
{
    struct image_query q = {.query = query,
                            .parts = moving,
                            .translation = translation,
                            .limit = 1.0,
                            .report = report,
                            .context = context};
    const struct swept_box sweep = {moving->position, translation,
                                    v3(moving->radius, moving->radius, moving->radius), 1.0};
    visit_images(&q, &sweep, cast_at_body);
}

void bodies_cast_point(const struct body_query *query, vec3 origin, vec3 translation, body_hit_fn report,
                       void *context)
{
    struct image_query q = {.query = query,
                            .origin = origin,
                            .translation = translation,
                            .limit = 1.0,
                            .report = report,
                            .context = context};
    const struct swept_box sweep = {origin, translation, v3(0, 0, 0), 1.0};
    visit_images(&q, &sweep, cast_at_body);
}

// ---- at rest ----------------------------------------------------------------------------------------

static bool overlaps_image(const struct image_query *q, int slot, vec3 offset)
{
    struct image_query at = *q;
    at.offset = offset;
    const struct placed_body body = place_body(&at, slot);
    for (int k = 0; k < body.shape->convex_part_count; ++k) {
        const struct convex_instance still =
            convex_place(&body.shape->convex_parts[k], body.position, &body.axes);
        for (int i = 0; i < q->parts->count; ++i) {
            const struct convex_instance part = query_part(q->parts, i);
            if (convex_balls_meet(&part, v3(0, 0, 0), &still, 0.0) && convex_overlap(&part, &still))
                return true;
        }
    }
    return false;
}

// A body that overlaps by several of its images is reported for the first of them.
static double overlap_body(void *image_query, int slot)
{
    struct image_query *q = image_query;
    if (is_ignored(q, slot) || !overlaps_image(q, slot, q->offset)) return q->limit;
    const int images_x = q->query->period[0] > 0.0, images_z = q->query->period[1] > 0.0;
    for (int x = -images_x; x <= images_x; ++x)
        for (int z = -images_z; z <= images_z; ++z) {
            const vec3 offset = v3(x * q->query->period[0], 0.0, z * q->query->period[1]);
            if (offset.x == q->offset.x && offset.z == q->offset.z) {
                q->report_overlap(q->context, slot);
                return q->limit;
            }
            if (overlaps_image(q, slot, offset)) return q->limit;
        }
    return q->limit;
}

void bodies_overlap(const struct body_query *query, const struct query_parts *parts,
                    void (*report)(void *context, int slot), void *context)
{
    struct image_query q = {
        .query = query, .parts = parts, .limit = 1.0, .report_overlap = report, .context = context};
    const struct swept_box sweep = {parts->position, v3(0, 0, 0),
                                    v3(parts->radius, parts->radius, parts->radius), 1.0};
    visit_images(&q, &sweep, overlap_body);
}

// Here the context is the nearest hit so far, its fraction a distance [m].
static double distance_to_body(void *image_query, int slot)
{
    struct image_query *q = image_query;
    struct body_hit *best = q->context;
    if (is_ignored(q, slot)) return q->limit;
    const struct placed_body body = place_body(q, slot);
    for (int k = 0; k < body.shape->convex_part_count; ++k) {
        const struct convex_instance part =
            convex_place(&body.shape->convex_parts[k], body.position, &body.axes);
        const vec3 offset = v3_sub(part.position, q->origin);
        const double reach = best->contact.fraction + part.part->bounding_radius;
        if (v3_dot(offset, offset) > reach * reach) continue;
        struct body_hit hit = {.slot = slot, .part = k};
        hit.contact.fraction = convex_distance(q->origin, &part, best->contact.fraction, &hit.contact.point);
        if (hit.contact.fraction > best->contact.fraction) continue;
        if (best->slot < 0 || body_hit_is_before(&hit, best)) *best = hit;
    }
    return q->limit;
}

bool bodies_find_nearest(const struct body_query *query, vec3 point, double distance, struct body_hit *out)
{
    *out = (struct body_hit){.slot = -1, .contact.fraction = distance};
    struct image_query q = {.query = query, .origin = point, .limit = 1.0, .context = out};
    const struct swept_box sweep = {point, v3(0, 0, 0), v3(distance, distance, distance), 1.0};
    visit_images(&q, &sweep, distance_to_body);
    if (out->slot < 0) return false;
    const vec3 away = v3_sub(point, out->contact.point);
    const double length = v3_length(away);
    out->contact.fraction = out->contact.fraction / distance;
    if (length > 0.0) out->contact.normal = v3_scale(away, 1.0 / length);
    return true;
}
