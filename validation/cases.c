// The table of cases, simple ones first.
#include "case_api.h"

extern const struct vcase vcase_basin_modes, vcase_lake_at_rest, vcase_sloshing, vcase_travelling_wave,
    vcase_stoker, vcase_ritter, vcase_bump_subcritical, vcase_bump_jump, vcase_thacker_1d,
    vcase_thacker_radial, vcase_open_boundary, vcase_implicit_wave, vcase_capillary, vcase_floating_drafts,
    vcase_floating_prism, vcase_taylor_green, vcase_lid_driven_cavity, vcase_heated_cavity, vcase_cylinder,
    vcase_channel_startup, vcase_rotating_advection;

static const struct vcase *const cases[] = {
    &vcase_basin_modes,
    &vcase_lake_at_rest,
    &vcase_sloshing,
    &vcase_travelling_wave,
    &vcase_stoker,
    &vcase_ritter,
    &vcase_bump_subcritical,
    &vcase_bump_jump,
    &vcase_thacker_1d,
    &vcase_thacker_radial,
    &vcase_open_boundary,
    &vcase_floating_drafts,
    &vcase_floating_prism,
    &vcase_implicit_wave,
    &vcase_capillary,
    &vcase_taylor_green,
    &vcase_lid_driven_cavity,
    &vcase_heated_cavity,
    &vcase_cylinder,
    &vcase_channel_startup,
    &vcase_rotating_advection,
};

const struct vcase *vcase_at(int index)
{
    return 0 <= index && index < (int)(sizeof cases / sizeof cases[0]) ? cases[index] : NULL;
}
