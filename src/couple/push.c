// What the water does to a body: pressure, drag, slamming, what is in its hold, what drives it; and the kick that all of
// that is over a step.
#include "couple.h"

// Solve symmetric positive 6 x 6 systems by Cholesky's method: first the factor, then any right-hand sides.
static void factor6(double a[6][6])
{
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (int k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
}

static void solve6(double a[6][6], double x[6])
{
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
    }
    for (int i = 5; i >= 0; --i) {
        for (int k = i + 1; k < 6; ++k) x[i] -= a[k][i] * x[k];
        x[i] /= a[i][i];
    }
}

void press_cut(const struct press *p, const struct fluid *f, const struct bodies *b, int i, vec3 drift,
               struct wetted *out)
{
    const struct body_cold *cold = b->slots[i].cold;
    wetted_cut(&cold->figure->form.hull, &b->hot[i], &cold->def, body_velocity(b, i), body_spin(b, i),
               &p->surface, drift, f, out);
}

void press_report(struct press *p, const struct fluid *f, const struct bodies *b, int i,
                  const struct wetted *w)
{
    p->load = (tarn_load){0};
    p->load.buoyancy = v3(0, w->pressure.y, 0);
    p->load.force = p->load.free_force = p->load.buoyancy;
    p->load.torque = p->load.free_torque = w->pressure_torque;
    p->load.submerged_volume = w->volume;
    const struct form *form = &b->slots[i].cold->figure->form;
    p->load.submerged_fraction = w->volume / (form->volume + form->held);
    p->load.held = f->g.s * f->g.s * p->inside;
    p->load.waterline = f->level + p->surface.a;
}

struct shove {
    vec3 force, torque;       // all that acts, gravity included
    double sunk;              // part of the added mass that counts upwards and for turning
    struct added added, slam; // [kg], and [kg/s] its growth on entry
    struct wetted wet;
    struct cargo cargo;
    vec3 entry; // [N] to bring what comes into the hold to the body's speed
};

static const int upright[3] = {1, 3, 5}; // heave, roll, pitch

// The water's velocity at a body. Long waves lift the deep less, the bed not at all; and no water is faster than the
// waves, beyond which linear waves mean nothing.
static vec3 water_at_body(const struct press *p, const struct fluid *f, const struct bodies *b, int i)
{
    vec3 v = press_current(p, f, b->slots[i].cold->figure->radius);
    double slope[2];
    const vec3 at = b->hot[i].position;
    const double ground = fluid_ground(f, at.x, at.z, slope), depth = p->surface.a - ground;
    v.y *= depth > f->dry ? clamp((at.y - f->level - ground) / depth, 0.0, 1.0) : 0.0;
    const double fast = v3_length(v), most = fmax(f->speed, f->fastest);
    return fast > most ? v3_scale(v, most / fast) : v;
}

// Water that drags on a body is dragged along by it. Taken at the end of the step for both, their speeds meet and never
// pass each other: little water cannot hold a heavy body.
static void yield(struct shove *k, struct ballast water, double dt)
{
    const double mass = fmin(water.mass[0], water.mass[1]), rub = dt * (k->wet.damping[0][0] + k->slam.side);
    const double part = rub > 0.0 ? mass / (mass + rub) : 1.0;
    struct wetted *w = &k->wet;
    w->drag = v3_scale(w->drag, part), w->drag_torque = v3_scale(w->drag_torque, part);
    w->lift = v3_scale(w->lift, part), w->lift_torque = v3_scale(w->lift_torque, part);
    for (int r = 0; r < 6; ++r)
        for (int s = 0; s < 6; ++s) w->damping[r][s] *= part;
    k->slam.side *= part, k->slam.up *= part;
}

// [kg/s] What comes along has to be brought to the body's speed; what stays behind keeps it.
static double growth(double due, double had, double dt) { return fmax(0.0, due - had) / dt; }

// Water that could not be brought to that speed in this step comes along later.
static double grown(double due, double had, double slam, double dt) { return fmin(due, had) + dt * slam; }

// Own inertia times this is that of the water that turns with a body.
static double turning_of(const struct bodies *b, int i, double up)
{
    return ADDED_TURN * up / (ADDED_SIDE * b->slots[i].cold->def.mass);
}

static void add_slam(struct press *p, const struct fluid *f, const struct bodies *b, int i, double strength,
                     double dt, struct shove *k)
{
    const double due = added_by(f, k->wet.volume), up = k->sunk * due;
    k->slam = (struct added){growth(due, p->added.side, dt), growth(up, p->added.up, dt)};
    if (f->kind->shove && (strength > 0.0 || p->deep)) yield(k, press_ballast(p, f, strength), dt);
    k->added =
        (struct added){grown(due, p->added.side, k->slam.side, dt), grown(up, p->added.up, k->slam.up, dt)};
    p->added = k->added;
    const vec3 v = v3_sub(body_velocity(b, i), p->drift);
    k->force = v3_sub(k->force, v3(k->slam.side * v.x, k->slam.up * v.y, k->slam.side * v.z));
    k->torque = v3_madd(k->torque, -turning_of(b, i, k->slam.up), b->hot[i].angular);
}

// Pressure from the cut at the plane for heave, roll and pitch, from the columns sideways and for yaw. The
// water around a body accelerates with the surface's slope and takes the added mass along: hence 1.5.
static void add_water(struct press *p, const struct fluid *f, const struct bodies *b, int i, double strength,
                      double dt, struct shove *k)
{
    const vec3 drift = p->drift = water_at_body(p, f, b, i);
    vec3 side;
    double yaw;
    press_cut(p, f, b, i, drift, &k->wet);
    press_sideways(p, f, strength, k->wet.volume, &side, &yaw);
    press_report(p, f, b, i, &k->wet);

    add_slam(p, f, b, i, strength, dt, k);
    p->load.buoyancy = v3((1.0 + ADDED_SIDE) * side.x, k->wet.pressure.y, (1.0 + ADDED_SIDE) * side.z);
    p->load.drag = k->wet.drag;
    p->load.lift = k->wet.lift;
    k->force = v3_add(k->force, v3_add(p->load.buoyancy, v3_add(k->wet.drag, k->wet.lift)));
    const vec3 pressure = v3(k->wet.pressure_torque.x, yaw, k->wet.pressure_torque.z);
    k->torque = v3_add(k->torque, v3_add(pressure, v3_add(k->wet.drag_torque, k->wet.lift_torque)));
}

// A propeller pushes water away, a rudder turns it: so the water has to answer for their forces as for all others.
static void add_drive(const struct press *p, const struct fluid *f, const struct bodies *b, int i, double dt,
                      struct shove *k)
{
    const struct drive d = drive_of(p, f, b, i, dt);
    k->force = v3_add(k->force, d.force);
    k->torque = v3_add(k->torque, d.torque);
}

// (M + M_a + dt C + dt^2/4 K) (dv, dw) = dt (F, T): damping and stiffness are taken at the end and the middle of
// the step, so a body of any lightness stays calm at any step.
static void find_inertia(const struct bodies *b, int i, double dt, const struct shove *k, double stiff[3][3],
                         double a[6][6])
{
    const double m = b->slots[i].cold->def.mass;
    const mat3 inertia = body_inertia(b, i);
    const double turn = 1.0 + turning_of(b, i, k->added.up);
    for (int r = 0; r < 6; ++r)
        for (int s = 0; s < 6; ++s) {
            a[r][s] = dt * k->wet.damping[r][s];
            if (r >= 3 && s >= 3) a[r][s] += turn * inertia.m[r - 3][s - 3];
        }
    for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s) a[upright[r]][upright[s]] += 0.25 * dt * dt * stiff[r][s];
    for (int r = 0; r < 3; ++r) {
        const double added = r == 1 ? k->added.up : k->added.side;
        a[r][r] += m + added + k->cargo.mass + dt * k->cargo.growth;
    }
}

static struct due due_of(const struct bodies *b, int i, const struct shove *k, vec3 given)
{
    return (struct due){.force = k->force,
                        .torque = k->torque,
                        .given = given,
                        .entry = k->entry,
                        .cargo = k->cargo.mass,
                        .along = k->added.side + k->cargo.mass,
                        .turning = turning_of(b, i, k->added.up),
                        .dry = k->wet.volume == 0.0};
}

static struct kick kick_of(const struct bodies *b, int i, const double x[6], const struct due *d)
{
    const mat3 inertia = body_inertia(b, i);
    return (struct kick){v3_scale(v3(x[0], x[1], x[2]), b->slots[i].cold->def.mass),
                         mat3_mul(&inertia, v3(x[3], x[4], x[5])), d->dry, d->along, d->turning};
}

static void impulse_of(const struct shove *k, double dt, double x[6])
{
    const double all[6] = {dt * k->force.x,  dt * k->force.y,  dt * k->force.z,
                           dt * k->torque.x, dt * k->torque.y, dt * k->torque.z};
    for (int r = 0; r < 6; ++r) x[r] = all[r];
}

static struct kick find_kick(const struct press *p, const struct fluid *f, const struct bodies *b, int i,
                             double strength, double dt, const struct shove *k, const struct due *d)
{
    double a[6][6], x[6], stiff[3][3] = {{0}};
    if (p->wet) press_stiffness(p, f, strength, stiff);
    find_inertia(b, i, dt, k, stiff, a);
    impulse_of(k, dt, x);
    factor6(a);
    solve6(a, x);
    return kick_of(b, i, x, d);
}

// Water in the hold weighs on the hull, is moved with it, and is as fast as the water around when it comes in.
static void add_cargo(struct press *p, struct fluid *f, const struct bodies *b, int i, double dt,
                      struct shove *k)
{
    k->cargo = hold_fill(p, f, &b->slots[i].cold->figure->form, &b->hot[i], dt);
    p->load.held = k->cargo.mass / f->density;
    k->entry = v3_scale(v3_sub(p->drift, body_velocity(b, i)), k->cargo.growth);
    const vec3 pull = v3_scale(v3(f->pull[0], 0.0, f->pull[1]), k->cargo.mass);
    k->force = v3_add(k->force, v3_add(k->cargo.force, v3_add(k->entry, pull)));
    k->torque = v3_add(k->torque, k->cargo.torque);
}

// All that acts on body i. Gives back what of it is not the water's doing.
static vec3 gather(struct press *p, struct fluid *f, const struct bodies *b, int i, double strength,
                   double dt, struct shove *k)
{
    const struct body_cold *cold = b->slots[i].cold;
    const double m = cold->def.mass;
    const vec3 given = v3_add(cold->force, v3(m * f->pull[0], -m * f->gravity, m * f->pull[1]));
    k->force = given, k->torque = cold->torque;
    if (p->ni && !p->stranded) {
        add_water(p, f, b, i, strength, dt, k);
        add_drive(p, f, b, i, dt, k);
    } else {
        p->added = (struct added){0}, p->drift = v3(0, 0, 0);
        press_report(p, f, b, i, &k->wet);
    }
    add_cargo(p, f, b, i, dt, k);
    return given;
}

// Kick a body. Notes what it got from the water: for a body of the caller's the forces, for ours what they made of it.
static void apply(struct press *p, struct bodies *b, int i, double dt, const struct kick *kick,
                  const struct due *d)
{
    const struct body_cold *cold = b->slots[i].cold;
    if (!cold->def.external) b->kicks[i] = *kick;
    p->load.free_force = v3_scale(v3_madd(kick->momentum, -dt, d->given), 1.0 / dt);
    p->load.free_torque = v3_scale(v3_madd(kick->angular, -dt, cold->torque), 1.0 / dt);
    p->load.force = cold->def.external ? v3_sub(d->force, d->given) : p->load.free_force;
    p->load.torque = cold->def.external ? v3_sub(d->torque, cold->torque) : p->load.free_torque;
    // What is in its hold is a part of the body. Water that comes in brings its momentum along: that is no debt.
    p->owed =
        v3_madd(v3_scale(v3_sub(d->entry, p->load.force), dt), -d->cargo / cold->def.mass, kick->momentum);
}

double press_push(struct press *p, struct fluid *f, struct bodies *b, int i, double strength, double dt)
{
    struct shove k = {.sunk = 1.0};
    const vec3 given = gather(p, f, b, i, strength, dt, &k);
    const struct due d = due_of(b, i, &k, given);
    const struct kick kick = find_kick(p, f, b, i, strength, dt, &k, &d);
    apply(p, b, i, dt, &kick, &d);
    return k.wet.volume;
}

double press_push_first(struct press *p, struct fluid *f, struct bodies *b, int i, double dt)
{
    const bool wet = p->ni && !p->stranded;
    const struct columns_say say = wet ? pressure_at_plane(p, f) : (struct columns_say){.sunk = 1.0};
    struct shove k = {.sunk = say.sunk};
    struct due *d = &p->due;
    double a[6][6], none[3][3] = {{0}};
    const vec3 given = gather(p, f, b, i, 0.0, dt, &k);
    if (wet) {
        k.force.y -= say.push[0];
        k.torque = v3_sub(k.torque, v3(say.push[1], 0.0, say.push[2]));
        p->load.buoyancy.y -= say.push[0];
    }
    *d = due_of(b, i, &k, given);
    d->along = k.cargo.mass, d->turning = 0.0; // the water says itself how it yields
    find_inertia(b, i, dt, &k, none, a);
    factor6(a);
    impulse_of(&k, dt, d->free);
    solve6(a, d->free);
    for (int n = 0; n < 3; ++n) {
        d->back[n][upright[n]] = 1.0;
        solve6(a, d->back[n]);
    }
    pressure_tell(p, f, b, i, dt);
    return k.wet.volume;
}

void press_push_last(struct press *p, const struct fluid *f, struct bodies *b, int i, double dt)
{
    struct due *d = &p->due;
    double x[6];
    for (int r = 0; r < 6; ++r) x[r] = d->free[r];
    for (int n = 0; n < 3; ++n)
        for (int r = 0; r < 6; ++r) x[r] += d->back[n][r] * p->presser.impulse[n];
    const vec3 push =
        v3_scale(v3(p->presser.impulse[0], p->presser.impulse[1], p->presser.impulse[2]), 1.0 / dt);
    d->force.y += push.x;
    d->torque = v3_add(d->torque, v3(push.y, 0.0, push.z));
    p->load.buoyancy.y += push.x;
    const struct kick kick = kick_of(b, i, x, d);
    apply(p, b, i, dt, &kick, d);
    pressure_take(p, f);
}
