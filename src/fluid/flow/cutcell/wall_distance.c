// How far cells are from the next one that has a closed door, in steps of a king: as far as anyone has asked.
#include "fluid/flow/flow.h"

#include <string.h>

static void relax_distance(unsigned char *row_wall_distance, int from, int to)
{
    if (row_wall_distance[from] < 254)
        row_wall_distance[to] = (unsigned char)imin(row_wall_distance[to], row_wall_distance[from] + 1);
}

// Rows: how far to the next one that has such a cell; twice around where sides are periodic.
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

// Nothing is carried out through a side.
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

// Beyond periodic sides it goes on; beyond others there is nothing: 255.
static void copy_periodic_columns(const struct fluid *f, unsigned char *far)
{
    const struct grid *g = &f->grid;
    for (int j = 0; f->periodic_x && j < g->nz; ++j) {
        far[grid_at(g, -1, j)] = far[grid_at(g, g->nx - 1, j)];
        far[grid_at(g, g->nx, j)] = far[grid_at(g, 0, j)];
    }
}

static void copy_periodic_rows(const struct fluid *f, unsigned char *far)
{
    const struct grid *g = &f->grid;
    if (!f->periodic_z) return;
    memcpy(far + grid_at(g, 0, -1), far + grid_at(g, 0, g->nz - 1), (size_t)g->nx);
    memcpy(far + grid_at(g, 0, g->nz), far + grid_at(g, 0, 0), (size_t)g->nx);
}

// Each pass goes one step farther: the least of three along rows, then of three rows.
void flow_extend_wall_distance(struct fluid *f, int reach)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    unsigned char *least = s->row_min_distance;
    if (s->distance_limit >= reach) return;
    memset(least, 255, g->size);
    for (; s->distance_limit < reach; ++s->distance_limit) {
        copy_periodic_columns(f, s->wall_distance);
        for (int j = 0; j < g->nz; ++j)
            if (s->row_wall_distance[j] <= s->distance_limit)
                s->kernels->min3(s->wall_distance + grid_at(g, 0, j), 1, g->nx, least + grid_at(g, 0, j));
        copy_periodic_rows(f, least);
        for (int j = 0; j < g->nz; ++j)
            if (s->row_wall_distance[j] <= s->distance_limit + 1)
                s->kernels->dilate_distance(least + grid_at(g, 0, j), n, g->nx,
                                            s->wall_distance + grid_at(g, 0, j));
    }
    copy_periodic_columns(f, s->wall_distance);
}
