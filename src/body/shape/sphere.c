// Shape kind "sphere". The mesh is an icosahedron with every face divided into 64 triangles, scaled so that
// it encloses exactly the volume of the sphere: the buoyancy of a submerged sphere is exact, and drafts of
// 0.3 to 1.7 R are within 1e-4 R (test_couple, balls_float_at_their_draft).
#include "base/error.h"
#include "body/shape/shape.h"

static const tarn_param params[] = {
    PARAM_NUMBER(tarn_sphere, radius, "radius", 0.25, 1e-3, 100, "m", "radius of the sphere"),
};

#define EDGE_SEGMENTS 8 // per edge of the icosahedron

static double radius(const void *def) { return ((const tarn_sphere *)def)->radius; }

static double volume(const void *def)
{
    const double r = radius(def);
    return 4.0 / 3.0 * PI * r * r * r;
}

static vec3 project_to_sphere(vec3 v, double r) { return v3_scale(v, r / v3_length(v)); }

// The twelve vertices (0, +-1, +-phi) and their cyclic permutations; bits 0 and 1 of i are the signs.
static vec3 icosahedron_vertex(int i)
{
    const double one = i & 1 ? -1.0 : 1.0, phi = (i & 2 ? -1.0 : 1.0) * 0.5 * (1.0 + sqrt(5.0));
    return i < 4 ? v3(0, one, phi) : i < 8 ? v3(one, phi, 0) : v3(phi, 0, one);
}

// Three vertices form a face if all are neighbours (distance 2). Written counter-clockwise seen from outside.
static bool icosahedron_face(int i, int j, int k, int *out)
{
    const vec3 a = icosahedron_vertex(i), b = icosahedron_vertex(j), c = icosahedron_vertex(k);
    const double max_distance2 = 4.5;
    const vec3 ab = v3_sub(b, a), ac = v3_sub(c, a), bc = v3_sub(c, b);
    if (v3_dot(ab, ab) > max_distance2 || v3_dot(ac, ac) > max_distance2 || v3_dot(bc, bc) > max_distance2)
        return false;
    const bool outward = v3_dot(a, v3_cross(ab, ac)) > 0.0;
    out[0] = i, out[1] = outward ? j : k, out[2] = outward ? k : j;
    return true;
}

// A face of the icosahedron, divided into a triangular lattice.
struct lattice {
    struct trimesh *h;
    vec3 a, b, c; // vertices of the face
    double r;
    int vertex_id[EDGE_SEGMENTS + 1][EDGE_SEGMENTS + 1]; // 1 + index of the mesh vertex; 0: none yet
};

// Returns the mesh vertex of lattice point (p, q). A point on an edge of the face may exist already, as a
// vertex of the neighbouring face; it is found by its position. A point inside the face is new.
static int make_vertex(const struct lattice *l, int *count, int p, int q)
{
    const bool on_edge = p == 0 || q == 0 || p + q == EDGE_SEGMENTS;
    const vec3 v = project_to_sphere(
        v3_add(v3_scale(l->a, EDGE_SEGMENTS - p - q), v3_add(v3_scale(l->b, p), v3_scale(l->c, q))), l->r);
    for (int i = 0; on_edge && i < *count; ++i) {
        const vec3 d = v3_sub(l->h->vertices[i], v);
        if (v3_dot(d, d) < 1e-12 * l->r * l->r) return i;
    }
    l->h->vertices[*count] = v;
    return (*count)++;
}

// The mesh vertex at a lattice point, created when first used.
static int lattice_vertex(struct lattice *l, int *count, int p, int q)
{
    if (!l->vertex_id[p][q]) l->vertex_id[p][q] = 1 + make_vertex(l, count, p, q);
    return l->vertex_id[p][q] - 1;
}

static void add_face(struct trimesh *h, int *vertices, int *triangles, const int *f, double r)
{
    struct lattice l = {.h = h,
                        .a = icosahedron_vertex(f[0]),
                        .b = icosahedron_vertex(f[1]),
                        .c = icosahedron_vertex(f[2]),
                        .r = r};
    for (int p = 0; p < EDGE_SEGMENTS; ++p)
        for (int q = 0; q < EDGE_SEGMENTS - p; ++q) {
            const int a = lattice_vertex(&l, vertices, p, q), b = lattice_vertex(&l, vertices, p + 1, q);
            const int c = lattice_vertex(&l, vertices, p, q + 1);
            int *t = h->triangles[(*triangles)++];
            t[0] = a, t[1] = b, t[2] = c;
            if (p + q + 2 > EDGE_SEGMENTS) continue;
            t = h->triangles[(*triangles)++];
            t[0] = b, t[1] = lattice_vertex(&l, vertices, p + 1, q + 1), t[2] = c;
        }
}

static bool build_mesh(const void *def, const struct memory *m, struct trimesh *out)
{
    int vertices = 0, triangles = 0, f[3];
    if (!trimesh_alloc(out, m, 10 * EDGE_SEGMENTS * EDGE_SEGMENTS + 2, 20 * EDGE_SEGMENTS * EDGE_SEGMENTS))
        return false;
    for (int i = 0; i < 12; ++i)
        for (int j = i + 1; j < 12; ++j)
            for (int k = j + 1; k < 12; ++k)
                if (icosahedron_face(i, j, k, f)) add_face(out, &vertices, &triangles, f, radius(def));
    const double scale = m_pow(volume(def) / trimesh_moments(out).volume, 1.0 / 3.0);
    for (int i = 0; i < vertices; ++i) out->vertices[i] = v3_scale(out->vertices[i], scale);
    trimesh_compute_facets(out);
    return true;
}

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const double sphere_radius = radius(def), sphere_volume = volume(def),
                 inertia = 0.4 * sphere_volume * sphere_radius * sphere_radius;
    *out = (struct shape_data){.volume = sphere_volume};
    out->inertia = (mat3){{{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}}};
    if (!build_mesh(def, m, &out->hull) || !shape_alloc_parts(out, m, 1) ||
        !convex_part_alloc_profile(&out->convex_parts[0], m, 1)) {
        shape_data_free(out, m);
        return fail(err, TARN_NO_MEMORY, "", "no memory for a sphere");
    }
    out->convex_parts[0].rounding = out->convex_parts[0].bounding_radius = sphere_radius;
    return TARN_OK;
}

const struct shape_kind shape_sphere = {
    .kind = {.category = "shape", .name = "sphere", .help = "sphere", PARAMS(params)},
    .def_size = sizeof(tarn_sphere),
    .drag_coefficient = 0.42,
    .drag_orientation = 0.9,
    .make = make,
};
