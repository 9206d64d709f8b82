// Viscosity and diffusion: what links between nodes carry, and the same solved for a step of any length.
//
//     (mass - k L_x)(1/mass)(mass - k L_z) change = d
//
// Lines along x, then lines along z (Douglas & Gunn 1964). Changes of what is held are 0.
#include "flow.h"

struct job {
    struct fluid *f;
    const struct flow_component *net;
    struct tridiagonal_lines lines;
    float k;
    const float *q;
    float *d;
};

static void diffusion_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct flow *s = job->f->impl;
    s->kernels->add_diffusion(&job->f->grid, job->k, job->net->coef_x, job->net->coef_z, job->q, job->d, j0,
                              j1);
}

void flow_add_diffusion(struct fluid *f, int net, float k, const float *q, float *d)
{
    struct job job = {.f = f, .net = &((struct flow *)f->impl)->component[net], .k = k, .q = q, .d = d};
    flow_for_face_rows(f, diffusion_pass, &job);
    if (net <= FLOW_V) flow_wall_shear_explicit(f, net, k, q, d);
}

// Groups of lines, as many as there is scratch for.
static void solve_line_group(void *ctx, int g0, int g1)
{
    const struct job *job = ctx;
    const struct flow *s = job->f->impl;
    const int tiles = (job->lines.lines - 1) / FLOW_LANES + 1;
    for (int group = g0; group < g1; ++group)
        for (int t = group * tiles / FLOW_LINE_GROUPS; t < (group + 1) * tiles / FLOW_LINE_GROUPS; ++t)
            s->advection_kernels->solve_lines(&job->lines, t * FLOW_LANES,
                                              s->line_scratch + (size_t)group * s->line_scratch_stride);
}

static void solve_potential(struct job *job)
{
    const struct grid *g = &job->f->grid;
    const bool small = grid_block_rows(g) >= g->nz;
    parallel_for_rows(job->f->parallel, FLOW_LINE_GROUPS, small ? FLOW_LINE_GROUPS : 1, solve_line_group,
                      job);
}

// What the ends of lines gave.
static double boundary_inflow(const struct tridiagonal_lines *l)
{
    double sum = 0.0;
    for (int k = 0; !l->cyclic && k < l->lines; ++k) {
        const size_t first = l->start + (size_t)k * l->line_stride,
                     last = first + (size_t)(l->nodes - 1) * l->node_stride;
        if (l->mass[first] > 0.0f)
            sum -= (double)(l->k * l->coef[first] * l->low_boundary_coef[k] * l->d[first]);
        if (l->mass[last] > 0.0f)
            sum -= (double)(l->k * l->coef[last + l->node_stride] * l->high_boundary_coef[k] * l->d[last]);
    }
    return sum;
}

static void multiply_by_mass_pass(void *ctx, int j0, int j1)
{
    const struct job *job = ctx;
    const struct grid *g = &job->f->grid;
    const float *restrict mass = job->net->mass;
    float *restrict d = job->d;
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx + 1;
        for (size_t c = row; c < end; ++c) d[c] *= mass[c];
    }
}

double flow_solve_diffusion(struct fluid *f, int net, float k, float *d)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const struct flow_component *t = &s->component[net];
    const int more_x = net == FLOW_U && !f->periodic_x, more_z = net == FLOW_V && !f->periodic_z;
    struct job job = {.f = f, .net = t, .d = d};
    job.lines = (struct tridiagonal_lines){.mass = t->mass,
                                           .coef = t->coef_x,
                                           .d = d,
                                           .start = grid_at(g, 0, 0),
                                           .node_stride = 1,
                                           .line_stride = g->stride,
                                           .nodes = g->nx + more_x,
                                           .lines = g->nz + more_z,
                                           .cyclic = f->periodic_x,
                                           .k = k,
                                           .low_boundary_coef = t->boundary_coef[0],
                                           .high_boundary_coef = t->boundary_coef[1]};
    solve_potential(&job);
    if (net <= FLOW_V) flow_wall_shear_implicit(f, net, 0, k, d);
    double sum = boundary_inflow(&job.lines);
    flow_for_face_rows(f, multiply_by_mass_pass, &job);
    job.lines.coef = t->coef_z;
    job.lines.node_stride = g->stride, job.lines.line_stride = 1;
    job.lines.nodes = g->nz + more_z, job.lines.lines = g->nx + more_x;
    job.lines.cyclic = f->periodic_z;
    job.lines.low_boundary_coef = t->boundary_coef[2], job.lines.high_boundary_coef = t->boundary_coef[3];
    solve_potential(&job);
    if (net <= FLOW_V) flow_wall_shear_implicit(f, net, 1, k, d);
    return sum + boundary_inflow(&job.lines);
}
