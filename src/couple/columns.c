// Body to water, second half: how much of every column a hull fills, and how the surface stands at it.
//
// pieces.c says what stands over every column, b(eta) = sum a (eta - y)+. b is spread over 3 x 3 cells by
// (1/4, 1/2, 1/4)^2.
//
// Feeding b straight back into the heights is unstable, since b depends on the height. Instead the surface
// at the body is taken as a plane that fits the lifted columns,  sum cover (1, x, z) (h - eta) = 0  with
// h = base + alpha b(eta), found by Newton's method. b is linear in eta between pieces, so one step is exact
// once the wet pieces are known.
#include "couple.h"

#include <string.h>

#define NEWTON_STEPS 12
#define RIDGE        0.05 // [cells^2] slope of a body of a few cells is held by this much

static const struct columns_kernels *kernels(void) { return KERNELS_PICK(columns_kernels); }

// Middle of a column, from where the pieces were made.
static double column_x(const struct press *p, const struct fluid *f, int i)
{
    return grid_x(&f->g, p->i0 + i) - p->x;
}
static double column_z(const struct press *p, const struct fluid *f, int j)
{
    return grid_z(&f->g, p->j0 + j) - p->z;
}

static struct plot plot_of(const struct press *p, const struct fluid *f)
{
    return (struct plot){p->ni, p->nj, column_x(p, f, 0), column_z(p, f, 0), f->g.s};
}

// No column knows which of its pieces are wet; without any it fills nothing, whatever the level.
static void forget_wet(struct press *p)
{
    struct columns *c = &p->columns;
    for (int k = 0; k < p->ni * p->nj; ++k) {
        const struct shadow *t = &p->shadows[k];
        const bool any = t->first || t->deep[0] != 0.0 || t->deep[1] != 0.0;
        c->lo[k] = any ? INFINITY : -INFINITY, c->hi[k] = any ? -INFINITY : INFINITY;
        c->area[k] = c->height[k] = 0.0f;
    }
}

// Cover of every column, the area of all that looks down over it, and what the fit needs of it.
static void find_cover(struct press *p, const struct fluid *f)
{
    struct columns *c = &p->columns;
    const struct plot plot = plot_of(p, f);
    for (int k = 0; k < p->ni * p->nj; ++k) c->raw[k] = p->shadows[k].down < 1.0f ? p->shadows[k].down : 1.0f;
    kernels()->spread(&plot, c->raw, c->scratch, c->cover);
    kernels()->weigh(&plot, c, p->normal);
    const double ridge = RIDGE * f->g.s * f->g.s * p->normal[0][0];
    p->normal[1][1] += ridge, p->normal[2][2] += ridge;
}

void press_build(struct press *p, const struct fluid *f, const struct hull *h, const struct body_hot *at)
{
    p->hull = h, p->rotation = at->rotation;
    p->x = at->position.x, p->y = at->position.y, p->z = at->position.z;
    p->aside_x = p->aside_z = 0.0;
    p->moved = (struct plane){0};
    press_split(p, f, p->surface);
    forget_wet(p);
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

// Whether a column of the patch is one of the grid's, and whether there is water in it.
static bool find_column(const struct press *p, const struct fluid *f, int i, int j, bool *wet)
{
    const int row = press_row(f, p->j0 + j), column = press_column(f, p->i0 + i);
    const bool there = row >= 0 && column >= 0;
    *wet = there && f->kind->wet(f, column, row);
    return there;
}

void press_look(struct press *p, const struct fluid *f)
{
    bool wet = !f->kind->wet;
    for (int j = 0; !wet && j < p->nj; ++j)
        for (int i = 0; !wet && i < p->ni; ++i) find_column(p, f, i, j, &wet);
    p->stranded = !wet;
}

// Land has no surface. A body that reaches over it sees the water beside go on below it, at its mean height: a cliff
// beside a pond does not make its water deep.
static void read_land(const struct press *p, const struct fluid *f, float *base)
{
    double sum = 0.0;
    int lakes = 0;
    bool wet;
    for (int j = 0; j < p->nj; ++j)
        for (int i = 0; i < p->ni; ++i)
            if (find_column(p, f, i, j, &wet) && wet) sum += (double)base[j * p->ni + i], ++lakes;
    if (lakes == 0 || lakes == p->ni * p->nj) return;
    const float mean = (float)(sum / lakes);
    for (int j = 0; j < p->nj; ++j)
        for (int i = 0; i < p->ni; ++i) {
            float *here = &base[j * p->ni + i];
            if (find_column(p, f, i, j, &wet) && !wet && *here > mean) *here = mean;
        }
}

void press_read(struct press *p, const struct fluid *f, double strength)
{
    press_look(p, f);
    const float part = (float)strength, *filled = p->columns.filled;
    float *base = p->columns.base;
    for (int j = 0; j < p->nj; ++j) read_row(p, f, j, base + j * p->ni);
    for (int k = 0; k < p->ni * p->nj; ++k) base[k] -= part * filled[k];
    if (f->kind->wet && !p->stranded) read_land(p, f, base);
}

// Which pieces of a column are wet at its level; b is linear until one more gets wet or dry.
static void wet_pieces(struct press *p, int cell)
{
    const struct shadow *t = &p->shadows[cell];
    const float eta = p->columns.level[cell];
    double area = t->deep[0], height = t->deep[1];
    float lo = -INFINITY, hi = INFINITY;
    for (int k = t->first; k > 0; k = p->pieces[k - 1].next) {
        const struct scrap *piece = &p->pieces[k - 1];
        if (piece->height < eta) {
            area += piece->area;
            height += (double)piece->area * (double)piece->height;
            lo = piece->height > lo ? piece->height : lo;
        } else {
            hi = piece->height < hi ? piece->height : hi;
        }
    }
    p->columns.lo[cell] = lo, p->columns.hi[cell] = hi;
    p->columns.area[cell] = (float)area, p->columns.height[cell] = (float)height;
}

// Whether a plane is within the band over all of the patch.
static bool in_band(const struct press *p, const struct fluid *f, const struct plane *q)
{
    const double b = q->b - p->split.b, c = q->c - p->split.c;
    const double x = column_x(p, f, 0), z = column_z(p, f, 0), s = f->g.s;
    const double middle =
        q->a - p->split.a + b * (x + 0.5 * s * (p->ni - 1)) + c * (z + 0.5 * s * (p->nj - 1));
    return fabs(middle) + 0.5 * s * (fabs(b) * p->ni + fabs(c) * p->nj) < p->band;
}

// The surface as the body sees it that has moved since its pieces were made.
static struct plane as_seen(const struct press *p, const struct plane *eta)
{
    return (struct plane){eta->a - p->moved.a, eta->b - p->moved.b, eta->c - p->moved.c};
}

// b of every column for a surface. False: some pieces have got wet or dry since the last time.
static bool fill(struct press *p, const struct fluid *f, const struct plane *eta)
{
    const struct plane seen = as_seen(p, eta);
    const bool split = !in_band(p, f, &seen);
    if (split) {
        press_split(p, f, seen);
        forget_wet(p);
    }
    const struct plot plot = plot_of(p, f);
    const int stale = kernels()->level(&plot, &p->columns, &seen, p->stale);
    for (int k = 0; k < stale; ++k) wet_pieces(p, p->stale[k]);
    kernels()->fill(&plot, &p->columns);
    return stale == 0 && !split;
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

static void finish_fill(struct press *p, const struct fluid *f)
{
    const struct plot plot = plot_of(p, f);
    struct columns *c = &p->columns;
    const int cells = p->ni * p->nj;
    kernels()->spread(&plot, c->raw, c->scratch, c->filled);
    p->wet = false;
    for (int k = 0; k < cells && !p->wet; ++k) p->wet = c->raw[k] != 0.0f;
    if (p->stranded) {
        p->wet = false;
        memset(c->filled, 0, (size_t)cells * sizeof *c->filled);
    }
    memcpy(c->next, c->filled, (size_t)cells * sizeof *c->next); // until it is known to move
}

void press_fill(struct press *p, const struct fluid *f)
{
    const struct plane eta = to_pieces(p, p->surface);
    fill(p, f, &eta);
    finish_fill(p, f);
}

void press_look_ahead(const struct press *p, const struct fluid *f, double x, double z)
{
    struct press *q = p->ahead;
    q->hull = p->hull, q->rotation = p->rotation;
    q->deep = p->deep, q->stranded = p->stranded;
    q->x = p->x + x, q->y = p->y, q->z = p->z + z;
    q->aside_x = p->aside_x, q->aside_z = p->aside_z, q->moved = p->moved;
    q->surface = p->surface;
    q->surface.a += x * p->surface.b + z * p->surface.c;
    const struct plane eta = to_pieces(q, q->surface);
    press_split(q, f, as_seen(q, &eta));
    forget_wet(q);
    press_fill(q, f);
}

#define TURNED 0.01 // [rad] that hardly change what a body fills

// All that is made anew in a step changes places with what was found ahead; the rest stays.
static void go_ahead(struct press *p)
{
    struct press *q = p->ahead, kept = *p;
    *p = *q;
    p->surface = kept.surface, p->added = kept.added, p->inside = kept.inside, p->load = kept.load;
    p->drift = kept.drift, p->owed = kept.owed, p->moved = kept.moved;
    p->ahead = q;
    *q = kept;
    q->ahead = NULL;
}

bool press_arrive(struct press *p, const struct fluid *f, const struct body_hot *at)
{
    const struct press *q = p->ahead;
    if (!q || !q->ni || p->deep) return false;
    const quat a = p->rotation, b = at->rotation;
    const double same = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z); // cosine of half the angle
    const double x = at->position.x - q->x, z = at->position.z - q->z;
    if (1.0 - same > 0.125 * TURNED * TURNED || fmax(fabs(x), fabs(z)) > CARRIED * f->g.s) return false;
    go_ahead(p);
    p->aside_x = x, p->aside_z = z;
    find_cover(p, f);
    press_look(p, f);
    press_fill(p, f);
    return true;
}

void press_level(struct press *p, const struct fluid *f)
{
    const struct plot plot = plot_of(p, f);
    double sum[3];
    if (!(p->normal[0][0] > 0.0)) return;
    kernels()->sum_base(&plot, &p->columns, sum);
    const vec3 q = solve3(p->normal, sum);
    p->surface = from_pieces(p, (struct plane){q.x, q.y, q.z});
}

void press_fit(struct press *p, const struct fluid *f, double strength)
{
    struct plane eta = to_pieces(p, p->surface);
    const double small = 1e-7 * f->g.s,
                 reach = f->g.s * imax(p->ni, p->nj); // far below what a float height shows
    const struct plot plot = plot_of(p, f);
    double constant[3]; // the part that does not depend on the plane
    kernels()->sum_base(&plot, &p->columns, constant);
    if (!(p->normal[0][0] > 0.0)) memset(p->columns.raw, 0, (size_t)(p->ni * p->nj) * sizeof(float));
    for (int n = 0; p->normal[0][0] > 0.0; ++n) {
        double residual[3], slope[3][3];
        const bool same = fill(p, f, &eta);
        if ((n > 0 && same) || n == NEWTON_STEPS) break; // b was linear all the way: this is the plane
        kernels()->sum_filled(&plot, &p->columns, residual, slope);
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
    finish_fill(p, f);
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
            const double part = clamp(p->columns.area[j * p->ni + i], 0.0, 1.0);
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
#define HEAD(c) ((double)base[c] + strength * (double)lifts[c])
    const float *base = p->columns.base, *lifts = p->columns.filled;
    const double x0 = column_x(p, f, 0) - p->aside_x, z0 = column_z(p, f, 0) - p->aside_z;
    for (int j = 1; j + 1 < p->nj; ++j)
        for (int i = 1; i + 1 < p->ni; ++i) {
            const int c = j * p->ni + i;
            const double b = lifts[c];
            if (b == 0.0) continue;
            const double fx = k * b * (HEAD(c + 1) - HEAD(c - 1)),
                         fz = k * b * (HEAD(c + p->ni) - HEAD(c - p->ni));
            filled += b;
            force->x += fx, force->z += fz;
            *yaw += (z0 + j * f->g.s) * fx - (x0 + i * f->g.s) * fz;
        }
#undef HEAD
    filled *= f->g.s * f->g.s;
    const double part = filled > volume ? fmax(0.0, volume / filled) : 1.0;
    *force = v3_scale(*force, part), *yaw *= part;
}

// Velocity of the water at a body is asked for on a lattice of its own, the same number of places on every grid.
// A place is shared out among the four cells around it, so that nothing depends on which one is nearest.
enum { POINTS = 8, MOST = 2 * POINTS };

// The cells beside the lines of the lattice along an axis, each once, from west to east (south to north).
struct beside {
    int count;
    int patch[MOST]; // number in the patch, or beyond it
    int cell[MOST];  // in the grid; -1: there is none
    double weight[MOST];
};

static void find_beside(double middle, double radius, int first, int (*inside)(const struct fluid *f, int i),
                        const struct fluid *f, struct beside *out)
{
    int n = 0;
    for (int k = 0; k < POINTS; ++k) {
        const double at = middle + radius * (4.0 * (k + 0.5) / POINTS - 2.0), low = floor(at - 0.5);
        for (int m = 0; m < 2; ++m) {
            const int cell = (int)low + m;
            int to = n; // the last one or the last but one is the same, or none is
            while (to > 0 && out->patch[to - 1] >= cell - first) --to;
            if (to == n) {
                out->patch[n] = cell - first, out->cell[n] = inside(f, cell), out->weight[n] = 0.0;
                ++n;
            }
            out->weight[to] += m ? at - 0.5 - low : low + 1.5 - at;
        }
    }
    out->count = n;
}

// Sums over the lattice: what is under cover counts as current, what is in the open as rise.
struct current {
    double u, v, below; // weight of what is under cover
    double rise, open;
};

// Cells x[from] .. x[to-1] of a row, next to each other in the grid.
static void add_current(const struct press *p, const struct fluid *f, const struct beside *x, int from,
                        int to, const struct beside *z, int at, struct current *sum)
{
    const int row = z->cell[at], i0 = x->cell[from], i1 = i0 + to - from;
    const bool near =
        0 <= z->patch[at] && z->patch[at] < p->nj && x->patch[from] < p->ni && x->patch[to - 1] >= 0;
    float u[MOST] = {0}, v[MOST] = {0};
    double rising[MOST];
    f->kind->rising(f, row, i0, i1, rising);
    if (near) f->kind->speed(f, row, i0, i1, u, v);
    for (int k = from; k < to; ++k) {
        const double weight = x->weight[k] * z->weight[at];
        const bool in = near && 0 <= x->patch[k] && x->patch[k] < p->ni;
        const double cover = in ? p->columns.cover[z->patch[at] * p->ni + x->patch[k]] : 0.0;
        if (cover > 0.0) {
            sum->u += weight * cover * u[k - from], sum->v += weight * cover * v[k - from];
            sum->below += weight * cover;
        } else {
            sum->rise += weight * rising[k - from];
            sum->open += weight;
        }
    }
}

vec3 press_current(const struct press *p, const struct fluid *f, double radius)
{
    const double per = 1.0 / f->g.s;
    struct beside x, z;
    struct current sum = {0};
    find_beside((p->x + p->aside_x - f->g.x0) * per, radius * per, p->i0, fluid_column, f, &x);
    find_beside((p->z + p->aside_z - f->g.z0) * per, radius * per, p->j0, fluid_row, f, &z);
    for (int b = 0; b < z.count; ++b)
        for (int from = 0, to; z.cell[b] >= 0 && from < x.count; from = to) {
            to = from + 1;
            if (x.cell[from] < 0) continue;
            while (to < x.count && x.cell[to] == x.cell[to - 1] + 1) ++to;
            add_current(p, f, &x, from, to, &z, b, &sum);
        }
    return v3(sum.below > 0.0 ? sum.u / sum.below : 0.0, sum.open > 0.0 ? sum.rise / sum.open : 0.0,
              sum.below > 0.0 ? sum.v / sum.below : 0.0);
}
