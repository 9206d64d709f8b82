// Stacks, piles and sleep: bodies come to rest, stay at rest and wake.
#include "body_world.h"
#include "memory_stream.h"

#include "body/solve/dynamics.h"

static const struct body_world tank = {.gravity = 9.81, .size = 4};

static bool asleep(const tarn_world *w, tarn_body_id body)
{
    const tarn_body_state m = motion_of(w, body);
    return w->bodies.dynamics->is_asleep[id_slot(body.value)] && v3_length(m.velocity) == 0.0 &&
           v3_length(m.angular_velocity) == 0.0;
}

// Stacked cubes, dropped from a height.
static void stack(tarn_world *w, int count, double size, double height, tarn_body_id *out)
{
    for (int i = 0; i < count; ++i) {
        tarn_body_def def = brick(size, size, size, 0.0);
        def.position = v3(0, height + (i + 0.5) * size, 0);
        out[i] = put(w, &def);
    }
}

// ---- overlaps -------------------------------------------------------------------------------------

static double overlap_of(const struct bodies *b, int x, int y)
{
    const struct shape_data *fx = &b->slots[x].body->def.shape->data,
                            *fy = &b->slots[y].body->def.shape->data;
    const mat3 ax = quat_to_matrix(b->state[x].rotation), ay = quat_to_matrix(b->state[y].rotation);
    double deepest = 0.0;
    for (int i = 0; i < fx->convex_part_count; ++i)
        for (int j = 0; j < fy->convex_part_count; ++j) {
            const struct convex_instance px = convex_place(&fx->convex_parts[i], b->state[x].position, &ax);
            const struct convex_instance py = convex_place(&fy->convex_parts[j], b->state[y].position, &ay);
            struct manifold m;
            collide_convex(&px, &py, 0.0, &m);
            for (int k = 0; k < m.count; ++k)
                deepest = fmax(deepest, -manifold_point_gap(&m.points[k], m.normal));
        }
    return deepest;
}

// The deepest overlap of two bodies over the size of the smaller one.
static double worst_overlap(const tarn_world *w)
{
    const struct bodies *b = &w->bodies;
    double worst = 0.0;
    for (int x = 0; x < b->slot_count; ++x)
        for (int y = x + 1; y < b->slot_count; ++y) {
            if (!body_exists(b, x) || !body_exists(b, y)) continue;
            const double rx = b->slots[x].body->def.shape->bounding_radius,
                         ry = b->slots[y].body->def.shape->bounding_radius;
            if (v3_length(v3_sub(b->state[x].position, b->state[y].position)) > rx + ry) continue;
            worst = fmax(worst, overlap_of(b, x, y) / (2.0 * fmin(rx, ry)));
        }
    return worst;
}

static double fastest(const tarn_world *w)
{
    double most = 0.0;
    for (int i = 0; i < w->bodies.slot_count; ++i)
        if (body_exists(&w->bodies, i)) most = fmax(most, v3_length(body_velocity(&w->bodies, i)));
    return most;
}

static double kinetic(const tarn_world *w)
{
    double sum = 0.0;
    for (int i = 0; i < w->bodies.slot_count; ++i) sum += body_energy(&w->bodies, i, 0.0);
    return sum;
}

// ---- stacks ---------------------------------------------------------------------------------------

// A stack of ten boxes stands, asleep or not: the top moves less than a millimetre.
static void ten_boxes_stand(void **state)
{
    (void)state;
    for (int awake = 0; awake < 2; ++awake) {
        tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .size = 4, .awake = awake});
        tarn_body_id boxes[10];
        stack(w, 10, 0.3, 0.0, boxes);
        const tarn_body_state from = motion_of(w, boxes[9]);
        double worst = 0.0;
        for (int n = 0; n < 1800; ++n) {
            run_steps(w, 1);
            worst = fmax(worst, v3_length(v3_sub(motion_of(w, boxes[9]).position, from.position)));
        }
        print_message("the top moves %.2g m\n", worst);
        CHECK_NEAR(worst, 0.0, 1e-3);
        const tarn_body_state to = motion_of(w, boxes[9]);
        CHECK_NEAR(fabs(to.rotation.w), 1.0, 1e-6);
        for (int i = 0; !awake && i < 10; ++i) assert_true(asleep(w, boxes[i]));
        tarn_world_destroy(w);
    }
}

// A load of a hundred times its weight makes a box sink in by the rule above; a thousand times compresses
// it, and nothing is thrown away.
static void heavy_bodies_on_light_ones_stay_bounded(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const double ratio = k ? 1000.0 : 100.0;
        tarn_world *w = body_world_create(&tank);
        tarn_body_def low = brick(0.5, 0.5, 0.5, 1), high = brick(0.5, 0.5, 0.5, ratio);
        low.position = v3(0, 0.25, 0), high.position = v3(0.02, 0.75, 0.01);
        const tarn_body_id a = put(w, &low), b = put(w, &high);
        for (int n = 0; n < 600; ++n) {
            run_steps(w, 1);
            assert_true(fastest(w) < (k ? 3.1 : 0.3)); // sqrt(2 g 0.5 m): no more than falling gives
        }
        if (!k) CHECK_NEAR(motion_of(w, b).position.y, 0.75, 0.02);
        if (!k) CHECK_NEAR(motion_of(w, a).position.y, 0.25, 0.01);
        CHECK_NEAR(fastest(w), 0.0, 0.0); // asleep
        tarn_world_destroy(w);
    }
}

// ---- piles ----------------------------------------------------------------------------------------

static void pour(tarn_world *w, int count, double size, double extent)
{
    for (int i = 0; i < count; ++i) {
        tarn_body_def def = nth_shape(i, random_between(0.6, 1.2, 21, i) * size);
        const int across = (int)(extent / (2.0 * size)), layer = i / (across * across),
                  n = i % (across * across);
        def.position =
            v3((n % across - 0.5 * (across - 1)) * 2.0 * size + random_between(-0.1, 0.1, 22, i) * size,
               (1.0 + 1.5 * layer) * size,
               (n / across - 0.5 * (across - 1)) * 2.0 * size + random_between(-0.1, 0.1, 23, i) * size);
        def.rotation = random_rotation(24, i);
        put(w, &def);
    }
}

// A pile of all shapes comes to rest within the walls, without deep overlaps.
static void piles_settle(void **state)
{
    (void)state;
    const int count = long_mode() ? 1000 : 300;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .size = 3, .workers = 2});
    pour(w, count, 0.25, 2.9);
    run(w, long_mode() ? 10.0 : 4.0);
    for (int n = 0; n < 4; ++n) { // not by chance
        run(w, 0.5);
        CHECK_NEAR(worst_overlap(w), 0.0, 0.01);
    }
    run(w, 12.0);
    int rests = 0;
    for (int i = 0; i < count; ++i) {
        const vec3 p = w->bodies.state[i].position;
        assert_true(fabs(p.x) < 1.5 && fabs(p.z) < 1.5 && p.y > 0.0);
        rests += asleep(w, body_id(&w->bodies, i));
    }
    assert_int_equal(rests, count);
    tarn_world_destroy(w);
}

// A pile of boxes sleeps; a tilted one may creep for a while.
static void heaps_of_boxes_sleep(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .size = 3});
    for (int i = 0; i < 100; ++i) {
        tarn_body_def def = nth_shape(1, 0.25);
        def.position = v3((i % 5 - 2) * 0.5, 0.3 + 0.4 * (i / 25), (i % 25 / 5 - 2) * 0.5);
        def.rotation = random_rotation(24, i);
        put(w, &def);
    }
    run(w, 10.0);
    int rests = 0;
    for (int i = 0; i < 100; ++i) rests += asleep(w, body_id(&w->bodies, i));
    assert_true(rests >= 90);
    CHECK_NEAR(worst_overlap(w), 0.0, 0.01);
    tarn_world_destroy(w);
}

// ---- made inside each other -----------------------------------------------------------------------

// Overlapping bodies separate slowly: two of each kind, then twenty in one place.
static void overlaps_are_resolved_slowly(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * (SHAPES - 1); ++k) { // without the torus, which has many parts
        tarn_world *w = body_world_create(&(struct body_world){0});
        const int count = k < SHAPES - 1 ? 2 : 20;
        double mass = 0.0;
        for (int i = 0; i < count; ++i) {
            tarn_body_def def = nth_shape(k % (SHAPES - 1), 0.4);
            def.position = v3_add(v3(0, 100, 0), random_vector(0.05, 40, i)),
            def.rotation = random_rotation(41, i);
            mass += info(w, put(w, &def)).mass;
        }
        for (int n = 0; n < 300; ++n) {
            run_steps(w, 1);
            assert_true(
                fastest(w) <
                (count > 2 ? 4.0 : 1.0)); // position correction of 2 m/s at most, by many contacts at once
            assert_true(kinetic(w) < (count > 2 ? 4.0 : 0.1) * mass);
        }
        CHECK_NEAR(worst_overlap(w), 0.0, 2.5e-3); // a fifth of a per cent of the radius is left
        tarn_world_destroy(w);
    }
}

// ---- sleep ----------------------------------------------------------------------------------------

// A plate on which a stack fell asleep.
static tarn_world *sleepers(tarn_body_id boxes[3], tarn_body_id *plate)
{
    tarn_world *w = body_world_create(&tank);
    const tarn_body_def def = fixture(2, 0.1, 2, v3(0, 0.95, 0));
    *plate = put(w, &def);
    stack(w, 3, 0.3, 1.0, boxes);
    run(w, 3.0);
    for (int i = 0; i < 3; ++i) assert_true(asleep(w, boxes[i]));
    return w;
}

static void sleeping_bodies_do_not_move(void **state)
{
    (void)state;
    tarn_body_id boxes[3], plate;
    tarn_world *w = sleepers(boxes, &plate);
    tarn_body_state before[3];
    for (int i = 0; i < 3; ++i) before[i] = motion_of(w, boxes[i]);
    run(w, 5.0);
    for (int i = 0; i < 3; ++i) {
        const tarn_body_state now = motion_of(w, boxes[i]);
        assert_memory_equal(&now, &before[i], sizeof now);
    }
    tarn_world_destroy(w);
}

// Every change wakes a sleeping body within a few steps.
static void sleeping_bodies_wake(void **state)
{
    (void)state;
    enum { HIT, SUPPORT_GONE, PUSHED, SUPPORT_MOVES, SUPPORT_LIFTS, MIDDLE_GONE, SHOVED, WAYS };
    for (int way = 0; way < WAYS; ++way) {
        tarn_body_id boxes[3], plate;
        tarn_world *w = sleepers(boxes, &plate);
        const tarn_body_state before = motion_of(w, boxes[2]);
        tarn_body_def shot = ball(0.1, 5);
        tarn_body_state m = motion_of(w, plate);
        shot.position = v3(-1, 1.75, 0), shot.velocity = v3(10, 0, 0);
        switch (way) {
        case HIT: put(w, &shot); break;
        case SUPPORT_GONE: CHECK_OK(tarn_body_destroy(w, plate)); break;
        case PUSHED: CHECK_OK(tarn_body_apply_force(w, boxes[2], v3(5000, 0, 0), before.position)); break;
        case SUPPORT_MOVES: // moved aside: the stack falls
            m.position.x += 3.0;
            CHECK_OK(tarn_body_set_state(w, plate, &m));
            break;
        case SUPPORT_LIFTS:
            m.velocity = v3(0, 0.5, 0);
            CHECK_OK(tarn_body_set_state(w, plate, &m));
            break;
        case MIDDLE_GONE: CHECK_OK(tarn_body_destroy(w, boxes[1])); break;
        case SHOVED: // a change of pose
            m = before, m.position.y += 0.5;
            CHECK_OK(tarn_body_set_state(w, boxes[2], &m));
            break;
        }
        run_steps(w, way == SHOVED ? 5 : 20);
        const tarn_body_state after = motion_of(w, boxes[2]);
        const double rise = after.position.y - before.position.y;
        const double far = v3_length(v3_sub(after.position, before.position));
        assert_true(far > 0.02);
        if (way == SUPPORT_GONE || way == SUPPORT_MOVES) CHECK_NEAR(rise, -9.81 * 0.5 / 9.0, 0.02); // 1/3 s
        if (way == SUPPORT_LIFTS) CHECK_NEAR(rise, 0.5 / 3.0, 0.01);
        if (way == MIDDLE_GONE) CHECK_NEAR(rise, -0.3, 0.01);
        tarn_world_destroy(w);
    }
}

// A body that is woken sleeps again.
static void woken_bodies_sleep_again(void **state)
{
    (void)state;
    tarn_body_id boxes[3], plate;
    tarn_world *w = sleepers(boxes, &plate);
    CHECK_OK(tarn_body_apply_force(w, boxes[2], v3(200, 0, 0), motion_of(w, boxes[2]).position));
    run_steps(w, 2);
    assert_true(!asleep(w, boxes[2]));
    run(w, 5.0);
    for (int i = 0; i < 3; ++i) assert_true(asleep(w, boxes[i]));
    tarn_world_destroy(w);
}

// ---- the same bits --------------------------------------------------------------------------------

static tarn_world *collapse(int workers)
{
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .size = 3, .workers = workers});
    tarn_body_id boxes[4];
    stack(w, 4, 0.3, 0.0, boxes); // asleep by then
    run(w, 1.5);
    pour(w, 60, 0.2, 2.0);
    return w;
}

// The number of threads does not change a bit.
static void worker_count_does_not_change_results(void **state)
{
    (void)state;
    static const int workers[] = {0, 1, 2, 4};
    uint64_t hash[4];
    for (int k = 0; k < 4; ++k) {
        tarn_world *w = collapse(workers[k]);
        run_steps(w, 200);
        hash[k] = tarn_world_hash(w);
        tarn_world_destroy(w);
    }
    for (int k = 1; k < 4; ++k) assert_true(hash[k] == hash[0]);
}

// A world saved during the collapse continues with the same bits: sleep state, contacts and impulses are
// in the file.
static void collapsing_pile_continues_identically_after_loading(void **state)
{
    (void)state;
    static struct memory_stream file;
    tarn_world *w = collapse(1), *straight = collapse(1);
    run_steps(straight, 100);
    for (int n = 0; n < 100; ++n) {
        if (n % 7 == 0) {
            tarn_world *next = NULL;
            file.size = file.at = 0;
            const uint64_t hash = tarn_world_hash(w);
            CHECK_OK(tarn_world_save(w, stream_write, &file));
            CHECK_OK(tarn_world_load(stream_read, &file, NULL, &next, NULL));
            tarn_world_destroy(w);
            w = next;
            assert_true(tarn_world_hash(w) == hash);
        }
        run_steps(w, 1);
    }
    assert_true(tarn_world_hash(w) == tarn_world_hash(straight));
    tarn_world_destroy(w);
    tarn_world_destroy(straight);
}

// A world saved when all bodies sleep does so too.
static void sleeping_pile_continues_identically_after_loading(void **state)
{
    (void)state;
    static struct memory_stream file;
    tarn_body_id boxes[3], plate;
    tarn_world *w = sleepers(boxes, &plate), *next = NULL;
    file.size = file.at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, &file));
    CHECK_OK(tarn_world_load(stream_read, &file, NULL, &next, NULL));
    tarn_world *both[2] = {w, next};
    for (int k = 0; k < 2; ++k) {
        run_steps(both[k], 30);
        CHECK_OK(tarn_body_destroy(both[k], boxes[0]));
        run_steps(both[k], 60);
    }
    assert_true(tarn_world_hash(w) == tarn_world_hash(next));
    tarn_world_destroy(w);
    tarn_world_destroy(next);
}

// A checkpoint with correct checksums may be wrong: a contact of a part that the body does not have is
// rejected.
static void invalid_contacts_are_rejected(void **state)
{
    (void)state;
    static struct memory_stream file;
    for (int other = 0; other < 2; ++other) {
        tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .size = 4}), *next = NULL;
        tarn_body_id boxes[2];
        stack(w, 2, 0.3, 0.0, boxes);
        run(w, 0.1);
        const struct contacts *c = &w->bodies.dynamics->contacts;
        for (int k = 0; k < c->count; ++k)
            if (c->current[k].b >= 0) *(other ? &c->current[k].part_b : &c->current[k].part_a) = 1000;
        file.size = file.at = 0;
        CHECK_OK(tarn_world_save(w, stream_write, &file));
        assert_int_equal(tarn_world_load(stream_read, &file, NULL, &next, NULL), TARN_BAD_INPUT);
        assert_null(next);
        tarn_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_boxes_stand),
        cmocka_unit_test(heavy_bodies_on_light_ones_stay_bounded),
        cmocka_unit_test(piles_settle),
        cmocka_unit_test(heaps_of_boxes_sleep),
        cmocka_unit_test(overlaps_are_resolved_slowly),
        cmocka_unit_test(sleeping_bodies_do_not_move),
        cmocka_unit_test(sleeping_bodies_wake),
        cmocka_unit_test(woken_bodies_sleep_again),
        cmocka_unit_test(worker_count_does_not_change_results),
        cmocka_unit_test(collapsing_pile_continues_identically_after_loading),
        cmocka_unit_test(invalid_contacts_are_rejected),
        cmocka_unit_test(sleeping_pile_continues_identically_after_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
