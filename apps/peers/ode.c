// tarn-peers ode KIND COUNT ROWS: Open Dynamics Engine on the scenes of `tarn bench bodies`, timed.
//
// Prints one number per line. ODE is used as its manual recommends for large worlds: QuickStep with 20
// iterations, one thread, default ERP and CFM. Auto-disable (sleeping) is off. Friction is dContactApprox1;
// without it ODE interprets mu as a force. Four contacts per pair, the corners of a face on a face: with
// eight a step of the wall of 20 rows took 13 % longer, and the wall fell too. Broad phase: sweep and prune
// along x and z; with a hash space the broad phase took 17 to 36 % longer and the whole step up to 1 % (4 %
// for the pile of 5,000; one run each).
#include "block_scenes.h"
#include "peers.h"

#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 4 };

struct ode_world {
    dWorldID world;
    dSpaceID space;
    dJointGroupID group;
    dBodyID *bodies;
    long contacts; // of the last step
    double max_overlap;
};

static void add_contacts(void *data, dGeomID a, dGeomID b)
{
    struct ode_world *p = data;
    dContact c[CONTACTS];
    const int count = dCollide(a, b, CONTACTS, &c[0].geom, sizeof c[0]);

    for (int i = 0; i < count; ++i) {
        memset(&c[i].surface, 0, sizeof c[i].surface);
        c[i].surface.mode = dContactApprox1;
        c[i].surface.mu = BLOCKS_FRICTION;
        dJointAttach(dJointCreateContact(p->world, p->group, &c[i]), dGeomGetBody(a), dGeomGetBody(b));
        p->max_overlap = fmax(p->max_overlap, c[i].geom.depth);
    }
    p->contacts += count;
}

static void add_block(struct ode_world *p, const struct block *b, dBodyID *out)
{
    const dQuaternion rotation = {b->rotation[0], b->rotation[1], b->rotation[2], b->rotation[3]};
    dMass mass;

    *out = dBodyCreate(p->world);
    dMassSetBox(&mass, BLOCKS_DENSITY, b->size[0], b->size[1], b->size[2]);
    dBodySetMass(*out, &mass);
    dBodySetPosition(*out, b->position[0], b->position[1], b->position[2]);
    dBodySetQuaternion(*out, rotation);
    dGeomSetBody(dCreateBox(p->space, b->size[0], b->size[1], b->size[2]), *out);
}

static int ode_world_create(struct ode_world *p, const struct blocks *b)
{
    dRandSetSeed(1); // QuickStep permutes its constraints at random
    p->world = dWorldCreate();
    p->space = dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XZY);
    p->group = dJointGroupCreate(0);
    p->bodies = calloc((size_t)b->count, sizeof *p->bodies);
    if (!p->bodies) return -1;
    dWorldSetGravity(p->world, 0.0, -BLOCKS_GRAVITY, 0.0);
    dWorldSetQuickStepNumIterations(p->world, 20);
    dWorldSetAutoDisableFlag(p->world, 0);
    dCreatePlane(p->space, 0.0, 1.0, 0.0, 0.0);
    for (int s = -1; s <= 1; s += 2) {
        dCreatePlane(p->space, -s, 0.0, 0.0, -b->tray[0] / 2.0);
        dCreatePlane(p->space, 0.0, 0.0, -s, -b->tray[1] / 2.0);
    }
    for (int i = 0; i < b->count; ++i) add_block(p, &b->list[i], &p->bodies[i]);
    return 0;
}

static void ode_world_destroy(struct ode_world *p)
{
    free(p->bodies);
    dJointGroupDestroy(p->group);
    dSpaceDestroy(p->space);
    dWorldDestroy(p->world);
}

static void read_heights(const struct ode_world *p, int count, double *y)
{
    for (int i = 0; i < count; ++i) y[i] = dBodyGetPosition(p->bodies[i])[1];
}

static int run(const struct blocks *b, struct blocks_result *r)
{
    struct ode_world p = {0};
    struct blocks_clock clock = {0};
    double *y = calloc((size_t)b->count, sizeof *y);
    int code = -1;

    if (!y || ode_world_create(&p, b)) goto done;
    for (int step = 0; step < b->steps; ++step) {
        const double t0 = blocks_seconds();
        p.contacts = 0;
        p.max_overlap = 0.0;
        dJointGroupEmpty(p.group);
        dSpaceCollide(p.space, &p, add_contacts);
        const double t1 = blocks_seconds();
        if (!dWorldQuickStep(p.world, BLOCKS_DT)) goto done;
        blocks_time(&clock, b, t1 - t0, blocks_seconds() - t1, r);
        if (step + 1 < b->to) continue;
        read_heights(&p, b->count, y);
        if (step + 1 == b->to) blocks_window_heights(b, y, r);
    }
    blocks_heights(b, y, r);
    r->contacts = (double)p.contacts;
    r->max_overlap = p.max_overlap;
    code = 0;
done:
    if (p.world) ode_world_destroy(&p);
    free(y);
    return code;
}

int peer_ode(int argc, char **argv)
{
    struct blocks b = {0};
    struct blocks_result r = {0};

    if (argc != 4 || blocks_make(&b, argv[1], atoi(argv[2]), atoi(argv[3]))) return -1;
    int code = dInitODE2(0) ? 0 : 1;
    if (code == 0) {
        code = run(&b, &r) ? 1 : 0;
        dCloseODE();
    }
    if (code == 0) blocks_write(stdout, &r);
    blocks_free(&b);
    return code;
}
