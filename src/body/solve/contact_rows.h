// The loops of the contact solver: eight contacts at a time that share no body that moves.
#ifndef BODY_CONTACT_ROWS_H
#define BODY_CONTACT_ROWS_H

#include "base/kernels.h"
#include "body/collide/narrow_phase.h"

#define BATCH_LANES 8
typedef float f32x8 __attribute__((vector_size(4 * BATCH_LANES)));

// What the solver knows of a body. Float is enough: these are changes within one short step, and momenta, poses and
// gaps at its beginning are double.
struct solver_motion {
    float v[8]; // [m/s] x y z, [rad/s] x y z
};
struct solver_inverse_mass {
    float m[8]; // 1/mass, inverse inertia xx xy xz yy yz zz
};

// One point of eight contacts.
struct batch_point {
    f32x8 offset_1, offset_2; // [m] from the middle of the points, along across_1 and across_2
    f32x8 effective_mass;     // [kg] that a push along the normal has to move; 0: nothing there
    f32x8 closing_limit;      // [m/s] at which it may close in this short step
    f32x8 normal_impulse;     // [kg m/s] so far
};

// The same point when bodies meet fast.
struct impact_point {
    f32x8 is_impact, target_speed; // 1 where there is an impact, [m/s] at which they shall part
    f32x8 impulse;                 // [kg m/s] so far
    f32x8 total_impulse;           // [kg m/s] of impacts since contacts were looked for
    f32x8 max_speed;               // [m/s] of the fastest
};

struct friction_impulse {
    f32x8 tangent_1, tangent_2, torsion; // [kg m/s], [kg m/s], [kg m^2/s] so far
};

// Eight contacts. Their points lie in a plane across the normal, so that two arms are enough for all of them.
struct contact_batch {
    int body_a[BATCH_LANES], body_b[BATCH_LANES]; // movers
    int point_count;                              // points, at most SPOTS
    bool has_impact, had_impact;                  // an impact in this round; since contacts were looked for
    f32x8 normal[3], tangent_1[3], tangent_2[3];  // unit, right-handed, the normal from a to b
    f32x8 arm_a[3], arm_b[3]; // [m] arms of the middle of the points, from the centres of mass
    struct batch_point points[MANIFOLD_POINTS];
    // What one more push changes: the speed of the middle along the normal, and how it grows along x and z; by a push
    // there, and by one that grows along x or z. Symmetric: 00 01 02 11 12 22.
    f32x8 affine_response[6];
    f32x8 has_block_solve; // 1: three points or more, solved together
    f32x8 block_mass[6];   // inverse of what a push that is even, or grows along x or z, has to move
    f32x8 friction;
    f32x8 friction_radius; // [m] root mean square distance of the points from their middle
    f32x8 tangent_mass_1, tangent_mass_2, torsion_mass; // what rubbing has to move: [kg], [kg], [kg m^2]
    f32x8 torsion_per_tangent_1, torsion_per_tangent_2; // [rad/s] of twist by a unit of rubbing across
    struct friction_impulse friction_impulse;
    // Once a short step, or less.
    f32x8 gap[MANIFOLD_POINTS];     // [m] when contacts were looked for
    f32x8 relative_displacement[3]; // [m] that b has moved against a, as far as the arms know
    f32x8 arm_share_a,
        arm_share_sum; // of such a step that a's arm takes, and that both take: 1, or 0 for the world
    f32x8 restitution;
    f32x8 slop;       // [m] of overlap that is left alone
    f32x8 min_radius; // [m] the smaller radius
    struct impact_point impacts[MANIFOLD_POINTS];
    struct friction_impulse impact_friction; // by impacts
};

struct contact_step {
    float dt, dt_inv;                 // [s], [1/s]
    float correction_fraction;        // of an overlap that is taken back
    float max_correction;             // [m] of it at once
    float gravity_speed;              // [m/s] that gravity or the like adds in a short step
    float warm_start_factor;          // of the pushes of the last short step that this one begins with
    float friction_warm_start_factor; // of its rubbing
};

// How many octets a pass still changed, by how much.
struct contact_residual {
    int above_small, above_medium, above_large;
};

struct contact_kernels {
    // What a push has to move, for points whose mass is not 0. `fresh`: the octets are new.
    void (*prepare_masses)(struct contact_batch *batches, int count, bool fresh,
                           const struct solver_inverse_mass *mass, const struct solver_motion *moved);
    // Give the impulses of the last step again.
    void (*warm_start)(struct contact_batch *batches, int count, const struct contact_step *step,
                       const struct solver_inverse_mass *mass, const struct solver_motion *moved,
                       struct solver_motion *v);
    // One pass, forwards or backwards.
    struct contact_residual (*solve_velocities)(struct contact_batch *batches, int count,
                                                const struct contact_step *step, bool backward,
                                                const struct solver_inverse_mass *mass,
                                                struct solver_motion *v);
    void (*correct_positions)(struct contact_batch *batches, int count, const struct contact_step *step,
                              const struct solver_inverse_mass *mass, struct solver_motion *moved);
    // Where bodies meet faster than `slow` within dt: note the speed at which they part. `pull`: accelerations.
    bool (*detect_impacts)(struct contact_batch *batches, int count, const struct contact_step *step,
                           float slow, const struct solver_motion *moved, const struct solver_motion *pull,
                           const struct solver_motion *v);
    // One pass over the impacts that were noted.
    void (*solve_impacts)(struct contact_batch *batches, int count, const struct solver_inverse_mass *mass,
                          bool rubbing, struct solver_motion *v);
};
KERNELS_DECLARE(struct contact_kernels, contact_kernels);

#endif
