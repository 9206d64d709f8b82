// Walls, floor and ground: planes, and a height field that is felt point by point.
#include "contact.h"

#define MAX_TERRAIN_POINTS 8    // of a piece, at most
#define MIN_SPACING        0.2  // of its radius, at least
#define EQUAL_DEPTH        1e-6 // of its radius: depths that differ by less are the same
#define EDGE_SAMPLES       2    // along each edge of the underside

struct half_space {
    vec3 normal; // into the tank
    double offset;
};

// A manifold between body i and the world, as a contact.
static bool add_world_contact(struct bodies *b, int i, int piece, const struct manifold *m)
{
    struct contact like = {.a = i, .b = -1, .part_a = piece, .image = 4, .point_count = m->count};
    const vec3 at = b->state[i].position;
    const quat q = b->state[i].rotation;
    like.normal = quat_rotate_inverse(q, m->normal);
    for (int k = 0; k < m->count; ++k) {
        like.points[k].local_a = quat_rotate_inverse(q, v3_sub(m->points[k].on_a, at));
        like.points[k].local_b = m->points[k].on_b;
    }
    return m->count == 0 || contacts_add(b, &like) != NULL;
}

// Height of the ground over a point.
static double ground_height_at(const struct body_domain *w, double x, double z, vec3 *normal)
{
    *normal = v3(0, 1, 0);
    return w->ground_height ? w->ground_height(w->ground_context, x, z, normal) : w->floor;
}

// A point of a rounded core against the ground: the foot of the normal is looked for twice, which is enough where the
// ground bends less than the body.
static bool probe_terrain(const struct body_domain *w, vec3 p, double round, double reach,
                          struct manifold_point *out, vec3 *normal)
{
    vec3 up, foot = p;
    double gap = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double ground = ground_height_at(w, foot.x, foot.z, &up);
        gap = v3_dot(v3_sub(p, v3(foot.x, ground, foot.z)), up);
        foot = v3_madd(p, -gap, up);
    }
    if (gap - round > reach) return false;
    *normal = v3_scale(up, -1.0);
    *out = (struct manifold_point){v3_madd(p, -round, up), foot};
    return true;
}

#define MAX_PROBES (2 * MAX_FACE_VERTICES + 2) // more than a side of 8 corners with SAMPLES on each edge has
_Static_assert(2 * 8 * EDGE_SAMPLES + 2 <= MAX_PROBES, "and so there is room for both");
struct terrain_probes {
    int count;
    struct manifold_point points[MAX_PROBES];
    vec3 normals[MAX_PROBES];
};

static void add_probe(const struct body_domain *w, vec3 at, double round, double reach,
                      struct terrain_probes *f)
{
    f->count += probe_terrain(w, at, round, reach, &f->points[f->count], &f->normals[f->count]);
}

// The underside: its corners, points between them and half-way to its middle, where ground may bulge, the middle, and
// the lowest point if that is none of its corners.
static void probe_feature(const struct body_domain *w, const struct convex_instance *p,
                          const struct support_feature *under, vec3 lowest, double reach,
                          struct terrain_probes *f)
{
    const double round = p->part->rounding;
    const int edges = under->count == 2 ? 1 : under->count, samples = under->count > 8 ? 1 : EDGE_SAMPLES;
    bool has_lowest = under->count <= 2;
    vec3 middle = {0, 0, 0};
    for (int k = 0; k < under->count; ++k) {
        const vec3 d = v3_sub(lowest, under->points[k]);
        middle = v3_madd(middle, 1.0 / under->count, under->points[k]);
        has_lowest |= v3_dot(d, d) < 1e-12 * p->part->bounding_radius * p->part->bounding_radius;
    }
    f->count = 0;
    for (int inner = 0; inner < 2 && under->count > 1; ++inner)
        for (int s = 0; s < samples + (edges == 1); ++s)
            for (int k = 0; k < edges; ++k) {
                const vec3 q = under->points[k], next = under->points[(k + 1) % under->count];
                const vec3 at = v3_madd(q, (double)s / samples, v3_sub(next, q));
                add_probe(w, inner ? v3_scale(v3_add(at, middle), 0.5) : at, round, reach, f);
            }
    add_probe(w, middle, round, reach, f);
    if (!has_lowest) add_probe(w, lowest, round, reach, f);
}

// The deepest points of the underside that are not too near to each other; of those that are as deep the first.
static int select_probes(const struct terrain_probes *f, double radius, int pick[MAX_TERRAIN_POINTS])
{
    bool out[MAX_PROBES] = {false};
    int n = 0;
    for (; n < MAX_TERRAIN_POINTS; ++n) {
        int best = -1;
        double least = INFINITY;
        for (int k = 0; k < f->count; ++k) {
            const double gap = manifold_point_gap(&f->points[k], f->normals[k]);
            if (!out[k] && gap < least - EQUAL_DEPTH * radius) least = gap, best = k;
        }
        if (best < 0) break;
        pick[n] = best;
        for (int k = 0; k < f->count; ++k)
            out[k] |= v3_length(v3_sub(f->points[k].on_a, f->points[best].on_a)) < MIN_SPACING * radius;
    }
    return n;
}

// Each point is a contact of its own, because each has its own normal. They come in the order of the underside, so that
// the solver meets them in the same order in every step.
static bool collide_terrain(struct bodies *b, int i, int piece, const struct convex_instance *p,
                            const struct body_domain *w, double reach)
{
    struct support_feature under;
    struct terrain_probes f;
    vec3 up;
    int pick[MAX_TERRAIN_POINTS];
    ground_height_at(w, p->position.x, p->position.z, &up);
    const vec3 down = v3_scale(up, -1.0);
    convex_support_feature(p, down, &under);
    probe_feature(w, p, &under, convex_support(p, down), reach, &f);
    const int count = select_probes(&f, p->part->bounding_radius, pick);
    for (int n = 0, last = -1; n < count; ++n) {
        int next = f.count;
        for (int k = 0; k < count; ++k)
            if (pick[k] > last) next = imin(next, pick[k]);
        const struct manifold m = {.count = 1, .normal = f.normals[next], .points = {f.points[next]}};
        if (!add_world_contact(b, i, piece, &m)) return false;
        last = next;
    }
    return true;
}

// A body against one wall: whatever its pieces touch it with is one contact.
static bool collide_half_space(struct bodies *b, int i, const struct half_space *side, double reach)
{
    const struct shape_data *f = &b->slots[i].body->geometry->shape;
    struct candidate_points heap = {0};
    struct manifold m;
    int first = 0;
    for (int k = f->convex_part_count - 1; k >= 0; --k) {
        const struct convex_instance p =
            convex_place(&f->convex_parts[k], b->state[i].position, &b->dynamics->rotation[i]);
        collide_plane(&p, side->normal, side->offset, reach, &m);
        if (m.count) first = k;
        for (int n = 0; n < m.count && heap.count < 2 * MAX_FACE_VERTICES; ++n)
            heap.points[heap.count++] = m.points[n];
    }
    if (!heap.count) return true;
    manifold_reduce(&heap, v3_scale(side->normal, -1.0), &m);
    return add_world_contact(b, i, first, &m);
}

bool add_domain_contacts(struct bodies *b, const struct body_domain *w, int i)
{
    const struct shape_data *f = &b->slots[i].body->geometry->shape;
    const struct half_space sides[6] = {{{1, 0, 0}, w->x_min},
                                        {{-1, 0, 0}, -w->x_max},
                                        {{0, 0, 1}, w->z_min},
                                        {{0, 0, -1}, -w->z_max},
                                        {{0, 1, 0}, w->ground_height ? -INFINITY : w->floor},
                                        {{0, -1, 0}, w->ceiling > 0.0 ? -w->ceiling : -INFINITY}};
    const double reach = b->dynamics->margin[i], far = b->slots[i].body->geometry->bounding_radius + reach;
    const vec3 at = b->state[i].position;
    bool near[6];
    for (int s = 0; s < 6; ++s) near[s] = v3_dot(at, sides[s].normal) - sides[s].offset <= far;
    for (int s = 0; s < 6; ++s)
        if (near[s] && !collide_half_space(b, i, &sides[s], reach)) return false;
    for (int k = 0; w->ground_height && k < f->convex_part_count; ++k) {
        const struct convex_instance p =
            convex_place(&f->convex_parts[k], b->state[i].position, &b->dynamics->rotation[i]);
        vec3 up;
        const double ground = ground_height_at(w, p.position.x, p.position.z, &up);
        // Ground that rises beside the body is nearer than it is below: leave room for steep slopes.
        if ((p.position.y - ground) * up.y > 2.0 * (p.part->bounding_radius + reach)) continue;
        if (!collide_terrain(b, i, k, &p, w, reach)) return false;
    }
    return true;
}

// ---- keeping in -----------------------------------------------------------------------------------

// One coordinate of a body against the two walls across it.
static double reflect_between(double *x, double *momentum, double lo, double hi, double restitution)
{
    if (lo <= *x && *x <= hi) return 0.0;
    const double before = *momentum;
    if ((*x > hi) == (before > 0.0)) *momentum = -restitution * before;
    *x = *x > hi ? hi : lo;
    return *momentum - before;
}

vec3 bodies_confine(struct bodies *b, const struct body_domain *w)
{
    vec3 given = {0, 0, 0};
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists(b, i) || !body_is_dynamic(b, i) || !body_is_valid(b, i)) continue;
        vec3 *x = &b->state[i].position, *p = &b->state[i].momentum;
        const double e = b->slots[i].body->def.restitution;
        given.x += reflect_between(&x->x, &p->x, w->x_min, w->x_max, e);
        vec3 up;
        given.y += reflect_between(&x->y, &p->y, ground_height_at(w, x->x, x->z, &up),
                                   w->ceiling > 0.0 ? w->ceiling : INFINITY, e);
        given.z += reflect_between(&x->z, &p->z, w->z_min, w->z_max, e);
    }
    return given;
}
