// Shape kind "wigley": the Wigley hull form [wigley1934], a standard model of towing tanks. Length along x, y
// up; below the design waterline y = 0 the half breadth is
//
//     b(x, y) = B/2 (1 - (2x/L)^2) (1 - (y/T)^2),   -T <= y <= 0
//
// with vertical sides from there up to a flat deck at the height of the freeboard. For collisions it is its
// convex hull, which differs from the hull form only near the ends of the keel. An open ship has no deck; its
// inside is a smaller Wigley form: with smaller L, B and T, b is smaller everywhere.
#include "base/error.h"
#include "body/shape/shape.h"

static const tarn_param params[] = {
    PARAM_NUMBER(tarn_wigley, length, "length", 2.5, 1e-3, 100, "m", "length along x"),
    PARAM_NUMBER(tarn_wigley, breadth, "breadth", 0.25, 1e-3, 100, "m", "breadth amidships, along z"),
    PARAM_NUMBER(tarn_wigley, draft, "draft", 0.15625, 1e-3, 100, "m",
                 "draft from the design waterline to the keel"),
    PARAM_NUMBER(tarn_wigley, freeboard, "freeboard", 0.1, 0, 100, "m",
                 "height of the vertical sides above the design waterline"),
    PARAM_NUMBER(tarn_wigley, wall_thickness, "wall_thickness", 0, 0, 100, "m",
                 "wall thickness at the ends, amidships and at the keel, without a deck; 0: solid"),
};

#define STATIONS            24 // divisions of the length
#define WATERLINES          8  // divisions of the draft
#define FREEBOARD_LEVELS    2  // divisions of the freeboard, if it is not zero
#define MAX_CONVEX_VERTICES 96 // of the convex hull

struct ship_moments {
    double volume, centroid; // [m^3], [m] height of the centroid
    double xx, yy, zz;       // [m^5] int x^2 dV, int y^2 dV, int z^2 dV about the centroid
};

// The breadth is B f(x) g(y) with f = 1 - (2x/L)^2, and g = 1 - (y/T)^2 below the waterline, 1 above. x0, x2,
// x3 are the integrals of f, x^2 f, f^3 over the length; y0, y1, y2, y3 those of g, y g, y^2 g, g^3 over the
// height.
static struct ship_moments ship_moments_of(const tarn_wigley *d)
{
    const double l = d->length, b = d->breadth, t = d->draft, f = d->freeboard;
    const double x0 = l * 2.0 / 3.0, x2 = l * l * l / 30.0, x3 = l * 16.0 / 35.0;
    const double y0 = t * 2.0 / 3.0 + f, y1 = -0.25 * t * t + 0.5 * f * f;
    const double y2 = t * t * t * 2.0 / 15.0 + f * f * f / 3.0, y3 = t * 16.0 / 35.0 + f;
    return (struct ship_moments){b * x0 * y0, y1 / y0, b * x2 * y0, b * x0 * (y2 - y1 * y1 / y0),
                                 b * b * b / 12.0 * x3 * y3};
}

// ---- mesh -------------------------------------------------------------------------------------------

// Vertices are numbered by station and level (0 is the keel, `levels` the deck): first those with z >= 0,
// then those with z < 0, then the centreline of the deck.
static int vertex_index(int levels, int station, int level, int side)
{
    if (!side || level == 0 || station == 0 || station == STATIONS) return station * (levels + 1) + level;
    return (STATIONS + 1) * (levels + 1) + (station - 1) * levels + level - 1;
}

static int deck_vertex(int levels, int station)
{
    if (station == 0 || station == STATIONS) return vertex_index(levels, station, levels, 0);
    return (STATIONS + 1) * (levels + 1) + (STATIONS - 1) * levels + station - 1;
}

// Breadths are multiplied by p + q y below the waterline and by p above.
static void place_vertices(const tarn_wigley *d, int levels, double p, double q, struct trimesh *mesh)
{
    for (int i = 0; i <= STATIONS; ++i) {
        const double x = (2.0 * i - STATIONS) / STATIONS;
        for (int j = 0; j <= levels; ++j) {
            const double depth_fraction = j < WATERLINES ? (double)(WATERLINES - j) / WATERLINES : 0.0,
                         depth_y = -d->draft * depth_fraction;
            const double y = j < WATERLINES ? depth_y : d->freeboard * (j - WATERLINES) / FREEBOARD_LEVELS;
            const double z = 0.5 * d->breadth * (1.0 - x * x) * (1.0 - depth_fraction * depth_fraction) *
                             (p + q * depth_y);
            mesh->vertices[vertex_index(levels, i, j, 1)] = v3(0.5 * d->length * x, y, -z);
            mesh->vertices[vertex_index(levels, i, j, 0)] = v3(0.5 * d->length * x, y, z);
        }
        vec3 *centreline = &mesh->vertices[deck_vertex(levels, i)];
        *centreline = mesh->vertices[vertex_index(levels, i, levels, 0)];
        centreline->z = 0.0;
    }
}

// Adds a triangle of the side z > 0 and its mirror image.
static void add_mirrored_pair(struct trimesh *mesh, int *count, const int a[2], const int b[2],
                              const int c[2])
{
    int(*t)[3] = mesh->triangles + *count;
    t[0][0] = a[0], t[0][1] = b[0], t[0][2] = c[0];
    t[1][0] = a[1], t[1][1] = c[1], t[1][2] = b[1];
    *count += 2;
}

// Diagonals rise from the nearer end of the keel, so that none lies in the plane z = 0.
static void connect_vertices(int levels, struct trimesh *mesh)
{
    int triangle_count = 0;
    for (int i = 0; i < STATIONS; ++i) {
        const int here[2] = {deck_vertex(levels, i), deck_vertex(levels, i)};
        const int next[2] = {deck_vertex(levels, i + 1), deck_vertex(levels, i + 1)};
        for (int j = 0; j < levels; ++j) {
            const int a[2] = {vertex_index(levels, i, j, 0), vertex_index(levels, i, j, 1)};
            const int b[2] = {vertex_index(levels, i + 1, j, 0), vertex_index(levels, i + 1, j, 1)};
            const int c[2] = {vertex_index(levels, i + 1, j + 1, 0), vertex_index(levels, i + 1, j + 1, 1)};
            const int e[2] = {vertex_index(levels, i, j + 1, 0), vertex_index(levels, i, j + 1, 1)};
            const bool aft = 2 * i < STATIONS;
            add_mirrored_pair(mesh, &triangle_count, a, b, aft ? c : e);
            add_mirrored_pair(mesh, &triangle_count, aft ? a : b, c, e);
            if (j + 1 < levels) continue;
            if (i > 0) add_mirrored_pair(mesh, &triangle_count, here, e, aft || i + 1 == STATIONS ? next : c);
            if (i + 1 < STATIONS) add_mirrored_pair(mesh, &triangle_count, aft && i > 0 ? e : here, c, next);
        }
    }
    ASSERT(triangle_count == mesh->triangle_count);
}

// Volume and height of the centroid of the triangle mesh differ a little from those of the ship. Volume and
// first moment are linear in the breadths of the vertices, so the two factors p and q make both exact.
static bool build_mesh(const tarn_wigley *d, const struct ship_moments *moments, const struct memory *m,
                       struct trimesh *out)
{
    const int levels = d->freeboard > 0.0 ? WATERLINES + FREEBOARD_LEVELS : WATERLINES;
    const int vertices = 2 * STATIONS * (levels + 1);
    if (!trimesh_alloc(out, m, vertices, 4 * STATIONS * levels + 4 * STATIONS - 4)) return false;
    connect_vertices(levels, out);
    place_vertices(d, levels, 1.0, 0.0, out);
    const struct volume_moments uniform = trimesh_moments(out);
    place_vertices(d, levels, 0.0, 1.0 / d->draft, out);
    const struct volume_moments linear = trimesh_moments(out);
    const double a = uniform.volume, b = linear.volume;
    const double c = a * (uniform.centroid.y - moments->centroid),
                 e = b * (linear.centroid.y - moments->centroid);
    const double scale = moments->volume / (a * e - b * c);
    place_vertices(d, levels, scale * e, -scale * c / d->draft, out);
    for (int i = 0; i < vertices; ++i) out->vertices[i].y -= moments->centroid;
    trimesh_compute_facets(out);
    return true;
}

// Shape data without convex parts.
static bool make_shape_data(const tarn_wigley *d, const struct memory *m, struct shape_data *out)
{
    const struct ship_moments moments = ship_moments_of(d);
    *out = (struct shape_data){.volume = moments.volume};
    out->inertia = (mat3){
        {{moments.yy + moments.zz, 0, 0}, {0, moments.zz + moments.xx, 0}, {0, 0, moments.xx + moments.yy}}};
    return build_mesh(d, &moments, m, &out->hull);
}

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_wigley *d = def;
    const double wall = d->wall_thickness;
    tarn_result r =
        wall > 0.0 ? check_wall_thickness(wall, fmin(d->length, d->breadth), d->draft, err) : TARN_OK;
    if (r != TARN_OK) return r;
    if (make_shape_data(d, m, out) && shape_alloc_parts(out, m, 1))
        r = convex_hull_build(&out->convex_parts[0], m, out->hull.vertices, out->hull.vertex_count,
                              MAX_CONVEX_VERTICES, err);
    else
        r = fail(err, TARN_NO_MEMORY, "", "no memory for a ship");
    if (r == TARN_OK && wall > 0.0) {
        const tarn_wigley inner_def = {.length = d->length - 2.0 * wall,
                                       .breadth = d->breadth - 2.0 * wall,
                                       .draft = d->draft - wall,
                                       .freeboard = d->freeboard};
        struct shape_data inner;
        if (make_shape_data(&inner_def, m, &inner))
            r = shape_hollow(out, &inner, m, err);
        else
            r = fail(err, TARN_NO_MEMORY, "", "no memory for a ship");
        shape_data_free(&inner, m);
    }
    if (r != TARN_OK) shape_data_free(out, m);
    return r;
}

const struct shape_kind shape_wigley = {
    .kind = {.category = "shape",
             .name = "wigley",
             .help = "Wigley hull form along x, solid or open at the top",
             PARAMS(params)},
    .def_size = sizeof(tarn_wigley),
    .drag_coefficient = 0.8,
    .drag_orientation = 0.99,
    .make = make,
};
