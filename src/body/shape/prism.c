// Planar bodies as prisms: mesh, mass properties and convex parts of an outline.
#include "prism.h"

#include "base/math.h"

// Front and back are triangle fans about the origin, so that the mesh has all the symmetries of the outline.
static bool build_mesh(const double (*points)[2], int n, const struct memory *m, struct trimesh *out)
{
    if (!trimesh_alloc(out, m, 2 * n + 2, 4 * n)) return false;
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
    trimesh_compute_facets(out);
    return true;
}

bool prism_shape(const double (*points)[2], int count, double density, const struct memory *m,
                 struct shape_data *out)
{
    *out = (struct shape_data){0};
    if (!build_mesh(points, count, m, &out->hull)) return false;
    const struct volume_moments w = trimesh_moments(&out->hull);
    out->volume = w.volume;
    shape_set_mass(out, &w, density);
    return true;
}

bool prism_add_polygon(const double (*points)[2], int n, const struct memory *m, struct shape_data *out)
{
    return shape_alloc_parts(out, m, 1) && prism_convex_part(points, n, m, &out->convex_parts[0]);
}

bool prism_convex_part(const double (*points)[2], int n, const struct memory *m, struct convex_part *p)
{
    double deep = 0.0;
    if (!convex_part_alloc_polyhedron(p, m, 2 * n, n + 2, 6 * n)) return false;
    for (int i = 0; i < n; ++i)
        deep = fmax(deep, sqrt(points[i][0] * points[i][0] + points[i][1] * points[i][1]));
    p->bounding_radius = sqrt(2.0) * deep;
    for (int i = 0; i < n; ++i) {
        const int k = (i + 1) % n;
        const double dx = points[k][0] - points[i][0], dy = points[k][1] - points[i][1];
        const double length = sqrt(dx * dx + dy * dy);
        const vec3 normal = v3(dy / length, -dx / length, 0.0);
        p->vertices[i] = v3(points[i][0], points[i][1], -deep);
        p->vertices[n + i] = v3(points[i][0], points[i][1], deep);
        p->faces[i] =
            (struct convex_face){normal, normal.x * points[i][0] + normal.y * points[i][1], 4 * i, 4};
        const int around[4] = {i, k, n + k, n + i};
        for (int c = 0; c < 4; ++c) p->face_vertices[4 * i + c] = around[c];
        p->face_vertices[4 * n + i] = n - 1 - i;
        p->face_vertices[5 * n + i] = n + i;
    }
    p->faces[n] = (struct convex_face){v3(0, 0, -1), deep, 4 * n, n};
    p->faces[n + 1] = (struct convex_face){v3(0, 0, 1), deep, 5 * n, n};
    return true;
}

// A segment along z with rounding `radius` (capsule); the y axis of the part is the body's z axis.
bool prism_add_disc(double radius, const struct memory *m, struct shape_data *out)
{
    if (!shape_alloc_parts(out, m, 1)) return false;
    struct convex_part *p = &out->convex_parts[0];
    if (!convex_part_alloc_profile(p, m, 2)) return false;
    p->axes = (mat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    p->profile[0] = (struct profile_point){0.0, -radius};
    p->profile[1] = (struct profile_point){0.0, radius};
    p->rounding = radius;
    p->bounding_radius = 2.0 * radius;
    return true;
}
