// Measures how much stack a function takes: it runs on a thread whose stack was filled with a pattern before.
#ifndef TESTS_PAINTED_STACK_H
#define TESTS_PAINTED_STACK_H

#include "check.h"

#include <pthread.h>

// Promise in tarn/base.h for every call and task of libtarn. Includes what the C library keeps on the stack of
// a thread.
enum { SMALL_STACK = 64 << 10 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_IS_MEASURED 0 // sanitizers need more
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STACK_IS_MEASURED 0
#endif
#endif
#ifndef STACK_IS_MEASURED
#define STACK_IS_MEASURED 1
#endif

enum { PAINTED_BYTES = 1 << 20, PAINT = 0xA5 };

struct painted_call {
    void (*function)(void *);
    void *argument;
};

static inline void *painted_main(void *call)
{
    const struct painted_call *c = call;
    c->function(c->argument);
    return NULL;
}

// The largest number of bytes of stack that the call used; 0 under a sanitizer. The function must not use
// cmocka's assertions, which jump to another thread's stack.
static inline size_t stack_depth_of(void (*function)(void *), void *argument)
{
    struct painted_call call = {function, argument};
    pthread_attr_t attributes;
    pthread_t thread;
    size_t unused = 0;
    unsigned char *stack = aligned_alloc(4096, PAINTED_BYTES);

    assert_non_null(stack);
    memset(stack, PAINT, PAINTED_BYTES);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, PAINTED_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, painted_main, &call), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    while (unused < PAINTED_BYTES && stack[unused] == PAINT) ++unused;
    free(stack);
    return STACK_IS_MEASURED ? PAINTED_BYTES - unused : 0;
}

#endif
