// Sections of a checkpoint: little-endian fields, each section with name, version, length and checksum.
//
//   section = name[16] version:u32 zero:u32 length:u64 checksum:u64 payload[length]
//
// The checksum covers the payload and then the fields before it. Names have at most 15 characters; versions
// start at 1.
//
// Saving calls a section's function twice: first to measure and hash, then to write. The hash of a world and
// the contents of its checkpoint therefore always agree.
#ifndef BASE_SAVE_H
#define BASE_SAVE_H

#include "hash.h"
#include "memory.h"

#include <tarn/tarn.h>

struct saver {
    tarn_write_fn write; // NULL: measure only
    void *ctx;
    tarn_result result; // the first failure; later calls do nothing
    uint64_t length;    // bytes of this section so far
    struct hash hash;
    bool raw; // definitions are written as they are in memory, for the same build
};

// Writes the members of `object` with the functions below.
typedef void (*save_fn)(struct saver *s, const void *object);

void save_u32(struct saver *s, uint32_t x);
void save_u64(struct saver *s, uint64_t x);
void save_f64(struct saver *s, double x);
void save_f64s(struct saver *s, const double *x, size_t n);
void save_f32s(struct saver *s, const float *x, size_t n);
void save_ints(struct saver *s, const int *x, size_t n); // as u32
void save_text(struct saver *s, const char *text);       // length and bytes
void save_raw(struct saver *s, const void *data, size_t size);

// Writes one section and returns its checksum in *checksum (may be NULL). With write == NULL it only
// measures and hashes.
tarn_result save_section(tarn_write_fn write, void *ctx, const char *name, uint32_t version, save_fn fn,
                         const void *object, uint64_t *checksum);

// A section that is being read: the payload is in memory and its checksum is correct. Reading past the end
// sets `failed` and returns zeros, so that the caller needs only one check at the end.
struct loader {
    const unsigned char *data;
    size_t size, position; // bytes of data, bytes consumed
    int failed;            // reading ran past the end, or a value is invalid
    bool raw;              // of a saver with this flag
    int out_of_memory;     // an allocation failed during loading
    unsigned char *buffer; // owns data
    size_t capacity;
    struct memory memory;
};

// Reads one section's header and payload. The name must be `name` and the version at most `newest`. Memory
// grows with the data that was read, so that a short file with a large length field does not allocate much.
tarn_result load_section(tarn_read_fn read, void *ctx, const struct memory *m, const char *name,
                         uint32_t newest, struct loader *out, uint32_t *version, tarn_error *err);
void load_free(struct loader *l);

uint32_t load_u32(struct loader *l);
uint64_t load_u64(struct loader *l);
double load_f64(struct loader *l);
void load_f64s(struct loader *l, double *x, size_t n);
void load_f32s(struct loader *l, float *x, size_t n);
void load_text(struct loader *l, char *text, size_t capacity); // sets `failed` if too long
void load_raw(struct loader *l, void *data, size_t size);
int load_is_complete(const struct loader *l); // everything was read and nothing failed

#endif
