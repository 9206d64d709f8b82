// Bodies in a substep of the planar model: their velocities are unknowns of the projection (body_jacobian.c);
// viscous links exchange momentum with the fluid nodes near their surfaces; impulses of contacts and joints
// act on body and fluid together. flow_step.c and the model table call it.
#include "fluid/flow/flow.h"

#include <string.h>

#define INNER_LINK_COEF 20.0f // link coefficient of a node inside a body, as for a very near surface

// A body during one substep.
struct body_step {
    // [kg m/s], [kg m/s], [kg m^2/s] momentum with that of inner nodes; then, solved for in place, the
    // velocity at the start of the substep [m/s], [m/s], [rad/s].
    union {
        double momentum[3], start_velocity[3];
    };
    double shear_impulse[3];                    // [kg m/s], [kg m/s], [kg m^2/s] of viscous links
    double load_impulse[3];                     // the same unit, of the last pressure and of applied forces
    double rotational_drag;                     // [kg m^2] rotational drag times dt, see predict_velocity()
    double system[3][3], predicted_velocity[3]; // matrix and solution of the prediction
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

// ---- wall links ----

static bool add_wall_link(struct fluid *f, const struct wall_link *link)
{
    struct flow *s = f->impl;
    if (s->wall_link_count == s->wall_link_capacity &&
        !memory_grow(f->memory, (void **)&s->wall_links, &s->wall_link_capacity, s->wall_link_count + 1,
                     sizeof *s->wall_links))
        return false;
    s->wall_links[s->wall_link_count++] = *link;
    return true;
}

// Add the link number `link` of node (i, j) if it ends in a body; FLOW_LINKS: the node itself lies in one.
// False without memory.
static bool add_link_of_node(struct fluid *f, int component, int i, int j, int link)
{
    const struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const size_t c = grid_at(g, i, j), solid_node = link == FLOW_LINKS ? c : flow_neighbour_node(f, c, link);
    const int solid_id = (component ? s->solid_id_v : s->solid_id_u)[solid_node],
              axis = link == FLOW_LINKS ? -1 : link / 2;
    if (solid_id <= f->obstacle_count) return true;
    const float coef = axis < 0 ? INNER_LINK_COEF
                       : axis == 0
                           ? (component ? s->coef_vx : s->coef_ux)[c + (size_t)(link % 2)]
                           : (component ? s->coef_vz : s->coef_uz)[c + (size_t)(link % 2) * g->stride];
    const struct planar_motion *motion = &solid_at(f, solid_id)->motion;
    const bool is_transverse =
        axis == !component; // then the surface is displaced from the node along the lever arm
    const double gap = is_transverse ? (link % 2 ? 1.0 : -1.0) * (g->dx / (double)coef) : 0.0;
    const double lever = component ? flow_periodic_offset(f, 0, (i + 0.5) * g->dx + gap, motion->x)
                                   : -flow_periodic_offset(f, 1, (j + 0.5) * g->dx + gap, motion->y);
    return add_wall_link(f, &(struct wall_link){(uint32_t)c, (uint32_t)solid_node, (uint16_t)solid_id,
                                                (signed char)component, (signed char)axis, coef, lever});
}

static bool find_links_of_component(struct fluid *f, int component)
{
    static const unsigned char lowest[(1 << FLOW_LINKS) + 1] = {
        0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, FLOW_LINKS}; // number of the lowest bit
    struct flow *s = f->impl;
    const struct grid *g = &f->grid;
    const float *coef_x = component ? s->coef_vx : s->coef_ux, *coef_z = component ? s->coef_vz : s->coef_uz,
                *aperture = component ? s->aperture_z : s->aperture_x;
    const uint16_t *solid_id = component ? s->solid_id_v : s->solid_id_u;
    const int first_i = component == FLOW_U && !f->periodic_x,
              first_j = component == FLOW_V && !f->periodic_z; // nodes on the boundary have no links
    FOR_EACH_SOLID_RUN(s, g, 0, j, begin, end)
    {
        const size_t c = grid_at(g, begin, j);
        unsigned char *marks = s->link_marks + grid_at(g, 0, j);
        if (j < first_j) continue;
        s->cutcell_kernels->mark_wall_links(solid_id + c, aperture + c, coef_x + c, coef_z + c, g->stride,
                                            marks + begin, (size_t)(end - begin));
        for (int i = imax(begin, first_i); (i = next_nonzero(marks, i, end)) < end; ++i)
            for (int bits = marks[i]; bits; bits &= bits - 1)
                if (!add_link_of_node(f, component, i, j, lowest[bits])) return false;
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

// [m/s] Velocity of a body where a link meets its surface.
static double surface_velocity(const struct wall_link *link, const double velocity[3])
{
    return velocity[link->component] + velocity[2] * link->lever;
}

static void add_impulse(const struct wall_link *link, double impulse, double out[3])
{
    out[link->component] += impulse;
    out[2] += link->lever * impulse;
}

static struct body_step *body_step_of(const struct fluid *f, const struct wall_link *link)
{
    return &((struct flow *)f->impl)->body_steps[link->solid_id - 1 - f->obstacle_count];
}

// The change of the fluid is corrected to the velocity of the surface where the link meets it, which differs
// from that of the node inside.
void flow_wall_shear_explicit(const struct fluid *f, int component, float diffusion_number, const float *q,
                              float *change)
{
    struct flow *s = f->impl;
    const double weight = f->density * f->grid.dx * f->grid.dx * (double)diffusion_number;
    for (int i = 0; i < s->wall_link_count; ++i) {
        const struct wall_link *link = &s->wall_links[i];
        if (link->axis < 0 || link->component != component) continue;
        double velocity[3];
        get_velocity(solid_at(f, link->solid_id), velocity);
        const double u_surface = surface_velocity(link, velocity);
        change[link->node] +=
            (float)((double)(diffusion_number * link->coef) * (u_surface - (double)q[link->solid_node]));
        add_impulse(link, weight * (double)link->coef * ((double)q[link->node] - u_surface),
                    body_step_of(f, link)->shear_impulse);
    }
}

void flow_wall_shear_implicit(const struct fluid *f, int component, int axis, float diffusion_number,
                              const float *change)
{
    const struct flow *s = f->impl;
    const double weight = f->density * f->grid.dx * f->grid.dx * (double)diffusion_number;
    for (int i = 0; i < s->wall_link_count; ++i) {
        const struct wall_link *link = &s->wall_links[i];
        if (link->axis == axis && link->component == component)
            add_impulse(link, weight * (double)link->coef * (double)change[link->node],
                        body_step_of(f, link)->shear_impulse);
    }
}

// ---- substep ----

// Cholesky solve of a symmetric positive definite system; x is the right-hand side, then the solution.
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

// matrix += weight R R^T with R the row of a link.
static void add_link_mass(const struct wall_link *link, double weight, double matrix[3][3])
{
    matrix[link->component][link->component] += weight;
    matrix[link->component][2] += weight * link->lever, matrix[2][link->component] += weight * link->lever;
    matrix[2][2] += weight * link->lever * link->lever;
}

// Impulse of the last substep's pressure, of applied forces, and of the body force on the displaced fluid.
static void add_load_impulse(const struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const double weight = dt * f->density * f->grid.dx;
    for (int i = 0; i < f->body_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const struct obstacle *o = body_at(f, i);
            const double displaced_force = k < 2 ? f->density * o->area * flow_def_of(f)->body_force[k] : 0.0;
            s->body_steps[i].load_impulse[k] = dt * (o->applied_force[k] + displaced_force);
        }
    for (int n = 0; n < s->body_rows_count; ++n) {
        const struct body_rows *rows = &s->body_rows[n];
        if (rows->solid_id <= f->obstacle_count) continue;
        double sum[3] = {0};
        for (int i = rows->first; i < rows->first + rows->count; ++i)
            for (int k = 0; k < 3; ++k) sum[k] += s->jacobian[k][i] * (double)s->p[s->jacobian_cell[i]];
        for (int k = 0; k < 3; ++k)
            s->body_steps[rows->solid_id - 1 - f->obstacle_count].load_impulse[k] += weight * sum[k];
    }
}

// Drag between bodies and the free nodes inside them, with the coefficient of the smallest distance to a
// surface: backward Euler, first the bodies with the nodes eliminated, then the nodes. Momentum is conserved.
static void couple_inner_nodes(const struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const double weight = f->density * f->grid.dx * f->grid.dx;
    const double diffusion_number = flow_def_of(f)->viscosity * dt / (f->grid.dx * f->grid.dx);
    for (int i = 0; i < f->body_count; ++i) {
        const struct obstacle *o = body_at(f, i);
        struct body_step *step = &s->body_steps[i];
        *step = (struct body_step){.system = {{o->mass, 0, 0}, {0, o->mass, 0}, {0, 0, o->inertia}}};
        step->momentum[0] = o->mass * o->motion.u, step->momentum[1] = o->mass * o->motion.v,
        step->momentum[2] = o->inertia * o->motion.spin;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < s->wall_link_count; ++i) {
            const struct wall_link *link = &s->wall_links[i];
            if (link->axis >= 0) continue;
            const double mass = (double)(link->component ? s->aperture_z : s->aperture_x)[link->node],
                         drag = diffusion_number * (double)link->coef;
            const double reduced_mass = weight * mass * drag / (mass + drag);
            float *u = &(link->component ? s->v : s->u)[link->node];
            struct body_step *step = body_step_of(f, link);
            if (pass == 0) {
                add_link_mass(link, reduced_mass, step->system);
                add_impulse(link, reduced_mass * (double)*u, step->momentum);
            } else {
                *u = (float)((mass * (double)*u + drag * surface_velocity(link, step->start_velocity)) /
                             (mass + drag));
            }
        }
        for (int i = 0; pass == 0 && i < f->body_count; ++i)
            if (is_present(body_at(f, i)))
                solve3_cholesky(s->body_steps[i].system, s->body_steps[i].start_velocity);
    }
}

// Backward-Euler prediction of body velocities under viscous drag; the diffusion of the fluid uses them as
// wall velocities.
static void predict_velocity(const struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const double mu = f->density * flow_def_of(f)->viscosity;
    for (int i = 0; i < f->body_count; ++i) {
        struct body_step *step = &s->body_steps[i];
        const struct obstacle *o = body_at(f, i);
        const double displaced_mass = f->density * o->area,
                     mass[3] = {o->mass + displaced_mass, o->mass + displaced_mass, o->inertia};
        memset(step->system, 0, sizeof step->system);
        for (int k = 0; k < 3; ++k)
            step->system[k][k] = mass[k],
            step->predicted_velocity[k] = mass[k] * step->start_velocity[k] + step->load_impulse[k];
        // The Laplacian form of the viscous stress lacks this torque on a rotating body. Without it a disc in
        // shear would rotate at twice the correct rate.
        step->rotational_drag = 2.0 * mu * o->area * dt;
        step->system[2][2] += step->rotational_drag;
    }
    for (int n = 0; n < s->wall_link_count; ++n) {
        const struct wall_link *link = &s->wall_links[n];
        const double drag = mu * dt * (double)link->coef;
        if (link->axis < 0) continue;
        add_link_mass(link, drag, body_step_of(f, link)->system);
        add_impulse(link, drag * (double)(link->component ? s->v : s->u)[link->node],
                    body_step_of(f, link)->predicted_velocity);
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

void flow_start_velocity(const struct fluid *f, int solid_id, double velocity[3])
{
    const struct flow *s = f->impl;
    if (solid_id > f->obstacle_count)
        memcpy(velocity, s->body_steps[solid_id - 1 - f->obstacle_count].start_velocity,
               3 * sizeof *velocity);
    else
        get_velocity(solid_at(f, solid_id), velocity);
}

void flow_bodies_predict(struct fluid *f, double dt)
{
    add_load_impulse(f, dt);
    if (flow_is_weakly_coupled(f)) return;
    predict_velocity(f, dt);
}

// Before the projection a body has the velocity that it would have without fluid; the estimate reduces it by
// the mass of the displaced fluid.
double flow_bodies_max_speed(const struct fluid *f)
{
    double max_speed = 0.0;
    for (int i = 0; i < f->body_count; ++i) {
        const struct obstacle *o = body_at(f, i);
        const double speed = fmax(fabs(o->motion.u), fabs(o->motion.v)),
                     displaced_mass = f->density * o->area;
        if (is_present(o)) max_speed = fmax(max_speed, speed * o->mass / (o->mass + displaced_mass));
    }
    return max_speed;
}

// Velocity of free nodes inside bodies, which the other passes skip.
static void advance_inner_nodes(const struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const struct flow_def *d = flow_def_of(f);
    const double buoyancy = 0.5 * f->gravity * d->heat_expansion;
    for (int i = 0; i < s->wall_link_count; ++i) {
        const struct wall_link *link = &s->wall_links[i];
        const size_t c = link->node, previous = c - (link->component ? f->grid.stride : 1);
        if (link->axis >= 0) continue;
        double force =
            d->body_force[link->component] - ((double)s->p[c] - (double)s->p[previous]) / f->grid.dx;
        if (link->component && s->scalar_used[FLOW_TEMPERATURE])
            force += buoyancy *
                     ((double)s->scalar[FLOW_TEMPERATURE][c] + (double)s->scalar[FLOW_TEMPERATURE][previous]);
        (link->component ? s->v : s->u)[c] =
            flow_mixed_velocity(f, s->u_old, s->v_old, link->component, c, (float)(dt / f->grid.dx)) +
            (float)(dt * force);
    }
}

// All forces but the pressure of this substep.
void flow_bodies_apply_forces(struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    advance_inner_nodes(f, dt);
    if (flow_is_weakly_coupled(f)) return;
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        const struct body_step *step = &s->body_steps[i];
        double velocity[3];
        if (!is_present(o)) continue;
        for (int k = 0; k < 3; ++k)
            velocity[k] = step->start_velocity[k] +
                          (step->load_impulse[k] + step->shear_impulse[k]) / generalised_mass(o, k);
        velocity[2] -= step->rotational_drag * o->motion.spin / o->inertia;
        set_velocity(o, velocity);
    }
    flow_impose_solid_velocity(f, s->u, s->v);
    flow_update_wall_flux(f);
}

// Body velocities from `scale` times the potential.
static void apply_pressure(const struct fluid *f, double scale)
{
    const struct flow *s = f->impl;
    const double weight = scale * f->density * f->grid.dx * f->grid.dx;
    for (int n = 0; n < s->body_rows_count; ++n) {
        const struct body_rows *rows = &s->body_rows[n];
        struct obstacle *o = solid_at(f, rows->solid_id);
        double sum[3] = {0};
        if (rows->solid_id <= f->obstacle_count) continue;
        for (int i = rows->first; i < rows->first + rows->count; ++i)
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

// Weak coupling: explicit forces from the pressure of this substep.
void flow_bodies_finish_weak(struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const double factor = flow_def_of(f)->weak_force_factor;
    if (!flow_is_weakly_coupled(f)) return;
    add_load_impulse(f, dt);
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        const struct body_step *step = &s->body_steps[i];
        double velocity[3];
        if (!is_present(o)) continue;
        for (int k = 0; k < 3; ++k) {
            const double applied = dt * o->applied_force[k],
                         fluid = (step->load_impulse[k] - applied) + step->shear_impulse[k];
            velocity[k] = step->start_velocity[k] + (applied + factor * fluid) / generalised_mass(o, k);
        }
        set_velocity(o, velocity);
    }
}

// ---- impulses ----

// An impulse j that changes the velocity v by d does the work j . (v + d/2). The impulses are scaled such
// that j . d is what it would be if the bodies got the target velocities of the contact solver. Then the work
// is that of the contact solver times the scale: contacts that dissipate energy there dissipate it here.
// Impulses too weak for a projection act on the body alone, and the same scale gives it the target velocity.
double flow_apply_impulses(struct fluid *f, double dt)
{
    struct flow *s = f->impl;
    double work = 0.0, target_work = 0.0;
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
    const bool is_projected = flow_solve_impulses(f);
    if (is_projected) apply_pressure(f, 1.0);
    for (int i = 0; i < f->body_count; ++i) {
        const struct obstacle *o = body_at(f, i);
        double velocity[3];
        get_velocity(o, velocity);
        for (int k = 0; k < 3 && o->has_impulse && is_present(o); ++k) {
            work += o->impulse[k] * (velocity[k] - s->body_steps[i].start_velocity[k]);
            target_work += o->impulse[k] * (o->target_velocity[k] - s->body_steps[i].start_velocity[k]);
        }
    }
    const double scale = work > 0.0 ? clamp(target_work / work, 0.0, 1e3) : 0.0;
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        double velocity[3];
        if (!is_present(o)) continue;
        get_velocity(o, velocity);
        for (int k = 0; k < 3; ++k)
            velocity[k] = s->body_steps[i].start_velocity[k] +
                          scale * (velocity[k] - s->body_steps[i].start_velocity[k]);
        set_velocity(o, velocity);
    }
    flow_update_wall_flux(f);
    if (is_projected) flow_apply_impulse_pressure(f, dt, scale);
    return scale;
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
