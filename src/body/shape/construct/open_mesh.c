// Open shape from a closed mesh of its walls: the surface is cut at the opening's height into hull and
// compartment. Below the cut the surface falls into connected components. Closed by a cap, an outer wall has
// positive signed volume; the wall of the compartment, whose normals point inwards, has negative signed
// volume. Exactly one such component is required.
#include "base/error.h"
#include "base/sort.h"
#include "body/mesh/repair.h"
#include "body/shape/shape.h"

#define MIN_VOLUME 1e-12 // of the cube of the extent; a smaller volume is rounding error

struct mesh_cut {
    struct arena arena; // allocator of the arrays below
    const struct trimesh *mesh;
    double height, extent; // [m] of the cut; largest distance of a vertex from the origin
    signed char *sign;     // [vertex] -1 below, 0 on, 1 above the cut
    int *component;        // [vertex below] parent in the union-find forest of connected components
    int compartment;       // root of the component that is the compartment's wall
    int *cut_vertex; // [cut half-edge, in the order of triangles and their vertices] its vertex on the cut
    vec3 *vertices;  // of the mesh, followed by those on cut edges
    int vertex_count;
    int (*inner_triangles)[3], (*outer_triangles)[3]; // with the cap
    int inner_count, outer_count;
    int *next_on_edge, *opening; // [vertex] next on the opening's edge, -1: none; its vertices in order
    int opening_count;
};

// The polygons of a triangle below and above the cut: vertex indices in order. Either may have fewer than
// three.
struct split_triangle {
    int below[4], above[4];
    int below_count, above_count;
};

static bool is_on_cut(const struct mesh_cut *c, int v)
{
    return v >= c->mesh->vertex_count || c->sign[v] == 0;
}

static int component_root(struct mesh_cut *c, int v)
{
    while (c->component[v] != v) v = c->component[v] = c->component[c->component[v]];
    return v;
}

// The component below the cut that a triangle belongs to, -1: none
static int component_below(struct mesh_cut *c, const int *t)
{
    for (int k = 0; k < 3; ++k)
        if (c->sign[t[k]] < 0) return component_root(c, t[k]);
    return -1;
}

// `cut_index` counts the cut half-edges so far.
static struct split_triangle split_at_height(const struct mesh_cut *c, const int *t, int *cut_index)
{
    struct split_triangle split = {.below_count = 0};
    for (int k = 0; k < 3; ++k) {
        const int vertex = t[k], next = t[(k + 1) % 3];
        if (c->sign[vertex] <= 0) split.below[split.below_count++] = vertex;
        if (c->sign[vertex] >= 0) split.above[split.above_count++] = vertex;
        if (c->sign[vertex] * c->sign[next] < 0)
            split.below[split.below_count++] = split.above[split.above_count++] =
                c->cut_vertex[(*cut_index)++];
    }
    return split;
}

// ---- cutting ----------------------------------------------------------------------------------------

static bool classify_vertices(struct mesh_cut *c, struct trimesh *mesh)
{
    const size_t n = (size_t)mesh->vertex_count;
    c->sign = arena_alloc(&c->arena, n, 1);
    c->component = arena_alloc(&c->arena, n, sizeof *c->component);
    if (!c->sign || !c->component) return false;
    for (size_t v = 0; v < n; ++v) c->extent = fmax(c->extent, v3_length(mesh->vertices[v]));
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double *y = &mesh->vertices[v].y;
        if (fabs(*y - c->height) <= WELD_TOLERANCE * c->extent) *y = c->height;
        c->sign[v] = (signed char)((*y > c->height) - (*y < c->height));
        c->component[v] = v;
    }
    for (int e = 0; e < 3 * mesh->triangle_count; ++e) {
        const int a = mesh->triangles[e / 3][e % 3], b = mesh->triangles[e / 3][(e + 1) % 3];
        if (c->sign[a] >= 0 || c->sign[b] >= 0) continue;
        const int p = component_root(c, a), q = component_root(c, b);
        c->component[imax(p, q)] = imin(p, q);
    }
    return true;
}

// Lists the cut half-edges by their vertices below and above. Every cut edge occurs twice. Returns the
// number.
static int list_cut_edges(const struct mesh_cut *c, int *below, int *above)
{
    int count = 0;
    for (int e = 0; e < 3 * c->mesh->triangle_count; ++e) {
        const int *t = c->mesh->triangles[e / 3], a = t[e % 3], b = t[(e + 1) % 3];
        if (c->sign[a] * c->sign[b] >= 0) continue;
        if (below) below[count] = c->sign[a] < 0 ? a : b, above[count] = c->sign[a] < 0 ? b : a;
        ++count;
    }
    return count;
}

static vec3 cut_point(const struct mesh_cut *c, int below, int above)
{
    const vec3 a = c->mesh->vertices[below], b = c->mesh->vertices[above];
    vec3 p = v3_madd(a, (c->height - a.y) / (b.y - a.y), v3_sub(b, a));
    p.y = c->height;
    return p;
}

static bool make_cut_vertices(struct mesh_cut *c)
{
    const int n = list_cut_edges(c, NULL, NULL), vertex_count = c->mesh->vertex_count;
    c->cut_vertex = arena_alloc(&c->arena, (size_t)n, sizeof *c->cut_vertex);
    c->vertices = arena_alloc(&c->arena, (size_t)vertex_count + (size_t)n / 2, sizeof *c->vertices);
    const int mark = arena_mark(&c->arena);
    int *below = arena_alloc(&c->arena, (size_t)n, sizeof(int));
    int *above = arena_alloc(&c->arena, (size_t)n, sizeof(int));
    int *order = arena_alloc(&c->arena, (size_t)n, sizeof(int));
    int *scratch = arena_alloc(&c->arena, (size_t)n, sizeof(int));
    int *count = arena_alloc(&c->arena, (size_t)vertex_count + 1, sizeof(int));
    if (!c->cut_vertex || !c->vertices || !below || !above || !order || !scratch || !count) return false;
    list_cut_edges(c, below, above);
    for (int i = 0; i < n; ++i) order[i] = i;
    counting_sort(above, n, vertex_count, order, scratch, count);
    counting_sort(below, n, vertex_count, order, scratch, count);
    for (int v = 0; v < vertex_count; ++v) c->vertices[v] = c->mesh->vertices[v];
    c->vertex_count = vertex_count;
    for (int i = 0; i < n; ++i) {
        const int e = order[i], previous = order[i > 0 ? i - 1 : 0];
        if (i == 0 || below[e] != below[previous] || above[e] != above[previous])
            c->vertices[c->vertex_count++] = cut_point(c, below[e], above[e]);
        c->cut_vertex[e] = c->vertex_count - 1;
    }
    arena_release(&c->arena, mark);
    return true;
}

// ---- compartment ------------------------------------------------------------------------------------

// Six times the signed volume between the polygon below the cut and a point at the height of the cut. A cap
// would add nothing, because it lies in a plane through that point: the sum over a component is the volume
// below its cap.
static double six_volumes_below(const struct mesh_cut *c, const struct split_triangle *split)
{
    const vec3 origin = v3(0, c->height, 0), a = v3_sub(c->vertices[split->below[0]], origin);
    double sum = 0.0;
    for (int k = 1; k + 1 < split->below_count; ++k) {
        const vec3 b = v3_sub(c->vertices[split->below[k]], origin),
                   d = v3_sub(c->vertices[split->below[k + 1]], origin);
        sum += v3_dot(a, v3_cross(b, d));
    }
    return sum;
}

// Returns the number of components that are walls of a compartment, and sets c->compartment to the last. -1:
// no memory.
static int find_compartment(struct mesh_cut *c)
{
    const int vertex_count = c->mesh->vertex_count, mark = arena_mark(&c->arena);
    double *volumes = arena_alloc(&c->arena, (size_t)vertex_count, sizeof *volumes);
    char *is_open =
        arena_alloc(&c->arena, (size_t)vertex_count, 1); // [root] reaches the cut; a closed cavity does not
    int compartment_count = 0;
    if (!volumes || !is_open) return -1;
    for (int t = 0, cut_index = 0; t < c->mesh->triangle_count; ++t) {
        const struct split_triangle split = split_at_height(c, c->mesh->triangles[t], &cut_index);
        const int component = component_below(c, c->mesh->triangles[t]);
        if (component < 0) continue;
        volumes[component] += six_volumes_below(c, &split);
        int on_cut_count = 0;
        for (int k = 0; k < split.below_count; ++k) on_cut_count += is_on_cut(c, split.below[k]);
        if (on_cut_count > 1) is_open[component] = 1;
    }
    for (int v = 0; v < vertex_count; ++v)
        if (is_open[v] && volumes[v] < -MIN_VOLUME * c->extent * c->extent * c->extent)
            c->compartment = v, ++compartment_count;
    arena_release(&c->arena, mark);
    return compartment_count;
}

// ---- surfaces ---------------------------------------------------------------------------------------

static bool reserve_surfaces(struct mesh_cut *c)
{
    size_t inner_capacity = 0, outer_capacity = 0;
    for (int t = 0; t < c->mesh->triangle_count; ++t) {
        const bool is_inner = component_below(c, c->mesh->triangles[t]) == c->compartment;
        inner_capacity += is_inner ? 3 : 0; // at most two of the split triangle and one of the cap
        outer_capacity += is_inner ? 3 : 1;
    }
    c->inner_triangles = arena_alloc(&c->arena, inner_capacity, sizeof *c->inner_triangles);
    c->outer_triangles = arena_alloc(&c->arena, outer_capacity, sizeof *c->outer_triangles);
    c->next_on_edge = arena_alloc(&c->arena, (size_t)c->vertex_count, sizeof *c->next_on_edge);
    c->opening = arena_alloc(&c->arena, (size_t)c->vertex_count, sizeof *c->opening);
    return c->inner_triangles && c->outer_triangles && c->next_on_edge && c->opening;
}

static void add_face(int (*list)[3], int *count, int a, int b, int c)
{
    int *t = list[(*count)++];
    t[0] = a, t[1] = b, t[2] = c;
}

// Separates the compartment's wall below the cut, flipped, from the rest of the surface, and fills
// next_on_edge. Returns the number of edges of the opening; -1: two of them start at the same vertex.
static int separate_surfaces(struct mesh_cut *c)
{
    int edges = 0;
    for (int v = 0; v < c->vertex_count; ++v) c->next_on_edge[v] = -1;
    for (int t = 0, cut_index = 0; t < c->mesh->triangle_count; ++t) {
        const int *triangle = c->mesh->triangles[t];
        const struct split_triangle split = split_at_height(c, triangle, &cut_index);
        if (component_below(c, triangle) != c->compartment) {
            add_face(c->outer_triangles, &c->outer_count, triangle[0], triangle[1], triangle[2]);
            continue;
        }
        for (int k = 1; k + 1 < split.below_count; ++k)
            add_face(c->inner_triangles, &c->inner_count, split.below[0], split.below[k + 1], split.below[k]);
        for (int k = 1; k + 1 < split.above_count; ++k)
            add_face(c->outer_triangles, &c->outer_count, split.above[0], split.above[k], split.above[k + 1]);
        for (int k = 0; k < split.below_count; ++k) {
            const int a = split.below[k], b = split.below[(k + 1) % split.below_count];
            if (!is_on_cut(c, a) || !is_on_cut(c, b)) continue;
            if (c->next_on_edge[a] >= 0) return -1;
            c->next_on_edge[a] = b;
            ++edges;
        }
    }
    return edges;
}

// Lists the opening's edge in order, from its first vertex. False: the edges form more than one loop.
static bool trace_opening(struct mesh_cut *c, int edges)
{
    int v = 0;
    while (c->next_on_edge[v] < 0) ++v;
    for (const int start = v; v >= 0 && c->opening_count <= edges; v = c->next_on_edge[v]) {
        if (c->opening_count > 0 && v == start) break;
        c->opening[c->opening_count++] = v;
    }
    return c->opening_count == edges;
}

static tarn_result close_opening(struct mesh_cut *c, tarn_error *err)
{
    const int mark = arena_mark(&c->arena), edges = separate_surfaces(c);
    if (edges < 0 || !trace_opening(c, edges))
        return fail(err, TARN_BAD_INPUT, "rim_height",
                    "the compartment has more than one opening at this height");
    const size_t n = (size_t)c->opening_count;
    int *work = arena_alloc(&c->arena, 3 * n, sizeof *work);
    int(*cap)[3] = arena_alloc(&c->arena, n, sizeof *cap);
    if (!work || !cap) return fail(err, TARN_NO_MEMORY, "", "no memory for an open mesh");
    if (!triangulate_polygon(c->vertices, c->opening, c->opening_count, work, cap))
        return fail(err, TARN_BAD_INPUT, "rim_height", "the opening at this height intersects itself");
    for (int i = 0; i < c->opening_count - 2; ++i) {
        add_face(c->inner_triangles, &c->inner_count, cap[i][0], cap[i][1], cap[i][2]);
        add_face(c->outer_triangles, &c->outer_count, cap[i][0], cap[i][1], cap[i][2]);
    }
    arena_release(&c->arena, mark);
    return TARN_OK;
}

// ---- shape data -------------------------------------------------------------------------------------

static bool fill_shape_data(const struct mesh_cut *c, struct shape_data *shape)
{
    const struct memory *m = c->arena.memory;
    struct trimesh hull = {0};
    shape->opening = memory_alloc(m, (size_t)c->opening_count, sizeof *shape->opening);
    shape->opening_count = shape->opening ? c->opening_count : 0;
    for (int i = 0; i < shape->opening_count; ++i) shape->opening[i] = c->vertices[c->opening[i]];
    if (!shape->opening ||
        !trimesh_compact(&shape->compartment, m, c->vertices, c->vertex_count,
                         (const int(*)[3])c->inner_triangles, c->inner_count) ||
        !trimesh_compact(&hull, m, c->vertices, c->vertex_count, (const int(*)[3])c->outer_triangles,
                         c->outer_count)) {
        trimesh_free(&hull, m);
        return false;
    }
    shape->compartment_volume = trimesh_moments(&shape->compartment).volume;
    shape->solid_surface = shape->hull;
    shape->hull = hull;
    return true;
}

tarn_result shape_open_mesh(struct shape_data *shape, double height, const struct memory *m, tarn_error *err)
{
    struct mesh_cut cut = {.arena = {.memory = m}, .mesh = &shape->hull, .height = height};
    tarn_result r = TARN_OK;
    bool ok = classify_vertices(&cut, &shape->hull) && make_cut_vertices(&cut);
    const int compartment_count = ok ? find_compartment(&cut) : -1;
    if (compartment_count == 0) r = fail(err, TARN_BAD_INPUT, "rim_height", "no compartment below the rim");
    if (compartment_count > 1)
        r = fail(err, TARN_BAD_INPUT, "rim_height", "%d compartments below the rim; one is required",
                 compartment_count);
    if (compartment_count == 1) {
        ok = reserve_surfaces(&cut);
        if (ok) r = close_opening(&cut, err);
        if (ok && r == TARN_OK) ok = fill_shape_data(&cut, shape);
    }
    arena_release(&cut.arena, 0);
    if (!ok || compartment_count < 0) r = fail(err, TARN_NO_MEMORY, "", "no memory for an open mesh");
    return r;
}
