// Promises about the model without water.
#include "check.h"
#include "memory_stream.h"

#include <tarn/tarn.h>

static tarn_world *dry_tank(int walls)
{
    tarn_world_def def = tarn_world_def_default("none");
    tarn_world *w = NULL;
    tarn_error err = {0};
    CHECK_OK(tarn_spec_set(&def.fluid, "size", tarn_pair(6, 4), &err));
    CHECK_OK(tarn_spec_set(&def.fluid, "walls", tarn_flag(walls), &err));
    CHECK_OK(tarn_world_create(&def, &w, &err));
    return w;
}

static tarn_body drop(tarn_world *w, const char *shape, tarn_vec3 at, tarn_vec3 velocity)
{
    tarn_body_def def = tarn_body_def_default(shape);
    tarn_body body;
    def.position = at, def.velocity = velocity;
    CHECK_OK(tarn_body_create(w, &def, &body, NULL));
    return body;
}

static void run(tarn_world *w, int steps)
{
    for (int n = 0; n < steps; ++n) CHECK_OK(tarn_world_step(w, 1.0 / 60.0));
}

static tarn_vec3 place(const tarn_world *w, tarn_body body)
{
    tarn_motion m;
    CHECK_OK(tarn_body_motion(w, body, &m));
    return m.position;
}

// A body in the air falls as Galileo's do: on a parabola, but for rounding.
static void falls_freely(void **state)
{
    (void)state;
    tarn_world *w = dry_tank(1);
    const tarn_body ball = drop(w, "sphere", (tarn_vec3){0.5, 100, -0.5}, (tarn_vec3){0.3, 0, 0});
    run(w, 120);
    const tarn_vec3 p = place(w, ball);
    CHECK_NEAR(p.y, 100.0 - 9.81 * 2.0 * 2.0 / 2.0, 1e-11); // 480 roundings of 100 m
    CHECK_NEAR(p.x, 0.5 + 0.3 * 2.0, 1e-13);
    tarn_load load;
    CHECK_OK(tarn_body_load(w, ball, &load));
    assert_true(load.force.y == 0.0 && load.submerged_volume == 0.0);
    tarn_world_destroy(w);
}

// What the caller pushes with acts, once.
static void applied_forces_accelerate(void **state)
{
    (void)state;
    tarn_world *w = dry_tank(1);
    const tarn_body ball = drop(w, "sphere", (tarn_vec3){0, 50, 0}, (tarn_vec3){0, 0, 0});
    tarn_body_facts facts;
    tarn_motion m;
    CHECK_OK(tarn_body_facts_of(w, ball, &facts));
    CHECK_OK(tarn_body_push(w, ball, (tarn_vec3){60.0 * facts.mass, 0, 0}, place(w, ball)));
    run(w, 2);
    CHECK_OK(tarn_body_motion(w, ball, &m));
    CHECK_NEAR(m.velocity.x, 1.0, 1e-14);
    tarn_world_destroy(w);
}

// With walls a body stays in the tank; without them it leaves, over a floor that goes on.
static void walls_are_a_choice(void **state)
{
    (void)state;
    for (int walls = 0; walls <= 1; ++walls) {
        tarn_world *w = dry_tank(walls);
        const tarn_body ball = drop(w, "sphere", (tarn_vec3){0, 1, 0}, (tarn_vec3){10, 0, 0});
        run(w, 120);
        const tarn_vec3 p = place(w, ball);
        assert_true(walls ? p.x < 3.0 : p.x > 3.0);
        assert_true(p.y > 0.0);
        tarn_world_destroy(w);
    }
}

static tarn_world *full_tank(void)
{
    tarn_world *w = dry_tank(1);
    for (int i = 0; i < 4; ++i)
        drop(w, i % 2 ? "box" : "sphere", (tarn_vec3){0.1 * i, 1.0 + 1.5 * i, 0.05 * i},
             (tarn_vec3){1, 0, 0.2});
    return w;
}

// Equal worlds have equal hashes, and one that was saved goes on to the bit.
static void goes_on_to_the_bit(void **state)
{
    (void)state;
    tarn_world *one = full_tank(), *two = full_tank(), *three = NULL;
    static struct memory_stream file;
    run(one, 60);
    file.size = file.at = 0;
    CHECK_OK(tarn_world_save(one, stream_write, &file));
    CHECK_OK(tarn_world_load(stream_read, &file, NULL, &three, NULL));
    run(one, 60);
    run(two, 120);
    run(three, 60);
    assert_true(tarn_world_hash(one) == tarn_world_hash(two));
    assert_true(tarn_world_hash(one) == tarn_world_hash(three));
    tarn_world_destroy(one);
    tarn_world_destroy(two);
    tarn_world_destroy(three);
}

// Everywhere dry, in queries, ledger and frame, and nothing can be poured in.
static void has_no_water(void **state)
{
    (void)state;
    tarn_world *w = full_tank();
    tarn_frame frame = {0};
    tarn_spec rain;
    run(w, 30);
    const tarn_surface s = tarn_water_at(w, 0.3, -0.2);
    assert_true(!s.wet && s.height == 0.0 && s.depth == 0.0 && s.normal.y == 1.0);
    const tarn_ledger l = tarn_world_ledger(w);
    assert_true(l.volume == 0.0 && l.volume_drift == 0.0 && l.submerged == 0.0 && l.energy_water == 0.0);
    CHECK_OK(tarn_world_frame(w, 1.0, &frame));
    assert_non_null(frame.bed);
    CHECK_NEAR(frame.nx * frame.dx, 6.0, 1e-12);
    CHECK_NEAR(frame.nz * frame.dx, 4.0, 1e-12);
    for (int c = 0; c < frame.nx * frame.nz; ++c) assert_true(frame.height[c] == frame.bed[c]);
    CHECK_OK(tarn_spec_init(&rain, "emitter", "rain", NULL));
    assert_int_equal(tarn_emitter_create(w, &rain, NULL), TARN_BAD_INPUT);
    tarn_frame_free(&frame);
    tarn_world_destroy(w);
}

// The grid is coarse, and sides without a common measure are refused with a reason.
static void any_round_size(void **state)
{
    (void)state;
    static const struct {
        double x, z;
        int nx, nz;
    } sizes[] = {{4, 4, 2, 2},     {25.05, 10.02, 5, 2}, {3, 7, 3, 7},
                 {1e6, 1e6, 2, 2}, {0.01, 10, 0, 0},     {2, 3.14159265, 0, 0}};
    for (int k = 0; k < COUNT(sizes); ++k) {
        tarn_world_def def = tarn_world_def_default("none");
        tarn_world *w = NULL;
        tarn_error err = {0};
        CHECK_OK(tarn_spec_set(&def.fluid, "size", tarn_pair(sizes[k].x, sizes[k].z), &err));
        const tarn_result r = tarn_world_create(&def, &w, &err);
        const tarn_status status = tarn_world_status(w);
        assert_int_equal(r, sizes[k].nx ? TARN_OK : TARN_BAD_INPUT);
        assert_int_equal(status.cells[0], sizes[k].nx);
        assert_int_equal(status.cells[1], sizes[k].nz);
        if (r != TARN_OK) assert_string_equal(err.key, "size");
        tarn_world_destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_freely),       cmocka_unit_test(applied_forces_accelerate),
        cmocka_unit_test(walls_are_a_choice), cmocka_unit_test(goes_on_to_the_bit),
        cmocka_unit_test(has_no_water),       cmocka_unit_test(any_round_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
