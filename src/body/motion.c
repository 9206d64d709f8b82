// How bodies move: momenta are the state, velocities follow.
#include "body.h"

vec3 body_velocity(const struct bodies *b, int i)
{
    return v3_scale(b->hot[i].momentum, 1.0 / b->slots[i].cold->def.mass);
}

// From the principal axes to the world's.
static quat principal(const struct bodies *b, int i)
{
    return quat_mul(b->hot[i].rotation, b->slots[i].cold->axes);
}

vec3 body_spin(const struct bodies *b, int i)
{
    const vec3 inertia = b->slots[i].cold->inertia;
    const quat q = principal(b, i);
    const vec3 l = quat_turn_back(q, b->hot[i].angular);
    return quat_turn(q, v3(l.x / inertia.x, l.y / inertia.y, l.z / inertia.z));
}

vec3 body_angular(const struct bodies *b, int i, vec3 spin)
{
    const vec3 inertia = b->slots[i].cold->inertia;
    const quat q = principal(b, i);
    const vec3 w = quat_turn_back(q, spin);
    return quat_turn(q, v3(w.x * inertia.x, w.y * inertia.y, w.z * inertia.z));
}

// R diag(d) R^T, which is symmetric.
static mat3 about(const mat3 *r, vec3 d)
{
    mat3 out;
    for (int k = 0; k < 3; ++k)
        for (int m = 0; m <= k; ++m)
            out.m[k][m] = out.m[m][k] =
                r->m[k][0] * d.x * r->m[m][0] + r->m[k][1] * d.y * r->m[m][1] + r->m[k][2] * d.z * r->m[m][2];
    return out;
}

mat3 body_inertia(const struct bodies *b, int i)
{
    const mat3 r = quat_matrix(principal(b, i));
    return about(&r, b->slots[i].cold->inertia);
}

void body_inertias(const struct bodies *b, int i, mat3 *inertia, mat3 *back)
{
    const mat3 r = quat_matrix(principal(b, i));
    const vec3 d = b->slots[i].cold->inertia;
    *inertia = about(&r, d);
    *back = about(&r, v3(1.0 / d.x, 1.0 / d.y, 1.0 / d.z));
}

// Written so that a NaN is not sound either.
bool body_sound(const struct bodies *b, int i)
{
    const struct body_hot *h = &b->hot[i];
    const struct body_cold *c = b->slots[i].cold;
    const double m = 1e6 * c->def.mass, least = 1e6 * fmin(c->inertia.x, fmin(c->inertia.y, c->inertia.z));
    return v3_dot(h->position, h->position) <= 1e14 && v3_dot(h->momentum, h->momentum) <= m * m &&
           (v3_dot(h->angular, h->angular) <= least * least || v3_length(body_spin(b, i)) <= 1e6) &&
           fabs(h->rotation.w) <= 2.0;
}

void bodies_flatten(struct bodies *b)
{
    for (int i = 0; i < b->count; ++i) {
        struct body_hot *h = &b->hot[i];
        h->position.z = h->momentum.z = h->angular.x = h->angular.y = 0.0;
        h->rotation = quat_unit((quat){h->rotation.w, 0.0, 0.0, h->rotation.z});
    }
}

double body_energy(const struct bodies *b, int i, double gravity)
{
    const struct body_hot *hot = &b->hot[i];
    return 0.5 * v3_dot(hot->momentum, body_velocity(b, i)) + 0.5 * v3_dot(hot->angular, body_spin(b, i)) +
           b->slots[i].cold->def.mass * gravity * hot->position.y;
}

// Turn about one principal axis by what the angular momentum says; the momentum itself stays.
static quat turn_about(quat q, vec3 angular, vec3 inertia, int axis, double dt)
{
    const vec3 l = quat_turn_back(q, angular);
    const double rate[3] = {l.x / inertia.x, l.y / inertia.y, l.z / inertia.z};
    const double half = 0.5 * dt * rate[axis];
    if (half == 0.0) return q; // in a plane all but one
    const double s = m_sin(half);
    return quat_mul(q, (quat){m_cos(half), axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0});
}

// Free rotation by symmetric splitting about the principal axes (x/2 y/2 z y/2 x/2): angular momentum is kept
// exactly and the energy error stays bounded, where explicit schemes gain energy for ever.
// [mclachlan1993]
static quat turned(quat q, vec3 angular, vec3 inertia, double dt)
{
    static const int order[5] = {0, 1, 2, 1, 0};
    for (int k = 0; k < 5; ++k) q = turn_about(q, angular, inertia, order[k], order[k] == 2 ? dt : 0.5 * dt);
    return quat_unit(q);
}

// Turns of half a radian at most, or the splitting loses its hold on the energy; a body that spins faster than a
// thousand of those a step is as good as lost.
static int turns(vec3 angular, vec3 inertia, double dt)
{
    const double least = fmin(inertia.x, fmin(inertia.y, inertia.z)),
                 most = fmax(inertia.x, fmax(inertia.y, inertia.z));
    if (most - least < 1e-12 * most) return 1; // a ball turns about one axis, exactly
    const double n = ceil(v3_length(angular) / least * dt / 0.5);
    return n >= 1.0 ? (int)fmin(n, 1000.0) : 1; // what is not a number is found when the step is over
}

void body_turn(struct bodies *b, int i, vec3 angular, double dt)
{
    const struct body_cold *c = b->slots[i].cold;
    const int n = turns(angular, c->inertia, dt);
    quat q = principal(b, i);
    for (int k = 0; k < n; ++k) q = turned(q, angular, c->inertia, dt / n);
    b->hot[i].rotation = quat_unit(quat_mul(q, quat_back(c->axes)));
}
