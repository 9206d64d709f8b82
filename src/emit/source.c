// Dye, heat and motion in a box or a disc of a flat fluid, as long as it is told.
#include "base/math.h"
#include "emitter.h"

enum { DISC, BOX };
static const char *const forms[] = {"disc", "box", NULL};

struct source_def {
    double position[2], size[2], radius;
    double dye, heat, velocity[2], from, until;
    int form, moves;
};

static const tarn_param params[] = {
    PARAM_CHOICE(struct source_def, form, "form", DISC, forms, "what it fills"),
    PARAM_VEC2(struct source_def, position, "position", 0, 0, -1e6, 1e6, "m", "x and y of the middle"),
    PARAM_NUMBER(struct source_def, radius, "radius", 0.05, 1e-6, 1e6, "m", "of a disc"),
    PARAM_VEC2(struct source_def, size, "size", 0.1, 0.1, 1e-6, 1e6, "m", "of a box along x and y"),
    PARAM_LIVE(struct source_def, dye, "dye", 0, -1e6, 1e6, "1/s", "that it adds"),
    PARAM_LIVE(struct source_def, heat, "heat", 0, -1e6, 1e6, "K/s", "that it adds"),
    PARAM_FLAG(struct source_def, moves, "moves", 0, "the fluid in it is given `velocity`"),
    PARAM_VEC2(struct source_def, velocity, "velocity", 0, 0, -1e4, 1e4, "m/s", "of the fluid in it"),
    PARAM_NUMBER(struct source_def, from, "from", 0, 0, 1e9, "s", "when it begins"),
    PARAM_NUMBER(struct source_def, until, "until", 1e9, 0, 1e9, "s", "when it ends"),
};

// How much of a cell is in it, by 4 x 4 points.
static double covered(const struct source_def *d, double x, double y, double s)
{
    int count = 0;
    for (int k = 0; k < 16; ++k) {
        const double dx = x + (0.125 + 0.25 * (k % 4) - 0.5) * s - d->position[0];
        const double dy = y + (0.125 + 0.25 * (k / 4) - 0.5) * s - d->position[1];
        count += d->form == DISC ? dx * dx + dy * dy <= d->radius * d->radius
                                 : fabs(dx) <= 0.5 * d->size[0] && fabs(dy) <= 0.5 * d->size[1];
    }
    return count / 16.0;
}

static void emit(struct emitter *e, const struct moment *now, struct fluid *f)
{
    const struct source_def *d = (const struct source_def *)e->spec.data;
    const struct grid *g = &f->g;
    if (now->dt <= 0.0 || now->time + now->dt <= d->from || now->time >= d->until) return;
    const double rx = d->form == DISC ? d->radius : 0.5 * d->size[0],
                 ry = d->form == DISC ? d->radius : 0.5 * d->size[1];
    const int i0 = (int)clamp(floor((d->position[0] - rx) / g->s), 0, g->nx),
              i1 = (int)clamp(ceil((d->position[0] + rx) / g->s), 0, g->nx),
              j0 = (int)clamp(floor((d->position[1] - ry) / g->s), 0, g->nz),
              j1 = (int)clamp(ceil((d->position[1] + ry) / g->s), 0, g->nz);
    for (int j = j0; j < j1; ++j)
        for (int i = i0; i < i1; ++i) {
            const double part = covered(d, grid_x(g, i), grid_z(g, j), g->s);
            const struct fluid_source s = {.dye = part * d->dye * now->dt,
                                           .heat = part * d->heat * now->dt,
                                           .pull = d->moves ? part : 0.0,
                                           .u = d->velocity[0],
                                           .v = d->velocity[1]};
            if (part > 0.0) f->kind->source(f, i, j, &s);
        }
}

const struct emitter_kind emitter_source = {
    .kind = {.room = "emitter",
             .name = "source",
             .help = "dye, heat and motion in a flat fluid",
             PARAMS(params)},
    .flat = true,
    .emit = emit,
};
