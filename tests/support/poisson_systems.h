// Linear systems for tests: empty, with obstacles, with walls that have narrow gaps.
#ifndef TESTS_POISSON_SYSTEMS_H
#define TESTS_POISSON_SYSTEMS_H

#include "check.h"

#include "base/math/math.h"
#include "base/math/random.h"
#include "solver/linear_internal.h"

// A system with memory of its own.
struct problem {
    struct memory memory;
    struct parallel *pool;
    struct grid g;
    struct linear_system a;
    unsigned char *open;
    float *alpha, *beta_x, *beta_z;
    double *b, *x;
    struct linear_report report;
};

static inline void make(struct problem *p, int nx, int nz)
{
    memset(p, 0, sizeof *p);
    memory_init(&p->memory, NULL);
    p->pool = parallel_create(&p->memory, NULL, 1);
    assert_true(p->pool && grid_init(&p->g, nx, nz, 1.0));
    p->open = malloc(p->g.size);
    p->alpha = grid_alloc_field(&p->g, &p->memory, 0);
    p->beta_x = grid_alloc_field(&p->g, &p->memory, 1);
    p->beta_z = grid_alloc_field(&p->g, &p->memory, 2);
    p->b = linear_alloc_vector(&p->g, &p->memory);
    p->x = linear_alloc_vector(&p->g, &p->memory);
    assert_true(p->open && p->alpha && p->beta_x && p->beta_z && p->b && p->x);
    memset(p->open, 1, p->g.size);
    for (size_t c = 0; c < p->g.size; ++c) p->beta_x[c] = p->beta_z[c] = 1.0f;
    p->a = (struct linear_system){.active = p->open, .beta_x = p->beta_x, .beta_z = p->beta_z};
}

static inline void drop(struct problem *p)
{
    free(p->open);
    grid_free_field(&p->g, &p->memory, p->alpha, 0);
    grid_free_field(&p->g, &p->memory, p->beta_x, 1);
    grid_free_field(&p->g, &p->memory, p->beta_z, 2);
    linear_free_vector(&p->g, &p->memory, p->b);
    linear_free_vector(&p->g, &p->memory, p->x);
    parallel_destroy(p->pool);
}

static inline double noise(uint64_t stream, size_t n) { return 2.0 * random_unit(11, stream, n) - 1.0; }

// White noise with a mean for which a singular system has no solution.
static inline void make_noise(struct problem *p)
{
    for (int j = 0; j < p->g.nz; ++j)
        for (int i = 0; i < p->g.nx; ++i)
            p->b[grid_at(&p->g, i, j)] = noise(0, (size_t)j * (size_t)p->g.nx + (size_t)i) + 0.4;
}

static inline struct linear_solver *solver_of(struct problem *p, const char *kind)
{
    struct linear_solver *s = linear_create(&p->memory, p->pool, linear_kind_find(kind), &p->g);
    assert_non_null(s);
    CHECK_OK(linear_setup(s, &p->a));
    return s;
}

static inline void solve(struct problem *p, const char *kind, double tolerance, int most)
{
    struct linear_solver *s = solver_of(p, kind);
    linear_solve(s, p->b, p->x, (struct linear_tolerance){.relative = tolerance, .max_iterations = most},
                 &p->report);
    linear_destroy(s);
}

// ---- obstacles ----

static inline void close_where(struct problem *p, bool (*solid)(const struct problem *p, int i, int j))
{
    for (int j = 0; j < p->g.nz; ++j)
        for (int i = 0; i < p->g.nx; ++i) p->open[grid_at(&p->g, i, j)] = !solid(p, i, j);
}

static inline bool in_disc(const struct problem *p, int i, int j)
{
    const double x = (i + 0.5) / p->g.nx - 0.4, z = (j + 0.5) / p->g.nz - 0.55;
    return x * x + z * z < 0.04;
}

static inline bool in_boxes(const struct problem *p, int i, int j)
{
    const double x = (i + 0.5) / p->g.nx, z = (j + 0.5) / p->g.nz;
    for (uint64_t n = 0; n < 50; ++n)
        if (fabs(x - random_unit(1, n, 2)) < 0.01 + 0.04 * random_unit(1, n, 0) &&
            fabs(z - random_unit(1, n, 3)) < 0.01 + 0.04 * random_unit(1, n, 1))
            return true;
    return false;
}

// Chambers behind walls of one cell; each wall has a gap of one cell.
static inline bool in_chambers(const struct problem *p, int i, int j)
{
    return j % 16 == 15 && i != (int)(random_unit(5, 0, (uint64_t)j) * p->g.nx);
}

// At most 32 of them: with 64 floats are not precise enough for residuals of 1e-10.
static inline bool in_maze(const struct problem *p, int i, int j)
{
    const int spacing = imax(16, (p->g.nz + 31) / 32);
    return j % spacing == spacing - 1 && i != (int)(random_unit(5, 0, (uint64_t)j) * p->g.nx);
}

// One meandering corridor, one or seven cells wide.
static inline bool in_snake(const struct problem *p, int i, int j)
{
    return j % 2 == 1 && i != (j / 2 % 2 ? 0 : p->g.nx - 1);
}

static inline bool in_wide_snake(const struct problem *p, int i, int j)
{
    return j % 8 == 7 && i != (j / 8 % 2 ? 0 : p->g.nx - 1);
}

// Chambers of 7 x 7 cells with few gaps of one cell between them. Some have none and are separate regions.
static inline bool in_grate(const struct problem *p, int i, int j)
{
    return (j % 8 == 7 || i % 8 == 7) && random_unit(6, (uint64_t)j, (uint64_t)i) > 0.15 && p->g.nx > 0;
}

// A dozen rotated boxes.
struct turned {
    double x, z, cos, sin, wide, high;
};

static inline bool in_turned(const struct turned *t, double x, double z)
{
    const double u = x - t->x, v = z - t->z;
    return fabs(t->cos * u + t->sin * v) < t->wide && fabs(t->cos * v - t->sin * u) < t->high;
}

// Fraction of a face from (x, z) outside of them, by sixteen points on it.
static inline float outside(const struct problem *p, const struct turned *list, double x, double z, double dx,
                            double dz)
{
    int out = 16;
    for (int n = 0; n < 16; ++n) {
        const double t = (n + 0.5) / 16.0, px = (x + t * dx) / p->g.nx, pz = (z + t * dz) / p->g.nz;
        bool in = false;
        for (int k = 0; k < 12 && !in; ++k) in = in_turned(&list[k], px, pz);
        out -= in;
    }
    return (float)out / 16.0f;
}

static inline void cut_faces(struct problem *p)
{
    struct turned list[12];
    for (uint64_t k = 0; k < 12; ++k) {
        const double turn = PI * random_unit(2, k, 4);
        list[k] = (struct turned){random_unit(2, k, 2),
                                  random_unit(2, k, 3),
                                  m_cos(turn),
                                  m_sin(turn),
                                  0.03 + 0.05 * random_unit(2, k, 0),
                                  0.03 + 0.05 * random_unit(2, k, 1)};
    }
    for (int j = 0; j <= p->g.nz; ++j)
        for (int i = 0; i <= p->g.nx; ++i) {
            const size_t c = grid_at(&p->g, i, j);
            p->beta_x[c] = outside(p, list, i, j, 0.0, 1.0);
            p->beta_z[c] = outside(p, list, i, j, 1.0, 0.0);
        }
}

// ---- free bodies ----

// Discs that a fluid moves: faces are open outside of them, and each has a term for both directions and
// one for rotation.
enum { CROWD_SIDE = 10, CROWD = CROWD_SIDE * CROWD_SIDE };

struct crowd {
    struct low_rank_term terms[3 * CROWD];
    size_t *at;
    double *rows;
};

struct disc {
    double x, z, r;
};

// Fraction of the face from (x, z) in direction (dx, dz) that a disc covers, and the centre of that part.
static inline double covered(const struct disc *d, double x, double z, int dx, int dz, double *mid)
{
    const double off = dx ? z - d->z : x - d->x, from = dx ? x - d->x : z - d->z;
    const double half = fabs(off) < d->r ? sqrt(d->r * d->r - off * off) : 0.0;
    const double low = fmax(from, -half), high = fmin(from + (dx + dz), half);
    *mid = 0.5 * (low + high);
    return fmax(high - low, 0.0);
}

static inline void crowd_cell(struct problem *p, const struct disc *d, int i, int j, double row[3])
{
    const int n[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}}; // outwards, west first
    for (int f = 0; f < 4; ++f) {
        const int dx = f > 1, dz = f < 2;
        const double x = i + (f == 1), z = j + (f == 3);
        double mid;
        const double part = covered(d, x, z, dx, dz, &mid);
        const double rx = dx ? mid : x - d->x, rz = dx ? z - d->z : mid;
        row[0] += part * n[f][0];
        row[1] += part * n[f][1];
        row[2] += part * (rx * n[f][1] - rz * n[f][0]);
        if (part <= 0.0) continue;
        const float open = part < 1.0 - 1e-6 ? (float)(1.0 - part) : 0.0f;
        (dz ? p->beta_x : p->beta_z)[grid_at(&p->g, i + (f == 1), j + (f == 3))] = open;
    }
}

// Discs of `density` times that of the fluid; at periodic boundaries there are none.
static inline void make_crowd(struct problem *p, struct crowd *c, double density)
{
    const double step = (double)p->g.nx / CROWD_SIDE;
    const int capacity = (int)((step + 2) * (step + 2));
    c->at = malloc((size_t)(CROWD * capacity) * sizeof *c->at);
    c->rows = malloc((size_t)(3 * CROWD * capacity) * sizeof *c->rows);
    assert_true(c->at && c->rows);
    for (int b = 0; b < CROWD; ++b) {
        const uint64_t n = (uint64_t)b;
        const double r = step * (0.2 + 0.15 * random_unit(9, n, 0)), slack = 0.5 * step - r - 1.0;
        const struct disc d = {step * (b % CROWD_SIDE + 0.5) + slack * noise(20, n),
                               step * (b / CROWD_SIDE + 0.5) + slack * noise(21, n), r};
        size_t *at = c->at + b * capacity;
        double *rows = c->rows + 3 * b * capacity;
        int count = 0;
        for (int j = (int)(d.z - r) - 1; j <= (int)(d.z + r) + 1; ++j)
            for (int i = (int)(d.x - r) - 1; i <= (int)(d.x + r) + 1; ++i) {
                double row[3] = {0};
                crowd_cell(p, &d, i, j, row);
                if (fabs(row[0]) + fabs(row[1]) + fabs(row[2]) < 1e-9) continue;
                for (int k = 0; k < 3; ++k) rows[k * capacity + count] = row[k];
                at[count++] = grid_at(&p->g, i, j);
            }
        const double mass = density * PI * r * r, inertia = 0.5 * mass * r * r;
        for (int k = 0; k < 3; ++k)
            c->terms[3 * b + k] =
                (struct low_rank_term){1.0 / (k < 2 ? mass : inertia), count, at, rows + k * capacity};
    }
    p->a.terms = c->terms;
    p->a.term_count = 3 * CROWD;
}

static inline void drop_crowd(struct crowd *c)
{
    free(c->at);
    free(c->rows);
}

#endif
