// Planar bodies as prisms: mesh, mass properties and convex parts of an outline.
#include "body/shape/construct/prism.h"

#include "base/math/math.h"

// Front and back are triangle fans about the origin, so that the mesh has all the symmetries of the outline.
static bool build_mesh(const double (*points)[2], int count, const struct memory *m, struct trimesh *out)
{
    if (!trimesh_alloc(out, m, 2 * count + 2, 4 * count)) return false;
    for (int i = 0; i < count; ++i) {
        out->vertices[i] = v3(points[i][0], points[i][1], -0.5);
        out->vertices[count + i] = v3(points[i][0], points[i][1], 0.5);
    }
    out->vertices[2 * count] = v3(0, 0, -0.5);
    out->vertices[2 * count + 1] = v3(0, 0, 0.5);
    for (int i = 0; i < count; ++i) {
        const int k = (i + 1) % count;
        const int triangles[4][3] = {{i, k, count + k},
                                     {i, count + k, count + i},
                                     {k, i, 2 * count},
                                     {count + i, count + k, 2 * count + 1}};
        for (int t = 0; t < 4; ++t)
            for (int c = 0; c < 3; ++c) out->triangles[4 * i + t][c] = triangles[t][c];
    }
    trimesh_compute_facets(out);
    return true;
}

bool prism_shape(const double (*points)[2], int count, const struct memory *m, struct shape_data *out)
{
    *out = (struct shape_data){0};
    if (!build_mesh(points, count, m, &out->hull)) return false;
    const struct volume_moments w = trimesh_moments(&out->hull);
    out->volume = w.volume;
    out->inertia = inertia_of_moments(&w);
    return true;
}

bool prism_add_polygon(const double (*points)[2], int count, const struct memory *m, struct shape_data *out)
{
    return shape_alloc_parts(out, m, 1) && prism_convex_part(points, count, m, &out->convex_parts[0]);
}

bool prism_convex_part(const double (*points)[2], int count, const struct memory *m, struct convex_part *part)
{
    double half_depth = 0.0;
    if (!convex_part_alloc_polyhedron(part, m, 2 * count, count + 2, 6 * count)) return false;
    for (int i = 0; i < count; ++i)
        half_depth = fmax(half_depth, sqrt(points[i][0] * points[i][0] + points[i][1] * points[i][1]));
    part->bounding_radius = sqrt(2.0) * half_depth;
    for (int i = 0; i < count; ++i) {
        const int k = (i + 1) % count;
        const double dx = points[k][0] - points[i][0], dy = points[k][1] - points[i][1];
        const double length = sqrt(dx * dx + dy * dy);
        const vec3 normal = v3(dy / length, -dx / length, 0.0);
        part->vertices[i] = v3(points[i][0], points[i][1], -half_depth);
        part->vertices[count + i] = v3(points[i][0], points[i][1], half_depth);
        part->faces[i] =
            (struct convex_face){normal, normal.x * points[i][0] + normal.y * points[i][1], 4 * i, 4};
        const int face[4] = {i, k, count + k, count + i};
        for (int c = 0; c < 4; ++c) part->face_vertices[4 * i + c] = face[c];
        part->face_vertices[4 * count + i] = count - 1 - i;
        part->face_vertices[5 * count + i] = count + i;
    }
    part->faces[count] = (struct convex_face){v3(0, 0, -1), half_depth, 4 * count, count};
    part->faces[count + 1] = (struct convex_face){v3(0, 0, 1), half_depth, 5 * count, count};
    return true;
}

// A segment along z with rounding `radius` (capsule); the y axis of the part is the body's z axis.
bool prism_add_disc(double radius, const struct memory *m, struct shape_data *out)
{
    if (!shape_alloc_parts(out, m, 1)) return false;
    struct convex_part *part = &out->convex_parts[0];
    if (!convex_part_alloc_profile(part, m, 2)) return false;
    part->axes = (mat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    part->profile[0] = (struct profile_point){0.0, -radius};
    part->profile[1] = (struct profile_point){0.0, radius};
    part->rounding = radius;
    part->bounding_radius = 2.0 * radius;
    return true;
}
