// Aligned allocation, with huge pages for large blocks on Linux.
#define _DEFAULT_SOURCE // posix_memalign, madvise
#include "memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#ifdef _WIN32
#include <malloc.h>
#endif

#define ALIGN ((size_t)64)

// Large blocks use pages of 2 MiB. Sweeps over fields larger than the cache become about 20 % faster,
// because with 4 KiB pages the translation lookaside buffer (TLB) is too small. For smaller blocks huge
// pages only waste memory.
#define HUGE_PAGE      ((size_t)2 << 20)
#define HUGE_MIN_BYTES ((size_t)8 << 20)

#ifdef _WIN32

static void *library_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    return _aligned_malloc(size, align);
}

static void library_free(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
    _aligned_free(p);
}

#else

static void *library_alloc(void *ctx, size_t size, size_t align)
{
    void *p = NULL;

    (void)ctx;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size >= HUGE_MIN_BYTES) {
        if (posix_memalign(&p, HUGE_PAGE, size) != 0) return NULL;
        (void)madvise(p, size - size % HUGE_PAGE, MADV_HUGEPAGE); // only advice: failure is harmless
        return p;
    }
#endif
    return posix_memalign(&p, align, size) == 0 ? p : NULL;
}

static void library_free(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
    free(p);
}

#endif

void memory_init(struct memory *m, const tarn_allocator *allocator)
{
    const tarn_allocator library = {library_alloc, library_free, NULL};
    m->use = NULL;
    m->allocator = allocator && allocator->alloc && allocator->free ? *allocator : library;
}

// The size in bytes, 0 on overflow. The limit is PTRDIFF_MAX, because differences of pointers must not
// overflow either.
static size_t byte_count(size_t count, size_t size)
{
    if (count == 0) count = 1;
    return size == 0 || count > (size_t)PTRDIFF_MAX / size ? 0 : count * size;
}

void memory_use_add(struct memory_use *use, size_t bytes)
{
    if (!use) return;
    const size_t now = atomic_fetch_add_explicit(&use->bytes, bytes, memory_order_relaxed) + bytes;
    size_t peak = atomic_load_explicit(&use->peak_bytes, memory_order_relaxed);
    while (now > peak && !atomic_compare_exchange_weak_explicit(&use->peak_bytes, &peak, now,
                                                                memory_order_relaxed, memory_order_relaxed))
        ;
    atomic_fetch_add_explicit(&use->allocations, 1, memory_order_relaxed);
}

void *memory_alloc(const struct memory *m, size_t count, size_t size)
{
    const size_t n = byte_count(count, size);
    void *p = n ? m->allocator.alloc(m->allocator.context, n, ALIGN) : NULL;
    if (!p) return NULL;
    memset(p, 0, n);
    memory_use_add(m->use, n);
    return p;
}

void memory_free(const struct memory *m, void *p, size_t count, size_t size)
{
    if (!p) return;
    const size_t n = byte_count(count, size);
    m->allocator.free(m->allocator.context, p, n);
    if (m->use) atomic_fetch_sub_explicit(&m->use->bytes, n, memory_order_relaxed);
}

bool memory_grow(const struct memory *m, void **p, int *capacity, int need, size_t size)
{
    if (need <= *capacity) return true;
    const int half = *capacity / 2;
    int new_capacity = *capacity > INT_MAX - half ? INT_MAX : *capacity + half;
    if (new_capacity < need) new_capacity = need;

    void *grown = memory_alloc(m, (size_t)new_capacity, size);
    if (!grown) return false;
    if (*p) {
        memcpy(grown, *p, (size_t)*capacity * size);
        memory_free(m, *p, (size_t)*capacity, size);
    }
    *p = grown;
    *capacity = new_capacity;
    return true;
}

void memory_clear(void *p, int count, size_t size)
{
    if (count > 0) memset(p, 0, (size_t)count * size);
}
