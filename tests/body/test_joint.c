// Laws of joints and of contact events.
#include "body_world.h"
#include "memory_stream.h"

#include "body/solve/dynamics.h"

static const tarn_body_id world_end = {0};

static tarn_joint_id join(tarn_world *w, tarn_joint_def *def, tarn_body_id a, tarn_body_id b, vec3 at,
                          vec3 to)
{
    tarn_joint_id id = {0};
    tarn_error err = {0};
    def->body_a = a, def->body_b = b, def->anchor_a = at, def->anchor_b = to;
    const tarn_result r = tarn_joint_create(w, def, &id, &err);
    if (r != TARN_OK) print_message("%s: %s\n", err.key, err.message);
    CHECK_OK(r);
    return id;
}

static tarn_joint_id pin(tarn_world *w, tarn_body_id a, tarn_body_id b, vec3 at)
{
    tarn_joint_def def = tarn_default_joint_def(TARN_JOINT_BALL);
    return join(w, &def, a, b, at, at);
}

static tarn_joint_id hinge(tarn_world *w, tarn_body_id a, tarn_body_id b, vec3 at, vec3 axis, double speed,
                           double torque)
{
    tarn_joint_def def = tarn_default_joint_def(TARN_JOINT_HINGE);
    def.hinge.axis = axis, def.hinge.motor_speed = speed, def.hinge.max_torque = torque;
    return join(w, &def, a, b, at, at);
}

static tarn_joint_id spring(tarn_world *w, tarn_body_id a, vec3 at, vec3 to, double stiffness, double damping)
{
    tarn_joint_def def = tarn_default_joint_def(TARN_JOINT_SPRING);
    def.spring.stiffness = stiffness, def.spring.damping = damping;
    return join(w, &def, a, world_end, at, to);
}

static tarn_joint_id line(tarn_world *w, tarn_body_id a, vec3 at, vec3 to, double length)
{
    tarn_joint_def def = tarn_default_joint_def(TARN_JOINT_ROPE);
    def.rope.length = length;
    return join(w, &def, a, world_end, at, to);
}

// Distance of the two anchors of a joint.
static double apart(const tarn_world *w, tarn_joint_id id)
{
    const struct bodies *b = &w->bodies;
    const struct joint *j = b->dynamics->joints.slots[id_slot(id.value)].joint;
    const vec3 a = v3_add(b->state[j->a].position, quat_rotate(b->state[j->a].rotation, j->local_a));
    vec3 o = j->local_b;
    if (j->b >= 0) o = v3_add(b->state[j->b].position, quat_rotate(b->state[j->b].rotation, o));
    return v3_length(v3_sub(a, o));
}

// ---- pendulums and chains -------------------------------------------------------------------------

// Period of an oscillation: time between every second zero of x.
static double period(tarn_world *w, tarn_body_id body, double x0, int swings)
{
    double first = 0.0, last = 0.0, before = motion_of(w, body).position.x - x0;
    int count = 0;
    for (int n = 1; n < 100000 && count <= 2 * swings; ++n) {
        run_steps(w, 1);
        const double now = motion_of(w, body).position.x - x0;
        if ((now > 0.0) != (before > 0.0)) {
            last = (n - now / (now - before)) * w->def.dt;
            if (count++ == 0) first = last;
        }
        before = now;
    }
    return (last - first) / swings;
}

// A rod on a ball joint has the period T = 4 K(sin(a/2)) sqrt(I/(m g d)), for small and large amplitudes.
static void pendulums_keep_time(void **state)
{
    (void)state;
    static const double amplitudes[] = {0.02, PI / 3.0};
    for (int k = 0; k < COUNT(amplitudes); ++k) {
        const double a = amplitudes[k], length = 1.0, d = 0.5;
        tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
        tarn_body_def def = brick(0.05, length, 0.05, 2.0);
        def.position = v3(d * sin(a), 3.0 - d * cos(a), 0),
        def.rotation = quat_from_rotation_vector(v3(0, 0, a));
        const tarn_body_id rod = put(w, &def);
        const tarn_joint_id joint = pin(w, rod, world_end, v3(0, 3, 0));
        const double inertia = 2.0 * (length * length + 0.05 * 0.05) / 12.0 + 2.0 * d * d;
        const double want = 4.0 * elliptic_k(cos(0.5 * a)) * sqrt(inertia / (2.0 * 9.81 * d));
        const double got = period(w, rod, 0.0, 2); // dissipation: 1.5 % of its energy per second
        CHECK_NEAR(got, want, 0.005 * want);
        CHECK_NEAR(apart(w, joint), 0.0, 1e-3);
        tarn_world_destroy(w);
    }
}

// The links of a swinging chain of ten stay together.
static void chains_do_not_stretch(void **state)
{
    (void)state;
    const double a = 0.8; // larger amplitudes end in a whip crack
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_id before = world_end;
    tarn_joint_id joints[10];
    for (int i = 0; i < 10; ++i) {
        tarn_body_def def = brick(0.1, 0.03, 0.03, 0.1);
        const vec3 along = v3(sin(a), -cos(a), 0), top = v3(0, 3, 0);
        def.position = v3_madd(top, 0.05 + 0.1 * i, along);
        def.rotation = quat_from_rotation_vector(v3(0, 0, a - PI / 2));
        const tarn_body_id link = put(w, &def);
        joints[i] = pin(w, link, before, v3_madd(top, 0.1 * i, along));
        before = link;
    }
    double worst = 0.0;
    for (int n = 0; n < 600; ++n) {
        run_steps(w, 1);
        for (int i = 0; i < 10; ++i) worst = fmax(worst, apart(w, joints[i]));
    }
    CHECK_NEAR(worst, 0.0, 1e-3); // 1 % of a link
    tarn_world_destroy(w);
}

// ---- hinges ---------------------------------------------------------------------------------------

// A hinge keeps its axis when bodies hit the door.
static void hinges_keep_their_axis(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def def = brick(1.0, 2.0, 0.1, 20), shot = ball(0.1, 2);
    def.position = v3(0.5, 2, 0);
    shot.position = v3(0.8, 2.8, -1), shot.velocity = v3(0, 1, 8), shot.restitution = 0.5;
    const tarn_body_id door = put(w, &def);
    put(w, &shot);
    const tarn_joint_id joint = hinge(w, door, world_end, v3(0, 2, 0), v3(0, 1, 0), 0, 0);
    double tilt = 0.0, worst = 0.0;
    for (int n = 0; n < 300; ++n) {
        run_steps(w, 1);
        const vec3 up = quat_rotate(motion_of(w, door).rotation, v3(0, 1, 0));
        tilt = fmax(tilt, sqrt(up.x * up.x + up.z * up.z)), worst = fmax(worst, apart(w, joint));
    }
    assert_true(fabs(motion_of(w, door).angular_velocity.y) > 0.1 ||
                fabs(motion_of(w, door).rotation.y) > 0.1); // it opened
    CHECK_NEAR(tilt, 0.0, 0.01);
    CHECK_NEAR(worst, 0.0, 5e-3); // half a percent of the door
    tarn_world_destroy(w);
}

// A motor accelerates a wheel by torque/inertia up to its speed; a brake holds up to its torque and slips
// beyond.
static void motors_drive_and_brake_hinges(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){0});
    tarn_body_def def = brick(0.4, 0.4, 0.1, 3);
    def.position = v3(0, 3, 0);
    const tarn_body_id wheel = put(w, &def);
    // The speed is that of b relative to a: the world relative to the wheel.
    const tarn_joint_id motor = hinge(w, wheel, world_end, v3(0, 3, 0), v3(0, 0, 1), -5.0, 0.1);
    const double inertia = info(w, wheel).inertia.z; // 0.08
    CHECK_NEAR(inertia, 0.08, 1e-12);
    run(w, 1.0);
    CHECK_NEAR(motion_of(w, wheel).angular_velocity.z, 0.1 / inertia, 1e-3 * 0.1 / inertia);
    run(w, 5.0);
    CHECK_NEAR(motion_of(w, wheel).angular_velocity.z, 5.0, 1e-4);
    CHECK_OK(tarn_joint_destroy(w, motor));
    hinge(w, wheel, world_end, v3(0, 3, 0), v3(0, 0, 1), 0.0, 0.1);
    run(w, 5.0); // stopped after 4 s
    CHECK_NEAR(motion_of(w, wheel).angular_velocity.z, 0.0, 1e-5);
    const quat before = motion_of(w, wheel).rotation;
    for (int n = 0; n < 120; ++n) { // 0.09 N m of 0.1
        CHECK_OK(tarn_body_apply_force(w, wheel, v3(0, 0.9, 0), v3(0.1, 3, 0)));
        run_steps(w, 1);
    }
    const quat turned = quat_mul(quat_conjugate(before), motion_of(w, wheel).rotation);
    CHECK_NEAR(turned.z, 0.0, 1e-4);
    for (int n = 0; n < 60; ++n) { // 0.2 of 0.1
        CHECK_OK(tarn_body_apply_force(w, wheel, v3(0, 2.0, 0), v3(0.1, 3, 0)));
        run_steps(w, 1);
    }
    CHECK_NEAR(motion_of(w, wheel).angular_velocity.z, 0.1 / inertia, 0.02 * 0.1 / inertia);
    tarn_world_destroy(w);
}

// ---- springs and lines ----------------------------------------------------------------------------

// T = 2 pi sqrt(m/k); backward Euler adds (w dt)^2/3 to the period.
static void springs_keep_time(void **state)
{
    (void)state;
    static const double stiffness[] = {2.0, 20.0, 200.0, 1000.0};
    for (int k = 0; k < COUNT(stiffness); ++k) {
        tarn_world *w = body_world_create(&(struct body_world){.awake = true});
        tarn_body_def def = ball(0.1, 1.0);
        def.position = v3(0, 3, 0);
        const tarn_body_id body = put(w, &def);
        spring(w, body, v3(0, 3, 0), v3(5, 3, 0), stiffness[k], 0.0); // at rest at this length
        tarn_body_state m = motion_of(w, body);
        m.position.x = 0.5;
        CHECK_OK(tarn_body_set_state(w, body, &m));
        const double want = 2.0 * PI / sqrt(stiffness[k]), got = period(w, body, 0.0, 2);
        CHECK_NEAR(got, want, 0.01 * want);
        tarn_world_destroy(w);
    }
}

// A spring of any stiffness is stable; it is m g/k longer in equilibrium.
static void springs_stretch_by_hooke(void **state)
{
    (void)state;
    static const double stiffness[] = {50.0, 1e3, 1e5, 1e9, 1e12};
    for (int k = 0; k < COUNT(stiffness); ++k) {
        tarn_world *w = body_world_create(
            &(struct body_world){.gravity = 9.81, .awake = true}); // sleeping would stop it at 2 cm/s
        tarn_body_def def = brick(0.2, 0.2, 0.2, 2.0);
        def.position = v3(0, 4, 0);
        const tarn_body_id body = put(w, &def);
        spring(w, body, v3(0, 4.1, 0), v3(0, 5, 0), stiffness[k], k < 2 ? 5.0 : 0.0);
        for (int n = 0; n < 1200; ++n) {
            run_steps(w, 1);
            assert_true(v3_length(motion_of(w, body).velocity) < 3.0); // twice sqrt(m g^2/k) at most
        }
        CHECK_NEAR(4.0 - motion_of(w, body).position.y, 2.0 * 9.81 / stiffness[k],
                   0.01 * 2.0 * 9.81 / stiffness[k] + 1e-5);
        tarn_world_destroy(w);
    }
}

// A rope is slack until it is taut, then never gets longer, and only pulls.
static void ropes_do_not_stretch(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def def = ball(0.05, 1.0);
    def.position = v3(0.3, 6, 0);
    const tarn_body_id body = put(w, &def);
    line(w, body, def.position, v3(0, 6, 0), 1.0);
    double longest = 0.0;
    int taut = -1;
    for (int n = 1; n <= 600; ++n) {
        const double fell = 9.81 * n * n * w->def.dt * w->def.dt / 2.0;
        run_steps(w, 1);
        const vec3 p = motion_of(w, body).position;
        const double far = v3_length(v3_sub(p, v3(0, 6, 0)));
        longest = fmax(longest, far);
        if (taut < 0 && 0.3 * 0.3 + fell * fell < 0.9) CHECK_NEAR(p.y, 6.0 - fell, 1e-6); // free fall so far
        if (taut < 0 && far > 0.99) taut = n;
    }
    assert_true(taut > 0);
    CHECK_NEAR(fmax(longest, 1.0), 1.0, 0.005);
    // Thrown up, it is slack again.
    tarn_body_state m = motion_of(w, body);
    m.position = v3(0, 5.5, 0), m.velocity = v3(0, 2, 0);
    CHECK_OK(tarn_body_set_state(w, body, &m));
    run(w, 0.2);
    CHECK_NEAR(motion_of(w, body).position.y, 5.5 + 2 * 0.2 - 9.81 * 0.02, 1e-6);
    tarn_world_destroy(w);
}

// ---- grabs ----------------------------------------------------------------------------------------

// A rope that is too short draws a ball into the floor, which pushes it out: both correct positions,
// neither adds velocity.
static void ropes_and_floors_do_not_gain_energy(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .size = 8.0, .awake = true});
    tarn_body_def def = ball(0.3, 10.0);
    def.friction = 0.8, def.position = v3(0, 0.1, 0);
    const tarn_body_id body = put(w, &def);
    line(w, body, v3(0.1, 0.3, 0), v3(1.5, -0.6, 0), 0.5);
    double fastest = 0.0;
    for (int n = 0; n < 300; ++n) {
        run_steps(w, 1);
        fastest = fmax(fastest, v3_length(motion_of(w, body).velocity));
    }
    assert_true(fastest < 0.01);
    tarn_world_destroy(w);
}

// A grabbed body follows its target and hangs from the grabbed point.
static void grabbed_bodies_follow(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def def = brick(0.6, 0.2, 0.2, 5);
    def.position = v3(0, 0.1, 0);
    const tarn_body_id body = put(w, &def);
    run(w, 2.0); // asleep
    tarn_joint_id hand;
    CHECK_OK(tarn_body_grab(w, body, v3(0.3, 0.1, 0), &hand));
    for (int n = 0; n < 120; ++n) {
        CHECK_OK(tarn_joint_set_anchor(w, hand, v3(0.3 + n / 120.0, 0.1 + n / 60.0, 0)));
        run_steps(w, 1);
    }
    run(w, 10.0);
    const tarn_body_state m = motion_of(w, body);
    const vec3 held = v3_add(m.position, quat_rotate(m.rotation, v3(0.3, 0, 0)));
    CHECK_NEAR(v3_length(v3_sub(held, v3(1.2917, 2.0833, 0))), 0.0981, 0.02); // m g/k of the spring
    assert_true(quat_rotate(m.rotation, v3(1, 0, 0)).y > 0.8);                // it hangs by its end
    CHECK_OK(tarn_joint_destroy(w, hand));
    run(w, 0.3);
    assert_true(motion_of(w, body).velocity.y < -2.0);
    assert_int_equal(tarn_joint_set_anchor(w, hand, v3(0, 0, 0)), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

// ---- ids and checkpoints --------------------------------------------------------------------------

static void removed_bodies_remove_their_joints(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_id bodies[2];
    for (int i = 0; i < 2; ++i) {
        tarn_body_def def = ball(0.1, 1);
        def.position = v3(0, 3 - 0.5 * i, 0);
        bodies[i] = put(w, &def);
    }
    const tarn_joint_id top = pin(w, bodies[0], world_end, v3(0, 3.5, 0));
    const tarn_joint_id low = pin(w, bodies[1], bodies[0], v3(0, 2.75, 0));
    run(w, 1.0);
    CHECK_OK(tarn_body_destroy(w, bodies[0]));
    assert_int_equal(tarn_joint_destroy(w, top), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_joint_destroy(w, low), TARN_BAD_ARGUMENT);
    run(w, 0.2);
    CHECK_NEAR(motion_of(w, bodies[1]).velocity.y, -9.81 * 0.2, 0.02); // falls freely
    // New joints in reused slots do not have the old ids, and removed bodies cannot be joined.
    const tarn_joint_id again = pin(w, bodies[1], world_end, v3(0, 3, 0));
    assert_int_equal(id_slot(again.value), 0);
    assert_int_equal(tarn_joint_set_anchor(w, top, v3(0, 0, 0)), TARN_BAD_ARGUMENT);
    tarn_joint_def def = tarn_default_joint_def(TARN_JOINT_BALL);
    tarn_joint_id none;
    def.body_a = bodies[0];
    assert_int_equal(tarn_joint_create(w, &def, &none, NULL), TARN_BAD_ARGUMENT);
    def.body_a = bodies[1], def.body_b = bodies[0];
    assert_int_equal(tarn_joint_create(w, &def, &none, NULL), TARN_BAD_ARGUMENT);
    def.body_b = bodies[1];
    assert_int_equal(tarn_joint_create(w, &def, &none, NULL), TARN_BAD_INPUT);
    // A joint needs a finite anchor.
    tarn_error err = {0};
    for (int k = 0; k < 4; ++k) {
        def = tarn_default_joint_def(TARN_JOINT_ROPE);
        def.body_a = bodies[1];
        *(k % 2 ? &def.anchor_b : &def.anchor_a) = v3(0, k < 2 ? NAN : 1.1e7, 0);
        assert_int_equal(tarn_joint_create(w, &def, &none, &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, k % 2 ? "anchor_b" : "anchor_a");
        assert_string_equal(err.message, "the point must be finite and within 1e7 m of the origin");
    }
    tarn_world_destroy(w);
}

// One joint of each kind.
static tarn_world *machine(void)
{
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .size = 6});
    tarn_body_id b[4];
    for (int i = 0; i < 4; ++i) {
        tarn_body_def def = brick(0.4, 0.2, 0.2, 1.0 + i);
        def.position = v3(0.4 * i - 1.0, 2, 0.01 * i);
        b[i] = put(w, &def);
    }
    pin(w, b[0], world_end, v3(-1.2, 2, 0));
    hinge(w, b[1], b[0], v3(-0.8, 2, 0), v3(0, 0, 1), 3.0, 0.5);
    spring(w, b[2], v3(-0.2, 2, 0), v3(0, 3, 0), 80.0, 0.3);
    line(w, b[3], v3(0.4, 2, 0), v3(0, 2.5, 0), 1.2);
    tarn_joint_id gone = pin(w, b[3], b[2], v3(0.1, 2, 0));
    CHECK_OK(tarn_joint_destroy(w, gone)); // a free slot before the last
    tarn_joint_id hand;
    CHECK_OK(tarn_body_grab(w, b[3], v3(0.2, 2, 0), &hand));
    return w;
}

// Loaded joints continue with the same bits, impulses and slots included.
static void joints_are_saved(void **state)
{
    (void)state;
    static struct memory_stream file;
    tarn_world *w = machine(), *straight = machine();
    run_steps(straight, 200);
    for (int n = 0; n < 200; ++n) {
        if (n % 41 == 0) {
            tarn_world *next = NULL;
            file.size = file.at = 0;
            CHECK_OK(tarn_world_save(w, stream_write, &file));
            CHECK_OK(tarn_world_load(stream_read, &file, NULL, &next, NULL));
            tarn_world_destroy(w);
            w = next;
        }
        run_steps(w, 1);
    }
    assert_true(tarn_world_hash(w) == tarn_world_hash(straight));
    tarn_world_destroy(w);
    tarn_world_destroy(straight);
}

// ---- kinematic bodies, Newton's cradle --------------------------------------------------------------

// A kinematic body that is joined to the world and moves away: no impulse could hold it, and none grows.
static void joints_of_kinematic_bodies_have_no_force(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def d = fixture(0.5, 0.5, 0.5, (vec3){0, 2, 0});
    d.velocity = (vec3){3, 0, 0};
    const tarn_body_id id = put(w, &d);
    pin(w, id, world_end, (vec3){0.1, 2, 0});
    run(w, 1.0);
    const struct joint *j = w->bodies.dynamics->joints.slots[0].joint;
    for (int i = 0; i < JOINT_ROWS; ++i) assert_true(j->impulse[i] == 0.0);
    tarn_world_destroy(w);
}

// Newton's cradle: the impulse passes to the last of five balls, in contact or a millimetre apart.
static void cradle_transfers_momentum(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const double pitch = k ? 0.201 : 0.2, a = 0.5;
        tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
        tarn_body_id balls[5];
        for (int i = 0; i < 5; ++i) {
            tarn_body_def def = ball(0.1, 1.0);
            const vec3 top = v3(pitch * i, 3, 0);
            def.restitution = 1.0, def.friction = 0.0;
            def.position = i ? v3(pitch * i, 2, 0) : v3(-sin(a), 3 - cos(a), 0);
            balls[i] = put(w, &def);
            pin(w, balls[i], world_end, top);
        }
        double first = 0.0, last = 0.0;
        for (int n = 0; n < 60; ++n) {
            run_steps(w, 1);
            first = fmax(first, motion_of(w, balls[0]).velocity.x);
            last = fmax(last, motion_of(w, balls[4]).velocity.x);
        }
        assert_true(first > 1.3); // sqrt(2 g (1 - cos a)) = 1.55
        assert_true(last > 0.95 * first && last < 1.01 * first);
        tarn_world_destroy(w);
    }
}

// ---- events ---------------------------------------------------------------------------------------

// A ball that lands, comes to rest and is lifted: hit events with m v (1 + e), one begin event, one end
// event, and none while it rests.
static void events_report_contacts(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def def = ball(0.1, 2.0);
    def.position = v3(0, 1.1, 0), def.restitution = 0.0;
    const tarn_body_id body = put(w, &def);
    int touches = 0, hits = 0, parts = 0;
    for (int n = 0; n < 180; ++n) {
        run_steps(w, 1);
        const tarn_events e = tarn_world_get_events(w);
        touches += e.contacts_begun_count, parts += e.contacts_ended_count, hits += e.hit_count;
    }
    assert_int_equal(touches, 1);
    assert_int_equal(hits, 1);
    assert_int_equal(parts, 0);
    for (int n = 0; n < 120; ++n) { // resting, then asleep
        run_steps(w, 1);
        const tarn_events e = tarn_world_get_events(w);
        assert_int_equal(e.contacts_begun_count + e.contacts_ended_count + e.hit_count, 0);
    }
    tarn_body_state m = motion_of(w, body);
    m.position.y += 0.5;
    CHECK_OK(tarn_body_set_state(w, body, &m));
    for (int n = 0; n < 6; ++n) run_steps(w, 1), parts += tarn_world_get_events(w).contacts_ended_count;
    assert_int_equal(parts, 1);
    tarn_world_destroy(w);
}

static void hit_events_report_the_impulse(void **state)
{
    (void)state;
    static const double es[] = {0.0, 0.5, 1.0};
    for (int k = 0; k < 2 * COUNT(es); ++k) {
        const double bounce = es[k % COUNT(es)];
        const bool two = k >= COUNT(es);
        tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
        tarn_body_def def = ball(0.1, 2.0), other = ball(0.1, 2.0);
        def.position = v3(0, 1.1, 0), def.restitution = other.restitution = bounce;
        other.position = v3(0.7, 1.1, 0), other.velocity = v3(-4, 0, 0);
        const tarn_body_id body = put(w, &def), next = two ? put(w, &other) : world_end;
        for (int n = 0; n < 60 && !tarn_world_get_events(w).hit_count; ++n) run_steps(w, 1);
        assert_int_equal(tarn_world_get_events(w).hit_count, 1);
        const tarn_contact_event e = tarn_world_get_events(w).hits[0];
        const double v = two ? 4.0 : sqrt(2 * 9.81), mass = two ? 1.0 : 2.0; // reduced
        CHECK_NEAR(e.speed, v, 0.02 * v);
        CHECK_NEAR(e.impulse, mass * v * (1.0 + bounce), 0.05 * mass * v * (1.0 + bounce));
        CHECK_NEAR(two ? e.normal.x : e.normal.y, two ? 1.0 : -1.0, 1e-3); // from a to b
        assert_true(id_slot(e.a.value) == id_slot(body.value) && e.b.value == next.value);
        tarn_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulums_keep_time),
        cmocka_unit_test(chains_do_not_stretch),
        cmocka_unit_test(hinges_keep_their_axis),
        cmocka_unit_test(motors_drive_and_brake_hinges),
        cmocka_unit_test(springs_keep_time),
        cmocka_unit_test(springs_stretch_by_hooke),
        cmocka_unit_test(ropes_do_not_stretch),
        cmocka_unit_test(ropes_and_floors_do_not_gain_energy),
        cmocka_unit_test(grabbed_bodies_follow),
        cmocka_unit_test(removed_bodies_remove_their_joints),
        cmocka_unit_test(joints_are_saved),
        cmocka_unit_test(joints_of_kinematic_bodies_have_no_force),
        cmocka_unit_test(cradle_transfers_momentum),
        cmocka_unit_test(events_report_contacts),
        cmocka_unit_test(hit_events_report_the_impulse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
