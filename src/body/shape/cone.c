// Shape kind "cone": about the y axis, apex up; the centre of mass is a quarter of the height above the base.
#include "body/shape/revolution.h"

struct cone_def {
    double radius, height;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct cone_def, radius, "radius", 0.25, 1e-3, 100, "m", "radius of the base"),
    PARAM_NUMBER(struct cone_def, height, "height", 0.5, 1e-3, 100, "m", "height from base to apex, along y"),
};

static tarn_result make(const struct shape_input *in, const struct memory *m, struct shape_data *out,
                        tarn_error *err)
{
    const struct cone_def *d = in->def;
    const struct profile_point profile[] = {{d->radius, 0}, {0, d->height}};
    return revolution_shape(profile, 2, in->density, m, out, err);
}

const struct shape_kind shape_cone = {
    .kind = {.room = "shape", .name = "cone", .help = "cone about y, apex up", PARAMS(params)},
    .drag_coefficient = 0.6,
    .drag_orientation = 0.9,
    .make = make,
};
