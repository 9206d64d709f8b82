// State and scratch of the shallow-water model. See shallow.c for the equations.
#ifndef FLUID_SHALLOW_H
#define FLUID_SHALLOW_H

#include "fluid/depth/depth.h"
#include "shallow_rows.h"

struct shallow {
    struct depth_state depth; // the first member
    const struct shallow_kernels *kernels;
    // scratch of a substep; the names of a union are uses at different times
    union {
        float *h_half, *outflow_limiter; // predicted depth; admissible fraction of the outflow
    };
    union {
        float *u_half, *u_advected, *u_smooth; // predictor; advection alone; velocity smoothed under loads
    };
    union {
        float *v_half, *v_advected, *v_smooth;
    };
    float *unit_row;             // ones: the limiter of rows that are not overdrawn
    unsigned char *row_loaded;   // per row: a load within two rows
    unsigned char *row_has_wall; // per row: the bed has a wall
};

// shallow_step.c
double shallow_substep_dt(const struct fluid *f, double time_left);
void shallow_advance(struct fluid *f, double dt, int count);
void shallow_update_derived(struct fluid *f);

// shallow_boundary.c
// Whether each discharge with a level can enter somewhere on its side.
tarn_result shallow_check_discharges(const struct fluid *f, tarn_error *err);
// Boundaries with a level: their ghost depths at time t, given the velocities at their faces.
void shallow_apply_level_boundary(const struct fluid *f, float *h, const float *u, const float *v, double t);
// Other open boundaries: the velocity at their faces at time t from the state inside; of row j at the west
// and east boundary, of all columns at the south and north boundary. flux, unless NULL, receives the fluxes
// in dt.
void shallow_apply_open_boundary_x(const struct fluid *f, const float *h, float *u, double t, int j,
                                   float *flux_x, float dt_dx);
void shallow_apply_open_boundary_z(const struct fluid *f, const float *h, float *v, double t, float *flux_z,
                                   float dt_dx);

#endif
