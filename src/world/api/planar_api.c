// Public functions for the planar model: values at a point, initial fields; bodies in a plane.
#include "base/error.h"
#include "base/parallel/fpmode.h"
#include "world/world.h"

// ---- bodies -----------------------------------------------------------------------------------------------

// The outline of a box in the plane z = 0. Bodies of equal boxes share it.
static tarn_result make_polygon_of_box(const tarn_world *w, const tarn_box *box, const tarn_shape **out,
                                       tarn_error *err)
{
    if (box->wall_thickness > 0.0)
        return fail(err, TARN_BAD_INPUT, "wall_thickness", "model 'flow': boxes cannot have wall_thickness");
    const double x = 0.5 * box->size.x, y = 0.5 * box->size.y;
    const tarn_vec2 corners[4] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    const tarn_shape_def def = {.type = TARN_SHAPE_POLYGON, .polygon = {corners, 4}};
    tarn_shape *made = NULL;
    *out = bodies_find_shape(&w->bodies, shape_content(shape_kind_at(TARN_SHAPE_POLYGON), &def));
    tarn_shape_retain(*out);
    if (*out) return TARN_OK;
    const tarn_result r = tarn_shape_create(&def, &w->memory.allocator, &made, err);
    *out = made;
    return r;
}

tarn_result planar_body_def(const tarn_world *w, const tarn_body_def *def, tarn_body_def *out,
                            tarn_error *err)
{
    const struct body_domain in = world_body_domain(w);
    const vec3 p = def->position;
    const quat q = def->rotation;
    *out = *def;
    out->shape = NULL;
    const bool box = def->shape->def.type == TARN_SHAPE_BOX;
    if (!box && !def->shape->kind->planar)
        return fail(err, TARN_BAD_INPUT, "shape",
                    "shape '%s' is not available in the model 'flow'; use circle, box or polygon",
                    def->shape->kind->kind.name);
    if (w->fluid.periodic_z)
        return fail(err, TARN_BAD_INPUT, "shape", "bodies are not available if south and north are periodic");
    if (p.z != 0.0 || def->velocity.z != 0.0 || def->angular_velocity.x != 0.0 ||
        def->angular_velocity.y != 0.0 || q.x != 0.0 || q.y != 0.0)
        return fail(err, TARN_BAD_INPUT, "position",
                    "bodies of the model 'flow' move along x and y and turn about z");
    if (!(in.x_min < p.x && p.x < in.x_max && 0.0 < p.y && p.y < in.ceiling))
        return fail(err, TARN_BAD_INPUT, "position", "(%.6g, %.6g) m is outside the fluid of %.6g x %.6g m",
                    p.x, p.y, w->fluid.grid.nx * w->fluid.grid.dx, w->fluid.grid.nz * w->fluid.grid.dx);
    if (box) return make_polygon_of_box(w, &def->shape->def.box, &out->shape, err);
    out->shape = def->shape;
    tarn_shape_retain(out->shape);
    return TARN_OK;
}

// The two cells around a coordinate; returns the weight of the second.
static double bilinear_cells(double at, double s, int n, bool wrap, int cell[2])
{
    double place = at / s - 0.5;
    place = wrap ? place - n * floor(place / n) : clamp(place, 0.0, n - 1.0);
    const double below = floor(place);
    for (int k = 0; k < 2; ++k) cell[k] = wrap ? ((int)below + k + n) % n : imin((int)below + k, n - 1);
    return place - below;
}

tarn_result tarn_flow_get_sample(const tarn_world *w, double x, double y, tarn_flow_sample *out)
{
    if (!w || !out || !w->fluid.model->planar) return TARN_BAD_ARGUMENT;
    const struct fluid *f = &w->fluid;
    *out = (tarn_flow_sample){0};
    if (!fluid_contains(f, x, y)) return TARN_OK;
    int i[2], j[2];
    const double a = bilinear_cells(x, f->grid.dx, f->grid.nx, f->periodic_x, i),
                 b = bilinear_cells(y, f->grid.dx, f->grid.nz, f->periodic_z, j);
    for (int k = 0; k < 4; ++k) {
        const struct fluid_cell c = f->model->planar->read_cell(f, i[k & 1], j[k >> 1]);
        const double weight = (k & 1 ? a : 1.0 - a) * (k >> 1 ? b : 1.0 - b);
        out->u += weight * (double)c.u, out->v += weight * (double)c.v;
        out->dye += weight * (double)c.dye, out->temperature += weight * (double)c.temperature;
        out->pressure += weight * (double)c.pressure, out->vorticity += weight * (double)c.vorticity;
        out->open += weight * (double)c.volume_fraction;
    }
    return TARN_OK;
}

double tarn_flow_get_divergence(const tarn_world *w)
{
    return w && w->fluid.model->planar ? w->fluid.model->planar->max_divergence(&w->fluid) : 0.0;
}

tarn_result tarn_flow_set_fields(tarn_world *w, tarn_flow_fn field, void *ctx, tarn_error *err)
{
    if (!w || !field) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    struct fluid *f = &w->fluid;
    if (!f->model->planar)
        return fail(err, TARN_BAD_ARGUMENT, "", "not available in the model '%s'", f->model->kind.name);
    const struct fpmode host = fpmode_enter();
    world_apply_body_edits(w);
    if (!f->out_of_memory) f->model->planar->set_fields(f, field, ctx);
    world_end_edit(w);
    fpmode_leave(host);
    return f->out_of_memory ? fail(err, TARN_NO_MEMORY, "", "no memory for bodies") : TARN_OK;
}
