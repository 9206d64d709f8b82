// Small ponds for tests.
#ifndef TESTS_WAVE_WORLD_H
#define TESTS_WAVE_WORLD_H

#include "body_def.h"
#include "check.h"
#include "world_setup.h"

#include <tarn/tarn.h>

#include <stdbool.h>

struct wave_world {
    double wide, deep; // [m] along x and z
    int nx, nz;
    double depth;     // [m]
    double dt;        // [s] 0: default
    double damping;   // [1/s]
    double diffusion; // [m^2/s] below 0: default
    const char *side[4];
    int workers;
};

#define TEST_DRAG 0.82 // C_D of bodies in ponds

static inline bool long_mode(void) { return getenv("TARN_LONG") != NULL; }

static inline tarn_world *wave_world_create(const struct wave_world *p)
{
    struct world_setup def = world_setup(TARN_FLUID_WAVE);
    tarn_world *w = NULL;
    tarn_error err = {0};
    if (p->dt > 0.0) def.world.dt = p->dt;
    def.world.host.workers = p->workers;
    def.fluid.wave.size = (tarn_vec2){p->wide, p->deep};
    def.fluid.wave.cells[0] = p->nx, def.fluid.wave.cells[1] = p->nz;
    def.fluid.wave.depth = p->depth;
    def.fluid.wave.damping = p->damping;
    if (p->diffusion >= 0.0) def.fluid.wave.diffusion = p->diffusion;
    for (int i = 0; i < 4; ++i)
        if (p->side[i]) def.fluid.wave.boundary[i] = wave_boundary_of(p->side[i]);
    const tarn_result r = setup_create(&def, &w, &err);
    if (r != TARN_OK) print_message("%s: %s\n", err.key, err.message);
    CHECK_OK(r);
    return w;
}

static inline void add_hump(tarn_world *w, double x, double z, double radius, double height)
{
    tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    hump.hump.position = (tarn_vec2){x, z};
    hump.hump.radius = radius;
    hump.hump.height = height;
    CHECK_OK(tarn_emitter_create(w, &hump, NULL, NULL));
}

static inline tarn_body_id add_sphere(tarn_world *w, double radius, double density, tarn_vec3 at)
{
    tarn_body_def def = body_def("sphere");
    def.drag_coefficient = TEST_DRAG;
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(radius), NULL));
    def.density = density, def.position = at;
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

static inline tarn_body_id add_box(tarn_world *w, tarn_vec3 size, double density, tarn_vec3 at)
{
    tarn_body_def def = body_def("box");
    def.drag_coefficient = TEST_DRAG;
    tarn_body_id id;
    CHECK_OK(set_shape(&def, "size", tarn_value_vec3(size.x, size.y, size.z), NULL));
    def.density = density, def.position = at;
    CHECK_OK(tarn_body_create(w, &def, &id, NULL));
    return id;
}

static inline void run_for(tarn_world *w, double time)
{
    const double until = tarn_world_get_status(w).time + time;
    while (tarn_world_get_status(w).time < until - 1e-9) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
}

// The largest distance of the surface from the depth at rest.
static inline double max_surface_deviation(const tarn_world *w, double depth)
{
    tarn_frame frame = {0};
    double most = 0.0;
    CHECK_OK(tarn_world_get_frame(w, 1.0, &frame));
    for (int c = 0; c < frame.nx * frame.nz; ++c) most = fmax(most, fabs((double)frame.height[c] - depth));
    tarn_frame_free(&frame);
    return most;
}

#endif
