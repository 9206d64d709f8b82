// Geometry of bodies: shape data, clusters and render meshes, reference-counted and shared by bodies of equal
// shape.
#include "base/error.h"
#include "body/body.h"

#include <string.h>

static void render_mesh_free(const tarn_mesh *mesh, const struct render_arrays *arrays,
                             const struct memory *m)
{
    memory_free(m, arrays->vertices, (size_t)mesh->vertex_count * 3, sizeof *arrays->vertices);
    memory_free(m, arrays->triangles, (size_t)mesh->triangle_count * 3, sizeof *arrays->triangles);
}

void geometry_release(struct geometry *geometry, const struct memory *m)
{
    if (!geometry || --geometry->ref_count > 0) return;
    render_mesh_free(&geometry->render_mesh, &geometry->render_arrays, m);
    render_mesh_free(&geometry->compartment_mesh, &geometry->compartment_arrays, m);
    shape_data_free(&geometry->shape, m);
    memory_free(m, geometry, 1, sizeof *geometry);
}

static bool render_mesh_make(tarn_mesh *mesh, struct render_arrays *arrays, const struct trimesh *source,
                             const struct memory *m)
{
    float *vertices = memory_alloc(m, (size_t)source->vertex_count * 3, sizeof(float));
    int *triangles = memory_alloc(m, (size_t)source->triangle_count * 3, sizeof(int));
    *arrays = (struct render_arrays){vertices, triangles};
    *mesh = (tarn_mesh){source->vertex_count, source->triangle_count, vertices, triangles};
    if (!vertices || !triangles) return false;
    for (int i = 0; i < source->vertex_count; ++i) {
        vertices[3 * i] = (float)source->vertices[i].x;
        vertices[3 * i + 1] = (float)source->vertices[i].y;
        vertices[3 * i + 2] = (float)source->vertices[i].z;
    }
    memcpy(triangles, source->triangles, (size_t)source->triangle_count * sizeof *source->triangles);
    return true;
}

tarn_result geometry_create(const tarn_body_def *def, const struct memory *m, struct geometry **out,
                            tarn_error *err)
{
    struct geometry *geometry = *out = memory_alloc(m, 1, sizeof *geometry);
    if (!geometry) return fail(err, TARN_NO_MEMORY, "", "no memory for a shape");
    geometry->ref_count = 1;
    const struct shape_input in = {def->shape.data, def->density, &def->mesh, def->parts, def->part_count};
    tarn_result r = shape_kind_of(def->shape.kind)->make(&in, m, &geometry->shape, err);
    if (r == TARN_OK && (!trimesh_build_clusters(&geometry->shape.hull, m) ||
                         !render_mesh_make(&geometry->render_mesh, &geometry->render_arrays,
                                           shape_solid_surface(&geometry->shape), m) ||
                         (shape_is_open(&geometry->shape) &&
                          !render_mesh_make(&geometry->compartment_mesh, &geometry->compartment_arrays,
                                            &geometry->shape.compartment, m))))
        r = fail(err, TARN_NO_MEMORY, "", "no memory for a mesh");
    if (r != TARN_OK) {
        geometry_release(geometry, m);
        *out = NULL;
        return r;
    }
    const bool planar = shape_kind_of(def->shape.kind)->planar;
    for (int i = 0; i < geometry->shape.hull.vertex_count; ++i) {
        const vec3 v = geometry->shape.hull.vertices[i];
        geometry->bounding_radius =
            fmax(geometry->bounding_radius, v3_length(planar ? v3(v.x, v.y, 0.0) : v));
    }
    static const mat3 identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < geometry->shape.convex_part_count; ++i) {
        struct convex_part *part = &geometry->shape.convex_parts[i];
        if (!planar)
            geometry->bounding_radius =
                fmax(geometry->bounding_radius, v3_length(part->position) + part->bounding_radius);
        part->has_body_pose = v3_dot(part->position, part->position) == 0.0 &&
                              memcmp(&part->axes, &identity, sizeof identity) == 0;
    }
    return TARN_OK;
}

// Bodies with a mesh or with parts do not share geometry: their arrays are not compared.
static bool has_mesh_or_parts(const tarn_body_def *def)
{
    return def->mesh.triangle_count || def->part_count;
}

struct geometry *find_equal_geometry(struct bodies *b, const tarn_body_def *def)
{
    if (has_mesh_or_parts(def)) return NULL;
    for (int i = b->slot_count - 1; i >= 0; --i) {
        const struct body *body = b->slots[i].body;
        if (body && !has_mesh_or_parts(&body->def) && body->def.shape.kind == def->shape.kind &&
            body->def.density == def->density &&
            memcmp(body->def.shape.data, def->shape.data, sizeof def->shape.data) == 0)
            return body->geometry;
    }
    return NULL;
}
