// View and projection matrices for a camera that shows a box.
#ifndef DRAW_CAMERA_H
#define DRAW_CAMERA_H

#include <tarn/tarn.h>

// Column-major 4 x 4 matrix, as OpenGL expects it.
struct mat4 {
    float m[16];
};

struct camera {
    struct mat4 view, projection, view_projection;
    struct mat4 inverse_view_projection; // from normalised device coordinates (-1 .. 1) to the world
    float position[3];                   // [m]
};

// The box that must be visible.
struct bounds {
    double low[3], high[3]; // [m]
};

// A perspective camera with a vertical field of view of 40 degrees. If `position` equals `target`, a
// three-quarter view of the whole box.
void camera_perspective(struct camera *c, const struct bounds *box, tarn_vec3 position, tarn_vec3 target,
                        double aspect);

// An orthographic camera straight down: x to the right, z down the image, square pixels, the box centred.
void camera_top(struct camera *c, const struct bounds *box, double aspect);

#endif
