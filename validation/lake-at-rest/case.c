// Still water over any bed stays still.
#include "../case_api.h"

#include <stdio.h>

enum { CELLS = 64 };
static const double LENGTH = 25.0, DT = 1.0 / 16.0, TIME = 100.0; // [m], [s]

// Reports the largest speed of the water during TIME and the change of its volume.
static void measure_rest(struct case_run *run, struct case_def *def, const char *name)
{
    char quantity[64];

    def->world.dt = DT;
    tarn_world *world = case_world(run, def);
    if (!world) return;
    const double before = tarn_world_get_ledger(world).volume;
    double max_speed = 0.0;
    const int sample_count = run->long_run ? 1000 : 100;
    for (int k = 0; k < sample_count; ++k) {
        case_steps(run, world, DT, (int)(TIME / 100.0 / DT));
        const tarn_frame *f = case_frame(run, world);
        if (!f) return;
        for (size_t c = 0; c < (size_t)f->nx * (size_t)f->nz; ++c)
            max_speed = fmax(max_speed, hypot((double)f->velocity_x[c], (double)f->velocity_z[c]));
    }
    const double after = tarn_world_get_ledger(world).volume;
    snprintf(quantity, sizeof quantity, "%s: largest speed", name);
    case_report(run, quantity, max_speed, 0.0, max_speed, 1e-5, "m/s");
    snprintf(quantity, sizeof quantity, "%s: volume [m3]", name);
    case_report(run, quantity, after, before, fabs(after - before), 0.0, "m3");
}

// The bump of the steady flows, under half a metre of water.
static void bump_lake(struct case_run *run)
{
    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, CELLS, CELLS, LENGTH / CELLS);
    tarn_bed_def *bed = case_bed(&def, TARN_BED_BUMP);

    bed->bump.position = (tarn_vec2){-2.5, 0.0};
    bed->bump.radius = 2.0;
    bed->bump.height = 0.2;
    def.fluid.shallow.level = 0.5;
    measure_rest(run, &def, "bump");
}

// Every cell has a random height (0 .. 1); an island rises above the water.
static void jagged_lake(struct case_run *run, double altitude, const char *name, bool draw)
{
    struct case_def def = case_world_def(TARN_FLUID_SHALLOW, CELLS, CELLS, LENGTH / CELLS);
    double *map = case_alloc(run, CELLS * CELLS), *level = case_alloc(run, CELLS);
    unsigned random = 1;
    if (run->error[0]) return;

    for (int c = 0; c < CELLS * CELLS; ++c) {
        random = random * 1664525u + 1013904223u; // linear congruential generator of Knuth and Lewis
        map[c] = (random >> 8) / 16777216.0;
    }
    tarn_bed_def *bed = case_bed(&def, TARN_BED_HEIGHTMAP);
    bed->heightmap.map = (tarn_bed_map){CELLS, CELLS, map};
    bed->heightmap.offset = altitude;
    tarn_bed_def *hill = case_bed(&def, TARN_BED_ISLAND);
    hill->island.radius = 4.0;
    hill->island.height = 2.0;
    def.fluid.shallow.level = altitude + 1.5;
    measure_rest(run, &def, name);

    struct profile p;
    if (!draw || run->error[0] || !case_profile(run, run->worlds[run->world_count - 1], 'x', &p)) return;
    for (int i = 0; i < p.n; ++i) {
        level[i] = altitude + 1.5 > p.bed[i] ? altitude + 1.5 : NAN; // dry cells are gaps
        p.h[i] = p.h[i] > 0.0 ? p.bed[i] + p.h[i] : NAN;
    }
    case_axes(run, "x [m]", "height [m]");
    case_curve(run, "bed", p.n, p.x, p.bed, CURVE_FILLED);
    case_curve(run, "at the start", p.n, p.x, level, CURVE_REFERENCE);
    case_curve(run, "tarn, at the end", p.n, p.x, p.h, CURVE_COMPUTED);
}

static void run_case(struct case_run *run)
{
    bump_lake(run);
    jagged_lake(run, 0.0, "jagged, island", true);
    jagged_lake(run, 2000.0, "the same at 2,000 m", false);
}

const struct validation_case vcase_lake_at_rest = {"lake-at-rest", "Still water over any bed", true,
                                                   run_case};
