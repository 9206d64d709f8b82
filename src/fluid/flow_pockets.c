// Pockets of fluid that loose obstacles enclose.
//
// Loose obstacles that touch part the fluid. Each part would keep its volume, and hold them together or to a wall: of all the
// parts that some of them lead to, from one to the next, the largest is the fluid, and small ones count as solid.
#include "flow.h"

#include <string.h>

#define POCKET 256 // [cells] that a small part has at most

enum { MET = 1, MORE, FOUND }; // in slot[]: just now; a part that is not small; part number slot - FOUND

// From cell c on, all that hangs together with it, `count` cells; false where they lead to more.
static bool flood(const struct fluid *f, size_t c, size_t *list, int *count)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    const size_t n = g->stride;
    *count = 1;
    list[0] = c;
    s->slot[c] = MET;
    for (int k = 0; k < *count; ++k) {
        const size_t at = list[k];
        const uint32_t from = (uint32_t)(at - g->first), width = (uint32_t)n; // g->count fits into an int
        const int i = (int)(from % width), j = (int)(from / width);
        const float open[4] = {s->ax[at], s->ax[at + 1], s->az[at], s->az[at + n]};
        static const int way[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        for (int w = 0; w < 4; ++w) {
            const int x = fluid_column(f, i + way[w][0]), z = fluid_row(f, j + way[w][1]);
            if (!(open[w] > 0.0f) || x < 0 || z < 0 || s->slot[grid_at(g, x, z)] == MET) continue;
            if (s->slot[grid_at(g, x, z)] == MORE || *count == POCKET) return false;
            s->slot[grid_at(g, x, z)] = MET;
            list[(*count)++] = grid_at(g, x, z);
        }
    }
    return true;
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
    size_t list[POCKET];
    int count;
    const bool small = flood(f, c, list, &count);
    for (int k = 0; k < count; ++k) s->slot[list[k]] = small ? FOUND + s->part_count : MORE;
    if (!small) return true;
    if (!memory_grow(f->memory, (void **)&s->parts, &s->part_room, s->part_count + 1, sizeof *s->parts))
        return false;
    s->parts[s->part_count++] = (struct flow_part){c, count, count, narrow};
    return true;
}

// Small parts that lie at faces that are closed or narrow. False without memory.
static bool find_narrow(const struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    s->part_count = 0;
    FLOW_RUNS(s, g, 0, j, i)
    {
        const size_t c = grid_at(g, i, j), n = g->stride;
        const float sum = (s->ax[c] + s->ax[c + 1]) + (s->az[c] + s->az[c + n]);
        if (0.0f < sum && sum < 2.0f && !s->slot[c] && !explore(f, c, true)) return false;
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
    size_t list[POCKET];
    int count;
    flood(f, part->at, list, &count);
    for (int k = 0; k < count; ++k) {
        mark(f, list[k]);
        shut_face(s->ax, s->mass_u, list[k]), shut_face(s->ax, s->mass_u, list[k] + 1);
        shut_face(s->az, s->mass_v, list[k]), shut_face(s->az, s->mass_v, list[k] + f->g.stride);
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
