// Boundary conditions of the shallow-water model: the velocity at the faces of open boundaries, and the ghost
// depths of boundaries with a level. depth_boundary.c has walls, periodic boundaries and the other ghost
// cells.
//
//     ghost cells   face       inside
//     -2   -1   |    0     1    2           k cells from the west boundary; the others likewise
//
// level: a lake outside with a given surface. open, discharge, wavemaker: the state at the face follows from
// the outgoing characteristic u + 2 sqrt(g h) and from what is known outside.
#include "base/math.h"
#include "shallow.h"

static double value_or(double x, double otherwise) { return isnan(x) ? otherwise : x; }

// Grows linearly from 0 to 1 in the time of the ramp.
static double ramp_factor(const tarn_boundary *s, double t)
{
    const double time = value_or(s->ramp, 0.0);
    return time > 0.0 ? clamp(t / time, 0.0, 1.0) : 1.0;
}

// [m] Tide or wave at time t.
static double oscillation(const tarn_boundary *s, double t)
{
    const double amplitude = value_or(s->amplitude, 0.0), period = value_or(s->period, 1.0);
    if (amplitude == 0.0) return 0.0;
    return amplitude * m_sin_turns(t / period);
}

// [m] above the rest level, at time t; the ramp leads from the rest level to it.
static double boundary_level(const struct fluid *f, const tarn_boundary *s, double t)
{
    return ramp_factor(s, t) * (value_or(s->level, f->rest_level) - f->rest_level + oscillation(s, t));
}

// A lake at rest outside. Water that flows in has come from rest, so its surface is lower by u^2/(2 g)
// (Bernoulli); without that it would bring unlimited energy. Supercritical outflow does not depend on the
// lake.
static void set_level_ghosts(const struct fluid *f, float *h, double level, double out, size_t edge,
                             ptrdiff_t in)
{
    const double g = f->gravity, velocity_head = out < 0.0 ? out * out / (2.0 * g) : 0.0;
    const double depth = fmax(level - velocity_head - (double)f->bed[edge], 0.0);
    const bool supercritical = out > 0.0 && out * out > g * (double)h[edge];
    for (int k = 1; k <= 2; ++k)
        h[(size_t)((ptrdiff_t)edge - k * in)] = supercritical ? h[edge] : depth_quantise(f->impl, depth);
}

void shallow_apply_level_boundary(const struct fluid *f, float *h, const float *u, const float *v, double t)
{
    const tarn_shallow_def *d = shallow_def_of(f);
    const struct grid *g = &f->grid;
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    for (int s = 0; s < 4; ++s) {
        if (d->boundary[s].type != TARN_BOUNDARY_LEVEL) continue;
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

// State at a face of the boundary: velocity outwards [m/s] and depth [m].
struct face_state {
    double out, depth;
};

// Riemann invariants: u + 2c of the state inside leaves, u - 2c of the state outside enters. u is the
// velocity outwards.
static struct face_state riemann_face_state(double g, double depth_in, double out_in, double depth_out,
                                            double out_out)
{
    const double ci = sqrt(g * depth_in), co = sqrt(g * depth_out);
    if (out_in >= ci && depth_in > 0.0)
        return (struct face_state){out_in, depth_in}; // supercritical outflow: nothing enters
    const double u = 0.5 * (out_in + out_out) + (ci - co), c = 0.5 * (ci + co) + 0.25 * (out_in - out_out);
    return (struct face_state){c > 0.0 ? u : 0.0, c > 0.0 ? c * c / g : 0.0};
}

// [m] Depth at the boundary under a surface at eta above the rest level.
static double depth_below(const struct fluid *f, size_t edge, double eta)
{
    return fmax(0.0, eta - (double)f->bed[edge]);
}

static struct face_state boundary_face_state(const struct fluid *f, const tarn_boundary *s, double t,
                                             size_t edge, double depth_in, double out_in)
{
    const double g = f->gravity;
    if (s->type == TARN_BOUNDARY_DISCHARGE) {
        const double in = ramp_factor(s, t) * value_or(s->discharge, 0.0),
                     critical = m_pow(in * in / g, 1.0 / 3.0);
        if (isnan(s->level)) { // not below the critical depth
            const double d = fmax(depth_in, critical);
            return (struct face_state){d > 0.0 ? -in / d : 0.0, d};
        }
        // With a level: no flow where the Froude number, (critical/d)^(3/2), would be above 10.
        const double d = depth_below(f, edge, s->level - f->rest_level);
        return d > 0.215 * critical ? (struct face_state){-in / d, d} : (struct face_state){0.0, 0.0};
    }
    // The incoming wave has the invariant u - 2c of the still water.
    const double eta = s->type == TARN_BOUNDARY_WAVEMAKER ? ramp_factor(s, t) * oscillation(s, t) : 0.0;
    const double rest = depth_below(f, edge, 0.0), outside = depth_below(f, edge, eta);
    const double inflow = rest > 0.0 ? 2.0 * (sqrt(g * outside) - sqrt(g * rest)) : 0.0;
    return riemann_face_state(g, depth_in, out_in, outside, -inflow);
}

// At a level the velocity follows from the momentum equation, within bounds: outflow is at most that of water
// that expands into a dry bed, inflow at most that of water that falls from the surface of the lake.
static double clamp_level_velocity(const struct fluid *f, const tarn_boundary *s, double t, size_t edge,
                                   double depth_in, double out_in, double out)
{
    const double lake = depth_below(f, edge, boundary_level(f, s, t));
    const double max_out = fmax(0.0, out_in) + 2.0 * sqrt(f->gravity * depth_in),
                 max_in = sqrt(2.0 * f->gravity * lake);
    return clamp(out, -max_in, max_out);
}

// A face of the boundary: indices of the outermost cell, of the face and of the next face inwards; +1 if
// outwards is along the axis, else -1.
struct boundary_face {
    size_t edge, face, inner;
    double sign;
};

// Depth half a cell and velocity one cell inside, extrapolated to the face by at most half the depth and half
// the wave speed. The surface is extrapolated, not the depth, so that still water over a sloping bed stays
// level.
static struct face_state extrapolate_to_face(const struct fluid *f, const struct boundary_face *b,
                                             const float *h, const float *u)
{
    const ptrdiff_t in = (ptrdiff_t)b->inner - (ptrdiff_t)b->face;
    const size_t next = (size_t)((ptrdiff_t)b->edge + in), next_inner = (size_t)((ptrdiff_t)b->inner + in);
    const double depth = h[b->edge], max_change = 0.5 * sqrt(f->gravity * depth);
    const double rise = (double)f->bed[b->edge] + depth - ((double)f->bed[next] + (double)h[next]);
    const double half_rise =
        (double)h[next] > f->dry_depth ? clamp(0.5 * rise, -0.5 * depth, 0.5 * depth) : 0.0;
    const double velocity =
        (double)u[b->inner] + clamp((double)u[b->inner] - (double)u[next_inner], -max_change, max_change);
    return (struct face_state){b->sign * velocity, depth + half_rise};
}

// Velocity at a face of an open boundary at time t, and with `flux` the flux in dt.
static void apply_boundary_face(const struct fluid *f, const tarn_boundary *s, double t,
                                const struct boundary_face *b, const float *h, float *u, float *flux,
                                float dt_dx)
{
    if (s->type == TARN_BOUNDARY_LEVEL) {
        u[b->face] = (float)(b->sign * clamp_level_velocity(f, s, t, b->edge, h[b->edge],
                                                            b->sign * (double)u[b->inner],
                                                            b->sign * (double)u[b->face]));
        return;
    }
    const struct face_state inside = extrapolate_to_face(f, b, h, u),
                            state = boundary_face_state(f, s, t, b->edge, inside.depth, inside.out);
    u[b->face] = (float)(b->sign * state.out);
    if (flux) flux[b->face] = depth_quantise(f->impl, b->sign * state.out * state.depth * (double)dt_dx);
}

static bool is_open_kind(int kind) { return kind != TARN_BOUNDARY_WALL && kind != TARN_BOUNDARY_PERIODIC; }

void shallow_apply_open_boundary_x(const struct fluid *f, const float *h, float *u, double t, int j,
                                   float *flux_x, float dt_dx)
{
    const tarn_boundary *s = shallow_def_of(f)->boundary;
    const size_t west = grid_at(&f->grid, 0, j), east = grid_at(&f->grid, f->grid.nx - 1, j);
    const struct boundary_face faces[2] = {{west, west, west + 1, -1.0}, {east, east + 1, east, 1.0}};
    for (int k = 0; k < 2; ++k)
        if (is_open_kind(s[k].type)) apply_boundary_face(f, &s[k], t, &faces[k], h, u, flux_x, dt_dx);
}

void shallow_apply_open_boundary_z(const struct fluid *f, const float *h, float *v, double t, float *flux_z,
                                   float dt_dx)
{
    const tarn_boundary *s = shallow_def_of(f)->boundary;
    const size_t n = f->grid.stride;
    for (int i = 0; i < f->grid.nx; ++i) {
        const size_t south = grid_at(&f->grid, i, 0), north = grid_at(&f->grid, i, f->grid.nz - 1);
        const struct boundary_face faces[2] = {{south, south, south + n, -1.0},
                                               {north, north + n, north, 1.0}};
        for (int k = 0; k < 2; ++k)
            if (is_open_kind(s[2 + k].type))
                apply_boundary_face(f, &s[2 + k], t, &faces[k], h, v, flux_z, dt_dx);
    }
}
