// Pockets of fluid that loose obstacles enclose.
//
// Loose obstacles that touch part the fluid. Each part would keep its volume, and hold them together or to a wall: of all the
// parts that some of them lead to, from one to the next, the largest is the fluid, and small ones count as solid.
#include "flow.h"

#include <string.h>

#define POCKET 256 // [cells] that a small part has at most

enum { MET = 1, MORE, FOUND }; // in slot[]: just now; a part that is not small; part number slot - FOUND

// ---- what hangs together ----------------------------------------------------------------------------------

// Cells of a row with nothing between them: all of them are marked, or none.
struct run {
    size_t c; // the first
    int i, j, count;
};

struct pool {
    struct run runs[POCKET + 1];
    int count, cells;
};

static void mark_runs(struct flow *s, const struct run *r, int runs, int mark)
{
    for (int n = 0; n < runs; ++n)
        for (int k = 0; k < r[n].count; ++k) s->slot[r[n].c + (size_t)k] = mark;
}

// The run of cell (i, j). False if it leads to more.
static bool visit(const struct fluid *f, int i, int j, struct pool *p)
{
    struct flow *s = f->self;
    const size_t row = grid_at(&f->g, 0, j);
    const int mark = s->slot[row + (size_t)i];
    int from = i, to = i + 1;
    if (mark == MET || mark == MORE) return mark == MET;
    while (from > 0 && s->ax[row + (size_t)from] > 0.0f) --from;
    while (to < f->g.nx && s->ax[row + (size_t)to] > 0.0f) ++to;
    p->runs[p->count] = (struct run){row + (size_t)from, from, j, to - from};
    mark_runs(s, &p->runs[p->count++], 1, MET);
    p->cells += to - from;
    return p->cells <= POCKET;
}

// What a run leads to, likewise.
static bool visit_beside(const struct fluid *f, struct run r, struct pool *p)
{
    const struct flow *s = f->self;
    const int south = fluid_row(f, r.j - 1), north = fluid_row(f, r.j + 1), last = f->g.nx - 1;
    bool small = true;
    for (int k = 0; k < r.count && small; ++k) {
        const size_t c = r.c + (size_t)k;
        if (south >= 0 && s->az[c] > 0.0f) small = visit(f, r.i + k, south, p);
        if (small && north >= 0 && s->az[c + f->g.stride] > 0.0f) small = visit(f, r.i + k, north, p);
    }
    if (small && f->wrap_x && r.i == 0 && s->ax[r.c] > 0.0f) small = visit(f, last, r.j, p);
    if (small && f->wrap_x && r.i + r.count > last && s->ax[r.c + (size_t)r.count] > 0.0f)
        small = visit(f, 0, r.j, p);
    return small;
}

// From cell c on, all that hangs together with it; false where it leads to more than a pocket has.
static bool flood(const struct fluid *f, size_t c, struct pool *p)
{
    const struct grid *g = &f->g;
    p->count = p->cells = 0;
    bool small = visit(f, (int)((c - g->first) % g->stride), (int)((c - g->first) / g->stride), p);
    for (int k = 0; k < p->count && small; ++k) small = visit_beside(f, p->runs[k], p);
    return small;
}

// ---- parts ------------------------------------------------------------------------------------------------

// Whether there is fluid in a cell beside a face, which may be outside.
static bool wet(const struct fluid *f, size_t c)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    if (c < g->first) return false;
    const uint32_t from = (uint32_t)(c - g->first), width = (uint32_t)g->stride;
    if (from % width >= (uint32_t)g->nx || from / width >= (uint32_t)g->nz) return false;
    return (s->ax[c] + s->ax[c + 1]) + (s->az[c] + s->az[c + g->stride]) > 0.0f;
}

// The part of the fluid that a cell belongs to, where nobody has been. False without memory.
static bool explore(const struct fluid *f, size_t c, bool narrow)
{
    struct flow *s = f->self;
    struct pool p;
    const bool small = flood(f, c, &p);
    mark_runs(s, p.runs, p.count, small ? FOUND + s->part_count : MORE);
    if (!small) return true;
    if (!memory_grow(f->memory, (void **)&s->parts, &s->part_room, s->part_count + 1, sizeof *s->parts))
        return false;
    s->parts[s->part_count++] = (struct flow_part){c, p.cells, p.cells, narrow};
    return true;
}

// Small parts that lie at faces that are closed or narrow. False without memory.
static bool find_narrow(const struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    s->part_count = 0;
    FLOW_EACH_RUN(s, g, 0, j, begin, end)
    {
        const size_t row = grid_at(g, 0, j), c = row + (size_t)begin;
        s->room->narrow(2.0f, s->ax + c, s->az + c, s->az + c + g->stride, s->marks + c,
                        (size_t)(end - begin));
        for (int i = begin; (i = flow_marked(s->marks + row, i, end)) < end; ++i)
            if (!s->slot[row + (size_t)i] && !explore(f, row + (size_t)i, true)) return false;
    }
    return true;
}

// An obstacle and the part beside one of its faces lead to the same. Whether that was news.
static bool join(struct flow *s, size_t c, int *widest)
{
    struct flow_part *part = s->slot[c] >= FOUND ? &s->parts[s->slot[c] - FOUND] : NULL;
    const int most = part ? part->most : POCKET + 1;
    if (!s->slot[c] || most == *widest) return false;
    *widest = imax(*widest, most);
    if (part) part->most = *widest;
    return true;
}

// What parts and obstacles lead to, by all parts that are known.
static void join_all(const struct fluid *f)
{
    struct flow *s = f->self;
    for (bool news = true; news;) {
        news = false;
        for (int i = 0; i < s->cut_count; ++i) {
            const struct flow_cut *cut = &s->cuts[i];
            if (cut->number <= f->obstacle_count) continue;
            int *widest = &s->widest[cut->number - 1 - f->obstacle_count];
            news = join(s, cut->face, widest) || news;
            news = join(s, cut->face - (cut->axis ? f->g.stride : 1), widest) || news;
        }
    }
}

// What is beside obstacles that are known to lead to small parts alone. Whether there was any that is not known; false in
// *good without memory.
static bool look_around(const struct fluid *f, bool *good)
{
    struct flow *s = f->self;
    bool any = false;
    for (int i = 0; i < 2 * s->cut_count && *good; ++i) {
        const struct flow_cut *cut = &s->cuts[i / 2];
        const size_t c = i % 2 ? cut->face - (cut->axis ? f->g.stride : 1) : cut->face;
        if (cut->number <= f->obstacle_count) continue;
        int *widest = &s->widest[cut->number - 1 - f->obstacle_count];
        if (*widest == 0 || *widest > POCKET || s->slot[c] || !wet(f, c)) continue;
        *good = explore(f, c, false);
        if (s->slot[c] == MORE) *widest = POCKET + 1;
        any = true;
    }
    return any;
}

// Small parts, and what they lead to. False without memory.
static bool find_parts(const struct fluid *f)
{
    struct flow *s = f->self;
    bool good = find_narrow(f);
    if (!good || s->part_count == 0) return good;
    if (!memory_grow(f->memory, (void **)&s->widest, &s->widest_room, f->loose_count, sizeof *s->widest))
        return false;
    memset(s->widest, 0, (size_t)f->loose_count * sizeof *s->widest);
    do join_all(f);
    while (look_around(f, &good) && good);
    return good;
}

// ---- closing ----------------------------------------------------------------------------------------------

static void shut_face(float *open, float *mass, size_t c) { open[c] = mass[c] = 0.0f; }

// A block that no obstacle is near, as the other passes over the room expect it.
static void open_block(struct flow *s, const struct grid *g, int b, int j)
{
    s->busy[j * s->blocks + b] = 1;
    for (int i = b * FLOW_BLOCK; i < imin((b + 1) * FLOW_BLOCK, g->nx + 1); ++i) {
        const size_t c = grid_at(g, i, j);
        s->u1[c] = s->v1[c] = 0.0f;
        s->q1[c] = s->q2[c] = 1.0f;
    }
}

// A cell and its neighbours are where obstacles change something.
static void mark_around(struct flow *s, const struct grid *g, int i, int j)
{
    for (int row = imax(j - 1, 0); row <= imin(j + 1, g->nz); ++row)
        for (int b = imax(i - 1, 0) / FLOW_BLOCK; b <= imin(i + 1, g->nx) / FLOW_BLOCK; ++b)
            if (!s->busy[row * s->blocks + b]) open_block(s, g, b, row);
}

// Across periodic sides too.
static void mark(const struct fluid *f, size_t c)
{
    const struct grid *g = &f->g;
    const int i = (int)((c - g->first) % g->stride), j = (int)((c - g->first) / g->stride);
    const int x = f->wrap_x && i == 0 ? g->nx : f->wrap_x && i == g->nx - 1 ? -1 : i;
    const int z = f->wrap_z && j == 0 ? g->nz : f->wrap_z && j == g->nz - 1 ? -1 : j;
    mark_around(f->self, g, i, j);
    if (x != i) mark_around(f->self, g, x, j);
    if (z != j) mark_around(f->self, g, i, z);
}

static void close_pocket(const struct fluid *f, const struct flow_part *part)
{
    struct flow *s = f->self;
    struct pool p;
    flood(f, part->at, &p);
    for (int n = 0; n < p.count; ++n)
        for (size_t c = p.runs[n].c; c < p.runs[n].c + (size_t)p.runs[n].count; ++c) {
            mark(f, c);
            shut_face(s->ax, s->mass_u, c), shut_face(s->ax, s->mass_u, c + 1);
            shut_face(s->az, s->mass_v, c), shut_face(s->az, s->mass_v, c + f->g.stride);
        }
}

bool flow_close_pockets(const struct fluid *f)
{
    struct flow *s = f->self;
    const bool good = find_parts(f);
    for (int i = 0; i < s->part_count && good; ++i)
        if (s->parts[i].narrow && s->parts[i].count < s->parts[i].most) close_pocket(f, &s->parts[i]);
    memset(s->slot, 0, f->g.count * sizeof *s->slot);
    return good;
}
