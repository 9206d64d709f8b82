// The fluid of the model `flow`: what the public calls say, handed on.
#include "base/error.h"
#include "base/fpmode.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "world.h"

#include <string.h>

tarn_obstacle_def tarn_obstacle_def_default(const char *kind)
{
    tarn_obstacle_def def = {0};
    tarn_kind_defaults(&placement_kind, &def);
    tarn_spec_init(&def.shape, "obstacle", kind, NULL);
    return def;
}

tarn_result tarn_obstacle_create(tarn_world *w, const tarn_obstacle_def *def, tarn_error *err)
{
    if (!w || !def) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    struct fluid *f = &w->fluid;
    if (!f->model->planar)
        return fail(err, TARN_BAD_INPUT, "kind",
                    "obstacles are for the model 'flow'; in '%s' there are bodies", f->model->kind.name);
    const struct fpmode host = fpmode_enter();
    world_apply_body_edits(w);
    tarn_result r = obstacle_add(f, def, err);
    if (r == TARN_OK && !f->model->planar->rebuild_cut_cells(f)) {
        obstacle_remove_last(f);
        f->model->planar->rebuild_cut_cells(f); // there was memory for this
        r = fail(err, TARN_NO_MEMORY, "", "no memory for another obstacle");
    }
    world_end_edit(w);
    fpmode_leave(host);
    return r;
}

tarn_result tarn_obstacle_load_of(const tarn_world *w, int index, tarn_obstacle_load *out)
{
    if (!w || !out || index < 0 || index >= w->fluid.obstacle_count) return TARN_BAD_ARGUMENT;
    w->fluid.model->planar->obstacle_load(&w->fluid, index, out);
    return TARN_OK;
}

// ---- bodies -----------------------------------------------------------------------------------------------

// A box seen from the front is a polygon.
static tarn_result box_to_polygon(tarn_spec *shape, tarn_error *err)
{
    tarn_value size, wall;
    tarn_spec_get(shape, "size", &size);
    tarn_spec_get(shape, "wall", &wall);
    if (wall.number[0] > 0.0) return fail(err, TARN_BAD_INPUT, "wall", "a box of a plane is solid");
    tarn_spec_init(shape, "shape", "polygon", NULL);
    const double x = 0.5 * size.number[0], y = 0.5 * size.number[1];
    const double corners[4][2] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    unsigned char *points = (unsigned char *)shape->data + tarn_param_find(shape->kind, "points")->offset;
    memcpy(points, &(int){4}, sizeof(int));
    memcpy(points + sizeof(double), corners, sizeof corners); // rows follow the count
    return TARN_OK;
}

tarn_result planar_body_def(const tarn_world *w, const tarn_body_def *def, tarn_body_def *out,
                            tarn_error *err)
{
    const struct body_domain in = world_body_domain(w);
    const vec3 p = def->position;
    const quat q = def->rotation;
    *out = *def;
    if (!shape_kind_of(def->shape.kind)) return fail(err, TARN_BAD_INPUT, "shape", "there is no such shape");
    const bool box = strcmp(def->shape.kind->name, "box") == 0;
    if (!box && !shape_kind_of(def->shape.kind)->planar)
        return fail(err, TARN_BAD_INPUT, "shape",
                    "the model 'flow' is flat: its bodies are circles, boxes and polygons, no '%s'",
                    def->shape.kind->name);
    if (w->fluid.periodic_z)
        return fail(err, TARN_BAD_INPUT, "shape", "there are no bodies where south and north are periodic");
    if (p.z != 0.0 || def->velocity.z != 0.0 || def->spin.x != 0.0 || def->spin.y != 0.0 || q.x != 0.0 ||
        q.y != 0.0)
        return fail(err, TARN_BAD_INPUT, "position",
                    "bodies of the model 'flow' move along x and y and turn about z");
    if (!(in.x_min < p.x && p.x < in.x_max && 0.0 < p.y && p.y < in.ceiling))
        return fail(err, TARN_BAD_INPUT, "position", "(%.6g, %.6g) m is outside the fluid of %.6g x %.6g m",
                    p.x, p.y, w->fluid.grid.nx * w->fluid.grid.dx, w->fluid.grid.nz * w->fluid.grid.dx);
    return box ? box_to_polygon(&out->shape, err) : TARN_OK;
}

// The two cells around a coordinate, and how far it is from the first to the second.
static double bilinear_cells(double at, double s, int n, bool wrap, int cell[2])
{
    double place = at / s - 0.5;
    place = wrap ? place - n * floor(place / n) : clamp(place, 0.0, n - 1.0);
    const double below = floor(place);
    for (int k = 0; k < 2; ++k) cell[k] = wrap ? ((int)below + k + n) % n : imin((int)below + k, n - 1);
    return place - below;
}

tarn_result tarn_flow_at(const tarn_world *w, double x, double y, tarn_flow *out)
{
    if (!w || !out || !w->fluid.model->planar) return TARN_BAD_ARGUMENT;
    const struct fluid *f = &w->fluid;
    *out = (tarn_flow){0};
    if (!fluid_contains(f, x, y)) return TARN_OK;
    int i[2], j[2];
    const double a = bilinear_cells(x, f->grid.dx, f->grid.nx, f->periodic_x, i),
                 b = bilinear_cells(y, f->grid.dx, f->grid.nz, f->periodic_z, j);
    for (int k = 0; k < 4; ++k) {
        const struct fluid_cell c = f->model->planar->read_cell(f, i[k & 1], j[k >> 1]);
        const double weight = (k & 1 ? a : 1.0 - a) * (k >> 1 ? b : 1.0 - b);
        out->u += weight * (double)c.u, out->v += weight * (double)c.v;
        out->dye += weight * (double)c.dye, out->heat += weight * (double)c.temperature;
        out->pressure += weight * (double)c.pressure, out->vorticity += weight * (double)c.vorticity;
        out->open += weight * (double)c.volume_fraction;
    }
    return TARN_OK;
}

double tarn_flow_divergence(const tarn_world *w)
{
    return w && w->fluid.model->planar ? w->fluid.model->planar->max_divergence(&w->fluid) : 0.0;
}

tarn_result tarn_flow_fill(tarn_world *w, tarn_flow_field field, void *ctx, tarn_error *err)
{
    if (!w || !field) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    struct fluid *f = &w->fluid;
    if (!f->model->planar)
        return fail(err, TARN_BAD_ARGUMENT, "", "the model '%s' cannot do this", f->model->kind.name);
    const struct fpmode host = fpmode_enter();
    world_apply_body_edits(w);
    if (!f->out_of_memory) f->model->planar->set_fields(f, field, ctx);
    world_end_edit(w);
    fpmode_leave(host);
    return f->out_of_memory ? fail(err, TARN_NO_MEMORY, "", "no memory for bodies") : TARN_OK;
}
