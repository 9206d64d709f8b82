// Services of the program for a world: an allocator that counts, a log, and a task system. The world takes
// its memory from the allocator, does no allocation in a step once all arrays have their size, and its
// result is the same for any task system.
#include <stdio.h>
#include <stdlib.h>
#include <tarn/tarn.h>

struct heap {
    size_t bytes, calls;
};

static void *allocate(void *context, size_t size, size_t align)
{
    struct heap *heap = context;
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);

    if (memory) heap->bytes += size, ++heap->calls;
    return memory;
}

static void release(void *context, void *memory, size_t size)
{
    struct heap *heap = context;

    if (memory) heap->bytes -= size;
    free(memory);
}

static void print(void *context, tarn_log_level level, const char *text)
{
    (void)context;
    fprintf(stderr, "%s%s\n", level == TARN_LOG_WARNING ? "warning: " : "", text);
}

// A task system must call task(arg, i) once for each i: here backwards on the calling thread. docs/c-api.md
// shows one that uses the job queue of an engine.
static void run_backwards(void *context, tarn_task_fn task, void *arg, int count)
{
    (void)context;
    for (int i = count - 1; i >= 0; --i) task(arg, i);
}

static tarn_result make_world(const tarn_host *host, tarn_world **world)
{
    const tarn_shape_def box = tarn_default_shape_def(TARN_SHAPE_BOX);
    tarn_fluid_def water = tarn_default_fluid_def(TARN_FLUID_SHALLOW);
    tarn_world_def def = tarn_default_world_def();
    tarn_body_def body = tarn_default_body_def();

    def.fluid = &water;
    if (host) def.host = *host;
    tarn_result r = tarn_world_create(&def, world, NULL);
    return r == TARN_OK ? tarn_body_create_with_shape(*world, &body, &box, NULL, NULL) : r;
}

int main(void)
{
    struct heap heap = {0};
    const tarn_host host = {
        .allocator = {allocate, release, &heap}, .log = {print, NULL}, .tasks = {run_backwards, NULL}};
    tarn_world *with_host = NULL, *alone = NULL;
    tarn_result r = make_world(&host, &with_host);

    if (r == TARN_OK) r = make_world(NULL, &alone);
    if (r == TARN_OK) r = tarn_world_advance(with_host, 1.0);
    const size_t warm = heap.calls;
    if (r == TARN_OK) r = tarn_world_advance(with_host, 1.0);
    if (r == TARN_OK) r = tarn_world_advance(alone, 2.0);
    const int equal = tarn_world_hash(with_host) == tarn_world_hash(alone);
    printf("%zu bytes, %zu calls of the allocator, %zu of them in the last 60 steps; results %s\n",
           heap.bytes, heap.calls, heap.calls - warm, equal ? "equal" : "differ");
    const size_t in_steps = heap.calls - warm;
    tarn_world_destroy(with_host);
    tarn_world_destroy(alone);
    return r != TARN_OK || !equal || in_steps > 0 || heap.bytes > 0;
}
