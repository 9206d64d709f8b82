// Obstacles of the planar model: paths, bitmaps, removal, and errors with their messages.
#include "body_def.h"
#include "first_obstacle.h"
#include "flow_world.h"
#include "memory_stream.h"

#include "base/math/math.h"

#include <stdio.h>

static struct world_setup domain(int nx, int ny)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    def.fluid.flow.size = (tarn_vec2){nx / 16.0, ny / 16.0};
    def.fluid.flow.cells[0] = nx, def.fluid.flow.cells[1] = ny;
    def.fluid.flow.viscosity = 1e-3;
    def.world.dt = 0.0625; // sixteen steps a second, exactly
    return def;
}

static void run(tarn_world *w, int steps)
{
    for (int n = 0; n < steps; ++n)
        if (tarn_world_advance(w, 0.0625) != TARN_OK) fail_msg("step %d: %s", n, tarn_world_get_failure(w));
}

static tarn_world *copy(const tarn_world *w)
{
    static struct memory_stream b;
    tarn_world *again = NULL;
    b.size = b.at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, &b));
    CHECK_OK(tarn_world_load(stream_read, &b, NULL, &again, NULL));
    return again;
}

static tarn_obstacle_load load_of(const tarn_world *w)
{
    tarn_obstacle_load l;
    CHECK_OK(tarn_obstacle_get_load(w, first_obstacle(w), &l));
    return l;
}

// ---- paths ----------------------------------------------------------------------------------------------

// East while it rotates, north, and back to the start; 2 s, beginning at 0.5 s.
static tarn_obstacle_def wanderer(bool repeat)
{
    static const tarn_waypoint points[] = {{0.5, {0.25, 0.25}, 0},
                                           {1.0, {0.5, 0.25}, PI / 2},
                                           {2.0, {0.5, 0.75}, PI / 2},
                                           {2.5, {0.25, 0.25}, 0}};
    tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    o.box.size = (tarn_vec2){0.25, 0.125};
    o.motion.path = (tarn_path){points, COUNT(points), repeat};
    o.motion.position.x = 0.9, o.motion.velocity.x = 3.0; // a path is instead of these
    return o;
}

// Positions and velocities computed by hand; all are sums of powers of two. Velocities are those of the last
// step.
static void obstacles_follow_their_paths(void **state)
{
    static const struct {
        double time, x, y, angle, u, v, spin;
    } want[] = {
        {0.0625, 0.25, 0.25, 0, 0, 0, 0},     // it waits for the first row
        {0.5, 0.25, 0.25, 0, 0, 0, 0},        //
        {0.75, 0.375, 0.25, 45, 0.5, 0, 180}, // half of the first leg
        {1.0, 0.5, 0.25, 90, 0.5, 0, 180},    //
        {1.5, 0.5, 0.5, 90, 0, 0.5, 0},       // half of the second
        {2.25, 0.375, 0.5, 45, -0.5, -1, -180}, {2.5, 0.25, 0.25, 0, -0.5, -1, -180}, // the end of the path
        {2.75, 0.375, 0.25, 45, 0.5, 0, 180}, // and from here on the same every 2 s
        {3.5, 0.5, 0.5, 90, 0, 0.5, 0},         {4.25, 0.375, 0.5, 45, -0.5, -1, -180},
        {4.5, 0.25, 0.25, 0, -0.5, -1, -180},   {6.75, 0.375, 0.25, 45, 0.5, 0, 180},
    };
    (void)state;
    for (int repeat = 0; repeat < 2; ++repeat) {
        const struct world_setup def = domain(16, 16);
        const tarn_obstacle_def o = wanderer(repeat);
        tarn_world *w = make(&def);
        put(w, &o);
        for (int k = 0, done = 0; k < COUNT(want); ++k) {
            const int steps = (int)(16.0 * want[k].time), over = !repeat && want[k].time > 2.5;
            run(w, steps - done);
            done = steps;
            const tarn_obstacle_load l = load_of(w);
            CHECK_NEAR(l.x, over ? 0.25 : want[k].x, 0.0); // without repeat it stays where the path ends
            CHECK_NEAR(l.y, over ? 0.25 : want[k].y, 0.0);
            CHECK_NEAR(l.u, over ? 0.0 : want[k].u, 0.0);
            CHECK_NEAR(l.v, over ? 0.0 : want[k].v, 0.0);
            CHECK_NEAR(l.angle, over ? 0.0 : want[k].angle * PI / 180.0, 1e-15); // rounding of one product
            CHECK_NEAR(l.angular_velocity, over ? 0.0 : want[k].spin * PI / 180.0,
                       1e-14);                                  // and of a difference over dt
            CHECK_NEAR(tarn_flow_get_divergence(w), 0.0, 1e-4); // the documented limit
        }
        tarn_world_destroy(w);
    }
}

// A world saved during the motion continues with the same bits: within the path, past its end and when it
// repeats.
static void obstacle_paths_continue_after_a_restart(void **state)
{
    const struct world_setup def = domain(16, 16);
    const tarn_obstacle_def o = wanderer(1);
    tarn_world *w = make(&def);
    (void)state;
    put(w, &o);
    run(w, 27);
    tarn_world *again = copy(w);
    assert_true(tarn_world_hash(w) == tarn_world_hash(again));
    const tarn_obstacle_load before = load_of(w), after = load_of(again); // of the last step
    CHECK_NEAR(after.force_x, before.force_x, 0.0);
    CHECK_NEAR(after.force_y, before.force_y, 0.0);
    CHECK_NEAR(after.friction_x, before.friction_x, 0.0);
    CHECK_NEAR(after.torque, before.torque, 0.0);
    for (int n = 0; n < 4; ++n) {
        run(w, 13);
        run(again, 13);
        const tarn_obstacle_load a = load_of(w), b = load_of(again);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(tarn_world_hash(w) == tarn_world_hash(again));
    }
    tarn_world_destroy(w);
    tarn_world_destroy(again);
}

static tarn_flow_sample dyed(void *ctx, double x, double y)
{
    (void)ctx, (void)x, (void)y;
    return (tarn_flow_sample){.dye = 1.0};
}

// ---- motion set by the program --------------------------------------------------------------------------

// A program that gives the obstacle the position and velocity of its path before every step changes no bit of
// the fluid. dt, the corners of the path and the angles in degrees are exact in binary.
static void steered_obstacles_move_as_on_a_path(void **state)
{
    const struct world_setup def = domain(16, 16);
    const tarn_obstacle_def o = wanderer(true);
    tarn_obstacle_def free = o;
    (void)state;
    free.motion.path.point_count = 0;
    tarn_world *w = make(&def), *steered = make(&def);
    put(w, &o);
    put(steered, &free);
    for (int n = 0; n < 40; ++n) {
        tarn_world *ahead = copy(w);
        run(ahead, 1);
        const tarn_obstacle_load now = load_of(w), then = load_of(ahead);
        tarn_world_destroy(ahead);
        const tarn_obstacle_motion motion = {.position = {now.x, now.y},
                                             .angle = now.angle,
                                             .velocity = {then.u, then.v},
                                             .angular_velocity = then.angular_velocity};
        CHECK_OK(tarn_obstacle_set_motion(steered, first_obstacle(steered), &motion, NULL));
        run(w, 1);
        run(steered, 1);
        if (tarn_world_hash_parts(w).fluid != tarn_world_hash_parts(steered).fluid)
            fail_msg("step %d: the fluid differs", n);
    }
    tarn_world_destroy(w);
    tarn_world_destroy(steered);
}

// What a program has set is saved: angles that are no decimal number of degrees to the last bit too.
static void set_motions_are_saved(void **state)
{
    static const tarn_waypoint points[] = {
        {0.0, {0.5, 0.5}, 1.0 / 3.0}, {0.3, {0.5, 0.6}, 0.1}, {0.7, {0.4, 0.5}, 3e5 / 7.0}};
    const struct world_setup def = domain(16, 16);
    tarn_obstacle_def o = wanderer(false), kept;
    tarn_obstacle_motion motion = {.position = {0.5, 0.5}, .angle = 2.0 / 3.0, .angular_velocity = 0.3};
    tarn_world *w = make(&def);
    (void)state;
    memcpy(o.name, "oar", 4);
    put(w, &o);
    const tarn_obstacle_id id = tarn_obstacle_find(w, "oar");
    for (int k = 0; k < 2; ++k) {
        run(w, 3);
        const double now = tarn_world_get_status(w).time;
        CHECK_OK(tarn_obstacle_set_motion(w, id, &motion, NULL));
        run(w, 2);
        tarn_world *again = copy(w);
        CHECK_OK(tarn_obstacle_get_def(again, id, &kept));
        assert_memory_equal(&kept.motion.angle, &motion.angle, sizeof motion.angle);
        CHECK_NEAR(kept.motion.start, now, 0.0);
        assert_int_equal(kept.motion.path.point_count, motion.path.point_count);
        if (k) assert_memory_equal(kept.motion.path.points, points, sizeof points);
        run(w, 5);
        run(again, 5);
        assert_true(tarn_world_hash(w) == tarn_world_hash(again));
        tarn_world_destroy(again);
        motion.path = (tarn_path){points, COUNT(points), true};
    }
    tarn_world_destroy(w);
}

// An obstacle that a program puts elsewhere leaves fluid behind with the dye of the fluid around it: uniform
// dye stays uniform to the rounding of floats, and the next step is free of divergence.
static void obstacles_may_be_put_elsewhere(void **state)
{
    const struct world_setup def = domain(32, 32);
    tarn_world *w = make(&def);
    tarn_frame f = {0};
    (void)state;
    double shift[2] = {0.0, 0.0};
    tarn_obstacle_def o = wanderer(false);
    o.motion = (tarn_obstacle_motion){.position = {0.5, 0.5}};
    put(w, &o);
    CHECK_OK(tarn_flow_set_fields(w, dyed, shift, NULL));
    run(w, 2);
    o.motion.position = (tarn_vec2){1.4, 1.2};
    CHECK_OK(tarn_obstacle_set_motion(w, first_obstacle(w), &o.motion, NULL));
    CHECK_NEAR(load_of(w).x, 1.4, 0.0);
    CHECK_NEAR(load_of(w).u, 0.0, 0.0); // put there, not moved there
    run(w, 1);
    CHECK_NEAR(tarn_flow_get_divergence(w), 0.0, 1e-4);
    CHECK_OK(tarn_world_get_frame(w, 1.0, &f));
    for (int c = 0; c < f.nx * f.nz; ++c)
        if (f.open[c] > 0.0f) CHECK_NEAR((double)f.dye[c], 1.0, 1e-5);
    tarn_frame_free(&f);
    tarn_world_destroy(w);
}

static void obstacle_ids_are_checked(void **state)
{
    const struct world_setup def = domain(16, 16);
    tarn_world *w = make(&def);
    tarn_obstacle_def o = wanderer(false), kept;
    tarn_obstacle_id id, ids[2];
    tarn_error err;
    (void)state;
    CHECK_OK(tarn_obstacle_create(w, &o, &id, &err));
    assert_true(tarn_obstacle_is_valid(w, id));
    assert_int_equal(tarn_world_get_obstacles(w, ids, 2), 1);
    assert_true(ids[0].value == id.value);
    assert_true(tarn_obstacle_find(w, "").value == 0);
    const tarn_obstacle_id wrong[] = {{0}, {1}, {id.value + 1}, {UINT64_MAX}};
    for (int k = 0; k < COUNT(wrong); ++k) {
        assert_false(tarn_obstacle_is_valid(w, wrong[k]));
        assert_int_equal(tarn_obstacle_get_def(w, wrong[k], &kept), TARN_BAD_ARGUMENT);
        assert_int_equal(tarn_obstacle_set_motion(w, wrong[k], &o.motion, NULL), TARN_BAD_ARGUMENT);
    }
    o.motion.velocity.x = NAN;
    const uint64_t before = tarn_world_hash(w);
    assert_int_equal(tarn_obstacle_set_motion(w, id, &o.motion, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "velocity");
    assert_true(tarn_world_hash(w) == before);
    tarn_world_destroy(w);
}

// ---- periodic sides ---------------------------------------------------------------------------------------

static tarn_flow_sample swirls(void *ctx, double x, double y)
{
    const double *shift = ctx, k = PI; // the domain is 2 m wide
    x -= shift[0], y -= shift[1];
    return (tarn_flow_sample){.u = 0.3 + 0.5 * sin(k * x) * cos(k * y),
                              .v = 0.2 - 0.5 * cos(k * x) * sin(k * y),
                              .dye = 0.5 + 0.5 * sin(k * x)};
}

// 32 x 32 cells, the first `n` boundaries periodic, with a uniform flow and eddies shifted by some metres.
static tarn_world *stream(const char *advection, int sides, double along, double up)
{
    double shift[2] = {along, up};
    struct world_setup def = domain(32, 32);
    for (int k = 0; k < sides; ++k) def.fluid.flow.boundary[k].type = TARN_FLOW_PERIODIC;
    def.fluid.flow.advection = flow_advection_of(advection);
    def.fluid.flow.divergence_tolerance = 1e-7; // the residual is not shifted
    tarn_world *w = make(&def);
    CHECK_OK(tarn_flow_set_fields(w, swirls, shift, NULL));
    return w;
}

// A rotating bar of 11 x 3 cells with velocity (u, -u/2); everything is shifted by `shift` in x and y.
static void stir(const char *advection, double u, double shift, tarn_frame *f, tarn_obstacle_load *l)
{
    tarn_world *w = stream(advection, 4, shift, shift);
    tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    o.box.size = (tarn_vec2){0.7, 0.2};
    o.motion.position.x = o.motion.position.y = fmod(1.0 + shift, 2.0);
    o.motion.velocity.x = u, o.motion.velocity.y = -0.5 * u;
    o.motion.angle = degrees_to_radians(20.0), o.motion.angular_velocity = 30.0 * PI / 180.0;
    put(w, &o);
    run(w, 12);
    *l = load_of(w);
    CHECK_OK(tarn_world_get_frame(w, 1.0, f));
    tarn_world_destroy(w);
}

// Frame b is frame a shifted by some cells, up to rounding of floats in each of 12 steps. `open`: tolerance
// of open fractions.
static void check_moved(const tarn_frame *a, const tarn_frame *b, int along, int up, double open, bool dye)
{
    for (int c = 0; c < 32 * 32; ++c) {
        const int at = (c / 32 + up) % 32 * 32 + (c % 32 + along) % 32;
        CHECK_NEAR(b->open[at], a->open[c], open);
        CHECK_NEAR(b->velocity_x[at], a->velocity_x[c], 2e-6);
        CHECK_NEAR(b->velocity_z[at], a->velocity_z[c], 2e-6);
        if (dye) CHECK_NEAR(b->dye[at], a->dye[c], 2e-6);
    }
}

// Results do not depend on where periodic boundaries are: with an obstacle away from them (8 cells), near
// them (11), across one (13) or across a corner (16), or with one that passes through. In that last case with
// `conservative` the dye is not compared: covered and fresh cells pass it on in the order of cells, which
// begins at the south-west corner.
static void periodic_boundaries_are_translation_invariant(void **state)
{
    static const char *const advections[] = {"maccormack", "semi-lagrangian", "conservative"};
    static const int cells[] = {8, 11, 13, 16};
    (void)state;
    for (int k = 0; k < 2 * COUNT(advections); ++k) {
        const char *advection = advections[k / 2];
        const double u = k % 2 ? 1.5 : 0.0; // [m/s] 1.1 m in all
        tarn_frame f[2];
        tarn_obstacle_load l[2];
        memset(f, 0, sizeof f);
        stir(advection, u, 0.0, &f[0], &l[0]);
        const double force = hypot(l[0].force_x, l[0].force_y);
        for (int n = 0; n < COUNT(cells); ++n) {
            stir(advection, u, cells[n] / 16.0, &f[1], &l[1]);
            check_moved(&f[0], &f[1], cells[n], cells[n], 1e-6, k / 2 < 2 || k % 2 == 0);
            CHECK_NEAR(l[1].force_x, l[0].force_x, 1e-5 * force);
            CHECK_NEAR(l[1].force_y, l[0].force_y, 1e-5 * force);
            CHECK_NEAR(l[1].torque, l[0].torque, 1e-5 * force * 0.35); // half of its length
        }
        tarn_frame_free(&f[0]);
        tarn_frame_free(&f[1]);
    }
}

// The whole cells of a `staircase` obstacle are the same across periodic boundaries.
static void staircase_obstacles_are_equal_across_periodic_boundaries(void **state)
{
    tarn_frame f[2];
    (void)state;
    memset(f, 0, sizeof f);
    for (int n = 0; n < 2; ++n) {
        tarn_world *w = stream("conservative", 4, 0.0, 0.0);
        tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
        o.box.size = (tarn_vec2){0.7, 0.2};
        o.motion.position.x = o.motion.position.y = n ? 0.0 : 1.0;
        o.motion.angle = degrees_to_radians(20.0), o.boundary = TARN_OBSTACLE_STAIRCASE;
        put(w, &o);
        CHECK_OK(tarn_world_get_frame(w, 1.0, &f[n]));
        run(w, 12);
        CHECK_NEAR(tarn_flow_get_divergence(w), 0.0, 1e-4); // the documented limit
        tarn_world_destroy(w);
    }
    for (int c = 0; c < 32 * 32; ++c)
        CHECK_NEAR(f[1].open[(c / 32 + 16) % 32 * 32 + (c + 16) % 32], f[0].open[c], 0.0);
    tarn_frame_free(&f[0]);
    tarn_frame_free(&f[1]);
}

// A bar that the fluid carries to the east, between walls in the south and north, all of it moved by `shift`
// along them.
static void float_along(const char *advection, double shift, tarn_frame *f)
{
    tarn_world *w = stream(advection, 2, shift, 0.0);
    tarn_body_def d = body_def("box");
    tarn_body_id body;
    CHECK_OK(set_shape(&d, "size", tarn_value_vec3(0.7, 0.2, 1.0), NULL));
    d.position = (tarn_vec3){fmod(1.0 + shift, 2.0), 1.0, 0.0};
    d.velocity = (tarn_vec3){0.4, 0.0, 0.0};
    d.angular_velocity = (tarn_vec3){0.0, 0.0, 1.0};
    CHECK_OK(tarn_body_create(w, &d, &body, NULL));
    run(w, 12);
    CHECK_OK(tarn_world_get_frame(w, 1.0, f));
    tarn_world_destroy(w);
}

// The same for bodies; shifted by 15 cells, one of them leaves in the east and enters again in the west.
static void bodies_pass_periodic_boundaries(void **state)
{
    static const char *const advections[] = {"maccormack", "semi-lagrangian", "conservative"};
    static const int cells[] = {8, 11, 13, 15, 16};
    const double open =
        2e-6 * 0.75 * 16.0; // [cells] that a body with roundings of speeds may be elsewhere after 0.75 s
    (void)state;
    for (int k = 0; k < COUNT(advections); ++k) {
        tarn_frame f[2];
        memset(f, 0, sizeof f);
        float_along(advections[k], 0.0, &f[0]);
        for (int n = 0; n < COUNT(cells); ++n) {
            float_along(advections[k], cells[n] / 16.0, &f[1]);
            check_moved(&f[0], &f[1], cells[n], 0, open, k < 2);
        }
        tarn_frame_free(&f[0]);
        tarn_frame_free(&f[1]);
    }
}

// A bar pushes a disc across the periodic boundary, also if it started two domains away.
static void moving_bars_push_discs(void **state)
{
    (void)state;
    for (int n = 0; n < 2; ++n) {
        struct world_setup def = domain(32, 32);
        tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
        tarn_body_def d = body_def("circle");
        tarn_body_id body;
        def.world.gravity = 0.001; // it stays in the middle
        def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_PERIODIC;
        def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_PERIODIC;
        tarn_world *w = make(&def);
        o.box.size = (tarn_vec2){0.2, 0.6};
        o.motion.position.x = 0.6 + 4.0 * n, o.motion.position.y = 1.0, o.motion.velocity.x = 0.5;
        put(w, &o);
        CHECK_OK(set_shape(&d, "radius", tarn_value_number(0.1), NULL));
        d.position = (tarn_vec3){1.1, 1.0, 0.0}, d.velocity.x = -1.0;
        d.density = 3000.0; // heavier than the added mass of the bar
        CHECK_OK(tarn_body_create(w, &d, &body, NULL));
        for (int k = 0; k < 5; ++k) { // 2.5 m in all
            tarn_body_state m;
            run(w, 16);
            CHECK_OK(tarn_body_get_state(w, body, &m));
            const double ahead = fmod(m.position.x - load_of(w).x + 8.0, 2.0);
            assert_true(0.199 < ahead && ahead < 0.25); // they touch at 0.2 m
        }
        tarn_world_destroy(w);
    }
}

// ---- maps -----------------------------------------------------------------------------------------------

enum { MAP_X = 7, MAP_Y = 11 }; // 77 cells: two words of a checkpoint and a part of a third

static void map_make(unsigned char map[MAP_X * MAP_Y])
{
    for (int c = 0; c < MAP_X * MAP_Y; ++c) map[c] = c * c % 7 < 3 ? (unsigned char)(c + 1) : 0;
}

// Every cell of a map is two by two cells of the grid: closed where the map is solid, and fluid elsewhere.
// (Simpson's rule takes a twelfth of a cell for every side that lies on a solid one.)
static void check_open(const tarn_world *w, const unsigned char *map)
{
    tarn_frame f = {0};
    CHECK_OK(tarn_world_get_frame(w, 1.0, &f));
    for (int j = 0; j < 2 * MAP_Y; ++j)
        for (int i = 0; i < 2 * MAP_X; ++i) {
            const float open = f.open[j * 2 * MAP_X + i];
            assert_true(map[j / 2 * MAP_X + i / 2] ? open == 0.0f : open > 0.66f);
        }
    tarn_frame_free(&f);
}

static void maps_are_saved(void **state)
{
    unsigned char map[MAP_X * MAP_Y];
    struct world_setup def = domain(2 * MAP_X, 2 * MAP_Y);
    tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_BITMAP);
    (void)state;
    def.fluid.flow.boundary[TARN_NORTH].wall_speed = 0.5;
    tarn_world *w = make(&def);
    map_make(map);
    o.bitmap = (tarn_obstacle_bitmap){{MAP_X / 8.0, MAP_Y / 8.0}, map, MAP_X, MAP_Y};
    put(w, &o);
    run(w, 3);
    check_open(w, map);
    tarn_world *again = copy(w);
    check_open(again, map);
    for (int n = 0; n < 3; ++n) {
        assert_true(tarn_world_hash(w) == tarn_world_hash(again));
        run(w, 5);
        run(again, 5);
    }
    check_open(again, map);
    tarn_world_destroy(w);
    tarn_world_destroy(again);
}

// ---- removed bodies -------------------------------------------------------------------------------------

static tarn_body_id disc(tarn_world *w, double density, double x, double y)
{
    tarn_body_def def = body_def("circle");
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(0.15), NULL));
    def.density = density;
    def.position = (tarn_vec3){x, y, 0};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

// A stream from west to east.
static tarn_world *channel(void)
{
    struct world_setup def = domain(32, 16);
    def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_INFLOW;
    def.fluid.flow.boundary[TARN_WEST].inflow_speed = 0.5;
    def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
    return make(&def);
}

// A body that was removed before the first step leaves no trace in the stream.
static void removed_bodies_leave_no_trace(void **state)
{
    tarn_world *w[2] = {channel(), channel()};
    tarn_frame f[2];
    (void)state;
    memset(f, 0, sizeof f);
    CHECK_OK(tarn_body_destroy(w[1], disc(w[1], 2000.0, 0.7, 0.5)));
    for (int k = 0; k < 2; ++k) {
        run(w[k], 10);
        CHECK_OK(tarn_world_get_frame(w[k], 1.0, &f[k]));
        tarn_world_destroy(w[k]);
    }
    assert_int_equal(f[1].body_count, 0);
    const size_t bytes = sizeof(float) * (size_t)f[0].nx * (size_t)f[0].nz;
    assert_memory_equal(f[0].velocity_x, f[1].velocity_x, bytes);
    assert_memory_equal(f[0].velocity_z, f[1].velocity_z, bytes);
    assert_memory_equal(f[0].pressure, f[1].pressure, bytes);
    assert_memory_equal(f[0].open, f[1].open, bytes);
    for (int k = 0; k < 2; ++k) tarn_frame_free(&f[k]);
}

// One of two bodies is removed during the run: its cells are fluid again, its id is stale, the other
// continues, a new one can be created, and all of this is saved.
static void worlds_continue_after_removing_a_body(void **state)
{
    tarn_world *w = channel();
    tarn_body_state m;
    (void)state;
    const tarn_body_id first = disc(w, 2000.0, 0.7, 0.5), other = disc(w, 1000.0, 1.4, 0.5);
    run(w, 6);
    CHECK_OK(tarn_body_get_state(w, other, &m));
    const double before = m.position.x;
    CHECK_OK(tarn_body_destroy(w, first));
    assert_int_equal(tarn_body_destroy(w, first), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_body_get_state(w, first, &m), TARN_BAD_ARGUMENT);
    tarn_frame f = {0};
    run(w, 4);
    CHECK_OK(tarn_world_get_frame(w, 1.0, &f));
    assert_int_equal(f.body_count, 1);
    double closed = 0.0; // sum over all cells: the area of one disc
    for (int c = 0; c < f.nx * f.nz; ++c) closed += (1.0 - f.open[c]) * f.cell_size * f.cell_size;
    CHECK_NEAR(closed, PI * 0.15 * 0.15, 0.05 * PI * 0.15 * 0.15); // corners of the cut cells, 5 cells across
    CHECK_OK(tarn_body_get_state(w, other, &m));
    assert_true(m.position.x > before);
    CHECK_NEAR(tarn_flow_get_divergence(w), 0.0, 1e-4);
    const tarn_body_id third = disc(w, 500.0, 0.5, 0.4);
    tarn_world *again = copy(w);
    run(w, 6);
    run(again, 6);
    assert_true(tarn_world_hash(w) == tarn_world_hash(again));
    CHECK_OK(tarn_body_get_state(again, third, &m));
    tarn_frame_free(&f);
    tarn_world_destroy(w);
    tarn_world_destroy(again);
}

// The application may move a planar body: it stays in the plane, its new cells are solid and its old ones
// fluid.
static void bodies_are_moved_in_their_plane(void **state)
{
    const struct world_setup def = domain(32, 32);
    tarn_world *w = make(&def);
    (void)state;
    const tarn_body_id id = disc(w, 1000.0, 0.6, 0.6);
    const tarn_body_state there = {{1.4, 1.2, 0.5}, {0.8, 0, 0.36, 0.48}, {0, 0, 4}, {1, 2, 3}};
    tarn_body_state m;
    tarn_frame f = {0};
    run(w, 2);
    CHECK_OK(tarn_body_set_state(w, id, &there));
    CHECK_OK(tarn_body_get_state(w, id, &m));
    assert_true(m.position.x == 1.4 && m.position.y == 1.2 && m.position.z == 0.0);
    assert_true(m.velocity.z == 0.0 && m.angular_velocity.x == 0.0 && m.angular_velocity.y == 0.0);
    CHECK_NEAR(m.angular_velocity.z, 3.0, 1e-12);
    assert_true(m.rotation.x == 0.0 && m.rotation.y == 0.0);
    run(w, 1);
    CHECK_OK(tarn_world_get_frame(w, 1.0, &f));
    assert_true(f.open[9 * 32 + 9] == 1.0f && f.open[19 * 32 + 22] == 0.0f); // the cells of the two places
    CHECK_NEAR(tarn_flow_get_divergence(w), 0.0, 1e-4);
    tarn_frame_free(&f);
    tarn_world_destroy(w);
}

// There may be 4096 bodies; another one is rejected, and the others stay.
static void number_of_bodies_is_limited(void **state)
{
    const struct world_setup def = domain(32, 32);
    tarn_world *w = make(&def);
    tarn_body_def body = body_def("circle");
    tarn_body_id id;
    tarn_error err = {0};
    (void)state;
    CHECK_OK(set_shape(&body, "radius", tarn_value_number(0.001), NULL));
    for (int n = 0; n <= 4096; ++n) {
        body.position = (tarn_vec3){(n % 64 + 0.5) / 32.0, (n / 64 + 0.5) / 33.0, 0};
        assert_int_equal(tarn_body_create(w, &body, &id, &err), n < 4096 ? TARN_OK : TARN_BAD_INPUT);
    }
    assert_string_equal(err.message, "too many bodies in the model flow (limit 4096)");
    assert_int_equal(id.value, 0);
    assert_int_equal((int)(uint32_t)tarn_body_at(w, 4095).value, 4095);
    assert_int_equal(tarn_body_at(w, 4096).value, 0);
    CHECK_OK(tarn_body_destroy(w, tarn_body_at(w, 7))); // a removed body frees a place below the limit
    CHECK_OK(tarn_body_create(w, &body, &id, &err));
    tarn_world_destroy(w);
}

static void refuse_obstacle(tarn_world *w, const tarn_obstacle_def *o, const char *key, const char *words)
{
    tarn_error err = {0};
    assert_int_equal(tarn_obstacle_create(w, o, NULL, &err), TARN_BAD_INPUT);
    if (strcmp(err.key, key) != 0 || !strstr(err.message, words))
        fail_msg("expected %s: %s\n     but got %s: %s", key, words, err.key, err.message);
}

static void obstacle_errors_are_reported(void **state)
{
    static const unsigned char map[4] = {1, 0, 0, 1};
    const struct world_setup def = domain(16, 16), pond_def = world_setup(TARN_FLUID_WAVE);
    tarn_world *w = make(&def), *wave_world = make(&pond_def);
    (void)state;
    tarn_obstacle_def o = wanderer(0);
    tarn_waypoint late[4];
    memcpy(late, o.motion.path.points, sizeof late);
    o.motion.path.points = late, late[2].time = 1.0;
    refuse_obstacle(w, &o, "path", "times must increase: 1 s is followed by 1 s");
    o = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    refuse_obstacle(wave_world, &o, "kind",
                    "obstacles are not available in the model 'wave'; use bodies of type static");
    o = tarn_default_obstacle_def((tarn_obstacle_type)4);
    assert_int_equal(tarn_obstacle_create(w, &o, NULL, NULL), TARN_BAD_ARGUMENT);
    o = tarn_default_obstacle_def(TARN_OBSTACLE_BITMAP);
    refuse_obstacle(w, &o, "bitmap", "expected 1 to 4096 cells along x and along y");
    o.bitmap = (tarn_obstacle_bitmap){{1, 1}, map, 2, TARN_MAX_BITMAP_SIDE + 1};
    refuse_obstacle(w, &o, "bitmap", "expected 1 to 4096 cells");
    o.bitmap.nx = 0, o.bitmap.ny = 2;
    refuse_obstacle(w, &o, "bitmap", "expected 1 to 4096 cells");
    o.bitmap.nx = 2;
    const tarn_obstacle_def good = o;
    o.motion.angle = 1.0;
    refuse_obstacle(w, &o, "", "a bitmap cannot rotate or move");
    o = good, o.motion.angular_velocity = 1.0;
    refuse_obstacle(w, &o, "", "a bitmap cannot rotate or move");
    o = good, o.motion.velocity.y = 1.0;
    refuse_obstacle(w, &o, "", "a bitmap cannot rotate or move");
    o = good, o.motion.path = wanderer(0).motion.path;
    refuse_obstacle(w, &o, "", "a bitmap cannot rotate or move");
    put(w, &good);
    tarn_world_destroy(w);
    tarn_world_destroy(wave_world);
}

static void refuse_sides(const struct world_setup *def, const char *key, const char *words)
{
    tarn_error err = {0};
    tarn_world *w = NULL;
    assert_int_equal(setup_create(def, &w, &err), TARN_BAD_INPUT);
    assert_null(w);
    if (strcmp(err.key, key) != 0 || !strstr(err.message, words))
        fail_msg("expected %s: %s\n     but got %s: %s", key, words, err.key, err.message);
}

// Invalid parameters of one boundary; the other boundaries are valid.
static void boundary_errors_are_reported(void **state)
{
    static const double spot[3] = {0.25, 0.5, 20.0};
    const struct {
        const char *kind, *words;
        struct {
            const char *name;
            tarn_value value;
        } set[2];
    } cases[] = {
        {"periodic", "a periodic side needs a periodic opposite side", {{0}}},
        {"inflow", "an inflow needs `inflow_speed`", {{0}}},
        {"wall", "only an inflow can have `inflow_speed`", {{"inflow_speed", tarn_value_number(1)}}},
        {"outflow", "only a wall can have `wall_speed`", {{"wall_speed", tarn_value_number(1)}}},
        {"wall", "only an inflow can have `dye`", {{"dye", tarn_value_number(1)}}},
        {"outflow", "only an inflow can have `dye`", {{"dye", tarn_value_number(1)}}},
        {"wall", "only inflow and outflow can have `start` and `end`", {{"start", tarn_value_number(0.1)}}},
        {"wall", "only inflow and outflow can have `start` and `end`", {{"end", tarn_value_number(0.1)}}},
        {"outflow",
         "`end`, 0.25 m, must be greater than `start`",
         {{"start", tarn_value_number(0.5)}, {"end", tarn_value_number(0.25)}}},
        {"outflow", "only a wall can have `hot_spots`", {{"hot_spots", tarn_value_table(spot, 1)}}},
    };
    static const char *const sides[] = {"boundary.west", "boundary.east", "boundary.south", "boundary.north"};
    (void)state;
    for (int k = 0; k < COUNT(cases); ++k)
        for (int s = 0; s < 4; ++s) {
            struct world_setup def = domain(16, 16);
            char name[32];
            def.fluid.flow.boundary[s].type = flow_boundary_of(cases[k].kind);
            for (int n = 0; n < 2 && cases[k].set[n].name; ++n) {
                snprintf(name, sizeof name, "%s.%s", sides[s], cases[k].set[n].name);
                CHECK_OK(set_fluid_param(&def.fluid, name, cases[k].set[n].value, NULL));
            }
            refuse_sides(&def, sides[s], cases[k].words);
        }
}

static void refuse_body(tarn_world *w, const tarn_body_def *def, const char *key, const char *words)
{
    tarn_error err = {0};
    tarn_body_id id = {1};
    assert_int_equal(tarn_body_create(w, def, &id, &err), TARN_BAD_INPUT);
    assert_int_equal(id.value, 0);
    if (strcmp(err.key, key) != 0 || !strstr(err.message, words))
        fail_msg("expected %s: %s\n     but got %s: %s", key, words, err.key, err.message);
}

// Planar bodies stay in the plane and in the fluid.
static void body_errors_are_reported(void **state)
{
    struct world_setup def = domain(16, 16);
    tarn_world *w = make(&def);
    tarn_body_def good = body_def("circle");
    (void)state;
    CHECK_OK(set_shape(&good, "radius", tarn_value_number(0.1), NULL));
    good.position = (tarn_vec3){0.5, 0.5, 0};
    static const char words[] = "bodies of the model 'flow' move along x and y and turn about z";
    tarn_body_def d = good;
    d.position.z = 0.1;
    refuse_body(w, &d, "position", words);
    d = good, d.velocity.z = 0.1;
    refuse_body(w, &d, "position", words);
    d = good, d.angular_velocity.x = 0.1;
    refuse_body(w, &d, "position", words);
    d = good, d.angular_velocity.y = 0.1;
    refuse_body(w, &d, "position", words);
    d = good, d.rotation = (tarn_quat){0.8, 0.6, 0, 0};
    refuse_body(w, &d, "position", words);
    d = good, d.rotation = (tarn_quat){0.8, 0, 0.6, 0};
    refuse_body(w, &d, "position", words);
    static const double outside[][2] = {{-0.1, 0.5}, {1.1, 0.5}, {0.5, -0.1}, {0.5, 1.1}};
    for (int k = 0; k < COUNT(outside); ++k) {
        d = good, d.position = (tarn_vec3){outside[k][0], outside[k][1], 0};
        refuse_body(w, &d, "position", "m is outside the fluid of 1 x 1 m");
    }
    tarn_world_destroy(w);
    def.fluid.flow.boundary[TARN_SOUTH].type = TARN_FLOW_PERIODIC;
    def.fluid.flow.boundary[TARN_NORTH].type = TARN_FLOW_PERIODIC;
    w = make(&def);
    refuse_body(w, &good, "shape", "bodies are not available if south and north are periodic");
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obstacles_follow_their_paths),
        cmocka_unit_test(obstacle_paths_continue_after_a_restart),
        cmocka_unit_test(steered_obstacles_move_as_on_a_path),
        cmocka_unit_test(set_motions_are_saved),
        cmocka_unit_test(obstacles_may_be_put_elsewhere),
        cmocka_unit_test(obstacle_ids_are_checked),
        cmocka_unit_test(periodic_boundaries_are_translation_invariant),
        cmocka_unit_test(staircase_obstacles_are_equal_across_periodic_boundaries),
        cmocka_unit_test(bodies_pass_periodic_boundaries),
        cmocka_unit_test(moving_bars_push_discs),
        cmocka_unit_test(maps_are_saved),
        cmocka_unit_test(obstacle_errors_are_reported),
        cmocka_unit_test(boundary_errors_are_reported),
        cmocka_unit_test(body_errors_are_reported),
        cmocka_unit_test(removed_bodies_leave_no_trace),
        cmocka_unit_test(bodies_are_moved_in_their_plane),
        cmocka_unit_test(number_of_bodies_is_limited),
        cmocka_unit_test(worlds_continue_after_removing_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
