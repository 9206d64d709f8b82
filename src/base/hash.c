// A non-cryptographic hash: four independent lanes over stripes of 32 bytes, so that the four
// multiplications overlap. Every step is a bijection of the lane and of the word that enters it, so one
// changed word always changes its lane. The word is multiplied and folded first; otherwise the next word
// could cancel a flipped top bit. The hash detects accidental damage and compares states; it gives no
// protection against deliberate collisions.
#include "hash.h"

#include <string.h>

#define STRIPE 32
#define LANES  4

// Odd constants with irregular bits: fractional parts of the golden ratio, sqrt(3), sqrt(11) and sqrt(7),
// times 2^64.
#define K1 UINT64_C(0x9E3779B97F4A7C15)
#define K2 UINT64_C(0xBB67AE8584CAA73B)
#define K3 UINT64_C(0x510E527FADE682D1)
#define K4 UINT64_C(0xA54FF53A5F1D36F1)

static uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }

// Reads a little-endian word.
static uint64_t load_le64(const unsigned char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

// One word into a lane.
static uint64_t mix_word(uint64_t lane, uint64_t x)
{
    x *= K1;
    return rotate(lane ^ x ^ x >> 32, 29) * K2;
}

// Final mixing: every input bit affects all output bits.
static uint64_t avalanche(uint64_t x)
{
    x = (x ^ x >> 32) * K3;
    x = (x ^ x >> 29) * K4;
    return x ^ x >> 32;
}

static void mix_stripes(uint64_t lane[LANES], const unsigned char *p, size_t stripes)
{
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    for (; stripes > 0; --stripes, p += STRIPE) {
        a = mix_word(a, load_le64(p));
        b = mix_word(b, load_le64(p + 8));
        c = mix_word(c, load_le64(p + 16));
        d = mix_word(d, load_le64(p + 24));
    }
    lane[0] = a, lane[1] = b, lane[2] = c, lane[3] = d;
}

void hash_init(struct hash *h) { *h = (struct hash){.lane = {K1, K2, K3, K4}}; }

void hash_bytes(struct hash *h, const void *data, size_t size)
{
    const unsigned char *p = data;

    if (size == 0) return; // data may be NULL
    h->length += size;
    if (h->tail_count > 0) {
        const size_t bytes_free = (size_t)(STRIPE - h->tail_count), n = size < bytes_free ? size : bytes_free;
        memcpy(h->tail + h->tail_count, p, n);
        h->tail_count += (int)n;
        p += n;
        size -= n;
        if (h->tail_count < STRIPE) return;
        mix_stripes(h->lane, h->tail, 1);
        h->tail_count = 0;
    }
    mix_stripes(h->lane, p, size / STRIPE);
    p += size / STRIPE * STRIPE;
    h->tail_count = (int)(size % STRIPE);
    memcpy(h->tail, p, (size_t)h->tail_count);
}

uint64_t hash_result(const struct hash *h)
{
    uint64_t lane[LANES];
    unsigned char last[STRIPE] = {0}; // the length distinguishes these zeros from zeros of the data

    memcpy(lane, h->lane, sizeof lane);
    memcpy(last, h->tail, (size_t)h->tail_count);
    mix_stripes(lane, last, 1);
    uint64_t x = avalanche(h->length + K1);
    for (int k = 0; k < LANES; ++k) x = avalanche(x + lane[k]);
    return x;
}
