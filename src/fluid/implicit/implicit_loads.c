// Floating bodies in the linear system of the implicit model, each with heave, roll and pitch as unknowns.
//
// A body moves with  W = free_velocity + Y I, where I is the impulse of the water on it in the substep and Y
// its mobility. It displaces  b(eta - dt a.W)  of a column with the lever a = (1, -z, x):
//
//     I = dt rho g dx^2 sum a b(eta - dt a.W)          V = eta - bed - sum of all b
//
// For a given surface the first equation is solved body by body. With b' the derivative of b, J = sum a b'
// and K = rho g dx^2 sum b' a a^T, eliminating I adds to the system of the surface, beside 1 - b' on the
// diagonal,
//
//     dt^2 rho g dx^2 J^T S J,     S = Y (1 + dt^2 K Y)^-1
//
// S is symmetric and positive semidefinite, so S = L D L^T gives three low-rank terms per body. Body and
// water therefore move together at any substep and for any mass of the body; added mass needs no further
// model.
#include "implicit.h"

static double column_weight(const struct fluid *f)
{
    return f->density * f->gravity * f->grid.dx * f->grid.dx;
}

static void get_lever(const struct surface_load *p, int k, double a[3])
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
            self->displaced[f->surface_loads[n]->cells[k]] =
                self->displaced_slope[f->surface_loads[n]->cells[k]] = 0.0;
}

void implicit_zero_stagnant_flux(struct fluid *f, const struct implicit_fields *fields)
{
    for (int n = 0; n < f->surface_load_count; ++n) {
        const struct surface_load *p = f->surface_loads[n];
        for (int k = 0; p->stagnant_below && k < p->column_count; ++k) {
            const size_t c = p->cells[k], north = c + f->grid.stride;
            fields->explicit_flux_x[c] = fields->explicit_flux_x[c + 1] = 0.0f;
            fields->explicit_flux_z[c] = fields->explicit_flux_z[north] = 0.0f;
        }
    }
}

static void set_flux_velocity(const float *h, const float *flux, float *u, float dt_dx, size_t c,
                              size_t step_along)
{
    const float depth = 0.5f * (h[c - step_along] + h[c]);
    u[c] = depth > 0.0f ? flux[c] / (dt_dx * depth) : 0.0f;
}

void implicit_set_stagnant_velocity(struct fluid *f, const struct implicit_fields *fields, float dt_dx)
{
    const size_t stride = f->grid.stride;
    for (int n = 0; n < f->surface_load_count; ++n) {
        const struct surface_load *p = f->surface_loads[n];
        for (int k = 0; p->stagnant_below && k < p->column_count; ++k) {
            const size_t c = p->cells[k];
            set_flux_velocity(fields->h, fields->flux_x, fields->u_next, dt_dx, c, 1);
            set_flux_velocity(fields->h, fields->flux_x, fields->u_next, dt_dx, c + 1, 1);
            set_flux_velocity(fields->h, fields->flux_z, fields->v_next, dt_dx, c, stride);
            set_flux_velocity(fields->h, fields->flux_z, fields->v_next, dt_dx, c + stride, stride);
        }
    }
}

// The displacement of every column after the given impulse, and the residual of the impulse,
// R = dt rho g dx^2 sum a b - I. weight: dt rho g dx^2.
static void evaluate_displaced(struct surface_load *p, const double *eta, double dt, double weight,
                               const double impulse[3], double residual[3])
{
    double w[3], sum[3] = {0};
    multiply3(p->mobility, impulse, w);
    const double a = p->displacement.a + dt * (p->free_velocity[0] + w[0]),
                 b = p->displacement.b + dt * (p->free_velocity[2] + w[2]),
                 c = p->displacement.c - dt * (p->free_velocity[1] + w[1]);
    for (int k = 0; k < p->column_count; ++k) {
        const double x = p->x[k], z = p->z[k], level = eta[p->cells[k]] - (a + b * x + c * z);
        const double displaced = surface_load_displaced(p, k, level, &p->displaced_slope[k]);
        p->displaced_slope[k] = p->displaced_slope[k] > 1.0 ? 1.0 : p->displaced_slope[k];
        p->displaced[k] = displaced;
        sum[0] += displaced, sum[1] -= z * displaced, sum[2] += x * displaced;
    }
    for (int i = 0; i < 3; ++i) residual[i] = weight * sum[i] - impulse[i];
}

// Solves m x = b for three right-hand sides by Gauss-Jordan elimination with pivoting; b becomes x.
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
            const double factor = m[r][c] / m[c][c];
            for (int k = 0; k < 3; ++k) m[r][k] -= factor * m[c][k], b[r][k] -= factor * b[c][k];
        }
    }
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k) b[r][k] /= m[r][r];
}

// S = Y (1 + dt^2 K Y)^-1, computed from its transpose (1 + dt^2 Y K)^-1 Y. stiffness: dt^2 rho g dx^2.
static void reduced_mobility(const struct surface_load *p, double stiffness, double s[3][3])
{
    double jacobian[3][3] = {{0}}, m[3][3], a[3]; // sum of b' a a^T
    for (int k = 0; k < p->column_count; ++k) {
        get_lever(p, k, a);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) jacobian[r][c] += p->displaced_slope[k] * a[r] * a[c];
    }
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            double sum = r == c;
            for (int k = 0; k < 3; ++k) sum += stiffness * p->mobility[r][k] * jacobian[k][c];
            m[r][c] = sum;
            s[r][c] = p->mobility[r][c];
        }
    solve3_gauss(m, s);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < r; ++c) s[r][c] = s[c][r] = 0.5 * (s[r][c] + s[c][r]);
}

// Newton step of the impulse: (1 + dt^2 K Y) step = R, so step = R - dt^2 K S R.
static void impulse_step(const struct surface_load *p, double stiffness, const double residual[3],
                         double step[3])
{
    double s[3][3], w[3], a[3], sum[3] = {0};
    reduced_mobility(p, stiffness, s);
    multiply3(s, residual, w);
    for (int k = 0; k < p->column_count; ++k) {
        get_lever(p, k, a);
        for (int i = 0; i < 3; ++i) sum[i] += p->displaced_slope[k] * a[i] * dot3(a, w);
    }
    for (int i = 0; i < 3; ++i) step[i] = residual[i] - stiffness * sum[i];
}

// The impulse for a given surface minimises a convex function with the gradient -Y R: Newton's method. A step
// that is too long is shortened until the derivative along it is about zero (safeguarded regula falsi).
static void solve_load_impulse(struct surface_load *p, const double *eta, double dt, double weight)
{
    enum { MAX_NEWTON_STEPS = 30, MAX_CUTBACKS = 12 };
    double r[3], w[3], step[3], next[3];
    evaluate_displaced(p, eta, dt, weight, p->impulse, r);
    for (int n = 0; n < MAX_NEWTON_STEPS; ++n) {
        multiply3(p->mobility, r, w);
        // The remaining motion is far below the resolution of a depth.
        if (dt * (fabs(w[0]) + fabs(w[1]) + fabs(w[2])) < 1e-13) break;
        impulse_step(p, dt * weight, r, step);
        multiply3(p->mobility, step, w); // the derivative along the step is -w.R
        double lo = 0.0, hi = 1.0, length = 1.0, at_lo = -dot3(w, r), at_hi = 0.0;
        const double start = -at_lo;
        for (int m = 0; m < MAX_CUTBACKS; ++m) {
            for (int i = 0; i < 3; ++i) next[i] = p->impulse[i] + length * step[i];
            evaluate_displaced(p, eta, dt, weight, next, r);
            const double derivative = -dot3(w, r);
            if (derivative <= 0.1 * start && (length == 1.0 || derivative >= -0.5 * start)) break;
            if (derivative > 0.0)
                hi = length, at_hi = derivative;
            else
                lo = length, at_lo = derivative;
            length = lo + (hi - lo) * clamp(at_lo / (at_lo - at_hi), 0.1, 0.9);
        }
        for (int i = 0; i < 3; ++i) p->impulse[i] = next[i];
    }
    for (int i = 0; i < 3; ++i) p->impulse[i] += r[i]; // a body without mobility gets its whole impulse here
}

void implicit_update_displaced(struct fluid *f, double dt)
{
    struct implicit *self = f->impl;
    implicit_clear_displaced(f);
    for (int n = 0; n < f->surface_load_count; ++n) {
        struct surface_load *p = f->surface_loads[n];
        solve_load_impulse(p, self->eta, dt, dt * column_weight(f));
        for (int k = 0; k < p->column_count; ++k) {
            self->displaced[p->cells[k]] += p->displaced[k];
            self->displaced_slope[p->cells[k]] += p->displaced_slope[k];
        }
    }
}

// S = L D L^T. Pivots that are negative by rounding become 0.
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

// For a solver without low-rank terms: a diagonal that is not smaller than the term. It converges slowly.
static void add_term_to_diagonal(const struct low_rank_term *t, float *alpha)
{
    double sum = 0.0;
    for (int k = 0; k < t->count; ++k) sum += fabs(t->values[k]);
    for (int k = 0; k < t->count; ++k) alpha[t->cells[k]] += (float)(t->weight * sum * fabs(t->values[k]));
}

int implicit_load_terms(struct fluid *f, double dt, double scale, bool supported, float *alpha)
{
    const double stiffness = dt * dt * column_weight(f);
    int count = 0;
    for (int n = 0; n < f->surface_load_count; ++n) {
        struct surface_load *p = f->surface_loads[n];
        double s[3][3], l[3][3], d[3], a[3];
        reduced_mobility(p, stiffness, s);
        factor_ldlt3(s, l, d);
        for (int i = 0; i < 3; ++i) {
            double *row = p->term_values + i * p->column_count;
            for (int k = 0; k < p->column_count; ++k) {
                get_lever(p, k, a);
                row[k] = p->displaced_slope[k] * (l[0][i] * a[0] + l[1][i] * a[1] + l[2][i] * a[2]);
            }
            const struct low_rank_term t = {scale * stiffness * d[i], p->column_count, p->cells, row};
            if (t.weight == 0.0 || p->column_count == 0) continue;
            if (supported)
                f->load_terms[count++] = t;
            else
                add_term_to_diagonal(&t, alpha);
        }
    }
    return count;
}
