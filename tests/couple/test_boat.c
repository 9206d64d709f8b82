// Open hulls: dry, flooding, sinking, floating awash; propellers and rudders; the method `triangles`.
#include "body_def.h"
#include "body_queries.h"
#include "memory_stream.h"
#include "shallow_world.h"

#define RHO 1000.0

static const char *const models[] = {"wave", "shallow"};
static const char *const periodic[4] = {"periodic", "periodic", "periodic", "periodic"};

static const char *const open[4] = {"open", "open", "open", "open"};

static tarn_world *sea(const char *model, int n, double wide, double depth, const char *const side[4],
                       tarn_coupling_method coupling)
{
    struct world_setup def = world_setup_of(model);
    def.world.coupling = coupling;
    def.fluid.shallow.size = (tarn_vec2){wide, wide};
    def.fluid.shallow.cells[0] = n, def.fluid.shallow.cells[1] = n;
    def.fluid.shallow.depth = depth;
    if (side) shallow_set_boundaries(&def, side);
    return shallow_world_create(&def);
}

// A punt of 2 x 0.5 x 1 m with walls of 3 cm.
static tarn_body_def punt(double density, double y)
{
    tarn_body_def def = body_def("box");
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(2, 0.5, 1), NULL));
    CHECK_OK(set_shape(&def, "wall_thickness", tarn_value_number(0.03), NULL));
    def.density = density, def.position = (tarn_vec3){0.03, y, 0.02};
    return def;
}

static const double walls = 2 * 0.5 * 1 - 1.94 * 0.47 * 0.94; // [m^3]

// A dry punt floats at the draft of its hull, with walls of lead or wood.
static void open_hulls_are_dry(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        tarn_world *w = sea(models[k % 2], 48, 6, 2, open, TARN_COUPLING_AUTOMATIC);
        tarn_body_def def = punt(k < 2 ? 500 : 2700, 2.1);
        tarn_body_id id;
        CHECK_OK(tarn_body_create(w, &def, &id, NULL));
        run_for(w, 20);
        const tarn_load l = load_of(w, id);
        CHECK_NEAR(l.submerged_volume, walls * def.density / RHO, 0.002 * walls * def.density / RHO);
        assert_true(l.hold_volume == 0.0);
        tarn_world_destroy(w);
    }
}

// A punt that is pushed under floods. If it is made of metal it sinks; if it is made of wood it floats
// awash: the submerged wood carries the rest. No water is lost.
static void hulls_below_the_surface_fill(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        tarn_world *w = sea(models[k % 2], 32, 6, 2, k < 2 ? NULL : open, TARN_COUPLING_AUTOMATIC);
        tarn_body_def def = punt(k < 2 ? 7800 : 500, k < 2 ? 1.8 : 0.6);
        tarn_body_id id;
        CHECK_OK(tarn_body_create(w, &def, &id, NULL));
        run_for(w, 40);
        const tarn_load l = load_of(w, id);
        const tarn_body_state m = motion_of(w, id);
        const tarn_ledger ledger = tarn_world_get_ledger(w);
        print_message("%s, %.0f kg/m^3: %.4f m^3 inside of %.4f, centre at %.3f m\n", models[k % 2],
                      def.density, l.hold_volume, 1 - walls, m.position.y);
        if (k < 2) {
            assert_true(m.position.y < 0.3);
            CHECK_NEAR(l.hold_volume, 1 - walls, 1e-3);
        } else {
            assert_true(l.hold_volume > 0.5 && m.position.y > 1.5);
            CHECK_NEAR(RHO * l.submerged_volume, walls * def.density + RHO * l.hold_volume, 5.0);
        }
        CHECK_NEAR(ledger.volume_in_hulls, l.hold_volume, 1e-12);
        assert_true(fabs(ledger.volume_error) <= (k % 2 ? 0.0 : 1e-6 * ledger.volume));
        tarn_world_destroy(w);
    }
}

// A flooded punt that is turned over in the air loses its floodwater.
static void lifted_hulls_drain(void **state)
{
    (void)state;
    tarn_world *w = sea("shallow", 32, 6, 2, NULL, TARN_COUPLING_AUTOMATIC);
    tarn_body_def def = punt(7800, 1.4);
    tarn_body_id id;
    def.type = TARN_BODY_KINEMATIC;
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    run_for(w, 3);
    print_message("%.3f m^3 inside\n", load_of(w, id).hold_volume);
    assert_true(load_of(w, id).hold_volume > 0.8);
    tarn_body_state m = motion_of(w, id);
    m.position.y = 3.5, m.rotation = (tarn_quat){0, 1, 0, 0};
    CHECK_OK(tarn_body_set_state(w, id, &m));
    run_for(w, 6);
    assert_true(load_of(w, id).hold_volume < 0.01); // the last film drains slowly
    assert_true(tarn_world_get_ledger(w).volume_error == 0.0);
    tarn_world_destroy(w);
}

// Floodwater is part of a checkpoint.
static void floodwater_is_saved(void **state)
{
    (void)state;
    tarn_world *w = sea("shallow", 32, 6, 2, NULL, TARN_COUPLING_AUTOMATIC), *twin = NULL;
    tarn_body_def def = punt(2000, 1.6);
    tarn_body_id id;
    struct memory_stream b = {0};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    run_for(w, 1);
    assert_true(load_of(w, id).hold_volume > 0.001);
    CHECK_OK(tarn_world_save(w, stream_write, &b));
    CHECK_OK(tarn_world_load(stream_read, &b, NULL, &twin, NULL));
    run_for(w, 1), run_for(twin, 1);
    assert_true(tarn_world_hash(w) == tarn_world_hash(twin));
    tarn_world_destroy(w);
    tarn_world_destroy(twin);
}

static tarn_body_def ship(double angle)
{
    tarn_body_def def = body_def("wigley");
    CHECK_OK(set_shape(&def, "length", tarn_value_number(3), NULL));
    CHECK_OK(set_shape(&def, "breadth", tarn_value_number(0.6), NULL));
    CHECK_OK(set_shape(&def, "draft", tarn_value_number(0.3), NULL));
    CHECK_OK(set_shape(&def, "freeboard", tarn_value_number(0.2), NULL));
    def.density = 350, def.position = (tarn_vec3){0, 2, 0};
    def.thruster.force = 100, def.thruster.position = (tarn_vec3){-1.4, -0.15, 0};
    def.rudder.angle = angle * (PI / 180.0), def.rudder.area = 0.03,
    def.rudder.position = (tarn_vec3){-1.5, -0.15, 0};
    return def;
}

// A propeller drives a ship along its keel; the rudder turns it to both sides alike; the water receives
// the opposite momentum.
static void thrusters_drive_and_rudders_turn_ships(void **state)
{
    (void)state;
    double turned[3];
    for (int k = 0; k < 3; ++k) {
        tarn_world *w = sea("shallow", 64, 16, 2, periodic, TARN_COUPLING_AUTOMATIC);
        const tarn_body_def def = ship(k == 1 ? 0 : k == 0 ? -20 : 20);
        tarn_body_id id;
        CHECK_OK(tarn_body_create(w, &def, &id, NULL));
        run_for(w, 6);
        const tarn_body_state m = motion_of(w, id);
        const tarn_quat q = m.rotation;
        const double bow_x = 1 - 2 * (q.y * q.y + q.z * q.z), bow_z = 2 * (q.x * q.z - q.w * q.y);
        turned[k] = atan2(bow_z, bow_x);
        print_message("rudder at %+.0f degrees: bow turned by %+.3f rad, %.2f m/s\n",
                      def.rudder.angle * (180.0 / PI), turned[k], v3_length(m.velocity));
        assert_true(v3_length(m.velocity) > 0.5);
        const tarn_ledger l = tarn_world_get_ledger(w);
        const tarn_vec3 p = v3_add(v3_add(l.momentum_bodies, l.momentum_water), l.momentum_unresolved);
        assert_true(hypot(p.x, p.z) < 1e-5 * v3_length(l.momentum_bodies));
        assert_true(hypot(l.momentum_unresolved.x, l.momentum_unresolved.z) <
                    1e-3 * v3_length(l.momentum_bodies));
        tarn_world_destroy(w);
    }
    assert_true(fabs(turned[1]) < 0.02 && turned[2] > 0.3);
    CHECK_NEAR(turned[0], -turned[2], 0.05 * turned[2]);
}

// The force on a kinematic hull is the sum of its shares, for every method; slamming is there while it enters
// the water, and thruster and rudder while they are below the surface.
static void loads_are_sums_of_their_shares(void **state)
{
    static const char *const kinds[] = {"wave", "shallow", "implicit"};
    (void)state;
    for (int k = 0; k < 3; ++k) {
        tarn_world *w = sea(kinds[k], 32, 6, 2, NULL, TARN_COUPLING_AUTOMATIC);
        tarn_body_def def = punt(2000, 2.6);
        tarn_body_id id;
        double slamming = 0.0;
        def.type = TARN_BODY_KINEMATIC, def.velocity = (tarn_vec3){0.6, -1.0, 0.1};
        def.thruster = (tarn_thruster){.force = 100.0, .position = {-0.3, -0.4, 0}};
        def.rudder = (tarn_rudder){.angle = 0.4, .area = 0.05, .position = {-0.4, -0.4, 0}};
        CHECK_OK(tarn_body_create(w, &def, &id, NULL));
        for (int n = 0; n < 90; ++n) {
            CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
            const tarn_load l = load_of(w, id);
            const tarn_vec3 share[] = {l.buoyancy, l.drag,   l.lift,      l.slamming,
                                       l.thruster, l.rudder, l.floodwater};
            tarn_vec3 sum = {0, 0, 0};
            for (int i = 0; i < COUNT(share); ++i) sum = v3_add(sum, share[i]);
            CHECK_NEAR(v3_length(v3_sub(sum, l.force)), 0.0, 1e-9 * (v3_length(l.force) + 1000.0));
            slamming = fmax(slamming, l.slamming.y);
        }
        const tarn_load l = load_of(w, id);
        assert_true(slamming > 10.0 && l.thruster.x == 100.0 && v3_length(l.rudder) > 1.0);
        assert_true(l.floodwater.y < -10.0); // over the rim
        tarn_world_destroy(w);
    }
}

// Propeller and rudder can be changed in a running world.
static void ships_can_be_steered(void **state)
{
    (void)state;
    tarn_world *w = sea("wave", 32, 8, 2, periodic, TARN_COUPLING_AUTOMATIC);
    tarn_body_def def = ship(0);
    tarn_body_id id;
    tarn_value value;
    def.thruster.force = 0;
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    CHECK_OK(tarn_world_set_param(w, "bodies[0].thruster.force", tarn_value_number(-50), NULL));
    CHECK_OK(tarn_world_get_param(w, "bodies[0].thruster.force", &value));
    run_for(w, 3);
    assert_true(motion_of(w, id).velocity.x < -0.1);
    assert_int_equal(tarn_world_set_param(w, "bodies[0].density", tarn_value_number(5), NULL),
                     TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_set_param(w, "bodies[1].thruster.force", tarn_value_number(5), NULL),
                     TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_set_param(w, "bodies[0].rudder.angle", tarn_value_number(91), NULL),
                     TARN_BAD_INPUT);
    tarn_world_destroy(w);
}

static tarn_body_id put_at(tarn_world *w, const char *shape, tarn_vec3 size, double density, tarn_vec3 at)
{
    tarn_body_def def = body_def(shape);
    tarn_body_id id;
    if (strcmp(shape, "box") == 0) {
        CHECK_OK(set_shape(&def, "size", tarn_value_vec3(size.x, size.y, size.z), NULL));
    } else {
        CHECK_OK(set_shape(&def, "radius", tarn_value_number(0.5 * size.y), NULL));
        CHECK_OK(set_shape(&def, "height", tarn_value_number(size.x), NULL));
        def.rotation = (tarn_quat){sqrt(0.5), 0, 0, sqrt(0.5)};
    }
    def.density = density, def.position = at;
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

// Eight logs pinned to two light beams above them, with a chest on top: the beams fall over between their
// pins, and nothing is thrown away. (With too few iterations of the joint solver the logs were thrown
// eight metres high.)
static void rafts_stay_together_and_bounded(void **state)
{
    (void)state;
    tarn_world *w = sea("wave", 96, 6, 1.2, NULL, TARN_COUPLING_AUTOMATIC);
    const tarn_body_id beams[2] = {
        put_at(w, "box", (tarn_vec3){0.16, 0.1, 2.4}, 500, (tarn_vec3){-1.05, 1.39, 0}),
        put_at(w, "box", (tarn_vec3){0.16, 0.1, 2.4}, 500, (tarn_vec3){1.05, 1.39, 0})};
    for (int i = 0; i < 8; ++i) {
        const double z = -0.98 + 0.28 * i;
        const tarn_body_id log =
            put_at(w, "cylinder", (tarn_vec3){2.8, 0.28, 0}, 330, (tarn_vec3){0, 1.2, z});
        for (int k = 0; k < 2; ++k) {
            tarn_joint_def pin = tarn_default_joint_def(TARN_JOINT_BALL);
            tarn_joint_id joint;
            pin.body_a = log, pin.body_b = beams[k], pin.anchor_a = (tarn_vec3){k ? 1.05 : -1.05, 1.2, z};
            CHECK_OK(tarn_joint_create(w, &pin, &joint, NULL));
        }
    }
    put_at(w, "box", (tarn_vec3){0.6, 0.4, 0.45}, 300, (tarn_vec3){-0.3, 1.54, -0.55});
    double fastest = 0.0;
    for (int n = 0; n < 300; ++n) {
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        for (int i = 0; i < 11; ++i)
            fastest = fmax(fastest, v3_length(motion_of(w, tarn_body_at(w, i)).velocity));
    }
    print_message("the fastest part of the raft: %.2f m/s\n", fastest);
    assert_true(fastest < 2.0); // a fall from 0.2 m
    tarn_world_destroy(w);
}

// The method `triangles` makes waves, runs on, and counts the volume that it adds or loses.
static void triangles_count_their_volume(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = sea(models[k], 48, 6, 1, NULL, TARN_COUPLING_TRIANGLES);
        tarn_body_def def = body_def("sphere");
        tarn_body_id id;
        def.density = 500, def.position.y = 2;
        CHECK_OK(tarn_body_create(w, &def, &id, NULL));
        run_for(w, 0.6);
        assert_true(fabs(tarn_world_get_surface(w, 0.6, 0).height - 1) > 1e-3);
        run_for(w, 10);
        const tarn_ledger l = tarn_world_get_ledger(w);
        print_message("%s: %+.2g m^3 made by triangles\n", models[k], -l.volume_displaced);
        assert_true(l.volume_displaced != 0.0);
        assert_true(fabs(l.volume_error) <= (k ? 0.0 : 1e-6 * l.volume));
        double mean = 0.0;
        for (int n = 0; n < 120; ++n, run_for(w, 1.0 / 60.0))
            mean += load_of(w, id).submerged_fraction / 120.0;
        CHECK_NEAR(mean, 0.5, 0.02);
        tarn_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_hulls_are_dry),
        cmocka_unit_test(hulls_below_the_surface_fill),
        cmocka_unit_test(lifted_hulls_drain),
        cmocka_unit_test(floodwater_is_saved),
        cmocka_unit_test(thrusters_drive_and_rudders_turn_ships),
        cmocka_unit_test(loads_are_sums_of_their_shares),
        cmocka_unit_test(ships_can_be_steered),
        cmocka_unit_test(triangles_count_their_volume),
        cmocka_unit_test(rafts_stay_together_and_bounded),
    };
    return cmocka_run_group_tests_name("boat", tests, NULL, NULL);
}
