// Kernels on patches: rectangles of cells around the low-rank terms of a system. See deflation.c.
#ifndef SOLVER_PATCH_ROWS_H
#define SOLVER_PATCH_ROWS_H

#include "base/parallel/kernels.h"
#include "linear_internal.h"

// w x h cells from (i0, j0) on; a patch may cross a periodic side. Its values are stored with one layer of
// zeros around them.
struct linear_patch {
    int i0, j0, w, h;
    size_t offset; // of its values in the arrays of all patches
};

// Numbers stored for a patch.
static inline size_t patch_size(const struct linear_patch *p)
{
    return (size_t)(p->w + 2) * (size_t)(p->h + 2);
}

struct linear_patch_kernels {
    // One sweep of red-black successive over-relaxation (SOR) on A z = rhs. Boundary cells of the patch stay
    // 0, except on a side of the grid.
    void (*sweep)(const struct linear_level *l, const struct linear_patch *p, float omega, const float *rhs,
                  float *z);
    // out = A z
    void (*apply)(const struct linear_level *l, const struct linear_patch *p, bool has_alpha, const float *z,
                  float *out);
    // out = {z . r, az . v} over the patch; r and v are fields of the level.
    void (*dot)(const struct linear_level *l, const struct linear_patch *p, const float *z, const float *az,
                const float *r, const float *v, double out[2]);
    // a . b over the overlap of patches p and q.
    double (*dot_overlap)(const struct linear_level *l, const struct linear_patch *p, const float *a,
                          const struct linear_patch *q, const float *b);
    // v += y z; v is a field of the level.
    void (*axpy)(const struct linear_level *l, const struct linear_patch *p, float y, const float *z,
                 float *v);
};
KERNELS_DECLARE(struct linear_patch_kernels, linear_patch_kernels);

#endif
