// Wind over the whole surface of the models with momentum: the stress
//
//     tau = rho_air C_d |U| (U - u)
//
// of the wind U at a height of 10 m on water that moves with u, which changes the velocity at the rate
// tau/(rho depth). C_d is that of Wu [wu1982] for waves in the open, (0.8 + 0.065 |U|) 1e-3 with |U| in m/s,
// unless it is given. A step is implicit in u, so that thin water moves with the wind at most.
#include "base/error.h"
#include "base/math/math.h"
#include "emitter.h"

static const tarn_param params[] = {
    PARAM_LIVE_VEC2(tarn_wind, velocity, "velocity", 10, 0, -200, 200, "m/s",
                    "velocity of the wind along x and z, at a height of 10 m"),
    PARAM_OPTIONAL_LIVE(tarn_wind, drag_coefficient, "drag_coefficient", 0, 1, "",
                        "C_d of the surface; if it is not given, (0.8 + 0.065 speed/(m/s)) 1e-3"),
    PARAM_LIVE(tarn_wind, air_density, "air_density", 1.225, 0, 1e5, "kg/m^3", "density of the air"),
    PARAM_NUMBER(tarn_wind, start, "start", 0, 0, 1e9, "s", "start time"),
    PARAM_NUMBER(tarn_wind, end, "end", 1e9, 0, 1e9, "s", "end time"),
};

static tarn_result check_model(const void *def, const struct fluid *f, tarn_error *err)
{
    (void)def;
    if (f->model->height_field->momentum) return TARN_OK;
    return fail(err, TARN_BAD_INPUT, "kind",
                "the wind needs water with a velocity at faces, of which the model '%s' has none",
                f->model->kind.name);
}

// The wind of a step along one axis.
struct wind_step {
    struct fluid *f;
    int axis;
    double speed;    // [m/s] of the wind along the axis
    double exchange; // [m] rho_air/rho C_d |U| dt: depth that takes on the speed of the wind
};

static double uncovered(const struct fluid *f, int i, int j)
{
    return f->covered_fraction ? 1.0 - (double)f->covered_fraction[grid_at(&f->grid, i, j)] : 1.0;
}

// The face between a cell and its neighbour before it; faces at boundaries and shores are left alone.
static void blow_on_face(const struct wind_step *w, int i, int j)
{
    struct fluid *f = w->f;
    const struct height_field_model *model = f->model->height_field;
    const int before_i = fluid_wrap_column(f, i - (w->axis == 0)),
              before_j = fluid_wrap_row(f, j - (w->axis == 1));
    if (before_i < 0 || before_j < 0 || !model->is_wet(f, i, j) || !model->is_wet(f, before_i, before_j))
        return;
    const double depth = 0.5 * ((double)fluid_depth(f, before_i, before_j) + (double)fluid_depth(f, i, j));
    const double exchange = w->exchange * 0.5 * (uncovered(f, before_i, before_j) + uncovered(f, i, j));
    const struct stored_field faces =
        f->model->stored_field(f, w->axis ? TARN_FIELD_FACE_VELOCITY_Z : TARN_FIELD_FACE_VELOCITY_X);
    const double u = faces.values[grid_at(&f->grid, i, j) - f->grid.origin];
    model->momentum->add_face_velocity(f, i, j, w->axis,
                                       (float)((w->speed - u) * exchange / (depth + exchange)), INFINITY);
}

static void emit_wind(struct emitter *e, const struct time_interval *now, struct fluid *f)
{
    const tarn_wind *d = &e->def.wind;
    const double active = fmin(now->time + now->dt, d->end) - fmax(now->time, d->start);
    const double speed = sqrt(d->velocity.x * d->velocity.x + d->velocity.y * d->velocity.y);
    const double drag = isnan(d->drag_coefficient) ? 1e-3 * (0.8 + 0.065 * speed) : d->drag_coefficient;
    if (!(active > 0.0)) return;
    for (int axis = 0; axis < 2; ++axis) {
        const struct wind_step w = {f, axis, axis ? d->velocity.y : d->velocity.x,
                                    d->air_density / f->density * drag * speed * active};
        for (int j = 0; j < f->grid.nz; ++j)
            for (int i = 0; i < f->grid.nx; ++i) blow_on_face(&w, i, j);
    }
}

const struct emitter_kind emitter_wind = {
    .kind = {.category = "emitter",
             .name = "wind",
             .help = "wind that drags the surface along, in the models shallow and implicit",
             PARAMS(params)},
    .check = check_model,
    .emit = emit_wind,
};
