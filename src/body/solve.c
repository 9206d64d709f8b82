// How bodies with contacts move: in short steps, each with kicks, impacts, impulses, motion, and places moved out of each
// other without giving speed. Many short steps with few passes beat few with many. [macklin2019]
#include "contact.h"

#include <string.h>

#define ROUNDS       24    // of impacts handed on in one short step
#define ROUND_PASSES 10    // over the impacts of a round; the last is for friction
#define SLOW         0.1   // [m/s] at which bodies meet without a bounce
#define FAST_TURN    0.25  // [rad] in a short step
#define SMALL_TURN   0.02  // [rad]
#define PASSES       2     // over the contacts of a short step, at least
#define MOST_PASSES  8     // of what moves
#define COLD_PASSES  40    // of what stands without impulses to begin with
#define COLD_WORK    20000 // contacts times passes
#define OFTEN        20    // one octet in so many
#define AGREED       0.05  // [pull] speed that joints may be off when their passes end
#define JOINT_PASSES 6     // hold a chain of ten links to 1 mm
// Of the friction that a short step begins with: what was right for a tower that leaned one way is wrong when it leans the
// other, and would keep it swaying.
#define RUB_AGAIN 0.9f
#define TAKE_BACK 0.2f // part of an overlap that a short step takes back
#define STILL     0.03 // of its radius that a body may move while it counts as still

static const struct contact_kernels *kernels(void) { return KERNELS_PICK(contact_kernels); }

static void set_v(struct mover *m, vec3 v, vec3 w)
{
    *m = (struct mover){{(float)v.x, (float)v.y, (float)v.z, (float)w.x, (float)w.y, (float)w.z}};
}

// Kick the bodies and note how they move.
static void load_movers(struct bodies *b, double dt)
{
    struct solver *s = &b->engine->solver;
    for (int k = 0; k < s->count; ++k) {
        const int i = s->slot_of[k];
        struct body_hot *h = &b->hot[i];
        const float was = s->mass[k].m[0];
        s->mass[k] = (struct mover_mass){{0}};
        if (!body_movable(b, i)) {
            set_v(&s->v[k], body_velocity(b, i), body_spin(b, i));
            set_v(&s->pull[k], v3(0, 0, 0), v3(0, 0, 0));
            s->start[k] = s->v[k];
            continue;
        }
        const struct kick *kick = &b->kicks[i];
        h->momentum = v3_add(h->momentum, kick->momentum);
        h->angular = v3_add(h->angular, kick->angular);
        const double m = b->slots[i].cold->def.mass, light = 1.0 / m, easy = 1.0 / (1.0 + kick->turning);
        mat3 back;
        body_inertias(b, i, &s->inertia[k], &back);
        s->mass[k] = (struct mover_mass){{(float)(1.0 / (m + kick->along)), (float)(easy * back.m[0][0]),
                                          (float)(easy * back.m[0][1]), (float)(easy * back.m[0][2]),
                                          (float)(easy * back.m[1][1]), (float)(easy * back.m[1][2]),
                                          (float)(easy * back.m[2][2])}};
        // What moves along has changed: pushes that were weighed for more would throw it, ever further.
        s->fresh |= s->mass[k].m[0] != was;
        set_v(&s->v[k], v3_scale(h->momentum, light), mat3_mul(&back, h->angular));
        set_v(&s->pull[k], v3_scale(kick->momentum, light / dt),
              mat3_mul(&back, v3_scale(kick->angular, 1.0 / dt)));
        s->start[k] = s->v[k];
    }
}

static void load_fixtures(const struct engine *e)
{
    const struct solver *s = &e->solver;
    for (int k = 0; k < e->fixture_count; ++k)
        set_v(&s->v[s->count + 1 + k], e->fixtures[k].velocity, e->fixtures[k].spin);
}

// A change of speed that contacts and joints made: what they gave, and what of that went to what moves along.
static void book(struct bodies *b, int i, vec3 dv)
{
    const double along = b->kicks[i].along;
    b->passed[i] = v3_madd(b->passed[i], along, dv);
    b->engine->given = v3_madd(b->engine->given, b->slots[i].cold->def.mass + along, dv);
}

// What the solver changed, into the momenta.
static void store_movers(struct bodies *b)
{
    struct solver *s = &b->engine->solver;
    for (int k = 0; k < s->count; ++k) {
        const float *now = s->v[k].v, *was = s->start[k].v;
        const int i = s->slot_of[k];
        if (!body_movable(b, i) || memcmp(now, was, 6 * sizeof *now) == 0) continue;
        const double m = b->slots[i].cold->def.mass;
        const vec3 dv = v3((double)now[0] - was[0], (double)now[1] - was[1], (double)now[2] - was[2]);
        const vec3 dw = v3((double)now[3] - was[3], (double)now[4] - was[4], (double)now[5] - was[5]);
        b->hot[i].momentum = v3_madd(b->hot[i].momentum, m, dv);
        b->hot[i].angular = v3_add(b->hot[i].angular, mat3_mul(&s->inertia[k], dw));
        book(b, i, dv);
        s->start[k] = s->v[k];
    }
}

// Move by dt. A body that nothing touched, under a force that does not depend on where it is, flies on a parabola
// and turns freely, both as exactly as can be. One that is held is moved out of what it overlaps as well.
static void drift_free(struct bodies *b, int i, double dt)
{
    struct body_hot *h = &b->hot[i];
    vec3 p = h->momentum;
    if (b->kicks[i].steady) p = v3_madd(p, -0.5, b->kicks[i].momentum);
    h->position = v3_madd(h->position, dt / b->slots[i].cold->def.mass, p);
    body_turn(b, i, h->angular, dt);
}

static void drift_held(struct bodies *b, int i, int mover, double dt)
{
    const struct solver *s = &b->engine->solver;
    const float *v = s->v[mover].v, *was = s->start[mover].v, *to = s->moved[mover].v, *led = s->led[mover].v;
    double step[6];
    for (int n = 0; n < 6; ++n) step[n] = dt * v[n] + ((double)to[n] - led[n]);
    b->hot[i].position = v3_add(b->hot[i].position, v3(step[0], step[1], step[2]));
    vec3 turn = v3(step[3], step[4], step[5]);
    const double fast = dt * dt * ((double)v[3] * v[3] + (double)v[4] * v[4] + (double)v[5] * v[5]);
    if (fast > SMALL_TURN * SMALL_TURN) { // one turn about the spin would add energy
        const vec3 dw = v3((double)v[3] - was[3], (double)v[4] - was[4], (double)v[5] - was[5]);
        body_turn(b, i, v3_add(b->hot[i].angular, mat3_mul(&s->inertia[mover], dw)), dt);
        turn = v3((double)to[3] - led[3], (double)to[4] - led[4], (double)to[5] - led[5]);
    }
    b->hot[i].rotation = quat_unit(quat_mul(quat_about(turn), b->hot[i].rotation));
}

static void drift(struct bodies *b, double dt)
{
    const struct solver *s = &b->engine->solver;
    for (int k = 0; k < s->count; ++k) {
        const bool alone = memcmp(&s->v[k], &s->start[k], 6 * sizeof(float)) == 0 &&
                           memcmp(&s->moved[k], &s->led[k], 6 * sizeof(float)) == 0;
        if (alone)
            drift_free(b, s->slot_of[k], dt);
        else
            drift_held(b, s->slot_of[k], k, dt);
    }
}

// Impacts: those who meet part with their restitution, all at once; whom that throws against others are next. A row
// of balls hands a blow on to its last one. [smith2012]
static void impacts(struct bodies *b, const struct contact_pace *pace, float slow)
{
    struct solver *s = &b->engine->solver;
    for (int n = 0; n < ROUNDS; ++n) {
        if (!kernels()->hits(s->octets, s->octet_count, pace, slow, s->moved, s->pull, s->v)) return;
        for (int k = 0; k < ROUND_PASSES; ++k)
            kernels()->strike(s->octets, s->octet_count, s->mass, k == ROUND_PASSES - 1, s->v);
    }
}

static float fastest_pull(const struct solver *s, double dt)
{
    float most = 0.0f;
    for (int k = 0; k < s->count; ++k)
        for (int i = 0; i < 3; ++i) {
            const float pull = fabsf(s->pull[k].v[i]);
            most = pull > most ? pull : most;
        }
    return most * (float)dt;
}

// Where the speeds lead, before overlaps are taken back.
static void step_aside(struct solver *s, int fixtures, double dt)
{
    for (int k = 0; k < s->count + 1 + fixtures; ++k)
        for (int n = 0; n < 6; ++n) {
            s->moved[k].v[n] += (float)dt * s->v[k].v[n];
            s->led[k].v[n] = s->moved[k].v[n];
        }
}

// Two passes do when impulses are known from before; more while one octet in twenty still changes. Many, while that is a
// good part of what gravity adds and yet no more: then something stands that nobody has impulses for, a tower that was
// just put there.
static bool go_on(const struct engine *e, int passes, const struct contact_unrest *u, double strain)
{
    const int octets = e->solver.octet_count;
    if (passes < (e->joints.count ? JOINT_PASSES : PASSES)) return true;
    if (passes < COLD_PASSES && strain > 1.0) return true;
    if (passes < MOST_PASSES) return OFTEN * u->fine > octets;
    const int many = imin(COLD_PASSES, COLD_WORK / imax(e->contacts.count, 1));
    return passes < many && !u->wild && OFTEN * u->rough > octets;
}

static void short_step(struct bodies *b, double dt)
{
    struct engine *e = b->engine;
    struct solver *s = &e->solver;
    load_movers(b, dt);
    load_fixtures(e);
    kernels()->masses(s->octets, s->octet_count, s->fresh, s->mass, s->moved);
    s->fresh = false;
    const double again = e->pace > 0.0 ? dt / e->pace : 0.0;
    e->pace = dt;
    const float pull = fmaxf(fastest_pull(s, dt), 1e-6f);
    const struct contact_pace pace = {
        (float)dt,    (float)(1.0 / dt),       TAKE_BACK, (float)(PUSH_OUT * dt), pull,
        (float)again, (float)again * RUB_AGAIN};
    impacts(b, &pace, fmaxf((float)SLOW, 3.0f * pull));
    bodies_recall(b, &pace, dt, again);
    struct contact_unrest unrest = {0};
    // Joints that do not agree yet, such as light beams that hold heavy logs, get more passes.
    const double calm = AGREED * (double)pull;
    double strain = 0.0; // [calm]
    for (int n = 0; go_on(e, n, &unrest, strain); ++n) {
        strain = joints_solve(b) / calm;
        unrest = kernels()->solve(s->octets, s->octet_count, &pace, n & 1, s->mass, s->v);
    }
    step_aside(s, e->fixture_count, dt);
    kernels()->part(s->octets, s->octet_count, &pace, s->mass, s->moved);
    joints_open(b, dt);
    strain = 0.0;
    for (int n = 0; e->joints.count && (n < JOINT_PASSES || (n < COLD_PASSES && strain > 1.0)); ++n)
        strain = joints_close(b) / (calm * dt);
    drift(b, dt);
    store_movers(b);
}

// Did a body get farther than was looked for, or does one turn so fast that other corners are in front now? Not if that
// has just been looked for: the speeds are those of the last short step since.
static bool escaped(const struct bodies *b, double dt)
{
    const struct engine *e = b->engine;
    if (!(e->left < e->within)) return false;
    for (int k = 0; k < e->solver.count; ++k) {
        const int i = e->solver.slot_of[k];
        const vec3 d = v3_sub(b->hot[i].position, e->from[i]);
        if (v3_dot(d, d) > e->reach[i] * e->reach[i]) return true;
        const float *w = e->solver.v[k].v + 3;
        const double turn = dt * dt * ((double)w[0] * w[0] + (double)w[1] * w[1] + (double)w[2] * w[2]);
        if (e->solver.used[k] && turn > FAST_TURN * FAST_TURN) return true;
    }
    return false;
}

// A sleeper wakes when the force on it changes by a thousandth.
static void feel(struct bodies *b, double dt)
{
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i) || !body_movable(b, i)) continue;
        struct body_hot *h = &b->hot[i];
        const vec3 force = v3_scale(b->kicks[i].momentum, 1.0 / dt), d = v3_sub(force, h->felt);
        if (b->engine->asleep[i])
            book(b, i, v3_scale(b->kicks[i].momentum, -1.0 / b->slots[i].cold->def.mass)); // it lies
        if (v3_dot(d, d) <= 1e-6 * v3_dot(h->felt, h->felt)) continue;
        h->felt = force;
        if (b->engine->asleep[i]) body_wake(b, i);
    }
}

vec3 bodies_advance(struct bodies *b, const struct walls *w, double dt)
{
    struct engine *e = b->engine;
    memset(b->passed, 0, (size_t)b->count * sizeof *b->passed);
    feel(b, dt);
    e->fixtures = w->fixtures; // as many as were looked at
    if (e->left < 0.5 * dt || escaped(b, dt)) e->no_memory |= !bodies_look(b, w, e->within);
    short_step(b, dt);
    e->left -= dt;
    memset(b->kicks, 0, (size_t)b->count * sizeof *b->kicks);
    const vec3 given = e->given;
    e->given = v3(0, 0, 0);
    return given;
}

void body_wake(struct bodies *b, int i) { b->hot[i].still = 0.0; }

// So slow that it may be asleep already, or fall asleep.
bool body_slow(const struct bodies *b, int i)
{
    const double r = b->slots[i].cold->figure->radius, most = fmin(SLOW, 2.0 * r);
    return v3_length(body_velocity(b, i)) + r * v3_length(body_spin(b, i)) < most;
}

// Still is who does not get anywhere: a tremble that leads nowhere is no motion, a creep is.
static void note_still(struct body_hot *h, double radius, double dt)
{
    const vec3 d = v3_sub(h->position, h->stood);
    const quat q = quat_mul(quat_back(h->stood_turn), h->rotation);
    const double turned = 2.0 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    h->still = fmin(h->still + dt, 1.0);
    if (v3_length(d) + radius * turned < STILL * radius) return;
    h->still = 0.0;
    h->stood = h->position, h->stood_turn = h->rotation;
}

bool bodies_begin_step(struct bodies *b, const struct walls *w, double within)
{
    return events_begin(b) && bodies_look(b, w, within);
}

bool bodies_end_step(struct bodies *b, double dt)
{
    struct engine *e = b->engine;
    memset(b->passed, 0, (size_t)b->count * sizeof *b->passed);
    octets_keep(b);
    e->no_memory |= !events_end(b);
    e->solver.octet_count = 0; // they are in the contacts now
    for (int k = 0; k < e->contacts.count; ++k) e->contacts.now[k].strike = e->contacts.now[k].speed = 0.0f;
    for (int i = 0; i < b->count; ++i) {
        if (!bodies_alive(b, i)) continue;
        note_still(&b->hot[i], b->slots[i].cold->figure->radius, dt);
    }
    return !e->no_memory;
}
