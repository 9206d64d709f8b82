// A torus about its y axis. It touches as a ring of capsules.
#include "base/error.h"
#include "turned.h"

struct torus_def {
    double radius, tube;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct torus_def, radius, "radius", 0.3, 1e-3, 100, "m",
                 "of the ring, to the middle of the tube"),
    PARAM_NUMBER(struct torus_def, tube, "tube", 0.1, 1e-3, 100, "m",
                 "radius of the tube; less than that of the ring"),
};

#define AROUND   20 // corners of the hull around the tube
#define CAPSULES 24

// The polygon around the tube has the area of the circle; what lies between the sectors is left to turned_hull.
static bool build(const struct torus_def *d, double volume, const struct memory *m, struct hull *out)
{
    struct circle rings[AROUND];
    const double tube = d->tube * sqrt(2.0 * PI / (AROUND * m_sin(2.0 * PI / AROUND)));
    for (int i = 0; i < AROUND; ++i)
        rings[i] = (struct circle){d->radius + tube * turned_cos(i, AROUND), tube * turned_sin(i, AROUND)};
    return turned_hull(out, m, rings, AROUND, TURNED_SECTORS, true, volume);
}

// The axes of the capsules are a polygon whose distance from the centre is the ring's radius in the mean over all
// directions: of a chord at distance d it is  d/cos(a), |a| < w,  in the mean  d/w ln((1 + sin w)/cos w).
static bool make_pieces(const struct torus_def *d, const struct memory *m, struct form *out)
{
    const double w = PI / CAPSULES, s = m_sin(w), c = m_cos(w);
    const double at = d->radius * w / m_log((1.0 + s) / c), half = at * s / c;
    const struct circle ends[] = {{0, -half}, {0, half}};
    if (!form_pieces(out, m, CAPSULES)) return false;
    for (int i = 0; i < CAPSULES; ++i) {
        struct piece *p = &out->pieces[i];
        const double x = turned_cos(i, CAPSULES), z = turned_sin(i, CAPSULES);
        if (!turned_piece(p, m, ends, 2, 0.0)) return false;
        p->at = v3(at * x, 0, at * z);
        p->axes = (mat3){{{x, -z, 0}, {0, 0, -1}, {z, x, 0}}}; // columns: outwards, along the ring, down
        p->round = d->tube;
        p->radius += d->tube;
    }
    return true;
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct form *out,
                        tarn_error *err)
{
    const struct torus_def *d = in->def;
    const double rr = d->radius * d->radius, tt = d->tube * d->tube;
    if (!(d->tube < d->radius))
        return fail(err, TARN_BAD_INPUT, "tube", "%g m is not less than the radius of the ring, %g", d->tube,
                    d->radius);
    const double volume = 2.0 * PI * PI * d->radius * tt, mass = in->density * volume;
    *out = (struct form){.volume = volume, .mass = mass};
    out->inertia = turned_inertia(mass * (0.5 * rr + 0.625 * tt), mass * (rr + 0.75 * tt));
    if (!build(d, volume, m, &out->hull) || !make_pieces(d, m, out)) {
        form_free(out, m);
        return fail(err, TARN_NO_MEMORY, "", "no memory for a torus");
    }
    return TARN_OK;
}

const struct shape_kind shape_torus = {
    .kind = {.room = "shape", .name = "torus", .help = "a ring about y", PARAMS(params)},
    .drag = 0.6,
    .facing = 0.9,
    .make = make,
};
