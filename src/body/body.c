// Body records (definition, shape, mass properties) and the slot map with generations that holds them.
#include "body/body.h"

#include "base/error.h"
#include "body/collide/body_tree.h"
#include "body/solve/dynamics.h"

// ---- body records ---------------------------------------------------------------------------------

static tarn_result check_def(const tarn_body_def *def, tarn_error *err)
{
    if (!def->shape) return fail(err, TARN_BAD_ARGUMENT, "shape", "a body needs a shape");
    const tarn_result r = tarn_kind_check(&body_kind, def, err);
    if (r == TARN_OK && def->type == TARN_BODY_STATIC && v3_length(def->velocity) > 0.0)
        return fail(err, TARN_BAD_INPUT, "velocity", "a static body has no velocity");
    if (r == TARN_OK && def->type == TARN_BODY_STATIC && v3_length(def->angular_velocity) > 0.0)
        return fail(err, TARN_BAD_INPUT, "angular_velocity", "a static body has no angular velocity");
    if (r == TARN_OK && def->sensor && def->type == TARN_BODY_DYNAMIC)
        return fail(err, TARN_BAD_INPUT, "sensor",
                    "a sensor responds to nothing: its body cannot be dynamic");
    return r;
}

void body_free(struct body *body, const struct memory *m)
{
    if (!body) return;
    tarn_shape_release(body->def.shape);
    memory_free(m, body, 1, sizeof *body);
}

#define LOCKED_AXIS_FACTOR 1e12 // planar worlds: inertia about x and y as a multiple of that about z

// A rigid body has no moment of inertia above the sum of the other two; a plate has that sum.
static bool is_inertia(vec3 v)
{
    const double sum = (v.x + v.y + v.z) * (1.0 + 1e-9);
    return fmin(v.x, fmin(v.y, v.z)) > 0.0 && 2.0 * fmax(v.x, fmax(v.y, v.z)) <= sum;
}

static bool has_own_inertia(const tarn_body_def *def) { return v3_dot(def->inertia, def->inertia) > 0.0; }

tarn_result body_set_mass_properties(struct body *body, bool planar, tarn_error *err)
{
    const bool prescribed = body->def.mass > 0.0;
    const struct shape_data *shape = &body->def.shape->data;
    const double density = shape->mass > 0.0 ? 1.0 : body->def.density,
                 shape_mass = shape->mass > 0.0 ? shape->mass : density * shape->volume,
                 mass = prescribed ? body->def.mass : shape_mass,
                 inertia_scale = density * (mass / shape_mass);
    if (!(MIN_MASS <= mass && mass <= MAX_MASS))
        return fail(err, TARN_BAD_INPUT, prescribed ? "mass" : "density", "%.6g kg is outside %g .. %g", mass,
                    MIN_MASS, MAX_MASS);
    if (has_own_inertia(&body->def) && !is_inertia(body->def.inertia))
        return fail(err, TARN_BAD_INPUT, "inertia",
                    "all three moments are above 0 and none is above the sum of the other two");
    mat3 axes;
    body->principal_inertia = v3_scale(diagonalize_inertia(&shape->inertia, &axes), inertia_scale);
    body->principal_axes = quat_from_matrix(&axes);
    if (has_own_inertia(&body->def))
        body->principal_inertia = body->def.inertia,
        body->principal_axes = quat_normalize(body->def.inertia_axes);
    if (planar) {
        const double inertia_z =
            has_own_inertia(&body->def) ? body->def.inertia.z : inertia_scale * shape->inertia.m[2][2];
        body->principal_inertia =
            v3(LOCKED_AXIS_FACTOR * inertia_z, LOCKED_AXIS_FACTOR * inertia_z, inertia_z);
        body->principal_axes = (quat){1, 0, 0, 0};
    }
    body->def.mass = mass;
    return TARN_OK;
}

static int lock_code_of(const tarn_locks *locks)
{
    int code = 0;
    for (int k = 0; k < 3; ++k) code |= locks->translation[k] << k | locks->rotation[k] << (3 + k);
    return code;
}

static void fill_drag(tarn_body_def *def)
{
    if (isnan(def->drag_coefficient)) def->drag_coefficient = def->shape->kind->drag_coefficient;
    if (isnan(def->form_drag_fraction)) def->form_drag_fraction = def->shape->kind->drag_orientation;
}

tarn_result body_create(struct bodies *b, const tarn_body_def *def, struct body **out, tarn_error *err)
{
    *out = NULL;
    tarn_result r = check_def(def, err);
    if (r != TARN_OK) return r;
    struct body *body = memory_alloc(b->memory, 1, sizeof *body);
    if (!body) return fail(err, TARN_NO_MEMORY, "", "no memory for another body");
    body->def = *def;
    tarn_shape_retain(def->shape);
    fill_drag(&body->def);
    body->lock_code = lock_code_of(&def->locks);
    b->any_locks |= body->lock_code != 0;
    body->def.rotation = quat_normalize(def->rotation);
    body->def.name[TARN_NAME_BYTES - 1] = 0;
    r = body_set_mass_properties(body, b->planar, err);
    if (r == TARN_OK)
        *out = body;
    else
        body_free(body, b->memory);
    return r;
}

// Bodies of the same group above 0 meet, below 0 they do not; otherwise both masks decide.
static bool filters_agree(const tarn_filter *x, const tarn_filter *y)
{
    if (x->group == y->group && x->group != 0) return x->group > 0;
    return x->mask & y->category && y->mask & x->category;
}

bool bodies_may_meet(const struct bodies *b, int i, int k)
{
    const tarn_body_def *x = &b->slots[i].body->def, *y = &b->slots[k].body->def;
    const bool is_overlap = x->sensor != y->sensor;
    if (!is_overlap && (x->sensor || (!body_is_dynamic(b, i) && !body_is_dynamic(b, k)))) return false;
    return x->enabled && y->enabled && filters_agree(&x->filter, &y->filter);
}

void body_settings_changed(struct bodies *b, int i)
{
    struct body *body = b->slots[i].body;
    fill_drag(&body->def);
    body->lock_code = lock_code_of(&body->def.locks);
    b->any_locks |= body->lock_code != 0;
    body_restrict_momenta(b, i);
    b->dynamics->broad_phase.is_stale = true;
    dynamics_wake_neighbours(b, i);
}

const tarn_shape *bodies_find_shape(const struct bodies *b, uint64_t content)
{
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i) && b->slots[i].body->def.shape->content == content)
            return b->slots[i].body->def.shape;
    return NULL;
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
    body_tree_free(b);
    dynamics_free(b);
}

bool bodies_reserve(struct bodies *b, int count)
{
    return memory_grow(b->memory, (void **)&b->slots, &b->slot_capacity, count, sizeof *b->slots) &&
           memory_grow(b->memory, (void **)&b->state, &b->state_capacity, count, sizeof *b->state) &&
           memory_grow(b->memory, (void **)&b->applied, &b->applied_capacity, count, sizeof *b->applied) &&
           memory_grow(b->memory, (void **)&b->added_mass_impulse, &b->added_mass_impulse_capacity, count,
                       sizeof *b->added_mass_impulse) &&
           body_tree_reserve(b, count) && dynamics_create(b, count);
}

void bodies_reset(struct bodies *b)
{
    b->body_count = 0;
    b->any_locks = false;
    memory_clear(b->applied, b->applied_capacity, sizeof *b->applied);
    memory_clear(b->added_mass_impulse, b->added_mass_impulse_capacity, sizeof *b->added_mass_impulse);
    body_tree_clear(b);
    dynamics_reset(b);
}

tarn_result bodies_add(struct bodies *b, const tarn_body_def *def, tarn_body_id *out, tarn_error *err)
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
    b->state[i].angular_momentum = body_angular_momentum(b, i, def->angular_velocity);
    body_restrict_momenta(b, i);
    body_tree_add(b, i);
    *out = body_id(b, i);
    return TARN_OK;
}

void bodies_remove(struct bodies *b, int i)
{
    dynamics_remove_body(b, i);
    body_tree_remove(b, i);
    body_free(b->slots[i].body, b->memory);
    b->slots[i].body = NULL;
    b->slots[i].generation += 1;
    b->state[i] = (struct body_state){0};
    b->body_count -= 1;
}

int body_index(const struct bodies *b, tarn_body_id id)
{
    const int i = (int)id_slot(id.value);
    return id_slot(id.value) < (uint32_t)b->slot_count && body_exists(b, i) &&
                   b->slots[i].generation == id_generation(id.value)
               ? i
               : -1;
}

tarn_body_id body_id(const struct bodies *b, int i)
{
    return (tarn_body_id){id_value((uint32_t)i, b->slots[i].generation)};
}
