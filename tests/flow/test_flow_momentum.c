// Forces on obstacles and bodies of the model `flow` add up: every bit of pressure and shear acts on exactly
// one solid, so in every step the momentum of the fluid changes by the body force minus the forces on solids.
#include "body_def.h"
#include "check.h"
#include "flow_world.h"

#include "base/math/math.h"
#include "base/math/random.h"
#include "fluid/flow/flow.h"
#include "world/world.h"

enum { MAX_OBSTACLES = 5 };
static const double accel[2] = {0.7, 0.4}; // [m/s^2]

static struct world_setup unit_box(int cells, double viscosity, bool periodic)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    def.fluid.flow.cells[0] = cells, def.fluid.flow.cells[1] = cells;
    def.fluid.flow.viscosity = viscosity;
    def.fluid.flow.advection = TARN_FLOW_CONSERVATIVE;
    def.fluid.flow.acceleration.x = accel[0];
    def.fluid.flow.acceleration.y = accel[1];
    for (int i = 0; i < 4 && periodic; ++i) def.fluid.flow.boundary[i].type = TARN_FLOW_PERIODIC;
    def.world.dt = 0.02;
    return def;
}

static tarn_obstacle_def circle(double radius, double x, double y)
{
    tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);
    o.circle.radius = radius;
    o.motion.position = (tarn_vec2){x, y};
    return o;
}

static tarn_obstacle_def box(double width, double height, double x, double y, double angle)
{
    tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    o.box.size = (tarn_vec2){width, height};
    o.motion.position = (tarn_vec2){x, y};
    o.motion.angle = angle;
    return o;
}

// [m^2] Open parts of all faces of an axis, and [kg m/s] the momentum of the fluid in them along that axis.
struct fluid_sum {
    double area, momentum;
};

static struct fluid_sum sum_of(const tarn_world *w, int axis)
{
    const struct fluid *f = &w->fluid;
    const struct flow *s = f->impl;
    const double cell = f->grid.dx * f->grid.dx;
    const float *open = axis ? s->aperture_z : s->aperture_x, *mass = axis ? s->mass_v : s->mass_u,
                *u = axis ? s->v : s->u;
    struct fluid_sum sum = {0};
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const size_t c = grid_at(&f->grid, i, j);
            sum.area += cell * (double)open[c];
            const bool in_body = (axis ? s->solid_id_v : s->solid_id_u)[c] > f->obstacle_count;
            if (mass[c] > 0.0f || in_body) sum.momentum += f->density * cell * (double)(open[c] * u[c]);
        }
    return sum;
}

static double force_on(const tarn_world *w, int obstacle, int axis)
{
    tarn_obstacle_id ids[MAX_OBSTACLES];
    tarn_obstacle_load l;
    assert_true(tarn_world_get_obstacles(w, ids, MAX_OBSTACLES) > obstacle);
    CHECK_OK(tarn_obstacle_get_load(w, ids[obstacle], &l));
    return axis ? l.force_y : l.force_x;
}

// Steps a periodic box; in each step the momentum must change by the body force minus the forces on `count`
// obstacles. 1e-6 of the largest term: velocities are floats, with errors of 6e-8 of their size in each of
// some thousand nodes, and a step changes them by a part only.
static void check_budget(tarn_world *w, int count, int steps)
{
    const double dt = w->def.dt, density = w->fluid.density;
    for (int n = 0; n < steps; ++n) {
        const struct fluid_sum before[2] = {sum_of(w, 0), sum_of(w, 1)};
        if (tarn_world_advance(w, dt) != TARN_OK) fail_msg("%s", tarn_world_get_failure(w));
        for (int axis = 0; axis < 2; ++axis) {
            const double rate = (sum_of(w, axis).momentum - before[axis].momentum) / dt,
                         body_force = density * before[axis].area * accel[axis];
            double force = 0.0, largest = fmax(fabs(rate), fabs(body_force));
            for (int i = 0; i < count; ++i) {
                force += force_on(w, i, axis);
                largest = fmax(largest, fabs(force_on(w, i, axis)));
            }
            CHECK_NEAR(rate, body_force - force, 1e-6 * largest);
        }
    }
}

// Circles and boxes anywhere, across periodic sides and over one another too, from rest into a quick flow.
static void momentum_is_given_to_obstacles_and_nothing_else(void **state)
{
    static const double viscosities[] = {0.0, 1e-5, 1e-3};
    (void)state;
    for (uint64_t k = 0; k < 24; ++k) {
        uint64_t n = 0;
#define RANDOM random_unit(1, k, n++)
        const struct world_setup def = unit_box(24 + (int)(72.0 * RANDOM), viscosities[k % 3], true);
        const int count = 1 + (int)(k % MAX_OBSTACLES);
        tarn_world *w = make(&def);
        for (int i = 0; i < count; ++i) {
            const double x = RANDOM, y = RANDOM, size = 0.05 + 0.2 * RANDOM, other = 0.05 + 0.2 * RANDOM;
            const tarn_obstacle_def o =
                i % 2 ? circle(0.5 * size, x, y) : box(size, other, x, y, 2.0 * PI * RANDOM);
            put(w, &o);
        }
        check_budget(w, count, 40);
        tarn_world_destroy(w);
    }
}

// Two circles with less than half a cell between them, and two boxes that touch.
static void neighbours_share_nothing_and_lose_nothing(void **state)
{
    const double h = 1.0 / 48.0;
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const struct world_setup def = unit_box(48, k / 2 ? 1e-3 : 0.0, true);
        const tarn_obstacle_def circles[2] = {circle(0.13, 0.31, 0.47), circle(0.11, 0.55 + 0.4 * h, 0.47)},
                                boxes[2] = {box(0.2, 0.15, 0.305, 0.41, 0.0),
                                            box(0.1, 0.3, 0.455, 0.41, 0.0)};
        tarn_world *w = make(&def);
        for (int i = 0; i < 2; ++i) put(w, k % 2 ? &boxes[i] : &circles[i]);
        check_budget(w, 2, 40);
        tarn_world_destroy(w);
    }
}

// A channel whose walls are obstacles along the periodic sides, with a circle and a box between them, one of
// which may touch a wall.
static void walls_of_a_channel_receive_the_rest(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 8; ++k) {
        const struct world_setup def = unit_box(40 + 5 * (int)k, k % 2 ? 1e-3 : 1e-5, true);
        const double low = 0.1 + 0.05 * random_unit(4, k, 0), radius = 0.05 + 0.05 * random_unit(4, k, 1),
                     x = random_unit(4, k, 2), gap = k % 4 == 3 ? 0.0 : 0.2 * random_unit(4, k, 3);
        const tarn_obstacle_def solids[4] = {
            box(1.5, low, 0.5, 0.5 * low, 0.0), box(1.5, low, 0.5, 0.93, 0.0),
            circle(radius, x, low + radius + gap), box(0.15, 0.07, x + 0.5, 0.6, 0.3 * (double)k)};
        tarn_world *w = make(&def);
        for (int i = 0; i < 4; ++i) put(w, &solids[i]);
        check_budget(w, 4, 40);
        tarn_world_destroy(w);
    }
}

// A plate as one obstacle, or as two that touch within a cell: the flow is the same, and forces and torques
// about one point sum up to the same.
static void forces_do_not_depend_on_how_a_solid_is_divided(void **state)
{
    double sum[2][3] = {{0.0}};
    (void)state;
    for (int pieces = 1; pieces <= 2; ++pieces) {
        const struct world_setup def = unit_box(50, 1e-3, true);
        tarn_world *w = make(&def);
        for (int i = 0; i < pieces; ++i) {
            const double width = 0.3 / pieces;
            const tarn_obstacle_def o = box(width, 0.17, 0.353 + width * (i + 0.5), 0.487, 0.0);
            put(w, &o);
        }
        for (int n = 0; n < 60; ++n) CHECK_OK(tarn_world_advance(w, def.world.dt));
        tarn_obstacle_id ids[2];
        tarn_world_get_obstacles(w, ids, 2);
        for (int i = 0; i < pieces; ++i) {
            tarn_obstacle_load l;
            CHECK_OK(tarn_obstacle_get_load(w, ids[i], &l));
            sum[pieces - 1][0] += l.force_x, sum[pieces - 1][1] += l.force_y;
            sum[pieces - 1][2] += l.torque + (l.x - 0.5) * l.force_y - (l.y - 0.5) * l.force_x;
        }
        tarn_world_destroy(w);
    }
    const double force = hypot(sum[0][0], sum[0][1]);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(sum[1][i], sum[0][i], 1e-9 * force); // rounding of sums
}

// In a closed box with a body force the fluid comes to rest, and an obstacle feels minus that force on the
// fluid that it displaces, wherever it lies: on the area by which it closes faces to 1e-4, because eddies of
// the start take some steps to decay. That area is the area of the disc to 4 % at 4 cells across.
static void still_fluid_bears_the_weight_that_is_displaced(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 30; ++k) {
        const double radius = 0.03 + 0.12 * random_unit(2, k, 0), x = 0.2 + 0.6 * random_unit(2, k, 1),
                     y = 0.2 + 0.6 * random_unit(2, k, 2), area = PI * radius * radius;
        const struct world_setup def = unit_box(64, k % 2 ? 1e-5 : 0.0, false);
        const tarn_obstacle_def o = circle(radius, x, y);
        tarn_world *w = make(&def);
        put(w, &o);
        for (int n = 0; n < 40; ++n) CHECK_OK(tarn_world_advance(w, def.world.dt));
        for (int axis = 0; axis < 2; ++axis) {
            const double displaced = 1.0 - sum_of(w, axis).area;
            CHECK_NEAR(-force_on(w, 0, axis) / (w->fluid.density * accel[axis] * displaced), 1.0, 1e-4);
            CHECK_NEAR(displaced / area, 1.0, 0.04);
        }
        tarn_world_destroy(w);
    }
}

// ---- bodies -----------------------------------------------------------------------------------------------

static tarn_body_id put_disc(tarn_world *w, double radius, double density, double x, double y)
{
    tarn_body_def def = body_def("circle");
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(radius), NULL));
    def.density = density, def.gravity_scale = 0.0;
    def.position = (tarn_vec3){x, y, 0.0};
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

static double velocity_of(const tarn_world *w, tarn_body_id id)
{
    tarn_body_state state;
    CHECK_OK(tarn_body_get_state(w, id, &state));
    return state.velocity.x;
}

// [N/m] Along x, of the step that ended now: what the fluid and the body force on the displaced fluid give to
// a body, which the model adds as if the body force were a mean pressure gradient.
static double fluid_force_on(const tarn_world *w, tarn_body_id id, int slot, double *velocity)
{
    const struct obstacle *o = &w->fluid.bodies[slot];
    const double before = *velocity;
    *velocity = velocity_of(w, id);
    return o->mass * (*velocity - before) / w->def.dt - w->fluid.density * accel[0] * o->area;
}

// Bodies so heavy that they stay where they are, beside an obstacle, between walls that exert no shear: along
// x all momentum goes to the solids. A body that moves changes the open parts of faces, which the sum would
// have to count too.
static void momentum_is_given_to_bodies_and_nothing_else(void **state)
{
    static const double viscosities[] = {0.0, 1e-5, 1e-3};
    enum { BODIES = 2 };
    (void)state;
    for (uint64_t k = 0; k < 12; ++k) {
        struct world_setup def = unit_box(32 + 3 * (int)k, viscosities[k % 3], false);
        def.fluid.flow.acceleration.y = 0.0;
        for (int i = 0; i < 4; ++i) {
            def.fluid.flow.boundary[i].type = i < 2 ? TARN_FLOW_PERIODIC : TARN_FLOW_WALL;
            def.fluid.flow.boundary[i].slip = i >= 2;
        }
        def.world.density = 0.01;
        tarn_world *w = make(&def);
        tarn_body_id ids[BODIES];
        double velocities[BODIES] = {0};
        const tarn_obstacle_def o = circle(0.1, random_unit(3, k, 0), 0.15 + 0.1 * random_unit(3, k, 1));
        put(w, &o);
        for (uint64_t i = 0; i < BODIES; ++i)
            ids[i] = put_disc(w, 0.06 + 0.05 * random_unit(3, k, 4 * i + 2), 1e5,
                              random_unit(3, k, 4 * i + 3), 0.5 + 0.33 * (double)i);
        CHECK_OK(tarn_world_advance(w, def.world.dt)); // builds the cut cells of the bodies
        for (int i = 0; i < BODIES; ++i) velocities[i] = velocity_of(w, ids[i]);
        for (int n = 0; n < 40; ++n) {
            const struct fluid_sum before = sum_of(w, 0);
            CHECK_OK(tarn_world_advance(w, def.world.dt));
            const double rate = (sum_of(w, 0).momentum - before.momentum) / def.world.dt,
                         body_force = w->fluid.density * before.area * accel[0];
            double force = force_on(w, 0, 0);
            for (int i = 0; i < BODIES; ++i) force += fluid_force_on(w, ids[i], i, &velocities[i]);
            CHECK_NEAR(rate, body_force - force, 2e-6 * body_force); // twice the tolerance of check_budget()
        }
        tarn_world_destroy(w);
    }
}

// Drag of a disc in a stream of Re 20, 16 cells across, as an obstacle and as a heavy body. Cut faces are
// advected in two ways, which differ by the first order: 1 %; 0.04 % here.
static void bodies_and_obstacles_of_one_shape_feel_the_same(void **state)
{
    double drag[2];
    (void)state;
    for (int k = 0; k < 2; ++k) {
        struct world_setup def = world_setup(TARN_FLUID_FLOW);
        tarn_flow_def *flow = &def.fluid.flow;
        flow->size = (tarn_vec2){2, 1};
        flow->cells[0] = 128, flow->cells[1] = 64;
        flow->viscosity = 0.0125;
        flow->advection = TARN_FLOW_CONSERVATIVE;
        flow->boundary[TARN_WEST].type = TARN_FLOW_INFLOW, flow->boundary[TARN_WEST].inflow_speed = 1.0;
        flow->boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
        def.world.density = 0.01, def.world.dt = 0.01;
        tarn_world *w = make(&def);
        const tarn_obstacle_def o = circle(0.125, 0.613, 0.507);
        tarn_body_id id = {0};
        if (k)
            id = put_disc(w, 0.125, 1e5, 0.613, 0.507);
        else
            put(w, &o);
        for (int n = 0; n < 300; ++n) CHECK_OK(tarn_world_advance(w, def.world.dt));
        tarn_load load = {0};
        if (k) CHECK_OK(tarn_body_get_load(w, id, &load));
        drag[k] = k ? load.force.x : force_on(w, 0, 0);
        tarn_world_destroy(w);
    }
    CHECK_NEAR(drag[1] / drag[0], 1.0, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_given_to_obstacles_and_nothing_else),
        cmocka_unit_test(neighbours_share_nothing_and_lose_nothing),
        cmocka_unit_test(walls_of_a_channel_receive_the_rest),
        cmocka_unit_test(forces_do_not_depend_on_how_a_solid_is_divided),
        cmocka_unit_test(still_fluid_bears_the_weight_that_is_displaced),
        cmocka_unit_test(momentum_is_given_to_bodies_and_nothing_else),
        cmocka_unit_test(bodies_and_obstacles_of_one_shape_feel_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
