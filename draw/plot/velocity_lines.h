// Arrows and streamlines of a frame's velocity, as triangles. No GL in here.
#ifndef DRAW_VELOCITY_LINES_H
#define DRAW_VELOCITY_LINES_H

#include <stdbool.h>
#include <tarn/tarn.h>

// Triangles: x, z [m] of each corner.
struct strokes {
    float (*corners)[2];
    int count, room;
};
void strokes_free(struct strokes *s);

// `gap` [m] from one to the next, `wide` [m] a line, `fast` [m/s]: there arrows are as long as the gap.
// Nothing where it is 0.005 of that or less. False without memory. Both begin anew.
bool strokes_arrows(struct strokes *s, const tarn_frame *f, double gap, double wide, double fast);
bool strokes_streamlines(struct strokes *s, const tarn_frame *f, double gap, double wide, double fast);

#endif
