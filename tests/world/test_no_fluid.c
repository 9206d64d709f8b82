// Promises about the model without water.
#include "body_def.h"
#include "check.h"
#include "memory_stream.h"
#include "world_setup.h"

#include <tarn/tarn.h>

static tarn_world *dry_tank(int walls)
{
    struct world_setup def = world_setup(TARN_FLUID_DRY);
    tarn_world *w = NULL;
    tarn_error err = {0};
    def.fluid.dry.size = (tarn_vec2){6, 4};
    def.fluid.dry.walls = walls;
    CHECK_OK(setup_create(&def, &w, &err));
    return w;
}

static tarn_body_id drop(tarn_world *w, const char *shape, tarn_vec3 at, tarn_vec3 velocity)
{
    tarn_body_def def = body_def(shape);
    tarn_body_id body;
    def.position = at, def.velocity = velocity;
    CHECK_OK(tarn_body_create(w, &def, &body, NULL));
    return body;
}

static void run(tarn_world *w, int steps)
{
    for (int n = 0; n < steps; ++n) CHECK_OK(tarn_world_advance(w, 1.0 / 60.0));
}

static tarn_vec3 place(const tarn_world *w, tarn_body_id body)
{
    tarn_body_state m;
    CHECK_OK(tarn_body_get_state(w, body, &m));
    return m.position;
}

// A body in the air falls on an exact parabola, up to rounding.
static void bodies_without_water_fall_freely(void **state)
{
    (void)state;
    tarn_world *w = dry_tank(1);
    const tarn_body_id ball = drop(w, "sphere", (tarn_vec3){0.5, 100, -0.5}, (tarn_vec3){0.3, 0, 0});
    run(w, 120);
    const tarn_vec3 p = place(w, ball);
    CHECK_NEAR(p.y, 100.0 - 9.81 * 2.0 * 2.0 / 2.0, 1e-11); // 480 roundings of 100 m
    CHECK_NEAR(p.x, 0.5 + 0.3 * 2.0, 1e-13);
    tarn_load load;
    CHECK_OK(tarn_body_get_load(w, ball, &load));
    assert_true(load.force.y == 0.0 && load.submerged_volume == 0.0);
    tarn_world_destroy(w);
}

// User forces act for one step.
static void applied_forces_accelerate(void **state)
{
    (void)state;
    tarn_world *w = dry_tank(1);
    const tarn_body_id ball = drop(w, "sphere", (tarn_vec3){0, 50, 0}, (tarn_vec3){0, 0, 0});
    tarn_body_info info;
    tarn_body_state m;
    CHECK_OK(tarn_body_get_info(w, ball, &info));
    CHECK_OK(tarn_body_apply_force(w, ball, (tarn_vec3){60.0 * info.mass, 0, 0}, place(w, ball)));
    run(w, 2);
    CHECK_OK(tarn_body_get_state(w, ball, &m));
    CHECK_NEAR(m.velocity.x, 1.0, 1e-14);
    tarn_world_destroy(w);
}

// With walls a body stays in the domain; without them it leaves over the unbounded floor.
static void domains_without_walls_let_bodies_leave(void **state)
{
    (void)state;
    for (int walls = 0; walls <= 1; ++walls) {
        tarn_world *w = dry_tank(walls);
        const tarn_body_id ball = drop(w, "sphere", (tarn_vec3){0, 1, 0}, (tarn_vec3){10, 0, 0});
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

// Equal worlds have equal hashes, and a loaded world continues with the same bits.
static void loaded_world_without_water_continues_identically(void **state)
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

// The world is dry in queries, ledger and frame, and no water can be added.
static void none_model_is_dry_everywhere(void **state)
{
    (void)state;
    tarn_world *w = full_tank();
    tarn_frame frame = {0};
    tarn_emitter_def rain = tarn_default_emitter_def(TARN_EMITTER_RAIN);
    run(w, 30);
    const tarn_surface s = tarn_world_get_surface(w, 0.3, -0.2);
    assert_true(!s.wet && s.height == 0.0 && s.depth == 0.0 && s.normal.y == 1.0);
    const tarn_ledger l = tarn_world_get_ledger(w);
    assert_true(l.volume == 0.0 && l.volume_error == 0.0 && l.volume_submerged == 0.0 &&
                l.energy_water == 0.0);
    CHECK_OK(tarn_world_get_frame(w, 1.0, &frame));
    assert_non_null(frame.bed);
    CHECK_NEAR(frame.nx * frame.cell_size, 6.0, 1e-12);
    CHECK_NEAR(frame.nz * frame.cell_size, 4.0, 1e-12);
    for (int c = 0; c < frame.nx * frame.nz; ++c) assert_true(frame.height[c] == frame.bed[c]);
    assert_int_equal(tarn_emitter_create(w, &rain, NULL, NULL), TARN_BAD_INPUT);
    tarn_frame_free(&frame);
    tarn_world_destroy(w);
}

// The grid is coarse; sides without a common cell size are rejected with a reason.
static void domain_sides_need_a_common_cell_size(void **state)
{
    (void)state;
    static const struct {
        double x, z;
        int nx, nz;
    } sizes[] = {{4, 4, 2, 2},     {25.05, 10.02, 5, 2}, {3, 7, 3, 7},
                 {1e6, 1e6, 2, 2}, {0.01, 10, 0, 0},     {2, 3.14159265, 0, 0}};
    for (int k = 0; k < COUNT(sizes); ++k) {
        struct world_setup def = world_setup(TARN_FLUID_DRY);
        tarn_world *w = NULL;
        tarn_error err = {0};
        def.fluid.dry.size = (tarn_vec2){sizes[k].x, sizes[k].z};
        const tarn_result r = setup_create(&def, &w, &err);
        const tarn_world_status status = tarn_world_get_status(w);
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
        cmocka_unit_test(bodies_without_water_fall_freely),
        cmocka_unit_test(applied_forces_accelerate),
        cmocka_unit_test(domains_without_walls_let_bodies_leave),
        cmocka_unit_test(loaded_world_without_water_continues_identically),
        cmocka_unit_test(none_model_is_dry_everywhere),
        cmocka_unit_test(domain_sides_need_a_common_cell_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
