// All loads on a body in a height field: hydrostatic pressure, drag, lift, slamming, floodwater, propulsion;
// and the impulse that follows from them over a substep, with damping, stiffness and added mass implicit.
#include "coupling.h"

// Cholesky factorisation of a symmetric positive definite 6 x 6 matrix.
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
                        vec3 water_velocity, struct wetted_forces *out)
{
    const struct body *body = b->slots[i].body;
    const struct hull_motion motion = {body_velocity(b, i), body_angular_velocity(b, i), water_velocity};
    integrate_wetted_surface(&body->def.shape->data.hull, &b->state[i], &body->def, &motion,
                             &p->surface_plane, f, out);
}

void report_hydrostatics(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                         const struct wetted_forces *w)
{
    p->load = (tarn_load){0};
    p->load.buoyancy = v3(0, w->pressure.y, 0);
    p->load.force = p->load.effective_force = p->load.buoyancy;
    p->load.torque = p->load.effective_torque = w->pressure_torque;
    p->load.submerged_volume = w->volume;
    const struct shape_data *shape = &b->slots[i].body->def.shape->data;
    p->load.submerged_fraction = w->volume / (shape->volume + shape->compartment_volume);
    p->load.hold_volume = f->grid.dx * f->grid.dx * p->floodwater_depth;
    p->load.surface_height = f->rest_level + p->surface_plane.a;
}

struct body_load_sum {
    vec3 force, torque; // [N], [N m] all loads, gravity included
    double uncut_cover; // fraction of the added mass that acts in heave, roll and pitch
    struct added_mass added_mass,
        slamming; // [kg], and [kg/s] its rate of growth as the body enters the water
    struct wetted_forces wetted;
    struct floodwater floodwater;
    vec3 inflow_force; // [N] that accelerates inflowing water to the velocity of the body
};

static const int heave_roll_pitch[3] = {1, 3, 5}; // among the six degrees of freedom

// How much of the motion at the surface is left at a body. Of waves of the wavenumber k it is
// cosh(k (h - d))/cosh(k h) of horizontal motion and pressure (the Smith effect), and of vertical motion that with
// sinh for cosh, at a depth d below the surface in water of depth h. Long waves move the whole column alike, and
// their vertical velocity falls linearly to zero at the bed.
struct motion_at_depth {
    double horizontal, vertical;
};

static struct motion_at_depth motion_at_depth(const struct body_coupling *p, const struct fluid *f, vec3 at)
{
    double slope[2];
    const double bed = fluid_bed_at(f, at.x, at.z, slope), depth = p->surface_plane.a - bed,
                 height = at.y - f->rest_level - bed, k = f->wavenumber;
    if (!(depth > f->dry_depth)) return (struct motion_at_depth){1.0, 0.0};
    if (!(k > 0.0)) return (struct motion_at_depth){1.0, clamp(height / depth, 0.0, 1.0)};
    const double above_bed = clamp(height, 0.0, depth), decay = m_exp(-k * (depth - above_bed)),
                 here = m_exp(-2.0 * k * above_bed), whole = m_exp(-2.0 * k * depth);
    return (struct motion_at_depth){decay * (1.0 + here) / (1.0 + whole),
                                    whole < 1.0 ? decay * (1.0 - here) / (1.0 - whole) : 0.0};
}

// Velocity of the water at a body. The speed is limited to that of the waves, beyond which linear waves are not
// valid.
static vec3 water_velocity_at(const struct body_coupling *p, const struct fluid *f, const struct bodies *b,
                              int i)
{
    vec3 v = sample_water_velocity(p, f, b->slots[i].body->def.shape->bounding_radius);
    const struct motion_at_depth fraction = motion_at_depth(p, f, b->state[i].position);
    v = v3(fraction.horizontal * v.x, fraction.vertical * v.y, fraction.horizontal * v.z);
    const double speed = v3_length(v), max_speed = fmax(f->rest_wave_speed, f->max_signal_speed);
    return speed > max_speed ? v3_scale(v, max_speed / speed) : v;
}

// Drag acts on the entrained water as well. Implicit for both, their velocities approach each other and never
// cross: a thin layer of water cannot stop a heavy body. Scales drag, lift and slamming by m_w/(m_w + dt C).
static void limit_by_entrained_water(struct body_load_sum *sum, struct entrained_water water, double dt)
{
    const double mass = fmin(water.mass[0], water.mass[1]),
                 drag_mass = dt * (sum->wetted.damping[0][0] + sum->slamming.horizontal);
    const double fraction = drag_mass > 0.0 ? mass / (mass + drag_mass) : 1.0;
    struct wetted_forces *w = &sum->wetted;
    w->drag = v3_scale(w->drag, fraction), w->drag_torque = v3_scale(w->drag_torque, fraction);
    w->lift = v3_scale(w->lift, fraction), w->lift_torque = v3_scale(w->lift_torque, fraction);
    for (int r = 0; r < 6; ++r)
        for (int s = 0; s < 6; ++s) w->damping[r][s] *= fraction;
    sum->slamming.horizontal *= fraction, sum->slamming.vertical *= fraction;
}

// [kg/s] Slamming: growing added mass is accelerated to the velocity of the body; shed added mass keeps its
// momentum.
static double added_mass_rate(double target, double previous, double dt)
{
    return fmax(0.0, target - previous) / dt;
}

// [kg] Added mass after the substep: no more than slamming has accelerated.
static double added_mass_after(double target, double previous, double slamming, double dt)
{
    return fmin(target, previous) + dt * slamming;
}

// Added inertia in units of the inertia of the body.
static double added_inertia_of(const struct bodies *b, int i, double vertical)
{
    return ADDED_INERTIA_COEFFICIENT * vertical / (ADDED_MASS_COEFFICIENT * b->slots[i].body->def.mass);
}

static void add_slamming(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                         double strength, double dt, struct body_load_sum *sum)
{
    const double target = added_mass_of(f, sum->wetted.volume), vertical = sum->uncut_cover * target;
    sum->slamming = (struct added_mass){added_mass_rate(target, p->added_mass.horizontal, dt),
                                        added_mass_rate(vertical, p->added_mass.vertical, dt)};
    if (f->model->height_field->momentum && (strength > 0.0 || p->keeps_all_pieces))
        limit_by_entrained_water(sum, entrained_water_of(p, f, strength), dt);
    sum->added_mass =
        (struct added_mass){added_mass_after(target, p->added_mass.horizontal, sum->slamming.horizontal, dt),
                            added_mass_after(vertical, p->added_mass.vertical, sum->slamming.vertical, dt)};
    p->added_mass = sum->added_mass;
    const vec3 v = v3_sub(body_velocity(b, i), p->water_velocity);
    const vec3 resistance =
        v3(sum->slamming.horizontal * v.x, sum->slamming.vertical * v.y, sum->slamming.horizontal * v.z);
    p->load.slamming = v3_sub(v3(0, 0, 0), resistance); // no negative zeros
    sum->force = v3_sub(sum->force, resistance);
    sum->torque =
        v3_madd(sum->torque, -added_inertia_of(b, i, sum->slamming.vertical), b->state[i].angular_momentum);
}

// Waves accelerate the water vertically too: the pressure under a crest is less than hydrostatic, and the body is
// taken along with its added mass.
static void add_vertical_inertia(struct body_coupling *p, const struct fluid *f, double fraction,
                                 struct body_load_sum *sum)
{
    double force, torque[2];
    vertical_inertia_force(p, f, sum->wetted.volume, &force, torque);
    fraction *= 1.0 + ADDED_MASS_COEFFICIENT;
    p->load.buoyancy.y += fraction * force;
    sum->torque = v3_add(sum->torque, v3(fraction * torque[0], 0.0, fraction * torque[1]));
}

// Pressure of heave, roll and pitch from the hull clipped at the plane, of surge, sway and yaw from the
// columns. Water that accelerates down the slope of the surface takes the added mass of the body along: hence
// the factor 1.5.
static void add_hydrodynamics(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                              double strength, double dt, struct body_load_sum *sum)
{
    const vec3 water_velocity = p->water_velocity = water_velocity_at(p, f, b, i);
    vec3 side;
    double yaw;
    body_wetted_forces(p, f, b, i, water_velocity, &sum->wetted);
    horizontal_pressure_force(p, f, strength, sum->wetted.volume, &side, &yaw);
    const struct motion_at_depth fraction = motion_at_depth(p, f, b->state[i].position);
    side = v3_scale(side, fraction.horizontal), yaw *= fraction.horizontal;
    report_hydrostatics(p, f, b, i, &sum->wetted);

    add_slamming(p, f, b, i, strength, dt, sum);
    p->load.buoyancy = v3((1.0 + ADDED_MASS_COEFFICIENT) * side.x, sum->wetted.pressure.y,
                          (1.0 + ADDED_MASS_COEFFICIENT) * side.z);
    p->load.drag = sum->wetted.drag;
    p->load.lift = sum->wetted.lift;
    if (f->model->height_field->is_prescribed) add_vertical_inertia(p, f, fraction.vertical, sum);
    sum->force = v3_add(sum->force, v3_add(p->load.buoyancy, v3_add(sum->wetted.drag, sum->wetted.lift)));
    const vec3 pressure = v3(sum->wetted.pressure_torque.x, yaw, sum->wetted.pressure_torque.z);
    sum->torque =
        v3_add(sum->torque, v3_add(pressure, v3_add(sum->wetted.drag_torque, sum->wetted.lift_torque)));
}

// Propeller and rudder act on the water, so their forces count as loads of the water.
static void add_propulsion(struct body_coupling *p, const struct fluid *f, const struct bodies *b, int i,
                           double dt, struct body_load_sum *sum)
{
    const struct propulsion d = propulsion_of(p, f, b, i, dt);
    p->load.thruster = d.thruster, p->load.rudder = d.rudder;
    sum->force = v3_add(sum->force, v3_add(d.thruster, d.rudder));
    sum->torque = v3_add(sum->torque, d.torque);
}

#define LOCKED_AXIS_MASS 1e12 // factor on mass and inertia; body_restrict_impulse() removes the rest

// Matrix of (M + M_a + dt C + dt^2/4 K) (dv, dw) = dt (F, T): damping C by backward Euler, stiffness K by the
// implicit midpoint rule, so that bodies of any mass are stable for any dt.
static void assemble_system(const struct bodies *b, int i, double dt, const struct body_load_sum *sum,
                            double stiffness[3][3], double a[6][6])
{
    const double m = b->slots[i].body->def.mass;
    const mat3 inertia = body_inertia(b, i);
    const double turn = 1.0 + added_inertia_of(b, i, sum->added_mass.vertical);
    for (int r = 0; r < 6; ++r)
        for (int s = 0; s < 6; ++s) {
            a[r][s] = dt * sum->wetted.damping[r][s];
            if (r >= 3 && s >= 3) a[r][s] += turn * inertia.m[r - 3][s - 3];
        }
    for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s)
            a[heave_roll_pitch[r]][heave_roll_pitch[s]] += 0.25 * dt * dt * stiffness[r][s];
    for (int r = 0; r < 3; ++r) {
        const double added = r == 1 ? sum->added_mass.vertical : sum->added_mass.horizontal;
        a[r][r] += m + added + sum->floodwater.mass + dt * sum->floodwater.inflow_rate;
    }
    for (int r = 0; r < 6; ++r) // locked axes have a very large mass
        if (b->slots[i].body->lock_code >> r & 1) a[r][r] *= LOCKED_AXIS_MASS;
}

static struct pending_load pending_load_of(const struct bodies *b, int i, const struct body_load_sum *sum,
                                           vec3 non_fluid_force)
{
    return (struct pending_load){.force = sum->force,
                                 .torque = sum->torque,
                                 .non_fluid_force = non_fluid_force,
                                 .inflow_force = sum->inflow_force,
                                 .floodwater_mass = sum->floodwater.mass,
                                 .added_mass = sum->added_mass.horizontal + sum->floodwater.mass,
                                 .added_inertia = added_inertia_of(b, i, sum->added_mass.vertical),
                                 .is_dry = sum->wetted.volume == 0.0};
}

static struct applied_impulse impulse_of_motion(const struct bodies *b, int i, const double x[6],
                                                const struct pending_load *d)
{
    const mat3 inertia = body_inertia(b, i);
    return (struct applied_impulse){v3_scale(v3(x[0], x[1], x[2]), b->slots[i].body->def.mass),
                                    mat3_mul(&inertia, v3(x[3], x[4], x[5])), d->is_dry, d->added_mass,
                                    d->added_inertia};
}

static void force_impulse(const struct body_load_sum *sum, double dt, double x[6])
{
    const double all[6] = {dt * sum->force.x,  dt * sum->force.y,  dt * sum->force.z,
                           dt * sum->torque.x, dt * sum->torque.y, dt * sum->torque.z};
    for (int r = 0; r < 6; ++r) x[r] = all[r];
}

static struct applied_impulse solve_motion(const struct body_coupling *p, const struct fluid *f,
                                           const struct bodies *b, int i, double strength, double dt,
                                           const struct body_load_sum *sum, const struct pending_load *d)
{
    double a[6][6], x[6], stiffness[3][3] = {{0}};
    if (p->is_wet) hydrostatic_stiffness(p, f, strength, stiffness);
    assemble_system(b, i, dt, sum, stiffness, a);
    force_impulse(sum, dt, x);
    cholesky_6(a);
    cholesky_solve_6(a, x);
    return impulse_of_motion(b, i, x, d);
}

// Floodwater loads the hull with its weight and moves with it; inflow has the velocity of the water around.
static void add_floodwater(struct body_coupling *p, struct fluid *f, const struct bodies *b, int i, double dt,
                           struct body_load_sum *sum)
{
    sum->floodwater = floodwater_update(p, f, &b->slots[i].body->def.shape->data, &b->state[i], dt);
    p->load.hold_volume = sum->floodwater.mass / f->density;
    sum->inflow_force = v3_scale(v3_sub(p->water_velocity, body_velocity(b, i)), sum->floodwater.inflow_rate);
    const vec3 pull =
        v3_scale(v3(f->external_acceleration[0], 0.0, f->external_acceleration[1]), sum->floodwater.mass);
    p->load.floodwater = v3_add(sum->floodwater.force, v3_add(sum->inflow_force, pull));
    sum->force = v3_add(sum->force, p->load.floodwater);
    sum->torque = v3_add(sum->torque, sum->floodwater.torque);
}

// Sum of the loads on body i. Returns the part that is not due to the water: gravity, user and inertial
// forces.
static vec3 sum_loads(struct body_coupling *p, struct fluid *f, const struct bodies *b, int i,
                      double strength, double dt, struct body_load_sum *sum)
{
    const struct body *body = b->slots[i].body;
    const double m = body->def.mass;
    const vec3 weight = v3(m * f->external_acceleration[0], -m * body->def.gravity_scale * f->gravity,
                           m * f->external_acceleration[1]);
    const vec3 non_fluid_force = v3_add(body->user_force, weight);
    sum->force = non_fluid_force, sum->torque = body->user_torque;
    if (p->ni && !p->has_no_water) {
        add_hydrodynamics(p, f, b, i, strength, dt, sum);
        add_propulsion(p, f, b, i, dt, sum);
    } else {
        p->added_mass = (struct added_mass){0}, p->water_velocity = v3(0, 0, 0);
        report_hydrostatics(p, f, b, i, &sum->wetted);
    }
    add_floodwater(p, f, b, i, dt, sum);
    return non_fluid_force;
}

// Along and about locked axes the load is that on a body that does not move.
static void report_locked_load(struct body_coupling *p, const struct body *body, const struct pending_load *d)
{
    const vec3 force = v3_sub(d->force, d->non_fluid_force), torque = v3_sub(d->torque, body->user_torque);
    const int code = body->lock_code;
    if (code & 1) p->load.force.x = force.x;
    if (code & 2) p->load.force.y = force.y;
    if (code & 4) p->load.force.z = force.z;
    if (code & 8) p->load.torque.x = torque.x;
    if (code & 16) p->load.torque.y = torque.y;
    if (code & 32) p->load.torque.z = torque.z;
}

// Apply an impulse to a body and report the load of the water: the forces themselves for a kinematic body,
// otherwise those that follow from the impulse.
static void apply_impulse(struct body_coupling *p, struct bodies *b, int i, double dt,
                          const struct applied_impulse *impulse, const struct pending_load *d)
{
    const struct body *body = b->slots[i].body;
    if (body_is_dynamic(b, i)) b->applied[i] = *impulse;
    p->load.effective_force = v3_scale(v3_madd(impulse->linear, -dt, d->non_fluid_force), 1.0 / dt);
    p->load.effective_torque = v3_scale(v3_madd(impulse->angular, -dt, body->user_torque), 1.0 / dt);
    p->load.force = body_is_dynamic(b, i) ? p->load.effective_force : v3_sub(d->force, d->non_fluid_force);
    p->load.torque = body_is_dynamic(b, i) ? p->load.effective_torque : v3_sub(d->torque, body->user_torque);
    if (body->lock_code) report_locked_load(p, body, d);
    // Floodwater is part of the body. Inflowing water brings its own momentum, which is not returned.
    p->momentum_to_return = v3_madd(v3_scale(v3_sub(d->inflow_force, p->load.force), dt),
                                    -d->floodwater_mass / body->def.mass, impulse->linear);
}

double apply_body_loads(struct body_coupling *p, struct fluid *f, struct bodies *b, int i, double strength,
                        double dt)
{
    struct body_load_sum sum = {.uncut_cover = 1.0};
    const vec3 non_fluid_force = sum_loads(p, f, b, i, strength, dt, &sum);
    const struct pending_load d = pending_load_of(b, i, &sum, non_fluid_force);
    const struct applied_impulse impulse = solve_motion(p, f, b, i, strength, dt, &sum, &d);
    apply_impulse(p, b, i, dt, &impulse, &d);
    return sum.wetted.volume;
}

double predict_body_loads(struct body_coupling *p, struct fluid *f, struct bodies *b, int i, double dt)
{
    const bool wet = p->ni && !p->has_no_water;
    const struct column_estimate estimate =
        wet ? estimate_column_forces(p, f) : (struct column_estimate){.uncut_cover = 1.0};
    struct body_load_sum sum = {.uncut_cover = estimate.uncut_cover};
    struct pending_load *d = &p->pending;
    double a[6][6], none[3][3] = {{0}};
    const vec3 non_fluid_force = sum_loads(p, f, b, i, 0.0, dt, &sum);
    if (wet) {
        sum.force.y -= estimate.force[0];
        sum.torque = v3_sub(sum.torque, v3(estimate.force[1], 0.0, estimate.force[2]));
        p->load.buoyancy.y -= estimate.force[0];
    }
    *d = pending_load_of(b, i, &sum, non_fluid_force);
    d->added_mass = sum.floodwater.mass, d->added_inertia = 0.0; // part of the linear system of the water
    assemble_system(b, i, dt, &sum, none, a);
    cholesky_6(a);
    force_impulse(&sum, dt, d->free_motion);
    cholesky_solve_6(a, d->free_motion);
    for (int n = 0; n < 3; ++n) {
        d->mobility[n][heave_roll_pitch[n]] = 1.0;
        cholesky_solve_6(a, d->mobility[n]);
    }
    pressure_set_load(p, f, b, i, dt);
    return sum.wetted.volume;
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
    const struct applied_impulse impulse = impulse_of_motion(b, i, x, d);
    apply_impulse(p, b, i, dt, &impulse, d);
    pressure_read_solution(p, f);
}
