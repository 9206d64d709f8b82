// Cut-cell geometry: face apertures, nodes inside solids, and distances from nodes to surfaces (for viscous
// links), from the outlines of obstacles and bodies. flow_create(), flow_update_cut_cells() and the world
// call flow_build_cut_cells().
//
// Each solid is intersected with the grid lines through faces and through cell centres of both axes. The
// covered part of a face is 1 - aperture. Where the surface lies between two velocity nodes, it shortens the
// viscous link between them.
#include "fluid/flow/flow.h"

#include <string.h>

#define MIN_WALL_GAP        0.1  // [cells] lower bound of the distance from a node to a surface
#define MIN_WALL_GAP_COARSE 0.25 // the same for semi-Lagrangian schemes: small viscosity stays explicit
#define MIN_BODY_APERTURE   0.02 // smaller apertures are closed if there are bodies, which close gaps
#define MIN_NODE_MASS       0.25 // smallest mass of a free node
#define GEOMETRY_EPSILON    1e-9 // [cells] nodes closer to a solid count as inside

// The scan of a solid along one axis. Axis 0: lines x = const, which run along z.
struct line_scan {
    struct fluid *f;
    struct flow *s;
    int solid_id; // from 1
    int axis;
    double image_offset[2];          // [m] displacement of the periodic image along x and z
    size_t line_stride, node_stride; // index strides from line to line and along a line
    int lines, nodes;                // number of cells across and along the lines
    float *aperture;                 // of the faces on lines between cells
    float *face_coef,
        *centre_coef; // diffusion coefficients of links on lines between cells, and through cell centres
    uint16_t *face_solid, *centre_solid;
    float *closed_sum;  // sum of the covered fractions of a face over all solids
    float *centre_open; // open fraction of a line through a cell centre
    double min_gap;
};

// An interval clipped to cell j of a line. Comparisons, since fmax and fmin are function calls.
static double clip_low(double low, int j) { return low > j ? low : j; }
static double clip_high(double high, int j) { return high < j + 1.0 ? high : j + 1.0; }

static double overlap(double low, double high, int j)
{
    const double length = clip_high(high, j) - clip_low(low, j);
    return length > 0.0 ? length : 0.0;
}

// floor() is a function call on baseline machines.
static int floor_int(double x)
{
    const int i = (int)x;
    return x < i ? i - 1 : i;
}

static size_t node_at(const struct line_scan *scan, int line, int node)
{
    return scan->f->grid.origin + (size_t)line * scan->line_stride + (size_t)node * scan->node_stride;
}

// Close `count` full faces from number j of the line on. False without memory.
static bool close_full_faces(const struct line_scan *scan, int line, int j, int count, double origin)
{
    const size_t c = node_at(scan, line, j);
    const struct cut_face entry = {.face = (uint32_t)c,
                                   .solid_id = (uint16_t)scan->solid_id,
                                   .axis = (unsigned char)scan->axis,
                                   .count = count,
                                   .closed_fraction = 1.0,
                                   .lever = (j + 0.5) * scan->f->grid.dx - origin};
    for (int k = 0; k < count; ++k) {
        const size_t face = c + (size_t)k * scan->node_stride;
        scan->aperture[face] = 0.0f;
        scan->closed_sum[face] += 1.0f;
        scan->s->corner_marks[face] |= CORNER_SOLID;
    }
    return !scan->s->has_moving_solids || flow_add_cut_face(scan->f, &entry);
}

// Close the part of face j that the interval covers. False without memory.
static bool close_partial_face(const struct line_scan *scan, int line, int j, double low, double high,
                               double origin)
{
    const unsigned char pierced = scan->axis ? FACE_PIERCED_Z : FACE_PIERCED_X;
    const size_t c = node_at(scan, line, j);
    const double covered = overlap(low, high, j), middle = 0.5 * (clip_low(low, j) + clip_high(high, j));
    scan->aperture[c] = max_f(scan->aperture[c] - (float)covered, 0.0f);
    scan->closed_sum[c] += (float)covered;
    const struct cut_face entry = {.face = (uint32_t)c,
                                   .solid_id = (uint16_t)scan->solid_id,
                                   .axis = (unsigned char)scan->axis,
                                   .count = 1,
                                   .closed_fraction = covered,
                                   .lever = middle * scan->f->grid.dx - origin};
    if (low > j + GEOMETRY_EPSILON && high < j + 1.0 - GEOMETRY_EPSILON) scan->s->corner_marks[c] |= pierced;
    if (low <= j + GEOMETRY_EPSILON && j <= high + GEOMETRY_EPSILON) scan->s->corner_marks[c] |= CORNER_SOLID;
    return !scan->s->has_moving_solids || !(covered > GEOMETRY_EPSILON) || flow_add_cut_face(scan->f, &entry);
}

// Close the faces on a line between cells that an interval covers. False without memory.
static bool close_faces(const struct line_scan *scan, int line, double low, double high)
{
    const struct obstacle *o = solid_at(scan->f, scan->solid_id);
    const double origin =
        scan->axis ? o->motion.x + scan->image_offset[0] : o->motion.y + scan->image_offset[1];
    const int first = imax(0, floor_int(low)), last = imin(scan->nodes - 1, floor_int(high)),
              full = last - first - 1;
    bool ok = true;
    if (first <= last) ok = close_partial_face(scan, line, first, low, high, origin);
    if (full > 0) ok = ok && close_full_faces(scan, line, first + 1, full, origin);
    if (last > first) ok = ok && close_partial_face(scan, line, last, low, high, origin);
    // corners at the end of the interval
    for (int j = imax(0, last); j <= imin(scan->nodes, floor_int(high + GEOMETRY_EPSILON)); ++j)
        if (j >= low - GEOMETRY_EPSILON) scan->s->corner_marks[node_at(scan, line, j)] |= CORNER_SOLID;
    return ok;
}

// The link to node j, if that is one of 0 .. last, ends at a surface at distance `gap` [cells].
static void shorten_link(const struct line_scan *scan, int line, int j, int last, double gap, float *coef)
{
    if (j < 0 || j > last) return;
    float *value = &coef[node_at(scan, line, j)];
    *value = max_f((float)(1.0 / clamp(gap, scan->min_gap, 1.0)), *value);
}

// Nodes lie at j + offset along the line: those inside the interval get the solid's id, and links that lead
// inside are shortened.
static void mark_solid_nodes(const struct line_scan *scan, int line, double offset, double low, double high,
                             uint16_t *solid_id, float *coef)
{
    const int count = offset > 0.0 ? scan->nodes : scan->nodes + 1;
    const int first = -floor_int(offset - (low - GEOMETRY_EPSILON)),
              after = floor_int(high + GEOMETRY_EPSILON - offset) + 1;
    if (first >= after) { // the interval lies between two nodes: they are not linked
        if (0 <= first && first <= count) coef[node_at(scan, line, first)] = 0.0f;
        return;
    }
    for (int j = imax(0, first); j < imin(count, after); ++j)
        solid_id[node_at(scan, line, j)] = (uint16_t)scan->solid_id;
    shorten_link(scan, line, first, count, low - (first + offset - 1.0), coef);
    shorten_link(scan, line, after, count, after + offset - high, coef);
}

// Subtract an interval from the open fractions of a line through cell centres.
static void subtract_centre_span(const struct line_scan *scan, int line, double low, double high)
{
    const int first = imax(0, floor_int(low)), last = imin(scan->nodes - 1, floor_int(high));
    for (int j = first; j <= last; ++j) {
        const bool at_end = j == first || j == last;
        scan->centre_open[node_at(scan, line, j)] -= at_end ? (float)overlap(low, high, j) : 1.0f;
    }
}

// The intervals of a `reflect` obstacle, which consists of whole cells: those with their centre inside, on
// either side of a line between cells. k counts half cells. False without memory.
static bool scan_whole_cells(const struct line_scan *scan, int k)
{
    const struct obstacle *o = &scan->f->obstacles[scan->solid_id - 1];
    const double dx = scan->f->grid.dx;
    struct spans *found = scan->s->spans, *cells = scan->s->spans + 1;
    cells->count = 0;
    for (int line = k % 2 ? k : k - 1; line <= k + 1; line += 2) {
        if (!obstacle_scan_line(o, scan->f->memory, scan->axis,
                                0.5 * line * dx - scan->image_offset[scan->axis], found))
            return false;
        for (int i = 0; i < found->count; ++i) {
            const double from = ceil(found->intervals[i][0] / dx - 0.5),
                         to = floor(found->intervals[i][1] / dx - 0.5) + 1.0;
            if (to > from && !spans_insert(cells, scan->f->memory, from * dx, to * dx)) return false;
        }
        if (k % 2) break;
    }
    const struct spans swapped = *found;
    *found = *cells, *cells = swapped;
    return true;
}

// Intersect the solid with all lines of the axis; k counts half cells, odd: through cell centres. False
// without memory.
static bool scan_solid(const struct line_scan *scan)
{
    const struct obstacle *o = solid_at(scan->f, scan->solid_id);
    const double dx = scan->f->grid.dx, offset_across = scan->image_offset[scan->axis],
                 offset_along = scan->image_offset[1 - scan->axis];
    double low, high;
    obstacle_extent(o, scan->axis, &low, &high);
    low += offset_across, high += offset_across;
    const double margin = o->def.boundary ? 1.0 : 0.001; // whole cells extend beyond the outline
    const double reach =
        (scan->axis ? scan->f->periodic_x : scan->f->periodic_z) ? 1.0 : 0.0; // links cross periodic sides
    const int first = (int)ceil(clamp(2.0 * low / dx - margin, 0.0, 2.0 * scan->lines)),
              last = (int)floor(clamp(2.0 * high / dx + margin, 0.0, 2.0 * scan->lines));
    for (int k = first; k <= last; ++k) {
        const int line = k / 2;
        if (o->def.boundary ? !scan_whole_cells(scan, k)
                            : !obstacle_scan_line(o, scan->f->memory, scan->axis,
                                                  0.5 * k * dx - offset_across, scan->s->spans))
            return false;
        for (int i = 0; i < scan->s->spans->count; ++i) {
            const double from = (scan->s->spans->intervals[i][0] + offset_along) / dx,
                         to = (scan->s->spans->intervals[i][1] + offset_along) / dx;
            if (to < -reach || from > scan->nodes + reach) continue;
            if (k % 2 == 0) {
                if (!close_faces(scan, line, from, to)) return false;
                mark_solid_nodes(scan, line, 0.5, from, to, scan->face_solid, scan->face_coef);
                continue;
            }
            mark_solid_nodes(scan, line, 0.0, from, to, scan->centre_solid, scan->centre_coef);
            subtract_centre_span(scan, line, from, to);
        }
    }
    return true;
}

static struct line_scan make_scan(struct fluid *f, int solid_id, int axis)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const double min_gap =
        flow_def_of(f)->advection == FLOW_CONSERVATIVE ? MIN_WALL_GAP : MIN_WALL_GAP_COARSE;
    if (axis == 0) // u nodes lie on these lines, v nodes between them
        return (struct line_scan){.f = f,
                                  .s = s,
                                  .solid_id = solid_id,
                                  .axis = 0,
                                  .line_stride = 1,
                                  .node_stride = g->stride,
                                  .lines = g->nx,
                                  .nodes = g->nz,
                                  .aperture = s->aperture_x,
                                  .face_coef = s->coef_uz,
                                  .centre_coef = s->coef_vz,
                                  .face_solid = s->solid_id_u,
                                  .centre_solid = s->solid_id_v,
                                  .closed_sum = s->closed_x,
                                  .centre_open = s->centre_open_x,
                                  .min_gap = min_gap};
    return (struct line_scan){.f = f,
                              .s = s,
                              .solid_id = solid_id,
                              .axis = 1,
                              .line_stride = g->stride,
                              .node_stride = 1,
                              .lines = g->nz,
                              .nodes = g->nx,
                              .aperture = s->aperture_z,
                              .face_coef = s->coef_vx,
                              .centre_coef = s->coef_ux,
                              .face_solid = s->solid_id_v,
                              .centre_solid = s->solid_id_u,
                              .closed_sum = s->closed_z,
                              .centre_open = s->centre_open_z,
                              .min_gap = min_gap};
}

enum { BLOCK_MARGIN = 2 }; // [cells] around a solid that it may change

// Range of periodic images of a solid along an axis that lie in or near the domain.
static void periodic_images(const struct fluid *f, const struct obstacle *o, int axis, int *first, int *last)
{
    double low, high;
    obstacle_extent(o, axis, &low, &high);
    *first = 0;
    *last = low <= high ? 0 : -1; // an empty body slot
    if (*last < 0 || !(axis ? f->periodic_z : f->periodic_x)) return;
    const double length = (axis ? f->grid.nz : f->grid.nx) * f->grid.dx, margin = BLOCK_MARGIN * f->grid.dx;
    // At most five images: a larger solid covers the domain anyway.
    const double home = clamp(-floor(0.5 * (low + high) / length), -1e9, 1e9);
    *first = (int)clamp(ceil((-margin - high) / length), home - 2.0, home + 2.0);
    *last = (int)clamp(floor((length + margin - low) / length), home - 2.0, home + 2.0);
}

// Both axes and all periodic images. False without memory.
static bool rasterise_solid(struct fluid *f, int solid_id)
{
    const struct obstacle *o = solid_at(f, solid_id);
    const double width = f->grid.nx * f->grid.dx, height = f->grid.nz * f->grid.dx;
    int i0, i1, j0, j1;
    periodic_images(f, o, 0, &i0, &i1);
    periodic_images(f, o, 1, &j0, &j1);
    for (int axis = 0; axis < 2; ++axis)
        for (int i = i0; i <= i1; ++i)
            for (int j = j0; j <= j1; ++j) {
                struct line_scan scan = make_scan(f, solid_id, axis);
                scan.image_offset[0] = i * width, scan.image_offset[1] = j * height;
                if (!scan_solid(&scan)) return false;
            }
    return true;
}

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
    }
    for (int i = 0; f->periodic_z && i < g->nx; ++i) {
        const size_t a = grid_at(g, i, 0), b = grid_at(g, i, g->nz);
        s->aperture_z[a] = s->aperture_z[b] = fminf(s->aperture_z[a], s->aperture_z[b]);
        s->mass_v[a] = s->mass_v[b] = fminf(s->mass_v[a], s->mass_v[b]);
        s->solid_id_v[a] = s->solid_id_v[b] = s->solid_id_v[a] ? s->solid_id_v[a] : s->solid_id_v[b];
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

// The solid whose surface cuts a cell. A surface may cut a cell without covering one of its nodes.
static uint16_t solid_of_cell(const struct flow *s, size_t c, size_t n)
{
    const uint16_t own =
        first_nonzero(s->solid_id_u[c], s->solid_id_u[c + 1], s->solid_id_v[c], s->solid_id_v[c + n]);
    if (own) return own;
    const size_t neighbours[4] = {c - 1, c + 1, c - n, c + n};
    uint16_t ids[4];
    for (int k = 0; k < 4; ++k)
        ids[k] = s->solid_id_u[neighbours[k]] ? s->solid_id_u[neighbours[k]] : s->solid_id_v[neighbours[k]];
    return first_nonzero(ids[0], ids[1], ids[2], ids[3]);
}

static void set_cell_fractions(struct flow *s, const struct grid *g)
{
    const size_t n = g->stride;
    s->fluid_cell_count = (size_t)g->nx * (size_t)g->nz;
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t first = grid_at(g, begin, j), last = first + (size_t)(end - begin);
        s->fluid_cell_count -= s->cutcell_kernels->set_cell_fractions(
            s->aperture_x + first, s->aperture_z + first, s->aperture_z + first + n, s->centre_open_x + first,
            s->centre_open_z + first, s->volume_fraction + first, s->mass_scalar + first, s->is_fluid + first,
            last - first);
        s->cutcell_kernels->mark_narrow_cells(4.0f, s->aperture_x + first, s->aperture_z + first,
                                              s->aperture_z + first + n, s->narrow_marks + first,
                                              last - first);
        for (int i = 0, count = end - begin; (i = next_nonzero(s->narrow_marks + first, i, count)) < count;
             ++i)
            s->solid_id_cell[first + (size_t)i] = solid_of_cell(s, first + (size_t)i, n);
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
        periodic_images(f, o, 0, &i0, &i1);
        periodic_images(f, o, 1, &j0, &j1);
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
    memset(s->solid_id_cell + c, 0, n * sizeof *s->solid_id_cell);
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
    for (int n = 1; n <= solid_count(f) && ok; ++n) ok = rasterise_solid(f, n);
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
        s->implicit_from = flow_def_of(f)->advection == FLOW_CONSERVATIVE ? 0.0 : 0.06;
    }
    ok = flow_find_prescribed_nodes(f) && ok;
    flow_init_wall_distance(f);
    ok = flow_build_body_rows(f) && ok;
    flow_update_boundary(f);
    ok = flow_find_wall_links(f) && ok;
    ok = flow_setup_pressure_solver(f) && ok;
    s->derived_stale = true;
    f->out_of_memory = !ok;
    return ok;
}
