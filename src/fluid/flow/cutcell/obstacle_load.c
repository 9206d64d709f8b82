// Momentum that the fluid gives to solids, and the loads of obstacles. flow_step.c calls it in every substep,
// the model table calls flow_obstacle_load().
//
// The momentum of the fluid is the sum of rho h^2 a u over its free velocity nodes, a being the open fraction
// of the face. Fluxes between nodes cancel in that sum. What a node does not keep of them acts on the solid
// that covers the rest of its face, and what flows to a node in a solid acts on that solid; so momentum is
// conserved to rounding. Per node, in units of rho h^2, in a substep:
//
//     advection   N - a du        N: change by the fluxes through all sides, du: change made
//     viscosity   V - a du, and the links that end at the solid (bodies/wall_shear.c); V = m du, m the mass
//     pressure    (1 - a) (p_west - p_east) dt/(rho h)
//     forces      a g dt at nodes in the solid, which do not accelerate; a = 0 there for the pressure
//
// A moving solid receives the fluxes relative to its surface. Bodies receive pressure as unknowns of the
// projection (bodies/body_jacobian.c), and the rest of this with `conservative` only. Advection that is not
// in flux form (semi-Lagrangian) exchanges no momentum with obstacles.
#include "fluid/flow/flow.h"

static bool is_obstacle(const struct fluid *f, int solid_id)
{
    return 0 < solid_id && solid_id <= f->obstacle_count;
}

// [m] From the origin of a solid to a node, across the component.
static double lever_of(const struct fluid *f, const struct solid_face *face, const struct planar_motion *p)
{
    const uint32_t offset = face->node - (uint32_t)f->grid.origin, stride = (uint32_t)f->grid.stride;
    return face->component ? flow_periodic_offset(f, 0, (offset % stride + 0.5) * f->grid.dx, p->x)
                           : flow_periodic_offset(f, 1, (offset / stride + 0.5) * f->grid.dx, p->y);
}

// Impulse on a solid, in units of rho h^2 times the velocity.
static void add_impulse(const struct fluid *f, const struct solid_face *face, int solid_id, double change,
                        bool is_shear)
{
    const bool has_fluxes = flow_def_of(f)->advection == TARN_FLOW_CONSERVATIVE;
    if (!solid_id || (!has_fluxes && !is_obstacle(f, solid_id))) return;
    struct obstacle *o = solid_at(f, solid_id);
    double *const out = is_shear ? o->shear_impulse : o->flux_impulse;
    const double impulse = f->density * f->grid.dx * f->grid.dx * change,
                 lever = lever_of(f, face, &o->motion);
    out[face->component] += impulse;
    out[2] += face->component ? lever * impulse : -lever * impulse;
}

void flow_loads_add_impulse(const struct fluid *f, struct obstacle *o, const double change[2], double x,
                            double y)
{
    const double weight = f->density * f->grid.dx * f->grid.dx;
    for (int k = 0; k < 2; ++k) o->flux_impulse[k] += weight * change[k];
    o->flux_impulse[2] += weight * (x * change[1] - y * change[0]);
}

// [m^2/s^2] Pressure in the cell before a face minus that behind it; solids and the outside have none.
static double pressure_drop(const struct fluid *f, const struct solid_face *face)
{
    const struct flow *s = f->impl;
    const size_t c = face->node, before = face->cell_before;
    return (s->is_fluid[before] ? (double)s->p[before] : 0.0) - (s->is_fluid[c] ? (double)s->p[c] : 0.0);
}

void flow_loads_begin(struct fluid *f, float dt_dx)
{
    struct flow *s = f->impl;
    for (int i = 1; i <= solid_count(f); ++i) {
        struct obstacle *o = solid_at(f, i);
        for (int k = 0; k < 3; ++k) o->shear_impulse[k] = o->flux_impulse[k] = 0.0;
    }
    for (int i = 0; i < s->solid_face_count; ++i) {
        struct solid_face *face = &s->solid_faces[i];
        const size_t c = face->node;
        face->start = (face->component ? s->v : s->u)[c];
        face->force = (face->component ? s->v_change : s->u_change)[c];
        face->flux = 0.0;
        if (is_obstacle(f, face->owner) && !face->is_free && !face->is_boundary && face->aperture > 0.0f)
            add_impulse(f, face, face->owner,
                        (double)face->aperture *
                            ((double)face->force - (double)dt_dx * pressure_drop(f, face)),
                        false);
    }
}

// ---- advection ----

// Flux with velocity s of the momentum u from the node before c to c, relative to a moving surface.
static double flux_to_node(const float *u, size_t c, size_t step, float s, float u_surface)
{
    const float *q = u + c;
    return (double)upwind5_flux(s, *(q - 3 * step) - u_surface, *(q - 2 * step) - u_surface,
                                *(q - step) - u_surface, q[0] - u_surface, q[step] - u_surface,
                                q[2 * step] - u_surface);
}

// Change of a node by the flux from the neighbour at `link`.
static double flux_from(const struct fluid *f, const struct solid_face *face, const float *const velocity[2],
                        const float surface[2], int link)
{
    const size_t steps[2] = {1, f->grid.stride}, own = steps[face->component], step = steps[link / 2];
    const float *u = velocity[face->component], *v = velocity[1 - face->component];
    const float u0 = surface[face->component], v0 = surface[1 - face->component];
    const size_t c = link % 2 ? face->node + step : face->node; // beyond the side
    const float s = step == own ? (u[c - own] - u0) + (u[c] - u0) : (v[c - own] - v0) + (v[c] - v0);
    const double flux = flux_to_node(u, c, step, s, u0);
    return link % 2 ? -flux : flux;
}

// Velocity of the surface of a solid at a node. False if it is at rest.
static bool surface_velocity_at(const struct fluid *f, const struct solid_face *face, int solid_id,
                                float out[2])
{
    double velocity[3] = {0.0, 0.0, 0.0};
    if (solid_id) flow_start_velocity(f, solid_id, velocity);
    const double turn = solid_id ? velocity[2] * lever_of(f, face, &solid_at(f, solid_id)->motion) : 0.0;
    out[0] = (float)(face->component ? velocity[0] : velocity[0] - turn);
    out[1] = (float)(face->component ? velocity[1] + turn : velocity[1]);
    return velocity[0] != 0.0 || velocity[1] != 0.0 || velocity[2] != 0.0;
}

// The same of an obstacle that covers the face; 0 of a body, whose part of the face moves with the fluid
// during advection (bodies/cut_face_velocity.c).
static bool owner_velocity_at(const struct fluid *f, const struct solid_face *face, float out[2])
{
    return surface_velocity_at(f, face, is_obstacle(f, face->owner) ? face->owner : 0, out);
}

void flow_loads_add_fluxes(struct fluid *f, const float *u, const float *v, double dt_dx)
{
    struct flow *s = f->impl;
    const float *const velocity[2] = {u, v};
    const double scale = 0.5 / 60.0 * dt_dx;
    for (int i = 0; i < s->solid_face_count; ++i) {
        struct solid_face *face = &s->solid_faces[i];
        float surface[2];
        if (!face->is_free) continue;
        if (face->needs_flux) owner_velocity_at(f, face, surface);
        for (int link = 0; link < FLOW_LINKS && face->needs_flux; ++link)
            face->flux += scale * flux_from(f, face, velocity, surface, link);
        for (int link = 0; link < FLOW_LINKS; ++link) {
            if (!face->neighbours[link]) continue;
            surface_velocity_at(f, face, face->neighbours[link], surface);
            add_impulse(f, face, face->neighbours[link], -scale * flux_from(f, face, velocity, surface, link),
                        false);
        }
    }
}

void flow_loads_note_advection(struct fluid *f, bool has_fluxes)
{
    struct flow *s = f->impl;
    for (int i = 0; i < s->solid_face_count; ++i) {
        struct solid_face *face = &s->solid_faces[i];
        const size_t c = face->node;
        float surface[2];
        face->advected = (face->component ? s->v_next : s->u_next)[c] - face->start;
        if (has_fluxes) face->advected -= (face->component ? s->v_change : s->u_change)[c];
        if (!face->is_free || !face->needs_flux) continue;
        const bool moving = owner_velocity_at(f, face, surface);
        const double change = has_fluxes && moving ? face->flux : (double)face->advected;
        if (has_fluxes)
            add_impulse(f, face, face->owner, face->flux - (double)face->aperture * change, false);
    }
}

// ---- viscosity and pressure ----

static double displaced_area(const struct obstacle *o)
{
    double twice = 0.0;
    for (int i = 0; i < o->point_count; ++i) {
        const double *p = o->points[i], *q = o->points[(i + 1) % o->point_count];
        twice += p[0] * q[1] - p[1] * q[0];
    }
    return 0.5 * fabs(twice);
}

// The Laplacian form of the viscous stress lacks a torque on rotating solids, see predict_velocity() in
// bodies/body_step.c.
static double rotational_torque(const struct fluid *f, const struct obstacle *o)
{
    const double viscosity = flow_def_of(f)->viscosity;
    if (o->motion.spin == 0.0 || viscosity == 0.0) return 0.0;
    return -2.0 * f->density * viscosity * displaced_area(o) * o->motion.spin;
}

void flow_loads_finish(struct fluid *f, bool implicit)
{
    struct flow *s = f->impl;
    for (int i = 0; i < s->solid_face_count; ++i) {
        const struct solid_face *face = &s->solid_faces[i];
        if (!face->is_free) continue;
        const double change = (double)(face->component ? s->v_next : s->u_next)[face->node] -
                              (double)face->start - (double)face->force - (double)face->advected,
                     mass = implicit ? (double)face->mass : 1.0;
        add_impulse(f, face, face->owner, (mass - (double)face->aperture) * change, true);
    }
}

void flow_loads_add_pressure(struct fluid *f, double dt)
{
    const struct flow *s = f->impl;
    for (int i = 0; i < s->solid_face_count; ++i) {
        const struct solid_face *face = &s->solid_faces[i];
        const double open = face->is_free || face->is_boundary ? (double)face->aperture : 0.0;
        if (is_obstacle(f, face->owner)) // bodies are unknowns of the projection
            add_impulse(f, face, face->owner, dt / f->grid.dx * (1.0 - open) * pressure_drop(f, face), false);
    }
    for (int i = 0; i < f->obstacle_count; ++i) {
        struct obstacle *o = &f->obstacles[i];
        o->from_fluid.total[2] += dt * rotational_torque(f, o);
        for (int k = 0; k < 3; ++k) o->from_fluid.total[k] += o->shear_impulse[k] + o->flux_impulse[k];
        for (int k = 0; k < 2; ++k) o->from_fluid.shear[k] += o->shear_impulse[k];
        o->from_fluid.time += dt;
    }
}

void flow_obstacle_load(const struct fluid *f, int obstacle, tarn_obstacle_load *out)
{
    const struct obstacle *o = &f->obstacles[obstacle];
    const struct planar_motion *p = &o->motion;
    const struct obstacle_impulse *i = &o->from_fluid;
    const double rate = i->time > 0.0 ? 1.0 / i->time : 0.0;
    *out = (tarn_obstacle_load){.x = p->x, .y = p->y, .angle = p->angle};
    out->u = p->u, out->v = p->v, out->angular_velocity = p->spin;
    out->force_x = rate * i->total[0], out->force_y = rate * i->total[1];
    out->friction_x = rate * i->shear[0], out->friction_y = rate * i->shear[1];
    out->torque = rate * i->total[2];
}
