// Subcritical flow with friction over a bed of varying slope.
#include "../macdonald.h"

static double depth(double x)
{
    const double y = x / MACDONALD_LENGTH - 0.5;
    return cbrt(4.0 / GRAVITY) * (1.0 + 0.5 * exp(-16.0 * y * y));
}

static void run_case(struct case_run *run)
{
    run_macdonald(run, &(struct macdonald){2.0, 0.033, depth, false, true});
}

const struct validation_case vcase_macdonald_subcritical = {"macdonald-subcritical",
                                                            "Subcritical flow with friction", true, run_case};
