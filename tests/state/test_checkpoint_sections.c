// Sections of a checkpoint: saved values are restored, and nothing in a file is trusted.
#include "check.h"
#include "counting_allocator.h"
#include "memory_stream.h"

#include "base/save.h"

// A zero is restored without its sign, on which compilers do not agree; everything else to the bit.
static const double some_doubles[] = {0.0, -0.0, 1.5, 1e300, 0x1p-1074},
                    doubles_back[] = {0.0, 0.0, 1.5, 1e300, 0x1p-1074};
static const float some_floats[] = {-1.5f, -0.0f, 1e-40f}, floats_back[] = {-1.5f, 0.0f, 1e-40f};

static void save_sample(struct saver *s, const void *what)
{
    save_u32(s, 0x01020304u);
    save_u64(s, UINT64_C(0x1122334455667788));
    save_f64(s, -0.1);
    save_text(s, what);
    save_text(s, "");
    save_f64s(s, some_doubles, COUNT(some_doubles));
    save_f32s(s, some_floats, COUNT(some_floats));
}

static void save_big(struct saver *s, const void *what) { save_f32s(s, what, 200000); }

static void save_nothing(struct saver *s, const void *what)
{
    (void)s;
    (void)what;
}

static tarn_result load_sample(struct memory_stream *f, const struct memory *m, struct loader *l,
                               tarn_error *err)
{
    f->at = 0;
    return load_section(stream_read, f, m, "sample", 3, l, NULL, err);
}

static void saved_values_are_restored(void **state)
{
    static struct memory_stream f;
    struct counting_allocator books = {.left = -1};
    const struct memory m = counting_memory(&books);
    struct loader l;
    uint64_t sum = 0, measured = 1;
    uint32_t version = 0;
    char text[8];
    double d[COUNT(some_doubles)];
    float x[COUNT(some_floats)];

    (void)state;
    f = (struct memory_stream){.size = 0};
    CHECK_OK(save_section(stream_write, &f, "sample", 3, save_sample, "water", &sum));
    CHECK_OK(save_section(NULL, NULL, "sample", 3, save_sample, "water", &measured));
    assert_int_equal(sum, measured); // hash and checkpoint never differ
    CHECK_OK(save_section(stream_write, &f, "empty", 1, save_nothing, NULL, NULL));

    CHECK_OK(load_section(stream_read, &f, &m, "sample", 4, &l, &version, NULL));
    assert_int_equal(version, 3);
    assert_int_equal(load_u32(&l), 0x01020304u);
    assert_int_equal(load_u64(&l), UINT64_C(0x1122334455667788));
    assert_true(load_f64(&l) == -0.1);
    load_text(&l, text, 6); // "water" and its zero just fit
    assert_string_equal(text, "water");
    load_text(&l, text, 1);
    assert_string_equal(text, "");
    load_f64s(&l, d, COUNT(some_doubles));
    assert_memory_equal(d, doubles_back, sizeof d);
    assert_false(load_is_complete(&l));
    load_f32s(&l, x, COUNT(some_floats));
    assert_memory_equal(x, floats_back, sizeof x);
    assert_true(load_is_complete(&l));
    load_free(&l);
    CHECK_OK(load_section(stream_read, &f, &m, "empty", 1, &l, &version, NULL));
    load_f64s(&l, d, 0);
    assert_true(load_is_complete(&l));
    load_free(&l);
    assert_int_equal(f.at, f.size);
    assert_int_equal(books.now, 0);
}

// The bytes of a section as documented in save.h, low byte first.
static void sections_have_the_documented_bytes(void **state)
{
    static const unsigned char header[] = {'s', 'a', 'm', 'p', 'l', 'e', 0, 0, 0,  0, 0, 0, 0, 0, 0, 0,
                                           3,   0,   0,   0,   0,   0,   0, 0, 85, 0, 0, 0, 0, 0, 0, 0};
    static struct memory_stream f;

    (void)state;
    f = (struct memory_stream){.size = 0};
    CHECK_OK(save_section(stream_write, &f, "sample", 3, save_sample, "water", NULL));
    assert_int_equal(f.size, 40 + 85);
    assert_memory_equal(f.data, header, sizeof header);
    assert_memory_equal(f.data + 40, "\x04\x03\x02\x01\x88\x77\x66\x55\x44\x33\x22\x11", 12);
}

static void every_flipped_bit_is_found(void **state)
{
    static struct memory_stream f;
    struct counting_allocator books = {.left = -1};
    const struct memory m = counting_memory(&books);
    struct loader l;
    tarn_error err;

    (void)state;
    f = (struct memory_stream){.size = 0};
    CHECK_OK(save_section(stream_write, &f, "sample", 3, save_sample, "water", NULL));
    for (size_t bit = 0; bit < f.size * 8; ++bit) {
        f.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        err = (tarn_error){.code = TARN_OK};
        const tarn_result r = load_sample(&f, &m, &l, &err);
        f.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_true(r == TARN_BAD_INPUT || r == TARN_IO);
        assert_int_equal(err.code, r);
        assert_non_null(strstr(err.message, "'sample'"));
        load_free(&l); // freeing after a failure is valid
    }
    assert_int_equal(books.now, 0);
}

static void every_truncation_is_found(void **state)
{
    static struct memory_stream f;
    struct counting_allocator books = {.left = -1};
    const struct memory m = counting_memory(&books);
    struct loader l;

    (void)state;
    f = (struct memory_stream){.size = 0};
    CHECK_OK(save_section(stream_write, &f, "sample", 3, save_sample, "water", NULL));
    for (size_t size = f.size; size-- > 0;) {
        f.size = size;
        assert_int_equal(load_sample(&f, &m, &l, NULL), TARN_IO);
    }
    assert_int_equal(books.now, 0);
}

// A large section is read in many parts; one that only claims to be large costs little memory.
static void memory_follows_the_data(void **state)
{
    static struct memory_stream f;
    static float big[200000], back[200000];
    struct counting_allocator books = {.left = -1};
    const struct memory m = counting_memory(&books);
    struct loader l;

    (void)state;
    for (int i = 0; i < 200000; ++i) big[i] = (float)i;
    f = (struct memory_stream){.size = 0};
    CHECK_OK(save_section(stream_write, &f, "sample", 1, save_big, big, NULL));
    CHECK_OK(load_sample(&f, &m, &l, NULL));
    load_f32s(&l, back, 200000);
    assert_true(load_is_complete(&l));
    assert_memory_equal(big, back, sizeof big);
    load_free(&l);
    for (int n = 0; n < 5; ++n) { // no memory at each of the five growing steps
        books.left = n;
        assert_int_equal(load_sample(&f, &m, &l, NULL), TARN_NO_MEMORY);
        assert_int_equal(books.now, 0);
    }
    books = (struct counting_allocator){.left = -1};

    f = (struct memory_stream){.size = 0};
    CHECK_OK(save_section(stream_write, &f, "sample", 1, save_sample, "water", NULL));
    for (int byte = 25; byte < 32; ++byte) {
        f.data[byte] = 0x40;
        assert_int_not_equal(load_sample(&f, &m, &l, NULL), TARN_OK);
        f.data[byte] = 0;
    }
    assert_true(books.peak <= 70000 && books.now == 0);
}

static void unknown_sections_are_rejected(void **state)
{
    static struct memory_stream f;
    struct memory m;
    struct loader l;
    uint32_t version;
    tarn_error err;

    (void)state;
    memory_init(&m, NULL);
    f = (struct memory_stream){.size = 0};
    CHECK_OK(save_section(stream_write, &f, "bodies", 2, save_sample, "", NULL));
    assert_int_equal(load_section(stream_read, &f, &m, "world", 9, &l, &version, &err), TARN_BAD_INPUT);
    f.at = 0;
    assert_int_equal(load_section(stream_read, &f, &m, "bodies", 1, &l, &version, &err), TARN_BAD_INPUT);
    assert_non_null(strstr(err.message, "version 2"));
    f.size = sizeof f.data - 50; // the disk is full in the middle of the section
    assert_int_equal(save_section(stream_write, &f, "bodies", 1, save_sample, "water", NULL), TARN_IO);
}

// Reading past the end gives zeros and sets `failed`; texts must fit and contain no zero byte.
static void loaders_never_read_past_the_end(void **state)
{
    unsigned char data[] = {3, 0, 0, 0, 'a', 0, 'b'};
    struct loader l = {.data = data, .size = sizeof data};
    double d[2] = {1.0, 1.0};
    float x[1] = {1.0f};
    char text[4] = "zzz";

    (void)state;
    assert_int_equal(load_u64(&l), 0);
    assert_true(l.failed && load_u32(&l) == 0 && load_f64(&l) == 0.0); // a failure is permanent
    load_f64s(&l, d, 2);
    load_f32s(&l, x, 1);
    assert_true(d[0] == 0.0 && d[1] == 0.0 && x[0] == 0.0f);
    assert_false(load_is_complete(&l));

    l = (struct loader){.data = data, .size = sizeof data};
    load_text(&l, text, sizeof text);
    assert_true(l.failed && text[0] == 0); // a zero inside
    data[5] = 'c';
    l = (struct loader){.data = data, .size = sizeof data};
    load_text(&l, text, 3);
    assert_true(l.failed); // no room for the closing zero
    l = (struct loader){.data = data, .size = sizeof data - 1};
    load_text(&l, text, sizeof text);
    assert_true(l.failed); // longer than the data
    l = (struct loader){.data = data, .size = sizeof data};
    load_text(&l, text, sizeof text);
    assert_true(load_is_complete(&l));
    assert_string_equal(text, "acb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_values_are_restored),
        cmocka_unit_test(sections_have_the_documented_bytes),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(every_truncation_is_found),
        cmocka_unit_test(memory_follows_the_data),
        cmocka_unit_test(unknown_sections_are_rejected),
        cmocka_unit_test(loaders_never_read_past_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
