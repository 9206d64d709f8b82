// Averages several samples per pixel (supersampling) and several instants (motion blur) to one image. Linear
// intensities are averaged, not sRGB values.
#ifndef CLI_ACCUMULATE_H
#define CLI_ACCUMULATE_H

struct accumulator {
    int width, height, samples; // of the image [pixels]; samples per side of a pixel
    unsigned char *rgb;         // the rendered image: width * samples x height * samples, 3 bytes each
    float *linear_sum;          // sums, 3 per pixel; NULL: nothing is averaged
    int subframes;              // number of images in the sums
};

int accumulator_init(struct accumulator *e, int width, int height, int samples,
                     int subframes);         // -1: out of memory
void accumulator_add(struct accumulator *e); // adds the rendered image

// The average as sRGB; valid until the next image is rendered. The sums restart.
const unsigned char *accumulator_resolve(struct accumulator *e);
void accumulator_free(struct accumulator *e);

#endif
