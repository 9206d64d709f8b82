// Flow with friction that becomes supercritical in the middle of the channel.
#include "../macdonald.h"

static double depth(double x)
{
    const double y = x / MACDONALD_LENGTH - 0.5;
    return cbrt(4.0 / GRAVITY) * (1.0 - (y < 0.0 ? tanh(3.0 * y) / 3.0 : tanh(6.0 * y) / 6.0));
}

static void run_case(struct case_run *run)
{
    run_macdonald(run, &(struct macdonald){2.0, 0.0218, depth, false, false});
}

const struct validation_case vcase_macdonald_transcritical = {
    "macdonald-transcritical", "Flow with friction, sub- to supercritical", true, run_case};
