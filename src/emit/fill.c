// Fills a rectangle with water up to a level, once: a lake, or the upstream side of a dam.
#include "base/math/math.h"
#include "emitter.h"

static const tarn_param params[] = {
    PARAM_VEC2(tarn_fill, position, "position", 0, 0, -1e6, 1e6, "m", "x and z of the centre"),
    PARAM_VEC2(tarn_fill, size, "size", 1, 1, 0, 2e6, "m", "lengths along x and z"),
    PARAM_NUMBER(tarn_fill, level, "level", 1, -1e5, 1e5, "m",
                 "y of the filled surface; higher water is not removed"),
    PARAM_NUMBER(tarn_fill, start, "start", 0, 0, 1e9, "s", "time at which the water appears"),
};

static void emit_fill(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const tarn_fill *d = &e->def.fill;
    const struct grid *g = &f->grid;
    if (e->events || d->start > now->time) return;
    e->events = 1;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            if (fabs(grid_cell_x(g, i) - d->position.x) > 0.5 * d->size.x) continue;
            if (fabs(grid_cell_z(g, j) - d->position.y) > 0.5 * d->size.y) continue;
            float height;
            f->model->height_field->read_surface(f, j, i, i + 1, &height);
            const double missing_depth = d->level - f->rest_level - (double)height;
            const float depth = (float)missing_depth;
            if (missing_depth > 0.0)
                f->emitted_depth += f->model->height_field->add_water(f, j, i, i + 1, &depth, NULL);
        }
}

const struct emitter_kind emitter_fill = {
    .kind = {.category = "emitter",
             .name = "fill",
             .help = "fills a rectangle with water up to a level, once",
             PARAMS(params)},
    .emit = emit_fill,
};
