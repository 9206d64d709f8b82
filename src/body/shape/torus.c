// Shape kind "torus": about the y axis. For collisions it is a ring of capsules.
#include "base/error.h"
#include "body/shape/construct/revolution.h"

static const tarn_param params[] = {
    PARAM_NUMBER(tarn_torus, radius, "radius", 0.3, 1e-3, 100, "m",
                 "radius of the ring, to the centre of the tube"),
    PARAM_NUMBER(tarn_torus, tube_radius, "tube_radius", 0.1, 1e-3, 100, "m",
                 "radius of the tube; less than the radius of the ring"),
};

#define TUBE_VERTICES 20 // of the mesh, around the tube
#define CAPSULES      24

// The polygon around the tube has the area of the circle; revolution_mesh() corrects the volume of the
// sectors.
static bool build_mesh(const tarn_torus *d, double volume, const struct memory *m, struct trimesh *out)
{
    struct profile_point rings[TUBE_VERTICES];
    const double tube = d->tube_radius * sqrt(2.0 * PI / (TUBE_VERTICES * m_sin(2.0 * PI / TUBE_VERTICES)));
    for (int i = 0; i < TUBE_VERTICES; ++i)
        rings[i] = (struct profile_point){d->radius + tube * symmetric_cos(i, TUBE_VERTICES),
                                          tube * symmetric_sin(i, TUBE_VERTICES)};
    return revolution_mesh(out, m, rings, TUBE_VERTICES, REVOLUTION_SECTORS, true, volume);
}

// The axes of the capsules form a polygon. Its mean distance from the centre over all directions is the
// ring's radius: a side at distance d has the distance d/cos(a), |a| < w, with the mean d/w ln((1 + sin
// w)/cos w).
static bool make_capsules(const tarn_torus *d, const struct memory *m, struct shape_data *out)
{
    const double half_angle = PI / CAPSULES, sine = m_sin(half_angle), cosine = m_cos(half_angle);
    const double side_distance = d->radius * half_angle / m_log((1.0 + sine) / cosine),
                 half_length = side_distance * sine / cosine;
    const struct profile_point ends[] = {{0, -half_length}, {0, half_length}};
    if (!shape_alloc_parts(out, m, CAPSULES)) return false;
    for (int i = 0; i < CAPSULES; ++i) {
        struct convex_part *part = &out->convex_parts[i];
        const double x = symmetric_cos(i, CAPSULES), z = symmetric_sin(i, CAPSULES);
        if (!revolution_convex_part(part, m, ends, 2, 0.0)) return false;
        part->position = v3(side_distance * x, 0, side_distance * z);
        part->axes = (mat3){{{x, -z, 0}, {0, 0, -1}, {z, x, 0}}}; // columns: radial, tangential, down
        part->rounding = d->tube_radius;
        part->bounding_radius += d->tube_radius;
    }
    return true;
}

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_torus *d = def;
    const double rr = d->radius * d->radius, tt = d->tube_radius * d->tube_radius;
    if (!(d->tube_radius < d->radius))
        return fail(err, TARN_BAD_INPUT, "tube_radius", "%g m is not less than the radius of the ring, %g",
                    d->tube_radius, d->radius);
    const double volume = 2.0 * PI * PI * d->radius * tt;
    *out = (struct shape_data){.volume = volume};
    out->inertia = axisymmetric_inertia(volume * (0.5 * rr + 0.625 * tt), volume * (rr + 0.75 * tt));
    if (!build_mesh(d, volume, m, &out->hull) || !make_capsules(d, m, out)) {
        shape_data_free(out, m);
        return fail(err, TARN_NO_MEMORY, "", "no memory for a torus");
    }
    return TARN_OK;
}

const struct shape_kind shape_torus = {
    .kind = {.category = "shape", .name = "torus", .help = "torus about y", PARAMS(params)},
    .def_size = sizeof(tarn_torus),
    .drag_coefficient = 0.6,
    .drag_orientation = 0.9,
    .make = make,
};
