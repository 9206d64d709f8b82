// The laws that test_random.c checks in every random world: finite values, bounds, volume, energy, restart.
#ifndef TESTS_RANDOM_LAWS_H
#define TESTS_RANDOM_LAWS_H

#include "random_bodies.h"

static const char *const law_names[LAWS] = {"result", "finite", "inside", "volume", "depth",
                                            "energy", "speed",  "splash", "copy"};

struct law_counts {
    int worlds, stopped, violations[LAWS];
    double worst[LAWS];
};

// Print the first violation of each law; a law counts once per world.
static inline void report_violation(struct random_world *s, struct law_counts *t, int law, const char *text,
                                    double got, double most)
{
    if (s->violated[law]) return;
    s->violated[law] = true;
    t->violations[law] += 1;
    print_message("%s seed %llu, step %llu: %s: %s %.4g, allowed %.4g\n", s->shallow ? "shallow" : "wave",
                  (unsigned long long)s->rng.seed, (unsigned long long)tarn_world_get_status(s->w).steps,
                  law_names[law], text, got, most);
}

static inline void check_limit(struct random_world *s, struct law_counts *t, int law, const char *text,
                               double got, double most)
{
    t->worst[law] = fmax(t->worst[law], got / most);
    if (!(got <= most)) report_violation(s, t, law, text, got, most);
}

// ---- energy -----------------------------------------------------------------------------------------

// [J] The semi-implicit Euler method adds gravity to the velocity before it moves a body, so the energy is
// off by m g v dt/2. The sign of this error changes with the velocity in a bounce, hence twice that. For a
// light body the mass of the displaced water counts.
static inline double integration_error(const struct random_world *s)
{
    double sum = 0.0;
    tarn_body_info f;
    for (int k = 0; k < tarn_world_get_status(s->w).body_count; ++k) {
        const tarn_body_state m = body_info(s, tarn_body_at(s->w, k), &f);
        sum += f.mass * GRAVITY * v3_length(m.velocity) * s->dt;
    }
    return sum;
}

// Compare the energy with everything that was put in.
static inline void check_energy(struct random_world *s, struct law_counts *t)
{
    const double now = energy(s->w), input = s->initial_energy + s->max_added_energy,
                 error = integration_error(s);
    const double most = square(sqrt(fmax(0.0, input)) + s->emitted_norm);
    if (s->verbose)
        print_message("      energy %.5g J of %.5g + %.3g J put in, integration error %.3g J\n", now,
                      s->initial_energy, s->max_added_energy, error);
    if (s->triangles) return;
    if (!s->quiet && !s->shallow) check_limit(s, t, ENERGY, "energy in J is", now, 1.03 * most + error);
    const tarn_ledger l = tarn_world_get_ledger(s->w);
    s->max_energy = fmax(s->max_energy, fabs(l.energy_bodies) + fabs(l.energy_water));
    s->max_loss = fmax(s->max_loss, input - now);
    s->max_excess = fmax(s->max_excess, now - input - error);
}

// The energy law of quiet worlds: bodies and water never have more energy than was put in, within 3 % of the
// disturbance (the larger of the largest loss and the energy of thrown bodies and the hump). The displaced
// depth of a column is accurate to a hundredth of a cell: a kinematic body at a wall makes ripples of that
// height. Sums are rounded to 1e-9.
static inline void check_energy_law(struct random_world *s, struct law_counts *t)
{
    const double ripples = 0.01 * RHO * GRAVITY * s->moved_volume * s->cell;
    if (s->quiet && !s->triangles)
        check_limit(s, t, ENERGY, "excess in J is", s->max_excess,
                    0.03 * fmax(s->max_loss, s->thrown_energy + square(s->emitted_norm)) + ripples +
                        1e-9 * s->max_energy);
}

// ---- bodies and water -------------------------------------------------------------------------------

static inline double heaviest(const struct random_world *s)
{
    double most = 0.0;
    tarn_body_info f;
    for (int k = 0; k < tarn_world_get_status(s->w).body_count; ++k) {
        body_info(s, tarn_body_at(s->w, k), &f);
        most = fmax(most, f.mass);
    }
    return most;
}

static inline void check_body(struct random_world *s, struct law_counts *t, tarn_body_id id, bool print)
{
    tarn_body_info f;
    const tarn_body_state m = body_info(s, id, &f);
    const tarn_vec3 p = m.position, v = m.velocity;
    if (!v3_is_finite(p) || !v3_is_finite(v) || !v3_is_finite(m.angular_velocity))
        report_violation(s, t, FINITE, "a body is not", 1, 0);
    // The centre never passes a wall or the bed; contacts tolerate an overlap of 0.1 mm (SLOP).
    const double aside = fmax(fabs(p.x) - 0.5 * s->size[0], fabs(p.z) - 0.5 * s->size[1]);
    check_limit(s, t, INSIDE, "a body's centre is out of the tank by m",
                fmax(bed_height(s, p.x, p.z) - p.y, aside), 1e-4);
    // Bound of the speed: the largest initial speed, the speed of the water, a fall from the greatest height
    // and a rise through the whole depth, where a weightless body accelerates with 2 g at most (its added
    // mass is half of the displaced mass). A bounce off a heavy body doubles the speed. A light body between
    // heavy ones may reach any speed that the energy allows, so bodies much lighter than the heaviest are not
    // checked.
    const double most = s->max_start_speed + s->emitted_speed + sqrt(2.0 * GRAVITY * s->max_start_height) +
                        sqrt(4.0 * GRAVITY * (s->level + f.radius));
    if (!s->shallow && !f.type && f.mass > 0.1 * heaviest(s))
        check_limit(s, t, SPEED, "a body's speed is m/s", v3_length(v), 2.0 * most);
    if (print)
        print_message("    body %u at %.4g %.4g %.4g, v %.4g %.4g %.4g, spin %.4g\n", id_slot(id.value), p.x,
                      p.y, p.z, v.x, v.y, v.z, v3_length(m.angular_velocity));
}

// Shallow water: depths are whole quanta and their sum is exact as long as no depth exceeds 2^24 quanta, the
// precision of float; deeper water is rounded.
static inline void check_depths(struct random_world *s, struct law_counts *t)
{
    const struct grid *g = &s->w->fluid.grid;
    const struct depth_state *water = shallow_state(s->w);
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) s->max_depth = fmax(s->max_depth, (double)water->h[grid_at(g, i, j)]);
    const bool exact =
        s->max_depth <
        0.5 * 16777216.0 * (double)water->quantum; // half: it may have been deeper between two checks
    const tarn_ledger l = tarn_world_get_ledger(s->w);
    const double least = shallow_min_depth(s->w), fast = shallow_max_speed(s->w);
    if (!isfinite(l.volume + fast + least)) report_violation(s, t, FINITE, "the water is not", 1, 0);
    if (!(least >= 0.0)) report_violation(s, t, DEPTH, "the least depth in m is", least, 0);
    if (exact && l.volume_error != 0.0) report_violation(s, t, VOLUME, "drift in m^3 is", l.volume_error, 0);
    check_limit(s, t, VOLUME, "drift in m^3 is", fabs(l.volume_error),
                1e-6 * (fabs(l.volume) + s->moved_volume));
    // Bound of the speed: a fall from the highest bed and surface, plus the driving acceleration; the factor
    // 5 allows for splashes, drops and thin fronts. Bodies drag water along at their own speed.
    const tarn_shallow_def *d = shallow_def_of(&s->w->fluid);
    const double pull = fabs(d->acceleration.x) + fabs(d->shake.amplitude.y);
    const double bodies =
        s->max_start_speed + sqrt(2.0 * GRAVITY * fmax(0.0, s->max_start_height - s->w->fluid.bed_min));
    check_limit(s, t, SPEED, "the water's speed is m/s", fast,
                5.0 * (sqrt(2.0 * GRAVITY * (s->bed_range + s->max_depth)) + pull * STEPS * s->dt) +
                    s->boundary_speed + s->emitted_speed + bodies);
    if (s->verbose)
        print_message(
            "%4d: depths %.4g .. %.4g m, fastest %.4g m/s, volume %.4g m^3, drift %.3g, %d substeps\n",
            (int)tarn_world_get_status(s->w).steps, least, s->max_depth, fast, l.volume, l.volume_error,
            (int)tarn_world_get_status(s->w).substeps);
}

static inline void check_waves(struct random_world *s, struct law_counts *t)
{
    tarn_frame frame = {0};
    double off = 0.0;
    CHECK_OK(tarn_world_get_frame(s->w, 1.0, &frame));
    for (int c = 0; c < frame.nx * frame.nz; ++c) {
        if (!isfinite(frame.height[c])) report_violation(s, t, FINITE, "the surface is not", 1, 0);
        off = fmax(off, fabs((double)frame.height[c] - s->level));
    }
    tarn_frame_free(&frame);
    // Without emitters only bodies make waves: none is higher than the sum of their diameters.
    if (s->emitted_norm + s->emitted_norm_per_step == 0.0)
        check_limit(s, t, SPLASH, "the surface is off its level by m", off, s->diameter_sum);
    const tarn_ledger l = tarn_world_get_ledger(s->w);
    check_limit(s, t, VOLUME, "drift in m^3 is", fabs(l.volume_error),
                1e-6 * (fabs(l.volume) + s->moved_volume));
    if (s->verbose)
        print_message("%4d: surface within %.4g m\n", (int)tarn_world_get_status(s->w).steps, off);
}

// Bodies are checked after every step, the water and the energy if `all` is set.
static inline void check_world(struct random_world *s, struct law_counts *t, bool all)
{
    if (all && s->shallow) check_depths(s, t);
    if (all && !s->shallow) check_waves(s, t);
    if (all) check_energy(s, t);
    for (int k = 0; k < tarn_world_get_status(s->w).body_count; ++k)
        check_body(s, t, tarn_body_at(s->w, k), all && s->verbose);
}
#endif
