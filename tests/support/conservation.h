// Bodies that move through water: conservation of the momentum and energy of both.
#ifndef TESTS_CONSERVATION_H
#define TESTS_CONSERVATION_H

#include "body_def.h"
#include "shallow_world.h"

#define RHO 1000.0

static const char *const kinds[] = {"sphere", "box", "cylinder", "cone", "torus"};
static const char *const periodic[4] = {"periodic", "periodic", "periodic", "periodic"};

// [kg m/s] |m v| of all bodies and rho h |u| of all water.
static inline double motion_in(const tarn_world *w)
{
    const struct grid *g = &w->fluid.grid;
    const struct depth_state *s = shallow_state(w);
    double sum = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const double u = s->u[c], v = s->v[c];
            sum += RHO * g->dx * g->dx * (double)s->h[c] * sqrt(u * u + v * v);
        }
    for (int i = 0; i < w->bodies.slot_count; ++i) sum += v3_length(w->bodies.state[i].momentum);
    return sum;
}

// Five bodies that go to and fro in a periodic lake of this depth [m], [kg/m^3], [m/s]: how far the momentum
// of all is off at most (`most`, of motion_in), what walls and ground gave left out; none of it may be lost
// to the sink.
struct moving_bodies {
    double depth, density, speed, most;
};

static inline void check_momentum(const struct world_setup *def, const struct moving_bodies *p)
{
    tarn_world *w = shallow_world_create(def);
    for (int i = 0; i < COUNT(kinds); ++i) {
        tarn_body_def body = body_def(kinds[i]);
        tarn_body_id id;
        body.density = p->density * (i == 1 ? 2.0 : 1.0);
        body.position = (tarn_vec3){i - 2.0, p->depth + 0.3 * (i % 2), 0.9 * (i - 2)};
        body.velocity = (tarn_vec3){p->speed * (i % 2 ? -1 : 1), 0, 0.3 * p->speed * (i - 1)};
        CHECK_OK(tarn_body_create(w, &body, &id, NULL));
    }
    const tarn_vec3 start = tarn_world_get_ledger(w).momentum_bodies;
    double worst = 0.0, lost = 0.0;
    for (int n = 0; n < (long_mode() ? 20 : 5); ++n) {
        run_for(w, 1);
        const tarn_ledger l = tarn_world_get_ledger(w);
        const tarn_vec3 now = v3_sub(v3_add(l.momentum_bodies, l.momentum_water), l.momentum_walls);
        const double scale = motion_in(w);
        worst = fmax(worst, hypot(now.x - start.x, now.z - start.z) / scale);
        lost = fmax(lost, hypot(l.momentum_unresolved.x, l.momentum_unresolved.z) / scale);
        assert_true(l.volume_error == 0.0);
    }
    print_message("%.1f m deep, %.0f kg/m^3, %.0f m/s: momentum off by %.2g, to the sink %.2g\n", p->depth,
                  p->density, p->speed, worst, lost);
    assert_true(worst < p->most && lost < 1e-5);
    tarn_world_destroy(w);
}

static inline double energy_of(const tarn_world *w)
{
    const tarn_ledger l = tarn_world_get_ledger(w);
    return l.energy_bodies + l.energy_water;
}

// By how much water and a body, left alone for 5 s, exceed the energy of the start, of what there is to be
// lost.
static inline double energy_rise(const struct world_setup *def, const tarn_body_def *body)
{
    tarn_world *w = shallow_world_create(def);
    tarn_body_id id;
    CHECK_OK(tarn_body_create(w, body, &id, NULL));
    const double start = energy_of(w);
    double most = start, least = start;
    for (int s = 0; s < 300; ++s) {
        CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
        most = fmax(most, energy_of(w)), least = fmin(least, energy_of(w));
    }
    const double floor = 1e-6 * fabs(start); // some start at rest
    const double rise = (most - start) / (start - least + floor);
    if (rise > 0.03)
        print_message("%s, %s of %.0f kg/m^3 from %.1f m: + %.2g J of %.3g\n",
                      tarn_kind_at("fluid", (int)def->fluid.type)->name, kind_name_of(body->shape),
                      body->density, body->position.y, most - start, start - least);
    tarn_world_destroy(w);
    return rise;
}

// The k-th of its kind, over a depth of 3 m: any density, from under water to above it, thrown and turning.
static inline tarn_body_def body_to_drop(const char *kind, int density, int start, int k)
{
    static const double starts[] = {1.0, 2.4, 3.0, 3.6}; // [m] of the centre
    static const int densities[] = {20, 500, 900, 2500};
    tarn_body_def body = body_def(kind);
    body.density = densities[density], body.position = (tarn_vec3){0.1, starts[start], 0.2};
    body.velocity = (tarn_vec3){k % 5, 0, 0}, body.angular_velocity = (tarn_vec3){0, 0, k % 7};
    return body;
}

#endif
