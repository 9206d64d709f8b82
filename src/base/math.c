#include "math.h"

quat quat_mul(quat a, quat b)
{
    return (quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

quat quat_unit(quat q)
{
    const double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(n > 0.0)) return (quat){1.0, 0.0, 0.0, 0.0};
    return (quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

quat quat_blend(quat a, quat b, double t)
{
    // q and -q are one rotation: take the sign of b that lies nearer to a.
    const double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    const double k = 1.0 - t, l = dot < 0.0 ? -t : t;
    return quat_unit((quat){k * a.w + l * b.w, k * a.x + l * b.x, k * a.y + l * b.y, k * a.z + l * b.z});
}

mat3 quat_matrix(quat q)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (mat3){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                   {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                   {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}

// q v q* = v + 2 w (u x v) + 2 u x (u x v) with u the vector part of q.
vec3 quat_turn(quat q, vec3 v)
{
    const vec3 u = v3(q.x, q.y, q.z);
    const vec3 t = v3_scale(v3_cross(u, v), 2.0);
    return v3_add(v3_madd(v, q.w, t), v3_cross(u, t));
}

vec3 quat_turn_back(quat q, vec3 v) { return quat_turn((quat){q.w, -q.x, -q.y, -q.z}, v); }

vec3 mat3_mul(const mat3 *a, vec3 v)
{
    const double(*m)[3] = a->m;
    return v3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
              m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

vec3 mat3_mul_t(const mat3 *a, vec3 v)
{
    const double(*m)[3] = a->m;
    return v3(m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z, m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
              m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z);
}

// The largest of the four squares first: no difference of near numbers is divided by.
quat quat_of_matrix(const mat3 *r)
{
    const double xx = r->m[0][0], yy = r->m[1][1], zz = r->m[2][2];
    const double a = r->m[2][1] - r->m[1][2], b = r->m[0][2] - r->m[2][0], c = r->m[1][0] - r->m[0][1];
    const double d = r->m[1][0] + r->m[0][1], e = r->m[0][2] + r->m[2][0], f = r->m[2][1] + r->m[1][2];
    quat q;
    if (xx + yy + zz > 0.0)
        q = (quat){1.0 + xx + yy + zz, a, b, c};
    else if (xx >= yy && xx >= zz)
        q = (quat){a, 1.0 + xx - yy - zz, d, e};
    else if (yy >= zz)
        q = (quat){b, d, 1.0 + yy - zz - xx, f};
    else
        q = (quat){c, e, f, 1.0 + zz - xx - yy};
    return quat_unit(q);
}

quat quat_about(vec3 turn)
{
    const double angle = v3_length(turn);
    if (!(angle > 0.0)) return (quat){1, 0, 0, 0};
    const double k = m_sin(0.5 * angle) / angle;
    return (quat){m_cos(0.5 * angle), k * turn.x, k * turn.y, k * turn.z};
}
