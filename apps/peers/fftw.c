// tarn-peers fftw N TRIES: the empty box by cosine transforms, with a measured plan of FFTW. As a direct
// solver for this special case it is a lower bound for solvers that support obstacles.
#include "peers.h"
#include "poisson_problem.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// Divide by the eigenvalues 4 - 2 cos - 2 cos, and by 4 n^2, the norm of the two transforms.
static void divide(double *x, const double *eigenvalue, int n)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const double k = eigenvalue[i] + eigenvalue[j];
            double *at = x + (size_t)j * (size_t)n + (size_t)i;
            *at = k > 0.0 ? *at / (k * 4.0 * n * n) : 0.0;
        }
}

static int run(const struct poisson_problem *c, int tries, double *x, double *eigenvalue,
               struct poisson_result *r)
{
    const int n = c->n;
    const fftw_plan forward = fftw_plan_r2r_2d(n, n, x, x, FFTW_REDFT10, FFTW_REDFT10, FFTW_MEASURE);
    const fftw_plan backward = fftw_plan_r2r_2d(n, n, x, x, FFTW_REDFT01, FFTW_REDFT01, FFTW_MEASURE);

    for (int i = 0; i < n; ++i) eigenvalue[i] = 2.0 - 2.0 * cos(PI * i / n);
    for (int t = 0; t < tries && forward && backward; ++t) {
        memcpy(x, c->b, (size_t)n * (size_t)n * sizeof *x);
        const double start = poisson_seconds();
        fftw_execute(forward);
        divide(x, eigenvalue, n);
        fftw_execute(backward);
        const double seconds = poisson_seconds() - start;
        if (t == 0 || seconds < r->seconds) r->seconds = seconds;
    }
    if (forward) fftw_destroy_plan(forward);
    if (backward) fftw_destroy_plan(backward);
    return forward && backward ? 0 : -1;
}

int peer_fftw(int argc, char **argv)
{
    struct poisson_problem c = {0};
    struct poisson_result r = {0};

    if (argc != 3 || poisson_make(&c, "empty", atoi(argv[1]))) return -1;
    double *x = fftw_malloc((size_t)c.n * (size_t)c.n * sizeof *x),
           *eigenvalue = malloc((size_t)c.n * sizeof *eigenvalue);
    const int ok = x && eigenvalue && run(&c, atoi(argv[2]), x, eigenvalue, &r) == 0;
    if (ok) {
        r.residual = poisson_residual(&c, x);
        poisson_write(stdout, &r);
    }
    fftw_free(x);
    free(eigenvalue);
    poisson_free(&c);
    return ok ? 0 : 1;
}
