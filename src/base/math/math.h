// Vectors, quaternions and elementary functions that give the same bits on every machine. The elementary
// functions of libm differ between machines in the last bit, and after many steps one bit changes a whole
// run. From libm only functions are used whose results IEEE 754 prescribes: sqrt, fabs, floor, fmod.
#ifndef BASE_MATH_H
#define BASE_MATH_H

#include <tarn/vec.h>

#include <math.h>
#include <stdbool.h>

#ifdef __FAST_MATH__
#error "-ffast-math changes results: tarn must give the same bits on every machine"
#endif

#define PI 3.14159265358979323846

// Angles. A number of degrees with at most ten decimals, up to 1e5, comes back unchanged; other angles come
// back within 2 ulp.
static inline double degrees_to_radians(double degrees) { return degrees * (PI / 180.0); }
double radians_to_degrees(double radians);

// The error is below 2 ulp over the stated range; test_base checks ranges and errors.
double m_sin(double x);             // |x| <= 1e6
double m_cos(double x);             // |x| <= 1e6
double m_exp(double x);             // all x: 0 below -745.2, infinity above 709.8
double m_log(double x);             // x > 0
double m_atan2(double y, double x); // all finite values; signs as in C's atan2
double m_pow(double x, double y);   // x > 0; x = 0 with y > 0

// sin(2 pi turns). Whole turns are removed first, so that the argument of m_sin stays in range however large
// `turns` is.
static inline double m_sin_turns(double turns) { return m_sin(2.0 * PI * (turns - floor(turns))); }

typedef tarn_vec3 vec3;
typedef tarn_quat quat;

typedef struct mat3 {
    double m[3][3];
} mat3;

static inline vec3 v3(double x, double y, double z) { return (vec3){x, y, z}; }
static inline vec3 v3_add(vec3 a, vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec3 v3_sub(vec3 a, vec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vec3 v3_scale(vec3 a, double k) { return v3(a.x * k, a.y * k, a.z * k); }
// a + k b
static inline vec3 v3_madd(vec3 a, double k, vec3 b)
{
    return v3(a.x + k * b.x, a.y + k * b.y, a.z + k * b.z);
}
static inline double v3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 v3_cross(vec3 a, vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double v3_length(vec3 a) { return sqrt(v3_dot(a, a)); }
// Two unit vectors s, t normal to the unit vector n, right-handed: s x t = n.
static inline void v3_orthonormal_basis(vec3 n, vec3 *s, vec3 *t)
{
    *s = v3_cross(n, fabs(n.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0));
    *s = v3_scale(*s, 1.0 / v3_length(*s));
    *t = v3_cross(n, *s);
}
static inline double v3_get(vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }
static inline bool v3_is_finite(vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

static inline quat quat_mul(quat a, quat b)
{
    return (quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// Unit length; the identity for a zero quaternion.
static inline quat quat_normalize(quat q)
{
    const double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(n > 0.0)) return (quat){1.0, 0.0, 0.0, 0.0};
    return (quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

static inline mat3 quat_to_matrix(quat q)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (mat3){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                   {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                   {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}

// Body to world coordinates: q v q* = v + 2 w (u x v) + 2 u x (u x v), u the vector part of q.
static inline vec3 quat_rotate(quat q, vec3 v)
{
    const vec3 u = v3(q.x, q.y, q.z);
    const vec3 t = v3_scale(v3_cross(u, v), 2.0);
    return v3_add(v3_madd(v, q.w, t), v3_cross(u, t));
}

// World to body coordinates.
static inline vec3 quat_rotate_inverse(quat q, vec3 v)
{
    return quat_rotate((quat){q.w, -q.x, -q.y, -q.z}, v);
}

static inline mat3 mat3_scale(const mat3 *a, double s)
{
    mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out.m[i][j] = s * a->m[i][j];
    return out;
}

static inline vec3 mat3_mul(const mat3 *a, vec3 v)
{
    const double(*m)[3] = a->m;
    return v3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
              m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

// a^T v
static inline vec3 mat3_mul_t(const mat3 *a, vec3 v)
{
    const double(*m)[3] = a->m;
    return v3(m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z, m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
              m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z);
}

quat quat_nlerp(quat a, quat b, double t);     // normalised linear interpolation along the shorter arc
quat quat_from_matrix(const mat3 *m);          // m must be a rotation
quat quat_from_rotation_vector(vec3 rotation); // exponential map: |rotation| radians about its direction
vec3 quat_to_rotation_vector(quat q);          // its inverse, of at most pi radians
// The inverse of a unit quaternion.
static inline quat quat_conjugate(quat q) { return (quat){q.w, -q.x, -q.y, -q.z}; }

static inline double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }
static inline int imin(int a, int b) { return a < b ? a : b; }
static inline int imax(int a, int b) { return a > b ? a : b; }

#endif
