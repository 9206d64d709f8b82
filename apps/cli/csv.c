// ledger.csv, bodies.csv, gauges.csv: a header line with plain names, then a line per time (bodies: per time
// and body). SI units; `tarn run --help` lists them.
#include "record.h"

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

int csv_begin(struct csv *csv, const struct output *output, const tarn_scene_facts *facts)
{
    int code = file_begin(&csv->ledger, output, "ledger.csv");
    if (code == 0) code = file_begin(&csv->bodies, output, "bodies.csv");
    if (code == 0) code = file_begin(&csv->gauges, output, "gauges.csv");
    if (code != 0) return code;
    fputs("time,volume,emitted,out,placed,held,drift,submerged,energy_water,energy_bodies,"
          "momentum_water_x,momentum_water_y,momentum_water_z,"
          "momentum_bodies_x,momentum_bodies_y,momentum_bodies_z,"
          "momentum_sink_x,momentum_sink_y,momentum_sink_z,"
          "momentum_walls_x,momentum_walls_y,momentum_walls_z\n",
          csv->ledger.stream);
    fputs("time,id,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,spin_x,spin_y,spin_z,submerged_volume,submerged_fraction,"
          "waterline,held,"
          "buoyancy_x,buoyancy_y,buoyancy_z,drag_x,drag_y,drag_z,lift_x,lift_y,lift_z,"
          "force_x,force_y,force_z,torque_x,torque_y,torque_z\n",
          csv->bodies.stream);
    fputs("time", csv->gauges.stream);
    for (int i = 0; i < facts->gauge_count; ++i) {
        put_name(csv->gauges.stream, facts->gauges[i].name, "_height");
        put_name(csv->gauges.stream, facts->gauges[i].name, "_depth");
        put_name(csv->gauges.stream, facts->gauges[i].name, "_u");
        put_name(csv->gauges.stream, facts->gauges[i].name, "_w");
    }
    fputc('\n', csv->gauges.stream);
    return 0;
}

int csv_resume(struct csv *csv, const struct output *output, const struct record_mark *from)
{
    int code = file_resume(&csv->ledger, output, "ledger.csv", from->ledger);
    if (code == 0) code = file_resume(&csv->bodies, output, "bodies.csv", from->bodies);
    if (code == 0) code = file_resume(&csv->gauges, output, "gauges.csv", from->gauges);
    return code;
}

int csv_mark(struct csv *csv, struct record_mark *mark)
{
    int code = file_mark(&csv->ledger, &mark->ledger);
    if (code == 0) code = file_mark(&csv->bodies, &mark->bodies);
    if (code == 0) code = file_mark(&csv->gauges, &mark->gauges);
    return code;
}

int csv_ledger(struct csv *csv, double time, const tarn_ledger *l)
{
    FILE *out = csv->ledger.stream;

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

int csv_finish(struct csv *csv)
{
    int code = file_finish(&csv->ledger);
    if (code == 0) code = file_finish(&csv->bodies);
    if (code == 0) code = file_finish(&csv->gauges);
    return code;
}

void csv_abandon(struct csv *csv)
{
    file_abandon(&csv->ledger);
    file_abandon(&csv->bodies);
    file_abandon(&csv->gauges);
}
