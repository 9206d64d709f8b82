#include "swim.h"

#include "base/error.h"
#include "fluid/obstacle.h"

#define TURNING 0.1 // of the inertia of fluid in a body's place turns along with it; a disc takes none

void swim_free(struct swim *s)
{
    memory_free(s->memory, s->list, (size_t)s->room, sizeof *s->list);
    swim_free_fixtures(s);
}

static double mass_of(const struct bodies *b, int i) { return b->slots[i].cold->def.mass; }
static double inertia_of(const struct bodies *b, int i) { return b->slots[i].cold->inertia.z; }
static bool round_one(const struct bodies *b, int i)
{
    return b->slots[i].cold->figure->form.pieces[0].circle_count > 0;
}

static void speeds_of(const struct bodies *b, int i, double v[3])
{
    v[0] = b->hot[i].momentum.x / mass_of(b, i);
    v[1] = b->hot[i].momentum.y / mass_of(b, i);
    v[2] = b->hot[i].angular.z / inertia_of(b, i);
}

static void set_speeds(struct bodies *b, int i, const double v[3])
{
    b->hot[i].momentum = v3_scale(v3(v[0], v[1], 0.0), mass_of(b, i));
    b->hot[i].angular = v3(0.0, 0.0, inertia_of(b, i) * v[2]);
}

static double angle_of(const struct bodies *b, int i)
{
    const quat q = b->hot[i].rotation;
    return m_atan2(2.0 * q.w * q.z, 1.0 - 2.0 * q.z * q.z);
}

static void pose(struct fluid *f, const struct bodies *b, int i)
{
    struct pose *p = &f->loose[i].now;
    p->x = b->hot[i].position.x, p->y = b->hot[i].position.y, p->angle = angle_of(b, i);
}

static void move(struct fluid *f, int i, const double v[3])
{
    struct pose *p = &f->loose[i].now;
    p->u = v[0], p->v = v[1], p->spin = v[2];
}

// ---- in and out -------------------------------------------------------------------------------------------

static bool outline(const struct bodies *b, struct fluid *f, int i)
{
    const struct piece *p = &b->slots[i].cold->figure->form.pieces[0];
    double points[SIDE_CORNERS][2];
    if (p->circle_count) return obstacle_set_loose(f, i, p->round, NULL, 0);
    const struct side *front = &p->sides[p->side_count - 1]; // see prism.c
    for (int k = 0; k < front->count; ++k) {
        const vec3 at = p->points[p->corners[front->first + k]];
        points[k][0] = at.x, points[k][1] = at.y;
    }
    return obstacle_set_loose(f, i, 0.0, (const double(*)[2])points, front->count);
}

static bool reserve(struct swim *s, struct fluid *f, const struct bodies *b, int i)
{
    if (!memory_grow(s->memory, (void **)&s->list, &s->room, b->count, sizeof *s->list) || !outline(b, f, i))
        return false;
    f->loose[i].mass = mass_of(b, i), f->loose[i].inertia = inertia_of(b, i);
    pose(f, b, i);
    return true;
}

tarn_result swim_place(struct swim *s, struct couple *c, struct fluid *f, const struct bodies *b, int i,
                       tarn_error *err)
{
    if (i >= OBSTACLES_MOST)
        return fail(err, TARN_BAD_INPUT, "", "there may be %d bodies in a flow", OBSTACLES_MOST);
    if (!memory_grow(c->memory, (void **)&c->presses, &c->room, b->count, sizeof *c->presses) ||
        !reserve(s, f, b, i))
        return fail(err, TARN_NO_MEMORY, "", "no memory for another body");
    speeds_of(b, i, s->list[i].v);
    move(f, i, s->list[i].v);
    c->presses[i] = (struct press){0};
    s->moved = true; // many may come
    return TARN_OK;
}

// A body that is lost, about which the world will say so, stays where it was.
static void follow(struct fluid *f, const struct bodies *b)
{
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i) && body_sound(b, i)) pose(f, b, i);
    f->kind->follow(f);
}

void swim_settle(struct swim *s, struct fluid *f, const struct bodies *b)
{
    if (s->moved) follow(f, b);
    s->moved = f->starved;
}

void swim_take(struct swim *s, struct couple *c, struct fluid *f, const struct bodies *b, int i)
{
    swim_settle(s, f, b); // others may have come
    c->presses[i] = (struct press){0};
    obstacle_remove_loose(f, i);
    f->kind->follow(f);
    s->moved = f->starved;
}

// ---- a step -----------------------------------------------------------------------------------------------

// Speeds that someone else than the fluid has changed: as a blow that they and the fluid get together.
static bool note_blow(const struct swim *s, struct fluid *f, const struct bodies *b, int i)
{
    struct obstacle *o = &f->loose[i];
    const double mass = mass_of(b, i) + o->along, part = inertia_of(b, i) / mass_of(b, i);
    const double turning = inertia_of(b, i) + (round_one(b, i) ? 0.0 : TURNING * o->along * part);
    double change = 0.0, size = 0.0;
    speeds_of(b, i, o->aim);
    for (int k = 0; k < 3; ++k) {
        const double d = o->aim[k] - s->list[i].v[k], weight = k < 2 ? mass_of(b, i) : inertia_of(b, i);
        change += weight * d * d;
        size += weight * (o->aim[k] * o->aim[k] + s->list[i].v[k] * s->list[i].v[k]);
        o->blow[k] = (k < 2 ? mass : turning) * d;
    }
    return o->struck = change > 1e-20 * size; // more than rounding
}

static void fetch(struct swim *s, const struct fluid *f, int i)
{
    const struct pose *p = &f->loose[i].now;
    s->list[i].v[0] = p->u, s->list[i].v[1] = p->v, s->list[i].v[2] = p->spin;
}

// Blows on all bodies, or on those that are not the caller's. Gives back their sum [kg m/s].
static vec3 strike(struct swim *s, struct fluid *f, const struct bodies *b, double dt, bool all)
{
    vec3 sum = {0, 0, 0};
    bool any = false;
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        f->loose[i].struck = false;
        if (all || body_movable(b, i)) any |= note_blow(s, f, b, i);
    }
    if (!any) return sum;
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) move(f, i, s->list[i].v);
    const double part = f->kind->strike(f, dt);
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        const struct obstacle *o = &f->loose[i];
        if (o->struck) sum = v3_madd(sum, part, v3(o->blow[0], o->blow[1], 0.0));
        fetch(s, f, i);
    }
    return sum;
}

// What acts on a body besides the fluid; the pressure of fluid at rest is known, and not a part of the fluid's own.
static vec3 weight_of(const struct fluid *f, const struct bodies *b, int i)
{
    const struct body_cold *cold = b->slots[i].cold;
    return v3_add(cold->force, v3(0.0, -cold->def.mass * f->gravity, 0.0));
}

static void give(const struct swim *s, struct fluid *f, const struct bodies *b, int i)
{
    struct obstacle *o = &f->loose[i];
    const vec3 force = weight_of(f, b, i);
    o->given[0] = force.x, o->given[1] = force.y + f->density * o->area * f->gravity;
    o->given[2] = b->slots[i].cold->torque.z;
    move(f, i, s->list[i].v);
}

static void report(struct press *p, const struct swim *s, const struct fluid *f, const struct bodies *b,
                   int i, double dt)
{
    const vec3 weight = weight_of(f, b, i);
    const double m = mass_of(b, i) / dt, *v = s->list[i].v, *before = s->list[i].before;
    const vec3 force = v3(m * (v[0] - before[0]) - weight.x, m * (v[1] - before[1]) - weight.y, 0.0);
    p->load = (tarn_load){.buoyancy = {0.0, f->density * f->loose[i].area * f->gravity, 0.0},
                          .force = force,
                          .free_force = force,
                          .submerged_volume = f->loose[i].area,
                          .submerged_fraction = 1.0};
    p->load.drag = v3_sub(force, p->load.buoyancy);
    p->load.torque.z = inertia_of(b, i) / dt * (v[2] - before[2]) - b->slots[i].cold->torque.z;
    p->load.free_torque = p->load.torque;
}

// What the fluid changed, as kicks of `count` short steps.
static void kick(const struct swim *s, const struct fluid *f, struct bodies *b, int count)
{
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i) || !body_movable(b, i)) continue;
        const double *v = s->list[i].v, *was = s->list[i].before, m = mass_of(b, i) / count;
        const double along = f->loose[i].along;
        b->kicks[i] = (struct kick){.momentum = {m * (v[0] - was[0]), m * (v[1] - was[1]), 0.0},
                                    .angular = {0.0, 0.0, inertia_of(b, i) / count * (v[2] - was[2])},
                                    .steady = true,
                                    .along = along,
                                    .turning = round_one(b, i) ? 0.0 : TURNING * along / mass_of(b, i)};
    }
}

vec3 swim_step(struct swim *s, struct couple *c, struct fluid *f, struct bodies *b, const struct walls *w,
               double dt)
{
    swim_settle(s, f, b);
    vec3 walls = strike(s, f, b, dt, true); // what the caller has changed
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) give(s, f, b, i);
    f->kind->step(f, dt, 1);
    if (f->starved) return walls;
    for (int i = 0; i < b->count; ++i) {
        double *before = s->list[i].before;
        if (!bodies_alive(b, i)) continue;
        for (int k = 0; k < 3; ++k) before[k] = s->list[i].v[k];
        fetch(s, f, i);
        report(&c->presses[i], s, f, b, i, dt);
    }
    const int count = (int)ceil(dt / SHORT_STEP - 1e-6);
    for (int k = 0; k < count; ++k) {
        kick(s, f, b, count);
        swim_put_fixtures(s, f, dt * (count - k) / count); // the fluid's are where this step ends
        bodies_advance(b, w, dt / count);
        bodies_keep_in(b, w);
        bodies_flatten(b);
    }
    walls = v3_add(walls, strike(s, f, b, dt, false));
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i) && body_movable(b, i)) set_speeds(b, i, s->list[i].v);
    follow(f, b);
    return walls;
}

double swim_energy(const struct fluid *f, const struct bodies *b)
{
    double sum = 0.0;
    for (int i = 0; i < b->count; ++i)
        if (bodies_alive(b, i)) sum -= f->density * f->loose[i].area * f->gravity * b->hot[i].position.y;
    return sum;
}

// ---- saving -----------------------------------------------------------------------------------------------

void swim_save(struct saver *s, const struct swim *swim, const struct fluid *f, const struct bodies *b)
{
    for (int i = 0; f->kind->flat && i < b->count; ++i)
        if (bodies_alive(b, i)) save_f64s(s, swim->list[i].v, 3);
}

tarn_result swim_load(struct loader *l, struct swim *s, struct fluid *f, const struct bodies *b,
                      tarn_error *err)
{
    bool good = true;
    for (int i = 0; f->kind->flat && i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        if (i >= OBSTACLES_MOST || !reserve(s, f, b, i))
            return fail(err, TARN_NO_MEMORY, "", "no memory for bodies");
        load_f64s(l, s->list[i].v, 3);
        for (int k = 0; k < 3; ++k) good = good && fabs(s->list[i].v[k]) < 1e9;
        move(f, i, s->list[i].v);
    }
    return good && load_done(l) ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "the section 'swim' is impossible");
}
