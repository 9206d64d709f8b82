// Boundary conditions of the domain: boundary data from the parameters, ghost cells, boundary coefficients of
// implicit diffusion, and the setup of the pressure system. flow_step.c and flow_build_cut_cells() call it.
//
//     ghosts      boundary face   inside
//     -2   -1   |   0    1    2           cells from the west side inwards; the other sides are the same
//
// No-slip walls: ghosts mirror the interior about the wall velocity. Slip walls: ghosts equal the interior.
// Inflow: the ghosts of scalars have the boundary value. Outflow: zero gradient, and pressure 0 on the face.
#include "flow.h"
#include "fluid/measured_solve.h"

// ---- boundary data from parameters ----

static double value_or(double x, double default_value) { return isnan(x) ? default_value : x; }

// Mean of 4 t (1 - t) over a cell of the given width, t running from 0 to 1 along the inflow.
static double parabola_mean(double t, double width) { return 4.0 * (t * (1.0 - t) - width * width / 12.0); }

static double boundary_temperature(const tarn_flow_def *d, const tarn_flow_boundary *def, double position)
{
    double temperature = def->temperature;
    for (int i = 0; i < def->hot_spot_count; ++i)
        if (def->hot_spots[i].start <= position && position <= def->hot_spots[i].end)
            temperature = def->hot_spots[i].temperature;
    return temperature - d->temperature.reference;
}

static void set_boundary_at(const struct fluid *f, int side, int k)
{
    const tarn_flow_def *d = flow_def_of(f);
    const tarn_flow_boundary *def = &d->boundary[side];
    struct flow_boundary *out = &((struct flow *)f->impl)->boundary[side];
    const double length = flow_side_length(f, side) * f->grid.dx, position = (k + 0.5) * f->grid.dx;
    const double from = value_or(def->start, 0.0), to = value_or(def->end, length);
    const bool inside = from <= position && position <= to;
    const int kind = inside || def->type == TARN_FLOW_PERIODIC ? def->type : TARN_FLOW_WALL;
    const double sign = side & 1 ? -1.0 : 1.0, inflow_speed = value_or(def->inflow_speed, 0.0);
    const double factor = def->profile == TARN_FLOW_PARABOLIC
                              ? parabola_mean((position - from) / (to - from), f->grid.dx / (to - from))
                              : 1.0;
    out->kind[k] = (unsigned char)kind;
    out->slip[k] = def->slip != 0;
    out->normal_velocity[k] = kind == TARN_FLOW_INFLOW ? (float)(sign * inflow_speed * factor) : 0.0f;
    out->tangential_velocity[k] = def->type == TARN_FLOW_WALL ? (float)value_or(def->wall_speed, 0.0) : 0.0f;
    out->value[FLOW_DYE][k] = kind == TARN_FLOW_INFLOW ? (float)value_or(def->dye, 0.0) : NAN;
    const double temperature = boundary_temperature(d, def, position);
    out->value[FLOW_TEMPERATURE][k] =
        kind == TARN_FLOW_INFLOW ? (float)value_or(temperature, 0.0) : (float)temperature;
}

// ---- masses and coefficients ----

// Nodes on the boundary are prescribed, except at outflows and periodic sides.
static void fix_boundary_nodes(const struct fluid *f)
{
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < flow_side_length(f, side); ++k) {
            const int kind = s->boundary[side].kind[k];
            if (kind == TARN_FLOW_OUTFLOW || kind == TARN_FLOW_PERIODIC) continue;
            if (side < 2)
                s->mass_u[grid_at(g, side ? g->nx : 0, k)] = 0.0f;
            else
                s->mass_v[grid_at(g, k, side == 3 ? g->nz : 0)] = 0.0f;
        }
}

static float velocity_boundary_coef(const struct flow_boundary *data, int k)
{
    if (data->kind[k] == TARN_FLOW_INFLOW) return 2.0f;
    return data->kind[k] == TARN_FLOW_WALL && !data->slip[k] ? 2.0f : 0.0f;
}

static float scalar_boundary_coef(const struct flow_boundary *data, int which, int k)
{
    if (data->kind[k] == TARN_FLOW_INFLOW) return 1.0f;
    return data->kind[k] == TARN_FLOW_WALL && !isnan(data->value[which][k]) ? 2.0f : 0.0f;
}

static void set_boundary_coefs(const struct fluid *f)
{
    struct flow *s = f->impl;
    for (int side = 0; side < 4; ++side) {
        const int count = flow_side_length(f, side), normal = side < 2 ? FLOW_U : FLOW_V;
        const struct flow_boundary *data = &s->boundary[side];
        for (int k = 0; k <= count; ++k) {
            const int cell = imin(k, count - 1);
            s->component[normal].boundary_coef[side][k] =
                0.0f; // outflow: zero gradient; other nodes are prescribed
            s->component[1 - normal].boundary_coef[side][k] = velocity_boundary_coef(data, cell);
            for (int q = 0; q < FLOW_SCALARS; ++q)
                s->component[2 + q].boundary_coef[side][k] = scalar_boundary_coef(data, q, cell);
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

// ---- ghost cells ----

// A line of nodes that ends at a side: index of the outermost cell, index of the boundary face, stride
// inwards, number of cells along the line.
struct ghost_line {
    size_t edge_cell, face;
    ptrdiff_t inward;
    int n;
    int ghosts; // of velocities; one less is allocated beyond the northern faces
};
#define GHOST_AT(q, from, steps) (q)[(size_t)((ptrdiff_t)(from) + (steps)*l->inward)]

// Velocity component normal to the side.
static void fill_normal_ghosts(const struct flow_boundary *data, int k, const struct ghost_line *l, float *u)
{
    const int kind = data->kind[k];
    if (kind == TARN_FLOW_WALL || kind == TARN_FLOW_INFLOW) u[l->face] = data->normal_velocity[k];
    for (int m = 1; m <= l->ghosts; ++m) {
        if (kind == TARN_FLOW_PERIODIC)
            GHOST_AT(u, l->face, -m) = GHOST_AT(u, l->face, l->n - m);
        else if (kind == TARN_FLOW_WALL) // no-slip: u grows with the square of the distance; slip: linearly
            GHOST_AT(u, l->face, -m) = data->slip[k] ? -GHOST_AT(u, l->face, m) : GHOST_AT(u, l->face, m);
        else
            GHOST_AT(u, l->face, -m) = u[l->face];
    }
}

static void fill_tangential_ghosts(const struct flow_boundary *data, int k, const struct ghost_line *l,
                                   float *v)
{
    const int kind = data->kind[k];
    for (int m = 1; m <= l->ghosts; ++m) {
        if (kind == TARN_FLOW_PERIODIC)
            GHOST_AT(v, l->edge_cell, -m) = GHOST_AT(v, l->edge_cell, l->n - m);
        else if (kind == TARN_FLOW_OUTFLOW)
            GHOST_AT(v, l->edge_cell, -m) = v[l->edge_cell];
        else if (kind == TARN_FLOW_WALL && data->slip[k])
            GHOST_AT(v, l->edge_cell, -m) = GHOST_AT(v, l->edge_cell, m - 1);
        else
            GHOST_AT(v, l->edge_cell, -m) =
                2.0f * data->tangential_velocity[k] - GHOST_AT(v, l->edge_cell, m - 1);
    }
}

static void fill_scalar_line(const struct flow_boundary *data, int which, int k, const struct ghost_line *l,
                             float *q)
{
    const int kind = data->kind[k];
    const float value = data->value[which][k];
    for (int m = 1; m <= 2; ++m) {
        if (kind == TARN_FLOW_PERIODIC)
            GHOST_AT(q, l->edge_cell, -m) = GHOST_AT(q, l->edge_cell, l->n - m);
        else if (kind == TARN_FLOW_OUTFLOW)
            GHOST_AT(q, l->edge_cell, -m) = q[l->edge_cell];
        else if (kind == TARN_FLOW_INFLOW)
            GHOST_AT(q, l->edge_cell, -m) = value;
        else if (isnan(value))
            GHOST_AT(q, l->edge_cell, -m) = GHOST_AT(q, l->edge_cell, m - 1);
        else
            GHOST_AT(q, l->edge_cell, -m) = 2.0f * value - GHOST_AT(q, l->edge_cell, m - 1);
    }
}

static struct ghost_line ghost_line_x(const struct grid *g, int side, int j)
{
    const size_t cell = grid_at(g, side ? g->nx - 1 : 0, j);
    return (struct ghost_line){cell, side ? cell + 1 : cell, side ? -1 : 1, g->nx, 3};
}

static struct ghost_line ghost_line_z(const struct grid *g, int side, int i)
{
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    const size_t cell = grid_at(g, i, side == 3 ? g->nz - 1 : 0);
    return (struct ghost_line){cell, side == 3 ? cell + g->stride : cell, side == 3 ? -n : n, g->nz, 3};
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

// Zero gradient at walls and inflows; 0 on the face of an outflow.
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
                GHOST_AT(p, l->edge_cell, -1) = kind == TARN_FLOW_PERIODIC                                   \
                                                    ? GHOST_AT(p, l->edge_cell, l->n - 1)                    \
                                                : kind == TARN_FLOW_OUTFLOW ? -p[l->edge_cell]               \
                                                                            : p[l->edge_cell];               \
            }                                                                                                \
    }
PRESSURE_GHOSTS(float, fill_pressure_ghosts)
PRESSURE_GHOSTS(double, fill_potential_ghosts)
void flow_fill_pressure_ghosts(const struct fluid *f, float *p) { fill_pressure_ghosts(f, p); }
void flow_fill_potential_ghosts(const struct fluid *f, double *x) { fill_potential_ghosts(f, x); }

// ---- linear system of the pressure ----

// Close the faces of a side that are not outflow, saving their apertures; or restore them.
static void close_or_restore_walls(const struct fluid *f, int side, float *saved, bool restore)
{
    struct flow *s = f->impl;
    for (int k = 0; k < flow_side_length(f, side); ++k) {
        const struct ghost_line l =
            side < 2 ? ghost_line_x(&f->grid, side, k) : ghost_line_z(&f->grid, side, k);
        float *face = side < 2 ? &s->aperture_x[l.face] : &s->aperture_z[l.face];
        if (restore)
            *face = saved[k];
        else {
            saved[k] = *face;
            if (s->boundary[side].kind[k] != TARN_FLOW_OUTFLOW) *face = 0.0f;
        }
    }
}

// The solver applies a boundary factor to a whole side. On a side with a section of outflow the faces of the
// rest are closed during the setup.
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
    float *saved = s->saved_apertures;
    const size_t side_length = (size_t)imax(f->grid.nx, f->grid.nz);
    for (int side = 0; side < 4; ++side) {
        if (flow_def_of(f)->boundary[side].type != TARN_FLOW_OUTFLOW) continue;
        system.boundary_factor[side] = 2.0f;
        close_or_restore_walls(f, side, saved + (size_t)side * side_length, false);
    }
    const bool ok = measured_setup(f, s->solver, &system) == TARN_OK;
    for (int side = 0; side < 4; ++side)
        if (system.boundary_factor[side] > 0.0f)
            close_or_restore_walls(f, side, saved + (size_t)side * side_length, true);
    return ok;
}
