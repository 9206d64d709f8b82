// What the water does to a body: pressure, drag, slamming, what is in its hold, what drives it; and the kick that all of
// that is over a step.
#include "coupling.h"

// Solve symmetric positive 6 x 6 systems by Cholesky's method: first the factor, then any right-hand sides.
static void cholesky_6(double a[6][6])
{
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (int k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
}

static void cholesky_solve_6(double a[6][6], double x[6])
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

void body_wetted_forces(const struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                        vec3 drift, struct wetted_forces *out)
{
    const struct body *cold = b->slots[i].body;
    integrate_wetted_surface(&cold->geometry->shape.hull, &b->state[i], &cold->def, body_velocity(b, i),
                             body_angular_velocity(b, i), &p->surface_plane, drift, f, out);
}

void report_hydrostatics(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                         const struct wetted_forces *w)
{
    p->load = (tarn_load){0};
    p->load.buoyancy = v3(0, w->pressure.y, 0);
    p->load.force = p->load.free_force = p->load.buoyancy;
    p->load.torque = p->load.free_torque = w->pressure_torque;
    p->load.submerged_volume = w->volume;
    const struct shape_data *form = &b->slots[i].body->geometry->shape;
    p->load.submerged_fraction = w->volume / (form->volume + form->compartment_volume);
    p->load.held = f->grid.dx * f->grid.dx * p->floodwater_depth;
    p->load.waterline = f->rest_level + p->surface_plane.a;
}

struct body_load_sum {
    vec3 force, torque;                     // all that acts, gravity included
    double uncut_cover;                     // part of the added mass that counts upwards and for turning
    struct added_mass added_mass, slamming; // [kg], and [kg/s] its growth on entry
    struct wetted_forces wetted;
    struct floodwater floodwater;
    vec3 inflow_force; // [N] to bring what comes into the hold to the body's speed
};

static const int heave_roll_pitch[3] = {1, 3, 5}; // heave, roll, pitch

// The water's velocity at a body. Long waves lift the deep less, the bed not at all; and no water is faster than the
// waves, beyond which linear waves mean nothing.
static vec3 water_velocity_at(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                              int i)
{
    vec3 v = sample_water_velocity(p, f, b->slots[i].body->geometry->bounding_radius);
    double slope[2];
    const vec3 at = b->state[i].position;
    const double ground = fluid_bed_at(f, at.x, at.z, slope), depth = p->surface_plane.a - ground;
    v.y *= depth > f->dry_depth ? clamp((at.y - f->rest_level - ground) / depth, 0.0, 1.0) : 0.0;
    const double fast = v3_length(v), most = fmax(f->rest_wave_speed, f->max_signal_speed);
    return fast > most ? v3_scale(v, most / fast) : v;
}

// Water that drags on a body is dragged along by it. Taken at the end of the step for both, their speeds meet and never
// pass each other: little water cannot hold a heavy body.
static void limit_by_entrained_water(struct body_load_sum *k, struct entrained_water water, double dt)
{
    const double mass = fmin(water.mass[0], water.mass[1]),
                 rub = dt * (k->wetted.damping[0][0] + k->slamming.horizontal);
    const double part = rub > 0.0 ? mass / (mass + rub) : 1.0;
    struct wetted_forces *w = &k->wetted;
    w->drag = v3_scale(w->drag, part), w->drag_torque = v3_scale(w->drag_torque, part);
    w->lift = v3_scale(w->lift, part), w->lift_torque = v3_scale(w->lift_torque, part);
    for (int r = 0; r < 6; ++r)
        for (int s = 0; s < 6; ++s) w->damping[r][s] *= part;
    k->slamming.horizontal *= part, k->slamming.vertical *= part;
}

// [kg/s] What comes along has to be brought to the body's speed; what stays behind keeps it.
static double added_mass_rate(double due, double had, double dt) { return fmax(0.0, due - had) / dt; }

// Water that could not be brought to that speed in this step comes along later.
static double added_mass_after(double due, double had, double slam, double dt)
{
    return fmin(due, had) + dt * slam;
}

// Own inertia times this is that of the water that turns with a body.
static double added_inertia_of(const struct bodies *b, int i, double up)
{
    return ADDED_INERTIA_COEFFICIENT * up / (ADDED_MASS_COEFFICIENT * b->slots[i].body->def.mass);
}

static void add_slamming(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                         double strength, double dt, struct body_load_sum *k)
{
    const double due = added_mass_of(f, k->wetted.volume), up = k->uncut_cover * due;
    k->slamming = (struct added_mass){added_mass_rate(due, p->added_mass.horizontal, dt),
                                      added_mass_rate(up, p->added_mass.vertical, dt)};
    if (f->model->height_field->momentum && (strength > 0.0 || p->keeps_all_pieces))
        limit_by_entrained_water(k, entrained_water_of(p, f, strength), dt);
    k->added_mass =
        (struct added_mass){added_mass_after(due, p->added_mass.horizontal, k->slamming.horizontal, dt),
                            added_mass_after(up, p->added_mass.vertical, k->slamming.vertical, dt)};
    p->added_mass = k->added_mass;
    const vec3 v = v3_sub(body_velocity(b, i), p->water_velocity);
    k->force = v3_sub(
        k->force, v3(k->slamming.horizontal * v.x, k->slamming.vertical * v.y, k->slamming.horizontal * v.z));
    k->torque =
        v3_madd(k->torque, -added_inertia_of(b, i, k->slamming.vertical), b->state[i].angular_momentum);
}

// Pressure from the cut at the plane for heave, roll and pitch, from the columns sideways and for yaw. The
// water around a body accelerates with the surface's slope and takes the added mass along: hence 1.5.
static void add_hydrodynamics(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                              double strength, double dt, struct body_load_sum *k)
{
    const vec3 drift = p->water_velocity = water_velocity_at(p, f, b, i);
    vec3 side;
    double yaw;
    body_wetted_forces(p, f, b, i, drift, &k->wetted);
    horizontal_pressure_force(p, f, strength, k->wetted.volume, &side, &yaw);
    report_hydrostatics(p, f, b, i, &k->wetted);

    add_slamming(p, f, b, i, strength, dt, k);
    p->load.buoyancy = v3((1.0 + ADDED_MASS_COEFFICIENT) * side.x, k->wetted.pressure.y,
                          (1.0 + ADDED_MASS_COEFFICIENT) * side.z);
    p->load.drag = k->wetted.drag;
    p->load.lift = k->wetted.lift;
    k->force = v3_add(k->force, v3_add(p->load.buoyancy, v3_add(k->wetted.drag, k->wetted.lift)));
    const vec3 pressure = v3(k->wetted.pressure_torque.x, yaw, k->wetted.pressure_torque.z);
    k->torque = v3_add(k->torque, v3_add(pressure, v3_add(k->wetted.drag_torque, k->wetted.lift_torque)));
}

// A propeller pushes water away, a rudder turns it: so the water has to answer for their forces as for all others.
static void add_propulsion(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                           int i, double dt, struct body_load_sum *k)
{
    const struct propulsion d = propulsion_of(p, f, b, i, dt);
    k->force = v3_add(k->force, d.force);
    k->torque = v3_add(k->torque, d.torque);
}

// (M + M_a + dt C + dt^2/4 K) (dv, dw) = dt (F, T): damping and stiffness are taken at the end and the middle of
// the step, so a body of any lightness stays calm at any step.
static void assemble_system(const struct bodies *b, int i, double dt, const struct body_load_sum *k,
                            double stiff[3][3], double a[6][6])
{
    const double m = b->slots[i].body->def.mass;
    const mat3 inertia = body_inertia(b, i);
    const double turn = 1.0 + added_inertia_of(b, i, k->added_mass.vertical);
    for (int r = 0; r < 6; ++r)
        for (int s = 0; s < 6; ++s) {
            a[r][s] = dt * k->wetted.damping[r][s];
            if (r >= 3 && s >= 3) a[r][s] += turn * inertia.m[r - 3][s - 3];
        }
    for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s)
            a[heave_roll_pitch[r]][heave_roll_pitch[s]] += 0.25 * dt * dt * stiff[r][s];
    for (int r = 0; r < 3; ++r) {
        const double added = r == 1 ? k->added_mass.vertical : k->added_mass.horizontal;
        a[r][r] += m + added + k->floodwater.mass + dt * k->floodwater.inflow_rate;
    }
}

static struct pending_load pending_load_of(const struct bodies *b, int i, const struct body_load_sum *k,
                                           vec3 given)
{
    return (struct pending_load){.force = k->force,
                                 .torque = k->torque,
                                 .non_fluid_force = given,
                                 .inflow_force = k->inflow_force,
                                 .floodwater_mass = k->floodwater.mass,
                                 .added_mass = k->added_mass.horizontal + k->floodwater.mass,
                                 .added_inertia = added_inertia_of(b, i, k->added_mass.vertical),
                                 .is_dry = k->wetted.volume == 0.0};
}

static struct applied_impulse impulse_of_motion(const struct bodies *b, int i, const double x[6],
                                                const struct pending_load *d)
{
    const mat3 inertia = body_inertia(b, i);
    return (struct applied_impulse){v3_scale(v3(x[0], x[1], x[2]), b->slots[i].body->def.mass),
                                    mat3_mul(&inertia, v3(x[3], x[4], x[5])), d->is_dry, d->added_mass,
                                    d->added_inertia};
}

static void force_impulse(const struct body_load_sum *k, double dt, double x[6])
{
    const double all[6] = {dt * k->force.x,  dt * k->force.y,  dt * k->force.z,
                           dt * k->torque.x, dt * k->torque.y, dt * k->torque.z};
    for (int r = 0; r < 6; ++r) x[r] = all[r];
}

static struct applied_impulse solve_motion(const struct body_coupling *p, const struct fluid *f,
                                           const struct bodies *b, int i, double strength, double dt,
                                           const struct body_load_sum *k, const struct pending_load *d)
{
    double a[6][6], x[6], stiff[3][3] = {{0}};
    if (p->is_wet) hydrostatic_stiffness(p, f, strength, stiff);
    assemble_system(b, i, dt, k, stiff, a);
    force_impulse(k, dt, x);
    cholesky_6(a);
    cholesky_solve_6(a, x);
    return impulse_of_motion(b, i, x, d);
}

// Water in the hold weighs on the hull, is moved with it, and is as fast as the water around when it comes in.
static void add_floodwater(struct body_coupling *p, struct fluid *f, const struct bodies *b, int i, double dt,
                           struct body_load_sum *k)
{
    k->floodwater = floodwater_update(p, f, &b->slots[i].body->geometry->shape, &b->state[i], dt);
    p->load.held = k->floodwater.mass / f->density;
    k->inflow_force = v3_scale(v3_sub(p->water_velocity, body_velocity(b, i)), k->floodwater.inflow_rate);
    const vec3 pull =
        v3_scale(v3(f->external_acceleration[0], 0.0, f->external_acceleration[1]), k->floodwater.mass);
    k->force = v3_add(k->force, v3_add(k->floodwater.force, v3_add(k->inflow_force, pull)));
    k->torque = v3_add(k->torque, k->floodwater.torque);
}

// All that acts on body i. Gives back what of it is not the water's doing.
static vec3 sum_loads(struct body_coupling *p, struct fluid *f, const struct bodies *b, int i,
                      double strength, double dt, struct body_load_sum *k)
{
    const struct body *cold = b->slots[i].body;
    const double m = cold->def.mass;
    const vec3 given = v3_add(cold->user_force, v3(m * f->external_acceleration[0], -m * f->gravity,
                                                   m * f->external_acceleration[1]));
    k->force = given, k->torque = cold->user_torque;
    if (p->ni && !p->has_no_water) {
        add_hydrodynamics(p, f, b, i, strength, dt, k);
        add_propulsion(p, f, b, i, dt, k);
    } else {
        p->added_mass = (struct added_mass){0}, p->water_velocity = v3(0, 0, 0);
        report_hydrostatics(p, f, b, i, &k->wetted);
    }
    add_floodwater(p, f, b, i, dt, k);
    return given;
}

// Kick a body. Notes what it got from the water: for a body of the caller's the forces, for ours what they made of it.
static void apply_impulse(struct body_coupling *p, struct bodies *b, int i, double dt,
                          const struct applied_impulse *kick, const struct pending_load *d)
{
    const struct body *cold = b->slots[i].body;
    if (!cold->def.external) b->applied[i] = *kick;
    p->load.free_force = v3_scale(v3_madd(kick->linear, -dt, d->non_fluid_force), 1.0 / dt);
    p->load.free_torque = v3_scale(v3_madd(kick->angular, -dt, cold->user_torque), 1.0 / dt);
    p->load.force = cold->def.external ? v3_sub(d->force, d->non_fluid_force) : p->load.free_force;
    p->load.torque = cold->def.external ? v3_sub(d->torque, cold->user_torque) : p->load.free_torque;
    // What is in its hold is a part of the body. Water that comes in brings its momentum along: that is no debt.
    p->momentum_to_return = v3_madd(v3_scale(v3_sub(d->inflow_force, p->load.force), dt),
                                    -d->floodwater_mass / cold->def.mass, kick->linear);
}

double apply_body_loads(struct body_coupling *p, struct fluid *f, struct bodies *b, int i, double strength,
                        double dt)
{
    struct body_load_sum k = {.uncut_cover = 1.0};
    const vec3 given = sum_loads(p, f, b, i, strength, dt, &k);
    const struct pending_load d = pending_load_of(b, i, &k, given);
    const struct applied_impulse kick = solve_motion(p, f, b, i, strength, dt, &k, &d);
    apply_impulse(p, b, i, dt, &kick, &d);
    return k.wetted.volume;
}

double predict_body_loads(struct body_coupling *p, struct fluid *f, struct bodies *b, int i, double dt)
{
    const bool wet = p->ni && !p->has_no_water;
    const struct column_estimate say =
        wet ? estimate_column_forces(p, f) : (struct column_estimate){.uncut_cover = 1.0};
    struct body_load_sum k = {.uncut_cover = say.uncut_cover};
    struct pending_load *d = &p->pending;
    double a[6][6], none[3][3] = {{0}};
    const vec3 given = sum_loads(p, f, b, i, 0.0, dt, &k);
    if (wet) {
        k.force.y -= say.force[0];
        k.torque = v3_sub(k.torque, v3(say.force[1], 0.0, say.force[2]));
        p->load.buoyancy.y -= say.force[0];
    }
    *d = pending_load_of(b, i, &k, given);
    d->added_mass = k.floodwater.mass, d->added_inertia = 0.0; // the water says itself how it yields
    assemble_system(b, i, dt, &k, none, a);
    cholesky_6(a);
    force_impulse(&k, dt, d->free_motion);
    cholesky_solve_6(a, d->free_motion);
    for (int n = 0; n < 3; ++n) {
        d->mobility[n][heave_roll_pitch[n]] = 1.0;
        cholesky_solve_6(a, d->mobility[n]);
    }
    pressure_set_load(p, f, b, i, dt);
    return k.wetted.volume;
}

void correct_body_loads(struct body_coupling *p, const struct fluid *f, struct bodies *b, int i, double dt)
{
    struct pending_load *d = &p->pending;
    double x[6];
    for (int r = 0; r < 6; ++r) x[r] = d->free_motion[r];
    for (int n = 0; n < 3; ++n)
        for (int r = 0; r < 6; ++r) x[r] += d->mobility[n][r] * p->surface_load.impulse[n];
    const vec3 push = v3_scale(
        v3(p->surface_load.impulse[0], p->surface_load.impulse[1], p->surface_load.impulse[2]), 1.0 / dt);
    d->force.y += push.x;
    d->torque = v3_add(d->torque, v3(push.y, 0.0, push.z));
    p->load.buoyancy.y += push.x;
    const struct applied_impulse kick = impulse_of_motion(b, i, x, d);
    apply_impulse(p, b, i, dt, &kick, d);
    pressure_read_solution(p, f);
}
