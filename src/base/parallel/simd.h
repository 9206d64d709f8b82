// SIMD vectors of gcc and clang: element type, bits per element, number of lanes. The compiler maps them to
// what the machine has. Comparisons give -1 (all bits set) in the lanes where they hold, 0 elsewhere.
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef float f32x4 __attribute__((vector_size(16)));
typedef int i32x4 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef int i32x8 __attribute__((vector_size(32)));
typedef double f64x4 __attribute__((vector_size(32)));
typedef long long i64x4 __attribute__((vector_size(32)));

// A vector at any address that holds floats. Loads through it are single instructions; a memcpy of 32 bytes
// may be compiled to two halves through the stack, which costs a store-forwarding stall.
typedef float f32x8_unaligned __attribute__((vector_size(32), aligned(4), may_alias));

static inline f32x8 f32x8_load(const float *p)
{
    f32x8 out;
    memcpy(&out, p, sizeof out);
    return out;
}
static inline f32x8 f32x8_splat(float x) { return (f32x8){x, x, x, x, x, x, x, x}; }

// a in the lanes of the mask, b in the others.
static inline f32x8 f32x8_select(i32x8 mask, f32x8 a, f32x8 b)
{
    return (f32x8)((mask & (i32x8)a) | (~mask & (i32x8)b));
}
static inline f32x8 f32x8_max(f32x8 a, f32x8 b) { return f32x8_select(a > b, a, b); }
static inline f32x8 f32x8_sqrt(f32x8 x)
{
    f32x8 out;
    for (int i = 0; i < 8; ++i) out[i] = sqrtf(x[i]);
    return out;
}

// True if the mask is set in any lane.
static inline bool i32x8_any(i32x8 mask)
{
    const i64x4 words = (i64x4)mask;
    return (words[0] | words[1] | words[2] | words[3]) != 0;
}

// Transposes eight vectors of eight floats.
static inline void f32x8_transpose(f32x8 r[8])
{
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
    f32x8 t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = SHUFFLE(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = SHUFFLE(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; ++k) {
            u[i + 2 * k] = SHUFFLE(t[i + k], t[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            u[i + 2 * k + 1] = SHUFFLE(t[i + k], t[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; ++i) {
        r[i] = SHUFFLE(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = SHUFFLE(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#undef SHUFFLE
}

#endif
