// Loose obstacles: the fluid carries them, and their speeds are unknowns of the same pressure (flow_grip.c).
// Friction gives them what it takes of the nodes at their surfaces.
#include "fluid/flow/flow.h"

#include <string.h>

#define INNER_LINK_COEF 20.0f // link of a node inside to the obstacle: as if it were as near as can be

// What a step does with a loose obstacle.
struct body_step {
    double start_velocity[3];                   // [m/s], [m/s], [rad/s] at the start
    double shear_impulse[3];                    // [kg m/s], [kg m^2/s] that friction gave it
    double load_impulse[3];                     // likewise, pressure and what is given
    double rotational_drag;                     // [kg m^2] that friction takes of a spin, see below
    double system[3][3], predicted_velocity[3]; // scratch
};

static struct obstacle *body_at(const struct fluid *f, int i) { return &f->bodies[i]; }
static bool is_present(const struct obstacle *o) { return o->area > 0.0; }

static double generalised_mass(const struct obstacle *o, int k) { return k < 2 ? o->mass : o->inertia; }

static void get_velocity(const struct obstacle *o, double v[3])
{
    v[0] = o->motion.u, v[1] = o->motion.v, v[2] = o->motion.spin;
}

static void set_velocity(struct obstacle *o, const double v[3])
{
    o->motion.u = v[0], o->motion.v = v[1], o->motion.spin = v[2];
}

// ---- nodes that obstacles hold, and nodes that rub on them ----

static bool add_wall_link(struct fluid *f, const struct wall_link *r)
{
    struct flow *s = f->impl;
    if (s->wall_link_count == s->wall_link_capacity &&
        !memory_grow(f->memory, (void **)&s->wall_links, &s->wall_link_capacity, s->wall_link_count + 1,
                     sizeof *s->wall_links))
        return false;
    s->wall_links[s->wall_link_count++] = *r;
    return true;
}

// Node (i, j) of a speed rubs on what is at the end of one of its links, FLOW_LINKS: on what it is in.
static bool add_link_of_node(struct fluid *f, int net, int i, int j, int link)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const size_t c = grid_at(g, i, j), other = link == FLOW_LINKS ? c : flow_neighbour_node(f, c, link);
    const int number = (net ? s->solid_id_v : s->solid_id_u)[other],
              axis = link == FLOW_LINKS ? -1 : link / 2;
    if (number <= f->obstacle_count) return true;
    const float weight = axis < 0    ? INNER_LINK_COEF
                         : axis == 0 ? (net ? s->coef_vx : s->coef_ux)[c + (size_t)(link % 2)]
                                     : (net ? s->coef_vz : s->coef_uz)[c + (size_t)(link % 2) * g->stride];
    const struct planar_motion *p = &solid_at(f, number)->motion;
    const bool across = axis == !net; // then it meets the obstacle elsewhere
    const double gap = across ? (link % 2 ? 1.0 : -1.0) * (g->dx / (double)weight) : 0.0;
    const double arm = net ? flow_periodic_offset(f, 0, (i + 0.5) * g->dx + gap, p->x)
                           : -flow_periodic_offset(f, 1, (j + 0.5) * g->dx + gap, p->y);
    return add_wall_link(f, &(struct wall_link){(uint32_t)c, (uint32_t)other, (uint16_t)number,
                                                (signed char)net, (signed char)axis, weight, arm});
}

static bool find_links_of_component(struct fluid *f, int net)
{
    static const unsigned char lowest[(1 << FLOW_LINKS) + 1] = {
        0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, FLOW_LINKS}; // bit of a mark
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const float *along = net ? s->coef_vx : s->coef_ux, *up = net ? s->coef_vz : s->coef_uz,
                *open = net ? s->aperture_z : s->aperture_x;
    const uint16_t *owner = net ? s->solid_id_v : s->solid_id_u;
    const int first_i = net == FLOW_U && !f->periodic_x,
              first_j = net == FLOW_V && !f->periodic_z; // sides do not count
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j);
        unsigned char *marks = s->link_marks + grid_at(g, 0, j);
        if (j < first_j) continue;
        s->cutcell_kernels->mark_wall_links(owner + c, open + c, along + c, up + c, g->stride, marks + begin,
                                            (size_t)(end - begin));
        for (int i = imax(begin, first_i); (i = next_nonzero(marks, i, end)) < end; ++i)
            for (int left = marks[i]; left; left &= left - 1)
                if (!add_link_of_node(f, net, i, j, lowest[left])) return false;
    }
    return true;
}

bool flow_find_wall_links(struct fluid *f)
{
    struct flow *s = f->impl;
    s->wall_link_count = 0;
    if (f->body_count == 0) return true;
    return find_links_of_component(f, FLOW_U) && find_links_of_component(f, FLOW_V) &&
           memory_grow(f->memory, (void **)&s->body_steps, &s->body_step_capacity, f->body_count,
                       sizeof *s->body_steps);
}

// [m/s] Speed of an obstacle where a rub meets it.
static double surface_velocity(const struct wall_link *r, const double v[3])
{
    return v[r->component] + v[2] * r->lever;
}

static void add_impulse(const struct wall_link *r, double impulse, double out[3])
{
    out[r->component] += impulse;
    out[2] += r->lever * impulse;
}

static struct body_step *body_step_of(const struct fluid *f, const struct wall_link *r)
{
    return &((struct flow *)f->impl)->body_steps[r->solid_id - 1 - f->obstacle_count];
}

// What links carry in a pass of friction, k being nu dt/h^2 of it. The surface moves with the speed where the
// link meets it, not with that of the node inside.
void flow_wall_shear_explicit(const struct fluid *f, int net, float k, const float *q, float *d)
{
    struct flow *s = f->impl;
    const double weight = f->density * f->grid.dx * f->grid.dx * (double)k;
    for (int i = 0; i < s->wall_link_count; ++i) {
        const struct wall_link *r = &s->wall_links[i];
        if (r->axis < 0 || r->component != net) continue;
        double v[3];
        get_velocity(solid_at(f, r->solid_id), v);
        const double surface = surface_velocity(r, v);
        d[r->node] += (float)((double)(k * r->coef) * (surface - (double)q[r->solid_node]));
        add_impulse(r, weight * (double)r->coef * ((double)q[r->node] - surface),
                    body_step_of(f, r)->shear_impulse);
    }
}

void flow_wall_shear_implicit(const struct fluid *f, int net, int axis, float k, const float *d)
{
    const struct flow *s = f->impl;
    const double weight = f->density * f->grid.dx * f->grid.dx * (double)k;
    for (int i = 0; i < s->wall_link_count; ++i) {
        const struct wall_link *r = &s->wall_links[i];
        if (r->axis == axis && r->component == net)
            add_impulse(r, weight * (double)r->coef * (double)d[r->node], body_step_of(f, r)->shear_impulse);
    }
}

// ---- the step ----

// Symmetric and positive; x holds the right-hand side at first.
static void solve3_cholesky(const double a[3][3], double x[3])
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
static void add_link_mass(const struct wall_link *r, double weight, double m[3][3])
{
    m[r->component][r->component] += weight;
    m[r->component][2] += weight * r->lever, m[2][r->component] += weight * r->lever;
    m[2][2] += weight * r->lever * r->lever;
}

// What the pressure of the last step, kept for this one, and all that is given come to.
static void add_load_impulse(const struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const double weight = dt * f->density * f->grid.dx;
    for (int i = 0; i < f->body_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const struct obstacle *o = body_at(f, i);
            const double pull = k < 2 ? f->density * o->area * flow_def_of(f)->body_force[k] : 0.0;
            s->body_steps[i].load_impulse[k] = dt * (o->applied_force[k] + pull);
        }
    for (int n = 0; n < s->body_rows_count; ++n) {
        const struct body_rows *g = &s->body_rows[n];
        if (g->solid_id <= f->obstacle_count) continue;
        double sum[3] = {0};
        for (int i = g->first; i < g->first + g->count; ++i)
            for (int k = 0; k < 3; ++k) sum[k] += s->jacobian[k][i] * (double)s->p[s->jacobian_cell[i]];
        for (int k = 0; k < 3; ++k)
            s->body_steps[g->solid_id - 1 - f->obstacle_count].load_impulse[k] += weight * sum[k];
    }
}

// Obstacles and free nodes inside rub on each other, as those do that are as near as can be: taken at the end
// of the step, node by node, so that no momentum is lost.
static void couple_inner_nodes(const struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const double weight = f->density * f->grid.dx * f->grid.dx;
    const double k = flow_def_of(f)->viscosity * dt / (f->grid.dx * f->grid.dx);
    for (int i = 0; i < f->body_count; ++i) {
        const struct obstacle *o = body_at(f, i);
        struct body_step *w = &s->body_steps[i];
        *w = (struct body_step){.system = {{o->mass, 0, 0}, {0, o->mass, 0}, {0, 0, o->inertia}}};
        w->start_velocity[0] = o->mass * o->motion.u, w->start_velocity[1] = o->mass * o->motion.v,
        w->start_velocity[2] = o->inertia * o->motion.spin;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < s->wall_link_count; ++i) {
            const struct wall_link *r = &s->wall_links[i];
            if (r->axis >= 0) continue;
            const double mass = (double)(r->component ? s->aperture_z : s->aperture_x)[r->node],
                         rub = k * (double)r->coef;
            const double both = weight * mass * rub / (mass + rub);
            float *u = &(r->component ? s->v : s->u)[r->node];
            struct body_step *w = body_step_of(f, r);
            if (pass == 0) {
                add_link_mass(r, both, w->system);
                add_impulse(r, both * (double)*u, w->start_velocity);
            } else {
                *u = (float)((mass * (double)*u + rub * surface_velocity(r, w->start_velocity)) /
                             (mass + rub));
            }
        }
        for (int i = 0; pass == 0 && i < f->body_count; ++i)
            if (is_present(body_at(f, i)))
                solve3_cholesky(s->body_steps[i].system, s->body_steps[i].start_velocity);
    }
}

// Where friction will lead them, taken at the end of the step: what the fluid then rubs on.
static void predict_velocity(const struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const double mu = f->density * flow_def_of(f)->viscosity;
    for (int i = 0; i < f->body_count; ++i) {
        struct body_step *w = &s->body_steps[i];
        const struct obstacle *o = body_at(f, i);
        const double fluid = f->density * o->area, mass[3] = {o->mass + fluid, o->mass + fluid, o->inertia};
        memset(w->system, 0, sizeof w->system);
        for (int k = 0; k < 3; ++k)
            w->system[k][k] = mass[k],
            w->predicted_velocity[k] = mass[k] * w->start_velocity[k] + w->load_impulse[k];
        // The Laplacian's part of the stress misses this torque of a turning obstacle: without it a disc in
        // shear would turn at twice the right rate.
        w->rotational_drag = 2.0 * mu * o->area * dt;
        w->system[2][2] += w->rotational_drag;
    }
    for (int n = 0; n < s->wall_link_count; ++n) {
        const struct wall_link *r = &s->wall_links[n];
        const double rub = mu * dt * (double)r->coef;
        if (r->axis < 0) continue;
        add_link_mass(r, rub, body_step_of(f, r)->system);
        add_impulse(r, rub * (double)(r->component ? s->v : s->u)[r->node],
                    body_step_of(f, r)->predicted_velocity);
    }
    for (int i = 0; i < f->body_count; ++i) {
        if (!is_present(body_at(f, i))) continue;
        solve3_cholesky(s->body_steps[i].system, s->body_steps[i].predicted_velocity);
        set_velocity(body_at(f, i), s->body_steps[i].predicted_velocity);
    }
}

void flow_bodies_couple_inner_nodes(struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    couple_inner_nodes(f, dt);
    for (int i = 0; i < f->body_count; ++i) set_velocity(body_at(f, i), s->body_steps[i].start_velocity);
}

void flow_start_velocity(const struct fluid *f, int number, double v[3])
{
    const struct flow *s = f->impl;
    if (number > f->obstacle_count)
        memcpy(v, s->body_steps[number - 1 - f->obstacle_count].start_velocity, 3 * sizeof *v);
    else
        get_velocity(solid_at(f, number), v);
}

void flow_bodies_predict(struct fluid *f, double dt)
{
    add_load_impulse(f, dt);
    if (flow_is_weakly_coupled(f)) return;
    predict_velocity(f, dt);
}

// Speeds before the pressure are those of an obstacle without fluid around it; what is fast for the fluid is
// what is left of them after it.
double flow_bodies_max_speed(const struct fluid *f)
{
    double most = 0.0;
    for (int i = 0; i < f->body_count; ++i) {
        const struct obstacle *o = body_at(f, i);
        const double speed = fmax(fabs(o->motion.u), fabs(o->motion.v)), fluid = f->density * o->area;
        if (is_present(o)) most = fmax(most, speed * o->mass / (o->mass + fluid));
    }
    return most;
}

// Nodes inside are no part of other passes. u1, v1: the speeds that the step began with.
static void advance_inner_nodes(const struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const struct flow_def *d = flow_def_of(f);
    const double rise = 0.5 * f->gravity * d->heat_expansion;
    for (int i = 0; i < s->wall_link_count; ++i) {
        const struct wall_link *r = &s->wall_links[i];
        const size_t c = r->node, before = c - (r->component ? f->grid.stride : 1);
        if (r->axis >= 0) continue;
        double force = d->body_force[r->component] - ((double)s->p[c] - (double)s->p[before]) / f->grid.dx;
        if (r->component && s->scalar_used[FLOW_TEMPERATURE])
            force +=
                rise * ((double)s->scalar[FLOW_TEMPERATURE][c] + (double)s->scalar[FLOW_TEMPERATURE][before]);
        (r->component ? s->v : s->u)[c] =
            flow_mixed_velocity(f, s->u_old, s->v_old, r->component, c, (float)(dt / f->grid.dx)) +
            (float)(dt * force);
    }
}

// All that acts on them but the pressure of this step.
void flow_bodies_apply_forces(struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    advance_inner_nodes(f, dt);
    if (flow_is_weakly_coupled(f)) return;
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        const struct body_step *w = &s->body_steps[i];
        double x[3];
        if (!is_present(o)) continue;
        for (int k = 0; k < 3; ++k)
            x[k] = w->start_velocity[k] + (w->load_impulse[k] + w->shear_impulse[k]) / generalised_mass(o, k);
        x[2] -= w->rotational_drag * o->motion.spin / o->inertia;
        set_velocity(o, x);
    }
    flow_impose_solid_velocity(f, s->u, s->v);
    flow_update_wall_flux(f);
}

// Speeds that a solution x of the pressure adds, `part` of it.
static void apply_pressure(const struct fluid *f, double part)
{
    const struct flow *s = f->impl;
    const double weight = part * f->density * f->grid.dx * f->grid.dx;
    for (int n = 0; n < s->body_rows_count; ++n) {
        const struct body_rows *g = &s->body_rows[n];
        struct obstacle *o = solid_at(f, g->solid_id);
        double sum[3] = {0};
        if (g->solid_id <= f->obstacle_count) continue;
        for (int i = g->first; i < g->first + g->count; ++i)
            for (int k = 0; k < 3; ++k) sum[k] += s->jacobian[k][i] * s->potential[s->jacobian_cell[i]];
        o->motion.u += weight / o->mass * sum[0];
        o->motion.v += weight / o->mass * sum[1];
        o->motion.spin += weight / o->inertia * sum[2];
    }
}

void flow_bodies_apply_pressure(struct fluid *f)
{
    if (flow_is_weakly_coupled(f)) return;
    apply_pressure(f, 1.0);
    flow_update_wall_flux(f);
}

// Weak: forces are what the pressure of the step came to, and change speeds after it.
void flow_bodies_finish_weak(struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const double strength = flow_def_of(f)->weak_force_factor;
    if (!flow_is_weakly_coupled(f)) return;
    add_load_impulse(f, dt);
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        const struct body_step *w = &s->body_steps[i];
        double x[3];
        if (!is_present(o)) continue;
        for (int k = 0; k < 3; ++k) {
            const double given = dt * o->applied_force[k],
                         fluid = (w->load_impulse[k] - given) + w->shear_impulse[k];
            x[k] = w->start_velocity[k] + (given + strength * fluid) / generalised_mass(o, k);
        }
        set_velocity(o, x);
    }
}

// ---- blows ----

// A blow j that changes speeds by d does the work j . (v + d/2). With a part that makes j . d the same as it
// would be if speeds came out as they are aimed at, the work is that of the ones who gave the blow, times the
// part: what lost energy to them loses energy here. Blows that need no pressure are the obstacle's alone: the
// same part leaves it the speeds aimed at.
double flow_apply_impulses(struct fluid *f, double dt)
{
    struct flow *s = f->impl;
    double got = 0.0, wanted = 0.0;
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        if (!is_present(o)) continue;
        get_velocity(o, s->body_steps[i].start_velocity);
        if (!o->has_impulse) continue;
        o->motion.u += o->impulse[0] / o->mass, o->motion.v += o->impulse[1] / o->mass,
            o->motion.spin += o->impulse[2] / o->inertia;
        if (flow_is_weakly_coupled(f)) set_velocity(o, o->target_velocity);
    }
    if (flow_is_weakly_coupled(f)) return 1.0;
    const bool pressed = flow_solve_impulses(f);
    if (pressed) apply_pressure(f, 1.0);
    for (int i = 0; i < f->body_count; ++i) {
        const struct obstacle *o = body_at(f, i);
        double now[3];
        get_velocity(o, now);
        for (int k = 0; k < 3 && o->has_impulse && is_present(o); ++k) {
            got += o->impulse[k] * (now[k] - s->body_steps[i].start_velocity[k]);
            wanted += o->impulse[k] * (o->target_velocity[k] - s->body_steps[i].start_velocity[k]);
        }
    }
    const double part = got > 0.0 ? clamp(wanted / got, 0.0, 1e3) : 0.0;
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        double now[3];
        if (!is_present(o)) continue;
        get_velocity(o, now);
        for (int k = 0; k < 3; ++k)
            now[k] =
                s->body_steps[i].start_velocity[k] + part * (now[k] - s->body_steps[i].start_velocity[k]);
        set_velocity(o, now);
    }
    flow_update_wall_flux(f);
    if (pressed) flow_apply_impulse_pressure(f, dt, part);
    return part;
}

void flow_bodies_free(struct fluid *f)
{
    struct flow *s = f->impl;
    const struct memory *m = f->memory;
    memory_free(m, s->cut_faces, (size_t)s->cut_face_capacity, sizeof *s->cut_faces);
    memory_free(m, s->jacobian_cell, (size_t)s->jacobian_cell_capacity, sizeof *s->jacobian_cell);
    for (int k = 0; k < 3; ++k)
        memory_free(m, s->jacobian[k], (size_t)s->jacobian_capacity[k], sizeof *s->jacobian[k]);
    memory_free(m, s->body_rows, (size_t)s->body_rows_capacity, sizeof *s->body_rows);
    memory_free(m, s->body_terms, (size_t)s->body_term_capacity, sizeof *s->body_terms);
    memory_free(m, s->wall_links, (size_t)s->wall_link_capacity, sizeof *s->wall_links);
    memory_free(m, s->small_regions, (size_t)s->small_region_capacity, sizeof *s->small_regions);
    memory_free(m, s->largest_region, (size_t)s->largest_region_capacity, sizeof *s->largest_region);
    memory_free(m, s->body_steps, (size_t)s->body_step_capacity, sizeof *s->body_steps);
}
