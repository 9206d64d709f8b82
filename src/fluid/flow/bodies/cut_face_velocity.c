// Velocity of faces that moving solids cover partly: the mean of fluid and solid during advection, and the
// velocity of the fluid after it. flow_step.c and body_step.c call it.
#include "fluid/flow/flow.h"

// With Runge-Kutta stages the change by forces is part of the result of advection.
static bool uses_rk_stages(const struct fluid *f)
{
    return flow_def_of(f)->advection == TARN_FLOW_CONSERVATIVE;
}

void flow_blend_cut_faces(const struct fluid *f)
{
    const struct flow *s = f->impl;
    for (int i = 0; i < s->cut_face_count; ++i) {
        struct cut_face *cut = &s->cut_faces[i];
        double velocity[3];
        flow_start_velocity(f, cut->solid_id, velocity);
        const double surface_velocity =
            cut->axis ? velocity[1] + velocity[2] * cut->lever : velocity[0] - velocity[2] * cut->lever;
        float *u = (cut->axis ? s->v : s->u) + cut->face;
        if (cut->is_first) {
            const float aperture = (cut->axis ? s->aperture_z : s->aperture_x)[cut->face];
            float *mass = (cut->axis ? s->mass_v : s->mass_u) + cut->face;
            cut->saved_mass = *mass, cut->saved_velocity = *u;
            if (!uses_rk_stages(f)) *mass = 0.0f; // the kernels skip the node
            *u *= aperture;
        }
        *u += (float)(cut->solid_fraction * surface_velocity);
    }
    flow_fill_velocity_ghosts(f, s->u, s->v);
}

// [m/s] Flux through the open part of a face.
static inline float face_flux(const float *aperture, const float *u, size_t c) { return aperture[c] * u[c]; }

// Mass-weighted mixing of the fluid of a node with the inflow from its neighbours,
//
//     (a + sum F) u' = a u + sum F u_n   over neighbours n with inflow F = dt/dx (a u), the mean of two faces
//
// First order in space, and bounded by the velocities of the node and its neighbours for any aperture.
float flow_mixed_velocity(const struct fluid *f, const float *old_u, const float *old_v, int component,
                          size_t c, float dt_dx)
{
    const struct flow *s = f->impl;
    const float *u = component ? old_v : old_u, *v = component ? old_u : old_v;
    const float *aperture = component ? s->aperture_z : s->aperture_x,
                *other_aperture = component ? s->aperture_x : s->aperture_z;
    const int link_own = component ? 2 : 0, link_other = 2 - link_own; // links
    const size_t neighbours[4] = {
        flow_neighbour_node(f, c, link_own), flow_neighbour_node(f, c, link_own + 1),
        flow_neighbour_node(f, c, link_other), flow_neighbour_node(f, c, link_other + 1)};
    const float flux = face_flux(aperture, u, c);
    const float fluxes[4] = {
        face_flux(aperture, u, neighbours[0]) + flux, -(flux + face_flux(aperture, u, neighbours[1])),
        face_flux(other_aperture, v, neighbours[0]) + face_flux(other_aperture, v, c),
        -(face_flux(other_aperture, v, flow_neighbour_node(f, neighbours[0], link_other + 1)) +
          face_flux(other_aperture, v, neighbours[3]))};
    float mass = aperture[c], sum = flux;
    for (int n = 0; n < 4; ++n) {
        const float inflow = aperture[neighbours[n]] > 0.0f ? 0.5f * dt_dx * max_f(fluxes[n], 0.0f) : 0.0f;
        mass += inflow;
        sum += inflow * u[neighbours[n]];
    }
    return sum / mass;
}

// The change of the mean velocity of a face is due to the fluid, which has only the open fraction of the
// mass, so it is divided by the aperture. Division by a small aperture adds energy, since the projection
// weights velocities with the aperture; a jet fed from the side would grow without bound. Small apertures in
// the conservative scheme, and all partly covered faces in the semi-Lagrangian schemes, which are of first
// order beside surfaces anyway, use flow_mixed_velocity() instead. Ghosts of the old velocity are not needed
// any more.
void flow_unblend_cut_faces(const struct fluid *f, float dt_dx)
{
    const struct flow *s = f->impl;
    for (int i = 0; i < s->cut_face_count; ++i) {
        const struct cut_face *cut = &s->cut_faces[i];
        const size_t c = cut->face;
        const bool is_z = cut->axis;
        if (!cut->is_first) continue;
        float *u = (is_z ? s->v : s->u) + c, *next = (is_z ? s->v_next : s->u_next) + c;
        const float aperture = (is_z ? s->aperture_z : s->aperture_x)[c],
                    force = uses_rk_stages(f) ? (is_z ? s->v_change : s->u_change)[c] : 0.0f;
        *next = cut->saved_mass > 0.0f ? cut->saved_velocity + (force + ((*next - *u) - force) / aperture)
                                       : cut->saved_velocity;
        *u = cut->saved_velocity;
        (is_z ? s->mass_v : s->mass_u)[c] = cut->saved_mass;
    }
    for (int i = 0; i < s->cut_face_count; ++i) {
        const struct cut_face *cut = &s->cut_faces[i];
        const size_t c = cut->face;
        const bool is_z = cut->axis;
        if (!cut->is_first || cut->saved_mass == 0.0f ||
            (uses_rk_stages(f) && (is_z ? s->aperture_z : s->aperture_x)[c] >= STAGE_MIN_APERTURE))
            continue;
        const float force = uses_rk_stages(f) ? (is_z ? s->v_change : s->u_change)[c] : 0.0f;
        (is_z ? s->v_next : s->u_next)[c] = flow_mixed_velocity(f, s->u, s->v, is_z, c, dt_dx) + force;
    }
}
