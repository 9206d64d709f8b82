// Bodies section of a checkpoint.
#include "base/error.h"
#include "body/solve/dynamics.h"

#include <string.h>

static void save_triangles(struct saver *s, const tarn_triangles *t)
{
    save_u32(s, (uint32_t)t->vertex_count);
    save_u32(s, (uint32_t)t->triangle_count);
    save_f64s(s, t->vertices, (size_t)t->vertex_count * 3);
    save_ints(s, t->triangles, (size_t)t->triangle_count * 3);
}

static void save_shape(struct saver *s, const tarn_spec *shape, const tarn_triangles *mesh)
{
    save_text(s, shape->kind->name);
    param_save(s, shape->kind, shape->data);
    save_triangles(s, mesh);
}

void bodies_save(struct saver *s, const void *data)
{
    const struct bodies *b = data;
    save_u32(s, (uint32_t)b->slot_count);
    for (int i = 0; i < b->slot_count; ++i) {
        const struct body *body = b->slots[i].body;
        save_u32(s, b->slots[i].generation);
        if (!body) continue;
        save_shape(s, &body->def.shape, &body->def.mesh);
        param_save(s, &body_kind, &body->def);
        save_u32(s, (uint32_t)body->def.part_count);
        for (int k = 0; k < body->def.part_count; ++k) {
            save_shape(s, &body->def.parts[k].shape, &body->def.parts[k].mesh);
            param_save(s, &part_kind, &body->def.parts[k]);
        }
        save_f64s(s, (const double *)&b->state[i], sizeof b->state[i] / sizeof(double));
        save_f64s(s, &body->user_force.x, 3);
        save_f64s(s, &body->user_torque.x, 3);
    }
    dynamics_save(s, b);
}

// Arrays that a loaded def borrows; freed when the body is created.
struct loaded_def_data {
    const struct memory *memory;
    struct triangle_arrays meshes[TARN_PARTS + 1];
    int mesh_count;
    tarn_part *parts;
    int part_count;
};

static void loaded_def_data_free(struct loaded_def_data *owned)
{
    for (int k = 0; k < owned->mesh_count; ++k) triangle_arrays_free(&owned->meshes[k], owned->memory);
    memory_free(owned->memory, owned->parts, (size_t)owned->part_count, sizeof *owned->parts);
}

// Counts are compared with the size of the section before memory is allocated.
static tarn_result load_triangles(struct loader *l, struct loaded_def_data *owned, tarn_triangles *out,
                                  tarn_error *err)
{
    const uint32_t vertices = load_u32(l), triangles = load_u32(l);
    *out = (tarn_triangles){0};
    if (l->failed || vertices > l->size / 24 || triangles > l->size / 12)
        return fail(err, TARN_BAD_INPUT, "mesh", "invalid mesh size in the checkpoint");
    if (!vertices || !triangles) return TARN_OK;
    struct triangle_arrays *mesh = &owned->meshes[owned->mesh_count++];
    if (!triangle_arrays_alloc(mesh, (int)vertices, (int)triangles, owned->memory))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a mesh");
    load_f64s(l, mesh->vertices, (size_t)vertices * 3);
    for (size_t k = 0; k < (size_t)triangles * 3; ++k) mesh->triangles[k] = (int)load_u32(l);
    *out = triangles_view(mesh);
    return TARN_OK;
}

static tarn_result load_shape(struct loader *l, struct loaded_def_data *owned, tarn_spec *shape,
                              tarn_triangles *mesh, tarn_error *err)
{
    char name[TARN_NAME_BYTES];
    load_text(l, name, sizeof name);
    shape->kind = NULL;
    for (int k = 0; shape_kind_at(k); ++k)
        if (strcmp(shape_kind_at(k)->kind.name, name) == 0) shape->kind = &shape_kind_at(k)->kind;
    if (!shape->kind) return fail(err, TARN_BAD_INPUT, "shape", "unknown shape");
    tarn_kind_defaults(shape->kind, shape->data);
    const tarn_result r = param_load(l, shape->kind, shape->data, err);
    return r == TARN_OK ? load_triangles(l, owned, mesh, err) : r;
}

static tarn_result load_parts(struct loader *l, struct loaded_def_data *owned, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    if (l->failed || count > TARN_PARTS)
        return fail(err, TARN_BAD_INPUT, "parts", "invalid number of parts in the checkpoint: %u", count);
    if (!count) return TARN_OK;
    owned->parts = memory_alloc(owned->memory, count, sizeof *owned->parts);
    if (!owned->parts) return fail(err, TARN_NO_MEMORY, "", "no memory for %u parts", count);
    owned->part_count = (int)count;
    for (uint32_t k = 0; k < count; ++k) {
        tarn_kind_defaults(&part_kind, &owned->parts[k]);
        tarn_result r = load_shape(l, owned, &owned->parts[k].shape, &owned->parts[k].mesh, err);
        if (r == TARN_OK) r = param_load(l, &part_kind, &owned->parts[k], err);
        if (r != TARN_OK) return r;
    }
    return TARN_OK;
}

static tarn_result load_body_record(struct loader *l, struct bodies *b, struct body **out, tarn_error *err)
{
    struct loaded_def_data owned = {.memory = b->memory};
    tarn_body_def def = {0};
    tarn_kind_defaults(&body_kind, &def);
    tarn_result r = load_shape(l, &owned, &def.shape, &def.mesh, err);
    if (r == TARN_OK) r = param_load(l, &body_kind, &def, err);
    if (r == TARN_OK) r = load_parts(l, &owned, err);
    def.parts = owned.parts, def.part_count = owned.part_count;
    if (r == TARN_OK) r = body_create(b, &def, out, err);
    if (r == TARN_OK) (*out)->def.rotation = def.rotation;
    loaded_def_data_free(&owned);
    return r;
}

static tarn_result load_body(struct loader *l, struct bodies *b, int i, tarn_error *err)
{
    struct body *body = NULL;
    const tarn_result r = load_body_record(l, b, &body, err);
    if (r != TARN_OK) return r;
    b->slots[i].body = body;
    b->body_count += 1;
    struct body_state *state = &b->state[i];
    load_f64s(l, (double *)state, sizeof *state / sizeof(double));
    load_f64s(l, &body->user_force.x, 3);
    load_f64s(l, &body->user_torque.x, 3);
    const quat q = state->rotation;
    const double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    const bool ok = body_is_valid(b, i) && v3_length(body->user_force) <= MAX_USER_FORCE &&
                    v3_length(body->user_torque) <= MAX_USER_FORCE && fabs(norm2 - 1.0) < 1e-6 &&
                    v3_is_finite(state->last_force) && 0.0 <= state->sleep_timer &&
                    state->sleep_timer <= 2.0 && v3_is_finite(state->sleep_test_position) &&
                    fabs(state->sleep_test_rotation.w) <= 2.0;
    return ok ? TARN_OK
              : fail(err, TARN_BAD_INPUT, "bodies", "body %d: state is not finite or out of range", i);
}

tarn_result bodies_load(struct loader *l, struct bodies *b, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    if (l->failed || count > MAX_BODIES || count > l->size)
        return fail(err, TARN_BAD_INPUT, "bodies", "invalid number of bodies in the checkpoint: %u", count);
    if (!bodies_reserve(b, (int)count))
        return fail(err, TARN_NO_MEMORY, "", "no memory for %u bodies", count);
    for (b->slot_count = 0; b->slot_count < (int)count;) {
        const int i = b->slot_count++;
        b->slots[i].generation = load_u32(l);
        const tarn_result r = b->slots[i].generation & 1u ? load_body(l, b, i, err) : TARN_OK;
        if (r != TARN_OK) return r;
    }
    const tarn_result r = dynamics_load(l, b, err);
    if (r != TARN_OK) return r;
    return load_is_complete(l)
               ? TARN_OK
               : fail(err, TARN_BAD_INPUT, "bodies", "the section 'bodies' has a wrong length");
}
