#include "field_list.h"

#include "axis_ticks.h"

#include <math.h>
#include <string.h>

#define SHARE 0.995 // of the cells that an automatic range covers

static bool copy(const float *from, int cells, float (*out)[2])
{
    for (int c = 0; from && c < cells; ++c) out[c][0] = from[c], out[c][1] = 0.0f;
    return from != NULL;
}

static bool get_height(const tarn_frame *f, int cells, float (*out)[2])
{
    return copy(f->height, cells, out);
}
static bool get_dye(const tarn_frame *f, int cells, float (*out)[2]) { return copy(f->dye, cells, out); }
static bool get_heat(const tarn_frame *f, int cells, float (*out)[2]) { return copy(f->heat, cells, out); }
static bool get_pressure(const tarn_frame *f, int cells, float (*out)[2])
{
    return copy(f->pressure, cells, out);
}

static bool get_depth(const tarn_frame *f, int cells, float (*out)[2])
{
    copy(f->height, cells, out);
    for (int c = 0; f->bed && c < cells; ++c) out[c][0] -= f->bed[c];
    return true;
}

static bool get_velocity(const tarn_frame *f, int cells, float (*out)[2])
{
    if (!f->speed_x || !f->speed_z) return false; // a frame made by hand may do without
    for (int c = 0; c < cells; ++c) out[c][0] = f->speed_x[c], out[c][1] = f->speed_z[c];
    return true;
}

static bool get_speed(const tarn_frame *f, int cells, float (*out)[2])
{
    if (!get_velocity(f, cells, out)) return false;
    for (int c = 0; c < cells; ++c)
        out[c][0] = sqrtf(out[c][0] * out[c][0] + out[c][1] * out[c][1]), out[c][1] = 0.0f;
    return true;
}

// Of height fields by differences over two cells, one-sided at the sides.
static bool get_vorticity(const tarn_frame *f, int cells, float (*out)[2])
{
    if (f->vorticity) return copy(f->vorticity, cells, out);
    if (!f->speed_x || !f->speed_z) return false;
    for (int j = 0; j < f->nz; ++j)
        for (int i = 0; i < f->nx; ++i) {
            const int w = i > 0 ? i - 1 : i, e = i + 1 < f->nx ? i + 1 : i, s = j > 0 ? j - 1 : j,
                      n = j + 1 < f->nz ? j + 1 : j;
            const double dx = f->dx * (e > w ? e - w : 1), dz = f->dx * (n > s ? n - s : 1);
            const size_t row = (size_t)j * (size_t)f->nx;
            const double across = (double)f->speed_z[row + (size_t)e] - (double)f->speed_z[row + (size_t)w],
                         up = (double)f->speed_x[(size_t)n * (size_t)f->nx + (size_t)i] -
                              (double)f->speed_x[(size_t)s * (size_t)f->nx + (size_t)i];
            out[row + (size_t)i][0] = (float)(across / dx - up / dz), out[row + (size_t)i][1] = 0.0f;
        }
    return true;
}

// Temperature and dye.
static bool get_smoke(const tarn_frame *f, int cells, float (*out)[2])
{
    if (!copy(f->heat, cells, out) || !f->dye) return false;
    for (int c = 0; c < cells; ++c) out[c][1] = f->dye[c];
    return true;
}

static const struct field fields[] = {
    {"height", "m", "RdBu_r", ABOUT_LEVEL, SHADE_MAP, 1e-3, get_height},
    {"depth", "m", "Blues", FROM_ZERO, SHADE_MAP, 1e-3, get_depth},
    {"speed", "m/s", "viridis", FROM_ZERO, SHADE_MAP, 1e-3, get_speed},
    {"velocity", "m/s", "gray", FROM_ZERO, SHADE_DIRECTION, 1e-3, get_velocity},
    {"vorticity", "1/s", "RdBu_r", ABOUT_ZERO, SHADE_MAP, 1e-3, get_vorticity},
    {"dye", "1", "magma", FROM_ZERO, SHADE_MAP, 1e-2, get_dye},
    {"temperature", "K", "inferno", SPAN, SHADE_MAP, 1e-2, get_heat},
    {"smoke", "K", "turbo", SPAN, SHADE_GLOW, 1e-2, get_smoke},
    {"pressure", "Pa", "coolwarm", ABOUT_ZERO, SHADE_MAP, 1e-6, get_pressure},
};

const struct field *field_at(int index)
{
    return index >= 0 && index < (int)(sizeof fields / sizeof fields[0]) ? &fields[index] : NULL;
}

const struct field *field_find(const char *name)
{
    const struct field *field;
    for (int k = 0; (field = field_at(k)) && strcmp(field->name, name) != 0;) ++k;
    return field;
}

// ---- ranges ---------------------------------------------------------------------------------------

// Lowest and highest, rounded outwards to a twentieth of the range.
static void span(const float *values, int count, double least, double *lo, double *hi)
{
    double low = INFINITY, high = -INFINITY;
    for (int c = 0; c < count; ++c) {
        const double x = (double)values[c];
        if (isfinite(x)) low = fmin(low, x), high = fmax(high, x);
    }
    if (!(low <= high)) low = high = 0.0;
    if (high - low < least) low -= 0.5 * least, high += 0.5 * least;
    const double step = 0.05 * scale_up(high - low);
    *lo = step * floor(low / step + 1e-3), *hi = step * ceil(high / step - 1e-3);
}

void field_range(const struct field *field, const tarn_frame *f, const struct draw_view *view,
                 const float *values, int count, double *lo, double *hi)
{
    const double middle = field->base == ABOUT_LEVEL ? f->level : 0.0;
    if (view->lo != view->hi && isfinite(view->lo) && isfinite(view->hi)) {
        *lo = fmin(view->lo, view->hi);
        *hi = fmax(view->lo, view->hi);
    } else if (field->base == SPAN) {
        span(values, count, field->least, lo, hi);
    } else {
        const double half = scale_up(fmax(field->least, scale_share(values, count, middle, SHARE)));
        *lo = field->base == FROM_ZERO ? 0.0 : middle - half;
        *hi = middle + half;
    }
}
