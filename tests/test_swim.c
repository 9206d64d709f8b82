// Bodies that move in water: periods, drag, currents, waves, light ones and fast ones.
#include "afloat.h"

#include "world/world.h"

// ---- periods --------------------------------------------------------------------------------------

// Mean time between upward crossings of zero, from samples of a swing every 1/60 s.
static double period_of(const double *x, int count)
{
    double first = 0.0, last = 0.0;
    int crossings = 0;
    for (int n = 1; n < count; ++n) {
        if (!(x[n - 1] < 0.0 && x[n] >= 0.0)) continue;
        last = (n - x[n] / (x[n] - x[n - 1])) / 60.0;
        if (!crossings++) first = last;
    }
    assert_true(crossings > 3);
    return (last - first) / (crossings - 1);
}

// A body at half the density of water that is let go a little off its rest, without drag and in water that does not
// feel it: periods of heave and of roll about z [s].
static void swing(int model, const tarn_body_def *body, double *heave, double *roll)
{
    enum { STEPS = 600 };
    double y[STEPS], turn[STEPS];
    for (int k = 0; k < 2; ++k) {
        tarn_world *w =
            basin_create(&(struct basin){.model = model, .nx = 16, .nz = 16, .cell = 0.1, .one_way = true});
        tarn_body_def d = *body;
        d.drag = d.lift = 0.0;
        d.position = (tarn_vec3){0.013, 1.0 + (k ? 0.0 : 1e-3), 0.007};
        if (k) d.rotation = quat_mul(quat_about(v3(0, 0, 1e-2)), d.rotation);
        const tarn_body id = put(w, &d);
        const vec3 side = quat_turn_back(body->rotation, v3(1, 0, 0));
        for (int n = 0; n < STEPS; ++n) {
            CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
            const tarn_motion m = motion_of(w, id);
            y[n] = m.position.y - 1.0;
            turn[n] = quat_turn(m.rotation, side).y;
        }
        *(k ? roll : heave) = period_of(k ? turn : y, STEPS);
        tarn_world_destroy(w);
    }
}

// With the added mass 0.5 rho V of the water displaced, w^2 = rho g A/(m + 0.5 rho V), and with 0.1 (rho V/m) of the
// inertia for turning, w^2 = rho g V GM/(1.1 I), GM = I_w/V - BG. All float at half their height: m = rho V.
static void check_periods(const char *name, const tarn_body_def *d, double mass, double area, double inertia,
                          double second, double above)
{
    const double volume = mass / 1000.0, metacentre = second / volume - above;
    const double want[2] = {2 * PI * sqrt(1.5 * mass / (9810.0 * area)),
                            2 * PI * sqrt(1.1 * inertia / (9810.0 * volume * metacentre))};
    for (int model = 0; model < 2; ++model) {
        double heave, roll;
        swing(model, d, &heave, &roll);
        print_message("%s, %s: heave %.4f s (theory %.4f), roll %.4f s (%.4f)\n", name, models[model], heave,
                      want[0], roll, want[1]);
        CHECK_NEAR(heave, want[0], 0.01 * want[0]);
        CHECK_NEAR(roll, want[1], 0.01 * want[1]);
    }
}

static void heave_and_roll_have_their_periods(void **state)
{
    (void)state;
    const double b = 0.5, h = 0.2, l = 0.4, m = 500 * b * h * l;
    tarn_body_def box = tarn_body_def_default("box");
    CHECK_OK(tarn_spec_set(&box.shape, "size", tarn_triple(b, h, l), NULL));
    check_periods("box", &box, m, b * l, m * (b * b + h * h) / 12, l * b * b * b / 12, 0.25 * h);

    // Upright, and lying along x: then it pitches.
    const double r = 0.25, t = 0.2, mass = 500 * PI * r * r * t;
    tarn_body_def disc = tarn_body_def_default("cylinder");
    give(&disc, "radius", r), give(&disc, "height", t);
    check_periods("upright cylinder", &disc, mass, PI * r * r, mass * (3 * r * r + t * t) / 12,
                  PI * r * r * r * r / 4, 0.25 * t);
    const double thin = 0.1, length = 0.5, weight = 500 * PI * thin * thin * length;
    tarn_body_def log = tarn_body_def_default("cylinder");
    give(&log, "radius", thin), give(&log, "height", length);
    log.rotation = quat_about(v3(0, 0, 0.5 * PI));
    check_periods("lying cylinder", &log, weight, 2 * thin * length,
                  weight * (3 * thin * thin + length * length) / 12, 2 * thin * length * length * length / 12,
                  4 * thin / (3 * PI));
}

// ---- drag -----------------------------------------------------------------------------------------

// Sum of A_eff over a ball: 2 pi R^2 int max(0, 0.9 c + 0.1) dc = 2 pi R^2 (0.45 c^2 + 0.1 c) from -1/9 to 1.
#define BALL_DRAG (2.0 * PI * 5.0 / 9.0) // [R^2]

// Terminal speed of a sinking body, for its volume and the sum of A_eff.
static double terminal(double density, double volume, double area)
{
    return sqrt(2.0 * (density / 1000.0 - 1.0) * volume * 9.81 / (0.82 * area));
}

// Balls sink as fast as weight and drag say, on coarse and fine columns.
static void sinking_balls_reach_terminal_speed(void **state)
{
    (void)state;
    const double r = 0.25, want = terminal(1500, 4.0 / 3.0 * PI * r * r * r, BALL_DRAG * r * r);
    double speed[2][2];
    for (int model = 0; model < 2; ++model)
        for (int fine = 0; fine < 2; ++fine) {
            tarn_world *w = basin_create(&(struct basin){.model = model,
                                                         .nx = fine ? 64 : 16,
                                                         .nz = fine ? 64 : 16,
                                                         .cell = fine ? 0.0625 : 0.25,
                                                         .depth = 40});
            const tarn_body id = pond_sphere(w, r, 1500, (tarn_vec3){0.1, 38, 0.2});
            pond_run(w, 5);
            speed[model][fine] = -motion_of(w, id).velocity.y;
            print_message("%s: %.4f m/s, theory %.4f\n", models[model], speed[model][fine], want);
            CHECK_NEAR(speed[model][fine], want, 0.02 * want);
            tarn_world_destroy(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heave_and_roll_have_their_periods),
        cmocka_unit_test(sinking_balls_reach_terminal_speed),
    };
    return cmocka_run_group_tests_name("swim", tests, NULL, NULL);
}
