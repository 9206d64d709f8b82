#include "baseline_loops.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>

// A loop is written once as an inline function and compiled in two functions, for two instruction sets.
#define BODY static inline __attribute__((always_inline))
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE            __attribute__((target("avx2")))
#define HAS_WIDE        __builtin_cpu_supports("avx2")
#define CALL(name, ...) (HAS_WIDE ? name##_wide(__VA_ARGS__) : name##_base(__VA_ARGS__))
#else
#define WIDE
#define CALL(name, ...) name##_base(__VA_ARGS__)
#endif

// Waves everywhere from the start, so that no denormal numbers slow a loop down.
static float start_height(int i, int j, int n)
{
    const double wavenumber = 6.283185307179586 / n;
    return (float)(0.02 * cos(3.0 * wavenumber * (i + 0.5)) * cos(5.0 * wavenumber * (j + 0.5)));
}

// ---- wave equation in two passes -------------------------------------------------------------------

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
    two_pass_update_height(p, 0, n); // v is zero: only the ghost cells change
    return 0;
}

BODY void velocity_body(const struct two_pass_wave *p, int j0, int j1)
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

static void velocity_base(const struct two_pass_wave *p, int j0, int j1) { velocity_body(p, j0, j1); }
static void height_base(const struct two_pass_wave *p, int j0, int j1) { height_body(p, j0, j1); }
#ifdef HAS_WIDE
WIDE static void velocity_wide(const struct two_pass_wave *p, int j0, int j1) { velocity_body(p, j0, j1); }
WIDE static void height_wide(const struct two_pass_wave *p, int j0, int j1) { height_body(p, j0, j1); }
#endif

void two_pass_update_velocity(const struct two_pass_wave *p, int j0, int j1) { CALL(velocity, p, j0, j1); }
void two_pass_update_height(const struct two_pass_wave *p, int j0, int j1) { CALL(height, p, j0, j1); }

// ---- wave equation, column by column ---------------------------------------------------------------

void per_column_free(struct per_column_wave *l)
{
    free(l->height);
    free(l->velocity);
    free(l->displaced);
    free(l->displaced_previous);
    *l = (struct per_column_wave){0};
}

int per_column_init(struct per_column_wave *l, int n, float s, float dt)
{
    const size_t count = (size_t)n * (size_t)n;

    *l = (struct per_column_wave){.n = n, .s = s, .dt = dt, .c = 2.0f, .gravity = 10.0f};
    l->height = bench_alloc(count, sizeof(float));
    l->velocity = bench_alloc(count, sizeof(float));
    l->displaced = bench_alloc(count, sizeof(float));
    l->displaced_previous = bench_alloc(count, sizeof(float));
    if (!l->height || !l->velocity || !l->displaced || !l->displaced_previous) {
        per_column_free(l);
        return -1;
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) l->height[i * n + j] = 0.8f + start_height(i, j, n);
    return 0;
}

static int clamp(float x, int n) { return x < 0.0f ? 0 : x >= (float)n ? n - 1 : (int)x; }

// Adds the height of every column that a ball fills; each wet column gives it buoyancy.
BODY void add_ball(struct per_column_wave *l, struct per_column_ball *b)
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
            l->displaced[i * n + j] += high - low;
            b->vertical_velocity = (b->vertical_velocity + l->dt * lift * (high - low)) * 0.999f;
        }
    b->vertical_velocity -= l->dt * l->gravity;
    b->y += l->dt * b->vertical_velocity;
    if (b->y < b->radius) {
        b->y = b->radius;
        b->vertical_velocity = 0.1f * fabsf(b->vertical_velocity);
    }
}

// Replaces every column by the mean of its neighbours inside the tank, in place.
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

// The water of a column rises by half of the change of its displaced height.
BODY void apply_displacement(struct per_column_wave *l)
{
    const int count = l->n * l->n;
    float *old = l->displaced_previous;

    l->displaced_previous = l->displaced;
    l->displaced = old;
    for (int c = 0; c < count; ++c) l->displaced[c] = 0.0f;
    for (int i = 0; i < l->balls; ++i) add_ball(l, &l->ball[i]);
    smooth(l->displaced, l->n);
    smooth(l->displaced, l->n);
    for (int c = 0; c < count; ++c) l->height[c] += 0.5f * (l->displaced[c] - l->displaced_previous[c]);
}

BODY void move_surface(struct per_column_wave *l)
{
    const int n = l->n;
    float *height = l->height, *velocity = l->velocity;
    const float dt = l->dt, k = l->c * l->c / (l->s * l->s);
    const float smoothing = fminf(1.0f * dt, 1.0f), damping_factor = fmaxf(0.0f, 1.0f - 0.3f * dt);
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
            height[c] += (0.25f * sum - h) * smoothing;
        }
    for (int c = 0; c < n * n; ++c) {
        velocity[c] *= damping_factor;
        height[c] += dt * velocity[c];
    }
}

BODY void step_body(struct per_column_wave *l)
{
    apply_displacement(l);
    move_surface(l);
}

static void step_base(struct per_column_wave *l) { step_body(l); }
#ifdef HAS_WIDE
WIDE static void step_wide(struct per_column_wave *l) { step_body(l); }
#endif

void per_column_step(struct per_column_wave *l) { CALL(step, l); }

// ---- shallow water ---------------------------------------------------------------------------------

#define REST_DEPTH 0.5f  // [m] of the water around the island, which is 1 m high
#define DRY_DEPTH  1e-4f // [m] no water flows out of shallower columns

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
    int failures = 0;

    *t = (struct upwind_shallow){.n = n, .stride = stride, .k = dt / s, .gk = 9.81f * dt / s};
    for (int i = 0; i < 5; ++i) failures += !(*fields[i] = bench_alloc(stride * stride, sizeof(float)));
    if (failures) {
        upwind_free(t);
        return -1;
    }
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const size_t c = ((size_t)j + 1) * stride + (size_t)i + 1;
            const float x = ((float)i + 0.5f) / (float)n - 0.5f, z = ((float)j + 0.5f) / (float)n - 0.5f;
            t->bed[c] = 1.0f / (1.0f + 150.0f * (x * x + z * z));
            t->depth[c] = fmaxf(0.0f, REST_DEPTH + start_height(i, j, n) - t->bed[c]);
        }
    return 0;
}

// u -= g dt/s (difference of the surface), 0 where water would flow out of a dry column. `a`: index step to
// the column before.
BODY void accelerate_row(const struct upwind_shallow *t, float *restrict u, size_t row, size_t end, size_t a)
{
    const float *restrict bed = t->bed, *restrict h = t->depth;
    const float gk = t->gk;
    for (size_t c = row; c < end; ++c) {
        const float behind = h[c - a], here = h[c];
        const float next = u[c] - gk * ((bed[c] + here) - (bed[c - a] + behind));
        const float source = next > 0.0f ? behind : here;
        u[c] = source > DRY_DEPTH ? next : 0.0f;
    }
}

BODY float upwind_flux(float u, float behind, float here) { return u * (u > 0.0f ? behind : here); }

// h -= dt/s div(h u) with the upwind depth; negative depths are set to 0.
BODY void continuity_row(const struct upwind_shallow *t, size_t row, size_t end)
{
    const float *restrict h = t->depth, *restrict u = t->east, *restrict v = t->north;
    float *restrict next = t->next;
    const size_t n = t->stride;
    const float k = t->k;
    for (size_t c = row; c < end; ++c) {
        const float west = h[c - 1], here = h[c], east = h[c + 1], south = h[c - n], north = h[c + n];
        const float net_flux_x = upwind_flux(u[c + 1], here, east) - upwind_flux(u[c], west, here);
        const float net_flux_z = upwind_flux(v[c + n], here, north) - upwind_flux(v[c], south, here);
        const float depth = here - k * (net_flux_x + net_flux_z);
        next[c] = depth > 0.0f ? depth : 0.0f;
    }
}

BODY void shallow_step_body(struct upwind_shallow *t)
{
    const size_t n = t->stride, count = (size_t)t->n;
    float *old = t->depth;

    for (size_t j = 1; j <= count; ++j) {
        accelerate_row(t, t->east, j * n + 2, j * n + 1 + count, 1);
        if (j > 1) accelerate_row(t, t->north, j * n + 1, j * n + 1 + count, n);
    }
    for (size_t j = 1; j <= count; ++j) continuity_row(t, j * n + 1, j * n + 1 + count);
    t->depth = t->next;
    t->next = old;
}

static void shallow_step_base(struct upwind_shallow *t) { shallow_step_body(t); }
#ifdef HAS_WIDE
WIDE static void shallow_step_wide(struct upwind_shallow *t) { shallow_step_body(t); }
#endif

void upwind_step(struct upwind_shallow *t) { CALL(shallow_step, t); }

// ---- triangles -------------------------------------------------------------------------------------

void triangle_loop_free(struct triangle_loop *b)
{
    free(b->vertices);
    free(b->rotated);
    free(b->triangles);
    free(b->facets);
    *b = (struct triangle_loop){0};
}

int triangle_loop_init(struct triangle_loop *b, int vertex_count, int triangle_count)
{
    const size_t v = (size_t)vertex_count, t = (size_t)triangle_count;

    *b = (struct triangle_loop){.vertex_count = vertex_count,
                                .triangle_count = triangle_count,
                                .rotation = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6},
                                .translation = {0.1, 0.2, 0.3}};
    b->vertices = bench_alloc(3 * v, sizeof(double));
    b->rotated = bench_alloc(3 * v, sizeof(double));
    b->triangles = bench_alloc(3 * t, sizeof(int));
    b->facets = bench_alloc(7 * t, sizeof(double));
    if (b->vertices && b->rotated && b->triangles && b->facets) return 0;
    triangle_loop_free(b);
    return -1;
}

BODY void facet(const double *a, const double *b, const double *c, double *out)
{
    const double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
    const double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
    const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const double twice = sqrt(x * x + y * y + z * z), inverse = 1.0 / twice;
    out[0] = 0.5 * twice;
    out[1] = x * inverse, out[2] = y * inverse, out[3] = z * inverse;
    for (int k = 0; k < 3; ++k) out[4 + k] = (a[k] + b[k] + c[k]) * (1.0 / 3.0);
}

BODY void measure_body(struct triangle_loop *b)
{
    const double *m = b->rotation;
    for (int i = 0; i < b->vertex_count; ++i) {
        const double *v = b->vertices + 3 * i;
        double *to = b->rotated + 3 * i;
        for (int k = 0; k < 3; ++k)
            to[k] = b->translation[k] + m[3 * k] * v[0] + m[3 * k + 1] * v[1] + m[3 * k + 2] * v[2];
    }
    for (int i = 0; i < b->triangle_count; ++i) {
        const int *t = b->triangles + 3 * i;
        facet(b->rotated + 3 * t[0], b->rotated + 3 * t[1], b->rotated + 3 * t[2], b->facets + 7 * i);
    }
}

static void measure_base(struct triangle_loop *b) { measure_body(b); }
#ifdef HAS_WIDE
WIDE static void measure_wide(struct triangle_loop *b) { measure_body(b); }
#endif

void triangle_loop_step(struct triangle_loop *b) { CALL(measure, b); }
