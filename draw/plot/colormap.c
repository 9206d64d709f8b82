#include "colormap.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// A map is either points at even distances, joined by straight lines in sRGB, or a formula. The points are a
// few colours of the published maps, enough for the look (within some levels of 255):
//   viridis plasma inferno magma   van der Walt and Smith 2015        twilight  Bechtold 2017
//   cividis   Nunez, Anderton and Renslow 2018                        turbo     Mikhailov 2019
//   coolwarm  Moreland 2009
//   Blues .. YlGnBu, BrBG .. Spectral   colour specifications by Cynthia Brewer, colorbrewer.org
struct map {
    const char *name;
    void (*formula)(double t, double rgb[3]);
    int count;
    uint32_t points[17];
};

struct knot {
    double t, value;
};

// Piecewise linear interpolation of one channel, constant outside the knots.
static double along(const struct knot *k, int count, double t)
{
    if (t <= k[0].t) return k[0].value;
    for (int i = 1; i < count; ++i)
        if (t <= k[i].t)
            return k[i - 1].value + (k[i].value - k[i - 1].value) * (t - k[i - 1].t) / (k[i].t - k[i - 1].t);
    return k[count - 1].value;
}

#define ALONG(t, ...)                         \
    along((const struct knot[]){__VA_ARGS__}, \
          (int)(sizeof((const struct knot[]){__VA_ARGS__}) / sizeof(struct knot)), t)

// The knots of the classic maps are multiples of 1/63, since they were defined as tables of 64 colours.
#define T63(n) ((n) / 63.0)

static void hot(double t, double rgb[3])
{
    rgb[0] = ALONG(t, {0.0, 0.0416}, {T63(23), 1.0});
    rgb[1] = ALONG(t, {T63(23), 0.0}, {T63(47), 1.0});
    rgb[2] = ALONG(t, {T63(47), 0.0}, {1.0, 1.0});
}

static void bone(double t, double rgb[3])
{
    rgb[0] = ALONG(t, {0.0, 0.0}, {T63(47), 0.652778}, {1.0, 1.0});
    rgb[1] = ALONG(t, {0.0, 0.0}, {T63(23), 0.319444}, {T63(47), 0.777778}, {1.0, 1.0});
    rgb[2] = ALONG(t, {0.0, 0.0}, {T63(23), 0.444444}, {1.0, 1.0});
}

// sqrt((2 gray + hot) / 3)
static void pink(double t, double rgb[3])
{
    hot(t, rgb);
    for (int i = 0; i < 3; ++i) rgb[i] = sqrt((2.0 * t + rgb[i]) / 3.0);
}

static void jet(double t, double rgb[3])
{
    rgb[0] = ALONG(t, {0.35, 0.0}, {0.66, 1.0}, {0.89, 1.0}, {1.0, 0.5});
    rgb[1] = ALONG(t, {0.125, 0.0}, {0.375, 1.0}, {0.64, 1.0}, {0.91, 0.0});
    rgb[2] = ALONG(t, {0.0, 0.5}, {0.11, 1.0}, {0.34, 1.0}, {0.65, 0.0});
}

static void hsv(double t, double rgb[3])
{
    for (int i = 0; i < 3; ++i) {
        const double turn = fmod(6.0 * t + 6.0 - 2.0 * i, 6.0); // distance in hue from this channel's maximum
        rgb[i] = fmin(1.0, fmax(0.0, fabs(turn - 3.0) - 1.0));
    }
}

static void copper(double t, double rgb[3])
{
    rgb[0] = ALONG(t, {0.0, 0.0}, {T63(51), 1.0});
    rgb[1] = 0.7812 * t;
    rgb[2] = 0.4975 * t;
}

static void terrain(double t, double rgb[3])
{
    rgb[0] = ALONG(t, {0.0, 0.2}, {0.15, 0.0}, {0.25, 0.0}, {0.5, 1.0}, {0.75, 0.5}, {1.0, 1.0});
    rgb[1] = ALONG(t, {0.0, 0.2}, {0.15, 0.6}, {0.25, 0.8}, {0.5, 1.0}, {0.75, 0.36}, {1.0, 1.0});
    rgb[2] = ALONG(t, {0.0, 0.6}, {0.15, 1.0}, {0.25, 0.4}, {0.5, 0.6}, {0.75, 0.33}, {1.0, 1.0});
}

// Rainbow, ocean and gnuplot are palettes of gnuplot ("rgbformulae" 33,13,10; 23,28,3; 7,5,15).
static const double pi = 3.14159265358979323846;

static void rainbow(double t, double rgb[3])
{
    rgb[0] = fabs(2.0 * t - 0.5);
    rgb[1] = sin(pi * t);
    rgb[2] = cos(0.5 * pi * t);
}

static void ocean(double t, double rgb[3])
{
    rgb[0] = 3.0 * t - 2.0;
    rgb[1] = fabs(1.5 * t - 0.5);
    rgb[2] = t;
}

static void gnuplot(double t, double rgb[3])
{
    rgb[0] = sqrt(t);
    rgb[1] = t * t * t;
    rgb[2] = sin(2.0 * pi * t);
}

// Green 2011, "A colour scheme for the display of astronomical intensity images", eq. 2: start 0.5,
// rotations -1.5, hue 1, gamma 1.
static void cubehelix(double t, double rgb[3])
{
    const double phi = 2.0 * pi * (0.5 / 3.0 + 1.0 - 1.5 * t), a = 0.5 * t * (1.0 - t);
    const double c = cos(phi), s = sin(phi);

    rgb[0] = t + a * (-0.14861 * c + 1.78277 * s);
    rgb[1] = t + a * (-0.29227 * c - 0.90649 * s);
    rgb[2] = t + a * 1.97294 * c;
}

static const struct map maps[] = {
    {"viridis",
     NULL,
     10,
     {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725}},
    {"plasma",
     NULL,
     10,
     {0x0d0887, 0x46039f, 0x7201a8, 0x9c179e, 0xbd3786, 0xd8576b, 0xed7953, 0xfb9f3a, 0xfdca26, 0xf0f921}},
    {"inferno",
     NULL,
     10,
     {0x000004, 0x1b0c41, 0x4a0c6b, 0x781c6d, 0xa52c60, 0xcf4446, 0xed6925, 0xfb9b06, 0xf7d13d, 0xfcffa4}},
    {"magma",
     NULL,
     10,
     {0x000004, 0x180f3d, 0x440f76, 0x721f81, 0x9e2f7f, 0xcd4071, 0xf1605d, 0xfd9668, 0xfeca8d, 0xfcfdbf}},
    {"cividis",
     NULL,
     10,
     {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838}},
    {"turbo",
     NULL,
     15,
     {0x30123b, 0x4145ab, 0x4675ed, 0x39a2fc, 0x1bcfd4, 0x24eca6, 0x61fc6c, 0xa4fc3b, 0xd1e834, 0xf3c63a,
      0xfe9b2d, 0xf36315, 0xd93806, 0xb11901, 0x7a0402}},
    {"twilight",
     NULL,
     10,
     {0xe2d9e2, 0x9ebbc9, 0x6785be, 0x5e43a5, 0x421257, 0x471340, 0x8e2c50, 0xba6657, 0xceac94, 0xe2d9e2}},
    {"cubehelix", cubehelix, 0, {0}},
    {"jet", jet, 0, {0}},
    {"hot", hot, 0, {0}},
    {"bone", bone, 0, {0}},
    {"pink", pink, 0, {0}},
    {"copper", copper, 0, {0}},
    {"gray", NULL, 2, {0x000000, 0xffffff}},
    {"binary", NULL, 2, {0xffffff, 0x000000}},
    {"cool", NULL, 2, {0x00ffff, 0xff00ff}},
    {"spring", NULL, 2, {0xff00ff, 0xffff00}},
    {"summer", NULL, 2, {0x008066, 0xffff66}},
    {"autumn", NULL, 2, {0xff0000, 0xffff00}},
    {"winter", NULL, 2, {0x0000ff, 0x00ff80}},
    {"hsv", hsv, 0, {0}},
    {"rainbow", rainbow, 0, {0}},
    {"terrain", terrain, 0, {0}},
    {"ocean", ocean, 0, {0}},
    {"gnuplot", gnuplot, 0, {0}},
    {"Blues",
     NULL,
     9,
     {0xf7fbff, 0xdeebf7, 0xc6dbef, 0x9ecae1, 0x6baed6, 0x4292c6, 0x2171b5, 0x08519c, 0x08306b}},
    {"Greens",
     NULL,
     9,
     {0xf7fcf5, 0xe5f5e0, 0xc7e9c0, 0xa1d99b, 0x74c476, 0x41ab5d, 0x238b45, 0x006d2c, 0x00441b}},
    {"Oranges",
     NULL,
     9,
     {0xfff5eb, 0xfee6ce, 0xfdd0a2, 0xfdae6b, 0xfd8d3c, 0xf16913, 0xd94801, 0xa63603, 0x7f2704}},
    {"Reds",
     NULL,
     9,
     {0xfff5f0, 0xfee0d2, 0xfcbba1, 0xfc9272, 0xfb6a4a, 0xef3b2c, 0xcb181d, 0xa50f15, 0x67000d}},
    {"Purples",
     NULL,
     9,
     {0xfcfbfd, 0xefedf5, 0xdadaeb, 0xbcbddc, 0x9e9ac8, 0x807dba, 0x6a51a3, 0x54278f, 0x3f007d}},
    {"YlGnBu",
     NULL,
     9,
     {0xffffd9, 0xedf8b1, 0xc7e9b4, 0x7fcdbb, 0x41b6c4, 0x1d91c0, 0x225ea8, 0x253494, 0x081d58}},
    {"coolwarm",
     NULL,
     17,
     {0x3b4cc0, 0x4d68d7, 0x6282ea, 0x779af7, 0x8db0fe, 0xa3c2ff, 0xb8d0f9, 0xccd9ee, 0xdddddd, 0xecd3c5,
      0xf5c4ad, 0xf7b194, 0xf49a7b, 0xec7f63, 0xde604d, 0xcb3e38, 0xb40426}},
    {"bwr", NULL, 3, {0x0000ff, 0xffffff, 0xff0000}},
    {"seismic", NULL, 5, {0x00004d, 0x0000ff, 0xffffff, 0xff0000, 0x800000}},
    {"RdBu",
     NULL,
     11,
     {0x67001f, 0xb2182b, 0xd6604d, 0xf4a582, 0xfddbc7, 0xf7f7f7, 0xd1e5f0, 0x92c5de, 0x4393c3, 0x2166ac,
      0x053061}},
    {"PuOr",
     NULL,
     11,
     {0x7f3b08, 0xb35806, 0xe08214, 0xfdb863, 0xfee0b6, 0xf7f7f7, 0xd8daeb, 0xb2abd2, 0x8073ac, 0x542788,
      0x2d004b}},
    {"BrBG",
     NULL,
     11,
     {0x543005, 0x8c510a, 0xbf812d, 0xdfc27d, 0xf6e8c3, 0xf5f5f5, 0xc7eae5, 0x80cdc1, 0x35978f, 0x01665e,
      0x003c30}},
    {"Spectral",
     NULL,
     11,
     {0x9e0142, 0xd53e4f, 0xf46d43, 0xfdae61, 0xfee08b, 0xffffbf, 0xe6f598, 0xabdda4, 0x66c2a5, 0x3288bd,
      0x5e4fa2}},
};

const char *colormap_name(int index)
{
    return index >= 0 && index < (int)(sizeof maps / sizeof maps[0]) ? maps[index].name : NULL;
}

static void point_colour(const struct map *m, double t, double rgb[3])
{
    const double at = t * (m->count - 1);
    const int low = at >= m->count - 1 ? m->count - 2 : (int)at;

    for (int i = 0; i < 3; ++i) {
        const int shift = 16 - 8 * i;
        const double a = m->points[low] >> shift & 255, b = m->points[low + 1] >> shift & 255;
        rgb[i] = (a + (b - a) * (at - low)) / 255.0;
    }
}

bool colormap_table(const char *name, unsigned char rgb[256][3])
{
    const struct map *m = NULL;
    const size_t length = strlen(name);
    bool turned = false;

    for (size_t k = 0; k < sizeof maps / sizeof maps[0] && !m; ++k) {
        const size_t n = strlen(maps[k].name);
        if (strncmp(name, maps[k].name, n) != 0) continue;
        turned = strcmp(name + n, "_r") == 0;
        if (n == length || turned) m = &maps[k];
    }
    if (!m) return false;
    for (int i = 0; i < 256; ++i) {
        double colour[3];
        if (m->formula)
            m->formula(i / 255.0, colour);
        else
            point_colour(m, i / 255.0, colour);
        for (int k = 0; k < 3; ++k)
            rgb[turned ? 255 - i : i][k] = (unsigned char)lrint(255.0 * fmin(1.0, fmax(0.0, colour[k])));
    }
    return true;
}
