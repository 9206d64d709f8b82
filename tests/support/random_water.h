// Random water for test_random.c: model, boundaries, bed and emitters that follow from a seed.
#ifndef TESTS_RANDOM_WATER_H
#define TESTS_RANDOM_WATER_H

#include "energy.h"
#include "rng.h"
#include "shallow_world.h"

#define STEPS        200
#define MAX_SUBSTEPS 8 // per world step; it limits the run time of every seed
#define RHO          1000.0
#define GRAVITY      9.81

// ---- the world and its bounds ---------------------------------------------------------------------

#define MAX_SLOTS 256
enum { RESULT, FINITE, INSIDE, VOLUME, DEPTH, ENERGY, SPEED, SPLASH, COPY, LAWS };

// The world of a seed, with the sums that bound its energy, speeds and volume.
struct random_world {
    struct rng rng;
    bool shallow, verbose;
    bool quiet;     // nothing is poured or driven after the first step, so the energy input is known
    bool triangles; // coupling method "triangles", which conserves neither energy nor momentum
    tarn_world *w;
    double cell, size[2], level, dt;
    double speed; // [m/s] of long waves, sqrt(g depth)
    bool wall[4];
    double initial_energy;   // [J] at the start, with the energy of bodies that were added and removed since
    double max_added_energy; // [J] bound of the work of forces, thrusters, springs and of resolved overlaps
    double max_energy;       // [J] largest |bodies| + |water|, the scale of rounding errors
    double max_loss;         // [J] largest loss of energy at any time
    double thrown_energy;    // [J] kinetic energy of bodies when they were added
    double max_excess;       // [J] largest energy above the known input
    double emitted_norm;     // [J^1/2] square root of the energy of all that emitters have poured
    double emitted_norm_per_step; // [J^1/2] and of what they pour in one step
    double max_start_speed;       // [m/s] largest initial speed plus all pushes
    double emitted_speed;         // [m/s] of water set in motion by emitters
    double max_start_height;      // [m] highest initial top of a body
    double diameter_sum;          // [m] of all bodies that were ever added
    double moved_volume;          // [m^3] sum of absolute volumes placed, removed and poured
    double max_depth;             // [m] deepest column so far
    double boundary_speed;        // [m/s] that boundary conditions may impose
    double bed_range;             // [m] highest minus lowest bed
    double bed_depth;             // [m] of the lowest bed below the rest level
    double floodwater[MAX_SLOTS]; // [m^3] in the compartment of each body
    bool violated[LAWS];
};

static inline double square(double x) { return x * x; }

static inline void set(tarn_spec *spec, const char *name, tarn_value value)
{
    CHECK_OK(tarn_spec_set(spec, name, value, NULL));
}

// Settings that both models have.
static inline void choose_coupling(struct random_world *s, struct world_setup *def)
{
    struct rng *d = &s->rng;
    def->world.seed = rng_index(d, 1000000);
    def->world.coupling_strength = rng_chance(d, 0.1)   ? 0.0
                                   : rng_chance(d, 0.2) ? 0.95
                                                        : rng_between(d, 0, 0.95);
    s->triangles = rng_chance(d, 0.1);
    def->world.coupling = s->triangles ? TARN_COUPLING_TRIANGLES : TARN_COUPLING_AUTOMATIC;
}

// ---- linear waves -----------------------------------------------------------------------------------

static const char *const side_names[4] = {"west", "east", "south", "north"};

static inline void choose_boundaries(struct random_world *s, tarn_wave_def *fluid)
{
    const bool wrap[2] = {rng_chance(&s->rng, 0.25), rng_chance(&s->rng, 0.25)};
    for (int k = 0; k < 4; ++k) {
        s->wall[k] = !wrap[k / 2] && rng_chance(&s->rng, 0.6);
        fluid->boundary[k] = wrap[k / 2] ? TARN_WAVE_PERIODIC : s->wall[k] ? TARN_WAVE_WALL : TARN_WAVE_OPEN;
    }
}

static inline void make_wave(struct random_world *s)
{
    struct rng *d = &s->rng;
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    const int nx = 8 + rng_index(d, 25), nz = 8 + rng_index(d, 25);
    s->cell = rng_log_uniform(d, 0.01, 0.5), s->level = rng_log_uniform(d, 0.01, 10);
    s->size[0] = nx * s->cell, s->size[1] = nz * s->cell;
    s->speed = sqrt(GRAVITY * s->level);
    s->dt = fmin(rng_log_uniform(d, 1e-4, 0.05), MAX_SUBSTEPS * 0.49 * s->cell / s->speed);
    def.world.dt = s->dt;
    choose_coupling(s, &def);
    def.fluid.wave.size = (tarn_vec2){s->size[0], s->size[1]};
    def.fluid.wave.cells[0] = nx, def.fluid.wave.cells[1] = nz;
    def.fluid.wave.depth = s->level;
    def.fluid.wave.damping = rng_chance(d, 0.3) ? 0 : rng_between(d, 0, 2);
    def.fluid.wave.diffusion = rng_chance(d, 0.3) ? 0 : rng_log_uniform(d, 1e-6, 1e-2);
    choose_boundaries(s, &def.fluid.wave);
    CHECK_OK(setup_create(&def, &s->w, NULL));
    if (s->verbose)
        print_message("%d x %d cells of %.3g m, depth %.3g m, dt %.3g s (%d substeps), strength %.2f\n", nx,
                      nz, s->cell, s->level, s->dt, tarn_world_get_status(s->w).substeps_next,
                      def.world.coupling_strength);
}

// ---- shallow water ----------------------------------------------------------------------------------

// A boundary condition of any kind; `depth` scales its discharge and amplitude.
static inline void choose_boundary(struct random_world *s, struct world_setup *def, int k, double depth)
{
    static const char *const kinds[] = {"wall", "wall", "open", "level", "discharge", "wavemaker"};
    struct rng *d = &s->rng;
    const int kind = rng_index(d, s->quiet ? 3 : COUNT(kinds)),
              swings = kind == 5 || (kind == 3 && rng_chance(d, 0.3));
    def->fluid.shallow.boundary[k].type = boundary_of(kinds[kind]);
    s->wall[k] = kind < 2;
    tarn_boundary *side = &def->fluid.shallow.boundary[k];
    if (kind == 4) side->discharge = rng_between(d, -1, 2) * sqrt(GRAVITY * depth) * depth;
    if (kind >= 2) s->boundary_speed = 5.0 * sqrt(GRAVITY * depth);
    if (swings) side->amplitude = rng_log_uniform(d, 1e-3, 0.5) * depth;
    if (swings) side->period = rng_log_uniform(d, 0.1, 10);
    if (kind >= 3 && rng_chance(d, 0.3)) side->ramp = rng_log_uniform(d, 0.1, 10);
}

static inline tarn_vec2 random_position(struct random_world *s)
{
    const double z = rng_between(&s->rng, -0.5, 0.5) * s->size[1],
                 x = rng_between(&s->rng, -0.5, 0.5) * s->size[0];
    return (tarn_vec2){x, z};
}

static inline void choose_bed(struct random_world *s, struct world_setup *def, double depth, double *map)
{
    static const tarn_bed_type types[] = {TARN_BED_FLAT, TARN_BED_BUMP, TARN_BED_BOWL, TARN_BED_ISLAND,
                                          TARN_BED_BEACH};
    struct rng *d = &s->rng;
    const double high = rng_chance(d, 0.2) ? 2000.0 : 0.0, most = fmin(s->size[0], s->size[1]);
    add_bed(def, TARN_BED_FLAT)->flat.offset = high;
    for (int n = rng_index(d, 4); n > 0; --n) {
        const int kind = rng_index(d, COUNT(types));
        tarn_bed_def *part = add_bed(def, types[kind]);
        const double height = rng_log_uniform(d, 0.01, 3) * depth * (rng_chance(d, 0.3) ? -1 : 1);
        part->bump.offset = rng_between(d, -1, 1) * depth; // every type begins with it
        if (0 < kind && kind < 4) {                        // these three have the same members
            part->bump.position = random_position(s);
            part->bump.radius = rng_log_uniform(d, s->cell, most);
            part->bump.height = kind == 2 ? height * 0.01 : height;
        } else if (kind == 4) {
            part->beach.angle = rng_between(d, -360, 360) * (PI / 180.0);
            part->beach.start = rng_between(d, -0.5, 0.5) * most;
            part->beach.slope = rng_between(d, -1, 1);
        }
    }
    if (!rng_chance(d, 0.3)) return;
    tarn_heightmap_bed *heightmap =
        add_map(def, (tarn_bed_map){1 + rng_index(d, 20), 1 + rng_index(d, 20), map});
    for (int c = 0; c < heightmap->map.nx * heightmap->map.nz; ++c) map[c] = rng_unit(d);
    heightmap->height = rng_log_uniform(d, 0.01, 3) * depth;
}

static inline void choose_options(struct random_world *s, struct world_setup *def)
{
    struct rng *d = &s->rng;
    const int advection = s->quiet && rng_chance(d, 0.7) ? 0 : rng_index(d, 3);
    def->fluid.shallow.advection = (tarn_shallow_advection)advection;
    if (rng_chance(d, 0.5)) def->fluid.shallow.manning = rng_log_uniform(d, 1e-3, 0.2);
    if (rng_chance(d, 0.3)) def->fluid.shallow.max_courant = rng_between(d, 0.05, 0.65);
    if (rng_chance(d, 0.2)) def->fluid.shallow.stabilisation.speed = 0.5;
    if (rng_chance(d, 0.2)) def->fluid.shallow.stabilisation.depth = 2.0;
    if (rng_chance(d, 0.2)) def->fluid.shallow.stabilisation.overshoot = 0.5;
    if (s->quiet) return;
    if (rng_chance(d, 0.2)) def->fluid.shallow.acceleration.x = rng_between(d, -2, 2);
    if (rng_chance(d, 0.2)) def->fluid.shallow.shake.amplitude.y = rng_between(d, -5, 5);
    if (rng_chance(d, 0.2)) def->fluid.shallow.shake.period = rng_log_uniform(d, 0.1, 10);
}

static inline void make_shallow(struct random_world *s)
{
    struct rng *d = &s->rng;
    double map[400];
    const int nx = 8 + rng_index(d, 25), nz = 8 + rng_index(d, 25);
    s->cell = rng_log_uniform(d, 0.01, 0.5);
    struct world_setup def = shallow_world_def(nx, nz, s->cell);
    const double depth = rng_log_uniform(d, 0.01, 10);
    s->level = depth, s->speed = sqrt(GRAVITY * depth);
    s->size[0] = nx * s->cell, s->size[1] = nz * s->cell;
    def.world.dt = s->dt = fmin(rng_log_uniform(d, 1e-4, 0.05), MAX_SUBSTEPS * 0.25 * s->cell / s->speed);
    choose_coupling(s, &def);
    def.fluid.shallow.depth = rng_chance(d, 0.1) ? 0.0 : depth;
    choose_options(s, &def);
    choose_bed(s, &def, depth, map);
    const bool wrap[2] = {rng_chance(d, 0.25), rng_chance(d, 0.25)};
    for (int k = 0; k < 4; ++k)
        if (wrap[k / 2])
            def.fluid.shallow.boundary[k].type = TARN_BOUNDARY_PERIODIC;
        else
            choose_boundary(s, &def, k, depth);
    s->w = shallow_world_create(&def);
    double low = INFINITY, high = -INFINITY;
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i) {
            const double y = (double)s->w->fluid.bed[grid_at(&s->w->fluid.grid, i, j)];
            low = fmin(low, y), high = fmax(high, y);
        }
    s->bed_range = high - low, s->bed_depth = fmax(0.0, -low);
    if (!s->verbose) return;
    const tarn_shallow_def *made = shallow_def_of(&s->w->fluid);
    print_message(
        "%d x %d cells of %.3g m, depth %.3g m, dt %.3g s, %s, friction %.3g, %d parts of the bed\n", nx, nz,
        s->cell, depth, s->dt, advection_names[made->advection], made->manning, def.world.bed_count);
    for (int k = 0; k < 4; ++k)
        print_message("%s: kind %d, discharge %.3g, amplitude %.3g, period %.3g\n", boundary_keys[k],
                      (int)made->boundary[k].type, made->boundary[k].discharge, made->boundary[k].amplitude,
                      made->boundary[k].period);
}

// ---- emitters ---------------------------------------------------------------------------------------

// The square root of the energy of linear waves is a norm, so it grows at most by the norm of what is added.
// The squared norm of a Gaussian of height h, radius R and velocity potential c p is rho g/2 (h^2 pi R^2/2 +
// c^2 p^2 pi). The water then moves upwards with 4 c/R and sideways with c/level times the heads h and c p/R,
// where 4/R^2 is the curvature. R is at least a cell.
static inline double add_emitter_norm(struct random_world *s, double radius, double height, double push)
{
    const double wide = fmax(radius, s->cell), head = fabs(height) + s->speed * push / wide;
    s->emitted_speed += (4.0 / wide + 1.0 / s->level) * s->speed * head;
    return sqrt(0.5 * RHO * GRAVITY * PI *
                (0.5 * square(height * (wide + s->cell)) + square(s->speed * push)));
}

static inline void make_drops(struct random_world *s, tarn_emitter_def *e, bool rain)
{
    struct rng *d = &s->rng;
    const double radius = rng_log_uniform(d, 1e-3, 2.0 * s->cell),
                 volume = 4.0 / 3.0 * PI * radius * radius * radius;
    const double wide = 2.0 * fmax(radius, s->cell), height = volume / (PI * wide * wide);
    const double fall = rng_between(d, 0, 20), often = rng_log_uniform(d, 0.01, 9); // drops per step
    if (rain) {
        e->rain.radius = radius, e->rain.speed = fall;
        e->rain.rate = fmin(1e-2, often * volume / (s->size[0] * s->size[1] * s->dt));
    } else {
        e->drops.radius = radius, e->drops.speed = fall;
        e->drops.scatter = rng_between(d, 0, s->size[0]);
        e->drops.interval = fmax(1e-3, s->dt / often);
    }
    const double each = add_emitter_norm(s, wide, height, height * fall / GRAVITY);
    s->emitted_norm_per_step += often * each;
    s->emitted_norm += each; // the first drop falls at once
}

static inline void make_emitter(struct random_world *s)
{
    static const tarn_emitter_type types[4] = {TARN_EMITTER_HUMP, TARN_EMITTER_DROPS, TARN_EMITTER_RAIN,
                                               TARN_EMITTER_WAVEMAKER};
    struct rng *d = &s->rng;
    const int wall = rng_index(d, 4), kind = rng_index(d, s->wall[wall] ? 4 : 3);
    if (s->shallow && rng_chance(d, 0.2)) {
        const double surface = s->w->fluid.rest_level + rng_between(d, 0, 1) * s->level;
        const double high = rng_between(d, 0, 1) * s->size[1], wide = rng_between(d, 0, 1) * s->size[0];
        const double z = rng_between(d, -0.5, 0.5) * s->size[1], x = rng_between(d, -0.5, 0.5) * s->size[0];
        shallow_fill(s->w, x, z, wide, high, surface);
        return;
    }
    tarn_emitter_def e = tarn_default_emitter_def(types[kind]);
    const tarn_vec2 position = kind < 2 ? random_position(s) : (tarn_vec2){0, 0};
    if (kind == 1) e.drops.position = position;
    if (kind == 0) {
        e.hump.position = position;
        const double radius = rng_log_uniform(d, 0.5 * s->cell, 0.5 * fmin(s->size[0], s->size[1]));
        const double height = rng_between(d, -1, 1) * s->level;
        e.hump.radius = radius, e.hump.height = height, e.hump.start = rng_between(d, 0, STEPS * s->dt);
        s->emitted_norm += add_emitter_norm(s, radius, height, 0.0);
    } else if (kind == 3) {
        // In one step it adds half the height over the distance that a wave travels, along the wall.
        const double way = fmax(s->cell, s->speed * s->dt), height = rng_log_uniform(d, 1e-3, 1) * s->level;
        e.wavemaker.side = (tarn_side)wall, e.wavemaker.height = height;
        e.wavemaker.period = rng_log_uniform(d, 0.05, 10);
        add_emitter_norm(s, way, 0.5 * height, 0.0);
        s->emitted_norm_per_step +=
            0.5 * height * s->speed * s->dt * sqrt(0.5 * RHO * GRAVITY * s->size[wall < 2] / way);
    } else {
        make_drops(s, &e, kind == 2);
    }
    CHECK_OK(tarn_emitter_create(s->w, &e, NULL, NULL));
}

// In quiet worlds: a hump of water at the start, with probability 0.3.
static inline void make_hump(struct random_world *s)
{
    struct rng *d = &s->rng;
    if (!rng_chance(d, 0.3)) return;
    const double x = rng_between(d, -0.5, 0.5) * s->size[0], z = rng_between(d, -0.5, 0.5) * s->size[1];
    const double radius = rng_log_uniform(d, 2.0 * s->cell, 0.5 * fmin(s->size[0], s->size[1]));
    const double height = rng_between(d, -0.5, 0.5) * s->level;
    add_hump(s->w, x, z, radius, height);
    s->emitted_norm += add_emitter_norm(s, radius, height, 0.0);
}

#endif
