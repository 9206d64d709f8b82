// A closed mesh with a space that is open above -> an open form. The surface is cut at the height of the rim. Of the
// parts below, which are joined by corners below it, those of the outside hold something when they are capped; one that
// looks inwards holds less than nothing, and is the inside of the hold.
#include "base/error.h"
#include "solid.h"

#define NO_VOLUME 1e-12 // of the cube of the size: below is rounding

struct cut {
    struct shell arena; // of memory alone
    const struct hull *of;
    double rim, size;  // [m] size: farthest corner
    signed char *side; // of each corner: -1 below, 0 at the rim, 1 above
    int *part;         // of each corner below: another of the same part, in the end always the same
    int hold;          // that one, of the part that is the hold
    int *made;         // of each edge that is cut, in the order of triangles and their corners: where
    vec3 *vertices;    // those of the mesh and those made
    int vertex_count;
    int (*inside)[3], (*outside)[3]; // with the lid
    int inside_count, outside_count;
    int *next, *loop; // of each corner at the rim of the hold; these in order
    int loop_count;
};

// A triangle in two: numbers of corners, in order. Neither has to have three.
struct halves {
    int low[4], high[4];
    int low_count, high_count;
};

static bool is_at_rim(const struct cut *c, int v) { return v >= c->of->vertex_count || c->side[v] == 0; }

static int part_of(struct cut *c, int v)
{
    while (c->part[v] != v) v = c->part[v] = c->part[c->part[v]];
    return v;
}

// The part that a triangle reaches into, -1: none
static int part_below(struct cut *c, const int *t)
{
    for (int k = 0; k < 3; ++k)
        if (c->side[t[k]] < 0) return part_of(c, t[k]);
    return -1;
}

// `at` counts the edges that are cut.
static struct halves halve(const struct cut *c, const int *t, int *at)
{
    struct halves h = {.low_count = 0};
    for (int k = 0; k < 3; ++k) {
        const int a = t[k], b = t[(k + 1) % 3];
        if (c->side[a] <= 0) h.low[h.low_count++] = a;
        if (c->side[a] >= 0) h.high[h.high_count++] = a;
        if (c->side[a] * c->side[b] < 0) h.low[h.low_count++] = h.high[h.high_count++] = c->made[(*at)++];
    }
    return h;
}

// ---- cutting ----------------------------------------------------------------------------------------

static bool mark(struct cut *c, struct hull *of)
{
    const size_t n = (size_t)of->vertex_count;
    c->side = shell_take(&c->arena, n, 1);
    c->part = shell_take(&c->arena, n, sizeof *c->part);
    if (!c->side || !c->part) return false;
    for (size_t v = 0; v < n; ++v) c->size = fmax(c->size, v3_length(of->vertices[v]));
    for (int v = 0; v < of->vertex_count; ++v) {
        double *y = &of->vertices[v].y;
        if (fabs(*y - c->rim) <= WELD_PART * c->size) *y = c->rim;
        c->side[v] = (signed char)((*y > c->rim) - (*y < c->rim));
        c->part[v] = v;
    }
    for (int e = 0; e < 3 * of->triangle_count; ++e) {
        const int a = of->triangles[e / 3][e % 3], b = of->triangles[e / 3][(e + 1) % 3];
        if (c->side[a] >= 0 || c->side[b] >= 0) continue;
        const int p = part_of(c, a), q = part_of(c, b);
        c->part[imax(p, q)] = imin(p, q);
    }
    return true;
}

// The edges that are cut, by their corners below and above. Each comes twice.
static int list_edges(const struct cut *c, int *below, int *above)
{
    int count = 0;
    for (int e = 0; e < 3 * c->of->triangle_count; ++e) {
        const int *t = c->of->triangles[e / 3], a = t[e % 3], b = t[(e + 1) % 3];
        if (c->side[a] * c->side[b] >= 0) continue;
        if (below) below[count] = c->side[a] < 0 ? a : b, above[count] = c->side[a] < 0 ? b : a;
        ++count;
    }
    return count;
}

static vec3 crossing(const struct cut *c, int below, int above)
{
    const vec3 a = c->of->vertices[below], b = c->of->vertices[above];
    vec3 p = v3_madd(a, (c->rim - a.y) / (b.y - a.y), v3_sub(b, a));
    p.y = c->rim;
    return p;
}

static bool cut_edges(struct cut *c)
{
    const int n = list_edges(c, NULL, NULL), corners = c->of->vertex_count;
    c->made = shell_take(&c->arena, (size_t)n, sizeof *c->made);
    c->vertices = shell_take(&c->arena, (size_t)corners + (size_t)n / 2, sizeof *c->vertices);
    const int from = shell_mark(&c->arena);
    int *below = shell_take(&c->arena, (size_t)n, sizeof(int));
    int *above = shell_take(&c->arena, (size_t)n, sizeof(int));
    int *order = shell_take(&c->arena, (size_t)n, sizeof(int));
    int *spare = shell_take(&c->arena, (size_t)n, sizeof(int));
    int *count = shell_take(&c->arena, (size_t)corners + 1, sizeof(int));
    if (!c->made || !c->vertices || !below || !above || !order || !spare || !count) return false;
    list_edges(c, below, above);
    for (int i = 0; i < n; ++i) order[i] = i;
    sort_by(above, n, corners, order, spare, count);
    sort_by(below, n, corners, order, spare, count);
    for (int v = 0; v < corners; ++v) c->vertices[v] = c->of->vertices[v];
    c->vertex_count = corners;
    for (int i = 0; i < n; ++i) {
        const int e = order[i], f = order[i > 0 ? i - 1 : 0];
        if (i == 0 || below[e] != below[f] || above[e] != above[f])
            c->vertices[c->vertex_count++] = crossing(c, below[e], above[e]);
        c->made[e] = c->vertex_count - 1;
    }
    shell_release(&c->arena, from);
    return true;
}

// ---- which part is the hold -------------------------------------------------------------------------

// Six times what is between the part of a triangle below the rim and a point at that height. From there a lid is seen
// edgewise: it adds nothing, so what all triangles of a part come to is the volume below the lid.
static double six_volumes(const struct cut *c, const struct halves *h)
{
    const vec3 o = v3(0, c->rim, 0), a = v3_sub(c->vertices[h->low[0]], o);
    double sum = 0.0;
    for (int k = 1; k + 1 < h->low_count; ++k) {
        const vec3 b = v3_sub(c->vertices[h->low[k]], o), d = v3_sub(c->vertices[h->low[k + 1]], o);
        sum += v3_dot(a, v3_cross(b, d));
    }
    return sum;
}

// How many parts are holds; one of them is the hold. -1: no memory
static int find_hold(struct cut *c)
{
    const int corners = c->of->vertex_count, from = shell_mark(&c->arena);
    double *volumes = shell_take(&c->arena, (size_t)corners, sizeof *volumes);
    char *open = shell_take(&c->arena, (size_t)corners, 1); // a hollow that is closed is no hold
    int holds = 0;
    if (!volumes || !open) return -1;
    for (int t = 0, at = 0; t < c->of->triangle_count; ++t) {
        const struct halves h = halve(c, c->of->triangles[t], &at);
        const int part = part_below(c, c->of->triangles[t]);
        if (part < 0) continue;
        volumes[part] += six_volumes(c, &h);
        int there = 0;
        for (int k = 0; k < h.low_count; ++k) there += is_at_rim(c, h.low[k]);
        if (there > 1) open[part] = 1;
    }
    for (int v = 0; v < corners; ++v)
        if (open[v] && volumes[v] < -NO_VOLUME * c->size * c->size * c->size) c->hold = v, ++holds;
    shell_release(&c->arena, from);
    return holds;
}

// ---- the two surfaces -------------------------------------------------------------------------------

static bool make_room(struct cut *c)
{
    size_t inside = 0, outside = 0;
    for (int t = 0; t < c->of->triangle_count; ++t) {
        const bool in = part_below(c, c->of->triangles[t]) == c->hold;
        inside += in ? 3 : 0; // two of a half and one of the lid
        outside += in ? 3 : 1;
    }
    c->inside = shell_take(&c->arena, inside, sizeof *c->inside);
    c->outside = shell_take(&c->arena, outside, sizeof *c->outside);
    c->next = shell_take(&c->arena, (size_t)c->vertex_count, sizeof *c->next);
    c->loop = shell_take(&c->arena, (size_t)c->vertex_count, sizeof *c->loop);
    return c->inside && c->outside && c->next && c->loop;
}

static void add_face(int (*list)[3], int *count, int a, int b, int c)
{
    int *t = list[(*count)++];
    t[0] = a, t[1] = b, t[2] = c;
}

// The inside, turned round, and the rest of the surface; what follows what on the rim of the hold. Gives the number of
// edges of that, -1: two lead from the same corner.
static int part_faces(struct cut *c)
{
    int edges = 0;
    for (int v = 0; v < c->vertex_count; ++v) c->next[v] = -1;
    for (int t = 0, at = 0; t < c->of->triangle_count; ++t) {
        const int *f = c->of->triangles[t];
        const struct halves h = halve(c, f, &at);
        if (part_below(c, f) != c->hold) {
            add_face(c->outside, &c->outside_count, f[0], f[1], f[2]);
            continue;
        }
        for (int k = 1; k + 1 < h.low_count; ++k)
            add_face(c->inside, &c->inside_count, h.low[0], h.low[k + 1], h.low[k]);
        for (int k = 1; k + 1 < h.high_count; ++k)
            add_face(c->outside, &c->outside_count, h.high[0], h.high[k], h.high[k + 1]);
        for (int k = 0; k < h.low_count; ++k) {
            const int a = h.low[k], b = h.low[(k + 1) % h.low_count];
            if (!is_at_rim(c, a) || !is_at_rim(c, b)) continue;
            if (c->next[a] >= 0) return -1;
            c->next[a] = b;
            ++edges;
        }
    }
    return edges;
}

// The rim in order, from its first corner on. Gives false if there are other edges than these.
static bool trace(struct cut *c, int edges)
{
    int v = 0;
    while (c->next[v] < 0) ++v;
    for (const int start = v; v >= 0 && c->loop_count <= edges; v = c->next[v]) {
        if (c->loop_count > 0 && v == start) break;
        c->loop[c->loop_count++] = v;
    }
    return c->loop_count == edges;
}

static tarn_result close_lid(struct cut *c, tarn_error *err)
{
    const int from = shell_mark(&c->arena), edges = part_faces(c);
    if (edges < 0 || !trace(c, edges))
        return fail(err, TARN_BAD_INPUT, "rim", "the hold has more than one opening at this height");
    const size_t n = (size_t)c->loop_count;
    int *work = shell_take(&c->arena, 3 * n, sizeof *work);
    int(*lid)[3] = shell_take(&c->arena, n, sizeof *lid);
    if (!work || !lid) return fail(err, TARN_NO_MEMORY, "", "no memory for an open mesh");
    if (!lid_make(c->vertices, c->loop, c->loop_count, work, lid))
        return fail(err, TARN_BAD_INPUT, "rim", "the opening at this height crosses itself or is too ragged");
    for (int i = 0; i < c->loop_count - 2; ++i) {
        add_face(c->inside, &c->inside_count, lid[i][0], lid[i][1], lid[i][2]);
        add_face(c->outside, &c->outside_count, lid[i][0], lid[i][1], lid[i][2]);
    }
    shell_release(&c->arena, from);
    return TARN_OK;
}

// ---- forms ------------------------------------------------------------------------------------------

static bool fill_form(const struct cut *c, struct form *f)
{
    const struct memory *m = c->arena.memory;
    struct hull hull = {0};
    f->rim = memory_alloc(m, (size_t)c->loop_count, sizeof *f->rim);
    f->rim_count = f->rim ? c->loop_count : 0;
    for (int i = 0; i < f->rim_count; ++i) f->rim[i] = c->vertices[c->loop[i]];
    if (!f->rim ||
        !hull_pick(&f->hold, m, c->vertices, c->vertex_count, (const int(*)[3])c->inside, c->inside_count) ||
        !hull_pick(&hull, m, c->vertices, c->vertex_count, (const int(*)[3])c->outside, c->outside_count)) {
        hull_free(&hull, m);
        return false;
    }
    f->held = hull_moments(&f->hold).volume;
    f->skin = f->hull;
    f->hull = hull;
    return true;
}

tarn_result form_cut(struct form *f, double rim, const struct memory *m, tarn_error *err)
{
    struct cut c = {.arena = {.memory = m}, .of = &f->hull, .rim = rim};
    tarn_result r = TARN_OK;
    bool fine = mark(&c, &f->hull) && cut_edges(&c);
    const int holds = fine ? find_hold(&c) : -1;
    if (holds == 0) r = fail(err, TARN_BAD_INPUT, "rim", "no hold below the rim");
    if (holds > 1) r = fail(err, TARN_BAD_INPUT, "rim", "%d holds below the rim", holds);
    if (holds == 1) {
        fine = make_room(&c);
        if (fine) r = close_lid(&c, err);
        if (fine && r == TARN_OK) fine = fill_form(&c, f);
    }
    shell_release(&c.arena, 0);
    if (!fine || holds < 0) r = fail(err, TARN_NO_MEMORY, "", "no memory for an open mesh");
    return r;
}
