// Bodies that move in water: periods, drag, currents, waves; very light and very fast bodies.
#include "body_def.h"
#include "energy.h"

// ---- periods --------------------------------------------------------------------------------------

// Mean time between upward zero crossings, from samples of an oscillation every 1/60 s.
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

// A body of half the density of water that is released slightly off its equilibrium, without drag and
// without load on the water: periods of heave and of roll about z [s].
static void swing(int model, const tarn_body_def *body, double *heave, double *roll)
{
    enum { STEPS = 360 }; // seven periods
    double y[STEPS], turn[STEPS];
    for (int k = 0; k < 2; ++k) {
        tarn_world *w =
            basin_create(&(struct basin){.model = model, .nx = 16, .nz = 16, .cell = 0.1, .one_way = true});
        tarn_body_def d = *body;
        d.drag_coefficient = d.lift_coefficient = 0.0;
        d.position = (tarn_vec3){0.013, 1.0 + (k ? 0.0 : 1e-3), 0.007};
        if (k) d.rotation = quat_mul(quat_from_rotation_vector(v3(0, 0, 1e-2)), d.rotation);
        const tarn_body_id id = put(w, &d);
        const vec3 side = quat_rotate_inverse(body->rotation, v3(1, 0, 0));
        for (int n = 0; n < STEPS; ++n) {
            CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
            const tarn_body_state m = motion_of(w, id);
            y[n] = m.position.y - 1.0;
            turn[n] = quat_rotate(m.rotation, side).y;
        }
        *(k ? roll : heave) = period_of(k ? turn : y, STEPS);
        tarn_world_destroy(w);
    }
}

// With the added mass 0.5 rho V of the water displaced, w^2 = rho g A/(m + 0.5 rho V), and with 0.1 (rho V/m)
// of the inertia for turning, w^2 = rho g V GM/(1.1 I), GM = I_w/V - BG. All float at half their height: m =
// rho V.
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
    tarn_body_def box = body_def("box");
    CHECK_OK(set_shape(&box, "size", tarn_value_vec3(b, h, l), NULL));
    check_periods("box", &box, m, b * l, m * (b * b + h * h) / 12, l * b * b * b / 12, 0.25 * h);

    // Upright, and lying along x, where it pitches.
    const double r = 0.25, t = 0.2, mass = 500 * PI * r * r * t;
    tarn_body_def disc = body_def("cylinder");
    set_shape_number(&disc, "radius", r), set_shape_number(&disc, "height", t);
    check_periods("upright cylinder", &disc, mass, PI * r * r, mass * (3 * r * r + t * t) / 12,
                  PI * r * r * r * r / 4, 0.25 * t);
    const double thin = 0.1, length = 0.5, weight = 500 * PI * thin * thin * length;
    tarn_body_def log = body_def("cylinder");
    set_shape_number(&log, "radius", thin), set_shape_number(&log, "height", length);
    log.rotation = quat_from_rotation_vector(v3(0, 0, 0.5 * PI));
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

// Balls sink with the speed at which drag equals weight, on coarse and fine columns.
static void sinking_balls_reach_terminal_speed(void **state)
{
    (void)state;
    const double r = 0.25, want = terminal(1500, 4.0 / 3.0 * PI * r * r * r, BALL_DRAG * r * r);
    double speed[2][2];
    for (int model = 0; model < 2; ++model)
        for (int fine = 0; fine < 2; ++fine) {
            if (!in_quick_subset(model, fine)) continue;
            tarn_world *w = basin_create(&(struct basin){.model = model,
                                                         .nx = fine ? 64 : 16,
                                                         .nz = fine ? 64 : 16,
                                                         .cell = fine ? 0.0625 : 0.25,
                                                         .depth = 40});
            const tarn_body_id id = add_sphere(w, r, 1500, (tarn_vec3){0.1, 38, 0.2});
            run_for(w, 5);
            speed[model][fine] = -motion_of(w, id).velocity.y;
            print_message("%s: %.4f m/s, theory %.4f\n", models[model], speed[model][fine], want);
            CHECK_NEAR(speed[model][fine], want, 0.02 * want);
            tarn_world_destroy(w);
        }
}

// ---- drag on meshes and grids ---------------------------------------------------------------------

enum { MOST_FACES = 5120 };

struct ball {
    double vertices[9 * MOST_FACES];
    int triangles[3 * MOST_FACES];
    tarn_mesh mesh;
};

// A point of the face (a, b, c) of an icosahedron at (i, j) of n parts, projected to the unit sphere.
static void ball_corner(double *out, const vec3 corner[3], int i, int j, int n)
{
    vec3 v = v3_madd(corner[0], (double)i / n, v3_sub(corner[1], corner[0]));
    v = v3_madd(v, (double)j / n, v3_sub(corner[2], corner[0]));
    v = v3_scale(v, 1.0 / v3_length(v));
    out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

static void ball_triangle(struct ball *ball, const vec3 corner[3], const int at[3][2], int n)
{
    const int t = ball->mesh.triangle_count++;
    for (int k = 0; k < 3; ++k) {
        ball->triangles[3 * t + k] = 3 * t + k;
        ball_corner(ball->vertices + 9 * t + 3 * k, corner, at[k][0], at[k][1], n);
    }
}

static void ball_face(struct ball *ball, const vec3 corner[3], int n)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; i + j < n; ++j) {
            ball_triangle(ball, corner, (const int[3][2]){{i, j}, {i + 1, j}, {i, j + 1}}, n);
            if (i + j + 1 < n)
                ball_triangle(ball, corner, (const int[3][2]){{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}, n);
        }
}

// A ball of 20 n^2 triangles with the volume of a sphere of this radius.
static void ball_make(struct ball *ball, int n, double radius)
{
    const double phi = 0.5 * (1.0 + sqrt(5.0));
    vec3 c[12];
    for (int i = 0; i < 12; ++i) {
        const double one = i & 1 ? -1 : 1, far = i & 2 ? -phi : phi;
        c[i] = i < 4 ? v3(0, one, far) : i < 8 ? v3(one, far, 0) : v3(far, 0, one);
    }
    ball->mesh = (tarn_mesh){0, 0, ball->vertices, ball->triangles};
    for (int i = 0; i < 12; ++i) // three vertices make a face when all are neighbours: distance 2
        for (int j = i + 1; j < 12; ++j)
            for (int k = j + 1; k < 12; ++k) {
                const vec3 e = v3_sub(c[j], c[i]), f = v3_sub(c[k], c[i]), g = v3_sub(c[k], c[j]);
                if (fmax(v3_length(e), fmax(v3_length(f), v3_length(g))) > 2.1) continue;
                const bool out = v3_dot(v3_cross(e, f), c[i]) > 0.0;
                ball_face(ball, (const vec3[3]){c[i], c[out ? j : k], c[out ? k : j]}, n);
            }
    tarn_mesh_report info;
    ball->mesh.vertex_count = 3 * ball->mesh.triangle_count;
    CHECK_OK(tarn_mesh_inspect(ball->mesh.vertex_count, ball->vertices, ball->mesh.triangle_count,
                               ball->triangles, NULL, &info, NULL));
    const double scale = radius * cbrt(4.0 / 3.0 * PI / info.volume);
    for (int k = 0; k < 3 * ball->mesh.vertex_count; ++k) ball->vertices[k] *= scale;
}

// By default a sphere has C_D = 0.47 of its cross-section, and a cube 1.05 of its face.
static void shapes_have_the_drag_of_their_kind(void **state)
{
    (void)state;
    for (int box = 0; box < 2; ++box) {
        tarn_world *w = basin_create(&(struct basin){.nx = 16, .nz = 16, .cell = 0.25, .depth = 40});
        tarn_body_def d = body_def(box ? "box" : "sphere");
        d.density = 1500, d.position = (tarn_vec3){0.1, 38, 0.2}; // a cube of 0.5 m, a ball as wide
        const tarn_body_id id = put(w, &d);
        const double area = box ? 0.25 : PI * 0.0625, volume = box ? 0.125 : PI / 48.0;
        const double want = sqrt(2.0 * 0.5 * volume * 9.81 / ((box ? 1.05 : 0.47) * area));
        run_for(w, 7);
        CHECK_NEAR(-motion_of(w, id).velocity.y, want, 0.02 * want);
        tarn_world_destroy(w);
    }
}

// Distance in 3 s of a body as dense as water from 1 m/s, submerged, without load on the water [m].
static double glide(int model, int cells, const struct ball *ball)
{
    tarn_world *w = basin_create(&(struct basin){
        .model = model, .nx = 8 * cells, .nz = 4 * cells, .cell = BODY / cells, .one_way = true});
    tarn_body_def d = tarn_default_body_def();
    d.shape = mesh_shape_of(ball->mesh), d.density = 1000;
    d.position = (tarn_vec3){-1.5, 0.5, 0.007}, d.velocity = (tarn_vec3){1, 0, 0};
    d.rotation = quat_from_rotation_vector(v3(0.3, 0.2, 0.1));
    const tarn_body_id id = put(w, &d);
    run_for(w, 3);
    const double way = motion_of(w, id).position.x + 1.5;
    tarn_world_destroy(w);
    return way;
}

// Drag does not depend on columns or triangles: the distance of M v' = -k v^2 with M = 1.5 rho V and k =
// 1/2 rho C_D sum A_eff is M/k ln(1 + k v t/M) on any grid; balls of 80 to 5,120 triangles differ by at
// most 3 %.
static void drag_depends_on_neither_grid_nor_mesh(void **state)
{
    (void)state;
    const double r = 0.25, reach = 1.5 * 4.0 / 3.0 * PI * r / (0.5 * 0.82 * BALL_DRAG),
                 want = reach * log(1.0 + 3.0 / reach);
    struct ball *ball = malloc(sizeof *ball);
    assert_non_null(ball);
    for (int model = 0; model < 2; ++model) {
        for (int n = 2, k = 0; n <= 16; n *= 2, ++k) {
            if (!in_quick_subset(model, k)) continue;
            ball_make(ball, n, r);
            const double way = glide(model, 8, ball);
            print_message("%s, %d triangles: %.4f m, theory %.4f\n", models[model], 20 * n * n, way, want);
            CHECK_NEAR(way, want, 0.03 * want);
        }
        ball_make(ball, 4, r);
        const double way = glide(model, 4, ball);
        for (int cells = 8; cells <= 32; cells *= 2) CHECK_NEAR(glide(model, cells, ball), way, 0.03 * way);
    }
    free(ball);
}

// Distance of a floating ball in 3 s from 0.5 m/s, making waves [m].
static double throw_ball(int model, int cells)
{
    tarn_world *w =
        basin_create(&(struct basin){.model = model, .nx = 8 * cells, .nz = 3 * cells, .cell = BODY / cells});
    tarn_body_def d = body_def("sphere");
    d.position = (tarn_vec3){-1.49, 1.0, 0.007}, d.velocity = (tarn_vec3){0.5, 0, 0};
    const tarn_body_id id = put(w, &d);
    run_for(w, 3);
    const double way = motion_of(w, id).position.x + 1.49;
    tarn_world_destroy(w);
    return way;
}

// With its waves a floating ball moves as far on any grid of at least eight columns per diameter, within 3
// %, and as far in `shallow` as in `wave`, since small waves are equal there.
static void range_of_thrown_balls_does_not_depend_on_the_grid(void **state)
{
    (void)state;
    const double way = throw_ball(0, 16);
    for (int model = 0; model < 2; ++model)
        for (int cells = 8; cells <= (long_mode() ? 32 : 16); cells *= 2) {
            const double here = throw_ball(model, cells);
            print_message("%s, %d columns: %.4f m\n", models[model], cells, here);
            CHECK_NEAR(here, way, 0.03 * way);
        }
}

// ---- currents and waves ---------------------------------------------------------------------------

// A body that moves with a uniform current: the largest horizontal force over 10 s beyond 1e-3 N over 1/2
// rho C_D A U^2, and the largest deviation of its speed over U.
static void drift(const struct basin *basin, int shape, tarn_vec3 current, double *force, double *stray)
{
    const double speed = v3_length(current), area = shape == SPHERE ? 0.5 * PI * 0.25 * 0.25 : 0.1 * 0.4;
    const int count = basin->nx * basin->nz;
    tarn_world *w = basin_create(basin);
    tarn_column *columns = calloc((size_t)count, sizeof *columns);
    assert_non_null(columns);
    for (int c = 0; c < count; ++c) columns[c] = (tarn_column){1.0, current.x, current.z};
    CHECK_OK(tarn_water_set_fields(w, columns, NULL));
    free(columns);
    tarn_body_def d = floating_def(shape, NULL);
    d.position = (tarn_vec3){0.013, 1.0, 0.007}, d.velocity = current;
    if (current.z != 0.0) d.rotation = (tarn_quat){cos(0.3), 0, sin(0.3), 0};
    const tarn_body_id id = put(w, &d);
    *force = *stray = 0.0;
    for (int n = 0; n < 600; ++n) {
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        const tarn_load l = load_of(w, id);
        const double push = sqrt(l.force.x * l.force.x + l.force.z * l.force.z);
        const vec3 off = v3_sub(motion_of(w, id).velocity, current);
        *force = fmax(*force, (push - 1e-3) / (0.5 * 1000 * 0.82 * area * speed * speed));
        *stray = fmax(*stray, hypot(off.x, off.z) / speed);
    }
    tarn_world_destroy(w);
}

// A body that drifts with a uniform current feels no force and keeps its speed, with or without load on
// the water: along the grid and diagonally, rotated, fast and slow. The remaining force comes from the
// quantum of depth, 2.4e-7 m: on the area of a body it weighs 1e-3 N.
static void drifting_bodies_feel_no_force(void **state)
{
    (void)state;
    static const tarn_vec3 currents[] = {{0.5, 0, 0}, {-0.4, 0, 0.3}, {0.03, 0, -0.04}, {1.5, 0, 1.0}};
    for (int k = 0; k < COUNT(currents); ++k)
        for (int shape = SPHERE; shape <= BOX; ++shape)
            for (int cells = 4; cells <= 16; cells *= 2)
                for (int both = 0; both < 2; ++both) {
                    const struct basin basin = {.model = 1,
                                                .nx = 4 * cells,
                                                .nz = 4 * cells,
                                                .cell = BODY / cells,
                                                .side = "periodic",
                                                .one_way = !both};
                    double force, stray;
                    if (!long_mode() && cells != (k ? 4 : 8)) continue;
                    drift(&basin, shape, currents[k], &force, &stray);
                    print_message("%s, %d columns, (%g, %g) m/s, %s: force %.2g, speed off by %.2g\n",
                                  shape_names[shape], cells, currents[k].x, currents[k].z,
                                  both ? "both ways" : "one way", force, stray);
                    CHECK_NEAR(force, 0.0, both ? 1e-3 : 1e-12);
                    CHECK_NEAR(stray, 0.0, both ? 1e-3 : 1e-12);
                }
}

#define WAVE_LENGTH 16.0 // [m]
#define WAVE_HEIGHT 0.02 // [m] above the rest level

// A plane wave along x: a (1, c/h) cos(k x).
static void start_wave(tarn_world *w, int model)
{
    struct fluid *f = &w->fluid;
    const double k = 2 * PI / WAVE_LENGTH, c = sqrt(9.81), late = 0.5 * f->model->substep_dt(f, w->def.dt);
    const int nx = f->grid.nx, count = nx * f->grid.nz;
    tarn_column *columns = calloc((size_t)count, sizeof *columns);
    assert_non_null(columns);
    for (int n = 0; n < count; ++n) {
        const double x = grid_cell_x(&f->grid, n % nx), h = 1.0 + WAVE_HEIGHT * cos(k * x);
        columns[n] = (tarn_column){h, 2.0 * (sqrt(9.81 * h) - c), 0.0}; // a simple wave
        // `wave` has a potential, half a step behind: phi_t = h - rest level
        const float depth = (float)(h - 1.0),
                    push = (float)(-WAVE_HEIGHT / (k * c) * sin(k * (x + c * late)));
        if (model == 0) f->model->height_field->add_water(f, n / nx, n % nx, n % nx + 1, &depth, &push);
    }
    if (model == 1) CHECK_OK(tarn_water_set_fields(w, columns, NULL));
    free(columns);
}

// A small body in a long wave follows it, amplitude and phase within 5 %: its heave relative to the phase
// of the wave at its position is a complex amplitude, and its distance from that of the wave is less than
// 5 %.
static void small_bodies_follow_long_waves(void **state)
{
    (void)state;
    const double k = 2 * PI / WAVE_LENGTH, c = sqrt(9.81), period = WAVE_LENGTH / c;
    const int before = (int)(60 * period), steps = (int)(60 * 2 * period + 0.5);
    for (int model = 0; model < 2; ++model) {
        tarn_world *w = basin_create(
            &(struct basin){.model = model, .nx = 128, .nz = 8, .cell = 0.125, .side = "periodic"});
        start_wave(w, model);
        tarn_body_def d = body_def("sphere");
        set_shape_number(&d, "radius", 0.1);
        d.position = (tarn_vec3){0, 1.0 + WAVE_HEIGHT, 0}, d.velocity = (tarn_vec3){WAVE_HEIGHT * c, 0, 0};
        const tarn_body_id id = put(w, &d);
        double a = 0.0, b = 0.0;
        for (int n = 0; n < before + steps; ++n) {
            CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
            const tarn_body_state m = motion_of(w, id);
            const double phase = k * (m.position.x - c * tarn_world_get_status(w).time),
                         y = m.position.y - 1.0;
            if (n >= before) a += 2 * y * cos(phase) / steps, b += 2 * y * sin(phase) / steps;
        }
        print_message("%s: heave %.5f %+.5f i, wave %.5f\n", models[model], a, b, WAVE_HEIGHT);
        CHECK_NEAR(hypot(a - WAVE_HEIGHT, b) / WAVE_HEIGHT, 0.0, 0.05);
        tarn_world_destroy(w);
    }
}

// ---- light and heavy ------------------------------------------------------------------------------

// A dropped body with a hundredth of the density of water is at rest after 8 s: within a thousandth of its
// size.
static void light_bodies_do_not_jitter(void **state)
{
    (void)state;
    for (int model = 0; model < 2; ++model)
        for (int shape = SPHERE; shape <= TORUS; ++shape) {
            if (!in_quick_subset(model, shape)) continue;
            tarn_world *w = basin_create(&(struct basin){.model = model, .nx = 32, .nz = 32, .cell = 0.0625});
            tarn_body_def d = floating_def(shape, NULL);
            d.density = 10, d.position = (tarn_vec3){0.013, 1.4, 0.007};
            const tarn_body_id id = put(w, &d);
            double low = 1e9, high = -1e9, fastest = 0.0;
            run_for(w, 8);
            for (int n = 0; n < 240; ++n) {
                CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
                const tarn_body_state m = motion_of(w, id);
                low = fmin(low, m.position.y), high = fmax(high, m.position.y);
                fastest = fmax(fastest, fabs(m.velocity.y));
            }
            print_message("%s, %s: y within %.2g m, |v_y| < %.2g m/s\n", shape_names[shape], models[model],
                          high - low, fastest);
            CHECK_NEAR(high - low, 0.0, 1e-3 * BODY);
            CHECK_NEAR(fastest, 0.0, 1e-2 * BODY);
            tarn_world_destroy(w);
        }
}

// A stone with three times the density of water sinks to the floor 1 m below: once submerged it never
// surfaces again, however it bounces there.
static void heavy_bodies_do_not_surface_again(void **state)
{
    (void)state;
    for (int model = 0; model < 2; ++model)
        for (int shape = SPHERE; shape <= TORUS; ++shape) {
            if (!in_quick_subset(model, shape)) continue;
            tarn_world *w = basin_create(&(struct basin){.model = model, .nx = 32, .nz = 32, .cell = 0.0625});
            tarn_body_def d = floating_def(shape, NULL);
            d.density = 3000, d.position = (tarn_vec3){0.013, 1.6, 0.007};
            const tarn_body_id id = put(w, &d);
            bool under = false;
            for (int n = 0; n < 360; ++n) {
                CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
                const double part = load_of(w, id).submerged_fraction;
                under = under || part > 1.0 - 1e-9;
                if (under) CHECK_NEAR(part, 1.0, 1e-9);
            }
            assert_true(under);
            tarn_world_destroy(w);
        }
}

// A body released 2.5 m under water arrives at most at its terminal speed, v^2 = 2 (1 - s) g V/(C_D A).
// While it passes the surface, its wetted faces look backwards and have no drag; water with an added mass
// of one half accelerates it with at most (1 - s)/(s + 1/2) g. So it rises above the water by at most
// v^2/2g and that many of its heights.
static void bodies_surface_no_higher_than_buoyancy_allows(void **state)
{
    (void)state;
    static const double densities[] = {10, 100, 500};
    for (int model = 0; model < 2; ++model)
        for (int box = 0; box < 2; ++box)
            for (int k = 0; k < COUNT(densities); ++k) {
                if (!in_quick_subset(model, box + k)) continue;
                tarn_world *w = basin_create(
                    &(struct basin){.model = model, .nx = 32, .nz = 32, .cell = 0.125, .depth = 3});
                tarn_body_def d = floating_def(box ? BOX : SPHERE, NULL);
                d.density = densities[k], d.position = (tarn_vec3){0.013, 0.5, 0.007};
                const tarn_body_id id = put(w, &d);
                const double volume = box ? 0.5 * 0.2 * 0.4 : 4.0 / 3.0 * PI * 0.25 * 0.25 * 0.25;
                const double area = box ? 0.5 * 0.4 + 0.1 * 2 * (0.5 + 0.4) * 0.2 : BALL_DRAG * 0.25 * 0.25;
                const double ratio = 1e-3 * densities[k], height = box ? 0.2 : 0.5;
                const double leap = (1.0 - ratio) * (volume / (0.82 * area) + height / (ratio + 0.5));
                double highest = 0.0;
                for (int n = 0; n < 360; ++n) {
                    CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
                    highest = fmax(highest, motion_of(w, id).position.y);
                }
                const double clear = highest - 3.0 - 0.5 * height;
                print_message("%s, %s of density %g: clear of the water by %.3f m, at most %.3f\n",
                              models[model], box ? "box" : "ball", densities[k], clear, leap);
                assert_true(clear < leap);
                tarn_world_destroy(w);
            }
}

// ---- at the limits --------------------------------------------------------------------------------

// Bodies and water together never have more energy than at the start plus the input, except for 3 % of the
// disturbance; and in the second half of the time they regain at most that fraction of what they have
// lost. `input` is energy that the start does not contain.
static void follow_energy(const char *name, tarn_world *w, double time, double input)
{
    const double start = energy(w) + input;
    double most = 0.0, least = start, climb = 0.0;
    for (int n = 0; n < 60 * time; ++n) {
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        const double now = energy(w);
        most = fmax(most, now - start);
        if (n > 30 * time) climb = fmax(climb, now - least);
        least = fmin(least, now);
    }
    const double disturbance = start - least;
    print_message("%s: %.4g J, gains %.2g of it over the start, %.2g late\n", name, disturbance,
                  most / disturbance, climb / disturbance);
    CHECK_NEAR(most / disturbance, 0.0, 0.03);
    CHECK_NEAR(climb / disturbance, 0.0, 0.03);
    tarn_world_destroy(w);
}

static const tarn_vec3 raft = {0.5, 0.2, 0.5};

// A hull of 2 m in waves of half a metre.
static void long_hulls_in_short_waves_gain_no_energy(void **state)
{
    (void)state;
    for (int model = 0; model < 2; ++model) {
        tarn_world *w = basin_create(&(struct basin){.model = model, .nx = 96, .nz = 48, .cell = 1.0 / 24});
        add_box(w, (tarn_vec3){2, 0.3, 0.4}, 400, (tarn_vec3){0.013, 1.03, 0.007});
        add_hump(w, -0.5, 0.6, 0.15, 0.15);
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0)); // the hump is emitted
        follow_energy(models[model], w, 10, 0.0);
    }
}

// Two rafts dropped over the same columns; then a ball that rises under a raft.
static void bodies_that_share_columns_gain_no_energy(void **state)
{
    (void)state;
    for (int model = 0; model < 2; ++model) {
        const struct basin basin = {.model = model, .nx = 32, .nz = 32, .cell = 0.1};
        tarn_world *w = basin_create(&basin);
        add_box(w, raft, 400, (tarn_vec3){-0.26, 1.15, 0.007});
        add_box(w, raft, 300, (tarn_vec3){0.26, 1.12, 0.007});
        follow_energy("side by side", w, 10, 0.0);
        w = basin_create(&basin);
        add_box(w, (tarn_vec3){0.8, 0.2, 0.8}, 400, (tarn_vec3){0.013, 1.02, 0.007});
        add_sphere(w, 0.2, 500, (tarn_vec3){0.05, 0.4, 0.02});
        follow_energy("one above the other", w, 10, 0.0);
    }
}

// A raft dropped beside a wall, and one that is half over an open boundary: columns outside the grid have
// no load.
static void bodies_at_boundaries_gain_no_energy(void **state)
{
    (void)state;
    for (int model = 0; model < 2; ++model)
        for (int open = 0; open < 2; ++open) {
            tarn_world *w = basin_create(&(struct basin){
                .model = model, .nx = 32, .nz = 32, .cell = 0.1, .side = open ? "open" : "wall"});
            add_box(w, raft, 400, (tarn_vec3){open ? 1.58 : 1.349, 1.15, 0.007});
            follow_energy(open ? "half over an open side" : "at a wall", w, 10, 0.0);
        }
}

// A raft thrown along the surface at three times the speed of waves. Half of the water that it displaces
// starts with it: that is input.
static void bodies_faster_than_waves_gain_no_energy(void **state)
{
    (void)state;
    for (int model = 0; model < 2; ++model) {
        tarn_world *w = basin_create(&(struct basin){.model = model, .nx = 160, .nz = 32, .cell = 0.1});
        tarn_body_def d = body_def("box");
        CHECK_OK(set_shape(&d, "size", tarn_value_vec3(raft.x, raft.y, raft.z), NULL));
        d.position = (tarn_vec3){-7, 1, 0.007}, d.velocity = (tarn_vec3){3 * sqrt(9.81), 0, 0};
        put(w, &d);
        const double mass = 500 * raft.x * raft.y * raft.z;
        follow_energy(models[model], w, 5, 0.9 * 0.5 * 0.5 * mass * 9 * 9.81);
    }
}

// ---- contacts under water ----------------------------------------------------------------------------

// A heavy ball hits a light one, both deep under water. Each has an added mass of half of its volume, so
// that the light one leaves with 2 M/(M + m) of the speed of the heavy one, M and m with added mass: 1.49.
// Without it, it would be 1.98.
static void impulses_include_added_mass(void **state)
{
    (void)state;
    const struct basin basin = {.nx = 64, .nz = 32, .cell = 0.05, .depth = 1.0, .one_way = true, .dt = 5e-4};
    tarn_world *w = basin_create(&basin);
    tarn_body_def d = body_def("sphere");
    tarn_body_id ids[2];
    set_shape_number(&d, "radius", 0.1);
    d.drag_coefficient = d.lift_coefficient = 0.0, d.restitution = 1.0, d.friction = 0.0;
    for (int k = 0; k < 2; ++k) {
        d.density = k ? 10.0 : 1000.0;
        d.position = v3(0.205 * k, 0.5, 0.0), d.velocity = v3(k ? 0.0 : 5.0, 0.0, 0.0);
        ids[k] = put(w, &d);
    }
    for (int n = 0; n < 10; ++n) CHECK_OK(tarn_world_advance(w, basin.dt)); // they collide after 1 ms
    const double heavy = 1000.0 + 500.0, light = 10.0 + 500.0, per = 5.0 / (heavy + light);
    // In 5 ms buoyancy lifts the light one by 2 % of its speed and turns the line between both by as much.
    CHECK_NEAR(motion_of(w, ids[0]).velocity.x, per * (heavy - light), 0.01 * 5.0);
    CHECK_NEAR(motion_of(w, ids[1]).velocity.x, per * 2.0 * heavy, 0.01 * 5.0);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heave_and_roll_have_their_periods),
        cmocka_unit_test(sinking_balls_reach_terminal_speed),
        cmocka_unit_test(shapes_have_the_drag_of_their_kind),
        cmocka_unit_test(drag_depends_on_neither_grid_nor_mesh),
        cmocka_unit_test(range_of_thrown_balls_does_not_depend_on_the_grid),
        cmocka_unit_test(drifting_bodies_feel_no_force),
        cmocka_unit_test(small_bodies_follow_long_waves),
        cmocka_unit_test(light_bodies_do_not_jitter),
        cmocka_unit_test(heavy_bodies_do_not_surface_again),
        cmocka_unit_test(bodies_surface_no_higher_than_buoyancy_allows),
        cmocka_unit_test(long_hulls_in_short_waves_gain_no_energy),
        cmocka_unit_test(bodies_that_share_columns_gain_no_energy),
        cmocka_unit_test(bodies_at_boundaries_gain_no_energy),
        cmocka_unit_test(bodies_faster_than_waves_gain_no_energy),
        cmocka_unit_test(impulses_include_added_mass),
    };
    return cmocka_run_group_tests_name("hydrodynamics", tests, NULL, NULL);
}
