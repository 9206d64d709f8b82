// Steady flow with friction [macdonald1997]: bed of a given depth, computed flow on three grids, report.
#include "macdonald.h"

enum { COARSEST = 25, GRIDS = 3, FINE_STEPS = 200 };
static const double DT = 0.1, TIME = 2000.0; // [s]

// Slope of the bed by the momentum equation: (q^2/(g h^3) - 1) h' - n^2 q^2 h^(-10/3).
static double bed_slope(const struct macdonald *m, double x)
{
    const double step = 1e-3, h = m->depth(x), q2 = m->discharge * m->discharge;
    const double depth_slope = (m->depth(x + step) - m->depth(x - step)) / (2.0 * step);
    return (q2 / (GRAVITY * h * h * h) - 1.0) * depth_slope -
           m->manning * m->manning * q2 * pow(h, -10.0 / 3.0);
}

// Rise of the bed over a length, by the midpoint rule.
static double bed_rise(const struct macdonald *m, double x, double length)
{
    double sum = 0.0;
    for (int k = 0; k < FINE_STEPS; ++k)
        sum += bed_slope(m, x + (k + 0.5) * length / FINE_STEPS) * length / FINE_STEPS;
    return sum;
}

// Bed at the middles of n cells, 4 rows of them; returns its height at the inflow. It is 0 at the outflow.
static double compute_bed(const struct macdonald *m, int n, double *bed)
{
    const double dx = MACDONALD_LENGTH / n;
    double height = 0.0;
    for (int i = n - 1; i >= 0; --i) {
        height -= bed_rise(m, (i + 0.5) * dx, 0.5 * dx);
        for (int j = 0; j < 4; ++j) bed[j * n + i] = height;
        height -= bed_rise(m, i * dx, 0.5 * dx);
    }
    return height;
}

static void set_boundaries(const struct macdonald *m, tarn_shallow_def *fluid, double inflow_bed)
{
    const double end = m->depth(MACDONALD_LENGTH);
    tarn_boundary *west = &fluid->boundary[TARN_WEST], *east = &fluid->boundary[TARN_EAST];

    west->type = TARN_BOUNDARY_DISCHARGE, west->discharge = m->discharge;
    if (m->supercritical_inflow) west->level = inflow_bed + m->depth(0.0);
    fluid->level = m->subcritical_outflow ? end : 0.5 * end;
    east->type = m->subcritical_outflow ? TARN_BOUNDARY_LEVEL : TARN_BOUNDARY_OPEN;
    if (m->subcritical_outflow) east->level = end;
}

struct start {
    double depth, velocity; // [m], [m/s]
    const double *bed;      // [m] of n cells
    int n;
};

static tarn_column start_field(const void *self, double x, double z)
{
    const struct start *s = self;
    const int i = (int)((x / MACDONALD_LENGTH + 0.5) * s->n);
    (void)z;
    return (tarn_column){s->bed[i] + s->depth, s->velocity, 0.0};
}

// The profile of a channel of n cells after TIME, x from the inflow.
static bool compute(struct case_run *run, const struct macdonald *m, int n, double dt, struct profile *p)
{
    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, n, 4, MACDONALD_LENGTH / n);
    double *bed = case_alloc(run, 4 * n);
    if (run->error[0]) return false;
    const double inflow_bed = compute_bed(m, n, bed), depth = m->depth(MACDONALD_LENGTH);

    def.world.dt = dt;
    case_bed(&def, TARN_BED_HEIGHTMAP)->heightmap.map = (tarn_bed_map){n, 4, bed};
    def.fluid.shallow.manning = m->manning;
    set_boundaries(m, &def.fluid.shallow, inflow_bed);
    tarn_world *world = case_world(run, &def);
    if (!world) return false;
    case_set_water(run, world, start_field, &(struct start){depth, m->discharge / depth, bed, n});
    case_steps(run, world, dt, (int)(TIME / dt));
    if (!case_profile(run, world, 'x', p)) return false;
    for (int i = 0; i < p->n; ++i) p->x[i] += 0.5 * MACDONALD_LENGTH;
    return true;
}

static double mean_error(const struct macdonald *m, const struct profile *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->n; ++i) sum += fabs(p->h[i] - m->depth(p->x[i])) / p->n;
    return sum;
}

static double mean_difference(const struct profile *a, const struct profile *b)
{
    double sum = 0.0;
    for (int i = 0; i < a->n; ++i) sum += fabs(a->h[i] - b->h[i]) / a->n;
    return sum;
}

static void draw(struct case_run *run, const struct macdonald *m, const struct profile *p)
{
    double *exact = case_alloc(run, p->n), *critical = case_alloc(run, p->n);
    if (run->error[0]) return;

    for (int i = 0; i < p->n; ++i) {
        exact[i] = m->depth(p->x[i]);
        critical[i] = cbrt(m->discharge * m->discharge / GRAVITY);
    }
    case_axes(run, "x [m]", "depth [m]");
    case_curve(run, "critical depth", p->n, p->x, critical, CURVE_SECONDARY);
    case_curve(run, "exact", p->n, p->x, exact, CURVE_REFERENCE);
    case_curve(run, "tarn", p->n, p->x, p->h, CURVE_COMPUTED);
}

void run_macdonald(struct case_run *run, const struct macdonald *m)
{
    struct profile p[GRIDS], short_steps;
    double errors[GRIDS];

    for (int k = 0; k < GRIDS; ++k) {
        if (!compute(run, m, COARSEST << k, DT, &p[k])) return;
        errors[k] = mean_error(m, &p[k]);
    }
    if (!compute(run, m, COARSEST << (GRIDS - 1), DT / 2.0, &short_steps)) return;
    case_report(run, "depth, mean error, 100 cells", NONE, NONE, errors[GRIDS - 1], 5e-4, "m");
    report_order(run, "order of convergence", errors, GRIDS, 2.0, 1.5);
    case_report(run, "depth, 100 cells, steps of 0.05 s and 0.1 s", NONE, NONE,
                mean_difference(&p[GRIDS - 1], &short_steps), 2e-4, "m");
    draw(run, m, &p[GRIDS - 1]);
}
