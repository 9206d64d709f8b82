// A ray and a height field that is bilinear between cell centres. The ray is followed from cell to cell of
// the lattice of cell centres [amanatides1987]; within one of them its height above the field is a quadratic
// function of its parameter.
#include "fluid/height_cast.h"

double fluid_height_at_centre(const struct fluid *f, bool is_surface, int i, int j)
{
    const struct grid *g = &f->grid;
    i = f->periodic_x ? fluid_wrap_column(f, i) : imax(0, imin(i, g->nx - 1));
    j = f->periodic_z ? fluid_wrap_row(f, j) : imax(0, imin(j, g->nz - 1));
    if (!is_surface) return f->bed ? (double)f->bed[grid_at(g, i, j)] : f->bed_min - f->rest_level;
    float eta;
    f->model->height_field->read_surface(f, j, i, i + 1, &eta);
    return (double)eta;
}

struct height_cast {
    const struct fluid *fluid;
    bool is_surface; // of the water; otherwise the bed
    vec3 origin, translation;
    double p, q;   // place of the origin in the lattice: whole numbers at cell centres
    double dp, dq; // change of that along the translation
    double enter, leave;
    vec3 side; // outward normal of the side of the domain at which the ray enters; zero: it starts inside
};

static double height_at(const struct height_cast *c, int i, int j)
{
    return fluid_height_at_centre(c->fluid, c->is_surface, i, j);
}

// ---- the part of the ray that is over the domain --------------------------------------------------

static bool clip_to_interval(struct height_cast *c, double at, double d, double lo, double hi, vec3 axis)
{
    if (d == 0.0) return lo <= at && at <= hi;
    const double enter = ((d > 0.0 ? lo : hi) - at) / d, leave = ((d > 0.0 ? hi : lo) - at) / d;
    if (enter > c->enter) c->enter = enter, c->side = v3_scale(axis, d > 0.0 ? -1.0 : 1.0);
    c->leave = fmin(c->leave, leave);
    return c->enter <= c->leave;
}

// A periodic domain is extended by a period on both sides; a floor without end is not clipped.
static bool clip_to_domain(struct height_cast *c)
{
    const struct fluid *f = c->fluid;
    const struct grid *g = &f->grid;
    const double width = g->nx * g->dx, length = g->nz * g->dx, more_x = f->periodic_x ? width : 0.0,
                 more_z = f->periodic_z ? length : 0.0;
    if (f->unbounded_floor) return true;
    return clip_to_interval(c, c->origin.x, c->translation.x, g->x0 - more_x, g->x0 + width + more_x,
                            v3(1, 0, 0)) &&
           clip_to_interval(c, c->origin.z, c->translation.z, g->z0 - more_z, g->z0 + length + more_z,
                            v3(0, 0, 1));
}

// ---- one cell of the lattice ----------------------------------------------------------------------------

// The field at lattice place (i + a, j + b), h = h00 + ha a + hb b + hab a b.
struct bilinear_patch {
    int i, j;
    double h00, ha, hb, hab;
};

static struct bilinear_patch patch_at(const struct height_cast *c, int i, int j)
{
    const double h00 = height_at(c, i, j), h10 = height_at(c, i + 1, j), h01 = height_at(c, i, j + 1),
                 h11 = height_at(c, i + 1, j + 1);
    return (struct bilinear_patch){i, j, h00, h10 - h00, h01 - h00, h11 - h10 - h01 + h00};
}

// Height of the ray above the field at t + s: c[0] + c[1] s + c[2] s^2.
static void height_above_patch(const struct height_cast *c, const struct bilinear_patch *h, double t,
                               double out[3])
{
    const double a = c->p + t * c->dp - h->i, b = c->q + t * c->dq - h->j,
                 y = c->origin.y + t * c->translation.y - c->fluid->rest_level;
    out[0] = y - (h->h00 + h->ha * a + h->hb * b + h->hab * a * b);
    out[1] = c->translation.y - (h->ha * c->dp + h->hb * c->dq + h->hab * (a * c->dq + b * c->dp));
    out[2] = -h->hab * c->dp * c->dq;
}

// The real roots of c0 + c1 s + c2 s^2 in ascending order; returns their number.
static int quadratic_roots(const double c[3], double roots[2])
{
    const double discriminant = c[1] * c[1] - 4.0 * c[0] * c[2];
    if (c[2] == 0.0) {
        if (c[1] == 0.0) return 0;
        roots[0] = -c[0] / c[1];
        return 1;
    }
    if (discriminant < 0.0) return 0;
    const double q = -0.5 * (c[1] + (c[1] < 0.0 ? -sqrt(discriminant) : sqrt(discriminant)));
    const double r = q / c[2], s = q != 0.0 ? c[0] / q : r;
    roots[0] = fmin(r, s), roots[1] = fmax(r, s);
    return 2;
}

static bool is_wet_at(const struct height_cast *c, vec3 point)
{
    double slope[2];
    const double bed = fluid_bed_at(c->fluid, point.x, point.z, slope);
    return point.y - c->fluid->rest_level - bed > c->fluid->dry_depth;
}

static bool write_hit(const struct height_cast *c, const struct bilinear_patch *h, double t,
                      struct height_hit *out)
{
    const double a = c->p + t * c->dp - h->i, b = c->q + t * c->dq - h->j, dx = c->fluid->grid.dx;
    const vec3 up = v3(-(h->ha + h->hab * b) / dx, 1.0, -(h->hb + h->hab * a) / dx);
    out->fraction = t;
    out->point = v3_madd(c->origin, t, c->translation);
    out->normal = v3_scale(up, 1.0 / v3_length(up));
    return !c->is_surface || is_wet_at(c, out->point);
}

// The first crossing between t and t_end. `above`: whether the ray was above the field before; kept up to
// date.
static bool cast_at_patch(const struct height_cast *c, const struct bilinear_patch *h, double t, double t_end,
                          bool *above, struct height_hit *out)
{
    double height[3], roots[2];
    height_above_patch(c, h, t, height);
    if ((height[0] > 0.0) != *above) { // rounding at the border of the last cell
        *above = !*above;
        if (write_hit(c, h, t, out)) return true;
    }
    const int count = quadratic_roots(height, roots);
    for (int k = 0; k < count; ++k) {
        if (!(roots[k] > 0.0 && t + roots[k] <= t_end)) continue;
        *above = !*above;
        if (write_hit(c, h, t + roots[k], out)) return true;
    }
    return false;
}

// ---- traversal ------------------------------------------------------------------------------------

// The parameter at which the ray leaves the lattice cell [i, i + 1] along one axis.
static double leave_cell(double p, double dp, int i)
{
    return dp > 0.0 ? (i + 1 - p) / dp : dp < 0.0 ? (i - p) / dp : INFINITY;
}

static bool cast_at_field(struct height_cast *c, struct height_hit *out)
{
    double t = c->enter, height[3];
    int i = (int)floor(c->p + t * c->dp), j = (int)floor(c->q + t * c->dq);
    struct bilinear_patch patch = patch_at(c, i, j);
    height_above_patch(c, &patch, t, height);
    bool above = height[0] > 0.0;
    if (!c->is_surface && !above) {
        *out = (struct height_hit){t, v3_madd(c->origin, t, c->translation), c->side};
        return true;
    }
    for (;;) {
        const double t_x = leave_cell(c->p, c->dp, i), t_z = leave_cell(c->q, c->dq, j),
                     t_end = fmin(fmin(t_x, t_z), c->leave);
        if (cast_at_patch(c, &patch, t, t_end, &above, out)) return true;
        if (!(t_end < c->leave)) return false;
        if (t_x <= t_z) i += c->dp > 0.0 ? 1 : -1;
        if (t_z <= t_x) j += c->dq > 0.0 ? 1 : -1;
        t = fmax(t, t_end);
        patch = patch_at(c, i, j);
    }
}

static bool cast_at_plane(const struct height_cast *c, double y, struct height_hit *out)
{
    const double height = c->origin.y + c->enter * c->translation.y - y;
    if (height <= 0.0) {
        *out = (struct height_hit){c->enter, v3_madd(c->origin, c->enter, c->translation), c->side};
        return true;
    }
    const double t = (y - c->origin.y) / c->translation.y;
    if (!(c->translation.y < 0.0 && t <= c->leave)) return false;
    *out = (struct height_hit){t, v3_madd(c->origin, t, c->translation), v3(0, 1, 0)};
    return true;
}

static bool init_cast(struct height_cast *c, const struct fluid *f, vec3 origin, vec3 translation)
{
    const struct grid *g = &f->grid;
    *c = (struct height_cast){.fluid = f,
                              .origin = origin,
                              .translation = translation,
                              .p = (origin.x - g->x0) / g->dx - 0.5,
                              .q = (origin.z - g->z0) / g->dx - 0.5,
                              .dp = translation.x / g->dx,
                              .dq = translation.z / g->dx,
                              .leave = 1.0};
    return clip_to_domain(c);
}

bool fluid_cast_at_bed(const struct fluid *f, vec3 origin, vec3 translation, struct height_hit *out)
{
    struct height_cast c;
    if (!init_cast(&c, f, origin, translation)) return false;
    return f->bed ? cast_at_field(&c, out) : cast_at_plane(&c, f->bed_min, out);
}

bool fluid_cast_at_surface(const struct fluid *f, vec3 origin, vec3 translation, struct height_hit *out)
{
    struct height_cast c;
    if (f->model->no_fluid || !init_cast(&c, f, origin, translation)) return false;
    c.is_surface = true;
    return cast_at_field(&c, out);
}
