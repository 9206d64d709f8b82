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
#include "coupling.h"

double body_coupling_energy(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                            int i)
{
    const struct shape_data *form = &b->slots[i].body->geometry->shape;
    const vec3 v = body_velocity(b, i), spin = body_angular_velocity(b, i);
    const struct floodwater c = floodwater_of(p, f, form, &b->state[i]); // what is in a hold moves with it
    const double inside = c.energy + 0.5 * c.mass * v3_dot(v, v);
    if (!p->ni || p->has_no_water) return inside;
    const double up = (p->added_mass.horizontal - p->added_mass.vertical) * v.y * v.y;
    const double turn = ADDED_INERTIA_COEFFICIENT * p->added_mass.vertical /
                        (ADDED_MASS_COEFFICIENT * b->slots[i].body->def.mass);
    const double depth =
        submerged_below(&form->hull, &b->state[i], &p->surface_plane, f->rest_level).depth_integral;
    const double along = 0.5 * (p->added_mass.horizontal * v3_dot(v, v) - up) +
                         0.5 * turn * v3_dot(spin, b->state[i].angular_momentum);
    return f->density * f->gravity * depth + along + inside;
}

double couple_energy(const struct coupling *c, const struct fluid *f, const struct bodies *b)
{
    double sum = 0.0, lift = 0.0;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i)) sum += body_coupling_energy(&c->per_body[i], f, b, i);
    for (int k = 0; k < f->loaded_count; ++k)
        for (int j = f->loaded_rects[k].j0; j < f->loaded_rects[k].j1; ++j)
            for (int i = f->loaded_rects[k].i0; i < f->loaded_rects[k].i1; ++i) {
                const double l = f->load_head[grid_at(&f->grid, i, j)];
                lift += l * l;
            }
    return sum - 0.5 * f->density * f->gravity * f->grid.dx * f->grid.dx * lift;
}
