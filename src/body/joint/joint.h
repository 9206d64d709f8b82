// Joints between two bodies, or a body and the world. A kind describes its constraints as scalar velocity
// rows; one solver handles the rows of all kinds.
#ifndef BODY_JOINT_JOINT_H
#define BODY_JOINT_JOINT_H

#include "base/save.h"
#include "body/shape/shape.h"

#include <tarn/tarn.h>

#define JOINT_ROWS       7 // six of a rigid connection or of a hinge with its motor, and a limit
#define SAVED_JOINT_ROWS 6 // in every checkpoint; the impulse of a limit only where there is one

// One scalar constraint with the velocity J v = linear . (v_b - v_a) + angular_b . w_b - angular_a . w_a,
// which is the time derivative of `error`.
struct constraint_row {
    vec3 linear, angular_a, angular_b;
    double error;                    // [m] or [rad]
    double stiffness, damping;       // [N/m], [N s/m] of an implicit spring-damper; both 0: rigid
    double target_speed;             // [m/s], [rad/s] of a motor
    double min_impulse, max_impulse; // [N s], [N m s] per solver step
    bool is_inequality;              // error <= 0 instead of error = 0
};

// Every kind has this parameter.
#define PARAM_BREAK_FORCE                                                                           \
    {                                                                                               \
        .name = "break_force", .type = TARN_PARAM_NUMBER, .unit = "N", .min = 0, .max = 1e15,       \
        .help = "force on the anchor above which the joint breaks and is removed; 0: never",        \
        .flags = TARN_PARAM_LIVE | TARN_PARAM_RARE, .offset = offsetof(tarn_joint_def, break_force) \
    }

#define PARAM_LIMIT(field, name_, lo, hi, unit_, flags_, help_)                                          \
    {                                                                                                    \
        .name = name_, .type = TARN_PARAM_NUMBER, .unit = unit_, .initial = {NAN}, .min = lo, .max = hi, \
        .help = help_, .flags = TARN_PARAM_LIVE | TARN_PARAM_NAN | TARN_PARAM_RARE | (flags_),           \
        .offset = offsetof(tarn_joint_def, field)                                                        \
    }

// Present pose of both ends of a joint.
struct joint_frame {
    vec3 anchor_a, anchor_b;     // [m] world position
    vec3 arm_a, arm_b;           // [m] from the centres of mass
    quat rotation_a, rotation_b; // of the bodies; identity for the world
    double dt;                   // [s]
};

struct bodies;

struct joint {
    tarn_joint_def def; // as the caller passed it; its bodies and anchors are not kept up to date
    const struct joint_kind *kind;
    int a, b;              // slots; b < 0: the world
    vec3 local_a, local_b; // [m] anchors in the bodies' axes; of the world: world position
    quat initial_rotation_a, initial_rotation_b; // when the joint was created
    double initial_length;                       // [m] distance of the anchors when the joint was created
    double impulse[JOINT_ROWS];                  // accumulated in the last solver step
    double breaking_force;                       // [N] that broke it in this world step; 0: it holds
    // scratch of a solver step
    int row_count;
    struct constraint_row rows[JOINT_ROWS];
    int equality_count;                      // the first rows are rigid equalities, solved together
    double cholesky[JOINT_ROWS][JOINT_ROWS]; // lower factor L of their J M^-1 J^T = L L^T
    double effective_mass[JOINT_ROWS];
    double softness[JOINT_ROWS];      // 1/(dt (damping + dt stiffness)); 0: rigid
    double bias[JOINT_ROWS];          // [m/s], [rad/s] the solver makes J v + bias + softness * impulse = 0
    double position_bias[JOINT_ROWS]; // [m], [rad] the same for displacements
    double position_impulse[JOINT_ROWS];                 // [kg m], [kg m^2] accumulated position correction
    vec3 response_a[JOINT_ROWS], response_b[JOINT_ROWS]; // I^-1 J^T: angular velocity by a unit impulse
};

struct joint_kind {
    tarn_kind kind;     // its struct is a tarn_joint_def
    bool shares_anchor; // both anchors are def.anchor_a
    // Fills in the rows for the present pose and returns their number, which is constant for a joint.
    int (*build_rows)(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out);
    // The free angle [rad], displacement [m] or distance [m] of b against a; NULL: none.
    double (*position)(const struct joint *j, const struct joint_frame *frame);
    int position_row; // the row whose velocity is the rate of `position`
    bool has_motor;   // position_row is its motor
};
const struct joint_kind *joint_kind_at(int index);

// One row: no relative velocity along a direction at the anchors.
struct constraint_row row_along(const struct joint_frame *frame, vec3 direction, double error);
// Three rows: b does not rotate against a.
int rows_same_rotation(const struct joint *j, const struct joint_frame *frame, struct constraint_row *out);
// Adds a row that keeps `position` within limits, if there are any. `axis_row` has the Jacobian of the
// position. Returns the number of rows.
int row_limit(const struct constraint_row *axis_row, double position, const tarn_joint_limits *limits,
              struct constraint_row *out);
bool joint_has_limit(const struct joint *j); // its seventh impulse is state

// Force [N] and torque [N m] about the anchor on b in the last solver step.
void joint_reaction(const struct bodies *b, const struct joint *j, vec3 *force, vec3 *torque);
// After a solver step: marks joints that were loaded beyond their break_force.
void joints_check_forces(struct bodies *b, double dt);
// At the end of a world step: removes them, with events. False without memory.
bool joints_remove_broken(struct bodies *b);

// Three rows: the anchors coincide.
int rows_coincident(const struct joint_frame *frame, struct constraint_row *out);
// One row along the line between the anchors; error = distance - length.
void row_distance(const struct joint_frame *frame, double length, struct constraint_row *out);

struct joint_slot {
    uint32_t generation; // odd: in use
    struct joint *joint;
};

struct joints {
    struct joint_slot *slots;
    int slot_count, slot_capacity;
};

// Pose of both ends. In periodic directions anchor_b is that of the nearest image.
struct joint_frame joint_frame_of(const struct bodies *b, const struct joint *j, double dt);

tarn_result joints_add(struct bodies *b, const tarn_joint_def *def, tarn_joint_id *out, tarn_error *err);
void joints_remove(struct bodies *b, int slot);
void joints_remove_body(struct bodies *b, int body);
void joints_free(struct bodies *b);
int joint_index(const struct bodies *b, tarn_joint_id id); // -1: none or stale
void joints_save(struct saver *s, const struct bodies *b);
tarn_result joints_load(struct loader *l, struct bodies *b, tarn_error *err);

void joints_link_islands(const struct bodies *b, int *parent); // union of the bodies of each joint
bool joints_connect(const struct bodies *b, int x, int y);     // true if a joint connects the two bodies

// Builds the rows and their effective masses, and applies `factor` times the impulses of the last solver
// step.
void joints_prepare(struct bodies *b, double dt, double factor);
// One iteration over all joints. Returns the largest residual [m/s], [rad/s] of the equality rows before it.
double joints_solve_velocities(struct bodies *b);
// Position errors to correct, once the velocities of the step are known.
void joints_prepare_positions(struct bodies *b, double dt);
// One iteration of position correction; velocities do not change. Returns the largest residual [m], [rad]
// before it.
double joints_solve_positions(struct bodies *b);

#endif
