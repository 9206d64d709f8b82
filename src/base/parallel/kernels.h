// CPU dispatch of kernels. The files *_rows.c are compiled twice on x86-64, for the baseline and for
// x86-64-v3 (AVX2), and the version is selected at run time. Each of these files defines one table of its
// kernels, named by KERNELS(name). Both versions give the same bits, because neither fuses multiplication
// and addition.
#ifndef BASE_KERNELS_H
#define BASE_KERNELS_H

#include "lanes.h"

#ifdef TARN_KERNELS_V3
#define KERNELS(name) name##_v3
#else
#define KERNELS(name) name##_base
#endif

// KERNELS_SELECT is the table for this CPU.
#ifdef TARN_HAVE_V3
#define KERNELS_HAVE_V3_CPU \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
#define KERNELS_SELECT(name)        (KERNELS_HAVE_V3_CPU ? &name##_v3 : &name##_base)
#define KERNELS_DECLARE(type, name) extern const type name##_base, name##_v3
#else
#define KERNELS_SELECT(name)        (&name##_base)
#define KERNELS_DECLARE(type, name) extern const type name##_base
#endif

#endif
