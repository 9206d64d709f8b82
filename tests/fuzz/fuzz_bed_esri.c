// libFuzzer target: the reader of ESRI ASCII grids. Any bytes give a grid, finite once missing values are
// filled, or an error with a message.
#include "scene/import/heightmap.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heightmap h;
    struct load_error f;
    const tarn_result r = heightmap_read_esri((const char *)data, size, &h, &f);

    if (r != f.result || (r == TARN_OK) != (h.values != NULL) || (r != TARN_OK) != (f.message[0] != '\0'))
        abort();
    if (r != TARN_OK) return 0;
    if (h.nx < 1 || h.nz < 1 || h.nx > HEIGHTMAP_MAX_SIDE || h.nz > HEIGHTMAP_MAX_SIDE) abort();
    const size_t count = (size_t)h.nx * (size_t)h.nz;
    if (heightmap_fill_missing(&h, size % 2 ? "highest" : "lowest", &f) != TARN_OK &&
        h.missing_count != count)
        abort();
    for (size_t i = 0; i < count; ++i)
        if (!isfinite(h.values[i]) && h.missing_count != count) abort();
    free(h.values);
    return 0;
}
