// Events of a step: contacts, sensors, water, moves; and the contacts of a body.
#include "body_def.h"
#include "body_queries.h"
#include "memory_stream.h"
#include "world_setup.h"

#include "world/world.h"

static tarn_world *tank(const char *model)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    tarn_error err = {0};
    if (strcmp(model, "none") != 0) set_cells(&def.fluid, 24, 24);
    if (setup_create(&def, &w, &err) != TARN_OK) fail_msg("%s: %s %s", model, err.key, err.message);
    return w;
}

static void step(tarn_world *w, int count)
{
    for (int n = 0; n < count; ++n) CHECK_OK(tarn_world_advance(w, w->def.dt));
}

static tarn_body_def ball_at(double radius, vec3 at)
{
    tarn_body_def def = body_def("sphere");
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(radius), NULL));
    def.position = at;
    return def;
}

static bool is_same(tarn_body_id x, tarn_body_id y) { return x.value == y.value; }

static double sum_of_impulses(const tarn_world *w, tarn_body_id id)
{
    tarn_contact_point points[16];
    const int count = tarn_body_get_contacts(w, id, points, COUNT(points));
    double sum = 0.0;
    assert_true(count <= COUNT(points));
    for (int k = 0; k < count; ++k) sum += points[k].normal_impulse;
    return sum;
}

static void check_resting_contacts(const tarn_world *w, tarn_body_id id)
{
    tarn_contact_point point;
    assert_true(tarn_body_get_contacts(w, id, &point, 1) > 1); // the number that there is
    assert_true(is_same(point.a, id) && point.b.value == 0 && point.normal.y < -0.99);
    assert_true(fabs(point.separation) < 0.01);
    assert_int_equal(tarn_body_get_contacts(w, (tarn_body_id){0}, NULL, 0),
                     tarn_body_get_contacts(w, id, NULL, 0));
    assert_int_equal(tarn_body_get_contacts(w, (tarn_body_id){(uint64_t)1 << 32 | 5}, NULL, 0), 0);
}

// Newton's second law over a step: what contacts gave a body that fell and what it weighs is the change of
// its momentum.
static void contact_impulses_change_the_momentum(void **test)
{
    (void)test;
    const double bounces[] = {0.0, 0.6};
    for (int k = 0; k < COUNT(bounces); ++k) {
        tarn_world *w = tank("none");
        tarn_body_def def = body_def("box");
        def.position = v3(0, 2, 0), def.restitution = bounces[k];
        const tarn_body_id id = put(w, &def);
        const double m = w->bodies.slots[0].body->def.mass, weight = m * 9.81 * w->def.dt;
        for (int n = 0; n < (k ? 90 : 240); ++n) {
            const double before = w->bodies.state[0].momentum.y;
            step(w, 1);
            if (tarn_body_is_awake(w, id)) // falling asleep takes the rest
                CHECK_NEAR(sum_of_impulses(w, id), w->bodies.state[0].momentum.y - before + weight,
                           1e-4 * m * 6.0); // impulses are floats, of a body that falls at 6 m/s
        }
        if (k == 0) check_resting_contacts(w, id);
        tarn_world_destroy(w);
    }
}

// A ball that falls through a sensor enters once and leaves once, also if the world is saved and loaded in
// between.
static void sensors_report_entry_and_exit(void **test)
{
    (void)test;
    static struct memory_stream saved;
    tarn_world *w = tank("none"), *copy;
    tarn_body_def def = body_def("box");
    def.type = TARN_BODY_KINEMATIC, def.sensor = 1, def.position = v3(0, 5, 0), def.user_data = 7;
    const tarn_body_id sensor = put(w, &def);
    def = ball_at(0.2, v3(0.1, 8, 0));
    def.user_data = 9;
    const tarn_body_id ball = put(w, &def);
    def.filter.mask = 0, def.position.x = -0.1;
    put(w, &def); // meets nobody
    int entered = 0, left = 0;
    for (int n = 0; n < 70; ++n) { // it has not reached the floor then
        step(w, 1);
        const tarn_events e = tarn_world_get_events(w);
        entered += e.sensors_entered_count, left += e.sensors_left_count;
        assert_int_equal(e.contacts_begun_count, 0);
        if (e.sensors_entered_count) {
            assert_true(is_same(e.sensors_entered[0].sensor, sensor));
            assert_true(is_same(e.sensors_entered[0].visitor, ball));
            assert_true(e.sensors_entered[0].user_sensor == 7 && e.sensors_entered[0].user_visitor == 9);
        }
        if (!e.sensors_entered_count) continue;
        saved.size = saved.at = 0;
        CHECK_OK(tarn_world_save(w, stream_write, &saved));
        CHECK_OK(tarn_world_load(stream_read, &saved, NULL, &copy, NULL));
        assert_true(tarn_world_hash(w) == tarn_world_hash(copy));
        tarn_world_destroy(w);
        w = copy;
    }
    assert_int_equal(entered, 1);
    assert_int_equal(left, 1);
    tarn_world_destroy(w);
}

// A ball that falls into water breaks the surface once, as fast as it fell, where it is; lifted out it leaves
// once.
static void water_reports_entry_and_exit(void **test)
{
    (void)test;
    const char *const wet[] = {"wave", "shallow", "implicit"};
    for (int m = 0; m < COUNT(wet); ++m) {
        tarn_world *w = tank(wet[m]);
        const double level = w->fluid.rest_level;
        tarn_body_def def = ball_at(0.12, v3(0.1, level - 0.05, 0.05));
        put(w, &def); // floats from the start
        def = ball_at(0.15, v3(0.3, level + 0.65, -0.2));
        def.user_data = 3;
        const tarn_body_id ball = put(w, &def);
        int entered = 0, left = 0;
        for (int n = 0; n < 30; ++n) {
            step(w, 1);
            const tarn_events e = tarn_world_get_events(w);
            entered += e.water_entered_count, left += e.water_left_count;
            if (!e.water_entered_count) continue;
            const tarn_water_event *event = e.water_entered;
            assert_true(is_same(event->body, ball) && event->user_data == 3);
            CHECK_NEAR(event->speed, sqrt(2.0 * 9.81 * 0.5),
                       9.81 * 2.0 * w->def.dt); // known within a step or two
            CHECK_NEAR(event->point.x, 0.3, 0.01);
            CHECK_NEAR(event->point.y, level, 0.05);
            CHECK_NEAR(event->point.z, -0.2, 0.01);
            assert_true(0.0 < event->area && event->area < 1.01 * PI * 0.15 * 0.15);
        }
        assert_int_equal(entered, 1);
        assert_int_equal(left, 0);
        tarn_body_state motion = motion_of(w, ball);
        motion.position.y = level + 1.0, motion.velocity = v3(0, 0, 0);
        CHECK_OK(tarn_body_set_state(w, ball, &motion));
        step(w, 1);
        assert_int_equal(tarn_world_get_events(w).water_left_count, 1);
        assert_true(is_same(tarn_world_get_events(w).water_left[0].body, ball));
        tarn_world_destroy(w);
    }
}

// Awake bodies are listed with their poses in every step, those that fall asleep once more, and then no
// longer.
static void moves_list_what_a_renderer_updates(void **test)
{
    (void)test;
    tarn_world *w = tank("none");
    tarn_body_def def = body_def("box");
    def.position = v3(0, 1, 0);
    const tarn_body_id id = put(w, &def);
    int fell_asleep = 0, moves = 0;
    for (int n = 0; n < 240; ++n) {
        step(w, 1);
        const tarn_events e = tarn_world_get_events(w);
        assert_true(e.move_count <= 1);
        if (fell_asleep) assert_int_equal(e.move_count, 0);
        if (!e.move_count) continue;
        const tarn_body_state now = motion_of(w, id);
        assert_memory_equal(&e.moves[0].pose.position, &now.position, sizeof now.position);
        assert_memory_equal(&e.moves[0].pose.rotation, &now.rotation, sizeof now.rotation);
        fell_asleep += e.moves[0].fell_asleep, moves += 1;
    }
    assert_int_equal(fell_asleep, 1);
    assert_true(moves > 30);
    tarn_world_destroy(w);
}

// One call of several steps lists the events of all of them.
static void calls_collect_the_events_of_their_steps(void **test)
{
    (void)test;
    int counts[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = tank("none");
        tarn_body_def def = ball_at(0.1, v3(0, 1, 0));
        def.restitution = 0.8;
        put(w, &def);
        for (int n = 0; n < (k ? 1 : 120); ++n) {
            CHECK_OK(tarn_world_advance(w, k ? 120.0 * w->def.dt : w->def.dt));
            counts[k] += tarn_world_get_events(w).hit_count;
        }
        tarn_world_destroy(w);
    }
    assert_true(counts[0] >= 3);
    assert_int_equal(counts[0], counts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_impulses_change_the_momentum),
        cmocka_unit_test(sensors_report_entry_and_exit),
        cmocka_unit_test(water_reports_entry_and_exit),
        cmocka_unit_test(moves_list_what_a_renderer_updates),
        cmocka_unit_test(calls_collect_the_events_of_their_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
