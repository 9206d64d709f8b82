// The energy of bodies and the water that they press on.
//
// A body of a couple with strength alpha feels all of its buoyancy, the water alpha of what it fills. What the two keep
// together is therefore water + alpha bodies, where what a body fills is no water:
//
//     E = int rho g (h^2/2 - h alpha b) + kinetic + alpha rho g int_sunk (h - y) dV + alpha (m g y + kinetic)
//
// with h the lifted surface: the ledger's energy but for (1 - alpha) of what belongs to bodies. Check on a wall-sided body over one column, b = h - y and h = w + alpha b: then
// dE/dw = rho g h, which moves the water, and dE/dy = -alpha rho g b, which is alpha times the force on the body.
#ifndef TESTS_ENERGY_H
#define TESTS_ENERGY_H

#include "afloat.h"

#include "world/world.h"

// [J]
static inline double energy(const tarn_world *w)
{
    const struct fluid *f = &w->fluid;
    const double rho_g = f->density * f->gravity, alpha = w->couple.strength;
    const tarn_ledger l = tarn_world_ledger(w); // counts what bodies fill and take along in full
    double full = l.energy_bodies;
    for (int i = 0; i < w->bodies.count; ++i) {
        const struct press *p = &w->couple.presses[i];
        if (!bodies_alive(&w->bodies, i)) continue;
        const vec3 v = body_velocity(&w->bodies, i), spin = body_spin(&w->bodies, i);
        if (p->inside > 0.0) { // water in a hold is a part of the body
            const struct cargo c =
                hold_cargo(p, f, &w->bodies.slots[i].cold->figure->form, &w->bodies.hot[i]);
            full += c.energy + 0.5 * c.mass * v3_dot(v, v);
        }
        if (!p->ni || p->stranded) continue;
        const double turn = ADDED_TURN * p->added / (ADDED_SIDE * w->bodies.slots[i].cold->def.mass);
        const struct hull *hull = &w->bodies.slots[i].cold->figure->form.hull;
        full += rho_g * hull_below(hull, &w->bodies.hot[i], &p->surface, f->level).depth;
        full += 0.5 * p->added * v3_dot(v, v) + 0.5 * turn * v3_dot(spin, w->bodies.hot[i].angular);
    }
    return l.energy_water + l.energy_bodies - (1.0 - alpha) * full;
}

#endif
