// The program has a sea of its own, Gerstner waves, and lets tarn float boats in it: one function gives surface
// and velocity at many points.
#include <math.h>
#include <stdio.h>
#include <tarn/tarn.h>

enum { WAVES = 3, BOATS = 60 };

// A particle that rests at (X, Z) is at X - sum direction a sin(theta), y = sum a cos(theta), with
// theta = k direction . (X, Z) - omega t.
struct sea {
    double amplitude[WAVES], wavelength[WAVES]; // [m]
    double x[WAVES], z[WAVES];                  // direction
};

// Displacement and velocity of the particle that rests at (X, Z).
static void move_particle(const struct sea *s, double time, double rest_x, double rest_z, tarn_vec3 *offset,
                          tarn_vec3 *velocity)
{
    *offset = *velocity = (tarn_vec3){0, 0, 0};
    for (int n = 0; n < WAVES; ++n) {
        const double k = 6.283185307179586 / s->wavelength[n], omega = sqrt(9.81 * k), a = s->amplitude[n],
                     phase = k * (s->x[n] * rest_x + s->z[n] * rest_z) - omega * time;
        offset->x -= s->x[n] * a * sin(phase), offset->z -= s->z[n] * a * sin(phase);
        offset->y += a * cos(phase);
        velocity->x += s->x[n] * a * omega * cos(phase), velocity->z += s->z[n] * a * omega * cos(phase);
        velocity->y += a * omega * sin(phase);
    }
}

// Which particle is at (x, z)? The iteration X = x - offset(X) converges because the waves are not steep.
static void sample_sea(void *context, double time, int count, const double *x, const double *z,
                       tarn_ocean_point *out)
{
    for (int i = 0; i < count; ++i) {
        tarn_vec3 offset = {0, 0, 0};
        for (int n = 0; n < 4; ++n)
            move_particle(context, time, x[i] - offset.x, z[i] - offset.z, &offset, &out[i].velocity);
        out[i].height = offset.y, out[i].bed = -INFINITY;
    }
}

static tarn_result add_boats(tarn_world *world, tarn_body_id *boats, tarn_error *err)
{
    const tarn_shape_def hull = {.type = TARN_SHAPE_WIGLEY,
                                 .wigley = {.length = 4, .breadth = 1.4, .draft = 0.5, .freeboard = 0.5}};
    tarn_shape *shape = NULL;
    tarn_body_def def = tarn_default_body_def();
    tarn_result r = tarn_shape_create(&hull, NULL, &shape, err);

    def.shape = shape, def.density = 350;
    for (int i = 0; i < BOATS && r == TARN_OK; ++i) {
        const double x = 9.0 * (i % 10) - 40, z = 9.0 * (i / 10) - 22;
        def.position = (tarn_vec3){x, tarn_world_get_surface(world, x, z).height, z};
        r = tarn_body_create(world, &def, &boats[i], err);
    }
    tarn_shape_release(shape);
    return r;
}

int main(void)
{
    struct sea sea = {{0.5, 0.25, 0.1}, {45, 22, 11}, {1, 0.8, 0.6}, {0, 0.6, -0.8}};
    tarn_fluid_def water = tarn_default_fluid_def(TARN_FLUID_OCEAN);
    tarn_world_def def = tarn_default_world_def();
    tarn_body_id boats[BOATS];
    tarn_world *world = NULL;
    tarn_error err = {0};
    double apart = 0;

    def.host.ocean = (tarn_ocean_source){.sample = sample_sea, .context = &sea};
    water.ocean.from_host = true, water.ocean.decay = sea.wavelength[0] / 6.283;
    water.ocean.size = (tarn_vec2){120, 80};
    water.ocean.cells[0] = 60, water.ocean.cells[1] = 40;
    def.fluid = &water;
    tarn_result r = tarn_world_create(&def, &world, &err);
    if (r == TARN_OK) r = add_boats(world, boats, &err);
    for (int n = 0; n < 300 && r == TARN_OK; ++n) r = tarn_world_step(world);
    for (int i = 0; i < BOATS && r == TARN_OK; ++i) {
        tarn_body_state s;
        r = tarn_body_get_state(world, boats[i], &s);
        apart +=
            fabs(s.position.y - tarn_world_get_surface(world, s.position.x, s.position.z).height) / BOATS;
    }
    if (r != TARN_OK) fprintf(stderr, "%s: %s\n", err.key, err.message);
    printf("%d boats after 5 s: on average %.2f m from the surface\n", BOATS, apart);
    tarn_world_destroy(world);
    return r != TARN_OK || apart > 0.3;
}
