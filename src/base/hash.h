// A 64-bit hash for states and checksums: any chunking of the same bytes gives the same number.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t lane[4];
    uint64_t length;
    unsigned char tail[32];
    int tail_count;
};

void hash_init(struct hash *h);
void hash_bytes(struct hash *h, const void *data, size_t size);
uint64_t hash_result(const struct hash *h); // does not end it

#endif
