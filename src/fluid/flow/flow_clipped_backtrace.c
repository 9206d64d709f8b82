// Following the flow near obstacles: a step back ends at the first solid face, and what is beyond one is not
// looked at.
#include "flow.h"

#include <string.h>

struct traced_point {
    const struct grid *g;
    const unsigned char *open_faces;
    size_t c;    // the cell it is in
    int i, j;    // likewise
    double x, z; // [cells]
};

// Index of the cell beside c, which is number i of n in its line, across periodic sides too; `to` is its
// number.
static size_t neighbour_cell(size_t c, int i, int way, int n, size_t step, int *to)
{
    *to = i + way;
    if (*to < 0) *to += n;
    if (*to >= n) *to -= n;
    return (size_t)((ptrdiff_t)c + (*to - i) * (ptrdiff_t)step);
}

// Go by (dx, dz), from face to face: a part t of the way leads to the next one, the others follow at equal
// parts. True if it was stopped.
static bool trace_to_wall(struct traced_point *w, double dx, double dz)
{
    const struct grid *g = w->g;
    const int east = dx > 0.0 ? 1 : -1, north = dz > 0.0 ? 1 : -1;
    const int door_x = dx > 0.0 ? FACE_EAST : FACE_WEST, door_z = dz > 0.0 ? FACE_NORTH : FACE_SOUTH;
    const double each_x = dx != 0.0 ? 1.0 / fabs(dx) : INFINITY,
                 each_z = dz != 0.0 ? 1.0 / fabs(dz) : INFINITY;
    double tx = dx != 0.0 ? (dx > 0.0 ? w->i + 1 - w->x : w->x - w->i) * each_x : INFINITY,
           tz = dz != 0.0 ? (dz > 0.0 ? w->j + 1 - w->z : w->z - w->j) * each_z : INFINITY;
    double t = 1.0;
    while (tx < 1.0 || tz < 1.0) {
        const bool along = tx <= tz;
        int to;
        if (!(w->open_faces[w->c] & (along ? door_x : door_z))) {
            t = along ? tx : tz;
            break;
        }
        if (along) {
            w->c = neighbour_cell(w->c, w->i, east, g->nx, 1, &to);
            w->x += to - (w->i + east);
            w->i = to;
            tx += each_x;
        } else {
            w->c = neighbour_cell(w->c, w->j, north, g->nz, g->stride, &to);
            w->z += to - (w->j + north);
            w->j = to;
            tz += each_z;
        }
    }
    w->x += t * dx, w->z += t * dz;
    return t < 1.0;
}

// floor(), which is a call on machines of any kind.
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

// Four cells around a place, and what each counts.
struct stencil4 {
    size_t at[4];
    double weight[4], normaliser; // 1/sum of weights
};

// Between the middles of cells, but only of those that can be reached from where the walk ended.
static struct stencil4 reachable_stencil(const struct traced_point *w)
{
    const struct grid *g = w->g;
    const double a = w->x - (w->i + 0.5), b = w->z - (w->j + 0.5);
    const int door_x = a < 0.0 ? FACE_WEST : FACE_EAST, door_z = b < 0.0 ? FACE_SOUTH : FACE_NORTH;
    int i, j;
    const size_t side = neighbour_cell(w->c, w->i, a < 0.0 ? -1 : 1, g->nx, 1, &i),
                 up = neighbour_cell(w->c, w->j, b < 0.0 ? -1 : 1, g->nz, g->stride, &j),
                 corner = side + up - w->c;
    const bool x = w->open_faces[w->c] & door_x, z = w->open_faces[w->c] & door_z;
    const bool both = (x && (w->open_faces[side] & door_z)) || (z && (w->open_faces[up] & door_x));
    const double p = fabs(a) < 1.0 ? fabs(a) : 1.0, r = fabs(b) < 1.0 ? fabs(b) : 1.0;
    struct stencil4 m = {
        {w->c, x ? side : w->c, z ? up : w->c, both ? corner : w->c},
        {(1.0 - p) * (1.0 - r), x ? p * (1.0 - r) : 0.0, z ? (1.0 - p) * r : 0.0, both ? p * r : 0.0},
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

struct job {
    const struct fluid *f;
    int component;
    int count; // of fields
    const float *const *q;
    float *const *out;
};

// The way that the flow has come along an axis, without what brought it back in across periodic sides.
static inline float unwrap_displacement(float from, bool wrap, int n)
{
    if (!wrap || fabsf(from) <= 0.5f * (float)n) return from;
    return from > 0.0f ? from - (float)n : from + (float)n;
}

// [cells] Between where the flow comes from and a cell with a closed door. Of scalars: then all of the
// sixteen cells that cubics look at are beside cells without one, and can be reached. Speeds are not
// corrected by going there and back nearer to surfaces than that.
static int wall_margin(int net) { return net <= FLOW_V ? 2 : 1; }

// Cells that a straight way begins and ends in, and how many faces it leads through along each axis. A node
// on a face begins in the cell that its way leads into.
struct straight_path {
    int i0, j0, i1, j1, x, z;
};

static inline struct straight_path path_cells(int net, int i, int j, float dx, float dz)
{
    // In double, because in float a bit less than 0.5, and 0.5, are 1.
    const int x = (int)(fabs((double)dx) + (net == FLOW_U ? 0.0 : 0.5)),
              z = (int)(fabs((double)dz) + (net == FLOW_V ? 0.0 : 0.5));
    const int i0 = i - (net == FLOW_U && dx < 0.0f), j0 = j - (net == FLOW_V && dz < 0.0f);
    return (struct straight_path){i0, j0, i0 + (dx < 0.0f ? -x : x), j0 + (dz < 0.0f ? -z : z), x, z};
}

static inline bool path_is_inside(const struct grid *g, const struct straight_path *w)
{
    return imin(w->i0, w->i1) >= 0 && imin(w->j0, w->j1) >= 0 && imax(w->i0, w->i1) < g->nx &&
           imax(w->j0, w->j1) < g->nz;
}

// Nothing is in the way. Two faces or less lead out of the first cell and into the last one. Else neither end
// comes so near to a cell with a closed door that it could begin: a node is half a cell from the end of its
// own, the way may end at a cell's edge.
static inline bool path_is_clear(const struct flow *s, const struct grid *g, const struct straight_path *w,
                                 float dx, float dz)
{
    const size_t begin = grid_at(g, w->i0, w->j0), end = grid_at(g, w->i1, w->j1);
    const int along = w->x ? FACE_WEST | FACE_EAST : 0, up = w->z ? FACE_SOUTH | FACE_NORTH : 0;
    const int out = (along & (dx < 0.0f ? FACE_WEST : FACE_EAST)) |
                    (up & (dz < 0.0f ? FACE_SOUTH : FACE_NORTH)),
              in = (along | up) ^ out;
    const bool few = ((out & ~s->open_faces[begin]) | (in & ~s->open_faces[end])) == 0,
               many = (float)(s->wall_distance[begin] + s->wall_distance[end]) >
                      max_f(fabsf(dx), fabsf(dz)) + 1.5f;
    return w->x + w->z <= 2 ? few : many;
}

// Where a node's way begins: on a face in the cell that it leads into. False if it comes from outside.
static bool start_trace(const struct job *job, int i, int j, double dx, double dz, struct traced_point *w)
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

// Scalars, between the middles of cells that can be reached from where the walk ended.
static void interpolate_scalars(const struct job *job, size_t c, const struct traced_point *w)
{
    const struct stencil4 m = reachable_stencil(w);
    for (int k = 0; k < job->count; ++k) job->out[k][c] = apply_stencil(&m, job->q[k]);
}

// Step by step. What nothing stops and nothing is near to is there already, speeds at any rate.
static void advect_traced(const struct job *job, int i, int j, double dx, double dz)
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

// Most ways are free, and most of those end where nothing is near.
static void advect_node(const struct job *job, int i, int j, bool free_way)
{
    const struct flow *s = job->f->impl;
    const struct grid *g = &job->f->grid;
    const size_t c = grid_at(g, i, j);
    const float dx = unwrap_displacement(s->trajectories.departure_x[c], job->f->periodic_x, g->nx),
                dz = unwrap_displacement(s->trajectories.departure_z[c], job->f->periodic_z, g->nz);
    const struct straight_path way = path_cells(job->component, i, j, dx, dz);
    if (!path_is_inside(g, &way) || !(free_way || path_is_clear(s, g, &way, dx, dz))) {
        advect_traced(job, i, j, (double)dx, (double)dz);
    } else if (job->component > FLOW_V) {
        const size_t end = grid_at(g, way.i1, way.j1);
        const struct traced_point w = {
            g, s->open_faces, end, way.i1, way.j1, i + 0.5 + (double)dx, j + 0.5 + (double)dz};
        if (s->wall_distance[end] <= wall_margin(job->component)) interpolate_scalars(job, c, &w);
    }
}

// The nodes that this is for: a straight step from them may come near a closed door. A face has two cells.
static void mark_near_row(const struct job *job, int j)
{
    const struct flow *s = job->f->impl;
    const struct grid *g = &job->f->grid;
    const int nx = g->nx, j1 = imin(j, g->nz - 1),
              before = j > 0                ? j - 1
                       : job->f->periodic_z ? g->nz - 1
                                            : 0;
    const int j0 = job->component == FLOW_V ? before : j1;
    const size_t c = grid_at(g, 0, j);
    const struct near_wall_row row = {
        .distance_a = s->wall_distance + grid_at(g, 0, j0),
        .distance_b = s->wall_distance + grid_at(g, 0, j1),
        .include_west = job->component == FLOW_U,
        .margin = (float)wall_margin(job->component),
        .min_mark = job->component <= FLOW_V ? 2 : 1, // speeds that nothing stops are there already
        .period = {job->f->periodic_x ? (float)nx : INFINITY, job->f->periodic_z ? (float)g->nz : INFINITY},
        .face_gap = {job->component == FLOW_U ? 1.0f : 0.5f, job->component == FLOW_V ? 1.0f : 0.5f},
    };
    s->kernels->mark_near(&row, s->trajectories.departure_x + c, s->trajectories.departure_z + c,
                          s->component[job->component].mass + c, nx, s->near_marks + c, s->mass_away + c);
}

static void advect_near_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct flow *s = job->f->impl;
    const struct grid *g = &job->f->grid;
    for (int j = j0; j < j1; ++j) {
        const size_t c = grid_at(g, 0, j);
        if (s->row_wall_distance[imin(j, g->nz - 1)] > s->distance_limit) { // farther than anything moves
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

const float *flow_advect_near_walls(const struct fluid *f, int net, int count, const float *const *q,
                                    float *const *out)
{
    const struct flow *s = f->impl;
    struct job job = {f, net, count, q, out};
    if (solid_count(f) == 0) return s->component[net].mass;
    flow_for_face_rows(f, advect_near_pass, &job);
    return s->mass_away;
}
