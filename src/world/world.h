// The world: owns and orders; leaves the arithmetic to others.
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/fpmode.h"
#include "body/body.h"
#include "couple/coupling.h"
#include "couple/planar_coupling.h"
#include "emit/emitter.h"
#include "fluid/fluid.h"

#include <tarn/tarn.h>

// A body as it was before the last step.
struct previous_pose {
    uint32_t generation;
    vec3 position;
    quat rotation;
};

struct tarn_world {
    tarn_world_def def; // host and fluid spec as given; the living spec is fluid.spec
    struct memory memory;
    struct parallel *parallel;
    struct fluid fluid;
    struct bodies bodies;
    struct coupling coupling;
    struct planar_coupling planar; // of flat worlds
    struct emitter *emitters;
    int emitter_count, emitter_capacity;

    // state
    uint64_t steps, substeps;
    double accumulated_time; // [s] asked for and not yet taken, less than a step
    double courant;          // largest so far
    vec3 wall_impulse;       // [kg m/s] that walls and floor gave the bodies
    char failure[160];

    // for steps that go wrong; not part of a checkpoint
    double shortest_substep; // [s] shortest inner step of this world step so far
    double max_substep;      // [s] inner steps are no longer, 0: no such limit
    int retry_count;         // steps
    struct backup *backup;   // NULL until there is one

    // the state before the last step, for blending; not part of a checkpoint
    bool stores_previous, has_previous;
    float *previous_surface; // nx * nz
    struct previous_pose *previous_poses;
    int previous_pose_capacity, previous_pose_count;
};

extern const tarn_kind world_kind;

// Every call that changes the world ends with one of these, so that calls with a const world never write.
// Bodies of the planar model that were created or moved enter the fluid at the start of the next step or of the
// next edit of the fluid, all at once: a rebuild of the cut cells costs as much as part of a step.
static inline void world_end_edit(tarn_world *w) { fluid_update_derived(&w->fluid); }
static inline void world_end_water_edit(tarn_world *w)
{
    couple_refresh(&w->coupling, &w->fluid, &w->bodies);
    world_end_edit(w);
}
// The start of a step and of an edit of the planar fluid.
static inline void world_apply_body_edits(tarn_world *w)
{
    if (w->planar.poses_are_stale) planar_refresh(&w->planar, &w->fluid, &w->bodies);
    fluid_update_derived(&w->fluid);
}

static inline double world_time(const tarn_world *w) { return (double)w->steps * w->def.dt; }

// A world without emitters and bodies.
tarn_result world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err);
struct body_domain world_body_domain(const tarn_world *w);

// flow.c: a body as a flat world can have it. TARN_OK or TARN_BAD_INPUT.
tarn_result planar_body_def(const tarn_world *w, const tarn_body_def *def, tarn_body_def *out,
                            tarn_error *err);

// step.c, diagnose.c, retry.c
tarn_result world_take_step(tarn_world *w);
int bodies_find_invalid(const struct bodies *b);   // the first body that is not finite or too fast; -1: none
tarn_result world_check_divergence(tarn_world *w); // TARN_DIVERGED, and w->failure says what and where
bool world_can_diverge(const tarn_world *w);
tarn_result world_step_with_retry(tarn_world *w);

// Bodies that left through a periodic boundary re-enter at the opposite one.
void world_wrap_periodic(tarn_world *w);

bool world_store_previous(tarn_world *w); // copy for blending; false without memory

// Copy the state, false without memory; put it back. Frames may go on pointing at the meshes of bodies.
bool world_save_backup(tarn_world *w);
tarn_result world_restore_backup(tarn_world *w);
void world_free_backup(tarn_world *w);

#endif
