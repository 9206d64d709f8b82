/// @file event.h
/// Events of the last call that took steps: tarn_world_step(), tarn_world_advance() and the like. The arrays
/// are valid until the next call that takes steps, creates a body, restores a state or destroys the world, and
/// have the same order on every machine. A call that takes several steps collects the events of all of them.
#ifndef TARN_EVENT_H
#define TARN_EVENT_H

#include "id.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A contact of two bodies, or of a body with the walls, the bed or an obstacle. The id of a body that was
/// removed since is stale.
typedef struct tarn_contact_event {
    tarn_body_id a, b;       ///< b zero: the walls, the bed or an obstacle
    uint64_t user_a, user_b; ///< user data of a and b
    tarn_vec3 point;         ///< [m] zero if the contact ended and the bodies are not close any more
    tarn_vec3 normal;        ///< unit, from a to b; zero where `point` is
    double speed;            ///< [m/s] speed of approach along the normal; only for hits
    double impulse;          ///< [N s] along the normal; only for hits
} tarn_contact_event;

/// A body began or stopped overlapping a sensor.
typedef struct tarn_sensor_event {
    tarn_body_id sensor, visitor;
    uint64_t user_sensor, user_visitor;
} tarn_sensor_event;

/// A body entered or left the water within a world step: for splashes, sounds and spray. Only height-field
/// models.
typedef struct tarn_water_event {
    tarn_body_id body;
    uint64_t user_data;
    tarn_vec3 point; ///< [m] centre of the section of the body by the surface
    double speed;    ///< [m/s] before the step, relative to the water, along the normal into the water
    double area;     ///< [m^2] of that section; if there is none, of the section through the centre of mass
} tarn_water_event;

/// A body that moved or fell asleep. These are all bodies that a renderer has to update; a sleeping body is
/// not listed.
typedef struct tarn_move_event {
    tarn_body_id body;
    uint64_t user_data;
    tarn_pose pose;   ///< of the centre of mass
    bool fell_asleep; ///< the body fell asleep and is not listed again before it wakes
} tarn_move_event;

/// A joint that broke: the force on it exceeded its break_force. It has been removed.
typedef struct tarn_joint_event {
    tarn_joint_id joint;
    uint64_t user_data;
    double force; ///< [N] at its anchor
} tarn_joint_event;

/// All events of the last call that took steps.
typedef struct tarn_events {
    const tarn_contact_event *contacts_begun; ///< pairs that touch and did not before the step
    const tarn_contact_event *contacts_ended; ///< pairs that touched before the step and are now separate
    const tarn_contact_event *hits; ///< pairs that met faster than settings.hit_speed; of each its hardest
    const tarn_sensor_event *sensors_entered, *sensors_left;
    const tarn_water_event *water_entered, *water_left;
    const tarn_move_event *moves;
    const tarn_joint_event *joints_broken;
    int contacts_begun_count, contacts_ended_count, hit_count;
    int sensors_entered_count, sensors_left_count;
    int water_entered_count, water_left_count;
    int move_count, joints_broken_count;
    uint64_t reserved[8]; ///< zero
} tarn_events;

/// @return the events of the last call that took steps; all counts are 0 if `world` is NULL
TARN_API tarn_events tarn_world_get_events(const tarn_world *world);

/// One point of a contact at the end of the last step.
typedef struct tarn_contact_point {
    tarn_body_id a, b;     ///< b zero: the walls, the bed or an obstacle
    tarn_vec3 point;       ///< [m] on the surface of a
    tarn_vec3 normal;      ///< unit, from a to b
    double separation;     ///< [m] below 0: overlap
    double normal_impulse; ///< [N s] of a on b over the last world step; 0 after loading
} tarn_contact_point;

/// Write the contact points of a body, or of all bodies if `body` is zero, in a fixed order. At most
/// `capacity` points are written. Points whose separation is above 0, which are about to touch, are included.
/// @return the number of points that there are, also if it exceeds `capacity`
TARN_API int tarn_body_get_contacts(const tarn_world *world, tarn_body_id body, tarn_contact_point *out,
                                    int capacity);

#ifdef __cplusplus
}
#endif
#endif
