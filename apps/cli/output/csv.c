// ledger.csv, bodies.csv, gauges.csv (flow: obstacles.csv too): a header line with plain names, then a line
// per time (bodies.csv and obstacles.csv: per time and body or obstacle). SI units; `tarn run --help` lists
// them.
#include "time_series.h"

#include <string.h>

static void put(FILE *out, double x) { fprintf(out, ",%.9g", x); }

static void put3(FILE *out, tarn_vec3 v)
{
    put(out, v.x);
    put(out, v.y);
    put(out, v.z);
}

// Writes a name as a field (RFC 4180), quoted if necessary. `end` is a suffix of the name ("_height").
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
    fputs("time,volume,source,outflow,displaced,in_hulls,error,submerged_volume,energy_water,energy_bodies,"
          "momentum_water_x,momentum_water_y,momentum_water_z,"
          "momentum_bodies_x,momentum_bodies_y,momentum_bodies_z,"
          "momentum_unresolved_x,momentum_unresolved_y,momentum_unresolved_z,"
          "momentum_walls_x,momentum_walls_y,momentum_walls_z\n",
          csv->ledger.stream);
}

static void begin_bodies(struct csv *csv)
{
    fputs("time,id,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,angular_velocity_x,angular_velocity_y,angular_velocity_z,"
          "submerged_volume,submerged_fraction,surface_height,hull_water_volume,"
          "buoyancy_x,buoyancy_y,buoyancy_z,drag_x,drag_y,drag_z,lift_x,lift_y,lift_z,"
          "force_x,force_y,force_z,torque_x,torque_y,torque_z\n",
          csv->bodies.stream);
}

static void begin_flow(struct csv *csv)
{
    fputs("time,energy,momentum_x,momentum_y,dye,dye_source,dye_outflow,temperature,temperature_source,"
          "temperature_outflow,"
          "energy_bodies,momentum_bodies_x,momentum_bodies_y,momentum_walls_x,momentum_walls_y\n",
          csv->ledger.stream);
    fputs("time,id,name,x,y,angle,u,v,angular_velocity,force_x,force_y,viscous_force_x,viscous_force_y,"
          "torque\n",
          csv->obstacles.stream);
}

int csv_create(struct csv *csv, const struct output_dir *output, const tarn_scene_info *info)
{
    static const char *const surface[] = {"_height", "_depth", "_u", "_w", NULL}, *const flow[] = {
                                                                                      "_u",           "_v",
                                                                                      "_pressure",    "_dye",
                                                                                      "_temperature", NULL};
    const char *const *names = csv->planar ? flow : surface;

    int code = atomic_file_create(&csv->ledger, output, "ledger.csv");
    if (code == 0) code = atomic_file_create(&csv->bodies, output, "bodies.csv");
    if (code == 0 && csv->planar) code = atomic_file_create(&csv->obstacles, output, "obstacles.csv");
    if (code == 0) code = atomic_file_create(&csv->gauges, output, "gauges.csv");
    if (code != 0) return code;
    if (csv->planar)
        begin_flow(csv);
    else
        begin_things(csv);
    begin_bodies(csv);
    fputs("time", csv->gauges.stream);
    for (int i = 0; i < info->gauge_count; ++i)
        for (int k = 0; names[k]; ++k) put_name(csv->gauges.stream, info->gauges[i].name, names[k]);
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
                              l->dye_outflow,
                              l->heat,
                              l->heat_emitted,
                              l->heat_outflow,
                              l->energy_bodies,
                              l->momentum_bodies.x,
                              l->momentum_bodies.y,
                              l->momentum_walls.x,
                              l->momentum_walls.y};

    fprintf(csv->ledger.stream, "%.9g", time);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) put(csv->ledger.stream, numbers[i]);
    fputc('\n', csv->ledger.stream);
    return atomic_file_flush(&csv->ledger);
}

int csv_resume(struct csv *csv, const struct output_dir *output, const struct output_position *from)
{
    int code = atomic_file_reopen(&csv->ledger, output, "ledger.csv", from->ledger);
    if (code == 0) code = atomic_file_reopen(&csv->bodies, output, "bodies.csv", from->bodies);
    if (code == 0 && csv->planar)
        code = atomic_file_reopen(&csv->obstacles, output, "obstacles.csv", from->obstacles);
    if (code == 0) code = atomic_file_reopen(&csv->gauges, output, "gauges.csv", from->gauges);
    return code;
}

int csv_sync(struct csv *csv, struct output_position *mark)
{
    int code = atomic_file_sync(&csv->ledger, &mark->ledger);
    if (code == 0) code = atomic_file_sync(&csv->bodies, &mark->bodies);
    if (code == 0 && csv->planar) code = atomic_file_sync(&csv->obstacles, &mark->obstacles);
    if (code == 0) code = atomic_file_sync(&csv->gauges, &mark->gauges);
    return code;
}

int csv_ledger(struct csv *csv, double time, const tarn_ledger *l)
{
    FILE *out = csv->ledger.stream;

    if (csv->planar) return flow_ledger(csv, time, l);
    fprintf(out, "%.9g", time);
    put(out, l->volume);
    put(out, l->volume_emitted);
    put(out, l->volume_outflow);
    put(out, l->volume_displaced);
    put(out, l->volume_in_hulls);
    put(out, l->volume_error);
    put(out, l->volume_submerged);
    put(out, l->energy_water);
    put(out, l->energy_bodies);
    put3(out, l->momentum_water);
    put3(out, l->momentum_bodies);
    put3(out, l->momentum_unresolved);
    put3(out, l->momentum_walls);
    fputc('\n', out);
    return atomic_file_flush(&csv->ledger);
}

static void put_body(FILE *out, double time, const tarn_frame_body *body, const char *name)
{
    const tarn_body_state *m = &body->state;
    const tarn_load *l = &body->load;

    fprintf(out, "%.9g,%lu", time, (unsigned long)(uint32_t)body->id.value);
    put_name(out, name, "");
    put3(out, m->position);
    put(out, m->rotation.w);
    put3(out, (tarn_vec3){m->rotation.x, m->rotation.y, m->rotation.z});
    put3(out, m->velocity);
    put3(out, m->angular_velocity);
    put(out, l->submerged_volume);
    put(out, l->submerged_fraction);
    put(out, l->surface_height);
    put(out, l->hold_volume);
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
        tarn_body_info info = {0};
        tarn_body_get_info(world, frame->bodies[i].id, &info);
        put_body(csv->bodies.stream, time, &frame->bodies[i], info.name);
    }
    return atomic_file_flush(&csv->bodies);
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
    return atomic_file_flush(&csv->gauges);
}

int csv_flow_gauges(struct csv *csv, double time, const tarn_scene_info *info, const tarn_world *world)
{
    FILE *out = csv->gauges.stream;

    fprintf(out, "%.9g", time);
    for (int i = 0; i < info->gauge_count; ++i) {
        tarn_flow_sample at = {0};
        tarn_flow_get_sample(world, info->gauges[i].position.x, info->gauges[i].position.y, &at);
        const double numbers[] = {at.u, at.v, at.pressure, at.dye, at.temperature};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) put(out, numbers[k]);
    }
    fputc('\n', out);
    return atomic_file_flush(&csv->gauges);
}

int csv_obstacles(struct csv *csv, double time, const tarn_frame *frame)
{
    FILE *out = csv->obstacles.stream;

    for (int i = 0; i < frame->obstacle_count; ++i) {
        const tarn_obstacle_load *l = &frame->obstacles[i].load;
        const double numbers[] = {
            l->x,       l->y,       l->angle,      l->u,          l->v,     l->angular_velocity,
            l->force_x, l->force_y, l->friction_x, l->friction_y, l->torque};
        fprintf(out, "%.9g,%d", time, i);
        put_name(out, frame->obstacles[i].name, "");
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) put(out, numbers[k]);
        fputc('\n', out);
    }
    return atomic_file_flush(&csv->obstacles);
}

int csv_finish(struct csv *csv)
{
    int code = atomic_file_commit(&csv->ledger);
    if (code == 0) code = atomic_file_commit(&csv->bodies);
    if (code == 0 && csv->planar) code = atomic_file_commit(&csv->obstacles);
    if (code == 0) code = atomic_file_commit(&csv->gauges);
    return code;
}

void csv_discard(struct csv *csv)
{
    atomic_file_discard(&csv->ledger);
    atomic_file_discard(&csv->bodies);
    atomic_file_discard(&csv->obstacles);
    atomic_file_discard(&csv->gauges);
}
