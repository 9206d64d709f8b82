// A plane surface oscillates in a parabolic basin: two moving shorelines.
#include "../case_api.h"

enum { CELLS = 400, PER_PERIOD = 120, PERIODS = 3, PARTS = 12 };
static const double LENGTH = 4.0, A = 1.0, H0 = 0.5,
                    FILM = 1e-3 * 0.5; // [m]; the lowest point of the bed is y = 0

static double frequency(void) { return sqrt(2.0 * GRAVITY * H0) / A; } // [rad/s]

static double bed_at(double x) { return H0 * x * x / (A * A); }

// Negative where the plane of the surface is below the bed.
static double plane_depth(double x, double t)
{
    const double r = x / A + cos(frequency() * t) / (2.0 * A);
    return H0 * (1.0 - r * r);
}

static double exact_depth(double x, double t) { return fmax(0.0, plane_depth(x, t)); }

static tarn_column start_field(const void *self, double x, double z)
{
    (void)self;
    (void)z;
    return (tarn_column){bed_at(x) + plane_depth(x, 0.0), 0.0, 0.0};
}

struct errors {
    double mean, largest, lowest; // [m] largest over all samples
};

static void compare(const struct profile *p, double t, struct errors *e)
{
    double sum = 0.0, count = 0.0;

    for (int i = 0; i < p->n; ++i) {
        const double exact = exact_depth(p->x[i], t), error = fabs(p->h[i] - exact);
        e->lowest = fmin(e->lowest, p->h[i]);
        e->largest = fmax(e->largest, error);
        if (exact <= 0.0) continue;
        sum += error;
        count += 1.0;
    }
    e->mean = fmax(e->mean, sum / count);
}

static void draw(struct case_run *run, const struct profile *p, double t, const char *reference,
                 const char *computed)
{
    double *exact = case_alloc(run, p->n), *height = case_alloc(run, p->n);
    if (run->error[0]) return;

    for (int i = 0; i < p->n; ++i) {
        const double depth = exact_depth(p->x[i], t); // dry cells and films are gaps
        exact[i] = depth > FILM ? p->bed[i] + depth : NAN;
        height[i] = p->h[i] > FILM ? p->bed[i] + p->h[i] : NAN;
    }
    // the dry upper slopes are not drawn
    const int from = p->n / 8, n = p->n - 2 * from;
    if (run->curve_count == 0) case_curve(run, "bed", n, p->x + from, p->bed + from, CURVE_FILLED);
    case_curve(run, reference, n, p->x + from, exact + from, CURVE_REFERENCE);
    case_curve(run, computed, n, p->x + from, height + from, CURVE_COMPUTED);
}

static void run_case(struct case_run *run)
{
    const double period = 2.0 * PI / frequency();
    struct errors e = {0};
    struct profile p;

    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, CELLS, 4, LENGTH / CELLS);
    tarn_bed_def *bed = case_bed(&def, TARN_BED_BOWL);
    def.world.dt = period / PER_PERIOD;
    bed->bowl.axis = TARN_BED_ALONG_X;
    bed->bowl.radius = A;
    bed->bowl.height = H0;
    tarn_world *world = case_world(run, &def);
    if (!world) return;
    case_set_water(run, world, start_field, NULL);
    for (int k = 1; k <= PERIODS * PARTS; ++k) {
        const double t = k * period / PARTS;
        case_steps(run, world, def.world.dt, PER_PERIOD / PARTS);
        if (!case_profile(run, world, 'x', &p)) return;
        compare(&p, t, &e);
        if (k == PERIODS * PARTS - PARTS / 2) draw(run, &p, t, "exact", "tarn, after 2.5 and 3 periods");
    }
    draw(run, &p, PERIODS * period, "", "");
    case_axes(run, "x [m]", "height [m]");
    case_report(run, "depth, mean error where wet, of h0", NONE, NONE, 100.0 * e.mean / H0, 1.0, "%");
    case_report(run, "depth, largest error, of h0", NONE, NONE, 100.0 * e.largest / H0, 3.0, "%");
    case_report(run, "lowest depth [m]", e.lowest, 0.0, fmax(0.0, -e.lowest), 0.0, "m");
}

const struct validation_case vcase_thacker_1d = {"thacker-1d", "A plane surface oscillates in a parabola",
                                                 true, run_case};
