// Bodies that the user adds: the shapes of the panel (presets, then the kinds of shapes that have none), and the
// bottle that is thrown from the camera. Called by mouse.c, keys.c and panel.c.
#include "../viewer.h"

#include <math.h>
#include <string.h>

enum { BOTTLE_POINTS = 5 };
static const tarn_vec2 bottle[BOTTLE_POINTS] = {
    {0.12, 0}, {0.14, 0.04}, {0.14, 0.45}, {0.05, 0.62}, {0.05, 0.85}};

// Dimensions for a length of 1 m; they are scaled with the chosen size. The profile of a lathe is the bottle.
static const struct {
    const char *name;
    tarn_shape_def shape;
    tarn_shape_type planar_type; // with the same dimensions in the planar model
    bool is_planar;              // available there
    double colour[3];
} shapes[] = {
    {"ball", {.type = TARN_SHAPE_SPHERE, .sphere = {0.5}}, TARN_SHAPE_CIRCLE, true, {0.85, 0.30, 0.22}},
    {"box", {.type = TARN_SHAPE_BOX, .box = {{0.8, 0.6, 0.6}, 0}}, TARN_SHAPE_BOX, true, {0.70, 0.50, 0.28}},
    {"plank",
     {.type = TARN_SHAPE_BOX, .box = {{1.0, 0.08, 0.25}, 0}},
     TARN_SHAPE_BOX,
     true,
     {0.78, 0.60, 0.36}},
    {"barrel", {.type = TARN_SHAPE_CYLINDER, .cylinder = {0.35, 1.0, 0}}, 0, false, {0.25, 0.45, 0.55}},
    {"capsule", {.type = TARN_SHAPE_CAPSULE, .capsule = {0.2, 0.6}}, 0, false, {0.90, 0.75, 0.30}},
    {"cone", {.type = TARN_SHAPE_CONE, .cone = {0.4, 0.9}}, 0, false, {0.55, 0.35, 0.65}},
    {"ring", {.type = TARN_SHAPE_TORUS, .torus = {0.37, 0.13}}, 0, false, {0.90, 0.40, 0.55}},
    {"bottle", {.type = TARN_SHAPE_LATHE}, 0, false, {0.20, 0.52, 0.30}},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], BOTTLE = SHAPES - 1 };

// ---- kinds of shapes without a preset ---------------------------------------------------------------

static bool has_preset(int type)
{
    for (int k = 0; k < SHAPES; ++k)
        if (type == (int)shapes[k].shape.type || (shapes[k].is_planar && type == (int)shapes[k].planar_type))
            return true;
    return false;
}

// Whether the parameters of a kind define a shape: without a table, a file or parts.
static bool is_complete(const tarn_kind *kind)
{
    for (int k = 0; k < kind->param_count; ++k)
        if (kind->params[k].type == TARN_PARAM_TABLE || kind->params[k].type == TARN_PARAM_FILE) return false;
    return kind->param_count > 0;
}

// The type of the kind at an index past the presets, -1 past the last.
static int type_without_preset(int index)
{
    const tarn_kind *kind;
    for (int type = 0; (kind = tarn_kind_at("shape", type)) != NULL; ++type)
        if (!has_preset(type) && is_complete(kind) && index-- == SHAPES) return type;
    return -1;
}

// The largest default length [m] of a kind.
static double largest_length(const tarn_kind *kind)
{
    double largest = 0.0;
    for (int k = 0; k < kind->param_count; ++k)
        for (int i = 0; i < 4 && strcmp(kind->params[k].unit, "m") == 0; ++i)
            largest = fmax(largest, kind->params[k].initial[i]);
    return largest;
}

// A kind's defaults, scaled so that the largest length is `size`.
static bool scale_defaults(int type, double size, tarn_shape_def *out)
{
    tarn_spec spec;
    const tarn_kind *kind = tarn_kind_at("shape", type);
    const double scale = size / largest_length(kind);
    if (tarn_spec_init(&spec, "shape", kind->name, NULL) != TARN_OK) return false;
    for (int k = 0; k < kind->param_count; ++k) {
        tarn_value x;
        if (strcmp(kind->params[k].unit, "m") != 0) continue;
        if (tarn_spec_get(&spec, kind->params[k].name, &x) != TARN_OK) return false;
        for (int i = 0; i < 4; ++i) x.number[i] *= scale;
        if (tarn_spec_set(&spec, kind->params[k].name, x, NULL) != TARN_OK) return false;
    }
    return tarn_shape_def_from_spec(&spec, out) == TARN_OK;
}

// ---- the list of the panel --------------------------------------------------------------------------

const char *spawn_shape_name(int index)
{
    if (index < SHAPES) return shapes[index].name;
    const int type = type_without_preset(index);
    return type < 0 ? NULL : tarn_kind_at("shape", type)->name;
}

bool spawn_shape_is_available(int k, bool planar) { return !planar || (k < SHAPES && shapes[k].is_planar); }

// The dimensions of a preset times `size`.
static void scale_preset(int k, bool planar, double size, tarn_vec2 profile[BOTTLE_POINTS],
                         tarn_shape_def *out)
{
    *out = shapes[k].shape;
    if (out->type == TARN_SHAPE_LATHE) {
        for (int i = 0; i < BOTTLE_POINTS; ++i)
            profile[i] = (tarn_vec2){size * bottle[i].x, size * bottle[i].y};
        out->lathe = (tarn_lathe){.profile = profile, .profile_count = BOTTLE_POINTS};
    } else { // the others consist of lengths
        for (size_t i = 0; i < sizeof out->space / sizeof out->space[0]; ++i) out->space[i] *= size;
    }
    if (planar) out->type = shapes[k].planar_type;
}

bool spawn_make_command(int k, bool planar, double size, double density, tarn_command *c)
{
    static const double grey[3] = {0.6, 0.6, 0.6};
    const double *colour = k < SHAPES ? shapes[k].colour : grey;
    const char *name = spawn_shape_name(k);
    tarn_shape_def def;
    tarn_vec2 profile[BOTTLE_POINTS];
    tarn_shape *shape = NULL;
    if (!name) return false;
    *c = (tarn_command){.kind = TARN_COMMAND_SPAWN, .density = density};
    c->colour = (tarn_vec3){colour[0], colour[1], colour[2]};
    snprintf(c->path, sizeof c->path, "%s", name);
    if (k < SHAPES)
        scale_preset(k, planar, size, profile, &def);
    else if (!scale_defaults(type_without_preset(k), size, &def))
        return false;
    if (tarn_shape_create(&def, NULL, &shape, NULL) != TARN_OK) return false;
    c->shape = shape;
    return true;
}

// The queue has its own reference to the shape.
static void queue_and_release(struct viewer *v, const tarn_command *c)
{
    sim_queue_command(v->sim, c);
    tarn_shape_release(c->shape);
}

bool spawn_shape_at(struct viewer *v, tarn_vec3 position)
{
    tarn_command c;
    if (!spawn_shape_is_available(v->spawn_shape, v->planar) ||
        !spawn_make_command(v->spawn_shape, v->planar, v->spawn_size, v->spawn_density, &c))
        return false;
    c.position = position;
    queue_and_release(v, &c);
    return true;
}

// Move a start point outside of the walls forward along the throw until it is 0.6 m inside them, then clamp
// it.
static tarn_vec3 move_into_domain(const struct viewer *v, tarn_vec3 p, tarn_vec3 direction)
{
    const double max_x = 0.5 * v->status.world.size[0] - 0.6, max_z = 0.5 * v->status.world.size[1] - 0.6;
    double distance = 0.0;
    if (fabs(p.x) > max_x && fabs(direction.x) > 1e-6)
        distance = fmax(distance, (fabs(p.x) - max_x) / fabs(direction.x));
    if (fabs(p.z) > max_z && fabs(direction.z) > 1e-6)
        distance = fmax(distance, (fabs(p.z) - max_z) / fabs(direction.z));
    p = (tarn_vec3){p.x + distance * direction.x, p.y + distance * direction.y, p.z + distance * direction.z};
    return (tarn_vec3){fmin(fmax(p.x, -max_x), max_x), p.y, fmin(fmax(p.z, -max_z), max_z)};
}

// Throw a bottle from the camera in the direction of view, slightly upwards.
void spawn_thrown_bottle(struct viewer *v)
{
    tarn_command c;
    const double size = fmin(0.85, 0.12 * v->camera.extent);
    if (!v->status.has_world || !spawn_make_command(BOTTLE, false, size, 300.0, &c)) return;
    const tarn_vec3 a = v->camera.position, b = v->camera.target;
    const double n = sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z));
    const tarn_vec3 d = {(b.x - a.x) / n, (b.y - a.y) / n, (b.z - a.z) / n};
    c.position = move_into_domain(v, (tarn_vec3){a.x + 0.5 * d.x, a.y + 0.5 * d.y, a.z + 0.5 * d.z}, d);
    c.position.y = fmax(c.position.y, 0.3);
    c.velocity = (tarn_vec3){10.0 * d.x, 10.0 * d.y + 1.0, 10.0 * d.z};
    c.angular_velocity = (tarn_vec3){4.0 * d.z, 1.0, -4.0 * d.x};
    queue_and_release(v, &c);
}
