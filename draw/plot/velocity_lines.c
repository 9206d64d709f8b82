// Streamlines that keep their distance after Jobard & Lefer (1997), "Creating evenly-spaced streamlines of arbitrary
// density": a line ends where it would come too near to another, and new ones begin beside those that are there.
#include "velocity_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR     0.5   // [gap] nearest that a line may come to another
#define STRIDE   0.15  // [gap] from one point of a line to the next
#define HEAD     4.0   // [width] of a line: length of an arrow's head
#define SHORTEST 2.0   // [gap] of a line that is drawn
#define STILL    0.005 // of the fastest

struct point {
    double x, z;
};

void strokes_free(struct strokes *s)
{
    free(s->corners);
    *s = (struct strokes){0};
}

static bool add(struct strokes *s, struct point a, struct point b, struct point c)
{
    if (s->count + 3 > s->room) {
        const int room = s->room ? 2 * s->room : 4096;
        float(*more)[2] = realloc(s->corners, (size_t)room * sizeof *more);
        if (!more) return false;
        s->corners = more, s->room = room;
    }
    const struct point p[3] = {a, b, c};
    for (int k = 0; k < 3; ++k, ++s->count)
        s->corners[s->count][0] = (float)p[k].x, s->corners[s->count][1] = (float)p[k].z;
    return true;
}

static struct point beside(struct point p, struct point way, double along, double aside)
{
    return (struct point){p.x + along * way.x - aside * way.z, p.z + along * way.z + aside * way.x};
}

static bool add_line(struct strokes *s, struct point a, struct point b, double wide)
{
    const double length = hypot(b.x - a.x, b.z - a.z);
    if (!(length > 0.0)) return true;
    const struct point way = {(b.x - a.x) / length, (b.z - a.z) / length};
    const double h = 0.5 * wide;
    const struct point p[4] = {beside(a, way, -h, -h), beside(a, way, -h, h), beside(b, way, h, h),
                               beside(b, way, h, -h)};
    return add(s, p[0], p[1], p[2]) && add(s, p[0], p[2], p[3]);
}

static bool add_head(struct strokes *s, struct point tip, struct point way, double size)
{
    return add(s, tip, beside(tip, way, -size, 0.4 * size), beside(tip, way, -size, -0.4 * size));
}

// ---- the field --------------------------------------------------------------------------------------

// Velocity at a place, bilinear. False outside, in what is solid, and where next to nothing moves.
struct current {
    const tarn_frame *f;
    double still; // [m/s]
};

static bool velocity(const struct current *flow, struct point at, struct point *v)
{
    const tarn_frame *f = flow->f;
    const double x = (at.x - f->x0) / f->dx, z = (at.z - f->z0) / f->dx;
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
        v->x += weight[k] * (double)f->speed_x[c[k]], v->z += weight[k] * (double)f->speed_z[c[k]];
        if (f->open) open += weight[k] * (double)f->open[c[k]];
    }
    return open >= 0.5 && isfinite(v->x) && isfinite(v->z) && hypot(v->x, v->z) > flow->still;
}

bool strokes_arrows(struct strokes *s, const tarn_frame *f, double gap, double wide, double fast)
{
    const struct current flow = {f, STILL * fast};
    const int nx = (int)(f->nx * f->dx / gap), nz = (int)(f->nz * f->dx / gap);
    const double x0 = f->x0 + 0.5 * (f->dx * (f->nx - 1) - gap * (nx - 1)),
                 z0 = f->z0 + 0.5 * (f->dx * (f->nz - 1) - gap * (nz - 1));
    s->count = 0;
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i) {
            const struct point at = {x0 + i * gap, z0 + j * gap};
            struct point v;
            if (!velocity(&flow, at, &v)) continue;
            const double speed = hypot(v.x, v.z), length = gap * fmin(speed / fast, 1.5);
            if (length < 3.0 * wide) continue;
            const struct point way = {v.x / speed, v.z / speed};
            const double head = fmin(HEAD * wide, 0.6 * length);
            if (!add_line(s, beside(at, way, -0.5 * length, 0.0), beside(at, way, 0.5 * length - head, 0.0),
                          wide) ||
                !add_head(s, beside(at, way, 0.5 * length, 0.0), way, head))
                return false;
        }
    return true;
}

// ---- streamlines ------------------------------------------------------------------------------------

// Points of all lines in bins as large as the distance that they keep, so that a few bins tell who is near.
struct crowd {
    struct point *points;
    int *line, *next; // of each point
    int *first;       // of each bin; -1: none
    int count, room, nx, nz;
    double x0, z0, size;
};

static void crowd_free(struct crowd *c)
{
    free(c->points);
    free(c->line);
    free(c->next);
    free(c->first);
}

static bool crowd_create(struct crowd *c, const tarn_frame *f, double size)
{
    *c = (struct crowd){.nx = (int)(f->nx * f->dx / size) + 1,
                        .nz = (int)(f->nz * f->dx / size) + 1,
                        .x0 = f->x0 - 0.5 * f->dx,
                        .z0 = f->z0 - 0.5 * f->dx,
                        .size = size};
    c->first = malloc((size_t)c->nx * (size_t)c->nz * sizeof *c->first);
    for (int k = 0; c->first && k < c->nx * c->nz; ++k) c->first[k] = -1;
    return c->first != NULL;
}

static int bin(double x, int n) { return x < 0.0 ? 0 : x >= n ? n - 1 : (int)x; }

static bool crowd_add(struct crowd *c, struct point p, int line)
{
    if (c->count == c->room) {
        const int room = c->room ? 2 * c->room : 4096;
        struct point *points = realloc(c->points, (size_t)room * sizeof *points);
        if (points) c->points = points;
        int *lines = points ? realloc(c->line, (size_t)room * sizeof *lines) : NULL;
        if (lines) c->line = lines;
        int *next = lines ? realloc(c->next, (size_t)room * sizeof *next) : NULL;
        if (!next) return false;
        c->next = next, c->room = room;
    }
    int *head = &c->first[bin((p.z - c->z0) / c->size, c->nz) * c->nx + bin((p.x - c->x0) / c->size, c->nx)];
    c->points[c->count] = p, c->line[c->count] = line, c->next[c->count] = *head;
    *head = c->count++;
    return true;
}

// Whether a point of another line is nearer than the bins are large times `part`.
static bool crowded(const struct crowd *c, struct point p, int line, double part)
{
    const int i = bin((p.x - c->x0) / c->size, c->nx), j = bin((p.z - c->z0) / c->size, c->nz);
    for (int b = j > 0 ? j - 1 : 0; b <= j + 1 && b < c->nz; ++b)
        for (int a = i > 0 ? i - 1 : 0; a <= i + 1 && a < c->nx; ++a)
            for (int k = c->first[b * c->nx + a]; k >= 0; k = c->next[k])
                if (c->line[k] != line && hypot(c->points[k].x - p.x, c->points[k].z - p.z) < part * c->size)
                    return true;
    return false;
}

enum { MOST = 2000, OLD = 20 }; // points of a line, each way; steps after which it may come back to itself

// A line that winds in upon itself.
static bool returned(const struct point *path, int count, struct point at, double near)
{
    for (int k = 0; k < count; ++k)
        if (hypot(path[k].x - at.x, path[k].z - at.z) < near) return true;
    return false;
}

// Follow the field from a point, forwards or backwards, by the midpoint rule. Gives back how many points came after it.
static int follow(const struct current *flow, const struct crowd *c, int line, struct point at, double step,
                  struct point *out)
{
    const struct point start = at;
    int count = 0;
    while (count < MOST) {
        struct point v, w;
        if (!velocity(flow, at, &v)) break;
        const double half = 0.5 * step / hypot(v.x, v.z);
        if (!velocity(flow, (struct point){at.x + half * v.x, at.z + half * v.z}, &w)) break;
        const double full = step / hypot(w.x, w.z);
        at = (struct point){at.x + full * w.x, at.z + full * w.z};
        if (!velocity(flow, at, &v) || crowded(c, at, line, NEAR)) break;
        if (count > OLD && hypot(at.x - start.x, at.z - start.z) < fabs(step)) { // once round: closed
            out[count++] = start;
            break;
        }
        if (returned(out, count - OLD, at, NEAR * c->size)) break;
        out[count++] = at;
    }
    return count;
}

// Draw a line through a point, if there is room for one. False without memory.
static bool draw_line(struct strokes *s, const struct current *flow, struct crowd *c, int line,
                      struct point seed, double gap, double wide, struct point *path)
{
    struct point v;
    if (!velocity(flow, seed, &v) || crowded(c, seed, line, 1.0)) return true;
    const double step = STRIDE * gap;
    const int back = follow(flow, c, line, seed, -step, path + MOST);
    for (int k = 0; k < back; ++k) path[MOST - 1 - k] = path[MOST + k]; // the other way round
    path[MOST] = seed;
    const int on = follow(flow, c, line, seed, step, path + MOST + 1);
    const struct point *p = path + MOST - back;
    const int count = back + 1 + on;
    if (count * STRIDE < SHORTEST) return true;
    for (int k = 0; k < count; ++k)
        if (!crowd_add(c, p[k], line) || (k && !add_line(s, p[k - 1], p[k], wide))) return false;
    // Which way it goes: a head every eight gaps.
    const int every = (int)(8.0 / STRIDE);
    for (int k = (count % every) / 2 + every / 4; k + 1 < count; k += every) {
        const double length = hypot(p[k + 1].x - p[k].x, p[k + 1].z - p[k].z);
        const struct point way = {(p[k + 1].x - p[k].x) / length, (p[k + 1].z - p[k].z) / length};
        if (!add_head(s, p[k + 1], way, HEAD * wide)) return false;
    }
    return true;
}

// Seeds beside the lines that are there, then wherever there is room left.
bool strokes_streamlines(struct strokes *s, const tarn_frame *f, double gap, double wide, double fast)
{
    const struct current flow = {f, STILL * fast};
    struct crowd c;
    struct point *path = malloc((2 * MOST + 1) * sizeof *path);
    const double side = f->dx * fmax(f->nx, f->nz);
    bool good = crowd_create(&c, f, gap) && path;
    int line = 0;
    s->count = 0;
    const struct point middle = {f->x0 + 0.5 * f->dx * (f->nx - 1), f->z0 + 0.5 * f->dx * (f->nz - 1)};
    if (good) good = draw_line(s, &flow, &c, ++line, middle, gap, wide, path);
    for (int k = 0; good && k < c.count; k += 3) {
        struct point v;
        if (!velocity(&flow, c.points[k], &v)) continue;
        const double speed = hypot(v.x, v.z);
        for (int sign = -1; good && sign <= 1; sign += 2)
            good = draw_line(s, &flow, &c, ++line,
                             (struct point){c.points[k].x - sign * 1.01 * gap * v.z / speed,
                                            c.points[k].z + sign * 1.01 * gap * v.x / speed},
                             gap, wide, path);
    }
    for (double z = f->z0; good && z < f->z0 + side; z += gap)
        for (double x = f->x0; good && x < f->x0 + side; x += gap)
            good = draw_line(s, &flow, &c, ++line, (struct point){x, z}, gap, wide, path);
    crowd_free(&c);
    free(path);
    return good;
}
