// Submersion and forces of a shape at a given pose without a body: the part of its hull below the plane that
// fits the surface there.
#include "couple/loads.h"

#define SAMPLES 9 // of the surface along x and z

struct rectangle {
    double x_min, x_max, z_min, z_max; // [m] from the centre of the shape
};

static struct rectangle footprint_of(const struct trimesh *h, const mat3 *axes)
{
    struct rectangle r = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int i = 0; i < h->vertex_count; ++i) {
        const vec3 p = mat3_mul(axes, h->vertices[i]);
        r.x_min = fmin(r.x_min, p.x), r.x_max = fmax(r.x_max, p.x);
        r.z_min = fmin(r.z_min, p.z), r.z_max = fmax(r.z_max, p.z);
    }
    return r;
}

// The plane with the least squared distance from samples in the rectangle, (x, z) from `centre`; level at
// their mean height if some are dry. False if all are dry.
static bool fit_plane(const struct fluid *f, vec3 centre, const struct rectangle *r, struct plane *out)
{
    double sum = 0.0, sum_x = 0.0, sum_z = 0.0, squares = 0.0;
    int wet = 0;
    const double middle_x = 0.5 * (r->x_min + r->x_max), middle_z = 0.5 * (r->z_min + r->z_max),
                 half_x = 0.5 * (r->x_max - r->x_min), half_z = 0.5 * (r->z_max - r->z_min);
    for (int k = 0; k < SAMPLES * SAMPLES; ++k) {
        const double a = 2.0 * (k % SAMPLES) / (SAMPLES - 1) - 1.0,
                     b = 2.0 * (k / SAMPLES) / (SAMPLES - 1) - 1.0;
        const double x = centre.x + middle_x + a * half_x, z = centre.z + middle_z + b * half_z;
        if (!fluid_contains(f, x, z) && !f->periodic_x && !f->periodic_z) continue;
        const struct surface_sample s = fluid_sample_surface(f, x, z);
        if (!(s.surface - s.bed > f->dry_depth)) continue;
        wet += 1, sum += s.surface, sum_x += a * s.surface, sum_z += b * s.surface, squares += a * a;
    }
    if (wet == 0) return false;
    *out = (struct plane){sum / wet, 0.0, 0.0};
    if (wet < SAMPLES * SAMPLES) return true;
    if (half_x > 0.0) out->b = sum_x / (squares * half_x);
    if (half_z > 0.0) out->c = sum_z / (squares * half_z);
    out->a -= out->b * middle_x + out->c * middle_z;
    return true;
}

// Fraction of the area of a triangle with these depths at its corners that is below the surface.
static double wet_fraction(const double d[3])
{
    int wet = 0, odd = 0;
    for (int k = 0; k < 3; ++k) wet += d[k] > 0.0;
    if (wet == 0 || wet == 3) return wet / 3;
    while ((d[odd] > 0.0) != (wet == 1)) ++odd;
    const double at = d[odd], next = d[(odd + 1) % 3], last = d[(odd + 2) % 3],
                 corner = at / (at - next) * (at / (at - last));
    return wet == 1 ? corner : 1.0 - corner;
}

static double wetted_area(const struct trimesh *h, const mat3 *axes, const struct plane *surface,
                          double height)
{
    double area = 0.0;
    for (int t = 0; t < h->triangle_count; ++t) {
        double d[3];
        for (int k = 0; k < 3; ++k) {
            const vec3 r = mat3_mul(axes, h->vertices[h->triangles[t][k]]);
            d[k] = surface->a - height + surface->b * r.x + surface->c * r.z - r.y;
        }
        area += h->facets[t].area * wet_fraction(d);
    }
    return area;
}

void couple_measure_submersion(const struct fluid *f, const struct shape_data *shape, vec3 position,
                               quat rotation, tarn_submersion *out)
{
    const struct body_state state = {.position = position, .rotation = rotation};
    const mat3 axes = quat_to_matrix(rotation);
    const struct rectangle footprint = footprint_of(&shape->hull, &axes);
    struct plane surface;
    *out = (tarn_submersion){0};
    if (f->model->no_fluid || !fit_plane(f, position, &footprint, &surface)) return;
    const struct submerged_part part = submerged_below(&shape->hull, &state, &surface, f->rest_level);
    out->surface_height = f->rest_level + surface.a;
    if (!(part.volume > 0.0)) return;
    const double x = part.moment.x / part.volume, z = part.moment.z / part.volume,
                 depth = part.depth_integral / part.volume;
    out->volume = part.volume;
    out->fraction = part.volume / (shape->volume + shape->compartment_volume);
    out->wetted_area = wetted_area(&shape->hull, &axes, &surface, position.y - f->rest_level);
    out->centre =
        v3(position.x + x, out->surface_height + surface.b * x + surface.c * z - depth, position.z + z);
    out->buoyancy = f->density * f->gravity * part.volume;
}
