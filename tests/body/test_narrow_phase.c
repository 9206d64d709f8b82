// Narrow phase: distances, depths and contact points of convex parts against independent methods; every
// kind against every kind, near and far, thin and long, small and large.
#include "convex_pairs.h"

#include <time.h>

static bool is_long(void) { return getenv("TARN_LONG") != NULL; }

// ---- pairs ------------------------------------------------------------------------------------------

enum { FAR, GAP, FACES_MEET, CORNER_MEETS, EDGES_MEET, DEEP, CONCENTRIC, SAME, LAYS };
static const char *const lays[LAYS] = {"far",   "gap",  "faces",      "corner",
                                       "edges", "deep", "concentric", "same"};
static const double gaps[] = {1e-3, 1e-6, 0, -1e-6, -1e-3};

struct coupling {
    struct shape_data fa, fb;
    struct convex_instance a, b;
    int sort_a, sort_b, lay;
    double small, large; // [m] radii
    double far;          // [m] from the origin
};

static const struct convex_part *random_part(struct rng *l, const struct shape_data *f)
{
    return &f->convex_parts[rng_index(l, f->convex_part_count)];
}

// A face normal of a part, or the cross product of two edges.
static vec3 side_or_edge(struct rng *l, const struct convex_part *p, bool edge)
{
    if (p->face_count) {
        const int i = rng_index(l, p->face_count), k = rng_index(l, p->face_count);
        const vec3 n = p->faces[i].normal, sum = v3_add(n, p->faces[k].normal);
        return edge && v3_length(sum) > 0.1 ? normalize(sum) : n;
    }
    if (edge) return normalize(v3(1, rng_between(l, -1, 1), 0));
    return rng_index(l, 2) ? v3(1, 0, 0) : v3(0, rng_index(l, 2) ? 1 : -1, 0);
}

// b with its direction `way` opposite to n, its farthest point `gap` beyond that of a.
static void put_at(struct coupling *c, vec3 n, double gap)
{
    const vec3 back = v3_scale(n, -1.0);
    const vec3 pa = v3_madd(convex_support(&c->a, n), c->a.part->rounding, n);
    const vec3 pb = v3_madd(convex_support(&c->b, back), -c->b.part->rounding, n);
    c->b.position = v3_add(c->b.position, v3_madd(v3_sub(pa, pb), gap, n));
}

static void place(struct rng *l, struct coupling *c, int lay, double far)
{
    const struct convex_part *p = random_part(l, &c->fa), *q = lay == SAME ? p : random_part(l, &c->fb);
    const double size = fmin(p->bounding_radius, q->bounding_radius),
                 gap = size * gaps[rng_index(l, COUNT(gaps))];
    c->lay = lay, c->small = size, c->large = fmax(p->bounding_radius, q->bounding_radius), c->far = far;
    const vec3 at = v3_scale(random_direction(l), far),
               aside = random_direction(l); // one after the other: the same everywhere
    const double some = rng_unit(l);
    c->a = (struct convex_instance){p, at, random_rotation(l)};
    c->b = (struct convex_instance){q, at, random_rotation(l)};
    if (lay == SAME) c->b = c->a;
    if (lay == FAR)
        c->b.position = v3_madd(at, (1 + 2 * some) * (p->bounding_radius + q->bounding_radius), aside);
    if (lay == DEEP) c->b.position = v3_madd(at, some * size, aside);
    if (lay == GAP) put_at(c, random_direction(l), gap);
    if (lay == FACES_MEET || lay == CORNER_MEETS || lay == EDGES_MEET) {
        const bool edge = lay == EDGES_MEET;
        const vec3 n = mat3_mul(&c->a.axes, side_or_edge(l, p, edge));
        if (lay != CORNER_MEETS) {
            const mat3 turn = rotation_between(side_or_edge(l, q, edge), v3_scale(n, -1.0));
            const mat3 spin = quat_to_matrix(
                quat_from_rotation_vector(v3_scale(n, rng_index(l, 4) ? rng_between(l, 0, 6) : 0.0)));
            c->b.axes = mat3_product(&spin, &turn);
        }
        put_at(c, n, gap);
        if (rng_index(l, 2)) c->b.position = v3_madd(c->b.position, some * size, v3_cross(n, aside));
    }
}

// Sizes from a millimetre to 100 m, plates and needles 1 : 1000.
static void make_couple(struct rng *l, struct coupling *c, int sa, int sb, bool wild)
{
    const double thins[] = {1, 1, 1, 0.1, 10, 1e-3, 1e3};
    c->sort_a = sa, c->sort_b = sb;
    const double size = wild ? rng_log_uniform(l, 1e-3, 100) : 1,
                 other = wild ? rng_log_uniform(l, 1e-3, 100) : rng_between(l, 0.3, 3);
    c->fa = random_shape(l, sa, size, wild ? thins[rng_index(l, COUNT(thins))] : rng_between(l, 0.3, 3));
    c->fb = random_shape(l, sb, other, wild ? thins[rng_index(l, COUNT(thins))] : rng_between(l, 0.3, 3));
}

static void free_couple(struct coupling *c)
{
    shape_data_free(&c->fa, &heap);
    shape_data_free(&c->fb, &heap);
}

// ---- complaints -------------------------------------------------------------------------------------

struct tally {
    int checks, bad, shown;
    double worst;
};

static void expect_at_most(struct tally *t, const struct coupling *c, const char *what, double off,
                           double most)
{
    t->checks++;
    if (!(off <= most)) t->bad++;
    if (!(off <= most) && t->shown++ < 20)
        print_error("%s %g, at most %g: %s (%.3g m) and %s (%.3g m), %s, %g m away\n", what, off, most,
                    shape_names[c->sort_a], c->a.part->bounding_radius,
                    shape_names[c->lay == SAME ? c->sort_a : c->sort_b], c->b.part->bounding_radius,
                    lays[c->lay], c->far);
    if (most > 0 && isfinite(off)) t->worst = fmax(t->worst, off / most);
}

// ---- distance and depth -----------------------------------------------------------------------------

static void nearest_of(const struct convex_instance *a, const struct convex_instance *b,
                       struct closest_points *out)
{
    find_closest_points(a, b, INFINITY, out);
    out->gap -= a->part->rounding + b->part->rounding;
}

static bool is_round(const struct convex_part *p) { return p->profile_count && !(p->rounding > 0.0); }

static void check_nearest(struct tally *t, struct rng *l, const struct coupling *c, int samples)
{
    struct closest_points n, back;
    nearest_of(&c->a, &c->b, &n);
    nearest_of(&c->b, &c->a, &back);
    expect_at_most(t, c, "normal's length", fabs(v3_length(n.normal) - 1), 1e-12);
    const double gap = slab(&c->a, &c->b, n.normal);
    const struct search s = find_best(&c->a, &c->b, n.normal, samples, l);
    const bool curved = is_round(c->a.part) || is_round(c->b.part);
    // The depth of round cores is computed with 96 vertices, which is not more accurate near a rim, or if
    // one is at the centre of the other, where many directions are nearly equal.
    const double size = c->small + c->large,
                 tol = 1e-15 * c->far + (curved ? 5e-4 * size + 5e-3 * fabs(s.best) : 1e-6 * size);
    expect_at_most(t, c, "gap not that of its normal, by", fabs(n.gap - gap), tol);
    expect_at_most(t, c, "better normal, by", s.best - gap, tol);
    expect_at_most(t, c, "swapped, gap differs by", fabs(n.gap - back.gap), tol);
}

static void run_nearest(bool wild, int rounds)
{
    struct tally t = {0};
    struct rng l = {17, wild, 0};
    for (int k = 0; k < rounds * SHAPE_TYPES * SHAPE_TYPES; ++k) {
        struct coupling c;
        make_couple(&l, &c, k % SHAPE_TYPES, k / SHAPE_TYPES % SHAPE_TYPES, wild);
        for (int lay = 0; lay < LAYS; ++lay) {
            place(&l, &c, lay, wild && rng_index(&l, 4) == 0 ? 1e6 : 0);
            check_nearest(&t, &l, &c, 200);
        }
        free_couple(&c);
    }
    print_message("%d checks, %d bad, worst %.3g of tolerance\n", t.checks, t.bad, t.worst);
    assert_int_equal(t.bad, 0);
}

static void distances_and_depths_match_the_reference(void **state)
{
    (void)state;
    run_nearest(false, is_long() ? 200 : 10);
}

static void hull_does_not_depend_on_size_and_position(void **state)
{
    (void)state;
    run_nearest(true, is_long() ? 200 : 10);
}

// ---- manifolds --------------------------------------------------------------------------------------

static double girth_of(const struct convex_part *p)
{
    double widest = 0.0;
    for (int i = 0; i < p->profile_count; ++i) widest = fmax(widest, p->profile[i].radius);
    return widest + p->rounding;
}

// Contact points are located along the normal, which may be 5 degrees off that of the face: the error of a
// point is at most a tenth of the distance between face and point, rounding included. With deep overlap,
// where faces of one end inside the other, points are only known to be near.
static void check_spots(struct tally *t, const struct coupling *c, const struct manifold *m, double gap,
                        double tol)
{
    const struct convex_instance *a = &c->a, *b = &c->b;
    const bool deep = gap < -0.01 * c->small;
    const double off =
        tol + 6e-3 * c->large + (deep ? 0.35 * fabs(gap) : 0.01 * fmax(a->part->rounding, b->part->rounding));
    const double aside =
        tol + 2e-5 * c->large +
        0.051 * (girth_of(a->part) + girth_of(b->part)) * (a->part->profile_count && b->part->profile_count);
    for (int k = 0; k < m->count; ++k) {
        const struct manifold_point *s = &m->points[k];
        const double here = manifold_point_gap(s, m->normal), more = off + 0.15 * fabs(here);
        const vec3 d = v3_sub(s->on_b, s->on_a);
        expect_at_most(t, c, "spot off a, by", outside(a, s->on_a), more);
        expect_at_most(t, c, "spot off b, by", outside(b, s->on_b), more);
        expect_at_most(t, c, "spot askew, by", v3_length(v3_madd(d, -here, m->normal)),
                       aside + (deep ? off : 0));
        if (deep || here > 0.01 * c->small) continue;
        expect_at_most(t, c, "spot inside a, by", -outside(a, s->on_a), off);
        expect_at_most(t, c, "spot inside b, by", -outside(b, s->on_b), off);
    }
}

static void check_manifold(struct tally *t, const struct coupling *c, double reach)
{
    struct manifold m;
    struct closest_points n;
    nearest_of(&c->a, &c->b, &n);
    collide_convex(&c->a, &c->b, reach, &m);
    // a circle is represented by eight vertices; boxes prefer faces to edges, and overhanging parts have
    // no contact
    const double part = c->a.part->box_half.x > 0 && c->b.part->box_half.x > 0 ? 0.012 : 1e-3;
    const double tol = part * c->small + 1e-5 * (c->small + c->large) + 1e-15 * c->far + 0.02 * fabs(n.gap);
    expect_at_most(t, c, "missed, at", n.gap < reach - tol && m.count == 0 ? reach - n.gap : 0, 0);
    expect_at_most(t, c, "too far to touch, at", n.gap > reach + tol && m.count > 0 ? n.gap : 0, 0);
    if (m.count == 0) return;
    double least = INFINITY;
    for (int k = 0; k < m.count; ++k) {
        least = fmin(least, manifold_point_gap(&m.points[k], m.normal));
        expect_at_most(t, c, "spot beyond reach, at", manifold_point_gap(&m.points[k], m.normal),
                       reach + tol);
    }
    expect_at_most(t, c, "manifold normal's length", fabs(v3_length(m.normal) - 1), 1e-12);
    expect_at_most(t, c, "manifold normal worse, by", n.gap - slab(&c->a, &c->b, m.normal),
                   tol + 0.1 * fmax(0, n.gap));
    expect_at_most(t, c, "deepest spot lost, by", least - n.gap, tol);
    expect_at_most(t, c, "spot too deep, by", n.gap - least, tol);
    check_spots(t, c, &m, n.gap, tol);
}

static void run_manifolds(bool wild, int rounds)
{
    struct tally t = {0};
    struct rng l = {17, 2 + wild, 0};
    for (int k = 0; k < rounds * SHAPE_TYPES * SHAPE_TYPES; ++k) {
        struct coupling c;
        make_couple(&l, &c, k % SHAPE_TYPES, k / SHAPE_TYPES % SHAPE_TYPES, wild);
        for (int lay = 0; lay < LAYS; ++lay) {
            place(&l, &c, lay, wild && rng_index(&l, 4) == 0 ? 1e6 : 0);
            check_manifold(&t, &c, c.small * (rng_index(&l, 2) ? 0.02 : 0.5));
        }
        free_couple(&c);
    }
    print_message("%d checks, %d bad, worst %.3g of tolerance\n", t.checks, t.bad, t.worst);
    assert_int_equal(t.bad, 0);
}

static void contact_points_lie_on_both(void **state)
{
    (void)state;
    run_manifolds(false, is_long() ? 100 : 20);
}

static void contact_points_lie_on_both_of_any_size(void **state)
{
    (void)state;
    run_manifolds(true, is_long() ? 100 : 20);
}

// ---- lying and standing -----------------------------------------------------------------------------

static double area_of(const struct manifold *m)
{
    static const int ways[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}}; // two diagonals
    double most = 0;
    for (int i = 0; i < 3 && m->count == 4; ++i) {
        const vec3 u = v3_sub(m->points[ways[i][1]].on_a, m->points[ways[i][0]].on_a);
        const vec3 v = v3_sub(m->points[ways[i][3]].on_a, m->points[ways[i][2]].on_a);
        most = fmax(most, 0.5 * v3_length(v3_cross(u, v)));
    }
    return most;
}

// A box flat on a box, complete or in part: four points that span the common area.
static void box_manifolds_cover_the_common_area(void **state)
{
    (void)state;
    struct shape_data low = a_box(2, 1, 2), high = a_box(1, 0.5, 0.8);
    const mat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int k = 0; k < 200; ++k) {
        struct rng l = {17, 40, (uint64_t)k * 10};
        const double x = k ? rng_between(&l, -1.4, 1.4) : 0, z = k ? rng_between(&l, -1.3, 1.3) : 0;
        const double sink = rng_index(&l, 2) ? 0.01 : -0.001;
        const struct convex_instance a = {&low.convex_parts[0], {3, 7, 1}, one};
        const struct convex_instance b = {&high.convex_parts[0], {3 + x, 7.75 - sink, 1 + z}, one};
        struct manifold m;
        collide_convex(k % 2 ? &b : &a, k % 2 ? &a : &b, 0.02, &m);
        const double wide = fmin(1, x + 0.5) - fmax(-1, x - 0.5), deep = fmin(1, z + 0.4) - fmax(-1, z - 0.4);
        assert_int_equal(m.count, 4);
        CHECK_NEAR(area_of(&m), wide * deep, 1e-9);
        CHECK_NEAR(m.normal.y, k % 2 ? -1 : 1, 1e-12);
        for (int i = 0; i < 4; ++i) CHECK_NEAR(manifold_point_gap(&m.points[i], m.normal), -sink, 1e-9);
    }
    shape_data_free(&low, &heap), shape_data_free(&high, &heap);
}

struct lying {
    int type;
    vec3 down; // its direction that points down
    int least, most;
};

// Standing on three points or more, lying on two: on a box on either side, and on a plane.
static void resting_bodies_have_enough_contact_points(void **state)
{
    (void)state;
    const struct lying all[] = {
        {SPHERE, {0, 1, 0}, 1, 1},   {CAPSULE, {1, 0, 0}, 2, 2},  {CYLINDER, {0, -1, 0}, 3, 4},
        {CYLINDER, {0, 1, 0}, 3, 4}, {CYLINDER, {1, 0, 0}, 2, 2}, {CONE, {0, -1, 0}, 3, 4},
        {CONE, {0.8, 0.6, 0}, 2, 2}, {BOX, {0, 1, 0}, 4, 4},      {BOX, {0.6, 0.8, 0}, 2, 2},
        {CAPSULE, {0, 1, 0}, 1, 1},  {CONE, {0, 1, 0}, 1, 1},     {CYLINDER, {0.6, 0.8, 0}, 1, 1},
    };
    struct shape_data table_top = a_box(20, 1, 20);
    for (int k = 0; k < 20 * COUNT(all); ++k) {
        const struct lying *y = &all[k % COUNT(all)];
        struct rng l = {17, 50, (uint64_t)k * 20};
        struct shape_data f =
            random_shape(&l, y->type, 0.6, 0.8 / 0.6); // the slope of the cone looks along 0.8, 0.6
        const mat3 turn = rotation_between(y->down, v3(0, -1, 0)),
                   spin = quat_to_matrix(quat_from_rotation_vector(v3(0, rng_unit(&l), 0)));
        struct convex_instance p = {&f.convex_parts[0],
                                    {rng_between(&l, -5, 5), 0, rng_between(&l, -5, 5)},
                                    mat3_product(&spin, &turn)};
        p.position.y = reach_of(&p, v3(0, -1, 0)) + rng_between(&l, -1e-3, 1e-3);
        const struct convex_instance t = {
            &table_top.convex_parts[0], {0, -0.5, 0}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
        struct manifold m[3];
        collide_convex(&p, &t, 0.01, &m[0]);
        collide_convex(&t, &p, 0.01, &m[1]);
        collide_plane(&p, v3(0, 1, 0), 0.0, 0.01, &m[2]);
        for (int i = 0; i < 3; ++i) {
            if (m[i].count < y->least || m[i].count > y->most)
                fail_msg("%s %d, on %d: %d points", shape_names[y->type], k % COUNT(all), i, m[i].count);
            CHECK_NEAR(m[i].normal.y, i == 1 ? 1 : -1, 1e-4); // depth of round cores: 1e-6 of the extent
            double least = INFINITY;
            for (int j = 0; j < m[i].count; ++j)
                least = fmin(least, manifold_point_gap(&m[i].points[j], m[i].normal));
            CHECK_NEAR(least, p.position.y - reach_of(&p, v3(0, -1, 0)), 1e-3 * p.part->bounding_radius);
        }
        shape_data_free(&f, &heap);
    }
    shape_data_free(&table_top, &heap);
}

// The deepest point of a part on a plane is exact; all points lie on the part and on the plane.
static void planes_feel_the_deepest_point(void **state)
{
    (void)state;
    for (int k = 0; k < 4000; ++k) {
        struct rng l = {17, 60, (uint64_t)k * 200};
        struct shape_data f =
            random_shape(&l, k % SHAPE_TYPES, rng_log_uniform(&l, 1e-3, 100), rng_log_uniform(&l, 1e-3, 1e3));
        const struct convex_part *q = random_part(&l, &f);
        struct convex_instance p = {q, v3_scale(random_direction(&l), rng_index(&l, 2) ? 1e6 : 1),
                                    random_rotation(&l)};
        const vec3 n = random_direction(&l), down = v3_scale(n, -1);
        const double gap = q->bounding_radius * gaps[rng_index(&l, COUNT(gaps))],
                     reach = 0.01 * q->bounding_radius;
        const double offset = v3_dot(p.position, n) - reach_of(&p, down) - gap,
                     tol = 1e-9 * q->bounding_radius + 1e-9;
        struct manifold m;
        collide_plane(&p, n, offset, reach, &m);
        double least = INFINITY;
        assert_in_range(m.count, 1, 4);
        CHECK_NEAR(v3_length(v3_add(m.normal, n)), 0, 1e-12);
        for (int i = 0; i < m.count; ++i) {
            least = fmin(least, manifold_point_gap(&m.points[i], m.normal));
            CHECK_NEAR(v3_dot(m.points[i].on_b, n), offset, tol);
            assert_true(outside(&p, m.points[i].on_a) < tol);
            assert_true(manifold_point_gap(&m.points[i], m.normal) <= reach + tol);
        }
        CHECK_NEAR(least, gap, tol);
        collide_plane(&p, n, offset - gap - 1.001 * reach - tol - reach, reach, &m);
        assert_int_equal(m.count, 0);
        shape_data_free(&f, &heap);
    }
}

// Of many points at most four are kept, the deepest among them, and none is invented.
static void reduced_manifolds_keep_the_deepest_point(void **state)
{
    (void)state;
    for (int k = 0; k < 5000; ++k) {
        struct rng l = {17, 70, (uint64_t)k * 1000};
        struct candidate_points h = {.count = 1 + rng_index(&l, 2 * MAX_FACE_VERTICES)};
        struct manifold m;
        const vec3 n = random_direction(&l);
        double least = INFINITY, kept = INFINITY;
        const bool line = rng_index(&l, 5) == 0; // all in a row
        for (int i = 0; i < h.count; ++i) {
            h.points[i].on_a = line ? v3(rng_between(&l, -1, 1), 0, 0) : v3_cross(n, random_direction(&l));
            h.points[i].on_b = v3_madd(h.points[i].on_a, rng_between(&l, -0.1, 0.1), n);
            least = fmin(least, manifold_point_gap(&h.points[i], n));
        }
        manifold_reduce(&h, n, &m);
        assert_in_range(m.count, imin(h.count, 2), 4);
        for (int i = 0; i < m.count; ++i) {
            int found = 0;
            for (int j = 0; j < h.count; ++j)
                found += !memcmp(&h.points[j], &m.points[i], sizeof h.points[j]);
            assert_int_equal(found, 1);
            kept = fmin(kept, manifold_point_gap(&m.points[i], n));
            for (int j = 0; j < i; ++j) assert_true(memcmp(&m.points[j], &m.points[i], sizeof m.points[j]));
        }
        CHECK_NEAR(kept, least, 0);
    }
}

// ---- time -------------------------------------------------------------------------------------------

// Nanoseconds per pair of touching parts; only with TARN_LONG.
static void contact_time_of_each_pair_of_shapes(void **state)
{
    (void)state;
    if (!is_long()) skip();
    enum { PAIRS = 200, TIMES = 20 };
    for (int k = 0; k < SHAPE_TYPES * SHAPE_TYPES; ++k) {
        static struct coupling c[PAIRS];
        struct rng l = {17, 80, 0};
        struct manifold m;
        double took[2];
        for (int deep = 0; deep < 2; ++deep) {
            for (int i = 0; i < PAIRS; ++i) {
                make_couple(&l, &c[i], k / SHAPE_TYPES, k % SHAPE_TYPES, false);
                place(&l, &c[i], deep ? DEEP : i % 2 ? GAP : FACES_MEET, 0);
            }
            const clock_t start = clock();
            for (int n = 0; n < TIMES * PAIRS; ++n)
                collide_convex(&c[n % PAIRS].a, &c[n % PAIRS].b, 0.01 * c[n % PAIRS].small, &m);
            took[deep] = 1e9 * (double)(clock() - start) / CLOCKS_PER_SEC / (TIMES * PAIRS);
            for (int i = 0; i < PAIRS; ++i) free_couple(&c[i]);
        }
        print_message("%-8s %-8s %6.0f ns touching %6.0f ns deep\n", shape_names[k / SHAPE_TYPES],
                      shape_names[k % SHAPE_TYPES], took[0], took[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_and_depths_match_the_reference),
        cmocka_unit_test(hull_does_not_depend_on_size_and_position),
        cmocka_unit_test(contact_points_lie_on_both),
        cmocka_unit_test(contact_points_lie_on_both_of_any_size),
        cmocka_unit_test(box_manifolds_cover_the_common_area),
        cmocka_unit_test(resting_bodies_have_enough_contact_points),
        cmocka_unit_test(planes_feel_the_deepest_point),
        cmocka_unit_test(reduced_manifolds_keep_the_deepest_point),
        cmocka_unit_test(contact_time_of_each_pair_of_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
