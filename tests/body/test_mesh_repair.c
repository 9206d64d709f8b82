// Mesh repair and mass properties: volume, centre and inertia of polyhedra are exact at any position;
// defects are repaired or named.
#include "body/mesh/repair.h"
#include "check.h"
#include "counting_allocator.h"
#include "polyhedra.h"

#include <stdio.h>

// ---- reports ----------------------------------------------------------------------------------------

static tarn_mesh_report inspect(const struct list *l)
{
    tarn_mesh_report f;
    tarn_error err = {0};
    const tarn_result r =
        tarn_mesh_inspect(l->vertex_count, l->vertices, l->triangle_count, l->triangles, NULL, &f, &err);
    if (r != TARN_OK) fail_msg("%d: %s", (int)r, err.message);
    return f;
}

static tarn_mesh_report inspect_and_free(struct list *l)
{
    const tarn_mesh_report f = inspect(l);
    drop(l);
    return f;
}

// Rotated by q, then translated.
static void place(struct list *l, quat q, vec3 move)
{
    for (int i = 0; i < l->vertex_count; ++i) {
        double *p = l->vertices + 3 * (size_t)i;
        const vec3 v = v3_add(quat_rotate(q, v3(p[0], p[1], p[2])), move);
        p[0] = v.x, p[1] = v.y, p[2] = v.z;
    }
}

// The values at the origin, 1 km away, rotated, and both; principal inertia sorted.
static void check_everywhere(struct list *l, double volume, vec3 centre, vec3 inertia)
{
    const quat id = {1, 0, 0, 0}, q = quat_normalize((quat){0.3, -0.5, 0.7, 0.2});
    const vec3 home = v3(0, 0, 0), away = v3(1000, -700, 2000);
    vec3 at = centre;
    for (int i = 0; i < 4; ++i) {
        if (i == 1) place(l, id, away), at = v3_add(at, away);
        if (i == 2) place(l, id, v3_scale(away, -1)), place(l, q, home), at = quat_rotate(q, centre);
        if (i == 3) place(l, id, away), at = v3_add(at, away);
        const tarn_mesh_report f = inspect(l);
        // 2 km from the origin a double has a resolution of 2.3e-13 m, which gives errors of some 1e-12 in
        // second moments of bodies of about 1 m; near the origin only sums round
        const double part = i % 2 ? 1e-10 : 1e-12;
        assert_true(f.closed);
        assert_int_equal(f.flipped_faces, 0);
        CHECK_NEAR(f.volume, volume, part * volume);
        CHECK_NEAR(f.centre.x, at.x, 1e-11);
        CHECK_NEAR(f.centre.y, at.y, 1e-11);
        CHECK_NEAR(f.centre.z, at.z, 1e-11);
        CHECK_NEAR(f.inertia.x, inertia.x, part * inertia.z);
        CHECK_NEAR(f.inertia.y, inertia.y, part * inertia.z);
        CHECK_NEAR(f.inertia.z, inertia.z, part * inertia.z);
    }
    drop(l);
}

static void box_mass_properties_are_exact(void **state)
{
    (void)state;
    struct list l = {0};
    add_box(&l, v3(1, 2, 3), v3(1, 2, 0.5));
    check_everywhere(&l, 1.0, v3(1.5, 3, 3.25), v3(1.25 / 12, 4.25 / 12, 5.0 / 12));
}

static void platonic_bodies_are_exact(void **state)
{
    (void)state;
    const double a = 1.3, phi = (1 + sqrt(5.0)) / 2;
    struct list t = tetrahedron(a), i = icosahedron(a);
    const double vt = a * a * a / (6 * sqrt(2.0)), it = vt * a * a / 20;
    const double vi = 5 * (3 + sqrt(5.0)) * a * a * a / 12, ii = vi * a * a * phi * phi / 10;
    check_everywhere(&t, vt, v3(0, 0, 0), v3(it, it, it));
    check_everywhere(&i, vi, v3(0, 0, 0), v3(ii, ii, ii));
}

// A body with n flat sectors: between two meridians a point is r ((1-t) a + t b) + z k with unit vectors a, b
// at the angle w = 2 pi/n, so dV = r sin(w) dr dt dz and the mean of |(1-t) a + t b|^2 is (2 + cos(w))/3.
static void a_torus_is_exact_as_a_polyhedron(void **state)
{
    (void)state;
    const double R = 1.0, r = 0.3;
    const int n = 48, m = 20;
    const double w = 2 * PI / n, u = 2 * PI / m;
    const double area = 0.5 * m * r * r * sin(u), second = area * r * r * (2 + cos(u)) / 12; // of the m-gon
    const double volume = n * sin(w) * R * area;
    const double axis = n * sin(w) * (2 + cos(w)) / 3 * (area * R * R * R + 3 * R * second);
    const double across = 0.5 * axis + n * sin(w) * R * second;
    struct list l = torus(R, r, n, m);
    check_everywhere(&l, volume, v3(0, 0, 0), v3(across, across, axis));
    // and the polyhedron is near the torus: its sides are chords
    CHECK_NEAR(volume, 2 * PI * PI * R * r * r, 0.03 * volume);
}

static void an_ellipsoid_is_exact_as_a_polyhedron(void **state)
{
    (void)state;
    const vec3 e = v3(0.5, 0.8, 1.1);
    const int n = 40, m = 24;
    const double w = 2 * PI / n;
    double volume = 0, rr = 0, zz = 0; // of the unit globe: volume, integrals of x^2 + y^2 and z^2
    for (int j = 0; j < m; ++j) {
        const double r0 = sin(PI * j / m), r1 = sin(PI * (j + 1) / m);
        const double z0 = cos(PI * j / m), z1 = cos(PI * (j + 1) / m), dz = z0 - z1;
        static const double at[3] = {-0.774596669241483377, 0, 0.774596669241483377};
        for (int g = 0; g < 3; ++g) { // Gauss, exact for these polynomials of degree 4
            const double t = 0.5 + 0.5 * at[g], q = (g == 1 ? 8.0 : 5.0) / 18.0 * dz;
            const double r = r0 + t * (r1 - r0), z = z0 + t * (z1 - z0);
            volume += n * sin(w) * q * r * r / 2;
            rr += n * sin(w) * (2 + cos(w)) / 3 * q * r * r * r * r / 4;
            zz += n * sin(w) * q * z * z * r * r / 2;
        }
    }
    const double k = e.x * e.y * e.z, xx = k * e.x * e.x * rr / 2, yy = k * e.y * e.y * rr / 2,
                 z2 = k * e.z * e.z * zz;
    struct list l = globe(e, n, m);
    check_everywhere(&l, k * volume, v3(0, 0, 0), v3(xx + yy, xx + z2, yy + z2));
    CHECK_NEAR(k * volume, 4 * PI / 3 * k, 0.02 * k * volume);
}

// ---- defects of files -------------------------------------------------------------------------------

static void faces_are_turned_outwards(void **state)
{
    (void)state;
    struct list l = cube();
    turn_faces(&l, 0, 1);
    tarn_mesh_report f = inspect(&l);
    assert_true(f.closed && f.flipped_faces == 12 && f.components == 1);
    CHECK_NEAR(f.volume, 1.0, 1e-14);
    turn_faces(&l, 0, 1);
    turn_faces(&l, 1, 5); // three of twelve
    f = inspect_and_free(&l);
    assert_true(f.closed && f.flipped_faces == 3);
    CHECK_NEAR(f.volume, 1.0, 1e-14);
}

// Every triangle with its own vertices, some of them slightly displaced.
static struct list separate_triangles(const struct list *from, double off)
{
    struct list l = {0};
    for (int i = 0; i < 3 * from->triangle_count; ++i) {
        const double *p = from->vertices + 3 * (size_t)from->triangles[i];
        const double d = off * ((i * 7 % 5) - 2) / 2.0;
        point(&l, p[0] + d, p[1] - d, p[2] + d);
    }
    for (int t = 0; t < from->triangle_count; ++t) face(&l, 3 * t, 3 * t + 1, 3 * t + 2);
    return l;
}

static void separate_triangles_are_welded(void **state)
{
    (void)state;
    struct list from = globe(v3(1, 1, 1), 60, 40);
    for (int i = 0; i < 2; ++i) {
        struct list l = separate_triangles(&from, i * 1e-7); // the tolerance is 2e-6
        const tarn_mesh_report f = inspect_and_free(&l), g = inspect(&from);
        assert_true(f.closed);
        assert_int_equal(f.vertices, 3 * from.triangle_count);
        assert_int_equal(f.welded_vertices, from.vertex_count);
        CHECK_NEAR(f.volume, g.volume, i ? 1e-6 : 1e-13);
    }
    struct list l = separate_triangles(&from, 1e-4); // too far apart to be merged
    assert_false(inspect_and_free(&l).closed);
    drop(&from);
}

// The body does not depend on the order and orientation of faces, on welding, or on a few missing faces.
static void order_and_orientation_of_faces_do_not_change_the_body(void **state)
{
    (void)state;
    struct list plain = torus(1, 0.4, 40, 30), l = separate_triangles(&plain, 0);
    const tarn_mesh_report want = inspect(&plain);
    uint32_t dice = 1;
    for (int round = 0; round < 20; ++round) {
        int turned = 0;
        for (int t = l.triangle_count - 1; t > 0; --t) {
            int *a = l.triangles + 3 * t,
                *b = l.triangles + 3 * (int)((dice = dice * 1664525 + 1013904223) % (uint32_t)t);
            for (int k = 0; k < 3; ++k) {
                const int x = a[k];
                a[k] = b[k], b[k] = x;
            }
        }
        for (int t = 0; t < l.triangle_count; ++t) {
            if ((dice = dice * 1664525 + 1013904223) >> 16 & 3) continue; // one in four
            int *c = l.triangles + 3 * t;
            const int x = c[0];
            c[0] = c[1], c[1] = x;
        }
        tarn_mesh_report f = inspect(&l);
        assert_true(f.closed && f.components == 1 && f.welded_vertices == plain.vertex_count && f.holes == 0);
        CHECK_NEAR(f.volume, want.volume, 1e-13);
        CHECK_NEAR(f.inertia.z, want.inertia.z, 1e-13);
        // reorient every face, which must flip exactly those
        for (int t = 0; t < l.triangle_count; ++t) {
            int *c = l.triangles + 3 * t;
            if ((c[1] - c[0] + 3) % 3 == 1) continue;
            const int x = c[0];
            c[0] = c[1], c[1] = x;
            turned++;
        }
        assert_int_equal(f.flipped_faces, turned);
        l.triangle_count -= 3; // three holes, or two if they are neighbours
        f = inspect(&l);
        assert_true(f.closed && 1 <= f.holes && f.holes <= 3);
        CHECK_NEAR(f.volume, want.volume, 3e-3); // the flat cap of a hole of a few triangles
        l.triangle_count += 3;
    }
    drop(&l);
    drop(&plain);
}

static void duplicate_and_zero_area_faces_are_removed(void **state)
{
    (void)state;
    struct list l = cube();
    for (int t = 0; t < 12; ++t) face(&l, l.triangles[3 * t], l.triangles[3 * t + 2], l.triangles[3 * t + 1]);
    face(&l, 0, 0, 1);
    const int mid = point(&l, 0.5, 0, 0), far = point(&l, 0.75, 0, 0);
    face(&l, mid, far, point(&l, 0.25, 0, 0)); // a degenerate face that touches nothing
    point(&l, 1e6, 0, 0);                      // used by no face: ignored
    const tarn_mesh_report f = inspect_and_free(&l);
    assert_true(f.closed);
    assert_int_equal(f.dropped_faces, 14);
    assert_int_equal(f.welded_vertices, 8);
    CHECK_NEAR(f.volume, 1.0, 1e-14);
    CHECK_NEAR(f.box_max.x, 1.0, 0.0);
}

// A face without area that connects its neighbours (a vertex on the edge of one of them) must be kept.
static void zero_area_faces_that_join_neighbours_are_kept(void **state)
{
    (void)state;
    struct list l = {0};
    const int a = point(&l, 0, 0, 0), b = point(&l, 1, 0, 0), c = point(&l, 0, 1, 0), d = point(&l, 0, 0, 1);
    const int m = point(&l, 0.5, 0, 0); // on the edge a b
    face(&l, a, c, b), face(&l, b, c, d), face(&l, c, a, d);
    face(&l, a, m, d), face(&l, m, b, d);
    face(&l, a, b, m); // the face without area
    const tarn_mesh_report f = inspect_and_free(&l);
    assert_true(f.closed && f.dropped_faces == 0 && f.holes == 0 && f.components == 1);
    CHECK_NEAR(f.volume, 1.0 / 6.0, 1e-15);
}

static void small_holes_are_capped(void **state)
{
    (void)state;
    struct list l = cube();
    l.triangle_count = 11; // one triangle missing
    tarn_mesh_report f = inspect(&l);
    assert_true(f.closed && f.holes == 1 && f.open_edges == 0);
    CHECK_NEAR(f.volume, 1.0, 1e-14);
    l.triangle_count = 10; // a whole face: the cap has a vertex at its centre
    f = inspect_and_free(&l);
    assert_true(f.closed && f.holes == 1 && f.open_edges == 0 && f.triangles == 10);
    CHECK_NEAR(f.volume, 1.0, 1e-14);

    l = globe(v3(1, 1, 1), 64, 16); // without its first cap the ring has 64 edges
    int kept = 0;
    const int top = l.vertex_count - 2;
    for (int t = 0; t < l.triangle_count; ++t) {
        const int *c = l.triangles + 3 * t;
        if (c[0] == top) continue;
        memmove(l.triangles + 3 * kept++, c, 3 * sizeof(int));
    }
    l.triangle_count = kept;
    f = inspect_and_free(&l);
    assert_true(f.closed && f.holes == 1 && f.components == 1);
}

static void large_holes_are_counted(void **state)
{
    (void)state;
    struct list l = globe(v3(1, 1, 1), 65, 16);
    int kept = 0;
    for (int t = 0; t < l.triangle_count; ++t) {
        const int *c = l.triangles + 3 * t;
        if (c[0] == l.vertex_count - 2) continue;
        memmove(l.triangles + 3 * kept++, c, 3 * sizeof(int));
    }
    l.triangle_count = kept;
    const tarn_mesh_report f = inspect(&l);
    assert_true(!f.closed && f.holes == 0);
    assert_int_equal(f.open_edges, 65);
    assert_non_null(strstr(f.problem, "65 open edges"));
    struct memory m;
    struct solid_mesh s;
    tarn_mesh_report g;
    tarn_error err;
    memory_init(&m, NULL);
    const struct triangle_soup in = {l.vertex_count, l.triangle_count, l.vertices, l.triangles};
    assert_int_equal(mesh_repair(&in, &m, &s, &g, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.message, "65 open edges"));
    assert_null(s.mesh.vertices);
    drop(&l);
}

static void volumes_of_two_components_add_up(void **state)
{
    (void)state;
    struct list l = cube();
    add_box(&l, v3(3, 0, 0), v3(2, 1, 1));
    turn_faces(&l, 12, 1); // the second one inside out
    tarn_mesh_report f = inspect(&l);
    assert_true(f.closed && f.components == 2 && f.flipped_faces == 12 && f.cavities == 0);
    CHECK_NEAR(f.volume, 3.0, 1e-14);
    CHECK_NEAR(f.centre.x, (0.5 + 2 * 4) / 3, 1e-14);
    add_box(&l, v3(1, 1, 1), v3(1, 1, 1)); // touches the first in a vertex: still a component of its own
    f = inspect_and_free(&l);
    assert_true(f.closed && f.components == 3);
    CHECK_NEAR(f.volume, 4.0, 1e-14);
}

// A cavity stays a cavity for either orientation of the file; a body inside the cavity is solid again.
static void cavities_keep_inward_normals(void **state)
{
    (void)state;
    struct list l = {0};
    add_box(&l, v3(0, 0, 0), v3(4, 4, 4));
    add_box(&l, v3(1, 1, 1), v3(2, 2, 2));
    turn_faces(&l, 12, 1);
    tarn_mesh_report f = inspect(&l);
    assert_true(f.closed && f.components == 2 && f.flipped_faces == 0 && f.cavities == 1);
    CHECK_NEAR(f.volume, 64.0 - 8.0, 1e-12);
    turn_faces(&l, 0, 1);
    f = inspect(&l);
    assert_true(f.closed && f.components == 2 && f.flipped_faces == 24 && f.cavities == 1);
    CHECK_NEAR(f.volume, 64.0 - 8.0, 1e-12);
    add_box(&l, v3(1.5, 1.5, 1.5), v3(1, 1, 1));
    turn_faces(&l, 24, 1);
    add_box(&l, v3(9, 0, 0), v3(1, 1, 1)); // and one beside it, with opposite orientation
    f = inspect_and_free(&l);
    assert_true(f.closed && f.components == 4 && f.cavities == 1 && f.flipped_faces == 36);
    CHECK_NEAR(f.volume, 64.0 - 8.0 + 1.0 + 1.0, 1e-12);
}

static void non_solids_are_reported(void **state)
{
    (void)state;
    struct list l = cube();
    add_box(&l, v3(1, 1, 0), v3(1, 1, 1)); // shares an edge with the first
    tarn_mesh_report f = inspect_and_free(&l);
    assert_true(!f.closed && f.non_manifold_edges == 1);
    assert_non_null(strstr(f.problem, "1 edge is shared"));

    for (int i = 0; i < 5; ++i) { // Moebius' strip of five triangles
        point(&l, cos(2 * PI * i / 5), sin(2 * PI * i / 5), 0.3 * (i % 2));
    }
    for (int i = 0; i < 5; ++i) face(&l, i, (i + 1) % 5, (i + 2) % 5);
    f = inspect_and_free(&l);
    assert_false(f.closed);

    const int a = point(&l, 0, 0, 0), b = point(&l, 1, 0, 0), c = point(&l, 0, 1, 0);
    face(&l, a, b, c);
    f = inspect(&l);
    assert_true(!f.closed && f.open_edges == 3 && f.holes == 0); // a small surface, not a body with a hole
    l.triangles[2] = b;
    f = inspect(&l);
    assert_true(!f.closed && f.dropped_faces == 1 && strstr(f.problem, "no triangle has an area"));
    l.vertices[3] = 0; // all at one point
    l.triangles[2] = c;
    l.vertices[7] = 0;
    f = inspect(&l);
    assert_true(!f.closed && f.dropped_faces == 1);
    l.triangle_count = 0;
    assert_false(inspect_and_free(&l).closed);

    l = cube(); // as flat as can be
    for (int i = 0; i < 8; ++i) l.vertices[3 * i + 2] *= 1e-30;
    f = inspect_and_free(&l);
    assert_false(f.closed);
}

static void meshes_without_interior_are_reported(void **state)
{
    (void)state;
    struct list l = {0};
    // The projective plane with six vertices: closed, every edge between two faces, and without an
    // interior.
    static const int plane[10][3] = {{0, 1, 4}, {0, 1, 5}, {0, 2, 3}, {0, 2, 5}, {0, 3, 4},
                                     {1, 2, 3}, {1, 2, 4}, {1, 3, 5}, {2, 4, 5}, {3, 4, 5}};
    for (int i = 0; i < 6; ++i) point(&l, cos(i), sin(1.7 * i), 0.3 * i * i - i);
    for (int i = 0; i < 10; ++i) face(&l, plane[i][0], plane[i][1], plane[i][2]);
    tarn_mesh_report f = inspect_and_free(&l);
    assert_true(!f.closed && f.open_edges == 0 && f.non_manifold_edges == 0);
    assert_string_equal(f.problem, "1 component is not orientable");

    l = tetrahedron(1.0); // coplanar: the interior is empty
    for (int i = 0; i < 4; ++i) l.vertices[3 * i + 2] = 0.0;
    f = inspect_and_free(&l);
    assert_false(f.closed);
    assert_string_equal(f.problem, "the triangles enclose no volume");

    // A mesh that intersects itself: below the waist volume counts positive, above it negative, and the
    // rest, far from all of it, would have negative inertia.
    l = cube();
    for (int i = 0; i < 8; ++i)
        if (l.vertices[3 * i + 2] > 0.5) l.vertices[3 * i] = 0.9 * (1.0 - l.vertices[3 * i]) + 0.05;
    f = inspect_and_free(&l);
    assert_false(f.closed);
    assert_string_equal(f.problem, "the mesh intersects itself: its inertia is impossible for a body");
}

// Many bodies of which some are inverted, a few with cavities: found quickly, for either orientation.
static void many_components_are_oriented(void **state)
{
    (void)state;
    for (int inside_out = 0; inside_out < 2; ++inside_out) {
        struct list l = {0};
        const int n = 3000;
        for (int i = 0; i < n; ++i) add_box(&l, v3(3 * i, 0, 0), v3(2, 2, 2));
        for (int i = 0; i < n; i += 100) {
            add_box(&l, v3(3 * i + 0.5, 0.5, 0.5), v3(1, 1, 1));
            turn_faces(&l, l.triangle_count - 12, 1);
        }
        if (inside_out) turn_faces(&l, 0, 1);
        const tarn_mesh_report f = inspect_and_free(&l);
        assert_true(f.closed && f.components == n + n / 100 && f.cavities == n / 100);
        assert_int_equal(f.flipped_faces, inside_out ? 12 * f.components : 0);
        CHECK_NEAR(f.volume, 8.0 * n - n / 100, 1e-8); // sums of 36,000 terms of up to 1e8
    }
}

static void invalid_numbers_are_rejected(void **state)
{
    (void)state;
    struct list l = cube();
    tarn_mesh_report f;
    tarn_error err;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e10};
    for (int i = 0; i < COUNT(bad); ++i) {
        l.vertices[4] = bad[i];
        assert_int_equal(tarn_mesh_inspect(8, l.vertices, 12, l.triangles, NULL, &f, &err), TARN_BAD_INPUT);
        assert_non_null(strstr(err.message, "vertex 1"));
    }
    l.vertices[4] = 0;
    for (int i = 0; i < 2; ++i) {
        l.triangles[7] = i ? -1 : 8;
        assert_int_equal(tarn_mesh_inspect(8, l.vertices, 12, l.triangles, NULL, &f, &err), TARN_BAD_INPUT);
        assert_non_null(strstr(err.message, "triangle 2"));
    }
    assert_int_equal(tarn_mesh_inspect(8, NULL, 12, l.triangles, NULL, &f, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_mesh_inspect(8, l.vertices, -1, l.triangles, NULL, &f, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_mesh_inspect(8, l.vertices, 12, l.triangles, NULL, NULL, NULL), TARN_BAD_ARGUMENT);
    drop(&l);
}

// ---- the solid itself -------------------------------------------------------------------------------

// The hull is centred at the centre of mass, and the axes are its principal axes.
static void hull_is_centred_and_aligned_with_principal_axes(void **state)
{
    (void)state;
    const quat q = quat_normalize((quat){0.9, 0.1, -0.3, 0.2});
    struct list l = {0};
    add_box(&l, v3(-0.5, -1, -1.5), v3(1, 2, 3));
    place(&l, q, v3(5, 6, 7));
    struct memory m;
    struct solid_mesh s;
    tarn_mesh_report f;
    memory_init(&m, NULL);
    const struct triangle_soup in = {l.vertex_count, l.triangle_count, l.vertices, l.triangles};
    CHECK_OK(mesh_repair(&in, &m, &s, &f, NULL));
    CHECK_NEAR(s.centroid.y, 6, 1e-14);
    const struct volume_moments about = trimesh_moments(&s.mesh);
    CHECK_NEAR(v3_length(about.centroid), 0, 1e-14);
    // each column is an edge direction of the box, and the determinant is 1
    const double sizes[] = {1, 2, 3};
    vec3 column[3];
    for (int k = 0; k < 3; ++k) {
        column[k] = v3(s.principal_axes.m[0][k], s.principal_axes.m[1][k], s.principal_axes.m[2][k]);
        const vec3 own = quat_rotate_inverse(q, column[k]);
        const double part[] = {own.x, own.y, own.z},
                     got[] = {s.principal_inertia.x, s.principal_inertia.y, s.principal_inertia.z};
        int along = 0;
        for (int i = 1; i < 3; ++i)
            if (fabs(part[i]) > fabs(part[along])) along = i;
        CHECK_NEAR(fabs(part[along]), 1, 1e-14);
        const double want = 6.0 * (14.0 - sizes[along] * sizes[along]) / 12.0;
        CHECK_NEAR(got[k], want, 1e-13);
    }
    CHECK_NEAR(v3_dot(column[0], v3_cross(column[1], column[2])), 1, 1e-14);
    solid_mesh_free(&s, &m);
    drop(&l);

    add_box(&l, v3(-1, -2, -3), v3(2, 4, 6)); // one that is aligned with the axes is not rotated
    const struct triangle_soup straight = {l.vertex_count, l.triangle_count, l.vertices, l.triangles};
    CHECK_OK(mesh_repair(&straight, &m, &s, &f, NULL));
    assert_true(s.principal_axes.m[0][0] == 1 && s.principal_axes.m[1][1] == 1 &&
                s.principal_axes.m[2][2] == 1);
    solid_mesh_free(&s, &m);
    drop(&l);
}

static void missing_memory_is_reported_as_a_result(void **state)
{
    (void)state;
    struct counting_allocator ledger = {0};
    const tarn_allocator hook = counting_hook(&ledger);
    struct list l = cube();
    tarn_mesh_report f;
    tarn_result r = TARN_NO_MEMORY;
    int needed = 0;
    l.triangle_count = 10; // a hole too
    for (; r != TARN_OK && needed < 200; ++needed) {
        ledger.left = needed;
        r = tarn_mesh_inspect(l.vertex_count, l.vertices, l.triangle_count, l.triangles, &hook, &f, NULL);
        assert_true(r == TARN_OK || r == TARN_NO_MEMORY);
        assert_int_equal(ledger.blocks, 0);
    }
    assert_int_equal(r, TARN_OK);
    assert_true(needed > 10);
    drop(&l);
}

// Inputs that could be slow: all vertices at one point, a fan of faces at one vertex, one cell full of
// points.
static void repair_time_is_bounded(void **state)
{
    (void)state;
    struct list l = {0};
    const int n = 200000;
    const int centre = point(&l, 0, 0, 0);
    for (int i = 0; i < n; ++i) {
        const double a = 2 * PI * i / n;
        const int p = point(&l, cos(a), sin(a), 0), q = point(&l, cos(a + 1e-5), sin(a + 1e-5), 1);
        face(&l, centre, p, q);
    }
    assert_false(inspect(&l).closed);
    for (int i = 0; i < 3 * l.vertex_count; ++i) l.vertices[i] = i < 6 ? i : 1e-7 * (i % 97);
    assert_false(inspect_and_free(&l).closed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_mass_properties_are_exact),
        cmocka_unit_test(platonic_bodies_are_exact),
        cmocka_unit_test(a_torus_is_exact_as_a_polyhedron),
        cmocka_unit_test(an_ellipsoid_is_exact_as_a_polyhedron),
        cmocka_unit_test(faces_are_turned_outwards),
        cmocka_unit_test(separate_triangles_are_welded),
        cmocka_unit_test(order_and_orientation_of_faces_do_not_change_the_body),
        cmocka_unit_test(duplicate_and_zero_area_faces_are_removed),
        cmocka_unit_test(zero_area_faces_that_join_neighbours_are_kept),
        cmocka_unit_test(small_holes_are_capped),
        cmocka_unit_test(large_holes_are_counted),
        cmocka_unit_test(volumes_of_two_components_add_up),
        cmocka_unit_test(cavities_keep_inward_normals),
        cmocka_unit_test(non_solids_are_reported),
        cmocka_unit_test(meshes_without_interior_are_reported),
        cmocka_unit_test(many_components_are_oriented),
        cmocka_unit_test(invalid_numbers_are_rejected),
        cmocka_unit_test(hull_is_centred_and_aligned_with_principal_axes),
        cmocka_unit_test(missing_memory_is_reported_as_a_result),
        cmocka_unit_test(repair_time_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
