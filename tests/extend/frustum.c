// Sample shape: a frustum of a cone about the y axis.
#include "body/shape/construct/revolution.h"

struct frustum_def {
    double bottom_radius, top_radius, height;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct frustum_def, bottom_radius, "bottom_radius", 0.25, 1e-3, 100, "m", "radius below"),
    PARAM_NUMBER(struct frustum_def, top_radius, "top_radius", 0.15, 1e-3, 100, "m", "radius above"),
    PARAM_NUMBER(struct frustum_def, height, "height", 0.4, 1e-3, 100, "m", "height along y"),
};

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const struct frustum_def *d = def;
    const struct profile_point profile[] = {{d->bottom_radius, 0}, {d->top_radius, d->height}};
    return revolution_shape(profile, 2, m, out, err);
}

const struct shape_kind shape_frustum = {
    .kind = {.category = "shape", .name = "frustum", .help = "frustum of a cone about y", PARAMS(params)},
    .def_size = sizeof(struct frustum_def),
    .drag_coefficient = 0.7,
    .drag_orientation = 0.9,
    .make = make,
};
