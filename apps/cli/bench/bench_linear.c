// tarn bench linear: -div grad x = b in a box of closed walls, empty or with a disc, white noise as
// right-hand side, to a true residual of 1e-6. Set-up is part of every time: masks may change from step to
// step.
//
// Beside it: `jacobi` with 48 sweeps and the default stopped at the residual that those reach; with --compare
// hypre, the better of one and two sweeps a cycle, and for the empty box FFTW's cosine transforms, which know
// no obstacle.
#include "apps/peers/poisson_problem.h"
#include "bench.h"

#include "solver/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-6
#define SWEEPS    48
#define DISC      7.0 // times hypre's speed around the disc, at least
#define EMPTY     3.0 // and in the empty box
#define THREADS   1.6 // times the speed of one thread on two
#define JACOBI    3.0 // times the speed of jacobi to what it reaches

// One solver and its system; every go prepares and solves.
struct ours {
    struct memory memory;
    struct parallel *pool;
    struct grid g;
    struct linear_solver *solver;
    unsigned char *open;
    double *b, *x;
    double tolerance;
    struct linear_report report;
};

static void ours_free(struct ours *o)
{
    linear_destroy(o->solver);
    linear_free_vector(&o->g, &o->memory, o->b);
    linear_free_vector(&o->g, &o->memory, o->x);
    parallel_destroy(o->pool);
    free(o->open);
}

static int ours_make(struct ours *o, const struct poisson_problem *c, const char *kind, int threads,
                     double tolerance)
{
    *o = (struct ours){.tolerance = tolerance};
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

static long long ours_go(void *self, long long count)
{
    struct ours *o = self;
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

// ---- one system -----------------------------------------------------------------------------------

enum { ONE, MORE, SWEPT, SAME, OURS };

struct constraint_row {
    const char *kind;
    int n, threads;
    double seconds[OURS];
    struct linear_report reports[OURS];
    struct poisson_result hypre, fftw; // seconds 0: did not take part
};

// Two at a time: a solver's memory fills a good part of the last cache.
static int measure_pair(const struct bench_run *run, const struct poisson_problem *c,
                        struct constraint_row *row, int first)
{
    static const char *const names[OURS] = {"one thread", "more threads", "jacobi", "the default"};
    struct ours pair[2];
    struct candidate list[2];
    const bool sweeps = first == SWEPT;
    int code = ours_make(&pair[0], c, sweeps ? "jacobi" : "multigrid", 1, sweeps ? 0.0 : TOLERANCE);

    // What jacobi reaches is asked of the default as well.
    if (code == 0 && sweeps) code = ours_go(&pair[0], 1) < 1;
    code |= ours_make(&pair[1], c, "multigrid", sweeps ? 1 : row->threads,
                      sweeps ? pair[0].report.residual : TOLERANCE);
    if (code != 0)
        code = print_error(TARN_NO_MEMORY, "bench linear: no memory for %d x %d cells", c->n, c->n);
    for (int i = 0; i < 2; ++i)
        list[i] = (struct candidate){.name = names[first + i], .run_steps = ours_go, .self = &pair[i]};
    if (code == 0) code = bench_measure(run, list, 2);
    for (int i = 0; i < 2; ++i) {
        row->seconds[first + i] = list[i].best;
        row->reports[first + i] = pair[i].report;
        ours_free(&pair[i]);
    }
    return code;
}

static int ask(const char *const *args, struct poisson_result *r)
{
    char text[256];
    const int code = run_peer(args, text, sizeof text);
    if (code != 0) return code;
    return poisson_read(text, r)
               ? print_error(TARN_FAILED, "bench linear: tarn-peers %s said: %s", args[0], text)
               : 0;
}

static int measure_peers(const struct bench_run *run, struct constraint_row *row)
{
    char n[16], tries[16];
    struct poisson_result two = {0};

    snprintf(n, sizeof n, "%d", row->n);
    snprintf(tries, sizeof tries, "%d", run->repeats);
    const char *const one_sweep[] = {"hypre", row->kind, n, "1e-6", tries, "1", NULL};
    const char *const two_sweeps[] = {"hypre", row->kind, n, "1e-6", tries, "2", NULL};
    const char *const fftw[] = {"fftw", n, tries, NULL};
    print_status("bench linear: hypre, %s", row->kind);
    int code = ask(one_sweep, &row->hypre);
    if (code == 0) code = ask(two_sweeps, &two);
    if (code == 0 && two.seconds < row->hypre.seconds) row->hypre = two;
    if (code == 0 && strcmp(row->kind, "empty") == 0) code = ask(fftw, &row->fftw);
    return code;
}

// ---- output --------------------------------------------------------------------------------------

static void put_row(struct json_writer *json, const struct constraint_row *r)
{
    json_open(json, NULL, '{');
    json_text(json, "system", r->kind);
    json_integer(json, "cells", r->n);
    json_number(json, "tarn_ms", 1e3 * r->seconds[ONE]);
    json_integer(json, "iterations", r->reports[ONE].iterations);
    json_number(json, "residual", r->reports[ONE].residual);
    json_integer(json, "threads", r->threads);
    json_number(json, "threads_ms", 1e3 * r->seconds[MORE]);
    json_number(json, "jacobi_ms", 1e3 * r->seconds[SWEPT]);
    json_number(json, "jacobi_residual", r->reports[SWEPT].residual);
    json_number(json, "tarn_same_ms", 1e3 * r->seconds[SAME]);
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

static void print_row(const struct constraint_row *r)
{
    const double base = r->seconds[ONE];
    char more[64];

    snprintf(more, sizeof more, "multigrid, %d %s", r->threads, r->threads == 1 ? "thread" : "threads");
    printf("  %s, %d^2 cells\n", r->kind, r->n);
    print_line("multigrid, 1 thread", base, r->reports[ONE].iterations, r->reports[ONE].residual, base);
    print_line(more, r->seconds[MORE], r->reports[MORE].iterations, r->reports[MORE].residual, base);
    print_line("jacobi, 1 thread", r->seconds[SWEPT], r->reports[SWEPT].iterations,
               r->reports[SWEPT].residual, base);
    print_line("multigrid to that, 1 thread", r->seconds[SAME], r->reports[SAME].iterations,
               r->reports[SAME].residual, base);
    if (r->hypre.seconds > 0.0)
        print_line("hypre PCG + PFMG", r->hypre.seconds, r->hypre.iterations, r->hypre.residual, base);
    if (r->fftw.seconds > 0.0)
        print_line("FFTW cosine transforms", r->fftw.seconds, r->fftw.iterations, r->fftw.residual, base);
    fflush(stdout);
}

static void judge(struct bench_run *run, const struct constraint_row *r)
{
    const double base = r->seconds[ONE], bound = strcmp(r->kind, "disc") == 0 ? DISC : EMPTY;
    const double peer = r->hypre.seconds / base, more = base / r->seconds[MORE];
    const double swept = r->seconds[SWEPT] / r->seconds[SAME];

    if (r->hypre.seconds > 0.0)
        bench_add_check(run, peer >= bound, peer, bound, "%s: %.1f times as fast as hypre (at least %.0f)",
                        r->kind, peer, bound);
    if (r->threads == 2)
        bench_add_check(run, more >= THREADS, more, THREADS,
                        "%s: two threads are %.2f times as fast as one (at least %.1f)", r->kind, more,
                        THREADS);
    bench_add_check(run, swept >= JACOBI, swept, JACOBI,
                    "%s: %.1f times as fast as %d jacobi sweeps to the same residual (at least %.0f)",
                    r->kind, swept, SWEEPS, JACOBI);
}

static int run_linear(struct bench_run *run)
{
    static const char *const kinds[] = {"empty", "disc"};
    int code = 0;

    if (run->json)
        json_open(run->json, "systems", '[');
    else
        printf("Linear systems to %.0e, set-up included, best of %d\n"
               "                                              ms  iter.   residual   / first\n",
               TOLERANCE, run->repeats);
    for (int i = 0; i < 2 && code == 0; ++i) {
        struct constraint_row row = {.kind = kinds[i], .n = run->quick ? 128 : 1024, .threads = run->threads};
        struct poisson_problem c = {0};
        print_status("bench linear: %s, %d^2 cells", row.kind, row.n);
        if (poisson_make(&c, row.kind, row.n)) code = print_error(TARN_NO_MEMORY, "bench linear: no memory");
        if (code == 0) code = measure_pair(run, &c, &row, ONE);
        if (code == 0) code = measure_pair(run, &c, &row, SWEPT);
        poisson_free(&c);
        if (code == 0 && run->compare) code = measure_peers(run, &row);
        if (code != 0) break;
        if (run->json)
            put_row(run->json, &row);
        else
            print_row(&row);
        judge(run, &row);
    }
    if (run->json) json_close(run->json);
    return code;
}

const struct bench bench_linear = {
    "linear", "solvers of linear systems, beside hypre and FFTW with --compare", run_linear};
