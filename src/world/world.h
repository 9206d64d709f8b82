// The world: owns and orders; leaves the arithmetic to others.
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/fpmode.h"
#include "body/body.h"
#include "couple/couple.h"
#include "couple/swim.h"
#include "emit/emitter.h"
#include "fluid/fluid.h"

#include <tarn/tarn.h>

// A body as it was before the last step.
struct kept_body {
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
    struct couple couple;
    struct swim swim; // of flat worlds
    struct emitter *emitters;
    int emitter_count, emitter_room;

    // state
    uint64_t steps, inner;
    double owed;     // [s] asked for and not yet taken, less than a step
    double courant;  // largest so far
    vec3 from_walls; // [kg m/s] that walls and floor gave the bodies
    char trouble[160];

    // for steps that go wrong; not part of a checkpoint
    double shortest;       // [s] shortest inner step of this world step so far
    double most;           // [s] inner steps are no longer, 0: no such limit
    int retaken;           // steps
    struct backup *backup; // NULL until there is one

    // the state before the last step, for blending; not part of a checkpoint
    bool keep, kept;
    float *kept_surface; // nx * nz
    struct kept_body *kept_bodies;
    int kept_body_room, kept_count;
};

extern const tarn_kind world_kind;

// Bodies or water may have been changed that the other has not heard of: what they make of it follows from the state.
static inline void world_settle(const tarn_world *w)
{
    tarn_world *own = (tarn_world *)w;
    const struct fpmode host = fpmode_enter();
    if (w->swim.moved) swim_settle(&own->swim, &own->fluid, &own->bodies);
    couple_settle(&own->couple, &own->fluid, &own->bodies);
    fpmode_leave(host);
}

static inline double world_time(const tarn_world *w) { return (double)w->steps * w->def.dt; }

// A world without emitters and bodies.
tarn_result world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err);
struct walls world_walls(const tarn_world *w);

// flow.c: a body as a flat world can have it. TARN_OK or TARN_BAD_INPUT.
tarn_result flat_body(const tarn_world *w, const tarn_body_def *def, tarn_body_def *out, tarn_error *err);

bool world_keep_state(tarn_world *w); // copy for blending; false without memory

// Copy the state, false without memory; put it back. Frames may go on pointing at the meshes of bodies.
bool world_back_up(tarn_world *w);
tarn_result world_go_back(tarn_world *w);
void world_drop_backup(tarn_world *w);

#endif
