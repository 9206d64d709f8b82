// The foam cover of every cell, 0 .. 1: on steep and converging waves and along the waterlines of bodies. It
// is a function of the frame alone, without history.
#include "draw/gl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double gravity = 9.81;

struct foam {
    struct gl_texture texture;
    float *cover, *scratch; // one value per cell
    size_t capacity;
};

static void *foam_create(const struct draw_setup *setup, char *why)
{
    (void)setup;
    struct foam *foam = calloc(1, sizeof *foam);
    if (!foam) snprintf(why, 256, "out of memory");
    return foam;
}

static void foam_destroy(void *self)
{
    struct foam *foam = self;
    if (!foam) return;
    gl_texture_free(&foam->texture);
    free(foam->cover);
    free(foam->scratch);
    free(foam);
}

static bool reserve(struct foam *foam, size_t cells)
{
    if (foam->capacity >= cells) return true;
    free(foam->cover);
    free(foam->scratch);
    foam->cover = malloc(cells * sizeof *foam->cover);
    foam->scratch = malloc(cells * sizeof *foam->scratch);
    foam->capacity = foam->cover && foam->scratch ? cells : 0;
    return foam->capacity > 0;
}

static int clamp(int k, int n) { return k < 0 ? 0 : (k < n ? k : n - 1); }

// Smooth step from 0 at lo to 1 at hi; 0 if x is not a number.
static double ramp(double lo, double hi, double x)
{
    const double t = (x - lo) / (hi - lo);
    return !(t > 0.0) ? 0.0 : t >= 1.0 ? 1.0 : t * t * (3.0 - 2.0 * t);
}

static double depth_of(const tarn_frame *f, int c)
{
    return (double)f->height[c] - (f->bed ? (double)f->bed[c] : 0.0);
}

// ---- waves ----------------------------------------------------------------------------------------

// Slope of the surface across a cell; dry neighbours are left out, because a shore is not a wave.
static double slope(const tarn_frame *f, int c, int low, int high)
{
    if (!(depth_of(f, low) > 0.0)) low = c;
    if (!(depth_of(f, high) > 0.0)) high = c;
    const int span = (low != c) + (high != c);
    return span ? ((double)f->height[high] - (double)f->height[low]) / (span * f->cell_size) : 0.0;
}

// Foam on fronts steeper than 20 degrees (tan = 0.35), and where the velocity difference of neighbouring
// cells exceeds 0.08 of the wave speed sqrt(g h), as in a bore. Films on slopes get none.
static double breaking_foam(const tarn_frame *f, double deep, int i, int j)
{
    const int c = j * f->nx + i, west = j * f->nx + clamp(i - 1, f->nx),
              east = j * f->nx + clamp(i + 1, f->nx);
    const int south = clamp(j - 1, f->nz) * f->nx + i, north = clamp(j + 1, f->nz) * f->nx + i;
    const double here = depth_of(f, c);
    if (!(here > 0.0)) return 0.0;
    const double steep = hypot(slope(f, c, west, east), slope(f, c, south, north));
    double convergence = 0.0;
    if (f->velocity_x && f->velocity_z)
        convergence = -0.5 * ((double)f->velocity_x[east] - (double)f->velocity_x[west] +
                              (double)f->velocity_z[north] - (double)f->velocity_z[south]);
    const double white =
        ramp(0.35, 1.0, steep) + 0.8 * ramp(0.08, 0.4, convergence / sqrt(gravity * (here + 0.1 * deep)));
    return white * ramp(0.02, 0.15, here / deep);
}

// ---- hulls ----------------------------------------------------------------------------------------

// Add to the four cells around a point with bilinear weights.
static void splat_foam(const tarn_frame *f, double x, double z, double amount, float *cover)
{
    const double u = (x - f->x0) / f->cell_size, v = (z - f->z0) / f->cell_size;
    if (!(u > -1.0 && u < f->nx && v > -1.0 && v < f->nz)) return;
    const int i = (int)floor(u), j = (int)floor(v);
    for (int k = 0; k < 4; ++k) {
        const int a = i + k % 2, b = j + k / 2;
        if (a < 0 || b < 0 || a >= f->nx || b >= f->nz) continue;
        cover[b * f->nx + a] += (float)(amount * (1.0 - fabs(u - a)) * (1.0 - fabs(v - b)));
    }
}

// Surface height and velocity of the water at a point; false where there is no water.
static bool water_at(const tarn_frame *f, double x, double z, double *level, double speed[2])
{
    const double u = floor((x - f->x0) / f->cell_size + 0.5), v = floor((z - f->z0) / f->cell_size + 0.5);
    if (!(u >= 0.0 && u < f->nx && v >= 0.0 && v < f->nz)) return false;
    const int c = (int)v * f->nx + (int)u;
    *level = (double)f->height[c];
    speed[0] = f->velocity_x ? (double)f->velocity_x[c] : 0.0,
    speed[1] = f->velocity_z ? (double)f->velocity_z[c] : 0.0;
    return depth_of(f, c) > 0.0;
}

// Froude number of a point of a body: relative speed over sqrt(g r), r its horizontal distance from the
// centre.
static double froude(const tarn_body_state *m, const double at[3], const double water[2])
{
    const double r[3] = {at[0] - m->position.x, at[1] - m->position.y, at[2] - m->position.z};
    const double x = m->velocity.x + m->angular_velocity.y * r[2] - m->angular_velocity.z * r[1] - water[0];
    const double y = m->velocity.y + m->angular_velocity.z * r[0] - m->angular_velocity.x * r[2];
    const double z = m->velocity.z + m->angular_velocity.x * r[1] - m->angular_velocity.y * r[0] - water[1];
    return sqrt((x * x + y * y + z * z) / (gravity * (hypot(r[0], r[2]) + 1e-6)));
}

static void transform_vertex(const tarn_body_state *m, const float *p, double out[3])
{
    const tarn_quat q = m->rotation;
    // p + 2 w (v x p) + 2 v x (v x p)
    const double px = (double)p[0], py = (double)p[1], pz = (double)p[2];
    const double tx = 2.0 * (q.y * pz - q.z * py), ty = 2.0 * (q.z * px - q.x * pz),
                 tz = 2.0 * (q.x * py - q.y * px);
    out[0] = m->position.x + px + q.w * tx + q.y * tz - q.z * ty;
    out[1] = m->position.y + py + q.w * ty + q.z * tx - q.x * tz;
    out[2] = m->position.z + pz + q.w * tz + q.x * ty - q.y * tx;
}

// Add foam along the line in which the surface cuts a triangle, in splats half a cell apart.
static void foam_at_waterline(const tarn_frame *f, const tarn_body_state *m, double corner[3][3],
                              float *cover)
{
    const double x = (corner[0][0] + corner[1][0] + corner[2][0]) / 3.0;
    const double z = (corner[0][2] + corner[1][2] + corner[2][2]) / 3.0;
    double level, water[2], ends[2][3];
    int found = 0;
    if (!water_at(f, x, z, &level, water)) return;
    for (int k = 0; k < 3 && found < 2; ++k) {
        const double *a = corner[k], *b = corner[(k + 1) % 3];
        if ((a[1] > level) == (b[1] > level)) continue;
        const double t = (level - a[1]) / (b[1] - a[1]);
        for (int n = 0; n < 3; ++n) ends[found][n] = a[n] + t * (b[n] - a[n]);
        ++found;
    }
    if (found < 2) return;
    const double along = hypot(ends[1][0] - ends[0][0], ends[1][2] - ends[0][2]);
    const int splats = (int)fmin(ceil(along / (0.5 * f->cell_size)), 256.0);
    for (int n = 0; n < splats; ++n) {
        const double t = (n + 0.5) / splats;
        double p[3];
        for (int k = 0; k < 3; ++k) p[k] = ends[0][k] + t * (ends[1][k] - ends[0][k]);
        const double amount = 0.12 + ramp(0.04, 0.6, froude(m, p, water));
        splat_foam(f, p[0], p[2], 1.6 * amount * along / splats / f->cell_size, cover);
    }
}

static void foam_along_hull(const tarn_frame *f, const tarn_frame_body *body, float *cover)
{
    const tarn_render_mesh *mesh = body->mesh;
    if (!mesh_is_drawable(mesh) || body->load.submerged_fraction > 0.999) return;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        double corner[3][3];
        for (int k = 0; k < 3; ++k)
            transform_vertex(&body->state, mesh->vertices + 3 * mesh->triangles[3 * t + k], corner[k]);
        foam_at_waterline(f, &body->state, corner, cover);
    }
}

// ---- all of it ------------------------------------------------------------------------------------

// Binomial filter 1 2 1 along x and z
static void blur(const tarn_frame *f, const float *in, float *out)
{
    for (int j = 0; j < f->nz; ++j)
        for (int i = 0; i < f->nx; ++i) {
            float sum = 0.0f;
            for (int b = -1; b <= 1; ++b)
                for (int a = -1; a <= 1; ++a)
                    sum += (float)((2 - abs(a)) * (2 - abs(b))) *
                           in[clamp(j + b, f->nz) * f->nx + clamp(i + a, f->nx)];
            out[j * f->nx + i] = sum / 16.0f;
        }
}

static void foam_draw(void *self, struct draw_frame_state *s)
{
    struct foam *foam = self;
    const tarn_frame *f = s->frame;
    const int cells = f->nx * f->nz;
    s->foam_texture = 0;
    if (!reserve(foam, (size_t)cells)) return; // without memory there is no foam
    const double deep = s->terrain ? (double)s->terrain->mean_depth
                                   : fmax((double)s->rest_level, 1e-3 * (double)s->pool_length);
    for (int j = 0; j < f->nz; ++j)
        for (int i = 0; i < f->nx; ++i) foam->cover[j * f->nx + i] = (float)breaking_foam(f, deep, i, j);
    for (int i = 0; i < f->body_count; ++i) foam_along_hull(f, &f->bodies[i], foam->cover);
    for (int c = 0; c < cells; ++c)
        foam->cover[c] = isfinite(foam->cover[c]) ? fminf(foam->cover[c], 1.5f) : 0.0f;
    blur(f, foam->cover, foam->scratch);
    blur(f, foam->scratch, foam->cover);
    gl_texture_upload(&foam->texture, GL_R16F, f->nx, f->nz, foam->cover);
    s->foam_texture = foam->texture.id;
}

const struct prepass prepass_foam = {"foam", foam_create, foam_destroy, foam_draw};
