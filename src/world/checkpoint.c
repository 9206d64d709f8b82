// Checkpoints and hashes of a world. A checkpoint is a header and sections; the hash of a world is the hash
// of the checksums of its sections, so it covers exactly what is saved. Excluded are the pending time,
// because 144 calls with 1/144 s do not sum to exactly a second, and the appearance of bodies. state.c keeps
// the same sections in memory.
#include "base/error.h"
#include "base/parallel/fpmode.h"
#include "body/solve/dynamics.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "world.h"

#include <string.h>

#define VERSION 9 // part of the hash
static const char magic[16] = "tarn checkpoint";

static void save_world(struct saver *s, const void *what)
{
    const tarn_world *w = what;
    save_text(s, w->fluid.model->kind.name);
    param_save(s, &world_kind, &w->def);
    param_save(s, &w->fluid.model->kind, w->fluid.def.space);
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

// Not hashed: bodies name their shapes by content.
static void save_shapes(struct saver *s, const void *what)
{
    const tarn_world *w = what;
    struct shape_set shapes = {0};
    if (bodies_collect_shapes(&w->bodies, &shapes, &w->memory))
        shape_set_save(s, &shapes);
    else
        s->result = TARN_NO_MEMORY;
    shape_set_free(&shapes, &w->memory);
}

static void save_bodies(struct saver *s, const void *w) { bodies_save(s, &((const tarn_world *)w)->bodies); }

static void save_coupling(struct saver *s, const void *what)
{
    const tarn_world *w = what;
    couple_save(s, &w->coupling, &w->bodies);
}

// Bit of the number of emitters: generations follow, because emitters have been destroyed.
#define EMITTER_GENERATIONS 0x80000000u

static void save_emitters(struct saver *s, const void *what)
{
    const tarn_world *w = what;
    bool first_use = true;
    for (int i = 0; i < w->emitter_slot_count; ++i) first_use &= w->emitters[i].generation == 1;
    save_u32(s, (uint32_t)w->emitter_slot_count | (first_use ? 0 : EMITTER_GENERATIONS));
    for (int i = 0; i < w->emitter_slot_count; ++i) {
        if (!first_use) save_u32(s, w->emitters[i].generation);
        if (w->emitters[i].kind) emitter_save(s, &w->emitters[i]);
    }
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

// The appearance and user data of bodies, parts of their loads and those of obstacles, which do not influence
// the simulation.
#define LOAD_PARTS     12 // numbers from load.slamming on
#define OBSTACLE_PARTS 6  // numbers of struct obstacle_impulse

static void save_appearance(struct saver *s, const void *what)
{
    const struct bodies *b = &((const tarn_world *)what)->bodies;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!b->slots[i].body) continue;
        save_u32(s, (uint32_t)b->slots[i].body->def.appearance);
        save_u64(s, b->slots[i].body->def.user_data);
        save_f64s(s, &((const tarn_world *)what)->coupling.per_body[i].load.slamming.x, LOAD_PARTS);
    }
    for (int i = 0; b->dynamics && i < b->dynamics->joints.slot_count; ++i) {
        const struct joint *j = b->dynamics->joints.slots[i].joint;
        if (j) save_u64(s, j->def.user_data);
    }
    const struct fluid *f = &((const tarn_world *)what)->fluid;
    for (int i = 0; i < f->obstacle_count; ++i)
        save_f64s(s, f->obstacles[i].from_fluid.total, OBSTACLE_PARTS);
}

static const struct {
    const char *name;
    save_fn save;
    bool hashed;
} sections[] = {
    {"world", save_world, true},        {"fluid", save_fluid, true},
    {"clock", save_clock, false},       {"emitters", save_emitters, true},
    {"shapes", save_shapes, false},     {"bodies", save_bodies, true},
    {"coupling", save_coupling, true},  {"obstacles", save_obstacles, true},
    {"flow_bodies", save_planar, true}, {"appearance", save_appearance, false},
};
#define SECTION_COUNT ((int)(sizeof sections / sizeof sections[0]))
_Static_assert(sizeof sections / sizeof sections[0] == WORLD_SECTIONS, "the header has their number");

const char *world_section_name(int section) { return sections[section].name; }

void world_save_section(const tarn_world *w, int section, struct saver *s) { sections[section].save(s, w); }

uint64_t world_hash_section(const tarn_world *w, int section)
{
    uint64_t sum = 0;
    if (sections[section].hashed)
        save_section(NULL, NULL, sections[section].name, VERSION, sections[section].save, w, &sum);
    return sum;
}

tarn_result tarn_world_save(const tarn_world *w, tarn_write_fn write, void *ctx)
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
    if (!w) return 0;
    hash_init(&all);
    for (int i = 0; i < SECTION_COUNT; ++i) {
        if (!sections[i].hashed) continue;
        const uint64_t sum = world_hash_section(w, i);
        unsigned char bytes[8];
        for (int k = 0; k < 8; ++k) bytes[k] = (unsigned char)(sum >> (8 * k));
        hash_bytes(&all, bytes, sizeof bytes);
    }
    return hash_result(&all);
}

// A world that is being loaded. Unless there is one already, it is created only when the section of the fluid
// has been read, so that a short file cannot cause the allocation of a large grid.
struct pending_world {
    const tarn_host *host;
    const struct world_services *shared; // those of another world; NULL: its own
    tarn_world_def def;
    tarn_fluid_def fluid;
    struct table_rows_buffer rows; // that the definition of the fluid borrows
    uint64_t steps, substeps;
    double courant;
    vec3 wall_impulse;
    char failure[sizeof((tarn_world *)NULL)->failure];
    struct shape_set *shapes;
    struct stored_clips clips; // of a snapshot
    tarn_world *world;
};

static tarn_result load_world(struct loader *l, struct pending_world *c, tarn_error *err)
{
    char model[TARN_NAME_BYTES];
    load_text(l, model, sizeof model);
    int type = 0;
    while (fluid_kind_at(type) && strcmp(fluid_kind_at(type)->kind.name, model) != 0) ++type;
    if (l->failed || !fluid_kind_at(type)) return fail(err, TARN_BAD_INPUT, "model", "unknown fluid model");
    c->def = tarn_default_world_def();
    c->fluid = tarn_default_fluid_def((tarn_fluid_type)type);
    c->def.fluid = &c->fluid;
    if (c->host) c->def.host = *c->host;
    tarn_result r = param_load(l, &world_kind, &c->def, err);
    if (r == TARN_OK) r = param_load_with_rows(l, &fluid_kind_at(type)->kind, c->fluid.space, &c->rows, err);
    if (r != TARN_OK) return r;
    c->steps = load_u64(l);
    c->substeps = load_u64(l);
    c->courant = load_f64(l);
    load_f64s(l, &c->wall_impulse.x, 3);
    load_text(l, c->failure, sizeof c->failure);
    const bool ok = load_is_complete(l) && isfinite(c->courant) && v3_is_finite(c->wall_impulse) &&
                    c->steps < (1ull << 53);
    return ok ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "section 'world' is not valid");
}

static tarn_result load_fluid(struct loader *l, struct pending_world *c, tarn_error *err)
{
    tarn_value cells;
    if (tarn_kind_get(&fluid_kind_at((int)c->fluid.type)->kind, c->fluid.space, "cells", &cells) == TARN_OK &&
        cells.number[0] * cells.number[1] * sizeof(float) > (double)l->size)
        return fail(err, TARN_BAD_INPUT, "", "section 'fluid' does not fit its grid");
    const tarn_result r =
        c->world ? world_reset(c->world, &c->def, err) : world_create(&c->def, c->shared, &c->world, err);
    if (r != TARN_OK) return r;
    c->world->steps = c->steps, c->world->substeps = c->substeps, c->world->courant = c->courant;
    c->world->wall_impulse = c->wall_impulse;
    memcpy(c->world->failure, c->failure, sizeof c->failure);
    return fluid_load(l, &c->world->fluid, err);
}

static tarn_result load_clock(struct loader *l, tarn_world *w, tarn_error *err)
{
    w->accumulated_time = load_f64(l);
    // Less than a step, unless a step failed and left the rest of the time pending.
    const bool ok = load_is_complete(l) && w->accumulated_time > -1e-3 && w->accumulated_time < 11.0;
    return ok ? TARN_OK : fail(err, TARN_BAD_INPUT, "", "section 'clock' is not valid");
}

static tarn_result load_emitters(struct loader *l, tarn_world *w, tarn_error *err)
{
    const uint32_t head = load_u32(l), count = head & ~EMITTER_GENERATIONS;
    if (l->failed || count > l->size) return fail(err, TARN_BAD_INPUT, "", "section 'emitters' is not valid");
    if (!memory_grow(&w->memory, (void **)&w->emitters, &w->emitter_capacity, (int)count,
                     sizeof *w->emitters))
        return fail(err, TARN_NO_MEMORY, "", "no memory for %u emitters", count);
    for (uint32_t i = 0; i < count; ++i) {
        struct emitter *e = &w->emitters[i];
        *e = (struct emitter){.generation = head & EMITTER_GENERATIONS ? load_u32(l) : 1};
        const tarn_result r = e->generation & 1u ? emitter_load(l, e, &w->fluid, err) : TARN_OK;
        if (r != TARN_OK) return r;
        w->emitter_slot_count += 1;
    }
    return load_is_complete(l) ? TARN_OK
                               : fail(err, TARN_BAD_INPUT, "", "section 'emitters' has a wrong length");
}

static tarn_result load_obstacles(struct loader *l, tarn_world *w, tarn_error *err)
{
    const tarn_result r = obstacles_load(l, &w->fluid, err);
    if (r == TARN_OK && w->fluid.obstacle_count > 0 && !w->fluid.model->planar)
        return fail(err, TARN_BAD_INPUT, "", "this model has no obstacles");
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
        const uint64_t user_data = c ? load_u64(l) : 0;
        if (material > TARN_APPEARANCE_RUBBER) return fail(err, TARN_BAD_INPUT, "", "unknown appearance");
        if (!c) continue;
        c->def.appearance = (tarn_appearance)material, c->def.user_data = user_data;
        load_f64s(l, &w->coupling.per_body[i].load.slamming.x, LOAD_PARTS);
    }
    for (int i = 0; w->bodies.dynamics && i < w->bodies.dynamics->joints.slot_count; ++i) {
        struct joint *joint = w->bodies.dynamics->joints.slots[i].joint;
        if (joint) joint->def.user_data = load_u64(l);
    }
    const struct fluid *f = &w->fluid; // the loads of obstacles are missing in older checkpoints
    for (int i = 0; i < f->obstacle_count && !load_is_complete(l); ++i)
        load_f64s(l, f->obstacles[i].from_fluid.total, OBSTACLE_PARTS);
    return load_is_complete(l) ? TARN_OK
                               : fail(err, TARN_BAD_INPUT, "", "section 'appearance' has a wrong length");
}

static tarn_result load_section_into(int section, struct loader *l, struct pending_world *c, tarn_error *err)
{
    tarn_world *w = c->world;
    switch (section) { // in the order of `sections`
    case 0: return load_world(l, c, err);
    case 1: return load_fluid(l, c, err);
    case 2: return load_clock(l, w, err);
    case 3: return load_emitters(l, w, err);
    case SHAPES_SECTION: return shape_set_load(l, c->shapes, &w->memory, err);
    case 5: return bodies_load(l, &w->bodies, c->shapes, err);
    case 6: return couple_load(l, &w->coupling, &w->fluid, &w->bodies, &c->clips, err);
    case 7: return load_obstacles(l, w, err);
    case 8: return load_planar(l, w, err);
    default: return load_appearance(l, w, err);
    }
}

tarn_result tarn_world_load(tarn_read_fn read, void *ctx, const tarn_host *host, tarn_world **out,
                            tarn_error *err)
{
    if (!read || !out) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    *out = NULL;
    struct memory memory;
    memory_init(&memory, host ? &host->allocator : NULL);
    char head[sizeof magic];
    struct shape_set shapes = {0};
    struct pending_world c = {.host = host, .shapes = &shapes};
    tarn_result r = read(ctx, head, sizeof head);
    if (r == TARN_OK && memcmp(head, magic, sizeof magic) != 0) r = TARN_BAD_INPUT;
    if (r != TARN_OK) return fail(err, r, "", "this is not a checkpoint of tarn");
    const struct fpmode mode = fpmode_enter();
    for (int i = 0; i < SECTION_COUNT && r == TARN_OK; ++i) {
        struct loader l = {0};
        uint32_t version;
        r = load_section(read, ctx, &memory, sections[i].name, VERSION, &l, &version, err);
        if (r == TARN_OK && version != VERSION)
            r = fail(err, TARN_BAD_INPUT, "", "checkpoint has version %u, expected %u", version, VERSION);
        if (r == TARN_OK) r = load_section_into(i, &l, &c, err);
        load_free(&l);
    }
    fpmode_leave(mode);
    shape_set_free(&shapes, &memory);
    if (r == TARN_OK)
        *out = c.world;
    else
        tarn_world_destroy(c.world);
    return r;
}

tarn_result world_load_sections(const struct stored_state *state, const tarn_host *host,
                                const struct world_services *shared, struct shape_set *shapes,
                                tarn_world **world, tarn_error *err)
{
    struct pending_world c = {
        .host = host, .shared = shared, .shapes = shapes, .clips = state->clips, .world = *world};
    struct memory memory;
    tarn_result r = TARN_OK;
    memory_init(&memory, &host->allocator);
    for (int i = 0; i < WORLD_SECTIONS && r == TARN_OK; ++i) {
        const size_t begin = i ? state->ends[i - 1] : 0;
        if (i == SHAPES_SECTION && (state->ends[i] == begin || shapes->count > 0)) continue;
        struct loader l = {
            .data = state->data + begin, .size = state->ends[i] - begin, .memory = memory, .raw = true};
        r = load_section_into(i, &l, &c, err);
    }
    if (r != TARN_OK) tarn_world_destroy(c.world);
    *world = r == TARN_OK ? c.world : NULL;
    return r;
}
