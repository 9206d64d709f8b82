// Random bodies for tests, joints between them, and what happens to them.
#ifndef TESTS_RANDOM_BODIES_H
#define TESTS_RANDOM_BODIES_H

#include "random_water.h"

#include "body/solve/dynamics.h"

// ---- shapes -----------------------------------------------------------------------------------------

enum { MOST_POINTS = 10 };

// What a def borrows.
struct matter {
    double numbers[3 * MOST_POINTS];
    tarn_part parts[2];
};

static inline void set_number(tarn_spec *spec, const char *name, double x)
{
    set(spec, name, tarn_number(x));
}

// Two boxes, half of the time one into the other.
static inline void make_parts(struct dice *d, const double size[3], struct matter *m, tarn_body_def *def)
{
    for (int k = 0; k < 2; ++k) {
        tarn_part *part = &m->parts[k];
        *part = (tarn_part){.rotation = {1, 0, 0, 0}};
        CHECK_OK(tarn_spec_init(&part->shape, "shape", "box", NULL));
        const double f = k ? between(d, 0.2, 1) : 1.0;
        set(&part->shape, "size", tarn_triple(f * size[0], f * size[1], f * size[2]));
        if (chance(d, 0.3)) part->density = scale(d, 1, 20000);
    }
    const int axis = below(d, 3);
    const double off = size[axis] * between(d, 0, 1.2);
    m->parts[1].position = v3(axis == 0 ? off : 0, axis == 1 ? off : 0, axis == 2 ? off : 0);
    def->parts = m->parts, def->part_count = 2;
}

static inline void make_tables(struct dice *d, const double size[3], bool lathe, struct matter *m,
                               tarn_spec *shape)
{
    const int count = lathe ? 3 + below(d, 4) : 5 + below(d, MOST_POINTS - 4);
    for (int k = 0; k < count; ++k)
        if (lathe) {
            m->numbers[2 * k] = 0.5 * size[0] * between(d, 0.1, 1);
            m->numbers[2 * k + 1] = size[1] * k / (count - 1);
        } else {
            for (int a = 0; a < 3; ++a) m->numbers[3 * k + a] = size[a] * between(d, -0.5, 0.5);
        }
    set(shape, lathe ? "profile" : "points", tarn_table(m->numbers, count));
}

// Of any kind, with sides of `least` to `most`; some are open above.
static inline tarn_body_def make_shape(struct dice *d, double least, double most, double size[3],
                                       struct matter *m)
{
    static const char *const kinds[] = {"sphere", "box",  "capsule", "cylinder", "cone", "torus",
                                        "wigley", "hull", "lathe",   "compound", "box",  "cylinder"};
    const int kind = below(d, COUNT(kinds));
    tarn_body_def def = tarn_body_def_default(kinds[kind]);
    tarn_spec *s = &def.shape;
    const char *name = kinds[kind];
    for (int a = 0; a < 3; ++a) size[a] = scale(d, least, most);
#define IS(word) (strcmp(name, word) == 0)
    if (IS("sphere") || IS("capsule") || IS("cylinder") || IS("cone")) set_number(s, "radius", 0.5 * size[0]);
    if (IS("cylinder") || IS("cone")) set_number(s, "height", size[1]);
    if (IS("capsule")) set_number(s, "length", size[1]);
    if (IS("torus"))
        set_number(s, "radius", 0.5 * size[0]),
            set_number(s, "tube", fmax(1e-3, 0.5 * size[0] * between(d, 0.1, 0.95)));
    if (IS("wigley")) {
        set_number(s, "length", size[0]), set_number(s, "breadth", size[2]);
        set_number(s, "draft", size[1] * between(d, 0.3, 1)),
            set_number(s, "freeboard", size[1] * between(d, 0, 0.5));
    }
    if (IS("box")) set(s, "size", tarn_triple(size[0], size[1], size[2]));
    if (IS("compound")) make_parts(d, size, m, &def);
    if (IS("hull") || IS("lathe")) make_tables(d, size, IS("lathe"), m, s);
    if (kind >= 10 || (IS("wigley") && chance(d, 0.3)))
        set_number(s, "wall",
                   between(d, 0.05, IS("wigley") ? 0.1 : 0.4) * fmin(size[0], fmin(size[1], size[2])));
#undef IS
    return def;
}

// ---- where they are -----------------------------------------------------------------------------------

// Where a body is, and what it is.
static inline tarn_motion find(const struct story *s, tarn_body id, tarn_body_facts *facts)
{
    CHECK_OK(tarn_body_facts_of(s->w, id, facts));
    return motion_of(s->w, id);
}

// [m] y of the ground below a place.
static inline double ground(const struct story *s, double x, double z)
{
    double slope[2];
    return s->w->fluid.rest_level + fluid_bed_at(&s->w->fluid, x, z, slope);
}

// ... and of the highest ground below a ball.
static inline double ground_within(const struct story *s, tarn_vec3 at, double radius)
{
    enum { N = 8 };
    double high = -INFINITY;
    for (int j = -N; j <= N; ++j)
        for (int i = -N; i <= N; ++i) {
            const double x = clamp(at.x + radius * i / N, -0.5 * s->size[0], 0.5 * s->size[0]),
                         z = clamp(at.z + radius * j / N, -0.5 * s->size[1], 0.5 * s->size[1]);
            high = fmax(high, ground(s, x, z));
        }
    return high;
}

// [J] that it takes to bring a new body out of others and of the floor: either it is lifted or they are, or a light one is
// pressed down into the water. What is brought in from beyond a side begins to lift water.
static inline double overlap(const struct story *s, tarn_body id, tarn_vec3 at, const tarn_body_facts *new)
{
    const double weight = (new->mass + RHO *new->volume) * GRAVITY;
    const double side[2] = {0.5 * s->size[0] - fabs(at.x), 0.5 * s->size[1] - fabs(at.z)};
    const bool wrap[2] = {s->w->fluid.periodic_x, s->w->fluid.periodic_z};
    double sum = weight * fmax(0.0, ground_within(s, at, new->radius) + new->radius - at.y);
    for (int k = 0; k < 2; ++k)
        if (!wrap[k]) sum += RHO * new->volume *GRAVITY *fmax(0.0, new->radius - side[k]);
    for (int k = 0; k < tarn_world_status(s->w).bodies; ++k) {
        const tarn_body other = tarn_body_at(s->w, k);
        tarn_body_facts f;
        const tarn_motion m = find(s, other, &f);
        const double in = new->radius + f.radius - v3_length(v3_sub(m.position, at));
        if (other.index != id.index && in > 0.0)
            sum += fmax(weight, (f.mass + RHO * f.volume) * GRAVITY) * in;
    }
    return sum;
}

// ---- bodies -------------------------------------------------------------------------------------------

// A propeller, a rudder. The first does work, and how much the water gets of that is nowhere written.
static inline void make_drive(struct story *s, double size, tarn_body_def *def)
{
    struct dice *d = &s->dice;
    if (!s->quiet && chance(d, 0.1)) {
        def->thrust = between(d, -1, 1) * RHO * GRAVITY * size * size * size;
        def->thrust_at = direction(d, 0.5 * size);
    }
    if (chance(d, 0.1)) {
        def->rudder = between(d, -45, 45), def->rudder_area = between(d, 0, 0.2) * size * size;
        def->rudder_at = direction(d, 0.5 * size);
    }
}

// Anywhere; half of them near the surface, some inside another one.
static inline void make_place(struct story *s, double size, tarn_body_def *def)
{
    struct dice *d = &s->dice;
    const int count = tarn_world_status(s->w).bodies;
    if (count > 0 && chance(d, 0.15)) {
        def->position = motion_of(s->w, tarn_body_at(s->w, below(d, count))).position;
        if (chance(d, 0.5)) def->position.y += between(d, 0, 1) * size;
        // One that leans on a wall may be SLOP beyond it, where none can be put.
        def->position.x = clamp(def->position.x, -0.499 * s->size[0], 0.499 * s->size[0]);
        def->position.z = clamp(def->position.z, -0.499 * s->size[1], 0.499 * s->size[1]);
        return;
    }
    def->position.x = between(d, -0.499, 0.499) * s->size[0];
    def->position.z = between(d, -0.499, 0.499) * s->size[1];
    def->position.y = (chance(d, 0.5) ? s->level : 0) + between(d, 1e-3, 1) * fmax(s->level, size);
    if (s->shallow) def->position.y += ground(s, def->position.x, def->position.z);
}

// Put it there, and book what it brings: its energy, and what it may take to bring it out of others.
static inline void put_body(struct story *s, const tarn_body_def *def)
{
    const double volume = tarn_world_ledger(s->w).volume_placed, before = energy(s->w);
    const tarn_body id = put(s->w, def);
    tarn_body_facts f;
    find(s, id, &f);
    const double out = overlap(s, id, def->position, &f);
    s->moved += fabs(tarn_world_ledger(s->w).volume_placed - volume);
    s->given += energy(s->w) - before;
    s->extra += out;
    const struct bodies *b = &s->w->bodies;
    const double turning =
        v3_dot(body_angular_velocity(b, (int)id.index), b->state[id.index].angular_momentum);
    s->thrown += 0.5 * s->w->coupling.strength * (f.mass * v3_dot(def->velocity, def->velocity) + turning);
    s->fast = fmax(s->fast, v3_length(def->velocity) + v3_length(def->spin) * f.radius);
    s->across += 2.0 * f.radius;
    s->top = fmax(s->top, def->position.y + f.radius + out / ((f.mass + RHO * f.volume) * GRAVITY));
    const tarn_vec3 p = def->position;
    if (s->verbose)
        print_message(
            "body %u: %s, radius %.3g m, %.3g kg, density %.3g, at %.3g %.3g %.3g, %.3g m/s%s%s%s, "
            "may gain %.3g J\n",
            id.index, def->shape.kind->name, f.radius, f.mass, f.mass / f.volume, p.x, p.y, p.z,
            v3_length(def->velocity), f.external ? ", external" : "", def->thrust != 0.0 ? ", driven" : "",
            shape_is_open(&s->w->bodies.slots[id.index].body->geometry->shape) ? ", open" : "", out);
}

static inline void make_body(struct story *s)
{
    struct dice *d = &s->dice;
    struct matter matter;
    const double least = fmax(s->cell / 3.0, 0.006),
                 most = fmax(2.0 * least, 0.5 * fmin(s->size[0], s->size[1]));
    double size[3];
    tarn_body_def def = make_shape(d, least, most, size, &matter);
    def.density = scale(d, 1, 20000);
    make_place(s, size[0], &def);
    def.rotation = (tarn_quat){between(d, -1, 1), between(d, -1, 1), between(d, -1, 1), between(d, -1, 1)};
    def.restitution = between(d, 0, 1), def.friction = between(d, 0, 1);
    def.external = chance(d, 0.1);
    make_drive(s, fmin(size[0], fmin(size[1], size[2])), &def);
    if (!def.external && chance(d, 0.7)) {
        def.velocity = direction(d, between(d, 0, chance(d, 0.3) ? 20 : 2));
        def.spin = direction(d, between(d, 0, chance(d, 0.3) ? 30 : 3));
    }
    put_body(s, &def);
    for (int n = chance(d, 0.01) ? 4 + below(d, 15) : 0; n > 0; --n) put_body(s, &def); // a heap at one place
}

// ---- joints -------------------------------------------------------------------------------------------

// A line that is taut or slack, a spring that is at rest or not: from a body to the world or to another one.
static inline void make_joint(struct story *s)
{
    struct dice *d = &s->dice;
    const int count = tarn_world_status(s->w).bodies;
    const bool spring = chance(d, 0.5);
    tarn_joint_def def = tarn_joint_def_default(spring ? "spring" : "line");
    tarn_body_facts f;
    tarn_joint id;
    const int a = below(d, count), b = below(d, count);
    def.a = tarn_body_at(s->w, a);
    if (b != a) def.b = tarn_body_at(s->w, b);
    def.at = v3_add(find(s, def.a, &f).position, direction(d, 0.5 * f.radius));
    const double reach = f.radius * between(d, 0, 3);
    def.to = b != a ? v3_add(find(s, def.b, &f).position, direction(d, 0.5 * f.radius))
                    : v3_add(def.at, direction(d, reach));
    double lightest = f.mass;
    tarn_vec3 way = v3_sub(def.to, def.at); // the nearer one round
    if (s->w->fluid.periodic_x) way.x -= s->size[0] * floor(way.x / s->size[0] + 0.5);
    if (s->w->fluid.periodic_z) way.z -= s->size[1] * floor(way.z / s->size[1] + 0.5);
    const double far = v3_length(way), length = far * between(d, 0.8, 2);
    find(s, def.a, &f);
    lightest = fmin(lightest, f.mass);
    // From as soft as can be to one swing in a step.
    const double stiff = f.mass * square(scale(d, 0.1, 1.0 / s->dt));
    if (spring)
        set_number(&def.kind, "stiffness", stiff),
            set_number(&def.kind, "damping", chance(d, 0.5) ? 0 : 0.1 * stiff * s->dt);
    const bool given = chance(d, 0.5);
    if (given) set_number(&def.kind, "length", spring ? length : fmax(length, far));
    if (far < 1e-6) return;
    if (spring && given) {
        s->extra += 0.5 * stiff * square(length - far);
        s->fast += sqrt(stiff / lightest) * fabs(length - far);
    }
    CHECK_OK(tarn_joint_create(s->w, &def, &id, NULL));
    if (s->verbose)
        print_message("%s from body %u to %u, %.3g m, %.3g N/m\n", def.kind.kind->name, def.a.index,
                      def.b.index, far, spring ? stiff : 0.0);
}

// ---- acting: on a world, and on its twin in the same way ---------------------------------------------

// [J] that a force and a torque for dt may give a body at most: (v + F dt/m) F dt, and likewise.
static inline double work(const struct story *s, tarn_body id, double force, double torque)
{
    tarn_body_facts f;
    const tarn_motion m = find(s, id, &f);
    const double j = force * s->dt, t = torque * s->dt,
                 least = fmin(f.inertia.x, fmin(f.inertia.y, f.inertia.z));
    return j * (v3_length(m.velocity) + j / f.mass) + t * (v3_length(m.spin) + t / least);
}

static inline void push_body(struct story *s, tarn_world *twin, tarn_body id)
{
    struct dice *d = &s->dice;
    tarn_body_facts f;
    const tarn_motion m = find(s, id, &f);
    const double gain = between(d, 0, 5); // [m/s]
    const tarn_vec3 force = direction(d, f.mass * gain / s->dt), arm = direction(d, 0.2 * f.radius);
    CHECK_OK(tarn_body_push(s->w, id, force, v3_add(m.position, arm)));
    if (twin) CHECK_OK(tarn_body_push(twin, id, force, v3_add(m.position, arm)));
    const double torque = v3_length(v3_cross(arm, force)),
                 least = fmin(f.inertia.x, fmin(f.inertia.y, f.inertia.z));
    s->extra += work(s, id, v3_length(force), torque);
    s->fast += gain + torque * s->dt / least * f.radius;
}

static inline void take_body(struct story *s, tarn_world *twin, tarn_body id)
{
    const double volume = tarn_world_ledger(s->w).volume_placed, before = energy(s->w);
    CHECK_OK(tarn_body_remove(s->w, id));
    if (twin) CHECK_OK(tarn_body_remove(twin, id));
    s->moved += fabs(tarn_world_ledger(s->w).volume_placed - volume);
    s->given += energy(s->w) - before;
}

// What propellers may do in this step.
static inline void drive(struct story *s)
{
    for (int k = 0; k < tarn_world_status(s->w).bodies; ++k) {
        const tarn_body id = tarn_body_at(s->w, k);
        const tarn_body_def *def = &s->w->bodies.slots[id.index].body->def;
        if (def->thrust == 0.0 || def->external) continue;
        const double force = fabs(def->thrust), torque = force * v3_length(def->thrust_at);
        tarn_body_facts f;
        find(s, id, &f);
        s->extra += work(s, id, force, torque);
        s->fast += force * s->dt / f.mass;
    }
}

// What a step has put in that no law of the coupling covers: water that goes over a rim changes from the water's share of
// the energy to the body's, which counts alpha.
static inline void note_gifts(struct story *s, bool first)
{
    const struct bodies *b = &s->w->bodies;
    for (int i = 0; i < b->slot_count && i < MOST_SLOTS; ++i) {
        double held = 0.0;
        if (body_exists(b, i)) {
            held = square(s->cell) * s->w->coupling.per_body[i].floodwater_depth;
            const double high = RHO * GRAVITY * 2.0 * b->slots[i].body->geometry->bounding_radius;
            if (!first) s->extra += high * fabs(held - s->held[i]);
        }
        s->held[i] = held;
    }
}

static inline void act(struct story *s, tarn_world *twin)
{
    struct dice *d = &s->dice;
    const int count = tarn_world_status(s->w).bodies;
    const bool push = chance(d, s->quiet ? 0.002 : 0.05), take = chance(d, 0.003), add = chance(d, 0.003);
    if (count > 0 && (push || take)) {
        const tarn_body id = tarn_body_at(s->w, below(d, count));
        tarn_body_facts f;
        find(s, id, &f);
        if (push && !f.external) push_body(s, twin, id);
        if (take) take_body(s, twin, id);
    }
    if (add && !twin) make_body(s);
    drive(s);
}

#endif
