// The bed at run time: heights are read as written, volumes follow the ledger to the bit, bodies and water
// move with it.
#include "query_world.h"

enum { CELLS = 48, VALUES = CELLS * CELLS };

static const char *const fluids[] = {"shallow", "implicit"};
static const tarn_cell_rect rect = {14, 20, 16, 12};
enum { NI = 16, NJ = 12 };

static void read_all(const tarn_world *w, tarn_field field, double *out)
{
    CHECK_OK(tarn_world_read_field(w, field, NULL, NULL, out));
}

static void edit(tarn_world *w, uint32_t mode, const double *heights)
{
    tarn_error err = {0};
    if (tarn_bed_edit(w, &rect, mode, NULL, heights, &err) != TARN_OK)
        fail_msg("%s: %s", err.key, err.message);
}

static void add_everywhere(tarn_world *w, uint32_t mode, double height)
{
    const tarn_array_layout repeat = {TARN_DOUBLE, 0, 0};
    CHECK_OK(tarn_bed_edit(w, &rect, mode | TARN_BED_ADD, &repeat, &height, NULL));
}

// -0.1 .. 0.9: under the water of 1 m, over a pit of 0.1 m.
static void make_hills(double *heights)
{
    for (int c = 0; c < NI * NJ; ++c) heights[c] = tarn_random(3, 1, (uint64_t)c) - 0.1;
}

static int index_of(int c) { return (rect.j0 + c / NI) * CELLS + rect.i0 + c % NI; }

// ---- the ground -------------------------------------------------------------------------------------

// Cells, the points at their centres, and rays at the ground agree with what was written; the rest stays.
static void heights_are_read_as_written(void **state)
{
    (void)state;
    static double hills[NI * NJ], before[VALUES], after[VALUES];
    make_hills(hills);
    for (int m = 0; m < 2; ++m) {
        tarn_world *w = create_hills(0, fluids[m]);
        read_all(w, TARN_FIELD_BED, before);
        edit(w, TARN_BED_SET, hills);
        read_all(w, TARN_FIELD_BED, after);
        for (int c = 0; c < NI * NJ; ++c) {
            const double x = (rect.i0 + c % NI + 0.5) * WIDTH / CELLS - 0.5 * WIDTH,
                         z = (rect.j0 + c / NI + 0.5) * WIDTH / CELLS - 0.5 * WIDTH;
            double point;
            CHECK_OK(tarn_bed_get_heights(w, 1, &x, &z, &point));
            CHECK_NEAR(after[index_of(c)], hills[c], 2e-6); // a quantum is 2^-20 m at most
            CHECK_NEAR(point, hills[c], 2e-6);
            CHECK_NEAR(cast(w, v3(x, 5, z), v3(0, -10, 0), TARN_HIT_BED).point.y, hills[c], 1e-5);
            before[index_of(c)] = after[index_of(c)];
        }
        assert_memory_equal(before, after, sizeof after);
        edit(w, TARN_BED_ADD, hills);
        read_all(w, TARN_FIELD_BED, after);
        for (int c = 0; c < NI * NJ; ++c) CHECK_NEAR(after[index_of(c)], 2.0 * hills[c], 2e-6);
        const double outside[2] = {16, NAN}, z[2] = {0, 0};
        double heights[2];
        CHECK_OK(tarn_bed_get_heights(w, 2, outside, z, heights));
        assert_true(isnan(heights[0]) && isnan(heights[1]));
        tarn_world_destroy(w);
    }
}

// Raising and lowering by the same amount restores the bed to the bit.
static void opposite_changes_cancel(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m)
        for (uint32_t keep = 0; keep <= TARN_BED_KEEP_SURFACE; keep += TARN_BED_KEEP_SURFACE) {
            tarn_world *w = create_hills(0, fluids[m]);
            const double deep = 0.25;
            const tarn_array_layout repeat = {TARN_DOUBLE, 0, 0};
            CHECK_OK(tarn_bed_edit(w, NULL, TARN_BED_KEEP_SURFACE, &repeat, &deep, NULL)); // depths below 1 m
            const uint64_t hash = tarn_world_hash(w);
            add_everywhere(w, keep, 0.125);
            assert_true(tarn_world_hash(w) != hash);
            add_everywhere(w, keep, -0.125);
            assert_true(tarn_world_hash(w) == hash);
            tarn_world_destroy(w);
        }
}

// ---- the water --------------------------------------------------------------------------------------

// The water moves with the ground: depths and volume stay to the bit.
static void water_moves_with_the_ground(void **state)
{
    (void)state;
    static double hills[NI * NJ], before[VALUES], after[VALUES];
    make_hills(hills);
    for (int m = 0; m < 2; ++m) {
        tarn_world *w = create_hills(0, fluids[m]);
        const tarn_ledger old = tarn_world_get_ledger(w);
        read_all(w, TARN_FIELD_DEPTH, before);
        edit(w, TARN_BED_SET, hills);
        read_all(w, TARN_FIELD_DEPTH, after);
        assert_memory_equal(before, after, sizeof after);
        for (int n = 0; n < 30; ++n) CHECK_OK(tarn_world_step(w));
        const tarn_ledger now = tarn_world_get_ledger(w);
        assert_true(now.volume == old.volume && now.volume_emitted == old.volume_emitted);
        assert_true(now.volume_error == old.volume_error);
        tarn_world_destroy(w);
    }
}

// The surface stays: what is displaced and what is filled is booked to the bit, dry ground stays dry, and
// ground above the surface has no water. With floating bodies too.
static void the_surface_stays(void **state)
{
    (void)state;
    static double hills[NI * NJ], before[VALUES], after[VALUES], depth[VALUES];
    for (int m = 0; m < 2; ++m)
        for (int bodies = 0; bodies < 2; ++bodies) {
            tarn_world *w = create_hills(0, fluids[m]);
            if (bodies) put_at(w, ball(0.5), v3(0, 1, 0));
            make_hills(hills);
            hills[5] = 1.9, hills[40] = 1.5, hills[41] = -2.0;
            const tarn_ledger old = tarn_world_get_ledger(w);
            read_all(w, TARN_FIELD_HEIGHT, before), read_all(w, TARN_FIELD_DEPTH, depth);
            edit(w, TARN_BED_KEEP_SURFACE, hills);
            const tarn_ledger now = tarn_world_get_ledger(w);
            CHECK_NEAR(now.volume - old.volume, now.volume_emitted - old.volume_emitted, 1e-11);
            assert_true(now.volume_error == old.volume_error);
            assert_true(fabs(now.volume - old.volume) > 1.0);
            read_all(w, TARN_FIELD_HEIGHT, after);
            for (int c = 0; c < VALUES && !bodies; ++c) {
                const int i = c % CELLS - rect.i0, j = c / CELLS - rect.j0;
                const bool inside = 0 <= i && i < NI && 0 <= j && j < NJ;
                if (inside && 1e-6 < depth[c] && depth[c] < 1e-5) continue; // a film, dry or not
                const double want = !inside || depth[c] > 1e-5 ? before[c] : hills[j * NI + i];
                CHECK_NEAR(after[c], inside ? fmax(want, hills[j * NI + i]) : want,
                           1e-5); // a film of 8 quanta is dry
            }
            tarn_world_destroy(w);
        }
}

// A lake at rest stays at rest over any ground that is set under it.
static void a_lake_stays_at_rest(void **state)
{
    (void)state;
    static double hills[NI * NJ];
    for (int m = 0; m < 2; ++m) {
        tarn_world *w = create(fluids[m], 0, NULL);
        make_hills(hills);
        hills[7] = 1.5, hills[100] = 2.5; // islands
        edit(w, TARN_BED_KEEP_SURFACE, hills);
        for (int n = 0; n < 60; ++n) CHECK_OK(tarn_world_step(w));
        CHECK_NEAR(tarn_world_get_ledger(w).momentum_water.x, 0.0, m == 0 ? 0.0 : 1e-3);
        CHECK_NEAR(tarn_world_get_ledger(w).energy_water, 0.0,
                   m == 0 ? 1e-9 : 1e-3); // implicit: to the solver's tolerance
        tarn_world_destroy(w);
    }
}

// Heights far beyond those of the start are taken; the water is then rounded more coarsely, which is booked.
static void high_mountains_keep_the_ledger(void **state)
{
    (void)state;
    static double hills[NI * NJ], after[VALUES];
    for (int m = 0; m < 2; ++m)
        for (int sign = -1; sign <= 1; sign += 2) {
            tarn_world *w = create_hills(0, fluids[m]);
            const tarn_ledger old = tarn_world_get_ledger(w);
            for (int c = 0; c < NI * NJ; ++c) hills[c] = sign * (800.0 + c);
            edit(w, sign < 0 ? TARN_BED_KEEP_SURFACE : TARN_BED_SET, hills);
            read_all(w, TARN_FIELD_BED, after);
            for (int c = 0; c < NI * NJ; ++c) CHECK_NEAR(after[index_of(c)], hills[c], 1e-3);
            const tarn_ledger now = tarn_world_get_ledger(w);
            CHECK_NEAR(now.volume - old.volume, now.volume_emitted - old.volume_emitted, 1e-9);
            assert_true(now.volume_error == old.volume_error);
            tarn_world_destroy(w);
        }
}

// ---- bodies -----------------------------------------------------------------------------------------

// A ball sleeps on a hill. The hill is taken away, and it falls; ground is put over it, and it is pushed up.
static void bodies_follow_the_ground(void **state)
{
    (void)state;
    const tarn_array_layout repeat = {TARN_DOUBLE, 0, 0};
    for (int m = 0; m < 2; ++m) {
        tarn_world *w = create(fluids[m], 0, NULL);
        double height = 3.0;
        CHECK_OK(tarn_bed_edit(w, NULL, TARN_BED_SET | TARN_BED_KEEP_SURFACE, &repeat, &height, NULL));
        tarn_body_def def = ball(0.5);
        def.density = 3000;
        const tarn_body_id body = put_at(w, def, v3(0, 3.5, 0));
        tarn_body_state at;
        for (int n = 0; n < 120; ++n) CHECK_OK(tarn_world_step(w));
        CHECK_OK(tarn_body_get_state(w, body, &at));
        CHECK_NEAR(at.position.y, 3.5, 0.02);
        assert_false(tarn_body_is_awake(w, body));
        height = 2.0;
        CHECK_OK(tarn_bed_edit(w, NULL, TARN_BED_SET, &repeat, &height, NULL));
        assert_true(tarn_body_is_awake(w, body));
        for (int n = 0; n < 120; ++n) CHECK_OK(tarn_world_step(w));
        CHECK_OK(tarn_body_get_state(w, body, &at));
        CHECK_NEAR(at.position.y, 2.5, 0.02);
        height = 2.3;
        CHECK_OK(tarn_bed_edit(w, NULL, TARN_BED_SET, &repeat, &height, NULL));
        for (int n = 0; n < 240; ++n) CHECK_OK(tarn_world_step(w));
        CHECK_OK(tarn_body_get_state(w, body, &at));
        CHECK_NEAR(at.position.y, 2.8, 0.02);
        tarn_world_destroy(w);
    }
}

// A world whose ground was changed under a floating body and its clone go on with the same bits.
static void changed_worlds_can_be_cloned(void **state)
{
    (void)state;
    static double hills[NI * NJ];
    make_hills(hills);
    for (int m = 0; m < 2; ++m)
        for (uint32_t mode = 0; mode < 4; ++mode) {
            tarn_world *w = create_hills(0, fluids[m]), *clone;
            put_at(w, ball(0.5), v3(-1, 1, 0));
            CHECK_OK(tarn_world_step(w));
            edit(w, mode, hills);
            CHECK_OK(tarn_world_clone(w, NULL, &clone, NULL));
            for (int n = 0; n < 10; ++n) CHECK_OK(tarn_world_step(w)), CHECK_OK(tarn_world_step(clone));
            assert_true(tarn_world_hash(w) == tarn_world_hash(clone));
            tarn_world_destroy(w), tarn_world_destroy(clone);
        }
}

static void bad_heights_change_nothing(void **state)
{
    (void)state;
    static double hills[NI * NJ];
    static const double bad[] = {NAN, INFINITY, -1.1e6};
    tarn_world *w = create_hills(0, "shallow"), *wave = create("wave", 0, NULL);
    const uint64_t hash = tarn_world_hash(w);
    for (int k = 0; k < 3; ++k) {
        tarn_error err = {0};
        make_hills(hills);
        hills[NI + 2] = bad[k];
        assert_int_equal(tarn_bed_edit(w, &rect, TARN_BED_SET, NULL, hills, &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, "heights");
        assert_non_null(strstr(err.message, "(2, 1)"));
    }
    make_hills(hills);
    const tarn_cell_rect outside = {40, 0, 16, 12};
    assert_int_equal(tarn_bed_edit(w, &rect, 4, NULL, hills, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bed_edit(w, &outside, 0, NULL, hills, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_bed_edit(wave, &rect, 0, NULL, hills, NULL), TARN_BAD_ARGUMENT);
    assert_true(tarn_world_hash(w) == hash);
    tarn_world_destroy(w), tarn_world_destroy(wave);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_are_read_as_written), cmocka_unit_test(opposite_changes_cancel),
        cmocka_unit_test(water_moves_with_the_ground), cmocka_unit_test(the_surface_stays),
        cmocka_unit_test(a_lake_stays_at_rest),        cmocka_unit_test(high_mountains_keep_the_ledger),
        cmocka_unit_test(bodies_follow_the_ground),    cmocka_unit_test(changed_worlds_can_be_cloned),
        cmocka_unit_test(bad_heights_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
