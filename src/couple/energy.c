// Energy that a body in the water adds to the energies of the water and of the bodies.
//
// Potential energy per area of a column with water height w, load head l, surface eta = w + l and displaced
// depth b:
//
//     rho g [ w^2/2 - l^2/2 + int (eta - y) dy over the displaced depth ]
//
// For l = b this is the energy of the water around the body. Its derivatives are the head eta on the water
// and the buoyancy of the body. Kinetic energy: the added mass moves with the body.
#include "coupling.h"

double body_coupling_energy(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                            int i)
{
    const struct shape_data *shape = &b->slots[i].body->def.shape->data;
    const vec3 v = body_velocity(b, i), w = body_angular_velocity(b, i);
    const struct floodwater water = floodwater_of(p, f, shape, &b->state[i]); // moves with the hull
    const double floodwater_energy = water.energy + 0.5 * water.mass * v3_dot(v, v);
    if (!p->ni || p->has_no_water) return floodwater_energy;
    const double vertical = (p->added_mass.horizontal - p->added_mass.vertical) * v.y * v.y;
    const double inertia_ratio = ADDED_INERTIA_COEFFICIENT * p->added_mass.vertical /
                                 (ADDED_MASS_COEFFICIENT * b->slots[i].body->def.mass);
    const double depth =
        submerged_below(&shape->hull, &b->state[i], &p->surface_plane, f->rest_level).depth_integral;
    const double kinetic = 0.5 * (p->added_mass.horizontal * v3_dot(v, v) - vertical) +
                           0.5 * inertia_ratio * v3_dot(w, b->state[i].angular_momentum);
    return f->density * f->gravity * depth + kinetic + floodwater_energy;
}

double couple_energy(const struct coupling *c, const struct fluid *f, const struct bodies *b)
{
    double sum = 0.0, head_square = 0.0;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i)) sum += body_coupling_energy(&c->per_body[i], f, b, i);
    for (int k = 0; k < f->loaded_count; ++k)
        for (int j = f->loaded_rects[k].j0; j < f->loaded_rects[k].j1; ++j)
            for (int i = f->loaded_rects[k].i0; i < f->loaded_rects[k].i1; ++i) {
                const double head = f->load_head[grid_at(&f->grid, i, j)];
                head_square += head * head;
            }
    return sum - 0.5 * f->density * f->gravity * f->grid.dx * f->grid.dx * head_square;
}
