// Parameter lists of bodies and of the parts of a compound.
#include "body/body.h"

#define MAX_COORDINATE 1e6 // [m] positions
#define MAX_SPEED      1e4 // [m/s], [rad/s]

// In the order of tarn_material.
static const char *const materials[] = {"paint", "wood", "glass", "metal", "rubber", NULL};

static const tarn_param params[] = {
    PARAM_TEXT(tarn_body_def, name, "name", "name in results"),
    PARAM_NUMBER(tarn_body_def, density, "density", 500, 0.1, 1e5, "kg/m^3", "density, used if mass is 0"),
    PARAM_NUMBER(tarn_body_def, mass, "mass", 0, 0, MAX_MASS, "kg", "mass; 0: volume times density"),
    PARAM_VEC3(tarn_body_def, position, "position", 0, 2, 0, -MAX_COORDINATE, MAX_COORDINATE, "m",
               "position of the centre of mass"),
    PARAM_QUAT(tarn_body_def, rotation, "rotation", "orientation as a quaternion w, x, y, z"),
    PARAM_VEC3(tarn_body_def, velocity, "velocity", 0, 0, 0, -MAX_SPEED, MAX_SPEED, "m/s",
               "initial velocity"),
    PARAM_VEC3(tarn_body_def, spin, "spin", 0, 0, 0, -MAX_SPEED, MAX_SPEED, "rad/s",
               "initial angular velocity, world axes"),
    PARAM_NUMBER(tarn_body_def, restitution, "restitution", 0.3, 0, 1, "",
                 "coefficient of restitution: rebound speed over impact speed"),
    PARAM_NUMBER(tarn_body_def, friction, "friction", 0.5, 0, 10, "", "Coulomb friction coefficient"),
    PARAM_OPTIONAL(tarn_body_def, drag, "drag", 0, 100, "",
                   "drag coefficient C_D of the wetted area; not given: default of the shape"),
    PARAM_OPTIONAL(tarn_body_def, facing, "facing", 0, 1, "",
                   "fraction of the drag that depends on the angle between a face and the flow; not given: "
                   "default of the shape"),
    PARAM_NUMBER(tarn_body_def, lift, "lift", 0.007, 0, 10, "", "lift coefficient C_L of the wetted area"),
    PARAM_LIVE(tarn_body_def, thrust, "thruster.force", 0, -1e9, 1e9, "N",
               "propeller thrust along the body's x axis, while submerged"),
    PARAM_VEC3(tarn_body_def, thrust_at, "thruster.at", 0, 0, 0, -100, 100, "m",
               "position of the propeller in the body's axes, from the centre of mass"),
    PARAM_LIVE(tarn_body_def, rudder, "rudder.angle", 0, -90, 90, "degrees",
               "rudder angle about the body's y axis; positive values turn the bow towards +z"),
    PARAM_NUMBER(tarn_body_def, rudder_area, "rudder.area", 0, 0, 1e4, "m^2", "rudder area; 0: no rudder"),
    PARAM_VEC3(tarn_body_def, rudder_at, "rudder.at", 0, 0, 0, -100, 100, "m",
               "position of the rudder in the body's axes, from the centre of mass"),
    PARAM_FLAG(tarn_body_def, external, "external", 0, "kinematic: motion is set by the application"),
    PARAM_VEC3(tarn_body_def, colour, "colour", 0.85, 0.35, 0.2, 0, 1, "", "colour as red, green, blue"),
    {.name = "material",
     .type = TARN_CHOICE,
     .unit = "",
     .help = "surface appearance",
     .choices = materials,
     .flags = TARN_LOOK,
     .offset = offsetof(tarn_body_def, material)},
};
const tarn_kind body_kind = {
    .room = "body", .name = "body", .help = "parameters of all bodies", PARAMS(params)};

static const tarn_param part_params[] = {
    PARAM_NUMBER(tarn_part, density, "density", 0, 0, 1e5, "kg/m^3", "density; 0: density of the body"),
    PARAM_VEC3(tarn_part, position, "position", 0, 0, 0, -100, 100, "m",
               "position of the part's centre of mass in the coordinates of the compound"),
    PARAM_QUAT(tarn_part, rotation, "rotation", "orientation as a quaternion w, x, y, z"),
};
const tarn_kind part_kind = {.room = "part",
                             .name = "part",
                             .help = "parameters of all parts of a compound body",
                             PARAMS(part_params)};
