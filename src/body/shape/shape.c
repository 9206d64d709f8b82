// Shapes as shared objects: creation from a definition, references, queries.
#include "body/shape/shape.h"
#include "base/error.h"
#include "base/parallel/fpmode.h"

#include <string.h>

// Parameter lists are read from a buffer of this type: the struct of a kind may be longer than the part of it
// that is in a tarn_shape_def.
struct params {
    double data[TARN_SPEC_BYTES / sizeof(double)];
};

static struct params params_of(const struct shape_kind *kind, const tarn_shape_def *def)
{
    struct params params = {0};
    memcpy(params.data, def->space, kind->def_size);
    return params;
}

tarn_shape_def tarn_default_shape_def(tarn_shape_type type)
{
    tarn_shape_def def = {.type = type};
    const struct shape_kind *kind = shape_kind_at((int)type);
    struct params params = {0};
    if (!kind) return def;
    tarn_kind_init(&kind->kind, params.data);
    memcpy(def.space, params.data, kind->def_size);
    return def;
}

tarn_result tarn_shape_def_from_spec(const tarn_spec *spec, tarn_shape_def *out)
{
    const struct shape_kind *kind = spec ? shape_kind_of(spec->kind) : NULL;
    int type = 0;
    if (!kind || !out) return TARN_BAD_ARGUMENT;
    while (shape_kind_at(type) != kind) ++type;
    *out = (tarn_shape_def){.type = (tarn_shape_type)type};
    memcpy(out->space, spec->data, kind->def_size);
    return TARN_OK;
}

tarn_result tarn_shape_def_to_spec(const tarn_shape_def *def, tarn_spec *out)
{
    const struct shape_kind *kind = def ? shape_kind_at((int)def->type) : NULL;
    if (!kind || !out) return TARN_BAD_ARGUMENT;
    *out = (tarn_spec){.kind = &kind->kind};
    memcpy(out->data, def->space, kind->def_size);
    return TARN_OK;
}

// ---- checks -----------------------------------------------------------------------------------------

static tarn_result check_mesh(const tarn_mesh *mesh, tarn_error *err)
{
    if (mesh->vertex_count <= 0 || mesh->triangle_count <= 0 || !mesh->vertices || !mesh->triangles)
        return fail(err, TARN_BAD_INPUT, "mesh", "no triangles");
    return TARN_OK;
}

static tarn_result check_children(const tarn_compound *compound, tarn_error *err)
{
    const int count = compound->child_count;
    if (!compound->children || count < 1 || count > TARN_MAX_COMPOUND_CHILDREN)
        return fail(err, TARN_BAD_INPUT, "children", "%d children are outside 1 .. %d", count,
                    TARN_MAX_COMPOUND_CHILDREN);
    for (int i = 0; i < count; ++i) {
        const tarn_compound_child *child = &compound->children[i];
        if (!child->shape) return fail(err, TARN_BAD_ARGUMENT, "children", "child %d has no shape", i);
        if (child->shape->def.type == TARN_SHAPE_COMPOUND)
            return fail(err, TARN_BAD_INPUT, "children", "child %d is a compound itself", i);
        if (child->shape->kind->planar) return fail(err, TARN_BAD_INPUT, "children", "child %d is planar", i);
        const tarn_result r = tarn_kind_check(&compound_child_kind, child, err);
        if (r != TARN_OK) return r;
        if ((child->density > 0.0) != (compound->children[0].density > 0.0))
            return fail(err, TARN_BAD_INPUT, "density", "give all children of a compound a density, or none");
    }
    return TARN_OK;
}

static tarn_result check_shape_def(const struct shape_kind *kind, const tarn_shape_def *def, tarn_error *err)
{
    const struct params params = params_of(kind, def);
    if (def->type == TARN_SHAPE_COMPOUND) return check_children(&def->compound, err);
    const tarn_result r = tarn_kind_check(&kind->kind, params.data, err);
    return r == TARN_OK && def->type == TARN_SHAPE_MESH ? check_mesh(&def->mesh.mesh, err) : r;
}

uint64_t tarn_shape_def_hash(const tarn_shape_def *def)
{
    const struct shape_kind *kind = def ? shape_kind_at((int)def->type) : NULL;
    return kind && check_shape_def(kind, def, NULL) == TARN_OK ? shape_content(kind, def) : 0;
}

// ---- copies of what a definition borrows --------------------------------------------------------------

static bool copy_tables(tarn_shape *shape)
{
    struct params params = params_of(shape->kind, &shape->def);
    shape->row_numbers = param_table_numbers(&shape->kind->kind, params.data);
    if (shape->row_numbers == 0) return true;
    shape->rows = memory_alloc(&shape->memory, shape->row_numbers, sizeof *shape->rows);
    if (!shape->rows) return false;
    param_copy_tables(&shape->kind->kind, params.data, shape->rows);
    memcpy(shape->def.space, params.data, shape->kind->def_size);
    return true;
}

static bool copy_triangles(tarn_shape *shape)
{
    const tarn_mesh in = shape->def.mesh.mesh;
    struct triangle_arrays *copy = &shape->source;
    if (!triangle_arrays_alloc(copy, in.vertex_count, in.triangle_count, &shape->memory)) return false;
    memcpy(copy->vertices, in.vertices, (size_t)in.vertex_count * 3 * sizeof *copy->vertices);
    memcpy(copy->triangles, in.triangles, (size_t)in.triangle_count * 3 * sizeof *copy->triangles);
    shape->def.mesh.mesh = triangles_view(copy);
    return true;
}

static bool copy_children(tarn_shape *shape)
{
    tarn_compound *compound = &shape->def.compound;
    const size_t count = (size_t)compound->child_count;
    shape->children = memory_alloc(&shape->memory, count, sizeof *shape->children);
    if (!shape->children) return false;
    memcpy(shape->children, compound->children, count * sizeof *shape->children);
    compound->children = shape->children;
    for (size_t i = 0; i < count; ++i) tarn_shape_retain(shape->children[i].shape);
    return true;
}

// Replaces the arrays of the definition by copies.
static bool copy_def_arrays(tarn_shape *shape)
{
    if (shape->def.type == TARN_SHAPE_MESH) return copy_triangles(shape);
    if (shape->def.type == TARN_SHAPE_COMPOUND) return copy_children(shape);
    return copy_tables(shape);
}

// ---- what is made from the definition -----------------------------------------------------------------

static bool make_render_mesh(tarn_render_mesh *mesh, struct render_arrays *arrays,
                             const struct trimesh *source, const struct memory *m)
{
    float *vertices = memory_alloc(m, (size_t)source->vertex_count * 3, sizeof(float));
    int *triangles = memory_alloc(m, (size_t)source->triangle_count * 3, sizeof(int));
    *arrays = (struct render_arrays){vertices, triangles};
    *mesh = (tarn_render_mesh){source->vertex_count, source->triangle_count, vertices, triangles};
    if (!vertices || !triangles) return false;
    for (int i = 0; i < source->vertex_count; ++i) {
        vertices[3 * i] = (float)source->vertices[i].x;
        vertices[3 * i + 1] = (float)source->vertices[i].y;
        vertices[3 * i + 2] = (float)source->vertices[i].z;
    }
    memcpy(triangles, source->triangles, (size_t)source->triangle_count * sizeof *source->triangles);
    return true;
}

// A prism: see build_mesh() in construct/prism.c. Its first vertices are the outline.
static bool make_outline(tarn_shape *shape)
{
    if (!shape->kind->planar) return true;
    const int count = (shape->data.hull.vertex_count - 2) / 2;
    shape->outline = memory_alloc(&shape->memory, (size_t)count, sizeof *shape->outline);
    if (!shape->outline) return false;
    shape->outline_count = count;
    for (int i = 0; i < count; ++i)
        shape->outline[i] = (tarn_vec2){shape->data.hull.vertices[i].x, shape->data.hull.vertices[i].y};
    return true;
}

static void finish_convex_parts(tarn_shape *shape)
{
    static const mat3 identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const bool planar = shape->kind->planar;
    for (int i = 0; i < shape->data.hull.vertex_count; ++i) {
        const vec3 v = shape->data.hull.vertices[i];
        shape->bounding_radius = fmax(shape->bounding_radius, v3_length(planar ? v3(v.x, v.y, 0.0) : v));
    }
    for (int i = 0; i < shape->data.convex_part_count; ++i) {
        struct convex_part *part = &shape->data.convex_parts[i];
        if (!planar)
            shape->bounding_radius =
                fmax(shape->bounding_radius, v3_length(part->position) + part->bounding_radius);
        part->has_body_pose = v3_dot(part->position, part->position) == 0.0 &&
                              memcmp(&part->axes, &identity, sizeof identity) == 0;
    }
}

static tarn_result build(tarn_shape *shape, tarn_error *err)
{
    const struct memory *m = &shape->memory;
    if (!copy_def_arrays(shape)) return fail(err, TARN_NO_MEMORY, "", "no memory for a shape");
    const tarn_result r = shape->kind->make(shape->def.space, m, &shape->data, err);
    if (r != TARN_OK) return r;
    // The outline is taken before triangles and vertices are sorted into clusters.
    if (!make_outline(shape) || !trimesh_build_clusters(&shape->data.hull, m) ||
        !make_render_mesh(&shape->mesh, &shape->mesh_arrays, shape_solid_surface(&shape->data), m) ||
        (shape_is_open(&shape->data) &&
         !make_render_mesh(&shape->compartment_mesh, &shape->compartment_arrays, &shape->data.compartment,
                           m)))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a mesh");
    finish_convex_parts(shape);
    shape->content = shape_content(shape->kind, &shape->def);
    return TARN_OK;
}

// ---- references ---------------------------------------------------------------------------------------

static void free_render_mesh(const tarn_render_mesh *mesh, const struct render_arrays *arrays,
                             const struct memory *m)
{
    memory_free(m, arrays->vertices, (size_t)mesh->vertex_count * 3, sizeof *arrays->vertices);
    memory_free(m, arrays->triangles, (size_t)mesh->triangle_count * 3, sizeof *arrays->triangles);
}

static void free_shape(tarn_shape *shape)
{
    const struct memory m = shape->memory;
    const size_t child_count = shape->children ? (size_t)shape->def.compound.child_count : 0;
    for (size_t i = 0; i < child_count; ++i) tarn_shape_release(shape->children[i].shape);
    memory_free(&m, shape->children, child_count, sizeof *shape->children);
    memory_free(&m, shape->rows, shape->row_numbers, sizeof *shape->rows);
    memory_free(&m, shape->outline, (size_t)shape->outline_count, sizeof *shape->outline);
    triangle_arrays_free(&shape->source, &m);
    free_render_mesh(&shape->mesh, &shape->mesh_arrays, &m);
    free_render_mesh(&shape->compartment_mesh, &shape->compartment_arrays, &m);
    shape_data_free(&shape->data, &m);
    memory_free(&m, shape, 1, sizeof *shape);
}

static tarn_result create_shape(const struct shape_kind *kind, const tarn_shape_def *def,
                                const tarn_allocator *allocator, tarn_shape **out, tarn_error *err)
{
    struct memory memory;
    memory_init(&memory, allocator);
    tarn_shape *shape = memory_alloc(&memory, 1, sizeof *shape);
    if (!shape) return fail(err, TARN_NO_MEMORY, "", "no memory for a shape");
    shape->memory = memory, shape->kind = kind;
    shape->def.type = def->type;
    memcpy(shape->def.space, def->space, kind->def_size);
    atomic_init(&shape->ref_count, 1);
    const tarn_result r = build(shape, err);
    if (r == TARN_OK)
        *out = shape;
    else
        free_shape(shape);
    return r;
}

tarn_result tarn_shape_create(const tarn_shape_def *def, const tarn_allocator *allocator, tarn_shape **out,
                              tarn_error *err)
{
    if (!def || !out) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    *out = NULL;
    const struct shape_kind *kind = shape_kind_at((int)def->type);
    if (!kind) return fail(err, TARN_BAD_ARGUMENT, "type", "there is no shape %d", (int)def->type);
    const struct fpmode mode = fpmode_enter();
    tarn_result r = check_shape_def(kind, def, err);
    if (r == TARN_OK) r = create_shape(kind, def, allocator, out, err);
    fpmode_leave(mode);
    return r;
}

// The number of references is the only member of a shape that changes after its creation.
static tarn_shape *counted(const tarn_shape *shape) { return (tarn_shape *)(uintptr_t)shape; }

void tarn_shape_retain(const tarn_shape *shape)
{
    if (shape) atomic_fetch_add_explicit(&counted(shape)->ref_count, 1, memory_order_relaxed);
}

// Acquire and release: all accesses of other threads to the shape happen before it is freed.
void tarn_shape_release(const tarn_shape *shape)
{
    if (!shape || atomic_fetch_sub_explicit(&counted(shape)->ref_count, 1, memory_order_acq_rel) > 1) return;
    free_shape(counted(shape));
}

// ---- queries ------------------------------------------------------------------------------------------

tarn_result tarn_shape_get_def(const tarn_shape *shape, tarn_shape_def *out)
{
    if (!shape || !out) return TARN_BAD_ARGUMENT;
    *out = shape->def;
    return TARN_OK;
}

static tarn_aabb bounds_of(const struct trimesh *hull)
{
    tarn_aabb box = {hull->vertices[0], hull->vertices[0]};
    for (int i = 1; i < hull->vertex_count; ++i) {
        const vec3 v = hull->vertices[i];
        box.min = v3(fmin(box.min.x, v.x), fmin(box.min.y, v.y), fmin(box.min.z, v.z));
        box.max = v3(fmax(box.max.x, v.x), fmax(box.max.y, v.y), fmax(box.max.z, v.z));
    }
    return box;
}

tarn_result tarn_shape_get_info(const tarn_shape *shape, tarn_shape_info *out)
{
    if (!shape || !out) return TARN_BAD_ARGUMENT;
    const struct shape_data *data = &shape->data;
    mat3 axes;
    *out = (tarn_shape_info){.type = shape->def.type,
                             .child_count = shape->children ? shape->def.compound.child_count : 0,
                             .convex_count = data->convex_part_count,
                             .triangle_count = data->hull.triangle_count,
                             .volume = data->volume,
                             .hold_volume = data->compartment_volume,
                             .mass = data->mass,
                             .inertia = diagonalize_inertia(&data->inertia, &axes),
                             .bounds = bounds_of(&data->hull),
                             .radius = shape->bounding_radius,
                             .content = shape->content};
    out->axes = quat_from_matrix(&axes);
    return TARN_OK;
}

tarn_result tarn_shape_get_mesh(const tarn_shape *shape, tarn_render_mesh *out)
{
    if (!shape || !out) return TARN_BAD_ARGUMENT;
    *out = shape->mesh;
    return TARN_OK;
}

tarn_result tarn_shape_get_hold_mesh(const tarn_shape *shape, tarn_render_mesh *out)
{
    if (!shape || !out || !shape_is_open(&shape->data)) return TARN_BAD_ARGUMENT;
    *out = shape->compartment_mesh;
    return TARN_OK;
}

int tarn_shape_get_outline(const tarn_shape *shape, const tarn_vec2 **out)
{
    if (!shape || !out) return 0;
    *out = shape->outline;
    return shape->outline_count;
}
