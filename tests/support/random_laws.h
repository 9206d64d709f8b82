// What every random world must keep.
#ifndef TESTS_RANDOM_LAWS_H
#define TESTS_RANDOM_LAWS_H

#include "random_bodies.h"

static const char *const law_names[LAWS] = {"result", "finite", "inside", "volume", "depth",
                                            "energy", "speed",  "splash", "twin"};

struct tally {
    int worlds, stopped, broken[LAWS];
    double worst[LAWS];
};

// The first breach of each law is told; a law counts once a world.
static inline void breach(struct story *s, struct tally *t, int law, const char *text, double got,
                          double most)
{
    if (s->broken[law]) return;
    s->broken[law] = true;
    t->broken[law] += 1;
    print_message("%s seed %llu, step %llu: %s: %s %.4g, allowed %.4g\n", s->shallow ? "shallow" : "wave",
                  (unsigned long long)s->dice.seed, (unsigned long long)tarn_world_status(s->w).steps,
                  law_names[law], text, got, most);
}

static inline void measure(struct story *s, struct tally *t, int law, const char *text, double got,
                           double most)
{
    t->worst[law] = fmax(t->worst[law], got / most);
    if (!(got <= most)) breach(s, t, law, text, got, most);
}

// ---- energy -----------------------------------------------------------------------------------------

// [J] Gravity kicks, then bodies drift: what they have is off by m g v dt/2 of a short step, whose sign turns with the
// velocity in a bounce. A light body is kicked by the water that it displaces.
static inline double off_by_kicks(const struct story *s)
{
    double sum = 0.0;
    tarn_body_facts f;
    for (int k = 0; k < tarn_world_status(s->w).bodies; ++k) {
        const tarn_motion m = find(s, tarn_body_at(s->w, k), &f);
        sum += f.mass * GRAVITY * v3_length(m.velocity) * s->dt;
    }
    return sum;
}

// What is there besides all that was put in.
static inline void look_at_energy(struct story *s, struct tally *t)
{
    const double now = energy(s->w), given = s->given + s->extra, kicks = off_by_kicks(s);
    const double most = square(sqrt(fmax(0.0, given)) + s->norm);
    if (s->verbose)
        print_message("      energy %.5g J of %.5g + %.3g given, kicks %.3g J\n", now, s->given, s->extra,
                      kicks);
    if (s->triangles) return;
    if (!s->quiet && !s->shallow) measure(s, t, ENERGY, "energy in J is", now, 1.03 * most + kicks);
    const tarn_ledger l = tarn_world_ledger(s->w);
    s->books = fmax(s->books, fabs(l.energy_bodies) + fabs(l.energy_water));
    s->lost = fmax(s->lost, given - now);
    s->excess = fmax(s->excess, now - given - kicks);
}

// The law of quiet worlds: bodies and water never have more than they were given, but for 3 % of the disturbance, which
// is the most that they have lost at any time, or what was thrown and the hump. Columns know a hull to a hundredth of a
// cell: at a wall a body that is held makes ripples of that height. And sums are rounded.
static inline void judge_energy(struct story *s, struct tally *t)
{
    const double ripples = 0.01 * RHO * GRAVITY * s->moved * s->cell;
    if (s->quiet && !s->triangles)
        measure(s, t, ENERGY, "excess in J is", s->excess,
                0.03 * fmax(s->lost, s->thrown + square(s->norm)) + ripples + 1e-9 * s->books);
}

// ---- bodies and water -------------------------------------------------------------------------------

static inline double heaviest(const struct story *s)
{
    double most = 0.0;
    tarn_body_facts f;
    for (int k = 0; k < tarn_world_status(s->w).bodies; ++k) {
        find(s, tarn_body_at(s->w, k), &f);
        most = fmax(most, f.mass);
    }
    return most;
}

static inline void look_at_body(struct story *s, struct tally *t, tarn_body id, bool tell)
{
    tarn_body_facts f;
    const tarn_motion m = find(s, id, &f);
    const tarn_vec3 p = m.position, v = m.velocity;
    if (!v3_is_finite(p) || !v3_is_finite(v) || !v3_is_finite(m.spin))
        breach(s, t, FINITE, "a body is not", 1, 0);
    // The centre never passes a wall or the floor; what contacts leave alone is their SLOP of 0.1 mm.
    const double aside = fmax(fabs(p.x) - 0.5 * s->size[0], fabs(p.z) - 0.5 * s->size[1]);
    measure(s, t, INSIDE, "a body's centre is out of the tank by m", fmax(ground(s, p.x, p.z) - p.y, aside),
            1e-4);
    // No faster than the fastest start, a fall from the highest start, the water, and a rise through all of
    // it, where a weightless body is pushed with 2 g at most (its added mass is half of what it displaces).
    // A bounce off something heavy doubles a speed; a light body between heavy ones is bounced to and fro, as fast as
    // the energy allows, so only those not much lighter than all others are judged.
    const double most =
        s->fast + s->water + sqrt(2.0 * GRAVITY * s->top) + sqrt(4.0 * GRAVITY * (s->level + f.radius));
    if (!s->shallow && !f.external && f.mass > 0.1 * heaviest(s))
        measure(s, t, SPEED, "a body's speed is m/s", v3_length(v), 2.0 * most);
    if (tell)
        print_message("    body %u at %.4g %.4g %.4g, v %.4g %.4g %.4g, spin %.4g\n", id.index, p.x, p.y, p.z,
                      v.x, v.y, v.z, v3_length(m.spin));
}

// Shallow water: depths are whole quanta and add up exactly, as long as none has more than 2^24 of them;
// deeper water is rounded like everything else.
static inline void look_at_depths(struct story *s, struct tally *t)
{
    const struct grid *g = &s->w->fluid.grid;
    const struct shallow *water = lake_inside(s->w);
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) s->deepest = fmax(s->deepest, (double)water->h[grid_at(g, i, j)]);
    const bool exact =
        s->deepest < 0.5 * 16777216.0 * (double)water->quantum; // half: it may have been deeper between
    const tarn_ledger l = tarn_world_ledger(s->w);
    const double least = lake_least(s->w), fast = lake_speed(s->w);
    if (!isfinite(l.volume + fast + least)) breach(s, t, FINITE, "the water is not", 1, 0);
    if (!(least >= 0.0)) breach(s, t, DEPTH, "the least depth in m is", least, 0);
    if (exact && l.volume_drift != 0.0) breach(s, t, VOLUME, "drift in m^3 is", l.volume_drift, 0);
    measure(s, t, VOLUME, "drift in m^3 is", fabs(l.volume_drift), 1e-6 * (fabs(l.volume) + s->moved));
    // Water falls from the highest ground and the highest surface at most, and is pulled; five times that
    // leaves room for splashes, drops and thin water that runs out ahead. Bodies drag it along, as fast as they are.
    const struct shallow_def *d = shallow_def_of(&s->w->fluid);
    const double pull = fabs(d->acceleration[0]) + fabs(d->shake_amplitude[1]);
    const double bodies = s->fast + sqrt(2.0 * GRAVITY * fmax(0.0, s->top - s->w->fluid.bed_min));
    measure(s, t, SPEED, "the water's speed is m/s", fast,
            5.0 * (sqrt(2.0 * GRAVITY * (s->fall + s->deepest)) + pull * STEPS * s->dt) + s->told + s->water +
                bodies);
    if (s->verbose)
        print_message("%4d: depths %.4g .. %.4g m, fastest %.4g m/s, volume %.4g m^3, drift %.3g, %d inner\n",
                      (int)tarn_world_status(s->w).steps, least, s->deepest, fast, l.volume, l.volume_drift,
                      (int)tarn_world_status(s->w).inner);
}

static inline void look_at_waves(struct story *s, struct tally *t)
{
    tarn_frame frame = {0};
    double off = 0.0;
    CHECK_OK(tarn_world_frame(s->w, 1.0, &frame));
    for (int c = 0; c < frame.nx * frame.nz; ++c) {
        if (!isfinite(frame.height[c])) breach(s, t, FINITE, "the surface is not", 1, 0);
        off = fmax(off, fabs((double)frame.height[c] - s->level));
    }
    tarn_frame_free(&frame);
    // Without emitters all waves come from bodies: none is higher than all of them on top of each other.
    if (s->norm + s->pour == 0.0) measure(s, t, SPLASH, "the surface is off its level by m", off, s->across);
    const tarn_ledger l = tarn_world_ledger(s->w);
    measure(s, t, VOLUME, "drift in m^3 is", fabs(l.volume_drift), 1e-6 * (fabs(l.volume) + s->moved));
    if (s->verbose) print_message("%4d: surface within %.4g m\n", (int)tarn_world_status(s->w).steps, off);
}

// Bodies after every step, the water now and then.
static inline void look(struct story *s, struct tally *t, bool all)
{
    if (all && s->shallow) look_at_depths(s, t);
    if (all && !s->shallow) look_at_waves(s, t);
    if (all) look_at_energy(s, t);
    for (int k = 0; k < tarn_world_status(s->w).bodies; ++k)
        look_at_body(s, t, tarn_body_at(s->w, k), all && s->verbose);
}
#endif
