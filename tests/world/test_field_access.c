// Fields: views, copies with any stride, and rectangles that are written, in every fluid model.
#include "query_world.h"

enum { CELLS = 48, VALUES = (CELLS + 1) * CELLS };

static const char *const fluids[] = {"wave", "shallow", "implicit", "flow"};
enum { FLUIDS = sizeof fluids / sizeof fluids[0], WAVE = 0, FLOW = 3 };

// Water in motion.
static tarn_world *moving(int model)
{
    if (model != WAVE && model != FLOW) return create_hills(0, fluids[model]);
    tarn_world *w = create(fluids[model], 0, NULL);
    const tarn_command stir = {.kind = TARN_COMMAND_STIR,
                               .position = {4, model == FLOW ? 5 : 0, -3},
                               .velocity = {0.3, 0.2, 0.1},
                               .radius = 4.0};
    tarn_command dye = stir;
    dye.kind = TARN_COMMAND_ADD_DYE, dye.amount = 1.0;
    CHECK_OK(tarn_world_apply_command(w, &stir, NULL));
    if (model == FLOW) CHECK_OK(tarn_world_apply_command(w, &dye, NULL));
    dye.kind = TARN_COMMAND_ADD_HEAT, dye.amount = 20.0;
    if (model == FLOW) CHECK_OK(tarn_world_apply_command(w, &dye, NULL));
    for (int n = 0; n < 20; ++n) CHECK_OK(tarn_world_step(w));
    return w;
}

static double value_of(const tarn_field_view *view, int i, int j)
{
    const char *at = (const char *)view->values + i * view->stride_x + j * view->stride_z;
    return view->offset + view->scale * (double)*(const float *)at;
}

static void read_all(const tarn_world *w, tarn_field field, double *out)
{
    CHECK_OK(tarn_world_read_field(w, field, NULL, NULL, out));
}

static void write_rect(tarn_world *w, tarn_field field, tarn_cell_rect rect, const double *values)
{
    tarn_error err = {0};
    if (tarn_world_write_field(w, field, &rect, NULL, values, &err) != TARN_OK)
        fail_msg("field %d: %s: %s", (int)field, err.key, err.message);
}

// ---- reading ----------------------------------------------------------------------------------------

// Every field that is stored is the field that is copied; in a flow where there is fluid: everywhere.
static void views_and_copies_agree(void **state)
{
    (void)state;
    static double values[VALUES];
    int views = 0, copies = 0;
    for (int m = 0; m < FLUIDS; ++m) {
        tarn_world *w = moving(m);
        for (int field = 0; field <= TARN_FIELD_OPEN; ++field) {
            tarn_field_view view;
            double most = 0.0;
            if (tarn_world_read_field(w, (tarn_field)field, NULL, NULL, values) != TARN_OK) {
                assert_int_equal(tarn_world_get_field(w, (tarn_field)field, &view), TARN_BAD_ARGUMENT);
                continue;
            }
            copies += 1;
            if (tarn_world_get_field(w, (tarn_field)field, &view) != TARN_OK) continue;
            views += 1;
            assert_int_equal(view.count_x, CELLS + (field == TARN_FIELD_FACE_VELOCITY_X));
            assert_int_equal(view.count_z, CELLS + (field == TARN_FIELD_FACE_VELOCITY_Z));
            for (int j = 0; j < view.count_z; ++j)
                for (int i = 0; i < view.count_x; ++i) {
                    const double copy = values[j * view.count_x + i], stored = value_of(&view, i, j);
                    CHECK_NEAR(stored, copy,
                               1e-6 * (1.0 + fabs(copy))); // float: offset added before or after
                    most = fmax(most, fabs(copy - view.offset));
                }
            assert_true(most > 0.0);
        }
        tarn_world_destroy(w);
    }
    assert_int_equal(views,
                     2 + 2 * 4 + 6); // height and depth; depth, bed and faces; all but bed
    assert_int_equal(copies, 5 + 2 * 7 + 9);
}

// The copied height, depth and velocity are those of the surface at the centres of cells.
static void copies_equal_point_queries(void **state)
{
    (void)state;
    static double height[VALUES], bed[VALUES], u[VALUES];
    for (int m = 0; m < FLOW; ++m) {
        tarn_world *w = moving(m);
        read_all(w, TARN_FIELD_HEIGHT, height), read_all(w, TARN_FIELD_BED, bed),
            read_all(w, TARN_FIELD_VELOCITY_X, u);
        for (int j = 0; j < CELLS; ++j)
            for (int i = 0; i < CELLS; ++i) {
                const double cell = WIDTH / CELLS, x = (i + 0.5) * cell - 0.5 * WIDTH,
                             z = (j + 0.5) * cell - 0.5 * WIDTH;
                const tarn_surface s = tarn_world_get_surface(w, x, z);
                const int c = j * CELLS + i;
                CHECK_NEAR(height[c], s.height, 1e-6); // floats between cells whose weight is rounding
                CHECK_NEAR(u[c], s.velocity.x, 1e-6);
                if (s.wet) CHECK_NEAR(height[c] - bed[c], s.depth, 1e-6);
            }
        tarn_world_destroy(w);
    }
}

// Floats and doubles, columns first, backwards and unaligned.
static void copies_follow_every_stride(void **state)
{
    (void)state;
    static double all[VALUES];
    static char memory[16 * CELLS * CELLS];
    tarn_world *w = moving(1);
    read_all(w, TARN_FIELD_HEIGHT, all);
    const tarn_cell_rect rect = {5, 7, 11, 9};
    static const tarn_array_layout layouts[] = {
        {TARN_FLOAT, 4, 4 * 11},    {TARN_DOUBLE, 8 * 9, 8}, {TARN_FLOAT, -4, -4 * 11},
        {TARN_DOUBLE, 13, 13 * 11}, {TARN_FLOAT, 5, 64},
    };
    for (int k = 0; k < 5; ++k) {
        const tarn_array_layout *l = &layouts[k];
        char *first = memory + sizeof memory / 2;
        memset(memory, 0, sizeof memory);
        CHECK_OK(tarn_world_read_field(w, TARN_FIELD_HEIGHT, &rect, l, first));
        for (int j = 0; j < rect.nj; ++j)
            for (int i = 0; i < rect.ni; ++i) {
                const double want = all[(rect.j0 + j) * CELLS + rect.i0 + i];
                const char *at = first + i * l->stride_x + j * l->stride_z;
                float single;
                double value;
                memcpy(&single, at, 4), memcpy(&value, at, 8);
                if (l->number == TARN_FLOAT) value = (double)single;
                assert_true(value == (l->number == TARN_FLOAT ? (double)(float)want : want));
            }
    }
    tarn_world_destroy(w);
}

static void missing_fields_are_refused(void **state)
{
    (void)state;
    static const tarn_cell_rect outside[] = {{-1, 0, 1, 1}, {0, 48, 1, 1},         {40, 0, 9, 1},
                                             {0, 0, -1, 1}, {2147483647, 0, 1, 1}, {1, 0, 2147483647, 1}};
    double value[1] = {0};
    tarn_field_view view;
    tarn_world *w = moving(1), *dry = create("none", 0, NULL);
    for (int k = 0; k < 6; ++k) {
        assert_int_equal(tarn_world_read_field(w, TARN_FIELD_DEPTH, &outside[k], NULL, value),
                         TARN_BAD_ARGUMENT);
        assert_int_equal(tarn_world_write_field(w, TARN_FIELD_DEPTH, &outside[k], NULL, value, NULL),
                         TARN_BAD_ARGUMENT);
    }
    const tarn_cell_rect one = {0, 0, 1, 1};
    const tarn_array_layout bad = {(tarn_number)7, 8, 8};
    assert_int_equal(tarn_world_read_field(w, TARN_FIELD_DEPTH, &one, &bad, value), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_read_field(w, (tarn_field)-1, &one, NULL, value), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_read_field(w, (tarn_field)99, &one, NULL, value), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_get_field(w, (tarn_field)99, &view), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_write_field(w, TARN_FIELD_BED, &one, NULL, value, NULL), TARN_BAD_ARGUMENT);
    assert_int_equal(tarn_world_write_field(dry, TARN_FIELD_DEPTH, &one, NULL, value, NULL),
                     TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_world_read_field(dry, TARN_FIELD_BED, &one, NULL, value));
    assert_true(value[0] == 0.0);
    tarn_world_destroy(w), tarn_world_destroy(dry);
}

// ---- writing ----------------------------------------------------------------------------------------

// The values of each field that can be written, written back, leave every bit.
static void what_was_read_can_be_written_back(void **state)
{
    (void)state;
    static double values[VALUES];
    static const tarn_field fields[] = {
        TARN_FIELD_HEIGHT,          TARN_FIELD_DEPTH, TARN_FIELD_FACE_VELOCITY_X,
        TARN_FIELD_FACE_VELOCITY_Z, TARN_FIELD_DYE,   TARN_FIELD_TEMPERATURE};
    int written = 0;
    for (int m = 0; m < FLUIDS; ++m) {
        tarn_world *w = moving(m);
        const uint64_t hash = tarn_world_hash(w);
        for (int k = 0; k < 6; ++k) {
            if (tarn_world_read_field(w, fields[k], NULL, NULL, values) != TARN_OK) continue;
            CHECK_OK(tarn_world_write_field(w, fields[k], NULL, NULL, values, NULL));
            assert_true(tarn_world_hash(w) == hash);
            written += 1;
        }
        tarn_world_destroy(w);
    }
    assert_int_equal(written, 2 + 2 * 4 + 4);
}

// Water that is written is emitted water: in depth fluids the volume follows the ledger to the bit, with
// floating bodies too. Only the rectangle changes, and to what was asked for within a quantum of depth.
// Deep water, here that beside bodies, makes the quantum of all cells coarser.
static void written_water_is_booked(void **state)
{
    (void)state;
    static double before[VALUES], after[VALUES], want[12 * 10];
    const tarn_cell_rect rect = {20, 22, 12, 10};
    for (int m = 0; m < FLOW; ++m)
        for (int bodies = 0; bodies < 2; ++bodies) {
            tarn_world *w = moving(m);
            if (bodies) put_at(w, ball(0.5), v3(0, 1, 0));
            for (int c = 0; c < 120; ++c) want[c] = c % 7 == 0 ? -3.0 : 0.8 + (bodies ? 0.01 : 0.001) * c;
            read_all(w, TARN_FIELD_DEPTH, before);
            const tarn_ledger old = tarn_world_get_ledger(w);
            write_rect(w, TARN_FIELD_HEIGHT, rect, want);
            const tarn_ledger now = tarn_world_get_ledger(w);
            const double added = now.volume - old.volume, emitted = now.volume_emitted - old.volume_emitted;
            CHECK_NEAR(added, emitted, m == WAVE ? 1e-6 : 1e-11);
            CHECK_NEAR(now.volume_error, old.volume_error, m == WAVE ? 1e-6 : 0.0);
            assert_true(fabs(added) > 0.5);
            read_all(w, TARN_FIELD_DEPTH, after);
            for (int c = 0; c < CELLS * CELLS; ++c) {
                const int i = c % CELLS - rect.i0, j = c / CELLS - rect.j0;
                const bool inside = 0 <= i && i < rect.ni && 0 <= j && j < rect.nj;
                if (!inside) CHECK_NEAR(after[c], before[c], bodies && m != WAVE ? 1e-6 : 0.0);
                if (inside && !bodies && want[j * rect.ni + i] < 0.0) CHECK_NEAR(after[c], 0.0, 1e-6);
            }
            read_all(w, TARN_FIELD_HEIGHT, after), read_all(w, TARN_FIELD_BED, before);
            for (int c = 0; c < 120 && !bodies; ++c) {
                const int at = (rect.j0 + c / rect.ni) * CELLS + rect.i0 + c % rect.ni;
                CHECK_NEAR(after[at], fmax(want[c], before[at]), 1e-6); // a quantum is 2.4e-7
            }
            tarn_world_destroy(w);
        }
}

// A world that was written to and its clone go on with the same bits, bodies included.
static void written_worlds_can_be_cloned(void **state)
{
    (void)state;
    const tarn_array_layout repeat = {TARN_DOUBLE, 0, 0};
    const tarn_cell_rect rect = {18, 20, 12, 10};
    const double height = 1.3, speed = 0.4;
    for (int m = 0; m < FLOW; ++m) {
        tarn_world *w = moving(m), *clone;
        put_at(w, ball(0.5), v3(0, 1, 0));
        CHECK_OK(tarn_world_step(w));
        CHECK_OK(tarn_world_write_field(w, TARN_FIELD_HEIGHT, &rect, &repeat, &height, NULL));
        if (m != WAVE)
            CHECK_OK(tarn_world_write_field(w, TARN_FIELD_VELOCITY_X, &rect, &repeat, &speed, NULL));
        CHECK_OK(tarn_world_clone(w, NULL, &clone, NULL));
        for (int n = 0; n < 10; ++n) CHECK_OK(tarn_world_step(w)), CHECK_OK(tarn_world_step(clone));
        assert_true(tarn_world_hash(w) == tarn_world_hash(clone));
        tarn_world_destroy(w), tarn_world_destroy(clone);
    }
}

// Dye and heat: one number for all cells by strides of 0.
static void written_dye_and_heat_are_booked(void **state)
{
    (void)state;
    tarn_world *w = moving(FLOW);
    static double values[VALUES];
    const tarn_cell_rect rect = {4, 30, 20, 8};
    const tarn_array_layout repeat = {TARN_DOUBLE, 0, 0};
    const double dye = 0.7, temperature = 12.5, area = (WIDTH / CELLS) * (WIDTH / CELLS);
    const tarn_ledger old = tarn_world_get_ledger(w);
    CHECK_OK(tarn_world_write_field(w, TARN_FIELD_DYE, &rect, &repeat, &dye, NULL));
    CHECK_OK(tarn_world_write_field(w, TARN_FIELD_TEMPERATURE, &rect, &repeat, &temperature, NULL));
    const tarn_ledger now = tarn_world_get_ledger(w);
    CHECK_NEAR(now.dye - old.dye, now.dye_emitted - old.dye_emitted, 1e-9);
    CHECK_NEAR(now.heat - old.heat, now.heat_emitted - old.heat_emitted, 1e-7);
    assert_true(now.dye - old.dye > 0.9 * 0.7 * 160 * area - old.dye);
    CHECK_OK(tarn_world_read_field(w, TARN_FIELD_DYE, &rect, NULL, values));
    for (int c = 0; c < 160; ++c) assert_true(values[c] == (double)0.7f);
    CHECK_OK(tarn_world_read_field(w, TARN_FIELD_TEMPERATURE, &rect, NULL, values));
    for (int c = 0; c < 160; ++c) assert_true(values[c] == 12.5);
    for (int n = 0; n < 5; ++n) CHECK_OK(tarn_world_step(w));
    tarn_world_destroy(w);
}

// A uniform velocity in a rectangle is that of its inner faces, half of it goes to the faces at its edge;
// walls stay.
static void velocities_are_written_to_faces(void **state)
{
    (void)state;
    static double faces[VALUES];
    const tarn_array_layout repeat = {TARN_FLOAT, 0, 0};
    const float speed = 0.5f;
    for (int m = 1; m < FLOW; ++m)
        for (int axis = 0; axis < 2; ++axis) {
            tarn_world *w = create(fluids[m], 0, NULL);
            const tarn_cell_rect rect =
                axis ? (tarn_cell_rect){10, 40, 5, 8} : (tarn_cell_rect){40, 10, 8, 5};
            CHECK_OK(tarn_world_write_field(w, axis ? TARN_FIELD_VELOCITY_Z : TARN_FIELD_VELOCITY_X, &rect,
                                            &repeat, &speed, NULL));
            read_all(w, axis ? TARN_FIELD_FACE_VELOCITY_Z : TARN_FIELD_FACE_VELOCITY_X, faces);
            for (int across = 0; across < CELLS; ++across)
                for (int k = 0; k <= CELLS; ++k) {
                    const double got = axis ? faces[k * CELLS + across] : faces[across * (CELLS + 1) + k];
                    const bool row = 10 <= across && across < 15;
                    assert_true(got == (!row || k < 40 || k == CELLS ? 0.0 : k == 40 ? 0.25 : 0.5));
                }
            tarn_world_destroy(w);
        }
}

// Across a periodic boundary the first and the last face are one.
static void velocities_cross_periodic_boundaries(void **state)
{
    (void)state;
    static double faces[VALUES], all[CELLS * CELLS];
    for (int c = 0; c < CELLS * CELLS; ++c) all[c] = c % CELLS;
    for (int m = 1; m < FLOW; ++m) {
        tarn_world *w = create(fluids[m], 0, "periodic");
        CHECK_OK(tarn_world_write_field(w, TARN_FIELD_VELOCITY_X, NULL, NULL, all, NULL));
        read_all(w, TARN_FIELD_FACE_VELOCITY_X, faces);
        for (int k = 0; k <= CELLS; ++k)
            assert_true(faces[k] == (k % CELLS == 0 ? 0.5 * (CELLS - 1) : k - 0.5));
        tarn_world_destroy(w);
    }
}

// One bad value among many, and nothing has changed.
static void bad_values_change_nothing(void **state)
{
    (void)state;
    static const struct {
        int model;
        tarn_field field;
        double bad;
    } cases[] = {{0, TARN_FIELD_HEIGHT, 2e6},
                 {1, TARN_FIELD_DEPTH, -1e-9},
                 {1, TARN_FIELD_HEIGHT, NAN},
                 {2, TARN_FIELD_VELOCITY_X, -1.1e4},
                 {2, TARN_FIELD_FACE_VELOCITY_Z, INFINITY},
                 {3, TARN_FIELD_DYE, -0.1},
                 {3, TARN_FIELD_TEMPERATURE, NAN}};
    double values[6] = {1, 1, 1, 1, 1, 1};
    for (int k = 0; k < 7; ++k) {
        tarn_world *w = moving(cases[k].model);
        const uint64_t hash = tarn_world_hash(w);
        tarn_error err = {0};
        values[4] = cases[k].bad;
        assert_int_equal(
            tarn_world_write_field(w, cases[k].field, &(tarn_cell_rect){3, 3, 3, 2}, NULL, values, &err),
            TARN_BAD_INPUT);
        assert_string_equal(err.key, "values");
        assert_non_null(strstr(err.message, "(1, 1)"));
        assert_true(tarn_world_hash(w) == hash);
        tarn_world_destroy(w);
    }
    tarn_world *w = moving(WAVE); // its velocity is that of a potential
    assert_int_equal(tarn_world_write_field(w, TARN_FIELD_VELOCITY_X, NULL, NULL, values, NULL),
                     TARN_BAD_ARGUMENT);
    tarn_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_and_copies_agree),
        cmocka_unit_test(copies_equal_point_queries),
        cmocka_unit_test(copies_follow_every_stride),
        cmocka_unit_test(missing_fields_are_refused),
        cmocka_unit_test(what_was_read_can_be_written_back),
        cmocka_unit_test(written_water_is_booked),
        cmocka_unit_test(written_worlds_can_be_cloned),
        cmocka_unit_test(written_dye_and_heat_are_booked),
        cmocka_unit_test(velocities_are_written_to_faces),
        cmocka_unit_test(velocities_cross_periodic_boundaries),
        cmocka_unit_test(bad_values_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
