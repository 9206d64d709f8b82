// Save, restore, hash. A checkpoint is a header and sections; the hash of a world is the hash of their checksums,
// so it covers exactly what is saved. Only the time that is owed to the caller is left out of it: 1/144 s taken 144
// times is not quite a second, and that must not tell two equal worlds apart.
#include "base/error.h"
#include "base/fpmode.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "world.h"

#include <string.h>

#define VERSION 7 // part of the hash
static const char magic[16] = "tarn checkpoint";

static void save_world(struct saver *s, const void *what)
{
    const tarn_world *w = what;
    save_text(s, w->fluid.params.kind->name);
    param_save(s, &world_kind, &w->def);
    param_save(s, w->fluid.params.kind, w->fluid.params.data);
    save_u64(s, w->steps);
    save_u64(s, w->substeps);
    save_f64(s, w->courant);
    save_f64s(s, &w->wall_impulse.x, 3);
    save_text(s, w->failure);
}

static void save_clock(struct saver *s, const void *w)
{
    save_f64(s, ((const tarn_world *)w)->accumulated_time);
}
static void save_fluid(struct saver *s, const void *w) { fluid_save(s, &((const tarn_world *)w)->fluid); }
static void save_bodies(struct saver *s, const void *w) { bodies_save(s, &((const tarn_world *)w)->bodies); }

static void save_coupling(struct saver *s, const void *what)
{
    const tarn_world *w = what;
    couple_save(s, &w->coupling, &w->bodies);
}

static void save_emitters(struct saver *s, const void *what)
{
    const tarn_world *w = what;
    save_u32(s, (uint32_t)w->emitter_count);
    for (int i = 0; i < w->emitter_count; ++i) emitter_save(s, &w->emitters[i]);
}

static void save_obstacles(struct saver *s, const void *w)
{
    obstacles_save(s, &((const tarn_world *)w)->fluid);
}

static void save_planar(struct saver *s, const void *what)
{
    const tarn_world *w = what;
    planar_save(s, &w->planar, &w->fluid, &w->bodies);
}

// What is seen of bodies and moves nothing.
static void save_appearance(struct saver *s, const void *what)
{
    const struct bodies *b = &((const tarn_world *)what)->bodies;
    for (int i = 0; i < b->slot_count; ++i)
        if (b->slots[i].body) save_u32(s, (uint32_t)b->slots[i].body->def.material);
}

static const struct {
    const char *name;
    save_fn save;
    bool hashed;
} sections[] = {
    {"world", save_world, true},         {"fluid", save_fluid, true},   {"clock", save_clock, false},
    {"emitters", save_emitters, true},   {"bodies", save_bodies, true}, {"couple", save_coupling, true},
    {"obstacles", save_obstacles, true}, {"swim", save_planar, true},   {"looks", save_appearance, false},
};
#define SECTION_COUNT ((int)(sizeof sections / sizeof sections[0]))

tarn_result tarn_world_save(const tarn_world *w, tarn_writer write, void *ctx)
{
    if (!w || !write) return TARN_BAD_ARGUMENT;
    tarn_result r = write(ctx, magic, sizeof magic);
    for (int i = 0; i < SECTION_COUNT && r == TARN_OK; ++i)
        r = save_section(write, ctx, sections[i].name, VERSION, sections[i].save, w, NULL);
    return r;
}

uint64_t tarn_world_hash(const tarn_world *w)
{
    struct hash all;
    hash_init(&all);
    for (int i = 0; w && i < SECTION_COUNT; ++i) {
        uint64_t sum = 0;
        if (!sections[i].hashed) continue;
        save_section(NULL, NULL, sections[i].name, VERSION, sections[i].save, w, &sum);
        unsigned char bytes[8];
        for (int k = 0; k < 8; ++k) bytes[k] = (unsigned char)(sum >> (8 * k));
        hash_bytes(&all, bytes, sizeof bytes);
    }
    return hash_result(&all);
}

// A world on its way in: made only when the fluid's section is there, so that a short file cannot ask for a
// large grid.
struct pending_world {
    const tarn_host *host;
    tarn_world_def def;
    uint64_t steps, substeps;
    double courant;
    vec3 wall_impulse;
    char failure[sizeof((tarn_world *)NULL)->failure];
    tarn_world *world;
};

static tarn_result load_world(struct loader *l, struct pending_world *c, tarn_error *err)
{
    char model[TARN_NAME_BYTES];
    load_text(l, model, sizeof model);
    c->def = tarn_world_def_default(l->failed ? "" : model);
    if (!c->def.fluid.kind) return fail(err, TARN_BAD_INPUT, "model", "there is no such fluid model");
    if (c->host) c->def.host = *c->host;
    tarn_result r = param_load(l, &world_kind, &c->def, err);
    if (r == TARN_OK) r = param_load(l, c->def.fluid.kind, c->def.fluid.data, err);
    if (r != TARN_OK) return r;
    c->steps = load_u64(l);
    c->substeps = load_u64(l);
    c->courant = load_f64(l);
    load_f64s(l, &c->wall_impulse.x, 3);
    load_text(l, c->failure, sizeof c->failure);
    const bool good = load_is_complete(l) && isfinite(c->courant) && v3_is_finite(c->wall_impulse) &&
                      c->steps < (1ull << 53);
    return good ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "the section 'world' is impossible");
}

static tarn_result load_fluid(struct loader *l, struct pending_world *c, tarn_error *err)
{
    tarn_value cells;
    if (tarn_spec_get(&c->def.fluid, "cells", &cells) == TARN_OK &&
        cells.number[0] * cells.number[1] * sizeof(float) > (double)l->size)
        return fail(err, TARN_BAD_INPUT, "", "the section 'fluid' does not fit its grid");
    const tarn_result r = world_create(&c->def, &c->world, err);
    if (r != TARN_OK) return r;
    c->world->steps = c->steps, c->world->substeps = c->substeps, c->world->courant = c->courant;
    c->world->wall_impulse = c->wall_impulse;
    memcpy(c->world->failure, c->failure, sizeof c->failure);
    return fluid_load(l, &c->world->fluid, err);
}

static tarn_result load_clock(struct loader *l, tarn_world *w, tarn_error *err)
{
    w->accumulated_time = load_f64(l);
    // A step at the most, and what a trouble left undone.
    const bool good = load_is_complete(l) && w->accumulated_time > -1e-3 && w->accumulated_time < 11.0;
    return good ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "the section 'clock' is impossible");
}

static tarn_result load_emitters(struct loader *l, tarn_world *w, tarn_error *err)
{
    const uint32_t count = load_u32(l);
    if (l->failed || count > l->size)
        return fail(err, TARN_BAD_INPUT, "", "the section 'emitters' is impossible");
    if (!memory_grow(&w->memory, (void **)&w->emitters, &w->emitter_capacity, (int)count,
                     sizeof *w->emitters))
        return fail(err, TARN_NO_MEMORY, "", "no memory for %u emitters", count);
    for (uint32_t i = 0; i < count; ++i) {
        const tarn_result r = emitter_load(l, &w->emitters[i], &w->fluid, err);
        if (r != TARN_OK) return r;
        w->emitter_count += 1;
    }
    return load_is_complete(l) ? TARN_OK
                               : fail(err, TARN_BAD_INPUT, "", "the section 'emitters' has a wrong length");
}

static tarn_result load_obstacles(struct loader *l, tarn_world *w, tarn_error *err)
{
    const tarn_result r = obstacles_load(l, &w->fluid, err);
    if (r == TARN_OK && w->fluid.obstacle_count > 0 && !w->fluid.model->planar)
        return fail(err, TARN_BAD_INPUT, "", "obstacles in a model that has none");
    return r;
}

static tarn_result load_planar(struct loader *l, tarn_world *w, tarn_error *err)
{
    const tarn_result r = planar_load(l, &w->planar, &w->fluid, &w->bodies, err);
    if (r == TARN_OK) world_end_edit(w);
    return r;
}

static tarn_result load_appearance(struct loader *l, tarn_world *w, tarn_error *err)
{
    for (int i = 0; i < w->bodies.slot_count; ++i) {
        struct body *c = w->bodies.slots[i].body;
        const uint32_t material = c ? load_u32(l) : 0;
        if (material > TARN_RUBBER) return fail(err, TARN_BAD_INPUT, "", "there is no such material");
        if (c) c->def.material = (int)material;
    }
    return load_is_complete(l) ? TARN_OK
                               : fail(err, TARN_BAD_INPUT, "", "the section 'looks' has a wrong length");
}

static tarn_result load_section_into(int part, struct loader *l, struct pending_world *c, tarn_error *err)
{
    tarn_world *w = c->world;
    switch (part) { // in the order of `sections`
    case 0: return load_world(l, c, err);
    case 1: return load_fluid(l, c, err);
    case 2: return load_clock(l, w, err);
    case 3: return load_emitters(l, w, err);
    case 4: return bodies_load(l, &w->bodies, err);
    case 5: return couple_load(l, &w->coupling, &w->fluid, &w->bodies, err);
    case 6: return load_obstacles(l, w, err);
    case 7: return load_planar(l, w, err);
    default: return load_appearance(l, w, err);
    }
}

tarn_result tarn_world_load(tarn_reader read, void *ctx, const tarn_host *host, tarn_world **out,
                            tarn_error *err)
{
    if (!read || !out) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    *out = NULL;
    struct memory memory;
    memory_init(&memory, host ? &host->allocator : NULL);
    char head[sizeof magic];
    struct pending_world c = {.host = host};
    tarn_result r = read(ctx, head, sizeof head);
    if (r == TARN_OK && memcmp(head, magic, sizeof magic) != 0) r = TARN_BAD_INPUT;
    if (r != TARN_OK) return fail(err, r, "", "this is no checkpoint of tarn");
    const struct fpmode mode = fpmode_enter();
    for (int i = 0; i < SECTION_COUNT && r == TARN_OK; ++i) {
        struct loader l = {0};
        uint32_t version;
        r = load_section(read, ctx, &memory, sections[i].name, VERSION, &l, &version, err);
        if (r == TARN_OK && version != VERSION)
            r = fail(err, TARN_BAD_INPUT, "", "this checkpoint has version %u, and only %u can be read",
                     version, VERSION);
        if (r == TARN_OK) r = load_section_into(i, &l, &c, err);
        load_free(&l);
    }
    fpmode_leave(mode);
    if (r == TARN_OK)
        *out = c.world;
    else
        tarn_world_destroy(c.world);
    return r;
}

// ---- going back -------------------------------------------------------------------------------------

// The sections in memory, without headers: nobody else writes there.
struct backup {
    unsigned char *data;
    size_t size, capacity;
    size_t ends[SECTION_COUNT];
};

static tarn_result append_to_backup(void *ctx, const void *data, size_t size)
{
    tarn_world *w = ctx;
    struct backup *b = w->backup;
    if (size > b->capacity - b->size) {
        const size_t room = 2 * (b->size + size);
        unsigned char *more = memory_alloc(&w->memory, room, 1);
        if (!more) return TARN_NO_MEMORY;
        if (b->size) memcpy(more, b->data, b->size);
        memory_free(&w->memory, b->data, b->capacity, 1);
        b->data = more, b->capacity = room;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return TARN_OK;
}

bool world_save_backup(tarn_world *w)
{
    if (!w->backup) w->backup = memory_alloc(&w->memory, 1, sizeof *w->backup);
    if (!w->backup) return false;
    struct saver s = {.write = append_to_backup, .ctx = w, .result = TARN_OK};
    w->backup->size = 0;
    for (int i = 0; i < SECTION_COUNT; ++i) {
        sections[i].save(&s, w);
        w->backup->ends[i] = w->backup->size;
    }
    return s.result == TARN_OK;
}

// Bodies as they were keep what never changes, so that nobody's pointers to it die.
static void keep_body_records(tarn_world *w, tarn_world *again)
{
    for (int i = 0; i < w->bodies.slot_count; ++i) {
        if (!body_exists(&w->bodies, i)) continue;
        struct body *mine = w->bodies.slots[i].body, *other = again->bodies.slots[i].body;
        mine->user_force = other->user_force, mine->user_torque = other->user_torque;
        w->bodies.slots[i].body = other, again->bodies.slots[i].body = mine;
        w->coupling.per_body[i].hull = &other->geometry->shape.hull;
        again->coupling.per_body[i].hull = &mine->geometry->shape.hull;
    }
}

#define SWAP(type, member)         \
    do {                           \
        type held = w->member;     \
        w->member = again->member; \
        again->member = held;      \
    } while (0)

// State, and what is made from it, change places; what belongs to the caller stays.
static void swap_state(tarn_world *w, tarn_world *again)
{
    keep_body_records(w, again);
    SWAP(struct parallel *, parallel);
    SWAP(struct fluid, fluid);
    SWAP(struct bodies, bodies);
    SWAP(struct coupling, coupling);
    SWAP(struct planar_coupling, planar);
    SWAP(struct emitter *, emitters);
    SWAP(int, emitter_count);
    SWAP(int, emitter_capacity);
    w->fluid.memory = w->bodies.memory = w->coupling.memory = w->planar.memory = &w->memory;
    again->fluid.memory = again->bodies.memory = again->coupling.memory = again->planar.memory =
        &again->memory;
    w->steps = again->steps, w->substeps = again->substeps, w->accumulated_time = again->accumulated_time;
    w->courant = again->courant, w->wall_impulse = again->wall_impulse;
    memcpy(w->failure, again->failure, sizeof w->failure);
}

tarn_result world_restore_backup(tarn_world *w)
{
    tarn_host host = w->def.host;
    host.log = (tarn_log){0}; // it has been said what this world is
    struct pending_world c = {.host = &host};
    const struct backup *b = w->backup;
    tarn_result r = TARN_OK;
    for (int i = 0; i < SECTION_COUNT && r == TARN_OK; ++i) {
        const size_t begin = i ? b->ends[i - 1] : 0;
        struct loader l = {.data = b->data + begin, .size = b->ends[i] - begin, .memory = w->memory};
        r = load_section_into(i, &l, &c, NULL);
    }
    if (r == TARN_OK) swap_state(w, c.world);
    tarn_world_destroy(c.world);
    return r;
}

void world_free_backup(tarn_world *w)
{
    if (w->backup) memory_free(&w->memory, w->backup->data, w->backup->capacity, 1);
    memory_free(&w->memory, w->backup, 1, sizeof *w->backup);
    w->backup = NULL;
}
