// Promises about memory: an operation without memory returns an error, leaves the world unchanged and
// leaks nothing; later steps allocate nothing.
#include "body_def.h"
#include "check.h"
#include "counting_allocator.h"
#include "memory_stream.h"
#include "world_setup.h"

#include <stdbool.h>
#include <tarn/command.h>

static struct memory_stream file;

// ---- operations --------------------------------------------------------------------------------------

// The objects of an operation: a world with two bodies, which may be missing, and a frame.
struct place {
    tarn_host host;
    tarn_world *world;
    tarn_frame frame;
};

static tarn_result make_world(struct place *p, const char *model)
{
    struct world_setup def = world_setup_of(model);
    def.world.host = p->host;
    set_cells(&def.fluid, 16, 16);
    set_size(&def.fluid, 4, 4);
    if (strcmp(model, "shallow") == 0) {
        def.beds[0] = tarn_default_bed_def(TARN_BED_ISLAND);
        def.world.bed_count = 1;
    }
    return setup_create(&def, &p->world, NULL);
}

static tarn_result make_wave(struct place *p) { return make_world(p, "wave"); }
static tarn_result make_shallow(struct place *p) { return make_world(p, "shallow"); }
static tarn_result make_none(struct place *p) { return make_world(p, "none"); }
static tarn_result make_implicit(struct place *p) { return make_world(p, "implicit"); }
static tarn_result make_flow(struct place *p) { return make_world(p, "flow"); }

// The shape, too, has the memory of the world.
static tarn_result add_with_shape(struct place *p, const tarn_shape_def *shape)
{
    tarn_body_def def = tarn_default_body_def();
    tarn_body_id id;
    def.position = (tarn_vec3){0.3, 1.9, 0.2};
    return tarn_body_create_with_shape(p->world, &def, shape, &id, NULL);
}

static tarn_result add_sphere(struct place *p)
{
    return add_with_shape(p, &(tarn_shape_def){.type = TARN_SHAPE_SPHERE, .sphere = {0.25}});
}

static tarn_result add_open_hull(struct place *p)
{
    tarn_shape_def hull = tarn_default_shape_def(TARN_SHAPE_WIGLEY);
    hull.wigley.wall_thickness = 0.02;
    return add_with_shape(p, &hull);
}

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int sides[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static tarn_result add_mesh(struct place *p)
{
    tarn_shape_def mesh = tarn_default_shape_def(TARN_SHAPE_MESH);
    mesh.mesh.mesh = (tarn_mesh){4, 4, corners, sides};
    return add_with_shape(p, &mesh);
}

static tarn_result add_compound(struct place *p)
{
    const tarn_compound_child children[2] = {
        {.shape = body_def("box").shape, .pose = {{0, 0, 0}, {1, 0, 0, 0}}},
        {.shape = body_def("cone").shape, .pose = {{0.5, 0, 0}, {1, 0, 0, 0}}}};
    return add_with_shape(p, &(tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {children, 2}});
}

static tarn_result add_disc(struct place *p)
{
    tarn_body_def def = body_def("circle");
    tarn_body_id id;
    def.position = (tarn_vec3){2.0, 3.0, 0.0};
    return tarn_body_create(p->world, &def, &id, NULL);
}

static tarn_result add_obstacle(struct place *p)
{
    tarn_obstacle_def def = tarn_default_obstacle_def(TARN_OBSTACLE_BOX);
    def.motion.position.x = def.motion.position.y = 3.0;
    return tarn_obstacle_create(p->world, &def, NULL, NULL);
}

static tarn_result spawn(struct place *p)
{
    tarn_command c = {.kind = TARN_COMMAND_SPAWN, .position = {0.5, 1.5, 0.5}, .density = 300.0};
    c.shape = body_def("torus").shape;
    return tarn_world_apply_command(p->world, &c, NULL);
}

static tarn_result add_joint(struct place *p)
{
    tarn_joint_def def = tarn_default_joint_def(TARN_JOINT_BALL);
    tarn_joint_id id;
    def.body_a = tarn_body_at(p->world, 0), def.body_b = tarn_body_at(p->world, 1);
    def.anchor_a = (tarn_vec3){0, 1, 0};
    return tarn_joint_create(p->world, &def, &id, NULL);
}

static tarn_result grab(struct place *p)
{
    tarn_joint_id id;
    return tarn_body_grab(p->world, tarn_body_at(p->world, 0), (tarn_vec3){0, 1, 0}, &id);
}

static tarn_result add_emitter(struct place *p)
{
    tarn_emitter_def rain = tarn_default_emitter_def(TARN_EMITTER_RAIN);
    return tarn_emitter_create(p->world, &rain, NULL, NULL);
}

static tarn_result step(struct place *p) { return tarn_world_advance(p->world, 0.5); }

static tarn_result keep_and_step(struct place *p)
{
    const tarn_result r = tarn_world_keep_previous(p->world, 1);
    return r == TARN_OK ? tarn_world_advance(p->world, 1.0 / 60.0) : r;
}

static tarn_result look(struct place *p) { return tarn_world_get_frame(p->world, 1, &p->frame); }

static tarn_result load(struct place *p)
{
    tarn_world *again = NULL;
    file.at = 0;
    const tarn_result r = tarn_world_load(stream_read, &file, &p->host, &again, NULL);
    tarn_world_destroy(again);
    return r;
}

static tarn_result look_at_mesh(struct place *p)
{
    tarn_mesh_report info;
    return tarn_mesh_inspect(4, corners, 4, sides, &p->host.allocator, &info, NULL);
}

static const struct {
    const char *name;
    tarn_result (*act)(struct place *);
    const char *model; // NULL: no world before
    bool ends;         // without memory the world takes no further step
} operations[] = {
    {"a wave world", make_wave, NULL, false},
    {"a shallow world", make_shallow, NULL, false},
    {"a dry world", make_none, NULL, false},
    {"an implicit world", make_implicit, NULL, false},
    {"a flow", make_flow, NULL, false},
    {"a sphere", add_sphere, "wave", false},
    {"a sphere that the solver knows", add_sphere, "implicit", false},
    {"a disc in a flow", add_disc, "flow", false},
    {"an obstacle", add_obstacle, "flow", false},
    {"a command", spawn, "wave", false},
    {"a sphere on land", add_sphere, "shallow", false},
    {"an open hull", add_open_hull, "shallow", false},
    {"a mesh", add_mesh, "wave", false},
    {"a compound", add_compound, "none", false},
    {"a joint", add_joint, "none", false},
    {"a grab", grab, "wave", false},
    {"an emitter", add_emitter, "shallow", false},
    {"steps", step, "wave", true},
    {"a kept step", keep_and_step, "shallow", true},
    {"steps of the solver", step, "implicit", true},
    {"steps of a flow", step, "flow", true},
    {"a frame", look, "wave", false},
    {"a checkpoint", load, "shallow", false},
    {"a checkpoint of the solver", load, "implicit", false},
    {"a checkpoint of a flow", load, "flow", false},
    {"a look at a mesh", look_at_mesh, "none", false},
};

static void begin(struct place *p, struct counting_allocator *books, const char *model)
{
    *p = (struct place){.host = {.allocator = counting_hook(books)}};
    if (!model) return;
    CHECK_OK(make_world(p, model));
    for (int k = 0; k < 2; ++k) {
        const int flat = strcmp(model, "flow") == 0;
        tarn_body_def def = body_def("box");
        tarn_body_id id;
        def.position = (tarn_vec3){2.0 * flat + 0.1 * k, 1.1 + 0.9 * k, 0};
        CHECK_OK(tarn_body_create(p->world, &def, &id, NULL));
    }
    file.size = file.at = 0;
    CHECK_OK(tarn_world_save(p->world, stream_write, &file));
}

static void end(struct place *p, const struct counting_allocator *books, const char *name)
{
    tarn_frame_free(&p->frame);
    tarn_world_destroy(p->world);
    if (books->blocks != 0) fail_msg("%s: %ld blocks were never freed", name, books->blocks);
}

// The whole water and all bodies; an unused slot may remain.
struct sums {
    tarn_ledger ledger;
    int bodies, emitters, obstacles;
};

static struct sums sums_of(const tarn_world *w)
{
    const tarn_world_status s = tarn_world_get_status(w);
    return (struct sums){tarn_world_get_ledger(w), s.body_count, s.emitter_count,
                         tarn_world_get_obstacles(w, NULL, 0)};
}

static bool same(struct sums a, struct sums b)
{
    return memcmp(&a.ledger, &b.ledger, sizeof a.ledger) == 0 && a.bodies == b.bodies &&
           a.emitters == b.emitters && a.obstacles == b.obstacles;
}

// The n-th allocation of operation k fails, once or for good. True if there was none to fail.
static bool fail_one(int k, int n, int once)
{
    const char *name = operations[k].name;
    struct counting_allocator books = {.left = -1};
    struct place p;
    begin(&p, &books, operations[k].model);
    const struct sums before = sums_of(p.world);
    books.left = n, books.once = once;
    tarn_result r = operations[k].act(&p);
    const bool refused = books.refused > 0;
    books.left = -1;
    if (r != TARN_OK && !(r == TARN_NO_MEMORY && refused))
        fail_msg("%s: result %d when allocation %d fails", name, (int)r, n);
    if (r == TARN_NO_MEMORY && !operations[k].ends && !same(before, sums_of(p.world)))
        fail_msg("%s: the world is another one when allocation %d fails", name, n);
    if (r == TARN_NO_MEMORY && operations[k].ends) {
        assert_int_equal(tarn_world_advance(p.world, 0.1), TARN_DIVERGED);
        assert_true(tarn_world_get_failure(p.world)[0] != '\0');
    } else if (r == TARN_NO_MEMORY) { // with memory again it works
        r = operations[k].act(&p);
        if (r != TARN_OK) fail_msg("%s: result %d after allocation %d had failed", name, (int)r, n);
        CHECK_OK(tarn_world_advance(p.world, 0.1));
    }
    end(&p, &books, name);
    return !refused;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(operations); ++k)
        for (int once = 0; once < 2; ++once) {
            int n = 0;
            while (n < 3000 && !fail_one(k, n, once)) ++n;
            if (once) print_message("%s: %d allocations\n", operations[k].name, n);
            assert_true(n < 3000);
        }
}

// ---- steps ------------------------------------------------------------------------------------------

// A pile that falls into the water of each model, or on the floor: later steps and frames allocate
// nothing, the backup for retries and the copy for interpolated frames included.
static void steps_allocate_nothing(void **state)
{
    static const char *const models[] = {"wave", "shallow", "none"};
    static const char *const shapes[] = {"box", "sphere", "capsule", "cylinder", "torus"};
    (void)state;
    for (int m = 0; m < COUNT(models); ++m) {
        struct counting_allocator books = {.left = -1};
        struct place p = {.host = {.allocator = counting_hook(&books), .retries = 2}};
        CHECK_OK(make_world(&p, models[m]));
        CHECK_OK(tarn_world_keep_previous(p.world, 1));
        for (int k = 0; k < 12; ++k) {
            tarn_body_def def = body_def(shapes[k % COUNT(shapes)]);
            tarn_body_id id;
            def.position = (tarn_vec3){0.3 * (k % 3), 1.5 + 0.4 * k, 0.2 * (k % 2)};
            CHECK_OK(tarn_body_create(p.world, &def, &id, NULL));
        }
        for (int n = 0; n < 150; ++n) {
            CHECK_OK(tarn_world_advance(p.world, 1.0 / 60.0));
            if (n == 0) CHECK_OK(look(&p));
        }
        const long calls = books.calls;
        for (int n = 0; n < 150; ++n) {
            CHECK_OK(tarn_world_advance(p.world, 1.0 / 60.0));
            CHECK_OK(look(&p));
        }
        if (books.calls != calls)
            fail_msg("%s: %ld allocations in 150 steps", models[m], books.calls - calls);
        end(&p, &books, models[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
