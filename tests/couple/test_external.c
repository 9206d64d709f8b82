// Kinematic bodies moved by another engine with the loads that tarn reports; batch queries of the water.
#include "body_def.h"
#include "memory_stream.h"
#include "shallow_world.h"

#include "base/math/math.h"

#define STEP (1.0 / 240.0) // [s] of both engines

static const char *const models[] = {"wave", "shallow"};

// 4 x 4 m, 1 m deep, coarse enough for one substep per step.
static tarn_world *water(const char *model)
{
    struct world_setup d = world_setup_of(model);
    d.world.dt = STEP;
    set_size(&d.fluid, 4, 4);
    set_cells(&d.fluid, 48, 48);
    if (strcmp(model, "wave") == 0) d.fluid.wave.damping = 1.0;
    if (strcmp(model, "shallow") == 0) d.fluid.shallow.level = 1.0;
    return shallow_world_create(&d);
}

static tarn_body_def flat_box(double density)
{
    tarn_body_def def = body_def("box");
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(0.5, 0.2, 0.4), NULL));
    def.density = density;
    return def;
}

static tarn_body_def ball(double density)
{
    tarn_body_def def = body_def("sphere");
    def.density = density;
    return def;
}

static tarn_body_id put(tarn_world *w, tarn_body_def def, bool kinematic)
{
    tarn_body_id id;
    def.type = kinematic ? TARN_BODY_KINEMATIC : TARN_BODY_DYNAMIC;
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

static tarn_load load_of(const tarn_world *w, tarn_body_id id)
{
    tarn_load l;
    CHECK_OK(tarn_body_get_load(w, id, &l));
    return l;
}

static void check_same(const void *a, const void *b, size_t size) { assert_memory_equal(a, b, size); }

// ---- loads ----------------------------------------------------------------------------------------

// Promise in body.h: effective_force and effective_torque of a kinematic body are the force and torque on a dynamic
// one with the same pose, motion and mass, and everything else is equal. The arithmetic is the same, hence
// to the bit.
static void kinematic_bodies_report_the_load_of_free_bodies(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * COUNT(models); ++k) {
        tarn_body_def def = k & 1 ? flat_box(40) : ball(300);
        def.position = (tarn_vec3){0.3, k & 2 ? 0.98 : 1.19, -0.2};
        def.rotation = quat_normalize((quat){1, 0.2, 0.1, -0.15});
        def.velocity = (tarn_vec3){0.4, -1.5, 0.2}, def.angular_velocity = (tarn_vec3){1, -2, 0.5};
        tarn_load load[2];
        for (int external = 0; external < 2; ++external) {
            tarn_world *w = water(models[k / 4]);
            add_hump(w, 0.5, -0.3, 0.6, 0.1);
            const tarn_body_id id = put(w, def, external);
            assert_int_equal(tarn_world_get_status(w).substeps_next, 1);
            // The force of a propeller, given to both.
            CHECK_OK(tarn_body_apply_force(w, id, (tarn_vec3){5, 2, 0}, (tarn_vec3){0.3, 1.1, -0.1}));
            CHECK_OK(tarn_world_advance(w, STEP));
            load[external] = load_of(w, id);
            tarn_world_destroy(w);
        }
        const tarn_load free = load[0], held = load[1];
        assert_true(v3_length(free.force) > 10.0 && v3_length(free.torque) > 0.01); // something to compare
        check_same(&held.effective_force, &free.force, sizeof free.force);
        check_same(&held.effective_torque, &free.torque, sizeof free.torque);
        check_same(&free.effective_force, &free.force, sizeof free.force);
        check_same(&free.effective_torque, &free.torque, sizeof free.torque);
        check_same(&held.buoyancy, &free.buoyancy, sizeof free.buoyancy);
        check_same(&held.drag, &free.drag, sizeof free.drag);
        check_same(&held.lift, &free.lift, sizeof free.lift);
        assert_true(held.submerged_volume == free.submerged_volume &&
                    held.surface_height == free.surface_height);
        assert_true(held.submerged_fraction == free.submerged_fraction);
    }
}

// A kinematic body feels full buoyancy, drag and lift; the rest, on entry, is slamming, which decelerates
// a dynamic body.
static void kinematic_bodies_report_full_load(void **state)
{
    (void)state;
    tarn_world *w = water("wave");
    tarn_body_def def = ball(300);
    def.position = (tarn_vec3){0, 1.1, 0}, def.velocity = (tarn_vec3){0, -2, 0};
    const tarn_body_id id = put(w, def, 1);
    CHECK_OK(tarn_world_advance(w, STEP)); // it continues by itself
    CHECK_OK(tarn_world_advance(w, STEP));
    const tarn_load in = load_of(w, id);
    const vec3 slam = v3_sub(in.force, v3_add(in.buoyancy, v3_add(in.drag, in.lift)));
    assert_true(slam.y > 0.1 * in.buoyancy.y);
    const tarn_body_state up = {{0, 1.05, 0}, {1, 0, 0, 0}, {0, 2, 0}, {0, 0, 0}};
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(tarn_body_set_state(w, id, &up));
        CHECK_OK(tarn_world_advance(w, STEP));
    }
    const tarn_load out = load_of(w, id); // from the same pose as before: no water is returned
    const vec3 rest = v3_sub(out.force, v3_add(out.buoyancy, v3_add(out.drag, out.lift)));
    CHECK_NEAR(v3_length(rest), 0.0, 0.02 * out.buoyancy.y); // the water rises slightly at the body
    tarn_world_destroy(w);
}

// A checkpoint keeps the loads.
static void loads_are_saved(void **state)
{
    (void)state;
    static struct memory_stream file;
    tarn_world *w = water("wave"), *next = NULL;
    tarn_body_def def = flat_box(100);
    def.position = (tarn_vec3){0.2, 1.02, 0.1}, def.velocity = (tarn_vec3){1, -1, 0};
    const tarn_body_id id = put(w, def, 1);
    CHECK_OK(tarn_world_advance(w, STEP));
    CHECK_OK(tarn_world_save(w, stream_write, &file));
    CHECK_OK(tarn_world_load(stream_read, &file, NULL, &next, NULL));
    const tarn_load a = load_of(w, id), b = load_of(next, id);
    check_same(&a, &b, sizeof a);
    assert_true(v3_length(a.effective_force) > 0.0 && tarn_world_hash(w) == tarn_world_hash(next));
    tarn_world_destroy(w), tarn_world_destroy(next);
}

// ---- a host ---------------------------------------------------------------------------------------

// The simplest engine: one body, gravity and the load of the water.
static void host_step(tarn_world *w, tarn_body_id id, tarn_body_state *m)
{
    tarn_body_info f;
    CHECK_OK(tarn_body_get_info(w, id, &f));
    CHECK_OK(tarn_body_set_state(w, id, m));
    CHECK_OK(tarn_world_advance(w, STEP));
    const tarn_load l = load_of(w, id);
    m->velocity = v3_madd(v3_madd(m->velocity, STEP / f.mass, l.effective_force), -9.81 * STEP, v3(0, 1, 0));
    m->position = v3_madd(m->position, STEP, m->velocity);
    const quat axes = quat_mul(m->rotation, f.axes); // principal moments of a ball and of a box
    const vec3 s = quat_rotate_inverse(axes, m->angular_velocity),
               turn = quat_rotate_inverse(axes, l.effective_torque);
    const vec3 twist = v3_sub(turn, v3_cross(s, v3(f.inertia.x * s.x, f.inertia.y * s.y, f.inertia.z * s.z)));
    const vec3 gain = v3(twist.x / f.inertia.x, twist.y / f.inertia.y, twist.z / f.inertia.z);
    m->angular_velocity = quat_rotate(axes, v3_madd(s, STEP, gain));
    m->rotation =
        quat_normalize(quat_mul(quat_from_rotation_vector(v3_scale(m->angular_velocity, STEP)), m->rotation));
}

// An engine that applies effective_force moves a body in the water as tarn does, with slamming, oscillation and
// rotation. Measured: 3e-8 m apart after two seconds, the rounding of float columns. Water with momentum
// receives the opposite of `force` of a kinematic body, which differs slightly from what the engine made
// of it: two millimetres. (In the air the free fall of tarn is exact and that of the engine is not.)
static void hosts_move_bodies_as_tarn_does(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * COUNT(models); ++k) {
        tarn_body_def def = k & 1 ? flat_box(k & 2 ? 600 : 100) : ball(k & 2 ? 600 : 20);
        def.position = (tarn_vec3){0.1, k & 1 ? 1.08 : 1.2, 0}, def.velocity = (tarn_vec3){0.2, -0.5, 0.1};
        tarn_world *own = water(models[k / 4]), *host = water(models[k / 4]);
        const tarn_body_id a = put(own, def, 0), b = put(host, def, 1);
        tarn_body_state x, y = {def.position, def.rotation, def.velocity, def.angular_velocity};
        double most = 0.0;
        for (int n = 0; n < 2 * 240; ++n) {
            CHECK_OK(tarn_world_advance(own, STEP));
            CHECK_OK(tarn_body_get_state(own, a, &x));
            host_step(host, b, &y);
            most = fmax(most, v3_length(v3_sub(x.position, y.position)));
        }
        print_message("%s, %s of %g: at most %.2g m apart\n", models[k / 4], k & 1 ? "box" : "ball",
                      def.density, most);
        CHECK_NEAR(most, 0.0, k < 4 ? 1e-5 : 2e-3); // rounding errors grow slightly with every oscillation
        tarn_world_destroy(own), tarn_world_destroy(host);
    }
}

// Promise in tarn.h: bodies of any density are stable. With `force` the box would be thrown into the air
// at 10 kg/m^3.
static void light_bodies_of_another_engine_are_stable(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        tarn_world *w = water("wave");
        tarn_body_def def = k & 1 ? flat_box(k & 2 ? 10 : 2) : ball(k & 2 ? 10 : 2);
        def.position = (tarn_vec3){0.1, 1.6, 0}, def.rotation = quat_normalize((quat){1, 0.2, 0, 0.3});
        const tarn_body_id id = put(w, def, 1);
        tarn_body_state m = {def.position, def.rotation, def.velocity, def.angular_velocity};
        double high = 0.0, fast = 0.0;
        for (int n = 0; n < 12 * 240; ++n) {
            host_step(w, id, &m);
            if (n > 240) high = fmax(high, m.position.y);
            if (n > 10 * 240) fast = fmax(fast, fabs(m.velocity.y));
        }
        const double part = load_of(w, id).submerged_fraction;
        print_message("%s of %g: up to %.3f m, then |v_y| < %.2g m/s, submerged %.5f\n",
                      k & 1 ? "box" : "ball", def.density, high, fast, part);
        assert_true(high < 1.4); // it is not thrown into the air
        assert_true(fast < 5e-3);
        CHECK_NEAR(part, def.density / 1000.0, 0.02 * def.density / 1000.0);
        tarn_world_destroy(w);
    }
}

// ---- the water at points --------------------------------------------------------------------------

// In the middle and at the boundaries there is water; on dry land, outside and at NaN there is none.
static void points_on_land_and_outside_have_no_water(void **state)
{
    (void)state;
    const double x[] = {0.0, 0.31, -2.0, 2.0, -1.99, 1.9, 2.0001, NAN, INFINITY, 0.0},
                 z[] = {0.0, -0.77, -2.0, 2.0, 1.99, 0.0, 0.0, 0.0, 0.0, NAN};
    enum { POINTS = COUNT(x), DRY = 5, OUTSIDE = 6 };
    for (int beach = 0; beach < 2; ++beach) {
        struct world_setup d = shallow_world_def(40, 40, 0.1);
        d.fluid.shallow.level = 0.5;
        if (beach) add_bed(&d, TARN_BED_BEACH)->beach.slope = 0.5;
        tarn_world *w = shallow_world_create(&d);
        add_hump(w, 0.4, -0.6, 0.5, 0.1);
        run_for(w, 0.5);
        for (int i = 0; i < POINTS; ++i) {
            const tarn_surface s = tarn_world_get_surface(w, x[i], z[i]);
            if (i == DRY) assert_int_equal(s.wet, !beach);
            if (i >= OUTSIDE) assert_true(!s.wet && s.height == 0.0 && s.normal.y == 0.0); // the rest is 0
        }
        tarn_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinematic_bodies_report_the_load_of_free_bodies),
        cmocka_unit_test(kinematic_bodies_report_full_load),
        cmocka_unit_test(loads_are_saved),
        cmocka_unit_test(hosts_move_bodies_as_tarn_does),
        cmocka_unit_test(light_bodies_of_another_engine_are_stable),
        cmocka_unit_test(points_on_land_and_outside_have_no_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
