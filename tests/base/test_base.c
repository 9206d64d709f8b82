// The promises of base/: rotations, memory, grids, threads, sums, hashes and random numbers.
#include "check.h"
#include "counting_allocator.h"
#include "rng.h"

#include "base/error.h"
#include "base/grid.h"
#include "base/hash.h"
#include "base/math/math.h"
#include "base/math/random.h"
#include "base/parallel/fpmode.h"
#include "base/parallel/parallel.h"
#include "base/parallel/sum.h"

#include <limits.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

// ---- rotations ------------------------------------------------------------------------------------

static quat random_rotation(uint64_t n)
{
    return quat_normalize((quat){random_between(-1, 1, 1, n), random_between(-1, 1, 2, n),
                                 random_between(-1, 1, 3, n), random_between(-1, 1, 4, n)});
}

static void check_vector(vec3 got, vec3 want)
{
    const double tol = 1e-14; // a dozen roundings of numbers up to 4
    CHECK_NEAR(got.x, want.x, tol);
    CHECK_NEAR(got.y, want.y, tol);
    CHECK_NEAR(got.z, want.z, tol);
}

// Rotation by a quaternion, by its matrix and by two in a row agree; the inverse rotation undoes it.
static void rotations_agree(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 200; ++n) {
        const quat a = random_rotation(n), b = random_rotation(n + 1000);
        const vec3 v =
            v3(random_between(-1, 1, 5, n), random_between(-1, 1, 6, n), random_between(-1, 1, 7, n));
        const mat3 m = quat_to_matrix(a);
        check_vector(mat3_mul(&m, v), quat_rotate(a, v));
        check_vector(mat3_mul_t(&m, v), quat_rotate_inverse(a, v));
        check_vector(quat_rotate_inverse(a, quat_rotate(a, v)), v);
        check_vector(quat_rotate(quat_mul(a, b), v), quat_rotate(a, quat_rotate(b, v)));
        CHECK_NEAR(v3_length(quat_rotate(a, v)), v3_length(v), 1e-14);
    }
    // 90 degrees about y rotate z to x.
    const quat quarter = {sqrt(0.5), 0.0, sqrt(0.5), 0.0};
    check_vector(quat_rotate(quarter, v3(0, 0, 1)), v3(1, 0, 0));
    assert_true(quat_normalize((quat){0, 0, 0, 0}).w == 1.0);
}

// The rotation of a matrix is recovered for any angle, half turns with trace -1 and nearly half turns
// included.
static void matrices_are_rotations(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 400; ++n) {
        quat a = random_rotation(n);
        if (n < 200) a.w *= n % 2 ? 1e-9 : 0.0; // about any axis
        if (n < 3) a = (quat){0.0, n == 0, n == 1, n == 2};
        a = quat_normalize(a);
        const mat3 m = quat_to_matrix(a);
        const quat b = quat_from_matrix(&m);
        const double same = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0.0 ? -1.0 : 1.0;
        CHECK_NEAR(same * b.w, a.w, 1e-15); // a dozen roundings of numbers up to 1, divided by 1 at least
        CHECK_NEAR(same * b.x, a.x, 1e-15);
        CHECK_NEAR(same * b.y, a.y, 1e-15);
        CHECK_NEAR(same * b.z, a.z, 1e-15);
    }
}

// q and -q are the same rotation, so interpolation with either gives the same and takes the shorter arc.
static void interpolated_rotations_take_the_shorter_arc(void **state)
{
    (void)state;
    const quat a = {1, 0, 0, 0}, b = {m_cos(0.2), m_sin(0.2), 0, 0}, minus = {-b.w, -b.x, 0, 0};
    const vec3 v = v3(0, 1, 0), half = quat_rotate(quat_nlerp(a, b, 0.5), v);
    check_vector(half, v3(0, m_cos(0.2), m_sin(0.2)));
    check_vector(quat_rotate(quat_nlerp(a, minus, 0.5), v), half);
    check_vector(quat_rotate(quat_nlerp(a, minus, 0.0), v), v);
    check_vector(quat_rotate(quat_nlerp(a, minus, 1.0), v), quat_rotate(b, v));
}

// ---- memory and errors ----------------------------------------------------------------------------

static void check_zero(const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; ++i)
        if (b[i]) fail_msg("byte %zu is not zero", i);
}

static void memory_is_zeroed_and_aligned(void **state)
{
    static const size_t sizes[] = {1, 63, 64, 1000, (size_t)9 << 20};
    struct counting_allocator l = {.left = -1};
    struct memory all[2] = {counting_memory(&l)};

    (void)state;
    memory_init(&all[1], NULL);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < COUNT(sizes); ++i) {
            unsigned char *p = memory_alloc(&all[k], sizes[i], 1);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 64, 0);
            check_zero(p, sizes[i]);
            memset(p, 1, sizes[i]);
            memory_free(&all[k], p, sizes[i], 1);
        }
    memory_free(&all[1], NULL, 10, 10);
    assert_int_equal(l.now, 0);
    assert_int_equal(l.blocks, 0);
}

static void memory_alloc_rejects_overflow(void **state)
{
    struct memory m;

    (void)state;
    memory_init(&m, NULL);
    assert_null(memory_alloc(&m, SIZE_MAX, 2));
    assert_null(memory_alloc(&m, SIZE_MAX / 8 + 1, 8));
    assert_null(memory_alloc(&m, SIZE_MAX / 8 + 2, 8)); // would wrap to 8 bytes
    assert_null(memory_alloc(&m, 2, SIZE_MAX / 2 + 1));
    assert_null(memory_alloc(&m, SIZE_MAX, 1));
}

static void memory_grow_keeps_contents(void **state)
{
    struct counting_allocator l = {.left = -1};
    const struct memory m = counting_memory(&l);
    void *p = NULL;
    int capacity = 0;

    (void)state;
    for (int n = 1; n <= 1000; ++n) {
        assert_true(memory_grow(&m, &p, &capacity, n, sizeof(int)));
        assert_true(capacity >= n);
        ((int *)p)[n - 1] = n;
    }
    for (int n = 1; n <= 1000; ++n) assert_int_equal(((int *)p)[n - 1], n);
    l.left = 0; // no memory: nothing changes
    const int before = capacity;
    assert_false(memory_grow(&m, &p, &capacity, before + 1, sizeof(int)));
    assert_int_equal(capacity, before);
    memory_free(&m, p, (size_t)capacity, sizeof(int));
    assert_int_equal(l.now, 0);
}

static void errors_name_key_and_message(void **state)
{
    tarn_error err;
    char long_text[1000];

    (void)state;
    assert_int_equal(fail(NULL, TARN_IO, "", "nobody listens"), TARN_IO);
    assert_int_equal(fail(&err, TARN_BAD_INPUT, "radius", "%d is outside %s", -3, "1 .. 2"), TARN_BAD_INPUT);
    assert_int_equal(err.code, TARN_BAD_INPUT);
    assert_string_equal(err.key, "radius");
    assert_string_equal(err.message, "-3 is outside 1 .. 2");
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    fail(&err, TARN_IO, long_text, "%s", long_text);
    assert_int_equal(strlen(err.key), sizeof err.key - 1);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

// ---- grid -----------------------------------------------------------------------------------------

// Cell (0, j) is 64-byte aligned for every slot, and every ghost lies inside the field.
static void grid_rows_are_aligned(void **state)
{
    static const int sizes[][2] = {{1, 1}, {15, 3}, {16, 2}, {17, 5}, {31, 4}, {32, 7}, {300, 2}};
    struct counting_allocator l = {.left = -1};
    const struct memory m = counting_memory(&l);

    (void)state;
    for (int k = 0; k < COUNT(sizes); ++k) {
        struct grid g;
        assert_true(grid_init(&g, sizes[k][0], sizes[k][1], 0.5));
        assert_int_equal(g.stride % 16, 0);
        assert_true(grid_at(&g, -1, -1) < g.size && grid_at(&g, g.nx, g.nz) < g.size);
        assert_true(grid_at(&g, g.nx, 0) < grid_at(&g, -1, 1)); // ghosts of two rows are not shared
        for (int slot = 0; slot < 40; ++slot) {
            float *f = grid_alloc_field(&g, &m, slot);
            assert_non_null(f);
            check_zero(f, g.size * sizeof *f);
            for (int j = -1; j <= g.nz; ++j) assert_int_equal((uintptr_t)&f[grid_at(&g, 0, j)] % 64, 0);
            memset(f, 1, g.size * sizeof *f);
            grid_free_field(&g, &m, f, slot);
        }
    }
    assert_int_equal(l.now, 0);
    assert_int_equal(l.blocks, 0);
}

// Neighbours in memory are neighbours in space; the origin is the centre.
static void grid_indices_follow_their_layout(void **state)
{
    struct grid g;

    (void)state;
    assert_true(grid_init(&g, 7, 4, 0.25));
    assert_int_equal(grid_at(&g, 3, 2) - grid_at(&g, 2, 2), 1);
    assert_int_equal(grid_at(&g, 2, 3) - grid_at(&g, 2, 2), g.stride);
    CHECK_NEAR(grid_cell_x(&g, 3), 0.0, 0.0);
    CHECK_NEAR(grid_cell_x(&g, 0) + grid_cell_x(&g, 6), 0.0, 0.0);
    CHECK_NEAR(grid_cell_z(&g, 1) + grid_cell_z(&g, 2), 0.0, 0.0);
    CHECK_NEAR(grid_cell_z(&g, 1) - grid_cell_z(&g, 0), 0.25, 0.0);
    assert_false(grid_init(&g, 0, 4, 1.0));
    assert_false(grid_init(&g, 4, -1, 1.0));
    assert_false(grid_init(&g, INT_MAX, INT_MAX, 1.0)); // more bytes than a pointer can count
}

static void grid_blocks_follow_the_size(void **state)
{
    struct grid g;

    (void)state;
    assert_true(grid_init(&g, 255, 256, 1.0));
    assert_int_equal(grid_block_rows(&g), 256); // too small to share
    assert_true(grid_init(&g, 1024, 1024, 1.0));
    assert_int_equal(grid_block_rows(&g), 32);
    assert_true(grid_init(&g, 100000, 3, 1.0));
    assert_int_equal(grid_block_rows(&g), 1);
}

// ---- parallel -------------------------------------------------------------------------------------

struct visits {
    int rows, block;
    int *count; // of each row
    int *wrong; // of each row: its block had impossible limits
};

static void visit(void *ctx, int j0, int j1)
{
    struct visits *v = ctx;
    for (int j = j0; j < j1; ++j) {
        ++v->count[j];
        v->wrong[j] = j0 % v->block != 0 || j1 != imin(j0 + v->block, v->rows);
    }
}

static void check_visits(struct parallel *p, int rows, int block)
{
    int count[400] = {0}, wrong[400] = {0};
    struct visits v = {rows, block, count, wrong};

    parallel_for_rows(p, rows, block, visit, &v);
    for (int j = 0; j < COUNT(count); ++j)
        if (count[j] != (j < rows) || wrong[j]) fail_msg("rows %d, block %d: row %d", rows, block, j);
}

// A task system of the host that runs tasks backwards, because the order must not matter.
static void run_backwards(void *ctx, tarn_task_fn task, void *arg, int count)
{
    ++*(int *)ctx;
    for (int i = count - 1; i >= 0; --i) task(arg, i);
}

static void rows_are_visited_once(void **state)
{
    static const int workers[] = {-1, 0, 1, 2, 3, 8, 64, 1000}, rows[] = {0, 1, 2, 3, 7, 64, 399};
    static const int blocks[] = {1, 2, 3, 5, 64, 398, 399, 1000, INT_MAX};
    struct counting_allocator l = {.left = -1};
    const struct memory m = counting_memory(&l);
    int runs = 0;
    const tarn_task_system tasks = {run_backwards, &runs};

    (void)state;
    for (int k = 0; k <= COUNT(workers); ++k) {
        const bool host = k == COUNT(workers);
        struct parallel *p = parallel_create(&m, host ? &tasks : NULL, host ? 4 : workers[k]);
        assert_non_null(p);
        for (int i = 0; i < COUNT(rows); ++i)
            for (int b = 0; b < COUNT(blocks); ++b) check_visits(p, rows[i], blocks[b]);
        parallel_destroy(p);
    }
    assert_true(runs > 0);
    parallel_destroy(NULL);
    assert_int_equal(l.now, 0);

    l.left = 0;
    assert_null(parallel_create(&m, NULL, 2));
}

static void relay(void *ctx, int j0, int j1)
{
    int *x = ctx;
    for (int j = j0; j < j1; ++j) ++x[j];
}

// Many short jobs, each modifying the result of the last one: threads that wake late do not interfere.
static void consecutive_jobs_do_not_overlap(void **state)
{
    struct memory m;
    int x[16] = {0};

    (void)state;
    memory_init(&m, NULL);
    struct parallel *p = parallel_create(&m, NULL, 4);
    assert_non_null(p);
    for (int n = 0; n < 5000; ++n) {
        parallel_for_rows(p, 16, 1 + n % 5, relay, x);
        for (int j = 0; j < 16; ++j)
            if (x[j] != n + 1) fail_msg("job %d: row %d has %d", n, j, x[j]);
    }
    parallel_destroy(p);
}

static void linger(void *ctx, int j0, int j1)
{
    int *x = ctx;
    for (int j = j0; j < j1; ++j) {
        for (volatile int i = 0; i < 50000 * (1 + 4 * j); ++i) {
        }
        ++x[j];
    }
}

// parallel_for_rows returns when the slowest block is done, long after the caller went to sleep; and
// threads that went to sleep meanwhile wake again.
static void parallel_rows_waits_for_the_slowest_block(void **state)
{
    struct memory m;
    int x[4] = {0};

    (void)state;
    memory_init(&m, NULL);
    struct parallel *p = parallel_create(&m, NULL, 4);
    assert_non_null(p);
    for (int n = 0; n < 30; ++n) {
        parallel_for_rows(p, 4, 1, linger, x);
        for (int j = 0; j < 4; ++j)
            if (x[j] != n + 1) fail_msg("job %d: row %d has %d", n, j, x[j]);
    }
    parallel_destroy(p);
}

// Sums do not depend on the number of threads.
static void sums_ignore_workers(void **state)
{
    static const int sizes[][2] = {{5, 3}, {300, 300}, {40, 5000}, {1029, 131}};
    struct memory m;

    (void)state;
    memory_init(&m, NULL);
    for (int k = 0; k < COUNT(sizes); ++k) {
        struct grid g;
        assert_true(grid_init(&g, sizes[k][0], sizes[k][1], 1.0));
        float *f = grid_alloc_field(&g, &m, k);
        for (size_t i = 0; i < g.size; ++i) f[i] = (float)random_between(-1.0, 1.0, 1, i); // ghosts too
        double want = 0.0;
        for (int j = 0; j < g.nz; ++j) want += sum_row(f + grid_at(&g, 0, j), g.nx);
        for (int workers = 1; workers <= 8; workers = workers < 3 ? workers + 1 : 2 * workers + 2) {
            struct parallel *p = parallel_create(&m, NULL, workers);
            assert_true(sum_field(p, &g, f) == want);
            parallel_destroy(p);
        }
        grid_free_field(&g, &m, f, k);
    }
}

// Sums of integers are exact for any length.
static void row_sums_are_complete(void **state)
{
    float x[100];

    (void)state;
    for (int i = 0; i < 100; ++i) x[i] = (float)(i + 1);
    for (int n = 0; n <= 100; ++n) CHECK_NEAR(sum_row(x, n), n * (n + 1) / 2, 0.0);
}

// ---- floating-point modes -------------------------------------------------------------------------

static void halve_smallest(void *ctx, int j0, int j1)
{
    double *x = ctx;
    for (int j = j0; j < j1; ++j) {
        volatile double y = 0x1p-1060;
        x[j] = y * 0.5; // 0 under flush-to-zero
    }
}

// The mode of a host that flushes denormals is restored, and the library never computes in it.
static void rounding_mode_is_set_inside_and_restored_after(void **state)
{
    (void)state;
#if defined(__SSE2__)
    const unsigned old = _mm_getcsr(), theirs = (old & ~0x3Fu) | 0x8040u | 0x6000u; // to zero, truncate
    int runs = 0;
    const tarn_task_system tasks = {run_backwards, &runs};
    struct memory m;

    memory_init(&m, NULL);
    for (int k = 0; k < 4; ++k) {
        double x[32] = {0};
        _mm_setcsr(theirs);
        struct parallel *p = parallel_create(&m, k == 3 ? &tasks : NULL, 1 + k);
        parallel_for_rows(p, 32, k == 0 ? 32 : 1, halve_smallest, x);
        const unsigned after = _mm_getcsr();
        parallel_destroy(p);
        _mm_setcsr(old);
        assert_int_equal(after & ~0x3Fu, theirs & ~0x3Fu);
        for (int j = 0; j < 32; ++j) assert_true(x[j] == 0x1p-1061);
    }
#else
    skip();
#endif
}

// ---- hash and random ------------------------------------------------------------------------------

static uint64_t hash_of(const void *data, size_t size)
{
    struct hash h;
    hash_init(&h);
    hash_bytes(&h, data, size);
    return hash_result(&h);
}

static void hash_ignores_chunks(void **state)
{
    unsigned char data[300];

    (void)state;
    for (int i = 0; i < 300; ++i) data[i] = (unsigned char)random_bits(1, 1, (uint64_t)i);
    for (size_t size = 0; size <= sizeof data; ++size) {
        const uint64_t want = hash_of(data, size);
        for (uint64_t n = 0; n < 20; ++n) {
            struct hash h;
            hash_init(&h);
            for (size_t at = 0, step; at < size; at += step) {
                step = 1 + (size_t)(random_bits(2, n, at) % (n < 10 ? 7 : 90));
                if (step > size - at) step = size - at;
                hash_bytes(&h, data + at, step);
                hash_bytes(&h, NULL, 0);
                (void)hash_result(&h); // asking in between changes nothing
            }
            assert_int_equal(hash_result(&h), want);
        }
    }
}

// One flipped bit, an appended zero, two exchanged words: the hash changes, in half of its bits.
static void hash_changes_with_every_bit(void **state)
{
    unsigned char data[200] = {0};
    double flipped = 0.0;

    (void)state;
    const uint64_t want = hash_of(data, 160);
    for (int bit = 0; bit < 160 * 8; ++bit) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        const uint64_t got = hash_of(data, 160);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(got, want);
        for (uint64_t d = got ^ want; d; d &= d - 1) flipped += 1.0;
    }
    CHECK_NEAR(flipped / (160 * 8), 32.0, 0.6); // standard deviation of the mean: 4/sqrt(1280) = 0.11
    for (size_t n = 0; n < 200; ++n) assert_true(n == 160 || hash_of(data, n) != want);
    data[0] = 1;
    const uint64_t first = hash_of(data, 160);
    data[0] = 0, data[32] = 1;
    assert_int_not_equal(hash_of(data, 160), first);
}

// Computed once; other machines and compilers must agree, and old checkpoints stay readable.
static void hash_is_the_same_everywhere(void **state)
{
    unsigned char data[100];

    (void)state;
    for (int i = 0; i < 100; ++i) data[i] = (unsigned char)(3 * i + 1);
    assert_int_equal(hash_of(data, 0), UINT64_C(0x3AE6909C3A43F7AF));
    assert_int_equal(hash_of(data, 3), UINT64_C(0xF61D1F27F1E341B0));
    assert_int_equal(hash_of(data, 100), UINT64_C(0x40F4EE470B0582C1));
}

static void random_is_the_same_everywhere(void **state)
{
    (void)state;
    assert_int_equal(random_bits(0, 0, 0), UINT64_C(0x6450182C7CD8384D));
    assert_int_equal(random_bits(1, 2, 3), UINT64_C(0x58C7798354799B91));
    assert_int_equal(random_bits(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_C(0xD349CF0C9CE33C55));
}

// Along each of seed, stream and n: 64 equal bins (chi-squared of 63 degrees of freedom: mean 63, standard
// deviation 11.2; 130 is six of them), and neighbours are not correlated.
static void random_numbers_are_uniform(void **state)
{
    enum { N = 64000 };

    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        int bin[64] = {0};
        double product = 0.0, last = 0.5, chi = 0.0;
        for (uint64_t n = 0; n < N; ++n) {
            const double x = axis == 0   ? random_unit(1, 1, n)
                             : axis == 1 ? random_unit(1, n, 1)
                                         : random_unit(n, 1, 1);
            assert_true(0.0 <= x && x < 1.0);
            ++bin[(int)(64.0 * x)];
            product += (x - 0.5) * (last - 0.5);
            last = x;
        }
        for (int i = 0; i < 64; ++i) chi += (bin[i] - N / 64.0) * (bin[i] - N / 64.0) / (N / 64.0);
        CHECK_NEAR(chi, 63.0, 67.0);
        CHECK_NEAR(product / N, 0.0, 6.0 / 12.0 / sqrt(N)); // six standard deviations
    }
}

// Flipping any one bit of any input flips each output bit half of the time.
static void random_mixes_every_bit(void **state)
{
    (void)state;
    for (int bit = 0; bit < 192; ++bit) {
        double flipped = 0.0;
        for (uint64_t n = 0; n < 200; ++n) {
            uint64_t in[3] = {n, 5 * n, 11 * n};
            const uint64_t before = random_bits(in[0], in[1], in[2]);
            in[bit / 64] ^= UINT64_C(1) << bit % 64;
            for (uint64_t d = before ^ random_bits(in[0], in[1], in[2]); d; d &= d - 1) flipped += 1.0;
        }
        CHECK_NEAR(flipped / 200.0, 32.0, 6.0 * 4.0 / sqrt(200.0)); // six standard deviations
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_agree),
        cmocka_unit_test(matrices_are_rotations),
        cmocka_unit_test(interpolated_rotations_take_the_shorter_arc),
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(memory_alloc_rejects_overflow),
        cmocka_unit_test(memory_grow_keeps_contents),
        cmocka_unit_test(errors_name_key_and_message),
        cmocka_unit_test(grid_rows_are_aligned),
        cmocka_unit_test(grid_indices_follow_their_layout),
        cmocka_unit_test(grid_blocks_follow_the_size),
        cmocka_unit_test(rows_are_visited_once),
        cmocka_unit_test(consecutive_jobs_do_not_overlap),
        cmocka_unit_test(parallel_rows_waits_for_the_slowest_block),
        cmocka_unit_test(sums_ignore_workers),
        cmocka_unit_test(row_sums_are_complete),
        cmocka_unit_test(rounding_mode_is_set_inside_and_restored_after),
        cmocka_unit_test(hash_ignores_chunks),
        cmocka_unit_test(hash_changes_with_every_bit),
        cmocka_unit_test(hash_is_the_same_everywhere),
        cmocka_unit_test(random_is_the_same_everywhere),
        cmocka_unit_test(random_numbers_are_uniform),
        cmocka_unit_test(random_mixes_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
