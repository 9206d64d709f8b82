// Camera position and target, and how mouse and keys move them.
#ifndef VIEW_CAMERA_CONTROL_H
#define VIEW_CAMERA_CONTROL_H

#include <stdbool.h>
#include <tarn/tarn.h>

enum camera_mode { CAMERA_ORBIT, CAMERA_TOP, CAMERA_SIDE, CAMERA_FOLLOW, CAMERA_FLY, CAMERA_MODES };

struct camera_control {
    enum camera_mode mode;
    tarn_vec3 position, target;           // [m]
    tarn_vec3 home_position, home_target; // [m] of the scene's view
    tarn_vec3 centre;                     // [m] of the domain
    double extent;                        // [m] length scale of the domain
    tarn_body_id followed;
    tarn_vec3 followed_position; // [m]
};

const char *camera_mode_name(enum camera_mode mode);

// Start with the view of the scene; if position and target are equal, with a view of the whole domain.
void camera_init(struct camera_control *c, const tarn_frame *frame, tarn_vec3 position, tarn_vec3 target);
void camera_set_mode(struct camera_control *c, enum camera_mode mode);
void camera_reset(struct camera_control *c); // to the start of the current mode

void camera_orbit(struct camera_control *c, double right, double up); // [rad] apparent rotation of the image
void camera_pan(struct camera_control *c, double right, double up);   // as fractions of the image height
void camera_zoom(struct camera_control *c, double factor);            // below 1: nearer
void camera_fly(struct camera_control *c, double ahead, double right, double up); // [m]
void camera_follow(struct camera_control *c, const tarn_frame *frame);            // once per frame

#endif
