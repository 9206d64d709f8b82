// Boundary conditions of the shallow-water model: the velocity at the faces of open boundaries, and the ghost
// depths of boundaries with a level. depth_boundary.c has walls, periodic boundaries and the other ghost
// cells.
//
//     ghost cells   face       inside
//     -2   -1   |    0     1    2           k cells from the west boundary; the others likewise
//
// level: a lake outside with a given surface. discharge: the depth inside, or for supercritical inflow a
// given one. open, wavemaker: the state at the face is that of the Riemann problem between the water inside
// and still water or a wave outside. Supercritical outflow depends on the inside alone, unless a hydraulic
// jump into the water outside would travel inwards.
#include "base/error.h"
#include "base/math/math.h"
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

// A face of the boundary: indices of the outermost cell and of the face, the index step inwards, and +1 if
// outwards is along the axis, else -1.
struct boundary_face {
    size_t edge, face;
    ptrdiff_t in;
    double sign;
};

// Velocity outwards [m/s] and depth [m] of water at or near a boundary.
struct face_state {
    double out, depth;
};

static struct boundary_face boundary_face_at(const struct grid *g, int side, int k)
{
    const bool far = side & 1;
    const size_t n = side < 2 ? 1 : g->stride;
    const size_t edge = side < 2 ? grid_at(g, far ? g->nx - 1 : 0, k) : grid_at(g, k, far ? g->nz - 1 : 0);
    return (struct boundary_face){edge, far ? edge + n : edge, far ? -(ptrdiff_t)n : (ptrdiff_t)n,
                                  far ? 1.0 : -1.0};
}

// The index of a cell or face some steps further inwards.
static size_t inwards(const struct boundary_face *b, size_t from, int steps)
{
    return (size_t)((ptrdiff_t)from + steps * b->in);
}

// [m] Bed at the face: the slope of the last two cells continues for half a cell, unless it is a wall, by at
// most max_change. With half of the depth of the outermost cell as the limit the face of a wet cell is wet.
static double bed_at_face(const struct fluid *f, const struct boundary_face *b, double max_change)
{
    const double bed = f->bed[b->edge], slope = bed - (double)f->bed[inwards(b, b->edge, 1)];
    return fabs(slope) <= f->grid.dx ? bed + clamp(0.5 * slope, -max_change, max_change) : bed;
}

static double limited_bed_at_face(const struct fluid *f, const struct boundary_face *b, const float *h)
{
    return bed_at_face(f, b, 0.5 * (double)h[b->edge]);
}

// ---- supercritical outflow ----

enum { JUMP_CELLS = 4 }; // cells at the boundary in which a hydraulic jump may hide the flow behind it

static bool is_supercritical_outflow(double g, struct face_state s)
{
    return s.depth > 0.0 && s.out > 0.0 && s.out * s.out > g * s.depth;
}

// The state with the largest Froude number of the outermost cells if it is supercritical outflow, otherwise a
// depth of 0.
static struct face_state fastest_outflow(const struct fluid *f, const struct boundary_face *b, const float *h,
                                         const float *u)
{
    struct face_state fastest = {0.0, 0.0};
    double most = f->gravity; // of u^2/h
    for (int k = 0; k < JUMP_CELLS; ++k) {
        const double depth = h[inwards(b, b->edge, k)], out = b->sign * (double)u[inwards(b, b->face, k + 1)];
        if (depth <= f->dry_depth) break;
        if (out > 0.0 && out * out > most * depth)
            most = out * out / depth, fastest = (struct face_state){out, depth};
    }
    return fastest;
}

// Momentum flux per unit width and density through a depth that carries the discharge q. It decides which way
// a jump between two depths travels.
static double momentum_flux(double g, double q, double depth)
{
    return q * q / depth + 0.5 * g * depth * depth;
}

// Whether water of this depth at the boundary cannot hold a jump in the supercritical outflow.
static bool passes_level(double g, struct face_state fast, double depth)
{
    const double q = fast.out * fast.depth;
    return fast.depth > 0.0 &&
           (depth <= fast.depth || momentum_flux(g, q, fast.depth) > momentum_flux(g, q, depth));
}

// Critical depth of the discharge q if it is larger than `depth`, otherwise `depth`.
static double at_least_critical(double g, double q, double depth)
{
    return depth > 0.0 && g * depth * depth * depth >= q * q ? depth : m_pow(q * q / g, 1.0 / 3.0);
}

// ---- level ----

// The surface at the face is that of a lake at rest outside. Water that flows in has come from rest, so its
// surface is lower by u^2/(2 g) (Bernoulli); without that it would bring unlimited energy. Outflow is not
// shallower than critical depth. In the ghost cells bed and surface go on as between the outermost cell and
// the face.
static void set_level_ghosts(const struct fluid *f, const struct boundary_face *b, float *h, const float *u,
                             double level)
{
    const double g = f->gravity, out = b->sign * (double)u[b->face], last = h[b->edge],
                 edge_bed = f->bed[b->edge], bed = limited_bed_at_face(f, b, h);
    const bool passes = passes_level(g, fastest_outflow(f, b, h, u), level - bed);
    double surface = out < 0.0 ? level - out * out / (2.0 * g) : level;
    if (out > 0.0) surface = bed + at_least_critical(g, out * last, surface - bed);
    const double change = passes ? 0.0 : fmax(2.0 * (surface - bed - last), -last);
    for (int k = 1; k <= 2; ++k) {
        f->bed[inwards(b, b->edge, -k)] = (float)(edge_bed + 2.0 * k * (bed - edge_bed));
        h[inwards(b, b->edge, -k)] = depth_quantise(f->impl, fmax(last + k * change, 0.0));
    }
}

void shallow_apply_level_boundary(const struct fluid *f, float *h, const float *u, const float *v, double t)
{
    const tarn_shallow_def *d = shallow_def_of(f);
    for (int s = 0; s < 4; ++s) {
        if (d->boundary[s].type != TARN_BOUNDARY_LEVEL) continue;
        const double level = boundary_level(f, &d->boundary[s], t);
        for (int k = 0; k < (s < 2 ? f->grid.nz : f->grid.nx); ++k) {
            const struct boundary_face b = boundary_face_at(&f->grid, s, k);
            set_level_ghosts(f, &b, h, s < 2 ? u : v, level);
        }
    }
}

// At a level the velocity follows from the momentum equation, within bounds: outflow is at most that of water
// that expands into a dry bed, inflow at most that of water that falls from the surface of the lake.
// Supercritical outflow that the lake cannot hold has the velocity of the next face inwards.
static double level_velocity(const struct fluid *f, const tarn_boundary *s, double t,
                             const struct boundary_face *b, const float *h, const float *u)
{
    const double lake = boundary_level(f, s, t) - limited_bed_at_face(f, b, h), g = f->gravity,
                 inside = b->sign * (double)u[inwards(b, b->face, 1)];
    if (passes_level(g, fastest_outflow(f, b, h, u), lake)) return inside;
    const double max_out = fmax(0.0, inside) + 2.0 * sqrt(g * (double)h[b->edge]),
                 max_in = sqrt(2.0 * g * fmax(0.0, lake));
    return clamp(b->sign * (double)u[b->face], -max_in, max_out);
}

// ---- open, wavemaker ----

// State between two rarefactions: u + 2c of the state inside leaves, u - 2c of the state outside enters.
static struct face_state middle_state(double g, struct face_state inside, struct face_state outside)
{
    const double ci = sqrt(g * inside.depth), co = sqrt(g * outside.depth);
    const double u = 0.5 * (inside.out + outside.out) + (ci - co),
                 c = 0.5 * (ci + co) + 0.25 * (inside.out - outside.out);
    return (struct face_state){u, c > 0.0 ? c * c / g : 0.0};
}

// Whether the outflow is supercritical and a jump from it to the middle state, if there is one, leaves too.
static bool passes_outside(double g, struct face_state inside, struct face_state outside)
{
    if (!is_supercritical_outflow(g, inside)) return false;
    const struct face_state middle = middle_state(g, inside, outside);
    return middle.depth <= inside.depth || middle.out * middle.depth >= inside.out * inside.depth;
}

// The state at the face of the Riemann problem. In a rarefaction that spreads over the face the flow is
// critical there.
static struct face_state riemann_face_state(double g, struct face_state inside, struct face_state outside)
{
    if (passes_outside(g, inside, outside)) return inside;
    const struct face_state middle = middle_state(g, inside, outside);
    const double c = sqrt(g * middle.depth);
    if (!(c > 0.0)) return (struct face_state){0.0, 0.0};
    if (fabs(middle.out) <= c) return middle;
    const double critical = middle.out > 0.0 ? fmax(0.0, (inside.out + 2.0 * sqrt(g * inside.depth)) / 3.0)
                                             : fmin(0.0, (outside.out - 2.0 * sqrt(g * outside.depth)) / 3.0);
    return (struct face_state){critical, critical * critical / g};
}

// The still water outside, or the wave that comes in, whose invariant u + 2c is that of the still water.
static struct face_state outside_state(const struct fluid *f, const tarn_boundary *s, double t, double bed)
{
    const double eta = s->type == TARN_BOUNDARY_WAVEMAKER ? ramp_factor(s, t) * oscillation(s, t) : 0.0;
    const double g = f->gravity, rest = fmax(0.0, -bed), depth = fmax(0.0, eta - bed);
    return (struct face_state){rest > 0.0 ? 2.0 * (sqrt(g * rest) - sqrt(g * depth)) : 0.0, depth};
}

// Depth half a cell and velocity one cell inside, extrapolated to the face by at most half the depth and half
// the wave speed. The surface is extrapolated, not the depth, so that still water over a sloping bed stays
// level. Where the velocity drops by a tenth of the wave speed within a few cells a jump may leave, whose
// slope is not that of the flow at the face: there is no extrapolation then.
static struct face_state extrapolate_to_face(const struct fluid *f, const struct boundary_face *b,
                                             const float *h, const float *u)
{
    const size_t next = inwards(b, b->edge, 1);
    const double depth = h[b->edge], c = sqrt(f->gravity * depth), velocity = u[inwards(b, b->face, 1)],
                 change = velocity - (double)u[inwards(b, b->face, 2)],
                 drop = b->sign * ((double)u[inwards(b, b->face, JUMP_CELLS)] - velocity);
    const double weight = c > 0.0 ? clamp(2.0 - 20.0 * drop / c, 0.0, 1.0) : 0.0;
    const double rise = (double)f->bed[b->edge] + depth - ((double)f->bed[next] + (double)h[next]);
    const double half_rise =
        (double)h[next] > f->dry_depth ? weight * clamp(0.5 * rise, -0.5 * depth, 0.5 * depth) : 0.0;
    return (struct face_state){
        b->sign * (velocity + weight * clamp(change, -0.5 * c, 0.5 * c)),
        fmax(0.0, depth + half_rise + ((double)f->bed[b->edge] - limited_bed_at_face(f, b, h)))};
}

static struct face_state open_face_state(const struct fluid *f, const tarn_boundary *s, double t,
                                         const struct boundary_face *b, const float *h, const float *u)
{
    const struct face_state outside = outside_state(f, s, t, limited_bed_at_face(f, b, h)),
                            last = {b->sign * (double)u[inwards(b, b->face, 1)], h[b->edge]};
    if (is_supercritical_outflow(f->gravity, last) ||
        passes_outside(f->gravity, fastest_outflow(f, b, h, u), outside))
        return last;
    return riemann_face_state(f->gravity, extrapolate_to_face(f, b, h, u), outside);
}

// ---- discharge ----

#define MAX_INFLOW_FROUDE 10.0 // faster inflow is refused

static bool can_flow_in(double g, double discharge, double depth)
{
    return depth > 0.0 &&
           discharge * discharge < MAX_INFLOW_FROUDE * MAX_INFLOW_FROUDE * g * depth * depth * depth;
}

// [m] Depth at a face below the level given for supercritical inflow.
static double inflow_depth(const struct fluid *f, const tarn_boundary *s, const struct boundary_face *b)
{
    return s->level - f->rest_level - bed_at_face(f, b, INFINITY);
}

tarn_result shallow_check_discharges(const struct fluid *f, tarn_error *err)
{
    for (int side = 0; side < 4; ++side) {
        const tarn_boundary *s = &shallow_def_of(f)->boundary[side];
        double deepest = 0.0;
        if (s->type != TARN_BOUNDARY_DISCHARGE || isnan(s->level)) continue;
        for (int k = 0; k < (side < 2 ? f->grid.nz : f->grid.nx); ++k) {
            const struct boundary_face b = boundary_face_at(&f->grid, side, k);
            deepest = fmax(deepest, inflow_depth(f, s, &b));
        }
        if (s->discharge != 0.0 && !can_flow_in(f->gravity, s->discharge, deepest))
            return fail(err, TARN_BAD_INPUT, depth_boundary_keys[side],
                        "no water enters: `level` %.6g is %.3g m above the bed at most, and there the Froude "
                        "number of %.6g m^2/s is above 10; raise `level` or leave it out",
                        s->level, deepest, s->discharge);
    }
    return TARN_OK;
}

// Subcritical inflow has the depth inside, at least critical depth. Inflow at a given surface below critical
// depth is supercritical, unless the water inside pushes a jump against it. There is none where its Froude
// number would be above 10.
static struct face_state discharge_face_state(const struct fluid *f, const tarn_boundary *s, double t,
                                              const struct boundary_face *b, const float *h, const float *u)
{
    const double g = f->gravity, in = ramp_factor(s, t) * value_or(s->discharge, 0.0),
                 depth = at_least_critical(g, in, extrapolate_to_face(f, b, h, u).depth);
    const struct face_state subcritical = {depth > 0.0 ? -in / depth : 0.0, depth};
    if (isnan(s->level)) return subcritical;
    const double given = inflow_depth(f, s, b);
    if (!can_flow_in(g, in, given)) return (struct face_state){0.0, 0.0};
    const bool enters = in > 0.0 && g * given * given * given < in * in &&
                        momentum_flux(g, in, given) >= momentum_flux(g, in, depth);
    return enters ? (struct face_state){-in / given, given} : subcritical;
}

// [m^2] What a constant discharge with its ramp has brought per metre until t.
static double delivered_area(const tarn_boundary *s, double t)
{
    const double ramp = value_or(s->ramp, 0.0);
    return s->discharge * (t < ramp ? 0.5 * t * t / ramp : t - 0.5 * ramp);
}

// [m] Inflow in the substep of dt that begins now: the difference of the rounded totals, so that rounding
// does not add up.
static double discharge_flux(const struct fluid *f, const tarn_boundary *s, double dt)
{
    const double dx = f->grid.dx;
    return depth_round_to_quanta(f->impl, delivered_area(s, f->time + dt) / dx) -
           depth_round_to_quanta(f->impl, delivered_area(s, f->time) / dx);
}

// ---- faces ----

static bool has_open_face(const struct fluid *f, int side)
{
    const tarn_boundary_type type = shallow_def_of(f)->boundary[side].type;
    return type != TARN_BOUNDARY_WALL && type != TARN_BOUNDARY_PERIODIC;
}

// Velocity at face k of an open boundary at time t, and with `flux` the flux in dt.
static void apply_boundary_face(const struct fluid *f, int side, double t, int k, const float *h, float *u,
                                float *flux, float dt_dx)
{
    const tarn_boundary *s = &shallow_def_of(f)->boundary[side];
    const struct boundary_face b = boundary_face_at(&f->grid, side, k);
    if (s->type == TARN_BOUNDARY_LEVEL) {
        u[b.face] = (float)(b.sign * level_velocity(f, s, t, &b, h, u));
        return;
    }
    const bool is_discharge = s->type == TARN_BOUNDARY_DISCHARGE;
    const struct face_state state =
        is_discharge ? discharge_face_state(f, s, t, &b, h, u) : open_face_state(f, s, t, &b, h, u);
    u[b.face] = (float)(b.sign * state.out);
    if (!flux) return;
    if (!is_discharge)
        flux[b.face] = depth_quantise(f->impl, b.sign * state.out * state.depth * (double)dt_dx);
    else
        flux[b.face] =
            state.depth > 0.0 ? (float)(-b.sign * discharge_flux(f, s, (double)dt_dx * f->grid.dx)) : 0.0f;
}

void shallow_apply_open_boundary_x(const struct fluid *f, const float *h, float *u, double t, int j,
                                   float *flux_x, float dt_dx)
{
    for (int side = 0; side < 2; ++side)
        if (has_open_face(f, side)) apply_boundary_face(f, side, t, j, h, u, flux_x, dt_dx);
}

void shallow_apply_open_boundary_z(const struct fluid *f, const float *h, float *v, double t, float *flux_z,
                                   float dt_dx)
{
    for (int side = 2; side < 4; ++side)
        for (int i = 0; has_open_face(f, side) && i < f->grid.nx; ++i)
            apply_boundary_face(f, side, t, i, h, v, flux_z, dt_dx);
}
