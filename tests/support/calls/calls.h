// Calls of the public functions with right and wrong arguments, for test_wrong_calls.c, test_const_queries.c
// and fuzz_api.c.
//
// generate.py reads the headers and writes api_calls.h: for each function one that calls it, and for each
// struct that is passed one that spoils its members. Each argument and each member is a site. A site has a
// right value, number 0, and wrong ones; `choose` selects. What is wrong with a call is collected in `wrong`,
// and the end of the call compares that with the result.
#ifndef TESTS_CALLS_H
#define TESTS_CALLS_H

#include <tarn/command.h>
#include <tarn/scene.h>

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SITES = 1024,
    MOST_BLOCKS = 512,
    MOST_IDS = 8,
    CELLS = 8,
    FILE_BYTES = 1 << 18,
    FIELD_BYTES = 1024
};

enum {
    WRONG_ARGUMENT = 1, // a null pointer, no such id, no such enumerator: TARN_BAD_ARGUMENT
    WRONG_VALUE = 2,    // not finite, or outside the range in the header: TARN_BAD_ARGUMENT or TARN_BAD_INPUT
    UNUSUAL = 4,        // accepted or refused
    NO_ELEMENTS = 8     // a count of 0: what is wrong in its array may be accepted
};

// Kinds of ids in `struct caller`.
enum { ID_KINDS = 8 };

struct caller {
    int (*choose)(struct caller *c, int count); // the variant at this site, 0: the right one
    // choose_planned
    int site, variants[MOST_SITES], wrong_site, wrong_variant;
    // choose_random
    const uint8_t *data;
    size_t left;

    int instance, instances; // which of several right values, and how many there are at most
    unsigned wrong;
    bool planar, reads_only; // reads_only: the function takes const worlds
    const char *function, *argument, *member;
    char place[96];                        // argument and member of the wrong site
    tarn_world *original, *world, *second; // clones of the original
    uint64_t ids[ID_KINDS][MOST_IDS];      // the first two are right ones
    int id_count[ID_KINDS];
    const tarn_shape *shape, *open_shape;
    struct call_file {
        size_t size, at;
        uint8_t data[FILE_BYTES];
    } * file; // a checkpoint of the world
    size_t snapshot_bytes;
    void *snapshot;
    const char *scene_text;

    // of the current call
    tarn_result result;
    tarn_error *error;         // what it was given; NULL: none
    void *blocks[MOST_BLOCKS]; // memory to free
    int block_count;
    void **objects[4], **out; // objects to destroy; where the function writes a new one
    void (*destroy[4])(void *);
    int object_count;
    char problem[256];
};

// ---- choices ----------------------------------------------------------------------------------------

static inline int choose_planned(struct caller *c, int count)
{
    if (c->site >= MOST_SITES) abort();
    c->variants[c->site] = count;
    if (c->site++ != c->wrong_site) return 0;
    snprintf(c->place, sizeof c->place, "%s%s%s", c->argument, c->member[0] ? "." : "", c->member);
    return c->wrong_variant;
}

static inline int next_byte(struct caller *c) { return c->left ? (--c->left, *c->data++) : 0; }

// One argument in 16 is wrong.
static inline int choose_random(struct caller *c, int count)
{
    const int byte = next_byte(c);
    return byte < 240 || count < 2 ? 0 : 1 + next_byte(c) % (count - 1);
}

static inline int instance(struct caller *c, int count)
{
    if (count > c->instances) c->instances = count;
    return (c->data ? next_byte(c) : c->instance) % count;
}

static inline void *allocate(struct caller *c, size_t size)
{
    void *block = calloc(1, size);
    if (!block || c->block_count >= MOST_BLOCKS) abort();
    return c->blocks[c->block_count++] = block;
}

// ---- values: the right one, or a wrong one ------------------------------------------------------------

static inline void *pointer(struct caller *c, const void *right, unsigned wrong)
{
    if (!right || !wrong || !c->choose(c, 2)) return (void *)(uintptr_t)right;
    c->wrong |= wrong;
    return NULL;
}

// A pointer to what was spoiled since c->wrong was `before`: a null pointer keeps all of that from the call.
static inline void *pointer_to_spoiled(struct caller *c, const void *right, unsigned wrong, unsigned before)
{
    void *passed = pointer(c, right, wrong);
    if (!passed) c->wrong = before | wrong;
    return passed;
}

// `low` above `high`: the header has no range.
static inline double number(struct caller *c, double right, double low, double high, bool nan_allowed)
{
    const bool ranged = low <= high;
    const double wrong[] = {right,
                            NAN,
                            INFINITY,
                            -INFINITY,
                            ranged ? low - fabs(low) - 1.0 : -1e300,
                            ranged ? high + fabs(high) + 1.0 : 1e300,
                            -1e-300,
                            0.0};
    const int k = c->choose(c, 8);
    if (k == 1)
        c->wrong |= nan_allowed ? UNUSUAL : WRONG_VALUE;
    else if (k == 4 || k == 5)
        c->wrong |= ranged ? WRONG_VALUE : UNUSUAL;
    else if (k > 5)
        c->wrong |= UNUSUAL;
    else if (k)
        c->wrong |= fabs(low) == INFINITY || fabs(high) == INFINITY ? UNUSUAL : WRONG_VALUE;
    return wrong[k];
}

static inline int integer(struct caller *c, int right, double low, double high)
{
    const int wrong[] = {right, -1, INT_MIN, INT_MAX};
    const int k = c->choose(c, 4);
    if (k) c->wrong |= low <= high && (wrong[k] < low || wrong[k] > high) ? WRONG_VALUE : UNUSUAL;
    return wrong[k];
}

// A number of elements that `right` are there of: never more.
static inline int count_of(struct caller *c, int right, unsigned negative)
{
    const int wrong[] = {right, 0, -1, INT_MIN};
    const int k = c->choose(c, 4);
    if (k) c->wrong |= k == 1 ? (unsigned)(UNUSUAL | NO_ELEMENTS) : negative;
    return wrong[k];
}

static inline int enumerator(struct caller *c, int right, unsigned wrong)
{
    const int values[] = {right, -1, 1000, INT_MAX};
    const int k = c->choose(c, 4);
    if (k) c->wrong |= wrong;
    return values[k];
}

static inline uint64_t bits(struct caller *c, uint64_t right)
{
    const uint64_t wrong[] = {right, 0, ~0ull, 1ull << 63};
    const int k = c->choose(c, 4);
    if (k) c->wrong |= UNUSUAL;
    return wrong[k];
}

static inline size_t size_of_bytes(struct caller *c, size_t right)
{
    const size_t wrong[] = {right, 0, right / 2};
    const int k = c->choose(c, 3);
    if (k) c->wrong |= UNUSUAL;
    return wrong[k];
}

static inline size_t stride_of(struct caller *c, size_t right)
{
    const size_t wrong[] = {right, 0, 1, 4, 12, 20};
    const int k = c->choose(c, 6);
    if (k) c->wrong |= UNUSUAL;
    return wrong[k];
}

// An id of an object that exists.
static inline uint64_t id_at(struct caller *c, int kind, int which)
{
    const int count = c->id_count[kind];
    return count ? c->ids[kind][c->data ? next_byte(c) % count : which % count] : 0;
}

// Stale, none, of a slot that was never used, all bits.
static inline uint64_t wrong_id(struct caller *c, uint64_t right, unsigned wrong)
{
    const uint64_t values[] = {right, right + (1ull << 32), 0, (1ull << 32) + 1000000, ~0ull};
    const int k = c->choose(c, 5);
    if (k) c->wrong |= wrong;
    return values[k];
}

static inline void text_member(struct caller *c, char *text, size_t size)
{
    const int k = c->choose(c, 2); // no zero at the end
    if (!k) return;
    memset(text, 'x', size);
    c->wrong |= UNUSUAL;
}

static inline const char *text_argument(struct caller *c, const char *right, unsigned null)
{
    static char endless[5000];
    const char *const values[] = {right, NULL, "", "no such thing", "a[", "bodies[99999999999]", endless};
    const int k = c->choose(c, 7);
    memset(endless, 'x', sizeof endless - 1);
    if (k) c->wrong |= k == 1 ? null : UNUSUAL;
    return values[k];
}

// ---- callbacks ----------------------------------------------------------------------------------------

static inline tarn_result write_nowhere(void *ctx, const void *data, size_t size)
{
    (void)ctx, (void)data, (void)size;
    return TARN_OK;
}

static inline tarn_result read_file(void *ctx, void *data, size_t size)
{
    struct call_file *f = ctx;
    if (!f || size > f->size - f->at) return TARN_IO;
    memcpy(data, f->data + f->at, size);
    f->at += size;
    return TARN_OK;
}

static inline tarn_flow_sample still_fluid(void *ctx, double x, double y)
{
    (void)ctx, (void)x, (void)y;
    return (tarn_flow_sample){0};
}

// ---- objects ------------------------------------------------------------------------------------------

static inline void destroy_world(void *p) { tarn_world_destroy(p); }
static inline void release_shape(void *p) { tarn_shape_release(p); }
static inline void destroy_pool(void *p) { tarn_thread_pool_destroy(p); }
static inline void destroy_scene(void *p) { tarn_scene_destroy(p); }
static inline void free_notes(void *p) { tarn_diagnostics_free(p); }
static inline void free_text(void *p) { tarn_text_free(p); }
static inline void free_frame(void *p) { tarn_frame_free(p); }

// Where a function writes a new object, which is destroyed after the call.
static inline void *new_object(struct caller *c, void (*destroy)(void *))
{
    c->out = c->objects[c->object_count] = allocate(c, sizeof(void *));
    c->destroy[c->object_count++] = destroy;
    return pointer(c, c->out, WRONG_ARGUMENT);
}

// An object that is destroyed after the call.
static inline void *owned(struct caller *c, void *object, void (*destroy)(void *))
{
    void **slot = allocate(c, sizeof *slot);
    *slot = object;
    c->objects[c->object_count] = slot;
    c->destroy[c->object_count++] = destroy;
    return object;
}

static inline tarn_thread_pool *make_pool(void)
{
    tarn_thread_pool *pool = NULL;
    if (tarn_thread_pool_create(1, NULL, &pool, NULL) != TARN_OK) abort();
    return pool;
}

static inline tarn_scene *make_scene(const struct caller *c)
{
    tarn_scene *scene = NULL;
    if (tarn_scene_parse("pond", c->scene_text, strlen(c->scene_text), &scene, NULL) != TARN_OK) abort();
    return scene;
}

// A shape with one more reference, which the call removes.
static inline const tarn_shape *shape_to_release(struct caller *c)
{
    const tarn_shape *shape = pointer(c, c->shape, UNUSUAL);
    tarn_shape_retain(shape);
    return shape;
}

static inline tarn_world **two_worlds(struct caller *c)
{
    tarn_world **list = allocate(c, 2 * sizeof *list);
    list[0] = pointer(c, c->world, WRONG_ARGUMENT);
    list[1] = c->second;
    return pointer(c, list, WRONG_ARGUMENT);
}

static inline tarn_error *error_argument(struct caller *c)
{
    tarn_error *error = allocate(c, sizeof *error);
    return c->error = pointer(c, error, UNUSUAL);
}

// ---- the end of a call --------------------------------------------------------------------------------

#define PROBLEM(c, ...)                                                                \
    do {                                                                               \
        if (!(c)->problem[0]) snprintf((c)->problem, sizeof(c)->problem, __VA_ARGS__); \
    } while (0)

static inline void end_of_result(struct caller *c, tarn_result result)
{
    c->result = result;
    if ((int)result < TARN_OK || result > TARN_DIVERGED || result == TARN_FAILED)
        PROBLEM(c, "returns %d, which is no documented result", (int)result);
    const bool wrong = c->wrong & (WRONG_ARGUMENT | WRONG_VALUE) && !(c->wrong & NO_ELEMENTS);
    if (result == TARN_OK && wrong) PROBLEM(c, "accepts it");
    if (result != TARN_OK && c->error && !c->error->message[0])
        PROBLEM(c, "returns %d without a message", (int)result);
    if (result != TARN_OK && c->out && *c->out) PROBLEM(c, "fails and returns an object");
}

// Functions that return values return zero for wrong arguments.
static inline void end_of_value(struct caller *c, const void *value, size_t size)
{
    c->result = c->wrong & WRONG_ARGUMENT ? TARN_BAD_ARGUMENT : TARN_OK;
    for (size_t i = 0; i < size && c->wrong & WRONG_ARGUMENT; ++i)
        if (((const unsigned char *)value)[i]) PROBLEM(c, "returns something");
}

static inline void free_call(struct caller *c)
{
    for (int i = 0; i < c->object_count; ++i)
        if (*c->objects[i]) c->destroy[i](*c->objects[i]);
    for (int i = 0; i < c->block_count; ++i) free(c->blocks[i]);
    c->block_count = c->object_count = 0;
    c->out = NULL;
}

#endif
