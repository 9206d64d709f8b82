#include "accumulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// sRGB, IEC 61966-2-1
static float linear_from_srgb(int byte)
{
    const double x = byte / 255.0;
    return (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
}

static unsigned char srgb_from_linear(float linear)
{
    const double x = linear < 1.0f ? (double)linear : 1.0;
    return (unsigned char)(255.0 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055) + 0.5);
}

int accumulator_init(struct accumulator *e, int width, int height, int samples, int subframes)
{
    const size_t pixels = (size_t)width * (size_t)height;

    *e = (struct accumulator){.width = width, .height = height, .samples = samples};
    e->rgb = malloc(pixels * 3 * (size_t)(samples * samples));
    if (samples > 1 || subframes > 1) e->linear_sum = calloc(pixels * 3, sizeof *e->linear_sum);
    if (e->rgb && (e->linear_sum || (samples == 1 && subframes == 1))) return 0;
    accumulator_free(e);
    return -1;
}

void accumulator_add(struct accumulator *e)
{
    float table[256];
    const size_t row = (size_t)e->width * (size_t)e->samples * 3;

    ++e->subframes;
    if (!e->linear_sum) return;
    for (int k = 0; k < 256; ++k) table[k] = linear_from_srgb(k);
    for (int y = 0; y < e->height * e->samples; ++y) {
        const unsigned char *from = e->rgb + (size_t)y * row;
        float *to = e->linear_sum + (size_t)(y / e->samples) * (size_t)e->width * 3;
        for (int x = 0; x < e->width * e->samples; ++x, from += 3)
            for (int k = 0; k < 3; ++k) to[x / e->samples * 3 + k] += table[from[k]];
    }
}

const unsigned char *accumulator_resolve(struct accumulator *e)
{
    const size_t count = (size_t)e->width * (size_t)e->height * 3;

    if (e->linear_sum) {
        const float part = 1.0f / (float)(e->subframes * e->samples * e->samples);
        for (size_t k = 0; k < count; ++k) e->rgb[k] = srgb_from_linear(part * e->linear_sum[k]);
        memset(e->linear_sum, 0, count * sizeof *e->linear_sum);
    }
    e->subframes = 0;
    return e->rgb;
}

void accumulator_free(struct accumulator *e)
{
    free(e->rgb);
    free(e->linear_sum);
    *e = (struct accumulator){0};
}
