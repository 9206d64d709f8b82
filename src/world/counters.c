// Public functions for the profile and the counters of a world.
#include "body/solve/dynamics.h"
#include "world.h"

tarn_result tarn_world_enable_profile(tarn_world *w, bool enable)
{
    if (!w) return TARN_BAD_ARGUMENT;
    w->profile.enabled = enable;
    profile_begin_call(&w->profile);
    return TARN_OK;
}

tarn_profile tarn_world_get_profile(const tarn_world *w)
{
    if (!w) return (tarn_profile){0};
    const double *seconds = w->profile.seconds;
    return (tarn_profile){
        .step = seconds[PHASE_STEP],
        .emitters = seconds[PHASE_EMITTERS],
        .broad_phase = seconds[PHASE_BROAD_PHASE],
        .narrow_phase = seconds[PHASE_NARROW_PHASE],
        .contact_solver = seconds[PHASE_CONTACT_SOLVER],
        .fluid = seconds[PHASE_FLUID],
        .linear_solver = seconds[PHASE_LINEAR_SOLVER],
        .coupling = seconds[PHASE_COUPLING],
        .steps = w->profile.enabled ? w->profile.steps : 0,
    };
}

static bool cell_has_fluid(const struct fluid *f, int i, int j)
{
    if (f->model->planar) return f->model->planar->read_cell(f, i, j).volume_fraction > 0.0f;
    return !f->model->no_fluid && f->model->height_field->is_wet(f, i, j);
}

static void count_cells(const struct fluid *f, tarn_counters *out)
{
    for (int j = 0; j < f->grid.nz; ++j)
        for (int i = 0; i < f->grid.nx; ++i) {
            out->wet_cells += cell_has_fluid(f, i, j);
            out->covered_columns +=
                f->covered_fraction && f->covered_fraction[grid_at(&f->grid, i, j)] > 0.0f;
        }
}

static void count_bodies(const struct bodies *b, tarn_counters *out)
{
    const struct dynamics *dyn = b->dynamics;
    out->bodies = b->body_count;
    if (!dyn) return;
    for (int i = 0; i < b->slot_count; ++i)
        out->awake_bodies += body_exists(b, i) && body_is_dynamic(b, i) && !body_is_asleep(b, i);
    for (int k = 0; k < dyn->joints.slot_count; ++k) out->joints += dyn->joints.slots[k].joint != NULL;
    for (int k = 0; k < dyn->contacts.count; ++k) out->contact_points += dyn->contacts.current[k].point_count;
    out->pairs = dyn->broad_phase.pair_count;
    out->contacts = dyn->contacts.count;
    out->islands = dyn->island_count;
}

tarn_counters tarn_world_get_counters(const tarn_world *w)
{
    if (!w) return (tarn_counters){0};
    tarn_counters out = {
        .bytes = atomic_load_explicit(&w->memory_use.bytes, memory_order_relaxed),
        .peak_bytes = atomic_load_explicit(&w->memory_use.peak_bytes, memory_order_relaxed),
        .allocations = atomic_load_explicit(&w->memory_use.allocations, memory_order_relaxed),
        .detections = w->profile.detections,
        .contact_passes = w->profile.contact_iterations,
        .linear_solves = w->profile.linear_solves,
        .linear_passes = w->profile.linear_iterations,
        .linear_residual = w->profile.linear_residual,
    };
    count_bodies(&w->bodies, &out);
    count_cells(&w->fluid, &out);
    return out;
}
