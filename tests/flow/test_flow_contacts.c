// Impulses on bodies of the planar model: by the application, by each other, by obstacles and by joints.
#include "body_def.h"
#include "flow_bodies.h"

#include "base/math/math.h"

// The speed that a neutral disc has after it was made faster by `more` along x before each of 50 steps,
// beside one that is fast.
static double nudged(double more)
{
    tarn_world *w = box_of(64, 1.0 / 60.0, 0.0, "maccormack", "strong");
    CHECK_OK(tarn_world_set_param(w, "fluid.divergence_tolerance", tarn_value_number(1e-3), NULL));
    const tarn_body_id id = disc(w, 0.1, 1000, 0.25, 0.5), fast = disc(w, 0.1, 1000, 0.75, 0.3);
    tarn_body_state m = motion(w, fast);
    m.velocity.y = 1.0;
    CHECK_OK(tarn_body_set_state(w, fast, &m));
    for (int i = 0; i < 50; ++i) {
        m = motion(w, id);
        m.velocity.x += more;
        CHECK_OK(tarn_body_set_state(w, id, &m));
        step(w, 1);
    }
    const double speed = motion(w, id).velocity.x;
    tarn_world_destroy(w);
    return speed;
}

// Velocities set by the application are kept: an angular velocity of a disc, which moves no fluid, and speeds
// far below the tolerance of the projection, of which the added mass takes about half in the next step.
static void small_impulses_are_kept(void **state)
{
    tarn_world *w = box_of(64, 1.0 / 60.0, 0.0, "maccormack", "strong");
    const tarn_body_id id = disc(w, 0.1, 1000, 0.5, 0.5);
    tarn_body_state m = motion(w, id);
    (void)state;
    m.angular_velocity.z = 2.0;
    CHECK_OK(tarn_body_set_state(w, id, &m));
    step(w, 1);
    CHECK_NEAR(motion(w, id).angular_velocity.z, 2.0, 1e-12); // there is no friction
    tarn_world_destroy(w);
    const double got = (nudged(1e-4) - nudged(0.0)) / (50 * 1e-4);
    assert_true(0.4 < got && got < 1.1); // with the added mass of a disc 1/(1 + 1.07), or without
}

static void planar_shapes_are_exact(void **state)
{
    tarn_world *w = box_of(32, 1.0 / 60.0, 1e-5, "maccormack", "strong");
    tarn_body_id id;
    tarn_error err;
    (void)state;
    tarn_body_def def = body_def("sphere");
    def.position = (tarn_vec3){0.5, 0.5, 0};
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    def.shape = body_def("box").shape;
    set_shape(&def, "size", tarn_value_vec3(0.2, 0.1, 5), NULL);
    CHECK_OK(tarn_body_create(w, &def, &id, &err));
    tarn_body_info info;
    CHECK_OK(tarn_body_get_info(w, id, &info));
    CHECK_NEAR(info.volume, 0.02, 1e-12); // 1 m deep
    CHECK_NEAR(info.mass, 10.0, 1e-9);
    CHECK_NEAR(info.inertia.z, 10.0 / 12.0 * (0.04 + 0.01), 1e-9);
    def.position.z = 0.1;
    assert_int_equal(tarn_body_create(w, &def, &id, &err), TARN_BAD_INPUT);
    const tarn_vec2 dart[4] = {{0, 0}, {0.1, 0.1}, {0, 0.03}, {-0.1, 0.1}};
    def.position.z = 0.0;
    tarn_shape_def polygon = {.type = TARN_SHAPE_POLYGON, .polygon = {dart, 4}};
    assert_int_equal(tarn_body_create_with_shape(w, &def, &polygon, &id, &err), TARN_BAD_INPUT); // not convex
    polygon.polygon.point_count = 2;
    assert_int_equal(tarn_body_create_with_shape(w, &def, &polygon, &id, &err), TARN_BAD_INPUT);
    assert_string_equal(err.message, "expected at least 3 vertices, found 2");
    tarn_world_destroy(w);
}

// Heavy boxes fall on each other, come to rest on the floor and on each other, and rotate about z only.
static void boxes_come_to_rest(void **state)
{
    tarn_world *w = box_of(48, 1.0 / 60.0, 1e-4, "maccormack", "strong");
    tarn_body_id id[2];
    tarn_error err;
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_body_def def = body_def("box");
        set_shape(&def, "size", tarn_value_vec3(0.3, 0.12, 1), NULL);
        def.density = 3000, def.position = (tarn_vec3){0.5, 0.2 + 0.2 * k, 0};
        CHECK_OK(tarn_body_create(w, &def, &id[k], &err));
    }
    step(w, 240);
    for (int k = 0; k < 2; ++k) {
        const tarn_body_state m = motion(w, id[k]);
        CHECK_NEAR(m.position.y, 0.06 + 0.12 * k, 0.004); // overlaps of a contact at rest
        assert_true(m.position.z == 0.0 && m.rotation.x == 0.0 && m.rotation.y == 0.0 &&
                    m.angular_velocity.x == 0.0);
    }
    tarn_world_destroy(w);
}

// Obstacles of every kind support bodies that fall on them: a slab, two circles with a gap between them, a
// cup that is not convex, a map with a slot.
static void obstacles_hold_bodies(void **state)
{
    static const tarn_vec2 cup[7] = {{0, 0},       {0.24, 0},    {0.24, 0.16}, {0.22, 0.16},
                                     {0.12, 0.04}, {0.02, 0.16}, {0, 0.16}};
    static const unsigned char map[6] = {1, 1, 1, 1, 0, 1}; // from below: a slot in the middle
    tarn_world *w = box_of(96, 1.0 / 60.0, 1e-3, "maccormack", "strong");
    (void)state;
    tarn_obstacle_def o = slab(0.2, 0.04, 0.13, 0.3);
    stand(w, &o);
    o = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);
    o.circle.radius = 0.08;
    for (int k = 0; k < 2; ++k) {
        o.motion.position.x = 0.795 + 0.19 * k, o.motion.position.y = 0.2;
        stand(w, &o);
    }
    o = tarn_default_obstacle_def(TARN_OBSTACLE_POLYGON);
    o.polygon = (tarn_obstacle_polygon){cup, 7};
    o.motion.position.x = 0.28, o.motion.position.y = 0.1;
    stand(w, &o);
    o = tarn_default_obstacle_def(TARN_OBSTACLE_BITMAP);
    o.bitmap = (tarn_obstacle_bitmap){{0.24, 0.16}, map, 3, 2};
    o.motion.position.x = 0.56, o.motion.position.y = 0.5;
    stand(w, &o);
    const tarn_body_id on_slab = disc(w, 0.05, 3000, 0.13, 0.4), on_circles = disc(w, 0.05, 3000, 0.89, 0.36),
                       in_cup = disc(w, 0.03, 3000, 0.4, 0.3), in_map = disc(w, 0.03, 3000, 0.68, 0.65);
    step(w, 240);
    // Contacts tolerate an overlap of 1/500 of a radius, and a resting body may still sink a little.
    CHECK_NEAR(motion(w, on_slab).position.y, 0.32 + 0.05, 1e-3);
    const tarn_vec3 a = motion(w, on_circles).position, b = motion(w, in_cup).position;
    CHECK_NEAR(a.x, 0.89, 2e-3); // a fifth of a cell: fluid in the gaps is slow to leave
    CHECK_NEAR(hypot(a.x - 0.795, a.y - 0.2), 0.13, 2e-3);
    CHECK_NEAR(b.x, 0.4, 2e-3);
    CHECK_NEAR(b.y, 0.1 + 0.04 + 0.03 / (0.1 / hypot(0.1, 0.12)), 2e-3); // between slopes of 0.12 in 0.1
    CHECK_NEAR(motion(w, in_map).position.y, 0.58 + 0.03, 1e-3);
    tarn_world_destroy(w);
}

// A moving obstacle pushes bodies in front of it at its own speed and does not pass through them.
static void obstacles_push_bodies(void **state)
{
    tarn_world *w = box_of(64, 1.0 / 60.0, 1e-4, "maccormack", "strong");
    (void)state;
    tarn_obstacle_def paddle = slab(0.06, 0.2, 0.1, 0.12);
    paddle.motion.velocity.x = 0.2;
    stand(w, &paddle);
    const tarn_body_id id = disc(w, 0.06, 3000, 0.25, 0.06);
    step(w, 180);
    const tarn_body_state m = motion(w, id);
    CHECK_NEAR(m.position.x, 0.1 + 0.2 * 3.0 + 0.03 + 0.06, 2e-3);
    CHECK_NEAR(m.velocity.x, 0.2, 0.01);
    CHECK_NEAR(m.position.y, 0.06, 1e-3);
    tarn_world_destroy(w);
}

// A body on a hinge keeps its position and rotates.
static void hinges_hold_bodies_in_a_stream(void **state)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    tarn_world *w;
    tarn_error err;
    (void)state;
    def.fluid.flow.cells[0] = 48, def.fluid.flow.cells[1] = 48;
    def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_INFLOW;
    def.fluid.flow.boundary[TARN_WEST].inflow_speed = 0.5;
    def.fluid.flow.boundary[TARN_WEST].start = 0.5;
    def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
    CHECK_OK(setup_create(&def, &w, &err));
    tarn_body_def blade = body_def("box");
    tarn_body_id id;
    set_shape(&blade, "size", tarn_value_vec3(0.06, 0.5, 1), NULL);
    blade.density = 1000, blade.position = (tarn_vec3){0.5, 0.5, 0};
    CHECK_OK(tarn_body_create(w, &blade, &id, &err));
    tarn_joint_def pin = tarn_default_joint_def(TARN_JOINT_HINGE);
    tarn_joint_id joint;
    pin.body_a = id, pin.anchor_a = blade.position;
    CHECK_OK(tarn_joint_create(w, &pin, &joint, &err));
    step(w, 60);
    const tarn_body_state m = motion(w, id);
    CHECK_NEAR(m.position.x, 0.5, 0.005);
    CHECK_NEAR(m.position.y, 0.5, 0.005);
    assert_true(m.angular_velocity.z < -0.1); // the stream pushes its upper half to the east
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_impulses_are_kept), cmocka_unit_test(planar_shapes_are_exact),
        cmocka_unit_test(boxes_come_to_rest),      cmocka_unit_test(obstacles_hold_bodies),
        cmocka_unit_test(obstacles_push_bodies),   cmocka_unit_test(hinges_hold_bodies_in_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
