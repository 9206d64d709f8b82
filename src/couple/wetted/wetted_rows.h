// The kernel that integrates pressure, drag and lift over the wetted surface of a hull.
#ifndef COUPLE_WETTED_ROWS_H
#define COUPLE_WETTED_ROWS_H

#include "base/parallel/kernels.h"
#include "body/shape/shape.h"

// Motion of a hull through water in body axes, about the centre of the body.
struct hull_flow {
    vec3 velocity, angular_velocity; // of the hull through the water [m/s], [rad/s]
    double drag_factor, lift_factor; // 1/2 rho C_D, 1/2 rho C_L
    double drag_orientation;         // omega: fraction of the drag that depends on the orientation of faces
};

// Depth of a point r: offset + gradient . r.
struct depth_plane {
    double offset; // [m]
    vec3 gradient;
};

// Sums over the wetted surface, k = 1/2 rho C_D A_eff |u|.
struct wetted_sums {
    double k;                       // [kg/s] sum k
    double kr[3];                   // sum k r
    double krr[6];                  // sum k r r^T: xx xy xz yy yz zz
    double lift[3], lift_torque[3]; // [N], [N m]
    vec3 pressure, pressure_torque; // per rho g
};

struct wetted_kernels {
    void (*integrate)(const struct trimesh *h, const struct depth_plane *plane, const struct hull_flow *s,
                      struct wetted_sums *out);
};
KERNELS_DECLARE(struct wetted_kernels, wetted_kernels);

#endif
