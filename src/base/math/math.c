// Conversion of angles; conversions and interpolation of quaternions.
#include "math.h"

double radians_to_degrees(double radians)
{
    const double degrees = radians * (180.0 / PI), rounded = floor(degrees * 1e10 + 0.5) / 1e10;
    return radians != 0.0 && degrees_to_radians(rounded) == radians ? rounded : degrees;
}

quat quat_nlerp(quat a, quat b, double t)
{
    // q and -q are the same rotation: the sign of b is chosen so that b is nearer to a.
    const double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    const double weight_a = 1.0 - t, weight_b = dot < 0.0 ? -t : t;
    return quat_normalize((quat){weight_a * a.w + weight_b * b.w, weight_a * a.x + weight_b * b.x,
                                 weight_a * a.y + weight_b * b.y, weight_a * a.z + weight_b * b.z});
}

// The component with the largest square is computed first, so that no division is by a difference of nearly
// equal numbers.
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

// Most rotations in a step are small: below 0.02 rad a Taylor series is used, whose next term is below
// rounding.
quat quat_from_rotation_vector(vec3 rotation)
{
    const double half_angle2 = 0.25 * v3_dot(rotation, rotation);
    if (half_angle2 < 1e-4) {
        const double k =
            0.5 - half_angle2 * (1.0 / 12.0 - half_angle2 * (1.0 / 240.0 - half_angle2 / 10080.0));
        const double w = 1.0 - half_angle2 * (0.5 - half_angle2 * (1.0 / 24.0 - half_angle2 / 720.0));
        return (quat){w, k * rotation.x, k * rotation.y, k * rotation.z};
    }
    const double angle = v3_length(rotation);
    const double k = m_sin(0.5 * angle) / angle;
    return (quat){m_cos(0.5 * angle), k * rotation.x, k * rotation.y, k * rotation.z};
}

vec3 quat_to_rotation_vector(quat q)
{
    const double sign = q.w < 0.0 ? -1.0 : 1.0; // the shorter way
    const vec3 v = v3(sign * q.x, sign * q.y, sign * q.z);
    const double sine = v3_length(v);
    return sine > 0.0 ? v3_scale(v, 2.0 * m_atan2(sine, sign * q.w) / sine) : v;
}
