#include "summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BODIES_IN_TEXT = 8 };

static double energy_gain(const struct summary *s, const tarn_ledger *l)
{
    return l->energy_water + l->energy_bodies - (s->start.energy_water + s->start.energy_bodies);
}

// Sideways, what water and bodies have, less what the ledger knows of where it came from and went. Walls, beds and
// emitters that push the water are not in it, so it is rounding only where there are none.
static tarn_vec3 momentum_residual(const struct summary *s, const tarn_ledger *l)
{
    const tarn_ledger *a = &s->start;
#define GAIN(axis)                                                                                         \
    (l->momentum_water.axis - a->momentum_water.axis + l->momentum_bodies.axis - a->momentum_bodies.axis + \
     l->momentum_sink.axis - a->momentum_sink.axis - (l->momentum_walls.axis - a->momentum_walls.axis))
    return (tarn_vec3){GAIN(x), 0.0, GAIN(z)};
#undef GAIN
}

static void print_momentum(const struct summary *s, const tarn_ledger *l)
{
    const tarn_vec3 left = momentum_residual(s, l);
    printf("momentum    water (%.4g, %.4g), bodies (%.4g, %.4g), sink (%.4g, %.4g), from walls (%.4g, %.4g); "
           "residual (%.2g, %.2g) kg m/s along x and z\n",
           l->momentum_water.x, l->momentum_water.z, l->momentum_bodies.x, l->momentum_bodies.z,
           l->momentum_sink.x, l->momentum_sink.z, l->momentum_walls.x, l->momentum_walls.z, left.x, left.z);
}

static double relative_drift(const tarn_ledger *l)
{
    return l->volume != 0.0 ? l->volume_drift / fabs(l->volume) : l->volume_drift;
}

// [ns] per cell and inner step; 0 before the first.
static double cell_cost(const struct summary *s, const tarn_status *status)
{
    const double work = (double)(status->inner - s->inner) * status->cells[0] * status->cells[1];
    return work > 0.0 ? 1e9 * s->stepping / work : 0.0;
}

static void print_bodies(const tarn_world *world, int count)
{
    for (int i = 0; i < count && i < BODIES_IN_TEXT; ++i) {
        const tarn_body id = tarn_body_at(world, i);
        tarn_body_facts facts;
        tarn_motion motion;
        tarn_load load;
        if (tarn_body_facts_of(world, id, &facts) != TARN_OK ||
            tarn_body_motion(world, id, &motion) != TARN_OK || tarn_body_load(world, id, &load) != TARN_OK)
            continue;
        printf("body        ");
        print_clean(stdout, facts.name);
        printf(" at (%.4g, %.4g, %.4g) m, submerged %.4f\n", motion.position.x, motion.position.y,
               motion.position.z, load.submerged_fraction);
    }
    if (count > BODIES_IN_TEXT) printf("body        ... and %d more\n", count - BODIES_IN_TEXT);
}

static void print_scalar(const char *name, const char *unit, double now, double start, double in, double out,
                         int kept)
{
    const double size = fmax(fabs(now), fmax(fabs(in), fabs(out)));
    const double drift = size > 0.0 ? (now - start - in + out) / size : 0.0;
    printf("%-11s %.6g %s", name, now, unit);
    if (kept) printf(", drift %+.2e of it", drift);
    printf("\n");
}

static void print_flow(const struct summary *s, const tarn_ledger *l, const tarn_world *world)
{
    const tarn_ledger *a = &s->start;
    tarn_value advection;
    const int kept = tarn_world_get(world, "fluid.advection", &advection) == TARN_OK &&
                     strcmp(advection.text, "conservative") == 0; // the others do not keep account
    printf("energy      %.6g J/m, %+.4g since the start\n", l->energy_water,
           l->energy_water - a->energy_water);
    print_scalar("dye", "m^2", l->dye, a->dye, l->dye_emitted - a->dye_emitted, l->dye_out - a->dye_out,
                 kept);
    print_scalar("heat", "K m^2", l->heat, a->heat, l->heat_emitted - a->heat_emitted,
                 l->heat_out - a->heat_out, kept);
}

void summary_text(const struct summary *s, const tarn_world *world)
{
    const tarn_status status = tarn_world_status(world);
    const tarn_ledger l = tarn_world_ledger(world);
    const double time = (double)s->steps * s->dt, here = (double)(s->steps - s->first) * s->dt;
    tarn_flow nothing;
    const int flat = tarn_flow_at(world, 0.0, 0.0, &nothing) == TARN_OK;

    printf("scene       ");
    print_clean(stdout, s->scene);
    printf(", %s\n", s->result);
    printf("time        %.6g s in %lld steps (%" PRIu64 " inner), %.3g s of wall time", time, s->steps,
           status.inner, s->wall);
    if (s->wall > 0.0 && here > 0.0) printf(", %.3g x real time", here / s->wall);
    if (s->first > 0) printf(" since step %lld", s->first);
    printf("\nspeed       %.3g ns per cell and inner step (bodies included), %d x %d cells, %d %s\n",
           cell_cost(s, &status), status.cells[0], status.cells[1], s->threads,
           s->threads == 1 ? "thread" : "threads");
    printf("courant     %.4f at most\n", status.courant);
    if (status.retaken) printf("retaken     %d steps that went wrong\n", status.retaken);
    if (flat) {
        print_flow(s, &l, world);
    } else {
        printf("volume      %.9g m^3, drift %+.2e of it\n", l.volume, relative_drift(&l));
        if (l.volume_held > 0.0) printf("holds       %.6g m^3 of water in open hulls\n", l.volume_held);
        printf("energy      water %.6g J, bodies %.6g J, together %+.4g J since the start\n", l.energy_water,
               l.energy_bodies, energy_gain(s, &l));
        print_momentum(s, &l);
        print_bodies(world, status.bodies);
    }
    if (s->folder) {
        printf("files       ");
        print_clean(stdout, s->folder);
        printf("\n");
    }
    printf("hash        %016" PRIx64 "\n", tarn_world_hash(world));
}

static void put_bodies(const tarn_world *world, int count, struct json *json)
{
    json_open(json, "bodies", '[');
    for (int i = 0; i < count; ++i) {
        const tarn_body id = tarn_body_at(world, i);
        tarn_body_facts facts;
        tarn_motion motion;
        tarn_load load;
        if (tarn_body_facts_of(world, id, &facts) != TARN_OK ||
            tarn_body_motion(world, id, &motion) != TARN_OK || tarn_body_load(world, id, &load) != TARN_OK)
            continue;
        json_open(json, NULL, '{');
        json_integer(json, "id", (long long)id.index);
        json_text(json, "name", facts.name);
        json_number(json, "mass", facts.mass);
        json_number(json, "volume", facts.volume);
        json_vector(json, "position", motion.position);
        json_vector(json, "velocity", motion.velocity);
        json_number(json, "submerged_volume", load.submerged_volume);
        json_number(json, "submerged_fraction", load.submerged_fraction);
        json_close(json);
    }
    json_close(json);
}

void summary_json(const struct summary *s, const tarn_world *world, struct json *json)
{
    const tarn_status status = tarn_world_status(world);
    const tarn_ledger l = tarn_world_ledger(world);
    char hash[20];

    snprintf(hash, sizeof hash, "%016" PRIx64, tarn_world_hash(world));
    json_text(json, "scene", s->scene);
    json_text(json, "file", s->file);
    json_text(json, "version", tarn_version());
    json_text(json, "result", s->result);
    json_integer(json, "exit_code", s->exit_code);
    json_integer(json, "steps", s->steps);
    json_integer(json, "inner_steps", (long long)status.inner);
    json_integer(json, "retaken_steps", status.retaken);
    json_number(json, "dt", s->dt);
    json_number(json, "time", (double)s->steps * s->dt);
    json_number(json, "wall_time", s->wall);
    json_number(json, "ns_per_cell_and_inner_step", cell_cost(s, &status));
    json_open(json, "cells", '[');
    json_integer(json, NULL, status.cells[0]);
    json_integer(json, NULL, status.cells[1]);
    json_close(json);
    json_integer(json, "threads", s->threads);
    json_number(json, "courant", status.courant);
    json_number(json, "volume", l.volume);
    json_number(json, "volume_drift_relative", relative_drift(&l));
    json_number(json, "volume_emitted", l.volume_emitted);
    json_number(json, "volume_out", l.volume_out);
    json_number(json, "volume_placed", l.volume_placed);
    json_number(json, "volume_held", l.volume_held);
    json_number(json, "energy_water", l.energy_water);
    json_number(json, "energy_bodies", l.energy_bodies);
    json_number(json, "energy_gain", energy_gain(s, &l));
    json_vector(json, "momentum_water", l.momentum_water);
    json_vector(json, "momentum_bodies", l.momentum_bodies);
    json_vector(json, "momentum_sink", l.momentum_sink);
    json_vector(json, "momentum_walls", l.momentum_walls);
    json_vector(json, "momentum_residual", momentum_residual(s, &l));
    put_bodies(world, status.bodies, json);
    if (s->folder) json_text(json, "folder", s->folder);
    json_text(json, "hash", hash);
}
