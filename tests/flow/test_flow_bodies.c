// Bodies in the planar model: they move as theory says at any density; momentum is conserved between fluid,
// bodies and walls; and a run is the same however it is taken.
#include "body_def.h"
#include "first_obstacle.h"
#include "flow_bodies.h"

#include "base/math/math.h"
#include "fluid/flow/flow.h"
#include "memory_stream.h"

// ---- added mass -------------------------------------------------------------------------------------------

#define FINE 192 // cells of the independent solution in each direction

// Added mass of a disc of diameter `wide` in the middle of a closed unit box, in the mass of the fluid that
// it displaces: the potential of its motion along y, found by sweeps of over-relaxation on cells whose
// middles are outside. Flux through the stairs of its edge is that of the true edge in each cell: the normal
// speed of the disc is imposed as a source.
static double added_mass(double wide)
{
    static double phi[FINE + 2][FINE + 2], source[FINE + 2][FINE + 2], open[FINE + 2][FINE + 2][2];
    const double h = 1.0 / FINE, r = 0.5 * wide, turn = 1.95;
    memset(phi, 0, sizeof phi), memset(source, 0, sizeof source), memset(open, 0, sizeof open);
    // open parts of west and south faces: chords of the circle
    for (int j = 1; j <= FINE; ++j)
        for (int i = 1; i <= FINE; ++i)
            for (int axis = 0; axis < 2; ++axis) {
                const double at = ((axis ? j : i) - 1) * h - 0.5, low = ((axis ? i : j) - 1) * h - 0.5;
                const double half = fabs(at) < r ? sqrt(r * r - at * at) : 0.0;
                const double closed = fmax(0.0, fmin(half, low + h) - fmax(-half, low)) / h;
                open[j][i][axis] = (axis ? j : i) == 1 ? 0.0 : 1.0 - closed;
                if (axis == 0) continue;
                source[j][i] -= closed, source[j - 1][i] += closed; // the disc moves up with speed 1
            }
    for (int n = 0; n < 1500; ++n)
        for (int j = 1; j <= FINE; ++j)
            for (int i = 1; i <= FINE; ++i) {
                const double a = open[j][i][0], b = i < FINE ? open[j][i + 1][0] : 0.0, c = open[j][i][1],
                             d = j < FINE ? open[j + 1][i][1] : 0.0, sum = a + b + c + d;
                if (sum < 1e-3) continue;
                const double next = (a * phi[j][i - 1] + b * phi[j][i + 1] + c * phi[j - 1][i] +
                                     d * phi[j + 1][i] - h * source[j][i]) /
                                    sum;
                phi[j][i] += turn * (next - phi[j][i]);
            }
    double push = 0.0;
    for (int j = 1; j <= FINE; ++j)
        for (int i = 1; i <= FINE; ++i) push -= h * source[j][i] * phi[j][i];
    return push / (PI * r * r);
}

static void released_disc_accelerates_its_added_mass(void **state)
{
    static const double ratios[] = {0.01, 0.1, 0.5, 2.0, 10.0};
    (void)state;
    const double added = added_mass(0.2);
    CHECK_NEAR(added, 1.0712, 0.01); // the value of a finer solution
    for (int k = 0; k < COUNT(ratios); ++k) {
        tarn_world *w = box_of(64, 1e-3, 0.0, "maccormack", "strong");
        const tarn_body_id id = disc(w, 0.1, 1000 * ratios[k], 0.5, 0.5);
        step(w, 1);
        const double want = (1.0 - ratios[k]) * 9.81 / (ratios[k] + added);
        CHECK_NEAR(motion(w, id).velocity.y / 1e-3, want, 0.02 * fabs(want)); // 13 cells across
        CHECK_NEAR(motion(w, id).velocity.x, 0.0, 1e-6);
        tarn_world_destroy(w);
    }
}

static void neutral_body_stays(void **state)
{
    (void)state;
    tarn_world *w = box_of(48, 1.0 / 60.0, 1e-5, "maccormack", "strong");
    const tarn_body_id id = disc(w, 0.1, 1000, 0.5, 0.5);
    step(w, 120);
    CHECK_NEAR(motion(w, id).position.y, 0.5, 1e-9); // its weight is that of its fluid to rounding
    tarn_world_destroy(w);
}

// A light disc rises and rests at the ceiling; the energy never grows.
static void light_disc_is_stable_at_the_ceiling(void **state)
{
    (void)state;
    tarn_world *w = box_of(48, 1.0 / 60.0, 1e-5, "maccormack", "strong");
    const tarn_body_id id = disc(w, 0.1, 10, 0.45, 0.5);
    double before = energy(w);
    for (int n = 0; n < 200; ++n) {
        step(w, 6);
        const double now = energy(w);
        assert_true(now < before + 1e-3 * fabs(before)); // rounding and advection in a tenth of a second
        before = now;
    }
    CHECK_NEAR(motion(w, id).position.y, 0.9, 0.002); // touches it
    CHECK_NEAR(motion(w, id).velocity.y, 0.0, 0.03);
    tarn_world_destroy(w);
}

// Weak coupling diverges for bodies lighter than their added mass, as documented; for much heavier ones it
// does not.
static void weak_coupling_fails_below_stability_limit(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = box_of(48, 1.0 / 60.0, 1e-5, "maccormack", "weak");
        const tarn_body_id id = disc(w, 0.1, k ? 4000 : 500, 0.5, 0.5);
        double fastest = 0.0;
        for (int n = 0; n < 30 && tarn_world_advance(w, 1.0 / 60.0) == TARN_OK; ++n)
            fastest = fmax(fastest, fabs(motion(w, id).velocity.y));
        if (k)
            assert_true(fastest < 3.0); // half a second of falling is 4.9 m/s without fluid
        else
            assert_true(fastest > 5.0);
        tarn_world_destroy(w);
    }
}

// ---- conservation ---------------------------------------------------------------------------------

// Sum of a_f u_f over faces and of m V over bodies; the side faces stand still.
static void momenta(const tarn_world *w, double out[2])
{
    const struct fluid *f = &w->fluid;
    const struct flow *s = f->impl;
    const double mass = f->density * f->grid.dx * f->grid.dx;
    out[0] = out[1] = 0.0;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const size_t c = grid_at(&f->grid, i, j);
            out[0] += mass * (double)s->aperture_x[c] * (double)s->u[c];
            out[1] += mass * (double)s->aperture_z[c] * (double)s->v[c];
        }
    for (int i = 0; i < f->body_count; ++i)
        out[0] += f->bodies[i].mass * f->bodies[i].motion.u,
            out[1] += f->bodies[i].mass * f->bodies[i].motion.v;
}

// [kg m/s] Impulse of the pressure of a step on the side walls.
static double on_walls(const tarn_world *w, const float *before, double dt)
{
    const struct fluid *f = &w->fluid;
    const struct flow *s = f->impl;
    double sum = 0.0;
    for (int i = 0; i < f->grid.nx; ++i) {
        const size_t low = grid_at(&f->grid, i, 0), high = grid_at(&f->grid, i, f->grid.nz - 1);
        sum += (double)(s->p[high] - before[high]) - (double)(s->p[low] - before[low]);
    }
    return dt * f->density * f->grid.dx * sum;
}

// From rest, the momentum after a step is the impulse of gravity minus that on the walls.
static void total_impulse_equals_the_change_of_momentum(void **state)
{
    (void)state;
    const double dt = 1e-5; // so short that bodies stay in their cells
    tarn_world *w = box_of(48, dt, 0.0, "maccormack", "strong");
    disc(w, 0.1, 100, 0.4, 0.3);
    disc(w, 0.07, 3000, 0.6, 0.7);
    const struct fluid *f = &w->fluid;
    float *before = calloc(f->grid.size, sizeof *before);
    double now[2], given = 0.0, size = 0.0;
    for (int i = 0; i < f->body_count; ++i) {
        const double pull = (f->density * f->bodies[i].area - f->bodies[i].mass) * 9.81 * dt;
        given += pull, size += fabs(pull);
    }
    step(w, 1);
    momenta(w, now);
    CHECK_NEAR(now[1], given - on_walls(w, before, dt), 1e-5 * size);
    free(before);
    tarn_world_destroy(w);
}

static double divergence(const tarn_world *w)
{
    const struct fluid *f = &w->fluid;
    const struct flow *s = f->impl;
    double most = 0.0;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            const size_t c = grid_at(&f->grid, i, j), n = f->grid.stride;
            if (!s->is_fluid[c]) continue;
            const double out = (double)s->aperture_x[c + 1] * (double)s->u[c + 1] -
                               (double)s->aperture_x[c] * (double)s->u[c] +
                               (double)s->aperture_z[c + n] * (double)s->v[c + n] -
                               (double)s->aperture_z[c] * (double)s->v[c] + (double)s->wall_flux[c];
            most = fmax(most, fabs(out));
        }
    return most / fmax(f->max_signal_speed, 1e-9);
}

// Divergence after the projection, with the covered fractions of faces moving with their body; then at the
// new positions.
static void velocity_is_divergence_free(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_world *w =
            box_of(48, k ? 1.0 / 60.0 : 1e-5, 1e-5, "maccormack", "strong"); // the first stay in their cells
        disc(w, 0.1, 100, 0.4, 0.3);
        disc(w, 0.07, 3000, 0.6, 0.7);
        for (int n = 0; n < (k ? 40 : 3); ++n) {
            step(w, 1);
            assert_true(tarn_flow_get_divergence(w) <= 1e-4);
        }
        if (k == 0) assert_true(divergence(w) <= 1e-4);
        tarn_world_destroy(w);
    }
}

// The same where bodies touch each other and the walls, in every step.
static void velocity_is_divergence_free_between_boxes(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = box_of(k ? 128 : 64, 1.0 / 60.0, 1e-5, "maccormack", "strong");
        for (int n = 0; n < 9; ++n) {
            tarn_body_def def = body_def("box");
            tarn_body_id id;
            CHECK_OK(set_shape(&def, "size", tarn_value_vec3(0.16 + 0.01 * n, 0.12, 1.0), NULL));
            def.density = n % 3 == 0 ? 200 : n % 3 == 1 ? 2000 : 5000;
            def.position = (tarn_vec3){0.2 + 0.3 * (n % 3), 0.2 + 0.3 * (n / 3), 0};
            def.angular_velocity.z = n - 4;
            CHECK_OK(tarn_body_create(w, &def, &id, NULL));
        }
        for (int n = 0; n < (k ? 100 : 300); ++n) {
            step(w, 1);
            assert_true(tarn_flow_get_divergence(w) <= 1e-4);
        }
        tarn_world_destroy(w);
    }
}

// ---- friction -------------------------------------------------------------------------------------

static tarn_flow_sample shear(void *ctx, double x, double y)
{
    (void)ctx, (void)x;
    return (tarn_flow_sample){.u = y - 0.5};
}

// A neutrally buoyant disc in slow shear, Re 0.1, D/H 0.2, rotates at half the shear rate.
static void disc_rotates_with_the_shear(void **state)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    tarn_world *w;
    tarn_error err;
    (void)state;
    def.world.dt = 2e-3, def.world.gravity = 1e-3;
    def.fluid.flow.cells[0] = 60, def.fluid.flow.cells[1] = 60;
    def.fluid.flow.advection = TARN_FLOW_CONSERVATIVE;
    def.fluid.flow.viscosity = 0.1;
    def.fluid.flow.boundary[TARN_WEST].type = TARN_FLOW_PERIODIC;
    def.fluid.flow.boundary[TARN_EAST].type = TARN_FLOW_PERIODIC;
    def.fluid.flow.boundary[TARN_NORTH].wall_speed = 0.5;
    def.fluid.flow.boundary[TARN_SOUTH].wall_speed = -0.5;
    CHECK_OK(setup_create(&def, &w, &err));
    const tarn_body_id id = disc(w, 0.1, 1000, 0.5, 0.5);
    CHECK_OK(tarn_flow_set_fields(w, shear, NULL, &err));
    step(w, 100);
    CHECK_NEAR(motion(w, id).angular_velocity.z, -0.5, 0.025);
    CHECK_NEAR(motion(w, id).velocity.x, 0.0, 1e-3);
    tarn_world_destroy(w);
}

// A disc that sinks slowly: twice as fine a grid gives the same speed.
static void settling_converges_with_the_grid(void **state)
{
    double speed[2];
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = box_of(k ? 48 : 24, 1.0 / 120.0, 2e-3, "conservative", "strong");
        const tarn_body_id id = disc(w, 0.1, 1010, 0.5, 0.7);
        step(w, 360);
        speed[k] = motion(w, id).velocity.y;
        tarn_world_destroy(w);
    }
    assert_true(speed[1] < -0.03);
    CHECK_NEAR(speed[0], speed[1], 0.02 * fabs(speed[1])); // 5 cells across, and 10
}

// Drag of a disc of 12 cells that is drawn through the grid hardly changes as it crosses lines of cells: by 5
// % at most, and averaged over each cell crossed by 3 %.
static void drag_is_smooth(void **state)
{
    enum { STEPS = 50, CELL = 4 }; // twelve cells, 4.17 steps each
    static const char *const kinds[2] = {"maccormack", "conservative"};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        struct world_setup def = world_setup(TARN_FLUID_FLOW);
        tarn_world *w;
        tarn_error err;
        def.world.dt = 0.01;
        def.fluid.flow.size = (tarn_vec2){1, 0.5};
        def.fluid.flow.cells[0] = 120, def.fluid.flow.cells[1] = 60;
        def.fluid.flow.viscosity = 1e-3;
        def.fluid.flow.advection = flow_advection_of(kinds[k]);
        CHECK_OK(setup_create(&def, &w, &err));
        tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);
        o.circle.radius = 0.05;
        o.motion.position.x = 0.2, o.motion.position.y = 0.2531, o.motion.velocity.x = 0.2;
        CHECK_OK(tarn_obstacle_create(w, &o, NULL, &err));
        step(w, 200);
        double force[STEPS], sum = 0.0, least = INFINITY, most = 0.0;
        for (int n = 0; n < STEPS; ++n) {
            tarn_obstacle_load load;
            step(w, 1);
            CHECK_OK(tarn_obstacle_get_load(w, first_obstacle(w), &load));
            force[n] = -load.force_x;
            sum += force[n] / STEPS;
        }
        for (int n = 0; n < STEPS; ++n) CHECK_NEAR(force[n] / sum, 1.0, 0.05);
        for (int n = 0; n + CELL <= STEPS; ++n) {
            double mean = 0.0;
            for (int i = 0; i < CELL; ++i) mean += force[n + i] / CELL;
            least = fmin(least, mean), most = fmax(most, mean);
        }
        CHECK_NEAR((most - least) / sum, 0.0, 0.03);
        tarn_world_destroy(w);
    }
}

// ---- the same bits --------------------------------------------------------------------------------

static tarn_world *crowd(int workers)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    tarn_world *w;
    tarn_error err;
    def.world.host.workers = workers;
    def.fluid.flow.cells[0] = 64, def.fluid.flow.cells[1] = 64;
    CHECK_OK(setup_create(&def, &w, &err));
    tarn_obstacle_def o = slab(0.1, 0.05, 0.5, 0.08); // below and above bodies that rise and sink
    stand(w, &o);
    o = slab(0.1, 0.05, 0.2, 0.92), o.motion.velocity.x = 0.1, o.motion.angular_velocity = 30.0 * PI / 180.0;
    stand(w, &o);
    for (int k = 0; k < 9; ++k)
        disc(w, 0.06, k % 2 ? 100 : 2000, 0.2 + 0.3 * (k % 3), 0.2 + 0.3 * (k / 3) + 0.01 * k);
    return w;
}

static void threads_and_restarts_do_not_matter(void **state)
{
    tarn_world *one = crowd(1), *two = crowd(2), *again;
    static struct memory_stream bytes;
    tarn_error err;
    (void)state;
    step(one, 40), step(two, 40);
    assert_true(tarn_world_hash(one) == tarn_world_hash(two));
    CHECK_OK(tarn_world_save(one, stream_write, &bytes));
    CHECK_OK(tarn_world_load(stream_read, &bytes, NULL, &again, &err));
    step(one, 20), step(again, 20);
    assert_true(tarn_world_hash(one) == tarn_world_hash(again));
    tarn_world_destroy(one), tarn_world_destroy(two), tarn_world_destroy(again);
}

// Solver iterations that reduce a random right-hand side to 1e-5 in the present cut cells.
static int iterations(const struct fluid *f)
{
    struct flow *s = f->impl;
    struct linear_report report;
    uint32_t noise = 1;
    for (size_t c = 0; c < f->grid.size; ++c) {
        noise = noise * 1664525u + 1013904223u;
        s->divergence[c] = s->is_fluid[c] ? (double)(noise >> 8) / 8388608.0 - 1.0 : 0.0;
        s->potential[c] = 0.0;
    }
    linear_solve(s->solver, s->divergence, s->potential, (struct linear_tolerance){.relative = 1e-5},
                 &report);
    assert_true(report.residual <= 1e-5);
    return report.iterations;
}

// A hundred light dynamic bodies need at most five iterations more than the same bodies when kinematic.
static void light_bodies_need_few_iterations(void **state)
{
    tarn_world *w = box_of(128, 1.0 / 60.0, 1e-5, "maccormack", "strong");
    struct flow *s = w->fluid.impl;
    (void)state;
    for (int i = 0; i < 100; ++i)
        disc(w, 0.035, 10, 0.0725 + 0.095 * (i % 10), 0.0725 + 0.095 * (i / 10) + 1e-3 * (i % 7));
    for (int n = 0; n < 4; ++n) { // until they touch
        step(w, 5);
        const int count = s->body_term_count, free = iterations(&w->fluid);
        s->body_term_count = 0;
        assert_true(flow_setup_pressure_solver(&w->fluid));
        const int held = iterations(&w->fluid);
        s->body_term_count = count;
        assert_true(flow_setup_pressure_solver(&w->fluid));
        assert_true(count == 200 && held > 0 && free <= held + 5);
    }
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(released_disc_accelerates_its_added_mass),
        cmocka_unit_test(neutral_body_stays),
        cmocka_unit_test(light_disc_is_stable_at_the_ceiling),
        cmocka_unit_test(weak_coupling_fails_below_stability_limit),
        cmocka_unit_test(total_impulse_equals_the_change_of_momentum),
        cmocka_unit_test(velocity_is_divergence_free),
        cmocka_unit_test(velocity_is_divergence_free_between_boxes),
        cmocka_unit_test(disc_rotates_with_the_shear),
        cmocka_unit_test(settling_converges_with_the_grid),
        cmocka_unit_test(drag_is_smooth),
        cmocka_unit_test(light_bodies_need_few_iterations),
        cmocka_unit_test(threads_and_restarts_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
