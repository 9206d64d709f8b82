// libFuzzer target: checkpoints. Any bytes are rejected or give a world that can be stepped, queried and
// saved.
// Checksums would stop every mutation, so they are corrected before loading: the code behind them is
// tested. The mutator starts from checkpoints of small worlds of every model.
#include "base/hash.h"

#include <tarn/tarn.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 16, HEADER = 40, MOST = 20000, MODELS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most); // libFuzzer's own

struct bytes {
    uint8_t data[4 * MOST];
    size_t size, at;
};

static tarn_result put(void *ctx, const void *data, size_t size)
{
    struct bytes *b = ctx;
    if (size > sizeof b->data - b->size) return TARN_IO;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return TARN_OK;
}

static tarn_result get(void *ctx, void *data, size_t size)
{
    struct bytes *b = ctx;
    if (size > b->size - b->at) return TARN_IO;
    memcpy(data, b->data + b->at, size);
    b->at += size;
    return TARN_OK;
}

static tarn_result ignore(void *ctx, const void *data, size_t size)
{
    (void)ctx, (void)data, (void)size;
    return TARN_OK;
}

// Two bodies in contact, a joint and rain in a small domain; an obstacle and a source in the planar model.
static void make_seed(unsigned seed, struct bytes *out)
{
    static const tarn_fluid_type models[MODELS] = {TARN_FLUID_WAVE, TARN_FLUID_SHALLOW, TARN_FLUID_DRY,
                                                   TARN_FLUID_IMPLICIT, TARN_FLUID_FLOW};
    static const char *const shapes[] = {"sphere", "box", "capsule", "convex_hull", "torus"};
    static const char *const flat[] = {"circle", "box", "polygon", "circle", "box"};
    tarn_fluid_def fluid = tarn_default_fluid_def(models[seed % MODELS]);
    tarn_world_def def = tarn_default_world_def();
    const int plane = seed % MODELS == 4;
    tarn_world *w = NULL;
    def.fluid = &fluid;
    fluid.wave.size = (tarn_vec2){4, 4}; // all models begin with it, and continue with the cells
    if (fluid.type != TARN_FLUID_DRY) fluid.wave.cells[0] = fluid.wave.cells[1] = 6;
    if (tarn_world_create(&def, &w, NULL) != TARN_OK) abort();
    tarn_body_id ids[2] = {0};
    for (unsigned k = 0; k < 2; ++k) {
        const char *kind = (plane ? flat : shapes)[(seed / MODELS + k) % 5];
        tarn_body_def body = tarn_default_body_def();
        tarn_spec spec;
        tarn_shape_def shape;
        if (tarn_spec_init(&spec, "shape", kind, NULL) != TARN_OK ||
            tarn_shape_def_from_spec(&spec, &shape) != TARN_OK)
            abort();
        body.position = (tarn_vec3){2.0 * plane + 0.1 * k, 1.0 + 0.9 * k, 0};
        tarn_body_create_with_shape(w, &body, &shape, &ids[k], NULL);
    }
    tarn_joint_def line = tarn_default_joint_def(TARN_JOINT_ROPE);
    tarn_joint_id joint;
    line.body_a = ids[1], line.anchor_a = line.anchor_b = (tarn_vec3){0.1, 2, 0};
    tarn_joint_create(w, &line, &joint, NULL);
    const tarn_emitter_def rain = tarn_default_emitter_def(plane ? TARN_EMITTER_SOURCE : TARN_EMITTER_RAIN);
    tarn_emitter_create(w, &rain, NULL, NULL);
    tarn_obstacle_def wall = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);
    wall.motion.position.x = wall.motion.position.y = 3.0, wall.motion.angular_velocity = 0.2;
    if (plane) tarn_obstacle_create(w, &wall, NULL, NULL);
    for (int n = 0; n < 10; ++n) tarn_world_advance(w, 1.0 / 60.0);
    out->size = 0;
    if (tarn_world_save(w, put, out) != TARN_OK) abort();
    tarn_world_destroy(w);
}

// Change a number in place: everything after it stays where readers expect it.
static void change_number(uint8_t *data, size_t size, unsigned seed)
{
    static const double numbers[] = {0.0, -1.0, 1e-300, 1e300, -1e18, 0.5, 1e6, NAN, INFINITY};
    static const uint32_t counts[] = {0, 1, 2, 3, 7, 255, 65536, 0x7fffffff, 0x80000000, 0xffffffff};
    const size_t at = HEAD + seed / 64 % (size - HEAD - 8);
    const double x = numbers[seed % 9];
    const float small = (float)x;
    switch (seed / 16 % 4) {
    case 0: memcpy(data + at, &x, sizeof x); break;
    case 1: memcpy(data + at, &small, sizeof small); break;
    case 2: memcpy(data + at, &counts[seed % 10], 4); break;
    default: data[at] ^= (uint8_t)(1u << seed % 8);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static struct bytes fresh;
    if (size < HEAD + HEADER || memcmp(data, "tarn checkpoint", HEAD) != 0) {
        make_seed(seed, &fresh);
        if (fresh.size > most) return LLVMFuzzerMutate(data, size, most);
        memcpy(data, fresh.data, fresh.size);
        size = fresh.size;
    }
    if (seed % 5 == 0) return LLVMFuzzerMutate(data, size, most);
    change_number(data, size, seed * 2654435761u);
    return size;
}

static uint64_t word(const uint8_t *p, int size)
{
    uint64_t x = 0;
    for (int i = 0; i < size; ++i) x |= (uint64_t)p[i] << 8 * i;
    return x;
}

// Limit the length of every section to the file, and correct its checksum.
static void mend(uint8_t *data, size_t size)
{
    for (size_t at = HEAD; at + HEADER <= size;) {
        uint8_t *h = data + at;
        const size_t left = size - at - HEADER;
        uint64_t length = word(h + 24, 8);
        struct hash hash;
        if (length > left) length = left;
        for (int i = 0; i < 8; ++i) h[24 + i] = (uint8_t)(length >> 8 * i);
        hash_init(&hash);
        hash_bytes(&hash, h + HEADER, (size_t)length);
        hash_bytes(&hash, h, 32);
        for (int i = 0; i < 8; ++i) h[32 + i] = (uint8_t)(hash_result(&hash) >> 8 * i);
        at += HEADER + (size_t)length;
    }
}

// Worlds with many substeps are correct but slow.
static int quick(const tarn_world *w)
{
    const tarn_world_status s = tarn_world_get_status(w);
    return s.substeps_next > 0 && s.substeps_next < 30 && s.body_count < 20;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bytes file;
    tarn_world *w = NULL;
    tarn_error err = {0};

    if (size > MOST) return 0;
    memcpy(file.data, data, size);
    file.size = size, file.at = 0;
    mend(file.data, size);
    const tarn_result r = tarn_world_load(get, &file, NULL, &w, &err);
    if ((r == TARN_OK) != (w != NULL) || (r != TARN_OK && !err.message[0])) abort();
    if (!w) return 0;
    tarn_frame frame = {0};
    tarn_world_hash(w);
    tarn_value dt;
    if (tarn_world_get_param(w, "run.dt", &dt) != TARN_OK) abort();
    tarn_result step = TARN_OK;
    for (int n = 0; n < 2 && step == TARN_OK && quick(w); ++n) step = tarn_world_advance(w, dt.number[0]);
    if (step != TARN_OK && step != TARN_DIVERGED) abort();
    if (tarn_world_get_frame(w, 1, &frame) != TARN_OK || tarn_world_save(w, ignore, NULL) != TARN_OK) abort();
    tarn_world_get_ledger(w);
    tarn_world_get_surface(w, 0.1, 0.2);
    tarn_frame_free(&frame);
    tarn_world_destroy(w);
    return 0;
}
