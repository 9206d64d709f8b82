// Who touches whom. Contacts are looked for once a step, as far as bodies may get in it, and keep their points and
// impulses as long as they last.
#include "contact.h"

#include <string.h>

#define MARGIN_FRACTION \
    0.005 // of a body's radius: looked for beyond what it moves, so that contacts at rest last
#define MARGIN_ACCELERATION 10.0 // [m/s^2] that may come on top of a body's speed
#define CONTACTS_PER_BODY   8    // of a body: room from the start
#define MATCH_DISTANCE      0.3 // of the radius: how near an old point must be for a new one to take its impulse
#define MATCH_NORMAL_COS    0.9 // cosine between the normals of the two, at least
#define MAX_MATCH_CANDIDATES \
    16                      // old contacts of a pair that are looked through: their points fit into 64 bits
#define REUSE_DISTANCE 2e-3 // of the smaller radius: so little moved, points stay those that were chosen
#define REUSE_ANGLE    2e-3 // [rad] likewise

// ---- the list -------------------------------------------------------------------------------------

// Contacts are sorted by the two bodies; those of one pair stay as they were found.
static int compare_contacts(const struct contact *x, const struct contact *y)
{
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return x->image < y->image ? -1 : x->image > y->image;
}

// The old contacts of the same two bodies. Asked for in rising order.
static const struct contact *find_previous(struct contacts *c, const struct contact *like, int *count)
{
    while (c->previous_cursor < c->previous_count &&
           compare_contacts(&c->previous[c->previous_cursor], like) < 0)
        ++c->previous_cursor;
    *count = 0;
    while (c->previous_cursor + *count < c->previous_count &&
           compare_contacts(&c->previous[c->previous_cursor + *count], like) == 0)
        ++*count;
    return &c->previous[c->previous_cursor];
}

// Each point takes over the impulse of the old one next to it, if that was near and looked the same way.
static void match_impulses(struct contact *c, const struct contact *old, int count, double near)
{
    uint64_t taken = 0;
    for (int k = 0; k < c->point_count; ++k) {
        int best = -1;
        double least = near * near;
        for (int m = 0; m < imin(count, MAX_MATCH_CANDIDATES) * MANIFOLD_POINTS; ++m) {
            const struct contact *o = &old[m / MANIFOLD_POINTS];
            if (m % MANIFOLD_POINTS >= o->point_count || taken >> m & 1u ||
                v3_dot(o->normal, c->normal) < MATCH_NORMAL_COS)
                continue;
            const vec3 d = v3_sub(c->points[k].local_a, o->points[m % MANIFOLD_POINTS].local_a);
            if (v3_dot(d, d) < least) least = v3_dot(d, d), best = m;
        }
        if (best < 0) continue;
        const struct contact *o = &old[best / MANIFOLD_POINTS];
        taken |= (uint64_t)1 << best;
        c->points[k].normal_impulse = o->points[best % MANIFOLD_POINTS].normal_impulse;
        memcpy(c->points[k].friction_impulse, o->points[best % MANIFOLD_POINTS].friction_impulse,
               sizeof c->points[k].friction_impulse);
        c->is_touching |= o->is_touching;
        c->impact_impulse = fmaxf(c->impact_impulse, o->impact_impulse),
        c->impact_speed = fmaxf(c->impact_speed, o->impact_speed);
    }
}

struct contact *contacts_add(struct bodies *b, const struct contact *like)
{
    struct contacts *c = &b->dynamics->contacts;
    int count;
    if (!memory_grow(b->memory, (void **)&c->current, &c->capacity, c->count + 1, sizeof *c->current))
        return NULL;
    struct contact *out = &c->current[c->count++];
    *out = *like;
    const struct contact *old = find_previous(c, like, &count);
    match_impulses(out, old, count, MATCH_DISTANCE * b->slots[like->a].body->geometry->bounding_radius);
    return out;
}

// All old contacts of two bodies, as they are.
static bool keep_previous(struct bodies *b, int a, int other, int shift)
{
    struct contacts *c = &b->dynamics->contacts;
    const struct contact like = {.a = a, .b = other, .image = shift};
    int count;
    const struct contact *old = find_previous(c, &like, &count);
    if (!memory_grow(b->memory, (void **)&c->current, &c->capacity, c->count + count, sizeof *c->current))
        return false;
    if (count) memcpy(c->current + c->count, old, (size_t)count * sizeof *old);
    c->count += count;
    return true;
}

double contact_point_gap(const struct bodies *b, const struct contact *c, int k)
{
    const struct contact_point *h = &c->points[k];
    const struct body_state *a = &b->state[c->a];
    vec3 there = h->local_b;
    if (c->b >= 0) {
        const struct body_state *o = &b->state[c->b];
        there = v3_add(v3_add(o->position, image_offset(c->image, b->dynamics->period)),
                       quat_rotate(o->rotation, there));
    }
    const vec3 here = v3_add(a->position, quat_rotate(a->rotation, h->local_a));
    return v3_dot(v3_sub(there, here), quat_rotate(a->rotation, c->normal));
}

// ---- two bodies -----------------------------------------------------------------------------------

// Two bodies while their pieces are held against each other.
struct pair_query {
    int a, b, image;
    vec3 position_b; // where b is seen
    const mat3 *rotation_a, *rotation_b;
    quat relative_rotation; // b's axes in a's
    vec3 relative_position; // b's place in a's axes
    double margin;
};

static bool is_pose_unchanged(const struct contact *old, const struct pair_query *m, double size)
{
    const vec3 d = v3_sub(old->relative_position, m->relative_position);
    if (v3_dot(d, d) > REUSE_DISTANCE * REUSE_DISTANCE * size * size) return false;
    const quat q = quat_mul(quat_conjugate(old->relative_rotation), m->relative_rotation);
    return q.x * q.x + q.y * q.y + q.z * q.z < 0.25 * REUSE_ANGLE * REUSE_ANGLE;
}

// Spots of pieces that push the same way are one contact, however many pieces a body has.
#define MAX_NORMALS      24    // directions in which two bodies may touch
#define MERGE_NORMAL_COS 0.999 // cosine: within 2.6 degrees
struct normal_group {
    vec3 normal;
    double min_gap; // [m] the least of its spots
    int part_a, part_b;
    struct candidate_points candidates;
};

static double manifold_min_gap(const struct manifold *f)
{
    double gap = INFINITY;
    for (int n = 0; n < f->count; ++n) gap = fmin(gap, manifold_point_gap(&f->points[n], f->normal));
    return gap;
}

// The place of a direction that is not known yet. If there are too many it is that of the widest gap: two rings come near
// each other in fifty directions, and one that is left out may be the one in which they overlap. NULL: all are
// nearer than this one.
static struct normal_group *group_for_normal(struct normal_group *sides, int *count, double gap)
{
    if (*count < MAX_NORMALS) return &sides[(*count)++];
    struct normal_group *widest = sides;
    for (int k = 1; k < MAX_NORMALS; ++k)
        if (sides[k].min_gap > widest->min_gap) widest = &sides[k];
    return gap < widest->min_gap ? widest : NULL;
}

static void add_manifold(struct normal_group *sides, int *count, int pa, int pb, const struct manifold *f)
{
    const double gap = manifold_min_gap(f);
    int k = 0;
    while (k < *count && v3_dot(sides[k].normal, f->normal) < MERGE_NORMAL_COS) ++k;
    struct normal_group *s = &sides[k];
    if (k == *count) {
        s = group_for_normal(sides, count, gap);
        if (!s) return;
        s->normal = f->normal, s->min_gap = gap, s->part_a = pa, s->part_b = pb, s->candidates.count = 0;
    }
    s->min_gap = fmin(s->min_gap, gap);
    for (int n = 0; n < f->count && s->candidates.count < 2 * MAX_FACE_VERTICES; ++n)
        s->candidates.points[s->candidates.count++] = f->points[n];
}

static bool add_group_contact(struct bodies *b, const struct pair_query *m, const struct normal_group *s)
{
    struct contact like = {.a = m->a, .b = m->b, .part_a = s->part_a, .part_b = s->part_b, .image = m->image};
    struct manifold f;
    manifold_reduce(&s->candidates, s->normal, &f);
    like.point_count = f.count;
    like.normal = mat3_mul_t(m->rotation_a, f.normal);
    like.relative_position = m->relative_position, like.relative_rotation = m->relative_rotation;
    for (int k = 0; k < f.count; ++k) {
        like.points[k].local_a = mat3_mul_t(m->rotation_a, v3_sub(f.points[k].on_a, b->state[m->a].position));
        like.points[k].local_b = mat3_mul_t(m->rotation_b, v3_sub(f.points[k].on_b, m->position_b));
    }
    return contacts_add(b, &like) != NULL;
}

static bool collide_parts(struct bodies *b, const struct pair_query *m)
{
    const struct shape_data *fa = &b->slots[m->a].body->geometry->shape,
                            *fb = &b->slots[m->b].body->geometry->shape;
    const double far_b = b->slots[m->b].body->geometry->bounding_radius;
    struct normal_group sides[MAX_NORMALS];
    int count = 0;
    for (int i = 0; i < fa->convex_part_count; ++i) {
        const struct convex_instance a =
            convex_place(&fa->convex_parts[i], b->state[m->a].position, m->rotation_a);
        const vec3 to_b = v3_sub(m->position_b, a.position);
        double far = a.part->bounding_radius + far_b + m->margin;
        if (fa->convex_part_count > 1 && v3_dot(to_b, to_b) > far * far) continue;
        for (int j = 0; j < fb->convex_part_count; ++j) {
            const struct convex_instance o = convex_place(&fb->convex_parts[j], m->position_b, m->rotation_b);
            const vec3 apart = v3_sub(o.position, a.position);
            struct manifold f;
            far = a.part->bounding_radius + o.part->bounding_radius + m->margin;
            if (v3_dot(apart, apart) > far * far) continue;
            collide_convex(&a, &o, m->margin, &f);
            if (f.count) add_manifold(sides, &count, i, j, &f);
        }
    }
    for (int k = 0; k < count; ++k)
        if (!add_group_contact(b, m, &sides[k])) return false;
    return true;
}

static bool collide_pair(struct bodies *b, const struct body_pair *p)
{
    const struct dynamics *e = b->dynamics;
    const struct body_state *ha = &b->state[p->a], *hb = &b->state[p->b];
    const struct geometry *fa = b->slots[p->a].body->geometry, *fb = b->slots[p->b].body->geometry;
    struct pair_query m = {
        .a = p->a, .b = p->b, .image = p->image, .margin = e->margin[p->a] + e->margin[p->b]};
    m.position_b = v3_add(hb->position, image_offset(p->image, e->period));
    const vec3 apart = v3_sub(m.position_b, ha->position);
    const double far = fa->bounding_radius + fb->bounding_radius + m.margin;
    if (v3_dot(apart, apart) > far * far || joints_connect(b, p->a, p->b)) return true;
    m.rotation_a = &e->rotation[p->a], m.rotation_b = &e->rotation[p->b];
    m.relative_rotation = quat_mul(quat_conjugate(ha->rotation), hb->rotation);
    m.relative_position = mat3_mul_t(m.rotation_a, apart);
    const struct contact like = {.a = p->a, .b = p->b, .image = p->image};
    int count;
    const struct contact *old = find_previous(&b->dynamics->contacts, &like, &count);
    if (count && is_pose_unchanged(old, &m, fmin(fa->bounding_radius, fb->bounding_radius)))
        return keep_previous(b, p->a, p->b, p->image);
    return collide_parts(b, &m);
}

// ---- looking --------------------------------------------------------------------------------------

static vec3 v3_abs(vec3 v) { return v3(fabs(v.x), fabs(v.y), fabs(v.z)); }

// How far a piece reaches from its middle along the world's axes.
static vec3 convex_half_extent(const struct convex_instance *p)
{
    const vec3 h = p->part->box_half;
    if (!(h.x > 0.0)) return v3(p->part->bounding_radius, p->part->bounding_radius, p->part->bounding_radius);
    const mat3 *m = &p->axes;
    return v3(fabs(m->m[0][0]) * h.x + fabs(m->m[0][1]) * h.y + fabs(m->m[0][2]) * h.z,
              fabs(m->m[1][0]) * h.x + fabs(m->m[1][1]) * h.y + fabs(m->m[1][2]) * h.z,
              fabs(m->m[2][0]) * h.x + fabs(m->m[2][1]) * h.y + fabs(m->m[2][2]) * h.z);
}

static void update_aabb(struct bodies *b, int i, double within)
{
    struct dynamics *e = b->dynamics;
    const struct geometry *f = b->slots[i].body->geometry;
    const bool rests = e->is_asleep[i] && b->state[i].sleep_timer > 0.0;
    const double speed =
        v3_length(body_velocity(b, i)) + v3_length(body_angular_velocity(b, i)) * f->bounding_radius;
    e->margin[i] = MARGIN_FRACTION * f->bounding_radius +
                   (rests ? 0.0 : within * (speed + MARGIN_ACCELERATION * within));
    e->detection_position[i] = b->state[i].position;
    e->rotation[i] = quat_to_matrix(b->state[i].rotation);
    const vec3 more = v3(e->margin[i], e->margin[i], e->margin[i]);
    for (int k = 0; k < f->shape.convex_part_count; ++k) {
        const struct convex_instance p =
            convex_place(&f->shape.convex_parts[k], b->state[i].position, &e->rotation[i]);
        const vec3 d = v3_add(v3_abs(convex_half_extent(&p)), more), lo = v3_sub(p.position, d),
                   hi = v3_add(p.position, d);
        struct aabb *out = &e->aabb[i];
        if (k == 0) *out = (struct aabb){lo, hi};
        out->lo = v3(fmin(out->lo.x, lo.x), fmin(out->lo.y, lo.y), fmin(out->lo.z, lo.z));
        out->hi = v3(fmax(out->hi.x, hi.x), fmax(out->hi.y, hi.y), fmax(out->hi.z, hi.z));
    }
}

static bool dynamics_reserve(struct bodies *b, int n)
{
    struct dynamics *e = b->dynamics;
    const struct memory *m = b->memory;
    return memory_grow(m, (void **)&e->aabb, &e->aabb_capacity, n, sizeof *e->aabb) &&
           memory_grow(m, (void **)&e->margin, &e->margin_capacity, n, sizeof *e->margin) &&
           memory_grow(m, (void **)&e->rotation, &e->rotation_capacity, n, sizeof *e->rotation) &&
           memory_grow(m, (void **)&e->detection_position, &e->detection_position_capacity, n,
                       sizeof *e->detection_position) &&
           memory_grow(m, (void **)&e->island_parent, &e->island_parent_capacity, n,
                       sizeof *e->island_parent) &&
           memory_grow(m, (void **)&e->island_size, &e->island_size_capacity, n, sizeof *e->island_size) &&
           memory_grow(m, (void **)&e->island_awake_count, &e->island_awake_capacity, n,
                       sizeof *e->island_awake_count) &&
           memory_grow(m, (void **)&e->is_asleep, &e->is_asleep_capacity, n, sizeof *e->is_asleep) &&
           memory_grow(m, (void **)&e->island_flags, &e->island_flag_capacity, n, sizeof *e->island_flags) &&
           memory_grow(m, (void **)&e->contacts.current, &e->contacts.capacity, CONTACTS_PER_BODY * n,
                       sizeof *e->contacts.current) &&
           memory_grow(m, (void **)&e->contacts.previous, &e->contacts.previous_capacity,
                       CONTACTS_PER_BODY * n, sizeof *e->contacts.previous) &&
           memory_grow(m, (void **)&e->touching_before, &e->touching_before_capacity, CONTACTS_PER_BODY * n,
                       sizeof *e->touching_before) &&
           memory_grow(m, (void **)&e->events, &e->event_capacity, CONTACTS_PER_BODY * n, sizeof *e->events);
}

// Nothing about this body can have changed.
static bool is_unchanged(const struct bodies *b, int i)
{
    return b->state[i].sleep_timer > 0.0 &&
           (b->dynamics->is_asleep[i] || (!body_is_dynamic(b, i) && !body_is_moving(b, i)));
}

static bool update_contacts(struct bodies *b, const struct body_domain *w)
{
    struct dynamics *e = b->dynamics;
    struct contacts *c = &e->contacts;
    struct contact *swap = c->previous;
    const int room = c->previous_capacity;
    c->previous = c->current, c->previous_count = c->count, c->previous_capacity = c->capacity;
    c->current = swap, c->count = 0, c->capacity = room, c->previous_cursor = 0;
    const int pairs = b->ignore_body_pairs ? 0 : e->broad_phase.pair_count;
    int p = 0;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i)) continue;
        const bool calm = is_unchanged(b, i);
        if (body_is_dynamic(b, i) && !(calm ? keep_previous(b, i, -1, 4)
                                            : add_domain_contacts(b, w, i) && add_collider_contacts(b, w, i)))
            return false;
        while (p < pairs && e->broad_phase.pairs[p].a < i) ++p;
        for (; p < pairs && e->broad_phase.pairs[p].a == i; ++p) {
            const struct body_pair *q = &e->broad_phase.pairs[p];
            if (!body_exists(b, q->b)) continue;
            if (!(calm && is_unchanged(b, q->b) ? keep_previous(b, i, q->b, q->image) : collide_pair(b, q)))
                return false;
        }
    }
    return true;
}

bool bodies_detect_contacts(struct bodies *b, const struct body_domain *w, double within)
{
    struct dynamics *e = b->dynamics;
    e->detection_interval = e->detection_time_left = within;
    memcpy(e->period, w->period, sizeof e->period);
    e->colliders = w->colliders, e->collider_count = w->collider_count;
    batches_store_impulses(b);
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i)) update_aabb(b, i, within);
    if (!broad_phase_update(b, e->aabb, w->period) || !update_contacts(b, w)) return false;
    update_islands_and_sleep(b, within);
    return batches_build(b);
}

// Room from the start for what most worlds need, so that steps need none.
bool dynamics_create(struct bodies *b, int count)
{
    if (!b->dynamics) b->dynamics = memory_alloc(b->memory, 1, sizeof *b->dynamics);
    if (!b->dynamics) return false;
    b->dynamics->broad_phase.is_stale = true;
    return dynamics_reserve(b, count) && broad_phase_reserve(b, count, CONTACTS_PER_BODY * count) &&
           batches_reserve(b, count, CONTACTS_PER_BODY * count,
                           CONTACTS_PER_BODY * count / BATCH_LANES + MAX_COLOURS);
}

// Take away the contacts of a body, and wake whom it touched.
void dynamics_remove_body(struct bodies *b, int i)
{
    struct dynamics *e = b->dynamics;
    int kept = 0;
    e->broad_phase.is_stale = true;
    e->solver.batch_count = 0; // its places are gone
    e->contacts.previous_count = 0;
    joints_remove_body(b, i);
    e->touching_before_count = 0;
    for (int k = 0; k < e->contacts.count; ++k) {
        const struct contact *c = &e->contacts.current[k];
        if (c->a != i && c->b != i)
            e->contacts.current[kept++] = *c;
        else if (c->b >= 0)
            body_wake(b, c->a == i ? c->b : c->a);
    }
    e->contacts.count = kept;
    if (i < e->is_asleep_capacity) e->is_asleep[i] = false;
}

void dynamics_free(struct bodies *b)
{
    struct dynamics *e = b->dynamics;
    if (!e) return;
    struct {
        void *p;
        int room;
        size_t size;
    } all[] = {
        {e->contacts.current, e->contacts.capacity, sizeof *e->contacts.current},
        {e->contacts.previous, e->contacts.previous_capacity, sizeof *e->contacts.previous},
        {e->broad_phase.fat_aabb, e->broad_phase.fat_aabb_capacity, sizeof *e->broad_phase.fat_aabb},
        {e->broad_phase.pairs, e->broad_phase.pair_capacity, sizeof *e->broad_phase.pairs},
        {e->broad_phase.proxies, e->broad_phase.proxy_capacity, sizeof *e->broad_phase.proxies},
        {e->broad_phase.keys, e->broad_phase.key_capacity, sizeof *e->broad_phase.keys},
        {e->broad_phase.order, e->broad_phase.order_capacity, sizeof *e->broad_phase.order},
        {e->broad_phase.sort_scratch, e->broad_phase.sort_scratch_capacity,
         sizeof *e->broad_phase.sort_scratch},
        {e->broad_phase.endpoints, e->broad_phase.endpoint_capacity, sizeof *e->broad_phase.endpoints},
        {e->solver.velocity, e->solver.velocity_capacity, sizeof *e->solver.velocity},
        {e->solver.displacement, e->solver.displacement_capacity, sizeof *e->solver.displacement},
        {e->solver.acceleration, e->solver.acceleration_capacity, sizeof *e->solver.acceleration},
        {e->solver.stored_velocity, e->solver.stored_velocity_capacity, sizeof *e->solver.stored_velocity},
        {e->solver.velocity_unwarmed, e->solver.velocity_unwarmed_capacity,
         sizeof *e->solver.velocity_unwarmed},
        {e->solver.inverse_mass, e->solver.inverse_mass_capacity, sizeof *e->solver.inverse_mass},
        {e->solver.inertia, e->solver.inertia_capacity, sizeof *e->solver.inertia},
        {e->solver.colours, e->solver.colour_capacity, sizeof *e->solver.colours},
        {e->solver.body_of_slot, e->solver.slot_capacity, sizeof *e->solver.body_of_slot},
        {e->solver.slot_of_body, e->solver.body_capacity, sizeof *e->solver.slot_of_body},
        {e->solver.batches, e->solver.batch_capacity, sizeof *e->solver.batches},
        {e->solver.batch_lane, e->solver.batch_lane_capacity, sizeof *e->solver.batch_lane},
        {e->solver.warm_start, e->solver.warm_start_capacity, sizeof *e->solver.warm_start},
        {e->aabb, e->aabb_capacity, sizeof *e->aabb},
        {e->margin, e->margin_capacity, sizeof *e->margin},
        {e->rotation, e->rotation_capacity, sizeof *e->rotation},
        {e->detection_position, e->detection_position_capacity, sizeof *e->detection_position},
        {e->island_parent, e->island_parent_capacity, sizeof *e->island_parent},
        {e->island_size, e->island_size_capacity, sizeof *e->island_size},
        {e->island_awake_count, e->island_awake_capacity, sizeof *e->island_awake_count},
        {e->is_asleep, e->is_asleep_capacity, sizeof *e->is_asleep},
        {e->island_flags, e->island_flag_capacity, sizeof *e->island_flags},
        {e->touching_before, e->touching_before_capacity, sizeof *e->touching_before},
        {e->events, e->event_capacity, sizeof *e->events},
    };
    joints_free(b);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        memory_free(b->memory, all[k].p, (size_t)all[k].room, all[k].size);
    memory_free(b->memory, e, 1, sizeof *e);
    b->dynamics = NULL;
}
