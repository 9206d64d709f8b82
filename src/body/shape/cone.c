// Shape kind "cone": about the y axis, apex up; the centre of mass is a quarter of the height above the base.
#include "body/shape/construct/revolution.h"

static const tarn_param params[] = {
    PARAM_NUMBER(tarn_cone, radius, "radius", 0.25, 1e-3, 100, "m", "radius of the base"),
    PARAM_NUMBER(tarn_cone, height, "height", 0.5, 1e-3, 100, "m", "height from base to apex, along y"),
};

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_cone *d = def;
    const struct profile_point profile[] = {{d->radius, 0}, {0, d->height}};
    return revolution_shape(profile, 2, m, out, err);
}

const struct shape_kind shape_cone = {
    .kind = {.category = "shape", .name = "cone", .help = "cone about y, apex up", PARAMS(params)},
    .def_size = sizeof(tarn_cone),
    .drag_coefficient = 0.6,
    .drag_orientation = 0.9,
    .make = make,
};
