// The loop over the wet part of a hull.
#ifndef COUPLE_WETTED_ROWS_H
#define COUPLE_WETTED_ROWS_H

#include "base/kernels.h"
#include "body/shape.h"

// A hull moves through water: everything in the body's axes, about its centre.
struct stream {
    vec3 velocity, spin; // of the hull through the water [m/s], [rad/s]
    double drag, lift;   // 1/2 rho C_D, 1/2 rho C_L
    double facing;       // omega: how much of that depends on which way a face looks
};

// How deep a point r is: start + slope . r.
struct dip {
    double start; // [m]
    vec3 slope;
};

// Sums over the wet part, k = 1/2 rho C_D A_eff |u|.
struct rubbed {
    double k;                       // [kg/s] sum k
    double kr[3];                   // sum k r
    double krr[6];                  // sum k r r^T: xx xy xz yy yz zz
    double lift[3], lift_at[3];     // [N], [N m]
    vec3 pressure, pressure_torque; // per rho g
};

struct wetted_kernels {
    void (*cut)(const struct hull *h, const struct dip *dip, const struct stream *s, struct rubbed *out);
};
KERNELS_DECLARE(struct wetted_kernels, wetted_kernels);

#endif
