// libFuzzer target: the reader of OBJ files. Any bytes give a valid mesh or an error with a message.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh_format(find_mesh_format("OBJ"), data, size);
    return 0;
}
