// A wavemaker along a wall: a sinusoidal volume source. A long wave of elevation eta carries the flux c eta
// per metre of crest, so the strip of cells at the wall receives c eta(t) per metre of wall.
#include "base/error.h"
#include "base/math/math.h"
#include "emitter.h"

static const char *const sides[] = {"west", "east", "south", "north", NULL};

static const tarn_param params[] = {
    PARAM_CHOICE(tarn_wavemaker, side, "side", 0, sides, "wall at which the wavemaker stands"),
    PARAM_LIVE(tarn_wavemaker, height, "height", 0.1, 0, 100, "m", "wave height, trough to crest"),
    PARAM_NUMBER(tarn_wavemaker, period, "period", 2, 0.01, 1e4, "s", "wave period"),
    PARAM_NUMBER(tarn_wavemaker, start, "start", 0, 0, 1e9, "s", "start time"),
    PARAM_NUMBER(tarn_wavemaker, end, "end", 1e9, 0, 1e9, "s", "end time"),
};

static tarn_result check_wall_side(const void *def, const struct fluid *f, tarn_error *err)
{
    const tarn_wavemaker *d = def;
    if (f->is_wall[d->side]) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "side", "a wavemaker needs a wall; the %s side is not a wall",
                sides[d->side]);
}

static void emit_waves(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const tarn_wavemaker *d = &e->def.wavemaker;
    const struct grid *g = &f->grid;
    const double t = now->time + 0.5 * now->dt - d->start;
    if (now->dt <= 0.0 || t <= 0.0 || now->time >= d->end) return;
    const bool wall_along_z = d->side == TARN_WEST || d->side == TARN_EAST;
    const int cells_normal = wall_along_z ? g->nx : g->nz;
    // The strip is as wide as the distance that a wave travels in one step; a narrower one
    // would send pulses.
    const int cells = imin(cells_normal, imax(1, (int)ceil(f->rest_wave_speed * now->dt / g->dx)));
    const double periods = t / d->period;
    // The amplitude grows over the first period.
    const double eta = 0.5 * d->height * m_sin_turns(periods) * fmin(1.0, periods);
    const float depth = (float)(eta * f->rest_wave_speed * now->dt / (cells * g->dx));
    const int first_cell = d->side == TARN_EAST || d->side == TARN_NORTH ? cells_normal - cells : 0;
    for (int j = wall_along_z ? 0 : first_cell; j < (wall_along_z ? g->nz : first_cell + cells); ++j)
        for (int i = wall_along_z ? first_cell : 0; i < (wall_along_z ? first_cell + cells : g->nx); ++i)
            f->emitted_depth += f->model->height_field->add_water(f, j, i, i + 1, &depth, NULL);
}

const struct emitter_kind emitter_wavemaker = {
    .kind = {.category = "emitter", .name = "wavemaker", .help = "wave generator at a wall", PARAMS(params)},
    .check = check_wall_side,
    .emit = emit_waves,
};
