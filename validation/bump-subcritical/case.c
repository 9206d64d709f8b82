// Steady subcritical flow over a bump.
#include "../bump_flow.h"

extern const double table_bump_subcritical[][3]; // from table.csv: x, z, h
extern const int table_bump_subcritical_rows;

static void run_case(struct case_run *run)
{
    const struct bump bump = {4.42, 2.0, NONE, false, table_bump_subcritical, table_bump_subcritical_rows};
    run_bump_flow(run, &bump);
}

const struct validation_case vcase_bump_subcritical = {"bump-subcritical",
                                                       "Steady subcritical flow over a bump", true, run_case};
