// Ghost cells of the depth-averaged models, and the outflow through the boundary.
//
//     ghost cells   face       inside
//     -2   -1   |    0     1    2           k cells from the west boundary; the others likewise
//
// wall: mirrored, no flow through it. periodic: copies from the other side. Others: the outermost value is
// repeated; shallow_boundary.c then sets the faces and cells of its boundary conditions.
#include "depth.h"

#include <string.h>

// One end of a line of n values. `in` is the index step inwards, `edge` the outermost cell, `face` its face
// at the boundary; `normal`: the values are velocities normal to the boundary, at faces.
static void fill_ghosts_1d(float *q, int kind, bool normal, size_t edge, size_t face, ptrdiff_t in, int n)
{
#define AT(from, steps) q[(size_t)((ptrdiff_t)(from) + (steps)*in)]
    for (int k = 1; k <= 2; ++k) {
        if (normal && kind == TARN_BOUNDARY_PERIODIC)
            AT(face, -k) = AT(face, n - k);
        else if (normal && kind == TARN_BOUNDARY_WALL)
            AT(face, -k) = -AT(face, k);
        else if (normal)
            AT(face, -k) = AT(face, 0);
        else if (kind == TARN_BOUNDARY_PERIODIC)
            AT(edge, -k) = AT(edge, n - k);
        else if (kind == TARN_BOUNDARY_WALL)
            AT(edge, -k) = AT(edge, k - 1);
        else
            AT(edge, -k) = AT(edge, 0);
    }
    if (normal && kind == TARN_BOUNDARY_WALL) AT(face, 0) = 0.0f;
#undef AT
}

void depth_fill_ghost_columns(const struct fluid *f, float *field, enum location location, int j)
{
    const int nx = f->grid.nx;
    const size_t west = grid_at(&f->grid, 0, j), east = grid_at(&f->grid, nx - 1, j);
    const bool normal = location == WEST_FACE;
    if (normal && depth_boundary_type(f, 0) == TARN_BOUNDARY_PERIODIC) field[east + 1] = field[west];
    fill_ghosts_1d(field, depth_boundary_type(f, 0), normal, west, west, 1, nx);
    fill_ghosts_1d(field, depth_boundary_type(f, 1), normal, east, east + 1, -1, nx);
}

// Copies a row with its ghost cells.
static void copy_row(const struct grid *g, float *q, int to, int from, bool negate)
{
    const size_t count = (size_t)g->nx + 2 * GRID_GHOSTS;
    float *out = q + grid_at(g, -GRID_GHOSTS, to);
    const float *in = q + grid_at(g, -GRID_GHOSTS, from);
    if (!negate)
        memcpy(out, in, count * sizeof *out);
    else
        for (size_t i = 0; i < count; ++i) out[i] = -in[i];
}

static void clear_row(const struct grid *g, float *q, int j)
{
    memset(q + grid_at(g, -GRID_GHOSTS, j), 0, ((size_t)g->nx + 2 * GRID_GHOSTS) * sizeof *q);
}

void depth_fill_ghost_rows(const struct fluid *f, float *field, enum location location)
{
    const struct grid *g = &f->grid;
    const int nz = g->nz, south = depth_boundary_type(f, 2), north = depth_boundary_type(f, 3);
    const bool normal = location == SOUTH_FACE;
    const int last_row = normal ? nz : nz - 1; // the last row that is not a ghost
    if (normal && south == TARN_BOUNDARY_PERIODIC) copy_row(g, field, nz, 0, false);
    if (normal && south == TARN_BOUNDARY_WALL) clear_row(g, field, 0);
    if (normal && north == TARN_BOUNDARY_WALL) clear_row(g, field, nz);
    for (int k = 1; k <= 2; ++k) {
        if (south == TARN_BOUNDARY_PERIODIC) {
            copy_row(g, field, -k, nz - k, false);
            copy_row(g, field, last_row + k, normal ? k : k - 1, false);
            continue;
        }
        copy_row(g, field, -k,
                 south != TARN_BOUNDARY_WALL ? 0
                 : normal                    ? k
                                             : k - 1,
                 normal && south == TARN_BOUNDARY_WALL);
        copy_row(g, field, last_row + k, north != TARN_BOUNDARY_WALL ? last_row : nz - k,
                 normal && north == TARN_BOUNDARY_WALL);
    }
}

void depth_fill_ghosts(const struct fluid *f, float *field, enum location location)
{
    for (int j = 0; j <= f->grid.nz; ++j) depth_fill_ghost_columns(f, field, location, j);
    depth_fill_ghost_rows(f, field, location);
}

double depth_boundary_outflow(const struct fluid *f)
{
    const struct depth_state *self = f->impl;
    const struct grid *g = &f->grid;
    double sum = 0.0;
    for (int j = 0; !f->periodic_x && j < g->nz; ++j)
        sum += (double)self->flux_x[grid_at(g, g->nx, j)] - (double)self->flux_x[grid_at(g, 0, j)];
    for (int i = 0; !f->periodic_z && i < g->nx; ++i)
        sum += (double)self->flux_z[grid_at(g, i, g->nz)] - (double)self->flux_z[grid_at(g, i, 0)];
    return sum;
}
