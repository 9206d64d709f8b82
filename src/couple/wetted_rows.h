// The loop over the wet part of a hull.
#ifndef COUPLE_WETTED_ROWS_H
#define COUPLE_WETTED_ROWS_H

#include "base/kernels.h"
#include "body/shape/shape.h"

// A hull moves through water: everything in the body's axes, about its centre.
struct hull_flow {
    vec3 velocity, angular_velocity; // of the hull through the water [m/s], [rad/s]
    double drag_factor, lift_factor; // 1/2 rho C_D, 1/2 rho C_L
    double drag_orientation;         // omega: how much of that depends on which way a face looks
};

// How deep a point r is: start + slope . r.
struct depth_plane {
    double offset; // [m]
    vec3 gradient;
};

// Sums over the wet part, k = 1/2 rho C_D A_eff |u|.
struct wetted_sums {
    double k;                       // [kg/s] sum k
    double kr[3];                   // sum k r
    double krr[6];                  // sum k r r^T: xx xy xz yy yz zz
    double lift[3], lift_torque[3]; // [N], [N m]
    vec3 pressure, pressure_torque; // per rho g
};

struct wetted_kernels {
    void (*integrate)(const struct trimesh *h, const struct depth_plane *dip, const struct hull_flow *s,
                      struct wetted_sums *out);
};
KERNELS_DECLARE(struct wetted_kernels, wetted_kernels);

#endif
