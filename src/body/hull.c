// The convex hull of given points.
#include "base/error.h"
#include "shape.h"

#define POINTS 32

struct hull_def {
    struct {
        int count;
        double rows[POINTS][3]; // [m]
    } points;
};
_Static_assert(sizeof(struct hull_def) <= TARN_SPEC_BYTES, "a spec has room for it");

static const tarn_param params[] = {
    PARAM_TABLE(struct hull_def, points, "points", 3, POINTS, -100, 100, "m", "x, y and z of each"),
};

// Every side as a fan about its middle: the hull has all the symmetries of the points.
static bool build(const struct piece *p, const struct memory *m, struct hull *out)
{
    int vertices = p->point_count, triangles = 0;
    for (int s = 0; s < p->side_count; ++s) {
        vertices += p->sides[s].count > 3;
        triangles += p->sides[s].count > 3 ? p->sides[s].count : 1;
    }
    if (!hull_alloc(out, m, vertices, triangles)) return false;
    for (int i = 0; i < p->point_count; ++i) out->vertices[i] = v3_add(p->at, p->points[i]);
    for (int s = 0, v = p->point_count, t = 0; s < p->side_count; ++s) {
        const int *c = p->corners + p->sides[s].first, n = p->sides[s].count;
        vec3 sum = v3(0, 0, 0);
        for (int k = 0; k < (n > 3 ? n : 1); ++k, ++t) {
            out->triangles[t][0] = c[k];
            out->triangles[t][1] = c[(k + 1) % n];
            out->triangles[t][2] = n > 3 ? v : c[2];
            sum = v3_add(sum, out->vertices[c[k]]);
        }
        if (n > 3) out->vertices[v++] = v3_scale(sum, 1.0 / n);
    }
    return true;
}

static tarn_result make_form(const vec3 *points, int count, double density, const struct memory *m,
                             struct form *out, tarn_error *err)
{
    if (!form_pieces(out, m, 1)) return fail(err, TARN_NO_MEMORY, "", "no memory for a hull");
    const tarn_result r = piece_hull(&out->pieces[0], m, points, count, count, err);
    if (r != TARN_OK) return r;
    if (!build(&out->pieces[0], m, &out->hull)) return fail(err, TARN_NO_MEMORY, "", "no memory for a hull");
    const struct moments w = hull_moments(&out->hull);
    out->volume = w.volume;
    form_weigh(out, &w, density);
    out->pieces[0].at = v3_sub(out->pieces[0].at, w.centre);
    for (int i = 0; i < out->hull.vertex_count; ++i)
        out->hull.vertices[i] = v3_sub(out->hull.vertices[i], w.centre);
    hull_finish(&out->hull);
    return TARN_OK;
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct form *out,
                        tarn_error *err)
{
    const struct hull_def *d = in->def;
    const int count = d->points.count;
    vec3 points[POINTS];
    *out = (struct form){0};
    if (count < 4 || count > POINTS)
        return fail(err, TARN_BAD_INPUT, "points", "%d points; a hull has 4 .. %d of [x, y, z]", count,
                    POINTS);
    for (int i = 0; i < count; ++i)
        points[i] = v3(d->points.rows[i][0], d->points.rows[i][1], d->points.rows[i][2]);
    const tarn_result r = make_form(points, count, in->density, m, out, err);
    if (r != TARN_OK) form_free(out, m);
    return r;
}

const struct shape_kind shape_hull = {
    .kind = {.room = "shape", .name = "hull", .help = "the convex hull of points", PARAMS(params)},
    .drag = 0.75,
    .facing = 0.9,
    .make = make,
};
