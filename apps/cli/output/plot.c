// Draws curves into an image, without OpenGL; see plot.h.
#include "plot.h"

#include "draw/plot/font.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = PLOT_WIDTH, HEIGHT = PLOT_HEIGHT };
enum { LEFT = 88, RIGHT = WIDTH - 32, TOP = 122, BOTTOM = HEIGHT - 74 }; // [pixels] the frame of the curves
enum { TITLE_Y = 22, LEGEND_Y = 62, LABEL_Y = 94, SMALL = 2, LARGE = 3 };

struct colour {
    unsigned char r, g, b;
};
static const struct colour background = {255, 255, 255}, text_colour = {38, 44, 52},
                           grid_colour = {226, 229, 233}, frame_colour = {120, 128, 138};

struct style {
    double width; // [pixels]
    struct colour colour;
};
static const struct style filled = {0.0, {216, 204, 184}}, reference = {8.0, {250, 196, 128}},
                          computed = {2.2, {14, 84, 160}},
                          secondary[] = {{1.4, {176, 54, 90}}, {1.4, {40, 130, 84}}};

struct canvas {
    unsigned char *rgb;
    // Coverage of the line that is being drawn, 0 .. 1. It is blended into the picture as a whole, so that
    // the joints of segments are not visible.
    float *mask;
};

// ---- pixels ----------------------------------------------------------------------------------------

static void blend(struct canvas *canvas, int i, int j, float cover, struct colour colour)
{
    unsigned char *p = canvas->rgb + 3 * ((size_t)j * WIDTH + (size_t)i);
    p[0] = (unsigned char)lroundf((float)p[0] + cover * (float)(colour.r - p[0]));
    p[1] = (unsigned char)lroundf((float)p[1] + cover * (float)(colour.g - p[1]));
    p[2] = (unsigned char)lroundf((float)p[2] + cover * (float)(colour.b - p[2]));
}

static void put_mask(struct canvas *canvas, struct colour colour)
{
    for (int j = 0; j < HEIGHT; ++j)
        for (int i = 0; i < WIDTH; ++i) {
            float *cover = &canvas->mask[(size_t)j * WIDTH + (size_t)i];
            if (*cover > 0.0f) blend(canvas, i, j, *cover, colour);
            *cover = 0.0f;
        }
}

static void fill_rectangle(struct canvas *canvas, int x0, int y0, int x1, int y1, struct colour colour)
{
    for (int j = y0; j < y1; ++j)
        for (int i = x0; i < x1; ++i) blend(canvas, i, j, 1.0f, colour);
}

static int clamp_to(double x, int low, int high) { return x < low ? low : x > high ? high : (int)x; }

// Adds a line segment with round ends to the mask; edges are antialiased over one pixel.
static void stroke(struct canvas *canvas, const double a[2], const double b[2], double width)
{
    const double reach = 0.5 * width + 1.0, dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
    const int i0 = clamp_to(fmin(a[0], b[0]) - reach, 0, WIDTH),
              j0 = clamp_to(fmin(a[1], b[1]) - reach, 0, HEIGHT);
    const int i1 = clamp_to(fmax(a[0], b[0]) + reach + 1, 0, WIDTH);
    const int j1 = clamp_to(fmax(a[1], b[1]) + reach + 1, 0, HEIGHT);

    for (int j = j0; j < j1; ++j)
        for (int i = i0; i < i1; ++i) {
            const double px = i + 0.5 - a[0], py = j + 0.5 - a[1];
            const double t = length2 > 0.0 ? fmin(1.0, fmax(0.0, (px * dx + py * dy) / length2)) : 0.0;
            const double distance = hypot(px - t * dx, py - t * dy);
            const float cover = (float)fmin(1.0, fmax(0.0, 0.5 * width + 0.5 - distance));
            float *mask = &canvas->mask[(size_t)j * WIDTH + (size_t)i];
            if (cover > *mask) *mask = cover;
        }
}

// ---- text ------------------------------------------------------------------------------------------

static int text_columns(const char *text)
{
    int total = 0, first, columns;

    while (*text) {
        font_ink_columns(font_next_glyph(&text), &first, &columns);
        total += columns + 1;
    }
    return total ? total - 1 : 0;
}

static float font_pixel(const unsigned char *rows, int i, int j)
{
    const int inside = 0 <= i && i < FONT_COLUMNS && 0 <= j && j < FONT_ROWS;
    return inside && (rows[j] & (0x10u >> i)) ? 1.0f : 0.0f;
}

// Bilinear interpolation of the bitmap with a threshold, which rounds corners. With a threshold slightly
// below one half, diagonals are as dark as vertical strokes.
static float glyph_cover(const unsigned char *rows, double x, double y, int scale)
{
    const int i = (int)floor(x), j = (int)floor(y);
    const float a = (float)(x - i), b = (float)(y - j);
    const float value = (1 - b) * ((1 - a) * font_pixel(rows, i, j) + a * font_pixel(rows, i + 1, j)) +
                        b * ((1 - a) * font_pixel(rows, i, j + 1) + a * font_pixel(rows, i + 1, j + 1));
    return fminf(1.0f, fmaxf(0.0f, (value - 0.42f) * (float)scale + 0.5f));
}

// x, y: the upper left corner of the first capital letter.
static void put_text(struct canvas *canvas, int x, int y, int scale, const char *text)
{
    while (*text) {
        const int glyph = font_next_glyph(&text);
        const unsigned char *rows = font_rows(glyph);
        int first, columns;

        font_ink_columns(glyph, &first, &columns);
        for (int j = -scale; j < (FONT_ROWS + 1) * scale; ++j)
            for (int i = -scale; i < (columns + 1) * scale; ++i) {
                const int px = x + i, py = y + j;
                if (px < 0 || px >= WIDTH || py < 0 || py >= HEIGHT) continue;
                const float cover =
                    glyph_cover(rows, (i + 0.5) / scale - 0.5 + first, (j + 0.5) / scale - 0.5, scale);
                if (cover > 0.0f) blend(canvas, px, py, cover, text_colour);
            }
        x += (columns + 1) * scale;
    }
}

// ---- axes ------------------------------------------------------------------------------------------

struct axis {
    double low, high, step; // of the numbers
    double from, to;        // [pixels]
};

static double place(const struct axis *axis, double value)
{
    return axis->from + (axis->to - axis->from) * (value - axis->low) / (axis->high - axis->low);
}

// 1, 2 or 5 times a power of ten, for about `count` ticks.
static double tick_step(double range, int count)
{
    const double raw = range / count, power = pow(10.0, floor(log10(raw))), part = raw / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

// The range of all finite values; t y with a margin above and below.
static struct axis make_axis(const struct plot *plot, int along_y)
{
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (int k = 0; k < plot->curve_count; ++k)
        for (int i = 0; i < plot->curves[k].n; ++i) {
            const double v = along_y ? plot->curves[k].y[i] : plot->curves[k].x[i];
            if (!isfinite(v)) continue;
            low = fmin(low, v);
            high = fmax(high, v);
        }
    if (!(low <= high)) low = high = 0.0;
    const double min_range = 1e-6 * fmax(1.0, fmax(fabs(low), fabs(high)));
    if (high - low < min_range) {
        low -= min_range;
        high += min_range;
    }
    const double margin = along_y ? 0.06 * (high - low) : 0.0;
    return (struct axis){.low = low - margin,
                         .high = high + margin,
                         .step = tick_step(high - low, along_y ? 6 : 9),
                         .from = along_y ? BOTTOM : LEFT,
                         .to = along_y ? TOP : RIGHT};
}

static void number_text(char *text, size_t size, double value, double step)
{
    const int digits = (int)fmax(0.0, -floor(log10(step) + 1e-9));

    if (fabs(value) < 1e-6 * step) value = 0.0; // avoids -0
    if (digits <= 6 && fabs(value) < 1e6)
        snprintf(text, size, "%.*f", digits, value);
    else
        snprintf(text, size, "%.3g", value);
}

static void put_numbers(struct canvas *canvas, const struct axis *axis, int along_y)
{
    char text[32];

    for (double k = ceil(axis->low / axis->step - 1e-9); k * axis->step <= axis->high + 1e-9 * axis->step;
         ++k) {
        const double value = k * axis->step;
        const int at = (int)lround(place(axis, value));
        number_text(text, sizeof text, value, axis->step);
        const int wide = text_columns(text) * SMALL;
        if (along_y) {
            fill_rectangle(canvas, LEFT, at, RIGHT, at + 1, grid_colour);
            put_text(canvas, LEFT - 10 - wide, at - FONT_CAP_HEIGHT * SMALL / 2, SMALL, text);
        } else {
            fill_rectangle(canvas, at, TOP, at + 1, BOTTOM, grid_colour);
            put_text(canvas, at - wide / 2, BOTTOM + 12, SMALL, text);
        }
    }
}

static void put_frame(struct canvas *canvas)
{
    fill_rectangle(canvas, LEFT, TOP, LEFT + 1, BOTTOM + 1, frame_colour);
    fill_rectangle(canvas, LEFT, BOTTOM, RIGHT + 1, BOTTOM + 1, frame_colour);
}

// ---- curves ----------------------------------------------------------------------------------------

// The style of curve k; secondary curves alternate between colours.
static struct style style_of(const struct plot *plot, int k)
{
    int before = 0;

    for (int i = 0; i < k; ++i) before += plot->curves[i].style == PLOT_SECONDARY;
    switch (plot->curves[k].style) {
    case PLOT_FILLED: return filled;
    case PLOT_REFERENCE: return reference;
    case PLOT_COMPUTED: return computed;
    default: return secondary[before % (int)(sizeof secondary / sizeof secondary[0])];
    }
}

static void put_line(struct canvas *canvas, const struct plot_curve *curve, const struct axis *x,
                     const struct axis *y, struct style style)
{
    for (int i = 0; i + 1 < curve->n; ++i) {
        const double a[2] = {place(x, curve->x[i]), place(y, curve->y[i])};
        const double b[2] = {place(x, curve->x[i + 1]), place(y, curve->y[i + 1])};
        if (isfinite(a[0] + a[1] + b[0] + b[1])) stroke(canvas, a, b, style.width);
    }
    put_mask(canvas, style.colour);
}

// Fills the area below a curve; x must increase.
static void put_filled(struct canvas *canvas, const struct plot_curve *curve, const struct axis *x,
                       const struct axis *y, struct style style)
{
    for (int i = LEFT, k = 0; i < RIGHT; ++i) {
        while (k + 2 < curve->n && place(x, curve->x[k + 1]) < i + 0.5) ++k;
        if (k + 1 >= curve->n) return;
        const double x0 = place(x, curve->x[k]), x1 = place(x, curve->x[k + 1]);
        const double part = fmin(1.0, fmax(0.0, (i + 0.5 - x0) / (x1 - x0)));
        const double top = place(y, curve->y[k] + part * (curve->y[k + 1] - curve->y[k]));
        for (int j = clamp_to(top, TOP, BOTTOM); j < BOTTOM; ++j)
            blend(canvas, i, j, (float)fmin(1.0, fmax(0.0, j + 1.0 - top)), style.colour);
    }
}

static void put_curves(struct canvas *canvas, const struct plot *plot, const struct axis *x,
                       const struct axis *y)
{
    for (int k = 0; k < plot->curve_count; ++k)
        if (plot->curves[k].style == PLOT_FILLED)
            put_filled(canvas, &plot->curves[k], x, y, style_of(plot, k));
        else
            put_line(canvas, &plot->curves[k], x, y, style_of(plot, k));
}

static void put_legend(struct canvas *canvas, const struct plot *plot)
{
    int x = LEFT;

    for (int k = 0; k < plot->curve_count; ++k) {
        if (!plot->curves[k].name[0]) continue;
        const struct style style = style_of(plot, k);
        const double y = LEGEND_Y + 0.5 * FONT_CAP_HEIGHT * SMALL;
        if (style.width > 0.0) {
            stroke(canvas, (double[2]){x + 4, y}, (double[2]){x + 30, y}, style.width);
            put_mask(canvas, style.colour);
        } else {
            fill_rectangle(canvas, x, LEGEND_Y, x + 34, LEGEND_Y + FONT_CAP_HEIGHT * SMALL, style.colour);
        }
        put_text(canvas, x + 44, LEGEND_Y, SMALL, plot->curves[k].name);
        x += 44 + text_columns(plot->curves[k].name) * SMALL + 26;
    }
}

int plot_draw(const struct plot *plot, unsigned char *rgb)
{
    struct canvas canvas = {rgb, calloc((size_t)WIDTH * HEIGHT, sizeof(float))};
    const struct axis x = make_axis(plot, 0), y = make_axis(plot, 1);

    if (!canvas.mask) return -1;
    fill_rectangle(&canvas, 0, 0, WIDTH, HEIGHT, background);
    put_numbers(&canvas, &x, 0);
    put_numbers(&canvas, &y, 1);
    put_curves(&canvas, plot, &x, &y);
    put_frame(&canvas);
    put_legend(&canvas, plot);
    put_text(&canvas, LEFT, TITLE_Y, LARGE, plot->title);
    put_text(&canvas, 24, LABEL_Y, SMALL, plot->y_label);
    put_text(&canvas, (LEFT + RIGHT - text_columns(plot->x_label) * SMALL) / 2, HEIGHT - 32, SMALL,
             plot->x_label);
    free(canvas.mask);
    return 0;
}
