// Walls, floor and ground: planes, and a height field that is felt point by point.
#include "contact.h"

#define GROUND_SPOTS 8    // of a piece, at most
#define APART        0.2  // of its radius, at least
#define ALIKE        1e-6 // of its radius: depths that differ by less are the same
#define SAMPLES      2    // along each edge of the underside

struct world_side {
    vec3 normal; // into the tank
    double offset;
};

// A manifold between body i and the world, as a contact.
static bool add(struct bodies *b, int i, int piece, const struct manifold *m)
{
    struct contact like = {.a = i, .b = -1, .piece_a = piece, .shift = 4, .count = m->count};
    const vec3 at = b->hot[i].position;
    const quat q = b->hot[i].rotation;
    like.normal = quat_turn_back(q, m->normal);
    for (int k = 0; k < m->count; ++k) {
        like.holds[k].on_a = quat_turn_back(q, v3_sub(m->spots[k].on_a, at));
        like.holds[k].on_b = m->spots[k].on_b;
    }
    return m->count == 0 || contact_add(b, &like) != NULL;
}

// Height of the ground over a point.
static double ground_at(const struct walls *w, double x, double z, vec3 *normal)
{
    *normal = v3(0, 1, 0);
    return w->ground ? w->ground(w->place, x, z, normal) : w->floor;
}

// A point of a rounded core against the ground: the foot of the normal is looked for twice, which is enough where the
// ground bends less than the body.
static bool feel(const struct walls *w, vec3 p, double round, double reach, struct spot *out, vec3 *normal)
{
    vec3 up, foot = p;
    double gap = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double ground = ground_at(w, foot.x, foot.z, &up);
        gap = v3_dot(v3_sub(p, v3(foot.x, ground, foot.z)), up);
        foot = v3_madd(p, -gap, up);
    }
    if (gap - round > reach) return false;
    *normal = v3_scale(up, -1.0);
    *out = (struct spot){v3_madd(p, -round, up), foot};
    return true;
}

#define FELT (2 * SIDE_CORNERS + 2) // more than a side of 8 corners with SAMPLES on each edge has
_Static_assert(2 * 8 * SAMPLES + 2 <= FELT, "and so there is room for both");
struct felt {
    int count;
    struct spot spots[FELT];
    vec3 normals[FELT];
};

static void feel_sample(const struct walls *w, vec3 at, double round, double reach, struct felt *f)
{
    f->count += feel(w, at, round, reach, &f->spots[f->count], &f->normals[f->count]);
}

// The underside: its corners, points between them and half-way to its middle, where ground may bulge, the middle, and
// the lowest point if that is none of its corners.
static void feel_patch(const struct walls *w, const struct placed *p, const struct patch *under, vec3 lowest,
                       double reach, struct felt *f)
{
    const double round = p->piece->round;
    const int edges = under->count == 2 ? 1 : under->count, samples = under->count > 8 ? 1 : SAMPLES;
    bool has_lowest = under->count <= 2;
    vec3 middle = {0, 0, 0};
    for (int k = 0; k < under->count; ++k) {
        const vec3 d = v3_sub(lowest, under->points[k]);
        middle = v3_madd(middle, 1.0 / under->count, under->points[k]);
        has_lowest |= v3_dot(d, d) < 1e-12 * p->piece->radius * p->piece->radius;
    }
    f->count = 0;
    for (int inner = 0; inner < 2 && under->count > 1; ++inner)
        for (int s = 0; s < samples + (edges == 1); ++s)
            for (int k = 0; k < edges; ++k) {
                const vec3 q = under->points[k], next = under->points[(k + 1) % under->count];
                const vec3 at = v3_madd(q, (double)s / samples, v3_sub(next, q));
                feel_sample(w, inner ? v3_scale(v3_add(at, middle), 0.5) : at, round, reach, f);
            }
    feel_sample(w, middle, round, reach, f);
    if (!has_lowest) feel_sample(w, lowest, round, reach, f);
}

// The deepest points of the underside that are not too near to each other; of those that are as deep the first.
static int choose_felt(const struct felt *f, double radius, int pick[GROUND_SPOTS])
{
    bool out[FELT] = {false};
    int n = 0;
    for (; n < GROUND_SPOTS; ++n) {
        int best = -1;
        double least = INFINITY;
        for (int k = 0; k < f->count; ++k) {
            const double gap = spot_gap(&f->spots[k], f->normals[k]);
            if (!out[k] && gap < least - ALIKE * radius) least = gap, best = k;
        }
        if (best < 0) break;
        pick[n] = best;
        for (int k = 0; k < f->count; ++k)
            out[k] |= v3_length(v3_sub(f->spots[k].on_a, f->spots[best].on_a)) < APART * radius;
    }
    return n;
}

// Each point is a contact of its own, because each has its own normal. They come in the order of the underside, so that
// the solver meets them in the same order in every step.
static bool feel_ground(struct bodies *b, int i, int piece, const struct placed *p, const struct walls *w,
                        double reach)
{
    struct patch under;
    struct felt f;
    vec3 up;
    int pick[GROUND_SPOTS];
    ground_at(w, p->at.x, p->at.z, &up);
    const vec3 down = v3_scale(up, -1.0);
    piece_patch(p, down, &under);
    feel_patch(w, p, &under, piece_support(p, down), reach, &f);
    const int count = choose_felt(&f, p->piece->radius, pick);
    for (int n = 0, last = -1; n < count; ++n) {
        int next = f.count;
        for (int k = 0; k < count; ++k)
            if (pick[k] > last) next = imin(next, pick[k]);
        const struct manifold m = {.count = 1, .normal = f.normals[next], .spots = {f.spots[next]}};
        if (!add(b, i, piece, &m)) return false;
        last = next;
    }
    return true;
}

// A body against one wall: whatever its pieces touch it with is one contact.
static bool lean(struct bodies *b, int i, const struct world_side *side, double reach)
{
    const struct form *f = &b->slots[i].cold->figure->form;
    struct heap heap = {0};
    struct manifold m;
    int first = 0;
    for (int k = f->piece_count - 1; k >= 0; --k) {
        const struct placed p = piece_placed(&f->pieces[k], b->hot[i].position, &b->engine->axes[i]);
        touch_plane(&p, side->normal, side->offset, reach, &m);
        if (m.count) first = k;
        for (int n = 0; n < m.count && heap.count < 2 * SIDE_CORNERS; ++n)
            heap.spots[heap.count++] = m.spots[n];
    }
    if (!heap.count) return true;
    heap_reduce(&heap, v3_scale(side->normal, -1.0), &m);
    return add(b, i, first, &m);
}

bool ground_contacts(struct bodies *b, const struct walls *w, int i)
{
    const struct form *f = &b->slots[i].cold->figure->form;
    const struct world_side sides[6] = {{{1, 0, 0}, w->x0},
                                        {{-1, 0, 0}, -w->x1},
                                        {{0, 0, 1}, w->z0},
                                        {{0, 0, -1}, -w->z1},
                                        {{0, 1, 0}, w->ground ? -INFINITY : w->floor},
                                        {{0, -1, 0}, w->roof > 0.0 ? -w->roof : -INFINITY}};
    const double reach = b->engine->reach[i], far = b->slots[i].cold->figure->radius + reach;
    const vec3 at = b->hot[i].position;
    bool near[6];
    for (int s = 0; s < 6; ++s) near[s] = v3_dot(at, sides[s].normal) - sides[s].offset <= far;
    for (int s = 0; s < 6; ++s)
        if (near[s] && !lean(b, i, &sides[s], reach)) return false;
    for (int k = 0; w->ground && k < f->piece_count; ++k) {
        const struct placed p = piece_placed(&f->pieces[k], b->hot[i].position, &b->engine->axes[i]);
        vec3 up;
        const double ground = ground_at(w, p.at.x, p.at.z, &up);
        // Ground that rises beside the body is nearer than it is below: leave room for steep slopes.
        if ((p.at.y - ground) * up.y > 2.0 * (p.piece->radius + reach)) continue;
        if (!feel_ground(b, i, k, &p, w, reach)) return false;
    }
    return true;
}

// ---- keeping in -----------------------------------------------------------------------------------

// One coordinate of a body against the two walls across it.
static double keep_between(double *x, double *momentum, double lo, double hi, double restitution)
{
    if (lo <= *x && *x <= hi) return 0.0;
    const double before = *momentum;
    if ((*x > hi) == (before > 0.0)) *momentum = -restitution * before;
    *x = *x > hi ? hi : lo;
    return *momentum - before;
}

vec3 bodies_keep_in(struct bodies *b, const struct walls *w)
{
    vec3 given = {0, 0, 0};
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i) || !body_movable(b, i) || !body_sound(b, i)) continue;
        vec3 *x = &b->hot[i].position, *p = &b->hot[i].momentum;
        const double e = b->slots[i].cold->def.restitution;
        given.x += keep_between(&x->x, &p->x, w->x0, w->x1, e);
        vec3 up;
        given.y +=
            keep_between(&x->y, &p->y, ground_at(w, x->x, x->z, &up), w->roof > 0.0 ? w->roof : INFINITY, e);
        given.z += keep_between(&x->z, &p->z, w->z0, w->z1, e);
    }
    return given;
}
