// Equilibrium angle of a long floating square bar as a function of its density.
#include "../case_api.h"

#include <stdio.h>

extern const double table_floating_prism[][2];
extern const int table_floating_prism_rows;

static const double WIDTH = 0.2, CELL = 0.05, DEPTH = 1.0; // [m]; the bar is six widths long
static const double INITIAL_OFFSET = 12.0;                 // [degrees] from equilibrium at the start
static const double DRAG =
    50.0;             // large, so that the bar comes to rest soon; drag does not change the equilibrium
enum { STEPS = 900 }; // of 1/60 s

// [degrees] Rotation of the bar about its length x: 0 on a face, 45 on an edge.
static double tilt_of(tarn_quat q)
{
    const double y = 1.0 - 2.0 * (q.x * q.x + q.z * q.z), z = 2.0 * (q.y * q.z + q.w * q.x);
    const double angle = fmod(fabs(atan2(z, y)) * 180.0 / PI, 90.0);
    return angle > 45.0 ? 90.0 - angle : angle;
}

static double settle(struct case_run *run, tarn_fluid_type model, double ratio, double start)
{
    struct case_def def = case_pool_def(model, 40, 20, CELL, DEPTH);
    tarn_body_def bar = tarn_default_body_def();
    tarn_body_state state = {0};

    const tarn_shape_def box = {.type = TARN_SHAPE_BOX, .box = {{6 * WIDTH, WIDTH, WIDTH}, 0}};
    bar.density = 1000.0 * ratio, bar.drag_coefficient = DRAG;
    bar.position = (tarn_vec3){0.013, DEPTH + WIDTH * (0.5 - ratio), 0.007}; // not symmetric to the grid
    bar.rotation = (tarn_quat){cos(start * PI / 360.0), sin(start * PI / 360.0), 0, 0};
    tarn_world *world = case_world(run, &def);
    const tarn_body_id body = case_body(run, world, &bar, &box);
    case_steps(run, world, def.world.dt, STEPS);
    if (run->error[0] || tarn_body_get_state(world, body, &state) != TARN_OK) return NAN;
    return tilt_of(state.rotation);
}

static void run_model(struct case_run *run, tarn_fluid_type model, bool all, enum curve_style style)
{
    const int rows = table_floating_prism_rows;
    double *ratio = case_alloc(run, rows), *computed = case_alloc(run, rows),
           *reference = case_alloc(run, rows);
    double max_error = 0.0;
    const char *name = model == TARN_FLUID_WAVE ? "wave" : "shallow";
    char quantity[64];

    if (run->error[0]) return;
    for (int i = 0; i < rows; ++i) {
        ratio[i] = table_floating_prism[i][0], reference[i] = table_floating_prism[i][1];
        computed[i] =
            settle(run, model, ratio[i],
                   reference[i] > 22.5 ? reference[i] - INITIAL_OFFSET : reference[i] + INITIAL_OFFSET);
        const double error = fabs(computed[i] - reference[i]);
        max_error = error <= max_error ? max_error : error; // keeps a NaN
        snprintf(quantity, sizeof quantity, "tilt at density ratio %.3f [degrees]", ratio[i]);
        if (all) case_report(run, quantity, computed[i], reference[i], error, 1.0, "degrees");
    }
    snprintf(quantity, sizeof quantity, "largest error of the tilt in %s", name);
    if (!all) case_report(run, quantity, NONE, NONE, max_error, 1.0, "degrees");
    if (all) case_curve(run, "published", rows, ratio, reference, CURVE_REFERENCE);
    case_curve(run, name, rows, ratio, computed, style);
}

static void run_case(struct case_run *run)
{
    case_axes(run, "density ratio", "tilt [degrees]");
    run_model(run, TARN_FLUID_WAVE, true, CURVE_COMPUTED);
    if (run->long_run) run_model(run, TARN_FLUID_SHALLOW, false, CURVE_SECONDARY);
}

const struct validation_case vcase_floating_prism = {
    "floating-prism", "The angle at which a long square bar floats", true, run_case};
