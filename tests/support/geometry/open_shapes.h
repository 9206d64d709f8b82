// Properties of every open shape.
#ifndef TESTS_OPEN_SHAPES_H
#define TESTS_OPEN_SHAPES_H

#include "polyhedra.h"
#include "shapes.h"

static inline void heights(const struct trimesh *h, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (int i = 0; i < h->vertex_count; ++i)
        *low = fmin(*low, h->vertices[i].y), *high = fmax(*high, h->vertices[i].y);
}

// Twice the area of the opening, seen from above, and of the cap of a hull.
static inline double rim_area(const struct shape_data *f)
{
    double area = 0;
    for (int i = 0; i < f->opening_count; ++i) {
        const vec3 a = f->opening[i], b = f->opening[(i + 1) % f->opening_count];
        area += a.z * b.x - a.x * b.z;
    }
    return area;
}

static inline double lid_area(const struct trimesh *h, double top)
{
    double area = 0;
    for (int t = 0; t < h->triangle_count; ++t) {
        const int *c = h->triangles[t];
        if (h->vertices[c[0]].y != top || h->vertices[c[1]].y != top || h->vertices[c[2]].y != top) continue;
        assert_true(h->facets[t].normal.y > 0.999 || h->facets[t].area < 1e-12);
        area += 2 * h->facets[t].area;
    }
    return area;
}

// The centre of mass is that of the surface, with errors of 1e-12 from sums over a thousand triangles.
static inline void check_open(const struct shape_data *f)
{
    const struct volume_moments hull = trimesh_moments(&f->hull), hold = trimesh_moments(&f->compartment),
                                surface = trimesh_moments(&f->solid_surface);
    const double size = abs_f(f);
    double low, top;
    check_closed(&f->hull);
    check_closed(&f->compartment);
    check_closed(&f->solid_surface);
    CHECK_NEAR(hull.volume, f->volume + f->compartment_volume, 1e-12 * hull.volume);
    CHECK_NEAR(hold.volume, f->compartment_volume, 1e-12 * hull.volume);
    CHECK_NEAR(surface.volume, f->volume, 1e-12 * hull.volume);
    CHECK_NEAR(v3_length(surface.centroid), 0, 1e-12 * size * hull.volume / f->volume);
    const vec3 first = v3_sub(v3_scale(hull.centroid, hull.volume), v3_scale(hold.centroid, hold.volume));
    CHECK_NEAR(v3_length(first), 0, 1e-12 * size * hull.volume);
    heights(&f->compartment, &low, &top);
    assert_true(f->opening_count >= 3);
    for (int i = 0; i < f->opening_count; ++i) assert_true(f->opening[i].y == top);
    CHECK_NEAR(rim_area(f), lid_area(&f->compartment, top), 1e-12 * size * size);
}

static inline tarn_spec open_box(vec3 size, double wall)
{
    tarn_spec s = with(spec_of("box"), "wall_thickness", wall);
    CHECK_OK(tarn_spec_set(&s, "size", tarn_value_vec3(size.x, size.y, size.z), NULL));
    return s;
}

static inline void refuse(const struct list *l, tarn_spec s, const char *key, const char *words)
{
    const tarn_mesh mesh =
        l ? (tarn_mesh){l->vertex_count, l->triangle_count, l->vertices, l->triangles} : (tarn_mesh){0};
    const struct shape_input in = {.mesh = &mesh};
    struct shape_data f;
    tarn_error err;
    assert_int_equal(try_make(&in, &s, &f, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, key);
    if (!strstr(err.message, words)) fail_msg("\"%s\" does not say \"%s\"", err.message, words);
    assert_null(f.hull.vertices);
    assert_null(f.opening);
}

#endif
