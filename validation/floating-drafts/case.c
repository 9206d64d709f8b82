// Drafts of floating spheres and horizontal cylinders.
#include "../case_api.h"

#include <stdio.h>

extern const double table_floating_drafts[][3];
extern const int table_floating_drafts_rows;

static const double RADIUS = 0.25, LENGTH = 1.0, DEPTH = 1.0; // [m]

static tarn_shape_def shape_of(bool cylinder)
{
    if (cylinder) return (tarn_shape_def){.type = TARN_SHAPE_CYLINDER, .cylinder = {RADIUS, LENGTH, 0}};
    return (tarn_shape_def){.type = TARN_SHAPE_SPHERE, .sphere = {RADIUS}};
}

static tarn_body_def body_of(bool cylinder, double ratio, double height)
{
    tarn_body_def def = tarn_default_body_def();
    if (cylinder) def.rotation = (tarn_quat){sqrt(0.5), 0, 0, sqrt(0.5)}; // along x
    def.density = 1000.0 * ratio;
    def.position = (tarn_vec3){0.013, height, 0.007}; // not symmetric to the grid
    return def;
}

// Buoyancy of a body at this height over its weight. Creating and destroying the body leaves the water level.
static double buoyancy_ratio(struct case_run *run, tarn_world *world, bool cylinder, double ratio,
                             double height)
{
    const tarn_shape_def shape = shape_of(cylinder);
    tarn_body_def def = body_of(cylinder, ratio, height);
    tarn_body_info info = {0};
    tarn_load load = {0};
    def.type = TARN_BODY_KINEMATIC;
    const tarn_body_id body = case_body(run, world, &def, &shape);
    if (run->error[0]) return NAN;
    if (tarn_body_get_info(world, body, &info) != TARN_OK ||
        tarn_body_get_load(world, body, &load) != TARN_OK)
        return NAN;
    tarn_body_destroy(world, body);
    return load.buoyancy.y / (info.mass * GRAVITY);
}

// Draft over radius, by bisection.
static double draft(struct case_run *run, tarn_world *world, bool cylinder, double ratio)
{
    double low = DEPTH - RADIUS, high = DEPTH + RADIUS;
    for (int n = 0; n < 30; ++n) {
        const double y = 0.5 * (low + high);
        if (buoyancy_ratio(run, world, cylinder, ratio, y) > 1.0)
            low = y;
        else
            high = y;
    }
    return (DEPTH + RADIUS - 0.5 * (low + high)) / RADIUS;
}

// The same for a body that is released a tenth of its radius too high, after 40 s.
static double settled_draft(struct case_run *run, tarn_fluid_type model, bool cylinder, double ratio,
                            double reference)
{
    struct case_def def = case_pool_def(model, 40, 40, 0.05, DEPTH);
    tarn_body_state state = {0};

    tarn_world *world = case_world(run, &def);
    const tarn_shape_def shape = shape_of(cylinder);
    const tarn_body_def start = body_of(cylinder, ratio, DEPTH + RADIUS * (1.1 - reference));
    const tarn_body_id body = case_body(run, world, &start, &shape);
    case_steps(run, world, def.world.dt, 2400);
    if (run->error[0] || tarn_body_get_state(world, body, &state) != TARN_OK) return NAN;
    return (DEPTH + RADIUS - state.position.y) / RADIUS;
}

// [radii] Limit of the draft: 0.1 % of the displaced volume over the area of the waterplane.
static double limit(bool cylinder, double ratio, double draft_radii)
{
    const double half =
        sqrt(2.0 * draft_radii - draft_radii * draft_radii); // [radii] half breadth of the waterplane
    return 1e-3 * ratio * (cylinder ? PI / (2.0 * half) : 4.0 / (3.0 * half * half));
}

static void report(struct case_run *run, const char *how, bool cylinder, double ratio, double computed,
                   double reference)
{
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s at %.2f%s: draft [radii]", cylinder ? "cylinder" : "sphere",
             ratio, how);
    case_report(run, quantity, computed, reference, fabs(computed - reference),
                limit(cylinder, ratio, reference), "radii");
}

static void run_case(struct case_run *run)
{
    const int rows = table_floating_drafts_rows;
    struct case_def def = case_world_def(TARN_FLUID_WAVE, 40, 40, 0.05);
    def.fluid.wave.depth = DEPTH;
    tarn_world *world = case_world(run, &def);
    case_axes(run, "density ratio", "draft [radii]");
    for (int shape = 0; shape < 2; ++shape) {
        double *ratio = case_alloc(run, rows), *computed = case_alloc(run, rows),
               *reference = case_alloc(run, rows);
        if (run->error[0]) return;
        for (int i = 0; i < rows; ++i) {
            ratio[i] = table_floating_drafts[i][0], reference[i] = table_floating_drafts[i][1 + shape];
            computed[i] = draft(run, world, shape, ratio[i]);
            report(run, "", shape, ratio[i], computed[i], reference[i]);
        }
        case_curve(run, shape ? "cylinder, exact" : "sphere, exact", rows, ratio, reference, CURVE_REFERENCE);
        case_curve(run, shape ? "cylinder" : "sphere", rows, ratio, computed,
                   shape ? CURVE_SECONDARY : CURVE_COMPUTED);
        for (int i = 2; i < rows; i += 6) // 0.25 and 0.75
            report(run, ", settled", shape, ratio[i],
                   settled_draft(run, i > 2 ? TARN_FLUID_WAVE : TARN_FLUID_SHALLOW, shape, ratio[i],
                                 reference[i]),
                   reference[i]);
    }
}

const struct validation_case vcase_floating_drafts = {
    "floating-drafts", "Drafts of spheres and horizontal cylinders", true, run_case};
