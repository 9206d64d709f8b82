// Broad phase: pairs of bounds against all pairs, also across periodic boundaries; sloping and wavy
// terrain; interlocked tori.
#include "bodies_fixture.h"
#include "body_def.h"

#include "base/math/random.h"
#include "body/solve/dynamics.h"

static tarn_body_def ball(double radius)
{
    tarn_body_def d = body_def("sphere");
    CHECK_OK(set_shape(&d, "radius", tarn_value_number(radius), NULL));
    return d;
}

static tarn_body_def block(double x, double y, double z)
{
    tarn_body_def d = body_def("box");
    CHECK_OK(set_shape(&d, "size", tarn_value_vec3(x, y, z), NULL));
    return d;
}

static double dice(uint64_t n) { return random_unit(9, 4, n); }

// ---- pairs ------------------------------------------------------------------------------------------

#define BODIES 500

static bool overlap(const struct aabb *a, const struct aabb *b, vec3 shift, double slack)
{
    const vec3 more = v3(slack, slack, slack);
    const vec3 lo = v3_sub(v3_add(b->lo, shift), more), hi = v3_add(v3_add(b->hi, shift), more);
    return a->lo.x <= hi.x && lo.x <= a->hi.x && a->lo.y <= hi.y && lo.y <= a->hi.y && a->lo.z <= hi.z &&
           lo.z <= a->hi.z;
}

// Every overlapping pair is listed once per periodic shift, sorted; the listed pairs are near within the
// precision of floats.
static void check_pairs(struct bodies_fixture *s, const struct aabb *bounds, const double wrap[2],
                        double slack)
{
    const struct broad_phase *p = &s->bodies.dynamics->broad_phase;
    int at = 0, near = 0;
    for (int i = 1; i < p->pair_count; ++i) {
        const struct body_pair *x = &p->pairs[i - 1], *y = &p->pairs[i];
        const int order = x->a != y->a ? y->a - x->a : x->b != y->b ? y->b - x->b : y->image - x->image;
        assert_true(order > 0);
    }
    for (int a = 0; a < BODIES; ++a)
        for (int b = a + 1; b < BODIES; ++b)
            for (int shift = 0; shift < 9; ++shift) {
                if ((shift / 3 != 1 && !(wrap[0] > 0)) || (shift % 3 != 1 && !(wrap[1] > 0))) continue;
                while (at < p->pair_count &&
                       (p->pairs[at].a < a || (p->pairs[at].a == a && p->pairs[at].b < b)))
                    ++at;
                bool found = false;
                for (int k = at; k < p->pair_count && p->pairs[k].a == a && p->pairs[k].b == b; ++k)
                    found = found || p->pairs[k].image == shift;
                const bool real = overlap(&bounds[a], &bounds[b], image_offset(shift, wrap), 0);
                near += real;
                if (real && !found) fail_msg("bodies %d and %d, shift %d: missed", a, b, shift);
                if (found && !overlap(&p->fat_aabb[a], &p->fat_aabb[b], image_offset(shift, wrap), slack))
                    fail_msg("bodies %d and %d, shift %d: far apart", a, b, shift);
            }
    assert_true(near > 50);
}

static void move_and_compare(double along_x, double along_z, double away, int steps)
{
    struct bodies_fixture *s = fixture_create();
    static struct aabb bounds[BODIES];
    vec3 at[BODIES], speed[BODIES], half[BODIES];
    const double wrap[2] = {along_x, along_z}, x = along_x > 0 ? along_x : 10, z = along_z > 0 ? along_z : 10;
    const tarn_body_def def = ball(0.1);
    for (int i = 0; i < BODIES; ++i) {
        const uint64_t n = (uint64_t)i * 16;
        add(s, &def);
        at[i] = v3(away + x * (dice(n) - 0.5), 6 * dice(n + 1), z * (dice(n + 2) - 0.5));
        speed[i] = v3(dice(n + 3) - 0.5, dice(n + 4) - 0.5, dice(n + 5) - 0.5);
        const double size = 0.02 * pow(100, dice(n + 6)); // some are as long as a third of the domain
        half[i] = v3(size * dice(n + 7), size * dice(n + 8), size * dice(n + 9));
    }
    assert_true(dynamics_create(&s->bodies, BODIES));
    for (int n = 0; n < steps; ++n) {
        for (int i = 0; i < BODIES; ++i) {
            at[i] = v3_madd(at[i], i % 3 ? 0.05 : 0.0, speed[i]);
            if (along_x > 0) at[i].x -= along_x * floor(at[i].x / along_x + 0.5);
            if (along_z > 0) at[i].z -= along_z * floor(at[i].z / along_z + 0.5);
            bounds[i] = (struct aabb){v3_sub(at[i], half[i]), v3_add(at[i], half[i])};
        }
        assert_true(broad_phase_update(&s->bodies, bounds, wrap));
        check_pairs(s, bounds, wrap, 1e-6 + 1e-7 * away);
    }
    fixture_destroy(s);
}

static void no_pair_is_missed(void **state)
{
    (void)state;
    const int steps = getenv("TARN_LONG") ? 500 : 50;
    move_and_compare(0, 0, 0, steps);
    move_and_compare(0, 0, 1e6, steps); // float bounds are 6 cm apart there
}

static void no_pair_is_missed_across_sides(void **state)
{
    (void)state;
    const int steps = getenv("TARN_LONG") ? 500 : 50;
    move_and_compare(8, 0, 0, steps);
    move_and_compare(0, 8, 0, steps);
    move_and_compare(8, 6, 0, steps);
}

// ---- ground -----------------------------------------------------------------------------------------

struct slope {
    vec3 normal;
    double offset;
};

static double slope_at(const void *place, double x, double z, vec3 *normal)
{
    const struct slope *p = place;
    *normal = p->normal;
    return (p->offset - p->normal.x * x - p->normal.z * z) / p->normal.y;
}

static struct body_domain ground_of(double (*ground)(const void *, double, double, vec3 *), const void *place)
{
    return (struct body_domain){.x_min = -INFINITY,
                                .x_max = INFINITY,
                                .z_min = -INFINITY,
                                .z_max = INFINITY,
                                .floor = -INFINITY,
                                .ground_height = ground,
                                .ground_context = place};
}

// Terrain that is a plane gives the contacts of the plane.
static void sloping_ground_is_a_plane(void **state)
{
    (void)state;
    for (int k = 0; k < 400; ++k) {
        const uint64_t d = (uint64_t)k * 32;
        struct bodies_fixture *s = fixture_create();
        tarn_body_def def =
            k % 2 ? block(0.2 + dice(d), 0.2 + dice(d + 1), 0.2 + dice(d + 2)) : ball(0.1 + dice(d));
        struct slope p = {{dice(d + 3) - 0.5, 1, dice(d + 4) - 0.5}, 0.3};
        p.normal = v3_scale(p.normal, 1 / v3_length(p.normal));
        def.rotation = quat_normalize((quat){dice(d + 5), dice(d + 6), dice(d + 7), dice(d + 8)});
        if (k % 4 == 1) { // flat on it
            const vec3 axis = v3_cross(v3(0, 1, 0), p.normal);
            const double sine = v3_length(axis);
            def.rotation = quat_from_rotation_vector(v3_scale(axis, asin(sine) / fmax(sine, 1e-9)));
        }
        const int i = add(s, &def);
        const struct convex_part *piece = &s->bodies.slots[i].body->def.shape->data.convex_parts[0];
        const mat3 axes = quat_to_matrix(def.rotation);
        const struct convex_instance at_origin = convex_place(piece, v3(0, 0, 0), &axes);
        const vec3 low = convex_support(&at_origin, v3_scale(p.normal, -1));
        const double gap = 0.001 * (dice(d + 9) - 0.5) * piece->bounding_radius;
        const double height = p.offset + piece->rounding - v3_dot(low, p.normal) + gap;
        s->bodies.state[i].position = v3_madd(v3(0, 0, 0), height, p.normal);
        const struct body_domain w = ground_of(slope_at, &p);
        assert_true(bodies_begin_step(&s->bodies, &w, 1e-4));
        const struct convex_instance put = convex_place(piece, s->bodies.state[i].position, &axes);
        struct manifold m;
        collide_plane(&put, p.normal, p.offset, s->bodies.dynamics->margin[i], &m);
        const struct contacts *c = &s->bodies.dynamics->contacts;
        double least = INFINITY, most = -INFINITY;
        for (int n = 0; n < c->count; ++n) {
            least = fmin(least, contact_point_gap(&s->bodies, &c->current[n], 0));
            most = fmax(most, contact_point_gap(&s->bodies, &c->current[n], 0));
            const vec3 normal = quat_rotate(def.rotation, c->current[n].normal);
            CHECK_NEAR(v3_length(v3_add(normal, p.normal)), 0, 1e-6);
        }
        CHECK_NEAR(least, gap, 1e-6 * piece->bounding_radius);
        if (k % 4 == 1) CHECK_NEAR(most, gap, 1e-6 * piece->bounding_radius);
        int corners = 0;
        for (int n = 0; n < c->count; ++n)
            for (int j = 0; j < m.count; ++j) {
                const vec3 there = v3_sub(m.points[j].on_a, s->bodies.state[i].position);
                corners += v3_length(v3_sub(quat_rotate(def.rotation, c->current[n].points[0].local_a),
                                            there)) < 1e-6;
            }
        if (k % 4 == 1) assert_int_equal(corners, 4);
        fixture_destroy(s);
    }
}

struct waves {
    double height, length;
};

static double waves_at(const void *place, double x, double z, vec3 *normal)
{
    const struct waves *p = place;
    const double k = 2 * PI / p->length;
    const vec3 n = v3(-p->height * k * cos(k * x) * cos(k * z), 1, p->height * k * sin(k * x) * sin(k * z));
    *normal = v3_scale(n, 1 / v3_length(n));
    return p->height * sin(k * x) * cos(k * z);
}

// The largest depth of the hull of a body in the terrain.
static double sunk(const struct bodies *b, int i, const struct body_domain *w)
{
    const struct trimesh *h = &b->slots[i].body->def.shape->data.hull;
    double most = -INFINITY;
    for (int v = 0; v < h->vertex_count; ++v) {
        const vec3 p = v3_add(b->state[i].position, quat_rotate(b->state[i].rotation, h->vertices[v]));
        vec3 normal;
        const double ground = w->ground_height(w->ground_context, p.x, p.z, &normal);
        most = fmax(most, (ground - p.y) * normal.y);
    }
    return most;
}

// Bodies dropped on waves of the terrain that are longer than they are come to rest with hardly any
// overlap and without vibration.
static void bodies_rest_on_waves(void **state)
{
    (void)state;
    const struct waves waves[] = {{0.1, 4}, {0.2, 3}, {0.05, 1.5}};
    for (int k = 0; k < 60; ++k) {
        struct bodies_fixture *s = fixture_create();
        const struct body_domain w = ground_of(waves_at, &waves[k / 2 % 3]);
        tarn_body_def def = k % 2 ? block(0.5, 0.3, 0.4) : ball(0.2);
        def.position = v3(3 * dice((uint64_t)k * 4 + 90000), 0.8, 3 * dice((uint64_t)k * 4 + 90001));
        def.friction = 0.8, def.restitution = 0.1;
        const int i = add(s, &def);
        s->bodies.never_sleep = true;
        const double size = s->bodies.slots[i].body->def.shape->bounding_radius;
        pass(s, &w, 9.81, 1.0 / 60.0, 1200);
        const vec3 before = s->bodies.state[i].position;
        double fastest = 0, deepest = 0;
        for (int n = 0; n < 120; ++n) {
            pass(s, &w, 9.81, 1.0 / 60.0, 1);
            fastest = fmax(fastest, v3_length(body_velocity(&s->bodies, i)));
            deepest = fmax(deepest, sunk(&s->bodies, i, &w));
        }
        const double crept = v3_length(v3_sub(s->bodies.state[i].position, before));
        if (k % 2) { // impulses are floats: at rest to 1e-7 of the speed that gravity gives in a step
            assert_true(deepest < 0.01 * size);
            assert_true(fastest < 1e-4);
            assert_true(crept < 1e-5);
        } else { // keeps rolling
            assert_true(deepest < 0.02 * size);
        }
        fixture_destroy(s);
    }
}

// A body touches each wall with one contact, however many convex parts it has.
static void walls_make_one_contact(void **state)
{
    (void)state;
    struct bodies_fixture *s = fixture_create();
    struct body_domain w = ground_of(NULL, NULL);
    w.x_min = -1, w.z_min = -1, w.floor = 0;
    const tarn_body_def def = body_def("torus");
    const int i = add(s, &def);
    const double r = s->bodies.slots[i].body->def.shape->bounding_radius;
    assert_true(s->bodies.slots[i].body->def.shape->data.convex_part_count > 2);
    s->bodies.state[i].position = v3(-1 + 0.9 * r, 0.1 * r, -1 + 0.9 * r);
    assert_true(bodies_begin_step(&s->bodies, &w, 1.0 / 60.0));
    const struct contacts *c = &s->bodies.dynamics->contacts;
    assert_int_equal(c->count, 3);
    for (int n = 0; n < 3; ++n)
        assert_true(c->current[n].point_count >= 1 && c->current[n].point_count <= MANIFOLD_POINTS);
    assert_int_equal(c->current[2].point_count, 4); // it lies flat
    fixture_destroy(s);
}

// ---- heaps ------------------------------------------------------------------------------------------

// Fifteen coincident tori are separated by position correction, which gives no velocity, so that none
// becomes faster than 1 m/s relative to their centre, where gravity has no part in it. They are moved
// across each other by more than their thickness, so contacts must be updated.
static void coincident_tori_separate(void **state)
{
    (void)state;
    enum { RINGS = 15 };
    struct bodies_fixture *s = fixture_create();
    const struct body_domain none = {
        .x_min = -INFINITY, .x_max = INFINITY, .z_min = -INFINITY, .z_max = INFINITY, .floor = -INFINITY};
    tarn_body_def d = tarn_default_body_def();
    d.shape = shape_of((tarn_shape_def){.type = TARN_SHAPE_TORUS, .torus = {0.01, 0.0075}});
    d.density = 2.0, d.velocity = v3(10, 5, 10), d.angular_velocity = v3(3, 2, 1);
    for (int k = 0; k < RINGS; ++k) add(s, &d);
    for (int n = 0; n < 30; ++n) {
        pass(s, &none, 0.0, 0.01, 1);
        for (int k = 0; k < RINGS; ++k)
            assert_true(v3_length(v3_sub(body_velocity(&s->bodies, k), d.velocity)) < 1.0);
    }
    fixture_destroy(s);
}

static double deepest_of_pieces(const struct bodies *b)
{
    const struct shape_data *fa = &b->slots[0].body->def.shape->data,
                            *fb = &b->slots[1].body->def.shape->data;
    const mat3 axes_a = quat_to_matrix(b->state[0].rotation), axes_b = quat_to_matrix(b->state[1].rotation);
    double least = INFINITY;
    for (int i = 0; i < fa->convex_part_count; ++i)
        for (int j = 0; j < fb->convex_part_count; ++j) {
            const struct convex_instance pa =
                convex_place(&fa->convex_parts[i], b->state[0].position, &axes_a);
            const struct convex_instance pb =
                convex_place(&fb->convex_parts[j], b->state[1].position, &axes_b);
            struct manifold m;
            collide_convex(&pa, &pb, 0.0, &m);
            for (int k = 0; k < m.count; ++k) least = fmin(least, manifold_point_gap(&m.points[k], m.normal));
        }
    return least;
}

// Two tori are near each other in more directions than there are contact points: that of the largest
// overlap is kept. Directions within 2.6 degrees count as one, which changes a depth by 0.1 %.
static void deepest_contact_point_is_kept(void **state)
{
    (void)state;
    const struct body_domain none = {
        .x_min = -INFINITY, .x_max = INFINITY, .z_min = -INFINITY, .z_max = INFINITY, .floor = -INFINITY};
    const tarn_body_def d = body_def("torus");
    int overlaps = 0;
    for (uint64_t n = 0; n < 300; ++n) {
        struct bodies_fixture *s = fixture_create();
        const int a = add(s, &d), b = add(s, &d);
        struct body_state *h = &s->bodies.state[b];
        const double r = s->bodies.slots[a].body->def.shape->bounding_radius;
        h->position =
            v3_add(s->bodies.state[a].position,
                   v3_scale(v3(dice(6 * n) - 0.5, dice(6 * n + 1) - 0.5, dice(6 * n + 2) - 0.5), 2.0 * r));
        h->rotation =
            quat_from_rotation_vector(v3_scale(v3(dice(6 * n + 3), dice(6 * n + 4), dice(6 * n + 5)), PI));
        // The distance by which gravity may bring them nearer in that time: 0.1 m each.
        assert_true(bodies_begin_step(&s->bodies, &none, 0.1));
        const double depth = -deepest_of_pieces(&s->bodies);
        const struct contacts *c = &s->bodies.dynamics->contacts;
        double held = 0.0;
        for (int k = 0; k < c->count; ++k)
            for (int m = 0; m < c->current[k].point_count; ++m)
                held = fmax(held, -contact_point_gap(&s->bodies, &c->current[k], m));
        if (depth > 0.0) CHECK_NEAR(held, depth, 2e-3 * depth);
        overlaps += depth > 0.0;
        fixture_destroy(s);
    }
    assert_true(overlaps > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pair_is_missed),
        cmocka_unit_test(no_pair_is_missed_across_sides),
        cmocka_unit_test(sloping_ground_is_a_plane),
        cmocka_unit_test(bodies_rest_on_waves),
        cmocka_unit_test(walls_make_one_contact),
        cmocka_unit_test(coincident_tori_separate),
        cmocka_unit_test(deepest_contact_point_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
