#include "world.h"

#include "base/error.h"
#include "base/fpmode.h"
#include "base/math.h"
#include "fluid/bed.h"

#include <stdio.h>
#include <string.h>

static const tarn_param params[] = {
    PARAM_INTEGER(tarn_world_def, seed, "seed", 1, 0, 2147483647, "everything random follows from it"),
    PARAM_NUMBER(tarn_world_def, gravity, "fluid.gravity", 9.81, 1e-3, 1e3, "m/s^2", "downwards"),
    PARAM_NUMBER(tarn_world_def, density, "fluid.density", 1000, 1e-3, 1e5, "kg/m^3", "of the fluid"),
    PARAM_CHOICE(
        tarn_world_def, coupling, "coupling.kind", 0, couple_names,
        "how bodies move the water: columns and (implicit) pressure keep volume and momentum; triangles and "
        "(implicit) penalty, the literature's, do not"),
    PARAM_NUMBER(
        tarn_world_def, strength, "coupling.strength", 0.9, 0, 0.95, "",
        "columns: part of what a body displaces that lifts them at once; 0: bodies do not move the water"),
    PARAM_NUMBER(tarn_world_def, weight, "coupling.weight", 10, 0, 1e6, "",
                 "penalty: how hard the surface is drawn to a body's underside in a step"),
    PARAM_NUMBER(tarn_world_def, splash, "coupling.splash", 0, 0, 100, "",
                 "part of its speed at which a body that breaks the surface throws water up around itself"),
    PARAM_FLAG(tarn_world_def, sleep, "run.sleep", 1,
               "bodies at rest are left alone until something wakes them"),
    PARAM_LIVE_FLAG(tarn_world_def, touch, "run.touch", 1,
                    "bodies touch each other; without it they pass through each other"),
    PARAM_NUMBER(tarn_world_def, dt, "run.dt", 1.0 / 60.0, 1e-5, TARN_MAX_DT, "s", "the world's own step"),
};

const tarn_kind world_kind = {
    .room = "world", .name = "world", .help = "what every world has", PARAMS(params)};

const char *tarn_version(void) { return TARN_VERSION; }

static const struct fluid_kind *fluid_kind_of(const tarn_kind *kind)
{
    for (int i = 0; fluid_kind_at(i); ++i)
        if (&fluid_kind_at(i)->kind == kind) return fluid_kind_at(i);
    return NULL;
}

tarn_world_def tarn_world_def_default(const char *model)
{
    tarn_world_def def = {0};
    tarn_kind_defaults(&world_kind, &def);
    tarn_spec_init(&def.fluid, "fluid", model, NULL);
    const struct fluid_kind *fluid = fluid_kind_of(def.fluid.kind);
    for (int i = 0; couple_kind_at(i) && fluid && fluid->solves; ++i)
        if (couple_kind_at(i)->solved) def.coupling = i;
    return def;
}

tarn_body_def tarn_body_def_default(const char *shape)
{
    tarn_body_def def = {0};
    tarn_kind_defaults(&body_kind, &def);
    tarn_spec_init(&def.shape, "shape", shape, NULL);
    return def;
}

static tarn_result check(const tarn_world_def *def, tarn_error *err)
{
    if (!fluid_kind_of(def->fluid.kind))
        return fail(err, TARN_BAD_INPUT, "model", "there is no such fluid model");
    if (def->host.workers < 0 || def->host.workers > 64)
        return fail(err, TARN_BAD_ARGUMENT, "workers", "%d is outside 0 .. 64", def->host.workers);
    if (def->host.retries < 0 || def->host.retries > 8)
        return fail(err, TARN_BAD_ARGUMENT, "retries", "%d is outside 0 .. 8", def->host.retries);
    tarn_result r = tarn_kind_check(&world_kind, def, err);
    if (r == TARN_OK) r = tarn_kind_check(def->fluid.kind, def->fluid.data, err);
    if (r == TARN_OK) r = bed_check(def, err);
    if (r == TARN_OK && def->bed_count > 0 && !fluid_kind_of(def->fluid.kind)->terrain)
        return fail(err, TARN_BAD_INPUT, "bed", "the model '%s' has a flat bed", def->fluid.kind->name);
    const struct couple_kind *coupling = couple_kind_at(def->coupling);
    if (r == TARN_OK && (coupling->solved || coupling->drawn) != fluid_kind_of(def->fluid.kind)->solves)
        return fail(err, TARN_BAD_INPUT, "coupling", "'%s' does not fit the model '%s'",
                    couple_names[def->coupling], def->fluid.kind->name);
    return r;
}

static void say_what_it_is(const tarn_world *w)
{
    const struct grid *g = &w->fluid.g;
    const tarn_status now = tarn_world_status(w);
    log_remark(&w->def.host.log, TARN_LOG_INFO,
               "%s model: %d x %d columns of %.4g m, %d inner steps of %.3g s a step",
               w->fluid.kind->kind.name, g->nx, g->nz, g->s, now.inner_per_step,
               w->def.dt / now.inner_per_step);
}

tarn_result world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err)
{
    *out = NULL;
    tarn_result r = check(def, err);
    if (r != TARN_OK) return r;
    struct memory memory;
    memory_init(&memory, &def->host.allocator);
    tarn_world *w = memory_alloc(&memory, 1, sizeof *w);
    if (!w) return fail(err, TARN_NO_MEMORY, "", "no memory for a world");
    w->memory = memory;
    w->def = *def;
    w->bodies.memory = w->couple.memory = w->swim.memory = &w->memory;
    w->bodies.flat = fluid_kind_of(def->fluid.kind)->flat;
    w->bodies.never_sleep = !def->sleep || w->bodies.flat;
    w->bodies.apart = !def->touch;
    w->couple.kind = couple_kind_at(def->coupling);
    w->couple.strength = w->couple.kind->solved ? 1.0 : w->couple.kind->lifts ? def->strength : 0.0;
    w->couple.weight = def->weight, w->couple.splash = def->splash;
    w->parallel = parallel_create(&w->memory, &def->host.tasks, def->host.workers);
    w->fluid = (struct fluid){
        .kind = fluid_kind_of(def->fluid.kind),
        .spec = def->fluid,
        .memory = &w->memory,
        .parallel = w->parallel,
        .gravity = def->gravity,
        .density = def->density,
        .dt = def->dt,
    };
    r = w->parallel ? fluid_create(&w->fluid, def, err)
                    : fail(err, TARN_NO_MEMORY, "", "no memory for threads");
    w->def.map = (tarn_map){0}; // it was only lent
    if (r != TARN_OK) {
        tarn_world_destroy(w);
        return r;
    }
    say_what_it_is(w);
    *out = w;
    return TARN_OK;
}

tarn_result tarn_world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err)
{
    if (!def || !out) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    const struct fpmode host = fpmode_enter();
    const tarn_result r = world_create(def, out, err);
    fpmode_leave(host);
    return r;
}

void tarn_world_destroy(tarn_world *w)
{
    if (!w) return;
    const struct memory memory = w->memory;
    world_drop_backup(w);
    memory_free(&memory, w->kept_surface, (size_t)w->fluid.g.nx * (size_t)w->fluid.g.nz, sizeof(float));
    memory_free(&memory, w->kept_bodies, (size_t)w->kept_body_room, sizeof *w->kept_bodies);
    memory_free(&memory, w->emitters, (size_t)w->emitter_room, sizeof *w->emitters);
    couple_free(&w->couple);
    swim_free(&w->swim);
    bodies_free(&w->bodies);
    fluid_free(&w->fluid);
    parallel_destroy(w->parallel);
    memory_free(&memory, w, 1, sizeof *w);
}

const char *tarn_world_trouble(const tarn_world *w) { return w ? w->trouble : ""; }

tarn_status tarn_world_status(const tarn_world *w)
{
    if (!w) return (tarn_status){0};
    const struct grid *g = &w->fluid.g;
    const double sub = w->fluid.kind->inner(&w->fluid, w->def.dt);
    return (tarn_status){
        .time = world_time(w),
        .steps = w->steps,
        .inner = w->inner,
        .retaken = w->retaken,
        .inner_per_step = (int)floor(w->def.dt / sub + 0.5),
        .courant = w->courant,
        .cells = {g->nx, g->nz},
        .size = {g->nx * g->s, g->nz * g->s},
        .bodies = w->bodies.alive_count,
        .emitters = w->emitter_count,
    };
}

tarn_ledger tarn_world_ledger(const tarn_world *w)
{
    if (!w) return (tarn_ledger){0};
    const struct fluid *f = &w->fluid;
    struct fluid_totals t = {0};
    const double area = f->g.s * f->g.s, inside = couple_inside(&w->couple, &w->bodies);
    f->kind->totals(f, &t);
    // Columns make room for `strength` of what was put in; the level, which would rise by the rest, was left alone.
    const double beside =
        w->couple.kind->lifts ? (1.0 - w->couple.strength) * w->couple.submerged_start : 0.0;
    tarn_ledger l = {
        .time = world_time(w),
        .volume = area * t.depth - beside,
        .volume_emitted = area * f->emitted,
        .volume_out = area * f->out,
        .volume_placed = area * f->placed + beside,
        .volume_held = area * inside,
        .volume_drift = area * (t.depth + inside - (f->start + f->emitted - f->out - f->placed)),
        .submerged = w->couple.submerged,
        .energy_water = t.energy + (f->kind->flat ? swim_energy(f, &w->bodies)
                                                  : couple_energy(&w->couple, f, &w->bodies)),
        .momentum_water = t.momentum,
        .momentum_sink = w->couple.sink,
        .momentum_walls = w->from_walls,
        .dye = t.dye,
        .dye_emitted = t.dye_in,
        .dye_out = t.dye_out,
        .heat = t.heat,
        .heat_emitted = t.heat_in,
        .heat_out = t.heat_out,
    };
    for (int i = 0; i < w->bodies.count; ++i) {
        if (!bodies_alive(&w->bodies, i)) continue;
        l.energy_bodies += body_energy(&w->bodies, i, f->gravity);
        const double cargo = w->fluid.density * area * w->couple.presses[i].inside;
        l.momentum_bodies = v3_add(l.momentum_bodies, w->bodies.hot[i].momentum);
        l.momentum_bodies = v3_madd(l.momentum_bodies, cargo, body_velocity(&w->bodies, i));
    }
    return l;
}

// ---- parameters of the running world --------------------------------------------------------------

// A path's place: the kind, its struct, and the name within.
struct place {
    const tarn_kind *kind;
    void *data;
    const char *name;
};

static struct place find_place(tarn_world *w, const char *path)
{
    int index = -1, used = 0;
    if (sscanf(path, "emitters[%9d].%n", &index, &used) == 1 && used > 0) {
        if (index < 0 || index >= w->emitter_count) return (struct place){0};
        return (struct place){w->emitters[index].spec.kind, w->emitters[index].spec.data, path + used};
    }
    if (sscanf(path, "bodies[%9d].%n", &index, &used) == 1 && used > 0) {
        const int slot = bodies_slot(&w->bodies, tarn_body_at(w, index));
        return slot < 0 ? (struct place){0}
                        : (struct place){&body_kind, &w->bodies.slots[slot].cold->def, path + used};
    }
    if (tarn_param_find(&world_kind, path)) return (struct place){&world_kind, &w->def, path};
    if (strncmp(path, "fluid.", 6) == 0)
        return (struct place){w->fluid.spec.kind, w->fluid.spec.data, path + 6};
    return (struct place){0};
}

tarn_result tarn_world_get(const tarn_world *w, const char *path, tarn_value *value)
{
    if (!w || !path || !value) return TARN_BAD_ARGUMENT;
    const struct place p = find_place((tarn_world *)w, path); // only read from
    return p.kind ? tarn_kind_get(p.kind, p.data, p.name, value) : TARN_BAD_ARGUMENT;
}

// What follows from a parameter that has changed.
static void obey(tarn_world *w, const struct place *p)
{
    if (w->fluid.kind->flat && p->data == w->fluid.spec.data)
        w->swim.moved = true; // the fluid looks at its sides anew, and may hold its bodies in another way
    if (w->bodies.apart == !w->def.touch) return;
    w->bodies.apart = !w->def.touch;
    for (int i = 0; i < w->bodies.count; ++i)
        if (bodies_alive(&w->bodies, i)) body_wake(&w->bodies, i);
}

tarn_result tarn_world_set(tarn_world *w, const char *path, tarn_value value, tarn_error *err)
{
    if (!w || !path) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    const struct place p = find_place(w, path);
    const tarn_param *param = p.kind ? tarn_param_find(p.kind, p.name) : NULL;
    if (!param) return fail(err, TARN_BAD_ARGUMENT, path, "there is no such parameter");
    if (!(param->flags & TARN_LIVE))
        return fail(err, TARN_BAD_ARGUMENT, path, "it cannot change once the world is made");
    tarn_spec before = w->fluid.spec;
    tarn_result r = tarn_kind_set(p.kind, p.data, p.name, &value, err);
    if (r == TARN_OK && p.data == w->fluid.spec.data) r = w->fluid.kind->check(&w->fluid, err);
    if (r != TARN_OK)
        w->fluid.spec = before;
    else
        obey(w, &p);
    return r;
}

// ---- emitters -------------------------------------------------------------------------------------

tarn_result tarn_emitter_create(tarn_world *w, const tarn_spec *spec, tarn_error *err)
{
    if (!w || !spec) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    const struct emitter_kind *kind = emitter_kind_of(spec->kind);
    if (!kind) return fail(err, TARN_BAD_INPUT, "kind", "there is no such emitter");
    if (w->fluid.kind->flat != kind->flat)
        return fail(err, TARN_BAD_INPUT, "kind", "the emitter '%s' is not for the model '%s'",
                    kind->kind.name, w->fluid.kind->kind.name);
    if (w->fluid.kind->empty)
        return fail(err, TARN_BAD_INPUT, "kind", "the model '%s' has no water", w->fluid.kind->kind.name);
    tarn_result r = tarn_kind_check(spec->kind, spec->data, err);
    if (r == TARN_OK && kind->check) r = kind->check(spec->data, &w->fluid, err);
    if (r != TARN_OK) return r;
    if (!memory_grow(&w->memory, (void **)&w->emitters, &w->emitter_room, w->emitter_count + 1,
                     sizeof *w->emitters))
        return fail(err, TARN_NO_MEMORY, "", "no memory for another emitter");
    struct emitter *e = &w->emitters[w->emitter_count];
    *e = (struct emitter){.kind = kind, .spec = *spec, .stream = (uint64_t)w->emitter_count};
    w->emitter_count += 1;
    if (kind->flat) world_settle(w); // it fills what bodies leave free
    w->couple.changed = true;
    const struct fpmode host = fpmode_enter();
    kind->emit(e, &(struct moment){world_time(w), 0.0, (uint64_t)w->def.seed}, &w->fluid);
    fpmode_leave(host);
    return TARN_OK;
}

// ---- bodies ---------------------------------------------------------------------------------------

static double ground_at(const void *place, double x, double z, vec3 *normal)
{
    const struct fluid *f = place;
    double slope[2];
    const double y = f->level + fluid_ground(f, x, z, slope);
    const double steep = sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1]);
    *normal = v3(-slope[0] / steep, 1.0 / steep, -slope[1] / steep);
    return y;
}

// All four sides of a plane but periodic ones hold bodies, openings too.
static struct walls flat_walls(const struct fluid *f, const struct swim *s)
{
    const double wide = f->g.nx * f->g.s, high = f->g.nz * f->g.s;
    return (struct walls){.x0 = f->wrap_x ? -INFINITY : 0.0,
                          .x1 = f->wrap_x ? INFINITY : wide,
                          .z0 = -INFINITY,
                          .z1 = INFINITY,
                          .roof = high,
                          .wrap = {f->wrap_x ? wide : 0.0, 0.0},
                          .fixtures = s->fixtures,
                          .fixture_count = s->fixture_count};
}

struct walls world_walls(const tarn_world *w)
{
    const struct grid *g = &w->fluid.g;
    if (w->fluid.kind->flat) return flat_walls(&w->fluid, &w->swim);
    const bool end_x = !w->fluid.wrap_x && !w->fluid.endless, end_z = !w->fluid.wrap_z && !w->fluid.endless;
    const double wide = g->nx * g->s, deep = g->nz * g->s;
    const double x = end_x ? 0.5 * wide : INFINITY, z = end_z ? 0.5 * deep : INFINITY;
    return (struct walls){.x0 = -x,
                          .x1 = x,
                          .z0 = -z,
                          .z1 = z,
                          .floor = w->fluid.base,
                          .wrap = {w->fluid.wrap_x ? wide : 0.0, w->fluid.wrap_z ? deep : 0.0},
                          .ground = w->fluid.bed ? ground_at : NULL,
                          .place = &w->fluid};
}

static tarn_result check_place(const tarn_world *w, const tarn_body_def *def, tarn_error *err)
{
    const struct shape_kind *shape = shape_kind_of(def->shape.kind);
    if (shape && shape->flat)
        return fail(err, TARN_BAD_INPUT, "shape", "'%s' is a shape of a plane, for the model 'flow'",
                    shape->kind.name);
    const struct walls in = world_walls(w);
    const vec3 p = def->position;
    if (!(in.x0 < p.x && p.x < in.x1 && in.z0 < p.z && p.z < in.z1))
        return fail(err, TARN_BAD_INPUT, "position",
                    "(%.6g, %.6g, %.6g) m is outside the tank of %.6g x %.6g m", p.x, p.y, p.z,
                    w->fluid.g.nx * w->fluid.g.s, w->fluid.g.nz * w->fluid.g.s);
    vec3 up;
    const double ground = in.ground ? in.ground(in.place, p.x, p.z, &up) : in.floor;
    if (!(p.y > ground))
        return fail(err, TARN_BAD_INPUT, "position", "y = %.6g m is below the ground at %.6g", p.y, ground);
    return TARN_OK;
}

tarn_result tarn_body_create(tarn_world *w, const tarn_body_def *def, tarn_body *out, tarn_error *err)
{
    if (!w || !def || !out) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    *out = (tarn_body){0};
    const struct fpmode host = fpmode_enter();
    const bool flat = w->fluid.kind->flat;
    tarn_body_def own;
    tarn_result r = flat ? flat_body(w, def, &own, err) : check_place(w, def, err);
    if (flat) def = &own;
    if (r == TARN_OK) r = bodies_add(&w->bodies, def, out, err);
    if (r == TARN_OK) {
        const int i = bodies_slot(&w->bodies, *out);
        r = flat ? swim_place(&w->swim, &w->couple, &w->fluid, &w->bodies, i, err)
                 : couple_place(&w->couple, &w->fluid, &w->bodies, i, err);
        if (r != TARN_OK) bodies_remove(&w->bodies, i);
    }
    if (r != TARN_OK) *out = (tarn_body){0};
    fpmode_leave(host);
    return r;
}

tarn_result tarn_body_remove(tarn_world *w, tarn_body body)
{
    const int i = w ? bodies_slot(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    if (w->fluid.kind->flat)
        swim_take(&w->swim, &w->couple, &w->fluid, &w->bodies, i);
    else
        couple_take(&w->couple, &w->fluid, &w->bodies, i);
    bodies_remove(&w->bodies, i);
    fpmode_leave(host);
    return TARN_OK;
}

tarn_result tarn_body_motion(const tarn_world *w, tarn_body body, tarn_motion *out)
{
    const int i = w && out ? bodies_slot(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    *out = (tarn_motion){w->bodies.hot[i].position, w->bodies.hot[i].rotation, body_velocity(&w->bodies, i),
                         body_spin(&w->bodies, i)};
    return TARN_OK;
}

tarn_result tarn_body_move(tarn_world *w, tarn_body body, const tarn_motion *motion)
{
    const int i = w && motion ? bodies_slot(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    tarn_body_def def = w->bodies.slots[i].cold->def;
    def.position = motion->position, def.rotation = motion->rotation;
    def.velocity = motion->velocity, def.spin = motion->spin;
    if (tarn_kind_check(&body_kind, &def, NULL) != TARN_OK) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    struct body_hot *hot = &w->bodies.hot[i];
    hot->position = motion->position;
    hot->rotation = quat_unit(motion->rotation);
    hot->momentum = v3_scale(motion->velocity, def.mass);
    if (w->fluid.kind->flat)
        bodies_flatten(&w->bodies); // the turn first: across the plane a body has no end of inertia
    hot->angular = body_angular(&w->bodies, i, motion->spin);
    body_wake(&w->bodies, i);
    if (w->fluid.kind->flat)
        bodies_flatten(&w->bodies), w->swim.moved = true;
    else
        couple_rebuild(&w->couple, &w->fluid, &w->bodies, i);
    fpmode_leave(host);
    return TARN_OK;
}

tarn_result tarn_body_push(tarn_world *w, tarn_body body, tarn_vec3 force, tarn_vec3 at)
{
    const int i = w ? bodies_slot(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    struct body_cold *c = w->bodies.slots[i].cold;
    const vec3 sum = v3_add(c->force, force);
    const vec3 turn = v3_add(c->torque, v3_cross(v3_sub(at, w->bodies.hot[i].position), force));
    const bool good = v3_length(sum) <= PUSH_MOST && v3_length(turn) <= PUSH_MOST; // a NaN is not
    if (good) c->force = sum, c->torque = turn, body_wake(&w->bodies, i);
    fpmode_leave(host);
    return good ? TARN_OK : TARN_BAD_ARGUMENT;
}

tarn_result tarn_body_load(const tarn_world *w, tarn_body body, tarn_load *out)
{
    const int i = w && out ? bodies_slot(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    *out = w->couple.presses[i].load;
    return TARN_OK;
}

tarn_result tarn_body_facts_of(const tarn_world *w, tarn_body body, tarn_body_facts *out)
{
    const int i = w && out ? bodies_slot(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    const struct body_cold *c = w->bodies.slots[i].cold;
    *out = (tarn_body_facts){.mass = c->def.mass,
                             .volume = c->figure->form.volume,
                             .inertia = c->inertia,
                             .axes = c->axes,
                             .radius = c->figure->radius,
                             .colour = c->def.colour,
                             .external = c->def.external,
                             .material = c->def.material};
    memcpy(out->name, c->def.name, sizeof out->name);
    return TARN_OK;
}

tarn_body tarn_body_at(const tarn_world *w, int index)
{
    for (int i = 0; w && index >= 0 && i < w->bodies.count; ++i)
        if (bodies_alive(&w->bodies, i) && index-- == 0) return bodies_id(&w->bodies, i);
    return (tarn_body){0};
}

tarn_body tarn_body_find(const tarn_world *w, const char *name)
{
    for (int i = 0; w && name && i < w->bodies.count; ++i)
        if (bodies_alive(&w->bodies, i) && strcmp(w->bodies.slots[i].cold->def.name, name) == 0)
            return bodies_id(&w->bodies, i);
    return (tarn_body){0};
}

// ---- water ----------------------------------------------------------------------------------------

tarn_surface tarn_water_at(const tarn_world *w, double x, double z)
{
    if (!w || w->fluid.kind->flat || !fluid_inside(&w->fluid, x, z)) return (tarn_surface){0};
    const struct fluid_point p = fluid_sample(&w->fluid, x, z);
    const double depth = p.height - p.ground;
    const double steep = sqrt(1.0 + p.slope_x * p.slope_x + p.slope_z * p.slope_z);
    return (tarn_surface){
        .height = w->fluid.level + p.height,
        .depth = depth > w->fluid.dry ? depth : 0.0,
        .normal = {-p.slope_x / steep, 1.0 / steep, -p.slope_z / steep},
        .velocity = {p.u, p.rising, p.v},
        .wet = depth > w->fluid.dry,
    };
}

tarn_result tarn_water_fill(tarn_world *w, const tarn_column *columns, tarn_error *err)
{
    if (!w || !columns) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    struct fluid *f = &w->fluid;
    if (!f->kind->set)
        return fail(err, TARN_BAD_ARGUMENT, "", "the model '%s' cannot do this", f->kind->kind.name);
    for (size_t c = 0; c < (size_t)f->g.nx * (size_t)f->g.nz; ++c)
        if (!(fabs(columns[c].height) < 1e6 && fabs(columns[c].u) < 1e4 && fabs(columns[c].w) < 1e4))
            return fail(err, TARN_BAD_INPUT, "",
                        "column %zu: height %.6g m, speed (%.6g, %.6g) m/s are impossible", c,
                        columns[c].height, columns[c].u, columns[c].w);
    const struct fpmode host = fpmode_enter();
    struct fluid_totals before, after;
    f->kind->totals(f, &before);
    f->kind->set(f, columns);
    f->kind->totals(f, &after);
    f->emitted += after.depth - before.depth;
    w->couple.changed = true;
    fpmode_leave(host);
    return TARN_OK;
}

tarn_result tarn_water_at_n(const tarn_world *w, int count, const double *x, const double *z,
                            tarn_surface *out)
{
    if (!w || count < 0 || !x || !z || !out) return TARN_BAD_ARGUMENT;
    for (int i = 0; i < count; ++i) out[i] = tarn_water_at(w, x[i], z[i]);
    return TARN_OK;
}
