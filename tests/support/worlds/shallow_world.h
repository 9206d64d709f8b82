// Worlds of `shallow` for tests: definitions with parameters set by name, and access to the fields.
#ifndef TESTS_SHALLOW_WORLD_H
#define TESTS_SHALLOW_WORLD_H

#include "wave_world.h"

#include "base/math/random.h"
#include "fluid/shallow/shallow.h"
#include "world/world.h"

static const char *const advection_names[3] = {"conservative", "maccormack", "semi-lagrangian"};
static const char *const boundary_keys[4] = {"boundary.west", "boundary.east", "boundary.south",
                                             "boundary.north"};

// Square columns of `cell` metres.
static inline struct world_setup shallow_world_def(int nx, int nz, double cell)
{
    struct world_setup d = world_setup(TARN_FLUID_SHALLOW);
    d.fluid.shallow.size = (tarn_vec2){nx * cell, nz * cell};
    d.fluid.shallow.cells[0] = nx, d.fluid.shallow.cells[1] = nz;
    return d;
}

// west, east, south, north; NULL: a wall
static inline void shallow_set_boundaries(struct world_setup *d, const char *const side[4])
{
    for (int i = 0; i < 4; ++i)
        if (side[i]) set_boundary(&d->fluid, (tarn_side)i, side[i]);
}

// Heights of 0 .. 1 drawn at random for every column: the steepest steps between neighbours. The
// caller frees the map.
static inline void shallow_add_random_bed(struct world_setup *d, int nx, int nz, double height, double base,
                                          double *values)
{
    for (int c = 0; c < nx * nz; ++c) values[c] = random_unit(7, 1, (uint64_t)c);
    tarn_heightmap_bed *part = add_map(d, (tarn_bed_map){nx, nz, values});
    part->height = height, part->offset = base;
}

static inline tarn_world *shallow_world_create(const struct world_setup *d)
{
    tarn_world *w = NULL;
    tarn_error err = {0};
    const tarn_result r = setup_create(d, &w, &err);
    if (r != TARN_OK) print_message("%s: %s\n", err.key, err.message);
    CHECK_OK(r);
    return w;
}

static inline void shallow_fill(tarn_world *w, double x, double z, double wide, double deep, double level)
{
    tarn_emitter_def fill = tarn_default_emitter_def(TARN_EMITTER_FILL);
    fill.fill.position = (tarn_vec2){x, z};
    fill.fill.size = (tarn_vec2){wide, deep};
    fill.fill.level = level;
    CHECK_OK(tarn_emitter_create(w, &fill, NULL, NULL));
}

static inline const struct depth_state *shallow_state(const tarn_world *w) { return w->fluid.impl; }

// The fastest face [m/s].
static inline double shallow_max_speed(const tarn_world *w)
{
    const struct grid *g = &w->fluid.grid;
    const struct depth_state *s = shallow_state(w);
    double most = 0.0;
    for (int j = 0; j <= g->nz; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            if (j < g->nz) most = fmax(most, fabs((double)s->u[c]));
            if (i < g->nx) most = fmax(most, fabs((double)s->v[c]));
        }
    return most;
}

// The shallowest column [m]; NaN if any is not a number.
static inline double shallow_min_depth(const tarn_world *w)
{
    const struct grid *g = &w->fluid.grid;
    double least = 1e9;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const double h = (double)shallow_state(w)->h[grid_at(g, i, j)];
            if (!(h >= least)) least = h;
        }
    return least;
}

// Step until this number of substeps is taken.
static inline void run_substeps(tarn_world *w, uint64_t inner)
{
    while (tarn_world_get_status(w).substeps < inner) CHECK_OK(tarn_world_advance(w, w->def.dt));
}

#endif
