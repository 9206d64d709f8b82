// Shape kind "polygon" of planar worlds: a convex polygon.
#include "base/error.h"
#include "body/shape/construct/prism.h"

static const tarn_param params[] = {
    PARAM_POINTS(tarn_polygon, points, point_count, "points", 2, MAX_PRISM_VERTICES, -100, 100, "m",
                 "x and y of the vertices, in order around the polygon; moved to the centre of mass"),
};

static double twice_area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Makes the outline counter-clockwise and moves its centroid to the origin. False: not convex, or area too
// small.
static bool normalize_outline(const tarn_polygon *d, double (*out)[2])
{
    const int count = d->point_count;
    const tarn_vec2 *p = d->points;
    double area = 0.0, x = 0.0, y = 0.0;
    for (int i = 1; i + 1 < count; ++i) {
        const double triangle_area = twice_area(&p[0].x, &p[i].x, &p[i + 1].x);
        area += triangle_area;
        x += triangle_area * (p[0].x + p[i].x + p[i + 1].x) / 3.0,
            y += triangle_area * (p[0].y + p[i].y + p[i + 1].y) / 3.0;
    }
    if (!(fabs(area) > 1e-8)) return false;
    for (int i = 0; i < count; ++i) {
        const tarn_vec2 vertex = p[area > 0.0 ? i : count - 1 - i];
        out[i][0] = vertex.x - x / area, out[i][1] = vertex.y - y / area;
    }
    double total_angle = 0.0;
    for (int i = 0; i < count; ++i) {
        const double *a = out[i], *b = out[(i + 1) % count], *c = out[(i + 2) % count];
        if (!(twice_area(a, b, c) > 0.0) || !(twice_area(a, b, (double[2]){0, 0}) > 0.0)) return false;
        total_angle += m_atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
    }
    return total_angle < 3.0 * PI; // one revolution; a star polygon makes two
}

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_polygon *d = def;
    double points[MAX_PRISM_VERTICES][2];
    *out = (struct shape_data){0};
    if (d->point_count < 3)
        return fail(err, TARN_BAD_INPUT, "points", "expected at least 3 vertices, found %d", d->point_count);
    if (!normalize_outline(d, points))
        return fail(err, TARN_BAD_INPUT, "points",
                    "the polygon is not convex; join several bodies with joints instead");
    const int count = d->point_count;
    if (!prism_shape(points, count, m, out) || !prism_add_polygon(points, count, m, out)) {
        shape_data_free(out, m);
        return fail(err, TARN_NO_MEMORY, "", "no memory for a polygon");
    }
    return TARN_OK;
}

const struct shape_kind shape_polygon = {
    .kind = {.category = "shape", .name = "polygon", .help = "convex polygon (planar flow)", PARAMS(params)},
    .def_size = sizeof(tarn_polygon),
    .planar = true,
    .drag_coefficient = 1.0,
    .drag_orientation = 0.9,
    .make = make,
};
