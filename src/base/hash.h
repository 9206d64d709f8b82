// A 64-bit hash for states and checksums. The result does not depend on how the bytes are split into calls.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t lane[4];
    uint64_t length;        // bytes so far
    unsigned char tail[32]; // bytes that do not fill a stripe yet
    int tail_count;
};

void hash_init(struct hash *h);
void hash_bytes(struct hash *h, const void *data, size_t size);
uint64_t hash_result(const struct hash *h); // more bytes may follow

#endif
