// Parameters of bodies and parts; creation of body records and of the geometry that equal bodies share.
#include "base/error.h"
#include "body/body.h"

#include <string.h>

#define MAX_COORDINATE 1e6  // [m] positions
#define MAX_SPEED      1e4  // [m/s], [rad/s]
#define MAX_MASS       1e12 // [kg]
#define MIN_MASS       1e-9 // [kg]

// In the order of tarn_material.
static const char *const materials[] = {"paint", "wood", "glass", "metal", "rubber", NULL};

static const tarn_param params[] = {
    PARAM_TEXT(tarn_body_def, name, "name", "name in results"),
    PARAM_NUMBER(tarn_body_def, density, "density", 500, 0.1, 1e5, "kg/m^3", "density, used if mass is 0"),
    PARAM_NUMBER(tarn_body_def, mass, "mass", 0, 0, MAX_MASS, "kg", "mass; 0: volume times density"),
    PARAM_VEC3(tarn_body_def, position, "position", 0, 2, 0, -MAX_COORDINATE, MAX_COORDINATE, "m",
               "position of the centre of mass"),
    PARAM_QUAT(tarn_body_def, rotation, "rotation", "orientation as a quaternion w, x, y, z"),
    PARAM_VEC3(tarn_body_def, velocity, "velocity", 0, 0, 0, -MAX_SPEED, MAX_SPEED, "m/s",
               "initial velocity"),
    PARAM_VEC3(tarn_body_def, spin, "spin", 0, 0, 0, -MAX_SPEED, MAX_SPEED, "rad/s",
               "initial angular velocity, world axes"),
    PARAM_NUMBER(tarn_body_def, restitution, "restitution", 0.3, 0, 1, "",
                 "coefficient of restitution: rebound speed over impact speed"),
    PARAM_NUMBER(tarn_body_def, friction, "friction", 0.5, 0, 10, "", "Coulomb friction coefficient"),
    PARAM_OPTIONAL(tarn_body_def, drag, "drag", 0, 100, "",
                   "drag coefficient C_D of the wetted area; not given: default of the shape"),
    PARAM_OPTIONAL(tarn_body_def, facing, "facing", 0, 1, "",
                   "fraction of the drag that depends on the angle between a face and the flow; not given: "
                   "default of the shape"),
    PARAM_NUMBER(tarn_body_def, lift, "lift", 0.007, 0, 10, "", "lift coefficient C_L of the wetted area"),
    PARAM_LIVE(tarn_body_def, thrust, "thruster.force", 0, -1e9, 1e9, "N",
               "propeller thrust along the body's x axis, while submerged"),
    PARAM_VEC3(tarn_body_def, thrust_at, "thruster.at", 0, 0, 0, -100, 100, "m",
               "position of the propeller in the body's axes, from the centre of mass"),
    PARAM_LIVE(tarn_body_def, rudder, "rudder.angle", 0, -90, 90, "degrees",
               "rudder angle about the body's y axis; positive values turn the bow towards +z"),
    PARAM_NUMBER(tarn_body_def, rudder_area, "rudder.area", 0, 0, 1e4, "m^2", "rudder area; 0: no rudder"),
    PARAM_VEC3(tarn_body_def, rudder_at, "rudder.at", 0, 0, 0, -100, 100, "m",
               "position of the rudder in the body's axes, from the centre of mass"),
    PARAM_FLAG(tarn_body_def, external, "external", 0, "kinematic: motion is set by the application"),
    PARAM_VEC3(tarn_body_def, colour, "colour", 0.85, 0.35, 0.2, 0, 1, "", "colour as red, green, blue"),
    {.name = "material",
     .type = TARN_CHOICE,
     .unit = "",
     .help = "surface appearance",
     .choices = materials,
     .flags = TARN_LOOK,
     .offset = offsetof(tarn_body_def, material)},
};
const tarn_kind body_kind = {
    .room = "body", .name = "body", .help = "parameters of all bodies", PARAMS(params)};

static const tarn_param part_params[] = {
    PARAM_NUMBER(tarn_part, density, "density", 0, 0, 1e5, "kg/m^3", "density; 0: density of the body"),
    PARAM_VEC3(tarn_part, position, "position", 0, 0, 0, -100, 100, "m",
               "position of the part's centre of mass in the coordinates of the compound"),
    PARAM_QUAT(tarn_part, rotation, "rotation", "orientation as a quaternion w, x, y, z"),
};
const tarn_kind part_kind = {.room = "part",
                             .name = "part",
                             .help = "parameters of all parts of a compound body",
                             PARAMS(part_params)};

// ---- arrays of a def ------------------------------------------------------------------------------

void owned_triangles_free(tarn_triangles *t, const struct memory *m)
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
    for (int i = 0; parts && i < count; ++i) owned_triangles_free(&parts[i].mesh, m);
    memory_free(m, parts, (size_t)count, sizeof *parts);
}

// Copies the def with the arrays that it borrows from the caller. On failure body_free() frees what was
// copied.
static bool copy_def_arrays(struct body *body, const tarn_body_def *def, const struct memory *m)
{
    body->def = *def;
    body->def.parts = NULL, body->def.part_count = 0;
    if (!triangles_copy(&body->def.mesh, &def->mesh, m)) return false;
    if (def->part_count <= 0) return true;
    tarn_part *parts = memory_alloc(m, (size_t)def->part_count, sizeof *parts);
    if (!parts) return false;
    body->def.parts = parts, body->def.part_count = def->part_count;
    for (int i = 0; i < def->part_count; ++i) {
        parts[i] = def->parts[i];
        parts[i].mesh = (tarn_triangles){0};
    }
    for (int i = 0; i < def->part_count; ++i)
        if (!triangles_copy(&parts[i].mesh, &def->parts[i].mesh, m)) return false;
    return true;
}

// ---- geometry -------------------------------------------------------------------------------------

static void render_mesh_free(tarn_mesh *mesh, const struct memory *m)
{
    memory_free(m, (void *)mesh->vertices, (size_t)mesh->vertex_count * 3, sizeof(float));
    memory_free(m, (void *)mesh->triangles, (size_t)mesh->triangle_count * 3, sizeof(int));
}

static void geometry_release(struct geometry *geometry, const struct memory *m)
{
    if (!geometry || --geometry->ref_count > 0) return;
    render_mesh_free(&geometry->render_mesh, m);
    render_mesh_free(&geometry->compartment_mesh, m);
    shape_data_free(&geometry->shape, m);
    memory_free(m, geometry, 1, sizeof *geometry);
}

static bool render_mesh_make(tarn_mesh *mesh, const struct trimesh *source, const struct memory *m)
{
    float *vertices = memory_alloc(m, (size_t)source->vertex_count * 3, sizeof(float));
    int *triangles = memory_alloc(m, (size_t)source->triangle_count * 3, sizeof(int));
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

static tarn_result geometry_create(const tarn_body_def *def, const struct memory *m, struct geometry **out,
                                   tarn_error *err)
{
    struct geometry *geometry = *out = memory_alloc(m, 1, sizeof *geometry);
    if (!geometry) return fail(err, TARN_NO_MEMORY, "", "no memory for a shape");
    geometry->ref_count = 1;
    const struct shape_input in = {def->shape.data, def->density, &def->mesh, def->parts, def->part_count};
    tarn_result r = shape_kind_of(def->shape.kind)->make(&in, m, &geometry->shape, err);
    if (r == TARN_OK &&
        (!trimesh_build_clusters(&geometry->shape.hull, m) ||
         !render_mesh_make(&geometry->render_mesh, shape_solid_surface(&geometry->shape), m) ||
         (shape_is_open(&geometry->shape) &&
          !render_mesh_make(&geometry->compartment_mesh, &geometry->shape.compartment, m))))
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

// Returns the geometry of a body with the same shape and density, searching from the last slot; NULL: none.
static struct geometry *find_equal_geometry(const struct bodies *b, const tarn_body_def *def)
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

// ---- bodies ---------------------------------------------------------------------------------------

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
    owned_triangles_free(&body->def.mesh, m);
    parts_free((tarn_part *)body->def.parts, body->def.part_count, m);
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

tarn_result body_create(const struct bodies *b, const tarn_body_def *def, struct body **out, tarn_error *err)
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
