// Floating bodies: drafts, equilibrium angles, rest.
#include "body_def.h"
#include "floating.h"

static tarn_mesh bunny; // none if it is not installed

static bool have(int shape) { return shape != BUNNY || bunny.vertices; }

// ---- drafts ---------------------------------------------------------------------------------------

#define RATIOS 10 // 0.1 .. 0.9, by the first digit

// With the 70,000 triangles of the bunny and the finest columns, three of them are enough in a quick run.
static bool wanted(int shape, int cells, int ratio)
{
    return long_mode() || ratio % 4 == 1 || (shape != BUNNY && cells < 64);
}

// Fixed where its weight equals the buoyancy in still water, after two steps of the water.
static void check_drafts(int shape, int model, int cells, const double *height, quat rotation)
{
    tarn_world *w =
        basin_create(&(struct basin){.model = model, .nx = 3 * cells, .nz = 3 * cells, .cell = BODY / cells});
    tarn_body_def d = floating_def(shape, &bunny);
    d.type = TARN_BODY_KINEMATIC, d.rotation = rotation;
    for (int k = 1; k < RATIOS; ++k) {
        if (!wanted(shape, cells, k)) continue;
        d.density = 100.0 * k;
        d.position = (tarn_vec3){0.013, height[k], 0.007}; // not aligned with the grid
        const tarn_body_id id = put(w, &d);
        run_for(w, 2.0 / 60.0);
        const tarn_load l = load_of(w, id);
        tarn_body_info f;
        CHECK_OK(tarn_body_get_info(w, id, &f));
        CHECK_NEAR(l.submerged_fraction, 0.1 * k, 1e-3 * 0.1 * k);
        CHECK_NEAR(l.force.y, f.mass * 9.81, 1e-3 * f.mass * 9.81);
        CHECK_OK(tarn_body_destroy(w, id));
    }
    tarn_world_destroy(w);
}

// Archimedes for fixed bodies: the submerged fraction is the density ratio within 0.1 % for every shape in
// any pose, on columns of a fourth to a sixty-fourth of the body.
static void drafts_obey_archimedes(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; ++shape) {
        if (!have(shape)) continue;
        const tarn_body_def d = floating_def(shape, &bunny);
        const quat askew = quat_mul(quat_from_rotation_vector(v3(0.2, 0.3, -0.25)), d.rotation);
        struct buoyancy_probe s = probe_create(&d);
        double height[RATIOS] = {0};
        for (int k = 1; k < RATIOS; ++k)
            if (wanted(shape, 4, k)) height[k] = probe_height(&s, 100.0 * k, askew);
        for (int model = 0; model < 2; ++model)
            for (int cells = 4; cells <= 64; cells *= 4) check_drafts(shape, model, cells, height, askew);
        probe_destroy(&s);
    }
}

// A body released away from its equilibrium, and its pose some time later.
static void check_settled(int shape, int model, double density, int cells, double time)
{
    tarn_world *w =
        basin_create(&(struct basin){.model = model, .nx = 3 * cells, .nz = 3 * cells, .cell = BODY / cells});
    tarn_body_def d = floating_def(shape, &bunny);
    d.density = density;
    d.position = (tarn_vec3){0.013, 1.05, 0.007};
    d.rotation = quat_mul(quat_from_rotation_vector(v3(0.1, 0, -0.07)), d.rotation);
    const tarn_body_id id = put(w, &d);
    run_for(w, time);
    if (long_mode())
        print_message("%s of density %g, %s, %d columns\n", shape_names[shape], density, models[model],
                      cells);
    CHECK_NEAR(load_of(w, id).submerged_fraction, 1e-3 * density, 1e-3 * 1e-3 * density);
    tarn_world_destroy(w);
}

// Archimedes for settled bodies. Densities at which each floats in the orientation in which it was
// inserted; the first of each has settled in 25 s, all have in a minute. Bodies almost as dense as water
// take longer: they are covered by the law above.
static void free_bodies_settle_at_their_draft(void **state)
{
    (void)state;
    static const double densities[][3] = {{500, 200, 700}, {300, 150, 700}, {700, 300, 500},
                                          {400, 300, 500}, {250, 500, 700}, {500, 300, 600}};
    for (int shape = SPHERE; shape < BUNNY; ++shape) {
        check_settled(shape, shape % 2, densities[shape][0], 8, 25);
        if (!long_mode()) continue;
        for (int model = 0; model < 2; ++model)
            for (int k = 0; k < 3; ++k)
                for (int cells = 4; cells <= 16; cells *= 2)
                    check_settled(shape, model, densities[shape][k], cells, 60);
    }
}

// ---- angles ---------------------------------------------------------------------------------------

// Tilt of a long square bar from face-down [degrees] after [reid1963, gilbert1991, feigel2021]. The rows
// are at least 0.002 from the densities at which it begins to tilt and at which it floats on an edge.
static const double tilts[][2] = {{0.1, 0},         {0.2, 0},          {0.215, 9.03774}, {0.235, 21.63380},
                                  {0.25, 26.56505}, {0.275, 36.52129}, {0.29, 45},       {0.5, 45},
                                  {0.71, 45},       {0.73, 33.69007},  {0.76, 23.48549}, {0.8, 0}};

// Angle of a square about x, between floating on a face (0) and on an edge (45).
static double tilt_of(quat rotation)
{
    const vec3 y = quat_rotate(rotation, v3(0, 1, 0));
    const double turn = fmod(fabs(atan2(y.z, y.y)) * 180.0 / PI, 90.0);
    return turn > 45.0 ? 90.0 - turn : turn;
}

// A bar of six widths, released 12 degrees from its equilibrium with much drag, which does not change the
// equilibrium.
static void check_tilt(int model, const double row[2])
{
    const double width = 0.2, start = row[1] > 22.5 ? row[1] - 12.0 : row[1] + 12.0;
    tarn_world *w = basin_create(&(struct basin){.model = model, .nx = 40, .nz = 20, .cell = 0.05});
    tarn_body_def d = body_def("box");
    CHECK_OK(set_shape(&d, "size", tarn_value_vec3(6 * width, width, width), NULL));
    d.density = 1000.0 * row[0], d.drag_coefficient = 50.0;
    d.position = (tarn_vec3){0.013, 1.0 + width * (0.5 - row[0]), 0.007};
    d.rotation = quat_from_rotation_vector(v3(start * PI / 180.0, 0, 0));
    const tarn_body_id id = put(w, &d);
    run_for(w, 15);
    CHECK_NEAR(tilt_of(motion_of(w, id).rotation), row[1], 1.0);
    tarn_world_destroy(w);
}

static void square_bars_float_at_their_stable_angle(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(tilts); ++k)
        for (int model = 0; model < 2; ++model)
            if (in_quick_subset(model, k)) check_tilt(model, tilts[k]);
}

// ---- rest -----------------------------------------------------------------------------------------

// The largest wave in 20 s around a body that is inserted at rest into still water.
static double waves_of(int shape, int model, int cells)
{
    tarn_world *w = basin_create(&(struct basin){
        .model = model, .nx = 3 * cells, .nz = 3 * cells, .cell = BODY / cells, .side = "wall"});
    tarn_body_def d = floating_def(shape, &bunny);
    struct buoyancy_probe s = probe_create(&d);
    if (shape == BUNNY)
        d.rotation = (quat){0.630220, 0.752448, -0.156829, 0.109769}; // near one of its equilibria
    double y = probe_height(&s, d.density, d.rotation), most = 0.0;
    const bool rests = probe_rest(&s, d.density, &y, &d.rotation);
    assert_true(rests || shape == SPHERE); // a ball is in equilibrium in any orientation
    probe_destroy(&s);
    d.position = (tarn_vec3){0.013, y, 0.007};
    put(w, &d);
    for (int n = 0; n < 1200; ++n) {
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        most = fmax(most, max_surface_deviation(w, 1.0));
    }
    print_message("%s, %s, %d columns: %.2g m\n", shape_names[shape], models[model], cells, most);
    tarn_world_destroy(w);
    return most;
}

static void rest_in(int model, double most)
{
    for (int shape = 0; shape < SHAPES; ++shape)
        for (int cells = 4; cells <= 16; cells *= 2) {
            if (!have(shape) || (!long_mode() && (shape == BUNNY || cells != 8))) continue;
            CHECK_NEAR(waves_of(shape, model, cells), 0.0, most);
        }
}

// A body inserted in equilibrium into still water makes no wave above 1e-5 m in 20 s.
static void bodies_at_rest_make_no_waves(void **state)
{
    (void)state;
    for (int model = 0; model < 2; ++model) rest_in(model, 1e-5);
    CHECK_NEAR(waves_of(TORUS, 1, 16), 0.0,
               1e-5); // water inside a torus can oscillate against the water below it
}

static int read_bunny(void **state)
{
    (void)state;
    if (!bunny_read(&bunny)) print_message("without the bunny (Debian: glmark2-data)\n");
    return 0;
}

static int free_bunny(void **state)
{
    (void)state;
    bunny_free(&bunny);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drafts_obey_archimedes),
        cmocka_unit_test(free_bodies_settle_at_their_draft),
        cmocka_unit_test(square_bars_float_at_their_stable_angle),
        cmocka_unit_test(bodies_at_rest_make_no_waves),
    };
    return cmocka_run_group_tests_name("float", tests, read_bunny, free_bunny);
}
