// The table of cases, simple ones first.
#include "validation.h"

extern const struct vcase vcase_wave_basin, vcase_lake_at_rest, vcase_sloshing, vcase_travelling_wave,
    vcase_stoker, vcase_ritter, vcase_bump_subcritical, vcase_bump_jump, vcase_thacker_1d,
    vcase_thacker_radial, vcase_open_side, vcase_floating_drafts, vcase_floating_prism, vcase_taylor_green,
    vcase_lid_cavity, vcase_heated_cavity, vcase_cylinder, vcase_channel_start, vcase_turning;

static const struct vcase *const cases[] = {
    &vcase_wave_basin,     &vcase_lake_at_rest,   &vcase_sloshing,         &vcase_travelling_wave,
    &vcase_stoker,         &vcase_ritter,         &vcase_bump_subcritical, &vcase_bump_jump,
    &vcase_thacker_1d,     &vcase_thacker_radial, &vcase_open_side,        &vcase_floating_drafts,
    &vcase_floating_prism, &vcase_taylor_green,   &vcase_lid_cavity,       &vcase_heated_cavity,
    &vcase_cylinder,       &vcase_channel_start,  &vcase_turning,
};

const struct vcase *vcase_at(int index)
{
    return 0 <= index && index < (int)(sizeof cases / sizeof cases[0]) ? cases[index] : NULL;
}
