// A rectangle of a field and how its values lie in an array of the caller.
#ifndef WORLD_API_FIELD_RECT_H
#define WORLD_API_FIELD_RECT_H

#include "base/error.h"
#include "world/world.h"

#include <string.h>

struct field_rect {
    tarn_cell_rect cells;
    tarn_array_layout layout;
};

static inline size_t number_size(tarn_number number)
{
    return number == TARN_FLOAT ? sizeof(float) : sizeof(double);
}

// `rect` and `layout` may be NULL: all values; doubles without gaps. False: they do not fit the field `all`.
static inline bool field_rect_init(struct field_rect *out, const tarn_cell_rect *all,
                                   const tarn_cell_rect *rect, const tarn_array_layout *layout)
{
    const tarn_cell_rect r = rect ? *rect : *all;
    const ptrdiff_t size = sizeof(double);
    *out = (struct field_rect){r, layout ? *layout : (tarn_array_layout){TARN_DOUBLE, size, size * r.ni}};
    return (out->layout.number == TARN_FLOAT || out->layout.number == TARN_DOUBLE) && r.i0 >= 0 &&
           r.j0 >= 0 && r.ni >= 0 && r.nj >= 0 && r.i0 <= all->ni - r.ni && r.j0 <= all->nj - r.nj;
}

static inline tarn_result field_rect_check(struct field_rect *out, const tarn_cell_rect *all,
                                           const tarn_cell_rect *rect, const tarn_array_layout *layout,
                                           tarn_error *err)
{
    if (field_rect_init(out, all, rect, layout)) return TARN_OK;
    return fail(err, TARN_BAD_ARGUMENT, "rect",
                "the rectangle is not within %d x %d values, or its numbers are neither float nor double",
                all->ni, all->nj);
}

// The numbers need not be aligned.
static inline double field_rect_get(const struct field_rect *in, const void *array, int i, int j)
{
    const char *at = (const char *)array + (i * in->layout.stride_x + j * in->layout.stride_z);
    float single;
    double value;
    memcpy(in->layout.number == TARN_FLOAT ? (void *)&single : (void *)&value, at,
           number_size(in->layout.number));
    return in->layout.number == TARN_FLOAT ? (double)single : value;
}

static inline void field_rect_put(const struct field_rect *in, void *array, int i, int j, double value)
{
    char *at = (char *)array + (i * in->layout.stride_x + j * in->layout.stride_z);
    const float single = (float)value;
    memcpy(at, in->layout.number == TARN_FLOAT ? (const void *)&single : (const void *)&value,
           number_size(in->layout.number));
}

#endif
