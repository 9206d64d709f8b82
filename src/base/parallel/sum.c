// Row sums in parallel, then their sum in row order.
#include "sum.h"

#include "base/math/math.h"

#define LANES      8
#define CHUNK_ROWS 2048 // rows summed at a time: their sums take 16 KiB of stack

double sum_row(const float *x, int n)
{
    double lane[LANES] = {0};
    int i = 0;

    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; ++k) lane[k] += (double)x[i + k];
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
    struct row_sum_chunk *chunk = ctx;
    for (int j = j0; j < j1; ++j)
        chunk->sums[j] = sum_row(chunk->field + grid_at(chunk->g, 0, chunk->first + j), chunk->g->nx);
}

double sum_field(struct parallel *p, const struct grid *g, const float *field)
{
    struct row_sum_chunk chunk = {.g = g, .field = field};
    double sum = 0.0;

    for (; chunk.first < g->nz; chunk.first += CHUNK_ROWS) {
        const int rows = imin(CHUNK_ROWS, g->nz - chunk.first);
        parallel_for_rows(p, rows, grid_block_rows(g), sum_rows, &chunk);
        for (int j = 0; j < rows; ++j) sum += chunk.sums[j];
    }
    return sum;
}
