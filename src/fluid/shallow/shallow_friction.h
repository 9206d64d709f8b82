// Friction of the shallow-water model: Manning's formula and the head loss at bed walls, both implicit in the
// velocity. shallow_rows.c applies them.
//
// In a steady flow half of a substep must end with the same velocity as a whole one, since the velocity at
// half the substep carries the mass; so the predictor has its half of both.
#ifndef FLUID_SHALLOW_FRICTION_H
#define FLUID_SHALLOW_FRICTION_H

#include "shallow_rows.h"

#include <stdint.h>
#include <string.h>

// The other velocity component, averaged to a face.
static inline float transverse_velocity(const float *v, size_t c, size_t step_along, size_t step_across)
{
    return 0.25f * ((v[c - step_along] + v[c]) + (v[c - step_along + step_across] + v[c + step_across]));
}

// x^(-1/3), relative error 1.5e-6: two steps of Newton's method, started from the bits of the exponent, with
// coefficients that make the largest errors of both signs equal; x > 0.
static inline float inverse_cube_root(float x)
{
    int32_t bits;
    float y;
    memcpy(&bits, &x, sizeof bits);
    bits = 0x54a21c00 - (int32_t)((float)bits * (1.0f / 3.0f));
    memcpy(&y, &bits, sizeof y);
    y = y * (1.33489525f - 0.333723813f * x * (y * y * y));
    return y * (1.33333516f - 0.33333379f * x * (y * y * y));
}

// [m] Depth of a face, not less than half of that of a dry cell.
static inline float friction_depth(const float *h, size_t c, size_t step_along, float min_depth)
{
    return max_f(0.5f * (h[c - step_along] + h[c]), min_depth);
}

// [m] Manning's drag during the substep, g n^2 dt |v| h^(-1/3), of water of this velocity; manning_coef is
// g n^2 dt. Implicit friction divides the velocity by 1 + drag/h.
static inline float manning_drag(float manning_coef, float depth, float u, float other)
{
    return manning_coef * __builtin_sqrtf(u * u + other * other) * inverse_cube_root(depth);
}

// Manning friction of a whole substep.
static inline __attribute__((always_inline)) void
apply_manning_row(const struct shallow_coefs *k, const float *h, const struct velocity_component *q,
                  float *restrict u_next, size_t row, size_t end)
{
    const size_t step_along = q->step_along, step_across = q->step_across;
    const float *u = q->u, *v = q->v;
    const float manning_coef = k->manning_coef, min_depth = 0.5f * k->dry_depth;
    for (size_t c = row; c < end; ++c) {
        const float other = transverse_velocity(v, c, step_along, step_across),
                    depth = friction_depth(h, c, step_along, min_depth);
        u_next[c] *= depth / (depth + manning_drag(manning_coef, depth, u[c], other));
    }
}

// Half of it, for the predictor; the whole drag is stored for the corrector.
static inline __attribute__((always_inline)) void
predict_manning_row(const struct shallow_coefs *k, const float *h, const struct velocity_component *q,
                    float *restrict u_half, float *restrict drag, size_t row, size_t end)
{
    const size_t step_along = q->step_along, step_across = q->step_across;
    const float *u = q->u, *v = q->v;
    const float manning_coef = k->manning_coef, min_depth = 0.5f * k->dry_depth;
    for (size_t c = row; c < end; ++c) {
        const float other = transverse_velocity(v, c, step_along, step_across),
                    depth = friction_depth(h, c, step_along, min_depth);
        drag[c] = manning_drag(manning_coef, depth, u[c], other);
        u_half[c] *= depth / (depth + 0.5f * drag[c]);
    }
}

// The corrector: the stored drag on the depth after the substep. drag[0] belongs to the first face.
static inline __attribute__((always_inline)) void correct_manning_row(const struct shallow_coefs *k,
                                                                      const float *h_next, const float *drag,
                                                                      float *restrict u_next, size_t row,
                                                                      size_t end, size_t step_along)
{
    const float min_depth = 0.5f * k->dry_depth;
    for (size_t c = row; c < end; ++c) {
        const float depth = friction_depth(h_next, c, step_along, min_depth);
        u_next[c] *= depth / (depth + drag[c - row]);
    }
}

#define WALL_BED_STEPS 4.0f // a bed step above this many max_bed_step is a wall

// Whether the bed has a wall at any west or south face of a row.
static inline __attribute__((always_inline)) bool
has_bed_wall_row(const struct shallow_coefs *k, const float *restrict bed, size_t row, size_t end, size_t n)
{
    const float wall_step = WALL_BED_STEPS * k->max_bed_step;
    int steep = 0;
    for (size_t c = row; c < end; ++c)
        steep |= max_f(abs_f(bed[c] - bed[c - 1]), abs_f(bed[c] - bed[c - n])) > wall_step;
    return steep;
}

// Head loss at bed walls by Borda and Carnot for a sudden change of depth, (1 - h/H)^2 u^2/(2 g) within one
// cell, implicit during a fraction of the substep: u_next / (1 + fraction dt/(2 dx) (1 - h/H)^2 |u|). Without
// it velocities grow at cliffs that are hundreds of cells high.
static inline void apply_head_loss_row(const struct shallow_coefs *k, float fraction, const float *bed,
                                       const float *h, const struct velocity_component *q,
                                       float *restrict u_next, size_t row, size_t end)
{
    const size_t step_along = q->step_along;
    const float *u = q->u;
    const float half = 0.5f * fraction * k->dt_dx, wall_step = WALL_BED_STEPS * k->max_bed_step,
                min_depth = k->dry_depth;
    for (size_t c = row; c < end; ++c) {
        const float shallower = min_f(h[c - step_along], h[c]),
                    deeper = max_f(max_f(h[c - step_along], h[c]), min_depth);
        const float contraction = 1.0f - shallower / deeper,
                    loss = half * (contraction * contraction) * abs_f(u[c]);
        u_next[c] /= 1.0f + (abs_f(bed[c] - bed[c - step_along]) > wall_step ? loss : 0.0f);
    }
}

#endif
