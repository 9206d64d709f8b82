// Kernels of the contact solver. A batch holds eight contacts of which no two share a dynamic body.
#ifndef BODY_SOLVE_CONTACT_ROWS_H
#define BODY_SOLVE_CONTACT_ROWS_H

#include "base/parallel/kernels.h"
#include "base/parallel/simd.h"
#include "body/collide/narrow_phase.h"

#define BATCH_LANES 8 // of f32x8

// A solver body. Single precision suffices: momenta, poses and the gaps at detection are double, and these
// are changes since then. Both structs are padded to one SIMD vector.
struct solver_motion {
    float v[8]; // linear x y z, angular x y z: velocity [m/s], [rad/s], displacement or acceleration; 0, 0
};
#define LOCKED_TRANSLATION 7 // bits 1, 2, 4: no motion along x, y, z
struct solver_inverse_mass {
    float
        m[8]; // 1/mass [1/kg]; inverse inertia xx xy xz yy yz zz [1/(kg m^2)], world axes; LOCKED_TRANSLATION
};

// One contact point in each lane.
struct batch_point {
    f32x8 offset_1, offset_2; // [m] from the centroid of the points, along tangent_1 and tangent_2
    f32x8 effective_mass;     // [kg] along the normal; 0: no point in this lane
    f32x8 closing_limit;      // [m/s] speculative contact: gap / dt, the closing speed that is allowed
    f32x8 normal_impulse;     // [kg m/s] accumulated
};

// The same point in the solution of impacts (restitution).
struct impact_point {
    f32x8 is_impact, target_speed; // 1 or 0; [m/s] separation speed after the impact
    f32x8 impulse;                 // [kg m/s] accumulated in this round
    f32x8 total_impulse;           // [kg m/s] of all impacts since detection
    f32x8 max_speed;               // [m/s] largest approach speed since detection
};

struct friction_impulse {
    f32x8 tangent_1, tangent_2, torsion; // [kg m/s], [kg m/s], [kg m^2/s] accumulated
};

// Eight contacts. The points of a contact are projected into the plane through their centroid perpendicular
// to the normal, so that one arm per body and two offsets per point describe them.
struct contact_batch {
    int body_a[BATCH_LANES], body_b[BATCH_LANES]; // solver bodies
    int point_count;                              // largest number of points of a lane
    bool has_impact, had_impact;                  // in this round of impacts; since detection
    f32x8 normal[3], tangent_1[3], tangent_2[3];  // unit, right-handed; the normal points from a to b
    f32x8 arm_a[3], arm_b[3];                     // [m] centroid of the points from the centres of mass
    struct batch_point points[MANIFOLD_POINTS];
    // The gap rate is affine over the contact plane: mean + slope_1 x + slope_2 z. This 3 x 3 matrix C is
    // the change of (mean, slope_1, slope_2) by impulses p_k with sums (sum p, sum p x, sum p z). Symmetric:
    // 00 01 02 11 12 22.
    f32x8 affine_response[6];
    f32x8 has_block_solve; // 1: three points or more with a regular K; all points are solved together
    f32x8 block_mass[6];   // K^-1 of the block solve, the same order; see compute_block_mass()
    f32x8 friction;
    f32x8 friction_radius; // [m] rms distance of the points from their centroid: arm of torsional friction
    f32x8 tangent_mass_1, tangent_mass_2, torsion_mass; // effective masses [kg], [kg], [kg m^2]
    f32x8 torsion_per_tangent_1, torsion_per_tangent_2; // [1/(kg m)] relative spin by tangential impulse
    struct friction_impulse friction_impulse;
    // Used once per solver step or less:
    f32x8 gap[MANIFOLD_POINTS];     // [m] at detection
    f32x8 relative_displacement[3]; // [m] of b against a that the arms include
    f32x8 arm_share_a;              // share of a relative displacement that arm_a takes
    f32x8 arm_share_sum;            // share of both arms together: 1, or 0 for the static domain
    f32x8 restitution;
    f32x8 slop;       // [m] penetration that is not corrected
    f32x8 min_radius; // [m] smaller bounding radius of the two bodies
    struct impact_point impacts[MANIFOLD_POINTS];
    f32x8 step_impulse[MANIFOLD_POINTS];     // [kg m/s] normal impulses of all solver steps since detection
    struct friction_impulse impact_friction; // of this round of impacts
};

// Constants of a solver step.
struct contact_step {
    float dt, dt_inv;                 // [s], [1/s]
    float correction_fraction;        // of a penetration, corrected per solver step in the positions
    float max_correction;             // [m] per solver step
    float gravity_speed;              // [m/s] largest velocity change by applied forces in a solver step
    float warm_start_factor;          // applied to the normal impulses of the last solver step
    float friction_warm_start_factor; // applied to its friction impulses
};

// Number of batches whose gap rates an iteration changed by more than CHANGE_SMALL, CHANGE_MEDIUM and
// CHANGE_LARGE times gravity_speed.
struct contact_residual {
    int above_small, above_medium, above_large;
};

struct contact_kernels {
    // Updates the arms and, where needed or if the batches are new, the effective masses.
    void (*prepare_masses)(struct contact_batch *batches, int count, bool are_new,
                           const struct solver_inverse_mass *mass, const struct solver_motion *displacement);
    // Applies the accumulated impulses of the last solver step and computes the speculative closing limits.
    void (*warm_start)(struct contact_batch *batches, int count, const struct contact_step *step,
                       const struct solver_inverse_mass *mass, const struct solver_motion *displacement,
                       struct solver_motion *v);
    // One Gauss-Seidel iteration over the batches, forwards or backwards.
    struct contact_residual (*solve_velocities)(struct contact_batch *batches, int count,
                                                const struct contact_step *step, bool backward,
                                                const struct solver_inverse_mass *mass,
                                                struct solver_motion *v);
    void (*correct_positions)(struct contact_batch *batches, int count, const struct contact_step *step,
                              const struct solver_inverse_mass *mass, struct solver_motion *displacement);
    // Marks points that close within dt at more than `threshold` [m/s] and sets their separation speeds.
    bool (*detect_impacts)(struct contact_batch *batches, int count, const struct contact_step *step,
                           float threshold, const struct solver_motion *displacement,
                           const struct solver_motion *acceleration, const struct solver_motion *v);
    // One iteration over the marked impacts: normal impulses, or friction.
    void (*solve_impacts)(struct contact_batch *batches, int count, const struct solver_inverse_mass *mass,
                          bool friction, struct solver_motion *v);
};
KERNELS_DECLARE(struct contact_kernels, contact_kernels);

#endif
