// Laws of impact, friction, rolling and free rotation.
#include "body_def.h"
#include "body_world.h"

#include "body/collide/narrow_phase.h"

// ---- impulses -------------------------------------------------------------------------------------

// Angular velocity that a unit angular momentum about the world axes gives a body.
static vec3 spin_by(const tarn_world *w, tarn_body_id body, vec3 l)
{
    const tarn_body_info f = info(w, body);
    const quat q = quat_mul(motion_of(w, body).rotation, f.axes);
    const vec3 p = quat_rotate_inverse(q, l);
    return quat_rotate(q, v3(p.x / f.inertia.x, p.y / f.inertia.y, p.z / f.inertia.z));
}

// 1/m + n . ((I^-1 (r x n)) x r): the speed that a unit impulse along n gives the point r.
static double answer(const tarn_world *w, tarn_body_id body, vec3 r, vec3 n)
{
    return 1.0 / info(w, body).mass + v3_dot(n, v3_cross(spin_by(w, body, v3_cross(r, n)), r));
}

static vec3 point_speed(const tarn_body_state *m, vec3 r)
{
    return v3_add(m->velocity, v3_cross(m->angular_velocity, r));
}

static const double bounces[] = {0.0, 0.5, 1.0};

// A body that touches the floor in one point: j = (1 + e) v_n / (1/m + ...), to the rounding of floats.
static void strike_floor(tarn_body_def def, vec3 r, double e)
{
    tarn_world *w = body_world_create(&(struct body_world){.dt = 1e-3});
    def.position = v3(0, -r.y - 1e-6, 0); // slightly below the floor: tolerated overlap
    def.restitution = e, def.friction = 0.0;
    const tarn_body_id body = put(w, &def);
    const tarn_body_state before = motion_of(w, body);
    const vec3 up = v3(0, 1, 0), l = v3_cross(r, up);
    const double closing = -point_speed(&before, r).y, j = (1.0 + e) * closing / answer(w, body, r, up);
    const vec3 spin = v3_add(before.angular_velocity, v3_scale(spin_by(w, body, l), j));
    const vec3 angular = body_angular_momentum(&w->bodies, 0, spin);
    assert_true(closing > 0.5);
    run_steps(w, 1);
    const tarn_body_state after = motion_of(w, body);
    CHECK_NEAR(after.velocity.y, before.velocity.y + j / def.mass, 1e-6);
    CHECK_NEAR(after.velocity.x, before.velocity.x, 1e-9);
    CHECK_NEAR(v3_length(v3_sub(w->bodies.state[0].angular_momentum, angular)), 0.0,
               1e-6 * v3_length(angular) + 1e-7);
    tarn_world_destroy(w);
}

static void impulse_of_a_ball_follows_the_formula(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(bounces); ++k) {
        tarn_body_def def = ball(0.3, 2.5);
        def.velocity = v3(0.4, -2, 0.1), def.angular_velocity = v3(1, 2, 3);
        strike_floor(def, v3(0, -0.3, 0), bounces[k]);
    }
}

static void impulse_of_a_corner_follows_the_formula(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(bounces); ++k)
        for (int n = 0; n < 8; ++n) {
            tarn_body_def def = brick(0.4, 0.6, 0.3, 3.0);
            def.rotation = quat_from_rotation_vector(v3(0.6 + 0.03 * n, 0.2 * n, 0.7 - 0.02 * n));
            def.velocity = v3(0.4, -3, 0.1), def.angular_velocity = v3(0.3, -0.4, 0.2 * n);
            vec3 low = v3(0, 1, 0);
            for (int c = 0; c < 8; ++c) {
                const vec3 p = quat_rotate(def.rotation,
                                           v3(c & 1 ? 0.2 : -0.2, c & 2 ? 0.3 : -0.3, c & 4 ? 0.15 : -0.15));
                if (p.y < low.y) low = p;
            }
            strike_floor(def, low, bounces[k]);
        }
}

// Two moving and rotating bodies that touch in one point: a vertex on a face, the same in the plane, an
// edge on a face.
static void impulse_of_two_moving_bodies_follows_the_formula(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(bounces); ++k)
        for (int plane = 0; plane < 2; ++plane) {
            tarn_world *w = body_world_create(&(struct body_world){.dt = 1e-3});
            tarn_body_def low = brick(1.0, 0.5, 0.8, 4.0), high = brick(0.3, 0.3, 0.3, 1.5);
            low.position = v3(0, 100, 0), low.velocity = v3(0, 0.7, 0);
            high.rotation = quat_from_rotation_vector(plane ? v3(0, 0, 0.6) : v3(0.55, 0.1, 0.6));
            vec3 r = v3(0, 1, 0);
            for (int c = 0; c < 8; ++c) {
                const vec3 p = quat_rotate(
                    high.rotation, v3(c & 1 ? 0.15 : -0.15, c & 2 ? 0.15 : -0.15, c & 4 ? 0.15 : -0.15));
                if (p.y < r.y) r = p;
            }
            if (plane) r.z = 0.0;
            const vec3 at = v3(0.2, 100.25, plane ? 0.0 : -0.1), o = v3_sub(at, low.position),
                       up = v3(0, 1, 0);
            high.position = v3_sub(at, v3_add(r, v3(0, 1e-6, 0)));
            high.velocity = v3(0.2, -1.5, 0), high.angular_velocity = plane ? v3(0, 0, 1.5) : v3(0.5, 1, 1.5);
            low.angular_velocity = plane ? v3(0, 0, -0.5) : v3(0.2, 0.3, -0.5);
            low.restitution = high.restitution = bounces[k], low.friction = high.friction = 0.0;
            const tarn_body_id a = put(w, &low), b = put(w, &high);
            const tarn_body_state ma = motion_of(w, a), mb = motion_of(w, b);
            const double closing = point_speed(&ma, o).y - point_speed(&mb, r).y;
            const double j = (1.0 + bounces[k]) * closing / (answer(w, a, o, up) + answer(w, b, r, up));
            run_steps(w, 1);
            // Float precision; but without restitution a twentieth of the impulse is applied after the
            // motion of the step, 1 mm farther on.
            const double tol = bounces[k] == 0.0 ? 1e-3 : 1e-6;
            CHECK_NEAR(1.5 * (motion_of(w, b).velocity.y - mb.velocity.y), j, tol * j);
            CHECK_NEAR(4.0 * (motion_of(w, a).velocity.y - ma.velocity.y), -j, tol * j);
            tarn_world_destroy(w);
        }
}

// ---- free collisions ------------------------------------------------------------------------------

static vec3 momentum_of(const struct bodies *b) { return v3_add(b->state[0].momentum, b->state[1].momentum); }

// About the common centre of mass.
static vec3 angular_of(const struct bodies *b)
{
    const double m0 = b->slots[0].body->def.mass, m1 = b->slots[1].body->def.mass;
    const vec3 centre =
        v3_scale(v3_madd(v3_scale(b->state[0].position, m0), m1, b->state[1].position), 1.0 / (m0 + m1));
    vec3 sum = {0, 0, 0};
    for (int i = 0; i < 2; ++i)
        sum = v3_add(sum, v3_add(b->state[i].angular_momentum,
                                 v3_cross(v3_sub(b->state[i].position, centre), b->state[i].momentum)));
    return sum;
}

// Collisions in free flight conserve momentum and the angular momentum about the common centre, and add no
// energy.
static void free_collisions_conserve_momentum_and_energy(void **state)
{
    (void)state;
    double worst_p = 0.0, worst_l = 0.0, worst_e = 0.0;
    int met = 0;
    for (int n = 0; n < 150; ++n) {
        tarn_world *w = body_world_create(&(struct body_world){0});
        tarn_body_def a = nth_shape(n, 0.4), b = nth_shape(n / SHAPES, random_between(0.2, 0.6, 1, n));
        a.position = v3(-0.6, 100, 0), a.velocity = v3_add(v3(3, 0, 0), random_vector(0.3, 2, n));
        b.position = v3_add(v3(0.6, 100, 0), random_vector(0.1, 3, n)), b.velocity = v3(-1, 0, 0);
        a.rotation = random_rotation(4, n), b.rotation = random_rotation(5, n);
        a.angular_velocity = random_vector(3, 6, n), b.angular_velocity = random_vector(3, 7, n);
        a.restitution = b.restitution = random_between(0, 1, 8, n),
        a.friction = b.friction = random_between(0, 1, 9, n);
        put(w, &a), put(w, &b);
        const struct bodies *s = &w->bodies;
        const vec3 p = momentum_of(s), l = angular_of(s);
        const double scale_p = v3_length(s->state[0].momentum) + v3_length(s->state[1].momentum);
        const double scale_l = scale_p * 0.4, e = body_energy(s, 0, 0) + body_energy(s, 1, 0);
        const vec3 mine = s->state[0].momentum;
        run_steps(w, 60);
        met += v3_length(v3_sub(mine, s->state[0].momentum)) > 0.01 * v3_length(mine);
        worst_p = fmax(worst_p, v3_length(v3_sub(momentum_of(s), p)) / scale_p);
        worst_l = fmax(worst_l, v3_length(v3_sub(angular_of(s), l)) / scale_l);
        worst_e = fmax(worst_e, (body_energy(s, 0, 0) + body_energy(s, 1, 0)) / e - 1.0);
        tarn_world_destroy(w);
    }
    print_message("%d met; momentum %.2g, angular momentum %.2g, energy %+.2g\n", met, worst_p, worst_l,
                  worst_e);
    assert_true(met > 100);
    CHECK_NEAR(worst_p, 0.0, 1e-6); // impulses are floats
    CHECK_NEAR(worst_l, 0.0, 5e-3); // position correction shifts centres of mass that pass each other
    assert_true(worst_e < 1e-6);
}

// ---- restitution ----------------------------------------------------------------------------------

// A ball rebounds to e^2 of the height it fell from, on the floor and on a body, for any step.
static void balls_rebound_to_e_squared(void **state)
{
    (void)state;
    static const double es[] = {0.3, 0.5, 0.9, 1.0}, dts[] = {1.0 / 60, 1.0 / 30, 1.0 / 240};
    for (int k = 0; k < COUNT(es) * COUNT(dts) * 2; ++k) {
        const double e = es[k % COUNT(es)], dt = dts[k / COUNT(es) % COUNT(dts)];
        const bool on_body = k >= COUNT(es) * COUNT(dts);
        tarn_world *w = body_world_create(&(struct body_world){.dt = dt, .gravity = 9.81});
        const tarn_body_def table = fixture(2, 0.5, 2, v3(0, 0.75, 0));
        const double ground = on_body ? 1.0 : 0.0;
        tarn_body_def def = ball(0.1, 1.0);
        const double height = 0.6 + 0.07 * k;
        def.position = v3(0, ground + height + 0.1, 0), def.restitution = e;
        const tarn_body_id body = put(w, &def);
        if (on_body) put(w, &table);
        for (int n = 0; n < 300 && motion_of(w, body).velocity.y <= 0.0; ++n) run_steps(w, 1);
        // Free flight is exact: the top follows from any point of it.
        const tarn_body_state m = motion_of(w, body);
        const double top = m.position.y + m.velocity.y * m.velocity.y / (2 * 9.81) - ground - 0.1;
        assert_true(m.velocity.y > 0.0);
        CHECK_NEAR(top, e * e * height, 0.02 * e * e * height);
        tarn_world_destroy(w);
    }
}

// ---- friction -------------------------------------------------------------------------------------

// A tilted plate with a body on it: its surface passes through the origin of the height.
static tarn_body_id on_incline(tarn_world *w, double angle, tarn_body_def def, double height, double friction)
{
    tarn_body_def plate = fixture(20, 0.5, 4, v3(0, 20, 0));
    plate.rotation = quat_from_rotation_vector(v3(0, 0, -angle)); // downhill along x
    plate.friction = def.friction = friction;
    const vec3 up = quat_rotate(plate.rotation, v3(0, 1, 0)),
               along = quat_rotate(plate.rotation, v3(1, 0, 0));
    def.position = v3_madd(v3_madd(plate.position, 0.25 + height, up), -5.0, along);
    def.rotation = quat_mul(plate.rotation, def.rotation);
    put(w, &plate);
    return put(w, &def);
}

// Friction holds a block up to its angle; beyond it the block slides with the theoretical acceleration.
static void blocks_slide_beyond_the_friction_angle(void **state)
{
    (void)state;
    static const double friction[] = {0.2, 0.5, 1.0};
    for (int k = 0; k < COUNT(friction); ++k)
        for (int above = 0; above < 2; ++above) {
            const double mu = friction[k], angle = atan(mu) * (above ? 1.01 : 0.99);
            tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .awake = above});
            const tarn_body_id block = on_incline(w, angle, brick(0.6, 0.2, 0.4, 3), 0.1, mu);
            const vec3 from = motion_of(w, block).position;
            run(w, 1.0);
            const double v1 = v3_length(motion_of(w, block).velocity);
            run(w, 1.0);
            const double v2 = v3_length(motion_of(w, block).velocity),
                         g = 9.81 * (sin(angle) - mu * cos(angle));
            if (above)
                CHECK_NEAR(v2 - v1, g, 0.05 * g);
            else
                CHECK_NEAR(v3_length(v3_sub(motion_of(w, block).position, from)), 0.0, 1e-3);
            tarn_world_destroy(w);
        }
}

// Rolling without slip: a = g sin / (1 + I/(m r^2)), 5/7 for a ball and 2/3 for a cylinder.
static void rolling_bodies_accelerate_as_computed(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const double angle = k < 2 ? 0.2 : 0.4, part = k % 2 ? 2.0 / 3.0 : 5.0 / 7.0;
        tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
        tarn_body_def def = k % 2 ? body_def("cylinder") : ball(0.25, 5);
        if (k % 2) def.rotation = quat_from_rotation_vector(v3(PI / 2, 0, 0));
        const tarn_body_id body = on_incline(w, angle, def, 0.25, 0.8);
        run(w, 0.25);
        const double v1 = v3_length(motion_of(w, body).velocity);
        run(w, 1.0);
        const tarn_body_state m = motion_of(w, body);
        const double v2 = v3_length(m.velocity), a = part * 9.81 * sin(angle);
        CHECK_NEAR(v2 - v1, a, 0.01 * a);
        CHECK_NEAR(v3_length(m.angular_velocity) * 0.25, v2, 0.01 * v2);
        tarn_world_destroy(w);
    }
}

// ---- thrown hard ----------------------------------------------------------------------------------

// At 50 m/s no body passes a wall or a plate of 2 cm, for any shape, angle and rotation.
static void fast_bodies_do_not_tunnel(void **state)
{
    (void)state;
    const int trials = long_mode() ? 1200 : 120;
    int through_wall = 0, through_plate = 0;
    for (int n = 0; n < trials; ++n) {
        const bool plate = n % 2;
        tarn_world *w = body_world_create(&(struct body_world){
            .gravity = 9.81, .size = plate ? 0 : 4, .dt = n % 4 < 2 ? 1.0 / 60 : 1.0 / 30});
        const tarn_body_def wall = fixture(0.02, 80, 80, v3(1, 2, 0)); // no body passes beside it
        tarn_body_def def = nth_shape(n / 2, random_between(0.1, 0.4, 11, n));
        if (n / 2 % 7 == 6) def = brick(0.3, 0.02, 0.2, 1); // a plate
        def.position = v3(0, 2, 0), def.rotation = random_rotation(12, n),
        def.angular_velocity = random_vector(20, 13, n);
        def.velocity = v3(50, random_between(-10, 10, 14, n), random_between(-30, 30, 15, n));
        if (plate) put(w, &wall);
        const tarn_body_id body = put(w, &def);
        bool out = false;
        for (int k = 0; k < 60 && !out; ++k) {
            run_steps(w, 1);
            const vec3 p = motion_of(w, body).position;
            out = p.y < 0 || (plate ? p.x > 1 : fabs(p.x) > 2 || fabs(p.z) > 2);
        }
        *(plate ? &through_plate : &through_wall) += out;
        tarn_world_destroy(w);
    }
    assert_int_equal(through_wall, 0);
    assert_int_equal(through_plate, 0);
}

// ---- finding --------------------------------------------------------------------------------------

static double depth_of(const struct convex_instance *a, const struct convex_instance *b)
{
    struct manifold m;
    double depth = 0.0;
    collide_convex(a, b, 0.0, &m);
    for (int k = 0; k < m.count; ++k) depth = fmax(depth, -manifold_point_gap(&m.points[k], m.normal));
    return depth;
}

// The penetration depth of round bodies changes little when they move little; once a pair in some
// thousands was found a quarter of its size deep by rounding.
static void depth_is_continuous(void **state)
{
    (void)state;
    static const int kinds[][2] = {{2, 3}, {2, 4}, {3, 4}, {0, 3}, {0, 4}, {2, 2}};
    const int trials = 6000;
    for (int k = 0; k < COUNT(kinds); ++k) {
        tarn_world *w = body_world_create(&(struct body_world){0});
        for (int i = 0; i < 2; ++i) {
            tarn_body_def def = nth_shape(kinds[k][i], 0.3);
            def.position = v3(10 * i, 100, 0);
            put(w, &def);
        }
        const struct convex_part *p = &w->bodies.slots[0].body->def.shape->data.convex_parts[0],
                                 *q = &w->bodies.slots[1].body->def.shape->data.convex_parts[0];
        for (int n = 0; n < trials; ++n) {
            const mat3 ax = quat_to_matrix(random_rotation(51, n)),
                       ay = quat_to_matrix(random_rotation(52, n));
            const struct convex_instance a = convex_place(p, v3(0, 0, 0), &ax);
            const vec3 way = random_vector(1.0, 53, n);
            double lo = 0.0, hi = 1.0; // move b away until they nearly separate
            struct convex_instance b;
            for (int m = 0; m < 12; ++m) {
                const double mid = 0.5 * (lo + hi);
                b = convex_place(q, v3_scale(way, mid / v3_length(way)), &ay);
                *(depth_of(&a, &b) > 1e-3 ? &lo : &hi) = mid;
            }
            b = convex_place(q, v3_scale(way, lo / v3_length(way)), &ay);
            const double here = depth_of(&a, &b);
            b.position = v3_add(b.position, random_vector(1e-6, 54, n));
            // Other vertices of a face may be chosen: 5 degrees of 0.1 m are 9 mm, of which few are
            // visible.
            CHECK_NEAR(depth_of(&a, &b), here, 5e-3);
        }
        tarn_world_destroy(w);
    }
}

// Collisions across periodic boundaries are the same as elsewhere.
static void bodies_collide_across_periodic_boundaries(void **state)
{
    (void)state;
    vec3 end[2][2];
    for (int seam = 0; seam < 2; ++seam) {
        struct world_setup def = world_setup(TARN_FLUID_WAVE);
        tarn_world *w = NULL;
        for (int i = 0; i < 4; ++i) def.fluid.wave.boundary[i] = TARN_WAVE_PERIODIC;
        def.fluid.wave.cells[0] = 16, def.fluid.wave.cells[1] = 16;
        CHECK_OK(setup_create(&def, &w, NULL));
        tarn_body_def a = brick(0.4, 0.4, 0.4, 2), b = ball(0.2, 3);
        a.position = v3(seam ? -1.7 : 0.3, 9, seam ? 1.9 : 0.0), a.velocity = v3(-3, 0, 0.2),
        a.angular_velocity = v3(1, 2, 0);
        b.position = v3(seam ? 1.6 : -0.4, 9.05, seam ? -1.9 : 0.2), b.velocity = v3(1, 0, 0);
        const tarn_body_id ia = put(w, &a), ib = put(w, &b);
        run(w, 0.5);
        end[seam][0] = motion_of(w, ia).velocity, end[seam][1] = motion_of(w, ib).velocity;
        tarn_world_destroy(w);
    }
    assert_true(end[0][0].x > -2.0); // they collided
    for (int i = 0; i < 2; ++i)      // equal except for rounding at other positions
        CHECK_NEAR(v3_length(v3_sub(end[0][i], end[1][i])), 0.0, 1e-5);
}

// ---- free rotation --------------------------------------------------------------------------------

// Torque-free rotation conserves energy and angular momentum for 100,000 steps, at 1 and at 6 rad/s.
static void free_rotation_conserves_momentum_and_energy(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tarn_world *w = body_world_create(&(struct body_world){0});
        tarn_body_def def = brick(0.2, 0.5, 1.0, 3);
        def.position = v3(0, 100, 0), def.angular_velocity = v3_scale(v3(4, 4, 2), k ? 1.0 : 1.0 / 6);
        put(w, &def);
        const struct bodies *b = &w->bodies;
        const double e = body_energy(b, 0, 0);
        const vec3 l = b->state[0].angular_momentum;
        double worst = 0.0;
        for (int n = 0; n < 100000; ++n) {
            CHECK_OK(tarn_world_advance(w, w->def.dt));
            worst = fmax(worst, fabs(body_energy(b, 0, 0) / e - 1.0));
        }
        CHECK_NEAR(worst, 0.0, 1e-4); // (w dt)^2 of a substep, bounded
        CHECK_NEAR(v3_length(v3_sub(b->state[0].angular_momentum, l)), 0.0, 1e-4 * v3_length(l));
        tarn_world_destroy(w);
    }
}

// Time between two flips of a body that rotates about its intermediate axis with a small perturbation, by
// Jacobi: 2 K/rate. [landau1976] section 37
static double flip_time(vec3 inertia, vec3 spin)
{
    double i1 = inertia.x, i2 = inertia.y, i3 = inertia.z;                                    // rising
    const double energy = i1 * spin.x * spin.x + i2 * spin.y * spin.y + i3 * spin.z * spin.z; // twice
    const double l2 = i1 * i1 * spin.x * spin.x + i2 * i2 * spin.y * spin.y + i3 * i3 * spin.z * spin.z;
    if (l2 < energy * i2) i1 = inertia.z, i3 = inertia.x;
    const double rate = sqrt((i3 - i2) * (l2 - energy * i1) / (i1 * i2 * i3));
    const double k2 = (i2 - i1) * (energy * i3 - l2) / ((i3 - i2) * (l2 - energy * i1));
    return 2.0 * elliptic_k(sqrt(1.0 - k2)) / rate;
}

// Two cylinders as a handle with a crossbar.
static tarn_body_def t_handle(void)
{
    tarn_compound_child parts[2];
    tarn_body_def def = tarn_default_body_def();
    for (int i = 0; i < 2; ++i) {
        const tarn_shape_def bar = {.type = TARN_SHAPE_CYLINDER, .cylinder = {0.05, i ? 0.4 : 0.6, 0}};
        parts[i] = (tarn_compound_child){.shape = shape_of(bar), .pose.rotation = {1, 0, 0, 0}};
    }
    parts[0].pose.rotation = quat_from_rotation_vector(v3(0, 0, PI / 2)); // the bar, along x
    parts[1].pose.position = v3(0, -0.25, 0);
    def.shape = shape_of((tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {parts, 2}});
    return def;
}

static double part_of(vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static void intermediate_axis_flips_as_jacobi_computed(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){0});
    tarn_body_def def = t_handle();
    def.position = v3(0, 100, 0);
    const tarn_body_id body = put(w, &def);
    const tarn_body_info f = info(w, body);
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; ++i)
        for (int j = i + 1; j < 3; ++j)
            if (part_of(f.inertia, order[j]) < part_of(f.inertia, order[i])) {
                const int swap = order[i];
                order[i] = order[j], order[j] = swap;
            }
    const double rising[3] = {0.05, 5.0, 0.05}; // 1 % off the intermediate axis
    double own[3];
    for (int i = 0; i < 3; ++i) own[order[i]] = rising[i];
    tarn_body_state m = motion_of(w, body);
    m.angular_velocity = quat_rotate(f.axes, v3(own[0], own[1], own[2]));
    CHECK_OK(tarn_body_set_state(w, body, &m));
    const double want = flip_time(
        v3(part_of(f.inertia, order[0]), part_of(f.inertia, order[1]), part_of(f.inertia, order[2])),
        v3(rising[0], rising[1], rising[2]));
    double first = 0.0, last = 0.0, before = 1.0;
    int flips = 0;
    for (int n = 1; n < 6000 && flips < 6; ++n) {
        run_steps(w, 1);
        m = motion_of(w, body);
        const double now =
            part_of(quat_rotate_inverse(quat_mul(m.rotation, f.axes), m.angular_velocity), order[1]);
        if ((now > 0) != (before > 0)) {
            last = (n - now / (now - before)) * w->def.dt;
            if (flips++ == 0) first = last;
        }
        before = now;
    }
    assert_int_equal(flips, 6);
    CHECK_NEAR((last - first) / 5.0, want,
               0.02 * want); // the period depends on the logarithm of the perturbation
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulse_of_a_ball_follows_the_formula),
        cmocka_unit_test(impulse_of_a_corner_follows_the_formula),
        cmocka_unit_test(impulse_of_two_moving_bodies_follows_the_formula),
        cmocka_unit_test(free_collisions_conserve_momentum_and_energy),
        cmocka_unit_test(balls_rebound_to_e_squared),
        cmocka_unit_test(blocks_slide_beyond_the_friction_angle),
        cmocka_unit_test(rolling_bodies_accelerate_as_computed),
        cmocka_unit_test(fast_bodies_do_not_tunnel),
        cmocka_unit_test(depth_is_continuous),
        cmocka_unit_test(bodies_collide_across_periodic_boundaries),
        cmocka_unit_test(free_rotation_conserves_momentum_and_energy),
        cmocka_unit_test(intermediate_axis_flips_as_jacobi_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
