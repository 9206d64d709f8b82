// Contact detection and persistence. Contacts are detected once per world step, or earlier if a body leaves
// its margin, for all pairs that may touch until the next detection (speculative margin). Contact points
// keep their accumulated impulses for warm starting [catto2005] as long as they match a point of the
// previous list.
#include "body/solve/dynamics.h"

#include <string.h>

#define MARGIN_FRACTION      0.005 // of the bounding radius: margin at rest, so that contacts persist
#define MARGIN_ACCELERATION  10.0  // [m/s^2] assumed in the margin in addition to the present speed
#define MATCH_DISTANCE       0.3   // of the bounding radius: a closer previous point passes its impulse on
#define MATCH_NORMAL_COS     0.9   // least cosine between the normals of both
#define MAX_MATCH_CANDIDATES 16    // previous contacts searched: 16 x 4 points fit a 64-bit mask
#define REUSE_DISTANCE       2e-3  // of the smaller radius: relative motion up to which a manifold is reused
#define REUSE_ANGLE          2e-3  // [rad] relative rotation up to which a manifold is reused

// ---- list of contacts ------------------------------------------------------------------------------

// Order of the list: by a, b and image. Contacts of one pair and image compare equal and keep their order.
static int compare_contacts(const struct contact *x, const struct contact *y)
{
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return x->image < y->image ? -1 : x->image > y->image;
}

// The previous contacts of the same pair and image. Must be called in ascending order of the pairs.
static const struct contact *find_previous(struct contacts *c, const struct contact *key, int *count)
{
    while (c->previous_cursor < c->previous_count &&
           compare_contacts(&c->previous[c->previous_cursor], key) < 0)
        ++c->previous_cursor;
    *count = 0;
    while (c->previous_cursor + *count < c->previous_count &&
           compare_contacts(&c->previous[c->previous_cursor + *count], key) == 0)
        ++*count;
    return &c->previous[c->previous_cursor];
}

// Each new point takes over the impulses of the closest previous point within max_distance whose contact has
// a similar normal. A previous point is used once.
static void match_impulses(struct contact *c, const struct contact *previous, int count, double max_distance)
{
    uint64_t taken = 0;
    for (int k = 0; k < c->point_count; ++k) {
        int match = -1;
        double min_square = max_distance * max_distance;
        for (int m = 0; m < imin(count, MAX_MATCH_CANDIDATES) * MANIFOLD_POINTS; ++m) {
            const struct contact *candidate = &previous[m / MANIFOLD_POINTS];
            if (m % MANIFOLD_POINTS >= candidate->point_count || taken >> m & 1u ||
                v3_dot(candidate->normal, c->normal) < MATCH_NORMAL_COS)
                continue;
            const vec3 offset = v3_sub(c->points[k].local_a, candidate->points[m % MANIFOLD_POINTS].local_a);
            if (v3_dot(offset, offset) < min_square) min_square = v3_dot(offset, offset), match = m;
        }
        if (match < 0) continue;
        const struct contact *candidate = &previous[match / MANIFOLD_POINTS];
        taken |= (uint64_t)1 << match;
        c->points[k].normal_impulse = candidate->points[match % MANIFOLD_POINTS].normal_impulse;
        c->points[k].step_impulse = candidate->points[match % MANIFOLD_POINTS].step_impulse;
        memcpy(c->points[k].friction_impulse, candidate->points[match % MANIFOLD_POINTS].friction_impulse,
               sizeof c->points[k].friction_impulse);
        c->is_touching |= candidate->is_touching;
        c->impact_impulse = fmaxf(c->impact_impulse, candidate->impact_impulse),
        c->impact_speed = fmaxf(c->impact_speed, candidate->impact_speed);
    }
}

struct contact *contacts_add(struct bodies *b, const struct contact *contact)
{
    struct contacts *c = &b->dynamics->contacts;
    int count;
    if (!memory_grow(b->memory, (void **)&c->current, &c->capacity, c->count + 1, sizeof *c->current))
        return NULL;
    struct contact *out = &c->current[c->count++];
    *out = *contact;
    const struct contact *previous = find_previous(c, contact, &count);
    match_impulses(out, previous, count,
                   MATCH_DISTANCE * b->slots[contact->a].body->def.shape->bounding_radius);
    return out;
}

// Copies all previous contacts of a pair unchanged.
static bool keep_previous(struct bodies *b, int a, int body_b, int image)
{
    struct contacts *c = &b->dynamics->contacts;
    const struct contact key = {.a = a, .b = body_b, .image = image};
    int count;
    const struct contact *previous = find_previous(c, &key, &count);
    if (!memory_grow(b->memory, (void **)&c->current, &c->capacity, c->count + count, sizeof *c->current))
        return false;
    if (count) memcpy(c->current + c->count, previous, (size_t)count * sizeof *previous);
    c->count += count;
    return true;
}

double contact_point_gap(const struct bodies *b, const struct contact *c, int k)
{
    const struct contact_point *point = &c->points[k];
    const struct body_state *state_a = &b->state[c->a];
    vec3 on_b = point->local_b;
    if (c->b >= 0) {
        const struct body_state *state_b = &b->state[c->b];
        on_b = v3_add(v3_add(state_b->position, image_offset(c->image, b->dynamics->period)),
                      quat_rotate(state_b->rotation, on_b));
    }
    const vec3 on_a = v3_add(state_a->position, quat_rotate(state_a->rotation, point->local_a));
    return v3_dot(v3_sub(on_b, on_a), quat_rotate(state_a->rotation, c->normal));
}

// ---- narrow phase of a pair ------------------------------------------------------------------------

// A pair of bodies during the narrow phase.
struct pair_query {
    int a, b, image;
    vec3 position_b; // [m] of the periodic image of b
    const mat3 *rotation_a, *rotation_b;
    quat relative_rotation; // b's axes in a's
    vec3 relative_position; // [m] of b's image, in a's axes
    double margin;
};

static bool is_pose_unchanged(const struct contact *previous, const struct pair_query *query,
                              double min_radius)
{
    const vec3 d = v3_sub(previous->relative_position, query->relative_position);
    if (v3_dot(d, d) > REUSE_DISTANCE * REUSE_DISTANCE * min_radius * min_radius) return false;
    const quat q = quat_mul(quat_conjugate(previous->relative_rotation), query->relative_rotation);
    return q.x * q.x + q.y * q.y + q.z * q.z < 0.25 * REUSE_ANGLE * REUSE_ANGLE;
}

#define MERGE_NORMAL_COS 0.999 // 2.6 degrees

static double manifold_min_gap(const struct manifold *manifold)
{
    double gap = INFINITY;
    for (int n = 0; n < manifold->count; ++n)
        gap = fmin(gap, manifold_point_gap(&manifold->points[n], manifold->normal));
    return gap;
}

// Group for a new normal. If all MAX_NORMALS are in use, the group with the largest gap is replaced: two
// tori approach each other along up to fifty normals, and the one that is dropped must not be the one along
// which they overlap. Returns NULL if all groups have smaller gaps.
static struct normal_group *group_for_normal(struct normal_group *groups, int *count, double gap)
{
    if (*count < MAX_NORMALS) return &groups[(*count)++];
    struct normal_group *widest = groups;
    for (int k = 1; k < MAX_NORMALS; ++k)
        if (groups[k].min_gap > widest->min_gap) widest = &groups[k];
    return gap < widest->min_gap ? widest : NULL;
}

static void add_manifold(struct normal_group *groups, int *count, int part_a, int part_b,
                         const struct manifold *manifold)
{
    const double gap = manifold_min_gap(manifold);
    int k = 0;
    while (k < *count && v3_dot(groups[k].normal, manifold->normal) < MERGE_NORMAL_COS) ++k;
    struct normal_group *group = &groups[k];
    if (k == *count) {
        group = group_for_normal(groups, count, gap);
        if (!group) return;
        group->normal = manifold->normal, group->min_gap = gap, group->part_a = part_a,
        group->part_b = part_b, group->candidates.count = 0;
    }
    group->min_gap = fmin(group->min_gap, gap);
    for (int n = 0; n < manifold->count && group->candidates.count < 2 * MAX_FACE_VERTICES; ++n)
        group->candidates.points[group->candidates.count++] = manifold->points[n];
}

static bool add_group_contact(struct bodies *b, const struct pair_query *query,
                              const struct normal_group *group)
{
    struct contact contact = {.a = query->a,
                              .b = query->b,
                              .part_a = group->part_a,
                              .part_b = group->part_b,
                              .collider = -1,
                              .image = query->image};
    struct manifold manifold;
    manifold_reduce(&group->candidates, group->normal, &manifold);
    contact.point_count = manifold.count;
    contact.normal = mat3_mul_t(query->rotation_a, manifold.normal);
    contact.relative_position = query->relative_position,
    contact.relative_rotation = query->relative_rotation;
    for (int k = 0; k < manifold.count; ++k) {
        contact.points[k].local_a =
            mat3_mul_t(query->rotation_a, v3_sub(manifold.points[k].on_a, b->state[query->a].position));
        contact.points[k].local_b =
            mat3_mul_t(query->rotation_b, v3_sub(manifold.points[k].on_b, query->position_b));
    }
    return contacts_add(b, &contact) != NULL;
}

static bool collide_parts(struct bodies *b, const struct pair_query *query)
{
    const struct shape_data *shape_a = &b->slots[query->a].body->def.shape->data,
                            *shape_b = &b->slots[query->b].body->def.shape->data;
    const double radius_b = b->slots[query->b].body->def.shape->bounding_radius;
    struct normal_group *groups = b->dynamics->contacts.groups;
    int count = 0;
    for (int i = 0; i < shape_a->convex_part_count; ++i) {
        const struct convex_instance part_a =
            convex_place(&shape_a->convex_parts[i], b->state[query->a].position, query->rotation_a);
        const vec3 to_b = v3_sub(query->position_b, part_a.position);
        double max_distance = part_a.part->bounding_radius + radius_b + query->margin;
        if (shape_a->convex_part_count > 1 && v3_dot(to_b, to_b) > max_distance * max_distance) continue;
        for (int j = 0; j < shape_b->convex_part_count; ++j) {
            const struct convex_instance part_b =
                convex_place(&shape_b->convex_parts[j], query->position_b, query->rotation_b);
            const vec3 offset = v3_sub(part_b.position, part_a.position);
            struct manifold manifold;
            max_distance = part_a.part->bounding_radius + part_b.part->bounding_radius + query->margin;
            if (v3_dot(offset, offset) > max_distance * max_distance) continue;
            collide_convex(&part_a, &part_b, query->margin, &manifold);
            if (manifold.count) add_manifold(groups, &count, i, j, &manifold);
        }
    }
    for (int k = 0; k < count; ++k)
        if (!add_group_contact(b, query, &groups[k])) return false;
    return true;
}

static bool collide_pair(struct bodies *b, const struct body_pair *pair)
{
    const struct dynamics *dyn = b->dynamics;
    const struct body_state *state_a = &b->state[pair->a], *state_b = &b->state[pair->b];
    const tarn_shape *shape_a = b->slots[pair->a].body->def.shape,
                     *shape_b = b->slots[pair->b].body->def.shape;
    struct pair_query query = {.a = pair->a,
                               .b = pair->b,
                               .image = pair->image,
                               .margin = dyn->margin[pair->a] + dyn->margin[pair->b]};
    query.position_b = v3_add(state_b->position, image_offset(pair->image, dyn->period));
    const vec3 offset = v3_sub(query.position_b, state_a->position);
    const double max_distance = shape_a->bounding_radius + shape_b->bounding_radius + query.margin;
    if (v3_dot(offset, offset) > max_distance * max_distance || joints_connect(b, pair->a, pair->b))
        return true;
    query.rotation_a = &dyn->rotation[pair->a], query.rotation_b = &dyn->rotation[pair->b];
    query.relative_rotation = quat_mul(quat_conjugate(state_a->rotation), state_b->rotation);
    query.relative_position = mat3_mul_t(query.rotation_a, offset);
    const struct contact key = {.a = pair->a, .b = pair->b, .image = pair->image};
    int count;
    const struct contact *previous = find_previous(&b->dynamics->contacts, &key, &count);
    if (count &&
        is_pose_unchanged(previous, &query, fmin(shape_a->bounding_radius, shape_b->bounding_radius)))
        return keep_previous(b, pair->a, pair->b, pair->image);
    return collide_parts(b, &query);
}

// ---- detection -------------------------------------------------------------------------------------

static vec3 v3_abs(vec3 v) { return v3(fabs(v.x), fabs(v.y), fabs(v.z)); }

// [m] Half extents of a part along the world's axes: exact for boxes, else the bounding radius.
static vec3 convex_half_extent(const struct convex_instance *p)
{
    const vec3 h = p->part->box_half;
    if (!(h.x > 0.0)) return v3(p->part->bounding_radius, p->part->bounding_radius, p->part->bounding_radius);
    const mat3 *m = &p->axes;
    return v3(fabs(m->m[0][0]) * h.x + fabs(m->m[0][1]) * h.y + fabs(m->m[0][2]) * h.z,
              fabs(m->m[1][0]) * h.x + fabs(m->m[1][1]) * h.y + fabs(m->m[1][2]) * h.z,
              fabs(m->m[2][0]) * h.x + fabs(m->m[2][1]) * h.y + fabs(m->m[2][2]) * h.z);
}

void body_bounds(const struct bodies *b, int i, vec3 *lo, vec3 *hi)
{
    const struct shape_data *shape = &b->slots[i].body->def.shape->data;
    const mat3 rotation = quat_to_matrix(b->state[i].rotation);
    *lo = v3(INFINITY, INFINITY, INFINITY), *hi = v3(-INFINITY, -INFINITY, -INFINITY);
    for (int k = 0; k < shape->convex_part_count; ++k) {
        const struct convex_instance p =
            convex_place(&shape->convex_parts[k], b->state[i].position, &rotation);
        const double r = p.part->rounding;
        hi->x = fmax(hi->x, convex_support(&p, v3(1, 0, 0)).x + r);
        hi->y = fmax(hi->y, convex_support(&p, v3(0, 1, 0)).y + r);
        hi->z = fmax(hi->z, convex_support(&p, v3(0, 0, 1)).z + r);
        lo->x = fmin(lo->x, convex_support(&p, v3(-1, 0, 0)).x - r);
        lo->y = fmin(lo->y, convex_support(&p, v3(0, -1, 0)).y - r);
        lo->z = fmin(lo->z, convex_support(&p, v3(0, 0, -1)).z - r);
    }
}

static void update_aabb(struct bodies *b, int i, double interval)
{
    struct dynamics *dyn = b->dynamics;
    const tarn_shape *shape = b->slots[i].body->def.shape;
    const bool is_resting = dyn->is_asleep[i] && b->state[i].sleep_timer > 0.0;
    const double speed =
        v3_length(body_velocity(b, i)) + v3_length(body_angular_velocity(b, i)) * shape->bounding_radius;
    dyn->margin[i] = MARGIN_FRACTION * shape->bounding_radius +
                     (is_resting ? 0.0 : interval * (speed + MARGIN_ACCELERATION * interval));
    dyn->detection_position[i] = b->state[i].position;
    dyn->rotation[i] = quat_to_matrix(b->state[i].rotation);
    const vec3 margin = v3(dyn->margin[i], dyn->margin[i], dyn->margin[i]);
    for (int k = 0; k < shape->data.convex_part_count; ++k) {
        const struct convex_instance p =
            convex_place(&shape->data.convex_parts[k], b->state[i].position, &dyn->rotation[i]);
        const vec3 d = v3_add(v3_abs(convex_half_extent(&p)), margin), lo = v3_sub(p.position, d),
                   hi = v3_add(p.position, d);
        struct aabb *out = &dyn->aabb[i];
        if (k == 0) *out = (struct aabb){lo, hi};
        out->lo = v3(fmin(out->lo.x, lo.x), fmin(out->lo.y, lo.y), fmin(out->lo.z, lo.z));
        out->hi = v3(fmax(out->hi.x, hi.x), fmax(out->hi.y, hi.y), fmax(out->hi.z, hi.z));
    }
}

// True if the body is asleep, or kinematic and motionless: its contacts are kept.
static bool is_unchanged(const struct bodies *b, int i)
{
    return b->state[i].sleep_timer > 0.0 &&
           (b->dynamics->is_asleep[i] || (!body_is_dynamic(b, i) && !body_is_moving(b, i)));
}

static bool update_contacts(struct bodies *b, const struct body_domain *domain)
{
    struct dynamics *dyn = b->dynamics;
    struct contacts *c = &dyn->contacts;
    struct contact *swap = c->previous;
    const int capacity = c->previous_capacity;
    c->previous = c->current, c->previous_count = c->count, c->previous_capacity = c->capacity;
    c->current = swap, c->count = 0, c->capacity = capacity, c->previous_cursor = 0;
    const int pairs = b->ignore_body_pairs ? 0 : dyn->broad_phase.pair_count;
    int p = 0;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i)) continue;
        const bool unchanged = is_unchanged(b, i);
        if (body_is_dynamic(b, i) && body_is_enabled(b, i) &&
            !(unchanged ? keep_previous(b, i, -1, IMAGE_SELF)
                        : add_domain_contacts(b, domain, i) && add_collider_contacts(b, domain, i)))
            return false;
        while (p < pairs && dyn->broad_phase.pairs[p].a < i) ++p;
        for (; p < pairs && dyn->broad_phase.pairs[p].a == i; ++p) {
            const struct body_pair *pair = &dyn->broad_phase.pairs[p];
            if (!body_exists_solid(b, pair->b) || !body_is_solid(b, i)) continue; // sensors have no contacts
            if (!(unchanged && is_unchanged(b, pair->b) ? keep_previous(b, i, pair->b, pair->image)
                                                        : collide_pair(b, pair)))
                return false;
        }
    }
    return true;
}

static bool find_pairs_and_contacts(struct bodies *b, const struct body_domain *domain)
{
    double start = profile_start(b->profile);
    if (!broad_phase_update(b, b->dynamics->aabb, domain->period)) return false;
    profile_stop(b->profile, PHASE_BROAD_PHASE, start);
    start = profile_start(b->profile);
    if (!update_contacts(b, domain)) return false;
    profile_stop(b->profile, PHASE_NARROW_PHASE, start);
    if (b->profile) b->profile->detections += 1;
    return true;
}

bool bodies_detect_contacts(struct bodies *b, const struct body_domain *domain, double interval)
{
    struct dynamics *dyn = b->dynamics;
    dyn->detection_interval = dyn->detection_time_left = interval;
    memcpy(dyn->period, domain->period, sizeof dyn->period);
    dyn->colliders = domain->colliders, dyn->collider_count = domain->collider_count;
    batches_store_impulses(b);
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i)) update_aabb(b, i, interval);
    if (!find_pairs_and_contacts(b, domain)) return false;
    update_islands_and_sleep(b, interval);
    return batches_build(b);
}
