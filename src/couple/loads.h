// Loads of the water on one body.
#ifndef COUPLE_LOADS_H
#define COUPLE_LOADS_H

#include "couple/body_coupling.h"

// ---- wetted/submerged_volume.c ----

// The part of a closed mesh below a plane.
struct submerged_part {
    double volume;         // [m^3]
    vec3 moment;           // [m^4] integral of x and z from the centre of the body; y is not set
    double depth_integral; // [m^4] integral of the depth below the plane
};
struct submerged_part submerged_below(const struct trimesh *h, const struct body_state *state,
                                      const struct plane *surface, double level);

// ---- wetted/submersion.c ----

// Submersion of the hull of a shape at a pose and the forces of the water on it, at rest.
void couple_measure_submersion(const struct fluid *f, const struct shape_data *shape, vec3 position,
                               quat rotation, tarn_submersion *out);

// ---- wetted/wetted_surface.c ----

struct wetted_forces {
    vec3 pressure, pressure_torque; // [N], [N m]
    vec3 drag, drag_torque;
    vec3 lift, lift_torque;
    double damping[6][6]; // -d(drag)/d(velocity, angular velocity)
    double volume;        // [m^3] below the surface
};

struct hull_motion {
    vec3 velocity, angular_velocity; // [m/s], [rad/s]
    vec3 water_velocity;             // [m/s]
};

// Integrate pressure, drag and lift over the part of a hull below a plane.
void integrate_wetted_surface(const struct trimesh *h, const struct body_state *state,
                              const tarn_body_def *def, const struct hull_motion *motion,
                              const struct plane *surface, const struct fluid *f, struct wetted_forces *out);

// ---- floodwater.c ----

struct floodwater {
    double level;       // [m] of its surface above the rest level; -infinity: there is none
    double mass;        // [kg]
    double inflow_rate; // [kg/s]
    vec3 force, torque; // [N], [N m] of its weight on the hull
    double energy;      // [J] potential energy above the rest level
};
struct floodwater floodwater_of(const struct body_coupling *p, const struct fluid *f,
                                const struct shape_data *shape, const struct body_state *state);
// Let water flow in and out over the opening for dt.
struct floodwater floodwater_update(struct body_coupling *p, struct fluid *f, const struct shape_data *shape,
                                    const struct body_state *state, double dt);

// ---- propulsion.c ----

// Forces of the propeller and of the rudder [N], and their torque [N m].
struct propulsion {
    vec3 thruster, rudder, torque;
};
struct propulsion propulsion_of(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                                int i, double dt);

// ---- splash.c ----

// Throw up a ring of water around body i, which moves through the surface for dt.
void add_splash(const struct body_coupling *p, struct fluid *f, const struct bodies *b, int i,
                double strength, double dt);

// ---- energy.c ----

// [J] Part of couple_energy() that belongs to body i; the rest is the energy of the load heads.
double body_coupling_energy(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                            int i);

// ---- loads.c ----

// Forces on the wetted surface of body i in water with the given velocity.
void body_wetted_forces(const struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                        vec3 water_velocity, struct wetted_forces *out);
void report_hydrostatics(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                         const struct wetted_forces *w);
// All loads on body i for dt, as an impulse. Returns the submerged volume [m^3].
double apply_body_loads(struct body_coupling *p, struct fluid *f, struct bodies *b, int i, double strength,
                        double dt);
// The same for models that solve for the vertical pressure: first the other loads, then all.
double predict_body_loads(struct body_coupling *p, struct fluid *f, struct bodies *b, int i, double dt);
void correct_body_loads(struct body_coupling *p, const struct fluid *f, struct bodies *b, int i, double dt);

#endif
