// A profile turned about the y axis: a bottle, a buoy, a bowling pin. It touches as the fewest convex pieces between
// circles that it can be cut into across the axis.
#include "base/error.h"
#include "turned.h"

struct lathe_def {
    struct {
        int count;
        double rows[TURNED_PROFILE][2]; // [m] radius, height
    } profile;
};
_Static_assert(sizeof(struct lathe_def) <= TARN_SPEC_BYTES, "a spec has room for it");

#define REACH 100.0 // [m] largest radius and height
#define LEAST 1e-3  // [m] what is smaller is no body
#define RISE  1e-6  // [m] from one height to the next, at least

static const tarn_param params[] = {
    PARAM_TABLE(struct lathe_def, profile, "profile", 2, TURNED_PROFILE, -REACH, REACH, "m",
                "radius and height of each point, from the lowest up"),
};

static tarn_result check(const struct lathe_def *d, tarn_error *err)
{
    const int count = d->profile.count;
    double widest = 0.0;
    if (count < 2 || count > TURNED_PROFILE)
        return fail(err, TARN_BAD_INPUT, "profile", "%d points; a profile has 2 .. %d of [radius, height]",
                    count, TURNED_PROFILE);
    for (int i = 0; i < count; ++i) {
        const double *row = d->profile.rows[i], *below = d->profile.rows[i > 0 ? i - 1 : 0];
        if (!(0.0 <= row[0] && row[0] <= REACH))
            return fail(err, TARN_BAD_INPUT, "profile", "point %d: radius %g m is outside 0 .. %g", i, row[0],
                        REACH);
        if (!(fabs(row[1]) <= REACH))
            return fail(err, TARN_BAD_INPUT, "profile", "point %d: height %g m is outside %g .. %g", i,
                        row[1], -REACH, REACH);
        if (i > 0 && !(row[1] - below[1] >= RISE))
            return fail(err, TARN_BAD_INPUT, "profile",
                        "point %d: height %g m is not above %g; heights have to grow", i, row[1], below[1]);
        widest = fmax(widest, row[0]);
    }
    if (!(widest >= LEAST))
        return fail(err, TARN_BAD_INPUT, "profile", "the largest radius, %g m, is below %g", widest, LEAST);
    for (int i = 1; i < count; ++i)
        if (d->profile.rows[i][0] == 0.0 && d->profile.rows[i - 1][0] == 0.0)
            return fail(err, TARN_BAD_INPUT, "profile",
                        "points %d and %d have radius 0: nothing is between them", i - 1, i);
    return TARN_OK;
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct form *out,
                        tarn_error *err)
{
    const struct lathe_def *d = in->def;
    struct circle profile[TURNED_PROFILE];
    const tarn_result r = check(d, err);
    if (r != TARN_OK) return r;
    for (int i = 0; i < d->profile.count; ++i)
        profile[i] = (struct circle){d->profile.rows[i][0], d->profile.rows[i][1]};
    return turned_form(profile, d->profile.count, in->density, m, out, err);
}

const struct shape_kind shape_lathe = {
    .kind = {.room = "shape", .name = "lathe", .help = "a profile turned about y", PARAMS(params)},
    .make = make,
};
