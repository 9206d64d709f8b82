// Feeds the fuzz target tests/fuzz/fuzz_mesh.c random bytes without libFuzzer and prints the mesh formats whose
// readers it called. Linked with --wrap=mesh_format_at.
#include "scene/import/mesh.h"

#include <stdio.h>

enum { INPUTS = 256, INPUT_BYTES = 64, MAX_FORMATS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const struct mesh_format *__real_mesh_format_at(int index);
const struct mesh_format *__wrap_mesh_format_at(int index);

static int last_index; // of the format that the target got last
static bool called[MAX_FORMATS];

static tarn_result read_and_note(const char *data, size_t size, const struct mesh_dir *dir, struct mesh *out,
                                 struct load_error *error)
{
    called[last_index] = true;
    return __real_mesh_format_at(last_index)->read(data, size, dir, out, error);
}

const struct mesh_format *__wrap_mesh_format_at(int index)
{
    static struct mesh_format formats[MAX_FORMATS];
    const struct mesh_format *format = __real_mesh_format_at(index);
    if (!format || index >= MAX_FORMATS) return NULL;
    last_index = index;
    formats[index] = *format;
    formats[index].read = read_and_note;
    return &formats[index];
}

int main(void)
{
    uint32_t state = 2463534242u; // xorshift32
    for (int n = 0; n < INPUTS; ++n) {
        uint8_t bytes[INPUT_BYTES];
        for (int i = 0; i < INPUT_BYTES; ++i) {
            state ^= state << 13, state ^= state >> 17, state ^= state << 5;
            bytes[i] = (uint8_t)(state >> 24);
        }
        LLVMFuzzerTestOneInput(bytes, sizeof bytes);
    }
    for (int i = 0; i < MAX_FORMATS && __real_mesh_format_at(i); ++i)
        if (called[i]) puts(__real_mesh_format_at(i)->name);
    return 0;
}
