// Semi-Lagrangian advection near solids: backtraces that end at the first closed face, and interpolation
// among cells that are reachable from there. flow_step.c calls flow_advect_near_walls() after the kernels
// have advected all nodes without regard to solids.
#include "flow.h"

#include <string.h>

// The end of a backtrace.
struct traced_point {
    const struct grid *g;
    const unsigned char *open_faces;
    size_t c;    // index of its cell
    int i, j;    // column and row of its cell
    double x, z; // [cells]
};

// Index of the neighbour of cell c, which is number i of n in its line, across periodic sides too; *to is the
// neighbour's number.
static size_t neighbour_cell(size_t c, int i, int direction, int n, size_t stride, int *to)
{
    *to = i + direction;
    if (*to < 0) *to += n;
    if (*to >= n) *to -= n;
    return (size_t)((ptrdiff_t)c + (*to - i) * (ptrdiff_t)stride);
}

// Move the point by (dx, dz) [cells], from face to face; tx and tz are the fractions of the path at which it
// crosses the next face along each axis. True if a closed face stopped it.
static bool trace_to_wall(struct traced_point *w, double dx, double dz)
{
    const struct grid *g = w->g;
    const int direction_x = dx > 0.0 ? 1 : -1, direction_z = dz > 0.0 ? 1 : -1;
    const int exit_x = dx > 0.0 ? FACE_EAST : FACE_WEST, exit_z = dz > 0.0 ? FACE_NORTH : FACE_SOUTH;
    const double spacing_x = dx != 0.0 ? 1.0 / fabs(dx) : INFINITY,
                 spacing_z = dz != 0.0 ? 1.0 / fabs(dz) : INFINITY;
    double tx = dx != 0.0 ? (dx > 0.0 ? w->i + 1 - w->x : w->x - w->i) * spacing_x : INFINITY,
           tz = dz != 0.0 ? (dz > 0.0 ? w->j + 1 - w->z : w->z - w->j) * spacing_z : INFINITY;
    double t = 1.0;
    while (tx < 1.0 || tz < 1.0) {
        const bool crosses_x = tx <= tz;
        int to;
        if (!(w->open_faces[w->c] & (crosses_x ? exit_x : exit_z))) {
            t = crosses_x ? tx : tz;
            break;
        }
        if (crosses_x) {
            w->c = neighbour_cell(w->c, w->i, direction_x, g->nx, 1, &to);
            w->x += to - (w->i + direction_x);
            w->i = to;
            tx += spacing_x;
        } else {
            w->c = neighbour_cell(w->c, w->j, direction_z, g->nz, g->stride, &to);
            w->z += to - (w->j + direction_z);
            w->j = to;
            tz += spacing_z;
        }
    }
    w->x += t * dx, w->z += t * dz;
    return t < 1.0;
}

// floor() is a function call on baseline machines.
static int floor_int(double x)
{
    const int i = (int)x;
    return x < i ? i - 1 : i;
}

static float sample_bilinear(const struct grid *g, const float *q, double x, double z)
{
    const int i = floor_int(x), j = floor_int(z);
    const double a = x - i, b = z - j;
    const size_t c = grid_at(g, i, j), n = g->stride;
    const double low = (1.0 - a) * (double)q[c] + a * (double)q[c + 1],
                 high = (1.0 - a) * (double)q[c + n] + a * (double)q[c + n + 1];
    return (float)((1.0 - b) * low + b * high);
}

// Four cells and their weights.
struct stencil4 {
    size_t at[4];
    double weight[4], normaliser; // 1/sum of weights
};

// Bilinear weights among cell centres, restricted to cells reachable from the end of the backtrace.
static struct stencil4 reachable_stencil(const struct traced_point *w)
{
    const struct grid *g = w->g;
    const double a = w->x - (w->i + 0.5), b = w->z - (w->j + 0.5);
    const int exit_x = a < 0.0 ? FACE_WEST : FACE_EAST, exit_z = b < 0.0 ? FACE_SOUTH : FACE_NORTH;
    int i, j;
    const size_t cell_x = neighbour_cell(w->c, w->i, a < 0.0 ? -1 : 1, g->nx, 1, &i),
                 cell_z = neighbour_cell(w->c, w->j, b < 0.0 ? -1 : 1, g->nz, g->stride, &j),
                 diagonal = cell_x + cell_z - w->c;
    const bool open_x = w->open_faces[w->c] & exit_x, open_z = w->open_faces[w->c] & exit_z;
    const bool open_diagonal =
        (open_x && (w->open_faces[cell_x] & exit_z)) || (open_z && (w->open_faces[cell_z] & exit_x));
    const double weight_x = fabs(a) < 1.0 ? fabs(a) : 1.0, weight_z = fabs(b) < 1.0 ? fabs(b) : 1.0;
    struct stencil4 m = {
        {w->c, open_x ? cell_x : w->c, open_z ? cell_z : w->c, open_diagonal ? diagonal : w->c},
        {(1.0 - weight_x) * (1.0 - weight_z), open_x ? weight_x * (1.0 - weight_z) : 0.0,
         open_z ? (1.0 - weight_x) * weight_z : 0.0, open_diagonal ? weight_x * weight_z : 0.0},
        0.0};
    m.normaliser = 1.0 / ((m.weight[0] + m.weight[1]) + (m.weight[2] + m.weight[3]));
    return m;
}

static float apply_stencil(const struct stencil4 *m, const float *q)
{
    const double low = m->weight[0] * (double)q[m->at[0]] + m->weight[1] * (double)q[m->at[1]],
                 high = m->weight[2] * (double)q[m->at[2]] + m->weight[3] * (double)q[m->at[3]];
    return (float)((low + high) * m->normaliser);
}

// Advection of one velocity component, or of `count` scalars, from q to out.
struct advection_job {
    const struct fluid *f;
    int component;
    int count; // of fields
    const float *const *q;
    float *const *out;
};

// Displacement along an axis without a wrap across periodic sides.
static inline float unwrap_displacement(float displacement, bool periodic, int n)
{
    if (!periodic || fabsf(displacement) <= 0.5f * (float)n) return displacement;
    return displacement > 0.0f ? displacement - (float)n : displacement + (float)n;
}

// [cells] Distance from a departure point to a cell with a closed face below which the node is handled here.
// For scalars 1 is enough: then all sixteen cells of the bicubic stencil are neighbours of cells without
// closed faces, so they are reachable. Velocities closer than 2 get no MacCormack correction.
static int wall_margin(int component) { return component <= FLOW_V ? 2 : 1; }

// First and last cell of a straight path, and the number of faces that it crosses along each axis. The path
// of a node on a face starts in the cell that it leads into.
struct straight_path {
    int i0, j0, i1, j1, crossings_x, crossings_z;
};

static inline struct straight_path path_cells(int component, int i, int j, float dx, float dz)
{
    // in double: in float the sum of 0.5 and a number slightly below 0.5 rounds to 1
    const int x = (int)(fabs((double)dx) + (component == FLOW_U ? 0.0 : 0.5)),
              z = (int)(fabs((double)dz) + (component == FLOW_V ? 0.0 : 0.5));
    const int i0 = i - (component == FLOW_U && dx < 0.0f), j0 = j - (component == FLOW_V && dz < 0.0f);
    return (struct straight_path){i0, j0, i0 + (dx < 0.0f ? -x : x), j0 + (dz < 0.0f ? -z : z), x, z};
}

static inline bool path_is_inside(const struct grid *g, const struct straight_path *path)
{
    return imin(path->i0, path->i1) >= 0 && imin(path->j0, path->j1) >= 0 &&
           imax(path->i0, path->i1) < g->nx && imax(path->j0, path->j1) < g->nz;
}

// True if no closed face lies on the path. With at most two crossings, the faces are those of the first and
// the last cell. With more, both ends must be so far from cells with closed faces that none lies in between:
// a node is half a cell from the edge of its cell, and the path may end at the edge of a cell.
static inline bool path_is_clear(const struct flow *s, const struct grid *g, const struct straight_path *path,
                                 float dx, float dz)
{
    const size_t begin = grid_at(g, path->i0, path->j0), end = grid_at(g, path->i1, path->j1);
    const int faces_x = path->crossings_x ? FACE_WEST | FACE_EAST : 0,
              faces_z = path->crossings_z ? FACE_SOUTH | FACE_NORTH : 0;
    const int exits = (faces_x & (dx < 0.0f ? FACE_WEST : FACE_EAST)) |
                      (faces_z & (dz < 0.0f ? FACE_SOUTH : FACE_NORTH)),
              entries = (faces_x | faces_z) ^ exits;
    const bool faces_open = ((exits & ~s->open_faces[begin]) | (entries & ~s->open_faces[end])) == 0,
               walls_far = (float)(s->wall_distance[begin] + s->wall_distance[end]) >
                           max_f(fabsf(dx), fabsf(dz)) + 1.5f;
    return path->crossings_x + path->crossings_z <= 2 ? faces_open : walls_far;
}

// Start of the path of node (i, j): a node on a face starts in the cell that its path leads into. False if
// that cell is outside the domain.
static bool start_trace(const struct advection_job *job, int i, int j, double dx, double dz,
                        struct traced_point *w)
{
    const struct fluid *f = job->f;
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    *w = (struct traced_point){g,
                               s->open_faces,
                               0,
                               i,
                               j,
                               i + (job->component == FLOW_U ? 0.0 : 0.5),
                               j + (job->component == FLOW_V ? 0.0 : 0.5)};
    if (job->component == FLOW_U && (dx < 0.0 || i == g->nx)) w->i = i - 1;
    if (job->component == FLOW_V && (dz < 0.0 || j == g->nz)) w->j = j - 1;
    if ((w->i < 0 && !f->periodic_x) || (w->j < 0 && !f->periodic_z)) return false;
    if (w->i < 0) w->i += g->nx, w->x += g->nx;
    if (w->j < 0) w->j += g->nz, w->z += g->nz;
    w->c = grid_at(g, w->i, w->j);
    return true;
}

// Scalars at the end of a backtrace, from reachable cells.
static void interpolate_scalars(const struct advection_job *job, size_t c, const struct traced_point *w)
{
    const struct stencil4 m = reachable_stencil(w);
    for (int k = 0; k < job->count; ++k) job->out[k][c] = apply_stencil(&m, job->q[k]);
}

// Full trace. If no face stops it and no wall is near its end, the result of the kernels is correct; for
// velocities it is correct if no face stops it.
static void advect_traced(const struct advection_job *job, int i, int j, double dx, double dz)
{
    const struct flow *s = job->f->impl;
    const struct grid *g = &job->f->grid;
    const size_t c = grid_at(g, i, j);
    struct traced_point w;
    if (!start_trace(job, i, j, dx, dz, &w)) return;
    const bool stopped = trace_to_wall(&w, dx, dz);
    if (job->component > FLOW_V) {
        if (stopped || s->wall_distance[w.c] <= wall_margin(job->component)) interpolate_scalars(job, c, &w);
    } else if (stopped) {
        job->out[0][c] = sample_bilinear(g, job->q[0], w.x - (job->component == FLOW_U ? 0.0 : 0.5),
                                         w.z - (job->component == FLOW_V ? 0.0 : 0.5));
    }
}

// Skips the full trace for paths that cross no closed face; most do not. path_known_clear: mark_near has
// established that.
static void advect_node(const struct advection_job *job, int i, int j, bool path_known_clear)
{
    const struct flow *s = job->f->impl;
    const struct grid *g = &job->f->grid;
    const size_t c = grid_at(g, i, j);
    const float dx = unwrap_displacement(s->trajectories.departure_x[c], job->f->periodic_x, g->nx),
                dz = unwrap_displacement(s->trajectories.departure_z[c], job->f->periodic_z, g->nz);
    const struct straight_path path = path_cells(job->component, i, j, dx, dz);
    if (!path_is_inside(g, &path) || !(path_known_clear || path_is_clear(s, g, &path, dx, dz))) {
        advect_traced(job, i, j, (double)dx, (double)dz);
    } else if (job->component > FLOW_V) {
        const size_t end = grid_at(g, path.i1, path.j1);
        const struct traced_point w = {
            g, s->open_faces, end, path.i1, path.j1, i + 0.5 + (double)dx, j + 0.5 + (double)dz};
        if (s->wall_distance[end] <= wall_margin(job->component)) interpolate_scalars(job, c, &w);
    }
}

// Marks nodes whose path may come near a closed face. A node on a face has two cells.
static void mark_near_row(const struct advection_job *job, int j)
{
    const struct flow *s = job->f->impl;
    const struct grid *g = &job->f->grid;
    const int nx = g->nx, j1 = imin(j, g->nz - 1), south = j > 0 ? j - 1 : job->f->periodic_z ? g->nz - 1 : 0;
    const int j0 = job->component == FLOW_V ? south : j1;
    const size_t c = grid_at(g, 0, j);
    const struct near_wall_row row = {
        .distance_a = s->wall_distance + grid_at(g, 0, j0),
        .distance_b = s->wall_distance + grid_at(g, 0, j1),
        .include_west = job->component == FLOW_U,
        .margin = (float)wall_margin(job->component),
        .min_mark = job->component <= FLOW_V ? 2 : 1, // an unobstructed velocity is already correct
        .period = {job->f->periodic_x ? (float)nx : INFINITY, job->f->periodic_z ? (float)g->nz : INFINITY},
        .face_gap = {job->component == FLOW_U ? 1.0f : 0.5f, job->component == FLOW_V ? 1.0f : 0.5f},
    };
    s->kernels->mark_near(&row, s->trajectories.departure_x + c, s->trajectories.departure_z + c,
                          s->component[job->component].mass + c, nx, s->near_marks + c, s->mass_away + c);
}

static void advect_near_pass(void *ctx, int j0, int j1)
{
    const struct advection_job *job = ctx;
    const struct flow *s = job->f->impl;
    const struct grid *g = &job->f->grid;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        if (s->row_wall_distance[imin(j, g->nz - 1)] > s->distance_limit) { // farther than the longest path
            memcpy(s->mass_away + c, s->component[job->component].mass + c,
                   (size_t)(g->nx + 1) * sizeof *s->mass_away);
            continue;
        }
        mark_near_row(job, j);
        const unsigned char *near = s->near_marks + c;
        for (int i = 0; (i = next_nonzero(near, i, g->nx + 1)) <= g->nx; ++i)
            advect_node(job, i, j, near[i] == 1);
    }
}

const float *flow_advect_near_walls(const struct fluid *f, int component, int count, const float *const *q,
                                    float *const *out)
{
    const struct flow *s = f->impl;
    struct advection_job job = {f, component, count, q, out};
    if (solid_count(f) == 0) return s->component[component].mass;
    flow_for_face_rows(f, advect_near_pass, &job);
    return s->mass_away;
}
