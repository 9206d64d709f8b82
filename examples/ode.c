// Coupling with another physics engine: ODE simulates the bodies, tarn the water (model wave).
//     cc ode.c $(pkg-config --cflags --libs tarn ode) -lstdc++ -lm
//
// Balls and boxes are thrown into a pool. ODE handles mass, gravity, collisions and walls. For each body tarn
// has a kinematic body of the same shape and mass, which loads the water surface, and step() below exchanges
// motion and forces in every step. Two rules keep the coupling stable:
//
// 1. Both engines take the same short step, and the fluid needs one substep for it (substeps_next is 1).
//
// 2. ODE is given effective_force and effective_torque, which include added mass, damping and stiffness.
//    `force` and `torque` are the loads on a body that does not respond. Measured with this step and all six
//    bodies of one density: with `force` the flat box of 10 kg/m^3 is thrown 500 m high. With
//    `effective_force` the submerged volume is within 0.1 % of the law of Archimedes at 10 and 5 kg/m^3,
//    within 1.5 % at 2 and within 10 % at 1 kg/m^3 (air has 1.2), with oscillations below a millimetre.
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <tarn/tarn.h>

#define STEP  (1.0 / 240.0) // [s] of both engines; four steps per frame at 60 Hz
#define POOL  4.0           // [m] length and width
#define WATER 1000.0        // [kg/m^3]

static struct coupled_body {
    double size[3]; // [m] edge lengths of a box, or the radius of a ball
    double density; // [kg/m^3]
    double position[3], velocity[3];
    dBodyID ode_body; // in ODE
    tarn_body_id id;  // in tarn
} bodies[] = {
    {{0.20}, 5, {-1.0, 1.8, -0.8}, {1, -2, 0}, 0, {0}},
    {{0.25}, 200, {0.9, 2.2, 0.8}, {-2, 0, -1}, 0, {0}},
    {{0.15}, 500, {0.0, 2.6, 0.0}, {0, -3, 0}, 0, {0}},
    {{0.5, 0.2, 0.4}, 10, {-0.9, 2.1, 0.9}, {1, 0, -1}, 0, {0}},
    {{0.4, 0.4, 0.4}, 300, {0.0, 1.7, 1.1}, {0, -1, -2}, 0, {0}},
    {{0.6, 0.3, 0.3}, 700, {0.1, 3.0, 0.2}, {0, -2, 0}, 0, {0}},
};
enum { BODY_COUNT = sizeof bodies / sizeof bodies[0] };

struct pool {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    tarn_world *water;
};

static int make_pool(struct pool *p)
{
    tarn_fluid_def water = tarn_default_fluid_def(TARN_FLUID_WAVE);
    tarn_world_def def = tarn_default_world_def();
    water.wave.size = (tarn_vec2){POOL, POOL};
    water.wave.cells[0] = water.wave.cells[1] = 64;
    water.wave.damping = 1; // [1/s] waves decay in a few seconds
    def.fluid = &water;
    def.dt = STEP, def.density = WATER;
    *p = (struct pool){dWorldCreate(), dHashSpaceCreate(NULL), dJointGroupCreate(0), NULL};
    dWorldSetGravity(p->world, 0, -def.gravity, 0);
    dCreatePlane(p->space, 0, 1, 0, 0);
    for (int side = -1; side <= 1; side += 2) {
        dCreatePlane(p->space, side, 0, 0, -POOL / 2);
        dCreatePlane(p->space, 0, 0, side, -POOL / 2);
    }
    return tarn_world_create(&def, &p->water, NULL);
}

// Create the same body in both engines.
static int add_body(struct pool *p, struct coupled_body *b)
{
    const double *s = b->size, *x = b->position, *v = b->velocity;
    const int is_ball = s[1] == 0.0;
    tarn_body_def def = tarn_default_body_def();
    dMass mass;
    b->ode_body = dBodyCreate(p->world);
    if (is_ball) dMassSetSphere(&mass, b->density, s[0]);
    if (!is_ball) dMassSetBox(&mass, b->density, s[0], s[1], s[2]);
    dBodySetMass(b->ode_body, &mass);
    dGeomSetBody(is_ball ? dCreateSphere(p->space, s[0]) : dCreateBox(p->space, s[0], s[1], s[2]),
                 b->ode_body);
    dBodySetPosition(b->ode_body, x[0], x[1], x[2]);
    dBodySetLinearVel(b->ode_body, v[0], v[1], v[2]);
    def.type = TARN_BODY_KINEMATIC, def.mass = mass.mass; // effective_force depends on the mass
    def.position = (tarn_vec3){x[0], x[1], x[2]};
    const tarn_shape_def ball = {.type = TARN_SHAPE_SPHERE, .sphere = {s[0]}},
                         box = {.type = TARN_SHAPE_BOX, .box = {{s[0], s[1], s[2]}, 0}};
    return tarn_body_create_with_shape(p->water, &def, is_ball ? &ball : &box, &b->id, NULL);
}

static void on_near_pair(void *pool, dGeomID a, dGeomID b)
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
    for (int i = 0; i < BODY_COUNT; ++i) { // ODE to tarn: position and velocity
        const dBodyID body = bodies[i].ode_body;
        const dReal *x = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
        const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
        const tarn_body_state m = {
            {x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
        if (tarn_body_set_state(p->water, bodies[i].id, &m)) return 1;
    }
    if (tarn_world_advance(p->water, STEP)) return 1;
    for (int i = 0; i < BODY_COUNT; ++i) { // tarn to ODE: force and torque of the water
        tarn_load l;
        if (tarn_body_get_load(p->water, bodies[i].id, &l)) return 1;
        dBodyAddForce(bodies[i].ode_body, l.effective_force.x, l.effective_force.y, l.effective_force.z);
        dBodyAddTorque(bodies[i].ode_body, l.effective_torque.x, l.effective_torque.y, l.effective_torque.z);
    }
    dJointGroupEmpty(p->contacts);
    dSpaceCollide(p->space, p, on_near_pair);
    return !dWorldQuickStep(p->world, STEP);
}

// Print a row of the table.
// @return the largest relative error of a submerged fraction, which is density / WATER at rest
static double print_row(const struct pool *p, double time)
{
    double max_error = 0.0;
    printf("\n%4.0f", time);
    for (int i = 0; i < BODY_COUNT; ++i) {
        tarn_load l = {0};
        tarn_body_get_load(p->water, bodies[i].id, &l);
        printf("  %7.3f %.4f", dBodyGetPosition(bodies[i].ode_body)[1], l.submerged_fraction);
        max_error = fmax(max_error, fabs(l.submerged_fraction * WATER / bodies[i].density - 1.0));
    }
    return max_error;
}

int main(void)
{
    struct pool p = {0};
    double max_error = 0.0;
    dInitODE();
    dRandSetSeed(1); // QuickStep permutes constraints at random; the seed makes runs repeatable
    int failed = make_pool(&p);
    for (int i = 0; i < BODY_COUNT && !failed; ++i) failed = add_body(&p, &bodies[i]);
    printf(
        "time [s], then height [m] and submerged fraction of three balls and three boxes with densities of\n"
        "    ");
    for (int i = 0; i < BODY_COUNT; ++i) printf("%9.0f kg/m^3", bodies[i].density);
    for (int n = 0; n <= 20 * 240 && !failed; ++n) {
        if (n % 480 == 0) max_error = print_row(&p, n * STEP);
        failed = step(&p);
    }
    if (failed) printf("\nfailed: %s\n", tarn_world_get_failure(p.water));
    if (!failed) printf("\nsubmerged volumes within %.2g %% of the law of Archimedes\n", 100.0 * max_error);
    tarn_world_destroy(p.water);
    dJointGroupDestroy(p.contacts), dSpaceDestroy(p.space), dWorldDestroy(p.world);
    dCloseODE();
    return failed || max_error > 0.01;
}
