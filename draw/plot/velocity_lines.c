// Arrows and evenly spaced streamlines of the velocity as triangles. Streamlines after Jobard & Lefer (1997),
// "Creating evenly-spaced streamlines of arbitrary density": a line ends where it comes too near to another,
// and new lines start beside existing ones. field_plot.c draws them.
#include "velocity_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_SEPARATION 0.5   // [spacing] smallest distance of two lines
#define STEP           0.15  // [spacing] from one point of a line to the next
#define ARROW_HEAD     4.0   // [width] length of an arrow head
#define MIN_LENGTH     2.0   // [spacing] shorter lines are not drawn
#define MIN_SPEED      0.005 // of the reference speed

struct point {
    double x, z;
};

void triangle_list_free(struct triangle_list *s)
{
    free(s->vertices);
    *s = (struct triangle_list){0};
}

static bool add_triangle(struct triangle_list *s, struct point a, struct point b, struct point c)
{
    if (s->count + 3 > s->capacity) {
        const int capacity = s->capacity ? 2 * s->capacity : 4096;
        float(*more)[2] = realloc(s->vertices, (size_t)capacity * sizeof *more);
        if (!more) return false;
        s->vertices = more, s->capacity = capacity;
    }
    const struct point p[3] = {a, b, c};
    for (int k = 0; k < 3; ++k, ++s->count)
        s->vertices[s->count][0] = (float)p[k].x, s->vertices[s->count][1] = (float)p[k].z;
    return true;
}

static struct point offset_point(struct point p, struct point direction, double forward, double sideways)
{
    return (struct point){p.x + forward * direction.x - sideways * direction.z,
                          p.z + forward * direction.z + sideways * direction.x};
}

static bool add_line(struct triangle_list *s, struct point a, struct point b, double width)
{
    const double length = hypot(b.x - a.x, b.z - a.z);
    if (!(length > 0.0)) return true;
    const struct point direction = {(b.x - a.x) / length, (b.z - a.z) / length};
    const double h = 0.5 * width;
    const struct point p[4] = {offset_point(a, direction, -h, -h), offset_point(a, direction, -h, h),
                               offset_point(b, direction, h, h), offset_point(b, direction, h, -h)};
    return add_triangle(s, p[0], p[1], p[2]) && add_triangle(s, p[0], p[2], p[3]);
}

static bool add_arrow_head(struct triangle_list *s, struct point tip, struct point direction, double size)
{
    return add_triangle(s, tip, offset_point(tip, direction, -size, 0.4 * size),
                        offset_point(tip, direction, -size, -0.4 * size));
}

// ---- the field --------------------------------------------------------------------------------------

// Bilinear velocity at a point. False outside the domain, in solids, and below the minimum speed.
struct velocity_field {
    const tarn_frame *f;
    double still; // [m/s] slower flow is not drawn
};

static bool sample_velocity(const struct velocity_field *flow, struct point at, struct point *v)
{
    const tarn_frame *f = flow->f;
    const double x = (at.x - f->x0) / f->cell_size, z = (at.z - f->z0) / f->cell_size;
    if (!(x >= -0.5 && z >= -0.5 && x <= f->nx - 0.5 && z <= f->nz - 0.5)) return false;
    const int i = (int)fmin(fmax(floor(x), 0.0), fmax(f->nx - 2, 0)),
              j = (int)fmin(fmax(floor(z), 0.0), fmax(f->nz - 2, 0));
    const int e = i + 1 < f->nx ? 1 : 0, n = j + 1 < f->nz ? f->nx : 0;
    const double p = fmin(fmax(x - i, 0.0), 1.0), q = fmin(fmax(z - j, 0.0), 1.0);
    const double weight[4] = {(1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q};
    const int c[4] = {j * f->nx + i, j * f->nx + i + e, j * f->nx + i + n, j * f->nx + i + e + n};
    double open = f->open ? 0.0 : 1.0;
    *v = (struct point){0, 0};
    for (int k = 0; k < 4; ++k) {
        v->x += weight[k] * (double)f->velocity_x[c[k]], v->z += weight[k] * (double)f->velocity_z[c[k]];
        if (f->open) open += weight[k] * (double)f->open[c[k]];
    }
    return open >= 0.5 && isfinite(v->x) && isfinite(v->z) && hypot(v->x, v->z) > flow->still;
}

bool build_arrows(struct triangle_list *s, const tarn_frame *f, double spacing, double width,
                  double reference_speed)
{
    const struct velocity_field flow = {f, MIN_SPEED * reference_speed};
    const int nx = (int)(f->nx * f->cell_size / spacing), nz = (int)(f->nz * f->cell_size / spacing);
    const double x0 = f->x0 + 0.5 * (f->cell_size * (f->nx - 1) - spacing * (nx - 1)),
                 z0 = f->z0 + 0.5 * (f->cell_size * (f->nz - 1) - spacing * (nz - 1));
    s->count = 0;
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i) {
            const struct point at = {x0 + i * spacing, z0 + j * spacing};
            struct point v;
            if (!sample_velocity(&flow, at, &v)) continue;
            const double speed = hypot(v.x, v.z), length = spacing * fmin(speed / reference_speed, 1.5);
            if (length < 3.0 * width) continue;
            const struct point direction = {v.x / speed, v.z / speed};
            const double head = fmin(ARROW_HEAD * width, 0.6 * length);
            if (!add_line(s, offset_point(at, direction, -0.5 * length, 0.0),
                          offset_point(at, direction, 0.5 * length - head, 0.0), width) ||
                !add_arrow_head(s, offset_point(at, direction, 0.5 * length, 0.0), direction, head))
                return false;
        }
    return true;
}

// ---- streamlines ------------------------------------------------------------------------------------

// The points of all lines, sorted into bins of the size of the spacing, for neighbour searches.
struct point_bins {
    struct point *points;
    int *line, *next; // of each point
    int *first;       // of each bin; -1: none
    int count, capacity, nx, nz;
    double x0, z0, size;
};

static void point_bins_free(struct point_bins *c)
{
    free(c->points);
    free(c->line);
    free(c->next);
    free(c->first);
}

static bool point_bins_create(struct point_bins *c, const tarn_frame *f, double size)
{
    *c = (struct point_bins){.nx = (int)(f->nx * f->cell_size / size) + 1,
                             .nz = (int)(f->nz * f->cell_size / size) + 1,
                             .x0 = f->x0 - 0.5 * f->cell_size,
                             .z0 = f->z0 - 0.5 * f->cell_size,
                             .size = size};
    c->first = malloc((size_t)c->nx * (size_t)c->nz * sizeof *c->first);
    for (int k = 0; c->first && k < c->nx * c->nz; ++k) c->first[k] = -1;
    return c->first != NULL;
}

static int clamp_bin(double x, int n) { return x < 0.0 ? 0 : x >= n ? n - 1 : (int)x; }

static bool point_bins_add(struct point_bins *c, struct point p, int line)
{
    if (c->count == c->capacity) {
        const int capacity = c->capacity ? 2 * c->capacity : 4096;
        struct point *points = realloc(c->points, (size_t)capacity * sizeof *points);
        if (points) c->points = points;
        int *lines = points ? realloc(c->line, (size_t)capacity * sizeof *lines) : NULL;
        if (lines) c->line = lines;
        int *next = lines ? realloc(c->next, (size_t)capacity * sizeof *next) : NULL;
        if (!next) return false;
        c->next = next, c->capacity = capacity;
    }
    int *head = &c->first[clamp_bin((p.z - c->z0) / c->size, c->nz) * c->nx +
                          clamp_bin((p.x - c->x0) / c->size, c->nx)];
    c->points[c->count] = p, c->line[c->count] = line, c->next[c->count] = *head;
    *head = c->count++;
    return true;
}

// Whether a point of another line is nearer than `fraction` of the bin size.
static bool has_neighbour(const struct point_bins *c, struct point p, int line, double fraction)
{
    const int i = clamp_bin((p.x - c->x0) / c->size, c->nx), j = clamp_bin((p.z - c->z0) / c->size, c->nz);
    for (int b = j > 0 ? j - 1 : 0; b <= j + 1 && b < c->nz; ++b)
        for (int a = i > 0 ? i - 1 : 0; a <= i + 1 && a < c->nx; ++a)
            for (int k = c->first[b * c->nx + a]; k >= 0; k = c->next[k])
                if (c->line[k] != line &&
                    hypot(c->points[k].x - p.x, c->points[k].z - p.z) < fraction * c->size)
                    return true;
    return false;
}

enum {
    MAX_POINTS = 2000,
    MIN_LOOP_POINTS = 20
}; // points of a line in each direction; points after which a line may close

// Whether a point comes near to earlier points of its own line, as on a spiral.
static bool is_near_own_path(const struct point *path, int count, struct point at, double near)
{
    for (int k = 0; k < count; ++k)
        if (hypot(path[k].x - at.x, path[k].z - at.z) < near) return true;
    return false;
}

// Integrate the streamline from a point, forwards (step > 0) or backwards, with the midpoint rule. Returns
// the number of points that follow it.
static int trace_streamline(const struct velocity_field *flow, const struct point_bins *c, int line,
                            struct point at, double step, struct point *out)
{
    const struct point start = at;
    int count = 0;
    while (count < MAX_POINTS) {
        struct point v, w;
        if (!sample_velocity(flow, at, &v)) break;
        const double half = 0.5 * step / hypot(v.x, v.z);
        if (!sample_velocity(flow, (struct point){at.x + half * v.x, at.z + half * v.z}, &w)) break;
        const double full = step / hypot(w.x, w.z);
        at = (struct point){at.x + full * w.x, at.z + full * w.z};
        if (!sample_velocity(flow, at, &v) || has_neighbour(c, at, line, MIN_SEPARATION)) break;
        if (count > MIN_LOOP_POINTS && hypot(at.x - start.x, at.z - start.z) < fabs(step)) { // a closed line
            out[count++] = start;
            break;
        }
        if (is_near_own_path(out, count - MIN_LOOP_POINTS, at, MIN_SEPARATION * c->size)) break;
        out[count++] = at;
    }
    return count;
}

// Add a streamline through a seed point unless another line is near. False without memory.
static bool add_streamline(struct triangle_list *s, const struct velocity_field *flow, struct point_bins *c,
                           int line, struct point seed, double spacing, double width, struct point *path)
{
    struct point v;
    if (!sample_velocity(flow, seed, &v) || has_neighbour(c, seed, line, 1.0)) return true;
    const double step = STEP * spacing;
    const int back = trace_streamline(flow, c, line, seed, -step, path + MAX_POINTS);
    for (int k = 0; k < back; ++k)
        path[MAX_POINTS - 1 - k] = path[MAX_POINTS + k]; // backward points in reverse order
    path[MAX_POINTS] = seed;
    const int on = trace_streamline(flow, c, line, seed, step, path + MAX_POINTS + 1);
    const struct point *p = path + MAX_POINTS - back;
    const int count = back + 1 + on;
    if (count * STEP < MIN_LENGTH) return true;
    for (int k = 0; k < count; ++k)
        if (!point_bins_add(c, p[k], line) || (k && !add_line(s, p[k - 1], p[k], width))) return false;
    // Arrow heads every eight spacings show the direction.
    const int every = (int)(8.0 / STEP);
    for (int k = (count % every) / 2 + every / 4; k + 1 < count; k += every) {
        const double length = hypot(p[k + 1].x - p[k].x, p[k + 1].z - p[k].z);
        const struct point direction = {(p[k + 1].x - p[k].x) / length, (p[k + 1].z - p[k].z) / length};
        if (!add_arrow_head(s, p[k + 1], direction, ARROW_HEAD * width)) return false;
    }
    return true;
}

// Seed points: the centre, then beside existing lines, then a regular grid for the areas that are left.
bool build_streamlines(struct triangle_list *s, const tarn_frame *f, double spacing, double width,
                       double reference_speed)
{
    const struct velocity_field flow = {f, MIN_SPEED * reference_speed};
    struct point_bins c;
    struct point *path = malloc((2 * MAX_POINTS + 1) * sizeof *path);
    const double side = f->cell_size * fmax(f->nx, f->nz);
    bool ok = point_bins_create(&c, f, spacing) && path;
    int line = 0;
    s->count = 0;
    const struct point middle = {f->x0 + 0.5 * f->cell_size * (f->nx - 1),
                                 f->z0 + 0.5 * f->cell_size * (f->nz - 1)};
    if (ok) ok = add_streamline(s, &flow, &c, ++line, middle, spacing, width, path);
    for (int k = 0; ok && k < c.count; k += 3) {
        struct point v;
        if (!sample_velocity(&flow, c.points[k], &v)) continue;
        const double speed = hypot(v.x, v.z);
        for (int sign = -1; ok && sign <= 1; sign += 2)
            ok = add_streamline(s, &flow, &c, ++line,
                                (struct point){c.points[k].x - sign * 1.01 * spacing * v.z / speed,
                                               c.points[k].z + sign * 1.01 * spacing * v.x / speed},
                                spacing, width, path);
    }
    for (double z = f->z0; ok && z < f->z0 + side; z += spacing)
        for (double x = f->x0; ok && x < f->x0 + side; x += spacing)
            ok = add_streamline(s, &flow, &c, ++line, (struct point){x, z}, spacing, width, path);
    point_bins_free(&c);
    free(path);
    return ok;
}
