// Shape kind "cylinder": about the y axis, solid or open at the top.
#include "body/shape/revolution.h"

struct cylinder_def {
    double radius, height, wall;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct cylinder_def, radius, "radius", 0.25, 1e-3, 100, "m", "radius of the cylinder"),
    PARAM_NUMBER(struct cylinder_def, height, "height", 0.5, 1e-3, 100, "m", "height along y"),
    PARAM_NUMBER(struct cylinder_def, wall, "wall", 0, 0, 100, "m",
                 "thickness of wall and floor, open at the top; 0: solid"),
};

static tarn_result make(const struct shape_input *in, const struct memory *m, struct shape_data *out,
                        tarn_error *err)
{
    const struct cylinder_def *d = in->def;
    // The point at half the height gives equal numbers of belts above and below: the mesh is
    // mirror-symmetric.
    const struct profile_point profile[] = {
        {d->radius, -0.5 * d->height}, {d->radius, 0}, {d->radius, 0.5 * d->height}};
    const struct profile_point inner[] = {{d->radius - d->wall, d->wall - 0.5 * d->height},
                                          {d->radius - d->wall, 0.5 * d->height}};
    const tarn_result r =
        d->wall > 0.0 ? check_wall_thickness(d->wall, 2.0 * d->radius, d->height, err) : TARN_OK;
    if (r != TARN_OK) return r;
    return revolution_open_shape(profile, 3, inner, d->wall > 0.0 ? 2 : 0, in->density, m, out, err);
}

const struct shape_kind shape_cylinder = {
    .kind = {.room = "shape",
             .name = "cylinder",
             .help = "cylinder about y, solid or open at the top",
             PARAMS(params)},
    .drag_coefficient = 0.55,
    .drag_orientation = 0.9,
    .make = make,
};
