// ledger.csv, bodies.csv, gauges.csv (flow: obstacles.csv too): a header line with plain names, then a line per time (bodies
// and obstacles: per time and thing). SI units; `tarn run --help` lists them.
#include "time_series.h"

#include <string.h>

static void put(FILE *out, double x) { fprintf(out, ",%.9g", x); }

static void put3(FILE *out, tarn_vec3 v)
{
    put(out, v.x);
    put(out, v.y);
    put(out, v.z);
}

// A name as a field (RFC 4180): quoted if it has to be. `end` belongs to the name ("_height").
static void put_name(FILE *out, const char *name, const char *end)
{
    if (!strpbrk(name, ",\"\r\n")) {
        fprintf(out, ",%s%s", name, end);
        return;
    }
    fputs(",\"", out);
    for (; *name; ++name) {
        if (*name == '"') fputc('"', out);
        fputc(*name, out);
    }
    fprintf(out, "%s\"", end);
}

static void begin_things(struct csv *csv)
{
    fputs("time,volume,emitted,out,placed,held,drift,submerged,energy_water,energy_bodies,"
          "momentum_water_x,momentum_water_y,momentum_water_z,"
          "momentum_bodies_x,momentum_bodies_y,momentum_bodies_z,"
          "momentum_sink_x,momentum_sink_y,momentum_sink_z,"
          "momentum_walls_x,momentum_walls_y,momentum_walls_z\n",
          csv->ledger.stream);
}

static void begin_bodies(struct csv *csv)
{
    fputs("time,id,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,spin_x,spin_y,spin_z,submerged_volume,submerged_fraction,"
          "waterline,held,"
          "buoyancy_x,buoyancy_y,buoyancy_z,drag_x,drag_y,drag_z,lift_x,lift_y,lift_z,"
          "force_x,force_y,force_z,torque_x,torque_y,torque_z\n",
          csv->bodies.stream);
}

static void begin_flow(struct csv *csv)
{
    fputs("time,energy,momentum_x,momentum_y,dye,dye_emitted,dye_out,heat,heat_emitted,heat_out,"
          "energy_bodies,momentum_bodies_x,momentum_bodies_y,momentum_walls_x,momentum_walls_y\n",
          csv->ledger.stream);
    fputs("time,id,name,x,y,angle,u,v,spin,force_x,force_y,friction_x,friction_y,torque\n",
          csv->obstacles.stream);
}

int csv_begin(struct csv *csv, const struct output *output, const tarn_scene_facts *facts)
{
    static const char *const surface[] = {"_height", "_depth", "_u", "_w", NULL}, *const flow[] = {
                                                                                      "_u",        "_v",
                                                                                      "_pressure", "_dye",
                                                                                      "_heat",     NULL};
    const char *const *names = csv->flat ? flow : surface;

    int code = file_begin(&csv->ledger, output, "ledger.csv");
    if (code == 0) code = file_begin(&csv->bodies, output, "bodies.csv");
    if (code == 0 && csv->flat) code = file_begin(&csv->obstacles, output, "obstacles.csv");
    if (code == 0) code = file_begin(&csv->gauges, output, "gauges.csv");
    if (code != 0) return code;
    if (csv->flat)
        begin_flow(csv);
    else
        begin_things(csv);
    begin_bodies(csv);
    fputs("time", csv->gauges.stream);
    for (int i = 0; i < facts->gauge_count; ++i)
        for (int k = 0; names[k]; ++k) put_name(csv->gauges.stream, facts->gauges[i].name, names[k]);
    fputc('\n', csv->gauges.stream);
    return 0;
}

static int flow_ledger(struct csv *csv, double time, const tarn_ledger *l)
{
    const double numbers[] = {l->energy_water,
                              l->momentum_water.x,
                              l->momentum_water.y,
                              l->dye,
                              l->dye_emitted,
                              l->dye_out,
                              l->heat,
                              l->heat_emitted,
                              l->heat_out,
                              l->energy_bodies,
                              l->momentum_bodies.x,
                              l->momentum_bodies.y,
                              l->momentum_walls.x,
                              l->momentum_walls.y};

    fprintf(csv->ledger.stream, "%.9g", time);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) put(csv->ledger.stream, numbers[i]);
    fputc('\n', csv->ledger.stream);
    return file_flush(&csv->ledger);
}

int csv_resume(struct csv *csv, const struct output *output, const struct record_mark *from)
{
    int code = file_resume(&csv->ledger, output, "ledger.csv", from->ledger);
    if (code == 0) code = file_resume(&csv->bodies, output, "bodies.csv", from->bodies);
    if (code == 0 && csv->flat) code = file_resume(&csv->obstacles, output, "obstacles.csv", from->obstacles);
    if (code == 0) code = file_resume(&csv->gauges, output, "gauges.csv", from->gauges);
    return code;
}

int csv_mark(struct csv *csv, struct record_mark *mark)
{
    int code = file_mark(&csv->ledger, &mark->ledger);
    if (code == 0) code = file_mark(&csv->bodies, &mark->bodies);
    if (code == 0 && csv->flat) code = file_mark(&csv->obstacles, &mark->obstacles);
    if (code == 0) code = file_mark(&csv->gauges, &mark->gauges);
    return code;
}

int csv_ledger(struct csv *csv, double time, const tarn_ledger *l)
{
    FILE *out = csv->ledger.stream;

    if (csv->flat) return flow_ledger(csv, time, l);
    fprintf(out, "%.9g", time);
    put(out, l->volume);
    put(out, l->volume_emitted);
    put(out, l->volume_out);
    put(out, l->volume_placed);
    put(out, l->volume_held);
    put(out, l->volume_drift);
    put(out, l->submerged);
    put(out, l->energy_water);
    put(out, l->energy_bodies);
    put3(out, l->momentum_water);
    put3(out, l->momentum_bodies);
    put3(out, l->momentum_sink);
    put3(out, l->momentum_walls);
    fputc('\n', out);
    return file_flush(&csv->ledger);
}

static void put_body(FILE *out, double time, const tarn_frame_body *body, const char *name)
{
    const tarn_motion *m = &body->motion;
    const tarn_load *l = &body->load;

    fprintf(out, "%.9g,%lu", time, (unsigned long)body->id.index);
    put_name(out, name, "");
    put3(out, m->position);
    put(out, m->rotation.w);
    put3(out, (tarn_vec3){m->rotation.x, m->rotation.y, m->rotation.z});
    put3(out, m->velocity);
    put3(out, m->spin);
    put(out, l->submerged_volume);
    put(out, l->submerged_fraction);
    put(out, l->waterline);
    put(out, l->held);
    put3(out, l->buoyancy);
    put3(out, l->drag);
    put3(out, l->lift);
    put3(out, l->force);
    put3(out, l->torque);
    fputc('\n', out);
}

int csv_bodies(struct csv *csv, double time, const tarn_frame *frame, const tarn_world *world)
{
    for (int i = 0; i < frame->body_count; ++i) {
        tarn_body_facts facts = {0};
        tarn_body_facts_of(world, frame->bodies[i].id, &facts);
        put_body(csv->bodies.stream, time, &frame->bodies[i], facts.name);
    }
    return file_flush(&csv->bodies);
}

int csv_gauges(struct csv *csv, double time, int count, const tarn_surface *gauges)
{
    FILE *out = csv->gauges.stream;

    fprintf(out, "%.9g", time);
    for (int i = 0; i < count; ++i) {
        put(out, gauges[i].height);
        put(out, gauges[i].depth);
        put(out, gauges[i].velocity.x);
        put(out, gauges[i].velocity.z);
    }
    fputc('\n', out);
    return file_flush(&csv->gauges);
}

int csv_flow_gauges(struct csv *csv, double time, const tarn_scene_facts *facts, const tarn_world *world)
{
    FILE *out = csv->gauges.stream;

    fprintf(out, "%.9g", time);
    for (int i = 0; i < facts->gauge_count; ++i) {
        tarn_flow at = {0};
        tarn_flow_at(world, facts->gauges[i].position[0], facts->gauges[i].position[1], &at);
        const double numbers[] = {at.u, at.v, at.pressure, at.dye, at.heat};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) put(out, numbers[k]);
    }
    fputc('\n', out);
    return file_flush(&csv->gauges);
}

int csv_obstacles(struct csv *csv, double time, const tarn_frame *frame)
{
    FILE *out = csv->obstacles.stream;

    for (int i = 0; i < frame->obstacle_count; ++i) {
        const tarn_obstacle_load *l = &frame->obstacles[i].load;
        const double numbers[] = {l->x,       l->y,       l->angle,      l->u,          l->v,     l->spin,
                                  l->force_x, l->force_y, l->friction_x, l->friction_y, l->torque};
        fprintf(out, "%.9g,%d", time, i);
        put_name(out, frame->obstacles[i].name, "");
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) put(out, numbers[k]);
        fputc('\n', out);
    }
    return file_flush(&csv->obstacles);
}

int csv_finish(struct csv *csv)
{
    int code = file_finish(&csv->ledger);
    if (code == 0) code = file_finish(&csv->bodies);
    if (code == 0 && csv->flat) code = file_finish(&csv->obstacles);
    if (code == 0) code = file_finish(&csv->gauges);
    return code;
}

void csv_abandon(struct csv *csv)
{
    file_abandon(&csv->ledger);
    file_abandon(&csv->bodies);
    file_abandon(&csv->obstacles);
    file_abandon(&csv->gauges);
}
