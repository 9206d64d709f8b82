// Sets and restores the floating-point control register: MXCSR on x86, FPCR on AArch64.
#include "fpmode.h"

#if defined(__SSE2__)

#include <xmmintrin.h>

#define MXCSR_MODE 0x1F80u // round to nearest, denormals enabled, all exceptions masked

struct fpmode fpmode_enter(void)
{
    const struct fpmode saved_mode = {_mm_getcsr()};
    _mm_setcsr(MXCSR_MODE);
    return saved_mode;
}

void fpmode_leave(struct fpmode saved_mode) { _mm_setcsr((unsigned)saved_mode.saved); }

#elif defined(__aarch64__)

struct fpmode fpmode_enter(void)
{
    struct fpmode saved_mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved_mode.saved));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0)); // round to nearest, denormals enabled, no traps
    return saved_mode;
}

void fpmode_leave(struct fpmode saved_mode) { __asm__ volatile("msr fpcr, %0" : : "r"(saved_mode.saved)); }

#else // standard C can set the rounding mode only

#include <fenv.h>

struct fpmode fpmode_enter(void)
{
    const int saved_mode = fegetround();
    fesetround(FE_TONEAREST);
    return (struct fpmode){(uint64_t)saved_mode};
}

void fpmode_leave(struct fpmode saved_mode) { fesetround((int)saved_mode.saved); }

#endif
