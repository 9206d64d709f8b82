// Floodwater of open hulls. Pressure acts on the hull with its opening capped (see shape.h), and the
// compartment is dry until the surface rises above the rim. Water that flows over the rim leaves the columns
// and enters the compartment. Its surface there is horizontal for any attitude of the hull, and its weight
// acts at its centroid. If the hull tilts or rises far enough, the water flows out again.
#include "coupling.h"

#include "base/math/math.h"

#define WEIR_COEFFICIENT 0.6 // mu of the formulas of Poleni (free weir) and Du Buat (submerged weir)
#define EDGE_SAMPLES     4   // points per edge of the rim

// [m] Height of the floodwater's surface above the rest level, between the lowest and the highest vertex:
// regula falsi, in which the value at an end that stays is halved (Illinois method).
static double find_water_level(const struct trimesh *compartment, const struct body_state *state,
                               double level, double volume, double full_volume)
{
    const mat3 rotation = quat_to_matrix(state->rotation);
    double low = INFINITY, high = -INFINITY, f_low = -volume, f_high = full_volume - volume;
    for (int k = 0; k < compartment->vertex_count; ++k) {
        const double y = state->position.y - level + mat3_mul(&rotation, compartment->vertices[k]).y;
        low = fmin(low, y), high = fmax(high, y);
    }
    if (f_high <= 1e-9 * full_volume) return high;
    for (int n = 0, last = 0; n < 60; ++n) {
        const double y = low + (high - low) * (f_low / (f_low - f_high));
        const double f = submerged_below(compartment, state, &(struct plane){y, 0, 0}, level).volume - volume;
        if (fabs(f) < 1e-9 * full_volume) return y;
        if (f > 0.0) {
            high = y, f_high = f;
            if (last > 0) f_low *= 0.5;
            last = 1;
        } else {
            low = y, f_low = f;
            if (last < 0) f_high *= 0.5;
            last = -1;
        }
    }
    return 0.5 * (low + high);
}

// [m^2/s] Inflow per length of rim, for water that stands `outside` above it on one side and `inside` on the
// other [m].
static double weir_flow(double outside, double inside, double gravity)
{
    const double upper = fmax(fmax(outside, inside), 0.0), lower = fmax(fmin(outside, inside), 0.0),
                 head = upper - lower;
    const double q = WEIR_COEFFICIENT * sqrt(2.0 * gravity * head) * (2.0 / 3.0 * head + lower);
    return outside > inside ? q : -q;
}

// A point of the rim: position [m] and inflow over its length [m^3/s].
struct opening_sample {
    double x, z, flow;
};

// The point at `fraction` of the edge from a to b; `level` is that of the floodwater above the rest level.
static struct opening_sample sample_opening(const struct body_coupling *p, const struct fluid *f,
                                            const struct body_state *state, vec3 a, vec3 b, double fraction,
                                            double level)
{
    const vec3 r = v3_madd(a, fraction, v3_sub(b, a));
    const double y = state->position.y - f->rest_level + r.y;
    const bool in_domain = fluid_contains(f, state->position.x + r.x, state->position.z + r.z),
               has_water = p->ni && !p->has_no_water;
    const double outside =
        has_water ? p->surface_plane.a + p->surface_plane.b * r.x + p->surface_plane.c * r.z - y : -1.0;
    const double length = v3_length(v3_sub(b, a)) / EDGE_SAMPLES;
    return (struct opening_sample){state->position.x + r.x, state->position.z + r.z,
                                   in_domain ? length * weir_flow(outside, level - y, f->gravity) : 0.0};
}

// Remove a volume from the columns around a point, or add it (negative), with the smoothing of the displaced
// depth: a single column would make waves that are too short for the grid. Returns the depth [m] that the
// columns lost.
static double remove_from_columns(struct fluid *f, double x, double z, double volume)
{
    static const double weight[3] = {0.25, 0.5, 0.25};
    const int i0 = (int)floor((x - f->grid.x0) / f->grid.dx), j0 = (int)floor((z - f->grid.z0) / f->grid.dx);
    double lost = 0.0;
    for (int k = 0; k < 9; ++k) {
        const int i = patch_grid_column(f, i0 + k % 3 - 1), j = patch_grid_row(f, j0 + k / 3 - 1);
        const float depth = (float)(-volume * weight[k % 3] * weight[k / 3] / (f->grid.dx * f->grid.dx));
        if (i >= 0 && j >= 0 && depth != 0.0f)
            lost -= f->model->height_field->add_water(f, j, i, i + 1, &depth, NULL);
    }
    return lost;
}

// Move the water that passes the rim in dt. First the sums, which limit the net inflow to the free volume and
// the net outflow to the floodwater; then the inflow, of which dry columns may give less; then the outflow.
// Returns the depth [m] that the columns lost.
static double exchange_over_opening(struct body_coupling *p, struct fluid *f, const struct shape_data *shape,
                                    const struct body_state *state, double level, double volume, double dt)
{
    const mat3 rotation = quat_to_matrix(state->rotation);
    const double area = f->grid.dx * f->grid.dx;
    double in = 0.0, out = 0.0, fraction = 0.0, lost = 0.0;
    for (int pass = 0; pass < 3; ++pass) {
        for (int k = 0; k < shape->opening_count; ++k) {
            const vec3 a = mat3_mul(&rotation, shape->opening[k]),
                       b = mat3_mul(&rotation, shape->opening[(k + 1) % shape->opening_count]);
            for (int s = 0; s < EDGE_SAMPLES; ++s) {
                const struct opening_sample e =
                    sample_opening(p, f, state, a, b, (s + 0.5) / EDGE_SAMPLES, level);
                if (pass == 0 && e.flow > 0.0) in += dt * e.flow;
                if (pass == 0 && e.flow < 0.0) out -= dt * e.flow;
                if (!((pass == 1 && e.flow > 0.0) || (pass == 2 && e.flow < 0.0))) continue;
                lost += remove_from_columns(f, e.x, e.z, fraction * dt * e.flow);
            }
        }
        if (in == 0.0 && out == 0.0) return 0.0;
        const double limit = in > out ? shape->compartment_volume - volume : volume;
        if (pass == 0) fraction = fmin(1.0, limit / fmax(fabs(in - out), 1e-300));
        if (pass == 1) fraction = fmin(fraction, (volume + area * lost) / fmax(out, 1e-300));
    }
    return lost;
}

struct floodwater floodwater_of(const struct body_coupling *p, const struct fluid *f,
                                const struct shape_data *shape, const struct body_state *state)
{
    const double volume = f->grid.dx * f->grid.dx * p->floodwater_depth, weight = f->density * f->gravity;
    if (!(volume > 0.0)) return (struct floodwater){.level = -INFINITY};
    const double level =
        find_water_level(&shape->compartment, state, f->rest_level, volume, shape->compartment_volume);
    const struct submerged_part part =
        submerged_below(&shape->compartment, state, &(struct plane){level, 0, 0}, f->rest_level);
    return (struct floodwater){
        .level = level,
        .mass = f->density * volume,
        .force = {0.0, -weight * part.volume, 0.0},
        .torque = {weight * part.moment.z, 0.0,
                   -weight * part.moment.x}, // r x F at the centroid of the water
        .energy = weight * (level * part.volume - part.depth_integral),
    };
}

struct floodwater floodwater_update(struct body_coupling *p, struct fluid *f, const struct shape_data *shape,
                                    const struct body_state *state, double dt)
{
    if (!shape_is_open(shape)) return (struct floodwater){0};
    const double area = f->grid.dx * f->grid.dx;
    struct floodwater water = floodwater_of(p, f, shape, state);
    const double gained =
        exchange_over_opening(p, f, shape, state, water.level, area * p->floodwater_depth, dt);
    if (gained != 0.0) {
        const double depth = p->floodwater_depth + gained;
        p->floodwater_depth = fmax(0.0, depth);
        f->displaced_depth += depth - p->floodwater_depth; // columns take whole quanta: book the excess
        water = floodwater_of(p, f, shape, state);
        water.inflow_rate = f->density * area * fmax(0.0, gained) / dt;
    }
    return water;
}
