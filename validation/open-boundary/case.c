// Waves leave through open sides: what comes back.
#include "../case_api.h"

enum { CELLS = 100, STEPS = 60 };
static const double LENGTH = 10.0, DEPTH = 1.0, HEIGHT = 0.05, RADIUS = 0.6; // [m]
static const char *const sides[] = {"boundary.west", "boundary.east", "boundary.south", "boundary.north"};

struct hump {
    bool round; // or a ridge across the tank
};

static tarn_column start_field(const void *self, double x, double z)
{
    const double r2 = x * x + (((const struct hump *)self)->round ? z * z : 0.0);
    return (tarn_column){DEPTH + HEIGHT * exp(-r2 / (RADIUS * RADIUS)), 0.0, 0.0};
}

// A tank with a hump in the middle after `time`; the first `open` sides are open.
static tarn_world *let_go(struct case_run *run, const struct hump *hump, int nx, int nz, int open,
                          double time)
{
    tarn_world_def def = case_world_def(run, "shallow", nx, nz, LENGTH / CELLS);

    def.dt = fmax(time, 1.0) / STEPS;
    case_set(run, &def.fluid, "depth", tarn_value_number(DEPTH));
    for (int i = 0; i < open; ++i) case_set(run, &def.fluid, sides[i], tarn_value_text("open"));
    tarn_world *world = case_world(run, &def);
    if (!world) return NULL;
    case_set_water(run, world, start_field, hump);
    if (time > 0.0) case_steps(run, world, def.dt, STEPS);
    return world;
}

// Height and velocities of the middle nx x nz cells.
static double *middle(struct case_run *run, const tarn_world *world, int nx, int nz)
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

// Energy of the difference of two states (`b` NULL: of one), up to a factor.
static double energy(const double *a, const double *b, int cells)
{
    double sum = 0.0;

    for (int c = 0; c < cells; ++c, a += 3) {
        const double none[3] = {0}, *o = b ? b + 3 * c : none;
        const double h = a[0] - o[0], u = a[1] - o[1], w = a[2] - o[2];
        sum += GRAVITY * h * h + DEPTH * (u * u + w * w);
    }
    return sum;
}

// What differs from a tank so large that nothing has come back yet has come back from the sides.
static void run_hump(struct case_run *run, const struct hump *hump, int nz, int large, double time,
                     const char *quantity, double limit)
{
    const int open = hump->round ? 4 : 2, large_z = hump->round ? large : nz, cells = CELLS * nz;
    tarn_world *world = let_go(run, hump, CELLS, nz, open, 0.0);
    double *start = middle(run, world, CELLS, nz);
    if (!start) return;
    world = let_go(run, hump, CELLS, nz, open, time);
    const double *computed = middle(run, world, CELLS, nz);
    world = let_go(run, hump, large, large_z, 0, time);
    const double *free_water = middle(run, world, CELLS, nz);
    if (!computed || !free_water) return;
    const double back = energy(computed, free_water, cells) / energy(start, NULL, cells);
    case_report(run, quantity, NONE, NONE, 100.0 * back, limit, "%");

    double *x = case_alloc(run, CELLS), *a = case_alloc(run, CELLS), *b = case_alloc(run, CELLS),
           *old = case_alloc(run, CELLS);
    if (run->error[0] || !hump->round) return;
    for (int i = 0; i < CELLS; ++i) {
        const int c = 3 * (nz / 2 * CELLS + i);
        x[i] = (i + 0.5 - CELLS / 2) * LENGTH / CELLS;
        old[i] = 1e3 * start[c];
        a[i] = 1e3 * computed[c];
        b[i] = 1e3 * free_water[c];
    }
    case_axes(run, "x [m]", "surface above rest [mm]");
    case_curve(run, "at the start", CELLS, x, old, CURVE_SECONDARY);
    case_curve(run, "later, without sides", CELLS, x, b, CURVE_REFERENCE);
    case_curve(run, "tarn, later, open sides", CELLS, x, a, CURVE_COMPUTED);
}

static void run_case(struct case_run *run)
{
    const double c = sqrt(GRAVITY * DEPTH), tail = 4.0 * RADIUS;
    const struct hump ridge = {false}, round = {true};

    // when the tail has passed the sides (the corners), and what came back is still inside
    run_hump(run, &ridge, 4, 3 * CELLS, (0.5 * LENGTH + tail) / c, "energy back, normal incidence", 2.0);
    run_hump(run, &round, CELLS, 5 * CELLS / 2, (LENGTH / sqrt(2.0) + tail) / c, "energy back, round hump",
             6.0);
}

const struct validation_case vcase_open_boundary = {"open-boundary", "Waves leave through open sides", true,
                                                    run_case};
