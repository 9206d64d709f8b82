// Shape kind "mesh": a triangle mesh that mesh_repair() can turn into a solid. Mass, inertia and hull are
// those of the mesh; for collisions it is its convex hull of at most 96 vertices. With an opening height it
// is an open shape.
#include "base/error.h"
#include "body/mesh/repair.h"
#include "body/shape/shape.h"

// Scene files name a file instead of a mesh.
struct mesh_params {
    tarn_mesh_shape shape;
    char file[TARN_FILE_BYTES];
};

static const tarn_param params[] = {
    PARAM_FILE(struct mesh_params, file, "file", "mesh file: OBJ, PLY, STL or glTF"),
    PARAM_NUMBER(tarn_mesh_shape, scale, "scale", 1, 1e-6, 1e6, "", "metres per unit of the mesh"),
    PARAM_OPTIONAL(tarn_mesh_shape, rim_height, "rim_height", -1e9, 1e9, "m",
                   "opening height y in the scaled mesh, below which a boat or a bowl keeps water out"),
};

#define MAX_CONVEX_VERTICES 96   // of the convex hull
#define MIN_SIZE            1e-3 // [m] of the longest side of the bounding box
#define MAX_SIZE            1e3  // [m] a larger mesh is probably given in another unit

// Scales a mesh to metres and repairs it. On failure there is nothing to free.
static tarn_result repair_scaled(const tarn_mesh *mesh, double scale, const struct memory *m,
                                 struct solid_mesh *out, tarn_error *err)
{
    const size_t count = 3 * (size_t)mesh->vertex_count;
    double *vertices = memory_alloc(m, count, sizeof *vertices);
    tarn_mesh_report report;
    if (!vertices) return fail(err, TARN_NO_MEMORY, "", "no memory for a mesh");
    for (size_t i = 0; i < count; ++i) vertices[i] = scale * mesh->vertices[i];
    const struct triangle_soup soup = {mesh->vertex_count, mesh->triangle_count, vertices, mesh->triangles};
    tarn_error why = {0};
    tarn_result r = mesh_repair(&soup, m, out, &report, &why);
    memory_free(m, vertices, count, sizeof *vertices);
    if (r == TARN_BAD_INPUT) return fail(err, r, "mesh", "%s", why.message);
    if (r != TARN_OK) return fail(err, r, "", "%s", why.message);
    const vec3 size = v3_sub(report.box_max, report.box_min);
    const double longest = fmax(size.x, fmax(size.y, size.z));
    if (!(MIN_SIZE <= longest && longest <= MAX_SIZE)) {
        solid_mesh_free(out, m);
        return fail(err, TARN_BAD_INPUT, "scale",
                    "the mesh is %g m long, outside %g .. %g; use another scale", longest, MIN_SIZE,
                    MAX_SIZE);
    }
    return TARN_OK;
}

// Sets inertia and convex part from the surface of the solid.
static tarn_result fill_shape_data(struct shape_data *shape, const struct memory *m, tarn_error *err)
{
    const struct trimesh *surface = shape_solid_surface(shape);
    const struct volume_moments moments = trimesh_moments(surface);
    tarn_error why = {0};
    tarn_result r;
    if (shape_is_open(shape)) { // vertices moved to the opening's height changed volume and centroid
        shape_translate(shape, v3_scale(moments.centroid, -1.0));
        shape->volume = moments.volume;
    }
    shape->inertia = inertia_of_moments(&moments);
    if (shape_alloc_parts(shape, m, 1))
        r = convex_hull_build(&shape->convex_parts[0], m, surface->vertices, surface->vertex_count,
                              MAX_CONVEX_VERTICES, &why);
    else
        r = fail(&why, TARN_NO_MEMORY, "", "no memory for a mesh");
    if (r != TARN_OK) return fail(err, r, r == TARN_BAD_INPUT ? "mesh" : "", "%s", why.message);
    return TARN_OK;
}

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_mesh_shape *d = def;
    struct solid_mesh solid;
    *out = (struct shape_data){0};
    tarn_result r = repair_scaled(&d->mesh, d->scale, m, &solid, err);
    if (r != TARN_OK) return r;

    out->hull = solid.mesh;
    out->volume = solid.volume;
    if (!isnan(d->rim_height)) r = shape_open_mesh(out, d->rim_height - solid.centroid.y, m, err);
    if (r == TARN_OK) r = fill_shape_data(out, m, err);
    if (r != TARN_OK) shape_data_free(out, m);
    return r;
}

const struct shape_kind shape_mesh = {
    .kind = {.category = "shape",
             .name = "mesh",
             .help = "closed mesh; collides as its convex hull",
             PARAMS(params)},
    .def_size = sizeof(tarn_mesh_shape),
    .drag_coefficient = 0.82,
    .drag_orientation = 0.9,
    .make = make,
};
