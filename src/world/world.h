// The world: owns fluid, bodies, coupling and emitters, and calls them in order.
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/parallel/fpmode.h"
#include "base/profile.h"
#include "body/body.h"
#include "couple/coupling.h"
#include "couple/planar/planar_coupling.h"
#include "emit/emitter.h"
#include "fluid/fluid.h"

#include <tarn/tarn.h>

// Pose of a body before the last step.
struct previous_pose {
    uint32_t generation;
    vec3 position;
    quat rotation;
};

// What a world uses and a world that is loaded for it shares: it must outlive that one.
struct world_services {
    struct parallel *parallel;
    struct memory_use *memory_use;
    struct profile *profile;
};

struct tarn_world {
    tarn_world_def def; // as given, without fluid and beds: that of the fluid is fluid.def
    struct memory memory;
    struct world_services services;
    bool shares_services; // they belong to another world
    struct memory_use memory_use;
    struct profile profile;
    struct fluid fluid;
    struct bodies bodies;
    struct coupling coupling;
    struct planar_coupling planar; // of the planar model
    struct emitter *emitters;      // in use or free
    int emitter_slot_count, emitter_capacity;

    // state
    uint64_t steps, substeps;
    double accumulated_time; // [s] pending time, less than a step
    double courant;          // largest Courant number so far
    vec3 wall_impulse;       // [kg m/s] of walls and floor on the bodies
    char failure[160];

    // for repeated steps; not part of a checkpoint
    double shortest_substep; // [s] of this world step so far
    double max_substep;      // [s] upper limit of substeps, 0: none
    int retry_count;         // repeated steps so far
    uint64_t user_data;      // of the caller
    struct backup *backup;   // NULL until there is one
    tarn_world *spare; // receives the next state that is restored; NULL until one was, and in planar models

    struct water_contact *water_contacts; // per body slot, before the step; see events.c
    int water_contact_capacity;

    // the state before the last step, for interpolated frames; not part of a checkpoint
    bool stores_previous, has_previous;
    float *previous_surface; // nx * nz
    struct previous_pose *previous_poses;
    int previous_pose_capacity, previous_pose_count;
};

extern const tarn_kind world_kind;

// Every call that changes the world ends with one of these, so that calls with a const world never write.
// Bodies of the planar model that were created or moved enter the fluid at the start of the next step or of
// the next edit of the fluid, all at once: a rebuild of the cut cells costs as much as part of a step.
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

tarn_result world_check_definition(const tarn_world_def *def, tarn_error *err); // without fluid and bed
void world_apply_definition(tarn_world *w); // what the parts of a world have from w->def
void world_settings_changed(tarn_world *w); // settings.c: the same, and bodies wake

// A world without emitters and bodies.
// `shared`: services of another world that outlives this one; NULL: it gets its own.
tarn_result world_create(const tarn_world_def *def, const struct world_services *shared, tarn_world **out,
                         tarn_error *err);
// Prepare a world for another state: it has no bodies and no emitters, but their memory. Only live parameters
// of the fluid may differ.
tarn_result world_reset(tarn_world *w, const tarn_world_def *def, tarn_error *err);
struct body_domain world_body_domain(const tarn_world *w);

void world_fluid_def_changed(tarn_world *w); // live parameters of the fluid

// commands.c: bodies on the bed wake; columns under bodies are rebuilt for the new surface.
void world_refresh_after_bed_change(tarn_world *w);

int world_emitter_slot(const tarn_world *w,
                       int index); // api/emitter_api.c: of the index-th emitter; -1: none

// api/planar_api.c: the definition of a body in the planar model. TARN_OK or TARN_BAD_INPUT.
tarn_result planar_body_def(const tarn_world *w, const tarn_body_def *def, tarn_body_def *out,
                            tarn_error *err);

// step.c, diagnose.c, retry.c
tarn_result world_take_step(tarn_world *w);
tarn_result world_take_steps(tarn_world *w, int count); // with their events; TARN_BAD_ARGUMENT: count < 0
int bodies_find_invalid(const struct bodies *b);        // first body that is not finite or too fast; -1: none
tarn_result world_check_divergence(tarn_world *w);      // TARN_DIVERGED: w->failure has the message
bool world_can_diverge(const tarn_world *w);
tarn_result world_step_with_retry(tarn_world *w);

// Bodies that left through a periodic boundary re-enter at the opposite one.
void world_wrap_periodic(tarn_world *w);

bool world_store_previous(tarn_world *w); // for interpolated frames; false without memory

// events.c: which bodies are wet before a step, and events of those that are not any more or are now; false
// without memory.
bool world_store_wet_bodies(tarn_world *w);
bool world_add_water_events(tarn_world *w);
void world_free_events(tarn_world *w);

// checkpoint.c: the sections of the state, in the order of a checkpoint.
enum { WORLD_SECTIONS = 10, SHAPES_SECTION = 4 };
const char *world_section_name(int section);
void world_save_section(const tarn_world *w, int section, struct saver *s);
uint64_t world_hash_section(const tarn_world *w, int section); // 0: no part of the hash
// A state in memory, whose section i ends at data + ends[i].
struct stored_state {
    const unsigned char *data;
    size_t ends[WORLD_SECTIONS];
    struct stored_clips clips; // after the sections
};
// Loads a state into *world, or into a new world if it is NULL; on failure the world is destroyed and *world
// is NULL. `shared`: as in world_create(). `shapes`: those of the bodies; if it is empty they are in the
// section `shapes`.
tarn_result world_load_sections(const struct stored_state *state, const tarn_host *host,
                                const struct world_services *shared, struct shape_set *shapes,
                                tarn_world **world, tarn_error *err);

// state.c: save the state in memory (false without memory) and restore it. Pointers of frames to meshes of
// bodies stay valid.
bool world_save_backup(tarn_world *w);
tarn_result world_restore_backup(tarn_world *w);
void world_free_backup(tarn_world *w);

#endif
