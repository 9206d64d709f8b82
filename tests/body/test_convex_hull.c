// Convex hulls: all points are inside, faces are planar and convex, and the surface is closed, for any set
// of points.
#include "base/math/random.h"
#include "body/shape/shape.h"
#include "check.h"

#include <stdlib.h>

#define MOST 40000

static struct memory heap;
static vec3 points[MOST];
static int count;

static void clear(void)
{
    memory_init(&heap, NULL);
    count = 0;
}

static void put(vec3 p)
{
    assert_true(count < MOST);
    points[count++] = p;
}

static double dice(int n) { return 2.0 * random_unit(7, 1, (uint64_t)n) - 1.0; }

static vec3 direction(int n)
{
    const double z = dice(2 * n), a = PI * dice(2 * n + 1), r = sqrt(1 - z * z);
    return v3(r * cos(a), z, r * sin(a));
}

static const quat askew = {0.36, -0.48, 0.48, 0.64};

static void turn_all(void)
{
    for (int i = 0; i < count; ++i) points[i] = quat_rotate(askew, points[i]);
}

static double extent(void)
{
    vec3 lo = points[0], hi = points[0];
    for (int i = 0; i < count; ++i) {
        lo = v3(fmin(lo.x, points[i].x), fmin(lo.y, points[i].y), fmin(lo.z, points[i].z));
        hi = v3(fmax(hi.x, points[i].x), fmax(hi.y, points[i].y), fmax(hi.z, points[i].z));
    }
    return fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
}

// ---- what a polyhedron is ---------------------------------------------------------------------------

// Every edge of a face belongs to one other face in the opposite direction; then Euler's formula.
static void check_closed(const struct convex_part *p)
{
    const int capacity = 4 * p->face_vertex_count;
    int(*edges)[2] = malloc(sizeof *edges * (size_t)capacity), same = 0, back = 0;
    char *used = calloc((size_t)p->vertex_count, 1);
    for (int i = 0; i < capacity; ++i) edges[i][0] = -1;
    for (int pass = 0; pass < 2; ++pass)
        for (int s = 0; s < p->face_count; ++s)
            for (int k = 0; k < p->faces[s].count; ++k) {
                const int *c = p->face_vertices + p->faces[s].first, n = p->faces[s].count;
                const int a = c[pass ? (k + 1) % n : k], b = c[pass ? k : (k + 1) % n];
                int at = (int)((a * 7919u + b * 104729u) % (unsigned)capacity);
                used[a] = 1;
                while (edges[at][0] >= 0 && (edges[at][0] != a || edges[at][1] != b))
                    at = (at + 1) % capacity;
                if (pass)
                    back += edges[at][0] >= 0;
                else
                    same += edges[at][0] >= 0, edges[at][0] = a, edges[at][1] = b;
            }
    for (int i = 0; i < p->vertex_count; ++i) assert_true(used[i]);
    assert_int_equal(same, 0);
    assert_int_equal(back, p->face_vertex_count);
    assert_int_equal(p->vertex_count - p->face_vertex_count / 2 + p->face_count, 2);
    free(edges);
    free(used);
}

// Planar, convex, counter-clockwise, and all points below.
static void check_side(const struct convex_part *p, const struct convex_face *s, double tol, int all)
{
    const int *c = p->face_vertices + s->first;
    CHECK_NEAR(v3_length(s->normal), 1, 1e-14);
    assert_true(3 <= s->count && s->count <= MAX_FACE_VERTICES);
    for (int k = 0; k < s->count; ++k) {
        const vec3 a = p->vertices[c[k]], b = p->vertices[c[(k + 1) % s->count]],
                   d = p->vertices[c[(k + 2) % s->count]];
        CHECK_NEAR(v3_dot(s->normal, a), s->offset, tol);
        const vec3 edge = v3_sub(b, a), out = v3_scale(v3_cross(edge, s->normal), 1 / v3_length(edge));
        assert_true(v3_dot(out, v3_sub(d, a)) < tol);
    }
    for (int i = 0; all && i < count; ++i) {
        const double height = v3_dot(s->normal, v3_sub(points[i], p->position)) - s->offset;
        if (height > tol) fail_msg("point %d is %g above a side", i, height);
    }
}

static struct convex_part hull(int most)
{
    struct convex_part p;
    tarn_error err = {0};
    const tarn_result r = convex_hull_build(&p, &heap, points, count, most, &err);
    if (r != TARN_OK) fail_msg("%s", err.message);
    // a plane is known to 1e-7 of the extent, the grid to 1e-9
    const double size = extent(), tol = 2e-7 * size;
    check_closed(&p);
    for (int s = 0; s < p.face_count; ++s) check_side(&p, &p.faces[s], tol, most >= count);
    double reach = 0;
    for (int i = 0; i < p.vertex_count; ++i) reach = fmax(reach, v3_length(p.vertices[i]));
    CHECK_NEAR(p.bounding_radius, reach, 1e-15 * size);
    assert_true(p.vertex_count <= most);
    for (int i = 0; i < 300; ++i) { // the same extent as the points in every direction
        const vec3 n = direction(i);
        double want = -INFINITY, got = -INFINITY;
        for (int k = 0; k < count; ++k) want = fmax(want, v3_dot(n, v3_sub(points[k], p.position)));
        for (int k = 0; k < p.vertex_count; ++k) got = fmax(got, v3_dot(n, p.vertices[k]));
        assert_true(got <= want);
        if (most >= count) CHECK_NEAR(got, want, tol);
    }
    return p;
}

static void expect(int corners, int sides)
{
    struct convex_part p = hull(count);
    assert_int_equal(p.vertex_count, corners);
    assert_int_equal(p.face_count, sides);
    convex_part_free(&p, &heap);
}

// ---- points -----------------------------------------------------------------------------------------

static void hulls_of_random_points_are_exact(void **state)
{
    (void)state;
    for (int round = 0; round < 200; ++round) {
        clear();
        const int n = 4 + round * round / 80;
        for (int i = 0; i < n; ++i)
            put(v3(dice(3 * i + 9999 * round), dice(3 * i + 1 + 9999 * round),
                   dice(3 * i + 2 + 9999 * round)));
        struct convex_part p = hull(count);
        convex_part_free(&p, &heap);
    }
}

static void hull_of_points_on_a_sphere_is_exact(void **state)
{
    (void)state;
    clear();
    for (int i = 0; i < 2000; ++i) put(direction(i));
    expect(2000, 3996); // each is a vertex, each face a triangle
}

static void grid(int n, double step)
{
    for (int i = 0; i < n * n * n; ++i) put(v3(step * (i % n), step * (i / n % n), step * (i / n / n)));
}

// Nine of ten points lie in faces and on edges, up to rounding.
static void hulls_of_point_grids_are_boxes(void **state)
{
    (void)state;
    for (int n = 2; n <= 12; ++n) {
        clear();
        grid(n, 0.1);
        expect(8, 6);
        turn_all();
        expect(8, 6);
        for (int i = 0; i < count; ++i) points[i] = v3_add(points[i], v3(1000, -700, 300));
        expect(8, 6);
    }
}

static void duplicate_points_do_not_change_the_hull(void **state)
{
    (void)state;
    clear();
    for (int i = 0; i < 5; ++i) grid(3, 0.2);
    turn_all();
    const int n = count;
    for (int i = 0; i < n; ++i) put(v3_add(points[i], v3(1e-11 * dice(i), 1e-11 * dice(i + n), 0)));
    expect(8, 6);
}

static void hull_of_collinear_points_is_exact(void **state)
{
    (void)state;
    clear();
    for (int e = 0; e < 12; ++e) // along the edges of a box, many each
        for (int i = 0; i <= 100; ++i) {
            const double a = 0.5 * (e & 1), b = 0.3 * (e >> 1 & 1), t = i / 100.0;
            put(e / 4 == 0 ? v3(t, a, b) : e / 4 == 1 ? v3(2 * a, 0.5 * t, b) : v3(2 * a, b / 0.6, 0.3 * t));
        }
    expect(8, 6);
    turn_all();
    expect(8, 6);
}

// A face with 100 vertices is split into four.
static void many_coplanar_vertices_make_one_face(void **state)
{
    (void)state;
    for (int askew_too = 0; askew_too < 2; ++askew_too) {
        clear();
        for (int i = 0; i < 200; ++i)
            put(v3(cos(2 * PI * (i / 2) / 100), i % 2 ? 1 : -1, sin(2 * PI * (i / 2) / 100)));
        for (int i = 0; i < 500; ++i) put(v3(0.5 * dice(i), i % 2 ? 1 : -1, 0.5 * dice(i + 500)));
        if (askew_too) turn_all();
        expect(200, 108);
    }
}

// Flat, pointed and long bodies, near the limits.
static void hulls_of_thin_bodies_are_exact(void **state)
{
    (void)state;
    const vec3 sizes[] = {{1, 1, 1e-4}, {1, 1e-4, 1}, {1e-3, 1, 1e-3}, {1, 1e-5, 1e-4}, {100, 1e-3, 1e-3}};
    for (int k = 0; k < COUNT(sizes); ++k) {
        clear();
        grid(4, 1.0 / 3.0);
        for (int i = 0; i < count; ++i)
            points[i] = v3(points[i].x * sizes[k].x, points[i].y * sizes[k].y, points[i].z * sizes[k].z);
        expect(8, 6);
        turn_all();
        struct convex_part p = hull(count);
        convex_part_free(&p, &heap);
    }
}

// Spheres and boxes perturbed by about the tolerance: whichever points count as coplanar, the result is a
// polyhedron.
static void perturbed_points_give_valid_polyhedra(void **state)
{
    (void)state;
    for (int power = 6; power <= 12; ++power)
        for (int round = 0; round < 4; ++round) {
            clear();
            grid(5, 0.25);
            for (int i = 0; i < 60; ++i) put(v3(0.5 + 0.5 * cos(i), i % 2, 0.5 + 0.5 * sin(i)));
            turn_all();
            for (int i = 0; i < count; ++i)
                points[i] = v3_madd(points[i], pow(10, -power), direction(i + 1000 * round));
            struct convex_part p = hull(count);
            convex_part_free(&p, &heap);
        }
}

// With fewer vertices the hull is smaller, and the loss decreases with their number.
static void vertex_limit_reduces_the_hull(void **state)
{
    (void)state;
    clear();
    for (int i = 0; i < 35000; ++i) put(v3_scale(direction(i), 1 + 0.2 * dice(i)));
    double before = INFINITY;
    for (int most = 12; most <= 96; most *= 2) {
        struct convex_part p = hull(most);
        double short_of = 0;
        assert_true(p.vertex_count > most / 2);
        for (int s = 0; s < p.face_count; ++s)
            for (int i = 0; i < count; ++i)
                short_of = fmax(short_of,
                                v3_dot(p.faces[s].normal, v3_sub(points[i], p.position)) - p.faces[s].offset);
        assert_true(short_of < before);
        before = short_of;
        convex_part_free(&p, &heap);
    }
    assert_true(before < 0.12); // 96 caps of a sphere of 1.2 m are 0.05 m high if they are all alike
}

static void refuse(const char *words)
{
    struct convex_part p;
    tarn_error err = {0};
    assert_int_equal(convex_hull_build(&p, &heap, points, count, 100, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "points");
    if (!strstr(err.message, words)) fail_msg("%s", err.message);
    assert_null(p.vertices);
}

static void points_without_volume_are_rejected(void **state)
{
    (void)state;
    clear();
    refuse("found 0");
    for (int i = 0; i < 3; ++i) put(direction(i));
    refuse("found 3");
    clear();
    for (int i = 0; i < 50; ++i) put(v3(0.1, 0.2, 0.3));
    refuse("in one plane");
    clear();
    for (int i = 0; i < 50; ++i) put(v3_scale(v3(0.1, 0.2, 0.3), i));
    refuse("in one plane");
    clear();
    for (int i = 0; i < 50; ++i) put(v3(dice(i), dice(i + 50), 0));
    refuse("in one plane");
    turn_all();
    refuse("in one plane");
    clear();
    grid(3, 1);
    const double bad[] = {NAN, INFINITY, -INFINITY, 2e9};
    for (int i = 0; i < COUNT(bad); ++i) {
        points[5].y = bad[i];
        refuse("point 5");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_of_random_points_are_exact),
        cmocka_unit_test(hull_of_points_on_a_sphere_is_exact),
        cmocka_unit_test(hulls_of_point_grids_are_boxes),
        cmocka_unit_test(duplicate_points_do_not_change_the_hull),
        cmocka_unit_test(hull_of_collinear_points_is_exact),
        cmocka_unit_test(many_coplanar_vertices_make_one_face),
        cmocka_unit_test(hulls_of_thin_bodies_are_exact),
        cmocka_unit_test(perturbed_points_give_valid_polyhedra),
        cmocka_unit_test(vertex_limit_reduces_the_hull),
        cmocka_unit_test(points_without_volume_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
