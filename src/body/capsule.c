// A capsule about its y axis: a cylinder with half a ball at either end.
#include "base/error.h"
#include "turned.h"

struct capsule_def {
    double radius, length;
};

static const tarn_param params[] = {
    PARAM_NUMBER(struct capsule_def, radius, "radius", 0.15, 1e-3, 100, "m", "of the capsule"),
    PARAM_NUMBER(struct capsule_def, length, "length", 0.5, 1e-3, 100, "m", "of the straight part, along y"),
};

#define ARC      6 // belts of half a ball
#define STRAIGHT 6 // most belts of half the straight part

static bool build(const struct capsule_def *d, double volume, const struct memory *m, struct hull *out)
{
    struct circle rings[2 * (ARC + STRAIGHT) + 1];
    const int half = imin(STRAIGHT, (int)ceil(d->length / d->radius)), count = 2 * (ARC + half) + 1;
    for (int i = 0; i < ARC + half; ++i) {
        struct circle c = {d->radius, 0.5 * d->length * (ARC + half - i) / half};
        if (i < ARC) {
            c.radius = d->radius * turned_sin(i, 4 * ARC);
            c.height = 0.5 * d->length + d->radius * turned_cos(i, 4 * ARC);
        }
        rings[count - 1 - i] = c;
        rings[i] = (struct circle){c.radius, -c.height};
    }
    rings[ARC + half] = (struct circle){d->radius, 0};
    return turned_hull(out, m, rings, count, TURNED_SECTORS, false, volume);
}

static tarn_result make(const struct shape_input *in, const struct memory *m, struct form *out,
                        tarn_error *err)
{
    const struct capsule_def *d = in->def;
    const double r = d->radius, l = d->length, straight = PI * r * r * l, ball = 4.0 / 3.0 * PI * r * r * r;
    const double across =
        straight * (l * l / 12.0 + r * r / 4.0) + ball * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
    const struct circle ends[] = {{0, -0.5 * l}, {0, 0.5 * l}};
    *out = (struct form){.volume = straight + ball, .mass = in->density * (straight + ball)};
    out->inertia = turned_inertia(in->density * across, in->density * r * r * (0.5 * straight + 0.4 * ball));
    if (!build(d, out->volume, m, &out->hull) || !form_pieces(out, m, 1) ||
        !turned_piece(&out->pieces[0], m, ends, 2, 0.0)) {
        form_free(out, m);
        return fail(err, TARN_NO_MEMORY, "", "no memory for a capsule");
    }
    out->pieces[0].round = r;
    out->pieces[0].radius += r;
    return TARN_OK;
}

const struct shape_kind shape_capsule = {
    .kind = {.room = "shape",
             .name = "capsule",
             .help = "a cylinder about y with round ends",
             PARAMS(params)},
    .drag = 0.5,
    .facing = 0.9,
    .make = make,
};
