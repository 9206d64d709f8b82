// Joints and events: what the public calls say, handed on to the bodies.
#include "base/error.h"
#include "base/fpmode.h"
#include "body/solve/dynamics.h"
#include "world.h"

#include <string.h>

#define GRAB_RESPONSE_TIME 0.1 // [s] in which a body that is held follows the hand

tarn_joint_def tarn_joint_def_default(const char *kind)
{
    tarn_joint_def def = {0};
    tarn_spec_init(&def.kind, "joint", kind, NULL);
    return def;
}

tarn_result tarn_joint_create(tarn_world *w, const tarn_joint_def *def, tarn_joint *out, tarn_error *err)
{
    if (!w || !def || !out) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    *out = (tarn_joint){0};
    if (!w->bodies.dynamics) return fail(err, TARN_BAD_ARGUMENT, "a", "there is no such body");
    const struct fpmode host = fpmode_enter();
    const struct body_domain walls = world_body_domain(w); // its length is that of the nearer way round
    memcpy(w->bodies.dynamics->period, walls.period, sizeof walls.period);
    tarn_joint_def own = *def;
    if (w->bodies.planar && own.kind.kind && tarn_param_find(own.kind.kind, "axis"))
        tarn_spec_set(&own.kind, "axis", tarn_triple(0, 0, 1), NULL); // there is no other in a plane
    const tarn_result r = joints_add(&w->bodies, &own, out, err);
    fpmode_leave(host);
    return r;
}

tarn_result tarn_joint_remove(tarn_world *w, tarn_joint joint)
{
    const int i = w ? joint_index(&w->bodies, joint) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    joints_remove(&w->bodies, i);
    return TARN_OK;
}

tarn_result tarn_joint_move(tarn_world *w, tarn_joint joint, tarn_vec3 to)
{
    const int i = w ? joint_index(&w->bodies, joint) : -1;
    if (i < 0 || !(v3_length(to) <= 1e7)) return TARN_BAD_ARGUMENT;
    struct joint *j = w->bodies.dynamics->joints.slots[i].joint;
    if (j->b >= 0) return TARN_BAD_ARGUMENT;
    j->local_b = to;
    body_wake(&w->bodies, j->a);
    return TARN_OK;
}

// Critically damped: stiffness m/t^2, damping 2 m/t.
tarn_result tarn_body_grab(tarn_world *w, tarn_body body, tarn_vec3 at, tarn_joint *out)
{
    tarn_body_facts facts;
    tarn_result r = out ? tarn_body_facts_of(w, body, &facts) : TARN_BAD_ARGUMENT;
    if (r != TARN_OK) return r;
    tarn_joint_def def = tarn_joint_def_default("spring");
    def.a = body, def.at = def.to = at;
    tarn_spec_set(&def.kind, "length", tarn_number(0.0), NULL);
    tarn_spec_set(&def.kind, "stiffness", tarn_number(facts.mass / (GRAB_RESPONSE_TIME * GRAB_RESPONSE_TIME)),
                  NULL);
    tarn_spec_set(&def.kind, "damping", tarn_number(2.0 * facts.mass / GRAB_RESPONSE_TIME), NULL);
    return tarn_joint_create(w, &def, out, NULL);
}

int tarn_world_events(const tarn_world *w, const tarn_event **out)
{
    if (!w || !out) return 0;
    return bodies_events(&w->bodies, out);
}
