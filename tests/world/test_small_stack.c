// Promise in tarn/base.h: a stack of 64 kB is enough for every call, and for every task that the world gives
// to its host. Each call runs on a painted stack, in worlds of every model with bodies, joints and emitters.
#define _GNU_SOURCE // pthread_attr_setstack
#include "memory_stream.h"
#include "painted_stack.h"
#include "world_setup.h"

#include <stdio.h>
#include <tarn/command.h>

static struct memory_stream file;
static unsigned char snapshot[1 << 20];

struct place {
    const char *model;
    bool planar, dry;
    int cells; // along each side
    tarn_host host;
    tarn_world *world, *twin;
    tarn_body_id bodies[16];
    int body_count;
    tarn_shape *shape;
    tarn_frame frame;
    tarn_result result; // of the call
    tarn_error error;
    size_t deepest_task;
};

// ---- calls ------------------------------------------------------------------------------------------

static void create_world(struct place *p)
{
    struct world_setup def = world_setup_of(p->model);
    def.world.host = p->host;
    if (!p->dry) set_cells(&def.fluid, p->cells, p->cells);
    set_size(&def.fluid, 8, 8);
    if (strcmp(p->model, "shallow") == 0)
        def.beds[def.world.bed_count++] = tarn_default_bed_def(TARN_BED_ISLAND);
    p->result = setup_create(&def, &p->world, &p->error);
}

static const tarn_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int sides[] = {0, 2, 1, 0, 1, 3, 0, 3, 2}; // one is missing: the hole is closed
static const tarn_vec2 profile[] = {{0, 0.1}, {0.3, 0.4}, {0, 0.6}};
static const tarn_vec2 outline[] = {{0, 0}, {0.6, 0}, {0.5, 0.5}};

static tarn_shape_def shape_def_of(tarn_shape_type type)
{
    tarn_shape_def def = tarn_default_shape_def(type);
    if (type == TARN_SHAPE_MESH) def.mesh.mesh = (tarn_mesh){4, 3, &corners[0].x, sides};
    if (type == TARN_SHAPE_CONVEX_HULL) def.convex_hull = (tarn_convex_hull){corners, 4};
    if (type == TARN_SHAPE_LATHE) def.lathe = (tarn_lathe){profile, 3, 0};
    if (type == TARN_SHAPE_POLYGON) def.polygon = (tarn_polygon){outline, 3};
    if (type == TARN_SHAPE_WIGLEY) def.wigley.wall_thickness = 0.02;
    return def;
}

static void add_body(struct place *p, const tarn_shape_def *shape)
{
    tarn_body_def def = tarn_default_body_def();
    const int n = p->body_count;
    def.density = 300.0;
    def.position = p->planar ? (tarn_vec3){2.5 + n % 3, 3.0 + n / 3, 0}
                             : (tarn_vec3){0.4 * (n % 3), 1.0 + 0.7 * n, 0.3 * (n % 2)};
    if (p->result == TARN_OK)
        p->result = tarn_body_create_with_shape(p->world, &def, shape, &p->bodies[n], &p->error);
    ++p->body_count;
}

static void add_bodies(struct place *p)
{
    for (tarn_shape_type type = 0; type <= TARN_SHAPE_POLYGON; ++type) {
        const bool flat = type == TARN_SHAPE_CIRCLE || type == TARN_SHAPE_POLYGON;
        const tarn_shape_def def = shape_def_of(type);
        if (type != TARN_SHAPE_COMPOUND && (p->planar ? flat || type == TARN_SHAPE_BOX : !flat))
            add_body(p, &def);
    }
}

static void add_compound(struct place *p)
{
    tarn_compound_child children[2] = {{.pose = {{0, 0, 0}, {1, 0, 0, 0}}},
                                       {.pose = {{0.5, 0, 0}, {1, 0, 0, 0}}}};
    const tarn_shape_def box = tarn_default_shape_def(TARN_SHAPE_BOX);
    if (p->planar) return;
    p->result = tarn_shape_create(&box, NULL, &p->shape, &p->error);
    children[0].shape = children[1].shape = p->shape;
    add_body(p, &(tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {children, 2}});
}

static void add_joints(struct place *p)
{
    for (tarn_joint_type k = 0; k <= TARN_JOINT_ROPE && !p->planar && p->result == TARN_OK; ++k) {
        tarn_joint_def def = tarn_default_joint_def(k);
        tarn_joint_id id;
        def.body_a = p->bodies[k], def.body_b = p->bodies[k + 1];
        def.anchor_a = def.anchor_b = (tarn_vec3){0, 2, 0};
        p->result = tarn_joint_create(p->world, &def, &id, &p->error);
    }
}

static void add_others(struct place *p)
{
    tarn_emitter_def rain = tarn_default_emitter_def(p->planar ? TARN_EMITTER_SOURCE : TARN_EMITTER_RAIN);
    if (!p->dry) p->result = tarn_emitter_create(p->world, &rain, NULL, &p->error);
    tarn_obstacle_def bar = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    bar.motion.position.x = bar.motion.position.y = 6.5;
    if (p->planar && p->result == TARN_OK) p->result = tarn_obstacle_create(p->world, &bar, NULL, &p->error);
}

static void grab(struct place *p)
{
    tarn_joint_id id;
    p->result = tarn_body_grab(p->world, p->bodies[0], (tarn_vec3){3, 3, 0}, &id);
    if (p->result == TARN_OK) p->result = tarn_joint_destroy(p->world, id);
}

static void command(struct place *p)
{
    const tarn_shape_def ball = tarn_default_shape_def(p->planar ? TARN_SHAPE_CIRCLE : TARN_SHAPE_SPHERE);
    tarn_command c = {.kind = TARN_COMMAND_SPAWN, .position = {1.2, 6.5, 0}, .density = 500, .radius = 1};
    tarn_shape *shape = NULL;
    if (tarn_shape_create(&ball, NULL, &shape, &p->error) != TARN_OK) return;
    c.shape = shape;
    p->result = tarn_world_apply_command(p->world, &c, &p->error);
    tarn_shape_release(shape);
    c.kind = TARN_COMMAND_STIR, c.velocity.x = 0.1, c.shape = NULL;
    if (p->result == TARN_OK && !p->dry) p->result = tarn_world_apply_command(p->world, &c, &p->error);
}

static void set_param(struct place *p)
{
    tarn_value value;
    p->result = tarn_world_get_param(p->world, "bodies[0].friction", &value);
    if (p->result == TARN_OK)
        p->result = tarn_world_set_param(p->world, "bodies[0].friction", value, &p->error);
}

static void steps(struct place *p)
{
    for (int n = 0; n < 40 && p->result == TARN_OK; ++n) p->result = tarn_world_step(p->world);
}

static void step_worlds(struct place *p) { p->result = tarn_worlds_step(&p->world, 1, 1, NULL, &p->result); }

static void look(struct place *p)
{
    tarn_world_get_counters(p->world);
    tarn_world_get_ledger(p->world);
    tarn_world_get_events(p->world);
    tarn_world_hash(p->world);
    tarn_world_hash_parts(p->world);
    p->result = tarn_world_get_frame(p->world, 1, &p->frame);
}

static void cast_rays(struct place *p)
{
    const tarn_ray ray = {.origin = {0.1, 9, 0.1}, .translation = {0, -20, 0}};
    tarn_hit hits[64];
    p->result = tarn_world_cast_ray(p->world, &ray, hits);
    tarn_world_cast_ray_all(p->world, &ray, hits, COUNT(hits));
}

static void cast_shapes(struct place *p)
{
    const tarn_shape_cast cast = {
        .shape = p->shape, .pose = {{0, 9, 0}, {1, 0, 0, 0}}, .translation = {0, -9, 0}};
    const tarn_aabb box = {{-1, 0, -1}, {1, 5, 1}};
    tarn_body_id found[16];
    tarn_submersion submersion;
    tarn_hit hits[64];
    if (p->planar) return;
    p->result = tarn_world_cast_shape(p->world, &cast, hits);
    tarn_world_cast_shape_all(p->world, &cast, hits, COUNT(hits));
    tarn_world_overlap_box(p->world, &box, NULL, found, COUNT(found));
    tarn_world_overlap_shape(p->world, p->shape, &cast.pose, NULL, found, COUNT(found));
    if (p->result == TARN_OK)
        p->result = tarn_world_find_nearest(p->world, (tarn_vec3){0, 3, 0}, 5, NULL, hits);
    if (p->result == TARN_OK)
        p->result = tarn_world_measure_submersion(p->world, p->shape, 1, &cast.pose, &submersion);
}

static void query_fluid(struct place *p)
{
    const double x[2] = {0.5, 3}, z[2] = {0.5, 3};
    tarn_flow_sample samples[2];
    double height[2];
    const tarn_water_query query = {.count = 2, .x = x, .z = z, .height = height};
    p->result = p->planar ? tarn_world_query_flow(p->world, 2, x, z, samples)
                          : tarn_world_query_water(p->world, &query);
}

static void save(struct place *p)
{
    file.size = file.at = 0;
    p->result = tarn_world_save(p->world, stream_write, &file);
}

static void load(struct place *p)
{
    p->result = tarn_world_load(stream_read, &file, NULL, &p->twin, &p->error);
}

static void restore(struct place *p)
{
    const size_t size = tarn_world_snapshot(p->world, snapshot, sizeof snapshot);
    p->result = tarn_world_restore(p->world, snapshot, size, &p->error);
}

static void compare(struct place *p)
{
    tarn_world *clone = NULL;
    tarn_difference difference;
    p->result = tarn_world_clone(p->world, NULL, &clone, &p->error);
    if (p->result == TARN_OK) p->result = tarn_world_diff(p->world, p->twin, &difference);
    if (p->result == TARN_OK) p->result = tarn_world_copy_state(clone, p->world, &p->error);
    tarn_world_destroy(clone);
}

static void remove_bodies(struct place *p)
{
    for (int n = 0; n < p->body_count && p->result == TARN_OK; ++n)
        p->result = tarn_body_destroy(p->world, p->bodies[n]);
}

static void destroy(struct place *p)
{
    tarn_frame_free(&p->frame);
    tarn_shape_release(p->shape);
    tarn_world_destroy(p->world);
    tarn_world_destroy(p->twin);
}

static const struct call {
    const char *name;
    void (*run)(struct place *);
} calls[] = {
    {"create", create_world},
    {"bodies", add_bodies},
    {"compound", add_compound},
    {"joints", add_joints},
    {"emitter", add_others},
    {"grab", grab},
    {"command", command},
    {"parameter", set_param},
    {"steps", steps},
    {"worlds", step_worlds},
    {"look", look},
    {"rays", cast_rays},
    {"shapes", cast_shapes},
    {"fluid", query_fluid},
    {"save", save},
    {"load", load},
    {"restore", restore},
    {"compare", compare},
    {"remove", remove_bodies},
    {"destroy", destroy},
};

// ---- tests ------------------------------------------------------------------------------------------

struct started {
    const struct call *call;
    struct place *place;
};

static void run_call(void *started)
{
    const struct started *s = started;
    s->call->run(s->place);
}

static const struct {
    const char *name;
    bool planar, dry;
} models[] = {{"wave", false, false},
              {"shallow", false, false},
              {"implicit", false, false},
              {"none", false, true},
              {"flow", true, false}};

static void every_call_fits_a_small_stack(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(models); ++m) {
        struct place p = {
            .model = models[m].name, .planar = models[m].planar, .dry = models[m].dry, .cells = 32};
        p.host.retries = 1;
        for (int k = 0; k < COUNT(calls); ++k) {
            p.result = TARN_OK;
            const size_t depth = stack_depth_of(run_call, &(struct started){&calls[k], &p});
            if (p.result != TARN_OK)
                fail_msg("%s, %s: result %d, %s %s", p.model, calls[k].name, (int)p.result, p.error.key,
                         p.error.message);
            print_message("%-9s %-9s %6zu bytes\n", p.model, calls[k].name, depth);
            if (depth > SMALL_STACK) fail_msg("%s, %s: %zu bytes of stack", p.model, calls[k].name, depth);
        }
    }
}

// ---- tasks ------------------------------------------------------------------------------------------

struct loop {
    tarn_task_fn task;
    void *argument;
    int count;
};

static void run_loop(void *of_loop)
{
    const struct loop *loop = of_loop;
    for (int i = 0; i < loop->count; ++i) loop->task(loop->argument, i);
}

static void run_painted(void *deepest, tarn_task_fn task, void *argument, int count)
{
    const size_t depth = stack_depth_of(run_loop, &(struct loop){task, argument, count});
    if (depth > *(size_t *)deepest) *(size_t *)deepest = depth;
}

static void every_task_fits_a_small_stack(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(models); ++m) {
        struct place p = {
            .model = models[m].name, .planar = models[m].planar, .dry = models[m].dry, .cells = 384};
        size_t deepest = 0;
        p.host.tasks = (tarn_task_system){run_painted, &deepest};
        create_world(&p);
        add_bodies(&p);
        if (p.result == TARN_OK) p.result = tarn_world_step(p.world);
        CHECK_OK(p.result);
        print_message("%-9s tasks %6zu bytes\n", p.model, deepest);
        if (deepest > SMALL_STACK) fail_msg("%s: a task takes %zu bytes of stack", p.model, deepest);
        if (STACK_IS_MEASURED && !p.dry) assert_true(deepest > 0); // the loops were run by us
        destroy(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fits_a_small_stack),
        cmocka_unit_test(every_task_fits_a_small_stack),
    };
    return cmocka_run_group_tests_name("small_stack", tests, NULL, NULL);
}
