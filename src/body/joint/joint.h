// Joints: what keeps two bodies, or a body and the world, together. A kind says what it forbids as rows; one solver
// does the rest.
#ifndef BODY_JOINT_H
#define BODY_JOINT_H

#include "base/save.h"
#include "body/shape/shape.h"

#include <tarn/tarn.h>

#define JOINT_ROWS 6

// One thing that is forbidden: the speed lin . (v_b - v_a) + turn_b . w_b - turn_a . w_a, while `error` grows with it.
struct constraint_row {
    vec3 linear, angular_a, angular_b;
    double error;                    // [m] or [rad]
    double stiffness, damping;       // [N/m], [N s/m] of a spring; both 0: rigid
    double target_speed;             // [m/s], [rad/s] wanted
    double min_impulse, max_impulse; // [N s], [N m s] of the impulse within a short step
    bool is_inequality;              // error < 0 is free: it may grow up to 0
};

// Where the ends of a joint are.
struct joint_frame {
    vec3 anchor_a, anchor_b;     // [m] the fastened points
    vec3 arm_a, arm_b;           // [m] from the centres of mass
    quat rotation_a, rotation_b; // of the bodies; of the world: none
    double dt;                   // [s]
};

struct joint {
    tarn_joint_def def; // as given
    const struct joint_kind *kind;
    int a, b;                                    // slots; b < 0: the world
    vec3 local_a, local_b;                       // [m] in the bodies' axes; of the world: where it is
    quat initial_rotation_a, initial_rotation_b; // rotations at the start
    double initial_length;                       // [m] at the start
    double impulse[JOINT_ROWS];                  // of the last short step
    // scratch of a short step
    int row_count;
    struct constraint_row rows[JOINT_ROWS];
    int equality_count; // rows that hold in both directions, the first ones: solved together
    double cholesky[JOINT_ROWS][JOINT_ROWS]; // of their matrix, by Cholesky
    double effective_mass[JOINT_ROWS], softness[JOINT_ROWS];
    double bias[JOINT_ROWS];             // [m/s], [rad/s] by which the speed has to be less
    double position_bias[JOINT_ROWS];    // [m], [rad] likewise by which places have to be nearer
    double position_impulse[JOINT_ROWS]; // [kg m], [kg m^2] that was given to places
    vec3 response_a[JOINT_ROWS], response_b[JOINT_ROWS]; // spin that a unit impulse gives
};

struct joint_kind {
    tarn_kind kind;
    bool shares_anchor; // both ends are at one point, `at`
    // The rows as things are now; their number is always the same.
    int (*build_rows)(const struct joint *j, const struct joint_frame *e, struct constraint_row *out);
};
const struct joint_kind *joint_kind_at(int index);
const struct joint_kind *joint_kind_of(const tarn_kind *kind);

// Three rows that hold the two points together.
int rows_coincident(const struct joint_frame *e, struct constraint_row *out);
// A row along the line between the points. `error` is their distance less `length`.
void row_distance(const struct joint_frame *e, double length, struct constraint_row *out);

struct joint_slot {
    uint32_t generation; // odd: alive
    struct joint *joint;
};

struct joints {
    struct joint_slot *slots;
    int slot_count, slot_capacity;
};

struct bodies;
tarn_result joints_add(struct bodies *b, const tarn_joint_def *def, tarn_joint *out, tarn_error *err);
void joints_remove(struct bodies *b, int slot);
void joints_remove_body(struct bodies *b, int body);
void joints_free(struct bodies *b);
int joint_index(const struct bodies *b, tarn_joint id); // -1: none or stale
void joints_save(struct saver *s, const struct bodies *b);
tarn_result joints_load(struct loader *l, struct bodies *b, tarn_error *err);

void joints_link_islands(const struct bodies *b, int *parent); // islands
bool joints_connect(const struct bodies *b, int x, int y);     // are they held together?
void joints_prepare(struct bodies *b, double dt, double part); // rows, and the impulses of last time
// Both give back the largest speed [m/s], [rad/s] or way [m], [rad] that was wrong before.
double joints_solve_velocities(struct bodies *b); // speeds
void joints_prepare_positions(struct bodies *b,
                              double dt);        // what is open, once it is known where speeds lead
double joints_solve_positions(struct bodies *b); // places: what is open is closed without giving speed

#endif
