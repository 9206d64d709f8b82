// The state in memory: snapshots, backups for repeated steps, clones, differences between two states. All of
// them hold the sections of a checkpoint without headers and checksums. Only snapshots hold shapes; otherwise
// the bodies of the world that is saved have them.
#include "base/error.h"
#include "base/parallel/fpmode.h"
#include "body/solve/dynamics.h"
#include "world.h"

#include <string.h>

// ---- saving and loading -----------------------------------------------------------------------------

// Writes while there is space and counts the bytes in any case.
struct memory_writer {
    unsigned char *data;
    size_t size, capacity;
};

static tarn_result write_to_memory(void *context, const void *data, size_t size)
{
    struct memory_writer *out = context;
    if (out->size <= out->capacity && size <= out->capacity - out->size)
        memcpy(out->data + out->size, data, size);
    out->size += size;
    return TARN_OK;
}

// Without shapes their section is empty. False without memory for a list of them.
static bool write_sections(const tarn_world *w, bool with_shapes, struct memory_writer *out,
                           size_t ends[WORLD_SECTIONS])
{
    struct saver s = {.write = write_to_memory, .ctx = out, .result = TARN_OK, .raw = true};
    const size_t start = out->size;
    for (int i = 0; i < WORLD_SECTIONS; ++i) {
        if (with_shapes || i != SHAPES_SECTION) world_save_section(w, i, &s);
        ends[i] = out->size - start;
    }
    return s.result == TARN_OK;
}

// A body that is in both states keeps its record, and an equal shape, because frames point into them; the
// rest is exchanged.
static void keep_body_records(tarn_world *w, tarn_world *loaded)
{
    struct bodies *b = &w->bodies, *other = &loaded->bodies;
    for (int i = 0; i < imin(b->slot_count, other->slot_count); ++i) {
        if (!body_exists(b, i) || !body_exists(other, i)) continue;
        if (b->slots[i].generation != other->slots[i].generation) continue;
        struct body *kept = b->slots[i].body, *copy = other->slots[i].body;
        const struct body before = *kept;
        *kept = *copy, *copy = before;
        if (before.def.shape->content == kept->def.shape->content)
            copy->def.shape = kept->def.shape, kept->def.shape = before.def.shape;
        b->slots[i].body = copy, other->slots[i].body = kept;
        w->coupling.per_body[i].hull = &copy->def.shape->data.hull;
        loaded->coupling.per_body[i].hull = &kept->def.shape->data.hull;
    }
}

#define SWAP(type, member)          \
    do {                            \
        type held = w->member;      \
        w->member = loaded->member; \
        loaded->member = held;      \
    } while (0)

// Exchange the state and what is derived from it; host and memory stay. Both worlds have the same threads.
static void swap_state(tarn_world *w, tarn_world *loaded)
{
    const tarn_host host = w->def.host;
    keep_body_records(w, loaded);
    SWAP(struct fluid, fluid);
    SWAP(struct bodies, bodies);
    SWAP(struct coupling, coupling);
    SWAP(struct planar_coupling, planar);
    SWAP(struct emitter *, emitters);
    SWAP(int, emitter_slot_count);
    SWAP(int, emitter_capacity);
    w->fluid.memory = w->bodies.memory = w->coupling.memory = w->planar.memory = &w->memory;
    loaded->fluid.memory = loaded->bodies.memory = loaded->coupling.memory = loaded->planar.memory =
        &loaded->memory;
    w->def = loaded->def, w->def.host = host; // live parameters are state
    w->steps = loaded->steps, w->substeps = loaded->substeps, w->accumulated_time = loaded->accumulated_time;
    w->courant = loaded->courant, w->wall_impulse = loaded->wall_impulse;
    memcpy(w->failure, loaded->failure, sizeof w->failure);
}

// Restore a state whose shapes are in `shapes` or, if that is empty, in the section for them. It is loaded into
// the spare world, and the two change places: after a failure the world is as before. `event_counts`: of the
// events that stay; NULL: none.
static tarn_result restore_state(tarn_world *w, const struct stored_state *state, struct shape_set *shapes,
                                 const int *event_counts, tarn_error *err)
{
    tarn_host host = w->def.host;
    host.log = (tarn_log){0}; // the description was logged when the world was created
    const tarn_result r = world_load_sections(state, &host, &w->services, shapes, &w->spare, err);
    if (r != TARN_OK) return r;
    swap_state(w, w->spare);
    if (event_counts) bodies_take_events(&w->bodies, &w->spare->bodies, event_counts);
    if (!w->fluid.model->planar) return TARN_OK;
    tarn_world_destroy(w->spare); // cut cells, obstacles and solids of a planar model are made anew
    w->spare = NULL;
    return TARN_OK;
}

// The same, with the shapes of the bodies of `source`.
static tarn_result restore_with_shapes_of(tarn_world *w, const tarn_world *source,
                                          const struct stored_state *state, const int *event_counts,
                                          tarn_error *err)
{
    struct shape_set shapes = {0};
    const tarn_result r = bodies_collect_shapes(&source->bodies, &shapes, &w->memory)
                              ? restore_state(w, state, &shapes, event_counts, err)
                              : fail(err, TARN_NO_MEMORY, "", "no memory for a list of shapes");
    shape_set_free(&shapes, &w->memory);
    return r;
}

// ---- backup for repeated steps ----------------------------------------------------------------------

struct backup {
    struct memory_writer memory;
    struct stored_state state;
    int event_counts[EVENT_KINDS]; // of the steps before in the same call
};

bool world_save_backup(tarn_world *w)
{
    if (!w->backup) w->backup = memory_alloc(&w->memory, 1, sizeof *w->backup);
    if (!w->backup) return false;
    struct memory_writer *out = &w->backup->memory;
    out->size = 0;
    bodies_count_events(&w->bodies, w->backup->event_counts);
    write_sections(w, false, out, w->backup->state.ends);
    if (out->size <= out->capacity) return true;
    const size_t capacity = out->size + out->size / 4;
    memory_free(&w->memory, out->data, out->capacity, 1);
    *out = (struct memory_writer){.data = memory_alloc(&w->memory, capacity, 1)};
    if (!out->data) return false;
    out->capacity = capacity;
    write_sections(w, false, out, w->backup->state.ends);
    return true;
}

tarn_result world_restore_backup(tarn_world *w)
{
    w->backup->state.data = w->backup->memory.data;
    return restore_with_shapes_of(w, w, &w->backup->state, w->backup->event_counts, NULL);
}

void world_free_backup(tarn_world *w)
{
    if (!w->backup) return;
    memory_free(&w->memory, w->backup->memory.data, w->backup->memory.capacity, 1);
    memory_free(&w->memory, w->backup, 1, sizeof *w->backup);
    w->backup = NULL;
}

// ---- snapshots --------------------------------------------------------------------------------------

// Identifies worlds between which states may be exchanged, and the build.
struct world_identity {
    char model[TARN_NAME_BYTES];
    int32_t version[4]; // the last one is not used
    uint64_t sizes[3];  // of structures whose bytes a snapshot depends on
    uint64_t fixed;     // hash of the parameters of the fluid that are not live
    int32_t nx, nz, seed, coupling;
    double dx, dt, density;
};

struct snapshot_header {
    char magic[16];
    struct world_identity identity;
    uint64_t size; // of all, header included
    size_t ends[WORLD_SECTIONS];
    int shape_count; // their content hashes follow, then the sections
    int clip_count;  // clipped hulls behind the sections
};
static const char snapshot_magic[16] = "tarn snapshot";

static struct world_identity identify(const tarn_world *w)
{
    struct world_identity id;
    memset(&id, 0, sizeof id); // padding is compared too
    memcpy(id.model, w->fluid.model->kind.name, strlen(w->fluid.model->kind.name));
    id.version[0] = TARN_VERSION_MAJOR, id.version[1] = TARN_VERSION_MINOR,
    id.version[2] = TARN_VERSION_PATCH;
    id.sizes[0] = sizeof(tarn_world), id.sizes[1] = sizeof(struct body), id.sizes[2] = sizeof(struct joint);
    id.fixed = param_hash_fixed(&w->fluid.model->kind, w->fluid.def.space);
    id.nx = w->fluid.grid.nx, id.nz = w->fluid.grid.nz;
    id.seed = w->def.seed, id.coupling = w->fluid.model->planar ? 0 : w->def.coupling; // live in flow
    id.dx = w->fluid.grid.dx, id.dt = w->def.dt, id.density = w->def.density;
    return id;
}

static bool is_same_identity(const struct world_identity *a, const struct world_identity *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool write_shape_contents(const tarn_world *w, struct memory_writer *out, int *count)
{
    struct shape_set shapes = {0};
    const bool ok = bodies_collect_shapes(&w->bodies, &shapes, &w->memory);
    *count = shapes.count;
    for (int i = 0; i < shapes.count; ++i) write_to_memory(out, &shapes.list[i]->content, sizeof(uint64_t));
    shape_set_free(&shapes, &w->memory);
    return ok;
}

size_t tarn_world_snapshot(const tarn_world *w, void *buffer, size_t capacity)
{
    if (!w) return 0;
    struct snapshot_header head;
    memset(&head, 0, sizeof head);
    struct memory_writer out = {buffer, sizeof head, buffer ? capacity : 0};
    if (!write_shape_contents(w, &out, &head.shape_count) || !write_sections(w, true, &out, head.ends))
        return 0;
    head.clip_count = couple_save_clips(&w->coupling, &w->bodies, write_to_memory, &out);
    memcpy(head.magic, snapshot_magic, sizeof head.magic);
    head.identity = identify(w);
    head.size = out.size;
    if (buffer && out.size <= capacity) memcpy(buffer, &head, sizeof head);
    return out.size;
}

static size_t sections_offset(const struct snapshot_header *head)
{
    return sizeof *head + (size_t)head->shape_count * sizeof(uint64_t);
}

// The shapes of the bodies of a world and of its spare, if all shapes of a snapshot are among them; otherwise
// an empty set, and the shapes are made from the snapshot. False without memory.
static bool find_shapes(const tarn_world *w, const unsigned char *contents, int count, struct shape_set *out)
{
    bool all = true;
    if (!bodies_collect_shapes(&w->bodies, out, &w->memory) ||
        (w->spare && !bodies_collect_shapes(&w->spare->bodies, out, &w->memory)))
        return false;
    for (int i = 0; i < count && all; ++i) {
        uint64_t content;
        memcpy(&content, contents + (size_t)i * sizeof content, sizeof content);
        all = shape_set_find(out, content) != NULL;
    }
    if (!all) shape_set_free(out, &w->memory);
    return true;
}

static tarn_result check_snapshot(const tarn_world *w, const struct snapshot_header *head, size_t size,
                                  tarn_error *err)
{
    const struct world_identity mine = identify(w);
    if (memcmp(head->magic, snapshot_magic, sizeof head->magic) != 0 || head->size > size ||
        head->ends[WORLD_SECTIONS - 1] > head->size - sections_offset(head))
        return fail(err, TARN_BAD_INPUT, "", "this is no snapshot of a world");
    if (!is_same_identity(&head->identity, &mine))
        return fail(err, TARN_BAD_INPUT, "",
                    "the snapshot is of a world with other fixed parameters (model, grid, step ...), or of "
                    "another build");
    return TARN_OK;
}

tarn_result tarn_world_restore(tarn_world *w, const void *buffer, size_t size, tarn_error *err)
{
    struct snapshot_header head;
    struct shape_set shapes = {0};
    const unsigned char *bytes = buffer;
    if (!w || !buffer) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    if (size < sizeof head) return fail(err, TARN_BAD_INPUT, "", "%zu bytes are no snapshot", size);
    memcpy(&head, buffer, sizeof head);
    tarn_result r = check_snapshot(w, &head, size, err);
    if (r != TARN_OK) return r;
    struct stored_state state = {.data = bytes + sections_offset(&head), .clips.count = head.clip_count};
    memcpy(state.ends, head.ends, sizeof state.ends);
    state.clips.data = state.data + state.ends[WORLD_SECTIONS - 1];
    const struct fpmode host = fpmode_enter();
    r = find_shapes(w, bytes + sizeof head, head.shape_count, &shapes)
            ? restore_state(w, &state, &shapes, NULL, err)
            : fail(err, TARN_NO_MEMORY, "", "no memory for a list of shapes");
    shape_set_free(&shapes, &w->memory);
    fpmode_leave(host);
    if (r == TARN_OK) w->has_previous = false;
    return r;
}

static bool write_copy(const tarn_world *w, struct memory_writer *out, struct stored_state *state)
{
    const bool ok = write_sections(w, false, out, state->ends);
    state->clips.count = couple_save_clips(&w->coupling, &w->bodies, write_to_memory, out);
    return ok;
}

// The state without shapes in memory of `m`. False without memory. *size: for memory_free() of its data.
static bool copy_state(const tarn_world *w, const struct memory *m, struct stored_state *state, size_t *size)
{
    struct memory_writer out = {0};
    write_copy(w, &out, state);
    *size = out.size;
    out = (struct memory_writer){.data = memory_alloc(m, *size, 1), .capacity = *size};
    if (out.data) write_copy(w, &out, state);
    state->data = out.data;
    state->clips.data = out.data + state->ends[WORLD_SECTIONS - 1];
    return out.data != NULL;
}

tarn_result tarn_world_clone(const tarn_world *w, const tarn_host *host, tarn_world **out, tarn_error *err)
{
    if (out) *out = NULL;
    if (!w || !out) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    if (!host) host = &w->def.host;
    struct memory memory;
    struct stored_state state;
    size_t size;
    memory_init(&memory, &host->allocator);
    if (!copy_state(w, &memory, &state, &size))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a copy of the state");
    struct shape_set shapes = {0};
    const struct fpmode mode = fpmode_enter();
    const tarn_result r = bodies_collect_shapes(&w->bodies, &shapes, &memory)
                              ? world_load_sections(&state, host, NULL, &shapes, out, err)
                              : fail(err, TARN_NO_MEMORY, "", "no memory for a list of shapes");
    fpmode_leave(mode);
    shape_set_free(&shapes, &memory);
    memory_free(&memory, (void *)state.data, size, 1);
    return r;
}

tarn_result tarn_world_copy_state(tarn_world *w, const tarn_world *source, tarn_error *err)
{
    if (!w || !source) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    if (w == source) return TARN_OK;
    const struct world_identity mine = identify(w), other = identify(source);
    if (!is_same_identity(&mine, &other))
        return fail(err, TARN_BAD_INPUT, "",
                    "the worlds have different fixed parameters (model, grid, step ...)");
    struct stored_state state;
    size_t size;
    if (!copy_state(source, &w->memory, &state, &size))
        return fail(err, TARN_NO_MEMORY, "", "no memory for a copy of the state");
    const struct fpmode mode = fpmode_enter();
    const tarn_result r = restore_with_shapes_of(w, source, &state, NULL, err);
    fpmode_leave(mode);
    memory_free(&w->memory, (void *)state.data, size, 1);
    if (r == TARN_OK) w->has_previous = false;
    return r;
}

// ---- many worlds ------------------------------------------------------------------------------------

struct worlds_job {
    tarn_world *const *worlds;
    double dt; // [s] 0: `step_count` steps
    int step_count;
    tarn_result *results; // may be NULL
};

static tarn_result run_one(const struct worlds_job *job, int i)
{
    const tarn_result r = job->dt > 0.0 ? tarn_world_advance(job->worlds[i], job->dt)
                                        : world_take_steps(job->worlds[i], job->step_count);
    if (job->results) job->results[i] = r;
    return r;
}

static void run_task(void *job, int i) { run_one(job, i); }

static tarn_result run_worlds(struct worlds_job job, int count, const tarn_task_system *tasks)
{
    if (tasks && !tasks->run) tasks = NULL;
    if (!job.worlds || count < 0 || (tasks && !job.results)) return TARN_BAD_ARGUMENT;
    tarn_result first = TARN_OK;
    if (tasks && count > 0) tasks->run(tasks->context, run_task, &job, count);
    for (int i = 0; i < count; ++i) {
        const tarn_result r = tasks ? job.results[i] : run_one(&job, i);
        if (first == TARN_OK) first = r;
    }
    return first;
}

tarn_result tarn_worlds_advance(tarn_world *const *worlds, int count, double dt,
                                const tarn_task_system *tasks, tarn_result *results)
{
    if (!(dt > 0.0)) return TARN_BAD_ARGUMENT;
    return run_worlds((struct worlds_job){worlds, dt, 0, results}, count, tasks);
}

tarn_result tarn_worlds_step(tarn_world *const *worlds, int count, int step_count,
                             const tarn_task_system *tasks, tarn_result *results)
{
    if (step_count < 0) return TARN_BAD_ARGUMENT;
    return run_worlds((struct worlds_job){worlds, 0.0, step_count, results}, count, tasks);
}
