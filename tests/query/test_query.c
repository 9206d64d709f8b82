// Queries of bodies against brute force, exact solutions and their own laws.
#include "query_world.h"

#include "body/collide/body_query.h"

// ---- worlds -----------------------------------------------------------------------------------------

static tarn_body_id add_random(tarn_world *w, struct rng *d, double high)
{
    struct shape_storage storage;
    double size[3];
    tarn_body_id body;
    tarn_error err = {0};
    tarn_body_def def = make_shape(d, 0.2, 2.0, size, &storage);
    const double x = rng_between(d, -14, 14), y = rng_between(d, 2, high), z = rng_between(d, -14, 14);
    def.position = v3(x, y, z), def.density = 500.0;
    def.rotation = quat_from_rotation_vector(rng_vector(d, rng_between(d, 0, 3)));
    def.velocity = rng_vector(d, 1.0);
    const tarn_result r = tarn_body_create(w, &def, &body, &err);
    if (r == TARN_BAD_INPUT) return (tarn_body_id){0}; // a hull of random points may be flat
    CHECK_OK(r);
    return body;
}

static void add_many(tarn_world *w, struct rng *d, int count, double high)
{
    for (int i = 0; i < count; ++i) add_random(w, d, high);
}

// One default body of each kind of shape that has defaults.
static void add_every_kind(tarn_world *w, struct rng *d)
{
    const tarn_kind *kind;
    for (int k = 0; (kind = tarn_kind_at("shape", k)); ++k) {
        tarn_body_def def = tarn_default_body_def();
        const tarn_shape_def shape = tarn_default_shape_def((tarn_shape_type)k);
        tarn_body_id body;
        const double x = rng_between(d, -14, 14), y = rng_between(d, 3, 10), z = rng_between(d, -14, 14);
        def.position = v3(x, y, z);
        tarn_body_create_with_shape(w, &def, &shape, &body,
                                    NULL); // planar shapes and those of tables are refused
    }
}

// ---- brute force ------------------------------------------------------------------------------------

// Calls visit() for every convex part of every body of an unbounded or walled world.
static void for_each_part(const tarn_world *w,
                          void (*visit)(void *context, int slot, int part, const struct convex_instance *p),
                          void *context)
{
    for (int i = 0; i < w->bodies.slot_count; ++i) {
        if (!body_exists(&w->bodies, i)) continue;
        const struct shape_data *shape = &w->bodies.slots[i].body->def.shape->data;
        const mat3 axes = quat_to_matrix(w->bodies.state[i].rotation);
        for (int k = 0; k < shape->convex_part_count; ++k) {
            const struct convex_instance p =
                convex_place(&shape->convex_parts[k], w->bodies.state[i].position, &axes);
            visit(context, i, k, &p);
        }
    }
}

struct brute_ray {
    const tarn_ray *ray;
    int slot, part, parts_hit; // slot -1: no hit
    double fraction;
};

static void brute_cast(void *context, int slot, int part, const struct convex_instance *p)
{
    struct brute_ray *b = context;
    struct convex_hit hit;
    if (!convex_cast_point(b->ray->origin, b->ray->translation, p, 1.0, &hit)) return;
    b->parts_hit += 1;
    if (b->slot >= 0 && hit.fraction >= b->fraction) return;
    b->slot = slot, b->part = part, b->fraction = hit.fraction;
}

static void check_nearest(const tarn_world *w, const tarn_ray *ray)
{
    struct brute_ray brute = {.ray = ray, .slot = -1};
    tarn_hit hit;
    for_each_part(w, brute_cast, &brute);
    CHECK_OK(tarn_world_cast_ray(w, ray, &hit));
    assert_int_equal(hit.kind, brute.slot >= 0 ? TARN_HIT_BODY : TARN_HIT_NONE);
    if (brute.slot < 0) return;
    assert_int_equal(id_slot(hit.body.value), brute.slot);
    assert_int_equal(hit.part, brute.part);
    assert_true(hit.fraction == brute.fraction);
}

// The search finds what a loop over all bodies finds, after every way in which bodies come, go and move.
static void rays_find_what_a_loop_over_all_bodies_finds(void **state)
{
    (void)state;
    struct rng d = {7, 1, 0};
    tarn_world *w = create("none", 0, NULL);
    for (int stage = 0; stage < 12; ++stage) {
        add_many(w, &d, stage == 0 ? 100 : 20, 14);
        if (stage == 1) add_every_kind(w, &d);
        for (int k = 0; k < 12; ++k)
            CHECK_OK(
                tarn_body_destroy(w, tarn_body_at(w, rng_index(&d, tarn_world_get_status(w).body_count))));
        for (int k = 0; k < 5; ++k) {
            const tarn_body_id body = tarn_body_at(w, rng_index(&d, tarn_world_get_status(w).body_count));
            tarn_body_state motion;
            CHECK_OK(tarn_body_get_state(w, body, &motion));
            motion.position = rng_point(&d, v3(-14, 8, -14), v3(14, 8, 14));
            CHECK_OK(tarn_body_set_state(w, body, &motion));
        }
        for (int k = 0; k < 200; ++k) {
            const tarn_ray ray = random_ray(&d);
            check_nearest(w, &ray);
        }
        CHECK_OK(tarn_world_advance(w, 0.05));
        for (int k = 0; k < 200; ++k) {
            const tarn_ray ray = random_ray(&d);
            check_nearest(w, &ray);
        }
    }
    tarn_world_destroy(w);
}

struct distances {
    vec3 point;
    double nearest;
    int slot;
};

static void brute_distance(void *context, int slot, int part, const struct convex_instance *p)
{
    struct distances *s = context;
    vec3 nearest;
    const double distance = convex_distance(s->point, p, INFINITY, &nearest);
    (void)part;
    if (distance < s->nearest) s->nearest = distance, s->slot = slot;
}

static struct distances distances_from(const tarn_world *w, vec3 point)
{
    struct distances s = {.point = point, .nearest = INFINITY, .slot = -1};
    for_each_part(w, brute_distance, &s);
    return s;
}

// What a ray hits lies on a surface, before it the way is free, and the normal looks back along the ray. GJK
// stops at 1e-7 of the size of a part, up to 4 m; a slanted ray is ten times as far from the surface then.
static void hits_are_the_first_points_on_a_surface(void **state)
{
    (void)state;
    struct rng d = {7, 2, 0};
    tarn_world *w = create("none", 0, NULL);
    add_many(w, &d, 100, 8);
    add_every_kind(w, &d);
    int hits = 0;
    for (int k = 0; k < 200; ++k) {
        tarn_ray ray = random_ray(&d);
        const tarn_body_id aim = tarn_body_at(w, rng_index(&d, tarn_world_get_status(w).body_count));
        const vec3 off = rng_vector(&d, 0.3), at = motion_of(w, aim).position;
        ray.translation = v3_scale(v3_add(v3_sub(at, ray.origin), off), 1.5);
        tarn_hit hit;
        CHECK_OK(tarn_world_cast_ray(w, &ray, &hit));
        if (hit.kind == TARN_HIT_NONE) hit.fraction = 1.0;
        const bool inside = hit.kind != TARN_HIT_NONE && hit.fraction == 0.0;
        for (int n = 0; n < 20 && !inside; ++n) {
            const vec3 p = v3_madd(ray.origin, hit.fraction * n / 20, ray.translation);
            if (distances_from(w, p).nearest <= 0.0) fail_msg("ray %d passes through a body", k);
        }
        if (hit.kind == TARN_HIT_NONE) continue;
        hits += 1;
        CHECK_NEAR(distances_from(w, hit.point).nearest, 0.0, 4e-6);
        CHECK_NEAR(v3_length(v3_sub(hit.point, v3_madd(ray.origin, hit.fraction, ray.translation))), 0.0,
                   1e-6);
        if (inside) {
            assert_true(v3_length(hit.normal) == 0.0);
            continue;
        }
        CHECK_NEAR(v3_length(hit.normal), 1.0, 1e-12);
        assert_true(v3_dot(hit.normal, ray.translation) < 0.0);
    }
    if (hits < 100) fail_msg("only %d rays hit a body", hits);
    tarn_world_destroy(w);
}

// The cast of a point by conservative advancement and the clipping at faces agree on boxes and hulls.
static void two_methods_agree(void **state)
{
    (void)state;
    struct rng d = {7, 3, 0};
    tarn_world *w = create("none", 0, NULL);
    add_many(w, &d, 80, 14);
    struct profile_point core;
    const struct convex_part point = convex_point(&core);
    int compared = 0;
    for (int i = 0; i < w->bodies.slot_count; ++i) {
        const struct shape_data *shape = &w->bodies.slots[i].body->def.shape->data;
        const mat3 axes = quat_to_matrix(w->bodies.state[i].rotation);
        for (int k = 0; k < 20; ++k) {
            const struct convex_instance p =
                convex_place(&shape->convex_parts[0], w->bodies.state[i].position, &axes);
            const vec3 from = v3_add(p.position, rng_vector(&d, 3.0)), aim = rng_vector(&d, 0.05);
            const vec3 translation = v3_scale(v3_add(v3_sub(p.position, from), aim), 2.0);
            const struct convex_instance moving = {&point, from, point.axes};
            struct convex_hit a, b;
            const bool hit_a = convex_cast_point(from, translation, &p, 1.0, &a),
                       hit_b = convex_cast(&moving, translation, &p, 1.0, &b);
            assert_int_equal(hit_a, hit_b);
            if (!hit_a) continue;
            CHECK_NEAR(a.fraction, b.fraction, 1e-6);
            compared += 1;
        }
    }
    assert_true(compared > 800);
    tarn_world_destroy(w);
}

// ---- exact solutions --------------------------------------------------------------------------------

static tarn_body_def brick(double x, double y, double z)
{
    tarn_body_def def = tarn_default_body_def();
    def.shape = shape_of((tarn_shape_def){.type = TARN_SHAPE_BOX, .box = {{x, y, z}, 0}});
    return def;
}

static void rays_at_spheres_and_boxes_are_exact(void **state)
{
    (void)state;
    tarn_world *w = create("none", 0, NULL);
    const tarn_body_id sphere = put_at(w, ball(1.0), v3(0, 5, 0));
    const tarn_body_id box = put_at(w, brick(2, 4, 6), v3(5, 5, 0));
    tarn_hit hit = cast(w, v3(-10, 5, 0), v3(20, 0, 0), 0);
    assert_memory_equal(&hit.body, &sphere, sizeof sphere);
    CHECK_NEAR(hit.fraction, 9.0 / 20.0, 1e-15);
    check_vector(hit.normal, v3(-1, 0, 0), 1e-15);
    hit = cast(w, v3(0.6, 10, 0), v3(0, -10, 0), 0);
    check_vector(hit.point, v3(0.6, 5.8, 0), 1e-14);
    check_vector(hit.normal, v3(0.6, 0.8, 0), 1e-14);
    hit = cast(w, v3(5.5, 10, 1), v3(0, -6, 0), 0);
    assert_memory_equal(&hit.body, &box, sizeof box);
    CHECK_NEAR(hit.fraction, 0.5, 1e-15);
    check_vector(hit.normal, v3(0, 1, 0), 0.0);
    hit = cast(w, v3(5, 5, 0), v3(9, 0, 0), 0); // starts inside
    assert_memory_equal(&hit.body, &box, sizeof box);
    assert_true(hit.fraction == 0.0 && v3_length(hit.normal) == 0.0);
    hit = cast(w, v3(-10, 6.0000001, 0), v3(12, 0, 0), 0); // just above the sphere
    assert_int_equal(hit.kind, TARN_HIT_NONE);
    tarn_world_destroy(w);
}

static void walls_and_floor_are_hit_from_inside(void **state)
{
    (void)state;
    tarn_world *w = create("none", 0, NULL);
    tarn_hit hit = cast(w, v3(0, 1, 0), v3(30, 0, 0), 0);
    assert_int_equal(hit.kind, TARN_HIT_WALL);
    check_vector(hit.point, v3(15, 1, 0), 1e-12);
    check_vector(hit.normal, v3(-1, 0, 0), 0.0);
    hit = cast(w, v3(-20, 1, 3), v3(40, 0, 0), 0); // enters through one wall, is stopped by the other
    check_vector(hit.point, v3(15, 1, 3), 1e-12);
    hit = cast(w, v3(-20, 1, 20), v3(40, 0, 0), 0); // passes beside the domain
    assert_int_equal(hit.kind, TARN_HIT_NONE);
    hit = cast(w, v3(1, 4, 2), v3(0, -8, 0), 0);
    assert_int_equal(hit.kind, TARN_HIT_BED);
    check_vector(hit.point, v3(1, 0, 2), 1e-15);
    check_vector(hit.normal, v3(0, 1, 0), 0.0);
    hit = cast(w, v3(0, 1, 0), v3(30, 0, 0), TARN_HIT_BODY | TARN_HIT_BED);
    assert_int_equal(hit.kind, TARN_HIT_NONE);
    tarn_world_destroy(w);
}

// A cylinder standing upright: x^2 + z^2 = 1, |y| <= 1; found by conservative advancement.
static void rays_at_a_cylinder_are_near_the_exact_ones(void **state)
{
    (void)state;
    tarn_world *w = create("none", 0, NULL);
    tarn_body_def def = tarn_default_body_def();
    def.shape = shape_of((tarn_shape_def){.type = TARN_SHAPE_CYLINDER, .cylinder = {1.0, 2.0, 0}});
    put_at(w, def, v3(0, 5, 0));
    for (int k = -9; k <= 9; ++k) {
        const double z = 0.1 * k;
        const tarn_hit hit = cast(w, v3(-5, 5, z), v3(10, 0, 0), 0);
        check_vector(hit.point, v3(-sqrt(1 - z * z), 5, z), 1e-6);
        check_vector(hit.normal, v3(-sqrt(1 - z * z), 0, z), 1e-6);
        CHECK_NEAR(cast(w, v3(0.5, 9, z * 0.5), v3(0, -10, 0), 0).fraction, 0.3, 1e-7);
    }
    assert_int_equal(cast(w, v3(-5, 5, 1.001), v3(10, 0, 0), TARN_HIT_BODY).kind, TARN_HIT_NONE);
    tarn_world_destroy(w);
}

// ---- overlaps and nearest points ----------------------------------------------------------------------

struct brute_overlap {
    const struct convex_instance *what;
    bool overlaps[4096];
};

static void brute_overlap(void *context, int slot, int part, const struct convex_instance *p)
{
    struct brute_overlap *s = context;
    (void)part;
    if (convex_overlap(s->what, p)) s->overlaps[slot] = true;
}

static void check_list(const struct brute_overlap *brute, int slots, const tarn_body_id *found, int count)
{
    int n = 0;
    for (int i = 0; i < slots; ++i) {
        if (!brute->overlaps[i]) continue;
        assert_true(n < count);
        assert_int_equal(id_slot(found[n].value), i);
        n += 1;
    }
    assert_int_equal(n, count);
}

static void overlaps_are_those_of_a_loop_over_all_bodies(void **state)
{
    (void)state;
    struct rng d = {7, 6, 0};
    tarn_world *w = create("none", 0, NULL);
    add_many(w, &d, 200, 8);
    static tarn_body_id found[4096];
    int any = 0;
    for (int k = 0; k < 200; ++k) {
        const vec3 centre = rng_point(&d, v3(-14, 1, -14), v3(14, 8, 14));
        const vec3 half = rng_point(&d, v3(0.1, 0.1, 0.1), v3(3, 3, 3));
        const struct convex_part box = {.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                        .box_half = half,
                                        .bounding_radius = v3_length(half)};
        const struct convex_instance at = {&box, centre, box.axes};
        static struct brute_overlap brute;
        memset(brute.overlaps, 0, sizeof brute.overlaps);
        brute.what = &at;
        for_each_part(w, brute_overlap, &brute);
        const tarn_aabb aabb = {v3_sub(centre, half), v3_add(centre, half)};
        const int count = tarn_world_overlap_box(w, &aabb, NULL, found, COUNT(found));
        check_list(&brute, w->bodies.slot_count, found, count);
        assert_int_equal(tarn_world_overlap_box(w, &aabb, NULL, NULL, 0), count);
        if (count > 1) {
            tarn_body_id first;
            assert_int_equal(tarn_world_overlap_box(w, &aabb, NULL, &first, 1), count);
            assert_int_equal(id_slot(first.value), id_slot(found[0].value));
            const tarn_query_filter filter = {.ignore = first};
            assert_int_equal(tarn_world_overlap_box(w, &aabb, &filter, found, COUNT(found)), count - 1);
        }
        any += count;
        const struct distances near = distances_from(w, centre);
        assert_int_equal(tarn_world_overlap_point(w, centre, NULL, found, 1) > 0, near.nearest <= 0.0);
    }
    assert_true(any > 100);
    tarn_world_destroy(w);
}

static void nearest_points_are_those_of_a_loop_over_all_bodies(void **state)
{
    (void)state;
    struct rng d = {7, 8, 0};
    tarn_world *w = create("none", 0, NULL);
    add_many(w, &d, 100, 10);
    int found = 0;
    for (int k = 0; k < 300; ++k) {
        const vec3 point = rng_point(&d, v3(-14, 1, -14), v3(14, 12, 14));
        const double reach = rng_log_uniform(&d, 0.1, 20);
        const struct distances brute = distances_from(w, point);
        tarn_hit hit;
        CHECK_OK(tarn_world_find_nearest(w, point, reach, NULL, &hit));
        assert_int_equal(hit.kind == TARN_HIT_BODY, brute.nearest <= reach);
        if (!hit.kind) continue;
        CHECK_NEAR(hit.fraction * reach, brute.nearest, 1e-12);
        CHECK_NEAR(v3_length(v3_sub(hit.point, point)), brute.nearest, 1e-6);
        found += 1;
    }
    assert_true(found > 100);
    tarn_world_destroy(w);
}

// ---- periodic domains ---------------------------------------------------------------------------------

static void images_of_bodies_count_in_periodic_domains(void **state)
{
    (void)state;
    tarn_world *w = create("wave", 0, "periodic");
    const tarn_body_id body = put_at(w, ball(1.0), v3(14.5, 3, 0));
    tarn_body_id found;
    const tarn_hit hit = cast(w, v3(-10, 3, 0), v3(-10, 0, 0), TARN_HIT_BODY);
    assert_memory_equal(&hit.body, &body, sizeof body);
    CHECK_NEAR(hit.point.x, -14.5, 1e-12); // the image at -15.5 reaches into the domain
    assert_int_equal(tarn_world_overlap_point(w, v3(-14.6, 3, 0), NULL, &found, 1), 1);
    const tarn_ray all = {
        .origin = {-50, 3, 0}, .translation = {100, 0, 0}, .filter = {.kinds = TARN_HIT_BODY}};
    assert_int_equal(tarn_world_cast_ray_all(w, &all, NULL, 0), 3);
    const tarn_aabb everything = {{-40, -1, -40}, {40, 9, 40}};
    assert_int_equal(tarn_world_overlap_box(w, &everything, NULL, &found, 0), 1);
    tarn_world_destroy(w);
}

// ---- all hits -----------------------------------------------------------------------------------------

static void all_hits_come_in_order(void **state)
{
    (void)state;
    struct rng d = {7, 9, 0};
    tarn_world *w = create("shallow", 0, NULL);
    add_many(w, &d, 60, 6);
    for (int k = 0; k < 200; ++k) {
        tarn_ray ray = random_ray(&d);
        ray.filter.kinds = TARN_HIT_BODY | TARN_HIT_BED | TARN_HIT_WALL | TARN_HIT_WATER;
        tarn_hit hits[80], few[2], nearest;
        const int count = tarn_world_cast_ray_all(w, &ray, hits, COUNT(hits));
        for (int i = 1; i < count; ++i) assert_true(hits[i - 1].fraction <= hits[i].fraction);
        assert_int_equal(tarn_world_cast_ray_all(w, &ray, few, 2), count);
        assert_memory_equal(few, hits, (size_t)imin(count, 2) * sizeof *hits);
        CHECK_OK(tarn_world_cast_ray(w, &ray, &nearest));
        if (count) assert_memory_equal(&nearest, hits, sizeof nearest);
        assert_int_equal(nearest.kind == TARN_HIT_NONE, count == 0);
    }
    tarn_world_destroy(w);
}

// ---- arguments ----------------------------------------------------------------------------------------

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    tarn_world *w = create("none", 0, NULL);
    const tarn_ray good = {.translation = {1, 0, 0}}, bad = {.origin = {NAN, 0, 0}},
                   far = {.origin = {2e7, 0, 0}};
    const tarn_aabb upside_down = {{0, 1, 0}, {1, 0, 1}};
    tarn_ray rays[2] = {bad, {.origin = {0, 5, 0}, .translation = {0, -9, 0}}};
    tarn_hit hit, hits[2];
    assert_int_equal(tarn_world_cast_ray(NULL, &good, &hit), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_ray(w, NULL, &hit), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_ray(w, &good, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_ray(w, &bad, &hit), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_ray(w, &far, &hit), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_rays(w, 2, rays, hits), TARN_BAD_ARGUMENT);
    assert_int_equal(hits[0].kind, TARN_HIT_NONE);
    assert_int_equal(hits[1].kind, TARN_HIT_BED);
    assert_int_equal(tarn_world_cast_rays(w, -1, rays, hits), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_ray_all(w, &bad, hits, 2), 0);
    assert_int_equal(tarn_world_overlap_box(w, &upside_down, NULL, NULL, 0), 0);
    assert_int_equal(tarn_world_find_nearest(w, v3(0, 0, 0), 0.0, NULL, &hit), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_find_nearest(w, v3(0, 0, 0), NAN, NULL, &hit), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_find_what_a_loop_over_all_bodies_finds),
        cmocka_unit_test(hits_are_the_first_points_on_a_surface),
        cmocka_unit_test(two_methods_agree),
        cmocka_unit_test(rays_at_spheres_and_boxes_are_exact),
        cmocka_unit_test(walls_and_floor_are_hit_from_inside),
        cmocka_unit_test(rays_at_a_cylinder_are_near_the_exact_ones),
        cmocka_unit_test(overlaps_are_those_of_a_loop_over_all_bodies),
        cmocka_unit_test(nearest_points_are_those_of_a_loop_over_all_bodies),
        cmocka_unit_test(images_of_bodies_count_in_periodic_domains),
        cmocka_unit_test(all_hits_come_in_order),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests_name("query", tests, NULL, NULL);
}
