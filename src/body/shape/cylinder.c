// Shape kind "cylinder": about the y axis, solid or open at the top.
#include "body/shape/construct/revolution.h"

static const tarn_param params[] = {
    PARAM_NUMBER(tarn_cylinder, radius, "radius", 0.25, 1e-3, 100, "m", "radius of the cylinder"),
    PARAM_NUMBER(tarn_cylinder, height, "height", 0.5, 1e-3, 100, "m", "height along y"),
    PARAM_NUMBER(tarn_cylinder, wall_thickness, "wall_thickness", 0, 0, 100, "m",
                 "thickness of wall and floor, open at the top; 0: solid"),
};

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_cylinder *d = def;
    // The point at half the height gives equal numbers of belts above and below: the mesh is
    // mirror-symmetric.
    const struct profile_point profile[] = {
        {d->radius, -0.5 * d->height}, {d->radius, 0}, {d->radius, 0.5 * d->height}};
    const struct profile_point inner[] = {
        {d->radius - d->wall_thickness, d->wall_thickness - 0.5 * d->height},
        {d->radius - d->wall_thickness, 0.5 * d->height}};
    const tarn_result r = d->wall_thickness > 0.0
                              ? check_wall_thickness(d->wall_thickness, 2.0 * d->radius, d->height, err)
                              : TARN_OK;
    if (r != TARN_OK) return r;
    return revolution_open_shape(profile, 3, inner, d->wall_thickness > 0.0 ? 2 : 0, m, out, err);
}

const struct shape_kind shape_cylinder = {
    .kind = {.category = "shape",
             .name = "cylinder",
             .help = "cylinder about y, solid or open at the top",
             PARAMS(params)},
    .def_size = sizeof(tarn_cylinder),
    .drag_coefficient = 0.55,
    .drag_orientation = 0.9,
    .make = make,
};
