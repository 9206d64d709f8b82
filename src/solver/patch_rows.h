// The loops over patches of cells around the terms of a linear system. See linear_terms.c.
#ifndef FLUID_LINEAR_PATCH_ROWS_H
#define FLUID_LINEAR_PATCH_ROWS_H

#include "base/kernels.h"
#include "linear_internal.h"

// w * h cells from (i0, j0) on, around a periodic axis too. Values of a patch have a ring of zeros around them.
struct linear_patch {
    int i0, j0, w, h;
    size_t offset; // where its values begin
};

static inline size_t patch_size(const struct linear_patch *p)
{
    return (size_t)(p->w + 2) * (size_t)(p->h + 2);
}

struct linear_patch_kernels {
    // A sweep of red-black successive over-relaxation on A z = rhs; cells at the rim of the patch stay 0 unless it is a
    // side.
    void (*sweep)(const struct linear_level *l, const struct linear_patch *p, float omega, const float *rhs,
                  float *z);
    // out = A z
    void (*apply)(const struct linear_level *l, const struct linear_patch *p, bool has_alpha, const float *z,
                  float *out);
    // Sums of z r and of az v over the patch, r and v fields of the level.
    void (*dot)(const struct linear_level *l, const struct linear_patch *p, const float *z, const float *az,
                const float *r, const float *v, double out[2]);
    // The sum of a b where two patches overlap.
    double (*dot_overlap)(const struct linear_level *l, const struct linear_patch *p, const float *a,
                          const struct linear_patch *q, const float *b);
    // v += y z
    void (*axpy)(const struct linear_level *l, const struct linear_patch *p, float y, const float *z,
                 float *v);
};
KERNELS_DECLARE(struct linear_patch_kernels, linear_patch_kernels);

#endif
