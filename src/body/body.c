// Body records (definition, geometry, mass properties) and the slot map with generations that holds them.
#include "body/body.h"

#include "base/error.h"
#include "body/solve/dynamics.h"

#include <string.h>

// ---- arrays of a def ------------------------------------------------------------------------------

bool triangle_arrays_alloc(struct triangle_arrays *t, int vertices, int triangles, const struct memory *m)
{
    t->vertex_count = vertices, t->triangle_count = triangles;
    t->vertices = memory_alloc(m, (size_t)vertices * 3, sizeof *t->vertices);
    t->triangles = memory_alloc(m, (size_t)triangles * 3, sizeof *t->triangles);
    return t->vertices && t->triangles;
}

void triangle_arrays_free(struct triangle_arrays *t, const struct memory *m)
{
    memory_free(m, t->vertices, (size_t)t->vertex_count * 3, sizeof *t->vertices);
    memory_free(m, t->triangles, (size_t)t->triangle_count * 3, sizeof *t->triangles);
    *t = (struct triangle_arrays){0};
}

// Copies triangles; a mesh without triangles stays empty.
static bool triangles_copy(struct triangle_arrays *out, const tarn_triangles *in, const struct memory *m)
{
    if (in->triangle_count <= 0 || in->vertex_count <= 0) return true;
    if (!triangle_arrays_alloc(out, in->vertex_count, in->triangle_count, m)) return false;
    memcpy(out->vertices, in->vertices, (size_t)in->vertex_count * 3 * sizeof *out->vertices);
    memcpy(out->triangles, in->triangles, (size_t)in->triangle_count * 3 * sizeof *out->triangles);
    return true;
}

static void parts_free(struct body *body, const struct memory *m)
{
    const int count = body->def.part_count;
    for (int i = 0; body->part_meshes && i < count; ++i) triangle_arrays_free(&body->part_meshes[i], m);
    memory_free(m, body->part_meshes, (size_t)count, sizeof *body->part_meshes);
    memory_free(m, body->parts, (size_t)count, sizeof *body->parts);
}

// Copies the def with the arrays that it borrows from the caller. On failure body_free() frees what was
// copied.
static bool copy_def_arrays(struct body *body, const tarn_body_def *def, const struct memory *m)
{
    const int count = def->part_count > 0 ? def->part_count : 0;
    body->def = *def;
    body->def.mesh = (tarn_triangles){0};
    body->def.parts = NULL, body->def.part_count = 0;
    if (!triangles_copy(&body->mesh, &def->mesh, m)) return false;
    body->def.mesh = triangles_view(&body->mesh);
    if (count == 0) return true;
    body->def.part_count = count;
    body->def.parts = body->parts = memory_alloc(m, (size_t)count, sizeof *body->parts);
    body->part_meshes = memory_alloc(m, (size_t)count, sizeof *body->part_meshes);
    if (!body->parts || !body->part_meshes) return false;
    for (int i = 0; i < count; ++i) {
        if (!triangles_copy(&body->part_meshes[i], &def->parts[i].mesh, m)) return false;
        body->parts[i] = def->parts[i];
        body->parts[i].mesh = triangles_view(&body->part_meshes[i]);
    }
    return true;
}

// ---- body records ---------------------------------------------------------------------------------

static tarn_result check_def(const tarn_body_def *def, tarn_error *err)
{
    if (!shape_kind_of(def->shape.kind)) return fail(err, TARN_BAD_INPUT, "shape", "unknown shape");
    const tarn_triangles *mesh = &def->mesh;
    if (def->part_count < 0 || def->part_count > TARN_PARTS || (def->part_count && !def->parts))
        return fail(err, TARN_BAD_INPUT, "parts", "%d parts are outside 0 .. %d", def->part_count,
                    TARN_PARTS);
    if (mesh->vertex_count < 0 || mesh->triangle_count < 0 ||
        (mesh->triangle_count && (!mesh->vertices || !mesh->triangles)))
        return fail(err, TARN_BAD_INPUT, "mesh", "mesh arrays are missing");
    tarn_result r = tarn_kind_check(&body_kind, def, err);
    if (r == TARN_OK) r = tarn_kind_check(def->shape.kind, def->shape.data, err);
    for (int i = 0; i < def->part_count && r == TARN_OK; ++i)
        r = tarn_kind_check(&part_kind, &def->parts[i], err);
    return r;
}

void body_free(struct body *body, const struct memory *m)
{
    if (!body) return;
    geometry_release(body->geometry, m);
    triangle_arrays_free(&body->mesh, m);
    parts_free(body, m);
    memory_free(m, body, 1, sizeof *body);
}

#define LOCKED_AXIS_FACTOR 1e12 // planar worlds: inertia about x and y as a multiple of that about z

static tarn_result set_mass_properties(struct body *body, bool planar, tarn_error *err)
{
    const bool prescribed = body->def.mass > 0.0;
    const double mass = prescribed ? body->def.mass : body->geometry->shape.mass,
                 mass_ratio = mass / body->geometry->shape.mass;
    if (!(MIN_MASS <= mass && mass <= MAX_MASS))
        return fail(err, TARN_BAD_INPUT, prescribed ? "mass" : "density", "%.6g kg is outside %g .. %g", mass,
                    MIN_MASS, MAX_MASS);
    mat3 axes;
    body->principal_inertia =
        v3_scale(diagonalize_inertia(&body->geometry->shape.inertia, &axes), mass_ratio);
    body->principal_axes = quat_from_matrix(&axes);
    if (planar) {
        const double inertia_z = mass_ratio * body->geometry->shape.inertia.m[2][2];
        body->principal_inertia =
            v3(LOCKED_AXIS_FACTOR * inertia_z, LOCKED_AXIS_FACTOR * inertia_z, inertia_z);
        body->principal_axes = (quat){1, 0, 0, 0};
    }
    body->def.mass = mass;
    return TARN_OK;
}

tarn_result body_create(struct bodies *b, const tarn_body_def *def, struct body **out, tarn_error *err)
{
    *out = NULL;
    tarn_result r = check_def(def, err);
    if (r != TARN_OK) return r;
    struct body *body = memory_alloc(b->memory, 1, sizeof *body);
    if (!body || !copy_def_arrays(body, def, b->memory)) {
        body_free(body, b->memory);
        return fail(err, TARN_NO_MEMORY, "", "no memory for another body");
    }
    const struct shape_kind *shape = shape_kind_of(def->shape.kind);
    if (isnan(body->def.drag)) body->def.drag = shape->drag_coefficient;
    if (isnan(body->def.facing)) body->def.facing = shape->drag_orientation;
    body->def.rotation = quat_normalize(def->rotation);
    body->def.name[TARN_NAME_BYTES - 1] = 0;
    body->geometry = find_equal_geometry(b, &body->def);
    if (body->geometry)
        body->geometry->ref_count += 1;
    else
        r = geometry_create(&body->def, b->memory, &body->geometry, err);
    if (r == TARN_OK) r = set_mass_properties(body, b->planar, err);
    if (r == TARN_OK)
        *out = body;
    else
        body_free(body, b->memory);
    return r;
}

// ---- slot map -------------------------------------------------------------------------------------

void bodies_free(struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i) body_free(b->slots[i].body, b->memory);
    memory_free(b->memory, b->slots, (size_t)b->slot_capacity, sizeof *b->slots);
    memory_free(b->memory, b->state, (size_t)b->state_capacity, sizeof *b->state);
    memory_free(b->memory, b->applied, (size_t)b->applied_capacity, sizeof *b->applied);
    memory_free(b->memory, b->added_mass_impulse, (size_t)b->added_mass_impulse_capacity,
                sizeof *b->added_mass_impulse);
    dynamics_free(b);
}

bool bodies_reserve(struct bodies *b, int count)
{
    return memory_grow(b->memory, (void **)&b->slots, &b->slot_capacity, count, sizeof *b->slots) &&
           memory_grow(b->memory, (void **)&b->state, &b->state_capacity, count, sizeof *b->state) &&
           memory_grow(b->memory, (void **)&b->applied, &b->applied_capacity, count, sizeof *b->applied) &&
           memory_grow(b->memory, (void **)&b->added_mass_impulse, &b->added_mass_impulse_capacity, count,
                       sizeof *b->added_mass_impulse) &&
           dynamics_create(b, count);
}

tarn_result bodies_add(struct bodies *b, const tarn_body_def *def, tarn_body *out, tarn_error *err)
{
    struct body *body;
    int i = 0;
    while (i < b->slot_count && body_exists(b, i)) ++i;
    if (i >= MAX_BODIES) return fail(err, TARN_BAD_INPUT, "", "too many bodies (limit %d)", MAX_BODIES);
    if (!bodies_reserve(b, i + 1)) return fail(err, TARN_NO_MEMORY, "", "no memory for another body");
    const tarn_result r = body_create(b, def, &body, err);
    if (r != TARN_OK) return r;

    b->slots[i].body = body;
    b->slots[i].generation += 1;
    b->slot_count = imax(b->slot_count, i + 1);
    b->body_count += 1;
    b->state[i] = (struct body_state){.position = def->position, .rotation = body->def.rotation};
    b->state[i].momentum = v3_scale(def->velocity, body->def.mass);
    b->state[i].angular_momentum = body_angular_momentum(b, i, def->spin);
    *out = body_id(b, i);
    return TARN_OK;
}

void bodies_remove(struct bodies *b, int i)
{
    dynamics_remove_body(b, i);
    body_free(b->slots[i].body, b->memory);
    b->slots[i].body = NULL;
    b->slots[i].generation += 1;
    b->state[i] = (struct body_state){0};
    b->body_count -= 1;
}

int body_index(const struct bodies *b, tarn_body id)
{
    const int i = (int)id.index;
    return id.index < (uint32_t)b->slot_count && body_exists(b, i) && b->slots[i].generation == id.generation
               ? i
               : -1;
}

tarn_body body_id(const struct bodies *b, int i) { return (tarn_body){(uint32_t)i, b->slots[i].generation}; }
