// Random bodies and joints for test_random.c, and random actions on them.
#ifndef TESTS_RANDOM_BODIES_H
#define TESTS_RANDOM_BODIES_H

#include "body_def.h"
#include "random_water.h"

#include "body/solve/dynamics.h"

// ---- shapes -----------------------------------------------------------------------------------------

enum { MAX_POINTS = 10 };

// Arrays that a definition of a shape points to.
struct shape_storage {
    double numbers[3 * MAX_POINTS];
    tarn_compound_child parts[2];
};

static inline void set_number(tarn_spec *spec, const char *name, double x)
{
    set(spec, name, tarn_value_number(x));
}

// A compound of two boxes, half of the time overlapping.
static inline void make_parts(struct rng *d, const double size[3], struct shape_storage *m,
                              tarn_shape_def *def)
{
    bool has_density = false;
    for (int k = 0; k < 2; ++k) {
        const double f = k ? rng_between(d, 0.2, 1) : 1.0;
        const tarn_shape_def box = {.type = TARN_SHAPE_BOX,
                                    .box = {{f * size[0], f * size[1], f * size[2]}, 0}};
        m->parts[k] = (tarn_compound_child){.shape = shape_of(box), .pose.rotation = {1, 0, 0, 0}};
        if (rng_chance(d, 0.3)) m->parts[k].density = rng_log_uniform(d, 1, 20000), has_density = true;
    }
    for (int k = 0; k < 2 && has_density; ++k)
        if (m->parts[k].density == 0) m->parts[k].density = 500; // either all have one or none
    const int axis = rng_index(d, 3);
    const double off = size[axis] * rng_between(d, 0, 1.2);
    m->parts[1].pose.position = v3(axis == 0 ? off : 0, axis == 1 ? off : 0, axis == 2 ? off : 0);
    def->compound = (tarn_compound){m->parts, 2};
}

static inline void make_tables(struct rng *d, const double size[3], bool lathe, struct shape_storage *m,
                               tarn_spec *shape)
{
    const int count = lathe ? 3 + rng_index(d, 4) : 5 + rng_index(d, MAX_POINTS - 4);
    for (int k = 0; k < count; ++k)
        if (lathe) {
            m->numbers[2 * k] = 0.5 * size[0] * rng_between(d, 0.1, 1);
            m->numbers[2 * k + 1] = size[1] * k / (count - 1);
        } else {
            for (int a = 0; a < 3; ++a) m->numbers[3 * k + a] = size[a] * rng_between(d, -0.5, 0.5);
        }
    set(shape, lathe ? "profile" : "points", tarn_value_table(m->numbers, count));
}

// A shape of any kind, with sides of `least` to `most`; some are open hulls.
static inline tarn_body_def make_shape(struct rng *d, double least, double most, double size[3],
                                       struct shape_storage *m)
{
    static const char *const kinds[] = {"sphere", "box",         "capsule", "cylinder", "cone", "torus",
                                        "wigley", "convex_hull", "lathe",   "compound", "box",  "cylinder"};
    const int kind = rng_index(d, COUNT(kinds));
    tarn_body_def def = tarn_default_body_def();
    tarn_shape_def shape;
    tarn_spec spec, *s = &spec;
    const char *name = kinds[kind];
    CHECK_OK(tarn_spec_init(s, "shape", name, NULL));
    for (int a = 0; a < 3; ++a) size[a] = rng_log_uniform(d, least, most);
#define IS(word) (strcmp(name, word) == 0)
    if (IS("sphere") || IS("capsule") || IS("cylinder") || IS("cone")) set_number(s, "radius", 0.5 * size[0]);
    if (IS("cylinder") || IS("cone")) set_number(s, "height", size[1]);
    if (IS("capsule")) set_number(s, "length", size[1]);
    if (IS("torus"))
        set_number(s, "radius", 0.5 * size[0]),
            set_number(s, "tube_radius", fmax(1e-3, 0.5 * size[0] * rng_between(d, 0.1, 0.95)));
    if (IS("wigley")) {
        set_number(s, "length", size[0]), set_number(s, "breadth", size[2]);
        set_number(s, "draft", size[1] * rng_between(d, 0.3, 1)),
            set_number(s, "freeboard", size[1] * rng_between(d, 0, 0.5));
    }
    if (IS("box")) set(s, "size", tarn_value_vec3(size[0], size[1], size[2]));
    if (IS("convex_hull") || IS("lathe")) make_tables(d, size, IS("lathe"), m, s);
    if (kind >= 10 || (IS("wigley") && rng_chance(d, 0.3)))
        set_number(s, "wall_thickness",
                   rng_between(d, 0.05, IS("wigley") ? 0.1 : 0.4) * fmin(size[0], fmin(size[1], size[2])));
    CHECK_OK(tarn_shape_def_from_spec(s, &shape));
    if (IS("compound")) make_parts(d, size, m, &shape);
#undef IS
    def.shape = shape_of(shape);
    return def;
}

// ---- positions ----------------------------------------------------------------------------------------

// The state of a body; its mass, volume and radius in *info.
static inline tarn_body_state body_info(const struct random_world *s, tarn_body_id id, tarn_body_info *info)
{
    CHECK_OK(tarn_body_get_info(s->w, id, info));
    return motion_of(s->w, id);
}

// [m] y of the bed at (x, z).
static inline double bed_height(const struct random_world *s, double x, double z)
{
    double slope[2];
    return s->w->fluid.rest_level + fluid_bed_at(&s->w->fluid, x, z, slope);
}

// [m] y of the highest bed below a ball.
static inline double max_bed_height(const struct random_world *s, tarn_vec3 at, double radius)
{
    enum { N = 8 };
    double high = -INFINITY;
    for (int j = -N; j <= N; ++j)
        for (int i = -N; i <= N; ++i) {
            const double x = clamp(at.x + radius * i / N, -0.5 * s->size[0], 0.5 * s->size[0]),
                         z = clamp(at.z + radius * j / N, -0.5 * s->size[1], 0.5 * s->size[1]);
            high = fmax(high, bed_height(s, x, z));
        }
    return high;
}

// [J] Bound of the energy that resolving the overlaps of a new body with others and with the bed may add:
// either it or the others are lifted, or a light body is pushed down into the water. A body that reaches
// beyond a boundary lifts water as it moves inside.
static inline double overlap_energy(const struct random_world *s, tarn_body_id id, tarn_vec3 at,
                                    const tarn_body_info *new)
{
    const double weight = (new->mass + RHO *new->volume) * GRAVITY;
    const double side[2] = {0.5 * s->size[0] - fabs(at.x), 0.5 * s->size[1] - fabs(at.z)};
    const bool wrap[2] = {s->w->fluid.periodic_x, s->w->fluid.periodic_z};
    double sum = weight * fmax(0.0, max_bed_height(s, at, new->radius) + new->radius - at.y);
    for (int k = 0; k < 2; ++k)
        if (!wrap[k]) sum += RHO * new->volume *GRAVITY *fmax(0.0, new->radius - side[k]);
    for (int k = 0; k < tarn_world_get_status(s->w).body_count; ++k) {
        const tarn_body_id other = tarn_body_at(s->w, k);
        tarn_body_info f;
        const tarn_body_state m = body_info(s, other, &f);
        const double in = new->radius + f.radius - v3_length(v3_sub(m.position, at));
        if (id_slot(other.value) != id_slot(id.value) && in > 0.0)
            sum += fmax(weight, (f.mass + RHO * f.volume) * GRAVITY) * in;
    }
    return sum;
}

// ---- bodies -------------------------------------------------------------------------------------------

// A thruster does work on the water that the ledger does not report, so quiet worlds have none.
static inline void add_thruster_and_rudder(struct random_world *s, double size, tarn_body_def *def)
{
    struct rng *d = &s->rng;
    if (!s->quiet && rng_chance(d, 0.1)) {
        def->thruster.force = rng_between(d, -1, 1) * RHO * GRAVITY * size * size * size;
        def->thruster.position = rng_vector(d, 0.5 * size);
    }
    if (rng_chance(d, 0.1)) {
        def->rudder.angle = rng_between(d, -45, 45) * (PI / 180.0),
        def->rudder.area = rng_between(d, 0, 0.2) * size * size;
        def->rudder.position = rng_vector(d, 0.5 * size);
    }
}

// A position anywhere; half of them near the surface, some inside another body.
static inline void choose_position(struct random_world *s, double size, tarn_body_def *def)
{
    struct rng *d = &s->rng;
    const int count = tarn_world_get_status(s->w).body_count;
    if (count > 0 && rng_chance(d, 0.15)) {
        def->position = motion_of(s->w, tarn_body_at(s->w, rng_index(d, count))).position;
        if (rng_chance(d, 0.5)) def->position.y += rng_between(d, 0, 1) * size;
        // A body that leans on a wall may be SLOP beyond it, where no body can be created.
        def->position.x = clamp(def->position.x, -0.499 * s->size[0], 0.499 * s->size[0]);
        def->position.z = clamp(def->position.z, -0.499 * s->size[1], 0.499 * s->size[1]);
        return;
    }
    def->position.x = rng_between(d, -0.499, 0.499) * s->size[0];
    def->position.z = rng_between(d, -0.499, 0.499) * s->size[1];
    def->position.y = (rng_chance(d, 0.5) ? s->level : 0) + rng_between(d, 1e-3, 1) * fmax(s->level, size);
    if (s->shallow) def->position.y += bed_height(s, def->position.x, def->position.z);
}

// Add a body and track its energy and the energy that resolving its overlaps may add.
static inline void put_body(struct random_world *s, const tarn_body_def *def)
{
    const double volume = tarn_world_get_ledger(s->w).volume_displaced, before = energy(s->w);
    const tarn_body_id id = put(s->w, def);
    tarn_body_info f;
    body_info(s, id, &f);
    const double out = overlap_energy(s, id, def->position, &f);
    s->moved_volume += fabs(tarn_world_get_ledger(s->w).volume_displaced - volume);
    s->initial_energy += energy(s->w) - before;
    s->max_added_energy += out;
    const struct bodies *b = &s->w->bodies;
    const double turning = v3_dot(body_angular_velocity(b, (int)id_slot(id.value)),
                                  b->state[id_slot(id.value)].angular_momentum);
    s->thrown_energy +=
        0.5 * s->w->coupling.strength * (f.mass * v3_dot(def->velocity, def->velocity) + turning);
    s->max_start_speed =
        fmax(s->max_start_speed, v3_length(def->velocity) + v3_length(def->angular_velocity) * f.radius);
    s->diameter_sum += 2.0 * f.radius;
    s->max_start_height =
        fmax(s->max_start_height, def->position.y + f.radius + out / ((f.mass + RHO * f.volume) * GRAVITY));
    const tarn_vec3 p = def->position;
    if (s->verbose)
        print_message(
            "body %u: %s, radius %.3g m, %.3g kg, density %.3g, at %.3g %.3g %.3g, %.3g m/s%s%s%s, "
            "may gain %.3g J\n",
            id_slot(id.value), kind_name_of(def->shape), f.radius, f.mass, f.mass / f.volume, p.x, p.y, p.z,
            v3_length(def->velocity), f.type ? ", kinematic" : "",
            def->thruster.force != 0.0 ? ", driven" : "",
            shape_is_open(&s->w->bodies.slots[id_slot(id.value)].body->def.shape->data) ? ", open" : "", out);
}

static inline void make_body(struct random_world *s)
{
    struct rng *d = &s->rng;
    struct shape_storage shape_storage;
    const double least = fmax(s->cell / 3.0, 0.006),
                 most = fmax(2.0 * least, 0.5 * fmin(s->size[0], s->size[1]));
    double size[3];
    tarn_body_def def = make_shape(d, least, most, size, &shape_storage);
    def.density = rng_log_uniform(d, 1, 20000);
    choose_position(s, size[0], &def);
    def.rotation = (tarn_quat){rng_between(d, -1, 1), rng_between(d, -1, 1), rng_between(d, -1, 1),
                               rng_between(d, -1, 1)};
    def.restitution = rng_between(d, 0, 1), def.friction = rng_between(d, 0, 1);
    def.type = rng_chance(d, 0.1) ? TARN_BODY_KINEMATIC : TARN_BODY_DYNAMIC;
    add_thruster_and_rudder(s, fmin(size[0], fmin(size[1], size[2])), &def);
    if (!def.type && rng_chance(d, 0.7)) {
        def.velocity = rng_vector(d, rng_between(d, 0, rng_chance(d, 0.3) ? 20 : 2));
        def.angular_velocity = rng_vector(d, rng_between(d, 0, rng_chance(d, 0.3) ? 30 : 3));
    }
    put_body(s, &def);
    for (int n = rng_chance(d, 0.01) ? 4 + rng_index(d, 15) : 0; n > 0; --n)
        put_body(s, &def); // several bodies at one position
}

// ---- joints -------------------------------------------------------------------------------------------

// A line (taut or slack) or a spring (at rest or not) from a body to the world or to another body.
static inline void make_joint(struct random_world *s)
{
    struct rng *d = &s->rng;
    const int count = tarn_world_get_status(s->w).body_count;
    const bool spring = rng_chance(d, 0.5);
    tarn_joint_def def = tarn_default_joint_def(spring ? TARN_JOINT_SPRING : TARN_JOINT_ROPE);
    tarn_body_info f;
    tarn_joint_id id;
    const int a = rng_index(d, count), b = rng_index(d, count);
    def.body_a = tarn_body_at(s->w, a);
    if (b != a) def.body_b = tarn_body_at(s->w, b);
    def.anchor_a = v3_add(body_info(s, def.body_a, &f).position, rng_vector(d, 0.5 * f.radius));
    const double reach = f.radius * rng_between(d, 0, 3);
    def.anchor_b = b != a ? v3_add(body_info(s, def.body_b, &f).position, rng_vector(d, 0.5 * f.radius))
                          : v3_add(def.anchor_a, rng_vector(d, reach));
    double lightest = f.mass;
    tarn_vec3 way = v3_sub(def.anchor_b, def.anchor_a); // the shorter one across periodic boundaries
    if (s->w->fluid.periodic_x) way.x -= s->size[0] * floor(way.x / s->size[0] + 0.5);
    if (s->w->fluid.periodic_z) way.z -= s->size[1] * floor(way.z / s->size[1] + 0.5);
    const double far = v3_length(way), length = far * rng_between(d, 0.8, 2);
    body_info(s, def.body_a, &f);
    lightest = fmin(lightest, f.mass);
    // From soft to a period of about one step.
    const double stiff = f.mass * square(rng_log_uniform(d, 0.1, 1.0 / s->dt));
    if (spring)
        def.spring.stiffness = stiff, def.spring.damping = rng_chance(d, 0.5) ? 0 : 0.1 * stiff * s->dt;
    const bool given = rng_chance(d, 0.5);
    if (given) *(spring ? &def.spring.length : &def.rope.length) = spring ? length : fmax(length, far);
    if (far < 1e-6) return;
    if (spring && given) {
        s->max_added_energy += 0.5 * stiff * square(length - far);
        s->max_start_speed += sqrt(stiff / lightest) * fabs(length - far);
    }
    CHECK_OK(tarn_joint_create(s->w, &def, &id, NULL));
    if (s->verbose)
        print_message("%s from body %u to %u, %.3g m, %.3g N/m\n", spring ? "spring" : "rope",
                      id_slot(def.body_a.value), id_slot(def.body_b.value), far, spring ? stiff : 0.0);
}

// ---- actions on a world and, in the same way, on its copy --------------------------------------------

// [J] Largest work of a force and a torque on a body in dt: (v + F dt/m) F dt + (w + T dt/I) T dt.
static inline double max_work(const struct random_world *s, tarn_body_id id, double force, double torque)
{
    tarn_body_info f;
    const tarn_body_state m = body_info(s, id, &f);
    const double j = force * s->dt, t = torque * s->dt,
                 least = fmin(f.inertia.x, fmin(f.inertia.y, f.inertia.z));
    return j * (v3_length(m.velocity) + j / f.mass) + t * (v3_length(m.angular_velocity) + t / least);
}

static inline void push_body(struct random_world *s, tarn_world *copy, tarn_body_id id)
{
    struct rng *d = &s->rng;
    tarn_body_info f;
    const tarn_body_state m = body_info(s, id, &f);
    const double gain = rng_between(d, 0, 5); // [m/s]
    const tarn_vec3 force = rng_vector(d, f.mass * gain / s->dt), arm = rng_vector(d, 0.2 * f.radius);
    CHECK_OK(tarn_body_apply_force(s->w, id, force, v3_add(m.position, arm)));
    if (copy) CHECK_OK(tarn_body_apply_force(copy, id, force, v3_add(m.position, arm)));
    const double torque = v3_length(v3_cross(arm, force)),
                 least = fmin(f.inertia.x, fmin(f.inertia.y, f.inertia.z));
    s->max_added_energy += max_work(s, id, v3_length(force), torque);
    s->max_start_speed += gain + torque * s->dt / least * f.radius;
}

static inline void remove_body(struct random_world *s, tarn_world *copy, tarn_body_id id)
{
    const double volume = tarn_world_get_ledger(s->w).volume_displaced, before = energy(s->w);
    CHECK_OK(tarn_body_destroy(s->w, id));
    if (copy) CHECK_OK(tarn_body_destroy(copy, id));
    s->moved_volume += fabs(tarn_world_get_ledger(s->w).volume_displaced - volume);
    s->initial_energy += energy(s->w) - before;
}

// Add the largest work of thrusters in this step to the bounds.
static inline void track_thrust(struct random_world *s)
{
    for (int k = 0; k < tarn_world_get_status(s->w).body_count; ++k) {
        const tarn_body_id id = tarn_body_at(s->w, k);
        const tarn_body_def *def = &s->w->bodies.slots[id_slot(id.value)].body->def;
        if (def->thruster.force == 0.0 || def->type) continue;
        const double force = fabs(def->thruster.force), torque = force * v3_length(def->thruster.position);
        tarn_body_info f;
        body_info(s, id, &f);
        s->max_added_energy += max_work(s, id, force, torque);
        s->max_start_speed += force * s->dt / f.mass;
    }
}

// Track the energy input of a step that the coupling does not conserve: floodwater that passes a rim moves
// from the energy of the water to that of the body, which is weighted by the coupling strength alpha.
static inline void track_energy_input(struct random_world *s, bool first)
{
    const struct bodies *b = &s->w->bodies;
    for (int i = 0; i < b->slot_count && i < MAX_SLOTS; ++i) {
        double held = 0.0;
        if (body_exists(b, i)) {
            held = square(s->cell) * s->w->coupling.per_body[i].floodwater_depth;
            const double high = RHO * GRAVITY * 2.0 * b->slots[i].body->def.shape->bounding_radius;
            if (!first) s->max_added_energy += high * fabs(held - s->floodwater[i]);
        }
        s->floodwater[i] = held;
    }
}

static inline void apply_random_actions(struct random_world *s, tarn_world *copy)
{
    struct rng *d = &s->rng;
    const int count = tarn_world_get_status(s->w).body_count;
    const bool push = rng_chance(d, s->quiet ? 0.002 : 0.05), take = rng_chance(d, 0.003),
               add = rng_chance(d, 0.003);
    if (count > 0 && (push || take)) {
        const tarn_body_id id = tarn_body_at(s->w, rng_index(d, count));
        tarn_body_info f;
        body_info(s, id, &f);
        if (push && !f.type) push_body(s, copy, id);
        if (take) remove_body(s, copy, id);
    }
    if (add && !copy) make_body(s);
    track_thrust(s);
}

#endif
