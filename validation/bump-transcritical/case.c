// Steady flow over a bump that stays supercritical up to the end.
#include "../bump_flow.h"

static void run_case(struct case_run *run)
{
    const struct bump open = {1.53, 0.4, INFINITY, true, NULL, 0},
                      level = {1.53, 0.66, INFINITY, false, NULL, 0};
    run_bump_flow(run, &open);
    run_bump_flow(run, &level);
}

const struct validation_case vcase_bump_transcritical = {
    "bump-transcritical", "Steady flow over a bump, supercritical at the end", true, run_case};
