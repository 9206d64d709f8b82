// Ids: the slot of an object in its list, and the generation of that slot, which is odd while it is in use.
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stdint.h>

static inline uint64_t id_value(uint32_t slot, uint32_t generation)
{
    return (uint64_t)generation << 32 | slot;
}
static inline uint32_t id_slot(uint64_t value) { return (uint32_t)value; }
static inline uint32_t id_generation(uint64_t value) { return (uint32_t)(value >> 32); }

#endif
