// The story of one step: read this first.
#include "base/error.h"
#include "base/fpmode.h"
#include "fluid/obstacle.h"
#include "world.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LOOK_AHEAD (1.0 / 60.0) // [s] for which contacts are looked for at once

static void emit(tarn_world *w)
{
    const struct moment now = {world_time(w), w->def.dt, (uint64_t)w->def.seed};
    for (int i = 0; i < w->emitter_count; ++i) w->emitters[i].kind->emit(&w->emitters[i], &now, &w->fluid);
}

// Bodies that leave through a periodic side come back across.
static void wrap_bodies(struct bodies *b, const struct fluid *f)
{
    const double wide = f->g.nx * f->g.s, deep = f->g.nz * f->g.s;
    for (int i = 0; i < b->count; ++i) {
        vec3 *p = &b->hot[i].position;
        if (f->kind->flat) {
            if (f->wrap_x) p->x -= wide * floor(p->x / wide);
            continue;
        }
        if (f->wrap_x) p->x -= wide * floor(p->x / wide + 0.5);
        if (f->wrap_z) p->z -= deep * floor(p->z / deep + 0.5);
    }
}

static void forget_pushes(struct bodies *b)
{
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) b->slots[i].cold->force = b->slots[i].cold->torque = v3(0, 0, 0);
}

// The first body that is lost, -1 if none is.
static int lost_body(const struct bodies *b)
{
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i) && !body_sound(b, i)) return i;
    return -1;
}

// The first cell that is not finite; if all are, the fastest one and true.
static bool worst_cell(const struct fluid *f, int *worst_i, int *worst_j)
{
    enum { PIECE = 64 };
    float h[PIECE], u[PIECE], v[PIECE], most = -1.0f;
    *worst_i = *worst_j = 0;
    for (int j = 0; j < f->g.nz; ++j)
        for (int i0 = 0; i0 < f->g.nx; i0 += PIECE) {
            const int i1 = i0 + PIECE < f->g.nx ? i0 + PIECE : f->g.nx;
            f->kind->surface(f, j, i0, i1, h);
            f->kind->speed(f, j, i0, i1, u, v);
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
static tarn_result judge(tarn_world *w)
{
    const unsigned long long step = w->steps;
    const int lost = lost_body(&w->bodies);
    if (lost >= 0) {
        const char *name = w->bodies.slots[lost].cold->def.name;
        snprintf(w->trouble, sizeof w->trouble, "step %llu: body %d%s%s flew apart", step, lost,
                 name[0] ? " " : "", name);
        return TARN_DIVERGED;
    }
    if (w->fluid.kind->sound(&w->fluid)) return TARN_OK;
    int i = 0, j = 0;
    const bool shown = w->fluid.kind->surface && w->fluid.kind->speed;
    const bool finite = shown && worst_cell(&w->fluid, &i, &j);
    const int n = snprintf(w->trouble, sizeof w->trouble, "step %llu: the water is %s", step,
                           finite ? "too fast to follow" : "not finite any more");
    if (shown)
        snprintf(w->trouble + n, sizeof w->trouble - (size_t)n, " in cell (%d, %d), at x = %.4g, z = %.4g m",
                 i, j, grid_x(&w->fluid.g, i), grid_z(&w->fluid.g, j));
    return TARN_DIVERGED;
}

// An inner step of at most `most` where a step is retaken.
static double shorten(const tarn_world *w, double left, double sub)
{
    return w->most > 0.0 && sub > w->most ? left / ceil(left / w->most - 1e-6) : sub;
}

static void note_courant(tarn_world *w, double sub)
{
    w->shortest = fmin(w->shortest, sub);
    w->courant = fmax(w->courant, w->fluid.fastest * sub * sqrt(2.0) / w->fluid.g.s);
    w->inner += 1;
}

// Water alone: all inner steps in one call, unless each depends on the last.
static tarn_result flow_alone(tarn_world *w)
{
    const struct fluid *f = &w->fluid;
    for (double left = w->def.dt; left > 0.0;) {
        const double sub = shorten(w, left, f->kind->inner(f, left));
        const int count = f->kind->varying ? 1 : (int)floor(left / sub + 0.5);
        for (int n = 0; n < count; ++n) note_courant(w, sub);
        w->fluid.kind->step(&w->fluid, sub, count);
        if (f->starved) return TARN_NO_MEMORY;
        left = count > 1 ? 0.0 : left - sub;
        if (!f->kind->sound(f)) return TARN_OK; // the judge will say so
    }
    couple_follow(&w->couple, &w->fluid, &w->bodies, w->def.dt); // the level forgets bodies that are gone
    return TARN_OK;
}

// Water and bodies share the inner steps: first what moves them, then how they move.
static tarn_result flow_with_bodies(tarn_world *w)
{
    const struct walls walls = world_walls(w);
    if (!bodies_begin_step(&w->bodies, &walls, fmin(w->def.dt, LOOK_AHEAD))) return TARN_NO_MEMORY;
    for (double left = w->def.dt, sub; left > 0.0; left -= sub) {
        sub = fmin(w->fluid.kind->inner(&w->fluid, left), left / ceil(left / SHORT_STEP - 1e-6));
        sub = shorten(w, left, sub);
        note_courant(w, sub);
        couple_push(&w->couple, &w->fluid, &w->bodies, sub); // the water pushes the bodies
        w->fluid.kind->step(&w->fluid, sub, 1);              // and feels them press
        couple_yield(&w->couple, &w->fluid, &w->bodies, sub);
        w->from_walls = v3_add(w->from_walls, bodies_advance(&w->bodies, &walls, sub));
        w->from_walls = v3_add(w->from_walls, bodies_keep_in(&w->bodies, &walls));
        couple_answer(&w->couple, &w->fluid, &w->bodies, sub); // what bodies got they take from the water
        couple_follow(&w->couple, &w->fluid, &w->bodies, sub);
        if (lost_body(&w->bodies) >= 0) return TARN_OK; // the judge will say so
    }
    if (!bodies_end_step(&w->bodies, w->def.dt)) return TARN_NO_MEMORY;
    wrap_bodies(&w->bodies, &w->fluid);
    forget_pushes(&w->bodies);
    couple_rebuild(&w->couple, &w->fluid, &w->bodies, -1); // which columns each body covers now
    return TARN_OK;
}

// In a plane the fluid finds its own speeds and those of the bodies together; then contacts have their say.
static tarn_result flow_flat(tarn_world *w)
{
    if (!swim_find_fixtures(&w->swim, &w->fluid)) return TARN_NO_MEMORY;
    const struct walls walls = world_walls(w);
    if (!bodies_begin_step(&w->bodies, &walls, fmin(w->def.dt, LOOK_AHEAD))) return TARN_NO_MEMORY;
    for (double left = w->def.dt, sub; left > 0.0; left -= sub) {
        sub = shorten(w, left, w->fluid.kind->inner(&w->fluid, left));
        note_courant(w, sub);
        w->from_walls =
            v3_add(w->from_walls, swim_step(&w->swim, &w->couple, &w->fluid, &w->bodies, &walls, sub));
        if (w->fluid.starved) return TARN_NO_MEMORY;
        if (lost_body(&w->bodies) >= 0 || !w->fluid.kind->sound(&w->fluid)) return TARN_OK;
    }
    if (!bodies_end_step(&w->bodies, w->def.dt)) return TARN_NO_MEMORY;
    wrap_bodies(&w->bodies, &w->fluid);
    forget_pushes(&w->bodies);
    return TARN_OK;
}

static tarn_result take_step(tarn_world *w)
{
    w->shortest = w->def.dt;
    if (w->keep && !world_keep_state(w)) return TARN_NO_MEMORY;
    world_settle(w);
    if (w->fluid.starved) return TARN_NO_MEMORY;
    obstacles_set_out(&w->fluid); // as if the world had just been loaded
    emit(w);
    tarn_result r = TARN_OK;
    if (w->bodies.alive_count == 0)
        r = flow_alone(w);
    else if (w->fluid.kind->flat)
        r = flow_flat(w);
    else
        r = flow_with_bodies(w);
    w->steps += 1;
    return r == TARN_OK ? judge(w) : r;
}

static void tell_retry(tarn_world *w, const char *trouble)
{
    enum { SAID = 10 }; // more would drown everything else
    w->retaken += w->retaken < INT_MAX;
    if (w->retaken <= SAID)
        log_remark(&w->def.host.log, TARN_LOG_WARNING, "%s; retaken in inner steps of %.3g s%s", trouble,
                   w->most, w->retaken == SAID ? "; no more words about this" : "");
}

// A linear model alone needs no backup, which would cost it a third of its speed.
static bool may_fail(const tarn_world *w) { return w->bodies.alive_count > 0 || !w->fluid.kind->linear; }

// A step that goes wrong is retaken from the state before it, in inner steps half as long as the shortest of the last
// try. If none helps, that state is the world's last.
static tarn_result insist(tarn_world *w)
{
    char trouble[sizeof w->trouble];
    if (!world_back_up(w)) return take_step(w); // no memory for a second chance
    tarn_result r = take_step(w);
    for (int n = 1; r == TARN_DIVERGED; ++n) {
        const double half = 0.5 * w->shortest;
        memcpy(trouble, w->trouble, sizeof trouble);
        const tarn_result back = world_go_back(w);
        if (back != TARN_OK) { // what there is stays, for reading
            if (back == TARN_NO_MEMORY) r = back;
            break;
        }
        w->most = half;
        if (n > w->def.host.retries) {
            memcpy(w->trouble, trouble, sizeof trouble);
            break;
        }
        if (n == 1) tell_retry(w, trouble);
        r = take_step(w);
    }
    w->most = 0.0;
    return r;
}

tarn_result tarn_world_step(tarn_world *w, double dt)
{
    if (!w || !(0.0 < dt && dt <= 10.0)) return TARN_BAD_ARGUMENT;
    if (w->trouble[0]) return TARN_DIVERGED;
    const struct fpmode host = fpmode_enter();
    tarn_result r = TARN_OK;
    bodies_forget_events(&w->bodies);
    // Whole steps: the frame rate never cuts one. The millionth part of a step makes up for the rounding of frame
    // times such as 1/144 s.
    w->owed += dt;
    const double due = floor(w->owed / w->def.dt + 1e-6);
    for (double n = 0.0; n < due && r == TARN_OK; n += 1.0) {
        w->owed -= w->def.dt;
        r = w->def.host.retries > 0 && may_fail(w) ? insist(w) : take_step(w);
    }
    if (r == TARN_NO_MEMORY)
        snprintf(w->trouble, sizeof w->trouble, "no memory left in step %llu", (unsigned long long)w->steps);
    fpmode_leave(host);
    return r;
}
