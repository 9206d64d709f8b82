// Intersections of solids with horizontal and vertical lines: outlines by the even-odd rule, bitmaps and
// discs. cut_geometry.c calls it.
#include "obstacle.h"

void spans_free(struct spans *s, const struct memory *m)
{
    memory_free(m, s->intervals, (size_t)s->capacity, sizeof *s->intervals);
    memory_free(m, s->crossings, (size_t)s->crossing_capacity, sizeof *s->crossings);
    *s = (struct spans){0};
}

// Intervals come in ascending order; touching ones are merged.
static bool append_interval(struct spans *s, const struct memory *m, double low, double high)
{
    if (s->count > 0 && low <= s->intervals[s->count - 1][1] + 1e-12) {
        s->intervals[s->count - 1][1] = high;
        return true;
    }
    if (!memory_grow(m, (void **)&s->intervals, &s->capacity, s->count + 1, sizeof *s->intervals))
        return false;
    s->intervals[s->count][0] = low, s->intervals[s->count][1] = high;
    ++s->count;
    return true;
}

bool spans_insert(struct spans *s, const struct memory *m, double low, double high)
{
    int n = 0;
    for (int i = 0; i < s->count; ++i) { // intervals that it touches are merged
        if (s->intervals[i][0] <= high && low <= s->intervals[i][1]) {
            low = fmin(low, s->intervals[i][0]), high = fmax(high, s->intervals[i][1]);
            continue;
        }
        s->intervals[n][0] = s->intervals[i][0], s->intervals[n][1] = s->intervals[i][1];
        ++n;
    }
    s->count = n;
    if (!memory_grow(m, (void **)&s->intervals, &s->capacity, n + 1, sizeof *s->intervals)) return false;
    s->intervals[n][0] = low, s->intervals[n][1] = high;
    ++s->count;
    return true;
}

static bool insert_crossing(struct spans *s, const struct memory *m, double at)
{
    if (!memory_grow(m, (void **)&s->crossings, &s->crossing_capacity, s->crossing_count + 1,
                     sizeof *s->crossings))
        return false;
    int i = s->crossing_count++;
    for (; i > 0 && s->crossings[i - 1] > at; --i) s->crossings[i] = s->crossings[i - 1];
    s->crossings[i] = at;
    return true;
}

// Crossings of the edges with the line, sorted; the line is inside between every second pair (even-odd rule).
static bool scan_outline(const struct obstacle *o, const struct memory *m, int axis, double at,
                         struct spans *out)
{
    const double c = m_cos(o->motion.angle), s = m_sin(o->motion.angle);
    bool ok = true;
    for (int i = 0; i < o->point_count && ok; ++i) {
        const double *a = o->points[i], *b = o->points[(i + 1) % o->point_count];
        const double ax = o->motion.x + c * a[0] - s * a[1], ay = o->motion.y + s * a[0] + c * a[1];
        const double bx = o->motion.x + c * b[0] - s * b[1], by = o->motion.y + s * b[0] + c * b[1];
        const double a0 = (axis ? ay : ax) - at, b0 = (axis ? by : bx) - at;
        const double a1 = axis ? ax : ay, b1 = axis ? bx : by;
        if ((a0 > 0.0) != (b0 > 0.0)) ok = insert_crossing(out, m, a1 + (b1 - a1) * (a0 / (a0 - b0)));
    }
    for (int i = 0; i + 1 < out->crossing_count && ok; i += 2)
        ok = append_interval(out, m, out->crossings[i], out->crossings[i + 1]);
    return ok;
}

// On a line between two rows of cells the cells of both count.
static bool scan_bitmap(const struct obstacle *o, const struct memory *m, int axis, double at,
                        struct spans *out)
{
    const tarn_obstacle_bitmap *bitmap = &o->def.bitmap;
    const double size[2] = {bitmap->size.x, bitmap->size.y};
    const int across = axis ? bitmap->ny : bitmap->nx, along = axis ? bitmap->nx : bitmap->ny;
    const double origin = axis ? o->motion.y : o->motion.x, start = axis ? o->motion.x : o->motion.y;
    const double step = size[1 - axis] / along;
    const double position = clamp((at - origin) * across / size[axis], -2.0, across + 2.0);
    const int first = (int)floor(position - 1e-6), last = (int)floor(position + 1e-6);
    bool ok = true;
    for (int k = 0; k < along && ok; ++k) {
        bool solid = false;
        for (int n = imax(first, 0); n <= imin(last, across - 1); ++n)
            solid = solid || o->map[axis ? n * along + k : k * across + n];
        if (solid) ok = append_interval(out, m, start + k * step, start + (k + 1) * step);
    }
    return ok;
}

static bool scan_circle(const struct obstacle *o, const struct memory *m, int axis, double at,
                        struct spans *out)
{
    const double distance = at - (axis ? o->motion.y : o->motion.x),
                 centre = axis ? o->motion.x : o->motion.y;
    const double half_squared = o->radius * o->radius - distance * distance,
                 half = half_squared > 0.0 ? sqrt(half_squared) : 0.0;
    return !(half > 0.0) || append_interval(out, m, centre - half, centre + half);
}

bool obstacle_scan_line(const struct obstacle *o, const struct memory *m, int axis, double at,
                        struct spans *out)
{
    out->count = out->crossing_count = 0;
    if (o->radius > 0.0) return scan_circle(o, m, axis, at, out);
    return o->map ? scan_bitmap(o, m, axis, at, out) : scan_outline(o, m, axis, at, out);
}

void obstacle_extent(const struct obstacle *o, int axis, double *low, double *high)
{
    const double c = m_cos(o->motion.angle), s = m_sin(o->motion.angle),
                 centre = axis ? o->motion.y : o->motion.x;
    *low = INFINITY, *high = -INFINITY;
    if (o->radius > 0.0) *low = centre - o->radius, *high = centre + o->radius;
    for (int i = 0; i < o->point_count; ++i) {
        const double *p = o->points[i];
        const double at = axis ? o->motion.y + s * p[0] + c * p[1] : o->motion.x + c * p[0] - s * p[1];
        *low = fmin(*low, at), *high = fmax(*high, at);
    }
    if (!o->map) return;
    *low = axis ? o->motion.y : o->motion.x;
    *high = *low + (axis ? o->def.bitmap.size.y : o->def.bitmap.size.x);
}
