// libFuzzer target: the reader of any mesh format, chosen by the first byte, so that a new format is fuzzed
// without a target of its own.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int count = 0;
    while (mesh_format_at(count)) count++;
    if (size > 0) fuzz_mesh_format(mesh_format_at(data[0] % count), data + 1, size - 1);
    return 0;
}
