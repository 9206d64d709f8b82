// The table of fields that can be plotted, the functions that compute their values, and the range of their
// colours. draw.c lists the names as views, field_plot.c draws them. To add a field: define
// `const struct field field_NAME`, here or in a file of its own, and add X(NAME) to FIELDS.
#include "field_list.h"

#include "axis_ticks.h"

#include <math.h>
#include <string.h>

#define DECLARE_FIELD(name) extern const struct field field_##name;
#define FIELD_ADDRESS(name) &field_##name,
// Every field in the order of the views; X(name) stands for `field_name`.
#define FIELDS(X)  \
    X(height)      \
    X(depth)       \
    X(speed)       \
    X(velocity)    \
    X(vorticity)   \
    X(dye)         \
    X(temperature) \
    X(smoke)       \
    X(pressure)

FIELDS(DECLARE_FIELD)

#define COVERED_FRACTION 0.995 // of the cells that an automatic range covers

// ---- which frames have which quantities ------------------------------------------------------------

static bool is_height_field(const tarn_frame *f) { return !f->planar; }
static bool has_velocity(const tarn_frame *f) { return f->velocity_x && f->velocity_z; }
static bool has_vorticity(const tarn_frame *f) { return f->vorticity || has_velocity(f); }
static bool has_dye(const tarn_frame *f) { return f->dye; }
static bool has_temperature(const tarn_frame *f) { return f->temperature; }
static bool has_smoke(const tarn_frame *f) { return f->temperature && f->dye; }
static bool has_pressure(const tarn_frame *f) { return f->pressure; }

// ---- values of every cell --------------------------------------------------------------------------

static void copy_scalar(const float *values, int cells, float (*out)[2])
{
    for (int c = 0; c < cells; ++c) out[c][0] = values[c], out[c][1] = 0.0f;
}

static void sample_height(const tarn_frame *f, int cells, float (*out)[2])
{
    copy_scalar(f->height, cells, out);
}
static void sample_dye(const tarn_frame *f, int cells, float (*out)[2]) { copy_scalar(f->dye, cells, out); }
static void sample_temperature(const tarn_frame *f, int cells, float (*out)[2])
{
    copy_scalar(f->temperature, cells, out);
}
static void sample_pressure(const tarn_frame *f, int cells, float (*out)[2])
{
    copy_scalar(f->pressure, cells, out);
}

static void sample_depth(const tarn_frame *f, int cells, float (*out)[2])
{
    copy_scalar(f->height, cells, out);
    for (int c = 0; f->bed && c < cells; ++c) out[c][0] -= f->bed[c];
}

static void sample_velocity(const tarn_frame *f, int cells, float (*out)[2])
{
    for (int c = 0; c < cells; ++c) out[c][0] = f->velocity_x[c], out[c][1] = f->velocity_z[c];
}

static void sample_speed(const tarn_frame *f, int cells, float (*out)[2])
{
    sample_velocity(f, cells, out);
    for (int c = 0; c < cells; ++c)
        out[c][0] = sqrtf(out[c][0] * out[c][0] + out[c][1] * out[c][1]), out[c][1] = 0.0f;
}

// d(speed_z)/dx - d(speed_x)/dz by central differences, one-sided at the boundaries. Planar frames have it
// already.
static void sample_vorticity(const tarn_frame *f, int cells, float (*out)[2])
{
    if (f->vorticity) {
        copy_scalar(f->vorticity, cells, out);
        return;
    }
    for (int j = 0; j < f->nz; ++j)
        for (int i = 0; i < f->nx; ++i) {
            const int w = i > 0 ? i - 1 : i, e = i + 1 < f->nx ? i + 1 : i, s = j > 0 ? j - 1 : j,
                      n = j + 1 < f->nz ? j + 1 : j;
            const double dx = f->cell_size * (e > w ? e - w : 1), dz = f->cell_size * (n > s ? n - s : 1);
            const size_t row = (size_t)j * (size_t)f->nx;
            const double across =
                             (double)f->velocity_z[row + (size_t)e] - (double)f->velocity_z[row + (size_t)w],
                         up = (double)f->velocity_x[(size_t)n * (size_t)f->nx + (size_t)i] -
                              (double)f->velocity_x[(size_t)s * (size_t)f->nx + (size_t)i];
            out[row + (size_t)i][0] = (float)(across / dx - up / dz), out[row + (size_t)i][1] = 0.0f;
        }
}

// Temperature as colour, dye as brightness.
static void sample_smoke(const tarn_frame *f, int cells, float (*out)[2])
{
    for (int c = 0; c < cells; ++c) out[c][0] = f->temperature[c], out[c][1] = f->dye[c];
}

const struct field field_height = {"height",        "m",  "RdBu_r",        RANGE_ABOUT_REST_LEVEL,
                                   COLOUR_BY_VALUE, 1e-3, is_height_field, sample_height};
const struct field field_depth = {"depth",         "m",  "Blues",         RANGE_FROM_ZERO,
                                  COLOUR_BY_VALUE, 1e-3, is_height_field, sample_depth};
const struct field field_speed = {"speed",         "m/s", "viridis",    RANGE_FROM_ZERO,
                                  COLOUR_BY_VALUE, 1e-3,  has_velocity, sample_speed};
const struct field field_velocity = {"velocity",          "m/s", "gray",       RANGE_FROM_ZERO,
                                     COLOUR_BY_DIRECTION, 1e-3,  has_velocity, sample_velocity};
const struct field field_vorticity = {"vorticity",     "1/s", "RdBu_r",      RANGE_ABOUT_ZERO,
                                      COLOUR_BY_VALUE, 1e-3,  has_vorticity, sample_vorticity};
const struct field field_dye = {"dye",           "1",  "magma", RANGE_FROM_ZERO,
                                COLOUR_BY_VALUE, 1e-2, has_dye, sample_dye};
const struct field field_temperature = {"temperature",   "K",  "inferno",       RANGE_MIN_MAX,
                                        COLOUR_BY_VALUE, 1e-2, has_temperature, sample_temperature};
const struct field field_smoke = {
    "smoke", "K", "turbo", RANGE_MIN_MAX, COLOUR_BY_VALUE_AND_BRIGHTNESS, 1e-2, has_smoke, sample_smoke};
const struct field field_pressure = {"pressure",      "Pa", "coolwarm",   RANGE_ABOUT_ZERO,
                                     COLOUR_BY_VALUE, 1e-6, has_pressure, sample_pressure};

static const struct field *const fields[] = {FIELDS(FIELD_ADDRESS)};

const struct field *field_at(int index)
{
    return index >= 0 && index < (int)(sizeof fields / sizeof fields[0]) ? fields[index] : NULL;
}

const struct field *field_find(const char *name)
{
    const struct field *field;
    for (int k = 0; (field = field_at(k)) && strcmp(field->name, name) != 0;) ++k;
    return field;
}

// ---- ranges ---------------------------------------------------------------------------------------

// Lowest and highest value, rounded outwards to a twentieth of the range.
static void min_max_range(const float *values, int count, double min_range, double *range_min,
                          double *range_max)
{
    double low = INFINITY, high = -INFINITY;
    for (int c = 0; c < count; ++c) {
        const double x = (double)values[c];
        if (isfinite(x)) low = fmin(low, x), high = fmax(high, x);
    }
    if (!(low <= high)) low = high = 0.0;
    if (high - low < min_range) low -= 0.5 * min_range, high += 0.5 * min_range;
    const double step = 0.05 * round_up_1_2_5(high - low);
    *range_min = step * floor(low / step + 1e-3), *range_max = step * ceil(high / step - 1e-3);
}

void field_range(const struct field *field, const tarn_frame *f, const struct draw_view *view,
                 const float *values, int count, double *range_min, double *range_max)
{
    const double middle = field->range == RANGE_ABOUT_REST_LEVEL ? f->level : 0.0;
    if (view->range_min != view->range_max && isfinite(view->range_min) && isfinite(view->range_max)) {
        *range_min = fmin(view->range_min, view->range_max);
        *range_max = fmax(view->range_min, view->range_max);
    } else if (field->range == RANGE_MIN_MAX) {
        min_max_range(values, count, field->min_range, range_min, range_max);
    } else {
        const double spread = abs_quantile(values, count, middle, COVERED_FRACTION);
        const double half = round_up_1_2_5(fmax(field->min_range, spread));
        *range_min = field->range == RANGE_FROM_ZERO ? 0.0 : middle - half;
        *range_max = middle + half;
    }
}
