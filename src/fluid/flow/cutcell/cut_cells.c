// Cut cells: builds apertures, masses, volume fractions and everything derived from the geometry of solids,
// in a fixed order. flow_create(), flow_update_cut_cells() and the world call flow_build_cut_cells().
#include "cut_geometry.h"

#include <string.h>

#define MIN_BODY_APERTURE 0.02 // smaller apertures are closed if there are bodies, which close gaps
#define MIN_NODE_MASS     0.25 // smallest mass of a free node

// ---- split cells ----

static void close_two(float *a, float *b) { *a = *b = 0.0f; }

// A cell has one value of each field, so it can represent the fluid on one side of a solid only. Of two
// opposite corners with fluid the smaller one is closed; a cell that a thin solid passes through is closed.
static void close_split_cells(struct flow *s, const struct grid *g)
{
    const size_t n = g->stride;
    unsigned char *const codes = s->split_codes;
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t row = grid_at(g, 0, j), first = row + (size_t)begin;
        s->cutcell_kernels->find_split_cells(s->corner_marks + first, s->corner_marks + first + n,
                                             codes + first, (size_t)(end - begin));
        for (int i = begin; (i = next_nonzero(codes + row, i, end)) < end; ++i) {
            const size_t c = row + (size_t)i;
            float *west = &s->aperture_x[c], *east = &s->aperture_x[c + 1], *south = &s->aperture_z[c],
                  *north = &s->aperture_z[c + n];
            const bool rising =
                codes[c] == CELL_SPLIT_RISING; // fluid in the north-west and south-east corners
            if (codes[c] == CELL_PIERCED) {
                close_two(west, east);
                close_two(south, north);
            } else if (rising ? *east + *south < *west + *north : *west + *south < *east + *north) {
                close_two(rising ? east : west, south);
            } else {
                close_two(rising ? west : east, north);
            }
        }
    }
}

// ---- derived fields ----

// The first and the last face of a periodic axis are the same face.
static void copy_periodic_faces(const struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    for (int j = 0; f->periodic_x && j < g->nz; ++j) {
        const size_t a = grid_at(g, 0, j), b = grid_at(g, g->nx, j);
        s->aperture_x[a] = s->aperture_x[b] = fminf(s->aperture_x[a], s->aperture_x[b]);
        s->mass_u[a] = s->mass_u[b] = fminf(s->mass_u[a], s->mass_u[b]);
        s->solid_id_u[a] = s->solid_id_u[b] = s->solid_id_u[a] ? s->solid_id_u[a] : s->solid_id_u[b];
        s->covered_by_x[a] = s->covered_by_x[b] =
            s->covered_by_x[a] ? s->covered_by_x[a] : s->covered_by_x[b];
    }
    for (int i = 0; f->periodic_z && i < g->nx; ++i) {
        const size_t a = grid_at(g, i, 0), b = grid_at(g, i, g->nz);
        s->aperture_z[a] = s->aperture_z[b] = fminf(s->aperture_z[a], s->aperture_z[b]);
        s->mass_v[a] = s->mass_v[b] = fminf(s->mass_v[a], s->mass_v[b]);
        s->solid_id_v[a] = s->solid_id_v[b] = s->solid_id_v[a] ? s->solid_id_v[a] : s->solid_id_v[b];
        s->covered_by_z[a] = s->covered_by_z[b] =
            s->covered_by_z[a] ? s->covered_by_z[a] : s->covered_by_z[b];
    }
}

// Solid ids of ghost nodes across periodic sides.
static void copy_periodic_ids(const struct fluid *f, uint16_t *solid_id)
{
    const struct grid *g = &f->grid;
    for (int j = 0; f->periodic_x && j < g->nz; ++j) {
        solid_id[grid_at(g, -1, j)] = solid_id[grid_at(g, g->nx - 1, j)];
        solid_id[grid_at(g, g->nx, j)] = solid_id[grid_at(g, 0, j)];
    }
    for (int i = -1; f->periodic_z && i <= g->nx; ++i) {
        solid_id[grid_at(g, i, -1)] = solid_id[grid_at(g, i, g->nz - 1)];
        solid_id[grid_at(g, i, g->nz)] = solid_id[grid_at(g, i, 0)];
    }
}

// The links to the first nodes of a periodic axis are those from the last ones.
static void copy_periodic_coefs(const struct fluid *f)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    for (int j = 0; f->periodic_x && j <= g->nz; ++j) {
        const size_t a = grid_at(g, 0, j), b = grid_at(g, g->nx, j);
        s->coef_ux[b] = s->coef_ux[a], s->coef_vx[b] = s->coef_vx[a];
    }
    for (int i = 0; f->periodic_z && i <= g->nx; ++i) {
        const size_t a = grid_at(g, i, 0), b = grid_at(g, i, g->nz);
        s->coef_uz[b] = s->coef_uz[a], s->coef_vz[b] = s->coef_vz[a];
    }
}

static void copy_periodic(const struct fluid *f)
{
    const struct flow *s = f->impl;
    copy_periodic_faces(f);
    copy_periodic_ids(f, s->solid_id_u);
    copy_periodic_ids(f, s->solid_id_v);
    copy_periodic_coefs(f);
}

// The first id that is not 0.
static uint16_t first_nonzero(uint16_t a, uint16_t b, uint16_t c, uint16_t d)
{
    return a ? a : b ? b : c ? c : d;
}

// A fully closed face belongs to its solid as a whole: the remaining fraction is added to the list of cut
// faces. False without memory.
static bool assign_closed_face(struct fluid *f, int axis, int i, int j, uint16_t *solid_id,
                               uint16_t neighbour_id, float *closed)
{
    const struct flow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j);
    if (!solid_id[c]) solid_id[c] = neighbour_id;
    if (!solid_id[c] || !s->has_moving_solids || closed[c] > 0.5f) return true;
    const struct planar_motion *p = &solid_at(f, solid_id[c])->motion;
    const double lever = axis ? flow_periodic_offset(f, 0, (i + 0.5) * f->grid.dx, p->x)
                              : flow_periodic_offset(f, 1, (j + 0.5) * f->grid.dx, p->y);
    const struct cut_face entry = {.face = (uint32_t)c,
                                   .solid_id = solid_id[c],
                                   .axis = (unsigned char)axis,
                                   .count = 1,
                                   .closed_fraction = 1.0 - (double)closed[c],
                                   .lever = lever};
    closed[c] = 1.0f;
    return flow_add_cut_face(f, &entry);
}

static bool assign_closed_faces(struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const size_t n = g->stride;
    bool ok = true;
    FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
    {
        const size_t row = grid_at(g, 0, j), first = row + (size_t)begin;
        const uint16_t *u = s->solid_id_u, *v = s->solid_id_v;
        s->cutcell_kernels->mark_closed_faces(u + first, v + first, s->aperture_x + first,
                                              s->aperture_z + first, s->closed_x + first, s->closed_z + first,
                                              s->closed_marks + first, (size_t)(end - begin));
        for (int i = begin; (i = next_nonzero(s->closed_marks + row, i, end)) < end; ++i) {
            const size_t c = row + (size_t)i;
            if (j < g->nz && s->closed_marks[c] & 1)
                ok = assign_closed_face(f, 0, i, j, s->solid_id_u,
                                        first_nonzero(v[c], v[c - 1], v[c + n], v[c - 1 + n]), s->closed_x) &&
                     ok;
            if (i < g->nx && s->closed_marks[c] & 2)
                ok = assign_closed_face(f, 1, i, j, s->solid_id_v,
                                        first_nonzero(u[c], u[c - n], u[c + 1], u[c + 1 - n]), s->closed_z) &&
                     ok;
        }
    }
    return ok;
}

static void set_node_masses(struct flow *s, const struct grid *g, float min_aperture)
{
    FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j), n = (size_t)(end - begin);
        const size_t cells =
            (size_t)(imin(end, g->nx) - begin); // the last node of a row is no south face of a cell
        if (j < g->nz)
            s->cutcell_kernels->set_node_masses(min_aperture, (float)MIN_NODE_MASS, s->solid_id_u + c,
                                                s->aperture_x + c, s->mass_u + c, n);
        s->cutcell_kernels->set_node_masses(min_aperture, (float)MIN_NODE_MASS, s->solid_id_v + c,
                                            s->aperture_z + c, s->mass_v + c, cells);
    }
}

static void set_cell_fractions(struct flow *s, const struct grid *g)
{
    const size_t n = g->stride;
    s->fluid_cell_count = (size_t)g->nx * (size_t)g->nz;
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t first = grid_at(g, begin, j), last = first + (size_t)(end - begin);
        const struct cell_lines lines = {s->aperture_x + first, s->aperture_z + first,
                                         s->aperture_z + first + n, s->centre_open_x + first,
                                         s->centre_open_z + first};
        s->fluid_cell_count -= s->cutcell_kernels->set_cell_fractions(
            &lines, s->volume_fraction + first, s->mass_scalar + first, s->is_fluid + first, last - first);
    }
}

// ---- blocks near solids, reset and build ----

// Mark the blocks near a solid displaced by (x, z) [m].
static void mark_solid_blocks(const struct fluid *f, const struct obstacle *o, double x, double z)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    double low[2], high[2];
    obstacle_extent(o, 0, &low[0], &high[0]);
    obstacle_extent(o, 1, &low[1], &high[1]);
    const int i0 = (int)clamp(floor((low[0] + x) / g->dx) - BLOCK_MARGIN, 0.0, g->nx),
              i1 = (int)clamp(floor((high[0] + x) / g->dx) + BLOCK_MARGIN, 0.0, g->nx),
              j0 = (int)clamp(floor((low[1] + z) / g->dx) - BLOCK_MARGIN, 0.0, g->nz),
              j1 = (int)clamp(floor((high[1] + z) / g->dx) + BLOCK_MARGIN, 0.0, g->nz);
    for (int j = j0; j <= j1; ++j)
        memset(s->solid_blocks + j * s->blocks_per_row + i0 / FLOW_BLOCK, 1,
               (size_t)(i1 / FLOW_BLOCK - i0 / FLOW_BLOCK + 1));
}

static void mark_all_blocks(const struct fluid *f)
{
    struct flow *s = f->impl;
    memset(s->solid_blocks, 0, (size_t)s->blocks_per_row * (size_t)(f->grid.nz + 1));
    for (int n = 1; n <= solid_count(f); ++n) {
        const struct obstacle *o = solid_at(f, n);
        int i0, i1, j0, j1;
        cut_geometry_images(f, o, 0, &i0, &i1);
        cut_geometry_images(f, o, 1, &j0, &j1);
        for (int i = i0; i <= i1; ++i)
            for (int j = j0; j <= j1; ++j)
                mark_solid_blocks(f, o, i * f->grid.nx * f->grid.dx, j * f->grid.nz * f->grid.dx);
    }
}

// Reset nodes begin .. end - 1 of row j to the state without solids.
static void reset_run(struct flow *s, const struct grid *g, int j, int begin, int end)
{
    const size_t c = grid_at(g, begin, j), n = (size_t)(end - begin),
                 cells = (size_t)(imin(end, g->nx) - begin);
    const bool row = j < g->nz;
    float *const ones[] = {s->aperture_x, s->aperture_z, s->volume_fraction, s->coef_ux,
                           s->coef_uz,    s->coef_vx,    s->coef_vz};
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; ++i) s->cutcell_kernels->fill(ones[i] + c, n, 1.0f);
    memset(s->covered_by_x + c, 0, n * sizeof *s->covered_by_x);
    memset(s->covered_by_z + c, 0, n * sizeof *s->covered_by_z);
    memset(s->solid_id_u + c, 0, n * sizeof *s->solid_id_u);
    memset(s->solid_id_v + c, 0, n * sizeof *s->solid_id_v);
    s->cutcell_kernels->fill(s->mass_u + c, n, row ? 1.0f : 0.0f);
    s->cutcell_kernels->fill(s->mass_v + c, n, 0.0f);
    s->cutcell_kernels->fill(s->mass_v + c, cells, 1.0f);
    s->cutcell_kernels->fill(s->mass_scalar + c, n, 0.0f);
    s->cutcell_kernels->fill(s->mass_scalar + c, cells, row ? 1.0f : 0.0f);
    memset(s->is_fluid + c, 0, n);
    memset(s->is_fluid + c, row, cells);
    memset(s->open_faces + c, FACES_ALL, n);
}

static void reset_cut_cells(struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    memset(s->corner_marks, 0, g->size);
    FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
    reset_run(s, g, j, begin, end); // near the previous positions of solids
    for (int j = 0; j < g->nz; ++j) s->mass_u[grid_at(g, 0, j)] = s->mass_u[grid_at(g, g->nx, j)] = 1.0f;
    for (int i = 0; i < g->nx; ++i) s->mass_v[grid_at(g, i, 0)] = s->mass_v[grid_at(g, i, g->nz)] = 1.0f;
    mark_all_blocks(f);
    FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j), n = (size_t)(end - begin);
        s->cutcell_kernels->fill(s->closed_x + c, n, 0.0f);
        s->cutcell_kernels->fill(s->closed_z + c, n, 0.0f);
        s->cutcell_kernels->fill(s->centre_open_x + c, n, 1.0f);
        s->cutcell_kernels->fill(s->centre_open_z + c, n, 1.0f);
    }
    s->fluid_cell_count = (size_t)g->nx * (size_t)g->nz;
    s->implicit_from = FLOW_EXPLICIT_LIMIT;
}

void flow_init_cut_cells(struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    float *const ones[] = {s->aperture_x, s->aperture_z, s->volume_fraction, s->coef_ux,
                           s->coef_uz,    s->coef_vx,    s->coef_vz};
    for (int i = 0; i < (int)(sizeof ones / sizeof ones[0]); ++i)
        for (size_t c = 0; c < g->size; ++c) ones[i][c] = 1.0f;
    for (int j = 0; j <= g->nz; ++j) reset_run(s, g, j, 0, g->nx + 1);
}

bool flow_build_cut_cells(struct fluid *f)
{
    struct flow *s = f->impl;
    bool ok = true;
    s->has_prescribed_motion = false;
    for (int i = 0; i < f->obstacle_count; ++i)
        s->has_prescribed_motion |= obstacle_is_moving(&f->obstacles[i]);
    s->has_moving_solids = s->has_prescribed_motion || f->body_count > 0;
    s->cut_closed_start = s->cut_face_count = 0;
    s->has_reflecting_solid = false;
    for (int i = 0; i < f->obstacle_count; ++i)
        s->has_reflecting_solid = s->has_reflecting_solid || f->obstacles[i].def.boundary;
    reset_cut_cells(f);
    for (int n = 1; n <= solid_count(f) && ok; ++n) ok = cut_geometry_rasterise(f, n);
    if (solid_count(f) > 0) {
        close_split_cells(s, &f->grid);
        copy_periodic(f);
        s->cut_closed_start = s->cut_face_count;
        ok = assign_closed_faces(f) && ok;
        copy_periodic(f);
        set_node_masses(s, &f->grid, (float)(f->body_count ? MIN_BODY_APERTURE : MIN_APERTURE));
        if (f->body_count) {
            ok = flow_close_enclosed_regions(f) && ok;
            copy_periodic_faces(f);
        }
        set_cell_fractions(s, &f->grid);
        // Only implicit diffusion uses the distances to surfaces in the conservative scheme.
        s->implicit_from = flow_def_of(f)->advection == TARN_FLOW_CONSERVATIVE ? 0.0 : 0.06;
    }
    ok = flow_find_prescribed_nodes(f) && ok;
    flow_init_wall_distance(f);
    ok = flow_build_body_rows(f) && ok;
    flow_update_boundary(f);
    ok = flow_find_wall_links(f) && ok;
    ok = flow_find_solid_faces(f) && ok;
    ok = flow_setup_pressure_solver(f) && ok;
    f->derived_stale = true;
    f->out_of_memory = !ok;
    return ok;
}
