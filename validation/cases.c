// The table of published cases.
#include "case_api.h"

// Every case in the order of `tarn validate`; X(name) stands for `vcase_name`.
#define CASES(X)               \
    X(basin_modes)             \
    X(lake_at_rest)            \
    X(sloshing)                \
    X(travelling_wave)         \
    X(stoker)                  \
    X(ritter)                  \
    X(bump_subcritical)        \
    X(bump_jump)               \
    X(bump_transcritical)      \
    X(macdonald_subcritical)   \
    X(macdonald_supercritical) \
    X(macdonald_transcritical) \
    X(uniform_flow)            \
    X(thacker_1d)              \
    X(thacker_radial)          \
    X(open_boundary)           \
    X(floating_drafts)         \
    X(floating_prism)          \
    X(implicit_wave)           \
    X(capillary)               \
    X(taylor_green)            \
    X(lid_driven_cavity)       \
    X(heated_cavity)           \
    X(cylinder)                \
    X(channel_startup)         \
    X(rotating_advection)

#define DECLARE_CASE(name) extern const struct validation_case vcase_##name;
#define CASE_ADDRESS(name) &vcase_##name,
CASES(DECLARE_CASE)
static const struct validation_case *const cases[] = {CASES(CASE_ADDRESS)};

const struct validation_case *validation_case_at(int index)
{
    return 0 <= index && index < (int)(sizeof cases / sizeof cases[0]) ? cases[index] : NULL;
}
