// Coupling with another physics engine: Chipmunk simulates the bodies, tarn the fluid (planar model).
//     cc chipmunk.c $(pkg-config --cflags --libs tarn) -lchipmunk -lm
//
// Discs and boxes of different densities move in a closed box full of water. Chipmunk handles mass, gravity,
// collisions and walls. For each body tarn has a kinematic body of the same shape and mass, and
// step() below exchanges forces and motion in every step. `effective_force` includes the added mass, so that
// bodies of any density are stable. Velocity changes by Chipmunk's contacts reach the fluid with the next
// tarn_body_set_state().
#include <chipmunk/chipmunk.h>
#include <math.h>
#include <stdio.h>
#include <tarn/tarn.h>

#define STEP (1.0 / 120.0) // [s] of both engines
#define SIDE 1.0           // [m] edge length of the box

static struct coupled_body {
    double width, height; // [m] of a box; height 0: a disc of this diameter
    double density;       // [kg/m^3]
    double x, y;          // [m] at the start
    cpBody *cp_body;      // in Chipmunk
    tarn_body_id id;      // in tarn
} bodies[] = {
    {0.16, 0.0, 50, 0.3, 0.3, NULL, {0}},      {0.12, 0.0, 3000, 0.35, 0.7, NULL, {0}},
    {0.10, 0.0, 1000, 0.8, 0.5, NULL, {0}},    {0.20, 0.08, 300, 0.65, 0.25, NULL, {0}},
    {0.12, 0.12, 2000, 0.65, 0.75, NULL, {0}}, {0.08, 0.14, 700, 0.15, 0.55, NULL, {0}},
};
enum { BODY_COUNT = sizeof bodies / sizeof bodies[0] };

static int add_body(cpSpace *space, tarn_world *water, struct coupled_body *b)
{
    const int is_disc = b->height == 0.0;
    const double area = is_disc ? CP_PI * b->width * b->width / 4 : b->width * b->height,
                 mass = b->density * area;
    const double inertia = is_disc ? cpMomentForCircle(mass, 0, b->width / 2, cpvzero)
                                   : cpMomentForBox(mass, b->width, b->height);
    b->cp_body = cpSpaceAddBody(space, cpBodyNew(mass, inertia));
    cpBodySetPosition(b->cp_body, cpv(b->x, b->y));
    cpShape *shape = is_disc ? cpCircleShapeNew(b->cp_body, b->width / 2, cpvzero)
                             : cpBoxShapeNew(b->cp_body, b->width, b->height, 0);
    cpShapeSetFriction(cpSpaceAddShape(space, shape), 0.5);

    tarn_body_def def = tarn_default_body_def();
    def.mass = mass, def.type = TARN_BODY_KINEMATIC;
    def.position = (tarn_vec3){b->x, b->y, 0};
    const tarn_shape_def disc = {.type = TARN_SHAPE_CIRCLE, .circle = {b->width / 2}},
                         box = {.type = TARN_SHAPE_BOX, .box = {{b->width, b->height, 1}, 0}};
    return tarn_body_create_with_shape(water, &def, is_disc ? &disc : &box, &b->id, NULL);
}

// Step the fluid, apply its forces to the bodies, step the bodies, and return their motion to the fluid.
static int step(cpSpace *space, tarn_world *water)
{
    if (tarn_world_advance(water, STEP) != TARN_OK) return 1;
    for (int i = 0; i < BODY_COUNT; ++i) {
        tarn_load load;
        if (tarn_body_get_load(water, bodies[i].id, &load) != TARN_OK) return 1;
        cpBodySetForce(bodies[i].cp_body, cpv(load.effective_force.x, load.effective_force.y));
        cpBodySetTorque(bodies[i].cp_body, load.effective_torque.z);
    }
    cpSpaceStep(space, STEP);
    for (int i = 0; i < BODY_COUNT; ++i) {
        const cpBody *b = bodies[i].cp_body;
        const cpVect p = cpBodyGetPosition(b), v = cpBodyGetVelocity(b);
        const double half = 0.5 * cpBodyGetAngle(b);
        const tarn_body_state m = {.position = {p.x, p.y, 0},
                                   .rotation = {cos(half), 0, 0, sin(half)},
                                   .velocity = {v.x, v.y, 0},
                                   .angular_velocity = {0, 0, cpBodyGetAngularVelocity(b)}};
        if (tarn_body_set_state(water, bodies[i].id, &m) != TARN_OK) return 1;
    }
    return 0;
}

static void add_walls(cpSpace *space)
{
    const cpVect corner[4] = {cpv(0, 0), cpv(SIDE, 0), cpv(SIDE, SIDE), cpv(0, SIDE)};
    for (int i = 0; i < 4; ++i) {
        cpShape *wall = cpSegmentShapeNew(cpSpaceGetStaticBody(space), corner[i], corner[(i + 1) % 4], 0);
        cpShapeSetFriction(cpSpaceAddShape(space, wall), 0.5);
    }
}

// At the end lighter bodies must be in the upper half, heavier ones in the lower half, and all inside.
// @return the number of bodies that are not
static int check_result(void)
{
    int failed = 0;
    for (int i = 0; i < BODY_COUNT; ++i) {
        const cpVect p = cpBodyGetPosition(bodies[i].cp_body), v = cpBodyGetVelocity(bodies[i].cp_body);
        const int inside = 0 < p.x && p.x < SIDE && 0 < p.y && p.y < SIDE; // false for NaN
        const int in_expected_half =
            bodies[i].density == 1000 || (p.y > SIDE / 2) == (bodies[i].density < 1000);
        printf("%5g kg/m^3  at %.3f %.3f m, %.3f m/s%s\n", bodies[i].density, p.x, p.y, cpvlength(v),
               inside && in_expected_half ? "" : "  FAILED");
        failed += !inside || !in_expected_half;
    }
    return failed;
}

int main(void)
{
    cpSpace *space = cpSpaceNew();
    tarn_fluid_def flow = tarn_default_fluid_def(TARN_FLUID_FLOW);
    tarn_world_def def = tarn_default_world_def();
    tarn_world *water = NULL;
    cpSpaceSetGravity(space, cpv(0, -def.gravity));
    cpSpaceSetCollisionSlop(space, 0.001); // [m] allowed overlap
    add_walls(space);
    def.dt = STEP;
    flow.flow.size = (tarn_vec2){SIDE, SIDE};
    flow.flow.cells[0] = flow.flow.cells[1] = 64;
    def.fluid = &flow;
    int failed = tarn_world_create(&def, &water, NULL);
    for (int i = 0; i < BODY_COUNT && !failed; ++i) failed = add_body(space, water, &bodies[i]);
    for (int n = 0; n < 6 / STEP && !failed; ++n) failed = step(space, water);
    failed = failed || check_result() > 0;
    tarn_world_destroy(water);
    cpSpaceFree(space); // bodies and shapes are freed at exit
    return failed;
}
