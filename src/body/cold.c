// Everything about a body that follows from its def, and what all bodies have.
#include "base/error.h"
#include "body.h"

#include <string.h>

#define FAR   1e6  // [m] positions
#define FAST  1e4  // [m/s], [rad/s]
#define HEAVY 1e12 // [kg]
#define LIGHT 1e-9 // [kg]

// In the order of tarn_material
static const char *const materials[] = {"paint", "wood", "glass", "metal", "rubber", NULL};

static const tarn_param params[] = {
    PARAM_TEXT(tarn_body_def, name, "name", "what to call it in results"),
    PARAM_NUMBER(tarn_body_def, density, "density", 500, 0.1, 1e5, "kg/m^3", "used where no mass is given"),
    PARAM_NUMBER(tarn_body_def, mass, "mass", 0, 0, HEAVY, "kg", "0: volume times density"),
    PARAM_VEC3(tarn_body_def, position, "position", 0, 2, 0, -FAR, FAR, "m", "of the centre of mass"),
    PARAM_QUAT(tarn_body_def, rotation, "rotation", "as w, x, y, z"),
    PARAM_VEC3(tarn_body_def, velocity, "velocity", 0, 0, 0, -FAST, FAST, "m/s", "at the start"),
    PARAM_VEC3(tarn_body_def, spin, "spin", 0, 0, 0, -FAST, FAST, "rad/s",
               "at the start, about the world's axes"),
    PARAM_NUMBER(tarn_body_def, restitution, "restitution", 0.3, 0, 1, "", "speed kept in a bounce"),
    PARAM_NUMBER(tarn_body_def, friction, "friction", 0.5, 0, 10, "", "Coulomb's coefficient"),
    PARAM_MAYBE(tarn_body_def, drag, "drag", 0, 100, "",
                "coefficient C_D of the wetted area; not given: as fits the shape"),
    PARAM_MAYBE(tarn_body_def, facing, "facing", 0, 1, "",
                "part of the drag that depends on which way a face looks; not given: as fits the shape"),
    PARAM_NUMBER(tarn_body_def, lift, "lift", 0.007, 0, 10, "", "coefficient C_L of the wetted area"),
    PARAM_LIVE(tarn_body_def, thrust, "thruster.force", 0, -1e9, 1e9, "N",
               "of a propeller, along the body's own x axis, while it is dipped in"),
    PARAM_VEC3(tarn_body_def, thrust_at, "thruster.at", 0, 0, 0, -100, 100, "m",
               "where it is, in the body's axes from its centre of mass"),
    PARAM_LIVE(tarn_body_def, rudder, "rudder.angle", 0, -90, 90, "degrees",
               "how far it is turned about the body's y axis; above 0 the bow goes towards +z"),
    PARAM_NUMBER(tarn_body_def, rudder_area, "rudder.area", 0, 0, 1e4, "m^2", "of a rudder; 0: none"),
    PARAM_VEC3(tarn_body_def, rudder_at, "rudder.at", 0, 0, 0, -100, 100, "m", "where it is, likewise"),
    PARAM_FLAG(tarn_body_def, external, "external", 0, "moved by the caller alone"),
    PARAM_VEC3(tarn_body_def, colour, "colour", 0.85, 0.35, 0.2, 0, 1, "", "red, green, blue"),
    {.name = "material",
     .type = TARN_CHOICE,
     .unit = "",
     .help = "what it looks like, in its colour",
     .choices = materials,
     .flags = TARN_LOOK,
     .offset = offsetof(tarn_body_def, material)},
};
const tarn_kind body_kind = {.room = "body", .name = "body", .help = "what every body has", PARAMS(params)};

static const tarn_param part_params[] = {
    PARAM_NUMBER(tarn_part, density, "density", 0, 0, 1e5, "kg/m^3", "0: as of the body"),
    PARAM_VEC3(tarn_part, position, "position", 0, 0, 0, -100, 100, "m",
               "of the part's centre of mass, to the other parts"),
    PARAM_QUAT(tarn_part, rotation, "rotation", "as w, x, y, z"),
};
const tarn_kind part_kind = {
    .room = "part", .name = "part", .help = "what every part of a compound body has", PARAMS(part_params)};

// ---- what is lent ---------------------------------------------------------------------------------

void triangles_free(tarn_triangles *t, const struct memory *m)
{
    memory_free(m, (void *)t->vertices, (size_t)t->vertex_count * 3, sizeof(double));
    memory_free(m, (void *)t->triangles, (size_t)t->triangle_count * 3, sizeof(int));
    *t = (tarn_triangles){0};
}

static bool triangles_copy(tarn_triangles *out, const tarn_triangles *in, const struct memory *m)
{
    *out = (tarn_triangles){0};
    if (in->triangle_count <= 0 || in->vertex_count <= 0) return true;
    double *vertices = memory_alloc(m, (size_t)in->vertex_count * 3, sizeof(double));
    int *triangles = memory_alloc(m, (size_t)in->triangle_count * 3, sizeof(int));
    *out = (tarn_triangles){in->vertex_count, in->triangle_count, vertices, triangles};
    if (!vertices || !triangles) return false;
    memcpy(vertices, in->vertices, (size_t)in->vertex_count * 3 * sizeof(double));
    memcpy(triangles, in->triangles, (size_t)in->triangle_count * 3 * sizeof(int));
    return true;
}

static void parts_free(tarn_part *parts, int count, const struct memory *m)
{
    for (int i = 0; parts && i < count; ++i) triangles_free(&parts[i].mesh, m);
    memory_free(m, parts, (size_t)count, sizeof *parts);
}

// Own copies of what the def only lends. On failure `c` holds what there is.
static bool own(struct body_cold *c, const tarn_body_def *def, const struct memory *m)
{
    c->def = *def;
    c->def.parts = NULL, c->def.part_count = 0;
    if (!triangles_copy(&c->def.mesh, &def->mesh, m)) return false;
    if (def->part_count <= 0) return true;
    tarn_part *parts = memory_alloc(m, (size_t)def->part_count, sizeof *parts);
    if (!parts) return false;
    c->def.parts = parts, c->def.part_count = def->part_count;
    for (int i = 0; i < def->part_count; ++i) {
        parts[i] = def->parts[i];
        parts[i].mesh = (tarn_triangles){0};
    }
    for (int i = 0; i < def->part_count; ++i)
        if (!triangles_copy(&parts[i].mesh, &def->parts[i].mesh, m)) return false;
    return true;
}

// ---- forms ----------------------------------------------------------------------------------------

static void mesh_free(tarn_mesh *mesh, const struct memory *m)
{
    memory_free(m, (void *)mesh->vertices, (size_t)mesh->vertex_count * 3, sizeof(float));
    memory_free(m, (void *)mesh->triangles, (size_t)mesh->triangle_count * 3, sizeof(int));
}

static void figure_drop(struct figure *f, const struct memory *m)
{
    if (!f || --f->users > 0) return;
    mesh_free(&f->mesh, m);
    mesh_free(&f->hold, m);
    form_free(&f->form, m);
    memory_free(m, f, 1, sizeof *f);
}

static bool mesh_make(tarn_mesh *mesh, const struct hull *h, const struct memory *m)
{
    float *vertices = memory_alloc(m, (size_t)h->vertex_count * 3, sizeof(float));
    int *triangles = memory_alloc(m, (size_t)h->triangle_count * 3, sizeof(int));
    *mesh = (tarn_mesh){h->vertex_count, h->triangle_count, vertices, triangles};
    if (!vertices || !triangles) return false;
    for (int i = 0; i < h->vertex_count; ++i) {
        vertices[3 * i] = (float)h->vertices[i].x;
        vertices[3 * i + 1] = (float)h->vertices[i].y;
        vertices[3 * i + 2] = (float)h->vertices[i].z;
    }
    memcpy(triangles, h->triangles, (size_t)h->triangle_count * sizeof *h->triangles);
    return true;
}

static tarn_result figure_create(const tarn_body_def *def, const struct memory *m, struct figure **out,
                                 tarn_error *err)
{
    struct figure *f = *out = memory_alloc(m, 1, sizeof *f);
    if (!f) return fail(err, TARN_NO_MEMORY, "", "no memory for a shape");
    f->users = 1;
    const struct shape_input in = {def->shape.data, def->density, &def->mesh, def->parts, def->part_count};
    tarn_result r = shape_kind_of(def->shape.kind)->make(&in, m, &f->form, err);
    if (r == TARN_OK && (!hull_tile(&f->form.hull, m) || !mesh_make(&f->mesh, form_skin(&f->form), m) ||
                         (form_is_open(&f->form) && !mesh_make(&f->hold, &f->form.hold, m))))
        r = fail(err, TARN_NO_MEMORY, "", "no memory for a mesh");
    if (r != TARN_OK) {
        figure_drop(f, m);
        *out = NULL;
        return r;
    }
    const bool flat = shape_kind_of(def->shape.kind)->flat;
    for (int i = 0; i < f->form.hull.vertex_count; ++i) {
        const vec3 v = f->form.hull.vertices[i];
        f->radius = fmax(f->radius, v3_length(flat ? v3(v.x, v.y, 0.0) : v));
    }
    static const mat3 same = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < f->form.piece_count; ++i) {
        struct piece *p = &f->form.pieces[i];
        if (!flat) f->radius = fmax(f->radius, v3_length(p->at) + p->radius);
        p->plain = v3_dot(p->at, p->at) == 0.0 && memcmp(&p->axes, &same, sizeof same) == 0;
    }
    return TARN_OK;
}

// Of triangles or parts: two of them are not compared.
static bool is_made_of(const tarn_body_def *def) { return def->mesh.triangle_count || def->part_count; }

// The figure of a body that is just the same, the youngest first: a thousand equal balls need one.
static struct figure *figure_like(const struct bodies *b, const tarn_body_def *def)
{
    if (is_made_of(def)) return NULL;
    for (int i = b->count - 1; i >= 0; --i) {
        const struct body_cold *c = b->slots[i].cold;
        if (c && !is_made_of(&c->def) && c->def.shape.kind == def->shape.kind &&
            c->def.density == def->density &&
            memcmp(c->def.shape.data, def->shape.data, sizeof def->shape.data) == 0)
            return c->figure;
    }
    return NULL;
}

// ---- bodies ---------------------------------------------------------------------------------------

static tarn_result check(const tarn_body_def *def, tarn_error *err)
{
    if (!shape_kind_of(def->shape.kind)) return fail(err, TARN_BAD_INPUT, "shape", "there is no such shape");
    const tarn_triangles *t = &def->mesh;
    if (def->part_count < 0 || def->part_count > TARN_PARTS || (def->part_count && !def->parts))
        return fail(err, TARN_BAD_INPUT, "parts", "%d parts are outside 0 .. %d", def->part_count,
                    TARN_PARTS);
    if (t->vertex_count < 0 || t->triangle_count < 0 ||
        (t->triangle_count && (!t->vertices || !t->triangles)))
        return fail(err, TARN_BAD_INPUT, "mesh", "the triangles of a mesh are missing");
    tarn_result r = tarn_kind_check(&body_kind, def, err);
    if (r == TARN_OK) r = tarn_kind_check(def->shape.kind, def->shape.data, err);
    for (int i = 0; i < def->part_count && r == TARN_OK; ++i)
        r = tarn_kind_check(&part_kind, &def->parts[i], err);
    return r;
}

void cold_free(struct body_cold *c, const struct memory *m)
{
    if (!c) return;
    figure_drop(c->figure, m);
    triangles_free(&c->def.mesh, m);
    parts_free((tarn_part *)c->def.parts, c->def.part_count, m);
    memory_free(m, c, 1, sizeof *c);
}

// Of a plane: it turns about z, and about nothing else.
#define LOCKED 1e12 // times its inertia

static tarn_result weigh(struct body_cold *c, bool flat, tarn_error *err)
{
    const bool given = c->def.mass > 0.0;
    const double mass = given ? c->def.mass : c->figure->form.mass, part = mass / c->figure->form.mass;
    if (!(LIGHT <= mass && mass <= HEAVY))
        return fail(err, TARN_BAD_INPUT, given ? "mass" : "density", "%.6g kg is outside %g .. %g", mass,
                    LIGHT, HEAVY);
    mat3 axes;
    c->inertia = v3_scale(inertia_principal(&c->figure->form.inertia, &axes), part);
    c->axes = quat_of_matrix(&axes);
    if (flat) {
        const double turning = part * c->figure->form.inertia.m[2][2];
        c->inertia = v3(LOCKED * turning, LOCKED * turning, turning);
        c->axes = (quat){1, 0, 0, 0};
    }
    c->def.mass = mass;
    return TARN_OK;
}

tarn_result cold_create(const struct bodies *b, const tarn_body_def *def, struct body_cold **out,
                        tarn_error *err)
{
    *out = NULL;
    tarn_result r = check(def, err);
    if (r != TARN_OK) return r;
    struct body_cold *c = memory_alloc(b->memory, 1, sizeof *c);
    if (!c || !own(c, def, b->memory)) {
        cold_free(c, b->memory);
        return fail(err, TARN_NO_MEMORY, "", "no memory for another body");
    }
    const struct shape_kind *shape = shape_kind_of(def->shape.kind);
    if (isnan(c->def.drag)) c->def.drag = shape->drag;
    if (isnan(c->def.facing)) c->def.facing = shape->facing;
    c->def.rotation = quat_unit(def->rotation);
    c->def.name[TARN_NAME_BYTES - 1] = 0;
    c->figure = figure_like(b, &c->def);
    if (c->figure)
        c->figure->users += 1;
    else
        r = figure_create(&c->def, b->memory, &c->figure, err);
    if (r == TARN_OK) r = weigh(c, b->flat, err);
    if (r == TARN_OK)
        *out = c;
    else
        cold_free(c, b->memory);
    return r;
}
