// Steady flow over a bump that becomes supercritical and returns to subcritical in a hydraulic jump.
#include "../bump_flow.h"

extern const double table_bump_jump[][3]; // from table.csv: x, z, h
extern const int table_bump_jump_rows;

static void run_case(struct case_run *run)
{
    const struct bump bump = {0.18, 0.33, 11.665618, false, table_bump_jump, table_bump_jump_rows};
    run_bump_flow(run, &bump);
}

const struct validation_case vcase_bump_jump = {"bump-jump", "Steady flow over a bump with a jump", true,
                                                run_case};
