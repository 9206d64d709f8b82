// Prints the summary of a run as text or JSON.
#include "summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BODIES_IN_TEXT = 8 };

static double energy_gain(const struct summary *s, const tarn_ledger *l)
{
    return l->energy_water + l->energy_bodies - (s->start.energy_water + s->start.energy_bodies);
}

// Change of the horizontal momentum of water and bodies that the ledger does not account for. Forces of
// walls, beds and emitters on the water are not recorded; without these the residual is rounding error.
static tarn_vec3 momentum_residual(const struct summary *s, const tarn_ledger *l)
{
    const tarn_ledger *a = &s->start;
#define GAIN(axis)                                                                                         \
    (l->momentum_water.axis - a->momentum_water.axis + l->momentum_bodies.axis - a->momentum_bodies.axis + \
     l->momentum_unresolved.axis - a->momentum_unresolved.axis -                                           \
     (l->momentum_walls.axis - a->momentum_walls.axis))
    return (tarn_vec3){GAIN(x), 0.0, GAIN(z)};
#undef GAIN
}

static void print_momentum(const struct summary *s, const tarn_ledger *l)
{
    const tarn_vec3 left = momentum_residual(s, l);
    printf("momentum    water (%.4g, %.4g), bodies (%.4g, %.4g), unresolved (%.4g, %.4g), from walls (%.4g, "
           "%.4g); "
           "residual (%.2g, %.2g) kg m/s along x and z\n",
           l->momentum_water.x, l->momentum_water.z, l->momentum_bodies.x, l->momentum_bodies.z,
           l->momentum_unresolved.x, l->momentum_unresolved.z, l->momentum_walls.x, l->momentum_walls.z,
           left.x, left.z);
}

static double relative_drift(const tarn_ledger *l)
{
    return l->volume != 0.0 ? l->volume_error / fabs(l->volume) : l->volume_error;
}

// [ns] per cell and substep; 0 before the first.
static double cell_cost(const struct summary *s, const tarn_world_status *status)
{
    const double work = (double)(status->substeps - s->substeps) * status->cells[0] * status->cells[1];
    return work > 0.0 ? 1e9 * s->step_seconds / work : 0.0;
}

static void print_bodies(const tarn_world *world, int count)
{
    for (int i = 0; i < count && i < BODIES_IN_TEXT; ++i) {
        const tarn_body_id id = tarn_body_at(world, i);
        tarn_body_info info;
        tarn_body_state motion;
        tarn_load load;
        if (tarn_body_get_info(world, id, &info) != TARN_OK ||
            tarn_body_get_state(world, id, &motion) != TARN_OK ||
            tarn_body_get_load(world, id, &load) != TARN_OK)
            continue;
        printf("body        ");
        print_sanitized(stdout, info.name);
        printf(" at (%.4g, %.4g, %.4g) m, submerged %.4f\n", motion.position.x, motion.position.y,
               motion.position.z, load.submerged_fraction);
    }
    if (count > BODIES_IN_TEXT) printf("body        ... and %d more\n", count - BODIES_IN_TEXT);
}

static void print_scalar(const char *name, const char *unit, double now, double start, double in, double out,
                         int is_conserved)
{
    const double size = fmax(fabs(now), fmax(fabs(in), fabs(out)));
    const double drift = size > 0.0 ? (now - start - in + out) / size : 0.0;
    printf("%-11s %.6g %s", name, now, unit);
    if (is_conserved) printf(", relative error %+.2e", drift);
    printf("\n");
}

static void print_flow(const struct summary *s, const tarn_ledger *l, const tarn_world *world)
{
    const tarn_ledger *a = &s->start;
    tarn_fluid_def fluid;
    const int is_conserved =
        tarn_world_get_fluid_def(world, &fluid) == TARN_OK &&
        fluid.flow.advection == TARN_FLOW_CONSERVATIVE; // the other schemes do not conserve these sums
    printf("energy      %.6g J/m, change since the start %+.4g J/m\n", l->energy_water,
           l->energy_water - a->energy_water);
    print_scalar("dye", "m^2", l->dye, a->dye, l->dye_emitted - a->dye_emitted,
                 l->dye_outflow - a->dye_outflow, is_conserved);
    print_scalar("temperature", "K m^2", l->heat, a->heat, l->heat_emitted - a->heat_emitted,
                 l->heat_outflow - a->heat_outflow, is_conserved);
}

void summary_text(const struct summary *s, const tarn_world *world)
{
    const tarn_world_status status = tarn_world_get_status(world);
    const tarn_ledger l = tarn_world_get_ledger(world);
    const double time = (double)s->steps * s->dt, here = (double)(s->steps - s->resumed_steps) * s->dt;
    tarn_flow_sample unused;
    const int planar = tarn_flow_get_sample(world, 0.0, 0.0, &unused) == TARN_OK;

    printf("scene       ");
    print_sanitized(stdout, s->scene);
    printf(", %s\n", s->result);
    printf("time        %.6g s in %lld steps (%" PRIu64 " substeps), %.3g s of wall time", time, s->steps,
           status.substeps, s->wall_seconds);
    if (s->wall_seconds > 0.0 && here > 0.0) printf(", %.3g x real time", here / s->wall_seconds);
    if (s->resumed_steps > 0) printf(" since step %lld", s->resumed_steps);
    printf("\nspeed       %.3g ns per cell and substep (bodies included), %d x %d cells, %d %s\n",
           cell_cost(s, &status), status.cells[0], status.cells[1], s->threads,
           s->threads == 1 ? "thread" : "threads");
    printf("courant     at most %.4f\n", status.courant);
    if (status.retaken) printf("retried     %d steps, with shorter substeps\n", status.retaken);
    if (planar) {
        print_flow(s, &l, world);
    } else {
        printf("volume      %.9g m^3, relative error %+.2e\n", l.volume, relative_drift(&l));
        if (l.volume_in_hulls > 0.0) printf("hull water  %.6g m^3 in open hulls\n", l.volume_in_hulls);
        printf("energy      water %.6g J, bodies %.6g J, change since the start %+.4g J\n", l.energy_water,
               l.energy_bodies, energy_gain(s, &l));
        print_momentum(s, &l);
        print_bodies(world, status.body_count);
    }
    if (s->folder) {
        printf("files       ");
        print_sanitized(stdout, s->folder);
        printf("\n");
    }
    printf("hash        %016" PRIx64 "\n", tarn_world_hash(world));
}

static void put_bodies(const tarn_world *world, int count, struct json_writer *json)
{
    json_open(json, "bodies", '[');
    for (int i = 0; i < count; ++i) {
        const tarn_body_id id = tarn_body_at(world, i);
        tarn_body_info info;
        tarn_body_state motion;
        tarn_load load;
        if (tarn_body_get_info(world, id, &info) != TARN_OK ||
            tarn_body_get_state(world, id, &motion) != TARN_OK ||
            tarn_body_get_load(world, id, &load) != TARN_OK)
            continue;
        json_open(json, NULL, '{');
        json_integer(json, "id", (long long)(uint32_t)id.value);
        json_text(json, "name", info.name);
        json_number(json, "mass", info.mass);
        json_number(json, "volume", info.volume);
        json_vector(json, "position", motion.position);
        json_vector(json, "velocity", motion.velocity);
        json_number(json, "submerged_volume", load.submerged_volume);
        json_number(json, "submerged_fraction", load.submerged_fraction);
        json_close(json);
    }
    json_close(json);
}

void summary_json(const struct summary *s, const tarn_world *world, struct json_writer *json)
{
    const tarn_world_status status = tarn_world_get_status(world);
    const tarn_ledger l = tarn_world_get_ledger(world);
    char hash[20];

    snprintf(hash, sizeof hash, "%016" PRIx64, tarn_world_hash(world));
    json_text(json, "scene", s->scene);
    json_text(json, "file", s->file);
    json_text(json, "version", tarn_version_string());
    json_text(json, "result", s->result);
    json_integer(json, "exit_code", s->exit_code);
    json_integer(json, "steps", s->steps);
    json_integer(json, "substeps", (long long)status.substeps);
    json_integer(json, "retried_steps", status.retaken);
    json_number(json, "dt", s->dt);
    json_number(json, "time", (double)s->steps * s->dt);
    json_number(json, "wall_time", s->wall_seconds);
    json_number(json, "ns_per_cell_substep", cell_cost(s, &status));
    json_open(json, "cells", '[');
    json_integer(json, NULL, status.cells[0]);
    json_integer(json, NULL, status.cells[1]);
    json_close(json);
    json_integer(json, "threads", s->threads);
    json_number(json, "courant", status.courant);
    json_number(json, "volume", l.volume);
    json_number(json, "volume_error_relative", relative_drift(&l));
    json_number(json, "volume_source", l.volume_emitted);
    json_number(json, "volume_outflow", l.volume_outflow);
    json_number(json, "volume_displaced", l.volume_displaced);
    json_number(json, "volume_in_hulls", l.volume_in_hulls);
    json_number(json, "energy_water", l.energy_water);
    json_number(json, "energy_bodies", l.energy_bodies);
    json_number(json, "energy_change", energy_gain(s, &l));
    json_vector(json, "momentum_water", l.momentum_water);
    json_vector(json, "momentum_bodies", l.momentum_bodies);
    json_vector(json, "momentum_unresolved", l.momentum_unresolved);
    json_vector(json, "momentum_walls", l.momentum_walls);
    json_vector(json, "momentum_residual", momentum_residual(s, &l));
    put_bodies(world, status.body_count, json);
    if (s->folder) json_text(json, "folder", s->folder);
    json_text(json, "hash", hash);
}
