/// @file bed.h
/// The bed: the ground under a height field, a sum of terms.
///
/// A term is a tagged union: `type` says which member is read. tarn_default_bed_def() fills in the defaults,
/// those of scene files. The domain is centred at x = z = 0.
///
///     tarn_bed_def beach = tarn_default_bed_def(TARN_BED_BEACH);
///     beach.beach.slope = 0.05;
///     world.beds = &beach, world.bed_count = 1;
#ifndef TARN_BED_H
#define TARN_BED_H

#include "vec.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_MAX_BEDS 8 ///< largest number of terms of a bed

/// Types of terms of a bed, in the order of tarn_kind_at("bed", ...).
typedef enum tarn_bed_type {
    TARN_BED_FLAT = 0,
    TARN_BED_BUMP = 1,
    TARN_BED_BOWL = 2,
    TARN_BED_BEACH = 3,
    TARN_BED_ISLAND = 4,
    TARN_BED_HEIGHTMAP = 5,
    TARN_BED_ESRI = 6
} tarn_bed_type;

/// The profile of a bump, a bowl or an island.
typedef enum tarn_bed_profile {
    TARN_BED_RADIAL = 0,  ///< the height depends on the distance from the centre
    TARN_BED_ALONG_X = 1, ///< the height varies along x only
    TARN_BED_ALONG_Z = 2  ///< the height varies along z only
} tarn_bed_profile;

/// Horizontal ground.
typedef struct tarn_flat_bed {
    double offset; ///< [m] 0, -1e5 .. 1e5: height
} tarn_flat_bed;

/// A parabolic bump.
typedef struct tarn_bump_bed {
    double offset;         ///< [m] 0, -1e5 .. 1e5: height added everywhere
    tarn_vec2 position;    ///< [m] 0 0, -1e6 .. 1e6 each: x and z of the centre
    double radius;         ///< [m] 1, 1e-3 .. 1e6: radius; the height of the bump is 0 beyond
    double height;         ///< [m] 0.2, -1e4 .. 1e4: at the centre; negative: a hollow
    tarn_bed_profile axis; ///< TARN_BED_RADIAL: profile
} tarn_bump_bed;

/// A parabolic bowl without a rim.
typedef struct tarn_bowl_bed {
    double offset;         ///< [m] 0, -1e5 .. 1e5: height added everywhere
    tarn_vec2 position;    ///< [m] 0 0, -1e6 .. 1e6 each: x and z of the centre
    double radius;         ///< [m] 1, 1e-3 .. 1e6: distance at which the ground has risen by `height`
    double height;         ///< [m] 0.5, -1e4 .. 1e4: rise of the ground from the centre to `radius`
    tarn_bed_profile axis; ///< TARN_BED_RADIAL: profile
} tarn_bowl_bed;

/// Horizontal ground, then a uniform slope.
typedef struct tarn_beach_bed {
    double offset; ///< [m] 0, -1e5 .. 1e5: height added everywhere
    double angle;  ///< [rad] 0, -2 pi .. 2 pi: direction of the slope: 0 rises along +x, pi/2 along +z
    double start;  ///< [m] 0, -1e6 .. 1e6: start of the slope: distance from the centre of the domain
    double slope;  ///< 0.1, -100 .. 100: rise per metre
    double height; ///< [m] 1e4, 0 .. 1e4: rise above which the ground is horizontal again
} tarn_beach_bed;

/// A Gaussian hill.
typedef struct tarn_island_bed {
    double offset;         ///< [m] 0, -1e5 .. 1e5: height added everywhere
    tarn_vec2 position;    ///< [m] 0 0, -1e6 .. 1e6 each: x and z of the centre
    double radius;         ///< [m] 1, 1e-3 .. 1e6: distance at which the height has fallen to 1/e
    double height;         ///< [m] 1, -1e4 .. 1e4: at the centre; negative: a pit
    tarn_bed_profile axis; ///< TARN_BED_RADIAL: profile
} tarn_island_bed;

/// Heights on a lattice that is stretched over the whole domain. Its outermost points are the centres of the
/// outermost of nx x nz equal tiles. The caller owns the values; tarn_world_create() reads them and keeps no
/// pointer to them.
typedef struct tarn_bed_map {
    int nx, nz;           ///< number of points along x and z
    const double *values; ///< nx * nz, row by row along x, the first row at the lowest z; -1e5 .. 1e5 each
} tarn_bed_map;

/// A height map whose values are scaled: grey values of an image in a scene file. A bed has at most one map.
typedef struct tarn_heightmap_bed {
    double offset;    ///< [m] 0, -1e5 .. 1e5: height added everywhere
    double height;    ///< [m] 1, -1e5 .. 1e5: factor of the values: height of white above black
    tarn_bed_map map; ///< values; a scene names a file instead
} tarn_heightmap_bed;

/// A height map in metres: an ESRI ASCII grid in a scene file. A bed has at most one map.
typedef struct tarn_esri_bed {
    double offset;    ///< [m] 0, -1e5 .. 1e5: height added everywhere
    tarn_bed_map map; ///< [m] heights; a scene names a file instead
} tarn_esri_bed;

/// Definition of a term of a bed. `type` selects the member that is read.
typedef struct tarn_bed_def {
    tarn_bed_type type;
    union {
        tarn_flat_bed flat;
        tarn_bump_bed bump;
        tarn_bowl_bed bowl;
        tarn_beach_bed beach;
        tarn_island_bed island;
        tarn_heightmap_bed heightmap;
        tarn_esri_bed esri;
        double space[12]; ///< reserves memory for later types
    };
} tarn_bed_def;

/// @return a definition with the defaults of scene files. Height maps are empty
TARN_API tarn_bed_def tarn_default_bed_def(tarn_bed_type type);

#ifdef __cplusplus
}
#endif
#endif
