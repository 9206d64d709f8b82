// Sections of a checkpoint: little-endian fields, each section with name, version, length and checksum.
//
//   section = name[16] version:u32 zero:u32 length:u64 checksum:u64 payload[length]
//
// The checksum covers the payload, then the fields before it; names have at most 15 characters, versions begin at 1.
//
// Saving runs a section's function twice: once to measure and hash, once to write. So the hash of a world
// and what its checkpoint holds can never differ.
#ifndef BASE_SAVE_H
#define BASE_SAVE_H

#include "hash.h"
#include "memory.h"

#include <tarn/tarn.h>

struct saver {
    tarn_writer write; // NULL: measure only
    void *ctx;
    tarn_result result; // first failure; later calls do nothing
    uint64_t length;    // of this section so far
    struct hash hash;
};

typedef void (*save_fn)(struct saver *s, const void *what);

void save_u32(struct saver *s, uint32_t x);
void save_u64(struct saver *s, uint64_t x);
void save_f64(struct saver *s, double x);
void save_f64s(struct saver *s, const double *x, size_t n);
void save_f32s(struct saver *s, const float *x, size_t n);
void save_ints(struct saver *s, const int *x, size_t n); // as u32
void save_text(struct saver *s, const char *text);       // length and bytes

// Write one section; checksum goes into `sum` as well (may be NULL). write NULL: measure and hash only.
tarn_result save_section(tarn_writer write, void *ctx, const char *name, uint32_t version, save_fn fn,
                         const void *what, uint64_t *sum);

// A section being read: the payload is in memory and its checksum was right. Reading past the end sets
// `bad` and gives zeros, so that a reader checks once, at the end.
struct loader {
    const unsigned char *data;
    size_t size, position;
    int failed;
    int out_of_memory;     // what could not be loaded was missing memory
    unsigned char *buffer; // the memory behind data
    size_t capacity;
    struct memory memory;
};

// Read one section's header and payload; the name must be `name`, the version at most `newest`.
// Allocation follows the data: a short file that claims to be huge costs little.
tarn_result load_section(tarn_reader read, void *ctx, const struct memory *m, const char *name,
                         uint32_t newest, struct loader *out, uint32_t *version, tarn_error *err);
void load_free(struct loader *l);

uint32_t load_u32(struct loader *l);
uint64_t load_u64(struct loader *l);
double load_f64(struct loader *l);
void load_f64s(struct loader *l, double *x, size_t n);
void load_f32s(struct loader *l, float *x, size_t n);
void load_text(struct loader *l, char *text, size_t capacity); // too long is bad
int load_is_complete(const struct loader *l);                  // all read, nothing bad

#endif
