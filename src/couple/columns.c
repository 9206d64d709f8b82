// Body to water by columns: how much of every column a hull fills.
//
// Each hull triangle is clipped to the cells exactly. A piece over a cell has a = -(upward area)/s^2 and a
// mean height y, and the body fills b(eta) = sum a (eta - y)+ of that column below a surface at eta: any
// number of spans, so a ring or a bowl works. b is spread over 3 x 3 cells by (1/4, 1/2, 1/4)^2.
//
// Feeding b straight back into the heights is unstable, since b depends on the height. Instead the surface
// at the body is taken as a plane that fits the lifted columns,  sum cover (1, x, z) (h - eta) = 0  with
// h = base + alpha b(eta), found by Newton's method. b is linear in eta between pieces, so one step is exact
// once the wet pieces are known.
#include "couple.h"

#include "base/error.h"

#include <string.h>

#define NEWTON_STEPS 12
#define RIDGE        0.05 // [cells^2] slope of a body of a few cells is held by this much

struct corner {
    double x, z, y; // x, z in cells of the patch, y above level
};
#define MAX_CORNERS 9

static double along(const struct corner *c, int axis) { return axis ? c->z : c->x; }

// The part of a polygon with sign * (coordinate - at) <= 0.
static int clip(const struct corner *in, int count, int axis, double at, double sign, struct corner *out)
{
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        const struct corner *a = &in[k], *b = &in[(k + 1) % count];
        const double da = sign * (along(a, axis) - at), db = sign * (along(b, axis) - at);
        if (da <= 0.0) out[kept++] = *a;
        if ((da <= 0.0) != (db <= 0.0)) {
            const double t = da / (da - db);
            struct corner *c = &out[kept++];
            *c =
                (struct corner){a->x + t * (b->x - a->x), a->z + t * (b->z - a->z), a->y + t * (b->y - a->y)};
            if (axis)
                c->z = at;
            else
                c->x = at;
        }
    }
    return kept;
}

static void add_piece(struct press *p, const struct corner *c, int count, int i, int j)
{
    double area = 0.0, height = 0.0;
    for (int k = 1; k + 1 < count; ++k) {
        const double twice =
            (c[k].x - c[0].x) * (c[k + 1].z - c[0].z) - (c[k + 1].x - c[0].x) * (c[k].z - c[0].z);
        area += 0.5 * twice;
        height += twice / 6.0 * (c[0].y + c[k].y + c[k + 1].y);
    }
    if (fabs(area) < 1e-12) return;
    p->given[p->piece_count++] = (struct piece){j * p->ni + i, (float)area, (float)(height / area)};
}

static int lowest(const struct corner *c, int count, int axis)
{
    double low = along(&c[0], axis);
    for (int k = 1; k < count; ++k) low = fmin(low, along(&c[k], axis));
    return (int)floor(low);
}

static int highest(const struct corner *c, int count, int axis)
{
    double high = along(&c[0], axis);
    for (int k = 1; k < count; ++k) high = fmax(high, along(&c[k], axis));
    return (int)ceil(high) - 1;
}

// A polygon within row j, cell by cell.
static void cut_row(struct press *p, struct corner *c, int count, int j)
{
    struct corner part[MAX_CORNERS], rest[MAX_CORNERS];
    const int last = highest(c, count, 0);
    for (int i = lowest(c, count, 0); i < last; ++i) {
        const int left = clip(c, count, 0, i + 1.0, 1.0, part);
        if (left >= 3) add_piece(p, part, left, i, j);
        count = clip(c, count, 0, i + 1.0, -1.0, rest);
        memcpy(c, rest, (size_t)count * sizeof *c);
        if (count < 3) return;
    }
    add_piece(p, c, count, last, j);
}

static void cut_triangle(struct press *p, const struct corner *triangle)
{
    struct corner c[MAX_CORNERS], part[MAX_CORNERS], rest[MAX_CORNERS];
    int count = 3;
    memcpy(c, triangle, 3 * sizeof *c);
    const int last = highest(c, 3, 1);
    for (int j = lowest(c, 3, 1); j < last; ++j) {
        const int below = clip(c, count, 1, j + 1.0, 1.0, part);
        if (below >= 3) cut_row(p, part, below, j);
        count = clip(c, count, 1, j + 1.0, -1.0, rest);
        memcpy(c, rest, (size_t)count * sizeof *c);
        if (count < 3) return;
    }
    cut_row(p, c, count, last);
}

static void corners_of(const struct press *p, const struct fluid *f, const struct hull *h, const mat3 *turn,
                       const struct body_hot *at, int t, struct corner *out)
{
    const double x0 = f->g.x0 + p->i0 * f->g.s, z0 = f->g.z0 + p->j0 * f->g.s;
    for (int k = 0; k < 3; ++k) {
        const vec3 v = v3_add(at->position, mat3_mul(turn, h->vertices[h->triangles[t][k]]));
        out[k] = (struct corner){(v.x - x0) / f->g.s, (v.z - z0) / f->g.s, v.y - f->level};
    }
}

// The cells under the hull and a ring around them.
static void find_patch(struct press *p, const struct fluid *f, const struct hull *h, const mat3 *turn,
                       const struct body_hot *at)
{
    double x0 = INFINITY, x1 = -INFINITY, z0 = INFINITY, z1 = -INFINITY;
    for (int k = 0; k < h->vertex_count; ++k) {
        const vec3 v = v3_add(at->position, mat3_mul(turn, h->vertices[k]));
        x0 = fmin(x0, v.x), x1 = fmax(x1, v.x), z0 = fmin(z0, v.z), z1 = fmax(z1, v.z);
    }
    p->i0 = (int)floor((x0 - f->g.x0) / f->g.s) - 2;
    p->j0 = (int)floor((z0 - f->g.z0) / f->g.s) - 2;
    p->ni = (int)floor((x1 - f->g.x0) / f->g.s) + 3 - p->i0;
    p->nj = (int)floor((z1 - f->g.z0) / f->g.s) + 3 - p->j0;
}

// However a body turns, a triangle with edges up to L lies over (L/s + 2)^2 cells at most, and the body over a
// square of its diameter.
bool press_reserve(struct press *p, const struct memory *m, const struct fluid *f, const struct hull *h,
                   double radius)
{
    const double side = ceil(2.0 * radius / f->g.s) + 6.0, cells = side * side;
    double pieces = 0.0;
    for (int t = 0; t < h->triangle_count; ++t) {
        double longest = 0.0;
        for (int k = 0; k < 3; ++k) {
            const vec3 edge =
                v3_sub(h->vertices[h->triangles[t][k]], h->vertices[h->triangles[t][(k + 1) % 3]]);
            longest = fmax(longest, v3_dot(edge, edge));
        }
        const double across = ceil(sqrt(longest) / f->g.s) + 2.0;
        pieces += across * across;
    }
    if (pieces > 2e8 || cells > 2e8) return false;
    return memory_grow(m, (void **)&p->pieces, &p->piece_room, (int)pieces, sizeof *p->pieces) &&
           memory_grow(m, (void **)&p->given, &p->given_room, (int)pieces, sizeof *p->given) &&
           memory_grow(m, (void **)&p->first, &p->first_room, (int)cells + 1, sizeof *p->first) &&
           memory_grow(m, (void **)&p->columns, &p->column_room, (int)cells, sizeof *p->columns) &&
           memory_grow(m, (void **)&p->row, &p->row_room, (int)cells, sizeof *p->row);
}

void press_free(struct press *p, const struct memory *m)
{
    memory_free(m, p->pieces, (size_t)p->piece_room, sizeof *p->pieces);
    memory_free(m, p->given, (size_t)p->given_room, sizeof *p->given);
    memory_free(m, p->first, (size_t)p->first_room, sizeof *p->first);
    memory_free(m, p->columns, (size_t)p->column_room, sizeof *p->columns);
    memory_free(m, p->row, (size_t)p->row_room, sizeof *p->row);
    *p = (struct press){0};
}

// Pieces by cell, keeping their order within a cell: a counting sort.
static void sort_pieces(struct press *p)
{
    const int cells = p->ni * p->nj;
    memset(p->first, 0, (size_t)(cells + 1) * sizeof *p->first);
    for (int k = 0; k < p->piece_count; ++k) p->first[p->given[k].cell + 1] += 1;
    for (int c = 0; c < cells; ++c) p->first[c + 1] += p->first[c];
    for (int k = 0; k < p->piece_count; ++k) p->pieces[p->first[p->given[k].cell]++] = p->given[k];
    for (int c = cells; c > 0; --c) p->first[c] = p->first[c - 1];
    p->first[0] = 0;
}

// Spread a value of the columns by (1/4, 1/2, 1/4) along x and z, from one member to another.
static void spread(struct press *p, size_t from, size_t to)
{
#define VALUE(c, member) (*(float *)((char *)&p->columns[c] + (member)))
    const int ni = p->ni;
    for (int j = 0; j < p->nj; ++j) {
        float *row = p->row + (size_t)j * (size_t)ni;
        row[0] = row[ni - 1] = 0.0f;
        for (int i = 1; i + 1 < ni; ++i) {
            const int c = j * ni + i;
            row[i] = 0.25f * (VALUE(c - 1, from) + VALUE(c + 1, from)) + 0.5f * VALUE(c, from);
        }
    }
    for (int j = 0; j < p->nj; ++j)
        for (int i = 0; i < ni; ++i) {
            const int c = j * ni + i;
            const float south = j > 0 ? p->row[c - ni] : 0.0f, north = j + 1 < p->nj ? p->row[c + ni] : 0.0f;
            VALUE(c, to) = 0.25f * (south + north) + 0.5f * p->row[c];
        }
#undef VALUE
}

static void basis(const struct press *p, const struct fluid *f, int c, double out[3])
{
    out[0] = 1.0;
    out[1] = grid_x(&f->g, p->i0 + c % p->ni) - p->x;
    out[2] = grid_z(&f->g, p->j0 + c / p->ni) - p->z;
}

// Cover of every column, seen from below, and what the fit needs of it.
static void find_cover(struct press *p, const struct fluid *f)
{
    const int cells = p->ni * p->nj;
    for (int c = 0; c < cells; ++c) {
        float under = 0.0f;
        for (int k = p->first[c]; k < p->first[c + 1]; ++k) under += fmaxf(p->pieces[k].area, 0.0f);
        p->columns[c] = (struct column){.raw = fminf(under, 1.0f), .lo = INFINITY, .hi = -INFINITY};
    }
    spread(p, offsetof(struct column, raw), offsetof(struct column, cover));
    memset(p->normal, 0, sizeof p->normal);
    for (int m = 0; m < 3; ++m) {
        for (int c = 0; c < cells; ++c) {
            double at[3];
            basis(p, f, c, at);
            const double w = (double)p->columns[c].cover * at[m];
            p->columns[c].raw = (float)w;
            for (int n = 0; n < 3; ++n) p->normal[m][n] += w * at[n];
        }
        spread(p, offsetof(struct column, raw), offsetof(struct column, weight) + (size_t)m * sizeof(float));
    }
    const double ridge = RIDGE * f->g.s * f->g.s * p->normal[0][0];
    p->normal[1][1] += ridge, p->normal[2][2] += ridge;
}

void press_build(struct press *p, const struct fluid *f, const struct hull *h, const struct body_hot *at)
{
    const mat3 turn = quat_matrix(at->rotation);
    find_patch(p, f, h, &turn, at);
    p->x = at->position.x, p->y = at->position.y, p->z = at->position.z;
    p->aside_x = p->aside_z = 0.0;
    p->moved = (struct plane){0};
    p->piece_count = 0;
    for (int t = 0; t < h->triangle_count; ++t) {
        struct corner c[3];
        corners_of(p, f, h, &turn, at, t, c);
        cut_triangle(p, c);
    }
    ASSERT(p->piece_count <= p->piece_room && p->ni * p->nj <= p->column_room);
    sort_pieces(p);
    find_cover(p, f);
}

// Beyond a wall the ring of a patch is folded back onto the edge; further out there is nothing.
int press_column(const struct fluid *f, int i)
{
    if (!f->wrap_x && (i == -1 || i == f->g.nx)) return i < 0 ? 0 : i - 1;
    return fluid_column(f, i);
}

int press_row(const struct fluid *f, int j)
{
    if (!f->wrap_z && (j == -1 || j == f->g.nz)) return j < 0 ? 0 : j - 1;
    return fluid_row(f, j);
}

void press_read(struct press *p, const struct fluid *f, double strength)
{
    for (int j = 0; j < p->nj; ++j) {
        const int row = press_row(f, p->j0 + j);
        for (int i = 0; i < p->ni; ++i) {
            struct column *c = &p->columns[j * p->ni + i];
            const int column = press_column(f, p->i0 + i);
            float h = 0.0f;
            if (row >= 0 && column >= 0) f->kind->surface(f, row, column, column + 1, &h);
            c->base = h - (float)strength * c->filled;
        }
    }
}

// Which pieces of a column are wet at eta; b is linear until one more gets wet or dry.
static void wet_pieces(const struct press *p, int cell, float eta)
{
    struct column *c = &p->columns[cell];
    double area = 0.0, height = 0.0;
    c->lo = -INFINITY, c->hi = INFINITY;
    for (int k = p->first[cell]; k < p->first[cell + 1]; ++k) {
        const struct piece *piece = &p->pieces[k];
        if (piece->height < eta) {
            area += piece->area;
            height += (double)piece->area * (double)piece->height;
            c->lo = fmaxf(c->lo, piece->height);
        } else {
            c->hi = fminf(c->hi, piece->height);
        }
    }
    c->sum_area = (float)area, c->sum_height = (float)height;
}

// The surface over a column, seen from the body as it was when the pieces were made.
static float seen(const struct plane *eta, const struct plane *moved, const double at[3])
{
    return (float)((eta->a - moved->a) + (eta->b - moved->b) * at[1] + (eta->c - moved->c) * at[2]);
}

// b of every column for a surface, and the sums that Newton's method needs: B_k = sum b weight_k and
// its derivative. True if any column had to look at its pieces again.
static bool fill(struct press *p, const struct fluid *f, const struct plane *eta, double sum[3],
                 double slope[3][3])
{
    bool changed = false;
    memset(sum, 0, 3 * sizeof *sum);
    memset(slope, 0, 9 * sizeof(double));
    for (int cell = 0; cell < p->ni * p->nj; ++cell) {
        struct column *c = &p->columns[cell];
        if (p->first[cell] == p->first[cell + 1]) continue;
        double at[3];
        basis(p, f, cell, at);
        const float level = seen(eta, &p->moved, at);
        if (!(c->lo < level && level <= c->hi)) {
            wet_pieces(p, cell, level);
            changed = true;
        }
        c->raw = c->sum_area * level - c->sum_height;
        for (int k = 0; k < 3; ++k) {
            const double w = c->weight[k];
            sum[k] += w * (double)c->raw;
            for (int m = 0; m < 3; ++m) slope[k][m] += w * (double)c->sum_area * at[m];
        }
    }
    return changed;
}

// Solve a 3 x 3 system by Cramer's rule; zero if it is singular.
static vec3 solve3(double a[3][3], const double r[3])
{
    const vec3 x = v3(a[0][0], a[1][0], a[2][0]), y = v3(a[0][1], a[1][1], a[2][1]),
               z = v3(a[0][2], a[1][2], a[2][2]);
    const vec3 b = v3(r[0], r[1], r[2]);
    const double det = v3_dot(x, v3_cross(y, z));
    if (!(fabs(det) > 0.0)) return v3(0, 0, 0);
    return v3_scale(v3(v3_dot(b, v3_cross(y, z)), v3_dot(x, v3_cross(b, z)), v3_dot(x, v3_cross(y, b))),
                    1.0 / det);
}

// A plane about the body's centre, seen from where the pieces were made, and back.
static struct plane to_pieces(const struct press *p, struct plane q)
{
    return (struct plane){q.a - (q.b * p->aside_x + q.c * p->aside_z), q.b, q.c};
}

static struct plane from_pieces(const struct press *p, struct plane q)
{
    return (struct plane){q.a + (q.b * p->aside_x + q.c * p->aside_z), q.b, q.c};
}

static void finish_fill(struct press *p)
{
    spread(p, offsetof(struct column, raw), offsetof(struct column, filled));
    p->wet = false;
    for (int c = 0; c < p->ni * p->nj && !p->wet; ++c) p->wet = p->columns[c].raw != 0.0f;
}

void press_fill(struct press *p, const struct fluid *f)
{
    double sum[3], slope[3][3];
    const struct plane eta = to_pieces(p, p->surface);
    for (int c = 0; c < p->ni * p->nj; ++c) p->columns[c].raw = 0.0f;
    fill(p, f, &eta, sum, slope);
    finish_fill(p);
}

// The part of the fit that does not depend on the plane, sum cover (1, x, z) base. Clears raw.
static void sum_base(struct press *p, const struct fluid *f, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int c = 0; c < p->ni * p->nj; ++c) {
        struct column *column = &p->columns[c];
        column->raw = 0.0f;
        if (column->cover == 0.0f) continue;
        double at[3];
        basis(p, f, c, at);
        const double w = (double)column->cover * (double)column->base;
        for (int k = 0; k < 3; ++k) out[k] += w * at[k];
    }
}

void press_fit(struct press *p, const struct fluid *f, double strength)
{
    struct plane eta = to_pieces(p, p->surface);
    double constant[3];
    sum_base(p, f, constant);
    for (int n = 0; p->normal[0][0] > 0.0; ++n) {
        double residual[3], slope[3][3];
        const bool changed = fill(p, f, &eta, residual, slope);
        if (n > 0 && (!changed || n == NEWTON_STEPS)) break; // unchanged: the last step was exact
        const double now[3] = {eta.a, eta.b, eta.c};
        for (int k = 0; k < 3; ++k) {
            residual[k] = constant[k] + strength * residual[k];
            for (int m = 0; m < 3; ++m) {
                residual[k] -= p->normal[k][m] * now[m];
                slope[k][m] = p->normal[k][m] - strength * slope[k][m];
            }
        }
        const vec3 step = solve3(slope, residual);
        eta.a += step.x, eta.b += step.y, eta.c += step.z;
    }
    finish_fill(p);
    p->surface = from_pieces(p, eta);
}

void press_stiffness(const struct press *p, const struct fluid *f, double strength, double out[3][3])
{
    const double k = f->density * f->gravity * f->g.s * f->g.s;
    memset(out, 0, 9 * sizeof(double));
    for (int c = 0; c < p->ni * p->nj; ++c) {
        const double part = clamp(p->columns[c].sum_area, 0.0, 1.0);
        if (part <= 0.0) continue;
        double at[3];
        basis(p, f, c, at);
        const double a[3] = {1.0, -(at[2] - p->aside_z), at[1] - p->aside_x};
        for (int m = 0; m < 3; ++m)
            for (int n = 0; n < 3; ++n) out[m][n] += k * part / (1.0 - strength * part) * a[m] * a[n];
    }
}

// Gauss: the pressure rho g (h - y) on a closed hull sums to -rho g int b grad(h) sideways, so the same b that
// lifts the water pushes the body.
void press_sideways(const struct press *p, const struct fluid *f, double strength, vec3 *force, double *yaw)
{
    const double k = -0.5 * f->density * f->gravity * f->g.s;
    *force = v3(0, 0, 0), *yaw = 0.0;
#define HEAD(c) ((double)p->columns[c].base + strength * (double)p->columns[c].filled)
    for (int j = 1; j + 1 < p->nj; ++j)
        for (int i = 1; i + 1 < p->ni; ++i) {
            const int c = j * p->ni + i;
            const double b = p->columns[c].filled;
            if (b == 0.0) continue;
            double at[3];
            basis(p, f, c, at);
            const double fx = k * b * (HEAD(c + 1) - HEAD(c - 1)),
                         fz = k * b * (HEAD(c + p->ni) - HEAD(c - p->ni));
            force->x += fx, force->z += fz;
            *yaw += (at[2] - p->aside_z) * fx - (at[1] - p->aside_x) * fz;
        }
#undef HEAD
}

vec3 press_current(const struct press *p, const struct fluid *f, double radius)
{
    enum { POINTS = 16 }; // a lattice of its own: the same number of places on every grid
    double under = 0.0, open = 0.0;
    vec3 sum = {0, 0, 0};
    for (int m = 0; m < POINTS; ++m)
        for (int n = 0; n < POINTS; ++n) {
            const double x = p->x + p->aside_x + radius * (4.0 * (m + 0.5) / POINTS - 2.0);
            const double z = p->z + p->aside_z + radius * (4.0 * (n + 0.5) / POINTS - 2.0);
            const int i = (int)floor((x - f->g.x0) / f->g.s), j = (int)floor((z - f->g.z0) / f->g.s);
            const int column = fluid_column(f, i), row = fluid_row(f, j);
            if (column < 0 || row < 0) continue;
            const bool in = p->i0 <= i && i < p->i0 + p->ni && p->j0 <= j && j < p->j0 + p->nj;
            const double cover = in ? p->columns[(j - p->j0) * p->ni + i - p->i0].cover : 0.0;
            if (cover > 0.0) {
                float u, v;
                f->kind->speed(f, row, column, column + 1, &u, &v);
                sum.x += cover * u, sum.z += cover * v;
                under += cover;
            } else {
                sum.y += f->kind->rising(f, column, row);
                open += 1.0;
            }
        }
    return v3(under > 0.0 ? sum.x / under : 0.0, open > 0.0 ? sum.y / open : 0.0,
              under > 0.0 ? sum.z / under : 0.0);
}
