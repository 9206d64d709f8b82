// Right values of the structs that public functions take, where their defaults functions or zeros are not.
// Included by api_calls.h.
#ifndef TESTS_RIGHT_VALUES_H
#define TESTS_RIGHT_VALUES_H

#include "calls.h"

static const double corners_of_solid[] = {0, 0, 0, 0.3, 0, 0, 0, 0.3, 0, 0, 0, 0.3}; // a tetrahedron
static const int faces_of_solid[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static const tarn_pose upright = {{0, 1, 0}, {1, 0, 0, 0}};

static int index_argument(struct caller *c)
{
    const int wrong[] = {0, -1, 1 << 30, INT_MAX, INT_MIN};
    const int k = c->choose(c, 5);
    if (k) c->wrong |= WRONG_ARGUMENT;
    return wrong[k];
}

static const double *pass_doubles(struct caller *c, int count, unsigned null)
{
    double *x = allocate(c, sizeof *x * (size_t)count);
    for (int i = 0; i < count; ++i) x[i] = 0.3;
    const int k = c->choose(c, 4); // points outside of the domain are no mistake
    if (k) c->wrong |= UNUSUAL;
    x[0] = (const double[]){x[0], NAN, INFINITY, 1e300}[k];
    return pointer(c, x, null);
}

// The parameters of a body.
static void *kind_data(struct caller *c)
{
    void *data = allocate(c, TARN_SPEC_BYTES);
    tarn_kind_init(tarn_kind_at("body", 0), data);
    return pointer(c, data, WRONG_ARGUMENT);
}

// Retains the shape of the caller and lets the reference go after the call.
static const tarn_shape *retain_once(struct caller *c)
{
    const tarn_shape *shape = pointer(c, c->shape, UNUSUAL);
    return owned(c, (void *)(uintptr_t)shape, release_shape);
}

static void right_tarn_value(struct caller *c, tarn_value *x)
{
    (void)c;
    *x = tarn_value_number(0.3);
}

static void right_tarn_spec(struct caller *c, tarn_spec *x)
{
    const char *category = "body";
    for (int i = 0; tarn_category_at(i); ++i) // that of tarn_shape_def_from_spec()
        if (strstr(c->function, tarn_category_at(i))) category = tarn_category_at(i);
    if (tarn_spec_init(x, category, tarn_kind_at(category, 0)->name, NULL) != TARN_OK) abort();
}

static void right_tarn_body_def(struct caller *c, tarn_body_def *x)
{
    *x = tarn_default_body_def();
    x->shape = c->shape;
    x->position = c->planar ? (tarn_vec3){1.5, 1.5, 0} : (tarn_vec3){0, 3, 0};
}

static const tarn_body_def *body_def_for_shapes(struct caller *c)
{
    tarn_body_def *def = allocate(c, sizeof *def);
    right_tarn_body_def(c, def);
    return pointer(c, def, WRONG_ARGUMENT);
}

static void right_tarn_body_state(struct caller *c, tarn_body_state *x)
{
    *x = (tarn_body_state){.position = c->planar ? (tarn_vec3){1.5, 1.5, 0} : (tarn_vec3){0, 3, 0},
                           .rotation = {1, 0, 0, 0}};
}

static void right_tarn_pose(struct caller *c, tarn_pose *x)
{
    *x = upright;
    if (c->planar) x->position = (tarn_vec3){1.5, 1.5, 0};
}

static void right_tarn_mass(struct caller *c, tarn_mass *x)
{
    (void)c;
    *x = (tarn_mass){.mass = 2.0, .inertia = {0.1, 0.1, 0.1}, .axes = {1, 0, 0, 0}};
}

static tarn_strided strided(struct caller *c, int components)
{
    double *data = allocate(c, sizeof *data * 64);
    for (int i = 0; i < 64; i += components) data[i] = 1.0;
    return (tarn_strided){data, (size_t)components * sizeof *data};
}

static void right_tarn_body_arrays(struct caller *c, tarn_body_arrays *x)
{
    *x = (tarn_body_arrays){strided(c, 3), strided(c, 4), strided(c, 3), strided(c, 3)};
    for (int i = 2; c->planar && i < 64; i += 3) // z stays 0
        x->position.data[i] = x->velocity.data[i] = 0.0;
    if (c->planar) memset(x->angular_velocity.data, 0, 64 * sizeof(double));
}

static void right_tarn_shape_def(struct caller *c, tarn_shape_def *x)
{
    static const tarn_vec2 profile[] = {{0.1, 0}, {0.2, 0.3}}, triangle[] = {{0, 0}, {0.3, 0}, {0, 0.3}};
    static const tarn_vec3 points[] = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.3}};
    *x = tarn_default_shape_def((tarn_shape_type)instance(c, TARN_SHAPE_POLYGON + 1));
    switch (x->type) {
    case TARN_SHAPE_LATHE: x->lathe.profile = profile, x->lathe.profile_count = 2; break;
    case TARN_SHAPE_CONVEX_HULL: x->convex_hull.points = points, x->convex_hull.point_count = 4; break;
    case TARN_SHAPE_POLYGON: x->polygon.points = triangle, x->polygon.point_count = 3; break;
    case TARN_SHAPE_MESH: x->mesh.mesh = (tarn_mesh){4, 4, corners_of_solid, faces_of_solid}; break;
    case TARN_SHAPE_COMPOUND: {
        tarn_compound_child *child = allocate(c, sizeof *child);
        *child = (tarn_compound_child){.shape = c->shape, .pose = upright};
        x->compound = (tarn_compound){child, 1};
        break;
    }
    default: break;
    }
}

// That of the world, so that its type is right.
static void right_tarn_world_settings(struct caller *c, tarn_world_settings *x)
{
    *x = tarn_world_get_settings(c->world);
}

static void right_tarn_fluid_def(struct caller *c, tarn_fluid_def *x)
{
    if (tarn_world_get_fluid_def(c->world, x) != TARN_OK) abort();
}

static void right_tarn_world_def(struct caller *c, tarn_world_def *x)
{
    tarn_fluid_def *fluid = allocate(c, sizeof *fluid);
    *fluid = tarn_default_fluid_def((tarn_fluid_type)instance(c, TARN_FLUID_OCEAN + 1));
    if (fluid->type != TARN_FLUID_DRY) fluid->wave.cells[0] = fluid->wave.cells[1] = CELLS; // of all models
    *x = tarn_default_world_def();
    x->fluid = fluid;
}

static void right_tarn_joint_def(struct caller *c, tarn_joint_def *x)
{
    *x = tarn_default_joint_def((tarn_joint_type)instance(c, TARN_JOINT_ROPE + 1));
    x->body_a.value = c->ids[ID_body][0];
}

static void right_tarn_obstacle_def(struct caller *c, tarn_obstacle_def *x)
{
    static const unsigned char cells[4] = {1, 0, 0, 1};
    static const tarn_vec2 triangle[] = {{0, 0}, {0.3, 0}, {0, 0.3}};
    *x = tarn_default_obstacle_def((tarn_obstacle_type)instance(c, TARN_OBSTACLE_BITMAP + 1));
    x->motion.position = (tarn_vec2){1.0, 1.0};
    if (x->type == TARN_OBSTACLE_POLYGON) x->polygon = (tarn_obstacle_polygon){triangle, 3};
    if (x->type == TARN_OBSTACLE_BITMAP) x->bitmap = (tarn_obstacle_bitmap){{1, 1}, cells, 2, 2};
}

static void right_tarn_command(struct caller *c, tarn_command *x)
{
    *x = (tarn_command){.kind = (tarn_command_kind)(1 + instance(c, TARN_COMMAND_RAISE_BED)),
                        .body = {c->ids[ID_body][0]},
                        .position = c->planar ? (tarn_vec3){1, 1, 0} : (tarn_vec3){0, 1, 0},
                        .radius = 0.5,
                        .amount = 0.1,
                        .density = 500,
                        .path = "bodies[0].friction",
                        .value = tarn_value_number(0.3),
                        .emitter =
                            tarn_default_emitter_def(c->planar ? TARN_EMITTER_SOURCE : TARN_EMITTER_RAIN),
                        .shape = c->shape};
    if (x->kind == TARN_COMMAND_SPAWN) x->position.y += 2.0, x->path[0] = 0;
}

static void right_tarn_cell_rect(struct caller *c, tarn_cell_rect *x)
{
    (void)c;
    *x = (tarn_cell_rect){1, 1, 1, 1};
}

static void right_tarn_array_layout(struct caller *c, tarn_array_layout *x)
{
    (void)c;
    *x = (tarn_array_layout){TARN_DOUBLE, 8, 8};
}

static void right_tarn_ray(struct caller *c, tarn_ray *x)
{
    (void)c;
    *x = (tarn_ray){.origin = {0.1, 5, 0.1}, .translation = {0, -10, 0}};
}

static void right_tarn_shape_cast(struct caller *c, tarn_shape_cast *x)
{
    *x = (tarn_shape_cast){.shape = c->shape, .pose = upright, .translation = {0, -1, 0}};
}

static void right_tarn_aabb(struct caller *c, tarn_aabb *x)
{
    (void)c;
    *x = (tarn_aabb){{-1, -1, -1}, {2, 2, 2}};
}

static void right_tarn_water_query(struct caller *c, tarn_water_query *x)
{
    double *in = allocate(c, 64 * sizeof *in), *out = allocate(c, 6 * sizeof *out);
    tarn_vec3 *vectors = allocate(c, 4 * sizeof *vectors);
    *x = (tarn_water_query){2,  1, in, in, in, out, out + 2, out + 4, vectors, vectors + 2, allocate(c, 2),
                            {0}};
}

#endif
