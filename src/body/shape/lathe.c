// Shape kind "lathe": a profile revolved about the y axis (bottle, buoy, bowl), solid or open at the top. For
// collisions it is cut across the axis into the smallest number of convex parts.
#include "base/error.h"
#include "body/shape/construct/revolution.h"

#define MAX_COORDINATE 100.0 // [m] largest radius and absolute height
#define MIN_SIZE       1e-3  // [m] smallest largest radius, and smallest depth of the inside
#define MIN_RISE       1e-6  // [m] smallest difference of successive heights

static const tarn_param params[] = {
    PARAM_POINTS(tarn_lathe, profile, profile_count, "profile", 2, MAX_PROFILE_POINTS, -MAX_COORDINATE,
                 MAX_COORDINATE, "m", "radius and height of each profile point, heights ascending"),
    PARAM_NUMBER(tarn_lathe, wall_thickness, "wall_thickness", 0, 0, MAX_COORDINATE, "m",
                 "thickness of the walls (horizontal) and of the floor, open at the top; 0: solid"),
};

static tarn_result check_profile(const tarn_lathe *d, tarn_error *err)
{
    const int count = d->profile_count;
    double widest = 0.0;
    if (count < 2 || count > MAX_PROFILE_POINTS)
        return fail(err, TARN_BAD_INPUT, "profile", "expected 2 .. %d points [radius, height], found %d",
                    MAX_PROFILE_POINTS, count);
    for (int i = 0; i < count; ++i) {
        const tarn_vec2 point = d->profile[i], previous = d->profile[i > 0 ? i - 1 : 0];
        if (!(0.0 <= point.x && point.x <= MAX_COORDINATE))
            return fail(err, TARN_BAD_INPUT, "profile", "point %d: radius %g m is outside 0 .. %g", i,
                        point.x, MAX_COORDINATE);
        if (!(fabs(point.y) <= MAX_COORDINATE))
            return fail(err, TARN_BAD_INPUT, "profile", "point %d: height %g m is outside %g .. %g", i,
                        point.y, -MAX_COORDINATE, MAX_COORDINATE);
        if (i > 0 && !(point.y - previous.y >= MIN_RISE))
            return fail(err, TARN_BAD_INPUT, "profile",
                        "point %d: height %g m is not above %g; heights must ascend", i, point.y, previous.y);
        widest = fmax(widest, point.x);
    }
    if (!(widest >= MIN_SIZE))
        return fail(err, TARN_BAD_INPUT, "profile", "the largest radius, %g m, is below %g", widest,
                    MIN_SIZE);
    for (int i = 1; i < count; ++i)
        if (d->profile[i].x == 0.0 && d->profile[i - 1].x == 0.0)
            return fail(err, TARN_BAD_INPUT, "profile", "points %d and %d both have radius 0", i - 1, i);
    return TARN_OK;
}

// Inner profile: the outer profile moved inwards by the wall, from the top down to the floor or to where the
// walls meet.
static tarn_result make_inner_profile(const struct profile_point *p, int count, double wall,
                                      struct profile_point *out, int *out_count, tarn_error *err)
{
    const struct profile_point top = p[count - 1];
    const double floor = p[0].height + wall;
    if (!(top.radius > wall))
        return fail(err, TARN_BAD_INPUT, "wall_thickness",
                    "%g m is not less than the radius of the top, %g m", wall, top.radius);
    const tarn_result r = check_wall_thickness(wall, 2.0 * top.radius, top.height - p[0].height, err);
    if (r != TARN_OK) return r;
    int i = count - 1;
    while (p[i - 1].radius > wall + MIN_RISE && p[i - 1].height > floor + MIN_RISE) --i;
    const struct profile_point a = p[i - 1], b = p[i];
    const double at_floor = fmax(0.0, (floor - a.height) / (b.height - a.height));
    const double at_walls = a.radius < wall ? (wall - a.radius) / (b.radius - a.radius) : 0.0,
                 t = fmax(at_floor, at_walls);
    out[0] = (struct profile_point){a.radius - wall + t * (b.radius - a.radius),
                                    a.height + t * (b.height - a.height)};
    if (out[0].radius < MIN_RISE) out[0].radius = 0.0;
    if (!(top.height - out[0].height >= MIN_SIZE))
        return fail(err, TARN_BAD_INPUT, "wall_thickness", "%g m: walls meet less than %g m below the top",
                    wall, MIN_SIZE);
    for (*out_count = 1; i < count; ++i)
        out[(*out_count)++] = (struct profile_point){p[i].radius - wall, p[i].height};
    return TARN_OK;
}

static tarn_result make(const void *def, const struct memory *m, struct shape_data *out, tarn_error *err)
{
    const tarn_lathe *d = def;
    struct profile_point profile[MAX_PROFILE_POINTS], inner[MAX_PROFILE_POINTS];
    int inner_count = 0;
    tarn_result r = check_profile(d, err);
    if (r != TARN_OK) return r;
    for (int i = 0; i < d->profile_count; ++i)
        profile[i] = (struct profile_point){d->profile[i].x, d->profile[i].y};
    if (d->wall_thickness > 0.0)
        r = make_inner_profile(profile, d->profile_count, d->wall_thickness, inner, &inner_count, err);
    if (r != TARN_OK) return r;
    return revolution_open_shape(profile, d->profile_count, inner, inner_count, m, out, err);
}

const struct shape_kind shape_lathe = {
    .kind = {.category = "shape",
             .name = "lathe",
             .help = "profile revolved about y, solid or open at the top",
             PARAMS(params)},
    .def_size = sizeof(tarn_lathe),
    .drag_coefficient = 0.55,
    .drag_orientation = 0.9,
    .make = make,
};
