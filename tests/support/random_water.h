// Random waters for tests: a seed decides everything.
#ifndef TESTS_RANDOM_WATER_H
#define TESTS_RANDOM_WATER_H

#include "base/math.h"
#include "energy.h"
#include "shallow_world.h"

#define STEPS      200
#define MOST_INNER 8 // inner steps a world step, so that no seed takes minutes
#define RHO        1000.0
#define GRAVITY    9.81

// ---- dice -----------------------------------------------------------------------------------------

struct dice {
    uint64_t seed, n;
};

static inline double unit(struct dice *d) { return random_unit(d->seed, 77, d->n++); }
static inline double between(struct dice *d, double lo, double hi) { return lo + (hi - lo) * unit(d); }
// Every size of number equally often.
static inline double scale(struct dice *d, double lo, double hi)
{
    return lo * m_exp(unit(d) * m_log(hi / lo));
}
static inline int below(struct dice *d, int n) { return (int)(unit(d) * n); }
static inline bool chance(struct dice *d, double p) { return unit(d) < p; }

static inline tarn_vec3 direction(struct dice *d, double length)
{
    for (;;) {
        const tarn_vec3 v = {between(d, -1, 1), between(d, -1, 1), between(d, -1, 1)};
        const double l = v3_length(v);
        if (0.01 < l && l < 1.0) return v3_scale(v, length / l);
    }
}

// ---- one world and what was put into it -----------------------------------------------------------

#define MOST_SLOTS 256
enum { RESULT, FINITE, INSIDE, VOLUME, DEPTH, ENERGY, SPEED, SPLASH, TWIN, LAWS };

struct story {
    struct dice dice;
    bool shallow, verbose;
    bool quiet;     // nothing is poured or driven after the first step: all energy is known
    bool triangles; // the coupling that keeps neither energy nor momentum
    tarn_world *w;
    double cell, size[2], level, dt, speed; // of long waves
    bool wall[4];
    double given;  // [J] energy as it was found at the start, and what bodies brought and took later
    double extra;  // [J] that pushes, thrusters, springs and bodies inside each other may have added, at most
    double books;  // [J] largest sum of both, for what rounding does to it
    double lost;   // [J] most of it that was missing at any time
    double thrown; // [J] of motion that bodies brought
    double excess; // [J] most that was there besides
    double norm, pour;       // [J^1/2] of what emitters have poured, and pour in every step
    double fast;             // [m/s] fastest start, and all pushes
    double water;            // [m/s] of the water that emitters set going
    double top;              // [m] highest start of a body
    double across;           // [m] diameters of all bodies there ever were
    double moved;            // [m^3] put in, taken out, poured: all without sign
    double deepest;          // [m] column ever seen
    double told;             // [m/s] that sides may bring
    double fall;             // [m] from the highest ground to the lowest
    double deep;             // [m] of the lowest ground below the water at rest
    double held[MOST_SLOTS]; // [m^3] in its hold
    bool broken[LAWS];
};

static inline double square(double x) { return x * x; }

static inline void set(tarn_spec *spec, const char *name, tarn_value value)
{
    CHECK_OK(tarn_spec_set(spec, name, value, NULL));
}

// Everything that both waters have.
static inline void make_coupling(struct story *s, tarn_world_def *def)
{
    struct dice *d = &s->dice;
    def->seed = below(d, 1000000);
    def->strength = chance(d, 0.1) ? 0.0 : chance(d, 0.2) ? 0.95 : between(d, 0, 0.95);
    def->coupling = s->triangles = chance(d, 0.1);
}

// ---- linear waves -----------------------------------------------------------------------------------

static const char *const side_names[4] = {"west", "east", "south", "north"};

static inline void make_sides(struct story *s, tarn_spec *fluid)
{
    const bool wrap[2] = {chance(&s->dice, 0.25), chance(&s->dice, 0.25)};
    for (int k = 0; k < 4; ++k) {
        char name[16];
        snprintf(name, sizeof name, "sides.%s", side_names[k]);
        s->wall[k] = !wrap[k / 2] && chance(&s->dice, 0.6);
        set(fluid, name, tarn_word(wrap[k / 2] ? "periodic" : s->wall[k] ? "wall" : "open"));
    }
}

static inline void make_wave(struct story *s)
{
    struct dice *d = &s->dice;
    tarn_world_def def = tarn_world_def_default("wave");
    const int nx = 8 + below(d, 25), nz = 8 + below(d, 25);
    s->cell = scale(d, 0.01, 0.5), s->level = scale(d, 0.01, 10);
    s->size[0] = nx * s->cell, s->size[1] = nz * s->cell;
    s->speed = sqrt(GRAVITY * s->level);
    s->dt = fmin(scale(d, 1e-4, 0.05), MOST_INNER * 0.49 * s->cell / s->speed);
    def.dt = s->dt;
    make_coupling(s, &def);
    set(&def.fluid, "size", tarn_pair(s->size[0], s->size[1]));
    set(&def.fluid, "cells", tarn_pair(nx, nz));
    set(&def.fluid, "depth", tarn_number(s->level));
    set(&def.fluid, "damping", tarn_number(chance(d, 0.3) ? 0 : between(d, 0, 2)));
    set(&def.fluid, "diffusion", tarn_number(chance(d, 0.3) ? 0 : scale(d, 1e-6, 1e-2)));
    make_sides(s, &def.fluid);
    CHECK_OK(tarn_world_create(&def, &s->w, NULL));
    if (s->verbose)
        print_message("%d x %d cells of %.3g m, depth %.3g m, dt %.3g s (%d inner), strength %.2f\n", nx, nz,
                      s->cell, s->level, s->dt, tarn_world_status(s->w).inner_per_step, def.strength);
}

// ---- shallow water ----------------------------------------------------------------------------------

// A side of any kind; `depth` is a scale for what it does.
static inline void make_shore(struct story *s, tarn_world_def *def, int k, double depth)
{
    static const char *const kinds[] = {"wall", "wall", "open", "level", "flow", "wavemaker"};
    struct dice *d = &s->dice;
    char name[32];
    const int kind = below(d, s->quiet ? 3 : COUNT(kinds)),
              swings = kind == 5 || (kind == 3 && chance(d, 0.3));
    lake_tell(def, lake_sides[k], tarn_word(kinds[kind]));
    s->wall[k] = kind < 2;
#define SHORE(what, value) \
    snprintf(name, sizeof name, "%s.%s", lake_sides[k], what), lake_number(def, name, value)
    if (kind == 4) SHORE("discharge", between(d, -1, 2) * sqrt(GRAVITY * depth) * depth);
    if (kind >= 2) s->told = 5.0 * sqrt(GRAVITY * depth);
    if (swings) SHORE("amplitude", scale(d, 1e-3, 0.5) * depth);
    if (swings) SHORE("period", scale(d, 0.1, 10));
    if (kind >= 3 && chance(d, 0.3)) SHORE("ramp", scale(d, 0.1, 10));
#undef SHORE
}

// Dice are thrown one after the other: as arguments of one call every compiler has an order of its own.
static inline tarn_value somewhere(struct story *s)
{
    const double z = between(&s->dice, -0.5, 0.5) * s->size[1], x = between(&s->dice, -0.5, 0.5) * s->size[0];
    return tarn_pair(x, z);
}

static inline void make_ground(struct story *s, tarn_world_def *def, double depth, double *map)
{
    static const char *const kinds[] = {"flat", "bump", "bowl", "island", "beach"};
    struct dice *d = &s->dice;
    const double high = chance(d, 0.2) ? 2000.0 : 0.0, most = fmin(s->size[0], s->size[1]);
    lake_part(lake_bed(def, "flat"), "base", high);
    for (int n = below(d, 4); n > 0; --n) {
        const int kind = below(d, COUNT(kinds));
        tarn_spec *part = lake_bed(def, kinds[kind]);
        const double height = scale(d, 0.01, 3) * depth * (chance(d, 0.3) ? -1 : 1);
        lake_part(part, "base", between(d, -1, 1) * depth);
        if (0 < kind && kind < 4) {
            set(part, "position", somewhere(s));
            lake_part(part, "radius", scale(d, s->cell, most));
            lake_part(part, "height", kind == 2 ? height * 0.01 : height);
        } else if (kind == 4) {
            lake_part(part, "angle", between(d, -360, 360));
            lake_part(part, "start", between(d, -0.5, 0.5) * most);
            lake_part(part, "slope", between(d, -1, 1));
        }
    }
    if (!chance(d, 0.3)) return;
    def->map = (tarn_map){1 + below(d, 20), 1 + below(d, 20), map};
    for (int c = 0; c < def->map.nx * def->map.nz; ++c) map[c] = unit(d);
    lake_part(lake_bed(def, "heightmap"), "height", scale(d, 0.01, 3) * depth);
}

static inline void make_manners(struct story *s, tarn_world_def *def)
{
    struct dice *d = &s->dice;
    const int advection = s->quiet && chance(d, 0.7) ? 0 : below(d, 3);
    lake_tell(def, "advection", tarn_word(lake_advections[advection]));
    if (chance(d, 0.5)) lake_number(def, "friction", scale(d, 1e-3, 0.2));
    if (chance(d, 0.3)) lake_number(def, "courant", between(d, 0.05, 0.65));
    if (chance(d, 0.2)) lake_number(def, "stabilise.speed", 0.5);
    if (chance(d, 0.2)) lake_number(def, "stabilise.depth", 2.0);
    if (chance(d, 0.2)) lake_number(def, "stabilise.overshoot", 0.5);
    if (s->quiet) return;
    if (chance(d, 0.2)) lake_number(def, "acceleration.x", between(d, -2, 2));
    if (chance(d, 0.2)) lake_number(def, "shake.z", between(d, -5, 5));
    if (chance(d, 0.2)) lake_number(def, "shake.period", scale(d, 0.1, 10));
}

static inline void make_shallow(struct story *s)
{
    struct dice *d = &s->dice;
    double map[400];
    const int nx = 8 + below(d, 25), nz = 8 + below(d, 25);
    s->cell = scale(d, 0.01, 0.5);
    tarn_world_def def = lake_def(nx, nz, s->cell);
    const double depth = scale(d, 0.01, 10);
    s->level = depth, s->speed = sqrt(GRAVITY * depth);
    s->size[0] = nx * s->cell, s->size[1] = nz * s->cell;
    def.dt = s->dt = fmin(scale(d, 1e-4, 0.05), MOST_INNER * 0.25 * s->cell / s->speed);
    make_coupling(s, &def);
    lake_number(&def, "depth", chance(d, 0.1) ? 0.0 : depth);
    make_manners(s, &def);
    make_ground(s, &def, depth, map);
    const bool wrap[2] = {chance(d, 0.25), chance(d, 0.25)};
    for (int k = 0; k < 4; ++k)
        if (wrap[k / 2])
            lake_tell(&def, lake_sides[k], tarn_word("periodic"));
        else
            make_shore(s, &def, k, depth);
    s->w = lake_create(&def);
    double low = INFINITY, high = -INFINITY;
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i) {
            const double y = (double)s->w->fluid.bed[grid_at(&s->w->fluid.grid, i, j)];
            low = fmin(low, y), high = fmax(high, y);
        }
    s->fall = high - low, s->deep = fmax(0.0, -low);
    if (!s->verbose) return;
    const struct shallow_def *made = shallow_def_of(&s->w->fluid);
    print_message("%d x %d cells of %.3g m, depth %.3g m, dt %.3g s, %s, friction %.3g, %d parts of ground\n",
                  nx, nz, s->cell, depth, s->dt, lake_advections[made->advection], made->manning,
                  def.bed_count);
    for (int k = 0; k < 4; ++k)
        print_message("%s: kind %d, discharge %.3g, amplitude %.3g, period %.3g\n", lake_sides[k],
                      made->boundary[k].kind, made->boundary[k].discharge, made->boundary[k].amplitude,
                      made->boundary[k].period);
}

// ---- emitters ---------------------------------------------------------------------------------------

// The root of the water's energy is a norm, so it grows at most by the norm of what is poured in. For a
// Gaussian of height h and push p that is rho g/2 (h^2 pi R^2/2 + c^2 p^2 pi). The water then moves up with
// 4 c/R and sideways with c/level of the heads h and c p/R, 4/R^2 being the curvature. R is at least a cell.
static inline double pour(struct story *s, double radius, double height, double push)
{
    const double wide = fmax(radius, s->cell), head = fabs(height) + s->speed * push / wide;
    s->water += (4.0 / wide + 1.0 / s->level) * s->speed * head;
    return sqrt(0.5 * RHO * GRAVITY * PI *
                (0.5 * square(height * (wide + s->cell)) + square(s->speed * push)));
}

static inline void make_drops(struct story *s, tarn_spec *e, bool rain)
{
    struct dice *d = &s->dice;
    const double radius = scale(d, 1e-3, 2.0 * s->cell), volume = 4.0 / 3.0 * PI * radius * radius * radius;
    const double wide = 2.0 * fmax(radius, s->cell), height = volume / (PI * wide * wide);
    const double fall = between(d, 0, 20), often = scale(d, 0.01, 9); // drops a step
    set(e, "radius", tarn_number(radius));
    set(e, "speed", tarn_number(fall));
    if (rain) {
        set(e, "rate", tarn_number(fmin(1e-2, often * volume / (s->size[0] * s->size[1] * s->dt))));
    } else {
        set(e, "scatter", tarn_number(between(d, 0, s->size[0])));
        set(e, "interval", tarn_number(fmax(1e-3, s->dt / often)));
    }
    const double each = pour(s, wide, height, height * fall / GRAVITY);
    s->pour += often * each;
    s->norm += each; // the first does not wait
}

static inline void make_emitter(struct story *s)
{
    static const char *const kinds[4] = {"hump", "drops", "rain", "wavemaker"};
    struct dice *d = &s->dice;
    const int wall = below(d, 4), kind = below(d, s->wall[wall] ? 4 : 3);
    tarn_spec e;
    if (s->shallow && chance(d, 0.2)) {
        const double surface = s->w->fluid.rest_level + between(d, 0, 1) * s->level;
        const double high = between(d, 0, 1) * s->size[1], wide = between(d, 0, 1) * s->size[0];
        const double z = between(d, -0.5, 0.5) * s->size[1], x = between(d, -0.5, 0.5) * s->size[0];
        lake_fill(s->w, x, z, wide, high, surface);
        return;
    }
    CHECK_OK(tarn_spec_init(&e, "emitter", kinds[kind], NULL));
    if (kind < 2) set(&e, "position", somewhere(s));
    if (kind == 0) {
        const double radius = scale(d, 0.5 * s->cell, 0.5 * fmin(s->size[0], s->size[1]));
        const double height = between(d, -1, 1) * s->level;
        set(&e, "radius", tarn_number(radius));
        set(&e, "height", tarn_number(height));
        set(&e, "time", tarn_number(between(d, 0, STEPS * s->dt)));
        s->norm += pour(s, radius, height, 0.0);
    } else if (kind == 3) {
        // In a step it pours half the height over the way of a wave, along the wall.
        const double way = fmax(s->cell, s->speed * s->dt), height = scale(d, 1e-3, 1) * s->level;
        set(&e, "side", tarn_word(side_names[wall]));
        set(&e, "height", tarn_number(height));
        set(&e, "period", tarn_number(scale(d, 0.05, 10)));
        pour(s, way, 0.5 * height, 0.0);
        s->pour += 0.5 * height * s->speed * s->dt * sqrt(0.5 * RHO * GRAVITY * s->size[wall < 2] / way);
    } else {
        make_drops(s, &e, kind == 2);
    }
    CHECK_OK(tarn_emitter_create(s->w, &e, NULL));
}

// Quiet worlds: a hump at the very start, now and then.
static inline void make_hump(struct story *s)
{
    struct dice *d = &s->dice;
    if (!chance(d, 0.3)) return;
    const double x = between(d, -0.5, 0.5) * s->size[0], z = between(d, -0.5, 0.5) * s->size[1];
    const double radius = scale(d, 2.0 * s->cell, 0.5 * fmin(s->size[0], s->size[1]));
    const double height = between(d, -0.5, 0.5) * s->level;
    pond_hump(s->w, x, z, radius, height);
    s->norm += pour(s, radius, height, 0.0);
}

#endif
