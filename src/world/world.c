// Creation and destruction of a world, live parameters, bodies and water.
#include "world.h"

#include "base/error.h"
#include "base/math/math.h"
#include "base/parallel/fpmode.h"
#include "body/collide/body_tree.h"
#include "fluid/bed.h"

#include <stdio.h>
#include <string.h>

static const tarn_param params[] = {
    PARAM_INTEGER(tarn_world_def, seed, "seed", 1, 0, 2147483647, "seed of all random numbers"),
    PARAM_NUMBER(tarn_world_def, gravity, "fluid.gravity", 9.81, 1e-3, 1e3, "m/s^2", "gravity, downwards"),
    PARAM_NUMBER(tarn_world_def, density, "fluid.density", 1000, 1e-3, 1e5, "kg/m^3", "density of the fluid"),
    PARAM_LIVE_CHOICE(tarn_world_def, coupling, "coupling.method", TARN_COUPLING_AUTOMATIC,
                      coupling_method_names,
                      "wave, shallow: columns (automatic) or triangles; implicit: pressure (automatic) or "
                      "penalty; flow: strong (automatic) or weak, which may change during a run"),
    PARAM_OPTIONAL(tarn_world_def, coupling_strength, "coupling.strength", 0, 10, "",
                   "columns: fraction of the displaced volume that lifts the surface at once, 0 .. 0.95 "
                   "(0.9), 0: bodies do not move the water; weak: factor of the forces of the fluid (1)"),
    PARAM_NUMBER(tarn_world_def, penalty_weight, "coupling.penalty_weight", 10, 0, 1e6, "",
                 "penalty: weight of the constraint that ties the surface to the undersides of bodies"),
    PARAM_LIVE(
        tarn_world_def, splash, "coupling.splash", 0, 0, 100, "",
        "fraction of its speed with which a body that breaks the surface throws up water around itself"),
    PARAM_LIVE_FLAG(tarn_world_def, enable_sleep, "run.sleep", 1,
                    "bodies at rest sleep until something wakes them"),
    PARAM_LIVE_FLAG(tarn_world_def, enable_contacts, "run.collisions", 1,
                    "bodies collide with each other, besides walls and ground"),
    {.name = "run.hit_speed",
     .type = TARN_PARAM_NUMBER,
     .unit = "m/s",
     .initial = {0.5},
     .min = 0,
     .max = 1e4,
     .help = "a contact that closes faster is a hit event",
     .flags = TARN_PARAM_LIVE | TARN_PARAM_RARE,
     .offset = offsetof(tarn_world_def, hit_speed)},
    PARAM_NUMBER(tarn_world_def, dt, "run.dt", 1.0 / 60.0, 1e-5, TARN_MAX_DT, "s", "length of a world step"),
};

const tarn_kind world_kind = {
    .category = "world", .name = "world", .help = "what every world has", PARAMS(params)};

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

uint32_t tarn_version_number(void) { return TARN_VERSION_NUMBER; }

const char *tarn_version_string(void)
{
    return TEXT(TARN_VERSION_MAJOR) "." TEXT(TARN_VERSION_MINOR) "." TEXT(TARN_VERSION_PATCH);
}

bool tarn_version_matches(uint32_t header_version)
{
    const uint32_t own = TARN_VERSION_NUMBER, major = header_version / 1000000;
    if (major != own / 1000000) return false;
    return major == 0 ? header_version / 1000 == own / 1000 : header_version <= own;
}

tarn_world_def tarn_default_world_def(void)
{
    tarn_world_def def = {0};
    tarn_kind_init(&world_kind, &def);
    return def;
}

tarn_body_def tarn_default_body_def(void)
{
    tarn_body_def def = {0};
    tarn_kind_init(&body_kind, &def);
    return def;
}

tarn_result world_check_definition(const tarn_world_def *def, tarn_error *err)
{
    if (def->host.workers < 0 || def->host.workers > 64)
        return fail(err, TARN_BAD_ARGUMENT, "workers", "%d is outside 0 .. 64", def->host.workers);
    if (def->host.retries < 0 || def->host.retries > 8)
        return fail(err, TARN_BAD_ARGUMENT, "retries", "%d is outside 0 .. 8", def->host.retries);
    return tarn_kind_check(&world_kind, def, err);
}

static tarn_result check_def(const tarn_world_def *def, tarn_error *err)
{
    const struct fluid_model *model = fluid_kind_at((int)def->fluid->type);
    if (!model) return fail(err, TARN_BAD_INPUT, "model", "unknown fluid model");
    tarn_result r = world_check_definition(def, err);
    if (r == TARN_OK) r = tarn_kind_check(&model->kind, def->fluid->space, err);
    if (r == TARN_OK) r = bed_check(def, err);
    if (r == TARN_OK) r = coupling_check(def, model, err);
    if (r == TARN_OK && def->bed_count > 0 && !fluid_model_supports_bed(model))
        return fail(err, TARN_BAD_INPUT, "bed", "the model '%s' has a flat bed", model->kind.name);
    return r;
}

static void log_description(const tarn_world *w)
{
    const struct grid *g = &w->fluid.grid;
    const tarn_world_status now = tarn_world_get_status(w);
    log_message(&w->def.host.log, TARN_LOG_INFO,
                "%s model: %d x %d columns of %.4g m, %d substeps of %.3g s per step",
                w->fluid.model->kind.name, g->nx, g->nz, g->dx, now.substeps_next,
                w->def.dt / now.substeps_next);
}

// Memory, threads and profile: those of another world, or its own.
static bool init_services(tarn_world *w, const struct memory *memory, const struct world_services *shared)
{
    const tarn_host *host = &w->def.host;
    w->memory = *memory;
    w->shares_services = shared != NULL;
    if (shared) {
        w->services = *shared;
        return true;
    }
    w->services = (struct world_services){.memory_use = &w->memory_use, .profile = &w->profile};
    w->memory.use = &w->memory_use;
    memory_use_add(&w->memory_use, sizeof *w);
    w->services.parallel = parallel_create(&w->memory, &host->tasks, host->workers);
    return w->services.parallel != NULL;
}

void world_apply_definition(tarn_world *w)
{
    const tarn_world_def *def = &w->def;
    w->bodies.never_sleep = !def->enable_sleep || w->bodies.planar;
    w->bodies.ignore_body_pairs = !def->enable_contacts;
    w->bodies.hit_speed = def->hit_speed;
    w->coupling.kind = coupling_kind_for(def->coupling, w->fluid.model);
    w->coupling.strength = coupling_strength(w->coupling.kind, def->coupling_strength);
    w->coupling.penalty_weight = def->penalty_weight, w->coupling.splash_strength = def->splash;
    w->fluid.gravity = def->gravity;
    w->fluid.weakly_coupled = def->coupling == TARN_COUPLING_WEAK;
    w->fluid.weak_force_factor = isnan(def->coupling_strength) ? 1.0 : def->coupling_strength;
}

tarn_result world_reset(tarn_world *w, const tarn_world_def *def, tarn_error *err)
{
    w->def = *def;
    w->def.fluid = NULL, w->def.beds = NULL, w->def.bed_count = 0;
    world_apply_definition(w);
    w->fluid.out_of_memory = false;
    couple_reset(&w->coupling, &w->fluid);
    memory_clear(w->emitters, w->emitter_capacity, sizeof *w->emitters);
    w->emitter_slot_count = 0;
    return param_copy_live(&w->fluid.model->kind, w->fluid.def.space, def->fluid->space, err);
}

static tarn_result create_world(const tarn_world_def *def, const struct world_services *shared,
                                tarn_world **out, tarn_error *err)
{
    tarn_result r = check_def(def, err);
    if (r != TARN_OK) return r;
    struct memory memory;
    memory_init(&memory, &def->host.allocator);
    memory.use = shared ? shared->memory_use : NULL;
    tarn_world *w = memory_alloc(&memory, 1, sizeof *w);
    if (!w) return fail(err, TARN_NO_MEMORY, "", "no memory for a world");
    const struct fluid_model *model = fluid_kind_at((int)def->fluid->type);
    w->def = *def;
    const bool has_threads = init_services(w, &memory, shared);
    w->bodies.memory = w->coupling.memory = w->planar.memory = &w->memory;
    w->bodies.planar = model->planar != NULL;
    w->bodies.profile = w->services.profile;
    w->fluid = (struct fluid){
        .model = model,
        .def = *def->fluid,
        .memory = &w->memory,
        .parallel = w->services.parallel,
        .profile = w->services.profile,
        .density = def->density,
        .host_ocean = def->host.ocean,
        .world_dt = def->dt,
    };
    world_apply_definition(w);
    r = has_threads ? fluid_create(&w->fluid, def, err)
                    : fail(err, TARN_NO_MEMORY, "", "no memory for threads");
    w->def.fluid = NULL, w->def.beds = NULL, w->def.bed_count = 0; // borrowed for this call
    if (r != TARN_OK) {
        tarn_world_destroy(w);
        return r;
    }
    log_description(w);
    *out = w;
    return TARN_OK;
}

tarn_result world_create(const tarn_world_def *def, const struct world_services *shared, tarn_world **out,
                         tarn_error *err)
{
    const tarn_fluid_def no_fluid = tarn_default_fluid_def(TARN_FLUID_DRY);
    tarn_world_def complete = *def;
    if (!def->fluid) complete.fluid = &no_fluid;
    *out = NULL;
    return create_world(&complete, shared, out, err);
}

tarn_result tarn_world_create(const tarn_world_def *def, tarn_world **out, tarn_error *err)
{
    if (!def || !out) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    *out = NULL;
    tarn_result r = check_reserved(def->reserved, sizeof def->reserved, err);
    if (r == TARN_OK) r = check_reserved(def->host.reserved, sizeof def->host.reserved, err);
    if (r != TARN_OK) return r;
    const struct fpmode host = fpmode_enter();
    r = world_create(def, NULL, out, err);
    fpmode_leave(host);
    return r;
}

void tarn_world_destroy(tarn_world *w)
{
    if (!w) return;
    tarn_world_destroy(w->spare);
    struct memory memory = w->memory;
    world_free_backup(w);
    memory_free(&memory, w->previous_surface, (size_t)w->fluid.grid.nx * (size_t)w->fluid.grid.nz,
                sizeof(float));
    memory_free(&memory, w->previous_poses, (size_t)w->previous_pose_capacity, sizeof *w->previous_poses);
    memory_free(&memory, w->emitters, (size_t)w->emitter_capacity, sizeof *w->emitters);
    world_free_events(w);
    couple_free(&w->coupling);
    planar_free(&w->planar);
    bodies_free(&w->bodies);
    fluid_free(&w->fluid);
    if (!w->shares_services) parallel_destroy(w->services.parallel), memory.use = NULL;
    memory_free(&memory, w, 1, sizeof *w);
}

// ---- parameters of the running world --------------------------------------------------------------

// The place of a parameter in a world, found from its path.
struct param_ref {
    const tarn_kind *kind; // NULL: unknown parameter
    enum { PARAM_OF_WORLD, PARAM_OF_FLUID, PARAM_OF_EMITTER, PARAM_OF_BODY } owner;
    int index;        // slot of the emitter or of the body
    const char *name; // within its kind
};

static struct param_ref find_param(const tarn_world *w, const char *path)
{
    int index = -1, used = 0;
    if (sscanf(path, "emitters[%9d].%n", &index, &used) == 1 && used > 0) {
        const int slot = world_emitter_slot(w, index);
        return slot < 0
                   ? (struct param_ref){0}
                   : (struct param_ref){&w->emitters[slot].kind->kind, PARAM_OF_EMITTER, slot, path + used};
    }
    if (sscanf(path, "bodies[%9d].%n", &index, &used) == 1 && used > 0) {
        const int slot = body_index(&w->bodies, tarn_body_at(w, index));
        return slot < 0 ? (struct param_ref){0}
                        : (struct param_ref){&body_kind, PARAM_OF_BODY, slot, path + used};
    }
    if (tarn_param_find(&world_kind, path)) return (struct param_ref){&world_kind, PARAM_OF_WORLD, 0, path};
    if (strncmp(path, "fluid.", 6) == 0)
        return (struct param_ref){&w->fluid.model->kind, PARAM_OF_FLUID, 0, path + 6};
    return (struct param_ref){0};
}

static const void *param_data(const tarn_world *w, const struct param_ref *p)
{
    switch (p->owner) {
    case PARAM_OF_EMITTER: return w->emitters[p->index].def.space;
    case PARAM_OF_BODY: return &w->bodies.slots[p->index].body->def;
    case PARAM_OF_FLUID: return w->fluid.def.space;
    default: return &w->def;
    }
}

static void *mutable_param_data(tarn_world *w, const struct param_ref *p)
{
    switch (p->owner) {
    case PARAM_OF_EMITTER: return w->emitters[p->index].def.space;
    case PARAM_OF_BODY: return &w->bodies.slots[p->index].body->def;
    case PARAM_OF_FLUID: return w->fluid.def.space;
    default: return &w->def;
    }
}

tarn_result tarn_world_get_param(const tarn_world *w, const char *path, tarn_value *value)
{
    if (!w || !path || !value) return TARN_BAD_ARGUMENT;
    const struct param_ref p = find_param(w, path);
    return p.kind ? tarn_kind_get(p.kind, param_data(w, &p), p.name, value) : TARN_BAD_ARGUMENT;
}

void world_fluid_def_changed(tarn_world *w)
{
    if (!w->fluid.model->planar) return;
    w->planar.poses_are_stale = true; // the cut cells depend on boundaries and advection
    world_apply_body_edits(w);
}

// Apply a change of a parameter that is not read in every step.
static void apply_parameter_change(tarn_world *w, const struct param_ref *p)
{
    const bool weak = w->def.coupling == TARN_COUPLING_WEAK;
    if (w->fluid.model->planar && (p->owner == PARAM_OF_FLUID || w->fluid.weakly_coupled != weak)) {
        w->fluid.weakly_coupled = weak;
        world_fluid_def_changed(w);
    }
    if (p->owner == PARAM_OF_BODY) body_settings_changed(&w->bodies, p->index);
    if (p->owner == PARAM_OF_WORLD) world_settings_changed(w);
}

tarn_result tarn_world_set_param(tarn_world *w, const char *path, tarn_value value, tarn_error *err)
{
    if (!w || !path) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    const struct param_ref p = find_param(w, path);
    const tarn_param *param = p.kind ? tarn_param_find(p.kind, p.name) : NULL;
    if (!param) return fail(err, TARN_BAD_ARGUMENT, path, "unknown parameter");
    const bool fixed_method = !w->fluid.model->planar && strcmp(path, "coupling.method") == 0;
    if (!(param->flags & TARN_PARAM_LIVE) || fixed_method)
        return fail(err, TARN_BAD_ARGUMENT, path, "this parameter is fixed after creation");
    const struct fpmode host = fpmode_enter();
    const tarn_fluid_def before = w->fluid.def;
    const tarn_coupling_method method = w->def.coupling;
    tarn_result r = tarn_kind_set(p.kind, mutable_param_data(w, &p), p.name, &value, err);
    if (r == TARN_OK && p.owner == PARAM_OF_FLUID) r = w->fluid.model->check(&w->fluid, err);
    if (r == TARN_OK) r = coupling_check(&w->def, w->fluid.model, err);
    if (r != TARN_OK)
        w->fluid.def = before, w->def.coupling = method;
    else
        apply_parameter_change(w, &p);
    world_end_edit(w);
    fpmode_leave(host);
    return r;
}

// ---- bodies ---------------------------------------------------------------------------------------

static double ground_callback(const void *place, double x, double z, vec3 *normal)
{
    const struct fluid *f = place;
    double slope[2];
    const double y = f->rest_level + fluid_bed_at(f, x, z, slope);
    const double steep = sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1]);
    *normal = v3(-slope[0] / steep, 1.0 / steep, -slope[1] / steep);
    return y;
}

// All four boundaries stop bodies unless they are periodic, open boundaries too.
static struct body_domain planar_body_domain(const struct fluid *f, const struct planar_coupling *s)
{
    const double wide = f->grid.nx * f->grid.dx, high = f->grid.nz * f->grid.dx;
    return (struct body_domain){.x_min = f->periodic_x ? -INFINITY : 0.0,
                                .x_max = f->periodic_x ? INFINITY : wide,
                                .z_min = -INFINITY,
                                .z_max = INFINITY,
                                .ceiling = high,
                                .period = {f->periodic_x ? wide : 0.0, 0.0},
                                .colliders = s->colliders,
                                .collider_count = s->collider_count};
}

struct body_domain world_body_domain(const tarn_world *w)
{
    const struct grid *g = &w->fluid.grid;
    if (w->fluid.model->planar) return planar_body_domain(&w->fluid, &w->planar);
    const bool end_x = !w->fluid.periodic_x && !w->fluid.unbounded_floor,
               end_z = !w->fluid.periodic_z && !w->fluid.unbounded_floor;
    const double wide = g->nx * g->dx, deep = g->nz * g->dx;
    const double x = end_x ? 0.5 * wide : INFINITY, z = end_z ? 0.5 * deep : INFINITY;
    return (struct body_domain){
        .x_min = -x,
        .x_max = x,
        .z_min = -z,
        .z_max = z,
        .floor = w->fluid.bed_min,
        .period = {w->fluid.periodic_x ? wide : 0.0, w->fluid.periodic_z ? deep : 0.0},
        .ground_height = w->fluid.bed ? ground_callback : NULL,
        .ground_context = &w->fluid};
}

// The domain is centred at x = z = 0 in height fields, and starts at x = 0 in the planar model.
void world_wrap_periodic(tarn_world *w)
{
    const struct fluid *f = &w->fluid;
    const double width = f->grid.nx * f->grid.dx, length = f->grid.nz * f->grid.dx;
    for (int i = 0; i < w->bodies.slot_count; ++i) {
        vec3 *p = &w->bodies.state[i].position;
        if (f->model->planar) {
            if (f->periodic_x) p->x -= width * floor(p->x / width);
            continue;
        }
        if (f->periodic_x) p->x -= width * floor(p->x / width + 0.5);
        if (f->periodic_z) p->z -= length * floor(p->z / length + 0.5);
    }
}

static tarn_result check_position(const tarn_world *w, const tarn_body_def *def, tarn_error *err)
{
    if (def->shape->kind->planar)
        return fail(err, TARN_BAD_INPUT, "shape", "shape '%s' is available in the model 'flow' only",
                    def->shape->kind->kind.name);
    const struct body_domain in = world_body_domain(w);
    const vec3 p = def->position;
    if (!(in.x_min < p.x && p.x < in.x_max && in.z_min < p.z && p.z < in.z_max))
        return fail(err, TARN_BAD_INPUT, "position",
                    "(%.6g, %.6g, %.6g) m is outside the tank of %.6g x %.6g m", p.x, p.y, p.z,
                    w->fluid.grid.nx * w->fluid.grid.dx, w->fluid.grid.nz * w->fluid.grid.dx);
    vec3 up;
    const double ground = in.ground_height ? in.ground_height(in.ground_context, p.x, p.z, &up) : in.floor;
    if (!(p.y > ground))
        return fail(err, TARN_BAD_INPUT, "position", "y = %.6g m is below the ground at %.6g", p.y, ground);
    return TARN_OK;
}

tarn_result tarn_body_create(tarn_world *w, const tarn_body_def *def, tarn_body_id *out, tarn_error *err)
{
    tarn_body_id id = {0};
    if (out) *out = id;
    if (!w || !def) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    if (!def->shape) return fail(err, TARN_BAD_ARGUMENT, "shape", "a body needs a shape");
    if (check_reserved(def->reserved, sizeof def->reserved, err) != TARN_OK) return TARN_BAD_INPUT;
    const struct fpmode host = fpmode_enter();
    const bool flat = w->fluid.model->planar != NULL;
    tarn_body_def own;
    tarn_result r = flat ? planar_body_def(w, def, &own, err) : check_position(w, def, err);
    if (flat) def = &own;
    if (r == TARN_OK) r = bodies_add(&w->bodies, def, &id, err);
    if (flat) tarn_shape_release(own.shape);
    if (r == TARN_OK) {
        const int i = body_index(&w->bodies, id);
        r = flat ? planar_insert_body(&w->planar, &w->coupling, &w->fluid, &w->bodies, i, err)
                 : couple_insert_body(&w->coupling, &w->fluid, &w->bodies, i, err);
        if (r != TARN_OK) bodies_remove(&w->bodies, i);
    }
    if (r == TARN_OK && out) *out = id;
    world_end_edit(w);
    fpmode_leave(host);
    return r;
}

tarn_result tarn_body_create_with_shape(tarn_world *w, const tarn_body_def *def,
                                        const tarn_shape_def *shape_def, tarn_body_id *out, tarn_error *err)
{
    if (out) *out = (tarn_body_id){0};
    if (!w || !def || !shape_def) return fail(err, TARN_BAD_ARGUMENT, "", "a null pointer");
    tarn_shape *shape;
    tarn_result r = tarn_shape_create(shape_def, &w->memory.allocator, &shape, err);
    if (r != TARN_OK) return r;
    tarn_body_def with_shape = *def;
    with_shape.shape = shape;
    r = tarn_body_create(w, &with_shape, out, err);
    tarn_shape_release(shape);
    return r;
}

bool tarn_body_is_valid(const tarn_world *w, tarn_body_id body)
{
    return w && body_index(&w->bodies, body) >= 0;
}

tarn_result tarn_body_destroy(tarn_world *w, tarn_body_id body)
{
    const int i = w ? body_index(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    const struct fpmode host = fpmode_enter();
    if (w->fluid.model->planar)
        planar_remove_body(&w->planar, &w->coupling, &w->fluid, &w->bodies, i);
    else
        couple_remove_body(&w->coupling, &w->fluid, &w->bodies, i);
    bodies_remove(&w->bodies, i);
    world_end_edit(w);
    fpmode_leave(host);
    return TARN_OK;
}

tarn_result tarn_body_get_load(const tarn_world *w, tarn_body_id body, tarn_load *out)
{
    const int i = w && out ? body_index(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    *out = w->coupling.per_body[i].load;
    return TARN_OK;
}

tarn_result tarn_body_get_info(const tarn_world *w, tarn_body_id body, tarn_body_info *out)
{
    const int i = w && out ? body_index(&w->bodies, body) : -1;
    if (i < 0) return TARN_BAD_ARGUMENT;
    const struct body *c = w->bodies.slots[i].body;
    *out = (tarn_body_info){.mass = c->def.mass,
                            .volume = c->def.shape->data.volume,
                            .inertia = c->principal_inertia,
                            .axes = c->principal_axes,
                            .radius = c->def.shape->bounding_radius,
                            .colour = c->def.colour,
                            .type = c->def.type,
                            .appearance = c->def.appearance};
    memcpy(out->name, c->def.name, sizeof out->name);
    return TARN_OK;
}

tarn_body_id tarn_body_at(const tarn_world *w, int index)
{
    for (int i = 0; w && index >= 0 && i < w->bodies.slot_count; ++i)
        if (body_exists(&w->bodies, i) && index-- == 0) return body_id(&w->bodies, i);
    return (tarn_body_id){0};
}

tarn_body_id tarn_body_find(const tarn_world *w, const char *name)
{
    for (int i = 0; w && name && name[0] && i < w->bodies.slot_count; ++i)
        if (body_exists(&w->bodies, i) && strcmp(w->bodies.slots[i].body->def.name, name) == 0)
            return body_id(&w->bodies, i);
    return (tarn_body_id){0};
}

// ---- water ----------------------------------------------------------------------------------------

tarn_surface tarn_world_get_surface(const tarn_world *w, double x, double z)
{
    if (!w || w->fluid.model->planar || !fluid_contains(&w->fluid, x, z)) return (tarn_surface){0};
    const struct surface_sample p = fluid_sample_surface(&w->fluid, x, z);
    const double depth = p.surface - p.bed;
    const double steep = sqrt(1.0 + p.slope_x * p.slope_x + p.slope_z * p.slope_z);
    return (tarn_surface){
        .height = w->fluid.rest_level + p.surface,
        .depth = depth > w->fluid.dry_depth ? depth : 0.0,
        .normal = {-p.slope_x / steep, 1.0 / steep, -p.slope_z / steep},
        .velocity = {p.u, p.surface_rate, p.v},
        .wet = depth > w->fluid.dry_depth,
    };
}

tarn_result tarn_water_set_fields(tarn_world *w, const tarn_column *columns, tarn_error *err)
{
    if (!w || !columns) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    struct fluid *f = &w->fluid;
    if (!fluid_has_editable_columns(f))
        return fail(err, TARN_BAD_ARGUMENT, "", "not available in the model '%s'", f->model->kind.name);
    for (size_t c = 0; c < (size_t)f->grid.nx * (size_t)f->grid.nz; ++c)
        if (!(fabs(columns[c].height) < 1e6 && fabs(columns[c].u) < 1e4 && fabs(columns[c].w) < 1e4))
            return fail(err, TARN_BAD_INPUT, "",
                        "column %zu: height %.6g m, speed (%.6g, %.6g) m/s is out of range", c,
                        columns[c].height, columns[c].u, columns[c].w);
    const struct fpmode host = fpmode_enter();
    struct fluid_totals before, after;
    f->model->compute_totals(f, &before);
    f->model->height_field->edit->set_columns(f, columns);
    f->model->compute_totals(f, &after);
    f->emitted_depth += after.depth_sum - before.depth_sum;
    world_end_water_edit(w);
    fpmode_leave(host);
    return TARN_OK;
}
