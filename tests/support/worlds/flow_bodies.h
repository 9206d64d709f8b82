// Bodies in the planar model, and the box of fluid around them.
#ifndef TESTS_FLOW_BODIES_H
#define TESTS_FLOW_BODIES_H

#include "body_def.h"
#include "check.h"
#include "world_setup.h"

#include "world/world.h"

static inline tarn_world *box_of(int n, double dt, double viscosity, const char *advection,
                                 const char *coupling)
{
    struct world_setup def = world_setup(TARN_FLUID_FLOW);
    tarn_world *w;
    tarn_error err;
    def.world.dt = dt;
    def.fluid.flow.cells[0] = n, def.fluid.flow.cells[1] = n;
    def.fluid.flow.viscosity = viscosity;
    def.fluid.flow.advection = flow_advection_of(advection);
    def.world.coupling = strcmp(coupling, "weak") == 0 ? TARN_COUPLING_WEAK : TARN_COUPLING_STRONG;
    CHECK_OK(setup_create(&def, &w, &err));
    return w;
}

static inline tarn_body_id disc(tarn_world *w, double radius, double density, double x, double y)
{
    tarn_body_def def = body_def("circle");
    tarn_body_id id;
    tarn_error err;
    set_shape(&def, "radius", tarn_value_number(radius), NULL);
    def.density = density;
    def.position = (tarn_vec3){x, y, 0};
    CHECK_OK(tarn_body_create(w, &def, &id, &err));
    return id;
}

static inline tarn_body_state motion(const tarn_world *w, tarn_body_id id)
{
    tarn_body_state m;
    CHECK_OK(tarn_body_get_state(w, id, &m));
    return m;
}

static inline double energy(const tarn_world *w)
{
    const tarn_ledger l = tarn_world_get_ledger(w);
    return l.energy_water + l.energy_bodies;
}

static inline void step(tarn_world *w, int count)
{
    for (int i = 0; i < count; ++i) CHECK_OK(tarn_world_advance(w, w->def.dt));
}

static inline void stand(tarn_world *w, const tarn_obstacle_def *o)
{
    tarn_error err;
    CHECK_OK(tarn_obstacle_create(w, o, NULL, &err));
}

static inline tarn_obstacle_def slab(double wide, double high, double x, double y)
{
    tarn_obstacle_def o = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    o.box.size = (tarn_vec2){wide, high};
    o.motion.position.x = x, o.motion.position.y = y;
    return o;
}

#endif
