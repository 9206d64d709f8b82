// One world step, in order: read this first. The world step dt is fixed; it is divided into substeps that the
// stability limit of the fluid allows.
//   step_fluid    a fluid without bodies
//   step_coupled  a height field and bodies, partitioned coupling: loads, fluid, contacts, returned momentum
//   step_planar   planar flow: body velocities are unknowns of the pressure projection
// diagnose.c finds out what diverged, retry.c repeats a diverged step with shorter substeps.
#include "base/parallel/fpmode.h"
#include "body/collide/body_tree.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "world.h"

#include <stdio.h>

#define CONTACT_HORIZON (1.0 / 60.0) // [s] for which contacts are detected at once

static void apply_emitters(tarn_world *w)
{
    const struct time_interval now = {world_time(w), w->def.dt, (uint64_t)w->def.seed};
    for (int i = 0; i < w->emitter_slot_count; ++i)
        if (w->emitters[i].kind) w->emitters[i].kind->emit(&w->emitters[i], &now, &w->fluid);
}

// The stability limit of the fluid for its present state, at most `time_left`.
static double fluid_substep(struct fluid *f, double time_left)
{
    fluid_update_derived(f);
    return f->model->substep_dt(f, time_left);
}

// A repeated step has an upper limit for its substeps; `time_left` is then divided evenly.
static double limit_substep(const tarn_world *w, double time_left, double dt)
{
    return w->max_substep > 0.0 && dt > w->max_substep ? time_left / ceil(time_left / w->max_substep - 1e-6)
                                                       : dt;
}

// Courant number in two dimensions: c dt sqrt(2) / dx.
static void record_substep(tarn_world *w, double dt)
{
    w->shortest_substep = fmin(w->shortest_substep, dt);
    w->courant = fmax(w->courant, w->fluid.max_signal_speed * dt * sqrt(2.0) / w->fluid.grid.dx);
    w->substeps += 1;
}

static void advance_fluid(tarn_world *w, double dt, int count)
{
    MEASURE(w->services.profile, PHASE_FLUID, w->fluid.model->advance(&w->fluid, dt, count));
}

static bool fluid_is_valid(struct fluid *f)
{
    fluid_update_derived(f);
    return f->model->is_valid(f);
}

static tarn_result step_fluid(tarn_world *w)
{
    struct fluid *f = &w->fluid;
    for (double time_left = w->def.dt; time_left > 0.0;) {
        const double dt = limit_substep(w, time_left, fluid_substep(f, time_left));
        const int count = f->model->adaptive_substep ? 1 : (int)floor(time_left / dt + 0.5);
        for (int n = 0; n < count; ++n) record_substep(w, dt);
        advance_fluid(w, dt, count);
        if (f->out_of_memory) return TARN_NO_MEMORY;
        time_left = count > 1 ? 0.0 : time_left - dt;
        if (!fluid_is_valid(f)) return TARN_OK; // world_check_divergence() reports it
    }
    couple_update_columns(&w->coupling, f, &w->bodies, w->def.dt); // the rise of removed bodies decays
    return TARN_OK;
}

static bool begin_body_step(tarn_world *w, const struct body_domain *domain)
{
    return bodies_begin_step(&w->bodies, domain, fmin(w->def.dt, CONTACT_HORIZON)); // contact detection
}

static bool end_body_step(tarn_world *w)
{
    if (!bodies_end_step(&w->bodies, w->def.dt)) return false; // contact events, sleep timers
    world_wrap_periodic(w);
    for (int i = 0; i < w->bodies.slot_count; ++i)
        if (body_exists(&w->bodies, i))
            w->bodies.slots[i].body->user_force = w->bodies.slots[i].body->user_torque = v3(0, 0, 0);
    return true;
}

static tarn_result step_coupled(tarn_world *w)
{
    struct fluid *f = &w->fluid;
    struct bodies *bodies = &w->bodies;
    struct coupling *coupling = &w->coupling;
    struct profile *profile = w->services.profile;
    const struct body_domain domain = world_body_domain(w);
    if (!begin_body_step(w, &domain) || !world_store_wet_bodies(w)) return TARN_NO_MEMORY;
    for (double time_left = w->def.dt, dt; time_left > 0.0; time_left -= dt) {
        dt = fmin(fluid_substep(f, time_left), time_left / ceil(time_left / MAX_SOLVER_DT - 1e-6));
        dt = limit_substep(w, time_left, dt);
        record_substep(w, dt);
        // Gravity, buoyancy, drag; the bodies load the surface.
        MEASURE(profile, PHASE_COUPLING, couple_apply_loads(coupling, f, bodies, dt));
        advance_fluid(w, dt, 1);
        // Implicit coupling only.
        MEASURE(profile, PHASE_COUPLING, couple_apply_solved_pressure(coupling, f, bodies, dt));
        // Contacts, joints, positions; then bodies outside the domain are put back to its walls.
        w->wall_impulse = v3_add(w->wall_impulse, bodies_advance(bodies, &domain, dt));
        w->wall_impulse = v3_add(w->wall_impulse, bodies_confine(bodies, &domain));
        // Reaction of the horizontal loads.
        MEASURE(profile, PHASE_COUPLING, couple_return_momentum(coupling, f, bodies, dt));
        MEASURE(profile, PHASE_COUPLING, couple_update_columns(coupling, f, bodies, dt));
        if (bodies_find_invalid(bodies) >= 0) return TARN_OK; // world_check_divergence() reports it
    }
    if (!end_body_step(w) || !world_add_water_events(w)) return TARN_NO_MEMORY;
    // The columns that a loaded checkpoint builds.
    MEASURE(profile, PHASE_COUPLING, couple_build_columns(coupling, f, bodies, -1));
    return TARN_OK;
}

static tarn_result step_planar(tarn_world *w)
{
    struct fluid *f = &w->fluid;
    struct bodies *bodies = &w->bodies;
    struct planar_coupling *planar = &w->planar;
    struct profile *profile = w->services.profile;
    if (!planar_update_colliders(planar, f)) return TARN_NO_MEMORY;
    const struct body_domain domain = world_body_domain(w);
    if (!begin_body_step(w, &domain)) return TARN_NO_MEMORY;
    for (double time_left = w->def.dt, dt; time_left > 0.0; time_left -= dt) {
        dt = limit_substep(w, time_left, fluid_substep(f, time_left));
        record_substep(w, dt);
        // Velocities that the application has changed act on body and fluid together, as impulses.
        vec3 impulse;
        MEASURE(profile, PHASE_COUPLING, impulse = planar_exchange_impulses(planar, f, bodies, dt, true));
        planar_set_forces(planar, f, bodies);
        advance_fluid(w, dt, 1); // one projection finds the velocities of fluid and bodies
        if (!f->out_of_memory) {
            planar_read_velocities(planar, &w->coupling, f, bodies, dt);
            planar_move_bodies(planar, f, bodies, &domain, dt); // contacts, joints, positions
            vec3 contact_impulse;
            MEASURE(profile, PHASE_COUPLING,
                    contact_impulse = planar_exchange_impulses(planar, f, bodies, dt, false));
            impulse = v3_add(impulse, contact_impulse);
            MEASURE(profile, PHASE_COUPLING, planar_update_cut_cells(planar, f, bodies));
        }
        w->wall_impulse = v3_add(w->wall_impulse, impulse); // the order of this sum is part of the state
        if (f->out_of_memory) return TARN_NO_MEMORY;
        if (bodies_find_invalid(bodies) >= 0 || !fluid_is_valid(f)) return TARN_OK;
    }
    return end_body_step(w) ? TARN_OK : TARN_NO_MEMORY;
}

tarn_result world_take_step(tarn_world *w)
{
    w->shortest_substep = w->def.dt;
    profile_begin_step(w->services.profile);
    if (w->stores_previous && !world_store_previous(w)) return TARN_NO_MEMORY; // for interpolated frames
    world_apply_body_edits(w);
    if (w->fluid.out_of_memory) return TARN_NO_MEMORY;
    obstacles_reset_motion(&w->fluid); // as after loading a checkpoint
    MEASURE(w->services.profile, PHASE_EMITTERS, apply_emitters(w));
    tarn_result r = TARN_OK;
    if (w->bodies.body_count == 0)
        r = step_fluid(w);
    else if (w->fluid.model->planar)
        r = step_planar(w);
    else
        r = step_coupled(w);
    w->steps += 1;
    fluid_update_derived(&w->fluid);
    return r == TARN_OK ? world_check_divergence(w) : r;
}

// Fixed time step with an accumulator: the frame rate does not change the steps. A millionth of a step
// absorbs the rounding of frame times such as 1/144 s.
static double count_due_steps(const tarn_world *w) { return floor(w->accumulated_time / w->def.dt + 1e-6); }

static tarn_result take_one_step(tarn_world *w)
{
    return w->def.host.retries > 0 && world_can_diverge(w) ? world_step_with_retry(w) : world_take_step(w);
}

static tarn_result take_due_steps(tarn_world *w, double seconds)
{
    tarn_result r = TARN_OK;
    w->accumulated_time += seconds;
    const double due = count_due_steps(w);
    for (double n = 0.0; n < due && r == TARN_OK; n += 1.0) {
        w->accumulated_time -= w->def.dt;
        r = take_one_step(w);
    }
    return r;
}

static tarn_result take_steps(tarn_world *w, int count)
{
    tarn_result r = TARN_OK;
    for (int n = 0; n < count && r == TARN_OK; ++n) r = take_one_step(w);
    return r;
}

static tarn_result end_call(tarn_world *w, tarn_result r)
{
    body_tree_update(&w->bodies); // for queries
    if (r == TARN_OK && !events_add_moves(&w->bodies)) r = TARN_NO_MEMORY;
    if (r == TARN_NO_MEMORY)
        snprintf(w->failure, sizeof w->failure, "out of memory in step %llu", (unsigned long long)w->steps);
    return r;
}

// `count` steps, or those that are due after `seconds` > 0. The caller of all of them gets their events
// together.
static tarn_result run_world(tarn_world *w, double seconds, int count)
{
    if (w->failure[0]) return TARN_DIVERGED;
    const struct fpmode host = fpmode_enter();
    tarn_result r;
    events_begin(&w->bodies);
    profile_begin_call(&w->profile);
    MEASURE(&w->profile, PHASE_STEP,
            r = end_call(w, seconds > 0.0 ? take_due_steps(w, seconds) : take_steps(w, count)));
    fpmode_leave(host);
    return r;
}

tarn_result world_take_steps(tarn_world *w, int count)
{
    return w && count >= 0 ? run_world(w, 0.0, count) : TARN_BAD_ARGUMENT;
}

tarn_result tarn_world_step(tarn_world *w) { return world_take_steps(w, 1); }

tarn_result tarn_world_advance(tarn_world *w, double dt)
{
    return w && 0.0 < dt && dt <= 10.0 ? run_world(w, dt, 0) : TARN_BAD_ARGUMENT;
}

int tarn_world_add_time(tarn_world *w, double seconds)
{
    if (!w || !(0.0 <= seconds && seconds <= 10.0)) return 0;
    const struct fpmode host = fpmode_enter();
    w->accumulated_time += seconds;
    const double due = count_due_steps(w);
    for (double n = 0.0; n < due; n += 1.0)
        w->accumulated_time -= w->def.dt; // rounded as by tarn_world_advance()
    fpmode_leave(host);
    return (int)due;
}

double tarn_world_get_remainder(const tarn_world *w)
{
    return w ? clamp(w->accumulated_time / w->def.dt, 0.0, 1.0) : 0.0;
}
