// Shape kind "polygon" of planar worlds: a convex polygon.
#include "base/error.h"
#include "body/shape/prism.h"

struct polygon_def {
    struct {
        int count;
        double rows[MAX_PRISM_VERTICES][2]; // [m]
    } points;
};
_Static_assert(sizeof(struct polygon_def) <= TARN_SPEC_BYTES, "a spec has room for it");

static const tarn_param params[] = {
    PARAM_TABLE(struct polygon_def, points, "points", 2, MAX_PRISM_VERTICES, -100, 100, "m",
                "x and y of the vertices, in order around the polygon; moved to the centre of mass"),
};

static double twice_area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Makes the outline counter-clockwise and moves its centroid to the origin. False: not convex, or area too
// small.
static bool normalize_outline(const struct polygon_def *d, double (*out)[2])
{
    const int count = d->points.count;
    const double(*p)[2] = d->points.rows;
    double area = 0.0, x = 0.0, y = 0.0;
    for (int i = 1; i + 1 < count; ++i) {
        const double triangle_area = twice_area(p[0], p[i], p[i + 1]);
        area += triangle_area;
        x += triangle_area * (p[0][0] + p[i][0] + p[i + 1][0]) / 3.0,
            y += triangle_area * (p[0][1] + p[i][1] + p[i + 1][1]) / 3.0;
    }
    if (!(fabs(area) > 1e-8)) return false;
    for (int i = 0; i < count; ++i) {
        const double *vertex = p[area > 0.0 ? i : count - 1 - i];
        out[i][0] = vertex[0] - x / area, out[i][1] = vertex[1] - y / area;
    }
    double total_angle = 0.0;
    for (int i = 0; i < count; ++i) {
        const double *a = out[i], *b = out[(i + 1) % count], *c = out[(i + 2) % count];
        if (!(twice_area(a, b, c) > 0.0) || !(twice_area(a, b, (double[2]){0, 0}) > 0.0)) return false;
        total_angle += m_atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
    }
    return total_angle < 3.0 * PI; // one revolution; a star polygon makes two
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct shape_data *out,
                        tarn_error *err)
{
    const struct polygon_def *d = in->def;
    double points[MAX_PRISM_VERTICES][2];
    *out = (struct shape_data){0};
    if (d->points.count < 3)
        return fail(err, TARN_BAD_INPUT, "points", "expected at least 3 vertices, found %d", d->points.count);
    if (!normalize_outline(d, points))
        return fail(err, TARN_BAD_INPUT, "points",
                    "the polygon is not convex; join several bodies with joints instead");
    const int count = d->points.count;
    if (!prism_shape(points, count, in->density, m, out) || !prism_add_polygon(points, count, m, out)) {
        shape_data_free(out, m);
        return fail(err, TARN_NO_MEMORY, "", "no memory for a polygon");
    }
    return TARN_OK;
}

const struct shape_kind shape_polygon = {
    .kind = {.room = "shape", .name = "polygon", .help = "convex polygon (planar flow)", PARAMS(params)},
    .planar = true,
    .drag_coefficient = 1.0,
    .drag_orientation = 0.9,
    .make = make,
};
