// Casts of shapes, overlaps with shapes, nearest points of ground and water, filters, submersion of shapes.
#include "query_world.h"

#include "fluid/height_cast.h"

static tarn_hit cast_body(const tarn_world *w, const tarn_shape *shape, vec3 from, vec3 translation,
                          uint32_t kinds)
{
    const tarn_shape_cast cast = {
        .shape = shape, .pose = {from, {1, 0, 0, 0}}, .translation = translation, .filter = {.kinds = kinds}};
    tarn_hit hit;
    CHECK_OK(tarn_world_cast_shape(w, &cast, &hit));
    return hit;
}

static const tarn_shape *sphere_of(double radius)
{
    return shape_of((tarn_shape_def){.type = TARN_SHAPE_SPHERE, .sphere = {radius}});
}

static const tarn_shape *box_of(double x, double y, double z)
{
    return shape_of((tarn_shape_def){.type = TARN_SHAPE_BOX, .box = {{x, y, z}, 0}});
}

static tarn_world *create_random(struct rng *d, int count)
{
    tarn_world *w = create("none", 0, NULL);
    for (int i = 0; i < count; ++i) {
        struct shape_storage storage;
        double size[3];
        tarn_body_id body;
        tarn_body_def def = make_shape(d, 0.3, 2.0, size, &storage);
        const double x = rng_between(d, -10, 10), y = rng_between(d, 3, 8), z = rng_between(d, -10, 10);
        def.position = v3(x, y, z);
        def.rotation = quat_from_rotation_vector(rng_vector(d, rng_between(d, 0, 3)));
        if (def.shape) tarn_body_create(w, &def, &body, NULL);
    }
    return w;
}

// ---- casts ------------------------------------------------------------------------------------------

static bool overlaps(const tarn_world *w, const tarn_shape_cast *c, double fraction, tarn_body_id with)
{
    tarn_body_id found[64];
    const tarn_pose pose = {v3_madd(c->pose.position, fraction, c->translation), c->pose.rotation};
    const int count = tarn_world_overlap_shape(w, c->shape, &pose, NULL, found, COUNT(found));
    assert_true(count <= COUNT(found));
    for (int i = 0; i < count; ++i)
        if (!with.value || found[i].value == with.value) return true;
    return false;
}

// On the way to the hit the shape overlaps nothing; a little behind it, it overlaps the body that it hit. GJK
// stops at 1e-7 of the size of the parts, 4 m; the steps are ten times that along the normal.
static void casts_end_where_overlaps_begin(void **state)
{
    (void)state;
    struct rng d = {31, 1, 0};
    tarn_world *w = create_random(&d, 60);
    int hits = 0, starts_inside = 0;
    for (int k = 0; k < 400; ++k) {
        struct shape_storage storage;
        double size[3];
        const tarn_body_def moving = make_shape(&d, 0.2, 2.0, size, &storage);
        if (!moving.shape) continue;
        tarn_shape_cast c = {.shape = moving.shape, .filter = {.kinds = TARN_HIT_BODY}};
        const tarn_ray ray = random_ray(&d);
        c.pose.position = ray.origin, c.translation = v3_scale(v3_sub(v3(0, 5, 0), ray.origin), 1.6);
        c.translation = v3_add(c.translation, rng_vector(&d, 6.0));
        c.pose.rotation = quat_from_rotation_vector(rng_vector(&d, 2.0));
        tarn_hit hit;
        CHECK_OK(tarn_world_cast_shape(w, &c, &hit));
        const bool inside = hit.kind && hit.fraction == 0.0;
        assert_int_equal(inside, overlaps(w, &c, 0.0, (tarn_body_id){0}));
        starts_inside += inside;
        const double end = hit.kind ? hit.fraction : 1.0, length = v3_length(c.translation);
        const double cosine = hit.kind ? -v3_dot(hit.normal, c.translation) / length : 1.0,
                     step = 4e-6 / (length * fmax(cosine, 1e-9));
        for (int n = 0; n < 40 && !inside && end > step; ++n)
            if (overlaps(w, &c, (end - step) * n / 39, (tarn_body_id){0}))
                fail_msg("cast %d: sample %d", k, n);
        if (!hit.kind || inside || cosine < 0.05) continue;
        assert_true(overlaps(w, &c, hit.fraction + step, hit.body));
        CHECK_NEAR(v3_length(hit.normal), 1.0, 1e-12);
        hits += 1;
    }
    if (hits < 100 || starts_inside < 5) fail_msg("%d hits, %d inside", hits, starts_inside);
    tarn_world_destroy(w);
}

// A ball of radius r among balls of radius R travels as a point does among balls of radius R + r.
static void balls_travel_as_points_among_larger_balls(void **state)
{
    (void)state;
    struct rng d = {31, 2, 0};
    tarn_world *w = create("none", 0, NULL), *larger = create("none", 0, NULL);
    const double r = 0.3;
    const tarn_shape *moving = sphere_of(r);
    int hits = 0;
    for (int i = 0; i < 50; ++i) {
        const double radius = rng_between(&d, 0.2, 1.0);
        const vec3 at = rng_point(&d, v3(-12, 2, -12), v3(12, 12, 12));
        put_at(w, ball(radius), at), put_at(larger, ball(radius + r), at);
    }
    for (int k = 0; k < 500; ++k) {
        tarn_ray ray = random_ray(&d);
        const vec3 aside = rng_vector(&d, 6.0);
        ray.translation = v3_scale(v3_add(v3_sub(v3(0, 7, 0), ray.origin), aside), 1.8);
        const tarn_hit hit = cast_body(w, moving, ray.origin, ray.translation, TARN_HIT_BODY);
        tarn_hit other;
        CHECK_OK(tarn_world_cast_ray(larger, &ray, &other));
        assert_int_equal(hit.kind, other.kind);
        if (!hit.kind) continue;
        assert_int_equal(id_slot(hit.body.value), id_slot(other.body.value));
        CHECK_NEAR(hit.fraction * v3_length(ray.translation), other.fraction * v3_length(ray.translation),
                   1e-7);
        check_vector(hit.normal, other.normal, 1e-6);
        hits += 1;
    }
    assert_true(hits > 50);
    tarn_world_destroy(w), tarn_world_destroy(larger);
}

static void casts_of_boxes_are_exact(void **state)
{
    (void)state;
    tarn_world *w = create("none", 0, NULL);
    tarn_body_def def = tarn_default_body_def();
    def.shape = box_of(2, 2, 2), def.user_data = 77;
    put_at(w, def, v3(5, 5, 0));
    const tarn_shape *box = box_of(1, 1, 1);
    tarn_hit hit = cast_body(w, box, v3(-5, 5.3, 0.2), v3(20, 0, 0), 0);
    assert_int_equal(hit.kind, TARN_HIT_BODY);
    CHECK_NEAR(hit.fraction, 8.5 / 20.0, 1e-9);
    check_vector(hit.normal, v3(-1, 0, 0), 1e-9);
    assert_int_equal(hit.user_data, 77);
    hit = cast_body(w, box, v3(0, 5, 0), v3(0, 0, 20), 0); // to the wall
    assert_int_equal(hit.kind, TARN_HIT_WALL);
    CHECK_NEAR(hit.fraction, 14.5 / 20.0, 1e-12);
    check_vector(hit.normal, v3(0, 0, -1), 0.0);
    hit = cast_body(w, box, v3(0, 5, 0), v3(0, -9, 0), 0); // to level ground
    assert_int_equal(hit.kind, TARN_HIT_BED);
    CHECK_NEAR(hit.fraction, 4.5 / 9.0, 1e-12);
    tarn_shape_cast turned = {
        .shape = box, .pose = {{0, 5, 0}, {cos(PI / 8), 0, 0, sin(PI / 8)}}, .translation = {0, -9, 0}};
    CHECK_OK(tarn_world_cast_shape(w, &turned, &hit));
    CHECK_NEAR(hit.fraction, (5.0 - sqrt(0.5)) / 9.0, 1e-12);             // on its edge
    hit = cast_body(w, box, v3(14.8, 5, 0), v3(-9, 0, 0), TARN_HIT_WALL); // it is in the wall already
    assert_true(hit.kind == TARN_HIT_WALL && hit.fraction == 0.0 && v3_length(hit.normal) == 0.0);
    tarn_hit all[4];
    const tarn_shape_cast through = {
        .shape = box, .pose = {.position = {-5, 5, 0}}, .translation = {30, 0, 0}};
    assert_int_equal(tarn_world_cast_shape_all(w, &through, all, 4), 2);
    assert_int_equal(all[0].kind, TARN_HIT_BODY);
    assert_int_equal(all[1].kind, TARN_HIT_WALL);
    tarn_world_destroy(w);
}

static void images_of_bodies_are_hit(void **state)
{
    (void)state;
    tarn_world *w = create("wave", 0, "periodic");
    const tarn_body_id body = put_at(w, ball(1.0), v3(14.5, 3, 0));
    const tarn_hit hit = cast_body(w, sphere_of(0.5), v3(-10, 3, 0), v3(-10, 0, 0), TARN_HIT_BODY);
    assert_memory_equal(&hit.body, &body, sizeof body);
    CHECK_NEAR(hit.fraction, 0.4, 1e-9); // the centres of -14 and of the image at -15.5 are 1.5 m apart
    const tarn_pose pose = {.position = {-14.2, 3, 0}};
    assert_int_equal(tarn_world_overlap_shape(w, sphere_of(0.5), &pose, NULL, NULL, 0), 1);
    tarn_world_destroy(w);
}

// ---- ground -------------------------------------------------------------------------------------------

static double height_of_ground(const tarn_world *w, int i, int j)
{
    return w->fluid.rest_level + fluid_height_at_centre(&w->fluid, false, i, j);
}

// [m] A bilinear cell differs by at most this from two triangles.
static double largest_twist(const tarn_world *w)
{
    double most = 0.0;
    for (int j = 0; j < w->fluid.grid.nz - 1; ++j)
        for (int i = 0; i < w->fluid.grid.nx - 1; ++i)
            most = fmax(most, 0.25 * fabs(height_of_ground(w, i, j) + height_of_ground(w, i + 1, j + 1) -
                                          height_of_ground(w, i + 1, j) - height_of_ground(w, i, j + 1)));
    return most;
}

// A ball stops where its centre is as far from the ground as its radius, and was farther before. One that is
// in the ground from the start stops there.
static void balls_stop_at_a_radius_from_the_ground(void **state)
{
    (void)state;
    struct rng d = {31, 3, 0};
    tarn_world *w = create_hills(0, "shallow");
    const tarn_query_filter ground = {.kinds = TARN_HIT_BED};
    const double tolerance = largest_twist(w) + 1e-6;
    int hits = 0;
    assert_true(tolerance < 0.05);
    for (int k = 0; k < 300; ++k) {
        const double radius = rng_log_uniform(&d, 0.1, 2.0);
        const vec3 from = rng_point(&d, v3(-13, 4, -13), v3(13, 7, 13));
        const vec3 to = rng_point(&d, v3(-13, -3, -13), v3(13, 3, 13));
        const vec3 way = v3_sub(to, from);
        const tarn_hit hit = cast_body(w, sphere_of(radius), from, way, TARN_HIT_BED);
        const double end = hit.kind ? hit.fraction : 1.0;
        tarn_hit near;
        if (hit.kind && hit.fraction == 0.0) {
            CHECK_OK(tarn_world_find_nearest(w, from, 2 * radius, &ground, &near));
            assert_true(near.kind && near.fraction * 2 * radius < radius + tolerance);
            continue;
        }
        for (int n = 0; n <= 40; ++n) {
            const vec3 at = v3_madd(from, end * n / 40, way);
            CHECK_OK(tarn_world_find_nearest(w, at, radius, &ground, &near));
            if (near.kind && (1.0 - near.fraction) * radius > tolerance)
                fail_msg("cast %d is in the ground", k);
        }
        if (!hit.kind) continue;
        CHECK_OK(tarn_world_find_nearest(w, v3_madd(from, hit.fraction, way), 2 * radius, &ground, &near));
        CHECK_NEAR(near.fraction * 2 * radius, radius, tolerance);
        hits += 1;
    }
    assert_true(hits > 100);
    tarn_world_destroy(w);
}

// The nearest point is on the surface and no sample of the surface is nearer.
static void nearest_points_of_ground_and_water_are_the_nearest(void **state)
{
    (void)state;
    struct rng d = {31, 4, 0};
    tarn_world *w = create_hills(0, "shallow");
    for (int k = 0; k < 60; ++k) {
        const vec3 p = rng_point(&d, v3(-14, 0.2, -14), v3(14, 6, 14));
        double least[2] = {INFINITY, INFINITY}; // ground, water
        for (int n = 0; n < 300 * 300; ++n) {
            const double x = -15 + 30 * (n % 300 + 0.5) / 300, z = -15 + 30 * (n / 300 + 0.5) / 300;
            const struct surface_sample s = fluid_sample_surface(&w->fluid, x, z);
            const vec3 bed = v3(x, w->fluid.rest_level + s.bed, z),
                       top = v3(x, w->fluid.rest_level + s.surface, z);
            least[0] = fmin(least[0], v3_length(v3_sub(p, bed)));
            if (s.surface - s.bed > w->fluid.dry_depth) least[1] = fmin(least[1], v3_length(v3_sub(p, top)));
        }
        for (int water = 0; water < 2; ++water) {
            const tarn_query_filter filter = {.kinds = water ? TARN_HIT_WATER : TARN_HIT_BED};
            tarn_hit hit;
            CHECK_OK(tarn_world_find_nearest(w, p, 40.0, &filter, &hit));
            assert_int_equal(hit.kind, filter.kinds);
            const tarn_surface there = tarn_world_get_surface(w, hit.point.x, hit.point.z);
            if (!water && hit.fraction == 0.0) {                       // p is under the ground
                assert_true(p.y <= there.height - there.depth + 1e-6); // heights are floats
                continue;
            }
            double slope[2];
            const double bed = w->fluid.rest_level + fluid_bed_at(&w->fluid, hit.point.x, hit.point.z, slope);
            CHECK_NEAR(hit.point.y, water ? there.height : bed, 1e-9);
            CHECK_NEAR(hit.fraction * 40.0, v3_length(v3_sub(p, hit.point)), 1e-9);
            // At a shore, where a part of a cell is dry, within a cell.
            if (hit.fraction * 40.0 > least[water] + (water ? w->fluid.grid.dx : 1e-9))
                fail_msg("%s: %g m, a sample is at %g m", water ? "water" : "ground", hit.fraction * 40.0,
                         least[water]);
            assert_true(hit.fraction * 40.0 >= least[water] - 0.1 * sqrt(2.0)); // samples are 0.1 m apart
        }
    }
    tarn_world_destroy(w);
}

static void nearest_points_have_kinds(void **state)
{
    (void)state;
    tarn_world *w = create("shallow", 0, NULL);
    const vec3 p = v3(13, 3, 0);
    const tarn_body_id body = put_at(w, ball(1.0), v3(13, 6, 0));
    const struct {
        uint32_t kinds, found;
        double distance;
    } cases[] = {{0, TARN_HIT_BODY, 2},
                 {TARN_HIT_BODY | TARN_HIT_WALL, TARN_HIT_BODY, 2}, // as near as the wall: the lower kind
                 {TARN_HIT_WALL, TARN_HIT_WALL, 2},
                 {TARN_HIT_BED, TARN_HIT_BED, 3},
                 {TARN_HIT_BED | TARN_HIT_WATER, TARN_HIT_WATER, 2}};
    for (int k = 0; k < COUNT(cases); ++k) {
        const tarn_query_filter filter = {.kinds = cases[k].kinds};
        tarn_hit hit;
        CHECK_OK(tarn_world_find_nearest(w, p, 8.0, &filter, &hit));
        assert_int_equal(hit.kind, cases[k].found);
        CHECK_NEAR(hit.fraction * 8.0, cases[k].distance, 1e-9);
        CHECK_OK(tarn_world_find_nearest(w, p, 1.0, &filter, &hit));
        assert_int_equal(hit.kind, TARN_HIT_NONE);
    }
    assert_true(body.value != 0);
    tarn_world_destroy(w);
}

// ---- filters ------------------------------------------------------------------------------------------

static void filters_select_bodies(void **state)
{
    (void)state;
    tarn_world *w = create("none", 0, NULL);
    tarn_body_def first = ball(0.5), second = ball(0.5), third = ball(0.5);
    first.filter.category = 2, second.filter.mask = 8, third.sensor = true, third.type = TARN_BODY_STATIC;
    const tarn_body_id a = put_at(w, first, v3(0, 3, 0)), b = put_at(w, second, v3(2, 3, 0)),
                       c = put_at(w, third, v3(4, 3, 0));
    const tarn_shape *probe = sphere_of(0.1);
    const struct {
        tarn_query_filter filter;
        int expected; // bits: a, b, c
    } cases[] = {{{0}, 3},
                 {{.mask = 2}, 1},
                 {{.mask = 1}, 2},
                 {{.category = 4}, 1},
                 {{.category = 8}, 3},
                 {{.sensors = true}, 7},
                 {{.ignore = a}, 2}};
    for (int k = 0; k < COUNT(cases); ++k) {
        const tarn_aabb all = {{-9, 1, -9}, {9, 9, 9}};
        tarn_body_id found[4];
        int bits = 0;
        const int count = tarn_world_overlap_box(w, &all, &cases[k].filter, found, 4);
        for (int i = 0; i < count; ++i)
            bits |= found[i].value == a.value   ? 1
                    : found[i].value == b.value ? 2
                    : found[i].value == c.value ? 4
                                                : 8;
        assert_int_equal(bits, cases[k].expected);
        const tarn_shape_cast along = {.shape = probe,
                                       .pose = {.position = {-5, 3, 0}},
                                       .translation = {12, 0, 0},
                                       .filter = cases[k].filter};
        const tarn_ray ray = {.origin = {-5, 3, 0}, .translation = {12, 0, 0}, .filter = cases[k].filter};
        assert_int_equal(tarn_world_cast_shape_all(w, &along, NULL, 0), count);
        assert_int_equal(tarn_world_cast_ray_all(w, &ray, NULL, 0), count);
    }
    CHECK_OK(tarn_body_set_enabled(w, a, 0, NULL));
    assert_int_equal(cast(w, v3(-5, 3, 0), v3(12, 0, 0), 0).body.value, b.value);
    tarn_world_destroy(w);
}

// ---- threads ------------------------------------------------------------------------------------------

enum { CASTS = 400 };

static void a_batch_gives_the_bits_of_single_casts(void **state)
{
    (void)state;
    static tarn_shape_cast casts[CASTS];
    static tarn_hit single[CASTS], batch[CASTS];
    const tarn_shape *shapes[] = {sphere_of(0.4), box_of(0.5, 1.0, 0.3)};
    for (int workers = 0; workers < 4; ++workers) {
        struct rng d = {31, 5, 0};
        tarn_world *w = create_hills(workers, "shallow");
        for (int i = 0; i < 40; ++i)
            put_at(w, ball(rng_between(&d, 0.2, 0.8)), rng_point(&d, v3(-13, 5, -13), v3(13, 9, 13)));
        for (int i = 0; i < CASTS; ++i) {
            const tarn_ray ray = random_ray(&d);
            casts[i] = (tarn_shape_cast){
                .shape = shapes[i % 2], .pose.position = ray.origin, .translation = ray.translation};
        }
        for (int i = 0; i < CASTS && workers == 0; ++i)
            CHECK_OK(tarn_world_cast_shape(w, &casts[i], &single[i]));
        memset(batch, 1, sizeof batch);
        CHECK_OK(tarn_world_cast_shapes(w, CASTS, casts, batch));
        assert_memory_equal(batch, single, sizeof batch);
        tarn_world_destroy(w);
    }
}

// ---- submersion ---------------------------------------------------------------------------------------

static void a_box_is_submerged_as_far_as_its_draft(void **state)
{
    (void)state;
    tarn_world *w = create("shallow", 0, NULL); // still, surface at y = 1
    const tarn_pose poses[] = {
        {.position = {2, 1.1, -3}}, {.position = {2, 9, -3}}, {.position = {2, 0.3, -3}}};
    tarn_submersion s[3];
    CHECK_OK(tarn_world_measure_submersion(w, box_of(2, 0.6, 1), 3, poses, s));
    CHECK_NEAR(s[0].surface_height, 1.0, 1e-6); // heights are floats
    CHECK_NEAR(s[0].volume, 2 * 1 * 0.2, 1e-6);
    CHECK_NEAR(s[0].fraction, 1.0 / 3.0, 1e-6);
    CHECK_NEAR(s[0].wetted_area, 2 * 1 + 2 * (2 + 1) * 0.2, 1e-5);
    check_vector(s[0].centre, v3(2, 0.9, -3), 1e-6);
    CHECK_NEAR(s[0].buoyancy, 1000 * 9.81 * 0.4, 1e-2);
    assert_true(s[1].volume == 0.0 && s[1].wetted_area == 0.0 && s[1].buoyancy == 0.0);
    CHECK_NEAR(s[2].fraction, 1.0, 1e-12);
    CHECK_NEAR(s[2].wetted_area, 2 * (2 * 0.6 + 0.6 * 1 + 2 * 1), 1e-12);
    check_vector(s[2].centre, poses[2].position, 1e-12);
    tarn_world_destroy(w);
}

// The volume is that of a body of the same shape and pose, for every kind of shape, hulls included. Heights
// of the surface are floats: 1e-6 m.
static void shapes_displace_what_bodies_displace(void **state)
{
    (void)state;
    struct rng d = {31, 6, 0};
    int compared = 0;
    for (int k = 0; k < 60; ++k) {
        tarn_world *w = create("shallow", 0, NULL);
        struct shape_storage storage;
        double size[3];
        tarn_body_def def = make_shape(&d, 0.5, 2.0, size, &storage);
        const tarn_pose pose = {rng_point(&d, v3(-9, 0.8, -9), v3(9, 1.4, 9)),
                                quat_from_rotation_vector(rng_vector(&d, 2.0))};
        tarn_submersion s;
        tarn_body_id body;
        if (!def.shape) continue;
        CHECK_OK(tarn_world_measure_submersion(w, def.shape, 1, &pose, &s));
        def.position = pose.position, def.rotation = pose.rotation, def.type = TARN_BODY_STATIC;
        if (tarn_body_create(w, &def, &body, NULL) == TARN_OK) {
            CHECK_NEAR(s.volume, tarn_world_get_ledger(w).volume_submerged, 1e-6 * size[0] * size[2]);
            compared += s.volume > 0.0 && s.fraction < 1.0;
        }
        tarn_world_destroy(w);
    }
    if (compared < 20) fail_msg("%d shapes compared", compared);
}

static void dry_places_have_no_submersion(void **state)
{
    (void)state;
    const tarn_pose low = {.position = {0, -1, 0}};
    tarn_world *dry = create("none", 0, NULL), *hills = create_hills(0, "shallow");
    const tarn_pose summit = {.position = {-5, 3, 3}};
    tarn_submersion s;
    CHECK_OK(tarn_world_measure_submersion(dry, sphere_of(1), 1, &low, &s));
    assert_true(s.volume == 0.0 && s.surface_height == 0.0);
    CHECK_OK(tarn_world_measure_submersion(hills, sphere_of(0.3), 1, &summit, &s));
    assert_true(s.volume == 0.0 && s.surface_height == 0.0);
    tarn_world_destroy(dry), tarn_world_destroy(hills);
}

// ---- arguments ----------------------------------------------------------------------------------------

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    tarn_world *w = create("shallow", 0, NULL), *flow = create("flow", 0, NULL);
    const tarn_shape *shape = sphere_of(0.5);
    const tarn_pose good = {.position = {0, 5, 0}}, bad = {.position = {NAN, 0, 0}},
                    turned = {.rotation = {NAN, 0, 0, 0}};
    tarn_shape_cast casts[2] = {{.shape = NULL, .pose = good},
                                {.shape = shape, .pose = good, .translation = {0, -9, 0}}};
    tarn_hit hits[2];
    tarn_submersion s;
    assert_int_equal(tarn_world_cast_shape(NULL, &casts[1], hits), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_shape(w, NULL, hits), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_shape(w, &casts[1], NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_shape(w, &casts[0], hits), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_cast_shapes(w, 2, casts, hits), TARN_BAD_ARGUMENT);
    assert_int_equal(hits[0].kind, TARN_HIT_NONE);
    assert_int_equal(hits[1].kind, TARN_HIT_BED);
    assert_int_equal(tarn_world_cast_shape_all(w, &casts[0], hits, 2), 0);
    assert_int_equal(tarn_world_overlap_shape(w, NULL, &good, NULL, NULL, 0), 0);
    assert_int_equal(tarn_world_overlap_shape(w, shape, &bad, NULL, NULL, 0), 0);
    assert_int_equal(tarn_world_overlap_shape(w, shape, &turned, NULL, NULL, 0), 0);
    assert_int_equal(tarn_world_measure_submersion(w, shape, 1, &bad, &s), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_measure_submersion(w, NULL, 1, &good, &s), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_measure_submersion(flow, shape, 1, &good, &s), TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_world_measure_submersion(w, shape, 0, NULL, NULL));
    tarn_world_destroy(w), tarn_world_destroy(flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_end_where_overlaps_begin),
        cmocka_unit_test(balls_travel_as_points_among_larger_balls),
        cmocka_unit_test(casts_of_boxes_are_exact),
        cmocka_unit_test(images_of_bodies_are_hit),
        cmocka_unit_test(balls_stop_at_a_radius_from_the_ground),
        cmocka_unit_test(nearest_points_of_ground_and_water_are_the_nearest),
        cmocka_unit_test(nearest_points_have_kinds),
        cmocka_unit_test(filters_select_bodies),
        cmocka_unit_test(a_batch_gives_the_bits_of_single_casts),
        cmocka_unit_test(a_box_is_submerged_as_far_as_its_draft),
        cmocka_unit_test(shapes_displace_what_bodies_displace),
        cmocka_unit_test(dry_places_have_no_submersion),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests_name("shape_query", tests, NULL, NULL);
}
