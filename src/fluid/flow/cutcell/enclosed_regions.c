// Small regions of fluid that bodies enclose. flow_build_cut_cells() calls it.
//
// Bodies in contact can enclose small regions of fluid. Incompressibility fixes the volume of each region and
// would prevent the motion of the bodies against each other or a wall. Regions of up to MAX_REGION_CELLS
// cells with a narrow cell that bodies connect to a larger region are therefore treated as solid. A body
// connects all regions that it touches.
#include "fluid/flow/flow.h"

#include <string.h>

#define MAX_REGION_CELLS 256 // [cells] largest small region

// Values of region_of_cell: visited by the present flood fill; in a region that is not small; FIRST_REGION +
// n: in small region n.
enum { VISITED = 1, LARGE_REGION, FIRST_REGION };

// ---- flood fill ----

// Consecutive cells of a row with open faces between them. All of them have the same mark.
struct cell_run {
    size_t c; // index of the first
    int i, j, count;
};

struct flood_buffer {
    struct cell_run runs[MAX_REGION_CELLS + 1];
    int count, cells;
};

static void mark_runs(struct flow *s, const struct cell_run *r, int runs, int mark)
{
    for (int n = 0; n < runs; ++n)
        for (int k = 0; k < r[n].count; ++k) s->region_of_cell[r[n].c + (size_t)k] = mark;
}

// Add the run of cell (i, j) to the buffer. False if the region is large.
static bool visit_run(const struct fluid *f, int i, int j, struct flood_buffer *buffer)
{
    struct flow *s = f->impl;
    const size_t row = grid_at(&f->grid, 0, j);
    const int mark = s->region_of_cell[row + (size_t)i];
    int from = i, to = i + 1;
    if (mark == VISITED || mark == LARGE_REGION) return mark == VISITED;
    while (from > 0 && s->aperture_x[row + (size_t)from] > 0.0f) --from;
    while (to < f->grid.nx && s->aperture_x[row + (size_t)to] > 0.0f) ++to;
    buffer->runs[buffer->count] = (struct cell_run){row + (size_t)from, from, j, to - from};
    mark_runs(s, &buffer->runs[buffer->count++], 1, VISITED);
    buffer->cells += to - from;
    return buffer->cells <= MAX_REGION_CELLS;
}

// Add the runs connected with run r. False if the region is large.
static bool visit_neighbours(const struct fluid *f, struct cell_run r, struct flood_buffer *buffer)
{
    const struct flow *s = f->impl;
    const int south = fluid_wrap_row(f, r.j - 1), north = fluid_wrap_row(f, r.j + 1), last = f->grid.nx - 1;
    bool small = true;
    for (int k = 0; k < r.count && small; ++k) {
        const size_t c = r.c + (size_t)k;
        if (south >= 0 && s->aperture_z[c] > 0.0f) small = visit_run(f, r.i + k, south, buffer);
        if (small && north >= 0 && s->aperture_z[c + f->grid.stride] > 0.0f)
            small = visit_run(f, r.i + k, north, buffer);
    }
    if (small && f->periodic_x && r.i == 0 && s->aperture_x[r.c] > 0.0f)
        small = visit_run(f, last, r.j, buffer);
    if (small && f->periodic_x && r.i + r.count > last && s->aperture_x[r.c + (size_t)r.count] > 0.0f)
        small = visit_run(f, 0, r.j, buffer);
    return small;
}

// Flood fill from cell c. False if the region is large.
static bool flood_fill(const struct fluid *f, size_t c, struct flood_buffer *buffer)
{
    const struct grid *g = &f->grid;
    buffer->count = buffer->cells = 0;
    bool small = visit_run(f, (int)((c - g->origin) % g->stride), (int)((c - g->origin) / g->stride), buffer);
    for (int k = 0; k < buffer->count && small; ++k) small = visit_neighbours(f, buffer->runs[k], buffer);
    return small;
}

// ---- regions ----

// True if cell c, which may lie outside the domain, has an open face.
static bool has_open_face(const struct fluid *f, size_t c)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    if (c < g->origin) return false;
    const uint32_t offset = (uint32_t)(c - g->origin), width = (uint32_t)g->stride;
    if (offset % width >= (uint32_t)g->nx || offset / width >= (uint32_t)g->nz) return false;
    return (s->aperture_x[c] + s->aperture_x[c + 1]) + (s->aperture_z[c] + s->aperture_z[c + g->stride]) >
           0.0f;
}

// Find the region of a cell that has not been visited. False without memory.
static bool explore_region(const struct fluid *f, size_t c, bool narrow)
{
    struct flow *s = f->impl;
    struct flood_buffer buffer;
    const bool small = flood_fill(f, c, &buffer);
    mark_runs(s, buffer.runs, buffer.count, small ? FIRST_REGION + s->small_region_count : LARGE_REGION);
    if (!small) return true;
    if (!memory_grow(f->memory, (void **)&s->small_regions, &s->small_region_capacity,
                     s->small_region_count + 1, sizeof *s->small_regions))
        return false;
    s->small_regions[s->small_region_count++] = (struct small_region){c, buffer.cells, buffer.cells, narrow};
    return true;
}

// Small regions with a narrow cell. False without memory.
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

// A body and the region of a cell beside one of its faces reach the same largest region. True if that changed
// one of them.
static bool link_body_and_region(struct flow *s, size_t c, int *body_largest)
{
    struct small_region *region =
        s->region_of_cell[c] >= FIRST_REGION ? &s->small_regions[s->region_of_cell[c] - FIRST_REGION] : NULL;
    const int region_largest = region ? region->largest_reachable : MAX_REGION_CELLS + 1;
    if (!s->region_of_cell[c] || region_largest == *body_largest) return false;
    *body_largest = imax(*body_largest, region_largest);
    if (region) region->largest_reachable = *body_largest;
    return true;
}

// Propagate the size of the largest reachable region among bodies and known regions.
static void propagate_sizes(const struct fluid *f)
{
    struct flow *s = f->impl;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < s->cut_face_count; ++i) {
            const struct cut_face *cut = &s->cut_faces[i];
            if (cut->solid_id <= f->obstacle_count) continue;
            int *largest = &s->largest_region[cut->solid_id - 1 - f->obstacle_count];
            changed = link_body_and_region(s, cut->face, largest) || changed;
            changed =
                link_body_and_region(s, cut->face - (cut->axis ? f->grid.stride : 1), largest) || changed;
        }
    }
}

// Explore regions beside bodies that are known to touch small regions only. True if there was a new one; *ok
// is false without memory.
static bool explore_beside_bodies(const struct fluid *f, bool *ok)
{
    struct flow *s = f->impl;
    bool found = false;
    for (int i = 0; i < 2 * s->cut_face_count && *ok; ++i) {
        const struct cut_face *cut = &s->cut_faces[i / 2];
        const size_t c = i % 2 ? cut->face - (cut->axis ? f->grid.stride : 1) : cut->face;
        if (cut->solid_id <= f->obstacle_count) continue;
        int *largest = &s->largest_region[cut->solid_id - 1 - f->obstacle_count];
        if (*largest == 0 || *largest > MAX_REGION_CELLS || s->region_of_cell[c] || !has_open_face(f, c))
            continue;
        *ok = explore_region(f, c, false);
        if (s->region_of_cell[c] == LARGE_REGION) *largest = MAX_REGION_CELLS + 1;
        found = true;
    }
    return found;
}

// Small regions and their largest reachable regions. False without memory.
static bool find_small_regions(const struct fluid *f)
{
    struct flow *s = f->impl;
    bool ok = find_narrow_regions(f);
    if (!ok || s->small_region_count == 0) return ok;
    if (!memory_grow(f->memory, (void **)&s->largest_region, &s->largest_region_capacity, f->body_count,
                     sizeof *s->largest_region))
        return false;
    memset(s->largest_region, 0, (size_t)f->body_count * sizeof *s->largest_region);
    do propagate_sizes(f);
    while (explore_beside_bodies(f, &ok) && ok);
    return ok;
}

// ---- closing ----

static void close_face(float *open, float *mass, size_t c) { open[c] = mass[c] = 0.0f; }

// Initialise a block that was not near a solid for the following passes over solid runs.
static void init_block(struct flow *s, const struct grid *g, int b, int j)
{
    s->solid_blocks[j * s->blocks_per_row + b] = 1;
    for (int i = b * FLOW_BLOCK; i < imin((b + 1) * FLOW_BLOCK, g->nx + 1); ++i) {
        const size_t c = grid_at(g, i, j);
        s->closed_x[c] = s->closed_z[c] = 0.0f;
        s->centre_open_x[c] = s->centre_open_z[c] = 1.0f;
    }
}

// Mark the blocks of a cell and its neighbours as near a solid.
static void mark_blocks_around(struct flow *s, const struct grid *g, int i, int j)
{
    for (int row = imax(j - 1, 0); row <= imin(j + 1, g->nz); ++row)
        for (int b = imax(i - 1, 0) / FLOW_BLOCK; b <= imin(i + 1, g->nx) / FLOW_BLOCK; ++b)
            if (!s->solid_blocks[row * s->blocks_per_row + b]) init_block(s, g, b, row);
}

// The same across periodic sides.
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

static void close_region(const struct fluid *f, const struct small_region *region)
{
    struct flow *s = f->impl;
    struct flood_buffer buffer;
    flood_fill(f, region->seed_cell, &buffer);
    for (int n = 0; n < buffer.count; ++n)
        for (size_t c = buffer.runs[n].c; c < buffer.runs[n].c + (size_t)buffer.runs[n].count; ++c) {
            mark_cell_blocks(f, c);
            close_face(s->aperture_x, s->mass_u, c), close_face(s->aperture_x, s->mass_u, c + 1);
            close_face(s->aperture_z, s->mass_v, c), close_face(s->aperture_z, s->mass_v, c + f->grid.stride);
        }
}

bool flow_close_enclosed_regions(const struct fluid *f)
{
    struct flow *s = f->impl;
    const bool ok = find_small_regions(f);
    for (int i = 0; i < s->small_region_count && ok; ++i)
        if (s->small_regions[i].has_narrow_cell &&
            s->small_regions[i].cell_count < s->small_regions[i].largest_reachable)
            close_region(f, &s->small_regions[i]);
    memset(s->region_of_cell, 0, f->grid.size * sizeof *s->region_of_cell);
    return ok;
}
