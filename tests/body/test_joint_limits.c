// Limits, motors, sliders, fixed joints, breaking and the reported state of joints.
#include "body_def.h"
#include "body_queries.h"
#include "memory_stream.h"
#include "world_setup.h"

#include "world/world.h"

static tarn_world *empty(double gravity)
{
    struct world_setup def = world_setup(TARN_FLUID_DRY);
    tarn_world *w = NULL;
    def.fluid.dry.walls = false;
    CHECK_OK(setup_create(&def, &w, NULL));
    w->fluid.gravity = gravity;
    return w;
}

static void step(tarn_world *w, int count)
{
    for (int n = 0; n < count; ++n) CHECK_OK(tarn_world_advance(w, w->def.dt));
}

static tarn_body_id cube(tarn_world *w, vec3 at, double mass)
{
    tarn_body_def def = body_def("box");
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(0.4, 0.4, 0.4), NULL));
    def.position = at, def.mass = mass;
    return put(w, &def);
}

static tarn_body_id support(tarn_world *w, vec3 at)
{
    tarn_body_def def = body_def("box");
    def.type = TARN_BODY_KINEMATIC, def.position = at;
    return put(w, &def);
}

// A joint of `a`, which does not move, and `b` at a point.
static tarn_joint_def joint_def(tarn_joint_type type, tarn_body_id a, tarn_body_id b, vec3 at)
{
    tarn_joint_def def = tarn_default_joint_def(type);
    def.body_a = a, def.body_b = b, def.anchor_a = def.anchor_b = at;
    return def;
}

static tarn_joint_id fasten(tarn_world *w, const tarn_joint_def *def)
{
    tarn_joint_id id;
    tarn_error err = {0};
    if (tarn_joint_create(w, def, &id, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return id;
}

static tarn_joint_state state_of(const tarn_world *w, tarn_joint_id id)
{
    tarn_joint_state out;
    CHECK_OK(tarn_joints_get_states(w, 1, &id, &out));
    return out;
}

// A hinged flap that falls stops at its limit on either side and rests there.
static void hinges_stop_at_their_limits(void **test)
{
    (void)test;
    for (int side = 0; side < 2; ++side) {
        tarn_world *w = empty(9.81);
        const tarn_body_id post = support(w, v3(0, 10, 0)), flap = cube(w, v3(side ? -1 : 1, 10, 0), 1.0);
        tarn_joint_def def = joint_def(TARN_JOINT_HINGE, post, flap, v3(0, 10, 0));
        def.hinge.axis = v3(0, 0, 1);
        def.hinge.limits = (tarn_joint_limits){-30 * PI / 180, 40 * PI / 180};
        const tarn_joint_id id = fasten(w, &def);
        double least = 0.0, greatest = 0.0;
        for (int n = 0; n < 240; ++n) {
            step(w, 1);
            const double angle = state_of(w, id).position * 180.0 / PI;
            least = fmin(least, angle), greatest = fmax(greatest, angle);
        }
        assert_true(least > -31.0 && greatest < 41.0);
        CHECK_NEAR(state_of(w, id).position * 180.0 / PI, side ? 40.0 : -30.0, 0.2);
        CHECK_NEAR(state_of(w, id).velocity, 0.0, 0.02);
        tarn_world_destroy(w);
    }
}

// Along a tilted slider a cube slides with g sin(a), without rotation and without leaving the line, to its
// limit.
static void sliders_are_inclined_planes(void **test)
{
    (void)test;
    tarn_world *w = empty(9.81);
    const vec3 axis = v3(0.8, -0.6, 0);
    const tarn_body_id post = support(w, v3(0, 10, 0)), cart = cube(w, v3(1, 10, 0), 2.0);
    tarn_joint_def def = joint_def(TARN_JOINT_SLIDER, post, cart, v3(1, 10, 0));
    def.slider.axis = axis, def.slider.limits.upper = 1.5;
    const tarn_joint_id id = fasten(w, &def);
    step(w, 30);
    const double t = 30 * w->def.dt, s = 0.5 * 9.81 * 0.6 * t * t;
    CHECK_NEAR(state_of(w, id).position, s, 0.02 * s); // first order in the solver step
    CHECK_NEAR(state_of(w, id).velocity, 9.81 * 0.6 * t, 1e-3 * 9.81 * t);
    const vec3 way = v3_sub(motion_of(w, cart).position, v3(1, 10, 0));
    CHECK_NEAR(v3_length(v3_sub(way, v3_scale(axis, v3_dot(way, axis)))), 0.0, 1e-4);
    CHECK_NEAR(fabs(motion_of(w, cart).rotation.w), 1.0, 1e-7);
    step(w, 120);
    CHECK_NEAR(state_of(w, id).position, 1.5, 0.01);
    CHECK_NEAR(state_of(w, id).velocity, 0.0, 0.01);
    tarn_world_destroy(w);
}

// A slider's motor lifts what its force can lift, at its speed, and reports the weight as its effort.
static void slider_motors_have_a_force(void **test)
{
    (void)test;
    for (int strong = 0; strong < 2; ++strong) {
        tarn_world *w = empty(10.0);
        const tarn_body_id post = support(w, v3(0, 10, 0)), lift = cube(w, v3(2, 10, 0), 3.0);
        tarn_joint_def def = joint_def(TARN_JOINT_SLIDER, post, lift, v3(2, 10, 0));
        def.slider.axis = v3(0, 1, 0);
        def.slider.motor_speed = 0.5, def.slider.max_force = strong ? 60.0 : 24.0;
        const tarn_joint_id id = fasten(w, &def);
        step(w, 60);
        CHECK_NEAR(state_of(w, id).velocity, strong ? 0.5 : -(30.0 - 24.0) / 3.0, 0.01);
        CHECK_NEAR(state_of(w, id).effort, strong ? 30.0 : 24.0, 0.05);
        CHECK_OK(tarn_joint_get_def(w, id, &def));
        def.slider.motor_speed = -0.25, def.slider.max_force = 60.0;
        CHECK_OK(tarn_joint_set_def(w, id, &def, NULL));
        step(w, 60);
        CHECK_NEAR(state_of(w, id).velocity, -0.25, 0.01);
        tarn_world_destroy(w);
    }
}

// A bracket welded to a post carries its weight and the moment of its arm, does not bend, and rotates with
// the post.
static void fixed_joints_are_rigid(void **test)
{
    (void)test;
    tarn_world *w = empty(10.0);
    const tarn_body_id post = support(w, v3(0, 10, 0)), bracket = cube(w, v3(1, 10, 0), 2.0);
    const tarn_joint_def def = joint_def(TARN_JOINT_FIXED, post, bracket, v3(0.5, 10, 0));
    const tarn_joint_id id = fasten(w, &def);
    step(w, 120);
    const tarn_joint_state s = state_of(w, id);
    CHECK_NEAR(v3_length(v3_sub(s.force, v3(0, 20, 0))), 0.0, 0.01);
    CHECK_NEAR(v3_length(v3_sub(s.torque, v3(0, 0, 10))), 0.0, 0.01); // 0.5 m from the anchor
    CHECK_NEAR(motion_of(w, bracket).position.y, 10.0, 1e-3);
    CHECK_OK(tarn_body_set_velocity(w, post, v3(0, 0, 0), v3(0, 1.0, 0)));
    step(w, 60);
    const vec3 arm = v3_sub(motion_of(w, bracket).position, v3(0, 10, 0));
    CHECK_NEAR(m_atan2(-arm.z, arm.x), 1.0, 0.02);
    CHECK_NEAR(v3_length(arm), 1.0, 5e-3);
    CHECK_NEAR(motion_of(w, bracket).angular_velocity.y, 1.0, 0.01);
    tarn_world_destroy(w);
}

// A joint holds the load below its break_force and breaks above it, with an event; then the body falls
// freely.
static void joints_break_beyond_their_force(void **test)
{
    (void)test;
    for (tarn_joint_type type = TARN_JOINT_BALL; type <= TARN_JOINT_ROPE; ++type) {
        tarn_world *w = empty(10.0);
        const tarn_body_id post = support(w, v3(0, 10, 0)), load = cube(w, v3(0, 8, 0), 2.0);
        tarn_joint_def def = joint_def(type, post, load, v3(0, 8, 0));
        if (type >= TARN_JOINT_SPRING) def.anchor_a = v3(0, 9.5, 0);
        def.user_data = 77;
        def.break_force = 30.0;
        if (type == TARN_JOINT_SPRING) def.spring.stiffness = 400.0, def.spring.damping = 57.0; // critical
        const tarn_joint_id id = fasten(w, &def);
        step(w, 90);
        assert_true(tarn_joint_is_valid(w, id));
        CHECK_NEAR(state_of(w, id).force.y, 20.0, 1.0);
        const double y = motion_of(w, load).position.y;
        CHECK_OK(tarn_body_apply_central_force(w, load, v3(0, -200, 0)));
        step(w, 1);
        if (type == TARN_JOINT_SPRING) { // it has to stretch first
            CHECK_OK(tarn_body_apply_central_impulse(w, load, v3(0, -10, 0)));
            for (int n = 0; n < 20 && tarn_joint_is_valid(w, id); ++n) step(w, 1);
        }
        const tarn_events e = tarn_world_get_events(w);
        assert_int_equal(e.joints_broken_count, 1);
        assert_true(e.joints_broken[0].joint.value == id.value && e.joints_broken[0].user_data == 77);
        assert_true(e.joints_broken[0].force > 30.0);
        assert_false(tarn_joint_is_valid(w, id));
        step(w, 30);
        assert_true(motion_of(w, load).position.y < y - 1.0);
        tarn_world_destroy(w);
    }
}

// A definition is read, changed and set: live members change, to the bit, an axis and values out of range do
// not.
static void definitions_change_what_is_live(void **test)
{
    (void)test;
    tarn_world *w = empty(9.81);
    const tarn_body_id post = support(w, v3(0, 10, 0)), flap = cube(w, v3(1, 10, 0), 1.0);
    tarn_joint_def def = joint_def(TARN_JOINT_HINGE, post, flap, v3(0, 10, 0)), now;
    tarn_error err = {0};
    const tarn_joint_id id = fasten(w, &def);
    CHECK_OK(tarn_joint_get_def(w, id, &def));
    def.hinge.limits.upper = 1.0 / 3.0, def.hinge.motor_speed = 2.0, def.break_force = 1e4, def.user_data = 9;
    CHECK_OK(tarn_joint_set_def(w, id, &def, &err));
    CHECK_OK(tarn_joint_get_def(w, id, &now));
    assert_true(now.hinge.limits.upper == 1.0 / 3.0 && now.hinge.motor_speed == 2.0 &&
                now.break_force == 1e4);
    assert_true(now.user_data == 9);
    tarn_joint_def wrong = def;
    wrong.hinge.axis = v3(1, 0, 0);
    assert_int_equal(tarn_joint_set_def(w, id, &wrong, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "axis");
    wrong = def, wrong.hinge.limits.upper = 3.2; // above pi
    assert_int_equal(tarn_joint_set_def(w, id, &wrong, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "limits.upper");
    wrong = def, wrong.type = (tarn_joint_type)6;
    assert_int_equal(tarn_joint_create(w, &wrong, NULL, &err), TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_joint_get_def(w, id, &now));
    assert_memory_equal(&now.hinge, &def.hinge, sizeof now.hinge);
    tarn_world_destroy(w);
}

// A definition becomes the parameters of a scene, angles in degrees, and comes back.
static void definitions_are_specs(void **test)
{
    (void)test;
    for (tarn_joint_type type = TARN_JOINT_BALL; type <= TARN_JOINT_ROPE; ++type) {
        tarn_joint_def def = tarn_default_joint_def(type), back;
        tarn_spec spec;
        tarn_value value;
        def.break_force = 12.0;
        if (type == TARN_JOINT_HINGE) def.hinge.limits.lower = -PI / 4;
        CHECK_OK(tarn_joint_def_to_spec(&def, &spec));
        assert_ptr_equal(spec.kind, tarn_kind_at("joint", (int)type));
        CHECK_OK(tarn_spec_get(&spec, "break_force", &value));
        assert_true(value.number[0] == 12.0);
        if (type == TARN_JOINT_HINGE) CHECK_OK(tarn_spec_get(&spec, "limits.lower", &value));
        if (type == TARN_JOINT_HINGE) assert_true(value.number[0] == -45.0);
        CHECK_OK(tarn_joint_def_from_spec(&spec, &back));
        assert_memory_equal(&back, &def, sizeof def);
    }
}

// Joints are found by name and listed; saved joints with limits continue with the same bits and keep their
// user data.
static void joints_are_listed_and_saved(void **test)
{
    (void)test;
    static struct memory_stream saved;
    tarn_world *w = empty(9.81), *copy = NULL;
    const tarn_body_id post = support(w, v3(0, 10, 0)), flap = cube(w, v3(1, 10, 0), 1.0),
                       cart = cube(w, v3(3, 10, 0), 1.0);
    tarn_joint_def def = joint_def(TARN_JOINT_HINGE, post, flap, v3(0, 10, 0));
    def.hinge.axis = v3(0, 0, 1), def.hinge.limits.lower = -0.1; // no decimal number of degrees
    def.user_data = 5;
    memcpy(def.name, "flap", 5);
    const tarn_joint_id hinge = fasten(w, &def);
    def = joint_def(TARN_JOINT_SLIDER, post, cart, v3(3, 10, 0));
    const tarn_joint_id slider = fasten(w, &def);
    step(w, 30);
    tarn_joint_id list[2];
    assert_int_equal(tarn_world_get_joints(w, list, 1), 2);
    assert_int_equal(tarn_world_get_joints(w, list, 2), 2);
    assert_true(list[0].value == hinge.value && list[1].value == slider.value);
    assert_true(tarn_joint_find(w, "flap").value == hinge.value);
    assert_true(tarn_joint_find(w, "nobody").value == 0);
    CHECK_OK(tarn_world_save(w, stream_write, &saved));
    CHECK_OK(tarn_world_load(stream_read, &saved, NULL, &copy, NULL));
    assert_true(tarn_world_hash(w) == tarn_world_hash(copy));
    CHECK_OK(tarn_joint_get_def(copy, hinge, &def));
    assert_true(def.hinge.limits.lower == -0.1 && isnan(def.hinge.limits.upper));
    assert_true(def.user_data == 5 && def.body_a.value == post.value && def.body_b.value == flap.value);
    const tarn_joint_state here = state_of(w, hinge), there = state_of(copy, hinge);
    assert_memory_equal(&here, &there, sizeof here);
    step(w, 30), step(copy, 30);
    assert_true(tarn_world_hash(w) == tarn_world_hash(copy));
    assert_int_equal(tarn_joint_set_def(w, slider, &def, NULL), TARN_BAD_INPUT); // another kind
    CHECK_OK(tarn_joint_destroy(w, hinge));
    assert_int_equal(tarn_joints_get_states(w, 2, list, NULL), TARN_BAD_ARGUMENT);
    tarn_joint_state states[2];
    assert_int_equal(tarn_joints_get_states(w, 2, list, states), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w), tarn_world_destroy(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hinges_stop_at_their_limits),     cmocka_unit_test(sliders_are_inclined_planes),
        cmocka_unit_test(slider_motors_have_a_force),      cmocka_unit_test(fixed_joints_are_rigid),
        cmocka_unit_test(joints_break_beyond_their_force), cmocka_unit_test(definitions_change_what_is_live),
        cmocka_unit_test(definitions_are_specs),           cmocka_unit_test(joints_are_listed_and_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
