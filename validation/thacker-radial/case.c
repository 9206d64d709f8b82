// A round pool oscillates in a paraboloid: a moving round shoreline.
#include "../case_api.h"

#include <stdio.h>

enum { CELLS = 100, PER_PERIOD = 60, PERIODS = 3, PARTS = 12 };
static const double LENGTH = 4.0, A = 1.0, H0 = 0.1,
                    FILM = 1e-3 * 0.1; // [m]; the lowest point of the bed is y = 0

static double frequency(void) { return sqrt(8.0 * GRAVITY * H0) / A; } // [rad/s]

// Negative where the continued surface is below the bed.
static double signed_depth(double r2, double t, double amplitude)
{
    const double d = 1.0 - amplitude * cos(frequency() * t), k = 1.0 - amplitude * amplitude;
    const double surface = sqrt(k) / d - 1.0 - r2 / (A * A) * (k / (d * d) - 1.0); // of h0, above rest
    return H0 * (surface + 1.0 - r2 / (A * A));
}

static double exact_depth(double r2, double t, double amplitude)
{
    return fmax(0.0, signed_depth(r2, t, amplitude));
}

static tarn_column start_field(const void *self, double x, double z)
{
    const double r2 = x * x + z * z;
    return (tarn_column){H0 * r2 / (A * A) + signed_depth(r2, 0.0, *(const double *)self), 0.0, 0.0};
}

struct errors {
    double mean, largest, lowest; // [m] largest over all samples
};

static void compare(const tarn_frame *f, double t, double amplitude, struct errors *e)
{
    double sum = 0.0, count = 0.0;

    for (size_t c = 0; c < (size_t)f->nx * (size_t)f->nz; ++c) {
        const double x = frame_x(f, c), z = frame_z(f, c), h = frame_depth(f, c);
        const double exact = exact_depth(x * x + z * z, t, amplitude), error = fabs(h - exact);
        e->lowest = fmin(e->lowest, h);
        e->largest = fmax(e->largest, error);
        if (exact <= 0.0) continue;
        sum += error;
        count += 1.0;
    }
    e->mean = fmax(e->mean, sum / count);
}

static void draw(struct case_run *run, const tarn_world *world, double t, double amplitude)
{
    struct profile p;
    if (!case_profile(run, world, 'x', &p)) return;
    double *exact = case_alloc(run, p.n), *height = case_alloc(run, p.n);
    if (run->error[0]) return;

    const double z = 0.5 * p.dx; // the row of cells next to the centre
    for (int i = 0; i < p.n; ++i) {
        const double depth =
            exact_depth(p.x[i] * p.x[i] + z * z, t, amplitude); // dry cells and films are gaps
        exact[i] = depth > FILM ? p.bed[i] + depth : NAN;
        height[i] = p.h[i] > FILM ? p.bed[i] + p.h[i] : NAN;
    }
    const int from = p.n / 6, n = p.n - 2 * from;
    case_curve(run, "bed", n, p.x + from, p.bed + from, CURVE_FILLED);
    case_curve(run, "exact, 3 periods", n, p.x + from, exact + from, CURVE_REFERENCE);
    case_curve(run, "tarn, 3 periods", n, p.x + from, height + from, CURVE_COMPUTED);
    case_axes(run, "x [m]", "height [m]");
}

static void run_amplitude(struct case_run *run, double amplitude, bool has_limit)
{
    const double period = 2.0 * PI / frequency();
    struct errors e = {0};
    char quantity[64];

    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, CELLS, CELLS, LENGTH / CELLS);
    tarn_bed_def *bed = case_bed(&def, TARN_BED_BOWL);
    def.world.dt = period / PER_PERIOD;
    bed->bowl.radius = A;
    bed->bowl.height = H0;
    tarn_world *world = case_world(run, &def);
    if (!world) return;
    case_set_water(run, world, start_field, &amplitude);
    for (int k = 1; k <= PERIODS * PARTS; ++k) {
        case_steps(run, world, def.world.dt, PER_PERIOD / PARTS);
        const tarn_frame *f = case_frame(run, world);
        if (!f) return;
        compare(f, k * period / PARTS, amplitude, &e);
    }
    snprintf(quantity, sizeof quantity, "A = %g: mean error where wet, of h0", amplitude);
    case_report(run, quantity, NONE, NONE, 100.0 * e.mean / H0, has_limit ? 2.0 : NONE, "%");
    snprintf(quantity, sizeof quantity, "A = %g: largest error, of h0", amplitude);
    case_report(run, quantity, NONE, NONE, 100.0 * e.largest / H0, has_limit ? 5.0 : NONE, "%");
    snprintf(quantity, sizeof quantity, "A = %g: lowest depth [m]", amplitude);
    case_report(run, quantity, e.lowest, 0.0, fmax(0.0, -e.lowest), 0.0, "m");
    if (has_limit) draw(run, world, PERIODS * period, amplitude);
}

static void run_case(struct case_run *run)
{
    run_amplitude(run, 0.2195, true);
    run_amplitude(run, 0.5, false);
}

const struct validation_case vcase_thacker_radial = {
    "thacker-radial", "A round pool oscillates in a paraboloid", true, run_case};
