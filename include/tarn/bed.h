/// @file bed.h
/// The ground under a height field.
#ifndef TARN_BED_H
#define TARN_BED_H

#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_MAX_BEDS 8 ///< most parts of a bed

/// Heights on a lattice that is stretched over the whole domain, its outermost points being the middles of the
/// outermost of nx x nz equal tiles. Lent to tarn_world_create(), which keeps no pointer to it.
typedef struct tarn_bed_map {
    int nx, nz;
    const double *values; ///< nx * nz, row by row along x, the first row at the lowest z; NULL: none
} tarn_bed_map;

#ifdef __cplusplus
}
#endif
#endif
