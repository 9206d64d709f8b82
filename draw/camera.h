// Where the eye is: matrices for a view of a box.
#ifndef DRAW_CAMERA_H
#define DRAW_CAMERA_H

#include <tarn/tarn.h>

// Column-major 4 x 4 matrices, as GL wants them.
struct mat4 {
    float m[16];
};

struct camera {
    struct mat4 view, projection, both;
    struct mat4 back; // from the screen (-1 .. 1) to the world
    float eye[3];
};

// What must be in the picture.
struct extent {
    double low[3], high[3]; // [m]
};

// Perspective, 40 degrees from bottom to top. If `from` equals `to`, a three-quarter view of the whole box.
void camera_perspective(struct camera *c, const struct extent *box, tarn_vec3 from, tarn_vec3 to,
                        double aspect);

// Straight down, x to the right, z down the picture, square pixels, the box centred.
void camera_top(struct camera *c, const struct extent *box, double aspect);

#endif
