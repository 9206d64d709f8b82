// Chebyshev distance of cells to the nearest cell with a closed face, computed up to a given distance.
// Semi-Lagrangian advection uses it to find the nodes that need clipped backtraces.
#include "fluid/flow/flow.h"

#include <string.h>

static void relax_distance(unsigned char *distance, int from, int to)
{
    if (distance[from] < 254) distance[to] = (unsigned char)imin(distance[to], distance[from] + 1);
}

// Distance of each row to the nearest row with such a cell; two sweeps where sides are periodic.
static void row_distances(const struct fluid *f)
{
    const struct flow *s = f->impl;
    const int rows = f->grid.nz;
    for (int round = 0; round < (f->periodic_z ? 2 : 1); ++round) {
        for (int j = 1; j < rows; ++j) relax_distance(s->row_wall_distance, j - 1, j);
        if (f->periodic_z) relax_distance(s->row_wall_distance, rows - 1, 0);
        for (int j = rows - 2; j >= 0; --j) relax_distance(s->row_wall_distance, j + 1, j);
        if (f->periodic_z) relax_distance(s->row_wall_distance, 0, rows - 1);
    }
}

// Advection passes no side of the domain.
static void close_domain_faces(const struct fluid *f)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    for (int j = 0; j < g->nz && !f->periodic_x; ++j) {
        s->open_faces[grid_at(g, 0, j)] &= FACES_ALL - FACE_WEST;
        s->open_faces[grid_at(g, g->nx - 1, j)] &= FACES_ALL - FACE_EAST;
    }
    for (int i = 0; i < g->nx && !f->periodic_z; ++i) {
        s->open_faces[grid_at(g, i, 0)] &= FACES_ALL - FACE_SOUTH;
        s->open_faces[grid_at(g, i, g->nz - 1)] &= FACES_ALL - FACE_NORTH;
    }
}

void flow_init_wall_distance(struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    memset(s->wall_distance, 255, g->size);
    memset(s->row_wall_distance, 255, (size_t)g->nz);
    s->distance_limit = 0;
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j);
        if (s->cutcell_kernels->find_open_faces(s->aperture_x + c, s->aperture_z + c,
                                                s->aperture_z + c + g->stride, s->open_faces + c,
                                                s->wall_distance + c, (size_t)(end - begin)))
            s->row_wall_distance[j] = 0;
    }
    close_domain_faces(f);
    row_distances(f);
    flow_extend_wall_distance(f, 1);
}

// Ghost cells across periodic sides; other ghosts stay 255.
static void copy_periodic_columns(const struct fluid *f, unsigned char *distance)
{
    const struct grid *g = &f->grid;
    for (int j = 0; f->periodic_x && j < g->nz; ++j) {
        distance[grid_at(g, -1, j)] = distance[grid_at(g, g->nx - 1, j)];
        distance[grid_at(g, g->nx, j)] = distance[grid_at(g, 0, j)];
    }
}

static void copy_periodic_rows(const struct fluid *f, unsigned char *distance)
{
    const struct grid *g = &f->grid;
    if (!f->periodic_z) return;
    memcpy(distance + grid_at(g, 0, -1), distance + grid_at(g, 0, g->nz - 1), (size_t)g->nx);
    memcpy(distance + grid_at(g, 0, g->nz), distance + grid_at(g, 0, 0), (size_t)g->nx);
}

// Each iteration extends the distance by one: minimum of three along rows, then across three rows.
void flow_extend_wall_distance(struct fluid *f, int reach)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    unsigned char *row_min = s->row_min_distance;
    if (s->distance_limit >= reach) return;
    memset(row_min, 255, g->size);
    for (; s->distance_limit < reach; ++s->distance_limit) {
        copy_periodic_columns(f, s->wall_distance);
        for (int j = 0; j < g->nz; ++j)
            if (s->row_wall_distance[j] <= s->distance_limit)
                s->kernels->min3(s->wall_distance + grid_at(g, 0, j), 1, g->nx, row_min + grid_at(g, 0, j));
        copy_periodic_rows(f, row_min);
        for (int j = 0; j < g->nz; ++j)
            if (s->row_wall_distance[j] <= s->distance_limit + 1)
                s->kernels->dilate_distance(row_min + grid_at(g, 0, j), n, g->nx,
                                            s->wall_distance + grid_at(g, 0, j));
    }
    copy_periodic_columns(f, s->wall_distance);
}
