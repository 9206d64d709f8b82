// Arrows and streamlines of a frame's velocity, as triangles. No GL in here.
#ifndef DRAW_VELOCITY_LINES_H
#define DRAW_VELOCITY_LINES_H

#include <stdbool.h>
#include <tarn/tarn.h>

struct triangle_list {
    float (*vertices)[2]; // [m] x, z; three per triangle
    int count, capacity;  // vertices
};
void triangle_list_free(struct triangle_list *list);

// `spacing` [m] between two lines, `width` [m] of a line, `reference_speed` [m/s]: arrows of this speed are
// as long as the spacing. Nothing is drawn at or below 0.005 of it. False without memory. Both replace the
// list.
bool build_arrows(struct triangle_list *list, const tarn_frame *f, double spacing, double width,
                  double reference_speed);
bool build_streamlines(struct triangle_list *list, const tarn_frame *f, double spacing, double width,
                       double reference_speed);

#endif
