// What a body in the water adds to the energy of both.
//
// A body that fills b of a column whose surface it lifts by l stands in a water that is higher than its own depth
// says: with w the water's height and eta = w + l the surface,
//
//     potential = rho g [ w^2/2 - l^2/2 + int (eta - y) over what the body fills ]
//
// per area, which for l = b is the true energy of the water around the body. Its derivatives are the head eta that the
// water feels and the buoyancy that the body feels. And the water that moves along with a body, its added mass, has
// kinetic energy of its own.
#include "couple.h"

double press_energy(const struct press *p, const struct fluid *f, const struct bodies *b, int i)
{
    const struct form *form = &b->slots[i].cold->figure->form;
    const vec3 v = body_velocity(b, i), spin = body_spin(b, i);
    const struct cargo c = hold_cargo(p, f, form, &b->hot[i]); // what is in a hold moves with it
    const double inside = c.energy + 0.5 * c.mass * v3_dot(v, v);
    if (!p->ni || p->stranded) return inside;
    const double up = (p->added.side - p->added.up) * v.y * v.y;
    const double turn = ADDED_TURN * p->added.up / (ADDED_SIDE * b->slots[i].cold->def.mass);
    const double depth = hull_below(&form->hull, &b->hot[i], &p->surface, f->level).depth;
    const double along =
        0.5 * (p->added.side * v3_dot(v, v) - up) + 0.5 * turn * v3_dot(spin, b->hot[i].angular);
    return f->density * f->gravity * depth + along + inside;
}

double couple_energy(const struct couple *c, const struct fluid *f, const struct bodies *b)
{
    double sum = 0.0, lift = 0.0;
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) sum += press_energy(&c->presses[i], f, b, i);
    for (int k = 0; k < f->pressed_count; ++k)
        for (int j = f->pressed[k].j0; j < f->pressed[k].j1; ++j)
            for (int i = f->pressed[k].i0; i < f->pressed[k].i1; ++i) {
                const double l = f->lift[grid_at(&f->g, i, j)];
                lift += l * l;
            }
    return sum - 0.5 * f->density * f->gravity * f->g.s * f->g.s * lift;
}
