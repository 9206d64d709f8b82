// Writes the CSV and VTK files of a run at their output times; see time_series.h.
#include "time_series.h"

#include <stdlib.h>
#include <string.h>

static int active(const struct time_series *r) { return r->csv_on || r->vtk_on; }

static int reserve_gauges(struct time_series *r)
{
    const size_t n = (size_t)r->info.gauge_count + 1; // calloc(0) may be NULL

    r->before.gauges = calloc(n, sizeof *r->before.gauges);
    r->now.gauges = calloc(n, sizeof *r->now.gauges);
    r->interpolated.gauges = calloc(n, sizeof *r->interpolated.gauges);
    if (!r->before.gauges || !r->now.gauges || !r->interpolated.gauges)
        return print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    return 0;
}

// A sample that lies before the present state would need the state before the last step, which is not saved.
static int continue_samples(struct time_series *r, const struct time_series_def *def, const tarn_world *world)
{
    double blend;

    r->sampler.next = def->from->next;
    if (!active(r) || !sampler_is_due(&r->sampler, (long long)tarn_world_get_status(world).steps, &blend))
        return 0;
    return print_error(
        TARN_BAD_ARGUMENT,
        "the run ended between two steps: its output files cannot be continued beyond its --duration");
}

int series_lock_dir(struct time_series *r, const struct time_series_def *def, const tarn_scene_info *info,
                    const tarn_world *world)
{
    tarn_flow_sample unused;
    const int planar = tarn_flow_get_sample(world, 0.0, 0.0, &unused) == TARN_OK;
    const unsigned files =
        (def->csv ? OUTPUT_LEDGER | OUTPUT_BODIES | (planar ? OUTPUT_OBSTACLES : 0) | OUTPUT_GAUGES : 0) |
        (def->vtk ? OUTPUT_SERIES : 0) | (def->checkpoints ? OUTPUT_CHECKPOINT | OUTPUT_CHECKPOINT_OLD : 0);

    *r = (struct time_series){.csv_on = def->csv, .vtk_on = def->vtk, .info = *info, .output.lock = -1};
    r->csv.planar = planar;
    if (files == 0) return 0;
    if (sampler_init(&r->sampler, info->dt, def->every, def->time) != 0 && active(r))
        return print_error(TARN_BAD_ARGUMENT, "--output-interval %g gives too many outputs", def->every);
    int code = reserve_gauges(r);
    if (code == 0 && def->from) code = continue_samples(r, def, world);
    if (code != 0) return code;
    const struct output_dir_def dir_def = {.dir = def->dir,
                                           .files = files,
                                           .frames = def->vtk ? (int)r->sampler.samples : 0,
                                           .force = def->force,
                                           .resume = def->from != NULL};
    return output_dir_open(&r->output, &dir_def);
}

int series_open(struct time_series *r, const struct time_series_def *def, tarn_world *world)
{
    int code = 0;

    if (r->csv_on)
        code = def->from ? csv_resume(&r->csv, &r->output, def->from)
                         : csv_create(&r->csv, &r->output, &r->info);
    if (code == 0 && r->vtk_on)
        code = def->from ? vtk_resume(&r->vtk, &r->output, def->from) : vtk_create(&r->vtk, &r->output);
    if (code == 0 && active(r) && sampler_needs_interpolation(&r->sampler) &&
        tarn_world_keep_previous(world, 1) != TARN_OK)
        code = print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
    return code == 0 && !def->from ? series_after_step(r, world, 0) : code;
}

static void read_sample(const struct time_series *r, const tarn_world *world, struct sample *m)
{
    m->ledger = tarn_world_get_ledger(world);
    for (int i = 0; i < r->info.gauge_count; ++i) {
        const tarn_vec2 at = r->info.gauges[i].position;
        m->gauges[i] = tarn_world_get_surface(world, at.x, at.y);
    }
}

void series_before_step(struct time_series *r, const tarn_world *world, long long step)
{
    double blend;

    if (r->csv_on && sampler_is_due(&r->sampler, step, &blend) && blend < 1.0)
        read_sample(r, world, &r->before);
}

static double lerp(double a, double b, double blend) { return a + (b - a) * blend; }

static tarn_vec3 lerp3(tarn_vec3 a, tarn_vec3 b, double blend)
{
    return (tarn_vec3){lerp(a.x, b.x, blend), lerp(a.y, b.y, blend), lerp(a.z, b.z, blend)};
}

static tarn_ledger lerp_ledger(const tarn_ledger *a, const tarn_ledger *b, double blend)
{
    return (tarn_ledger){
        .time = lerp(a->time, b->time, blend),
        .volume = lerp(a->volume, b->volume, blend),
        .volume_emitted = lerp(a->volume_emitted, b->volume_emitted, blend),
        .volume_outflow = lerp(a->volume_outflow, b->volume_outflow, blend),
        .volume_displaced = lerp(a->volume_displaced, b->volume_displaced, blend),
        .volume_in_hulls = lerp(a->volume_in_hulls, b->volume_in_hulls, blend),
        .volume_error = lerp(a->volume_error, b->volume_error, blend),
        .volume_submerged = lerp(a->volume_submerged, b->volume_submerged, blend),
        .energy_water = lerp(a->energy_water, b->energy_water, blend),
        .energy_bodies = lerp(a->energy_bodies, b->energy_bodies, blend),
        .momentum_water = lerp3(a->momentum_water, b->momentum_water, blend),
        .momentum_bodies = lerp3(a->momentum_bodies, b->momentum_bodies, blend),
        .momentum_unresolved = lerp3(a->momentum_unresolved, b->momentum_unresolved, blend),
        .momentum_walls = lerp3(a->momentum_walls, b->momentum_walls, blend),
        .dye = lerp(a->dye, b->dye, blend),
        .dye_emitted = lerp(a->dye_emitted, b->dye_emitted, blend),
        .dye_outflow = lerp(a->dye_outflow, b->dye_outflow, blend),
        .heat = lerp(a->heat, b->heat, blend),
        .heat_emitted = lerp(a->heat_emitted, b->heat_emitted, blend),
        .heat_outflow = lerp(a->heat_outflow, b->heat_outflow, blend),
    };
}

static void lerp_samples(const struct time_series *r, double blend, struct sample *out)
{
    out->ledger = lerp_ledger(&r->before.ledger, &r->now.ledger, blend);
    for (int i = 0; i < r->info.gauge_count; ++i) {
        const tarn_surface *a = &r->before.gauges[i], *b = &r->now.gauges[i];
        out->gauges[i].height = lerp(a->height, b->height, blend);
        out->gauges[i].depth = lerp(a->depth, b->depth, blend);
        out->gauges[i].velocity = lerp3(a->velocity, b->velocity, blend);
    }
}

static int write_sample(struct time_series *r, const tarn_world *world, double time, double blend)
{
    const struct sample *m = &r->now;

    const tarn_result result = tarn_world_get_frame(world, blend, &r->frame);
    if (result != TARN_OK) return print_error((int)result, "%s", result_message(result));
    int code = 0;
    if (r->csv_on) {
        if (blend < 1.0) {
            lerp_samples(r, blend, &r->interpolated);
            m = &r->interpolated;
        }
        code = csv_ledger(&r->csv, time, &m->ledger);
        if (code == 0 && r->csv.planar) {
            code = csv_obstacles(&r->csv, time, &r->frame);
            if (code == 0) code = csv_bodies(&r->csv, time, &r->frame, world);
            if (code == 0) code = csv_flow_gauges(&r->csv, time, &r->info, world);
        } else if (code == 0) {
            code = csv_bodies(&r->csv, time, &r->frame, world);
            if (code == 0) code = csv_gauges(&r->csv, time, r->info.gauge_count, m->gauges);
        }
    }
    if (code == 0 && r->vtk_on) code = vtk_write(&r->vtk, time, &r->frame);
    return code;
}

int series_after_step(struct time_series *r, const tarn_world *world, long long step)
{
    int was_read = 0;
    double blend;

    while (active(r) && sampler_is_due(&r->sampler, step, &blend)) {
        if (r->csv_on && !was_read) read_sample(r, world, &r->now);
        was_read = 1;
        const int code = write_sample(r, world, sampler_time(&r->sampler), blend);
        if (code != 0) {
            r->failed = 1;
            return code;
        }
        ++r->sampler.next;
    }
    return 0;
}

int series_sync(struct time_series *r, struct output_position *mark)
{
    *mark = (struct output_position){.next = r->sampler.next};
    int code = r->csv_on ? csv_sync(&r->csv, mark) : 0;
    if (code == 0 && r->vtk_on) code = vtk_sync(&r->vtk, mark);
    r->failed |= code != 0;
    return code;
}

int series_commit(struct time_series *r)
{
    if (!active(r) || r->failed) return 0;
    int code = r->csv_on ? csv_finish(&r->csv) : 0;
    if (r->vtk_on) {
        const int vtk_code = vtk_finish(&r->vtk);
        if (vtk_code == 0) remove_stale_frames(&r->output, r->vtk.frames);
        if (code == 0) code = vtk_code;
    }
    r->failed = code != 0;
    return code;
}

void series_close(struct time_series *r)
{
    csv_discard(&r->csv);
    vtk_discard(&r->vtk);
    output_dir_close(&r->output);
    tarn_frame_free(&r->frame);
    free(r->before.gauges);
    free(r->now.gauges);
    free(r->interpolated.gauges);
    *r = (struct time_series){.output.lock = -1};
}
