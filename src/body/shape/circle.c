// Shape kind "circle" of planar worlds: a disc.
#include "base/error.h"
#include "body/shape/construct/prism.h"

enum { SECTORS = 64 };

static const tarn_param params[] = {
    PARAM_NUMBER(tarn_circle, radius, "radius", 0.1, 1e-4, 100, "m", "radius of the disc"),
};

// The hull is a regular polygon of the same area; mass and inertia about z are those of the disc.
static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const double radius = ((const tarn_circle *)def)->radius, sector = 2.0 * PI / SECTORS;
    const double vertex_radius = radius * sqrt(sector / m_sin(sector));
    double points[SECTORS][2];
    for (int i = 0; i < SECTORS; ++i)
        points[i][0] = vertex_radius * m_cos((i + 0.5) * sector),
        points[i][1] = vertex_radius * m_sin((i + 0.5) * sector);
    if (!prism_shape(points, SECTORS, m, out) || !prism_add_disc(radius, m, out)) {
        shape_data_free(out, m);
        return fail(err, TARN_NO_MEMORY, "", "no memory for a disc");
    }
    out->inertia.m[2][2] = 0.5 * out->volume * radius * radius;
    return TARN_OK;
}

const struct shape_kind shape_circle = {
    .kind = {.category = "shape", .name = "circle", .help = "disc (planar flow)", PARAMS(params)},
    .def_size = sizeof(tarn_circle),
    .planar = true,
    .drag_coefficient = 1.0,
    .drag_orientation = 0.9,
    .make = make,
};
