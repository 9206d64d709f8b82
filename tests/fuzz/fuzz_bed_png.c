// libFuzzer target: the reader of PNG height maps. Any bytes give heights in 0 .. 1 or an error with a
// message. Checksums of chunks are corrected first, otherwise nearly every input would end at the first of
// them.
#include "scene/import/heightmap.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t crc(const uint8_t *data, size_t size)
{
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < size; ++i) {
        c ^= data[i];
        for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    }
    return ~c;
}

// length:4 name:4 data crc:4, after the 8 bytes that every PNG begins with
static void repair(uint8_t *png, size_t size)
{
    for (size_t at = 8; size - at >= 12;) {
        const uint32_t length =
            (uint32_t)png[at] << 24 | (uint32_t)png[at + 1] << 16 | (uint32_t)png[at + 2] << 8 | png[at + 3];
        if (length > size - at - 12) return;
        const uint32_t sum = crc(png + at + 4, length + 4);
        for (int k = 0; k < 4; ++k) png[at + 8 + length + (size_t)k] = (uint8_t)(sum >> (24 - 8 * k));
        at += 12 + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heightmap h;
    struct load_error f;
    if (size < 8) return 0;
    uint8_t *png = malloc(size);
    if (!png) return 0;
    memcpy(png, data, size);
    repair(png, size);
    const tarn_result r = heightmap_read_png((const char *)png, size, &h, &f);
    free(png);

    if (r != f.result || (r == TARN_OK) != (h.values != NULL) || (r != TARN_OK) != (f.message[0] != '\0'))
        abort();
    if (r == TARN_OK && (h.nx < 1 || h.nz < 1 || h.nx > HEIGHTMAP_MAX_SIDE || h.nz > HEIGHTMAP_MAX_SIDE))
        abort();
    for (size_t i = 0; r == TARN_OK && i < (size_t)h.nx * (size_t)h.nz; ++i)
        if (!(0.0 <= h.values[i] && h.values[i] <= 1.0)) abort();
    free(h.values);
    return 0;
}
