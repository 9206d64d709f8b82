// What a program may read about a running world: status, failure and the ledger of conserved quantities.
#include "base/math/math.h"
#include "body/solve/dynamics.h"
#include "world.h"

const char *tarn_world_get_failure(const tarn_world *w) { return w ? w->failure : ""; }

static void count_parts(const struct bodies *b, tarn_world_status *out)
{
    const struct dynamics *dyn = b->dynamics;
    if (!dyn) return;
    for (int i = 0; i < b->slot_count; ++i)
        out->awake_count += body_exists(b, i) && body_is_dynamic(b, i) && !body_is_asleep(b, i);
    for (int k = 0; k < dyn->joints.slot_count; ++k) out->joint_count += dyn->joints.slots[k].joint != NULL;
    out->contact_count = dyn->contacts.count;
}

tarn_world_status tarn_world_get_status(const tarn_world *w)
{
    if (!w) return (tarn_world_status){0};
    const struct grid *g = &w->fluid.grid;
    const double sub = w->fluid.model->substep_dt(&w->fluid, w->def.dt);
    tarn_world_status out = {
        .time = world_time(w),
        .steps = w->steps,
        .substeps = w->substeps,
        .retaken = w->retry_count,
        .substeps_next = (int)floor(w->def.dt / sub + 0.5),
        .courant = w->courant,
        .cells = {g->nx, g->nz},
        .size = {g->nx * g->dx, g->nz * g->dx},
        .body_count = w->bodies.body_count,
        .emitter_count = tarn_world_get_emitters(w, NULL, 0),
        .obstacle_count = w->fluid.obstacle_count,
        .fluid = w->fluid.def.type,
        .failed = w->failure[0] != 0,
        .dt = w->def.dt,
        .cell_size = g->dx,
    };
    count_parts(&w->bodies, &out);
    return out;
}

tarn_ledger tarn_world_get_ledger(const tarn_world *w)
{
    if (!w) return (tarn_ledger){0};
    const struct fluid *f = &w->fluid;
    struct fluid_totals t = {0};
    const double area = f->grid.dx * f->grid.dx, inside = couple_floodwater(&w->coupling, &w->bodies);
    f->model->compute_totals(f, &t);
    // Inserted bodies remove `strength` of their volume from the columns; the rest, which would raise the
    // mean level, is counted as displaced.
    const double beside = w->coupling.kind->displaces
                              ? (1.0 - w->coupling.strength) * w->coupling.initial_submerged_volume
                              : 0.0;
    tarn_ledger l = {
        .time = world_time(w),
        .volume = area * t.depth_sum - beside,
        .volume_emitted = area * f->emitted_depth,
        .volume_outflow = area * f->outflow_depth,
        .volume_displaced = area * f->displaced_depth + beside,
        .volume_in_hulls = area * inside,
        .volume_error =
            area * (t.depth_sum + inside -
                    (f->initial_depth + f->emitted_depth - f->outflow_depth - f->displaced_depth)),
        .volume_submerged = w->coupling.submerged_volume,
        .energy_water = t.energy + (f->model->planar ? planar_energy(f, &w->bodies)
                                                     : couple_energy(&w->coupling, f, &w->bodies)),
        .momentum_water = t.momentum,
        .momentum_unresolved = w->coupling.momentum_sink,
        .momentum_walls = w->wall_impulse,
        .dye = t.dye,
        .dye_emitted = t.dye_added,
        .dye_outflow = t.dye_outflow,
        .heat = t.heat,
        .heat_emitted = t.heat_added,
        .heat_outflow = t.heat_outflow,
    };
    for (int i = 0; i < w->bodies.slot_count; ++i) {
        if (!body_exists(&w->bodies, i)) continue;
        l.energy_bodies += body_energy(&w->bodies, i, f->gravity);
        const double cargo = w->fluid.density * area * w->coupling.per_body[i].floodwater_depth;
        l.momentum_bodies = v3_add(l.momentum_bodies, w->bodies.state[i].momentum);
        l.momentum_bodies = v3_madd(l.momentum_bodies, cargo, body_velocity(&w->bodies, i));
    }
    return l;
}
