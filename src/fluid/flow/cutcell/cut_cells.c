// The room that obstacles leave to the fluid: open parts of faces, which nodes are held, and how far from their
// neighbours the surfaces are.
//
// Lines through the middles and edges of all cells are laid through every obstacle. What it takes of an edge is the
// closed part of a face; where it begins between two nodes of a speed is where they feel it.
#include "fluid/flow/flow.h"

#include <string.h>

#define MIN_WALL_GAP 0.1 // [cells] a surface is felt as if it were no nearer than this
#define MIN_WALL_GAP_COARSE \
    0.25 // likewise where looks are what counts: friction of thin fluids need not be solved for then
#define MIN_BODY_APERTURE \
    0.02 // the same where there are loose ones, which squeeze fluid out of ever thinner gaps
#define MIN_NODE_MASS    0.25 // least mass of a node
#define GEOMETRY_EPSILON 1e-9 // [cells] nodes so near count as inside

// One axis of the room: lines x = const (axis 0) run along z.
struct line_scan {
    struct fluid *f;
    struct flow *s;
    int solid_id; // of the obstacle, from 1
    int axis;
    double image_offset[2]; // [m] along x and z that it is seen from where it is, across periodic sides
    size_t line_stride, node_stride; // index steps from line to line and along a line
    int lines, nodes;                // cells
    float *aperture;                 // closed faces are on the lines between cells
    float *face_coef, *centre_coef;  // links along lines between cells, and through their middles
    uint16_t *face_solid, *centre_solid;
    float *closed_sum;  // what all obstacles together take of a face
    float *centre_open; // what is open of a line through the middles
    double min_gap;
};

// Where a span begins and ends in cell j of a line. Comparisons, here and below, because fmax and fmin are calls.
static double clip_low(double low, int j) { return low > j ? low : j; }
static double clip_high(double high, int j) { return high < j + 1.0 ? high : j + 1.0; }

static double overlap(double low, double high, int j)
{
    const double length = clip_high(high, j) - clip_low(low, j);
    return length > 0.0 ? length : 0.0;
}

// floor() likewise.
static int floor_int(double x)
{
    const int i = (int)x;
    return x < i ? i - 1 : i;
}

static size_t node_at(const struct line_scan *w, int line, int node)
{
    return w->f->grid.origin + (size_t)line * w->line_stride + (size_t)node * w->node_stride;
}

// `count` whole faces, from number j of the line on.
static bool close_full_faces(const struct line_scan *w, int line, int j, int count, double centre)
{
    const size_t c = node_at(w, line, j);
    const struct cut_face cut = {.face = (uint32_t)c,
                                 .solid_id = (uint16_t)w->solid_id,
                                 .axis = (unsigned char)w->axis,
                                 .count = count,
                                 .closed_fraction = 1.0,
                                 .lever = (j + 0.5) * w->f->grid.dx - centre};
    for (int k = 0; k < count; ++k) {
        const size_t at = c + (size_t)k * w->node_stride;
        w->aperture[at] = 0.0f;
        w->closed_sum[at] += 1.0f;
        w->s->cell_marks[at] |= CORNER_SOLID;
    }
    return !w->s->has_moving_solids || flow_add_cut_face(w->f, &cut);
}

static bool close_partial_face(const struct line_scan *w, int line, int j, double low, double high,
                               double centre)
{
    const unsigned char pierced = w->axis ? FACE_PIERCED_Z : FACE_PIERCED_X;
    const size_t c = node_at(w, line, j);
    const double part = overlap(low, high, j), middle = 0.5 * (clip_low(low, j) + clip_high(high, j));
    w->aperture[c] = max_f(w->aperture[c] - (float)part, 0.0f);
    w->closed_sum[c] += (float)part;
    const struct cut_face cut = {.face = (uint32_t)c,
                                 .solid_id = (uint16_t)w->solid_id,
                                 .axis = (unsigned char)w->axis,
                                 .count = 1,
                                 .closed_fraction = part,
                                 .lever = middle * w->f->grid.dx - centre};
    if (low > j + GEOMETRY_EPSILON && high < j + 1.0 - GEOMETRY_EPSILON) w->s->cell_marks[c] |= pierced;
    if (low <= j + GEOMETRY_EPSILON && j <= high + GEOMETRY_EPSILON) w->s->cell_marks[c] |= CORNER_SOLID;
    return !w->s->has_moving_solids || !(part > GEOMETRY_EPSILON) || flow_add_cut_face(w->f, &cut);
}

// What a span takes of the faces on a line between cells. False without memory.
static bool close_faces(const struct line_scan *w, int line, double low, double high)
{
    const struct obstacle *o = solid_at(w->f, w->solid_id);
    const double centre = w->axis ? o->motion.x + w->image_offset[0] : o->motion.y + w->image_offset[1];
    const int first = imax(0, floor_int(low)), last = imin(w->nodes - 1, floor_int(high)),
              more = last - first - 1;
    bool good = true;
    if (first <= last) good = close_partial_face(w, line, first, low, high, centre);
    if (more > 0) good = good && close_full_faces(w, line, first + 1, more, centre);
    if (last > first) good = good && close_partial_face(w, line, last, low, high, centre);
    // corners of the cells beside those
    for (int j = imax(0, last); j <= imin(w->nodes, floor_int(high + GEOMETRY_EPSILON)); ++j)
        if (j >= low - GEOMETRY_EPSILON) w->s->cell_marks[node_at(w, line, j)] |= CORNER_SOLID;
    return good;
}

// The link to node j, if it is one of 0 .. last, ends at a surface after `gap`.
static void shorten_link(const struct line_scan *w, int line, int j, int last, double gap, float *link)
{
    if (j < 0 || j > last) return;
    float *to = &link[node_at(w, line, j)];
    *to = max_f((float)(1.0 / clamp(gap, w->min_gap, 1.0)), *to);
}

// Nodes stand at j + offset along the line: those inside are held, links that lead inside end at the surface.
static void mark_solid_nodes(const struct line_scan *w, int line, double offset, double low, double high,
                             uint16_t *owner, float *link)
{
    const int count = offset > 0.0 ? w->nodes : w->nodes + 1;
    const int first = -floor_int(offset - (low - GEOMETRY_EPSILON)),
              after = floor_int(high + GEOMETRY_EPSILON - offset) + 1;
    if (first >= after) { // thinner than a cell, between two nodes
        if (0 <= first && first <= count) link[node_at(w, line, first)] = 0.0f;
        return;
    }
    for (int j = imax(0, first); j < imin(count, after); ++j)
        owner[node_at(w, line, j)] = (uint16_t)w->solid_id;
    shorten_link(w, line, first, count, low - (first + offset - 1.0), link);
    shorten_link(w, line, after, count, after + offset - high, link);
}

static void subtract_centre_span(const struct line_scan *w, int line, double low, double high)
{
    const int first = imax(0, floor_int(low)), last = imin(w->nodes - 1, floor_int(high));
    for (int j = first; j <= last; ++j) {
        const bool edge = j == first || j == last;
        w->centre_open[node_at(w, line, j)] -= edge ? (float)overlap(low, high, j) : 1.0f;
    }
}

// The same for whole cells: those whose middles are inside, on either side of a line between cells.
static bool scan_whole_cells(const struct line_scan *w, int k)
{
    const struct obstacle *o = &w->f->obstacles[w->solid_id - 1];
    const double s = w->f->grid.dx;
    struct spans *found = w->s->spans, *cells = w->s->spans + 1;
    cells->count = 0;
    for (int line = k % 2 ? k : k - 1; line <= k + 1; line += 2) {
        if (!obstacle_scan_line(o, w->f->memory, w->axis, 0.5 * line * s - w->image_offset[w->axis], found))
            return false;
        for (int i = 0; i < found->count; ++i) {
            const double from = ceil(found->intervals[i][0] / s - 0.5),
                         to = floor(found->intervals[i][1] / s - 0.5) + 1.0;
            if (to > from && !spans_insert(cells, w->f->memory, from * s, to * s)) return false;
        }
        if (k % 2) break;
    }
    const struct spans kept = *found;
    *found = *cells, *cells = kept;
    return true;
}

static bool scan_solid(const struct line_scan *w)
{
    const struct obstacle *o = solid_at(w->f, w->solid_id);
    const double s = w->f->grid.dx, across = w->image_offset[w->axis], along = w->image_offset[1 - w->axis];
    double low, high;
    obstacle_extent(o, w->axis, &low, &high);
    low += across, high += across;
    const double more = o->def.boundary ? 1.0 : 0.001; // whole cells reach beyond
    const double reach =
        (w->axis ? w->f->periodic_x : w->f->periodic_z) ? 1.0 : 0.0; // links lead across such sides
    const int first = (int)ceil(clamp(2.0 * low / s - more, 0.0, 2.0 * w->lines)),
              last = (int)floor(clamp(2.0 * high / s + more, 0.0, 2.0 * w->lines));
    for (int k = first; k <= last; ++k) {
        const int line = k / 2;
        if (o->def.boundary
                ? !scan_whole_cells(w, k)
                : !obstacle_scan_line(o, w->f->memory, w->axis, 0.5 * k * s - across, w->s->spans))
            return false;
        for (int i = 0; i < w->s->spans->count; ++i) {
            const double from = (w->s->spans->intervals[i][0] + along) / s,
                         to = (w->s->spans->intervals[i][1] + along) / s;
            if (to < -reach || from > w->nodes + reach) continue;
            if (k % 2 == 0) {
                if (!close_faces(w, line, from, to)) return false;
                mark_solid_nodes(w, line, 0.5, from, to, w->face_solid, w->face_coef);
                continue;
            }
            mark_solid_nodes(w, line, 0.0, from, to, w->centre_solid, w->centre_coef);
            subtract_centre_span(w, line, from, to);
        }
    }
    return true;
}

static struct line_scan make_scan(struct fluid *f, int number, int axis)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const double nearest =
        flow_def_of(f)->advection == FLOW_CONSERVATIVE ? MIN_WALL_GAP : MIN_WALL_GAP_COARSE;
    if (axis == 0) // u stands on these lines, v between them
        return (struct line_scan){.f = f,
                                  .s = s,
                                  .solid_id = number,
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
                                  .closed_sum = s->u_next,
                                  .centre_open = s->scalar_next,
                                  .min_gap = nearest};
    return (struct line_scan){.f = f,
                              .s = s,
                              .solid_id = number,
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
                              .closed_sum = s->v_next,
                              .centre_open = s->scalar_stage,
                              .min_gap = nearest};
}

enum { BLOCK_MARGIN = 2 }; // [cells] around an obstacle that it may change

// How often an obstacle is seen along an axis: itself, and across periodic sides that it reaches over or comes near.
static void periodic_images(const struct fluid *f, const struct obstacle *o, int axis, int *first, int *last)
{
    double low, high;
    obstacle_extent(o, axis, &low, &high);
    *first = 0;
    *last = low <= high ? 0 : -1; // a loose one may not be there
    if (*last < 0 || !(axis ? f->periodic_z : f->periodic_x)) return;
    const double length = (axis ? f->grid.nz : f->grid.nx) * f->grid.dx, margin = BLOCK_MARGIN * f->grid.dx;
    // What is much larger than the domain need not be seen more often.
    const double home = clamp(-floor(0.5 * (low + high) / length), -1e9, 1e9);
    *first = (int)clamp(ceil((-margin - high) / length), home - 2.0, home + 2.0);
    *last = (int)clamp(floor((length + margin - low) / length), home - 2.0, home + 2.0);
}

static bool rasterise_solid(struct fluid *f, int number)
{
    const struct obstacle *o = solid_at(f, number);
    const double wide = f->grid.nx * f->grid.dx, high = f->grid.nz * f->grid.dx;
    int i0, i1, j0, j1;
    periodic_images(f, o, 0, &i0, &i1);
    periodic_images(f, o, 1, &j0, &j1);
    for (int axis = 0; axis < 2; ++axis)
        for (int i = i0; i <= i1; ++i)
            for (int j = j0; j <= j1; ++j) {
                struct line_scan w = make_scan(f, number, axis);
                w.image_offset[0] = i * wide, w.image_offset[1] = j * high;
                if (!scan_solid(&w)) return false;
            }
    return true;
}

// ---- leaks ----------------------------------------------------------------------------------------------

static void close_two(float *a, float *b) { *a = *b = 0.0f; }

// A cell has one value of everything, so it belongs to one side of what goes through it. Where fluid is left in two
// corners across, the smaller one is closed; a cell that something thinner than itself goes through is closed.
static void close_split_cells(struct flow *s, const struct grid *g)
{
    const size_t n = g->stride;
    unsigned char *const leaks = s->wall_distance; // it is found anew later
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t row = grid_at(g, 0, j), first = row + (size_t)begin;
        s->cutcell_kernels->find_split_cells(s->cell_marks + first, s->cell_marks + first + n, leaks + first,
                                             (size_t)(end - begin));
        for (int i = begin; (i = next_nonzero(leaks + row, i, end)) < end; ++i) {
            const size_t c = row + (size_t)i;
            float *w = &s->aperture_x[c], *e = &s->aperture_x[c + 1], *b = &s->aperture_z[c],
                  *t = &s->aperture_z[c + n];
            const bool rising =
                leaks[c] == CELL_SPLIT_RISING; // fluid is left in the north-west and the south-east
            if (leaks[c] == CELL_PIERCED) {
                close_two(w, e);
                close_two(b, t);
            } else if (rising ? *e + *b < *w + *t : *w + *b < *e + *t) {
                close_two(rising ? e : w, b);
            } else {
                close_two(rising ? w : e, t);
            }
        }
    }
}

// ---- what follows ---------------------------------------------------------------------------------------

// Periodic sides: the first face and the last are one.
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

// Who holds nodes beyond periodic sides.
static void copy_periodic_ids(const struct fluid *f, uint16_t *owner)
{
    const struct grid *g = &f->grid;
    for (int j = 0; f->periodic_x && j < g->nz; ++j) {
        owner[grid_at(g, -1, j)] = owner[grid_at(g, g->nx - 1, j)];
        owner[grid_at(g, g->nx, j)] = owner[grid_at(g, 0, j)];
    }
    for (int i = -1; f->periodic_z && i <= g->nx; ++i) {
        owner[grid_at(g, i, -1)] = owner[grid_at(g, i, g->nz - 1)];
        owner[grid_at(g, i, g->nz)] = owner[grid_at(g, i, 0)];
    }
}

// Links to the first nodes are those from the last ones.
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

// The first that is not 0.
static uint16_t first_nonzero(uint16_t a, uint16_t b, uint16_t c, uint16_t d)
{
    return a ? a : b ? b : c ? c : d;
}

// A face that is quite closed moves with what closes it, all of it. False without memory.
static bool assign_closed_face(struct fluid *f, int axis, int i, int j, uint16_t *owner, uint16_t other,
                               float *closed)
{
    const struct flow *s = f->impl;
    const size_t c = grid_at(&f->grid, i, j);
    if (!owner[c]) owner[c] = other;
    if (!owner[c] || !s->has_moving_solids || closed[c] > 0.5f) return true;
    const struct planar_motion *p = &solid_at(f, owner[c])->motion;
    const double arm = axis ? flow_periodic_offset(f, 0, (i + 0.5) * f->grid.dx, p->x)
                            : flow_periodic_offset(f, 1, (j + 0.5) * f->grid.dx, p->y);
    const struct cut_face cut = {.face = (uint32_t)c,
                                 .solid_id = owner[c],
                                 .axis = (unsigned char)axis,
                                 .count = 1,
                                 .closed_fraction = 1.0 - (double)closed[c],
                                 .lever = arm};
    closed[c] = 1.0f;
    return flow_add_cut_face(f, &cut);
}

static bool assign_closed_faces(struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const size_t n = g->stride;
    bool good = true;
    FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
    {
        const size_t row = grid_at(g, 0, j), first = row + (size_t)begin;
        const uint16_t *u = s->solid_id_u, *v = s->solid_id_v;
        s->cutcell_kernels->mark_closed_faces(u + first, v + first, s->aperture_x + first,
                                              s->aperture_z + first, s->u_next + first, s->v_next + first,
                                              s->cell_marks + first, (size_t)(end - begin));
        for (int i = begin; (i = next_nonzero(s->cell_marks + row, i, end)) < end; ++i) {
            const size_t c = row + (size_t)i;
            if (j < g->nz && s->cell_marks[c] & 1)
                good = assign_closed_face(f, 0, i, j, s->solid_id_u,
                                          first_nonzero(v[c], v[c - 1], v[c + n], v[c - 1 + n]), s->u_next) &&
                       good;
            if (i < g->nx && s->cell_marks[c] & 2)
                good = assign_closed_face(f, 1, i, j, s->solid_id_v,
                                          first_nonzero(u[c], u[c - n], u[c + 1], u[c + 1 - n]), s->v_next) &&
                       good;
        }
    }
    return good;
}

static void set_node_masses(struct flow *s, const struct grid *g, float least)
{
    FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j), n = (size_t)(end - begin);
        const size_t cells =
            (size_t)(imin(end, g->nx) - begin); // of the row; the last node is no cell's south face
        if (j < g->nz)
            s->cutcell_kernels->set_node_masses(least, (float)MIN_NODE_MASS, s->solid_id_u + c,
                                                s->aperture_x + c, s->mass_u + c, n);
        s->cutcell_kernels->set_node_masses(least, (float)MIN_NODE_MASS, s->solid_id_v + c, s->aperture_z + c,
                                            s->mass_v + c, cells);
    }
}

// Whose surface is in a cell. It may touch a cell and hold none of its nodes.
static uint16_t solid_of_cell(const struct flow *s, size_t c, size_t n)
{
    const uint16_t own =
        first_nonzero(s->solid_id_u[c], s->solid_id_u[c + 1], s->solid_id_v[c], s->solid_id_v[c + n]);
    if (own) return own;
    const size_t beside[4] = {c - 1, c + 1, c - n, c + n};
    uint16_t near[4];
    for (int k = 0; k < 4; ++k)
        near[k] = s->solid_id_u[beside[k]] ? s->solid_id_u[beside[k]] : s->solid_id_v[beside[k]];
    return first_nonzero(near[0], near[1], near[2], near[3]);
}

static void set_cell_fractions(struct flow *s, const struct grid *g)
{
    const size_t n = g->stride;
    s->fluid_cell_count = (size_t)g->nx * (size_t)g->nz;
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t first = grid_at(g, begin, j), last = first + (size_t)(end - begin);
        s->fluid_cell_count -= s->cutcell_kernels->set_cell_fractions(
            s->aperture_x + first, s->aperture_z + first, s->aperture_z + first + n, s->scalar_next + first,
            s->scalar_stage + first, s->volume_fraction + first, s->mass_scalar + first, s->is_fluid + first,
            last - first);
        s->cutcell_kernels->mark_narrow_cells(4.0f, s->aperture_x + first, s->aperture_z + first,
                                              s->aperture_z + first + n, s->cell_marks + first, last - first);
        for (int i = 0, count = end - begin; (i = next_nonzero(s->cell_marks + first, i, count)) < count; ++i)
            s->solid_id_cell[first + (size_t)i] = solid_of_cell(s, first + (size_t)i, n);
    }
}

// ---- where there is anything ----

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

// Nodes of row j from `begin` on.
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
    memset(s->cell_marks, 0, g->size);
    FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end) reset_run(s, g, j, begin, end); // where obstacles were
    for (int j = 0; j < g->nz; ++j) s->mass_u[grid_at(g, 0, j)] = s->mass_u[grid_at(g, g->nx, j)] = 1.0f;
    for (int i = 0; i < g->nx; ++i) s->mass_v[grid_at(g, i, 0)] = s->mass_v[grid_at(g, i, g->nz)] = 1.0f;
    mark_all_blocks(f);
    FOR_EACH_SOLID_RUN(s, g, 1, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j), n = (size_t)(end - begin);
        s->cutcell_kernels->fill(s->u_next + c, n, 0.0f);
        s->cutcell_kernels->fill(s->v_next + c, n, 0.0f);
        s->cutcell_kernels->fill(s->scalar_next + c, n, 1.0f);
        s->cutcell_kernels->fill(s->scalar_stage + c, n, 1.0f);
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
    bool good = true;
    s->has_prescribed_motion = false;
    for (int i = 0; i < f->obstacle_count; ++i)
        s->has_prescribed_motion |= obstacle_is_moving(&f->obstacles[i]);
    s->has_moving_solids = s->has_prescribed_motion || f->body_count > 0;
    s->cut_closed_start = s->cut_face_count = 0;
    s->has_reflecting_solid = false;
    for (int i = 0; i < f->obstacle_count; ++i)
        s->has_reflecting_solid = s->has_reflecting_solid || f->obstacles[i].def.boundary;
    reset_cut_cells(f);
    for (int n = 1; n <= solid_count(f) && good; ++n) good = rasterise_solid(f, n);
    if (solid_count(f) > 0) {
        close_split_cells(s, &f->grid);
        copy_periodic(f);
        s->cut_closed_start = s->cut_face_count;
        good = assign_closed_faces(f) && good;
        copy_periodic(f);
        set_node_masses(s, &f->grid, (float)(f->body_count ? MIN_BODY_APERTURE : MIN_APERTURE));
        if (f->body_count) {
            good = flow_close_enclosed_regions(f) && good;
            copy_periodic_faces(f);
        }
        set_cell_fractions(s, &f->grid);
        // Lines know how far surfaces are; stages do not.
        s->implicit_from = flow_def_of(f)->advection == FLOW_CONSERVATIVE ? 0.0 : 0.06;
    }
    good = flow_find_prescribed_nodes(f) && good;
    flow_init_wall_distance(f);
    good = flow_build_body_rows(f) && good;
    flow_update_boundary(f);
    good = flow_find_wall_links(f) && good;
    good = flow_setup_pressure_solver(f) && good;
    f->derived_stale = true;
    f->out_of_memory = !good;
    return good;
}
