// Bodies that the user adds: a table of shapes for the panel, and the bottle that is thrown from the camera.
// Called by mouse.c, keys.c and panel.c.
#include "../viewer.h"

#include <math.h>
#include <string.h>

static const double bottle[][2] = {{0.12, 0}, {0.14, 0.04}, {0.14, 0.45}, {0.05, 0.62}, {0.05, 0.85}};

// Dimensions for a length of 1 m; they are scaled with the chosen size.
static const struct {
    const char *name, *shape, *planar_shape; // planar_shape NULL: not available in the planar model
    const char *params[2];
    double values[2];
    int is_lathe;  // 1: a solid of revolution with the profile of the bottle
    double box[3]; // edge lengths of a box
    double colour[3];
} shapes[] = {
    {"ball", "sphere", "circle", {"radius"}, {0.5}, 0, {0}, {0.85, 0.30, 0.22}},
    {"box", "box", "box", {0}, {0}, 0, {0.8, 0.6, 0.6}, {0.70, 0.50, 0.28}},
    {"plank", "box", "box", {0}, {0}, 0, {1.0, 0.08, 0.25}, {0.78, 0.60, 0.36}},
    {"barrel", "cylinder", NULL, {"radius", "height"}, {0.35, 1.0}, 0, {0}, {0.25, 0.45, 0.55}},
    {"capsule", "capsule", NULL, {"radius", "length"}, {0.2, 0.6}, 0, {0}, {0.90, 0.75, 0.30}},
    {"cone", "cone", NULL, {"radius", "height"}, {0.4, 0.9}, 0, {0}, {0.55, 0.35, 0.65}},
    {"ring", "torus", NULL, {"radius", "tube"}, {0.37, 0.13}, 0, {0}, {0.90, 0.40, 0.55}},
    {"bottle", "lathe", NULL, {0}, {0}, 1, {0}, {0.20, 0.52, 0.30}},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], BOTTLE = SHAPES - 1 };

int spawn_shape_count(void) { return SHAPES; }
const char *spawn_shape_name(int index) { return shapes[index].name; }

bool spawn_shape_is_available(int k, bool planar) { return !planar || shapes[k].planar_shape; }

bool spawn_make_command(int k, bool planar, double size, double density, tarn_command *c)
{
    double profile[5][2];
    *c = (tarn_command){.kind = TARN_SPAWN, .density = density};
    c->colour = (tarn_vec3){shapes[k].colour[0], shapes[k].colour[1], shapes[k].colour[2]};
    snprintf(c->path, sizeof c->path, "%s", shapes[k].name);
    if (tarn_spec_init(&c->spec, "shape", planar ? shapes[k].planar_shape : shapes[k].shape, NULL) != TARN_OK)
        return false;
    tarn_result r = TARN_OK;
    for (int p = 0; p < 2 && shapes[k].params[p] && r == TARN_OK; ++p)
        r = tarn_spec_set(&c->spec, shapes[k].params[p], tarn_number(size * shapes[k].values[p]), NULL);
    const double *box = shapes[k].box;
    if (box[0] > 0.0)
        r = tarn_spec_set(&c->spec, "size", tarn_triple(size * box[0], size * box[1], size * box[2]), NULL);
    for (int i = 0; i < 5; ++i) profile[i][0] = size * bottle[i][0], profile[i][1] = size * bottle[i][1];
    if (shapes[k].is_lathe) r = tarn_spec_set(&c->spec, "profile", tarn_table(profile[0], 5), NULL);
    return r == TARN_OK;
}

bool spawn_shape_at(struct viewer *v, tarn_vec3 position)
{
    tarn_command c;
    if (!spawn_shape_is_available(v->spawn_shape, v->planar) ||
        !spawn_make_command(v->spawn_shape, v->planar, v->spawn_size, v->spawn_density, &c))
        return false;
    c.at = position;
    sim_queue_command(v->sim, &c);
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
    c.at = move_into_domain(v, (tarn_vec3){a.x + 0.5 * d.x, a.y + 0.5 * d.y, a.z + 0.5 * d.z}, d);
    c.at.y = fmax(c.at.y, 0.3);
    c.way = (tarn_vec3){10.0 * d.x, 10.0 * d.y + 1.0, 10.0 * d.z};
    c.spin = (tarn_vec3){4.0 * d.z, 1.0, -4.0 * d.x};
    sim_queue_command(v->sim, &c);
}
