// Matrices in double, handed over in float.
#include "camera.h"

#include <math.h>
#include <stdbool.h>

static const double half_fov = 0.3490658503988659; // 20 degrees

struct d4 {
    double m[16]; // column-major
};

static struct d4 product(const struct d4 *a, const struct d4 *b)
{
    struct d4 r;
    for (int col = 0; col < 4; ++col)
        for (int row = 0; row < 4; ++row) {
            double sum = 0.0;
            for (int k = 0; k < 4; ++k) sum += a->m[k * 4 + row] * b->m[col * 4 + k];
            r.m[col * 4 + row] = sum;
        }
    return r;
}

// Gauss and Jordan with pivots; camera matrices are never singular.
static struct d4 inverse(struct d4 a)
{
    struct d4 r = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    for (int c = 0; c < 4; ++c) {
        int best = c;
        for (int i = c + 1; i < 4; ++i)
            if (fabs(a.m[c * 4 + i]) > fabs(a.m[c * 4 + best])) best = i;
        for (int k = 0; k < 4; ++k) {
            const double x = a.m[k * 4 + c], y = r.m[k * 4 + c];
            a.m[k * 4 + c] = a.m[k * 4 + best], a.m[k * 4 + best] = x;
            r.m[k * 4 + c] = r.m[k * 4 + best], r.m[k * 4 + best] = y;
        }
        const double pivot = a.m[c * 4 + c];
        for (int k = 0; k < 4; ++k) a.m[k * 4 + c] /= pivot, r.m[k * 4 + c] /= pivot;
        for (int i = 0; i < 4; ++i) {
            const double f = a.m[c * 4 + i];
            for (int k = 0; i != c && k < 4; ++k)
                a.m[k * 4 + i] -= f * a.m[k * 4 + c], r.m[k * 4 + i] -= f * r.m[k * 4 + c];
        }
    }
    return r;
}

static struct mat4 to_float(const struct d4 *a)
{
    struct mat4 r;
    for (int k = 0; k < 16; ++k) r.m[k] = (float)a->m[k];
    return r;
}

static void finish(struct camera *c, const struct d4 *view, const struct d4 *projection, tarn_vec3 eye)
{
    const struct d4 both = product(projection, view), back = inverse(both);
    c->view = to_float(view);
    c->projection = to_float(projection);
    c->both = to_float(&both);
    c->back = to_float(&back);
    c->eye[0] = (float)eye.x, c->eye[1] = (float)eye.y, c->eye[2] = (float)eye.z;
}

static tarn_vec3 cross(tarn_vec3 a, tarn_vec3 b)
{
    return (tarn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(tarn_vec3 a, tarn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static tarn_vec3 unit(tarn_vec3 a)
{
    const double n = sqrt(dot(a, a));
    return (tarn_vec3){a.x / n, a.y / n, a.z / n};
}

// Right, up and backward of an eye that looks along -back. Straight up or down, z points down the picture.
static void axes(tarn_vec3 back, tarn_vec3 *right, tarn_vec3 *up)
{
    const bool steep = fabs(back.y) > 0.9999;
    *right = unit(cross(steep ? (tarn_vec3){0, 0, -1} : (tarn_vec3){0, 1, 0}, back));
    *up = cross(back, *right);
}

static struct d4 look(tarn_vec3 eye, tarn_vec3 back)
{
    tarn_vec3 r, u;
    axes(back, &r, &u);
    const tarn_vec3 b = back;
    return (struct d4){
        {r.x, u.x, b.x, 0, r.y, u.y, b.y, 0, r.z, u.z, b.z, 0, -dot(r, eye), -dot(u, eye), -dot(b, eye), 1}};
}

static tarn_vec3 corner(const struct extent *box, int k)
{
    return (tarn_vec3){k & 1 ? box->high[0] : box->low[0], k & 2 ? box->high[1] : box->low[1],
                       k & 4 ? box->high[2] : box->low[2]};
}

// Step back along `back` until all corners are in the picture, and aim so that they are in its middle.
static tarn_vec3 fit(const struct extent *box, tarn_vec3 back, double aspect, tarn_vec3 *to)
{
    tarn_vec3 right, up, eye = *to;
    axes(back, &right, &up);
    const double tall = tan(half_fov) * 0.94, wide = tall * aspect; // a margin of 3 % on each side
    for (int round = 0; round < 8; ++round) {
        double far = 0.0, lo[2] = {1e30, 1e30}, hi[2] = {-1e30, -1e30};
        for (int k = 0; k < 8; ++k) {
            const tarn_vec3 p = corner(box, k), d = {p.x - to->x, p.y - to->y, p.z - to->z};
            const double need = fmax(fabs(dot(d, right)) / wide, fabs(dot(d, up)) / tall) + dot(d, back);
            far = fmax(far, need);
        }
        for (int k = 0; k < 8; ++k) {
            const tarn_vec3 p = corner(box, k), d = {p.x - to->x, p.y - to->y, p.z - to->z};
            const double away = far - dot(d, back), x = dot(d, right) / away, y = dot(d, up) / away;
            lo[0] = fmin(lo[0], x), hi[0] = fmax(hi[0], x), lo[1] = fmin(lo[1], y), hi[1] = fmax(hi[1], y);
        }
        const double dx = 0.5 * (lo[0] + hi[0]) * far, dy = 0.5 * (lo[1] + hi[1]) * far;
        to->x += dx * right.x + dy * up.x, to->y += dx * right.y + dy * up.y,
            to->z += dx * right.z + dy * up.z;
        eye = (tarn_vec3){to->x + far * back.x, to->y + far * back.y, to->z + far * back.z};
    }
    return eye;
}

void camera_perspective(struct camera *c, const struct extent *box, tarn_vec3 from, tarn_vec3 to,
                        double aspect)
{
    const double wide = box->high[0] - box->low[0], deep = box->high[2] - box->low[2];
    const double size = fmax(wide, deep);
    tarn_vec3 back = {from.x - to.x, from.y - to.y, from.z - to.z};
    if (dot(back, back) > 0.0) {
        back = unit(back);
    } else {
        // Look across the shorter side; the longer the pool, the straighter.
        const double turn = 0.62 * fmin(wide, deep) / size, high = 0.53;
        const double side = sin(turn) * cos(high), ahead = cos(turn) * cos(high);
        back = wide >= deep ? (tarn_vec3){side, sin(high), ahead} : (tarn_vec3){ahead, sin(high), side};
        to = (tarn_vec3){0.5 * (box->low[0] + box->high[0]), 0.5 * (box->low[1] + box->high[1]),
                         0.5 * (box->low[2] + box->high[2])};
        from = fit(box, back, aspect, &to);
    }
    const double near = 0.02 * size, tall = tan(half_fov);
    const double dx = from.x - to.x, dy = from.y - to.y, dz = from.z - to.z;
    const double far = sqrt(dx * dx + dy * dy + dz * dz) + 6.0 * size;
    struct d4 p = {{0}};
    p.m[0] = 1.0 / (tall * aspect), p.m[5] = 1.0 / tall;
    p.m[10] = -(far + near) / (far - near), p.m[11] = -1.0, p.m[14] = -2.0 * far * near / (far - near);
    const struct d4 view = look(from, back);
    finish(c, &view, &p, from);
}

void camera_top(struct camera *c, const struct extent *box, double aspect)
{
    const double wide = box->high[0] - box->low[0], deep = box->high[2] - box->low[2];
    const double tall = 0.5 * 1.04 * fmax(deep, wide / aspect);
    const double depth = 10.0 * fmax(wide, deep);
    const tarn_vec3 eye = {0.5 * (box->low[0] + box->high[0]), box->high[1] + 0.5 * depth,
                           0.5 * (box->low[2] + box->high[2])};
    struct d4 p = {{0}};
    p.m[0] = 1.0 / (tall * aspect), p.m[5] = 1.0 / tall, p.m[10] = -2.0 / depth, p.m[14] = -1.0,
    p.m[15] = 1.0;
    const struct d4 view = look(eye, (tarn_vec3){0, 1, 0});
    finish(c, &view, &p, eye);
}
