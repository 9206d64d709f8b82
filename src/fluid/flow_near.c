// Following the flow near obstacles: a step back ends at the first solid face, and what is beyond one is not looked at.
#include "flow.h"

#include <string.h>

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

// Go by (dx, dz), from face to face: a part t of the way leads to the next one, the others follow at equal parts.
static void go(struct walk *w, double dx, double dz)
{
    const struct grid *g = &w->f->g;
    const int east = dx > 0.0 ? 1 : -1, north = dz > 0.0 ? 1 : -1;
    const double each_x = dx != 0.0 ? 1.0 / fabs(dx) : INFINITY,
                 each_z = dz != 0.0 ? 1.0 / fabs(dz) : INFINITY;
    double tx = dx != 0.0 ? (dx > 0.0 ? w->i + 1 - w->x : w->x - w->i) * each_x : INFINITY,
           tz = dz != 0.0 ? (dz > 0.0 ? w->j + 1 - w->z : w->z - w->j) * each_z : INFINITY;
    double t = 1.0;
    while (tx < 1.0 || tz < 1.0) {
        const bool along = tx <= tz;
        if (!passable(w, w->i, w->j, along ? east : 0, along ? 0 : north)) {
            t = along ? tx : tz;
            break;
        }
        const int i = w->i + (along ? east : 0), j = w->j + (along ? 0 : north);
        w->i = wrapped(i, g->nx), w->j = wrapped(j, g->nz);
        w->x += w->i - i, w->z += w->j - j;
        if (along)
            tx += each_x;
        else
            tz += each_z;
    }
    w->x += t * dx, w->z += t * dz;
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
    float margin; // [cells] that are looked at around where the flow comes from
    bool walk;    // else what was found before is kept
    const float *q;
    float *out;
};

// The way that the flow has come along an axis, without what brought it back in across periodic sides.
static double straight(float from, bool wrap, int n)
{
    if (!wrap || fabsf(from) <= 0.5f * (float)n) return from;
    return from > 0.0f ? from - (float)n : from + (float)n;
}

static void carry_one(const struct job *job, int i, int j)
{
    const struct flow *s = job->f->self;
    const struct grid *g = &job->f->g;
    const double ox = job->net == FLOW_U ? 0.0 : 0.5, oz = job->net == FLOW_V ? 0.0 : 0.5;
    const size_t c = grid_at(g, i, j);
    const double dx = straight(s->ways.from_x[c], job->f->wrap_x, g->nx),
                 dz = straight(s->ways.from_z[c], job->f->wrap_z, g->nz);
    struct walk w = {job->f, s, i, j, i + ox, j + oz};
    // on a face the walk begins in the cell that it leads into
    if (job->net == FLOW_U && (dx < 0.0 || i == g->nx)) w.i = i - 1;
    if (job->net == FLOW_V && (dz < 0.0 || j == g->nz)) w.j = j - 1;
    if (w.i < 0 || w.j < 0) {
        if ((w.i < 0 && !job->f->wrap_x) || (w.j < 0 && !job->f->wrap_z)) return; // comes from outside
        if (w.i < 0) w.i += g->nx, w.x += g->nx;
        if (w.j < 0) w.j += g->nz, w.z += g->nz;
    }
    go(&w, dx, dz);
    job->out[c] = job->net > FLOW_V ? sample_reached(&w, job->q) : sample(g, job->q, w.x - ox, w.z - oz);
}

// The nodes that this is for: a straight step from them may come near something that is not quite open. A face has two cells.
static void mark_row(const struct job *job, int j)
{
    const struct flow *s = job->f->self;
    const struct grid *g = &job->f->g;
    const int nx = g->nx, j1 = imin(j, g->nz - 1), j0 = job->net == FLOW_V ? imin(imax(j - 1, 0), j1) : j1;
    const size_t c = grid_at(g, 0, j);
    const unsigned char *a = s->far + grid_at(g, 0, j0), *b = s->far + grid_at(g, 0, j1);
    unsigned char *near = s->marks + c;
    s->kernels->near(a, b, job->net == FLOW_U, job->margin, s->ways.from_x + c, s->ways.from_z + c,
                     s->net[job->net].mass + c, nx, near);
}

static void carry_rows(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct flow *s = job->f->self;
    const struct grid *g = &job->f->g;
    for (int j = j0; j < j1; ++j) {
        if (s->row_far[imin(j, g->nz - 1)] > s->measured) continue; // farther than anything moves
        if (job->walk) mark_row(job, j);
        const unsigned char *near = s->marks + grid_at(g, 0, j);
        for (int i = 0; i <= g->nx; ++i) {
            static const unsigned char none[8];
            if (i + 8 <= g->nx && memcmp(near + i, none, 8) == 0) {
                i += 7;
                continue;
            }
            if (!near[i]) continue;
            if (job->walk)
                carry_one(job, i, j);
            else
                job->out[grid_at(g, i, j)] = job->q[grid_at(g, i, j)];
        }
    }
}

void flow_carry_near(const struct fluid *f, int net, float margin, const float *q, float *out)
{
    struct job job = {f, net, margin, true, q, out};
    if (obstacle_last(f) > 0) flow_rows(f, carry_rows, &job);
}

void flow_keep_near(const struct fluid *f, int net, const float *there, float *out)
{
    struct job job = {f, net, 0.0f, false, there, out};
    if (obstacle_last(f) > 0) flow_rows(f, carry_rows, &job);
}
