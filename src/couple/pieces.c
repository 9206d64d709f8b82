// Body to water, first half: which part of a hull stands over which column.
//
// Every triangle is shared out among the columns exactly. A piece over a column has a = -(upward area)/s^2
// and a mean height y, and below a surface at eta the body fills b(eta) = sum a (eta - y)+ of that column:
// any number of spans, so a ring or a bowl works.
//
// Only pieces near the surface can get wet or dry before the next build, so only those are kept. The
// surface is a plane here, and the band reaches half a column's width to both sides of it:
//
//     above the band    dry: nothing but the cover of what looks down
//     in the band       pieces, in a list per column
//     below the band    wet: two sums per column
//
// When the plane leaves the band, the hull as it was at the build is cut anew about the plane of then. So
// the band changes nothing but the order of sums.
//
// Most triangles of a fine mesh lie within one column, or within two by two (pieces_rows.c); larger ones
// are quartered or clipped.
#include "couple.h"

#include "base/error.h"

#include <string.h>

#define BAND      0.5 // [columns]; a body whose columns have a surface each keeps all pieces
#define MAX_SPLIT 9   // corners of a clipped triangle

static const struct pieces_kernels *kernels(void) { return KERNELS_PICK(pieces_kernels); }

enum { LIST = 4 * TILE }; // triangles that wait for others: lanes should be full

// Triangles on their way to the columns.
struct batch {
    const struct hull *hull;
    const struct corner *corners;
    const struct pieces_kernels *kernels;
    struct footprint to;
    int list[3][LIST]; // by where they are
    int listed[3];
    // parts of those that do not fit into two by two columns
    int count;
    struct eight at;
    float y[LANES];  // [m] of the first corner, from where heights are counted
    int cell[LANES]; // the first column
    enum where where[LANES];
};

// ---- giving to the columns ------------------------------------------------------------------------

// `height` is the mean, above level.
static void give(struct footprint *p, int cell, enum where where, double area, double height)
{
    struct shadow *t = &p->shadows[cell];
    if (area > 0.0) t->down += (float)area;
    if (where == IS_DEEP) {
        t->deep[0] += area;
        t->deep[1] += area * height;
    } else if (where == IS_NEAR) {
        p->pieces[p->piece_count++] = (struct scrap){(float)area, (float)height, t->first};
        t->first = p->piece_count;
    }
}

static void give_shares(struct batch *b)
{
    struct shares s;
    const int to[4] = {0, 1, b->to.ni, b->to.ni + 1};
    b->kernels->share(&b->at, &s);
    for (int n = 0; n < b->count; ++n)
        for (int k = 0; k < 4; ++k) {
            const double area = s.area[k][n];
            if (fabs(area) >= (double)LEAST_SHARE)
                give(&b->to, b->cell[n] + to[k], b->where[n], area, b->y[n] + s.height[k][n] / area);
        }
    b->count = 0;
}

// ---- large triangles ------------------------------------------------------------------------------

struct point {
    double x, z, y;
};

static double along(const struct point *c, int axis) { return axis ? c->z : c->x; }

static struct point crossing(const struct point *a, const struct point *b, double t, int axis, double at)
{
    const double x = a->x + t * (b->x - a->x), z = a->z + t * (b->z - a->z), y = a->y + t * (b->y - a->y);
    return axis ? (struct point){x, at, y} : (struct point){at, z, y};
}

// The parts of a polygon on both sides of a line; a corner on it belongs to both.
static int split(const struct point *in, int count, int axis, double at, struct point *low,
                 struct point *high, int *high_count)
{
    int below = 0, above = 0;
    double da = along(&in[0], axis) - at;
    for (int k = 0; k < count; ++k) {
        const struct point *a = &in[k], *b = &in[k + 1 < count ? k + 1 : 0];
        const double db = along(b, axis) - at;
        if (da <= 0.0) low[below++] = *a;
        if (da >= 0.0) high[above++] = *a;
        if (da * db < 0.0) low[below++] = high[above++] = crossing(a, b, da / (da - db), axis, at);
        da = db;
    }
    *high_count = above;
    return below;
}

static void give_polygon(struct footprint *p, const struct point *c, int count, int cell, enum where where)
{
    double area = 0.0, height = 0.0;
    for (int k = 1; k + 1 < count; ++k) {
        const double twice =
            (c[k].x - c[0].x) * (c[k + 1].z - c[0].z) - (c[k + 1].x - c[0].x) * (c[k].z - c[0].z);
        area += 0.5 * twice;
        height += twice / 6.0 * (c[0].y + c[k].y + c[k + 1].y);
    }
    if (fabs(area) >= (double)LEAST_SHARE) give(p, cell, where, area, height / area);
}

static int lowest(const struct point *c, int count, int axis)
{
    double low = along(&c[0], axis);
    for (int k = 1; k < count; ++k) low = along(&c[k], axis) < low ? along(&c[k], axis) : low;
    return (int)floor(low);
}

static int highest(const struct point *c, int count, int axis)
{
    double high = along(&c[0], axis);
    for (int k = 1; k < count; ++k) high = along(&c[k], axis) > high ? along(&c[k], axis) : high;
    return (int)ceil(high) - 1;
}

// A polygon within row j, cell by cell.
static void clip_row(struct footprint *p, struct point *c, int count, int j, enum where where)
{
    struct point part[MAX_SPLIT], rest[MAX_SPLIT];
    const int last = highest(c, count, 0);
    for (int i = lowest(c, count, 0); i < last; ++i) {
        const int left = split(c, count, 0, i + 1.0, part, rest, &count);
        if (left >= 3) give_polygon(p, part, left, j * p->ni + i, where);
        memcpy(c, rest, (size_t)count * sizeof *c);
        if (count < 3) return;
    }
    give_polygon(p, c, count, j * p->ni + last, where);
}

static void clip(struct footprint *p, const struct corner *const t[3], enum where where)
{
    struct point c[MAX_SPLIT], part[MAX_SPLIT], rest[MAX_SPLIT];
    int count = 3;
    for (int k = 0; k < 3; ++k)
        c[k] = (struct point){(double)t[k]->x - p->skip_i, (double)t[k]->z - p->skip_j, t[k]->y};
    const int last = highest(c, 3, 1);
    for (int j = lowest(c, 3, 1); j < last; ++j) {
        const int below = split(c, count, 1, j + 1.0, part, rest, &count);
        if (below >= 3) clip_row(p, part, below, j, where);
        memcpy(c, rest, (size_t)count * sizeof *c);
        if (count < 3) return;
    }
    clip_row(p, c, count, last, where);
}

// ---- triangles ------------------------------------------------------------------------------------

static float least(float a, float b, float c)
{
    const float m = a < b ? a : b;
    return m < c ? m : c;
}
static float most(float a, float b, float c)
{
    const float m = a > b ? a : b;
    return m > c ? m : c;
}

static struct corner middle(const struct corner *a, const struct corner *b)
{
    return (struct corner){0.5f * (a->x + b->x), 0.5f * (a->z + b->z), 0.5f * (a->y + b->y), IS_NEAR};
}

static void take(struct batch *b, const struct corner *c0, const struct corner *c1, const struct corner *c2,
                 enum where where);

static void quarter(struct batch *b, const struct corner *const c[3], enum where where)
{
    const struct corner m0 = middle(c[1], c[2]), m1 = middle(c[2], c[0]), m2 = middle(c[0], c[1]);
    take(b, c[0], &m2, &m1, where);
    take(b, &m2, c[1], &m0, where);
    take(b, &m1, &m0, c[2], where);
    take(b, &m0, &m1, &m2, where);
}

// A triangle that fits into one column, or into two by two; others in parts.
static void take(struct batch *b, const struct corner *c0, const struct corner *c1, const struct corner *c2,
                 enum where where)
{
    struct footprint *p = &b->to;
    const float x0 = least(c0->x, c1->x, c2->x), x1 = most(c0->x, c1->x, c2->x);
    const float z0 = least(c0->z, c1->z, c2->z), z1 = most(c0->z, c1->z, c2->z);
    const int i = (int)x0, j = (int)z0; // never negative
    const float x = (float)i, z = (float)j;
    if (x1 > x + 2.0f || z1 > z + 2.0f) {
        const struct corner *const c[3] = {c0, c1, c2};
        const float most_wide =
            where == IS_NEAR ? 1.99f : 3.98f; // quarters of quarters are no pieces to keep
        if (x1 - x0 < most_wide && z1 - z0 < most_wide)
            quarter(b, c, where);
        else
            clip(p, c, where);
        return;
    }
    const int cell = (j - p->skip_j) * p->ni + i - p->skip_i;
    if (x1 <= x + 1.0f && z1 <= z + 1.0f) {
        const double area =
            0.5 * (double)((c1->x - c0->x) * (c2->z - c0->z) - (c2->x - c0->x) * (c1->z - c0->z));
        if (fabs(area) >= (double)LEAST_SHARE)
            give(p, cell, where, area, (double)(c0->y + c1->y + c2->y) * (1.0 / 3.0));
        return;
    }
    const struct corner *const c[3] = {c0, c1, c2};
    const int n = b->count++;
    for (int k = 0; k < 3; ++k) {
        b->at.x[k][n] = c[k]->x - x, b->at.z[k][n] = c[k]->z - z;
        b->at.y[k][n] = c[k]->y - c0->y;
    }
    b->cell[n] = cell, b->where[n] = where, b->y[n] = c0->y;
    if (b->count == LANES) give_shares(b);
}

static bool looks_down(const struct corner *a, const struct corner *b, const struct corner *c)
{
    return (b->x - a->x) * (c->z - a->z) - (c->x - a->x) * (b->z - a->z) > 0.0f;
}

// Share out what is listed.
static void pour(struct batch *b, enum where where)
{
    int left[LIST];
    const struct corner *c = b->corners;
    const int(*triangles)[3] = (const int(*)[3])b->hull->triangles;
    const int rest = b->kernels->pour(&b->to, c, triangles, b->list[where], b->listed[where], where, left);
    for (int k = 0; k < rest; ++k) {
        const int *v = triangles[left[k]];
        take(b, &c[v[0]], &c[v[1]], &c[v[2]], where);
    }
    b->listed[where] = 0;
}

static void list_tile(struct batch *b, const struct tile *tile)
{
    for (int t = tile->first; t < tile->first + tile->count; ++t) {
        const int *v = b->hull->triangles[t];
        const struct corner *c0 = &b->corners[v[0]], *c1 = &b->corners[v[1]], *c2 = &b->corners[v[2]];
        const int where = c0->where & c1->where & c2->where;
        if (where != IS_DRY || looks_down(c0, c1, c2)) b->list[where][b->listed[where]++] = t;
    }
    for (int k = 0; k < 3; ++k)
        if (b->listed[k] > LIST - TILE) pour(b, (enum where)k);
}

// Whether all of a tile is dry and looks up, so that no column knows of it. Height of every point above the
// plane: start + slope . r in the body's axes.
static bool is_roof(const struct tile *t, vec3 up, vec3 slope, double start, double edge)
{
    const double over = start + v3_dot(slope, t->centre);
    const double range =
        fabs(slope.x) * t->half.x + fabs(slope.y) * t->half.y + fabs(slope.z) * t->half.z + 1e-6 * edge;
    return over - range > edge && v3_dot(t->axis, up) > t->open + 1e-6;
}

// ---- the hull -------------------------------------------------------------------------------------

// Every vertex over the columns, counted from one far enough to the south-west that nothing is negative.
static void place_corners(struct press *p, const struct fluid *f, const mat3 *turn, const struct plane *eta,
                          double edge, float low[4], float high[4])
{
    const double per = 1.0 / f->g.s, (*m)[3] = turn->m;
    const double x = (p->x - f->g.x0) * per, z = (p->z - f->g.z0) * per;
    double map[4][4] = {{0}, {0}, {0}, {0}};
    for (int k = 0; k < 3; ++k) {
        map[0][k] = per * m[0][k], map[1][k] = per * m[2][k], map[2][k] = m[1][k];
        map[3][k] = m[1][k] - eta->b * m[0][k] - eta->c * m[2][k];
    }
    p->i0 = (int)floor(x) - p->reach, p->j0 = (int)floor(z) - p->reach;
    map[0][3] = x - p->i0, map[1][3] = z - p->j0;
    map[2][3] = p->y - f->level, map[3][3] = map[2][3] - eta->a;
    kernels()->place(p->hull->vertices, p->hull->vertex_count, map, (float)edge, p->corners, low, high);
}

// The arrays lie next to each other, as long as the patch has columns: a small body's stay in the cache.
static void lay_out(struct press *p)
{
    struct columns *c = &p->columns;
    float **const all[COLUMN_FLOATS] = {&c->area,      &c->height,    &c->lo,    &c->hi,     &c->raw,
                                        &c->filled,    &c->next,      &c->base,  &c->cover,  &c->weight[0],
                                        &c->weight[1], &c->weight[2], &c->level, &c->scratch};
    for (int k = 0; k < COLUMN_FLOATS; ++k) *all[k] = p->numbers + k * p->ni * p->nj;
}

static int whole_fours(int n) { return (n + FOUR - 1) / FOUR * FOUR; }

// Around what stands over columns: one that spreading reaches, one that the body may move into during an inner step, if
// the water wants to know that, and one that is empty.
static int rings_of(const struct fluid *f) { return f->kind->carries ? 3 : 2; }

// The pieces of the hull as it was at the build, about a plane that goes through the surface.
void press_split(struct press *p, const struct fluid *f, struct plane eta)
{
    const mat3 turn = quat_matrix(p->rotation);
    float low[4], high[4];
    p->split = eta;
    p->band = p->deep ? 1e6 : BAND * f->g.s;
    // A column knows the surface in its middle only, half a column away from a piece at most.
    const double edge = p->band + 0.51 * f->g.s * (fabs(eta.b) + fabs(eta.c));
    place_corners(p, f, &turn, &eta, edge, low, high);
    const int rings = rings_of(f);
    p->skip_i = (int)low[0] - rings, p->ni = whole_fours((int)high[0] + rings + 1 - p->skip_i);
    p->skip_j = (int)low[1] - rings, p->nj = (int)high[1] + rings + 1 - p->skip_j;
    p->i0 += p->skip_i, p->j0 += p->skip_j;
    ASSERT(p->ni * p->nj <= p->shadow_room);
    lay_out(p);
    memset(p->shadows, 0, (size_t)(p->ni * p->nj) * sizeof *p->shadows);
    const vec3 up = mat3_mul_t(&turn, v3(0, 1, 0)), slope = mat3_mul_t(&turn, v3(-eta.b, 1.0, -eta.c));
    const double start = p->y - f->level - eta.a;
    struct batch b;
    b.hull = p->hull, b.corners = p->corners, b.kernels = kernels();
    b.to = (struct footprint){p->ni, p->skip_i, p->skip_j, p->shadows, p->pieces, 0};
    b.listed[IS_DRY] = b.listed[IS_NEAR] = b.listed[IS_DEEP] = b.count = 0;
    for (int k = 0; k < p->hull->tile_count; ++k) {
        const struct tile *t = &p->hull->tiles[k];
        if (!is_roof(t, up, slope, start, edge)) list_tile(&b, t);
    }
    for (int k = 0; k < 3; ++k) pour(&b, (enum where)k);
    if (b.count) give_shares(&b);
    ASSERT(b.to.piece_count <= p->piece_room);
}

// However a body turns, it lies over a square of its diameter. A triangle with edges up to L lies over 2 x
// 2 columns if L < s, and makes (L/s + 2)^2 pieces at most if not.
static bool reserve(struct press *p, const struct memory *m, const struct fluid *f, const struct hull *h,
                    double radius)
{
    const double side = ceil(2.0 * radius / f->g.s) + 2.0 + 2.0 * rings_of(f), cells = (side + FOUR) * side;
    double pieces = 0.0;
    for (int t = 0; t < h->triangle_count; ++t) {
        double longest = 0.0;
        for (int k = 0; k < 3; ++k) {
            const vec3 edge =
                v3_sub(h->vertices[h->triangles[t][k]], h->vertices[h->triangles[t][(k + 1) % 3]]);
            longest = fmax(longest, v3_dot(edge, edge));
        }
        const double across = sqrt(longest) / f->g.s, most = across < 0.999 ? 2.0 : ceil(across) + 2.0;
        pieces += most * most;
    }
    if (pieces > 2e8 || COLUMN_FLOATS * cells > 2e9) return false;
    p->reach = (int)ceil(radius / f->g.s) + 2 + rings_of(f);
    return memory_grow(m, (void **)&p->pieces, &p->piece_room, (int)pieces, sizeof *p->pieces) &&
           memory_grow(m, (void **)&p->shadows, &p->shadow_room, (int)cells, sizeof *p->shadows) &&
           memory_grow(m, (void **)&p->stale, &p->stale_room, (int)cells, sizeof *p->stale) &&
           memory_grow(m, (void **)&p->numbers, &p->number_room, COLUMN_FLOATS * (int)cells,
                       sizeof *p->numbers) &&
           memory_grow(m, (void **)&p->corners, &p->corner_room, h->vertex_count, sizeof *p->corners);
}

bool press_reserve(struct press *p, const struct memory *m, const struct fluid *f, const struct hull *h,
                   double radius)
{
    if (f->kind->carries && !p->ahead) p->ahead = memory_alloc(m, 1, sizeof *p->ahead);
    if (f->kind->carries && !(p->ahead && reserve(p->ahead, m, f, h, radius))) return false;
    return reserve(p, m, f, h, radius);
}

void press_free(struct press *p, const struct memory *m)
{
    if (p->ahead) press_free(p->ahead, m);
    memory_free(m, p->ahead, p->ahead ? 1 : 0, sizeof *p->ahead);
    memory_free(m, p->pieces, (size_t)p->piece_room, sizeof *p->pieces);
    memory_free(m, p->shadows, (size_t)p->shadow_room, sizeof *p->shadows);
    memory_free(m, p->stale, (size_t)p->stale_room, sizeof *p->stale);
    memory_free(m, p->numbers, (size_t)p->number_room, sizeof *p->numbers);
    memory_free(m, p->corners, (size_t)p->corner_room, sizeof *p->corners);
    pressure_free(p, m);
    *p = (struct press){0};
}
