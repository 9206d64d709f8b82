// Laws of joints, and what events tell.
#include "body_world.h"
#include "memory_stream.h"

#include "body/solve/dynamics.h"

static const tarn_body world_end = {0, 0};

static tarn_joint join(tarn_world *w, tarn_joint_def *def, tarn_body a, tarn_body b, vec3 at, vec3 to)
{
    tarn_joint id = {0};
    tarn_error err = {0};
    def->a = a, def->b = b, def->at = at, def->to = to;
    const tarn_result r = tarn_joint_create(w, def, &id, &err);
    if (r != TARN_OK) print_message("%s: %s\n", err.key, err.text);
    CHECK_OK(r);
    return id;
}

static tarn_joint pin(tarn_world *w, tarn_body a, tarn_body b, vec3 at)
{
    tarn_joint_def def = tarn_joint_def_default("ball");
    return join(w, &def, a, b, at, at);
}

static tarn_joint hinge(tarn_world *w, tarn_body a, tarn_body b, vec3 at, vec3 axis, double speed,
                        double torque)
{
    tarn_joint_def def = tarn_joint_def_default("hinge");
    CHECK_OK(tarn_spec_set(&def.kind, "axis", tarn_triple(axis.x, axis.y, axis.z), NULL));
    CHECK_OK(tarn_spec_set(&def.kind, "speed", tarn_number(speed), NULL));
    CHECK_OK(tarn_spec_set(&def.kind, "torque", tarn_number(torque), NULL));
    return join(w, &def, a, b, at, at);
}

static tarn_joint spring(tarn_world *w, tarn_body a, vec3 at, vec3 to, double stiffness, double damping)
{
    tarn_joint_def def = tarn_joint_def_default("spring");
    CHECK_OK(tarn_spec_set(&def.kind, "stiffness", tarn_number(stiffness), NULL));
    CHECK_OK(tarn_spec_set(&def.kind, "damping", tarn_number(damping), NULL));
    return join(w, &def, a, world_end, at, to);
}

static tarn_joint line(tarn_world *w, tarn_body a, vec3 at, vec3 to, double length)
{
    tarn_joint_def def = tarn_joint_def_default("line");
    CHECK_OK(tarn_spec_set(&def.kind, "length", tarn_number(length), NULL));
    return join(w, &def, a, world_end, at, to);
}

// How far the two ends of a joint are from each other.
static double apart(const tarn_world *w, tarn_joint id)
{
    const struct bodies *b = &w->bodies;
    const struct joint *j = b->dynamics->joints.slots[id.index].joint;
    const vec3 a = v3_add(b->state[j->a].position, quat_rotate(b->state[j->a].rotation, j->local_a));
    vec3 o = j->local_b;
    if (j->b >= 0) o = v3_add(b->state[j->b].position, quat_rotate(b->state[j->b].rotation, o));
    return v3_length(v3_sub(a, o));
}

// ---- pendulums and chains -------------------------------------------------------------------------

// The period of something that swings: time between every second zero of x, over some swings.
static double period(tarn_world *w, tarn_body body, double x0, int swings)
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

// A rod on a ball joint: T = 4 K(sin(a/2)) sqrt(I/(m g d)), for small and for large swings.
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
        const tarn_body rod = put(w, &def);
        const tarn_joint joint = pin(w, rod, world_end, v3(0, 3, 0));
        const double inertia = 2.0 * (length * length + 0.05 * 0.05) / 12.0 + 2.0 * d * d;
        const double want = 4.0 * elliptic_k(cos(0.5 * a)) * sqrt(inertia / (2.0 * 9.81 * d));
        const double got = period(w, rod, 0.0, 2); // it tires: 1.5 % of its energy a second
        CHECK_NEAR(got, want, 0.005 * want);
        CHECK_NEAR(apart(w, joint), 0.0, 1e-3);
        tarn_world_destroy(w);
    }
}

// A chain of ten links that swings stays together.
static void chains_hold(void **state)
{
    (void)state;
    const double a = 0.8; // swings wider than that end in a crack of the whip
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body before = world_end;
    tarn_joint joints[10];
    for (int i = 0; i < 10; ++i) {
        tarn_body_def def = brick(0.1, 0.03, 0.03, 0.1);
        const vec3 along = v3(sin(a), -cos(a), 0), top = v3(0, 3, 0);
        def.position = v3_madd(top, 0.05 + 0.1 * i, along);
        def.rotation = quat_from_rotation_vector(v3(0, 0, a - PI / 2));
        const tarn_body link = put(w, &def);
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

// A door keeps its axis, whatever is thrown at it.
static void hinges_keep_their_axis(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def def = brick(1.0, 2.0, 0.1, 20), shot = ball(0.1, 2);
    def.position = v3(0.5, 2, 0);
    shot.position = v3(0.8, 2.8, -1), shot.velocity = v3(0, 1, 8), shot.restitution = 0.5;
    const tarn_body door = put(w, &def);
    put(w, &shot);
    const tarn_joint joint = hinge(w, door, world_end, v3(0, 2, 0), v3(0, 1, 0), 0, 0);
    double tilt = 0.0, worst = 0.0;
    for (int n = 0; n < 300; ++n) {
        run_steps(w, 1);
        const vec3 up = quat_rotate(motion_of(w, door).rotation, v3(0, 1, 0));
        tilt = fmax(tilt, sqrt(up.x * up.x + up.z * up.z)), worst = fmax(worst, apart(w, joint));
    }
    assert_true(fabs(motion_of(w, door).spin.y) > 0.1 ||
                fabs(motion_of(w, door).rotation.y) > 0.1); // it opened
    CHECK_NEAR(tilt, 0.0, 0.01);
    CHECK_NEAR(worst, 0.0, 5e-3); // half a percent of the door
    tarn_world_destroy(w);
}

// A motor speeds a wheel up by torque/inertia until it has its speed; a brake holds up to its torque and
// slips beyond.
static void motors_and_brakes(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){0});
    tarn_body_def def = brick(0.4, 0.4, 0.1, 3);
    def.position = v3(0, 3, 0);
    const tarn_body wheel = put(w, &def);
    // The speed is that of b against a: the world against the wheel.
    const tarn_joint motor = hinge(w, wheel, world_end, v3(0, 3, 0), v3(0, 0, 1), -5.0, 0.1);
    const double inertia = facts(w, wheel).inertia.z; // 0.08
    CHECK_NEAR(inertia, 0.08, 1e-12);
    run(w, 1.0);
    CHECK_NEAR(motion_of(w, wheel).spin.z, 0.1 / inertia, 1e-3 * 0.1 / inertia);
    run(w, 5.0);
    CHECK_NEAR(motion_of(w, wheel).spin.z, 5.0, 1e-4);
    CHECK_OK(tarn_joint_remove(w, motor));
    hinge(w, wheel, world_end, v3(0, 3, 0), v3(0, 0, 1), 0.0, 0.1);
    run(w, 5.0); // stopped after 4 s
    CHECK_NEAR(motion_of(w, wheel).spin.z, 0.0, 1e-5);
    const quat before = motion_of(w, wheel).rotation;
    for (int n = 0; n < 120; ++n) { // 0.09 N m of 0.1
        CHECK_OK(tarn_body_push(w, wheel, v3(0, 0.9, 0), v3(0.1, 3, 0)));
        run_steps(w, 1);
    }
    const quat turned = quat_mul(quat_conjugate(before), motion_of(w, wheel).rotation);
    CHECK_NEAR(turned.z, 0.0, 1e-4);
    for (int n = 0; n < 60; ++n) { // 0.2 of 0.1
        CHECK_OK(tarn_body_push(w, wheel, v3(0, 2.0, 0), v3(0.1, 3, 0)));
        run_steps(w, 1);
    }
    CHECK_NEAR(motion_of(w, wheel).spin.z, 0.1 / inertia, 0.02 * 0.1 / inertia);
    tarn_world_destroy(w);
}

// ---- springs and lines ----------------------------------------------------------------------------

// T = 2 pi sqrt(m/k); the step is taken at its end, which costs (w dt)^2/3 of the period.
static void springs_keep_time(void **state)
{
    (void)state;
    static const double stiffness[] = {2.0, 20.0, 200.0, 1000.0};
    for (int k = 0; k < COUNT(stiffness); ++k) {
        tarn_world *w = body_world_create(&(struct body_world){.awake = true});
        tarn_body_def def = ball(0.1, 1.0);
        def.position = v3(0, 3, 0);
        const tarn_body body = put(w, &def);
        spring(w, body, v3(0, 3, 0), v3(5, 3, 0), stiffness[k], 0.0); // at rest as it is
        tarn_motion m = motion_of(w, body);
        m.position.x = 0.5;
        CHECK_OK(tarn_body_move(w, body, &m));
        const double want = 2.0 * PI / sqrt(stiffness[k]), got = period(w, body, 0.0, 2);
        CHECK_NEAR(got, want, 0.01 * want);
        tarn_world_destroy(w);
    }
}

// However stiff, a spring does not explode; it hangs m g/k longer.
static void springs_stretch_by_hooke(void **state)
{
    (void)state;
    static const double stiffness[] = {50.0, 1e3, 1e5, 1e9, 1e12};
    for (int k = 0; k < COUNT(stiffness); ++k) {
        tarn_world *w = body_world_create(
            &(struct body_world){.gravity = 9.81, .awake = true}); // asleep at 2 cm/s, it would stop
        tarn_body_def def = brick(0.2, 0.2, 0.2, 2.0);
        def.position = v3(0, 4, 0);
        const tarn_body body = put(w, &def);
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

// A line hangs loose until it is taut, then never gets longer, and it only pulls.
static void lines_hold(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def def = ball(0.05, 1.0);
    def.position = v3(0.3, 6, 0);
    const tarn_body body = put(w, &def);
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
    // Thrown up, it is free again.
    tarn_motion m = motion_of(w, body);
    m.position = v3(0, 5.5, 0), m.velocity = v3(0, 2, 0);
    CHECK_OK(tarn_body_move(w, body, &m));
    run(w, 0.2);
    CHECK_NEAR(motion_of(w, body).position.y, 5.5 + 2 * 0.2 - 9.81 * 0.02, 1e-6);
    tarn_world_destroy(w);
}

// ---- grabs ----------------------------------------------------------------------------------------

// A line that is too short draws a ball into the floor that pushes it out: both move it, neither gives it
// speed.
static void lines_and_floors_do_not_fight(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .size = 8.0, .awake = true});
    tarn_body_def def = ball(0.3, 10.0);
    def.friction = 0.8, def.position = v3(0, 0.1, 0);
    const tarn_body body = put(w, &def);
    line(w, body, v3(0.1, 0.3, 0), v3(1.5, -0.6, 0), 0.5);
    double fastest = 0.0;
    for (int n = 0; n < 300; ++n) {
        run_steps(w, 1);
        fastest = fmax(fastest, v3_length(motion_of(w, body).velocity));
    }
    assert_true(fastest < 0.01);
    tarn_world_destroy(w);
}

// What is grabbed follows the hand and hangs from where it was taken.
static void grabbed_bodies_follow(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def def = brick(0.6, 0.2, 0.2, 5);
    def.position = v3(0, 0.1, 0);
    const tarn_body body = put(w, &def);
    run(w, 2.0); // asleep
    tarn_joint hand;
    CHECK_OK(tarn_body_grab(w, body, v3(0.3, 0.1, 0), &hand));
    for (int n = 0; n < 120; ++n) {
        CHECK_OK(tarn_joint_move(w, hand, v3(0.3 + n / 120.0, 0.1 + n / 60.0, 0)));
        run_steps(w, 1);
    }
    run(w, 10.0);
    const tarn_motion m = motion_of(w, body);
    const vec3 held = v3_add(m.position, quat_rotate(m.rotation, v3(0.3, 0, 0)));
    CHECK_NEAR(v3_length(v3_sub(held, v3(1.2917, 2.0833, 0))), 0.0981, 0.02); // m g/k of the hand's softness
    assert_true(quat_rotate(m.rotation, v3(1, 0, 0)).y > 0.8);                // it hangs by its end
    CHECK_OK(tarn_joint_remove(w, hand));
    run(w, 0.3);
    assert_true(motion_of(w, body).velocity.y < -2.0);
    assert_int_equal(tarn_joint_move(w, hand, v3(0, 0, 0)), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

// ---- ids and checkpoints --------------------------------------------------------------------------

static void joints_go_with_their_bodies(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body bodies[2];
    for (int i = 0; i < 2; ++i) {
        tarn_body_def def = ball(0.1, 1);
        def.position = v3(0, 3 - 0.5 * i, 0);
        bodies[i] = put(w, &def);
    }
    const tarn_joint top = pin(w, bodies[0], world_end, v3(0, 3.5, 0));
    const tarn_joint low = pin(w, bodies[1], bodies[0], v3(0, 2.75, 0));
    run(w, 1.0);
    CHECK_OK(tarn_body_remove(w, bodies[0]));
    assert_int_equal(tarn_joint_remove(w, top), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_joint_remove(w, low), TARN_BAD_ARGUMENT);
    run(w, 0.2);
    CHECK_NEAR(motion_of(w, bodies[1]).velocity.y, -9.81 * 0.2, 0.02); // it falls
    // New joints in the old places do not answer to the old names, and gone bodies cannot be fastened.
    const tarn_joint again = pin(w, bodies[1], world_end, v3(0, 3, 0));
    assert_int_equal(again.index, 0);
    assert_int_equal(tarn_joint_move(w, top, v3(0, 0, 0)), TARN_BAD_ARGUMENT);
    tarn_joint_def def = tarn_joint_def_default("ball");
    tarn_joint none;
    def.a = bodies[0];
    assert_int_equal(tarn_joint_create(w, &def, &none, NULL), TARN_BAD_ARGUMENT);
    def.a = bodies[1], def.b = bodies[0];
    assert_int_equal(tarn_joint_create(w, &def, &none, NULL), TARN_BAD_ARGUMENT);
    def.b = bodies[1];
    assert_int_equal(tarn_joint_create(w, &def, &none, NULL), TARN_BAD_INPUT);
    // Nor is there a joint nowhere.
    tarn_error err = {0};
    for (int k = 0; k < 4; ++k) {
        def = tarn_joint_def_default("line");
        def.a = bodies[1];
        *(k % 2 ? &def.to : &def.at) = v3(0, k < 2 ? NAN : 1.1e7, 0);
        assert_int_equal(tarn_joint_create(w, &def, &none, &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, k % 2 ? "to" : "at");
        assert_string_equal(err.text, "the point must be finite and within 1e7 m of the origin");
    }
    tarn_world_destroy(w);
}

// One of everything.
static tarn_world *machine(void)
{
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81, .size = 6});
    tarn_body b[4];
    for (int i = 0; i < 4; ++i) {
        tarn_body_def def = brick(0.4, 0.2, 0.2, 1.0 + i);
        def.position = v3(0.4 * i - 1.0, 2, 0.01 * i);
        b[i] = put(w, &def);
    }
    pin(w, b[0], world_end, v3(-1.2, 2, 0));
    hinge(w, b[1], b[0], v3(-0.8, 2, 0), v3(0, 0, 1), 3.0, 0.5);
    spring(w, b[2], v3(-0.2, 2, 0), v3(0, 3, 0), 80.0, 0.3);
    line(w, b[3], v3(0.4, 2, 0), v3(0, 2.5, 0), 1.2);
    tarn_joint gone = pin(w, b[3], b[2], v3(0.1, 2, 0));
    CHECK_OK(tarn_joint_remove(w, gone)); // a free place before the last
    tarn_joint hand;
    CHECK_OK(tarn_body_grab(w, b[3], v3(0.2, 2, 0), &hand));
    return w;
}

// Saved and loaded, joints go on to the bit, impulses and places included.
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

// ---- Newton's cradle ------------------------------------------------------------------------------

// The blow goes through to the last of five balls, side by side or a millimetre apart.
// A body of the caller's that is tied to the world and moves away: no impulse could hold it, and none grows.
static void joints_of_kinematic_bodies_have_no_force(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def d = fixture(0.5, 0.5, 0.5, (vec3){0, 2, 0});
    d.velocity = (vec3){3, 0, 0};
    const tarn_body id = put(w, &d);
    pin(w, id, world_end, (vec3){0.1, 2, 0});
    run(w, 1.0);
    const struct joint *j = w->bodies.dynamics->joints.slots[0].joint;
    for (int i = 0; i < JOINT_ROWS; ++i) assert_true(j->impulse[i] == 0.0);
    tarn_world_destroy(w);
}

static void cradle_transfers_momentum(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const double pitch = k ? 0.201 : 0.2, a = 0.5;
        tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
        tarn_body balls[5];
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

static int count_events(const tarn_world *w, tarn_event_kind kind, tarn_event *one)
{
    const tarn_event *events;
    const int n = tarn_world_events(w, &events);
    int found = 0;
    for (int i = 0; i < n; ++i)
        if (events[i].kind == kind) ++found, *one = events[i];
    return found;
}

// A ball that lands, comes to rest and is lifted: hits with m v (1 + e), one touch in the end, one part, and
// silence while it lies.
static void events_report_contacts(void **state)
{
    (void)state;
    tarn_world *w = body_world_create(&(struct body_world){.gravity = 9.81});
    tarn_body_def def = ball(0.1, 2.0);
    def.position = v3(0, 1.1, 0), def.restitution = 0.0;
    const tarn_body body = put(w, &def);
    tarn_event e = {0};
    int touches = 0, hits = 0, parts = 0;
    for (int n = 0; n < 180; ++n) {
        run_steps(w, 1);
        touches += count_events(w, TARN_TOUCH, &e), parts += count_events(w, TARN_PART, &e);
        hits += count_events(w, TARN_HIT, &e);
    }
    assert_int_equal(touches, 1);
    assert_int_equal(hits, 1);
    assert_int_equal(parts, 0);
    for (int n = 0; n < 120; ++n) { // resting, then asleep
        const tarn_event *events;
        run_steps(w, 1);
        assert_int_equal(tarn_world_events(w, &events), 0);
    }
    tarn_motion m = motion_of(w, body);
    m.position.y += 0.5;
    CHECK_OK(tarn_body_move(w, body, &m));
    for (int n = 0; n < 6; ++n) run_steps(w, 1), parts += count_events(w, TARN_PART, &e);
    assert_int_equal(parts, 1);
    tarn_world_destroy(w);
}

static void hits_have_their_impulse(void **state)
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
        const tarn_body body = put(w, &def), next = two ? put(w, &other) : world_end;
        tarn_event e = {0};
        for (int n = 0; n < 60 && !count_events(w, TARN_HIT, &e); ++n) run_steps(w, 1);
        const double v = two ? 4.0 : sqrt(2 * 9.81), mass = two ? 1.0 : 2.0; // reduced
        CHECK_NEAR(e.speed, v, 0.02 * v);
        CHECK_NEAR(e.impulse, mass * v * (1.0 + bounce), 0.05 * mass * v * (1.0 + bounce));
        CHECK_NEAR(two ? e.normal.x : e.normal.y, two ? 1.0 : -1.0, 1e-3); // from a to b
        assert_true(e.a.index == body.index && e.b.index == next.index && e.b.generation == next.generation);
        tarn_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulums_keep_time),
        cmocka_unit_test(chains_hold),
        cmocka_unit_test(hinges_keep_their_axis),
        cmocka_unit_test(motors_and_brakes),
        cmocka_unit_test(springs_keep_time),
        cmocka_unit_test(springs_stretch_by_hooke),
        cmocka_unit_test(lines_hold),
        cmocka_unit_test(lines_and_floors_do_not_fight),
        cmocka_unit_test(grabbed_bodies_follow),
        cmocka_unit_test(joints_go_with_their_bodies),
        cmocka_unit_test(joints_are_saved),
        cmocka_unit_test(joints_of_kinematic_bodies_have_no_force),
        cmocka_unit_test(cradle_transfers_momentum),
        cmocka_unit_test(events_report_contacts),
        cmocka_unit_test(hits_have_their_impulse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
