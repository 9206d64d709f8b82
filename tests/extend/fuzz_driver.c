// Feeds the fuzz target tests/fuzz/fuzz_world.c random bytes without libFuzzer and prints the kinds of beds,
// shapes, joints and emitters that it created. Linked with --wrap for the functions that create them.
#include <tarn/tarn.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { INPUTS = 16000, INPUT_BYTES = 128 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
tarn_result __real_tarn_emitter_create(tarn_world *world, const tarn_emitter_def *def, tarn_emitter_id *out,
                                       tarn_error *err);
tarn_result __wrap_tarn_emitter_create(tarn_world *world, const tarn_emitter_def *def, tarn_emitter_id *out,
                                       tarn_error *err);
tarn_result __real_tarn_body_create(tarn_world *world, const tarn_body_def *def, tarn_body_id *out,
                                    tarn_error *err);
tarn_result __wrap_tarn_body_create(tarn_world *world, const tarn_body_def *def, tarn_body_id *out,
                                    tarn_error *err);
tarn_result __real_tarn_joint_create(tarn_world *world, const tarn_joint_def *def, tarn_joint_id *out,
                                     tarn_error *err);
tarn_result __wrap_tarn_joint_create(tarn_world *world, const tarn_joint_def *def, tarn_joint_id *out,
                                     tarn_error *err);
tarn_result __real_tarn_world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err);
tarn_result __wrap_tarn_world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err);

static void print_once(const char *category, const tarn_kind *kind)
{
    static const tarn_kind *seen[64];
    int count = 0;
    while (seen[count] && seen[count] != kind) ++count;
    if (!seen[count] && count < 63) {
        seen[count] = kind;
        printf("%s %s\n", category, kind->name);
    }
}

tarn_result __wrap_tarn_emitter_create(tarn_world *world, const tarn_emitter_def *def, tarn_emitter_id *out,
                                       tarn_error *err)
{
    const tarn_result r = __real_tarn_emitter_create(world, def, out, err);
    if (r == TARN_OK) print_once("emitter", tarn_kind_at("emitter", (int)def->type));
    return r;
}

tarn_result __wrap_tarn_body_create(tarn_world *world, const tarn_body_def *def, tarn_body_id *out,
                                    tarn_error *err)
{
    const tarn_result r = __real_tarn_body_create(world, def, out, err);
    tarn_shape_def shape;
    if (r == TARN_OK && tarn_shape_get_def(def->shape, &shape) == TARN_OK)
        print_once("shape", tarn_kind_at("shape", (int)shape.type));
    return r;
}

tarn_result __wrap_tarn_joint_create(tarn_world *world, const tarn_joint_def *def, tarn_joint_id *out,
                                     tarn_error *err)
{
    const tarn_result r = __real_tarn_joint_create(world, def, out, err);
    if (r == TARN_OK) print_once("joint", tarn_kind_at("joint", (int)def->type));
    return r;
}

tarn_result __wrap_tarn_world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err)
{
    const tarn_result r = __real_tarn_world_create(def, out, err);
    for (int i = 0; r == TARN_OK && i < def->bed_count; ++i)
        print_once("bed", tarn_kind_at("bed", (int)def->beds[i].type));
    return r;
}

int main(void)
{
    uint64_t state = 88172645463325252u; // xorshift64
    for (int n = 0; n < INPUTS; ++n) {
        uint8_t bytes[INPUT_BYTES];
        for (int i = 0; i < INPUT_BYTES; ++i) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            bytes[i] = (uint8_t)(state >> 32);
        }
        LLVMFuzzerTestOneInput(bytes, sizeof bytes);
    }
    return 0;
}
