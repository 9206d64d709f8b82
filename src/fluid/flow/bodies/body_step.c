// Bodies in a substep of the planar model: drag on inner nodes, prediction with viscous drag, forces, and
// velocities from the potential. Body velocities are unknowns of the projection (body_jacobian.c).
// flow_step.c and flow_projection.c call it.
#include "body_step.h"

#include <string.h>

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
    const double weight = dt * f->density * f->grid.dx,
                 acceleration[2] = {flow_def_of(f)->acceleration.x, flow_def_of(f)->acceleration.y};
    for (int i = 0; i < f->body_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const struct obstacle *o = body_at(f, i);
            const double displaced_force = k < 2 ? f->density * o->area * acceleration[k] : 0.0;
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
        if (link->axis < 0 || link->solid_id <= f->obstacle_count) continue;
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
    const tarn_flow_def *d = flow_def_of(f);
    const double buoyancy = 0.5 * f->gravity * d->temperature.expansion;
    for (int i = 0; i < s->wall_link_count; ++i) {
        const struct wall_link *link = &s->wall_links[i];
        const size_t c = link->node, previous = c - (link->component ? f->grid.stride : 1);
        if (link->axis >= 0) continue;
        double force = (link->component ? d->acceleration.y : d->acceleration.x) -
                       ((double)s->p[c] - (double)s->p[previous]) / f->grid.dx;
        if (link->component && s->scalar_used[FLOW_TEMPERATURE])
            force += buoyancy *
                     ((double)s->scalar[FLOW_TEMPERATURE][c] + (double)s->scalar[FLOW_TEMPERATURE][previous]);
        const float mixed =
            flow_mixed_velocity(f, s->u_old, s->v_old, link->component, c, (float)(dt / f->grid.dx));
        const double change = (double)mixed - (double)(link->component ? s->v_old : s->u_old)[c];
        if (d->advection == TARN_FLOW_CONSERVATIVE)
            add_impulse(link,
                        -f->density * f->grid.dx * f->grid.dx * change *
                            (double)(link->component ? s->aperture_z : s->aperture_x)[c],
                        solid_at(f, link->solid_id)->flux_impulse);
        (link->component ? s->v : s->u)[c] = mixed + (float)(dt * force);
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
            velocity[k] =
                step->start_velocity[k] +
                (step->load_impulse[k] + o->shear_impulse[k] + o->flux_impulse[k]) / generalised_mass(o, k);
        velocity[2] -= step->rotational_drag * o->motion.spin / o->inertia;
        set_velocity(o, velocity);
    }
    flow_impose_solid_velocity(f, s->u, s->v);
    flow_update_wall_flux(f);
}

void body_step_apply_potential(const struct fluid *f, double scale)
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
    body_step_apply_potential(f, 1.0);
    flow_update_wall_flux(f);
}

// Weak coupling: explicit forces from the pressure of this substep.
void flow_bodies_finish_weak(struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    const double factor = f->weak_force_factor;
    if (!flow_is_weakly_coupled(f)) return;
    add_load_impulse(f, dt);
    for (int i = 0; i < f->body_count; ++i) {
        struct obstacle *o = body_at(f, i);
        const struct body_step *step = &s->body_steps[i];
        double velocity[3];
        if (!is_present(o)) continue;
        for (int k = 0; k < 3; ++k) {
            const double applied = dt * o->applied_force[k],
                         fluid = (step->load_impulse[k] - applied) + o->shear_impulse[k] + o->flux_impulse[k];
            velocity[k] = step->start_velocity[k] + (applied + factor * fluid) / generalised_mass(o, k);
        }
        set_velocity(o, velocity);
    }
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
