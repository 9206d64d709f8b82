// The fields of a frame that can be plotted: where their values come from, colour map and range. A field is
// one `const struct field field_NAME`, in field_list.c or a file of its own, and one line of the list in
// field_list.c.
#ifndef DRAW_FIELD_LIST_H
#define DRAW_FIELD_LIST_H

#include "draw/draw.h"

// How the range of the colours is chosen.
enum field_range_kind {
    RANGE_FROM_ZERO,        // 0 to the highest value
    RANGE_ABOUT_ZERO,       // symmetric about 0
    RANGE_ABOUT_REST_LEVEL, // symmetric about the rest level
    RANGE_MIN_MAX           // lowest to highest value
};

// How the one or two values of a cell become a colour; field_frag.glsl repeats the numbers.
enum field_colouring {
    COLOUR_BY_VALUE,     // the colour map at the first value
    COLOUR_BY_DIRECTION, // vector: hue by direction (N red, E yellow, S green, W blue), brightness by length
    COLOUR_BY_VALUE_AND_BRIGHTNESS // the colour map at the first value, times the second
};

struct field {
    const char *name, *unit, *colormap;
    enum field_range_kind range;
    enum field_colouring colouring;
    // [unit] Smallest automatic range, so that rounding errors of still water are not visible.
    double min_range;
    bool (*available)(const tarn_frame *f); // whether the frame has the quantities that `sample` reads
    // Write one or two values per cell. Called only if the field is available.
    void (*sample)(const tarn_frame *f, int cells, float (*out)[2]);
};

const struct field *field_at(int index); // NULL past the last
const struct field *field_find(const char *name);

// The range of a field's colours: the view's, or the range of 0.995 of the cells, rounded up. `values` has
// one value per cell (the length of a vector); values that are not finite are ignored.
void field_range(const struct field *field, const tarn_frame *f, const struct draw_view *view,
                 const float *values, int count, double *range_min, double *range_max);

#endif
