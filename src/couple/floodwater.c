// Open hulls. The outside presses on a hull with a lid (see shape.h): the hold is dry until the surface passes its rim.
// What comes over the rim is water that the columns lose and the hold has. It lies level in it, whatever the hull does,
// so that it runs to the lower side: its weight acts where it is. Tilted or lifted far enough it runs out again.
#include "coupling.h"

#include "base/math.h"

#define WEIR_COEFFICIENT 0.6 // mu of Poleni's and Du Buat's formulas for a weir, free and drowned
#define EDGE_SAMPLES     4   // points of each edge of the rim

// Height above level of the surface of the water inside: between the lowest corner and the highest, by regula falsi with
// the step halved at the end that stays (Illinois).
static double find_water_level(const struct trimesh *hold, const struct body_state *at, double level,
                               double volume, double full)
{
    const mat3 turn = quat_to_matrix(at->rotation);
    double lo = INFINITY, hi = -INFINITY, f_lo = -volume, f_hi = full - volume;
    for (int k = 0; k < hold->vertex_count; ++k) {
        const double y = at->position.y - level + mat3_mul(&turn, hold->vertices[k]).y;
        lo = fmin(lo, y), hi = fmax(hi, y);
    }
    if (f_hi <= 1e-9 * full) return hi;
    for (int n = 0, last = 0; n < 60; ++n) {
        const double y = lo + (hi - lo) * (f_lo / (f_lo - f_hi));
        const double f = submerged_below(hold, at, &(struct plane){y, 0, 0}, level).volume - volume;
        if (fabs(f) < 1e-9 * full) return y;
        if (f > 0.0) {
            hi = y, f_hi = f;
            if (last > 0) f_lo *= 0.5;
            last = 1;
        } else {
            lo = y, f_lo = f;
            if (last < 0) f_hi *= 0.5;
            last = -1;
        }
    }
    return 0.5 * (lo + hi);
}

// [m^2/s] Per length of rim, inwards, of water that stands `out` above it on one side and `in` on the other.
static double weir_flow(double out, double in, double gravity)
{
    const double high = fmax(fmax(out, in), 0.0), low = fmax(fmin(out, in), 0.0), head = high - low;
    const double q = WEIR_COEFFICIENT * sqrt(2.0 * gravity * head) * (2.0 / 3.0 * head + low);
    return out > in ? q : -q;
}

// A place on the rim: where it is, and how much comes over its length.
struct opening_sample {
    double x, z, flow;
};

static struct opening_sample sample_opening(const struct body_coupling *p, const struct fluid *f,
                                            const struct body_state *at, vec3 a, vec3 b, double part,
                                            double inside)
{
    const vec3 r = v3_madd(a, part, v3_sub(b, a));
    const double y = at->position.y - f->rest_level + r.y;
    const bool tank = fluid_contains(f, at->position.x + r.x, at->position.z + r.z),
               water = p->ni && !p->has_no_water;
    const double out =
        water ? p->surface_plane.a + p->surface_plane.b * r.x + p->surface_plane.c * r.z - y : -1.0;
    const double length = v3_length(v3_sub(b, a)) / EDGE_SAMPLES;
    return (struct opening_sample){at->position.x + r.x, at->position.z + r.z,
                                   tank ? length * weir_flow(out, inside - y, f->gravity) : 0.0};
}

// Take a volume out of the columns around a place, or give it, spread as what bodies fill is: one column alone would make
// waves that are too short for the grid. Gives back what the columns lost, as a depth [m].
static double remove_from_columns(struct fluid *f, double x, double z, double volume)
{
    static const double part[3] = {0.25, 0.5, 0.25};
    const int i0 = (int)floor((x - f->grid.x0) / f->grid.dx), j0 = (int)floor((z - f->grid.z0) / f->grid.dx);
    double lost = 0.0;
    for (int k = 0; k < 9; ++k) {
        const int i = patch_grid_column(f, i0 + k % 3 - 1), j = patch_grid_row(f, j0 + k / 3 - 1);
        const float depth = (float)(-volume * part[k % 3] * part[k / 3] / (f->grid.dx * f->grid.dx));
        if (i >= 0 && j >= 0 && depth != 0.0f)
            lost -= f->model->height_field->add_water(f, j, i, i + 1, &depth, NULL);
    }
    return lost;
}

// What passes the rim in dt. The sums first: there cannot come more than there is room for, nor go more than there is.
// Then what comes, of which the columns may give less than is asked for, and last what goes.
static double exchange_over_opening(struct body_coupling *p, struct fluid *f, const struct shape_data *form,
                                    const struct body_state *at, double inside, double held, double dt)
{
    const mat3 turn = quat_to_matrix(at->rotation);
    const double area = f->grid.dx * f->grid.dx;
    double in = 0.0, out = 0.0, part = 0.0, lost = 0.0;
    for (int pass = 0; pass < 3; ++pass) {
        for (int k = 0; k < form->opening_count; ++k) {
            const vec3 a = mat3_mul(&turn, form->opening[k]),
                       b = mat3_mul(&turn, form->opening[(k + 1) % form->opening_count]);
            for (int s = 0; s < EDGE_SAMPLES; ++s) {
                const struct opening_sample e =
                    sample_opening(p, f, at, a, b, (s + 0.5) / EDGE_SAMPLES, inside);
                if (pass == 0 && e.flow > 0.0) in += dt * e.flow;
                if (pass == 0 && e.flow < 0.0) out -= dt * e.flow;
                if (!((pass == 1 && e.flow > 0.0) || (pass == 2 && e.flow < 0.0))) continue;
                lost += remove_from_columns(f, e.x, e.z, part * dt * e.flow);
            }
        }
        if (in == 0.0 && out == 0.0) return 0.0;
        const double room = in > out ? form->compartment_volume - held : held;
        if (pass == 0) part = fmin(1.0, room / fmax(fabs(in - out), 1e-300));
        if (pass == 1) part = fmin(part, (held + area * lost) / fmax(out, 1e-300));
    }
    return lost;
}

struct floodwater floodwater_of(const struct body_coupling *p, const struct fluid *f,
                                const struct shape_data *form, const struct body_state *at)
{
    const double volume = f->grid.dx * f->grid.dx * p->floodwater_depth, weight = f->density * f->gravity;
    if (!(volume > 0.0)) return (struct floodwater){.level = -INFINITY};
    const double level =
        find_water_level(&form->compartment, at, f->rest_level, volume, form->compartment_volume);
    const struct submerged_part b =
        submerged_below(&form->compartment, at, &(struct plane){level, 0, 0}, f->rest_level);
    return (struct floodwater){
        .level = level,
        .mass = f->density * volume,
        .force = {0.0, -weight * b.volume, 0.0}, // at the middle of the water: r x F
        .torque = {weight * b.moment.z, 0.0, -weight * b.moment.x},
        .energy = weight * (level * b.volume - b.depth_integral),
    };
}

struct floodwater floodwater_update(struct body_coupling *p, struct fluid *f, const struct shape_data *form,
                                    const struct body_state *at, double dt)
{
    if (!shape_is_open(form)) return (struct floodwater){0};
    const double area = f->grid.dx * f->grid.dx;
    struct floodwater c = floodwater_of(p, f, form, at);
    const double came = exchange_over_opening(p, f, form, at, c.level, area * p->floodwater_depth, dt);
    if (came != 0.0) {
        const double left = p->floodwater_depth + came;
        p->floodwater_depth = fmax(0.0, left);
        f->displaced_depth += left - p->floodwater_depth; // columns take whole quanta: these few too much
        c = floodwater_of(p, f, form, at);
        c.inflow_rate = f->density * area * fmax(0.0, came) / dt;
    }
    return c;
}
