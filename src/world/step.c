// The story of one step: read this first.
#include "base/error.h"
#include "base/fpmode.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "world.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define CONTACT_HORIZON (1.0 / 60.0) // [s] for which contacts are looked for at once

static void apply_emitters(tarn_world *w)
{
    const struct time_interval now = {world_time(w), w->def.dt, (uint64_t)w->def.seed};
    for (int i = 0; i < w->emitter_count; ++i) w->emitters[i].kind->emit(&w->emitters[i], &now, &w->fluid);
}

// Bodies that leave through a periodic side come back across.
static void world_wrap_periodic(struct bodies *b, const struct fluid *f)
{
    const double wide = f->grid.nx * f->grid.dx, deep = f->grid.nz * f->grid.dx;
    for (int i = 0; i < b->slot_count; ++i) {
        vec3 *p = &b->state[i].position;
        if (f->model->planar) {
            if (f->periodic_x) p->x -= wide * floor(p->x / wide);
            continue;
        }
        if (f->periodic_x) p->x -= wide * floor(p->x / wide + 0.5);
        if (f->periodic_z) p->z -= deep * floor(p->z / deep + 0.5);
    }
}

static void bodies_clear_user_forces(struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i)) b->slots[i].body->user_force = b->slots[i].body->user_torque = v3(0, 0, 0);
}

// The first body that is lost, -1 if none is.
static int bodies_find_invalid(const struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists(b, i) && !body_is_valid(b, i)) return i;
    return -1;
}

// The first cell that is not finite; if all are, the fastest one and true.
static bool find_worst_cell(const struct fluid *f, int *worst_i, int *worst_j)
{
    enum { CHUNK = 64 };
    float h[CHUNK], u[CHUNK], v[CHUNK], most = -1.0f;
    *worst_i = *worst_j = 0;
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i0 = 0; i0 < f->grid.nx; i0 += CHUNK) {
            const int i1 = i0 + CHUNK < f->grid.nx ? i0 + CHUNK : f->grid.nx;
            f->model->height_field->read_surface(f, j, i0, i1, h);
            f->model->height_field->read_velocity(f, j, i0, i1, u, v);
            for (int i = 0; i < i1 - i0; ++i) {
                const float fast = fabsf(u[i]) + fabsf(v[i]);
                const bool finite = isfinite(h[i] + fast);
                if (finite && fast <= most) continue;
                *worst_i = i0 + i, *worst_j = j, most = fast;
                if (!finite) return false;
            }
        }
    return true;
}

// What went wrong, if anything.
static tarn_result world_check_divergence(tarn_world *w)
{
    const unsigned long long step = w->steps;
    const int lost = bodies_find_invalid(&w->bodies);
    if (lost >= 0) {
        const char *name = w->bodies.slots[lost].body->def.name;
        snprintf(w->failure, sizeof w->failure, "step %llu: body %d%s%s flew apart", step, lost,
                 name[0] ? " " : "", name);
        return TARN_DIVERGED;
    }
    if (w->fluid.model->is_valid(&w->fluid)) return TARN_OK;
    int i = 0, j = 0;
    const bool shown = w->fluid.model->height_field != NULL;
    const bool finite = shown && find_worst_cell(&w->fluid, &i, &j);
    const int n = snprintf(w->failure, sizeof w->failure, "step %llu: the water is %s", step,
                           finite ? "too fast to follow" : "not finite any more");
    if (shown)
        snprintf(w->failure + n, sizeof w->failure - (size_t)n, " in cell (%d, %d), at x = %.4g, z = %.4g m",
                 i, j, grid_cell_x(&w->fluid.grid, i), grid_cell_z(&w->fluid.grid, j));
    return TARN_DIVERGED;
}

// A repeated step has an upper limit for its substeps.
static double limit_substep(const tarn_world *w, double left, double sub)
{
    return w->max_substep > 0.0 && sub > w->max_substep ? left / ceil(left / w->max_substep - 1e-6) : sub;
}

static void record_substep(tarn_world *w, double sub)
{
    w->shortest_substep = fmin(w->shortest_substep, sub);
    w->courant = fmax(w->courant, w->fluid.max_signal_speed * sub * sqrt(2.0) / w->fluid.grid.dx);
    w->substeps += 1;
}

// Water alone: all inner steps in one call, unless each depends on the last.
static tarn_result step_fluid(tarn_world *w)
{
    const struct fluid *f = &w->fluid;
    for (double left = w->def.dt; left > 0.0;) {
        fluid_update_derived(&w->fluid);
        const double sub = limit_substep(w, left, f->model->substep_dt(f, left));
        const int count = f->model->adaptive_substep ? 1 : (int)floor(left / sub + 0.5);
        for (int n = 0; n < count; ++n) record_substep(w, sub);
        w->fluid.model->advance(&w->fluid, sub, count);
        if (f->out_of_memory) return TARN_NO_MEMORY;
        fluid_update_derived(&w->fluid);
        left = count > 1 ? 0.0 : left - sub;
        if (!f->model->is_valid(f)) return TARN_OK; // the judge will say so
    }
    couple_update_columns(&w->coupling, &w->fluid, &w->bodies,
                          w->def.dt); // the level forgets bodies that are gone
    return TARN_OK;
}

// Water and bodies share the inner steps: first what moves them, then how they move.
static tarn_result step_coupled(tarn_world *w)
{
    const struct body_domain walls = world_body_domain(w);
    if (!bodies_begin_step(&w->bodies, &walls, fmin(w->def.dt, CONTACT_HORIZON))) return TARN_NO_MEMORY;
    for (double left = w->def.dt, sub; left > 0.0; left -= sub) {
        fluid_update_derived(&w->fluid);
        sub = fmin(w->fluid.model->substep_dt(&w->fluid, left), left / ceil(left / MAX_SOLVER_DT - 1e-6));
        sub = limit_substep(w, left, sub);
        record_substep(w, sub);
        couple_apply_loads(&w->coupling, &w->fluid, &w->bodies, sub); // the water pushes the bodies
        w->fluid.model->advance(&w->fluid, sub, 1);                   // and feels them press
        couple_apply_solved_pressure(&w->coupling, &w->fluid, &w->bodies, sub);
        w->wall_impulse = v3_add(w->wall_impulse, bodies_advance(&w->bodies, &walls, sub));
        w->wall_impulse = v3_add(w->wall_impulse, bodies_confine(&w->bodies, &walls));
        couple_return_momentum(&w->coupling, &w->fluid, &w->bodies,
                               sub); // what bodies got they take from the water
        couple_update_columns(&w->coupling, &w->fluid, &w->bodies, sub);
        if (bodies_find_invalid(&w->bodies) >= 0) return TARN_OK; // the judge will say so
    }
    if (!bodies_end_step(&w->bodies, w->def.dt)) return TARN_NO_MEMORY;
    world_wrap_periodic(&w->bodies, &w->fluid);
    bodies_clear_user_forces(&w->bodies);
    couple_build_columns(&w->coupling, &w->fluid, &w->bodies, -1); // which columns each body covers now
    return TARN_OK;
}

// In a plane the fluid finds its own speeds and those of the bodies together; then contacts have their say.
static tarn_result step_planar(tarn_world *w)
{
    if (!planar_update_colliders(&w->planar, &w->fluid)) return TARN_NO_MEMORY;
    const struct body_domain walls = world_body_domain(w);
    if (!bodies_begin_step(&w->bodies, &walls, fmin(w->def.dt, CONTACT_HORIZON))) return TARN_NO_MEMORY;
    for (double left = w->def.dt, sub; left > 0.0; left -= sub) {
        fluid_update_derived(&w->fluid);
        sub = limit_substep(w, left, w->fluid.model->substep_dt(&w->fluid, left));
        record_substep(w, sub);
        w->wall_impulse = v3_add(w->wall_impulse,
                                 planar_step(&w->planar, &w->coupling, &w->fluid, &w->bodies, &walls, sub));
        if (w->fluid.out_of_memory) return TARN_NO_MEMORY;
        fluid_update_derived(&w->fluid);
        if (bodies_find_invalid(&w->bodies) >= 0 || !w->fluid.model->is_valid(&w->fluid)) return TARN_OK;
    }
    if (!bodies_end_step(&w->bodies, w->def.dt)) return TARN_NO_MEMORY;
    world_wrap_periodic(&w->bodies, &w->fluid);
    bodies_clear_user_forces(&w->bodies);
    return TARN_OK;
}

static tarn_result world_take_step(tarn_world *w)
{
    w->shortest_substep = w->def.dt;
    if (w->stores_previous && !world_store_previous(w)) return TARN_NO_MEMORY;
    world_apply_body_edits(w);
    if (w->fluid.out_of_memory) return TARN_NO_MEMORY;
    obstacles_reset_motion(&w->fluid); // as if the world had just been loaded
    apply_emitters(w);
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

static void log_retry(tarn_world *w, const char *trouble)
{
    enum { MAX_RETRY_MESSAGES = 10 }; // more would drown everything else
    w->retry_count += w->retry_count < INT_MAX;
    if (w->retry_count <= MAX_RETRY_MESSAGES)
        log_message(&w->def.host.log, TARN_LOG_WARNING, "%s; retaken in inner steps of %.3g s%s", trouble,
                    w->max_substep, w->retry_count == MAX_RETRY_MESSAGES ? "; no more words about this" : "");
}

// A linear model alone needs no backup, which would cost it a third of its speed.
static bool world_can_diverge(const tarn_world *w)
{
    return w->bodies.body_count > 0 || !w->fluid.model->cannot_diverge;
}

// A step that goes wrong is retaken from the state before it, in inner steps half as long as the shortest of the last
// try. If none helps, that state is the world's last.
static tarn_result world_step_with_retry(tarn_world *w)
{
    char trouble[sizeof w->failure];
    if (!world_save_backup(w)) return world_take_step(w); // no memory for a second chance
    tarn_result r = world_take_step(w);
    for (int n = 1; r == TARN_DIVERGED; ++n) {
        const double half = 0.5 * w->shortest_substep;
        memcpy(trouble, w->failure, sizeof trouble);
        const tarn_result back = world_restore_backup(w);
        if (back != TARN_OK) { // what there is stays, for reading
            if (back == TARN_NO_MEMORY) r = back;
            break;
        }
        w->max_substep = half;
        if (n > w->def.host.retries) {
            memcpy(w->failure, trouble, sizeof trouble);
            break;
        }
        if (n == 1) log_retry(w, trouble);
        r = world_take_step(w);
    }
    w->max_substep = 0.0;
    return r;
}

tarn_result tarn_world_step(tarn_world *w, double dt)
{
    if (!w || !(0.0 < dt && dt <= 10.0)) return TARN_BAD_ARGUMENT;
    if (w->failure[0]) return TARN_DIVERGED;
    const struct fpmode host = fpmode_enter();
    tarn_result r = TARN_OK;
    bodies_clear_events(&w->bodies);
    // Whole steps: the frame rate never cuts one. The millionth part of a step makes up for the rounding of frame
    // times such as 1/144 s.
    w->accumulated_time += dt;
    const double due = floor(w->accumulated_time / w->def.dt + 1e-6);
    for (double n = 0.0; n < due && r == TARN_OK; n += 1.0) {
        w->accumulated_time -= w->def.dt;
        r = w->def.host.retries > 0 && world_can_diverge(w) ? world_step_with_retry(w) : world_take_step(w);
    }
    if (r == TARN_NO_MEMORY)
        snprintf(w->failure, sizeof w->failure, "no memory left in step %llu", (unsigned long long)w->steps);
    fpmode_leave(host);
    return r;
}
