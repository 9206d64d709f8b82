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

// Integral of max(d, 0)^2 over a triangle of unit area, d linear with these values at the corners.
static double square_of_depth(const double d[3])
{
    int wet = 0, odd = 0;
    for (int k = 0; k < 3; ++k) wet += d[k] > 0.0;
    const double all =
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[0] * d[1] + d[1] * d[2] + d[2] * d[0]) / 6.0;
    if (wet == 0 || wet == 3) return wet ? all : 0.0;
    while ((d[odd] > 0.0) != (wet == 1)) ++odd; // the corner that is alone on its side
    const double one = d[odd], two = d[(odd + 1) % 3], three = d[(odd + 2) % 3];
    const double tip = one / (one - two) * (one / (one - three)) * one * one / 6.0;
    return wet == 1 ? tip : all - tip;
}

// Gauss, with the field -(depth^2/2) up: int depth dV = -1/2 int depth^2 n_y dA.
static double submerged_depth(const struct press *p, const struct fluid *f, const struct hull *h,
                              const struct body_hot *at)
{
    const mat3 turn = quat_matrix(at->rotation);
    const vec3 up = mat3_mul_t(&turn, v3(0, 1, 0)),
               slope = mat3_mul_t(&turn, v3(p->surface.b, -1.0, p->surface.c));
    const double start = p->surface.a - (at->position.y - f->level);
    double sum = 0.0;
    for (int t = 0; t < h->triangle_count; ++t) {
        double d[3];
        for (int k = 0; k < 3; ++k) d[k] = start + v3_dot(slope, h->vertices[h->triangles[t][k]]);
        sum -= 0.5 * square_of_depth(d) * h->facets[t].area * v3_dot(h->facets[t].normal, up);
    }
    return sum;
}

double couple_energy(const struct couple *c, const struct fluid *f, const struct bodies *b)
{
    double depth = 0.0, lift = 0.0, along = 0.0;
    for (int i = 0; i < b->count; ++i) {
        const struct press *p = &c->presses[i];
        if (!bodies_alive(b, i) || !p->ni || p->stranded) continue;
        const vec3 v = body_velocity(b, i), spin = body_spin(b, i);
        const double turn = ADDED_TURN * p->added / (ADDED_SIDE * b->slots[i].cold->def.mass);
        depth += submerged_depth(p, f, &b->slots[i].cold->figure->form.hull, &b->hot[i]);
        along += 0.5 * p->added * v3_dot(v, v) + 0.5 * turn * v3_dot(spin, b->hot[i].angular);
    }
    for (int k = 0; k < f->pressed_count; ++k)
        for (int j = f->pressed[k].j0; j < f->pressed[k].j1; ++j)
            for (int i = f->pressed[k].i0; i < f->pressed[k].i1; ++i) {
                const double l = f->lift[grid_at(&f->g, i, j)];
                lift += l * l;
            }
    return f->density * f->gravity * (depth - 0.5 * f->g.s * f->g.s * lift) + along;
}
