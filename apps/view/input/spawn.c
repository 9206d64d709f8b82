// Shapes to put into the water.
#include "../viewer.h"

#include <math.h>
#include <string.h>

static const double bottle[][2] = {{0.12, 0}, {0.14, 0.04}, {0.14, 0.45}, {0.05, 0.62}, {0.05, 0.85}};

// Numbers are for a size of 1 m from end to end.
static const struct {
    const char *name, *shape, *flat; // flat: the shape in a plane, NULL: it has none
    const char *params[2];
    double values[2];
    int table;     // 1: the bottle
    double box[3]; // of a box
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

bool spawn_shape_is_available(int k, bool flat) { return !flat || shapes[k].flat; }

bool spawn_make_command(int k, bool flat, double size, double density, tarn_command *c)
{
    double rows[5][2];
    *c = (tarn_command){.kind = TARN_SPAWN, .density = density};
    c->colour = (tarn_vec3){shapes[k].colour[0], shapes[k].colour[1], shapes[k].colour[2]};
    snprintf(c->path, sizeof c->path, "%s", shapes[k].name);
    if (tarn_spec_init(&c->spec, "shape", flat ? shapes[k].flat : shapes[k].shape, NULL) != TARN_OK)
        return false;
    tarn_result r = TARN_OK;
    for (int p = 0; p < 2 && shapes[k].params[p] && r == TARN_OK; ++p)
        r = tarn_spec_set(&c->spec, shapes[k].params[p], tarn_number(size * shapes[k].values[p]), NULL);
    const double *box = shapes[k].box;
    if (box[0] > 0.0)
        r = tarn_spec_set(&c->spec, "size", tarn_triple(size * box[0], size * box[1], size * box[2]), NULL);
    for (int i = 0; i < 5; ++i) rows[i][0] = size * bottle[i][0], rows[i][1] = size * bottle[i][1];
    if (shapes[k].table) r = tarn_spec_set(&c->spec, "profile", tarn_table(rows[0], 5), NULL);
    return r == TARN_OK;
}

bool spawn_shape_at(struct viewer *v, tarn_vec3 at)
{
    tarn_command c;
    if (!spawn_shape_is_available(v->spawn_shape, v->planar) ||
        !spawn_make_command(v->spawn_shape, v->planar, v->spawn_size, v->spawn_density, &c))
        return false;
    c.at = at;
    sim_queue_command(v->sim, &c);
    return true;
}

// From a hand beside the eye, ahead and a little up.
void spawn_thrown_bottle(struct viewer *v)
{
    tarn_command c;
    if (!v->status.has_world ||
        !spawn_make_command(BOTTLE, false, fmin(0.85, 0.12 * v->camera.extent), 300.0, &c))
        return;
    const tarn_vec3 a = v->camera.position, b = v->camera.target;
    const double n = sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z));
    const tarn_vec3 way = {(b.x - a.x) / n, (b.y - a.y) / n, (b.z - a.z) / n};
    // A tank has walls that nothing passes: from outside it comes in at the nearest place inside.
    const double wide = 0.5 * v->status.world.size[0] - 0.6, deep = 0.5 * v->status.world.size[1] - 0.6;
    c.at = (tarn_vec3){a.x + 0.5 * way.x, a.y + 0.5 * way.y, a.z + 0.5 * way.z};
    double back = 0.0;
    if (fabs(c.at.x) > wide && fabs(way.x) > 1e-6) back = fmax(back, (fabs(c.at.x) - wide) / fabs(way.x));
    if (fabs(c.at.z) > deep && fabs(way.z) > 1e-6) back = fmax(back, (fabs(c.at.z) - deep) / fabs(way.z));
    c.at = (tarn_vec3){c.at.x + back * way.x, c.at.y + back * way.y, c.at.z + back * way.z};
    c.at.x = fmin(fmax(c.at.x, -wide), wide), c.at.z = fmin(fmax(c.at.z, -deep), deep);
    c.at.y = fmax(c.at.y, 0.3);
    c.way = (tarn_vec3){10.0 * way.x, 10.0 * way.y + 1.0, 10.0 * way.z};
    c.spin = (tarn_vec3){4.0 * way.z, 1.0, -4.0 * way.x};
    sim_queue_command(v->sim, &c);
}
