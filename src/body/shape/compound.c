// Shape kind "compound": a rigid union of shapes. Overlapping volume counts for every part. At most one part
// is open; its compartment becomes that of the body.
#include "base/error.h"
#include "body/mesh/repair.h"
#include "body/shape/shape.h"

#include <stdio.h>

// Pose of a part in the body: rotation, then translation.
struct part_transform {
    mat3 rotation;
    vec3 translation;
};

static struct part_transform part_transform_of(const tarn_compound_child *child, vec3 origin)
{
    return (struct part_transform){quat_to_matrix(quat_normalize(child->pose.rotation)),
                                   v3_sub(child->pose.position, origin)};
}

static vec3 transform_point(const struct part_transform *to, vec3 p)
{
    return v3_add(to->translation, mat3_mul(&to->rotation, p));
}

static mat3 mat3_product(const mat3 *a, const mat3 *b)
{
    mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return out;
}

static mat3 mat3_transpose(const mat3 *a)
{
    mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out.m[i][j] = a->m[j][i];
    return out;
}

// Adds mass and inertia of a part about the centre of mass of the whole: I = R I_p R^T + m (d.d 1 - d d^T).
static void add_part_mass(const struct shape_data *part, const struct part_transform *to,
                          struct shape_data *out)
{
    const mat3 inverse = mat3_transpose(&to->rotation), rotated = mat3_product(&to->rotation, &part->inertia),
               rotated_inertia = mat3_product(&rotated, &inverse);
    const double d[3] = {to->translation.x, to->translation.y, to->translation.z},
                 dd = v3_dot(to->translation, to->translation);
    out->volume += part->volume;
    out->mass += part->mass;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->inertia.m[i][j] +=
                rotated_inertia.m[i][j] + part->mass * ((i == j ? dd : 0.0) - d[i] * d[j]);
}

// Copies the transformed mesh of a part to `out`, starting at index `vertex` and `triangle`.
static void append_mesh(const struct trimesh *part, const struct part_transform *to, struct trimesh *out,
                        int vertex, int triangle)
{
    for (int i = 0; i < part->vertex_count; ++i)
        out->vertices[vertex + i] = transform_point(to, part->vertices[i]);
    for (int t = 0; t < part->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) out->triangles[triangle + t][k] = vertex + part->triangles[t][k];
}

// Moves the convex parts of a part, transformed, to `out`; their memory belongs to `out` from then on.
static void move_convex_parts(struct shape_data *part, const struct part_transform *to,
                              struct convex_part *out)
{
    for (int i = 0; i < part->convex_part_count; ++i) {
        struct convex_part *p = &part->convex_parts[i];
        p->position = transform_point(to, p->position);
        p->axes = mat3_product(&to->rotation, &p->axes);
        out[i] = *p;
        *p = (struct convex_part){0};
    }
}

// Copies compartment and opening of the open part, and joins the solid surfaces of all parts.
static bool add_compartment(const struct shape_data *parts, int open, const tarn_compound *compound,
                            vec3 centre, const struct memory *m, struct shape_data *out)
{
    const struct shape_data *open_part = &parts[open];
    const struct part_transform open_transform = part_transform_of(&compound->children[open], centre);
    int vertices = 0, triangles = 0;
    for (int i = 0; i < compound->child_count; ++i) {
        vertices += shape_solid_surface(&parts[i])->vertex_count;
        triangles += shape_solid_surface(&parts[i])->triangle_count;
    }
    out->opening = memory_alloc(m, (size_t)open_part->opening_count, sizeof *out->opening);
    out->opening_count = out->opening ? open_part->opening_count : 0;
    if (!out->opening ||
        !trimesh_alloc(&out->compartment, m, open_part->compartment.vertex_count,
                       open_part->compartment.triangle_count) ||
        !trimesh_alloc(&out->solid_surface, m, vertices, triangles))
        return false;
    for (int i = 0; i < open_part->opening_count; ++i)
        out->opening[i] = transform_point(&open_transform, open_part->opening[i]);
    out->compartment_volume = open_part->compartment_volume;
    append_mesh(&open_part->compartment, &open_transform, &out->compartment, 0, 0);
    vertices = triangles = 0;
    for (int i = 0; i < compound->child_count; ++i) {
        const struct trimesh *surface = shape_solid_surface(&parts[i]);
        const struct part_transform to = part_transform_of(&compound->children[i], centre);
        append_mesh(surface, &to, &out->solid_surface, vertices, triangles);
        vertices += surface->vertex_count, triangles += surface->triangle_count;
    }
    trimesh_compute_facets(&out->compartment);
    trimesh_compute_facets(&out->solid_surface);
    return true;
}

// Sets the masses of the parts and scales their inertia. Without densities of their own all have 1.
static void set_part_masses(struct shape_data *parts, const tarn_compound *compound)
{
    for (int i = 0; i < compound->child_count; ++i) {
        const double own = compound->children[i].density, density = own > 0.0 ? own : 1.0;
        parts[i].mass = density * parts[i].volume;
        parts[i].inertia = mat3_scale(&parts[i].inertia, density);
    }
}

static tarn_result join_parts(struct shape_data *parts, const tarn_compound *compound, const struct memory *m,
                              struct shape_data *out, tarn_error *err)
{
    double mass = 0.0;
    vec3 moment = v3(0, 0, 0);
    int64_t vertices = 0, triangles = 0, convex_parts = 0;
    int open_count = 0, open = 0;
    set_part_masses(parts, compound);
    for (int i = 0; i < compound->child_count; ++i) {
        mass += parts[i].mass;
        moment = v3_madd(moment, parts[i].mass, compound->children[i].pose.position);
        vertices += parts[i].hull.vertex_count;
        triangles += parts[i].hull.triangle_count;
        convex_parts += parts[i].convex_part_count;
        if (shape_is_open(&parts[i])) open = i, ++open_count;
    }
    if (open_count > 1)
        return fail(err, TARN_BAD_INPUT, "children", "%d shapes are open; at most one is allowed",
                    open_count);
    if (vertices > MAX_MESH_ELEMENTS || triangles > MAX_MESH_ELEMENTS)
        return fail(err, TARN_BAD_INPUT, "children", "too many triangles (limit %d)", MAX_MESH_ELEMENTS);
    if (!trimesh_alloc(&out->hull, m, (int)vertices, (int)triangles) ||
        !shape_alloc_parts(out, m, (int)convex_parts))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a compound");
    const vec3 centre = v3_scale(moment, 1.0 / mass);
    vertices = triangles = convex_parts = 0;
    for (int i = 0; i < compound->child_count; ++i) {
        const struct part_transform to = part_transform_of(&compound->children[i], centre);
        add_part_mass(&parts[i], &to, out);
        append_mesh(&parts[i].hull, &to, &out->hull, (int)vertices, (int)triangles);
        move_convex_parts(&parts[i], &to, out->convex_parts + convex_parts);
        vertices += parts[i].hull.vertex_count;
        triangles += parts[i].hull.triangle_count;
        convex_parts += parts[i].convex_part_count;
    }
    if (!(compound->children[0].density > 0.0)) out->mass = 0.0;
    trimesh_compute_facets(&out->hull);
    if (open_count == 1 && !add_compartment(parts, open, compound, centre, m, out))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a compound");
    return TARN_OK;
}

// Makes the shape data of all children again, because their own triangles are sorted already.
static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_compound *compound = def;
    const size_t count = (size_t)compound->child_count;
    *out = (struct shape_data){0};
    struct shape_data *parts = memory_alloc(m, count, sizeof *parts);
    if (!parts) return fail(err, TARN_NO_MEMORY, "", "no memory for a compound");
    tarn_result r = TARN_OK;
    for (size_t i = 0; i < count && r == TARN_OK; ++i) {
        const tarn_shape *child = compound->children[i].shape;
        r = child->kind->make(&child->def.space, m, &parts[i], err);
    }
    if (r == TARN_OK) r = join_parts(parts, compound, m, out, err);
    for (size_t i = 0; i < count; ++i) shape_data_free(&parts[i], m);
    memory_free(m, parts, count, sizeof *parts);
    if (r != TARN_OK) shape_data_free(out, m);
    return r;
}

const struct shape_kind shape_compound = {
    .kind = {.category = "shape", .name = "compound", .help = "rigid union of shapes"},
    .def_size = sizeof(tarn_compound),
    .drag_coefficient = 0.82,
    .drag_orientation = 0.9,
    .make = make,
};
