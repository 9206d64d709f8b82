// How deep spheres and lying cylinders float.
#include "../case_api.h"

#include <stdio.h>

extern const double table_floating_drafts[][3];
extern const int table_floating_drafts_rows;

static const double RADIUS = 0.25, LENGTH = 1.0, DEPTH = 1.0; // [m]

static tarn_body_def body_of(struct vrun *run, bool cylinder, double ratio, double height)
{
    tarn_body_def def = tarn_body_def_default(cylinder ? "cylinder" : "sphere");
    case_set(run, &def.shape, "radius", tarn_number(RADIUS));
    if (cylinder) {
        case_set(run, &def.shape, "height", tarn_number(LENGTH));
        def.rotation = (tarn_quat){sqrt(0.5), 0, 0, sqrt(0.5)}; // along x
    }
    def.density = 1000.0 * ratio;
    def.position = (tarn_vec3){0.013, height, 0.007}; // off the grid's symmetry
    return def;
}

// What the water carries of a body that is put there, as a part of its weight. Putting it in and taking it out is
// silent: the water stays level.
static double carried(struct vrun *run, tarn_world *world, bool cylinder, double ratio, double height)
{
    tarn_body_def def = body_of(run, cylinder, ratio, height);
    tarn_body_facts facts = {0};
    tarn_load load = {0};
    def.external = 1;
    const tarn_body body = case_body(run, world, &def);
    if (run->trouble[0]) return NAN;
    if (tarn_body_facts_of(world, body, &facts) != TARN_OK || tarn_body_load(world, body, &load) != TARN_OK)
        return NAN;
    tarn_body_remove(world, body);
    return load.buoyancy.y / (facts.mass * GRAVITY);
}

// Draft over radius, by bisection.
static double draft(struct vrun *run, tarn_world *world, bool cylinder, double ratio)
{
    double low = DEPTH - RADIUS, high = DEPTH + RADIUS;
    for (int n = 0; n < 30; ++n) {
        const double y = 0.5 * (low + high);
        if (carried(run, world, cylinder, ratio, y) > 1.0)
            low = y;
        else
            high = y;
    }
    return (DEPTH + RADIUS - 0.5 * (low + high)) / RADIUS;
}

// The same of a body let go a tenth of its radius too high, after 40 s.
static double settled(struct vrun *run, const char *model, bool cylinder, double ratio, double theirs)
{
    static const char *const sides[] = {"sides.west", "sides.east", "sides.south", "sides.north"};
    tarn_world_def def = case_tank(run, model, 40, 40, 0.05);
    tarn_motion motion = {0};

    case_set(run, &def.fluid, "depth", tarn_number(DEPTH));
    for (int i = 0; i < 4; ++i) case_set(run, &def.fluid, sides[i], tarn_word("open"));
    tarn_world *world = case_world(run, &def);
    const tarn_body_def start = body_of(run, cylinder, ratio, DEPTH + RADIUS * (1.1 - theirs));
    const tarn_body body = case_body(run, world, &start);
    case_steps(run, world, def.dt, 2400);
    if (run->trouble[0] || tarn_body_motion(world, body, &motion) != TARN_OK) return NAN;
    return (DEPTH + RADIUS - motion.position.y) / RADIUS;
}

// 0.1 % of the water displaced, as a draft: divided by the area of the waterline.
static double limit(bool cylinder, double ratio, double deep)
{
    const double half = sqrt(2.0 * deep - deep * deep); // [radii] breadth of the waterline
    return 1e-3 * ratio * (cylinder ? PI / (2.0 * half) : 4.0 / (3.0 * half * half));
}

static void report(struct vrun *run, const char *how, bool cylinder, double ratio, double ours, double theirs)
{
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s at %.2f%s: draft [radii]", cylinder ? "cylinder" : "sphere",
             ratio, how);
    case_report(run, quantity, ours, theirs, fabs(ours - theirs), limit(cylinder, ratio, theirs), "radii");
}

static void run_case(struct vrun *run)
{
    const int rows = table_floating_drafts_rows;
    tarn_world_def def = case_tank(run, "wave", 40, 40, 0.05);
    case_set(run, &def.fluid, "depth", tarn_number(DEPTH));
    tarn_world *world = case_world(run, &def);
    case_axes(run, "density ratio", "draft [radii]");
    for (int shape = 0; shape < 2; ++shape) {
        double *ratio = case_numbers(run, rows), *ours = case_numbers(run, rows),
               *theirs = case_numbers(run, rows);
        if (run->trouble[0]) return;
        for (int i = 0; i < rows; ++i) {
            ratio[i] = table_floating_drafts[i][0], theirs[i] = table_floating_drafts[i][1 + shape];
            ours[i] = draft(run, world, shape, ratio[i]);
            report(run, "", shape, ratio[i], ours[i], theirs[i]);
        }
        case_curve(run, shape ? "cylinder, exact" : "sphere, exact", rows, ratio, theirs, STYLE_REFERENCE);
        case_curve(run, shape ? "cylinder" : "sphere", rows, ratio, ours, shape ? STYLE_OTHER : STYLE_OURS);
        for (int i = 2; i < rows; i += 6) // 0.25 and 0.75
            report(run, ", settled", shape, ratio[i],
                   settled(run, i > 2 ? "wave" : "shallow", shape, ratio[i], theirs[i]), theirs[i]);
    }
}

const struct vcase vcase_floating_drafts = {"floating-drafts", "How deep spheres and lying cylinders float",
                                            true, run_case};
