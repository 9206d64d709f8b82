// The systems of `tarn bench linear`, the same for every solver: -div grad x = b on n * n cells between
// closed walls, empty or with a disc; b is noise with mean 0.
#ifndef PEERS_POISSON_PROBLEM_H
#define PEERS_POISSON_PROBLEM_H

#include <stdio.h>

struct poisson_problem {
    int n;                  // along each side
    unsigned char *is_open; // n * n, row by row
    double *b;              // mean 0 over the open cells
    long count;             // open cells
};

// Result of a solver on one thread.
struct poisson_result {
    double seconds;    // setup included, the shortest of several tries
    double setup;      // [s] part of it
    double iterations; // 0 for a direct solver
    double residual;   // |b - A x|/|b|, computed here
};

// kind: "empty" or "disc". -1: no such kind, or no memory.
int poisson_make(struct poisson_problem *c, const char *kind, int n);
void poisson_free(struct poisson_problem *c);

double poisson_residual(const struct poisson_problem *c, const double *x);
double poisson_seconds(void);

// The result as one line, which tarn-peers writes and tarn reads. -1: not such a line.
void poisson_write(FILE *out, const struct poisson_result *r);
int poisson_read(const char *text, struct poisson_result *r);

#endif
