#include "sum.h"

#include "math.h"

#define CLIP_LANES 8
#define CHUNK_ROWS 2048 // rows summed at a time: 16 KiB on the stack

double sum_row(const float *x, int n)
{
    double lane[CLIP_LANES] = {0};
    int i = 0;

    for (; i + CLIP_LANES <= n; i += CLIP_LANES)
        for (int k = 0; k < CLIP_LANES; ++k) lane[k] += (double)x[i + k];
    for (int k = 0; i + k < n; ++k) lane[k] += (double)x[i + k];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

struct row_sum_chunk {
    const struct grid *g;
    const float *field;
    int first; // row of sums[0]
    double sums[CHUNK_ROWS];
};

static void sum_rows(void *ctx, int j0, int j1)
{
    struct row_sum_chunk *p = ctx;
    for (int j = j0; j < j1; ++j) p->sums[j] = sum_row(p->field + grid_at(p->g, 0, p->first + j), p->g->nx);
}

double sum_field(struct parallel *p, const struct grid *g, const float *field)
{
    struct row_sum_chunk piece = {.g = g, .field = field};
    double sum = 0.0;

    for (; piece.first < g->nz; piece.first += CHUNK_ROWS) {
        const int rows = imin(CHUNK_ROWS, g->nz - piece.first);
        parallel_for_rows(p, rows, grid_block_rows(g), sum_rows, &piece);
        for (int j = 0; j < rows; ++j) sum += piece.sums[j];
    }
    return sum;
}
