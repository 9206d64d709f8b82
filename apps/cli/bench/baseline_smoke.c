#include "baseline_smoke.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 20 };

int smoke_init(struct smoke_baseline *c, int n, float h, float dt)
{
    float **const fields[] = {&c->u, &c->v, &c->dye, &c->heat, &c->p, &c->div, &c->previous};
    int ok = 1;

    *c = (struct smoke_baseline){.n = n, .stride = (size_t)n + 2, .dt = dt, .h = h};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
        ok &= (*fields[i] = bench_alloc(c->stride * c->stride, sizeof(float))) != NULL;
    c->solid = bench_alloc(c->stride * c->stride, 1);
    if (!ok || !c->solid) return -1;
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

// ---- ghost cells and solid cells -------------------------------------------------------------------

// kind 0: zero gradient; 1, 2: velocity along x, y, whose sign is reversed at the walls normal to it.
static void fill_ghosts(const struct smoke_baseline *c, float *q, int kind)
{
    const size_t n = (size_t)c->n, s = c->stride;
    const float x = kind == 1 ? -1.0f : 1.0f, y = kind == 2 ? -1.0f : 1.0f;

    for (size_t k = 1; k <= n; ++k) {
        q[k * s] = x * q[k * s + 1], q[k * s + n + 1] = x * q[k * s + n];
        q[k] = y * q[s + k], q[(n + 1) * s + k] = y * q[n * s + k];
    }
}

static void zero_in_solids(const struct smoke_baseline *c, float *q)
{
    for (size_t k = 0; k < c->stride * c->stride; ++k)
        if (c->solid[k]) q[k] = 0.0f;
}

// ---- linear systems --------------------------------------------------------------------------------

// Gauss-Seidel sweeps on  diagonal x - a (sum of neighbours) = b  in the order of memory.
static void gauss_seidel(const struct smoke_baseline *c, float *x, const float *b, float a, float diagonal,
                         int kind)
{
    const size_t n = (size_t)c->n, s = c->stride;
    const float inverse = 1.0f / diagonal;

    for (int k = 0; k < SWEEPS; ++k) {
        for (size_t j = 1; j <= n; ++j)
            for (size_t i = j * s + 1; i <= j * s + n; ++i)
                x[i] = (b[i] + a * ((x[i - 1] + x[i + 1]) + (x[i - s] + x[i + s]))) * inverse;
        fill_ghosts(c, x, kind);
    }
}

static void diffuse(struct smoke_baseline *c, float *q, float nu, int kind)
{
    const float a = nu * c->dt / (c->h * c->h);

    memcpy(c->previous, q, c->stride * c->stride * sizeof *q);
    gauss_seidel(c, q, c->previous, a, 1.0f + 4.0f * a, kind);
    if (kind) zero_in_solids(c, q);
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
    gauss_seidel(c, p, div, 1.0f, 4.0f, 0);
    for (size_t j = 1; j <= n; ++j)
        for (size_t i = j * s + 1; i <= j * s + n; ++i) {
            u[i] -= 0.5f * (p[i + 1] - p[i - 1]);
            v[i] -= 0.5f * (p[i + s] - p[i - s]);
        }
    zero_in_solids(c, u);
    zero_in_solids(c, v);
    fill_ghosts(c, u, 1);
    fill_ghosts(c, v, 2);
}

// ---- advection -------------------------------------------------------------------------------------

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
    fill_ghosts(c, to, kind);
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
    float **const scalars[] = {&c->dye, &c->heat};
    for (int k = 0; k < 2; ++k) {
        diffuse(c, *scalars[k], c->diffusivity, 0);
        advect(c, *scalars[k], c->div, c->u, c->v, 0);
        swap(scalars[k], &c->div);
    }
}

double smoke_max_divergence(const struct smoke_baseline *c)
{
    const size_t n = (size_t)c->n, s = c->stride;
    double max_divergence = 0.0, max_speed = 1e-30;

    for (size_t j = 2; j < n; ++j)
        for (size_t i = j * s + 2; i < j * s + n; ++i) {
            if (c->solid[i] || c->solid[i - 1] || c->solid[i + 1] || c->solid[i - s] || c->solid[i + s])
                continue;
            const double d = 0.5 * (double)((c->u[i + 1] - c->u[i - 1]) + (c->v[i + s] - c->v[i - s]));
            max_divergence = fmax(max_divergence, fabs(d));
            max_speed = fmax(max_speed, hypot((double)c->u[i], (double)c->v[i]));
        }
    return max_divergence / max_speed;
}
