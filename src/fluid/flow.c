// The flow model: an incompressible fluid in the (x, y) plane, seen from the front, with dye and heat in it.
//
//     u_t + u . grad(u) = -grad(p)/rho + nu lap(u) + beta g (T - T0) up + force,     div(u) = 0
//     T_t + u . grad(T) = a lap(T),     likewise the dye
//
// Speeds stand on faces, everything else in the middle of cells. Rows lead upwards: what height fields call z is y here,
// and the origin is the lower left corner.
#include "flow.h"

#include "base/error.h"
#include "base/sum.h"

#include <string.h>

static const char *const side_names[] = {"wall", "inflow", "outflow", "periodic", NULL};
static const char *const advection_names[] = {"maccormack", "semi-lagrangian", "conservative", NULL};
static const char *const coupling_names[] = {"strong", "weak", NULL};
static const char *const profile_names[] = {"uniform", "parabola", NULL};

#define SIDE(i, name_)                                                                                      \
    PARAM_CHOICE(struct flow_def, side[i].kind, "sides." name_, FLOW_WALL, side_names,                      \
                 "what the fluid meets there"),                                                             \
        PARAM_FLAG(struct flow_def, side[i].slip, "sides." name_ ".slip", 0,                                \
                   "wall: it does not hold the fluid back"),                                                \
        PARAM_MAYBE_LIVE(struct flow_def, side[i].speed, "sides." name_ ".speed", -1e4, 1e4, "m/s",         \
                         "wall: at which it moves along x or y; inflow: at which the fluid comes in"),      \
        PARAM_CHOICE(struct flow_def, side[i].profile, "sides." name_ ".profile", FLOW_UNIFORM,             \
                     profile_names, "inflow: parabola has `speed` in the middle and 0 at the ends"),        \
        PARAM_MAYBE(struct flow_def, side[i].from, "sides." name_ ".from", 0, 1e6, "m",                     \
                    "inflow, outflow: where it begins along the side; the rest is a wall"),                 \
        PARAM_MAYBE(struct flow_def, side[i].to, "sides." name_ ".to", 0, 1e6, "m", "where it ends"),       \
        PARAM_MAYBE_LIVE(struct flow_def, side[i].dye, "sides." name_ ".dye", 0, 1e6, "", "of an inflow"),  \
        PARAM_MAYBE_LIVE(struct flow_def, side[i].heat, "sides." name_ ".heat", -1e6, 1e6, "K",             \
                         "temperature of a wall (not given: it lets no heat pass) or an inflow"),           \
        PARAM_TABLE(struct flow_def, side[i].spots, "sides." name_ ".spots", 3, FLOW_SPOTS, -1e6, 1e6, "m", \
                    "parts of a wall that have a temperature of their own: from, to, temperature")

static const tarn_param params[] = {
    PARAM_VEC2(struct flow_def, size, "size", 1, 1, 1e-6, 1e6, "m", "length along x and y"),
    PARAM_INT2(struct flow_def, cells, "cells", 128, 128, 4, 32768, "along x and y; they must be square"),
    PARAM_CHOICE(struct flow_def, advection, "advection", FLOW_MACCORMACK, advection_names,
                 "maccormack and semi-lagrangian for looks, conservative for numbers"),
    PARAM_LIVE(struct flow_def, viscosity, "viscosity", 1e-5, 0, 1e4, "m^2/s", "kinematic; air 1.5e-5"),
    PARAM_LIVE(struct flow_def, dye_diffusion, "dye.diffusion", 0, 0, 1e4, "m^2/s", "how fast dye spreads"),
    PARAM_LIVE(struct flow_def, dye_decay, "dye.decay", 0, 0, 1e4, "1/s", "how fast dye fades"),
    PARAM_LIVE(struct flow_def, heat_diffusion, "heat.diffusion", 0, 0, 1e4, "m^2/s",
               "how fast heat spreads"),
    PARAM_LIVE(struct flow_def, heat_expansion, "heat.expansion", 0.0034, -1e6, 1e6, "1/K",
               "beta: the fluid rises with beta g (T - rest)"),
    PARAM_NUMBER(struct flow_def, heat_rest, "heat.rest", 0, -1e6, 1e6, "K",
                 "temperature at which it neither rises nor sinks, and with which it begins"),
    PARAM_LIVE(struct flow_def, confinement, "confinement.strength", 0, 0, 100, "",
               "keeps small eddies turning; 0: off"),
    PARAM_LIVE(struct flow_def, confinement_length, "confinement.length", 0.01, 1e-6, 1e4, "m",
               "size of the eddies that it is for"),
    PARAM_LIVE(struct flow_def, confinement_from, "confinement.from", 0, 0, 1e6, "m",
               "x from which on it acts: to see both sides by side"),
    PARAM_LIVE(struct flow_def, force[0], "force.x", 0, -1e6, 1e6, "m/s^2", "that acts everywhere"),
    PARAM_LIVE(struct flow_def, force[1], "force.y", 0, -1e6, 1e6, "m/s^2", "likewise"),
    PARAM_LIVE(struct flow_def, tolerance, "projection", 1e-5, 1e-9, 1e-1, "",
               "what may be left of the divergence: its root mean square times the cell size over the "
               "fastest speed"),
    PARAM_NUMBER(struct flow_def, courant, "courant", 0.8, 0.05, 1, "",
                 "conservative: cells that the fluid may pass in an inner step"),
    PARAM_INTEGER(struct flow_def, steps, "steps", 0, 0, 100000,
                  "inner steps in a world step at least; 0: one, or what `courant` asks for"),
    PARAM_LIVE_CHOICE(
        struct flow_def, coupling, "coupling", FLOW_STRONG, coupling_names,
        "how what is loose in it is carried: strong finds its speed together with the pressure, "
        "weak after it, "
        "which blows up where it is lighter than the fluid that it has to take along"),
    PARAM_NUMBER(struct flow_def, strength, "coupling.strength", 1, 0, 10, "",
                 "weak: what multiplies forces"),
    PARAM_FLAG(struct flow_def, frozen, "frozen", 0, "the velocity stays as it is; only dye and heat move"),
    SIDE(0, "west"),
    SIDE(1, "east"),
    SIDE(2, "south"),
    SIDE(3, "north"),
};
_Static_assert(sizeof(struct flow_def) <= TARN_SPEC_BYTES, "it must fit into a spec");

// ---- making it ------------------------------------------------------------------------------------------

static tarn_result check_side(const struct flow_def *d, int i, tarn_error *err)
{
    static const char *const keys[] = {"sides.west", "sides.east", "sides.south", "sides.north"};
    const struct flow_side *s = &d->side[i];
    const bool opening = s->kind == FLOW_INFLOW || s->kind == FLOW_OUTFLOW;
    if (s->kind == FLOW_PERIODIC && d->side[i ^ 1].kind != FLOW_PERIODIC)
        return fail(err, TARN_BAD_INPUT, keys[i], "a side is periodic only together with the one across");
    if (s->kind == FLOW_INFLOW && isnan(s->speed))
        return fail(err, TARN_BAD_INPUT, keys[i], "an inflow needs a speed");
    if (s->kind != FLOW_INFLOW && !isnan(s->dye))
        return fail(err, TARN_BAD_INPUT, keys[i], "only an inflow brings dye");
    if (!opening && (!isnan(s->from) || !isnan(s->to)))
        return fail(err, TARN_BAD_INPUT, keys[i], "only inflow and outflow take a part of a side");
    if (opening && !isnan(s->from) && !isnan(s->to) && !(s->from < s->to))
        return fail(err, TARN_BAD_INPUT, keys[i], "it ends at %.6g m, before it begins", s->to);
    if (s->kind != FLOW_WALL && s->spots.count > 0)
        return fail(err, TARN_BAD_INPUT, keys[i], "only a wall has spots");
    return TARN_OK;
}

static tarn_result check(const struct fluid *f, tarn_error *err)
{
    const struct flow_def *d = flow_def_of(f);
    tarn_result r = fluid_check_grid(d->size, d->cells, err);
    bool in = false, out = false;
    for (int i = 0; i < 4 && r == TARN_OK; ++i) {
        r = check_side(d, i, err);
        in = in || d->side[i].kind == FLOW_INFLOW;
        out = out || d->side[i].kind == FLOW_OUTFLOW;
    }
    if (r == TARN_OK && in && !out)
        return fail(err, TARN_BAD_INPUT, "sides", "what flows in must get out: an inflow needs an outflow");
    return r;
}

static bool make_edges(struct fluid *f, struct flow *s)
{
    bool all = true;
    for (int side = 0; side < 4; ++side) {
        struct flow_edge *e = &s->edge[side];
        const size_t n = (size_t)flow_along(f, side) + 1;
        float **const lists[] = {&e->normal, &e->along, &e->value[FLOW_DYE], &e->value[FLOW_HEAT]};
        for (int i = 0; i < 4; ++i) all = (*lists[i] = memory_alloc(f->memory, n, sizeof(float))) && all;
        for (int i = 0; i < FLOW_NETS; ++i)
            all = (s->net[i].end[side] = memory_alloc(f->memory, n, sizeof(float))) && all;
        all = (e->kind = memory_alloc(f->memory, n, 1)) && all;
        all = (e->slip = memory_alloc(f->memory, n, 1)) && all;
    }
    return all;
}

static bool make_fields(struct fluid *f, struct flow *s)
{
    const struct grid *g = &f->g;
    const size_t most = (size_t)imax(g->nx, g->nz) + 1;
    bool all = make_edges(f, s);
    for (int i = 0; i < FLOW_FIELDS; ++i) all = (s->own[i] = grid_field(g, f->memory, i + 6)) && all;
    unsigned char **const bytes[] = {&s->cells, &s->far, &s->doors, &s->marks, &s->was};
    uint16_t **const owners[] = {&s->owner, &s->owner_u, &s->owner_v};
    for (int i = 0; i < 5; ++i) all = (*bytes[i] = memory_alloc(f->memory, g->count, 1)) && all;
    for (int i = 0; i < 3; ++i)
        all = (*owners[i] = memory_alloc(f->memory, g->count, sizeof(uint16_t))) && all;
    all = (s->slot = memory_alloc(f->memory, g->count, sizeof *s->slot)) && all;
    s->spans = memory_alloc(f->memory, 2, sizeof *s->spans);
    s->row_far = memory_alloc(f->memory, (size_t)g->nz, 1);
    s->blocks = g->nx / FLOW_BLOCK + 1;
    s->busy = memory_alloc(f->memory, (size_t)s->blocks * (size_t)(g->nz + 1), 1);
    s->solver = linear_create(f->memory, f->parallel, linear_kind_at(0), g);
    s->b = linear_vector(g, f->memory);
    s->x = linear_vector(g, f->memory);
    s->lines_each = most * FLOW_LANES * FLOW_LINE_ROWS;
    s->lines = memory_alloc(f->memory, FLOW_GROUPS * s->lines_each, sizeof(float));
    s->row_sums = memory_alloc(f->memory, (size_t)g->nz + 1, sizeof *s->row_sums);
    s->row_speed = memory_alloc(f->memory, (size_t)g->nz + 1, sizeof(float));
    if (!all || !s->spans || !s->row_far || !s->busy || !s->solver || !s->b || !s->x || !s->lines ||
        !s->row_sums || !s->row_speed)
        return false;
    float *zero;
    float **const names[] = {
        &s->u,    &s->v,      &s->p,           &s->q[0],        &s->q[1],      &s->u1,       &s->v1, &s->u2,
        &s->v2,   &s->du,     &s->dv,          &s->q1,          &s->q2,        &s->dq,       &s->ax, &s->az,
        &s->open, &s->mass_u, &s->mass_v,      &s->mass_q,      &s->ux,        &s->uz,       &s->vx, &s->vz,
        &zero,    &s->pump,   &s->ways.from_x, &s->ways.from_z, &s->ways.to_x, &s->ways.to_z};
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); ++i) *names[i] = s->own[i];
    s->zero = zero;
    const float *const nets[FLOW_NETS][3] = {{s->mass_u, s->ux, s->uz},
                                             {s->mass_v, s->vx, s->vz},
                                             {s->mass_q, s->ax, s->az},
                                             {s->mass_q, s->ax, s->az}};
    for (int i = 0; i < FLOW_NETS; ++i)
        s->net[i].mass = nets[i][0], s->net[i].west = nets[i][1], s->net[i].south = nets[i][2];
    return true;
}

static tarn_result create(struct fluid *f, const tarn_world_def *def, tarn_error *err)
{
    const struct flow_def *d = flow_def_of(f);
    (void)def; // it has no bed
    const tarn_result r = check(f, err);
    if (r != TARN_OK) return r;
    if (!grid_init(&f->g, d->cells[0], d->cells[1], d->size[0] / d->cells[0]) || f->g.count > INT32_MAX)
        return fail(err, TARN_BAD_INPUT, "cells", "%d x %d cells are too many", d->cells[0], d->cells[1]);
    f->g.x0 = f->g.z0 = 0.0; // the origin is the lower left corner
    f->wrap_x = d->side[0].kind == FLOW_PERIODIC;
    f->wrap_z = d->side[2].kind == FLOW_PERIODIC;
    for (int i = 0; i < 4; ++i) f->wall[i] = d->side[i].kind == FLOW_WALL;
    struct flow *s = f->self = memory_alloc(f->memory, 1, sizeof *s);
    if (!s) return fail(err, TARN_NO_MEMORY, "", "no memory for the flow");
    s->kernels = KERNELS_PICK(flow_kernels);
    s->carry = KERNELS_PICK(flow_carry_kernels);
    s->room = KERNELS_PICK(flow_room_kernels);
    if (!make_fields(f, s))
        return fail(err, TARN_NO_MEMORY, "cells", "no memory for %d x %d cells", d->cells[0], d->cells[1]);
    flow_empty_room(f);
    return flow_build_room(f) ? TARN_OK : fail(err, TARN_NO_MEMORY, "", "no memory for the flow");
}

static void destroy(struct fluid *f)
{
    struct flow *s = f->self;
    if (!s) return;
    for (int side = 0; side < 4; ++side) {
        struct flow_edge *e = &s->edge[side];
        const size_t n = (size_t)flow_along(f, side) + 1;
        float *const lists[] = {e->normal, e->along, e->value[FLOW_DYE], e->value[FLOW_HEAT]};
        for (int i = 0; i < 4; ++i) memory_free(f->memory, lists[i], n, sizeof(float));
        for (int i = 0; i < FLOW_NETS; ++i) memory_free(f->memory, s->net[i].end[side], n, sizeof(float));
        memory_free(f->memory, e->kind, n, 1);
        memory_free(f->memory, e->slip, n, 1);
    }
    for (int i = 0; i < FLOW_FIELDS; ++i) grid_field_free(&f->g, f->memory, s->own[i], i + 6);
    unsigned char *const bytes[] = {s->cells, s->far, s->doors, s->marks, s->was};
    uint16_t *const owners[] = {s->owner, s->owner_u, s->owner_v};
    for (int i = 0; i < 5; ++i) memory_free(f->memory, bytes[i], f->g.count, 1);
    for (int i = 0; i < 3; ++i) memory_free(f->memory, owners[i], f->g.count, sizeof(uint16_t));
    memory_free(f->memory, s->slot, f->g.count, sizeof *s->slot);
    flow_free_loose(f);
    memory_free(f->memory, s->held, (size_t)s->held_room, sizeof *s->held);
    for (int i = 0; s->spans && i < 2; ++i) spans_free(&s->spans[i], f->memory);
    memory_free(f->memory, s->spans, 2, sizeof *s->spans);
    memory_free(f->memory, s->row_far, (size_t)f->g.nz, 1);
    memory_free(f->memory, s->busy, (size_t)s->blocks * (size_t)(f->g.nz + 1), 1);
    linear_destroy(s->solver);
    linear_vector_free(&f->g, f->memory, s->b);
    linear_vector_free(&f->g, f->memory, s->x);
    memory_free(f->memory, s->lines, FLOW_GROUPS * s->lines_each, sizeof(float));
    memory_free(f->memory, s->row_sums, (size_t)f->g.nz + 1, sizeof *s->row_sums);
    memory_free(f->memory, s->row_speed, (size_t)f->g.nz + 1, sizeof(float));
    memory_free(f->memory, s, 1, sizeof *s);
    f->self = NULL;
}

// ---- what others ask for ----------------------------------------------------------------------------------

// dv/dx - du/dy in the middle of a cell.
static float turning(const struct flow *s, size_t c, size_t n, float inverse)
{
    const float along = 0.25f * ((s->v[c + 1] + s->v[c + 1 + n]) - (s->v[c - 1] + s->v[c - 1 + n]));
    const float across = 0.25f * ((s->u[c + n] + s->u[c + 1 + n]) - (s->u[c - n] + s->u[c + 1 - n]));
    return inverse * (along - across);
}

static struct fluid_cell cell(const struct fluid *f, int i, int j)
{
    const struct flow *s = f->self;
    if (s->stale) flow_refresh((struct fluid *)f); // it follows from the state
    const size_t c = grid_at(&f->g, i, j), n = f->g.stride;
    const float rest = (float)flow_def_of(f)->heat_rest;
    struct fluid_cell out = {.u = 0.5f * (s->u[c] + s->u[c + 1]),
                             .v = 0.5f * (s->v[c] + s->v[c + n]),
                             .heat = rest,
                             .open = s->open[c]};
    if (!s->cells[c]) return out;
    out.dye = s->q[FLOW_DYE][c];
    out.heat = rest + s->q[FLOW_HEAT][c];
    out.pressure = (float)f->density * s->p[c];
    out.vorticity = turning(s, c, n, (float)(1.0 / f->g.s));
    return out;
}

static void totals(const struct fluid *f, struct fluid_totals *out)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    double kinetic = 0.0, px = 0.0, py = 0.0;
    for (int j = 0; j < g->nz; ++j)
        for (int i = 0; i < g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const double u0 = s->u[c], u1 = s->u[c + 1], v0 = s->v[c], v1 = s->v[c + g->stride];
            const double open = s->open[c];
            kinetic += 0.5 * open * (u0 * u0 + u1 * u1 + v0 * v0 + v1 * v1);
            px += 0.5 * open * (u0 + u1), py += 0.5 * open * (v0 + v1);
        }
    const double mass = f->density * g->s * g->s, area = g->s * g->s;
    double sum[FLOW_SCALARS] = {0.0};
    for (int q = 0; q < FLOW_SCALARS; ++q)
        for (int j = 0; j < g->nz; ++j)
            for (int i = 0; i < g->nx; ++i)
                if (s->cells[grid_at(g, i, j)]) sum[q] += (double)s->q[q][grid_at(g, i, j)];
    out->depth = 0.0;
    out->energy = 0.5 * mass * kinetic;
    out->momentum = v3(mass * px, mass * py, 0.0);
    out->dye = area * sum[FLOW_DYE], out->heat = area * sum[FLOW_HEAT];
    out->dye_in = area * s->in[FLOW_DYE], out->heat_in = area * s->in[FLOW_HEAT];
    out->dye_out = area * s->out[FLOW_DYE], out->heat_out = area * s->out[FLOW_HEAT];
}

static double divergence(const struct fluid *f)
{
    const struct flow *s = f->self;
    const size_t n = f->g.stride;
    double worst = 0.0, most = 0.0;
    for (int j = 0; j < f->g.nz; ++j)
        for (int i = 0; i < f->g.nx; ++i) {
            const size_t c = grid_at(&f->g, i, j);
            if (!s->cells[c]) continue;
            const double out = (double)(s->ax[c + 1] * s->u[c + 1] - s->ax[c] * s->u[c]) +
                               (double)(s->az[c + n] * s->v[c + n] - s->az[c] * s->v[c]) +
                               (s->moving ? (double)s->pump[c] : 0.0);
            const double u = s->u[c], v = s->v[c];
            worst = fmax(worst, fabs(out));
            most = fmax(most, u * u + v * v);
        }
    if (f->loose_count > 0) return s->squeezed; // they have moved on since
    return most > 0.0 ? worst / sqrt(most) : 0.0;
}

// Speeds where they stand, then made free of divergence.
static void fill(struct fluid *f, tarn_flow_field field, void *ctx)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    const double rest = flow_def_of(f)->heat_rest;
    for (int j = 0; j <= g->nz; ++j)
        for (int i = 0; i <= g->nx; ++i) {
            const size_t c = grid_at(g, i, j);
            const double x = i * g->s, y = j * g->s, half = 0.5 * g->s;
            if (s->mass_u[c] > 0.0f) s->u[c] = (float)field(ctx, x, y + half).u;
            if (s->mass_v[c] > 0.0f) s->v[c] = (float)field(ctx, x + half, y).v;
            if (!s->cells[c]) continue;
            const tarn_flow here = field(ctx, x + half, y + half);
            const float value[FLOW_SCALARS] = {
                [FLOW_DYE] = (float)here.dye, [FLOW_HEAT] = (float)(here.heat - rest)};
            for (int q = 0; q < FLOW_SCALARS; ++q) {
                s->in[q] += (double)value[q] - (double)s->q[q][c];
                s->q[q][c] = value[q];
                s->used[q] = s->used[q] || value[q] != 0.0f;
            }
            s->p[c] = 0.0f;
        }
    obstacles_set_out(f);
    flow_hold(f, s->u, s->v);
    flow_pump(f);
    flow_refresh(f);
    if (!flow_def_of(f)->frozen) flow_project(f, 0.0);
}

// A cell's speeds are those of its four faces, each of which has a neighbour to share.
static void source(struct fluid *f, int i, int j, const struct fluid_source *in)
{
    struct flow *s = f->self;
    const size_t c = grid_at(&f->g, i, j), n = f->g.stride;
    const double value[FLOW_SCALARS] = {[FLOW_DYE] = in->dye, [FLOW_HEAT] = in->heat};
    if (!s->cells[c]) return;
    for (int q = 0; q < FLOW_SCALARS; ++q) {
        if (value[q] == 0.0) continue;
        const float before = s->q[q][c];
        s->q[q][c] += (float)value[q];
        s->in[q] += (double)s->q[q][c] - (double)before;
        s->used[q] = true;
    }
    if (!(in->pull > 0.0)) return;
    for (int k = 0; k < 2; ++k) {
        const size_t a = k ? c + 1 : c, b = k ? c + n : c;
        if (s->mass_u[a] > 0.0f) s->u[a] += (float)(in->pull * (in->u - (double)s->u[a]));
        if (s->mass_v[b] > 0.0f) s->v[b] += (float)(in->pull * (in->v - (double)s->v[b]));
    }
    s->stale = true;
}

// ---- saving -----------------------------------------------------------------------------------------------

static void save_rows(struct saver *s, const struct grid *g, const float *q, int nx, int nz)
{
    for (int j = 0; j < nz; ++j) save_f32s(s, q + grid_at(g, 0, j), (size_t)nx);
}

static void save(struct saver *s, const struct fluid *f)
{
    const struct flow *self = f->self;
    const struct grid *g = &f->g;
    save_f64s(s, self->out, FLOW_SCALARS);
    save_f64s(s, self->in, FLOW_SCALARS);
    save_rows(s, g, self->u, g->nx + 1, g->nz);
    save_rows(s, g, self->v, g->nx, g->nz + 1);
    save_rows(s, g, self->p, g->nx, g->nz);
    for (int q = 0; q < FLOW_SCALARS; ++q) save_rows(s, g, self->q[q], g->nx, g->nz);
}

static bool load_rows(struct loader *l, const struct grid *g, float *q, int nx, int nz, bool *any)
{
    bool good = true;
    for (int j = 0; j < nz; ++j) {
        float *row = q + grid_at(g, 0, j);
        load_f32s(l, row, (size_t)nx);
        for (int i = 0; i < nx; ++i) {
            good = good && fabsf(row[i]) < 1e30f;
            *any = *any || row[i] != 0.0f;
        }
    }
    return good;
}

static bool load(struct loader *l, struct fluid *f)
{
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    bool any = false, good = true;
    load_f64s(l, s->out, FLOW_SCALARS);
    load_f64s(l, s->in, FLOW_SCALARS);
    for (int q = 0; q < FLOW_SCALARS; ++q) good = good && fabs(s->out[q]) < 1e30 && fabs(s->in[q]) < 1e30;
    good = load_rows(l, g, s->u, g->nx + 1, g->nz, &any) && load_rows(l, g, s->v, g->nx, g->nz + 1, &any) &&
           load_rows(l, g, s->p, g->nx, g->nz, &any) && good;
    for (int q = 0; q < FLOW_SCALARS; ++q) good = load_rows(l, g, s->q[q], g->nx, g->nz, &s->used[q]) && good;
    s->stale = true;
    return good;
}

const struct fluid_kind fluid_flow = {
    .kind = {.room = "fluid",
             .name = "flow",
             .help = "an incompressible fluid seen from the front, with dye and heat",
             PARAMS(params)},
    .flat = true,
    .varying = true,
    .check = check,
    .create = create,
    .destroy = destroy,
    .inner = flow_inner,
    .step = flow_step,
    .sound = flow_sound,
    .cell = cell,
    .build = flow_build_room,
    .follow = flow_follow,
    .strike = flow_strike,
    .load_of = flow_load_of,
    .divergence = divergence,
    .fill = fill,
    .source = source,
    .totals = totals,
    .save = save,
    .load = load,
};
