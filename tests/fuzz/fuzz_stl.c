// libFuzzer: whatever the bytes, a mesh is read or refused with words, and what was read makes a solid or
// none.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mesh m;
    struct load_error f;

    check_mesh(mesh_stl_read((const char *)data, size, &m, &f), &m, &f);
    return 0;
}
