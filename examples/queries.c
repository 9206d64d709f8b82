// Questions to a world in batches: the lidar of a drone, 7200 rays over a bay with buoys, and depth and
// velocity of the water at a thousand points for particles that drift with it.
#include <math.h>
#include <stdio.h>
#include <tarn/tarn.h>

#define PI 3.14159265358979

enum { TURNS = 360, TILTS = 20, RAYS = TURNS * TILTS, POINTS = 1000, BUOYS = 12 };

static tarn_result make_bay(tarn_world **world, tarn_error *err)
{
    tarn_fluid_def water = tarn_default_fluid_def(TARN_FLUID_SHALLOW);
    tarn_bed_def beach = tarn_default_bed_def(TARN_BED_BEACH);
    tarn_world_def def = tarn_default_world_def();
    tarn_emitter_def hump = tarn_default_emitter_def(TARN_EMITTER_HUMP);
    const tarn_shape_def ball = {.type = TARN_SHAPE_SPHERE, .sphere = {.radius = 0.4}};
    tarn_body_def buoy = tarn_default_body_def();

    water.shallow.size = (tarn_vec2){40, 40};
    water.shallow.depth = 2;
    beach.beach.slope = 0.15; // rises along x from the middle
    def.fluid = &water, def.beds = &beach, def.bed_count = 1;
    hump.hump.radius = 3, hump.hump.height = 0.5, hump.hump.position = (tarn_vec2){-10, 0};
    tarn_result r = tarn_world_create(&def, world, err);
    if (r == TARN_OK) r = tarn_emitter_create(*world, &hump, NULL, err);
    for (int i = 0; i < BUOYS && r == TARN_OK; ++i) {
        buoy.position = (tarn_vec3){-16 + 5 * (i % 4), 2, -10 + 10 * (i / 4)};
        r = tarn_body_create_with_shape(*world, &buoy, &ball, NULL, err);
    }
    return r;
}

struct scan {
    int bodies, water, ground;
};

// Rays of 40 m from a point, all around at 20 angles down to 60 degrees below the horizon; walls do not
// count.
static tarn_result scan(const tarn_world *world, tarn_vec3 from, struct scan *found)
{
    static tarn_ray rays[RAYS];
    static tarn_hit hits[RAYS];

    for (int i = 0; i < RAYS; ++i) {
        const double turn = 2 * PI * (i % TURNS) / TURNS, tilt = PI / 3 * (i / TURNS + 1) / TILTS;
        rays[i].origin = from;
        rays[i].translation =
            (tarn_vec3){40 * cos(tilt) * cos(turn), -40 * sin(tilt), 40 * cos(tilt) * sin(turn)};
        rays[i].filter.kinds = TARN_HIT_BODY | TARN_HIT_WATER | TARN_HIT_BED;
    }
    const tarn_result r = tarn_world_cast_rays(world, RAYS, rays, hits);
    for (int i = 0; i < RAYS; ++i) {
        found->bodies += hits[i].kind == TARN_HIT_BODY;
        found->water += hits[i].kind == TARN_HIT_WATER;
        found->ground += hits[i].kind == TARN_HIT_BED;
    }
    return r;
}

static double x[POINTS], z[POINTS], depth[POINTS];
static tarn_vec3 velocity[POINTS];

// Move floating particles with the water for a step.
static tarn_result drift(const tarn_world *world, double dt)
{
    const tarn_water_query query = {.count = POINTS, .x = x, .z = z, .depth = depth, .velocity = velocity};
    const tarn_result r = tarn_world_query_water(world, &query);

    for (int i = 0; i < POINTS; ++i) x[i] += dt * velocity[i].x, z[i] += dt * velocity[i].z;
    return r;
}

int main(void)
{
    tarn_world *world = NULL;
    tarn_error err = {0};
    struct scan found = {0};
    double farthest = 0.0, deepest = 0.0, x0[POINTS];
    tarn_result r = make_bay(&world, &err);

    for (int i = 0; i < POINTS; ++i) {
        x0[i] = x[i] = -18 + 0.5 * (i % 40);
        z[i] = -6 + 0.5 * (i / 40);
    }
    for (int n = 0; n < 120 && r == TARN_OK; ++n) {
        r = tarn_world_step(world);
        if (r == TARN_OK) r = drift(world, 1.0 / 60.0);
    }
    if (r == TARN_OK) r = scan(world, (tarn_vec3){-5, 8, 0}, &found);
    for (int i = 0; i < POINTS; ++i) {
        farthest = fmax(farthest, fabs(x[i] - x0[i]));
        deepest = fmax(deepest, depth[i]);
    }
    printf("%d rays: %d met buoys, %d water, %d ground\n", RAYS, found.bodies, found.water, found.ground);
    printf("%d particles: drift up to %.2f m in water up to %.2f m deep\n", POINTS, farthest, deepest);
    if (r != TARN_OK) fprintf(stderr, "%s: %s\n", err.key, err.message);
    tarn_world_destroy(world);
    return r != TARN_OK || !found.bodies || !found.water || !found.ground || farthest <= 0.0;
}
