// The energy of bodies and the water that they press on.
//
// A body of a couple with strength alpha feels all of its buoyancy, the water alpha of what it fills. What the two keep
// together is therefore water + alpha bodies, where what a body fills is no water:
//
//     E = int rho g h^2/2 + kinetic - alpha rho g int_sunk y dV + alpha (m g y + kinetic)
//
// with h the lifted surface. Check on a wall-sided body over one column, b = h - y and h = w + alpha b: then
// dE/dw = rho g h, which moves the water, and dE/dy = -alpha rho g b, which is alpha times the force on the body.
#ifndef TESTS_ENERGY_H
#define TESTS_ENERGY_H

#include "afloat.h"

#include "world/world.h"

// [m^4] integral of the height above level over what of a body is under the plane that the couple has fitted to the water:
// tetrahedra from the point of the plane over the centre to every wet triangle; the cut itself adds nothing.
static inline double sunk_moment(const tarn_world *w, int slot)
{
    const struct press *p = &w->couple.presses[slot];
    const struct body_hot *at = &w->bodies.hot[slot];
    const struct hull *h = &w->bodies.slots[slot].cold->figure->form.hull;
    double sum = 0.0;
    if (!p->ni) return 0.0;
    const vec3 apex = v3(0, p->surface.a, 0);
    for (int t = 0; t < h->triangle_count; ++t) {
        vec3 r[3], q[4];
        double d[3];
        int count = 0;
        for (int k = 0; k < 3; ++k) {
            r[k] = quat_turn(at->rotation, h->vertices[h->triangles[t][k]]);
            r[k].y += at->position.y - w->fluid.level;
            d[k] = p->surface.a + p->surface.b * r[k].x + p->surface.c * r[k].z - r[k].y;
        }
        for (int k = 0; k < 3; ++k) {
            const int n = (k + 1) % 3;
            if (d[k] >= 0.0) q[count++] = r[k];
            if ((d[k] >= 0.0) != (d[n] >= 0.0))
                q[count++] = v3_madd(r[k], d[k] / (d[k] - d[n]), v3_sub(r[n], r[k]));
        }
        for (int k = 1; k + 1 < count; ++k) {
            const vec3 a = v3_sub(q[0], apex), b = v3_sub(q[k], apex), c = v3_sub(q[k + 1], apex);
            const double volume = v3_dot(a, v3_cross(b, c)) / 6.0;
            sum += volume * (apex.y + q[0].y + q[k].y + q[k + 1].y) / 4.0;
        }
    }
    return sum;
}

// [J]
static inline double energy(const tarn_world *w)
{
    const struct fluid *f = &w->fluid;
    const double rho_g = f->density * f->gravity, alpha = w->couple.strength;
    const tarn_ledger l = tarn_world_ledger(w);
    double sum = l.energy_water + alpha * l.energy_bodies;
    for (int i = 0; i < w->bodies.count; ++i)
        if (bodies_alive(&w->bodies, i)) sum -= alpha * rho_g * sunk_moment(w, i);
    if (strcmp(f->kind->kind.name, "shallow") != 0 || !f->lift) return sum;
    double lifted = 0.0; // wave counts this itself
    for (int j = 0; j < f->g.nz; ++j)
        for (int i = 0; i < f->g.nx; ++i) {
            const double lift = f->lift[grid_at(&f->g, i, j)];
            float h;
            f->kind->surface(f, j, i, i + 1, &h);
            lifted += lift * (2.0 * (double)h - lift);
        }
    return sum + 0.5 * rho_g * f->g.s * f->g.s * lifted;
}

#endif
