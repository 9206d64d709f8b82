/// @file event.h
/// What happened: arrays that are valid from the end of tarn_world_advance() until the next call that changes the world,
/// in the same order on every machine. A call that takes several steps collects the events of all of them.
#ifndef TARN_EVENT_H
#define TARN_EVENT_H

#include "id.h"
#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Two bodies, or a body and walls, ground or an obstacle. An id of a body that was removed meanwhile is stale.
typedef struct tarn_contact_event {
    tarn_body_id a, b;       ///< b all zero: walls, ground or an obstacle
    uint64_t user_a, user_b; ///< user data of the two
    tarn_vec3 point;         ///< [m] zero if the contact ended and the bodies are far from each other
    tarn_vec3 normal;        ///< unit, from a to b; likewise
    double speed;            ///< [m/s] at which they met; hits only
    double impulse;          ///< [N s] along the normal; hits only
} tarn_contact_event;

/// A body began or ceased to overlap a sensor.
typedef struct tarn_sensor_event {
    tarn_body_id sensor, visitor;
    uint64_t user_sensor, user_visitor;
} tarn_sensor_event;

/// A body broke the surface within a world step: for splashes, sounds and spray. Only in models with a surface.
typedef struct tarn_water_event {
    tarn_body_id body;
    uint64_t user_data;
    tarn_vec3 point; ///< [m] centre of the waterline, or of the body's section at the surface
    double speed; ///< [m/s] before the step, against the water, along the surface's normal; above 0: into it
    double area;  ///< [m^2] of the waterline; of the section through the centre of mass where it has none
} tarn_water_event;

/// A body that moved, or fell asleep: all that a renderer has to update. Bodies that sleep are not listed again.
typedef struct tarn_move_event {
    tarn_body_id body;
    uint64_t user_data;
    tarn_pose pose;  ///< of the centre of mass
    int fell_asleep; ///< 1: it will not be listed until it wakes
} tarn_move_event;

/// A joint was loaded beyond its break_force, and is removed.
typedef struct tarn_joint_event {
    tarn_joint_id joint;
    uint64_t user_data;
    double force; ///< [N] on its anchor
} tarn_joint_event;

/// What happened during the last tarn_world_advance(), in a fixed order. The arrays live until the world changes.
typedef struct tarn_events {
    const tarn_contact_event *contacts_begun; ///< pairs that touch and did not before the step
    const tarn_contact_event *contacts_ended; ///< and the reverse
    const tarn_contact_event *hits; ///< pairs that met at more than 0.5 m/s, the hardest hit of each
    const tarn_sensor_event *sensors_entered, *sensors_left;
    const tarn_water_event *water_entered, *water_left;
    const tarn_move_event *moves;
    const tarn_joint_event *joints_broken;
    int contacts_begun_count, contacts_ended_count, hit_count;
    int sensors_entered_count, sensors_left_count;
    int water_entered_count, water_left_count;
    int move_count, joints_broken_count;
} tarn_events;
TARN_API tarn_events tarn_world_get_events(const tarn_world *world);

/// One point of a contact at the end of the last step.
typedef struct tarn_contact_point {
    tarn_body_id a, b;     ///< b all zero: walls, ground or an obstacle
    tarn_vec3 point;       ///< [m] on the surface of a
    tarn_vec3 normal;      ///< unit, from a to b
    double separation;     ///< [m] below 0: overlap
    double normal_impulse; ///< [N s] that a gave b over the last world step; 0 after loading
} tarn_contact_point;

/// Contact points of a body, or with an id of zeros those of all bodies, in a fixed order: at most `capacity` of them
/// are written. Points that are about to touch are among them. @return how many there are
TARN_API int tarn_body_get_contacts(const tarn_world *world, tarn_body_id body, tarn_contact_point *out,
                                    int capacity);

#ifdef __cplusplus
}
#endif
#endif
