// tarn bench linear: -div grad x = b in a box with closed walls, empty or with a disc, white noise as
// right-hand side, to a true residual of 1e-6. Times include the setup, because masks may change from step to
// step.
//
// For comparison: `jacobi` with 48 sweeps, and the default kind stopped at the residual that these reach;
// with --compare hypre, the faster of one and two sweeps per cycle, and for the empty box FFTW's cosine
// transforms, which do not support obstacles.
#include "apps/peers/poisson_problem.h"
#include "bench.h"

#include "solver/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE           1e-6
#define SWEEPS              48
#define MIN_DISC_SPEEDUP    7.0 // smallest speed-up over hypre with the disc
#define MIN_EMPTY_SPEEDUP   3.0 // and without it
#define MIN_THREADS_SPEEDUP 1.6 // smallest speed-up by a second thread
#define MIN_JACOBI_SPEEDUP  3.0 // smallest speed-up over jacobi to the same residual

// A solver and its system; a repetition is setup and solution.
struct solver_run {
    struct memory memory;
    struct parallel *pool;
    struct grid g;
    struct linear_solver *solver;
    unsigned char *open;
    double *b, *x;
    double tolerance;
    struct linear_report report;
};

static void solver_run_free(struct solver_run *o)
{
    linear_destroy(o->solver);
    linear_free_vector(&o->g, &o->memory, o->b);
    linear_free_vector(&o->g, &o->memory, o->x);
    parallel_destroy(o->pool);
    free(o->open);
}

static int solver_run_create(struct solver_run *o, const struct poisson_problem *c, const char *kind,
                             int threads, double tolerance)
{
    *o = (struct solver_run){.tolerance = tolerance};
    memory_init(&o->memory, NULL);
    if (!grid_init(&o->g, c->n, c->n, 1.0)) return -1;
    o->pool = parallel_create(&o->memory, NULL, threads);
    o->open = calloc(o->g.size, 1);
    o->b = linear_alloc_vector(&o->g, &o->memory);
    o->x = linear_alloc_vector(&o->g, &o->memory);
    if (o->pool) o->solver = linear_create(&o->memory, o->pool, linear_kind_find(kind), &o->g);
    if (!o->solver || !o->open || !o->b || !o->x) return -1;
    for (int j = 0; j < c->n; ++j)
        for (int i = 0; i < c->n; ++i) {
            const size_t at = grid_at(&o->g, i, j), k = (size_t)j * (size_t)c->n + (size_t)i;
            o->open[at] = c->is_open[k];
            o->b[at] = c->b[k];
        }
    return 0;
}

static long long run_solver(void *self, long long count)
{
    struct solver_run *o = self;
    const struct linear_system a = {.active = o->open};

    for (long long i = 0; i < count; ++i) {
        memset(o->x, 0, o->g.size * sizeof *o->x);
        if (linear_setup(o->solver, &a) != TARN_OK) return -1;
        linear_solve(o->solver, o->b, o->x,
                     (struct linear_tolerance){.relative = o->tolerance,
                                               .max_iterations = o->tolerance > 0.0 ? 0 : SWEEPS},
                     &o->report);
    }
    return count;
}

// ---- one system ------------------------------------------------------------------------------------

enum { ONE_THREAD, MORE_THREADS, JACOBI_SWEEPS, SAME_RESIDUAL, RUNS };

struct system_row {
    const char *kind;
    int n, threads;
    double seconds[RUNS];
    struct linear_report reports[RUNS];
    struct poisson_result hypre, fftw; // seconds 0: not measured
};

// Two solvers at a time, because the memory of one fills a large part of the last-level cache.
static int measure_pair(const struct bench_run *run, const struct poisson_problem *c, struct system_row *row,
                        int first)
{
    static const char *const names[RUNS] = {"one thread", "threads_speedup threads", "jacobi", "the default"};
    struct solver_run pair[2];
    struct candidate list[2];
    const bool sweeps = first == JACOBI_SWEEPS;
    int code = solver_run_create(&pair[0], c, sweeps ? "jacobi" : "multigrid", 1, sweeps ? 0.0 : TOLERANCE);

    // The default kind is stopped at the residual that jacobi reaches.
    if (code == 0 && sweeps) code = run_solver(&pair[0], 1) < 1;
    code |= solver_run_create(&pair[1], c, "multigrid", sweeps ? 1 : row->threads,
                              sweeps ? pair[0].report.residual : TOLERANCE);
    if (code != 0)
        code = print_error(TARN_NO_MEMORY, "bench linear: no memory for %d x %d cells", c->n, c->n);
    for (int i = 0; i < 2; ++i)
        list[i] = (struct candidate){.name = names[first + i], .run_steps = run_solver, .self = &pair[i]};
    if (code == 0) code = bench_measure(run, list, 2);
    for (int i = 0; i < 2; ++i) {
        row->seconds[first + i] = list[i].best;
        row->reports[first + i] = pair[i].report;
        solver_run_free(&pair[i]);
    }
    return code;
}

static int run_poisson_peer(const char *const *args, struct poisson_result *r)
{
    char text[256];
    const int code = run_peer(args, text, sizeof text);
    if (code != 0) return code;
    return poisson_read(text, r)
               ? print_error(TARN_FAILED, "bench linear: unexpected output of tarn-peers %s: %s", args[0],
                             text)
               : 0;
}

static int measure_peers(const struct bench_run *run, struct system_row *row)
{
    char n[16], tries[16];
    struct poisson_result two = {0};

    snprintf(n, sizeof n, "%d", row->n);
    snprintf(tries, sizeof tries, "%d", run->repeats);
    const char *const one_sweep[] = {"hypre", row->kind, n, "1e-6", tries, "1", NULL};
    const char *const two_sweeps[] = {"hypre", row->kind, n, "1e-6", tries, "2", NULL};
    const char *const fftw[] = {"fftw", n, tries, NULL};
    print_status("bench linear: hypre, %s", row->kind);
    int code = run_poisson_peer(one_sweep, &row->hypre);
    if (code == 0) code = run_poisson_peer(two_sweeps, &two);
    if (code == 0 && two.seconds < row->hypre.seconds) row->hypre = two;
    if (code == 0 && strcmp(row->kind, "empty") == 0) code = run_poisson_peer(fftw, &row->fftw);
    return code;
}

// ---- output ----------------------------------------------------------------------------------------

static void write_row_json(struct json_writer *json, const struct system_row *r)
{
    json_open(json, NULL, '{');
    json_text(json, "system", r->kind);
    json_integer(json, "cells", r->n);
    json_number(json, "tarn_ms", 1e3 * r->seconds[ONE_THREAD]);
    json_integer(json, "iterations", r->reports[ONE_THREAD].iterations);
    json_number(json, "residual", r->reports[ONE_THREAD].residual);
    json_integer(json, "threads", r->threads);
    json_number(json, "threads_ms", 1e3 * r->seconds[MORE_THREADS]);
    json_number(json, "jacobi_ms", 1e3 * r->seconds[JACOBI_SWEEPS]);
    json_number(json, "jacobi_residual", r->reports[JACOBI_SWEEPS].residual);
    json_number(json, "tarn_same_residual_ms", 1e3 * r->seconds[SAME_RESIDUAL]);
    json_number(json, "hypre_ms", r->hypre.seconds > 0.0 ? 1e3 * r->hypre.seconds : NAN);
    json_number(json, "hypre_iterations", r->hypre.seconds > 0.0 ? r->hypre.iterations : NAN);
    json_number(json, "hypre_residual", r->hypre.seconds > 0.0 ? r->hypre.residual : NAN);
    json_number(json, "fftw_ms", r->fftw.seconds > 0.0 ? 1e3 * r->fftw.seconds : NAN);
    json_close(json);
}

static void print_line(const char *name, double seconds, double iterations, double residual, double base)
{
    printf("    %-34s %9.2f %6.0f %10.2e %8.2f x\n", name, 1e3 * seconds, iterations, residual,
           seconds / base);
}

static void print_row(const struct system_row *r)
{
    const double base = r->seconds[ONE_THREAD];
    char threads_name[64];

    snprintf(threads_name, sizeof threads_name, "multigrid, %d %s", r->threads,
             r->threads == 1 ? "thread" : "threads");
    printf("  %s, %d^2 cells\n", r->kind, r->n);
    print_line("multigrid, 1 thread", base, r->reports[ONE_THREAD].iterations,
               r->reports[ONE_THREAD].residual, base);
    print_line(threads_name, r->seconds[MORE_THREADS], r->reports[MORE_THREADS].iterations,
               r->reports[MORE_THREADS].residual, base);
    print_line("jacobi, 1 thread", r->seconds[JACOBI_SWEEPS], r->reports[JACOBI_SWEEPS].iterations,
               r->reports[JACOBI_SWEEPS].residual, base);
    print_line("multigrid, same residual, 1 thread", r->seconds[SAME_RESIDUAL],
               r->reports[SAME_RESIDUAL].iterations, r->reports[SAME_RESIDUAL].residual, base);
    if (r->hypre.seconds > 0.0)
        print_line("hypre PCG + PFMG", r->hypre.seconds, r->hypre.iterations, r->hypre.residual, base);
    if (r->fftw.seconds > 0.0)
        print_line("FFTW cosine transforms", r->fftw.seconds, r->fftw.iterations, r->fftw.residual, base);
    fflush(stdout);
}

static void add_checks(struct bench_run *run, const struct system_row *r)
{
    const double base = r->seconds[ONE_THREAD],
                 bound = strcmp(r->kind, "disc") == 0 ? MIN_DISC_SPEEDUP : MIN_EMPTY_SPEEDUP;
    const double hypre_speedup = r->hypre.seconds / base, threads_speedup = base / r->seconds[MORE_THREADS];
    const double jacobi_speedup = r->seconds[JACOBI_SWEEPS] / r->seconds[SAME_RESIDUAL];

    if (r->hypre.seconds > 0.0)
        bench_add_check(run, hypre_speedup >= bound, hypre_speedup, bound,
                        "%s: %.1f times as fast as hypre (at least %.0f)", r->kind, hypre_speedup, bound);
    if (r->threads == 2)
        bench_add_check(run, threads_speedup >= MIN_THREADS_SPEEDUP, threads_speedup, MIN_THREADS_SPEEDUP,
                        "%s: two threads are %.2f times as fast as one (at least %.1f)", r->kind,
                        threads_speedup, MIN_THREADS_SPEEDUP);
    bench_add_check(run, jacobi_speedup >= MIN_JACOBI_SPEEDUP, jacobi_speedup, MIN_JACOBI_SPEEDUP,
                    "%s: %.1f times as fast as %d jacobi sweeps to the same residual (at least %.0f)",
                    r->kind, jacobi_speedup, SWEEPS, MIN_JACOBI_SPEEDUP);
}

static int run_linear(struct bench_run *run)
{
    static const char *const kinds[] = {"empty", "disc"};
    int code = 0;

    if (run->json)
        json_open(run->json, "systems", '[');
    else
        printf("Linear systems to a residual of %.0e, setup included, best of %d\n"
               "                                              ms  iter.   residual   / first\n",
               TOLERANCE, run->repeats);
    for (int i = 0; i < 2 && code == 0; ++i) {
        struct system_row row = {.kind = kinds[i], .n = run->quick ? 128 : 1024, .threads = run->threads};
        struct poisson_problem c = {0};
        print_status("bench linear: %s, %d^2 cells", row.kind, row.n);
        if (poisson_make(&c, row.kind, row.n)) code = print_error(TARN_NO_MEMORY, "bench linear: no memory");
        if (code == 0) code = measure_pair(run, &c, &row, ONE_THREAD);
        if (code == 0) code = measure_pair(run, &c, &row, JACOBI_SWEEPS);
        poisson_free(&c);
        if (code == 0 && run->compare) code = measure_peers(run, &row);
        if (code != 0) break;
        if (run->json)
            write_row_json(run->json, &row);
        else
            print_row(&row);
        add_checks(run, &row);
    }
    if (run->json) json_close(run->json);
    return code;
}

const struct bench bench_linear = {"linear", "solvers of linear systems; with --compare also hypre and FFTW",
                                   run_linear};
