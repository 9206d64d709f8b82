// Edits of the depth-averaged state between substeps: water added or removed, changes of the bed and of the
// velocity of single faces, and whole new states.
#include "depth.h"

float depth_add_face_velocity(struct fluid *f, int i, int j, int axis, float change, float limit)
{
    struct depth_state *s = f->impl;
    float *u = axis ? s->v : s->u, *face = &u[grid_at(&f->grid, i, j)];
    const float before = *face, after = before + change;
    // A velocity above the limit may only decrease.
    *face = change > 0.0f ? fminf(after, fmaxf(limit, before)) : fmaxf(after, fminf(-limit, before));
    // Across periodic boundaries the first and the last face are the same.
    if (axis == 0 && i == 0) u[grid_at(&f->grid, f->grid.nx, j)] = *face;
    if (axis == 1 && j == 0) u[grid_at(&f->grid, i, f->grid.nz)] = *face;
    f->derived_stale = true;
    return *face - before;
}

void depth_set_face_velocity(struct fluid *f, int axis, int i, int j, float velocity)
{
    struct depth_state *s = f->impl;
    const struct grid *g = &f->grid;
    float *u = axis ? s->v : s->u;
    u[grid_at(g, i, j)] = velocity;
    // Across periodic boundaries the first and the last face are the same.
    if (axis == 0 && f->periodic_x && i % g->nx == 0)
        u[grid_at(g, 0, j)] = u[grid_at(g, g->nx, j)] = velocity;
    if (axis == 1 && f->periodic_z && j % g->nz == 0)
        u[grid_at(g, i, 0)] = u[grid_at(g, i, g->nz)] = velocity;
    f->derived_stale = true; // walls have no flow
}

// A head impulse P [m s]: v -= g grad(P) in wet cells. Faces at a boundary follow its boundary condition.
static void apply_head_impulse(struct fluid *f, int i, int j, float head)
{
    struct depth_state *s = f->impl;
    const float change = (float)(f->gravity / f->grid.dx) * head;
    const int nx = f->grid.nx, nz = f->grid.nz;
    const size_t c = grid_at(&f->grid, i, j), n = f->grid.stride;
    if (s->h[c] <= (float)f->dry_depth) return;
    if (i > 0) s->u[c] -= change;
    if (i + 1 < nx) s->u[c + 1] += change;
    if (j > 0) s->v[c] -= change;
    if (j + 1 < nz) s->v[c + n] += change;
    // Across periodic boundaries the first and the last face are the same.
    const float x = (i == 0 ? -change : 0.0f) + (i + 1 == nx ? change : 0.0f);
    const float z = (j == 0 ? -change : 0.0f) + (j + 1 == nz ? change : 0.0f);
    if (f->periodic_x && x != 0.0f) s->u[grid_at(&f->grid, 0, j)] += x, s->u[grid_at(&f->grid, nx, j)] += x;
    if (f->periodic_z && z != 0.0f) s->v[grid_at(&f->grid, i, 0)] += z, s->v[grid_at(&f->grid, i, nz)] += z;
}

double depth_add_water(struct fluid *f, int j, int i0, int i1, const float *depth, const float *head_impulse)
{
    struct depth_state *self = f->impl;
    const size_t c0 = grid_at(&f->grid, i0, j);
    double sum = 0.0;
    for (int i = 0; i < i1 - i0; ++i) {
        const size_t c = c0 + (size_t)i;
        if (depth) {
            sum += depth_coarsen_quantum_to(f, (double)self->h[c] + (double)depth[i]);
            const float before = self->h[c], more = depth_quantise(self, depth[i]);
            self->h[c] = before + more > 0.0f ? before + more : 0.0f; // at most the whole depth is taken
            sum += (double)self->h[c] - (double)before;
        }
        if (head_impulse && head_impulse[i] != 0.0f) apply_head_impulse(f, i0 + i, j, head_impulse[i]);
    }
    f->derived_stale = true;
    return sum;
}

// The depths do not change, so neither does the volume. The bed stays within the range in which the sums of
// the quantum are exact: no lower than the deepest water below the rest level, no higher than twice that.
static bool raise_bed(struct fluid *f, int j, int i0, int i1, const float *height)
{
    struct depth_state *self = f->impl;
    const double deepest = -DEPTH_QUANTA * (double)self->quantum, highest = -2.0 * deepest;
    bool any = false;
    for (int i = i0; i < i1; ++i) {
        float *bed = &f->bed[grid_at(&f->grid, i, j)];
        const double wanted = clamp((double)*bed + (double)height[i - i0], fmin(deepest, (double)*bed),
                                    fmax(highest, (double)*bed));
        const float now = depth_quantise(self, wanted);
        any = any || now != *bed;
        *bed = now;
        f->bed_min = fmin(f->bed_min, f->rest_level + (double)now);
    }
    if (!any) return false;
    f->rest_wave_speed = sqrt(f->gravity * fmax(0.0, f->rest_level - f->bed_min));
    const int margin = GRID_GHOSTS; // ghost cells are copies of cells within this distance of a boundary
    if (j < margin || j >= f->grid.nz - margin || i0 < margin || i1 > f->grid.nx - margin)
        depth_fill_ghosts(f, f->bed, CELL_CENTRE);
    f->derived_stale = true;
    return true;
}

static double begin_bed(struct fluid *f, double lowest, double highest, double deepest)
{
    const double scale = DEPTH_QUANTA * (double)((struct depth_state *)f->impl)->quantum;
    double depth = deepest > scale ? deepest : 0.0; // as depth_coarsen_quantum()
    // The range of the bed is that of raise_bed(); depth_coarsen_quantum_to() makes twice the depth fit the
    // scale.
    if (lowest < -scale) depth = fmax(depth, -0.5 * lowest);
    if (highest > 2.0 * scale) depth = fmax(depth, 0.25 * highest);
    return depth_coarsen_quantum_to(f, depth);
}

static void set_bed(struct fluid *f, int i, int j, double height)
{
    const float now = depth_quantise(f->impl, height);
    f->bed[grid_at(&f->grid, i, j)] = now;
    f->bed_min = fmin(f->bed_min, f->rest_level + (double)now);
}

static void end_bed(struct fluid *f)
{
    f->rest_wave_speed = sqrt(f->gravity * fmax(0.0, f->rest_level - f->bed_min));
    depth_fill_ghosts(f, f->bed, CELL_CENTRE);
    f->derived_stale = true;
}

static void set_columns(struct fluid *f, const tarn_column *columns)
{
    struct depth_state *self = f->impl;
    const struct grid *g = &f->grid;
    const size_t n = g->stride;
    double deepest = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const double height = columns[(size_t)j * (size_t)g->nx + (size_t)i].height;
            const double depth = height - f->rest_level - (double)f->bed[grid_at(g, i, j)];
            if (depth > deepest) deepest = depth; // gcc 12 for AArch64 fails on fmax() in this loop
        }
    depth_coarsen_quantum_to(f, deepest);
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const tarn_column *column = &columns[(size_t)j * (size_t)g->nx + (size_t)i];
            const size_t c = grid_at(g, i, j);
            const double depth = column->height - f->rest_level - (double)f->bed[c];
            self->h[c] = depth > 0.0 ? depth_quantise(self, depth) : 0.0f;
            self->u_next[c] = (float)column->u, self->v_next[c] = (float)column->w; // at the centres at first
        }
    depth_fill_ghosts(f, self->u_next, CELL_CENTRE);
    depth_fill_ghosts(f, self->v_next, CELL_CENTRE);
    for (int j = 0; j <= g->nz; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            self->u[c] = 0.5f * (self->u_next[c - 1] + self->u_next[c]);
            self->v[c] = 0.5f * (self->v_next[c - n] + self->v_next[c]);
        }
    f->model->update_derived(f); // no flow through walls
}

const struct height_field_edit depth_edit = {
    .raise_bed = raise_bed,
    .begin_bed = begin_bed,
    .set_bed = set_bed,
    .end_bed = end_bed,
    .set_columns = set_columns,
};
