#include "baseline_loops.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>

// A loop is written once as an inline body and compiled through two plain functions.
#define BODY static inline __attribute__((always_inline))
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE            __attribute__((target("avx2")))
#define HAS_WIDE        __builtin_cpu_supports("avx2")
#define CALL(name, ...) (HAS_WIDE ? name##_wide(__VA_ARGS__) : name##_base(__VA_ARGS__))
#else
#define WIDE
#define CALL(name, ...) name##_base(__VA_ARGS__)
#endif

// Waves everywhere from the start: numbers below the normal range would slow a loop down, and that is not
// what is measured.
static float start_height(int i, int j, int n)
{
    const double turn = 6.283185307179586 / n;
    return (float)(0.02 * cos(3.0 * turn * (i + 0.5)) * cos(5.0 * turn * (j + 0.5)));
}

// ---- the plain loop -------------------------------------------------------------------------------

void two_pass_free(struct two_pass_wave *p)
{
    free(p->h);
    free(p->v);
    *p = (struct two_pass_wave){0};
}

int two_pass_init(struct two_pass_wave *p, int n, float k, float dt)
{
    const size_t stride = (size_t)n + 2;

    *p = (struct two_pass_wave){.n = n, .stride = stride, .k = k, .dt = dt};
    p->h = bench_alloc(stride * stride, sizeof(float));
    p->v = bench_alloc(stride * stride, sizeof(float));
    if (!p->h || !p->v) {
        two_pass_free(p);
        return -1;
    }
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) p->h[((size_t)j + 1) * stride + (size_t)i + 1] = start_height(i, j, n);
    two_pass_update_height(p, 0, n); // v is zero: only the ghosts change
    return 0;
}

BODY void speed_body(const struct two_pass_wave *p, int j0, int j1)
{
    const float *restrict h = p->h;
    float *restrict v = p->v;
    const size_t n = p->stride;
    const float k = p->k;
    for (int j = j0; j < j1; ++j) {
        const size_t row = ((size_t)j + 1) * n + 1, end = row + (size_t)p->n;
        for (size_t c = row; c < end; ++c)
            v[c] += k * (h[c - 1] + h[c + 1] + h[c - n] + h[c + n] - 4.0f * h[c]);
    }
}

BODY void height_body(const struct two_pass_wave *p, int j0, int j1)
{
    float *restrict h = p->h;
    const float *restrict v = p->v;
    const size_t n = p->stride, nx = (size_t)p->n;
    const float dt = p->dt;
    for (int j = j0; j < j1; ++j) {
        const size_t row = ((size_t)j + 1) * n + 1, end = row + nx;
        for (size_t c = row; c < end; ++c) h[c] += dt * v[c];
        h[row - 1] = h[row];
        h[end] = h[end - 1];
    }
    if (j0 == 0)
        for (size_t c = 1; c <= nx; ++c) h[c] = h[c + n];
    if (j1 == p->n)
        for (size_t c = (nx + 1) * n + 1; c <= (nx + 1) * n + nx; ++c) h[c] = h[c - n];
}

static void speed_base(const struct two_pass_wave *p, int j0, int j1) { speed_body(p, j0, j1); }
static void height_base(const struct two_pass_wave *p, int j0, int j1) { height_body(p, j0, j1); }
#ifdef HAS_WIDE
WIDE static void speed_wide(const struct two_pass_wave *p, int j0, int j1) { speed_body(p, j0, j1); }
WIDE static void height_wide(const struct two_pass_wave *p, int j0, int j1) { height_body(p, j0, j1); }
#endif

void two_pass_update_velocity(const struct two_pass_wave *p, int j0, int j1) { CALL(speed, p, j0, j1); }
void two_pass_update_height(const struct two_pass_wave *p, int j0, int j1) { CALL(height, p, j0, j1); }

// ---- the literal loop -----------------------------------------------------------------------------

void per_column_free(struct per_column_wave *l)
{
    free(l->height);
    free(l->velocity);
    free(l->body);
    free(l->before);
    *l = (struct per_column_wave){0};
}

int per_column_init(struct per_column_wave *l, int n, float s, float dt)
{
    const size_t count = (size_t)n * (size_t)n;

    *l = (struct per_column_wave){.n = n, .s = s, .dt = dt, .c = 2.0f, .gravity = 10.0f};
    l->height = bench_alloc(count, sizeof(float));
    l->velocity = bench_alloc(count, sizeof(float));
    l->body = bench_alloc(count, sizeof(float));
    l->before = bench_alloc(count, sizeof(float));
    if (!l->height || !l->velocity || !l->body || !l->before) {
        per_column_free(l);
        return -1;
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) l->height[i * n + j] = 0.8f + start_height(i, j, n);
    return 0;
}

static int clamp(float x, int n) { return x < 0.0f ? 0 : x >= (float)n ? n - 1 : (int)x; }

// What a ball fills of every column under it; each wet column pushes it up.
BODY void feel_ball(struct per_column_wave *l, struct per_column_ball *b)
{
    const int n = l->n;
    const float s = l->s, half_tank = 0.5f * (float)n * s, lift = 1000.0f * s * s * l->gravity / b->mass;
    const int i0 = clamp((b->x - b->radius + half_tank) / s, n),
              i1 = clamp((b->x + b->radius + half_tank) / s, n);
    const int j0 = clamp((b->z - b->radius + half_tank) / s, n),
              j1 = clamp((b->z + b->radius + half_tank) / s, n);
    for (int i = i0; i <= i1; ++i)
        for (int j = j0; j <= j1; ++j) {
            const float x = ((float)i + 0.5f) * s - half_tank - b->x,
                        z = ((float)j + 0.5f) * s - half_tank - b->z;
            const float off = x * x + z * z;
            if (off >= b->radius * b->radius) continue;
            const float half = sqrtf(b->radius * b->radius - off);
            const float low = fmaxf(b->y - half, 0.0f), high = fminf(b->y + half, l->height[i * n + j]);
            if (high <= low) continue;
            l->body[i * n + j] += high - low;
            b->rise = (b->rise + l->dt * lift * (high - low)) * 0.999f;
        }
    b->rise -= l->dt * l->gravity;
    b->y += l->dt * b->rise;
    if (b->y < b->radius) {
        b->y = b->radius;
        b->rise = 0.1f * fabsf(b->rise);
    }
}

// Every column becomes the mean of the neighbours that exist, in place.
BODY void smooth(float *x, int n)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const int c = i * n + j;
            float sum = 0.0f;
            int count = 0;
            if (i > 0) sum += x[c - n], ++count;
            if (i < n - 1) sum += x[c + n], ++count;
            if (j > 0) sum += x[c - 1], ++count;
            if (j < n - 1) sum += x[c + 1], ++count;
            x[c] = sum / (float)count;
        }
}

// Bodies that enter a column raise its water by half of what they fill anew.
BODY void couple(struct per_column_wave *l)
{
    const int count = l->n * l->n;
    float *old = l->before;

    l->before = l->body;
    l->body = old;
    for (int c = 0; c < count; ++c) l->body[c] = 0.0f;
    for (int i = 0; i < l->balls; ++i) feel_ball(l, &l->ball[i]);
    smooth(l->body, l->n);
    smooth(l->body, l->n);
    for (int c = 0; c < count; ++c) l->height[c] += 0.5f * (l->body[c] - l->before[c]);
}

BODY void move_surface(struct per_column_wave *l)
{
    const int n = l->n;
    float *height = l->height, *velocity = l->velocity;
    const float dt = l->dt, k = l->c * l->c / (l->s * l->s);
    const float pull = fminf(1.0f * dt, 1.0f), keep = fmaxf(0.0f, 1.0f - 0.3f * dt);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const int c = i * n + j;
            const float h = height[c];
            float sum = 0.0f;
            sum += i > 0 ? height[c - n] : h;
            sum += i < n - 1 ? height[c + n] : h;
            sum += j > 0 ? height[c - 1] : h;
            sum += j < n - 1 ? height[c + 1] : h;
            velocity[c] += dt * k * (sum - 4.0f * h);
            height[c] += (0.25f * sum - h) * pull;
        }
    for (int c = 0; c < n * n; ++c) {
        velocity[c] *= keep;
        height[c] += dt * velocity[c];
    }
}

BODY void step_body(struct per_column_wave *l)
{
    couple(l);
    move_surface(l);
}

static void step_base(struct per_column_wave *l) { step_body(l); }
#ifdef HAS_WIDE
WIDE static void step_wide(struct per_column_wave *l) { step_body(l); }
#endif

void per_column_step(struct per_column_wave *l) { CALL(step, l); }

// ---- the textbook's loop --------------------------------------------------------------------------

#define WATERLINE 0.5f  // [m] above the ground around the island, which is 1 m high
#define DRY       1e-4f // [m] what is shallower gives no water

void upwind_free(struct upwind_shallow *t)
{
    free(t->bed);
    free(t->depth);
    free(t->next);
    free(t->east);
    free(t->north);
    *t = (struct upwind_shallow){0};
}

int upwind_init(struct upwind_shallow *t, int n, float s, float dt)
{
    const size_t stride = (size_t)n + 2;
    float **const fields[] = {&t->bed, &t->depth, &t->next, &t->east, &t->north};
    int missing = 0;

    *t = (struct upwind_shallow){.n = n, .stride = stride, .k = dt / s, .gk = 9.81f * dt / s};
    for (int i = 0; i < 5; ++i) missing += !(*fields[i] = bench_alloc(stride * stride, sizeof(float)));
    if (missing) {
        upwind_free(t);
        return -1;
    }
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const size_t c = ((size_t)j + 1) * stride + (size_t)i + 1;
            const float x = ((float)i + 0.5f) / (float)n - 0.5f, z = ((float)j + 0.5f) / (float)n - 0.5f;
            t->bed[c] = 1.0f / (1.0f + 150.0f * (x * x + z * z));
            t->depth[c] = fmaxf(0.0f, WATERLINE + start_height(i, j, n) - t->bed[c]);
        }
    return 0;
}

// u -= g dt/s (difference of the surface), 0 where it would drain a dry column. `a`: one column back.
BODY void fall_row(const struct upwind_shallow *t, float *restrict u, size_t row, size_t end, size_t a)
{
    const float *restrict bed = t->bed, *restrict h = t->depth;
    const float gk = t->gk;
    for (size_t c = row; c < end; ++c) {
        const float behind = h[c - a], here = h[c];
        const float next = u[c] - gk * ((bed[c] + here) - (bed[c - a] + behind));
        const float source = next > 0.0f ? behind : here;
        u[c] = source > DRY ? next : 0.0f;
    }
}

BODY float passing(float u, float behind, float here) { return u * (u > 0.0f ? behind : here); }

// h -= dt/s div(h u) with the depth upwind; what falls below 0 is forgotten.
BODY void spread_row(const struct upwind_shallow *t, size_t row, size_t end)
{
    const float *restrict h = t->depth, *restrict u = t->east, *restrict v = t->north;
    float *restrict next = t->next;
    const size_t n = t->stride;
    const float k = t->k;
    for (size_t c = row; c < end; ++c) {
        const float west = h[c - 1], here = h[c], east = h[c + 1], south = h[c - n], north = h[c + n];
        const float along = passing(u[c + 1], here, east) - passing(u[c], west, here);
        const float across = passing(v[c + n], here, north) - passing(v[c], south, here);
        const float depth = here - k * (along + across);
        next[c] = depth > 0.0f ? depth : 0.0f;
    }
}

BODY void waters_body(struct upwind_shallow *t)
{
    const size_t n = t->stride, count = (size_t)t->n;
    float *old = t->depth;

    for (size_t j = 1; j <= count; ++j) {
        fall_row(t, t->east, j * n + 2, j * n + 1 + count, 1);
        if (j > 1) fall_row(t, t->north, j * n + 1, j * n + 1 + count, n);
    }
    for (size_t j = 1; j <= count; ++j) spread_row(t, j * n + 1, j * n + 1 + count);
    t->depth = t->next;
    t->next = old;
}

static void waters_base(struct upwind_shallow *t) { waters_body(t); }
#ifdef HAS_WIDE
WIDE static void waters_wide(struct upwind_shallow *t) { waters_body(t); }
#endif

void upwind_step(struct upwind_shallow *t) { CALL(waters, t); }

// ---- the bare loop --------------------------------------------------------------------------------

void triangle_loop_free(struct triangle_loop *b)
{
    free(b->vertices);
    free(b->turned);
    free(b->triangles);
    free(b->facets);
    *b = (struct triangle_loop){0};
}

int triangle_loop_init(struct triangle_loop *b, int vertex_count, int triangle_count)
{
    const size_t v = (size_t)vertex_count, t = (size_t)triangle_count;

    *b = (struct triangle_loop){.vertex_count = vertex_count,
                                .triangle_count = triangle_count,
                                .turn = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6},
                                .shift = {0.1, 0.2, 0.3}};
    b->vertices = bench_alloc(3 * v, sizeof(double));
    b->turned = bench_alloc(3 * v, sizeof(double));
    b->triangles = bench_alloc(3 * t, sizeof(int));
    b->facets = bench_alloc(7 * t, sizeof(double));
    if (b->vertices && b->turned && b->triangles && b->facets) return 0;
    triangle_loop_free(b);
    return -1;
}

BODY void facet(const double *a, const double *b, const double *c, double *out)
{
    const double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
    const double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
    const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const double twice = sqrt(x * x + y * y + z * z), per = 1.0 / twice;
    out[0] = 0.5 * twice;
    out[1] = x * per, out[2] = y * per, out[3] = z * per;
    for (int k = 0; k < 3; ++k) out[4 + k] = (a[k] + b[k] + c[k]) * (1.0 / 3.0);
}

BODY void survey_body(struct triangle_loop *b)
{
    const double *m = b->turn;
    for (int i = 0; i < b->vertex_count; ++i) {
        const double *v = b->vertices + 3 * i;
        double *to = b->turned + 3 * i;
        for (int k = 0; k < 3; ++k)
            to[k] = b->shift[k] + m[3 * k] * v[0] + m[3 * k + 1] * v[1] + m[3 * k + 2] * v[2];
    }
    for (int i = 0; i < b->triangle_count; ++i) {
        const int *t = b->triangles + 3 * i;
        facet(b->turned + 3 * t[0], b->turned + 3 * t[1], b->turned + 3 * t[2], b->facets + 7 * i);
    }
}

static void survey_base(struct triangle_loop *b) { survey_body(b); }
#ifdef HAS_WIDE
WIDE static void survey_wide(struct triangle_loop *b) { survey_body(b); }
#endif

void triangle_loop_step(struct triangle_loop *b) { CALL(survey, b); }
