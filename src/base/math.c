#include "math.h"

quat quat_nlerp(quat a, quat b, double t)
{
    // q and -q are one rotation: take the sign of b that lies nearer to a.
    const double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    const double k = 1.0 - t, l = dot < 0.0 ? -t : t;
    return quat_normalize((quat){k * a.w + l * b.w, k * a.x + l * b.x, k * a.y + l * b.y, k * a.z + l * b.z});
}

// The largest of the four squares first: no difference of near numbers is divided by.
quat quat_from_matrix(const mat3 *r)
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
    return quat_normalize(q);
}

// Small turns by the series, whose next term is below rounding: most turns are small.
quat quat_from_rotation_vector(vec3 turn)
{
    const double square = 0.25 * v3_dot(turn, turn);
    if (square < 1e-4) {
        const double k = 0.5 - square * (1.0 / 12.0 - square * (1.0 / 240.0 - square / 10080.0));
        const double w = 1.0 - square * (0.5 - square * (1.0 / 24.0 - square / 720.0));
        return (quat){w, k * turn.x, k * turn.y, k * turn.z};
    }
    const double angle = v3_length(turn);
    const double k = m_sin(0.5 * angle) / angle;
    return (quat){m_cos(0.5 * angle), k * turn.x, k * turn.y, k * turn.z};
}
