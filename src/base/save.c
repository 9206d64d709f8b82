// Writes and reads checkpoint sections (format: save.h). The checksum covers the header too, so that a
// changed version or length is detected.
#include "save.h"

#include "error.h"

#include <string.h>

#define NAME_BYTES   16
#define HEADER_BYTES 40
#define FIRST_CHUNK  ((size_t)64 << 10)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IS_LITTLE 1
#else
#define IS_LITTLE 0
#endif

static void store_le(unsigned char *p, uint64_t x, int size)
{
    for (int i = 0; i < size; ++i) p[i] = (unsigned char)(x >> 8 * i);
}

static uint64_t load_le(const unsigned char *p, int size)
{
    uint64_t x = 0;
    for (int i = 0; i < size; ++i) x |= (uint64_t)p[i] << 8 * i;
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- saving ---------------------------------------------------------------------------------------

static void write_bytes(struct saver *s, const void *data, size_t size)
{
    if (s->result != TARN_OK || size == 0) return;
    if (s->write)
        s->result = s->write(s->ctx, data, size);
    else
        hash_bytes(&s->hash, data, size);
    s->length += size;
}

void save_u32(struct saver *s, uint32_t x)
{
    unsigned char b[4];
    store_le(b, x, 4);
    write_bytes(s, b, sizeof b);
}

void save_u64(struct saver *s, uint64_t x)
{
    unsigned char b[8];
    store_le(b, x, 8);
    write_bytes(s, b, sizeof b);
}

enum { CHUNK = 256 }; // numbers converted at a time

// -0 is saved and hashed as +0: fmin and fmax may return either of two zeros, and compilers differ. The
// comparison is by bits, which floating-point modes do not affect.
static uint64_t drop_zero_sign(uint64_t bits) { return bits == UINT64_C(1) << 63 ? 0 : bits; }

void save_f64(struct saver *s, double x) { save_u64(s, drop_zero_sign(bits_of(x))); }

void save_f64s(struct saver *s, const double *x, size_t n)
{
    uint64_t bits[CHUNK];
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < CHUNK ? n - done : CHUNK;
        memcpy(bits, x + done, count * sizeof *bits);
        for (size_t i = 0; i < count; ++i) bits[i] = drop_zero_sign(bits[i]);
        if (IS_LITTLE) write_bytes(s, bits, count * sizeof *bits);
        for (size_t i = 0; !IS_LITTLE && i < count; ++i) save_u64(s, bits[i]);
    }
}

void save_f32s(struct saver *s, const float *x, size_t n)
{
    uint32_t bits[CHUNK];
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < CHUNK ? n - done : CHUNK;
        memcpy(bits, x + done, count * sizeof *bits);
        for (size_t i = 0; i < count; ++i) bits[i] = bits[i] == UINT32_C(1) << 31 ? 0 : bits[i];
        if (IS_LITTLE) write_bytes(s, bits, count * sizeof *bits);
        for (size_t i = 0; !IS_LITTLE && i < count; ++i) save_u32(s, bits[i]);
    }
}

void save_ints(struct saver *s, const int *x, size_t n)
{
    if (IS_LITTLE && sizeof *x == 4) {
        write_bytes(s, x, n * sizeof *x);
        return;
    }
    for (size_t i = 0; i < n; ++i) save_u32(s, (uint32_t)x[i]);
}

void save_raw(struct saver *s, const void *data, size_t size) { write_bytes(s, data, size); }

void save_text(struct saver *s, const char *text)
{
    const size_t n = strlen(text);
    save_u32(s, (uint32_t)n);
    write_bytes(s, text, n);
}

static void fill_header(unsigned char h[HEADER_BYTES], const char *name, uint32_t version, uint64_t length,
                        struct hash *hash)
{
    memset(h, 0, HEADER_BYTES);
    memcpy(h, name, strlen(name));
    store_le(h + 16, version, 4);
    store_le(h + 24, length, 8);
    hash_bytes(hash, h, 32);
    store_le(h + 32, hash_result(hash), 8);
}

tarn_result save_section(tarn_write_fn write, void *ctx, const char *name, uint32_t version, save_fn fn,
                         const void *object, uint64_t *checksum)
{
    unsigned char header[HEADER_BYTES];
    struct saver measure = {.result = TARN_OK};

    ASSERT(strlen(name) < NAME_BYTES && version > 0);
    hash_init(&measure.hash);
    fn(&measure, object);
    if (measure.result != TARN_OK) return measure.result;
    fill_header(header, name, version, measure.length, &measure.hash);
    if (checksum) *checksum = hash_result(&measure.hash);
    if (!write) return TARN_OK;

    struct saver s = {.write = write, .ctx = ctx, .result = write(ctx, header, sizeof header)};
    if (s.result == TARN_OK) fn(&s, object);
    ASSERT(s.result != TARN_OK || s.length == measure.length);
    return s.result;
}

// ---- loading --------------------------------------------------------------------------------------

// Grows the buffer to at least `need` bytes and keeps the bytes that were read.
static bool reserve_bytes(struct loader *l, size_t need)
{
    if (need <= l->capacity) return true;
    unsigned char *p = memory_alloc(&l->memory, need, 1);
    if (!p) return false;
    if (l->buffer) {
        memcpy(p, l->buffer, l->size);
        memory_free(&l->memory, l->buffer, l->capacity, 1);
    }
    l->buffer = p;
    l->capacity = need;
    return true;
}

// Reads the payload in chunks whose size doubles: memory is allocated only after the data before it was
// read.
static tarn_result read_payload(tarn_read_fn read, void *ctx, const char *name, uint64_t length,
                                struct loader *l, tarn_error *err)
{
    if (length > (uint64_t)PTRDIFF_MAX)
        return fail(err, TARN_BAD_INPUT, "", "the length of section '%s' is larger than any memory", name);
    while (l->size < length) {
        const size_t remaining = (size_t)length - l->size, chunk = l->size ? l->size : FIRST_CHUNK;
        const size_t n = remaining < chunk ? remaining : chunk;
        if (!reserve_bytes(l, l->size + n))
            return fail(err, TARN_NO_MEMORY, "", "no memory for section '%s' (%llu bytes)", name,
                        (unsigned long long)length);
        const tarn_result r = read(ctx, l->buffer + l->size, n);
        if (r != TARN_OK)
            return fail(err, r, "", "section '%s' ends early or cannot be read; expected %llu bytes", name,
                        (unsigned long long)length);
        l->size += n;
    }
    return TARN_OK;
}

static tarn_result read_section(tarn_read_fn read, void *ctx, const char *name, uint32_t newest,
                                struct loader *l, uint32_t *version, tarn_error *err)
{
    unsigned char header[HEADER_BYTES], expected[NAME_BYTES] = {0};

    tarn_result r = read(ctx, header, sizeof header);
    if (r != TARN_OK) return fail(err, r, "", "section '%s' is missing or cannot be read", name);
    memcpy(expected, name, strlen(name));
    if (memcmp(header, expected, NAME_BYTES) != 0)
        return fail(err, TARN_BAD_INPUT, "", "expected section '%s', found another one", name);
    *version = (uint32_t)load_le(header + 16, 4);
    if (*version < 1 || *version > newest)
        return fail(err, TARN_BAD_INPUT, "",
                    "section '%s' has version %u, this program reads 1 .. %u; use a newer tarn", name,
                    (unsigned)*version, (unsigned)newest);

    r = read_payload(read, ctx, name, load_le(header + 24, 8), l, err);
    if (r != TARN_OK) return r;
    struct hash hash;
    hash_init(&hash);
    hash_bytes(&hash, l->buffer, l->size);
    hash_bytes(&hash, header, 32);
    if (hash_result(&hash) != load_le(header + 32, 8))
        return fail(err, TARN_BAD_INPUT, "", "section '%s' is damaged: wrong checksum", name);
    return TARN_OK;
}

tarn_result load_section(tarn_read_fn read, void *ctx, const struct memory *m, const char *name,
                         uint32_t newest, struct loader *out, uint32_t *version, tarn_error *err)
{
    uint32_t found = 0;

    ASSERT(strlen(name) < NAME_BYTES);
    *out = (struct loader){.memory = *m};
    const tarn_result r = read_section(read, ctx, name, newest, out, &found, err);
    if (r != TARN_OK) load_free(out);
    out->data = out->buffer;
    if (version) *version = found;
    return r;
}

void load_free(struct loader *l)
{
    if (l->buffer) memory_free(&l->memory, l->buffer, l->capacity, 1);
    *l = (struct loader){.memory = l->memory};
}

// The next `size` bytes; NULL, and `failed` is set, if there are fewer.
static const unsigned char *read_bytes(struct loader *l, size_t size)
{
    if (l->failed || size > l->size - l->position) {
        l->failed = 1;
        return NULL;
    }
    l->position += size;
    return l->data + (l->position - size);
}

uint32_t load_u32(struct loader *l)
{
    const unsigned char *p = read_bytes(l, 4);
    return p ? (uint32_t)load_le(p, 4) : 0;
}

uint64_t load_u64(struct loader *l)
{
    const unsigned char *p = read_bytes(l, 8);
    return p ? load_le(p, 8) : 0;
}

double load_f64(struct loader *l) { return double_of(load_u64(l)); }

// The bytes of n elements of `size` bytes each. The product is checked for overflow, because n may come from
// a file.
static const unsigned char *read_array(struct loader *l, size_t n, size_t size)
{
    return read_bytes(l, n > SIZE_MAX / size ? SIZE_MAX : n * size);
}

void load_f64s(struct loader *l, double *x, size_t n)
{
    if (n == 0) return;
    const unsigned char *p = read_array(l, n, sizeof *x);
    if (!p)
        memset(x, 0, n * sizeof *x);
    else if (IS_LITTLE)
        memcpy(x, p, n * sizeof *x);
    else
        for (size_t i = 0; i < n; ++i) x[i] = double_of(load_le(p + 8 * i, 8));
}

void load_f32s(struct loader *l, float *x, size_t n)
{
    if (n == 0) return;
    const unsigned char *p = read_array(l, n, sizeof *x);
    if (!p)
        memset(x, 0, n * sizeof *x);
    else if (IS_LITTLE)
        memcpy(x, p, n * sizeof *x);
    else
        for (size_t i = 0; i < n; ++i) {
            const uint32_t bits = (uint32_t)load_le(p + 4 * i, 4);
            memcpy(x + i, &bits, sizeof bits);
        }
}

void load_text(struct loader *l, char *text, size_t capacity)
{
    const uint32_t n = load_u32(l);
    const unsigned char *p = n < capacity ? read_bytes(l, n) : NULL;

    memset(text, 0, capacity);
    if (p && n > 0 && !memchr(p, 0, n))
        memcpy(text, p, n);
    else if (!p || n > 0)
        l->failed = 1;
}

void load_raw(struct loader *l, void *data, size_t size)
{
    const unsigned char *p = read_bytes(l, size);
    if (p) memcpy(data, p, size);
}

int load_is_complete(const struct loader *l) { return !l->failed && l->position == l->size; }
