// The fluid of the model `flow`: what the public calls say, handed on.
#include "base/error.h"
#include "base/fpmode.h"
#include "fluid/obstacle.h"
#include "world.h"

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
    if (!f->kind->flat)
        return fail(err, TARN_BAD_INPUT, "kind",
                    "obstacles are for the model 'flow'; in '%s' there are bodies", f->kind->kind.name);
    const struct fpmode host = fpmode_enter();
    tarn_result r = obstacle_add(f, def, err);
    if (r == TARN_OK && !f->kind->build(f))
        r = fail(err, TARN_NO_MEMORY, "", "no memory for another obstacle");
    fpmode_leave(host);
    return r;
}

tarn_result tarn_obstacle_load_of(const tarn_world *w, int index, tarn_obstacle_load *out)
{
    if (!w || !out || index < 0 || index >= w->fluid.obstacle_count) return TARN_BAD_ARGUMENT;
    w->fluid.kind->load_of(&w->fluid, index, out);
    return TARN_OK;
}

// The two cells around a coordinate, and how far it is from the first to the second.
static double split(double at, double s, int n, bool wrap, int cell[2])
{
    double place = at / s - 0.5;
    place = wrap ? place - n * floor(place / n) : clamp(place, 0.0, n - 1.0);
    const double below = floor(place);
    for (int k = 0; k < 2; ++k) cell[k] = wrap ? ((int)below + k + n) % n : imin((int)below + k, n - 1);
    return place - below;
}

tarn_result tarn_flow_at(const tarn_world *w, double x, double y, tarn_flow *out)
{
    if (!w || !out || !w->fluid.kind->flat) return TARN_BAD_ARGUMENT;
    const struct fluid *f = &w->fluid;
    *out = (tarn_flow){0};
    if (!fluid_inside(f, x, y)) return TARN_OK;
    int i[2], j[2];
    const double a = split(x, f->g.s, f->g.nx, f->wrap_x, i), b = split(y, f->g.s, f->g.nz, f->wrap_z, j);
    for (int k = 0; k < 4; ++k) {
        const struct fluid_cell c = f->kind->cell(f, i[k & 1], j[k >> 1]);
        const double weight = (k & 1 ? a : 1.0 - a) * (k >> 1 ? b : 1.0 - b);
        out->u += weight * (double)c.u, out->v += weight * (double)c.v;
        out->dye += weight * (double)c.dye, out->heat += weight * (double)c.heat;
        out->pressure += weight * (double)c.pressure, out->vorticity += weight * (double)c.vorticity;
        out->open += weight * (double)c.open;
    }
    return TARN_OK;
}

double tarn_flow_divergence(const tarn_world *w)
{
    return w && w->fluid.kind->flat ? w->fluid.kind->divergence(&w->fluid) : 0.0;
}

tarn_result tarn_flow_fill(tarn_world *w, tarn_flow_field field, void *ctx, tarn_error *err)
{
    if (!w || !field) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    struct fluid *f = &w->fluid;
    if (!f->kind->flat)
        return fail(err, TARN_BAD_ARGUMENT, "", "the model '%s' cannot do this", f->kind->kind.name);
    const struct fpmode host = fpmode_enter();
    f->kind->fill(f, field, ctx);
    fpmode_leave(host);
    return TARN_OK;
}
