// What the shallow water meets at its sides, told through ghosts and side faces.
//
//     ghosts      side face   inside
//     -2   -1   |   0    1    2           k cells in from the west side; the others likewise
//
// wall: everything mirrored, nothing passes. periodic: the other end. level: the ghosts have the given height, and the
// side face is a face like any other. open, flow, wavemaker: the flow on the side face follows from what runs
// outwards along the characteristic u + 2 sqrt(g h) and from what is known outside. Other ghosts repeat the edge.
#include "base/math.h"
#include "shallow.h"

#include <string.h>

// ---- ghosts ---------------------------------------------------------------------------------------

// One end of a line of n values, `in` leading from the end inwards; `edge` is the outermost cell, `face` the side face.
static void fill_ghosts_1d(float *q, int kind, bool normal, size_t edge, size_t face, ptrdiff_t in, int n)
{
#define AT(from, steps) q[(size_t)((ptrdiff_t)(from) + (steps)*in)]
    for (int k = 1; k <= 2; ++k) {
        if (normal && kind == BOUNDARY_PERIODIC)
            AT(face, -k) = AT(face, n - k);
        else if (normal && kind == BOUNDARY_WALL)
            AT(face, -k) = -AT(face, k);
        else if (normal)
            AT(face, -k) = AT(face, 0);
        else if (kind == BOUNDARY_PERIODIC)
            AT(edge, -k) = AT(edge, n - k);
        else if (kind == BOUNDARY_WALL)
            AT(edge, -k) = AT(edge, k - 1);
        else
            AT(edge, -k) = AT(edge, 0);
    }
    if (normal && kind == BOUNDARY_WALL) AT(face, 0) = 0.0f;
#undef AT
}

void depth_fill_ghost_columns(const struct fluid *f, float *field, enum location stand, int j)
{
    const struct shallow_def *d = shallow_def_of(f);
    const int nx = f->grid.nx;
    const size_t west = grid_at(&f->grid, 0, j), east = grid_at(&f->grid, nx - 1, j);
    const bool normal = stand == WEST_FACE;
    if (normal && d->boundary[0].kind == BOUNDARY_PERIODIC) field[east + 1] = field[west];
    fill_ghosts_1d(field, d->boundary[0].kind, normal, west, west, 1, nx);
    fill_ghosts_1d(field, d->boundary[1].kind, normal, east, east + 1, -1, nx);
}

// A whole row from another, ghosts included.
static void copy_row(const struct grid *g, float *q, int to, int from, bool turned)
{
    const size_t count = (size_t)g->nx + 2 * GRID_GHOSTS;
    float *out = q + grid_at(g, -GRID_GHOSTS, to);
    const float *in = q + grid_at(g, -GRID_GHOSTS, from);
    if (!turned)
        memcpy(out, in, count * sizeof *out);
    else
        for (size_t i = 0; i < count; ++i) out[i] = -in[i];
}

static void clear_row(const struct grid *g, float *q, int j)
{
    memset(q + grid_at(g, -GRID_GHOSTS, j), 0, ((size_t)g->nx + 2 * GRID_GHOSTS) * sizeof *q);
}

void depth_fill_ghost_rows(const struct fluid *f, float *field, enum location stand)
{
    const struct shallow_def *d = shallow_def_of(f);
    const struct grid *g = &f->grid;
    const int nz = g->nz, south = d->boundary[2].kind, north = d->boundary[3].kind;
    const bool normal = stand == SOUTH_FACE;
    const int top = normal ? nz : nz - 1; // the last row that is not a ghost
    if (normal && south == BOUNDARY_PERIODIC) copy_row(g, field, nz, 0, false);
    if (normal && south == BOUNDARY_WALL) clear_row(g, field, 0);
    if (normal && north == BOUNDARY_WALL) clear_row(g, field, nz);
    for (int k = 1; k <= 2; ++k) {
        if (south == BOUNDARY_PERIODIC) {
            copy_row(g, field, -k, nz - k, false);
            copy_row(g, field, top + k, normal ? k : k - 1, false);
            continue;
        }
        copy_row(g, field, -k,
                 south != BOUNDARY_WALL ? 0
                 : normal               ? k
                                        : k - 1,
                 normal && south == BOUNDARY_WALL);
        copy_row(g, field, top + k, north != BOUNDARY_WALL ? top : nz - k, normal && north == BOUNDARY_WALL);
    }
}

void depth_fill_ghosts(const struct fluid *f, float *field, enum location stand)
{
    for (int j = 0; j <= f->grid.nz; ++j) depth_fill_ghost_columns(f, field, stand, j);
    depth_fill_ghost_rows(f, field, stand);
}

// ---- sides that are told --------------------------------------------------------------------------

static double value_or(double x, double otherwise) { return isnan(x) ? otherwise : x; }

// Grows from 0 to 1 in the time of the ramp.
static double ramp_factor(const struct shallow_boundary *s, double t)
{
    const double time = value_or(s->ramp, 0.0);
    return time > 0.0 ? clamp(t / time, 0.0, 1.0) : 1.0;
}

// [m] what a tide or a wave adds at time t.
static double oscillation(const struct shallow_boundary *s, double t)
{
    const double amplitude = value_or(s->amplitude, 0.0), period = value_or(s->period, 1.0);
    if (amplitude == 0.0) return 0.0;
    return amplitude * m_sin_turns(t / period);
}

// [m] above the rest level. A level that differs from it is reached along the ramp.
static double boundary_level(const struct fluid *f, const struct shallow_boundary *s, double t)
{
    return ramp_factor(s, t) * (value_or(s->level, f->rest_level) - f->rest_level + oscillation(s, t));
}

// A lake beyond the side. Water that comes in has fallen from rest there and lost u^2/2g of its height, or it would bring
// energy without end. Water that goes out faster than waves does not feel the lake.
static void set_level_ghosts(const struct fluid *f, float *h, double level, double out, size_t edge,
                             ptrdiff_t in)
{
    const double g = f->gravity, lost = out < 0.0 ? out * out / (2.0 * g) : 0.0;
    const double depth = fmax(level - lost - (double)f->bed[edge], 0.0);
    const bool free = out > 0.0 && out * out > g * (double)h[edge];
    for (int k = 1; k <= 2; ++k)
        h[(size_t)((ptrdiff_t)edge - k * in)] = free ? h[edge] : depth_quantise(f->impl, depth);
}

void shallow_apply_level_boundary(const struct fluid *f, float *h, const float *u, const float *v, double t)
{
    const struct shallow_def *d = shallow_def_of(f);
    const struct grid *g = &f->grid;
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    for (int s = 0; s < 4; ++s) {
        if (d->boundary[s].kind != BOUNDARY_LEVEL) continue;
        const double level = boundary_level(f, &d->boundary[s], t), sign = s & 1 ? 1.0 : -1.0;
        for (int j = 0; s < 2 && j < g->nz; ++j) {
            const size_t edge = grid_at(g, s ? g->nx - 1 : 0, j);
            set_level_ghosts(f, h, level, sign * (double)u[s ? edge + 1 : edge], edge, s ? -1 : 1);
        }
        for (int i = 0; s >= 2 && i < g->nx; ++i) {
            const size_t edge = grid_at(g, i, s == 3 ? g->nz - 1 : 0);
            set_level_ghosts(f, h, level, sign * (double)v[s == 3 ? edge + g->stride : edge], edge,
                             s == 3 ? -n : n);
        }
    }
}

// Water on a side face: speed outwards and depth.
struct face_state {
    double out, depth;
};

// What runs outwards keeps u + 2c, what comes in keeps u - 2c (Riemann's invariants of the shallow-water equations).
// Inside: depth and speed outwards. Outside: depth and speed outwards of the water beyond, as if there were any.
static struct face_state riemann_face_state(double g, double depth_in, double out_in, double depth_out,
                                            double out_out)
{
    const double ci = sqrt(g * depth_in), co = sqrt(g * depth_out);
    if (out_in >= ci && depth_in > 0.0)
        return (struct face_state){out_in, depth_in}; // faster than waves: nothing comes in
    const double u = 0.5 * (out_in + out_out) + (ci - co), c = 0.5 * (ci + co) + 0.25 * (out_in - out_out);
    return (struct face_state){c > 0.0 ? u : 0.0, c > 0.0 ? c * c / g : 0.0};
}

// Depth of the water at rest beyond a side [m], raised by `more`.
static double rest_depth(const struct fluid *f, size_t edge, double more)
{
    return fmax(0.0, more - (double)f->bed[edge]);
}

static struct face_state boundary_face_state(const struct fluid *f, const struct shallow_boundary *s,
                                             double t, size_t edge, double depth_in, double out_in)
{
    const double g = f->gravity;
    if (s->kind == BOUNDARY_DISCHARGE) {
        const double in = ramp_factor(s, t) * value_or(s->discharge, 0.0),
                     critical = m_pow(in * in / g, 1.0 / 3.0);
        if (isnan(s->level)) { // no thinner than critical
            const double d = fmax(depth_in, critical);
            return (struct face_state){d > 0.0 ? -in / d : 0.0, d};
        }
        // With a level: none where that is so low that the Froude number, (critical/d)^(3/2), would be above 10.
        const double d = rest_depth(f, edge, s->level - f->rest_level);
        return d > 0.215 * critical ? (struct face_state){-in / d, d} : (struct face_state){0.0, 0.0};
    }
    // A wave that comes in keeps u - 2c of the water at rest.
    const double eta = s->kind == BOUNDARY_WAVEMAKER ? ramp_factor(s, t) * oscillation(s, t) : 0.0;
    const double rest = rest_depth(f, edge, 0.0), beyond = rest_depth(f, edge, eta);
    const double comes = rest > 0.0 ? 2.0 * (sqrt(g * beyond) - sqrt(g * rest)) : 0.0;
    return riemann_face_state(g, depth_in, out_in, beyond, -comes);
}

// A level leaves the side face to the water, within bounds: nothing goes out faster than water that spreads into
// nothing, nothing comes in faster than it falls from the lake.
static double clamp_level_velocity(const struct fluid *f, const struct shallow_boundary *s, double t,
                                   size_t edge, double depth_in, double out_in, double out)
{
    const double lake = rest_depth(f, edge, boundary_level(f, s, t));
    const double most = fmax(0.0, out_in) + 2.0 * sqrt(f->gravity * depth_in),
                 least = -sqrt(2.0 * f->gravity * lake);
    return clamp(out, least, most);
}

static bool is_open_kind(int kind) { return kind != BOUNDARY_WALL && kind != BOUNDARY_PERIODIC; }

// One side face. `sign` is +1 where outwards is along the axis.
static void apply_boundary_face(const struct fluid *f, const struct shallow_boundary *s, const float *h,
                                float *u, double t, size_t edge, size_t face, size_t inner, double sign,
                                float *pass, float k)
{
    if (s->kind == BOUNDARY_LEVEL) {
        u[face] = (float)(sign * clamp_level_velocity(f, s, t, edge, h[edge], sign * (double)u[inner],
                                                      sign * (double)u[face]));
        return;
    }
    // Depth half a cell and speed a cell inside, carried on to the face as far as a smooth wave would.
    const ptrdiff_t in = (ptrdiff_t)inner - (ptrdiff_t)face;
    const size_t next = (size_t)((ptrdiff_t)edge + in), deeper = (size_t)((ptrdiff_t)inner + in);
    const double last = h[edge], wave = 0.5 * sqrt(f->gravity * last);
    // The surface goes on, not the depth: so it is level over any ground.
    const double rise = (double)f->bed[edge] + last - ((double)f->bed[next] + (double)h[next]);
    const double more = (double)h[next] > f->dry_depth ? clamp(0.5 * rise, -0.5 * last, 0.5 * last) : 0.0;
    const double speed = (double)u[inner] + clamp((double)u[inner] - (double)u[deeper], -wave, wave);
    const struct face_state p = boundary_face_state(f, s, t, edge, last + more, sign * speed);
    u[face] = (float)(sign * p.out);
    if (pass) pass[face] = depth_quantise(f->impl, sign * p.out * p.depth * (double)k);
}

void shallow_apply_open_boundary_x(const struct fluid *f, const float *h, float *u, double t, int j,
                                   float *tx, float k)
{
    const struct shallow_boundary *s = shallow_def_of(f)->boundary;
    const size_t west = grid_at(&f->grid, 0, j), east = grid_at(&f->grid, f->grid.nx - 1, j);
    if (is_open_kind(s[0].kind)) apply_boundary_face(f, &s[0], h, u, t, west, west, west + 1, -1.0, tx, k);
    if (is_open_kind(s[1].kind)) apply_boundary_face(f, &s[1], h, u, t, east, east + 1, east, 1.0, tx, k);
}

void shallow_apply_open_boundary_z(const struct fluid *f, const float *h, float *v, double t, float *tz,
                                   float k)
{
    const struct shallow_boundary *s = shallow_def_of(f)->boundary;
    const size_t n = f->grid.stride;
    for (int i = 0; i < f->grid.nx; ++i) {
        const size_t south = grid_at(&f->grid, i, 0), north = grid_at(&f->grid, i, f->grid.nz - 1);
        if (is_open_kind(s[2].kind))
            apply_boundary_face(f, &s[2], h, v, t, south, south, south + n, -1.0, tz, k);
        if (is_open_kind(s[3].kind))
            apply_boundary_face(f, &s[3], h, v, t, north, north + n, north, 1.0, tz, k);
    }
}

double depth_boundary_outflow(const struct fluid *f)
{
    const struct shallow *self = f->impl;
    const struct grid *g = &f->grid;
    double sum = 0.0;
    for (int j = 0; !f->periodic_x && j < g->nz; ++j)
        sum += (double)self->flux_x[grid_at(g, g->nx, j)] - (double)self->flux_x[grid_at(g, 0, j)];
    for (int i = 0; !f->periodic_z && i < g->nx; ++i)
        sum += (double)self->flux_z[grid_at(g, i, g->nz)] - (double)self->flux_z[grid_at(g, i, 0)];
    return sum;
}
