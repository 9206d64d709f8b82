// Live parameters of bodies: gravity, damping, locks, filters, sensors, mass, enabling; saved where they are
// state.
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
    if (strcmp(model, "none") != 0) set_cells(&def.fluid, 24, 24);
    if (setup_create(&def, &w, &err) != TARN_OK) fail_msg("%s: %s %s", model, err.key, err.message);
    return w;
}

static bool is_flow(const tarn_world *w) { return w->fluid.model->planar != NULL; }

static tarn_body_def block(const tarn_world *w)
{
    const struct grid *g = &w->fluid.grid;
    const double size = is_flow(w) ? 0.1 : 0.2;
    tarn_body_def def = body_def("box");
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(size, 0.8 * size, 1.5 * size), NULL));
    def.position = is_flow(w) ? v3(0.5 * g->nx * g->dx, 0.5 * g->nz * g->dx, 0)
                              : v3(0.05, w->fluid.rest_level + 0.1, 0.02);
    def.density = 800.0;
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

static tarn_world *reloaded(const tarn_world *w)
{
    static struct memory_stream saved;
    tarn_world *copy = NULL;
    saved.size = saved.at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, &saved));
    CHECK_OK(tarn_world_load(stream_read, &saved, NULL, &copy, NULL));
    return copy;
}

// Settings other than the defaults are saved; a loaded world continues with the same bits.
static void settings_survive_a_checkpoint(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        tarn_world *w = tank(models[m]);
        tarn_body_def def = block(w);
        def.gravity_scale = 0.5, def.linear_damping = 0.25, def.angular_damping = 0.5;
        def.locks = (tarn_locks){.translation = {1, 0, 0}, .rotation = {1, 1, 0}};
        def.filter = (tarn_filter){0x8000000000000001u, 0xfffffffffffffffeu, -3};
        def.user_data = 0x123456789abcdef0u;
        def.inertia = v3(2, 3, 4), def.mass = 5.0, def.inertia_axes = (quat){0.5, 0.5, 0.5, 0.5};
        const tarn_body_id id = put(w, &def);
        def.type = TARN_BODY_KINEMATIC, def.sensor = 1, def.position.x += 0.3;
        const tarn_body_id sensor = put(w, &def);
        def.type = TARN_BODY_DYNAMIC, def.sensor = def.enabled = false, def.position.x -= 0.6;
        const tarn_body_id disabled = put(w, &def);
        step(w, 3);
        tarn_world *copy = reloaded(w);
        tarn_body_def got;
        CHECK_OK(tarn_body_get_def(copy, id, &got));
        assert_true(got.gravity_scale == 0.5 && got.linear_damping == 0.25 && got.angular_damping == 0.5);
        assert_memory_equal(&got.locks, &def.locks, sizeof got.locks);
        assert_true(got.filter.category == def.filter.category && got.filter.mask == def.filter.mask &&
                    got.filter.group == -3);
        assert_true(tarn_body_get_user_data(copy, id) == def.user_data);
        assert_true(got.inertia.z == 4.0 && got.mass == 5.0);
        assert_true(tarn_body_is_enabled(copy, sensor) && !tarn_body_is_enabled(copy, disabled));
        assert_true(tarn_world_hash(w) == tarn_world_hash(copy));
        step(w, 3), step(copy, 3);
        assert_true(tarn_world_hash(w) == tarn_world_hash(copy));
        tarn_world_destroy(w), tarn_world_destroy(copy);
    }
}

// Without other forces velocities decay as exp(-c t).
static void damping_is_exponential(void **test)
{
    (void)test;
    tarn_world *w = tank("none");
    tarn_body_def def = block(w);
    def.position.y = 20.0, def.gravity_scale = 0.0, def.linear_damping = 1.5, def.angular_damping = 0.75;
    def.velocity = v3(1, 2, -0.5), def.angular_velocity = v3(0, 3, 0);
    const tarn_body_id id = put(w, &def);
    step(w, 60);
    const tarn_body_state m = motion_of(w, id);
    CHECK_NEAR(m.velocity.x, m_exp(-1.5), 1e-14);
    CHECK_NEAR(m.velocity.y, 2.0 * m_exp(-1.5), 1e-14);
    CHECK_NEAR(m.angular_velocity.y, 3.0 * m_exp(-0.75), 1e-14);
    tarn_world_destroy(w);
}

// A body falls with its scale times gravity, upwards too.
static void gravity_scale_multiplies_the_weight(void **test)
{
    (void)test;
    const double scales[] = {0.0, 0.5, -2.0};
    for (int k = 0; k < COUNT(scales); ++k) {
        tarn_world *w = tank("none");
        tarn_body_def def = block(w);
        def.position.y = 50.0, def.gravity_scale = scales[k];
        const tarn_body_id id = put(w, &def);
        step(w, 30);
        CHECK_NEAR(motion_of(w, id).velocity.y, -scales[k] * 9.81 * 0.5, 1e-13);
        CHECK_NEAR(tarn_world_get_ledger(w).energy_bodies,
                   w->bodies.slots[0].body->def.mass * 9.81 * scales[k] * 50.0, 1e-9);
        tarn_world_destroy(w);
    }
}

// Along and about locked axes a body never moves, whatever water, impulses and other bodies do; about free
// axes it does.
static void locked_axes_do_not_move(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        tarn_world *w = tank(models[m]);
        tarn_body_def def = block(w);
        def.velocity = v3(0.5, -1.0, 0), def.angular_velocity = v3(0, 0, 1.0);
        def.locks = (tarn_locks){.translation = {1, 0, 0}, .rotation = {1, 1, 1}};
        const tarn_body_id id = put(w, &def);
        tarn_body_def other = def;
        other.locks = (tarn_locks){0};
        other.velocity = v3(0, is_flow(w) ? -1.0 : -3.0, 0), other.position.y += is_flow(w) ? 0.15 : 0.3;
        other.position.x += is_flow(w) ? 0.02 : 0.05;
        put(w, &other);
        for (int n = 0; n < 40; ++n) {
            CHECK_OK(tarn_body_apply_impulse(w, id, v3(0.3, 0.1, 0),
                                             v3_add(state_of(w, id)->position, v3(0.1, 0.2, 0))));
            step(w, 1);
            const tarn_body_state now = motion_of(w, id);
            CHECK_NEAR(now.position.x, def.position.x, 0.0);
            CHECK_NEAR(now.velocity.x, 0.0, 0.0);
            CHECK_NEAR(v3_length(now.angular_velocity), 0.0, 0.0);
            CHECK_NEAR(now.rotation.w, 1.0, 1e-15);
        }
        assert_true(fabs(motion_of(w, id).position.y - def.position.y) > 1e-3);
        tarn_world_destroy(w);
    }
}

// A ball thrown against a body that cannot move along the impact rebounds with e times its speed, as from a
// wall, however light that body is.
static void contacts_meet_locks_as_walls(void **test)
{
    (void)test;
    tarn_world *w = tank("none");
    tarn_body_def def = body_def("box");
    def.position = v3(0, 5, 0), def.mass = 0.01, def.gravity_scale = 0.0;
    def.locks = (tarn_locks){.translation = {1, 1, 1}, .rotation = {1, 1, 1}};
    put(w, &def);
    tarn_body_def thrown = body_def("sphere");
    thrown.position = v3(-1.2, 5, 0), thrown.mass = 10.0, thrown.gravity_scale = 0.0,
    thrown.velocity = v3(2, 0, 0);
    thrown.restitution = def.restitution = 0.5;
    const tarn_body_id ball = put(w, &thrown);
    step(w, 60);
    CHECK_NEAR(motion_of(w, ball).velocity.x, -1.0, 1e-6); // impulses are floats
    tarn_world_destroy(w);
}

// About one free axis a body turns as a wheel: torque over its moment, at a constant rate without torque.
static void one_free_axis_is_a_wheel(void **test)
{
    (void)test;
    tarn_world *w = tank("none");
    tarn_body_def def = block(w);
    def.position.y = 20.0, def.gravity_scale = 0.0,
    def.rotation = quat_normalize((quat){0.9, 0.3, -0.2, 0.1});
    def.locks = (tarn_locks){.rotation = {1, 0, 1}};
    const tarn_body_id id = put(w, &def);
    const mat3 inertia = body_inertia(&w->bodies, 0);
    CHECK_OK(tarn_body_apply_angular_impulse(w, id, v3(0.5, 1.0, -2.0)));
    for (int n = 0; n < 30; ++n) {
        const vec3 spin = motion_of(w, id).angular_velocity;
        CHECK_NEAR(spin.y, 1.0 / inertia.m[1][1], 1e-12 * spin.y);
        CHECK_NEAR(fabs(spin.x) + fabs(spin.z), 0.0, 1e-12 * spin.y);
        step(w, 1);
    }
    tarn_world_destroy(w);
}

static double gap_after_fall(tarn_filter above, tarn_filter below, int sensor)
{
    tarn_world *w = tank("none");
    tarn_body_def def = body_def("box");
    def.type = TARN_BODY_KINEMATIC, def.position = v3(0, 1, 0), def.filter = below, def.sensor = sensor;
    put(w, &def);
    def = body_def("sphere");
    def.position = v3(0, 3, 0), def.filter = above;
    const tarn_body_id ball = put(w, &def);
    step(w, 120);
    const double y = motion_of(w, ball).position.y;
    tarn_world_destroy(w);
    return y;
}

// Masks and groups decide which bodies collide; the floor supports all, and a sensor stops none.
static void filters_decide_who_collides(void **test)
{
    (void)test;
    const uint64_t all = UINT64_MAX, high = (uint64_t)1 << 63;
    const struct {
        tarn_filter above, below;
        int sensor, collide;
    } cases[] = {
        {{1, all, 0}, {1, all, 0}, 0, 1},     {{1, all, 0}, {1, all, 0}, 1, 0},
        {{high, all, 0}, {1, high, 0}, 0, 1}, {{high, all, 0}, {1, ~high, 0}, 0, 0},
        {{high, 2, 0}, {1, high, 0}, 0, 0},   {{1, all, -5}, {1, all, -5}, 0, 0},
        {{1, all, -5}, {1, all, -6}, 0, 1},   {{1, 0, 7}, {1, 0, 7}, 0, 1},
    };
    for (int k = 0; k < COUNT(cases); ++k) {
        const double y = gap_after_fall(cases[k].above, cases[k].below, cases[k].sensor);
        assert_true((y > 1.2) == cases[k].collide);
        assert_true(y > 0.2); // it is above the floor
    }
}

// A filter that changes while a body rests on another lets it fall.
static void live_filters_take_effect(void **test)
{
    (void)test;
    tarn_world *w = tank("none");
    tarn_body_def def = body_def("box");
    def.type = TARN_BODY_KINEMATIC, def.position = v3(0, 1, 0);
    put(w, &def);
    def.type = TARN_BODY_DYNAMIC, def.position = v3(0, 3, 0);
    const tarn_body_id body = put(w, &def);
    step(w, 240);
    assert_true(motion_of(w, body).position.y > 1.2);
    assert_false(tarn_body_is_awake(w, body));
    CHECK_OK(tarn_body_get_def(w, body, &def));
    def.filter.mask = 0;
    CHECK_OK(tarn_body_set_def(w, body, &def, NULL));
    assert_true(tarn_body_is_awake(w, body));
    step(w, 120);
    assert_true(motion_of(w, body).position.y < 1.0);
    def.friction = -1.0;
    assert_int_equal(tarn_body_set_def(w, body, &def, NULL), TARN_BAD_INPUT);
    tarn_world_destroy(w);
}

// Neither sensors nor disabled bodies displace water: the water is the same to the bit as without them.
static void water_does_not_feel_sensors(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        double volume[3], energy[3];
        for (int k = 0; k < 3; ++k) {
            tarn_world *w = tank(models[m]);
            tarn_body_def def = block(w);
            if (!is_flow(w) && !w->fluid.model->no_fluid) def.position.y -= 0.15;
            def.type = TARN_BODY_KINEMATIC, def.sensor = k == 1, def.enabled = k != 2;
            if (k) put(w, &def);
            step(w, 5);
            const tarn_ledger l = tarn_world_get_ledger(w);
            volume[k] = l.volume, energy[k] = l.energy_water;
            tarn_world_destroy(w);
        }
        for (int k = 1; k < 3; ++k) {
            CHECK_NEAR(volume[k], volume[0], 0.0);
            CHECK_NEAR(energy[k], energy[0], 0.0);
        }
    }
}

// A body that is disabled stays where it is and the water closes; enabled again it moves on, and volume is
// conserved.
static void disabled_bodies_rest(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        tarn_world *w = tank(models[m]);
        tarn_body_def def = block(w);
        def.velocity = v3(0.1, 0, 0);
        const tarn_body_id id = put(w, &def);
        step(w, 10);
        const tarn_body_state before = motion_of(w, id);
        CHECK_OK(tarn_body_set_enabled(w, id, 0, NULL));
        assert_false(tarn_body_is_enabled(w, id));
        CHECK_OK(tarn_body_apply_central_force(w, id, v3(5, 5, 0)));
        step(w, 10);
        const tarn_body_state now = motion_of(w, id);
        assert_memory_equal(&before, &now, sizeof now);
        tarn_world *copy = reloaded(w);
        CHECK_OK(tarn_body_set_enabled(w, id, 1, NULL));
        CHECK_OK(tarn_body_set_enabled(copy, id, 1, NULL));
        step(w, 10), step(copy, 10);
        assert_true(tarn_world_hash(w) == tarn_world_hash(copy));
        assert_true(motion_of(w, id).position.x != before.position.x);
        CHECK_NEAR(tarn_world_get_ledger(w).volume_error, 0.0, 1e-6 * tarn_world_get_ledger(w).volume);
        tarn_world_destroy(w), tarn_world_destroy(copy);
    }
}

// A body that is made static stops and holds others, made kinematic it moves steadily, made dynamic it falls
// again.
static void types_change(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        tarn_world *w = tank(models[m]);
        tarn_body_def def = block(w);
        def.velocity = v3(0.25, 0, 0);
        const tarn_body_id id = put(w, &def);
        step(w, 2);
        CHECK_OK(tarn_body_set_type(w, id, TARN_BODY_STATIC, NULL));
        const tarn_body_state stopped = motion_of(w, id);
        assert_true(v3_length(stopped.velocity) == 0.0);
        step(w, 3);
        const tarn_body_state still = motion_of(w, id);
        assert_memory_equal(&still, &stopped, sizeof still);
        assert_int_equal(tarn_body_set_velocity(w, id, v3(1, 0, 0), v3(0, 0, 0)), TARN_BAD_ARGUMENT);
        tarn_world *copy = reloaded(w);
        CHECK_OK(tarn_body_set_type(w, id, TARN_BODY_DYNAMIC, NULL));
        CHECK_OK(tarn_body_set_type(copy, id, TARN_BODY_DYNAMIC, NULL));
        step(w, 10), step(copy, 10);
        assert_true(tarn_world_hash(w) == tarn_world_hash(copy));
        assert_true(motion_of(w, id).position.y != still.position.y);
        if (!is_flow(w)) {
            CHECK_OK(tarn_body_set_type(w, id, TARN_BODY_KINEMATIC, NULL));
            CHECK_OK(tarn_body_set_velocity(w, id, v3(0, 0.5, 0), v3(0, 0, 0)));
            const double y = motion_of(w, id).position.y;
            step(w, 6);
            CHECK_NEAR(motion_of(w, id).position.y, y + 0.05, 1e-12);
        }
        assert_int_equal(tarn_body_set_type(w, id, (tarn_body_type)7, NULL), TARN_BAD_ARGUMENT);
        tarn_world_destroy(w), tarn_world_destroy(copy);
    }
}

// Ballast: velocities stay, the momentum is that of the new mass, and a floating body sinks deeper.
static void mass_changes_at_constant_velocity(void **test)
{
    (void)test;
    for (int m = 0; m < MODELS; ++m) {
        tarn_world *w = tank(models[m]);
        tarn_body_def def = block(w);
        def.velocity = v3(0.25, 0, 0), def.angular_velocity = v3(0, 0, 0.5);
        const tarn_body_id id = put(w, &def);
        step(w, 2);
        const tarn_body_state before = motion_of(w, id);
        tarn_mass mass;
        CHECK_OK(tarn_body_get_mass(w, id, &mass));
        mass.mass *= 1.125;
        CHECK_OK(tarn_body_set_mass(w, id, &mass, NULL));
        const tarn_body_state now = motion_of(w, id);
        CHECK_NEAR(v3_length(v3_sub(now.velocity, before.velocity)), 0.0, 1e-15);
        CHECK_NEAR(v3_length(v3_sub(now.angular_velocity, before.angular_velocity)), 0.0, 1e-14);
        tarn_world *copy = reloaded(w);
        step(w, 3), step(copy, 3);
        assert_true(tarn_world_hash(w) == tarn_world_hash(copy));
        CHECK_OK(tarn_body_set_mass(w, id, NULL, NULL));
        tarn_mass own;
        CHECK_OK(tarn_body_get_mass(w, id, &own));
        CHECK_NEAR(own.mass, mass.mass / 1.125, 1e-12);
        mass.inertia = v3(1, 1, 3);
        assert_int_equal(tarn_body_set_mass(w, id, &mass, NULL), TARN_BAD_INPUT); // no body has this
        tarn_world_destroy(w), tarn_world_destroy(copy);
    }
}

// The bounds of a turned box are those of its corners.
static void bounds_enclose_the_corners(void **test)
{
    (void)test;
    tarn_world *w = tank("none");
    tarn_body_def def = body_def("box");
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(1, 2, 3), NULL));
    def.position = v3(1, 5, -1), def.rotation = quat_normalize((quat){0.8, 0.2, 0.3, -0.4});
    const tarn_body_id id = put(w, &def);
    vec3 lo, hi, min = v3(1e9, 1e9, 1e9), max = v3(-1e9, -1e9, -1e9);
    for (int k = 0; k < 8; ++k) {
        const vec3 corner = v3(k & 1 ? 0.5 : -0.5, k & 2 ? 1 : -1, k & 4 ? 1.5 : -1.5);
        const vec3 p = v3_add(def.position, quat_rotate(def.rotation, corner));
        min = v3(fmin(min.x, p.x), fmin(min.y, p.y), fmin(min.z, p.z));
        max = v3(fmax(max.x, p.x), fmax(max.y, p.y), fmax(max.z, p.z));
    }
    CHECK_OK(tarn_body_get_bounds(w, id, &lo, &hi));
    CHECK_NEAR(v3_length(v3_sub(lo, min)) + v3_length(v3_sub(hi, max)), 0.0, 1e-13);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_survive_a_checkpoint),
        cmocka_unit_test(damping_is_exponential),
        cmocka_unit_test(gravity_scale_multiplies_the_weight),
        cmocka_unit_test(locked_axes_do_not_move),
        cmocka_unit_test(contacts_meet_locks_as_walls),
        cmocka_unit_test(one_free_axis_is_a_wheel),
        cmocka_unit_test(filters_decide_who_collides),
        cmocka_unit_test(live_filters_take_effect),
        cmocka_unit_test(water_does_not_feel_sensors),
        cmocka_unit_test(disabled_bodies_rest),
        cmocka_unit_test(mass_changes_at_constant_velocity),
        cmocka_unit_test(bounds_enclose_the_corners),
        cmocka_unit_test(types_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
