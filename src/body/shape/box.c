// Shape kind "box": edges along the body's axes, solid or open at the top.
#include "base/error.h"
#include "body/shape/shape.h"

static const tarn_param params[] = {
    PARAM_VEC3(tarn_box, size, "size", 0.5, 0.5, 0.5, 1e-3, 100, "m", "edge lengths"),
    PARAM_NUMBER(tarn_box, wall_thickness, "wall_thickness", 0, 0, 100, "m",
                 "thickness of walls and floor, open at the top; 0: solid"),
};

// Vertex i: bits 0, 1 and 2 select the sign of x, y and z.
static vec3 box_vertex(vec3 half, int i)
{
    return v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
}

// Vertices of each face, counter-clockwise seen from outside.
static const int face_vertices[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

// Four triangles a face, meeting at its centre: the mesh has all the symmetries of the box, and so has the
// drag, which is summed over triangles.
static bool build_mesh(vec3 half, const struct memory *m, struct trimesh *out)
{
    if (!trimesh_alloc(out, m, 14, 24)) return false;
    for (int i = 0; i < 8; ++i) out->vertices[i] = box_vertex(half, i);
    for (int f = 0; f < 6; ++f) {
        const int *vertices = face_vertices[f];
        out->vertices[8 + f] = v3_scale(v3_add(out->vertices[vertices[0]], out->vertices[vertices[2]]), 0.5);
        for (int k = 0; k < 4; ++k) {
            int *t = out->triangles[4 * f + k];
            t[0] = vertices[k], t[1] = vertices[(k + 1) % 4], t[2] = 8 + f;
        }
    }
    trimesh_compute_facets(out);
    return true;
}

static bool fill_convex_part(vec3 half, const struct memory *m, struct convex_part *part)
{
    static const vec3 normals[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    if (!convex_part_alloc_polyhedron(part, m, 8, 6, 24)) return false;
    part->box_half = half;
    part->bounding_radius = v3_length(half);
    for (int i = 0; i < 8; ++i) part->vertices[i] = box_vertex(half, i);
    for (int f = 0; f < 6; ++f) {
        const vec3 n = normals[f];
        part->faces[f] = (struct convex_face){n, fabs(v3_dot(n, half)), 4 * f, 4};
        for (int k = 0; k < 4; ++k) part->face_vertices[4 * f + k] = face_vertices[f][k];
    }
    return true;
}

// Shape data without convex parts.
static bool make_shape_data(vec3 half, const struct memory *m, struct shape_data *out)
{
    const double volume = 8.0 * half.x * half.y * half.z, third = volume / 3.0;
    const double xx = half.x * half.x, yy = half.y * half.y, zz = half.z * half.z;
    *out = (struct shape_data){.volume = volume};
    out->inertia = (mat3){{{third * (yy + zz), 0, 0}, {0, third * (zz + xx), 0}, {0, 0, third * (xx + yy)}}};
    return build_mesh(half, m, &out->hull);
}

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_box *d = def;
    const vec3 size = d->size, half = v3_scale(size, 0.5);
    const double wall = d->wall_thickness;
    tarn_result r = wall > 0.0 ? check_wall_thickness(wall, fmin(size.x, size.z), size.y, err) : TARN_OK;
    if (r != TARN_OK) return r;
    if (!make_shape_data(half, m, out) || !shape_alloc_parts(out, m, 1) ||
        !fill_convex_part(half, m, &out->convex_parts[0]))
        r = fail(err, TARN_NO_MEMORY, "", "no memory for a box");
    if (r == TARN_OK && wall > 0.0) {
        struct shape_data inner;
        if (make_shape_data(v3(half.x - wall, half.y - 0.5 * wall, half.z - wall), m, &inner))
            r = shape_hollow(out, &inner, m, err);
        else
            r = fail(err, TARN_NO_MEMORY, "", "no memory for a box");
        shape_data_free(&inner, m);
    }
    if (r != TARN_OK) shape_data_free(out, m);
    return r;
}

const struct shape_kind shape_box = {
    .kind = {.category = "shape", .name = "box", .help = "box, solid or open at the top", PARAMS(params)},
    .def_size = sizeof(tarn_box),
    .drag_coefficient = 0.75,
    .drag_orientation = 0.9,
    .make = make,
};
