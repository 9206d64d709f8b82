// One picture from many: several samples a pixel, and several moments while the shutter is open. They are averaged as
// light, not as the numbers of the screen.
#ifndef CLI_EXPOSURE_H
#define CLI_EXPOSURE_H

struct exposure {
    int width, height, samples; // of the picture [pixels]; samples along a pixel's side
    unsigned char *rgb;         // where to draw: width * samples x height * samples, 3 bytes each
    float *light;               // sums, 3 of each pixel; NULL: there is nothing to average
    int moments;                // that are in them
};

int exposure_begin(struct exposure *e, int width, int height, int samples, int moments); // -1: no memory
void exposure_add(struct exposure *e); // what has been drawn

// The picture, as the screen wants it; lives until the next is drawn. The exposure begins anew.
const unsigned char *exposure_take(struct exposure *e);
void exposure_end(struct exposure *e);

#endif
