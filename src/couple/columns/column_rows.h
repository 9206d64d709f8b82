// Kernels over the columns of a patch.
#ifndef COUPLE_COLUMN_ROWS_H
#define COUPLE_COLUMN_ROWS_H

#include "base/math/math.h"
#include "base/parallel/kernels.h"

#define COLUMN_LANES 4 // columns at a time; the width of a patch is a multiple

// A plane a + b x + c z with (x, z) from the centre of a body.
struct plane {
    double a, b, c;
};

// ni x nj columns, stored row by row.
struct patch_grid {
    int ni, nj;
    double x, z, s; // [m] centre of the first column; width of a column
};

// Members of a union share memory: the later ones are scratch of the function named behind them, which
// finishes before the first one is written again.
struct columns {
    float *wet_area, *wet_moment; // sums over the wet pieces: b(eta) = wet_area eta - wet_moment
    float *valid_min, *valid_max; // the set of wet pieces is the same for valid_min < eta <= valid_max
    union {
        float *displaced; // [m] b: displaced depth
        float *raw_cover; // compute_cover: cover before smoothing
        float *cover_z;   // assemble_fit: cover z
    };
    float *displaced_smooth;     // [m] b after smoothing
    float *displaced_next;       // [m] the same for the pose expected at the end of the substep
    float *surface_without_body; // [m] surface above the rest level without the load of this body
    float *cover;                // 0 .. 1 fraction under the body, smoothed
    float *fit_weight[3];        // cover (1, x, z), smoothed once more: weights of b in the plane fit
    union {
        float *plane_height; // [m] height of the plane at the centre of the column
        float *cover_x;      // assemble_fit: cover x
        float *column_share; // face heads: fraction of the residual of a row
    };
    union {
        float *half_smooth; // smooth: after the pass along x
        float *residual_z;  // [m] face heads: residual that passes faces along z
    };
};
#define COLUMN_ARRAYS 14 // arrays, a float per column each

struct columns_kernels {
    // Smooth by (1/4, 1/2, 1/4) along x and z. The outermost ring of `raw` is zero.
    void (*smooth)(const struct patch_grid *p, const float *raw, float *half_smooth, float *out);
    // fit_weight from the cover, and the normal matrix sum cover (1, x, z)(1, x, z)^T.
    void (*assemble_fit)(const struct patch_grid *p, struct columns *c, double normal[3][3]);
    // Height of the plane in every column. Returns the number of columns whose set of wet pieces has changed;
    // `list`: which.
    int (*evaluate_plane)(const struct patch_grid *p, struct columns *c, const struct plane *eta, int *list);
    // b of every column, before smoothing.
    void (*evaluate_displaced)(const struct patch_grid *p, struct columns *c);
    // sum_k = sum b fit_weight_k, and its derivatives by a, b and c of the plane.
    void (*sum_displaced)(const struct patch_grid *p, const struct columns *c, double sum[3],
                          double slope[3][3]);
    // sum cover (1, x, z) surface_without_body.
    void (*sum_surface)(const struct patch_grid *p, const struct columns *c, double out[3]);
};
KERNELS_DECLARE(struct columns_kernels, columns_kernels);

#endif
