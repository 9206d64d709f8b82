// Bodies in a plane, and the box of fluid that they are in.
#ifndef TESTS_FLOW_BODIES_H
#define TESTS_FLOW_BODIES_H

#include "check.h"

#include "world/world.h"

static inline tarn_world *box_of(int n, double dt, double viscosity, const char *advection,
                                 const char *coupling)
{
    tarn_world_def def = tarn_world_def_default("flow");
    tarn_world *w;
    tarn_error err;
    def.dt = dt;
    tarn_spec_set(&def.fluid, "cells", tarn_pair(n, n), NULL);
    tarn_spec_set(&def.fluid, "viscosity", tarn_number(viscosity), NULL);
    tarn_spec_set(&def.fluid, "advection", tarn_word(advection), NULL);
    tarn_spec_set(&def.fluid, "coupling", tarn_word(coupling), NULL);
    CHECK_OK(tarn_world_create(&def, &w, &err));
    return w;
}

static inline tarn_body disc(tarn_world *w, double radius, double density, double x, double y)
{
    tarn_body_def def = tarn_body_def_default("circle");
    tarn_body id;
    tarn_error err;
    tarn_spec_set(&def.shape, "radius", tarn_number(radius), NULL);
    def.density = density;
    def.position = (tarn_vec3){x, y, 0};
    CHECK_OK(tarn_body_create(w, &def, &id, &err));
    return id;
}

static inline tarn_motion motion(const tarn_world *w, tarn_body id)
{
    tarn_motion m;
    CHECK_OK(tarn_body_motion(w, id, &m));
    return m;
}

static inline double energy(const tarn_world *w)
{
    const tarn_ledger l = tarn_world_ledger(w);
    return l.energy_water + l.energy_bodies;
}

static inline void step(tarn_world *w, int count)
{
    for (int i = 0; i < count; ++i) CHECK_OK(tarn_world_step(w, w->def.dt));
}

static inline void stand(tarn_world *w, const tarn_obstacle_def *o)
{
    tarn_error err;
    CHECK_OK(tarn_obstacle_create(w, o, &err));
}

static inline tarn_obstacle_def slab(double wide, double high, double x, double y)
{
    tarn_obstacle_def o = tarn_obstacle_def_default("box");
    tarn_spec_set(&o.shape, "size", tarn_pair(wide, high), NULL);
    o.position[0] = x, o.position[1] = y;
    return o;
}

#endif
