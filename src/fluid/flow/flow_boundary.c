// What the flow meets at its sides, told through side faces, ghosts, and the ends of lines.
//
//     ghosts      side face   inside
//     -2   -1   |   0    1    2           k cells in from the west side; the others likewise
//
// A wall that holds the fluid is moved along or stands still: ghosts mirror what is inside about its speed.
// One that does not hold it mirrors as it is. An inflow goes on outside as it comes in, an outflow as it
// leaves, under no pressure.
#include "flow.h"

// ---- edges from parameters ----

static double value_or(double x, double otherwise) { return isnan(x) ? otherwise : x; }

// The mean of 4 t (1 - t) over a cell of the given width, t from 0 to 1 along the opening.
static double parabola_mean(double t, double width) { return 4.0 * (t * (1.0 - t) - width * width / 12.0); }

static double boundary_temperature(const struct flow_def *d, const struct flow_boundary_def *s, double at)
{
    double heat = s->temperature;
    for (int i = 0; i < s->spots.count; ++i)
        if (s->spots.rows[i][0] <= at && at <= s->spots.rows[i][1]) heat = s->spots.rows[i][2];
    return heat - d->heat_rest;
}

static void set_boundary_at(const struct fluid *f, int side, int k)
{
    const struct flow_def *d = flow_def_of(f);
    const struct flow_boundary_def *s = &d->boundary[side];
    struct flow_boundary *e = &((struct flow *)f->impl)->boundary[side];
    const double wide = flow_side_length(f, side) * f->grid.dx, at = (k + 0.5) * f->grid.dx;
    const double from = value_or(s->from, 0.0), to = value_or(s->to, wide);
    const bool inside = from <= at && at <= to;
    const int kind = inside || s->kind == FLOW_PERIODIC ? s->kind : FLOW_WALL;
    const double speed = value_or(s->speed, 0.0), inwards = side & 1 ? -1.0 : 1.0;
    const double part = s->profile == FLOW_PARABOLA
                            ? parabola_mean((at - from) / (to - from), f->grid.dx / (to - from))
                            : 1.0;
    e->kind[k] = (unsigned char)kind;
    e->slip[k] = s->slip != 0;
    e->normal_velocity[k] = kind == FLOW_INFLOW ? (float)(inwards * speed * part) : 0.0f;
    e->tangential_velocity[k] = s->kind == FLOW_WALL ? (float)speed : 0.0f;
    e->value[FLOW_DYE][k] = kind == FLOW_INFLOW ? (float)value_or(s->dye, 0.0) : NAN;
    const double heat = boundary_temperature(d, s, at);
    e->value[FLOW_TEMPERATURE][k] = kind == FLOW_INFLOW ? (float)value_or(heat, 0.0) : (float)heat;
}

// ---- masses and ends ----

// What stands on a side face is told, unless it is an outflow.
static void fix_boundary_nodes(const struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < flow_side_length(f, side); ++k) {
            const int kind = s->boundary[side].kind[k];
            if (kind == FLOW_OUTFLOW || kind == FLOW_PERIODIC) continue;
            if (side < 2)
                s->mass_u[grid_at(g, side ? g->nx : 0, k)] = 0.0f;
            else
                s->mass_v[grid_at(g, k, side == 3 ? g->nz : 0)] = 0.0f;
        }
}

static float velocity_boundary_coef(const struct flow_boundary *e, int k)
{
    if (e->kind[k] == FLOW_INFLOW) return 2.0f;
    return e->kind[k] == FLOW_WALL && !e->slip[k] ? 2.0f : 0.0f;
}

static float scalar_boundary_coef(const struct flow_boundary *e, int which, int k)
{
    if (e->kind[k] == FLOW_INFLOW) return 1.0f;
    return e->kind[k] == FLOW_WALL && !isnan(e->value[which][k]) ? 2.0f : 0.0f;
}

static void set_boundary_coefs(const struct fluid *f)
{
    struct flow *s = f->impl;
    for (int side = 0; side < 4; ++side) {
        const int count = flow_side_length(f, side), normal = side < 2 ? FLOW_U : FLOW_V;
        const struct flow_boundary *e = &s->boundary[side];
        for (int k = 0; k <= count; ++k) {
            const int at = imin(k, count - 1);
            s->component[normal].boundary_coef[side][k] =
                0.0f; // an outflow goes on; other nodes there are held
            s->component[1 - normal].boundary_coef[side][k] = velocity_boundary_coef(e, at);
            for (int q = 0; q < FLOW_SCALARS; ++q)
                s->component[2 + q].boundary_coef[side][k] = scalar_boundary_coef(e, q, at);
        }
    }
}

void flow_update_boundary(struct fluid *f)
{
    struct flow *s = f->impl;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < flow_side_length(f, side); ++k) set_boundary_at(f, side, k);
    for (int q = 0; q < FLOW_SCALARS; ++q)
        for (int side = 0; side < 4; ++side)
            for (int k = 0; k < flow_side_length(f, side); ++k) {
                const float value = s->boundary[side].value[q][k];
                if (!isnan(value) && value != 0.0f) s->scalar_used[q] = true;
            }
    fix_boundary_nodes(f);
    set_boundary_coefs(f);
}

// ---- ghosts ----

// A line that ends at a side: `edge` the outermost cell's index, `face` that of the side face, `in` the way
// inwards, n the cells across.
struct ghost_line {
    size_t edge, face;
    ptrdiff_t inward;
    int n;
    int ghosts; // of speeds; there is room for one less beyond the northern faces
};
#define GHOST_AT(q, from, steps) (q)[(size_t)((ptrdiff_t)(from) + (steps)*l->inward)]

// Speeds that stand on side faces.
static void fill_normal_ghosts(const struct flow_boundary *e, int k, const struct ghost_line *l, float *u)
{
    const int kind = e->kind[k];
    if (kind == FLOW_WALL || kind == FLOW_INFLOW) u[l->face] = e->normal_velocity[k];
    for (int m = 1; m <= l->ghosts; ++m) {
        if (kind == FLOW_PERIODIC)
            GHOST_AT(u, l->face, -m) = GHOST_AT(u, l->face, l->n - m);
        else if (kind ==
                 FLOW_WALL) // where it is held it grows as the square of the distance, else in proportion
            GHOST_AT(u, l->face, -m) = e->slip[k] ? -GHOST_AT(u, l->face, m) : GHOST_AT(u, l->face, m);
        else
            GHOST_AT(u, l->face, -m) = u[l->face];
    }
}

static void fill_tangential_ghosts(const struct flow_boundary *e, int k, const struct ghost_line *l, float *v)
{
    const int kind = e->kind[k];
    for (int m = 1; m <= l->ghosts; ++m) {
        if (kind == FLOW_PERIODIC)
            GHOST_AT(v, l->edge, -m) = GHOST_AT(v, l->edge, l->n - m);
        else if (kind == FLOW_OUTFLOW)
            GHOST_AT(v, l->edge, -m) = v[l->edge];
        else if (kind == FLOW_WALL && e->slip[k])
            GHOST_AT(v, l->edge, -m) = GHOST_AT(v, l->edge, m - 1);
        else
            GHOST_AT(v, l->edge, -m) = 2.0f * e->tangential_velocity[k] - GHOST_AT(v, l->edge, m - 1);
    }
}

static void fill_scalar_line(const struct flow_boundary *e, int which, int k, const struct ghost_line *l,
                             float *q)
{
    const int kind = e->kind[k];
    const float value = e->value[which][k];
    for (int m = 1; m <= 2; ++m) {
        if (kind == FLOW_PERIODIC)
            GHOST_AT(q, l->edge, -m) = GHOST_AT(q, l->edge, l->n - m);
        else if (kind == FLOW_OUTFLOW)
            GHOST_AT(q, l->edge, -m) = q[l->edge];
        else if (kind == FLOW_INFLOW)
            GHOST_AT(q, l->edge, -m) = value;
        else if (isnan(value))
            GHOST_AT(q, l->edge, -m) = GHOST_AT(q, l->edge, m - 1);
        else
            GHOST_AT(q, l->edge, -m) = 2.0f * value - GHOST_AT(q, l->edge, m - 1);
    }
}

static struct ghost_line ghost_line_x(const struct grid *g, int side, int j)
{
    const size_t edge = grid_at(g, side ? g->nx - 1 : 0, j);
    return (struct ghost_line){edge, side ? edge + 1 : edge, side ? -1 : 1, g->nx, 3};
}

static struct ghost_line ghost_line_z(const struct grid *g, int side, int i)
{
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    const size_t edge = grid_at(g, i, side == 3 ? g->nz - 1 : 0);
    return (struct ghost_line){edge, side == 3 ? edge + g->stride : edge, side == 3 ? -n : n, g->nz, 3};
}

static int clamp_index(int k, int n) { return k < 0 ? 0 : k >= n ? n - 1 : k; }

void flow_fill_u_ghosts(const struct fluid *f, float *u)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    for (int j = 0; f->periodic_x && j < g->nz; ++j) u[grid_at(g, g->nx, j)] = u[grid_at(g, 0, j)];
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j < g->nz; ++j) {
            const struct ghost_line l = ghost_line_x(g, side, j);
            fill_normal_ghosts(&s->boundary[side], j, &l, u);
        }
    for (int side = 2; side < 4; ++side)
        for (int i = -3; i <= g->nx + 3; ++i) {
            const struct ghost_line l = ghost_line_z(g, side, i);
            fill_tangential_ghosts(&s->boundary[side], clamp_index(i, g->nx), &l, u);
        }
}

void flow_fill_v_ghosts(const struct fluid *f, float *v)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    for (int i = 0; f->periodic_z && i < g->nx; ++i) v[grid_at(g, i, g->nz)] = v[grid_at(g, i, 0)];
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j <= g->nz; ++j) {
            const struct ghost_line l = ghost_line_x(g, side, j);
            fill_tangential_ghosts(&s->boundary[side], clamp_index(j, g->nz), &l, v);
        }
    for (int side = 2; side < 4; ++side)
        for (int i = -3; i <= g->nx + 3; ++i) {
            struct ghost_line l = ghost_line_z(g, side, i);
            if (side == 3) l.ghosts = 2;
            fill_normal_ghosts(&s->boundary[side], clamp_index(i, g->nx), &l, v);
        }
}

void flow_fill_velocity_ghosts(const struct fluid *f, float *u, float *v)
{
    flow_fill_u_ghosts(f, u);
    flow_fill_v_ghosts(f, v);
}

void flow_fill_scalar_ghosts(const struct fluid *f, int which, float *q)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j < g->nz; ++j) {
            const struct ghost_line l = ghost_line_x(g, side, j);
            fill_scalar_line(&s->boundary[side], which, j, &l, q);
        }
    for (int side = 2; side < 4; ++side)
        for (int i = -2; i < g->nx + 2; ++i) {
            const struct ghost_line l = ghost_line_z(g, side, i);
            fill_scalar_line(&s->boundary[side], which, clamp_index(i, g->nx), &l, q);
        }
}

// Pressure goes on beyond a wall; on an outflow itself it is 0.
#define PRESSURE_GHOSTS(type, name)                                                                          \
    static void name(const struct fluid *f, type *p)                                                         \
    {                                                                                                        \
        const struct flow *s = f->impl;                                                                      \
        const struct grid *g = &f->grid;                                                                     \
        for (int side = 0; side < 4; ++side)                                                                 \
            for (int k = 0; k < flow_side_length(f, side); ++k) {                                            \
                const struct ghost_line at = side < 2 ? ghost_line_x(g, side, k) : ghost_line_z(g, side, k), \
                                        *l = &at;                                                            \
                const int kind = s->boundary[side].kind[k];                                                  \
                GHOST_AT(p, l->edge, -1) = kind == FLOW_PERIODIC  ? GHOST_AT(p, l->edge, l->n - 1)           \
                                           : kind == FLOW_OUTFLOW ? -p[l->edge]                              \
                                                                  : p[l->edge];                              \
            }                                                                                                \
    }
PRESSURE_GHOSTS(float, ghosts_of_pressure)
PRESSURE_GHOSTS(double, ghosts_of_solution)
void flow_fill_pressure_ghosts(const struct fluid *f, float *p) { ghosts_of_pressure(f, p); }
void flow_fill_potential_ghosts(const struct fluid *f, double *x) { ghosts_of_solution(f, x); }

// ---- the system of the pressure ----

// Close (or open again) the faces of a side that are no outflow, where some of it is.
static void close_or_restore_walls(const struct fluid *f, int side, float *kept, bool back)
{
    struct flow *s = f->impl;
    for (int k = 0; k < flow_side_length(f, side); ++k) {
        const struct ghost_line l =
            side < 2 ? ghost_line_x(&f->grid, side, k) : ghost_line_z(&f->grid, side, k);
        float *face = side < 2 ? &s->aperture_x[l.face] : &s->aperture_z[l.face];
        if (back)
            *face = kept[k];
        else {
            kept[k] = *face;
            if (s->boundary[side].kind[k] != FLOW_OUTFLOW) *face = 0.0f;
        }
    }
}

bool flow_setup_pressure_solver(struct fluid *f)
{
    struct flow *s = f->impl;
    struct linear_system system = {.active = s->is_fluid,
                                   .beta_x = s->aperture_x,
                                   .beta_z = s->aperture_z,
                                   .periodic_x = f->periodic_x,
                                   .periodic_z = f->periodic_z,
                                   .terms = s->body_terms,
                                   .term_count = s->has_moving_solids ? s->body_term_count : 0};
    float *kept = s->saved_apertures;
    const size_t each = (size_t)imax(f->grid.nx, f->grid.nz);
    for (int side = 0; side < 4; ++side) {
        if (flow_def_of(f)->boundary[side].kind != FLOW_OUTFLOW) continue;
        system.boundary_factor[side] = 2.0f;
        close_or_restore_walls(f, side, kept + (size_t)side * each, false);
    }
    const bool good = linear_setup(s->solver, &system) == TARN_OK;
    for (int side = 0; side < 4; ++side)
        if (system.boundary_factor[side] > 0.0f)
            close_or_restore_walls(f, side, kept + (size_t)side * each, true);
    return good;
}
