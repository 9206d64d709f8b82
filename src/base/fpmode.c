#include "fpmode.h"

#if defined(__SSE2__)

#include <xmmintrin.h>

#define MODE 0x1F80u // to nearest, denormals kept, all exceptions masked

struct fpmode fpmode_enter(void)
{
    const struct fpmode old = {_mm_getcsr()};
    _mm_setcsr(MODE);
    return old;
}

void fpmode_leave(struct fpmode old) { _mm_setcsr((unsigned)old.saved); }

#elif defined(__aarch64__)

struct fpmode fpmode_enter(void)
{
    struct fpmode old;
    __asm__ volatile("mrs %0, fpcr" : "=r"(old.saved));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0)); // to nearest, denormals kept, no traps
    return old;
}

void fpmode_leave(struct fpmode old) { __asm__ volatile("msr fpcr, %0" : : "r"(old.saved)); }

#else // standard C knows only the rounding

#include <fenv.h>

struct fpmode fpmode_enter(void)
{
    const int old = fegetround();
    fesetround(FE_TONEAREST);
    return (struct fpmode){(uint64_t)old};
}

void fpmode_leave(struct fpmode old) { fesetround((int)old.saved); }

#endif
