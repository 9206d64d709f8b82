// What presses on the implicit height field, as part of the same system.
//
// A presser moves with W = rate + Y I, where I is the impulse that the water gives it in the step, and fills b(eta - dt a.W)
// of a column whose lever is a = (1, -z, x):
//
//     I = dt rho g s^2 sum a b(eta - dt a.W)          V = eta - bed - sum of all b
//
// For a given surface the second is solved first, presser by presser. With b' the derivative, J = sum a b' and
// K = rho g s^2 sum b' a a^T the surface then has in its system, beside 1 - b' in the diagonal, the term
//
//     dt^2 rho g s^2 J^T S J,     S = Y (1 + dt^2 K Y)^-1
//
// S is symmetric and not negative: S = L D L^T makes three terms of the linear solver. So however light a thing is, it
// and the water move together at any step; what water has to be moved along is in the system itself.
#include "implicit.h"

static double column_weight(const struct fluid *f)
{
    return f->density * f->gravity * f->grid.dx * f->grid.dx;
}

static void lever(const struct surface_load *p, int k, double a[3])
{
    a[0] = 1.0, a[1] = -p->z[k], a[2] = p->x[k];
}

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// y = m x
static void multiply3(double m[3][3], const double x[3], double y[3])
{
    for (int r = 0; r < 3; ++r) y[r] = dot3(m[r], x);
}

void implicit_clear_displaced(struct fluid *f)
{
    struct implicit *self = f->impl;
    for (int n = 0; n < f->surface_load_count; ++n)
        for (int k = 0; k < f->surface_loads[n]->column_count; ++k)
            self->vector[2][f->surface_loads[n]->cells[k]] = self->vector[3][f->surface_loads[n]->cells[k]] =
                0.0;
}

void implicit_zero_stagnant_flux(struct fluid *f, const struct implicit_fields *q)
{
    for (int n = 0; n < f->surface_load_count; ++n) {
        const struct surface_load *p = f->surface_loads[n];
        for (int k = 0; p->stagnant_below && k < p->column_count; ++k) {
            const size_t c = p->cells[k], up = c + f->grid.stride;
            q->explicit_flux_x[c] = q->explicit_flux_x[c + 1] = q->explicit_flux_z[c] =
                q->explicit_flux_z[up] = 0.0f;
        }
    }
}

static void set_flux_velocity(const float *h, const float *t, float *u, float k, size_t c, size_t a)
{
    const float depth = 0.5f * (h[c - a] + h[c]);
    u[c] = depth > 0.0f ? t[c] / (k * depth) : 0.0f;
}

void implicit_set_stagnant_velocity(struct fluid *f, const struct implicit_fields *q, float k)
{
    for (int n = 0; n < f->surface_load_count; ++n) {
        const struct surface_load *p = f->surface_loads[n];
        for (int m = 0; p->stagnant_below && m < p->column_count; ++m) {
            const size_t c = p->cells[m], up = f->grid.stride;
            set_flux_velocity(q->h, q->flux_x, q->u_next, k, c, 1),
                set_flux_velocity(q->h, q->flux_x, q->u_next, k, c + 1, 1);
            set_flux_velocity(q->h, q->flux_z, q->v_next, k, c, up),
                set_flux_velocity(q->h, q->flux_z, q->v_next, k, c + up, up);
        }
    }
}

// b of every column below the surface, the presser having got this impulse; gives back what the impulse lacks,
// R = dt rho g s^2 sum a b - I.
static void evaluate_displaced(struct surface_load *p, const double *eta, double dt, double weight,
                               const double impulse[3], double r[3])
{
    double w[3], sum[3] = {0};
    multiply3(p->mobility, impulse, w);
    const double a = p->displacement.a + dt * (p->free_velocity[0] + w[0]),
                 b = p->displacement.b + dt * (p->free_velocity[2] + w[2]),
                 c = p->displacement.c - dt * (p->free_velocity[1] + w[1]);
    for (int k = 0; k < p->column_count; ++k) {
        const double x = p->x[k], z = p->z[k], at = eta[p->cells[k]] - (a + b * x + c * z);
        const double filled = surface_load_displaced(p, k, at, &p->displaced_slope[k]);
        p->displaced_slope[k] = p->displaced_slope[k] > 1.0 ? 1.0 : p->displaced_slope[k];
        p->displaced[k] = filled;
        sum[0] += filled, sum[1] -= z * filled, sum[2] += x * filled;
    }
    for (int i = 0; i < 3; ++i) r[i] = weight * sum[i] - impulse[i];
}

// Solve m x = b for three right-hand sides by Gauss's method with pivots; b becomes x.
static void solve3_gauss(double m[3][3], double b[3][3])
{
    for (int c = 0; c < 3; ++c) {
        int best = c;
        for (int r = c + 1; r < 3; ++r)
            if (fabs(m[r][c]) > fabs(m[best][c])) best = r;
        for (int k = 0; k < 3 && best != c; ++k) {
            const double x = m[c][k], y = b[c][k];
            m[c][k] = m[best][k], b[c][k] = b[best][k];
            m[best][k] = x, b[best][k] = y;
        }
        for (int r = 0; r < 3; ++r) {
            if (r == c) continue;
            const double part = m[r][c] / m[c][c];
            for (int k = 0; k < 3; ++k) m[r][k] -= part * m[c][k], b[r][k] -= part * b[c][k];
        }
    }
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k) b[r][k] /= m[r][r];
}

// S = Y (1 + dt^2 K Y)^-1, from its transpose (1 + dt^2 Y K)^-1 Y.
static void reduced_mobility(const struct surface_load *p, double stiff, double s[3][3])
{
    double kk[3][3] = {{0}}, m[3][3], a[3];
    for (int k = 0; k < p->column_count; ++k) {
        lever(p, k, a);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) kk[r][c] += p->displaced_slope[k] * a[r] * a[c];
    }
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            double sum = r == c;
            for (int k = 0; k < 3; ++k) sum += stiff * p->mobility[r][k] * kk[k][c];
            m[r][c] = sum;
            s[r][c] = p->mobility[r][c];
        }
    solve3_gauss(m, s);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < r; ++c) s[r][c] = s[c][r] = 0.5 * (s[r][c] + s[c][r]);
}

// The impulse for a given surface. That is the least of a convex function, with the slope -Y R: Newton's method, and a
// step that goes too far is cut to where the slope along it changes its sign.
static void solve_load_impulse(struct surface_load *p, const double *eta, double dt, double weight)
{
    enum { MAX_NEWTON_STEPS = 30, MAX_CUTBACKS = 12 };
    double r[3], s[3][3], w[3], step[3], next[3], sum[3], a[3];
    evaluate_displaced(p, eta, dt, weight, p->impulse, r);
    for (int n = 0; n < MAX_NEWTON_STEPS; ++n) {
        multiply3(p->mobility, r, w);
        // What is left to move is far below what a depth shows.
        if (dt * (fabs(w[0]) + fabs(w[1]) + fabs(w[2])) < 1e-13) break;
        // (1 + dt^2 K Y) step = R, and so step = R - dt^2 K S R
        reduced_mobility(p, dt * weight, s);
        multiply3(s, r, w);
        for (int i = 0; i < 3; ++i) sum[i] = 0.0;
        for (int k = 0; k < p->column_count; ++k) {
            lever(p, k, a);
            for (int i = 0; i < 3; ++i) sum[i] += p->displaced_slope[k] * a[i] * dot3(a, w);
        }
        for (int i = 0; i < 3; ++i) step[i] = r[i] - dt * weight * sum[i];
        multiply3(p->mobility, step, w); // slope along the step: -w.R
        double lo = 0.0, hi = 1.0, t = 1.0, at_lo = -dot3(w, r), at_hi = 0.0;
        const double start = -at_lo;
        for (int m = 0; m < MAX_CUTBACKS; ++m) {
            for (int i = 0; i < 3; ++i) next[i] = p->impulse[i] + t * step[i];
            evaluate_displaced(p, eta, dt, weight, next, r);
            const double slope = -dot3(w, r);
            if (slope <= 0.1 * start && (t == 1.0 || slope >= -0.5 * start)) break;
            if (slope > 0.0)
                hi = t, at_hi = slope;
            else
                lo = t, at_lo = slope;
            t = lo + (hi - lo) * clamp(at_lo / (at_lo - at_hi), 0.1, 0.9);
        }
        for (int i = 0; i < 3; ++i) p->impulse[i] = next[i];
    }
    for (int i = 0; i < 3; ++i) p->impulse[i] += r[i]; // all of it where nothing yields
}

void implicit_update_displaced(struct fluid *f, double dt)
{
    struct implicit *self = f->impl;
    implicit_clear_displaced(f);
    for (int n = 0; n < f->surface_load_count; ++n) {
        struct surface_load *p = f->surface_loads[n];
        solve_load_impulse(p, self->vector[0], dt, dt * column_weight(f));
        for (int k = 0; k < p->column_count; ++k) {
            self->vector[2][p->cells[k]] += p->displaced[k];
            self->vector[3][p->cells[k]] += p->displaced_slope[k];
        }
    }
}

// S = L D L^T; what rounding makes negative is nothing.
static void factor_ldlt3(double s[3][3], double l[3][3], double d[3])
{
    for (int c = 0; c < 3; ++c) {
        d[c] = s[c][c];
        for (int k = 0; k < c; ++k) d[c] -= l[c][k] * l[c][k] * d[k];
        if (!(d[c] > 1e-12 * s[c][c])) d[c] = 0.0;
        for (int r = 0; r < 3; ++r) {
            double sum = s[r][c];
            for (int k = 0; k < c; ++k) sum -= l[r][k] * l[c][k] * d[k];
            l[r][c] = r == c ? 1.0 : r < c || d[c] == 0.0 ? 0.0 : sum / d[c];
        }
    }
}

// A kind of solver that knows no terms gets a diagonal that is no smaller: it converges, slowly.
static void add_term_to_diagonal(const struct low_rank_term *t, float *alpha)
{
    double sum = 0.0;
    for (int k = 0; k < t->count; ++k) sum += fabs(t->values[k]);
    for (int k = 0; k < t->count; ++k) alpha[t->cells[k]] += (float)(t->weight * sum * fabs(t->values[k]));
}

int implicit_load_terms(struct fluid *f, double dt, double scale, bool known, float *alpha)
{
    const double stiff = dt * dt * column_weight(f);
    int count = 0;
    for (int n = 0; n < f->surface_load_count; ++n) {
        struct surface_load *p = f->surface_loads[n];
        double s[3][3], l[3][3], d[3], a[3];
        reduced_mobility(p, stiff, s);
        factor_ldlt3(s, l, d);
        for (int i = 0; i < 3; ++i) {
            double *row = p->term_values + i * p->column_count;
            for (int k = 0; k < p->column_count; ++k) {
                lever(p, k, a);
                row[k] = p->displaced_slope[k] * (l[0][i] * a[0] + l[1][i] * a[1] + l[2][i] * a[2]);
            }
            const struct low_rank_term t = {scale * stiff * d[i], p->column_count, p->cells, row};
            if (t.weight == 0.0 || p->column_count == 0) continue;
            if (known)
                f->load_terms[count++] = t;
            else
                add_term_to_diagonal(&t, alpha);
        }
    }
    return count;
}
