// Waves that leave through open boundaries: the reflected energy.
#include "../case_api.h"

enum { CELLS = 100, STEPS = 60 };
static const double LENGTH = 10.0, DEPTH = 1.0, HEIGHT = 0.05, RADIUS = 0.6; // [m]

struct hump {
    bool is_round; // otherwise a ridge across the tank
};

static tarn_column start_field(const void *self, double x, double z)
{
    const double r2 = x * x + (((const struct hump *)self)->is_round ? z * z : 0.0);
    return (tarn_column){DEPTH + HEIGHT * exp(-r2 / (RADIUS * RADIUS)), 0.0, 0.0};
}

// A tank with a hump at its centre, after `time`; the first `open` boundaries are open.
static tarn_world *compute_hump(struct case_run *run, const struct hump *hump, int nx, int nz, int open,
                                double time)
{
    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, nx, nz, LENGTH / CELLS);

    def.world.dt = fmax(time, 1.0) / STEPS;
    def.fluid.shallow.depth = DEPTH;
    for (int i = 0; i < open; ++i) def.fluid.shallow.boundary[i].type = TARN_BOUNDARY_OPEN;
    tarn_world *world = case_world(run, &def);
    if (!world) return NULL;
    case_set_water(run, world, start_field, hump);
    if (time > 0.0) case_steps(run, world, def.world.dt, STEPS);
    return world;
}

// Height and velocities of the central nx x nz cells.
static double *read_centre(struct case_run *run, const tarn_world *world, int nx, int nz)
{
    const tarn_frame *f = world ? case_frame(run, world) : NULL;
    double *out = f ? case_alloc(run, 3 * nx * nz) : NULL, *p = out;
    if (!out) return NULL;

    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i) {
            const size_t c = (size_t)(j + (f->nz - nz) / 2) * (size_t)f->nx + (size_t)(i + (f->nx - nx) / 2);
            *p++ = (double)f->height[c] - DEPTH;
            *p++ = (double)f->velocity_x[c];
            *p++ = (double)f->velocity_z[c];
        }
    return out;
}

// Energy of the difference of two states (`b` NULL: of one state), up to a factor.
static double energy(const double *a, const double *b, int cells)
{
    double sum = 0.0;

    for (int c = 0; c < cells; ++c, a += 3) {
        const double zeros[3] = {0}, *o = b ? b + 3 * c : zeros;
        const double h = a[0] - o[0], u = a[1] - o[1], w = a[2] - o[2];
        sum += GRAVITY * h * h + DEPTH * (u * u + w * w);
    }
    return sum;
}

// The reflection is the difference from a tank that is so large that no reflected wave has returned.
static void run_hump(struct case_run *run, const struct hump *hump, int nz, int large, double time,
                     const char *quantity, double limit)
{
    const int open = hump->is_round ? 4 : 2, large_z = hump->is_round ? large : nz, cells = CELLS * nz;
    tarn_world *world = compute_hump(run, hump, CELLS, nz, open, 0.0);
    double *start = read_centre(run, world, CELLS, nz);
    if (!start) return;
    world = compute_hump(run, hump, CELLS, nz, open, time);
    const double *computed = read_centre(run, world, CELLS, nz);
    world = compute_hump(run, hump, large, large_z, 0, time);
    const double *reference = read_centre(run, world, CELLS, nz);
    if (!computed || !reference) return;
    const double reflected = energy(computed, reference, cells) / energy(start, NULL, cells);
    case_report(run, quantity, NONE, NONE, 100.0 * reflected, limit, "%");

    double *x = case_alloc(run, CELLS), *a = case_alloc(run, CELLS), *b = case_alloc(run, CELLS),
           *initial = case_alloc(run, CELLS);
    if (run->error[0] || !hump->is_round) return;
    for (int i = 0; i < CELLS; ++i) {
        const int c = 3 * (nz / 2 * CELLS + i);
        x[i] = (i + 0.5 - CELLS / 2) * LENGTH / CELLS;
        initial[i] = 1e3 * start[c];
        a[i] = 1e3 * computed[c];
        b[i] = 1e3 * reference[c];
    }
    case_axes(run, "x [m]", "surface above rest [mm]");
    case_curve(run, "at the start", CELLS, x, initial, CURVE_SECONDARY);
    case_curve(run, "later, without boundaries", CELLS, x, b, CURVE_REFERENCE);
    case_curve(run, "tarn, later, open boundaries", CELLS, x, a, CURVE_COMPUTED);
}

static void run_case(struct case_run *run)
{
    const double c = sqrt(GRAVITY * DEPTH), tail = 4.0 * RADIUS;
    const struct hump ridge = {false}, round = {true};

    // the time when the tail has passed the boundaries (the corners) and reflected waves are still inside
    run_hump(run, &ridge, 4, 3 * CELLS, (0.5 * LENGTH + tail) / c, "reflected energy, normal incidence", 2.0);
    run_hump(run, &round, CELLS, 5 * CELLS / 2, (LENGTH / sqrt(2.0) + tail) / c,
             "reflected energy, round hump", 6.0);
}

const struct validation_case vcase_open_boundary = {"open-boundary", "Waves leave through open boundaries",
                                                    true, run_case};
