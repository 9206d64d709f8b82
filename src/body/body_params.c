// Parameter lists of bodies and of the parts of a compound.
#include "body/body.h"

static const char *const body_types[] = {[TARN_BODY_DYNAMIC] = "dynamic",
                                         [TARN_BODY_KINEMATIC] = "kinematic",
                                         [TARN_BODY_STATIC] = "static",
                                         NULL};

// In the order of tarn_appearance.
static const char *const materials[] = {"paint", "wood", "glass", "metal", "rubber", NULL};

// Seldom given: saved only where they differ from their defaults.
#define RARE_NUMBER(field, name_, def, lo, hi, unit_, help_)                                                \
    {                                                                                                       \
        .name = name_, .type = TARN_PARAM_NUMBER, .unit = unit_, .initial = {def}, .min = lo, .max = hi,    \
        .help = help_, .flags = TARN_PARAM_LIVE | TARN_PARAM_RARE, .offset = offsetof(tarn_body_def, field) \
    }
#define RARE_FLAG(field, name_, def, flags_, help_)                                                  \
    {                                                                                                \
        .name = name_, .type = TARN_PARAM_FLAG, .unit = "", .initial = {def}, .min = 0, .max = 1,    \
        .help = help_, .flags = TARN_PARAM_RARE | (flags_), .offset = offsetof(tarn_body_def, field) \
    }
#define RARE_AXES(field, name_, help_)                                                         \
    {                                                                                          \
        .name = name_, .type = TARN_PARAM_INT3, .unit = "", .min = 0, .max = 1, .help = help_, \
        .flags = TARN_PARAM_LIVE | TARN_PARAM_RARE, .offset = offsetof(tarn_body_def, field)   \
    }
#define RARE_BITS(field, name_, def, help_)                                                  \
    {                                                                                        \
        .name = name_, .type = TARN_PARAM_BITS, .unit = "", .initial = {def}, .help = help_, \
        .flags = TARN_PARAM_LIVE | TARN_PARAM_RARE, .offset = offsetof(tarn_body_def, field) \
    }

static const tarn_param params[] = {
    PARAM_TEXT(tarn_body_def, name, "name", "name in results"),
    PARAM_NUMBER(tarn_body_def, density, "density", 500, 0.1, 1e5, "kg/m^3", "density, used if mass is 0"),
    PARAM_NUMBER(tarn_body_def, mass, "mass", 0, 0, MAX_MASS, "kg", "mass; 0: volume times density"),
    PARAM_VEC3(tarn_body_def, position, "position", 0, 2, 0, -MAX_BODY_COORDINATE, MAX_BODY_COORDINATE, "m",
               "position of the centre of mass"),
    PARAM_QUAT(tarn_body_def, rotation, "rotation", "orientation as a quaternion w, x, y, z"),
    PARAM_VEC3(tarn_body_def, velocity, "velocity", 0, 0, 0, -MAX_BODY_SPEED, MAX_BODY_SPEED, "m/s",
               "initial velocity"),
    PARAM_VEC3(tarn_body_def, angular_velocity, "angular_velocity", 0, 0, 0, -MAX_BODY_SPEED, MAX_BODY_SPEED,
               "rad/s", "initial angular velocity, world axes"),
    PARAM_LIVE(tarn_body_def, restitution, "restitution", 0.3, 0, 1, "",
               "coefficient of restitution: rebound speed over impact speed"),
    PARAM_LIVE(tarn_body_def, friction, "friction", 0.5, 0, 10, "", "Coulomb friction coefficient"),
    PARAM_OPTIONAL_LIVE(tarn_body_def, drag_coefficient, "drag_coefficient", 0, 100, "",
                        "drag coefficient C_D of the wetted area; not given: default of the shape"),
    PARAM_OPTIONAL_LIVE(
        tarn_body_def, form_drag_fraction, "form_drag_fraction", 0, 1, "",
        "fraction of the drag that depends on the angle between a face and the flow; not given: "
        "default of the shape"),
    PARAM_LIVE(tarn_body_def, lift_coefficient, "lift_coefficient", 0.007, 0, 10, "",
               "lift coefficient C_L of the wetted area"),
    PARAM_LIVE(tarn_body_def, thruster.force, "thruster.force", 0, -1e9, 1e9, "N",
               "propeller thrust along the body's x axis, while submerged"),
    PARAM_VEC3(tarn_body_def, thruster.position, "thruster.position", 0, 0, 0, -100, 100, "m",
               "position of the propeller in the body's axes, from the centre of mass"),
    PARAM_LIVE_ANGLE(tarn_body_def, rudder.angle, "rudder.angle", 0, -90, 90,
                     "rudder angle about the body's y axis; positive values turn the bow towards +z"),
    PARAM_NUMBER(tarn_body_def, rudder.area, "rudder.area", 0, 0, 1e4, "m^2", "rudder area; 0: no rudder"),
    PARAM_VEC3(tarn_body_def, rudder.position, "rudder.position", 0, 0, 0, -100, 100, "m",
               "position of the rudder in the body's axes, from the centre of mass"),
    PARAM_CHOICE(tarn_body_def, type, "type", TARN_BODY_DYNAMIC, body_types,
                 "dynamic: moved by forces; kinematic: moved by the application; static: does not move"),
    PARAM_VEC3(tarn_body_def, colour, "colour", 0.85, 0.35, 0.2, 0, 1, "", "colour as red, green, blue"),
    {.name = "appearance",
     .type = TARN_PARAM_CHOICE,
     .unit = "",
     .help = "surface appearance",
     .choices = materials,
     .flags = TARN_PARAM_LOOK,
     .offset = offsetof(tarn_body_def, appearance)},
    {.name = "inertia",
     .type = TARN_PARAM_VEC3,
     .unit = "kg m^2",
     .min = 0,
     .max = 1e15,
     .help = "principal moments of inertia; 0, 0, 0: those of the shape, in proportion to the mass",
     .flags = TARN_PARAM_RARE,
     .offset = offsetof(tarn_body_def, inertia)},
    {.name = "inertia_axes",
     .type = TARN_PARAM_QUAT,
     .unit = "",
     .initial = {1, 0, 0, 0},
     .min = -10,
     .max = 10,
     .help = "rotation of the body's axes onto the principal ones, if inertia is given",
     .flags = TARN_PARAM_RARE,
     .offset = offsetof(tarn_body_def, inertia_axes)},
    RARE_FLAG(enabled, "enabled", 1, 0, "the body takes part; without it, it rests and nothing meets it"),
    RARE_FLAG(
        sensor, "sensor", 0, 0,
        "overlaps with other bodies are reported and have no effect; only for bodies that are not dynamic"),
    RARE_NUMBER(gravity_scale, "gravity_scale", 1, -100, 100, "", "multiplies the weight"),
    RARE_NUMBER(linear_damping, "linear_damping", 0, 0, 1000, "1/s",
                "rate at which velocity decays, in addition to the drag of the water"),
    RARE_NUMBER(angular_damping, "angular_damping", 0, 0, 1000, "1/s",
                "rate at which angular velocity decays, in addition to the torque of the water"),
    RARE_AXES(locks.translation, "locks.translation", "1: no motion along this axis of the world: x, y, z"),
    RARE_AXES(locks.rotation, "locks.rotation", "1: no rotation about this axis of the world: x, y, z"),
    RARE_BITS(filter.category, "filter.category", 1, "bits of what the body is, for the masks of others"),
    RARE_BITS(filter.mask, "filter.mask", -1, "bits of the categories that the body collides with"),
    {.name = "filter.group",
     .type = TARN_PARAM_INTEGER,
     .unit = "",
     .min = -1000000000,
     .max = 1000000000,
     .help = "bodies of the same group collide always (above 0) or never (below 0); 0: none",
     .flags = TARN_PARAM_LIVE | TARN_PARAM_RARE,
     .offset = offsetof(tarn_body_def, filter.group)},
};
const tarn_kind body_kind = {
    .category = "body", .name = "body", .help = "parameters of all bodies", PARAMS(params)};

static const tarn_param child_params[] = {
    PARAM_NUMBER(tarn_compound_child, density, "density", 0, 0, 1e5, "kg/m^3",
                 "density; 0: density of the body"),
    PARAM_VEC3(tarn_compound_child, pose.position, "position", 0, 0, 0, -100, 100, "m",
               "position of the part's centre of mass in the coordinates of the compound"),
    PARAM_QUAT(tarn_compound_child, pose.rotation, "rotation", "orientation as a quaternion w, x, y, z"),
};
const tarn_kind compound_child_kind = {.category = "part",
                                       .name = "part",
                                       .help = "parameters of all parts of a compound body",
                                       PARAMS(child_params)};
