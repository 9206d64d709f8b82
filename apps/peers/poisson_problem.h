// The systems of `tarn bench linear`, the same for every solver: -div grad x = b on n * n cells within closed walls,
// empty or with a disc in it, b noise without a mean.
#ifndef PEERS_CELLS_H
#define PEERS_CELLS_H

#include <stdio.h>

struct cells {
    int n;               // along either side
    unsigned char *open; // n * n, rows of x
    double *b;           // mean 0 over the open ones
    long count;          // open cells
};

// What one solver needed, on one thread.
struct cells_result {
    double seconds;    // set-up included, the best of some tries
    double setup;      // [s] of that
    double iterations; // 0 for a direct solver
    double residual;   // |b - A x|/|b|, computed here
};

// kind: "empty" or "disc". -1: no such kind, or no memory.
int cells_make(struct cells *c, const char *kind, int n);
void cells_free(struct cells *c);

double cells_residual(const struct cells *c, const double *x);
double cells_seconds(void);

// One line, written by tarn-peers and read by tarn. -1: not such a line.
void cells_write(FILE *out, const struct cells_result *r);
int cells_read(const char *text, struct cells_result *r);

#endif
