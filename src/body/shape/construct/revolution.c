// Bodies of revolution: triangle mesh from rings, mass properties as sums over conical frusta, and
// decomposition into convex parts at the concave points of the profile.
#include "body/shape/construct/revolution.h"

#include "base/error.h"

// ---- mesh -------------------------------------------------------------------------------------------

double symmetric_cos(int i, int n)
{
    i = (i % n + n) % n;
    if (2 * i > n) i = n - i;
    if (4 * i == n) return 0.0;
    return 4 * i < n ? m_cos(2.0 * PI * i / n) : -m_cos(2.0 * PI * (n / 2 - i) / n);
}

// Adds one sector of a belt: two triangles, or one where a ring is a single vertex.
static int add_sector(int (*out)[3], const int lower[2], const int upper[2], bool flip_diagonal)
{
    const int lower_a = lower[0], lower_b = lower[1], upper_a = upper[0], upper_b = upper[1];
    int n = 0;
    if (lower_a != lower_b)
        out[n][0] = lower_b, out[n][1] = lower_a,
        out[n++][2] = flip_diagonal || upper_a == upper_b ? upper_a : upper_b;
    if (upper_a != upper_b)
        out[n][0] = flip_diagonal || lower_a == lower_b ? lower_b : lower_a, out[n][1] = upper_a,
        out[n++][2] = upper_b;
    return n;
}

// The direction of the diagonals alternates between sectors, and the belts of the upper half mirror those of
// the lower half, so that the mesh has the symmetries of the profile.
static void connect_rings(struct trimesh *mesh, const struct profile_point *rings, int count, int sectors,
                          bool loop)
{
    int first = 0, triangle_count = 0, width = rings[0].radius > 0.0 ? sectors : 1;
    const int belts = loop ? count : count - 1;
    for (int j = 0; j < belts; ++j) {
        const int k = (j + 1) % count, next = k ? first + width : 0;
        const int next_width = rings[k].radius > 0.0 ? sectors : 1;
        const int parity = 2 * j < belts ? j : belts - j;
        for (int i = 0; i < sectors; ++i) {
            const int lower[2] = {first + i % width, first + (i + 1) % width};
            const int upper[2] = {next + i % next_width, next + (i + 1) % next_width};
            triangle_count += add_sector(mesh->triangles + triangle_count, lower, upper, (i + parity) % 2);
        }
        first = next, width = next_width;
    }
    ASSERT(triangle_count == mesh->triangle_count);
}

bool revolution_mesh(struct trimesh *out, const struct memory *m, const struct profile_point *rings,
                     int count, int sectors, bool loop, double volume)
{
    int vertices = 0, triangles = 0;
    for (int j = 0; j < count; ++j) {
        const bool is_ring = rings[j].radius > 0.0;
        vertices += is_ring ? sectors : 1;
        triangles += is_ring ? 2 * sectors : 0; // half of them in the belt below, half in the belt above
    }
    ASSERT(loop || (rings[0].radius == 0.0 && rings[count - 1].radius == 0.0));
    if (!trimesh_alloc(out, m, vertices, triangles)) return false;
    for (int j = 0, v = 0; j < count; ++j)
        for (int i = 0; i < (rings[j].radius > 0.0 ? sectors : 1); ++i)
            out->vertices[v++] = v3(rings[j].radius * symmetric_cos(i, sectors), rings[j].height,
                                    rings[j].radius * symmetric_sin(i, sectors));
    connect_rings(out, rings, count, sectors, loop);
    const double scale = sqrt(volume / trimesh_moments(out).volume);
    for (int v = 0; v < vertices; ++v) out->vertices[v].x *= scale, out->vertices[v].z *= scale;
    trimesh_compute_facets(out);
    return true;
}

// ---- mass -------------------------------------------------------------------------------------------

mat3 axisymmetric_inertia(double transverse, double axial)
{
    return (mat3){{{transverse, 0, 0}, {0, axial, 0}, {0, 0, transverse}}};
}

// Mass properties for density 1.
struct revolution_moments {
    double volume;            // [m^3]
    double centroid;          // [m] height
    double transverse, axial; // [m^5] moments of inertia about the centroid
};

// Sums over conical frusta with r(y) = a + (b - a) y/h of  int pi r^2 {1, y, y^2} dy  and  int pi r^4/2 dy.
static struct revolution_moments revolution_moments_of(const struct profile_point *p, int count)
{
    const double mid_height = 0.5 * (p[0].height + p[count - 1].height);
    double volume = 0.0, first = 0.0, second = 0.0, axial = 0.0;
    for (int i = 0; i + 1 < count; ++i) {
        const double a = p[i].radius, b = p[i + 1].radius, aa = a * a, ab = a * b, bb = b * b;
        const double low = p[i].height - mid_height, h = p[i + 1].height - p[i].height;
        const double v = PI * h / 3.0 * (aa + ab + bb);
        const double f = PI * h * h / 12.0 * (aa + 2.0 * ab + 3.0 * bb);
        const double s = PI * h * h * h / 30.0 * (aa + 3.0 * ab + 6.0 * bb);
        volume += v;
        first += f + low * v;
        second += s + low * (2.0 * f + low * v);
        axial += PI * h / 10.0 * (aa * aa + aa * ab + aa * bb + ab * bb + bb * bb);
    }
    const double centroid = first / volume;
    return (struct revolution_moments){volume, mid_height + centroid, 0.5 * axial + second - centroid * first,
                                       axial};
}

// ---- convex parts -----------------------------------------------------------------------------------

bool revolution_convex_part(struct convex_part *out, const struct memory *m,
                            const struct profile_point *profile, int count, double centre)
{
    const double mid_height = 0.5 * (profile[0].height + profile[count - 1].height);
    if (!convex_part_alloc_profile(out, m, count)) return false;
    out->position = v3(0, mid_height - centre, 0);
    for (int i = 0; i < count; ++i) {
        const double r = profile[i].radius, h = profile[i].height - mid_height;
        out->profile[i] = (struct profile_point){r, h};
        out->bounding_radius = fmax(out->bounding_radius, sqrt(r * r + h * h));
    }
    return true;
}

// 1: the profile is convex at b (bends towards the axis); 0: straight; -1: concave
static int profile_convexity(struct profile_point a, struct profile_point b, struct profile_point c)
{
    const double before = (b.radius - a.radius) * (c.height - b.height);
    const double after = (c.radius - b.radius) * (b.height - a.height);
    if (fabs(before - after) <= 1e-12 * (fabs(before) + fabs(after)))
        return 0; // collinear within the rounding of decimal input
    return before > after ? 1 : -1;
}

// Finds the longest convex run of the profile from point `first`; collinear points are left out. Returns the
// index of its last point. Every section of a convex run is convex, so taking the longest run each time gives
// the fewest parts.
static int longest_convex_run(const struct profile_point *p, int count, int first, struct profile_point *out,
                              int *kept_count)
{
    int n = 2, i = first + 2;
    out[0] = p[first], out[1] = p[first + 1];
    for (; i < count; ++i) {
        const int convexity = profile_convexity(out[n - 2], out[n - 1], p[i]);
        if (convexity < 0) break;
        if (convexity > 0) ++n;
        out[n - 1] = p[i];
    }
    *kept_count = n;
    return i - 1;
}

static bool make_convex_parts(struct shape_data *shape, const struct memory *m,
                              const struct profile_point *profile, int count, double centre)
{
    struct profile_point run[MAX_PROFILE_POINTS];
    int part_count = 0, kept_count;
    for (int point = 0; point < count - 1; ++part_count)
        point = longest_convex_run(profile, count, point, run, &kept_count);
    if (!shape_alloc_parts(shape, m, part_count)) return false;
    for (int i = 0, point = 0; i < part_count; ++i) {
        point = longest_convex_run(profile, count, point, run, &kept_count);
        if (!revolution_convex_part(&shape->convex_parts[i], m, run, kept_count, centre)) return false;
    }
    return true;
}

// ---- shape data -------------------------------------------------------------------------------------

static double profile_distance(struct profile_point a, struct profile_point b)
{
    const double r = b.radius - a.radius, h = b.height - a.height;
    return sqrt(r * r + h * h);
}

// Adds rings from the last one to b at distances of at most `step`. Returns the new number of rings.
static int add_rings(struct profile_point *rings, int count, struct profile_point b, double step)
{
    const struct profile_point a = rings[count - 1];
    const int segments = imax(1, (int)ceil(profile_distance(a, b) / step));
    for (int i = 1; i < segments; ++i) {
        const double t = (double)i / segments;
        rings[count++] = (struct profile_point){a.radius + t * (b.radius - a.radius),
                                                a.height + t * (b.height - a.height)};
    }
    rings[count++] = b;
    return count;
}

#define MIN_BELTS 16 // of a mesh, at least
static int make_rings(struct profile_point *rings, const struct profile_point *p, int count, double centre)
{
    double length = p[0].radius + p[count - 1].radius;
    int n = 1;
    for (int i = 0; i + 1 < count; ++i) length += profile_distance(p[i], p[i + 1]);
    rings[0] = (struct profile_point){0.0, p[0].height - centre};
    for (int i = p[0].radius > 0.0 ? 0 : 1; i < count; ++i)
        n = add_rings(rings, n, (struct profile_point){p[i].radius, p[i].height - centre},
                      length / MIN_BELTS);
    if (p[count - 1].radius > 0.0)
        n = add_rings(rings, n, (struct profile_point){0.0, p[count - 1].height - centre},
                      length / MIN_BELTS);
    return n;
}

// Shape data without convex parts. *sectors: 0 to choose a number; an inner shape uses that of the outer
// shape.
static bool make_shape_data(const struct profile_point *profile, int count, int *sectors,
                            const struct memory *m, struct shape_data *out, double *centre)
{
    ASSERT(2 <= count && count <= MAX_PROFILE_POINTS);
    struct profile_point
        rings[MAX_REVOLUTION_RINGS]; // at most MIN_BELTS + 1, and one for each profile segment and end
    const struct revolution_moments moments = revolution_moments_of(profile, count);
    const int n = make_rings(rings, profile, count, moments.centroid);
    if (*sectors == 0)
        *sectors = n <= 24 ? REVOLUTION_SECTORS : 24; // fewer sectors for a profile of many points
    *out = (struct shape_data){.volume = moments.volume};
    out->inertia = axisymmetric_inertia(moments.transverse, moments.axial);
    *centre = moments.centroid;
    return revolution_mesh(&out->hull, m, rings, n, *sectors, false, moments.volume);
}

tarn_result revolution_open_shape(const struct profile_point *profile, int count,
                                  const struct profile_point *inner, int inner_count, const struct memory *m,
                                  struct shape_data *out, tarn_error *err)
{
    double centre;
    int sectors = 0;
    tarn_result r = TARN_OK;
    if (!make_shape_data(profile, count, &sectors, m, out, &centre) ||
        !make_convex_parts(out, m, profile, count, centre))
        r = fail(err, TARN_NO_MEMORY, "", "no memory for a body of revolution");
    if (r == TARN_OK && inner_count > 0) {
        struct shape_data inner_shape;
        if (make_shape_data(inner, inner_count, &sectors, m, &inner_shape, &centre))
            r = shape_hollow(out, &inner_shape, m, err);
        else
            r = fail(err, TARN_NO_MEMORY, "", "no memory for a body of revolution");
        shape_data_free(&inner_shape, m);
    }
    if (r != TARN_OK) shape_data_free(out, m);
    return r;
}

tarn_result revolution_shape(const struct profile_point *profile, int count, const struct memory *m,
                             struct shape_data *out, tarn_error *err)
{
    return revolution_open_shape(profile, count, NULL, 0, m, out, err);
}
