// Supercritical flow with friction over a bed of varying slope.
#include "../macdonald.h"

static double depth(double x)
{
    const double y = x / MACDONALD_LENGTH - 0.5;
    return cbrt(4.0 / GRAVITY) * (1.0 - 0.2 * exp(-36.0 * y * y));
}

static void run_case(struct case_run *run)
{
    run_macdonald(run, &(struct macdonald){2.5, 0.04, depth, true, false});
}

const struct validation_case vcase_macdonald_supercritical = {
    "macdonald-supercritical", "Supercritical flow with friction", true, run_case};
