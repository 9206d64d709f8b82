// Open forms with walls of even thickness: an outside, and an inside taken out of it that has the same top.
#include "base/error.h"
#include "solid.h"

#define THIN   1e-5 // [m] what is thinner is no wall: mass is a difference, and would lose its digits
#define NARROW 1e-3 // [m] what is narrower is no room

tarn_result wall_check(double wall, double width, double height, tarn_error *err)
{
    if (!(wall >= THIN))
        return fail(err, TARN_BAD_INPUT, "wall", "%g m is thinner than %g; with 0 it is solid", wall, THIN);
    if (!(width - 2.0 * wall >= NARROW && height - wall >= NARROW))
        return fail(err, TARN_BAD_INPUT, "wall",
                    "%g m leaves no room inside: it is %g m wide and %g m high outside", wall, width, height);
    return TARN_OK;
}

bool hull_pick(struct hull *out, const struct memory *m, const vec3 *vertices, int vertex_count,
               const int (*triangles)[3], int triangle_count)
{
    int *to = memory_alloc(m, (size_t)vertex_count, sizeof *to), count = 0;
    if (!to) return false;
    for (int t = 0; t < triangle_count; ++t)
        for (int k = 0; k < 3; ++k) to[triangles[t][k]] = 1;
    for (int v = 0; v < vertex_count; ++v) to[v] = to[v] ? count++ : -1;
    const bool fine = hull_alloc(out, m, count, triangle_count);
    for (int v = 0; fine && v < vertex_count; ++v)
        if (to[v] >= 0) out->vertices[to[v]] = vertices[v];
    for (int t = 0; fine && t < triangle_count; ++t)
        for (int k = 0; k < 3; ++k) out->triangles[t][k] = to[triangles[t][k]];
    memory_free(m, to, (size_t)vertex_count, sizeof *to);
    return fine;
}

// ---- tops -------------------------------------------------------------------------------------------

static double top_of(const struct hull *h)
{
    double top = -INFINITY;
    for (int i = 0; i < h->vertex_count; ++i) top = fmax(top, h->vertices[i].y);
    return top;
}

static bool is_top(const struct hull *h, double top, const int *t)
{
    return h->vertices[t[0]].y == top && h->vertices[t[1]].y == top && h->vertices[t[2]].y == top;
}

static int count_below(const struct hull *h, double top)
{
    int count = 0;
    for (int t = 0; t < h->triangle_count; ++t) count += !is_top(h, top, h->triangles[t]);
    return count;
}

// The edge of the top, counter-clockwise seen from above, from the corner with the largest x on (then the largest z):
// so the edges of two tops of one shape run side by side. `next` has room for all vertices. Gives the number.
static int top_loop(const struct hull *h, double top, int *next, int *loop)
{
    int start = -1, count = 0;
    for (int t = 0; t < h->triangle_count; ++t) {
        const int *c = h->triangles[t];
        for (int k = 0; k < 3 && !is_top(h, top, c); ++k) {
            const int a = c[k], b = c[(k + 1) % 3];
            const vec3 p = h->vertices[a];
            if (p.y != top || h->vertices[b].y != top) continue;
            next[b] = a; // the triangle runs along it the other way than the top does
            if (start < 0 || p.x > h->vertices[start].x ||
                (p.x == h->vertices[start].x && p.z > h->vertices[start].z))
                start = a;
        }
    }
    ASSERT(start >= 0);
    for (int v = start; count == 0 || v != start; v = next[v]) loop[count++] = v;
    return count;
}

// ---- hollow forms -----------------------------------------------------------------------------------

// Both about the centre of the form, with the inside `rise` higher; then about the centre of what is left, which is
// `sink` below that. Gives `sink`.
static double take_mass(struct form *f, const struct form *inner, double rise)
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
    f->held = inner->volume;
    return sink;
}

struct work {
    struct shell arena; // of memory alone
    int *next, *outer, *inner;
    vec3 *vertices;
    int (*triangles)[3];
};

// The walls: the outside without its top, the hold turned round without its lid, and between them the rim.
static bool make_skin(struct form *f, double top, int edge, struct work *w)
{
    const struct hull *o = &f->hull, *h = &f->hold;
    const int first = o->vertex_count;
    int count = 0;
    for (int i = 0; i < o->vertex_count; ++i) w->vertices[i] = o->vertices[i];
    for (int i = 0; i < h->vertex_count; ++i) w->vertices[first + i] = h->vertices[i];
    for (int t = 0; t < o->triangle_count; ++t) {
        const int *c = o->triangles[t];
        if (is_top(o, top, c)) continue;
        for (int k = 0; k < 3; ++k) w->triangles[count][k] = c[k];
        ++count;
    }
    for (int t = 0; t < h->triangle_count; ++t) {
        const int *c = h->triangles[t];
        if (is_top(h, top, c)) continue;
        for (int k = 0; k < 3; ++k) w->triangles[count][k] = first + c[2 - k];
        ++count;
    }
    for (int i = 0; i < edge; ++i) {
        const int j = (i + 1) % edge, a = w->outer[i], b = w->outer[j];
        const int c = first + w->inner[j], d = first + w->inner[i];
        int(*t)[3] = w->triangles + count;
        t[0][0] = a, t[0][1] = b, t[0][2] = c;
        t[1][0] = a, t[1][1] = c, t[1][2] = d;
        count += 2;
    }
    return hull_pick(&f->skin, w->arena.memory, w->vertices, first + h->vertex_count,
                     (const int(*)[3])w->triangles, count);
}

static bool finish(struct form *f, double top, struct work *w)
{
    const struct hull *o = &f->hull, *h = &f->hold;
    const size_t outer = (size_t)o->vertex_count, inner = (size_t)h->vertex_count;
    w->next = shell_take(&w->arena, outer > inner ? outer : inner, sizeof *w->next);
    w->outer = shell_take(&w->arena, outer, sizeof *w->outer);
    w->inner = shell_take(&w->arena, inner, sizeof *w->inner);
    w->vertices = shell_take(&w->arena, outer + inner, sizeof *w->vertices);
    if (!w->next || !w->outer || !w->inner || !w->vertices) return false;
    const int edge = top_loop(o, top, w->next, w->outer), rim = top_loop(h, top, w->next, w->inner);
    ASSERT(edge == rim);
    const size_t triangles = (size_t)count_below(o, top) + (size_t)count_below(h, top) + 2 * (size_t)edge;
    w->triangles = shell_take(&w->arena, triangles, sizeof *w->triangles);
    f->rim = memory_alloc(w->arena.memory, (size_t)rim, sizeof *f->rim);
    if (!w->triangles || !f->rim) return false;
    f->rim_count = rim;
    for (int i = 0; i < rim; ++i) f->rim[i] = h->vertices[w->inner[i]];
    return make_skin(f, top, edge, w);
}

tarn_result form_hollow(struct form *f, struct form *inner, const struct memory *m, tarn_error *err)
{
    struct work w = {.arena = {.memory = m}};
    const double top = top_of(&f->hull), inside = top_of(&inner->hull), rise = top - inside;
    const double sink = take_mass(f, inner, rise);
    f->hold = inner->hull;
    inner->hull = (struct hull){0};
    for (int i = 0; i < f->hold.vertex_count; ++i) {
        double *y = &f->hold.vertices[i].y;
        *y = *y == inside ? top : *y + rise; // exactly
    }
    const bool fine = finish(f, top, &w);
    shell_release(&w.arena, 0);
    if (!fine) return fail(err, TARN_NO_MEMORY, "", "no memory for an open shape");
    form_move(f, v3(0, sink, 0));
    return TARN_OK;
}
