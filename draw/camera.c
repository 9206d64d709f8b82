// View and projection matrices of the camera, computed in double and stored in float. draw.c calls this per
// frame.
#include "camera.h"

#include <math.h>
#include <stdbool.h>

static const double half_field_of_view = 0.3490658503988659; // 20 degrees

struct double_mat4 {
    double m[16]; // column-major
};

static struct double_mat4 product(const struct double_mat4 *a, const struct double_mat4 *b)
{
    struct double_mat4 r;
    for (int col = 0; col < 4; ++col)
        for (int row = 0; row < 4; ++row) {
            double sum = 0.0;
            for (int k = 0; k < 4; ++k) sum += a->m[k * 4 + row] * b->m[col * 4 + k];
            r.m[col * 4 + row] = sum;
        }
    return r;
}

// Gauss-Jordan elimination with partial pivoting; camera matrices are not singular.
static struct double_mat4 inverse(struct double_mat4 a)
{
    struct double_mat4 r = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
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

static struct mat4 to_float(const struct double_mat4 *a)
{
    struct mat4 r;
    for (int k = 0; k < 16; ++k) r.m[k] = (float)a->m[k];
    return r;
}

static void set_matrices(struct camera *c, const struct double_mat4 *view,
                         const struct double_mat4 *projection, tarn_vec3 position)
{
    const struct double_mat4 view_projection = product(projection, view), back = inverse(view_projection);
    c->view = to_float(view);
    c->projection = to_float(projection);
    c->view_projection = to_float(&view_projection);
    c->inverse_view_projection = to_float(&back);
    c->position[0] = (float)position.x, c->position[1] = (float)position.y,
    c->position[2] = (float)position.z;
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

// Right and up axes of a camera that looks along -back. If it looks straight down or up, z points down the
// image.
static void camera_axes(tarn_vec3 back, tarn_vec3 *right, tarn_vec3 *up)
{
    const bool steep = fabs(back.y) > 0.9999;
    *right = unit(cross(steep ? (tarn_vec3){0, 0, -1} : (tarn_vec3){0, 1, 0}, back));
    *up = cross(back, *right);
}

static struct double_mat4 look_at(tarn_vec3 position, tarn_vec3 back)
{
    tarn_vec3 r, u;
    camera_axes(back, &r, &u);
    const tarn_vec3 b = back;
    return (struct double_mat4){{r.x, u.x, b.x, 0, r.y, u.y, b.y, 0, r.z, u.z, b.z, 0, -dot(r, position),
                                 -dot(u, position), -dot(b, position), 1}};
}

static tarn_vec3 corner(const struct bounds *box, int k)
{
    return (tarn_vec3){k & 1 ? box->high[0] : box->low[0], k & 2 ? box->high[1] : box->low[1],
                       k & 4 ? box->high[2] : box->low[2]};
}

// Move back along `back` until all corners are visible, and move the target so that they are centred (8
// iterations).
static tarn_vec3 fit_box(const struct bounds *box, tarn_vec3 back, double aspect, tarn_vec3 *target)
{
    tarn_vec3 right, up, position = *target;
    camera_axes(back, &right, &up);
    const double tall = tan(half_field_of_view) * 0.94, wide = tall * aspect; // a margin of 3 % on each side
    for (int round = 0; round < 8; ++round) {
        double far = 0.0, lo[2] = {1e30, 1e30}, hi[2] = {-1e30, -1e30};
        for (int k = 0; k < 8; ++k) {
            const tarn_vec3 p = corner(box, k), d = {p.x - target->x, p.y - target->y, p.z - target->z};
            const double need = fmax(fabs(dot(d, right)) / wide, fabs(dot(d, up)) / tall) + dot(d, back);
            far = fmax(far, need);
        }
        for (int k = 0; k < 8; ++k) {
            const tarn_vec3 p = corner(box, k), d = {p.x - target->x, p.y - target->y, p.z - target->z};
            const double away = far - dot(d, back), x = dot(d, right) / away, y = dot(d, up) / away;
            lo[0] = fmin(lo[0], x), hi[0] = fmax(hi[0], x), lo[1] = fmin(lo[1], y), hi[1] = fmax(hi[1], y);
        }
        const double dx = 0.5 * (lo[0] + hi[0]) * far, dy = 0.5 * (lo[1] + hi[1]) * far;
        target->x += dx * right.x + dy * up.x, target->y += dx * right.y + dy * up.y,
            target->z += dx * right.z + dy * up.z;
        position = (tarn_vec3){target->x + far * back.x, target->y + far * back.y, target->z + far * back.z};
    }
    return position;
}

void camera_perspective(struct camera *c, const struct bounds *box, tarn_vec3 position, tarn_vec3 target,
                        double aspect)
{
    const double wide = box->high[0] - box->low[0], deep = box->high[2] - box->low[2];
    const double size = fmax(wide, deep);
    tarn_vec3 back = {position.x - target.x, position.y - target.y, position.z - target.z};
    if (dot(back, back) > 0.0) {
        back = unit(back);
    } else {
        // Look across the shorter side; the view of a longer pool is rotated less.
        const double azimuth = 0.62 * fmin(wide, deep) / size, elevation = 0.53;
        const double side = sin(azimuth) * cos(elevation), ahead = cos(azimuth) * cos(elevation);
        back = wide >= deep ? (tarn_vec3){side, sin(elevation), ahead}
                            : (tarn_vec3){ahead, sin(elevation), side};
        target = (tarn_vec3){0.5 * (box->low[0] + box->high[0]), 0.5 * (box->low[1] + box->high[1]),
                             0.5 * (box->low[2] + box->high[2])};
        position = fit_box(box, back, aspect, &target);
    }
    const double near = 0.02 * size, tall = tan(half_field_of_view);
    const double dx = position.x - target.x, dy = position.y - target.y, dz = position.z - target.z;
    const double far = sqrt(dx * dx + dy * dy + dz * dz) + 6.0 * size;
    struct double_mat4 p = {{0}};
    p.m[0] = 1.0 / (tall * aspect), p.m[5] = 1.0 / tall;
    p.m[10] = -(far + near) / (far - near), p.m[11] = -1.0, p.m[14] = -2.0 * far * near / (far - near);
    const struct double_mat4 view = look_at(position, back);
    set_matrices(c, &view, &p, position);
}

void camera_top(struct camera *c, const struct bounds *box, double aspect)
{
    const double wide = box->high[0] - box->low[0], deep = box->high[2] - box->low[2];
    const double tall = 0.5 * 1.04 * fmax(deep, wide / aspect);
    const double depth = 10.0 * fmax(wide, deep);
    const tarn_vec3 position = {0.5 * (box->low[0] + box->high[0]), box->high[1] + 0.5 * depth,
                                0.5 * (box->low[2] + box->high[2])};
    struct double_mat4 p = {{0}};
    p.m[0] = 1.0 / (tall * aspect), p.m[5] = 1.0 / tall, p.m[10] = -2.0 / depth, p.m[14] = -1.0,
    p.m[15] = 1.0;
    const struct double_mat4 view = look_at(position, (tarn_vec3){0, 1, 0});
    set_matrices(c, &view, &p, position);
}
