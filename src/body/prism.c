#include "prism.h"

#include "base/math.h"

// Front and back are fans about their middles, so that the hull has all the symmetries of the outline.
static bool build(const double (*points)[2], int n, const struct memory *m, struct hull *out)
{
    if (!hull_alloc(out, m, 2 * n + 2, 4 * n)) return false;
    for (int i = 0; i < n; ++i) {
        out->vertices[i] = v3(points[i][0], points[i][1], -0.5);
        out->vertices[n + i] = v3(points[i][0], points[i][1], 0.5);
    }
    out->vertices[2 * n] = v3(0, 0, -0.5);
    out->vertices[2 * n + 1] = v3(0, 0, 0.5);
    for (int i = 0; i < n; ++i) {
        const int k = (i + 1) % n;
        const int all[4][3] = {{i, k, n + k}, {i, n + k, n + i}, {k, i, 2 * n}, {n + i, n + k, 2 * n + 1}};
        for (int t = 0; t < 4; ++t)
            for (int c = 0; c < 3; ++c) out->triangles[4 * i + t][c] = all[t][c];
    }
    hull_finish(out);
    return true;
}

bool prism_form(const double (*points)[2], int count, double density, const struct memory *m,
                struct form *out)
{
    *out = (struct form){0};
    if (!build(points, count, m, &out->hull)) return false;
    const struct moments w = hull_moments(&out->hull);
    out->volume = w.volume;
    form_weigh(out, &w, density);
    return true;
}

bool prism_piece(const double (*points)[2], int n, const struct memory *m, struct form *out)
{
    return form_pieces(out, m, 1) && piece_prism(points, n, m, &out->pieces[0]);
}

bool piece_prism(const double (*points)[2], int n, const struct memory *m, struct piece *p)
{
    double deep = 0.0;
    if (!piece_points(p, m, 2 * n, n + 2, 6 * n)) return false;
    for (int i = 0; i < n; ++i)
        deep = fmax(deep, sqrt(points[i][0] * points[i][0] + points[i][1] * points[i][1]));
    p->radius = sqrt(2.0) * deep;
    for (int i = 0; i < n; ++i) {
        const int k = (i + 1) % n;
        const double dx = points[k][0] - points[i][0], dy = points[k][1] - points[i][1];
        const double length = sqrt(dx * dx + dy * dy);
        const vec3 normal = v3(dy / length, -dx / length, 0.0);
        p->points[i] = v3(points[i][0], points[i][1], -deep);
        p->points[n + i] = v3(points[i][0], points[i][1], deep);
        p->sides[i] = (struct side){normal, normal.x * points[i][0] + normal.y * points[i][1], 4 * i, 4};
        const int around[4] = {i, k, n + k, n + i};
        for (int c = 0; c < 4; ++c) p->corners[4 * i + c] = around[c];
        p->corners[4 * n + i] = n - 1 - i;
        p->corners[5 * n + i] = n + i;
    }
    p->sides[n] = (struct side){v3(0, 0, -1), deep, 4 * n, n};
    p->sides[n + 1] = (struct side){v3(0, 0, 1), deep, 5 * n, n};
    return true;
}

// A line along z, rounded: its own y axis is the body's z axis.
bool prism_round(double radius, const struct memory *m, struct form *out)
{
    if (!form_pieces(out, m, 1)) return false;
    struct piece *p = &out->pieces[0];
    if (!piece_circles(p, m, 2)) return false;
    p->axes = (mat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    p->circles[0] = (struct circle){0.0, -radius};
    p->circles[1] = (struct circle){0.0, radius};
    p->round = radius;
    p->radius = 2.0 * radius;
    return true;
}
