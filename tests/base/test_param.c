// Parameters by name: tables are set and read as a whole, rotations follow their definition.
#include "check.h"
#include "memory_stream.h"

#include "base/math/math.h"
#include "base/param.h"

#define ROWS 4

struct profile {
    double before;
    struct {
        int count;
        double rows[ROWS][2];
    } line;
    double after;
    quat rotation;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct profile, before, "before", 1, 0, 2, "", "stands before the table"),
    PARAM_TABLE(struct profile, line, "line", 2, ROWS, 0, 10, "m", "radius and height"),
    PARAM_NUMBER(struct profile, after, "after", 2, 0, 2, "", "stands behind it"),
    PARAM_QUAT(struct profile, rotation, "rotation", "w, x, y, z"),
};
static const tarn_kind kind = {.category = "test", .name = "profile", .help = "a test's own", PARAMS(params)};

static const double some_rows[] = {0.5, 0, 1, 0.25, 0, 3};

// Rows are read as they were set, unused rows are zero, and other members are unchanged.
static void tables_are_set_and_read_back(void **state)
{
    struct profile a, b;
    tarn_value v = tarn_value_table(some_rows, 3);

    (void)state;
    memset(&a, 0xff, sizeof a);
    memset(&b, 0, sizeof b);
    tarn_kind_init(&kind, &a);
    tarn_kind_init(&kind, &b);
    assert_int_equal(a.line.count, 0);
    assert_memory_equal(&a, &b, sizeof a); // bodies are compared byte by byte
    CHECK_OK(tarn_kind_set(&kind, &a, "line", &v, NULL));
    assert_int_equal(a.line.count, 3);
    assert_memory_equal(a.line.rows, some_rows, sizeof some_rows);
    assert_true(a.line.rows[3][0] == 0.0 && a.before == 1.0 && a.after == 2.0);
    CHECK_OK(tarn_kind_get(&kind, &a, "line", &v));
    assert_int_equal(v.type, TARN_PARAM_TABLE);
    assert_int_equal(v.row_count, 3);
    v.rows += 2, v.row_count = 1; // a row of its own table
    CHECK_OK(tarn_kind_set(&kind, &a, "line", &v, NULL));
    v = tarn_value_table(&some_rows[2], 1);
    CHECK_OK(tarn_kind_set(&kind, &b, "line", &v, NULL));
    assert_memory_equal(&a, &b, sizeof a);
    CHECK_OK(tarn_kind_check(&kind, &a, NULL));
}

static void values_that_are_no_tables_are_rejected(void **state)
{
    static const double wrong[][2] = {{-0.1, 0}, {0, 10.1}, {NAN, 0}, {0, INFINITY}};
    const double five[2 * (ROWS + 1)] = {0};
    struct profile p, before;
    tarn_error err;

    (void)state;
    memset(&p, 0, sizeof p);
    tarn_kind_init(&kind, &p);
    before = p;
    const tarn_value values[] = {
        tarn_value_table(wrong[0], 1), tarn_value_table(wrong[1], 1), tarn_value_table(wrong[2], 1),
        tarn_value_table(wrong[3], 1), tarn_value_table(five, 5),     tarn_value_table(five, -1),
        tarn_value_table(NULL, 1),     tarn_value_number(1),          tarn_value_text("line")};
    for (int i = 0; i < COUNT(values); ++i) {
        assert_int_equal(tarn_kind_set(&kind, &p, "line", &values[i], &err), TARN_BAD_INPUT);
        assert_string_equal(err.key, "line");
        assert_memory_equal(&p, &before, sizeof p);
    }
    const double second[] = {1, 1, 1, 11};
    const tarn_value v = tarn_value_table(second, 2);
    assert_int_equal(tarn_kind_set(&kind, &p, "line", &v, &err), TARN_BAD_INPUT);
    assert_string_equal(err.message, "row 2: 11 m is outside 0 .. 10");
    p.line.count = 5; // from C the struct may say anything
    assert_int_equal(tarn_kind_check(&kind, &p, &err), TARN_BAD_INPUT);
    p.line.count = 1, p.line.rows[0][1] = NAN;
    assert_int_equal(tarn_kind_check(&kind, &p, &err), TARN_BAD_INPUT);
}

static void save_profile(struct saver *s, const void *what) { param_save(s, &kind, what); }

// The same numbers are restored from a checkpoint; truncated or forged ones are rejected.
static void a_table_survives_a_checkpoint(void **state)
{
    static struct memory_stream f;
    struct memory m;
    struct loader l;
    struct profile a, b;
    const tarn_value v = tarn_value_table(some_rows, 3);

    (void)state;
    memory_init(&m, NULL);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    tarn_kind_init(&kind, &a);
    tarn_kind_init(&kind, &b);
    CHECK_OK(tarn_kind_set(&kind, &a, "line", &v, NULL));
    CHECK_OK(save_section(stream_write, &f, "profile", 1, save_profile, &a, NULL));
    CHECK_OK(load_section(stream_read, &f, &m, "profile", 1, &l, NULL, NULL));
    CHECK_OK(param_load(&l, &kind, &b, NULL));
    assert_true(load_is_complete(&l));
    assert_memory_equal(&a, &b, sizeof a);

    struct loader cut = l;
    for (size_t size = 0; size < l.size; ++size) {
        cut.size = size, cut.position = 0, cut.failed = 0;
        assert_int_equal(param_load(&cut, &kind, &b, NULL), TARN_BAD_INPUT);
    }
    tarn_kind other = kind;
    tarn_param fewer[COUNT(params)];
    memcpy(fewer, params, sizeof params);
    fewer[1].rows = 2;
    other.params = fewer;
    l.position = 0;
    assert_int_equal(param_load(&l, &other, &b, NULL), TARN_BAD_INPUT);
    load_free(&l);
}

// Rotations by axis and angle are exact for any length of the axis and any number of whole turns.
static void rotations_follow_axis_and_angle(void **state)
{
    static const double lengths[] = {1, 1e-200, 3.5, 1e200};
    static const double turns[] = {0, 720, -7200, 72e6};
    struct profile p;

    (void)state;
    for (int i = 0; i < COUNT(lengths); ++i) {
        const double s = lengths[i];
        for (int k = 0; k < COUNT(turns); ++k) {
            tarn_value v = tarn_value_axis_angle(0, s, 0, 90 + turns[k]);
            CHECK_OK(tarn_kind_set(&kind, &p, "rotation", &v, NULL));
            const vec3 z = quat_rotate(p.rotation, v3(1, 0, 0)); // about y: x goes to -z
            CHECK_NEAR(z.x, 0.0, 2e-15);                         // the angle, of up to 2 pi, is rounded
            CHECK_NEAR(z.z, -1.0, 2e-15);
        }
        const tarn_value third = tarn_value_axis_angle(s, s, s, 120);
        CHECK_OK(tarn_kind_set(&kind, &p, "rotation", &third, NULL));
        const vec3 y = quat_rotate(p.rotation, v3(1, 0, 0));
        CHECK_NEAR(y.y, 1.0, 1e-15);
    }
    const tarn_value none[] = {tarn_value_axis_angle(0, 0, 0, 10), tarn_value_axis_angle(NAN, 0, 0, 10),
                               tarn_value_axis_angle(0, INFINITY, 0, 10), tarn_value_axis_angle(0, 1, 0, NAN),
                               tarn_value_axis_angle(0, 1, 0, INFINITY)};
    for (int i = 0; i < COUNT(none); ++i)
        assert_int_equal(tarn_kind_set(&kind, &p, "rotation", &none[i], NULL), TARN_BAD_INPUT);
    const tarn_value nothing = tarn_value_axis_angle(0, 0, 2, 0);
    CHECK_OK(tarn_kind_set(&kind, &p, "rotation", &nothing, NULL));
    assert_true(p.rotation.w == 1.0 && p.rotation.z == 0.0);
}

// ---- flags --------------------------------------------------------------------------------------------

struct switches {
    bool first, second, third;
};
static const tarn_param switch_params[] = {
    PARAM_FLAG(struct switches, first, "first", 0, "the first"),
    PARAM_FLAG(struct switches, second, "second", 1, "the second"),
    PARAM_FLAG(struct switches, third, "third", 0, "the third"),
};
static const tarn_kind switches_kind = {
    .category = "test", .name = "switches", .help = "flags side by side", PARAMS(switch_params)};

// A flag is a bool: it is set without touching its neighbours, and bytes that are no bool are found.
static void flags_are_single_bytes(void **state)
{
    const tarn_value on = tarn_value_flag(1), off = tarn_value_flag(0), two = tarn_value_number(2);
    const unsigned char two_byte = 2;
    struct switches s;
    tarn_value v;
    tarn_error err;

    (void)state;
    tarn_kind_init(&switches_kind, &s);
    assert_true(!s.first && s.second && !s.third);
    CHECK_OK(tarn_kind_set(&switches_kind, &s, "first", &on, NULL));
    CHECK_OK(tarn_kind_set(&switches_kind, &s, "second", &off, NULL));
    assert_true(s.first && !s.second && !s.third);
    CHECK_OK(tarn_kind_get(&switches_kind, &s, "first", &v));
    assert_true(v.type == TARN_PARAM_FLAG && v.number[0] == 1.0);
    assert_int_equal(tarn_kind_set(&switches_kind, &s, "first", &two, NULL), TARN_BAD_INPUT);
    CHECK_OK(tarn_kind_check(&switches_kind, &s, NULL));
    memcpy(&s.third, &two_byte, 1);
    assert_int_equal(tarn_kind_check(&switches_kind, &s, &err), TARN_BAD_INPUT);
    assert_string_equal(err.key, "third");
}

struct angles {
    double limit, turn; // [rad]
};
static const tarn_param angle_params[] = {
    {.name = "limit",
     .type = TARN_PARAM_NUMBER,
     .unit = "degrees",
     .initial = {NAN},
     .min = -180,
     .max = 180,
     .help = "may be absent",
     .flags = TARN_PARAM_LIVE | TARN_PARAM_NAN | TARN_PARAM_DEGREES,
     .offset = offsetof(struct angles, limit)},
    PARAM_LIVE_ANGLE(struct angles, turn, "turn", 30, -36000, 36000, "an angle"),
};
static const tarn_kind angles_kind = {
    .category = "test", .name = "angles", .help = "angles", PARAMS(angle_params)};

static void save_angles(struct saver *s, const void *what) { param_save(s, &angles_kind, what); }

// Angles are degrees by name and radians in the struct. Decimal numbers of degrees are read as they were set, and
// any angle in radians survives a checkpoint and a copy of live parameters to the bit.
static void angles_are_degrees_outside_and_radians_inside(void **state)
{
    struct angles a, b;
    tarn_value v;

    (void)state;
    tarn_kind_init(&angles_kind, &a);
    assert_true(isnan(a.limit) && a.turn == 30 * (PI / 180.0));
    for (int n = -36000000; n <= 36000000; n += 1237) {
        const double degrees = n / 1000.0;
        v = tarn_value_number(degrees);
        CHECK_OK(tarn_kind_set(&angles_kind, &a, "turn", &v, NULL));
        assert_true(a.turn == degrees * (PI / 180.0));
        CHECK_OK(tarn_kind_get(&angles_kind, &a, "turn", &v));
        assert_true(v.number[0] == degrees);
    }
    for (int n = 0; n < 200; ++n) {
        static struct memory_stream f;
        struct memory m;
        struct loader l;
        memory_init(&m, NULL);
        f.size = f.at = 0;
        a = (struct angles){m_sin(n), 600.0 * m_sin(0.37 * n)};
        CHECK_OK(save_section(stream_write, &f, "angles", 1, save_angles, &a, NULL));
        CHECK_OK(load_section(stream_read, &f, &m, "angles", 1, &l, NULL, NULL));
        tarn_kind_init(&angles_kind, &b);
        CHECK_OK(param_load(&l, &angles_kind, &b, NULL));
        load_free(&l);
        assert_memory_equal(&a, &b, sizeof a);
        tarn_kind_init(&angles_kind, &b);
        CHECK_OK(param_copy_live(&angles_kind, &b, &a, NULL));
        assert_memory_equal(&a, &b, sizeof a);
    }
    a.limit = 3.2; // above pi
    assert_int_equal(tarn_kind_check(&angles_kind, &a, NULL), TARN_BAD_INPUT);
    a.limit = PI;
    CHECK_OK(tarn_kind_check(&angles_kind, &a, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_set_and_read_back),
        cmocka_unit_test(values_that_are_no_tables_are_rejected),
        cmocka_unit_test(a_table_survives_a_checkpoint),
        cmocka_unit_test(rotations_follow_axis_and_angle),
        cmocka_unit_test(flags_are_single_bytes),
        cmocka_unit_test(angles_are_degrees_outside_and_radians_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
