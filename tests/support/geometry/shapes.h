// Creates shapes, and checks properties of every hull and convex part.
#ifndef TESTS_SHAPES_H
#define TESTS_SHAPES_H

#include "base/math/random.h"
#include "body/shape/shape.h"
#include "check.h"

static struct memory heap;

// Data of a shape besides its parameters.
struct shape_input {
    const tarn_mesh *mesh;
    const struct shape_part {
        tarn_spec shape;
        tarn_vec3 position;
        tarn_quat rotation;
        double density;
    } * parts;
    int part_count;
    double density; // of parts without their own, if others have one
};

static const quat askew = {0.36, -0.48, 0.48, 0.64};

static inline double dice(int n) { return 2.0 * random_unit(3, 1, (uint64_t)n) - 1.0; }

static inline vec3 direction(int n)
{
    const double y = dice(2 * n), a = PI * dice(2 * n + 1), r = sqrt(1 - y * y);
    return v3(r * cos(a), y, r * sin(a));
}

// ---- creation ---------------------------------------------------------------------------------------

static inline tarn_spec spec_of(const char *kind)
{
    tarn_spec s;
    CHECK_OK(tarn_spec_init(&s, "shape", kind, NULL));
    return s;
}

static inline tarn_spec with(tarn_spec s, const char *name, double value)
{
    CHECK_OK(tarn_spec_set(&s, name, tarn_value_number(value), NULL));
    return s;
}

// A shape with a table, which the spec borrows. Tables that are too long are not checked here.
static inline tarn_spec table(const char *kind, int rows, const double *numbers)
{
    tarn_spec s = spec_of(kind);
    for (int i = 0; i < s.kind->param_count; ++i) {
        const tarn_param *p = &s.kind->params[i];
        if (!p->count_offset) continue;
        memcpy((char *)s.data + p->offset, &numbers, sizeof numbers);
        memcpy((char *)s.data + p->count_offset, &rows, sizeof rows);
    }
    return s;
}

static inline tarn_spec sized(const char *kind, const char *a, double x, const char *b, double y)
{
    return with(with(spec_of(kind), a, x), b, y);
}

static const double bottle[][2] = {{0.3, 0},   {0.4, 0.1},   {0.4, 0.7},  {0.25, 0.9},
                                   {0.1, 1.1}, {0.08, 1.25}, {0.08, 1.4}, {0.1, 1.5}};

static inline void release_children(tarn_compound_child *children, int count)
{
    for (int i = 0; i < count; ++i) tarn_shape_release(children[i].shape);
    free(children);
}

// The children that the parts are. The caller releases them.
static inline tarn_compound_child *make_children(const struct shape_input *in)
{
    tarn_compound_child *children = calloc((size_t)in->part_count, sizeof *children);
    assert_non_null(children);
    double given = 0.0;
    for (int i = 0; i < in->part_count; ++i) given = fmax(given, in->parts[i].density);
    for (int i = 0; i < in->part_count; ++i) {
        const struct shape_part *part = &in->parts[i];
        tarn_shape_def def;
        tarn_shape *shape;
        CHECK_OK(tarn_shape_def_from_spec(&part->shape, &def));
        CHECK_OK(tarn_shape_create(&def, NULL, &shape, NULL));
        children[i] = (tarn_compound_child){shape,
                                            {part->position, part->rotation},
                                            part->density > 0 || given == 0 ? part->density : in->density};
    }
    return children;
}

static inline tarn_result try_make(const struct shape_input *in, const tarn_spec *s, struct shape_data *f,
                                   tarn_error *err)
{
    tarn_compound_child *children = NULL;
    tarn_shape_def def;
    tarn_shape *shape;
    memory_init(&heap, NULL);
    *err = (tarn_error){0};
    *f = (struct shape_data){0};
    CHECK_OK(tarn_shape_def_from_spec(s, &def));
    if (def.type == TARN_SHAPE_MESH && in->mesh) def.mesh.mesh = *in->mesh;
    if (def.type == TARN_SHAPE_COMPOUND && in->parts) {
        children = make_children(in);
        def.compound = (tarn_compound){children, in->part_count};
    }
    tarn_result r = tarn_shape_create(&def, NULL, &shape, err); // checks what make() relies on
    if (r == TARN_OK) tarn_shape_release(shape);
    if (r == TARN_OK) r = shape_kind_of(s->kind)->make(def.space, &heap, f, err);
    release_children(children, children ? in->part_count : 0);
    return r;
}

static inline struct shape_data make(tarn_spec s)
{
    struct shape_data f;
    tarn_error err;
    const struct shape_input in = {0};
    if (try_make(&in, &s, &f, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return f;
}

static inline double abs_f(const struct shape_data *f)
{
    double size = 0;
    for (int i = 0; i < f->hull.vertex_count; ++i) size = fmax(size, v3_length(f->hull.vertices[i]));
    return size;
}

// ---- hulls ------------------------------------------------------------------------------------------

// Every edge belongs to two triangles, in opposite directions.
static inline void check_closed(const struct trimesh *h)
{
    const int n = 3 * h->triangle_count, capacity = 4 * n;
    int(*edges)[2] = malloc(sizeof *edges * (size_t)capacity), same = 0, back = 0;
    for (int i = 0; i < capacity; ++i) edges[i][0] = -1;
    for (int e = 0; e < 2 * n; ++e) {
        const int *t = h->triangles[e % n / 3], from = t[e % 3], to = t[(e + 1) % 3];
        const int a = e < n ? from : to, b = e < n ? to : from;
        int at = (int)((a * 7919u + b * 104729u) % (unsigned)capacity);
        while (edges[at][0] >= 0 && (edges[at][0] != a || edges[at][1] != b)) at = (at + 1) % capacity;
        if (e < n)
            same += edges[at][0] >= 0, edges[at][0] = a, edges[at][1] = b;
        else
            back += edges[at][0] >= 0;
    }
    free(edges);
    assert_int_equal(same, 0);
    assert_int_equal(back, n);
}

// The mirror image of every triangle exists. `sign` is -1 for the mirrored axis.
static inline void check_mirror(const struct shape_data *f, vec3 sign)
{
    const struct trimesh *h = &f->hull;
    const double near = 1e-13 * abs_f(f);
    for (int t = 0; t < h->triangle_count; ++t) {
        const vec3 c = h->facets[t].centroid, m = v3(c.x * sign.x, c.y * sign.y, c.z * sign.z);
        int found = 0;
        for (int u = 0; u < h->triangle_count && !found; ++u)
            found = v3_length(v3_sub(h->facets[u].centroid, m)) < near;
        if (!found) fail_msg("triangle %d of %d has no mirror image", t, h->triangle_count);
    }
}

// The hull against the shape: the same volume and centre; the error of the inertia by facets is less than
// `part`.
static inline void check_hull(const struct shape_data *f, double part)
{
    const struct volume_moments m = trimesh_moments(&f->hull);
    const mat3 i = inertia_of_moments(&m);
    const double size = abs_f(f), most = f->inertia.m[0][0] + f->inertia.m[1][1] + f->inertia.m[2][2];
    check_closed(&f->hull);
    CHECK_NEAR(m.volume, f->volume, 1e-12 * f->volume);
    CHECK_NEAR(m.centroid.x, 0, 1e-12 * size);
    CHECK_NEAR(m.centroid.y, 0, 1e-12 * size);
    CHECK_NEAR(m.centroid.z, 0, 1e-12 * size);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) CHECK_NEAR(i.m[a][b], f->inertia.m[a][b], part * most);
    for (int t = 0; t < f->hull.triangle_count; ++t) assert_true(f->hull.facets[t].area > 0);
}

static inline void check_mass(const struct shape_data *f, double volume, vec3 inertia, double part)
{
    const double want[] = {inertia.x, inertia.y, inertia.z}, most = inertia.x + inertia.y + inertia.z;
    CHECK_NEAR(f->volume, volume, part * volume);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) CHECK_NEAR(f->inertia.m[a][b], a == b ? want[a] : 0, part * most);
}

// ---- parts ------------------------------------------------------------------------------------------

static inline double support(const struct convex_part *p, vec3 n)
{
    const vec3 own = mat3_mul_t(&p->axes, n);
    double far = -INFINITY;
    for (int i = 0; i < p->vertex_count; ++i) far = fmax(far, v3_dot(own, p->vertices[i]));
    for (int i = 0; i < p->profile_count; ++i)
        far = fmax(far,
                   p->profile[i].radius * sqrt(own.x * own.x + own.z * own.z) + p->profile[i].height * own.y);
    return v3_dot(n, p->position) + far + p->rounding;
}

static inline double support_all(const struct shape_data *f, vec3 n)
{
    double far = -INFINITY;
    for (int i = 0; i < f->convex_part_count; ++i) far = fmax(far, support(&f->convex_parts[i], n));
    return far;
}

#endif
