// The loops over the columns of a patch.
#ifndef COUPLE_COLUMNS_ROWS_H
#define COUPLE_COLUMNS_ROWS_H

#include "base/kernels.h"
#include "base/math.h"

#define COLUMN_LANES 4 // columns at a time: patches are a multiple of that wide

// A plane a + b x + c z with x, z measured from a body's centre.
struct plane {
    double a, b, c;
};

// ni x nj columns. Every array has a number for each, row by row.
struct patch_grid {
    int ni, nj;
    double x, z, s; // [m] middle of the first column, and from one to the next
};

struct columns {
    float *wet_area, *wet_moment; // over wet pieces: b(eta) = area eta - height
    float *valid_min, *valid_max; // while lo < eta <= hi the same pieces are wet
    float *displaced;             // [m] b, filled below the surface
    float *displaced_smooth;      // [m] b after spreading
    float *displaced_next;        // [m] the same where the body is expected at the end of the inner step
    float *surface_without_body;  // [m] surface above level without what this body lifts
    float *cover;                 // 0 .. 1, spread
    float *fit_weight[3];         // cover (1, x, z), spread once more: what the fit needs of every b
    float *plane_height;          // [m] the surface as the body sees it
    float *scratch;
};
#define COLUMN_ARRAYS 14 // numbers a column

struct columns_kernels {
    // Spread by (1/4, 1/2, 1/4) along x and z. The outermost ring of `raw` is zero.
    void (*smooth)(const struct patch_grid *p, const float *raw, float *scratch, float *out);
    // Weights from the cover, and sum cover (1, x, z)(1, x, z)^T.
    void (*assemble_fit)(const struct patch_grid *p, struct columns *c, double normal[3][3]);
    // Level of every column. Gives back in how many the wet pieces are not known for it, and which.
    int (*evaluate_plane)(const struct patch_grid *p, struct columns *c, const struct plane *eta, int *list);
    // b of every column at its level, before spreading.
    void (*evaluate_displaced)(const struct patch_grid *p, struct columns *c);
    // sum_k = sum b weight_k and its derivative by the plane's three numbers.
    void (*sum_displaced)(const struct patch_grid *p, const struct columns *c, double sum[3],
                          double slope[3][3]);
    // sum cover (1, x, z) base.
    void (*sum_surface)(const struct patch_grid *p, const struct columns *c, double out[3]);
};
KERNELS_DECLARE(struct columns_kernels, columns_kernels);

#endif
