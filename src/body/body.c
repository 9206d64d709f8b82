#include "body.h"

#include "base/error.h"
#include "base/param.h"

#include <string.h>

#define FAR        1e6  // [m] positions
#define FAST       1e4  // [m/s], [rad/s]
#define HEAVY      1e12 // [kg]
#define LIGHT      1e-9 // [kg]
#define MAX_BODIES 100000

static const tarn_param params[] = {
    PARAM_TEXT(tarn_body_def, name, "name", "what to call it in results"),
    PARAM_NUMBER(tarn_body_def, density, "density", 500, 0.1, 1e5, "kg/m^3", "used where no mass is given"),
    PARAM_NUMBER(tarn_body_def, mass, "mass", 0, 0, HEAVY, "kg", "0: volume times density"),
    PARAM_VEC3(tarn_body_def, position, "position", 0, 2, 0, -FAR, FAR, "m", "of the centre"),
    PARAM_QUAT(tarn_body_def, rotation, "rotation", "as w, x, y, z"),
    PARAM_VEC3(tarn_body_def, velocity, "velocity", 0, 0, 0, -FAST, FAST, "m/s", "at the start"),
    PARAM_VEC3(tarn_body_def, spin, "spin", 0, 0, 0, -FAST, FAST, "rad/s",
               "at the start, about the world's axes"),
    PARAM_NUMBER(tarn_body_def, restitution, "restitution", 0.3, 0, 1, "", "speed kept in a bounce"),
    PARAM_NUMBER(tarn_body_def, friction, "friction", 0.5, 0, 10, "", "Coulomb's coefficient"),
    PARAM_NUMBER(tarn_body_def, drag, "drag", 0.82, 0, 100, "", "coefficient C_D of the wetted area"),
    PARAM_NUMBER(tarn_body_def, lift, "lift", 0.007, 0, 10, "", "coefficient C_L of the wetted area"),
    PARAM_FLAG(tarn_body_def, external, "external", 0, "moved by the caller alone"),
    PARAM_VEC3(tarn_body_def, colour, "colour", 0.85, 0.35, 0.2, 0, 1, "", "red, green, blue"),
};

const tarn_kind body_kind = {.room = "body", .name = "body", .help = "what every body has", PARAMS(params)};

static void cold_free(struct body_cold *c, const struct memory *m)
{
    if (!c) return;
    memory_free(m, (void *)c->mesh.vertices, (size_t)c->mesh.vertex_count * 3, sizeof(float));
    memory_free(m, (void *)c->mesh.triangles, (size_t)c->mesh.triangle_count * 3, sizeof(int));
    hull_free(&c->hull, m);
    memory_free(m, c, 1, sizeof *c);
}

void bodies_free(struct bodies *b)
{
    for (int i = 0; i < b->count; ++i) cold_free(b->slots[i].cold, b->memory);
    memory_free(b->memory, b->slots, (size_t)b->slot_room, sizeof *b->slots);
    memory_free(b->memory, b->hot, (size_t)b->hot_room, sizeof *b->hot);
    memory_free(b->memory, b->contacts, (size_t)b->contact_room, sizeof *b->contacts);
}

static bool make_room(struct bodies *b, int count)
{
    return memory_grow(b->memory, (void **)&b->slots, &b->slot_room, count, sizeof *b->slots) &&
           memory_grow(b->memory, (void **)&b->hot, &b->hot_room, count, sizeof *b->hot) &&
           memory_grow(b->memory, (void **)&b->contacts, &b->contact_room, CONTACTS_PER_BODY * count,
                       sizeof *b->contacts);
}

static bool make_mesh(struct body_cold *c, const struct memory *m)
{
    const struct hull *h = &c->hull;
    float *vertices = memory_alloc(m, (size_t)h->vertex_count * 3, sizeof(float));
    int *triangles = memory_alloc(m, (size_t)h->triangle_count * 3, sizeof(int));
    c->mesh = (tarn_mesh){h->vertex_count, h->triangle_count, vertices, triangles};
    if (!vertices || !triangles) return false;
    for (int i = 0; i < h->vertex_count; ++i) {
        vertices[3 * i] = (float)h->vertices[i].x;
        vertices[3 * i + 1] = (float)h->vertices[i].y;
        vertices[3 * i + 2] = (float)h->vertices[i].z;
    }
    memcpy(triangles, h->triangles, (size_t)h->triangle_count * sizeof *h->triangles);
    return true;
}

// Everything about a body that follows from its def.
static struct body_cold *cold_create(const tarn_body_def *def, const struct memory *m)
{
    struct body_cold *c = memory_alloc(m, 1, sizeof *c);
    if (!c) return NULL;
    const struct shape_kind *shape = c->shape = shape_kind_of(def->shape.kind);
    c->def = *def;
    c->def.rotation = quat_unit(def->rotation);
    c->volume = shape->volume(def->shape.data);
    if (c->def.mass <= 0.0) c->def.mass = c->volume * def->density;
    c->inertia = shape->inertia(def->shape.data, c->def.mass);
    c->def.name[TARN_NAME_BYTES - 1] = 0;
    if (!shape->build(def->shape.data, m, &c->hull) || !make_mesh(c, m)) {
        cold_free(c, m);
        return NULL;
    }
    hull_finish(&c->hull);
    for (int i = 0; i < c->hull.vertex_count; ++i)
        c->radius = fmax(c->radius, v3_length(c->hull.vertices[i]));
    return c;
}

static tarn_result check(const tarn_body_def *def, tarn_error *err)
{
    if (!shape_kind_of(def->shape.kind)) return fail(err, TARN_BAD_INPUT, "shape", "there is no such shape");
    tarn_result r = tarn_kind_check(&body_kind, def, err);
    if (r == TARN_OK) r = tarn_kind_check(def->shape.kind, def->shape.data, err);
    if (r != TARN_OK) return r;
    const double mass =
        def->mass > 0.0 ? def->mass : def->density * shape_kind_of(def->shape.kind)->volume(def->shape.data);
    if (LIGHT <= mass && mass <= HEAVY) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, def->mass > 0.0 ? "mass" : "density", "%.6g kg is outside %g .. %g",
                mass, LIGHT, HEAVY);
}

tarn_result bodies_add(struct bodies *b, const tarn_body_def *def, tarn_body *out, tarn_error *err)
{
    const tarn_result r = check(def, err);
    if (r != TARN_OK) return r;
    int i = 0;
    while (i < b->count && bodies_alive(b, i)) ++i;
    if (i >= MAX_BODIES) return fail(err, TARN_BAD_INPUT, "", "more than %d bodies", MAX_BODIES);
    if (!make_room(b, i + 1)) return fail(err, TARN_NO_MEMORY, "", "no memory for another body");
    struct body_cold *c = cold_create(def, b->memory);
    if (!c) return fail(err, TARN_NO_MEMORY, "", "no memory for the hull");

    b->slots[i].cold = c;
    b->slots[i].generation += 1;
    b->count = imax(b->count, i + 1);
    b->alive_count += 1;
    b->hot[i] = (struct body_hot){.position = def->position, .rotation = c->def.rotation};
    b->hot[i].momentum = v3_scale(def->velocity, c->def.mass);
    b->hot[i].angular = body_angular(b, i, def->spin);
    *out = bodies_id(b, i);
    return TARN_OK;
}

void bodies_remove(struct bodies *b, int i)
{
    cold_free(b->slots[i].cold, b->memory);
    b->slots[i].cold = NULL;
    b->slots[i].generation += 1;
    b->hot[i] = (struct body_hot){0};
    b->alive_count -= 1;
}

int bodies_slot(const struct bodies *b, tarn_body id)
{
    const int i = (int)id.index;
    return id.index < (uint32_t)b->count && bodies_alive(b, i) && b->slots[i].generation == id.generation
               ? i
               : -1;
}

tarn_body bodies_id(const struct bodies *b, int i)
{
    return (tarn_body){(uint32_t)i, b->slots[i].generation};
}

vec3 body_velocity(const struct bodies *b, int i)
{
    return v3_scale(b->hot[i].momentum, 1.0 / b->slots[i].cold->def.mass);
}

vec3 body_spin(const struct bodies *b, int i)
{
    const vec3 inertia = b->slots[i].cold->inertia, l = quat_turn_back(b->hot[i].rotation, b->hot[i].angular);
    return quat_turn(b->hot[i].rotation, v3(l.x / inertia.x, l.y / inertia.y, l.z / inertia.z));
}

vec3 body_angular(const struct bodies *b, int i, vec3 spin)
{
    const vec3 inertia = b->slots[i].cold->inertia, w = quat_turn_back(b->hot[i].rotation, spin);
    return quat_turn(b->hot[i].rotation, v3(w.x * inertia.x, w.y * inertia.y, w.z * inertia.z));
}

mat3 body_inertia(const struct bodies *b, int i)
{
    const mat3 r = quat_matrix(b->hot[i].rotation);
    const vec3 d = b->slots[i].cold->inertia;
    mat3 out;
    for (int k = 0; k < 3; ++k)
        for (int m = 0; m < 3; ++m)
            out.m[k][m] =
                r.m[k][0] * d.x * r.m[m][0] + r.m[k][1] * d.y * r.m[m][1] + r.m[k][2] * d.z * r.m[m][2];
    return out;
}

// Written so that a NaN is not sound either.
bool body_sound(const struct bodies *b, int i)
{
    const struct body_hot *h = &b->hot[i];
    return v3_length(h->position) <= 1e7 && v3_length(body_velocity(b, i)) <= 1e6 &&
           v3_length(body_spin(b, i)) <= 1e6 && fabs(h->rotation.w) <= 2.0;
}

void body_impulse(struct bodies *b, int i, vec3 impulse, vec3 arm)
{
    b->hot[i].momentum = v3_add(b->hot[i].momentum, impulse);
    b->hot[i].angular = v3_add(b->hot[i].angular, v3_cross(arm, impulse));
}

double body_energy(const struct bodies *b, int i, double gravity)
{
    const struct body_hot *hot = &b->hot[i];
    return 0.5 * v3_dot(hot->momentum, body_velocity(b, i)) + 0.5 * v3_dot(hot->angular, body_spin(b, i)) +
           b->slots[i].cold->def.mass * gravity * hot->position.y;
}

// Turn about one principal axis by what the angular momentum says; the momentum itself stays.
static quat turn_about(quat q, vec3 angular, vec3 inertia, int axis, double dt)
{
    const vec3 l = quat_turn_back(q, angular);
    const double rate[3] = {l.x / inertia.x, l.y / inertia.y, l.z / inertia.z};
    const double half = 0.5 * dt * rate[axis], s = m_sin(half);
    return quat_mul(q, (quat){m_cos(half), axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0});
}

// Free rotation by symmetric splitting about the principal axes (x/2 y/2 z y/2 x/2): angular momentum is kept
// exactly and the energy error stays bounded, where explicit schemes gain energy for ever.
// [mclachlan1993]
static quat turned(quat q, vec3 angular, vec3 inertia, double dt)
{
    static const int order[5] = {0, 1, 2, 1, 0};
    for (int k = 0; k < 5; ++k) q = turn_about(q, angular, inertia, order[k], order[k] == 2 ? dt : 0.5 * dt);
    return quat_unit(q);
}

// Turns of half a radian at most, or the splitting loses its hold on the energy; a body that spins faster than a
// thousand of those a step is as good as lost.
static int turns(vec3 angular, vec3 inertia, double dt)
{
    const double least = fmin(inertia.x, fmin(inertia.y, inertia.z)),
                 most = fmax(inertia.x, fmax(inertia.y, inertia.z));
    if (most - least < 1e-12 * most) return 1; // a ball turns about one axis, exactly
    return (int)clamp(ceil(v3_length(angular) / least * dt / 0.5), 1.0, 1000.0);
}

void bodies_drift(struct bodies *b, double dt)
{
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        struct body_hot *hot = &b->hot[i];
        hot->position = v3_madd(hot->position, dt, body_velocity(b, i));
        const vec3 inertia = b->slots[i].cold->inertia;
        const int n = turns(hot->angular, inertia, dt);
        for (int k = 0; k < n; ++k) hot->rotation = turned(hot->rotation, hot->angular, inertia, dt / n);
    }
}

void bodies_save(struct saver *s, const void *what)
{
    const struct bodies *b = what;
    save_u32(s, (uint32_t)b->count);
    for (int i = 0; i < b->count; ++i) {
        const struct body_cold *c = b->slots[i].cold;
        save_u32(s, b->slots[i].generation);
        if (!c) continue;
        save_text(s, c->def.shape.kind->name);
        param_save(s, c->def.shape.kind, c->def.shape.data);
        param_save(s, &body_kind, &c->def);
        save_f64s(s, (const double *)&b->hot[i], sizeof b->hot[i] / sizeof(double));
        save_f64s(s, &c->force.x, 3);
        save_f64s(s, &c->torque.x, 3);
    }
}

static tarn_result load_body(struct loader *l, struct bodies *b, int i, tarn_error *err)
{
    char name[TARN_NAME_BYTES];
    tarn_body_def def = {0};
    tarn_kind_defaults(&body_kind, &def);
    load_text(l, name, sizeof name);
    for (int k = 0; shape_kind_at(k); ++k)
        if (strcmp(shape_kind_at(k)->kind.name, name) == 0) def.shape.kind = &shape_kind_at(k)->kind;
    if (!def.shape.kind) return fail(err, TARN_BAD_INPUT, "shape", "there is no such shape");
    tarn_kind_defaults(def.shape.kind, def.shape.data);
    tarn_result r = param_load(l, def.shape.kind, def.shape.data, err);
    if (r == TARN_OK) r = param_load(l, &body_kind, &def, err);
    if (r == TARN_OK) r = check(&def, err);
    if (r != TARN_OK) return r;

    struct body_cold *c = b->slots[i].cold = cold_create(&def, b->memory);
    if (!c) return fail(err, TARN_NO_MEMORY, "", "no memory for the hull");
    c->def.rotation = def.rotation;
    b->alive_count += 1;
    struct body_hot *hot = &b->hot[i];
    load_f64s(l, (double *)hot, sizeof *hot / sizeof(double));
    load_f64s(l, &c->force.x, 3);
    load_f64s(l, &c->torque.x, 3);
    const quat q = hot->rotation;
    const double turn = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    const bool good = body_sound(b, i) && v3_length(c->force) <= PUSH_MOST &&
                      v3_length(c->torque) <= PUSH_MOST && fabs(turn - 1.0) < 1e-6;
    return good ? TARN_OK : fail(err, TARN_BAD_INPUT, "bodies", "body %d has an impossible state", i);
}

tarn_result bodies_load(struct loader *l, struct bodies *b, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    if (l->bad || count > MAX_BODIES || count > l->size)
        return fail(err, TARN_BAD_INPUT, "bodies", "a checkpoint cannot hold %u bodies", count);
    if (!make_room(b, (int)count)) return fail(err, TARN_NO_MEMORY, "", "no memory for %u bodies", count);
    for (b->count = 0; b->count < (int)count;) {
        const int i = b->count++;
        b->slots[i].generation = load_u32(l);
        const tarn_result r = b->slots[i].generation & 1u ? load_body(l, b, i, err) : TARN_OK;
        if (r != TARN_OK) return r;
    }
    return load_done(l) ? TARN_OK
                        : fail(err, TARN_BAD_INPUT, "bodies", "the section 'bodies' has a wrong length");
}
