// A cylinder about its y axis.
#include "turned.h"

struct cylinder_def {
    double radius, height;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct cylinder_def, radius, "radius", 0.25, 1e-3, 100, "m", "of the cylinder"),
    PARAM_NUMBER(struct cylinder_def, height, "height", 0.5, 1e-3, 100, "m", "along its axis, y"),
};

static tarn_result make(const struct shape_input *in, const struct memory *m, struct form *out,
                        tarn_error *err)
{
    const struct cylinder_def *d = in->def;
    // with a point half-way up there are as many belts below it as above: the hull has a mirror there
    const struct circle profile[] = {
        {d->radius, -0.5 * d->height}, {d->radius, 0}, {d->radius, 0.5 * d->height}};
    return turned_form(profile, 3, in->density, m, out, err);
}

const struct shape_kind shape_cylinder = {
    .kind = {.room = "shape", .name = "cylinder", .help = "a cylinder about y", PARAMS(params)},
    .make = make,
};
