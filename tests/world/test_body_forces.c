// Forces, impulses, velocities, targets and batches of body.h, in every fluid model.
#include "body_def.h"
#include "body_queries.h"
#include "memory_stream.h"
#include "world_setup.h"

#include "world/world.h"

#define MODELS 5
static const char *const models[MODELS] = {"wave", "shallow", "implicit", "flow", "none"};

static tarn_world *tank(const char *model)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    tarn_error err = {0};
    if (strcmp(model, "none") != 0) {
        set_cells(&def.fluid, 24, 24);
    } else {
        def.fluid.dry.walls = false;
    }
    if (setup_create(&def, &w, &err) != TARN_OK) fail_msg("%s: %s %s", model, err.key, err.message);
    return w;
}

static bool is_flow(const tarn_world *w) { return w->fluid.model->planar != NULL; }

// The middle of the tank, just below the surface of height fields.
static vec3 middle(const tarn_world *w)
{
    const struct grid *g = &w->fluid.grid;
    if (is_flow(w)) return v3(0.5 * g->nx * g->dx, 0.5 * g->nz * g->dx, 0);
    return v3(0.05, w->fluid.model->no_fluid ? 50.0 : w->fluid.rest_level - 0.05, 0.02);
}

static tarn_body_def block(const tarn_world *w)
{
    tarn_body_def def = body_def("box");
    const double size = is_flow(w) ? 0.1 : 0.2;
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(size, 0.8 * size, 1.5 * size), NULL));
    def.position = middle(w), def.density = 800.0;
    def.velocity = v3(0.1, -0.05, is_flow(w) ? 0.0 : 0.2), def.angular_velocity = v3(0, 0, 0.3);
    return def;
}

static void step(tarn_world *w, int count)
{
    for (int n = 0; n < count; ++n) CHECK_OK(tarn_world_advance(w, w->def.dt));
}

static struct body_state *state_of(tarn_world *w, tarn_body_id id)
{
    return &w->bodies.state[body_index(&w->bodies, id)];
}

// Momentum and angular momentum change by exactly the impulse, in water too.
static void impulses_change_the_momenta_by_what_they_are(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        tarn_world *w = tank(models[m]);
        const tarn_body_def def = block(w);
        const tarn_body_id id = put(w, &def);
        step(w, 3);
        struct body_state before = *state_of(w, id);
        const vec3 j = v3(0.25, 0.5, is_flow(w) ? 0.0 : -0.125),
                   arm = v3(0.01, 0.02, is_flow(w) ? 0.0 : 0.03);
        CHECK_OK(tarn_body_apply_impulse(w, id, j, v3_add(before.position, arm)));
        const vec3 p = v3_add(before.momentum, j),
                   l = v3_add(before.angular_momentum,
                              v3_cross(v3_sub(v3_add(before.position, arm), before.position), j));
        assert_memory_equal(&state_of(w, id)->momentum, &p, sizeof p);
        CHECK_NEAR(v3_length(v3_sub(state_of(w, id)->angular_momentum, l)), 0.0, 0.0);
        before = *state_of(w, id);
        CHECK_OK(tarn_body_apply_central_impulse(w, id, v3(-0.5, 0, 0)));
        CHECK_OK(tarn_body_apply_angular_impulse(w, id, v3(0, 0, 0.03125)));
        assert_true(state_of(w, id)->momentum.x == before.momentum.x - 0.5);
        assert_true(state_of(w, id)->angular_momentum.z == before.angular_momentum.z + 0.03125);
        step(w, 3);
        tarn_world_destroy(w);
    }
}

// A force for one step in a vacuum gives the momentum F dt, at a point the angular momentum r x F dt; a local
// force turns with the body.
static void forces_act_for_one_step(void **test)
{
    (void)test;
    tarn_world *w = tank("none");
    tarn_body_def def = block(w);
    def.velocity = def.angular_velocity = v3(0, 0, 0);
    def.rotation = (quat){0.6, 0, 0.8, 0};
    const tarn_body_id id = put(w, &def);
    const double dt = w->def.dt, m = w->bodies.slots[0].body->def.mass;
    CHECK_OK(tarn_body_apply_central_force(w, id, v3(3, 0, 0)));
    CHECK_OK(tarn_body_apply_force(w, id, v3(0, 0, 2), v3_add(def.position, v3(0.5, 0, 0))));
    CHECK_OK(tarn_body_apply_torque(w, id, v3(0, 1.5, 0)));
    step(w, 2);
    const struct body_state *s = state_of(w, id);
    CHECK_NEAR(s->momentum.x, 3.0 * dt, 1e-15);
    CHECK_NEAR(s->momentum.y, -2.0 * 9.81 * m * dt, 1e-13);
    CHECK_NEAR(s->momentum.z, 2.0 * dt, 1e-15);
    CHECK_NEAR(s->angular_momentum.y, (1.5 - 0.5 * 2.0) * dt, 1e-15);
    tarn_world_destroy(w);

    w = tank("none");
    const tarn_body_id turned = put(w, &def);
    CHECK_OK(tarn_body_apply_local_force(w, turned, v3(1, 0, 0), v3(0, 0.25, 0)));
    step(w, 1);
    const vec3 force = quat_rotate(def.rotation, v3(1, 0, 0)), p = state_of(w, turned)->momentum;
    const vec3 torque = quat_rotate(def.rotation, v3(0, 0, -0.25)), l = state_of(w, turned)->angular_momentum;
    CHECK_NEAR(v3_length(v3_sub(v3(p.x, 0, p.z), v3_scale(force, dt))), 0.0, 1e-15);
    CHECK_NEAR(v3_length(v3_sub(l, v3_scale(torque, dt))), 0.0, 1e-15);
    tarn_world_destroy(w);
}

// A list of wrenches does to the world what the single calls do.
static void wrenches_are_forces_and_torques(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        tarn_world *w[2] = {tank(models[m]), tank(models[m])};
        for (int k = 0; k < 2; ++k) {
            tarn_body_id id[2];
            tarn_body_def def = block(w[k]);
            id[0] = put(w[k], &def);
            def.position.x += 0.3;
            id[1] = put(w[k], &def);
            const tarn_wrench wrenches[2] = {{v3(1, 2, 0), v3(0, 0, 0.5)}, {v3(-3, 0, 0), v3(0, 0, 0.25)}};
            if (k)
                CHECK_OK(tarn_bodies_apply_wrenches(w[k], 2, id, wrenches, NULL));
            else
                for (int n = 0; n < 2; ++n) {
                    CHECK_OK(tarn_body_apply_central_force(w[k], id[n], wrenches[n].force));
                    CHECK_OK(tarn_body_apply_torque(w[k], id[n], wrenches[n].torque));
                }
            step(w[k], 2);
        }
        assert_true(tarn_world_hash(w[0]) == tarn_world_hash(w[1]));
        for (int k = 0; k < 2; ++k) tarn_world_destroy(w[k]);
    }
}

// A kinematic body is at its target after one step, whatever its shape, and continues with the same velocity.
static void targets_are_reached_in_one_step(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        if (strcmp(models[m], "flow") == 0) continue; // the fluid moves kinematic bodies there
        tarn_world *w = tank(models[m]);
        tarn_body_def def = block(w);
        def.type = TARN_BODY_KINEMATIC, def.rotation = quat_from_rotation_vector(v3(0.3, 0.4, 0.5));
        const tarn_body_id id = put(w, &def);
        const tarn_pose target = {v3_add(def.position, v3(0.02, 0.01, -0.03)),
                                  quat_mul(quat_from_rotation_vector(v3(0.05, -0.1, 0.07)), def.rotation)};
        CHECK_OK(tarn_body_set_target(w, id, &target));
        step(w, 1);
        const tarn_body_state now = motion_of(w, id);
        CHECK_NEAR(v3_length(v3_sub(now.position, target.position)), 0.0, 1e-13);
        CHECK_NEAR(fabs(now.rotation.w * target.rotation.w + now.rotation.x * target.rotation.x +
                        now.rotation.y * target.rotation.y + now.rotation.z * target.rotation.z),
                   1.0, 1e-13);
        tarn_world_destroy(w);
    }
}

// v + w x r, and the setter's velocities are those that are read.
static void velocities_are_what_was_set(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        tarn_world *w = tank(models[m]);
        const tarn_body_def def = block(w);
        const tarn_body_id id = put(w, &def);
        const vec3 v = v3(1, 2, is_flow(w) ? 0 : 3), spin = v3(is_flow(w) ? 0 : 0.5, is_flow(w) ? 0 : -1, 2);
        CHECK_OK(tarn_body_set_velocity(w, id, v, spin));
        const tarn_body_state now = motion_of(w, id);
        CHECK_NEAR(v3_length(v3_sub(now.velocity, v)), 0.0, 1e-14);
        CHECK_NEAR(v3_length(v3_sub(now.angular_velocity, spin)), 0.0, 1e-14);
        const vec3 arm = v3(0.1, 0.2, 0),
                   there = tarn_body_get_point_velocity(w, id, v3_add(now.position, arm));
        CHECK_NEAR(v3_length(v3_sub(there, v3_add(v, v3_cross(spin, arm)))), 0.0, 1e-14);
        tarn_world_destroy(w);
    }
}

// Lists and arrays of any layout say what the single calls say, and setting them does what those do.
static void batches_equal_single_calls(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        tarn_world *w[3] = {tank(models[m]), tank(models[m]), tank(models[m])};
        enum { BODIES = 3 };
        struct {
            double other, position[3], rotation[4], velocity[3], angular_velocity[3];
        } record[BODIES];
        const size_t stride = sizeof record[0];
        const tarn_body_arrays arrays = {{record[0].position, stride},
                                         {record[0].rotation, stride},
                                         {record[0].velocity, stride},
                                         {record[0].angular_velocity, stride}};
        tarn_body_id id[BODIES];
        for (int k = 0; k < 3; ++k)
            for (int n = 0; n < BODIES; ++n) {
                tarn_body_def def = block(w[k]);
                def.position.x += 0.25 * n - 0.25;
                id[n] = put(w[k], &def);
            }
        tarn_body_state states[BODIES];
        tarn_load loads[BODIES];
        step(w[0], 2), step(w[1], 2), step(w[2], 2);
        CHECK_OK(tarn_bodies_get_states(w[0], BODIES, id, states));
        CHECK_OK(tarn_bodies_get_loads(w[0], BODIES, id, loads));
        CHECK_OK(tarn_bodies_get_arrays(w[0], BODIES, id, &arrays));
        for (int n = 0; n < BODIES; ++n) {
            const tarn_body_state one = motion_of(w[0], id[n]);
            const tarn_load load = load_of(w[0], id[n]);
            assert_memory_equal(&one, &states[n], sizeof one);
            assert_memory_equal(&load, &loads[n], sizeof load);
            assert_memory_equal(&one.position, record[n].position, sizeof one.position);
            assert_memory_equal(&one.rotation, record[n].rotation, sizeof one.rotation);
            assert_memory_equal(&one.angular_velocity, record[n].angular_velocity,
                                sizeof one.angular_velocity);
            states[n].position.y += 0.03125, record[n].position[1] += 0.03125;
            states[n].velocity.x = record[n].velocity[0] = 0.5;
        }
        for (int n = 0; n < BODIES; ++n) CHECK_OK(tarn_body_set_state(w[0], id[n], &states[n]));
        CHECK_OK(tarn_bodies_set_states(w[1], BODIES, id, states, NULL));
        CHECK_OK(tarn_bodies_set_arrays(w[2], BODIES, id, &arrays, NULL));
        for (int k = 1; k < 3; ++k)
            for (int n = 0; n < BODIES; ++n) {
                const tarn_body_state here = motion_of(w[k], id[n]), first = motion_of(w[0], id[n]);
                assert_memory_equal(&here, &first, sizeof here);
            }
        step(w[1], 2), step(w[2], 2);
        assert_true(tarn_world_hash(w[1]) == tarn_world_hash(w[2]));
        for (int k = 0; k < 3; ++k) tarn_world_destroy(w[k]);
    }
}

// Wrong arguments are refused and change nothing.
static void wrong_arguments_change_nothing(void **test)
{
    (void)test;
    tarn_world *w = tank("wave");
    tarn_body_def def = block(w);
    const tarn_body_id id = put(w, &def), stale = {(uint64_t)1 << 32 | 7}, both[2] = {id, stale};
    def.type = TARN_BODY_KINEMATIC, def.position.x += 0.5;
    const tarn_body_id carrier = put(w, &def);
    const vec3 bad = v3(NAN, 0, 0), one = v3(1, 0, 0);
    tarn_body_state states[2] = {motion_of(w, id), motion_of(w, id)};
    tarn_load loads[2];
    const tarn_wrench wrenches[2] = {{one, one}, {bad, one}};
    const tarn_body_id two[2] = {id, carrier};
    const uint64_t before = tarn_world_hash(w);
    assert_int_equal(tarn_body_apply_force(w, stale, one, one), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_apply_force(NULL, id, one, one), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_apply_central_force(w, id, bad), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_apply_torque(w, id, v3(2e15, 0, 0)), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_apply_local_force(w, id, one, bad), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_apply_impulse(w, id, bad, one), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_apply_central_impulse(w, id, v3(1e300, 0, 0)), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_apply_central_impulse(w, carrier, one), TARN_BAD_ARGUMENT); // it has no mass
    assert_int_equal(tarn_body_apply_angular_impulse(w, stale, one), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_set_velocity(w, id, bad, one), TARN_BAD_ARGUMENT);
    const tarn_pose pose = {states[0].position, states[0].rotation}, far = {v3(1e6, 0, 0), {1, 0, 0, 0}};
    assert_int_equal(tarn_body_set_target(w, id, &pose), TARN_BAD_ARGUMENT); // it is dynamic
    assert_int_equal(tarn_body_set_target(w, carrier, &far), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_set_target(w, carrier, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bodies_get_states(w, 2, both, states), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bodies_get_loads(w, 1, &id, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bodies_get_loads(w, -1, &id, loads), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bodies_apply_wrenches(w, 2, two, wrenches, NULL), TARN_BAD_ARGUMENT);
    states[1].rotation = (quat){0, 0, 0, 0};
    assert_int_equal(tarn_bodies_set_states(w, 2, two, states, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bodies_set_states(w, 2, both, states, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bodies_set_arrays(w, 1, two, NULL, NULL), TARN_BAD_ARGUMENT);
    assert_true(tarn_world_hash(w) == before);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_change_the_momenta_by_what_they_are),
        cmocka_unit_test(forces_act_for_one_step),
        cmocka_unit_test(wrenches_are_forces_and_torques),
        cmocka_unit_test(targets_are_reached_in_one_step),
        cmocka_unit_test(velocities_are_what_was_set),
        cmocka_unit_test(batches_equal_single_calls),
        cmocka_unit_test(wrong_arguments_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
