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

#define MAX_CORNERS 9

static double along(const struct corner *c, int axis) { return axis ? c->z : c->x; }

static struct corner crossing(const struct corner *a, const struct corner *b, double t, int axis, double at)
{
    const double x = a->x + t * (b->x - a->x), z = a->z + t * (b->z - a->z), y = a->y + t * (b->y - a->y);
    return axis ? (struct corner){x, at, y} : (struct corner){at, z, y};
}

// The parts of a polygon on both sides of a line; a corner on it belongs to both.
static int split(const struct corner *in, int count, int axis, double at, struct corner *low,
                 struct corner *high, int *high_count)
{
    int below = 0, above = 0;
    double da = along(&in[0], axis) - at;
    for (int k = 0; k < count; ++k) {
        const struct corner *a = &in[k], *b = &in[k + 1 < count ? k + 1 : 0];
        const double db = along(b, axis) - at;
        if (da <= 0.0) low[below++] = *a;
        if (da >= 0.0) high[above++] = *a;
        if (da * db < 0.0) low[below++] = high[above++] = crossing(a, b, da / (da - db), axis, at);
        da = db;
    }
    *high_count = above;
    return below;
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
    p->given[p->piece_count++] = (struct scrap){j * p->ni + i, (float)area, (float)(height / area)};
}

static int lowest(const struct corner *c, int count, int axis)
{
    double low = along(&c[0], axis);
    for (int k = 1; k < count; ++k) low = along(&c[k], axis) < low ? along(&c[k], axis) : low;
    return (int)floor(low);
}

static int highest(const struct corner *c, int count, int axis)
{
    double high = along(&c[0], axis);
    for (int k = 1; k < count; ++k) high = along(&c[k], axis) > high ? along(&c[k], axis) : high;
    return (int)ceil(high) - 1;
}

// A polygon within row j, cell by cell.
static void cut_row(struct press *p, struct corner *c, int count, int j)
{
    struct corner part[MAX_CORNERS], rest[MAX_CORNERS];
    const int last = highest(c, count, 0);
    for (int i = lowest(c, count, 0); i < last; ++i) {
        const int left = split(c, count, 0, i + 1.0, part, rest, &count);
        if (left >= 3) add_piece(p, part, left, i, j);
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
        const int below = split(c, count, 1, j + 1.0, part, rest, &count);
        if (below >= 3) cut_row(p, part, below, j);
        memcpy(c, rest, (size_t)count * sizeof *c);
        if (count < 3) return;
    }
    cut_row(p, c, count, last);
}

// The cells under the hull and a ring around them; every vertex becomes a corner in cells of that patch.
static void place_corners(struct press *p, const struct fluid *f, const struct hull *h,
                          const struct body_hot *at)
{
    const mat3 turn = quat_matrix(at->rotation);
    const double per = 1.0 / f->g.s;
    double x0 = INFINITY, x1 = -INFINITY, z0 = INFINITY, z1 = -INFINITY;
    for (int k = 0; k < h->vertex_count; ++k) {
        const vec3 v = v3_add(at->position, mat3_mul(&turn, h->vertices[k]));
        struct corner *c = &p->corners[k];
        *c = (struct corner){(v.x - f->g.x0) * per, (v.z - f->g.z0) * per, v.y - f->level};
        x0 = c->x < x0 ? c->x : x0, x1 = c->x > x1 ? c->x : x1;
        z0 = c->z < z0 ? c->z : z0, z1 = c->z > z1 ? c->z : z1;
    }
    p->i0 = (int)floor(x0) - 2, p->ni = (int)floor(x1) + 3 - p->i0;
    p->j0 = (int)floor(z0) - 2, p->nj = (int)floor(z1) + 3 - p->j0;
    for (int k = 0; k < h->vertex_count; ++k) p->corners[k].x -= p->i0, p->corners[k].z -= p->j0;
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
           memory_grow(m, (void **)&p->row, &p->row_room, (int)cells, sizeof *p->row) &&
           memory_grow(m, (void **)&p->depth, &p->depth_room, h->vertex_count, sizeof *p->depth) &&
           memory_grow(m, (void **)&p->corners, &p->corner_room, h->vertex_count, sizeof *p->corners);
}

void press_free(struct press *p, const struct memory *m)
{
    memory_free(m, p->pieces, (size_t)p->piece_room, sizeof *p->pieces);
    memory_free(m, p->given, (size_t)p->given_room, sizeof *p->given);
    memory_free(m, p->first, (size_t)p->first_room, sizeof *p->first);
    memory_free(m, p->columns, (size_t)p->column_room, sizeof *p->columns);
    memory_free(m, p->row, (size_t)p->row_room, sizeof *p->row);
    memory_free(m, p->depth, (size_t)p->depth_room, sizeof *p->depth);
    memory_free(m, p->corners, (size_t)p->corner_room, sizeof *p->corners);
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

// Middle of a column, from where the pieces were made.
static double column_x(const struct press *p, const struct fluid *f, int i)
{
    return grid_x(&f->g, p->i0 + i) - p->x;
}
static double column_z(const struct press *p, const struct fluid *f, int j)
{
    return grid_z(&f->g, p->j0 + j) - p->z;
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
            const double at[3] = {1.0, column_x(p, f, c % p->ni), column_z(p, f, c / p->ni)};
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
    place_corners(p, f, h, at);
    p->x = at->position.x, p->y = at->position.y, p->z = at->position.z;
    p->aside_x = p->aside_z = 0.0;
    p->moved = (struct plane){0};
    p->piece_count = 0;
    for (int t = 0; t < h->triangle_count; ++t) {
        const int *v = h->triangles[t];
        const struct corner c[3] = {p->corners[v[0]], p->corners[v[1]], p->corners[v[2]]};
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

// The surface over row j of a patch, 0 where there is no water.
static void read_row(const struct press *p, const struct fluid *f, int j, float *out)
{
    const int row = press_row(f, p->j0 + j);
    if (row >= 0 && p->i0 >= 0 && p->i0 + p->ni <= f->g.nx) {
        f->kind->surface(f, row, p->i0, p->i0 + p->ni, out);
        return;
    }
    for (int i = 0; i < p->ni; ++i) {
        const int column = press_column(f, p->i0 + i);
        out[i] = 0.0f;
        if (row >= 0 && column >= 0) f->kind->surface(f, row, column, column + 1, &out[i]);
    }
}

void press_look(struct press *p, const struct fluid *f)
{
    p->stranded = f->kind->wet != NULL;
    for (int j = 0; p->stranded && j < p->nj; ++j) {
        const int row = press_row(f, p->j0 + j);
        for (int i = 0; row >= 0 && i < p->ni; ++i) {
            const int column = press_column(f, p->i0 + i);
            if (column >= 0 && f->kind->wet(f, column, row)) p->stranded = false;
        }
    }
}

void press_read(struct press *p, const struct fluid *f, double strength)
{
    press_look(p, f);
    const float part = (float)strength;
    for (int j = 0; j < p->nj; ++j) {
        struct column *c = &p->columns[j * p->ni];
        read_row(p, f, j, p->row);
        for (int i = 0; i < p->ni; ++i) c[i].base = p->row[i] - part * c[i].filled;
    }
}

// Which pieces of a column are wet at eta; b is linear until one more gets wet or dry.
static void wet_pieces(const struct press *p, int cell, float eta)
{
    struct column *c = &p->columns[cell];
    double area = 0.0, height = 0.0;
    c->lo = -INFINITY, c->hi = INFINITY;
    for (int k = p->first[cell]; k < p->first[cell + 1]; ++k) {
        const struct scrap *piece = &p->pieces[k];
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

// b of every column for a surface, and the sums that Newton's method needs: sum_k = sum b weight_k and its
// derivative by the plane's three numbers.
static void fill(struct press *p, const struct fluid *f, const struct plane *eta, double sum[3],
                 double slope[3][3])
{
    // The surface as the body sees it that has moved since its pieces were made.
    const struct plane seen = {eta->a - p->moved.a, eta->b - p->moved.b, eta->c - p->moved.c};
    memset(sum, 0, 3 * sizeof *sum);
    memset(slope, 0, 9 * sizeof(double));
    for (int j = 0; j < p->nj; ++j) {
        const double z = column_z(p, f, j), x0 = column_x(p, f, 0);
        double area[3] = {0}, area_x[3] = {0};
        for (int i = 0, cell = j * p->ni; i < p->ni; ++i, ++cell) {
            struct column *c = &p->columns[cell];
            if (p->first[cell] == p->first[cell + 1]) continue;
            const double x = x0 + i * f->g.s;
            const float level = (float)(seen.a + seen.b * x + seen.c * z);
            if (!(c->lo < level && level <= c->hi)) wet_pieces(p, cell, level);
            c->raw = c->sum_area * level - c->sum_height;
            for (int k = 0; k < 3; ++k) {
                const double w = c->weight[k], wa = w * (double)c->sum_area;
                sum[k] += w * (double)c->raw;
                area[k] += wa;
                area_x[k] += wa * x;
            }
        }
        for (int k = 0; k < 3; ++k) {
            slope[k][0] += area[k];
            slope[k][1] += area_x[k];
            slope[k][2] += area[k] * z;
        }
    }
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
    if (!p->stranded) return;
    p->wet = false;
    for (int c = 0; c < p->ni * p->nj; ++c) p->columns[c].filled = 0.0f;
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
    for (int j = 0; j < p->nj; ++j) {
        double sum = 0.0, sum_x = 0.0;
        for (int i = 0; i < p->ni; ++i) {
            struct column *c = &p->columns[j * p->ni + i];
            const double w = (double)c->cover * (double)c->base;
            c->raw = 0.0f;
            sum += w;
            sum_x += w * i;
        }
        out[0] += sum;
        out[1] += sum * column_x(p, f, 0) + sum_x * f->g.s;
        out[2] += sum * column_z(p, f, j);
    }
}

void press_fit(struct press *p, const struct fluid *f, double strength)
{
    struct plane eta = to_pieces(p, p->surface);
    const double small = 1e-7 * f->g.s,
                 reach = f->g.s * imax(p->ni, p->nj); // far below what a float height shows
    double constant[3];
    sum_base(p, f, constant);
    for (int n = 0; p->normal[0][0] > 0.0; ++n) {
        double residual[3], slope[3][3];
        fill(p, f, &eta, residual, slope);
        if (n == NEWTON_STEPS) break;
        const double now[3] = {eta.a, eta.b, eta.c};
        for (int k = 0; k < 3; ++k) {
            residual[k] = constant[k] + strength * residual[k];
            for (int m = 0; m < 3; ++m) {
                residual[k] -= p->normal[k][m] * now[m];
                slope[k][m] = p->normal[k][m] - strength * slope[k][m];
            }
        }
        const vec3 step = solve3(slope, residual);
        if (fabs(step.x) + reach * (fabs(step.y) + fabs(step.z)) < small)
            break; // what is filled is right already
        eta.a += step.x, eta.b += step.y, eta.c += step.z;
    }
    finish_fill(p);
    p->surface = from_pieces(p, eta);
}

void press_stiffness(const struct press *p, const struct fluid *f, double strength, double out[3][3])
{
    const double k = f->density * f->gravity * f->g.s * f->g.s;
    double sum = 0.0, x = 0.0, z = 0.0, xx = 0.0, xz = 0.0, zz = 0.0;
    for (int j = 0; j < p->nj; ++j) {
        const double dz = column_z(p, f, j) - p->aside_z;
        double row = 0.0, row_x = 0.0, row_xx = 0.0;
        for (int i = 0; i < p->ni; ++i) {
            const double part = clamp(p->columns[j * p->ni + i].sum_area, 0.0, 1.0);
            if (part <= 0.0) continue;
            const double stiff = k * part / (1.0 - strength * part), dx = column_x(p, f, i) - p->aside_x;
            row += stiff, row_x += stiff * dx, row_xx += stiff * dx * dx;
        }
        sum += row, x += row_x, z += row * dz;
        xx += row_xx, xz += row_x * dz, zz += row * dz * dz;
    }
    const double all[3][3] = {{sum, -z, x}, {-z, zz, -xz}, {x, -xz, xx}};
    memcpy(out, all, sizeof all);
}

// Gauss: the pressure rho g (h - y) on a closed hull sums to -rho g int b grad(h) sideways, so the same b that
// lifts the water pushes the body. Where columns and cut hull disagree on the volume (a thin plate that just touches),
// the hull is right.
void press_sideways(const struct press *p, const struct fluid *f, double strength, double volume, vec3 *force,
                    double *yaw)
{
    const double k = -0.5 * f->density * f->gravity * f->g.s;
    double filled = 0.0;
    *force = v3(0, 0, 0), *yaw = 0.0;
#define HEAD(c) ((double)p->columns[c].base + strength * (double)p->columns[c].filled)
    for (int j = 1; j + 1 < p->nj; ++j)
        for (int i = 1; i + 1 < p->ni; ++i) {
            const int c = j * p->ni + i;
            const double b = p->columns[c].filled;
            if (b == 0.0) continue;
            const double fx = k * b * (HEAD(c + 1) - HEAD(c - 1)),
                         fz = k * b * (HEAD(c + p->ni) - HEAD(c - p->ni));
            filled += b;
            force->x += fx, force->z += fz;
            *yaw += (column_z(p, f, j) - p->aside_z) * fx - (column_x(p, f, i) - p->aside_x) * fz;
        }
#undef HEAD
    filled *= f->g.s * f->g.s;
    const double part = filled > volume ? fmax(0.0, volume / filled) : 1.0;
    *force = v3_scale(*force, part), *yaw *= part;
}

// The water's motion at one cell, to the sums: under cover it counts as current, in the open as rise.
struct motion {
    vec3 sum;
    double under, open;
};

static void add_cell(const struct press *p, const struct fluid *f, int i, int j, double weight,
                     struct motion *m)
{
    const int column = fluid_column(f, i), row = fluid_row(f, j);
    if (column < 0 || row < 0 || weight <= 0.0) return;
    const bool in = p->i0 <= i && i < p->i0 + p->ni && p->j0 <= j && j < p->j0 + p->nj;
    const double cover = in ? p->columns[(j - p->j0) * p->ni + i - p->i0].cover : 0.0;
    if (cover > 0.0) {
        float u, v;
        f->kind->speed(f, row, column, column + 1, &u, &v);
        m->sum.x += weight * cover * u, m->sum.z += weight * cover * v;
        m->under += weight * cover;
    } else {
        m->sum.y += weight * f->kind->rising(f, column, row);
        m->open += weight;
    }
}

vec3 press_current(const struct press *p, const struct fluid *f, double radius)
{
    enum { POINTS = 8 }; // a lattice of its own: the same number of places on every grid
    struct motion m = {0};
    for (int a = 0; a < POINTS; ++a)
        for (int b = 0; b < POINTS; ++b) {
            // Shared out among the four cells around, so that nothing depends on which one is nearest.
            const double x = p->x + p->aside_x + radius * (4.0 * (a + 0.5) / POINTS - 2.0);
            const double z = p->z + p->aside_z + radius * (4.0 * (b + 0.5) / POINTS - 2.0);
            const double px = (x - f->g.x0) / f->g.s - 0.5, pz = (z - f->g.z0) / f->g.s - 0.5;
            const double fx = px - floor(px), fz = pz - floor(pz);
            const int i = (int)floor(px), j = (int)floor(pz);
            add_cell(p, f, i, j, (1.0 - fx) * (1.0 - fz), &m);
            add_cell(p, f, i + 1, j, fx * (1.0 - fz), &m);
            add_cell(p, f, i, j + 1, (1.0 - fx) * fz, &m);
            add_cell(p, f, i + 1, j + 1, fx * fz, &m);
        }
    return v3(m.under > 0.0 ? m.sum.x / m.under : 0.0, m.open > 0.0 ? m.sum.y / m.open : 0.0,
              m.under > 0.0 ? m.sum.z / m.under : 0.0);
}
