// Contacts with the domain: half-spaces (walls, level floor, ceiling) and height-field terrain, which is
// probed at points of the supporting feature; and confinement of body centres to the domain.
#include "body/solve/dynamics.h"

#define MAX_TERRAIN_POINTS 8    // of a convex part
#define MIN_SPACING        0.2  // of the part's radius: least distance of two terrain contacts
#define EQUAL_DEPTH        1e-6 // of the part's radius: depths that differ by less count as equal
#define EDGE_SAMPLES       2    // probes along each edge of the supporting feature

struct half_space {
    vec3 normal; // unit, into the domain; the domain is normal . x >= offset
    double offset;
};

// Adds the manifold of body i and the domain as a contact.
static bool add_world_contact(struct bodies *b, int i, int part, const struct manifold *manifold)
{
    struct contact like = {
        .a = i, .b = -1, .part_a = part, .image = IMAGE_SELF, .collider = -1, .point_count = manifold->count};
    const vec3 position = b->state[i].position;
    const quat rotation = b->state[i].rotation;
    like.normal = quat_rotate_inverse(rotation, manifold->normal);
    for (int k = 0; k < manifold->count; ++k) {
        like.points[k].local_a = quat_rotate_inverse(rotation, v3_sub(manifold->points[k].on_a, position));
        like.points[k].local_b = manifold->points[k].on_b;
    }
    return manifold->count == 0 || contacts_add(b, &like) != NULL;
}

// [m] Height of the terrain or the level floor at (x, z), and its unit normal.
static double ground_height_at(const struct body_domain *domain, double x, double z, vec3 *normal)
{
    *normal = v3(0, 1, 0);
    return domain->ground_height ? domain->ground_height(domain->ground_context, x, z, normal)
                                 : domain->floor;
}

// Closest point of the height field to a point p of a rounded core: fixed-point iteration for the foot of
// the normal. Three evaluations suffice where the terrain curves less than the body.
static bool probe_terrain(const struct body_domain *domain, vec3 p, double rounding, double margin,
                          struct manifold_point *out, vec3 *normal)
{
    vec3 up, foot = p;
    double gap = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double height = ground_height_at(domain, foot.x, foot.z, &up);
        gap = v3_dot(v3_sub(p, v3(foot.x, height, foot.z)), up);
        foot = v3_madd(p, -gap, up);
    }
    if (gap - rounding > margin) return false;
    *normal = v3_scale(up, -1.0);
    *out = (struct manifold_point){v3_madd(p, -rounding, up), foot};
    return true;
}

#define MAX_PROBES (2 * MAX_FACE_VERTICES + 2)
_Static_assert(2 * 8 * EDGE_SAMPLES + 2 <= MAX_PROBES, "a face of 8 vertices fits with all its probes");
struct terrain_probes {
    int count;
    struct manifold_point points[MAX_PROBES];
    vec3 normals[MAX_PROBES];
};

static void add_probe(const struct body_domain *domain, vec3 point, double rounding, double margin,
                      struct terrain_probes *probes)
{
    probes->count += probe_terrain(domain, point, rounding, margin, &probes->points[probes->count],
                                   &probes->normals[probes->count]);
}

// Probes the supporting feature: its vertices, points along its edges, the same points half-way to the
// centroid (the terrain may be convex below the face), the centroid, and the support point if it is not a
// vertex.
static void probe_feature(const struct body_domain *domain, const struct convex_instance *p,
                          const struct support_feature *feature, vec3 lowest, double margin,
                          struct terrain_probes *probes)
{
    const double rounding = p->part->rounding;
    const int edges = feature->count == 2 ? 1 : feature->count,
              samples = feature->count > 8 ? 1 : EDGE_SAMPLES;
    bool has_lowest = feature->count <= 2;
    vec3 centroid = {0, 0, 0};
    for (int k = 0; k < feature->count; ++k) {
        const vec3 d = v3_sub(lowest, feature->points[k]);
        centroid = v3_madd(centroid, 1.0 / feature->count, feature->points[k]);
        has_lowest |= v3_dot(d, d) < 1e-12 * p->part->bounding_radius * p->part->bounding_radius;
    }
    probes->count = 0;
    for (int inward = 0; inward < 2 && feature->count > 1; ++inward)
        for (int s = 0; s < samples + (edges == 1); ++s)
            for (int k = 0; k < edges; ++k) {
                const vec3 vertex = feature->points[k], next = feature->points[(k + 1) % feature->count];
                const vec3 point = v3_madd(vertex, (double)s / samples, v3_sub(next, vertex));
                add_probe(domain, inward ? v3_scale(v3_add(point, centroid), 0.5) : point, rounding, margin,
                          probes);
            }
    add_probe(domain, centroid, rounding, margin, probes);
    if (!has_lowest) add_probe(domain, lowest, rounding, margin, probes);
}

// Selects the deepest probes with at least MIN_SPACING between them; of equally deep ones the first.
static int select_probes(const struct terrain_probes *probes, double radius, int picked[MAX_TERRAIN_POINTS])
{
    bool excluded[MAX_PROBES] = {false};
    int n = 0;
    for (; n < MAX_TERRAIN_POINTS; ++n) {
        int best = -1;
        double min_gap = INFINITY;
        for (int k = 0; k < probes->count; ++k) {
            const double gap = manifold_point_gap(&probes->points[k], probes->normals[k]);
            if (!excluded[k] && gap < min_gap - EQUAL_DEPTH * radius) min_gap = gap, best = k;
        }
        if (best < 0) break;
        picked[n] = best;
        for (int k = 0; k < probes->count; ++k)
            excluded[k] |=
                v3_length(v3_sub(probes->points[k].on_a, probes->points[best].on_a)) < MIN_SPACING * radius;
    }
    return n;
}

// Each probe is a contact of its own, because each has its own normal. They are added in the order of the
// probes, so that the solver visits them in the same order in every step.
static bool collide_terrain(struct bodies *b, int i, int part, const struct convex_instance *p,
                            const struct body_domain *domain, double margin)
{
    struct support_feature feature;
    struct terrain_probes probes;
    vec3 up;
    int picked[MAX_TERRAIN_POINTS];
    ground_height_at(domain, p->position.x, p->position.z, &up);
    const vec3 down = v3_scale(up, -1.0);
    convex_support_feature(p, down, &feature);
    probe_feature(domain, p, &feature, convex_support(p, down), margin, &probes);
    const int count = select_probes(&probes, p->part->bounding_radius, picked);
    for (int n = 0, last = -1; n < count; ++n) {
        int next = probes.count;
        for (int k = 0; k < count; ++k)
            if (picked[k] > last) next = imin(next, picked[k]);
        const struct manifold manifold = {
            .count = 1, .normal = probes.normals[next], .points = {probes.points[next]}};
        if (!add_world_contact(b, i, part, &manifold)) return false;
        last = next;
    }
    return true;
}

// A body and one half-space: the points of all convex parts form one contact.
static bool collide_half_space(struct bodies *b, int i, const struct half_space *wall, double margin)
{
    const struct shape_data *shape = &b->slots[i].body->def.shape->data;
    struct candidate_points candidates = {0};
    struct manifold manifold;
    int first = 0;
    for (int k = shape->convex_part_count - 1; k >= 0; --k) {
        const struct convex_instance p =
            convex_place(&shape->convex_parts[k], b->state[i].position, &b->dynamics->rotation[i]);
        collide_plane(&p, wall->normal, wall->offset, margin, &manifold);
        if (manifold.count) first = k;
        for (int n = 0; n < manifold.count && candidates.count < 2 * MAX_FACE_VERTICES; ++n)
            candidates.points[candidates.count++] = manifold.points[n];
    }
    if (!candidates.count) return true;
    manifold_reduce(&candidates, v3_scale(wall->normal, -1.0), &manifold);
    return add_world_contact(b, i, first, &manifold);
}

bool add_domain_contacts(struct bodies *b, const struct body_domain *domain, int i)
{
    const struct shape_data *shape = &b->slots[i].body->def.shape->data;
    const struct half_space walls[6] = {{{1, 0, 0}, domain->x_min},
                                        {{-1, 0, 0}, -domain->x_max},
                                        {{0, 0, 1}, domain->z_min},
                                        {{0, 0, -1}, -domain->z_max},
                                        {{0, 1, 0}, domain->ground_height ? -INFINITY : domain->floor},
                                        {{0, -1, 0}, domain->ceiling > 0.0 ? -domain->ceiling : -INFINITY}};
    const double margin = b->dynamics->margin[i],
                 max_distance = b->slots[i].body->def.shape->bounding_radius + margin;
    const vec3 position = b->state[i].position;
    bool is_near[6];
    for (int s = 0; s < 6; ++s)
        is_near[s] = v3_dot(position, walls[s].normal) - walls[s].offset <= max_distance;
    for (int s = 0; s < 6; ++s)
        if (is_near[s] && !collide_half_space(b, i, &walls[s], margin)) return false;
    for (int k = 0; domain->ground_height && k < shape->convex_part_count; ++k) {
        const struct convex_instance p =
            convex_place(&shape->convex_parts[k], b->state[i].position, &b->dynamics->rotation[i]);
        vec3 up;
        const double height = ground_height_at(domain, p.position.x, p.position.z, &up);
        // Steep terrain beside the part is closer than the terrain below it: the factor 2 allows for slopes.
        if ((p.position.y - height) * up.y > 2.0 * (p.part->bounding_radius + margin)) continue;
        if (!collide_terrain(b, i, k, &p, domain, margin)) return false;
    }
    return true;
}

// ---- confinement -----------------------------------------------------------------------------------

// Clamps one coordinate to [lo, hi] and reflects an outward momentum. Returns the impulse [kg m/s].
static double reflect_between(double *x, double *momentum, double lo, double hi, double restitution)
{
    if (lo <= *x && *x <= hi) return 0.0;
    const double before = *momentum;
    if ((*x > hi) == (before > 0.0)) *momentum = -restitution * before;
    *x = *x > hi ? hi : lo;
    return *momentum - before;
}

vec3 bodies_confine(struct bodies *b, const struct body_domain *domain)
{
    vec3 impulse = {0, 0, 0};
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i) || !body_is_dynamic(b, i) || !body_is_valid(b, i)) continue;
        vec3 *x = &b->state[i].position, *p = &b->state[i].momentum;
        const double e = b->slots[i].body->def.restitution;
        impulse.x += reflect_between(&x->x, &p->x, domain->x_min, domain->x_max, e);
        vec3 up;
        impulse.y += reflect_between(&x->y, &p->y, ground_height_at(domain, x->x, x->z, &up),
                                     domain->ceiling > 0.0 ? domain->ceiling : INFINITY, e);
        impulse.z += reflect_between(&x->z, &p->z, domain->z_min, domain->z_max, e);
    }
    return impulse;
}
