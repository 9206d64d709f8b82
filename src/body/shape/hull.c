// Shape kind "convex_hull": the convex hull of points.
#include "base/error.h"
#include "body/shape/shape.h"

#define MAX_POINTS 32

static const tarn_param params[] = {
    PARAM_POINTS(tarn_convex_hull, points, point_count, "points", 3, MAX_POINTS, -100, 100, "m",
                 "x, y and z of each point"),
};

// Faces of more than three vertices are fans about their centroid: the mesh has all the symmetries of the
// points.
static bool build_mesh(const struct convex_part *part, const struct memory *m, struct trimesh *out)
{
    int vertices = part->vertex_count, triangles = 0;
    for (int face = 0; face < part->face_count; ++face) {
        vertices += part->faces[face].count > 3;
        triangles += part->faces[face].count > 3 ? part->faces[face].count : 1;
    }
    if (!trimesh_alloc(out, m, vertices, triangles)) return false;
    for (int i = 0; i < part->vertex_count; ++i) out->vertices[i] = v3_add(part->position, part->vertices[i]);
    for (int face = 0, v = part->vertex_count, t = 0; face < part->face_count; ++face) {
        const int *c = part->face_vertices + part->faces[face].first, n = part->faces[face].count;
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

static tarn_result make_shape_data(const vec3 *points, int count, const struct memory *m,
                                   struct shape_data *out, tarn_error *err)
{
    if (!shape_alloc_parts(out, m, 1)) return fail(err, TARN_NO_MEMORY, "", "no memory for a hull");
    const tarn_result r = convex_hull_build(&out->convex_parts[0], m, points, count, count, err);
    if (r != TARN_OK) return r;
    if (!build_mesh(&out->convex_parts[0], m, &out->hull))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a hull");
    const struct volume_moments moments = trimesh_moments(&out->hull);
    out->volume = moments.volume;
    out->inertia = inertia_of_moments(&moments);
    out->convex_parts[0].position = v3_sub(out->convex_parts[0].position, moments.centroid);
    for (int i = 0; i < out->hull.vertex_count; ++i)
        out->hull.vertices[i] = v3_sub(out->hull.vertices[i], moments.centroid);
    trimesh_compute_facets(&out->hull);
    return TARN_OK;
}

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_convex_hull *d = def;
    const int count = d->point_count;
    vec3 points[MAX_POINTS];
    *out = (struct shape_data){0};
    if (count < 4 || count > MAX_POINTS)
        return fail(err, TARN_BAD_INPUT, "points", "expected 4 .. %d points [x, y, z], found %d", MAX_POINTS,
                    count);
    for (int i = 0; i < count; ++i) points[i] = d->points[i];
    const tarn_result r = make_shape_data(points, count, m, out, err);
    if (r != TARN_OK) shape_data_free(out, m);
    return r;
}

const struct shape_kind shape_convex_hull = {
    .kind = {.category = "shape", .name = "convex_hull", .help = "convex hull of points", PARAMS(params)},
    .def_size = sizeof(tarn_convex_hull),
    .drag_coefficient = 0.75,
    .drag_orientation = 0.9,
    .make = make,
};
