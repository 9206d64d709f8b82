// The energy of bodies and of the water that carries them.
//
// With coupling strength alpha a body has its full buoyancy and the water alpha times the displaced depth.
// What is conserved is water + alpha bodies, where displaced water does not count:
//
//     E = int rho g (h^2/2 - h alpha b) + kinetic + alpha rho g int_sunk (h - y) dV + alpha (m g y + kinetic)
//
// with h the lifted surface: the ledger's energy but for (1 - alpha) of what belongs to bodies. Check on a
// wall-sided body over one column, b = h - y and h = w + alpha b: then dE/dw = rho g h, which moves the
// water, and dE/dy = -alpha rho g b, which is alpha times the force on the body.
#ifndef TESTS_ENERGY_H
#define TESTS_ENERGY_H

#include "floating.h"

#include "world/world.h"

// [J]
static inline double energy(const tarn_world *w)
{
    const tarn_ledger l = tarn_world_get_ledger(w); // counts what bodies fill and take along in full
    double full = l.energy_bodies;
    for (int i = 0; i < w->bodies.slot_count; ++i)
        if (body_exists(&w->bodies, i))
            full += body_coupling_energy(&w->coupling.per_body[i], &w->fluid, &w->bodies, i);
    return l.energy_water + l.energy_bodies - (1.0 - w->coupling.strength) * full;
}

#endif
