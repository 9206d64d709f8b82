// Dam break onto a dry bed: a parabola between the rarefaction and the front.
#include "../dam_break.h"

static const double LEFT = 1.0; // [m]

static double exact_depth(double xi)
{
    const double c = sqrt(GRAVITY * LEFT), fan = 2.0 * c - xi;

    if (xi <= -c) return LEFT;
    return xi < 2.0 * c ? fan * fan / (9.0 * GRAVITY) : 0.0;
}

static void run_case(struct case_run *run)
{
    // The front has depth 0; the depth is 1 % of the initial one at xi = 2 c - 3 c sqrt(0.01).
    const double c = sqrt(GRAVITY * LEFT), fraction = 0.01;
    const struct dam dam = {
        .left = LEFT,
        .right = 0.0,
        .time = 0.7,
        .depth = exact_depth,
        .front = "position of 1 % depth",
        .front_depth = fraction * LEFT,
        .front_speed = (2.0 - 3.0 * sqrt(fraction)) * c,
        .front_limit = 4.0,
    };
    struct profile p;

    run_dam_break(run, &dam, &p);
}

const struct validation_case vcase_ritter = {"ritter", "Dam break onto a dry bed", true, run_case};
