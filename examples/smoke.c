// Smoke in a wind tunnel: a channel with a fixed cylinder and a turning paddle. Drag and lift of the cylinder
// are printed, and with a file name as argument the last picture is written as a PGM image.
#include <math.h>
#include <stdio.h>
#include <tarn/tarn.h>

static tarn_result make_tunnel(tarn_world **world, tarn_error *err)
{
    tarn_fluid_def air = tarn_default_fluid_def(TARN_FLUID_FLOW);
    tarn_world_def def = tarn_default_world_def();

    air.flow.size = (tarn_vec2){2.4, 0.8};
    air.flow.cells[0] = 240, air.flow.cells[1] = 80;
    air.flow.viscosity = 1e-3;
    air.flow.boundary[TARN_WEST].type = TARN_FLOW_INFLOW;
    air.flow.boundary[TARN_WEST].inflow_speed = 1.0;
    air.flow.boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
    def.fluid = &air, def.density = 1.2;
    return tarn_world_create(&def, world, err);
}

static tarn_result add_obstacles(tarn_world *world, tarn_obstacle_id *cylinder, tarn_error *err)
{
    tarn_obstacle_def disc = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE);
    tarn_obstacle_def paddle = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);

    disc.circle.radius = 0.1;
    disc.motion.position = (tarn_vec2){0.5, 0.4};
    paddle.box.size = (tarn_vec2){0.3, 0.04};
    paddle.motion.position = (tarn_vec2){1.2, 0.4};
    paddle.motion.angular_velocity = 3.0;
    const tarn_result r = tarn_obstacle_create(world, &disc, cylinder, err);
    return r == TARN_OK ? tarn_obstacle_create(world, &paddle, NULL, err) : r;
}

// Smoke enters in a stripe before the cylinder.
static tarn_result add_smoke(tarn_world *world, tarn_error *err)
{
    tarn_emitter_def smoke = tarn_default_emitter_def(TARN_EMITTER_SOURCE);

    smoke.source.position = (tarn_vec2){0.08, 0.4};
    smoke.source.radius = 0.06;
    smoke.source.dye = 20;
    return tarn_emitter_create(world, &smoke, NULL, err);
}

static int write_image(const char *path, const tarn_frame *frame)
{
    FILE *file = fopen(path, "wb");

    if (!file) return 1;
    fprintf(file, "P5 %d %d 255\n", frame->nx, frame->nz);
    for (int j = frame->nz - 1; j >= 0; --j)
        for (int i = 0; i < frame->nx; ++i)
            fputc((int)(255 * fmin(1.0, fmax(0.0, frame->dye[j * frame->nx + i]))), file);
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    tarn_world *world = NULL;
    tarn_obstacle_id cylinder = {0};
    tarn_obstacle_load load = {0};
    tarn_frame frame = {0};
    tarn_error err = {0};
    tarn_result r = make_tunnel(&world, &err);

    if (r == TARN_OK) r = add_obstacles(world, &cylinder, &err);
    if (r == TARN_OK) r = add_smoke(world, &err);
    for (int n = 1; n <= 240 && r == TARN_OK; ++n) {
        r = tarn_world_step(world);
        if (n % 60 || r != TARN_OK) continue;
        r = tarn_obstacle_get_load(world, cylinder, &load);
        printf("%.0f s  drag %.3f N/m  lift %+.3f N/m\n", n / 60.0, load.force_x, load.force_y);
    }
    if (r == TARN_OK && argc > 1) r = tarn_world_get_frame(world, 1.0, &frame);
    if (r == TARN_OK && argc > 1 && write_image(argv[1], &frame)) r = TARN_IO;
    if (r != TARN_OK) fprintf(stderr, "%s: %s\n", err.key, err.message);
    tarn_frame_free(&frame);
    tarn_world_destroy(world);
    return r != TARN_OK || load.force_x <= 0.0;
}
