// Bodies in the planar model: insertion and removal, the calls of a substep, checkpoint. The strong coupling
// itself is in src/fluid/flow/bodies.
#include "planar_coupling.h"

#include "base/error.h"
#include "fluid/flow/obstacle/obstacle.h"

// Added inertia over the inertia of the displaced fluid; none for a disc.
#define ADDED_INERTIA_FRACTION 0.1

void planar_free(struct planar_coupling *s)
{
    memory_free(s->memory, s->per_body, (size_t)s->body_capacity, sizeof *s->per_body);
    planar_free_colliders(s);
}

static double mass_of(const struct bodies *b, int i) { return b->slots[i].body->def.mass; }
static double inertia_of(const struct bodies *b, int i) { return b->slots[i].body->principal_inertia.z; }
static bool is_disc(const struct bodies *b, int i)
{
    return b->slots[i].body->def.shape->data.convex_parts[0].profile_count > 0;
}

static void velocity_of(const struct bodies *b, int i, double v[3])
{
    v[0] = b->state[i].momentum.x / mass_of(b, i);
    v[1] = b->state[i].momentum.y / mass_of(b, i);
    v[2] = b->state[i].angular_momentum.z / inertia_of(b, i);
}

static void set_velocity(struct bodies *b, int i, const double v[3])
{
    b->state[i].momentum = v3_scale(v3(v[0], v[1], 0.0), mass_of(b, i));
    b->state[i].angular_momentum = v3(0.0, 0.0, inertia_of(b, i) * v[2]);
    if (body_has_locks(b, i)) body_restrict_momenta(b, i); // the difference is an impulse of the next substep
}

static double angle_of(const struct bodies *b, int i)
{
    const quat q = b->state[i].rotation;
    return m_atan2(2.0 * q.w * q.z, 1.0 - 2.0 * q.z * q.z);
}

static void copy_pose(struct fluid *f, const struct bodies *b, int i)
{
    struct planar_motion *p = &f->bodies[i].motion;
    p->x = b->state[i].position.x, p->y = b->state[i].position.y, p->angle = angle_of(b, i);
}

static void set_flow_velocity(struct fluid *f, int i, const double v[3])
{
    struct planar_motion *p = &f->bodies[i].motion;
    p->u = v[0], p->v = v[1], p->spin = v[2];
}

// ---- insertion --------------------------------------------------------------------------------------------

static bool set_outline(const struct bodies *b, struct fluid *f, int i)
{
    const struct convex_part *p = &b->slots[i].body->def.shape->data.convex_parts[0];
    double points[MAX_FACE_VERTICES][2];
    if (p->profile_count) return flow_body_set(f, i, p->rounding, NULL, 0);
    const struct convex_face *front = &p->faces[p->face_count - 1]; // see prism.c
    for (int k = 0; k < front->count; ++k) {
        const vec3 at = p->vertices[p->face_vertices[front->first + k]];
        points[k][0] = at.x, points[k][1] = at.y;
    }
    return flow_body_set(f, i, 0.0, (const double(*)[2])points, front->count);
}

static bool reserve_body(struct planar_coupling *s, struct fluid *f, const struct bodies *b, int i)
{
    if (!memory_grow(s->memory, (void **)&s->per_body, &s->body_capacity, b->slot_count,
                     sizeof *s->per_body) ||
        !set_outline(b, f, i))
        return false;
    f->bodies[i].mass = mass_of(b, i), f->bodies[i].inertia = inertia_of(b, i);
    copy_pose(f, b, i);
    return true;
}

void planar_update_mass(struct planar_coupling *s, struct fluid *f, const struct bodies *b, int i)
{
    if (!body_is_solid(b, i)) return;
    f->bodies[i].mass = mass_of(b, i), f->bodies[i].inertia = inertia_of(b, i);
    s->poses_are_stale = true; // the rows of the projection depend on the mass
}

tarn_result planar_insert_body(struct planar_coupling *s, struct coupling *c, struct fluid *f,
                               const struct bodies *b, int i, tarn_error *err)
{
    if (i >= MAX_SOLIDS)
        return fail(err, TARN_BAD_INPUT, "", "too many bodies in the model flow (limit %d)", MAX_SOLIDS);
    const bool is_reserved =
        memory_grow(c->memory, (void **)&c->per_body, &c->body_capacity, b->slot_count,
                    sizeof *c->per_body) &&
        memory_grow(s->memory, (void **)&s->per_body, &s->body_capacity, b->slot_count, sizeof *s->per_body);
    if (!is_reserved || (body_is_solid(b, i) && !reserve_body(s, f, b, i)))
        return fail(err, TARN_NO_MEMORY, "", "no memory for another body");
    if (!body_is_solid(b, i)) {
        c->per_body[i] = (struct body_coupling){0};
        s->per_body[i] = (struct planar_body){0};
        return TARN_OK;
    }
    velocity_of(b, i, s->per_body[i].velocity);
    set_flow_velocity(f, i, s->per_body[i].velocity);
    c->per_body[i] = (struct body_coupling){0};
    s->per_body[i].is_in_cut_cells = false;
    s->poses_are_stale = true;
    return TARN_OK;
}

// A body whose state is not finite keeps its last pose; the world reports it.
static void update_flow_poses(struct fluid *f, const struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists_solid(b, i) && body_is_valid(b, i)) copy_pose(f, b, i);
    f->model->planar->update_cut_cells(f);
}

void planar_refresh(struct planar_coupling *s, struct fluid *f, const struct bodies *b)
{
    if (!s->poses_are_stale) return;
    update_flow_poses(f, b);
    s->poses_are_stale = f->out_of_memory;
    for (int i = 0; i < b->slot_count && !f->out_of_memory; ++i)
        if (body_exists_solid(b, i)) s->per_body[i].is_in_cut_cells = true;
}

void planar_remove_body(struct planar_coupling *s, struct coupling *c, struct fluid *f,
                        const struct bodies *b, int i)
{
    if (!body_is_solid(b, i)) return; // it is not in the fluid
    planar_refresh(s, f, b);          // for bodies inserted before
    c->per_body[i] = (struct body_coupling){0};
    flow_body_remove(f, i);
    f->model->planar->update_cut_cells(f);
    s->poses_are_stale = f->out_of_memory;
}

// ---- a step -----------------------------------------------------------------------------------------------

// The impulse that corresponds to the change of the velocity of body i since the fluid read it. False: none.
static bool find_impulse(const struct planar_coupling *s, struct fluid *f, const struct bodies *b, int i)
{
    struct obstacle *o = &f->bodies[i];
    const double mass = mass_of(b, i) + o->added_mass, gyration = inertia_of(b, i) / mass_of(b, i); // [m^2]
    const double inertia =
        inertia_of(b, i) + (is_disc(b, i) ? 0.0 : ADDED_INERTIA_FRACTION * o->added_mass * gyration);
    double change = 0.0, size = 0.0;
    velocity_of(b, i, o->target_velocity);
    for (int k = 0; k < 3; ++k) {
        const double d = o->target_velocity[k] - s->per_body[i].velocity[k],
                     weight = k < 2 ? mass_of(b, i) : inertia_of(b, i);
        change += weight * d * d;
        size += weight * (o->target_velocity[k] * o->target_velocity[k] +
                          s->per_body[i].velocity[k] * s->per_body[i].velocity[k]);
        o->impulse[k] = (k < 2 ? mass : inertia) * d;
    }
    return o->has_impulse = change > 1e-20 * size; // more than rounding
}

static void read_velocity(struct planar_coupling *s, const struct fluid *f, int i)
{
    const struct planar_motion *p = &f->bodies[i].motion;
    s->per_body[i].velocity[0] = p->u, s->per_body[i].velocity[1] = p->v,
    s->per_body[i].velocity[2] = p->spin;
}

vec3 planar_exchange_impulses(struct planar_coupling *s, struct fluid *f, const struct bodies *b, double dt,
                              bool all)
{
    vec3 sum = {0, 0, 0};
    bool any = false;
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i)) continue;
        f->bodies[i].has_impulse = false;
        if (all || body_is_dynamic(b, i)) any |= find_impulse(s, f, b, i);
    }
    if (!any) return sum;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists_solid(b, i)) set_flow_velocity(f, i, s->per_body[i].velocity);
    const double scale = f->model->planar->apply_impulses(f, dt);
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i)) continue;
        const struct obstacle *o = &f->bodies[i];
        if (o->has_impulse) sum = v3_madd(sum, scale, v3(o->impulse[0], o->impulse[1], 0.0));
        read_velocity(s, f, i);
    }
    return sum;
}

// [N] Gravity and user force. The hydrostatic pressure, which the model leaves out, is added in
// set_body_force().
static vec3 applied_force_of(const struct fluid *f, const struct bodies *b, int i)
{
    const struct body *body = b->slots[i].body;
    const double weight = body->def.mass * body->def.gravity_scale * f->gravity;
    return v3_add(body->user_force, v3(0.0, -weight, 0.0));
}

static void set_body_force(const struct planar_coupling *s, struct fluid *f, const struct bodies *b, int i)
{
    struct obstacle *o = &f->bodies[i];
    const vec3 force = applied_force_of(f, b, i);
    o->applied_force[0] = force.x, o->applied_force[1] = force.y + f->density * o->area * f->gravity;
    o->applied_force[2] = b->slots[i].body->user_torque.z;
    set_flow_velocity(f, i, s->per_body[i].velocity);
}

static void report_load(struct body_coupling *p, const struct planar_coupling *s, const struct fluid *f,
                        const struct bodies *b, int i, double dt)
{
    const vec3 applied = applied_force_of(f, b, i);
    const double m = mass_of(b, i) / dt, *v = s->per_body[i].velocity,
                 *before = s->per_body[i].velocity_before;
    const vec3 force = v3(m * (v[0] - before[0]) - applied.x, m * (v[1] - before[1]) - applied.y, 0.0);
    p->load = (tarn_load){.buoyancy = {0.0, f->density * f->bodies[i].area * f->gravity, 0.0},
                          .force = force,
                          .effective_force = force,
                          .submerged_volume = f->bodies[i].area,
                          .submerged_fraction = 1.0};
    p->load.drag = v3_sub(force, p->load.buoyancy);
    p->load.torque.z = inertia_of(b, i) / dt * (v[2] - before[2]) - b->slots[i].body->user_torque.z;
    p->load.effective_torque = p->load.torque;
}

// The velocity change by the fluid, divided among `count` solver steps.
static void set_applied_impulses(const struct planar_coupling *s, const struct fluid *f, struct bodies *b,
                                 int count)
{
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i) || !body_is_dynamic(b, i)) continue;
        const double *v = s->per_body[i].velocity, *before = s->per_body[i].velocity_before,
                     m = mass_of(b, i) / count;
        const double added_mass = f->bodies[i].added_mass;
        b->applied[i] = (struct applied_impulse){
            .linear = {m * (v[0] - before[0]), m * (v[1] - before[1]), 0.0},
            .angular = {0.0, 0.0, inertia_of(b, i) / count * (v[2] - before[2])},
            .is_uniform = true,
            .added_mass = added_mass,
            .added_inertia = is_disc(b, i) ? 0.0 : ADDED_INERTIA_FRACTION * added_mass / mass_of(b, i)};
    }
}

void planar_set_forces(struct planar_coupling *s, struct fluid *f, const struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists_solid(b, i)) set_body_force(s, f, b, i);
}

void planar_read_velocities(struct planar_coupling *s, struct coupling *c, const struct fluid *f,
                            const struct bodies *b, double dt)
{
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i)) continue;
        for (int k = 0; k < 3; ++k) s->per_body[i].velocity_before[k] = s->per_body[i].velocity[k];
        read_velocity(s, f, i);
        report_load(&c->per_body[i], s, f, b, i, dt);
    }
}

void planar_move_bodies(struct planar_coupling *s, const struct fluid *f, struct bodies *b,
                        const struct body_domain *domain, double dt)
{
    const int count = (int)ceil(dt / MAX_SOLVER_DT - 1e-6);
    for (int k = 0; k < count; ++k) {
        set_applied_impulses(s, f, b, count);
        planar_place_colliders(s, f,
                               dt * (count - k) / count); // obstacles are at the end of the substep already
        bodies_advance(b, domain, dt / count);
        bodies_confine(b, domain);
        bodies_project_to_plane(b);
    }
}

void planar_update_cut_cells(struct planar_coupling *s, struct fluid *f, struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists_solid(b, i) && body_is_dynamic(b, i)) set_velocity(b, i, s->per_body[i].velocity);
    update_flow_poses(f, b);
}

double planar_energy(const struct fluid *f, const struct bodies *b)
{
    double sum = 0.0;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists_solid(b, i))
            sum -= f->density * f->bodies[i].area * f->gravity * b->state[i].position.y;
    return sum;
}

// ---- saving -----------------------------------------------------------------------------------------------

// A checkpoint between an edit of the bodies and the next step also holds what the cut cells were built from.
static void save_cut_cell_poses(struct saver *s, const struct planar_coupling *planar, const struct fluid *f,
                                const struct bodies *b)
{
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i)) continue;
        save_u32(s, planar->per_body[i].is_in_cut_cells);
        save_f64s(s, &f->bodies[i].motion.x, 3);
    }
}

void planar_save(struct saver *s, const struct planar_coupling *planar, const struct fluid *f,
                 const struct bodies *b)
{
    if (!f->model->planar) return;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists_solid(b, i)) save_f64s(s, planar->per_body[i].velocity, 3);
    if (planar->poses_are_stale) save_cut_cell_poses(s, planar, f, b);
}

static bool load_velocity(struct loader *l, struct planar_coupling *s, int i)
{
    double *v = s->per_body[i].velocity;
    load_f64s(l, v, 3);
    s->per_body[i].is_in_cut_cells = true;
    return fabs(v[0]) < 1e9 && fabs(v[1]) < 1e9 && fabs(v[2]) < 1e9;
}

// pose: x, y [m], angle [rad]
static bool load_cut_cell_pose(struct loader *l, struct planar_coupling *s, int i, double pose[3])
{
    s->per_body[i].is_in_cut_cells = load_u32(l) != 0;
    load_f64s(l, pose, 3);
    return fabs(pose[0]) < 1e9 && fabs(pose[1]) < 1e9 && fabs(pose[2]) < 1e9;
}

// Set the bodies of the fluid: those that are in the cut cells of the saved world, or the others.
static bool load_flow_bodies(struct planar_coupling *s, struct fluid *f, const struct bodies *b,
                             double (*poses)[3], bool in_cut_cells)
{
    for (int i = 0; i < b->slot_count; ++i) {
        if (!body_exists_solid(b, i) || s->per_body[i].is_in_cut_cells != in_cut_cells) continue;
        if (!reserve_body(s, f, b, i)) return false;
        set_flow_velocity(f, i, s->per_body[i].velocity);
        struct planar_motion *motion = &f->bodies[i].motion;
        if (poses) motion->x = poses[i][0], motion->y = poses[i][1], motion->angle = poses[i][2];
    }
    return true;
}

static tarn_result load_poses_and_build(struct loader *l, struct planar_coupling *s, struct fluid *f,
                                        const struct bodies *b, double (*poses)[3], tarn_error *err)
{
    bool ok = true;
    for (int i = 0; i < b->slot_count; ++i)
        if (body_exists_solid(b, i)) ok = load_velocity(l, s, i) && ok;
    s->poses_are_stale = !load_is_complete(l);
    for (int i = 0; i < b->slot_count && s->poses_are_stale; ++i)
        if (body_exists_solid(b, i)) ok = load_cut_cell_pose(l, s, i, poses[i]) && ok;
    if (!ok || !load_is_complete(l))
        return fail(err, TARN_BAD_INPUT, "", "section 'flow_bodies' is not valid");
    if (!s->poses_are_stale) poses = NULL;
    const bool built = load_flow_bodies(s, f, b, poses, true) &&
                       (solid_count(f) == 0 || f->model->planar->rebuild_cut_cells(f)) &&
                       load_flow_bodies(s, f, b, poses, false);
    return built ? TARN_OK : fail(err, TARN_NO_MEMORY, "", "no memory for obstacles and bodies");
}

tarn_result planar_load(struct loader *l, struct planar_coupling *s, struct fluid *f, const struct bodies *b,
                        tarn_error *err)
{
    const size_t slots = (size_t)b->slot_count;
    if (!f->model->planar)
        return load_is_complete(l) ? TARN_OK
                                   : fail(err, TARN_BAD_INPUT, "", "section 'flow_bodies' is not valid");
    if (b->slot_count > MAX_SOLIDS)
        return fail(err, TARN_BAD_INPUT, "", "too many bodies in the model flow (limit %d)", MAX_SOLIDS);
    double(*poses)[3] = memory_alloc(s->memory, slots + 1, sizeof *poses);
    if (!poses || !memory_grow(s->memory, (void **)&s->per_body, &s->body_capacity, b->slot_count,
                               sizeof *s->per_body)) {
        memory_free(s->memory, poses, slots + 1, sizeof *poses);
        return fail(err, TARN_NO_MEMORY, "", "no memory for bodies");
    }
    const tarn_result r = load_poses_and_build(l, s, f, b, poses, err);
    memory_free(s->memory, poses, slots + 1, sizeof *poses);
    return r;
}
