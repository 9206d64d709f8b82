// Viscosity and diffusion: what links between nodes carry, and the same solved for a step of any length.
//
//     (mass - k L_x)(1/mass)(mass - k L_z) change = d
//
// Lines along x, then lines along z (Douglas & Gunn 1964). Changes of what is held are 0.
#include "flow.h"

struct job {
    struct fluid *f;
    const struct flow_net *net;
    struct flow_lines lines;
    float k;
    const float *q;
    float *d;
};

static void spread(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct flow *s = job->f->self;
    s->kernels->spread(&job->f->g, job->k, job->net->west, job->net->south, job->q, job->d, j0, j1);
}

void flow_spread(struct fluid *f, int net, float k, const float *q, float *d)
{
    struct job job = {.f = f, .net = &((struct flow *)f->self)->net[net], .k = k, .q = q, .d = d};
    flow_rows(f, spread, &job);
    if (net <= FLOW_V) flow_rub_ahead(f, net, k, q, d);
}

// Groups of lines, as many as there is scratch for.
static void solve_group(void *ctx, int g0, int g1)
{
    const struct job *job = ctx;
    const struct flow *s = job->f->self;
    const int tiles = (job->lines.lines - 1) / FLOW_LANES + 1;
    for (int group = g0; group < g1; ++group)
        for (int t = group * tiles / FLOW_GROUPS; t < (group + 1) * tiles / FLOW_GROUPS; ++t)
            s->carry->lines(&job->lines, t * FLOW_LANES, s->lines + (size_t)group * s->lines_each);
}

static void solve(struct job *job)
{
    const struct grid *g = &job->f->g;
    const bool small = grid_block_rows(g) >= g->nz;
    parallel_rows(job->f->parallel, FLOW_GROUPS, small ? FLOW_GROUPS : 1, solve_group, job);
}

// What the ends of lines gave.
static double from_ends(const struct flow_lines *l)
{
    double sum = 0.0;
    for (int k = 0; !l->cyclic && k < l->lines; ++k) {
        const size_t first = l->start + (size_t)k * l->across,
                     last = first + (size_t)(l->nodes - 1) * l->step;
        if (l->mass[first] > 0.0f) sum -= (double)(l->k * l->west[first] * l->low[k] * l->d[first]);
        if (l->mass[last] > 0.0f) sum -= (double)(l->k * l->west[last + l->step] * l->high[k] * l->d[last]);
    }
    return sum;
}

static void weigh(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct grid *g = &job->f->g;
    const float *restrict mass = job->net->mass;
    float *restrict d = job->d;
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx + 1;
        for (size_t c = row; c < end; ++c) d[c] *= mass[c];
    }
}

double flow_solve_lines(struct fluid *f, int net, float k, float *d)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    const struct flow_net *t = &s->net[net];
    const int more_x = net == FLOW_U && !f->wrap_x, more_z = net == FLOW_V && !f->wrap_z;
    struct job job = {.f = f, .net = t, .d = d};
    job.lines = (struct flow_lines){.mass = t->mass,
                                    .west = t->west,
                                    .d = d,
                                    .start = grid_at(g, 0, 0),
                                    .step = 1,
                                    .across = g->stride,
                                    .nodes = g->nx + more_x,
                                    .lines = g->nz + more_z,
                                    .cyclic = f->wrap_x,
                                    .k = k,
                                    .low = t->end[0],
                                    .high = t->end[1]};
    solve(&job);
    if (net <= FLOW_V) flow_rub_after(f, net, 0, k, d);
    double sum = from_ends(&job.lines);
    flow_rows(f, weigh, &job);
    job.lines.west = t->south;
    job.lines.step = g->stride, job.lines.across = 1;
    job.lines.nodes = g->nz + more_z, job.lines.lines = g->nx + more_x;
    job.lines.cyclic = f->wrap_z;
    job.lines.low = t->end[2], job.lines.high = t->end[3];
    solve(&job);
    if (net <= FLOW_V) flow_rub_after(f, net, 1, k, d);
    return sum + from_ends(&job.lines);
}
