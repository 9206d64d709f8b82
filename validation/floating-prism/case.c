// A long square bar: on its face, leaning or on its edge, as its density says.
#include "../case_api.h"

#include <stdio.h>

extern const double table_floating_prism[][2];
extern const int table_floating_prism_rows;

static const double WIDTH = 0.2, CELL = 0.05, DEPTH = 1.0; // [m]; the bar is six widths long
static const double OFF = 12.0;                            // [degrees] from its rest at the start
static const double DRAG = 50.0; // much, so that it comes to rest soon; drag changes no rest
enum { STEPS = 900 };            // of 1/60 s

// How far the bar is turned about its length, x, between lying on a face (0) and standing on an edge (45) [degrees].
static double tilt_of(tarn_quat q)
{
    const double y = 1.0 - 2.0 * (q.x * q.x + q.z * q.z), z = 2.0 * (q.y * q.z + q.w * q.x);
    const double turn = fmod(fabs(atan2(z, y)) * 180.0 / PI, 90.0);
    return turn > 45.0 ? 90.0 - turn : turn;
}

static double settle(struct vrun *run, const char *model, double ratio, double start)
{
    tarn_world_def def = case_tank(run, model, 40, 20, CELL);
    tarn_body_def bar = tarn_body_def_default("box");
    tarn_motion motion = {0};

    case_set(run, &def.fluid, "depth", tarn_number(DEPTH));
    for (int i = 0; i < 4; ++i) {
        static const char *const sides[] = {"sides.west", "sides.east", "sides.south", "sides.north"};
        case_set(run, &def.fluid, sides[i], tarn_word("open"));
    }
    case_set(run, &bar.shape, "size", tarn_triple(6 * WIDTH, WIDTH, WIDTH));
    bar.density = 1000.0 * ratio, bar.drag = DRAG;
    bar.position = (tarn_vec3){0.013, DEPTH + WIDTH * (0.5 - ratio), 0.007}; // off the grid's symmetry
    bar.rotation = (tarn_quat){cos(start * PI / 360.0), sin(start * PI / 360.0), 0, 0};
    tarn_world *world = case_world(run, &def);
    const tarn_body body = case_body(run, world, &bar);
    case_steps(run, world, def.dt, STEPS);
    if (run->trouble[0] || tarn_body_motion(world, body, &motion) != TARN_OK) return NAN;
    return tilt_of(motion.rotation);
}

static void run_model(struct vrun *run, const char *model, bool all, enum vstyle style)
{
    const int rows = table_floating_prism_rows;
    double *ratio = case_numbers(run, rows), *ours = case_numbers(run, rows),
           *theirs = case_numbers(run, rows);
    double worst = 0.0;
    char quantity[64];

    if (run->trouble[0]) return;
    for (int i = 0; i < rows; ++i) {
        ratio[i] = table_floating_prism[i][0], theirs[i] = table_floating_prism[i][1];
        ours[i] = settle(run, model, ratio[i], theirs[i] > 22.5 ? theirs[i] - OFF : theirs[i] + OFF);
        const double error = fabs(ours[i] - theirs[i]);
        worst = error <= worst ? worst : error; // a NaN stays
        snprintf(quantity, sizeof quantity, "tilt at density ratio %.3f [degrees]", ratio[i]);
        if (all) case_report(run, quantity, ours[i], theirs[i], error, 1.0, "degrees");
    }
    snprintf(quantity, sizeof quantity, "worst tilt in %s", model);
    if (!all) case_report(run, quantity, NONE, NONE, worst, 1.0, "degrees");
    if (all) case_curve(run, "published", rows, ratio, theirs, STYLE_REFERENCE);
    case_curve(run, model, rows, ratio, ours, style);
}

static void run_case(struct vrun *run)
{
    case_axes(run, "density ratio", "tilt [degrees]");
    run_model(run, "wave", true, STYLE_OURS);
    if (run->thorough) run_model(run, "shallow", false, STYLE_OTHER);
}

const struct vcase vcase_floating_prism = {"floating-prism", "The angle at which a long square bar floats",
                                           true, run_case};
