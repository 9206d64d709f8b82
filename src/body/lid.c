// A polygon in a level plane to triangles, by cutting off ears [meisters1975]: corners that stick out with nothing of
// the polygon in their triangle. Always the same ones: the search goes round, and past the ear that it cut.
#include "shape.h"

#define FLAT   1e-12 // of the square of the longest side of its box: no area
#define EFFORT 1e9   // corners looked at: seconds

struct polygon {
    const vec3 *vertices;
    const int *loop;
    int count; // that are left
    int *next, *last;
    double flat; // [m^2]
    double effort;
};

// Twice the area of a triangle, positive if it runs counter-clockwise seen from above, which is from z to x.
static double area(const struct polygon *p, int i, int j, int k)
{
    const vec3 a = p->vertices[p->loop[i]], b = p->vertices[p->loop[j]], c = p->vertices[p->loop[k]];
    return (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z);
}

// An ear has an area, and no corner is in it or on its sides. Where corners lie in a row within rounding there may be
// none; then what is `flat` will do, and only what is well inside is in the way.
static bool is_ear(struct polygon *p, int b, bool flat)
{
    const int a = p->last[b], c = p->next[b];
    const double least = flat ? -p->flat : p->flat, in = flat ? p->flat : -p->flat;
    p->effort += 1.0;
    if (!(area(p, a, b, c) > least)) return false;
    for (int i = p->next[c]; i != a; i = p->next[i]) {
        p->effort += 1.0;
        if (area(p, a, b, i) > in && area(p, b, c, i) > in && area(p, c, a, i) > in) return false;
    }
    return true;
}

static void emit(const struct polygon *p, int b, int *out)
{
    out[0] = p->loop[p->last[b]], out[1] = p->loop[b], out[2] = p->loop[p->next[b]];
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
        if (i > 1) whole += area(p, 0, i - 1, i);
    }
    const double side = fmax(high.x - low.x, high.z - low.z);
    p->flat = FLAT * side * side;
    return whole > p->flat;
}

bool lid_make(const vec3 *vertices, const int *loop, int count, int *next, int *last, int (*out)[3])
{
    struct polygon p = {.vertices = vertices, .loop = loop, .count = count, .next = next, .last = last};
    if (count < 3 || !begin(&p)) return false;
    int at = 0, tried = 0, done = 0;
    bool flat = false;
    while (p.count > 3) {
        if (is_ear(&p, at, flat)) {
            emit(&p, at, out[done++]);
            next[last[at]] = next[at], last[next[at]] = last[at];
            at = next[at]; // so that ears are cut all around, not a fan about one corner
            p.count -= 1, tried = 0, flat = false;
        } else if (++tried == p.count) {
            if (flat) return false;
            flat = true, tried = 0;
        }
        at = next[at];
        if (p.effort > EFFORT) return false;
    }
    emit(&p, at, out[done]);
    return true;
}
