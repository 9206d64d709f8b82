// Shape kind "capsule": a cylinder about the y axis with hemispherical ends.
#include "base/error.h"
#include "body/shape/construct/revolution.h"

static const tarn_param params[] = {
    PARAM_NUMBER(tarn_capsule, radius, "radius", 0.15, 1e-3, 100, "m", "radius of the capsule"),
    PARAM_NUMBER(tarn_capsule, length, "length", 0.5, 1e-3, 100, "m",
                 "length of the cylindrical part, along y"),
};

#define CAP_BELTS      6 // belts of triangles of a hemisphere
#define MAX_SIDE_BELTS 6 // most belts of half the cylinder

static bool build_mesh(const tarn_capsule *d, double volume, const struct memory *m, struct trimesh *out)
{
    struct profile_point rings[2 * (CAP_BELTS + MAX_SIDE_BELTS) + 1];
    const int side_belts = imin(MAX_SIDE_BELTS, (int)ceil(d->length / d->radius)),
              count = 2 * (CAP_BELTS + side_belts) + 1;
    for (int i = 0; i < CAP_BELTS + side_belts; ++i) {
        struct profile_point ring = {d->radius, 0.5 * d->length * (CAP_BELTS + side_belts - i) / side_belts};
        if (i < CAP_BELTS) {
            ring.radius = d->radius * symmetric_sin(i, 4 * CAP_BELTS);
            ring.height = 0.5 * d->length + d->radius * symmetric_cos(i, 4 * CAP_BELTS);
        }
        rings[count - 1 - i] = ring;
        rings[i] = (struct profile_point){ring.radius, -ring.height};
    }
    rings[CAP_BELTS + side_belts] = (struct profile_point){d->radius, 0};
    return revolution_mesh(out, m, rings, count, REVOLUTION_SECTORS, false, volume);
}

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_capsule *d = def;
    const double radius = d->radius, length = d->length, cylinder_volume = PI * radius * radius * length,
                 sphere_volume = 4.0 / 3.0 * PI * radius * radius * radius;
    const double transverse =
        cylinder_volume * (length * length / 12.0 + radius * radius / 4.0) +
        sphere_volume * (0.4 * radius * radius + 0.25 * length * length + 0.375 * length * radius);
    const struct profile_point ends[] = {{0, -0.5 * length}, {0, 0.5 * length}};
    *out = (struct shape_data){.volume = cylinder_volume + sphere_volume};
    out->inertia =
        axisymmetric_inertia(transverse, radius * radius * (0.5 * cylinder_volume + 0.4 * sphere_volume));
    if (!build_mesh(d, out->volume, m, &out->hull) || !shape_alloc_parts(out, m, 1) ||
        !revolution_convex_part(&out->convex_parts[0], m, ends, 2, 0.0)) {
        shape_data_free(out, m);
        return fail(err, TARN_NO_MEMORY, "", "no memory for a capsule");
    }
    out->convex_parts[0].rounding = radius;
    out->convex_parts[0].bounding_radius += radius;
    return TARN_OK;
}

const struct shape_kind shape_capsule = {
    .kind = {.category = "shape",
             .name = "capsule",
             .help = "cylinder about y with hemispherical ends",
             PARAMS(params)},
    .def_size = sizeof(tarn_capsule),
    .drag_coefficient = 0.5,
    .drag_orientation = 0.9,
    .make = make,
};
