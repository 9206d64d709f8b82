// The structs that only scenes have and their parameter lists.
#ifndef SCENE_SCENE_PARAMS_H
#define SCENE_SCENE_PARAMS_H

#include "key_set.h"

#define SCENE_MAX_BODIES 100000 // copies included

// Settings of a run and of its pictures, which the world does not need.
struct scene_settings {
    char name[TARN_NAME_BYTES];
    double time; // [s]
    char view[TARN_NAME_BYTES];
    tarn_vec3 view_from, view_to; // [m]
    char view_map[TARN_NAME_BYTES];
    double view_range[2];
    bool view_arrows, view_streamlines;
    double view_moment; // [s]
    struct {
        int count;
        double rows[TARN_MAX_CAMERA_KEYS][7]; // time [s], camera and target position [m]
    } view_keys;
};
extern const tarn_kind scene_settings_kind;

extern const tarn_kind gauge_kind; // over tarn_gauge

// The copies of a body on a regular grid.
struct body_array {
    int count[3];
    double spacing[3]; // [m]
    double jitter;     // 0 .. 1, of half the spacing
};
extern const tarn_kind body_array_kind;

// The bodies that a joint connects and its anchor points.
struct joint_ends {
    char name[TARN_NAME_BYTES], a[TARN_NAME_BYTES], b[TARN_NAME_BYTES]; // b empty: the world
    tarn_vec3 anchor_a, anchor_b;                                       // [m] NaN: not given
};
extern const tarn_kind joint_ends_kind;

// A rotation as {"axis": [0, 1, 0], "degrees": 30}.
struct axis_angle {
    double axis[3];
    double degrees;
};
struct key_set axis_angle_keys(struct axis_angle *value); // NULL: values are not stored

#endif
