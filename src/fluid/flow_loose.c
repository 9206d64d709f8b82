// Loose obstacles: the fluid carries them, and their speeds are unknowns of the same pressure (flow_grip.c). Friction gives them
// what it takes of the nodes at their surfaces.
#include "flow.h"

#include <string.h>

#define INSIDE 20.0f // link of a node inside to the obstacle: as if it were as near as can be

// What a step does with a loose obstacle.
struct flow_ward {
    double v[3];                 // [m/s], [m/s], [rad/s] at the start
    double rub[3];               // [kg m/s], [kg m^2/s] that friction gave it
    double push[3];              // likewise, pressure and what is given
    double swirl;                // [kg m^2] that friction takes of a spin, see below
    double later[3][3], next[3]; // scratch
};

static struct obstacle *ward_at(const struct fluid *f, int i) { return &f->loose[i]; }
static bool is_there(const struct obstacle *o) { return o->area > 0.0; }

static double mass_along(const struct obstacle *o, int k) { return k < 2 ? o->mass : o->inertia; }

static void speeds_of(const struct obstacle *o, double v[3])
{
    v[0] = o->now.u, v[1] = o->now.v, v[2] = o->now.spin;
}

static void set_speeds(struct obstacle *o, const double v[3])
{
    o->now.u = v[0], o->now.v = v[1], o->now.spin = v[2];
}

// ---- nodes that obstacles hold, and nodes that rub on them -------------------------------------------------

static bool note_rub(struct fluid *f, const struct flow_rub *r)
{
    struct flow *s = f->self;
    if (s->rub_count == s->rub_count_room &&
        !memory_grow(f->memory, (void **)&s->rubs, &s->rub_count_room, s->rub_count + 1, sizeof *s->rubs))
        return false;
    s->rubs[s->rub_count++] = *r;
    return true;
}

// Node (i, j) of a speed rubs on what is at the end of one of its links, FLOW_LINKS: on what it is in.
static bool rub_on(struct fluid *f, int net, int i, int j, int link)
{
    const struct flow *s = f->self;
    const struct grid *g = &f->g;
    const size_t c = grid_at(g, i, j), other = link == FLOW_LINKS ? c : flow_beside(f, c, link);
    const int number = (net ? s->owner_v : s->owner_u)[other], axis = link == FLOW_LINKS ? -1 : link / 2;
    if (number <= f->obstacle_count) return true;
    const float weight = axis < 0    ? INSIDE
                         : axis == 0 ? (net ? s->vx : s->ux)[c + (size_t)(link % 2)]
                                     : (net ? s->vz : s->uz)[c + (size_t)(link % 2) * g->stride];
    const struct pose *p = &obstacle_of(f, number)->now;
    const bool across = axis == !net; // then it meets the obstacle elsewhere
    const double gap = across ? (link % 2 ? 1.0 : -1.0) * (g->s / (double)weight) : 0.0;
    const double arm =
        net ? flow_arm(f, 0, (i + 0.5) * g->s + gap, p->x) : -flow_arm(f, 1, (j + 0.5) * g->s + gap, p->y);
    return note_rub(f, &(struct flow_rub){(uint32_t)c, (uint32_t)other, (uint16_t)number, (signed char)net,
                                          (signed char)axis, weight, arm});
}

static bool find_rubs_of(struct fluid *f, int net)
{
    static const unsigned char lowest[(1 << FLOW_LINKS) + 1] = {
        0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, FLOW_LINKS}; // bit of a mark
    struct flow *s = f->self;
    const struct grid *g = &f->g;
    const float *along = net ? s->vx : s->ux, *up = net ? s->vz : s->uz, *open = net ? s->az : s->ax;
    const uint16_t *owner = net ? s->owner_v : s->owner_u;
    const int first_i = net == FLOW_U && !f->wrap_x,
              first_j = net == FLOW_V && !f->wrap_z; // sides do not count
    FLOW_EACH_RUN(s, g, 0, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j);
        unsigned char *marks = s->marks + grid_at(g, 0, j);
        if (j < first_j) continue;
        s->room->rubbed(owner + c, open + c, along + c, up + c, g->stride, marks + begin,
                        (size_t)(end - begin));
        for (int i = imax(begin, first_i); (i = flow_marked(marks, i, end)) < end; ++i)
            for (int left = marks[i]; left; left &= left - 1)
                if (!rub_on(f, net, i, j, lowest[left])) return false;
    }
    return true;
}

bool flow_find_rubs(struct fluid *f)
{
    struct flow *s = f->self;
    s->rub_count = 0;
    if (f->loose_count == 0) return true;
    return find_rubs_of(f, FLOW_U) && find_rubs_of(f, FLOW_V) &&
           memory_grow(f->memory, (void **)&s->wards, &s->ward_room, f->loose_count, sizeof *s->wards);
}

// [m/s] Speed of an obstacle where a rub meets it.
static double speed_at(const struct flow_rub *r, const double v[3]) { return v[r->net] + v[2] * r->arm; }

static void add_impulse(const struct flow_rub *r, double impulse, double out[3])
{
    out[r->net] += impulse;
    out[2] += r->arm * impulse;
}

static struct flow_ward *ward_of(const struct fluid *f, const struct flow_rub *r)
{
    return &((struct flow *)f->self)->wards[r->number - 1 - f->obstacle_count];
}

// What links carry in a pass of friction, k being nu dt/h^2 of it. The surface moves with the speed where the link meets
// it, not with that of the node inside.
void flow_rub_ahead(const struct fluid *f, int net, float k, const float *q, float *d)
{
    struct flow *s = f->self;
    const double weight = f->density * f->g.s * f->g.s * (double)k;
    for (int i = 0; i < s->rub_count; ++i) {
        const struct flow_rub *r = &s->rubs[i];
        if (r->axis < 0 || r->net != net) continue;
        double v[3];
        speeds_of(obstacle_of(f, r->number), v);
        const double surface = speed_at(r, v);
        d[r->c] += (float)((double)(k * r->link) * (surface - (double)q[r->other]));
        add_impulse(r, weight * (double)r->link * ((double)q[r->c] - surface), ward_of(f, r)->rub);
    }
}

void flow_rub_after(const struct fluid *f, int net, int axis, float k, const float *d)
{
    const struct flow *s = f->self;
    const double weight = f->density * f->g.s * f->g.s * (double)k;
    for (int i = 0; i < s->rub_count; ++i) {
        const struct flow_rub *r = &s->rubs[i];
        if (r->axis == axis && r->net == net)
            add_impulse(r, weight * (double)r->link * (double)d[r->c], ward_of(f, r)->rub);
    }
}

// ---- the step ---------------------------------------------------------------------------------------------

// Symmetric and positive; x holds the right-hand side at first.
static void solve3(const double a[3][3], double x[3])
{
    double l[3][3] = {{0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (int i = 2; i >= 0; --i) {
        for (int k = i + 1; k < 3; ++k) x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
}

// m += weight R R^T with R the row of a rub.
static void add_mass(const struct flow_rub *r, double weight, double m[3][3])
{
    m[r->net][r->net] += weight;
    m[r->net][2] += weight * r->arm, m[2][r->net] += weight * r->arm;
    m[2][2] += weight * r->arm * r->arm;
}

// What the pressure of the last step, kept for this one, and all that is given come to.
static void push_wards(const struct fluid *f, double dt)
{
    const struct flow *s = f->self;
    const double weight = dt * f->density * f->g.s;
    for (int i = 0; i < f->loose_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const struct obstacle *o = ward_at(f, i);
            const double pull = k < 2 ? f->density * o->area * flow_def_of(f)->force[k] : 0.0;
            s->wards[i].push[k] = dt * (o->given[k] + pull);
        }
    for (int n = 0; n < s->grip_count; ++n) {
        const struct flow_grip *g = &s->grips[n];
        if (g->number <= f->obstacle_count) continue;
        double sum[3] = {0};
        for (int i = g->first; i < g->first + g->count; ++i)
            for (int k = 0; k < 3; ++k) sum[k] += s->row[k][i] * (double)s->p[s->row_at[i]];
        for (int k = 0; k < 3; ++k) s->wards[g->number - 1 - f->obstacle_count].push[k] += weight * sum[k];
    }
}

// Obstacles and free nodes inside rub on each other, as those do that are as near as can be: taken at the end of the step,
// node by node, so that no momentum is lost.
static void gather(const struct fluid *f, double dt)
{
    const struct flow *s = f->self;
    const double weight = f->density * f->g.s * f->g.s;
    const double k = flow_def_of(f)->viscosity * dt / (f->g.s * f->g.s);
    for (int i = 0; i < f->loose_count; ++i) {
        const struct obstacle *o = ward_at(f, i);
        struct flow_ward *w = &s->wards[i];
        *w = (struct flow_ward){.later = {{o->mass, 0, 0}, {0, o->mass, 0}, {0, 0, o->inertia}}};
        w->v[0] = o->mass * o->now.u, w->v[1] = o->mass * o->now.v, w->v[2] = o->inertia * o->now.spin;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < s->rub_count; ++i) {
            const struct flow_rub *r = &s->rubs[i];
            if (r->axis >= 0) continue;
            const double mass = (double)(r->net ? s->az : s->ax)[r->c], rub = k * (double)r->link;
            const double both = weight * mass * rub / (mass + rub);
            float *u = &(r->net ? s->v : s->u)[r->c];
            struct flow_ward *w = ward_of(f, r);
            if (pass == 0) {
                add_mass(r, both, w->later);
                add_impulse(r, both * (double)*u, w->v);
            } else {
                *u = (float)((mass * (double)*u + rub * speed_at(r, w->v)) / (mass + rub));
            }
        }
        for (int i = 0; pass == 0 && i < f->loose_count; ++i)
            if (is_there(ward_at(f, i))) solve3(s->wards[i].later, s->wards[i].v);
    }
}

// Where friction will lead them, taken at the end of the step: what the fluid then rubs on.
static void foresee(const struct fluid *f, double dt)
{
    const struct flow *s = f->self;
    const double mu = f->density * flow_def_of(f)->viscosity;
    for (int i = 0; i < f->loose_count; ++i) {
        struct flow_ward *w = &s->wards[i];
        const struct obstacle *o = ward_at(f, i);
        const double fluid = f->density * o->area, mass[3] = {o->mass + fluid, o->mass + fluid, o->inertia};
        memset(w->later, 0, sizeof w->later);
        for (int k = 0; k < 3; ++k) w->later[k][k] = mass[k], w->next[k] = mass[k] * w->v[k] + w->push[k];
        // The Laplacian's part of the stress misses this torque of a turning obstacle: without it a disc in shear would turn
        // at twice the right rate.
        w->swirl = 2.0 * mu * o->area * dt;
        w->later[2][2] += w->swirl;
    }
    for (int n = 0; n < s->rub_count; ++n) {
        const struct flow_rub *r = &s->rubs[n];
        const double rub = mu * dt * (double)r->link;
        if (r->axis < 0) continue;
        add_mass(r, rub, ward_of(f, r)->later);
        add_impulse(r, rub * (double)(r->net ? s->v : s->u)[r->c], ward_of(f, r)->next);
    }
    for (int i = 0; i < f->loose_count; ++i) {
        if (!is_there(ward_at(f, i))) continue;
        solve3(s->wards[i].later, s->wards[i].next);
        set_speeds(ward_at(f, i), s->wards[i].next);
    }
}

void flow_gather_loose(struct fluid *f, double dt)
{
    const struct flow *s = f->self;
    gather(f, dt);
    for (int i = 0; i < f->loose_count; ++i) set_speeds(ward_at(f, i), s->wards[i].v);
}

void flow_began_with(const struct fluid *f, int number, double v[3])
{
    const struct flow *s = f->self;
    if (number > f->obstacle_count)
        memcpy(v, s->wards[number - 1 - f->obstacle_count].v, 3 * sizeof *v);
    else
        speeds_of(obstacle_of(f, number), v);
}

void flow_begin_loose(struct fluid *f, double dt)
{
    push_wards(f, dt);
    if (flow_is_weak(f)) return;
    foresee(f, dt);
}

// Speeds before the pressure are those of an obstacle without fluid around it; what is fast for the fluid is what is left
// of them after it.
double flow_loose_fastest(const struct fluid *f)
{
    double most = 0.0;
    for (int i = 0; i < f->loose_count; ++i) {
        const struct obstacle *o = ward_at(f, i);
        const double speed = fmax(fabs(o->now.u), fabs(o->now.v)), fluid = f->density * o->area;
        if (is_there(o)) most = fmax(most, speed * o->mass / (o->mass + fluid));
    }
    return most;
}

// Nodes inside are no part of other passes. u1, v1: the speeds that the step began with.
static void push_nodes(const struct fluid *f, double dt)
{
    const struct flow *s = f->self;
    const struct flow_def *d = flow_def_of(f);
    const double rise = 0.5 * f->gravity * d->heat_expansion;
    for (int i = 0; i < s->rub_count; ++i) {
        const struct flow_rub *r = &s->rubs[i];
        const size_t c = r->c, before = c - (r->net ? f->g.stride : 1);
        if (r->axis >= 0) continue;
        double force = d->force[r->net] - ((double)s->p[c] - (double)s->p[before]) / f->g.s;
        if (r->net && s->used[FLOW_HEAT])
            force += rise * ((double)s->q[FLOW_HEAT][c] + (double)s->q[FLOW_HEAT][before]);
        (r->net ? s->v : s->u)[c] =
            flow_mingled(f, s->u1, s->v1, r->net, c, (float)(dt / f->g.s)) + (float)(dt * force);
    }
}

// All that acts on them but the pressure of this step.
void flow_push_loose(struct fluid *f, double dt)
{
    const struct flow *s = f->self;
    push_nodes(f, dt);
    if (flow_is_weak(f)) return;
    for (int i = 0; i < f->loose_count; ++i) {
        struct obstacle *o = ward_at(f, i);
        const struct flow_ward *w = &s->wards[i];
        double x[3];
        if (!is_there(o)) continue;
        for (int k = 0; k < 3; ++k) x[k] = w->v[k] + (w->push[k] + w->rub[k]) / mass_along(o, k);
        x[2] -= w->swirl * o->now.spin / o->inertia;
        set_speeds(o, x);
    }
    flow_hold(f, s->u, s->v);
    flow_pump(f);
}

// Speeds that a solution x of the pressure adds, `part` of it.
static void yield(const struct fluid *f, double part)
{
    const struct flow *s = f->self;
    const double weight = part * f->density * f->g.s * f->g.s;
    for (int n = 0; n < s->grip_count; ++n) {
        const struct flow_grip *g = &s->grips[n];
        struct obstacle *o = obstacle_of(f, g->number);
        double sum[3] = {0};
        if (g->number <= f->obstacle_count) continue;
        for (int i = g->first; i < g->first + g->count; ++i)
            for (int k = 0; k < 3; ++k) sum[k] += s->row[k][i] * s->x[s->row_at[i]];
        o->now.u += weight / o->mass * sum[0];
        o->now.v += weight / o->mass * sum[1];
        o->now.spin += weight / o->inertia * sum[2];
    }
}

void flow_yield_loose(struct fluid *f)
{
    if (flow_is_weak(f)) return;
    yield(f, 1.0);
    flow_pump(f);
}

// Weak: forces are what the pressure of the step came to, and change speeds after it.
void flow_end_loose(struct fluid *f, double dt)
{
    const struct flow *s = f->self;
    const double strength = flow_def_of(f)->strength;
    if (!flow_is_weak(f)) return;
    push_wards(f, dt);
    for (int i = 0; i < f->loose_count; ++i) {
        struct obstacle *o = ward_at(f, i);
        const struct flow_ward *w = &s->wards[i];
        double x[3];
        if (!is_there(o)) continue;
        for (int k = 0; k < 3; ++k) {
            const double given = dt * o->given[k], fluid = (w->push[k] - given) + w->rub[k];
            x[k] = w->v[k] + (given + strength * fluid) / mass_along(o, k);
        }
        set_speeds(o, x);
    }
}

// ---- blows ------------------------------------------------------------------------------------------------

// A blow j that changes speeds by d does the work j . (v + d/2). With a part that makes j . d the same as it would be if
// speeds came out as they are aimed at, the work is that of the ones who gave the blow, times the part: what lost energy
// to them loses energy here. Blows that need no pressure are the obstacle's alone: the same part leaves it the speeds aimed at.
double flow_strike(struct fluid *f, double dt)
{
    struct flow *s = f->self;
    double got = 0.0, wanted = 0.0;
    for (int i = 0; i < f->loose_count; ++i) {
        struct obstacle *o = ward_at(f, i);
        if (!is_there(o)) continue;
        speeds_of(o, s->wards[i].v);
        if (!o->struck) continue;
        o->now.u += o->blow[0] / o->mass, o->now.v += o->blow[1] / o->mass,
            o->now.spin += o->blow[2] / o->inertia;
        if (flow_is_weak(f)) set_speeds(o, o->aim);
    }
    if (flow_is_weak(f)) return 1.0;
    const bool pressed = flow_solve_blows(f);
    if (pressed) yield(f, 1.0);
    for (int i = 0; i < f->loose_count; ++i) {
        const struct obstacle *o = ward_at(f, i);
        double now[3];
        speeds_of(o, now);
        for (int k = 0; k < 3 && o->struck && is_there(o); ++k) {
            got += o->blow[k] * (now[k] - s->wards[i].v[k]);
            wanted += o->blow[k] * (o->aim[k] - s->wards[i].v[k]);
        }
    }
    const double part = got > 0.0 ? clamp(wanted / got, 0.0, 1e3) : 0.0;
    for (int i = 0; i < f->loose_count; ++i) {
        struct obstacle *o = ward_at(f, i);
        double now[3];
        if (!is_there(o)) continue;
        speeds_of(o, now);
        for (int k = 0; k < 3; ++k) now[k] = s->wards[i].v[k] + part * (now[k] - s->wards[i].v[k]);
        set_speeds(o, now);
    }
    flow_pump(f);
    if (pressed) flow_correct(f, dt, part);
    return part;
}

void flow_free_loose(struct fluid *f)
{
    struct flow *s = f->self;
    const struct memory *m = f->memory;
    memory_free(m, s->cuts, (size_t)s->cut_room, sizeof *s->cuts);
    memory_free(m, s->row_at, (size_t)s->row_at_room, sizeof *s->row_at);
    for (int k = 0; k < 3; ++k) memory_free(m, s->row[k], (size_t)s->row_room[k], sizeof *s->row[k]);
    memory_free(m, s->grips, (size_t)s->grip_room, sizeof *s->grips);
    memory_free(m, s->terms, (size_t)s->term_room, sizeof *s->terms);
    memory_free(m, s->rubs, (size_t)s->rub_count_room, sizeof *s->rubs);
    memory_free(m, s->parts, (size_t)s->part_room, sizeof *s->parts);
    memory_free(m, s->widest, (size_t)s->widest_room, sizeof *s->widest);
    memory_free(m, s->wards, (size_t)s->ward_room, sizeof *s->wards);
}
