// Pockets of fluid that loose obstacles enclose.
#include "flow.h"

#include <string.h>

#define POCKET 256 // [cells] that may be cut off from the rest and count as solid

// From cell c on, all that hangs together with it, `count` cells; false where they lead to more. slot[] tells who has been
// met: 1; and who belongs to more: 2.
static bool flood(const struct fluid *f, size_t c, size_t *list, int *count)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    const size_t n = g->stride;
    *count = 1;
    list[0] = c;
    s->slot[c] = 1;
    for (int k = 0; k < *count; ++k) {
        const size_t at = list[k];
        const uint32_t from = (uint32_t)(at - g->first), width = (uint32_t)n; // g->count fits into an int
        const int i = (int)(from % width), j = (int)(from / width);
        const float open[4] = {s->ax[at], s->ax[at + 1], s->az[at], s->az[at + n]};
        static const int way[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
        for (int w = 0; w < 4; ++w) {
            const int x = fluid_column(f, i + way[w][0]), z = fluid_row(f, j + way[w][1]);
            if (!(open[w] > 0.0f) || x < 0 || z < 0 || s->slot[grid_at(g, x, z)] == 1) continue;
            if (s->slot[grid_at(g, x, z)] == 2 || *count == POCKET) return false;
            s->slot[grid_at(g, x, z)] = 1;
            list[(*count)++] = grid_at(g, x, z);
        }
    }
    return true;
}

static void shut_face(float *open, float *mass, size_t c) { open[c] = mass[c] = 0.0f; }

// A block that no obstacle is near, as the other passes over the room expect it.
static void open_block(struct flow *s, const struct grid *g, int b, int j)
{
    s->busy[j * s->blocks + b] = 1;
    for (int i = b * FLOW_BLOCK; i < imin((b + 1) * FLOW_BLOCK, g->nx + 1); ++i) {
        const size_t c = grid_at(g, i, j);
        s->u1[c] = s->v1[c] = 0.0f;
        s->q1[c] = s->q2[c] = 1.0f;
    }
}

// A cell and its neighbours are where obstacles change something.
static void mark_around(struct flow *s, const struct grid *g, int i, int j)
{
    for (int row = imax(j - 1, 0); row <= imin(j + 1, g->nz); ++row)
        for (int b = imax(i - 1, 0) / FLOW_BLOCK; b <= imin(i + 1, g->nx) / FLOW_BLOCK; ++b)
            if (!s->busy[row * s->blocks + b]) open_block(s, g, b, row);
}

// Across periodic sides too.
static void mark(const struct fluid *f, size_t c)
{
    const struct grid *g = &f->g;
    const int i = (int)((c - g->first) % g->stride), j = (int)((c - g->first) / g->stride);
    const int x = f->wrap_x && i == 0 ? g->nx : f->wrap_x && i == g->nx - 1 ? -1 : i;
    const int z = f->wrap_z && j == 0 ? g->nz : f->wrap_z && j == g->nz - 1 ? -1 : j;
    mark_around(f->self, g, i, j);
    if (x != i) mark_around(f->self, g, x, j);
    if (z != j) mark_around(f->self, g, i, z);
}

// What loose obstacles enclose between them for a moment would hold them together: such pockets are closed. They lie at
// faces that are closed or narrow.
void flow_close_pockets(const struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    size_t list[POCKET];
    FLOW_RUNS(s, g, 0, j, i)
    {
        const size_t c = grid_at(g, i, j), n = g->stride;
        const float sum = (s->ax[c] + s->ax[c + 1]) + (s->az[c] + s->az[c + n]);
        if (!(0.0f < sum && sum < 2.0f) || s->slot[c]) continue;
        int count;
        const bool pocket = flood(f, c, list, &count);
        for (int k = 0; k < count && !pocket; ++k) s->slot[list[k]] = 2;
        for (int k = 0; k < count && pocket; ++k) {
            mark(f, list[k]);
            shut_face(s->ax, s->mass_u, list[k]), shut_face(s->ax, s->mass_u, list[k] + 1);
            shut_face(s->az, s->mass_v, list[k]), shut_face(s->az, s->mass_v, list[k] + n);
        }
    }
    memset(s->slot, 0, g->count * sizeof *s->slot);
}
