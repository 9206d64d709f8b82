// Bring your own engine: Chipmunk moves the bodies, tarn moves the fluid between them.
//     cc chipmunk.c $(pkg-config --cflags --libs tarn) -lchipmunk -lm
//
// Discs and boxes of all densities are let go in a box full of water, seen from the front. Chipmunk owns them: mass,
// gravity, collisions, walls. tarn has an external body of the same shape and mass for each, and in every step they talk:
// step() below. free_force is what makes a body of any lightness move as it would with the fluid that it takes along;
// what Chipmunk's contacts change, the fluid hears of with the next tarn_body_move().
#include <chipmunk/chipmunk.h>
#include <math.h>
#include <stdio.h>
#include <tarn/tarn.h>

#define STEP (1.0 / 120.0) // [s] of both engines
#define SIDE 1.0           // [m] of the box

static struct thing {
    double wide, high; // [m] of a box; high 0: a disc that is so wide
    double density;    // [kg/m^3]
    double x, y;
    cpBody *body;   // in Chipmunk
    tarn_body twin; // in tarn
} things[] = {
    {0.16, 0.0, 50, 0.3, 0.3, NULL, {0}},      {0.12, 0.0, 3000, 0.35, 0.7, NULL, {0}},
    {0.10, 0.0, 1000, 0.8, 0.5, NULL, {0}},    {0.20, 0.08, 300, 0.65, 0.25, NULL, {0}},
    {0.12, 0.12, 2000, 0.65, 0.75, NULL, {0}}, {0.08, 0.14, 700, 0.15, 0.55, NULL, {0}},
};
enum { THINGS = sizeof things / sizeof things[0] };

static int add_thing(cpSpace *space, tarn_world *water, struct thing *t)
{
    const int round = t->high == 0.0;
    const double area = round ? CP_PI * t->wide * t->wide / 4 : t->wide * t->high, mass = t->density * area;
    const double inertia =
        round ? cpMomentForCircle(mass, 0, t->wide / 2, cpvzero) : cpMomentForBox(mass, t->wide, t->high);
    t->body = cpSpaceAddBody(space, cpBodyNew(mass, inertia));
    cpBodySetPosition(t->body, cpv(t->x, t->y));
    cpShape *shape =
        round ? cpCircleShapeNew(t->body, t->wide / 2, cpvzero) : cpBoxShapeNew(t->body, t->wide, t->high, 0);
    cpShapeSetFriction(cpSpaceAddShape(space, shape), 0.5);

    tarn_body_def def = tarn_body_def_default(round ? "circle" : "box");
    def.mass = mass, def.external = 1;
    def.position = (tarn_vec3){t->x, t->y, 0};
    const int wrong = round ? tarn_spec_set(&def.shape, "radius", tarn_number(t->wide / 2), NULL)
                            : tarn_spec_set(&def.shape, "size", tarn_triple(t->wide, t->high, 1), NULL);
    return wrong || tarn_body_create(water, &def, &t->twin, NULL);
}

// The fluid moves and says what it does to the bodies; Chipmunk moves them and says where they are.
static int step(cpSpace *space, tarn_world *water)
{
    if (tarn_world_step(water, STEP) != TARN_OK) return 1;
    for (int i = 0; i < THINGS; ++i) {
        tarn_load load;
        if (tarn_body_load(water, things[i].twin, &load) != TARN_OK) return 1;
        cpBodySetForce(things[i].body, cpv(load.free_force.x, load.free_force.y));
        cpBodySetTorque(things[i].body, load.free_torque.z);
    }
    cpSpaceStep(space, STEP);
    for (int i = 0; i < THINGS; ++i) {
        const cpBody *b = things[i].body;
        const cpVect p = cpBodyGetPosition(b), v = cpBodyGetVelocity(b);
        const double half = 0.5 * cpBodyGetAngle(b);
        const tarn_motion m = {.position = {p.x, p.y, 0},
                               .rotation = {cos(half), 0, 0, sin(half)},
                               .velocity = {v.x, v.y, 0},
                               .spin = {0, 0, cpBodyGetAngularVelocity(b)}};
        if (tarn_body_move(water, things[i].twin, &m) != TARN_OK) return 1;
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

// What is lighter than water must be above the middle in the end, what is heavier below, and all inside.
static int judge(void)
{
    int wrong = 0;
    for (int i = 0; i < THINGS; ++i) {
        const cpVect p = cpBodyGetPosition(things[i].body), v = cpBodyGetVelocity(things[i].body);
        const int inside = 0 < p.x && p.x < SIDE && 0 < p.y && p.y < SIDE; // not for a NaN
        const int placed = things[i].density == 1000 || (p.y > SIDE / 2) == (things[i].density < 1000);
        printf("%5g kg/m^3  at %.3f %.3f m, %.3f m/s%s\n", things[i].density, p.x, p.y, cpvlength(v),
               inside && placed ? "" : "  WRONG");
        wrong += !inside || !placed;
    }
    return wrong;
}

int main(void)
{
    cpSpace *space = cpSpaceNew();
    tarn_world_def def = tarn_world_def_default("flow");
    tarn_world *water = NULL;
    cpSpaceSetGravity(space, cpv(0, -def.gravity));
    cpSpaceSetCollisionSlop(space, 0.001); // [m]
    add_walls(space);
    def.dt = STEP;
    int wrong = tarn_spec_set(&def.fluid, "size", tarn_pair(SIDE, SIDE), NULL) ||
                tarn_spec_set(&def.fluid, "cells", tarn_pair(64, 64), NULL) ||
                tarn_world_create(&def, &water, NULL);
    for (int i = 0; i < THINGS && !wrong; ++i) wrong = add_thing(space, water, &things[i]);
    for (int n = 0; n < 6 / STEP && !wrong; ++n) wrong = step(space, water);
    wrong = wrong || judge() > 0;
    tarn_world_destroy(water);
    cpSpaceFree(space); // bodies and shapes go with the program
    return wrong;
}
