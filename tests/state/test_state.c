// Snapshots, clones and differences of states, in every fluid model: going back and going on again gives the
// same bits.
#include "body_def.h"
#include "check.h"
#include "world_setup.h"

#include <tarn/command.h>
#include <tarn/tarn.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 2.0 // [m] of the domain, both ways
#define CELLS 24
#define DT    (1.0 / 60.0)

static bool is_planar(const char *model) { return strcmp(model, "flow") == 0; }
static bool is_prescribed(const char *model) { return strcmp(model, "ocean") == 0; }
static bool is_dry(const char *model) { return strcmp(model, "none") == 0; }

static tarn_vec3 place(const char *model, double x, double y)
{
    if (is_planar(model)) return (tarn_vec3){0.5 * WIDTH + x, 0.5 * WIDTH + y, 0.0};
    return (tarn_vec3){x, 1.1, y};
}

static tarn_body_id add_body(tarn_world *w, const char *model, double x, double y)
{
    tarn_body_def def = body_def(is_planar(model) ? "circle" : "sphere");
    tarn_body_id body;
    tarn_error err = {0};
    CHECK_OK(set_shape(&def, "radius", tarn_value_number(0.15), &err));
    def.density = 600.0, def.position = place(model, x, y);
    if (tarn_body_create(w, &def, &body, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return body;
}

static void add_emitter(tarn_world *w, const char *model)
{
    tarn_error err = {0};
    if (is_dry(model) || is_prescribed(model)) return;
    const tarn_emitter_def def =
        tarn_default_emitter_def(is_planar(model) ? TARN_EMITTER_SOURCE : TARN_EMITTER_RAIN);
    if (tarn_emitter_create(w, &def, NULL, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
}

// Two bodies tied together, a third one, and an emitter.
static tarn_world *create_world(const char *model, double depth)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w = NULL;
    tarn_error err = {0};
    set_size(&def.fluid, WIDTH, WIDTH);
    set_cells(&def.fluid, CELLS, CELLS); // `none` has no grid
    set_depth(&def.fluid, depth);
    CHECK_OK(setup_create(&def, &w, &err));
    tarn_joint_def joint = tarn_default_joint_def(TARN_JOINT_SPRING);
    tarn_joint_id id;
    joint.body_a = add_body(w, model, -0.5, -0.3), joint.body_b = add_body(w, model, 0.0, -0.3);
    joint.anchor_a = place(model, -0.5, -0.3), joint.anchor_b = place(model, 0.0, -0.3);
    if (tarn_joint_create(w, &joint, &id, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    add_body(w, model, 0.4, 0.2);
    add_emitter(w, model);
    return w;
}

static void run(tarn_world *w, int steps)
{
    for (int n = 0; n < steps; ++n) CHECK_OK(tarn_world_advance(w, DT));
}

// What a program may do before it goes back: bodies and emitters come and go, parameters change.
static void disturb(tarn_world *w, const char *model)
{
    CHECK_OK(tarn_body_destroy(w, tarn_body_at(w, 0)));
    add_body(w, model, 0.6, -0.6);
    add_body(w, model, -0.6, 0.5);
    CHECK_OK(tarn_body_destroy(w, tarn_body_at(w, 1)));
    add_emitter(w, model);
    CHECK_OK(tarn_world_set_param(w, "run.collisions", tarn_value_flag(0), NULL));
    tarn_world_set_param(w, "fluid.damping", tarn_value_number(0.5), NULL);
    tarn_world_set_param(w, "bodies[0].thruster.force", tarn_value_number(10.0), NULL);
    run(w, 3);
}

static unsigned char *snapshot_of(const tarn_world *w, size_t *size)
{
    *size = tarn_world_snapshot(w, NULL, 0);
    unsigned char *buffer = malloc(*size);
    assert_non_null(buffer);
    assert_int_equal(tarn_world_snapshot(w, buffer, *size), *size);
    return buffer;
}

// ---- snapshots --------------------------------------------------------------------------------------

static void going_back_and_on_gives_the_same_bits(void **state)
{
    (void)state;
    const tarn_kind *kind;
    for (int m = 0; (kind = tarn_kind_at("fluid", m)); ++m)
        for (int before = 0; before < 7; before += 3) {
            tarn_world *w = create_world(kind->name, 1.0);
            size_t size;
            run(w, before);
            const tarn_body_id first = tarn_body_at(w, 0);
            const uint64_t start = tarn_world_hash(w);
            unsigned char *buffer = snapshot_of(w, &size);
            assert_true(tarn_world_hash(w) == start);
            run(w, 5);
            const uint64_t end = tarn_world_hash(w);
            for (int times = 0; times < 2; ++times) {
                disturb(w, kind->name);
                CHECK_OK(tarn_world_restore(w, buffer, size, NULL));
                if (tarn_world_hash(w) != start) fail_msg("%s: another state is back", kind->name);
                tarn_body_state motion;
                CHECK_OK(tarn_body_get_state(w, first, &motion)); // was removed meanwhile
                run(w, 5);
                if (tarn_world_hash(w) != end) fail_msg("%s: it goes on otherwise", kind->name);
            }
            free(buffer);
            tarn_world_destroy(w);
        }
}

// Rolling back by one step in every step, as a game over a network does.
static void a_step_back_in_every_step_changes_nothing(void **state)
{
    (void)state;
    const tarn_kind *kind;
    for (int m = 0; (kind = tarn_kind_at("fluid", m)); ++m) {
        tarn_world *w = create_world(kind->name, 1.0), *other = create_world(kind->name, 1.0);
        for (int n = 0; n < 8; ++n) {
            size_t size;
            unsigned char *buffer = snapshot_of(w, &size);
            run(w, 1);
            CHECK_OK(tarn_world_restore(w, buffer, size, NULL));
            run(w, 1);
            run(other, 1);
            free(buffer);
        }
        if (tarn_world_hash(w) != tarn_world_hash(other)) fail_msg("%s: rolling back matters", kind->name);
        tarn_world_destroy(w);
        tarn_world_destroy(other);
    }
}

static int event_count(const tarn_world *w)
{
    const tarn_events e = tarn_world_get_events(w);
    return e.contacts_begun_count + e.contacts_ended_count + e.hit_count + e.sensors_entered_count +
           e.sensors_left_count + e.water_entered_count + e.water_left_count + e.move_count +
           e.joints_broken_count;
}

static tarn_world *create_empty(const char *model)
{
    tarn_world *w = create_world(model, 1.0);
    while (tarn_world_get_status(w).body_count > 0) CHECK_OK(tarn_body_destroy(w, tarn_body_at(w, 0)));
    return w;
}

// Three states of a world: without bodies, with other bodies and joints, and long after.
#define STATES 3
static tarn_world *create_states(const char *model, unsigned char *buffers[STATES], size_t sizes[STATES],
                                 uint64_t hashes[STATES], uint64_t later[STATES])
{
    tarn_world *w = create_empty(model);
    for (int k = 0; k < STATES; ++k) {
        if (k == 1) {
            tarn_joint_def joint = tarn_default_joint_def(TARN_JOINT_BALL);
            joint.body_a = add_body(w, model, -0.2, 0.0), joint.body_b = add_body(w, model, 0.05, 0.1);
            joint.anchor_a = place(model, 0.0, 0.0);
            add_body(w, model, 0.5, 0.0);
            CHECK_OK(tarn_joint_create(w, &joint, NULL, NULL));
        }
        if (k == 2) disturb(w, model);
        run(w, 4);
        hashes[k] = tarn_world_hash(w);
        buffers[k] = snapshot_of(w, &sizes[k]);
        run(w, 3);
        later[k] = tarn_world_hash(w);
        CHECK_OK(tarn_world_restore(w, buffers[k], sizes[k], NULL));
    }
    return w;
}

// A restored state does not depend on the states before it.
static void every_order_of_states_gives_the_same_bits(void **state)
{
    (void)state;
    const tarn_kind *kind;
    for (int m = 0; (kind = tarn_kind_at("fluid", m)); ++m) {
        unsigned char *buffers[STATES];
        size_t sizes[STATES];
        uint64_t hashes[STATES], later[STATES];
        tarn_world *w = create_states(kind->name, buffers, sizes, hashes, later);
        for (int from = 0; from < STATES; ++from)
            for (int to = 0; to < STATES; ++to) {
                CHECK_OK(tarn_world_restore(w, buffers[from], sizes[from], NULL));
                run(w, from);
                CHECK_OK(tarn_world_restore(w, buffers[to], sizes[to], NULL));
                assert_int_equal(event_count(w), 0);
                if (tarn_world_hash(w) != hashes[to]) fail_msg("%s: %d after %d", kind->name, to, from);
                size_t size; // the same state has the same snapshot
                unsigned char *again = snapshot_of(w, &size);
                assert_int_equal(size, sizes[to]);
                free(again);
                run(w, 3);
                if (tarn_world_hash(w) != later[to])
                    fail_msg("%s: %d goes on otherwise after %d", kind->name, to, from);
            }
        for (int k = 0; k < STATES; ++k) free(buffers[k]);
        tarn_world_destroy(w);
    }
}

static void restores_keep_their_memory(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow", 1.0);
    size_t size;
    unsigned char *buffer = snapshot_of(w, &size);
    uint64_t bytes = 0;
    for (int n = 0; n < 6; ++n) {
        run(w, 1);
        CHECK_OK(tarn_world_restore(w, buffer, size, NULL));
        if (n == 1) bytes = tarn_world_get_counters(w).bytes; // both copies of the state have been used
    }
    assert_true(tarn_world_get_counters(w).bytes == bytes);
    free(buffer);
    tarn_world_destroy(w);
}

// A body that was never away keeps its mesh, to which frames point.
static void frames_outlive_a_restore(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow", 1.0);
    tarn_frame frame = {0}, after = {0};
    size_t size;
    unsigned char *buffer = snapshot_of(w, &size);
    CHECK_OK(tarn_world_get_frame(w, 1.0, &frame));
    run(w, 2);
    CHECK_OK(tarn_world_restore(w, buffer, size, NULL));
    CHECK_OK(tarn_world_get_frame(w, 1.0, &after));
    for (int i = 0; i < frame.body_count; ++i) assert_ptr_equal(frame.bodies[i].mesh, after.bodies[i].mesh);
    tarn_frame_free(&frame);
    tarn_frame_free(&after);
    free(buffer);
    tarn_world_destroy(w);
}

static void foreign_buffers_are_refused_and_change_nothing(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow", 1.0), *wave = create_world("wave", 1.0),
               *deep = create_world("shallow", 2.0);
    size_t size, wave_size, deep_size;
    unsigned char *buffer = snapshot_of(w, &size), *foreign = snapshot_of(wave, &wave_size);
    const uint64_t hash = tarn_world_hash(w);
    assert_int_equal(tarn_world_restore(w, foreign, wave_size, NULL), TARN_BAD_INPUT);
    free(foreign);
    foreign = snapshot_of(deep, &deep_size);
    assert_int_equal(tarn_world_restore(w, foreign, deep_size, NULL), TARN_BAD_INPUT);
    assert_int_equal(tarn_world_restore(w, buffer, size - 1, NULL), TARN_BAD_INPUT);
    assert_int_equal(tarn_world_restore(w, buffer, 10, NULL), TARN_BAD_INPUT);
    assert_int_equal(tarn_world_restore(w, NULL, size, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_restore(NULL, buffer, size, NULL), TARN_BAD_ARGUMENT);
    buffer[3] ^= 1;
    assert_int_equal(tarn_world_restore(w, buffer, size, NULL), TARN_BAD_INPUT);
    assert_true(tarn_world_hash(w) == hash);
    assert_int_equal(tarn_world_snapshot(w, buffer, size / 2), size); // too small: says how much it takes
    assert_int_equal(tarn_world_snapshot(NULL, buffer, size), 0);
    free(buffer);
    free(foreign);
    tarn_world_destroy(w);
    tarn_world_destroy(wave);
    tarn_world_destroy(deep);
}

// ---- clones -----------------------------------------------------------------------------------------

static void clones_go_on_alike(void **state)
{
    (void)state;
    const tarn_kind *kind;
    for (int m = 0; (kind = tarn_kind_at("fluid", m)); ++m) {
        tarn_world *w = create_world(kind->name, 1.0), *clone = NULL;
        run(w, 4);
        CHECK_OK(tarn_world_clone(w, NULL, &clone, NULL));
        assert_true(tarn_world_hash(clone) == tarn_world_hash(w));
        run(w, 4);
        run(clone, 4);
        if (tarn_world_hash(clone) != tarn_world_hash(w))
            fail_msg("%s: the clone goes elsewhere", kind->name);
        disturb(clone, kind->name);
        CHECK_OK(tarn_world_copy_state(clone, w, NULL));
        run(w, 3);
        run(clone, 3);
        if (tarn_world_hash(clone) != tarn_world_hash(w)) fail_msg("%s: so does the copy", kind->name);
        size_t size; // snapshots go from one to the other
        unsigned char *buffer = snapshot_of(w, &size);
        run(clone, 2);
        CHECK_OK(tarn_world_restore(clone, buffer, size, NULL));
        assert_true(tarn_world_hash(clone) == tarn_world_hash(w));
        free(buffer);
        tarn_world_destroy(clone);
        tarn_world_destroy(w);
    }
}

// ---- differences ------------------------------------------------------------------------------------

static void the_first_difference_is_named(void **state)
{
    (void)state;
    const tarn_kind *kind;
    for (int m = 0; (kind = tarn_kind_at("fluid", m)); ++m) {
        tarn_world *w = create_world(kind->name, 1.0), *clone = NULL;
        tarn_difference d;
        run(w, 2);
        CHECK_OK(tarn_world_clone(w, NULL, &clone, NULL));
        CHECK_OK(tarn_world_diff(w, clone, &d));
        assert_string_equal(d.part, "");
        const tarn_hash_parts a = tarn_world_hash_parts(w), b = tarn_world_hash_parts(clone);
        assert_memory_equal(&a, &b, sizeof a);
        CHECK_OK(tarn_world_set_param(clone, "run.collisions", tarn_value_flag(0), NULL));
        CHECK_OK(tarn_world_diff(w, clone, &d));
        assert_string_equal(d.part, "world");
        tarn_body_state motion;
        CHECK_OK(tarn_body_get_state(clone, tarn_body_at(clone, 2), &motion));
        motion.velocity.x += 0.25;
        CHECK_OK(tarn_body_set_state(clone, tarn_body_at(clone, 2), &motion));
        CHECK_OK(tarn_world_diff(w, clone, &d));
        assert_string_equal(d.part, "body velocity x");
        assert_int_equal(d.index[0], 2);
        CHECK_NEAR(d.values[1] - d.values[0], 0.25, 1e-12);
        CHECK_OK(tarn_body_destroy(clone, tarn_body_at(clone, 1)));
        tarn_world_diff(w, clone, &d);
        assert_true(d.part[0] != 0);
        tarn_world_destroy(clone);
        tarn_world_destroy(w);
    }
}

static void the_cell_that_differs_is_named(void **state)
{
    (void)state;
    tarn_world *w = create_world("shallow", 1.0), *clone = NULL, *wave = create_world("wave", 1.0);
    tarn_difference d;
    static tarn_column columns[CELLS * CELLS];
    for (int c = 0; c < CELLS * CELLS; ++c) columns[c].height = 1.0;
    CHECK_OK(tarn_water_set_fields(w, columns, NULL));
    CHECK_OK(tarn_world_clone(w, NULL, &clone, NULL));
    columns[5 * CELLS + 20].height = 1.5;
    CHECK_OK(tarn_water_set_fields(clone, columns, NULL));
    CHECK_OK(tarn_world_diff(w, clone, &d));
    assert_string_equal(d.part, "height");
    assert_int_equal(d.index[0], 20);
    assert_int_equal(d.index[1], 5);
    CHECK_NEAR(d.values[0], 1.0, 1e-6);
    CHECK_NEAR(d.values[1], 1.5, 1e-6);
    assert_int_equal(tarn_world_diff(w, wave, &d), TARN_BAD_INPUT);
    assert_int_equal(tarn_world_diff(w, NULL, &d), TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
    tarn_world_destroy(clone);
    tarn_world_destroy(wave);
}

// Changes of one part each.
static void change_height(tarn_world *w)
{
    const double depth = 1.25;
    const tarn_cell_rect cell = {7, 3, 1, 1};
    CHECK_OK(tarn_world_write_field(w, TARN_FIELD_DEPTH, &cell, NULL, &depth, NULL));
}
static void change_velocity(tarn_world *w)
{
    const double speed = 0.125;
    const tarn_cell_rect cell = {7, 3, 1, 1};
    CHECK_OK(tarn_world_write_field(w, TARN_FIELD_VELOCITY_X, &cell, NULL, &speed, NULL));
}
static void change_bed(tarn_world *w)
{
    const double height = 0.25;
    const tarn_cell_rect cell = {7, 3, 1, 1};
    CHECK_OK(tarn_bed_edit(w, &cell, TARN_BED_SET, NULL, &height, NULL));
}
static void change_dye(tarn_world *w)
{
    const double dye = 0.5;
    const tarn_cell_rect cell = {7, 3, 1, 1};
    CHECK_OK(tarn_world_write_field(w, TARN_FIELD_DYE, &cell, NULL, &dye, NULL));
}
static void move_body(tarn_world *w)
{
    tarn_body_state s;
    CHECK_OK(tarn_body_get_state(w, tarn_body_at(w, 2), &s));
    s.position.y += 0.01;
    CHECK_OK(tarn_body_set_state(w, tarn_body_at(w, 2), &s));
}
static void remove_body(tarn_world *w) { CHECK_OK(tarn_body_destroy(w, tarn_body_at(w, 2))); }
static void change_friction(tarn_world *w)
{
    CHECK_OK(tarn_world_set_param(w, "bodies[2].friction", tarn_value_number(0.9), NULL));
}
static void remove_joint(tarn_world *w)
{
    tarn_joint_id joint;
    assert_int_equal(tarn_world_get_joints(w, &joint, 1), 1);
    CHECK_OK(tarn_joint_destroy(w, joint));
}
static void add_rain(tarn_world *w) { add_emitter(w, "shallow"); }
static void change_rain(tarn_world *w)
{
    CHECK_OK(tarn_world_set_param(w, "emitters[0].rate", tarn_value_number(1e-3), NULL));
}
static void change_friction_of_bed(tarn_world *w)
{
    CHECK_OK(tarn_world_set_param(w, "fluid.manning", tarn_value_number(0.05), NULL));
}
static void change_hit_speed(tarn_world *w)
{
    tarn_world_settings s = tarn_world_get_settings(w);
    s.hit_speed = 3.0;
    CHECK_OK(tarn_world_set_settings(w, &s, NULL));
}
static void move_obstacle(tarn_world *w)
{
    tarn_obstacle_id id;
    tarn_obstacle_def def;
    assert_int_equal(tarn_world_get_obstacles(w, &id, 1), 1);
    CHECK_OK(tarn_obstacle_get_def(w, id, &def));
    def.motion.velocity.x += 0.1; // from the next step on
    CHECK_OK(tarn_obstacle_set_motion(w, id, &def.motion, NULL));
}
static void add_obstacle(tarn_world *w)
{
    tarn_obstacle_def def = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);
    def.motion.position = (tarn_vec2){0.35, 1.6};
    def.circle.radius = 0.1;
    CHECK_OK(tarn_obstacle_create(w, &def, NULL, NULL));
}

// Every part of a state: what is changed is named.
static void every_changed_part_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        void (*change)(tarn_world *w);
        const char *part;
        int index; // of the cell along x, the body or the joint
    } cases[] = {
        {"shallow", change_height, "height", 7},
        {"shallow", change_velocity, "velocity x", 6}, // the cell west of it has a face in common
        {"shallow", change_bed, "bed", 7},
        {"none", move_body, "body position y", 2},
        {"none", remove_body, "body", 2},
        {"none", change_friction, "bodies", -1},
        {"none", remove_joint, "joint", 0},
        {"shallow", add_rain, "emitters", -1},
        {"shallow", change_rain, "emitters", -1},
        {"shallow", change_friction_of_bed, "world", -1},
        {"none", change_hit_speed, "world", -1},
        {"flow", change_dye, "dye", 7},
        {"flow", add_obstacle, "obstacles", -1},
        {"flow", move_obstacle, "obstacles", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tarn_world *w = create_world(cases[i].model, 1.0), *clone = NULL;
        tarn_difference d;
        if (cases[i].change == move_obstacle) add_obstacle(w);
        CHECK_OK(tarn_world_clone(w, NULL, &clone, NULL));
        cases[i].change(clone);
        CHECK_OK(tarn_world_diff(w, clone, &d));
        if (strcmp(d.part, cases[i].part) != 0)
            fail_msg("case %zu: '%s' instead of '%s'", i, d.part, cases[i].part);
        if (cases[i].index >= 0) assert_int_equal(d.index[0], cases[i].index);
        tarn_world_destroy(w);
        tarn_world_destroy(clone);
    }
}

// ---- many worlds ------------------------------------------------------------------------------------

// Runs tasks in reverse order, which must not matter.
static void run_reversed(void *ctx, tarn_task_fn task, void *arg, int count)
{
    *(int *)ctx += 1;
    for (int i = count - 1; i >= 0; --i) task(arg, i);
}

static void many_worlds_step_as_each_alone(void **state)
{
    (void)state;
    enum { WORLDS = 12 };
    static const char *const models[] = {"wave", "shallow", "none"};
    tarn_world *alone[WORLDS], *together[WORLDS];
    tarn_result results[WORLDS];
    int calls = 0;
    const tarn_task_system tasks = {run_reversed, &calls};
    for (int i = 0; i < WORLDS; ++i) {
        alone[i] = create_world(models[i % 3], 1.0 + 0.01 * i);
        together[i] = create_world(models[i % 3], 1.0 + 0.01 * i);
    }
    for (int n = 0; n < 4; ++n) {
        CHECK_OK(tarn_worlds_advance(together, WORLDS, DT, n % 2 ? &tasks : NULL, results));
        for (int i = 0; i < WORLDS; ++i) run(alone[i], 1);
    }
    assert_int_equal(calls, 2);
    for (int i = 0; i < WORLDS; ++i) {
        assert_int_equal(results[i], TARN_OK);
        assert_true(tarn_world_hash(alone[i]) == tarn_world_hash(together[i]));
    }
    assert_int_equal(tarn_worlds_advance(together, WORLDS, -1.0, NULL, results), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_worlds_advance(NULL, 1, DT, NULL, NULL), TARN_BAD_ARGUMENT);
    for (int i = 0; i < WORLDS; ++i) tarn_world_destroy(alone[i]), tarn_world_destroy(together[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_back_and_on_gives_the_same_bits),
        cmocka_unit_test(a_step_back_in_every_step_changes_nothing),
        cmocka_unit_test(every_order_of_states_gives_the_same_bits),
        cmocka_unit_test(restores_keep_their_memory),
        cmocka_unit_test(frames_outlive_a_restore),
        cmocka_unit_test(foreign_buffers_are_refused_and_change_nothing),
        cmocka_unit_test(clones_go_on_alike),
        cmocka_unit_test(the_first_difference_is_named),
        cmocka_unit_test(the_cell_that_differs_is_named),
        cmocka_unit_test(every_changed_part_is_named),
        cmocka_unit_test(many_worlds_step_as_each_alone),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
