// Wigley hulls, convex hulls, meshes and compounds: mass properties against independent integrals, hulls
// of the same volume; errors name the defect, and missing memory is a result. (Solids of revolution:
// test_revolved_shapes.c)
#include "counting_allocator.h"
#include "shapes.h"

#include "polyhedra.h"

// ---- a ship -----------------------------------------------------------------------------------------

static double half_breadth(const double *d, double x, double y) // length, breadth, draft
{
    const double a = 2 * x / d[0], b = y < 0 ? y / d[2] : 0;
    return d[1] / 2 * (1 - a * a) * (1 - b * b);
}

// Volume and height of the centre; second moments about it. Gauss quadrature with four points is exact for
// degree 7, and b^3 has degree 6.
static double integrate_ship(const double *d, double *centre, vec3 *second)
{
    static const double at[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                0.8611363115940526};
    static const double weight[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                    0.3478548451374538};
    double volume = 0, first = 0, xx = 0, yy = 0, zz = 0;
    for (int part = 0; part < 2; ++part)
        for (int i = 0; i < 16; ++i) {
            const double x = d[0] / 2 * at[i / 4], high = part ? d[3] : -d[2], y = high * (1 + at[i % 4]) / 2;
            const double b = half_breadth(d, x, y);
            const double dv = 2 * b * d[0] * fabs(high) / 4 * weight[i / 4] * weight[i % 4];
            volume += dv, first += y * dv;
            xx += x * x * dv, yy += y * y * dv, zz += b * b / 3 * dv;
        }
    *centre = first / volume;
    *second = v3(xx, yy - first * *centre, zz);
    return volume;
}

// Vertices are on the surface, except for the scaling to the exact volume; the convex hull with 96
// vertices reaches nearly as far.
static void check_lines(const struct shape_data *f, const double *d, double centre)
{
    double keel = 0;
    for (int i = 0; i < f->hull.vertex_count; ++i) keel = fmin(keel, f->hull.vertices[i].y);
    CHECK_NEAR(keel, -d[2] - centre, 1e-14 * (d[2] + d[3]));
    for (int i = 0; i < f->hull.vertex_count; ++i) {
        const vec3 v = f->hull.vertices[i];
        if (v.z != 0) CHECK_NEAR(fabs(v.z), half_breadth(d, v.x, v.y - keel - d[2]), 0.004 * d[1]);
    }
    for (int i = 0; i < 1000; ++i) {
        const vec3 n = direction(i);
        double far = -INFINITY;
        for (int v = 0; v < f->hull.vertex_count; ++v) far = fmax(far, v3_dot(n, f->hull.vertices[v]));
        const double got = support_all(f, n);
        assert_true(got <= far + 1e-12 && got >= far - 0.01 * abs_f(f));
    }
}

static void wigley_hulls_match_their_formula(void **state)
{
    (void)state;
    const double ships[][4] = {
        {2.5, 0.25, 0.15625, 0}, {2.5, 0.25, 0.15625, 0.1}, {10, 10, 1, 3}, {1, 0.01, 2, 0.001}};
    for (int k = 0; k < COUNT(ships); ++k) {
        const double *d = ships[k];
        tarn_spec s = sized("wigley", "length", d[0], "breadth", d[1]);
        s = with(with(s, "draft", d[2]), "freeboard", d[3]);
        struct shape_data f = make(s);
        double centre;
        vec3 second;
        const double volume = integrate_ship(d, &centre, &second);
        const vec3 inertia = v3(second.y + second.z, second.z + second.x, second.x + second.y);
        check_mass(&f, volume, inertia, 1e-13);
        check_hull(&f, 5e-3);
        check_mirror(&f, v3(-1, 1, 1));
        check_mirror(&f, v3(1, 1, -1));
        assert_in_range(f.hull.triangle_count, 500, 1600);
        check_lines(&f, d, centre);
        shape_data_free(&f, &heap);
    }
    // at the smallest thickness of the ranges it is not degenerate
    const double ends[] = {1e-3, 100};
    for (int k = 0; k < 16; ++k) {
        tarn_spec s = sized("wigley", "length", ends[k & 1], "breadth", ends[k >> 1 & 1]);
        struct shape_data f = make(with(with(s, "draft", ends[k >> 2 & 1]), "freeboard", k >> 3 ? 100 : 0));
        check_hull(&f, 5e-3);
        shape_data_free(&f, &heap);
    }
    // volume 4/9 L B T and centre 3/8 T below the design line, to the last digits
    struct shape_data f = make(with(spec_of("wigley"), "freeboard", 0));
    const double volume = 4.0 / 9 * 2.5 * 0.25 * 0.15625;
    CHECK_NEAR(f.volume, volume, 1e-15 * volume);
    double deck = 0;
    for (int i = 0; i < f.hull.vertex_count; ++i) deck = fmax(deck, f.hull.vertices[i].y);
    CHECK_NEAR(deck, 0.375 * 0.15625, 1e-15);
    shape_data_free(&f, &heap);
}

// ---- hulls and meshes -------------------------------------------------------------------------------

// Moments of a polyhedron by another method: tetrahedra about the mean of the vertices, each by the rule V
// (4/5 f(centre) + 1/20 sum f(vertex)), which is exact for quadratics.
static mat3 add_up(const struct list *l, double *volume, vec3 *centre)
{
    vec3 mean = v3(0, 0, 0), first = v3(0, 0, 0);
    double second[3][3] = {{0}};
    for (int i = 0; i < l->vertex_count; ++i)
        mean = v3_add(mean, v3(l->vertices[3 * i], l->vertices[3 * i + 1], l->vertices[3 * i + 2]));
    mean = v3_scale(mean, 1.0 / l->vertex_count);
    *volume = 0;
    for (int t = 0; t < l->triangle_count; ++t) {
        vec3 p[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, middle = v3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            const double *x = l->vertices + 3 * l->triangles[3 * t + k];
            p[k] = v3_sub(v3(x[0], x[1], x[2]), mean);
            middle = v3_madd(middle, 0.25, p[k]);
        }
        const double v = v3_dot(p[0], v3_cross(p[1], p[2])) / 6;
        *volume += v;
        first = v3_madd(first, v, middle);
        for (int k = 0; k < 5; ++k) {
            const vec3 q = k < 4 ? p[k] : middle;
            const double x[3] = {q.x, q.y, q.z}, weight = k < 4 ? v / 20 : v * 4 / 5;
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b) second[a][b] += weight * x[a] * x[b];
        }
    }
    struct volume_moments m = {.volume = *volume};
    const double c[3] = {first.x / *volume, first.y / *volume, first.z / *volume};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) m.second[a][b] = second[a][b] - *volume * c[a] * c[b];
    *centre = v3_add(mean, v3(c[0], c[1], c[2]));
    return inertia_of_moments(&m);
}

static void place(struct list *l, quat q, vec3 move)
{
    for (int i = 0; i < l->vertex_count; ++i) {
        double *p = l->vertices + 3 * (size_t)i;
        const vec3 v = v3_add(quat_rotate(q, v3(p[0], p[1], p[2])), move);
        p[0] = v.x, p[1] = v.y, p[2] = v.z;
    }
}

static struct list lathe_list(void)
{
    struct shape_data f = make(table("lathe", COUNT(bottle), bottle[0]));
    struct list l = {0};
    for (int i = 0; i < f.hull.vertex_count; ++i)
        point(&l, f.hull.vertices[i].x, f.hull.vertices[i].y, f.hull.vertices[i].z);
    for (int t = 0; t < f.hull.triangle_count; ++t)
        face(&l, f.hull.triangles[t][0], f.hull.triangles[t][1], f.hull.triangles[t][2]);
    shape_data_free(&f, &heap);
    return l;
}

static tarn_mesh triangles_of(const struct list *l)
{
    return (tarn_mesh){l->vertex_count, l->triangle_count, l->vertices, l->triangles};
}

// Inertia of a body rotated by q.
static mat3 turned_by(quat q, const mat3 *i)
{
    const mat3 r = quat_to_matrix(q);
    mat3 out = {{{0}}};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 3; ++c)
                for (int d = 0; d < 3; ++d) out.m[a][b] += r.m[a][c] * i->m[c][d] * r.m[b][d];
    return out;
}

static void mass_properties_follow_the_pose_of_the_mesh(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k)
        for (int where = 0; where < 4; ++where) {
            struct list l = k == 0   ? cube()
                            : k == 1 ? tetrahedron(1.3)
                            : k == 2 ? icosahedron(0.9)
                            : k == 3 ? torus(1, 0.3, 48, 20)
                            : k == 4 ? globe(v3(0.5, 0.8, 1.1), 40, 24)
                                     : lathe_list();
            const quat q = where / 2 ? askew : (quat){1, 0, 0, 0};
            double volume;
            vec3 centre;
            const mat3 plain = add_up(&l, &volume, &centre), want = turned_by(q, &plain);
            place(&l, q, where % 2 ? v3(1000, -700, 200) : v3(0, 0, 0));
            const tarn_mesh mesh = triangles_of(&l);
            const struct shape_input in = {.mesh = &mesh};
            const tarn_spec s = with(spec_of("mesh"), "scale", 0.5);
            struct shape_data f;
            tarn_error err;
            CHECK_OK(try_make(&in, &s, &f, &err));
            // a position 1 km away has a resolution of 1e-13 m; half the size is an eighth of the volume,
            // 1/32 of the inertia
            CHECK_NEAR(f.volume, volume / 8, 1e-11 * volume);
            const double most = (plain.m[0][0] + plain.m[1][1] + plain.m[2][2]);
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b) CHECK_NEAR(f.inertia.m[a][b], want.m[a][b] / 32, 1e-11 * most);
            check_hull(&f, 1e-12);
            for (int i = 0; i < 1000; ++i) {
                const vec3 n = direction(i);
                double far = -INFINITY;
                for (int v = 0; v < f.hull.vertex_count; ++v) far = fmax(far, v3_dot(n, f.hull.vertices[v]));
                const double got = support_all(&f, n);
                // 96 vertices for up to 900
                assert_true(got <= far + 1e-12 && got >= far - (k < 3 ? 1e-12 : 0.04 * abs_f(&f)));
            }
            assert_true(f.convex_parts[0].vertex_count <= 96);
            shape_data_free(&f, &heap);
            drop(&l);
        }
}

static void convex_hulls_of_points_are_bodies(void **state)
{
    (void)state;
    double rows[32][3];
    for (int i = 0; i < 8; ++i) // a box with points inside, far from the origin
        rows[i][0] = 90 + (i & 1), rows[i][1] = -80 + (i & 2), rows[i][2] = 3 * ((i & 4) / 4);
    for (int i = 8; i < 32; ++i)
        rows[i][0] = 90.5 + 0.4 * dice(i), rows[i][1] = -79, rows[i][2] = 1 + 0.9 * dice(i + 40);
    struct shape_data f = make(table("convex_hull", 32, rows[0]));
    check_mass(&f, 6, v3(6 * (4 + 9.0) / 12, 6 * (9.0 + 1) / 12, 6 * (1.0 + 4) / 12), 1e-12);
    check_hull(&f, 1e-12);
    assert_int_equal(f.convex_parts[0].vertex_count, 8);
    assert_int_equal(f.convex_parts[0].face_count, 6);
    check_mirror(&f, v3(-1, 1, 1));
    check_mirror(&f, v3(1, -1, 1));
    check_mirror(&f, v3(1, 1, -1));
    CHECK_NEAR(support_all(&f, v3(0, 0, 1)), 1.5, 1e-12);
    shape_data_free(&f, &heap);

    for (int i = 0; i < 32; ++i) {
        const vec3 d = direction(i);
        rows[i][0] = d.x, rows[i][1] = d.y, rows[i][2] = d.z;
    }
    f = make(table("convex_hull", 32, rows[0]));
    check_hull(&f, 1e-12);
    assert_int_equal(f.hull.triangle_count, 60);
    shape_data_free(&f, &heap);
}

// ---- compounds --------------------------------------------------------------------------------------

static struct shape_part part_of(tarn_spec shape, vec3 at, double density)
{
    return (struct shape_part){.shape = shape, .position = at, .rotation = {1, 0, 0, 0}, .density = density};
}

static struct shape_data compound(const struct shape_part *parts, int count)
{
    const struct shape_input in = {.density = 700, .parts = parts, .part_count = count};
    const tarn_spec s = spec_of("compound");
    struct shape_data f;
    tarn_error err;
    if (try_make(&in, &s, &f, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return f;
}

static tarn_spec box(double x, double y, double z)
{
    tarn_spec s = spec_of("box");
    CHECK_OK(tarn_spec_set(&s, "size", tarn_value_vec3(x, y, z), NULL));
    return s;
}

static void compound_of_halves_equals_the_whole(void **state)
{
    (void)state;
    const struct shape_part parts[] = {
        part_of(box(1, 2, 3), v3(7, 8, 9), 0),
        {.shape = box(2, 1, 3), .position = {8, 8, 9}, .rotation = {1, 0, 0, 1}}};
    struct shape_data f = compound(parts, 2); // the second one rotated by 90 degrees about z
    check_mass(&f, 12, v3(12 * (4 + 9.0) / 12, 12 * (9.0 + 4) / 12, 12 * (4 + 4.0) / 12), 1e-14);
    check_hull(&f, 1e-14);
    assert_int_equal(f.convex_part_count, 2);
    for (int i = 0; i < 1000; ++i) {
        const vec3 n = direction(i);
        CHECK_NEAR(support_all(&f, n), fabs(n.x) + fabs(n.y) + 1.5 * fabs(n.z), 1e-14);
    }
    shape_data_free(&f, &heap);
}

// A heavy ball at one end of a light rod: the centre is near the ball, and the parallel axis theorem
// holds.
static void parts_have_densities(void **state)
{
    (void)state;
    const struct shape_part parts[] = {
        part_of(with(spec_of("sphere"), "radius", 0.2), v3(1, -1, 0), 7000),
        part_of(sized("cylinder", "radius", 0.05, "height", 2), v3(1, 0, 0), 0)};
    struct shape_data f = compound(parts, 2);
    const double ball = 7000 * 4 / 3.0 * PI * 0.008, rod = 700 * PI * 0.0025 * 2, mass = ball + rod;
    const double across = 0.4 * ball * 0.04 + rod * (0.0025 / 4 + 4 / 12.0) + ball * rod / mass * 1;
    CHECK_NEAR(f.mass, mass, 1e-13 * mass);
    CHECK_NEAR(f.inertia.m[0][0], across, 1e-13 * across);
    CHECK_NEAR(f.inertia.m[2][2], across, 1e-13 * across);
    CHECK_NEAR(f.inertia.m[1][1], 0.4 * ball * 0.04 + rod * 0.0025 / 2, 1e-13 * across);
    CHECK_NEAR(f.inertia.m[0][1], 0, 1e-13 * across);
    CHECK_NEAR(f.convex_parts[0].position.y, -rod / mass, 1e-14);
    check_closed(&f.hull);
    CHECK_NEAR(trimesh_moments(&f.hull).volume, f.volume, 1e-13);
    shape_data_free(&f, &heap);
}

// ---- mistakes ---------------------------------------------------------------------------------------

static void refuse(const struct shape_input *in, tarn_spec s, const char *key, const char *words)
{
    struct shape_data f;
    tarn_error err;
    assert_int_equal(try_make(in, &s, &f, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, key);
    if (!strstr(err.message, words)) fail_msg("\"%s\" does not say \"%s\"", err.message, words);
    assert_null(f.hull.vertices);
    assert_null(f.convex_parts);
}

static void invalid_tables_are_rejected(void **state)
{
    (void)state;
    const struct shape_input in = {0};
    static const struct {
        int rows;
        double p[3][2];
        const char *words;
    } profiles[] = {
        {0, {{0}}, "found 0"},
        {1, {{1, 0}}, "found 1"},
        {49, {{1, 0}}, "49 rows are outside"},
        {-1, {{1, 0}}, "-1 rows are outside"},
        {2, {{1, 0}, {1, 0}}, "point 1: height"},
        {3, {{1, 0}, {1, 2}, {1, 1}}, "point 2: height"},
        {2, {{1, 0}, {-0.1, 1}}, "point 1: radius"},
        {2, {{0, 0}, {0, 1}}, "largest radius"},
        {3, {{0, 0}, {0, 1}, {1, 2}}, "points 0 and 1"},
        {2, {{NAN, 0}, {1, 1}}, "row 1: nan"},
        {2, {{1, 0}, {1, INFINITY}}, "row 2: inf"},
        {2, {{1, NAN}, {1, 1}}, "row 1: nan"},
        {2, {{1e9, 0}, {1, 1}}, "row 1: 1e+09"},
    };
    for (int k = 0; k < COUNT(profiles); ++k) {
        const tarn_spec s = table("lathe", profiles[k].rows, profiles[k].p[0]);
        refuse(&in, s, "profile", profiles[k].words);
    }
    double p[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 0}};
    refuse(&in, table("convex_hull", 3, p[0]), "points", "found 3");
    refuse(&in, table("convex_hull", 5, p[0]), "points", "in one plane");
    p[4][2] = NAN;
    refuse(&in, table("convex_hull", 5, p[0]), "points", "row 5: nan");
    refuse(&in, sized("torus", "radius", 1, "tube_radius", 1), "tube_radius", "not less than the radius");
}

static void invalid_meshes_and_parts_are_rejected(void **state)
{
    (void)state;
    struct list l = globe(v3(1, 1, 1), 80, 20);
    l.triangle_count -= 1;
    for (int t = 0; t < l.triangle_count; ++t) // a hole that is too large for a cap
        if (l.triangles[3 * t] == l.vertex_count - 2)
            memcpy(l.triangles + 3 * t, l.triangles + 300, 3 * sizeof(int));
    tarn_mesh mesh = triangles_of(&l);
    struct shape_input in = {0};
    refuse(&in, spec_of("mesh"), "mesh", "no triangles");
    in.mesh = &mesh;
    refuse(&in, spec_of("mesh"), "mesh", "80 open edges");
    drop(&l);
    l = cube();
    mesh = triangles_of(&l);
    refuse(&in, with(spec_of("mesh"), "scale", 1e-4), "scale", "0.0001 m long");
    refuse(&in, with(spec_of("mesh"), "scale", 1e4), "scale", "10000 m long");
    l.vertices[0] = NAN;
    refuse(&in, spec_of("mesh"), "mesh", "vertex 0");

    in.mesh = NULL;
    refuse(&in, spec_of("compound"), "children", "0 children are outside");
    drop(&l);
}

static void missing_memory_is_reported_as_a_result(void **state)
{
    (void)state;
    struct counting_allocator ledger = {0};
    const tarn_allocator hook = counting_hook(&ledger);
    struct list l = icosahedron(1);
    const tarn_mesh mesh = triangles_of(&l);
    const double p[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double corners[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    const struct shape_part parts[] = {part_of(spec_of("torus"), v3(0, 0, 0), 0),
                                       part_of(spec_of("box"), v3(1, 0, 0), 0)};
    const struct shape_input in = {.mesh = &mesh, .parts = parts, .part_count = 2};
    tarn_compound_child *children = make_children(&in);
    int kinds = 0;
    for (const tarn_kind *k; (k = tarn_kind_at("shape", kinds)); ++kinds) {
        tarn_spec s = spec_of(k->name);
        if (strcmp(k->name, "lathe") == 0) s = table("lathe", COUNT(bottle), bottle[0]);
        if (strcmp(k->name, "convex_hull") == 0) s = table("convex_hull", 4, p[0]);
        if (strcmp(k->name, "polygon") == 0) s = table("polygon", 3, corners[0]);
        tarn_result r = TARN_NO_MEMORY;
        int needed = 0;
        for (; r != TARN_OK && needed < 200; ++needed) {
            tarn_error err = {0};
            tarn_shape_def def;
            tarn_shape *shape;
            CHECK_OK(tarn_shape_def_from_spec(&s, &def));
            if (def.type == TARN_SHAPE_MESH) def.mesh.mesh = mesh;
            if (def.type == TARN_SHAPE_COMPOUND) def.compound = (tarn_compound){children, in.part_count};
            ledger.left = needed;
            r = tarn_shape_create(&def, &hook, &shape, &err);
            if (r == TARN_OK)
                tarn_shape_release(shape);
            else
                assert_int_equal(err.code, TARN_NO_MEMORY);
            assert_true(r == TARN_OK || r == TARN_NO_MEMORY);
            assert_int_equal(ledger.blocks, 0);
        }
        assert_int_equal(r, TARN_OK);
        assert_true(needed > 5);
    }
    assert_int_equal(kinds, 13);
    release_children(children, in.part_count);
    drop(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wigley_hulls_match_their_formula),
        cmocka_unit_test(mass_properties_follow_the_pose_of_the_mesh),
        cmocka_unit_test(convex_hulls_of_points_are_bodies),
        cmocka_unit_test(compound_of_halves_equals_the_whole),
        cmocka_unit_test(parts_have_densities),
        cmocka_unit_test(invalid_tables_are_rejected),
        cmocka_unit_test(invalid_meshes_and_parts_are_rejected),
        cmocka_unit_test(missing_memory_is_reported_as_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
