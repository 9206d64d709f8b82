// Following the flow near obstacles: a step back ends at the first solid face, and what is beyond one is not looked at.
#include "flow.h"

struct walk {
    const struct fluid *f;
    const struct flow *s;
    int i, j;    // the cell it is in
    double x, z; // [cells]
};

static int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

// Whether the face of cell (i, j) towards (di, dj) can be passed.
static bool passable(const struct walk *w, int i, int j, int di, int dj)
{
    const struct grid *g = &w->f->g;
    const int to_i = i + di, to_j = j + dj;
    if (!w->f->wrap_x && (to_i < 0 || to_i >= g->nx)) return false;
    if (!w->f->wrap_z && (to_j < 0 || to_j >= g->nz)) return false;
    const size_t c = grid_at(g, i, j);
    if (di) return w->s->ax[di > 0 ? c + 1 : c] > 0.0f;
    return w->s->az[dj > 0 ? c + g->stride : c] > 0.0f;
}

// Go by (dx, dz), from face to face.
static void go(struct walk *w, double dx, double dz)
{
    const struct grid *g = &w->f->g;
    for (int most = 4 * (g->nx + g->nz); most > 0; --most) {
        const double to_x = dx > 0.0 ? w->i + 1 - w->x : w->i - w->x,
                     to_z = dz > 0.0 ? w->j + 1 - w->z : w->j - w->z;
        const double tx = dx != 0.0 ? to_x / dx : INFINITY, tz = dz != 0.0 ? to_z / dz : INFINITY;
        const double t = fmin(fmin(tx, tz), 1.0);
        w->x += t * dx, w->z += t * dz;
        if (t >= 1.0) return;
        const int di = tx <= tz ? (dx > 0.0 ? 1 : -1) : 0, dj = di ? 0 : (dz > 0.0 ? 1 : -1);
        if (!passable(w, w->i, w->j, di, dj)) return;
        dx *= 1.0 - t, dz *= 1.0 - t;
        const int i = w->i + di, j = w->j + dj;
        w->i = wrapped(i, g->nx), w->j = wrapped(j, g->nz);
        w->x += w->i - i, w->z += w->j - j;
    }
}

static float sample(const struct grid *g, const float *q, double x, double z)
{
    const double i = floor(x), j = floor(z), a = x - i, b = z - j;
    const size_t c = grid_at(g, (int)i, (int)j), n = g->stride;
    const double low = (1.0 - a) * (double)q[c] + a * (double)q[c + 1],
                 high = (1.0 - a) * (double)q[c + n] + a * (double)q[c + n + 1];
    return (float)((1.0 - b) * low + b * high);
}

// Between the middles of cells, but only of those that can be reached from where the walk ended.
static float sample_reached(const struct walk *w, const float *q)
{
    const struct grid *g = &w->f->g;
    const double a = w->x - (w->i + 0.5), b = w->z - (w->j + 0.5);
    const int di = a < 0.0 ? -1 : 1, dj = b < 0.0 ? -1 : 1;
    const bool x = passable(w, w->i, w->j, di, 0), z = passable(w, w->i, w->j, 0, dj);
    const int i = wrapped(w->i + di, g->nx), j = wrapped(w->j + dj, g->nz);
    const bool both = (x && passable(w, i, w->j, 0, dj)) || (z && passable(w, w->i, j, di, 0));
    const double p = fmin(fabs(a), 1.0), r = fmin(fabs(b), 1.0);
    const double weight[4] = {(1.0 - p) * (1.0 - r), x ? p * (1.0 - r) : 0.0, z ? (1.0 - p) * r : 0.0,
                              both ? p * r : 0.0};
    const size_t at[4] = {grid_at(g, w->i, w->j), grid_at(g, x ? i : w->i, w->j),
                          grid_at(g, w->i, z ? j : w->j), both ? grid_at(g, i, j) : grid_at(g, w->i, w->j)};
    double sum = 0.0, whole = 0.0;
    for (int k = 0; k < 4; ++k) sum += weight[k] * (double)q[at[k]], whole += weight[k];
    return (float)(sum / whole);
}

struct job {
    const struct fluid *f;
    int net;
    float k;
    const float *u, *v, *q;
    float *out;
};

static void carry_one(const struct job *job, int i, int j)
{
    const struct grid *g = &job->f->g;
    const double ox = job->net == FLOW_U ? 0.0 : 0.5, oz = job->net == FLOW_V ? 0.0 : 0.5, k = job->k;
    const double x = i + ox, z = j + oz;
    const double u0 = sample(g, job->u, x, z - 0.5), v0 = sample(g, job->v, x - 0.5, z);
    struct walk w = {job->f, job->f->self, i, j, x, z};
    // on a face the walk begins in the cell that it leads into
    if (job->net == FLOW_U && (u0 > 0.0 || i == g->nx)) w.i = i - 1;
    if (job->net == FLOW_V && (v0 > 0.0 || j == g->nz)) w.j = j - 1;
    if (w.i < 0 || w.j < 0) {
        if ((w.i < 0 && !job->f->wrap_x) || (w.j < 0 && !job->f->wrap_z)) return; // comes from outside
        if (w.i < 0) w.i += g->nx, w.x += g->nx;
        if (w.j < 0) w.j += g->nz, w.z += g->nz;
    }
    struct walk half = w;
    go(&half, -0.5 * k * u0, -0.5 * k * v0);
    const double um = sample(g, job->u, half.x, half.z - 0.5), vm = sample(g, job->v, half.x - 0.5, half.z);
    if (job->net == FLOW_U && (um > 0.0) != (u0 > 0.0))
        go(&w, -0.5 * k * u0, -0.5 * k * v0);
    else if (job->net == FLOW_V && (vm > 0.0) != (v0 > 0.0))
        go(&w, -0.5 * k * u0, -0.5 * k * v0);
    else
        go(&w, -k * um, -k * vm);
    job->out[grid_at(g, i, j)] =
        job->net > FLOW_V ? sample_reached(&w, job->q) : sample(g, job->q, w.x - ox, w.z - oz);
}

// Whether a straight step from a node may come near something that is not quite open: those are the nodes that this is for.
static bool near(const struct job *job, int i, int j)
{
    const struct flow *s = job->f->self;
    const struct grid *g = &job->f->g;
    const int back_i = job->net == FLOW_U, back_j = job->net == FLOW_V; // a face has two cells
    const int i1 = imin(i, g->nx - 1), i0 = imin(imax(i - back_i, 0), i1);
    const int j1 = imin(j, g->nz - 1), j0 = imin(imax(j - back_j, 0), j1);
    const size_t c = grid_at(g, i, j);
    const float far = (float)imin(s->far[grid_at(g, i1, j1)], s->far[grid_at(g, i0, j0)]);
    return far < 255.0f && far <= fmaxf(fabsf(s->ways.from_x[c]), fabsf(s->ways.from_z[c])) + 1.5f;
}

static void carry_rows(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct flow *s = job->f->self;
    const struct grid *g = &job->f->g;
    const float *mass = s->net[job->net].mass;
    const int reach = (int)fmin(254.0, ceil(job->f->fastest * (double)job->k) +
                                           3.0); // most are farther than anything moves
    for (int j = j0; j < j1; ++j) {
        if (s->row_far[imin(j, g->nz - 1)] > reach) continue;
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            if (s->far[grid_at(g, imin(i, g->nx - 1), imin(j, g->nz - 1))] > reach) continue;
            if (mass[c] == 0.0f || !near(job, i, j)) continue;
            if (job->u)
                carry_one(job, i, j);
            else
                job->out[c] = job->q[c];
        }
    }
}

void flow_carry_near(const struct fluid *f, int net, float k, const float *u, const float *v, const float *q,
                     float *out)
{
    struct job job = {f, net, k, u, v, q, out};
    if (obstacle_last(f) > 0) flow_rows(f, carry_rows, &job);
}

void flow_keep_near(const struct fluid *f, int net, float k, const float *there, float *out)
{
    struct job job = {.f = f, .net = net, .k = k, .q = there, .out = out};
    if (obstacle_last(f) > 0) flow_rows(f, carry_rows, &job);
}
