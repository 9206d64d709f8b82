// Vectors, rotations and our own elementary functions: libm's differ between machines in the last bit,
// and one bit is enough to part two runs. From libm only sqrt, fabs, floor and the like are used, which
// IEEE 754 fixes.
#ifndef BASE_MATH_H
#define BASE_MATH_H

#include <tarn/types.h>

#include <math.h>
#include <stdbool.h>

#ifdef __FAST_MATH__
#error "tarn gives the same bits everywhere; -ffast-math would break that promise"
#endif

#define PI 3.14159265358979323846

// Within 2 ulp of the true value over the stated range; ranges and errors are tested in test_base.
double m_sin(double x);             // |x| <= 1e6
double m_cos(double x);             // |x| <= 1e6
double m_exp(double x);             // all x: 0 below -745.2, infinity above 709.8
double m_log(double x);             // x > 0
double m_atan2(double y, double x); // all finite, signs as C's atan2
double m_pow(double x, double y);   // x > 0; x = 0 with y > 0

// Sine of a number of turns. Whole ones do not change it, and without them the argument stays in range for ever.
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
static inline bool v3_finite(vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

quat quat_mul(quat a, quat b);
quat quat_unit(quat q);                    // identity for a zero one
quat quat_blend(quat a, quat b, double t); // the shorter way, normalised
mat3 quat_matrix(quat q);
quat quat_of_matrix(const mat3 *m); // a rotation
quat quat_about(vec3 turn);         // by |turn| radians about it
static inline quat quat_back(quat q) { return (quat){q.w, -q.x, -q.y, -q.z}; }
vec3 quat_turn(quat q, vec3 v);      // body to world
vec3 quat_turn_back(quat q, vec3 v); // world to body
vec3 mat3_mul(const mat3 *a, vec3 v);
vec3 mat3_mul_t(const mat3 *a, vec3 v); // transposed

static inline double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }
static inline int imin(int a, int b) { return a < b ? a : b; }
static inline int imax(int a, int b) { return a > b ? a : b; }

#endif
