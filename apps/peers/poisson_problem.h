// The systems of `tarn bench linear`, the same for every solver: -div grad x = b on n * n cells within closed
// walls, empty or with a disc in it, b noise without a mean.
#ifndef PEERS_CELLS_H
#define PEERS_CELLS_H

#include <stdio.h>

struct poisson_problem {
    int n;                  // along either side
    unsigned char *is_open; // n * n, rows of x
    double *b;              // mean 0 over the open ones
    long count;             // open cells
};

// What one solver needed, on one thread.
struct poisson_result {
    double seconds;    // set-up included, the best of some tries
    double setup;      // [s] of that
    double iterations; // 0 for a direct solver
    double residual;   // |b - A x|/|b|, computed here
};

// kind: "empty" or "disc". -1: no such kind, or no memory.
int poisson_make(struct poisson_problem *c, const char *kind, int n);
void poisson_free(struct poisson_problem *c);

double poisson_residual(const struct poisson_problem *c, const double *x);
double poisson_seconds(void);

// One line, written by tarn-peers and read by tarn. -1: not such a line.
void poisson_write(FILE *out, const struct poisson_result *r);
int poisson_read(const char *text, struct poisson_result *r);

#endif
