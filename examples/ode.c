// Bring your own engine: ODE moves the bodies, tarn moves the water.
//     cc ode.c $(pkg-config --cflags --libs tarn ode) -lstdc++ -lm
//
// Balls and boxes are thrown into a pool. ODE owns them: mass, gravity, collisions, walls. tarn has an external body
// of the same shape and mass for each, which presses on the water, and in every step they talk: step() below.
// Two rules keep it calm:
// - Both engines take the same short step, and the water needs no inner steps within it (inner_per_step is 1).
// - ODE is given free_force and free_torque. force and torque are right for a body that is held; one that may go
//   takes water along. Measured at this step, all six of one density: with `force` the flat box is thrown out of the
//   pool at 10 kg/m^3, 500 m high. With `free_force` all float within 0.1 % of where Archimedes says at 10 and at
//   5 kg/m^3, within 1.5 % at 2; at 1 (air has 1.2) within 10 %, trembling by less than a millimetre.
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <tarn/tarn.h>

#define STEP  (1.0 / 240.0) // [s] of both engines; a game takes four in a frame
#define POOL  4.0           // [m] long and wide
#define WATER 1000.0        // [kg/m^3]

static struct thing {
    double size[3]; // [m] of a box, or the radius of a ball
    double density; // [kg/m^3]
    double position[3], velocity[3];
    dBodyID body;   // in ODE
    tarn_body twin; // in tarn
} things[] = {
    {{0.20}, 5, {-1.0, 1.8, -0.8}, {1, -2, 0}, 0, {0}},
    {{0.25}, 200, {0.9, 2.2, 0.8}, {-2, 0, -1}, 0, {0}},
    {{0.15}, 500, {0.0, 2.6, 0.0}, {0, -3, 0}, 0, {0}},
    {{0.5, 0.2, 0.4}, 10, {-0.9, 2.1, 0.9}, {1, 0, -1}, 0, {0}},
    {{0.4, 0.4, 0.4}, 300, {0.0, 1.7, 1.1}, {0, -1, -2}, 0, {0}},
    {{0.6, 0.3, 0.3}, 700, {0.1, 3.0, 0.2}, {0, -2, 0}, 0, {0}},
};
enum { THINGS = sizeof things / sizeof things[0] };

struct pool {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    tarn_world *water;
};

static int make_pool(struct pool *p)
{
    tarn_world_def def = tarn_world_def_default("wave");
    def.dt = STEP, def.density = WATER;
    *p = (struct pool){dWorldCreate(), dHashSpaceCreate(NULL), dJointGroupCreate(0), NULL};
    dWorldSetGravity(p->world, 0, -def.gravity, 0);
    dCreatePlane(p->space, 0, 1, 0, 0);
    for (int side = -1; side <= 1; side += 2) {
        dCreatePlane(p->space, side, 0, 0, -POOL / 2);
        dCreatePlane(p->space, 0, 0, side, -POOL / 2);
    }
    return tarn_spec_set(&def.fluid, "size", tarn_pair(POOL, POOL), NULL) ||
           tarn_spec_set(&def.fluid, "cells", tarn_pair(64, 64), NULL) ||
           tarn_spec_set(&def.fluid, "damping", tarn_number(1), NULL) || // [1/s] waves die in a few seconds
           tarn_world_create(&def, &p->water, NULL);
}

// The same body in both.
static int throw_in(struct pool *p, struct thing *t)
{
    const double *s = t->size, *x = t->position, *v = t->velocity;
    const int ball = s[1] == 0.0;
    tarn_body_def def = tarn_body_def_default(ball ? "sphere" : "box");
    dMass mass;
    t->body = dBodyCreate(p->world);
    if (ball) dMassSetSphere(&mass, t->density, s[0]);
    if (!ball) dMassSetBox(&mass, t->density, s[0], s[1], s[2]);
    dBodySetMass(t->body, &mass);
    dGeomSetBody(ball ? dCreateSphere(p->space, s[0]) : dCreateBox(p->space, s[0], s[1], s[2]), t->body);
    dBodySetPosition(t->body, x[0], x[1], x[2]);
    dBodySetLinearVel(t->body, v[0], v[1], v[2]);
    def.external = 1, def.mass = mass.mass; // free_force depends on the mass
    def.position = (tarn_vec3){x[0], x[1], x[2]};
    return (ball ? tarn_spec_set(&def.shape, "radius", tarn_number(s[0]), NULL)
                 : tarn_spec_set(&def.shape, "size", tarn_triple(s[0], s[1], s[2]), NULL)) ||
           tarn_body_create(p->water, &def, &t->twin, NULL);
}

static void touch(void *pool, dGeomID a, dGeomID b)
{
    struct pool *p = pool;
    dContact c[4];
    for (int i = dCollide(a, b, 4, &c[0].geom, sizeof c[0]); i-- > 0;) {
        c[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = 0.1};
        dJointAttach(dJointCreateContact(p->world, p->contacts, &c[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
}

static int step(struct pool *p)
{
    for (int i = 0; i < THINGS; ++i) { // ODE to tarn: where the bodies are and how they move
        const dBodyID body = things[i].body;
        const dReal *x = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
        const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
        const tarn_motion m = {
            {x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
        if (tarn_body_move(p->water, things[i].twin, &m)) return 1;
    }
    if (tarn_world_step(p->water, STEP)) return 1;
    for (int i = 0; i < THINGS; ++i) { // tarn to ODE: what the water does to them
        tarn_load l;
        if (tarn_body_load(p->water, things[i].twin, &l)) return 1;
        dBodyAddForce(things[i].body, l.free_force.x, l.free_force.y, l.free_force.z);
        dBodyAddTorque(things[i].body, l.free_torque.x, l.free_torque.y, l.free_torque.z);
    }
    dJointGroupEmpty(p->contacts);
    dSpaceCollide(p->space, p, touch);
    return !dWorldQuickStep(p->world, STEP);
}

// A line of the table. Gives back the largest error of a submerged volume, relative: Archimedes says density/WATER.
static double tell(const struct pool *p, double time)
{
    double worst = 0.0;
    printf("\n%4.0f", time);
    for (int i = 0; i < THINGS; ++i) {
        tarn_load l = {0};
        tarn_body_load(p->water, things[i].twin, &l);
        printf("  %7.3f %.4f", dBodyGetPosition(things[i].body)[1], l.submerged_fraction);
        worst = fmax(worst, fabs(l.submerged_fraction * WATER / things[i].density - 1.0));
    }
    return worst;
}

int main(void)
{
    struct pool p = {0};
    double worst = 0.0;
    dInitODE();
    dRandSetSeed(1); // QuickStep shuffles: the same way every time
    int bad = make_pool(&p);
    for (int i = 0; i < THINGS && !bad; ++i) bad = throw_in(&p, &things[i]);
    printf("time [s], then height [m] and submerged part of three balls and three boxes with densities of\n  "
           "  ");
    for (int i = 0; i < THINGS; ++i) printf("%9.0f kg/m^3", things[i].density);
    for (int n = 0; n <= 20 * 240 && !bad; ++n) {
        if (n % 480 == 0) worst = tell(&p, n * STEP);
        bad = step(&p);
    }
    if (bad) printf("\nfailed %s\n", tarn_world_trouble(p.water));
    if (!bad) printf("\nwithin %.2g %% of where Archimedes says\n", 100.0 * worst);
    tarn_world_destroy(p.water);
    dJointGroupDestroy(p.contacts), dSpaceDestroy(p.space), dWorldDestroy(p.world);
    dCloseODE();
    return bad || worst > 0.01;
}
