// Shape kind "box": edges along the body's axes, solid or open at the top.
#include "base/error.h"
#include "shape.h"

struct box_def {
    vec3 size;
    double wall;
};

static const tarn_param params[] = {
    PARAM_VEC3(struct box_def, size, "size", 0.5, 0.5, 0.5, 1e-3, 100, "m", "edge lengths"),
    PARAM_NUMBER(struct box_def, wall, "wall", 0, 0, 100, "m",
                 "thickness of walls and floor, open above; 0: solid"),
};

// Vertex i: bits 0, 1 and 2 select the sign of x, y and z.
static vec3 corner(vec3 h, int i) { return v3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z); }

// Vertices of each face, counter-clockwise seen from outside.
static const int face_vertices[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

// Four triangles a face, meeting at its centre: the mesh has all the symmetries of the box, and so has the
// drag, which is summed over triangles.
static bool build_mesh(vec3 h, const struct memory *m, struct trimesh *out)
{
    if (!trimesh_alloc(out, m, 14, 24)) return false;
    for (int i = 0; i < 8; ++i) out->vertices[i] = corner(h, i);
    for (int f = 0; f < 6; ++f) {
        const int *c = face_vertices[f];
        out->vertices[8 + f] = v3_scale(v3_add(out->vertices[c[0]], out->vertices[c[2]]), 0.5);
        for (int k = 0; k < 4; ++k) {
            int *t = out->triangles[4 * f + k];
            t[0] = c[k], t[1] = c[(k + 1) % 4], t[2] = 8 + f;
        }
    }
    trimesh_compute_facets(out);
    return true;
}

static bool fill_convex_part(vec3 h, const struct memory *m, struct convex_part *p)
{
    static const vec3 normals[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    if (!convex_part_alloc_polyhedron(p, m, 8, 6, 24)) return false;
    p->box_half = h;
    p->bounding_radius = v3_length(h);
    for (int i = 0; i < 8; ++i) p->vertices[i] = corner(h, i);
    for (int f = 0; f < 6; ++f) {
        const vec3 n = normals[f];
        p->faces[f] = (struct convex_face){n, fabs(v3_dot(n, h)), 4 * f, 4};
        for (int k = 0; k < 4; ++k) p->face_vertices[4 * f + k] = face_vertices[f][k];
    }
    return true;
}

// Shape data without convex parts.
static bool make_shape_data(vec3 h, double density, const struct memory *m, struct shape_data *out)
{
    const double volume = 8.0 * h.x * h.y * h.z, mass = density * volume, k = mass / 3.0;
    const double xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
    *out = (struct shape_data){.volume = volume, .mass = mass};
    out->inertia = (mat3){{{k * (yy + zz), 0, 0}, {0, k * (zz + xx), 0}, {0, 0, k * (xx + yy)}}};
    return build_mesh(h, m, &out->hull);
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct shape_data *out,
                        tarn_error *err)
{
    const struct box_def *d = in->def;
    const vec3 size = d->size, h = v3_scale(size, 0.5);
    const double wall = d->wall;
    tarn_result r = wall > 0.0 ? check_wall_thickness(wall, fmin(size.x, size.z), size.y, err) : TARN_OK;
    if (r != TARN_OK) return r;
    if (!make_shape_data(h, in->density, m, out) || !shape_alloc_parts(out, m, 1) ||
        !fill_convex_part(h, m, &out->convex_parts[0]))
        r = fail(err, TARN_NO_MEMORY, "", "no memory for a box");
    if (r == TARN_OK && wall > 0.0) {
        struct shape_data inner;
        if (make_shape_data(v3(h.x - wall, h.y - 0.5 * wall, h.z - wall), in->density, m, &inner))
            r = shape_hollow(out, &inner, m, err);
        else
            r = fail(err, TARN_NO_MEMORY, "", "no memory for a box");
        shape_data_free(&inner, m);
    }
    if (r != TARN_OK) shape_data_free(out, m);
    return r;
}

const struct shape_kind shape_box = {
    .kind = {.room = "shape", .name = "box", .help = "a box, solid or open above", PARAMS(params)},
    .drag_coefficient = 0.75,
    .drag_orientation = 0.9,
    .make = make,
};
