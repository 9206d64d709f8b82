// Viscosity and diffusion: the explicit Laplacian, and the implicit solve for changes by approximate
// factorisation (ADI) [douglas1964],
//
//     (mass - k L_x) (1/mass) (mass - k L_z) change = d,    k the diffusion number times theta
//
// first along x, then along z. Changes of prescribed nodes are 0. flow_step.c calls it.
#include "flow.h"

struct diffusion_job {
    struct fluid *f;
    const struct flow_component *component;
    struct tridiagonal_lines lines;
    float diffusion_number;
    const float *q;
    float *change;
};

static void diffusion_pass(void *ctx, int j0, int j1)
{
    const struct diffusion_job *job = ctx;
    const struct flow *s = job->f->impl;
    s->kernels->add_diffusion(&job->f->grid, job->diffusion_number, job->component->coef_x,
                              job->component->coef_z, job->q, job->change, j0, j1);
}

void flow_add_diffusion(struct fluid *f, int component, float diffusion_number, const float *q, float *change)
{
    struct diffusion_job job = {.f = f,
                                .component = &((struct flow *)f->impl)->component[component],
                                .diffusion_number = diffusion_number,
                                .q = q,
                                .change = change};
    flow_for_face_rows(f, diffusion_pass, &job);
    if (component <= FLOW_V) flow_wall_shear_explicit(f, component, diffusion_number, q, change);
}

// Tiles of FLOW_LANES lines, distributed over FLOW_LINE_GROUPS groups with scratch of their own.
static void solve_line_group(void *ctx, int g0, int g1)
{
    const struct diffusion_job *job = ctx;
    const struct flow *s = job->f->impl;
    const int tiles = (job->lines.lines - 1) / FLOW_LANES + 1;
    for (int group = g0; group < g1; ++group)
        for (int t = group * tiles / FLOW_LINE_GROUPS; t < (group + 1) * tiles / FLOW_LINE_GROUPS; ++t)
            s->advection_kernels->solve_lines(&job->lines, t * FLOW_LANES,
                                              s->line_scratch + (size_t)group * s->line_scratch_stride);
}

static void solve_all_lines(struct diffusion_job *job)
{
    const struct grid *g = &job->f->grid;
    const bool small = grid_block_rows(g) >= g->nz;
    parallel_for_rows(job->f->parallel, FLOW_LINE_GROUPS, small ? FLOW_LINE_GROUPS : 1, solve_line_group,
                      job);
}

// [cells] Inflow through the ends of the lines.
static double boundary_inflow(const struct tridiagonal_lines *l)
{
    double sum = 0.0;
    for (int k = 0; !l->cyclic && k < l->lines; ++k) {
        const size_t first = l->start + (size_t)k * l->line_stride,
                     last = first + (size_t)(l->nodes - 1) * l->node_stride;
        if (l->mass[first] > 0.0f)
            sum -= (double)(l->diffusion_number * l->coef[first] * l->low_boundary_coef[k] * l->d[first]);
        if (l->mass[last] > 0.0f)
            sum -= (double)(l->diffusion_number * l->coef[last + l->node_stride] * l->high_boundary_coef[k] *
                            l->d[last]);
    }
    return sum;
}

static void multiply_by_mass_pass(void *ctx, int j0, int j1)
{
    const struct diffusion_job *job = ctx;
    const struct grid *g = &job->f->grid;
    const float *restrict mass = job->component->mass;
    float *restrict change = job->change;
    for (int j = j0; j < j1; ++j) {
        const size_t row = grid_at(g, 0, j), end = row + (size_t)g->nx + 1;
        for (size_t c = row; c < end; ++c) change[c] *= mass[c];
    }
}

double flow_solve_diffusion(struct fluid *f, int component, float diffusion_number, float *change)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const struct flow_component *data = &s->component[component];
    const int more_x = component == FLOW_U && !f->periodic_x, more_z = component == FLOW_V && !f->periodic_z;
    struct diffusion_job job = {.f = f, .component = data, .change = change};
    job.lines = (struct tridiagonal_lines){.mass = data->mass,
                                           .coef = data->coef_x,
                                           .d = change,
                                           .start = grid_at(g, 0, 0),
                                           .node_stride = 1,
                                           .line_stride = g->stride,
                                           .nodes = g->nx + more_x,
                                           .lines = g->nz + more_z,
                                           .cyclic = f->periodic_x,
                                           .diffusion_number = diffusion_number,
                                           .low_boundary_coef = data->boundary_coef[0],
                                           .high_boundary_coef = data->boundary_coef[1]};
    solve_all_lines(&job);
    if (component <= FLOW_V) flow_wall_shear_implicit(f, component, 0, diffusion_number, change);
    double inflow = boundary_inflow(&job.lines);
    flow_for_face_rows(f, multiply_by_mass_pass, &job);
    job.lines.coef = data->coef_z;
    job.lines.node_stride = g->stride, job.lines.line_stride = 1;
    job.lines.nodes = g->nz + more_z, job.lines.lines = g->nx + more_x;
    job.lines.cyclic = f->periodic_z;
    job.lines.low_boundary_coef = data->boundary_coef[2],
    job.lines.high_boundary_coef = data->boundary_coef[3];
    solve_all_lines(&job);
    if (component <= FLOW_V) flow_wall_shear_implicit(f, component, 1, diffusion_number, change);
    return inflow + boundary_inflow(&job.lines);
}
