// Open shapes with walls: the outer shape minus an inner shape with the same top. Volume and inertia are
// differences; the surface of the walls is joined from both meshes and a flat ring at the top.
#include "base/arena.h"
#include "base/error.h"
#include "body/shape/shape.h"

#define MIN_WALL      1e-5 // [m] below it the volume, a difference of two volumes, loses too many digits
#define MIN_CLEARANCE 1e-3 // [m] smallest inner width and height

tarn_result check_wall_thickness(double wall, double width, double height, tarn_error *err)
{
    if (!(wall >= MIN_WALL))
        return fail(err, TARN_BAD_INPUT, "wall_thickness", "%g m is below the minimum %g m (0: solid)", wall,
                    MIN_WALL);
    if (!(width - 2.0 * wall >= MIN_CLEARANCE && height - wall >= MIN_CLEARANCE))
        return fail(err, TARN_BAD_INPUT, "wall_thickness",
                    "%g m leaves no space inside: the shape is %g m wide and %g m high", wall, width, height);
    return TARN_OK;
}

// ---- tops -------------------------------------------------------------------------------------------

static double top_height(const struct trimesh *mesh)
{
    double top = -INFINITY;
    for (int i = 0; i < mesh->vertex_count; ++i) top = fmax(top, mesh->vertices[i].y);
    return top;
}

static bool is_top_triangle(const struct trimesh *mesh, double top, const int *t)
{
    return mesh->vertices[t[0]].y == top && mesh->vertices[t[1]].y == top && mesh->vertices[t[2]].y == top;
}

static int count_without_top(const struct trimesh *mesh, double top)
{
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) count += !is_top_triangle(mesh, top, mesh->triangles[t]);
    return count;
}

// Lists the vertices of the edge of the flat top, counter-clockwise seen from above, starting with the
// largest x (then the largest z), so that vertex i of the outer edge faces vertex i of the inner edge. `next`
// is scratch of vertex_count elements. Returns the number of vertices.
static int trace_top_edge(const struct trimesh *mesh, double top, int *next, int *loop)
{
    int start = -1, count = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *c = mesh->triangles[t];
        for (int k = 0; k < 3 && !is_top_triangle(mesh, top, c); ++k) {
            const int a = c[k], b = c[(k + 1) % 3];
            const vec3 p = mesh->vertices[a];
            if (p.y != top || mesh->vertices[b].y != top) continue;
            next[b] = a; // the top passes along this edge in the opposite direction
            if (start < 0 || p.x > mesh->vertices[start].x ||
                (p.x == mesh->vertices[start].x && p.z > mesh->vertices[start].z))
                start = a;
        }
    }
    ASSERT(start >= 0);
    for (int v = start; count == 0 || v != start; v = next[v]) loop[count++] = v;
    return count;
}

// ---- walls ------------------------------------------------------------------------------------------

// Subtracts volume and inertia of `inner`, whose centre of mass is `rise` above that of the shape. The centre
// of mass of the walls is `sink` below that of the solid shape; parallel-axis theorem for both. Returns
// `sink` [m].
static double subtract_inner(struct shape_data *shape, const struct shape_data *inner, double rise)
{
    const double volume = shape->volume - inner->volume;
    const double sink = inner->volume * rise / volume, offset = rise + sink;
    const double parallel_axis = shape->volume * sink * sink - inner->volume * offset * offset;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) shape->inertia.m[i][j] -= inner->inertia.m[i][j];
    shape->inertia.m[0][0] += parallel_axis;
    shape->inertia.m[2][2] += parallel_axis;
    shape->volume = volume;
    shape->compartment_volume = inner->volume;
    return sink;
}

struct hollow_work {
    struct arena arena; // allocator of the arrays below
    int *next_vertex, *outer_edge, *inner_edge;
    vec3 *vertices;
    int (*triangles)[3];
};

// Surface of the walls: the outer surface without its top, the compartment's surface flipped and without its
// cap, and the ring between the two edges at the top.
static bool make_solid_mesh(struct shape_data *shape, double top, int edge_count, struct hollow_work *work)
{
    const struct trimesh *outer = &shape->hull, *inner = &shape->compartment;
    const int first = outer->vertex_count;
    int count = 0;
    for (int i = 0; i < outer->vertex_count; ++i) work->vertices[i] = outer->vertices[i];
    for (int i = 0; i < inner->vertex_count; ++i) work->vertices[first + i] = inner->vertices[i];
    for (int t = 0; t < outer->triangle_count; ++t) {
        const int *c = outer->triangles[t];
        if (is_top_triangle(outer, top, c)) continue;
        for (int k = 0; k < 3; ++k) work->triangles[count][k] = c[k];
        ++count;
    }
    for (int t = 0; t < inner->triangle_count; ++t) {
        const int *c = inner->triangles[t];
        if (is_top_triangle(inner, top, c)) continue;
        for (int k = 0; k < 3; ++k) work->triangles[count][k] = first + c[2 - k];
        ++count;
    }
    for (int i = 0; i < edge_count; ++i) {
        const int j = (i + 1) % edge_count, a = work->outer_edge[i], b = work->outer_edge[j];
        const int c = first + work->inner_edge[j], d = first + work->inner_edge[i];
        int(*t)[3] = work->triangles + count;
        t[0][0] = a, t[0][1] = b, t[0][2] = c;
        t[1][0] = a, t[1][1] = c, t[1][2] = d;
        count += 2;
    }
    return trimesh_compact(&shape->solid_surface, work->arena.memory, work->vertices,
                           first + inner->vertex_count, (const int(*)[3])work->triangles, count);
}

static bool build_walls(struct shape_data *shape, double top, struct hollow_work *work)
{
    const struct trimesh *outer = &shape->hull, *inner = &shape->compartment;
    const size_t outer_size = (size_t)outer->vertex_count, inner_size = (size_t)inner->vertex_count;
    work->next_vertex = arena_alloc(&work->arena, outer_size > inner_size ? outer_size : inner_size,
                                    sizeof *work->next_vertex);
    work->outer_edge = arena_alloc(&work->arena, outer_size, sizeof *work->outer_edge);
    work->inner_edge = arena_alloc(&work->arena, inner_size, sizeof *work->inner_edge);
    work->vertices = arena_alloc(&work->arena, outer_size + inner_size, sizeof *work->vertices);
    if (!work->next_vertex || !work->outer_edge || !work->inner_edge || !work->vertices) return false;
    const int edge_count = trace_top_edge(outer, top, work->next_vertex, work->outer_edge),
              inner_count = trace_top_edge(inner, top, work->next_vertex, work->inner_edge);
    ASSERT(edge_count == inner_count);
    const size_t triangles = (size_t)count_without_top(outer, top) + (size_t)count_without_top(inner, top) +
                             2 * (size_t)edge_count;
    work->triangles = arena_alloc(&work->arena, triangles, sizeof *work->triangles);
    shape->opening = memory_alloc(work->arena.memory, (size_t)inner_count, sizeof *shape->opening);
    if (!work->triangles || !shape->opening) return false;
    shape->opening_count = inner_count;
    for (int i = 0; i < inner_count; ++i) shape->opening[i] = inner->vertices[work->inner_edge[i]];
    return make_solid_mesh(shape, top, edge_count, work);
}

tarn_result shape_hollow(struct shape_data *shape, struct shape_data *inner, const struct memory *m,
                         tarn_error *err)
{
    struct hollow_work work = {.arena = {.memory = m}};
    const double top = top_height(&shape->hull), inner_top = top_height(&inner->hull), rise = top - inner_top;
    const double sink = subtract_inner(shape, inner, rise);
    shape->compartment = inner->hull;
    inner->hull = (struct trimesh){0};
    for (int i = 0; i < shape->compartment.vertex_count; ++i) {
        double *y = &shape->compartment.vertices[i].y;
        *y = *y == inner_top ? top : *y + rise; // exactly the same height as the outer top
    }
    const bool ok = build_walls(shape, top, &work);
    arena_release(&work.arena, 0);
    if (!ok) return fail(err, TARN_NO_MEMORY, "", "no memory for an open shape");
    shape_translate(shape, v3(0, sink, 0));
    return TARN_OK;
}
