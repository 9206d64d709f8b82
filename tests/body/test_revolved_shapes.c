// Solids of revolution: mass against integrals over thin rings, hulls of the same volume, convex parts
// that fill the shape.
#include "shapes.h"

// ---- turned bodies ----------------------------------------------------------------------------------

// A solid of revolution as a stack of rings: inner and outer radii at the height y(t), 0 < t < 1 from
// bottom to top.
struct ring {
    double y, dy, in, out; // dy/dt
};
typedef struct ring (*stack_fn)(double t, const double *numbers);

static struct ring capsule_at(double t, const double *d)
{
    const double whole = d[1] + 2 * d[0], y = whole * (t - 0.5), over = fmax(0, fabs(y) - d[1] / 2);
    return (struct ring){y, whole, 0, sqrt(fmax(0, d[0] * d[0] - over * over))};
}

static struct ring cylinder_at(double t, const double *d) { return (struct ring){d[1] * t, d[1], 0, d[0]}; }
static struct ring cone_at(double t, const double *d)
{
    return (struct ring){d[1] * t, d[1], 0, d[0] * (1 - t)};
}

static struct ring torus_at(double t, const double *d)
{
    const double a = PI * (t - 0.5); // so that the ends are smooth
    return (struct ring){d[1] * sin(a), PI * d[1] * cos(a), d[0] - d[1] * cos(a), d[0] + d[1] * cos(a)};
}

static struct ring bottle_at(double t, const double *d)
{
    (void)d;
    const double whole = bottle[COUNT(bottle) - 1][1], y = t * whole;
    int i = 0;
    while (i < COUNT(bottle) - 2 && bottle[i + 1][1] < y) ++i;
    const double u = (y - bottle[i][1]) / (bottle[i + 1][1] - bottle[i][1]);
    return (struct ring){y, whole, 0, bottle[i][0] + u * (bottle[i + 1][0] - bottle[i][0])};
}

static const struct turned {
    const char *kind, *a, *b;
    double numbers[2];
    stack_fn at;
    int mirror;  // top and bottom are alike
    double hull; // error of the inertia by facets, relative to its trace
} turned[] = {
    {"capsule", "radius", "length", {0.15, 0.5}, capsule_at, 1, 5e-3},
    {"capsule", "radius", "length", {2, 0.001}, capsule_at, 1, 5e-3},
    {"cylinder", "radius", "height", {0.25, 0.5}, cylinder_at, 1, 5e-3},
    {"cylinder", "radius", "height", {0.001, 100}, cylinder_at, 1, 5e-3},
    {"cylinder", "radius", "height", {100, 0.001}, cylinder_at, 1, 5e-3},
    {"cone", "radius", "height", {0.25, 0.5}, cone_at, 0, 5e-3},
    {"cone", "radius", "height", {3, 0.1}, cone_at, 0, 5e-3},
    {"torus", "radius", "tube_radius", {0.3, 0.1}, torus_at, 1, 1e-2},
    {"torus", "radius", "tube_radius", {5, 4.9}, torus_at, 1, 2e-2},
    {"lathe", NULL, NULL, {0}, bottle_at, 0, 1e-2},
};

static tarn_spec turned_spec(const struct turned *s)
{
    if (!s->a) return table("lathe", COUNT(bottle), bottle[0]);
    return sized(s->kind, s->a, s->numbers[0], s->b, s->numbers[1]);
}

// The midpoint rule; kinks and ends add at most 1/n^2.
static double integrate(const struct turned *s, vec3 *inertia)
{
    double volume = 0, first = 0, second = 0, along = 0;
    const int n = 30000;
    for (int i = 0; i < n; ++i) {
        const struct ring r = s->at((i + 0.5) / n, s->numbers);
        const double oo = r.out * r.out, ii = r.in * r.in, dv = PI * (oo - ii) * r.dy / n;
        volume += dv;
        first += r.y * dv;
        second += r.y * r.y * dv;
        along += 0.5 * (oo + ii) * dv;
    }
    const double across = 0.5 * along + second - first * first / volume;
    *inertia = v3(across, along, across);
    return first / volume;
}

static double volume_of(const struct turned *s)
{
    double volume = 0;
    const int n = 30000;
    for (int i = 0; i < n; ++i) {
        const struct ring r = s->at((i + 0.5) / n, s->numbers);
        volume += PI * (r.out * r.out - r.in * r.in) * r.dy / n;
    }
    return volume;
}

static void revolved_shapes_have_exact_mass(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(turned); ++k) {
        const struct turned *s = &turned[k];
        struct shape_data f = make(turned_spec(s));
        vec3 inertia;
        integrate(s, &inertia);
        check_mass(&f, volume_of(s), inertia, 1e-6);
        check_hull(&f, s->hull);
        assert_in_range(f.hull.triangle_count, 500, 1600);
        check_mirror(&f, v3(-1, 1, 1));
        check_mirror(&f, v3(1, 1, -1));
        if (s->mirror) check_mirror(&f, v3(1, -1, 1));
        shape_data_free(&f, &heap);
    }
}

// Closed forms, to the last digits.
static void shapes_follow_their_formulas(void **state)
{
    (void)state;
    struct shape_data f = make(sized("cone", "radius", 2, "height", 3));
    const double v = PI * 4, i = v * (3.0 / 20 * 4 + 3.0 / 80 * 9);
    check_mass(&f, v, v3(i, 0.3 * v * 4, i), 1e-14);
    CHECK_NEAR(f.convex_parts[0].position.y, 1.5 - 3.0 / 4, 1e-14);
    double lowest = 0;
    for (int k = 0; k < f.hull.vertex_count; ++k) lowest = fmin(lowest, f.hull.vertices[k].y);
    CHECK_NEAR(lowest, -0.75, 1e-14);
    shape_data_free(&f, &heap);

    f = make(sized("cylinder", "radius", 2, "height", 3));
    const double w = PI * 12, j = w * (4.0 / 4 + 9.0 / 12);
    check_mass(&f, w, v3(j, 0.5 * w * 4, j), 1e-14);
    shape_data_free(&f, &heap);

    const double rows[][2] = {{2, 7}, {2, 8}, {2, 10}}; // a cylinder as well
    f = make(table("lathe", 3, rows[0]));
    check_mass(&f, w, v3(j, 0.5 * w * 4, j), 1e-13);
    shape_data_free(&f, &heap);
}

// ---- pieces -----------------------------------------------------------------------------------------

// Whether a convex part of circles contains a point: below the line between two circles, or within `round`
// of the core, which then is a line.
static int holds(const struct convex_part *p, vec3 x)
{
    const vec3 q = mat3_mul_t(&p->axes, v3_sub(x, p->position));
    const struct profile_point *c = p->profile;
    const int n = p->profile_count;
    const double r = sqrt(q.x * q.x + q.z * q.z), over = q.y - clamp(q.y, c[0].height, c[n - 1].height);
    if (p->rounding > 0) return r * r + over * over <= p->rounding * p->rounding;
    for (int i = 0; i + 1 < n; ++i) {
        const double t = (q.y - c[i].height) / (c[i + 1].height - c[i].height);
        if (0 <= t && t <= 1) return r <= c[i].radius + t * (c[i + 1].radius - c[i].radius);
    }
    return 0;
}

static void check_pieces(const struct shape_data *f)
{
    for (int i = 0; i < f->convex_part_count; ++i) {
        const struct convex_part *p = &f->convex_parts[i];
        const mat3 *a = &p->axes;
        const vec3 x = v3(a->m[0][0], a->m[1][0], a->m[2][0]), y = v3(a->m[0][1], a->m[1][1], a->m[2][1]);
        const vec3 z = v3(a->m[0][2], a->m[1][2], a->m[2][2]);
        CHECK_NEAR(v3_dot(v3_cross(x, y), z), 1, 1e-14);
        double far = 0;
        for (int k = 0; k < 1000; ++k)
            far = fmax(far, support(p, direction(k)) - v3_dot(direction(k), p->position));
        assert_true(far <= p->bounding_radius * (1 + 1e-12));
        assert_true(p->bounding_radius <= far * 1.05);   // the nearest of 1000 directions is within 0.1 rad
        for (int k = 1; k + 1 < p->profile_count; ++k) { // the profile is convex and rises
            const struct profile_point b = p->profile[k - 1], c = p->profile[k], d = p->profile[k + 1];
            assert_true(b.height < c.height && c.height < d.height);
            assert_true((c.radius - b.radius) * (d.height - c.height) >
                        (d.radius - c.radius) * (c.height - b.height));
        }
    }
}

static void convex_parts_fill_the_shape(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(turned); ++k) {
        const struct turned *s = &turned[k];
        struct shape_data f = make(turned_spec(s));
        const int ring = strcmp(s->kind, "torus") == 0, n = 4000;
        const double size = abs_f(&f);
        vec3 inertia;
        const double centre = integrate(s, &inertia);
        check_pieces(&f);
        for (int i = 0; i < 1000; ++i) { // the same extent in every direction
            const vec3 d = direction(i);
            double far = -INFINITY;
            for (int j = 0; j <= n; ++j) {
                const struct ring r = s->at((double)j / n, s->numbers);
                far = fmax(far, r.out * sqrt(d.x * d.x + d.z * d.z) + (r.y - centre) * d.y);
            }
            // 1/n^2 or less for steps in t, but 1/n beside corners; 24 capsules differ by 0.6 % from a
            // torus
            CHECK_NEAR(support_all(&f, d), far, ring ? 6e-3 * s->numbers[0] : 3e-4 * size);
        }
        int wrong = 0, inside = 0;
        for (int i = 0; i < 20000; ++i) { // a point is in a part if it is in the body
            const double t = 0.5 + 0.5 * dice(3 * i);
            const struct ring r = s->at(t, s->numbers);
            const double out = size * fabs(dice(3 * i + 1)), a = PI * dice(3 * i + 2);
            const vec3 x = v3(out * cos(a), r.y - centre, out * sin(a));
            const double edge = ring ? 7e-3 * s->numbers[0] : 2e-6 * size;
            const double from = fmin(fabs(out - r.out), r.in > 0 ? fabs(out - r.in) : INFINITY);
            const int in = r.in <= out && out <= r.out;
            int held = 0;
            if (from < edge || (ring && fabs(r.y) > 0.8 * s->numbers[1])) continue; // flat there: y decides
            for (int j = 0; j < f.convex_part_count && !held; ++j) held = holds(&f.convex_parts[j], x);
            wrong += held != in, inside += in;
        }
        assert_int_equal(wrong, 0);
        assert_true(inside > 0 || s->numbers[0] < 0.01 * s->numbers[1]);
        shape_data_free(&f, &heap);
    }
}

static void convex_parts_are_few(void **state)
{
    (void)state;
    static const struct {
        int rows, pieces, circles; // of all parts
        double profile[8][2];
    } cases[] = {
        {2, 1, 2, {{0.1, 0}, {0.1, 1}}},
        {4, 1, 2, {{0.1, 0}, {0.2, 0.1}, {0.3, 0.2}, {0.7, 0.6}}},       // one straight line
        {3, 2, 4, {{0.3, 0}, {0.1, 1}, {0.3, 2}}},                       // a waist
        {3, 2, 4, {{0.3, 0}, {0, 1}, {0.3, 2}}},                         // an hourglass
        {5, 1, 5, {{0, 0}, {0.3, 0.2}, {0.4, 0.5}, {0.3, 0.8}, {0, 1}}}, // a spinning top
        {5, 2, 6, {{0, 0}, {0.3, 0.5}, {0.1, 1}, {0.3, 1.5}, {0, 2}}},   // two of them
    };
    for (int k = 0; k < COUNT(cases); ++k) {
        struct shape_data f = make(table("lathe", cases[k].rows, cases[k].profile[0]));
        int circles = 0;
        for (int i = 0; i < f.convex_part_count; ++i) circles += f.convex_parts[i].profile_count;
        assert_int_equal(f.convex_part_count, cases[k].pieces);
        assert_int_equal(circles, cases[k].circles);
        check_pieces(&f);
        check_hull(&f, 1e-2);
        shape_data_free(&f, &heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revolved_shapes_have_exact_mass),
        cmocka_unit_test(shapes_follow_their_formulas),
        cmocka_unit_test(convex_parts_fill_the_shape),
        cmocka_unit_test(convex_parts_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
