// hash_scene WORKERS [SCENE STEPS | COUNT]: the hash of a scene file after so many steps, as `tarn run` has
// it. Without a file water of every kind with bodies falling in, and a heap of all shapes, made through
// tarn.h alone; the hash of each world COUNT (10) times. Promise in tarn.h: these lines are the same for
// every compiler, every optimisation, with and without threads. tests/determinism.sh compares them.
// tests/checks/cross.sh compiles it with HASH_CORE_ONLY for other platforms, without scene files.
#ifdef HASH_CORE_ONLY
#include <tarn/tarn.h>
#else
#include <tarn/scene.h>
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *model, *advection;
    int steps; // between hashes
    tarn_coupling_method coupling;
} worlds[] = {
    {"wave", NULL, 100, TARN_COUPLING_AUTOMATIC},
    {"shallow", "conservative", 3, TARN_COUPLING_COLUMNS},
    {"shallow", "maccormack", 3, TARN_COUPLING_COLUMNS},
    {"shallow", "semi-lagrangian", 3, TARN_COUPLING_COLUMNS},
    {"none", NULL, 10, TARN_COUPLING_AUTOMATIC},
    {"shallow", "conservative", 1, TARN_COUPLING_TRIANGLES},
    {"flow", "maccormack", 1, TARN_COUPLING_STRONG},
    {"flow", "semi-lagrangian", 1, TARN_COUPLING_STRONG},
    {"flow", "conservative", 1, TARN_COUPLING_STRONG},
    {"implicit", NULL, 2, TARN_COUPLING_PRESSURE},
    {"implicit", NULL, 1, TARN_COUPLING_PENALTY},
};
#define WORLDS ((int)(sizeof worlds / sizeof worlds[0]))

// A shore, an island, and a side of every kind that lets something through.
static void lay_land(tarn_world_def *def, tarn_fluid_def *fluid, const char *advection, tarn_bed_def beds[2])
{
    tarn_shallow_def *d = &fluid->shallow;
    d->advection = strcmp(advection, "conservative") == 0 ? TARN_SHALLOW_CONSERVATIVE
                   : strcmp(advection, "maccormack") == 0 ? TARN_SHALLOW_MACCORMACK
                                                          : TARN_SHALLOW_SEMI_LAGRANGIAN;
    d->boundary[TARN_WEST].type = TARN_BOUNDARY_WAVEMAKER;
    d->boundary[TARN_WEST].amplitude = 0.1, d->boundary[TARN_WEST].period = 1.3;
    d->boundary[TARN_EAST].type = TARN_BOUNDARY_OPEN;
    d->boundary[TARN_SOUTH].type = TARN_BOUNDARY_DISCHARGE, d->boundary[TARN_SOUTH].discharge = 0.2;
    d->boundary[TARN_NORTH].type = TARN_BOUNDARY_LEVEL, d->boundary[TARN_NORTH].level = 0.9;
    d->manning = 0.02, d->shake.amplitude.x = 0.1;
    beds[0] = tarn_default_bed_def(TARN_BED_ISLAND), beds[1] = tarn_default_bed_def(TARN_BED_BEACH);
    def->beds = beds, def->bed_count = 2;
}

// Light and heavy ones that the fluid carries; some of them touch.
static tarn_result add_swimmers(tarn_world *world, tarn_error *err)
{
    tarn_result r = TARN_OK;
    for (int i = 0; i < 6 && r == TARN_OK; ++i) {
        const tarn_shape_def disc = {.type = TARN_SHAPE_CIRCLE, .circle = {0.7}},
                             box = {.type = TARN_SHAPE_BOX, .box = {{1.6, 0.9, 1.0}, 0}};
        tarn_body_def def = tarn_default_body_def();
        tarn_body_id id;
        def.density = i < 3 ? 50.0 : 3000.0;
        def.position = (tarn_vec3){15.0 + 1.35 * (i % 3), 3.0 + 1.2 * (i / 3), 0.0};
        def.velocity.x = 0.5 * (i - 2);
        r = tarn_body_create_with_shape(world, &def, i % 2 ? &disc : &box, &id, err);
    }
    return r;
}

// A channel with heat, dye, something that stands and something that turns.
static tarn_result make_flow(int kind, int workers, tarn_world **world, tarn_error *err)
{
    tarn_fluid_def fluid = tarn_default_fluid_def(TARN_FLUID_FLOW);
    tarn_world_def def = tarn_default_world_def();
    tarn_flow_def *d = &fluid.flow;
    def.fluid = &fluid;
    def.dt = 1.0 / 120.0;
    def.host.workers = workers;
    d->size = (tarn_vec2){20.0, 16.0}, d->cells[0] = 320, d->cells[1] = 256;
    d->advection = strcmp(worlds[kind].advection, "conservative") == 0 ? TARN_FLOW_CONSERVATIVE
                   : strcmp(worlds[kind].advection, "maccormack") == 0 ? TARN_FLOW_MACCORMACK
                                                                       : TARN_FLOW_SEMI_LAGRANGIAN;
    d->boundary[TARN_WEST].type = TARN_FLOW_INFLOW, d->boundary[TARN_WEST].inflow_speed = 1.0;
    d->boundary[TARN_WEST].profile = TARN_FLOW_PARABOLIC, d->boundary[TARN_WEST].dye = 1.0;
    d->boundary[TARN_EAST].type = TARN_FLOW_OUTFLOW;
    d->boundary[TARN_SOUTH].temperature = 40.0;
    d->viscosity = 0.01, d->temperature.diffusivity = 0.2, d->dye.diffusivity = 0.001;
    d->confinement.strength = 0.5;
    tarn_result r = tarn_world_create(&def, world, err);
    tarn_obstacle_def ball = tarn_default_obstacle_def(TARN_OBSTACLE_CIRCLE),
                      bar = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    ball.motion.position = (tarn_vec2){5.0, 8.1};
    const double degree = 3.14159265358979323846 / 180.0; // [rad]
    bar.motion =
        (tarn_obstacle_motion){.position = {12.0, 7.0}, .angle = 17.0 * degree, .angular_velocity = 0.5};
    ball.circle.radius = 1.3, bar.box.size = (tarn_vec2){4.0, 0.5};
    if (r == TARN_OK) r = tarn_obstacle_create(*world, &ball, NULL, err);
    if (r == TARN_OK) r = tarn_obstacle_create(*world, &bar, NULL, err);
    if (r == TARN_OK) r = add_swimmers(*world, err);
    return r;
}

// 81,920 columns: enough that the rows are shared out among threads, in blocks that do not come out even.
static tarn_result make_world(int kind, int workers, tarn_world **world, tarn_error *err)
{
    int type = 0;
    while (strcmp(tarn_kind_at("fluid", type)->name, worlds[kind].model) != 0) ++type;
    tarn_fluid_def fluid = tarn_default_fluid_def((tarn_fluid_type)type);
    tarn_bed_def beds[2];
    tarn_world_def def = tarn_default_world_def();
    def.fluid = &fluid;
    def.dt = 1.0 / 120.0;
    def.coupling = worlds[kind].coupling;
    def.host.workers = workers;
    fluid.wave.size = (tarn_vec2){20.0, 16.0}; // all models begin with it, and continue with the cells
    if (type != TARN_FLUID_DRY) fluid.wave.cells[0] = 320, fluid.wave.cells[1] = 256;
    if (type == TARN_FLUID_WAVE) fluid.wave.boundary[TARN_EAST] = TARN_WAVE_OPEN;
    if (type == TARN_FLUID_IMPLICIT) fluid.implicit.boundary[TARN_EAST] = TARN_WAVE_OPEN;
    if (worlds[kind].coupling == TARN_COUPLING_PENALTY) // and surface tension, and water thrown up
        fluid.implicit.surface_tension = 0.5, def.splash = 0.2;
    if (worlds[kind].advection) lay_land(&def, &fluid, worlds[kind].advection, beds);
    const tarn_result r = tarn_world_create(&def, world, err);
    return r;
}

static tarn_result add_hump(tarn_world *world, tarn_error *err)
{
    const tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    return tarn_emitter_create(world, &hump, NULL, err);
}

// Light and heavy ones in turn, from different heights, close enough to meet, all turning.
static tarn_result add_bodies(tarn_world *world, tarn_error *err)
{
    tarn_result r = TARN_OK;
    for (int i = 0; i < 8 && r == TARN_OK; ++i) {
        const tarn_shape_def shape = tarn_default_shape_def(i % 2 ? TARN_SHAPE_BOX : TARN_SHAPE_SPHERE);
        tarn_body_def def = tarn_default_body_def();
        tarn_body_id body;
        def.density = i % 3 == 2 ? 1500.0 : 200.0 + 90.0 * i;
        def.position = (tarn_vec3){-2.0 + 0.7 * i, 2.0 + 0.5 * (i % 4), 0.4 * (i % 3)};
        def.velocity = (tarn_vec3){0.5 - 0.1 * i, -1.0, 0.2};
        def.angular_velocity = (tarn_vec3){0.3 * i, 1.0, -0.5};
        r = tarn_body_create_with_shape(world, &def, &shape, &body, err);
    }
    return r;
}

// A boat under way with its rim in the water, a ring afloat and a bottle below: they are in the water from
// the start.
static tarn_result add_boats(tarn_world *world, tarn_error *err)
{
    static const tarn_shape_type shapes[] = {TARN_SHAPE_WIGLEY, TARN_SHAPE_TORUS, TARN_SHAPE_CAPSULE};
    tarn_result r = TARN_OK;
    for (int i = 0; i < 3 && r == TARN_OK; ++i) {
        tarn_shape_def shape = tarn_default_shape_def(shapes[i]);
        tarn_body_def def = tarn_default_body_def();
        tarn_body_id body;
        def.position = (tarn_vec3){4.0 - 1.5 * i, 0.95 - 0.2 * i, -2.0};
        def.velocity = (tarn_vec3){1.0, 0.0, 0.5};
        def.density = 400.0;
        if (i == 0) shape.wigley.wall_thickness = 0.01;
        if (i == 0)
            def.thruster.force = 50.0, def.rudder.angle = 0.35, def.rudder.area = 0.05, def.density = 3000.0;
        r = tarn_body_create_with_shape(world, &def, &shape, &body, err);
    }
    return r;
}

// Sixty that fall on each other, every shape that needs no list or file, some of them on lines.
static tarn_result add_heap(tarn_world *world, tarn_error *err)
{
    static const tarn_shape_type shapes[] = {TARN_SHAPE_BOX,   TARN_SHAPE_CAPSULE, TARN_SHAPE_CYLINDER,
                                             TARN_SHAPE_CONE,  TARN_SHAPE_TORUS,   TARN_SHAPE_SPHERE,
                                             TARN_SHAPE_WIGLEY};
    tarn_result r = TARN_OK;
    for (int i = 0; i < 60 && r == TARN_OK; ++i) {
        const tarn_shape_def shape = tarn_default_shape_def(shapes[i % 7]);
        tarn_body_def def = tarn_default_body_def();
        tarn_body_id body;
        def.position = (tarn_vec3){0.5 * (i % 3) + 0.01 * i, 1.0 + 0.4 * (i / 6), 0.6 * (i % 2)};
        def.rotation = (tarn_quat){1.0, 0.1 * (i % 5), 0.2, 0.3 * (i % 4)};
        def.angular_velocity = (tarn_vec3){0.3 * (i % 7), 1.0, -0.5};
        r = tarn_body_create_with_shape(world, &def, &shape, &body, err);
        if (r != TARN_OK || i % 9) continue;
        tarn_joint_def line = tarn_default_joint_def(i % 2 ? TARN_JOINT_ROPE : TARN_JOINT_BALL);
        tarn_joint_id joint;
        line.body_a = body, line.anchor_a = line.anchor_b = def.position;
        line.anchor_a.x += 0.1, line.anchor_b.y += 1.0;
        r = tarn_joint_create(world, &line, &joint, err);
    }
    return r;
}

static tarn_result run(int kind, int workers, uint64_t count, tarn_error *err)
{
    tarn_world *world = NULL;
    const int flow = strcmp(worlds[kind].model, "flow") == 0;
    tarn_result r = (flow ? make_flow : make_world)(kind, workers, &world, err);
    const int dry = strcmp(worlds[kind].model, "none") == 0;
    if (r == TARN_OK && !dry && !flow) r = add_hump(world, err);
    if (r == TARN_OK && !flow) r = dry ? add_heap(world, err) : add_bodies(world, err);
    if (r == TARN_OK && !dry && !flow) r = add_boats(world, err);
    // The world's own dt may come out a hair longer than the caller's: hash by its count of steps.
    for (uint64_t n = 1; r == TARN_OK && n <= count;) {
        r = tarn_world_advance(world, 1.0 / 120.0);
        if (r == TARN_OK && tarn_world_get_status(world).steps == n * (uint64_t)worlds[kind].steps) {
            printf("%d %4d %016" PRIx64 "\n", kind, (int)n, tarn_world_hash(world));
            ++n;
        }
    }
    if (r != TARN_OK)
        fprintf(stderr, "%s %s%s\n", err->key, err->message, world ? tarn_world_get_failure(world) : "");
    tarn_world_destroy(world);
    return r;
}

#ifndef HASH_CORE_ONLY
static int run_file(int workers, const char *path, uint64_t steps)
{
    const tarn_host host = {.workers = workers, .retries = 3};
    tarn_scene *scene = NULL;
    tarn_world *world = NULL;
    tarn_diagnostics diagnostics = {0};
    tarn_result r = tarn_scene_read(path, &scene, &diagnostics);
    if (r == TARN_OK) r = tarn_scene_create_world(scene, &host, &world, &diagnostics);
    if (r != TARN_OK) fprintf(stderr, "%s: %s\n", path, diagnostics.count ? diagnostics.list[0].message : "");
    tarn_scene_info info = {0};
    if (r == TARN_OK) r = tarn_scene_get_info(scene, &info);
    while (r == TARN_OK && tarn_world_get_status(world).steps < steps) r = tarn_world_advance(world, info.dt);
    if (r == TARN_OK) printf("%016" PRIx64 "\n", tarn_world_hash(world));
    if (r == TARN_DIVERGED) fprintf(stderr, "%s: %s\n", path, tarn_world_get_failure(world));
    tarn_world_destroy(world);
    tarn_scene_destroy(scene);
    tarn_diagnostics_free(&diagnostics);
    return r;
}
#endif

int main(int argc, char **argv)
{
#ifndef HASH_CORE_ONLY
    if (argc > 3) return run_file(atoi(argv[1]), argv[2], strtoull(argv[3], NULL, 10));
#endif
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    tarn_error err = {0};
    tarn_result r = TARN_OK;
    for (int kind = 0; kind < WORLDS && r == TARN_OK; ++kind)
        r = run(kind, argc > 1 ? atoi(argv[1]) : 1, count, &err);
    return r;
}
