// Promises about shapes as objects: one is enough for any number of bodies, worlds and threads; it lives as
// long as anybody has it; equal shapes have equal content; a checkpoint has each of them once.
#include "check.h"
#include "counting_allocator.h"
#include "memory_stream.h"
#include "world_setup.h"

#include "body/shape/shape.h"
#include "world/world.h"

#include <pthread.h>
#include <tarn/tarn.h>

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const tarn_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const tarn_vec2 profile[] = {{0.3, 0}, {0.4, 0.2}, {0.2, 0.6}}, triangle[] = {{0, 0}, {1, 0}, {0, 1}};

static tarn_shape *create(tarn_shape_def def)
{
    tarn_shape *shape;
    tarn_error err = {0};
    if (tarn_shape_create(&def, NULL, &shape, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return shape;
}

static tarn_shape_def sphere(double radius)
{
    return (tarn_shape_def){.type = TARN_SHAPE_SPHERE, .sphere = {radius}};
}

// The defaults of a kind, with the smallest table, mesh or list of children where there is no default.
static tarn_shape_def def_of_kind(int type, const tarn_compound_child *child)
{
    tarn_shape_def def = tarn_default_shape_def((tarn_shape_type)type);
    if (type == TARN_SHAPE_LATHE) def.lathe.profile = profile, def.lathe.profile_count = COUNT(profile);
    if (type == TARN_SHAPE_CONVEX_HULL) def.convex_hull = (tarn_convex_hull){points, COUNT(points)};
    if (type == TARN_SHAPE_POLYGON) def.polygon = (tarn_polygon){triangle, COUNT(triangle)};
    if (type == TARN_SHAPE_MESH) def.mesh.mesh = (tarn_mesh){4, 4, corners, faces};
    if (type == TARN_SHAPE_COMPOUND) def.compound = (tarn_compound){child, 1};
    return def;
}

static tarn_world *create_world(const char *model, const tarn_allocator *allocator)
{
    struct world_setup def = world_setup_of(model);
    tarn_world *w;
    if (allocator) def.world.host.allocator = *allocator;
    CHECK_OK(setup_create(&def, &w, NULL));
    return w;
}

static tarn_body_id add(tarn_world *w, const tarn_shape *shape, double x, double y)
{
    tarn_body_def def = tarn_default_body_def();
    tarn_body_id id;
    tarn_error err = {0};
    def.shape = shape;
    def.position = (tarn_vec3){x, y, 0.01};
    if (tarn_body_create(w, &def, &id, &err) != TARN_OK) fail_msg("%s: %s", err.key, err.message);
    return id;
}

// ---- every kind -------------------------------------------------------------------------------------

static void every_kind_makes_a_shape(void **state)
{
    (void)state;
    tarn_shape *ball = create(sphere(0.2));
    const tarn_compound_child child = {.shape = ball, .pose.rotation = {1, 0, 0, 0}};
    for (int type = 0; tarn_kind_at("shape", type); ++type) {
        const tarn_shape_def def = def_of_kind(type, &child);
        tarn_shape *shape = create(def), *again = create(def);
        tarn_shape_info info, same;
        tarn_render_mesh mesh;
        tarn_shape_def read;
        CHECK_OK(tarn_shape_get_info(shape, &info));
        CHECK_OK(tarn_shape_get_info(again, &same));
        assert_int_equal(info.type, type);
        assert_true(info.volume > 0 && info.mass == 0);
        assert_true(info.inertia.x > 0 && info.inertia.y > 0 && info.inertia.z > 0);
        assert_true(info.convex_count > 0 && info.triangle_count > 3);
        assert_true(info.bounds.min.x < 0 && info.bounds.max.x > 0); // about the centre of mass
        assert_true(info.bounds.max.x <= info.radius * (1 + 1e-12));
        assert_true(info.content == same.content && info.content == tarn_shape_def_hash(&def));
        CHECK_OK(tarn_shape_get_mesh(shape, &mesh));
        assert_true(mesh.vertex_count > 3 && mesh.triangle_count >= info.triangle_count);
        CHECK_OK(tarn_shape_get_def(shape, &read));
        assert_true(tarn_shape_def_hash(&read) == info.content);
        tarn_shape_release(again);
        tarn_shape_release(shape);
    }
    tarn_shape_release(ball);
}

// The enum of the header numbers the kinds of the table.
static void types_are_the_kinds_in_their_order(void **state)
{
    (void)state;
    static const char *const names[] = {
        [TARN_SHAPE_SPHERE] = "sphere",     [TARN_SHAPE_BOX] = "box",
        [TARN_SHAPE_CAPSULE] = "capsule",   [TARN_SHAPE_CYLINDER] = "cylinder",
        [TARN_SHAPE_CONE] = "cone",         [TARN_SHAPE_TORUS] = "torus",
        [TARN_SHAPE_LATHE] = "lathe",       [TARN_SHAPE_CONVEX_HULL] = "convex_hull",
        [TARN_SHAPE_WIGLEY] = "wigley",     [TARN_SHAPE_MESH] = "mesh",
        [TARN_SHAPE_COMPOUND] = "compound", [TARN_SHAPE_CIRCLE] = "circle",
        [TARN_SHAPE_POLYGON] = "polygon"};
    for (int type = 0; type < COUNT(names); ++type)
        assert_string_equal(tarn_kind_at("shape", type)->name, names[type]);
    for (int type = 0; shape_kind_at(type); ++type)
        assert_true(shape_kind_at(type)->def_size <= sizeof((tarn_shape_def *)NULL)->space);
    assert_true(sizeof(tarn_shape_def) <= 512 && sizeof(tarn_shape_info) <= 512);
}

// Different parameters, tables, meshes and children are different content.
static void content_tells_shapes_apart(void **state)
{
    (void)state;
    tarn_shape *ball = create(sphere(0.2)), *larger = create(sphere(0.25));
    const tarn_compound_child child = {.shape = ball, .pose.rotation = {1, 0, 0, 0}},
                              other = {.shape = larger, .pose.rotation = {1, 0, 0, 0}};
    double moved[12];
    tarn_vec2 wider[COUNT(profile)];
    memcpy(moved, corners, sizeof moved);
    memcpy(wider, profile, sizeof wider);
    moved[3] = 1.1, wider[1].x = 0.45;
    tarn_shape_def lathe = def_of_kind(TARN_SHAPE_LATHE, NULL), mesh = def_of_kind(TARN_SHAPE_MESH, NULL),
                   compound = def_of_kind(TARN_SHAPE_COMPOUND, &child);
    const uint64_t before[3] = {tarn_shape_def_hash(&lathe), tarn_shape_def_hash(&mesh),
                                tarn_shape_def_hash(&compound)};
    lathe.lathe.profile = wider, mesh.mesh.mesh.vertices = moved, compound.compound.children = &other;
    assert_true(tarn_shape_def_hash(&lathe) != before[0]);
    assert_true(tarn_shape_def_hash(&mesh) != before[1]);
    assert_true(tarn_shape_def_hash(&compound) != before[2]);
    tarn_shape_release(ball);
    tarn_shape_release(larger);
}

// What is borrowed by the definition is copied: it may change afterwards.
static void arrays_of_a_definition_are_copied(void **state)
{
    (void)state;
    tarn_vec2 own[COUNT(profile)];
    memcpy(own, profile, sizeof own);
    tarn_shape_def def = def_of_kind(TARN_SHAPE_LATHE, NULL), read;
    def.lathe.profile = own;
    tarn_shape *shape = create(def);
    memset(own, 0, sizeof own);
    CHECK_OK(tarn_shape_get_def(shape, &read));
    assert_memory_equal(read.lathe.profile, profile, sizeof profile);
    tarn_shape_release(shape);
}

// ---- sharing ----------------------------------------------------------------------------------------

// A thousand bodies of one shape: what they add to the memory of the world does not hold the shape.
static void a_thousand_bodies_need_one_shape(void **state)
{
    (void)state;
    enum { BODIES = 1000 };
    struct counting_allocator of_world = {.left = -1}, of_shape = {.left = -1};
    const tarn_allocator world_hook = counting_hook(&of_world), shape_hook = counting_hook(&of_shape);
    const tarn_shape_def def = tarn_default_shape_def(TARN_SHAPE_TORUS);
    tarn_shape *shape;
    CHECK_OK(tarn_shape_create(&def, &shape_hook, &shape, NULL));
    const size_t shape_bytes = of_shape.now;
    tarn_world *w = create_world("none", &world_hook);
    const size_t before = of_world.now;
    for (int i = 0; i < BODIES; ++i) add(w, shape, 0.0, 1.0 + i);
    const size_t body_bytes = (of_world.now - before) / BODIES;
    print_message("shape %zu bytes, each body %zu bytes\n", shape_bytes, body_bytes);
    assert_int_equal(of_shape.now, shape_bytes);
    assert_true(8 * body_bytes < shape_bytes);
    for (int i = 0; i < BODIES; ++i) assert_ptr_equal(w->bodies.slots[i].body->def.shape, shape);
    assert_int_equal(shape->ref_count, 1 + BODIES);
    tarn_world_destroy(w);
    assert_int_equal(shape->ref_count, 1);
    tarn_shape_release(shape);
    assert_int_equal(of_shape.now, 0);
    assert_int_equal(of_world.now, 0);
}

static void shape_and_world_outlive_each_other(void **state)
{
    (void)state;
    struct counting_allocator ledger = {.left = -1};
    const tarn_allocator hook = counting_hook(&ledger);
    const tarn_shape_def def = sphere(0.2);
    tarn_shape *shape;
    CHECK_OK(tarn_shape_create(&def, &hook, &shape, NULL));
    tarn_world *first = create_world("wave", NULL), *second = create_world("wave", NULL);
    const tarn_body_id id = add(first, shape, 0.0, 1.0);
    add(second, shape, 0.0, 1.0);
    tarn_shape_release(shape); // the worlds have it
    CHECK_OK(tarn_world_advance(first, 0.1));
    tarn_world_destroy(second);
    CHECK_OK(tarn_world_advance(first, 0.1));
    assert_true(ledger.now > 0);
    CHECK_OK(tarn_body_destroy(first, id));
    assert_int_equal(ledger.now, 0); // the last one took it along
    tarn_world_destroy(first);
    tarn_shape_retain(NULL);
    tarn_shape_release(NULL);
}

struct sharer {
    const tarn_shape *shape;
    uint64_t hash;
};

static void *run_world_with_shape(void *arg)
{
    struct sharer *s = arg;
    tarn_world *w = create_world("wave", NULL);
    for (int i = 0; i < 20; ++i) {
        const tarn_body_id id = add(w, s->shape, -0.8 + 0.4 * (i % 5), 1.0 + 0.5 * (i / 5));
        tarn_shape_retain(s->shape);
        tarn_shape_release(s->shape);
        if (i % 4 == 3 && tarn_body_destroy(w, id) != TARN_OK) return NULL;
    }
    for (int n = 0; n < 20; ++n)
        if (tarn_world_advance(w, 1.0 / 60.0) != TARN_OK) return NULL;
    s->hash = tarn_world_hash(w);
    tarn_world_destroy(w);
    return NULL;
}

static void worlds_in_two_threads_share_a_shape(void **state)
{
    (void)state;
    tarn_shape *shape = create(sphere(0.15));
    struct sharer sharers[2] = {{shape, 0}, {shape, 0}};
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, run_world_with_shape, &sharers[i]), 0);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    assert_true(sharers[0].hash != 0 && sharers[0].hash == sharers[1].hash);
    assert_int_equal(shape->ref_count, 1);
    tarn_shape_release(shape);
}

// ---- compounds --------------------------------------------------------------------------------------

// Whether children are one shared shape or each its own makes no bit of difference.
static void compounds_of_shared_shapes_are_the_same(void **state)
{
    (void)state;
    tarn_shape *one = create(sphere(0.2)), *two = create(sphere(0.2));
    const tarn_compound_child shared[] = {{one, {{0, 0, 0}, {1, 0, 0, 0}}, 300},
                                          {one, {{0.5, 0.1, 0}, {1, 0, 0, 0}}, 700}},
                              separate[] = {{one, {{0, 0, 0}, {1, 0, 0, 0}}, 300},
                                            {two, {{0.5, 0.1, 0}, {1, 0, 0, 0}}, 700}};
    tarn_shape *a = create((tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {shared, 2}}),
               *b = create((tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {separate, 2}});
    assert_int_equal(one->ref_count, 1 + 2 + 1);
    assert_true(a->content == b->content);
    assert_int_equal(a->data.hull.vertex_count, b->data.hull.vertex_count);
    assert_memory_equal(a->data.hull.vertices, b->data.hull.vertices,
                        sizeof(vec3) * (size_t)a->data.hull.vertex_count);
    assert_memory_equal(&a->data.inertia, &b->data.inertia, sizeof a->data.inertia);
    CHECK_NEAR(a->data.mass, 1000 * 4.0 / 3.0 * PI * 0.008, 1e-12);
    tarn_shape_release(one); // the compounds keep them
    tarn_shape_release(two);
    tarn_world *w = create_world("wave", NULL);
    tarn_body_info info;
    CHECK_OK(tarn_body_get_info(w, add(w, a, 0, 1), &info));
    CHECK_NEAR(info.mass, a->data.mass, 0); // the density of the body does not count
    tarn_world_destroy(w);
    tarn_shape_release(a);
    tarn_shape_release(b);
}

static void expect_refused(tarn_shape_def def, tarn_result result, const char *key)
{
    tarn_shape *shape;
    tarn_error err = {0};
    assert_int_equal(tarn_shape_create(&def, NULL, &shape, &err), result);
    assert_null(shape);
    assert_string_equal(err.key, key);
    assert_true(err.message[0] != 0);
}

static void impossible_definitions_are_refused(void **state)
{
    (void)state;
    tarn_shape *ball = create(sphere(0.2)), *disc = create(def_of_kind(TARN_SHAPE_CIRCLE, NULL));
    const tarn_pose here = {.rotation = {1, 0, 0, 0}};
    tarn_compound_child children[2] = {{ball, here, 0}, {ball, here, 300}};
    tarn_shape *compound = create((tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {children, 1}});
    expect_refused((tarn_shape_def){.type = (tarn_shape_type)99}, TARN_BAD_ARGUMENT, "type");
    expect_refused((tarn_shape_def){.type = (tarn_shape_type)-1}, TARN_BAD_ARGUMENT, "type");
    expect_refused(sphere(0), TARN_BAD_INPUT, "radius");
    expect_refused(sphere(NAN), TARN_BAD_INPUT, "radius");
    assert_true(tarn_shape_def_hash(&(tarn_shape_def){.type = TARN_SHAPE_SPHERE}) == 0);
    expect_refused(tarn_default_shape_def(TARN_SHAPE_MESH), TARN_BAD_INPUT, "mesh");
    expect_refused(tarn_default_shape_def(TARN_SHAPE_LATHE), TARN_BAD_INPUT, "profile");
    expect_refused(tarn_default_shape_def(TARN_SHAPE_COMPOUND), TARN_BAD_INPUT, "children");
    expect_refused((tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {children, 257}}, TARN_BAD_INPUT,
                   "children");
    expect_refused((tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {children, 2}}, TARN_BAD_INPUT,
                   "density");
    children[0].shape = NULL;
    expect_refused((tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {children, 1}},
                   TARN_BAD_ARGUMENT, "children");
    children[0].shape = compound;
    expect_refused((tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {children, 1}}, TARN_BAD_INPUT,
                   "children");
    children[0].shape = disc;
    expect_refused((tarn_shape_def){.type = TARN_SHAPE_COMPOUND, .compound = {children, 1}}, TARN_BAD_INPUT,
                   "children");
    tarn_shape_release(compound);
    tarn_shape_release(disc);
    tarn_shape_release(ball);
}

// ---- other queries ----------------------------------------------------------------------------------

static void open_shapes_have_a_compartment_and_planar_ones_an_outline(void **state)
{
    (void)state;
    tarn_shape *solid = create(tarn_default_shape_def(TARN_SHAPE_BOX)),
               *open = create((tarn_shape_def){.type = TARN_SHAPE_BOX, .box = {{1, 0.5, 1}, 0.1}}),
               *polygon = create(def_of_kind(TARN_SHAPE_POLYGON, NULL));
    tarn_shape_info info;
    tarn_render_mesh hold;
    const tarn_vec2 *outline = NULL;
    assert_int_equal(tarn_shape_get_hold_mesh(solid, &hold), TARN_BAD_ARGUMENT);
    CHECK_OK(tarn_shape_get_hold_mesh(open, &hold));
    assert_true(hold.triangle_count > 0);
    CHECK_OK(tarn_shape_get_info(open, &info));
    CHECK_NEAR(info.hold_volume, 0.8 * 0.4 * 0.8, 1e-12);
    CHECK_NEAR(info.volume, 0.5 - info.hold_volume, 1e-12);
    assert_int_equal(tarn_shape_get_outline(solid, &outline), 0);
    assert_int_equal(tarn_shape_get_outline(polygon, &outline), 3);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(outline[i].x, triangle[i].x - 1.0 / 3.0, 1e-15);
        CHECK_NEAR(outline[i].y, triangle[i].y - 1.0 / 3.0, 1e-15);
    }
    tarn_shape_release(solid);
    tarn_shape_release(open);
    tarn_shape_release(polygon);
}

// ---- checkpoints ------------------------------------------------------------------------------------

static size_t saved_bytes(const tarn_world *w, struct memory_stream *file)
{
    file->size = file->at = 0;
    CHECK_OK(tarn_world_save(w, stream_write, file));
    return file->size;
}

// Shapes of every kind come back, equal ones as one, and the world goes on with the same bits.
static void checkpoints_have_each_shape_once(void **state)
{
    (void)state;
    static struct memory_stream file;
    tarn_shape *mesh = create(def_of_kind(TARN_SHAPE_MESH, NULL)),
               *equal = create(def_of_kind(TARN_SHAPE_MESH, NULL)),
               *lathe = create(def_of_kind(TARN_SHAPE_LATHE, NULL));
    const tarn_compound_child child = {.shape = lathe, .pose.rotation = {1, 0, 0, 0}};
    tarn_shape *compound = create(def_of_kind(TARN_SHAPE_COMPOUND, &child));
    tarn_world *w = create_world("none", NULL), *again = NULL;
    add(w, mesh, 0, 1);
    add(w, compound, 0, 3);
    const size_t with_two = saved_bytes(w, &file);
    for (int i = 0; i < 10; ++i) add(w, i % 2 ? mesh : equal, 0.1 * i, 5 + 2 * i);
    const size_t with_twelve = saved_bytes(w, &file), each = (with_twelve - with_two) / 10;
    assert_int_equal((with_twelve - with_two) % 10, 0); // as much for each body as for any other
    CHECK_OK(tarn_world_load(stream_read, &file, NULL, &again, NULL));
    assert_true(tarn_world_hash(again) == tarn_world_hash(w));
    const tarn_shape *loaded = again->bodies.slots[0].body->def.shape;
    for (int i = 2; i < 12; ++i) assert_ptr_equal(again->bodies.slots[i].body->def.shape, loaded);
    assert_int_equal(loaded->ref_count, 11);
    CHECK_OK(tarn_world_advance(w, 0.5));
    CHECK_OK(tarn_world_advance(again, 0.5));
    assert_true(tarn_world_hash(again) == tarn_world_hash(w));
    print_message("%zu bytes for each body in a checkpoint\n", each);
    tarn_world_destroy(w);
    tarn_world_destroy(again);
    tarn_shape_release(mesh);
    tarn_shape_release(equal);
    tarn_shape_release(lathe);
    tarn_shape_release(compound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_makes_a_shape),
        cmocka_unit_test(types_are_the_kinds_in_their_order),
        cmocka_unit_test(content_tells_shapes_apart),
        cmocka_unit_test(arrays_of_a_definition_are_copied),
        cmocka_unit_test(a_thousand_bodies_need_one_shape),
        cmocka_unit_test(shape_and_world_outlive_each_other),
        cmocka_unit_test(worlds_in_two_threads_share_a_shape),
        cmocka_unit_test(compounds_of_shared_shapes_are_the_same),
        cmocka_unit_test(impossible_definitions_are_refused),
        cmocka_unit_test(open_shapes_have_a_compartment_and_planar_ones_an_outline),
        cmocka_unit_test(checkpoints_have_each_shape_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
