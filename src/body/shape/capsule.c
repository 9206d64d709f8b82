// Shape kind "capsule": a cylinder about the y axis with hemispherical ends.
#include "base/error.h"
#include "revolution.h"

struct capsule_def {
    double radius, length;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct capsule_def, radius, "radius", 0.15, 1e-3, 100, "m", "of the capsule"),
    PARAM_NUMBER(struct capsule_def, length, "length", 0.5, 1e-3, 100, "m", "of the straight part, along y"),
};

#define CAP_BELTS      6 // belts of triangles of a hemisphere
#define MAX_SIDE_BELTS 6 // most belts of half the cylinder

static bool build_mesh(const struct capsule_def *d, double volume, const struct memory *m,
                       struct trimesh *out)
{
    struct profile_point rings[2 * (CAP_BELTS + MAX_SIDE_BELTS) + 1];
    const int half = imin(MAX_SIDE_BELTS, (int)ceil(d->length / d->radius)),
              count = 2 * (CAP_BELTS + half) + 1;
    for (int i = 0; i < CAP_BELTS + half; ++i) {
        struct profile_point c = {d->radius, 0.5 * d->length * (CAP_BELTS + half - i) / half};
        if (i < CAP_BELTS) {
            c.radius = d->radius * symmetric_sin(i, 4 * CAP_BELTS);
            c.height = 0.5 * d->length + d->radius * symmetric_cos(i, 4 * CAP_BELTS);
        }
        rings[count - 1 - i] = c;
        rings[i] = (struct profile_point){c.radius, -c.height};
    }
    rings[CAP_BELTS + half] = (struct profile_point){d->radius, 0};
    return revolution_mesh(out, m, rings, count, REVOLUTION_SECTORS, false, volume);
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct shape_data *out,
                        tarn_error *err)
{
    const struct capsule_def *d = in->def;
    const double r = d->radius, l = d->length, straight = PI * r * r * l, ball = 4.0 / 3.0 * PI * r * r * r;
    const double across =
        straight * (l * l / 12.0 + r * r / 4.0) + ball * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
    const struct profile_point ends[] = {{0, -0.5 * l}, {0, 0.5 * l}};
    *out = (struct shape_data){.volume = straight + ball, .mass = in->density * (straight + ball)};
    out->inertia =
        axisymmetric_inertia(in->density * across, in->density * r * r * (0.5 * straight + 0.4 * ball));
    if (!build_mesh(d, out->volume, m, &out->hull) || !shape_alloc_parts(out, m, 1) ||
        !revolution_convex_part(&out->convex_parts[0], m, ends, 2, 0.0)) {
        shape_data_free(out, m);
        return fail(err, TARN_NO_MEMORY, "", "no memory for a capsule");
    }
    out->convex_parts[0].rounding = r;
    out->convex_parts[0].bounding_radius += r;
    return TARN_OK;
}

const struct shape_kind shape_capsule = {
    .kind = {.room = "shape",
             .name = "capsule",
             .help = "a cylinder about y with round ends",
             PARAMS(params)},
    .drag_coefficient = 0.5,
    .drag_orientation = 0.9,
    .make = make,
};
