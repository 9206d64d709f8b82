// Pockets of fluid that loose obstacles enclose.
//
// Loose obstacles that touch part the fluid. Each part would keep its volume, and hold them together or to a
// wall: of all the parts that some of them lead to, from one to the next, the largest is the fluid, and small
// ones count as solid.
#include "fluid/flow/flow.h"

#include <string.h>

#define MAX_REGION_CELLS 256 // [cells] that a small part has at most

enum {
    VISITED = 1,
    LARGE_REGION,
    FIRST_REGION
}; // in slot[]: just now; a part that is not small; part number slot - FOUND

// ---- what hangs together ----

// Cells of a row with nothing between them: all of them are marked, or none.
struct cell_run {
    size_t c; // the first
    int i, j, count;
};

struct flood_buffer {
    struct cell_run runs[MAX_REGION_CELLS + 1];
    int count, cells;
};

static void mark_runs(struct flow *s, const struct cell_run *r, int runs, int mark_cell_blocks)
{
    for (int n = 0; n < runs; ++n)
        for (int k = 0; k < r[n].count; ++k) s->region_of_cell[r[n].c + (size_t)k] = mark_cell_blocks;
}

// The run of cell (i, j). False if it leads to more.
static bool visit_run(const struct fluid *f, int i, int j, struct flood_buffer *p)
{
    struct flow *s = f->impl;
    const size_t row = grid_at(&f->grid, 0, j);
    const int mark_cell_blocks = s->region_of_cell[row + (size_t)i];
    int from = i, to = i + 1;
    if (mark_cell_blocks == VISITED || mark_cell_blocks == LARGE_REGION) return mark_cell_blocks == VISITED;
    while (from > 0 && s->aperture_x[row + (size_t)from] > 0.0f) --from;
    while (to < f->grid.nx && s->aperture_x[row + (size_t)to] > 0.0f) ++to;
    p->runs[p->count] = (struct cell_run){row + (size_t)from, from, j, to - from};
    mark_runs(s, &p->runs[p->count++], 1, VISITED);
    p->cells += to - from;
    return p->cells <= MAX_REGION_CELLS;
}

// What a run leads to, likewise.
static bool visit_neighbours(const struct fluid *f, struct cell_run r, struct flood_buffer *p)
{
    const struct flow *s = f->impl;
    const int south = fluid_wrap_row(f, r.j - 1), north = fluid_wrap_row(f, r.j + 1), last = f->grid.nx - 1;
    bool small = true;
    for (int k = 0; k < r.count && small; ++k) {
        const size_t c = r.c + (size_t)k;
        if (south >= 0 && s->aperture_z[c] > 0.0f) small = visit_run(f, r.i + k, south, p);
        if (small && north >= 0 && s->aperture_z[c + f->grid.stride] > 0.0f)
            small = visit_run(f, r.i + k, north, p);
    }
    if (small && f->periodic_x && r.i == 0 && s->aperture_x[r.c] > 0.0f) small = visit_run(f, last, r.j, p);
    if (small && f->periodic_x && r.i + r.count > last && s->aperture_x[r.c + (size_t)r.count] > 0.0f)
        small = visit_run(f, 0, r.j, p);
    return small;
}

// From cell c on, all that hangs together with it; false where it leads to more than a pocket has.
static bool flood_fill(const struct fluid *f, size_t c, struct flood_buffer *p)
{
    const struct grid *g = &f->grid;
    p->count = p->cells = 0;
    bool small = visit_run(f, (int)((c - g->origin) % g->stride), (int)((c - g->origin) / g->stride), p);
    for (int k = 0; k < p->count && small; ++k) small = visit_neighbours(f, p->runs[k], p);
    return small;
}

// ---- parts ----

// Whether there is fluid in a cell beside a face, which may be outside.
static bool has_open_face(const struct fluid *f, size_t c)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    if (c < g->origin) return false;
    const uint32_t from = (uint32_t)(c - g->origin), width = (uint32_t)g->stride;
    if (from % width >= (uint32_t)g->nx || from / width >= (uint32_t)g->nz) return false;
    return (s->aperture_x[c] + s->aperture_x[c + 1]) + (s->aperture_z[c] + s->aperture_z[c + g->stride]) >
           0.0f;
}

// The part of the fluid that a cell belongs to, where nobody has been. False without memory.
static bool explore_region(const struct fluid *f, size_t c, bool narrow)
{
    struct flow *s = f->impl;
    struct flood_buffer p;
    const bool small = flood_fill(f, c, &p);
    mark_runs(s, p.runs, p.count, small ? FIRST_REGION + s->small_region_count : LARGE_REGION);
    if (!small) return true;
    if (!memory_grow(f->memory, (void **)&s->small_regions, &s->small_region_capacity,
                     s->small_region_count + 1, sizeof *s->small_regions))
        return false;
    s->small_regions[s->small_region_count++] = (struct small_region){c, p.cells, p.cells, narrow};
    return true;
}

// Small parts that lie at faces that are closed or narrow. False without memory.
static bool find_narrow_regions(const struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    s->small_region_count = 0;
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t row = grid_at(g, 0, j), c = row + (size_t)begin;
        s->cutcell_kernels->mark_narrow_cells(2.0f, s->aperture_x + c, s->aperture_z + c,
                                              s->aperture_z + c + g->stride, s->narrow_marks + c,
                                              (size_t)(end - begin));
        for (int i = begin; (i = next_nonzero(s->narrow_marks + row, i, end)) < end; ++i)
            if (!s->region_of_cell[row + (size_t)i] && !explore_region(f, row + (size_t)i, true))
                return false;
    }
    return true;
}

// An obstacle and the part beside one of its faces lead to the same. Whether that was news.
static bool link_body_and_region(struct flow *s, size_t c, int *widest)
{
    struct small_region *part =
        s->region_of_cell[c] >= FIRST_REGION ? &s->small_regions[s->region_of_cell[c] - FIRST_REGION] : NULL;
    const int most = part ? part->largest_reachable : MAX_REGION_CELLS + 1;
    if (!s->region_of_cell[c] || most == *widest) return false;
    *widest = imax(*widest, most);
    if (part) part->largest_reachable = *widest;
    return true;
}

// What parts and obstacles lead to, by all parts that are known.
static void propagate_sizes(const struct fluid *f)
{
    struct flow *s = f->impl;
    for (bool news = true; news;) {
        news = false;
        for (int i = 0; i < s->cut_face_count; ++i) {
            const struct cut_face *cut = &s->cut_faces[i];
            if (cut->solid_id <= f->obstacle_count) continue;
            int *widest = &s->largest_region[cut->solid_id - 1 - f->obstacle_count];
            news = link_body_and_region(s, cut->face, widest) || news;
            news = link_body_and_region(s, cut->face - (cut->axis ? f->grid.stride : 1), widest) || news;
        }
    }
}

// What is beside obstacles that are known to lead to small parts alone. Whether there was any that is not
// known; false in *good without memory.
static bool explore_beside_bodies(const struct fluid *f, bool *good)
{
    struct flow *s = f->impl;
    bool any = false;
    for (int i = 0; i < 2 * s->cut_face_count && *good; ++i) {
        const struct cut_face *cut = &s->cut_faces[i / 2];
        const size_t c = i % 2 ? cut->face - (cut->axis ? f->grid.stride : 1) : cut->face;
        if (cut->solid_id <= f->obstacle_count) continue;
        int *widest = &s->largest_region[cut->solid_id - 1 - f->obstacle_count];
        if (*widest == 0 || *widest > MAX_REGION_CELLS || s->region_of_cell[c] || !has_open_face(f, c))
            continue;
        *good = explore_region(f, c, false);
        if (s->region_of_cell[c] == LARGE_REGION) *widest = MAX_REGION_CELLS + 1;
        any = true;
    }
    return any;
}

// Small parts, and what they lead to. False without memory.
static bool find_small_regions(const struct fluid *f)
{
    struct flow *s = f->impl;
    bool good = find_narrow_regions(f);
    if (!good || s->small_region_count == 0) return good;
    if (!memory_grow(f->memory, (void **)&s->largest_region, &s->largest_region_capacity, f->body_count,
                     sizeof *s->largest_region))
        return false;
    memset(s->largest_region, 0, (size_t)f->body_count * sizeof *s->largest_region);
    do propagate_sizes(f);
    while (explore_beside_bodies(f, &good) && good);
    return good;
}

// ---- closing ----

static void close_face(float *open, float *mass, size_t c) { open[c] = mass[c] = 0.0f; }

// A block that no obstacle is near, as the other passes over the room expect it.
static void init_block(struct flow *s, const struct grid *g, int b, int j)
{
    s->solid_blocks[j * s->blocks_per_row + b] = 1;
    for (int i = b * FLOW_BLOCK; i < imin((b + 1) * FLOW_BLOCK, g->nx + 1); ++i) {
        const size_t c = grid_at(g, i, j);
        s->closed_x[c] = s->closed_z[c] = 0.0f;
        s->centre_open_x[c] = s->centre_open_z[c] = 1.0f;
    }
}

// A cell and its neighbours are where obstacles change something.
static void mark_blocks_around(struct flow *s, const struct grid *g, int i, int j)
{
    for (int row = imax(j - 1, 0); row <= imin(j + 1, g->nz); ++row)
        for (int b = imax(i - 1, 0) / FLOW_BLOCK; b <= imin(i + 1, g->nx) / FLOW_BLOCK; ++b)
            if (!s->solid_blocks[row * s->blocks_per_row + b]) init_block(s, g, b, row);
}

// Across periodic sides too.
static void mark_cell_blocks(const struct fluid *f, size_t c)
{
    const struct grid *g = &f->grid;
    const int i = (int)((c - g->origin) % g->stride), j = (int)((c - g->origin) / g->stride);
    const int x = f->periodic_x && i == 0 ? g->nx : f->periodic_x && i == g->nx - 1 ? -1 : i;
    const int z = f->periodic_z && j == 0 ? g->nz : f->periodic_z && j == g->nz - 1 ? -1 : j;
    mark_blocks_around(f->impl, g, i, j);
    if (x != i) mark_blocks_around(f->impl, g, x, j);
    if (z != j) mark_blocks_around(f->impl, g, i, z);
}

static void close_region(const struct fluid *f, const struct small_region *part)
{
    struct flow *s = f->impl;
    struct flood_buffer p;
    flood_fill(f, part->seed_cell, &p);
    for (int n = 0; n < p.count; ++n)
        for (size_t c = p.runs[n].c; c < p.runs[n].c + (size_t)p.runs[n].count; ++c) {
            mark_cell_blocks(f, c);
            close_face(s->aperture_x, s->mass_u, c), close_face(s->aperture_x, s->mass_u, c + 1);
            close_face(s->aperture_z, s->mass_v, c), close_face(s->aperture_z, s->mass_v, c + f->grid.stride);
        }
}

bool flow_close_enclosed_regions(const struct fluid *f)
{
    struct flow *s = f->impl;
    const bool good = find_small_regions(f);
    for (int i = 0; i < s->small_region_count && good; ++i)
        if (s->small_regions[i].has_narrow_cell &&
            s->small_regions[i].cell_count < s->small_regions[i].largest_reachable)
            close_region(f, &s->small_regions[i]);
    memset(s->region_of_cell, 0, f->grid.size * sizeof *s->region_of_cell);
    return good;
}
