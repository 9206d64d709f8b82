// A file in memory for tests: what a checkpoint is written to and read from.
#ifndef TESTS_MEMORY_STREAM_H
#define TESTS_MEMORY_STREAM_H

#include <tarn/tarn.h>

#include <string.h>

struct memory_stream {
    size_t size, at;             // written, read
    unsigned char data[1 << 20]; // four times what the largest of the tests' worlds needs
};

static inline tarn_result stream_write(void *ctx, const void *data, size_t size)
{
    struct memory_stream *b = ctx;
    if (size > sizeof b->data - b->size) return TARN_IO;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return TARN_OK;
}

static inline tarn_result stream_read(void *ctx, void *data, size_t size)
{
    struct memory_stream *b = ctx;
    if (size > b->size - b->at) return TARN_IO;
    memcpy(data, b->data + b->at, size);
    b->at += size;
    return TARN_OK;
}

#endif
