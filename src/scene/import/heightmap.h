// Readers of height maps (PNG, ESRI ASCII grid).
#ifndef SCENE_IMPORT_HEIGHTMAP_H
#define SCENE_IMPORT_HEIGHTMAP_H

#include "scene/create/assets.h"

#define HEIGHTMAP_MAX_SIDE   16384
#define HEIGHTMAP_MAX_VALUES (1u << 26)   // 512 MiB of doubles
#define HEIGHTMAP_MAX_BYTES  (512u << 20) // of a file

// Heights in the layout of tarn_bed_map: the first row is the southernmost. The caller frees `values`.
struct heightmap {
    int nx, nz;
    double *values;
    size_t missing_count;      // of values that the file does not have; they are NaN
    double extent_x, extent_z; // [m] that the file says it covers; 0: unknown
};
// PNG: luminance in 0 .. 1; alpha is ignored.
tarn_result heightmap_read_png(const char *data, size_t size, struct heightmap *out,
                               struct load_error *error);
// ESRI ASCII grid: heights in metres.
tarn_result heightmap_read_esri(const char *data, size_t size, struct heightmap *out,
                                struct load_error *error);
// Replace missing values by the "highest" or "lowest" height, or report an error ("error").
tarn_result heightmap_fill_missing(struct heightmap *map, const char *method, struct load_error *error);

#endif
