// Where the eye is, and how mouse and keys move it.
#ifndef VIEW_CAMERA_CONTROL_H
#define VIEW_CAMERA_CONTROL_H

#include <stdbool.h>
#include <tarn/tarn.h>

enum eye_mode { EYE_ORBIT, EYE_TOP, EYE_SIDE, EYE_FOLLOW, EYE_FLY, EYE_MODES };

struct eye {
    enum eye_mode mode;
    tarn_vec3 from, to; // [m]
    tarn_vec3 home_from, home_to, middle;
    double size; // [m] of what there is to see
    tarn_body followed;
    tarn_vec3 followed_at;
};

const char *eye_name(enum eye_mode mode);

// What to look at: a frame, and the scene's own wish (equal points: none).
void eye_begin(struct eye *e, const tarn_frame *frame, tarn_vec3 from, tarn_vec3 to);
void eye_set_mode(struct eye *e, enum eye_mode mode);
void eye_home(struct eye *e);

void eye_turn(struct eye *e, double right, double up); // [rad] by which the hand turns the picture
void eye_pan(struct eye *e, double right, double up);  // in parts of the height of the picture
void eye_zoom(struct eye *e, double factor);           // below 1: nearer
void eye_fly(struct eye *e, double ahead, double right, double up); // [m]
void eye_follow(struct eye *e, const tarn_frame *frame);            // each frame

#endif
