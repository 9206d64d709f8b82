// Locked axes: a body with locks has the inverse mass 0 along locked axes of the world, and about them. Its
// angular momentum is I w with w = 0 about locked axes, so that all other code may derive w from it.
#include "body/body.h"

static bool is_locked(const struct bodies *b, int i, int axis)
{
    return b->slots[i].body->lock_code >> axis & 1;
}

// The adjugate of a symmetric matrix over its determinant.
static mat3 invert_symmetric(const mat3 *a)
{
    const double xx = a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[1][2],
                 xy = a->m[0][2] * a->m[1][2] - a->m[0][1] * a->m[2][2],
                 xz = a->m[0][1] * a->m[1][2] - a->m[0][2] * a->m[1][1];
    const double yy = a->m[0][0] * a->m[2][2] - a->m[0][2] * a->m[0][2],
                 yz = a->m[0][1] * a->m[0][2] - a->m[0][0] * a->m[1][2],
                 zz = a->m[0][0] * a->m[1][1] - a->m[0][1] * a->m[0][1];
    const double k = 1.0 / (a->m[0][0] * xx + a->m[0][1] * xy + a->m[0][2] * xz);
    return (mat3){{{k * xx, k * xy, k * xz}, {k * xy, k * yy, k * yz}, {k * xz, k * yz, k * zz}}};
}

// The inverse of the block of free axes; rows and columns of locked axes are zero.
mat3 body_restricted_inverse_inertia(const struct bodies *b, int i)
{
    mat3 inertia = body_inertia(b, i);
    for (int k = 0; k < 3; ++k) {
        if (!is_locked(b, i, 3 + k)) continue;
        const double own = inertia.m[k][k];
        for (int n = 0; n < 3; ++n) inertia.m[k][n] = inertia.m[n][k] = 0.0;
        inertia.m[k][k] = own;
    }
    mat3 inverse = invert_symmetric(&inertia);
    for (int k = 0; k < 3; ++k)
        if (is_locked(b, i, 3 + k)) inverse.m[k][k] = 0.0;
    return inverse;
}

static void remove_locked(const struct bodies *b, int i, int first, vec3 *v)
{
    if (is_locked(b, i, first)) v->x = 0.0;
    if (is_locked(b, i, first + 1)) v->y = 0.0;
    if (is_locked(b, i, first + 2)) v->z = 0.0;
}

void body_restrict_impulse(const struct bodies *b, int i, vec3 *impulse, vec3 *angular_impulse)
{
    if (!body_has_locks(b, i)) return;
    const mat3 inertia = body_inertia(b, i), inverse = body_restricted_inverse_inertia(b, i);
    remove_locked(b, i, 0, impulse);
    if (b->slots[i].body->lock_code >= 8)
        *angular_impulse = mat3_mul(&inertia, mat3_mul(&inverse, *angular_impulse));
}

void body_remove_locked(const struct bodies *b, int i, vec3 *velocity, vec3 *angular_velocity)
{
    remove_locked(b, i, 0, velocity);
    remove_locked(b, i, 3, angular_velocity);
}

void body_restrict_momenta(struct bodies *b, int i)
{
    body_restrict_impulse(b, i, &b->state[i].momentum, &b->state[i].angular_momentum);
}

void body_rotate_restricted(struct bodies *b, int i, double dt)
{
    const mat3 inverse = body_restricted_inverse_inertia(b, i);
    const vec3 spin = mat3_mul(&inverse, b->state[i].angular_momentum);
    const quat turn = quat_from_rotation_vector(v3_scale(spin, dt));
    b->state[i].rotation = quat_normalize(quat_mul(turn, b->state[i].rotation));
}
