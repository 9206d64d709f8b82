// Geometry of solids on the grid: face apertures, nodes inside solids, and distances from nodes to surfaces
// (for viscous links). cut_cells.c calls cut_geometry_rasterise().
//
// Each solid is intersected with the grid lines through faces and through cell centres of both axes. The
// covered part of a face is 1 - aperture. Where the surface lies between two velocity nodes, it shortens the
// viscous link between them.
#include "cut_geometry.h"

#define MIN_WALL_GAP        0.1  // [cells] lower bound of the distance from a node to a surface
#define MIN_WALL_GAP_COARSE 0.25 // the same for semi-Lagrangian schemes: small viscosity stays explicit
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
    uint16_t *covered_by; // of the faces
    float *closed_sum;    // sum of the covered fractions of a face over all solids
    float *centre_open;   // open fraction of a line through a cell centre
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
        scan->covered_by[face] = (uint16_t)scan->solid_id;
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
    if (covered > 0.0) scan->covered_by[c] = (uint16_t)scan->solid_id;
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
        flow_def_of(f)->advection == TARN_FLOW_CONSERVATIVE ? MIN_WALL_GAP : MIN_WALL_GAP_COARSE;
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
                                  .covered_by = s->covered_by_x,
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
                              .covered_by = s->covered_by_z,
                              .closed_sum = s->closed_z,
                              .centre_open = s->centre_open_z,
                              .min_gap = min_gap};
}

// Range of periodic images of a solid along an axis that lie in or near the domain.
void cut_geometry_images(const struct fluid *f, const struct obstacle *o, int axis, int *first, int *last)
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
bool cut_geometry_rasterise(struct fluid *f, int solid_id)
{
    const struct obstacle *o = solid_at(f, solid_id);
    const double width = f->grid.nx * f->grid.dx, height = f->grid.nz * f->grid.dx;
    int i0, i1, j0, j1;
    cut_geometry_images(f, o, 0, &i0, &i1);
    cut_geometry_images(f, o, 1, &j0, &j1);
    for (int axis = 0; axis < 2; ++axis)
        for (int i = i0; i <= i1; ++i)
            for (int j = j0; j <= j1; ++j) {
                struct line_scan scan = make_scan(f, solid_id, axis);
                scan.image_offset[0] = i * width, scan.image_offset[1] = j * height;
                if (!scan_solid(&scan)) return false;
            }
    return true;
}
