// What the flow meets at its sides, told through side faces, ghosts, and the ends of lines.
//
//     ghosts      side face   inside
//     -2   -1   |   0    1    2           k cells in from the west side; the others likewise
//
// A wall that holds the fluid is moved along or stands still: ghosts mirror what is inside about its speed. One that
// does not hold it mirrors as it is. An inflow goes on outside as it comes in, an outflow as it leaves, under no pressure.
#include "flow.h"

// ---- edges from parameters ------------------------------------------------------------------------

static double given(double x, double otherwise) { return isnan(x) ? otherwise : x; }

// The mean of 4 t (1 - t) over a cell of the given width, t from 0 to 1 along the opening.
static double parabola(double t, double width) { return 4.0 * (t * (1.0 - t) - width * width / 12.0); }

static double held_heat(const struct flow_def *d, const struct flow_side *s, double at)
{
    double heat = s->heat;
    for (int i = 0; i < s->spots.count; ++i)
        if (s->spots.rows[i][0] <= at && at <= s->spots.rows[i][1]) heat = s->spots.rows[i][2];
    return heat - d->heat_rest;
}

static void set_edge(const struct fluid *f, int side, int k)
{
    const struct flow_def *d = flow_def_of(f);
    const struct flow_side *s = &d->side[side];
    struct flow_edge *e = &((struct flow *)f->self)->edge[side];
    const double wide = flow_along(f, side) * f->g.s, at = (k + 0.5) * f->g.s;
    const double from = given(s->from, 0.0), to = given(s->to, wide);
    const bool inside = from <= at && at <= to;
    const int kind = inside || s->kind == FLOW_PERIODIC ? s->kind : FLOW_WALL;
    const double speed = given(s->speed, 0.0), inwards = side & 1 ? -1.0 : 1.0;
    const double part =
        s->profile == FLOW_PARABOLA ? parabola((at - from) / (to - from), f->g.s / (to - from)) : 1.0;
    e->kind[k] = (unsigned char)kind;
    e->slip[k] = s->slip != 0;
    e->normal[k] = kind == FLOW_INFLOW ? (float)(inwards * speed * part) : 0.0f;
    e->along[k] = s->kind == FLOW_WALL ? (float)speed : 0.0f;
    e->value[FLOW_DYE][k] = kind == FLOW_INFLOW ? (float)given(s->dye, 0.0) : NAN;
    const double heat = held_heat(d, s, at);
    e->value[FLOW_HEAT][k] = kind == FLOW_INFLOW ? (float)given(heat, 0.0) : (float)heat;
}

// ---- masses and ends --------------------------------------------------------------------------------

// What stands on a side face is told, unless it is an outflow.
static void hold_sides(const struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < flow_along(f, side); ++k) {
            const int kind = s->edge[side].kind[k];
            if (kind == FLOW_OUTFLOW || kind == FLOW_PERIODIC) continue;
            if (side < 2)
                s->mass_u[grid_at(g, side ? g->nx : 0, k)] = 0.0f;
            else
                s->mass_v[grid_at(g, k, side == 3 ? g->nz : 0)] = 0.0f;
        }
}

static float end_of_speed(const struct flow_edge *e, int k)
{
    if (e->kind[k] == FLOW_INFLOW) return 2.0f;
    return e->kind[k] == FLOW_WALL && !e->slip[k] ? 2.0f : 0.0f;
}

static float end_of_scalar(const struct flow_edge *e, int which, int k)
{
    if (e->kind[k] == FLOW_INFLOW) return 1.0f;
    return e->kind[k] == FLOW_WALL && !isnan(e->value[which][k]) ? 2.0f : 0.0f;
}

static void set_ends(const struct fluid *f)
{
    struct flow *s = f->self;
    for (int side = 0; side < 4; ++side) {
        const int count = flow_along(f, side), normal = side < 2 ? FLOW_U : FLOW_V;
        const struct flow_edge *e = &s->edge[side];
        for (int k = 0; k <= count; ++k) {
            const int at = imin(k, count - 1);
            s->net[normal].end[side][k] = 0.0f; // an outflow goes on; other nodes there are held
            s->net[1 - normal].end[side][k] = end_of_speed(e, at);
            for (int q = 0; q < FLOW_SCALARS; ++q) s->net[2 + q].end[side][k] = end_of_scalar(e, q, at);
        }
    }
}

void flow_edges(struct fluid *f)
{
    struct flow *s = f->self;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < flow_along(f, side); ++k) set_edge(f, side, k);
    for (int q = 0; q < FLOW_SCALARS; ++q)
        for (int side = 0; side < 4; ++side)
            for (int k = 0; k < flow_along(f, side); ++k) {
                const float value = s->edge[side].value[q][k];
                if (!isnan(value) && value != 0.0f) s->used[q] = true;
            }
    hold_sides(f);
    set_ends(f);
}

// ---- ghosts -----------------------------------------------------------------------------------------

// A line that ends at a side: `edge` the outermost cell's index, `face` that of the side face, `in` the way inwards, n
// the cells across.
struct ending {
    size_t edge, face;
    ptrdiff_t in;
    int n;
    int ghosts; // of speeds; there is room for one less beyond the northern faces
};
#define AT(q, from, steps) (q)[(size_t)((ptrdiff_t)(from) + (steps)*l->in)]

// Speeds that stand on side faces.
static void end_normal(const struct flow_edge *e, int k, const struct ending *l, float *u)
{
    const int kind = e->kind[k];
    if (kind == FLOW_WALL || kind == FLOW_INFLOW) u[l->face] = e->normal[k];
    for (int m = 1; m <= l->ghosts; ++m) {
        if (kind == FLOW_PERIODIC)
            AT(u, l->face, -m) = AT(u, l->face, l->n - m);
        else if (kind ==
                 FLOW_WALL) // where it is held it grows as the square of the distance, else in proportion
            AT(u, l->face, -m) = e->slip[k] ? -AT(u, l->face, m) : AT(u, l->face, m);
        else
            AT(u, l->face, -m) = u[l->face];
    }
}

static void end_along(const struct flow_edge *e, int k, const struct ending *l, float *v)
{
    const int kind = e->kind[k];
    for (int m = 1; m <= l->ghosts; ++m) {
        if (kind == FLOW_PERIODIC)
            AT(v, l->edge, -m) = AT(v, l->edge, l->n - m);
        else if (kind == FLOW_OUTFLOW)
            AT(v, l->edge, -m) = v[l->edge];
        else if (kind == FLOW_WALL && e->slip[k])
            AT(v, l->edge, -m) = AT(v, l->edge, m - 1);
        else
            AT(v, l->edge, -m) = 2.0f * e->along[k] - AT(v, l->edge, m - 1);
    }
}

static void end_scalar(const struct flow_edge *e, int which, int k, const struct ending *l, float *q)
{
    const int kind = e->kind[k];
    const float value = e->value[which][k];
    for (int m = 1; m <= 2; ++m) {
        if (kind == FLOW_PERIODIC)
            AT(q, l->edge, -m) = AT(q, l->edge, l->n - m);
        else if (kind == FLOW_OUTFLOW)
            AT(q, l->edge, -m) = q[l->edge];
        else if (kind == FLOW_INFLOW)
            AT(q, l->edge, -m) = value;
        else if (isnan(value))
            AT(q, l->edge, -m) = AT(q, l->edge, m - 1);
        else
            AT(q, l->edge, -m) = 2.0f * value - AT(q, l->edge, m - 1);
    }
}

static struct ending ending_x(const struct grid *g, int side, int j)
{
    const size_t edge = grid_at(g, side ? g->nx - 1 : 0, j);
    return (struct ending){edge, side ? edge + 1 : edge, side ? -1 : 1, g->nx, 3};
}

static struct ending ending_z(const struct grid *g, int side, int i)
{
    const ptrdiff_t n = (ptrdiff_t)g->stride;
    const size_t edge = grid_at(g, i, side == 3 ? g->nz - 1 : 0);
    return (struct ending){edge, side == 3 ? edge + g->stride : edge, side == 3 ? -n : n, g->nz, 3};
}

static int nearest(int k, int n) { return k < 0 ? 0 : k >= n ? n - 1 : k; }

void flow_ghosts_of_u(const struct fluid *f, float *u)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    for (int j = 0; f->wrap_x && j < g->nz; ++j) u[grid_at(g, g->nx, j)] = u[grid_at(g, 0, j)];
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j < g->nz; ++j) {
            const struct ending l = ending_x(g, side, j);
            end_normal(&s->edge[side], j, &l, u);
        }
    for (int side = 2; side < 4; ++side)
        for (int i = -3; i <= g->nx + 3; ++i) {
            const struct ending l = ending_z(g, side, i);
            end_along(&s->edge[side], nearest(i, g->nx), &l, u);
        }
}

void flow_ghosts_of_v(const struct fluid *f, float *v)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    for (int i = 0; f->wrap_z && i < g->nx; ++i) v[grid_at(g, i, g->nz)] = v[grid_at(g, i, 0)];
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j <= g->nz; ++j) {
            const struct ending l = ending_x(g, side, j);
            end_along(&s->edge[side], nearest(j, g->nz), &l, v);
        }
    for (int side = 2; side < 4; ++side)
        for (int i = -3; i <= g->nx + 3; ++i) {
            struct ending l = ending_z(g, side, i);
            if (side == 3) l.ghosts = 2;
            end_normal(&s->edge[side], nearest(i, g->nx), &l, v);
        }
}

void flow_speed_ghosts(const struct fluid *f, float *u, float *v)
{
    flow_ghosts_of_u(f, u);
    flow_ghosts_of_v(f, v);
}

void flow_scalar_ghosts(const struct fluid *f, int which, float *q)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    for (int side = 0; side < 2; ++side)
        for (int j = 0; j < g->nz; ++j) {
            const struct ending l = ending_x(g, side, j);
            end_scalar(&s->edge[side], which, j, &l, q);
        }
    for (int side = 2; side < 4; ++side)
        for (int i = -2; i < g->nx + 2; ++i) {
            const struct ending l = ending_z(g, side, i);
            end_scalar(&s->edge[side], which, nearest(i, g->nx), &l, q);
        }
}

// Pressure goes on beyond a wall; on an outflow itself it is 0.
#define PRESSURE_GHOSTS(type, name)                                                                        \
    static void name(const struct fluid *f, type *p)                                                       \
    {                                                                                                      \
        const struct flow *s = f->self;                                                                    \
        const struct grid *g = &f->g;                                                                      \
        for (int side = 0; side < 4; ++side)                                                               \
            for (int k = 0; k < flow_along(f, side); ++k) {                                                \
                const struct ending at = side < 2 ? ending_x(g, side, k) : ending_z(g, side, k), *l = &at; \
                const int kind = s->edge[side].kind[k];                                                    \
                AT(p, l->edge, -1) = kind == FLOW_PERIODIC  ? AT(p, l->edge, l->n - 1)                     \
                                     : kind == FLOW_OUTFLOW ? -p[l->edge]                                  \
                                                            : p[l->edge];                                  \
            }                                                                                              \
    }
PRESSURE_GHOSTS(float, ghosts_of_pressure)
PRESSURE_GHOSTS(double, ghosts_of_solution)
void flow_pressure_ghosts(const struct fluid *f, float *p) { ghosts_of_pressure(f, p); }
void flow_solution_ghosts(const struct fluid *f, double *x) { ghosts_of_solution(f, x); }

// ---- the system of the pressure -----------------------------------------------------------------------

// Close (or open again) the faces of a side that are no outflow, where some of it is.
static void close_walls(const struct fluid *f, int side, float *kept, bool back)
{
    struct flow *s = f->self;
    for (int k = 0; k < flow_along(f, side); ++k) {
        const struct ending l = side < 2 ? ending_x(&f->g, side, k) : ending_z(&f->g, side, k);
        float *face = side < 2 ? &s->ax[l.face] : &s->az[l.face];
        if (back)
            *face = kept[k];
        else {
            kept[k] = *face;
            if (s->edge[side].kind[k] != FLOW_OUTFLOW) *face = 0.0f;
        }
    }
}

bool flow_prepare(struct fluid *f)
{
    struct flow *s = f->self;
    struct linear system = {.open = s->cells,
                            .beta_x = s->ax,
                            .beta_z = s->az,
                            .wrap_x = f->wrap_x,
                            .wrap_z = f->wrap_z,
                            .terms = s->terms,
                            .term_count = s->moving ? s->term_count : 0};
    float *kept = s->lines; // scratch
    const size_t each = (size_t)imax(f->g.nx, f->g.nz);
    for (int side = 0; side < 4; ++side) {
        if (flow_def_of(f)->side[side].kind != FLOW_OUTFLOW) continue;
        system.side[side] = 2.0f;
        close_walls(f, side, kept + (size_t)side * each, false);
    }
    const bool good = linear_prepare(s->solver, &system) == TARN_OK;
    for (int side = 0; side < 4; ++side)
        if (system.side[side] > 0.0f) close_walls(f, side, kept + (size_t)side * each, true);
    return good;
}
