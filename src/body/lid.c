// A polygon in a level plane to triangles, by cutting off ears [meisters1975]: corners that stick out with nothing of
// the polygon in their triangle. Always the same ones: the search goes round, and past the ear that it cut.
#include "shape.h"

#define FLAT   1e-14 // of the square of the longest side of its box: rounding
#define EFFORT 1e9   // corners looked at: seconds

struct polygon {
    const vec3 *vertices;
    const int *loop;
    int count;        // that are left
    int *next, *last; // -1: cut off
    // Those that stick out not at all, and some that do by now: if any is in the way of an ear, one of them is.
    int *blunt;
    int blunt_count, listed; // listed: when so many were left
    double flat;             // [m^2]
    double effort;
};

static vec3 at(const struct polygon *p, int i) { return p->vertices[p->loop[i]]; }

// Twice the area of a triangle, positive if it runs counter-clockwise seen from above, which is from z to x.
static double area(vec3 a, vec3 b, vec3 c) { return (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z); }

static double corner_area(const struct polygon *p, int i)
{
    return area(at(p, p->last[i]), at(p, i), at(p, p->next[i]));
}

// An ear has an area, and no corner is in it or on its sides. Where corners lie in a row within rounding there may be
// none; then what is `flat` will do, and only what is well inside is in the way.
static bool is_ear(struct polygon *p, int i, bool flat)
{
    const vec3 a = at(p, p->last[i]), b = at(p, i), c = at(p, p->next[i]);
    const double least = flat ? -p->flat : p->flat, in = flat ? p->flat : -p->flat;
    p->effort += 1.0;
    if (!(area(a, b, c) > least)) return false;
    p->effort += p->blunt_count;
    for (int k = 0; k < p->blunt_count; ++k) {
        const int j = p->blunt[k];
        const vec3 q = at(p, j);
        if (!(area(a, b, q) > in && area(b, c, q) > in && area(c, a, q) > in)) continue;
        if (p->next[j] >= 0 && j != p->last[i] && j != i && j != p->next[i]) return false;
    }
    return true;
}

static void emit(const struct polygon *p, int b, int *out)
{
    out[0] = p->loop[p->last[b]], out[1] = p->loop[b], out[2] = p->loop[p->next[b]];
}

static void list_blunt(struct polygon *p, int from)
{
    int i = from;
    p->blunt_count = 0;
    p->listed = p->count;
    do {
        if (!(corner_area(p, i) > p->flat)) p->blunt[p->blunt_count++] = i;
        i = p->next[i];
    } while (i != from);
}

static void cut_off(struct polygon *p, int b)
{
    p->next[p->last[b]] = p->next[b];
    p->last[p->next[b]] = p->last[b];
    p->next[b] = -1;
    p->count -= 1;
}

static bool begin(struct polygon *p)
{
    vec3 low = p->vertices[p->loop[0]], high = low;
    double whole = 0.0;
    for (int i = 0; i < p->count; ++i) {
        const vec3 v = p->vertices[p->loop[i]];
        low = v3(fmin(low.x, v.x), low.y, fmin(low.z, v.z));
        high = v3(fmax(high.x, v.x), high.y, fmax(high.z, v.z));
        p->next[i] = (i + 1) % p->count;
        p->last[i] = (i + p->count - 1) % p->count;
        if (i > 1) whole += area(at(p, 0), at(p, i - 1), v);
    }
    const double side = fmax(high.x - low.x, high.z - low.z);
    p->flat = FLAT * side * side;
    list_blunt(p, 0);
    return whole > p->flat;
}

bool lid_make(const vec3 *vertices, const int *loop, int count, int *work, int (*out)[3])
{
    struct polygon p = {.vertices = vertices, .loop = loop, .count = count};
    p.next = work, p.last = work + count, p.blunt = work + 2 * (size_t)count;
    if (count < 3 || !begin(&p)) return false;
    int now = 0, done = 0, left = count, before = count; // this round: corners to look at, all before it
    bool flat = false;
    while (p.count > 3) {
        const int after = p.next[now];
        if (is_ear(&p, now, flat)) {
            emit(&p, now, out[done++]);
            cut_off(&p, now);
            now = p.next[after]; // so that ears are cut all around, not a fan about one corner
            left -= 2;
            if (2 * p.count < p.listed) list_blunt(&p, now);
        } else {
            now = after;
            left -= 1;
        }
        if (p.effort > EFFORT) return false;
        if (left > 0) continue;
        if (flat && p.count == before) return false;
        flat = p.count == before;
        left = before = p.count;
    }
    emit(&p, now, out[done]);
    return true;
}
