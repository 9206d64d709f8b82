// Open shapes with walls: the outer shape minus an inner shape with the same top. Mass and inertia are
// differences; the surface of the walls is joined from both meshes and a flat ring at the top.
#include "base/error.h"
#include "body/mesh/repair.h"

#define MIN_WALL      1e-5 // [m] below it the mass, a difference of two masses, loses too many digits
#define MIN_CLEARANCE 1e-3 // [m] smallest inner width and height

tarn_result check_wall_thickness(double wall, double width, double height, tarn_error *err)
{
    if (!(wall >= MIN_WALL))
        return fail(err, TARN_BAD_INPUT, "wall", "%g m is thinner than %g; with 0 it is solid", wall,
                    MIN_WALL);
    if (!(width - 2.0 * wall >= MIN_CLEARANCE && height - wall >= MIN_CLEARANCE))
        return fail(err, TARN_BAD_INPUT, "wall",
                    "%g m leaves no room inside: it is %g m wide and %g m high outside", wall, width, height);
    return TARN_OK;
}

bool trimesh_compact(struct trimesh *out, const struct memory *m, const vec3 *vertices, int vertex_count,
                     const int (*triangles)[3], int triangle_count)
{
    int *to = memory_alloc(m, (size_t)vertex_count, sizeof *to), count = 0;
    if (!to) return false;
    for (int t = 0; t < triangle_count; ++t)
        for (int k = 0; k < 3; ++k) to[triangles[t][k]] = 1;
    for (int v = 0; v < vertex_count; ++v) to[v] = to[v] ? count++ : -1;
    const bool fine = trimesh_alloc(out, m, count, triangle_count);
    for (int v = 0; fine && v < vertex_count; ++v)
        if (to[v] >= 0) out->vertices[to[v]] = vertices[v];
    for (int t = 0; fine && t < triangle_count; ++t)
        for (int k = 0; k < 3; ++k) out->triangles[t][k] = to[triangles[t][k]];
    memory_free(m, to, (size_t)vertex_count, sizeof *to);
    return fine;
}

// ---- tops -------------------------------------------------------------------------------------------

static double top_height(const struct trimesh *h)
{
    double top = -INFINITY;
    for (int i = 0; i < h->vertex_count; ++i) top = fmax(top, h->vertices[i].y);
    return top;
}

static bool is_top_triangle(const struct trimesh *h, double top, const int *t)
{
    return h->vertices[t[0]].y == top && h->vertices[t[1]].y == top && h->vertices[t[2]].y == top;
}

static int count_without_top(const struct trimesh *h, double top)
{
    int count = 0;
    for (int t = 0; t < h->triangle_count; ++t) count += !is_top_triangle(h, top, h->triangles[t]);
    return count;
}

// Lists the vertices of the edge of the flat top, counter-clockwise seen from above, starting with the
// largest x (then the largest z), so that vertex i of the outer edge faces vertex i of the inner edge. `next`
// is scratch of vertex_count elements. Returns the number of vertices.
static int trace_top_edge(const struct trimesh *h, double top, int *next, int *loop)
{
    int start = -1, count = 0;
    for (int t = 0; t < h->triangle_count; ++t) {
        const int *c = h->triangles[t];
        for (int k = 0; k < 3 && !is_top_triangle(h, top, c); ++k) {
            const int a = c[k], b = c[(k + 1) % 3];
            const vec3 p = h->vertices[a];
            if (p.y != top || h->vertices[b].y != top) continue;
            next[b] = a; // the top passes along this edge in the opposite direction
            if (start < 0 || p.x > h->vertices[start].x ||
                (p.x == h->vertices[start].x && p.z > h->vertices[start].z))
                start = a;
        }
    }
    ASSERT(start >= 0);
    for (int v = start; count == 0 || v != start; v = next[v]) loop[count++] = v;
    return count;
}

// ---- walls ------------------------------------------------------------------------------------------

// Subtracts mass and inertia of `inner`, whose centre of mass is `rise` above that of the shape. The centre
// of mass of the walls is `sink` below that of the solid shape; parallel-axis theorem for both. Returns
// `sink` [m].
static double subtract_mass(struct shape_data *f, const struct shape_data *inner, double rise)
{
    const double mass = f->mass - inner->mass, volume = f->volume - inner->volume;
    const double sink = inner->volume * rise / volume, apart = rise + sink;
    const double moved = f->mass * sink * sink - inner->mass * apart * apart;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) f->inertia.m[i][j] -= inner->inertia.m[i][j];
    f->inertia.m[0][0] += moved;
    f->inertia.m[2][2] += moved;
    f->volume = volume;
    f->mass = mass;
    f->compartment_volume = inner->volume;
    return sink;
}

struct hollow_work {
    struct repair_mesh arena; // allocator of the arrays below
    int *next_vertex, *outer_edge, *inner_edge;
    vec3 *vertices;
    int (*triangles)[3];
};

// Surface of the walls: the outer surface without its top, the compartment's surface flipped and without its
// cap, and the ring between the two edges at the top.
static bool make_solid_mesh(struct shape_data *f, double top, int edge, struct hollow_work *w)
{
    const struct trimesh *o = &f->hull, *h = &f->compartment;
    const int first = o->vertex_count;
    int count = 0;
    for (int i = 0; i < o->vertex_count; ++i) w->vertices[i] = o->vertices[i];
    for (int i = 0; i < h->vertex_count; ++i) w->vertices[first + i] = h->vertices[i];
    for (int t = 0; t < o->triangle_count; ++t) {
        const int *c = o->triangles[t];
        if (is_top_triangle(o, top, c)) continue;
        for (int k = 0; k < 3; ++k) w->triangles[count][k] = c[k];
        ++count;
    }
    for (int t = 0; t < h->triangle_count; ++t) {
        const int *c = h->triangles[t];
        if (is_top_triangle(h, top, c)) continue;
        for (int k = 0; k < 3; ++k) w->triangles[count][k] = first + c[2 - k];
        ++count;
    }
    for (int i = 0; i < edge; ++i) {
        const int j = (i + 1) % edge, a = w->outer_edge[i], b = w->outer_edge[j];
        const int c = first + w->inner_edge[j], d = first + w->inner_edge[i];
        int(*t)[3] = w->triangles + count;
        t[0][0] = a, t[0][1] = b, t[0][2] = c;
        t[1][0] = a, t[1][1] = c, t[1][2] = d;
        count += 2;
    }
    return trimesh_compact(&f->solid_surface, w->arena.memory, w->vertices, first + h->vertex_count,
                           (const int(*)[3])w->triangles, count);
}

static bool build_walls(struct shape_data *f, double top, struct hollow_work *w)
{
    const struct trimesh *o = &f->hull, *h = &f->compartment;
    const size_t outer = (size_t)o->vertex_count, inner = (size_t)h->vertex_count;
    w->next_vertex = arena_alloc(&w->arena, outer > inner ? outer : inner, sizeof *w->next_vertex);
    w->outer_edge = arena_alloc(&w->arena, outer, sizeof *w->outer_edge);
    w->inner_edge = arena_alloc(&w->arena, inner, sizeof *w->inner_edge);
    w->vertices = arena_alloc(&w->arena, outer + inner, sizeof *w->vertices);
    if (!w->next_vertex || !w->outer_edge || !w->inner_edge || !w->vertices) return false;
    const int edge = trace_top_edge(o, top, w->next_vertex, w->outer_edge),
              rim = trace_top_edge(h, top, w->next_vertex, w->inner_edge);
    ASSERT(edge == rim);
    const size_t triangles =
        (size_t)count_without_top(o, top) + (size_t)count_without_top(h, top) + 2 * (size_t)edge;
    w->triangles = arena_alloc(&w->arena, triangles, sizeof *w->triangles);
    f->opening = memory_alloc(w->arena.memory, (size_t)rim, sizeof *f->opening);
    if (!w->triangles || !f->opening) return false;
    f->opening_count = rim;
    for (int i = 0; i < rim; ++i) f->opening[i] = h->vertices[w->inner_edge[i]];
    return make_solid_mesh(f, top, edge, w);
}

tarn_result shape_hollow(struct shape_data *f, struct shape_data *inner, const struct memory *m,
                         tarn_error *err)
{
    struct hollow_work w = {.arena = {.memory = m}};
    const double top = top_height(&f->hull), inside = top_height(&inner->hull), rise = top - inside;
    const double sink = subtract_mass(f, inner, rise);
    f->compartment = inner->hull;
    inner->hull = (struct trimesh){0};
    for (int i = 0; i < f->compartment.vertex_count; ++i) {
        double *y = &f->compartment.vertices[i].y;
        *y = *y == inside ? top : *y + rise; // exactly the same height as the outer top
    }
    const bool fine = build_walls(f, top, &w);
    arena_release(&w.arena, 0);
    if (!fine) return fail(err, TARN_NO_MEMORY, "", "no memory for an open shape");
    shape_translate(f, v3(0, sink, 0));
    return TARN_OK;
}
