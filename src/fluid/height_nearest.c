// The point of a height field, bilinear between cell centres, that is nearest to a point. The cells of the
// lattice of cell centres are searched in rings around the point until the next ring is farther than the best
// point so far. Within a cell the squared distance is minimised along one axis after the other: along each of
// them the field is a straight line.
#include "fluid/height_cast.h"

#define MAX_SWEEPS 60    // of the minimisation in a cell; the error falls by half or more with slopes up to 1
#define CONVERGED  1e-13 // [cells]

struct nearest_search {
    const struct fluid *fluid;
    bool is_surface;
    vec3 point;
    double p, q; // place of the point in the lattice: whole numbers at cell centres
    double best; // [m]
    bool found;
    vec3 nearest, normal;
};

// The field over one cell of the lattice; the part lo .. hi of it that is over the domain.
struct patch {
    double x, z, h00, ha, hb, hab, lo[2], hi[2];
};

static struct patch patch_of(const struct nearest_search *s, int i, int j)
{
    const struct fluid *f = s->fluid;
    const struct grid *g = &f->grid;
    double h[4];
    for (int k = 0; k < 4; ++k)
        h[k] = f->rest_level + fluid_height_at_centre(f, s->is_surface, i + k % 2, j + k / 2);
    struct patch out = {.x = g->x0 + (i + 0.5) * g->dx,
                        .z = g->z0 + (j + 0.5) * g->dx,
                        .h00 = h[0],
                        .ha = h[1] - h[0],
                        .hb = h[2] - h[0],
                        .hab = h[3] - h[2] - h[1] + h[0],
                        .hi = {1.0, 1.0}};
    if (!f->periodic_x && i < 0) out.lo[0] = 0.5;
    if (!f->periodic_x && i >= g->nx - 1) out.hi[0] = 0.5;
    if (!f->periodic_z && j < 0) out.lo[1] = 0.5;
    if (!f->periodic_z && j >= g->nz - 1) out.hi[1] = 0.5;
    return out;
}

static vec3 patch_point(const struct patch *h, double dx, double a, double b)
{
    return v3(h->x + a * dx, h->h00 + h->ha * a + h->hb * b + h->hab * a * b, h->z + b * dx);
}

// [m] Distance of the point from the box around a patch.
static double box_distance(const struct nearest_search *s, const struct patch *h)
{
    const double dx = s->fluid->grid.dx, h10 = h->h00 + h->ha, h01 = h->h00 + h->hb,
                 h11 = h10 + h->hb + h->hab;
    const double low = fmin(fmin(h->h00, h10), fmin(h01, h11)),
                 high = fmax(fmax(h->h00, h10), fmax(h01, h11));
    const vec3 at = v3(clamp(s->point.x, h->x, h->x + dx), clamp(s->point.y, low, high),
                       clamp(s->point.z, h->z, h->z + dx));
    return v3_length(v3_sub(s->point, at));
}

static bool is_wet(const struct nearest_search *s, vec3 at)
{
    double slope[2];
    const double bed = fluid_bed_at(s->fluid, at.x, at.z, slope);
    return at.y - s->fluid->rest_level - bed > s->fluid->dry_depth;
}

#define BISECTIONS 40

// The wet point of a patch that is next to a dry one on the way to its nearest wet corner. False if none is
// wet.
static bool find_shore(const struct nearest_search *s, const struct patch *h, double *a, double *b)
{
    double best = INFINITY, wet[2] = {0.0, 0.0};
    for (int k = 0; k < 4; ++k) {
        const double at[2] = {k % 2 ? h->hi[0] : h->lo[0], k / 2 ? h->hi[1] : h->lo[1]},
                     square = (at[0] - *a) * (at[0] - *a) + (at[1] - *b) * (at[1] - *b);
        if (square < best && is_wet(s, patch_point(h, s->fluid->grid.dx, at[0], at[1])))
            best = square, wet[0] = at[0], wet[1] = at[1];
    }
    if (!(best < INFINITY)) return false;
    double lo = 0.0, hi = 1.0; // fractions of the way from the wet corner: wet, dry
    for (int k = 0; k < BISECTIONS; ++k) {
        const double mid = 0.5 * (lo + hi);
        const vec3 at =
            patch_point(h, s->fluid->grid.dx, wet[0] + mid * (*a - wet[0]), wet[1] + mid * (*b - wet[1]));
        *(is_wet(s, at) ? &lo : &hi) = mid;
    }
    *a = wet[0] + lo * (*a - wet[0]), *b = wet[1] + lo * (*b - wet[1]);
    return true;
}

static void search_patch(struct nearest_search *s, const struct patch *h, double a, double b)
{
    const double dx = s->fluid->grid.dx;
    const vec3 p = v3_sub(s->point, v3(h->x, h->h00, h->z));
    a = clamp(a, h->lo[0], h->hi[0]), b = clamp(b, h->lo[1], h->hi[1]);
    for (int k = 0; k < MAX_SWEEPS; ++k) {
        const double slope_a = h->ha + h->hab * b,
                     next_a = clamp((dx * p.x + slope_a * (p.y - h->hb * b)) / (dx * dx + slope_a * slope_a),
                                    h->lo[0], h->hi[0]);
        const double slope_b = h->hb + h->hab * next_a,
                     next_b =
                         clamp((dx * p.z + slope_b * (p.y - h->ha * next_a)) / (dx * dx + slope_b * slope_b),
                               h->lo[1], h->hi[1]);
        const bool converged = fabs(next_a - a) <= CONVERGED && fabs(next_b - b) <= CONVERGED;
        a = next_a, b = next_b;
        if (converged) break;
    }
    if (s->is_surface && !is_wet(s, patch_point(h, dx, a, b)) && !find_shore(s, h, &a, &b)) return;
    const vec3 at = patch_point(h, dx, a, b);
    const double distance = v3_length(v3_sub(s->point, at));
    if (distance > s->best || (s->found && distance == s->best)) return;
    const vec3 up = v3(-(h->ha + h->hab * b) / dx, 1.0, -(h->hb + h->hab * a) / dx);
    s->best = distance, s->found = true, s->nearest = at, s->normal = v3_scale(up, 1.0 / v3_length(up));
}

static void search_cell(struct nearest_search *s, int i, int j)
{
    const struct patch h = patch_of(s, i, j);
    if (box_distance(s, &h) > s->best) return;
    const double a = s->p - i, b = s->q - j;
    search_patch(s, &h, a, b);
    search_patch(s, &h, a > 0.5 ? 0.0 : 1.0, b > 0.5 ? 0.0 : 1.0); // a saddle may have two minima
}

// The range of lattice cells that the field has: of a periodic one a whole period around the point.
static void cell_range(bool periodic, int n, int centre, int *first, int *last)
{
    *first = periodic ? centre - n / 2 - 1 : -1;
    *last = periodic ? centre + n / 2 + 1 : n - 1;
}

static void search_rings(struct nearest_search *s)
{
    const struct grid *g = &s->fluid->grid;
    int i0, i1, j0, j1;
    const int n = imax(g->nx, g->nz);
    const bool wrap_x = s->fluid->periodic_x, wrap_z = s->fluid->periodic_z;
    const int ic = (int)floor(wrap_x ? s->p : clamp(s->p, -1.0, g->nx - 1.0)),
              jc = (int)floor(wrap_z ? s->q : clamp(s->q, -1.0, g->nz - 1.0));
    cell_range(wrap_x, g->nx, ic, &i0, &i1);
    cell_range(wrap_z, g->nz, jc, &j0, &j1);
    for (int ring = 0; ring <= n + 1 && (ring - 1) * g->dx <= s->best; ++ring)
        for (int j = imax(jc - ring, j0); j <= imin(jc + ring, j1); ++j) {
            const bool whole_row = j == jc - ring || j == jc + ring;
            const int step = whole_row || ring == 0 ? 1 : 2 * ring;
            for (int i = ic - ring; i <= ic + ring; i += step)
                if (i0 <= i && i <= i1) search_cell(s, i, j);
        }
}

static bool find_nearest(const struct fluid *f, bool is_surface, vec3 point, double distance,
                         struct height_hit *out)
{
    const struct grid *g = &f->grid;
    const double width = g->nx * g->dx, length = g->nz * g->dx;
    const vec3 image = v3(f->periodic_x ? width * floor((point.x - g->x0) / width) : 0.0, 0.0,
                          f->periodic_z ? length * floor((point.z - g->z0) / length) : 0.0);
    struct nearest_search s = {
        .fluid = f, .is_surface = is_surface, .point = v3_sub(point, image), .best = distance};
    s.p = (s.point.x - g->x0) / g->dx - 0.5, s.q = (s.point.z - g->z0) / g->dx - 0.5;
    search_rings(&s);
    if (!s.found) return false;
    *out = (struct height_hit){s.best / distance, v3_add(s.nearest, image), s.normal};
    return true;
}

// Level ground ends at the domain, or nowhere.
static bool find_nearest_level(const struct fluid *f, vec3 point, double distance, struct height_hit *out)
{
    const struct grid *g = &f->grid;
    vec3 at = v3(point.x, f->bed_min, point.z);
    if (!f->unbounded_floor && !f->periodic_x) at.x = clamp(at.x, g->x0, g->x0 + g->nx * g->dx);
    if (!f->unbounded_floor && !f->periodic_z) at.z = clamp(at.z, g->z0, g->z0 + g->nz * g->dx);
    const double length = v3_length(v3_sub(point, at));
    if (length > distance) return false;
    *out = (struct height_hit){length / distance, at, v3(0, 1, 0)};
    return true;
}

bool fluid_nearest_bed(const struct fluid *f, vec3 point, double distance, struct height_hit *out)
{
    double slope[2];
    const bool over = f->unbounded_floor || ((f->periodic_x || fluid_contains(f, point.x, f->grid.z0)) &&
                                             (f->periodic_z || fluid_contains(f, f->grid.x0, point.z)));
    if (over && point.y <= (f->bed ? f->rest_level + fluid_bed_at(f, point.x, point.z, slope) : f->bed_min)) {
        *out = (struct height_hit){0.0, point, v3(0, 0, 0)};
        return true;
    }
    if (!(f->bed ? find_nearest(f, false, point, distance, out)
                 : find_nearest_level(f, point, distance, out)))
        return false;
    const vec3 away = v3_sub(point, out->point);
    const double length = v3_length(away);
    if (length > 0.0) out->normal = v3_scale(away, 1.0 / length);
    return true;
}

bool fluid_nearest_surface(const struct fluid *f, vec3 point, double distance, struct height_hit *out)
{
    return !f->model->no_fluid && find_nearest(f, true, point, distance, out);
}
