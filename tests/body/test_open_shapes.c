// Open boxes, cylinders, lathes and Wigley hulls: mass properties of the walls; the hull contains walls
// and compartment. (Open meshes: test_open_meshes.c)
#include "bodies_fixture.h"
#include "body_def.h"
#include "open_shapes.h"

// ---- walls ------------------------------------------------------------------------------------------

// A box of plates: volume, first and second moments are sums.
struct pile {
    double volume, first, xx, yy, zz; // about the origin
};

static void add_plate(struct pile *p, vec3 at, vec3 size)
{
    const double v = size.x * size.y * size.z;
    p->volume += v;
    p->first += v * at.y;
    p->xx += v * (at.x * at.x + size.x * size.x / 12);
    p->yy += v * (at.y * at.y + size.y * size.y / 12);
    p->zz += v * (at.z * at.z + size.z * size.z / 12);
}

static vec3 inertia_of(const struct pile *p, double *centre)
{
    *centre = p->first / p->volume;
    const double yy = p->yy - p->first * *centre;
    return v3(yy + p->zz, p->zz + p->xx, p->xx + yy);
}

static void open_boxes_equal_five_plates(void **state)
{
    (void)state;
    const double cases[][4] = {
        {0.5, 0.5, 0.5, 0.05}, {2, 0.4, 1, 0.01}, {0.1, 3, 0.2, 0.04}, {90, 20, 30, 1e-4}};
    for (int k = 0; k < COUNT(cases); ++k) {
        const vec3 size = v3(cases[k][0], cases[k][1], cases[k][2]);
        const double w = cases[k][3], deep = size.y - w, inside = size.x - 2 * w;
        struct pile p = {0};
        add_plate(&p, v3(0, w / 2, 0), v3(size.x, w, size.z));
        for (int s = -1; s <= 1; s += 2) {
            add_plate(&p, v3(s * (size.x - w) / 2, w + deep / 2, 0), v3(w, deep, size.z));
            add_plate(&p, v3(0, w + deep / 2, s * (size.z - w) / 2), v3(inside, deep, w));
        }
        struct shape_data f = make(open_box(size, w));
        double centre, low, high;
        const vec3 inertia = inertia_of(&p, &centre);
        check_mass(&f, p.volume, inertia, 1e-9); // walls of 1e-6 of the box lose 6 digits
        heights(&f.hull, &low, &high);
        CHECK_NEAR(low, -centre, 1e-9 * size.y);
        CHECK_NEAR(high, size.y - centre, 1e-9 * size.y);
        heights(&f.compartment, &low, &high);
        CHECK_NEAR(low, w - centre, 1e-9 * size.y);
        CHECK_NEAR(f.compartment_volume, inside * deep * (size.z - 2 * w), 1e-12 * f.compartment_volume);
        CHECK_NEAR(support_all(&f, v3(0, 1, 0)), size.y - centre, 1e-9 * size.y);
        assert_int_equal(f.opening_count, 4);
        check_open(&f);
        check_mirror(&f, v3(-1, 1, 1));
        check_mirror(&f, v3(1, 1, -1));
        shape_data_free(&f, &heap);
    }
}

// A disc and a tube on it.
static void open_cylinders_equal_a_disc_and_a_tube(void **state)
{
    (void)state;
    const double cases[][3] = {{0.25, 0.5, 0.02}, {2, 0.3, 0.001}, {0.1, 4, 0.09}};
    for (int k = 0; k < COUNT(cases); ++k) {
        const double r = cases[k][0], h = cases[k][1], w = cases[k][2], in = r - w, deep = h - w;
        const double disc = PI * r * r * w, tube = PI * (r * r - in * in) * deep, v = disc + tube;
        const double centre = (disc * w / 2 + tube * (w + deep / 2)) / v;
        const double along = (disc * r * r + tube * (r * r + in * in)) / 2;
        const double across = along / 2 + disc * (w * w / 12 + (w / 2 - centre) * (w / 2 - centre)) +
                              tube * (deep * deep / 12 + (w + deep / 2 - centre) * (w + deep / 2 - centre));
        const double rows[][2] = {{r, 7}, {r, 7 + h}};
        const tarn_spec specs[] = {with(sized("cylinder", "radius", r, "height", h), "wall_thickness", w),
                                   with(table("lathe", 2, rows[0]), "wall_thickness", w)};
        for (int n = 0; n < 2; ++n) {
            struct shape_data f = make(specs[n]);
            double low, high;
            check_mass(&f, v, v3(across, along, across), 1e-9);
            CHECK_NEAR(f.compartment_volume, PI * in * in * deep, 1e-9 * f.compartment_volume);
            heights(&f.hull, &low, &high);
            CHECK_NEAR(low, -centre, 1e-12 * h);
            heights(&f.compartment, &low, &high);
            CHECK_NEAR(low, w - centre, 1e-12 * h);
            CHECK_NEAR(high, h - centre, 1e-12 * h);
            check_open(&f);
            check_mirror(&f, v3(-1, 1, 1));
            check_mirror(&f, v3(1, 1, -1));
            shape_data_free(&f, &heap);
        }
    }
}

// The radius of a profile at a height.
static double radius_at(const double (*rows)[2], int count, double y)
{
    int i = 0;
    while (i < count - 2 && rows[i + 1][1] < y) ++i;
    return rows[i][0] + (y - rows[i][1]) / (rows[i + 1][1] - rows[i][1]) * (rows[i + 1][0] - rows[i][0]);
}

// Open lathes against thin rings: the compartment begins at the floor or above the highest point where
// walls meet.
static void open_lathes_have_walls_of_constant_thickness(void **state)
{
    (void)state;
    static const struct {
        int rows;
        double wall, bottom; // [m] of the compartment
        double profile[6][2];
    } cases[] = {
        {3, 0.02, 0.02, {{0, 0}, {0.3, 0.05}, {0.5, 0.3}}},
        {2, 0.05, 0.1, {{0, 0}, {0.5, 1}}}, // a cone: walls meet above the floor
        {4, 0.1, 0.85, {{0.3, 0}, {0.3, 0.5}, {0.05, 0.8}, {0.55, 1.3}}}, // a cup on a foot
        {4, 0.1, 0.1, {{0.3, 0}, {0.3, 0.1}, {0.6, 0.4}, {0.2, 1}}},      // a floor at a point; a narrow neck
    };
    for (int k = 0; k < COUNT(cases); ++k) {
        const int rows = cases[k].rows, n = 100000;
        const double w = cases[k].wall, top = cases[k].profile[rows - 1][1];
        double volume = 0, held = 0, first = 0, second = 0, along = 0;
        for (int i = 0; i < n; ++i) {
            const double y = (i + 0.5) / n * top, r = radius_at(cases[k].profile, rows, y);
            const double in = y > cases[k].bottom ? r - w : 0, dv = PI * (r * r - in * in) * top / n;
            volume += dv, first += y * dv, second += y * y * dv, along += 0.5 * (r * r + in * in) * dv;
            held += PI * in * in * top / n;
        }
        const double across = 0.5 * along + second - first * first / volume;
        struct shape_data f = make(with(table("lathe", rows, cases[k].profile[0]), "wall_thickness", w));
        double low, high;
        check_mass(&f, volume, v3(across, along, across), 1e-5); // 1/n at the floor
        CHECK_NEAR(f.compartment_volume, held, 1e-5 * held);
        heights(&f.compartment, &low, &high);
        CHECK_NEAR(low, cases[k].bottom - first / volume, 1e-5);
        CHECK_NEAR(high, top - first / volume, 1e-5);
        check_open(&f);
        shape_data_free(&f, &heap);
    }
}

// Volume B L (2/3) (2/3 T + f) and moment B L (2/3) (f^2/2 - T^2/4) of a Wigley hull, minus those of the
// inner one.
static void open_wigley_hulls_equal_outer_minus_inner_hull(void **state)
{
    (void)state;
    const double ships[][5] = {{2.5, 0.25, 0.15625, 0.1, 0.01}, {10, 3, 1, 0, 0.05}, {1, 0.2, 0.3, 2, 1e-3}};
    for (int k = 0; k < COUNT(ships); ++k) {
        double volume[2], moment[2];
        const double *d = ships[k], f = d[3];
        for (int n = 0; n < 2; ++n) {
            const double w = n * d[4], a = (d[0] - 2 * w) * (d[1] - 2 * w) * 2 / 3, t = d[2] - w;
            volume[n] = a * (2 * t / 3 + f);
            moment[n] = a * (f * f / 2 - t * t / 4);
        }
        tarn_spec s = sized("wigley", "length", d[0], "breadth", d[1]);
        struct shape_data g =
            make(with(with(with(s, "draft", d[2]), "freeboard", f), "wall_thickness", d[4]));
        const double v = volume[0] - volume[1], centre = (moment[0] - moment[1]) / v;
        const struct volume_moments surface = trimesh_moments(&g.solid_surface);
        const mat3 i = inertia_of_moments(&surface);
        double low, high;
        CHECK_NEAR(g.volume, v, 1e-12 * volume[0]);
        CHECK_NEAR(g.compartment_volume, volume[1], 1e-12 * volume[0]);
        heights(&g.hull, &low, &high);
        CHECK_NEAR(low, -d[2] - centre, 1e-9 * d[2]);
        CHECK_NEAR(high, f - centre, 1e-9 * d[2]);
        heights(&g.compartment, &low, &high);
        CHECK_NEAR(low, d[4] - d[2] - centre, 1e-9 * d[2]);
        for (int a = 0; a < 3; ++a) // 24 sections are not a curve; thin walls are most sensitive to that
            CHECK_NEAR(i.m[a][a], g.inertia.m[a][a], 2e-2 * g.inertia.m[1][1]);
        check_open(&g);
        check_mirror(&g, v3(-1, 1, 1));
        check_mirror(&g, v3(1, 1, -1));
        shape_data_free(&g, &heap);
    }
}

static void walls_thicker_than_the_shape_are_rejected(void **state)
{
    (void)state;
    const double cone[][2] = {{0.5, 0}, {0, 1}}, neck[][2] = {{0.5, 0}, {0.5, 0.4}, {0.04, 0.999}, {0.06, 1}};
    refuse(NULL, open_box(v3(0.5, 0.5, 0.5), 0.25), "wall_thickness", "no space inside");
    refuse(NULL, open_box(v3(5, 0.2, 5), 0.25), "wall_thickness", "0.2 m high");
    refuse(NULL, open_box(v3(5, 5, 5), 1e-6), "wall_thickness", "below the minimum");
    refuse(NULL, with(spec_of("cylinder"), "wall_thickness", 0.2499), "wall_thickness", "0.5 m wide");
    refuse(NULL, with(spec_of("wigley"), "wall_thickness", 0.125), "wall_thickness", "no space inside");
    refuse(NULL, with(table("lathe", 2, cone[0]), "wall_thickness", 0.01), "wall_thickness",
           "is not less than the radius of the top, 0 m");
    refuse(NULL, with(table("lathe", 4, neck[0]), "wall_thickness", 0.05), "wall_thickness", "walls meet");
    tarn_spec s = spec_of("box");
    assert_int_equal(tarn_spec_set(&s, "wall_thickness", tarn_value_number(-0.1), NULL), TARN_BAD_INPUT);
}

// ---- parts, sharing ---------------------------------------------------------------------------------

// A keel below a rotated boat: the compartment rotates with it, and mass and volumes are sums.
static void compounds_keep_the_compartments_of_their_parts(void **state)
{
    (void)state;
    struct shape_data boat = make(open_box(v3(1, 0.4, 0.6), 0.05)), keel = make(spec_of("sphere"));
    struct shape_part parts[] = {
        {.shape = open_box(v3(1, 0.4, 0.6), 0.05), .position = {1, 2, 3}, .rotation = askew},
        {.shape = spec_of("sphere"), .position = {1, 1, 3}, .rotation = {1, 0, 0, 0}}};
    const struct shape_input in = {.parts = parts, .part_count = 2};
    const tarn_spec s = spec_of("compound");
    struct shape_data f;
    tarn_error err;
    CHECK_OK(try_make(&in, &s, &f, &err));
    CHECK_NEAR(f.volume, boat.volume + keel.volume, 1e-12);
    CHECK_NEAR(f.compartment_volume, boat.compartment_volume, 0);
    CHECK_NEAR(trimesh_moments(&f.compartment).volume, boat.compartment_volume, 1e-12);
    CHECK_NEAR(trimesh_moments(&f.hull).volume, f.volume + f.compartment_volume, 1e-12);
    CHECK_NEAR(trimesh_moments(&f.solid_surface).volume, f.volume, 1e-12);
    CHECK_NEAR(v3_length(trimesh_moments(&f.solid_surface).centroid), 0, 1e-12);
    check_closed(&f.compartment);
    check_closed(&f.solid_surface);
    const vec3 up = quat_rotate(askew, v3(0, 1, 0));
    for (int i = 0; i < f.opening_count; ++i)
        CHECK_NEAR(v3_dot(up, v3_sub(f.opening[i], f.opening[0])), 0, 1e-12);
    shape_data_free(&f, &heap);
    parts[1].shape = with(spec_of("cylinder"), "wall_thickness", 0.01);
    assert_int_equal(try_make(&in, &s, &f, &err), TARN_BAD_INPUT);
    assert_string_equal(err.message, "2 shapes are open; at most one is allowed");
    shape_data_free(&boat, &heap);
    shape_data_free(&keel, &heap);
}

static void only_equal_walls_have_equal_content(void **state)
{
    (void)state;
    const double walls[] = {0, 0.01, 0.02, 0.01};
    const tarn_shape *of[COUNT(walls)];
    for (int k = 0; k < COUNT(walls); ++k)
        of[k] = shape_of((tarn_shape_def){.type = TARN_SHAPE_BOX, .box = {{0.5, 0.5, 0.5}, walls[k]}});
    assert_true(of[1]->content == of[3]->content);
    assert_true(of[0]->content != of[1]->content);
    assert_true(of[2]->content != of[1]->content);
    assert_int_equal(of[0]->mesh.triangle_count, of[0]->data.hull.triangle_count);
    assert_int_equal(of[1]->mesh.triangle_count,
                     of[1]->data.solid_surface.triangle_count); // images show the inside
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_boxes_equal_five_plates),
        cmocka_unit_test(open_cylinders_equal_a_disc_and_a_tube),
        cmocka_unit_test(open_lathes_have_walls_of_constant_thickness),
        cmocka_unit_test(open_wigley_hulls_equal_outer_minus_inner_hull),
        cmocka_unit_test(walls_thicker_than_the_shape_are_rejected),
        cmocka_unit_test(compounds_keep_the_compartments_of_their_parts),
        cmocka_unit_test(only_equal_walls_have_equal_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
