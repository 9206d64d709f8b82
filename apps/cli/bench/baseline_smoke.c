#include "baseline_smoke.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 20 };

int smoke_init(struct smoke_baseline *c, int n, float h, float dt)
{
    float **const fields[] = {&c->u, &c->v, &c->dye, &c->heat, &c->p, &c->div, &c->previous};
    int good = 1;

    *c = (struct smoke_baseline){.n = n, .stride = (size_t)n + 2, .dt = dt, .h = h};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
        good &= (*fields[i] = bench_alloc(c->stride * c->stride, sizeof(float))) != NULL;
    c->solid = bench_alloc(c->stride * c->stride, 1);
    if (!good || !c->solid) return -1;
    for (size_t j = 0; j < c->stride; ++j)
        for (size_t i = 0; i < c->stride; ++i) {
            const double x = ((double)i - 0.5) / n - 0.5, y = ((double)j - 0.5) / n - 0.5;
            c->solid[j * c->stride + i] = x * x + y * y < 0.01;
        }
    return 0;
}

void smoke_free(struct smoke_baseline *c)
{
    float *const fields[] = {c->u, c->v, c->dye, c->heat, c->p, c->div, c->previous};

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) free(fields[i]);
    free(c->solid);
}

void smoke_add_source(struct smoke_baseline *c)
{
    const int n = c->n;

    for (int j = n / 16; j < n / 8; ++j)
        for (int i = 7 * n / 16; i < 9 * n / 16; ++i) {
            const size_t at = (size_t)(j + 1) * c->stride + (size_t)(i + 1);
            c->dye[at] += 2.0f * c->dt;
            c->heat[at] += 200.0f * c->dt;
        }
}

// ---- sides and solid cells --------------------------------------------------------------------------------

// kind 0: what is inside goes on outside; 1, 2: speeds along x, y are turned round at walls across.
static void bound(const struct smoke_baseline *c, float *q, int kind)
{
    const size_t n = (size_t)c->n, s = c->stride;
    const float x = kind == 1 ? -1.0f : 1.0f, y = kind == 2 ? -1.0f : 1.0f;

    for (size_t k = 1; k <= n; ++k) {
        q[k * s] = x * q[k * s + 1], q[k * s + n + 1] = x * q[k * s + n];
        q[k] = y * q[s + k], q[(n + 1) * s + k] = y * q[n * s + k];
    }
}

static void stop_solids(const struct smoke_baseline *c, float *q)
{
    for (size_t k = 0; k < c->stride * c->stride; ++k)
        if (c->solid[k]) q[k] = 0.0f;
}

// ---- systems ----------------------------------------------------------------------------------------------

// (diagonal) x = b + a (neighbours), in the order of memory.
static void sweep(const struct smoke_baseline *c, float *x, const float *b, float a, float diagonal, int kind)
{
    const size_t n = (size_t)c->n, s = c->stride;
    const float inverse = 1.0f / diagonal;

    for (int k = 0; k < SWEEPS; ++k) {
        for (size_t j = 1; j <= n; ++j)
            for (size_t i = j * s + 1; i <= j * s + n; ++i)
                x[i] = (b[i] + a * ((x[i - 1] + x[i + 1]) + (x[i - s] + x[i + s]))) * inverse;
        bound(c, x, kind);
    }
}

static void diffuse(struct smoke_baseline *c, float *q, float nu, int kind)
{
    const float a = nu * c->dt / (c->h * c->h);

    memcpy(c->previous, q, c->stride * c->stride * sizeof *q);
    sweep(c, q, c->previous, a, 1.0f + 4.0f * a, kind);
    if (kind) stop_solids(c, q);
}

static void project(struct smoke_baseline *c)
{
    const size_t n = (size_t)c->n, s = c->stride;
    float *u = c->u, *v = c->v, *p = c->p, *div = c->div;

    for (size_t j = 1; j <= n; ++j)
        for (size_t i = j * s + 1; i <= j * s + n; ++i) {
            div[i] = -0.5f * ((u[i + 1] - u[i - 1]) + (v[i + s] - v[i - s]));
            p[i] = 0.0f;
        }
    sweep(c, p, div, 1.0f, 4.0f, 0);
    for (size_t j = 1; j <= n; ++j)
        for (size_t i = j * s + 1; i <= j * s + n; ++i) {
            u[i] -= 0.5f * (p[i + 1] - p[i - 1]);
            v[i] -= 0.5f * (p[i + s] - p[i - s]);
        }
    stop_solids(c, u);
    stop_solids(c, v);
    bound(c, u, 1);
    bound(c, v, 2);
}

// ---- advection ----------------------------------------------------------------------------------

static void advect(const struct smoke_baseline *c, const float *from, float *to, const float *u,
                   const float *v, int kind)
{
    const size_t n = (size_t)c->n, s = c->stride;
    const float k = c->dt / c->h, high = (float)n + 0.5f;

    for (size_t j = 1; j <= n; ++j)
        for (size_t i = 1; i <= n; ++i) {
            const size_t at = j * s + i;
            float x = (float)i - k * u[at], y = (float)j - k * v[at];
            x = x < 0.5f ? 0.5f : x > high ? high : x;
            y = y < 0.5f ? 0.5f : y > high ? high : y;
            const int ix = (int)x, iy = (int)y;
            const float a = x - (float)ix, b = y - (float)iy;
            const float *q = from + (size_t)iy * s + (size_t)ix;
            to[at] = (1.0f - b) * ((1.0f - a) * q[0] + a * q[1]) + b * ((1.0f - a) * q[s] + a * q[s + 1]);
        }
    bound(c, to, kind);
}

static void swap(float **a, float **b)
{
    float *const kept = *a;
    *a = *b;
    *b = kept;
}

void smoke_step(struct smoke_baseline *c)
{
    const size_t n = (size_t)c->n, s = c->stride;

    smoke_add_source(c);
    for (size_t j = 1; j <= n; ++j)
        for (size_t i = j * s + 1; i <= j * s + n; ++i) c->v[i] += c->dt * c->buoyancy * c->heat[i];
    diffuse(c, c->u, c->nu, 1);
    diffuse(c, c->v, c->nu, 2);
    project(c);
    advect(c, c->u, c->div, c->u, c->v, 1);
    advect(c, c->v, c->previous, c->u, c->v, 2);
    swap(&c->u, &c->div);
    swap(&c->v, &c->previous);
    project(c);
    float **const carried[] = {&c->dye, &c->heat};
    for (int k = 0; k < 2; ++k) {
        diffuse(c, *carried[k], c->diffusivity, 0);
        advect(c, *carried[k], c->div, c->u, c->v, 0);
        swap(carried[k], &c->div);
    }
}

double smoke_max_divergence(const struct smoke_baseline *c)
{
    const size_t n = (size_t)c->n, s = c->stride;
    double worst = 0.0, fastest = 1e-30;

    for (size_t j = 2; j < n; ++j)
        for (size_t i = j * s + 2; i < j * s + n; ++i) {
            if (c->solid[i] || c->solid[i - 1] || c->solid[i + 1] || c->solid[i - s] || c->solid[i + s])
                continue;
            const double d = 0.5 * (double)((c->u[i + 1] - c->u[i - 1]) + (c->v[i + s] - c->v[i - s]));
            worst = fmax(worst, fabs(d));
            fastest = fmax(fastest, hypot((double)c->u[i], (double)c->v[i]));
        }
    return worst / fastest;
}
